//! A journal and a store fed from it.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use disk::{Disk as _, MemDisk};
use history::contract::{NOW, ever, read};
use history::{DirectoryRow, FeedState, FeedTurn, Feeder, FeederSettings, Flush, NameTable, Store};
use journal::Journal;
use model::record::{RecordBuilder, RecordHead};
use model::{Classes, ItemId, Retention, Value, ValueType};
use rt::health::Health;
use rt::metrics::Registry;

/// Makes the store of another process.
pub type Make = Rc<dyn Fn() -> Arc<dyn Flush>>;

pub struct Behind {
    disk: MemDisk,
    make: Make,
    pub journal: Journal,
    pub store: Arc<dyn Flush>,
    pub feeder: Feeder,
    feed: history::Feed,
}

impl Behind {
    pub fn new(make: Make) -> Self {
        Self::on(MemDisk::new(5), make, 7)
    }

    /// `identity`: that of the journal, if it has none yet.
    fn on(disk: MemDisk, make: Make, identity: u32) -> Self {
        let settings = journal::JournalSettings { identity, ..journal::JournalSettings::default() };
        let opened = Journal::open(Arc::new(disk.clone()), Path::new("/journal"), settings);
        let (journal, store) = (opened.expect("a sound disk").0, make());
        let parts = (&Registry::new(), &Health::default());
        let feeder = Feeder::new(journal.clone(), FeederSettings::default(), parts);
        let feed = feeder.add("far", Arc::clone(&store));
        Self { disk, make, journal, store, feeder, feed }
    }

    pub fn append(&self, fill: impl Fn(&mut RecordBuilder)) {
        let mut record = RecordBuilder::new();
        record.start(RecordHead::default());
        // The times of tests are long past.
        record.classes(Classes { history: Retention::Forever, trends: Retention::Forever });
        fill(&mut record);
        self.journal.append(record.finish(), 0).expect("a sound disk");
        self.journal.sync_once().expect("a sound disk");
    }

    /// Turns until there is no more to do.
    pub fn run(&mut self) -> FeedTurn {
        loop {
            match self.feed.turn(true) {
                FeedTurn::More => {}
                other => return other,
            }
        }
    }

    pub fn state(&self) -> FeedState {
        self.feeder.status().pop().expect("one store").state
    }

    /// Another process.
    pub fn start_again(self) -> Self {
        let Self { disk, make, .. } = self;
        disk.restart_after_kill();
        Self::on(disk, make, 99)
    }

    /// The server of a backup that is made now.
    pub fn copied(&self, identity: u32) -> Self {
        let (disk, dir) = (MemDisk::new(6), Path::new("/journal"));
        disk.create_dir_all(dir).expect("a sound disk");
        let files = self.journal.copy_of(&self.journal.hold(), self.journal.next_lsn());
        for file in files.expect("opens") {
            file.write(&disk, dir, &mut |_| true).expect("a sound disk");
        }
        disk.sync_dir(dir).expect("a sound disk");
        Self::on(disk, Rc::clone(&self.make), identity)
    }
}

/// The contract's view of it. `NEXT` makes a store without values for each promise.
pub struct Contract(Option<Behind>);

thread_local! {
    pub static NEXT: std::cell::RefCell<Option<Box<dyn Fn() -> Make>>> =
        const { std::cell::RefCell::new(None) };
}

impl history::contract::Harness for Contract {
    fn new() -> Self {
        let make = NEXT.with_borrow(|it| it.as_ref().expect("the test has said how")());
        Self(Some(Behind::new(make)))
    }

    fn store(&self) -> &dyn Store {
        &*self.0.as_ref().expect("always there").store
    }

    fn write(&mut self, fill: impl Fn(&mut RecordBuilder)) {
        let behind = self.0.as_mut().expect("always there");
        behind.append(fill);
        assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    }

    fn settle(&mut self) {
        assert_eq!(self.0.as_mut().expect("always there").run(), FeedTurn::Idle);
    }

