//! The contract of low-level discovery.

use crate::common::{NOW, Store, fields, on_both};
use db::{LldReport, ObjectKind};
use model::content::{ItemFlags, ItemStatus, TriggerStatus};
use model::{HostId, ItemId};
use serde_json::{Value as Json, json};
use std::sync::Arc;

struct Scene {
    host: HostId,
    rule: ItemId,
    prototype: u64,
    trigger: u64,
}

/// A host with a rule, an item prototype, a dependent one and a trigger prototype; `on` is where
/// they are written: the host itself or a template that it links.
fn scene(store: &Store, on_template: bool, rule: Json) -> Scene {
    let (of, name) =
        if on_template { (store.template("T", &[]), "T") } else { (store.host("h", &[]), "h") };
    let mut request = json!({
        "hostid": of.to_string(), "name": "Discovery", "key_": "fs.discovery", "type": "2",
        "lifetime_type": "0", "lifetime": "7d", "enabled_lifetime_type": "0", "enabled_lifetime": "1d",
    });
    for (name, value) in rule.as_object().unwrap() {
        request[name] = value.clone();
    }
    let rule = store.create(ObjectKind::DiscoveryRule, request);
    let prototype = store.create(
        ObjectKind::ItemPrototype,
        json!({
            "ruleid": rule.to_string(), "name": "Size of {#FS} ({#TYPE})", "key_": "size[{#FS}]",
            "type": "2", "value_type": "3",
        }),
    );
    store.create(
        ObjectKind::ItemPrototype,
        json!({
            "ruleid": rule.to_string(), "name": "Half of {#FS}", "key_": "half[{#FS}]", "type": "18",
            "master_itemid": prototype.to_string(), "value_type": "3",
        }),
    );
    let trigger = store.create(
        ObjectKind::TriggerPrototype,
        json!({
            "description": "{#FS} is full ({#TYPE})",
            "expression": format!("last(/{name}/size[{{#FS}}])>90 and last(/{name}/half[{{#FS}}])>45"),
        }),
    );
    let host = if on_template { store.host("h", &[of]) } else { of };
    let rule = store.by_key(host, "fs.discovery").id;
    let prototype = store.by_key(host, "size[{#FS}]").id.0;
    let trigger = if on_template { store.holder(host).triggers[0].id.0 } else { trigger };
    Scene { host, rule, prototype, trigger }
}

fn rows(list: &[(&str, &str)]) -> String {
    let rows: Vec<Json> =
        list.iter().map(|(fs, kind)| json!({"{#FS}": fs, "{#TYPE}": kind})).collect();
    json!(rows).to_string()
}

fn run(store: &Store, scene: &Scene, list: &[(&str, &str)], day: i64) -> LldReport {
    store.db.apply_lld(scene.rule, &rows(list), NOW.plus_secs(day * 86_400)).unwrap()
}

fn discovered_keys(store: &Store, host: HostId) -> Vec<String> {
    let holder = store.holder(host);
    let found = holder.items.iter().filter(|it| it.flags == ItemFlags::Discovered);
    found.map(|it| it.key().into_owned()).collect()
}

#[test]
fn rows_make_items_and_triggers_that_use_each_other() {
    for on_template in [false, true] {
        on_both(|store| {
            let scene = scene(store, on_template, json!({}));
            let report = run(store, &scene, &[("/", "ext4"), ("/a b", "xfs")], 0);
            assert_eq!((report.n_created, report.error.as_str()), (6, ""));
            assert_eq!(
                discovered_keys(store, scene.host),
                ["size[/]", "size[/a b]", "half[/]", "half[/a b]"]
            );
            let row = store.by_key(scene.host, "size[/]");
            assert_eq!(row.name(), "Size of / (ext4)");
            let prototype = store.by_key(scene.host, "size[{#FS}]");
            assert!(Arc::ptr_eq(&row.content, &prototype.content));
            let snapshot = store.db.snapshot();
            let holder = store.holder(scene.host);
            let trigger = store.by_name(scene.host, "/a b is full (xfs)");
            let used: Vec<String> = trigger
                .content
                .functions
                .iter()
                .map(|it| {
                    snapshot
                        .item_meant(&holder, it.item, trigger.discovered())
                        .unwrap()
                        .1
                        .key()
                        .into_owned()
                })
                .collect();
            assert_eq!(used, ["size[/a b]", "half[/a b]"]);
            let half = store.by_key(scene.host, "half[/]");
            let master =
                snapshot.item_meant(&holder, half.content.master_itemid, half.discovered());
            assert_eq!(master.unwrap().1.key(), "size[/]");
        });
    }
}

