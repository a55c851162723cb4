//! The relational store as the engine's readers see it.

use std::sync::Arc;

use db::events::EventRow;
use db::{ConfigError, Db, Snapshot};
use engine::readers::discovery::{self, DiscoverySink, Unapplied};
use engine::readers::events::{self, EventSink, JournalEvent};
use engine::readers::{JournalOfSink, SinkError};
use model::{ItemId, Time};

/// Where events go.
pub(super) struct SqlEvents(pub(super) Db);

impl JournalOfSink for SqlEvents {
    fn journal_identity(&self) -> Result<u32, SinkError> {
        Ok(self.0.journal_of(events::NAME)?)
    }

    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError> {
        Ok(self.0.set_journal_of(events::NAME, identity)?)
    }
}

impl EventSink for SqlEvents {
    fn cursor(&self) -> u64 {
        self.0.events().cursor()
    }

    fn is_waiting(&self) -> bool {
        self.0.events().n_waiting() != 0
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.0.snapshot()
    }

    fn has_room(&self, n_events: usize) -> Result<(), SinkError> {
        Ok(self.0.events().has_room(n_events)?)
    }

    fn apply(&self, events: &mut Vec<JournalEvent>, lsn: u64) -> Result<(), SinkError> {
        self.0.events().has_room(events.len())?;
        Ok(self.0.events().apply(events.drain(..).map(row).collect(), lsn)?)
    }

    fn restart_at(&self, lsn: u64) -> Result<(), SinkError> {
        Ok(self.0.events().restart_at(lsn)?)
    }
}

fn row(event: JournalEvent) -> EventRow {
    EventRow {
        eventid: event.id,
        source: event.subject.source(),
        object: event.subject.object(),
        objectid: event.subject.id(),
        time: event.time,
        value: event.kind as u8,
        severity: event.severity,
        name: event.name,
        opdata: event.opdata,
        tags: event.tags,
        hosts: event.hosts,
        recovers: event.recovers,
        userid: event.closed_by,
    }
}

/// Where results of discovery go.
pub(super) struct SqlDiscovery(pub(super) Db);

impl JournalOfSink for SqlDiscovery {
    fn journal_identity(&self) -> Result<u32, SinkError> {
        Ok(self.0.journal_of(discovery::NAME)?)
    }

    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError> {
        Ok(self.0.set_journal_of(discovery::NAME, identity)?)
    }
}

impl DiscoverySink for SqlDiscovery {
    fn cursor(&self) -> Result<u64, SinkError> {
        Ok(self.0.cursor(discovery::NAME)?)
    }

    fn set_cursor(&self, lsn: u64) -> Result<(), SinkError> {
        Ok(self.0.set_cursor(discovery::NAME, lsn)?)
    }

    fn is_known(&self, rule: ItemId) -> bool {
        self.0.snapshot().item(rule).is_some()
    }

    fn apply(&self, rule: ItemId, text: &str, now: Time) -> Result<(), Unapplied> {
        let why = |error: ConfigError| {
            if error.retry() {
                Unapplied::Away(error.into())
            } else {
                Unapplied::Refused(error.into())
            }
        };
        self.0.apply_lld(rule, text, now).map(drop).map_err(why)
    }
}
