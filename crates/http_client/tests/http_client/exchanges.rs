//! Exchanges with servers of all kinds: kept connections, and everything that a server may do to
//! its clients.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use http_client::{ClientRequest, Error, Verify};
use model::networks::Destinations;
use openssl::ssl::{SslAcceptor, SslMethod};

use crate::support::{
    READING_BYTES_MAX, Received, ask, client, client_to, client_with, receive, self_signed, serve,
    text,
};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn requests_are_made_on_kept_connections() {
    // One connection: a second one would never be answered.
    let address = serve(1, |stream, Received { line, body, .. }| {
        let text = format!("{line} {body}");
        let head =
            format!("HTTP/1.1 404 Not Found\r\nX-B: 2\r\nContent-Length: {}\r\n\r\n", text.len());
        stream.write_all((head + &text).as_bytes()).expect("sent");
    });
    let client = client();
    for (method, body) in [
        ("GET", None),
        ("PUT", Some("data")),
        ("POST", Some("")),
        ("GET", Some("odd")),
        ("PURGE", None),
    ] {
        let request = ClientRequest {
            method: method.to_owned(),
            body: body.map(|it| it.as_bytes().to_vec()),
            ..ask(format!("http://{address}/a?b"))
        };
        let answer = client.exchange(request).await.expect("an answer");
        assert_eq!((answer.status, answer.header("x-b")), (404, Some("2")));
        assert_eq!(answer.headers.first().map(|it| it.0.as_str()), Some("X-B"));
        assert_eq!(text(answer), format!("{method} /a?b HTTP/1.1 {}", body.unwrap_or_default()));
    }
}

#[tokio::test]
async fn a_body_ends_by_length_by_chunks_or_with_the_connection() {
    let address = serve(4, |stream, Received { line, .. }| {
        let answer: &[u8] = match line.as_str() {
            "GET /length HTTP/1.1" => OK,
            "GET /chunks HTTP/1.1" => {
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\nTrailer: 1\r\n\r\n"
            }
            "GET /nothing HTTP/1.1" => b"HTTP/1.1 204 No Content\r\n\r\n",
            "HEAD /length HTTP/1.1" => b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
            "GET /continue HTTP/1.1" => {
                b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            }
            _ => b"HTTP/1.0 200 OK\r\n\r\nok",
        };
        stream.write_all(answer).expect("sent");
        if answer.starts_with(b"HTTP/1.0") {
            stream.shutdown(Shutdown::Both).ok();
        }
    });
    let client = client();
    for (path, body) in [
        ("length", "ok"),
        ("chunks", "ok"),
        ("nothing", ""),
        ("continue", "ok"),
        ("HEAD length", ""),
        ("end", "ok"),
        ("end", "ok"),
        ("chunks", "ok"),
    ] {
        let (method, path) = path.split_once(' ').unwrap_or(("GET", path));
        let request =
            ClientRequest { method: method.to_owned(), ..ask(format!("http://{address}/{path}")) };
        assert_eq!(text(client.exchange(request).await.expect(path)), body, "{method} {path}");
    }
}

/// Closes each connection at a request, the first or the one after an answered one. Returns the
/// bodies.
fn closed_at_the_next(listener: &TcpListener, answers_first: &[bool]) -> Vec<String> {
    let mut bodies = Vec::new();
    for answers in answers_first {
        let (stream, _) = listener.accept().expect("a connection");
        let mut reader = std::io::BufReader::new(stream);
        if *answers {
            bodies.push(receive(&mut reader).expect("a request").body);
            reader.get_mut().write_all(OK).expect("sent");
        }
        bodies.push(receive(&mut reader).expect("a request").body);
    }
    bodies
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_is_replaced() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let server = thread::spawn(move || closed_at_the_next(&listener, &[true, true, false]));
    let client = client();
    let post = |body: &str| ClientRequest {
        method: "POST".to_owned(),
        body: Some(body.as_bytes().to_vec()),
        ..ask(format!("http://{address}/"))
    };
    for body in ["1", "2"] {
        assert_eq!(client.exchange(post(body)).await.expect("an answer").body, b"ok");
    }
    // The third request closes the second connection, then one that was made for it: there is no
    // further try.
    let error = client.exchange(post("3")).await.expect_err("no answer at all");
    assert_eq!(error.to_string(), "io: Peer disconnected");
    assert_eq!(server.join().expect("ended"), ["1", "2", "2", "3", "3"]);
}

