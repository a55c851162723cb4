use std::path::PathBuf;
use std::sync::Arc;

use disk::{FileCopy, MemDisk};

use super::*;
use crate::journal::Journal;
use crate::settings::{JournalSettings, OnCorruption};

const DIR: &str = "/journal";

fn settings(identity: u32) -> JournalSettings {
    JournalSettings { file_bytes: 400, identity, ..JournalSettings::default() }
}

fn open(disk: &MemDisk, identity: u32) -> Result<Journal> {
    Ok(Journal::open(Arc::new(disk.clone()), Path::new(DIR), settings(identity))?.0)
}

/// A journal of some files.
fn filled(disk: &MemDisk, identity: u32) -> Journal {
    let journal = open(disk, identity).expect("opens");
    for it in 0..20 {
        journal.append(&[it; 40], 1).expect("appends");
    }
    journal.sync_once().expect("syncs");
    journal
}

fn copied(files: &[FileCopy]) -> MemDisk {
    let disk = MemDisk::new(2);
    disk.create_dir_all(Path::new(DIR)).expect("a folder");
    for file in files {
        file.write(&disk, Path::new(DIR), &mut |_| true).expect("a sound disk");
    }
    disk.sync_dir(Path::new(DIR)).expect("a sound disk");
    disk
}

fn copy_of(journal: &Journal) -> MemDisk {
    copied(&journal.copy_of(&journal.hold(), journal.next_lsn()).expect("opens"))
}

fn lineage() -> PathBuf {
    Path::new(DIR).join(NAME)
}

#[test]
fn a_copy_gets_an_identity_of_its_own_at_its_first_open_and_keeps_it() {
    let journal = filled(&MemDisk::new(1), 7);
    let end = journal.next_lsn();
    assert_eq!((journal.shared_with(7), journal.shared_with(8)), (Some(Lsn(u64::MAX)), None));
    let disk = copy_of(&journal);
    let copy = open(&disk, 8).expect("opens");
    assert_eq!((copy.identity(), copy.next_lsn()), (8, end));
    assert_eq!((copy.shared_with(7), copy.shared_with(9)), (Some(end), None));
    copy.append(b"of the copy", 1).expect("appends");
    copy.sync_once().expect("syncs");
    let end_of_copy = copy.next_lsn();
    drop(copy);
    // The identity drawn later is not used.
    let copy = open(&disk, 9).expect("opens");
    assert_eq!((copy.identity(), copy.shared_with(7)), (8, Some(end)));
    // A copy of the copy.
    let third = open(&copy_of(&copy), 10).expect("opens");
    assert_eq!(third.identity(), 10);
    assert_eq!((third.shared_with(7), third.shared_with(8)), (Some(end), Some(end_of_copy)));
    assert_eq!(journal.identity(), 7, "the original is what it was");
}

#[test]
fn a_stopped_journal_is_copied_as_one_that_runs() {
    let disk = MemDisk::new(1);
    let end = filled(&disk, 7).next_lsn();
    let file = |path: PathBuf| {
        let file = disk.open(&path).expect("is there");
        let len = file.len().expect("is there");
        let name = path.file_name().expect("a name").into();
        FileCopy { name, content: disk::Content::Prefix { file, len } }
    };
    let mut files: Vec<FileCopy> = disk.paths().into_iter().map(file).collect();
    files.push(crate::lineage_of_copy(&disk, Path::new(DIR)).expect("a sound disk"));
    let copy = open(&copied(&files), 8).expect("opens");
    assert_eq!((copy.identity(), copy.next_lsn(), copy.shared_with(7)), (8, end, Some(end)));
}

#[test]
fn rows_lost_by_the_copy_are_not_in_common() {
    let journal = filled(&MemDisk::new(1), 7);
    let mut files = journal.copy_of(&journal.hold(), journal.next_lsn()).expect("opens");
    let mut last = files.pop().expect("the lineage");
    if last.name != Path::new(NAME) {
        std::mem::swap(&mut last, files.first_mut().expect("some"));
    }
    // The copy's end is cut off by a tool.
    files.pop();
    files.push(last);
    let disk = copied(&files);
    let isolating = JournalSettings { on_corruption: OnCorruption::Isolate, ..settings(8) };
    let (copy, _) = Journal::open(Arc::new(disk), Path::new(DIR), isolating).expect("opens");
    assert!(copy.next_lsn() < journal.next_lsn());
    assert_eq!(copy.shared_with(7), Some(copy.next_lsn()));
}

/// Opens, and goes on with what is there after each crash.
#[test]
fn whenever_the_first_open_ends_the_identity_is_drawn_once() {
    let journal = filled(&MemDisk::new(1), 7);
    let end = journal.next_lsn();
    let mut n_ops = 0;
    loop {
        let disk = copy_of(&journal);
        disk.cut_power_after(n_ops);
        let is_opened = open(&disk, 8).is_ok();
        disk.restart_after_power_cut();
        let found = Lineage::read(&disk, Path::new(DIR)).expect("whole").expect("there");
        let again = open(&disk, 9).expect("opens");
        let expected = if found.identity == 0 { 9 } else { 8 };
        assert_eq!((again.identity(), again.next_lsn()), (expected, end), "after {n_ops}");
        assert_eq!(again.shared_with(7), Some(end), "after {n_ops}");
        drop(again);
        let last = open(&disk, 10).expect("opens");
        assert_eq!(last.identity(), expected, "after {n_ops}");
        if is_opened {
            assert!(5 < n_ops, "there is something to cut off");
            return;
        }
        n_ops += 1;
    }
}

#[test]
fn damaged_lineage_is_reported_with_its_file() {
    let journal = filled(&MemDisk::new(1), 7);
    let len = copy_of(&journal).file_len(&lineage()).expect("is there");
    for at in 0..len {
        let disk = copy_of(&journal);
        disk.corrupt(&lineage(), at).expect("is there");
        let error = open(&disk, 8).expect_err("damaged");
        let is_reported =
            matches!(&error, Error::Corrupt { path, offset: 0, .. } if *path == lineage());
        assert!(is_reported, "{error}");
        // A reader of a damaged directory reads the rest.
        let isolating = JournalSettings { on_corruption: OnCorruption::Isolate, ..settings(8) };
        let (journal, recovered) =
            Journal::open(Arc::new(disk), Path::new(DIR), isolating).expect("opens");
        assert_eq!((journal.identity(), recovered.damaged_headers.len()), (7, 1));
    }
}

#[test]
fn the_oldest_of_many_ancestors_are_forgotten() {
    let mut lineage = Lineage::default();
    for n in 1..=70 {
        lineage = Lineage { identity: n, ..lineage.of_copy(Lsn(u64::from(n))) };
        assert_eq!(Lineage::decode(&lineage.encode()), Some(lineage.clone()));
    }
    assert_eq!(lineage.ancestors.len(), ANCESTORS_MAX);
    let newest = Ancestor { identity: 69, end: Lsn(70) };
    assert_eq!(lineage.ancestors.last(), Some(&newest));
}
