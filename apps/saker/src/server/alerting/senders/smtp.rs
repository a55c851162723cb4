//! The client side of SMTP (RFC 5321, 3207, 4954): one message, one connection.
//!
//! A deadline holds for all of it, each single byte included, and answers are bounded: a server that
//! hangs or drips costs no more than its time. What both say is written down, but for credentials and
//! the text of the message.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::networks::Destinations;
use openssl::ssl::{SslConnector, SslMethod, SslStream, SslVerifyMode};
use rt::clock::Clock;

use super::{Said, Transcript};

/// Of one line of an answer, in bytes; RFC 5321 has 512.
const LINE_BYTES_MAX: u64 = 4_096;
/// Lines of one answer.
const LINES_MAX: usize = 128;

pub(super) struct Server<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) helo: &'a str,
    pub(super) security: Security,
    pub(super) verify_peer: bool,
    pub(super) verify_host: bool,
    pub(super) auth: Auth<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    None,
    StartTls,
    Tls,
}

pub(super) enum Auth<'a> {
    None,
    Password { user: &'a str, password: &'a str },
    Token { user: &'a str, token: String },
}

pub(super) struct Envelope<'a> {
    pub(super) from: &'a str,
    pub(super) to: Vec<&'a str>,
    /// With headers; lines end with CR LF.
    pub(super) text: &'a [u8],
}

/// Sends a message. It counts as sent when the server has taken it for all recipients.
pub(super) fn send(
    server: &Server<'_>,
    envelope: &Envelope<'_>,
    destinations: &Destinations,
    (time, clock): (Duration, &Clock),
    transcript: &Transcript,
) -> Result<(), String> {
    let time_ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let end_ns = clock.mono_ns().saturating_add(time_ns);
    let socket = connect(server, destinations, (end_ns, clock))?;
    let mut dialog = Dialog { stream: None, transcript };
    dialog.begin(if server.security == Security::Tls {
        Stream::Tls(Box::new(encrypted(server, socket)?))
    } else {
        Stream::Plain(socket)
    });
    dialog.answer("the greeting", 220)?;
    let mut known = dialog.hello(server)?;
    if server.security == Security::StartTls {
        if !known.iter().any(|it| it.eq_ignore_ascii_case("STARTTLS")) {
            return Err("the SMTP server does not offer STARTTLS".to_owned());
        }
        dialog.ask("STARTTLS", 220)?;
        let Some(Stream::Plain(socket)) = dialog.end() else {
            return Err("STARTTLS within TLS".to_owned());
        };
        dialog.begin(Stream::Tls(Box::new(encrypted(server, socket)?)));
        known = dialog.hello(server)?;
    }
    dialog.authenticate(&server.auth, &known)?;
    let is_ascii = envelope.from.is_ascii() && envelope.to.iter().all(|it| it.is_ascii());
    let has_utf8 = known.iter().any(|it| it.eq_ignore_ascii_case("SMTPUTF8"));
    if !is_ascii && !has_utf8 {
        return Err("the SMTP server takes no addresses with other letters than ASCII".to_owned());
    }
    let utf8 = if is_ascii { "" } else { " SMTPUTF8" };
    dialog.ask(&format!("MAIL FROM:<{}>{utf8}", envelope.from), 250)?;
    for to in &envelope.to {
        dialog.ask(&format!("RCPT TO:<{to}>"), 250)?;
    }
    dialog.ask("DATA", 354)?;
    transcript.add(Said::Us, format!("({} bytes of the message)", envelope.text.len()));
    dialog.write(&stuffed(envelope.text))?;
    dialog.answer("the message", 250)?;
    // The message is the server's now, whatever it says to this.
    drop(dialog.ask("QUIT", 221));
    Ok(())
}

