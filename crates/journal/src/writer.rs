//! The files of an open journal: appending, syncing, and what a failed sync asks for.
//!
//! Locks: `sync` (one syncer at a time), then `state` (short: a copy and a `write`). Only making a
//! failed sync good holds `state` for longer, on purpose: nothing may be appended meanwhile.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use crate::error::{Error, Result};
use crate::followers::Followers;
use crate::frame::{self, FRAME_HEADER_BYTES, FileHeader};
use crate::lineage::Ancestor;
use crate::lsn::{Lsn, Upto};
use crate::recover::{Opened, Rewrite, file_path};
use crate::scan::FileEntry;
use crate::settings::JournalSettings;
use disk::{Disk, write_full};

/// Where a record went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    pub lsn: Lsn,
    /// The cursor of a consumer that has applied this record and all before it.
    pub next_lsn: Lsn,
    /// First of the `n_ids` ids that are now the record's.
    pub first_id: u64,
}

/// Counts since opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    pub records: u64,
    pub bytes: u64,
    /// Appends that failed, the disk being full or broken.
    pub append_failures: u64,
    /// Appends refused after a failed sync.
    pub refused: u64,
    pub syncs: u64,
    pub sync_failures: u64,
    /// Bytes written once more to another file after a failed sync.
    pub bytes_rewritten: u64,
    pub files_removed: u64,
}

/// The state that all clones of a journal share.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) disk: Arc<dyn Disk>,
    dir: PathBuf,
    settings: JournalSettings,
    pub(crate) sync: Mutex<()>,
    state: Mutex<WriterState>,
    pub(crate) synced_changed: Condvar,
    pub(crate) followers: Followers,
    /// The oldest first.
    pub(crate) ancestors: Vec<Ancestor>,
}

#[derive(Debug)]
pub(crate) struct WriterState {
    pub(crate) files: Arc<Vec<FileEntry>>,
    pub(crate) written: Lsn,
    pub(crate) synced: Lsn,
    pub(crate) next_id: u64,
    pub(crate) identity: u32,
    next_number: u32,
    /// A file was made since the folder was last synced.
    dir_dirty: bool,
    /// Why nothing is accepted, after a failed sync.
    pub(crate) failed: Option<Arc<str>>,
    scratch: Vec<u8>,
    pub(crate) counters: Counters,
}

