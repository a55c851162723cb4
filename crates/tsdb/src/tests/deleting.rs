//! Deleting single series.

use super::*;

const KINDS: [SeriesKind; 5] =
    [SeriesKind(0), SeriesKind(1), SeriesKind(2), SeriesKind(3), SeriesKind(4)];

fn n_of(store: &Tsdb, id: u64, kind: u8) -> usize {
    store.range(key(id, kind), EVER, usize::MAX, Order::Ascending).expect("reads").len()
}

#[test]
fn a_deleted_series_is_gone_at_once_and_from_all_places() {
    let disk = MemDisk::new(1);
    // Two segments, a frozen part, and heads.
    let store = filled(&disk, 20);
    store.delete(&[3, 4], &KINDS, 3).expect("a sound disk");
    let counts = |store: &Tsdb| [2, 3, 4, 5].map(|id| n_of(store, id, 0));
    assert_eq!(counts(&store), [600, 0, 0, 600]);
    assert!(store.stored_series().expect("reads").iter().all(|it| it.id != 3 && it.id != 4));
    assert_eq!((store.n_values_in_memory(), store.deleted_after(2).len()), (18 * 150, 2));
    // Later samples are kept.
    append(&store, 1, key(3, 0), 5, &float(1.0)).expect("room");
    append(&store, 0, key(4, 3), 6, b"text").expect("room");
    assert!(store.freeze(4));
    store.flush().expect("flushes");
    assert_eq!((counts(&store), n_of(&store, 4, 3)), ([600, 1, 0, 600], 1));
    drop(store);
    let (store, _) = open(&disk).expect("opens");
    assert_eq!((counts(&store), n_of(&store, 4, 3)), ([600, 1, 0, 600], 1));
    assert_eq!(store.deleted_after(2), BTreeSet::from([3, 4]));
    assert!(store.deleted_after(3).is_empty());
    let (damages, _) = verified(&disk);
    assert!(damages.is_empty(), "{damages:?}");
}

#[test]
fn merges_leave_out_what_was_deleted_and_then_it_is_forgotten() {
    let disk = MemDisk::new(1);
    let store = filled(&disk, 20);
    assert_eq!(store.merge_step(10, |_| &[i64::MAX]).expect("idle"), MergeStep::Idle);
    store.flush().expect("flushes");
    // One deletion before a merge begins, one while it is under way.
    store.delete(&[3], &KINDS, 3).expect("a sound disk");
    let spans = |_: RetentionClass| -> &'static [i64] { &[299_500] };
    assert_eq!(store.merge_step(10, spans).expect("begins"), MergeStep::Ongoing);
    store.delete(&[15], &KINDS, 3).expect("a sound disk");
    let merged = loop {
        match store.merge_step(1_000, spans).expect("a sound disk") {
            MergeStep::Merged { inputs, output } => break (inputs, output.expect("has values")),
            step => assert_eq!(step, MergeStep::Ongoing),
        }
    };
    assert_eq!((merged.0.len(), merged.1.n_series, merged.1.n_values), (2, 19, 19 * 300));
    let counts = |store: &Tsdb| [2, 3, 15, 16].map(|id| n_of(store, id, 0));
    assert_eq!(counts(&store), [600, 0, 0, 600]);
    store.expire(|_| Some(i64::MAX)).expect("a sound disk");
    assert!(store.deleted_after(0).is_empty(), "no file has them any more");
    assert_eq!(counts(&store), [150, 0, 0, 150]);
}

#[test]
fn a_merge_of_nothing_but_deleted_series_leaves_no_file() {
    let disk = MemDisk::new(1);
    let store = filled(&disk, 2);
    store.delete(&[1, 2], &KINDS, 3).expect("a sound disk");
    append(&store, 0, key(9, 0), 900_000, &float(1.0)).expect("room");
    assert!(store.freeze(4));
    store.flush().expect("flushes");
    let mut n_merged = 0;
    loop {
        match store.merge_step(1_000, |_| &[400_000]).expect("a sound disk") {
            MergeStep::Idle => break,
            MergeStep::Ongoing => {}
            MergeStep::Merged { output, .. } => {
                assert_eq!(output, None);
                n_merged += 1;
            }
        }
    }
    assert_eq!((n_merged, store.segments().len(), n_of(&store, 9, 0)), (1, 1, 1));
    let n_files = disk.list(Path::new(DIR)).expect("lists").len();
    assert_eq!(n_files, 2);
}

#[test]
fn a_crash_while_deleting_leaves_all_or_nothing() {
    let mut seen = BTreeSet::new();
    for ops in 0..40 {
        let disk = MemDisk::new(ops);
        let store = filled(&disk, 5);
        store.flush().expect("flushes");
        disk.cut_power_after(ops);
        let deleted = store.delete(&[3, 4], &KINDS, 3).is_ok();
        drop(store);
        disk.restart_after_power_cut();
        let (store, _) = open(&disk).expect("crashes do no damage");
        let left = (n_of(&store, 3, 0), n_of(&store, 4, 0));
        assert!(left == (450, 450) || left == (0, 0), "{left:?}");
        assert!(!deleted || left == (0, 0));
        assert_eq!(n_of(&store, 5, 0), 450);
        seen.insert((deleted, left.0));
    }
    assert!(seen.contains(&(false, 450)) && seen.contains(&(true, 0)), "{seen:?}");
}
