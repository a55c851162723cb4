//! A full disk holds values back and is reported, and nothing that was acknowledged is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use crate::support::peer::{self, Counts};
use crate::support::{PASSWORD, Server, TEXT, UNSIGNED, now, wait_until};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(60);
const DISK_MEGABYTES: u32 = 160;
/// Of a request, so that little room is used up soon.
const TEXT_BYTES: usize = 60_000;
const TEXTS: i64 = 10;

/// One sender's record of its requests.
struct Ledger {
    item: String,
    base: i64,
    next: i64,
    acknowledged: BTreeSet<i64>,
}

impl Ledger {
    fn new(server: &Server) -> Self {
        let host = server.host("h");
        let item = server.trapper_item(&host, "load", UNSIGNED);
        server.trapper_item(&host, "text", TEXT);
        Self { item, base: now() - 100_000, next: 0, acknowledged: BTreeSet::new() }
    }

    /// A number and texts that can't be made smaller. Also without an answer its number is used up.
    fn request(&mut self) -> (i64, Vec<Value>) {
        let number = self.next;
        self.next += 1;
        let mut random = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number.unsigned_abs() + 1);
        let mut rows = vec![peer::row("h", "load", &number.to_string(), self.base + number)];
        for text in 0..TEXTS {
            let mut value = String::with_capacity(TEXT_BYTES + 16);
            while value.len() < TEXT_BYTES {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                value.push_str(&format!("{random:016x}"));
            }
            rows.push(peer::row("h", "text", &value, self.base + number * TEXTS + text));
        }
        (number, rows)
    }

    fn send(&mut self, server: &Server, n: usize) {
        for _ in 0..n {
            let (number, rows) = self.request();
            let counts = peer::send(&mut server.connect(), &rows).expect("it is answered");
            self.settle(number, counts);
        }
    }

    fn settle(&mut self, number: i64, counts: Counts) {
        assert_eq!(counts, Counts(11, 0, 11));
        self.acknowledged.insert(number);
    }

    /// Sends until a request gets no answer; that one waits on its connection, read by a thread.
    fn send_until_held(&mut self, server: &Server) -> (i64, thread::JoinHandle<Option<Counts>>) {
        loop {
            let (number, rows) = self.request();
            let mut stream: TcpStream = server.connect();
            let waiting = thread::spawn(move || peer::send(&mut stream, &rows).ok());
            wait_until("it is answered or held back", DEADLINE, || {
                waiting.is_finished() || server.health_issue("values").is_some()
            });
            if !waiting.is_finished() {
                return (number, waiting);
            }
            let counts = waiting.join().unwrap().expect("it is answered");
            self.settle(number, counts);
        }
    }

    /// All that was acknowledged is there, and nothing twice.
    fn check(&self, server: &Server) {
        let params = json!({"itemids": [self.item], "history": 3, "output": "extend"});
        let rows = server.call("history.get", &params);
        let mut found = BTreeMap::new();
        for row in rows.as_array().unwrap() {
            let text = |name: &str| row[name].as_str().unwrap().parse::<i64>().unwrap();
            assert_eq!(text("clock"), self.base + text("value"));
            *found.entry(text("value")).or_insert(0) += 1;
        }
        assert_eq!(found.values().find(|it| **it != 1), None, "each is there once");
        let missing: Vec<_> =
            self.acknowledged.iter().filter(|it| !found.contains_key(it)).collect();
        assert!(missing.is_empty(), "{missing:?} of {} are missing", self.acknowledged.len());
    }
}

fn assert_is_reported(server: &Server) {
    let issue = server.health_issue("values").expect("just seen");
    let message = issue["message"].as_str().unwrap();
    assert!(message.contains("No space left"), "{message}");
    let (status, health) = server.health().unwrap();
    assert_eq!((status, &health["state"]), (200, &json!("degraded")), "{health}");
}

#[test]
fn full_disk_is_reported_and_loses_no_values() {
    let Some(mut server) = Server::start_on_small_disk(DISK_MEGABYTES) else { return };
    let mut ledger = Ledger::new(&server);
    ledger.send(&server, 10);

    // Full, and room again: waiting requests are answered.
    server.disk().fill(2_000);
    let (number, waiting) = ledger.send_until_held(&server);
    assert_is_reported(&server);
    let admin = json!({"username": "Admin", "password": PASSWORD});
    let session = server.call("user.login", &admin);
    let session = json!({"sessionid": session});
    server.call("user.checkAuthentication", &session);
    let name = json!({"name": "made on a full disk"});
    if let Err(error) = server.try_call("hostgroup.create", &name) {
        assert!(error["data"].as_str().is_some_and(|it| !it.is_empty()), "{error}");
    }
    ledger.check(&server);
    server.disk().free();
    ledger.settle(number, waiting.join().unwrap().expect("it is answered"));
    wait_until("all is well", DEADLINE, || server.health_issue("values").is_none());
    ledger.send(&server, 10);
    ledger.check(&server);

    // Full, and the process dies.
    server.disk().fill(2_000);
    let (_, waiting) = ledger.send_until_held(&server);
    server.kill();
    assert_eq!(waiting.join().unwrap(), None, "nobody has answered");
    server.disk().free();
    server.start_again();
    ledger.check(&server);
    ledger.send(&server, 10);
    ledger.check(&server);

    // Full at a planned stop, and at the start behind it.
    server.disk().fill(2_000);
    let (_, waiting) = ledger.send_until_held(&server);
    server.stop();
    assert_eq!(waiting.join().unwrap(), None, "nobody has answered");
    server.disk().free();
    server.start_again();
    ledger.send(&server, 10);
    ledger.check(&server);
}

#[test]
fn read_only_disk_is_reported_at_the_start() {
    let Some(mut server) = Server::start_on_small_disk(DISK_MEGABYTES) else { return };
    let mut ledger = Ledger::new(&server);
    ledger.send(&server, 10);
    for is_planned in [true, false] {
        if is_planned {
            server.stop();
        } else {
            server.kill();
        }
        server.disk().remount("ro");
        let said = server.refused_start();
        assert!(said.contains("Read-only file system"), "{said}");
        assert!(said.contains(&*server.data().to_string_lossy()), "with the file: {said}");
        server.disk().remount("rw");
        server.start_again();
        ledger.check(&server);
        ledger.send(&server, 10);
        ledger.check(&server);
    }
}
