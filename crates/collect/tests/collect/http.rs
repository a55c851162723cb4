//! HTTP agent items: their requests, and the part of the answer that is the value.

use std::sync::Arc;

use crate::support::config::{discovered, host, interface, item, snapshot};
use crate::support::{Server, error, text};
use collect::ports::HttpTls;
use model::content::{
    HostMacro, InterfaceType, ItemContent, ItemType, MacroType, NamedValue, WebScenario, WebStep,
};
use model::snapshot::Host;
use model::{HostMacroId, ItemId};

fn pair(name: &str, value: &str) -> NamedValue {
    NamedValue { name: name.to_owned(), value: value.to_owned() }
}

fn host_with(contents: Vec<ItemContent>) -> Host {
    let mut it = host(7, "web");
    it.interfaces.push(interface(1, InterfaceType::Agent, "192.0.2.7", 10050));
    it.macros = [("{$PATH}", "a b"), ("{$QUOTE}", "say \"<&\""), ("{$TOKEN}", "secret\r\nX: y")]
        .into_iter()
        .zip(1..)
        .map(|((name, value), id)| HostMacro {
            hostmacroid: HostMacroId(id),
            name: name.to_owned(),
            value: value.to_owned(),
            description: String::new(),
            kind: MacroType::Text,
        })
        .collect();
    for (content, id) in contents.into_iter().zip(100..) {
        let mut row = item(id, ItemType::HttpAgent, &format!("web[{id}]"), "1h");
        row.content = Arc::new(ItemContent {
            kind: ItemType::HttpAgent,
            key_: format!("web[{id}]"),
            delay: "1h".to_owned(),
            ..content
        });
        it.items.push(row);
    }
    it
}

async fn start(contents: Vec<ItemContent>) -> Server {
    Server::start(snapshot(1, [host_with(contents)])).await
}

