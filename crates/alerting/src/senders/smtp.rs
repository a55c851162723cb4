//! The client side of SMTP (RFC 5321, 3207, 4954): one message, one connection.
//!
//! A deadline holds for all of it, each single byte included, and responses are bounded: a server
//! that hangs or is slow costs no more than its time. The exchange is recorded, without credentials
//! and the text of the message.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::networks::Destinations;
use openssl::ssl::{SslConnector, SslMethod, SslStream, SslVerifyMode};
use rt::clock::Clock;

use super::outbound::{MessageError, Said, Transcript, failed};

/// Of one line of an answer, in bytes; RFC 5321 has 512.
const LINE_BYTES_MAX: u64 = 4_096;
/// Lines of one answer.
const LINES_MAX: usize = 128;
/// and all of them so many bytes.
const ANSWER_BYTES_MAX: usize = 64 << 10;

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
    /// Recipients that are accepted now get it, though others might be accepted later.
    pub(super) is_last: bool,
}

/// Sends a message. It counts as sent when the server has taken it for one recipient; gives why others did not get it.
/// Before the last attempt nobody gets it as long as somebody may take it later: everybody gets it once.
pub(super) fn send(
    server: &Server<'_>,
    envelope: &Envelope<'_>,
    destinations: &Destinations,
    (time, clock): (Duration, &Clock),
    transcript: &Transcript,
) -> Result<String, MessageError> {
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
            return Err(failed("the SMTP server does not offer STARTTLS"));
        }
        dialog.ask("STARTTLS", 220)?;
        let Some(Stream::Plain(socket)) = dialog.end() else {
            return Err(failed("STARTTLS within TLS"));
        };
        dialog.begin(Stream::Tls(Box::new(encrypted(server, socket)?)));
        known = dialog.hello(server)?;
    }
    dialog.authenticate(&server.auth, &known)?;
    let is_ascii = envelope.from.is_ascii() && envelope.to.iter().all(|it| it.is_ascii());
    let has_utf8 = known.iter().any(|it| it.eq_ignore_ascii_case("SMTPUTF8"));
    if !is_ascii && !has_utf8 {
        let what = "the SMTP server takes no addresses with other letters than ASCII";
        return Err(MessageError::Refused(what.to_owned()));
    }
    let utf8 = if is_ascii { "" } else { " SMTPUTF8" };
    dialog.ask(&format!("MAIL FROM:<{}>{utf8}", envelope.from), 250)?;
    let missed = dialog.recipients(envelope)?;
    dialog.ask("DATA", 354)?;
    transcript.add(Said::Us, format!("({} bytes of the message)", envelope.text.len()));
    dialog.write(&stuffed(envelope.text))?;
    dialog.verdict("the message")?;
    // The message is the server's now, whatever it says to this.
    drop(dialog.ask("QUIT", 221));
    Ok(missed)
}

