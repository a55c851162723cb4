//! Against a real server.

#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use disk::MemDisk;
use history::contract::{self, Harness, ITEM, NOW, ever, read};
use history::{Feed, FeedState, Feeder, FeederSettings, Store, Turn};
use journal::Journal;
use model::record::{Hour, Num, RecordBuilder, RecordHead, Sum, TrendRow};
use model::{Classes, ItemId, Retention, Time, Value, ValueType};
use peers::{ClickHouseKind, Line, Lost};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use stores::clickhouse::{ClickHouse, Settings};

fn settings(server: &peers::ClickHouse, database: &str) -> Settings {
    Settings {
        url: server.url(),
        password: peers::ClickHouse::PASSWORD.to_owned(),
        database: database.to_owned(),
        ..Settings::default()
    }
}

fn store(settings: &Settings, clock: &Clock) -> Arc<ClickHouse> {
    let store = ClickHouse::new(settings.clone(), clock.clone(), &Registry::new());
    Arc::new(store.expect("the settings are sound"))
}

/// A journal, and the store behind it.
struct Behind {
    disk: MemDisk,
    journal: Journal,
    settings: Settings,
    clock: Clock,
    store: Arc<ClickHouse>,
    feeder: Feeder,
    feed: Feed,
}

fn journal_on(disk: &MemDisk) -> Journal {
    let settings = journal::Settings::default();
    Journal::open(Arc::new(disk.clone()), Path::new("/journal"), settings).expect("opens").0
}

impl Behind {
    fn with(settings: Settings) -> Self {
        Self::on(MemDisk::new(5), settings, Clock::real())
    }

    fn on(disk: MemDisk, settings: Settings, clock: Clock) -> Self {
        let journal = journal_on(&disk);
        let store = store(&settings, &clock);
        let parts = (&Registry::new(), &Health::default());
        let feeder = Feeder::new(journal.clone(), FeederSettings::default(), parts);
        let feed = feeder.add("clickhouse", Arc::clone(&store) as Arc<dyn history::Flush>);
        Self { disk, journal, settings, clock, store, feeder, feed }
    }

    fn append(&self, fill: impl Fn(&mut RecordBuilder)) {
        let mut record = RecordBuilder::new();
        record.start(RecordHead::default());
        // The times of tests are long past.
        record.classes(Classes { history: Retention::Forever, trends: Retention::Forever });
        fill(&mut record);
        self.journal.append(record.finish(), 0).expect("a sound disk");
        self.journal.sync_once().expect("a sound disk");
    }

    /// Turns until there is no more to do.
    fn run(&mut self) -> Turn {
        loop {
            match self.feed.turn(true) {
                Turn::More => {}
                other => return other,
            }
        }
    }

    fn state(&self) -> FeedState {
        self.feeder.status().pop().expect("one store").state
    }

    /// Another process.
    fn start_again(self) -> Self {
        let Self { disk, settings, clock, .. } = self;
        disk.restart_after_kill();
        Self::on(disk, settings, clock)
    }
}

thread_local! {
    /// Of the test that runs the contract.
    static SERVER: RefCell<Option<Settings>> = const { RefCell::new(None) };
}
static DATABASES: AtomicU64 = AtomicU64::new(0);

struct Contract(Option<Behind>);

impl Harness for Contract {
    fn new() -> Self {
        let n = DATABASES.fetch_add(1, Ordering::Relaxed);
        let of_server = SERVER.with_borrow(|it| it.clone().expect("it has started"));
        let database = format!("contract {n}");
        Self(Some(Behind::with(Settings { database, ..of_server })))
    }

    fn store(&self) -> &dyn Store {
        &*self.0.as_ref().expect("always there").store
    }

    fn write(&mut self, fill: impl Fn(&mut RecordBuilder)) {
        let behind = self.0.as_mut().expect("always there");
        behind.append(fill);
        assert_eq!(behind.run(), Turn::Idle, "{:?}", behind.state());
    }

    fn settle(&mut self) {
        assert_eq!(self.0.as_mut().expect("always there").run(), Turn::Idle);
    }

    fn restart(&mut self) {
        self.0 = self.0.take().map(Behind::start_again);
        self.settle();
    }
}

fn it_keeps_what_every_store_promises(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    SERVER.set(Some(settings(&server, "")));
    for promise in contract::promises::<Contract>() {
        promise();
    }
}

fn numbers(store: &dyn Store, item: ItemId) -> Vec<u64> {
    let number = |it: model::value::Sample| match it.value {
        Value::Unsigned(it) => it,
        other => panic!("{other:?}"),
    };
    read(store, &ever(item, ValueType::Unsigned)).into_iter().map(number).collect()
}