#[test]
fn times_in_names_and_keys_are_in_the_zone_of_the_server() {
    on_both(|store| {
        store.settings.zone = jiff::tz::TimeZone::get("Asia/Tokyo").unwrap();
        store.reopen();
        let scene = scene(store, false, json!({}));
        store.create(
            ObjectKind::ItemPrototype,
            json!({
                "ruleid": scene.rule.to_string(), "name": "Since {{#FS}.fmttime(%H:%M)}",
                "key_": "since[{{#FS}.fmttime(%H)}]", "type": "2", "value_type": "3",
            }),
        );
        run(store, &scene, &[("1700000000", "")], 0);
        assert_eq!(store.by_key(scene.host, "since[07]").name(), "Since 07:13");
    });
}

#[test]
fn a_run_that_brings_nothing_new_makes_no_epoch() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4"), ("/b", "xfs")], 0);
        store.reopen();
        let before = store.db.snapshot();
        let report = run(store, &scene, &[("/b", "xfs"), ("/", "ext4")], 1);
        assert_eq!(report, LldReport::default());
        assert!(Arc::ptr_eq(&before, &store.db.snapshot()));
    });
}

#[test]
fn other_macro_values_do_not_change_identity() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4")], 0);
        let (item, trigger) = (
            store.by_key(scene.host, "size[/]").id,
            store.by_name(scene.host, "/ is full (ext4)").id,
        );
        store.reopen();
        let report = run(store, &scene, &[("/", "btrfs")], 1);
        assert_eq!((report.n_created, report.n_updated, report.n_lost), (0, 3, 0));
        let row = store.by_key(scene.host, "size[/]");
        assert_eq!((row.id, &*row.name()), (item, "Size of / (btrfs)"));
        assert_eq!(store.by_name(scene.host, "/ is full (btrfs)").id, trigger);
    });
}

#[test]
fn lost_objects_are_disabled_then_deleted_and_come_back_when_found_again() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4"), ("/b", "ext4")], 0);
        let id = store.by_key(scene.host, "size[/b]").id;
        let report = run(store, &scene, &[("/", "ext4")], 1);
        assert_eq!(report.n_lost, 3);
        let lost = store.by_key(scene.host, "size[/b]");
        let day = 86_400;
        let state = lost.discovered().unwrap();
        let state = state.lost();
        assert_eq!(state.since, NOW.clock() + day);
        assert_eq!(state.delete_at, NOW.clock() + 8 * day);
        assert_eq!(state.disable_at, NOW.clock() + 2 * day);
        assert_eq!(lost.content.status, ItemStatus::Enabled);
        store.reopen();
        let report = store.db.lld_sweep(NOW.plus_secs(2 * day)).unwrap();
        assert_eq!((report.n_disabled, report.n_deleted), (3, 0));
        assert_eq!(store.by_key(scene.host, "size[/b]").content.status, ItemStatus::Disabled);
        store.reopen();
        // Found again: enabled, as if nothing had been.
        run(store, &scene, &[("/", "ext4"), ("/b", "ext4")], 3);
        let back = store.by_key(scene.host, "size[/b]");
        assert_eq!((back.id, back.content.status), (id, ItemStatus::Enabled));
        assert!(!back.discovered().unwrap().is_lost());
        assert_eq!(
            store.by_name(scene.host, "/b is full (ext4)").content.status,
            TriggerStatus::Enabled
        );
        // Lost for good.
        run(store, &scene, &[("/", "ext4")], 4);
        let report = store.db.lld_sweep(NOW.plus_secs(11 * day)).unwrap();
        assert_eq!(report.n_deleted, 3);
        assert_eq!(discovered_keys(store, scene.host), ["size[/]", "half[/]"]);
        assert!(!store.has_trigger(scene.host, "/b is full (ext4)"));
    });
}

#[test]
fn objects_disabled_by_users_stay_disabled_when_found_again() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4")], 0);
        let id = store.by_key(scene.host, "size[/]").id.0;
        store.update(ObjectKind::Item, id, json!({"status": "1"}));
        run(store, &scene, &[], 1);
        store.db.lld_sweep(NOW.plus_secs(3 * 86_400)).unwrap();
        run(store, &scene, &[("/", "ext4")], 4);
        assert_eq!(store.by_key(scene.host, "size[/]").content.status, ItemStatus::Disabled);
        assert_eq!(store.by_key(scene.host, "half[/]").content.status, ItemStatus::Enabled);
    });
}