#[tokio::test]
async fn a_request_that_was_answered_in_part_is_not_repeated() {
    let (sent, requests) = mpsc::channel();
    let address = serve(3, move |stream, Received { line, .. }| {
        sent.send(line.clone()).expect("the test waits");
        if line.contains("/cut") {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok").expect("sent");
            stream.shutdown(Shutdown::Both).ok();
        } else {
            stream.write_all(OK).expect("sent");
        }
    });
    let client = client();
    let get = |path: &str| client.exchange(ask(format!("http://{address}/{path}")));
    assert_eq!(text(get("a").await.expect("an answer")), "ok");
    assert_eq!(get("cut").await.expect_err("cut").to_string(), "Transferred a partial file");
    assert_eq!(text(get("b").await.expect("an answer")), "ok");
    let lines: Vec<_> = requests.try_iter().collect();
    assert_eq!(lines, ["GET /a HTTP/1.1", "GET /cut HTTP/1.1", "GET /b HTTP/1.1"]);
}

#[tokio::test]
async fn unrequested_answer_is_dropped() {
    let (sent, requests) = mpsc::channel();
    // Another answer follows the first one; then the sending side is closed.
    let address = serve(8, move |stream, Received { line, .. }| {
        sent.send(()).expect("the test waits");
        if line.contains("/first") {
            stream
                .write_all(&[OK, b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"].concat())
                .ok();
        } else if line.contains("/half") {
            stream.write_all(OK).expect("sent");
            stream.shutdown(Shutdown::Write).ok();
        } else {
            stream.write_all(OK).expect("sent");
        }
    });
    let client = client();
    for path in ["first", "second", "half", "third", "half", "first", "fourth"] {
        let answer = client.exchange(ask(format!("http://{address}/{path}"))).await;
        assert_eq!(text(answer.expect("an answer")), "ok", "{path}");
        // The rest has arrived before the next request.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(requests.try_iter().count(), 7, "each request came once");
}

#[tokio::test]
async fn endless_slow_and_missing_answers_are_bounded() {
    let client = client();
    for head in ["Connection: close\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n", "X: "] {
        let endless = serve(1, move |stream, _| {
            let mut sent = stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}").as_bytes());
            let piece = if head.starts_with('T') {
                [b"10000\r\n".as_slice(), &[b'x'; 65_536], b"\r\n"].concat()
            } else {
                vec![b'x'; 65_536]
            };
            while sent.is_ok() {
                sent = stream.write_all(&piece);
            }
        });
        let answer = client.exchange(ask(format!("http://{endless}/"))).await;
        let error = answer.expect_err("too long").to_string();
        let expected =
            if head == "X: " { "too large" } else { "the answer is longer than 1048576 bytes" };
        assert!(error.contains(expected), "{head}: {error}");
    }
    let long = serve(1, |stream, _| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n").expect("sent");
        while stream.write_all(&[b'x'; 65_536]).is_ok() {}
    });
    let answer = client.exchange(ask(format!("http://{long}/"))).await;
    assert_eq!(
        answer.expect_err("too long").to_string(),
        "the answer is longer than 1048576 bytes"
    );
    // It trickles: each byte is in time, the answer never is.
    for start in ["HTTP/1.1 200 OK\r\n\r\n", "", "HTTP/1.1 200 OK\r\nX: "] {
        let slow = serve(1, move |stream, _| {
            let start = start.to_owned();
            let mut sent = stream.write_all(start.as_bytes());
            while sent.is_ok() {
                thread::park_timeout(Duration::from_millis(20));
                sent = stream.write_all(b"H");
            }
        });
        let time = Duration::from_millis(300);
        let answer =
            client.exchange(ClientRequest { time, ..ask(format!("http://{slow}/")) }).await;
        let error = answer.expect_err("too slow").to_string();
        // An invalid status line may be reported sooner.
        assert!(error == "Timeout was reached" || start.is_empty(), "{start}: {error}");
    }
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("bound");
    let answer = client.exchange(ask(format!("http://{gone}/"))).await;
    assert_eq!(answer.expect_err("nobody listens").to_string(), "Could not connect to server");
    let answer = client.exchange(ask("http://none.invalid/".to_owned())).await;
    assert_eq!(answer.expect_err("no such name").to_string(), "Could not resolve hostname");
}

#[tokio::test]
async fn timed_out_exchange_leaves_no_connection() {
    let (ended, closed) = mpsc::channel();
    let silent = serve(1, move |stream, _| {
        ended.send(stream.read(&mut [0]).ok()).expect("the test waits");
    });
    let client = client();
    let time = Duration::from_millis(100);
    let late = client.exchange(ClientRequest { time, ..ask(format!("http://{silent}/")) }).await;
    assert_eq!(late.expect_err("silent").to_string(), "Timeout was reached");
    let n_read = closed.recv_timeout(Duration::from_secs(60)).expect("the server's end");
    assert_eq!(n_read, Some(0), "the connection was closed");
}

#[tokio::test]
async fn nothing_goes_where_it_is_denied() {
    let denied = "127.0.0.0/8, ::1".parse().expect("networks");
    let client = client_to(Destinations { denied, ..Destinations::default() });
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let port = address.port();
    let by_proxy = |proxy: String, url: &str| ClientRequest { proxy, ..ask(url.to_owned()) };
    for request in [
        ask(format!("http://{address}/")),
        ask(format!("http://localhost:{port}/")),
        ask(format!("https://2130706433:{port}/")),
        ask(format!("http://127.1:{port}/")),
        by_proxy(format!("http://{address}"), "http://example.invalid/"),
        by_proxy("http://192.0.2.1".to_owned(), "https://0x7f000001/"),
        by_proxy("http://192.0.2.1".to_owned(), "http://[::ffff:127.0.0.1]/"),
    ] {
        let url = request.url.clone();
        let answer = client.exchange(request).await.expect_err("denied");
        assert_eq!(answer.to_string(), "The setting outgoing.denied forbids this address", "{url}");
    }
    listener.set_nonblocking(true).expect("a socket");
    assert!(listener.accept().is_err(), "nobody came");
}

#[tokio::test]
async fn proxies_get_the_whole_url() {
    let proxy = serve(2, |stream, Received { line, .. }| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{line}", line.len());
        stream.write_all(head.as_bytes()).expect("sent");
    });
    let client = client();
    let by_proxy = |path: &str| ClientRequest {
        proxy: format!("http://{proxy}"),
        ..ask(format!("http://192.0.2.1/{path}"))
    };
    // At once, on two connections: each line belongs to its own request.
    let (one, two) =
        tokio::join!(client.exchange(by_proxy("one")), client.exchange(by_proxy("two")));
    for (answer, path) in [(one, "one"), (two, "two")] {
        let line = text(answer.expect("an answer"));
        assert_eq!(line, format!("GET http://192.0.2.1/{path} HTTP/1.1"));
    }
}

