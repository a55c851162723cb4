//! Head, segments and reads: `cargo bench -p tsdb --bench store`. As part of the tests it runs with
//! 1,000 series.
#![allow(clippy::print_stdout, reason = "a benchmark speaks on stdout")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "small made-up numbers"
)]

use std::sync::Arc;

use disk::{MemDisk, OsDisk};
use divan::counter::ItemsCount;
use tsdb::{Handle, Head, MergeStep, Order, RetentionClass, SeriesKey, SeriesKind, Tsdb};

const CLASS: RetentionClass = RetentionClass(3);
/// Rounds of one value for each series: 60 is an hour of minutes.
const ROUNDS: i64 = 60;

/// 100,000 where cargo measures.
fn n_series() -> u64 {
    if std::env::args().any(|it| it == "--bench") { 100_000 } else { 1_000 }
}

fn main() {
    let disk = MemDisk::new(1);
    let (store, _) = Tsdb::open(Arc::new(disk), std::path::Path::new("/store"), 1).expect("opens");
    let keys: Vec<SeriesKey> = keys();
    let mut random = Random(7);
    fill(&mut store.head(0), &keys, 0..ROUNDS, &mut random);
    let n = store.n_values_in_memory() as f64;
    println!("head: {:.2} bytes a value in all", store.memory_bytes() as f64 / n);
    println!("head: {:.0} bytes a series in all", store.memory_bytes() as f64 / n_series() as f64);
    assert!(store.freeze(1), "nothing was frozen before");
    let flushed = store.flush().expect("flushes").expect("was frozen");
    println!("segment: {:.3} bytes a value, 60 a series", flushed.file_bytes() as f64 / n);
    divan::main();
}

struct Random(u64);

impl Random {
    fn next(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % limit
    }
}

fn keys() -> Vec<SeriesKey> {
    (0..n_series())
        .map(|id| {
            let kind = if id % 2 == 0 { SeriesKind::FLOAT } else { SeriesKind::UNSIGNED };
            SeriesKey { id: 1_000 + id, kind }
        })
        .collect()
}

/// A noisy mix: percentages, loads, counters, flags, sizes, temperatures, full doubles.
fn value(id: u64, round: i64, random: &mut Random) -> u64 {
    let step = round.unsigned_abs();
    match id % 16 {
        0 | 8 => (random.next(10_000) as f64 / 100.0).to_bits(),
        2 => (random.next(400) as f64 / 100.0).to_bits(),
        4 => (f64::from(20_u32) + random.next(50) as f64 / 10.0).to_bits(),
        6 => (random.next(1_000_000) as f64 / 1e6).to_bits(),
        10 => 1.5_f64.to_bits(),
        12 => (random.next(1_000) as f64).to_bits(),
        14 => (random.next(1 << 31) as f64 / 60.0).to_bits(),
        1 | 9 => (id << 24) + step * 1_000_000 + random.next(100_000),
        3 => u64::from(random.next(20) == 0),
        5 => 8_589_934_592,
        7 => 4_000_000_000 + random.next(1_000) * 4_096,
        11 => random.next(300),
        13 => step * 60,
        _ => random.next(1 << 20),
    }
}

fn fill(head: &mut Head, keys: &[SeriesKey], rounds: std::ops::Range<i64>, random: &mut Random) {
    for round in rounds {
        let mut handle = Head::before_first();
        for key in keys {
            let jitter = random.next(4) as i64;
            let ms = 1_790_000_000_000 + round * 60_000 + (key.id % 60_000) as i64 + jitter;
            handle = head.series_after(handle, *key, CLASS).expect("room");
            let bits = value(key.id, round, random);
            append(head, handle, *key, ms, bits);
        }
    }
}

fn append(head: &mut Head, handle: Handle, key: SeriesKey, ms: i64, bits: u64) {
    let result = if key.kind == SeriesKind::FLOAT {
        head.float(handle, ms, f64::from_bits(bits))
    } else {
        head.unsigned(handle, ms, bits)
    };
    result.expect("room");
}

/// Values by series in order, as a sender sends them; every eighth seals a block.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn head_append(bencher: divan::Bencher<'_, '_>) {
    let keys = keys();
    bencher
        .counter(ItemsCount::new(n_series() * 16))
        .with_inputs(|| {
            let mut head = Head::default();
            fill(&mut head, &keys, 0..8, &mut Random(3));
            let rounds: Vec<Vec<u64>> = (8..24)
                .map(|round| keys.iter().map(|it| value(it.id, round, &mut Random(9))).collect())
                .collect();
            (head, rounds)
        })
        .bench_local_refs(|(head, rounds)| {
            for (round, values) in (8..).zip(rounds) {
                let mut handle = Head::before_first();
                for (key, bits) in keys.iter().zip(values) {
                    let ms = 1_790_000_000_000 + round * 60_000;
                    handle = head.series_after(handle, *key, CLASS).expect("room");
                    append(head, handle, *key, ms, *bits);
                }
            }
        });
}

