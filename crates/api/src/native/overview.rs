//! The first page's figures: what the user may see of hosts and problems, and the server itself.

use std::sync::{Mutex, PoisonError};

use model::UserId;
use model::map::Map;
use serde_json::{Value, json};

use super::problems;
use crate::objects::scope::is_monitored;
use crate::objects::{holder, item, trigger};
use crate::ports::Figures;
use crate::shared::Ctx;

/// Counts that cost a walk over the configuration: kept by user until it changes.
#[derive(Debug, Default)]
pub(crate) struct CountsCache(Mutex<Map<UserId, Counts>>);

/// Users whose counts are kept; with more, all are counted anew.
const USERS_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug)]
struct Counts {
    epoch: u64,
    hosts: u64,
    /// Enabled items of monitored hosts.
    items: u64,
    triggers: u64,
}

impl CountsCache {
    fn get(&self, ctx: &Ctx) -> Counts {
        let user = ctx.rights.userid;
        let epoch = ctx.snapshot.epoch;
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&user).copied();
        if let Some(counts) = known.filter(|it| it.epoch == epoch) {
            return counts;
        }
        let counts = count(ctx);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= USERS_MAX {
            kept.clear();
        }
        kept.insert(user, counts);
        counts
    }
}

fn count(ctx: &Ctx) -> Counts {
    let mut counts = Counts { epoch: ctx.snapshot.epoch, hosts: 0, items: 0, triggers: 0 };
    let n = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    for host in ctx.snapshot.hosts.values().filter(|it| ctx.may_read(it)) {
        counts.hosts += 1;
        if is_monitored(host) {
            let items = host.items.iter();
            let is_counted =
                |it: &&model::snapshot::ItemRow| holder::is_item(it.flags) && item::is_enabled(it);
            counts.items += n(items.filter(is_counted).count());
            counts.triggers += n(trigger::live(host).filter(|it| trigger::is_enabled(it)).count());
        }
    }
    counts
}

/// Hosts that answer, and hosts of which an interface does not.
fn availability(ctx: &Ctx) -> (u64, u64) {
    let (mut available, mut unavailable) = (0, 0);
    let hosts = ctx.snapshot.hosts.values().filter(|it| is_monitored(it) && ctx.may_read(it));
    for host in hosts {
        match holder::availability(ctx, host) {
            1 => available += 1,
            2 => unavailable += 1,
            _ => {}
        }
    }
    (available, unavailable)
}

fn unsupported(ctx: &Ctx, figures: &Figures) -> u64 {
    if ctx.is_super_admin() {
        return figures.items_unsupported;
    }
    let hosts = ctx.snapshot.hosts.values().filter(|it| is_monitored(it) && ctx.may_read(it));
    let items = hosts.flat_map(|it| it.items.iter());
    let is_counted = |it: &&model::snapshot::ItemRow| {
        holder::is_item(it.flags) && item::is_enabled(it) && ctx.ports().live.is_unsupported(it.id)
    };
    u64::try_from(items.filter(is_counted).count()).unwrap_or(u64::MAX)
}

pub(super) fn overview(ctx: &Ctx) -> Value {
    let process = &ctx.ports().process;
    let figures = process.figures();
    let counts = ctx.shared.counts.get(ctx);
    let (available, unavailable) = availability(ctx);
    let unsupported = unsupported(ctx, &figures).min(counts.items);
    let shards: Vec<Value> = figures
        .shards
        .iter()
        .map(|it| json!({"id": it.id, "busy_percent": it.busy_percent, "queue": it.queue}))
        .collect();
    let by_severity: Vec<Value> = problems::by_severity(ctx)
        .iter()
        .enumerate()
        .map(|(severity, (total, acknowledged))| {
            json!({"severity": severity, "total": total, "acknowledged": acknowledged})
        })
        .collect();
    let nvps = process.nvps();
    json!({
        "system": {
            "version": process.version(),
            "state": process.state().as_str(),
            "uptime_s": figures.uptime_s,
            "hosts_total": counts.hosts,
            "hosts_available": available,
            "hosts_unavailable": unavailable,
            "items_total": counts.items,
            "items_supported": counts.items - unsupported,
            "items_unsupported": unsupported,
            "triggers_total": counts.triggers,
            "values_total": figures.values_total,
            "values_per_second": figures.values_per_second,
            "required_values_per_second": figures.required_values_per_second,
            "journal": {"bytes": figures.journal_bytes, "lag_ms": figures.journal_lag_ms},
            "shards": shards,
            "queue_overdue": figures.queue_overdue,
            "memory_bytes": figures.memory_bytes,
            "cpu_percent": figures.cpu_percent,
        },
        "problems_by_severity": by_severity,
        "nvps": {"t": nvps.times, "v": nvps.values},
    })
}