/// The meaning of a negative response for a message; 421: the server closes the connection.
fn refusal(code: u16, text: String) -> MessageError {
    match code {
        500..=599 => MessageError::Refused(text),
        421 => MessageError::Failed(text),
        400..=499 => MessageError::Deferred(text),
        _ => MessageError::Failed(text),
    }
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

    /// Bytes that were read ahead are discarded: no unencrypted response counts within TLS.
    fn end(&mut self) -> Option<Stream> {
        self.stream.take().map(BufReader::into_inner)
    }

    /// Names all recipients; gives which of them the server refuses, if it takes one at least.
    fn recipients(&mut self, envelope: &Envelope<'_>) -> Result<String, MessageError> {
        let mut missed: Vec<(MessageError, &str)> = Vec::new();
        for to in &envelope.to {
            self.transcript.add(Said::Us, format!("RCPT TO:<{to}>"));
            self.write(format!("RCPT TO:<{to}>\r\n").as_bytes())?;
            match self.verdict("RCPT") {
                Ok(()) => {}
                Err(error @ MessageError::Failed(_)) => return Err(error),
                Err(error) => missed.push((error, to)),
            }
        }
        let is_deferred = |(it, _): &&(MessageError, &str)| matches!(it, MessageError::Deferred(_));
        let is_taken = missed.len() < envelope.to.len();
        let gives_up = !is_taken || !envelope.is_last;
        if let Some((error, _)) = missed.iter().find(is_deferred).filter(|_| gives_up) {
            return Err(error.clone());
        }
        if let Some((error, _)) = missed.first().filter(|_| !is_taken) {
            return Err(error.clone());
        }
        let notes = missed.into_iter().map(|(error, to)| format!("{to}: {}", error.into_text()));
        Ok(notes.collect::<Vec<_>>().join("; "))
    }

    /// Whether the server takes a recipient or a message.
    fn verdict(&mut self, of: &str) -> Result<(), MessageError> {
        let (code, lines) = self.read()?;
        // 251, 252: it is taken, and forwarded.
        if matches!(code, 250..=252) {
            return Ok(());
        }
        let text = format!("the SMTP server answers {of} with {code} {}", lines.join(" "));
        Err(refusal(code, text))
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
        let mut n_bytes = 0;
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
            n_bytes += bytes.len();
            if LINES_MAX <= lines.len() || ANSWER_BYTES_MAX <= n_bytes {
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

    fn converse(
        mut stream: TcpStream,
        answer: fn(&str) -> &'static str,
        greeted: &std::sync::mpsc::Sender<()>,
    ) -> io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        stream.write_all(b"220 peer\r\n")?;
        while let Some(line) = lines.next().transpose()? {
            let to = line.strip_prefix("RCPT TO:").map(|it| it.trim_matches(['<', '>']));
            let said = match (to, line.as_str()) {
                (Some(to), _) => answer(to),
                (None, "DATA") => "354 go on",
                (None, _) => "250 yes",
            };
            stream.write_all(format!("{said}\r\n").as_bytes())?;
            if line != "DATA" {
                continue;
            }
            while lines.next().transpose()?.is_some_and(|it| it != ".") {}
            stream.write_all(format!("{}\r\n", answer("text")).as_bytes())?;
            greeted.send(()).ok();
        }
        Ok(())
    }

    /// A server that takes one connection and answers to recipients by their address; returns its
    /// port and its messages.
    fn peer(answer: fn(&str) -> &'static str) -> (u16, std::sync::mpsc::Receiver<()>) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (greeted, greetings) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a connection");
            // A connection that ends early has no more to say.
            drop(converse(stream, answer, &greeted));
        });
        (port, greetings)
    }

    fn sent(
        answer: fn(&str) -> &'static str,
        to: &[&str],
        is_last: bool,
    ) -> (Result<String, MessageError>, usize) {
        let (port, greetings) = peer(answer);
        let server = Server {
            host: "127.0.0.1",
            port,
            helo: "here",
            security: Security::None,
            verify_peer: false,
            verify_host: false,
            auth: Auth::None,
        };
        let envelope =
            Envelope { from: "a@example.com", to: to.to_vec(), text: b"hello\r\n", is_last };
        let clock = Clock::real();
        let limits = (Duration::from_secs(20), &clock);
        let result =
            send(&server, &envelope, &Destinations::default(), limits, &Transcript::default());
        (result, greetings.iter().count())
    }

    fn answer(to: &str) -> &'static str {
        match to {
            "left@example.com" => "550 5.1.1 no such user",
            "full@example.com" => "452 4.2.2 the mailbox is full",
            "away@example.com" => "421 4.3.2 going down",
            _ => "250 taken",
        }
    }

    #[test]
    fn refused_recipient_is_no_failure_of_the_server() {
        let (good, left, full) = ("ada@example.com", "left@example.com", "full@example.com");
        let refused = "the SMTP server answers RCPT with 550 5.1.1 no such user";
        let deferred = "the SMTP server answers RCPT with 452 4.2.2 the mailbox is full";
        /// Recipients, whether it is the last attempt, the result, and how many messages are taken.
        type Case<'a> = (&'a [&'a str], bool, Result<String, MessageError>, usize);
        let cases: [Case<'_>; 8] = [
            (&[good], false, Ok(String::new()), 1),
            (&[left], false, Err(MessageError::Refused(refused.to_owned())), 0),
            (&[full], false, Err(MessageError::Deferred(deferred.to_owned())), 0),
            (&[full], true, Err(MessageError::Deferred(deferred.to_owned())), 0),
            // Accepted recipients get it once, and the refused ones are reported.
            (&[left, good], false, Ok(format!("{left}: {refused}")), 1),
            (&[good, full], false, Err(MessageError::Deferred(deferred.to_owned())), 0),
            (&[good, full], true, Ok(format!("{full}: {deferred}")), 1),
            (&[left, full], false, Err(MessageError::Deferred(deferred.to_owned())), 0),
        ];
        for (to, is_last, expected, n) in cases {
            assert_eq!(sent(answer, to, is_last), (expected, n), "{to:?}");
        }
        let away = sent(answer, &["away@example.com"], false);
        assert!(matches!(away, (Err(MessageError::Failed(_)), 0)), "{away:?}");
    }

    #[test]
    fn an_answer_has_a_bound_in_bytes() {
        fn lines(n: usize) -> &'static str {
            static TEXT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
            let line = format!("250-{}\r\n", "x".repeat(4_000));
            let text = TEXT.get_or_init(|| format!("{}250 yes", line.repeat(40)));
            let (bytes, end) = (n * line.len(), text.len());
            text.get(end - bytes - "250 yes".len()..).unwrap_or_default()
        }
        // 160 KB in 40 lines, and 40 KB in 10 of them.
        let (long, _) = sent(|_| lines(40), &["ada@example.com"], false);
        assert!(format!("{long:?}").contains("does not end"), "{long:?}");
        assert_eq!(sent(|_| lines(10), &["ada@example.com"], false), (Ok(String::new()), 1));
    }

    #[test]
    fn a_message_that_the_server_does_not_want_is_refused_alone() {
        let too_large = |to: &str| if to == "text" { "552 too large" } else { "250 taken" };
        let (result, _) = sent(too_large, &["ada@example.com"], false);
        assert!(matches!(result, Err(MessageError::Refused(_))), "{result:?}");
    }

    #[test]
    fn a_line_of_a_dot_does_not_end_a_message() {
        assert_eq!(stuffed(b".\r\na\r\n..b"), b"..\r\na\r\n...b\r\n.\r\n");
        assert_eq!(stuffed(b""), b"\r\n.\r\n");
    }
}
