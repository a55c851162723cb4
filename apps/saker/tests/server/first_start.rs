//! What a new installation shows of its own machine: nothing that its own start has caused.

use std::time::Duration;

use crate::support::{Server, wait_until};
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
    wait_until("a restart is told", FIRST, || {
        ask(&server);
        restarted(&server)
    });
}
