//! The contract of nested discovery: rules made by rules, and their objects.

use db::{Actor, ExportOptions, ImportFormat, ImportRules, LldReport, ObjectKind, export, write};
use model::content::{ItemFlags, ItemStatus};
use model::snapshot::ItemRow;
use model::{HostId, ItemId};
use serde_json::{Value as Json, json};

use crate::common::{LINUX_SERVERS, NOW, Store, fields, on_both};

struct Scene {
    /// Where it is written: the host itself or a template that it links.
    of: HostId,
    host: HostId,
    rule: ItemId,
}

/// Databases that have tablespaces that have tables.
fn scene(store: &Store, on_template: bool) -> Scene {
    let (of, name) =
        if on_template { (store.template("T", &[]), "T") } else { (store.host("h", &[]), "h") };
    let path = |name: &str, path: &str| json!([{"lld_macro": name, "path": path}]);
    let id = of.to_string();
    let rule = store.create(
        ObjectKind::DiscoveryRule,
        json!({"hostid": id, "name": "Databases", "key_": "db", "type": "2",
            "lld_macro_paths": path("{#DB}", "$.database")}),
    );
    let spaces = store.create(
        ObjectKind::DiscoveryRulePrototype,
        json!({"hostid": id, "ruleid": rule.to_string(), "name": "Tablespaces of {#DB}",
            "key_": "ts[{#DB}]", "type": "23", "lld_macro_paths": path("{#TS}", "$.name"),
            "filter": {"evaltype": "0", "formula": "", "conditions": [
                {"macro": "{#TS}", "value": "^{#DB}-tmp$", "operator": "9", "formulaid": "A"}]}}),
    );
    let size = store.create(
        ObjectKind::ItemPrototype,
        json!({"ruleid": spaces.to_string(), "name": "Size of {#TS} of {#DB}",
            "key_": "size[{#DB},{#TS}]", "type": "2", "value_type": "3"}),
    );
    store.create(
        ObjectKind::ItemPrototype,
        json!({"ruleid": spaces.to_string(), "name": "Half of {#TS}", "key_": "half[{#DB},{#TS}]",
            "type": "18", "value_type": "3", "master_itemid": size.to_string()}),
    );
    store.create(
        ObjectKind::TriggerPrototype,
        json!({"description": "{#TS} of {#DB} is full",
            "expression": format!("last(/{name}/size[{{#DB}},{{#TS}}])>90")}),
    );
    let tables = store.create(
        ObjectKind::DiscoveryRulePrototype,
        json!({"hostid": id, "ruleid": spaces.to_string(), "name": "Tables of {#TS}",
            "key_": "tables[{#DB},{#TS}]", "type": "23"}),
    );
    store.create(
        ObjectKind::ItemPrototype,
        json!({"ruleid": tables.to_string(), "name": "Rows of {#TABLE}",
            "key_": "rows[{#DB},{#TS},{#TABLE}]", "type": "2", "value_type": "3"}),
    );
    let host = if on_template { store.host("h", &[of]) } else { of };
    Scene { of, host, rule: store.by_key(host, "db").id }
}

fn run(store: &Store, rule: ItemId, rows: &Json, day: i64) -> LldReport {
    store.db.apply_lld(rule, &rows.to_string(), NOW.plus_secs(day * 86_400)).unwrap()
}

fn databases(names: &[&str]) -> Json {
    names.iter().map(|it| json!({"database": it, "spaces": [it]})).collect()
}

fn spaces(names: &[&str]) -> Json {
    names.iter().map(|it| json!({"name": it})).collect()
}

/// Keys of what discovery made, rules too; those that are lost in brackets.
fn found(store: &Store, host: HostId) -> Vec<String> {
    let holder = store.holder(host);
    let of = |it: &ItemRow| Some((it.key().into_owned(), it.discovered()?.is_lost()));
    let mut found: Vec<String> = holder
        .items
        .iter()
        .filter_map(of)
        .map(|(key, is_lost)| if is_lost { format!("({key})") } else { key })
        .collect();
    found.sort();
    found
}

