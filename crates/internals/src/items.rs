//! Internal items, `zabbix[...]`: how the server itself is doing.
//!
//! Queue, availability and a host's own counts are in the collectors; the rest is here, one arm a
//! key. Zabbix's keys have Zabbix's meaning; `shard`, `journal`, `spool` and `health` are Saker's.
//! Keys of parts that Saker does not have return the reason; unknown keys are an error.

mod processes;
mod spool;

use std::fmt;
use std::sync::{Arc, Mutex};

use collect::ports::{CheckAnswer, Internals, not_supported};
use engine::shard::ShardMetrics;
use engine::states::States;
use model::HostId;
use model::batch::OwnedRaw;
use model::content::HostStatus;
use model::figures::ShardFigures;
use model::key::ItemKey;
use model::snapshot::{ItemRow, Snapshot};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use serde_json::json;

use crate::Watched;
use crate::figures::PublishedFigures;
use processes::Processes;
use spool::Spool;

/// The sources of values.
#[derive(Debug)]
pub struct InternalsParts {
    pub running: Watched,
    pub states: Arc<States>,
    pub clock: Clock,
    pub figures: Arc<PublishedFigures>,
    pub metrics: ShardMetrics,
    pub registry: Registry,
    pub health: Health,
    /// Most connections at the trapper port.
    pub connections_max: u32,
    /// Workers for heavy steps.
    pub n_workers: usize,
}

/// Answers internal items.
pub struct ServerInternals {
    running: Watched,
    states: Arc<States>,
    clock: Clock,
    figures: Arc<PublishedFigures>,
    metrics: ShardMetrics,
    spool: Spool,
    processes: Processes,
    /// When the process started, seconds since 1970.
    started: i64,
}

/// First parameters of Zabbix's keys for parts that Saker does not have.
const ABSENT: &[(&str, &str)] = &[
    ("cluster", "Saker has no cluster of servers."),
    ("preprocessing_throughput", "Saker does not count bytes of preprocessing."),
    ("proxy", "Saker has no proxies yet."),
    ("proxy group", "Saker has no proxies yet."),
    ("proxy_buffer", "This is a server: only proxies have a buffer."),
    ("proxy_history", "This is a server: only proxies have a history to send."),
    (
        "rcache",
        "The configuration has no buffer of a fixed size: see the metric process_resident_memory_bytes.",
    ),
    ("tcache", "Functions over trends have no cache: trends are read from the store each time."),
    ("vmware", "Saker does not collect from VMware."),
];

impl fmt::Debug for ServerInternals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerInternals").field("started", &self.started).finish_non_exhaustive()
    }
}

impl Internals for ServerInternals {
    fn value(&self, key: &ItemKey, _host: HostId) -> CheckAnswer {
        let figures = self.figures.figures();
        let first = key.param(0);
        match first {
            "version"
            | "uptime"
            | "boottime"
            | "hosts"
            | "items"
            | "items_unsupported"
            | "triggers"
            | "preprocessing_queue"
                if key.params.len() != 1 =>
            {
                not_supported("Invalid number of parameters.")
            }
            "version" => OwnedRaw::Text(env!("CARGO_PKG_VERSION").to_owned()),
            "uptime" => OwnedRaw::Unsigned(self.clock.mono_ns() / 1_000_000_000),
            "boottime" => OwnedRaw::Unsigned(u64::try_from(self.started).unwrap_or(0)),
            "wcache" => self.write_cache(key),
            "hosts" => OwnedRaw::Unsigned(self.n_hosts()),
            "items" => OwnedRaw::Unsigned(self.n_items()),
            "items_unsupported" => OwnedRaw::Unsigned(self.n_unsupported()),
            "triggers" => OwnedRaw::Unsigned(
                self.running.configuration.directory().n_enabled_triggers() as u64,
            ),
            "preprocessing_queue" => OwnedRaw::Unsigned(self.n_waiting(figures.shards.len())),
            "shard" if key.param(1) == "busy" => busy(&figures.shards, key.param(2)),
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of lag")]
            "journal" if key.param(1) == "lag" => {
                OwnedRaw::Float(figures.journal_lag_ms as f64 / 1e3)
            }
            "journal" if key.param(1) == "bytes" => OwnedRaw::Unsigned(figures.journal_bytes),
            "spool" => self.spool.value(key),
            "health" => self.spool.health(key),
            "" => not_supported("Invalid number of parameters."),
            "process" => self.processes.value(key, &self.running, &figures.shards),
            "vcache" => self.value_cache(key),
            "vps" if key.param(1) == "written" => self.values("all"),
            "discovery_queue" if key.params.len() != 1 => {
                not_supported("Invalid number of parameters.")
            }
            "discovery_queue" => OwnedRaw::Unsigned(self.n_discovery_checks()),
            "lld_queue" => waits(self.discoveries_wait()),
            "connector_queue" => waits(self.connectors_wait()),
            "preprocessing" => {
                let queue = self.n_waiting(figures.shards.len());
                OwnedRaw::Text(json!({ "data": { "queue": queue } }).to_string())
            }
            "stats" => {
                OwnedRaw::Text(json!({ "response": "success", "data": self.stats() }).to_string())
            }
            // Rules of discovery find none.
            "proxy" | "proxy group" | "cluster" if key.param(1) == "discovery" => {
                OwnedRaw::Text("[]".to_owned())
            }
            it => not_supported(
                ABSENT
                    .iter()
                    .find(|(name, _)| *name == it)
                    .map_or("Invalid first parameter.", |it| it.1),
            ),
        }
    }
}

