//! A feed to a store on a disk of its own: in order, from where it was, through errors and past damage.

use std::path::Path;
use std::sync::Arc;

use disk::MemDisk;
use history::{FeedState, Feeder, FeederSettings, Flush, RangeQuery, StoreKind};
use journal::{Journal, JournalSettings, OnCorruption};
use model::record::{RecordBuilder, RecordHead};
use model::{ItemId, Time, Value, ValueType};
use rt::health::{Health, Level};
use rt::metrics::Registry;

use super::{ReaderTurn, ReaderWork, StoreFeed};

const ITEM: ItemId = ItemId(7);

/// A journal on one disk, a store on another.
struct World {
    journal_disk: MemDisk,
    store_disk: MemDisk,
    journal: Journal,
    feeder: Feeder,
    health: Health,
    registry: Registry,
    store: Arc<dyn Flush>,
    feed: StoreFeed,
}

fn journal_on(disk: &MemDisk) -> Journal {
    let settings =
        JournalSettings { on_corruption: OnCorruption::Isolate, ..JournalSettings::default() };
    Journal::open(Arc::new(disk.clone()), Path::new("/journal"), settings).unwrap().0
}

impl World {
    fn new() -> Self {
        Self::on(MemDisk::new(1), MemDisk::new(2))
    }

    fn on(journal_disk: MemDisk, store_disk: MemDisk) -> Self {
        let (registry, health) = (Registry::new(), Health::default());
        let journal = journal_on(&journal_disk);
        let feeder = Feeder::new(journal.clone(), FeederSettings::default(), (&registry, &health));
        let place: (Arc<dyn disk::Disk>, _) = (Arc::new(store_disk.clone()), Path::new("/store"));
        let (kind, own) = (StoreKind::default(), Registry::new());
        let store: Arc<dyn Flush> =
            history::open(kind, place, journal.clone(), 1, &own).unwrap().store;
        let feed = StoreFeed(feeder.add("far", Arc::clone(&store)));
        Self { journal_disk, store_disk, journal, feeder, health, registry, store, feed }
    }

    /// Another process on the same disks.
    fn restarted(self) -> Self {
        self.journal_disk.restart_after_kill();
        self.store_disk.restart_after_kill();
        Self::on(self.journal_disk, self.store_disk)
    }

    /// A record for each value, synced.
    fn write(&self, values: std::ops::Range<u64>) {
        for value in values {
            let mut record = RecordBuilder::new();
            record.start(RecordHead { n_shards: 1, ..RecordHead::default() });
            // All of one time: they are read in the order in which they came.
            record.unsigned(ITEM, Time::from_clock(1_000, 0), value);
            self.journal.append(record.finish(), 0).unwrap();
        }
        self.journal.sync_once().unwrap();
    }

    /// Until there is no more to do now.
    fn run(&mut self, stopping: bool) -> ReaderTurn {
        loop {
            match self.feed.turn(stopping) {
                ReaderTurn::More => {}
                other => return other,
            }
        }
    }

    fn values(&self) -> Vec<u64> {
        let (from, till) = (Time(i64::MIN), Time::MAX);
        let kind = ValueType::Unsigned;
        let query = RangeQuery { item: ITEM, kind, from, till, limit: 1_000, newest_first: false };
        let samples = self.store.range(&query).unwrap().into_samples();
        let number = |it: model::value::Sample| match it.value {
            Value::Unsigned(it) => it,
            other => panic!("{other:?}"),
        };
        samples.into_iter().map(number).collect()
    }

    fn state(&self) -> FeedState {
        self.feeder.status().remove(0).state
    }

    fn counted(&self, metric: &str) -> bool {
        self.registry.render().contains(&format!("history_store_{metric}{{store=\"far\"}} 1\n"))
    }
}

#[test]
fn records_come_in_their_order_and_none_before_it_is_synced() {
    let mut world = World::new();
    assert_eq!(world.run(false), ReaderTurn::Idle);
    world.write(0..100);
    assert_eq!(world.run(false), ReaderTurn::Gather);
    world.write(100..150);
    assert_eq!(world.run(false), ReaderTurn::Gather);
    assert_eq!(world.values(), (0..150).collect::<Vec<_>>());
    assert_eq!((world.state(), world.health.level()), (FeedState::Follows, None));
    let mut record = RecordBuilder::new();
    record.start(RecordHead { n_shards: 1, ..RecordHead::default() });
    record.unsigned(ITEM, Time::from_clock(1_000, 0), 150);
    world.journal.append(record.finish(), 0).unwrap();
    assert_eq!((world.run(false), world.values().len()), (ReaderTurn::Gather, 150));
    world.journal.sync_once().unwrap();
    assert_eq!((world.run(false), world.values().len()), (ReaderTurn::Gather, 151));
}

#[test]
fn a_start_goes_on_where_the_store_has_stored_for_good() {
    let mut world = World::new();
    world.write(0..10);
    assert_eq!(world.run(true), ReaderTurn::Idle);
    let stored = world.journal.next_lsn();
    assert_eq!(world.store.cursor(), stored);
    world.write(10..20);
    assert_eq!(world.run(false), ReaderTurn::Gather);
    assert_eq!((world.store.cursor(), world.values().len()), (stored, 20));
    let mut world = world.restarted();
    assert_eq!((world.store.applied(), world.values().len()), (stored, 10));
    assert_eq!(world.run(true), ReaderTurn::Idle);
    assert_eq!(world.values(), (0..20).collect::<Vec<_>>());
    assert_eq!(world.store.cursor(), world.journal.next_lsn());
}

#[test]
fn temporary_error_is_reported_and_retried_later() {
    let mut world = World::new();
    world.write(0..10);
    world.journal_disk.fail_reads(1);
    let ReaderTurn::RetryAfter(pause) = world.run(false) else {
        panic!("the journal cannot be read")
    };
    assert!(!pause.is_zero());
    assert!(matches!(world.state(), FeedState::Away(_)));
    assert_eq!(world.health.level(), Some(Level::Degraded));
    assert!(world.counted("retries_total"));
    assert_eq!(world.run(true), ReaderTurn::Idle);
    assert_eq!(world.values(), (0..10).collect::<Vec<_>>());
    assert_eq!((world.state(), world.health.level()), (FeedState::Follows, None));
}

#[test]
fn damaged_record_is_skipped_counted_and_reported() {
    let mut world = World::new();
    world.write(0..3);
    let damaged = usize::try_from(world.journal.next_lsn().0).unwrap();
    world.write(3..10);
    let [path] = &world.journal_disk.paths()[..] else { panic!("one file") };
    let end = usize::try_from(world.journal.next_lsn().0).unwrap();
    let header = world.journal_disk.file_len(path).unwrap() - end;
    world.journal_disk.corrupt(path, header + damaged + 30).unwrap();
    assert_eq!(world.run(true), ReaderTurn::Idle);
    assert_eq!(world.values(), [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    assert!(world.counted("damaged_total"));
    // It follows, and health keeps showing what is missing.
    assert_eq!(world.state(), FeedState::Follows);
    let issues = world.health.issues();
    let [issue] = &issues[..] else { panic!("{issues:?}") };
    assert_eq!((issue.part.as_str(), issue.level), ("history store far damage", Level::Failing));
    let place = format!("the record of the journal at position {damaged} is damaged");
    assert!(issue.message.starts_with(&place), "{issue:?}");
}
