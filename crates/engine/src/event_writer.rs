//! The way into the journal for events that no shard makes: of services, of hosts that register themselves, of
//! network discovery, of discovery rules whose results can't be applied.
//!
//! Events get their ids here, from the journal, as those of triggers do, and from there on nothing
//! is different: the reader of events carries them into the relational store. One call is one
//! record: all of its events or none, in order.
//!
//! **Exactly once.** A record that was written is applied once, whatever ends the process; the
//! remaining task is not to write the same event twice. So a writer stores nothing about published
//! events: the events are the record. After a start it waits for [`EventWriter::has_applied`] of
//! [`EventWriter::start`]: then the store knows each event that is in the journal, and what was
//! published follows from there (open problems of the subject, rows made of an event's details).
//! Within a process it remembers what it has written, or waits until the position of [`Written`] is
//! applied.

use std::sync::Arc;
use std::time::Duration;

use journal::{Journal, Lsn};
use model::content::{Severity, Tag};
use model::record::{
    EventKind, EventRef, NewEvent, NewTransition, RecordBuilder, RecordHead, Subject,
};
use model::{EventId, Time, UserId};
use rt::clock::{Clock, nanos};
use thiserror::Error;

use crate::health_issues::{HealthIssues, Work};
use crate::pause::Pause;
use crate::readers::{Cursors, ReaderWake, events};
use crate::shard::ShardContext;

/// The most events of one call, which have to fit into one record. More are refused.
pub const EVENTS_MAX: usize = 5_000;
/// The pause between two attempts to write a record that the journal refused.
const JOURNAL_PAUSE: Duration = Duration::from_millis(200);

/// The interval between two checks of the event reader's position.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// An event that is not in the journal yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutsideEvent {
    /// The subject; never a trigger's value, which only shards change.
    pub subject: Subject,
    pub time: Time,
    pub kind: EventKind,
    pub severity: Severity,
    pub name: String,
    pub tags: Vec<Tag>,
    /// Of a kind that ends problems: which ones. Of services and internal events it may be left empty: all
    /// that are open of the subject end then.
    pub recovers: Vec<EventId>,
    /// Fields that identify the subject in addition to its id, by Zabbix's names of columns.
    pub details: Vec<(&'static str, String)>,
}

/// Events that are in the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The first one's id; the others' follow it.
    pub first: EventId,
    /// The position after them.
    pub lsn: Lsn,
}

/// Why events are not in the journal.
#[derive(Debug, Error)]
pub enum EventWriteError {
    /// They are made again after the next start.
    #[error("the server stops")]
    Stopped,
    #[error("{n} events are too many for one record of the journal: {EVENTS_MAX} at most")]
    TooMany { n: usize },
    #[error("the journal does not take the events: {0}")]
    Refused(#[from] journal::Error),
}

/// The parts of a writer of events.
#[derive(Clone)]
pub struct EventWriterParts {
    pub journal: Journal,
    /// Sync each record before it counts as written.
    pub sync_each: bool,
    /// Wakes the reader of events.
    pub wake: ReaderWake,
    pub cursors: Arc<Cursors>,
    pub clock: Clock,
    /// How time passes while the journal refuses, or events are on their way.
    pub stop: Arc<dyn Pause>,
    pub issues: Arc<HealthIssues>,
}

opaque_debug!(EventWriterParts);

/// Writes events that no shard makes. Clones write to the same journal.
#[derive(Clone)]
pub struct EventWriter {
    parts: EventWriterParts,
    start: Lsn,
}

opaque_debug!(EventWriter);

impl EventWriter {
    /// For a process that begins with the journal as it is now.
    #[must_use]
    pub fn of(parts: EventWriterParts) -> Self {
        let start = parts.journal.next_lsn();
        Self { parts, start }
    }

