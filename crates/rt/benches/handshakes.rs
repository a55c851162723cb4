//! CPU time of a check of an agent: a connection, a request, an answer; plain and with a pre-shared
//! key, by protocol and cipher suite. `cargo bench -p rt --bench handshakes`; as part of the tests
//! it makes ten checks of each kind.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_macros,
    reason = "a program for developers"
)]

use std::sync::Arc;

use nix::time::{ClockId, clock_gettime};
use rt::tls::{Acceptor, ConnectAs, Psk, TlsConnector, TlsSettings, key_of_hex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// Of each kind, where it measures.
const CHECKS: u32 = 10_000;

fn cpu_ns() -> i64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap();
    time.tv_sec() * 1_000_000_000 + time.tv_nsec()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn answer(listener: std::net::TcpListener) {
    let psk_of = |_: &str| key_of_hex(KEY);
    let acceptor = Acceptor::new(&rt::settings::defaults(), Arc::new(psk_of)).unwrap();
    runtime().block_on(async {
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let mut request = [0; 1_024];
        while let Ok((stream, _)) = listener.accept().await {
            let Ok((mut stream, _)) = acceptor.accept(stream).await else { continue };
            if stream.read(&mut request).await.is_ok_and(|it| 0 < it) {
                stream.write_all(&[7; 60]).await.ok();
            }
        }
    });
}

fn main() {
    let n_checks = if std::env::args().any(|it| it == "--bench") { CHECKS } else { 10 };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || answer(listener));
    let defaults: TlsSettings = rt::settings::defaults();
    let psk = || ConnectAs::Psk(Arc::new(Psk::from_hex("bench", KEY).unwrap()));
    let without_13 = |suites: &str| TlsSettings {
        cipher_13: String::new(),
        cipher_psk: suites.to_owned(),
        ..rt::settings::defaults()
    };
    let mut plain_ns = 0;
    for (name, settings, how) in [
        ("plain", defaults.clone(), ConnectAs::Unencrypted),
        ("TLS 1.3", defaults, psk()),
        ("TLS 1.2, kECDHEPSK", without_13("kECDHEPSK+AES128"), psk()),
        ("TLS 1.2, kPSK", without_13("kPSK+AES128"), psk()),
        ("TLS 1.2, PSK-AES128-GCM-SHA256", without_13("PSK-AES128-GCM-SHA256"), psk()),
    ] {
        let connector = TlsConnector::new(&settings).unwrap();
        let spent = runtime().block_on(async {
            let mut before = 0;
            for n in 0..n_checks + n_checks / 10 {
                if n == n_checks / 10 {
                    before = cpu_ns();
                }
                let stream = TcpStream::connect(address).await.unwrap();
                let mut stream = connector.connect(stream, &how).await.unwrap();
                stream.write_all(&[5; 80]).await.unwrap();
                let mut got = [0; 60];
                stream.read_exact(&mut got).await.unwrap();
            }
            cpu_ns() - before
        });
        let each_ns = spent / i64::from(n_checks);
        if plain_ns == 0 {
            plain_ns = each_ns;
        }
        let ratio = each_ns as f64 / plain_ns as f64;
        println!("{name}: {:.1} µs a check, {ratio:.2} of plain", each_ns as f64 / 1_000.0);
    }
}
