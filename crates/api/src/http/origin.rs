//! The origin of a request: the peer, or the address that a trusted reverse proxy gives.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, Request};
use model::networks::Networks;

use crate::shared::ApiState;

/// A mark of requests that came over TLS to this server itself.
#[derive(Clone, Copy)]
pub(super) struct Encrypted;

/// Where a request comes from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Origin {
    pub(crate) ip: Option<IpAddr>,
    /// The browser speaks TLS, with this server or with a proxy that is believed.
    pub(crate) is_https: bool,
}

/// Puts it into the request.
pub(super) async fn note(
    State(shared): State<Arc<ApiState>>,
    mut request: Request<Body>,
) -> Request<Body> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|it| it.0.ip());
    let mut origin = of(peer, request.headers(), &shared.settings.trusted_proxies);
    origin.is_https |= request.extensions().get::<Encrypted>().is_some();
    request.extensions_mut().insert(origin);
    request
}

fn of(peer: Option<IpAddr>, headers: &HeaderMap, trusted: &Networks) -> Origin {
    let peer = peer.map(|it| it.to_canonical());
    if !peer.is_some_and(|it| trusted.contains(it)) {
        return Origin { ip: peer, is_https: false };
    }
    let mut ip = peer;
    // Each proxy adds its peer at the end; any client may have written the entries before the first one that
    // is not trusted.
    for name in values(headers, "x-forwarded-for").into_iter().rev() {
        let Some(named) = address(name) else { break };
        ip = Some(named);
        if !trusted.contains(named) {
            break;
        }
    }
    let is_https = values(headers, "x-forwarded-proto")
        .last()
        .is_some_and(|it| it.eq_ignore_ascii_case("https"));
    Origin { ip, is_https }
}

/// The parts of a header that may be given several times.
fn values<'h>(headers: &'h HeaderMap, name: &str) -> Vec<&'h str> {
    let lines = headers.get_all(name).iter().filter_map(|it| it.to_str().ok());
    lines.flat_map(|it| it.split(',')).map(str::trim).collect()
}

/// Some proxies write the port as well.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    let bare = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(with_port).map(|it: IpAddr| it.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = list.iter();
        let pairs = pairs
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        // Several of one name stay.
        let mut headers = HeaderMap::new();
        pairs.for_each(|(name, value)| {
            headers.append(name, value);
        });
        headers
    }

    #[test]
    fn only_headers_added_by_trusted_proxies_count() {
        let trusted: Networks = "10.0.0.0/8, ::1".parse().expect("networks");
        let claims = [
            ("x-forwarded-for", "1.1.1.1, 192.0.2.7"),
            ("x-forwarded-for", "10.0.0.2"),
            ("x-forwarded-proto", "https"),
        ];
        for (peer, list, ip, is_https) in [
            ("192.0.2.1", &claims[..], "192.0.2.1", false),
            ("127.0.0.1", &claims[..], "127.0.0.1", false),
            ("10.0.0.1", &claims[..], "192.0.2.7", true),
            ("::ffff:10.0.0.1", &claims[..], "192.0.2.7", true),
            ("10.0.0.1", &[], "10.0.0.1", false),
            ("10.0.0.1", &[("x-forwarded-for", "192.0.2.7, nonsense")], "10.0.0.1", false),
            ("10.0.0.1", &[("x-forwarded-for", "192.0.2.7:4711")], "192.0.2.7", false),
            ("::1", &[("x-forwarded-for", "[2001:db8::1]")], "2001:db8::1", false),
            ("::1", &[("x-forwarded-proto", "https, http")], "::1", false),
        ] {
            let ip = Some(ip.parse().expect("an address"));
            let peer = Some(peer.parse().expect("an address"));
            assert_eq!(of(peer, &headers(list), &trusted), Origin { ip, is_https }, "{peer:?}");
        }
    }
}
