//! Browsers of other origins: off unless the settings name them.
//!
//! Only the JSON-RPC API is open to them, and only with a token: no cookie is taken from another site.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use axum::middleware::Next;

use crate::cors::Cors;
use crate::shared::ApiState;

/// Where the API is.
pub(super) const PATHS: &[&str] = &["/api_jsonrpc.php", "/zabbix/api_jsonrpc.php"];

const ALLOWED: &[(header::HeaderName, &str)] = &[
    (header::ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type, Authorization"),
    (header::ACCESS_CONTROL_ALLOW_METHODS, "POST"),
    // As long as with Zabbix.
    (header::ACCESS_CONTROL_MAX_AGE, "1000"),
];

/// Answers preflights, and marks answers of the API for browsers of other origins.
pub(super) async fn share(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let cors = &shared.settings.cors;
    if *cors == Cors::None || !PATHS.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    let allowed = cors.allowed(request.headers());
    let mut response = if request.method() == Method::OPTIONS {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        response
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    if matches!(cors, Cors::Listed(_)) {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    if let Some(origin) = allowed {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        for (name, value) in ALLOWED {
            headers.insert(name.clone(), HeaderValue::from_static(value));
        }
    }
    response
}
