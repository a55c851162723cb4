//! HTTP itself: routes, content types, batches, compression, limits, headers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use api::ports::ServerState;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rt::health::Level;
use serde_json::{Value, json};

use crate::fake::Server;

fn version_call(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "method": "apiinfo.version", "params": [], "id": id})
}

#[test]
fn content_types_of_clients_are_taken_and_others_get_412() {
    let server = Server::start();
    let body = version_call(1).to_string();
    for (kind, status) in [
        ("application/json-rpc", 200),
        ("application/json; charset=utf-8", 200),
        ("application/jsonrequest", 200),
        ("text/plain", 412),
        ("application/x-www-form-urlencoded", 412),
    ] {
        let answer = server.post("/api_jsonrpc.php", &[("Content-Type", kind)], body.as_bytes());
        assert_eq!(answer.status, status, "{kind}");
    }
}

#[test]
fn batches_are_answered_in_order_and_notifications_not_at_all() {
    let server = Server::start();
    let json_rpc = [("Content-Type", "application/json-rpc")];
    let mut notification = version_call(0);
    notification.as_object_mut().unwrap().remove("id");
    let batch = json!([version_call(3), notification, {"x": 1}, version_call(2)]).to_string();
    let answer = server.post("/api_jsonrpc.php", &json_rpc, batch.as_bytes()).json();
    let ids: Vec<&Value> = answer.as_array().unwrap().iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, [&json!(3), &Value::Null, &json!(2)]);
    let alone = server.post("/api_jsonrpc.php", &json_rpc, notification.to_string().as_bytes());
    assert_eq!((alone.status, alone.body.len()), (200, 0));
}

#[test]
fn unknown_methods_and_broken_json_get_the_standard_codes() {
    let server = Server::start();
    let session = server.login();
    for (method, data) in [
        ("host.explode", "Incorrect method \"host.explode\"."),
        ("application.get", "Incorrect API \"application\"."),
        ("nonsense", "Incorrect API \"nonsense\"."),
    ] {
        let answer = server.call_as(Some(&session.id), method, json!({}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        assert_eq!(answer["error"]["data"], data);
    }
    let answer = server.post("/api_jsonrpc.php", &[("Content-Type", "application/json")], b"{");
    assert_eq!(answer.json()["error"]["code"], -32700);
}

#[test]
fn gzip_goes_both_ways_and_bombs_are_refused() {
    let server = Server::start();
    let session = server.login();
    let body = json!({"jsonrpc": "2.0", "method": "role.get", "params": {"selectRules": "extend"},
        "id": 1, "auth": session.id});
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body.to_string().as_bytes()).unwrap();
    let headers = [
        ("Content-Type", "application/json-rpc"),
        ("Content-Encoding", "gzip"),
        ("Accept-Encoding", "gzip, deflate"),
    ];
    let answer = server.post("/api_jsonrpc.php", &headers, &encoder.finish().unwrap());
    assert_eq!(answer.header("content-encoding"), "gzip");
    let mut text = String::new();
    GzDecoder::new(answer.body.as_slice()).read_to_string(&mut text).unwrap();
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["result"].as_array().unwrap().len(), 4);
    let mut bomb = GzEncoder::new(Vec::new(), Compression::default());
    bomb.write_all(&vec![b' '; 2 << 20]).unwrap();
    let answer = server.post("/api_jsonrpc.php", &headers, &bomb.finish().unwrap());
    assert_eq!(answer.status, 400);
}

#[test]
fn a_client_sending_too_large_a_body_gets_the_error() {
    let server = Server::start();
    let body = vec![b' '; 12 << 20];
    let json = ("Content-Type", "application/json");
    for _ in 0..8 {
        let answer = server.post("/api_jsonrpc.php", &[json], &body);
        assert_eq!(answer.status, 413);
        // Of unknown length.
        let answer = server.post_stream("/api_jsonrpc.php", &[json], &body);
        assert_eq!(answer.status, 413);
    }
    // After the part that is worth reading the connection ends.
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = "POST /api_jsonrpc.php HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 2000000000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let part = vec![b' '; 1 << 20];
    let written = (0..2_000).take_while(|_| stream.write_all(&part).is_ok()).count();
    assert!((16..100).contains(&written), "{written} MiB were taken");
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_sent() {
    let server = Server::start();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = "POST /api_jsonrpc.php HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 2000000000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn health_says_whether_values_are_accepted() {
    let server = Server::start();
    let answer = server.get("/health", &[]);
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.json(),
        json!({"version": "0.1.0", "state": "running", "issues": [], "database": null})
    );
    *server.world.state.lock().unwrap() = Some(ServerState::Replaying);
    let answer = server.get("/health", &[]);
    assert_eq!((answer.status, &answer.json()["state"]), (503, &json!("replaying")));
}

