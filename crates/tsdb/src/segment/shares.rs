//! How many bytes of a segment each series takes: exactly, by the heads of its chunks, or about, by the directory
//! alone.

use varint::Bytes;

use super::read::{Segment, next_chunk};
use super::{ENTRY_BYTES, PageEntry};
use crate::{Result, SeriesKey};

impl Segment {
    /// Bytes that the directory takes on the disk.
    pub(crate) fn directory_bytes(&self) -> u64 {
        let n: u64 = self.root().iter().map(|it| u64::from(it.len)).sum();
        n * ENTRY_BYTES as u64
    }

    /// Reports the bytes of each series, some several times. With `is_exact` all pages are read,
    /// else a page is given to the series that it begins with, to the halves where the next page
    /// begins with another one.
    pub(crate) fn shares(
        &self,
        is_exact: bool,
        add: &mut impl FnMut(SeriesKey, u64),
    ) -> Result<()> {
        for n in 0.. {
            let Some(pages) = self.nth_block(n)? else { break };
            if is_exact {
                for page in &pages {
                    self.page_shares(page, add)?;
                }
                continue;
            }
            for (at, page) in pages.iter().enumerate() {
                let next = pages.get(at + 1).map_or(page.first, |it| it.first);
                let half = u64::from(page.len) / 2;
                add(page.first, u64::from(page.len) - half);
                add(next, half);
            }
        }
        Ok(())
    }

    fn page_shares(&self, page: &PageEntry, add: &mut impl FnMut(SeriesKey, u64)) -> Result<()> {
        let bytes = self.page(page)?;
        let mut left = Bytes::new(&bytes);
        let mut id = page.first.id;
        while !left.left.is_empty() {
            let before = left.left.len();
            let chunk = next_chunk(&mut left, &mut id, page.min_ms)
                .ok_or_else(|| self.corrupt(page.offset, "a page can't be read"))?;
            add(chunk.key, (before - left.left.len()) as u64);
        }
        Ok(())
    }
}
