//! The sender of a request, and its address.

use axum::http::{Extensions, HeaderMap, Method, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::origin::Origin;
use crate::dispatch::Sender;

/// The browser's session.
pub(crate) const COOKIE: &str = "saker_session";
/// Requests that change something and rely on the cookie have to carry this header: other sites
/// cannot set it.
pub(crate) const OWN_PAGES: (&str, &str) = ("x-requested-with", "saker");

/// The sender of a request.
pub(crate) fn sender(method: &Method, headers: &HeaderMap, extensions: &Extensions) -> Sender {
    let is_safe = matches!(*method, Method::GET | Method::HEAD);
    let is_own = headers.get(OWN_PAGES.0).is_some_and(|it| it == OWN_PAGES.1);
    Sender {
        bearer: bearer(headers),
        cookie: cookie(headers).filter(|_| is_safe || is_own),
        ip: ip(extensions),
    }
}

/// Where a request comes from.
pub(crate) fn origin(extensions: &Extensions) -> Origin {
    extensions.get().copied().unwrap_or_default()
}

/// … as text.
pub(crate) fn ip(extensions: &Extensions) -> String {
    origin(extensions).ip.map_or_else(String::new, |it| it.to_string())
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then(|| token.to_owned())
}

fn cookie(headers: &HeaderMap) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
    let mut pairs = all.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
    let found = pairs.find(|(name, value)| *name == COOKIE && !value.is_empty());
    found.map(|(_, value)| value.to_owned())
}

/// The password of basic authentication: pushes may have their token there.
pub(super) fn basic_password(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, given) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let given = String::from_utf8(STANDARD.decode(given.trim()).ok()?).ok()?;
    let (_, password) = given.split_once(':')?;
    (!password.is_empty()).then(|| password.to_owned())
}
