//! Cost of writing a record and showing its values: `cargo bench -p history --bench commit`.
//! As part of the tests every benchmark runs once, with 1,000 items.

use std::path::Path;
use std::sync::Arc;

use divan::counter::ItemsCount;
use history::{LiveStore, RangeQuery, Writer};
use journal::Journal;
use model::record::{RecordBuilder, RecordHead};
use model::{ItemId, Time, ValueType};
use rt::metrics::Registry;

const NOW_MS: i64 = 1_790_000_000_000;

/// 100,000 where cargo measures.
fn n_items() -> u64 {
    if std::env::args().any(|it| it == "--bench") { 100_000 } else { 1_000 }
}

fn main() {
    divan::main();
}

struct Bench {
    _dir: tempfile::TempDir,
    journal: Journal,
    store: Arc<dyn LiveStore>,
    writer: Box<dyn Writer>,
    builder: RecordBuilder,
}

fn open(dir: &Path, journal: &Journal) -> Arc<dyn LiveStore> {
    let (kind, place) = (history::StoreKind::default(), (Arc::new(disk::OsDisk) as _, dir));
    let opened = history::open(kind, place, journal.clone(), 1, &Registry::default());
    opened.expect("opens").store
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let journal_dir = dir.path().join("journal");
        let journal_disk = Arc::new(disk::OsDisk);
        let (journal, _) =
            Journal::open(journal_disk, &journal_dir, journal::JournalSettings::default())
                .expect("opens");
        let store = open(&dir.path().join("history"), &journal);
        let writer = store.writer(0);
        Self { _dir: dir, journal, store, writer, builder: RecordBuilder::new() }
    }

    fn write(&mut self, n: u64, round: i64, first: u64) {
        self.builder.start(RecordHead::default());
        let time = Time::from_millis(NOW_MS + round * 60_000);
        for id in first..first + n {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            self.builder.float(ItemId(id), time, (id * 7 % 10_000) as f64 / 100.0);
        }
        self.writer.commit(self.builder.finish(), 0).expect("written");
    }

    fn write_all(&mut self, n: u64, round: i64) {
        for first in (0..n_items()).step_by(usize::try_from(n).expect("small")) {
            self.write(n, round, first);
        }
    }
}

/// Build the record, append it, fill the head; a sync and a flush now and then.
#[divan::bench(args = [100, 250, 1_000], sample_count = 20, sample_size = 1)]
fn commit(bencher: divan::Bencher<'_, '_>, n: u64) {
    let mut bench = Bench::new();
    bench.write_all(n, 0);
    let mut round = 0;
    bencher.counter(ItemsCount::new(n_items())).bench_local(|| {
        round += 1;
        bench.write_all(n, round);
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn sync_and_flush(bencher: divan::Bencher<'_, '_>) {
    let mut bench = Bench::new();
    let mut round = 0;
    bencher.counter(ItemsCount::new(n_items() * 10)).bench_local(|| {
        for _ in 0..10 {
            round += 1;
            bench.write_all(1_000, round);
        }
        bench.store.flush_once().expect("flushes");
        bench.journal.set_retention(bench.store.cursor()).expect("removes");
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn replay(bencher: divan::Bencher<'_, '_>) {
    let mut bench = Bench::new();
    for round in 0..10 {
        bench.write_all(1_000, round);
    }
    let dir = tempfile::tempdir().expect("a folder");
    bencher.counter(ItemsCount::new(n_items() * 10)).bench_local(|| {
        let store = open(dir.path(), &bench.journal);
        assert_eq!(store.replay(&|_| ()).expect("reads").n_values, n_items() * 10);
    });
}

#[divan::bench]
fn read_an_hour_of_the_head(bencher: divan::Bencher<'_, '_>) {
    let mut bench = Bench::new();
    for round in 0..60 {
        bench.write_all(1_000, round);
    }
    let (from, till) = (Time(0), Time::MAX);
    let mut id = 0;
    bencher.bench_local(|| {
        id = (id + 7_919) % n_items();
        let (item, kind) = (ItemId(id), ValueType::Float);
        let query = RangeQuery { item, kind, from, till, limit: 1_000, newest_first: false };
        assert_eq!(bench.store.range(&query).expect("reads").rows.len(), 60);
    });
}
