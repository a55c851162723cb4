use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use disk::{Disk as _, MemDisk};
use journal::{Journal, Lsn, Upto};
use model::record::{RecordBuilder, RecordHead};
use model::{ItemId, Value, ValueType};
use proptest::prelude::*;
use rt::health::{Health, Level};
use rt::metrics::Registry;

use super::{Ages, Feed, FeedState, FeedTurn, Feeder, FeederSettings, LagPolicy};
use crate::contract::{Harness, ITEM, NOW, contract, ever, read};
use crate::embedded::{Embedded, EmbeddedSettings};
use crate::faulty::{Faults, Faulty};
use crate::{Flush, LiveStore, Store};

const AWAY: Faults = Faults { is_away: true, refuses: false, loses_answers: false };
const REFUSES: Faults = Faults { is_away: false, refuses: true, loses_answers: false };
const MUTE: Faults = Faults { is_away: false, refuses: false, loses_answers: true };

/// A journal with stores that it feeds.
struct Bench {
    disk: MemDisk,
    journal: Journal,
    settings: FeederSettings,
    health: Health,
    feeder: Feeder,
    n: u64,
}

fn journal_on(disk: &MemDisk) -> Journal {
    let on_corruption = journal::OnCorruption::Isolate;
    let settings = journal::JournalSettings {
        file_bytes: 4_000,
        on_corruption,
        ..journal::JournalSettings::default()
    };
    Journal::open(Arc::new(disk.clone()), Path::new("/journal"), settings).expect("opens").0
}

impl Bench {
    fn new() -> Self {
        Self::with(FeederSettings::default())
    }

    fn with(settings: FeederSettings) -> Self {
        let disk = MemDisk::new(3);
        let (journal, health) = (journal_on(&disk), Health::default());
        let feeder = Feeder::new(journal.clone(), settings, (&Registry::new(), &health));
        Self { disk, journal, settings, health, feeder, n: 0 }
    }

    /// Another process.
    fn restart(&mut self) {
        self.disk.restart_after_kill();
        self.journal = journal_on(&self.disk);
        self.health = Health::default();
        let parts = (&Registry::new(), &self.health);
        self.feeder = Feeder::new(self.journal.clone(), self.settings, parts);
    }

    /// A record with the next number as its value.
    fn append(&mut self) {
        let mut record = RecordBuilder::new();
        record.start(RecordHead::default());
        record.unsigned(ITEM, NOW, self.n);
        self.n += 1;
        self.journal.append(record.finish(), 0).expect("a sound disk");
    }

    fn append_synced(&mut self, n: u64) {
        (0..n).for_each(|_| self.append());
        self.journal.sync_once().expect("a sound disk");
    }

    fn add(&self, name: &str, store: &Faulty) -> Feed {
        self.feeder.add(name, Arc::new(store.clone()))
    }

    fn state(&self, name: &str) -> FeedState {
        let all = self.feeder.status();
        all.into_iter().find(|it| &*it.name == name).expect("a store").state
    }

    fn issue(&self) -> Option<(Level, String)> {
        self.health.issues().pop().map(|it| (it.level, format!("{}: {}", it.part, it.message)))
    }
}

/// Turns until there is no more to do, and what is taken is stored.
fn run(feed: &mut Feed) -> FeedTurn {
    loop {
        match feed.turn(true) {
            FeedTurn::More => {}
            other => return other,
        }
    }
}

fn numbers(store: &Faulty) -> Vec<u64> {
    let number = |(_, it)| match it {
        Value::Unsigned(it) => it,
        other => panic!("{other:?}"),
    };
    store.stored().into_iter().map(number).collect()
}

