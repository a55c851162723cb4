//! Unusual heads of real servers and devices.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use http_client::ClientRequest;

use crate::support::{ask, client, text};

/// A server that sends these bytes for each of `n` requests on one connection, and the heads that
/// it saw.
fn raw(n: usize, answer: &'static [u8]) -> (SocketAddr, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut heads = Vec::new();
        for _ in 0..n {
            let mut bytes = Vec::new();
            while !bytes.ends_with(b"\r\n\r\n") && !bytes.ends_with(b"\r\n\r\nbody") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a request");
                bytes.push(byte[0]);
            }
            heads.push(String::from_utf8(bytes).expect("a text"));
            stream.write_all(answer).expect("sent");
        }
        heads
    });
    (address, server)
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Old cameras and gateways accept `Host` and not `host`.
#[tokio::test]
async fn names_of_headers_are_sent_as_they_are_written() {
    let (address, server) = raw(3, OK);
    let client = client();
    let with = |names: &[&str]| ClientRequest {
        headers: names.iter().map(|it| ((*it).to_owned(), "1".to_owned())).collect(),
        ..ask(format!("http://{address}/host:x"))
    };
    let names = ["X-API-Key", "soapAction", "x-lower", "X_ODD.Name", "soapaction"];
    client.exchange(with(&names)).await.expect("an answer");
    client.exchange(with(&["USER-AGENT", "HOST", "accept"])).await.expect("an answer");
    client.exchange(with(&["x-api-key"])).await.expect("an answer");
    let heads = server.join().expect("ended");
    let lines: Vec<Vec<&str>> =
        heads.iter().map(|it| it.trim_end().split("\r\n").collect()).collect();
    let host = format!("Host: {address}");
    let has =
        |at: usize, line: &str| assert!(lines[at].contains(&line), "{line} in {:?}", lines[at]);
    for line in
        ["X-API-Key: 1", "soapAction: 1", "x-lower: 1", "X_ODD.Name: 1", "soapaction: 1", &host]
    {
        has(0, line);
    }
    for line in ["Accept: */*", "Accept-Encoding: deflate, gzip"] {
        has(0, line);
    }
    assert!(lines[0].iter().any(|it| it.starts_with("User-Agent: Saker/")), "{lines:?}");
    for line in ["USER-AGENT: 1", "HOST: 1", "accept: 1"] {
        has(1, line);
    }
    has(2, "x-api-key: 1");
    has(2, &host);
    assert_eq!(lines[0][0], "GET /host:x HTTP/1.1");
}

/// Larger than one write of the system.
#[tokio::test]
async fn long_head_and_its_body_are_complete() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (head_bytes, body_bytes) = (300_000, 8 << 20);
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut bytes = Vec::new();
        let mut buffer = vec![0; 4_096];
        let end = b"\r\n\r\n";
        let (mut head, mut searched) = (None, 0_usize);
        let len = loop {
            let n = stream.read(&mut buffer).expect("bytes");
            bytes.extend_from_slice(&buffer[..n]);
            if head.is_none() {
                // Bytes that were searched before are not searched again: that would take longer
                // than an answer may.
                let found = bytes[searched..].windows(4).position(|it| it == end);
                head = found.map(|it| searched + it);
                searched = bytes.len().saturating_sub(3);
            }
            if let Some(at) = head
                && at + 4 + body_bytes == bytes.len()
            {
                break at;
            }
        };
        stream.write_all(OK).expect("sent");
        (String::from_utf8(bytes[..len].to_vec()).expect("a text"), bytes.split_off(len + 4))
    });
    let long = "v".repeat(head_bytes);
    let request = ClientRequest {
        method: "POST".to_owned(),
        headers: vec![("X-Long".to_owned(), long.clone()), ("X-Last".to_owned(), "1".to_owned())],
        body: Some(b"x-last: 2\r\n".iter().copied().cycle().take(body_bytes).collect()),
        ..ask(format!("http://{address}/"))
    };
    let sent = request.body.clone().expect("a body");
    assert_eq!(text(client().exchange(request).await.expect("an answer")), "ok");
    let (head, body) = server.join().expect("ended");
    assert!(head.contains(&format!("X-Long: {long}\r\n")) && head.contains("X-Last: 1"));
    assert!(body == sent, "the body is as it was");
}

#[tokio::test]
async fn lines_of_a_head_that_cannot_be_read_do_not_cost_the_answer() {
    for line in [
        "no colon at all",
        "Bad Name: x",
        "Spaced : x",
        ": no name",
        "Tab\tbed: x",
        "Umläut: x",
        "X-Control: a\u{1}b",
        "X-Folded: a\r\n  b",
        "@\"(): x",
        "=",
    ] {
        let answer = format!(
            "HTTP/1.1 200 OK\r\nX-Before: 1\r\n{line}\r\nContent-Length: 2\r\nX-After: 1\r\n\r\nok"
        );
        let (address, server) = raw(1, answer.leak().as_bytes());
        let answer = client().exchange(ask(format!("http://{address}/"))).await;
        let answer = answer.unwrap_or_else(|error| panic!("{line:?}: {error}"));
        let of = |name: &str| answer.header(name).map(str::to_owned);
        assert_eq!((of("x-before"), of("x-after")), (Some("1".into()), Some("1".into())), "{line}");
        assert_eq!(text(answer), "ok", "{line:?}");
        server.join().expect("ended");
    }
}
