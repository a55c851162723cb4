#![expect(clippy::indexing_slicing, reason = "a test may fail by panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;

use disk::{Disk as _, MemDisk};

use super::*;

mod aggregates;
mod deleting;
mod merging;
mod shares;

const DIR: &str = "/data/history";
const EVER: (i64, i64) = (i64::MIN, i64::MAX);

fn open(disk: &MemDisk) -> Result<(Tsdb, RecoveredStore)> {
    Tsdb::open(Arc::new(disk.clone()), Path::new(DIR), 2)
}

fn key(id: u64, kind: u8) -> SeriesKey {
    SeriesKey { id, kind: SeriesKind(kind) }
}

/// A value in a form that can be compared.
fn plain(value: PointValue<'_>) -> Vec<u8> {
    match value {
        PointValue::Float(it) => it.to_bits().to_le_bytes().to_vec(),
        PointValue::Unsigned(it) => it.to_le_bytes().to_vec(),
        PointValue::Bytes(it) => it.to_vec(),
        PointValue::Aggregate(it) => format!("{it:?}").into_bytes(),
    }
}

fn rows(samples: &StoredSamples) -> Vec<(i64, Vec<u8>)> {
    samples.iter().map(|(ms, value)| (ms, plain(value))).collect()
}

fn append(store: &Tsdb, writer: usize, key: SeriesKey, ms: i64, value: &[u8]) -> Result<()> {
    append_as(store, (writer, RetentionClass(3)), key, ms, value)
}

fn append_as(
    store: &Tsdb,
    (writer, class): (usize, RetentionClass),
    key: SeriesKey,
    ms: i64,
    value: &[u8],
) -> Result<()> {
    let mut head = store.head(writer);
    let number = || value.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
    if key.kind.is_aggregate() {
        return head.aggregate(key, class, (ms, aggregates::of(number())));
    }
    let handle = head.series(key, class)?;
    match key.kind {
        SeriesKind::FLOAT => head.float(handle, ms, f64::from_bits(number())),
        SeriesKind::UNSIGNED => head.unsigned(handle, ms, number()),
        _ => head.bytes(handle, ms, value),
    }
}

fn float(value: f64) -> Vec<u8> {
    value.to_bits().to_le_bytes().to_vec()
}

/// A value that does not compress to nothing.
fn noise(id: u64, row: i64) -> f64 {
    let mixed = (id << 32 | row.unsigned_abs()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 44) as f64 / 100.0
}

/// A store with series 1..=n of 600 samples each, in two segments, a frozen part and heads.
fn filled(disk: &MemDisk, n: u64) -> Tsdb {
    let (store, _) = open(disk).expect("opens");
    for part in 0..4_u8 {
        for id in 1..=n {
            for row in 0..150 {
                let row = i64::from(part) * 150 + row;
                let value = float(noise(id, row));
                append(&store, (id % 2) as usize, key(id, 0), row * 1_000, &value).expect("room");
            }
        }
        if part < 3 {
            assert!(store.freeze(u64::from(part) + 1));
        }
        if part < 2 {
            store.flush().expect("flushes").expect("something was frozen");
        }
    }
    store
}

#[test]
fn heads_frozen_and_segments_read_as_one() {
    let store = filled(&MemDisk::new(1), 100);
    assert_eq!((store.segments().len(), store.is_frozen(), store.cursor()), (2, true, 2));
    for id in [1, 2, 50, 99, 100] {
        let all = store.range(key(id, 0), EVER, usize::MAX, Order::Ascending).expect("reads");
        let want: Vec<_> = (0..600).map(|row| (row * 1_000, float(noise(id, row)))).collect();
        assert_eq!(rows(&all), want);
        for (from, to, limit) in [(0, 599_000, 10), (149_000, 151_000, 9), (290_500, 460_000, 7)] {
            let inside = want.iter().filter(|it| it.0 >= from && it.0 <= to).cloned();
            let found =
                store.range(key(id, 0), (from, to), limit, Order::Ascending).expect("reads");
            assert_eq!(rows(&found), inside.clone().take(limit).collect::<Vec<_>>());
            let found =
                store.range(key(id, 0), (from, to), limit, Order::Descending).expect("reads");
            assert_eq!(rows(&found), inside.rev().take(limit).collect::<Vec<_>>());
        }
    }
    assert!(store.range(key(101, 0), EVER, 10, Order::Ascending).expect("reads").is_empty());
    assert!(store.range(key(1, 1), EVER, 10, Order::Ascending).expect("reads").is_empty());
    let ids: Vec<u64> = store.stored_series().expect("reads").iter().map(|it| it.id).collect();
    assert_eq!(ids, (1..=100).collect::<Vec<_>>());
}

