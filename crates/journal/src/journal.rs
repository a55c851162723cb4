//! The open journal: appending, syncing, dropping what nobody needs.
//!
//! Locks: `sync` (one syncer at a time), then `state` (short: a copy and a `write`). Only making a
//! failed sync good holds `state` for longer, on purpose: nothing may be appended meanwhile.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use crate::frame::{self, FRAME_HEADER_BYTES, FileHeader, RECORD_BYTES_MAX};
use crate::reader::FileEntry;
use crate::recover::{self, Rewrite, file_path};
use crate::{Error, ReadOutcome, Reader, Recovered, Result, Upto};
use disk::{Disk, write_full};

/// How often a start tries to read the same place, after the first time.
const READ_TRIES: u32 = 5;

/// A position in the stream: bytes of frames since the beginning of the journal's life.
///
/// Differences are amounts of journal, which is how consumers measure how far they are behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lsn(pub u64);

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// What to do at start with damage in what had been synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnCorruption {
    /// Say where it is and do not start.
    #[default]
    Refuse,
    /// Start without the damaged records; they are listed in [`Recovered::lost`].
    Isolate,
}

#[derive(Debug, Clone)]
pub struct Settings {
    /// A file is closed when the next record would make it larger than this.
    pub file_bytes: u64,
    /// The first id that may be handed out, should the journal itself know a smaller one.
    pub next_id_min: u64,
    pub on_corruption: OnCorruption,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            // 128 MiB: some 15 million values; retention works in steps of it, and opening reads
            // at most the part of one that was not surely synced.
            file_bytes: 128 << 20,
            next_id_min: 1,
            on_corruption: OnCorruption::Refuse,
        }
    }
}

/// Where a record went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    pub lsn: Lsn,
    /// The cursor of a consumer that has applied this record and all before it.
    pub next_lsn: Lsn,
    /// First of the `n_ids` ids that are now the record's.
    pub first_id: u64,
}

/// What has happened since opening.
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

/// The journal; clones are the same journal.
#[derive(Debug, Clone)]
pub struct Journal {
    shared: Arc<JournalParts>,
}

#[derive(Debug)]
pub(crate) struct JournalParts {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    settings: Settings,
    sync: Mutex<()>,
    state: Mutex<WriterState>,
    synced_changed: Condvar,
}

#[derive(Debug)]
struct WriterState {
    files: Arc<Vec<FileEntry>>,
    written: Lsn,
    synced: Lsn,
    next_id: u64,
    next_number: u32,
    /// A file was made since the folder was last synced.
    dir_dirty: bool,
    /// Why nothing is accepted, after a failed sync.
    failed: Option<Arc<str>>,
    scratch: Vec<u8>,
    counters: Counters,
}

impl Journal {
    /// Opens the journal in `dir`, making both if needed, and brings its end to safety.
    ///
    /// # Errors
    /// The folder can't be read or written; a file is of another version or not ours; or what had
    /// been synced is damaged and the settings say to refuse.
    pub fn open(disk: Arc<dyn Disk>, dir: &Path, settings: Settings) -> Result<(Self, Recovered)> {
        let opened = recover::open(&*disk, dir, &settings)?;
        let state = WriterState {
            written: opened.recovered.next,
            synced: opened.recovered.next,
            next_id: opened.recovered.next_id,
            files: Arc::new(opened.files),
            next_number: opened.next_number,
            dir_dirty: false,
            failed: None,
            scratch: Vec::new(),
            counters: Counters::default(),
        };
        let shared = JournalParts {
            disk,
            dir: dir.to_owned(),
            settings,
            sync: Mutex::new(()),
            state: Mutex::new(state),
            synced_changed: Condvar::new(),
        };
        Ok((Self { shared: Arc::new(shared) }, opened.recovered))
    }

    /// Writes a record and takes `n_ids` ids for it, both in one step that others see whole.
    ///
    /// Writes in the caller's thread: a disk that stalls slows the caller down. When it returns,
    /// the record survives the end of the process; see [`Self::wait_synced`] for power cuts.
    ///
    /// # Errors
    /// Nothing was appended and no id was taken. The disk may be full: the next call tries again.
    pub fn append(&self, payload: &[u8], n_ids: u32) -> Result<Appended> {
        if payload.len() > RECORD_BYTES_MAX {
            return Err(Error::TooLarge { bytes: payload.len(), max: RECORD_BYTES_MAX });
        }
        let crc_payload = crc32c::crc32c(payload);
        let mut state = self.shared.lock();
        if let Some(reason) = &state.failed {
            let error = Error::Refused { reason: Arc::clone(reason) };
            state.counters.refused += 1;
            return Err(error);
        }
        let result = self.shared.append(&mut state, payload, crc_payload, n_ids);
        if result.is_err() {
            state.counters.append_failures += 1;
        }
        result
    }

