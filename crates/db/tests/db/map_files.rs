//! The contract of map files: a map comes back as it was, in each format and on another server, and
//! missing objects are reported.

use std::collections::BTreeSet;

use db::objects::iconmap::ICONMAP;
use db::objects::image::IMAGE;
use db::objects::map::{MAP, list, text};
use db::{
    Actor, ConfigError, ExportOptions, ImportFormat, ImportReport, ImportRules, ObjectKind, export,
    write,
};
use model::document::Body;
use serde_json::{Value as Json, json};

use crate::common::{Store, fields, on_both};

const FORMATS: [ImportFormat; 3] = [ImportFormat::Yaml, ImportFormat::Json, ImportFormat::Xml];

fn image(store: &Store, name: &str, kind: &str) -> String {
    let mut request: Json = serde_json::from_str(IMAGE.sample).unwrap();
    request["name"] = json!(name);
    request["imagetype"] = json!(kind);
    store.create(IMAGE.kind(), request).to_string()
}

/// A map with one of everything, and what stands on it.
fn whole_map(store: &Store) -> u64 {
    let (off, on) = (image(store, "off", "1"), image(store, "on", "1"));
    let ground = image(store, "ground", "2");
    let icons = store.create(
        ICONMAP.kind(),
        json!({"name": "by system", "default_iconid": off,
            "mappings": [{"iconid": on, "expression": "Linux", "inventory_link": "5"}]}),
    );
    let host = store.host("h", &[]).to_string();
    store.item(store.db.snapshot().host_named("h").unwrap().id, "k");
    let first = store.trigger("t", "last(/h/k)>1").to_string();
    let second = store.trigger("t", "last(/h/k)>2").to_string();
    let group = store.create(ObjectKind::HostGroup, json!({"name": "g"})).to_string();
    let below = json!({"name": "below", "width": "10", "height": "20"});
    let below = store.create(MAP.kind(), below).to_string();
    let element = |id: &str, kind: &str, elements: Json| json!({"selementid": id, "elementtype": kind, "elements": elements, "iconid_off": off});
    let mut of_host = element("1", "0", json!([{"hostid": host}]));
    of_host["iconid_on"] = json!(on);
    of_host["label"] = json!("{HOST.NAME}\n<b> & 'quoted'");
    of_host["tags"] = json!([{"tag": "scope", "value": "x", "operator": "3"}, {"tag": "only"}]);
    of_host["evaltype"] = json!("2");
    of_host["urls"] = json!([{"name": "wiki", "url": "https://wiki.example/?a=1&b={HOST.ID}"}]);
    of_host["use_iconmap"] = json!("0");
    let mut of_group = element("4", "3", json!([{"groupid": group}]));
    of_group["elementsubtype"] = json!("1");
    of_group["areatype"] = json!("1");
    store.create(
        MAP.kind(),
        json!({"name": "whole", "width": "800", "height": "600", "backgroundid": ground,
            "iconmapid": icons.to_string(), "label_type": "1", "highlight": "0", "label_format": "1",
            "label_type_host": "5", "label_string_host": "of hosts", "severity_min": "3",
            "selements": [of_host,
                element("2", "2", json!([{"triggerid": second}, {"triggerid": first}])),
                element("3", "1", json!([{"sysmapid": below}])), of_group, element("5", "4", json!([]))],
            "links": [
                {"selementid1": "1", "selementid2": "5", "label": "fibre", "color": "00FF00", "drawtype": "2",
                    "linktriggers": [{"triggerid": first, "color": "FF0000", "drawtype": "4"}]},
                {"selementid1": "3", "selementid2": "4"}],
            "shapes": [{"type": "1", "text": "a room", "font_color": "112233", "border_color": "000000"}],
            "lines": [{"line_type": "2", "line_color": "445566"}],
            "urls": [{"name": "u", "url": "x", "elementtype": "3"}]}),
    )
}

fn body(store: &Store, name: &str) -> Body {
    store.db.snapshot().documents.by_key("map", name).expect("the map is there").body.clone()
}

