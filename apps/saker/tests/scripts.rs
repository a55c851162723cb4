//! JavaScript steps in the running server.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::time::Duration;

use support::peer::Counts;
use support::{Server, TEXT, now, wait_until};

/// A script may take 10 s.
const WAIT_MAX: Duration = Duration::from_secs(60);

#[test]
fn scripts_run_beside_everything_else_and_survive_a_crash() {
    let mut server = Server::start();
    let host = server.host("h");
    let endless = server.scripted(&host, "endless", "for (;;) {}");
    let doubled = server.scripted(
        &host,
        "doubled",
        "Zabbix.log(3, 'seen by a script: ' + value); return value * 2",
    );
    let health = format!("http://{}/health", server.http());
    let asking = server.scripted(
        &host,
        "asking",
        &format!(
            "var r = new HttpRequest(); r.get('{health}'); return r.getStatus() + ' ' + r.getHeaders()['CONTENT-type']"
        ),
    );
    let slow = server.scripted(&host, "slow", "Zabbix.sleep(4000); return 'slow ' + value");
    let nothing = server.scripted(&host, "nothing", "return null");
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

#[test]
fn dependants_do_not_wait_for_a_script_that_loops() {
    // One of the two workers is in the loop.
    let env = [("SAKER_SCRIPT_WORKERS", "2"), ("SAKER_SCRIPT_TIMEOUT_MS", "8000")];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    let master = server.trapper_item(&host, "master", TEXT);
    let endless = server.dependent_script(&host, &master, "endless", "for (;;) {}");
    let others: Vec<String> = (0..20)
        .map(|n| server.dependent_script(&host, &master, &format!("k{n}"), "return value + '!'"))
        .collect();
    let sent = now();
    for value in ["1", "2", "3"] {
        assert_eq!(server.send("h", "master", value, now()), Counts(1, 0, 1));
        wait_until("the others have theirs", WAIT_MAX, || {
            others.iter().all(|it| server.last(it) == Some(format!("{value}!")))
        });
    }
    assert!(now() - sent < 8, "not behind the loop");
    assert_eq!(server.item(&endless)["state"], "0", "it still runs");
    // What waits for the loop does so after a crash; the others have their values once.
    server.kill();
    server.start_again();
    wait_until("the loop is stopped", WAIT_MAX, || server.item(&endless)["state"] == "1");
    for it in &others {
        assert_eq!(server.history_values(it), ["1!", "2!", "3!"]);
    }
    server.stop();
}

/// A loop within the engine itself, which asks nobody whether its time is up.
const STUCK: &str = "return Array.prototype.reverse.call({length: 9e15})";

#[test]
fn a_worker_that_does_not_come_back_is_replaced() {
    let env = [("SAKER_SCRIPT_WORKERS", "1"), ("SAKER_SCRIPT_TIMEOUT_MS", "500")];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    let stuck = server.scripted(&host, "stuck", STUCK);
    let other = server.scripted(&host, "other", "return 'after ' + value");
    assert_eq!(server.send("h", "stuck", "1", now()), Counts(1, 0, 1));
    // There is one worker: this waits for the next.
    assert_eq!(server.send("h", "other", "1", now()), Counts(1, 0, 1));
    wait_until("another worker goes on", WAIT_MAX, || {
        server.last(&other).as_deref() == Some("after 1")
    });
    let item = server.item(&stuck);
    assert_eq!(item["state"], "1");
    assert!(item["error"].as_str().unwrap().contains("execution timeout"), "{item}");
    assert!(server.process().log().contains("a worker does not come back"));
    // The thread still runs; the server ends all the same.
    server.stop();
}
