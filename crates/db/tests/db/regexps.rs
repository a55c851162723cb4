//! The contract of global regular expressions.

use db::ObjectKind;
use db::objects::regexp::REGEXP;
use model::content::{GlobalRegexp, RegexpKind};
use serde_json::{Value as Json, json};

use crate::common::{NOW, Store, fields, on_both};

fn regexp(name: &str, pattern: &str) -> Json {
    json!({"name": name, "test_string": "t", "expressions": [
        {"expression": pattern, "expression_type": "3", "exp_delimiter": ",", "case_sensitive": "1"},
    ]})
}

fn known(store: &Store) -> Vec<GlobalRegexp> {
    store.db.snapshot().globals.regexps.clone()
}

#[test]
fn they_are_kept_changed_and_deleted() {
    on_both(|store| {
        let one = store.create(REGEXP.kind(), regexp("one", "^a"));
        let two = store.create(REGEXP.kind(), regexp("two", "^b"));
        store.reopen();
        let taken = store.refused(|e| e.create(REGEXP.kind(), fields(regexp("two", "c"))));
        assert_eq!(taken, "Regular expression \"two\" already exists.");
        let taken = store.refused(|e| e.update(REGEXP.kind(), one, fields(json!({"name": "two"}))));
        assert_eq!(taken, "Regular expression \"two\" already exists.");
        let part = json!([{"expression": "x,y", "expression_type": 1, "case_sensitive": "0"}]);
        store.update(REGEXP.kind(), one, json!({"expressions": part}));
        store.reopen();
        let [first, second] = &known(store)[..] else { panic!("two of them") };
        assert_eq!((first.regexpid.0, first.name.as_str()), (one, "one"));
        assert_eq!(first.expressions[0].kind, RegexpKind::AnyIncluded);
        assert!(!first.expressions[0].case_sensitive);
        assert_eq!(second.expressions[0].expression, "^b");
        store.delete(REGEXP.kind(), one);
        store.refused(|e| e.delete(REGEXP.kind(), &[one]));
        store.reopen();
        assert_eq!(known(store).iter().map(|it| it.regexpid.0).collect::<Vec<_>>(), [two]);
    });
}

#[test]
fn discovery_follows_them() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let rule = store.create(
            ObjectKind::DiscoveryRule,
            json!({
                "hostid": host.to_string(), "name": "Disks", "key_": "disks", "type": "2",
                "lifetime_type": "2",
                "filter": {"evaltype": "0", "formula": "", "conditions": [
                    {"macro": "{#DISK}", "value": "@disks", "operator": "8", "formulaid": "A"}]},
                "overrides": [{
                    "name": "late", "step": "1", "stop": "0",
                    "filter": {"evaltype": "0", "formula": "", "conditions": []},
                    "operations": [{"operationobject": "0", "operator": "9", "value": "@late",
                        "opdiscover": {"discover": "1"}}],
                }],
            }),
        );
        let prototype = json!({"ruleid": rule.to_string(), "name": "{#DISK}", "key_": "d[{#DISK}]",
            "type": "2", "value_type": "3"});
        store.create(ObjectKind::ItemPrototype, prototype);
        let run = |store: &Store| {
            let rows = json!([{"{#DISK}": "sda"}, {"{#DISK}": "sdz"}, {"{#DISK}": "loop0"}]);
            store.db.apply_lld(model::ItemId(rule), &rows.to_string(), NOW).unwrap()
        };
        let found = |store: &Store| -> Vec<String> {
            let items = &store.holder(host).items;
            items
                .iter()
                .filter(|it| it.discovered().is_some())
                .map(|it| it.key().into_owned())
                .collect()
        };
        let error = run(store).error;
        assert_eq!(error, "Global regular expression \"disks\" does not exist.");
        let disks = store.create(REGEXP.kind(), regexp("disks", "^sd"));
        let message = "Cannot process override operation: global regular expression \"late\" does not \
                    exist.\n";
        assert_eq!((run(store).error.as_str(), found(store).len()), (message, 2));
        store.create(REGEXP.kind(), regexp("late", "z$"));
        assert_eq!((run(store).error.as_str(), found(store).join(" ")), ("", "d[sdz]".to_owned()));
        let parts = regexp("disks", "^loop")["expressions"].clone();
        store.update(REGEXP.kind(), disks, json!({"expressions": parts}));
        assert_eq!((run(store).error.as_str(), found(store).join(" ")), ("", String::new()));
    });
}
