//! DNS queries: whether a name server answers, how fast, and with which records.
//!
//! Questions go to a name server's port 53, by UDP or TCP, as often as the key says. The answer is
//! parsed here and not in `wire`, because this is its only user.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use super::key::{Ask, Key};
use super::stopwatch::Stopwatch;
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("net.dns", 6, |ask| Ok(answer(ask)?.is_ok().into())),
    Key::may_block("net.dns.perf", 6, perf),
    Key::may_block("net.dns.record", 6, record),
];

const PORT: u16 = 53;
/// Largest message of a name server.
const MESSAGE_BYTES_MAX: usize = 65_535;
/// Names that point at each other end after this many jumps.
const JUMPS_MAX: usize = 64;
const CLASS_INTERNET: u16 = 1;

/// Kinds of records by name and number; those of one group have the same format.
const KINDS: [(&str, u16); 17] = [
    ("ANY", 255),
    ("A", 1),
    ("NS", 2),
    ("CNAME", 5),
    ("MB", 7),
    ("MG", 8),
    ("MR", 9),
    ("PTR", 12),
    ("MD", 3),
    ("MF", 4),
    ("MX", 15),
    ("SOA", 6),
    ("NULL", 10),
    ("HINFO", 13),
    ("MINFO", 14),
    ("TXT", 16),
    ("AAAA", 28),
];
const WKS: u16 = 11;
const SRV: u16 = 33;

/// A question to a name server.
struct Question<'a> {
    server: IpAddr,
    name: &'a str,
    kind: u16,
    /// For each attempt.
    time: Duration,
    n_attempts: u32,
    is_tcp: bool,
}

fn question<'a>(ask: &Ask<'a>) -> Result<Question<'a>, Refusal> {
    let server = match ask.params.get(0) {
        "" => name_server(ask.root),
        text => text.parse().map_err(|_source| Refusal::from("Invalid IP address."))?,
    };
    let kind = match ask.params.get_or(2, "SOA") {
        "WKS" => WKS,
        "SRV" => SRV,
        name => KINDS.iter().find(|it| it.0 == name).ok_or_else(|| invalid(2))?.1,
    };
    let number = |idx: usize, default: u32| match ask.params.get(idx) {
        "" => Ok(default),
        text => text.parse::<u32>().ok().filter(|it| *it != 0).ok_or_else(|| invalid(idx)),
    };
    let (time_s, n_attempts) = (number(3, 1)?, number(4, 2)?);
    let is_tcp = match ask.params.get_or(5, "udp") {
        "udp" => false,
        "tcp" => true,
        _ => return Err(invalid(5)),
    };
    let name = ask.params.get_or(1, "zabbix.com");
    let time = Duration::from_secs(time_s.into());
    Ok(Question { server, name, kind, time, n_attempts, is_tcp })
}

