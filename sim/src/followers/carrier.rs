//! The way of events: into a journal on a disk in memory, and by its shipped reader into the database.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use db::Db;
use disk::MemDisk;
use engine::event_writer::{EventWriteError, EventWriter, EventWriterParts, OutsideEvent, Written};
use engine::health_issues::{HealthIssueMetrics, HealthIssues};
use engine::pause::Pause;
use engine::readers::events::EventFeed;
use engine::readers::{Cursors, ReaderMetrics, ReaderParts, ReaderTurn, ReaderWork as _};
use followers::event_sink::SqlEvents;
use followers::ports::EventLog;
use journal::{Journal, Lsn};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;

use crate::faults::Faults;
use crate::outside::lock;

/// The reader of events, shared with its waiters.
#[derive(Clone)]
pub(super) struct Carrier {
    feed: Arc<Mutex<EventFeed<SqlEvents>>>,
    journal: Journal,
    cursors: Arc<Cursors>,
    db: Db,
    clock: Clock,
    faults: Faults,
}

impl fmt::Debug for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carrier").finish_non_exhaustive()
    }
}

impl Carrier {
    /// Whether there was something to carry.
    pub(super) fn carry(&self) -> bool {
        // Changes of problems by other parts are saved first: they are no events.
        if !self.save() {
            return false;
        }
        self.faults.count_saves(true);
        let turn = lock(&self.feed).turn(false);
        assert_ne!(turn, ReaderTurn::Halted, "the reader has lost its place");
        let is_saved = self.save();
        self.faults.count_saves(false);
        if !is_saved {
            return false;
        }
        // Once more: only now it knows that all is saved.
        let _known = lock(&self.feed).turn(false);
        turn == ReaderTurn::More
    }
}

impl Carrier {
    /// Lets the journal remove records that no reader needs. `read`: up to where the oracle has
    /// read it.
    pub(super) fn retain(&self, read: Lsn) {
        let needed = read.min(Lsn(self.cursors.saved()));
        self.journal.set_retention(needed).expect("files can be removed");
    }

    /// Only the end of the process keeps events from being saved.
    fn save(&self) -> bool {
        let saved = self.db.events().flush();
        assert!(saved.is_ok() || self.faults.is_dead(), "events are not saved: {saved:?}");
        saved.is_ok()
    }
}

/// The way into the journal, which takes nothing now and then.
pub(super) struct RefusingLog {
    log: EventWriter,
    n_refused: AtomicU32,
}

impl fmt::Debug for RefusingLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefusingLog").finish_non_exhaustive()
    }
}

impl RefusingLog {
    /// The next records are refused.
    pub(super) fn refuse(&self, n_records: u32) {
        self.n_refused.store(n_records, Ordering::Relaxed);
    }
}

impl EventLog for RefusingLog {
    fn start(&self) -> Lsn {
        self.log.start()
    }

    fn end(&self) -> Lsn {
        self.log.end()
    }

    fn has_applied(&self, lsn: Lsn) -> bool {
        self.log.has_applied(lsn)
    }

    fn wait_carried(&self, lsn: Lsn, time_max: Duration) -> bool {
        self.log.wait_carried(lsn, time_max)
    }

    fn write(&self, events: &[OutsideEvent]) -> Result<Written, EventWriteError> {
        let fewer = |it: u32| it.checked_sub(1);
        let refused = self.n_refused.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
        if refused.is_ok() { Err(EventWriteError::Stopped) } else { self.log.write(events) }
    }
}

/// A follower that waits for events lets the reader have its turns.
impl Pause for Carrier {
    fn pause(&self, time: Duration) -> bool {
        self.clock.advance(time);
        self.carry();
        false
    }
}

/// Opens the journal, for a process that begins.
pub(super) fn open(
    (disk, db): (&MemDisk, &Db),
    faults: &Faults,
    (clock, health, registry): (&Clock, &Health, &Registry),
) -> (Journal, Carrier, Arc<RefusingLog>) {
    let (disk, path) = (Arc::new(disk.clone()), Path::new("/journal"));
    let opened = Journal::open(disk, path, journal::JournalSettings::default());
    let journal = opened.unwrap_or_else(|error| panic!("the journal opens: {error}")).0;
    let cursors: Arc<Cursors> = Arc::default();
    let readers = ReaderParts {
        journal: journal.clone(),
        cursors: Arc::clone(&cursors),
        metrics: ReaderMetrics::register(registry),
        health: health.clone(),
    };
    let feed = EventFeed::new(SqlEvents(db.clone()), readers);
    let carrier = Carrier {
        feed: Arc::new(Mutex::new(feed)),
        journal: journal.clone(),
        cursors: Arc::clone(&cursors),
        db: db.clone(),
        clock: clock.clone(),
        faults: faults.clone(),
    };
    let issues = HealthIssueMetrics::register(registry);
    let log = EventWriter::of(EventWriterParts {
        journal: journal.clone(),
        sync_each: true,
        wake: engine::readers::ReaderWake::default(),
        cursors,
        clock: clock.clone(),
        stop: Arc::new(carrier.clone()),
        issues: Arc::new(HealthIssues::new(health.clone(), clock.clone(), issues)),
    });
    (journal, carrier, Arc::new(RefusingLog { log, n_refused: AtomicU32::new(0) }))
}
