//! Readers over a disk and stores that fail: nothing is skipped, nothing ends unsaid.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use disk::{Disk as _, MemDisk};
use journal::{Journal, JournalSettings, Lsn, OnCorruption};
use model::content::Severity;
use model::record::{
    DiscoveryRow, EventKind, NewEvent, NewTransition, RecordBuilder, RecordHead, Subject,
};
use model::snapshot::Snapshot;
use model::{ItemId, Time, TriggerId, UserId};
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::Registry;
use rt::shutdown::Shutdown;

use super::discovery::{DiscoverySink, Unapplied};
use super::events::{EventSink, SinkEvent};
use super::follower::{ReaderParts, ReaderWork};
use super::{
    DiscoveryFeed, EventFeed, JournalOfSink, ReaderMetrics, ReaderTurn, ReaderWake, STRIDE_BYTES,
    SinkError,
};
use crate::runner;

const FILE_BYTES: u64 = 64 << 10;

struct World {
    disk: MemDisk,
    parts: ReaderParts,
}

fn open(disk: &MemDisk) -> Journal {
    let settings = JournalSettings {
        file_bytes: FILE_BYTES,
        on_corruption: OnCorruption::Isolate,
        ..JournalSettings::default()
    };
    Journal::open(Arc::new(disk.clone()), Path::new("/journal"), settings).unwrap().0
}

impl World {
    fn new() -> Self {
        let disk = MemDisk::new(1);
        let parts = ReaderParts {
            journal: open(&disk),
            cursors: Arc::default(),
            metrics: ReaderMetrics::register(&Registry::new()),
            health: Health::default(),
        };
        Self { disk, parts }
    }

    /// Another process on the same disk.
    fn restart(&mut self) {
        self.disk.restart_after_kill();
        self.parts.journal = open(&self.disk);
        (self.parts.cursors, self.parts.health) = (Arc::default(), Health::default());
    }

    /// A record with the problem of a trigger.
    fn problem(&self, trigger: u64) {
        let mut record = RecordBuilder::new();
        record.start(head());
        record.transition(&NewTransition {
            subject: Subject::Trigger(TriggerId(trigger)),
            time: Time::from_clock(1_000, 0),
            problem: true,
            error: None,
            event: Some(NewEvent {
                kind: EventKind::Problem,
                severity: Severity::High,
                name: "it is down",
                opdata: "",
                tags: &[],
                recovered: &[],
                closed_by: UserId::NONE,
                details: &[],
            }),
        });
        self.append(record, 1);
    }

    fn result(&self, rule: u64, text: &str) {
        let mut record = RecordBuilder::new();
        record.start(head());
        let time = Time::from_clock(1_000, 0);
        record.discovery(DiscoveryRow { rule: ItemId(rule), time, text });
        self.append(record, 0);
    }

    /// Records that hold nothing for a reader.
    fn values(&self, n_bytes: u64) {
        let end = self.parts.journal.next_lsn().0 + n_bytes;
        while self.parts.journal.next_lsn().0 < end {
            let mut record = RecordBuilder::new();
            record.start(head());
            for at in 0..1_000 {
                record.unsigned(ItemId(at * 7_919 % 1_000), Time::from_clock(1_000, 0), at);
            }
            self.append(record, 0);
        }
    }

    fn append(&self, mut record: RecordBuilder, n_ids: u32) {
        self.parts.journal.append(record.finish(), n_ids).unwrap();
    }

    /// The work of housekeeping each second.
    fn retain(&self) {
        let cursors = &self.parts.cursors;
        let needed = cursors.saved();
        self.parts.journal.set_retention(Lsn(needed)).unwrap();
    }

    fn events(&self, store: &Store) -> EventFeed<Store> {
        EventFeed::new(store.clone(), self.parts.clone())
    }

    fn discovery(&self, store: &Store) -> DiscoveryFeed<Store> {
        DiscoveryFeed::new(store.clone(), Clock::real(), self.parts.clone())
    }

