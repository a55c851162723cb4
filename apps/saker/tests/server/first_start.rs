//! The host of a new installation: its own start causes no problems.

use std::time::Duration;

use crate::support::{Server, now, wait_until};
use serde_json::{Value, json};

/// First checks are spread over a minute.
const FIRST: Duration = Duration::from_secs(120);

fn names(rows: &Value, field: &str) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|it| it[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_first_start_opens_no_problem_because_of_itself_and_a_restart_does() {
    let mut server = Server::start_with_own_host();
    let item = |server: &Server, key: &str| {
        let params = json!({"filter": {"key_": key}, "output": ["itemid"], "monitored": true});
        server.call("item.get", &params)[0]["itemid"].as_str().unwrap().to_owned()
    };
    let uptime = item(&server, "zabbix[uptime]");
    // Values of each kind that a start makes look bad: the machine is busy, the server is new.
    let first = [
        uptime.clone(),
        item(&server, "zabbix[shard,busy]"),
        item(&server, "zabbix[journal,lag]"),
        item(&server, "system.uptime"),
        item(&server, "system.cpu.util.busy"),
        item(&server, "system.cpu.util[,iowait]"),
        item(&server, "system.cpu.load[percpu,avg1]"),
    ];
    let ask = |server: &Server| {
        let tasks: Vec<Value> =
            first.iter().map(|it| json!({"type": 6, "request": {"itemid": it}})).collect();
        server.call("task.create", &json!(tasks));
    };
    ask(&server);
    wait_until("all of them have a value", FIRST, || {
        first.iter().all(|it| server.last(it).is_some())
    });
    let params = json!({"itemids": first, "output": ["triggerid", "description"]});
    let triggers = server.call("trigger.get", &params);
    let watched = names(&triggers, "description");
    assert_eq!(watched.len(), first.len(), "one for each: {watched:?}");
    let ids = names(&triggers, "triggerid");
    let events = |server: &Server| {
        let params = json!({"objectids": ids, "value": 1, "output": ["name"]});
        names(&server.call("event.get", &params), "name")
    };
    assert_eq!(events(&server), Vec::<String>::new());

    // Its uptime is read once more, so that it is longer than the first after a restart.
    let older: u64 = server.last(&uptime).unwrap().parse().unwrap();
    wait_until("the uptime grows", FIRST, || {
        ask(&server);
        older + 10 < server.last(&uptime).unwrap().parse().unwrap()
    });
    server.stop();
    server.start_again();
    let restarted =
        |server: &Server| events(server).contains(&"The server has been restarted".to_owned());
    wait_until("a restart is reported", FIRST, || {
        ask(&server);
        restarted(&server)
    });
}

#[test]
fn a_full_disk_is_one_problem_however_many_containers_show_it() {
    let server = Server::start();
    let rules = json!({"filter": {"key_": "vfs.fs.discovery"}, "output": ["hostid"], "selectFilter": "extend"});
    let rule = server.call("discoveryrule.get", &rules)[0].clone();
    let groups = server.call("hostgroup.get", &json!({"output": ["groupid"], "limit": 1}));
    let params = json!({
        "host": "box", "groups": groups,
        "templates": [{"templateid": rule["hostid"]}],
        "interfaces": [{"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "1"}],
    });
    let host = server.create("host.create", &params).remove(0);
    // The same filter with the same macros, of values that are sent.
    let mut filter = rule["filter"].clone();
    filter.as_object_mut().unwrap().remove("eval_formula");
    let copy =
        json!({"hostid": host, "name": "Mounts", "key_": "mounts", "type": 2, "filter": filter});
    let copy = server.create("discoveryrule.create", &copy).remove(0);
    let prototype = json!({
        "hostid": host, "ruleid": copy, "name": "Mount {#FSNAME}", "key_": "mount[{#FSNAME}]", "type": 2,
        "value_type": 3,
    });
    server.create("itemprototype.create", &prototype);
    let mount = |name: &str, kind: &str| json!({"{#FSNAME}": name, "{#FSTYPE}": kind});
    let mounts = json!([
        mount("/", "overlay"),
        mount("/mnt/one", "overlay"),
        mount("/home/ada/.local/share/containers/storage/overlay/1f/merged", "overlay"),
        mount("/var/lib/docker/overlay2/2e/merged", "overlay"),
        mount("/data", "xfs"),
        mount("/var/lib/docker", "xfs"),
        mount("/run", "tmpfs"),
    ]);
    server.send("box", "mounts", &mounts.to_string(), now());
    let found = || {
        let params = json!({"hostids": [host], "search": {"key_": "mount["}, "output": ["key_"]});
        let mut keys = names(&server.call("item.get", &params), "key_");
        keys.sort();
        keys
    };
    wait_until("mounts are found", FIRST, || !found().is_empty());
    assert_eq!(found(), ["mount[/]", "mount[/data]"]);
}