#[test]
fn rows_make_rules_whose_rows_make_objects_with_the_macros_of_both() {
    for on_template in [false, true] {
        on_both(|store| {
            let Scene { host, rule, .. } = scene(store, on_template);
            let report = run(store, rule, &databases(&["db1", "db2"]), 0);
            assert_eq!((report.n_created, report.error.as_str()), (2, ""));
            let made = store.by_key(host, "ts[db1]");
            assert_eq!(made.flags, ItemFlags::DiscoveredRule);
            assert_eq!(made.name(), "Tablespaces of db1");
            let text = json!({"database": "db1", "spaces": ["db1"]}).to_string();
            assert_eq!(report.nested[0], (made.id, text));
            assert_eq!(report.nested[1].0, store.by_key(host, "ts[db2]").id);

            // The filter names a macro of the row around.
            let report = run(store, made.id, &spaces(&["users", "db1-tmp", "db2-tmp"]), 0);
            assert_eq!((report.n_created, report.error.as_str()), (8, ""));
            let size = store.by_key(host, "size[db1,users]");
            assert_eq!(size.name(), "Size of users of db1");
            assert_eq!(size.discovered().unwrap().rule, made.id);
            assert!(store.has_key(host, "half[db1,db2-tmp]"));
            assert!(store.has_trigger(host, "users of db1 is full"));
            let tables = store.by_key(host, "tables[db1,users]");
            assert_eq!(report.nested[0], (tables.id, json!({"name": "users"}).to_string()));
            let report = run(store, tables.id, &json!([{"{#TABLE}": "t1"}]), 0);
            assert_eq!((report.n_created, report.error.as_str()), (1, ""));
            assert!(store.has_key(host, "rows[db1,users,t1]"));

            store.reopen();
            let epoch = store.db.snapshot().epoch;
            let again = run(store, rule, &databases(&["db1", "db2"]), 1);
            run(store, made.id, &spaces(&["users", "db1-tmp", "db2-tmp"]), 1);
            assert_eq!(store.db.snapshot().epoch, epoch, "nothing new, nothing written");
            assert_eq!(again.nested.len(), 2);
        });
    }
}

#[test]
fn a_row_of_its_own_comes_before_the_row_around() {
    on_both(|store| {
        let Scene { host, rule, .. } = scene(store, false);
        run(store, rule, &databases(&["db1"]), 0);
        let made = store.by_key(host, "ts[db1]").id;
        run(store, made, &json!([{"name": "x", "{#DB}": "own"}]), 0);
        assert!(store.has_key(host, "size[own,x]"));
    });
}

#[test]
fn objects_of_a_lost_rule_are_lost_with_it_and_come_back() {
    on_both(|store| {
        let Scene { host, rule, .. } = scene(store, true);
        run(store, rule, &databases(&["db1", "db2"]), 0);
        let second = store.by_key(host, "ts[db2]").id;
        run(store, second, &spaces(&["x"]), 0);
        let tables = store.by_key(host, "tables[db2,x]").id;
        run(store, tables, &json!([{"{#TABLE}": "t"}]), 0);
        let all =
            ["half[db2,x]", "rows[db2,x,t]", "size[db2,x]", "tables[db2,x]", "ts[db1]", "ts[db2]"];
        assert_eq!(found(store, host), all);

        let report = run(store, rule, &databases(&["db1"]), 1);
        // The rule, two items, a trigger, a rule and its item.
        assert_eq!(report.n_lost, 6);
        let lost = [
            "(half[db2,x])",
            "(rows[db2,x,t])",
            "(size[db2,x])",
            "(tables[db2,x])",
            "(ts[db2])",
            "ts[db1]",
        ];
        assert_eq!(found(store, host), lost);
        assert_eq!(store.by_key(host, "size[db2,x]").content.status, ItemStatus::Disabled);
        store.reopen();

        run(store, rule, &databases(&["db1", "db2"]), 2);
        run(store, second, &spaces(&["x"]), 2);
        run(store, tables, &json!([{"{#TABLE}": "t"}]), 2);
        assert_eq!(found(store, host), all);
        assert_eq!(store.by_key(host, "ts[db2]").id, second);
        assert_eq!(store.by_key(host, "size[db2,x]").content.status, ItemStatus::Enabled);

        run(store, rule, &databases(&["db1"]), 3);
        store.db.lld_sweep(NOW.plus_secs(11 * 86_400)).unwrap();
        assert_eq!(found(store, host), ["ts[db1]"]);
        assert!(!store.has_trigger(host, "x of db2 is full"));
    });
}

