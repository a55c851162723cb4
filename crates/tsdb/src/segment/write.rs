//! Writing a segment, series by series in ascending order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{BLOCK_ENTRIES, Footer, HEADER_BYTES, MAGIC, PageEntry, Totals, VERSION};
use varint::put_varint;

use crate::codec::{self, CHUNK_MAX};
use crate::series::{Point, StoredSamples, len_of};
use crate::{Error, Result, SeriesKey};
use disk::{Disk, DiskFile, write_full};

/// A page is closed when it has this much: one page is what reading a series costs.
const PAGE_BYTES: usize = 4 << 10;
/// Texts of a chunk; a page with one of these is larger than others.
const CHUNK_TEXT_BYTES: usize = 64 << 10;
/// Writes are collected to this size.
const WRITE_BYTES: usize = 1 << 20;
/// Synced each time so much was written: the disk is kept busy evenly, not all at once at the end.
const SYNC_BYTES: u64 = 32 << 20;

#[derive(Debug)]
struct Chunk {
    key: SeriesKey,
    n: usize,
    min_ms: i64,
    max_ms: i64,
    bytes: std::ops::Range<usize>,
}

/// A segment that is being written. Dropped before [`Self::finish`], it leaves a file behind that
/// no manifest names and the next start removes.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    /// Bytes that were written to the file; `pending` comes next.
    offset: u64,
    pending: Vec<u8>,
    chunks: Vec<Chunk>,
    data: Vec<u8>,
    /// Of the directory block that is to come next.
    pages: Vec<PageEntry>,
    /// Of the directory blocks that are written.
    root: Vec<PageEntry>,
    synced: u64,
    totals: Totals,
    last_key: Option<SeriesKey>,
}

impl SegmentWriter {
    pub(crate) fn create(disk: &dyn Disk, path: &Path) -> Result<Self> {
        let file = disk.create(path).map_err(|error| Error::io("create", path, error))?;
        let mut pending = Vec::with_capacity(WRITE_BYTES + (64 << 10));
        pending.extend_from_slice(MAGIC);
        pending.extend_from_slice(&VERSION.to_le_bytes());
        pending.resize(HEADER_BYTES, 0);
        Ok(Self {
            path: path.to_owned(),
            file,
            offset: 0,
            pending,
            chunks: Vec::new(),
            data: Vec::new(),
            pages: Vec::new(),
            root: Vec::new(),
            synced: 0,
            totals: Totals { min_ms: i64::MAX, max_ms: i64::MIN, ..Totals::default() },
            last_key: None,
        })
    }

    /// Adds points of a series, which ascend by time, to those that it has; their bytes are in
    /// `samples`.
    pub(crate) fn part_of_series(
        &mut self,
        key: SeriesKey,
        points: &[Point],
        samples: &StoredSamples,
    ) -> Result<()> {
        if self.last_key != Some(key) {
            assert!(self.last_key.is_none_or(|last| last < key), "series come in ascending order");
            self.last_key = Some(key);
            self.totals.n_series += 1;
        }
        self.totals.n_values += points.len() as u64;
        let mut left = points;
        while !left.is_empty() {
            let n = chunk_len(key, left);
            let (points, rest) = left.split_at(n);
            self.chunk(key, points, samples);
            left = rest;
            if self.data.len() >= PAGE_BYTES {
                self.end_page()?;
            }
        }
        Ok(())
    }

