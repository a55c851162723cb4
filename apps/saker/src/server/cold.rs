//! Answers of history to shards: windows that are not in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use history::{Embedded, RangeQuery, Rows, Store};
use model::Time;
use pipeline::{Fetch, FetchFailed, Fetched, Samples};
use rt::metrics::{Counter, TimeHistogram};
use rt::queue::{ReceiveError, Receiver};

use super::shard::{Internal, Lanes};

/// Questions waiting; shards keep what finds no room.
pub(super) const FETCHES_MAX: usize = 20_000;
/// Questions answered in one message: some milliseconds of reading.
const RUN_MAX: usize = 1_000;
/// Values of one window at most. A window of more is cut to its newest values.
const VALUES_MAX: usize = 1_000_000;

rt::metrics! {
    /// Cold windows.
    pub(crate) struct ColdMetrics in "saker_cold" {
        /// Windows read from history for triggers.
        pub(crate) windows_total: Counter,
        /// Windows that history could not give.
        pub(crate) failed_total: Counter,
        /// Time to read a run of windows, in seconds.
        pub(crate) run_seconds: TimeHistogram,
    }
}

/// Reads windows until the process has drained.
pub(super) fn serve(
    fetches: &Receiver<(u16, Fetch)>,
    history: &Embedded,
    lanes: &Lanes,
    metrics: &ColdMetrics,
    clock: &rt::clock::Clock,
    drained: &AtomicBool,
) {
    let mut run = Vec::new();
    while !drained.load(Ordering::Relaxed) {
        match fetches.receive_timeout(Duration::from_millis(100)) {
            Ok(first) => run.push(first),
            Err(ReceiveError::Empty) => continue,
            Err(ReceiveError::Closed) => return,
        }
        fetches.drain(RUN_MAX, &mut run);
        let started_ns = clock.mono_ns();
        let mut answers: Vec<Vec<Fetched>> = (0..lanes.len()).map(|_| Vec::new()).collect();
        for (shard, fetch) in run.drain(..) {
            metrics.windows_total.inc();
            let answer = read(history, &fetch);
            metrics.failed_total.add(u64::from(answer.samples.is_err()));
            if let Some(of_shard) = answers.get_mut(usize::from(shard)) {
                of_shard.push(answer);
            }
        }
        metrics.run_seconds.observe_ns(clock.mono_ns().saturating_sub(started_ns));
        for (shard, of_shard) in (0..).zip(answers) {
            if !of_shard.is_empty() {
                lanes.send(shard, Internal::Fetched(of_shard));
            }
        }
    }
}

/// Values with `from < time <= until`, and older ones if too few of these lie at or before
/// `count_until`.
fn read(history: &Embedded, fetch: &Fetch) -> Fetched {
    let range = |from: Time, limit: usize| {
        let (item, kind, till) = (fetch.item, fetch.kind, fetch.until);
        history.range(&RangeQuery { item, kind, from, till, limit, newest_first: true })
    };
    let after = Time(fetch.from.0.saturating_add(1));
    let count = usize::try_from(fetch.count).unwrap_or(usize::MAX).min(VALUES_MAX);
    let found = range(after, VALUES_MAX).and_then(|it| {
        let n_late = n_after(&it.rows, fetch.count_until);
        if it.rows.len() - n_late < count {
            range(Time(i64::MIN), (n_late + count).min(VALUES_MAX))
        } else {
            Ok(it)
        }
    });
    match found {
        Ok(found) => {
            Fetched { id: fetch.id, lsn: found.lsn.map(|it| it.0), samples: Ok(rising(found.rows)) }
        }
        Err(error) => {
            let reason: Arc<str> = error.to_string().into();
            Fetched { id: fetch.id, lsn: None, samples: Err(FetchFailed { reason }) }
        }
    }
}

/// Values later than a moment, of rows that are newest first.
fn n_after(rows: &Rows, time: Time) -> usize {
    match rows {
        Rows::Float(rows) => rows.partition_point(|it| time < it.0),
        Rows::Unsigned(rows) => rows.partition_point(|it| time < it.0),
        Rows::Other(rows) => rows.partition_point(|it| time < it.time),
    }
}

/// From newest first to oldest first.
pub(super) fn rising(rows: Rows) -> Samples {
    match rows {
        Rows::Float(mut rows) => {
            rows.reverse();
            Samples::Float(rows)
        }
        Rows::Unsigned(mut rows) => {
            rows.reverse();
            Samples::Unsigned(rows)
        }
        Rows::Other(mut rows) => {
            rows.reverse();
            Samples::Text(rows.into_iter().map(|it| (it.time, it.value)).collect())
        }
    }
}