/// The first name server of the system.
fn name_server(root: &Root) -> IpAddr {
    let text = root.read("/etc/resolv.conf").unwrap_or_default();
    let servers = text.lines().filter_map(|it| it.trim().strip_prefix("nameserver"));
    let first = servers.filter_map(|it| it.trim().parse().ok()).next();
    first.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// The lines of an answer; `Err(None)` in it: there was none.
fn answer(ask: &Ask<'_>) -> Result<Result<String, ()>, Refusal> {
    let question = question(ask)?;
    if !ask.settings.destinations.admit(question.server) {
        return Ok(Err(()));
    }
    let Some(message) = encode(question.name, question.kind) else { return Ok(Err(())) };
    let whole = Stopwatch::start(ask.time);
    for _ in 0..question.n_attempts.min(100) {
        let Ok(left) = whole.left() else { break };
        let watch = Stopwatch::start(question.time.min(left));
        let address = SocketAddr::new(question.server, PORT);
        let received = if question.is_tcp {
            by_tcp(address, &message, &watch)
        } else {
            by_udp(address, &message, &watch)
        };
        if let Ok(received) = received {
            return Ok(lines(&received).ok_or(()));
        }
    }
    Ok(Err(()))
}

fn perf(ask: &Ask<'_>) -> Outcome {
    let watch = Stopwatch::start(ask.time);
    let took = answer(ask)?.map(|_lines| watch.elapsed().as_secs_f64());
    Ok(took.unwrap_or(0.0).into())
}

fn record(ask: &Ask<'_>) -> Outcome {
    match answer(ask)? {
        Ok(lines) => Ok(lines.into()),
        Err(()) => Err(Refusal::from("Cannot perform DNS query.")),
    }
}

/// A question; `None` if the name is not valid.
fn encode(name: &str, kind: u16) -> Option<Vec<u8>> {
    // The socket identifies the question: each question has a socket of its own.
    let mut message = vec![0x53, 0x6b, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.trim_end_matches('.').split('.') {
        let len = u8::try_from(label.len()).ok().filter(|it| (1..64).contains(it))?;
        message.push(len);
        message.extend_from_slice(label.as_bytes());
    }
    message.push(0);
    message.extend_from_slice(&kind.to_be_bytes());
    message.extend_from_slice(&CLASS_INTERNET.to_be_bytes());
    (message.len() < 300).then_some(message)
}

fn is_answer(question: &[u8], message: &[u8]) -> bool {
    message.len() >= 12 && message.get(..2) == question.get(..2)
}

fn by_udp(address: SocketAddr, question: &[u8], watch: &Stopwatch) -> io::Result<Vec<u8>> {
    let socket = UdpSocket::bind(if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
    socket.connect(address)?;
    socket.send(question)?;
    let mut message = vec![0; MESSAGE_BYTES_MAX];
    loop {
        socket.set_read_timeout(Some(watch.left()?))?;
        let n = socket.recv(&mut message)?;
        if is_answer(question, message.get(..n).unwrap_or_default()) {
            message.truncate(n);
            return Ok(message);
        }
    }
}

fn by_tcp(address: SocketAddr, question: &[u8], watch: &Stopwatch) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&address, watch.left()?)?;
    let mut framed = u16::try_from(question.len()).unwrap_or(0).to_be_bytes().to_vec();
    framed.extend_from_slice(question);
    stream.set_write_timeout(Some(watch.left()?))?;
    stream.write_all(&framed)?;
    stream.set_read_timeout(Some(watch.left()?))?;
    let mut len = [0; 2];
    stream.read_exact(&mut len)?;
    let mut message = vec![0; usize::from(u16::from_be_bytes(len))];
    stream.read_exact(&mut message)?;
    if is_answer(question, &message) { Ok(message) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// A place in a message.
struct Reader<'a> {
    message: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn bytes(&mut self, n: usize) -> Option<&[u8]> {
        let bytes = self.message.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(bytes)
    }

    fn u8(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.bytes(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.bytes(4)?.try_into().ok()?))
    }

    /// A name, which may continue elsewhere in the message.
    fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        let mut behind = None;
        for _ in 0..JUMPS_MAX * 4 {
            let len = self.u8()?;
            match len {
                0 => {
                    self.at = behind.unwrap_or(self.at);
                    return Some(name);
                }
                1..64 => {
                    let label = String::from_utf8_lossy(self.bytes(len.into())?).into_owned();
                    if !name.is_empty() {
                        name.push('.');
                    }
                    name.push_str(&label);
                }
                192.. => {
                    let at = usize::from(u16::from_be_bytes([len & 63, self.u8()?]));
                    behind = behind.or(Some(self.at));
                    self.at = at;
                }
                _ => return None,
            }
        }
        None
    }

    /// A text with its length before it.
    fn text(&mut self) -> Option<String> {
        let len = self.u8()?;
        Some(String::from_utf8_lossy(self.bytes(len.into())?).into_owned())
    }
}

