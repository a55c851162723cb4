//! Maps: permissions on them, drawing for pages, and their images.

use api::ports::ItemLive;
use db::EventRow;
use model::content::Severity;
use model::value::Sample;
use model::{ItemId, Time, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::{id, problem, scene};

const DENIED: &str = "No permissions to referred object or it does not exist!";
/// Of one pixel.
const DOT: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

pub(crate) fn icon(admin: &Session<'_>, name: &str) -> String {
    admin.create("image.create", json!({"name": name, "imagetype": "1", "image": DOT}))
}

fn user<'s>(
    server: &'s Server,
    admin: &Session<'_>,
    name: &str,
    rights: Value,
) -> (Session<'s>, String) {
    let group = admin.create(
        "usergroup.create",
        json!({"name": format!("of {name}"), "hostgroup_rights": rights}),
    );
    let password = "a long one 4 all";
    let request = json!({"username": name, "passwd": password, "roleid": "1",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", request);
    (server.login_as(name, password), group)
}

pub(crate) fn drawn(session: &Session<'_>, map: &str) -> Value {
    let bearer = format!("Bearer {}", session.id);
    let path = format!("/api/v1/maps/{map}");
    session.server.get(&path, &[("Authorization", &bearer)]).json()
}

pub(crate) fn by_label<'v>(answer: &'v Value, label: &str) -> &'v Value {
    let found = answer["elements"].as_array().unwrap().iter().find(|it| it["label"] == label);
    found.unwrap_or_else(|| panic!("no {label}: {answer:#}"))
}

/// A host and a trigger with a link between them.
fn linked_map(
    admin: &Session<'_>,
    (host, trigger): (&str, &str),
    (off, on): (&str, &str),
    icons: &str,
) -> String {
    admin.create(
        "map.create",
        // Unknown members are ignored, as in Zabbix.
        json!({"name": "m", "width": 800, "height": 600, "iconmapid": icons, "unknown": 1,
            "selements": [
                {"selementid": "1", "elementtype": 0, "elements": [{"hostid": host, "extra": 1}],
                    "iconid_off": off, "iconid_on": on, "x": 10, "y": 20,
                    "urls": [{"name": "own", "url": "h?id={HOST.ID}"}]},
                {"selementid": "2", "elementtype": 2, "elements": [{"triggerid": trigger}], "iconid_off": off}],
            "links": [{"selementid1": "1", "selementid2": "2", "linktriggers": [{"triggerid": trigger}]}],
            "urls": [{"name": "all", "url": "x?{HOST.ID}", "elementtype": 0}]}),
    )
}