/// Records that wait in the journal are counted in bytes only.
fn waits(does: bool) -> CheckAnswer {
    OwnedRaw::Unsigned(u64::from(does))
}

impl ServerInternals {
    /// Answers from now on; the server has just started.
    #[must_use]
    pub fn new(parts: InternalsParts) -> Self {
        let InternalsParts { running, states, clock, figures, metrics, registry, health, .. } =
            parts;
        Self {
            running,
            states,
            figures,
            metrics,
            spool: Spool { registry: registry.clone(), health },
            processes: Processes {
                registry,
                clock: clock.clone(),
                connections_max: parts.connections_max,
                n_workers: parts.n_workers,
                samples: Mutex::default(),
            },
            started: clock.wall().clock(),
            clock,
        }
    }

    /// The contents of `zabbix.stats`, as far as Saker has them.
    pub fn stats(&self) -> serde_json::Value {
        let of = |mode: &str| match self.values(mode) {
            OwnedRaw::Unsigned(n) => n,
            _ => 0,
        };
        let shards = self.figures.figures().shards.clone();
        let required =
            self.running.collectors().map_or(0.0, collect::Collectors::required_performance);
        json!({
            "boottime": self.started,
            "uptime": self.clock.mono_ns() / 1_000_000_000,
            "hosts": self.n_hosts(),
            "items": self.n_items(),
            "items_unsupported": self.n_unsupported(),
            "preprocessing_queue": self.n_waiting(shards.len()),
            "requiredperformance": required,
            "triggers": self.running.configuration.directory().n_enabled_triggers(),
            "discovery_queue": self.n_discovery_checks(),
            "lld_queue": u8::from(self.discoveries_wait()),
            "connector_queue": u8::from(self.connectors_wait()),
            "preprocessing": { "queue": self.n_waiting(shards.len()) },
            "process": self.processes.all(&self.running, &shards),
            "proxy": [],
            "ha": [],
            "vcache": { "cache": {
                "requests": self.n_read("requests"), "hits": self.n_read("hits"),
                "misses": self.n_read("misses"), "mode": 0,
            } },
            "vps": { "written_total": of("all") },
            "version": env!("CARGO_PKG_VERSION"),
            "wcache": { "values": {
                "all": of("all"), "float": of("float"), "uint": of("uint"), "str": of("str"),
                "log": of("log"), "text": of("text"), "bin": of("bin"),
                "not supported": of("not supported"),
            }, "history": self.processes.write_cache_figures(shards.len()) },
        })
    }

    /// `zabbix[vcache,cache,<mode>]`: functions of values are computed in memory, or history is read for them.
    fn value_cache(&self, key: &ItemKey) -> CheckAnswer {
        if key.params.len() != 3 {
            return not_supported("Invalid number of parameters.");
        }
        match (key.param(1), key.param(2)) {
            ("cache", mode @ ("hits" | "misses" | "requests")) => {
                OwnedRaw::Unsigned(self.n_read(mode))
            }
            ("cache", "mode") => OwnedRaw::Unsigned(0),
            ("buffer", _) => not_supported("Values in memory have no buffer of a fixed size."),
            ("cache", _) => not_supported("Invalid third parameter."),
            _ => not_supported("Invalid second parameter."),
        }
    }

