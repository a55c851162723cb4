//! Problems of hosts behind others: ranked whatever comes first, over restarts and kills.

use std::time::Duration;

use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

/// Name and cause's name of each open problem, by name.
fn ranks(server: &Server) -> Vec<(String, String)> {
    let get = json!({"output": ["eventid", "name", "cause_eventid"]});
    let problems = server.call("problem.get", &get);
    let problems = problems.as_array().expect("problems");
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let name_of = |id: &Value| {
        let found = problems.iter().find(|it| it["eventid"] == *id);
        found.map_or_else(String::new, |it| text(&it["name"]))
    };
    let mut ranks: Vec<_> =
        problems.iter().map(|it| (text(&it["name"]), name_of(&it["cause_eventid"]))).collect();
    ranks.sort_unstable();
    ranks
}

fn expected(ranks: &[(&str, &str)]) -> Vec<(String, String)> {
    ranks.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect()
}

#[test]
fn problems_behind_a_down_host_are_symptoms_over_restarts() {
    let mut server = Server::start();
    let hosts = ["core", "floor", "printer"].map(|name| {
        let host = server.host(name);
        server.trapper_item(&host, "agent.ping", FLOAT);
        let params = json!({"description": format!("{name} is down"), "priority": 4,
            "expression": format!("last(/{name}/agent.ping)=0")});
        server.create("trigger.create", &params);
        host
    });
    for at in [1, 2] {
        let parents = json!([{"hostid": hosts[at - 1]}]);
        server.call("host.update", &json!({"hostid": hosts[at], "parents": parents}));
    }
    for name in ["printer", "floor", "core"] {
        server.send(name, "agent.ping", "0", now());
    }
    let all = expected(&[
        ("core is down", ""),
        ("floor is down", "core is down"),
        ("printer is down", "core is down"),
    ]);
    wait_until("all ranks", LIMIT, || ranks(&server) == all);
    for is_orderly in [true, false] {
        if is_orderly {
            server.stop();
        } else {
            server.kill();
        }
        server.start_again();
        // At the first answer, not some time later.
        assert_eq!(ranks(&server), all, "orderly: {is_orderly}");
    }
    // Without parents they are causes, and so they stay symptoms only while they have some.
    server.call("host.update", &json!({"hostid": hosts[1], "parents": []}));
    let without = expected(&[
        ("core is down", ""),
        ("floor is down", ""),
        ("printer is down", "floor is down"),
    ]);
    wait_until("ranks without the parent", LIMIT, || ranks(&server) == without);
}
