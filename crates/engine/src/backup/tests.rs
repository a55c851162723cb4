use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use disk::{Copied, Disk, OsDisk};
use history::{LiveStore, Pages, Series, SeriesRows, Store, StoreKind};
use model::record::{RecordBuilder, RecordHead};
use model::{ItemId, Now, Time, ValueType};
use rt::metrics::Registry;

use super::*;
use crate::checkpoint::{Blob, BlobKind};

const ITEM: ItemId = ItemId(28_001);
const START: Time = Time(1_790_000_000_000_000_000);
/// Copies made while the store changes.
const ROUNDS: usize = 12;
/// So that reading copies back takes no time, whatever the machine's speed.
const VALUES_MAX: u64 = 60_000;
const VALUES_A_RECORD: u64 = 20;

struct Opened {
    parts: BackupParts,
    disk: Arc<dyn Disk>,
}

fn open(data: &Path) -> Opened {
    open_as(data, 7)
}

/// `identity`: the journal's, if it has none yet.
fn open_as(data: &Path, identity: u32) -> Opened {
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    // Small files: many come and go.
    let settings = journal::JournalSettings {
        file_bytes: 20_000,
        identity,
        ..journal::JournalSettings::default()
    };
    let (journal, recovered) =
        Journal::open(Arc::clone(&disk), &data.join(JOURNAL), settings).expect("a journal");
    assert!(recovered.lost.is_empty(), "{:?}", recovered.lost);
    let path = data.join(HISTORY);
    let place = (Arc::clone(&disk), path.as_path());
    let history = history::open(StoreKind::default(), place, journal.clone(), 1, &Registry::new())
        .expect("history");
    assert_eq!(history.n_damaged, 0);
    let replayed = history.store.replay(&|_| ()).expect("the journal reaches back to its files");
    assert!(replayed.lost.is_empty(), "{:?}", replayed.lost);
    let (checkpoints, loaded) = Checkpoints::open(Arc::clone(&disk), data, journal.first_lsn().0)
        .expect("the journal reaches back to the checkpoint");
    assert!(loaded.skipped.is_empty(), "{:?}", loaded.skipped);
    assert!(loaded.lsn <= journal.next_lsn().0, "no state of what is not in the journal");
    let history = history.store;
    Opened { parts: BackupParts { journal, history, checkpoints: Arc::new(checkpoints) }, disk }
}

/// Writes numbers from 0, each at a millisecond of its own.
fn write_values(parts: &BackupParts, (n_written, is_over): (&AtomicU64, &AtomicBool)) {
    let mut writer = parts.history.writer(0);
    let mut builder = RecordBuilder::new();
    let mut n = 0;
    while n < VALUES_MAX && !is_over.load(Ordering::Relaxed) {
        let head = RecordHead { shard: 0, n_shards: 1, epoch: 1, now: START };
        builder.start(head);
        for _ in 0..VALUES_A_RECORD {
            let ms = i64::try_from(n).expect("a few");
            builder.unsigned(ITEM, Time(START.0 + ms * 1_000_000), n);
            n += 1;
        }
        writer.commit(builder.finish(), 0).expect("a sound disk");
        n_written.store(n, Ordering::Release);
    }
}

/// The work of housekeeping, without a pause.
fn keep(parts: &BackupParts, is_over: &AtomicBool) {
    let mut mono_ns = 0;
    while !is_over.load(Ordering::Relaxed) {
        let lsn = parts.journal.next_lsn();
        parts.journal.sync_to(lsn).expect("a sound disk");
        let mut writing = parts.checkpoints.begin().expect("a sound disk").expect("one at a time");
        let blob = Blob { kind: BlobKind::Sessions, key: 0, lsn: lsn.0, bytes: vec![1; 100] };
        writing.put(&blob).expect("a sound disk");
        writing.finish().expect("a sound disk");
        parts.history.flush_once().expect("a sound disk");
        mono_ns += 1_000_000_000;
        while parts.history.maintain(Now { wall: START, mono_ns }).expect("a sound disk") {}
        let needed = parts.checkpoints.needed().min(parts.history.cursor().0);
        parts.journal.set_retention(Lsn(needed)).expect("a sound disk");
    }
}

fn write_copy(backup: &Backup, disk: &dyn Disk, dir: &Path) {
    folders().iter().for_each(|it| disk.create_dir_all(&dir.join(it)).expect("a folder"));
    for file in &backup.files {
        let copied = file.write(disk, dir, &mut |_| true).expect("a sound disk");
        assert_ne!(copied, Copied::GivenUp);
    }
}

fn values(history: &dyn LiveStore) -> Vec<u64> {
    let series = Series { item: ITEM, kind: ValueType::Unsigned };
    let mut pages = Pages::new(series, (Time(i64::MIN), Time::MAX));
    let mut found = Vec::new();
    while let Some(rows) = pages.next(history).expect("a sound store") {
        let SeriesRows::Unsigned(rows) = rows else { panic!("these are numbers") };
        found.extend(rows.into_iter().map(|it| it.1));
    }
    found
}

#[test]
fn a_copy_has_every_value_of_before_once_while_files_come_and_go() {
    let temp = tempfile::tempdir().expect("a directory");
    let Opened { parts, disk } = open(&temp.path().join("data"));
    let (n_written, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let (parts, n_written, is_over) = (&parts, &n_written, &is_over);
        let writer = scope.spawn(move || write_values(parts, (n_written, is_over)));
        let keeper = scope.spawn(move || keep(parts, is_over));
        for round in 0..ROUNDS {
            let before = n_written.load(Ordering::Acquire);
            let pinned = parts.open(|pinned| {
                // Some time for the rest to change, as a database takes it.
                for _ in 0..round % 3 {
                    parts.history.flush_once()?;
                }
                pinned();
                Ok::<_, EngineError>(())
            });
            let (backup, ()) = pinned.expect("opens");
            let dir = temp.path().join(format!("copy-{round}"));
            write_copy(&backup, &*disk, &dir);
            let copy = open_as(&dir, 8).parts;
            assert_eq!((copy.journal.identity(), copy.journal.next_lsn()), (8, backup.end));
            assert_eq!(copy.journal.shared_with(7), Some(backup.end));
            let found = values(&*copy.history);
            let n = u64::try_from(found.len()).expect("a few");
            assert!(found.into_iter().eq(0..n), "round {round}: {n} values, each once, in order");
            assert!(before <= n, "round {round}: {n} values of {before}");
            // And it goes on from there.
            let mut builder = RecordBuilder::new();
            builder.start(RecordHead { shard: 0, n_shards: 1, epoch: 1, now: START });
            builder.float(ITEM, START, 0.5);
            copy.history.writer(0).commit(builder.finish(), 0).expect("a sound disk");
        }
        is_over.store(true, Ordering::Relaxed);
        writer.join().expect("it writes");
        keeper.join().expect("it keeps order");
    });
    let n = n_written.load(Ordering::Acquire);
    assert!(values(&*parts.history).into_iter().eq(0..n), "the original has lost nothing");
}
