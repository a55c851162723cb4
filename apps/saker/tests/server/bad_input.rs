//! Nothing that comes over the network ends the server or its readiness for good values.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::time::Duration;

use crate::support::peer::{self, Counts, packet, row};
use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now, wait_until};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(20);
/// Most bytes that a peer can send before it is disconnected; buffers of sockets included.
const PUSHED_MAX: usize = 64 << 20;

/// A server with one host whose item takes good values.
struct Bench {
    server: Server,
    host: String,
    good: String,
    n_good: u32,
}

impl Bench {
    fn start() -> Self {
        let server = Server::start();
        let host = server.host("target");
        let good = server.trapper_item(&host, "good", UNSIGNED);
        Self { server, host, good, n_good: 0 }
    }

    /// It lives, and a good value is taken and shown.
    fn assert_well(&mut self, after: &str) {
        self.server.assert_lives();
        self.n_good += 1;
        let value = self.n_good.to_string();
        let counts = self.server.send("target", "good", &value, now());
        assert_eq!(counts, Counts(1, 0, 1), "after {after}");
        assert_eq!(self.server.last(&self.good), Some(value), "after {after}");
    }
}

/// A header with flags and lengths as given.
fn header(flags: u8, lengths: &[u8]) -> Vec<u8> {
    [b"ZBXD".as_slice(), &[flags], lengths].concat()
}

fn lengths(length: u32, reserved: u32) -> Vec<u8> {
    [length.to_le_bytes(), reserved.to_le_bytes()].concat()
}

/// Sends bytes, ends its side, and reads until the server ends its own.
fn exchange(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut stream = server.connect();
    let mut answer = Vec::new();
    // The server may have gone already: then there is nothing to read.
    if stream.write_all(bytes).is_ok() {
        drop(stream.shutdown(Shutdown::Write));
        drop(stream.read_to_end(&mut answer));
    }
    answer
}

fn compressed(length: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..length >> 20 {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.finish().unwrap()
}

#[test]
fn malformed_packets_end_their_connection_only() {
    let mut bench = Bench::start();
    let huge = [u64::to_le_bytes(1 << 63), u64::to_le_bytes(1 << 63)].concat();
    let bomb = compressed(256 << 20);
    let bomb_length = u32::try_from(bomb.len()).unwrap();
    let frame = |flags, length: &[u8], payload: &[u8]| [&header(flags, length), payload].concat();
    let cases = [
        ("no magic", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec()),
        ("half of the magic", b"ZB".to_vec()),
        ("another magic", packet(b"{}").into_iter().map(|it| it ^ 0x20).collect()),
        ("unknown flags", header(0xff, &lengths(2, 0))),
        ("nothing inside", header(1, &lengths(0, 0))),
        ("2 GiB announced", header(1, &lengths(1 << 31, 0))),
        ("4 GiB announced", header(1, &lengths(u32::MAX, u32::MAX))),
        ("2^63 bytes announced", header(5, &huge)),
        ("2^63 compressed bytes announced", header(7, &huge)),
        ("a cut header", header(1, &[1, 2, 3])),
        ("a cut payload", header(1, &lengths(100, 0))),
        ("compressed without need", frame(3, &lengths(3, 10), b"abc")),
        ("a bomb that says what it is", frame(3, &lengths(bomb_length, 256 << 20), &bomb)),
        ("a bomb that lies", frame(3, &lengths(bomb_length, 10), &bomb)),
        ("a bomb of any size", frame(3, &lengths(bomb_length, u32::MAX), &bomb)),
    ];
    for (what, bytes) in cases {
        let answer = exchange(&bench.server, &bytes);
        assert!(answer.len() < 1_000, "{what} is hardly worth an answer");
        bench.assert_well(what);
    }
}

#[test]
fn endless_input_is_cut_off() {
    let mut bench = Bench::start();
    for (what, first) in [("text", b"abc".to_vec()), ("packet", header(1, &lengths(u32::MAX, 0)))] {
        let mut stream = bench.server.connect();
        stream.write_all(&first).unwrap();
        let chunk = vec![b'a'; 1 << 16];
        let mut pushed = 0;
        while pushed < PUSHED_MAX && stream.write_all(&chunk).is_ok() {
            pushed += chunk.len();
        }
        assert!(pushed < PUSHED_MAX, "endless {what} is read on and on");
        bench.assert_well(what);
    }
}

#[test]
fn nonsense_in_good_packets_is_refused_in_words() {
    let mut bench = Bench::start();
    let deep = format!("{{\"request\":\"sender data\",\"data\":{}", "[".repeat(1_000_000));
    let payloads: [&[u8]; 13] = [
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe\x00{}",
        b"{\"request\":1}",
        b"{\"request\":\"no such request\"}",
        b"{\"request\":\"sender data\"}",
        b"{\"request\":\"sender data\",\"data\":7}",
        b"{\"request\":\"sender data\",\"data\":{\"a\":[]}}",
        b"{\"request\":\"agent data\",\"data\":\"x\"}",
        b"{\"request\":\"active checks\"}",
        b"{\"request\":\"active checks\",\"host\":[1]}",
        deep.as_bytes(),
    ];
    for payload in payloads {
        let what = String::from_utf8_lossy(&payload[..payload.len().min(60)]).into_owned();
        let answer = exchange(&bench.server, &packet(payload));
        assert!(answer.starts_with(b"ZBXD\x01"), "{what} is answered: {answer:?}");
        let answer: Value = serde_json::from_slice(&answer[13..]).unwrap();
        assert_eq!(answer["response"], "failed", "{what}: {answer}");
        bench.assert_well(&what);
    }
    // Rows that are no values count as failed; good rows of the same packet are stored.
    let rows = [
        json!(5),
        json!({"host": "target"}),
        json!({"host": 5, "key": "good", "value": 1}),
        json!({"host": "target", "key": "good[", "value": "1"}),
        // Older than the good values: one of the same time would stand for the next of them.
        row("target", "good", "900", now() - 10),
    ];
    let request = json!({"request": "sender data", "data": rows}).to_string();
    let answer = exchange(&bench.server, &packet(request.as_bytes()));
    let text = String::from_utf8_lossy(&answer).into_owned();
    let is_counted = text.contains("processed: 1; failed: 4; total: 5");
    assert!(is_counted || text.contains("\"failed\""), "{text}");
    bench.assert_well("rows that are no values");
}

#[test]
fn http_nonsense_is_answered_and_forgotten() {
    let mut bench = Bench::start();
    let http = bench.server.http();
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(10_000));
    let raw: [&[u8]; 7] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\0\0\0\0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api_jsonrpc.php HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /api_jsonrpc.php HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
        long.as_bytes(),
        many.as_bytes(),
    ];
    for bytes in raw {
        let mut stream = TcpStream::connect(&http).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        // It may close while the rest is being written.
        drop(stream.write_all(bytes));
        drop(stream.shutdown(Shutdown::Write));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(!answer.contains(" 200 ") && !answer.contains(" 500 "), "{answer}");
        bench.assert_well("HTTP nonsense");
    }
}

