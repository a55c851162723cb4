//! Figures of other servers: `zabbix[stats,…]`.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::support::config::{host, item, snapshot};
use crate::support::{Server, text};
use model::content::ItemType;

/// Like a Zabbix server, it refuses requests about its queue without parameters.
fn zabbix(n: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(n) {
            let mut stream = stream.expect("a connection");
            let mut decoder = wire::zbxd::Decoder::new(wire::zbxd::FrameLimits::with_max(1 << 20));
            let mut chunk = [0; 4_096];
            let request: serde_json::Value = loop {
                if let Some(frame) = decoder.poll().expect("a packet") {
                    break serde_json::from_slice(frame.payload).expect("JSON");
                }
                let n = stream.read(&mut chunk).expect("bytes");
                decoder.feed(&chunk[..n]);
            };
            let answer = match (&request["type"], &request["params"]) {
                (serde_json::Value::Null, _) => r#"{"response":"success","data":{}}"#.to_owned(),
                (_, params) if params.is_object() => {
                    format!(r#"{{"response":"success","queue":7,"of":{params}}}"#)
                }
                _ => r#"{"response":"failed","info":"cannot find tag: params"}"#.to_owned(),
            };
            let mut packet = Vec::new();
            wire::zbxd::encode(answer.as_bytes(), &mut packet);
            stream.write_all(&packet).expect("sent");
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn queue_requests_always_have_parameters() {
    let port = zabbix(4);
    let mut it = host(1, "health");
    let cases = [
        ("]", r#"{"response":"success","data":{}}"#),
        (",queue]", r#"{"response":"success","queue":7,"of":{}}"#),
        (",queue,10m]", r#"{"response":"success","queue":7,"of":{"from":"10m"}}"#),
        (",queue,,10m]", r#"{"response":"success","queue":7,"of":{"to":"10m"}}"#),
    ];
    it.items = (100..)
        .zip(cases)
        .map(|(id, (rest, _))| {
            let key = format!("zabbix[stats,127.0.0.1,{port}{rest}");
            item(id, ItemType::Internal, &key, "0;md1h0m0s0")
        })
        .collect();
    let server = Server::start(snapshot(1, [it])).await;
    server.execute(100..104);
    for (id, (key, expected)) in (100..).zip(cases) {
        assert_eq!(text(&server.value_of(id).await), expected, "{key}");
    }
}
