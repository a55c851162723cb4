//! Checkpoints: the state of all partitions at known positions of the journal.
//!
//! The two newest are kept, each in a file whose name has its number and the position from which it
//! needs the journal; the journal is kept for both. So a file that cannot be read costs nothing but
//! time: the one before it and the journal after that give the same state. Before there are two,
//! "the one before" is nothing at all and the journal from its beginning.
//!
//! One is written at a time. It gets its name once all of it is on disk, and only then those that
//! it makes superfluous go; a crash at any moment leaves two that are whole, or as many as there
//! were. Bytes: `docs/format/checkpoint.md`.

mod error;
mod file;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use disk::{Content, Disk, FileCopy};

pub use error::CheckpointError;
use error::io_error;
pub use file::{Blob, BlobKind};

/// The folder in the data directory.
pub(crate) const FOLDER: &str = "checkpoints";
/// The only one of a data directory that version 1 was written to; it needs what its blobs say.
const SINGLE: &str = "checkpoint";
const SUFFIX: &str = ".checkpoint";
const UNFINISHED: &str = "checkpoint.tmp";
/// The newest, and the one before it.
const KEPT: usize = 2;
/// Attempts to open files that are replaced meanwhile.
const TRIES: usize = 5;

/// A file, as its name describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CheckpointFile {
    number: u64,
    /// The oldest position of the journal that it needs.
    lsn: u64,
    path: PathBuf,
}

/// The checkpoint that was read.
#[derive(Default, Debug)]
pub struct Loaded {
    pub blobs: Vec<Blob>,
    /// The oldest position of the journal that they need.
    pub lsn: u64,
    /// Newer ones that could not be read.
    pub skipped: Vec<CheckpointError>,
    file: Option<CheckpointFile>,
}

/// The checkpoints of a data directory.
pub struct Checkpoints {
    disk: Arc<dyn Disk>,
    data: PathBuf,
    dir: PathBuf,
    state: Mutex<WrittenCheckpoints>,
    newest: AtomicU64,
    needed: AtomicU64,
}

impl fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoints").field("dir", &self.dir).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct WrittenCheckpoints {
    next_number: u64,
    /// Those that count, newest first.
    kept: Vec<CheckpointFile>,
    /// One at a time.
    is_being_written: bool,
}

impl Checkpoints {
    /// Opens those of a data directory and reads the newest one that can be read. `first` is where
    /// the journal begins.
    ///
    /// # Errors
    /// None can be read, or the journal does not reach back to it: state can't be made up.
    pub fn open(
        disk: Arc<dyn Disk>,
        data: &Path,
        first: u64,
    ) -> Result<(Self, Loaded), CheckpointError> {
        let dir = data.join(FOLDER);
        disk.create_dir_all(&dir).map_err(io_error("create", &dir))?;
        let state =
            WrittenCheckpoints { next_number: 1, kept: Vec::new(), is_being_written: false };
        let checkpoints = Self {
            disk,
            data: data.to_owned(),
            dir,
            state: Mutex::new(state),
            newest: AtomicU64::new(0),
            needed: AtomicU64::new(0),
        };
        let files = checkpoints.files()?;
        let loaded = checkpoints.load(first)?;
        {
            let mut state = checkpoints.lock();
            state.next_number = files.first().map_or(1, |it| it.number + 1);
            // Those that cannot be read stay until another is written, but they are no fallback.
            state.kept = loaded.file.iter().cloned().collect();
            let used = loaded.file.as_ref().map_or(0, |it| it.number);
            state.kept.extend(files.into_iter().find(|it| it.number < used));
            checkpoints.publish(&state);
        }
        Ok((checkpoints, loaded))
    }

