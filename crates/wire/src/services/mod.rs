//! Whether a service answers as one of its kind: the first words of a conversation, and a farewell.
//!
//! A [`Dialog`] takes the bytes of a TCP service until there is a verdict. It keeps the bytes that
//! have no verdict yet, at most [`RECEIVED_MAX`]; a service that sends more without the expected
//! words is not the one asked for. Over UDP there is [`ntp`].

mod ldap;
pub mod ntp;

use crate::telnet;

/// Most bytes without a verdict. With more, the service is not the expected one.
pub const RECEIVED_MAX: usize = 64 << 10;

/// A kind of service with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "their names say it all")]
pub enum Service {
    Ssh,
    Ldap,
    Smtp,
    Ftp,
    Http,
    Pop,
    Nntp,
    Imap,
    Tcp,
    Https,
    Telnet,
}

impl Service {
    /// The service of a name in a key.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ssh" => Self::Ssh,
            "ldap" => Self::Ldap,
            "smtp" => Self::Smtp,
            "ftp" => Self::Ftp,
            "http" => Self::Http,
            "pop" => Self::Pop,
            "nntp" => Self::Nntp,
            "imap" => Self::Imap,
            "tcp" => Self::Tcp,
            "https" => Self::Https,
            "telnet" => Self::Telnet,
            _ => return None,
        })
    }

    /// The usual port of the service.
    #[must_use]
    pub fn default_port(self) -> Option<u16> {
        Some(match self {
            Self::Ftp => 21,
            Self::Ssh => 22,
            Self::Telnet => 23,
            Self::Smtp => 25,
            Self::Http => 80,
            Self::Pop => 110,
            Self::Nntp => 119,
            Self::Imap => 143,
            Self::Ldap => 389,
            Self::Https => 443,
            Self::Tcp => return None,
        })
    }
}

/// The verdict on a service so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has to say more.
    Open,
    Up,
    Down,
}

/// A conversation with a service.
#[derive(Debug)]
pub struct Dialog {
    service: Service,
    /// Bytes that no rule has judged yet.
    rest: Vec<u8>,
    n_received: usize,
    telnet: telnet::TelnetReader,
}

impl Dialog {
    /// A new conversation.
    #[must_use]
    pub fn new(service: Service) -> Self {
        Self { service, rest: Vec::new(), n_received: 0, telnet: telnet::TelnetReader::default() }
    }

    /// The verdict when the connection is open; the first words to send are appended to `say`.
    ///
    /// An open connection proves nothing about HTTPS: it takes a request.
    pub fn open(&self, say: &mut Vec<u8>) -> Verdict {
        match self.service {
            Service::Tcp | Service::Http | Service::Https => Verdict::Up,
            Service::Ldap => {
                say.extend_from_slice(&ldap::search());
                Verdict::Open
            }
            _ => Verdict::Open,
        }
    }

    /// Takes received bytes; the words to send are appended to `say`, together with a verdict the
    /// farewell.
    pub fn take(&mut self, bytes: &[u8], say: &mut Vec<u8>) -> Verdict {
        self.n_received = self.n_received.saturating_add(bytes.len());
        let verdict = match self.service {
            Service::Ldap => {
                self.rest.extend_from_slice(bytes);
                match ldap::has_entry(&self.rest) {
                    None => Verdict::Open,
                    Some(true) => Verdict::Up,
                    Some(false) => Verdict::Down,
                }
            }
            Service::Telnet => self.take_telnet(bytes, say),
            _ => self.take_lines(bytes, say),
        };
        if verdict == Verdict::Up {
            say.extend_from_slice(&self.farewell());
        }
        if verdict == Verdict::Open && RECEIVED_MAX < self.n_received {
            return Verdict::Down;
        }
        verdict
    }

    /// The service has closed the connection: its last words may be a line without an end.
    pub fn close(&mut self) -> Verdict {
        let line = std::mem::take(&mut self.rest);
        let is_of_lines = !matches!(self.service, Service::Ldap | Service::Telnet);
        if is_of_lines && self.line(&line, &mut Vec::new()) == Verdict::Up {
            return Verdict::Up;
        }
        Verdict::Down
    }

