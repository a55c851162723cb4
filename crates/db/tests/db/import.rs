//! The contract of importing templates.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use db::{Actor, ConfigError, Db, ImportFormat, ImportReport, ImportRule, ImportRules};
use model::HostId;
use model::content::{ItemFlags, ItemType, RecoveryMode, Severity, Step};
use model::document::Body;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::common::{Store, on_both};

fn export() -> Json {
    json!({"zabbix_export": {
        "version": "7.0",
        "template_groups": [{"uuid": "a0000000000000000000000000000001", "name": "Templates/Own"}],
        "templates": [
            {
                "uuid": "a0000000000000000000000000000002", "template": "Base", "name": "Base template",
                "groups": [{"name": "Templates/Own"}],
                "items": [
                    {
                        "uuid": "a0000000000000000000000000000004", "name": "Part", "type": "DEPENDENT",
                        "key": "part", "master_item": {"key": "raw"}, "value_type": "FLOAT",
                        "preprocessing": [
                            {"type": "JSONPATH", "parameters": ["$.part"], "error_handler": "CUSTOM_VALUE",
                             "error_handler_params": "0"},
                            {"type": "MULTIPLIER", "parameters": ["8"]},
                        ],
                    },
                    {
                        "uuid": "a0000000000000000000000000000003", "name": "Raw", "key": "raw",
                        "value_type": "TEXT", "valuemap": {"name": "Answers"},
                    },
                ],
                "valuemaps": [{
                    "uuid": "a0000000000000000000000000000005", "name": "Answers",
                    "mappings": [{"value": "1", "newvalue": "yes"}],
                }],
                "macros": [{"macro": "{$LIMIT}", "value": "5", "description": "Too much"}],
            },
            {
                "uuid": "a0000000000000000000000000000006", "template": "Top", "name": "",
                "groups": [{"name": "Templates/Own"}], "templates": [{"name": "Base"}],
                "discovery_rules": [{
                    "uuid": "a0000000000000000000000000000007", "name": "Disks", "key": "disks",
                    "type": "ZABBIX_ACTIVE", "delay": "1h",
                    "filter": {"conditions": [{"macro": "{#D}", "value": "^sd", "formulaid": "A"}]},
                    "item_prototypes": [{
                        "uuid": "a0000000000000000000000000000008", "name": "Size of {#D}",
                        "key": "size[{#D}]", "delay": "30s",
                        "trigger_prototypes": [{
                            "uuid": "a0000000000000000000000000000009", "name": "{#D} is large",
                            "expression": "last(/Top/size[{#D}])>{$LIMIT}", "priority": "HIGH",
                        }],
                    }],
                }],
            },
        ],
        "triggers": [
            {
                "uuid": "a000000000000000000000000000000a", "name": "Late",
                "expression": "nodata(/Top/raw,5m)=1", "recovery_mode": "RECOVERY_EXPRESSION",
                "recovery_expression": "nodata(/Top/raw,1m)=0",
                "dependencies": [{"name": "Large", "expression": "last(/Top/part)>{$LIMIT}"}],
            },
            {
                "uuid": "a000000000000000000000000000000b", "name": "Large",
                "expression": "last(/Base/part)>{$LIMIT}", "priority": "WARNING",
            },
        ],
    }})
}

/// Everything comes to the state of the file, whatever its format.
fn import_text(db: &Db, text: &str) -> Result<ImportReport, ConfigError> {
    db.import(Actor::System, text, ImportFormat::guess(text), &ImportRules::ALL)
}

fn import(store: &Store, export: &Json) {
    import_text(&store.db, &export.to_string()).unwrap();
}

fn import_by(
    store: &Store,
    export: &Json,
    rules: &ImportRules,
) -> Result<ImportReport, ConfigError> {
    store.db.import(Actor::System, &export.to_string(), ImportFormat::Json, rules)
}

fn template(store: &Store, name: &str) -> HostId {
    store.db.snapshot().template_named(name).unwrap().id
}

