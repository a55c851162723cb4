//! Rounds of housekeeping in the database: old events, audit records, sessions.
//!
//! A round is made of transactions of some milliseconds ([`db::housekeeping`]). After each the thread
//! rests as long as keeps its share of the database below `housekeeping.busy_percent`, so that events
//! and edits find the writer free. What a round does not get done, because the database is away or the
//! server stops, the next one finds again.

use std::time::Duration;

use db::{Db, HousekeepingPart};
use rt::clock::Clock;
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::shutdown::Shutdown;
use tracing::{info, warn};

use crate::settings::Housekeeping;

/// The first round comes so long after the start, or when a round is due if that is sooner: a start
/// has enough to do.
const FIRST_AFTER: Duration = Duration::from_mins(5);

/// The longest rest after one transaction.
const REST_MAX: Duration = Duration::from_secs(10);

rt::metrics! {
    /// Deletes of what has expired in the database.
    pub(super) struct Metrics in "saker_housekeeping" {
        /// Events deleted because they are past their period.
        pub(super) events_deleted_total: Counter,
        /// Events deleted because their trigger is gone.
        pub(super) trigger_events_deleted_total: Counter,
        /// Records of the audit log deleted.
        pub(super) audit_deleted_total: Counter,
        /// Sessions deleted.
        pub(super) sessions_deleted_total: Counter,
        /// Changes of the status of services deleted.
        pub(super) service_changes_deleted_total: Counter,
        /// States of interfaces and views of users deleted because the interface or user is gone.
        pub(super) leftovers_deleted_total: Counter,
        /// Time of one transaction, in seconds: so long events and edits wait at most.
        pub(super) transaction_seconds: TimeHistogram,
        /// Time of the last round, in seconds, rests included.
        pub(super) round_seconds: Gauge,
        /// Rounds that went through to the end.
        pub(super) rounds_total: Counter,
        /// Rounds given up because the database refused.
        pub(super) failures_total: Counter,
    }
}

/// How fast it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLimit {
    /// Between rounds; `None`: there are none.
    interval: Option<Duration>,
    rows_max: u32,
    busy_percent: u32,
}

impl RateLimit {
    pub(super) fn of(settings: &Housekeeping) -> Self {
        Self {
            interval: (settings.interval_s != 0).then(|| Duration::from_secs(settings.interval_s)),
            rows_max: settings.rows_max.get(),
            busy_percent: settings.busy_percent.clamp(1, 100),
        }
    }

    /// How long to rest after a transaction.
    fn rest(&self, took: Duration) -> Duration {
        (took * (100 - self.busy_percent) / self.busy_percent).min(REST_MAX)
    }
}

pub(super) struct Rounds {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) rate: RateLimit,
    pub(super) metrics: Metrics,
}

impl Rounds {
    /// Makes rounds until shutdown. Blocking.
    pub(super) fn run(&self, shutdown: &Shutdown) {
        let Some(interval) = self.rate.interval else { return };
        let mut pause = interval.min(FIRST_AFTER);
        while !shutdown.wait(pause) {
            let begun_ns = self.clock.mono_ns();
            self.round(shutdown);
            let took = Duration::from_nanos(self.clock.mono_ns().saturating_sub(begun_ns));
            self.metrics.round_seconds.set(took.as_secs_f64());
            pause = interval;
        }
    }

    fn round(&self, shutdown: &Shutdown) {
        let mut round = self.db.housekeeping(self.clock.wall(), self.rate.rows_max);
        let mut n_deleted = 0;
        loop {
            let begun_ns = self.clock.mono_ns();
            let step = match round.step() {
                Ok(Some(step)) => step,
                Ok(None) => break,
                Err(error) => {
                    self.metrics.failures_total.inc();
                    warn!(%error, "old events and records cannot be deleted; the next round tries again");
                    return;
                }
            };
            let took_ns = self.clock.mono_ns().saturating_sub(begun_ns);
            self.metrics.transaction_seconds.observe_ns(took_ns);
            self.counter(step.part).add(step.n_deleted);
            n_deleted += step.n_deleted;
            if shutdown.wait(self.rate.rest(Duration::from_nanos(took_ns))) {
                return;
            }
        }
        self.metrics.rounds_total.inc();
        if n_deleted > 0 {
            info!(n_deleted, "deleted what has expired in the database");
        }
    }

    fn counter(&self, part: HousekeepingPart) -> &Counter {
        match part {
            HousekeepingPart::Events => &self.metrics.events_deleted_total,
            HousekeepingPart::DeletedTriggers => &self.metrics.trigger_events_deleted_total,
            HousekeepingPart::Audit => &self.metrics.audit_deleted_total,
            HousekeepingPart::Sessions => &self.metrics.sessions_deleted_total,
            HousekeepingPart::Services => &self.metrics.service_changes_deleted_total,
            HousekeepingPart::Leftovers => &self.metrics.leftovers_deleted_total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rests_so_that_its_share_is_kept() {
        let rate = |busy_percent| RateLimit { interval: None, rows_max: 1, busy_percent };
        let took = Duration::from_millis(50);
        assert_eq!(rate(20).rest(took), Duration::from_millis(200));
        assert_eq!(rate(50).rest(took), took);
        assert_eq!(rate(100).rest(took), Duration::ZERO);
        assert_eq!(rate(1).rest(Duration::from_secs(60)), REST_MAX);
    }
}
