//! HTTP exchanges of items, made by threads of the pool for blocking work.

use std::sync::{Arc, Mutex, PoisonError};

use collect::ports::{HttpAnswer, HttpClient, HttpRequest, HttpTls};
use model::networks::Destinations;
use rt::clock::Clock;
use rt::task::Tasks;
use script::Request;
use tokio::sync::oneshot;

use super::script_host::{Exchanger, Outgoing, Verified};

/// Exchangers for proxies that are kept.
const PROXIED_MAX: usize = 16;

/// The HTTP client of items.
pub(super) struct ItemHttp {
    tasks: Tasks,
    shared: Arc<Exchangers>,
}

/// Makes exchanges by threads that may wait: those of items, and those of exports.
pub(super) struct Exchangers {
    destinations: Destinations,
    clock: Clock,
    /// By what of certificates is checked: for all requests without a proxy, so that
    /// connections are kept from one to the next.
    direct: [Exchanger; 4],
    /// An exchanger by a proxy makes one request at a time.
    proxied: [Mutex<Vec<Exchanger>>; 4],
}

impl ItemHttp {
    pub(super) fn new(tasks: Tasks, destinations: Destinations, clock: Clock) -> Self {
        Self { tasks, shared: Arc::new(Exchangers::new(destinations, clock)) }
    }
}

impl Exchangers {
    pub(super) fn new(destinations: Destinations, clock: Clock) -> Self {
        let direct = Verified::ALL.map(|tls_verify| {
            let destinations = destinations.clone();
            Exchanger::new(Outgoing { tls_verify, destinations }, clock.clone())
        });
        let proxied = Default::default();
        Self { destinations, clock, direct, proxied }
    }
}

impl HttpClient for ItemHttp {
    fn exchange(&self, request: HttpRequest) -> HttpAnswer<'_> {
        Box::pin(async move {
            let verifies = verifies(&request.tls)?;
            let (answer, answered) = oneshot::channel();
            let (shared, tasks) = (Arc::clone(&self.shared), self.tasks.clone());
            self.tasks.spawn_blocking("http item", move || {
                let asked = Request {
                    method: &request.method,
                    url: &request.url,
                    headers: &request.headers,
                    body: request.body.as_deref(),
                    proxy: &request.proxy,
                    time: request.time,
                    body_bytes_max: request.body_bytes_max,
                };
                let exchange = || shared.exchange(&asked, verifies);
                if let Ok(got) = tasks.contain_sync("HTTP exchange", "an item", exchange) {
                    // Nobody waits any more if this took too long.
                    drop(answer.send(got));
                }
            });
            answered.await.map_err(|_panicked| "the request ended without an answer".to_owned())?
        })
    }
}

/// What of certificates is checked.
fn verifies(tls: &HttpTls) -> Result<Verified, String> {
    if !tls.cert_file.is_empty() || !tls.key_file.is_empty() {
        return Err("SSL certificates of items are not supported yet".to_owned());
    }
    Ok(Verified { peer: tls.verify_peer, host: tls.verify_host })
}

impl Exchangers {
    fn exchange(
        &self,
        asked: &Request<'_>,
        verifies: Verified,
    ) -> Result<wire::http::Response, String> {
        let at = verifies.position();
        if asked.proxy.is_empty() {
            return self.direct[at].exchange(asked);
        }
        let idle = || self.proxied[at].lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let exchanger = kept.unwrap_or_else(|| {
            let destinations = self.destinations.clone();
            Exchanger::new(Outgoing { tls_verify: verifies, destinations }, self.clock.clone())
        });
        let answer = exchanger.exchange(asked);
        let mut idle = idle();
        if idle.len() < PROXIED_MAX {
            idle.push(exchanger);
        }
        answer
    }
}

impl export::HttpClient for Exchangers {
    fn exchange(&self, request: &export::HttpRequest<'_>) -> Result<export::HttpAnswer, String> {
        let asked = Request {
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: Some(request.body),
            proxy: request.proxy,
            time: request.time,
            body_bytes_max: request.answer_bytes_max,
        };
        let export::TlsVerify { peer, host } = request.tls_verify;
        let answer = Self::exchange(self, &asked, Verified { peer, host })?;
        Ok(export::HttpAnswer { status: answer.status, body: answer.body })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::thread;
    use std::time::Duration;

    use rt::metrics::Registry;

    use super::*;

    /// A server that answers `n` connections: `answer` gets the first line and the body of each
    /// request and writes what it likes.
    fn serve(n: usize, answer: fn(&mut TcpStream, &str, &str)) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        thread::spawn(move || {
            for stream in listener.incoming().take(n) {
                let stream = stream.expect("a connection");
                thread::spawn(move || converse(stream, answer));
            }
        });
        address
    }

    fn converse(mut stream: TcpStream, answer: fn(&mut TcpStream, &str, &str)) {
        let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
        while let Some((line, body)) = request(&mut reader) {
            answer(&mut stream, &line, &body);
        }
    }

    fn request(reader: &mut BufReader<TcpStream>) -> Option<(String, String)> {
        let mut first = String::new();
        reader.read_line(&mut first).ok().filter(|it| 0 < *it)?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            if let Some(it) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = it.trim().parse().ok()?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some((first.trim().to_owned(), String::from_utf8_lossy(&body).into_owned()))
    }

    fn ask(url: String) -> HttpRequest {
        HttpRequest {
            method: "GET".to_owned(),
            url,
            headers: vec![("X-A".to_owned(), "1".to_owned())],
            body: None,
            proxy: String::new(),
            tls: HttpTls::default(),
            time: Duration::from_secs(20),
            body_bytes_max: 1 << 20,
        }
    }

