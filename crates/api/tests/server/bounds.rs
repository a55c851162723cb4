//! Bounds in sum: the memory and threads that all requests, streams and slow calls together may take, from
//! any address.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use api::{ApiSettings, Cors, ServeSettings};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::fake::{Gate, PASSWORD, Server, Session};

/// Much longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);
const OTHER_PASSWORD: &str = "nine lives of a cat";
const JSON: (&str, &str) = ("Content-Type", "application/json");

fn start(set: impl FnOnce(&mut ApiSettings)) -> Server {
    Server::start_set(ServeSettings::default(), set)
}

fn connect(server: &Server, sent: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(sent).unwrap();
    stream
}

fn request(more: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST /api_jsonrpc.php HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{more}\
         Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// All that comes on a connection until the server ends it.
fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _reset_or_end = stream.read_to_end(&mut bytes);
    bytes
}

fn value(server: &Server, name: &str, label: Option<&str>) -> f64 {
    server.registry.value(name, label).unwrap_or(0.0)
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let clock = rt::Clock::real();
    let started = clock.mono_ns();
    while !holds() {
        assert!(u128::from(clock.mono_ns() - started) < PATIENCE.as_nanos(), "{what}");
        std::thread::yield_now();
    }
}

fn given_back(server: &Server) {
    for of in ["before_login", "users"] {
        wait_until("all is given back", || value(server, "saker_api_memory_bytes", Some(of)) < 1.0);
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bearer(session: &Session<'_>) -> String {
    format!("Bearer {}", session.id)
}

#[test]
fn bodies_before_a_login_are_small_in_any_encoding() {
    let server = start(|it| (it.body_bytes_max, it.before_login_bytes_max) = (1 << 20, 64 << 10));
    let admin = server.login();
    let call = |padding: usize| {
        let call = json!({"jsonrpc": "2.0", "method": "apiinfo.version", "params": [], "id": 1});
        let mut text = call.to_string().into_bytes();
        text.resize(text.len() + padding, b' ');
        text
    };
    let (small, large) = (call(60 << 10), call(100 << 10));
    let token = bearer(&admin);
    let known = [JSON, ("Authorization", &*token)];
    let wrong = [JSON, ("Authorization", "Bearer 0123456789abcdef0123456789abcdef")];
    for (headers, body, status) in [
        (&[JSON][..], &small, 200),
        (&[JSON], &large, 413),
        (&wrong, &large, 413),
        (&known, &large, 200),
    ] {
        let answer = server.post("/api_jsonrpc.php", headers, body);
        assert_eq!(answer.status, status, "{}", answer.text());
        let packed = [headers, &[("Content-Encoding", "gzip")]].concat();
        let answer = server.post("/api_jsonrpc.php", &packed, &gzip(body));
        assert_eq!(answer.status, if status == 413 { 400 } else { status }, "{}", answer.text());
    }
    given_back(&server);
}

#[test]
fn a_tree_is_bounded_and_not_only_its_text() {
    let server = start(|it| (it.body_bytes_max, it.memory_bytes_max) = (4 << 20, 32 << 20));
    let admin = server.login();
    let token = bearer(&admin);
    for part in ["0", "{\"a\":0}", "[]"] {
        let list = vec![part; 200_000].join(",");
        let body = format!(r#"{{"jsonrpc":"2.0","method":"host.get","params":[{list}],"id":1}}"#);
        let answer = server.post("/api_jsonrpc.php", &[JSON], body.as_bytes());
        assert!(matches!(answer.status, 413 | 503), "{part}: {}", answer.status);
        if part != "0" {
            continue;
        }
        let known = [JSON, ("Authorization", &*token)];
        let answer = server.post("/api_jsonrpc.php", &known, body.as_bytes());
        assert_eq!(answer.status, 200, "a user has more room");
    }
    let text = format!("[{}]", vec!["{\"a\":0}"; 400_000].join(","));
    let known = [JSON, ("Authorization", &*token), ("X-Requested-With", "saker")];
    let answer = server.post("/api/v1/check/key", &known, text.as_bytes());
    assert!(matches!(answer.status, 413 | 503), "and no more than there is: {}", answer.status);
    given_back(&server);
}

#[test]
fn stalled_bodies_are_ended_within_their_share() {
    let stall_max = Duration::from_millis(500);
    let server = start(|it| {
        (it.before_login_bytes_max, it.memory_bytes_max) = (1 << 20, 8 << 20);
        it.stall_max = stall_max;
    });
    let taken = || value(&server, "saker_api_memory_bytes", Some("before_login"));
    // 20 MiB of a share of one.
    let half = request("", &vec![b' '; 1 << 20]);
    let half = &half[..half.len() / 2];
    let kept: Vec<TcpStream> = (0..40).map(|_| connect(&server, half)).collect();
    wait_until("some take room", || f64::from(256 << 10) < taken());
    // Users who are logged in have another share, and logins go on.
    let admin = server.login();
    assert_eq!(admin.call("host.get", json!({"countOutput": true})), "0");
    assert!(taken() <= f64::from(1 << 20));
    let mut answers: Vec<String> = Vec::new();
    for stream in kept {
        let answer = rest(stream);
        assert!(taken() <= f64::from(1 << 20));
        answers.push(String::from_utf8_lossy(&answer).chars().take(12).collect());
    }
    // They were too slow, found no room, or lost theirs.
    let known = ["HTTP/1.1 408", "HTTP/1.1 503", ""];
    assert!(answers.iter().all(|it| known.contains(&&**it)), "{answers:?}");
    wait_until("all is given back", || taken() < 1.0);
}

#[test]
fn a_list_streams_its_answers_and_ends_with_who_takes_none() {
    let stall_max = Duration::from_millis(500);
    let serving = ServeSettings { stall_max, ..ServeSettings::default() };
    let server = Server::start_set(serving, |it| it.stall_max = stall_max);
    let discover = |n: usize| {
        let call = json!({"jsonrpc": "2.0", "method": "rpc.discover", "params": [], "id": 1});
        Value::Array(vec![call; n]).to_string()
    };
    let kept: Vec<TcpStream> =
        (0..20).map(|_| connect(&server, &request("", discover(100).as_bytes()))).collect();
    let taken = || value(&server, "saker_api_memory_bytes", Some("before_login"));
    let share = f64::from(24 << 20);
    wait_until("answers flow", || 0.0 < taken());
    let admin = server.login();
    assert_eq!(admin.call("host.get", json!({"countOutput": true})), "0");
    assert!(taken() <= share);
    // Nothing is taken, so the server ends them, and all is given back.
    wait_until("all is given back", || taken() < 1.0);
    for stream in kept {
        let answer = rest(stream);
        assert!(answer.len() < 20 << 20, "it was not sent whole: {}", answer.len());
    }
    // A client that takes the answer gets all of it.
    let whole = server.post("/api_jsonrpc.php", &[JSON], discover(5).as_bytes());
    let whole = whole.json();
    let one = server.post("/api_jsonrpc.php", &[JSON], discover(1).as_bytes()).json();
    assert_eq!(one.as_array().unwrap().len(), 1);
    assert_eq!(whole, json!([one[0], one[0], one[0], one[0], one[0]]));
}

#[test]
fn lists_of_calls_are_answered_in_order_long_and_short() {
    let server = Server::start();
    let admin = server.login();
    let item = admin.trapper(&admin.host("web-1"), "load").parse().unwrap();
    let sample = |it: u64| model::value::Sample {
        time: model::Time::from_clock(1_790_000_000 + it.cast_signed(), 0),
        value: model::Value::Unsigned(it),
    };
    server
        .world
        .values
        .lock()
        .unwrap()
        .insert(model::ItemId(item), (0..50_000).map(sample).collect());
    let call = |method: &str, params: Value, id: Value| json!({"jsonrpc": "2.0", "method": method, "params": params, "id": id});
    let history = json!({"history": 3, "itemids": [item]});
    let version = || call("apiinfo.version", json!([]), json!("v"));
    let mut silent = version();
    silent.as_object_mut().unwrap().remove("id");
    let calls = json!([
        version(),
        call("history.get", history.clone(), json!(2)),
        5,
        silent,
        call("history.get", history, json!(3)),
        call("no.such", json!([]), json!(4)),
        version(),
    ]);
    let token = bearer(&admin);
    for coding in ["identity", "gzip"] {
        let headers = [JSON, ("Authorization", &*token), ("Accept-Encoding", coding)];
        let answers = server.post("/api_jsonrpc.php", &headers, calls.to_string().as_bytes());
        assert_eq!(answers.status, 200);
        let answers = answers.json();
        let ids: Vec<&Value> = answers.as_array().unwrap().iter().map(|it| &it["id"]).collect();
        assert_eq!(ids, [&json!("v"), &json!(2), &Value::Null, &json!(3), &json!(4), &json!("v")]);
        for at in [1, 3] {
            let rows = answers[at]["result"].as_array().unwrap();
            assert_eq!((rows.len(), &rows[49_999]["value"]), (50_000, &json!("49999")));
        }
        assert_eq!(answers[4]["error"]["code"], -32_601);
    }
    let silent = json!([{"jsonrpc": "2.0", "method": "apiinfo.version", "params": []}]);
    let answer = server.post("/api_jsonrpc.php", &[JSON], silent.to_string().as_bytes());
    assert_eq!((answer.status, answer.text().as_str()), (200, ""));
}

#[test]
fn slow_calls_keep_neither_reads_nor_other_users_waiting() {
    let server = start(|it| it.calls_max = 2);
    let admin = server.login();
    let host = admin.host("web-1");
    let item = admin.trapper(&host, "load");
    let script = json!({"name": "slow", "type": 0, "scope": 2, "command": "id", "execute_on": 1});
    let script = admin.create("script.create", script);
    let role = json!({"name": "More", "type": 3});
    let role = admin.create("role.create", role);
    let other = json!({
        "username": "other", "passwd": OTHER_PASSWORD, "roleid": role, "usrgrps": [{"usrgrpid": "7"}],
    });
    admin.create("user.create", other);
    let other = server.login_as("other", OTHER_PASSWORD);
    let gate = Arc::new(Gate::default());
    *server.world.outside_gate.lock().unwrap() = Some(Arc::clone(&gate));
    let send = |session: &Session<'_>, method: &str, params: &Value| {
        let call = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1});
        let head = format!("Connection: close\r\nAuthorization: {}\r\n", bearer(session));
        connect(&server, &request(&head, call.to_string().as_bytes()))
    };
    let execute = json!({"scriptid": script, "hostid": host});
    let push = json!([{"itemid": item, "value": "1"}]);
    let mut slow: Vec<TcpStream> = Vec::new();
    for _ in 0..40 {
        slow.push(send(&admin, "script.execute", &execute));
    }
    gate.wait_for(8);
    for _ in 0..40 {
        slow.push(send(&admin, "history.push", &push));
    }
    gate.wait_for(8 + 12);
    // The others wait in lines of their own.
    let waiting = || value(&server, "saker_api_work_waiting", Some("outside"));
    wait_until("the rest waits", || 32.0 <= waiting());
    assert_eq!(admin.call("host.get", json!({"countOutput": true})), "1");
    slow.push(send(&other, "script.execute", &execute));
    gate.wait_for(8 + 12 + 1);
    slow.push(send(&other, "history.push", &push));
    gate.wait_for(8 + 12 + 2);
    gate.open();
    for stream in slow {
        let answer = String::from_utf8(rest(stream)).unwrap();
        assert!(answer.contains("\"result\""), "{answer}");
    }
}

