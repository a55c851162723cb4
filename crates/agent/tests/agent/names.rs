//! A name server of the test, queried by us and by zabbix_agentd.

use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use agent::{Agent, AgentSettings};

use crate::golden::{Golden, ask, text};

/// Both agents ask port 53 of the address in the key.
const SERVER: &str = "127.0.77.53:53";

/// The data of the record of a kind.
fn record(kind: u16) -> Option<Vec<u8>> {
    let name = |labels: &[&str]| {
        let mut bytes = Vec::new();
        for label in labels {
            bytes.push(u8::try_from(label.len()).expect("short"));
            bytes.extend_from_slice(label.as_bytes());
        }
        bytes.push(0);
        bytes
    };
    Some(match kind {
        1 => vec![192, 0, 2, 1],
        2 | 5 | 12 => name(&["ns", "example", "com"]),
        6 => {
            let mut data = name(&["ns", "example", "com"]);
            data.extend(name(&["admin", "example", "com"]));
            for number in [2_026_112_501_u32, 7_200, 3_600, 1_209_600, 300] {
                data.extend(number.to_be_bytes());
            }
            data
        }
        15 => [vec![0, 10], name(&["mail", "example", "com"])].concat(),
        16 => b"\x05hello\x05world".to_vec(),
        28 => vec![0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        33 => [vec![0, 1, 0, 2, 0, 80], name(&["www", "example", "com"])].concat(),
        _ => return None,
    })
}

/// The answer to a question; unknown names have no records.
fn answer(question: &[u8]) -> Vec<u8> {
    let mut end = 12;
    while question[end] != 0 {
        end += usize::from(question[end]) + 1;
    }
    let kind = u16::from_be_bytes([question[end + 1], question[end + 2]]);
    let mut message = question[..end + 5].to_vec();
    (message[2], message[3]) = (0x85, 0x80);
    // Only the question is repeated, not the rest of the message.
    message[6..12].fill(0);
    let is_known = question[13..].starts_with(b"example") || question[13..].starts_with(b"www");
    match record(kind).filter(|_| is_known) {
        Some(data) => {
            message[7] = 1;
            message.extend_from_slice(&[192, 12]);
            message.extend(kind.to_be_bytes());
            message.extend_from_slice(&[0, 1, 0, 0, 0, 60]);
            message.extend(u16::try_from(data.len()).expect("short").to_be_bytes());
            message.extend(data);
        }
        None => message[3] |= 3,
    }
    message
}

/// Serves until it is stopped; `None` if nobody may listen on port 53.
struct NameServer(Arc<AtomicBool>);

impl NameServer {
    fn start() -> Option<Self> {
        let socket = match UdpSocket::bind(SERVER) {
            Ok(socket) => socket,
            Err(error) => {
                peers::left_out(&format!("nobody may listen on {SERVER}: {error}"));
                return None;
            }
        };
        socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a time-out");
        let is_over = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&is_over);
        thread::spawn(move || {
            let mut question = [0; 512];
            while !stopped.load(Ordering::Relaxed) {
                if let Ok((n, peer)) = socket.recv_from(&mut question) {
                    drop(socket.send_to(&answer(&question[..n]), peer));
                }
            }
        });
        let by_tcp = TcpListener::bind(SERVER).expect("as by UDP");
        thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            for mut stream in by_tcp.incoming().flatten() {
                let mut len = [0; 2];
                let Ok(()) = stream.read_exact(&mut len) else { continue };
                let mut question = vec![0; usize::from(u16::from_be_bytes(len))];
                let Ok(()) = stream.read_exact(&mut question) else { continue };
                let message = answer(&question);
                let len = u16::try_from(message.len()).expect("short").to_be_bytes();
                drop(stream.write_all(&[&len[..], &message].concat()));
            }
        });
        Some(Self(is_over))
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn dns_queries_equal_those_of_zabbix_agentd() {
    let Some(_server) = NameServer::start() else { return };
    let Some(golden) = Golden::start() else { return };
    let agent = Agent::new(AgentSettings::default());
    let mut wrong = Vec::new();
    for kind in ["A", "AAAA", "NS", "CNAME", "PTR", "SOA", "MX", "TXT", "SRV", "HINFO", "ANY"] {
        for (name, protocol) in
            [("example.com", "udp"), ("www.example.com", "tcp"), ("no.such", "udp")]
        {
            for key in ["net.dns", "net.dns.record"] {
                let key = format!("{key}[127.0.77.53,{name},{kind},2,1,{protocol}]");
                let (expected, answer) = (golden.get(&key), text(&ask(&agent, &key)));
                if expected != answer {
                    wrong.push(format!(
                        "{key}\n  zabbix_agentd: {expected}\n  ours:          {answer}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let took = text(&ask(&agent, "net.dns.perf[127.0.77.53,example.com,A]"));
    assert!(took.parse::<f64>().is_ok_and(|it| 0.0 < it && it < 60.0), "{took}");
    assert_eq!(text(&ask(&agent, "net.dns.perf[127.0.77.53,no.such,A]")), "0.000000");
}
