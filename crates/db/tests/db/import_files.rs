//! Real-world files: missing fields, references and notations.

use db::{
    Actor, ConfigError, ExportOptions, ImportFormat, ImportRule, ImportRules, ObjectKind, export,
    write,
};
use serde_json::{Value as Json, json};

use crate::common::{NOW, Store, on_both};

fn import_by(store: &Store, text: &str, rules: &ImportRules) -> Result<(), ConfigError> {
    store.db.import(Actor::System, text, ImportFormat::guess(text), rules).map(|_report| ())
}

fn import(store: &Store, text: &str) {
    import_by(store, text, &ImportRules::ALL).unwrap();
}

fn file(version: &str, template: Json) -> Json {
    let mut template = template;
    template["groups"] = json!([{"name": "Own"}]);
    json!({"zabbix_export": {
        "version": version, "template_groups": [{"name": "Own"}], "templates": [template],
    }})
}

fn exported(store: &Store, template: &str) -> String {
    let snapshot = store.db.snapshot();
    let templates = [snapshot.template_named(template).unwrap().id.0].into();
    let options = ExportOptions { templates, ..ExportOptions::default() };
    write(&export(&snapshot, &options), ImportFormat::Yaml, true)
}

const PLAIN: &str = r#"zabbix_export:
  version: 7.0
  template_groups:
    - name: Own
  templates:
    - template: 007
      name: 1e3
      description: "goes on
in a line that is not indented"
      groups:
        - name: Own
      items:
        - name: Raw
          key: 1_000
          valuemap:
            name: On
      macros:
        - macro: {$A}
          value: on
        - macro: '{$B}'
          value: y
        - macro: '{$C}'
          value: 2024-01-01
        - macro: '{$D}'
          value: ~
      valuemaps:
        - name: On
          mappings:
            - value: 0
              newvalue: Off
            - value: 1
              newvalue: On
            - newvalue: true
"#;

#[test]
fn plain_scalars_of_files_are_texts_and_come_out_again() {
    on_both(|store| {
        let text = PLAIN.replace("macro: {$A}", "macro: '{$A}'");
        import(store, &text);
        let check = || {
            let snapshot = store.db.snapshot();
            let it = snapshot.template_named("007").unwrap();
            assert_eq!(&*it.name, "1e3");
            assert_eq!(it.description, "goes on in a line that is not indented");
            assert!(it.item_by_key("1_000").is_some());
            let macros = serde_json::to_value(&it.macros).unwrap().to_string();
            for value in ["\"on\"", "\"y\"", "\"2024-01-01\""] {
                assert!(macros.contains(value), "{macros}");
            }
            let map = serde_json::to_value(&it.valuemaps[0]).unwrap();
            let names: Vec<&str> = map["mappings"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["newvalue"].as_str().unwrap())
                .collect();
            assert_eq!(names, ["Off", "On", "true"]);
            assert_eq!(map["mappings"][2]["value"], "");
        };
        check();
        let out = exported(store, "007");
        import(store, &out);
        check();
        assert_eq!(exported(store, "007"), out);
    });
}

