//! The relational store as the reader of events sees it: events become rows, and additional rows of
//! what they describe.

use std::sync::Arc;

use db::{AutoregisteredHost, Db, DiscoveredRow, RowsOfEvents, Snapshot};
use engine::readers::events::{self, EventSink, SinkEvent};
use engine::readers::{JournalOfSink, SinkError};

/// Where events go.
#[derive(Debug)]
pub struct SqlEvents(pub Db);

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

    fn apply(&self, events: &mut Vec<SinkEvent>, lsn: u64) -> Result<(), SinkError> {
        self.0.events().has_room(events.len())?;
        let described = RowsOfEvents {
            registered: events.iter().filter_map(registered).collect(),
            discovered: events.iter().filter_map(discovered).collect(),
        };
        let rows = events.drain(..).map(|it| it.row).collect();
        Ok(self.0.events().apply_with(rows, described, lsn)?)
    }

    fn restart_at(&self, lsn: u64) -> Result<(), SinkError> {
        Ok(self.0.events().restart_at(lsn)?)
    }
}

/// The agent that an event is about.
fn registered(event: &SinkEvent) -> Option<AutoregisteredHost> {
    let row = &event.row;
    AutoregisteredHost::of_event((row.source, row.object), row.objectid, &event.details)
}

/// The device or service that an event is about.
fn discovered(event: &SinkEvent) -> Option<DiscoveredRow> {
    let row = &event.row;
    DiscoveredRow::of_event((row.source, row.object), row.objectid, &event.details)
}
