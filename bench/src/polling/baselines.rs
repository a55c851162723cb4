//! The cost of the same checks for others: bare clients of this process on the same devices, and
//! Debian's fping.
//!
//! A bare client does only the work of the protocol: no schedule, no timeouts, nothing is stored.

use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::RcvBufForce;
use rt::tls::{ConnectAs, Psk, TlsConnector};
use socket2::{Domain, Protocol as Protocol4, SockAddr, Socket, Type};
use wire::icmp::{Echo, Family, Framing, encode_request, parse};
use wire::passive::{Form, encode_request as encode_agent_request};
use wire::snmp::{Oid, Pdu, PduKind, SnmpMessage, Version};

use super::super::process::{children_cpu_ns, thread_cpu_ns};
use super::devices::BUFFER_BYTES;
use super::protocol::{PSK, Protocol, address};
use crate::common::{BenchError, io_error};

/// How long a bare client asks.
const SECONDS: u64 = 2;
/// Requests of SNMP, and pings, under way at once.
const WINDOW: usize = 16;

/// A baseline's name and nanoseconds of CPU a check (of SNMP: a request).
pub(super) type Figure = (&'static str, u64);

/// Empty where there is nothing to compare with.
pub(super) fn measure(
    protocol: Protocol,
    port: u16,
    (n_hosts, n_objects): (usize, usize),
    scratch: &Path,
) -> Result<Vec<Figure>, BenchError> {
    let figure = |ns: u64| vec![("bare_cpu_ns", ns)];
    Ok(match protocol {
        Protocol::Agent => figure(repeat(|| ask_agent(port, None))?),
        Protocol::AgentPsk => {
            let connector = connector()?;
            figure(repeat(|| ask_agent(port, Some(&connector)))?)
        }
        Protocol::Snmp => figure(ask_snmp(port, n_objects)?),
        Protocol::Http | Protocol::Prometheus => {
            let mut kept = TcpStream::connect(("127.0.0.1", port)).map_err(io_error("connect"))?;
            kept.set_nodelay(true).map_err(io_error("set TCP_NODELAY"))?;
            let mut buffer = vec![0; 1 << 18];
            figure(repeat(|| ask_http(&mut kept, &mut buffer))?)
        }
        Protocol::Icmp => {
            let mut figures = figure(ping(n_hosts)?);
            figures.extend(fping(n_hosts, scratch)?.map(|ns| ("fping_cpu_ns", ns)));
            figures
        }
        Protocol::Snmpd | Protocol::SnmpdV3 | Protocol::Script => Vec::new(),
    })
}

/// CPU of this thread a call.
fn repeat(mut ask: impl FnMut() -> Result<(), BenchError>) -> Result<u64, BenchError> {
    let clock = rt::clock::Clock::real();
    let (end_ns, cpu) = (clock.mono_ns() + SECONDS * 1_000_000_000, thread_cpu_ns());
    let mut n = 0;
    while clock.mono_ns() < end_ns {
        ask()?;
        n += 1;
    }
    Ok((thread_cpu_ns() - cpu) / n)
}

type Keyed = (TlsConnector, ConnectAs);

fn connector() -> Result<Keyed, BenchError> {
    let failed = |text: String| BenchError::Start(std::io::Error::other(text));
    let psk = Psk::from_hex("bench", PSK).map_err(failed)?;
    let connector = TlsConnector::new(&rt::settings::defaults());
    let connector = connector.map_err(|error| failed(error.to_string()))?;
    Ok((connector, ConnectAs::Psk(Arc::new(psk))))
}

fn ask_agent(port: u16, by: Option<&Keyed>) -> Result<(), BenchError> {
    let mut payload = Vec::new();
    encode_agent_request(Form::Json, "bench[1]", 3, &mut payload);
    let mut packet = Vec::new();
    wire::zbxd::encode(&payload, &mut packet);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).map_err(io_error("connect"))?;
    let mut answer = Vec::new();
    let encrypted = by.map(|(connector, how)| connector.connect_blocking(&stream, how));
    let encrypted = encrypted.transpose().map_err(|error| {
        let error = std::io::Error::other(error.to_string());
        io_error("shake hands with the agent")(error)
    })?;
    let said = match encrypted.flatten() {
        Some(mut it) => it.write_all(&packet).and_then(|()| it.read_to_end(&mut answer)),
        None => stream.write_all(&packet).and_then(|()| stream.read_to_end(&mut answer)),
    };
    said.map_err(io_error("ask the agent"))?;
    std::hint::black_box(&answer);
    Ok(())
}