#[test]
fn method_names_have_any_case_and_errors_repeat_it() {
    let server = Server::start();
    let admin = server.login();
    assert_eq!(admin.call("Host.GET", json!({"countOutput": true})), "0");
    let refused = admin.error("templategroup.massAdd", json!({"groups": []}));
    assert!(!refused.contains("Incorrect method"), "{refused}");
    let of = |method: &str| server.call_as(None, method, json!([]));
    assert!(of("APIInfo.Version")["result"].is_string());
    let login = json!({"username": "Admin", "password": PASSWORD});
    assert!(server.call_as(None, "User.Login", login)["result"].is_string());
    let data =
        |method: &str| server.call_as(Some(&admin.id), method, json!([]))["error"]["data"].clone();
    assert_eq!(data("Host.Nothing"), "Incorrect method \"Host.Nothing\".");
    assert_eq!(data("Nothing.Get"), "Incorrect API \"Nothing\".");
    let with_auth =
        json!({"jsonrpc": "2.0", "method": "APIinfo.version", "params": [], "auth": "x", "id": 1});
    let refused = server.post("/api_jsonrpc.php", &[JSON], with_auth.to_string().as_bytes()).json();
    let expected = "The \"APIinfo.version\" method must be called without the \"auth\" parameter.";
    assert!(refused["error"]["data"].as_str().unwrap().contains(expected), "{refused}");
}