    fn client_to(destinations: Destinations) -> ItemHttp {
        ItemHttp::new(Tasks::new("test", &Registry::new()), destinations, Clock::real())
    }

    fn client() -> ItemHttp {
        client_to(Destinations::default())
    }

    #[tokio::test]
    async fn items_do_not_ask_where_it_is_denied() {
        let denied = "127.0.0.0/8".parse().expect("a network");
        let destinations = Destinations { denied, ..Destinations::default() };
        let client = client_to(destinations);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let straight = ask(format!("http://{address}/"));
        let by_proxy = HttpRequest {
            proxy: format!("http://{address}"),
            ..ask("http://example.invalid/".to_owned())
        };
        for request in [straight, by_proxy] {
            let answer = client.exchange(request).await.expect_err("denied");
            assert_eq!(answer, "The setting outgoing.denied forbids this address");
        }
        listener.set_nonblocking(true).expect("a socket");
        assert!(listener.accept().is_err(), "nobody came");
    }

    #[tokio::test]
    async fn requests_are_made_on_kept_connections() {
        // One connection: a second one would never be answered.
        let address = serve(1, |stream, line, body| {
            let text = format!("{line} {body}");
            let head = format!(
                "HTTP/1.1 404 Not Found\r\nX-B: 2\r\nContent-Length: {}\r\n\r\n",
                text.len()
            );
            stream.write_all((head + &text).as_bytes()).expect("sent");
        });
        let client = client();
        for (method, body) in [("GET", None), ("PUT", Some("data")), ("GET", Some("odd"))] {
            let request = HttpRequest {
                method: method.to_owned(),
                body: body.map(|it| it.as_bytes().to_vec()),
                ..ask(format!("http://{address}/a?b"))
            };
            let answer = client.exchange(request).await.expect("an answer");
            assert_eq!((answer.status, answer.header("x-b")), (404, Some("2")));
            let expected = format!("{method} /a?b HTTP/1.1 {}", body.unwrap_or_default());
            assert_eq!(String::from_utf8(answer.body).expect("text"), expected);
        }
    }

    /// Closes each connection at a request, the first or the one after an answered one. Gives the
    /// bodies.
    fn closed_at_the_next(listener: &TcpListener, answers_first: &[bool]) -> Vec<String> {
        let mut bodies = Vec::new();
        for answers in answers_first {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
            let mut next = || request(&mut reader).expect("a request").1;
            if *answers {
                bodies.push(next());
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                stream.write_all(answer).expect("sent");
            }
            bodies.push(next());
        }
        bodies
    }

    #[tokio::test]
    async fn a_kept_connection_that_was_closed_is_replaced() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let server = thread::spawn(move || closed_at_the_next(&listener, &[true, true, false]));
        let client = client();
        let post = |body: &str| HttpRequest {
            method: "POST".to_owned(),
            body: Some(body.as_bytes().to_vec()),
            ..ask(format!("http://{address}/"))
        };
        for body in ["1", "2"] {
            assert_eq!(client.exchange(post(body)).await.expect("an answer").body, b"ok");
        }
        // The third one closes the second connection, then one that was made for it.
        let error = client.exchange(post("3")).await.expect_err("no answer at all");
        assert_eq!(error, "io: Peer disconnected");
        assert_eq!(server.join().expect("ended"), ["1", "2", "2", "3", "3"]);
    }

    #[tokio::test]
    async fn endless_slow_and_missing_answers_are_bounded() {
        let endless = serve(1, |stream, _, _| {
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
            let mut sent = stream.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = stream.write_all(&[b'x'; 65_536]);
            }
        });
        let client = client();
        let answer = client.exchange(ask(format!("http://{endless}/"))).await;
        assert_eq!(answer.expect_err("too long"), "the answer is longer than 1048576 bytes");
        // It trickles: each byte comes in time, the answer never does.
        let slow = serve(1, |stream, _, _| {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("sent");
            while stream.write_all(b"x").is_ok() {
                thread::park_timeout(Duration::from_millis(20));
            }
        });
        let time = Duration::from_millis(300);
        let answer = client.exchange(HttpRequest { time, ..ask(format!("http://{slow}/")) }).await;
        assert_eq!(answer.expect_err("too slow"), "Timeout was reached");
        let gone = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("bound");
        let answer = client.exchange(ask(format!("http://{gone}/"))).await;
        assert_eq!(answer.expect_err("nobody listens"), "Could not connect to server");
    }

    #[tokio::test]
    async fn proxies_get_the_whole_url() {
        let proxy = serve(2, |stream, line, _| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{line}", line.len());
            stream.write_all(head.as_bytes()).expect("sent");
        });
        let client = client();
        let by_proxy = |path: &str| HttpRequest {
            proxy: format!("http://{proxy}"),
            ..ask(format!("http://192.0.2.1/{path}"))
        };
        // At once, by two connections: each line is its own request's.
        let (one, two) =
            tokio::join!(client.exchange(by_proxy("one")), client.exchange(by_proxy("two")));
        for (answer, path) in [(one, "one"), (two, "two")] {
            let body = answer.expect("an answer").body;
            let expected = format!("GET http://192.0.2.1/{path} HTTP/1.1");
            assert_eq!(String::from_utf8(body).expect("text"), expected);
        }
    }

    #[test]
    fn certificates_of_items_are_refused() {
        let of = |cert_file: &str| HttpTls {
            verify_peer: true,
            verify_host: false,
            cert_file: cert_file.to_owned(),
            ..HttpTls::default()
        };
        assert_eq!(verifies(&of("")), Ok(Verified { peer: true, host: false }));
        assert!(verifies(&of("a.pem")).is_err());
        let positions = Verified::ALL.map(Verified::position);
        assert_eq!(positions, [0, 1, 2, 3]);
    }
}