fn an_outage_loses_nothing_and_doubles_nothing(kind: ClickHouseKind) {
    let Some(mut server) = peers::ClickHouse::start(kind) else { return };
    let mut behind = Behind::with(settings(&server, "saker"));
    let mut next = 0..;
    let mut append = |behind: &Behind, n_records| {
        for _ in 0..n_records {
            let n = next.next().expect("endless");
            let at = |it: u64| NOW.plus_secs(i64::try_from(it).expect("small"));
            behind.append(|record| {
                record.unsigned(ITEM, at(n), n);
                record.float(ITEM, at(n), 0.5);
                record.text(ITEM, at(n), ValueType::Text, "up");
            });
        }
    };
    append(&behind, 10);
    assert_eq!(behind.run(), Turn::Idle);
    server.stop();
    append(&behind, 10);
    assert!(matches!(behind.run(), Turn::Retry(_)));
    assert!(matches!(behind.state(), FeedState::Away(_)), "{:?}", behind.state());
    // A server that starts while it is away knows no place, and waits.
    behind = behind.start_again();
    append(&behind, 10);
    assert!(matches!(behind.run(), Turn::Retry(_)));
    let first = behind.journal.first_lsn();
    assert_eq!(behind.feeder.needed(), first, "what it needs is not known, so all there is");
    server.go_on();
    assert_eq!(behind.run(), Turn::Idle, "{:?}", behind.state());
    server.kill();
    append(&behind, 10);
    assert!(matches!(behind.run(), Turn::Retry(_)));
    server.go_on();
    assert_eq!(behind.run(), Turn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), (0..40).collect::<Vec<_>>());
    for kind in [ValueType::Float, ValueType::Text] {
        assert_eq!(read(&*behind.store, &ever(ITEM, kind)).len(), 40, "{kind:?}");
    }
    assert_eq!(behind.feeder.needed(), behind.journal.next_lsn());
}

fn rows_whose_answer_was_lost_count_once(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let line = Line::to(server.address);
    let of_line = Settings {
        url: format!("http://{}", line.address),
        timeout: Duration::from_secs(10),
        ..settings(&server, "saker")
    };
    let mut behind = Behind::with(of_line);
    assert_eq!(behind.run(), Turn::Idle);
    let mut n = 0;
    for place in ["history_uint%20", "saker_cursor%20", "history_text%20"] {
        for is_restarted in [false, true] {
            for _ in 0..5 {
                let at = NOW.plus_secs(i64::try_from(n).expect("small"));
                behind.append(|record| {
                    record.unsigned(ITEM, at, n);
                    record.text(ITEM, at, ValueType::Text, &n.to_string());
                });
                n += 1;
            }
            line.cut_at(place.as_bytes(), Lost::Answer);
            assert!(matches!(behind.run(), Turn::Retry(_)), "{place}");
            assert!(line.has_cut(), "{place}");
            line.mend();
            if is_restarted {
                behind = behind.start_again();
            }
            assert_eq!(behind.run(), Turn::Idle, "{:?}", behind.state());
            let store = &*behind.store;
            assert_eq!(numbers(store, ITEM), (0..n).collect::<Vec<_>>(), "{place}");
            let mut query = ever(ITEM, ValueType::Unsigned);
            query.limit = usize::try_from(n - 1).expect("small");
            assert_eq!(read(store, &query).len(), query.limit, "doubles do not use up the limit");
            let texts = read(store, &ever(ITEM, ValueType::Text));
            assert_eq!(texts.len(), usize::try_from(n).expect("small"), "{place}");
            let query = history::BucketQuery {
                item: ITEM,
                kind: ValueType::Unsigned,
                from: NOW.plus_secs(-1),
                till: NOW.plus_secs(1_000),
                n_buckets: 1,
            };
            let buckets = store.buckets(&query).expect("reads");
            assert_eq!(buckets.first().map(|it| it.n), Some(n), "{place}");
        }
    }
}

fn what_cannot_work_is_told_and_what_may_pass_is_tried_again(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let wrong = Settings { password: "guess".to_owned(), ..settings(&server, "saker") };
    let mut behind = Behind::with(wrong);
    behind.append(|record| record.unsigned(ITEM, NOW, 1));
    assert_eq!(behind.run(), Turn::Halted);
    let FeedState::Halted(why) = behind.state() else { panic!("{:?}", behind.state()) };
    assert!(why.to_lowercase().contains("password"), "{why}");
    assert!(!why.contains("guess") && !format!("{:?}", behind.store).contains("guess"), "{why}");
    // Tables of a newer program are left alone.
    let mut behind = Behind::with(settings(&server, "saker"));
    assert_eq!(behind.run(), Turn::Idle);
    query(&server, "INSERT INTO saker.saker_schema VALUES (1000, 'next')");
    let mut behind = behind.start_again();
    assert_eq!(behind.run(), Turn::Halted);
    let FeedState::Halted(why) = behind.state() else { panic!("{:?}", behind.state()) };
    assert!(why.contains("a newer program: schema 1000"), "{why}");
}