#[test]
fn templates_come_with_everything_and_reach_hosts() {
    on_both(|store| {
        let text = export().to_string();
        let report = import_text(&store.db, &text).unwrap();
        assert_eq!(report.templates, ["Base", "Top"]);
        let (base, top) = (template(store, "Base"), template(store, "Top"));
        assert_eq!(&*store.holder(base).name, "Base template");
        assert_eq!(&*store.holder(top).name, "Top");
        let part = store.by_key(base, "part");
        assert_eq!(part.content.master_itemid, store.by_key(base, "raw").id);
        assert_eq!((part.content.delay.as_str(), part.content.kind), ("0", ItemType::Dependent));
        assert_eq!(part.content.preprocessing[1].kind, Step::Multiplier);
        assert_eq!(part.content.preprocessing[0].error_handler_params, "0");
        let raw = store.by_key(base, "raw");
        assert_eq!((raw.content.delay.as_str(), raw.content.trends.as_str()), ("1m", "0"));
        assert_eq!(raw.content.valuemapid, store.holder(base).valuemaps[0].valuemapid);
        let host = store.host("h", &[top]);
        let holder = store.holder(host);
        assert_eq!((holder.items.len(), holder.triggers.len()), (4, 3));
        let late = store.by_name(host, "Late");
        assert_eq!(late.content.recovery_mode, RecoveryMode::RecoveryExpression);
        assert_eq!(late.content.functions.len(), 2);
        assert_eq!(late.content.dependencies, [store.by_name(top, "Large").id]);
        let large = store.by_name(host, "{#D} is large");
        assert_eq!((large.flags, large.content.priority), (ItemFlags::Prototype, Severity::High));
    });
}

#[test]
fn importing_the_same_again_changes_nothing() {
    on_both(|store| {
        import(store, &export());
        store.reopen();
        let before = store.db.snapshot();
        import(store, &export());
        assert!(Arc::ptr_eq(&before, &store.db.snapshot()));
    });
}

#[test]
fn a_renamed_key_or_name_under_the_same_uuid_keeps_its_id_on_hosts() {
    on_both(|store| {
        import(store, &export());
        let host = store.host("h", &[template(store, "Top")]);
        let (part, size) = (store.by_key(host, "part").id, store.by_key(host, "size[{#D}]").id);
        let large = store.by_name(host, "Large").id;
        let mut new = export();
        let templates = &mut new["zabbix_export"]["templates"];
        templates[0]["items"][0]["key"] = json!("piece");
        templates[0]["template"] = json!("Foundation");
        templates[1]["templates"][0]["name"] = json!("Foundation");
        let rule = &mut templates[1]["discovery_rules"][0];
        rule["item_prototypes"][0]["key"] = json!("bytes[{#D}]");
        rule["item_prototypes"][0]["trigger_prototypes"][0]["expression"] =
            json!("last(/Top/bytes[{#D}])>{$LIMIT}");
        let triggers = &mut new["zabbix_export"]["triggers"];
        triggers[1]["expression"] = json!("last(/Foundation/piece)>{$LIMIT}");
        triggers[1]["name"] = json!("Too large");
        triggers[0]["dependencies"][0] =
            json!({"name": "Too large", "expression": "last(/Top/piece)>{$LIMIT}"});
        import(store, &new);
        assert_eq!(store.by_key(host, "piece").id, part);
        assert_eq!(store.by_key(host, "bytes[{#D}]").id, size);
        assert_eq!(store.by_name(host, "Too large").id, large);
    });
}

