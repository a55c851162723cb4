//! What scripts ask of the world: the clock, the log, requests, signatures.

mod kept;
mod proxy;
mod tls;

use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use engine::workers::NewHost;
use model::networks::Destinations;
use rt::clock::Clock;
use rt::metrics::Counter;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use script::{Host, Request};
use tracing::{debug, error, info, trace, warn};
use ureq::config::Config;
use ureq::http::{self, HeaderName, HeaderValue, Uri};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;
use ureq::{Agent, AsSendBody, Body, Error};
use wire::http::Response;

use crate::settings::Settings;
use proxy::{ByProxy, OneTls, Prefix, Way};
pub(super) use tls::Verified;

/// Messages of one worker's scripts that reach the log in a second; more are counted only, so that
/// scripts can't fill a disk.
const MESSAGES_PER_S: u32 = 100;
/// Longest message in the log, in characters.
const MESSAGE_CHARS: usize = 8_192;
const SECOND_NS: u64 = 1_000_000_000;

/// How users are told that the server does not ask there.
const DENIED: &str = "The setting outgoing.denied forbids this address";

/// How the requests of scripts and items leave the server.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) tls_verify: Verified,
    pub(super) destinations: Destinations,
}

impl Outgoing {
    pub(super) fn of(settings: &Settings) -> Self {
        let is_verified = settings.script.tls_verify;
        let tls_verify = Verified { peer: is_verified, host: is_verified };
        Self { tls_verify, destinations: settings.outgoing.destinations() }
    }
}

/// Finds addresses, and keeps those that requests may go to. They are the ones that are connected to,
/// so that a name cannot lead elsewhere the next moment; each redirect is a request of its own.
#[derive(Debug)]
struct Guarded {
    inner: DefaultResolver,
    to: Destinations,
}

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        let mut admitted = self.empty();
        found.iter().filter(|it| self.to.admit(it.ip())).for_each(|it| admitted.push(*it));
        if admitted.is_empty() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, DENIED).into());
        }
        Ok(admitted)
    }
}

/// When runs of scripts end that take long.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    AtLimit,
    /// Also when the tasks end.
    AtStop,
}

/// What scripts ask of the world, until the tasks end.
pub(super) fn new_host(
    (settings, clock): (&Settings, &Clock),
    tasks: &Tasks,
    ends: Ends,
) -> NewHost {
    let (clock, stop) = (clock.clone(), tasks.shutdown().clone());
    let outgoing = Outgoing::of(settings);
    Arc::new(move |dropped| {
        let (clock, stop, outgoing) = (clock.clone(), stop.clone(), outgoing.clone());
        let host = ScriptHost::new(clock, stop, outgoing, dropped.clone());
        Box::new(if ends == Ends::AtStop { host.ending_at_stop() } else { host })
    })
}

/// The world of one worker's scripts.
pub(super) struct ScriptHost {
    clock: Clock,
    /// Ends waiting.
    stop: Shutdown,
    /// Runs end when the process does.
    ends_at_stop: bool,
    exchanger: Exchanger,
    window_ns: u64,
    n_messages: u32,
    dropped: Counter,
}

impl ScriptHost {
    /// `dropped` counts messages that found no room in the log.
    pub(super) fn new(clock: Clock, stop: Shutdown, outgoing: Outgoing, dropped: Counter) -> Self {
        let exchanger = Exchanger::new(outgoing, clock.clone());
        Self { clock, stop, ends_at_stop: false, exchanger, window_ns: 0, n_messages: 0, dropped }
    }

    /// Of scripts that may take long: they are not waited for when the process ends.
    pub(super) fn ending_at_stop(self) -> Self {
        Self { ends_at_stop: true, ..self }
    }

    /// May one more message go to the log?
    fn has_room(&mut self) -> bool {
        let now_ns = self.clock.mono_ns();
        if now_ns.saturating_sub(self.window_ns) > SECOND_NS {
            (self.window_ns, self.n_messages) = (now_ns, 0);
        }
        self.n_messages = self.n_messages.saturating_add(1);
        self.n_messages <= MESSAGES_PER_S
    }
}

impl Host for ScriptHost {
    fn now_ns(&self) -> u64 {
        self.clock.mono_ns()
    }

    fn is_stopping(&self) -> bool {
        self.ends_at_stop && self.stop.is_cancelled()
    }

    fn sleep(&mut self, time: Duration) {
        // Cut short only when the process ends: such a run is done again.
        let _is_over = self.stop.wait(time);
    }

    fn log(&mut self, level: i32, text: &str) {
        if !self.has_room() {
            self.dropped.inc();
            return;
        }
        let text: String = text.chars().take(MESSAGE_CHARS).collect();
        match level {
            i32::MIN..=0 => info!(text, "script"),
            1 | 2 => error!(text, "script"),
            3 => warn!(text, "script"),
            4 => debug!(text, "script"),
            5.. => trace!(text, "script"),
        }
    }