#[tokio::test]
async fn a_tunnel_that_a_proxy_does_not_make_is_an_error() {
    for (answer, expected) in [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            "CONNECT tunnel failed, response 407",
        ),
        ("220 mail.example.com ESMTP\r\n\r\n", "the proxy's answer to CONNECT is not HTTP"),
        ("", "io: Peer disconnected"),
        ("HTTP/1.1 200 OK\r\n\r\n220 no TLS\r\n", "the proxy's answer to CONNECT is not HTTP"),
    ] {
        let proxy = serve(1, move |stream, Received { line, .. }| {
            assert_eq!(line, "CONNECT example.invalid:443 HTTP/1.1");
            stream.write_all(answer.as_bytes()).expect("sent");
            stream.shutdown(Shutdown::Write).expect("a connection");
        });
        let request = ClientRequest {
            proxy: proxy.to_string(),
            ..ask("https://example.invalid/".to_owned())
        };
        let error = client().exchange(request).await.expect_err("no tunnel").to_string();
        assert_eq!(error, expected, "{answer}");
    }
    let endless = serve(1, |stream, _| {
        let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while sent.is_ok() {
            sent = stream.write_all(b"X: y\r\n");
        }
    });
    let request =
        ClientRequest { proxy: endless.to_string(), ..ask("https://example.invalid/".to_owned()) };
    let error = client().exchange(request).await.expect_err("no tunnel");
    assert_eq!(error.to_string(), "the proxy's answer to CONNECT is not HTTP");
}

/// A server that speaks TLS, as `localhost`.
fn serve_tls(n: usize) -> u16 {
    let (certificate, key) = self_signed("localhost");
    let mut builder = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).expect("TLS");
    builder.set_certificate(&certificate).expect("a certificate");
    builder.set_private_key(&key).expect("a key");
    let acceptor = builder.build();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().take(n) {
            // A client that does not trust it ends the handshake.
            let Ok(stream) = acceptor.accept(stream.expect("a connection")) else { continue };
            let mut reader = std::io::BufReader::new(stream);
            while receive(&mut reader).is_some() {
                reader.get_mut().write_all(OK).expect("sent");
            }
        }
    });
    port
}

