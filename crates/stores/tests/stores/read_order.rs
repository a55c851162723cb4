//! Reading a real server first, together with rows that it has not stored yet.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::{PostgresPeer, numbers};
use disk::MemDisk;
use history::contract::{self, ITEM, NOW, ever, read};
use history::{
    BucketQuery, FedStore, Feed, FeedTurn, Feeder, FeederSettings, LiveStore, ReadOrder,
    ReadOrderSettings, RemoteStore, Store, Writer,
};
use journal::Journal;
use model::record::{RecordBuilder, RecordHead};
use model::{Classes, Retention, ValueType};
use peers::{ClickHouseKind, Line};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;

type NewRemote = Arc<dyn Fn() -> Arc<dyn RemoteStore>>;

thread_local! {
    /// Makes the way to a store without values.
    static NEXT: std::cell::RefCell<Option<Box<dyn Fn() -> NewRemote>>> =
        const { std::cell::RefCell::new(None) };
}

/// A server's stores: one elsewhere that is read first, and one in memory in front of it, which has
/// only the rows of the journal, or everything as well.
struct Stores {
    disk: MemDisk,
    new_remote: NewRemote,
    holds_all: bool,
    journal: Journal,
    live: Arc<dyn LiveStore>,
    writer: Box<dyn Writer>,
    health: Health,
    read: ReadOrder,
    feed: Feed,
}

impl Stores {
    fn open(disk: MemDisk, new_remote: NewRemote, holds_all: bool) -> Self {
        let settings =
            journal::JournalSettings { identity: 77, ..journal::JournalSettings::default() };
        let opened = Journal::open(Arc::new(disk.clone()), Path::new("/journal"), settings);
        let journal = opened.expect("a sound disk").0;
        let (registry, health, clock) = (Registry::new(), Health::default(), Clock::real());
        let remote = new_remote();
        let settings = history::EmbeddedSettings {
            buffer_of: (!holds_all).then(|| Arc::clone(&remote) as Arc<dyn Store>),
            // Values go from memory as soon as the store has them.
            release_journal_bytes: 1,
            flush_journal_bytes: 1 << 20,
            ..history::EmbeddedSettings::default()
        };
        let place = (Arc::new(disk.clone()) as _, Path::new("/history"));
        let kind = history::StoreKind::Embedded(settings);
        let live = history::open(kind, place, journal.clone(), 1, &registry).expect("opens").store;
        live.replay(&|_| ()).expect("the journal is sound");
        let wait_max = Duration::from_millis(if holds_all { 0 } else { 200 });
        let pause = (Duration::ZERO, Duration::ZERO);
        let order = ReadOrder::new(
            Arc::clone(&live),
            vec![FedStore { name: "far", store: Arc::clone(&remote), is_read: true }],
            ReadOrderSettings { wait_max, pause },
            clock,
            (&registry, &health),
        );
        let feeder = Feeder::new(journal.clone(), FeederSettings::default(), (&registry, &health));
        let feed = feeder.add("far", remote as Arc<dyn history::Flush>);
        let writer = live.writer(0);
        Self { disk, new_remote, holds_all, journal, live, writer, health, read: order, feed }
    }

    fn write(&mut self, fill: impl Fn(&mut RecordBuilder)) {
        let mut record = RecordBuilder::new();
        record.start(RecordHead::default());
        record.classes(Classes { history: Retention::Forever, trends: Retention::Forever });
        fill(&mut record);
        self.writer.commit(record.finish(), 0).expect("there is room");
        self.journal.sync_once().expect("a sound disk");
    }

    /// The store elsewhere gets all there is.
    fn deliver(&mut self) -> FeedTurn {
        loop {
            match self.feed.turn(true) {
                FeedTurn::More => {}
                other => return other,
            }
        }
    }