#[test]
fn a_store_that_was_away_has_everything_once_and_the_other_one_waited_for_nothing() {
    let mut bench = Bench::new();
    let (near, far) = (Faulty::default(), Faulty::default());
    let (mut of_near, mut of_far) = (bench.add("near", &near), bench.add("far", &far));
    far.set(AWAY);
    for _ in 0..50 {
        bench.append_synced(10);
        assert_eq!(run(&mut of_near), FeedTurn::Idle);
        assert!(matches!(run(&mut of_far), FeedTurn::Retry(_)));
        bench.journal.set_retention(bench.feeder.needed(0)).expect("removes");
    }
    assert_eq!(numbers(&near), (0..500).collect::<Vec<_>>());
    assert_eq!((numbers(&far), bench.journal.first_lsn()), (Vec::new(), Lsn(0)));
    assert!(matches!(bench.state("far"), FeedState::Away(_)));
    let reported = bench.issue().expect("health reports it");
    assert_eq!(reported.0, Level::Degraded);
    assert!(
        reported.1.starts_with("history store far: its records wait in the journal"),
        "{}",
        reported.1
    );
    far.set(Faults::default());
    assert_eq!(run(&mut of_far), FeedTurn::Idle);
    assert_eq!(numbers(&far), (0..500).collect::<Vec<_>>());
    assert_eq!((bench.state("far"), bench.issue()), (FeedState::Follows, None));
    bench.journal.set_retention(bench.feeder.needed(0)).expect("removes");
    assert!(Lsn(0) < bench.journal.first_lsn(), "nobody needs the beginning any more");
}

#[test]
fn unstored_values_are_delivered_again_and_none_twice() {
    let mut bench = Bench::new();
    let store = Faulty::default();
    let mut feed = bench.add("far", &store);
    bench.append_synced(5);
    assert_eq!(feed.turn(false), FeedTurn::Idle);
    assert_eq!((store.n_values_unflushed(), store.cursor()), (5, Lsn(0)));
    store.lose();
    assert_eq!(feed.turn(false), FeedTurn::Idle);
    assert_eq!(store.n_values_unflushed(), 5);
    // It has stored, but its answer was lost.
    store.set(MUTE);
    assert!(matches!(feed.turn(true), FeedTurn::Retry(_)));
    store.lose();
    store.set(Faults::default());
    bench.append_synced(5);
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(numbers(&store), (0..10).collect::<Vec<_>>());
}

#[test]
fn it_waits_longer_from_time_to_time() {
    let mut bench = Bench::new();
    let store = Faulty::default();
    let mut feed = bench.add("far", &store);
    store.set(AWAY);
    bench.append_synced(1);
    let pauses: Vec<FeedTurn> = (0..8).map(|_| feed.turn(false)).collect();
    let want = [1, 2, 4, 8, 16, 32, 60, 60].map(|it| FeedTurn::Retry(Duration::from_secs(it)));
    assert_eq!(pauses, want);
    store.set(Faults::default());
    assert_eq!(feed.turn(true), FeedTurn::Idle);
    store.set(AWAY);
    bench.append_synced(1);
    assert_eq!(feed.turn(false), want[0], "from the start again");
}

#[test]
fn nothing_is_delivered_that_a_power_cut_could_take_back() {
    let mut bench = Bench::new();
    let store = Faulty::default();
    let mut feed = bench.add("far", &store);
    bench.append_synced(2);
    bench.append();
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(numbers(&store), [0, 1]);
    bench.journal.sync_once().expect("a sound disk");
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(numbers(&store), [0, 1, 2]);
}

#[test]
fn a_store_that_refuses_halts_and_is_not_asked_again() {
    let mut bench = Bench::new();
    let (near, far) = (Faulty::default(), Faulty::default());
    let (mut of_near, mut of_far) = (bench.add("near", &near), bench.add("far", &far));
    far.set(REFUSES);
    bench.append_synced(3);
    assert_eq!(run(&mut of_far), FeedTurn::Halted);
    let n_calls = far.n_calls();
    assert_eq!(run(&mut of_far), FeedTurn::Halted);
    assert_eq!(far.n_calls(), n_calls);
    assert_eq!(run(&mut of_near), FeedTurn::Idle);
    let reported = bench.issue().expect("health reports it");
    assert_eq!(reported.0, Level::Failing);
    assert!(reported.1.contains("it stores nothing more: the store refuses: no such table"));
    assert_eq!(bench.feeder.needed(0), Lsn(0), "the journal keeps what it has not stored");
}