    fn take_telnet(&mut self, bytes: &[u8], say: &mut Vec<u8>) -> Verdict {
        for byte in bytes {
            // Only the end of the text counts: the question for a login name.
            match self.telnet.take(*byte, say) {
                Some(it) if it.is_ascii_whitespace() => {}
                Some(it) => self.rest = vec![it],
                None => {}
            }
        }
        if self.rest.ends_with(b":") { Verdict::Up } else { Verdict::Open }
    }

    fn take_lines(&mut self, bytes: &[u8], say: &mut Vec<u8>) -> Verdict {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|it| *it == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let verdict = self.line(&line, say);
            if verdict != Verdict::Open {
                return verdict;
            }
        }
        Verdict::Open
    }

    fn line(&self, line: &[u8], say: &mut Vec<u8>) -> Verdict {
        let line = line.trim_ascii_end();
        let up_if = |is_up| if is_up { Verdict::Up } else { Verdict::Down };
        match self.service {
            Service::Ssh => {
                let version = ssh_version(line);
                match version {
                    Some((major, minor)) => {
                        say.extend_from_slice(format!("SSH-{major}.{minor}-saker\r\n").as_bytes());
                    }
                    None => say.extend_from_slice(b"0\n"),
                }
                up_if(version.is_some())
            }
            Service::Smtp => match line.strip_prefix(b"220") {
                Some([b'-', ..]) => Verdict::Open,
                Some([] | [b' ', ..]) => Verdict::Up,
                _ => Verdict::Down,
            },
            // Lines before the last one may have any form.
            Service::Ftp if line == b"220" || line.starts_with(b"220 ") => Verdict::Up,
            Service::Ftp => Verdict::Open,
            Service::Pop => up_if(line.starts_with(b"+OK")),
            Service::Nntp => up_if(line.starts_with(b"200") || line.starts_with(b"201")),
            Service::Imap => up_if(line.starts_with(b"* OK")),
            Service::Ldap | Service::Telnet | Service::Tcp | Service::Http | Service::Https => {
                Verdict::Open
            }
        }
    }

    fn farewell(&self) -> Vec<u8> {
        match self.service {
            Service::Smtp | Service::Ftp | Service::Pop | Service::Nntp => b"QUIT\r\n".to_vec(),
            Service::Imap => b"a1 LOGOUT\r\n".to_vec(),
            Service::Ldap => ldap::unbind(),
            _ => Vec::new(),
        }
    }
}

