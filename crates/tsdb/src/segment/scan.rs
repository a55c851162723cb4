//! Going through a segment once, chunk by chunk, with a little read ahead.

use std::collections::BTreeSet;
use std::sync::Arc;

use varint::Bytes;

use super::PageEntry;
use super::read::{Segment, decode, next_chunk};
use crate::series::{Point, SeriesKind, StoredSamples};
use crate::{Result, SeriesKey};

/// Pages are read together up to this: the disk gets few and large requests, and a merge of many
/// segments takes some megabytes.
const AHEAD_BYTES: u64 = 256 << 10;

/// The place in a segment that has been reached: a chunk, and a sample in it.
#[derive(Debug)]
pub(crate) struct Scan {
    segment: Arc<Segment>,
    /// Ids that are skipped, and how many of their samples were.
    left_out: BTreeSet<u64>,
    n_left_out: u64,
    /// Directory blocks that were read.
    n_blocks: usize,
    /// Pages of the last block, and how many of them were begun.
    pages: Vec<PageEntry>,
    n_pages: usize,
    /// Bytes of the segment from an offset on.
    ahead: (u64, Vec<u8>),
    /// The unread part of the current page, as a range of `ahead`.
    left: std::ops::Range<usize>,
    id: u64,
    key: Option<SeriesKey>,
    samples: StoredSamples,
    row: usize,
}

impl Scan {
    /// Begins with the first chunk of an id that is not left out.
    pub(crate) fn new(segment: Arc<Segment>, left_out: BTreeSet<u64>) -> Result<Self> {
        let mut scan = Self {
            segment,
            left_out,
            n_left_out: 0,
            n_blocks: 0,
            pages: Vec::new(),
            n_pages: 0,
            ahead: (0, Vec::new()),
            left: 0..0,
            id: 0,
            key: None,
            samples: StoredSamples::new(SeriesKind::UNSIGNED),
            row: 0,
        };
        scan.next_chunk()?;
        Ok(scan)
    }

    /// Samples that were skipped so far.
    pub(crate) fn n_left_out(&self) -> u64 {
        self.n_left_out
    }

    /// Series and time of the next sample; `None` after the last.
    pub(crate) fn place(&self) -> Option<(SeriesKey, i64)> {
        Some((self.key?, self.samples.points.get(self.row)?.ms))
    }

    /// Takes the samples of this chunk with times up to `to_ms`, and its bytes; goes to the next chunk
    /// if none is left.
    pub(crate) fn take(&mut self, to_ms: i64, out: &mut StoredSamples) -> Result<()> {
        let left = self.samples.points.get(self.row..).unwrap_or_default();
        let n = left.partition_point(|it| it.ms <= to_ms);
        let taken = left.get(..n).unwrap_or_default();
        if self.samples.kind.is_number() {
            out.points.extend_from_slice(taken);
        } else if self.samples.kind.is_aggregate() {
            for point in taken {
                out.push_aggregate(point.ms, self.samples.aggregate_of(point.bits));
            }
        } else {
            for point in taken {
                let bits = out.keep(self.samples.bytes_of(point.bits));
                out.points.push(Point { ms: point.ms, bits });
            }
        }
        self.row += n;
        if self.row == self.samples.points.len() { self.next_chunk() } else { Ok(()) }
    }

    fn next_chunk(&mut self) -> Result<()> {
        while !self.read_chunk()? {}
        Ok(())
    }

    /// `false` if the chunk is to be skipped.
    fn read_chunk(&mut self) -> Result<bool> {
        self.key = None;
        self.row = 0;
        if self.left.is_empty() && !self.next_page()? {
            return Ok(true);
        }
        let page = self.n_pages.checked_sub(1).and_then(|it| self.pages.get(it)).copied();
        let Some(page) = page else { return Ok(true) };
        let bytes = self.ahead.1.get(self.left.clone()).unwrap_or_default();
        let mut left = Bytes::new(bytes);
        let read = next_chunk(&mut left, &mut self.id, page.min_ms).and_then(|chunk| {
            if self.left_out.contains(&chunk.key.id) {
                self.n_left_out += chunk.n as u64;
                return Some(None);
            }
            self.samples.kind = chunk.key.kind;
            self.samples.points.clear();
            self.samples.bytes.clear();
            self.samples.aggregates.clear();
            decode(chunk, &mut self.samples)?;
            Some(Some(chunk.key))
        });
        self.left.start = self.left.end - left.left.len();
        self.key = read.ok_or_else(|| self.segment.corrupt(page.offset, "a page can't be read"))?;
        Ok(self.key.is_some())
    }

    /// Begins with the next page; `false` after the last.
    fn next_page(&mut self) -> Result<bool> {
        while self.n_pages == self.pages.len() {
            let Some(pages) = self.segment.nth_block(self.n_blocks)? else { return Ok(false) };
            (self.pages, self.n_pages) = (pages, 0);
            self.n_blocks += 1;
        }
        let Some(page) = self.pages.get(self.n_pages).copied() else { return Ok(false) };
        let (from, bytes) = &self.ahead;
        let end = page.offset + u64::from(page.len);
        if page.offset < *from || from + (bytes.len() as u64) < end {
            self.ahead = (page.offset, self.segment.pages_ahead(self.rest(), AHEAD_BYTES)?);
        }
        let (from, bytes) = &self.ahead;
        let start = usize::try_from(page.offset - from).unwrap_or(usize::MAX);
        let range = start..start.saturating_add(page.len as usize);
        let page_bytes = bytes.get(range.clone()).unwrap_or_default();
        if crc32c::crc32c(page_bytes) != page.crc {
            return Err(self.segment.corrupt(page.offset, "wrong checksum of a page"));
        }
        self.left = range;
        self.id = page.first.id;
        self.n_pages += 1;
        Ok(true)
    }

    fn rest(&self) -> &[PageEntry] {
        self.pages.get(self.n_pages..).unwrap_or_default()
    }
}