#[test]
fn graphs_and_inventories_have_the_defaults_of_the_format() {
    on_both(|store| {
        let rule = json!({"name": "r", "key": "r", "host_prototypes": [
            {"host": "{#H}", "name": "{#H}", "group_links": [{"group": {"name": "Linux servers"}}]},
        ]});
        for version in ["6.0", "7.0", "7.4"] {
            let name = format!("T {version}");
            let mut whole = file(
                version,
                json!({
                    "template": name, "name": name, "items": [{"name": "i", "key": "i"}],
                    "discovery_rules": [rule],
                }),
            );
            if version == "6.0" {
                let export = whole["zabbix_export"].as_object_mut().unwrap();
                export.remove("template_groups");
                export.insert(
                    "groups".to_owned(),
                    json!([{"name": "Own"}, {"name": "Linux servers"}]),
                );
            }
            whole["zabbix_export"]["graphs"] =
                json!([{"name": "g", "graph_items": [{"item": {"host": name, "key": "i"}}]}]);
            import(store, &whole.to_string());
            let snapshot = store.db.snapshot();
            let it = snapshot.template_named(&name).unwrap();
            assert_eq!(it.graphs[0].content.gitems[0].color, "009600");
            assert_eq!(it.host_prototypes[0].content.inventory_mode, -1, "{version}");
            assert!(!exported(store, &name).contains("inventory_mode"));
        }
        for (version, mode) in [("7.0", 0), ("7.2", -1), ("7.4", -1)] {
            let host = format!("h {version}");
            let whole = json!({"zabbix_export": {"version": version, "hosts": [
                {"host": host, "groups": [{"name": "Linux servers"}]}]}});
            import(store, &whole.to_string());
            let snapshot = store.db.snapshot();
            assert_eq!(snapshot.host_named(&host).unwrap().inventory_mode.code(), mode);
        }
    });
}

fn with_prototypes(text: &str) -> Json {
    let prototype = |name: &str, text: &str| {
        json!({"host": "{#H}", "name": format!("{text} {{#H}} {name}"),
               "group_links": [{"group": {"name": "Linux servers"}}]})
    };
    file(
        "7.0",
        json!({"template": "T", "name": "T", "discovery_rules": [
            {"name": "one", "key": "one", "host_prototypes": [prototype("one", text)]},
            {"name": "two", "key": "two", "host_prototypes": [prototype("two", text)]},
        ]}),
    )
}

#[test]
fn host_prototypes_are_known_by_name_in_their_rule() {
    on_both(|store| {
        import(store, &with_prototypes("a").to_string());
        let names = || {
            let snapshot = store.db.snapshot();
            let rows = &snapshot.template_named("T").unwrap().host_prototypes;
            rows.iter().map(|it| (it.id, it.content.name.clone())).collect::<Vec<_>>()
        };
        let first = names();
        assert_eq!(first.iter().map(|it| &*it.1).collect::<Vec<_>>(), ["a {#H} one", "a {#H} two"]);
        import(store, &with_prototypes("b").to_string());
        let second = names();
        assert_eq!(
            second.iter().map(|it| &*it.1).collect::<Vec<_>>(),
            ["b {#H} one", "b {#H} two"]
        );
        assert!(first.iter().zip(&second).all(|(one, two)| one.0 == two.0));
        let out = exported(store, "T");
        import(store, &out);
        assert_eq!(names(), second);
        assert_eq!(exported(store, "T"), out);
    });
}

#[test]
fn dependencies_name_inherited_triggers_by_their_holder() {
    on_both(|store| {
        let base = json!({"template": "Base", "name": "Base", "groups": [{"name": "Own"}], "items": [
            {"name": "p", "key": "p", "triggers": [
                {"name": "No ping", "expression": "max(/Base/p,#3)=0"}]}]});
        let on_inherited = json!([{"name": "No ping", "expression": "max(/Top/p,#3)=0"}]);
        let top = json!({
            "template": "Top", "name": "Top", "templates": [{"name": "Base"}],
            "items": [{"name": "i", "key": "i", "triggers": [
                {"name": "Own one", "expression": "last(/Top/i)=0", "dependencies": on_inherited}]}],
            "discovery_rules": [{"name": "r", "key": "r", "item_prototypes": [
                {"name": "i[{#A}]", "key": "i[{#A}]", "trigger_prototypes": [
                    {"name": "Found {#A}", "expression": "last(/Top/i[{#A}])=0",
                     "dependencies": on_inherited}]}]}],
        });
        let mut whole = file("7.0", top);
        whole["zabbix_export"]["templates"].as_array_mut().unwrap().push(base);
        import(store, &whole.to_string());
        let check = || {
            let snapshot = store.db.snapshot();
            let top = snapshot.template_named("Top").unwrap().id;
            let inherited = store.by_name(top, "No ping");
            assert!(inherited.source.is_some());
            for name in ["Own one", "Found {#A}"] {
                assert_eq!(store.by_name(top, name).content.dependencies, [inherited.id]);
            }
        };
        check();
        let out = exported(store, "Top");
        assert!(out.contains("max(/Top/p,#3)=0"), "{out}");
        import(store, &out);
        check();
        assert_eq!(exported(store, "Top"), out);
    });
}