#[test]
fn lagging_store_is_left_behind_and_continues_when_accepted() {
    let settings = FeederSettings { hold_bytes_max: 20_000, ..FeederSettings::default() };
    let mut bench = Bench::with(settings);
    let (near, far) = (Faulty::default(), Faulty::default());
    let (mut of_near, mut of_far) = (bench.add("near", &near), bench.add("far", &far));
    bench.append_synced(10);
    assert_eq!(run(&mut of_far), FeedTurn::Idle);
    far.set(AWAY);
    let held = |bench: &Bench| {
        let all = bench.feeder.status();
        all.iter().filter(|it| it.is_left_behind).map(|it| it.name.to_string()).collect::<Vec<_>>()
    };
    let mut most = 0;
    for _ in 0..100 {
        bench.append_synced(20);
        assert_eq!(run(&mut of_near), FeedTurn::Idle);
        assert!(matches!(run(&mut of_far), FeedTurn::Retry(_) | FeedTurn::Halted));
        bench.journal.set_retention(bench.feeder.needed(0)).expect("removes");
        most = most.max(bench.journal.next_lsn().0 - bench.journal.first_lsn().0);
    }
    assert!(most < 30_000, "{most} bytes were held");
    assert_eq!(held(&bench), ["far"]);
    let reported = bench.issue().expect("health reports it");
    assert_eq!(reported.0, Level::Failing);
    // It comes back: its place is gone, and nobody guesses.
    far.set(Faults::default());
    assert_eq!(run(&mut of_far), FeedTurn::Halted);
    let FeedState::Misses(gap) = bench.state("far") else { panic!("{:?}", bench.state("far")) };
    assert!(gap.cursor < gap.first && gap.first < gap.next);
    assert!(
        bench.issue().expect("health reports it").1.contains("it has the records before position")
    );
    assert_eq!(numbers(&far).len(), 10);
    assert_eq!(bench.feeder.accept_gaps(), [("far".into(), gap)]);
    assert_eq!(run(&mut of_far), FeedTurn::Idle);
    let found = numbers(&far);
    let behind = &found[10..];
    assert!(behind.is_sorted_by(|a, b| a + 1 == *b), "from there on without a hole");
    assert_eq!(behind.last(), Some(&2_009));
    let _needed = bench.feeder.needed(0);
    assert_eq!((held(&bench), bench.issue()), (Vec::new(), None));
    assert_eq!(numbers(&near), (0..2_010).collect::<Vec<_>>());
}

#[test]
fn one_that_is_held_for_keeps_the_journal_however_long_it_is() {
    let when_full = LagPolicy::Hold;
    let settings = FeederSettings { hold_bytes_max: 2_000, when_full, ..FeederSettings::default() };
    let mut bench = Bench::with(settings);
    let far = Faulty::default();
    let mut feed = bench.add("far", &far);
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    far.set(AWAY);
    for _ in 0..30 {
        bench.append_synced(20);
        assert!(matches!(run(&mut feed), FeedTurn::Retry(_)));
        bench.journal.set_retention(bench.feeder.needed(0)).expect("removes");
    }
    assert_eq!(bench.journal.first_lsn(), Lsn(0));
    let reported = bench.issue().expect("health reports it");
    assert_eq!(reported.0, Level::Failing);
    assert!(reported.1.contains("the journal waits for it"), "{}", reported.1);
    assert!(bench.feeder.status().iter().all(|it| !it.is_left_behind));
    far.set(Faults::default());
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(numbers(&far), (0..600).collect::<Vec<_>>());
    assert_eq!((bench.feeder.needed(0), bench.issue()), (far.cursor(), None));
}