#[test]
fn a_lifetime_that_is_no_period_deletes_nothing() {
    on_both(|store| {
        let scene = scene(store, false, json!({}));
        for (day, period) in (0..).step_by(100).zip(["-1d", "soon", "15000000000000w"]) {
            let periods = json!({"lifetime": period, "enabled_lifetime": period});
            store.update(ObjectKind::DiscoveryRule, scene.rule.0, periods);
            run(store, &scene, &[("/", "ext4")], day);
            run(store, &scene, &[], day + 1);
            let report = store.db.lld_sweep(NOW.plus_secs((day + 90) * 86_400)).unwrap();
            assert_eq!((report.n_disabled, report.n_deleted), (0, 0), "{period}");
            assert_eq!(discovered_keys(store, scene.host), ["size[/]", "half[/]"], "{period}");
        }
    });
}

#[test]
fn an_empty_array_loses_everything_and_broken_text_nothing() {
    on_both(|store| {
        let at_once = json!({"lifetime_type": "2"});
        let scene = scene(store, true, at_once);
        run(store, &scene, &[("/", "ext4")], 0);
        let before = store.db.snapshot();
        for text in ["", "{", "null", "{\"data\": 1}", "nonsense"] {
            let report = store.db.apply_lld(scene.rule, text, NOW).unwrap();
            assert!(!report.error.is_empty(), "{text}");
        }
        assert!(Arc::ptr_eq(&before, &store.db.snapshot()));
        let report = run(store, &scene, &[], 1);
        assert_eq!(report.n_deleted, 3);
        assert!(discovered_keys(store, scene.host).is_empty());
    });
}

#[test]
fn two_rows_with_one_key_make_one_item_and_an_error() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        let report = run(store, &scene, &[("/", "ext4"), ("/", "xfs")], 0);
        assert!(
            report.error.contains("\"size[/]\": item with the same key already exists"),
            "{}",
            report.error
        );
        assert_eq!(discovered_keys(store, scene.host), ["size[/]", "half[/]"]);
        // A key that the host has already is not taken over.
        store.item(scene.host, "size[/c]");
        let report = run(store, &scene, &[("/", "ext4"), ("/c", "ext4")], 1);
        assert!(report.error.contains("\"size[/c]\""), "{}", report.error);
        assert_eq!(store.by_key(scene.host, "size[/c]").flags, ItemFlags::Plain);
        assert!(!store.has_trigger(scene.host, "/c is full (ext4)"));
    });
}

#[test]
fn a_filter_that_needs_a_missing_macro_says_so_and_keeps_the_other_rows() {
    on_both(|store| {
        let filter = json!({"filter": {"evaltype": "0", "formula": "", "conditions": [
            {"macro": "{#TYPE}", "value": "^tmp", "operator": "9", "formulaid": "A"},
        ]}});
        let scene = scene(store, false, filter);
        let text = json!([{"{#FS}": "/", "{#TYPE}": "ext4"}, {"{#FS}": "/a"}, {"{#FS}": "/b"}]);
        let report = store.db.apply_lld(scene.rule, &text.to_string(), NOW).unwrap();
        let message = "Cannot evaluate expression: \"Cannot accurately apply filter: no value received \
                    for macro \"{#TYPE}\".\n\".";
        assert_eq!(report.error, [message, message].concat());
        assert_eq!(discovered_keys(store, scene.host), ["size[/]", "half[/]"]);
    });
}

#[test]
fn the_filter_keeps_rows_by_formula_and_user_macro() {
    on_both(|store| {
        let filter = json!({"filter": {
            "evaltype": "3", "formula": "A and not B",
            "conditions": [
                {"macro": "{#TYPE}", "value": "{$FS.TYPES}", "operator": "8", "formulaid": "A"},
                {"macro": "{#FS}", "value": "^/tmp", "operator": "8", "formulaid": "B"},
            ],
        }});
        let scene = scene(store, true, filter);
        let request = json!({
            "hostid": scene.host.to_string(), "macro": "{$FS.TYPES}", "value": "^(ext4|xfs)$"
        });
        store.create(ObjectKind::HostMacro, request);
        run(
            store,
            &scene,
            &[("/", "ext4"), ("/proc", "proc"), ("/tmp/x", "xfs"), ("/d", "xfs")],
            0,
        );
        assert_eq!(
            discovered_keys(store, scene.host),
            ["size[/]", "size[/d]", "half[/]", "half[/d]"]
        );
    });
}

#[test]
fn macro_paths_take_values_out_of_rows() {
    on_both(|store| {
        let paths = json!({"lld_macro_paths": [
            {"lld_macro": "{#FS}", "path": "$.mount"}, {"lld_macro": "{#TYPE}", "path": "$.info.type"}
        ]});
        let scene = scene(store, false, paths);
        let text = json!({"data": [{"mount": "/", "info": {"type": "ext4"}}]}).to_string();
        let report = store.db.apply_lld(scene.rule, &text, NOW).unwrap();
        assert_eq!(report.n_created, 3);
        assert!(store.has_trigger(scene.host, "/ is full (ext4)"));
    });
}

