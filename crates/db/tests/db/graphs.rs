//! The contract of graphs: inheritance, discovery, and deletion of their items.

use std::sync::Arc;

use db::ObjectKind;
use model::content::ItemFlags;
use model::snapshot::GraphRow;
use model::{GraphId, HostId, ItemId};
use serde_json::{Value as Json, json};

use crate::common::{NOW, Store, fields, on_both};

fn graph_fields(name: &str, items: &[ItemId]) -> Json {
    let items: Vec<Json> =
        items.iter().map(|it| json!({"itemid": it.to_string(), "color": "FF0000"})).collect();
    json!({"name": name, "gitems": items})
}

fn graph(store: &Store, name: &str, items: &[ItemId]) -> GraphId {
    GraphId(store.create(ObjectKind::Graph, graph_fields(name, items)))
}

fn named(store: &Store, holder: HostId, name: &str) -> Option<GraphRow> {
    store.holder(holder).graphs.iter().find(|it| it.name() == name).cloned()
}

fn names(store: &Store, holder: HostId) -> Vec<String> {
    let mut names: Vec<String> =
        store.holder(holder).graphs.iter().map(|it| it.name().into_owned()).collect();
    names.sort();
    names
}

/// The keys of what a graph shows.
fn shown(store: &Store, holder: HostId, name: &str) -> Vec<String> {
    let (snapshot, holder) = (store.db.snapshot(), store.holder(holder));
    let row = holder.graphs.iter().find(|it| it.name() == name).expect("the graph is there");
    let items = row.content.gitems.iter();
    let items = items.filter_map(|it| snapshot.item_meant(&holder, it.itemid, row.discovered()));
    items.map(|(_, it)| it.key().into_owned()).collect()
}

#[test]
fn a_graph_of_a_template_is_on_what_links_it_and_follows_it() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let middle = store.template("M", &[template]);
        let host = store.host("h", &[middle]);
        let (a, b) = (store.item(template, "a"), store.item(template, "b"));
        let of_template = graph(store, "G", &[a, b]);
        assert_eq!(shown(store, host, "G"), ["a", "b"]);
        let row = named(store, host, "G").unwrap();
        assert_eq!(row.source, named(store, middle, "G").unwrap().id);
        assert!(Arc::ptr_eq(&row.content, &named(store, template, "G").unwrap().content));
        // A host that comes later, and changes of the template.
        let later = store.host("later", &[middle]);
        let request =
            json!({"name": "G2", "gitems": [{"itemid": b.to_string(), "color": "00FF00"}]});
        store.update(ObjectKind::Graph, of_template.0, request);
        for it in [host, later] {
            assert_eq!(shown(store, it, "G2"), ["b"]);
        }
        assert_eq!(named(store, host, "G2").unwrap().id, row.id, "ids stay");
        // It is the template's.
        let update = |e: &mut db::Editor| {
            e.update(ObjectKind::Graph, row.id.0, fields(json!({"name": "own"})))
        };
        assert_eq!(store.refused(update), "Cannot update a templated graph \"G2\".");
        let delete = |e: &mut db::Editor| e.delete(ObjectKind::Graph, &[row.id.0]);
        assert_eq!(store.refused(delete), "Cannot delete templated graph.");
        store.reopen();
        store.delete(ObjectKind::Graph, of_template.0);
        for it in [template, middle, host, later] {
            assert!(names(store, it).is_empty());
        }
    });
}

#[test]
fn unlinked_graphs_stay_in_the_hosts_own_words_or_go() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let items = [store.item(template, "a"), store.item(template, "b")];
        graph(store, "G", &items);
        let (kept, cleared) = (store.host("kept", &[template]), store.host("cleared", &[template]));
        let id = named(store, kept, "G").unwrap().id;
        store.unlink(kept, &[template], false);
        let row = named(store, kept, "G").unwrap();
        assert_eq!((row.id, row.source), (id, GraphId::NONE));
        let own: Vec<ItemId> = row.content.gitems.iter().map(|it| it.itemid).collect();
        assert_eq!(own, [store.by_key(kept, "a").id, store.by_key(kept, "b").id]);
        store.unlink(cleared, &[template], true);
        assert!(names(store, cleared).is_empty());
        // Linked again it is the same one.
        store.link(kept, &[template]);
        assert_eq!(named(store, kept, "G").unwrap().id, id);
        assert_eq!(
            named(store, kept, "G").unwrap().source,
            named(store, template, "G").unwrap().id
        );
    });
}