    /// Values that functions took from memory (hits), windows that were read from history for them, or both.
    fn n_read(&self, what: &str) -> u64 {
        let hits = self.metrics.processed_total.get();
        let read = self.spool.registry.value("saker_history_fetch_windows_total", None);
        let misses = processes::whole(read.unwrap_or(0.0));
        match what {
            "hits" => hits,
            "misses" => misses,
            _ => hits.saturating_add(misses),
        }
    }

    /// Checks of network discovery that have not begun, in the rounds under way.
    fn n_discovery_checks(&self) -> u64 {
        let waiting = self.spool.registry.value("saker_network_discovery_checks_waiting", None);
        processes::whole(waiting.unwrap_or(0.0))
    }

    fn discoveries_wait(&self) -> bool {
        let lag = self.spool.registry.value("saker_reader_discovery_lag_bytes", None);
        lag.is_some_and(|it| 0.0 < it)
    }

    fn connectors_wait(&self) -> bool {
        let lag = self.spool.registry.value("saker_export_lag_bytes", Some("connectors"));
        lag.is_some_and(|it| 0.0 < it)
    }

    /// `zabbix[wcache,<cache>,<mode>]`: of the caches that Zabbix writes from, Saker has the values
    /// that went through.
    fn write_cache(&self, key: &ItemKey) -> CheckAnswer {
        if !(2..=3).contains(&key.params.len()) {
            return not_supported("Invalid number of parameters.");
        }
        match (key.param(1), key.param(2)) {
            ("values", mode) => self.values(mode),
            (
                cache @ ("history" | "index" | "trend"),
                mode @ ("" | "pfree" | "free" | "total" | "used" | "pused"),
            ) => match cache {
                "history" => self.processes.write_cache(mode, self.figures.figures().shards.len()),
                _ => not_supported(format!("The {cache} has no cache of a fixed size.")),
            },
            ("history" | "index" | "trend", _) => not_supported("Invalid third parameter."),
            _ => not_supported("Invalid second parameter."),
        }
    }

    /// Values stored since the start, all or of one type. As in Zabbix, those that left their item
    /// unsupported are no values.
    fn values(&self, mode: &str) -> CheckAnswer {
        let of = |kind: &str| self.metrics.kinds_total.of(kind).get();
        let kind = match mode {
            "" | "all" => {
                let kinds = ["float", "uint", "str", "log", "text", "binary"];
                return OwnedRaw::Unsigned(kinds.into_iter().map(of).sum());
            }
            "float" | "uint" | "str" | "log" | "text" => mode,
            "bin" => "binary",
            "not supported" => "unsupported",
            _ => return not_supported("Invalid third parameter."),
        };
        OwnedRaw::Unsigned(of(kind))
    }

    /// Values whose preprocessing waits for a worker.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a sum of counts, far from the largest integer"
    )]
    fn n_waiting(&self, n_shards: usize) -> u64 {
        let of = |shard: usize| self.metrics.pending_values.of(&shard.to_string()).get();
        (0..n_shards).map(of).sum::<f64>() as u64
    }

    fn n_hosts(&self) -> u64 {
        let snapshot = self.running.configuration.snapshot();
        snapshot.hosts.values().filter(|it| it.status == HostStatus::Monitored).count() as u64
    }

    fn n_items(&self) -> u64 {
        let snapshot = self.running.configuration.snapshot();
        enabled_items(&snapshot).count() as u64
    }

    fn n_unsupported(&self) -> u64 {
        let snapshot = self.running.configuration.snapshot();
        self.states.n_unsupported_of(enabled_items(&snapshot).map(|it| it.id))
    }
}

/// Enabled items of monitored hosts.
fn enabled_items(snapshot: &Snapshot) -> impl Iterator<Item = &ItemRow> {
    let monitored = snapshot.hosts.values().filter(|it| it.status == HostStatus::Monitored);
    monitored.flat_map(|host| &host.items).filter(|it| it.is_enabled_item())
}

/// Percent of time at work: of one shard, or the mean of all.
fn busy(shards: &[ShardFigures], number: &str) -> CheckAnswer {
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
