//! Results of discovery: from records of the journal to the configuration.
//!
//! Of several results of one rule that wait, only the newest is applied: each is the whole truth of
//! its time.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use journal::Record;
use model::record::RecordView;
use model::{ItemId, Time};
use rt::clock::Clock;
use tracing::{error, info, warn};

use super::follower::{Follower, ReaderParts, ReaderWork};
use super::{JournalOfSink, ReaderTurn, STRIDE_BYTES, SinkError};

/// Name of the reader's cursor, and what `/health` calls it.
pub const NAME: &str = "discovery";

/// Where results of discovery go.
pub trait DiscoverySink: JournalOfSink {
    /// The position up to which results were applied; 0 if none was.
    ///
    /// # Errors
    /// Asked again later.
    fn cursor(&self) -> Result<u64, SinkError>;
    /// # Errors
    /// Asked again later.
    fn set_cursor(&self, lsn: u64) -> Result<(), SinkError>;
    fn is_known(&self, rule: ItemId) -> bool;
    /// Applies a result; once more changes nothing.
    ///
    /// # Errors
    /// Why not, and whether it may be later.
    fn apply(&self, rule: ItemId, text: &str, now: Time) -> Result<(), Unapplied>;
}

/// Why a result was not applied.
#[derive(Debug)]
pub enum Unapplied {
    /// The store is away, or the outcome is unknown.
    Away(SinkError),
    /// It never will be.
    Refused(SinkError),
}

/// Carries results of discovery into a store.
pub struct DiscoveryFeed<S> {
    follower: Follower,
    sink: S,
    clock: Clock,
    /// Read and not applied yet: the newest of each rule.
    results: BTreeMap<ItemId, String>,
    /// Something was applied since the cursor was saved.
    had_work: bool,
    /// The cursor as the store has it, once that is known.
    saved: Option<u64>,
}

opaque_debug!([S] DiscoveryFeed<S>);

impl<S: DiscoverySink> DiscoveryFeed<S> {
    pub fn new(sink: S, clock: Clock, parts: ReaderParts) -> Self {
        let follower = Follower::new(NAME, parts);
        Self { follower, sink, clock, results: BTreeMap::new(), had_work: false, saved: None }
    }

    fn work(&mut self, stopping: bool) -> Result<ReaderTurn, ReaderTurn> {
        let saved = match self.saved {
            Some(it) => it,
            None => {
                let cursor = self.sink.cursor();
                *self.saved.insert(cursor.map_err(|error| self.follower.retry(&*error))?)
            }
        };
        let (sink, mut restarted) = (&self.sink, None);
        self.follower.find(saved, sink, |lsn| {
            sink.set_cursor(lsn)?;
            restarted = Some(lsn);
            Ok(())
        })?;
        self.saved = restarted.or(self.saved);
        if self.results.is_empty() {
            let results = &mut self.results;
            self.follower.read(|record, parts| {
                read_results(record, results, parts);
                true
            })?;
        }
        while let Some((rule, text)) = self.results.pop_first() {
            if let Err(turn) = self.apply(rule, &text) {
                self.results.insert(rule, text);
                return Err(turn);
            }
            self.had_work = true;
        }
        self.save(stopping)?;
        Ok(if self.follower.is_at_end() { ReaderTurn::Idle } else { ReaderTurn::More })
    }

    /// An error if the store is away: the rule's next result may come a day later, so this one waits.
    /// Results that can never be applied are counted by reason.
    fn apply(&mut self, rule: ItemId, text: &str) -> Result<(), ReaderTurn> {
        let (sink, now) = (&self.sink, self.clock.wall());
        // An edit that panics has changed nothing.
        let applied = catch_unwind(AssertUnwindSafe(|| sink.apply(rule, text, now)));
        let failed = &self.follower.parts.metrics.discoveries_failed_total;
        match applied {
            Ok(Ok(())) => {
                self.follower.went_well();
                self.follower.parts.metrics.discoveries_total.inc();
            }
            Ok(Err(Unapplied::Away(error))) => return Err(self.follower.retry(&*error)),
            // A rule that was deleted meanwhile is not logged.
            Ok(Err(Unapplied::Refused(error))) if !self.sink.is_known(rule) => {
                failed.of("gone").inc();
                info!(%rule, %error, "a result belongs to a deleted discovery rule");
            }
            Ok(Err(Unapplied::Refused(error))) => {
                failed.of("refused").inc();
                warn!(%rule, %error, "a result of discovery was refused");
            }
            Err(_logged) => {
                failed.of("panic").inc();
                error!(%rule, "a result of discovery caused a panic, which is a bug; it is skipped");
            }
        }
        Ok(())
    }

    fn save(&mut self, stopping: bool) -> Result<(), ReaderTurn> {
        let (lsn, saved) = (self.follower.lsn().0, self.saved.unwrap_or(0));
        let is_far = STRIDE_BYTES <= lsn.abs_diff(saved);
        if lsn == saved || !(self.had_work || is_far || stopping) {
            return Ok(());
        }
        self.follower.sync()?;
        if let Err(error) = self.sink.set_cursor(lsn) {
            return Err(self.follower.retry(&*error));
        }
        self.follower.went_well();
        (self.saved, self.had_work) = (Some(lsn), false);
        Ok(())
    }
}

impl<S: DiscoverySink> ReaderWork for DiscoveryFeed<S> {
    fn turn(&mut self, stopping: bool) -> ReaderTurn {
        self.follower.parts.cursors.reader(NAME).begin_turn();
        let turn = self.work(stopping).unwrap_or_else(|it| it);
        if turn == ReaderTurn::Halted {
            // Nothing of the journal is given up before the operator has decided.
            self.follower.parts.cursors.reader(NAME).keep_all();
        } else if let Some(saved) = self.saved {
            let parts = &self.follower.parts;
            let is_waiting = self.had_work || !self.results.is_empty();
            let progress = parts.cursors.reader(NAME);
            let lag = self.follower.report_progress(progress, saved, is_waiting);
            parts.metrics.discovery_lag_bytes.set(lag);
            if turn == ReaderTurn::Idle && !is_waiting {
                progress.idle();
            }
        }
        turn
    }
}

fn read_results(record: &Record<'_>, results: &mut BTreeMap<ItemId, String>, parts: &ReaderParts) {
    let view = match RecordView::parse(record.payload) {
        Ok(it) => it,
        Err(error) => return parts.report_skipped(NAME, record.lsn, &error),
    };
    for row in view.discoveries() {
        match row {
            Ok(row) => drop(results.insert(row.rule, row.text.to_owned())),
            Err(error) => parts.report_skipped(NAME, record.lsn, &error),
        }
    }
}