fn options(store: &Store) -> ExportOptions {
    let snapshot = store.db.snapshot();
    let maps = snapshot.documents.of("map").map(|it| it.id).collect();
    ExportOptions { maps, ..ExportOptions::default() }.with_images_of_maps(&snapshot)
}

fn exported(store: &Store, format: ImportFormat) -> String {
    write(&export(&store.db.snapshot(), &options(store)), format, true)
}

fn read(store: &Store, text: &str) -> Result<ImportReport, ConfigError> {
    let rules = &ImportRules::ALL;
    store.db.import(Actor::System, text, ImportFormat::guess(text), rules)
}

fn of_maps(report: &ImportReport) -> (usize, usize, usize) {
    report.changes.get("maps").map_or((0, 0, 0), |it| (it.created, it.updated, it.deleted))
}

fn map_ids(store: &Store) -> BTreeSet<u64> {
    store.db.snapshot().documents.of("map").map(|it| it.id).collect()
}

#[test]
fn a_map_goes_and_comes_back_as_it_was_in_each_format() {
    on_both(|store| {
        whole_map(store);
        let texts = FORMATS.map(|it| exported(store, it));
        let images = &export(&store.db.snapshot(), &options(store));
        let images = images.get("zabbix_export").unwrap().list("images");
        let names: Vec<&str> = images.iter().map(|it| it.text("name")).collect();
        assert_eq!(names, ["ground", "off", "on"], "what the map shows, no other");
        for text in &texts {
            for id in map_ids(store) {
                store.delete(MAP.kind(), id);
            }
            let report = read(store, text).unwrap();
            assert_eq!(of_maps(&report), (2, 0, 0));
            assert!(report.kept_for_later.is_empty(), "{report:?}");
            // Images are there, too, without those that nothing shows any more.
            assert_eq!(FORMATS.map(|it| exported(store, it)), texts);
        }
    });
}

#[test]
fn a_map_that_is_imported_again_stays_with_the_ids_of_its_parts() {
    on_both(|store| {
        let id = whole_map(store);
        let before = body(store, "whole");
        for format in FORMATS {
            let report = read(store, &exported(store, format)).unwrap();
            assert_eq!(of_maps(&report), (0, 0, 0), "{format:?}");
        }
        assert_eq!(body(store, "whole"), before);
        // Moved, added and removed parts; the rest is unchanged.
        let mut file: Json = serde_json::from_str(&exported(store, ImportFormat::Json)).unwrap();
        let map = &mut file["zabbix_export"]["maps"][1];
        map["selements"][0]["x"] = json!("333");
        map["links"].as_array_mut().unwrap().remove(1);
        let mut added = map["selements"][4].clone();
        added["selementid"] = json!("77");
        added["label"] = json!("new");
        map["selements"].as_array_mut().unwrap().insert(0, added);
        map["label_string_host"] = json!("");
        map["label_format"] = json!("0");
        let report = read(store, &file.to_string()).unwrap();
        assert_eq!(of_maps(&report), (0, 1, 0));
        let after = body(store, "whole");
        let ids = |of: &Body, name: &str, id: &str| -> Vec<String> {
            list(of, name).map(|it| text(it, id).to_owned()).collect()
        };
        let (old, new) =
            (ids(&before, "selements", "selementid"), ids(&after, "selements", "selementid"));
        assert_eq!((&new[..5], new.len()), (&old[..], 6));
        let last = list(&after, "selements").last().unwrap();
        assert_eq!(text(last, "label"), "new");
        assert_eq!(text(list(&after, "selements").next().unwrap(), "x"), "333");
        assert_eq!(ids(&after, "links", "linkid"), ids(&before, "links", "linkid")[..1]);
        assert_eq!((text(&after, "userid"), text(&after, "private")), ("", "1"));
        assert_eq!(store.db.snapshot().documents.by_key("map", "whole").unwrap().id, id);
    });
}

