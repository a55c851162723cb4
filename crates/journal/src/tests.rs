use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;

use disk::{Disk as _, MemDisk, OsDisk};

use super::*;

const DIR: &str = "/data/journal";

fn open(disk: &MemDisk, settings: &JournalSettings) -> Result<(Journal, RecoveredJournal)> {
    Journal::open(Arc::new(disk.clone()), Path::new(DIR), settings.clone())
}

fn small_files() -> JournalSettings {
    JournalSettings { file_bytes: 400, ..JournalSettings::default() }
}

/// Everything from `from` on, as (lsn, first id, payload).
fn read_all(journal: &Journal, from: Lsn, upto: Upto) -> Vec<(Lsn, u64, Vec<u8>)> {
    let mut reader = journal.reader(from, upto).expect("a position of the journal");
    let mut all = Vec::new();
    while let Some(it) = reader.next().expect("a sound journal") {
        all.push((it.lsn, it.first_id, it.payload.to_vec()));
    }
    all
}

fn payloads(journal: &Journal) -> Vec<Vec<u8>> {
    read_all(journal, journal.first_lsn(), Upto::Written).into_iter().map(|it| it.2).collect()
}

fn payload(n: usize) -> Vec<u8> {
    format!("record {n} ").into_bytes().repeat(1 + n % 7)
}

/// The newest file that holds records.
fn newest_file(disk: &MemDisk) -> PathBuf {
    let mut paths = disk.paths();
    paths.retain(|path| disk.file_len(path).expect("a file") > 48);
    paths.pop().expect("a file with records")
}

#[test]
fn appended_records_are_read_back_in_order_with_ids() {
    let disk = MemDisk::new(1);
    let (journal, recovered) = open(&disk, &small_files()).expect("opens");
    assert_eq!(
        (recovered.first, recovered.next, recovered.next_id, recovered.n_files),
        (Lsn(0), Lsn(0), 1, 1)
    );
    let mut want = Vec::new();
    let mut next_lsn = Lsn(0);
    let mut next_id = 1;
    for n in 0..50_u32 {
        let body = payload(n as usize);
        let appended = journal.append(&body, n % 3).expect("appends");
        assert_eq!((appended.lsn, appended.first_id), (next_lsn, next_id));
        want.push((appended.lsn, next_id, body));
        next_lsn = appended.next_lsn;
        next_id += u64::from(n % 3);
    }
    assert!(journal.n_files() > 5, "files are closed by size");
    assert_eq!(journal.next_lsn(), next_lsn);
    assert_eq!(read_all(&journal, Lsn(0), Upto::Written), want);
    assert_eq!(read_all(&journal, want[17].0, Upto::Written), want[17..]);
    assert_eq!(read_all(&journal, Lsn(0), Upto::Synced), []);
    assert_eq!(journal.sync_once().expect("syncs"), next_lsn);
    assert_eq!(read_all(&journal, Lsn(0), Upto::Synced), want);
}

#[test]
fn a_reader_that_waits_holds_no_memory_and_goes_on() {
    let disk = MemDisk::new(1);
    let (journal, _) = open(&disk, &JournalSettings::default()).expect("opens");
    let mut reader = journal.reader(Lsn(0), Upto::Written).expect("begins");
    for n in 0..3 {
        let large = vec![n; 100_000];
        journal.append(&large, 0).expect("appends");
        let read = reader.next().expect("a sound journal").expect("it is there");
        assert_eq!(read.payload, large);
        assert!(100_000 <= reader.held_bytes());
        assert!(reader.next().expect("a sound journal").is_none());
        assert_eq!(reader.held_bytes(), 0);
    }
}

#[test]
fn a_reader_follows_what_is_appended_later() {
    let disk = MemDisk::new(1);
    let (journal, _) = open(&disk, &small_files()).expect("opens");
    let mut reader = journal.reader(Lsn(0), Upto::Written).expect("begins");
    for n in 0..100 {
        assert!(reader.next().expect("reads").is_none());
        let appended = journal.append(&payload(n), 1).expect("appends");
        let record = reader.next().expect("reads").expect("is there");
        assert_eq!((record.lsn, record.next_lsn), (appended.lsn, appended.next_lsn));
        assert_eq!(record.payload, payload(n));
    }
}

