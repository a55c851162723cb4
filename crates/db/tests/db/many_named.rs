//! Many graphs, web scenarios, dashboards, prototypes and groups: work on them grows as they do,
//! not as their square.

use db::ObjectKind;
use model::content::ItemFlags;
use model::{GraphId, HostId, ItemId, TriggerId};
use serde_json::{Value as Json, json};

use crate::common::{NOW, fields};
use crate::many_objects::{Work, compare, import, uuid, without_uuids, work};

/// A template with graphs, a quarter as many web scenarios and dashboards that show them, and rules whose host
/// prototypes all have one name.
fn file(n: usize, prefix: &str) -> Json {
    let item = |at: usize| {
        json!({"uuid": uuid(1, at), "name": format!("Item {at}"), "type": "TRAP", "key": format!("k[{at}]"),
            "delay": "0"})
    };
    let graph = |at: usize| {
        json!({"uuid": uuid(3, at), "name": format!("{prefix} {at}"),
            "graph_items": [{"color": "00AA00", "item": {"host": "T", "key": format!("k[{}]", at / 4)}}]})
    };
    let scenario = |at: usize| {
        json!({"uuid": uuid(9, at), "name": format!("{prefix} {at}"),
            "steps": [{"name": "a", "url": "http://localhost/"}]})
    };
    let dashboard = |at: usize| {
        json!({"uuid": uuid(10, at), "name": format!("{prefix} {at}"), "pages": [{"widgets": [{
            "type": "graph", "width": "10", "height": "5",
            "fields": [{"type": "GRAPH", "name": "graphid.0",
                "value": {"name": format!("{prefix} {at}"), "host": "T"}}]}]}]})
    };
    let rule = |at: usize| {
        json!({"uuid": uuid(4, at), "name": format!("Rule {at}"), "type": "TRAP", "delay": "0",
            "key": format!("rule[{at}]"),
            "host_prototypes": [{"uuid": uuid(11, at), "host": format!("{prefix} {{#VM}}"),
                "group_links": [{"group": {"name": "Hypervisors"}}]}]})
    };
    json!({"zabbix_export": {
        "version": "7.0",
        "template_groups": [{"uuid": uuid(7, 0), "name": "Templates"}],
        "templates": [{
            "uuid": uuid(8, 0), "template": "T", "name": "T", "groups": [{"name": "Templates"}],
            "items": (0..n / 4).map(item).collect::<Vec<_>>(),
            "discovery_rules": (0..n / 4).map(rule).collect::<Vec<_>>(),
            "httptests": (0..n / 4).map(scenario).collect::<Vec<_>>(),
            "dashboards": (0..n / 4).map(dashboard).collect::<Vec<_>>(),
        }],
        "graphs": (0..n).map(graph).collect::<Vec<_>>(),
    }})
}