    fn start_again(self) -> Self {
        let Self { disk, new_remote, holds_all, .. } = self;
        disk.restart_after_kill();
        let mut again = Self::open(disk, new_remote, holds_all);
        assert_eq!(again.deliver(), FeedTurn::Idle);
        again
    }
}

/// The contract's view of it.
struct First<const HOLDS_ALL: bool>(Option<Stores>);

impl<const HOLDS_ALL: bool> First<HOLDS_ALL> {
    fn stores(&mut self) -> &mut Stores {
        self.0.as_mut().expect("always there")
    }
}

impl<const HOLDS_ALL: bool> contract::Harness for First<HOLDS_ALL> {
    fn new() -> Self {
        let new_remote = NEXT.with_borrow(|it| it.as_ref().expect("the test has said how")());
        let mut stores = Stores::open(MemDisk::new(5), new_remote, HOLDS_ALL);
        assert_eq!(stores.deliver(), FeedTurn::Idle);
        Self(Some(stores))
    }

    fn store(&self) -> &dyn Store {
        &self.0.as_ref().expect("always there").read
    }

    fn write(&mut self, fill: impl Fn(&mut RecordBuilder)) {
        self.stores().write(fill);
    }

    /// Written rows go to the remote store, and are removed from memory.
    fn settle(&mut self) {
        let stores = self.stores();
        assert_eq!(stores.deliver(), FeedTurn::Idle);
        // Frozen, then released.
        for _ in 0..2 {
            stores.live.flush_once().expect("a sound disk");
        }
    }

    fn restart(&mut self) {
        self.0 = self.0.take().map(Stores::start_again);
    }
}

fn keeps_what_every_store_promises(next: Box<dyn Fn() -> NewRemote>) {
    NEXT.set(Some(next));
    let alone = contract::promises::<First<false>>().into_iter();
    for promise in alone.chain(contract::promises::<First<true>>()) {
        promise();
    }
}

fn of_postgres(peer: &Arc<PostgresPeer>) -> Box<dyn Fn() -> NewRemote> {
    let peer = Arc::clone(peer);
    Box::new(move || {
        let settings = peer.next_schema();
        Arc::new(move || {
            let made = stores::Postgres::new(settings.clone(), Clock::real(), &Registry::new());
            Arc::new(made.expect("the settings are sound"))
        })
    })
}

#[test]
fn postgres_read_first_keeps_what_every_store_promises() {
    let Some(peer) = PostgresPeer::new() else { return };
    keeps_what_every_store_promises(of_postgres(&Arc::new(peer)));
}

#[test]
fn clickhouse_read_first_keeps_what_every_store_promises() {
    let Some(server) = peers::ClickHouse::start(ClickHouseKind::Debian) else { return };
    let (url, n) = (server.url(), std::cell::Cell::new(0));
    keeps_what_every_store_promises(Box::new(move || {
        n.set(n.get() + 1);
        let settings = stores::clickhouse::ClickHouseSettings {
            url: url.clone(),
            password: peers::ClickHouse::PASSWORD.to_owned(),
            database: format!("first {}", n.get()),
            ..stores::clickhouse::ClickHouseSettings::default()
        };
        Arc::new(move || {
            let made = stores::ClickHouse::new(settings.clone(), Clock::real(), &Registry::new());
            Arc::new(made.expect("the settings are sound"))
        })
    }));
}

/// Values 1..=n of the item, one a second.
fn write_up_to(stores: &mut Stores, from: u64, n: u64) {
    for value in from..=n {
        let time = NOW.plus_secs(i64::try_from(value).expect("small"));
        stores.write(|record| record.unsigned(ITEM, time, value));
    }
}

fn issues(stores: &Stores) -> Vec<String> {
    stores.health.issues().into_iter().map(|it| it.part).collect()
}