#[test]
fn late_and_doubled_samples_are_kept_across_segments() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let series = key(5, 1);
    let value = |n: u64| n.to_le_bytes().to_vec();
    for (n, ms) in [(0, 100), (1, 50), (2, 100), (3, 70)] {
        append(&store, 0, series, ms, &value(n)).expect("room");
    }
    assert!(store.freeze(10));
    store.flush().expect("flushes");
    for (n, ms) in [(4, 100), (5, 20)] {
        append(&store, 0, series, ms, &value(n)).expect("room");
    }
    let all = store.range(series, EVER, 100, Order::Ascending).expect("reads");
    let want = [(20, 5), (50, 1), (70, 3), (100, 0), (100, 2), (100, 4)];
    assert_eq!(rows(&all), want.map(|(ms, n)| (ms, value(n))));
    let last = store.last_n(series, 2, 100).expect("reads");
    assert_eq!(rows(&last), [(100, value(4)), (100, value(2))]);
    let last = store.last_n(series, 2, 99).expect("reads");
    assert_eq!(rows(&last), [(70, value(3)), (50, value(1))]);
}

#[test]
fn an_item_of_another_type_is_another_series() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    append(&store, 0, key(5, 3), 1, b"down").expect("room");
    append(&store, 0, key(5, 0), 2, &float(0.5)).expect("room");
    assert!(store.freeze(1));
    store.flush().expect("flushes");
    for (kind, want) in [(3, (1, b"down".to_vec())), (0, (2, float(0.5)))] {
        let found = store.last_n(key(5, kind), 5, i64::MAX).expect("reads");
        assert_eq!(rows(&found), [want]);
    }
}

/// Newest values and classes of the segments, oldest first.
fn classes(store: &Tsdb) -> Vec<(i64, u8)> {
    store.segments().iter().map(|it| (it.max_ms, it.class.0)).collect()
}

#[test]
fn samples_lie_in_segments_of_their_class_and_are_read_from_all() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let mut want = Vec::new();
    for (n, class) in [2, 2, 5, 1, 5, 2].into_iter().enumerate() {
        let (ms, value) = (i64::try_from(n).expect("small") * 10, float(n as f64));
        append_as(&store, (n % 2, RetentionClass(class)), key(7, 0), ms, &value).expect("room");
        append_as(&store, (n % 2, RetentionClass(class)), key(8, 3), ms, b"text").expect("room");
        want.push((ms, value));
    }
    let check = |store: &Tsdb| {
        let all = store.range(key(7, 0), EVER, 100, Order::Ascending).expect("reads");
        assert_eq!(rows(&all), want);
        let newest = store.last_n(key(7, 0), 3, 45).expect("reads");
        assert_eq!(rows(&newest), [want[4].clone(), want[3].clone(), want[2].clone()]);
    };
    check(&store);
    assert!(store.freeze(1));
    check(&store);
    store.flush().expect("flushes");
    assert_eq!(classes(&store), [(30, 1), (50, 2), (40, 5)]);
    check(&store);
    drop(store);
    let (store, recovered) = open(&disk).expect("opens");
    assert_eq!((recovered.n_segments, recovered.n_values), (3, 12));
    check(&store);
}