#[test]
fn the_lag_of_a_store_has_an_age() {
    let mut ages = Ages::default();
    let second = 1_000_000_000;
    for n in 1..=5_000 {
        ages.add(Lsn(n * 100), n * second);
    }
    let now = 5_000 * second;
    let age = |at| ages.seconds(Lsn(at), now);
    assert_eq!((age(500_000), age(499_950), age(499_850)), (0.0, 0.0, 1.0));
    for written in [1, 100, 1_000, 2_500, 4_000, 4_900] {
        let (found, real) =
            (age(written * 100 - 50), 5_000.0 - f64::from(u32::try_from(written).expect("small")));
        assert!((found - real).abs() <= real / 10.0 + 1.0, "{written}: {found} for {real}");
    }
    assert!(ages.marks.len() <= Ages::MAX);
}

#[test]
fn one_that_catches_up_in_time_misses_nothing() {
    let settings = FeederSettings { hold_bytes_max: 2_000, ..FeederSettings::default() };
    let mut bench = Bench::with(settings);
    let far = Faulty::default();
    let mut feed = bench.add("far", &far);
    far.set(AWAY);
    bench.append_synced(60);
    assert!(matches!(run(&mut feed), FeedTurn::Retry(_)));
    // Left after, but its place is in the newest file.
    assert_eq!(bench.feeder.needed(0), Lsn(u64::MAX));
    assert!(bench.issue().expect("health reports it").1.contains("catches up soon"));
    far.set(Faults::default());
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(numbers(&far), (0..60).collect::<Vec<_>>());
    assert_eq!((bench.feeder.needed(0), bench.issue()), (far.cursor(), None));
}

#[test]
fn another_journal_that_has_grown_past_its_place_is_not_taken_for_the_first() {
    let mut bench = Bench::new();
    let new_journal = |bench: &mut Bench, identity| {
        bench.disk = MemDisk::new(u64::from(identity));
        let settings = journal::JournalSettings { identity, ..journal::JournalSettings::default() };
        let disk = Arc::new(bench.disk.clone());
        bench.journal = Journal::open(disk, Path::new("/journal"), settings).expect("opens").0;
        let parts = (&Registry::new(), &bench.health);
        bench.feeder = Feeder::new(bench.journal.clone(), bench.settings, parts);
    };
    let far = Faulty::default();
    new_journal(&mut bench, 7);
    bench.append_synced(10);
    assert_eq!(run(&mut bench.add("far", &far)), FeedTurn::Idle);
    assert_eq!(far.journal_identity(), 7);
    new_journal(&mut bench, 8);
    bench.append_synced(100);
    let mut feed = bench.add("far", &far);
    assert_eq!(run(&mut feed), FeedTurn::Halted);
    assert_eq!(numbers(&far), (0..10).collect::<Vec<_>>());
    assert!(bench.issue().expect("health reports it").1.contains("not the journal"));
    // Accepted, but the store can't be reached yet: it is asked no more, and nothing was taken
    // meanwhile.
    far.set(AWAY);
    assert_eq!(bench.feeder.accept_gaps().len(), 1);
    assert!(matches!(run(&mut feed), FeedTurn::Retry(_)));
    assert_eq!(far.journal_identity(), 7);
    far.set(Faults::default());
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(numbers(&far), (0..110).collect::<Vec<_>>());
    assert_eq!((far.journal_identity(), bench.issue()), (8, None));
}

