//! Web pages over HTTP and HTTPS.
//!
//! The first parameter is a host, or a URL; path and port count with a host only. Certificates are
//! not checked, as Zabbix's agent checks none: these keys ask whether a page exists, not who owns
//! it.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use model::networks::Destinations;
use openssl::ssl::{ErrorCode, HandshakeError, SslConnector, SslMethod, SslVerifyMode};
use wire::charset::{http_charset, to_utf8};
use wire::dns::to_ascii;

use super::file_content;
use super::key::{Ask, Key};
use super::stopwatch::Stopwatch;
use crate::outcome::{Outcome, Refusal};
use crate::params::{Params, invalid};
use crate::regex;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("web.page.get", 3, get),
    Key::may_block("web.page.perf", 3, perf),
    Key::may_block("web.page.regexp", 6, regexp),
];

const PORT: u16 = 80;
const PORT_ENCRYPTED: u16 = 443;
/// Zabbix's limit for a page; the rest is cut off.
const PAGE_BYTES_MAX: u64 = 1 << 20;

/// The page that a key names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// Its URL, without fragment.
    pub url: String,
}

/// A request for a page over a connection of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Host, an IPv6 address in brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// By HTTPS.
    pub is_encrypted: bool,
    /// The bytes to send.
    pub text: String,
}

impl WebPage {
    /// The page of `web.page.get[host,path,port]` or `web.page.get[url]`.
    ///
    /// # Errors
    /// What is wrong: a sentence.
    pub fn of_params(host: &str, path: &str, port: &str) -> Result<Self, String> {
        let host = host.trim_ascii_start();
        let url = if is_url(host) {
            if !path.is_empty() || !port.is_empty() {
                let what = "Parameters \"path\" and \"port\" must be empty if URL is specified in \"host\".";
                return Err(what.to_owned());
            }
            url_of(host)?
        } else {
            url_of_parts(host, path, port)?
        };
        Ok(Self { url })
    }

    /// The request for it, without a library for URLs.
    ///
    /// # Errors
    /// If the URL is malformed, or wants more than HTTP and HTTPS; a sentence.
    pub fn request(&self) -> Result<PageRequest, String> {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let is_encrypted = scheme.eq_ignore_ascii_case("https");
        if !is_encrypted && !scheme.eq_ignore_ascii_case("http") {
            return Err(format!("Unsupported scheme: {scheme}."));
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err("Unsupported URL format.".to_owned());
        }
        let usual = if is_encrypted { PORT_ENCRYPTED } else { PORT };
        let (host, port) = host_and_port(authority, usual)?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        let text =
            format!("GET {slash}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        Ok(PageRequest { host: host.to_owned(), port, is_encrypted, text })
    }
}

/// A host has at most the colons of an IPv6 address.
fn is_url(text: &str) -> bool {
    text.contains(['/', '@', '#', '?', '[', ']']) || text.matches(':').count() == 1
}

fn url_of(text: &str) -> Result<String, String> {
    let whole = text.split('#').next().unwrap_or("");
    let scheme = whole.find("://").and_then(|at| whole.get(..at));
    let scheme = scheme.filter(|it| !it.contains(['/', '?']));
    let (scheme, rest) = match scheme {
        Some(it) => (it, whole.get(it.len() + 3..).unwrap_or("")),
        None => ("http", whole),
    };
    if !["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it)) {
        return Err(format!("Unsupported scheme: {scheme}."));
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    check_chars(authority, "hostname", |it| !it.is_control())?;
    check_chars(path, "path", |it| !it.is_control())?;
    // The host name stands between user and port.
    let (user, host) = authority.split_at(authority.find('@').map_or(0, |it| it + 1));
    let (host, port) = host.split_at(host.find(':').unwrap_or(host.len()));
    Ok(format!("{scheme}://{user}{}{port}{path}", in_ascii(host)?))
}

fn url_of_parts(host: &str, path: &str, port: &str) -> Result<String, String> {
    if host.is_empty() {
        return Err("Invalid first parameter.".to_owned());
    }
    check_chars(host, "hostname", |it| {
        !it.is_ascii() || it.is_ascii_alphanumeric() || matches!(it, '-' | '.' | '_' | ':')
    })?;
    check_chars(path, "path", |it| !it.is_control())?;
    let port = match port {
        "" => PORT,
        text if text.bytes().all(|it| it.is_ascii_digit()) => {
            text.parse().map_err(|_too_large| invalid(2).into_text())?
        }
        _ => return Err(invalid(2).into_text()),
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let host = if host.contains(':') { format!("[{host}]") } else { in_ascii(host)? };
    Ok(format!("http://{host}:{port}{slash}{path}"))
}

fn in_ascii(host: &str) -> Result<String, String> {
    to_ascii(host).ok_or_else(|| format!("Cannot convert hostname \"{host}\" to ASCII."))
}

/// Refuses characters that would end a line of the request.
fn check_chars(text: &str, what: &str, is_good: impl Fn(char) -> bool) -> Result<(), String> {
    match text.find(|it| !is_good(it)) {
        Some(at) => {
            let before = text.get(..at).unwrap_or("");
            Err(format!("Incorrect {what} expression. Check {what} part after: {before}."))
        }
        None => Ok(()),
    }
}

fn host_and_port(authority: &str, usual: u16) -> Result<(&str, u16), String> {
    let bad_format = || "URL using bad/illegal format.".to_owned();
    let no_host = || "Invalid or missing host in URL.".to_owned();
    let (host, port) = if authority.starts_with('[') {
        let end = authority.find(']').ok_or_else(no_host)? + 1;
        let (host, rest) = authority.split_at(end);
        let port = if rest.is_empty() {
            None
        } else {
            Some(rest.strip_prefix(':').ok_or_else(bad_format)?)
        };
        (host, port)
    } else {
        match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        }
    };
    let port = match port {
        None => usual,
        Some(it) if !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()) => {
            it.parse().map_err(|_too_large| bad_format())?
        }
        Some(_) => return Err(bad_format()),
    };
    if matches!(host, "" | "[]") { Err(no_host()) } else { Ok((host, port)) }
}

fn page_of(params: &Params<'_>) -> Result<PageRequest, Refusal> {
    let page = WebPage::of_params(params.get(0), params.get(1), params.get(2))?;
    Ok(page.request()?)
}

fn get(ask: &Ask<'_>) -> Outcome {
    Ok(text_of(&page(ask)?)?.into())
}

fn page(ask: &Ask<'_>) -> Result<Vec<u8>, Refusal> {
    let request = page_of(&ask.params)?;
    fetch(&request, &ask.settings.destinations, ask.time).map_err(|it| cannot_get(&it))
}

/// In the words of the library that Zabbix uses.
fn cannot_get(error: &io::Error) -> Refusal {
    let reason = match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::HostUnreachable => {
            "Couldn't connect to server."
        }
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "Timeout was reached.",
        io::ErrorKind::ConnectionAborted => "SSL connect error.",
        io::ErrorKind::Other => return Refusal::from(format!("Cannot get the page: {error}")),
        _ => "Failure when receiving data from the peer.",
    };
    Refusal::from(format!("Cannot perform cURL request: {reason}"))
}