#[test]
fn expired_values_are_removed_as_whole_files() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    for round in 0..3 {
        for class in [1, 2, 6] {
            for ms in [0, 50] {
                let ms = round * 100 + ms;
                append_as(&store, (0, RetentionClass(class)), key(7, 0), ms, &float(1.0))
                    .expect("room");
            }
        }
        assert!(store.freeze(round.unsigned_abs() + 1));
        store.flush().expect("flushes");
    }
    let keeps = |now: i64| {
        move |class: RetentionClass| match class.0 {
            1 => Some(now - 100),
            2 => Some(now - 200),
            _ => None,
        }
    };
    assert_eq!(store.expire(keeps(150)).expect("nothing to do"), []);
    store.set_retention_clock_ms(251);
    let expired = store.expire(keeps(251)).expect("a sound disk");
    let gone: Vec<_> = expired.iter().map(|it| (it.max_ms, it.class.0)).collect();
    assert_eq!(gone, [(50, 1), (50, 2), (150, 1)]);
    let left = [(50, 6), (150, 2), (150, 6), (250, 1), (250, 2), (250, 6)];
    assert_eq!(classes(&store), left);
    assert_eq!(store.counters().expired_values, 6);
    let files = disk.list(Path::new(DIR)).expect("lists");
    assert_eq!(files.iter().filter(|it| it.ends_with(".segment")).count(), 6);
    let found = store.range(key(7, 0), EVER, 100, Order::Ascending).expect("reads");
    assert_eq!(found.len(), 12);
    drop(store);
    let (store, recovered) = open(&disk).expect("opens");
    assert_eq!((recovered.n_orphans, store.retention_clock_ms()), (0, Some(251)));
    assert_eq!(classes(&store), left);
}

#[test]
fn the_oldest_go_until_the_rest_fits() {
    let disk = MemDisk::new(1);
    let store = filled(&disk, 20);
    store.flush().expect("flushes");
    let before = store.segments();
    let bytes = |segments: &[SegmentInfo]| segments.iter().map(|it| it.file_bytes).sum::<u64>();
    assert_eq!(store.shrink(bytes(&before), |_| 0).expect("nothing to do"), []);
    assert_eq!(store.shrink(bytes(&before) - 1, |_| 0).expect("a sound disk"), before[..1]);
    assert_eq!(store.range(key(3, 0), EVER, 1_000, Order::Ascending).expect("reads").len(), 450);
    assert_eq!(store.shrink(0, |_| 0).expect("a sound disk"), before[1..2]);
    assert_eq!(store.segments(), before[2..], "the newest stays");
    drop(store);
    assert_eq!(open(&disk).expect("opens").0.segments(), before[2..]);
}

#[test]
fn a_reader_of_a_file_that_goes_reads_on_and_a_failed_switch_removes_nothing() {
    let disk = MemDisk::new(1);
    let store = filled(&disk, 20);
    let before = store.segments();
    disk.fail_syncs(1);
    store.expire(|_| Some(i64::MAX)).expect_err("the manifest cannot be stored");
    assert_eq!(store.segments(), before);
    let all = store.range(key(3, 0), EVER, 1_000, Order::Ascending).expect("reads");
    assert_eq!(all.len(), 600);
    assert_eq!(store.expire(|_| Some(i64::MAX)).expect("a sound disk"), before);
    let left = store.range(key(3, 0), EVER, 1_000, Order::Ascending).expect("reads");
    assert_eq!(left.len(), 300);
}

#[test]
fn frozen_samples_are_read_by_their_own_handles() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    append(&store, 0, key(1, 0), 5, &float(1.0)).expect("room");
    assert!(store.freeze(1));
    store.head(0).forget(key(1, 0));
    // Takes the place of the one that is forgotten.
    append(&store, 0, key(2, 0), 6, &float(2.0)).expect("room");
    let of = |id| rows(&store.last_n(key(id, 0), 5, i64::MAX).expect("reads"));
    assert_eq!((of(1), of(2)), (vec![(5, float(1.0))], vec![(6, float(2.0))]));
}

