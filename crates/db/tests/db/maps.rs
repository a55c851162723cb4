//! The contract of maps: parts keep their ids, and deleted objects leave them.

use db::ObjectKind;
use db::objects::image::IMAGE;
use db::objects::map::{MAP, list, targets, text};
use model::document::Body;
use serde_json::{Value as Json, json};

use crate::common::{Store, fields, on_both};

fn icon(store: &Store) -> String {
    let mut request: Json = serde_json::from_str(IMAGE.sample).unwrap();
    request["name"] = json!("icon");
    store.create(IMAGE.kind(), request).to_string()
}

fn body(store: &Store, id: u64) -> Body {
    store.db.snapshot().documents.get("map", id).expect("the map is there").body.clone()
}

fn ids(body: &Body, list_of: &str, name: &str) -> Vec<String> {
    list(body, list_of).map(|it| text(it, name).to_owned()).collect()
}

fn element(id: &str, kind: i64, icon: &str, elements: Json) -> Json {
    json!({"selementid": id, "elementtype": kind.to_string(), "iconid_off": icon, "elements": elements})
}

#[test]
fn parts_have_ids_of_their_own_and_links_follow_them() {
    on_both(|store| {
        let icon = icon(store);
        let images = |names: &[&str]| -> Json {
            names.iter().map(|it| element(it, 4, &icon, json!([]))).collect()
        };
        let id = store.create(
            MAP.kind(),
            json!({"name": "m", "width": "800", "height": "600",
                "selements": images(&["1", "2", "3"]),
                "links": [{"selementid1": "1", "selementid2": "2"}, {"selementid1": "2", "selementid2": "3"}],
                "shapes": [{"text": "a"}], "lines": [{}],
                "urls": [{"name": "u", "url": "x"}]}),
        );
        let first = body(store, id);
        let elements = ids(&first, "selements", "selementid");
        let links = ids(&first, "links", "linkid");
        assert!(elements.iter().all(|it| it.len() > 1), "not those that were given: {elements:?}");
        let ends = |body: &Body| -> Vec<(String, String)> {
            let ends = |it: &Body| {
                (text(it, "selementid1").to_owned(), text(it, "selementid2").to_owned())
            };
            list(body, "links").map(ends).collect()
        };
        let pair = |one: usize, two: usize| (elements[one].clone(), elements[two].clone());
        assert_eq!(ends(&first), [pair(0, 1), pair(1, 2)]);
        assert_eq!(text(list(&first, "links").next().unwrap(), "color"), "000000");
        // Fields of a part that are not given stay; links of elements that are left out go.
        store.update(
            MAP.kind(),
            id,
            json!({"selements": [{"selementid": elements[1], "label": "new"}, {"selementid": elements[0]},
                element("x7", 4, &icon, json!([]))]}),
        );
        let second = body(store, id);
        let after = ids(&second, "selements", "selementid");
        assert_eq!((&after[0], &after[1]), (&elements[1], &elements[0]));
        assert!(!elements.contains(&after[2]));
        let label =
            list(&second, "selements").map(|it| (text(it, "label"), text(it, "iconid_off")));
        assert_eq!(label.collect::<Vec<_>>(), [("new", &*icon), ("", &*icon), ("", &*icon)]);
        assert_eq!(
            (ids(&second, "links", "linkid"), ends(&second)),
            (vec![links[0].clone()], vec![pair(0, 1)])
        );
        assert_eq!(
            ids(&second, "shapes", "sysmap_shapeid"),
            ids(&first, "shapes", "sysmap_shapeid")
        );
        let twice = json!({"selements": [element("1", 4, &icon, json!([])), element("1", 4, &icon, json!([]))]});
        let message = store.refused(|e| e.update(MAP.kind(), id, fields(twice)));
        assert_eq!(
            message,
            "Invalid parameter \"/1/selements\": selementid values should be unique."
        );
    });
}

#[test]
fn deleted_objects_leave_maps_with_their_links() {
    on_both(|store| {
        let icon = icon(store);
        let (host, other) = (store.host("h", &[]), store.host("o", &[]));
        store.item(host, "k");
        store.item(other, "k");
        let trigger = store.trigger("t", "last(/h/k)>1");
        let second = store.trigger("s", "last(/o/k)>1");
        let group = store.create(ObjectKind::HostGroup, json!({"name": "g"}));
        let below = store.create(MAP.kind(), json!({"name": "below", "width": 1, "height": 1}));
        let triggers =
            json!([{"triggerid": trigger.to_string()}, {"triggerid": second.to_string()}]);
        let id = store.create(
            MAP.kind(),
            json!({"name": "m", "width": "800", "height": "600",
                "selements": [
                    element("1", 0, &icon, json!([{"hostid": host.to_string()}])),
                    element("2", 2, &icon, triggers),
                    element("3", 3, &icon, json!([{"groupid": group.to_string()}])),
                    element("4", 1, &icon, json!([{"sysmapid": below.to_string()}])),
                    element("5", 4, &icon, json!([]))],
                "links": [
                    {"selementid1": "1", "selementid2": "5"},
                    {"selementid1": "2", "selementid2": "5", "linktriggers": [
                        {"triggerid": trigger.to_string()}, {"triggerid": second.to_string()}]}]}),
        );
        let shown = |store: &Store| -> Vec<(i64, Vec<u64>)> {
            list(&body(store, id), "selements").map(targets).collect()
        };
        let n_links = |store: &Store| {
            let body = body(store, id);
            let n = |it: &Body| list(it, "linktriggers").count();
            list(&body, "links").map(n).collect::<Vec<_>>()
        };
        assert_eq!((shown(store).len(), n_links(store)), (5, vec![0, 2]));
        store.delete(ObjectKind::Trigger, trigger.0);
        assert_eq!(shown(store)[1], (2, vec![second.0]));
        assert_eq!(n_links(store), [0, 1]);
        store.delete(ObjectKind::Host, host.0);
        assert_eq!(n_links(store), [1]);
        store.delete(ObjectKind::HostGroup, group);
        store.delete(MAP.kind(), below);
        assert_eq!(shown(store), [(2, vec![second.0]), (4, vec![])]);
        store.delete(ObjectKind::Host, other.0);
        assert_eq!((shown(store), n_links(store)), (vec![(4, vec![])], vec![]));
        store.reopen();
        assert_eq!(shown(store), [(4, vec![])]);
    });
}

#[test]
fn no_map_shows_itself_and_what_maps_use_stays() {
    on_both(|store| {
        let icon = icon(store);
        let map = |name: &str, shown: Option<u64>| {
            let elements: Vec<Json> = shown
                .map(|it| element("1", 1, &icon, json!([{"sysmapid": it.to_string()}])))
                .into_iter()
                .collect();
            json!({"name": name, "width": "1", "height": "1", "selements": elements})
        };
        let first = store.create(MAP.kind(), map("first", None));
        let second = store.create(MAP.kind(), map("second", Some(first)));
        let third = store.create(MAP.kind(), map("third", Some(second)));
        for shown in [first, third] {
            let request = fields(map("first", Some(shown)));
            let message = store.refused(|e| e.update(MAP.kind(), first, request));
            let what = "Cannot add map element of the map \"first\" due to circular reference.";
            assert_eq!(message, what);
        }
        let delete = store.refused(|e| e.delete(IMAGE.kind(), &[icon.parse().unwrap()]));
        assert_eq!(delete, "The image is used in maps \"second\", \"third\".");
        let message = store.refused(|e| e.create(MAP.kind(), fields(map("first", None))));
        assert_eq!(message, "Map \"first\" already exists.");
    });
}
