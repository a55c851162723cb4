//! Turns of calls, and long answers that flow: the work and memory that clients can cause are bounded.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use api::{ApiSettings, ServeSettings};
use flate2::read::GzDecoder;
use model::value::Sample;
use model::{ItemId, Time, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::{Gate, PASSWORD, Server};

/// Much longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);
const BUSY: &str = "The server is too busy for this call, try again.";

fn start(set: impl FnOnce(&mut ApiSettings)) -> Server {
    Server::start_set(ServeSettings::default(), set)
}

/// An item with values, several of which have one time.
fn item_with(server: &Server, session: &crate::fake::Session<'_>, n_values: u64) -> u64 {
    let item = session.trapper(&session.host("web-1"), "load");
    let item = item.parse().unwrap();
    let sample = |it: u64| Sample {
        time: Time::from_clock(1_790_000_000 + (it / 7).cast_signed(), 0),
        value: ItemValue::Unsigned(it),
    };
    let values = (0..n_values).map(sample).collect();
    server.world.values.lock().unwrap().insert(ItemId(item), values);
    item
}

fn history(item: u64, more: Value) -> Value {
    let mut params = json!({"history": 3, "itemids": [item]});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

/// Sends a call and leaves its answer where it is.
fn send(server: &Server, session: &str, method: &str, params: &Value) -> TcpStream {
    let call = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).to_string();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "POST /api_jsonrpc.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAuthorization: Bearer {session}\r\n\
         Content-Length: {}\r\n\r\n",
        call.len()
    );
    stream.write_all((head + &call).as_bytes()).unwrap();
    stream
}

/// All that comes on a connection.
fn rest(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    let _reset_or_end = stream.read_to_end(&mut text);
    String::from_utf8(text).unwrap()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let clock = rt::Clock::real();
    let started = clock.mono_ns();
    while !holds() {
        assert!(u128::from(clock.mono_ns() - started) < PATIENCE.as_nanos(), "{what}");
        std::thread::yield_now();
    }
}

fn figure(server: &Server, name: &str) -> String {
    let value = server.registry.value(&format!("api_{name}"), Some("calls"));
    value.unwrap_or_default().to_string()
}

#[test]
fn clients_who_go_do_not_free_the_turn_of_what_they_asked_for() {
    let server = start(|it| it.calls_max = 2);
    let admin = server.login();
    let item = item_with(&server, &admin, 1);
    let gate = Arc::new(Gate::default());
    *server.world.gate.lock().unwrap() = Some(Arc::clone(&gate));
    let params = history(item, json!({}));
    let call = || send(&server, &admin.id, "history.get", &params);
    let first: Vec<TcpStream> = (0..2).map(|_| call()).collect();
    gate.wait_for(2);
    drop(first);
    let later: Vec<TcpStream> = (0..4).map(|_| call()).collect();
    wait_until("four wait, or they all run", || {
        figure(&server, "work_waiting") == "4" || 2 < gate.most()
    });
    assert_eq!(gate.most(), 2);
    assert_eq!(figure(&server, "work_running"), "2");
    // A caller who leaves while waiting gets no work at all.
    drop(later);
    wait_until("nobody waits", || figure(&server, "work_waiting") == "0");
    gate.open();
    wait_until("all work has ended", || figure(&server, "work_running") == "0");
    assert_eq!(gate.most(), 2);
    assert_eq!(admin.call("history.get", params)[0]["value"], "0");
}