    fn level(&self) -> Option<Level> {
        self.parts.health.level()
    }

    fn message(&self) -> String {
        self.parts.health.issues().into_iter().map(|it| it.message).collect()
    }
}

fn head() -> RecordHead {
    RecordHead { shard: 0, n_shards: 1, epoch: 1, now: Time::from_clock(1_000, 0) }
}

/// A store in memory, which can be away.
#[derive(Clone, Default)]
struct Store(Rc<RefCell<Kept>>);

#[derive(Default)]
struct Kept {
    is_away: bool,
    is_read_only: bool,
    waiting_max: usize,
    waiting: Vec<SinkEvent>,
    /// Of what waits.
    handed_over: u64,
    saved: Vec<SinkEvent>,
    cursor: u64,
    journal_identity: u32,
    gone: BTreeSet<u64>,
    panics_at: Option<u64>,
    applied: Vec<(u64, String)>,
}

impl Store {
    fn new() -> Self {
        let store = Self::default();
        store.0.borrow_mut().waiting_max = 100;
        store
    }

    /// The store's own thread.
    fn save(&self) {
        let mut kept = self.0.borrow_mut();
        if !kept.is_away {
            let waiting = std::mem::take(&mut kept.waiting);
            kept.saved.extend(waiting);
            kept.cursor = kept.handed_over;
        }
    }

    fn away(&self, is_away: bool) {
        self.0.borrow_mut().is_away = is_away;
        self.save();
    }

    /// A crash: waiting rows are gone.
    fn crash(&self) {
        let mut kept = self.0.borrow_mut();
        kept.waiting.clear();
        kept.handed_over = kept.cursor;
    }

    fn triggers(&self) -> Vec<u64> {
        self.0.borrow().saved.iter().map(|it| it.row.objectid).collect()
    }

    fn cursor(&self) -> u64 {
        self.0.borrow().cursor
    }

    fn asked(&self) -> Result<(), SinkError> {
        if self.0.borrow().is_away { Err("away".into()) } else { Ok(()) }
    }
}

impl JournalOfSink for Store {
    fn journal_identity(&self) -> Result<u32, SinkError> {
        self.asked().map(|()| self.0.borrow().journal_identity)
    }

    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError> {
        self.asked()?;
        self.0.borrow_mut().journal_identity = identity;
        Ok(())
    }
}

impl EventSink for Store {
    fn cursor(&self) -> u64 {
        Self::cursor(self)
    }

    fn is_waiting(&self) -> bool {
        !self.0.borrow().waiting.is_empty()
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::default()
    }

    fn has_room(&self, n_events: usize) -> Result<(), SinkError> {
        let kept = self.0.borrow();
        let waiting = kept.waiting.len();
        if kept.waiting_max < waiting + n_events {
            return Err(format!("{waiting} wait").into());
        }
        Ok(())
    }

    fn apply(&self, events: &mut Vec<SinkEvent>, lsn: u64) -> Result<(), SinkError> {
        let mut kept = self.0.borrow_mut();
        // Repeats do nothing.
        let last = kept.saved.iter().chain(&kept.waiting).map(|it| it.row.eventid).max();
        kept.waiting.extend(events.drain(..).filter(|it| last < Some(it.row.eventid)));
        kept.handed_over = lsn;
        drop(kept);
        self.save();
        Ok(())
    }

    fn restart_at(&self, lsn: u64) -> Result<(), SinkError> {
        self.asked()?;
        let mut kept = self.0.borrow_mut();
        (kept.cursor, kept.handed_over) = (lsn, lsn);
        Ok(())
    }
}

impl DiscoverySink for Store {
    fn cursor(&self) -> Result<u64, SinkError> {
        self.asked().map(|()| Self::cursor(self))
    }

    fn set_cursor(&self, lsn: u64) -> Result<(), SinkError> {
        self.asked()?;
        self.0.borrow_mut().cursor = lsn;
        Ok(())
    }

