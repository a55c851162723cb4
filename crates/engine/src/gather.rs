//! Functions over many items and over trends: read for shards, outside of their threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use history::{RangeQuery, Store};
use jiff::tz::TimeZone;
use model::{ItemId, Time, Value, ValueType};
use pipeline::gather::{Gather, Gatherer, ReadRange, Source};
use pipeline::{FetchFailed, Live, Samples, Target};
use rt::metrics::{Counter, TimeHistogram};
use rt::queue::{ReceiveError, Receiver};

use crate::cold::rising;
use crate::mailboxes::{Internal, Mailboxes};
use crate::running::RunningConfiguration;

/// Questions waiting; shards keep what finds no room.
pub const GATHERS_MAX: usize = 10_000;

rt::metrics! {
    /// Functions over many items and trends.
    pub struct GatherMetrics in "saker_gather" {
        /// Questions answered for calculated items and triggers.
        pub questions_total: Counter,
        /// Questions that history could not answer.
        pub failed_total: Counter,
        /// Time of one answer, in seconds.
        pub answer_seconds: TimeHistogram,
    }
}

/// What answers are made of.
pub struct Gathers {
    pub history: Arc<dyn Store>,
    pub running: Arc<RunningConfiguration>,
    pub live: Live,
    pub mailboxes: Mailboxes,
    pub metrics: GatherMetrics,
    pub clock: rt::clock::Clock,
}

opaque_debug!(Gathers);

impl Gathers {
    /// Answers questions until the process has drained.
    pub fn serve(self, questions: &Receiver<(u16, Gather)>, drained: &AtomicBool) {
        let mut gatherer = Gatherer::new(TimeZone::system());
        while !drained.load(Ordering::Relaxed) {
            let (shard, gather) = match questions.receive_timeout(Duration::from_millis(100)) {
                Ok(it) => it,
                Err(ReceiveError::Empty) => continue,
                Err(ReceiveError::Closed) => return,
            };
            let started_ns = self.clock.mono_ns();
            let directory = self.running.directory();
            let mut stored = Stored { history: &*self.history, live: &self.live };
            let answer = gatherer.answer(&gather, &directory, &mut stored);
            self.metrics.questions_total.inc();
            self.metrics.failed_total.add(u64::from(answer.values.is_err()));
            let spent_ns = self.clock.mono_ns().saturating_sub(started_ns);
            self.metrics.answer_seconds.observe_ns(spent_ns);
            self.mailboxes.send(shard, Internal::Gathered(vec![answer]));
        }
    }
}

/// Stored values, and the newest ones of items that store nothing.
pub struct Stored<'a> {
    pub history: &'a dyn Store,
    pub live: &'a Live,
}

opaque_debug!(['a] Stored<'a>);

impl Source for Stored<'_> {
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

    fn newest(&mut self, item: &Target) -> Option<Samples> {
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

    fn is_unsupported(&mut self, item: &Target) -> bool {
        let shard = self.live.shard(item.shard);
        shard.is_some_and(|it| it.cell(item.slot).unsupported)
    }
}