#[test]
fn a_map_is_made_read_changed_and_its_images_are_found() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let (off, on) = (icon(&admin, "off"), icon(&admin, "on"));
    icon(&admin, "unused");
    let icons = admin.create(
        "iconmap.create",
        json!({"name": "i", "default_iconid": off, "mappings": [
            {"iconid": on, "expression": "Linux", "inventory_link": 5}]}),
    );
    let map = linked_map(&admin, (&host, &trigger), (&off, &on), &icons);
    let get = json!({"sysmapids": map, "selectSelements": "extend", "selectLinks": "extend",
        "selectUrls": "extend", "selectShapes": "extend", "selectLines": "extend",
        "selectUsers": "extend", "selectUserGroups": "extend", "selectIconMap": ["name"]});
    let found = admin.call("map.get", get.clone());
    let found = &found[0];
    assert_eq!(
        [
            &found["userid"],
            &found["private"],
            &found["label_type"],
            &found["grid_size"],
            &found["severity_min"]
        ],
        ["1", "1", "2", "50", "0"]
    );
    assert_eq!(found["iconmap"], json!({"iconmapid": icons, "name": "i"}));
    let first = &found["selements"][0];
    assert_eq!(first["elements"], json!([{"hostid": host}]));
    assert_eq!([&first["permission"], &first["use_iconmap"], &first["zindex"]], ["3", "1", "0"]);
    let link = &found["links"][0];
    assert_eq!(
        (&link["selementid1"], &link["selementid2"]),
        (&first["selementid"], &found["selements"][1]["selementid"])
    );
    assert_eq!(
        (&link["linktriggers"][0]["color"], &link["permission"]),
        (&json!("DD0000"), &json!("3"))
    );
    let expanded = admin.call(
        "map.get",
        json!({"sysmapids": map, "expandUrls": true, "selectSelements": ["urls"], "output": ["name"]}),
    );
    assert_eq!(
        expanded[0]["selements"][0]["urls"],
        json!([{"name": "own", "url": format!("h?id={host}")}, {"name": "all", "url": format!("x?{host}")}])
    );
    let images =
        admin.call("image.get", json!({"sysmapids": map, "output": ["name"], "sortfield": "name"}));
    assert_eq!(images, json!([{"imageid": off, "name": "off"}, {"imageid": on, "name": "on"}]));
    let used = json!({"sysmapids": map, "output": ["name"]});
    assert_eq!(admin.call("iconmap.get", used), json!([{"iconmapid": icons, "name": "i"}]));
    let error = admin.error("iconmap.delete", json!([icons]));
    assert_eq!(error, "Icon map cannot be deleted. Used in map \"m\".");
    let one = json!([{"selementid": first["selementid"], "x": "99"}]);
    let error = admin.error("map.update", json!({"sysmapid": map, "selements": one}));
    assert_eq!(
        error,
        format!(
            "Link \"selementid2\" field is pointing to a nonexistent map selement ID {} for map \"m\".",
            found["selements"][1]["selementid"]
        )
    );
    let update = json!({"sysmapid": map, "iconmapid": 0, "links": [], "selements": one});
    admin.call("map.update", update);
    admin.call("iconmap.delete", json!([icons]));
    let found = admin.call("map.get", get);
    let elements = found[0]["selements"].as_array().unwrap();
    assert_eq!(
        (elements.len(), &elements[0]["x"], &elements[0]["y"]),
        (1, &json!("99"), &json!("20"))
    );
    assert_eq!((&found[0]["links"], &found[0]["iconmap"]), (&json!([]), &json!([])));
    let error = admin.error("map.create", json!({"name": "m", "width": 1, "height": 1}));
    assert_eq!(error, "Map \"m\" already exists.");
    let error = admin.error("map.create", json!({"name": "n", "width": 0, "height": 1}));
    assert_eq!(error, "Incorrect \"width\" value for map \"n\".");
    admin.call("map.delete", json!([map]));
    assert_eq!(admin.call("map.get", json!({})), json!([]));
}

