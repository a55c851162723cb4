//! The server's own store as a target: filled in a folder next to `history`, then moved into its
//! place.
//!
//! ```text
//! history/              as the server left it, until the copy is complete
//! history.copy/         being filled; `copied-from` in it has the mark of the source
//! history.before-copy/  what was in `history`, if there were files of values
//! ```
//!
//! A server that is started during the copy has its former values. The last step exchanges both
//! folders; `copied-from` moves with its folder, so that a run after a kill knows which of them is
//! the new one. Before its position becomes one of the journal instead of a number of rows,
//! `copied-from` records that all rows are there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_dir::write_whole;
use disk::OsDisk;
use history::{CopyTarget, StoredKind};
use journal::Lsn;
use model::Time;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use stores::{DayCount, Table};

use super::error::CopyError;

const LIVE: &str = "history";
const FILLED: &str = "history.copy";
const BEFORE: &str = "history.before-copy";
/// In the folder of a store: which source it is a copy of.
const MARK: &str = "copied-from";
const COUNTED: &str = "counted";

pub(super) struct OwnTarget {
    data: PathBuf,
    store: CopyTarget,
    /// The mark of an earlier run in the folder.
    found: Option<Mark>,
}

/// The contents of [`MARK`]: both fields and the CRC-32C of their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    /// Of the source.
    of: u32,
    /// All rows are there, and were counted.
    is_counted: bool,
}

impl Mark {
    fn to_text(self) -> String {
        let text = format!("{} {}", self.of, if self.is_counted { COUNTED } else { "filled" });
        format!("{text} {:08x}\n", crc32c::crc32c(text.as_bytes()))
    }

    /// `None`: damaged. Those of versions without a checksum have one word less.
    fn of_text(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (of, is_counted) = match words[..] {
            [of] => (of, false),
            [of, COUNTED] => (of, true),
            [of, state, _] => {
                let mark = Self { of: of.parse().ok()?, is_counted: state == COUNTED };
                return (mark.to_text() == text).then_some(mark);
            }
            _ => return None,
        };
        Some(Self { of: of.parse().ok()?, is_counted })
    }
}

impl OwnTarget {
    /// Opens the folder that is filled, in a data directory that is locked.
    ///
    /// # Errors
    /// Files can't be read or written.
    pub(super) fn open(data: &Path, rows_max: u64, now: Time) -> Result<Self, CopyError> {
        let filled = data.join(FILLED);
        let found = read_mark(&filled)?;
        let store = CopyTarget::open(Arc::new(OsDisk), &filled, rows_max, now);
        Ok(Self { data: data.to_owned(), store: store.map_err(CopyError::Target)?, found })
    }

    pub(super) fn store(&self) -> &CopyTarget {
        &self.store
    }

    /// `true` if all rows are there: an earlier run ended between that and the exchange.
    ///
    /// # Errors
    /// The folder has something else, or the store that is in use is this copy already.
    pub(super) fn begin(&self, mark: u32) -> Result<bool, CopyError> {
        if read_mark(&self.data.join(LIVE))?.is_some_and(|it| it.of == mark) {
            // The folders were exchanged; this one has the former values.
            self.put_away()?;
            return Err(CopyError::Fed);
        }
        match self.found {
            Some(found) if found.of == mark => Ok(found.is_counted),
            None if self.store.is_empty() && self.store.cursor() == Lsn(0) => {
                self.write_mark(Mark { of: mark, is_counted: false })?;
                Ok(false)
            }
            _ => Err(CopyError::OtherFolder { path: self.data.join(FILLED) }),
        }
    }

    fn write_mark(&self, mark: Mark) -> Result<(), CopyError> {
        let text = mark.to_text();
        write_whole(&self.data.join(FILLED), MARK, text.as_bytes()).map_err(CopyError::DataDir)
    }

    /// # Errors
    /// A file can't be read or is damaged.
    pub(super) fn counts(&self) -> history::Result<Vec<DayCount>> {
        let counts = self.store.counts()?.into_iter().map(|(it, n_rows)| {
            let table = match it.stored {
                StoredKind::Values => Table::Values(it.kind),
                StoredKind::Trends => Table::Trends(it.kind),
            };
            DayCount { table, days: it.retention.days().unwrap_or(0), day: it.day, n_rows }
        });
        Ok(counts.collect())
    }

