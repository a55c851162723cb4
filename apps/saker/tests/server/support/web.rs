//! A web server of the tests: answers each connection once, plain or over TLS.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use openssl::asn1::Asn1Time;
use openssl::hash::{MessageDigest, hash};
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::ssl::{SslAcceptor, SslMethod};
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509NameBuilder};

/// A certificate for `localhost` that vouches for itself, with its key.
pub struct Identity {
    pub certificate: X509,
    key: PKey<Private>,
}

impl Identity {
    pub fn new() -> Self {
        let key = PKey::from_rsa(Rsa::generate(2_048).unwrap()).unwrap();
        let mut name = X509NameBuilder::new().unwrap();
        name.append_entry_by_text("CN", "localhost").unwrap();
        let name = name.build();
        let mut builder = X509::builder().unwrap();
        builder.set_version(2).unwrap();
        builder.set_subject_name(&name).unwrap();
        builder.set_issuer_name(&name).unwrap();
        builder.set_pubkey(&key).unwrap();
        builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
        builder.set_not_after(&Asn1Time::days_from_now(2).unwrap()).unwrap();
        builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
        let context = builder.x509v3_context(None, None);
        let names = SubjectAlternativeName::new().dns("localhost").build(&context).unwrap();
        builder.append_extension(names).unwrap();
        builder.sign(&key, MessageDigest::sha256()).unwrap();
        Self { certificate: builder.build(), key }
    }
}

impl Identity {
    /// The certificate of a server.
    pub fn acceptor(&self) -> SslAcceptor {
        let mut builder = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).unwrap();
        builder.set_certificate(&self.certificate).unwrap();
        builder.set_private_key(&self.key).unwrap();
        builder.build()
    }
}

/// Starts a server on 127.0.0.1 that lives as long as the test's process; its port.
pub fn start(identity: Option<&Identity>) -> u16 {
    serve(Ipv4Addr::LOCALHOST, identity)
}

/// The same on another address.
pub fn start_on(address: Ipv4Addr) -> u16 {
    serve(address, None)
}

fn serve(address: Ipv4Addr, identity: Option<&Identity>) -> u16 {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = identity.map(|it| Arc::new(it.acceptor()));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let acceptor = acceptor.clone();
            thread::spawn(move || connection(stream.unwrap(), acceptor.as_deref()));
        }
    });
    port
}

fn connection(stream: TcpStream, acceptor: Option<&SslAcceptor>) {
    match acceptor {
        None => answer(stream),
        // A client that does not trust the certificate ends the handshake.
        Some(acceptor) => drop(acceptor.accept(stream).map(answer)),
    }
}

/// Errors are those of clients that went away.
fn answer(mut stream: impl Read + Write) {
    let Some(request) = Request::read(&mut stream) else { return };
    let path = request.head.split(' ').nth(1).unwrap_or("").to_owned();
    let mut parts = path.trim_start_matches('/').split('/');
    let (what, number) = (parts.next().unwrap_or(""), parts.next());
    let number = number.and_then(|it| it.parse::<usize>().ok()).unwrap_or(0);
    let sent = match what {
        "hop" if number > 0 => {
            send(&mut stream, "302 Found", &format!("Location: /hop/{}\r\n", number - 1), b"")
        }
        // To any host: /to/HOST
        "to" => {
            let host = path.trim_start_matches("/to/");
            send(&mut stream, "302 Found", &format!("Location: http://{host}/\r\n"), b"")
        }
        "round" => send(&mut stream, "302 Found", "Location: /round\r\n", b""),
        "big" => send(&mut stream, "200 OK", "", &vec![b'x'; number]),
        "cut" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        "chunked" => stream.write_all(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        ),
        "nonsense" => stream.write_all(b"220 mail.example.com ESMTP\r\n"),
        "silent" => stream.read(&mut [0]).map(drop),
        "trickle" => trickle(&mut stream),
        "basic" if request.header("authorization") == Some("Basic dTpw") => {
            send(&mut stream, "200 OK", "", b"basic")
        }
        "basic" => send(&mut stream, "401 Unauthorized", "WWW-Authenticate: Basic\r\n", b""),
        "missing" => send(&mut stream, "404 Not Found", "", b"nothing here"),
        // A form with a token; the right password and cookie log in.
        "login" if request.head.starts_with("GET") => {
            let form = b"<form>\n<input name=\"token\" value=\"f00+7\">\n</form>";
            send(&mut stream, "200 OK", "Set-Cookie: form=1; Path=/\r\n", form)
        }
        "login" if request.is_login() => {
            let headers = "Location: /account\r\nSet-Cookie: session=s1\r\n";
            send(&mut stream, "302 Found", headers, b"")
        }
        "account" if request.has_cookie("session=s1") => {
            send(&mut stream, "200 OK", "", b"<p>Welcome, ann</p>")
        }
        "login" | "account" => send(&mut stream, "403 Forbidden", "", b"go away"),
        "digest" if request.has_digest("u", "p") => send(&mut stream, "200 OK", "", b"digest"),
        "digest" => {
            let challenge = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n";
            send(&mut stream, "401 Unauthorized", challenge, b"")
        }
        _ => {
            let line = request.head.lines().next().unwrap_or("").as_bytes();
            send(&mut stream, "200 OK", "", &[line, b"|", &request.body].concat())
        }
    };
    drop(sent);
}