#[test]
fn keys_and_names_that_are_more_than_the_values_in_their_places_are_kept() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        let source = store.by_key(scene.host, "size[{#FS}]").source.0;
        let request = json!({"name": "Size of {{#FS}.regsub(\"([a-z]+)\", \"\\1\")} {#NONE}"});
        store.update(ObjectKind::ItemPrototype, source, request);
        // The value has to be quoted in the key; the name has a macro with a function.
        run(store, &scene, &[("/a,b]", "ext4")], 0);
        let row = store.by_key(scene.host, "size[\"/a,b]\"]");
        assert_eq!(row.name(), "Size of a {#NONE}");
        store.reopen();
        let before = store.db.snapshot();
        assert_eq!(run(store, &scene, &[("/a,b]", "ext4")], 0), LldReport::default());
        assert!(Arc::ptr_eq(&before, &store.db.snapshot()), "nothing new, no epoch");
        let again = store.by_key(scene.host, "size[\"/a,b]\"]");
        assert_eq!((again.id, again.name()), (row.id, row.name()));
        // Another key that is taken already: the old one stays, whatever the prototype says now.
        store.create(
            ObjectKind::Item,
            json!({"hostid": scene.host.to_string(), "name": "", "key_": "total[\"/a,b]\"]",
                "type": "2", "value_type": "3"}),
        );
        let request = json!({"key_": "total[{#FS}]", "name": "Total of {#FS}"});
        store.update(ObjectKind::ItemPrototype, source, request);
        let kept = store.by_key(scene.host, "size[\"/a,b]\"]");
        assert_eq!((kept.id, &*kept.name()), (row.id, "Total of /a,b]"));
        store.reopen();
    });
}

#[test]
fn lost_objects_keep_their_name_when_the_row_changes() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4"), ("/b", "xfs"), ("/c", "xfs")], 0);
        store.update(ObjectKind::TriggerPrototype, scene.trigger, json!({"discover": "1"}));
        run(store, &scene, &[("/", "btrfs")], 1);
        let holder = store.holder(scene.host);
        let lost = |it: &&model::snapshot::TriggerRow| it.discovered().is_some();
        let names: Vec<_> = holder.triggers.iter().filter(lost).map(|it| it.name()).collect();
        assert_eq!(names, ["/ is full (ext4)", "/b is full (xfs)", "/c is full (xfs)"]);
        store.reopen();
        assert_eq!(store.by_key(scene.host, "size[/]").name(), "Size of / (btrfs)");
    });
}

#[test]
fn a_prototypes_new_key_and_name_rename_what_it_made() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4")], 0);
        let id = store.by_key(scene.host, "size[/]").id;
        let source = store.by_key(scene.host, "size[{#FS}]").source.0;
        let request =
            json!({"key_": "vfs.size[{#FS},total]", "name": "Total of {#FS}", "status": "1"});
        store.update(ObjectKind::ItemPrototype, source, request);
        let row = store.by_key(scene.host, "vfs.size[/,total]");
        assert_eq!((row.id, &*row.name()), (id, "Total of /"));
        // The prototype's status counts at creation only.
        assert_eq!(row.content.status, ItemStatus::Enabled);
        store.reopen();
        run(store, &scene, &[("/", "ext4"), ("/b", "ext4")], 1);
        assert_eq!(store.by_key(scene.host, "vfs.size[/,total]").id, id);
        let new = store.by_key(scene.host, "vfs.size[/b,total]");
        assert_eq!(new.content.status, ItemStatus::Disabled);
    });
}

#[test]
fn only_the_status_of_discovered_objects_is_the_users() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4")], 0);
        let id = store.by_key(scene.host, "size[/]").id.0;
        let text =
            store.refused(|e| e.update(ObjectKind::Item, id, fields(json!({"delay": "9m"}))));
        assert_eq!(
            text,
            "Invalid parameter \"/1\": cannot update readonly parameter \"delay\" of discovered object."
        );
        let trigger = store.by_name(scene.host, "/ is full (ext4)").id.0;
        store.update(ObjectKind::Trigger, trigger, json!({"status": "1"}));
        let row = store.by_name(scene.host, "/ is full (ext4)");
        assert_eq!(row.content.status, TriggerStatus::Disabled);
        let text = store
            .refused(|e| e.update(ObjectKind::Trigger, trigger, fields(json!({"priority": "5"}))));
        assert_eq!(
            text,
            "Cannot update \"priority\" for a discovered trigger \"/ is full (ext4)\"."
        );
    });
}

