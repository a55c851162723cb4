//! The effect of an import on each kind of object, for every combination of its rule: expected by
//! the rules themselves, not by examples.

use std::collections::BTreeSet;

use db::objects::mediatype::MEDIATYPE;
use db::{Actor, ImportFormat, ImportRule, ImportRules, ObjectKind};
use model::content::ItemFlags;
use model::snapshot::Host;
use serde_json::{Value as Json, json};

use crate::common::{Store, on_both};

/// Objects of each kind: one that stays and is changed, one that the second file lacks, one that only it has.
#[derive(Clone, Copy, PartialEq)]
enum File {
    First,
    Second,
}

impl File {
    /// Names with their places; the changed one is called by its version.
    fn names(self) -> [(&'static str, u32); 2] {
        match self {
            Self::First => [("same v1", 1), ("gone", 2)],
            Self::Second => [("same v2", 1), ("new", 3)],
        }
    }

    fn list(self, of: impl Fn(&str, u32) -> Json) -> Vec<Json> {
        self.names().iter().map(|(name, at)| of(name, *at)).collect()
    }
}

fn uuid(kind: u32, at: u32) -> String {
    format!("{kind:08x}00004000800000000000{at:04x}")
}

fn prototypes(file: File, rule: u32) -> Json {
    let key = |at: u32| format!("p[{rule},{at},{{#A}}]");
    let base = format!("p[{rule},0,{{#A}}]");
    let mut items = file.list(|name, at| {
        json!({"uuid": uuid(20 + rule, at), "name": name, "key": key(at), "type": "TRAP",
            "delay": "0"})
    });
    items.push(json!({"uuid": uuid(20 + rule, 9), "name": "base", "key": base, "type": "TRAP",
        "delay": "0"}));
    json!({
        "item_prototypes": items,
        "trigger_prototypes": file.list(|name, at| json!({"uuid": uuid(30 + rule, at),
            "name": name, "expression": format!("last(/T/{base})={at}")})),
        "graph_prototypes": file.list(|name, at| json!({"uuid": uuid(40 + rule, at),
            "name": format!("{rule} {name}"),
            "graph_items": [{"color": "00AA00", "item": {"host": "T", "key": base}}]})),
        "host_prototypes": file.list(|name, at| json!({"uuid": uuid(50 + rule, at),
            "host": format!("{{#A}} {at}"), "name": format!("{name} {{#A}}"),
            "group_links": [{"group": {"name": "Hosts"}}]})),
    })
}

fn export(file: File) -> Json {
    let own = json!([{"name": "Own"}]);
    let template = |name: &str| json!({"template": name, "name": name, "groups": own});
    let links = file.list(|name, _| json!({"name": name.split(' ').next().unwrap()}));
    let mut whole = json!({
        "uuid": uuid(1, 1), "template": "T", "name": "T", "groups": own, "templates": links,
        "description": file.names()[0].0,
        "items": file.list(|name, at| json!({"uuid": uuid(2, at), "name": name, "type": "TRAP",
            "key": format!("k[{at}]"), "delay": "0"})),
        "httptests": file.list(|name, at| json!({"uuid": uuid(3, at), "name": name,
            "steps": [{"name": "s", "url": "http://localhost/"}]})),
        "dashboards": file.list(|name, at| json!({"uuid": uuid(4, at), "name": name,
            "pages": [{}]})),
        "valuemaps": file.list(|name, at| json!({"uuid": uuid(5, at), "name": name,
            "mappings": [{"value": "1", "newvalue": "x"}]})),
        "discovery_rules": file.list(|name, at| {
            let mut rule = prototypes(file, at);
            rule["uuid"] = uuid(6, at).into();
            rule["name"] = name.into();
            rule["key"] = format!("r[{at}]").into();
            rule["type"] = "TRAP".into();
            rule["delay"] = "0".into();
            rule
        }),
    });
    let base = json!({"name": "base", "key": "base", "type": "TRAP", "delay": "0",
        "uuid": uuid(2, 9)});
    whole["items"].as_array_mut().unwrap().push(base);
    let mut templates = vec![whole, template("same"), template("gone"), template("new")];
    let mut hosts = vec![json!({"host": "H same", "name": file.names()[0].0,
        "groups": [{"name": "Hosts"}]})];
    if file == File::Second {
        templates.push(template("only in the second"));
        hosts.push(json!({"host": "H new", "name": "H new", "groups": [{"name": "Hosts"}]}));
    }
    let groups = |kind: u32, common: &str| {
        let mut groups = file.list(|name, at| json!({"uuid": uuid(kind, at), "name": name}));
        groups.push(json!({"uuid": uuid(kind, 9), "name": common}));
        groups
    };
    json!({"zabbix_export": {
        "version": "7.0", "template_groups": groups(8, "Own"), "host_groups": groups(9, "Hosts"),
        "templates": templates, "hosts": hosts,
        "media_types": file.list(|name, at| json!({"name": format!("M{at}"), "type": "SCRIPT",
            "script_name": "a.sh", "description": name})),
        "triggers": file.list(|name, at| json!({"uuid": uuid(10, at), "name": name,
            "expression": format!("last(/T/base)={at}")})),
        "graphs": file.list(|name, at| json!({"uuid": uuid(11, at), "name": name,
            "graph_items": [{"color": "00AA00", "item": {"host": "T", "key": "base"}}]})),
    }})
}

/// Kinds with a rule of their own, and whether their missing objects are deleted.
const KINDS: [(&str, bool); 13] = [
    ("template_groups", false),
    ("host_groups", false),
    ("templates", false),
    ("hosts", false),
    ("media_types", false),
    ("links", true),
    ("valuemaps", true),
    ("items", true),
    ("rules", true),
    ("triggers", true),
    ("graphs", true),
    ("httptests", true),
    ("dashboards", true),
];
const PROTOTYPES: [&str; 4] =
    ["item prototypes", "trigger prototypes", "graph prototypes", "host prototypes"];

fn with_rules(rules: &[ImportRule; 13]) -> ImportRules {
    let [
        template_groups,
        host_groups,
        templates,
        hosts,
        media_types,
        template_linkage,
        value_maps,
        items,
        discovery_rules,
        triggers,
        graphs,
        web_scenarios,
        template_dashboards,
    ] = *rules;
    ImportRules {
        template_groups,
        host_groups,
        templates,
        hosts,
        media_types,
        template_linkage,
        value_maps,
        items,
        discovery_rules,
        triggers,
        graphs,
        web_scenarios,
        template_dashboards,
        ..ImportRules::default()
    }
}

/// The objects after the first file and the second one by these rules.
fn expected(rules: &[ImportRule; 13]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |kind: &str, name: &str| found.extend([format!("{kind}: {name}")]);
    for ((kind, may_delete), rule) in KINDS.iter().zip(rules) {
        add(kind, if rule.update && *kind != "links" { "same v2" } else { "same v1" });
        if rule.create {
            add(kind, "new");
        }
        let is_deleted = rule.delete_missing && *may_delete;
        if !is_deleted && !matches!(*kind, "templates" | "hosts") {
            add(kind, "gone");
        }
        if *kind != "rules" {
            continue;
        }
        // Prototypes come with a rule that is made or updated, and leave with one that is updated.
        for kind in PROTOTYPES {
            let of = |rule: u32, name: &str| format!("{rule} {name}");
            add(kind, &of(1, if rule.update { "same v2" } else { "same v1" }));
            add(kind, &of(1, if rule.update { "new" } else { "gone" }));
            if rule.create {
                add(kind, &of(3, "same v2"));
                add(kind, &of(3, "new"));
            }
            if !is_deleted {
                add(kind, &of(2, "same v1"));
                add(kind, &of(2, "gone"));
            }
        }
    }
    found
}

fn of_template(template: &Host, mut add: impl FnMut(&str, &str)) {
    let rule_of = |id: model::ItemId| {
        let key = template.item(id).unwrap().key().into_owned();
        key.trim_matches(|it: char| !it.is_ascii_digit()).to_owned()
    };
    for it in template.items.iter().filter(|it| it.name() != "base") {
        match it.flags {
            ItemFlags::Plain if it.key().starts_with("web.test.fail[") => {
                let name = it.key().into_owned();
                add("httptests", name.trim_start_matches("web.test.fail[").trim_end_matches(']'));
            }
            ItemFlags::Plain if it.key().starts_with("web.test.") => {}
            ItemFlags::Plain => add("items", &it.name()),
            ItemFlags::Rule => add("rules", &it.name()),
            _ => {
                let rule = rule_of(it.content.ruleid);
                add("item prototypes", &format!("{rule} {}", it.name()));
            }
        }
    }
    for it in &template.triggers {
        if it.flags == ItemFlags::Prototype {
            let rule = rule_of(it.content.ruleid);
            add("trigger prototypes", &format!("{rule} {}", it.name()));
        } else {
            add("triggers", &it.name());
        }
    }
    for it in &template.graphs {
        let is_prototype = it.flags == ItemFlags::Prototype;
        add(if is_prototype { "graph prototypes" } else { "graphs" }, &it.name());
    }
    for it in &template.host_prototypes {
        let (rule, name) = (rule_of(it.content.ruleid), &it.content.name);
        add("host prototypes", &format!("{rule} {}", name.trim_end_matches(" {#A}")));
    }
    template.valuemaps.iter().for_each(|it| add("valuemaps", &it.name));
}

fn state(store: &Store) -> BTreeSet<String> {
    let snapshot = store.db.snapshot();
    let template = snapshot.template_named("T").unwrap();
    let mut found = BTreeSet::new();
    let mut add = |kind: &str, name: &str| found.extend([format!("{kind}: {name}")]);
    let is_of_files = |it: &str| it.starts_with("same v") || it == "gone" || it == "new";
    for it in snapshot.template_groups.values().filter(|it| is_of_files(&it.name)) {
        add("template_groups", &it.name);
    }
    for it in snapshot.host_groups.values().filter(|it| is_of_files(&it.name)) {
        add("host_groups", &it.name);
    }
    add("templates", &template.description);
    if snapshot.template_named("only in the second").is_some() {
        add("templates", "new");
    }
    add("hosts", &snapshot.host_named("H same").unwrap().name);
    if snapshot.host_named("H new").is_some() {
        add("hosts", "new");
    }
    for it in snapshot.documents.of("mediatype").filter(|it| it.text("name").starts_with('M')) {
        if is_of_files(it.text("description")) {
            add("media_types", it.text("description"));
        }
    }
    for id in &template.templates {
        let name = &*snapshot.templates.get(id).unwrap().host;
        add("links", if name == "same" { "same v1" } else { name });
    }
    for it in snapshot.documents.of("templatedashboard") {
        add("dashboards", it.text("name"));
    }
    of_template(template, add);
    found
}

fn import(store: &Store, file: File, rules: &ImportRules) {
    let text = export(file).to_string();
    store.db.import(Actor::System, &text, ImportFormat::Json, rules).unwrap();
}

/// Back to the first file; objects that no import deletes are deleted.
fn begin(store: &Store) {
    let snapshot = store.db.snapshot();
    store.edit(|e| {
        if let Some(it) = snapshot.host_named("H new") {
            e.delete(ObjectKind::Host, &[it.id.0])?;
        }
        if let Some(it) = snapshot.template_named("only in the second") {
            e.delete(ObjectKind::Template, &[it.id.0])?;
        }
        if let Some((id, _)) = snapshot.host_groups.iter().find(|(_, it)| it.name == "new") {
            e.delete(ObjectKind::HostGroup, &[id.0])?;
        }
        if let Some((id, _)) = snapshot.template_groups.iter().find(|(_, it)| it.name == "new") {
            e.delete(ObjectKind::TemplateGroup, &[id.0])?;
        }
        let mut media_types = snapshot.documents.of("mediatype");
        if let Some(it) = media_types.find(|it| it.text("name") == "M3") {
            e.delete(MEDIATYPE.kind(), &[it.id])?;
        }
        Ok(())
    });
    import(store, File::First, &ImportRules::ALL);
}

fn rule(bits: u32) -> ImportRule {
    ImportRule { create: bits & 1 != 0, update: bits & 2 != 0, delete_missing: bits & 4 != 0 }
}

fn check(store: &Store, rules: &[ImportRule; 13]) {
    begin(store);
    assert_eq!(state(store), expected(&[ImportRule::default(); 13]), "the first file");
    import(store, File::Second, &with_rules(rules));
    let (found, expected) = (state(store), expected(rules));
    let wrong: Vec<&String> = found.symmetric_difference(&expected).collect();
    let named: Vec<_> = KINDS.iter().map(|it| it.0).zip(rules).collect();
    assert!(wrong.is_empty(), "{wrong:?} with {named:#?}");
}

#[test]
fn each_combination_does_to_each_kind_what_its_rule_says() {
    on_both(|store| {
        for at in 0..KINDS.len() {
            for bits in 0..8 {
                let mut rules = [ImportRule::default(); 13];
                rules[at] = rule(bits);
                check(store, &rules);
            }
        }
    });
}

#[test]
fn drawn_rules_of_all_kinds_do_not_disturb_each_other() {
    on_both(|store| {
        let mut seed = 20_261_129_u64;
        for _ in 0..24 {
            let rules = [(); 13].map(|()| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                rule(u32::try_from(seed >> 61).unwrap())
            });
            check(store, &rules);
        }
    });
}