    fn is_known(&self, rule: ItemId) -> bool {
        !self.0.borrow().gone.contains(&rule.0)
    }

    fn apply(&self, rule: ItemId, text: &str, _: Time) -> Result<(), Unapplied> {
        self.asked().map_err(Unapplied::Away)?;
        if self.0.borrow().is_read_only {
            return Err(Unapplied::Away("read-only".into()));
        }
        if self.0.borrow().panics_at == Some(rule.0) {
            panic!("on purpose");
        }
        if !self.is_known(rule) {
            return Err(Unapplied::Refused("unknown".into()));
        }
        if text.starts_with('!') {
            return Err(Unapplied::Refused("no".into()));
        }
        self.0.borrow_mut().applied.push((rule.0, text.to_owned()));
        Ok(())
    }
}

/// Turns until there is nothing to do, or something is in the way.
fn run(feed: &mut impl ReaderWork) -> ReaderTurn {
    loop {
        match feed.turn(false) {
            ReaderTurn::More => {}
            other => return other,
        }
    }
}

#[test]
fn the_journal_keeps_events_that_only_wait_in_memory() {
    let mut world = World::new();
    let store = Store::new();
    let mut feed = world.events(&store);
    world.parts.cursors.reader("discovery").set(u64::MAX, u64::MAX);
    world.problem(1);
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    store.away(true);
    world.problem(2);
    // Files of other records after the event.
    for _ in 0..4 {
        world.values(FILE_BYTES);
        assert_eq!(run(&mut feed), ReaderTurn::Poll);
        world.retain();
    }
    world.problem(3);
    assert_eq!(run(&mut feed), ReaderTurn::Poll);
    world.retain();
    assert_eq!(store.triggers(), [1], "the others wait");
    drop(feed);
    store.crash();
    world.restart();
    store.away(false);
    let mut feed = world.events(&store);
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    assert_eq!(world.level(), None, "{}", world.message());
    assert_eq!(store.triggers(), [1, 2, 3]);
}

#[test]
fn the_place_is_saved_in_idle_stretches_so_that_the_next_start_finds_it() {
    let mut world = World::new();
    let store = Store::new();
    let mut feed = world.events(&store);
    world.parts.cursors.reader("discovery").set(u64::MAX, u64::MAX);
    for _ in 0..5 {
        world.values(STRIDE_BYTES / 2);
        assert_eq!(run(&mut feed), ReaderTurn::Idle);
        world.retain();
    }
    assert!(world.parts.journal.first_lsn().0 > 0, "files were removed");
    let next = world.parts.journal.next_lsn().0;
    assert!(next - store.cursor() < STRIDE_BYTES);
    assert_eq!(world.parts.cursors.reader("events").done(), next, "nothing is left to do");
    // A crash.
    drop(feed);
    world.restart();
    let mut feed = world.events(&store);
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    assert_eq!(world.level(), None, "{}", world.message());
    // A planned stop leaves nothing to read again.
    world.values(1_000);
    while feed.turn(true) != ReaderTurn::Idle {}
    assert_eq!(store.cursor(), world.parts.journal.next_lsn().0);
}

#[test]
fn another_journal_that_has_grown_past_the_place_is_not_taken_for_the_first() {
    let settings = |identity| JournalSettings {
        file_bytes: FILE_BYTES,
        identity,
        ..JournalSettings::default()
    };
    let on = |disk: &MemDisk, identity| {
        let path = Path::new("/journal");
        Journal::open(Arc::new(disk.clone()), path, settings(identity)).unwrap().0
    };
    let mut world = World::new();
    world.disk = MemDisk::new(2);
    world.parts.journal = on(&world.disk, 7);
    let store = Store::new();
    world.problem(1);
    assert_eq!(run(&mut world.events(&store)), ReaderTurn::Idle);
    assert_eq!((store.triggers(), store.0.borrow().journal_identity), (vec![1], 7));
    // The same one, whatever the next process draws.
    world.disk.restart_after_kill();
    world.parts.journal = on(&world.disk, 8);
    assert_eq!(world.parts.journal.identity(), 7);
    world.problem(2);
    assert_eq!(run(&mut world.events(&store)), ReaderTurn::Idle);
    assert_eq!(store.triggers(), [1, 2]);

    // Another one, with more in it.
    world.disk = MemDisk::new(3);
    world.parts.journal = on(&world.disk, 9);
    world.values(1 << 20);
    store.0.borrow_mut().saved.clear();
    world.problem(3);
    let mut feed = world.events(&store);
    assert_eq!(run(&mut feed), ReaderTurn::Halted);
    assert!(store.triggers().is_empty());
    assert!(world.message().contains("not the journal that the database was fed from"));
    assert_eq!(world.parts.cursors.accept_gaps().len(), 1);
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    assert_eq!((store.triggers(), store.0.borrow().journal_identity), (vec![3], 9));
    assert_eq!(world.level(), None);
}