#[test]
fn deleting_a_prototype_deletes_what_it_made_and_a_rule_everything() {
    on_both(|store| {
        let scene = scene(store, false, json!({}));
        run(store, &scene, &[("/", "ext4"), ("/b", "ext4")], 0);
        let half = store.by_key(scene.host, "half[{#FS}]").id.0;
        store.delete(ObjectKind::ItemPrototype, half);
        assert_eq!(discovered_keys(store, scene.host), ["size[/]", "size[/b]"]);
        assert!(store.holder(scene.host).triggers.is_empty(), "its triggers used the prototype");
        store.reopen();
        store.delete(ObjectKind::DiscoveryRule, scene.rule.0);
        assert!(store.holder(scene.host).items.is_empty());
    });
}

#[test]
fn deleting_one_discovered_item_takes_its_dependents_and_triggers_of_the_row() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4"), ("/b", "ext4")], 0);
        store.delete(ObjectKind::Item, store.by_key(scene.host, "size[/b]").id.0);
        assert_eq!(discovered_keys(store, scene.host), ["size[/]", "half[/]"]);
        assert!(store.has_trigger(scene.host, "/ is full (ext4)"));
        assert!(!store.has_trigger(scene.host, "/b is full (ext4)"));
        // The next run makes it again.
        run(store, &scene, &[("/", "ext4"), ("/b", "ext4")], 1);
        assert!(store.has_trigger(scene.host, "/b is full (ext4)"));
    });
}

#[test]
fn unlinking_the_template_keeps_what_was_discovered() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4")], 0);
        let id = store.by_key(scene.host, "size[/]").id;
        let template = store.holder(scene.host).templates[0];
        store.unlink(scene.host, &[template], false);
        store.reopen();
        let report = run(store, &scene, &[("/", "ext4"), ("/b", "ext4")], 1);
        assert_eq!((report.n_created, report.n_lost), (3, 0));
        assert_eq!(store.by_key(scene.host, "size[/]").id, id);
        assert_eq!(store.by_key(scene.host, "size[{#FS}]").id.0, scene.prototype);
    });
}

#[test]
fn a_prototype_that_no_longer_discovers_loses_its_objects_only() {
    on_both(|store| {
        let scene = scene(store, true, json!({}));
        run(store, &scene, &[("/", "ext4")], 0);
        store.update(ObjectKind::TriggerPrototype, scene.trigger, json!({"discover": "1"}));
        let report = run(store, &scene, &[("/", "btrfs")], 1);
        assert_eq!((report.n_lost, report.n_updated), (1, 2));
        let trigger = store.holder(scene.host).triggers[1].clone();
        assert!(trigger.discovered().unwrap().is_lost());
        // The row has changed since; the lost trigger still means the items of that row.
        let snapshot = store.db.snapshot();
        let holder = store.holder(scene.host);
        let reference = trigger.content.functions[0].item;
        let item = snapshot.item_meant(&holder, reference, trigger.discovered());
        assert_eq!(item.unwrap().1.key(), "size[/]");
    });
}

/// An override of items and triggers whose names contain a text, for rows of one type.
fn override_for(kind: &str, operations: Json) -> Json {
    json!({
        "name": kind, "step": "1", "stop": "0", "operations": operations,
        "filter": {"evaltype": "0", "formula": "", "conditions": [
            {"macro": "{#TYPE}", "value": format!("^{kind}$"), "operator": "8", "formulaid": "A"},
        ]},
    })
}

#[test]
fn overrides_change_what_single_rows_make() {
    for on_template in [false, true] {
        on_both(|store| {
            let operations = json!([
                {"operationobject": "0", "operator": "2", "value": "Half", "opdiscover": {"discover": "1"}},
                {"operationobject": "0", "operator": "8", "value": "^Size", "opstatus": {"status": "1"},
                 "ophistory": {"history": "7d"}, "optag": [{"tag": "kind", "value": "{#TYPE}"}]},
            ]);
            let rule = json!({"overrides": [override_for("tmpfs", operations)]});
            let scene = scene(store, on_template, rule);
            let list = &[("/", "ext4"), ("/run", "tmpfs")];
            let report = run(store, &scene, list, 0);
            assert_eq!((report.n_created, report.error.as_str()), (4, ""));
            assert_eq!(discovered_keys(store, scene.host), ["size[/]", "size[/run]", "half[/]"]);
            let size = store.by_key(scene.host, "size[/run]");
            assert_eq!(size.content.status, ItemStatus::Disabled);
            assert_eq!((size.content.history.as_str(), size.content.tags.len()), ("7d", 1));
            assert_eq!(store.by_key(scene.host, "size[/]").content.history, "31d");
            store.reopen();
            let before = store.db.snapshot();
            assert_eq!(run(store, &scene, list, 1), LldReport::default());
            assert!(Arc::ptr_eq(&before, &store.db.snapshot()), "nothing new, no epoch");

            // The row changes its type: the changes go, the status stays the user's.
            run(store, &scene, &[("/", "ext4"), ("/run", "xfs")], 2);
            let size = store.by_key(scene.host, "size[/run]");
            assert_eq!((size.content.history.as_str(), size.content.tags.len()), ("31d", 0));
            assert_eq!(size.content.status, ItemStatus::Disabled);
            assert!(discovered_keys(store, scene.host).contains(&"half[/run]".to_owned()));
        });
    }
}

