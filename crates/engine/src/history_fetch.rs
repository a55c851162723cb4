//! Answers of history to shards: windows that are not in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use history::{RangeQuery, SeriesRows, Store};
use model::Time;
use pipeline::{Fetch, FetchFailed, Fetched};
use rt::clock::Clock;
use rt::metrics::{Counter, TimeHistogram};
use rt::queue::{ReceiveError, Receiver};
use window::Samples;

use crate::mailboxes::{Outbox, ShardMessage};
use crate::turn::Turn;

/// The most waiting fetches. When it is reached, shards keep further ones.
pub const FETCHES_MAX: usize = 20_000;
/// The most fetches answered in one message: some milliseconds of reading.
const RUN_MAX: usize = 1_000;
/// The most windows that are read together.
const TOGETHER_MAX: usize = 200;
/// The most values of a window that is read together with others; larger ones are read alone.
const FEW_MAX: usize = 10_000;
/// The most values of one window. A larger one is not read: half of it would give a wrong result.
const VALUES_MAX: usize = 1_000_000;

rt::metrics! {
    /// Windows that shards do not have in memory, read from history.
    pub struct HistoryFetchMetrics in "saker_history_fetch" {
        /// Windows read from history for triggers.
        pub windows_total: Counter,
        /// Windows that history could not give.
        pub failed_total: Counter,
        /// Time to read a run of windows, in seconds.
        pub run_seconds: TimeHistogram,
    }
}

/// Reads windows for shards.
pub struct HistoryFetcher {
    pub fetches: Receiver<(u16, Fetch)>,
    pub history: Arc<dyn Store>,
    pub answers: Outbox,
    pub metrics: HistoryFetchMetrics,
    pub clock: Clock,
    /// Set once external input has ended.
    pub drained: Arc<AtomicBool>,
}

opaque_debug!(HistoryFetcher);

impl HistoryFetcher {
    /// Answers a run of fetches, for the first of which it waits `wait_max` at most.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        if self.drained.load(Ordering::Relaxed) {
            return Turn::Ended;
        }
        if !self.answers.flush() {
            return Turn::Full;
        }
        let mut run = match self.fetches.receive_timeout(wait_max) {
            Ok(first) => vec![first],
            Err(ReceiveError::Empty) => return Turn::Idle(wait_max),
            Err(ReceiveError::Closed) => return Turn::Ended,
        };
        self.fetches.drain(RUN_MAX, &mut run);
        let started_ns = self.clock.mono_ns();
        let n_shards = self.answers.mailboxes().n_shards();
        let mut answers: Vec<Vec<Fetched>> = (0..n_shards).map(|_| Vec::new()).collect();
        let fetches: Vec<Fetch> = run.iter().map(|it| it.1).collect();
        let found = fetches.chunks(TOGETHER_MAX).flat_map(|it| read_all(it, &*self.history));
        for ((shard, fetch), found) in run.into_iter().zip(found) {
            self.metrics.windows_total.inc();
            let answer = found
                .unwrap_or_else(|| read(&fetch, VALUES_MAX, |query| self.history.range(&query)));
            self.metrics.failed_total.add(u64::from(answer.samples.is_err()));
            if let Some(of_shard) = answers.get_mut(usize::from(shard)) {
                of_shard.push(answer);
            }
        }
        let spent_ns = self.clock.mono_ns().saturating_sub(started_ns);
        self.metrics.run_seconds.observe_ns(spent_ns);
        for (shard, of_shard) in (0..).zip(answers) {
            if !of_shard.is_empty() {
                self.answers.push(shard, ShardMessage::Fetched(of_shard));
            }
        }
        if self.answers.flush() { Turn::More } else { Turn::Full }
    }
}

/// Answers to all at once: a store elsewhere is asked twice and not once a window. `None` for one
/// that has too many values for that, and is read alone.
fn read_all(fetches: &[Fetch], history: &dyn Store) -> Vec<Option<Fetched>> {
    let queries: Vec<RangeQuery> = fetches.iter().map(|it| window(it, FEW_MAX)).collect();
    let found = history.ranges(&queries);
    let found = match found {
        Ok(found) => found,
        // It may be one of them: each has its own answer, unless nobody is there to give it.
        Err(error @ (history::Error::Away { .. } | history::Error::NotStored { .. })) => {
            let failed = |it: &Fetch| Some(Fetched { id: it.id, ..failed(&error) });
            return fetches.iter().map(failed).collect();
        }
        Err(_) => return fetches.iter().map(|_| None).collect(),
    };
    let older = fetches.iter().zip(&found).map(|(fetch, found)| {
        let older = older(fetch, &found.rows).filter(|_| found.rows.len() < FEW_MAX)?;
        Some(RangeQuery { limit: older.limit.min(FEW_MAX), ..older })
    });
    let older: Vec<Option<RangeQuery>> = older.collect();
    let queries: Vec<RangeQuery> = older.iter().flatten().copied().collect();
    let mut more = match history.ranges(&queries) {
        Ok(more) => more.into_iter(),
        Err(_) => return fetches.iter().map(|_| None).collect(),
    };
    let answers = fetches.iter().zip(found).zip(older).map(|((fetch, found), older)| {
        let found = if older.is_some() { more.next()? } else { found };
        (found.rows.len() < FEW_MAX).then(|| answer(fetch, found))
    });
    answers.collect()
}