    fn chunk(&mut self, key: SeriesKey, points: &[Point], samples: &StoredSamples) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        debug_assert!(first.ms <= last.ms, "samples ascend");
        let start = self.data.len();
        codec::encode_times(points, &mut self.data);
        if key.kind.is_number() {
            codec::encode_values(key.kind, points, &mut self.data);
        } else if key.kind.is_aggregate() {
            codec::encode_aggregates(samples, points, &mut self.data);
        } else {
            for point in points {
                put_varint(&mut self.data, len_of(point.bits) as u64);
            }
            for point in points {
                self.data.extend_from_slice(samples.bytes_of(point.bits));
            }
        }
        let bytes = start..self.data.len();
        self.chunks.push(Chunk { key, n: points.len(), min_ms: first.ms, max_ms: last.ms, bytes });
    }

    fn end_page(&mut self) -> Result<()> {
        let Some(first) = self.chunks.first().map(|it| it.key) else { return Ok(()) };
        let min_ms = self.chunks.iter().map(|it| it.min_ms).min().unwrap_or(0);
        let max_ms = self.chunks.iter().map(|it| it.max_ms).max().unwrap_or(0);
        let start = self.pending.len();
        let mut id = first.id;
        for chunk in &self.chunks {
            let out = &mut self.pending;
            put_varint(out, chunk.key.id - id);
            id = chunk.key.id;
            out.push(chunk.key.kind.0);
            put_varint(out, chunk.n as u64);
            put_varint(out, chunk.min_ms.wrapping_sub(min_ms).cast_unsigned());
            put_varint(out, chunk.max_ms.wrapping_sub(chunk.min_ms).cast_unsigned());
            put_varint(out, chunk.bytes.len() as u64);
            out.extend_from_slice(self.data.get(chunk.bytes.clone()).unwrap_or_default());
        }
        let page = self.pending.get(start..).unwrap_or_default();
        let entry = PageEntry {
            first,
            offset: self.offset + start as u64,
            len: u32::try_from(page.len()).expect("chunks are bounded"),
            crc: crc32c::crc32c(page),
            min_ms,
            max_ms,
        };
        self.pages.push(entry);
        self.totals.min_ms = self.totals.min_ms.min(min_ms);
        self.totals.max_ms = self.totals.max_ms.max(max_ms);
        self.chunks.clear();
        self.data.clear();
        if self.pages.len() == BLOCK_ENTRIES {
            self.end_block();
        }
        if self.pending.len() >= WRITE_BYTES { self.write() } else { Ok(()) }
    }

    /// Writes the directory block of the pages before it.
    fn end_block(&mut self) {
        let Some(first) = self.pages.first() else { return };
        let start = self.pending.len();
        self.root.push(PageEntry {
            first: first.first,
            offset: self.offset + start as u64,
            len: u32::try_from(self.pages.len()).expect("64 at most"),
            crc: 0,
            min_ms: self.pages.iter().map(|it| it.min_ms).min().unwrap_or(0),
            max_ms: self.pages.iter().map(|it| it.max_ms).max().unwrap_or(0),
        });
        for page in &self.pages {
            page.encode(&mut self.pending);
        }
        let crc = crc32c::crc32c(self.pending.get(start..).unwrap_or_default());
        self.pending.extend_from_slice(&crc.to_le_bytes());
        self.pages.clear();
    }

    fn write(&mut self) -> Result<()> {
        write_full(&*self.file, &self.pending, self.offset)
            .map_err(|error| Error::io("write", &self.path, error))?;
        self.offset += self.pending.len() as u64;
        self.pending.clear();
        if self.offset - self.synced >= SYNC_BYTES { self.sync() } else { Ok(()) }
    }

    fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|error| Error::io("sync", &self.path, error))?;
        self.synced = self.offset;
        Ok(())
    }

    /// Writes the directory and syncs the file; returns its totals and its length.
    pub(crate) fn finish(mut self) -> Result<(Totals, u64)> {
        self.end_page()?;
        self.end_block();
        let mut root = Vec::new();
        for block in &self.root {
            block.encode(&mut root);
        }
        let footer = Footer {
            root_offset: self.offset + self.pending.len() as u64,
            n_blocks: u32::try_from(self.root.len()).expect("of 256 KiB each"),
            root_crc: crc32c::crc32c(&root),
            totals: self.totals,
        };
        self.pending.extend_from_slice(&root);
        self.pending.extend_from_slice(&footer.encode());
        self.write()?;
        self.sync()?;
        Ok((self.totals, self.offset))
    }
}

/// How many of the points go into one chunk.
fn chunk_len(key: SeriesKey, points: &[Point]) -> usize {
    let most = points.len().min(CHUNK_MAX);
    if key.kind.is_number() || key.kind.is_aggregate() {
        return most;
    }
    let mut n_bytes = 0;
    let fitting = points.iter().take(most).take_while(|point| {
        n_bytes += len_of(point.bits);
        n_bytes <= CHUNK_TEXT_BYTES
    });
    fitting.count().max(1)
}