#[test]
fn a_name_that_is_taken_is_refused_and_the_same_graph_is_adopted() {
    on_both(|store| {
        let (template, host) = (store.template("T", &[]), store.host("h", &[]));
        let (a, b) = (store.item(template, "a"), store.item(template, "b"));
        let (own_a, own_b) = (store.item(host, "a"), store.item(host, "b"));
        graph(store, "G", &[a, b]);
        let same = graph(store, "G", &[own_b, own_a]);
        let again =
            |e: &mut db::Editor| e.create(ObjectKind::Graph, fields(graph_fields("G", &[own_a])));
        assert_eq!(store.refused(again), "Graph \"G\" already exists on the host \"h\".");
        let other = graph(store, "H", &[own_a]);
        graph(store, "H", &[a, b]);
        let link = |e: &mut db::Editor| e.link(&[host], &[template]);
        let expected = "Graph \"H\" already exists on \"h\" (items are not identical).";
        assert_eq!(store.refused(link), expected);
        store.delete(ObjectKind::Graph, other.0);
        store.link(host, &[template]);
        assert_eq!(named(store, host, "G").unwrap().id, same);
        assert_eq!(names(store, host), ["G", "H"]);
        let second = store.template("T2", &[]);
        let c = store.item(second, "c");
        graph(store, "G", &[c]);
        let link = |e: &mut db::Editor| e.link(&[host], &[second]);
        let expected = "Graph \"G\" already exists on \"h\" (inherited from another template).";
        assert_eq!(store.refused(link), expected);
    });
}

#[test]
fn graphs_lose_items_that_are_deleted_and_go_with_the_last_one() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let (a, b) = (store.item(template, "a"), store.item(template, "b"));
        let host = store.host("h", &[template]);
        let mut request = graph_fields("both", &[a, b]);
        request["ymax_type"] = json!("2");
        request["ymax_itemid"] = json!(a.to_string());
        store.create(ObjectKind::Graph, request);
        graph(store, "a only", &[a]);
        store.delete(ObjectKind::Item, a.0);
        for it in [template, host] {
            assert_eq!(names(store, it), ["both"]);
            assert_eq!(shown(store, it, "both"), ["b"]);
            let content = named(store, it, "both").unwrap().content;
            assert_eq!((content.ymax_type, content.ymax_itemid), (0, ItemId::NONE));
        }
        store.delete(ObjectKind::Item, b.0);
        assert!(names(store, template).is_empty() && names(store, host).is_empty());
    });
}

#[test]
fn a_graph_over_several_hosts_is_kept_by_the_rest_of_them() {
    on_both(|store| {
        let (one, two) = (store.host("one", &[]), store.host("two", &[]));
        let (a, b) = (store.item(one, "a"), store.item(two, "b"));
        let id = graph(store, "G", &[a, b]);
        assert_eq!(store.db.snapshot().graph(id).unwrap().0.id, one);
        let again =
            |e: &mut db::Editor| e.create(ObjectKind::Graph, fields(graph_fields("G", &[b])));
        assert_eq!(store.refused(again), "Graph \"G\" already exists on the host \"two\".");
        store.reopen();
        store.delete(ObjectKind::Host, one.0);
        let snapshot = store.db.snapshot();
        let (holder, row) = snapshot.graph(id).unwrap();
        assert_eq!((holder.id, row.content.gitems.len()), (two, 1));
        store.delete(ObjectKind::Item, b.0);
        assert!(store.db.snapshot().graph(id).is_none());
    });
}

#[test]
fn graphs_that_make_no_sense_are_refused() {
    on_both(|store| {
        let (template, host) = (store.template("T", &[]), store.host("h", &[]));
        let (a, b) = (store.item(template, "a"), store.item(host, "b"));
        let mut text = crate::common::item_fields(host, "text");
        text["value_type"] = json!("4");
        let text = ItemId(store.create(ObjectKind::Item, text));
        let pie = |mut it: Json| {
            it["graphtype"] = json!("2");
            it["gitems"].as_array_mut().unwrap().iter_mut().for_each(|it| it["type"] = json!("2"));
            it
        };
        let axis = |mut it: Json| {
            for name in ["ymin_type", "ymax_type"] {
                it[name] = json!("1");
            }
            it["yaxismin"] = json!("100");
            it
        };
        let color = |mut it: Json| {
            it["gitems"][0]["color"] = json!("red");
            it
        };
        let prototype = ObjectKind::GraphPrototype;
        for (kind, request, expected) in [
            (ObjectKind::Graph, graph_fields("G", &[]), "Missing items for graph \"G\"."),
            (prototype, graph_fields("G", &[]), "Missing items for graph prototype \"G\"."),
            (
                ObjectKind::Graph,
                graph_fields("G", &[ItemId(999_999)]),
                "No permissions to referred object or it does not exist!",
            ),
            (
                ObjectKind::Graph,
                graph_fields("G", &[text]),
                "Cannot add a non-numeric item \"Name of text\" to graph \"G\".",
            ),
            (
                ObjectKind::Graph,
                graph_fields("G", &[a, b]),
                "Graph \"G\" with templated items cannot contain items from other hosts.",
            ),
            (
                ObjectKind::Graph,
                pie(graph_fields("G", &[b, b])),
                "Cannot add more than one item with type \"Graph sum\" on graph \"G\".",
            ),
            (
                ObjectKind::Graph,
                axis(graph_fields("G", &[b])),
                "Y axis MAX value must be greater than Y axis MIN value.",
            ),
            (
                ObjectKind::Graph,
                color(graph_fields("G", &[b])),
                "Color \"red\" is not correct: expecting hexadecimal color code (6 symbols).",
            ),
            (
                prototype,
                graph_fields("G", &[b]),
                "Graph prototype \"G\" must have at least one item prototype.",
            ),
        ] {
            let found = store.refused(|e| e.create(kind, fields(request)));
            assert_eq!(found, expected);
        }
    });
}

