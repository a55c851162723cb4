//! Values of the real `zabbix_agentd` and of senders fill fields of inventories.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::support::{FLOAT, Process, Server, TEXT, UNSIGNED, now, program, wait_until};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(30);
const PORT: u16 = 21_060;

fn inventory(server: &Server, host: &str) -> Value {
    let fields = ["name", "os", "os_full", "hardware", "location_lat"];
    let params = json!({"hostids": [host], "output": [], "selectInventory": fields});
    server.call("host.get", &params)[0]["inventory"].clone()
}

fn link(server: &Server, item: &str, field: u8) {
    server.call("item.update", &json!({"itemid": item, "inventory_link": field}));
}

#[test]
fn values_fill_fields_as_people_read_them() {
    let mut server = Server::start();
    let host = server.host("web");
    let text = server.trapper_item(&host, "text", TEXT);
    let number = server.trapper_item(&host, "number", UNSIGNED);
    let position = server.trapper_item(&host, "position", FLOAT);
    for (item, field) in [(&text, 5), (&number, 14), (&position, 25)] {
        link(&server, item, field);
    }
    let map = json!({"hostid": host, "name": "m", "mappings": [
        {"type": "0", "value": "1", "newvalue": "rack"}]});
    let map = server.create("valuemap.create", &map).remove(0);
    server.call("item.update", &json!({"itemid": number, "valuemapid": map}));
    server.call("item.update", &json!({"itemid": position, "units": "B"}));
    server.send("web", "text", "Debian", now());
    server.send("web", "number", "1", now());
    server.send("web", "position", "1536", now());
    // By hand nothing is filled, and there is nothing to write.
    let mode = |mode: i8| json!({"hostid": host, "inventory_mode": mode});
    server.call("host.update", &mode(0));
    let mut by_hand = mode(0);
    by_hand["inventory"] = json!({"os": "by hand", "name": "web"});
    server.call("host.update", &by_hand);
    assert_eq!(server.metric("saker_inventory_items"), 0);
    assert_eq!(inventory(&server, &host)["os"], "by hand");

    server.call("host.update", &mode(1));
    let filled = json!({"name": "web", "os": "Debian", "os_full": "", "hardware": "rack (1)",
        "location_lat": "1.5 KB"});
    wait_until("the fields are filled", SOON, || inventory(&server, &host) == filled);
    // Values that say the same are not written again.
    let fills = server.metric("saker_inventory_fills_total");
    assert_eq!(fills, 3);
    server.send("web", "text", "Debian", now());
    server.send("web", "number", "2", now());
    wait_until("the other value is there", SOON, || inventory(&server, &host)["hardware"] == "2");
    assert_eq!(server.metric("saker_inventory_fills_total"), fills + 1);

    // A change that is not written yet at the end is found at the start.
    server.send("web", "text", "Debian 12", now());
    server.kill();
    server.start_again();
    wait_until("the last value is there", SOON, || inventory(&server, &host)["os"] == "Debian 12");
    let rest = inventory(&server, &host);
    assert_eq!((&rest["hardware"], &rest["name"]), (&json!("2"), &json!("web")));
}

#[test]
fn real_agent_fills_the_inventory() {
    let Some(program) = program("zabbix_agentd") else { return };
    let server = Server::start();
    let group = server.group("Agents");
    let request = json!({
        "host": "agent", "groups": [{"groupid": group}], "inventory_mode": 1,
        "interfaces": [{"type": 1, "main": 1, "useip": 1, "ip": server.address.to_string(),
            "dns": "", "port": PORT.to_string()}],
    });
    let host = server.create("host.create", &request).remove(0);
    let template = json!({"host": "Inventory", "groups": [{"groupid": "1"}]});
    let template = server.create("template.create", &template).remove(0);
    for (key, field) in [("system.uname", 6), ("agent.hostname", 3)] {
        let item = json!({"hostid": template, "name": key, "key_": key, "type": 0,
            "value_type": TEXT, "delay": "1s", "inventory_link": field});
        server.create("item.create", &item);
    }
    let linked = json!({"hostid": host, "templates": [{"templateid": template}]});
    server.call("host.update", &linked);

    let dir = server.dir();
    let config = dir.join("agentd.conf");
    let lines = format!(
        "PidFile={dir}/agentd.pid\nLogType=console\nAllowRoot=1\nHostname=agent\nListenIP={ip}\n\
         ListenPort={PORT}\nSourceIP={ip}\nServer=127.0.0.0/8\nStartAgents=2\n",
        dir = dir.display(),
        ip = server.address,
    );
    fs::write(&config, lines).unwrap();
    let mut command = Command::new(program);
    command.arg("-f").arg("-c").arg(&config);
    let _agent = Process::start(&mut command, dir.join("agentd.log"));
    wait_until("the agent's answers are there", SOON, || {
        let it = inventory(&server, &host);
        it["name"] == "agent" && it["os_full"].as_str().unwrap().contains("Linux")
    });
}