/// Values with `from < time <= until`, and older ones if too few of these lie at or before
/// `count_until`.
fn read(
    fetch: &Fetch,
    values_max: usize,
    range: impl Fn(RangeQuery) -> history::Result<history::HistorySamples>,
) -> Fetched {
    let found = range(window(fetch, values_max.saturating_add(1))).and_then(|found| {
        let older = older(fetch, &found.rows).filter(|_| found.rows.len() <= values_max);
        older.map_or(Ok(found), |it| {
            range(RangeQuery { limit: it.limit.min(values_max.saturating_add(1)), ..it })
        })
    });
    match found {
        Ok(found) if values_max < found.rows.len() => {
            let reason = format!("the window holds more than {values_max} values").into();
            let failed = FetchFailed { reason, is_too_much: true };
            Fetched { id: fetch.id, lsn: None, samples: Err(failed) }
        }
        Ok(found) => answer(fetch, found),
        Err(error) => Fetched { id: fetch.id, ..failed(&error) },
    }
}

fn window(fetch: &Fetch, limit: usize) -> RangeQuery {
    let (item, kind, till) = (fetch.item, fetch.kind, fetch.until);
    let from = Time(fetch.from.0.saturating_add(1));
    RangeQuery { item, kind, from, till, limit, newest_first: true }
}

/// The query to make if a window holds too few values.
fn older(fetch: &Fetch, found: &SeriesRows) -> Option<RangeQuery> {
    let n_late = n_after(found, fetch.count_until);
    let count = usize::try_from(fetch.count).unwrap_or(usize::MAX);
    let is_short = found.len() - n_late < count;
    let limit = n_late.saturating_add(count);
    is_short.then(|| RangeQuery { from: Time(i64::MIN), ..window(fetch, limit) })
}

fn answer(fetch: &Fetch, found: history::HistorySamples) -> Fetched {
    Fetched { id: fetch.id, lsn: found.lsn.map(|it| it.0), samples: Ok(rising(found.rows)) }
}

fn failed(error: &history::Error) -> Fetched {
    Fetched { id: 0, lsn: None, samples: Err(FetchFailed::because(error.to_string())) }
}

/// Values later than a time, of rows that are newest first.
fn n_after(rows: &SeriesRows, time: Time) -> usize {
    match rows {
        SeriesRows::Float(rows) => rows.partition_point(|it| time < it.0),
        SeriesRows::Unsigned(rows) => rows.partition_point(|it| time < it.0),
        SeriesRows::Other(rows) => rows.partition_point(|it| time < it.time),
    }
}

/// From newest first to oldest first.
pub fn rising(mut rows: SeriesRows) -> Samples {
    match &mut rows {
        SeriesRows::Float(rows) => rows.reverse(),
        SeriesRows::Unsigned(rows) => rows.reverse(),
        SeriesRows::Other(rows) => rows.reverse(),
    }
    as_found(rows)
}

/// In the order in which they are.
pub fn as_found(rows: SeriesRows) -> Samples {
    match rows {
        SeriesRows::Float(rows) => Samples::Float(rows),
        SeriesRows::Unsigned(rows) => Samples::Unsigned(rows),
        SeriesRows::Other(rows) => {
            Samples::Text(rows.into_iter().map(|it| (it.time, it.value)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use model::{ItemId, ValueType};

    use super::*;

    /// Ten values, one a second; at most so many may be read.
    fn answer(from: i64, count: u32, values_max: usize) -> Result<usize, String> {
        let fetch = Fetch {
            id: 7,
            item: ItemId(1),
            kind: ValueType::Float,
            from: Time::from_clock(from, 0),
            until: Time::MAX,
            count,
            count_until: Time::MAX,
        };
        let read = read(&fetch, values_max, |query| {
            let all = (1..=10).rev().map(|it| (Time::from_clock(it, 0), 1.0));
            let found = all.filter(|it| query.from <= it.0 && it.0 <= query.till);
            let rows = SeriesRows::Float(found.take(query.limit).collect());
            Ok(history::HistorySamples { rows, lsn: None })
        });
        read.samples.map(|it| it.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_window_of_too_many_values_is_refused_and_never_cut() {
        assert_eq!(answer(0, 0, 10), Ok(10));
        assert_eq!(answer(7, 5, 10), Ok(5));
        assert_eq!(answer(7, 50, 10), Ok(10));
        let refused = Err("history cannot be read: the window holds more than 9 values".to_owned());
        assert_eq!(answer(0, 0, 9), refused);
        assert_eq!(answer(7, 10, 9), refused);
        assert_eq!(answer(7, 9, 9), Ok(9));
    }
}
