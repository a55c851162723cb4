//! Segments: immutable files of compressed chunks, sorted by series.
//!
//! ```text
//! header, 16 bytes:  magic "SAKERSEG" · version u32 · zero u32
//! pages:             chunks, about 4 KiB each; after 64 of them a directory block
//! directory block:   up to 64 page entries of 48 bytes · crc32c
//! root:              one entry of 48 bytes for each directory block
//! footer, 64 bytes
//! ```
//!
//! Only the root is kept in memory, 48 bytes for some 256 KiB of file; reading a series takes one
//! directory block and one page. Every block and page is checked when it is read: damage is an
//! error of that read, with path and offset. Bytes in full: `docs/format/segment.md`.

mod read;
mod scan;
mod shares;
mod write;

use varint::Bytes;

use crate::SeriesKey;
use crate::series::SeriesKind;

pub(crate) use read::Segment;
pub(crate) use scan::Scan;
pub(crate) use write::SegmentWriter;

pub(crate) const MAGIC: &[u8; 8] = b"SAKERSEG";
pub(crate) const VERSION: u32 = 2;
/// Had no aggregates.
const VERSION_1: u32 = 1;
const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 48;
const FOOTER_BYTES: usize = 64;
/// The most page entries of a directory block.
const BLOCK_ENTRIES: usize = 64;

/// Where a page or a directory block is, and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageEntry {
    first: SeriesKey,
    offset: u64,
    /// Bytes of a page; page entries of a block.
    len: u32,
    /// Of a page; a block has its checksum after it.
    crc: u32,
    min_ms: i64,
    max_ms: i64,
}

impl PageEntry {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first.id.to_le_bytes());
        out.extend_from_slice(&[self.first.kind.0, 0, 0, 0]);
        out.extend_from_slice(&self.len.to_le_bytes());
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.crc.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.min_ms.to_le_bytes());
        out.extend_from_slice(&self.max_ms.to_le_bytes());
    }

    fn decode(bytes: &mut Bytes<'_>) -> Option<Self> {
        let id = bytes.u64()?;
        let kind = SeriesKind(bytes.u8()?);
        bytes.take(3)?;
        let len = bytes.u32()?;
        let offset = bytes.u64()?;
        let crc = bytes.u32()?;
        bytes.take(4)?;
        let min_ms = bytes.u64()?.cast_signed();
        let max_ms = bytes.u64()?.cast_signed();
        Some(Self { first: SeriesKey { id, kind }, offset, len, crc, min_ms, max_ms })
    }
}

/// Totals of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    pub(crate) n_values: u64,
    pub(crate) n_series: u64,
    pub(crate) min_ms: i64,
    pub(crate) max_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Footer {
    root_offset: u64,
    n_blocks: u32,
    root_crc: u32,
    totals: Totals,
}

impl Footer {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(FOOTER_BYTES);
        out.extend_from_slice(&self.root_offset.to_le_bytes());
        out.extend_from_slice(&self.n_blocks.to_le_bytes());
        out.extend_from_slice(&self.root_crc.to_le_bytes());
        out.extend_from_slice(&self.totals.n_values.to_le_bytes());
        out.extend_from_slice(&self.totals.n_series.to_le_bytes());
        out.extend_from_slice(&self.totals.min_ms.to_le_bytes());
        out.extend_from_slice(&self.totals.max_ms.to_le_bytes());
        out.extend_from_slice(&VERSION.to_le_bytes());
        let crc = crc32c::crc32c(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out.extend_from_slice(MAGIC);
        out
    }

    /// The footer and the version that it names.
    fn decode(footer: &[u8]) -> Option<(Self, u32)> {
        let (summed, rest) = footer.split_at_checked(FOOTER_BYTES - 12)?;
        let (crc, magic) = rest.split_first_chunk()?;
        if magic != MAGIC || u32::from_le_bytes(*crc) != crc32c::crc32c(summed) {
            return None;
        }
        let mut bytes = Bytes::new(summed);
        let footer = Self {
            root_offset: bytes.u64()?,
            n_blocks: bytes.u32()?,
            root_crc: bytes.u32()?,
            totals: Totals {
                n_values: bytes.u64()?,
                n_series: bytes.u64()?,
                min_ms: bytes.u64()?.cast_signed(),
                max_ms: bytes.u64()?.cast_signed(),
            },
        };
        Some((footer, bytes.u32()?))
    }
}
