//! Reading frames back: for replay, for consumers that follow, and for recovery itself.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::frame::{self, FILE_HEADER_BYTES, FRAME_HEADER_BYTES, FrameHeader};
use crate::journal::JournalParts;
use crate::{Error, Lost, Lsn, Result};
use disk::{DiskFile, read_full};

/// Read ahead: large enough that a system call costs nothing a value.
const WINDOW_BYTES: usize = 1 << 20;

/// One file of the stream. It holds the positions from `first` up to the next file's `first`;
/// what it may hold beyond that was superseded and is never looked at.
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

    /// Reads the frame at the current position, which moves behind it; `None` at the end.
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
    pub(crate) fn skip_damage(&mut self) -> Result<Lost> {
        let from = self.at;
        let mut lsn = Lsn(from.0 + 1);
        while lsn < self.end {
            let (file, limit) = self.file_of(lsn);
            let bytes = read_range(file, lsn, limit)?;
            if let Some(found) = frame::find_next(&bytes, lsn) {
                self.at = found.lsn;
                return Ok(Lost { from, to: self.at });
            }
            lsn = limit;
        }
        self.at = self.end;
        Ok(Lost { from, to: self.end })
    }

    /// Drops what was read ahead, with its memory.
    pub(crate) fn forget(&mut self) {
        self.window = Vec::new();
        self.window_lsn = self.at;
        self.frame = 0..0;
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

/// How far a reader goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upto {
    /// Everything appended: for replay at start, when all that is there has been synced.
    Written,
    /// What a power cut can't take back: for everyone who stores what he read elsewhere.
    Synced,
}

/// One frame as its appender gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    pub lsn: Lsn,
    /// The cursor of a consumer that has applied this record and all before it.
    pub next_lsn: Lsn,
    /// First of the ids that were taken with the record.
    pub first_id: u64,
    pub n_ids: u32,
    pub payload: &'a [u8],
}

/// What a reader comes to that goes on behind damage.
#[derive(Debug)]
pub enum ReadOutcome<'a> {
    Record(Record<'a>),
    /// The reader is behind it.
    Damage {
        error: Error,
        lost: Lost,
    },
    /// There is no more yet.
    End,
}

/// A walk over the journal that can go on when more was appended.
#[derive(Debug)]
pub struct Reader {
    shared: Arc<JournalParts>,
    scan: FrameScan,
    upto: Upto,
}

impl Reader {
    pub(crate) fn new(shared: Arc<JournalParts>, from: Lsn, upto: Upto) -> Result<Self> {
        let (files, first, end) = shared.view(upto);
        if from < first {
            return Err(Error::Gone { lsn: from, first });
        }
        // A synced-only reader may start at a position that is written but not synced yet.
        let (_, _, written) = shared.view(Upto::Written);
        if from > written {
            return Err(Error::Ahead { lsn: from, next: written });
        }
        Ok(Self { shared, scan: FrameScan::new(files, from, end), upto })
    }

    /// The position of the next record.
    #[must_use]
    pub fn lsn(&self) -> Lsn {
        self.scan.at
    }

    #[cfg(test)]
    pub(crate) fn held_bytes(&self) -> usize {
        self.scan.window.capacity()
    }

    /// The next record; `None` when there is none yet.
    ///
    /// # Errors
    /// [`Error::Corrupt`] at a damaged record; the reader stays there until
    /// [`Reader::skip_damage`].
    #[expect(clippy::should_implement_trait, reason = "it lends its buffer, an iterator can't")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        let header = self.advance()?;
        Ok(header.map(|it| self.record(it)))
    }

    /// As [`Self::next`], going on behind damage. This is how everyone reads who must not stop at it:
    /// what is damaged is lost to all readers alike, and what can't be read for another reason is
    /// never passed over.
    ///
    /// # Errors
    /// Any other than damage; the reader stays where it is.
    pub fn next_found(&mut self) -> Result<ReadOutcome<'_>> {
        match self.advance() {
            Ok(Some(header)) => Ok(ReadOutcome::Record(self.record(header))),
            Ok(None) => Ok(ReadOutcome::End),
            Err(error @ Error::Corrupt { .. }) => {
                let lost = self.skip_damage()?;
                Ok(ReadOutcome::Damage { error, lost })
            }
            Err(error) => Err(error),
        }
    }

    fn advance(&mut self) -> Result<Option<FrameHeader>> {
        if self.scan.at >= self.scan.end {
            self.refresh()?;
        }
        match self.scan.advance() {
            // The file may have been replaced since, after a failed sync: look once more.
            Err(Error::Corrupt { .. }) if self.refresh()? => self.scan.advance(),
            other => other,
        }
    }

    fn record(&self, header: FrameHeader) -> Record<'_> {
        Record {
            lsn: header.lsn,
            next_lsn: header.next_lsn(),
            first_id: header.first_id,
            n_ids: header.n_ids,
            payload: &self.scan.frame()[FRAME_HEADER_BYTES..],
        }
    }

    /// After [`Error::Corrupt`]: moves to the next readable record and says what was passed over.
    ///
    /// # Errors
    /// The files can't be read.
    pub fn skip_damage(&mut self) -> Result<Lost> {
        self.refresh()?;
        self.scan.skip_damage()
    }

    /// Takes notice of what happened since; says whether the set of files is another one.
    fn refresh(&mut self) -> Result<bool> {
        let (files, first, end) = self.shared.view(self.upto);
        if self.scan.at < first {
            return Err(Error::Gone { lsn: self.scan.at, first });
        }
        let changed = !Arc::ptr_eq(&files, &self.scan.files);
        if changed {
            self.scan.forget();
        }
        self.scan.files = files;
        self.scan.end = end.max(self.scan.at);
        Ok(changed)
    }
}
