//! The routes, and headers that every answer has.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::{from_fn_with_state, map_request_with_state, map_response_with_state};
use axum::response::Response;
use axum::routing::{any, get, post};

use super::{assets, cors, counted, origin, policy, reference, rpc, series, status, unread};
use crate::native::{self, Native};
use crate::ports::Process;
use crate::registry;
use crate::shared::{ApiParts, ApiState};

/// All routes.
pub fn router(parts: ApiParts) -> Router {
    let shared = ApiState::new(parts, registry::BY_NAME);
    Router::new()
        .route(cors::PATHS[0], post(rpc::answer))
        .route(cors::PATHS[1], post(rpc::answer))
        .route("/health", get(status::health))
        .route("/metrics", get(status::metrics))
        .route("/api/v1/write", post(series::remote_write))
        .route("/api/v1/otlp/v1/metrics", post(series::otlp))
        .route("/v1/metrics", post(series::otlp))
        .nest("/api/v1", native::routes().with_state(Native::new(&shared)))
        .route("/docs/api/openrpc.json", get(reference::serve))
        .route("/api/{*rest}", any(status::no_route))
        .fallback(get(assets::serve))
        .layer(from_fn_with_state(Arc::clone(&shared), unread::read_out))
        .layer(from_fn_with_state(Arc::clone(&shared), counted::bounded))
        .layer(from_fn_with_state(Arc::clone(&shared), cors::share))
        .layer(map_response_with_state(Arc::clone(&shared), with_common_headers))
        .layer(map_request_with_state(Arc::clone(&shared), origin::note))
        .with_state(shared)
}

/// Only `/metrics`, without a login: for a port of its own.
pub fn metrics_router(process: Arc<dyn Process>) -> Router {
    let show = move || async move { status::shown(&*process) };
    Router::new().route("/metrics", get(show)).fallback(any(status::no_route))
}

const COMMON_HEADERS: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

async fn with_common_headers(
    State(shared): State<Arc<ApiState>>,
    mut response: Response,
) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy::policy(&shared.db.snapshot()));
    for (name, value) in COMMON_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