#[test]
fn large_texts_survive() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let text = |n: usize| vec![b'a'; n * 20_000];
    for n in 0..12 {
        append(&store, 0, key(1, 4), i64::try_from(n).expect("small"), &text(n)).expect("room");
    }
    let in_memory = store.range(key(1, 4), EVER, 100, Order::Ascending).expect("reads");
    assert!(store.freeze(1));
    store.flush().expect("flushes");
    let stored = store.range(key(1, 4), EVER, 100, Order::Ascending).expect("reads");
    assert_eq!(rows(&in_memory), rows(&stored));
    assert_eq!(rows(&stored)[11].1, text(11));
}

#[test]
fn damage_is_reported_with_its_place_and_leaves_other_series_readable() {
    let disk = MemDisk::new(1);
    drop(filled(&disk, 100));
    let path = PathBuf::from(DIR).join("0000000001.segment");
    disk.corrupt(&path, 20).expect("in the first page");
    let (store, recovered) = open(&disk).expect("opens");
    assert!(recovered.damaged.is_empty(), "pages are checked when they are read");
    let error = store.range(key(1, 0), EVER, 10_000, Order::Ascending).expect_err("is damaged");
    let Error::Corrupt { path: reported, offset, .. } = &error else { panic!("{error}") };
    assert_eq!((reported, *offset), (&path, 16));
    assert_eq!(store.counters().corrupt_reads, 1);
    assert_eq!(rows(&store.last_n(key(100, 0), 900, i64::MAX).expect("reads")).len(), 300);
    // Nothing of the damaged page is wanted here.
    assert_eq!(store.last_n(key(1, 0), 5, i64::MAX).expect("reads").len(), 5);
}

#[test]
fn a_segment_that_cannot_be_opened_does_not_stop_the_others() {
    let disk = MemDisk::new(1);
    drop(filled(&disk, 10));
    let path = PathBuf::from(DIR).join("0000000001.segment");
    let len = disk.file_len(&path).expect("a file");
    disk.corrupt(&path, len - 30).expect("in the footer");
    let (store, recovered) = open(&disk).expect("opens");
    assert_eq!(recovered.damaged.len(), 1);
    store.range(key(1, 0), (0, 100_000), 10, Order::Ascending).expect_err("not known");
    let later = store.range(key(1, 0), (200_000, 210_000), 100, Order::Ascending);
    assert_eq!(later.expect("another segment").len(), 11);
}

#[test]
fn a_damaged_copy_of_the_manifest_is_named_and_the_other_one_read() {
    let disk = MemDisk::new(1);
    drop(filled(&disk, 10));
    let whole = everything(&open(&disk).expect("opens").0);
    let path = PathBuf::from(DIR).join("manifest");
    let len = disk.file_len(&path).expect("a file");
    for at in 0..len {
        disk.corrupt(&path, at).expect("in the manifest");
        let (store, recovered) = open(&disk).expect("opens");
        let reported: Vec<String> = recovered.damaged.iter().map(ToString::to_string).collect();
        let which = if at < len / 2 { "first" } else { "second" };
        let expected = format!(
            "/data/history/manifest is damaged at offset {at}: the {which} copy is damaged"
        );
        assert_eq!(reported, [expected]);
        assert!(everything(&store) == whole, "{at}");
        drop(store);
        disk.corrupt(&path, at).expect("and back");
    }
    disk.corrupt(&path, 30).expect("in the first copy");
    disk.corrupt(&path, len / 2 + 30).expect("in the second");
    let error = open(&disk).expect_err("refuses");
    assert_eq!(error.to_string(), "/data/history/manifest is damaged at offset 0: wrong checksum");
}

