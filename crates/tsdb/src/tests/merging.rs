//! Merging while everything else goes on, and while it goes wrong.

use super::*;

const SPANS: &[i64] = &[60_000, 400_000, i64::MAX];

fn spans(_: RetentionClass) -> &'static [i64] {
    SPANS
}

/// Merges until there is nothing left to merge; says how many merges there were.
fn merge_all(store: &Tsdb) -> usize {
    let mut n = 0;
    loop {
        match store.merge_step(40, spans).expect("a sound disk") {
            MergeStep::Idle => return n,
            MergeStep::Ongoing => {}
            MergeStep::Merged { inputs, output } => {
                let n_read: u64 = inputs.iter().map(|it| it.n_values).sum();
                assert!(output.map_or(0, |it| it.n_values) <= n_read);
                n += 1;
            }
        }
    }
}

/// Three classes of some series, flushed each ten seconds.
fn in_many_files(disk: &MemDisk, n_flushes: i64) -> (Tsdb, Journal) {
    let (store, _) = open(disk).expect("opens");
    let mut journal = Journal::new();
    for round in 0..n_flushes {
        for id in 1..=9_u64 {
            for row in 0..10 {
                let ms = (round * 10 + row) * 1_000;
                let class = RetentionClass(u8::try_from(id % 3).expect("small"));
                let (key, value) = match id {
                    9 => (key(id, 4), vec![b'a'; usize::try_from(ms % 700).expect("small")]),
                    _ => (key(id, 0), float(noise(id, ms))),
                };
                append_as(&store, ((id % 2) as usize, class), key, ms, &value).expect("room");
                journal.push((key, ms, value, class));
            }
        }
        // A late one and one of a time that there is.
        for ms in [round * 3_000, round * 10_000] {
            append_as(&store, (1, RetentionClass(1)), key(1, 0), ms, &float(0.5)).expect("room");
            journal.push((key(1, 0), ms, float(0.5), RetentionClass(1)));
        }
        assert!(store.freeze(journal.len() as u64));
        store.flush().expect("flushes");
    }
    (store, journal)
}

#[test]
fn flushes_become_minutes_and_minutes_become_more() {
    let disk = MemDisk::new(1);
    let (store, journal) = in_many_files(&disk, 60);
    assert_eq!(store.segments().len(), 180);
    let before = everything(&store);
    let n_merges = merge_all(&store);
    assert!(n_merges > 3 * 8, "{n_merges}");
    // By class: one of seven minutes, two of one, and what may still grow.
    let mut levels = BTreeMap::<u8, Vec<u8>>::new();
    for segment in store.segments() {
        levels.entry(segment.class.0).or_default().push(segment.level);
    }
    for class in levels.values() {
        assert_eq!(class.iter().filter(|it| **it == 2).count(), 1, "{class:?}");
        assert_eq!(class.iter().filter(|it| **it == 1).count(), 2, "{class:?}");
        assert_eq!(class.iter().filter(|it| **it == 0).count(), 6, "{class:?}");
    }
    assert_eq!(everything(&store), before);
    check(&store, &journal);
    let (damages, found) = verified(&disk);
    assert!(damages.is_empty(), "{damages:?}");
    assert_eq!(found.n_values, journal.len() as u64);
    let n_files = disk.list(Path::new(DIR)).expect("lists").len();
    assert_eq!(n_files, store.segments().len() + 1, "inputs are gone");
    drop(store);
    let (store, recovered) = open(&disk).expect("opens");
    assert_eq!((recovered.n_orphans, recovered.cursor), (0, journal.len() as u64));
    assert_eq!(everything(&store), before);
    assert_eq!(merge_all(&store), 0, "it is done");
}

#[test]
fn merged_files_are_smaller() {
    let disk = MemDisk::new(1);
    let (store, _) = in_many_files(&disk, 60);
    let bytes = |store: &Tsdb| store.segments().iter().map(|it| it.file_bytes).sum::<u64>();
    let before = bytes(&store);
    merge_all(&store);
    // Most of it is noise.
    assert!(bytes(&store) < before * 9 / 10, "{} of {before}", bytes(&store));
}

#[test]
fn a_crash_at_any_operation_of_a_merge_leaves_the_old_files_or_the_new_one() {
    let mut n_new = 0;
    for ops in 0..200 {
        let disk = MemDisk::new(ops);
        let (store, journal) = in_many_files(&disk, 14);
        let old = store.segments();
        disk.cut_power_after(ops);
        let cut = loop {
            match store.merge_step(40, spans) {
                Ok(MergeStep::Merged { .. }) => break false,
                Ok(MergeStep::Ongoing) => {}
                Ok(MergeStep::Idle) => panic!("there is something to merge"),
                Err(_) => break true,
            }
        };
        drop(store);
        disk.restart_after_power_cut();
        let (store, recovered) = open(&disk).expect("crashes do no damage");
        assert!(recovered.damaged.is_empty(), "{:?}", recovered.damaged);
        let is_new = store.segments() != old;
        n_new += u64::from(is_new);
        assert!(cut || is_new, "a merge that ended is there for good");
        let n_files = disk.list(Path::new(DIR)).expect("lists").len();
        assert!(n_files <= store.segments().len() + 2, "nothing else is left");
        check(&store, &journal);
        if !cut {
            assert!(n_new > 0 && ops > 10, "{ops}");
            return;
        }
    }
    panic!("no merge ended");
}

