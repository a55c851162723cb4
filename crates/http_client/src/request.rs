//! A request, and how it is written.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::Uri;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName,
    HeaderValue, PROXY_AUTHORIZATION, USER_AGENT,
};
use hyper::http;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, http::uri::Scheme};
use rt::reading::{Reading, Readings};
use tokio::sync::Mutex;
use wire::http::ConnectionAuth;

use super::body::Payload;
use super::endpoint::Endpoint;
use super::error::Error;
use super::proxy::Proxy;

const AGENT: HeaderValue = HeaderValue::from_static(concat!("Saker/", env!("CARGO_PKG_VERSION")));
const ANYTHING: HeaderValue = HeaderValue::from_static("*/*");
const ENCODINGS: HeaderValue = HeaderValue::from_static("deflate, gzip");
const KEEP_ALIVE: HeaderValue = HeaderValue::from_static("Keep-Alive");

/// One exchange.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    pub method: String,
    /// `http` or `https`.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// `None`: no body at all.
    pub body: Option<Vec<u8>>,
    /// URL of the proxy; empty: none.
    pub proxy: String,
    pub verify: Verify,
    /// The client certificate; `None`: none.
    pub identity: Option<Arc<Identity>>,
    /// Authentication that is not a header of its own.
    pub auth: Option<ConnectionAuth>,
    /// Time until the whole answer has arrived.
    pub time: Duration,
    /// Longest body of an answer, in bytes, also after decompression.
    pub body_bytes_max: usize,
}

/// The checks of a server's certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Verify {
    /// Whether an authority vouches for it, and its period.
    pub peer: bool,
    /// Whether it is of the requested name.
    pub host: bool,
}

impl Verify {
    pub const BOTH: Self = Self { peer: true, host: true };
}

/// The client certificate and its key, by their files, which are read for each new connection.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    /// PEM, followed by the certificates that lead to its authority.
    pub certificate: PathBuf,
    /// PEM.
    pub key: PathBuf,
    /// The password of the key.
    pub password: String,
}

/// Without the password.
impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { certificate, key, .. } = self;
        f.debug_struct("Identity")
            .field("certificate", certificate)
            .field("key", key)
            .finish_non_exhaustive()
    }
}

/// A request whose parts are checked, so that it can be written any number of times.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    method: Method,
    /// The text in the first line.
    target: Uri,
    headers: HeaderMap,
    /// The given names of headers, as they are written.
    names: Arc<[String]>,
    body: Option<Bytes>,
    pub(crate) server: Endpoint,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) verify: Verify,
    pub(crate) identity: Option<Arc<Identity>>,
    pub(crate) auth: Option<ConnectionAuth>,
    pub(crate) body_bytes_max: usize,
    /// Memory of the answer; repeated requests of one exchange share it.
    pub(crate) reading: Arc<Mutex<Reading>>,
}

impl Prepared {
    pub(crate) fn new(request: ClientRequest, readings: &Readings) -> Result<Self, Error> {
        let method = Method::from_bytes(request.method.as_bytes()).map_err(http::Error::from)?;
        let uri = Uri::try_from(request.url).map_err(http::Error::from)?;
        let is_tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            other => return Err(Error::Protocol(other.unwrap_or_default().to_owned())),
        };
        let host = uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let proxy = (!request.proxy.is_empty()).then(|| Proxy::parse(&request.proxy));
        let proxy = proxy.transpose()?;
        let by_proxy = proxy.as_ref().filter(|_| !is_tls);
        let mut headers = headers(&request.headers, &uri, by_proxy)?;
        let is_with_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
        if is_with_body && request.body.as_ref().is_none_or(Vec::is_empty) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let target = target(&uri, by_proxy.is_some())?;
        let body = request.body.filter(|it| !it.is_empty()).map(Bytes::from);
        let ClientRequest { headers: given, verify, identity, auth, body_bytes_max, .. } = request;
        // Without encryption there is no client certificate.
        let identity = identity.filter(|_| is_tls);
        let server = Endpoint { host, port, is_tls };
        let reading = Arc::new(Mutex::new(readings.begin((&server.host, port))));
        Ok(Self {
            method,
            target,
            headers,
            names: given.into_iter().map(|it| it.0).collect(),
            body,
            server,
            proxy,
            verify,
            identity,
            auth,
            body_bytes_max,
            reading,
        })
    }

    /// The given names of headers, as they are written.
    pub(crate) fn names(&self) -> Arc<[String]> {
        Arc::clone(&self.names)
    }

    pub(crate) fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// The same with this message of a kind of authentication, with or without its body.
    pub(crate) fn with_message(
        &self,
        kind: &str,
        message: &str,
        has_body: bool,
    ) -> Result<Self, Error> {
        let mut out = self.clone();
        let value = format!("{kind} {message}");
        let mut value = HeaderValue::from_str(&value).map_err(http::Error::from)?;
        value.set_sensitive(true);
        out.headers.insert(AUTHORIZATION, value);
        if !has_body && out.body.take().is_some() {
            out.headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(out)
    }

    pub(crate) fn to_http(&self) -> hyper::Request<Payload> {
        let mut out = hyper::Request::new(Payload::new(self.body.clone()));
        *out.method_mut() = self.method.clone();
        *out.uri_mut() = self.target.clone();
        *out.headers_mut() = self.headers.clone();
        out
    }
}

