//! Reading a segment. Nothing here trusts a byte of the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    ENTRY_BYTES, FOOTER_BYTES, Footer, HEADER_BYTES, MAGIC, PageEntry, Totals, VERSION, VERSION_1,
};
use varint::Bytes;

use crate::codec::{self, CHUNK_MAX};
use crate::series::{Order, Point, SeriesKind, StoredSamples, Wanted};
use crate::{Error, Result, SeriesKey};
use disk::{Disk, DiskFile, read_full};

/// An open segment.
#[derive(Debug)]
pub(crate) struct Segment {
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    root: Vec<PageEntry>,
    version: u32,
    totals: Totals,
}

/// A chunk within a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub(super) key: SeriesKey,
    pub(super) n: usize,
    min_ms: i64,
    max_ms: i64,
    bytes: Bytes<'a>,
}

impl Segment {
    pub(crate) fn open(disk: &dyn Disk, path: &Path) -> Result<Self> {
        let io = |error| Error::io("open", path, error);
        let file = disk.open(path).map_err(io)?;
        let len = file.len().map_err(io)?;
        let corrupt = |offset, reason| Error::Corrupt { path: path.to_owned(), offset, reason };
        let header = read_at(&*file, path, 0, HEADER_BYTES)?;
        if !header.starts_with(MAGIC) {
            return Err(corrupt(0, "no segment"));
        }
        let footer_at = len.saturating_sub(FOOTER_BYTES as u64);
        let footer = read_at(&*file, path, footer_at, FOOTER_BYTES)?;
        let (footer, version) = Footer::decode(&footer)
            .ok_or_else(|| corrupt(footer_at, "the footer is unreadable"))?;
        if version != VERSION && version != VERSION_1 {
            return Err(Error::Version { path: path.to_owned(), version, known: VERSION });
        }
        let n_bytes = footer.n_blocks as usize * ENTRY_BYTES;
        if footer.root_offset.saturating_add(n_bytes as u64) > footer_at {
            return Err(corrupt(footer_at, "the footer names a place outside of the file"));
        }
        let root = read_at(&*file, path, footer.root_offset, n_bytes)?;
        if crc32c::crc32c(&root) != footer.root_crc {
            return Err(corrupt(footer.root_offset, "wrong checksum of the root"));
        }
        let root = entries(&root);
        Ok(Self { path: path.to_owned(), file, root, version, totals: footer.totals })
    }

    pub(crate) fn file(&self) -> &Arc<dyn DiskFile> {
        &self.file
    }