impl Writer {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        dir: &Path,
        settings: JournalSettings,
        opened: Opened,
    ) -> Self {
        let Opened { files, next_number, ancestors, recovered } = opened;
        let state = WriterState {
            written: recovered.next,
            synced: recovered.next,
            next_id: recovered.next_id,
            identity: recovered.identity,
            files: Arc::new(files),
            next_number,
            dir_dirty: false,
            failed: None,
            scratch: Vec::new(),
            counters: Counters::default(),
        };
        Self {
            disk,
            dir: dir.to_owned(),
            settings,
            sync: Mutex::new(()),
            state: Mutex::new(state),
            synced_changed: Condvar::new(),
            followers: Followers::default(),
            ancestors,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().expect("nobody panics under the lock")
    }

    /// Files, first position and end, for a reader.
    pub(crate) fn view(&self, upto: Upto) -> (Arc<Vec<FileEntry>>, Lsn, Lsn) {
        let state = self.lock();
        let end = match upto {
            Upto::Written => state.written,
            Upto::Synced => state.synced,
        };
        let first = state.files.first().map_or(state.written, |it| it.first);
        (Arc::clone(&state.files), first, end)
    }

    pub(crate) fn append(
        &self,
        state: &mut WriterState,
        payload: &[u8],
        crc_payload: u32,
        n_ids: u32,
    ) -> Result<Appended> {
        let lsn = state.written;
        let bytes = (FRAME_HEADER_BYTES + payload.len()) as u64;
        let held = lsn.0 - state.last().first.0;
        if held > 0 && held + bytes > self.settings.file_bytes {
            self.roll(state)?;
        }
        let mut scratch = std::mem::take(&mut state.scratch);
        let ids = (state.next_id, n_ids);
        frame::encode(&mut scratch, payload, crc_payload, lsn, ids, state.synced);
        let file = state.last();
        let offset = file.offset_of(lsn);
        let result = write_full(&*file.file, &scratch, offset).map_err(|error| {
            // The part that was written must not stay: on failure it is overwritten by the next
            // append or cut at the next start, so this may fail as well.
            drop(file.file.set_len(offset));
            Error::io("append to", &file.path, error)
        });
        // A rare huge record must not hold its memory for good.
        if scratch.capacity() <= 1 << 20 {
            state.scratch = scratch;
        }
        result?;
        let first_id = state.next_id;
        state.written = Lsn(lsn.0 + bytes);
        state.next_id = first_id.saturating_add(n_ids.into());
        state.counters.records += 1;
        state.counters.bytes += bytes;
        Ok(Appended { lsn, next_lsn: state.written, first_id })
    }

    /// Starts the next file. No sync here: the syncer goes through files in their order.
    fn roll(&self, state: &mut WriterState) -> Result<()> {
        let path = file_path(&self.dir, state.next_number, state.written);
        let header = FileHeader {
            identity: state.identity,
            first: state.written,
            next_id: state.next_id,
            synced: state.synced,
        };
        let make = || {
            let file = self.disk.create(&path)?;
            write_full(&*file, &header.encode(), 0)?;
            Ok(file)
        };
        match make() {
            Ok(file) => {
                let number = state.next_number;
                let entry = FileEntry { first: state.written, number, path, file };
                let mut files = state.files.as_ref().clone();
                files.push(entry);
                state.files = Arc::new(files);
                state.next_number += 1;
                state.dir_dirty = true;
                Ok(())
            }
            Err(error) => {
                // It holds no record; if it stays, the next start drops it.
                drop(self.disk.remove(&path));
                state.next_number += 1;
                Err(Error::io("create", path, error))
            }
        }
    }

    pub(crate) fn sync(&self) -> Result<Lsn> {
        let (files, target, dir_dirty) = {
            let mut state = self.lock();
            if state.failed.is_some() {
                return self.make_good(&mut state);
            }
            if state.synced == state.written && !state.dir_dirty {
                return Ok(state.synced);
            }
            let dir_dirty = std::mem::take(&mut state.dir_dirty);
            (state.unsynced_files(), state.written, dir_dirty)
        };
        let mut result = files.iter().try_for_each(|it| {
            it.file.sync_data().map_err(|error| Error::io("sync", &it.path, error))
        });
        if result.is_ok() && dir_dirty {
            let synced = self.disk.sync_dir(&self.dir);
            result = synced.map_err(|error| Error::io("sync", &self.dir, error));
        }
        let mut state = self.lock();
        match result {
            Ok(()) => {
                state.synced = target;
                state.counters.syncs += 1;
                self.synced_changed.notify_all();
                Ok(target)
            }
            Err(error) => {
                state.counters.sync_failures += 1;
                state.failed = Some(error.to_string().into());
                self.make_good(&mut state)
            }
        }
    }

    /// After a failed sync: the file is never synced again; all since the last good sync is
    /// written to a new one.
    ///
    /// It is read back from the old file, checked frame by frame: the kernel may have dropped
    /// the pages that it could not write.
    fn make_good(&self, state: &mut WriterState) -> Result<Lsn> {
        let plan = Rewrite {
            from: state.synced,
            to: state.written,
            number: state.next_number,
            next_id: state.next_id,
            identity: state.identity,
        };
        state.next_number += 1;
        let new = match plan.run(&*self.disk, &self.dir, &state.files) {
            Ok(new) => new,
            Err(error) => {
                state.counters.sync_failures += 1;
                self.synced_changed.notify_all();
                return Err(error);
            }
        };
        let (mut files, dropped): (Vec<_>, Vec<_>) =
            state.files.iter().cloned().partition(|it| it.first < new.first);
        for file in dropped {
            // Superseded by the new file whether it goes or stays.
            drop(self.disk.remove(&file.path));
        }
        files.push(new);
        state.files = Arc::new(files);
        state.counters.bytes_rewritten += plan.to.0 - plan.from.0;
        state.counters.syncs += 1;
        state.synced = plan.to;
        state.dir_dirty = false;
        state.failed = None;
        self.synced_changed.notify_all();
        Ok(plan.to)
    }
}

impl WriterState {
    fn last(&self) -> &FileEntry {
        self.files.last().expect("an open journal has a file")
    }

    fn unsynced_files(&self) -> Vec<FileEntry> {
        let ends = self.files.iter().skip(1).map(|it| it.first).chain([self.written]);
        let files = self.files.iter().zip(ends);
        files.filter(|(_, end)| *end > self.synced).map(|(file, _)| file.clone()).collect()
    }
}
