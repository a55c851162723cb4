//! Latest values as pages get them.

use api::ports::ItemLive;
use model::value::Sample;
use model::{ItemId, Time, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::Server;
use crate::live::id;

#[test]
fn items_are_shown_by_what_is_known_of_them() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let [valued, broken, silent] =
        ["valued", "broken", "silent"].map(|it| admin.trapper(&host, it));
    let sample = Sample { time: Time::from_clock(50, 0), value: ItemValue::Unsigned(8) };
    let with_value = ItemLive { last: Some(sample), ..ItemLive::default() };
    let unsupported = ItemLive { is_unsupported: true, ..ItemLive::default() };
    let mut items = server.world.items.lock().unwrap();
    items.insert(ItemId(id(&valued)), with_value);
    items.insert(ItemId(id(&broken)), unsupported);
    drop(items);
    let bearer = format!("Bearer {}", admin.id);
    let get = |query: &str| -> Value {
        server.get(&format!("/api/v1/latest?{query}"), &[("Authorization", &bearer)]).json()
    };
    let shown = |query: &str| get(query)["items"]["itemid"].clone();
    assert_eq!(shown(""), json!([valued, broken, silent]));
    assert_eq!(shown("show=values"), json!([valued]));
    assert_eq!(shown("show=unsupported"), json!([broken]));
    // Omitted items do not count against the limit.
    assert_eq!(shown("show=unsupported&limit=1"), json!([broken]));
    assert_eq!(shown("show=unsupported&search=valued"), json!([]));
    // Words are looked for in the name of the host, too.
    assert_eq!(shown("search=H%20silent"), json!([silent]));
    assert!(get("show=some")["error"].is_object());
}

#[test]
fn a_group_includes_its_subgroups() {
    let server = Server::start();
    let admin = server.login();
    let [above, below, other] = ["Europe", "Europe/Riga", "Europes"]
        .map(|it| admin.create("hostgroup.create", json!({"name": it})));
    let items = [&above, &below, &other].map(|group| {
        let fields = json!({"host": format!("h{group}"), "groups": {"groupid": group}});
        admin.trapper(&admin.create("host.create", fields), "k")
    });
    let bearer = format!("Bearer {}", admin.id);
    let shown = |group: &str| {
        let path = format!("/api/v1/latest?groupids={group}");
        server.get(&path, &[("Authorization", &bearer)]).json()["items"]["itemid"].clone()
    };
    assert_eq!(shown(&above), json!([items[0], items[1]]));
    assert_eq!(shown(&below), json!([items[1]]));
}