    pub(super) fn root(&self) -> &[PageEntry] {
        &self.root
    }

    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// Memory held.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.root.capacity() * size_of::<PageEntry>()) as u64
    }

    /// Appends the samples of a series that are wanted, in order of time. May give more than the
    /// limit, never fewer.
    pub(crate) fn read(
        &self,
        key: SeriesKey,
        wanted: Wanted,
        out: &mut StoredSamples,
    ) -> Result<()> {
        let pages = self.pages_of(key, wanted)?;
        let start = out.points.len();
        let descending = wanted.order == Order::Descending;
        for at in 0..pages.len() {
            let at = if descending { pages.len() - 1 - at } else { at };
            let Some(page) = pages.get(at) else { break };
            if out.points.len() - start >= wanted.limit {
                break;
            }
            let bytes = self.page(page)?;
            let mut found = chunks_of(&bytes, page, key, wanted)
                .ok_or_else(|| self.corrupt(page.offset, "a page can't be read"))?;
            if descending {
                found.reverse();
            }
            for chunk in found {
                self.chunk(page, chunk, wanted, out)?;
                if out.points.len() - start >= wanted.limit {
                    break;
                }
            }
        }
        if descending && let Some(points) = out.points.get_mut(start..) {
            points.reverse();
        }
        Ok(())
    }

    /// All series, for those who go through everything.
    pub(crate) fn keys(&self) -> Result<Vec<SeriesKey>> {
        let mut keys = Vec::new();
        for block in &self.root {
            for page in self.block(block)? {
                let bytes = self.page(&page)?;
                keys_of(&bytes, &page, &mut keys)
                    .ok_or_else(|| self.corrupt(page.offset, "a page can't be read"))?;
            }
        }
        keys.dedup();
        Ok(keys)
    }

    /// Reads and decodes everything and reports all that is damaged. Returns what could be read and
    /// the length of the file.
    pub(crate) fn verify(&self, damaged: &mut impl FnMut(Error)) -> (Totals, u64) {
        let mut damages = Damages { n: 0, report: damaged };
        let mut read = Totals { min_ms: i64::MAX, max_ms: i64::MIN, ..Totals::default() };
        damages.pass(self.verify_header());
        let n_bytes = self.file.len().map_err(|error| Error::io("open", &self.path, error));
        let n_bytes = damages.pass(n_bytes).unwrap_or(0);
        let mut n_series = 0;
        let mut last = None;
        for block in &self.root {
            let Some(pages) = damages.pass(self.block(block)) else { continue };
            for page in &pages {
                let Some(bytes) = damages.pass(self.page(page)) else { continue };
                let chunks = every_chunk(&bytes, page, |chunk, n_values| {
                    read.n_values += n_values;
                    read.min_ms = read.min_ms.min(chunk.min_ms);
                    read.max_ms = read.max_ms.max(chunk.max_ms);
                    n_series += u64::from(last != Some(chunk.key));
                    last = Some(chunk.key);
                });
                damages
                    .pass(chunks.ok_or_else(|| self.corrupt(page.offset, "a page can't be read")));
            }
        }
        read.n_series = n_series;
        if damages.n == 0 && read != self.totals {
            damages.pass::<()>(Err(self.corrupt(0, "the footer counts something else")));
        }
        (read, n_bytes)
    }

    /// The bytes that no read needs.
    fn verify_header(&self) -> Result<()> {
        let header = read_at(&*self.file, &self.path, 0, HEADER_BYTES)?;
        let mut left = Bytes::new(&header);
        left.take(MAGIC.len());
        if (left.u32(), left.u32()) != (Some(self.version), Some(0)) {
            return Err(self.corrupt(MAGIC.len() as u64, "wrong header"));
        }
        Ok(())
    }

    /// Pages that may hold the series in the time that is wanted, in their order.
    fn pages_of(&self, key: SeriesKey, wanted: Wanted) -> Result<Vec<PageEntry>> {
        let mut pages = Vec::new();
        for block in candidates(&self.root, key) {
            if wanted.overlaps(block.min_ms, block.max_ms) {
                let block = self.block(block)?;
                let fitting = candidates(&block, key);
                let fitting = fitting.iter().filter(|it| wanted.overlaps(it.min_ms, it.max_ms));
                pages.extend(fitting.copied());
            }
        }
        Ok(pages)
    }

    fn block(&self, block: &PageEntry) -> Result<Vec<PageEntry>> {
        let n_bytes = block.len as usize * ENTRY_BYTES;
        let bytes = read_at(&*self.file, &self.path, block.offset, n_bytes + 4)?;
        let (block_bytes, crc) = bytes.split_at(n_bytes);
        if crc != crc32c::crc32c(block_bytes).to_le_bytes() {
            return Err(self.corrupt(block.offset, "wrong checksum of a directory block"));
        }
        Ok(entries(block_bytes))
    }

    /// The pages of a directory block by its number; `None` after the last.
    pub(super) fn nth_block(&self, n: usize) -> Result<Option<Vec<PageEntry>>> {
        self.root.get(n).map(|it| self.block(it)).transpose()
    }

    /// The bytes of the first of these pages and of those right after it, up to a limit; not
    /// checked.
    pub(super) fn pages_ahead(&self, pages: &[PageEntry], bytes_max: u64) -> Result<Vec<u8>> {
        let Some(first) = pages.first() else { return Ok(Vec::new()) };
        let mut end = first.offset.saturating_add(first.len.into());
        for page in pages.iter().skip(1) {
            let page_end = end.saturating_add(page.len.into());
            if page.offset != end || bytes_max < page_end - first.offset {
                break;
            }
            end = page_end;
        }
        let n_bytes = usize::try_from(end - first.offset).unwrap_or(0);
        read_at(&*self.file, &self.path, first.offset, n_bytes)
    }

    pub(super) fn page(&self, page: &PageEntry) -> Result<Vec<u8>> {
        let bytes = read_at(&*self.file, &self.path, page.offset, page.len as usize)?;
        if crc32c::crc32c(&bytes) != page.crc {
            return Err(self.corrupt(page.offset, "wrong checksum of a page"));
        }
        Ok(bytes)
    }

    /// Appends the wanted points of a chunk, newest first if that is the order.
    fn chunk(
        &self,
        page: &PageEntry,
        chunk: Chunk<'_>,
        wanted: Wanted,
        out: &mut StoredSamples,
    ) -> Result<()> {
        let start = out.points.len();
        decode(chunk, out).ok_or_else(|| self.corrupt(page.offset, "a chunk can't be read"))?;
        let inside = |it: &Point| it.ms >= wanted.from && it.ms <= wanted.to;
        if chunk.min_ms < wanted.from || chunk.max_ms > wanted.to {
            let mut row = 0;
            out.points.retain(|point| {
                row += 1;
                row <= start || inside(point)
            });
        }
        if wanted.order == Order::Descending
            && let Some(points) = out.points.get_mut(start..)
        {
            points.reverse();
        }
        Ok(())
    }

    pub(super) fn corrupt(&self, offset: u64, reason: &'static str) -> Error {
        Error::Corrupt { path: self.path.clone(), offset, reason }
    }
}

