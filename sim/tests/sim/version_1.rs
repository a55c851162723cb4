//! A data directory of version 1 of the record opens, and has the same contents.
//!
//! `fixtures/version-1` holds journal, checkpoints and history of the configuration and the values
//! below, written by the last program of that version, and `expected.txt` the state that this
//! program had. The code below must stay as it is: the files can't be made again.

#[allow(dead_code, reason = "tests of `pipeline` use the rest")]
#[path = "../../../crates/pipeline/tests/pipeline/kit/mod.rs"]
mod kit;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use directory::{BuilderSettings, DirectoryBuilder};
use disk::{Disk, MemDisk};
use history::{LiveStore, RangeQuery, Store};
use jiff::tz::TimeZone;
use journal::{Journal, ReadOutcome};
use kit::{Config, item, step};
use model::content::{Step, Tag};
use model::record::RecordView;
use model::snapshot::Delta;
use model::{ItemId, Time, TriggerId, Value, ValueType};
use pipeline::{Effects, LiveTable, Shard, ShardQuery, ShardReply};

const KEYS: [(&str, &str, ValueType); 8] = [
    ("a", "load", ValueType::Float),
    ("a", "bytes", ValueType::Unsigned),
    ("a", "rate", ValueType::Float),
    ("a", "state", ValueType::Text),
    ("a", "log", ValueType::Log),
    ("a", "secret", ValueType::Unsigned),
    ("b", "load", ValueType::Float),
    ("b", "doc", ValueType::Float),
];

fn config() -> (Config, Vec<ItemId>, Vec<TriggerId>) {
    let mut config = Config::new();
    let hosts = [config.host("a"), config.host("b")];
    let mut items = Vec::new();
    for (host, key, value_type) in KEYS {
        let mut content = item(key, value_type);
        match key {
            "rate" => content.preprocessing = vec![step(Step::ChangePerSecond, "")],
            "doc" => content.preprocessing = vec![step(Step::JsonPath, "$.n")],
            "secret" => content.history = "0".to_owned(),
            "bytes" => content.history = "7d".to_owned(),
            _ => {}
        }
        items.push(config.item(hosts[usize::from(host == "b")], content));
    }
    let triggers = vec![
        config.trigger(hosts[0], "last(/a/load)>4", |it| {
            it.multiple = true;
            it.tags = vec![Tag { tag: "scope".to_owned(), value: "load".to_owned() }];
        }),
        config.trigger(hosts[0], "last(/a/state)=\"down\"", |_| {}),
        config.trigger(hosts[1], "last(/a/load)+last(/b/load)>10", |_| {}),
        config.trigger(hosts[0], "last(/a/bytes)>5", |_| {}),
    ];
    (config, items, triggers)
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/version-1")
}

/// The directory in memory, so that nobody writes to it.
fn disk() -> MemDisk {
    let disk = MemDisk::new(1);
    for part in ["journal", "history", "checkpoints"] {
        let dir = Path::new("/").join(part);
        disk.create_dir_all(&dir).expect("a folder");
        for entry in std::fs::read_dir(fixture().join(part)).expect("a folder") {
            let entry = entry.expect("an entry");
            let bytes = std::fs::read(entry.path()).expect("a file");
            let file = disk.create(&dir.join(entry.file_name())).expect("a file");
            disk::write_full(&*file, &bytes, 0).expect("a file in memory");
            file.sync_data().expect("a file in memory");
        }
        disk.sync_dir(&dir).expect("a folder in memory");
    }
    disk
}

fn open(disk: &MemDisk) -> (Journal, Arc<dyn LiveStore>) {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let settings =
        journal::JournalSettings { file_bytes: 4_096, ..journal::JournalSettings::default() };
    let (journal, _) =
        Journal::open(Arc::clone(&disk), Path::new("/journal"), settings).expect("opens");
    let (kind, place) = (history::StoreKind::default(), (disk, Path::new("/history")));
    let registry = rt::metrics::Registry::new();
    let opened = history::open(kind, place, journal.clone(), 1, &registry).expect("opens");
    let history = opened.store;
    history.replay(&|_| ()).expect("the journal has what is missing");
    (journal, history)
}