#[test]
fn a_disk_without_room_gives_up_a_merge_and_loses_nothing() {
    let disk = MemDisk::new(1);
    let (store, journal) = in_many_files(&disk, 14);
    let before = store.segments();
    let files = || disk.list(Path::new(DIR)).expect("lists").len();
    let n_files = files();
    // Room for more and more of the file, then of the manifest.
    let (mut n_failed, mut n_doubtful) = (0, 0);
    for room in (0..).step_by(100) {
        disk.set_capacity(disk.used_bytes() + room);
        let merged = loop {
            match store.merge_step(40, spans) {
                Ok(MergeStep::Ongoing) => {}
                Ok(step) => break step,
                Err(error) => {
                    assert!(error.retry(), "{error}");
                    break MergeStep::Idle;
                }
            }
        };
        if merged != MergeStep::Idle {
            break;
        }
        n_failed += 1;
        assert_eq!(store.segments(), before);
        // A file that a stored manifest may name stays until another one is stored.
        n_doubtful += files() - n_files - n_doubtful;
    }
    assert!(n_failed > 10 && n_doubtful > 0, "{n_failed} {n_doubtful}");
    disk.set_capacity(u64::MAX);
    merge_all(&store);
    check(&store, &journal);
    assert_eq!(files(), store.segments().len() + 1, "nothing is left over");
}

#[test]
fn damaged_files_are_reported_and_not_merged() {
    let disk = MemDisk::new(1);
    let (store, _) = in_many_files(&disk, 60);
    let damaged = store.segments()[4];
    let path = PathBuf::from(DIR).join(format!("{:010}.segment", damaged.number));
    disk.corrupt(&path, 20).expect("in the first page");
    let error = loop {
        match store.merge_step(40, spans) {
            Ok(step) => assert_ne!(step, MergeStep::Idle),
            Err(error) => break error,
        }
    };
    let Error::Corrupt { path: reported, offset: 16, .. } = &error else { panic!("{error}") };
    assert_eq!(reported, &path);
    merge_all(&store);
    assert!(store.segments().contains(&damaged), "it stays: a part of it may be readable");
    let (damages, found) = verified(&disk);
    assert_eq!(damages.len(), 1, "{damages:?}");
    assert!(found.n_values > 5_000);
}

#[test]
fn values_expired_during_a_merge_do_not_come_back() {
    let disk = MemDisk::new(1);
    let (store, _) = in_many_files(&disk, 60);
    assert_eq!(store.merge_step(40, spans).expect("begins"), MergeStep::Ongoing);
    store.expire(|_| Some(300_000)).expect("a sound disk");
    let after = everything(&store);
    merge_all(&store);
    assert_eq!(everything(&store), after);
}

#[test]
fn readers_and_flushes_go_on_while_files_are_merged() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let series = key(1, 1);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..20_000_u64 {
                let ms = i64::try_from(n).expect("small") * 1_000;
                append(&store, 0, series, ms, &n.to_le_bytes()).expect("room");
                if n % 500 == 0 && store.freeze(n) {
                    store.flush().expect("flushes");
                }
            }
        });
        let store = &store;
        let merger = scope.spawn(move || {
            let mut n_merged = 0;
            loop {
                // Before the step: the last written samples are merged as well.
                let is_written = writer.is_finished();
                match store.merge_step(200, |_| &[2_000_000, 8_000_000]).expect("a sound disk") {
                    MergeStep::Merged { .. } => n_merged += 1,
                    MergeStep::Idle if is_written => return n_merged,
                    MergeStep::Idle | MergeStep::Ongoing => {}
                }
            }
        });
        while !merger.is_finished() {
            let all = store.range(series, EVER, usize::MAX, Order::Ascending).expect("reads");
            assert!(all.iter().zip(0..).all(|((ms, _), want)| ms == want * 1_000));
        }
        assert!(merger.join().expect("merges") > 2);
    });
}

#[test]
fn old_samples_that_come_by_series_are_divided_by_time_and_merged() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let span_of = |_: RetentionClass, ms: i64| ms.div_euclid(60_000).clamp(2, 8);
    let mut expected = Vec::new();
    for id in 1..=6_u64 {
        for row in 0..600_i64 {
            // Two of each time, in another flush each.
            for (part, value) in [(0, 1.0), (1, 2.0)] {
                if row % 2 == part {
                    append(&store, 0, key(id, 0), row / 2 * 2_000, &float(value)).expect("room");
                    expected.push((key(id, 0), row / 2 * 2_000));
                }
                if row == 299 {
                    assert!(store.freeze(id * 2 + u64::try_from(part).expect("small")));
                    store.flush_by_span(&span_of).expect("a sound disk");
                }
            }
        }
        assert!(store.freeze(id * 2 + 2));
        store.flush_by_span(&span_of).expect("a sound disk");
    }
    for segment in store.segments() {
        let spans = [segment.min_ms, segment.max_ms].map(|it| span_of(segment.class, it));
        assert_eq!(spans[0], spans[1], "{segment:?}");
    }
    let ends: Vec<_> = store.segments().iter().map(|it| span_of(it.class, it.max_ms)).collect();
    assert!(ends.is_sorted() && ends.first() == Some(&2) && ends.last() == Some(&8), "{ends:?}");
    let before = everything(&store);
    let n_before = store.segments().len();
    assert!(merge_all(&store) > 0 && store.segments().len() < n_before);
    assert_eq!(everything(&store), before);
    let mut found = Vec::new();
    store.each_sample(|_, key, ms| found.push((key, ms))).expect("a sound disk");
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let of_one = store.range(key(3, 0), EVER, usize::MAX, Order::Ascending).expect("reads");
    let values: Vec<_> = of_one.iter().map(|it| it.1).collect();
    assert!(
        values.chunks(2).all(|it| it == [PointValue::Float(1.0), PointValue::Float(2.0)]),
        "{values:?}"
    );
}