#[test]
fn api_bodies_of_wrong_kinds_get_errors() {
    let mut bench = Bench::start();
    let deep = "[".repeat(1_000_000);
    let bodies: [&[u8]; 8] =
        [b"", b"{", b"7", b"[]", b"null", b"\xff\xff", b"{\"jsonrpc\":\"1.0\"}", deep.as_bytes()];
    for body in bodies {
        let (status, text) = bench.server.post(body);
        assert!(status < 500, "{status} {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert!(answer["error"]["code"].is_i64(), "{text}");
    }
    let calls = [
        ("host.get", json!([[[]]])),
        ("hostgroup.get", json!({"groupids": ["x"]})),
        ("hostgroup.get", json!({"limit": -1})),
        ("host.create", json!("x")),
        ("host.create", json!({"host": ["a"], "groups": 7})),
        ("host.create", json!({"host": "a\u{0}b", "groups": []})),
        ("item.create", json!({"hostid": "-1", "key_": "a[", "name": "", "type": 99})),
        ("item.delete", json!(["18446744073709551616"])),
        ("trigger.create", json!({"description": "x", "expression": "(((((((("})),
        ("no.such", json!({})),
    ];
    for (method, params) in calls {
        let error = bench.server.try_call(method, &params).expect_err(method);
        assert!(error["code"].is_i64() && error["data"].is_string(), "{method}: {error}");
    }
    let mut stream = TcpStream::connect(bench.server.http()).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let head = "POST /api_jsonrpc.php HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
                Content-Length: 41943040\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    // It answers and closes while the rest is on its way, so the answer may be lost.
    drop(stream.write_all(&vec![b' '; 40 << 20]));
    let mut status = [0; 12];
    if stream.read_exact(&mut status).is_ok() {
        assert_eq!(String::from_utf8_lossy(&status), "HTTP/1.1 413");
    }
    bench.assert_well("bodies of wrong kinds");
}

#[test]
fn value_of_wrong_type_makes_the_item_unsupported_until_a_good_one() {
    let mut bench = Bench::start();
    bench.assert_well("the start");
    bench.server.send("target", "good", "seven apples", now());
    let good = bench.good.clone();
    wait_until("it is unsupported", SOON, || bench.server.item(&good)["state"] == "1");
    assert_eq!(
        bench.server.item(&good)["error"],
        "Value of type \"string\" is not suitable for value type \"Numeric (unsigned)\". \
         Value \"seven apples\""
    );
    assert_eq!(bench.server.last(&good).as_deref(), Some("1"), "the old value stays");
    bench.assert_well("a text");
    wait_until("it is supported again", SOON, || bench.server.item(&good)["state"] == "0");
    for value in ["-1", "1.5", "18446744073709551616", "1e3", "", " ", "0x10", "NaN"] {
        bench.server.send("target", "good", value, now());
        bench.assert_well(value);
    }
}

#[test]
fn strange_clocks_and_large_values_do_no_harm() {
    let mut bench = Bench::start();
    let float = bench.server.trapper_item(&bench.host, "float", FLOAT);
    let text = bench.server.trapper_item(&bench.host, "text", TEXT);
    let trigger = bench.server.trigger("high", "avg(/target/float,5m)>10");
    // 1970, before it, 2100, and times outside of any calendar.
    for clock in [0, 1, -1, 4_102_444_800, 1 << 31, 1 << 40, i64::MAX, i64::MIN] {
        let counts = bench.server.send("target", "float", "1", clock);
        assert_eq!(counts.2, 1, "{clock} is counted");
        bench.assert_well(&format!("clock {clock}"));
    }
    let row = json!({"host": "target", "key": "float", "value": "1", "clock": "x", "ns": -5});
    peer::send(&mut bench.server.connect(), &[row]).unwrap();
    let huge = "ä".repeat(4 << 20);
    let counts = bench.server.send("target", "text", &huge, now());
    assert_eq!(counts.2, 1);
    bench.assert_well("8 MB");
    if counts.0 == 1 {
        wait_until("a beginning of it is kept", SOON, || {
            bench.server.last(&text).is_some_and(|it| it.starts_with("ää"))
        });
    }
    assert!(!bench.server.is_problem(&trigger));
    // A restart reads the values that were kept of them.
    let mut before = bench.server.item(&float);
    let note = before["error"].take();
    assert!(note.as_str().unwrap().contains(" was refused: "), "{note}");
    bench.server.stop();
    bench.server.start_again();
    let mut after = bench.server.item(&float);
    assert_eq!(after["error"].take(), "", "what was refused is forgotten");
    assert_eq!(after, before);
    bench.assert_well("a restart");
    bench.server.kill();
    bench.server.start_again();
    bench.assert_well("a crash");
}

/// Texts that a record of the journal cannot hold, alone or together.
#[test]
fn values_beyond_a_record_are_refused_alone() {
    let mut bench = Bench::start();
    let rule = json!({"hostid": bench.host, "name": "rule", "key_": "rule", "type": 2});
    let rule = bench.server.create("discoveryrule.create", &rule).remove(0);
    let long = format!("[{}]", " ".repeat(70 << 20));
    assert_eq!(bench.server.send("target", "rule", &long, now()), Counts(0, 1, 1));
    bench.assert_well("70 MB of one value");
    let params = json!({"itemids": [rule], "output": ["error"]});
    let found = bench.server.call("discoveryrule.get", &params);
    let reason = "A value of 73400322 bytes was refused: at most 33554432 are taken.";
    assert_eq!(found[0]["error"], reason);
    let length = 30 << 20;
    let keys = ["a", "b", "c"];
    let items = keys.map(|it| bench.server.scripted(&bench.host, it, "return value.length"));
    let rows = keys.map(|it| row("target", it, &"x".repeat(length), now()));
    assert_eq!(peer::send(&mut bench.server.connect(), &rows).unwrap(), Counts(3, 0, 3));
    for item in &items {
        wait_until("each is processed", SOON, || {
            bench.server.last(item) == Some(length.to_string())
        });
    }
    bench.assert_well("90 MB of three values");
}

#[test]
fn refused_starts_say_why() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "not a directory").unwrap();
    let settings = temp.path().join("saker.toml");
    fs::write(&settings, "[trapper]\nlisten = \"127.0.0.1:0\"\nlissten = 5\n").unwrap();
    let data = temp.path().join("data").to_str().unwrap().to_owned();
    let below_a_file = file.join("data").to_str().unwrap().to_owned();
    let settings = settings.to_str().unwrap().to_owned();
    let cases = [
        (vec!["--data", &below_a_file], "Not a directory"),
        (vec!["--data", "/proc/saker"], "/proc/saker"),
        (vec!["--data", &data, "--settings", &settings], "lissten"),
    ];
    for (arguments, reason) in cases {
        let ended = Command::new(env!("CARGO_BIN_EXE_saker"))
            .args(["server", "--http", "127.0.0.1:0", "--trapper", "127.0.0.1:0"])
            .args(&arguments)
            .env_remove("SAKER_SETTINGS")
            .env_remove("SAKER_DATA")
            .output()
            .unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains("saker: ") && stderr.contains(reason), "{arguments:?}: {stderr}");
    }
}
