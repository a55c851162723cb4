//! More requests at once than their server handles.

use std::io::{BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use http_client::ClientRequest;
use model::networks::Destinations;
use nix::sys::socket::{AddressFamily, Backlog, SockFlag, SockType, SockaddrIn};
use nix::sys::socket::{bind, getsockname, listen, socket};

use crate::support::{ask, client, client_with, receive};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/// The time that a server with a thread for each connection takes to begin one on a busy machine.
const ACCEPT_EACH: Duration = Duration::from_millis(2);

/// A listener with a queue of this length; that of Python's socketserver is 5.
fn with_queue(length: i32) -> (TcpListener, SocketAddr) {
    let fd = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None);
    let fd = fd.expect("a socket");
    let any = SockaddrIn::from(std::net::SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));
    bind(fd.as_raw_fd(), &any).expect("a free port");
    listen(&fd, Backlog::new(length).expect("a length")).expect("listening");
    let port = getsockname::<SockaddrIn>(fd.as_raw_fd()).expect("bound").port();
    (TcpListener::from(fd), (Ipv4Addr::LOCALHOST, port).into())
}

/// Answers all requests, accepting one connection after the other. Counts them.
fn serve_slowly(keeps: bool) -> (SocketAddr, Arc<AtomicUsize>) {
    // Usual lengths of either kind.
    let (listener, address) = with_queue(if keeps { 5 } else { 128 });
    let n_connections = Arc::new(AtomicUsize::new(0));
    let n = Arc::clone(&n_connections);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.expect("a connection");
            n.fetch_add(1, Ordering::Relaxed);
            #[expect(clippy::disallowed_methods, reason = "the slowness of this server")]
            thread::sleep(ACCEPT_EACH);
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                while receive(&mut reader).is_some()
                    && reader.get_mut().write_all(OK).is_ok()
                    && keeps
                {}
            });
        }
    });
    (address, n_connections)
}

async fn ask_a_thousand_times(keeps: bool) -> usize {
    let (address, n_connections) = serve_slowly(keeps);
    let (client, registry) = client_with(1_000, Destinations::default());
    // The server takes two seconds for all of them, on an idle machine.
    let request =
        || ClientRequest { time: Duration::from_secs(60), ..ask(format!("http://{address}/")) };
    let mut under_way: FuturesUnordered<_> =
        (0..1_000).map(|_| client.exchange(request())).collect();
    while let Some(answer) = under_way.next().await {
        assert_eq!(answer.expect("an answer").body, b"ok");
    }
    let figure = |name| registry.value(name, None).expect("declared").to_string();
    assert_eq!(figure("saker_http_client_no_turn_total"), "0");
    assert_eq!(figure("saker_http_client_waiting"), "0");
    let n_waited = registry.value("saker_http_client_wait_seconds", None).expect("declared");
    assert!((900.0..=992.0).contains(&n_waited), "{n_waited} waited");
    n_connections.load(Ordering::Relaxed)
}

#[tokio::test]
async fn a_small_server_answers_a_thousand_requests_in_turn() {
    let n_connections = ask_a_thousand_times(true).await;
    assert!(n_connections < 500, "{n_connections} connections");
}

#[tokio::test]
async fn a_small_server_that_closes_connections_answers_as_well() {
    let n_connections = ask_a_thousand_times(false).await;
    assert!(1_000 <= n_connections, "{n_connections} connections");
}

#[tokio::test]
async fn waiting_for_a_silent_server_ends_with_the_timeout() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = silent.local_addr().expect("bound");
    let (client, registry) = client_with(1_000, Destinations::default());
    let request =
        || ClientRequest { time: Duration::from_millis(300), ..ask(format!("http://{address}/")) };
    let mut under_way: FuturesUnordered<_> = (0..100).map(|_| client.exchange(request())).collect();
    let (mut n_late, mut n_without) = (0_u32, 0_u32);
    while let Some(answer) = under_way.next().await {
        let error = answer.expect_err("silent").to_string();
        assert!(error.starts_with("Timeout was reached"), "{error}");
        if error == "Timeout was reached" {
            n_late += 1;
        } else {
            n_without += 1;
        }
    }
    assert_eq!(n_late + n_without, 100);
    assert!(n_late < 40, "{n_late} were made");
    let figure = |name| registry.value(name, None).expect("declared").to_string();
    assert_eq!(figure("saker_http_client_no_turn_total"), n_without.to_string());
    assert_eq!(figure("saker_http_client_slowed_total"), "1");
    // Another server is not affected.
    let (other, _) = serve_slowly(true);
    let answer = client.exchange(ask(format!("http://{other}/"))).await;
    assert_eq!(answer.expect("an answer").status, 200);
}

/// Accepts this many connections, which stay open.
async fn accept(
    listener: &tokio::net::TcpListener,
    n: usize,
    connections: &mut Vec<tokio::net::TcpStream>,
) {
    for _ in 0..n {
        connections.push(listener.accept().await.expect("a connection").0);
    }
}

#[tokio::test]
async fn abandoned_request_takes_no_turn() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = silent.local_addr().expect("bound");
    let client = client();
    let request =
        || ClientRequest { time: Duration::from_secs(60), ..ask(format!("http://{address}/")) };
    let mut connections = Vec::new();
    let mut held: FuturesUnordered<_> = (0..8).map(|_| client.exchange(request())).collect();
    tokio::select! {
        it = held.next() => panic!("{it:?}"),
        () = accept(&silent, 8, &mut connections) => {}
    }
    let waits = tokio::time::timeout(Duration::from_millis(50), client.exchange(request()));
    tokio::select! {
        it = waits => drop(it.expect_err("waiting")),
        () = accept(&silent, 1, &mut connections) => panic!("it had no turn"),
    }
    // All turns are given back; the next waiter gets one, and its request arrives at the server.
    drop(held);
    tokio::select! {
        it = client.exchange(request()) => panic!("{it:?}"),
        () = accept(&silent, 1, &mut connections) => {}
    }
}