#[test]
fn overrides_reach_triggers_and_what_is_not_discovered_by_itself() {
    on_both(|store| {
        let operations = json!([
            {"operationobject": "1", "operator": "2", "value": "/a is full", "opseverity": {"severity": "5"},
             "opdiscover": {"discover": "0"}},
        ]);
        let rule = json!({"overrides": [override_for("ext4", operations)]});
        let scene = scene(store, false, rule);
        store.update(ObjectKind::TriggerPrototype, scene.trigger, json!({"discover": "1"}));
        run(store, &scene, &[("/a", "ext4"), ("/b", "ext4")], 0);
        let holder = store.holder(scene.host);
        let made: Vec<_> = holder.triggers.iter().filter(|it| it.discovered().is_some()).collect();
        let [only] = made.as_slice() else { panic!("one trigger: {}", made.len()) };
        assert_eq!(only.name(), "/a is full (ext4)");
        assert_eq!(only.content.priority.code(), 5);
    });
}

#[test]
fn a_wrong_operation_shows_at_the_rule_and_does_nothing() {
    on_both(|store| {
        let scene = scene(store, false, json!({}));
        let operations = json!([{"operationobject": "0", "operator": "8", "value": "(",
            "opdiscover": {"discover": "1"}}]);
        let rule = json!({"overrides": [override_for("ext4", operations)]});
        store.update(ObjectKind::DiscoveryRule, scene.rule.0, rule);
        let report = run(store, &scene, &[("/", "ext4")], 1);
        assert!(report.error.starts_with("Cannot process override operation"), "{}", report.error);
        assert!(!report.is_unsupported);
        assert_eq!(discovered_keys(store, scene.host).len(), 2);
    });
}

#[test]
fn a_value_that_cannot_be_used_makes_the_rule_unsupported_and_loses_nothing() {
    on_both(|store| {
        let scene = scene(store, false, json!({}));
        let state = |store: &Store| store.db.rule_errors().get(scene.rule);
        for value in ["{not json", "", "{}", r#"{"data":5}"#, "null", "[] x"] {
            run(store, &scene, &[("/", "ext4")], 0);
            assert_eq!(state(store), None);
            let report = store.db.apply_lld(scene.rule, value, NOW).unwrap();
            assert_eq!((report.is_unsupported, report.n_lost), (true, 0), "{value}");
            let message = state(store).unwrap();
            assert!(
                message.is_unsupported && *message.text == report.error,
                "{value}: {message:?}"
            );
            store.db.flush().unwrap();
            store.reopen();
            assert_eq!(state(store), Some(message), "{value}");
        }
        // A regular expression that is not there is as bad.
        run(store, &scene, &[("/", "ext4")], 0);
        let filter = json!({"filter": {"evaltype": "0", "conditions": [
            {"macro": "{#FS}", "operator": "8", "value": "@nope"}]}});
        store.update(ObjectKind::DiscoveryRule, scene.rule.0, filter);
        let report = run(store, &scene, &[], 1);
        assert_eq!(report.error, "Global regular expression \"nope\" does not exist.");
        assert_eq!((report.is_unsupported, report.n_lost), (true, 0));
        // Objects that could not be made are no reason.
        store.update(
            ObjectKind::DiscoveryRule,
            scene.rule.0,
            json!({"filter": {"conditions": []}}),
        );
        let report = run(store, &scene, &[("/", "ext4"), ("/", "xfs")], 1);
        assert!(!report.is_unsupported && !report.error.is_empty());
    });
}

