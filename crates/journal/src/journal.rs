//! The open journal as its users have it: appending, syncing, reading, dropping unneeded files.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::followers::Following;
use crate::frame::RECORD_BYTES_MAX;
use crate::lineage::{self, Ancestor, Lineage};
use crate::lsn::{Lsn, Upto};
use crate::reader::{JournalReader, ReadOutcome};
use crate::recover::{self, RecoveredJournal};
use crate::scan::FileEntry;
use crate::settings::JournalSettings;
use crate::writer::{Appended, Counters, Writer, WriterState};
use disk::{Content, Disk, FileCopy};

/// How often a start tries to read the same place, after the first time.
const READ_TRIES: u32 = 5;

/// The journal; clones are the same journal.
#[derive(Debug, Clone)]
pub struct Journal {
    shared: Arc<Writer>,
}

/// Files of a journal that are kept readable.
#[derive(Debug, Clone)]
pub struct HeldFiles(Arc<Vec<FileEntry>>);

impl Journal {
    /// Opens the journal in `dir`, making both if needed, and brings its end to safety.
    ///
    /// # Errors
    /// The folder can't be read or written; a file is of another version or not ours; or what had
    /// been synced is damaged and the settings say to refuse.
    pub fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        settings: JournalSettings,
    ) -> Result<(Self, RecoveredJournal)> {
        let opened = recover::open(&*disk, dir, &settings)?;
        let recovered = opened.recovered.clone();
        Ok((Self { shared: Arc::new(Writer::new(disk, dir, settings, opened)) }, recovered))
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
    /// The disk failed. Records not yet durable were written to a new file if that was possible
    /// (then this is no error); else input is refused, and each further call tries again.
    pub fn sync_once(&self) -> Result<Lsn> {
        self.sync(|_synced| true)
    }

    /// As [`Self::sync_once`], but does nothing if that position is already durable: threads that
    /// call it after each append share syncs.
    ///
    /// # Errors
    /// As [`Self::sync_once`].
    pub fn sync_to(&self, lsn: Lsn) -> Result<Lsn> {
        self.sync(|synced| synced < lsn)
    }

    fn sync(&self, is_due: impl FnOnce(Lsn) -> bool) -> Result<Lsn> {
        let one = self.shared.sync.lock().expect("nobody panics while syncing");
        let before = self.synced();
        if !is_due(before) {
            return Ok(before);
        }
        let synced = self.shared.sync()?;
        drop(one);
        if before < synced {
            self.shared.followers.call();
        }
        Ok(synced)
    }

    /// Calls `wake` after each sync that has made more durable, until what is returned is dropped.
    /// In the thread that syncs: it only wakes a thread.
    #[must_use]
    pub fn follow_synced(&self, wake: impl Fn() + Send + Sync + 'static) -> Following {
        self.shared.followers.add(wake)
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
    pub fn reader(&self, from: Lsn, upto: Upto) -> Result<JournalReader> {
        JournalReader::new(Arc::clone(&self.shared), from, upto)
    }

    /// Goes through a part of the journal, as a start does. A read that fails temporarily is tried
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

    /// The files as they are now: they stay readable, whatever is removed later.
    #[must_use]
    pub fn hold(&self) -> HeldFiles {
        HeldFiles(Arc::clone(&self.shared.lock().files))
    }

    /// The journal from where it began when `held` was taken up to `end`, as files of a copy: a position
    /// that [`Self::next_lsn`] gave since.
    ///
    /// # Errors
    /// A file can't be asked for its length.
    pub fn copy_of(&self, held: &HeldFiles, end: Lsn) -> Result<Vec<FileCopy>> {
        let now = Arc::clone(&self.shared.lock().files);
        let first_now = now.first().map_or(u32::MAX, |it| it.number);
        let removed = held.0.iter().filter(|it| it.number < first_now);
        let mut copies = Vec::new();
        for file in removed.chain(now.iter()) {
            if end <= file.first && !copies.is_empty() {
                continue;
            }
            let path = &file.path;
            let len = file.file.len().map_err(|error| Error::io("read", path, error))?;
            let len = len.min(file.offset_of(end.max(file.first)));
            let name = path.file_name().unwrap_or_default().into();
            let content = Content::Prefix { file: Arc::clone(&file.file), len };
            copies.push(FileCopy { name, content });
        }
        let ancestors = self.shared.ancestors.clone();
        let lineage = Lineage { identity: self.identity(), ancestors }.of_copy(end);
        let content = Content::Bytes(lineage.encode());
        copies.push(FileCopy { name: lineage::NAME.into(), content });
        Ok(copies)
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

    /// Which journal this is, for its whole life: positions of another one mean nothing here, but see
    /// [`Self::shared_with`]. 0 if it was given none. A copy has another one than its original.
    #[must_use]
    pub fn identity(&self) -> u32 {
        self.shared.lock().identity
    }

    /// The journals that this one is a copy of, the oldest first.
    #[must_use]
    pub fn ancestors(&self) -> &[Ancestor] {
        &self.shared.ancestors
    }

    /// Before which position the journal of that identity has, or had, the same records as this
    /// one. `None`: it is no ancestor.
    #[must_use]
    pub fn shared_with(&self, identity: u32) -> Option<Lsn> {
        if identity == 0 {
            return None;
        }
        if identity == self.identity() {
            return Some(Lsn(u64::MAX));
        }
        let newest = self.ancestors().iter().rev().find(|it| it.identity == identity);
        newest.map(|it| it.end)
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