#[test]
fn maps_are_their_owners_and_those_they_are_shared_with() {
    let server = Server::start();
    let admin = server.login();
    let (host, ..) = scene(&admin);
    let icon = icon(&admin, "i");
    let (friend, of_friend) =
        user(&server, &admin, "friend", json!([{"id": "2", "permission": 2}]));
    let (blind, of_blind) = user(&server, &admin, "blind", json!([]));
    let make = |session: &Session<'_>, name: &str, elements: Value, more: Value| {
        let mut request = json!({"name": name, "width": 100, "height": 100, "selements": elements});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        session.create("map.create", request)
    };
    let of_host = json!([{"selementid": "1", "elementtype": 0, "elements": [{"hostid": host}], "iconid_off": icon}]);
    let mixed = json!([of_host[0], {"selementid": "2", "elementtype": 4, "iconid_off": icon, "label": "picture"}]);
    let shared = json!({"userGroups": [
        {"usrgrpid": of_friend, "permission": 3}, {"usrgrpid": of_blind, "permission": 3}]});
    make(&admin, "private", json!([]), json!({}));
    make(&admin, "empty", json!([]), json!({"private": 0}));
    let hidden = make(&admin, "of a host", of_host.clone(), shared.clone());
    let partly = make(&admin, "mixed", mixed, shared);
    let seen = |session: &Session<'_>, editable: bool| -> Vec<String> {
        let params = json!({"output": ["name"], "editable": editable, "sortfield": "name"});
        let found = session.call("map.get", params);
        found.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(seen(&friend, false), ["empty", "mixed", "of a host"]);
    assert_eq!(seen(&friend, true), ["mixed", "of a host"]);
    // All of its objects are hidden, or a part of them.
    assert_eq!(seen(&blind, false), ["empty", "mixed"]);
    assert_eq!(seen(&blind, true), Vec::<String>::new());
    assert_eq!(blind.error("map.update", json!({"sysmapid": partly, "name": "x"})), DENIED);
    assert_eq!(blind.error("map.delete", json!([hidden])), DENIED);
    let params =
        json!({"sysmapids": partly, "selectSelements": ["permission"], "output": ["name"]});
    let permissions = |session: &Session<'_>| {
        let found = session.call("map.get", params.clone());
        let each = found[0]["selements"].as_array().unwrap();
        each.iter().map(|it| it["permission"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (permissions(&friend), permissions(&blind)),
        (vec!["2".to_owned(), "3".to_owned()], vec!["-1".to_owned(), "3".to_owned()])
    );
    let answer = drawn(&blind, &partly);
    let names = |it: &Value| (it["readable"].clone(), it["name"].clone(), it["targets"].clone());
    assert_eq!(names(&answer["elements"][0]), (json!(false), json!(""), json!([])));
    assert_eq!(
        (&answer["elements"][1]["readable"], &answer["writable"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(drawn(&blind, &hidden)["error"]["data"], DENIED);
    let request = json!({"name": "n", "width": 1, "height": 1, "selements": of_host});
    assert_eq!(blind.error("map.create", request), DENIED);
    let own = make(&friend, "own", of_host, json!({}));
    let error = friend.error("map.update", json!({"sysmapid": own, "userid": "1"}));
    assert_eq!(error, "Only administrators can set map owner.");
    let owner = admin.call("map.get", json!({"sysmapids": own, "output": ["userid"]}));
    let error = admin.error("user.delete", json!([owner[0]["userid"]]));
    assert_eq!(error, "User \"friend\" is map \"own\" owner.");
    let error = admin.error(
        "map.update",
        json!({"sysmapid": own, "private": 0, "users": [{"userid": "1", "permission": 2}]}),
    );
    assert_eq!(error, "Map \"own\" is public and read-only sharing is disallowed.");
    admin.call("usergroup.create", json!({"name": "later"}));
    admin.call("map.update", json!({"sysmapid": own, "userid": "1"}));
    let error = admin.error(
        "map.update",
        json!({"sysmapid": own, "userGroups": [{"usrgrpid": "99999", "permission": 2}]}),
    );
    assert_eq!(error, "Incorrect user group ID specified for map \"own\".");
}

/// A map with each kind of element.
fn map_of_all(
    admin: &Session<'_>,
    [host, quiet, off_host]: [&str; 3],
    trigger: &str,
    [off, on, disabled]: &[String; 3],
) -> String {
    let below = admin.create(
        "map.create",
        json!({"name": "below", "width": 100, "height": 100, "selements": [
            {"selementid": "1", "elementtype": 2, "elements": [{"triggerid": trigger}], "iconid_off": off}]}),
    );
    let element = |id: &str, kind: i64, elements: Value, label: &str| {
        json!({"selementid": id, "elementtype": kind, "elements": elements, "label": label,
            "iconid_off": off, "iconid_on": on, "iconid_disabled": disabled})
    };
    let tagged = |value: &str, label: &str| {
        let mut it = element(label, 0, json!([{"hostid": host}]), label);
        it["tags"] = json!([{"tag": "scope", "value": value, "operator": 1}]);
        it["selementid"] = json!(value.len().to_string() + "9");
        it
    };
    let label = "{HOST.NAME} {HOST.IP} {TRIGGERS.UNACK} {?last(/h/k)} {?sum(/h/k,1m)}";
    admin.create(
        "map.create",
        json!({"name": "m", "width": 800, "height": 600, "label_type": 0,
            "selements": [
                element("1", 0, json!([{"hostid": host}]), label),
                element("2", 0, json!([{"hostid": quiet}]), "quiet"),
                element("3", 0, json!([{"hostid": off_host}]), "off"),
                element("4", 3, json!([{"groupid": "2"}]), "group"),
                element("5", 1, json!([{"sysmapid": below}]), "{MAP.NAME}!"),
                element("6", 2, json!([{"triggerid": trigger}]), "of {HOST.NAME}"),
                tagged("x", "with tag"), tagged("other", "without tag"),
                {"selementid": "7", "elementtype": 3, "elements": [{"groupid": "2"}], "iconid_off": off,
                    "elementsubtype": 1, "areatype": 1, "x": 100, "y": 100, "width": 300, "height": 100}],
            "links": [
                {"selementid1": "1", "selementid2": "2", "label": "{?last(/h/k)}", "linktriggers": [
                    {"triggerid": trigger, "color": "FF8000", "drawtype": 4}]},
                {"selementid1": "2", "selementid2": "7", "color": "00AA00"}],
            "shapes": [{"type": 0, "text": "map {MAP.NAME}"}]}),
    )
}

#[test]
fn a_map_is_drawn_with_states_labels_icons_and_links() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, trigger) = scene(&admin);
    let quiet = admin.host("quiet");
    let off_host = admin.host("off");
    admin.call("host.update", json!({"hostid": off_host, "status": 1}));
    let ids = ["off", "on", "disabled"].map(|it| icon(&admin, it));
    let [off, on, disabled] = &ids;
    let map = map_of_all(&admin, [&host, &quiet, &off_host], &trigger, &ids);
    let sample = Sample { time: server.now(), value: ItemValue::Unsigned(7) };
    server.world.values.lock().unwrap().insert(ItemId(id(&item)), vec![sample]);
    let now = server.now();
    let answer = drawn(&admin, &map);
    assert_eq!(by_label(&answer, "h 127.0.0.1 0 7 *UNKNOWN*")["state"]["severity"], -1);
    assert_eq!(answer["links"][0]["color"], "000000");
    let event = |eventid: u64, severity: Severity, time: Time| EventRow {
        severity,
        ..problem(eventid, &trigger, &host, time)
    };
    server
        .db
        .events()
        .apply(vec![event(1, Severity::Warning, now), event(2, Severity::High, now)], 10)
        .unwrap();
    admin.call("event.acknowledge", json!({"eventids": ["1"], "action": 2}));
    let answer = drawn(&admin, &map);
    let state = |label: &str| {
        let it = by_label(&answer, label);
        let state = &it["state"];
        (
            state["severity"].as_i64().unwrap(),
            state["problems"].as_i64().unwrap(),
            it["iconid"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(state("h 127.0.0.1 1 7 *UNKNOWN*"), (4, 2, on.clone()));
    assert_eq!(by_label(&answer, "h 127.0.0.1 1 7 *UNKNOWN*")["state"]["unacknowledged"], 1);
    assert_eq!(state("quiet"), (-1, 0, off.clone()));
    assert_eq!(state("off"), (-1, 0, disabled.clone()));
    assert_eq!(state("group"), (4, 2, on.clone()));
    assert_eq!(state("below!"), (4, 2, on.clone()));
    assert_eq!(state("of h"), (4, 2, on.clone()));
    assert_eq!(state("with tag"), (4, 2, on.clone()));
    assert_eq!(state("without tag"), (-1, 0, off.clone()));
    let group = by_label(&answer, "group");
    assert_eq!(
        (&group["state"]["objects"], &group["state"]["disabled"], &group["name"]),
        (&json!(3), &json!(1), &json!("Linux servers"))
    );
    // The group that shows its hosts: one each, in a grid, with a link to each.
    let hosts: Vec<&Value> =
        answer["elements"].as_array().unwrap().iter().filter(|it| it["centered"] == true).collect();
    assert_eq!(
        hosts.iter().map(|it| (&it["name"], &it["x"])).collect::<Vec<_>>(),
        [(&json!("h"), &json!(150)), (&json!("off"), &json!(250)), (&json!("quiet"), &json!(350))]
    );
    assert!(hosts.iter().all(|it| it["cell"] == json!([100, 100])));
    assert_eq!(by_label(&answer, "quiet")["cell"], Value::Null);
    assert_eq!(
        (&answer["areas"][0]["width"], &answer["areas"][0]["hidden"]),
        (&json!(300), &json!(0))
    );
    let links = answer["links"].as_array().unwrap();
    assert_eq!(links.len(), 4);
    assert_eq!(
        (&links[0]["color"], &links[0]["drawtype"], &links[0]["problem"], &links[0]["label"]),
        (&json!("FF8000"), &json!(4), &json!(true), &json!("7"))
    );
    assert_eq!((&links[1]["color"], &links[1]["problem"]), (&json!("00AA00"), &json!(false)));
    assert_eq!(
        (&answer["shapes"][0]["text"], &answer["images"][off]),
        (&json!("map m"), &json!([1, 1]))
    );
    assert_eq!((&answer["writable"], &answer["name"]), (&json!(true), &json!("m")));
    // Below the least severity nothing counts.
    let bearer = format!("Bearer {}", admin.id);
    let path = format!("/api/v1/maps/{map}?severity_min=5");
    let high = server.get(&path, &[("Authorization", &bearer)]).json();
    assert_eq!(by_label(&high, "group")["state"]["severity"], -1);
}

#[test]
fn images_are_files_for_those_who_are_logged_in() {
    let server = Server::start();
    let admin = server.login();
    let off = icon(&admin, "off");
    let bearer = format!("Bearer {}", admin.id);
    let get = |path: &str| server.get(path, &[("Authorization", &bearer)]);
    let image = get(&format!("/api/v1/images/{off}"));
    assert_eq!((image.status, image.header("content-type")), (200, "image/gif"));
    assert!(image.body.starts_with(b"GIF89a"));
    assert_eq!(get("/api/v1/images/1").status, 404);
    assert_eq!(server.get(&format!("/api/v1/images/{off}"), &[]).status, 401);
    assert_eq!(get("/api/v1/maps/x").json()["error"]["data"], DENIED);
}

#[test]
fn icons_follow_the_inventory() {
    let server = Server::start();
    let admin = server.login();
    let [usual, linux] = ["usual", "linux"].map(|it| icon(&admin, it));
    let hosts = ["Linux 6.1", "Windows"].map(|os| {
        let host = admin.host(os.split(' ').next().unwrap());
        let inventory = json!({"hostid": host, "inventory_mode": 0, "inventory": {"os": os}});
        admin.call("host.update", inventory);
        host
    });
    let icons = admin.create(
        "iconmap.create",
        json!({"name": "i", "default_iconid": usual, "mappings": [
            {"iconid": linux, "expression": "^Linux", "inventory_link": 5}]}),
    );
    let element = |id: &str, host: &str, by_map: i64| {
        json!({"selementid": id, "elementtype": 0, "elements": [{"hostid": host}], "iconid_off": usual,
            "use_iconmap": by_map, "label": id})
    };
    let map = admin.create(
        "map.create",
        json!({"name": "m", "width": 9, "height": 9, "iconmapid": icons, "label_type": 0, "selements": [
            element("1", &hosts[0], 1), element("2", &hosts[1], 1), element("3", &hosts[0], 0)]}),
    );
    let answer = drawn(&admin, &map);
    let icon = |label: &str| by_label(&answer, label)["iconid"].clone();
    assert_eq!([icon("1"), icon("2"), icon("3")], [json!(linux), json!(usual), json!(usual)]);
}

/// Users who see all of a map may export it, and imported maps belong to the importing user.
#[test]
fn files_of_maps_go_by_the_rights_of_maps() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("hostgroup.create", json!({"name": "seen"}));
    let host = admin.create("host.create", json!({"host": "h", "groups": [{"groupid": group}]}));
    let icon = icon(&admin, "icon of a file");
    let element = json!({"selementid": "1", "elementtype": 0, "elements": [{"hostid": host}], "iconid_off": icon});
    let map = admin.create(
        "map.create",
        json!({"name": "m", "width": 8, "height": 6, "private": 0, "selements": [
            element, {"selementid": "2", "elementtype": 4, "iconid_off": icon}]}),
    );
    let (reader, _) = user(&server, &admin, "reader", json!([{"id": group, "permission": 2}]));
    let (stranger, _) = user(&server, &admin, "stranger", json!([]));
    let request = json!({"format": "yaml", "options": {"maps": [map]}});
    let export =
        |it: &Session<'_>| server.call_as(Some(&it.id), "configuration.export", request.clone());
    let text = export(&reader)["result"].clone();
    assert_eq!(text, export(&admin)["result"]);
    assert!(text.as_str().unwrap().contains("icon of a file"), "{text}");
    assert_eq!(stranger.call("map.get", json!({"output": ["name"]}))[0]["name"], "m");
    let nothing = "zabbix_export:\n  version: '7.0'\n";
    assert_eq!(export(&stranger)["result"], nothing, "a host on it is hidden");

    admin.call("map.delete", json!([map]));
    let both = json!({"createMissing": true, "updateExisting": true});
    let rules = json!({"maps": both, "images": both});
    let source = json!({"format": "yaml", "source": text, "rules": rules});
    assert_eq!(admin.call("configuration.import", source.clone()), true);
    let get = json!({"output": ["userid", "private"], "selectSelements": ["elements"]});
    let found = admin.call("map.get", get);
    let own = admin.call("user.get", json!({"filter": {"username": "Admin"}}));
    assert_eq!((&found[0]["userid"], &found[0]["private"]), (&own[0]["userid"], &json!("1")));
    assert_eq!(found[0]["selements"][0]["elements"], json!([{"hostid": host}]));
    assert_eq!(admin.call("configuration.importcompare", source), json!([]));
}

#[test]
fn a_link_looks_by_the_value_of_an_item_for_those_who_see_it() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let load = admin.trapper(&host, "load");
    let text = json!({"hostid": host, "name": "t", "key_": "text", "type": 2, "value_type": 4});
    let text = admin.create("item.create", text);
    let off = icon(&admin, "off");
    let image = |id: &str| json!({"selementid": id, "elementtype": 4, "iconid_off": off});
    let mut hides = image("1");
    hides["show_label"] = json!(0);
    let map = admin.create(
        "map.create",
        json!({"name": "m", "width": 800, "height": 600, "private": 0,
            "selements": [hides, image("2")],
            "links": [
                {"selementid1": "1", "selementid2": "2", "color": "00FF00", "indicator_type": 2, "itemid": load,
                    "thresholds": [{"threshold": "2K", "color": "FF0000", "drawtype": 2},
                        {"threshold": 10, "color": "FFFF00"}]},
                {"selementid1": "1", "selementid2": "2", "color": "00FF00", "indicator_type": 2, "itemid": text,
                    "show_label": 0,
                    "highlights": [{"pattern": "^down$", "color": "AA0000"}, {"pattern": "d", "color": "BB0000"}]}]}),
    );
    let set = |item: &str, value: ItemValue| {
        let last = Some(Sample { time: server.now(), value });
        let live = ItemLive { last, ..ItemLive::default() };
        server.world.items.lock().unwrap().insert(ItemId(id(item)), live);
    };
    let looks = |session: &Session<'_>| -> Vec<(String, i64)> {
        let answer = drawn(session, &map);
        let links = answer["links"].as_array().unwrap();
        let look = |it: &Value| {
            (it["color"].as_str().unwrap().to_owned(), it["drawtype"].as_i64().unwrap())
        };
        links.iter().map(look).collect()
    };
    let look = |color: &str, line: i64| (color.to_owned(), line);
    assert_eq!(looks(&admin), [look("00FF00", 0), look("00FF00", 0)], "without values");
    set(&load, ItemValue::Unsigned(9));
    set(&text, ItemValue::Text("up".into()));
    assert_eq!(looks(&admin), [look("00FF00", 0), look("00FF00", 0)]);
    set(&load, ItemValue::Float(10.0));
    set(&text, ItemValue::Text("down".into()));
    assert_eq!(looks(&admin), [look("FFFF00", 0), look("AA0000", 0)]);
    set(&load, ItemValue::Unsigned(3000));
    set(&text, ItemValue::Text("slowed".into()));
    assert_eq!(looks(&admin), [look("FF0000", 2), look("BB0000", 0)]);
    let answer = drawn(&admin, &map);
    let always = |list: &str, at: usize| answer[list][at]["always"].as_bool().unwrap();
    assert_eq!([always("elements", 0), always("elements", 1)], [false, true]);
    assert_eq!([always("links", 0), always("links", 1)], [true, false]);
    // Users who do not see the host see no value in a color, and the link is marked as not theirs.
    let (guest, _) = user(&server, &admin, "visitor", json!([]));
    assert_eq!(looks(&guest), [look("00FF00", 0), look("00FF00", 0)]);
    let seen = guest.call("map.get", json!({"sysmapids": map, "selectLinks": "extend"}));
    assert_eq!(seen[0]["links"][0]["permission"], "-1");
}
