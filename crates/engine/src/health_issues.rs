//! Health issues: the work that currently fails, for `/health`, metrics and log.
//!
//! A worker reports each failure with its cause, and the first success after it; the log gets a
//! line when a cause comes, changes or goes, not one a try.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::Time;
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::Gauge;
use tracing::{info, warn};

rt::metrics! {
    /// Work that the server currently cannot do.
    pub struct HealthIssueMetrics in "saker_health_issues", formerly "saker_troubles" {
        /// Kinds of work that fail at the moment; `/health` names them.
        pub active: Gauge,
        /// 1 while values wait because they cannot be written.
        pub values_waiting: Gauge,
    }
}

/// Work that may fail for a while.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Work {
    /// A shard writes its record.
    Record { shard: u16 },
    /// Events that no shard makes are written.
    OutsideEvents,
    /// The journal is synced.
    Sync,
    /// Values are written to history files.
    History,
    /// History files are merged, and removed when they are past their period.
    HistoryFiles,
    /// History files were removed before their time.
    HistoryBudget,
    /// The state is written to a checkpoint.
    Checkpoint,
    /// A checkpoint could not be read at the start.
    FormerCheckpoint,
    /// A shard had to leave a record out; stays until the next start.
    SkippedRecord { shard: u16 },
}

impl Work {
    /// Its name at `/health`; shards that wait for the same are one.
    fn part(self) -> String {
        match self {
            Self::Record { .. } => "values".to_owned(),
            Self::OutsideEvents => "events of services, discovery and registration".to_owned(),
            Self::Sync => "journal".to_owned(),
            Self::History | Self::HistoryFiles | Self::HistoryBudget => "history".to_owned(),
            Self::Checkpoint | Self::FormerCheckpoint => "checkpoint".to_owned(),
            Self::SkippedRecord { shard } => format!("shard-{shard}"),
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Record { .. } => "values wait for the disk",
            Self::OutsideEvents => "events wait for the disk",
            Self::Sync => "values wait: the journal cannot be synced",
            Self::History => "history cannot be written, its values stay in memory and journal",
            Self::HistoryFiles => "history files cannot be merged, or old ones not removed",
            Self::HistoryBudget => "old values were removed before their time",
            Self::Checkpoint => "no checkpoint can be written, the journal is kept",
            Self::FormerCheckpoint => "a checkpoint is damaged, the one before it was used",
            Self::SkippedRecord { .. } => {
                "a record was left out, which is a bug: please report the cause"
            }
        }
    }

    fn level(self) -> Level {
        match self {
            Self::SkippedRecord { .. } => Level::Failing,
            Self::Record { .. }
            | Self::OutsideEvents
            | Self::Sync
            | Self::History
            | Self::HistoryFiles
            | Self::HistoryBudget
            | Self::Checkpoint
            | Self::FormerCheckpoint => Level::Degraded,
        }
    }

    /// Whether values are not accepted meanwhile.
    fn stops_values(self) -> bool {
        matches!(self, Self::Record { .. } | Self::Sync)
    }
}

#[derive(Debug)]
struct ActiveIssue {
    since: Time,
    cause: String,
}

/// The work that currently fails.
#[derive(Debug)]
pub struct HealthIssues {
    active: Mutex<BTreeMap<Work, ActiveIssue>>,
    health: Health,
    clock: Clock,
    metrics: HealthIssueMetrics,
}

impl HealthIssues {
    pub fn new(health: Health, clock: Clock, metrics: HealthIssueMetrics) -> Self {
        Self { active: Mutex::default(), health, clock, metrics }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Work, ActiveIssue>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It failed. The log gets a line if it is new, or if the cause is another one.
    pub fn begin(&self, work: Work, cause: &dyn Display) {
        let cause = cause.to_string();
        let mut active = self.lock();
        let since = match active.get(&work) {
            Some(known) if known.cause == cause => return,
            Some(known) => known.since,
            None => self.clock.wall(),
        };
        warn!(cause, ?work, "{}", work.what());
        active.insert(work, ActiveIssue { since, cause });
        self.publish(&active, work);
    }

    /// It went well.
    pub fn end(&self, work: Work) {
        let mut active = self.lock();
        let Some(known) = active.remove(&work) else { return };
        self.publish(&active, work);
        let lasted_s = self.clock.wall().clock().saturating_sub(known.since.clock());
        info!(?work, lasted_s, "no longer: {}", work.what());
    }

    /// Publishes the condition of a part: of several issues, the one that began first.
    fn publish(&self, active: &BTreeMap<Work, ActiveIssue>, changed: Work) {
        self.metrics.active.set_n(active.len());
        self.metrics.values_waiting.set_n(usize::from(active.keys().any(|it| it.stops_values())));
        let part = changed.part();
        let of_part = active.iter().filter(|(work, _)| work.part() == part);
        match of_part.min_by_key(|(_, issue)| issue.since) {
            Some((work, ActiveIssue { since, cause })) => {
                let since = Timestamp::from_second(since.clock()).unwrap_or(Timestamp::UNIX_EPOCH);
                let message = format!("{}, since {since}: {cause}", work.what());
                self.health.set(&part, work.level(), message);
            }
            None => self.health.clear(&part),
        }
    }
}

#[cfg(test)]
mod tests {
    use rt::metrics::Registry;

    use super::*;

    #[test]
    fn health_issues_come_with_cause_and_time_and_go() {
        let (clock, health) = (Clock::manual(Time::from_clock(1_000, 0)), Health::default());
        let registry = Registry::new();
        let issues = HealthIssues::new(
            health.clone(),
            clock.clone(),
            HealthIssueMetrics::register(&registry),
        );
        let reported = || -> Vec<(String, String)> {
            health.issues().into_iter().map(|it| (it.part, it.message)).collect()
        };
        let waiting = || registry.value("saker_health_issues_values_waiting", None);
        let is = |part: &str, message: &str| (part.to_owned(), message.to_owned());
        issues.begin(Work::Record { shard: 1 }, &"no space");
        clock.advance(std::time::Duration::from_secs(5));
        issues.begin(Work::Record { shard: 0 }, &"no space");
        issues.begin(Work::Record { shard: 1 }, &"input/output error");
        issues.begin(Work::SkippedRecord { shard: 1 }, &"too large");
        let what = "a record was left out, which is a bug: please report the cause";
        let left_out = is("shard-1", &format!("{what}, since 1970-01-01T00:16:45Z: too large"));
        let waits = |since: &str, cause: &str| {
            is(
                "values",
                &format!("values wait for the disk, since 1970-01-01T00:{since}Z: {cause}"),
            )
        };
        assert_eq!(reported(), [left_out.clone(), waits("16:40", "input/output error")]);
        assert_eq!((health.level(), waiting()), (Some(Level::Failing), Some(1.0)));
        issues.end(Work::Record { shard: 1 });
        assert_eq!(reported(), [left_out.clone(), waits("16:45", "no space")]);
        issues.end(Work::Record { shard: 0 });
        assert_eq!((reported(), waiting()), (vec![left_out], Some(0.0)));
    }
}