#[test]
fn template_objects_follow_import_rules_and_keep_uuids() {
    on_both(|store| {
        let uuid = |n: u32| format!("a000000000004000a0000000000000{n:02}");
        let first = file(
            "7.0",
            json!({"template": "T", "name": "T", "uuid": uuid(1), "items": [
            {"name": "gone", "key": "gone"}, {"name": "k", "key": "k", "uuid": uuid(2)}]}),
        );
        import(store, &first.to_string());
        let next = file(
            "7.0",
            json!({"template": "T", "name": "Other", "items": [
            {"name": "new name", "key": "k"}, {"name": "new", "key": "new"}]}),
        );
        let keep = ImportRule { create: false, update: false, delete_missing: false };
        let rules = ImportRules { templates: keep, ..ImportRules::ALL };
        let state = || {
            let snapshot = store.db.snapshot();
            let it = snapshot.template_named("T").unwrap();
            let mut items: Vec<String> =
                it.items.iter().map(|it| format!("{} {}", it.key(), it.name())).collect();
            items.sort();
            (it.name.to_string(), items.join(", "), it.uuid.clone())
        };
        let delete = ImportRule { delete_missing: true, ..keep };
        import_by(store, &next.to_string(), &ImportRules { items: delete, ..rules }).unwrap();
        assert_eq!(state(), ("T".to_owned(), "k k".to_owned(), uuid(1)));
        import_by(store, &next.to_string(), &rules).unwrap();
        assert_eq!(state(), ("T".to_owned(), "k new name, new new".to_owned(), uuid(1)));
        import(store, &next.to_string());
        assert_eq!((state().0, state().2), ("Other".to_owned(), uuid(1)));
        let snapshot = store.db.snapshot();
        let it = snapshot.template_named("T").unwrap();
        assert_eq!(it.item_by_key("k").unwrap().content.uuid, uuid(2));
    });
}

#[test]
fn shifts_without_a_unit_come_in_as_they_are_written() {
    on_both(|store| {
        let whole = file(
            "6.4",
            json!({"template": "T", "name": "T", "items": [
            {"name": "i", "key": "i", "triggers": [
                {"name": "t", "expression": "last(/T/i,#1:now-0)<>last(/T/i,#2:now-60)"}]}]}),
        );
        import(store, &whole.to_string());
        assert!(exported(store, "T").contains("last(/T/i,#1:now-0)"));
    });
}

#[test]
fn parameters_of_scripts_keep_their_order() {
    on_both(|store| {
        let whole = file(
            "7.0",
            json!({"template": "T", "name": "T", "items": [
            {"name": "i", "key": "i", "type": "SCRIPT", "params": "return 1", "parameters": [
                {"name": "z", "value": "1"}, {"name": "a", "value": "2"}]}]}),
        );
        import(store, &whole.to_string());
        let out = exported(store, "T");
        assert!(out.find("name: z") < out.find("name: a\n"), "{out}");
    });
}