#[test]
fn a_manifest_that_lost_its_end_is_read_if_one_copy_is_there() {
    let disk = MemDisk::new(1);
    drop(filled(&disk, 10));
    let whole = everything(&open(&disk).expect("opens").0);
    let path = PathBuf::from(DIR).join("manifest");
    let len = disk.file_len(&path).expect("a file");
    let mut bytes = vec![0; len];
    let file = disk.open(&path).expect("is there");
    assert_eq!(disk::read_full(&*file, &mut bytes, 0).expect("reads"), len);
    for left in 0..len {
        disk.remove(&path).expect("is there");
        let file = disk.create(&path).expect("creates");
        disk::write_full(&*file, &bytes[..left], 0).expect("writes");
        match open(&disk) {
            Ok((store, recovered)) => {
                assert!(len / 2 <= left && recovered.damaged.len() == 1, "{left} of {len}");
                assert!(everything(&store) == whole, "{left}");
            }
            Err(error) => {
                assert!(left < len / 2, "{left} of {len}: {error}");
                assert!(error.to_string().contains("manifest is damaged at offset 0"), "{error}");
            }
        }
    }
}

/// The results of a check: the damage, and the counts.
fn verified(disk: &MemDisk) -> (Vec<Error>, Verified) {
    let mut damages = Vec::new();
    let done = verify(disk, Path::new(DIR), |it| {
        if let VerifyEvent::Damaged(error) = it {
            damages.push(error);
        }
    });
    (damages, done.expect("the folder can be read"))
}

#[test]
fn a_check_finds_a_changed_byte_at_every_offset_of_every_file() {
    let disk = MemDisk::new(1);
    drop(fixture(&disk));
    let (damages, sound) = verified(&disk);
    assert!(damages.is_empty(), "{damages:?}");
    assert!(sound.n_values > 0 && sound.n_segments > 0);

    for name in disk.list(Path::new(DIR)).expect("lists") {
        let path = Path::new(DIR).join(name);
        let len = disk.file_len(&path).expect("a file");
        for offset in 0..len {
            disk.corrupt(&path, offset).expect("is there");
            let (damages, found) = verified(&disk);
            disk.corrupt(&path, offset).expect("and back");
            let [error] = damages.as_slice() else { panic!("{path:?} {offset}: {damages:?}") };
            assert_eq!(found.n_damaged, 1);
            match error {
                Error::Corrupt { path: reported, offset: at, .. } => {
                    assert_eq!(reported, &path);
                    assert!(*at <= offset as u64, "{at} is not before {offset}");
                }
                Error::Version { path: reported, .. } => assert_eq!(reported, &path),
                other => panic!("{path:?} {offset}: {other}"),
            }
        }
    }
}

#[test]
fn check_continues_after_damage_and_changes_nothing() {
    let disk = MemDisk::new(1);
    drop(filled(&disk, 20));
    let (_, sound) = verified(&disk);
    let names = disk.list(Path::new(DIR)).expect("lists");
    disk.corrupt(&Path::new(DIR).join("0000000001.segment"), 20).expect("in the first page");

    let (damages, found) = verified(&disk);
    let [Error::Corrupt { path, offset: 16, .. }] = damages.as_slice() else {
        panic!("{damages:?}")
    };
    assert!(path.ends_with("0000000001.segment"));
    assert!(found.n_values > sound.n_values / 2 && found.n_values < sound.n_values);
    assert_eq!((found.n_bytes, found.n_segments), (sound.n_bytes, sound.n_segments));
    assert_eq!(disk.list(Path::new(DIR)).expect("lists"), names);

    // A manifest that can't be read: the files that lie there.
    disk.corrupt(&Path::new(DIR).join("manifest"), 30).expect("in the manifest");
    let (damages, without) = verified(&disk);
    assert_eq!(damages.len(), 2, "{damages:?}");
    assert_eq!(without.n_values, found.n_values);

    disk.remove(&Path::new(DIR).join("0000000002.segment")).expect("removes");
    disk.corrupt(&Path::new(DIR).join("manifest"), 30).expect("back");
    let (damages, _) = verified(&disk);
    assert!(damages.iter().any(|it| it.to_string().contains("0000000002.segment")), "{damages:?}");
}