    fn restart(&mut self) {
        self.0 = self.0.take().map(Behind::start_again);
        self.settle();
    }
}

/// The whole numbers of an item.
pub fn numbers(store: &dyn Store, item: ItemId) -> Vec<u64> {
    let number = |it: model::value::Sample| match it.value {
        Value::Unsigned(it) => it,
        other => panic!("{other:?}"),
    };
    read(store, &ever(item, ValueType::Unsigned)).into_iter().map(number).collect()
}

/// Items of which some have values, asked for at once and alone.
pub fn many_at_once(behind: &mut Behind) {
    let now = NOW;
    behind.append(|record| {
        for id in 1..=200 {
            for second in 0..10 {
                record.unsigned(ItemId(id), now.plus_secs(second), id * 100);
            }
        }
    });
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
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

/// A server that was started from a backup and its original feed the same tables: each value is there once, each
/// server finds its own place after a restart, and nobody takes rows of the other one for its own.
pub fn a_copy_and_its_original_are_stored_side_by_side(mut original: Behind) {
    let (item, now) = (history::contract::ITEM, NOW);
    let write = |behind: &Behind, values: std::ops::Range<u64>| {
        for value in values {
            // All at one time: rows differ only by their positions.
            behind.append(|record| record.unsigned(item, now, value));
        }
    };
    write(&original, 0..10);
    assert_eq!(original.run(), FeedTurn::Idle, "{:?}", original.state());
    let mut copy = original.copied(8);
    write(&original, 10..20);
    write(&copy, 100..115);
    assert_eq!(original.run(), FeedTurn::Idle, "{:?}", original.state());
    assert_eq!(copy.run(), FeedTurn::Halted);
    assert!(matches!(copy.state(), FeedState::Misses(gap) if gap.is_other_journal));
    // The copy has not got there: nobody may think so.
    let end = copy.journal.shared_with(7).expect("it is a copy");
    assert_eq!((copy.store.cursor(), copy.feeder.needed(0)), (end, end));
    assert_eq!(copy.feeder.accept_gaps().len(), 1);
    assert_eq!(copy.run(), FeedTurn::Idle, "{:?}", copy.state());
    for round in 0..3 {
        write(&original, 20 + round * 10..30 + round * 10);
        write(&copy, 115 + round * 10..125 + round * 10);
        assert_eq!(original.run(), FeedTurn::Idle, "{:?}", original.state());
        assert_eq!(copy.run(), FeedTurn::Idle, "{:?}", copy.state());
        if round == 1 {
            (original, copy) = (original.start_again(), copy.start_again());
            assert_eq!((original.journal.identity(), copy.journal.identity()), (7, 8));
        }
    }
    for behind in [&mut original, &mut copy] {
        assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
        assert_eq!(behind.store.journal_identity(), behind.journal.identity());
        assert_eq!(behind.store.cursor(), behind.journal.next_lsn());
        let mut found = numbers(&*behind.store, item);
        found.sort_unstable();
        let expected: Vec<u64> = (0..50).chain(100..145).collect();
        assert_eq!(found, expected);
    }
}

/// Schemas of their own in the server of `SAKER_TEST_POSTGRES`, by way of a line that the test may cut.
pub struct PostgresPeer {
    through: String,
    pub line: peers::Line,
}

impl PostgresPeer {
    /// `None`, with a word, where it names no server.
    pub fn new() -> Option<Self> {
        let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
            peers::left_out("SAKER_TEST_POSTGRES is not set");
            return None;
        };
        let config: ::postgres::Config = url.parse().expect("a URL");
        let [::postgres::config::Host::Tcp(host)] = config.get_hosts() else {
            panic!("no host: {url}")
        };
        let address = format!("{host}:{}", config.get_ports()[0]);
        let line = peers::Line::to(address.parse().expect("an address"));
        let through = url.replace(&address, &line.address.to_string());
        Some(Self { through, line })
    }

    /// Settings with a schema that nobody has used.
    pub fn next_schema(&self) -> stores::postgres::PostgresSettings {
        static PEERS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let n = PEERS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        stores::postgres::PostgresSettings {
            url: self.through.clone(),
            schema: format!("read first {} {n}", std::process::id()),
            ..stores::postgres::PostgresSettings::default()
        }
    }
}