/// `SSH-2.0-anything`: major and minor.
fn ssh_version(line: &[u8]) -> Option<(u32, u32)> {
    let rest = str::from_utf8(line.strip_prefix(b"SSH-")?.split(|it| *it == b'-').next()?).ok()?;
    let (major, minor) = rest.split_once('.')?;
    let number = |it: &str| it.bytes().all(|it| it.is_ascii_digit()).then(|| it.parse().ok());
    Some((number(major)??, number(minor)??))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on bytes that arrive in one piece, and the words sent.
    fn verdict(service: Service, received: &[u8]) -> (Verdict, String) {
        let mut say = Vec::new();
        let verdict = Dialog::new(service).take(received, &mut say);
        // Byte by byte the verdict is the same.
        let (mut single, mut said) = (Dialog::new(service), Vec::new());
        let mut verdicts = received.iter().map(|it| single.take(&[*it], &mut said));
        let last = verdicts.find(|it| *it != Verdict::Open).unwrap_or(Verdict::Open);
        assert_eq!((last, &said), (verdict, &say), "{service:?}");
        (verdict, String::from_utf8(say).expect("text"))
    }

    #[test]
    fn services_are_known_by_their_first_words() {
        use Service::{Ftp, Imap, Nntp, Pop, Smtp, Ssh};
        use Verdict::{Down, Open, Up};
        for (service, received, expected, said) in [
            (Ssh, "SSH-2.0-OpenSSH_9.2p1 Debian\r\n", Up, "SSH-2.0-saker\r\n"),
            (Ssh, "SSH-1.99-x\n", Up, "SSH-1.99-saker\r\n"),
            (Ssh, "SSH-x.0-y\n", Down, "0\n"),
            (Ssh, "HTTP/1.1 400 Bad Request\r\n", Down, "0\n"),
            (Smtp, "220 mail ESMTP\r\n", Up, "QUIT\r\n"),
            (Smtp, "220-wait\r\n220-still\r\n", Open, ""),
            (Smtp, "220-wait\r\n220 now\r\n", Up, "QUIT\r\n"),
            (Smtp, "220\r\n", Up, "QUIT\r\n"),
            (Smtp, "554 no\r\n", Down, ""),
            (Smtp, "2200 x\r\n", Down, ""),
            (Ftp, "220-Welcome\r\nto 220\r\n220 ready\r\n", Up, "QUIT\r\n"),
            (Ftp, "421 busy\r\n", Open, ""),
            (Pop, "+OK ready\r\n", Up, "QUIT\r\n"),
            (Pop, "-ERR\r\n", Down, ""),
            (Nntp, "201 no posting\r\n", Up, "QUIT\r\n"),
            (Nntp, "502 no\r\n", Down, ""),
            (Imap, "* OK [CAPABILITY IMAP4rev1]\r\n", Up, "a1 LOGOUT\r\n"),
            (Imap, "* BYE\r\n", Down, ""),
        ] {
            assert_eq!(verdict(service, received.as_bytes()), (expected, said.to_owned()));
        }
    }

    #[test]
    fn a_telnet_service_asks_for_a_login_name() {
        let sent = [&[255, 253, 24, 255, 251, 1], b"Debian\r\nhost login: ".as_slice()].concat();
        let mut say = Vec::new();
        assert_eq!(Dialog::new(Service::Telnet).take(&sent, &mut say), Verdict::Up);
        assert_eq!(say, [255, 252, 24, 255, 254, 1]);
        let mut dialog = Dialog::new(Service::Telnet);
        assert_eq!(dialog.take(b"at 12:30 hello", &mut say), Verdict::Open);
    }

    #[test]
    fn a_directory_has_an_entry() {
        let mut dialog = Dialog::new(Service::Ldap);
        let mut say = Vec::new();
        assert_eq!(dialog.open(&mut say), Verdict::Open);
        assert_eq!(say[..7], [0x30, 0x25, 0x02, 0x01, 0x01, 0x63, 0x20]);
        let entry = b"\x30\x1f\x02\x01\x01\x64\x1a\x04\x00\x30\x16\x30\x14\
            \x04\x0bobjectClass\x31\x05\x04\x03top";
        say.clear();
        assert_eq!(dialog.take(&entry[..20], &mut say), Verdict::Open);
        assert_eq!(dialog.take(&entry[20..], &mut say), Verdict::Up);
        assert_eq!(say, b"\x30\x05\x02\x01\x02\x42\x00");
        let done = b"\x30\x0c\x02\x01\x01\x65\x07\x0a\x01\x20\x04\x00\x04\x00";
        for received in [done.as_slice(), b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x30\x80"] {
            assert_eq!(verdict(Service::Ldap, received).0, Verdict::Down, "{received:?}");
        }
    }

    #[test]
    fn endless_greeting_is_no_service() {
        let mut dialog = Dialog::new(Service::Ftp);
        let line = [b"x".repeat(1_000), b"\n".to_vec()].concat();
        let n = (0..).find(|_| dialog.take(&line, &mut Vec::new()) == Verdict::Down);
        assert!(n.is_some_and(|it| it <= RECEIVED_MAX / 1_000));
        assert_eq!(Dialog::new(Service::Imap).close(), Verdict::Down);
        let mut cut = Dialog::new(Service::Imap);
        assert_eq!(cut.take(b"* OK", &mut Vec::new()), Verdict::Open);
        assert_eq!(cut.close(), Verdict::Up);
    }
}
