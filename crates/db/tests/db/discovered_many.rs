//! Discovery rules with very many rows.

use crate::common::{NOW, Store, fields, on_both};
use db::{Actor, Db, DbSettings, Location, ObjectKind};
use model::snapshot::comparisons;
use model::{HostId, ItemId};
use serde_json::{Value as Json, json};

/// A host with a rule, two item prototypes, and triggers and a graph over them.
fn scene(store: &Store) -> (HostId, ItemId) {
    let host = store.host("h", &[]);
    let rule = store.create(
        ObjectKind::DiscoveryRule,
        json!({"hostid": host.to_string(), "name": "Rows", "key_": "rows", "type": "2",
            "lifetime_type": "2"}),
    );
    let item = |key: &str, more: Json| {
        let mut item = json!({"ruleid": rule.to_string(), "name": format!("{{#N}} {key}"),
            "key_": format!("{key}[{{#N}}]"), "type": "2", "value_type": "0"});
        for (name, value) in more.as_object().unwrap() {
            item[name] = value.clone();
        }
        store.create(ObjectKind::ItemPrototype, item)
    };
    let a = item("a", json!({}));
    item("b", json!({"type": "18", "master_itemid": a.to_string()}));
    // All triggers of a prototype have one name.
    let first = store.create(
        ObjectKind::TriggerPrototype,
        json!({"description": "a is high", "expression": "last(/h/a[{#N}])>1"}),
    );
    store.create(
        ObjectKind::TriggerPrototype,
        json!({"description": "b is high", "expression": "last(/h/b[{#N}])>1",
            "dependencies": [{"triggerid": first.to_string()}]}),
    );
    store.create(
        ObjectKind::GraphPrototype,
        json!({"name": "{#N}", "width": "900", "height": "200",
            "gitems": [{"itemid": a.to_string(), "color": "00AA00"}]}),
    );
    (host, ItemId(rule))
}

fn rows(n: usize) -> String {
    let rows: Vec<Json> = (0..n).map(|it| json!({"{#N}": format!("row {it}")})).collect();
    json!(rows).to_string()
}

/// Comparisons of rows while `n` rows are found, found again and lost: a logarithm of the rows for each
/// object, never all of them.
#[test]
fn rows_are_not_compared_with_all_others() {
    on_both(|store| {
        let (host, rule) = scene(store);
        let compared = |n: usize| {
            let mut counts = Vec::new();
            for text in [rows(n), rows(n), "[]".to_owned()] {
                let (report, n) = comparisons::of(|| store.db.apply_lld(rule, &text, NOW));
                assert_eq!(report.unwrap().error, "");
                counts.push(n);
            }
            assert_eq!(store.holder(host).items.len(), 3, "all of it is deleted again");
            counts
        };
        let (few, many) = (compared(200), compared(800));
        for (few, many) in few.iter().zip(&many) {
            // Four times the rows; a quarter more for the logarithm, and some for what does not grow.
            assert!(*many <= few * 6 + 1_000, "{few} comparisons, with four times the rows {many}");
        }
    });
}

#[test]
fn a_value_with_more_rows_than_the_limit_is_refused_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(dir.path().join("saker.db"));
    let settings = DbSettings { discovery_rows_max: 3, ..DbSettings::new(location) };
    let db = Db::open(&settings).unwrap();
    let create =
        |kind, request: Json| db.edit(Actor::System, |e| e.create(kind, fields(request))).unwrap();
    let host = create(ObjectKind::Host, json!({"host": "h", "groups": [{"groupid": "2"}]}));
    let rule = create(
        ObjectKind::DiscoveryRule,
        json!({"hostid": host.to_string(), "name": "Rows", "key_": "rows", "type": "2"}),
    );
    create(
        ObjectKind::ItemPrototype,
        json!({"ruleid": rule.to_string(), "name": "{#N}", "key_": "a[{#N}]", "type": "2"}),
    );
    assert_eq!(db.apply_lld(ItemId(rule), &rows(3), NOW).unwrap().n_created, 3);
    let epoch = db.snapshot().epoch;
    let report = db.apply_lld(ItemId(rule), &rows(4), NOW).unwrap();
    assert!(report.is_unsupported);
    assert_eq!(
        report.error,
        "The value has 4 rows; a discovery rule may have 3 (setting discovery.rows_max). Nothing was changed."
    );
    assert_eq!(db.snapshot().epoch, epoch);
    assert_eq!(
        db.rule_errors().get(ItemId(rule)).map(|it| it.text.to_string()),
        Some(report.error)
    );
}

/// More objects than an edit makes: they come in portions, each published, and none is missing.
#[test]
fn very_many_objects_are_made_and_deleted_in_portions() {
    on_both(|store| {
        let (host, rule) = scene(store);
        let epoch = store.db.snapshot().epoch;
        let n = 2_000;
        let report = store.db.apply_lld(rule, &rows(n), NOW).unwrap();
        assert_eq!((report.n_created, report.error.as_str()), (5 * n, ""));
        assert!(epoch + 1 < store.db.snapshot().epoch, "one edit made all of it");
        let holder = store.holder(host);
        assert_eq!((holder.items.len(), holder.triggers.len()), (3 + 2 * n, 2 + 2 * n));
        assert_eq!(holder.graphs.len(), 1 + n);
        let again = store.db.apply_lld(rule, &rows(n), NOW).unwrap();
        assert_eq!((again.n_created, again.n_updated), (0, 0));
        store.db.apply_lld(rule, "[]", NOW).unwrap();
        assert_eq!(store.holder(host).items.len(), 3);
    });
}
