//! A receiver of HTTP requests with the responses of a test; it keeps the requests.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use openssl::ssl::SslAcceptor;

use super::address;
use super::web::Identity;

pub struct Receiver {
    url: String,
    status: Arc<AtomicU16>,
    got: Arc<Mutex<Vec<Taken>>>,
}

/// Head and body.
type Taken = (String, Vec<u8>);

impl Receiver {
    /// One that takes everything.
    pub fn start() -> Self {
        Self::listen(TcpListener::bind((address(), 0)).unwrap(), None)
    }

    /// One at 127.0.0.1 and `localhost` that shows a certificate.
    pub fn start_encrypted(identity: &Identity) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        Self::listen(listener, Some(identity.acceptor()))
    }

    fn listen(listener: TcpListener, acceptor: Option<SslAcceptor>) -> Self {
        let scheme = if acceptor.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}/take", listener.local_addr().unwrap());
        let acceptor = acceptor.map(Arc::new);
        let (status, got) = (Arc::new(AtomicU16::new(200)), Arc::default());
        let receiver = Self { url, status: Arc::clone(&status), got: Arc::clone(&got) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), status, got) = (stream, Arc::clone(&status), Arc::clone(&got))
                else {
                    return;
                };
                let acceptor = acceptor.clone();
                // A killed sender breaks off in the middle of a request.
                thread::spawn(move || serve(stream, acceptor.as_deref(), &status, &got));
            }
        });
        receiver
    }

    pub fn url(&self) -> String {
        self.url.clone()
    }

    pub fn answer(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    /// Heads and bodies of the requests that were taken.
    pub fn requests(&self) -> Vec<Taken> {
        self.got.lock().unwrap().clone()
    }

    /// All bodies, one behind the other.
    pub fn text(&self) -> String {
        let bodies: Vec<Vec<u8>> = self.requests().into_iter().map(|it| it.1).collect();
        String::from_utf8(bodies.concat()).unwrap()
    }
}

fn serve(
    stream: TcpStream,
    acceptor: Option<&SslAcceptor>,
    status: &AtomicU16,
    got: &Mutex<Vec<Taken>>,
) {
    match acceptor {
        None => while converse(&mut &stream, status, got).is_some() {},
        // A client that does not trust the certificate ends the handshake.
        Some(acceptor) => {
            let Ok(mut stream) = acceptor.accept(stream) else { return };
            while converse(&mut stream, status, got).is_some() {}
        }
    }
}

fn converse(
    stream: &mut (impl Read + Write),
    status: &AtomicU16,
    got: &Mutex<Vec<Taken>>,
) -> Option<()> {
    // A client waits for the response before it continues.
    let mut reader = BufReader::new(&mut *stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(it) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = it.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let status = status.load(Ordering::Relaxed);
    if status == 200 {
        got.lock().unwrap().push((head, body));
    }
    let answer = format!("HTTP/1.1 {status} It\r\nContent-Length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).ok()
}
