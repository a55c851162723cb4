//! Values that are bytes, in pages: the length as a varint, then the bytes. A value of its own allocation would cost
//! more than the copy of most texts.

use varint::{Bytes, put_varint};

/// Large enough that what stays free at the end of a page is little.
const PAGE_BYTES: usize = 1 << 20;
/// Longer values have a page each, so that no page ends half empty for them.
const SHARED_MAX: usize = PAGE_BYTES / 16;
/// The most that a length takes.
const LEN_BYTES_MAX: usize = 5;

#[derive(Debug, Default)]
pub(super) struct Texts {
    pages: Vec<Vec<u8>>,
    /// The page that short values go to.
    open: Option<usize>,
    n_bytes: u64,
}

impl Texts {
    /// Keeps a copy; returns its place.
    #[inline]
    pub(super) fn push(&mut self, value: &[u8]) -> u64 {
        let n_bytes = value.len() + LEN_BYTES_MAX;
        let has_room =
            |at: &usize| self.pages.get(*at).is_some_and(|it| it.len() + n_bytes <= PAGE_BYTES);
        let page_idx = if SHARED_MAX < value.len() {
            self.add_page(n_bytes)
        } else if let Some(open) = self.open.filter(has_room) {
            open
        } else {
            let open = self.add_page(PAGE_BYTES);
            self.open = Some(open);
            open
        };
        let Some(page) = self.pages.get_mut(page_idx) else { return 0 };
        let place = page_idx * PAGE_BYTES + page.len();
        put_varint(page, value.len() as u64);
        page.extend_from_slice(value);
        self.n_bytes += value.len() as u64;
        place as u64
    }

    fn add_page(&mut self, n_bytes: usize) -> usize {
        self.pages.push(Vec::with_capacity(n_bytes));
        self.pages.len() - 1
    }

    /// The value at a place.
    pub(super) fn get(&self, place: u64) -> Option<&[u8]> {
        let place = usize::try_from(place).ok()?;
        let page = self.pages.get(place / PAGE_BYTES)?;
        let mut bytes = Bytes::new(page.get(place % PAGE_BYTES..)?);
        let n_bytes = bytes.small()?;
        bytes.take(n_bytes)
    }

    /// Bytes of all values.
    pub(super) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_values_read_back() {
        let lengths = [0, 1, 20, 127, 128, 300, SHARED_MAX, SHARED_MAX + 1, PAGE_BYTES, 5 << 20];
        let mut texts = Texts::default();
        let mut kept = Vec::new();
        for (round, n) in (0_u8..60).flat_map(|round| lengths.map(|n| (round, n))) {
            if SHARED_MAX < n && 2 < round {
                continue;
            }
            let value = vec![round; n];
            kept.push((texts.push(&value), value));
        }
        for (place, value) in &kept {
            assert!(texts.get(*place) == Some(value), "{place}: {} bytes", value.len());
        }
        assert_eq!(texts.n_bytes(), kept.iter().map(|it| it.1.len() as u64).sum::<u64>());
        // Three rounds have three long values each; short values fill few pages.
        assert!(texts.pages.len() <= 9 + 5, "{} pages", texts.pages.len());
        let long = texts.pages.iter().filter(|it| it.capacity() != PAGE_BYTES);
        assert!(long.count() <= 9);
    }
}