    fn lock(&self) -> MutexGuard<'_, WrittenCheckpoints> {
        // Nothing in here panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, state: &WrittenCheckpoints) {
        self.newest.store(state.kept.first().map_or(0, |it| it.lsn), Ordering::Relaxed);
        let is_full = KEPT <= state.kept.len();
        let oldest = state.kept.iter().map(|it| it.lsn).min().filter(|_| is_full);
        self.needed.store(oldest.unwrap_or(0), Ordering::Relaxed);
    }

    /// Those that count, as files of a copy of the data directory: they stay readable, whatever is
    /// removed later.
    ///
    /// # Errors
    /// One can't be opened.
    pub fn copy_of(&self) -> Result<Vec<FileCopy>, CheckpointError> {
        // Held while files are opened, so that none is removed.
        let state = self.lock();
        let copies = state.kept.iter().map(|kept| {
            let path = kept.path.clone();
            let file = self.disk.open(&path).map_err(io_error("open", &path))?;
            let name = path.strip_prefix(&self.data).unwrap_or(&path).to_owned();
            Ok(FileCopy { name, content: Content::Immutable { path, file } })
        });
        copies.collect()
    }

    /// The position from which a start reads back the journal.
    pub fn newest(&self) -> u64 {
        self.newest.load(Ordering::Relaxed)
    }

    /// The oldest position of the journal that one of them needs.
    pub fn needed(&self) -> u64 {
        self.needed.load(Ordering::Relaxed)
    }

    /// Those that have a name, newest first.
    fn files(&self) -> Result<Vec<CheckpointFile>, CheckpointError> {
        let names = self.disk.list(&self.dir).map_err(io_error("list", &self.dir))?;
        let mut files: Vec<CheckpointFile> = names
            .iter()
            .filter_map(|name| {
                let (number, lsn) = parse_name(name)?;
                Some(CheckpointFile { number, lsn, path: self.dir.join(name) })
            })
            .collect();
        files.sort_unstable_by_key(|it| std::cmp::Reverse(it.number));
        let names = self.disk.list(&self.data).map_err(io_error("list", &self.data))?;
        if names.iter().any(|it| it == SINGLE) {
            // Its needed position is known once it is read.
            files.push(CheckpointFile { number: 0, lsn: 0, path: self.data.join(SINGLE) });
        }
        Ok(files)
    }

    /// Reads the newest one that can be read, also while others are written. Empty if there is none
    /// and the journal has all that ever was.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn load(&self, first: u64) -> Result<Loaded, CheckpointError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.load_once(first) {
                Err(error) if error.is_not_found() && tries < TRIES => {}
                other => return other,
            }
        }
    }

    fn load_once(&self, first: u64) -> Result<Loaded, CheckpointError> {
        let mut skipped = Vec::new();
        for file in self.files()? {
            match file::read(&*self.disk, &file.path) {
                Ok(blobs) => {
                    let lsn = blobs.iter().map(|it| it.lsn).min().unwrap_or(file.lsn);
                    let file = CheckpointFile { lsn, ..file };
                    if lsn < first {
                        let (path, needed) = (file.path, lsn);
                        return Err(skipped.into_iter().next().unwrap_or(CheckpointError::Gap {
                            path,
                            needed,
                            first,
                        }));
                    }
                    return Ok(Loaded { blobs, lsn, skipped, file: Some(file) });
                }
                Err(error) if error.is_not_found() => return Err(error),
                Err(error) if error.may_fall_back() => skipped.push(error),
                Err(error) => return Err(error),
            }
        }
        if 0 < first && !skipped.is_empty() {
            return Err(skipped.remove(0));
        }
        Ok(Loaded { skipped, lsn: first, ..Loaded::default() })
    }

    /// Begins a new one; `None` while another one is being written.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn begin(self: &Arc<Self>) -> Result<Option<Writing>, CheckpointError> {
        let mut state = self.lock();
        if state.is_being_written {
            return Ok(None);
        }
        let path = self.dir.join(UNFINISHED);
        if let Err(error) = self.disk.remove(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(io_error("remove", &path)(error));
        }
        let out = file::Writer::create(&*self.disk, &path)?;
        let number = state.next_number;
        state.next_number += 1;
        state.is_being_written = true;
        Ok(Some(Writing { of: Arc::clone(self), number, oldest: u64::MAX, out }))
    }

    /// Removes what no longer counts. Files that cannot be removed now are tried again the next
    /// time.
    fn sweep(&self, state: &WrittenCheckpoints) -> Result<(), CheckpointError> {
        let is_kept = |it: &CheckpointFile| state.kept.iter().any(|kept| kept.path == it.path);
        for file in self.files()?.iter().filter(|it| !is_kept(it)) {
            self.disk.remove(&file.path).map_err(io_error("remove", &file.path))?;
        }
        Ok(())
    }
}

/// One that is being written.
pub struct Writing {
    of: Arc<Checkpoints>,
    number: u64,
    oldest: u64,
    out: file::Writer,
}

opaque_debug!(Writing);

impl Drop for Writing {
    fn drop(&mut self) {
        self.of.lock().is_being_written = false;
    }
}

impl Writing {
    /// # Errors
    /// The disk refuses: nothing has changed.
    pub fn put(&mut self, blob: &Blob) -> Result<(), CheckpointError> {
        self.oldest = self.oldest.min(blob.lsn);
        self.out.put(blob)
    }

    /// Makes it the one that counts. Its content must be in a synced journal: it must not know more
    /// than a journal that a power cut shortened.
    ///
    /// # Errors
    /// The disk refuses: those before still count.
    pub fn finish(mut self) -> Result<(), CheckpointError> {
        let of = &self.of;
        let unfinished = of.dir.join(UNFINISHED);
        self.out.finish()?;
        let path = of.dir.join(format!("{:08}-{:020}{SUFFIX}", self.number, self.oldest));
        of.disk.rename(&unfinished, &path).map_err(io_error("rename", &unfinished))?;
        of.disk.sync_dir(&of.dir).map_err(io_error("sync", &of.dir))?;
        let file = CheckpointFile { number: self.number, lsn: self.oldest, path };
        let mut state = of.lock();
        state.kept.insert(0, file);
        state.kept.truncate(KEPT);
        of.publish(&state);
        if let Err(error) = of.sweep(&state) {
            tracing::warn!(%error, "a checkpoint that is not needed any more stays for now");
        }
        Ok(())
    }
}

fn parse_name(name: &str) -> Option<(u64, u64)> {
    let (number, lsn) = name.strip_suffix(SUFFIX)?.split_once('-')?;
    Some((number.parse().ok()?, lsn.parse().ok()?))
}

#[cfg(test)]
mod tests;