fn preflight(server: &Server, origin: &str) -> String {
    let head = format!(
        "OPTIONS /api_jsonrpc.php HTTP/1.1\r\nHost: x\r\nOrigin: {origin}\r\nConnection: close\r\n\
         Access-Control-Request-Method: POST\r\n\
         Access-Control-Request-Headers: authorization,content-type\r\n\r\n"
    );
    String::from_utf8(rest(connect(server, head.as_bytes()))).unwrap().to_lowercase()
}

#[test]
fn browsers_of_configured_origins_may_call() {
    let call = json!({"jsonrpc": "2.0", "method": "apiinfo.version", "params": [], "id": 1});
    let call = call.to_string();
    let asked = |server: &Server, origin: &str| {
        server.post("/api_jsonrpc.php", &[JSON, ("Origin", origin)], call.as_bytes())
    };
    let (board, evil) = ("https://board.example.org", "https://evil.example.org");
    let off = Server::start();
    assert!(preflight(&off, board).starts_with("http/1.1 405 "));
    assert_eq!(asked(&off, board).header("access-control-allow-origin"), "");
    let any = start(|it| it.cors = Cors::Any);
    let answer = preflight(&any, evil);
    for expected in [
        "http/1.1 204 ",
        "access-control-allow-origin: *\r\n",
        "access-control-allow-methods: post\r\n",
        "access-control-allow-headers: content-type, authorization\r\n",
        "access-control-max-age: 1000\r\n",
    ] {
        assert!(answer.contains(expected), "{expected}: {answer}");
    }
    assert!(!answer.contains("allow-credentials"));
    assert_eq!(asked(&any, evil).header("access-control-allow-origin"), "*");
    assert_eq!(
        any.get("/api/v1/session", &[("Origin", evil)]).header("access-control-allow-origin"),
        ""
    );
    let listed = start(|it| it.cors = board.parse().unwrap());
    assert!(
        preflight(&listed, board)
            .contains("access-control-allow-origin: https://board.example.org\r\n")
    );
    assert!(!preflight(&listed, evil).contains("access-control-allow-origin"));
    let answer = asked(&listed, board);
    assert_eq!(answer.header("access-control-allow-origin"), board);
    assert_eq!(asked(&listed, evil).header("access-control-allow-origin"), "");
}