#[test]
fn kill_loses_nothing_and_ids_go_on() {
    let disk = MemDisk::new(2);
    let mut want = Vec::new();
    let mut next_id = 1;
    for life in 0..5 {
        let (journal, recovered) = open(&disk, &small_files()).expect("opens");
        assert_eq!((recovered.next_id, recovered.cut), (next_id, None));
        assert_eq!(payloads(&journal), want);
        for n in 0..20 {
            let body = payload(life * 20 + n);
            next_id = journal.append(&body, 2).expect("appends").first_id + 2;
            want.push(body);
            if n == 11 {
                journal.sync_once().expect("syncs");
            }
        }
        disk.restart_after_kill();
    }
}

#[test]
fn ids_survive_the_removal_of_the_files_that_used_them() {
    let disk = MemDisk::new(2);
    let (journal, _) = open(&disk, &small_files()).expect("opens");
    for n in 0..20 {
        journal.append(&payload(n), 10).expect("appends");
    }
    journal.sync_once().expect("syncs");
    journal.set_retention(journal.next_lsn()).expect("removes");
    assert_eq!(journal.n_files(), 1);
    drop(journal);
    let settings = JournalSettings { next_id_min: 50, ..small_files() };
    let (journal, _) = open(&disk, &settings).expect("opens");
    assert_eq!(journal.next_id(), 201);
    let settings = JournalSettings { next_id_min: 1_000, ..small_files() };
    drop(journal);
    assert_eq!(open(&disk, &settings).expect("opens").0.next_id(), 1_000);
}

#[test]
fn retention_keeps_what_the_slowest_consumer_needs() {
    let disk = MemDisk::new(3);
    let (journal, _) = open(&disk, &small_files()).expect("opens");
    let mut slow = journal.reader(Lsn(0), Upto::Written).expect("begins");
    let lsns: Vec<Lsn> =
        (0..60).map(|n| journal.append(&payload(n), 0).expect("appends").lsn).collect();
    // Nothing is dropped that a power cut could still ask for.
    journal.set_retention(journal.next_lsn()).expect("nothing to do");
    assert_eq!(journal.first_lsn(), Lsn(0));
    journal.sync_once().expect("syncs");
    let mut begun = journal.reader(Lsn(0), Upto::Written).expect("begins");
    journal.set_retention(lsns[30]).expect("removes");
    assert!(journal.first_lsn() > Lsn(0) && journal.first_lsn() <= lsns[30]);
    assert_eq!(read_all(&journal, lsns[30], Upto::Written).len(), 30);
    assert!(matches!(journal.reader(Lsn(0), Upto::Written), Err(Error::Gone { .. })));
    // A reader that had begun gets the error as well, or still has what it needs.
    assert!(matches!(slow.next(), Err(Error::Gone { .. })));
    for n in 0..60 {
        assert_eq!(begun.next().expect("reads").expect("there").payload, payload(n));
    }
    let files = disk.paths().len();
    assert_eq!(files, journal.n_files());
}

#[test]
fn a_position_that_was_never_written_is_refused() {
    let (journal, _) = open(&MemDisk::new(1), &small_files()).expect("opens");
    assert!(matches!(journal.reader(Lsn(1), Upto::Written), Err(Error::Ahead { .. })));
}

#[test]
fn a_torn_end_is_cut_and_reported() {
    let disk = MemDisk::new(4);
    let (journal, _) = open(&disk, &JournalSettings::default()).expect("opens");
    journal.append(b"kept", 1).expect("appends");
    let torn = journal.append(b"torn by the crash", 1).expect("appends");
    drop(journal);
    disk.corrupt(&newest_file(&disk), 48 + 36 + 40).expect("in the last frame");
    let (journal, recovered) = open(&disk, &JournalSettings::default()).expect("opens");
    let cut = recovered.cut.expect("reported");
    assert_eq!((cut.lsn, cut.offset, cut.bytes), (torn.lsn, 48 + 36, 49));
    assert_eq!((recovered.next, recovered.next_id), (torn.lsn, 2));
    assert_eq!(payloads(&journal), [b"kept"]);
    journal.append(b"after", 1).expect("appends");
    assert_eq!(payloads(&journal), [b"kept".to_vec(), b"after".to_vec()]);
}

