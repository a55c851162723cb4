//! Official templates next to the checkout: each is imported, and nothing of it is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use db::{Actor, Db, DbSettings, ImportFormat, ImportRules, Location};
use model::content::ItemFlags;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

/// How many objects of each kind.
type Counts = BTreeMap<&'static str, usize>;

pub(crate) fn files(version: &str) -> Vec<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Ok(folder) = fs::read_dir(checkout.join("../shared/templates").join(version)) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = folder.map(|it| it.unwrap().path()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "yaml"));
    files.sort();
    files
}

fn list<'a>(of: &'a Json, name: &str) -> &'a [Json] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

fn add(counts: &mut Counts, kind: &'static str, n: usize) {
    *counts.entry(kind).or_default() += n;
}

/// Counts of a file.
fn count_file(export: &Json, counts: &mut Counts) {
    add(counts, "triggers", list(export, "triggers").len());
    add(counts, "graphs", list(export, "graphs").len());
    let graph_items = |of: &[Json]| of.iter().map(|it| list(it, "graph_items").len()).sum();
    add(counts, "graph items", graph_items(list(export, "graphs")));
    for template in list(export, "templates") {
        add(counts, "templates", 1);
        add(counts, "items", list(template, "items").len());
        for (kind, name) in [("macros", "macros"), ("value maps", "valuemaps"), ("tags", "tags")] {
            add(counts, kind, list(template, name).len());
        }
        for dashboard in list(template, "dashboards") {
            add(counts, "dashboards", 1);
            for page in list(dashboard, "pages") {
                add(counts, "pages", 1);
                for widget in list(page, "widgets") {
                    add(counts, "widgets", 1);
                    add(counts, "fields of widgets", list(widget, "fields").len());
                }
            }
        }
        for item in list(template, "items") {
            add(counts, "triggers", list(item, "triggers").len());
            add(counts, "tags", list(item, "tags").len());
            add(counts, "steps", list(item, "preprocessing").len());
        }
        for rule in list(template, "discovery_rules") {
            add(counts, "rules", 1);
            add(counts, "steps", list(rule, "preprocessing").len());
            add(counts, "overrides", list(rule, "overrides").len());
            add(counts, "trigger prototypes", list(rule, "trigger_prototypes").len());
            add(counts, "graph prototypes", list(rule, "graph_prototypes").len());
            add(counts, "host prototypes", list(rule, "host_prototypes").len());
            add(counts, "graph items", graph_items(list(rule, "graph_prototypes")));
            for prototype in list(rule, "item_prototypes") {
                add(counts, "item prototypes", 1);
                add(counts, "tags", list(prototype, "tags").len());
                add(counts, "steps", list(prototype, "preprocessing").len());
                let triggers = list(prototype, "trigger_prototypes").len();
                add(counts, "trigger prototypes", triggers);
            }
        }
    }
}

/// Counts of the configuration.
fn count_stored(snapshot: &Snapshot) -> Counts {
    let mut counts = Counts::new();
    for template in snapshot.templates.values() {
        add(&mut counts, "templates", 1);
        add(&mut counts, "macros", template.macros.len());
        add(&mut counts, "value maps", template.valuemaps.len());
        add(&mut counts, "tags", template.tags.len());
        for item in &template.items {
            let kind = match item.flags {
                ItemFlags::Rule => "rules",
                ItemFlags::Prototype => "item prototypes",
                _ => "items",
            };
            add(&mut counts, kind, 1);
            add(&mut counts, "tags", item.content.tags.len());
            add(&mut counts, "steps", item.content.preprocessing.len());
            add(&mut counts, "overrides", item.content.overrides.len());
        }
        for trigger in &template.triggers {
            let is_prototype = trigger.flags == ItemFlags::Prototype;
            let kind = if is_prototype { "trigger prototypes" } else { "triggers" };
            add(&mut counts, kind, 1);
        }
        add(&mut counts, "host prototypes", template.host_prototypes.len());
        for graph in &template.graphs {
            let is_prototype = graph.flags == ItemFlags::Prototype;
            add(&mut counts, if is_prototype { "graph prototypes" } else { "graphs" }, 1);
            add(&mut counts, "graph items", graph.content.gitems.len());
        }
    }
    for dashboard in snapshot.documents.of("templatedashboard") {
        add(&mut counts, "dashboards", 1);
        for page in list(&Json::Object(dashboard.body.clone()), "pages") {
            add(&mut counts, "pages", 1);
            for widget in list(page, "widgets") {
                add(&mut counts, "widgets", 1);
                add(&mut counts, "fields of widgets", list(widget, "fields").len());
            }
        }
    }
    counts
}

fn import_all(version: &str) {
    let files = files(version);
    if files.is_empty() {
        println!("skipped: there are no official templates of {version} next to the checkout");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&DbSettings::new(Location::Sqlite(folder.path().join("saker.db")))).unwrap();
    let before = count_stored(&db.snapshot());
    let (mut written, mut kept, mut n_refused) = (before, BTreeMap::new(), 0);
    let rules = ImportRules::ALL;
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let parsed: Json = serde_saphyr::from_str(&text).unwrap();
        count_file(&parsed["zabbix_export"], &mut written);
        match db.import(Actor::System, &text, ImportFormat::guess(&text), &rules) {
            Ok(report) => {
                for (tag, n) in report.kept_for_later {
                    *kept.entry(tag).or_insert(0) += n;
                }
            }
            Err(error) => {
                n_refused += 1;
                println!("{}: {}", path.file_name().unwrap().to_string_lossy(), error.text());
            }
        }
    }
    let stored = count_stored(&db.snapshot());
    println!("{version}: {} files, {n_refused} refused", files.len());
    println!("  stored: {stored:?}");
    println!("  kept for later: {kept:?}");
    assert_eq!(n_refused, 0, "files are refused");
    for tag in ["dashboards", "graphs", "graph_prototypes", "host_prototypes"] {
        assert!(!kept.contains_key(tag), "{tag} are left out: {kept:?}");
    }
    let lost = |it: &(&&str, &usize)| *it.1 != 0;
    let written: Vec<_> = written.iter().filter(lost).collect();
    let stored: Vec<_> = stored.iter().filter(lost).collect();
    assert_eq!(written, stored, "what is written is stored");
}

#[test]
fn templates_of_7_0_are_imported() {
    import_all("v7.0");
}

#[test]
fn templates_of_7_4_are_imported() {
    import_all("v7.4");
}

/// Programs look templates up by names, in any case; two that differ in case only are one too many.
#[test]
fn no_bundled_template_has_the_name_of_an_official_one() {
    // JSON is YAML.
    let names = |path: &PathBuf| -> Vec<String> {
        let export: Json = serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let templates = list(&export["zabbix_export"], "templates").iter();
        let both = templates.flat_map(|it| [&it["template"], &it["name"]]);
        both.filter_map(Json::as_str).map(str::to_lowercase).collect()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
    let bundled: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    let bundled = bundled.iter().filter(|it| it.extension().is_some_and(|it| it == "json"));
    let bundled: Vec<String> = bundled.flat_map(names).collect();
    assert!(4 <= bundled.len(), "{bundled:?}");
    for path in ["v7.0", "v7.4", "v8.0"].iter().flat_map(|it| files(it)) {
        let mut official = names(&path);
        official.retain(|it| bundled.contains(it));
        assert!(official.is_empty(), "{}: {official:?}", path.display());
    }
}