struct Scene {
    host: HostId,
    rule: ItemId,
    of: HostId,
    prototypes: [ItemId; 2],
    plain: ItemId,
    graph: GraphId,
}

/// A rule with two item prototypes and a graph prototype that shows them and a plain item, on a
/// template that a host links.
fn scene(store: &Store, rule: &Json) -> Scene {
    let of = store.template("T", &[]);
    let mut request = json!({
        "hostid": of.to_string(), "name": "Discovery", "key_": "rule", "type": "2",
        "lifetime_type": "0", "lifetime": "7d", "enabled_lifetime_type": "1",
    });
    for (name, value) in rule.as_object().unwrap() {
        request[name] = value.clone();
    }
    let rule = store.create(ObjectKind::DiscoveryRule, request);
    let item = |name: &str| {
        let request = json!({"ruleid": rule.to_string(), "name": name, "type": "2",
            "key_": format!("{name}[{{#N}}]"), "value_type": "3"});
        ItemId(store.create(ObjectKind::ItemPrototype, request))
    };
    let prototypes = [item("in"), item("out")];
    let plain = store.item(of, "plain");
    let request = graph_fields("Traffic of {#N}", &[prototypes[0], prototypes[1], plain]);
    let graph = GraphId(store.create(ObjectKind::GraphPrototype, request));
    let host = store.host("h", &[of]);
    let rule = store.by_key(host, "rule").id;
    Scene { host, rule, of, prototypes, plain, graph }
}

fn run(store: &Store, scene: &Scene, names: &[&str], day: i64) -> db::LldReport {
    let rows: Vec<Json> = names.iter().map(|it| json!({"{#N}": it})).collect();
    let now = NOW.plus_secs(day * 86_400);
    store.db.apply_lld(scene.rule, &json!(rows).to_string(), now).unwrap()
}

fn discovered(store: &Store, scene: &Scene) -> Vec<String> {
    let holder = store.holder(scene.host);
    let found = holder.graphs.iter().filter(|it| it.flags == ItemFlags::Discovered);
    found.map(|it| it.name().into_owned()).collect()
}

#[test]
fn rows_make_graphs_of_their_items() {
    on_both(|store| {
        let scene = scene(store, &json!({}));
        let report = run(store, &scene, &["a", "b"], 0);
        assert_eq!((report.n_created, report.error.as_str()), (6, ""));
        assert_eq!(discovered(store, &scene), ["Traffic of a", "Traffic of b"]);
        assert_eq!(shown(store, scene.host, "Traffic of b"), ["in[b]", "out[b]", "plain"]);
        let made = named(store, scene.host, "Traffic of a").unwrap();
        let prototype = named(store, scene.host, "Traffic of {#N}").unwrap();
        assert!(Arc::ptr_eq(&made.content, &prototype.content), "content is shared");
        store.reopen();
        let epoch = store.db.snapshot().epoch;
        run(store, &scene, &["a", "b"], 1);
        assert_eq!(store.db.snapshot().epoch, epoch, "nothing new, nothing written");
        // Discovered graphs have changes of the template at once.
        store.update(ObjectKind::GraphPrototype, scene.graph.0, json!({"name": "{#N}!"}));
        assert_eq!(discovered(store, &scene), ["a!", "b!"]);
        let update = |e: &mut db::Editor| {
            e.update(ObjectKind::Graph, made.id.0, fields(json!({"name": "own"})))
        };
        assert_eq!(store.refused(update), "Cannot update a discovered graph.");
    });
}

