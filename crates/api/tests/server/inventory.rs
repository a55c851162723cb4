//! The inventory of hosts over the API.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn make(admin: &Session<'_>, name: &str, more: Value) -> String {
    let mut params = json!({"host": name, "groups": {"groupid": "2"}});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    admin.create("host.create", params)
}

fn hosts(admin: &Session<'_>, more: Value) -> Vec<String> {
    let mut params = json!({"output": ["host"], "sortfield": "host"});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let found = admin.call("host.get", params);
    found.as_array().unwrap().iter().map(|it| it["host"].as_str().unwrap().to_owned()).collect()
}

/// Mode and inventory of a host.
fn read(admin: &Session<'_>, id: &str, select: Value) -> (Value, Value) {
    let params = json!({"hostids": id, "output": ["inventory_mode"], "selectInventory": select});
    let host = admin.call("host.get", params)[0].clone();
    (host["inventory_mode"].clone(), host["inventory"].clone())
}

#[test]
fn an_inventory_reads_back_in_every_form_that_clients_ask_for() {
    let server = Server::start();
    let admin = server.login();
    // As zabbix-cli makes hosts.
    let automatic = json!({"inventory_mode": "1", "inventory": {"name": "web"}});
    let id = make(&admin, "web", automatic);
    let (mode, all) = read(&admin, &id, json!("extend"));
    assert_eq!((&mode, all.as_object().unwrap().len()), (&json!("1"), 70));
    assert_eq!((&all["name"], &all["poc_2_notes"]), (&json!("web"), &json!("")));
    assert_eq!(read(&admin, &id, json!(true)).1, all);
    for (select, expected) in [
        (json!(["name", "os", "nothing"]), json!({"name": "web", "os": ""})),
        (json!("name"), json!({"name": "web"})),
        (json!("hostid"), json!({"hostid": id})),
        (json!(["hostid", "os"]), json!({"hostid": id, "os": ""})),
        (json!([]), json!([])),
    ] {
        assert_eq!(read(&admin, &id, select.clone()).1, expected, "{select}");
    }
    let wrong = "Invalid parameter \"/selectTags\": value must be one of \"extend\", \"count\" or an array.";
    assert_eq!(admin.error("host.get", json!({"selectTags": "name"})), wrong);

    // By default there is none; empty values of PHP mean none.
    for (at, nothing) in [json!({}), json!([]), json!(null), json!("")].into_iter().enumerate() {
        let id = make(&admin, &format!("none-{at}"), json!({"inventory": nothing}));
        assert_eq!(read(&admin, &id, json!("extend")), (json!("-1"), json!([])), "{nothing}");
    }
    // With one it is kept by hand.
    let id = make(&admin, "manual", json!({"inventory": {"os": 7}}));
    assert_eq!(read(&admin, &id, json!(["os"])), (json!("0"), json!({"os": "7"})));
    // As Ansible changes them: first the mode, then the fields that it read with its own.
    admin.call("host.update", json!({"hostid": id, "inventory_mode": 1}));
    let mut whole = read(&admin, &id, json!("extend")).1;
    whole["location"] = json!("Riga");
    admin.call("host.update", json!({"hostid": id, "inventory": whole}));
    let expected = json!({"os": "7", "location": "Riga"});
    assert_eq!(read(&admin, &id, json!(["os", "location"])), (json!("1"), expected));
    admin.call("host.update", json!({"hostid": id, "inventory_mode": -1}));
    assert_eq!(read(&admin, &id, json!("extend")), (json!("-1"), json!([])));
}

#[test]
fn many_hosts_get_the_same_fields() {
    let server = Server::start();
    let admin = server.login();
    let ids = [make(&admin, "a", json!({"inventory_mode": 0})), make(&admin, "b", json!({}))];
    let both = json!([{"hostid": ids[0]}, {"hostid": ids[1]}]);
    let params = json!({"hosts": both, "inventory": {"os": "BSD"}});
    let off = "Inventory disabled for host \"b\".";
    assert_eq!(admin.error("host.massupdate", params), off);
    let params = json!({"hosts": both, "inventory_mode": 1, "inventory": {"os": "BSD"}});
    admin.call("host.massupdate", params);
    for id in &ids {
        assert_eq!(read(&admin, id, json!(["os"])), (json!("1"), json!({"os": "BSD"})));
    }
}