/// The whole URL for a proxy, the path for any other server.
fn target(uri: &Uri, is_whole: bool) -> Result<Uri, Error> {
    let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let builder = Uri::builder().path_and_query(path);
    let builder = match uri.authority().filter(|_| is_whole) {
        Some(authority) => builder.scheme(Scheme::HTTP).authority(authority.clone()),
        None => builder,
    };
    Ok(builder.build()?)
}

fn headers(
    given: &[(String, String)],
    uri: &Uri,
    by_proxy: Option<&Proxy>,
) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::with_capacity(given.len() + 6);
    let host = uri.authority().map_or("", http::uri::Authority::as_str);
    let host = host.rsplit_once('@').map_or(host, |(_, it)| it);
    headers.insert(HOST, HeaderValue::from_str(host).map_err(http::Error::from)?);
    let mut has_host = false;
    for (name, value) in given {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(http::Error::from)?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(http::Error::from)?;
        if name == CONTENT_LENGTH {
            // The body's own length: any other would let the server wait, or take the following
            // bytes for a request.
        } else if name == HOST && !has_host {
            has_host = true;
            headers.insert(name, value);
        } else {
            headers.append(name, value);
        }
    }
    headers.entry(USER_AGENT).or_insert(AGENT);
    headers.entry(ACCEPT).or_insert(ANYTHING);
    headers.entry(ACCEPT_ENCODING).or_insert(ENCODINGS);
    if let Some(proxy) = by_proxy {
        if let Some(authorization) = proxy.authorization() {
            let value = HeaderValue::from_str(&authorization).map_err(http::Error::from)?;
            headers.insert(PROXY_AUTHORIZATION, value);
        }
        headers.insert("proxy-connection", KEEP_ALIVE);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use rt::clock::Clock;
    use rt::metrics::Registry;

    use super::*;

    fn prepared(url: &str, proxy: &str, headers: &[(&str, &str)]) -> Result<Prepared, String> {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let request = ClientRequest {
            method: "GET".to_owned(),
            url: url.to_owned(),
            headers: headers.collect(),
            body: None,
            proxy: proxy.to_owned(),
            verify: Verify::BOTH,
            identity: None,
            auth: None,
            time: Duration::from_secs(1),
            body_bytes_max: 1,
        };
        let readings = Readings::new(1 << 20, &Clock::real(), &Registry::new());
        Prepared::new(request, &readings).map_err(|it| it.to_string())
    }

    #[test]
    fn the_first_line_has_the_path_or_for_a_proxy_the_whole_url() {
        for (url, proxy, target, host, server) in [
            ("http://A.b", "", "/", "A.b", "a.b:80"),
            ("https://a:8443/x?y#z", "", "/x?y", "a:8443", "a:8443"),
            ("http://a?x=1", "", "/?x=1", "a", "a:80"),
            ("http://[::1]:80/", "", "/", "[::1]:80", "[::1]:80"),
            ("http://a/x", "proxy", "http://a/x", "a", "a:80"),
            ("https://a/x", "proxy", "/x", "a", "a:443"),
        ] {
            let it = prepared(url, proxy, &[]).expect("a URL");
            let found = it.headers.get(HOST).and_then(|it| it.to_str().ok());
            let found = (it.target.to_string(), found, it.server.authority());
            assert_eq!(found, (target.to_owned(), Some(host), server.to_owned()), "{url}");
        }
        let error = prepared("ftp://a/", "", &[]).expect_err("no HTTP");
        assert_eq!(error, "Protocol \"ftp\" not supported");
        assert_eq!(prepared("http://a b/", "", &[]).expect_err("no URL"), "invalid uri character");
    }

    #[test]
    fn own_headers_take_the_place_of_the_usual_ones() {
        let own = [("Host", "x"), ("accept", "a"), ("Content-Length", "7"), ("X", "1"), ("X", "2")];
        let it = prepared("http://a/", "http://u:p%40@proxy", &own).expect("a request");
        let of = |name: &str| -> Vec<_> {
            it.headers.get_all(name).iter().filter_map(|it| it.to_str().ok()).collect()
        };
        assert_eq!((of("host"), of("accept"), of("x")), (vec!["x"], vec!["a"], vec!["1", "2"]));
        assert!(of("content-length").is_empty() && of("user-agent").len() == 1);
        assert_eq!(of("proxy-authorization"), ["Basic dTpwQA=="]);
        assert_eq!(
            prepared("http://a/", "", &[("a b", "c")]).expect_err("no header"),
            "invalid HTTP header name"
        );
    }
}
