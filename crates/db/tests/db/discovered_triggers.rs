//! Triggers that discovery makes: one of those that say the same.

use model::ItemId;
use serde_json::json;

use db::ObjectKind;

use crate::common::{NOW, on_both};

#[test]
fn triggers_that_say_the_same_are_made_once_and_prototypes_keep_their_keys() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let rule = json!({"hostid": host.to_string(), "name": "r", "key_": "r", "type": "2"});
        let rule = store.create(ObjectKind::DiscoveryRule, rule);
        let item = json!({"ruleid": rule.to_string(), "key_": "k[{#N}]", "name": "I", "type": "2",
            "value_type": "3"});
        store.create(ObjectKind::ItemPrototype, item);
        let plain = json!({"hostid": host.to_string(), "key_": "plain", "name": "p", "type": "2",
            "value_type": "3"});
        store.create(ObjectKind::Item, plain);
        for (name, expression) in
            [("T {#N}", "last(/h/k[{#N}])>{#M}"), ("T {#A}", "last(/h/k[{#N}])>5")]
        {
            let trigger = json!({"description": name, "expression": expression});
            store.create(ObjectKind::TriggerPrototype, trigger);
        }
        let apply = |rows: serde_json::Value| {
            let report = store.db.apply_lld(ItemId(rule), &rows.to_string(), NOW).unwrap();
            let host = store.holder(host);
            (report.error, host.triggers.iter().filter(|it| it.is_live()).count())
        };
        let twice =
            |name: &str| format!("Cannot create trigger: trigger \"{name}\" already exists.\n");
        // By both prototypes; of other values, names or items there are two.
        let rows = json!([{"{#N}": "a", "{#A}": "a", "{#M}": "5"}, {"{#N}": "b", "{#A}": "b", "{#M}": "6"}]);
        assert_eq!(apply(rows.clone()), (twice("T a"), 3));
        assert_eq!(apply(rows), (twice("T a"), 3));
        let made = json!({"description": "T c", "expression": "last(/h/plain)>5"});
        store.create(ObjectKind::Trigger, made);
        let rows = json!([{"{#N}": "c", "{#A}": "d", "{#M}": "5"}]);
        assert_eq!(apply(rows), (String::new(), 6));
        // Without its macro a prototype's key would be taken twice.
        let (error, _) = apply(json!([{"{#A}": "x"}]));
        assert_eq!(
            error,
            "Cannot create item \"k[{#N}]\": item prototype with the same key already exists.\n"
        );
    });
}