#[test]
fn a_copy_of_the_journal_goes_on_where_the_database_left_off_in_the_original() {
    let settings = |identity| JournalSettings {
        file_bytes: FILE_BYTES,
        identity,
        ..JournalSettings::default()
    };
    let on = |disk: &MemDisk, identity| {
        let path = Path::new("/journal");
        Journal::open(Arc::new(disk.clone()), path, settings(identity)).unwrap().0
    };
    let mut world = World::new();
    world.disk = MemDisk::new(2);
    world.parts.journal = on(&world.disk, 7);
    let store = Store::new();
    world.problem(1);
    assert_eq!(run(&mut world.events(&store)), ReaderTurn::Idle);
    // The copy has more than the database in it.
    world.problem(2);
    let (journal, copied) = (&world.parts.journal, MemDisk::new(3));
    copied.create_dir_all(Path::new("/journal")).unwrap();
    for file in journal.copy_of(&journal.hold(), journal.next_lsn()).unwrap() {
        file.write(&copied, Path::new("/journal"), &mut |_| true).unwrap();
    }
    copied.sync_dir(Path::new("/journal")).unwrap();
    world.disk = copied;
    world.parts.journal = on(&world.disk, 8);
    assert_eq!(world.parts.journal.identity(), 8);
    world.problem(3);
    // Cut off between the record and its place, and again after it.
    for _ in 0..2 {
        assert_eq!(run(&mut world.events(&store)), ReaderTurn::Idle);
        assert_eq!((store.triggers(), store.0.borrow().journal_identity), (vec![1, 2, 3], 8));
        assert_eq!(world.level(), None, "{}", world.message());
        world.parts.cursors = Arc::default();
    }
    // A database of the original that is ahead of the copy does not belong to it.
    let of_original = Store::new();
    of_original.0.borrow_mut().journal_identity = 7;
    of_original.0.borrow_mut().cursor = u64::from(u32::MAX);
    world.parts.cursors = Arc::default();
    assert_eq!(run(&mut world.events(&of_original)), ReaderTurn::Halted);
    assert!(world.message().contains("not the journal that the database was fed from"));
}

#[test]
fn a_place_that_the_journal_does_not_have_halts_a_reader_until_that_is_accepted() {
    let mut world = World::new();
    let store = Store::new();
    world.problem(1);
    world.values(3 * FILE_BYTES);
    world.problem(2);
    world.parts.journal.sync_once().unwrap();
    world.parts.journal.set_retention(world.parts.journal.next_lsn()).unwrap();
    let first = world.parts.journal.first_lsn().0;
    assert_ne!(first, 0);
    let mut feed = world.events(&store);
    for _ in 0..2 {
        assert_eq!(run(&mut feed), ReaderTurn::Halted);
    }
    assert_eq!(world.level(), Some(Level::Failing));
    let message = world.message();
    for expected in [&*format!("position {first}"), "position 0:", "accept-gap"] {
        assert!(message.contains(expected), "{message}");
    }
    // Nothing more is given up meanwhile.
    assert_eq!(world.parts.cursors.reader("events").saved(), 0);
    assert_eq!(store.triggers(), [0; 0]);
    let gaps = world.parts.cursors.accept_gaps();
    assert_eq!((gaps[0].cursor, gaps[0].first, &*gaps[0].reader), (0, first, "events"));
    // The store does not answer just then.
    store.away(true);
    assert_eq!(run(&mut feed), ReaderTurn::Retry);
    store.away(false);
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    assert_eq!((world.level(), store.triggers()), (None, vec![2]));
    assert_eq!(world.parts.cursors.accept_gaps(), []);
    world.restart();
    assert_eq!(run(&mut world.events(&store)), ReaderTurn::Idle);
    assert_eq!(world.level(), None);
}

