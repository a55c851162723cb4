//! Disk use of history, its retention, and the time until the disk is full. For super admins.
//!
//! - `GET /api/v1/storage` answers from the list of files, which is in memory.
//! - `GET /api/v1/storage/largest` reads directories of files, [`READ_MAX`] bytes at most, once in [`KEPT_S`]
//!   seconds for everybody, and one at a time.

mod forecast;

use std::collections::BTreeMap;
use std::sync::{Mutex, TryLockError};

use history::{FileStats, Shares, StoredKind};
use model::map::Map;
use model::{HostId, ItemId, Retention};
use serde_json::{Value, json};

use self::forecast::Forecast;
use crate::error::{ApiError, ErrorClass};
use crate::ports::StorageFigures;
use crate::shared::Ctx;

const DAY_S: i64 = 86_400;
/// Days whose bytes are shown.
const DAYS: i64 = 14;
/// The most items and hosts of the largest.
const ROWS_MAX: usize = 100;
/// The bytes that are read for one answer: some 0.2 s of a core. The rest is estimated.
const READ_MAX: u64 = 64 << 20;
const KEPT_S: i64 = 600;

/// The largest items as they were counted last, and when.
#[derive(Debug, Default)]
pub(super) struct LargestCache(Mutex<Option<(i64, String)>>);

fn allowed(ctx: &Ctx) -> Result<(), ApiError> {
    if ctx.is_super_admin() { Ok(()) } else { Err(ApiError::no_permissions()) }
}

pub(super) fn storage(ctx: &Ctx) -> Result<String, ApiError> {
    allowed(ctx)?;
    let figures = ctx.ports().storage.figures();
    let now = ctx.now.clock();
    let housekeeping = &ctx.snapshot.globals.settings.housekeeping;
    let classes = classes(&figures.files);
    let sum = |stored: StoredKind, of: fn(&FileStats) -> u64| -> u64 {
        figures.files.iter().filter(|it| it.stored == stored).map(of).sum()
    };
    let expires = |stored| match stored {
        StoredKind::Values => housekeeping.expires_history,
        StoredKind::Trends => housekeeping.expires_trends,
    };
    let listed: Vec<Value> = classes
        .iter()
        .map(|((stored, retention), files)| class_json((*stored, *retention), files, now))
        .collect();
    let growths = classes.iter().map(|((stored, retention), files)| {
        forecast::growth(files, *retention, expires(*stored), now)
    });
    let forecast = if figures.keeps_history {
        forecast::forecast(&growths.collect::<Vec<_>>(), &figures)
    } else {
        Forecast::Unknown
    };
    let answer = json!({
        "clock": now,
        "keeps_history": figures.keeps_history,
        "stores": stores(&figures),
        "values": {
            "bytes": sum(StoredKind::Values, |it| it.n_bytes),
            "count": sum(StoredKind::Values, |it| it.n_values),
        },
        "trends": {
            "bytes": sum(StoredKind::Trends, |it| it.n_bytes),
            "count": sum(StoredKind::Trends, |it| it.n_values),
        },
        "files": figures.files.len(),
        "journal_bytes": figures.journal_bytes,
        "database": { "kind": figures.database.0, "bytes": figures.database.1 },
        "disk": figures.disk.map(|(free, total)| json!({"free_bytes": free, "total_bytes": total})),
        "budget_bytes": Some(figures.budget_bytes).filter(|it| *it > 0),
        "retention": {
            "history_s": housekeeping.history_s,
            "trends_s": housekeeping.trends_s,
            "expires_history": housekeeping.expires_history,
            "expires_trends": housekeeping.expires_trends,
        },
        "classes": listed,
        "days": days(&classes, now),
        "forecast": forecast.json(),
    });
    Ok(answer.to_string())
}

type Classes<'a> = BTreeMap<(StoredKind, Retention), Vec<&'a FileStats>>;

fn classes(files: &[FileStats]) -> Classes<'_> {
    let mut classes = Classes::new();
    for file in files {
        classes.entry((file.stored, file.retention)).or_default().push(file);
    }
    classes
}

fn kind(stored: StoredKind) -> &'static str {
    match stored {
        StoredKind::Values => "values",
        StoredKind::Trends => "trends",
    }
}

