//! The oracle's own reader of the journal: one more with a place of its own, for which the journal is kept.

use std::sync::{Arc, Mutex};

use engine::readers::follower::{Follower, ReaderParts};
use engine::readers::{JournalOfSink, ReaderTurn, ReaderWork, SinkError};

use super::lock;
use crate::oracle::Archive;

/// Its name in the journal.
pub(crate) const NAME: &str = "archive";

/// Carries records into the archive.
#[derive(Debug)]
pub(crate) struct ArchiveFeed {
    follower: Follower,
    archive: Arc<Mutex<Archive>>,
    /// Read, and not durable yet: payload, position behind it, first id.
    read: Vec<(Vec<u8>, u64, u64)>,
}

/// Journals of the simulation have no identity.
pub(super) struct Nameless;

impl JournalOfSink for Nameless {
    fn journal_identity(&self) -> Result<u32, SinkError> {
        Ok(0)
    }

    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError> {
        panic!("journals of the simulation have no identity, and this is {identity}");
    }
}

impl ArchiveFeed {
    pub(crate) fn new(archive: &Arc<Mutex<Archive>>, parts: ReaderParts) -> Self {
        let follower = Follower::new(NAME, parts);
        Self { follower, archive: Arc::clone(archive), read: Vec::new() }
    }

    fn work(&mut self) -> Result<ReaderTurn, ReaderTurn> {
        let saved = lock(&self.archive).cursor;
        self.follower
            .find(saved, &Nameless, |_| panic!("nobody accepts that something is missing"))?;
        let read = &mut self.read;
        self.follower.read(|record, _| {
            read.push((record.payload.to_vec(), record.next_lsn.0, record.first_id));
            true
        })?;
        self.follower.sync()?;
        let mut archive = lock(&self.archive);
        for (payload, next_lsn, first_id) in self.read.drain(..) {
            archive.take(&payload, next_lsn, first_id);
        }
        Ok(if self.follower.is_at_end() { ReaderTurn::Idle } else { ReaderTurn::More })
    }
}

impl ReaderWork for ArchiveFeed {
    fn turn(&mut self, _stopping: bool) -> ReaderTurn {
        let turn = self.work().unwrap_or_else(|it| it);
        if turn != ReaderTurn::Halted {
            let saved = lock(&self.archive).cursor;
            let progress = Arc::clone(self.follower.parts.cursors.reader(NAME));
            self.follower.report_progress(&progress, saved, !self.read.is_empty());
        }
        turn
    }
}