/// The same, each series looked up in the index, in random order.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn head_append_random(bencher: divan::Bencher<'_, '_>) {
    let mut keys = keys();
    let mut random = Random(5);
    for at in (1..keys.len()).rev() {
        keys.swap(at, random.next(at as u64 + 1) as usize);
    }
    bencher
        .counter(ItemsCount::new(n_series() * 8))
        .with_inputs(|| {
            let mut head = Head::default();
            let mut sorted = keys.clone();
            sorted.sort();
            fill(&mut head, &sorted, 0..8, &mut Random(3));
            head
        })
        .bench_local_refs(|head| {
            for round in 8..16 {
                for key in &keys {
                    let handle = head.series(*key, CLASS).expect("room");
                    let bits = key.id.wrapping_mul(round) & 0xfff;
                    append(head, handle, *key, 1_790_000_000_000 + round as i64 * 60_000, bits);
                }
            }
        });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn flush(bencher: divan::Bencher<'_, '_>) {
    let keys = keys();
    bencher
        .counter(ItemsCount::new(n_series() * 60))
        .with_inputs(|| {
            let disk = MemDisk::new(1);
            let (store, _) =
                Tsdb::open(Arc::new(disk), std::path::Path::new("/store"), 1).expect("opens");
            fill(&mut store.head(0), &keys, 0..ROUNDS, &mut Random(7));
            assert!(store.freeze(1), "nothing was frozen before");
            store
        })
        .bench_local_refs(|store| store.flush().expect("flushes"));
}

/// An hour of six flushes becomes one file.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn merge(bencher: divan::Bencher<'_, '_>) {
    let keys = keys();
    bencher
        .counter(ItemsCount::new(n_series() * ROUNDS.unsigned_abs()))
        .with_inputs(|| {
            let disk = MemDisk::new(1);
            let (store, _) =
                Tsdb::open(Arc::new(disk), std::path::Path::new("/store"), 1).expect("opens");
            let mut random = Random(7);
            for part in 0..6 {
                let rounds = part * ROUNDS / 6..(part + 1) * ROUNDS / 6;
                fill(&mut store.head(0), &keys, rounds, &mut random);
                assert!(store.freeze(1), "nothing was frozen before");
                store.flush().expect("flushes");
            }
            fill(&mut store.head(0), &keys[..1], 2 * ROUNDS..2 * ROUNDS + 1, &mut random);
            assert!(store.freeze(2), "nothing was frozen before");
            store.flush().expect("flushes");
            store
        })
        .bench_local_refs(|store| {
            while store.merge_step(100_000, |_| &[4_000_000]).expect("merges") != MergeStep::Idle {}
            assert_eq!(store.segments().len(), 2);
        });
}

/// One series' 60 values out of a segment of 6 million, on the machine's own disk (cached).
#[divan::bench]
fn read_a_window(bencher: divan::Bencher<'_, '_>) {
    let dir = tempfile::tempdir().expect("a folder");
    let (store, _) = Tsdb::open(Arc::new(OsDisk), dir.path(), 1).expect("opens");
    let keys = keys();
    fill(&mut store.head(0), &keys, 0..ROUNDS, &mut Random(7));
    assert!(store.freeze(1), "nothing was frozen before");
    store.flush().expect("flushes");
    let mut random = Random(11);
    bencher.bench_local(|| {
        let key = keys[random.next(keys.len() as u64) as usize];
        let samples = store.range(key, (i64::MIN, i64::MAX), 1_000, Order::Ascending);
        assert_eq!(samples.expect("reads").len(), 60);
    });
}

/// The newest ten values of a series, out of the head.
#[divan::bench]
fn read_last_ten_of_the_head(bencher: divan::Bencher<'_, '_>) {
    let disk = MemDisk::new(1);
    let (store, _) = Tsdb::open(Arc::new(disk), std::path::Path::new("/store"), 1).expect("opens");
    let keys = keys();
    fill(&mut store.head(0), &keys, 0..ROUNDS, &mut Random(7));
    let mut random = Random(11);
    bencher.bench_local(|| {
        let key = keys[random.next(keys.len() as u64) as usize];
        assert_eq!(store.last_n(key, 10, i64::MAX).expect("reads").len(), 10);
    });
}