#[test]
fn a_full_disk_loses_nothing() {
    let disk = MemDisk::new(1);
    let store = filled(&disk, 20);
    disk.set_capacity(disk.used_bytes() + 1_000);
    let error = store.flush().expect_err("no room");
    assert!(error.retry(), "{error}");
    assert!(!store.freeze(9), "the frozen part still waits");
    let all = store.range(key(3, 0), EVER, 1_000, Order::Ascending).expect("reads");
    assert_eq!(all.len(), 600);
    disk.set_capacity(u64::MAX);
    store.flush().expect("there is room").expect("something was frozen");
    assert_eq!(store.range(key(3, 0), EVER, 1_000, Order::Ascending).expect("reads"), all);
    drop(store);
    let (_, recovered) = open(&disk).expect("opens");
    assert_eq!((recovered.n_segments, recovered.n_orphans, recovered.cursor), (3, 0, 3));
}

#[test]
fn readers_see_every_value_once_while_it_is_flushed() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let series = key(1, 1);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..20_000_u64 {
                let ms = i64::try_from(n).expect("small");
                append(&store, 0, series, ms, &n.to_le_bytes()).expect("room");
                if n % 1_000 == 0 && store.freeze(n) {
                    store.flush().expect("flushes");
                }
            }
        });
        while !writer.is_finished() {
            let all = store.range(series, EVER, usize::MAX, Order::Ascending).expect("reads");
            assert!(all.iter().zip(0..).all(|((ms, _), want)| ms == want));
        }
    });
}

#[test]
fn the_fuzz_corpora_never_panic() {
    for (name, run) in [("segment", fuzz::segment as fn(&[u8])), ("manifest", fuzz::manifest)] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let mut n = 0;
        for entry in std::fs::read_dir(dir).expect("the corpus is part of the tree") {
            run(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
            n += 1;
        }
        assert!(n > 3, "the corpus {name} has {n} files");
    }
}

/// The store of the fixture.
fn fixture(disk: &MemDisk) -> Tsdb {
    let (store, _) = open(disk).expect("opens");
    for id in 1..=40_u8 {
        for row in 0..40_u8 {
            let ms = 1_790_000_000_000 + i64::from(row) * 60_000;
            let value = float(f64::from(id) + f64::from(row) / 10.0);
            append(&store, 0, key(id.into(), 0), ms, &value).expect("room");
            let value = (u64::from(id) << 40 | u64::from(row) << 3).to_le_bytes();
            append(&store, 1, key(id.into(), 1), ms, &value).expect("room");
        }
        let third = float(f64::from(id) / 3.0);
        append(&store, 1, key(id.into(), 0), 5, &third).expect("room");
        append(&store, 0, key(id.into(), 4), 6, &vec![id; id.into()]).expect("room");
    }
    assert!(store.freeze(77));
    store.flush().expect("flushes");
    store
}

fn everything(store: &Tsdb) -> BTreeMap<SeriesKey, Vec<(i64, Vec<u8>)>> {
    let keys = store.stored_series().expect("reads");
    let read = |it| rows(&store.range(it, EVER, usize::MAX, Order::Ascending).expect("reads"));
    keys.into_iter().map(|it| (it, read(it))).collect()
}

/// The store of the fixture of version 2 of the manifest: classes, a merge and a deletion.
fn fixture_2(disk: &MemDisk) -> Tsdb {
    let store = fixture(disk);
    for round in 1..4_u8 {
        for id in 1..=40_u8 {
            let ms = 1_790_000_000_000 + 3_600_000 * i64::from(round);
            let class = RetentionClass(3 + id % 2);
            let value = float(f64::from(id) / f64::from(round));
            append_as(&store, (0, class), key(id.into(), 0), ms, &value).expect("room");
        }
        assert!(store.freeze(77 + u64::from(round)));
        store.flush().expect("flushes");
    }
    let kinds = [SeriesKind(0), SeriesKind(1), SeriesKind(4)];
    store.set_retention_clock_ms(1_790_000_000_000);
    while store.merge_step(100, |_| &[7_200_000]).expect("merges") != MergeStep::Idle {}
    store.delete(&[7, 40], &kinds, 80).expect("deletes");
    store
}