#[test]
fn missing_map_references_are_reported_with_zabbix_texts() {
    on_both(|store| {
        whole_map(store);
        let file: Json = serde_json::from_str(&exported(store, ImportFormat::Json)).unwrap();
        let before = store.db.snapshot().epoch;
        let trigger = "/selements/1/elements/0/expression";
        for (pointer, value, expected) in [
            (
                "/background/name",
                "none",
                "Cannot find background image \"none\" used in map \"whole\".",
            ),
            ("/iconmap/name", "none", "Cannot find icon map \"none\" used in map \"whole\"."),
            (
                "/selements/0/icon_on/name",
                "none",
                "Cannot find icon \"none\" used in map \"whole\".",
            ),
            (
                "/selements/0/elements/0/host",
                "none",
                "Cannot find host \"none\" used in map \"whole\".",
            ),
            (trigger, "last(/h/k)>3", "Cannot find trigger \"t\" used in map \"whole\"."),
            (
                "/selements/2/elements/0/name",
                "none",
                "Cannot find map \"none\" used in map \"whole\".",
            ),
            (
                "/selements/3/elements/0/name",
                "none",
                "Cannot find group \"none\" used in map \"whole\".",
            ),
            (
                "/links/0/linktriggers/0/trigger/description",
                "none",
                "Cannot find trigger \"none\" used in map \"whole\".",
            ),
            (
                "/links/0/selementid1",
                "99",
                "Link \"selementid1\" field is pointing to a nonexistent map selement ID \"99\" for map \"whole\".",
            ),
            (
                "/selements/0/selementid",
                "2",
                "Invalid tag \"/zabbix_export/maps/map(2)/selements/selement(2)/selementid\": selementid values should be unique.",
            ),
            (
                "/width",
                "0",
                "Invalid tag \"/zabbix_export/maps/map(2)/width\": unexpected constant \"0\".",
            ),
            (
                "/links/1/drawtype",
                "1",
                "Invalid tag \"/zabbix_export/maps/map(2)/links/link(2)/drawtype\": unexpected constant \"1\".",
            ),
        ] {
            let mut file = file.clone();
            let place = format!("/zabbix_export/maps/1{pointer}");
            *file.pointer_mut(&place).unwrap_or_else(|| panic!("{place}")) = json!(value);
            assert_eq!(read(store, &file.to_string()).unwrap_err().text(), expected, "{pointer}");
        }
        let mut circle = file;
        let maps = &mut circle["zabbix_export"]["maps"];
        maps[0]["selements"] = json!([maps[1]["selements"][2]]);
        maps[0]["selements"][0]["elements"][0]["name"] = json!("whole");
        let expected = "Cannot add map element of the map \"below\" due to circular reference.";
        assert_eq!(read(store, &circle.to_string()).unwrap_err().text(), expected);
        assert_eq!(store.db.snapshot().epoch, before, "nothing was written");
    });
}

#[test]
fn maps_are_made_and_updated_as_the_rules_say() {
    on_both(|store| {
        let id = whole_map(store);
        let mut file: Json = serde_json::from_str(&exported(store, ImportFormat::Json)).unwrap();
        file["zabbix_export"]["maps"][0]["width"] = json!("11");
        store.delete(MAP.kind(), id);
        let with = |create, update| {
            let mut rules = ImportRules::ALL;
            (rules.maps.create, rules.maps.update) = (create, update);
            store.db.import(Actor::System, &file.to_string(), ImportFormat::Json, &rules).unwrap()
        };
        assert_eq!(of_maps(&with(false, false)), (0, 0, 0));
        assert_eq!(of_maps(&with(false, true)), (0, 1, 0));
        assert_eq!(of_maps(&with(true, false)), (1, 0, 0));
        assert_eq!(text(&body(store, "below"), "width"), "11");
        assert_eq!(map_ids(store).len(), 2);
    });
}