    fn exchange(&mut self, request: &Request<'_>) -> Result<Response, String> {
        self.exchanger.exchange(request)
    }

    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        rt::signing::rs256(key, data)
    }
}

/// Makes single HTTP exchanges, waiting for each; keeps connections.
pub(super) struct Exchanger {
    agent: Agent,
    destinations: Destinations,
    prefix: Prefix,
    clock: Clock,
}

impl Exchanger {
    pub(super) fn new(outgoing: Outgoing, clock: Clock) -> Self {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::NativeTls)
            .root_certs(RootCerts::PlatformVerifier)
            .disable_verification(outgoing.tls_verify != Verified::BOTH)
            .build();
        // Redirects and status codes are the engine's and the script's business.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            .proxy(None)
            .user_agent(concat!("Saker/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            .build();
        let prefix = Prefix::default();
        let connector = OneTls::new(prefix.clone(), outgoing.tls_verify);
        let destinations = outgoing.destinations;
        let resolver = Guarded { inner: DefaultResolver::default(), to: destinations.clone() };
        let agent = Agent::with_parts(config, connector, resolver);
        Self { agent, destinations, prefix, clock }
    }

    /// A proxy finds out by itself where a name leads; an address is known here already.
    fn check_for_proxy(&self, target: &Uri) -> Result<(), String> {
        let host = target.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // Also 0xa9fea9fe and 2852039166: libraries take them for addresses.
        let is_numeric = host.starts_with(|it: char| it.is_ascii_digit() || it == ':')
            && host.chars().all(|it| it.is_ascii_hexdigit() || matches!(it, '.' | ':' | 'x' | 'X'))
            || host.parse::<IpAddr>().is_ok();
        if !is_numeric {
            return Ok(());
        }
        let mut addresses = (host, 0).to_socket_addrs().into_iter().flatten();
        if addresses.all(|it| self.destinations.admit(it.ip())) {
            Ok(())
        } else {
            Err(DENIED.to_owned())
        }
    }

    /// # Errors
    /// As [`Host::exchange`].
    pub(super) fn exchange(&self, request: &Request<'_>) -> Result<Response, String> {
        let mut builder = http::Request::builder().method(request.method).uri(request.url);
        for (name, value) in request.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|it| it.to_string())?;
            let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|it| it.to_string())?;
            builder = builder.header(name, value);
        }
        match request.body {
            Some(body) => self.send(builder.body(body), request),
            None => self.send(builder.body(()), request),
        }
    }

    fn send<B: AsSendBody + Copy>(
        &self,
        built: Result<http::Request<B>, http::Error>,
        request: &Request<'_>,
    ) -> Result<Response, String> {
        let built = built.map_err(|it| it.to_string())?;
        if !request.proxy.is_empty() {
            self.check_for_proxy(built.uri())?;
        }
        let started_ns = self.clock.mono_ns();
        let answer = loop {
            let gone = Duration::from_nanos(self.clock.mono_ns().saturating_sub(started_ns));
            kept::begin();
            match self.attempt(built.clone(), request, request.time.saturating_sub(gone)) {
                // The pool has one connection less: sooner or later a new one is made.
                Err(error) if kept::was_closed(&error) => {}
                answer => break answer.map_err(|it| message(&it))?,
            }
        };
        let (parts, body) = answer.into_parts();
        let headers = parts.headers.iter().map(|(name, value)| {
            (written(name.as_str()), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let limit = u64::try_from(request.body_bytes_max).unwrap_or(u64::MAX);
        let bytes = body.into_with_config().limit(limit).read_to_vec();
        Ok(Response {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            body: bytes.map_err(|it| message(&it))?,
        })
    }

    fn attempt<B: AsSendBody>(
        &self,
        mut built: http::Request<B>,
        request: &Request<'_>,
        time: Duration,
    ) -> Result<http::Response<Body>, Error> {
        let proxy = match proxy::way(request.proxy, built.uri())? {
            Way::Straight(tunnel) => {
                self.prefix.set(None);
                tunnel
            }
            Way::ByProxy(by) => {
                redirect(&mut built, &by)?;
                self.prefix.set(Some(by.prefix));
                None
            }
        };
        let configured = self.agent.configure_request(built);
        self.agent.run(configured.timeout_global(Some(time)).proxy(proxy).build())
    }
}

/// Makes a request one that the proxy gets.
fn redirect<B>(request: &mut http::Request<B>, by: &ByProxy) -> Result<(), Error> {
    *request.uri_mut() = by.uri.clone();
    let value = |text: &str| HeaderValue::from_str(text).map_err(http::Error::from);
    let headers = request.headers_mut();
    if !headers.contains_key(http::header::HOST) {
        headers.insert(http::header::HOST, value(&by.host)?);
    }
    if let Some(authorization) = &by.authorization {
        headers.insert(http::header::PROXY_AUTHORIZATION, value(authorization)?);
    }
    headers.insert("proxy-connection", HeaderValue::from_static("Keep-Alive"));
    Ok(())
}

/// An error in the words that users of curl know.
fn message(error: &Error) -> String {
    match error {
        Error::NativeTls(it) => tls_error(&it.to_string()),
        Error::Timeout(_) => "Timeout was reached".to_owned(),
        Error::Io(it) if it.kind() == io::ErrorKind::PermissionDenied => DENIED.to_owned(),
        Error::HostNotFound => "Could not resolve hostname".to_owned(),
        Error::ConnectionFailed => "Could not connect to server".to_owned(),
        Error::Io(it) if it.kind() == io::ErrorKind::ConnectionRefused => {
            "Could not connect to server".to_owned()
        }
        // The resolver's own error has no kind.
        Error::Io(it) if it.to_string().starts_with("failed to lookup address") => {
            "Could not resolve hostname".to_owned()
        }
        Error::InvalidProxyUrl => "Unsupported proxy syntax".to_owned(),
        Error::BodyExceedsLimit(max) => format!("the answer is longer than {max} bytes"),
        other => other.to_string(),
    }
}

/// OpenSSL puts why a certificate is refused into brackets at the end.
fn tls_error(text: &str) -> String {
    match text.strip_suffix(')').and_then(|it| it.rsplit_once(" (")) {
        Some((_, reason)) => format!("SSL certificate problem: {reason}"),
        None => format!("SSL connect error: {text}"),
    }
}

/// A header's name as servers write it; the library makes them all lower case.
fn written(name: &str) -> String {
    match name {
        "etag" => return "ETag".to_owned(),
        "www-authenticate" => return "WWW-Authenticate".to_owned(),
        _ => {}
    }
    let mut is_first = true;
    let upper = |it: char| {
        let out = if is_first { it.to_ascii_uppercase() } else { it };
        is_first = it == '-';
        out
    };
    name.chars().map(upper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(denied: &str, allowed: &str) -> ScriptHost {
        let networks = |text: &str| text.parse().expect("networks");
        let destinations = Destinations { denied: networks(denied), allowed: networks(allowed) };
        let outgoing = Outgoing { tls_verify: Verified::BOTH, destinations };
        ScriptHost::new(Clock::real(), Shutdown::default(), outgoing, Counter::default())
    }

    fn ask(host: &mut ScriptHost, url: &str, proxy: &str) -> Result<u16, String> {
        let request = Request {
            method: "GET",
            url,
            headers: &[],
            body: None,
            proxy,
            time: Duration::from_secs(10),
            body_bytes_max: 1_000,
        };
        host.exchange(&request).map(|it| it.status)
    }

    #[test]
    fn no_writing_of_a_denied_address_is_connected_to() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let mut denying = host("127.0.0.0/8, ::1, 169.254.0.0/16", "");
        for name in
            ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"]
        {
            let answer = ask(&mut denying, &format!("http://{name}:{port}/"), "");
            assert_eq!(answer, Err(DENIED.to_owned()), "{name}");
        }
        let proxy = format!("http://127.0.0.1:{port}");
        let answer = ask(&mut denying, "http://example.invalid/", &proxy);
        assert_eq!(answer, Err(DENIED.to_owned()), "the proxy itself");
        let mut to_proxy = host("169.254.0.0/16", "");
        for name in ["169.254.169.254", "2852039166", "[::ffff:169.254.169.254]"] {
            for scheme in ["http", "https"] {
                let answer = ask(&mut to_proxy, &format!("{scheme}://{name}/"), &proxy);
                assert_eq!(answer, Err(DENIED.to_owned()), "{scheme} {name}");
            }
        }
        listener.set_nonblocking(true).expect("a socket");
        assert!(listener.accept().is_err(), "nobody came");
        listener.set_nonblocking(false).expect("a socket");
        let answering = std::thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            let (mut stream, _peer) = listener.accept().expect("a connection");
            assert!(stream.read(&mut [0; 4_096]).expect("a request") > 0);
            let answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
            stream.write_all(answer).expect("sent");
        });
        let mut excepting = host("127.0.0.0/8", "127.0.0.1");
        assert_eq!(ask(&mut excepting, &format!("http://127.0.0.1:{port}/"), ""), Ok(204));
        answering.join().expect("it answered");
    }

    #[test]
    fn names_of_headers_begin_words_with_capitals() {
        assert_eq!(written("content-type"), "Content-Type");
        assert_eq!(written("set-cookie"), "Set-Cookie");
        assert_eq!(written("etag"), "ETag");
    }

    #[test]
    fn what_is_wrong_with_a_certificate_is_said_in_short() {
        let text = "error:0A000086:SSL routines:f:certificate verify failed:a.c:1: (IP address \
                    mismatch)";
        assert_eq!(tls_error(text), "SSL certificate problem: IP address mismatch");
        assert_eq!(tls_error("unexpected eof"), "SSL connect error: unexpected eof");
    }
}