#[test]
fn files_of_released_versions_can_be_read() {
    for (version, make, n_series, n_segments, cursor) in [
        ("v1", fixture as fn(&MemDisk) -> Tsdb, 120, 1, 77),
        ("v2", fixture_2, 114, 4, 80),
        ("v3", aggregates::fixture, 194, 6, 81),
        ("v4", aggregates::fixture, 194, 6, 81),
    ] {
        let disk = MemDisk::new(1);
        let store = make(&disk);
        let want = everything(&store);
        assert_eq!(want.len(), n_series);
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(version);
        let disk = MemDisk::new(1);
        for entry in std::fs::read_dir(dir).expect("the fixture") {
            let entry = entry.expect("an entry");
            let bytes = std::fs::read(entry.path()).expect("a file");
            let file = disk.create(&Path::new(DIR).join(entry.file_name())).expect("creates");
            disk::write_full(&*file, &bytes, 0).expect("writes");
        }
        let (again, recovered) = open(&disk).expect("opens");
        assert_eq!((recovered.cursor, recovered.n_segments), (cursor, n_segments));
        assert_eq!(again.retention_clock_ms(), store.retention_clock_ms());
        assert_eq!(again.deleted_after(0), store.deleted_after(0));
        assert_eq!(everything(&again), want);
    }
}

/// One action of a process. The journal is a list of samples that survives everything.
#[derive(Debug, Clone)]
enum Op {
    Append {
        id: u64,
        kind: u8,
        ms: i64,
        number: u64,
        class: u8,
    },
    Freeze,
    Flush,
    /// A few pieces of merging.
    Merge {
        steps: usize,
    },
    /// The power fails after some more operations of the disk.
    PowerCut {
        ops: u64,
    },
    Kill,
}

fn op() -> impl Strategy<Value = Op> {
    let ms = prop_oneof![0..100_i64, 1_790_000_000_000..1_790_000_100_000_i64];
    let number = prop_oneof![
        any::<u64>(),
        0..100_u64,
        (0..1_000_u32).prop_map(|it| (f64::from(it) / 10.0).to_bits()),
    ];
    prop_oneof![
        40 => (0..6_u64, 0..5_u8, ms, number, 0..12_u8).prop_map(|(id, kind, ms, number, class)| {
            // Mostly that of the item.
            let class = if class < 10 { u8::try_from(id % 3).unwrap_or(0) } else { class };
            let kind = if kind == 4 { SeriesKind::UNSIGNED_AGGREGATE.0 } else { kind };
            Op::Append { id, kind, ms, number, class }
        }),
        2 => Just(Op::Freeze),
        2 => Just(Op::Flush),
        2 => (1..20_usize).prop_map(|steps| Op::Merge { steps }),
        1 => (0..40_u64).prop_map(|ops| Op::PowerCut { ops }),
        1 => Just(Op::Kill),
    ]
}

/// Short enough that spans end, and long enough that some do not.
const SPANS: &[i64] = &[30, 50_000, i64::MAX];

type Journal = Vec<(SeriesKey, i64, Vec<u8>, RetentionClass)>;

/// Starts a process: opens the store and replays the journal from its cursor.
fn start(disk: &MemDisk, journal: &Journal) -> Tsdb {
    let (store, recovered) = open(disk).expect("crashes do no damage");
    assert!(recovered.damaged.is_empty());
    let cursor = usize::try_from(recovered.cursor).expect("small");
    for (key, ms, value, class) in &journal[cursor..] {
        append_as(&store, ((key.id % 2) as usize, *class), *key, *ms, value).expect("room");
    }
    store
}