    /// Moves the filled folder into the place of `history`.
    ///
    /// # Errors
    /// The disk refuses; the same command continues later.
    pub(super) fn complete(&self, mark: u32, place: Lsn) -> Result<Option<String>, CopyError> {
        self.write_mark(Mark { of: mark, is_counted: true })?;
        self.store.finish(place).map_err(CopyError::Target)?;
        let (filled, live) = (self.data.join(FILLED), self.data.join(LIVE));
        if fs::symlink_metadata(&live).is_ok() {
            exchange(&filled, &live)?;
        } else {
            rename(&filled, &live)?;
        }
        sync(&self.data)?;
        self.put_away()
    }

    /// The former `history`: removed if it holds nothing, else kept under another name.
    fn put_away(&self) -> Result<Option<String>, CopyError> {
        let old = self.data.join(FILLED);
        let wrong = |source| CopyError::File { path: old.clone(), source };
        if fs::symlink_metadata(&old).is_err() {
            return Ok(None);
        }
        // A folder that can't be read may hold values.
        if matches!(history::is_empty(&OsDisk, &old), Ok(true)) {
            fs::remove_dir_all(&old).map_err(wrong)?;
            return Ok(None);
        }
        let names = (1..).map(|n| if n == 1 { BEFORE.into() } else { format!("{BEFORE}-{n}") });
        let mut free = names.map(|it| self.data.join(it));
        let free = free.find(|it| fs::symlink_metadata(it).is_err());
        let Some(kept) = free else { return Ok(None) };
        rename(&old, &kept)?;
        sync(&self.data)?;
        Ok(Some(format!(
            "what was in history/ before is in {}; remove it when it is not needed any more\n",
            kept.display()
        )))
    }
}

/// Both names at once, where the file system can.
fn exchange(filled: &Path, live: &Path) -> Result<(), CopyError> {
    match renameat2(AT_FDCWD, filled, AT_FDCWD, live, RenameFlags::RENAME_EXCHANGE) {
        Ok(()) => Ok(()),
        Err(Errno::EINVAL | Errno::ENOSYS) => {
            let between = filled.with_extension("exchanged");
            rename(live, &between)?;
            rename(filled, live)?;
            rename(&between, filled)
        }
        Err(errno) => Err(CopyError::File { path: live.to_owned(), source: errno.into() }),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), CopyError> {
    fs::rename(from, to).map_err(|source| CopyError::File { path: from.to_owned(), source })
}

fn sync(dir: &Path) -> Result<(), CopyError> {
    let synced = fs::File::open(dir).and_then(|it| it.sync_all());
    synced.map_err(|source| CopyError::File { path: dir.to_owned(), source })
}

fn read_mark(folder: &Path) -> Result<Option<Mark>, CopyError> {
    let path = folder.join(MARK);
    match fs::read_to_string(&path) {
        Ok(text) => match Mark::of_text(&text) {
            Some(it) => Ok(Some(it)),
            None => Err(CopyError::DamagedMark { path }),
        },
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(CopyError::DamagedMark { path })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CopyError::File { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_back_and_a_damaged_one_is_none() {
        for is_counted in [false, true] {
            let mark = Mark { of: 4_000_000_007, is_counted };
            let text = mark.to_text();
            assert_eq!(Mark::of_text(&text), Some(mark));
            for at in 0..text.len() {
                for bit in 0..8 {
                    let mut bytes = text.clone().into_bytes();
                    bytes[at] ^= 1 << bit;
                    let damaged = String::from_utf8(bytes);
                    let read = damaged.ok().and_then(|it| Mark::of_text(&it));
                    assert_eq!(read, None, "{at} {bit}");
                }
            }
        }
        // Of versions without a checksum.
        assert_eq!(Mark::of_text("7\n"), Some(Mark { of: 7, is_counted: false }));
        assert_eq!(Mark::of_text("7 counted\n"), Some(Mark { of: 7, is_counted: true }));
    }
}