#[test]
fn a_discovered_rule_follows_its_prototype_and_lets_only_its_status_be_changed() {
    on_both(|store| {
        let Scene { of, host, rule } = scene(store, true);
        run(store, rule, &databases(&["db1"]), 0);
        let made = store.by_key(host, "ts[db1]").id;
        run(store, made, &spaces(&["x"]), 0);
        store.update(ObjectKind::DiscoveryRule, made.0, json!({"status": "1"}));
        assert_eq!(store.by_key(host, "ts[db1]").content.status, ItemStatus::Disabled);
        let error = store.refused(|e| {
            e.update(ObjectKind::DiscoveryRule, made.0, fields(json!({"lifetime": "1d"})))
        });
        assert!(error.contains("readonly parameter \"lifetime\" of discovered object"), "{error}");
        let prototype = store.by_key(of, "ts[{#DB}]").id.0;
        let change = json!({"name": "Spaces of {#DB}", "key_": "spaces[{#DB}]"});
        store.update(ObjectKind::DiscoveryRulePrototype, prototype, change);
        let renamed = store.by_key(host, "spaces[db1]");
        assert_eq!((renamed.id, &*renamed.name()), (made, "Spaces of db1"));
        assert_eq!(renamed.content.status, ItemStatus::Disabled);
        store.reopen();
        // Inherited rules are the template's to delete, together with the objects that they made.
        let own = store.by_key(host, "spaces[{#DB}]").id.0;
        let error = store.refused(|e| e.delete(ObjectKind::DiscoveryRulePrototype, &[own]));
        assert!(error.contains("cannot delete inherited LLD rule prototype"), "{error}");
        store.delete(ObjectKind::DiscoveryRulePrototype, prototype);
        assert!(found(store, host).is_empty());
        assert_eq!(store.holder(host).items.len(), 1);
        store.reopen();
    });
}

#[test]
fn overrides_pick_rules_by_name() {
    on_both(|store| {
        let Scene { host, rule, .. } = scene(store, false);
        let operation = |value: &str, more: Json| {
            let mut it = json!({"operationobject": "4", "operator": "2", "value": value});
            it.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            it
        };
        store.update(
            ObjectKind::DiscoveryRule,
            rule.0,
            json!({"overrides": [{"name": "o", "step": "1", "operations": [
                operation("db2", json!({"opdiscover": {"discover": "1"}})),
                operation("db3", json!({"opstatus": {"status": "1"}})),
            ]}]}),
        );
        run(store, rule, &databases(&["db1", "db2", "db3"]), 0);
        assert_eq!(found(store, host), ["ts[db1]", "ts[db3]"]);
        assert_eq!(store.by_key(host, "ts[db3]").content.status, ItemStatus::Disabled);
    });
}

#[test]
fn prototypes_belong_to_rules_and_have_macros_in_their_keys() {
    on_both(|store| {
        let Scene { host, rule, .. } = scene(store, false);
        let prototype = |more: Json| {
            let mut it = json!({"hostid": host.to_string(), "ruleid": rule.to_string(), "name": "n",
                "key_": "k[{#A}]", "type": "23"});
            it.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            store.refused(|e| e.create(ObjectKind::DiscoveryRulePrototype, fields(it)))
        };
        let error = prototype(json!({"key_": "k"}));
        assert!(error.contains("must contain at least one low-level discovery macro"), "{error}");
        let item = store.item(host, "plain").0.to_string();
        assert!(prototype(json!({"ruleid": item})).contains("No permissions"));
        // The master of another rule has other rows.
        let master = store.by_key(host, "size[{#DB},{#TS}]").id.to_string();
        let error = prototype(json!({"type": "18", "master_itemid": master}));
        assert!(error.contains("an item/item prototype ID is expected"), "{error}");
        run(store, rule, &databases(&["db1"]), 0);
        let made = store.by_key(host, "ts[db1]").id.to_string();
        assert!(prototype(json!({"ruleid": made})).contains("No permissions"));
    });
}

#[test]
fn only_hosts_that_discovery_made_have_nested_rules_of_their_own() {
    on_both(|store| {
        let nested = |of: HostId| json!({"hostid": of.to_string(), "name": "n", "key_": "nested", "type": "23"});
        let host = store.host("h", &[]);
        let error = store.refused(|e| e.create(ObjectKind::DiscoveryRule, fields(nested(host))));
        assert!(
            error.contains("cannot have a nested LLD rule on a non-discovered host"),
            "{error}"
        );
        let machine = store.template("Machine", &[]);
        let inner = store.create(ObjectKind::DiscoveryRule, nested(machine));
        store.create(
            ObjectKind::ItemPrototype,
            json!({"ruleid": inner.to_string(), "name": "{#DISK} of {#ID}",
                "key_": "disk[{#ID},{#DISK}]", "type": "2", "value_type": "3"}),
        );
        let error = store.refused(|e| e.link(&[host], &[machine]));
        assert_eq!(
            error,
            "The nested LLD rule with key \"nested\" of the template \"Machine\" cannot be inherited \
             to non-discovered host \"h\"."
        );
        let rule = store.create(
            ObjectKind::DiscoveryRule,
            json!({"hostid": host.to_string(), "name": "r", "key_": "r", "type": "2"}),
        );
        store.create(
            ObjectKind::HostPrototype,
            json!({"ruleid": rule.to_string(), "host": "vm {#ID}",
                "groupLinks": [{"groupid": LINUX_SERVERS}],
                "templates": [{"templateid": machine.to_string()}]}),
        );
        let rows = json!([{"{#ID}": "7", "disks": ["sda"]}]);
        for day in 0..2 {
            let report = run(store, ItemId(rule), &rows, day);
            assert_eq!(report.error, "");
            let made = store.db.snapshot().host_named("vm 7").unwrap().id;
            let own = store.by_key(made, "nested").id;
            assert_eq!(report.nested, [(own, rows[0].to_string())]);
            run(store, own, &json!([{"{#DISK}": "sda"}]), day);
            assert_eq!(store.by_key(made, "disk[7,sda]").name(), "sda of 7");
        }
        store.reopen();
    });
}

