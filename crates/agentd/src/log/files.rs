//! Files of a log item: identifying them across rotation, and reading them line by line.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};
use wire::charset::Charset;

use super::position::Position;

/// Longest line; the rest of a longer one is skipped.
pub const LINE_BYTES_MAX: usize = 256 << 10;
/// First bytes of a file. They identify a copy, and a file that replaced another.
const HEAD_BYTES: usize = 512;

/// How files are rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rotation {
    /// Renamed; a file continues under another name.
    Rename,
    /// Copied, and the original truncated.
    CopyTruncate,
}

/// A file that is there.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    dev: u64,
    ino: u64,
    size: u64,
    pub(super) mtime: u64,
}

impl Found {
    pub(super) fn new(path: PathBuf, metadata: &Metadata) -> Self {
        Self {
            path,
            dev: metadata.dev(),
            ino: metadata.ino(),
            size: metadata.len(),
            mtime: u64::try_from(metadata.mtime()).unwrap_or(0),
        }
    }

    /// With the first bytes; those of unchanged files are known.
    pub(super) fn look_at(self, known: &[FileState]) -> io::Result<FileState> {
        let is_same = |it: &&FileState| {
            (it.dev, it.ino, it.size, it.mtime) == (self.dev, self.ino, self.size, self.mtime)
        };
        let head = match known.iter().find(is_same) {
            Some(it) => it.head.clone(),
            None => head(&open(&self.path)?)?,
        };
        let Self { path, dev, ino, size, mtime } = self;
        Ok(FileState {
            path,
            dev,
            ino,
            size,
            mtime,
            processed: 0,
            head,
            skips_line: false,
            touched: None,
        })
    }
}

/// The state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileState {
    pub(super) path: PathBuf,
    dev: u64,
    ino: u64,
    pub(super) size: u64,
    pub(super) mtime: u64,
    /// Bytes that are done.
    pub(super) processed: u64,
    head: Vec<u8>,
    /// The rest of the current line is skipped.
    skips_line: bool,
    /// A new time at the same size, seen at the check before: a write changes the time first.
    touched: Option<u64>,
}

/// `O_NONBLOCK`: opening a pipe that replaced the file must not hang.
fn open(path: &PathBuf) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

fn head(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; HEAD_BYTES];
    let n = read_at(file, &mut bytes, 0)?;
    bytes.truncate(n);
    Ok(bytes)
}

/// As much as there is.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut n = 0;
    while n < bytes.len() {
        match file.read_at(&mut bytes[n..], offset + n as u64) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}

/// Takes over from `old` how much of each file is done.
pub(super) fn match_up(
    old: &[FileState],
    files: &mut [FileState],
    rotation: Rotation,
    rereads: bool,
) {
    for file in files {
        let same = old.iter().find(|it| (it.dev, it.ino) == (file.dev, file.ino));
        if let Some(it) = same.filter(|it| file.continues(it)) {
            let is_touched = file.size == it.size && file.mtime != it.mtime;
            if rereads && is_touched && it.touched == Some(file.mtime) {
                continue;
            }
            (file.processed, file.skips_line) = (it.processed, it.skips_line);
            if is_touched {
                (file.touched, file.mtime) = (Some(file.mtime), it.mtime);
            }
        } else if rotation == Rotation::CopyTruncate
            && let Some(it) = old.iter().find(|it| !it.head.is_empty() && file.continues(it))
        {
            (file.processed, file.skips_line) = (it.processed, it.skips_line);
        }
    }
}

impl FileState {
    pub(super) fn position(&self) -> Position {
        Position { lastlogsize: self.processed, mtime: self.mtime }
    }

    /// Whether this is the file of `old`, perhaps with appended lines.
    fn continues(&self, old: &Self) -> bool {
        old.processed <= self.size && self.head.starts_with(&old.head)
    }

    /// Skips this many bytes, and the rest of the line that they end in.
    pub(super) fn jump(&mut self, n_bytes: u64) {
        // Characters have four bytes at most in encodings of equal width.
        self.processed += n_bytes / 4 * 4;
        self.skips_line = self.processed < self.size;
    }

    /// Passes each complete line, without its end, and the position after it, to `take`, until that
    /// has no room. Returns whether all was read.
    pub(super) fn read_lines(
        &mut self,
        charset: Charset,
        mut take: impl FnMut(&str, Position) -> bool,
    ) -> io::Result<bool> {
        let file = open(&self.path)?;
        let metadata = file.metadata()?;
        if (metadata.dev(), metadata.ino()) != (self.dev, self.ino) {
            // Rotated just now: the next check finds both files.
            return Ok(true);
        }
        let mut bytes = vec![0; LINE_BYTES_MAX];
        loop {
            // No further than the size that belongs to the time: later bytes have another time.
            let left = self.size.saturating_sub(self.processed);
            let n_max = usize::try_from(left).unwrap_or(usize::MAX).min(LINE_BYTES_MAX);
            let n = read_at(&file, bytes.get_mut(..n_max).unwrap_or_default(), self.processed)?;
            let read = bytes.get(..n).unwrap_or_default();
            let (n_taken, is_full) = self.take_lines(read, charset, &mut take);
            self.processed += n_taken as u64;
            if is_full {
                return Ok(false);
            }
            if n < LINE_BYTES_MAX || n_taken == 0 {
                return Ok(true);
            }
        }
    }

    /// Passes on the lines of a part that was read. Returns how much of it is done, and whether
    /// there was no room for the next line.
    fn take_lines(
        &mut self,
        read: &[u8],
        charset: Charset,
        take: &mut impl FnMut(&str, Position) -> bool,
    ) -> (usize, bool) {
        let (before, mtime) = (self.processed, self.mtime);
        let at = |n: usize| Position { lastlogsize: before + n as u64, mtime };
        let mut start = 0;
        while let Some(len) = line_len(read.get(start..).unwrap_or_default(), charset) {
            let line = read.get(start..start + len).unwrap_or_default();
            let text = charset.decode(line);
            let text = text.trim_end_matches(['\n', '\r']);
            if !std::mem::take(&mut self.skips_line) && !take(text, at(start + len)) {
                return (start, true);
            }
            start += len;
        }
        if start > 0 || read.len() < LINE_BYTES_MAX {
            return (start, false);
        }
        // A line longer than the buffer: the part read so far counts as the line.
        if !self.skips_line && !take(&charset.decode(read), at(read.len())) {
            return (0, true);
        }
        self.skips_line = true;
        (read.len(), false)
    }
}

/// Bytes of the first line including its end.
fn line_len(bytes: &[u8], charset: Charset) -> Option<usize> {
    let newline = charset.newline();
    let unit = newline.len();
    if unit == 1 {
        return bytes.iter().position(|it| *it == b'\n').map(|at| at + 1);
    }
    bytes.chunks_exact(unit).position(|it| it == newline).map(|at| (at + 1) * unit)
}
