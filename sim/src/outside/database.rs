//! The relational store: events with the position up to which they are saved, results of discovery with
//! theirs. Each is one transaction, which may fail, or be done without anybody hearing of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use engine::readers::discovery::{DiscoverySink, Unapplied};
use engine::readers::events::{EventSink, SinkEvent};
use engine::readers::{JournalOfSink, SinkError};
use model::event::EventRow;
use model::snapshot::Snapshot;
use model::{EventId, ItemId, Time, TriggerId};

use super::archive::Nameless;
use super::lock;
use crate::random::Random;

/// Events that wait for the database at most.
const WAITING_MAX: usize = 60;
/// Events saved in one transaction.
const BATCH_MAX: usize = 7;

/// How a transaction went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Commit {
    Done,
    /// The database is away.
    Away,
    /// It is done, and the answer is lost.
    DoneUnheard,
    /// It is not done, and the answer is lost.
    UndoneUnheard,
}

/// The state that stays when a process ends.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) events: BTreeMap<EventId, EventRow>,
    pub(crate) events_cursor: u64,
    pub(crate) discovery_cursor: u64,
    /// Results of discovery, in the order in which they were applied.
    pub(crate) results: Vec<(ItemId, String)>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) is_away: bool,
    /// One answer in so many is lost; 0: none.
    pub(crate) lost_answers: usize,
    pub(crate) n_unheard: usize,
    pub(crate) n_refused: usize,
    random: Random,
}

/// The database. A clone is the same one.
#[derive(Clone, Debug)]
pub(crate) struct Database(Arc<Mutex<Tables>>);

impl Database {
    pub(crate) fn new(seed: u64, snapshot: Arc<Snapshot>) -> Self {
        Self(Arc::new(Mutex::new(Tables {
            events: BTreeMap::new(),
            events_cursor: 0,
            discovery_cursor: 0,
            results: Vec::new(),
            snapshot,
            is_away: false,
            lost_answers: 0,
            n_unheard: 0,
            n_refused: 0,
            random: Random::new(seed),
        })))
    }

    pub(crate) fn with<T>(&self, f: impl FnOnce(&mut Tables) -> T) -> T {
        f(&mut lock(&self.0))
    }

    /// Problems of triggers that nothing has ended, oldest first.
    pub(crate) fn open_problems(&self) -> Vec<(TriggerId, EventId)> {
        self.with(|tables| {
            let ended: Vec<EventId> =
                tables.events.values().flat_map(|it| it.recovers.iter().copied()).collect();
            let of_triggers = tables.events.values().filter(|it| it.is_of_trigger());
            let open = of_triggers.filter(|it| it.is_problem() && !ended.contains(&it.eventid));
            open.map(|it| (TriggerId(it.objectid), it.eventid)).collect()
        })
    }

    pub(crate) fn last_changes(&self) -> Vec<(TriggerId, Time)> {
        self.with(|tables| {
            let of_triggers = tables.events.values().filter(|it| it.is_of_trigger());
            of_triggers.map(|it| (TriggerId(it.objectid), it.time)).collect()
        })
    }
}

impl Tables {
    fn commit(&mut self) -> Commit {
        if self.is_away {
            self.n_refused += 1;
            return Commit::Away;
        }
        if self.lost_answers != 0 && self.random.once_in(self.lost_answers) {
            self.n_unheard += 1;
            return if self.random.once_in(2) {
                Commit::DoneUnheard
            } else {
                Commit::UndoneUnheard
            };
        }
        Commit::Done
    }

    pub(crate) fn transaction(&mut self, change: impl FnOnce(&mut Self)) -> Result<(), SinkError> {
        let commit = self.commit();
        if matches!(commit, Commit::Done | Commit::DoneUnheard) {
            change(self);
        }
        match commit {
            Commit::Done => Ok(()),
            Commit::Away => Err("the database is away".into()),
            Commit::DoneUnheard | Commit::UndoneUnheard => Err("the answer is lost".into()),
        }
    }

    /// A row that is there already is the same.
    fn insert(&mut self, event: EventRow) {
        let id = event.eventid;
        if let Some(known) = self.events.get(&id) {
            assert_eq!(*known, event, "an event id stands for two events");
            return;
        }
        let last = self.events.last_key_value().map(|it| *it.0);
        assert!(last < Some(id), "{id:?} comes behind {last:?}");
        self.events.insert(id, event);
    }
}

/// Events that the process keeps until they are saved; they end with the process.
#[derive(Debug, Default)]
struct Waiting {
    events: Vec<EventRow>,
    /// The position behind these.
    handed: u64,
    /// The position that is certain to be in the database.
    confirmed: u64,
}