fn perf(ask: &Ask<'_>) -> Outcome {
    let watch = Stopwatch::start(ask.time);
    page(ask)?;
    Ok(watch.elapsed().as_secs_f64().into())
}

fn regexp(ask: &Ask<'_>) -> Outcome {
    if ask.params.len() < 4 {
        return Err(Refusal::from("Invalid number of parameters."));
    }
    let chars_max = match ask.params.get(4) {
        "" => usize::MAX,
        text => text.parse().map_err(|_source| invalid(4))?,
    };
    let text = text_of(&page(ask)?)?;
    let pattern = regex::compile(&ask.params, 3)?;
    let template = ask.params.get_or(5, "\\0");
    let found = text.lines().find_map(|line| {
        let groups = pattern.groups(line).ok().flatten()?;
        Some(file_content::fill(template, &groups))
    });
    Ok(found.unwrap_or_default().chars().take(chars_max).collect::<String>().into())
}

fn fetch(
    request: &PageRequest,
    destinations: &Destinations,
    time: Duration,
) -> io::Result<Vec<u8>> {
    let host = request.host.trim_start_matches('[').trim_end_matches(']');
    let address = (host, request.port).to_socket_addrs()?.next();
    let address = address.ok_or(io::ErrorKind::HostUnreachable)?;
    // The connection uses the checked address, whatever the name resolves to the next time.
    if !destinations.admit(address.ip()) {
        return Err(io::Error::other("the setting outgoing.denied forbids this address"));
    }
    let mut stream = TcpStream::connect_timeout(&address, time)?;
    stream.set_read_timeout(Some(time))?;
    stream.set_write_timeout(Some(time))?;
    if request.is_encrypted {
        return fetch_encrypted(request, host, stream);
    }
    stream.write_all(request.text.as_bytes())?;
    let mut page = Vec::new();
    stream.take(PAGE_BYTES_MAX).read_to_end(&mut page)?;
    Ok(page)
}