#[test]
fn journal_copy_continues_after_the_common_part_when_accepted() {
    let settings =
        |identity| journal::JournalSettings { identity, ..journal::JournalSettings::default() };
    let on = |disk: &MemDisk, identity| {
        let path = Path::new("/journal");
        Journal::open(Arc::new(disk.clone()), path, settings(identity)).expect("opens").0
    };
    // Where the original's store is when the copy comes: after the copy's end, at it, past it.
    for n_more in [None, Some(0), Some(20)] {
        let mut bench = Bench::new();
        bench.disk = MemDisk::new(1);
        bench.journal = on(&bench.disk, 7);
        let parts = (&Registry::new(), &bench.health);
        bench.feeder = Feeder::new(bench.journal.clone(), bench.settings, parts);
        let store = Faulty::default();
        let mut feed = bench.add("far", &store);
        bench.append_synced(5);
        assert_eq!(run(&mut feed), FeedTurn::Idle);
        bench.append_synced(5);
        let (journal, copied) = (bench.journal.clone(), MemDisk::new(2));
        copied.create_dir_all(Path::new("/journal")).expect("a sound disk");
        for file in journal.copy_of(&journal.hold(), journal.next_lsn()).expect("opens") {
            file.write(&copied, Path::new("/journal"), &mut |_| true).expect("a sound disk");
        }
        copied.sync_dir(Path::new("/journal")).expect("a sound disk");
        if let Some(n) = n_more {
            bench.append_synced(n);
            assert_eq!(run(&mut feed), FeedTurn::Idle);
        }
        let before = numbers(&store);
        bench.disk = copied;
        bench.journal = on(&bench.disk, 8);
        let parts = (&Registry::new(), &bench.health);
        bench.feeder = Feeder::new(bench.journal.clone(), bench.settings, parts);
        let mut feed = bench.add("far", &store);
        bench.n = 1_000;
        bench.append_synced(3);
        assert_eq!(run(&mut feed), FeedTurn::Halted);
        let (_, text) = bench.issue().expect("health reports it");
        assert!(text.contains("another one or a copy of that"), "{text}");
        assert_eq!(bench.feeder.accept_gaps().len(), 1);
        assert_eq!(run(&mut feed), FeedTurn::Idle);
        assert_eq!((store.journal_identity(), bench.issue()), (8, None));
        // Rows of the original, of both and of the copy: each once.
        let mut expected = before;
        if n_more.is_none() {
            expected.extend(5..10);
        }
        expected.extend(1_000..1_003);
        assert_eq!(numbers(&store), expected, "{n_more:?}");
    }
}

#[test]
fn a_store_of_another_journal_halts() {
    let mut bench = Bench::new();
    let store = Faulty::default();
    store.skip_to(Lsn(1_000_000)).expect("goes");
    let mut feed = bench.add("far", &store);
    bench.append_synced(3);
    assert_eq!(run(&mut feed), FeedTurn::Halted);
    assert!(matches!(bench.state("far"), FeedState::Misses(_)));
    assert_eq!(bench.feeder.accept_gaps().len(), 1);
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(numbers(&store), [0, 1, 2]);
}

#[test]
fn damaged_record_is_skipped_reported_once_and_the_rest_delivered() {
    let mut bench = Bench::new();
    bench.append_synced(200);
    let oldest = bench.disk.paths().remove(0);
    drop(bench.disk.corrupt(&oldest, 200));
    let store = Faulty::default();
    let mut feed = bench.add("far", &store);
    assert_eq!(feed.turn(false), FeedTurn::Idle);
    let n_damaged = |bench: &Bench| bench.feeder.shared.metrics.damaged_total.of("far").get();
    assert_eq!(n_damaged(&bench), 1);
    // Records that it had not stored come again, and the damage with them.
    store.lose();
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    let found = numbers(&store);
    assert_eq!((found.len(), found.last()), (199, Some(&199)));
    let missing = (0..200).find(|it| !found.contains(it)).expect("one");
    assert_eq!(n_damaged(&bench), 1);
    let (level, text) = bench.issue().expect("health reports it");
    assert_eq!(level, Level::Failing);
    assert!(
        text.starts_with("history store far damage: the record of the journal at position "),
        "{text}"
    );
    let position: u64 = text.split(' ').nth(11).expect("a number").parse().expect("a number");
    let mut reader = bench.journal.reader(Lsn(0), Upto::Synced).expect("opens");
    let before = (0..missing).map(|_| reader.next().expect("sound").expect("there").next_lsn);
    assert_eq!(before.last(), Some(Lsn(position)), "{text}");
}