fn query(server: &peers::ClickHouse, sql: &str) -> String {
    let mut answer = ureq::post(server.url())
        .header("X-ClickHouse-User", "default")
        .header("X-ClickHouse-Key", peers::ClickHouse::PASSWORD)
        .send(sql)
        .expect("the server answers");
    answer.body_mut().read_to_string().expect("a text")
}

fn days_whose_period_is_over_are_dropped_and_others_stay(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let clock = Clock::real();
    let today = clock.now().wall;
    let mut behind = Behind::on(MemDisk::new(6), settings(&server, "saker"), clock);
    let ages = [0, 1, 5, 20, 80, 300, 4_000];
    behind.append(|record| {
        for retention in [Retention::Day, Retention::Month, Retention::Forever] {
            record.classes(Classes { history: retention, ..Classes::default() });
            for age in ages {
                let id = ItemId(u64::from(retention as u8));
                record.unsigned(id, today.plus_secs(-age * 86_400), 1);
            }
        }
    });
    assert_eq!(behind.run(), Turn::Idle, "{:?}", behind.state());
    let n =
        |retention: Retention| numbers(&*behind.store, ItemId(u64::from(retention as u8))).len();
    // With the end of a day: one of yesterday stays, those of the day before are gone.
    peers::wait_until("what has expired is gone", Duration::from_secs(60), || {
        (n(Retention::Day), n(Retention::Month)) == (2, 4)
    });
    assert_eq!(n(Retention::Forever), 7);
}

fn many_items_are_asked_for_at_once_and_each_has_its_own_limit(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let mut behind = Behind::with(settings(&server, "saker"));
    behind.append(|record| {
        for id in 1..=200 {
            for second in 0..10 {
                record.unsigned(ItemId(id), NOW.plus_secs(second), id * 100);
            }
        }
    });
    assert_eq!(behind.run(), Turn::Idle);
    let of = |id| {
        let query = ever(ItemId(id), ValueType::Unsigned);
        history::RangeQuery { limit: 3, newest_first: true, ..query }
    };
    let mut queries: Vec<_> = (1..=300).map(of).collect();
    queries.push(ever(ItemId(7), ValueType::Float));
    queries.push(of(7));
    let answers = behind.store.ranges(&queries).expect("reads");
    assert_eq!(answers.len(), 302);
    for (query, answer) in queries.iter().zip(answers) {
        let alone = behind.store.range(query).expect("reads");
        assert_eq!(answer, alone, "{query:?}");
        let n = if query.item.0 <= 200 && query.kind == ValueType::Unsigned { 3 } else { 0 };
        assert_eq!(answer.rows.len(), n, "{query:?}");
    }
}

fn rows_of_a_trend_and_times_that_cannot_be_are_no_hindrance(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let mut behind = Behind::with(settings(&server, "saker"));
    let trend = TrendRow {
        item: ITEM,
        hour: Hour::of(NOW),
        retention: Retention::Year,
        count: 3,
        min: Num::Unsigned(1),
        max: Num::Unsigned(u64::MAX),
        sum: Sum::Unsigned(u128::from(u64::MAX) * 2),
    };
    behind.append(|record| {
        record.trend(&trend);
        record.unsigned(ITEM, Time::from_clock(-5, 0), 1);
        record.unsigned(ITEM, Time::from_clock(5_000_000_000, 0), 2);
        record.unsigned(ITEM, NOW, 3);
    });
    assert_eq!(behind.run(), Turn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), [3]);
    let sql = "SELECT num, value_min, value_max, value_sum, value_sum_high FROM saker.trends_uint";
    let want = format!("3\t1\t{}\t{}\t1\n", u64::MAX, u64::MAX - 1);
    assert_eq!(query(&server, sql), want);
}

/// The same with either of them.
macro_rules! tests {
    ($module:ident $kind:ident: $($test:ident),* $(,)?) => {
        mod $module {
            $(#[test] fn $test() { super::$test(peers::ClickHouseKind::$kind); })*
        }
    };
    ($($test:ident),* $(,)?) => {
        tests!(debian Debian: $($test),*);
        tests!(engine Engine: $($test),*);
    };
}

tests!(
    it_keeps_what_every_store_promises,
    an_outage_loses_nothing_and_doubles_nothing,
    rows_whose_answer_was_lost_count_once,
    what_cannot_work_is_told_and_what_may_pass_is_tried_again,
    days_whose_period_is_over_are_dropped_and_others_stay,
    many_items_are_asked_for_at_once_and_each_has_its_own_limit,
    rows_of_a_trend_and_times_that_cannot_be_are_no_hindrance,
);