#[test]
fn objects_missing_in_a_newer_file_go_and_own_ones_stay() {
    on_both(|store| {
        import(store, &export());
        let host = store.host("h", &[template(store, "Top")]);
        store.item(host, "own");
        let mut new = export();
        new["zabbix_export"]["triggers"] = json!([]);
        new["zabbix_export"]["templates"][0]["items"].as_array_mut().unwrap().remove(0);
        import(store, &new);
        assert!(!store.has_key(host, "part") && !store.has_trigger(host, "Large"));
        assert!(store.has_key(host, "raw") && store.has_key(host, "own"));
        let keep = ImportRule { delete_missing: false, ..ImportRules::ALL.items };
        let mut less = new.clone();
        less["zabbix_export"]["templates"][0]["items"] = json!([]);
        import_by(store, &less, &ImportRules { items: keep, ..ImportRules::ALL }).unwrap();
        assert!(store.has_key(host, "raw"));
    });
}

#[test]
fn every_kind_goes_by_its_own_rule() {
    let nothing = ImportRules::default();
    let create = ImportRule { create: true, ..ImportRule::default() };
    let update = ImportRule { update: true, ..ImportRule::default() };
    let delete = ImportRule { delete_missing: true, ..ImportRule::default() };
    on_both(|store| {
        import_by(store, &export(), &nothing).unwrap();
        assert!(store.db.snapshot().template_named("Base").is_none());
        let templates = ImportRules { templates: create, ..nothing };
        let text = import_by(store, &export(), &templates).unwrap_err().text();
        assert_eq!(text, "Group \"Templates/Own\" does not exist.");
        let groups = ImportRules { template_groups: create, ..templates };
        import_by(store, &export(), &groups).unwrap();
        let (base, top) = (template(store, "Base"), template(store, "Top"));
        let parts = |id: HostId| {
            let it = store.holder(id);
            (it.items.len(), it.triggers.len(), it.valuemaps.len(), it.templates.len())
        };
        assert_eq!((parts(base), parts(top)), ((0, 0, 0, 0), (0, 0, 0, 0)));

        // Templates that may be updated, of their parts only value maps and items made.
        let kept = ImportRules { templates: update, ..nothing };
        let items = ImportRules { value_maps: create, items: create, ..kept };
        import_by(store, &export(), &items).unwrap();
        assert_eq!((parts(base), parts(top)), ((2, 0, 1, 0), (0, 0, 0, 0)));
        let linked = ImportRules {
            template_linkage: create,
            discovery_rules: create,
            triggers: create,
            ..kept
        };
        import_by(store, &export(), &linked).unwrap();
        assert_eq!((parts(base), parts(top)), ((2, 1, 1, 0), (4, 3, 0, 1)));

        // A file with other values and with fields left out.
        let mut other = export();
        let file = &mut other["zabbix_export"];
        file["templates"][0]["items"][1]["name"] = json!("Renamed");
        file["templates"][0]["valuemaps"] = json!([]);
        file["templates"][1]["templates"] = json!([]);
        file["templates"][1]["discovery_rules"][0]["item_prototypes"] = json!([]);
        file["triggers"] = json!([]);
        file["templates"][0]["items"][1].as_object_mut().unwrap().remove("valuemap");
        import_by(store, &other, &kept).unwrap();
        assert_eq!(store.by_key(base, "raw").content.name, "Raw");
        assert_eq!((parts(base), parts(top)), ((2, 1, 1, 0), (4, 3, 0, 1)));
        import_by(store, &other, &ImportRules { items: update, ..kept }).unwrap();
        assert_eq!(store.by_key(base, "raw").content.name, "Renamed");
        import_by(store, &other, &ImportRules { value_maps: delete, ..kept }).unwrap();
        assert_eq!(parts(base), (2, 1, 0, 0));
        // Prototypes follow a rule that is updated.
        import_by(store, &other, &ImportRules { discovery_rules: delete, ..kept }).unwrap();
        assert_eq!(parts(top), (4, 3, 0, 1));
        import_by(store, &other, &ImportRules { discovery_rules: update, ..kept }).unwrap();
        assert_eq!(parts(top), (3, 2, 0, 1));
        import_by(store, &other, &ImportRules { triggers: delete, ..kept }).unwrap();
        assert_eq!((parts(base), parts(top)), ((2, 0, 0, 0), (3, 0, 0, 1)));
        import_by(store, &other, &ImportRules { template_linkage: delete, ..kept }).unwrap();
        assert!(store.holder(top).templates.is_empty());
    });
}