fn fetch_encrypted(request: &PageRequest, host: &str, stream: TcpStream) -> io::Result<Vec<u8>> {
    let mut connector = SslConnector::builder(SslMethod::tls_client()).map_err(io::Error::other)?;
    connector.set_verify(SslVerifyMode::NONE);
    let configured = connector.build().configure().map_err(io::Error::other)?;
    let shaken = configured.verify_hostname(false).connect(host, stream);
    let mut stream = shaken.map_err(|error| match error {
        // The time for an answer is over.
        HandshakeError::WouldBlock(_) => io::ErrorKind::TimedOut.into(),
        _ => io::Error::from(io::ErrorKind::ConnectionAborted),
    })?;
    stream.write_all(request.text.as_bytes())?;
    let mut page = Vec::new();
    let mut buffer = vec![0; 16 << 10];
    while (page.len() as u64) < PAGE_BYTES_MAX {
        match stream.ssl_read(&mut buffer) {
            Ok(n) => page.extend_from_slice(buffer.get(..n).unwrap_or_default()),
            // Many servers end the connection without a closing alert.
            Err(error) if error.code() == ErrorCode::ZERO_RETURN => break,
            Err(error) => match error.into_io_error() {
                Ok(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
                _ if !page.is_empty() => break,
                _ => return Err(io::ErrorKind::UnexpectedEof.into()),
            },
        }
    }
    page.truncate(usize::try_from(PAGE_BYTES_MAX).unwrap_or(usize::MAX));
    Ok(page)
}

/// Headers and body as text, the body in the encoding that the server or the page names.
fn text_of(page: &[u8]) -> Result<String, Refusal> {
    const BLANK: &[u8] = b"\r\n\r\n";
    let body_at = page.windows(BLANK.len()).position(|it| it == BLANK);
    let (head, body) = page.split_at(body_at.map_or(page.len(), |it| it + BLANK.len()));
    let head = String::from_utf8_lossy(head);
    let mut headers = head.lines().filter_map(|it| it.split_once(':'));
    let content_type = headers.rfind(|it| it.0.eq_ignore_ascii_case("content-type"));
    let charset = http_charset(content_type.map_or("", |it| it.1), body);
    Ok(format!("{head}{}", to_utf8(&charset, body)?))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    const TIME: Duration = Duration::from_secs(60);

    #[test]
    fn hosts_and_urls() {
        let url = |host, path, port| WebPage::of_params(host, path, port).map(|it| it.url);
        assert_eq!(url("example.com", "a?b", "81").as_deref(), Ok("http://example.com:81/a?b"));
        assert_eq!(url("::1", "", "").as_deref(), Ok("http://[::1]:80/"));
        assert_eq!(url("HTTPS://a/b#c", "", "").as_deref(), Ok("HTTPS://a/b"));
        assert!(url("http://a", "/b", "").is_err());
        assert!(url("a", "b\r\nHost: c", "").is_err());
        assert!(url("http://a/\r\nHost: c", "", "").is_err());
        assert!(url("", "", "").is_err());
        let of = |url: &str| WebPage { url: url.to_owned() }.request();
        assert_eq!(of("https://a/b").map(|it| (it.port, it.is_encrypted)), Ok((443, true)));
        assert_eq!(of("http://a/b").map(|it| (it.port, it.is_encrypted)), Ok((80, false)));
        assert!(of("ftp://a/b").is_err());
    }

    #[test]
    fn an_address_that_is_denied_is_not_connected_to() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port().to_string();
        let denied = "127.0.0.0/8, ::1".parse().expect("networks");
        let destinations = Destinations { denied, ..Destinations::default() };
        for host in ["127.0.0.1", "localhost", "::ffff:127.0.0.1"] {
            let page = WebPage::of_params(host, "", &port).expect("good");
            let error = fetch(&page.request().expect("a request"), &destinations, TIME);
            let message = error.expect_err("denied").to_string();
            assert_eq!(message, "the setting outgoing.denied forbids this address", "{host}");
        }
        listener.set_nonblocking(true).expect("a socket");
        assert!(listener.accept().is_err(), "nobody came");
    }

    #[test]
    fn a_page_is_fetched_in_its_encoding() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port().to_string();
        let server = thread::spawn(move || {
            let (mut stream, _peer) = listener.accept().expect("a connection");
            let mut request = vec![0; "GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n".len()];
            stream.read_exact(&mut request).expect("a request");
            let mut rest = [0; "Connection: close\r\n\r\n".len()];
            stream.read_exact(&mut rest).expect("all of it");
            let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n";
            stream.write_all(head).expect("sent");
            stream.write_all(b"\xc4\xc1").expect("sent");
            request
        });
        let page = WebPage::of_params("127.0.0.1", "page", &port).expect("good");
        let bytes = fetch(&page.request().expect("a request"), &Destinations::default(), TIME)
            .expect("an answer");
        assert!(text_of(&bytes).expect("text").ends_with("\r\n\r\nда"));
        let request = server.join().expect("the server lives");
        assert_eq!(request, b"GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    }
}