#[test]
fn a_discovered_rule_makes_hosts_that_go_with_it() {
    on_both(|store| {
        let Scene { host, rule, .. } = scene(store, false);
        let spaces_rule = store.by_key(host, "ts[{#DB}]").id;
        store.create(
            ObjectKind::HostPrototype,
            json!({"ruleid": spaces_rule.to_string(), "host": "{#DB} {#TS}",
                "groupLinks": [{"groupid": LINUX_SERVERS}],
                "groupPrototypes": [{"name": "Spaces of {#DB}"}]}),
        );
        run(store, rule, &databases(&["db1", "db2"]), 0);
        for name in ["db1", "db2"] {
            let made = store.by_key(host, &format!("ts[{name}]")).id;
            assert_eq!(run(store, made, &spaces(&["x"]), 0).error, "");
        }
        let hosts = |store: &Store| {
            let snapshot = store.db.snapshot();
            let groups = snapshot.host_groups.values().filter(|it| it.name.starts_with("Spaces"));
            (
                ["db1 x", "db2 x"].map(|it| snapshot.host_named(it).is_some()),
                groups.map(|it| it.name.clone()).collect::<Vec<_>>(),
            )
        };
        let both = vec!["Spaces of db1".to_owned(), "Spaces of db2".to_owned()];
        assert_eq!(hosts(store), ([true, true], both));
        run(store, rule, &databases(&["db1"]), 1);
        store.db.lld_sweep(NOW.plus_secs(9 * 86_400)).unwrap();
        assert_eq!(hosts(store), ([true, false], vec!["Spaces of db1".to_owned()]));
        store.reopen();
    });
}

#[test]
fn files_have_prototypes_of_rules_among_the_rules_and_come_back_the_same() {
    on_both(|store| {
        let Scene { of, host, rule } = scene(store, true);
        run(store, rule, &databases(&["db1"]), 0);
        let options =
            |id: HostId| ExportOptions { templates: [id.0].into(), ..ExportOptions::default() };
        let text = |store: &Store, id: HostId| {
            write(&export(&store.db.snapshot(), &options(id)), ImportFormat::Yaml, true)
        };
        let file = text(store, of);
        assert!(file.contains("version: '7.4'"), "{file}");
        assert_eq!(file.matches("parent_discovery_rule:").count(), 2, "{file}");
        assert_eq!(file.matches("type: NESTED").count(), 2, "{file}");
        let import = |store: &Store, file: &str| {
            store.db.import(Actor::System, file, ImportFormat::Yaml, &ImportRules::ALL).unwrap()
        };
        // The first time it brings the identities that the file was given.
        import(store, &file);
        assert!(import(store, &file).changes.is_empty());
        assert_eq!(found(store, host), ["ts[db1]"], "what was found stays");
        assert_eq!(text(store, of), file);
        store.unlink(host, &[of], true);
        store.delete(ObjectKind::Template, of.0);
        let report = import(store, &file);
        assert_eq!(report.changes["discovery_rules"].created, 1);
        assert_eq!(report.changes["discovery_prototypes"].created, 2);
        let back = store.db.snapshot().template_named("T").unwrap().id;
        assert_eq!(text(store, back), file);
        // The inner one goes with the file that has it no longer.
        let inner = store.by_key(back, "tables[{#DB},{#TS}]").id;
        store.delete(ObjectKind::DiscoveryRulePrototype, inner.0);
        let smaller = text(store, back);
        import(store, &file);
        let report = import(store, &smaller);
        assert_eq!(report.changes["discovery_prototypes"].deleted, 1);
        assert!(!store.has_key(back, "tables[{#DB},{#TS}]"));
        // A rule above that nobody knows.
        let (head, tail) = smaller.split_once("parent_discovery_rule:").unwrap();
        let tail = tail.replacen("key: db", "key: other", 1);
        let broken = format!("{head}parent_discovery_rule:{tail}");
        let error = store.refused(|e| {
            db::ImportFile::read(&broken, ImportFormat::Yaml)?.apply(e, &ImportRules::ALL)
        });
        assert!(error.contains("discovery rule \"other\" does not exist"), "{error}");
    });
}