#[test]
fn named_objects_are_imported_and_linked_in_linear_time() {
    compare(|store, n| {
        let mut steps = Vec::new();
        let mut step = |what, call: &mut dyn FnMut()| steps.push((what, work(call)));
        let whole = file(n, "a");
        step("an import", &mut || import(store, &whole));
        let template = store.db.snapshot().template_named("T").unwrap().id;
        let sizes = |id: HostId| {
            let it = store.holder(id);
            (it.items.len(), it.graphs.len(), it.host_prototypes.len())
        };
        // A scenario with one step brings six items.
        let all = (n / 4 + n / 4 + n / 4 * 6, n, n / 4);
        assert_eq!(sizes(template), all);
        let n_dashboards = || store.db.snapshot().documents.of("templatedashboard").count();
        assert_eq!(n_dashboards(), n / 4);
        step("the same again", &mut || import(store, &whole));
        step("without UUIDs", &mut || import(store, &without_uuids(&whole)));
        assert_eq!((sizes(template), n_dashboards()), (all, n / 4));
        let mut linked = HostId::NONE;
        step("linking it to a host", &mut || linked = store.host("linked", &[template]));
        let adopting = store.host("adopting", &[]);
        store.edit(|e| {
            (0..n / 4).try_for_each(|at| {
                let item = json!({"hostid": adopting.to_string(), "name": "i", "type": "2",
                    "key_": format!("k[{at}]"), "value_type": "3"});
                e.create(ObjectKind::Item, fields(item)).map(drop)
            })
        });
        let items: Vec<ItemId> = store.holder(adopting).items.iter().map(|it| it.id).collect();
        step("graphs of a host", &mut || {
            store.edit(|e| {
                (0..n).try_for_each(|at| {
                    let shown = json!([{"itemid": items[at / 4].to_string(), "color": "00AA00"}]);
                    let graph = json!({"name": format!("a {at}"), "width": "900",
                        "height": "200", "gitems": shown});
                    e.create(ObjectKind::Graph, fields(graph)).map(drop)
                })
            });
        });
        step("linking it to one that has the same", &mut || store.link(adopting, &[template]));
        assert_eq!((sizes(linked), sizes(adopting)), (all, all));
        step("other names, with two hosts below", &mut || import(store, &file(n, "b")));
        let named = |name: &str| store.holder(linked).graph_by_name_where(name, |_| true).is_some();
        assert!(named("b 0") && !named("a 0") && store.has_key(linked, "web.test.fail[b 0]"));
        step("half of it, the rest deleted", &mut || import(store, &file(n / 2, "b")));
        assert_eq!((sizes(adopting).1, n_dashboards()), (n / 2, n / 8));
        step("more of it, with two hosts below", &mut || import(store, &file(n, "b")));
        assert_eq!((sizes(linked), sizes(template), n_dashboards()), (all, all, n / 4));
        steps
    });
}

#[test]
fn prototypes_with_what_they_made_are_changed_in_linear_time() {
    compare(|store, n| {
        let host = store.host("h", &[]);
        let rule = store.create(
            ObjectKind::DiscoveryRule,
            json!({"hostid": host.to_string(), "name": "R", "key_": "r", "type": "2"}),
        );
        let n = n / 4;
        let made: Vec<(u64, u64, u64)> = store.edit(|e| {
            let new = (0..n).map(|at| {
                let item = json!({"ruleid": rule.to_string(), "name": "{#N}", "type": "2",
                    "key_": format!("k[{at},{{#N}}]"), "value_type": "3"});
                let item = e.create(ObjectKind::ItemPrototype, fields(item))?;
                let trigger = json!({"description": format!("{at} {{#N}}"),
                    "expression": format!("last(/h/k[{at},{{#N}}])>1")});
                let trigger = e.create(ObjectKind::TriggerPrototype, fields(trigger))?;
                let shown = json!([{"itemid": item.to_string(), "color": "00AA00"}]);
                let graph = json!({"name": format!("{at} {{#N}}"), "width": "900",
                    "height": "200", "gitems": shown});
                Ok((item, trigger, e.create(ObjectKind::GraphPrototype, fields(graph))?))
            });
            new.collect()
        });
        let found = json!([{"{#N}": "a"}, {"{#N}": "b"}]).to_string();
        store.db.apply_lld(ItemId(rule), &found, NOW).unwrap();
        assert_eq!(store.holder(host).items.len(), 1 + n + 2 * n);
        let changed = |kind: ObjectKind, ids: Vec<u64>, of: &dyn Fn(usize) -> Json| {
            work(|| {
                store.edit(|e| {
                    let mut all = ids.iter().enumerate();
                    all.try_for_each(|(at, id)| e.update(kind, *id, fields(of(at))))
                });
            })
        };
        let items = changed(
            ObjectKind::ItemPrototype,
            made.iter().map(|it| it.0).collect(),
            &|at| json!({"key_": format!("new[{at},{{#N}}]"), "name": "new {#N}"}),
        );
        let triggers = changed(
            ObjectKind::TriggerPrototype,
            made.iter().map(|it| it.1).collect(),
            &|at| json!({"description": format!("new {at} {{#N}}"), "priority": "3"}),
        );
        let priorities = changed(
            ObjectKind::TriggerPrototype,
            made.iter().map(|it| it.1).collect(),
            &|_| json!({"priority": "4"}),
        );
        let graphs = changed(
            ObjectKind::GraphPrototype,
            made.iter().map(|it| it.2).collect(),
            &|at| json!({"name": format!("new {at} {{#N}}")}),
        );
        let holder = store.holder(host);
        let last = made.last().unwrap();
        for id in holder.items_made_by(ItemId(last.0)) {
            assert!(holder.item(id).unwrap().key().starts_with(&format!("new[{},", n - 1)));
        }
        assert_eq!(holder.items_made_by(ItemId(last.0)).len(), 2);
        let names = |it: &TriggerId| holder.trigger(*it).unwrap().name().into_owned();
        let triggers_made = holder.triggers_made_by(TriggerId(last.1));
        let expected = ["a", "b"].map(|it| format!("new {} {it}", n - 1));
        assert_eq!(triggers_made.iter().map(names).collect::<Vec<_>>(), expected);
        let graphs_made = holder.graphs_made_by(GraphId(last.2));
        let names = |it: &GraphId| holder.graph(*it).unwrap().name().into_owned();
        assert_eq!(graphs_made.iter().map(names).collect::<Vec<_>>(), expected);
        let n_kept = holder.items.iter().filter(|it| it.flags == ItemFlags::Discovered).count();
        assert_eq!(n_kept, 2 * n);
        vec![
            ("items", items),
            ("triggers", triggers),
            ("priorities", priorities),
            ("graphs", graphs),
        ]
    });
}

