//! Reading records back: for replay, and for consumers that follow.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::frame::{FRAME_HEADER_BYTES, FrameHeader};
use crate::lsn::{Lsn, Upto};
use crate::scan::{FrameScan, LostRange};
use crate::writer::Writer;

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

/// Results of a reader that continues after damage.
#[derive(Debug)]
pub enum ReadOutcome<'a> {
    Record(Record<'a>),
    /// The reader is past it.
    Damage {
        error: Error,
        lost: LostRange,
    },
    /// There is no more yet.
    End,
}

/// A walk over the journal that can go on when more was appended.
#[derive(Debug)]
pub struct JournalReader {
    shared: Arc<Writer>,
    scan: FrameScan,
    upto: Upto,
}

impl JournalReader {
    pub(crate) fn new(shared: Arc<Writer>, from: Lsn, upto: Upto) -> Result<Self> {
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
        self.scan.window_bytes()
    }

    /// The next record; `None` when there is none yet.
    ///
    /// # Errors
    /// [`Error::Corrupt`] at a damaged record; the reader stays there until
    /// [`JournalReader::skip_damage`].
    #[expect(clippy::should_implement_trait, reason = "it lends its buffer, an iterator can't")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        let header = self.advance()?;
        Ok(header.map(|it| self.record(it)))
    }

    /// As [`Self::next`], continuing after damage. For all readers that must not stop at it:
    /// damaged records are lost to all readers alike, and records that can't be read for another
    /// reason are never skipped.
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

    /// After [`Error::Corrupt`]: moves to the next readable record and returns what was skipped.
    ///
    /// # Errors
    /// The files can't be read.
    pub fn skip_damage(&mut self) -> Result<LostRange> {
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
