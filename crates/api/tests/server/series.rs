//! Pushed series: permissions, and the samples that the receiver gets.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::fake::Server;

const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");
const SNAPPY: (&str, &str) = ("content-encoding", "snappy");

fn token(server: &Server) -> String {
    let admin = server.login();
    let made = admin.call("token.create", json!({"name": "push", "userid": "1"}));
    let generated = admin.call("token.generate", json!([made["tokenids"][0]]));
    generated[0]["token"].as_str().unwrap().to_owned()
}

#[test]
fn a_token_lets_in_as_a_bearer_or_as_a_password() {
    let server = Server::start();
    let token = token(&server);
    let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
    for (authorization, status) in [
        (format!("Bearer {token}"), 202),
        (basic(&format!("anybody:{token}")), 202),
        (basic(&format!("{token}:")), 401),
        (basic("Admin:zabbix"), 401),
        ("Bearer nonsense".to_owned(), 401),
        ("Basic ?".to_owned(), 401),
    ] {
        let headers = [PROTOBUF, SNAPPY, ("authorization", authorization.as_str())];
        let answer = server.post("/api/v1/write", &headers, b"body");
        assert_eq!(answer.status, status, "{authorization}");
        let challenge = answer.header("www-authenticate");
        assert_eq!(challenge.is_empty(), status != 401, "{challenge}");
    }
    assert_eq!(server.post("/api/v1/write", &[PROTOBUF, SNAPPY], b"body").status, 401);
}

#[test]
fn each_path_and_type_of_content_is_a_protocol() {
    let server = Server::start();
    let bearer = format!("Bearer {}", token(&server));
    let post = |path: &str, kind: &str, coding: &[(&str, &str)]| {
        let mut headers = vec![("content-type", kind), ("authorization", bearer.as_str())];
        headers.extend(coding);
        let answer = server.post(path, &headers, b"body");
        (answer.status, answer.header("x-said").to_owned())
    };
    let v2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
    for (path, kind, coding, said) in [
        ("/api/v1/write", PROTOBUF.1, &[SNAPPY][..], "RemoteWrite body true"),
        ("/api/v1/write", v2, &[SNAPPY], "RemoteWrite2 body true"),
        ("/v1/metrics", PROTOBUF.1, &[], "Otlp body true"),
        ("/api/v1/otlp/v1/metrics", "application/json; charset=utf-8", &[], "OtlpJson body true"),
    ] {
        assert_eq!(post(path, kind, coding), (202, said.to_owned()), "{path} {kind}");
    }
    for (path, kind, coding) in [
        ("/api/v1/write", PROTOBUF.1, &[][..]),
        ("/api/v1/write", "application/x-protobuf;proto=other", &[SNAPPY]),
        ("/api/v1/write", "application/json", &[SNAPPY]),
        ("/v1/metrics", "text/plain", &[]),
        ("/v1/metrics", PROTOBUF.1, &[SNAPPY]),
    ] {
        assert_eq!(post(path, kind, coding).0, 415, "{path} {kind}");
    }
}

#[test]
fn small_requests_are_pushed_inline_and_others_on_a_thread() {
    let server = Server::start();
    let bearer = format!("Bearer {}", token(&server));
    let headers = [PROTOBUF, ("authorization", bearer.as_str())];
    let large = vec![b'x'; 100 << 10];
    for (body, is_here) in [(&b"known"[..], true), (b"new series", false), (&large, false)] {
        let answer = server.post("/v1/metrics", &headers, body);
        let text = String::from_utf8_lossy(&body[..body.len().min(20)]).into_owned();
        assert_eq!((answer.status, answer.header("x-said")), (202, &*format!("Otlp {text} true")));
        assert_eq!(answer.header("x-where"), if is_here { "here" } else { "" }, "{text}");
    }
}
