//! The workers of the server: `GET /api/v1/workers`, for super admins.

use serde_json::{Value, json};

use crate::error::ApiError;
use crate::ports::WorkerState;
use crate::shared::Ctx;

/// By name.
pub(super) fn list(ctx: &Ctx) -> Result<Value, ApiError> {
    if !ctx.is_super_admin() {
        return Err(ApiError::no_permissions());
    }
    let workers: Vec<Value> = ctx.ports().process.workers().iter().map(row).collect();
    Ok(json!({ "clock": ctx.now.clock(), "workers": workers }))
}

fn row(worker: &WorkerState) -> Value {
    let failing = worker.failing.as_ref();
    json!({
        "name": worker.name,
        "job": worker.row.job,
        "woken_by": worker.row.woken_by,
        "thread": worker.thread,
        "turns": worker.n_turns,
        "last_turn": worker.last_turn.map(|it| it.clock()),
        "failures": worker.n_failures,
        "put_aside": worker.n_put_aside,
        "failing": failing.map(|(since, why)| json!({ "since": since.clock(), "message": why })),
    })
}
