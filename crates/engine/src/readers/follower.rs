//! A place in the journal that moves on, whatever happens to its files.

use std::fmt::Display;
use std::sync::Arc;

use journal::{Error, ErrorAction, Journal, JournalReader, Lsn, Record, Upto};
use rt::health::{Health, Level};
use tracing::{error, info, warn};

use super::{
    Cursors, JournalOfSink, Progress, ReaderGap, ReaderMetrics, ReaderTurn, STRIDE_BYTES, SinkError,
};

/// Work that is done in turns.
pub trait ReaderWork {
    /// Does a piece of work, without waiting for anything but the store's answer.
    fn turn(&mut self, stopping: bool) -> ReaderTurn;
}

/// The parts that a reader gets.
#[derive(Clone)]
pub struct ReaderParts {
    pub journal: Journal,
    pub cursors: Arc<Cursors>,
    pub metrics: ReaderMetrics,
    pub health: Health,
}

opaque_debug!(ReaderParts);

impl ReaderParts {
    /// Counts and reports what cannot be read of the journal and is skipped. `/health` has the
    /// newest of each reader until the next start.
    pub(super) fn report_skipped(&self, reader: &'static str, lsn: Lsn, error: &dyn Display) {
        self.metrics.damaged_total.inc();
        error!(reader, %lsn, %error, "a damaged part of the journal is skipped");
        let message = format!(
            "the record of the journal at position {lsn} is damaged and did not get into the database; \
             earlier ones, if any, are in the log: {error}"
        );
        self.health.set(&format!("{reader}-damage"), Level::Failing, message);
    }
}

/// One reader's place.
pub struct Follower {
    name: &'static str,
    pub parts: ReaderParts,
    position: Position,
    is_reported: bool,
}

opaque_debug!(Follower);

enum Position {
    /// Not searched yet.
    Unknown,
    At(JournalReader),
    /// The journal does not have it.
    Missing,
    Lost,
}

impl Follower {
    pub fn new(name: &'static str, parts: ReaderParts) -> Self {
        Self { name, parts, position: Position::Unknown, is_reported: false }
    }

    /// Finds the place where the store left off. With [`ReaderTurn::Halted`] the operator may accept what
    /// is missing: `restart` then sets the position from which the store goes on.
    pub fn find(
        &mut self,
        saved: u64,
        sink: &impl JournalOfSink,
        restart: impl FnOnce(u64) -> Result<(), SinkError>,
    ) -> Result<(), ReaderTurn> {
        match self.position {
            Position::At(_) => return Ok(()),
            Position::Lost => return Err(ReaderTurn::Halted),
            Position::Missing if !self.parts.cursors.is_gap_accepted(self.name) => {
                return Err(ReaderTurn::Halted);
            }
            Position::Missing => {
                // From the beginning: records that the store has already change nothing.
                let first = self.parts.journal.first_lsn();
                let identity = self.parts.journal.identity();
                // In this order: stopped between the two, it asks once more.
                if let Err(error) =
                    restart(first.0).and_then(|()| sink.set_journal_identity(identity))
                {
                    return Err(self.retry(&*error));
                }
                warn!(reader = self.name, cursor = saved, %first, "continues after a gap, as the operator accepted");
                self.parts.metrics.gaps_accepted_total.of(self.name).inc();
                self.parts.cursors.closed(self.name);
                self.open(first)?;
            }
            Position::Unknown => self.open_at(saved, sink)?,
        }
        self.went_well();
        Ok(())
    }

    /// Opens where the store left off, in the journal that it was fed from.
    fn open_at(&mut self, saved: u64, sink: &impl JournalOfSink) -> Result<(), ReaderTurn> {
        let identity = self.parts.journal.identity();
        let known = sink.journal_identity().map_err(|error| self.retry(&*error))?;
        // The part that a copy has in common with its original was applied as well.
        let shared = self.parts.journal.shared_with(known);
        if known != 0 && shared.is_none_or(|end| end < Lsn(saved)) {
            self.record_gap(Lsn(saved));
            return Err(self.halt(
                "this is not the journal that the database was fed from: its positions mean nothing here. \
                 Give the server the journal that belongs to the database, or go on with this one by \
                 `saker journal accept-gap`",
            ));
        }
        self.open(Lsn(saved))?;
        if known != identity
            && let Err(error) = sink.set_journal_identity(identity)
        {
            self.position = Position::Unknown;
            return Err(self.retry(&*error));
        }
        Ok(())
    }

    fn open(&mut self, from: Lsn) -> Result<(), ReaderTurn> {
        match self.parts.journal.reader(from, Upto::Written) {
            Ok(it) => {
                self.position = Position::At(it);
                Ok(())
            }
            Err(error) => Err(self.fault(&error)),
        }
    }