#[test]
fn files_with_many_groups_and_hosts_are_read_in_linear_time() {
    compare(|store, n| {
        let group = |at: usize| json!({"uuid": uuid(7, at), "name": format!("Group {at}")});
        let host = |at: usize| {
            json!({"host": format!("h{at}"), "name": format!("h{at}"),
                "groups": [{"name": format!("Group {at}")}]})
        };
        let template = |at: usize| {
            json!({"uuid": uuid(8, at), "template": format!("t{at}"), "name": format!("t{at}"),
                "groups": [{"name": format!("Group {at}")}]})
        };
        let whole = json!({"zabbix_export": {
            "version": "7.0",
            "host_groups": (0..n).map(group).collect::<Vec<_>>(),
            "template_groups": (0..n).map(group).collect::<Vec<_>>(),
            "templates": (0..n).map(template).collect::<Vec<_>>(),
            "hosts": (0..n).map(host).collect::<Vec<_>>(),
        }});
        // Each host and template that changes is copied once.
        let per_host = |(compared, copies): Work| (compared, copies / u64::try_from(n).unwrap());
        let first = per_host(work(|| import(store, &whole)));
        assert_eq!(store.db.snapshot().templates.len(), n);
        let again = per_host(work(|| import(store, &whole)));
        vec![("an import", first), ("the same again", again)]
    });
}

#[test]
fn graphs_over_two_hosts_are_made_and_renamed_in_linear_time() {
    compare(|store, n| {
        let hosts = ["one", "other"].map(|it| store.host(it, &[]));
        let items = hosts.map(|it| store.item(it, "k"));
        let graph = |name: String| {
            let shown = items.map(|it| json!({"itemid": it.to_string(), "color": "00AA00"}));
            json!({"name": name, "width": "900", "height": "200", "gitems": shown})
        };
        let mut ids = Vec::new();
        let made = work(|| {
            ids = store.edit(|e| {
                let new =
                    (0..n).map(|at| e.create(ObjectKind::Graph, fields(graph(format!("a {at}")))));
                new.collect()
            });
        });
        let renamed = work(|| {
            store.edit(|e| {
                let mut all = ids.iter().enumerate();
                all.try_for_each(|(at, id)| {
                    e.update(ObjectKind::Graph, *id, fields(json!({"name": format!("b {at}")})))
                })
            });
        });
        let refused = store.refused(|e| {
            let name = json!({"name": "b 1"});
            e.update(ObjectKind::Graph, ids[0], fields(name))
        });
        assert_eq!(refused, "Graph \"b 1\" already exists on the host \"one\".");
        vec![("making", made), ("renaming", renamed)]
    });
}
