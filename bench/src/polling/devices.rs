//! The devices: responders of this process on loopback that do as little as they can.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use nix::sys::socket::sockopt::RcvBufForce;
use nix::sys::socket::{Backlog, listen, setsockopt};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use wire::passive::{Form, encode_answer};
use wire::snmp::{PduKind, SnmpMessage, Value, Varbind};

use super::super::snmpd::Snmpd;
use super::page::prometheus_page;
use super::protocol::{PSK, Protocol, V3_USER};
use crate::common::{BenchError, io_error};

/// Room for datagrams, where the kernel lets us have it.
pub(in super::super) const BUFFER_BYTES: usize = 64 << 20;
/// Responders, which end with the process.
pub(super) struct Devices {
    pub(super) port: u16,
    pub(super) snmpd: Option<Snmpd>,
    /// Requests that were answered, where a request may have several values.
    n_requests: Arc<AtomicU64>,
}

impl Devices {
    pub(super) fn start(protocol: Protocol, scratch: &Path) -> Result<Self, BenchError> {
        let n_requests = Arc::new(AtomicU64::new(0));
        let mut snmpd = None;
        let port = match protocol {
            Protocol::Agent => tcp(answer_agents)?,
            Protocol::AgentPsk => tcp(answer_by_key)?,
            Protocol::Http => tcp(|it| answer_http(&it, "12.5"))?,
            Protocol::Prometheus => {
                let page = prometheus_page();
                tcp(move |it| answer_http(&it, &page))?
            }
            Protocol::Snmpd | Protocol::SnmpdV3 => {
                let user = (protocol == Protocol::SnmpdV3).then_some(V3_USER);
                snmpd.insert(Snmpd::start(scratch, user)?).port
            }
            Protocol::Snmp => {
                let any = SocketAddr::from(([127, 0, 0, 1], 0));
                let socket = UdpSocket::bind(any).map_err(io_error("open a port"))?;
                // It stands for thousands of devices, each of which would have a buffer of its own.
                setsockopt(&socket, RcvBufForce, &BUFFER_BYTES).ok();
                let port = socket.local_addr().map_err(io_error("open a port"))?.port();
                let n_requests = Arc::clone(&n_requests);
                thread::spawn(move || answer_snmp(&socket, &n_requests));
                port
            }
            Protocol::Icmp | Protocol::Script => 10_050,
        };
        Ok(Self { port, snmpd, n_requests })
    }

    /// Of a real device so far, in nanoseconds.
    pub(super) fn cpu_ns(&self) -> u64 {
        self.snmpd.as_ref().map_or(0, Snmpd::cpu_ns)
    }

    pub(super) fn n_requests(&self) -> u64 {
        self.n_requests.load(Ordering::Relaxed)
    }
}

/// Has a thread answer on a port of its own.
fn tcp(answer: impl FnOnce(TcpListener) + Send + 'static) -> Result<u16, BenchError> {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = TcpListener::bind(any).map_err(io_error("open a port"))?;
    // As many wait as thousands of devices would have waiting, or as the kernel allows.
    if let Ok(backlog) = Backlog::new(65_535) {
        listen(&listener, backlog).ok();
    }
    let port = listener.local_addr().map_err(io_error("open a port"))?.port();
    thread::spawn(move || answer(listener));
    Ok(port)
}

/// One value for every key.
pub(in super::super) fn agent_packet() -> Vec<u8> {
    let mut payload = Vec::new();
    encode_answer(Form::Json, Ok("12.5"), &mut payload);
    let mut packet = Vec::new();
    wire::zbxd::encode(&payload, &mut packet);
    packet
}

pub(in super::super) fn answer_agents(listener: TcpListener) {
    let packet = agent_packet();
    let mut request = [0; 4_096];
    while let Ok((mut stream, _)) = listener.accept() {
        // A server that has gone makes no difference to the next one.
        if stream.read(&mut request).is_ok_and(|it| 0 < it) {
            stream.write_all(&packet).ok();
        }
    }
}

/// As [`answer_agents`], for clients with the key.
fn answer_by_key(listener: TcpListener) {
    let packet = agent_packet();
    let key = rt::tls::key_of_hex(PSK);
    let psk_of = move |identity: &str| key.clone().filter(|_| identity == "bench");
    let acceptor = rt::tls::Acceptor::new(&rt::settings::defaults(), Arc::new(psk_of));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let (Ok(acceptor), Ok(runtime)) = (acceptor, runtime) else { return };
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        listener.set_nonblocking(true).ok();
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let (acceptor, packet) = (Rc::new(acceptor), Rc::new(packet));
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, packet) = (Rc::clone(&acceptor), Rc::clone(&packet));
            // Many devices stand behind it: none waits for the handshake of another.
            tokio::task::spawn_local(async move {
                let mut request = [0; 4_096];
                let Ok((mut stream, _)) = acceptor.accept(stream).await else { return };
                // A server that has gone makes no difference to the next one.
                if stream.read(&mut request).await.is_ok_and(|it| 0 < it) {
                    stream.write_all(&packet).await.ok();
                }
            });
        }
    });
}

/// One value for every object.
pub(in super::super) fn answer_snmp(socket: &UdpSocket, n_requests: &AtomicU64) {
    let mut datagram = vec![0; 65_536];
    let mut answer = Vec::new();
    while let Ok((n, peer)) = socket.recv_from(&mut datagram) {
        let Ok(mut message) = SnmpMessage::decode(&datagram[..n]) else { continue };
        let value = Value::Integer(12);
        let asked = message.pdu.varbinds;
        let bound: Vec<_> =
            asked.map_while(Result::ok).map(|it| Varbind { oid: it.oid, value }).collect();
        (message.pdu.kind, message.pdu.first, message.pdu.second) = (PduKind::Response, 0, 0);
        answer.clear();
        SnmpMessage::encode(&message, &bound, &mut answer);
        socket.send_to(&answer, peer).ok();
        n_requests.fetch_add(1, Ordering::Relaxed);
    }
}

/// The same answer to every request, on connections that are kept.
fn answer_http(listener: &TcpListener, body: &str) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ";
    let answer: Arc<[u8]> = format!("{head}{}\r\n\r\n{body}", body.len()).into_bytes().into();
    while let Ok((mut stream, _)) = listener.accept() {
        let answer = Arc::clone(&answer);
        // A small one of these for each connection, of which there are some hundred.
        thread::spawn(move || {
            stream.set_nodelay(true).ok();
            while read_head(&mut stream) && stream.write_all(&answer).is_ok() {}
        });
    }
}

/// Reads a request without a body; false at the connection's end.
fn read_head(stream: &mut TcpStream) -> bool {
    let (mut buffer, mut len) = ([0; 4_096], 0);
    while !buffer[..len].ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer[len..]) {
            Ok(n) if 0 < n => len += n,
            _ => return false,
        }
    }
    true
}