/// The table of names has a row for each item, the newest one, whatever is written twice. `read` gives rows as
/// `itemid|host|key|name|units|value_type`, by item, as a reader of the store would.
pub fn names_are_kept(directory: &dyn NameTable, read: &dyn Fn() -> Vec<String>) {
    let row = |item, name: &str| DirectoryRow {
        item: ItemId(item),
        host: "web-1".to_owned(),
        key: format!("load[{item}]"),
        name: name.to_owned(),
        units: "B".to_owned(),
        value_type: ValueType::Unsigned,
    };
    let odd = "it's \\ \"ünï\"\t{x}";
    assert_eq!(directory.directory().expect("it answers"), []);
    directory.write_directory(&[row(7, "Load"), row(9, odd)], &[]).expect("it answers");
    directory.write_directory(&[row(7, "Load"), row(9, odd)], &[]).expect("it answers");
    let of_9 = format!("9|web-1|load[9]|{odd}|B|3");
    assert_eq!(read(), ["7|web-1|load[7]|Load|B|3".to_owned(), of_9.clone()]);
    let moved = DirectoryRow { host: "web-2".to_owned(), ..row(7, "Load, 1 min") };
    directory.write_directory(&[moved], &[]).expect("it answers");
    assert_eq!(read(), ["7|web-2|load[7]|Load, 1 min|B|3".to_owned(), of_9.clone()]);
    directory.write_directory(&[], &[ItemId(7), ItemId(8)]).expect("it answers");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while read() != [of_9.as_str()] && std::time::Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(read(), [of_9]);
    assert_eq!(directory.directory().expect("it answers"), [ItemId(9)]);
}

/// Two items with values, of which one is a load, and their names.
pub fn load_and_other(behind: &mut Behind, directory: &dyn NameTable) {
    let of = |item: u64, key: &str| DirectoryRow {
        item: ItemId(item),
        host: "web-1".to_owned(),
        key: key.to_owned(),
        name: "Load".to_owned(),
        units: String::new(),
        value_type: ValueType::Float,
    };
    let rows = [of(1, "system.cpu.load[all,avg1]"), of(2, "system.swap.size")];
    behind.append(|record| {
        for (item, second, value) in [(1, 0, 0.5), (1, 1, 1.5), (2, 0, 7.0), (3, 0, 9.0)] {
            record.float(ItemId(item), NOW.plus_secs(second), value);
        }
    });
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    directory.write_directory(&rows, &[]).expect("it answers");
}

/// The graph that a page of the user guide shows below the names of items, with the macros of Grafana's plug-in
/// in place as it puts them.
pub fn graph_of_guide(page: &str, macros: &[(&str, &str)]) -> String {
    let path = format!("{}/../../docs/user/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the guide is here");
    let (_, part) = text.split_once("## Names of items").expect("it has the part");
    let sql =
        part.split_once("```sql").and_then(|it| it.1.split_once("```")).expect("it has a query").0;
    let sql = macros.iter().fold(sql.to_owned(), |sql, (name, text)| {
        assert!(sql.contains(name), "{name} is not in {sql}");
        sql.replace(name, text)
    });
    assert!(!sql.contains("$__"), "{sql}");
    sql
}

/// As the plug-in for ClickHouse puts them, an interval of a minute.
pub const MACROS_OF_CLICKHOUSE: [(&str, &str); 2] = [
    ("$__timeInterval(clock)", "toDateTime(intDiv(toUInt32(clock), 60) * 60)"),
    ("$__timeFilter(clock)", "clock >= toDateTime(1700000000) AND clock <= toDateTime(1900000000)"),
];