#[test]
fn new_journal_with_an_old_database_halts_its_readers() {
    let world = World::new();
    let store = Store::new();
    store.0.borrow_mut().cursor = 5_000_000;
    world.problem(1);
    let mut events = world.events(&store);
    let mut discovery = world.discovery(&store);
    assert_eq!((run(&mut events), run(&mut discovery)), (ReaderTurn::Halted, ReaderTurn::Halted));
    let issues = world.parts.health.issues();
    assert_eq!(issues.len(), 2);
    assert!(issues[0].message.contains("another journal"), "{issues:?}");
    assert_eq!(world.parts.cursors.accept_gaps().len(), 2);
    assert_eq!(world.parts.cursors.lag_bytes(1_000_000), 1_000_000, "all of it waits");
    assert_eq!((run(&mut events), run(&mut discovery)), (ReaderTurn::Idle, ReaderTurn::Idle));
    assert_eq!(world.parts.cursors.lag_bytes(1_000_000), 0, "they wait to be woken");
    // From its beginning: it has lost nothing.
    assert_eq!((world.level(), store.triggers()), (None, vec![1]));
}

#[test]
fn an_error_of_the_disk_is_no_damage() {
    let world = World::new();
    let store = Store::new();
    let mut feed = world.events(&store);
    (1..=3).for_each(|it| world.problem(it));
    for _ in 0..4 {
        world.disk.fail_reads(1);
        assert_eq!(run(&mut feed), ReaderTurn::Retry);
        assert_eq!(world.level(), Some(Level::Degraded));
        assert!(world.message().contains("os error 5"), "{}", world.message());
    }
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    assert_eq!((world.level(), store.triggers()), (None, vec![1, 2, 3]));
    assert_eq!(world.parts.metrics.damaged_total.get(), 0);
    assert_eq!(world.parts.metrics.retries_total.of("events").get(), 4);
}

/// The only file of the journal.
fn file(disk: &MemDisk) -> PathBuf {
    let [path] = &disk.paths()[..] else { panic!("one file: {:?}", disk.paths()) };
    path.clone()
}

#[test]
fn damage_is_skipped_and_counted_when_the_disk_fails_too() {
    let world = World::new();
    let store = Store::new();
    world.problem(1);
    let damaged = usize::try_from(world.parts.journal.next_lsn().0).unwrap();
    world.problem(2);
    world.problem(3);
    world.parts.journal.sync_once().unwrap();
    let path = file(&world.disk);
    let end = usize::try_from(world.parts.journal.next_lsn().0).unwrap();
    let header = world.disk.file_len(&path).unwrap() - end;
    world.disk.corrupt(&path, header + damaged + 30).unwrap();
    let mut feed = world.events(&store);
    let mut turns = 0;
    while run(&mut feed) == ReaderTurn::Retry || turns == 0 {
        // Each way through is cut off once.
        world.disk.fail_reads(u32::from(turns < 4));
        turns += 1;
    }
    assert_eq!(store.triggers(), [1, 3]);
    assert_eq!(world.parts.metrics.damaged_total.get(), 1);
    // The reader goes on, and health shows what is missing.
    let issues = world.parts.health.issues();
    let [issue] = issues.as_slice() else { panic!("{issues:?}") };
    assert_eq!((issue.part.as_str(), issue.level), ("events-damage", Level::Failing));
    assert!(issue.message.contains(&format!("at position {damaged} is damaged")), "{issue:?}");
}

