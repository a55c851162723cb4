//! Copies of files that their owners go on working with.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Disk, DiskFile, read_full, write_full};

const PIECE_BYTES: usize = 1 << 20;

/// A file of a copy: its name there, and what is to be in it.
#[derive(Debug, Clone)]
pub struct FileCopy {
    pub name: PathBuf,
    pub content: Content,
}

#[derive(Debug, Clone)]
pub enum Content {
    /// All of a file that nobody changes any more. Its name may go meanwhile; the copy may be a link.
    Immutable {
        path: PathBuf,
        file: Arc<dyn DiskFile>,
    },
    /// The beginning of a file to which more may be added.
    Prefix {
        file: Arc<dyn DiskFile>,
        len: u64,
    },
    Bytes(Vec<u8>),
}

/// How a copy ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// The file system made another name for the same file.
    Linked,
    Written,
    GivenUp,
}

impl FileCopy {
    /// # Errors
    /// The file can't be asked.
    pub fn len(&self) -> io::Result<u64> {
        match &self.content {
            Content::Immutable { file, .. } => file.len(),
            Content::Prefix { len, .. } => Ok(*len),
            Content::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// # Errors
    /// As [`Self::len`].
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Writes the copy into a folder and makes its content durable; folders between have to be there.
    /// `moved` hears how many bytes are done, and says whether to go on.
    ///
    /// # Errors
    /// The file can't be read or the copy not written; a part of it may be there.
    pub fn write(
        &self,
        disk: &dyn Disk,
        folder: &Path,
        moved: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<Copied> {
        let path = folder.join(&self.name);
        let (file, len) = match &self.content {
            Content::Immutable { path: original, file } => {
                // Another file system, one without links, or a name that has gone: it is copied.
                if disk.link(original, &path).is_ok() {
                    let is_wanted = moved(file.len()?);
                    return Ok(if is_wanted { Copied::Linked } else { Copied::GivenUp });
                }
                (file, file.len()?)
            }
            Content::Prefix { file, len } => (file, *len),
            Content::Bytes(bytes) => {
                let copy = disk.create(&path)?;
                write_full(&*copy, bytes, 0)?;
                copy.sync_data()?;
                let is_wanted = moved(bytes.len() as u64);
                return Ok(if is_wanted { Copied::Written } else { Copied::GivenUp });
            }
        };
        let copy = disk.create(&path)?;
        let mut piece = vec![0; PIECE_BYTES];
        let mut at = 0;
        while at < len {
            let wanted = usize::try_from(len - at).map_or(PIECE_BYTES, |it| it.min(PIECE_BYTES));
            let n = read_full(&**file, &mut piece[..wanted], at)?;
            if n < wanted {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            write_full(&*copy, &piece[..n], at)?;
            at += n as u64;
            if !moved(n as u64) {
                return Ok(Copied::GivenUp);
            }
        }
        copy.sync_data()?;
        Ok(Copied::Written)
    }
}
