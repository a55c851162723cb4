//! JavaScript steps in the running server.

use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::{Server, TEXT, now, wait_until};

/// A script may take 10 s.
const WAIT_MAX: Duration = Duration::from_secs(60);

#[test]
fn scripts_block_no_values_and_survive_a_crash() {
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
    wait_until("values flow during the loop", WAIT_MAX, || {
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

    // A value that was acknowledged while its script runs is there after a crash.
    assert_eq!(server.send("h", "slow", "1", now()), Counts(1, 0, 1));
    server.kill();
    server.start_again();
    wait_until("the script is run again", WAIT_MAX, || {
        server.last(&slow).as_deref() == Some("slow 1")
    });
    assert_eq!(server.last(&doubled).as_deref(), Some("42"));
    server.stop();
}

/// Items that loop until their time is up, with a value each.
fn loops(server: &Server, host: &str, n: usize) -> Vec<String> {
    let ids = (0..n).map(|it| server.scripted(host, &format!("loop{it}"), "for (;;) {}")).collect();
    feed_loops(server, n);
    ids
}

fn feed_loops(server: &Server, n: usize) {
    for it in 0..n {
        assert_eq!(server.send("h", &format!("loop{it}"), "1", now()), Counts(1, 0, 1));
    }
}

/// Sends a value and waits for it; how many of the loops have ended by then.
fn quick_among(server: &Server, quick: &str, value: &str, loops: &[String]) -> usize {
    assert_eq!(server.send("h", "quick", value, now()), Counts(1, 0, 1));
    wait_until("the quick one has its value", WAIT_MAX, || {
        server.last(quick).as_deref() == Some(value)
    });
    n_ended(server, loops)
}

fn n_ended(server: &Server, loops: &[String]) -> usize {
    loops.iter().filter(|it| server.item(it)["state"] == "1").count()
}

#[test]
fn a_quick_script_does_not_wait_for_slow_ones() {
    for workers in ["1", "2"] {
        let env = [("SAKER_SCRIPT_WORKERS", workers), ("SAKER_SCRIPT_TIMEOUT_MS", "8000")];
        let mut server = Server::start_with(&env);
        let host = server.host("h");
        let quick = server.scripted(&host, "quick", "return value");
        // Of nobody it is known how long they take.
        let loops = loops(&server, &host, 3);
        assert_eq!(quick_among(&server, &quick, "first", &loops), 0, "before any loop has ended");
        wait_until("all loops are stopped", WAIT_MAX, || n_ended(&server, &loops) == 3);
        // Now it is. That of the quick one too, also where its first run had to wait for the machine.
        for value in ["x", "y", "z"] {
            quick_among(&server, &quick, value, &loops);
        }
        let before = server.metric("saker_worker_timeouts_total");
        feed_loops(&server, 3);
        for value in ["a", "b", "c"] {
            quick_among(&server, &quick, value, &loops);
            assert_eq!(server.metric("saker_worker_timeouts_total"), before, "{workers}");
        }
        // One at a time runs, and all have their turn.
        assert!(server.metric("saker_worker_waiting{class=\"slow\"}") >= 1);
        wait_until("all loops are stopped again", WAIT_MAX, || {
            server.metric("saker_worker_timeouts_total") == before + 3
        });
        server.stop();
    }
}

#[test]
fn dependants_do_not_wait_for_a_script_that_loops() {
    // Slow scripts may hold two of three workers. One is in the loop, for as long as anything here is waited for; the other
    // one takes those that a busy machine makes slow.
    let env = [("SAKER_SCRIPT_WORKERS", "3"), ("SAKER_SCRIPT_TIMEOUT_MS", "60000")];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    let master = server.trapper_item(&host, "master", TEXT);
    let endless = server.dependent_script(&host, &master, "endless", "for (;;) {}");
    let others: Vec<String> = (0..20)
        .map(|n| server.dependent_script(&host, &master, &format!("k{n}"), "return value + '!'"))
        .collect();
    for value in ["1", "2", "3"] {
        assert_eq!(server.send("h", "master", value, now()), Counts(1, 0, 1));
        wait_until("the others have theirs", WAIT_MAX, || {
            others.iter().all(|it| server.last(it) == Some(format!("{value}!")))
        });
    }
    assert_eq!(server.metric("saker_worker_timeouts_total"), 0, "not after the loop");
    assert_eq!(server.item(&endless)["state"], "0", "it still runs");
    // Values that wait for the loop do so after a crash; the others are stored once.
    server.kill();
    server.set_env("SAKER_SCRIPT_TIMEOUT_MS", "1000");
    server.start_again();
    wait_until("the loop is stopped", WAIT_MAX, || server.item(&endless)["state"] == "1");
    for it in &others {
        assert_eq!(server.history_values(it), ["1!", "2!", "3!"]);
    }
    server.stop();
}