fn check(store: &Tsdb, journal: &Journal) {
    let mut model = BTreeMap::<SeriesKey, Vec<(i64, Vec<u8>, RetentionClass)>>::new();
    for (key, ms, value, class) in journal {
        model.entry(*key).or_default().push((*ms, value.clone(), *class));
    }
    for (key, mut want) in model {
        want.sort_by_key(|it| it.0);
        if key.kind.is_aggregate() {
            want = aggregates::added_up(&want);
        }
        let all = store.range(key, EVER, usize::MAX, Order::Ascending).expect("reads");
        // Of one time those of several classes come in any order.
        let is_one_class = want.iter().all(|it| it.2 == want[0].2);
        let plain = |rows: Vec<(i64, Vec<u8>)>| {
            let mut rows = rows;
            if !is_one_class {
                rows.sort();
            }
            rows
        };
        let want: Vec<_> = want.into_iter().map(|(ms, value, _)| (ms, value)).collect();
        assert_eq!(plain(rows(&all)), plain(want.clone()), "{key:?}");
        let middle = want[want.len() / 2].0;
        let last = store.last_n(key, 3, middle).expect("reads");
        let seen = rows(&all);
        let newest = seen.iter().rev().filter(|it| it.0 <= middle).take(3);
        assert_eq!(rows(&last), newest.cloned().collect::<Vec<_>>(), "{key:?} up to {middle}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Model against implementation, with crashes at any operation of the disk: nothing is lost,
    /// nothing is there twice.
    #[test]
    fn crashes_neither_lose_nor_double(
        seed in any::<u64>(),
        ops in prop::collection::vec(op(), 1..250),
    ) {
        let disk = MemDisk::new(seed);
        let mut journal = Journal::new();
        let mut store = start(&disk, &journal);
        for op in ops {
            match op {
                Op::Append { id, kind, ms, number, class } => {
                    let number = number.to_le_bytes();
                    let n = if kind < 2 || SeriesKind(kind).is_aggregate() { 8 } else { usize::try_from(ms % 8).unwrap_or(0) };
                    let value = number[..n].to_vec();
                    let key = key(id, kind);
                    let (writer, class) = ((id % 2) as usize, RetentionClass(class));
                    append_as(&store, (writer, class), key, ms, &value).expect("room");
                    journal.push((key, ms, value, class));
                }
                Op::Freeze => {
                    let _frozen = store.freeze(journal.len() as u64);
                }
                Op::Flush => {
                    store.flush().expect("a sound disk");
                }
                Op::Merge { steps } => {
                    for _ in 0..steps {
                        store.merge_step(7, |_| SPANS).expect("a sound disk");
                    }
                }
                Op::PowerCut { ops } => {
                    disk.cut_power_after(ops);
                    let _frozen = store.freeze(journal.len() as u64);
                    drop(store.flush());
                    while store.merge_step(7, |_| SPANS).is_ok_and(|it| it != MergeStep::Idle) {}
                    drop(store);
                    disk.restart_after_power_cut();
                    store = start(&disk, &journal);
                }
                Op::Kill => {
                    drop(store);
                    disk.restart_after_kill();
                    store = start(&disk, &journal);
                }
            }
        }
        check(&store, &journal);
        while store.is_frozen() || store.cursor() < journal.len() as u64 {
            let _frozen = store.freeze(journal.len() as u64);
            store.flush().expect("a sound disk");
        }
        check(&store, &journal);
    }

    #[test]
    fn a_changed_segment_is_read_without_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/v1");
        let mut bytes = std::fs::read(dir.join("0000000001.segment")).expect("the fixture");
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        fuzz::segment(&bytes);
    }

    #[test]
    fn any_bytes_are_no_segment_and_no_manifest(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        fuzz::segment(&bytes);
        fuzz::manifest(&bytes);
    }
}