/// Passes errors on and counts them.
struct Damages<'a, F> {
    n: usize,
    report: &'a mut F,
}

impl<F: FnMut(Error)> Damages<'_, F> {
    fn pass<T>(&mut self, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| {
                self.n += 1;
                (self.report)(error);
            })
            .ok()
    }
}

/// Decodes all chunks of a page; `None` after the first that can't be.
fn every_chunk(
    bytes: &[u8],
    page: &PageEntry,
    mut found: impl FnMut(&Chunk<'_>, u64),
) -> Option<()> {
    let mut left = Bytes::new(bytes);
    let mut id = page.first.id;
    while !left.left.is_empty() {
        let chunk = next_chunk(&mut left, &mut id, page.min_ms)?;
        let mut samples = StoredSamples::new(chunk.key.kind);
        decode(chunk, &mut samples)?;
        found(&chunk, samples.points.len() as u64);
    }
    Some(())
}

fn entries(bytes: &[u8]) -> Vec<PageEntry> {
    let mut bytes = Bytes::new(bytes);
    std::iter::from_fn(|| PageEntry::decode(&mut bytes)).collect()
}

/// Entries between whose first series and the next one's the key may be.
fn candidates(entries: &[PageEntry], key: SeriesKey) -> &[PageEntry] {
    let from = entries.partition_point(|it| it.first < key).saturating_sub(1);
    let to = entries.partition_point(|it| it.first <= key);
    entries.get(from..to).unwrap_or_default()
}

/// The chunks of a series in a page.
fn chunks_of<'a>(
    bytes: &'a [u8],
    page: &PageEntry,
    key: SeriesKey,
    wanted: Wanted,
) -> Option<Vec<Chunk<'a>>> {
    let mut found = Vec::new();
    let mut left = Bytes::new(bytes);
    let mut id = page.first.id;
    while !left.left.is_empty() {
        let chunk = next_chunk(&mut left, &mut id, page.min_ms)?;
        if chunk.key > key {
            break;
        }
        if chunk.key == key && wanted.overlaps(chunk.min_ms, chunk.max_ms) {
            found.push(chunk);
        }
    }
    Some(found)
}

fn keys_of(bytes: &[u8], page: &PageEntry, keys: &mut Vec<SeriesKey>) -> Option<()> {
    let mut left = Bytes::new(bytes);
    let mut id = page.first.id;
    while !left.left.is_empty() {
        keys.push(next_chunk(&mut left, &mut id, page.min_ms)?.key);
    }
    Some(())
}

pub(super) fn next_chunk<'a>(
    left: &mut Bytes<'a>,
    id: &mut u64,
    page_min_ms: i64,
) -> Option<Chunk<'a>> {
    *id = id.checked_add(left.varint()?)?;
    let kind = SeriesKind(left.u8()?);
    let n = left.small()?;
    let min_ms = page_min_ms.wrapping_add(left.varint()?.cast_signed());
    let max_ms = min_ms.wrapping_add(left.varint()?.cast_signed());
    let n_bytes = left.small()?;
    let bytes = Bytes::new(left.take(n_bytes)?);
    Some(Chunk { key: SeriesKey { id: *id, kind }, n, min_ms, max_ms, bytes })
}

pub(super) fn decode(chunk: Chunk<'_>, out: &mut StoredSamples) -> Option<()> {
    let mut bytes = chunk.bytes;
    if chunk.n == 0 || chunk.n > CHUNK_MAX {
        return None;
    }
    if chunk.key.kind.is_number() {
        codec::decode(chunk.key.kind, &mut bytes, (chunk.n, chunk.min_ms), &mut out.points)?;
    } else if chunk.key.kind.is_aggregate() {
        codec::decode_aggregates(&mut bytes, (chunk.n, chunk.min_ms), out)?;
    } else {
        let mut times = [0; CHUNK_MAX];
        let times = times.get_mut(..chunk.n)?;
        codec::decode_times(&mut bytes, times)?;
        let mut lens = [0; CHUNK_MAX];
        let lens = lens.get_mut(..chunk.n)?;
        for len in lens.iter_mut() {
            *len = bytes.small()?;
        }
        for (time, len) in times.iter().zip(lens) {
            let bits = out.keep(bytes.take(*len)?);
            out.points.push(Point { ms: chunk.min_ms.wrapping_add(*time), bits });
        }
    }
    bytes.left.is_empty().then_some(())
}

fn read_at(file: &dyn DiskFile, path: &Path, offset: u64, n: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; n];
    let n_read =
        read_full(file, &mut bytes, offset).map_err(|error| Error::io("read", path, error))?;
    if n_read < n {
        let reason = "the file ends too early";
        return Err(Error::Corrupt { path: path.to_owned(), offset, reason });
    }
    Ok(bytes)
}