    /// Makes everything appended so far durable; returns the position up to which it is.
    ///
    /// # Errors
    /// The disk failed. What was not yet durable has been written to a new file if that was
    /// possible (then this is no error); else input is refused, and each further call tries again.
    pub fn sync_once(&self) -> Result<Lsn> {
        let _one = self.shared.sync.lock().expect("nobody panics while syncing");
        self.shared.sync()
    }

    /// As [`Self::sync_once`], but does nothing if that position is already durable: threads that
    /// call it after each append share syncs.
    ///
    /// # Errors
    /// As [`Self::sync_once`].
    pub fn sync_to(&self, lsn: Lsn) -> Result<Lsn> {
        let _one = self.shared.sync.lock().expect("nobody panics while syncing");
        let synced = self.synced();
        if synced >= lsn { Ok(synced) } else { self.shared.sync() }
    }

    /// Waits until everything before `lsn` is durable, which somebody else's [`Self::sync_once`]
    /// brings about. Says whether it is.
    ///
    /// # Errors
    /// A sync failed and has not been made good.
    pub fn wait_synced(&self, lsn: Lsn, timeout: Duration) -> Result<bool> {
        let state = self.shared.lock();
        let waiting = |it: &mut WriterState| it.synced < lsn && it.failed.is_none();
        let (state, _) = self
            .shared
            .synced_changed
            .wait_timeout_while(state, timeout, waiting)
            .expect("nobody panics under the lock");
        match &state.failed {
            Some(reason) if state.synced < lsn => {
                Err(Error::Refused { reason: Arc::clone(reason) })
            }
            _ => Ok(state.synced >= lsn),
        }
    }

    /// Reads from a position on: a cursor, or a record's `lsn` or `next_lsn`.
    ///
    /// # Errors
    /// The position was dropped, or never written.
    pub fn reader(&self, from: Lsn, upto: Upto) -> Result<Reader> {
        Reader::new(Arc::clone(&self.shared), from, upto)
    }

    /// Goes through a part of the journal, as a start does. What can't be read for a moment is tried
    /// [`READ_TRIES`] times, with a `pause` between.
    ///
    /// # Errors
    /// The part was dropped or never written, can't be read, or `take` fails.
    pub fn replay<E: From<Error>>(
        &self,
        (from, end): (Lsn, Lsn),
        mut pause: impl FnMut(),
        mut take: impl FnMut(ReadOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = self.reader(from, Upto::Written)?;
        let mut tries = 0;
        while reader.lsn() < end {
            match reader.next_found() {
                Ok(ReadOutcome::End) => break,
                Ok(found) => take(found)?,
                Err(error) if error.retry() && tries < READ_TRIES => {
                    tries += 1;
                    pause();
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            tries = 0;
        }
        Ok(())
    }

    /// Removes files that hold nothing at or after `min`, the smallest cursor of all consumers.
    ///
    /// # Errors
    /// A file could not be removed; it stays on disk until the next start, harmless.
    pub fn set_retention(&self, min: Lsn) -> Result<()> {
        let dropped = {
            let mut state = self.shared.lock();
            let min = min.min(state.synced);
            let n = state.files.windows(2).take_while(|pair| pair[1].first <= min).count();
            if n == 0 {
                return Ok(());
            }
            let mut files = state.files.as_ref().clone();
            let dropped: Vec<FileEntry> = files.drain(..n).collect();
            state.files = Arc::new(files);
            state.counters.files_removed += n as u64;
            dropped
        };
        for file in dropped {
            let removed = self.shared.disk.remove(&file.path);
            removed.map_err(|error| Error::io("remove", &file.path, error))?;
        }
        Ok(())
    }

    /// The oldest position that can still be read.
    #[must_use]
    pub fn first_lsn(&self) -> Lsn {
        let state = self.shared.lock();
        state.files.first().map_or(state.written, |it| it.first)
    }

    /// The position of the next record: everything before it has been written.
    #[must_use]
    pub fn next_lsn(&self) -> Lsn {
        self.shared.lock().written
    }

    /// Everything before this position survives a power cut.
    #[must_use]
    pub fn synced(&self) -> Lsn {
        self.shared.lock().synced
    }

    /// The next id that will be handed out.
    #[must_use]
    pub fn next_id(&self) -> u64 {
        self.shared.lock().next_id
    }

    #[must_use]
    pub fn n_files(&self) -> usize {
        self.shared.lock().files.len()
    }

    /// Why input is refused, if it is.
    #[must_use]
    pub fn refuses(&self) -> Option<Arc<str>> {
        self.shared.lock().failed.clone()
    }

    #[must_use]
    pub fn counters(&self) -> Counters {
        self.shared.lock().counters
    }
}

impl JournalParts {
    fn lock(&self) -> MutexGuard<'_, WriterState> {
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

    fn append(
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
        let header =
            FileHeader { first: state.written, next_id: state.next_id, synced: state.synced };
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
                // It holds no record; what stays is dropped at the next start.
                drop(self.disk.remove(&path));
                state.next_number += 1;
                Err(Error::io("create", path, error))
            }
        }
    }

    fn sync(&self) -> Result<Lsn> {
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
