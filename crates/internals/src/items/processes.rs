//! `zabbix[process,…]` and Zabbix's caches: their counterparts here, and the reasons where there is
//! none.
//!
//! Saker has no processes by kind. The work of a Zabbix process is done by a collector with a
//! number of places, by shards, by workers or by a thread of its own; the reported figure is how
//! busy that is. Names of Zabbix without a counterpart give the reason.

use std::sync::{Mutex, PoisonError};

use collect::ports::{CheckAnswer, not_supported};
use model::batch::OwnedRaw;
use model::figures::ShardFigures;
use model::key::ItemKey;
use model::map::Map;
use rt::clock::Clock;
use rt::metrics::Registry;
use serde_json::{Map as JsonMap, Value as Json, json};

use crate::Watched;

/// The part that does the work of one of Zabbix's processes.
#[derive(Clone, Copy)]
enum Worker {
    /// Collectors: their conversations under way, of those that there may be.
    Collectors(&'static [&'static str]),
    /// Shards: their time at work.
    Shards,
    /// Workers for heavy steps: their time at work.
    Workers,
    /// A thread whose turns are timed by this histogram.
    Turns(&'static str),
    /// Connections at the trapper port, of those that there may be.
    Trapper,
}

const PROCESSES: &[(&str, Worker)] = &[
    ("agent poller", Worker::Collectors(&["agent"])),
    ("alerter", Worker::Turns("saker_alerts_attempt_seconds")),
    ("browser poller", Worker::Collectors(&["browser"])),
    ("escalator", Worker::Turns("saker_escalations_turn_seconds")),
    ("history poller", Worker::Turns("saker_cross_item_query_answer_seconds")),
    ("history syncer", Worker::Shards),
    ("housekeeper", Worker::Turns("saker_housekeeping_transaction_seconds")),
    ("http agent poller", Worker::Collectors(&["http"])),
    ("http poller", Worker::Collectors(&["web"])),
    ("icmp pinger", Worker::Collectors(&["icmp"])),
    ("internal poller", Worker::Collectors(&["internal"])),
    ("ipmi poller", Worker::Collectors(&["ipmi"])),
    ("java poller", Worker::Collectors(&["jmx"])),
    ("odbc poller", Worker::Collectors(&["odbc"])),
    ("poller", Worker::Collectors(&["service", "script", "external", "shell"])),
    ("preprocessing manager", Worker::Shards),
    ("preprocessing worker", Worker::Workers),
    ("service manager", Worker::Turns(r#"saker_worker_turn_seconds{worker="services"}"#)),
    ("snmp poller", Worker::Collectors(&["snmp"])),
    ("timer", Worker::Turns("saker_maintenance_evaluation_seconds")),
    ("trapper", Worker::Trapper),
];

/// Zabbix's processes without a busy counterpart here, and the reason.
const ABSENT: &[(&str, &str)] = &[
    ("alert manager", ALERTS),
    ("alert syncer", ALERTS),
    ("availability manager", "Collectors keep the availability of interfaces in memory."),
    ("configuration syncer", CONFIGURATION),
    ("configuration syncer worker", CONFIGURATION),
    ("connector manager", CONNECTORS),
    ("connector worker", CONNECTORS),
    ("data sender", "Only proxies send data to a server."),
    ("discovery manager", DISCOVERY),
    ("discovery worker", DISCOVERY),
    ("ha manager", "Saker has no cluster of servers."),
    ("heartbeat sender", "Only proxies send heartbeats to a server."),
    ("ipmi manager", "One collector makes all IPMI checks: see \"ipmi poller\"."),
    ("lld manager", LLD),
    ("lld worker", LLD),
    ("main", "The main thread only starts and stops the others."),
    ("proxy group manager", PROXIES),
    ("proxy poller", PROXIES),
    ("report manager", REPORTS),
    ("report writer", REPORTS),
    ("self-monitoring", "Each part counts its own work, see the metrics."),
    ("snmp trapper", "The server receives SNMP traps itself: see the metrics collect_snmp_traps_…"),
    ("task manager", "Tasks are carried out when they are created; none waits."),
    (
        "trigger housekeeper",
        "The housekeeper removes what belongs to deleted triggers: see \"housekeeper\".",
    ),
    ("unreachable poller", "The collector of an item also checks devices that do not answer."),
    ("vmware collector", "Saker does not collect from VMware."),
];

const ALERTS: &str = "The alerter does this work too: see \"alerter\".";
const CONFIGURATION: &str =
    "The configuration is one image in memory that each edit changes; nothing is synchronized.";
const CONNECTORS: &str =
    "Connectors read the journal: see zabbix[connector_queue] and zabbix[spool,age,<reader>].";
const DISCOVERY: &str =
    "One task makes the checks of network discovery: see zabbix[discovery_queue].";
const LLD: &str = "A reader of the journal applies the values of discovery rules: see zabbix[lld_queue] and \
                   zabbix[spool,bytes,discovery].";
const PROXIES: &str = "Saker has no proxies yet.";
const REPORTS: &str = "Saker has no scheduled reports.";

/// Time of work counted so far, and when.
type Sample = (u64, f64);

/// The sources of the figures of processes.
pub(super) struct Processes {
    pub(super) registry: Registry,
    pub(super) clock: Clock,
    /// Most connections at the trapper port.
    pub(super) connections_max: u32,
    pub(super) n_workers: usize,
    /// Counters of time, at the last two readings that were some seconds from each other.
    pub(super) samples: Mutex<Map<&'static str, [Sample; 2]>>,
}

/// Questions closer together have the same answer.
const SAMPLE_INTERVAL_NS: u64 = 5_000_000_000;

/// How busy one of Zabbix's processes is: percent of each part, and how many parts there are.
struct Busy {
    parts: Vec<f64>,
    count: u64,
}

impl Processes {
    /// `zabbix[process,<type>,<mode>,<state>]`
    pub(super) fn value(
        &self,
        key: &ItemKey,
        running: &Watched,
        shards: &[ShardFigures],
    ) -> CheckAnswer {
        if !(2..=4).contains(&key.params.len()) {
            return not_supported("Invalid number of parameters.");
        }
        let name = key.param(1);
        let Some((_, worker)) = PROCESSES.iter().find(|it| it.0 == name) else {
            return without(name);
        };
        let Some(busy) = self.busy(*worker, running, shards) else { return without(name) };
        let share = match key.param(2) {
            "count" if key.params.len() == 3 => return OwnedRaw::Unsigned(busy.count),
            "" | "avg" => busy.mean(),
            "max" => busy.parts.iter().copied().fold(0.0, f64::max),
            "min" => busy.parts.iter().copied().fold(100.0, f64::min),
            number => match number.parse::<usize>() {
                Ok(at @ 1..) if at as u64 <= busy.count => {
                    busy.parts.get(at - 1).copied().unwrap_or_else(|| busy.mean())
                }
                _ => return not_supported("Invalid third parameter."),
            },
        };
        match key.param(3) {
            "" | "busy" => OwnedRaw::Float(share),
            "idle" => OwnedRaw::Float(100.0 - share),
            _ => not_supported("Invalid fourth parameter."),
        }
    }

    /// Those of `zabbix.stats`.
    pub(super) fn all(&self, running: &Watched, shards: &[ShardFigures]) -> Json {
        let mut all = JsonMap::new();
        for (name, worker) in PROCESSES {
            let Some(busy) = self.busy(*worker, running, shards) else { continue };
            let max = busy.parts.iter().copied().fold(0.0, f64::max);
            let min = busy.parts.iter().copied().fold(100.0, f64::min);
            let mean = busy.mean();
            let figures = json!({
                "busy": { "avg": mean, "max": max, "min": min },
                "idle": { "avg": 100.0 - mean, "max": 100.0 - min, "min": 100.0 - max },
                "count": busy.count,
            });
            all.insert((*name).to_owned(), figures);
        }
        Json::Object(all)
    }

    fn busy(&self, worker: Worker, running: &Watched, shards: &[ShardFigures]) -> Option<Busy> {
        Some(match worker {
            Worker::Collectors(names) => {
                let jobs = running.collectors()?.jobs();
                let of = jobs.iter().filter(|it| names.contains(&it.name));
                let (n, max) = of.fold((0, 0), |(n, max), it| (n + it.n_jobs, max + it.jobs_max));
                if max == 0 {
                    return None;
                }
                Busy::one(percent(n as f64, max as f64), max as u64)
            }
            Worker::Shards => Busy {
                parts: shards.iter().map(|it| it.busy_percent).collect(),
                count: shards.len() as u64,
            },
            Worker::Workers => {
                let spent_ns = self.registry.value("saker_worker_busy_ns_total", None)?;
                let busy = self.since("saker_worker_busy_ns_total", spent_ns / 1e9);
                let n_workers = self.n_workers.max(1);
                Busy::one(busy / n_workers as f64, n_workers as u64)
            }
            Worker::Turns(name) => {
                let spent_s = self.time_of(name)?;
                Busy::one(self.since(name, spent_s), 1)
            }
            Worker::Trapper => {
                let open = self.registry.value("saker_trapper_connections_open", None)?;
                let max = self.connections_max.max(1);
                Busy::one(percent(open, max.into()), max.into())
            }
        })
    }

    /// All time that a histogram, which may have a label, has seen, in seconds, as `/metrics` shows
    /// it: read a few times a minute.
    fn time_of(&self, histogram: &str) -> Option<f64> {
        let rendered = self.registry.render();
        let (name, label) = histogram.split_at(histogram.find('{').unwrap_or(histogram.len()));
        let sum = |line: &str| {
            let rest = line.strip_prefix(name)?.strip_prefix("_sum")?.strip_prefix(label)?;
            rest.strip_prefix(' ')?.trim().parse().ok()
        };
        rendered.lines().find_map(sum)
    }

    /// Percent of the time since a question some seconds ago (or since the start) that was work.
    fn since(&self, name: &'static str, spent_s: f64) -> f64 {
        let now_ns = self.clock.mono_ns();
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let known = samples.entry(name).or_default();
        if known[1].0.saturating_add(SAMPLE_INTERVAL_NS) <= now_ns {
            *known = [known[1], (now_ns, spent_s)];
        }
        let [(from_ns, from_s), (to_ns, to_s)] = *known;
        let elapsed_s = to_ns.saturating_sub(from_ns) as f64 / 1e9;
        percent(to_s - from_s, elapsed_s)
    }

    /// `zabbix[wcache,history,<mode>]`: batches that wait for shards, of those that may.
    pub(super) fn write_cache(&self, mode: &str, n_shards: usize) -> CheckAnswer {
        let (mut used, mut total) = (0.0, 0.0);
        for shard in 0..n_shards {
            let queue = format!("shard-{shard}");
            used += self.registry.value("saker_queue_depth", Some(&queue)).unwrap_or(0.0);
            total += self.registry.value("saker_queue_bound", Some(&queue)).unwrap_or(0.0);
        }
        match mode {
            "total" => OwnedRaw::Unsigned(whole(total)),
            "used" => OwnedRaw::Unsigned(whole(used)),
            "free" => OwnedRaw::Unsigned(whole(total - used)),
            "pused" => OwnedRaw::Float(percent(used, total)),
            _ => OwnedRaw::Float(100.0 - percent(used, total)),
        }
    }
}

impl Processes {
    /// All of them, for `zabbix.stats`.
    pub(super) fn write_cache_figures(&self, n_shards: usize) -> Json {
        let modes = ["pfree", "free", "total", "used", "pused"].map(|mode| {
            let count = match self.write_cache(mode, n_shards) {
                OwnedRaw::Unsigned(n) => json!(n),
                OwnedRaw::Float(n) => json!(n),
                _ => Json::Null,
            };
            (mode.to_owned(), count)
        });
        Json::Object(modes.into_iter().collect())
    }
}

impl Busy {
    fn one(share: f64, count: u64) -> Self {
        Self { parts: vec![share], count }
    }

    fn mean(&self) -> f64 {
        self.parts.iter().sum::<f64>() / self.parts.len().max(1) as f64
    }
}

fn percent(part: f64, whole: f64) -> f64 {
    if whole <= 0.0 { 0.0 } else { (100.0 * part / whole).clamp(0.0, 100.0) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count, far from the largest integer"
)]
pub(super) fn whole(value: f64) -> u64 {
    value as u64
}

/// Why one of Zabbix's processes has no value.
fn without(name: &str) -> CheckAnswer {
    if let Some((_, why)) = ABSENT.iter().find(|it| it.0 == name) {
        return not_supported(*why);
    }
    match PROCESSES.iter().any(|it| it.0 == name) {
        true => not_supported(format!("Nothing does the work of the process \"{name}\" now.")),
        false => not_supported("Invalid second parameter."),
    }
}

#[cfg(test)]
mod tests {
    use rt::metrics::{Declaration, TimeHistogram};

    use super::*;

    #[test]
    fn each_process_of_zabbix_has_a_value_or_a_reason_that_the_guide_gives_as_well() {
        // Those of Zabbix 7.0, server and proxy.
        let zabbix = "agent poller,alert manager,alert syncer,alerter,availability manager,browser poller,\
            configuration syncer,configuration syncer worker,connector manager,connector worker,data sender,\
            discovery manager,discovery worker,escalator,ha manager,heartbeat sender,history poller,\
            history syncer,housekeeper,http agent poller,http poller,icmp pinger,internal poller,ipmi manager,\
            ipmi poller,java poller,lld manager,lld worker,main,odbc poller,poller,preprocessing manager,\
            preprocessing worker,proxy group manager,proxy poller,report manager,report writer,\
            self-monitoring,service manager,snmp poller,snmp trapper,task manager,timer,trapper,\
            trigger housekeeper,unreachable poller,vmware collector";
        let mut all: Vec<&str> =
            PROCESSES.iter().map(|it| it.0).chain(ABSENT.iter().map(|it| it.0)).collect();
        all.sort_unstable();
        let mut expected: Vec<&str> = zabbix.split(',').collect();
        expected.sort_unstable();
        assert_eq!(all, expected);
        let guide = include_str!("../../../../docs/user/internal-items.md");
        for (name, why) in ABSENT {
            let said = without(name);
            assert!(
                matches!(&said, OwnedRaw::Error(it) if it.as_str() == *why),
                "{name}: {said:?}"
            );
            let row = guide.lines().find(|it| it.contains(why));
            assert!(row.is_some_and(|it| it.contains(&format!("`{name}`"))), "{name}: {why}");
        }
        assert!(matches!(without("x"), OwnedRaw::Error(it) if it == "Invalid second parameter."));
    }

    #[test]
    fn the_time_of_turns_is_found() {
        let processes = processes();
        let name = "saker_x_turn_seconds";
        let turns: TimeHistogram = processes.registry.declare(Declaration {
            name,
            former_name: "",
            help: "Of a test.",
            label: "",
        });
        turns.observe(std::time::Duration::from_millis(1_500));
        turns.observe(std::time::Duration::from_secs(1));
        let seconds = processes.time_of(name).expect("it is there");
        assert!((seconds - 2.5).abs() < 0.01, "{seconds}");
        assert_eq!(processes.time_of("saker_x_turn"), None);
        let workers = rt::worker::WorkerMetrics::register(&processes.registry);
        workers.turn_seconds.of("services").observe(std::time::Duration::from_secs(2));
        let seconds = processes.time_of(r#"saker_worker_turn_seconds{worker="services"}"#);
        assert!(seconds.is_some_and(|it| (it - 2.0).abs() < 0.01), "{seconds:?}");
    }

    fn processes() -> Processes {
        Processes {
            registry: Registry::new(),
            clock: Clock::real(),
            connections_max: 10,
            n_workers: 2,
            samples: Mutex::default(),
        }
    }

    #[test]
    fn time_of_work_is_reported_since_the_last_reading() {
        // One that runs for a while already: 20 s ago it was there.
        let clock = Clock::manual(model::Time::from_clock(1_700_000_000, 0));
        clock.advance(std::time::Duration::from_secs(60));
        let processes = Processes { clock, ..processes() };
        // Nothing is known of the time before the first question.
        assert!(processes.since("x", 0.0).abs() < f64::EPSILON);
        let now_ns = processes.clock.mono_ns();
        let before = now_ns.saturating_sub(20_000_000_000);
        processes.samples.lock().unwrap().insert("x", [(0, 0.0), (before, 1.0)]);
        let busy = processes.since("x", 6.0);
        let elapsed_s = (processes.clock.mono_ns() - before) as f64 / 1e9;
        assert!((busy - 500.0 / elapsed_s).abs() < 1.0, "{busy} of {elapsed_s}");
        // A question at once has the same answer.
        assert!((processes.since("x", 6.5) - busy).abs() < 1e-9);
    }
}