#[test]
fn health_lists_issues_and_fails_for_permanent_ones() {
    let server = Server::start();
    let state = || {
        let answer = server.get("/health", &[]);
        (answer.status, answer.json()["state"].clone(), answer.json()["issues"].clone())
    };
    let health = &server.world.health;
    health.set("db-write", Level::Degraded, "the database is away");
    let away = json!({
        "part": "db-write", "level": "degraded", "message": "the database is away"
    });
    assert_eq!(state(), (200, json!("degraded"), json!([away])));
    health.set("events", Level::Failing, "position 5 is gone");
    let (status, said, issues) = state();
    assert_eq!((status, said), (503, json!("failing")));
    assert_eq!(issues[1]["message"], "position 5 is gone");
    health.clear("events");
    health.clear("db-write");
    assert_eq!(state(), (200, json!("running"), json!([])));
}

#[test]
fn metrics_are_for_super_admins_and_for_a_port_of_their_own() {
    let server = Server::start();
    // A plain proxy on this machine looks like this.
    assert_eq!(server.get("/metrics", &[]).status, 401);
    let session = server.login();
    let bearer = format!("Bearer {}", session.id);
    let answer = server.get("/metrics", &[("Authorization", &bearer)]);
    assert_eq!((answer.status, &*answer.body), (200, &b"saker_api_calls_total 1\n"[..]));
    let port = server.serve(api::metrics_router(Arc::clone(&server.world) as _));
    let open = |path: &str| server.agent.get(format!("http://{port}{path}")).call().unwrap();
    let text = open("/metrics").body_mut().read_to_string().unwrap();
    assert_eq!(text, "saker_api_calls_total 1\n");
    assert_eq!(open("/health").status(), 404);
}

#[test]
fn proxies_are_believed_only_where_they_are_trusted() {
    let body = json!({"username": "Admin", "password": crate::fake::PASSWORD}).to_string();
    let headers = [
        ("Content-Type", "application/json"),
        ("X-Requested-With", "saker"),
        ("X-Forwarded-For", "203.0.113.9"),
        ("X-Forwarded-Proto", "https"),
    ];
    for (trusted, ip, is_secure) in [("", "127.0.0.1", false), ("127.0.0.0/8", "203.0.113.9", true)]
    {
        let serving = api::ServeSettings::default();
        let server = Server::start_set(serving, |it| it.trusted_proxies = trusted.parse().unwrap());
        let answer = server.post("/api/v1/login", &headers, body.as_bytes());
        assert_eq!(answer.header("set-cookie").contains("; Secure"), is_secure);
        let session = server.login();
        let login = session.call("auditlog.get", json!({"filter": {"action": 8}, "limit": 1}));
        assert_eq!(login[0]["ip"], ip);
    }
}

#[test]
fn answers_have_security_headers_and_page_routes_get_the_page() {
    let server = Server::start();
    for path in ["/", "/problems", "/health", "/api/v1/session", "/api/none", "/missing.js"] {
        let answer = server.get(path, &[]);
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("script-src 'self'"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    }
    for (path, status) in [("/", 200), ("/hosts/1", 200), ("/x.js", 404), ("/assets/x", 404)] {
        let answer = server.get(path, &[]);
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("content-type").starts_with("text/html"), status == 200);
    }
    assert_eq!(server.get("/api/none", &[]).status, 404);
}

#[test]
fn map_tiles_come_only_from_the_host_of_the_settings() {
    let server = Server::start();
    let session = server.login();
    let images = || {
        let answer = server.get("/", &[]);
        let policy = answer.header("content-security-policy").to_owned();
        policy.split("; ").find(|it| it.starts_with("img-src")).unwrap_or_default().to_owned()
    };
    // Zabbix's default is an external provider: no administrator chose it.
    assert_eq!(images(), "img-src 'self' data:");
    let url = "https://tiles.example.org/{z}/{x}/{y}.png";
    let own = json!({"geomaps_tile_provider": "", "geomaps_tile_url": url,
        "geomaps_attribution": "Example", "geomaps_max_zoom": 12});
    session.call("settings.update", own);
    assert_eq!(images(), "img-src 'self' data: https://tiles.example.org");
    session.call("settings.update", json!({"geomaps_tile_provider": "OpenTopoMap"}));
    assert_eq!(images(), "img-src 'self' data:");
}