/// CPU a request, a window of requests at once.
fn ask_snmp(port: u16, n_objects: usize) -> Result<u64, BenchError> {
    let socket = UdpSocket::bind("127.0.0.1:0").map_err(io_error("open a port"))?;
    socket.connect(("127.0.0.1", port)).map_err(io_error("connect"))?;
    // Without a timeout, a lost packet would be waited for without end.
    let time = std::time::Duration::from_secs(5);
    socket.set_read_timeout(Some(time)).map_err(io_error("set a time-out"))?;
    let oids: Vec<_> = (1..=u32::try_from(n_objects).unwrap_or(1))
        .filter_map(|it| Oid::from_arcs(&[1, 3, 6, 1, 4, 1, 8072, 9999, 9999, it, 0]).ok())
        .collect();
    let (mut request, mut answer) = (Vec::new(), vec![0; 65_536]);
    let window = repeat(|| {
        for id in 0..WINDOW {
            let id = i32::try_from(id).unwrap_or(0);
            let pdu = Pdu::new(PduKind::Get, id, 0, 0);
            let head = SnmpMessage { version: Version::V2c, community: b"public", pdu };
            request.clear();
            SnmpMessage::encode_request(&head, oids.iter().map(Oid::as_ref), &mut request);
            socket.send(&request).map_err(io_error("ask the device"))?;
        }
        for _ in 0..WINDOW {
            let n = socket.recv(&mut answer).map_err(io_error("read the device's answer"))?;
            let Ok(message) = SnmpMessage::decode(&answer[..n]) else { continue };
            std::hint::black_box(message.pdu.varbinds.map_while(Result::ok).count());
        }
        Ok(())
    })?;
    Ok(window / WINDOW as u64)
}

fn ask_http(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<(), BenchError> {
    let request = "GET /1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n";
    stream.write_all(request.as_bytes()).map_err(io_error("ask the server"))?;
    let mut len = 0;
    loop {
        let n = stream.read(&mut buffer[len..]).map_err(io_error("read the server's answer"))?;
        len += n;
        let text = std::str::from_utf8(&buffer[..len]).unwrap_or_default();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.rsplit("Content-Length: ").next().and_then(|it| it.parse().ok());
        if n == 0 || length == Some(body.len()) {
            return Ok(());
        }
    }
}

/// CPU a ping, a window of them at once to one address after another. The kernel answers as it takes them.
fn ping(n_hosts: usize) -> Result<u64, BenchError> {
    let socket = Socket::new(Domain::IPV4, Type::RAW, Some(Protocol4::ICMPV4));
    let socket = socket.map_err(io_error("open a raw socket"))?;
    setsockopt(&socket, RcvBufForce, &BUFFER_BYTES).ok();
    socket.set_nonblocking(true).map_err(io_error("set up a raw socket"))?;
    let addresses: Vec<SockAddr> = (0..n_hosts)
        .filter_map(|it| address(it).parse::<IpAddr>().ok())
        .map(|it| SocketAddr::new(it, 0).into())
        .collect();
    let (mut packet, mut buffer) = (Vec::new(), vec![0; 2_048]);
    let mut next = addresses.iter().cycle();
    let window = repeat(|| {
        for (seq, to) in (0..).zip(next.by_ref().take(WINDOW)) {
            packet.clear();
            let echo = Echo { id: 0x5a4b, seq, payload: &[0; 56] };
            encode_request(Family::V4, echo, &mut packet);
            socket.send_to(&packet, to).map_err(io_error("send a ping"))?;
        }
        // Requests come back as well: nothing is filtered here.
        while let Ok(n) = (&socket).read(&mut buffer) {
            std::hint::black_box(parse(Family::V4, Framing::WithIpHeader, &buffer[..n]).ok());
        }
        Ok(())
    })?;
    Ok(window / WINDOW as u64)
}

/// CPU a probe of a program that sends one to each host; `None` where it is not installed.
fn fping(n_hosts: usize, scratch: &Path) -> Result<Option<u64>, BenchError> {
    let list = scratch.join(format!("addresses-{}", std::process::id()));
    let addresses: Vec<_> = (0..n_hosts).map(address).collect();
    fs::create_dir_all(scratch).map_err(io_error("create the scratch directory"))?;
    fs::write(&list, addresses.join("\n")).map_err(io_error("write the list of addresses"))?;
    let before = children_cpu_ns();
    let mut n = 0_u64;
    // Once is too short to measure where hosts are few.
    while n < 20_000 {
        let mut command = Command::new("/usr/bin/fping");
        command.args(["-q", "-c", "1", "-i", "0.02", "-f"]).arg(&list);
        let Ok(_status) = command.stdout(Stdio::null()).stderr(Stdio::null()).status() else {
            return Ok(None);
        };
        n += n_hosts as u64;
    }
    drop(fs::remove_file(&list));
    Ok(Some((children_cpu_ns() - before) / n.max(1)))
}