/// One of everything that has a uuid, named by it.
fn with_uuids(uuid: &dyn Fn(u32) -> String, name: &str) -> Json {
    let graph = |n: u32, key: &str| {
        json!({"uuid": uuid(n), "name": format!("{name} {n} {{#A}}"),
               "graph_items": [{"item": {"host": "T", "key": key}}]})
    };
    let trigger = |n: u32, key: &str| json!({"uuid": uuid(n), "name": format!("{name} {n} {{#A}}"), "expression": format!("last(/T/{key})=0")});
    let template = json!({
        "uuid": uuid(2), "template": "T", "name": name, "groups": [{"name": format!("{name} group")}],
        "items": [{"uuid": uuid(3), "name": name, "key": "i", "triggers": [trigger(4, "i")]}],
        "discovery_rules": [{"uuid": uuid(5), "name": name, "key": "r",
            "item_prototypes": [{"uuid": uuid(6), "name": name, "key": "p[{#A}]",
                "trigger_prototypes": [trigger(7, "p[{#A}]")]}],
            "graph_prototypes": [graph(8, "p[{#A}]")],
            "host_prototypes": [{"uuid": uuid(9), "host": format!("{name} {{#A}}"),
                "group_links": [{"group": {"name": format!("{name} hosts")}}]}]}],
        "httptests": [{"uuid": uuid(10), "name": name, "steps": [{"name": "s", "url": "http://localhost"}]}],
        "dashboards": [{"uuid": uuid(11), "name": name, "pages": [{}]}],
        "valuemaps": [{"uuid": uuid(12), "name": name, "mappings": [{"value": "1", "newvalue": "x"}]}],
    });
    json!({"zabbix_export": {
        "version": "7.0",
        "template_groups": [{"uuid": uuid(1), "name": format!("{name} group")}],
        "host_groups": [{"uuid": uuid(13), "name": format!("{name} hosts")}],
        "templates": [template], "graphs": [graph(14, "i")],
    }})
}

#[test]
fn uuids_of_every_kind_stay_and_say_what_is_the_same() {
    on_both(|store| {
        let lower = |n: u32| format!("abcdef00000040008000000000000{n:03}");
        let n_uuids = |text: &str| (1..=14).filter(|n| text.contains(&lower(*n))).count();
        import(store, &with_uuids(&lower, "first").to_string());
        let first = exported(store, "T");
        assert_eq!(n_uuids(&first), 14, "{first}");
        // All names are others, and uuids in capitals are the same uuids.
        let upper = |n: u32| lower(n).to_uppercase();
        import(store, &with_uuids(&upper, "second").to_string());
        let second = exported(store, "T");
        assert_eq!(n_uuids(&second), 14, "{second}");
        assert_eq!(second, first.replace("first", "second"));
        import(store, &second);
        assert_eq!(exported(store, "T"), second);
    });
}

