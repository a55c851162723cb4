//! The description of the API, which needs no login.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::fake::Server;

#[test]
fn the_document_is_open_and_rpc_discover_answers_the_same() {
    let server = Server::start();
    let answer = server.get("/docs/api/openrpc.json", &[("Accept-Encoding", "identity")]);
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let document = answer.json();
    assert_eq!(document["openrpc"], "1.3.2");
    let answer = server.get("/docs/api/openrpc.json", &[("Accept-Encoding", "gzip")]);
    assert_eq!(answer.header("content-encoding"), "gzip");
    let mut text = String::new();
    GzDecoder::new(&*answer.body).read_to_string(&mut text).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document);
    let discovered = server.call_as(None, "rpc.discover", json!([]));
    assert_eq!(discovered["result"], document);
    // Clients send their token with each call.
    let session = server.login().id;
    for sent in [session.as_str(), "0123456789abcdef0123456789abcdef"] {
        let discovered = server.call_as(Some(sent), "rpc.discover", json!([]));
        assert_eq!(discovered["result"], document);
    }
    let refused = server.call_as(None, "rpc.discover", json!({"all": true}));
    assert_eq!(refused["error"]["data"], "Invalid parameter \"/\": should be empty.");
    let unknown = server.call_as(None, "rpc.describe", json!([]));
    assert_eq!(unknown["error"]["data"], "Incorrect method \"rpc.describe\".");
}

#[test]
fn methods_without_a_login_are_those_that_the_document_says() {
    let server = Server::start();
    let document = server.get("/docs/api/openrpc.json", &[]).json();
    for method in document["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        let answer = server.call_as(None, name, json!({}));
        let is_closed = answer["error"]["data"] == "Not authorized.";
        assert_eq!(is_closed, method["x-role"] != "anybody", "{name}: {answer}");
    }
}
