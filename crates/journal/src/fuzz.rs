//! Entries for the fuzz targets in `fuzz/`; ordinary tests run them over the corpora.

use std::path::Path;
use std::sync::Arc;

use crate::{Error, Journal, JournalSettings, Lsn, OnCorruption, Upto};
use disk::{Disk, MemDisk};

/// Opens a folder whose only file has these bytes, and reads it to its end.
pub fn open(data: &[u8]) {
    for on_corruption in [OnCorruption::Refuse, OnCorruption::Isolate] {
        let disk = MemDisk::new(1);
        let dir = Path::new("/journal");
        let path = crate::recover::file_path(dir, 1, Lsn(0));
        let file = disk.create(&path).expect("a new disk takes a file");
        if !data.is_empty() {
            disk::write_full(&*file, data, 0).expect("there is room");
        }
        let settings = JournalSettings { on_corruption, ..JournalSettings::default() };
        let Ok((journal, recovered)) = Journal::open(Arc::new(disk), dir, settings) else {
            continue;
        };
        let mut reader = journal.reader(journal.first_lsn(), Upto::Synced).expect("it begins");
        loop {
            match reader.next() {
                Ok(Some(record)) => assert!(record.next_lsn <= recovered.next),
                Ok(None) => break,
                Err(Error::Corrupt { .. }) => {
                    let lost = reader.skip_damage().expect("memory can be read");
                    assert!(lost.to > lost.from);
                }
                Err(error) => panic!("a disk in memory reads: {error}"),
            }
        }
        journal.append(b"next", 1).expect("an opened journal takes records");
    }
}