#[test]
fn damage_in_what_was_synced_is_not_taken_for_a_torn_end() {
    let disk = MemDisk::new(5);
    let (journal, _) = open(&disk, &JournalSettings::default()).expect("opens");
    journal.append(b"first", 1).expect("appends");
    let bad = journal.append(b"second", 1).expect("appends");
    journal.append(b"third", 1).expect("appends");
    journal.sync_once().expect("syncs");
    journal.append(b"it knows of the sync", 1).expect("appends");
    drop(journal);
    let path = newest_file(&disk);
    disk.corrupt(&path, 48 + 37 + 33).expect("in the second frame");

    let error = open(&disk, &JournalSettings::default()).expect_err("refuses to start");
    let Error::Corrupt { path: reported, offset, lsn, .. } = &error else { panic!("{error}") };
    assert_eq!((reported, *offset, *lsn), (&path, 48 + 37, bad.lsn));

    let settings =
        JournalSettings { on_corruption: OnCorruption::Isolate, ..JournalSettings::default() };
    let (journal, recovered) = open(&disk, &settings).expect("starts when it may isolate");
    assert_eq!(recovered.lost, [LostRange { from: bad.lsn, to: bad.next_lsn }]);
    let mut reader = journal.reader(Lsn(0), Upto::Synced).expect("begins");
    assert_eq!(reader.next().expect("reads").expect("first").payload, b"first");
    assert!(matches!(reader.next(), Err(Error::Corrupt { .. })));
    assert!(matches!(reader.next(), Err(Error::Corrupt { .. })), "it stays until it is skipped");
    assert_eq!(reader.skip_damage().expect("skips"), recovered.lost[0]);
    assert_eq!(reader.next().expect("reads").expect("third").payload, b"third");
}

