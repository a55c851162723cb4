//! Rounds of housekeeping in the database: old events, audit records, sessions.
//!
//! A round is made of transactions of some milliseconds ([`db::housekeeping`]), one a turn. After each the worker
//! rests as long as keeps its share of the database below `housekeeping.busy_percent`, so that events
//! and edits find the writer free. Rows that a round does not delete, because the database is away
//! or the server stops, are found by the next one.

use std::time::Duration;

use db::{Db, DbError, HousekeepingPart, HousekeepingRound};
use model::Now;
use rt::clock::{Clock, nanos};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::worker::{Next, OnPanic, Worker, WorkerFailure, WorkerRow};
use tracing::info;

/// The first round comes so long after the start, or when a round is due if that is sooner: a start
/// has enough to do.
const FIRST_AFTER: Duration = Duration::from_mins(5);

/// The longest rest after one transaction.
const REST_MAX: Duration = Duration::from_secs(10);

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "expiry",
    job: "deletes events, audit records and sessions in the database that are past their period",
    woken_by: "the clock, by housekeeping.interval_s",
    waits: "old events and records are not deleted",
    on_panic: OnPanic::Reload,
};

rt::metrics! {
    /// Deletes of what has expired in the database.
    pub struct ExpiryMetrics in "saker_housekeeping" {
        /// Events deleted because they are past their period.
        pub events_deleted_total: Counter,
        /// Events deleted because their trigger is gone.
        pub trigger_events_deleted_total: Counter,
        /// Records of the audit log deleted.
        pub audit_deleted_total: Counter,
        /// Sessions deleted.
        pub sessions_deleted_total: Counter,
        /// Changes of the status of services deleted.
        pub service_changes_deleted_total: Counter,
        /// States of interfaces and views of users deleted because the interface or user is gone.
        pub leftovers_deleted_total: Counter,
        /// Time of one transaction, in seconds: so long events and edits wait at most.
        pub transaction_seconds: TimeHistogram,
        /// Time of the last round, in seconds, rests included.
        pub round_seconds: Gauge,
        /// Rounds that went through to the end.
        pub rounds_total: Counter,
    }
}

/// How fast it goes.
#[derive(Clone, Copy, Debug)]
pub struct ExpiryRate {
    /// Between rounds; `None`: there are none.
    pub interval: Option<Duration>,
    /// Deleted by one transaction.
    pub rows_max: u32,
    /// Share of the database that it takes; 1 to 100.
    pub busy_percent: u32,
}

impl ExpiryRate {
    /// How long to rest after a transaction.
    fn rest(&self, took: Duration) -> Duration {
        let busy_percent = self.busy_percent.clamp(1, 100);
        (took * (100 - busy_percent) / busy_percent).min(REST_MAX)
    }
}

/// The worker.
pub struct ExpiryRounds {
    db: Db,
    clock: Clock,
    rate: ExpiryRate,
    metrics: ExpiryMetrics,
    /// When the next round begins, on the monotonic clock.
    due_ns: u64,
    round: Option<Round>,
    /// The last failure was no row's.
    is_mended_by_time: bool,
}

opaque_debug!(ExpiryRounds);

/// Under way.
struct Round {
    steps: HousekeepingRound,
    begun_ns: u64,
    n_deleted: u64,
}

impl ExpiryRounds {
    #[must_use]
    pub fn new(db: Db, clock: Clock, rate: ExpiryRate, metrics: ExpiryMetrics) -> Self {
        let first = rate.interval.unwrap_or_default().min(FIRST_AFTER);
        let due_ns = clock.mono_ns().saturating_add(nanos(first));
        Self { db, clock, rate, metrics, due_ns, round: None, is_mended_by_time: false }
    }

    /// The end of a round.
    fn is_over(&mut self, now: Now) {
        let Some(Round { begun_ns, n_deleted, .. }) = self.round.take() else { return };
        let interval = self.rate.interval.unwrap_or_default();
        self.due_ns = now.mono_ns.saturating_add(nanos(interval));
        let took = Duration::from_nanos(now.mono_ns.saturating_sub(begun_ns));
        self.metrics.round_seconds.set(took.as_secs_f64());
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

impl Worker for ExpiryRounds {
    type Error = DbError;

    fn turn(&mut self, now: Now) -> Result<Next, DbError> {
        if self.rate.interval.is_none() {
            return Ok(Next::Ended);
        }
        if self.round.is_none() && now.mono_ns < self.due_ns {
            return Ok(Next::At(self.due_ns));
        }
        let (db, rows_max) = (&self.db, self.rate.rows_max);
        let round = self.round.get_or_insert_with(|| {
            let steps = db.housekeeping(now.wall, rows_max);
            Round { steps, begun_ns: now.mono_ns, n_deleted: 0 }
        });
        let step = round.steps.step();
        self.is_mended_by_time = step.as_ref().is_err_and(DbError::retry);
        let Some(step) = step? else {
            self.is_over(now);
            return Ok(Next::At(self.due_ns));
        };
        round.n_deleted += step.n_deleted;
        let ended_ns = self.clock.mono_ns();
        let took = Duration::from_nanos(ended_ns.saturating_sub(now.mono_ns));
        self.metrics.transaction_seconds.observe(took);
        self.counter(step.part).add(step.n_deleted);
        Ok(Next::At(ended_ns.saturating_add(nanos(self.rate.rest(took)))))
    }

    /// The step that failed is tried again.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), DbError> {
        self.is_mended_by_time = false;
        Ok(())
    }

    /// A part that cannot be deleted is left out until the next round.
    fn put_aside(&mut self) -> Option<String> {
        if self.is_mended_by_time {
            return None;
        }
        let steps = &mut self.round.as_mut()?.steps;
        let what = match steps.part()? {
            HousekeepingPart::Events => "old events",
            HousekeepingPart::DeletedTriggers => "events of a trigger that is gone",
            HousekeepingPart::Audit => "old records of the audit log",
            HousekeepingPart::Sessions => "old sessions",
            HousekeepingPart::Services => "old changes of services",
            HousekeepingPart::Leftovers => "what interfaces and users have left",
        };
        steps.skip();
        Some(what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rests_so_that_its_share_is_kept() {
        let rate = |busy_percent| ExpiryRate { interval: None, rows_max: 1, busy_percent };
        let took = Duration::from_millis(50);
        assert_eq!(rate(20).rest(took), Duration::from_millis(200));
        assert_eq!(rate(50).rest(took), took);
        assert_eq!(rate(100).rest(took), Duration::ZERO);
        assert_eq!(rate(1).rest(Duration::from_secs(60)), REST_MAX);
    }
}
