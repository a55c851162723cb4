//! The explained event, and the answers of other methods about it.

use db::Problem;
use db::events::EventRow;
use serde_json::Value;

use crate::dispatch::check_role;
use crate::error::{ApiError, ErrorClass};
use crate::json::Fields;
use crate::registry;
use crate::shared::Ctx;

/// The explained event.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) ctx: &'a Ctx,
    pub(super) row: &'a EventRow,
    /// Its problem.
    pub(super) problem: Option<&'a Problem>,
    /// As `event.get` shows it.
    pub(super) shown: &'a Fields,
}

/// The rows that a method of JSON-RPC returns to this caller; none where its role may not call it.
pub(super) fn rows(ctx: &Ctx, name: &str, params: &Value) -> Result<Vec<Fields>, ApiError> {
    let Some(method) = registry::method(name) else { return Ok(Vec::new()) };
    if check_role(&ctx.shared, method, &ctx.caller).is_err() {
        return Ok(Vec::new());
    }
    let written = method.run.answer(ctx, params)?.into_text().into_bytes();
    serde_json::from_slice(&written).map_err(|error| {
        tracing::error!(%error, method = name, "the answer of an internal call is no list of objects");
        ApiError::new(ErrorClass::Internal, "The server failed on this call; its log says more.")
    })
}
