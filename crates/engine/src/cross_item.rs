//! Functions over many items and over trends: read for shards, outside of their threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use directory::ItemTarget;
use history::{RangeQuery, Store, TrendQuery};
use model::record::Hour;
use model::{ItemId, Time, Value, ValueType};
use pipeline::cross_item::{
    CrossItemQuery, CrossItemReader, HourlyTrend, Hours, ReadRange, Source,
};
use pipeline::{FetchFailed, LiveTable};
use rt::clock::Clock;
use rt::metrics::{Counter, TimeHistogram};
use rt::queue::{ReceiveError, Receiver};
use window::Samples;

use crate::history_fetch::rising;
use crate::mailboxes::{Outbox, ShardMessage};
use crate::running::RunningConfiguration;
use crate::turn::Turn;

const HOUR_S: i64 = 3_600;

/// The most waiting queries. When it is reached, shards keep further ones.
pub const QUERIES_MAX: usize = 10_000;

rt::metrics! {
    /// Functions over many items and trends.
    pub struct CrossItemQueryMetrics in "saker_cross_item_query" {
        /// Queries answered for calculated items and triggers.
        pub answered_total: Counter,
        /// Queries that history could not answer.
        pub failed_total: Counter,
        /// Time of one answer, in seconds.
        pub answer_seconds: TimeHistogram,
    }
}

/// Answers queries over many items.
pub struct CrossItemQueries {
    pub queries: Receiver<(u16, CrossItemQuery)>,
    pub reader: CrossItemReader,
    pub history: Arc<dyn Store>,
    pub running: Arc<RunningConfiguration>,
    pub live: LiveTable,
    pub answers: Outbox,
    pub metrics: CrossItemQueryMetrics,
    pub clock: Clock,
    /// Set once external input has ended.
    pub drained: Arc<AtomicBool>,
}

opaque_debug!(CrossItemQueries);

impl CrossItemQueries {
    /// Answers one query, for which it waits `wait_max` at most.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        if self.drained.load(Ordering::Relaxed) {
            return Turn::Ended;
        }
        if !self.answers.flush() {
            return Turn::Full;
        }
        let (shard, query) = match self.queries.receive_timeout(wait_max) {
            Ok(it) => it,
            Err(ReceiveError::Empty) => return Turn::Idle(wait_max),
            Err(ReceiveError::Closed) => return Turn::Ended,
        };
        let started_ns = self.clock.mono_ns();
        let directory = self.running.directory();
        let unwritten = query.unwritten().and_then(|it| directory.by_item(it));
        if let Some(owner) = unwritten {
            let of = (owner.slot, owner.item);
            let message = ShardMessage::EndHours { asker: shard, query: Box::new(query), of };
            self.answers.push(owner.shard, message);
            return if self.answers.flush() { Turn::More } else { Turn::Full };
        }
        let mut stored = StoredAndLive { history: &*self.history, live: &self.live };
        let answer = self.reader.answer(&query, &directory, &mut stored);
        self.metrics.answered_total.inc();
        self.metrics.failed_total.add(u64::from(answer.values.is_err()));
        let spent_ns = self.clock.mono_ns().saturating_sub(started_ns);
        self.metrics.answer_seconds.observe_ns(spent_ns);
        self.answers.push(shard, ShardMessage::CrossItemAnswer(vec![answer]));
        if self.answers.flush() { Turn::More } else { Turn::Full }
    }
}

/// Stored values, and the newest ones of items that store nothing.
pub struct StoredAndLive<'a> {
    pub history: &'a dyn Store,
    pub live: &'a LiveTable,
}

opaque_debug!(['a] StoredAndLive<'a>);

impl Source for StoredAndLive<'_> {
    fn read(
        &mut self,
        (item, kind): (ItemId, ValueType),
        range: ReadRange,
    ) -> Result<Samples, FetchFailed> {
        let query = RangeQuery {
            item,
            kind,
            from: Time(range.from.0.saturating_add(1)),
            till: range.until,
            limit: range.max,
            newest_first: true,
        };
        match self.history.range(&query) {
            Ok(found) => Ok(rising(found.rows)),
            Err(error) => Err(FetchFailed::because(error.to_string())),
        }
    }

    fn trends(
        &mut self,
        (item, kind): (ItemId, ValueType),
        hours: Hours,
    ) -> Result<Vec<HourlyTrend>, FetchFailed> {
        let from = Hour(hours.start.div_euclid(HOUR_S) + i64::from(hours.start % HOUR_S != 0));
        let till = Hour(hours.end.div_euclid(HOUR_S));
        let found = self.history.trends(&[TrendQuery { item, kind, from, till }]);
        let found = found.map_err(|error| FetchFailed::because(error.to_string()))?;
        let rows = found.into_iter().flatten().map(|it| HourlyTrend {
            clock: it.hour.start().clock(),
            min: it.min.to_f64(),
            avg: it.mean(),
            max: it.max.to_f64(),
            num: it.count,
        });
        Ok(rows.collect())
    }

    fn newest(&mut self, item: &ItemTarget) -> Option<Samples> {
        let known = self.live.last(item.shard, item.slot);
        let rows = [known.prev, known.last].into_iter().flatten();
        Some(match item.value_type {
            ValueType::Float => Samples::Float(
                rows.filter_map(|it| match it.1 {
                    Value::Float(value) => Some((it.0, value)),
                    _ => None,
                })
                .collect(),
            ),
            ValueType::Unsigned => Samples::Unsigned(
                rows.filter_map(|it| match it.1 {
                    Value::Unsigned(value) => Some((it.0, value)),
                    _ => None,
                })
                .collect(),
            ),
            _ => Samples::Text(rows.collect()),
        })
    }

    fn is_unsupported(&mut self, item: &ItemTarget) -> bool {
        let shard = self.live.shard(item.shard);
        shard.is_some_and(|it| it.cell(item.slot).unsupported)
    }
}
