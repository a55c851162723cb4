//! JavaScript steps in the running server.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::time::Duration;

use serde_json::json;
use support::peer::Counts;
use support::{Server, now, wait_until};

/// A script may take 10 s.
const WAIT_MAX: Duration = Duration::from_secs(60);
const TEXT: u8 = 4;

fn scripted(server: &Server, host: &str, key: &str, source: &str) -> String {
    let step =
        json!({"type": 21, "params": source, "error_handler": 0, "error_handler_params": ""});
    let item = json!({
        "hostid": host, "name": key, "key_": key, "type": 2, "value_type": TEXT,
        "preprocessing": [step],
    });
    server.create("item.create", &item).remove(0)
}

#[test]
fn scripts_run_beside_everything_else_and_survive_a_crash() {
    let mut server = Server::start();
    let host = server.host("h");
    let endless = scripted(&server, &host, "endless", "for (;;) {}");
    let doubled = scripted(
        &server,
        &host,
        "doubled",
        "Zabbix.log(3, 'seen by a script: ' + value); return value * 2",
    );
    let health = format!("http://{}/health", server.http());
    let asking = scripted(
        &server,
        &host,
        "asking",
        &format!(
            "var r = new HttpRequest(); r.get('{health}'); return r.getStatus() + ' ' + r.getHeaders()['CONTENT-type']"
        ),
    );
    let slow = scripted(&server, &host, "slow", "Zabbix.sleep(4000); return 'slow ' + value");
    let nothing = scripted(&server, &host, "nothing", "return null");
    let plain = server.trapper_item(&host, "plain", TEXT);

    assert_eq!(server.send("h", "endless", "1", now()), Counts(1, 0, 1));
    for (key, value) in [("doubled", "21"), ("plain", "p"), ("asking", ""), ("nothing", "1")] {
        assert_eq!(server.send("h", key, value, now()), Counts(1, 0, 1), "{key}");
    }
    wait_until("values flow beside the loop", WAIT_MAX, || {
        server.last(&plain).as_deref() == Some("p")
            && server.last(&doubled).as_deref() == Some("42")
            && server.last(&asking).is_some_and(|it| it.starts_with("200 "))
    });
    assert!(server.process().log().contains("seen by a script: 21"));
    wait_until("the loop is stopped", WAIT_MAX, || {
        let item = server.item(&endless);
        item["state"] == "1" && item["error"].as_str().unwrap().contains("execution timeout")
    });
    assert_eq!(server.last(&nothing), None, "null discards the value");
    assert_eq!(server.item(&nothing)["state"], "0");

    // What was acknowledged while its script runs is there after a crash.
    assert_eq!(server.send("h", "slow", "1", now()), Counts(1, 0, 1));
    server.kill();
    server.start_again();
    wait_until("the script is run again", WAIT_MAX, || {
        server.last(&slow).as_deref() == Some("slow 1")
    });
    assert_eq!(server.last(&doubled).as_deref(), Some("42"));
    server.stop();
}