#[test]
fn unreadable_record_with_valid_checksum_is_skipped_and_reported() {
    let mut bench = Bench::new();
    bench.append_synced(1);
    let mut cut = RecordBuilder::new();
    cut.start(RecordHead::default());
    cut.unsigned(ITEM, NOW, 1_000);
    let bytes = cut.finish();
    bench.journal.append(&bytes[..bytes.len() - 1], 0).expect("a sound disk");
    bench.append_synced(1);
    let store = Faulty::default();
    let mut feed = bench.add("far", &store);
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!((numbers(&store), bench.state("far")), (vec![0, 1], FeedState::Follows));
    let (level, text) = bench.issue().expect("health reports it");
    assert!(level == Level::Failing && text.contains("is damaged: its values"), "{text}");
}

#[test]
fn the_journal_waits_for_the_store_that_shards_write_to() {
    let mut bench = Bench::with(FeederSettings { hold_bytes_max: 10, ..FeederSettings::default() });
    let store = embedded(&bench.journal, &MemDisk::new(9));
    assert_eq!(bench.feeder.needed(0), Lsn(u64::MAX), "there is none");
    bench.feeder.watch("embedded", Arc::new(store.clone()));
    bench.append_synced(20);
    assert_eq!(bench.feeder.needed(0), Lsn(0), "however far behind it is");
    LiveStore::replay(&store, &|_| ()).expect("the journal has all");
    store.flush_once().expect("a sound disk");
    assert_eq!(bench.feeder.needed(0), bench.journal.next_lsn());
}

fn embedded(journal: &Journal, disk: &MemDisk) -> Embedded {
    let settings = (EmbeddedSettings::default(), &Registry::new());
    let disk = Arc::new(disk.clone());
    Embedded::open(disk, Path::new("/history"), journal.clone(), 2, settings).expect("opens").0
}

/// A store that is fed from the journal.
trait Behind {
    fn new() -> Self;
    fn open(&self, journal: &Journal) -> Arc<dyn Flush>;
    /// Its process ends.
    fn end(&mut self);
}

impl Behind for Faulty {
    fn new() -> Self {
        Self::default()
    }

    fn open(&self, _journal: &Journal) -> Arc<dyn Flush> {
        Arc::new(self.clone())
    }

    fn end(&mut self) {
        self.lose();
    }
}

/// The embedded store as one that is fed from the journal.
impl Behind for MemDisk {
    fn new() -> Self {
        Self::new(11)
    }

    fn open(&self, journal: &Journal) -> Arc<dyn Flush> {
        Arc::new(embedded(journal, self))
    }

    fn end(&mut self) {
        self.restart_after_kill();
    }
}

struct Fed<B> {
    bench: Bench,
    behind: B,
    store: Arc<dyn Flush>,
    feed: Feed,
}

impl<B: Behind> Fed<B> {
    fn turns(&mut self) {
        while self.feed.turn(false) == FeedTurn::More {}
        assert_eq!(self.bench.state("fed"), FeedState::Follows);
    }
}

impl<B: Behind> Harness for Fed<B> {
    fn new() -> Self {
        let (bench, behind) = (Bench::new(), B::new());
        let store = behind.open(&bench.journal);
        let feed = bench.feeder.add("fed", Arc::clone(&store));
        Self { bench, behind, store, feed }
    }

    fn store(&self) -> &dyn Store {
        &*self.store
    }

    fn write(&mut self, fill: impl Fn(&mut RecordBuilder)) {
        let mut record = RecordBuilder::new();
        record.start(RecordHead { shard: 5, n_shards: 6, ..RecordHead::default() });
        fill(&mut record);
        self.bench.journal.append(record.finish(), 0).expect("a sound disk");
        self.bench.journal.sync_once().expect("a sound disk");
        self.turns();
    }