#[test]
fn a_file_cut_below_what_had_been_synced_is_damage() {
    let disk = MemDisk::new(5);
    let (journal, _) = open(&disk, &small_files()).expect("opens");
    for n in 0..5 {
        journal.append(&payload(n), 0).expect("appends");
    }
    drop(journal);
    let (journal, _) = open(&disk, &small_files()).expect("opens and syncs");
    drop(journal);
    let newest = newest_file(&disk);
    disk.open(&newest).expect("opens").set_len(100).expect("cuts");
    let error = open(&disk, &small_files()).expect_err("refuses to start");
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");

    let settings = JournalSettings { on_corruption: OnCorruption::Isolate, ..small_files() };
    let (journal, recovered) = open(&disk, &settings).expect("starts when it may isolate");
    assert_eq!(recovered.lost.len(), 1);
    let mut reader = journal.reader(Lsn(0), Upto::Written).expect("begins");
    let mut n_read = 0;
    let error = loop {
        match reader.next() {
            Ok(Some(_)) => n_read += 1,
            Ok(None) => panic!("the damage was skipped silently"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Corrupt { .. }) && n_read < 5, "{error}");
    assert_eq!(reader.skip_damage().expect("skips").to, journal.next_lsn());
    assert!(reader.next().expect("reads").is_none());
}

#[test]
fn a_full_disk_refuses_whole_records_and_goes_on_when_there_is_room() {
    let disk = MemDisk::new(6);
    let (journal, _) = open(&disk, &small_files()).expect("opens");
    let mut want = Vec::new();
    disk.set_capacity(2_000);
    let mut n_failed = 0;
    for n in 0..100 {
        match journal.append(&payload(n), 1) {
            Ok(_) => want.push(payload(n)),
            Err(error) => {
                assert!(error.retry(), "{error}");
                n_failed += 1;
            }
        }
    }
    assert!(n_failed > 10 && want.len() > 10);
    assert_eq!(journal.counters().append_failures, n_failed);
    assert_eq!(payloads(&journal), want);
    assert_eq!(journal.next_id(), 1 + want.len() as u64, "failures take no ids");
    disk.set_capacity(u64::MAX);
    journal.append(b"there is room again", 1).expect("appends");
    want.push(b"there is room again".to_vec());
    assert_eq!(payloads(&journal), want);
    disk.restart_after_kill();
    let (journal, recovered) = open(&disk, &small_files()).expect("opens");
    assert_eq!((payloads(&journal), recovered.cut), (want, None));
}

#[test]
fn a_failed_sync_is_made_good_in_another_file() {
    let disk = MemDisk::new(7);
    let (journal, _) = open(&disk, &small_files()).expect("opens");
    let mut want = Vec::new();
    let mut follower = journal.reader(Lsn(0), Upto::Written).expect("begins");
    let mut append = |range: std::ops::Range<usize>| {
        for n in range {
            journal.append(&payload(n), 1).expect("appends");
            want.push(payload(n));
        }
    };
    append(0..15);
    journal.sync_once().expect("syncs");
    append(15..30);
    let before = disk.paths();
    for _ in 0..20 {
        assert!(follower.next().expect("reads").is_some());
    }
    disk.fail_syncs(1);
    let end = journal.next_lsn();
    assert_eq!(journal.sync_once().expect("made good"), end);
    assert!(disk.paths().iter().any(|it| !before.contains(it)), "another file");
    assert!(journal.counters().bytes_rewritten > 0);
    append(30..40);
    for n in 20..40 {
        assert_eq!(follower.next().expect("reads").expect("there").payload, payload(n));
    }
    assert_eq!(payloads(&journal), want);
    journal.sync_once().expect("syncs");
    disk.restart_after_power_cut();
    let (journal, recovered) = open(&disk, &small_files()).expect("opens");
    assert_eq!((payloads(&journal), recovered.cut), (want, None));
}

#[test]
fn input_is_refused_until_a_failed_sync_is_made_good() {
    let disk = MemDisk::new(8);
    let (journal, _) = open(&disk, &small_files()).expect("opens");
    let appended = journal.append(b"written", 1).expect("appends");
    disk.fail_syncs(3);
    journal.sync_once().expect_err("the second file can't be synced either");
    assert!(journal.refuses().is_some());
    assert!(matches!(journal.append(b"no", 1), Err(Error::Refused { .. })));
    let waited = journal.wait_synced(appended.next_lsn, Duration::ZERO);
    assert!(matches!(waited, Err(Error::Refused { .. })));
    journal.sync_to(appended.next_lsn).expect_err("the third neither");
    journal.sync_once().expect("the fourth can");
    assert_eq!(journal.refuses(), None);
    assert_eq!(journal.append(b"again", 1).expect("appends").first_id, 2);
    assert_eq!(journal.counters().refused, 1);
    assert_eq!(payloads(&journal), [b"written".to_vec(), b"again".to_vec()]);
    let n_files = disk.paths().len();
    assert_eq!(n_files, journal.n_files(), "failed attempts leave nothing behind");
}

#[test]
fn waiting_ends_with_somebody_elses_sync() {
    let (journal, _) = open(&MemDisk::new(9), &small_files()).expect("opens");
    let appended = journal.append(b"one", 0).expect("appends");
    assert!(!journal.wait_synced(appended.next_lsn, Duration::ZERO).expect("no failure"));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| journal.wait_synced(appended.next_lsn, Duration::MAX));
        journal.sync_once().expect("syncs");
        assert!(waiting.join().expect("no panic").expect("no failure"));
    });
}

fn append_of_thread(journal: &Journal, thread: u8) {
    for n in 0..500_u16 {
        let body = [&[thread], n.to_le_bytes().as_slice()].concat();
        let appended = journal.append(&body, 1).expect("appends");
        if n % 100 == 0 {
            journal.sync_to(appended.next_lsn).expect("syncs");
        }
    }
}

#[test]
fn many_threads_share_one_order() {
    let dir = tempfile::tempdir().expect("a folder");
    let settings = JournalSettings { file_bytes: 20_000, ..JournalSettings::default() };
    let (journal, _) =
        Journal::open(Arc::new(OsDisk), dir.path(), settings.clone()).expect("opens");
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let journal = &journal;
            scope.spawn(move || append_of_thread(journal, thread));
        }
    });
    let all = read_all(&journal, Lsn(0), Upto::Written);
    assert_eq!(all.len(), 2_000);
    assert!(all.iter().zip(1..).all(|(it, id)| it.1 == id), "ids are in the journal's order");
    for thread in 0..4 {
        let of_thread = all.iter().filter(|it| it.2[0] == thread);
        assert!(of_thread.zip(0_u16..).all(|(it, n)| it.2[1..] == n.to_le_bytes()));
    }
    drop(journal);
    let (journal, recovered) =
        Journal::open(Arc::new(OsDisk), dir.path(), settings).expect("opens again");
    assert_eq!((recovered.next_id, recovered.cut), (2_001, None));
    assert_eq!(read_all(&journal, Lsn(0), Upto::Synced), all);
}