#[test]
fn a_user_with_many_streams_keeps_no_other_from_theirs() {
    let server = start(|it| (it.streams_max, it.streams_user_max) = (8, 6));
    let admin = server.login();
    let role = admin.create("role.create", json!({"name": "More", "type": 3}));
    let user = json!({
        "username": "many", "passwd": OTHER_PASSWORD, "roleid": role, "usrgrps": [{"usrgrpid": "7"}],
    });
    admin.create("user.create", user);
    let many = server.login_as("many", OTHER_PASSWORD);
    let open = |session: &Session<'_>| {
        let head = format!(
            "GET /api/v1/stream HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Authorization: {}\r\n\r\n",
            bearer(session)
        );
        let mut stream = connect(&server, head.as_bytes());
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        (stream, String::from_utf8(status.to_vec()).unwrap())
    };
    // Half of the places are for an address; the user has six at most.
    let kept: Vec<_> = (0..8).map(|_| open(&many)).collect();
    let n_open = kept.iter().filter(|(_, it)| it == "HTTP/1.1 101").count();
    assert_eq!(n_open, 4, "nobody has more than the user");
    let (_stream, status) = open(&admin);
    assert_eq!(status, "HTTP/1.1 101");
    // The oldest one made place.
    let (first, _) = kept.into_iter().next().unwrap();
    let said = rest(first);
    assert!(String::from_utf8_lossy(&said).contains("other users need the place"));
}

