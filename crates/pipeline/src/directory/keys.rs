//! Key → position among a host's items: one small open-addressed table, shared by all hosts with
//! the same items.
//!
//! Holds no texts: a hit is confirmed against the host's own row, which most hosts share as well.

use model::snapshot::Host;

use super::hash::Hasher;

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    tag: u32,
    position: u32,
}

/// Keys of one layout.
#[derive(Debug, Default)]
pub(crate) struct KeyTable {
    /// Length is a power of two, at most three quarters full; empty if there are no keys.
    entries: Box<[Entry]>,
}

#[inline]
fn split(hash: u64) -> (usize, u32) {
    let tag = u32::try_from(hash >> 32).unwrap_or(0);
    (usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0), tag)
}

impl KeyTable {
    /// `keys` in order of position. Of equal keys the first one counts.
    pub(crate) fn new<'a>(hasher: &Hasher, keys: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let n = keys.len();
        if n == 0 {
            return Self::default();
        }
        let len = (n * 4).div_ceil(3).next_power_of_two();
        let mut entries = vec![Entry { tag: 0, position: EMPTY }; len].into_boxed_slice();
        for (position, key) in keys.enumerate() {
            let (start, tag) = split(hasher.hash(key));
            let mut at = start & (len - 1);
            while entries[at].position != EMPTY {
                at = (at + 1) & (len - 1);
            }
            let position = u32::try_from(position).expect("a host has fewer than 2^32 items");
            entries[at] = Entry { tag, position };
        }
        Self { entries }
    }

    /// The position of `key`; `rows[position]` is the row of `host` that holds it.
    #[inline]
    pub(crate) fn find(
        &self,
        hasher: &Hasher,
        host: &Host,
        rows: &[u32],
        key: &str,
    ) -> Option<u32> {
        let mask = self.entries.len().checked_sub(1)?;
        let (start, tag) = split(hasher.hash(key));
        let mut at = start & mask;
        loop {
            let entry = self.entries[at];
            if entry.position == EMPTY {
                return None;
            }
            if entry.tag == tag {
                let row = *rows.get(entry.position as usize)?;
                if host.items.get(row as usize).is_some_and(|it| it.key() == key) {
                    return Some(entry.position);
                }
            }
            at = (at + 1) & mask;
        }
    }
}
