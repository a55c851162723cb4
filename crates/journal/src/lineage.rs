//! The part that a copy of a journal has in common with its original.
//!
//! A copy that is opened is a journal of its own: from the copy's end on, both write different records at the same
//! positions. So the copy gets an identity of its own, drawn when it is first opened, and knows up to where
//! it is the same as its ancestors: a reader that has applied an ancestor up to there can continue
//! with the copy.
//!
//! The file `lineage` comes with the copy and has no identity yet. The first open writes it again, with one and in one
//! step, before anything else names it: whenever the process ends, the next open finds either nothing drawn, and
//! draws, or what was drawn. The file stays; journals that are no copies have none. Bytes: `docs/format/journal.md`.

use std::io;
use std::path::Path;

use disk::{Disk, read_full, write_full};

use crate::error::{Error, Result};
use crate::lsn::Lsn;

/// The file's name.
pub(crate) const NAME: &str = "lineage";
/// While it is written; removed by the next open.
const UNFINISHED: &str = "lineage.journal.tmp";
const MAGIC: &[u8; 8] = b"SAKERLIN";
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 20;
const ANCESTOR_BYTES: usize = 12;
/// Copies of copies: of more than these the oldest are forgotten.
const ANCESTORS_MAX: usize = 64;

/// A journal whose beginning this one has, or had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ancestor {
    pub identity: u32,
    /// Before this position both are the same.
    pub end: Lsn,
}

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lineage {
    /// 0: not drawn yet.
    pub(crate) identity: u32,
    /// The oldest first.
    pub(crate) ancestors: Vec<Ancestor>,
}

impl Lineage {
    /// That of a copy, up to `end`, of the journal that has this one.
    pub(crate) fn of_copy(&self, end: Lsn) -> Self {
        let mut ancestors = self.ancestors.clone();
        if self.identity != 0 {
            ancestors.push(Ancestor { identity: self.identity, end });
        }
        ancestors.drain(..ancestors.len().saturating_sub(ANCESTORS_MAX));
        Self { identity: 0, ancestors }
    }

    /// Nothing is common to both after the end of this one.
    pub(crate) fn cut_at(&mut self, end: Lsn) {
        self.ancestors.iter_mut().for_each(|it| it.end = it.end.min(end));
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let n = u32::try_from(self.ancestors.len()).unwrap_or(u32::MAX);
        for number in [VERSION, self.identity, n] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for ancestor in &self.ancestors {
            bytes.extend_from_slice(&ancestor.identity.to_le_bytes());
            bytes.extend_from_slice(&ancestor.end.0.to_le_bytes());
        }
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, crc) = bytes.split_last_chunk::<4>()?;
        let (head, rows) = content.split_at_checked(HEAD_BYTES)?;
        let number = |at: usize| Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?));
        let is_whole = crc32c::crc32c(content) == u32::from_le_bytes(*crc)
            && head.starts_with(MAGIC)
            && number(8)? == VERSION
            && rows.len() == usize::try_from(number(16)?).ok()?.checked_mul(ANCESTOR_BYTES)?;
        if !is_whole {
            return None;
        }
        let ancestor = |row: &[u8]| {
            let (identity, end) = row.split_first_chunk::<4>()?;
            let identity = u32::from_le_bytes(*identity);
            Some(Ancestor { identity, end: Lsn(u64::from_le_bytes(*end.first_chunk()?)) })
        };
        let ancestors = rows.chunks_exact(ANCESTOR_BYTES).map(ancestor).collect::<Option<_>>()?;
        Some(Self { identity: number(12)?, ancestors })
    }

    /// `None`: there is no such file.
    ///
    /// # Errors
    /// It can't be read, or is damaged.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(NAME);
        let read = || {
            let file = match disk.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                other => other?,
            };
            // More than it can be is as wrong as damage.
            let max = HEAD_BYTES + ANCESTORS_MAX * ANCESTOR_BYTES + 4;
            let mut bytes = vec![0; max + 1];
            let n = read_full(&*file, &mut bytes, 0)?;
            bytes.truncate(n);
            Ok(Some(bytes))
        };
        let Some(bytes) = read().map_err(|error| Error::io("read", &path, error))? else {
            return Ok(None);
        };
        let reason = "it does not say which journal this is a copy of";
        let damaged = Error::Corrupt { path, offset: 0, lsn: Lsn(0), reason };
        Self::decode(&bytes).map(Some).ok_or(damaged)
    }

    /// Replaces the file in one step; it is durable then.
    ///
    /// # Errors
    /// It can't be written. After a crash there is the former file or this one.
    pub(crate) fn write(&self, disk: &dyn Disk, dir: &Path) -> Result<()> {
        let (path, unfinished) = (dir.join(NAME), dir.join(UNFINISHED));
        let write = || {
            let file = disk.create(&unfinished)?;
            write_full(&*file, &self.encode(), 0)?;
            file.sync_data()?;
            disk.rename(&unfinished, &path)?;
            disk.sync_dir(dir)
        };
        write().map_err(|error| Error::io("write", &path, error))
    }
}

#[cfg(test)]
mod tests;
