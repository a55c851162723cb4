//! The walk over the frames of files, below readers, recovery and repair alike.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::frame::{self, FILE_HEADER_BYTES, FRAME_HEADER_BYTES, FrameHeader};
use crate::lsn::Lsn;
use disk::{DiskFile, read_full};

/// Read ahead: large enough that a system call costs nothing a value.
const WINDOW_BYTES: usize = 1 << 20;

/// One file of the stream. It holds the positions from `first` up to the next file's `first`;
/// bytes beyond that were superseded and are never read.
#[derive(Debug, Clone)]
pub(crate) struct FileEntry {
    pub(crate) first: Lsn,
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) file: Arc<dyn DiskFile>,
}

impl FileEntry {
    pub(crate) fn offset_of(&self, lsn: Lsn) -> u64 {
        FILE_HEADER_BYTES as u64 + (lsn.0 - self.first.0)
    }
}

/// Positions whose records are lost to damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostRange {
    pub from: Lsn,
    pub to: Lsn,
}

/// A walk over the frames of some files.
#[derive(Debug)]
pub(crate) struct FrameScan {
    pub(crate) files: Arc<Vec<FileEntry>>,
    pub(crate) end: Lsn,
    pub(crate) at: Lsn,
    window: Vec<u8>,
    window_lsn: Lsn,
    /// Where in the window the last frame lies.
    frame: Range<usize>,
}

impl FrameScan {
    pub(crate) fn new(files: Arc<Vec<FileEntry>>, at: Lsn, end: Lsn) -> Self {
        Self { files, end, at, window: Vec::new(), window_lsn: at, frame: 0..0 }
    }

    /// Reads the frame at the current position, which moves after it; `None` at the end.
    ///
    /// After [`Error::Corrupt`] the position stands still: see [`Self::skip_damage`].
    pub(crate) fn advance(&mut self) -> Result<Option<FrameHeader>> {
        if self.at >= self.end {
            // A reader that waits for more needs none of the megabyte that it read ahead.
            self.forget();
            return Ok(None);
        }
        let at = self.at;
        let start = self.ensure(FRAME_HEADER_BYTES)?;
        let header = FrameHeader::decode(&self.window[start..], at)
            .map_err(|reason| self.corrupt(at, reason))?;
        let start = self.ensure(FRAME_HEADER_BYTES + header.body_bytes)?;
        if let Err(reason) = frame::split_first(&self.window[start..], at) {
            return Err(self.corrupt(at, reason));
        }
        self.at = header.next_lsn();
        self.frame = start..start + FRAME_HEADER_BYTES + header.body_bytes;
        Ok(Some(header))
    }

    /// The whole frame that [`Self::advance`] read last.
    pub(crate) fn frame(&self) -> &[u8] {
        &self.window[self.frame.clone()]
    }

    /// Moves to the next readable frame, or the end, and says what lies between.
    pub(crate) fn skip_damage(&mut self) -> Result<LostRange> {
        let from = self.at;
        let mut lsn = Lsn(from.0 + 1);
        while lsn < self.end {
            let (file, limit) = self.file_of(lsn);
            let bytes = read_range(file, lsn, limit)?;
            if let Some(found) = frame::find_next(&bytes, lsn) {
                self.at = found.lsn;
                return Ok(LostRange { from, to: self.at });
            }
            lsn = limit;
        }
        self.at = self.end;
        Ok(LostRange { from, to: self.end })
    }

    /// Drops what was read ahead, with its memory.
    pub(crate) fn forget(&mut self) {
        self.window = Vec::new();
        self.window_lsn = self.at;
        self.frame = 0..0;
    }

    /// Bytes of memory for what is read ahead.
    #[cfg(test)]
    pub(crate) fn window_bytes(&self) -> usize {
        self.window.capacity()
    }

    /// Index in the window of the current position, with at least `n` bytes there if the file has
    /// them.
    fn ensure(&mut self, n: usize) -> Result<usize> {
        let start = usize::try_from(self.at.0 - self.window_lsn.0).unwrap_or(usize::MAX);
        if start.checked_add(n).is_some_and(|it| it <= self.window.len()) {
            return Ok(start);
        }
        let mut window = std::mem::take(&mut self.window);
        let (file, limit) = self.file_of(self.at);
        let left = usize::try_from(limit.0 - self.at.0).unwrap_or(usize::MAX);
        window.resize(left.min(n.max(WINDOW_BYTES)), 0);
        let offset = file.offset_of(self.at);
        let n_read = read_full(&*file.file, &mut window, offset)
            .map_err(|error| Error::io("read", &file.path, error))?;
        window.truncate(n_read);
        self.window = window;
        self.window_lsn = self.at;
        Ok(0)
    }

    /// The file that holds a position, and where its part of the stream ends.
    fn file_of(&self, lsn: Lsn) -> (&FileEntry, Lsn) {
        let after = self.files.partition_point(|it| it.first <= lsn);
        let file = self.files.get(after.saturating_sub(1)).expect("a position inside has a file");
        let limit = self.files.get(after).map_or(self.end, |it| it.first.min(self.end));
        (file, limit)
    }

    fn corrupt(&self, lsn: Lsn, reason: &'static str) -> Error {
        let (file, _) = self.file_of(lsn);
        Error::Corrupt { path: file.path.clone(), offset: file.offset_of(lsn), lsn, reason }
    }
}

fn read_range(file: &FileEntry, from: Lsn, to: Lsn) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to.0 - from.0).unwrap_or(usize::MAX)];
    let n = read_full(&*file.file, &mut bytes, file.offset_of(from))
        .map_err(|error| Error::io("read", &file.path, error))?;
    bytes.truncate(n);
    Ok(bytes)
}