/// The events' way into the database, as the process sees it.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    database: Database,
    waiting: Arc<Mutex<Waiting>>,
    /// The defect that issue 11 names first: events that wait in memory count as saved.
    counts_unsaved: bool,
}

impl Events {
    pub(crate) fn open(database: &Database, counts_unsaved: bool) -> Self {
        let cursor = database.with(|it| it.events_cursor);
        let waiting = Waiting { events: Vec::new(), handed: cursor, confirmed: cursor };
        let waiting = Arc::new(Mutex::new(waiting));
        Self { database: database.clone(), waiting, counts_unsaved }
    }

    /// Saves some of the waiting events, in one transaction with its position. Returns whether
    /// something changed.
    pub(crate) fn save(&self) -> bool {
        let mut waiting = lock(&self.waiting);
        if waiting.events.is_empty() && waiting.handed == waiting.confirmed {
            return false;
        }
        let n = waiting.events.len().min(BATCH_MAX);
        let is_all = n == waiting.events.len();
        // Between events of one batch there is no position that could be saved.
        let lsn = if is_all { waiting.handed } else { waiting.confirmed };
        let batch = waiting.events.get(..n).unwrap_or_default().to_vec();
        let saved = self.database.with(|tables| {
            tables.transaction(|it| {
                batch.into_iter().for_each(|event| it.insert(event));
                it.events_cursor = lsn;
            })
        });
        // Unheard: the same again, which changes nothing if it was done.
        if saved.is_ok() {
            waiting.events.drain(..n);
            waiting.confirmed = lsn;
        }
        saved.is_ok()
    }
}

impl JournalOfSink for Events {
    fn journal_identity(&self) -> Result<u32, SinkError> {
        Nameless.journal_identity()
    }

    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError> {
        Nameless.set_journal_identity(identity)
    }
}

impl EventSink for Events {
    fn cursor(&self) -> u64 {
        let waiting = lock(&self.waiting);
        if self.counts_unsaved { waiting.handed } else { waiting.confirmed }
    }

    fn is_waiting(&self) -> bool {
        !lock(&self.waiting).events.is_empty()
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.database.with(|it| Arc::clone(&it.snapshot))
    }

    fn has_room(&self, n_events: usize) -> Result<(), SinkError> {
        let n_waiting = lock(&self.waiting).events.len();
        if n_waiting != 0 && WAITING_MAX < n_waiting + n_events {
            return Err(format!("{n_waiting} events wait").into());
        }
        Ok(())
    }

    fn apply(&self, events: &mut Vec<SinkEvent>, lsn: u64) -> Result<(), SinkError> {
        self.has_room(events.len())?;
        let mut waiting = lock(&self.waiting);
        let last = waiting.events.last().map(|it| it.eventid);
        let last = last.max(self.database.with(|it| it.events.last_key_value().map(|it| *it.0)));
        let rows = events.drain(..).map(|it| it.row);
        waiting.events.extend(rows.filter(|it| last < Some(it.eventid)));
        waiting.handed = lsn;
        Ok(())
    }

    fn restart_at(&self, lsn: u64) -> Result<(), SinkError> {
        panic!("nobody accepts that the journal's events before {lsn} are missing");
    }
}

/// The way of results of discovery.
#[derive(Clone, Debug)]
pub(crate) struct Results(pub(crate) Database);

impl JournalOfSink for Results {
    fn journal_identity(&self) -> Result<u32, SinkError> {
        Nameless.journal_identity()
    }

    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError> {
        Nameless.set_journal_identity(identity)
    }
}

impl DiscoverySink for Results {
    fn cursor(&self) -> Result<u64, SinkError> {
        self.0.with(|it| if it.is_away { Err("away".into()) } else { Ok(it.discovery_cursor) })
    }

    fn set_cursor(&self, lsn: u64) -> Result<(), SinkError> {
        self.0.with(|tables| tables.transaction(|it| it.discovery_cursor = lsn))
    }

    fn is_known(&self, rule: ItemId) -> bool {
        self.0.with(|it| it.snapshot.item(rule).is_some())
    }

    fn apply(&self, rule: ItemId, text: &str, _now: Time) -> Result<(), Unapplied> {
        let result = (rule, text.to_owned());
        let applied = self.0.with(|tables| {
            tables.transaction(|it| {
                // Once more changes nothing.
                if it.results.iter().rfind(|known| known.0 == rule) != Some(&result) {
                    it.results.push(result);
                }
            })
        });
        applied.map_err(Unapplied::Away)
    }
}