#[tokio::test]
async fn certificates_are_checked_as_far_as_wanted() {
    let port = serve_tls(6);
    let client = client();
    let get = |host: &str, peer, host_name| ClientRequest {
        verify: Verify { peer, host: host_name },
        ..ask(format!("https://{host}:{port}/"))
    };
    for (request, expected) in [
        (get("localhost", true, true), Err("SSL certificate problem: self-signed certificate")),
        (get("localhost", true, false), Err("SSL certificate problem: self-signed certificate")),
        (get("127.0.0.1", false, true), Err("SSL certificate problem: IP address mismatch")),
        (get("localhost", false, true), Ok("ok")),
        // On the connection that is kept.
        (get("localhost", false, true), Ok("ok")),
    ] {
        let what = format!("{:?} {}", request.verify, request.url);
        let answer = client.exchange(request).await.map(text).map_err(|it| it.to_string());
        assert_eq!(answer, expected.map(str::to_owned).map_err(str::to_owned), "{what}");
    }
}

#[tokio::test]
async fn unverified_client_accepts_every_server() {
    let port = serve_tls(1);
    let verify = Verify { peer: false, host: false };
    let request = ClientRequest { verify, ..ask(format!("https://127.0.0.1:{port}/")) };
    assert_eq!(text(client().exchange(request).await.expect("an answer")), "ok");
}

#[tokio::test]
async fn silent_tls_server_delays_no_others() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("bound").port();
    let plain = serve(1, |stream, _| stream.write_all(OK).expect("sent"));
    let client = client();
    let late =
        |time| client.exchange(ClientRequest { time, ..ask(format!("https://127.0.0.1:{port}/")) });
    let mut slow: FuturesUnordered<_> = (0..20).map(|_| late(Duration::from_secs(60))).collect();
    let quick = async {
        for _ in 0..20 {
            let answer = client.exchange(ask(format!("http://{plain}/"))).await;
            assert_eq!(text(answer.expect("an answer")), "ok");
        }
    };
    let mut quick = std::pin::pin!(quick);
    // All have begun, none has ended.
    tokio::select! {
        it = slow.next() => panic!("{it:?}"),
        () = &mut quick => {}
    }
    drop(slow);
    let mut slow: FuturesUnordered<_> = (0..20).map(|_| late(Duration::from_secs(1))).collect();
    while let Some(answer) = slow.next().await {
        // Requests without a turn report that.
        let error = answer.expect_err("no handshake").to_string();
        assert!(error.starts_with("Timeout was reached"), "{error}");
    }
    // An answer without TLS is reported.
    let plain = serve(1, |stream, _| stream.write_all(OK).expect("sent"));
    let answer = client.exchange(ask(format!("https://{plain}/"))).await;
    drop(answer.expect_err("no TLS"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bombs_of_one_server_are_bounded_and_others_are_answered() {
    const MIB: usize = 1 << 20;
    let bomb = {
        let mut to = GzEncoder::new(Vec::new(), Compression::best());
        to.write_all(&vec![0; 32 * MIB]).expect("memory");
        to.finish().expect("memory")
    };
    let bombs = serve(40, move |stream, _| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            bomb.len()
        );
        stream.write_all(head.as_bytes()).ok();
        stream.write_all(&bomb).ok();
    });
    let honest = serve(1, |stream, _| {
        let body = "x".repeat(100_000);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).ok();
        stream.write_all(body.as_bytes()).ok();
    });
    let (client, registry) = client_with(100, Destinations::default());
    let asked = |n: usize| {
        let request =
            ClientRequest { body_bytes_max: 64 * MIB, ..ask(format!("http://{bombs}/{n}")) };
        let client = client.clone();
        tokio::spawn(async move { client.exchange_timed(request).await })
    };
    let all: Vec<_> = (0..40).map(asked).collect();
    let answer = client.exchange(ask(format!("http://{honest}/"))).await.expect("an answer");
    assert_eq!(answer.body.len(), 100_000);
    // Answers that were read keep their room.
    let mut kept = Vec::new();
    for it in all {
        match it.await.expect("no panic") {
            Ok(it) => kept.push(it),
            Err(error) => assert!(matches!(error, Error::NoRoom), "{error}"),
        }
    }
    let bytes: usize = kept.iter().map(|it| it.answer.body.len()).sum();
    let bytes_max = usize::try_from(READING_BYTES_MAX).expect("64 bits");
    assert!((32 * MIB..=bytes_max / 2).contains(&bytes), "{bytes}");
    let taken = registry.value("saker_reading_bytes", None).expect("a figure");
    assert!(0.0 < taken && taken <= 268_435_456.0, "{taken}");
    drop(kept);
    assert_eq!(registry.value("saker_reading_bytes", None), Some(0.0));
}
