//! Internal items, `zabbix[...]`: how the server itself is doing.
//!
//! Queue, availability and a host's own counts are known to the collectors; the rest is here, one
//! arm a key. Zabbix's keys mean what they mean there; `shard` and `journal` are ours.

use std::sync::Arc;

use collect::ports::{Answer, Internals, not_supported};
use db::Db;
use model::HostId;
use model::batch::OwnedRaw;
use model::content::{HostStatus, ItemStatus, TriggerStatus};
use model::key::ItemKey;
use rt::clock::Clock;

use super::figures;
use super::shard::ShardMetrics;

pub(super) struct ServerInternals {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) figures: Arc<figures::Shared>,
    pub(super) metrics: ShardMetrics,
    /// When the process started, seconds since 1970.
    pub(super) started: i64,
}

impl Internals for ServerInternals {
    fn value(&self, key: &ItemKey, _host: HostId) -> Answer {
        let figures = self.figures.figures();
        match key.param(0) {
            "version" => OwnedRaw::Text(env!("CARGO_PKG_VERSION").to_owned()),
            "uptime" => OwnedRaw::Unsigned(self.clock.mono_ns() / 1_000_000_000),
            "boottime" => OwnedRaw::Unsigned(u64::try_from(self.started).unwrap_or(0)),
            "wcache" if key.param(1) == "values" => self.values(key.param(2)),
            "requiredperformance" => OwnedRaw::Float(figures.required_values_per_second),
            "hosts" => OwnedRaw::Unsigned(self.n_hosts()),
            "items" => OwnedRaw::Unsigned(self.n_items()),
            "items_unsupported" => OwnedRaw::Unsigned(figures.items_unsupported),
            "triggers" => OwnedRaw::Unsigned(self.n_triggers()),
            "shard" if key.param(1) == "busy" => busy(&figures.shards, key.param(2)),
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of lag")]
            "journal" if key.param(1) == "lag" => {
                OwnedRaw::Float(figures.journal_lag_ms as f64 / 1e3)
            }
            "journal" if key.param(1) == "bytes" => OwnedRaw::Unsigned(figures.journal_bytes),
            "" => not_supported("Invalid number of parameters."),
            _ => not_supported("Invalid first parameter."),
        }
    }
}

impl ServerInternals {
    /// Values processed since the start, all or of one type.
    fn values(&self, mode: &str) -> Answer {
        let of = |kind: &str| self.metrics.kinds_total.of(kind).get();
        match mode {
            "" | "all" => OwnedRaw::Unsigned(self.metrics.processed_total.get()),
            "float" | "uint" | "str" | "log" | "text" => OwnedRaw::Unsigned(of(mode)),
            "not supported" => OwnedRaw::Unsigned(of("unsupported")),
            _ => not_supported("Invalid third parameter."),
        }
    }

    fn n_hosts(&self) -> u64 {
        let snapshot = self.db.snapshot();
        let monitored = snapshot.hosts.values().filter(|it| it.status == HostStatus::Monitored);
        monitored.count() as u64
    }

    fn n_items(&self) -> u64 {
        let snapshot = self.db.snapshot();
        let monitored = snapshot.hosts.values().filter(|it| it.status == HostStatus::Monitored);
        let items = monitored.flat_map(|host| &host.items);
        items.filter(|it| it.is_live() && it.content.status == ItemStatus::Enabled).count() as u64
    }

    fn n_triggers(&self) -> u64 {
        let snapshot = self.db.snapshot();
        let monitored = snapshot.hosts.values().filter(|it| it.status == HostStatus::Monitored);
        let triggers = monitored.flat_map(|host| &host.triggers);
        let enabled =
            triggers.filter(|it| it.is_live() && it.content.status == TriggerStatus::Enabled);
        enabled.count() as u64
    }
}

/// Percent of time at work: of one shard, or the mean of all.
fn busy(shards: &[api::ports::ShardFigures], number: &str) -> Answer {
    if number.is_empty() {
        #[expect(clippy::cast_precision_loss, reason = "a handful of shards")]
        let n = shards.len().max(1) as f64;
        return OwnedRaw::Float(shards.iter().map(|it| it.busy_percent).sum::<f64>() / n);
    }
    let shard = number.parse::<u32>().ok().and_then(|id| shards.iter().find(|it| it.id == id));
    match shard {
        Some(it) => OwnedRaw::Float(it.busy_percent),
        None => not_supported("Invalid third parameter."),
    }
}