#[test]
fn a_connection_without_progress_loses_its_place_to_the_next() {
    let server =
        Server::start_with(ServeSettings { connections_max: 3, ..ServeSettings::default() });
    // An idle one, half a head, half a body.
    let half = request("", &[b' '; 1_000]);
    let kept: Vec<TcpStream> = [&b""[..], b"GET / HTTP/1.1\r\nX: ", &half[..half.len() - 10]]
        .map(|it| connect(&server, it))
        .into_iter()
        .collect();
    for _ in 0..3 {
        let get = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        assert!(rest(connect(&server, get)).starts_with(b"HTTP/1.1 200"));
    }
    let idle: Vec<TcpStream> = (0..3).map(|_| connect(&server, b"")).collect();
    assert_eq!(server.get("/health", &[]).status, 200);
    drop((kept, idle));
}

#[test]
fn a_file_to_import_takes_its_room_before_it_is_read() {
    const MEMORY_BYTES: u64 = 16 << 20;
    let server = start(|it| (it.body_bytes_max, it.memory_bytes_max) = (8 << 20, MEMORY_BYTES));
    let admin = server.login();
    let import = |method: &str, format: &str, source: &str| {
        let rules = json!({"templates": {"createMissing": true}});
        let params = json!({"format": format, "source": source, "rules": rules});
        admin.error(method, params)
    };
    // Each takes many times its bytes: some 60 MB where all requests have 16.
    let n = 80_000;
    let json = format!("{{\"zabbix_export\":{{\"hosts\":[{}{{}}]}}}}", "{\"a\":0},".repeat(n));
    let yaml = format!("zabbix_export:\n  hosts:\n{}", "    - a: 0\n".repeat(n));
    let flow = format!("zabbix_export: {{hosts: [{}]}}", "{a: 0},".repeat(n));
    let xml = format!("<zabbix_export><hosts>{}</hosts></zabbix_export>", "<host/>".repeat(3 * n));
    for (format, source) in [("json", &json), ("yaml", &yaml), ("yaml", &flow), ("xml", &xml)] {
        for method in ["configuration.import", "configuration.importcompare"] {
            let error = import(method, format, source);
            let expected =
                "Cannot read the file: more than 32 MB of memory would be needed: divide it.";
            assert_eq!(error, expected, "{method} of {format}");
        }
        given_back(&server);
    }
    // One long text is no more than its bytes, and a body refused by its form keeps no memory.
    let long = format!("zabbix_export:\n  version: '{}'\n", "7".repeat(4 << 20));
    let error = import("configuration.import", "yaml", &long);
    assert!(error.contains("unsupported version number"), "{error}");
    given_back(&server);
}