fn send(out: &mut impl Write, status: &str, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let n = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {n}\r\nConnection: close\r\n\r\n");
    out.write_all(head.as_bytes())?;
    out.write_all(body)?;
    out.flush()
}

/// A byte now and then, without end.
fn trickle(out: &mut impl Write) -> std::io::Result<()> {
    out.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    loop {
        out.write_all(b"x")?;
        out.flush()?;
        thread::sleep(Duration::from_millis(50));
    }
}

struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &mut impl Read) -> Option<Self> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4_096];
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
                break at;
            }
            match stream.read(&mut buffer) {
                Ok(n) if n > 0 => bytes.extend_from_slice(&buffer[..n]),
                _ => return None,
            }
        };
        let mut body = bytes.split_off(end + 4);
        let mut request = Self { head: String::from_utf8(bytes).ok()?, body: Vec::new() };
        let length = request.header("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
        while body.len() < length {
            match stream.read(&mut buffer) {
                Ok(n) if n > 0 => body.extend_from_slice(&buffer[..n]),
                _ => return None,
            }
        }
        request.body = body;
        Some(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|it| it.split_once(':'));
        let mut found = lines.filter(|it| it.0.eq_ignore_ascii_case(name));
        found.next().map(|it| it.1.trim())
    }

    fn has_cookie(&self, wanted: &str) -> bool {
        let cookies = self.header("cookie").unwrap_or("");
        cookies.split(';').any(|it| it.trim() == wanted)
    }

    /// Of the form at `/login`.
    fn is_login(&self) -> bool {
        self.has_cookie("form=1") && self.body == b"token=f00%2B7&user=ann&password=p%26w"
    }

    /// RFC 7616 with MD5 and `qop=auth`.
    fn has_digest(&self, user: &str, password: &str) -> bool {
        let Some(sent) = self.header("authorization").and_then(|it| it.strip_prefix("Digest "))
        else {
            return false;
        };
        let field = |name: &str| {
            let fields = sent.split(',').filter_map(|it| it.trim().split_once('='));
            let mut found = fields.filter(|it| it.0 == name);
            found.next().map_or("", |it| it.1.trim_matches('"'))
        };
        let method = self.head.split(' ').next().unwrap_or("");
        let one = md5(&format!("{user}:r:{password}"));
        let two = md5(&format!("{method}:{}", field("uri")));
        let (nc, cnonce) = (field("nc"), field("cnonce"));
        let expected = md5(&format!("{one}:n:{nc}:{cnonce}:auth:{two}"));
        self.head.contains(field("uri")) && field("response") == expected
    }
}

fn md5(text: &str) -> String {
    let bytes = hash(MessageDigest::md5(), text.as_bytes()).unwrap();
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}