/// A line that is a dot alone would end the message.
fn stuffed(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 16);
    for line in text.split_inclusive(|it| *it == b'\n') {
        if line.first() == Some(&b'.') {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    if !out.ends_with(b"\r\n") {
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b".\r\n");
    out
}

fn connect(
    server: &Server<'_>,
    destinations: &Destinations,
    (end_ns, clock): (u64, &Clock),
) -> Result<Timed, String> {
    let (host, port) = (server.host, server.port);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let found = (host, port).to_socket_addrs();
    let found = found.map_err(|it| format!("cannot find the SMTP server \"{host}\": {it}"))?;
    let mut error = format!("cannot find the SMTP server \"{host}\"");
    for address in found {
        if !destinations.admit(address.ip()) {
            error = format!("The setting outgoing.denied forbids {address}");
            continue;
        }
        let timed = |socket| Timed { socket, end_ns, clock: clock.clone() };
        let Some(left) = left(end_ns, clock) else { return Err(LATE.to_owned()) };
        match TcpStream::connect_timeout(&address, left) {
            Ok(socket) => return Ok(timed(socket)),
            Err(it) => error = format!("cannot connect to the SMTP server {address}: {it}"),
        }
    }
    Err(error)
}

const LATE: &str = "the SMTP server takes too long";

fn left(end_ns: u64, clock: &Clock) -> Option<Duration> {
    let left_ns = end_ns.saturating_sub(clock.mono_ns());
    (0 < left_ns).then(|| Duration::from_nanos(left_ns).max(Duration::from_millis(1)))
}

fn encrypted(server: &Server<'_>, socket: Timed) -> Result<SslStream<Timed>, String> {
    let failed = |it: &dyn std::fmt::Display| format!("no encryption with the SMTP server: {it}");
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(|it| failed(&it))?;
    if !server.verify_peer {
        builder.set_verify(SslVerifyMode::NONE);
    }
    let configured = builder.build().configure().map_err(|it| failed(&it))?;
    let configured = configured.verify_hostname(server.verify_peer && server.verify_host);
    configured.connect(server.host, socket).map_err(|it| failed(&it))
}

/// A socket with a deadline for all that it does.
struct Timed {
    socket: TcpStream,
    end_ns: u64,
    clock: Clock,
}

impl std::fmt::Debug for Timed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.socket.fmt(f)
    }
}

impl Timed {
    fn left(&self) -> io::Result<Duration> {
        left(self.end_ns, &self.clock).ok_or_else(|| io::ErrorKind::TimedOut.into())
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.left()?))?;
        self.socket.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.left()?))?;
        self.socket.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

enum Stream {
    Plain(Timed),
    Tls(Box<SslStream<Timed>>),
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(it) => it.read(buffer),
            Self::Tls(it) => it.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(it) => it.write(buffer),
            Self::Tls(it) => it.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(it) => it.flush(),
            Self::Tls(it) => it.flush(),
        }
    }
}

struct Dialog<'a> {
    stream: Option<BufReader<Stream>>,
    transcript: &'a Transcript,
}

