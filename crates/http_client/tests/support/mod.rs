//! Servers for tests: each connection has a thread, and the test decides what is written to it.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::{BufRead, BufReader};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use http_client::{Addresses, Client, ClientRequest, HttpMetrics, Names, Verify};
use model::networks::Destinations;
use openssl::asn1::Asn1Time;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::extension::SubjectAlternativeName;
use openssl::x509::{X509, X509NameBuilder};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::reading::Readings;
use rt::task::Tasks;
use wire::http::Response;

/// A received request.
pub(crate) struct Received {
    /// Its first line.
    pub(crate) line: String,
    /// The other lines, lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

/// A server that takes `n` connections; `answer` writes its bytes after each request.
pub(crate) fn serve(
    n: usize,
    answer: impl Fn(&mut TcpStream, &Received) + Send + Clone + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    thread::spawn(move || {
        for stream in listener.incoming().take(n) {
            let (stream, answer) = (stream.expect("a connection"), answer.clone());
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                while let Some(it) = receive(&mut reader) {
                    answer(reader.get_mut(), &it);
                }
            });
        }
    });
    address
}

/// Reads a request; `None`: the connection has ended.
pub(crate) fn receive(reader: &mut impl BufRead) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|it| 0 < *it)?;
    let (mut headers, mut length) = (Vec::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(it) = header.strip_prefix("content-length:") {
            length = it.trim().parse().ok()?;
        }
        headers.push(header);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Some(Received { line: line.trim().to_owned(), headers, body })
}

pub(crate) fn ask(url: String) -> ClientRequest {
    ClientRequest {
        method: "GET".to_owned(),
        url,
        headers: vec![("X-A".to_owned(), "1".to_owned())],
        body: None,
        proxy: String::new(),
        verify: Verify::BOTH,
        identity: None,
        auth: None,
        time: Duration::from_secs(20),
        body_bytes_max: 1 << 20,
    }
}

pub(crate) fn text(answer: Response) -> String {
    String::from_utf8(answer.body).expect("a text")
}

/// For answers.
pub(crate) const READING_BYTES_MAX: u64 = 256 << 20;

/// The system's resolver, without a cache.
struct System;

impl Names for System {
    fn addresses<'a>(&'a self, name: &'a str, _: Duration) -> Addresses<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await.ok()?;
            let found: Arc<[IpAddr]> = found.map(|it| it.ip()).collect();
            Some(found).filter(|it| !it.is_empty())
        })
    }
}

pub(crate) fn client_to(destinations: Destinations) -> Client {
    client_with(100, destinations).0
}

/// A client for this many connections, and the registry with its metrics.
pub(crate) fn client_with(
    connections_max: usize,
    destinations: Destinations,
) -> (Client, Registry) {
    let registry = Registry::new();
    let (tasks, metrics) = (Tasks::new("test", &registry), HttpMetrics::register(&registry));
    let clock = Clock::real();
    let names = (Box::new(System) as Box<dyn Names>, None);
    let metrics = (metrics, Readings::new(READING_BYTES_MAX, &clock, &registry));
    let metrics = (metrics.0, metrics.1.waiting(Duration::from_millis(100)));
    let client = Client::new(connections_max, destinations, names, metrics, (clock, &tasks));
    (client, registry)
}

pub(crate) fn client() -> Client {
    client_to(Destinations::default())
}

/// A self-signed certificate for a name, with its key.
pub(crate) fn self_signed(name: &str) -> (X509, PKey<Private>) {
    let key = PKey::from_rsa(Rsa::generate(2_048).expect("a key")).expect("a key");
    let mut subject = X509NameBuilder::new().expect("memory");
    subject.append_entry_by_text("CN", name).expect("memory");
    let subject = subject.build();
    let mut builder = X509::builder().expect("memory");
    builder.set_version(2).expect("memory");
    builder.set_subject_name(&subject).expect("memory");
    builder.set_issuer_name(&subject).expect("memory");
    builder.set_pubkey(&key).expect("memory");
    builder.set_not_before(&Asn1Time::days_from_now(0).expect("a time")).expect("memory");
    builder.set_not_after(&Asn1Time::days_from_now(2).expect("a time")).expect("memory");
    let context = builder.x509v3_context(None, None);
    let names = SubjectAlternativeName::new().dns(name).build(&context).expect("a name");
    builder.append_extension(names).expect("memory");
    builder.sign(&key, MessageDigest::sha256()).expect("signed");
    (builder.build(), key)
}
