//! What the pages use where JSON-RPC is the wrong shape: columns, series, live deltas.

mod session;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::shared::Shared;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/login", post(session::login))
        .route("/logout", post(session::logout))
        .route("/session", get(session::session))
}