/// An export as XML has it: every entry of a list in an element of its own.
fn to_xml(name: &str, value: &Json, out: &mut String) {
    let singular = match name {
        "query_fields" => "query_field".to_owned(),
        "dependencies" => "dependency".to_owned(),
        "preprocessing" => "step".to_owned(),
        name => name.trim_end_matches('s').to_owned(),
    };
    write!(out, "<{name}>").unwrap();
    match value {
        Json::Object(fields) => fields.iter().for_each(|(name, it)| to_xml(name, it, out)),
        Json::Array(list) => list.iter().for_each(|it| to_xml(&singular, it, out)),
        Json::String(it) => {
            out.push_str(&it.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
        }
        other => out.push_str(&other.to_string()),
    }
    write!(out, "</{name}>").unwrap();
}

#[test]
fn xml_says_the_same() {
    on_both(|store| {
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        to_xml("zabbix_export", &export()["zabbix_export"], &mut text);
        let report = import_text(&store.db, &text).unwrap();
        assert_eq!(report.templates, ["Base", "Top"]);
        let from_xml = store.db.snapshot();
        // The same file as JSON: nothing is left to do.
        import(store, &export());
        for name in ["Base", "Top"] {
            let (one, other) = (from_xml.template_named(name), store.db.snapshot());
            assert!(Arc::ptr_eq(one.unwrap(), other.template_named(name).unwrap()), "{name}");
        }
        let bad = import_text(&store.db, "<zabbix_export><version>7.0").unwrap_err();
        assert!(bad.text().starts_with("Cannot read XML: "), "{}", bad.text());
        let empty = "<zabbix_export><version>7.0</version><templates/></zabbix_export>";
        assert_eq!(import_text(&store.db, empty).unwrap(), ImportReport::default());
        let text = "<zabbix_export><version>7.0</version><templates>T</templates></zabbix_export>";
        let text = import_text(&store.db, text).unwrap_err().text();
        assert_eq!(text, "Invalid tag \"/zabbix_export/templates\": an array is expected.");
    });
}

#[test]
fn yaml_says_the_same_and_what_waits_for_later_is_counted() {
    let text = r#"
zabbix_export:
  version: '7.4'
  templates:
    - uuid: a0000000000000000000000000000001
      template: 'Web page'
      groups:
        - name: Templates
      items:
        - uuid: a0000000000000000000000000000002
          name: Page
          type: HTTP_AGENT
          key: page
          value_type: TEXT
          url: 'https://{HOST.CONN}/'
          authtype: BASIC
          query_fields:
            - name: a
              value: 'no'
          headers:
            - name: X-Own
          request_method: POST
          inventory_link: NAME
          triggers:
            - uuid: a0000000000000000000000000000003
              name: Empty
              expression: 'length(last(/Web page/page, #2))=0'
              dependencies:
                - name: Gone
                  expression: 'nodata(/Web page/page, 5m)=1'
            - uuid: a0000000000000000000000000000004
              name: Gone
              expression: nodata(/Web page/page,5m)=1
      readme: What it is for
"#;
    on_both(|store| {
        let report = import_text(&store.db, text).unwrap();
        assert_eq!(report.kept_for_later.get("readme"), Some(&1));
        let holder = template(store, "Web page");
        let page = store.by_key(holder, "page").content;
        assert_eq!((page.authtype, page.request_method, page.inventory_link), (1, 1, 3));
        assert_eq!((page.query_fields[0].value.as_str(), page.headers.len()), ("no", 1));
        let empty = store.by_name(holder, "Empty");
        assert_eq!(empty.content.dependencies, [store.by_name(holder, "Gone").id]);
        let bad = import_text(&store.db, "a: [").unwrap_err();
        assert!(bad.text().starts_with("Cannot read YAML: "), "{}", bad.text());
    });
}

#[test]
fn host_groups_are_imported() {
    on_both(|store| {
        let group = |name: &str| json!({"uuid": "a00000000000000000000000000000aa", "name": name});
        let mut file = export();
        file["zabbix_export"]["host_groups"] = json!([group("Racks"), {"name": "Linux servers"}]);
        import(store, &file);
        let names = || {
            let snapshot = store.db.snapshot();
            let mut names: Vec<String> =
                snapshot.host_groups.values().map(|it| it.name.clone()).collect();
            names.sort();
            names
        };
        assert!(names().contains(&"Racks".to_owned()), "{:?}", names());
        let n_groups = names().len();
        file["zabbix_export"]["host_groups"] = json!([group("Cabinets")]);
        import(store, &file);
        assert!(names().contains(&"Cabinets".to_owned()), "{:?}", names());
        assert_eq!(names().len(), n_groups, "renamed by its uuid");
    });
}

#[test]
fn uncollected_items_are_reported_by_type() {
    on_both(|store| {
        let item = |uuid: u8, key: &str, kind: &str| {
            json!({"uuid": format!("a00000000000000000000000000000{uuid}"), "name": key,
                "key": key, "type": kind, "url": "http://h/", "params": "return 1",
                "jmx_endpoint": "service", "delay": if kind == "DEPENDENT" { "0" } else { "1m" }})
        };
        let below = |uuid: u8, key: &str, master: &str| {
            let mut item = item(uuid, key, "DEPENDENT");
            item["master_item"] = json!({"key": master});
            item
        };
        let template = |uuid: u8, name: &str, items: Json| {
            json!({"uuid": format!("a00000000000000000000000000001{uuid}"), "template": name,
                "groups": [{"name": "Templates/Own"}], "items": items})
        };
        let mut web = template(
            10,
            "Web",
            json!([
                item(20, "vmware.page", "SIMPLE"),
                below(21, "size", "vmware.page"),
                below(22, "lines", "size"),
                item(23, "trap", "TRAP"),
                below(24, "of trap", "trap"),
                item(25, "icmpping[,3]", "SIMPLE"),
                item(31, "seen", "BROWSER"),
                item(26, "vmware.version[x]", "SIMPLE"),
            ]),
        );
        let mut rule = item(27, "vmware.found", "SIMPLE");
        rule["item_prototypes"] =
            json!([item(28, "vmware.one[{#A}]", "SIMPLE"), item(29, "t[{#A}]", "TRAP")]);
        web["discovery_rules"] = json!([rule]);
        let other = template(11, "Other", json!([item(30, "vmware.p", "SIMPLE")]));
        let file = json!({"zabbix_export": {
            "version": "7.0",
            "template_groups":
                [{"uuid": "a0000000000000000000000000000001", "name": "Templates/Own"}],
            "templates": [web, other],
        }});
        let report = import_by(store, &file, &ImportRules::ALL).unwrap();
        let message: Vec<(ItemType, usize, Vec<&str>)> = report
            .uncollected
            .iter()
            .map(|it| (it.kind, it.n_items, it.templates.iter().map(String::as_str).collect()))
            .collect();
        let expected = [(ItemType::Simple, 7, vec!["Web", "Other"])];
        assert_eq!(message, expected);
        assert!(!report.is_whole());
        let whole = import_by(store, &export(), &ImportRules::ALL).unwrap();
        assert!(whole.is_whole(), "{whole:?}");
    });
}

#[test]
fn unsupported_fields_are_refused_with_their_path() {
    on_both(|store| {
        let refused = |change: &dyn Fn(&mut Json)| {
            let mut request = export();
            change(&mut request["zabbix_export"]);
            let before = store.db.snapshot();
            let done = import_text(&store.db, &request.to_string());
            assert!(Arc::ptr_eq(&before, &store.db.snapshot()));
            done.unwrap_err().text()
        };
        assert_eq!(
            refused(&|it| it["version"] = json!("5.0")),
            "Invalid tag \"/zabbix_export/version\": files of version 5.0 are not read; 6.0 is the oldest: \
             import it there and export it again."
        );
        assert_eq!(
            refused(&|it| it["templates"][0]["telepathy"] = json!([{"name": "d"}])),
            "Invalid tag \"/zabbix_export/templates/template(1)\": unexpected tag \"telepathy\"."
        );
        let text = refused(&|it| it["templates"][0]["items"][1]["type"] = json!("TELEPATHY"));
        assert!(
            text.starts_with(
                "Invalid tag \"/zabbix_export/templates/template(1)/items/item(2)/type\""
            ),
            "{text}"
        );
        let text = refused(&|it| it["templates"][0]["macros"][0]["bad"] = json!("x"));
        assert!(text.contains("/templates/template(1)/macros/macro(1)\""), "{text}");
        let text = refused(&|it| it["triggers"][1]["expression"] = json!("last(/Base/none)>1"));
        assert!(text.contains("Incorrect item key \"none\""), "{text}");
        assert!(text.ends_with("(/zabbix_export/triggers/trigger(2))"), "{text}");
        let text = refused(&|it| it["triggers"][1]["event_name"] = json!("{?1+}"));
        assert!(
            text.contains("/event_name\": incorrect expression starting from \"}\"."),
            "{text}"
        );
        let text = import_text(&store.db, "{").unwrap_err().text();
        assert!(text.starts_with("Cannot read JSON"), "{text}");
    });
}

fn any_json() -> impl Strategy<Value = Json> {
    let names = prop::sample::select(vec![
        "version",
        "templates",
        "template",
        "uuid",
        "name",
        "groups",
        "items",
        "key",
        "type",
        "value",
        "expression",
        "triggers",
        "discovery_rules",
        "filter",
        "conditions",
        "valuemaps",
        "mappings",
        "macros",
        "macro",
        "preprocessing",
        "parameters",
        "tags",
        "tag",
        "master_item",
    ]);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        prop::sample::select(vec!["", "7.0", "cpu", "last(/T/cpu)>1", "TEXT", "{$M}", "\0"])
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(names.clone(), inner, 0..6).prop_map(|it| {
                Json::Object(it.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

#[test]
fn no_file_makes_the_import_panic_or_half_done() {
    let (_folder, db) = empty();
    proptest!(ProptestConfig::with_cases(300), |(mut content in any_json())| {
        if let Json::Object(it) = &mut content {
            it.insert("version".to_owned(), json!("7.0"));
        }
        let before = db.snapshot();
        let text = json!({"zabbix_export": content}).to_string();
        let done = import_text(&db, &text);
        prop_assert!(done.is_ok() || Arc::ptr_eq(&before, &db.snapshot()));
    });
}

/// An empty configuration in SQLite.
fn empty() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().unwrap();
    let location = db::Location::Sqlite(folder.path().join("saker.db"));
    let db = Db::open(&db::DbSettings::new(location)).unwrap();
    (folder, db)
}

#[test]
fn stored_inputs_of_the_fuzz_target_do_no_harm() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/import");
    let mut n_inputs = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        let input = fs::read(&path).unwrap();
        let (_folder, db) = empty();
        db::fuzz::import(&db, &input);
        // Cut anywhere it does no harm either.
        for end in (0..input.len()).step_by(41) {
            db::fuzz::import(&db, &input[..end]);
        }
        n_inputs += 1;
    }
    assert!(n_inputs >= 5, "there are inputs");
}

#[test]
fn the_bundled_templates_are_imported_and_linked_to_the_servers_own_host() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
    let mut texts: Vec<String> = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "json") {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
    assert!(!texts.is_empty());
    let first_dashboard = fs::read_to_string(folder.join("dashboards/global_view.json")).unwrap();
    on_both(|store| {
        let mut names = Vec::new();
        for text in &texts {
            let report = import_text(&store.db, text).unwrap();
            names.extend(report.templates);
        }
        let linked = ["Linux by agent", "Generic ICMP", "Saker server health", "Not there"];
        let host = store.db.ensure_own_host("Saker server", &linked).unwrap();
        assert_eq!(store.holder(host).templates.len(), 3);
        assert!(store.holder(host).items.len() > 50);
        store.db.ensure_first_action("Report to administrators").unwrap();
        let snapshot = store.db.snapshot();
        let actions: Vec<_> = snapshot.documents.of("action").collect();
        assert_eq!(actions.len(), 1);
        assert_eq!(actions[0].text("status"), "1", "nobody has a medium yet");
        let dashboard: Body = serde_json::from_str(&first_dashboard).unwrap();
        store.db.ensure_first_dashboard(&dashboard).unwrap();
        let snapshot = store.db.snapshot();
        let dashboards: Vec<_> = snapshot.documents.of("dashboard").collect();
        assert_eq!(dashboards.len(), 1);
        assert_eq!(dashboards[0].text("userid"), "1");
        assert_eq!(dashboards[0].text("private"), "0", "everybody sees it");
        let epoch = snapshot.epoch;
        store.db.ensure_first_action("Report to administrators").unwrap();
        store.db.ensure_first_dashboard(&dashboard).unwrap();
        assert_eq!(store.db.ensure_own_host("Saker server", &linked).unwrap(), host);
        for text in &texts {
            import_text(&store.db, text).unwrap();
        }
        assert_eq!(store.db.snapshot().epoch, epoch, "a second start changes nothing");
    });
}

/// A file of 6.0: groups of all kinds together, names and defaults of then.
const OF_6_0: &str = r#"
zabbix_export:
  version: '6.0'
  date: '2022-02-14T10:00:00Z'
  groups:
    - {uuid: a0000000000000000000000000000001, name: Templates/Own}
    - {uuid: a0000000000000000000000000000002, name: Both}
    - {uuid: a0000000000000000000000000000003, name: Nobody's}
  templates:
    - uuid: a0000000000000000000000000000004
      template: Old
      name: Old
      groups: [{name: Templates/Own}, {name: Both}]
      items:
        - uuid: a0000000000000000000000000000005
          name: Log
          key: 'log[/var/log/x]'
          type: ZABBIX_ACTIVE
          value_type: LOG
          trends: '0'
          timeout: 5s
          preprocessing:
            - {type: CHECK_NOT_SUPPORTED, parameters: [''], error_handler: DISCARD_VALUE}
          triggers:
            - uuid: a0000000000000000000000000000006
              name: Digits
              expression: 'find(/Old/log[/var/log/x],,"regexp","\d+")=1'
        - uuid: a0000000000000000000000000000007
          name: Sum
          key: sum
          type: CALCULATED
          params: 'sum(last_foreach(/*/page,5m))'
        - uuid: a0000000000000000000000000000008
          name: Page
          key: page
          type: HTTP_AGENT
          url: http://localhost/
          timeout: 7s
          history: 7d
      discovery_rules:
        - uuid: a0000000000000000000000000000009
          name: Disks
          key: disks
          type: DEPENDENT
          delay: '0'
          master_item: {key: page}
          item_prototypes:
            - uuid: a000000000000000000000000000000a
              name: Disk {#D}
              key: 'disk[{#D}]'
              inventory_link: ALIAS
        - uuid: a000000000000000000000000000000b
          name: Fans
          key: fans
          lifetime: '0'
      dashboards:
        - uuid: a000000000000000000000000000000c
          name: Own
          pages:
            - widgets:
                - type: GRAPH_CLASSIC
                  x: '2'
                  width: '12'
                  height: '5'
                  fields:
                    - {type: INTEGER, name: source_type, value: '1'}
                    - {type: ITEM, name: itemid, value: {host: Old, key: page}}
                - type: PLAIN_TEXT
                  y: '5'
                  width: '6'
                  fields:
                    - {type: ITEM, name: itemids, value: {host: Old, key: 'log[/var/log/x]'}}
  hosts:
    - host: old host
      name: old host
      groups: [{name: Both}]
      templates: [{name: Old}]
      interfaces: [{interface_ref: if1}]
      inventory_mode: DISABLED
"#;

#[test]
fn files_of_6_0_are_read_as_they_were_meant() {
    on_both(|store| {
        import_text(&store.db, OF_6_0).unwrap();
        let snapshot = store.db.snapshot();
        let has = |groups: Vec<&str>, name: &str| groups.contains(&name);
        let host_groups = || snapshot.host_groups.values().map(|it| it.name.as_str()).collect();
        let template_groups =
            || snapshot.template_groups.values().map(|it| it.name.as_str()).collect();
        assert!(!has(host_groups(), "Templates/Own") && has(template_groups(), "Templates/Own"));
        assert!(has(host_groups(), "Both") && has(template_groups(), "Both"));
        assert!(has(host_groups(), "Nobody's") && !has(template_groups(), "Nobody's"));
        let template = template(store, "Old");
        let log = store.by_key(template, "log[/var/log/x]");
        assert_eq!((log.content.history.as_str(), log.content.timeout.as_str()), ("90d", ""));
        assert_eq!(log.content.preprocessing[0].params, "-1");
        let page = store.by_key(template, "page");
        assert_eq!((page.content.history.as_str(), page.content.timeout.as_str()), ("7d", "7s"));
        assert_eq!(store.by_key(template, "sum").content.params, "sum(last_foreach(/*/page))");
        let digits = store.by_name(template, "Digits");
        assert_eq!(digits.content.functions[0].parameter, r#"$,,"regexp","\\d+""#);
        let disks = store.by_key(template, "disks");
        assert_eq!(
            (disks.content.lifetime.as_str(), disks.content.enabled_lifetime_type.code()),
            ("30d", 1)
        );
        let fans = store.by_key(template, "fans");
        assert_eq!(
            (fans.content.lifetime_type.code(), fans.content.enabled_lifetime_type.code()),
            (2, 2)
        );
        let dashboard =
            snapshot.documents.of("templatedashboard").find(|it| it.text("name") == "Own");
        let widgets = &dashboard.unwrap().body["pages"][0]["widgets"];
        assert_eq!(
            (&widgets[0]["type"], &widgets[0]["x"], &widgets[0]["width"]),
            (&json!("graph"), &json!("6"), &json!("36"))
        );
        let names = |at: usize| -> Vec<&str> {
            widgets[at]["fields"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["name"].as_str().unwrap())
                .collect()
        };
        assert_eq!(names(0), ["source_type", "itemid.0", "reference"]);
        assert_eq!(widgets[1]["type"], "itemhistory");
        assert_eq!(names(1), ["show_timestamp", "columns.0.name", "columns.0.itemid", "reference"]);
        let host = snapshot.host_named("old host").unwrap();
        assert_eq!((host.templates.as_slice(), host.interfaces.len()), (&[template][..], 1));
    });
}

#[test]
fn files_older_than_6_0_and_of_proxies_are_refused_with_the_reason() {
    on_both(|store| {
        for (file, expected) in [
            (
                json!({"zabbix_export": {"version": "5.4"}}),
                "Invalid tag \"/zabbix_export/version\": files of version 5.4 are not read; 6.0 is the oldest: import it \
                 there and export it again.",
            ),
            (
                json!({"zabbix_export": {"version": "9.0"}}),
                "Invalid tag \"/zabbix_export/version\": unsupported version number.",
            ),
            (
                json!({"zabbix_export": {"version": "6.4", "hosts": [
                    {"host": "far", "groups": [], "proxy": {"name": "p"}}]}}),
                "Invalid tag \"/zabbix_export/hosts/host(1)/monitored_by\": there are no proxies; \"SERVER\" is expected.",
            ),
        ] {
            let error = import_text(&store.db, &file.to_string()).unwrap_err();
            assert_eq!(error.text(), expected);
        }
    });
}
