//! A program of its own, because it counts the threads of its process.

mod support;

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use http_client::ClientRequest;

use support::{ask, client};

fn n_threads() -> usize {
    fs::read_dir("/proc/self/task").expect("Linux").count()
}

#[tokio::test]
async fn servers_that_do_not_answer_hold_no_threads() {
    let silent = TcpListener::bind("0.0.0.0:0").expect("a free port");
    let port = silent.local_addr().expect("bound").port();
    let client = client();
    let before = n_threads();
    let time = Duration::from_millis(700);
    let late = |n: u32| {
        // Each is a server of its own: a single one would not get all requests at once.
        let host = format!("127.1.{}.{}", n / 250, 1 + n % 250);
        let url = if n.is_multiple_of(2) {
            // Accepted by the kernel, and never answered.
            format!("http://{host}:{port}/")
        } else {
            // A TLS handshake that never begins.
            format!("https://{host}:{port}/")
        };
        client.exchange(ClientRequest { time, ..ask(url) })
    };
    let mut under_way: FuturesUnordered<_> = (0..200).map(late).collect();
    let mut most = 0;
    while let Some(answer) = under_way.next().await {
        assert_eq!(answer.expect_err("silent").to_string(), "Timeout was reached");
        most = most.max(n_threads());
    }
    assert!(most <= before + 1, "{before} threads before and {most} while 200 requests waited");
}
