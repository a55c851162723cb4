//! Late items and the cost of checks: `GET /api/v1/queue?limit=…`, for super admins.
//!
//! The schedule is read once in [`AGE_MAX`] for all users who watch.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::snapshot::Host;
use model::{ItemId, Time};
use serde_json::{Value, json};

use super::request::{Params, number};
use crate::error::ApiError;
use crate::ports::{CollectorFigures, DeviceFigures, ItemFigures, QUEUE_CLASSES_S, QueueFigures};
use crate::shared::Ctx;

const ROWS: i64 = 100;
const ROWS_MAX: i64 = 1_000;
const AGE_MAX: Duration = Duration::from_secs(1);

/// The last answer.
#[derive(Debug, Default)]
pub(super) struct QueueCache(Mutex<Option<Arc<QueueFigures>>>);

impl QueueCache {
    /// Callers that arrive during a computation wait for its result.
    fn get(&self, ctx: &Ctx) -> Arc<QueueFigures> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |it: &&Arc<QueueFigures>| {
            let age_ns = ctx.now.since_ns(it.time);
            (0..i64::try_from(AGE_MAX.as_nanos()).unwrap_or(0)).contains(&age_ns)
        };
        if let Some(it) = kept.as_ref().filter(is_new) {
            return Arc::clone(it);
        }
        let n_max = usize::try_from(ROWS_MAX).unwrap_or(0);
        let found = Arc::new(ctx.ports().polling.queue(n_max));
        *kept = Some(Arc::clone(&found));
        found
    }
}

pub(super) fn queue(ctx: &Ctx, params: &Params, cache: &QueueCache) -> Result<String, ApiError> {
    if !ctx.is_super_admin() {
        return Err(ApiError::no_permissions());
    }
    let limit = usize::try_from(number(params, "limit", ROWS, ROWS_MAX)?).unwrap_or(0);
    let figures = cache.get(ctx);
    let kind = |(kind, counts): &(model::content::ItemType, [u64; QUEUE_CLASSES_S.len()])| json!({ "type": kind.code(), "counts": counts });
    let latest = figures.latest.iter().take(limit);
    let answer = json!({
        "clock": figures.time.clock(),
        "classes_s": QUEUE_CLASSES_S,
        "late": figures.n_late,
        "kinds": figures.kinds.iter().map(kind).collect::<Vec<_>>(),
        "latest": latest.filter_map(|it| late(ctx, it, figures.time)).collect::<Vec<_>>(),
        "period_s": figures.period.as_secs(),
        "collectors": figures.collectors.iter().map(collector).collect::<Vec<_>>(),
        "devices": figures.devices.iter().filter_map(|it| device(ctx, it)).collect::<Vec<_>>(),
        "items": figures.items.iter().filter_map(|it| item(ctx, it)).collect::<Vec<_>>(),
    });
    Ok(answer.to_string())
}

/// An item with its host, as rows name them.
fn named(ctx: &Ctx, id: ItemId) -> Option<Value> {
    let (holder, row) = ctx.snapshot.item(id)?;
    Some(json!({
        "itemid": id.to_string(), "name": row.name(), "key": row.key(), "type": row.content.kind.code(),
        "hostid": holder.id.to_string(), "host": holder.name,
    }))
}

fn late(ctx: &Ctx, (id, due): &(ItemId, Time), now: Time) -> Option<Value> {
    let mut row = named(ctx, *id)?;
    row["due"] = due.clock().into();
    row["delay_s"] = now.clock().saturating_sub(due.clock()).into();
    Some(row)
}

fn collector(it: &CollectorFigures) -> Value {
    json!({
        "name": it.name, "jobs": it.n_jobs, "jobs_max": it.jobs_max, "checks": it.n_checks,
        "timeouts": it.n_timeouts, "busy_s": it.busy.as_secs_f64(), "failing": it.n_failing,
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn device(ctx: &Ctx, it: &DeviceFigures) -> Option<Value> {
    let holder = ctx.snapshot.hosts.get(&it.host)?;
    let slowest = holder.item(it.slowest);
    Some(json!({
        "hostid": holder.id.to_string(), "host": holder.name, "interfaceid": it.interface.to_string(),
        "address": address(holder, it), "collector": it.collector, "failing": it.is_failing,
        "jobs": it.n_jobs, "checks": it.n_checks, "failed": it.n_failed, "timeouts": it.n_timeouts,
        "mean_ms": milliseconds(it.mean), "max_ms": milliseconds(it.max), "share": it.share,
        "slowest": slowest.map(|row| json!({
            "itemid": row.id.to_string(), "name": row.name(), "key": row.key(),
        })),
    }))
}

/// As it is configured: macros are not resolved.
fn address(holder: &Host, it: &DeviceFigures) -> String {
    let interface =
        holder.interfaces.iter().find(|interface| interface.interfaceid == it.interface);
    interface.map_or_else(String::new, |interface| {
        let address = if interface.useip { &interface.ip } else { &interface.dns };
        if address.contains(':') {
            format!("[{address}]:{}", interface.port)
        } else {
            format!("{address}:{}", interface.port)
        }
    })
}

fn item(ctx: &Ctx, it: &ItemFigures) -> Option<Value> {
    let mut row = named(ctx, it.item)?;
    row["share"] = it.share.into();
    row["mean_ms"] = milliseconds(it.mean).into();
    row["max_ms"] = milliseconds(it.max).into();
    Some(row)
}
