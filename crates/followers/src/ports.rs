//! Interfaces to the running server that followers need.

use std::sync::Arc;
use std::time::Duration;

use db::{Db, RunningMaintenances};
use engine::event_writer::{EventWriteError, EventWriter, OutsideEvent, Written};
use engine::running::RunningConfiguration;
use journal::Lsn;
use model::{ItemId, MaintenanceId, Time, Value};
use pipeline::LiveTable;

/// The way of events into the journal, and from there into the database.
pub trait EventLog: Send + Sync {
    /// Where the journal ended when this process began.
    fn start(&self) -> Lsn;

    /// Where it ends now.
    fn end(&self) -> Lsn;

    /// Whether the database has each event before this position.
    fn has_applied(&self, lsn: Lsn) -> bool;

    /// As [`Self::has_applied`], for which it waits so long at most. It has the database take them.
    fn wait_carried(&self, lsn: Lsn, time_max: Duration) -> bool;

    /// Writes events, all of them or none.
    ///
    /// # Errors
    /// None of them is in the journal.
    fn write(&self, events: &[OutsideEvent]) -> Result<Written, EventWriteError>;
}

impl EventLog for EventWriter {
    fn start(&self) -> Lsn {
        Self::start(self)
    }

    fn end(&self) -> Lsn {
        Self::end(self)
    }

    fn has_applied(&self, lsn: Lsn) -> bool {
        Self::has_applied(self, lsn)
    }

    fn wait_carried(&self, lsn: Lsn, time_max: Duration) -> bool {
        Self::wait_carried(self, lsn, time_max)
    }

    fn write(&self, events: &[OutsideEvent]) -> Result<Written, EventWriteError> {
        Self::write(self, events)
    }
}

/// Finds which hosts are in maintenance.
pub trait Maintaining: Send + Sync {
    /// By the maintenances that `takes` takes, which is asked before each is looked at.
    fn maintain_by(
        &self,
        now: Time,
        takes: &mut dyn FnMut(MaintenanceId) -> bool,
    ) -> Arc<RunningMaintenances>;
}

impl Maintaining for Db {
    fn maintain_by(
        &self,
        now: Time,
        takes: &mut dyn FnMut(MaintenanceId) -> bool,
    ) -> Arc<RunningMaintenances> {
        Self::maintain_by(self, now, takes)
    }
}

/// Last values of items.
pub trait LastValues: Send + Sync {
    /// Looks them up in the configuration of now: one look for many items.
    fn view(&self) -> Box<dyn Fn(ItemId) -> Option<Value> + '_>;
}

/// Last values as the shards publish them.
pub struct ShardValues {
    pub running: Arc<RunningConfiguration>,
    pub live: LiveTable,
}

opaque_debug!(ShardValues);

impl LastValues for ShardValues {
    fn view(&self) -> Box<dyn Fn(ItemId) -> Option<Value> + '_> {
        let directory = self.running.directory();
        Box::new(move |item| {
            let target = directory.by_item(item).filter(|it| it.enabled)?;
            Some(self.live.last(target.shard, target.slot).last?.1)
        })
    }
}

/// Whether the same events may be written later.
pub(crate) fn is_mended_by_time(error: &EventWriteError) -> bool {
    match error {
        EventWriteError::Stopped => true,
        EventWriteError::TooMany { .. } => false,
        EventWriteError::Refused(error) => error.retry(),
    }
}
