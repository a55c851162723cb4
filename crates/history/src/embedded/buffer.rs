//! Without files: where another store is history, what that has not stored yet is held in memory.
//!
//! Values are frozen now and then, and let go of once the other store has them for good. So at any moment memory
//! has the journal's records from a position on, all of them, and the other store has what is before: reading
//! both finds each value once. The exceptions are a start, which reads nothing back, and an other store that is away
//! for so long that memory is full. Then it has to store what is between before anything can be read.

use std::sync::atomic::Ordering;

use journal::Lsn;
use tracing::warn;

use super::{EmbeddedParts, values_of, wanted};
use crate::live::Recent;
use crate::query::RangeQuery;
use crate::{Result, Store};

impl EmbeddedParts {
    /// Nothing is read back: memory begins with what is written from now on.
    pub(super) fn begin_buffer(&self) {
        let next = self.journal.next_lsn();
        self.store.begin_at(next.0);
        (0..self.store.n_heads()).for_each(|it| self.store.head(it).set_position(next.0));
        self.values_in_memory.store(0, Ordering::Relaxed);
        self.applied.fetch_max(next.0, Ordering::Relaxed);
    }

    /// How far the other store has this journal.
    fn stored_elsewhere(&self, history: &dyn Store) -> u64 {
        let is_same = history.journal_identity() == self.journal.identity();
        if is_same { history.cursor().0 } else { 0 }
    }

    /// More than should wait for the other store.
    fn has_too_much(&self) -> bool {
        let bytes = self.applied.load(Ordering::Relaxed).saturating_sub(self.store.cursor());
        self.settings.flush_journal_bytes <= bytes
            || self.settings.flush_values <= self.store.n_values_in_memory()
            || self.is_full.load(Ordering::Relaxed)
    }

    fn has_enough(&self, after: u64) -> bool {
        let bytes = self.applied.load(Ordering::Relaxed).saturating_sub(after);
        self.settings.release_journal_bytes <= bytes || self.has_too_much()
    }

    pub(super) fn release_is_due(&self, history: &dyn Store) -> bool {
        match self.store.frozen_cursor() {
            Some(frozen) => frozen <= self.stored_elsewhere(history) || self.has_too_much(),
            None => self.has_enough(self.store.cursor()),
        }
    }

    /// Lets go of what the other store has, and freezes the next values.
    pub(super) fn release(&self, history: &dyn Store) -> Result<()> {
        if let Some(frozen) = self.store.frozen_cursor() {
            let stored = self.stored_elsewhere(history);
            if frozen <= stored || self.has_too_much() {
                if stored < frozen {
                    let bytes = frozen - stored.max(self.store.cursor());
                    self.metrics.unread_bytes_total.add(bytes);
                    warn!(
                        bytes,
                        "the store that is read lags: values wait for it in the journal, unread"
                    );
                }
                self.store.forget_frozen();
            }
        }
        let begin = self.store.cursor();
        if self.store.frozen_cursor().is_none() && self.has_enough(begin) {
            self.freeze();
        }
        // So that a store that is switched on again finds its place in the journal.
        let cursor = self.cursor.load(Ordering::Relaxed);
        if self.settings.flush_journal_bytes <= begin.saturating_sub(cursor) {
            self.journal.sync_once()?;
            self.store.store_cursor()?;
            self.cursor.store(begin, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Lets go of everything.
    pub(super) fn empty_buffer(&self) {
        self.store.forget_frozen();
        if self.freeze() {
            self.store.forget_frozen();
        }
    }

    /// Values that are in memory only.
    pub(super) fn recent(&self, queries: &[RangeQuery]) -> Result<Recent> {
        let (samples, since) = self.of_one_moment(|begins| {
            let read = |query: &RangeQuery| {
                let (key, range, order) = wanted(query);
                values_of(query, |limit| {
                    let (samples, since) = self.store.range_in_memory(key, range, limit, order);
                    begins.push(since);
                    Ok(samples)
                })
            };
            queries.iter().map(read).collect::<Result<Vec<_>>>()
        });
        Ok(Recent { samples: samples?, since })
    }

    /// Reads memory, which gives where each answer begins, until all answers begin at the same position.
    pub(super) fn of_one_moment<T>(&self, read: impl Fn(&mut Vec<u64>) -> T) -> (T, Lsn) {
        loop {
            let before = self.store.cursor();
            let mut begins = Vec::new();
            let answer = read(&mut begins);
            // A flush between two of them is rare, and another one does not follow at once.
            if begins.iter().all(|it| *it == before) {
                return (answer, Lsn(before));
            }
        }
    }
}