#[test]
fn lost_graphs_are_kept_as_long_as_the_rule_says() {
    on_both(|store| {
        let scene = scene(store, &json!({}));
        run(store, &scene, &["a", "b"], 0);
        let report = run(store, &scene, &["a"], 1);
        assert_eq!(report.n_lost, 3);
        let lost = named(store, scene.host, "Traffic of b").unwrap();
        let marks = lost.discovered().unwrap().lost();
        let since = NOW.plus_secs(86_400).clock();
        let (delete_at, disable_at) = (since + 7 * 86_400, 0);
        assert_eq!(marks, model::snapshot::Lost { since, delete_at, disable_at });
        store.reopen();
        run(store, &scene, &["a", "b"], 2);
        let back = named(store, scene.host, "Traffic of b").unwrap();
        assert_eq!((back.id, back.discovered().unwrap().is_lost()), (lost.id, false));
        run(store, &scene, &["a"], 3);
        store.db.lld_sweep(NOW.plus_secs(9 * 86_400)).unwrap();
        assert_eq!(discovered(store, &scene), ["Traffic of a", "Traffic of b"]);
        let report = store.db.lld_sweep(NOW.plus_secs(11 * 86_400)).unwrap();
        assert_eq!(report.n_deleted, 3);
        assert_eq!(discovered(store, &scene), ["Traffic of a"]);
    });
}

#[test]
fn prototypes_and_overrides_say_which_rows_make_graphs() {
    let overrides = json!({"overrides": [{"name": "no b", "step": "1", "filter": {"conditions": []},
        "operations": [{"operationobject": "2", "operator": "0", "value": "Traffic of b",
            "opdiscover": {"discover": "1"}}]}]});
    on_both(|store| {
        let scene = scene(store, &overrides);
        run(store, &scene, &["a", "b"], 0);
        assert_eq!(discovered(store, &scene), ["Traffic of a"]);
        // A host may switch its prototype off, and nothing else of it.
        let own = named(store, scene.host, "Traffic of {#N}").unwrap();
        let request = json!({"discover": "1", "name": "own"});
        store.update(ObjectKind::GraphPrototype, own.id.0, request);
        let row = named(store, scene.host, "Traffic of {#N}").unwrap();
        assert!(!row.content.discover && named(store, scene.of, "Traffic of {#N}").is_some());
        store.reopen();
        run(store, &scene, &["a", "c"], 1);
        assert_eq!(discovered(store, &scene), ["Traffic of a"], "c makes none, a is lost");
        store.update(ObjectKind::GraphPrototype, scene.graph.0, json!({"width": "500"}));
        let row = named(store, scene.host, "Traffic of {#N}").unwrap();
        assert_eq!((row.content.width, row.content.discover), (500, false));
    });
}

#[test]
fn rows_of_one_name_make_one_graph_and_items_that_go_leave_graphs() {
    on_both(|store| {
        let scene = scene(store, &json!({}));
        store.update(ObjectKind::GraphPrototype, scene.graph.0, json!({"name": "Traffic"}));
        let report = run(store, &scene, &["a", "b"], 0);
        // The prototype has the name as well, and may.
        let expected =
            "Cannot create graph: graph with the same name \"Traffic\" already exists.\n";
        assert_eq!(report.error, expected);
        assert_eq!(discovered(store, &scene), ["Traffic"]);
        store.update(ObjectKind::GraphPrototype, scene.graph.0, json!({"name": "{#N}"}));
        run(store, &scene, &["a", "b"], 1);
        assert_eq!(discovered(store, &scene), ["a", "b"]);
        store.delete(ObjectKind::ItemPrototype, scene.prototypes[0].0);
        assert_eq!(shown(store, scene.host, "a"), ["out[a]", "plain"]);
        // Without an item prototype it is no prototype.
        store.delete(ObjectKind::ItemPrototype, scene.prototypes[1].0);
        assert!(names(store, scene.host).is_empty() && names(store, scene.of).is_empty());
        assert!(store.db.snapshot().item(scene.plain).is_some());
    });
}

#[test]
fn a_discovered_graph_goes_with_its_last_discovered_item() {
    on_both(|store| {
        let scene = scene(store, &json!({"lifetime_type": "2"}));
        run(store, &scene, &["a", "b"], 0);
        store.delete(ObjectKind::Item, store.by_key(scene.host, "in[a]").id.0);
        assert_eq!(shown(store, scene.host, "Traffic of a"), ["out[a]", "plain"]);
        store.delete(ObjectKind::Item, scene.plain.0);
        store.delete(ObjectKind::Item, store.by_key(scene.host, "out[a]").id.0);
        assert_eq!(discovered(store, &scene), ["Traffic of b"]);
    });
}