    fn settle(&mut self) {
        self.store.flush_once().expect("a sound store");
    }

    fn restart(&mut self) {
        self.bench.restart();
        self.behind.end();
        self.store = self.behind.open(&self.bench.journal);
        self.feed = self.bench.feeder.add("fed", Arc::clone(&self.store));
        self.turns();
    }
}

mod in_memory {
    use super::*;
    contract!(Fed<Faulty>);
}

mod embedded_behind {
    use super::*;
    contract!(Fed<MemDisk>);
}

#[test]
fn embedded_store_continues_after_a_gap() {
    let mut bench = Bench::new();
    let disk = MemDisk::new(9);
    let store = embedded(&bench.journal, &disk);
    let mut feed = bench.feeder.add("fed", Arc::new(store));
    bench.append_synced(10);
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    bench.append_synced(300);
    bench.journal.set_retention(bench.journal.next_lsn()).expect("removes");
    // A process that has read nothing of it yet.
    bench.restart();
    let store = embedded(&bench.journal, &disk);
    let mut feed = bench.feeder.add("fed", Arc::new(store.clone()));
    assert_eq!(run(&mut feed), FeedTurn::Halted);
    assert_eq!(bench.feeder.accept_gaps().len(), 1);
    bench.append_synced(5);
    assert_eq!(run(&mut feed), FeedTurn::Idle);
    assert_eq!(store.cursor(), bench.journal.next_lsn());
    let found = read(&store, &ever(ITEM, ValueType::Unsigned));
    assert!((15..310).contains(&found.len()), "{}", found.len());
    assert_eq!(read(&store, &ever(ItemId(1), ValueType::Unsigned)), []);
}

#[derive(Clone, Debug)]
enum Act {
    Append(u64),
    Turn(usize),
    Set(usize, Faults),
    Lose(usize),
    Retain,
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    let faults = prop_oneof![3 => Just(Faults::default()), 1 => Just(AWAY), 1 => Just(MUTE)];
    prop_oneof![
        4 => (1..30_u64).prop_map(Act::Append),
        6 => (0..2_usize).prop_map(Act::Turn),
        2 => (0..2_usize, faults).prop_map(|(at, it)| Act::Set(at, it)),
        1 => (0..2_usize).prop_map(Act::Lose),
        2 => Just(Act::Retain),
        1 => Just(Act::Restart),
    ]
}

proptest! {
    #[test]
    fn every_store_has_every_value_once_whatever_breaks(
        acts in prop::collection::vec(act(), 0..80),
    ) {
        let settings = FeederSettings { stride_bytes: 700, ..FeederSettings::default() };
        let mut bench = Bench::with(settings);
        let stores = [Faulty::default(), Faulty::default()];
        let add = |bench: &Bench| [bench.add("0", &stores[0]), bench.add("1", &stores[1])];
        let mut feeds = add(&bench);
        for act in acts {
            match act {
                Act::Append(n) => bench.append_synced(n),
                Act::Turn(at) => drop(feeds[at].turn(false)),
                Act::Set(at, faults) => stores[at].set(faults),
                Act::Lose(at) => stores[at].lose(),
                Act::Retain => bench.journal.set_retention(bench.feeder.needed(0)).expect("removes"),
                Act::Restart => {
                    bench.restart();
                    stores.iter().for_each(Faulty::lose);
                    feeds = add(&bench);
                }
            }
            for store in &stores {
                let found = numbers(store);
                prop_assert!(found.iter().copied().eq(0..found.len() as u64), "{found:?}");
            }
        }
        for (feed, store) in feeds.iter_mut().zip(&stores) {
            store.set(Faults::default());
            prop_assert_eq!(run(feed), FeedTurn::Idle);
            prop_assert_eq!(numbers(store), (0..bench.n).collect::<Vec<_>>());
        }
    }
}