    pub fn lsn(&self) -> Lsn {
        match &self.position {
            Position::At(it) => it.lsn(),
            Position::Unknown | Position::Missing | Position::Lost => Lsn(0),
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.parts.journal.next_lsn() <= self.lsn()
    }

    /// Reads on, a stride at most, until `take` has enough. Where something is in the way after what
    /// was read, the next turn meets it.
    pub fn read(
        &mut self,
        mut take: impl FnMut(&Record<'_>, &ReaderParts) -> bool,
    ) -> Result<(), ReaderTurn> {
        let start = self.lsn();
        let fault = loop {
            let Position::At(reader) = &mut self.position else { return Err(ReaderTurn::Halted) };
            if STRIDE_BYTES <= reader.lsn().0 - start.0 {
                break None;
            }
            let error = match reader.next() {
                Ok(Some(record)) if take(&record, &self.parts) => continue,
                Ok(_) => break None,
                Err(error) => error,
            };
            if ErrorAction::of(&error) != ErrorAction::Skip {
                break Some(error);
            }
            match reader.skip_damage() {
                Ok(lost) => self.parts.report_skipped(self.name, lost.from, &error),
                Err(error) => break Some(error),
            }
        };
        match fault {
            Some(error) if self.lsn() == start => Err(self.fault(&error)),
            Some(_) => Ok(()),
            None => {
                self.went_well();
                Ok(())
            }
        }
    }

    /// Records that a power cut could still take back must not be in the store: their ids would be
    /// given again to other events, and their positions to other records.
    pub fn sync(&mut self) -> Result<(), ReaderTurn> {
        match self.parts.journal.sync_to(self.lsn()) {
            Ok(_synced) => Ok(()),
            Err(error) => Err(self.fault(&error)),
        }
    }

    fn fault(&mut self, error: &Error) -> ReaderTurn {
        match (ErrorAction::of(error), error) {
            (ErrorAction::Halt, Error::Gone { lsn, first }) => {
                let gap = self.record_gap(*lsn);
                self.halt(&format!(
                    "the journal begins at position {first}, and the database has only the records \
                     before position {}: the records in between are gone. Nothing more is written \
                     to the database before you accept that with `saker journal accept-gap`",
                    gap.cursor
                ))
            }
            (ErrorAction::Halt, Error::Ahead { lsn, next }) => {
                let gap = self.record_gap(*lsn);
                self.halt(&format!(
                    "the journal ends at position {next}, and the database has the records before \
                     position {}: this is another journal, or it has lost its end. Give the \
                     server the journal that belongs to the database, or go on with this one by \
                     `saker journal accept-gap`",
                    gap.cursor
                ))
            }
            (ErrorAction::Halt, _) => {
                self.position = Position::Lost;
                self.halt(&format!("the journal cannot be read, restart the server: {error}"))
            }
            (ErrorAction::Retry | ErrorAction::Skip, _) => self.retry(error),
        }
    }

    fn record_gap(&mut self, cursor: Lsn) -> ReaderGap {
        self.position = Position::Missing;
        let journal = &self.parts.journal;
        let (first, next) = (journal.first_lsn().0, journal.next_lsn().0);
        let gap = ReaderGap { reader: self.name.to_owned(), cursor: cursor.0, first, next };
        self.parts.cursors.record_gap(self.name, gap.clone());
        gap
    }

    fn halt(&mut self, message: &str) -> ReaderTurn {
        error!(reader = self.name, "{message}");
        self.parts.health.set(self.name, Level::Failing, message);
        self.is_reported = true;
        ReaderTurn::Halted
    }

    /// Says what it waits for.
    pub fn retry(&mut self, cause: &dyn std::error::Error) -> ReaderTurn {
        let name = self.name;
        self.parts.metrics.retries_total.of(name).inc();
        let message = format!("its records wait in the journal: {cause}");
        if !std::mem::replace(&mut self.is_reported, true) {
            warn!(reader = name, "{message}");
        }
        self.parts.health.set(name, Level::Degraded, message);
        ReaderTurn::Retry
    }

    pub fn went_well(&mut self) {
        if std::mem::take(&mut self.is_reported) {
            info!(reader = self.name, "a reader of the journal continues");
            self.parts.health.clear(self.name);
        }
    }

    /// How far it is: the store has saved what lies before `saved`, and without anything `waiting`
    /// nothing is left to do before the place.
    pub fn report_progress(&self, progress: &Progress, saved: u64, is_waiting: bool) -> f64 {
        let done = if is_waiting { saved } else { self.lsn().0.max(saved) };
        progress.set(saved, done);
        lag(&self.parts.journal, done)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a metric")]
fn lag(journal: &Journal, position: u64) -> f64 {
    journal.next_lsn().0.saturating_sub(position) as f64
}