fn class_json(
    (stored, retention): (StoredKind, Retention),
    files: &[&FileStats],
    now: i64,
) -> Value {
    let sum = |of: fn(&FileStats) -> u64| -> u64 { files.iter().map(|it| of(it)).sum() };
    json!({
        "kind": kind(stored),
        "days": retention.days(),
        "files": files.len(),
        "bytes": sum(|it| it.n_bytes),
        "count": sum(|it| it.n_values),
        "oldest": files.iter().map(|it| it.oldest.clock()).min(),
        "newest": files.iter().map(|it| it.newest.clock()).max(),
        "bytes_per_day": forecast::bytes_per_day(files, now),
    })
}

/// Bytes of values by their day (UTC), a number for each class: a file's are spread evenly over its time.
fn days(classes: &Classes<'_>, now: i64) -> Vec<Value> {
    let today = now.div_euclid(DAY_S) * DAY_S;
    let day = |back: i64| {
        let from = today - back * DAY_S;
        let bytes: Vec<u64> = classes
            .values()
            .map(|files| forecast::bytes_between(files, from, from + DAY_S))
            .collect();
        json!({ "clock": from, "bytes": bytes })
    };
    (0..DAYS).rev().map(day).collect()
}

fn stores(figures: &StorageFigures) -> Vec<Value> {
    let listed = |(name, is_read): &(&str, bool)| json!({ "name": name, "is_read": is_read });
    figures.stores.iter().map(listed).collect()
}

pub(super) fn largest(ctx: &Ctx, cache: &LargestCache) -> Result<String, ApiError> {
    allowed(ctx)?;
    let mut kept = match cache.0.try_lock() {
        Ok(it) => it,
        Err(TryLockError::Poisoned(it)) => it.into_inner(),
        Err(TryLockError::WouldBlock) => {
            return Err(ApiError::new(
                ErrorClass::System,
                "The largest items are being counted, try again.",
            ));
        }
    };
    let now = ctx.now.clock();
    if let Some((clock, text)) = &*kept
        && (0..KEPT_S).contains(&(now - clock))
    {
        return Ok(text.clone());
    }
    let text = count(ctx, &ctx.ports().storage.shares(READ_MAX), now).to_string();
    *kept = Some((now, text.clone()));
    Ok(text)
}

fn count(ctx: &Ctx, shares: &Shares, now: i64) -> Value {
    let mut hosts = Map::<HostId, (u64, u64)>::default();
    let mut items = Vec::new();
    let mut deleted_bytes = 0;
    for (id, bytes) in &shares.bytes {
        let Some((holder, _)) = ctx.snapshot.item(ItemId(*id)) else {
            deleted_bytes += bytes;
            continue;
        };
        items.push((*bytes, *id));
        let host = hosts.entry(holder.id).or_default();
        host.0 += bytes;
        host.1 += 1;
    }
    items.sort_unstable_by(|a, b| b.cmp(a));
    let mut hosts: Vec<_> =
        hosts.into_iter().map(|(id, (bytes, items))| (bytes, items, id)).collect();
    hosts.sort_unstable_by(|a, b| b.cmp(a));
    let item = |(bytes, id): &(u64, u64)| {
        let (holder, row) = ctx.snapshot.item(ItemId(*id))?;
        Some(json!({
            "itemid": id.to_string(), "name": row.name(), "key": row.key(),
            "hostid": holder.id.to_string(), "host": holder.name, "bytes": bytes,
            "history": row.content.history, "trends": row.content.trends,
        }))
    };
    let host = |(bytes, items, id): &(u64, u64, HostId)| {
        let holder = ctx.snapshot.hosts.get(id)?;
        Some(json!({
            "hostid": id.to_string(), "name": holder.name, "bytes": bytes, "items": items,
        }))
    };
    json!({
        "clock": now,
        "seen_bytes": shares.seen_bytes,
        "all_bytes": shares.all_bytes,
        "is_exact": shares.is_exact,
        "deleted_bytes": deleted_bytes,
        "items": items.iter().take(ROWS_MAX).filter_map(item).collect::<Vec<_>>(),
        "hosts": hosts.iter().take(ROWS_MAX).filter_map(host).collect::<Vec<_>>(),
    })
}