    /// Of an engine that is being put together.
    pub(crate) fn new(context: &ShardContext, cursors: &Arc<Cursors>) -> Self {
        Self::of(EventWriterParts {
            journal: context.journal.clone(),
            sync_each: context.sync_each,
            wake: context.events.clone(),
            cursors: Arc::clone(cursors),
            clock: context.clock.clone(),
            stop: Arc::clone(&context.stop),
            issues: Arc::clone(&context.issues),
        })
    }

    /// Where the journal ended when this process began.
    #[must_use]
    pub fn start(&self) -> Lsn {
        self.start
    }

    /// Whether the relational store knows each event before this position.
    #[must_use]
    pub fn has_applied(&self, lsn: Lsn) -> bool {
        lsn.0 <= self.parts.cursors.reader(events::NAME).done()
    }

    /// Where the journal ends now.
    #[must_use]
    pub fn end(&self) -> Lsn {
        self.parts.journal.next_lsn()
    }

    /// As [`Self::has_applied`], for which it waits so long at most.
    #[must_use]
    pub fn wait_carried(&self, lsn: Lsn, time_max: Duration) -> bool {
        let end_ns = self.parts.clock.mono_ns().saturating_add(nanos(time_max));
        while !self.has_applied(lsn) {
            self.parts.wake.wake();
            if end_ns <= self.parts.clock.mono_ns() || self.parts.stop.pause(POLL_INTERVAL) {
                return self.has_applied(lsn);
            }
        }
        true
    }

    /// Writes events, all of them or none. Waits as long as the journal refuses for a reason that may pass: from
    /// threads that may wait only.
    ///
    /// # Errors
    /// None of them is in the journal.
    pub fn write(&self, events: &[OutsideEvent]) -> Result<Written, EventWriteError> {
        if EVENTS_MAX < events.len() {
            return Err(EventWriteError::TooMany { n: events.len() });
        }
        let mut record = encode(events, self.parts.clock.wall());
        let n_events = record.n_events();
        let payload = record.finish();
        let appended = self.retry(|| self.parts.journal.append(payload, n_events))?;
        if self.parts.sync_each {
            // They are in the journal: the reader waits for the sync, and reports its errors.
            let _synced = self.retry(|| self.parts.journal.sync_to(appended.next_lsn));
        }
        self.parts.wake.wake();
        Ok(Written { first: EventId(appended.first_id), lsn: appended.next_lsn })
    }

    fn retry<T>(&self, mut ask: impl FnMut() -> journal::Result<T>) -> Result<T, EventWriteError> {
        let mut has_waited = false;
        let done = loop {
            match ask() {
                Ok(it) => break Ok(it),
                Err(error) if !error.retry() => break Err(error.into()),
                Err(error) => {
                    has_waited = true;
                    self.parts.issues.begin(Work::OutsideEvents, &error);
                    if self.parts.stop.pause(JOURNAL_PAUSE) {
                        break Err(EventWriteError::Stopped);
                    }
                }
            }
        };
        if has_waited {
            self.parts.issues.end(Work::OutsideEvents);
        }
        done
    }
}

/// A record that is no shard's.
fn encode(events: &[OutsideEvent], now: Time) -> RecordBuilder {
    let mut record = RecordBuilder::new();
    record.start(RecordHead { shard: 0, n_shards: 0, epoch: 0, now });
    for event in events {
        debug_assert!(event.subject.trigger().is_none(), "shards publish the values of triggers");
        let tags: Vec<(&str, &str)> =
            event.tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())).collect();
        let details: Vec<(&str, &str)> =
            event.details.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let recovered: Vec<EventRef> = event.recovers.iter().map(|it| EventRef::Id(*it)).collect();
        record.transition(&NewTransition {
            subject: event.subject,
            time: event.time,
            problem: event.kind == EventKind::Problem,
            error: None,
            event: Some(NewEvent {
                kind: event.kind,
                severity: event.severity,
                name: &event.name,
                opdata: "",
                tags: &tags,
                recovered: &recovered,
                closed_by: UserId::NONE,
                details: &details,
            }),
        });
    }
    record
}

#[cfg(test)]
mod tests;