#[test]
fn a_full_queue_is_reported() {
    let server = start(|it| (it.calls_max, it.waiting_max) = (1, 1));
    let admin = server.login();
    let item = item_with(&server, &admin, 1);
    let gate = Arc::new(Gate::default());
    *server.world.gate.lock().unwrap() = Some(Arc::clone(&gate));
    let params = history(item, json!({}));
    let runs = send(&server, &admin.id, "history.get", &params);
    gate.wait_for(1);
    let waits = send(&server, &admin.id, "history.get", &params);
    wait_until("one waits", || figure(&server, "work_waiting") == "1");
    let refused = server.call_as(Some(&admin.id), "history.get", params);
    let expected = json!({"code": -32400, "message": "System error.", "data": BUSY});
    assert_eq!(refused["error"], expected);
    let bearer = format!("Bearer {}", admin.id);
    let native = server.get("/api/v1/overview", &[("Authorization", &bearer)]);
    assert_eq!((native.status, &native.json()["error"]["data"]), (503, &json!(BUSY)));
    gate.open();
    for stream in [runs, waits] {
        assert!(rest(stream).contains(r#""result":[{"#));
    }
}

#[test]
fn logins_have_a_line_of_their_own() {
    let server = start(|it| (it.logins_max, it.waiting_max) = (1, 0));
    let body = json!({"username": "Admin", "password": PASSWORD});
    let tried: Vec<TcpStream> = (0..20).map(|_| send(&server, "", "user.login", &body)).collect();
    let answers: Vec<String> = tried.into_iter().map(rest).collect();
    let n_busy = answers.iter().filter(|it| it.contains(BUSY)).count();
    let n_in = answers.iter().filter(|it| it.contains(r#""result":""#)).count();
    assert_eq!((n_busy + n_in, 0 < n_in), (20, true), "{answers:?}");
    let refused = server.registry.value("saker_api_work_refused_total", Some("logins"));
    assert_eq!(refused.unwrap_or_default().to_string(), n_busy.to_string());
}

#[test]
fn values_are_complete_and_in_order_for_any_parameters() {
    let server = Server::start();
    let admin = server.login();
    let n = 70_001;
    let item = item_with(&server, &admin, n);
    let values = |more: Value| -> Vec<u64> {
        let rows = admin.call("history.get", history(item, more));
        let rows = rows.as_array().unwrap().iter();
        rows.map(|it| it["value"].as_str().unwrap().parse().unwrap()).collect()
    };
    let rising: Vec<u64> = (0..n).collect();
    let falling: Vec<u64> = (0..n).rev().collect();
    assert_eq!(values(json!({})), rising);
    assert_eq!(values(json!({"sortfield": "clock"})), rising);
    let descending = |more: Value| {
        let mut params = json!({"sortfield": "clock", "sortorder": "DESC"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        values(params)
    };
    assert_eq!(descending(json!({})), falling);
    assert_eq!(descending(json!({"limit": 20_003})), falling[..20_003]);
    let by_item = values(json!({"sortfield": ["itemid", "clock"], "limit": 40_000}));
    assert_eq!(by_item, rising[..40_000]);
    // Here the rows have to be sorted: those of one nanosecond stay as they came.
    let by_ns = values(json!({"sortfield": "ns", "limit": 40_000}));
    assert_eq!(by_ns, rising[..40_000]);
    let count = history(item, json!({"countOutput": true}));
    assert_eq!(admin.call("history.get", count), n.to_string());
}

#[test]
fn a_long_answer_is_compressed_on_its_way() {
    let server = Server::start();
    let admin = server.login();
    let item = item_with(&server, &admin, 50_000);
    let params = history(item, json!({}));
    let body = json!({"jsonrpc": "2.0", "method": "history.get", "params": params, "id": "é"});
    let bearer = format!("Bearer {}", admin.id);
    let headers = [("Content-Type", "application/json"), ("Authorization", &*bearer)];
    let plain = server.post("/api_jsonrpc.php", &headers, body.to_string().as_bytes());
    assert_eq!(plain.header("content-length"), "");
    let with_gzip = [headers[0], headers[1], ("Accept-Encoding", "gzip")];
    let packed = server.post("/api_jsonrpc.php", &with_gzip, body.to_string().as_bytes());
    assert_eq!(packed.header("content-encoding"), "gzip");
    let mut unpacked = Vec::new();
    GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    let answer = plain.json();
    assert_eq!(answer["id"], "é");
    assert_eq!(answer["result"].as_array().unwrap().len(), 50_000);
}

#[test]
fn an_error_on_the_way_ends_the_answer_before_its_end() {
    let server = Server::start();
    let admin = server.login();
    let item = item_with(&server, &admin, 100_000);
    let params = history(item, json!({}));
    *server.world.reads_left.lock().unwrap() = Some(0);
    let error = admin.error("history.get", params.clone());
    assert_eq!(error, "Cannot read history: history is not available yet.");
    *server.world.reads_left.lock().unwrap() = Some(3);
    let text = rest(send(&server, &admin.id, "history.get", &params));
    assert!(text.starts_with("HTTP/1.1 200") && text.contains(r#""value":"50000""#));
    assert!(!text.ends_with("0\r\n\r\n"), "the last chunk ends a complete body");
    wait_until("it is counted", || server.metric("saker_api_answers_cut_total") == 1);
}

#[test]
fn a_slow_client_delays_no_other_and_a_lost_one_ends_its_work() {
    let server = start(|it| it.calls_max = 1);
    let admin = server.login();
    let item = item_with(&server, &admin, 400_000);
    let params = history(item, json!({}));
    let slow = send(&server, &admin.id, "history.get", &params);
    // Its answer does not fit between the two: the work waits, and others have the turn.
    let mut goes = send(&server, &admin.id, "history.get", &params);
    goes.read_exact(&mut [0; 1_000]).unwrap();
    assert_eq!(admin.call("host.get", json!({"countOutput": true})), "1");
    drop(goes);
    wait_until("it is counted", || server.metric("saker_api_answers_cut_total") == 1);
    let text = rest(slow);
    assert!(text.ends_with("0\r\n\r\n"));
    assert!(text.contains(r#""value":"399999""#));
    wait_until("all work has ended", || figure(&server, "work_running") == "0");
}