#[tokio::test(flavor = "multi_thread")]
async fn request_has_all_fields_of_the_item() {
    let server = start(vec![ItemContent {
        url: "http://{HOST.CONN}:8080/{$PATH}?x=1#part".to_owned(),
        query_fields: vec![pair("key", "{ITEM.KEY} {$PATH}"), pair("flag", "")],
        headers: vec![pair("X-Token", "{$TOKEN}"), pair("X-Host", "{HOST.HOST}/{ITEM.ID}")],
        posts: "{\"q\": \"{$QUOTE}\", \"n\": {$NOBODY}}".to_owned(),
        post_type: 2,
        request_method: 1,
        authtype: 1,
        username: "user".to_owned(),
        password: "p:w".to_owned(),
        http_proxy: "http://{HOST.HOST}:3128".to_owned(),
        verify_peer: true,
        verify_host: true,
        timeout: "7s".to_owned(),
        ..ItemContent::default()
    }])
    .await;
    server.owner.http.answer(200, &[], "fine");
    server.execute([100]);
    assert_eq!(text(&server.value_of(100).await), "fine");
    let [request] = server.owner.http.requests().try_into().expect("one request");
    assert_eq!(request.method, "POST");
    assert_eq!(request.url, "http://192.0.2.7:8080/a%20b?x=1&key=web%5B100%5D%20a%20b&flag");
    let headers: Vec<_> = request.headers.iter().map(|it| format!("{}: {}", it.0, it.1)).collect();
    assert_eq!(
        headers,
        [
            "X-Token: secret  X: y",
            "X-Host: web/100",
            "Content-Type: application/json",
            "Authorization: Basic dXNlcjpwOnc=",
        ]
    );
    let body = String::from_utf8(request.body.expect("a body")).expect("a text");
    assert_eq!(body, r#"{"q": "say \"<&\"", "n": {$NOBODY}}"#);
    assert_eq!(request.proxy, "http://web:3128");
    let both = HttpTls { verify_peer: true, verify_host: true, ..HttpTls::default() };
    assert_eq!(request.tls, both);
    assert!(request.time.as_secs_f64() <= 7.0 && 64 << 20 == request.body_bytes_max);
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_macros_fit_the_kind_of_body() {
    let of = |post_type, headers| ItemContent {
        url: "localhost".to_owned(),
        posts: "<a b=\"{$QUOTE}\"/>".to_owned(),
        request_method: 2,
        post_type,
        headers,
        ..ItemContent::default()
    };
    let server = start(vec![of(3, vec![]), of(0, vec![pair("content-type", "text/x")])]).await;
    for (id, expected, kind) in [
        (100, "<a b=\"say &quot;&lt;&amp;&quot;\"/>", "application/xml"),
        (101, "<a b=\"say \"<&\"\"/>", "text/x"),
    ] {
        server.owner.http.answer(200, &[], "");
        server.execute([id]);
        assert_eq!(text(&server.value_of(id).await), "");
        let [request] = server.owner.http.requests().try_into().expect("one request");
        assert_eq!((request.method.as_str(), request.url.as_str()), ("PUT", "http://localhost/"));
        assert_eq!(request.body.as_deref(), Some(expected.as_bytes()));
        let kinds: Vec<_> = request.headers.iter().map(|it| it.1.as_str()).collect();
        assert_eq!(kinds, [kind]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn discovered_items_ask_with_the_values_of_their_row() {
    let mut it = host_with(vec![ItemContent {
        url: "http://a/{#ID}".to_owned(),
        headers: vec![pair("X", "{#ID}")],
        posts: "\"{#ID}\"".to_owned(),
        post_type: 2,
        ..ItemContent::default()
    }]);
    let prototype = it.items.remove(0);
    it.items.push(discovered(prototype, "web[x]", &[("{#ID}", "4\"2")]));
    let server = Server::start(snapshot(1, [it])).await;
    server.owner.http.answer(200, &[], "1");
    server.execute([100]);
    assert_eq!(text(&server.value_of(100).await), "1");
    let [request] = server.owner.http.requests().try_into().expect("one request");
    assert_eq!((request.method.as_str(), request.url.as_str()), ("GET", "http://a/4\"2"));
    assert_eq!(request.body.as_deref(), Some(b"\"4\\\"2\"".as_slice()));
    assert_eq!(request.headers.first().map(|it| it.1.as_str()), Some("4\"2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_followed_on_request() {
    let of = |follow_redirects| ItemContent {
        url: "http://a/".to_owned(),
        follow_redirects,
        retrieve_mode: 2,
        status_codes: "200,302".to_owned(),
        ..ItemContent::default()
    };
    let server = start(vec![of(true), of(false)]).await;
    for (id, expected) in [
        (
            100,
            "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nHTTP/1.1 200 OK\r\nServer: s\r\n\r\nthere",
        ),
        (101, "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nmoved"),
    ] {
        server.owner.http.answer(302, &[("Location", "/b")], "moved");
        server.owner.http.answer(200, &[("Server", "s")], "there");
        server.execute([id]);
        assert_eq!(text(&server.value_of(id).await), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_and_unwanted_answers_have_a_reason() {
    let of = |change: fn(&mut ItemContent)| {
        let mut it = ItemContent { url: "http://a/".to_owned(), ..ItemContent::default() };
        change(&mut it);
        it
    };
    let server = start(vec![
        of(|it| it.status_codes = "{$NOBODY}".to_owned()),
        of(|it| it.authtype = 9),
        of(|it| it.url = "ftp://a/".to_owned()),
        of(|it| it.url = " ".to_owned()),
        of(|it| it.status_codes = "201-204".to_owned()),
        of(|_| {}),
        of(|it| it.timeout = "1s".to_owned()),
    ])
    .await;
    for (id, expected) in [
        (100, "Invalid list of status codes \"{$NOBODY}\"."),
        (101, "Unknown kind of authentication 9."),
        (102, "Cannot perform request: Protocol \"ftp\" not supported"),
        (103, "The item has no URL."),
        (
            104,
            "Response code \"200\" did not match any of the required status codes \"201-204\"\nno",
        ),
        (105, "Cannot perform request: Could not connect to server"),
        (106, "Cannot perform request: Timeout was reached"),
    ] {
        match id {
            104 => server.owner.http.answer(200, &[], "no"),
            105 => server.owner.http.fail("Could not connect to server"),
            _ => {}
        }
        server.execute([id]);
        assert_eq!(error(&server.value_of(id).await), expected);
    }
    // A missing web server does not count against the host's interface.
    assert!(server.owner.interfaces.lock().expect("no panic").is_empty());
}

fn koi8(kind: &str) -> wire::http::Response {
    wire::http::Response {
        status: 200,
        headers: vec![("Content-Type".to_owned(), kind.to_owned())],
        // "принят"
        body: b"\xd0\xd2\xc9\xce\xd1\xd4".to_vec(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_read_in_the_encoding_that_the_server_names() {
    let of = |retrieve_mode, as_json| ItemContent {
        url: "http://a/".to_owned(),
        retrieve_mode,
        output_format: i64::from(as_json),
        ..ItemContent::default()
    };
    let server = start(vec![of(0, false), of(2, false), of(0, true)]).await;
    for (id, expected) in [
        (100, "принят"),
        (101, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=KOI8-R\r\n\r\nпринят"),
        (102, "{\"body\":\"принят\"}"),
    ] {
        let answer = koi8("text/plain; charset=KOI8-R");
        server.owner.http.answers.lock().expect("no panic").push_back(Ok(answer));
        server.execute([id]);
        assert_eq!(text(&server.value_of(id).await), expected);
    }
}

/// Required texts and variables are readable text.
#[tokio::test(flavor = "multi_thread")]
async fn scenario_pages_are_read_in_the_encoding_of_the_server() {
    let step = |url: &str, required: &str| WebStep {
        name: url.to_owned(),
        url: format!("http://a/{url}"),
        required: required.to_owned(),
        variables: vec![pair("{said}", "regex:(п.*)")],
        ..WebStep::default()
    };
    let scenario = WebScenario {
        name: "shop".to_owned(),
        steps: vec![step("one", "принят"), step("{said}", "^при")],
        ..WebScenario::default()
    };
    let mut it = host_with(Vec::new());
    let of = |id: u64, key: &str, params: String| {
        let mut row = item(id, ItemType::WebItem, key, "1h");
        row.content = Arc::new(ItemContent { params, ..(*row.content).clone() });
        row
    };
    it.items.push(of(100, "web.test.fail[shop]", scenario.params()));
    it.items.push(of(101, "web.test.error[shop]", String::new()));
    let server = Server::start(snapshot(1, [it])).await;
    for _ in 0..2 {
        let answer = Ok(koi8("text/html; charset=\"koi8-r\""));
        server.owner.http.answers.lock().expect("no panic").push_back(answer);
    }
    server.execute([100]);
    assert_eq!(text(&server.value_of(100).await), "0");
    let urls: Vec<_> = server.owner.http.requests().into_iter().map(|it| it.url).collect();
    assert_eq!(urls, ["http://a/one", "http://a/принят"]);
    // The scenario's other items are not polled.
    assert!(server.collectors.execute_now(&[ItemId(101)])[0].is_err());
}
