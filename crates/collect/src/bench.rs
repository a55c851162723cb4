//! Entries for the benchmarks in `benches/`: the schedule, with time as an argument, and the making of
//! requests.

mod requests;

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use model::content::{ItemContent, ItemFlags, ItemType};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot};
use model::time::Now;
use model::{HostId, ItemId, Time};

use crate::CollectSettings;
use crate::collectors;
use crate::ports::InterfaceState;
use crate::resolve::Resolver;
use crate::schedule::{Outcome, Schedule, UnreachableTimes, View};

pub use requests::Requests;

/// The start of a minute on every grid up to a day.
const START_S: i64 = 1_731_628_800;
/// How often the process advances the schedule.
const TICK: Duration = Duration::from_micros(62_500);

/// Hosts with agent items, all of one template's content.
#[must_use]
pub fn snapshot(n_hosts: u64, n_items: u64, delay: &str) -> Snapshot {
    let contents: Vec<Arc<ItemContent>> = (0..n_items)
        .map(|it| {
            Arc::new(ItemContent {
                key_: format!("key[{it}]"),
                kind: ItemType::ZabbixAgent,
                delay: delay.to_owned(),
                ..ItemContent::default()
            })
        })
        .collect();
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    for id in 1..=n_hosts {
        let items = (0..).zip(&contents).map(|(item, content)| ItemRow {
            id: ItemId(id * n_items + item),
            source: ItemId::NONE,
            content: Arc::clone(content),
            extra: None,
            flags: ItemFlags::Plain,
        });
        let name: Arc<str> = format!("host-{id}").into();
        let host = Host {
            items: items.collect(),
            ..Host::new(HostId(id), HolderKind::Host, Arc::clone(&name), name)
        };
        snapshot.hosts.insert(host.id, Arc::new(host));
    }
    snapshot
}

/// A schedule whose checks are all answered at once.
#[derive(Debug)]
pub struct Plan {
    schedule: Schedule,
    now: Now,
}

impl Plan {
    /// Schedules all items of a snapshot.
    #[must_use]
    pub fn build(snapshot: &Snapshot) -> Self {
        let settings = CollectSettings::default();
        let limits: Vec<_> =
            collectors::table().iter().map(|it| it.limits(&settings.collectors)).collect();
        let times = UnreachableTimes {
            unreachable_delay: settings.unreachable_delay,
            unreachable_period: settings.unreachable_period,
            unavailable_delay: settings.unavailable_delay,
        };
        let now = Now { wall: Time::from_clock(START_S, 0), mono_ns: 0 };
        let mut schedule = Schedule::new(&limits, times, TimeZone::UTC, now.wall);
        schedule.expect_items(snapshot.hosts.values().map(|it| it.items.len()).sum());
        let resolver = Resolver::new(TimeZone::UTC);
        let saved = |_| InterfaceState::default();
        let classify = collectors::classify;
        let view = View { snapshot, resolver: &resolver, classify, saved: &saved };
        for host in snapshot.hosts.values() {
            schedule.set_host(&view, host, now);
        }
        Self { schedule, now }
    }

    /// Lets time pass, tick by tick; returns how many checks were made.
    pub fn run(&mut self, time: Duration) -> usize {
        let tick_ns = u64::try_from(TICK.as_nanos()).unwrap_or(u64::MAX);
        let mut n = 0;
        for _ in 0..time.as_nanos() / TICK.as_nanos() {
            self.now.wall = Time(self.now.wall.0.saturating_add_unsigned(tick_ns));
            self.now.mono_ns += tick_ns;
            self.schedule.advance(self.now);
            loop {
                let jobs = self.schedule.take_jobs(usize::MAX, self.now);
                if jobs.is_empty() {
                    break;
                }
                for job in jobs {
                    n += job.checks.len();
                    let outcomes = job.checks.iter().map(|it| (it.ticket, Outcome::Answered));
                    self.schedule.finish(job.reference(), outcomes, self.now);
                }
            }
        }
        n
    }
}