/// Names, keys and the like are the same where every letter is: names that differ in case are
/// different objects.
#[test]
fn names_that_differ_in_case_are_different_objects() {
    let good = json!({"zabbix_export": {
        "version": "7.0",
        "template_groups": [{"name": "Own"}, {"name": "oWN"}],
        "templates": [
            {"template": "Base", "name": "Base", "groups": [{"name": "Own"}]},
            {"template": "bASE", "name": "bASE", "groups": [{"name": "oWN"}]},
            {"template": "T", "name": "T", "groups": [{"name": "Own"}],
             "templates": [{"name": "Base"}],
             "items": [
                {"name": "i", "key": "raw[A]", "type": "TRAP", "delay": "0",
                 "valuemap": {"name": "Map"}},
                {"name": "i", "key": "raw[a]", "type": "TRAP", "delay": "0"},
                {"name": "j", "key": "part", "type": "DEPENDENT", "delay": "0",
                 "master_item": {"key": "raw[A]"}}],
             "dashboards": [{"name": "D", "pages": [{"widgets": [{"type": "graph", "width": "10",
                "height": "5", "fields": [{"type": "GRAPH", "name": "graphid.0",
                    "value": {"name": "Graph", "host": "T"}}]}]}]},
                {"name": "d", "pages": [{}]}],
             "valuemaps": [{"name": "Map", "mappings": [{"value": "1", "newvalue": "x"}]}]},
        ],
        "triggers": [
            {"name": "High", "expression": "last(/T/raw[A])=1",
             "dependencies": [{"name": "Low", "expression": "last(/T/raw[A])=0"}]},
            {"name": "Low", "expression": "last(/T/raw[A])=0"},
            {"name": "low", "expression": "last(/T/raw[A])=0"}],
        "graphs": [{"name": "Graph", "graph_items": [{"color": "00AA00",
                "item": {"host": "T", "key": "raw[A]"}}]},
            {"name": "graph", "graph_items": [{"color": "00AA00",
                "item": {"host": "T", "key": "raw[a]"}}]}],
    }});
    on_both(|store| {
        for (place, other) in [
            ("/templates/2/groups/0/name", "OWN"),
            ("/templates/2/templates/0/name", "base"),
            ("/templates/2/items/0/valuemap/name", "map"),
            ("/templates/2/items/2/master_item/key", "RAW[A]"),
            ("/templates/2/dashboards/0/pages/0/widgets/0/fields/0/value/name", "GRAPH"),
            ("/templates/2/dashboards/0/pages/0/widgets/0/fields/0/value/host", "t"),
            ("/triggers/0/expression", "last(/T/RAW[A])=1"),
            ("/triggers/0/expression", "last(/t/raw[A])=1"),
            ("/triggers/0/dependencies/0/name", "LOW"),
            ("/graphs/0/graph_items/0/item/key", "Raw[A]"),
            ("/graphs/0/graph_items/0/item/host", "t"),
        ] {
            let mut file = good.clone();
            let named = file["zabbix_export"].pointer_mut(place).unwrap();
            *named = other.into();
            let refused = import_by(store, &file.to_string(), &ImportRules::ALL);
            assert!(refused.is_err(), "{place}: {other}");
            assert!(store.db.snapshot().template_named("T").is_none(), "{place}: half is done");
        }
        import(store, &good.to_string());
        let text = exported(store, "T");
        import(store, &text);
        assert_eq!(exported(store, "T"), text);
        let snapshot = store.db.snapshot();
        let it = snapshot.template_named("T").unwrap();
        let sizes = (it.items.len(), it.triggers.len(), it.graphs.len());
        assert_eq!(sizes, (3, 3, 2), "{text}");
        assert_eq!(snapshot.documents.of("templatedashboard").count(), 2);
        assert!(snapshot.template_named("Base").is_some_and(|it| it.host.as_ref() == "Base"));
        assert!(snapshot.template_named("bASE").is_some_and(|it| it.host.as_ref() == "bASE"));
    });
}

/// Files do not have what discovery made: it is not missing.
#[test]
fn discovered_objects_stay_on_an_imported_host() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let rule = store.create(
            ObjectKind::DiscoveryRule,
            json!({"hostid": host.to_string(), "name": "R", "key_": "r", "type": "2"}),
        );
        let item = store.create(
            ObjectKind::ItemPrototype,
            json!({"ruleid": rule.to_string(), "name": "{#N}", "key_": "k[{#N}]", "type": "2",
                "value_type": "3"}),
        );
        store.create(
            ObjectKind::TriggerPrototype,
            json!({"description": "{#N} is high", "expression": "last(/h/k[{#N}])>1"}),
        );
        store.create(
            ObjectKind::GraphPrototype,
            json!({"name": "{#N}", "width": "900", "height": "200",
                "gitems": [{"itemid": item.to_string(), "color": "00AA00"}]}),
        );
        store.db.apply_lld(model::ItemId(rule), r#"[{"{#N}": "a"}]"#, NOW).unwrap();
        let rows = || {
            let it = store.holder(host);
            let items: Vec<u64> = it.items.iter().map(|it| it.id.0).collect();
            let triggers: Vec<u64> = it.triggers.iter().map(|it| it.id.0).collect();
            let graphs: Vec<u64> = it.graphs.iter().map(|it| it.id.0).collect();
            [items, triggers, graphs]
        };
        let before = rows();
        assert_eq!(before.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 2]);
        let snapshot = store.db.snapshot();
        let options = ExportOptions { hosts: [host.0].into(), ..ExportOptions::default() };
        import(store, &write(&export(&snapshot, &options), ImportFormat::Yaml, true));
        assert_eq!(rows(), before);
    });
}
