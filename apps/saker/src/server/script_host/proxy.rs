//! Requests by way of a proxy, as curl makes them.
//!
//! For `https` the library asks the proxy for a tunnel. For `http` it would do so as well, which many
//! proxies refuse; there the proxy gets the request itself, with the whole URL in its first line. The
//! library takes that for a request to the proxy, and [`Plain`] changes the line on its way out.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ureq::http::{self, Uri, uri};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};
use ureq::{Error, Proxy, ProxyProtocol};

use super::kept;
use super::tls::{self, Verified};

/// Where curl expects a proxy that is given without a port.
const PORT: u16 = 1_080;

/// How one request goes.
pub(super) enum Way {
    /// To its server, through a tunnel if there is a proxy.
    Straight(Option<Proxy>),
    ByProxy(ByProxy),
}

/// A request that the proxy itself gets.
pub(super) struct ByProxy {
    /// The proxy, with the path of what is asked for.
    pub(super) uri: Uri,
    /// Whom the request is for.
    pub(super) host: String,
    /// What the path is preceded by in the first line.
    pub(super) prefix: String,
    /// The value of `Proxy-Authorization`.
    pub(super) authorization: Option<String>,
}

/// # Errors
/// If it is no URL of a proxy, or of a kind that is not supported.
pub(super) fn way(proxy: &str, target: &Uri) -> Result<Way, Error> {
    if proxy.is_empty() {
        return Ok(Way::Straight(None));
    }
    let proxy = with_port(Proxy::new(proxy)?)?;
    let is_http = matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https);
    let (Some(host), true) = (target.authority(), is_http && target.scheme_str() == Some("http"))
    else {
        return Ok(Way::Straight(Some(proxy)));
    };
    let scheme = match proxy.protocol() {
        ProxyProtocol::Https => uri::Scheme::HTTPS,
        _ => uri::Scheme::HTTP,
    };
    let path = target.path_and_query().map_or("/", uri::PathAndQuery::as_str);
    let uri = Uri::builder()
        .scheme(scheme)
        .authority(format!("{}:{}", proxy.host(), proxy.port()))
        .path_and_query(path)
        .build()
        .map_err(|it: http::Error| Error::from(it))?;
    let pair = |(user, password): (&str, &str)| format!("{user}:{password}");
    let pair = match (proxy.username(), proxy.password()) {
        (None, None) => None,
        (user, password) => Some(pair((user.unwrap_or_default(), password.unwrap_or_default()))),
    };
    let authorization = pair.map(|it| format!("Basic {}", BASE64_STANDARD.encode(it)));
    let (host, prefix) = (host.to_string(), format!("http://{host}"));
    Ok(Way::ByProxy(ByProxy { uri, host, prefix, authorization }))
}

fn with_port(proxy: Proxy) -> Result<Proxy, Error> {
    let is_plain = proxy.protocol() == ProxyProtocol::Http;
    if !is_plain || proxy.uri().port().is_some() {
        return Ok(proxy);
    }
    let mut builder = Proxy::builder(ProxyProtocol::Http).host(proxy.host()).port(PORT);
    if let Some(user) = proxy.username() {
        builder = builder.username(user);
    }
    if let Some(password) = proxy.password() {
        builder = builder.password(password);
    }
    builder.build()
}

/// What the next request's path is to be preceded by, once.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix(Arc<Mutex<Option<String>>>);

impl Prefix {
    pub(super) fn set(&self, prefix: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = prefix;
    }

    fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Takes the TLS settings of all requests for those of the agent, which they are. Else each connection
/// would read the system's certificates anew, because the request's time limit makes its settings its
/// own: some 25 ms of work.
#[derive(Debug)]
pub(super) struct OneTls {
    inner: Box<dyn Connector<(), Out = Box<dyn Transport>>>,
    prefix: Prefix,
}

impl OneTls {
    pub(super) fn new(prefix: Prefix, verified: Verified) -> Self {
        let inner = if verified.peer == verified.host {
            Box::new(DefaultConnector::new())
        } else {
            tls::connector(verified)
        };
        Self { inner, prefix }
    }
}

impl Connector<()> for OneTls {
    type Out = Plain;

    fn connect(
        &self,
        of: &ConnectionDetails<'_>,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, Error> {
        let details = ConnectionDetails {
            uri: of.uri,
            addrs: of.addrs.clone(),
            config: of.config,
            request_level: false,
            resolver: of.resolver,
            now: of.now,
            timeout: of.timeout,
            current_time: Arc::clone(&of.current_time),
            run_connector: Arc::clone(&of.run_connector),
            register_shutdown: Arc::clone(&of.register_shutdown),
        };
        let inner = self.inner.connect(&details, chained)?;
        kept::connected();
        Ok(inner.map(|inner| Plain { inner, prefix: self.prefix.clone() }))
    }
}

/// A connection that writes whole URLs into the first line of requests where they are wanted.
#[derive(Debug)]
pub(super) struct Plain {
    inner: Box<dyn Transport>,
    prefix: Prefix,
}

impl Plain {
    /// The first piece of a request has its first line.
    fn transmit_with(
        &mut self,
        prefix: &str,
        amount: usize,
        timeout: NextTimeout,
    ) -> Result<(), Error> {
        let output = self.inner.buffers().output();
        let mut bytes = output.get(..amount).unwrap_or_default().to_vec();
        let path = bytes.iter().position(|it| *it == b' ').map_or(0, |it| it + 1);
        bytes.splice(path..path, prefix.bytes());
        for piece in bytes.chunks(amount.max(1)) {
            let output = self.inner.buffers().output();
            if let Some(room) = output.get_mut(..piece.len()) {
                room.copy_from_slice(piece);
            }
            self.inner.transmit_output(piece.len(), timeout)?;
        }
        Ok(())
    }
}

impl Transport for Plain {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        match self.prefix.take() {
            Some(prefix) => self.transmit_with(&prefix, amount, timeout),
            None => self.inner.transmit_output(amount, timeout),
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let has_come = self.inner.await_input(timeout)?;
        if has_come {
            kept::received();
        }
        Ok(has_come)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
