//! Long backtests: their progress, and their end when no client waits any more.
//!
//! One whose expression has an 8 in it runs until it is cancelled, half of its period done.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fake::{Server, Session};

/// Much longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);
const LINES: &str = "application/x-ndjson";
const FOR_EVER: &str = "last(/web/load)>8";
const QUICK: &str = "last(/web/load)>5";

struct Run<'a> {
    session: &'a Session<'a>,
    host: String,
}

impl Run<'_> {
    fn body(&self, expression: &str) -> String {
        let till = self.session.server.now().clock();
        let body = json!({"hostid": self.host, "expression": expression, "from": till - 3_600,
            "to": till});
        body.to_string()
    }

    /// Asks and leaves the connection open.
    fn open(&self, accept: &str) -> TcpStream {
        let (address, body) = (self.session.server.address, self.body(FOR_EVER));
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "POST /api/v1/backtest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nAccept: {accept}\r\nContent-Length: {}\r\n\r\n",
            self.session.id,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        stream
    }

    /// The whole answer, of a client that accepts lines.
    fn lines(&self, expression: &str) -> (u16, String, String) {
        let bearer = format!("Bearer {}", self.session.id);
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Accept", LINES),
            ("Content-Type", "application/json"),
        ];
        let body = self.body(expression);
        let answer = self.session.server.post("/api/v1/backtest", &headers, body.as_bytes());
        let kind = answer.header("content-type").to_owned();
        (answer.status, kind, String::from_utf8(answer.body).unwrap())
    }
}

fn eventually(server: &Server, what: &str, mut holds: impl FnMut() -> bool) {
    let end = server.now().plus_secs(30);
    while !holds() {
        assert!(server.now() < end, "not in time: {what}");
        std::thread::yield_now();
    }
}

/// The next line of progress.
fn progress(reader: &mut BufReader<&TcpStream>) -> Value {
    let mut line = String::new();
    while !line.starts_with("{\"progress\"") {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the answer ended");
    }
    serde_json::from_str::<Value>(&line).unwrap()["progress"].clone()
}

#[test]
fn a_long_backtest_shows_progress_and_ends_with_its_client() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    admin.trapper(&host, "load");
    let run = Run { session: &admin, host };
    let n_left = || server.world.n_left.load(Ordering::Relaxed);
    let stream = run.open(LINES);
    let mut reader = BufReader::new(&stream);
    for _ in 0..2 {
        let reported = progress(&mut reader);
        assert_eq!(reported["done"], 0.5, "{reported}");
        assert!(
            reported["clock"].as_i64().is_some_and(|it| it < server.now().clock()),
            "{reported}"
        );
    }
    assert_eq!(n_left(), 0);
    drop(stream);
    eventually(&server, "the run ends", || n_left() == 1);
    // A client that waits for the whole answer may leave as well; until then the places are taken.
    let waiting: Vec<TcpStream> = (0..4).map(|_| run.open("application/json")).collect();
    // A request before all run would take the place of one of them.
    let n_long = || server.world.n_long.load(Ordering::Relaxed);
    eventually(&server, "all run", || n_long() == 5);
    eventually(&server, "all places are taken", || run.lines(QUICK).0 == 503);
    assert_eq!(n_left(), 1);
    drop(waiting);
    eventually(&server, "all runs end", || n_left() == 5);
    eventually(&server, "there is a place", || run.lines(QUICK).0 == 200);
}

#[test]
fn a_short_backtest_is_one_line_or_a_refusal_as_elsewhere() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    admin.trapper(&host, "load");
    let run = Run { session: &admin, host };
    let (status, kind, body) = run.lines(QUICK);
    assert_eq!((status, kind.as_str()), (200, LINES));
    assert_eq!(body.lines().count(), 1, "{body}");
    let reported: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(reported["report"]["values"], 5, "{reported}");
    let (status, kind, body) = run.lines("last(/web/none)>5");
    assert_eq!((status, kind.as_str()), (400, "application/json"));
    assert!(body.contains("none"), "{body}");
}
