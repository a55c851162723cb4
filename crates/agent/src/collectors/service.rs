//! Network services: whether they answer, and how fast.
//!
//! An unreachable service is down (0), never an error: these keys exist to report that.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::time::Duration;

use wire::services::{Dialog, Service, Verdict, ntp};

use super::key::{Ask, Key};
use super::stopwatch::Stopwatch;
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("net.tcp.port", 2, port),
    Key::may_block("net.tcp.service", 3, |ask| Ok(tcp(ask)?.is_some().into())),
    Key::may_block("net.tcp.service.perf", 3, |ask| Ok(seconds(tcp(ask)?).into())),
    Key::may_block("net.udp.service", 3, |ask| Ok(udp(ask)?.is_some().into())),
    Key::may_block("net.udp.service.perf", 3, |ask| Ok(seconds(udp(ask)?).into())),
];

const NTP_PORT: u16 = 123;
/// Sent with an NTP request; the server returns it in its answer.
const NTP_MARK: u64 = 0x5341_4b45_5221_0000;
/// Shorter times are shown as this one: 0 means "down".
const SHORTEST_S: f64 = 0.000_1;

fn seconds(took: Option<Duration>) -> f64 {
    took.map_or(0.0, |it| it.as_secs_f64().max(SHORTEST_S))
}

fn port_of(ask: &Ask<'_>, idx: usize, default: Option<u16>) -> Result<u16, Refusal> {
    match (ask.params.get(idx), default) {
        ("", Some(port)) => Ok(port),
        (text, _) => text.parse().map_err(|_source| invalid(idx)),
    }
}

fn port(ask: &Ask<'_>) -> Outcome {
    let port = port_of(ask, 1, None)?;
    let watch = Stopwatch::start(ask.time);
    Ok(connect(ask, ask.params.get_or(0, "127.0.0.1"), port, &watch).is_ok().into())
}

fn tcp(ask: &Ask<'_>) -> Result<Option<Duration>, Refusal> {
    let service = Service::named(ask.params.get(0)).ok_or_else(|| invalid(0))?;
    let port = port_of(ask, 2, service.default_port())?;
    let watch = Stopwatch::start(ask.time);
    let stream = connect(ask, ask.params.get_or(1, "127.0.0.1"), port, &watch);
    let is_up = stream.and_then(|it| speak(it, service, &watch)).unwrap_or(false);
    Ok(is_up.then(|| watch.elapsed()))
}

fn addresses(ask: &Ask<'_>, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let found = (host, port).to_socket_addrs()?;
    Ok(found.filter(|it| ask.settings.destinations.admit(it.ip())).collect())
}

fn connect(ask: &Ask<'_>, host: &str, port: u16, watch: &Stopwatch) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::HostUnreachable);
    for address in addresses(ask, host, port)? {
        match TcpStream::connect_timeout(&address, watch.left()?) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The words to a service until the verdict.
fn speak(mut stream: TcpStream, service: Service, watch: &Stopwatch) -> io::Result<bool> {
    let mut dialog = Dialog::new(service);
    let mut say = Vec::new();
    let mut verdict = match service {
        // Without TLS the agent learns no more than that the port accepts connections.
        Service::Https => Verdict::Up,
        _ => dialog.open(&mut say),
    };
    let mut chunk = [0; 4096];
    loop {
        stream.set_write_timeout(Some(watch.left()?))?;
        stream.write_all(&say)?;
        say.clear();
        match verdict {
            Verdict::Up => return Ok(true),
            Verdict::Down => return Ok(false),
            Verdict::Open => {}
        }
        stream.set_read_timeout(Some(watch.left()?))?;
        verdict = match stream.read(&mut chunk)? {
            0 => return Ok(dialog.close() == Verdict::Up),
            n => dialog.take(chunk.get(..n).unwrap_or_default(), &mut say),
        };
    }
}

fn udp(ask: &Ask<'_>) -> Result<Option<Duration>, Refusal> {
    if ask.params.get(0) != "ntp" {
        return Err(invalid(0));
    }
    let port = port_of(ask, 2, Some(NTP_PORT))?;
    let watch = Stopwatch::start(ask.time);
    let answers = answers_ntp(ask, ask.params.get_or(1, "127.0.0.1"), port, &watch);
    Ok(answers.unwrap_or(false).then(|| watch.elapsed()))
}

fn answers_ntp(ask: &Ask<'_>, host: &str, port: u16, watch: &Stopwatch) -> io::Result<bool> {
    let address = addresses(ask, host, port)?.into_iter().next();
    let address = address.ok_or(io::ErrorKind::HostUnreachable)?;
    let socket = UdpSocket::bind(if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
    socket.connect(address)?;
    socket.send(&ntp::request(NTP_MARK))?;
    let mut packet = [0; 1024];
    loop {
        socket.set_read_timeout(Some(watch.left()?))?;
        let n = socket.recv(&mut packet)?;
        if ntp::is_answer(packet.get(..n).unwrap_or_default(), NTP_MARK) {
            return Ok(true);
        }
    }
}