/// The shard that the checkpoints and the journal behind them give, or the whole journal alone.
fn replayed(journal: &Journal, with_checkpoints: bool) -> (Shard, LiveTable, directory::Directory) {
    let (config, ..) = config();
    let live = LiveTable::new(1);
    let settings = pipeline::ShardSettings { shard: 0, n_shards: 1, zone: TimeZone::UTC };
    let mut shard = Shard::new(settings, &live);
    if with_checkpoints {
        for entry in std::fs::read_dir(fixture().join("checkpoints")).expect("a folder") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            shard.restore(bytes).expect("a checkpoint");
        }
    }
    let mut builder =
        DirectoryBuilder::new(BuilderSettings { n_shards: 1, hash_seed: 3, zone: TimeZone::UTC });
    let (directory, mut plans) = builder.apply(&Arc::new(config.snapshot), &Delta::default());
    let now = model::Now { wall: kit::at(100), mono_ns: 1 };
    shard.configure(plans.remove(0), now, &mut Effects::default());
    let range = (journal.first_lsn(), journal.next_lsn());
    journal
        .replay(
            range,
            || {},
            |found| {
                let ReadOutcome::Record(it) = found else { panic!("{found:?}") };
                let view = RecordView::parse(it.payload).expect("a record of version 1");
                shard.apply(&view, it.next_lsn.0, it.first_id).expect("a readable record");
                Ok::<(), journal::Error>(())
            },
        )
        .expect("a whole journal");
    shard.start(now, &mut Effects::default());
    let directory = Arc::try_unwrap(directory).expect("nobody else has it");
    (shard, live, directory)
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Float(it) => format!("{it:?}"),
        Value::Unsigned(it) => it.to_string(),
        Value::Text(it) => format!("{it:?}"),
        Value::Log(it) => format!("{:?} {} {} {}", it.value, it.source, it.timestamp, it.severity),
    }
}

fn seconds(time: Time) -> String {
    format!("{:.9}", (time.0 - kit::at(0).0) as f64 / 1e9)
}

/// The state of the directory, as text.
fn state_text(
    shard: &Shard,
    live: &LiveTable,
    directory: &directory::Directory,
    history: &dyn Store,
) -> String {
    let (_, items, triggers) = config();
    let mut out = String::new();
    for ((host, key, kind), item) in KEYS.into_iter().zip(items) {
        let target = directory.lookup(host, key).expect("a known item");
        let last = live.last(target.shard, target.slot);
        writeln!(out, "{host} {key}: error {:?}", last.error).expect("a text");
        for (time, value) in [last.last, last.prev].into_iter().flatten() {
            writeln!(out, "  live {} {}", seconds(time), text_of(&value)).expect("a text");
        }
        let (from, till) = (Time(i64::MIN), Time::MAX);
        let query = RangeQuery { item, kind, from, till, limit: 1_000, newest_first: false };
        for it in history.range(&query).expect("sound files").into_samples() {
            writeln!(out, "  kept {} {}", seconds(it.time), text_of(&it.value)).expect("a text");
        }
    }
    let ShardReply::Triggers(triggers) = shard.read(&ShardQuery::Triggers(triggers)) else {
        panic!("another answer")
    };
    for it in triggers {
        let open: Vec<u64> = it.open.iter().map(|it| it.0).collect();
        let name = format!("trigger {}", it.trigger);
        writeln!(out, "{name}: problem {} open {open:?} error {:?}", it.is_problem, it.error)
            .expect("a text");
    }
    let sizes = shard.sizes();
    writeln!(out, "values that wait: {}", sizes.values_pending).expect("a text");
    out
}

#[test]
fn a_directory_of_version_1_means_what_it_meant() {
    let expected = std::fs::read_to_string(fixture().join("expected.txt")).expect("a file");
    let disk = disk();
    for with_checkpoints in [false, true] {
        let (journal, history) = open(&disk);
        let (shard, live, directory) = replayed(&journal, with_checkpoints);
        assert_eq!(state_text(&shard, &live, &directory, &*history), expected);
    }
}