#[test]
fn damaged_header_is_reported_with_its_file_and_costs_no_record() {
    for (file, at) in (0..3).flat_map(|file| [0, 9, 12, 17, 25, 33, 41, 45].map(|at| (file, at))) {
        let disk = MemDisk::new(1);
        let settings = JournalSettings { identity: 7, ..small_files() };
        let (journal, _) = open(&disk, &settings).expect("opens");
        for n in 0..20 {
            journal.append(&payload(n), 0).expect("appends");
            journal.sync_once().expect("syncs");
        }
        let want = payloads(&journal);
        drop(journal);
        let mut paths = disk.paths();
        paths.retain(|path| disk.file_len(path).expect("a file") > 48);
        assert!(2 < paths.len(), "{paths:?}");
        let path = [&paths[0], &paths[1], &newest_file(&disk)][file].clone();
        disk.corrupt(&path, at).expect("in the header");
        let (journal, recovered) = open(&disk, &small_files()).expect("opens");
        let [damaged] = &recovered.damaged_headers[..] else { panic!("{recovered:?}") };
        let is_reported =
            matches!(damaged, Error::Corrupt { path: it, offset: 0, .. } if *it == path);
        assert!(is_reported, "{damaged}");
        assert_eq!((payloads(&journal), journal.identity()), (want, 7));
        assert!(recovered.lost.is_empty() && recovered.cut.is_none(), "{recovered:?}");
    }
}

#[test]
fn foreign_files_and_other_versions_are_named() {
    let disk = MemDisk::new(1);
    disk.create(&Path::new(DIR).join("mine.journal")).expect("creates");
    let error = open(&disk, &small_files()).expect_err("a foreign file");
    assert_eq!(
        error.to_string(),
        "/data/journal/mine.journal is not a journal file: its name is not one of ours"
    );
    let disk = MemDisk::new(1);
    let header = frame::FileHeader { identity: 0, first: Lsn(0), next_id: 1, synced: Lsn(0) };
    let mut bytes = header.encode();
    bytes[8] = 2;
    let crc = crc32c::crc32c(&bytes[..40]);
    bytes[40..44].copy_from_slice(&crc.to_le_bytes());
    let path = recover::file_path(Path::new(DIR), 1, Lsn(0));
    let file = disk.create(&path).expect("creates");
    disk::write_full(&*file, &bytes, 0).expect("writes");
    assert!(matches!(open(&disk, &small_files()), Err(Error::Version { version: 2, .. })));
}

#[test]
fn a_record_larger_than_the_limit_is_refused() {
    let (journal, _) = open(&MemDisk::new(1), &small_files()).expect("opens");
    let error = journal.append(&vec![0; RECORD_BYTES_MAX + 1], 0).expect_err("too large");
    assert!(matches!(error, Error::TooLarge { .. }) && !error.retry());
}

#[test]
fn the_fuzz_corpus_never_panics() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/open");
    let mut n = 0;
    for entry in std::fs::read_dir(dir).expect("the corpus is part of the tree") {
        fuzz::open(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
        n += 1;
    }
    assert!(n > 3, "the corpus has {n} files");
}

#[test]
fn files_of_released_versions_can_be_read() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let name = "00000001-00000000000000000000.journal";
    let bytes = std::fs::read(dir.join("v1").join(name)).expect("the fixture");
    let disk = MemDisk::new(1);
    let file = disk.create(&Path::new(DIR).join(name)).expect("creates");
    disk::write_full(&*file, &bytes, 0).expect("writes");
    let (journal, recovered) = open(&disk, &JournalSettings::default()).expect("opens");
    assert_eq!((recovered.next_id, recovered.cut), (4, None));
    assert_eq!(payloads(&journal), [b"one".to_vec(), b"two".to_vec(), Vec::new()]);
}

/// One life of a process on a faulty disk.
#[derive(Debug, Clone)]
struct Life {
    n_appends: usize,
    sync_every: usize,
    ops: u64,
    power_cut: bool,
    failing_syncs: u32,
}

fn life() -> impl Strategy<Value = Life> {
    (1..40_usize, 1..10_usize, 0..200_u64, any::<bool>(), 0..3_u32).prop_map(
        |(n_appends, sync_every, ops, power_cut, failing_syncs)| Life {
            n_appends,
            sync_every,
            ops,
            power_cut,
            failing_syncs,
        },
    )
}

