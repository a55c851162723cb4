//! The HTTP surface: routes, who sent a request, headers that every answer has.

mod assets;
mod body;
mod origin;
mod rpc;
mod serve;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{map_request_with_state, map_response};
use axum::response::Response;
use axum::routing::{any, get, post};

use crate::dispatch::Sender;
use crate::native;
use crate::ports::Process;
use crate::shared::{ApiParts, Shared};

pub(crate) use origin::Origin;
pub use serve::{ServeSettings, serve};

pub(crate) use body::{accepts_gzip, failed, json_answer, read_json, text_answer};

/// The browser's session.
pub(crate) const COOKIE: &str = "saker_session";
/// Requests that change something and rely on the cookie have to carry this header: other sites
/// cannot set it.
pub(crate) const OWN_PAGES: (&str, &str) = ("x-requested-with", "saker");

/// All routes.
pub fn router(parts: ApiParts) -> Router {
    let shared = Shared::new(parts);
    Router::new()
        .route("/api_jsonrpc.php", post(rpc::answer))
        .route("/zabbix/api_jsonrpc.php", post(rpc::answer))
        .route("/health", get(status::health))
        .route("/metrics", get(status::metrics))
        .nest("/api/v1", native::routes())
        .route("/api/{*rest}", any(status::no_route))
        .fallback(get(assets::serve))
        .layer(map_response(with_common_headers))
        .layer(map_request_with_state(Arc::clone(&shared), origin::note))
        .with_state(shared)
}

/// Nothing but `/metrics`, open to whoever gets here: for a port of its own.
pub fn metrics_router(process: Arc<dyn Process>) -> Router {
    let show = move || async move { status::shown(&*process) };
    Router::new().route("/metrics", get(show)).fallback(any(status::no_route))
}

/// Scripts, styles and everything else come from here alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
     worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const COMMON_HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

async fn with_common_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in COMMON_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Who sent a request.
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
