//! `/health` and `/metrics`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::content::RoleType;
use rt::health::Level;
use serde_json::json;

use crate::dispatch;
use crate::ports::ServerState;
use crate::shared::Shared;

/// 200 once values are accepted, unless a part has failed and does not come back by itself.
pub(super) async fn health(State(shared): State<Arc<Shared>>) -> Response {
    let process = &shared.ports.process;
    let troubles = process.troubles();
    let said = process.said();
    let is_well = said == ServerState::Running.as_str() || said == Level::Degraded.as_str();
    let status = if is_well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let troubles: Vec<_> = troubles
        .iter()
        .map(|it| json!({"part": it.part, "level": it.level.as_str(), "message": it.message}))
        .collect();
    let body = json!({"version": process.version(), "state": said, "troubles": troubles});
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// For collectors on this machine, and for super admins from anywhere.
pub(super) async fn metrics(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    let is_local = super::peer(request.extensions()).is_some_and(|it| it.ip().is_loopback())
        && !is_forwarded(request.headers());
    let sender = super::sender(request.method(), request.headers(), request.extensions());
    let may = is_local
        || dispatch::caller(&shared, &sender, None)
            .is_ok_and(|it| it.identity.role == RoleType::SuperAdmin);
    if !may {
        return super::failed(StatusCode::UNAUTHORIZED, "A token of a super admin is needed.");
    }
    let content_type = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (content_type, shared.ports.process.metrics()).into_response()
}

/// A proxy on this machine passes on requests from elsewhere.
fn is_forwarded(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "x-real-ip", "via"].iter().any(|it| headers.contains_key(*it))
}

pub(super) async fn no_route() -> Response {
    super::failed(StatusCode::NOT_FOUND, "There is nothing at this address.")
}