fn a_value_is_found_once_wherever_it_is(stores: &mut Stores) {
    let all = |n: u64| (1..=n).collect::<Vec<_>>();
    write_up_to(stores, 1, 10);
    assert_eq!(numbers(&stores.read, ITEM), all(10), "in memory alone");
    assert_eq!(stores.deliver(), FeedTurn::Idle);
    assert_eq!(numbers(&stores.read, ITEM), all(10), "in both");
    write_up_to(stores, 11, 20);
    stores.live.flush_once().expect("sound");
    stores.live.flush_once().expect("sound");
    write_up_to(stores, 21, 30);
    assert_eq!(stores.deliver(), FeedTurn::Idle);
    assert_eq!(numbers(&stores.read, ITEM), all(30), "some in both, some in either");
    // The newest of a bucket may be in either: a late value comes last.
    stores.write(|record| record.unsigned(ITEM, NOW.plus_secs(2), 1_000));
    let query = BucketQuery {
        item: ITEM,
        kind: ValueType::Unsigned,
        from: NOW,
        till: NOW.plus_secs(40),
        n_buckets: 1,
    };
    let bucket = stores.read.buckets(&query).expect("reads").remove(0);
    assert_eq!((bucket.n, bucket.last, bucket.max), (31, 30.0, 1_000.0));
    let mut newest = ever(ITEM, ValueType::Unsigned);
    (newest.newest_first, newest.limit) = (true, 3);
    assert_eq!(read(&stores.read, &newest).len(), 3);
}

#[test]
fn values_are_found_once_while_they_move_to_postgres() {
    let Some(peer) = PostgresPeer::new() else { return };
    let next = of_postgres(&Arc::new(peer));
    for holds_all in [false, true] {
        let mut stores = Stores::open(MemDisk::new(5), next(), holds_all);
        assert_eq!(stores.deliver(), FeedTurn::Idle);
        a_value_is_found_once_wherever_it_is(&mut stores);
    }
}

#[test]
fn while_the_first_store_is_away_the_next_one_answers_or_nobody_does() {
    let Some(peer) = PostgresPeer::new().map(Arc::new) else { return };
    let next = of_postgres(&peer);
    let line: &Line = &peer.line;
    for holds_all in [false, true] {
        let mut stores = Stores::open(MemDisk::new(5), next(), holds_all);
        assert_eq!(stores.deliver(), FeedTurn::Idle);
        write_up_to(&mut stores, 1, 10);
        assert_eq!(stores.deliver(), FeedTurn::Idle);
        line.cut();
        let answer = stores.read.range(&ever(ITEM, ValueType::Unsigned));
        if holds_all {
            assert_eq!(answer.expect("the next one answers").rows.len(), 10);
        } else {
            let error = answer.expect_err("nobody else has them");
            assert!(error.retry() && error.to_string().contains("far: "), "{error}");
        }
        assert_eq!(issues(&stores), ["reading history from far"]);
        line.mend();
        // With a pause of nothing the next query tries it again.
        assert_eq!(numbers(&stores.read, ITEM), (1..=10).collect::<Vec<_>>());
        assert_eq!(issues(&stores), [""; 0]);
        assert_eq!(stores.deliver(), FeedTurn::Idle);
    }
}

#[test]
fn cleared_history_is_gone_from_the_remote_store() {
    let Some(peer) = PostgresPeer::new() else { return };
    let next = of_postgres(&Arc::new(peer));
    let mut stores = Stores::open(MemDisk::new(5), next(), false);
    assert_eq!(stores.deliver(), FeedTurn::Idle);
    write_up_to(&mut stores, 1, 10);
    let other = model::ItemId(ITEM.0 + 1);
    stores.write(|record| record.unsigned(other, NOW, 5));
    assert_eq!(stores.deliver(), FeedTurn::Idle);
    stores.read.clear(&[ITEM]).expect("the store is there");
    assert_eq!(numbers(&stores.read, ITEM), [0; 0]);
    assert_eq!(numbers(&stores.read, other), [5]);
    write_up_to(&mut stores, 11, 11);
    assert_eq!(numbers(&stores.read, ITEM), [11]);
}
