//! Events while the database is away, and without a part of the journal.

use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

use crate::support::peer::{self, Counts};
use crate::support::{Server, TEXT, UNSIGNED, now, wait_until};
use peers::Line;
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(60);
/// A file of the journal has 128 MiB.
const FILLER_BYTES: usize = 140 << 20;
const TEXT_BYTES: usize = 60_000;
const TEXTS_OF_REQUEST: usize = 100;

/// A schema of PostgreSQL by way of a line, for one test.
struct Postgres {
    url: String,
    schema: String,
    line: Line,
}

impl Postgres {
    /// `None`, with a word, where `SAKER_TEST_POSTGRES` names no server.
    fn new() -> Option<Self> {
        let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
            eprintln!("skipped: SAKER_TEST_POSTGRES is not set");
            return None;
        };
        let schema = format!("saker_away_{}", std::process::id());
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        client.batch_execute(&format!("create schema {schema}")).unwrap();
        let config: postgres::Config = url.parse().unwrap();
        let [postgres::config::Host::Tcp(host)] = config.get_hosts() else { panic!("{url}") };
        let line = Line::to(format!("{host}:{}", config.get_ports()[0]).parse().unwrap());
        Some(Self { url, schema, line })
    }

    fn through_line(&self) -> String {
        let (head, tail) = self.url.split_once('@').unwrap();
        let (_, database) = tail.split_once('/').unwrap();
        let options = format!("options=-csearch_path%3D{}", self.schema);
        format!("{head}@{}/{database}?{options}", self.line.address)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut client = postgres::Client::connect(&self.url, postgres::NoTls).unwrap();
        let quiet = "set client_min_messages = warning";
        client.batch_execute(&format!("{quiet}; drop schema {} cascade", self.schema)).unwrap();
    }
}

/// A host whose item `load` flips a trigger.
fn configure(server: &Server) -> String {
    let host = server.host("h");
    server.trapper_item(&host, "load", UNSIGNED);
    server.trapper_item(&host, "text", TEXT);
    server.trigger("flips", "last(/h/load)=1")
}

/// Values of events of the trigger, oldest first.
fn events(server: &Server, trigger: &str) -> Vec<String> {
    let params = json!({
        "objectids": [trigger], "output": ["value"], "sortfield": "eventid", "sortorder": "ASC",
    });
    let rows = server.call("event.get", &params);
    rows.as_array().unwrap().iter().map(|it| it["value"].as_str().unwrap().to_owned()).collect()
}

fn flip(server: &Server, value: u8) {
    assert_eq!(server.send("h", "load", &value.to_string(), now()), Counts(1, 0, 1));
}

/// More than a file of the journal, of texts that are all different.
fn fill(server: &Server) {
    let (mut random, mut clock) = (0x9e37_79b9_7f4a_7c15_u64, now() - 100_000);
    for _ in 0..FILLER_BYTES.div_ceil(TEXT_BYTES * TEXTS_OF_REQUEST) {
        let rows: Vec<Value> = (0..TEXTS_OF_REQUEST)
            .map(|_| {
                let mut text = String::with_capacity(TEXT_BYTES + 16);
                while text.len() < TEXT_BYTES {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    text.push_str(&format!("{random:016x}"));
                }
                clock += 1;
                peer::row("h", "text", &text, clock)
            })
            .collect();
        let n = u64::try_from(rows.len()).unwrap();
        let sent = peer::send(&mut server.connect(), &rows);
        assert_eq!(sent.expect("it is answered"), Counts(n, 0, n));
    }
}

#[test]
fn events_of_a_time_without_database_are_there_after_a_crash() {
    let Some(postgres) = Postgres::new() else { return };
    let mut server = Server::start_with(&[("SAKER_DATABASE_URL", &postgres.through_line())]);
    let trigger = configure(&server);
    flip(&server, 1);
    wait_until("the first event is there", DEADLINE, || events(&server, &trigger) == ["1"]);
    postgres.line.cut();
    for value in [0, 1, 0, 1] {
        flip(&server, value);
    }
    wait_until("events wait", DEADLINE, || server.metric("saker_db_events_waiting") == 4);
    wait_until("health reports it", DEADLINE, || server.health_issue("db-events").is_some());
    let (status, health) = server.health().unwrap();
    assert_eq!((status, &health["state"]), (200, &json!("degraded")), "{health}");
    fill(&server);
    assert!(1 < fs::read_dir(server.data().join("journal")).unwrap().count());
    // With a checkpoint behind all of it.
    server.stop();
    postgres.line.mend();
    server.start_again();
    let all = ["1", "0", "1", "0", "1"];
    wait_until("all events are there", DEADLINE, || events(&server, &trigger) == all);
    assert!(server.is_problem(&trigger));
    // Once more, and killed.
    postgres.line.cut();
    flip(&server, 0);
    wait_until("it waits", DEADLINE, || server.metric("saker_db_events_waiting") == 1);
    server.kill();
    postgres.line.mend();
    server.start_again();
    let all = ["1", "0", "1", "0", "1", "0"];
    wait_until("all events are there", DEADLINE, || events(&server, &trigger) == all);
    assert!(!server.process().log().contains("outside of the journal"));
}

fn accept_gap(server: &Server) -> Output {
    Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(["journal", "accept-gap", "--data"])
        .arg(server.data())
        .env_remove("SAKER_SETTINGS")
        .output()
        .unwrap()
}

#[test]
fn foreign_journal_is_reported_and_accepted_by_command() {
    let mut server = Server::start();
    let trigger = configure(&server);
    flip(&server, 1);
    wait_until("the first event is there", DEADLINE, || events(&server, &trigger) == ["1"]);
    let refused = accept_gap(&server);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("nothing is missing"));
    server.stop();
    let refused = String::from_utf8(accept_gap(&server).stderr).unwrap();
    assert!(refused.contains("start it"), "{refused}");
    // As a database has it that was used with another journal.
    let database = rusqlite::Connection::open(server.data().join("saker.db")).unwrap();
    let places = "update cursors set lsn = 5000000000 where name in ('events', 'discovery')";
    let n = database.execute(places, []).unwrap();
    assert_eq!(n, 2, "both readers have saved their place");
    drop(database);
    server.start_until(|status, answer| status == 503 && answer["state"] == "failing");
    for part in ["events", "discovery"] {
        wait_until("it is reported", DEADLINE, || server.health_issue(part).is_some());
        let issue = server.health_issue(part).unwrap();
        let message = issue["message"].as_str().unwrap();
        assert!(message.contains("position 5000000000"), "{message}");
        assert!(message.contains("accept-gap"), "{message}");
    }
    // Values are accepted all the same; their events wait in the journal.
    flip(&server, 0);
    let accepted = accept_gap(&server);
    assert_eq!(accepted.status.code(), Some(0), "{accepted:?}");
    let printed = String::from_utf8(accepted.stdout).unwrap();
    assert!(printed.contains("events") && printed.contains("5000000000"), "{printed}");
    wait_until("all is well", DEADLINE, || server.health().is_some_and(|(it, _)| it == 200));
    wait_until("events go on", DEADLINE, || events(&server, &trigger) == ["1", "0"]);
    server.stop();
    server.start_again();
    assert_eq!(events(&server, &trigger), ["1", "0"]);
}