#[test]
fn undecidable_filters_are_reported_by_row_after_failed_objects() {
    on_both(|store| {
        let mut of_override = override_for(
            "",
            json!([{"operationobject": "0", "operator": "2",
            "value": "", "opdiscover": {"discover": "1"}}]),
        );
        of_override["filter"]["conditions"][0]["macro"] = json!("{#O}");
        let rule = json!({"overrides": [of_override], "filter": {"evaltype": "0", "conditions": [
            {"macro": "{#TYPE}", "operator": "8", "value": "x"}]}});
        let scene = scene(store, false, rule);
        let rows = json!([{"{#FS}": "/", "{#TYPE}": "x"}, {"{#FS}": "/b"},
            {"{#FS}": "/", "{#TYPE}": "x1"}]);
        let report = store.db.apply_lld(scene.rule, &rows.to_string(), NOW).unwrap();
        let no_value = |name: &str| {
            format!(
                "Cannot evaluate expression: \"Cannot accurately apply filter: no value received for \
                 macro \"{name}\".\n\"."
            )
        };
        let already = "Cannot create item \"size[/]\": item with the same key already exists.\n";
        let expected = [already, &no_value("{#O}"), &no_value("{#TYPE}"), &no_value("{#O}")];
        assert_eq!(report.error, expected.concat());
        assert_eq!(discovered_keys(store, scene.host), ["size[/]", "half[/]"]);
    });
}

#[test]
fn objects_that_their_values_make_wrong_are_not_made() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let rule = json!({"hostid": host.to_string(), "name": "r", "key_": "r", "type": "2"});
        let rule = store.create(ObjectKind::DiscoveryRule, rule);
        let fields = json!({"ruleid": rule.to_string(), "key_": "k[{#K}]", "name": " {#N} ",
            "type": "0", "value_type": "3", "delay": "{#D}", "history": "{#H}", "trends": "{#T}",
            "units": "{#U}"});
        let item = store.create(ObjectKind::ItemPrototype, fields);
        let apply = |row: &str, day: i64| {
            store.db.apply_lld(ItemId(rule), row, NOW.plus_secs(86_400 * day)).unwrap()
        };
        let dependent = json!({"ruleid": rule.to_string(), "key_": "d[{#K}]", "name": "D", "type": "18",
            "value_type": "3", "master_itemid": item.to_string()});
        store.create(ObjectKind::ItemPrototype, dependent);
        let trigger = json!({"description": "{#S}", "expression": "last(/h/d[{#K}])>0"});
        store.create(ObjectKind::TriggerPrototype, trigger);
        let row = |name: &str, value: &str| {
            let mut row = json!({"{#K}": "a", "{#N}": " n ", "{#D}": "1m", "{#H}": "1d", "{#T}": "0",
                "{#U}": "B", "{#S}": " t "});
            row[name] = json!(value);
            json!([row]).to_string()
        };
        let long = "x".repeat(256);
        let too_long = format!("value \"{}...\" is too long.", "x".repeat(125));
        let long_key = "x".repeat(2_046);
        let too_long_key =
            format!("\"k[{long_key}]\": value \"k[{}...\" is too long.", "x".repeat(123));
        for (name, value, message) in [
            ("{#N}", " ", "item \"k[a]\": name is empty."),
            ("{#N}", &long, &format!("item \"k[a]\": {too_long}")),
            ("{#U}", &long, &format!("item \"k[a]\": {too_long}")),
            ("{#K}", &long_key, &format!("item {too_long_key}")),
            ("{#D}", "abc", "item \"k[a]\": Invalid update interval \"abc\"."),
            ("{#D}", "0", "item \"k[a]\": Invalid update interval \"0\"."),
            ("{#H}", "59m", "item \"k[a]\": invalid history storage period  \"59m\"."),
            ("{#T}", "soon", "item \"k[a]\": invalid trends storage period  \"soon\"."),
            ("{#S}", "", "trigger: name is empty."),
            ("{#S}", &long, &format!("trigger \"{}...\": name is too long.", "x".repeat(125))),
        ] {
            let report = apply(&row(name, value), 0);
            assert_eq!(report.error, format!("Cannot create {message}\n"), "{name} {value}");
            // Dependent items and triggers of what is not made are not made either.
            let n = if message.starts_with("item") { 0 } else { 2 };
            assert_eq!(report.n_created, n, "{name} {value}");
            apply("[]", 30);
            store.db.lld_sweep(NOW.plus_secs(86_400 * 90)).unwrap();
            assert_eq!(discovered_keys(store, host), [""; 0]);
        }
        let report = apply(&row("{#D}", "{$D}"), 0);
        assert_eq!((report.n_created, report.error.as_str()), (3, ""));
        assert_eq!(store.by_key(host, "k[a]").name(), "n");
        assert_eq!(store.by_name(host, "t").name(), "t");
        let report = apply(&row("{#N}", ""), 0);
        assert_eq!(report.error, "Cannot update item \"k[a]\": name is empty.\n");
    });
}