#[test]
fn wrong_inventories_are_refused_in_zabbix_words() {
    let server = Server::start();
    let admin = server.login();
    let id = make(&admin, "h", json!({"inventory_mode": 0}));
    let long = "x".repeat(17);
    for (change, expected) in [
        (
            json!({"inventory_mode": -1, "inventory": {"os": "x"}}),
            "Cannot set inventory fields for disabled inventory.".to_owned(),
        ),
        (
            json!({"inventory_mode": 2}),
            "Incorrect value for field \"inventory_mode\": value must be one of -1, 0, 1."
                .to_owned(),
        ),
        (
            json!({"inventory": {"inventory_mode": 1}}),
            "Incorrect inventory field \"inventory_mode\".".to_owned(),
        ),
        (json!({"inventory": ["os"]}), "Incorrect inventory field \"0\".".to_owned()),
        (
            json!({"inventory": "os"}),
            "Invalid parameter \"/1/inventory\": an array is expected.".to_owned(),
        ),
        (
            json!({"inventory": {"os": []}}),
            "Invalid parameter \"/1/inventory/os\": a character string is expected.".to_owned(),
        ),
        (
            json!({"inventory": {"location_lat": long}}),
            format!(
                "Value \"{long}\" is too long for field \"location_lat\" - 17 characters. Allowed \
                 length is 16 characters."
            ),
        ),
    ] {
        let mut params = change.clone();
        params["hostid"] = json!(id);
        assert_eq!(admin.error("host.update", params), expected, "{change}");
    }
}

#[test]
fn hosts_are_found_by_their_inventory() {
    let server = Server::start();
    let admin = server.login();
    make(&admin, "a", json!({"inventory": {"os": "Debian Linux", "location": "Riga"}}));
    make(&admin, "b", json!({"inventory_mode": 1, "inventory": {"os": "Arch linux"}}));
    make(&admin, "c", json!({"inventory_mode": 0}));
    make(&admin, "d", json!({}));
    for (params, expected) in [
        (json!({"searchInventory": {"os": "LINUX"}}), vec!["a", "b"]),
        (json!({"searchInventory": {"os": ["linux", "debian"]}}), vec!["a"]),
        (json!({"searchInventory": {"os": "linux", "location": "rig"}}), vec!["a"]),
        (
            json!({"searchInventory": {"os": "arch", "location": "rig"}, "searchByAny": true}),
            vec!["a", "b"],
        ),
        (json!({"searchInventory": {"os": "arch"}, "startSearch": true}), vec!["b"]),
        (
            json!({"searchInventory": {"os": "*lin*x"}, "searchWildcardsEnabled": true}),
            vec!["a", "b"],
        ),
        // Hosts without an inventory have nothing to be compared.
        (json!({"searchInventory": {"os": "linux"}, "excludeSearch": true}), vec!["c"]),
        (json!({"searchInventory": {"nothing": "x"}}), vec!["a", "b", "c"]),
        (json!({"searchInventory": {"os": "linux"}, "search": {"host": "b"}}), vec!["b"]),
        (json!({"withInventory": true}), vec!["a", "b", "c"]),
        (json!({"filter": {"inventory_mode": -1}}), vec!["d"]),
        (json!({"filter": {"inventory_mode": ["0", 1]}}), vec!["a", "b", "c"]),
    ] {
        assert_eq!(hosts(&admin, params.clone()), expected, "{params}");
    }
    let wrong = "Invalid parameter \"/searchInventory\": an array is expected.";
    assert_eq!(admin.error("host.get", json!({"searchInventory": "linux"})), wrong);
}

#[test]
fn items_name_the_field_that_they_fill() {
    let server = Server::start();
    let admin = server.login();
    let host = make(&admin, "h", json!({"inventory_mode": 1, "inventory": {"os": "x"}}));
    let item = admin.create(
        "item.create",
        json!({"hostid": host, "name": "os", "key_": "os", "type": 2, "value_type": 4,
            "inventory_link": 5}),
    );
    let params = json!({"itemids": item, "output": ["inventory_link"]});
    let expected = json!([{"itemid": item, "inventory_link": "5"}]);
    assert_eq!(admin.call("item.get", params), expected);
    // The field is the item's from now on; others stay the user's.
    let fields = json!({"os": "mine", "name": "mine"});
    admin.call("host.update", json!({"hostid": host, "inventory": fields}));
    let expected = json!({"os": "x", "name": "mine"});
    assert_eq!(read(&admin, &host, json!(["os", "name"])).1, expected);
    let log = json!({"hostid": host, "name": "l", "key_": "l", "type": 2, "value_type": 2,
        "inventory_link": 6});
    let wrong = "Invalid parameter \"/1/inventory_link\": value must be 0.";
    assert_eq!(admin.error("item.create", log), wrong);
}
