//! Limits of the HTTP port: connections at once, and how long a head may take.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use api::ServeSettings;

use crate::fake::Server;

const REQUEST: &[u8] = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
/// Much longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Takes an answer of this status and leaves the connection open.
fn take_answer(stream: &mut TcpStream, status: u16) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    assert!(head.starts_with(&format!("http/1.1 {status} ")), "{head}");
    let length = head.lines().find_map(|it| it.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
}

/// The server ends the connection by itself.
fn assert_ends(mut stream: TcpStream) {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}"),
    }
}

#[test]
fn one_connection_too_many_waits_until_another_ends() {
    let server =
        Server::start_with(ServeSettings { connections_max: 2, ..ServeSettings::default() });
    let mut kept: Vec<TcpStream> = (0..2).map(|_| connect(&server)).collect();
    for stream in &mut kept {
        stream.write_all(REQUEST).unwrap();
        take_answer(stream, 200);
    }
    let mut waiting = connect(&server);
    waiting.write_all(REQUEST).unwrap();
    waiting.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let early = waiting.read(&mut [0]).map_err(|it| it.kind());
    assert!(matches!(early, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{early:?}");
    // Those that have their place go on.
    kept[0].write_all(REQUEST).unwrap();
    take_answer(&mut kept[0], 200);
    kept.pop();
    waiting.set_read_timeout(Some(PATIENCE)).unwrap();
    take_answer(&mut waiting, 200);
}

#[test]
fn a_stalled_head_ends_the_connection_and_frees_its_place() {
    let head_time_max = Duration::from_millis(200);
    let server = Server::start_with(ServeSettings {
        connections_max: 1,
        head_time_max,
        ..ServeSettings::default()
    });
    for sent in [&b""[..], b"GET", b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: 1"] {
        let mut slow = connect(&server);
        slow.write_all(sent).unwrap();
        let mut next = connect(&server);
        next.write_all(REQUEST).unwrap();
        take_answer(&mut next, 200);
        assert_ends(slow);
        // A connection that was used once ends as well.
        assert_ends(next);
    }
}

/// The next request would find a connection that was reset, and the client would never see the answer.
#[test]
fn a_body_after_its_refusal_ends_no_connection() {
    let server = Server::start();
    let mut stream = connect(&server);
    for (path, kind, status) in
        [("/api/v1/import", "text/yaml", 401), ("/api_jsonrpc.php", "text/plain", 412)]
    {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 0\r\nContent-Type: {kind}\r\n\
             Content-Length: 300000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        take_answer(&mut stream, status);
        for _ in 0..3 {
            stream.write_all(&[b'x'; 100_000]).unwrap();
        }
        stream.write_all(REQUEST).unwrap();
        take_answer(&mut stream, 200);
    }
}
