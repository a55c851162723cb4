//! Many objects of one host or template: work on them grows as they do, not as their square.

use db::{Actor, ImportFormat, ImportRules, ObjectKind};
use model::snapshot::comparisons;
use model::{HostId, ItemId};
use serde_json::{Value as Json, json};

use crate::common::{LINUX_SERVERS, Store, fields, host_fields, item_fields, on_both};

/// A multiple of 8: halves of what each fourth one has are counted.
const FEW: usize = 304;
const MANY: usize = 4 * FEW;

/// The cost of an operation: comparisons of rows, and copies of hosts and templates.
pub(crate) type Work = (u64, u64);

pub(crate) fn work<T>(call: impl FnOnce() -> T) -> Work {
    let ((_, copies), compared) = comparisons::of(|| comparisons::copies_of(call));
    (compared, copies)
}

/// With four times the objects there are no more than four times the comparisons, and as many copies.
fn check_linear(what: &str, few: Work, many: Work) {
    println!("{what}: {few:?}, with four times the objects {many:?}");
    assert!(many.0 <= few.0 * 5 + 10_000, "{what}: {} comparisons, then {}", few.0, many.0);
    assert!(many.1 <= few.1 + 16, "{what}: {} copies, then {}", few.1, many.1);
}

/// Each step with few and with many objects.
pub(crate) fn compare(steps: impl Fn(&Store, usize) -> Vec<(&'static str, Work)>) {
    let gathered = std::cell::RefCell::new(Vec::new());
    for n in [FEW, MANY] {
        on_both(|store| gathered.borrow_mut().push(steps(store, n)));
    }
    let gathered = gathered.into_inner();
    let (few, many) = gathered.split_at(gathered.len() / 2);
    for (few, many) in few.iter().flatten().zip(many.iter().flatten()) {
        check_linear(few.0, few.1, many.1);
    }
}

pub(crate) fn uuid(kind: u8, at: usize) -> String {
    format!("{kind:08x}00004000800000000{at:07x}")
}

/// A template with items, each with a trigger of the same name that depends on the one before, and each fourth one with a
/// dependent item; graphs; rules, each with a prototype of everything.
fn file(n: usize, prefix: &str) -> Json {
    let key = |at: usize| format!("{prefix}[{at}]");
    let expression = |at: usize| format!("last(/T/{})>5", key(at));
    let item = |at: usize| {
        let mut trigger =
            json!({"uuid": uuid(2, at), "name": "High", "expression": expression(at)});
        if at % 2 == 1 {
            let first = json!({"name": "High", "expression": expression(at - 1)});
            trigger["dependencies"] = json!([first]);
        }
        let mut item = json!({"uuid": uuid(1, at), "name": format!("Item {at}"), "type": "TRAP",
            "key": key(at), "delay": "0", "triggers": [trigger]});
        if at % 4 == 3 {
            item["type"] = "DEPENDENT".into();
            item["master_item"] = json!({"key": key(at - 1)});
        }
        item
    };
    let graph = |at: usize| {
        json!({"uuid": uuid(3, at), "name": format!("Graph {at}"),
            "graph_items": [{"color": "00AA00", "item": {"host": "T", "key": key(at)}}]})
    };
    let rule = |at: usize| {
        let made = format!("made.{prefix}[{at},{{#N}}]");
        json!({"uuid": uuid(4, at), "name": format!("Rule {at}"), "type": "TRAP", "delay": "0",
            "key": format!("rule.{prefix}[{at}]"),
            "item_prototypes": [{"uuid": uuid(5, at), "name": "{#N}", "type": "TRAP", "delay": "0",
                "key": made, "trigger_prototypes": [{"uuid": uuid(6, at), "name": "{#N} is high",
                    "expression": format!("last(/T/{made})>5")}]}]})
    };
    let graphs: Vec<Json> = (0..n / 2).map(graph).collect();
    json!({"zabbix_export": {
        "version": "7.0",
        "template_groups": [{"uuid": uuid(7, 0), "name": "Templates"}],
        "templates": [{
            "uuid": uuid(8, 0), "template": "T", "name": "T", "groups": [{"name": "Templates"}],
            "items": (0..n).map(item).collect::<Vec<_>>(),
            "discovery_rules": (0..n / 4).map(rule).collect::<Vec<_>>(),
        }],
        "graphs": graphs,
    }})
}

pub(crate) fn import(store: &Store, file: &Json) {
    let (text, rules) = (file.to_string(), &ImportRules::ALL);
    store.db.import(Actor::System, &text, ImportFormat::Json, rules).unwrap();
}

pub(crate) fn without_uuids(file: &Json) -> Json {
    match file {
        Json::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "uuid");
            fields.map(|(name, it)| (name.clone(), without_uuids(it))).collect()
        }
        Json::Array(list) => list.iter().map(without_uuids).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_large_template_is_imported_changed_and_linked_in_linear_time() {
    compare(|store, n| {
        let mut steps = Vec::new();
        let mut step = |what, call: &mut dyn FnMut()| steps.push((what, work(call)));
        let whole = file(n, "a");
        step("an import", &mut || import(store, &whole));
        let template = store.db.snapshot().template_named("T").unwrap().id;
        let sizes = |id: HostId| {
            let it = store.holder(id);
            (it.items.len(), it.triggers.len(), it.graphs.len())
        };
        assert_eq!(sizes(template), (n + n / 2, n + n / 4, n / 2));
        step("the same again", &mut || import(store, &whole));
        step("without UUIDs", &mut || import(store, &without_uuids(&whole)));
        let mut linked = HostId::NONE;
        step("linking it to a host", &mut || linked = store.host("linked", &[template]));
        assert_eq!(sizes(linked), sizes(template));
        let adopting = store.host("adopting", &[]);
        step("items of a host", &mut || {
            store.edit(|e| {
                (0..n).try_for_each(|at| {
                    let item = json!({"hostid": adopting.to_string(), "name": "i", "type": "2",
                        "key_": format!("a[{at}]"), "value_type": "3"});
                    e.create(ObjectKind::Item, fields(item)).map(drop)
                })
            });
        });
        step("triggers of a host", &mut || {
            store.edit(|e| {
                (0..n).try_for_each(|at| {
                    let trigger = json!({"description": "High",
                        "expression": format!("last(/adopting/a[{at}])>5")});
                    e.create(ObjectKind::Trigger, fields(trigger)).map(drop)
                })
            });
        });
        step("linking it to one that has the same", &mut || store.link(adopting, &[template]));
        assert_eq!(sizes(adopting), sizes(template));
        step("other keys, with two hosts below", &mut || import(store, &file(n, "b")));
        assert!(store.has_key(linked, "b[0]") && !store.has_key(linked, "a[0]"));
        let half = file(n / 2, "b");
        step("half of it, the rest deleted", &mut || import(store, &half));
        assert_eq!(sizes(adopting), (n / 2 + n / 4, n / 2 + n / 8, n / 4));
        step("more of it, with two hosts below", &mut || import(store, &file(n, "b")));
        assert_eq!(sizes(linked), sizes(template));
        steps
    });
}

#[test]
fn many_hosts_are_linked_and_put_into_groups_in_linear_time() {
    compare(|store, n| {
        let template = store.template("t", &[]);
        store.item(template, "k");
        store.trigger("High", "last(/t/k)>5");
        let hosts: Vec<HostId> = store.edit(|e| {
            let new = (0..n).map(|at| {
                let host = host_fields(&format!("h{at}"), &[]);
                e.create(ObjectKind::Host, fields(host)).map(HostId)
            });
            new.collect()
        });
        let group = store.create(ObjectKind::HostGroup, json!({"name": "More"}));
        let groups = [model::GroupId(group), model::GroupId(LINUX_SERVERS.parse().unwrap())];
        // Each host is copied once, since it changes.
        let per_host = |(compared, copies): Work| (compared, copies / u64::try_from(n).unwrap());
        vec![
            ("linking hosts", per_host(work(|| store.edit(|e| e.link(&hosts, &[template]))))),
            ("adding groups", per_host(work(|| store.edit(|e| e.add_groups(&hosts, &groups))))),
            (
                "a new item",
                per_host(work(|| {
                    store.create(ObjectKind::Item, json!(item_fields(template, "l")))
                })),
            ),
        ]
    });
}

#[test]
fn rules_in_rules_are_made_in_linear_time() {
    compare(|store, n| {
        let host = store.template("t", &[]);
        let rule = store.create(
            ObjectKind::DiscoveryRule,
            json!({"hostid": host.to_string(), "name": "R", "key_": "r", "type": "2"}),
        );
        let made = work(|| {
            store.edit(|e| {
                (0..n).try_for_each(|at| {
                    let nested = json!({"hostid": host.to_string(), "ruleid": rule.to_string(),
                        "name": "N", "key_": format!("n[{at},{{#A}}]"), "type": "2"});
                    let nested = e.create(ObjectKind::DiscoveryRulePrototype, fields(nested))?;
                    let item = json!({"ruleid": nested.to_string(), "name": "I",
                        "key_": format!("i[{at},{{#A}},{{#B}}]"), "type": "2", "value_type": "3"});
                    e.create(ObjectKind::ItemPrototype, fields(item)).map(drop)
                })
            });
        });
        let linked = work(|| store.host("h", &[host]));
        let deleted = work(|| store.delete(ObjectKind::DiscoveryRule, rule));
        assert!(store.holder(host).item(ItemId(rule)).is_none());
        vec![("making", made), ("linking", linked), ("deleting", deleted)]
    });
}