/// The records of an answer, a line each; `None` for an error, or if there are none.
fn lines(message: &[u8]) -> Option<String> {
    let mut reader = Reader { message, at: 0 };
    let (_id, flags) = (reader.u16()?, reader.u16()?);
    let (n_questions, n_answers) = (reader.u16()?, reader.u16()?);
    reader.at += 4;
    if flags & 15 != 0 || n_answers == 0 {
        return None;
    }
    for _ in 0..n_questions {
        reader.name()?;
        reader.at += 4;
    }
    let mut lines = Vec::new();
    for _ in 0..n_answers {
        let name = reader.name()?;
        let kind = reader.u16()?;
        let _class = reader.u16()?;
        let _time_to_live = reader.u32()?;
        let len = reader.u16()?;
        let end = reader.at + usize::from(len);
        let mut data = Reader { message: message.get(..end)?, at: reader.at };
        let shown = show(kind, &mut data, end)?;
        lines.push(format!("{name:<20} {:<8} {shown}", kind_name(kind)).trim_end().to_owned());
        reader.at = end;
    }
    Some(lines.join("\n"))
}

fn kind_name(kind: u16) -> String {
    match kind {
        WKS => "WKS".to_owned(),
        SRV => "SRV".to_owned(),
        _ => match KINDS.iter().find(|it| it.1 == kind) {
            Some((name, _)) => (*name).to_owned(),
            None => kind.to_string(),
        },
    }
}

fn show(kind: u16, data: &mut Reader<'_>, end: usize) -> Option<String> {
    let name = KINDS.iter().find(|it| it.1 == kind).map_or("", |it| it.0);
    Some(match name {
        "A" => Ipv4Addr::from(data.u32()?).to_string(),
        "AAAA" => {
            let bytes: [u8; 16] = data.bytes(16)?.try_into().ok()?;
            Ipv6Addr::from(bytes).to_string()
        }
        "NS" | "CNAME" | "MB" | "MD" | "MF" | "MG" | "MR" | "PTR" => data.name()?,
        "MX" => format!("{} {}", data.u16()?, data.name()?),
        "SOA" => {
            let (source, person) = (data.name()?, data.name()?);
            let mut text = format!("{source} {person}");
            for _ in 0..5 {
                write!(text, " {}", data.u32()?).expect("a string takes any text");
            }
            text
        }
        "HINFO" => format!("{} {}", data.text()?, data.text()?),
        "MINFO" => format!("{} {}", data.name()?, data.name()?),
        "TXT" => {
            // Long texts consist of several parts.
            let mut text = String::new();
            while data.at < end {
                text.push_str(&data.text()?);
            }
            format!("\"{text}\"")
        }
        _ if kind == SRV => {
            format!("{} {} {} {}", data.u16()?, data.u16()?, data.u16()?, data.name()?)
        }
        _ => format!("len:{}", end - data.at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_shown_in_columns_and_damaged_ones_are_none() {
        let question = encode("example.com", 15).expect("a name");
        let mut message = question.clone();
        (message[2], message[3], message[7]) = (0x81, 0x80, 2);
        // Both records are of the name at 12.
        message.extend_from_slice(&[192, 12, 0, 15, 0, 1, 0, 0, 0, 9, 0, 9, 0, 5]);
        message.extend_from_slice(&[4, b'm', b'a', b'i', b'l', 192, 12]);
        message.extend_from_slice(&[192, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]);
        let expected = "example.com          MX       5 mail.example.com\n\
            example.com          A        192.0.2.1";
        assert_eq!(lines(&message).as_deref(), Some(expected));
        for n in 0..message.len() {
            assert_eq!(lines(&message[..n]), None, "{n}");
        }
        // A name that points at itself.
        let mut looped = question;
        (looped[3], looped[7]) = (0x80, 1);
        let at = u8::try_from(looped.len()).expect("short");
        looped.extend_from_slice(&[192, at, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]);
        assert_eq!(lines(&looped), None);
        assert!(encode("", 1).is_none() && encode(&"a".repeat(64), 1).is_none());
    }
}