/// 7.4 names codes by words and leaves defaults out; 6.4 wrote backslashes once.
#[test]
fn files_of_other_versions_are_read() {
    on_both(|store| {
        whole_map(store);
        let host = store.db.snapshot().host_named("h").unwrap().id;
        store.item(host, "log");
        store.create(
            ObjectKind::Trigger,
            json!({"description": "r", "expression": r#"find(/h/k,,"regexp","\\d")=1"#}),
        );
        let mut file: Json = serde_json::from_str(&exported(store, ImportFormat::Json)).unwrap();
        let export = &mut file["zabbix_export"];
        export["version"] = json!("7.4");
        let map = &mut export["maps"][1];
        map["show_element_label"] = json!("ALWAYS");
        map["background_scale"] = json!("NONE");
        map["selements"][0]["show_label"] = json!("DEFAULT");
        map["links"][0]["drawtype"] = json!("BOLD_LINE");
        map["links"][0]["indicator_type"] = json!("TRIGGER");
        map["links"][0]["linktriggers"][0]["drawtype"] = json!("DASHED_LINE");
        // PHP writes empty objects as empty lists, and the other way round.
        map["selements"][1]["icon_on"] = json!([]);
        map["selements"][1]["urls"] = json!({});
        let before = body(store, "whole");
        let report = read(store, &file.to_string()).unwrap();
        assert_eq!(body(store, "whole"), before);
        assert!(report.kept_for_later.is_empty(), "{report:?}");

        let mut file: Json = serde_json::from_str(&exported(store, ImportFormat::Json)).unwrap();
        file["zabbix_export"]["version"] = json!("6.4");
        let triggers = &mut file["zabbix_export"]["maps"][1]["selements"][1]["elements"];
        let named = json!({"description": "r", "expression": r#"find(/h/k,,"regexp","\d")=1"#});
        *triggers = json!([named]);
        read(store, &file.to_string()).unwrap();
        let after = body(store, "whole");
        let shown = list(&after, "selements").nth(1).map(|it| it["elements"].clone());
        assert_ne!(shown, list(&before, "selements").nth(1).map(|it| it["elements"].clone()));
    });
}

/// A background has the image's own size, as in 7.0, unless one says that it covers the map, which 7.4 does by itself.
#[test]
fn only_a_background_that_covers_its_map_needs_7_4() {
    on_both(|store| {
        let ground = image(store, "ground", "2");
        let mut map = json!({"name": "m", "width": "800", "height": "600", "backgroundid": ground});
        let id = store.create(MAP.kind(), map.clone());
        assert_eq!(body(store, "m")["background_scale"], "0");
        let file = |store: &Store| -> Json {
            serde_json::from_str(&exported(store, ImportFormat::Json)).unwrap()
        };
        let own_size = file(store);
        assert_eq!(own_size["zabbix_export"]["version"], "7.0");
        let mut of_7_4 = own_size.clone();
        of_7_4["zabbix_export"]["version"] = json!("7.4");
        read(store, &of_7_4.to_string()).unwrap();
        assert_eq!(body(store, "m")["background_scale"], "1");
        let covered = file(store);
        assert_eq!(covered["zabbix_export"]["version"], "7.4");
        assert_eq!(covered["zabbix_export"]["maps"][0]["background_scale"], "COVER");
        read(store, &own_size.to_string()).unwrap();
        assert_eq!(body(store, "m")["background_scale"], "0");
        read(store, &covered.to_string()).unwrap();
        assert_eq!(body(store, "m")["background_scale"], "1");
        store.delete(MAP.kind(), id);

        // Without a background its size says nothing, and an import leaves it alone.
        map["backgroundid"] = json!("0");
        map["background_scale"] = json!("1");
        store.create(MAP.kind(), map);
        let before = body(store, "m");
        let bare = file(store);
        assert_eq!(bare["zabbix_export"]["version"], "7.0");
        let report = read(store, &bare.to_string()).unwrap();
        assert_eq!((of_maps(&report), body(store, "m")), ((0, 0, 0), before));
    });
}

/// Fields that maps have since 7.4 make their file one of 7.4, and come back.
#[test]
fn links_that_look_by_items_go_and_come_back() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let item = store.item(host, "k");
        let log = store.create(
            ObjectKind::Item,
            json!({"hostid": host.to_string(), "name": "l", "key_": "l", "type": "2", "value_type": "2"}),
        );
        let off = image(store, "off", "1");
        let element = |id: &str| json!({"selementid": id, "elementtype": "4", "iconid_off": off});
        let mut hides = element("1");
        hides["show_label"] = json!("0");
        let map = |links: Json| {
            json!({"name": "m", "width": "800", "height": "600", "show_link_label": "0",
                "selements": [hides, element("2")], "links": links})
        };
        let of_item = json!({"selementid1": "1", "selementid2": "2", "label": "in", "show_label": "1",
            "indicator_type": "2", "itemid": item.to_string(), "thresholds": [
                {"threshold": "1K", "color": "FFFF00"}, {"threshold": 2000, "drawtype": "4"}]});
        let of_log = json!({"selementid1": "2", "selementid2": "1", "indicator_type": "2",
            "itemid": log.to_string(), "highlights": [{"pattern": "^down", "color": "AA0000"}]});
        let id = store.create(MAP.kind(), map(json!([of_item, of_log])));
        let before = body(store, "m");
        let file: Json = serde_json::from_str(&exported(store, ImportFormat::Json)).unwrap();
        assert_eq!(file["zabbix_export"]["version"], "7.4");
        let links = &file["zabbix_export"]["maps"][0]["links"];
        assert_eq!(links[0]["item"], json!({"host": "h", "key": "k"}));
        assert_eq!(links[0]["thresholds"][1]["threshold"], "2000");
        assert_eq!(
            (&links[0]["show_label"], &links[1]["show_label"]),
            (&json!("ALWAYS"), &Json::Null)
        );
        let texts = FORMATS.map(|it| exported(store, it));
        for text in &texts {
            let report = read(store, text).unwrap();
            assert_eq!(of_maps(&report), (0, 0, 0));
            assert_eq!(body(store, "m"), before);
        }
        store.delete(MAP.kind(), id);
        for text in &texts {
            read(store, text).unwrap();
            assert_eq!(FORMATS.map(|it| exported(store, it)), texts);
            store.delete(MAP.kind(), map_ids(store).into_iter().next().unwrap());
        }
        // The item of the link has to exist; if it is deleted, the link no longer depends on it.
        let refused =
            |link: &Json| store.refused(|e| e.create(MAP.kind(), fields(map(json!([link])))));
        let mut wrong = of_item.clone();
        wrong["highlights"] = json!([{"pattern": "x"}]);
        assert_eq!(
            refused(&wrong),
            "Invalid parameter \"/1/links/1/highlights\": should be empty."
        );
        let mut wrong = of_item.clone();
        wrong["thresholds"][1]["threshold"] = json!("1024");
        assert_eq!(
            refused(&wrong),
            "Invalid parameter \"/1/links/1/thresholds/2\": value (threshold)=(1024) already exists."
        );
        wrong["thresholds"][1]["threshold"] = json!("many");
        assert!(
            refused(&wrong).ends_with("/threshold\": a number is expected."),
            "{}",
            refused(&wrong)
        );
        wrong["itemid"] = json!("999999");
        assert!(refused(&wrong).starts_with("No permissions"), "{}", refused(&wrong));
        let none = json!({"selementid1": "1", "selementid2": "2", "indicator_type": "1"});
        assert_eq!(
            refused(&none),
            "Invalid parameter \"/1/links/1/linktriggers\": cannot be empty."
        );
        store.create(MAP.kind(), map(json!([of_item])));
        store.delete(ObjectKind::Item, item.0);
        let left = body(store, "m");
        let link = list(&left, "links").next().unwrap();
        assert_eq!((text(link, "indicator_type"), text(link, "itemid")), ("0", "0"));
        assert_eq!(list(link, "thresholds").count(), 0);
    });
}