#[test]
fn events_that_find_no_room_are_handed_over_later_and_once() {
    let world = World::new();
    let store = Store::new();
    store.0.borrow_mut().waiting_max = 2;
    let mut feed = world.events(&store);
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    store.away(true);
    for trigger in 1..=3 {
        world.problem(trigger);
        let expected = if trigger < 3 { ReaderTurn::Poll } else { ReaderTurn::Retry };
        assert_eq!(run(&mut feed), expected);
    }
    assert_eq!(world.level(), Some(Level::Degraded));
    store.away(false);
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    assert_eq!((world.level(), store.triggers()), (None, vec![1, 2, 3]));
}

#[test]
fn results_of_discovery_wait_for_the_store_and_are_counted_where_they_can_never_be_applied() {
    let mut world = World::new();
    let store = Store::new();
    store.0.borrow_mut().gone.insert(2);
    store.0.borrow_mut().panics_at = Some(4);
    let mut feed = world.discovery(&store);
    store.away(true);
    world.result(1, "old");
    world.result(2, "of a rule that is gone");
    world.result(1, "new");
    world.result(3, "!never");
    world.result(4, "panics");
    world.result(5, "last");
    // Not even the cursor can be read.
    assert_eq!(run(&mut feed), ReaderTurn::Retry);
    assert_eq!(world.level(), Some(Level::Degraded));
    // Then results can't be applied.
    store.0.borrow_mut().is_read_only = true;
    store.away(false);
    assert_eq!(run(&mut feed), ReaderTurn::Retry);
    assert_eq!(world.level(), Some(Level::Degraded));
    assert_eq!(world.parts.cursors.reader("discovery").saved(), 0);
    store.0.borrow_mut().is_read_only = false;
    assert_eq!(run(&mut feed), ReaderTurn::Idle);
    let applied = [(1, "new".to_owned()), (5, "last".to_owned())];
    assert_eq!(store.0.borrow().applied, applied);
    let failed = &world.parts.metrics.discoveries_failed_total;
    let counts = ["gone", "refused", "panic"].map(|it| failed.of(it).get());
    assert_eq!((counts, world.level()), ([1, 1, 1], None));
    assert_eq!(store.cursor(), world.parts.journal.next_lsn().0);
    drop(feed);
    world.restart();
    assert_eq!(run(&mut world.discovery(&store)), ReaderTurn::Idle);
    assert_eq!(store.0.borrow().applied, applied, "none is applied again");
}

/// Says of each turn whether it is one of the last.
struct RecordedTurns {
    turns: mpsc::Sender<bool>,
    wake: ReaderWake,
    n: u32,
}

impl ReaderWork for RecordedTurns {
    fn turn(&mut self, stopping: bool) -> ReaderTurn {
        self.n += 1;
        if self.n == 1 {
            // A record is written after the turn has read.
            self.wake.wake();
        }
        self.turns.send(stopping).unwrap();
        ReaderTurn::Idle
    }
}

#[test]
fn a_reader_that_waits_is_woken_and_ends_with_a_last_turn() {
    let (turns, reported) = mpsc::channel();
    let (wake, shutdown) = (ReaderWake::default(), Shutdown::new());
    let feed = RecordedTurns { turns, wake: wake.clone(), n: 0 };
    let (of_thread, until) = (wake.clone(), shutdown.clone());
    let thread = thread::spawn(move || runner::run_reader(feed, &of_thread, &until));
    // Sooner than it reads on by itself.
    let next = || reported.recv_timeout(Duration::from_secs(8));
    assert_eq!((next(), next()), (Ok(false), Ok(false)), "woken during its turn");
    wake.wake();
    assert_eq!(next(), Ok(false));
    shutdown.cancel();
    assert_eq!(next(), Ok(true));
    thread.join().unwrap();
    // The thread has ended.
    wake.wake();
}