#[test]
fn trigger_without_created_master_is_reported_at_the_rule() {
    for on_template in [false, true] {
        on_both(|store| {
            let operations = json!([{"operationobject": "1", "operator": "2", "value": "is full",
                "opdiscover": {"discover": "1"}}]);
            let rule = json!({"overrides": [override_for("tmpfs", operations)]});
            let scene = scene(store, on_template, rule);
            let name = if on_template { "T" } else { "h" };
            let master = store
                .db
                .snapshot()
                .trigger(model::TriggerId(scene.trigger))
                .map(|(_, it)| it.source.some().unwrap_or(it.id).to_string());
            let dependent = json!({"description": "{#FS} is nearly full",
                "expression": format!("last(/{name}/size[{{#FS}}])>80"),
                "dependencies": [{"triggerid": master}]});
            store.create(ObjectKind::TriggerPrototype, dependent);
            let message = |report: &LldReport| report.error.clone();
            let report = run(store, &scene, &[("/", "ext4"), ("/run", "tmpfs")], 0);
            let missing = "Cannot create dependency on trigger \"/run is nearly full\".\n";
            assert_eq!(message(&report), missing);
            assert!(!report.is_unsupported);
            // It ends when the master is there, and comes back when discovery no longer makes it.
            assert_eq!(message(&run(store, &scene, &[("/", "ext4"), ("/run", "xfs")], 1)), "");
            assert_eq!(store.db.rule_errors().get(scene.rule), None);
            let report = run(store, &scene, &[("/", "ext4"), ("/run", "tmpfs")], 1);
            assert_eq!(message(&report), missing);
            let holder = store.holder(scene.host);
            let of = |name: &str| {
                holder.triggers.iter().find(|it| it.name() == name).unwrap().discovered().unwrap()
            };
            assert!(of("/ is full (ext4)").was_named_with(of("/ is nearly full")));
            assert!(!of("/run is full (xfs)").was_named_with(of("/run is nearly full")));
            // Objects lost together stay together.
            run(store, &scene, &[("/run", "xfs")], 2);
            let holder = store.holder(scene.host);
            let of = |name: &str| {
                holder.triggers.iter().find(|it| it.name() == name).unwrap().discovered().unwrap()
            };
            assert!(of("/ is full (ext4)").was_named_with(of("/ is nearly full")));
        });
    }
}

#[test]
fn rule_error_lasts_until_a_result_is_applied_completely() {
    on_both(|store| {
        let scene = scene(store, false, json!({}));
        let error = |store: &Store| store.db.rule_errors().get(scene.rule).map(|it| it.text);
        assert_eq!(error(store), None);
        let report = run(store, &scene, &[("/", "ext4"), ("/", "xfs")], 0);
        assert!(report.error.contains("already exists"), "{}", report.error);
        assert_eq!(error(store).as_deref(), Some(report.error.as_str()));
        // It outlives the process, and ends with the next result.
        store.db.flush().unwrap();
        store.reopen();
        assert_eq!(error(store).as_deref(), Some(report.error.as_str()));
        run(store, &scene, &[("/", "ext4")], 1);
        assert_eq!(error(store), None);
        store.db.flush().unwrap();
        store.reopen();
        assert_eq!(error(store), None);

        store.db.apply_lld(scene.rule, "{not json", NOW).unwrap();
        assert!(error(store).is_some());
        store.delete(ObjectKind::DiscoveryRule, scene.rule.0);
        store.db.flush().unwrap();
        store.reopen();
        assert_eq!(error(store), None);
    });
}

#[test]
fn rows_that_name_a_parent_make_it_one_unless_it_is_behind_the_host() {
    on_both(|store| {
        let [core, floor] = ["core", "floor"].map(|it| store.host(it, &[]));
        let scene = scene(store, false, json!({}));
        let found = |names: &[&str]| {
            let rows: Vec<Json> = (0..)
                .zip(names)
                .map(|(n, it)| json!({"{#FS}": format!("{n}"), "{#TYPE}": "x", "{#PARENT}": it}))
                .collect();
            store.db.apply_lld(scene.rule, &json!(rows).to_string(), NOW).unwrap();
            store.holder(scene.host).parents.clone()
        };
        assert_eq!(found(&["floor", "core", "somebody", "h"]), [core, floor]);
        assert_eq!(found(&["floor"]), [floor]);
        // Nothing that is known: nothing is said.
        assert_eq!(found(&["somebody"]), [floor]);
        assert_eq!(run(store, &scene, &[("/", "ext4")], 0).n_deleted, 0);
        assert_eq!(store.holder(scene.host).parents, [floor]);
        // The host becomes the parent of its future parent.
        let parents = json!({"parents": [{"hostid": scene.host.to_string()}]});
        store.update(ObjectKind::Host, core.0, parents);
        assert_eq!(found(&["core", "floor"]), [floor]);
        let epoch = store.db.snapshot().epoch;
        assert_eq!(found(&["core", "floor"]), [floor]);
        assert_eq!(store.db.snapshot().epoch, epoch, "nothing new makes no edit");
    });
}