/// Lives one life. `all` is what was appended in order; returns how much of it must survive.
fn live(disk: &MemDisk, life: &Life, all: &mut Vec<(u64, Vec<u8>)>) -> usize {
    disk.cut_power_after(life.ops);
    let Ok((journal, _)) = open(disk, &small_files()) else { return all.len() };
    disk.fail_syncs(life.failing_syncs);
    let mut n_synced = all.len();
    for n in 0..life.n_appends {
        let body = payload(n);
        if let Ok(appended) = journal.append(&body, 1) {
            all.push((appended.first_id, body));
        }
        if n % life.sync_every == 0 && journal.sync_once().is_ok() {
            n_synced = all.len();
        }
    }
    n_synced
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// After any sequence of crashes the journal has the appended records from the beginning
    /// without a hole, at least up to the promised position.
    #[test]
    fn crashes_keep_the_promises(seed in any::<u64>(), lives in prop::collection::vec(life(), 1..6)) {
        let disk = MemDisk::new(seed);
        let mut all: Vec<(u64, Vec<u8>)> = Vec::new();
        for life in lives {
            let n_synced = live(&disk, &life, &mut all);
            if life.power_cut {
                disk.restart_after_power_cut();
            } else {
                disk.restart_after_kill();
            }
            let (journal, recovered) = open(&disk, &small_files()).expect("no damage, only crashes");
            let kept = read_all(&journal, Lsn(0), Upto::Synced);
            let promised = if life.power_cut { n_synced } else { all.len() };
            prop_assert!(kept.len() >= promised, "{} of {promised} are left", kept.len());
            prop_assert!(kept.len() <= all.len(), "more than there was");
            all.truncate(kept.len());
            for (kept, want) in kept.iter().zip(&all) {
                prop_assert_eq!((kept.1, &kept.2), (want.0, &want.1));
            }
            prop_assert!(recovered.lost.is_empty());
            prop_assert!(all.last().is_none_or(|it| it.0 < recovered.next_id));
        }
    }

    #[test]
    fn any_bytes_are_opened_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz::open(&bytes);
    }
}

/// Written once for the fixture and the corpus; kept to say how they came about.
#[test]
fn the_fixture_is_what_this_version_writes() {
    let disk = MemDisk::new(1);
    let (journal, _) = open(&disk, &JournalSettings::default()).expect("opens");
    journal.append(b"one", 1).expect("appends");
    journal.append(b"two", 2).expect("appends");
    journal.sync_once().expect("syncs");
    journal.append(b"", 0).expect("appends");
    let path = newest_file(&disk);
    let file = disk.open(&path).expect("opens");
    let mut bytes = vec![0; disk.file_len(&path).expect("a file")];
    disk::read_full(&*file, &mut bytes, 0).expect("reads");
    let name = path.file_name().expect("a name");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/v1");
    assert_eq!(bytes, std::fs::read(dir.join(name)).expect("the fixture"));
}

#[test]
fn followers_are_woken_by_syncs_that_had_something_until_they_are_gone() {
    let (journal, _) = open(&MemDisk::new(1), &small_files()).expect("opens");
    let n = Arc::new(AtomicUsize::new(0));
    let (of_call, of_journal) = (Arc::clone(&n), journal.clone());
    let following = journal.follow_synced(move || {
        assert_eq!(of_journal.synced(), of_journal.next_lsn());
        of_call.fetch_add(1, Ordering::Relaxed);
    });
    let count = || n.load(Ordering::Relaxed);
    journal.sync_once().expect("syncs");
    assert_eq!(count(), 0, "there was nothing");
    let appended = journal.append(b"a", 0).expect("appends");
    assert_eq!(count(), 0, "it is not synced");
    journal.sync_once().expect("syncs");
    journal.sync_to(appended.next_lsn).expect("is synced");
    assert_eq!(count(), 1);
    let appended = journal.append(b"b", 0).expect("appends");
    journal.sync_to(appended.next_lsn).expect("syncs");
    assert_eq!(count(), 2);
    drop(following);
    journal.append(b"c", 0).expect("appends");
    journal.sync_once().expect("syncs");
    assert_eq!((count(), Arc::strong_count(&n)), (2, 1));
}
