//! `/health` and `/metrics`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::content::RoleType;
use rt::health::Level;
use serde_json::json;

use super::body::failed;
use super::sender::sender;
use crate::dispatch;
use crate::ports::{Process, ServerState};
use crate::shared::ApiState;

/// 200 once values are accepted, unless a part has failed and does not come back by itself.
pub(super) async fn health(State(shared): State<Arc<ApiState>>) -> Response {
    let process = &shared.ports.process;
    let issues = process.issues();
    let said = process.said();
    let is_well = said == ServerState::Running.as_str() || said == Level::Degraded.as_str();
    let status = if is_well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let issues: Vec<_> = issues
        .iter()
        .map(|it| json!({"part": it.part, "level": it.level.as_str(), "message": it.message}))
        .collect();
    // The state of the database for the pages. Reasons are for operators: they are among the issues.
    let database = shared.db.absence();
    let database =
        database.map(|it| json!({"since": it.since.clock(), "answers_reads": it.answers_reads}));
    let body = json!({
        "version": process.version(),
        "state": said,
        "issues": issues,
        "database": database,
    });
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// For super admins. A local address proves nothing: it may be that of a reverse proxy.
pub(super) async fn metrics(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
) -> Response {
    let sender = sender(request.method(), request.headers(), request.extensions());
    let caller = dispatch::caller(&shared, &sender, None);
    if !caller.is_ok_and(|it| it.identity.role == RoleType::SuperAdmin) {
        let what = "A token of a super admin is needed; metrics.listen opens a port without.";
        return failed(StatusCode::UNAUTHORIZED, what);
    }
    shown(&*shared.ports.process)
}

pub(super) fn shown(process: &dyn Process) -> Response {
    let content_type = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (content_type, process.metrics()).into_response()
}

pub(super) async fn no_route() -> Response {
    failed(StatusCode::NOT_FOUND, "There is nothing at this address.")
}