impl Dialog<'_> {
    fn begin(&mut self, stream: Stream) {
        self.stream = Some(BufReader::new(stream));
    }

    /// What was read ahead goes: nothing said in the clear counts within TLS.
    fn end(&mut self) -> Option<Stream> {
        self.stream.take().map(BufReader::into_inner)
    }

    fn hello(&mut self, server: &Server<'_>) -> Result<Vec<String>, String> {
        match self.ask(&format!("EHLO {}", server.helo), 250) {
            Ok(lines) => Ok(lines.into_iter().skip(1).collect()),
            Err(_old) => self.ask(&format!("HELO {}", server.helo), 250).map(|_| Vec::new()),
        }
    }

    fn authenticate(&mut self, auth: &Auth<'_>, known: &[String]) -> Result<(), String> {
        let offered = known.iter().find_map(|it| {
            let (name, ways) = it.split_at_checked(5)?;
            name.eq_ignore_ascii_case("AUTH ").then(|| ways.to_ascii_uppercase())
        });
        let offered = offered.unwrap_or_default();
        let offers = |way: &str| offered.split_whitespace().any(|it| it == way);
        match auth {
            Auth::None => Ok(()),
            Auth::Token { user, token } if offers("XOAUTH2") => {
                let text = format!("user={user}\x01auth=Bearer {token}\x01\x01");
                let secret = format!("AUTH XOAUTH2 {}", STANDARD.encode(text));
                match self.ask_secretly(&secret, "AUTH XOAUTH2 ******")? {
                    (235, _) => Ok(()),
                    // Why comes after an empty line.
                    (334, _) => match self.ask_secretly("", "")? {
                        (235, _) => Ok(()),
                        (_, text) => Err(format!("the SMTP server refuses the token: {text}")),
                    },
                    (_, text) => Err(format!("the SMTP server refuses the token: {text}")),
                }
            }
            Auth::Token { .. } => Err("the SMTP server does not offer XOAUTH2".to_owned()),
            Auth::Password { user, password } if offers("PLAIN") => {
                let secret = STANDARD.encode(format!("\0{user}\0{password}"));
                let secret = format!("AUTH PLAIN {secret}");
                self.expect_login(&secret, "AUTH PLAIN ******", 235)
            }
            Auth::Password { user, password } if offers("LOGIN") => {
                self.expect_login("AUTH LOGIN", "AUTH LOGIN", 334)?;
                self.expect_login(&STANDARD.encode(user), "******", 334)?;
                self.expect_login(&STANDARD.encode(password), "******", 235)
            }
            Auth::Password { .. } if offered.is_empty() => {
                Err("the SMTP server offers no authentication".to_owned())
            }
            Auth::Password { .. } => Err(format!(
                "the SMTP server offers neither PLAIN nor LOGIN for authentication, but {offered}"
            )),
        }
    }

    fn expect_login(&mut self, line: &str, shown: &str, code: u16) -> Result<(), String> {
        match self.ask_secretly(line, shown)? {
            (it, _) if it == code => Ok(()),
            (_, text) => Err(format!("the SMTP server refuses user name and password: {text}")),
        }
    }

    /// A command whose answer must have this code; gives the texts of its lines.
    fn ask(&mut self, line: &str, code: u16) -> Result<Vec<String>, String> {
        self.transcript.add(Said::Us, line);
        self.write(format!("{line}\r\n").as_bytes())?;
        let of = line.split([' ', ':']).next().unwrap_or_default();
        self.answer(of, code)
    }

    fn ask_secretly(&mut self, line: &str, shown: &str) -> Result<(u16, String), String> {
        self.transcript.add(Said::Us, shown);
        self.write(format!("{line}\r\n").as_bytes())?;
        let (code, lines) = self.read()?;
        Ok((code, format!("{code} {}", lines.join(" "))))
    }

    fn answer(&mut self, of: &str, expected: u16) -> Result<Vec<String>, String> {
        match self.read()? {
            (code, lines) if code == expected => Ok(lines),
            // A recipient elsewhere is as good.
            (251, lines) if expected == 250 => Ok(lines),
            (code, lines) => {
                Err(format!("the SMTP server answers {of} with {code} {}", lines.join(" ")))
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Some(stream) = &mut self.stream else { return Err("no connection".to_owned()) };
        let stream = stream.get_mut();
        stream.write_all(bytes).and_then(|()| stream.flush()).map_err(|it| transport_error(&it))
    }

    /// An answer: its code, and its lines without.
    fn read(&mut self) -> Result<(u16, Vec<String>), String> {
        let Some(stream) = &mut self.stream else { return Err("no connection".to_owned()) };
        let mut lines = Vec::new();
        loop {
            let mut bytes = Vec::new();
            let n = stream.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes);
            if n.map_err(|it| transport_error(&it))? == 0 {
                return Err("the SMTP server closed the connection".to_owned());
            }
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            self.transcript.add(Said::Them, line.as_str());
            let code = line.get(..3).and_then(|it| it.parse::<u16>().ok());
            let Some(code) = code else {
                return Err(format!("no answer of an SMTP server: {line}"));
            };
            lines.push(line.get(4..).unwrap_or_default().to_owned());
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok((code, lines));
            }
            if LINES_MAX <= lines.len() {
                return Err("an answer of the SMTP server does not end".to_owned());
            }
        }
    }
}

fn transport_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => LATE.to_owned(),
        _ => format!("the connection to the SMTP server failed: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_dot_does_not_end_a_message() {
        assert_eq!(stuffed(b".\r\na\r\n..b"), b"..\r\na\r\n...b\r\n.\r\n");
        assert_eq!(stuffed(b""), b"\r\n.\r\n");
    }
}
