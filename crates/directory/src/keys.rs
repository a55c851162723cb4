//! Key → position among a host's items: one small open-addressed table, shared by all hosts with
//! the same items.
//!
//! A hit is confirmed by the whole key. Keys that rows hold stand there only; those of discovered items,
//! which rows put together from prototype and values, stand here.

use std::borrow::Cow;

use model::snapshot::{Host, ItemRow};

use super::hash::Hasher;

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct KeyEntry {
    tag: u32,
    position: u32,
}

/// Keys of one layout.
#[derive(Debug, Default)]
pub struct KeyTable {
    /// Length is a power of two, at most three quarters full; empty if there are no keys.
    entries: Box<[KeyEntry]>,
    /// Where the key of each position ends in `texts`; beyond these, and where it begins at its end,
    /// the row holds it.
    ends: Box<[u32]>,
    texts: Box<str>,
}

#[inline]
fn split(hash: u64) -> (usize, u32) {
    let tag = u32::try_from(hash >> 32).unwrap_or(0);
    (usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0), tag)
}

impl KeyTable {
    /// `rows` in order of position. Of equal keys the first one counts.
    pub fn new<'a>(hasher: &Hasher, rows: impl ExactSizeIterator<Item = &'a ItemRow>) -> Self {
        let n = rows.len();
        if n == 0 {
            return Self::default();
        }
        let len = (n * 4).div_ceil(3).next_power_of_two();
        let mut entries = vec![KeyEntry { tag: 0, position: EMPTY }; len].into_boxed_slice();
        let (mut ends, mut texts) = (Vec::new(), String::new());
        for (position, row) in rows.enumerate() {
            let key = row.key();
            if let Cow::Owned(key) = &key {
                ends.resize(position, texts.len());
                texts.push_str(key);
                ends.push(texts.len());
            }
            let (start, tag) = split(hasher.hash(&key));
            let mut at = start & (len - 1);
            while entries[at].position != EMPTY {
                at = (at + 1) & (len - 1);
            }
            let position = u32::try_from(position).expect("a host has fewer than 2^32 items");
            entries[at] = KeyEntry { tag, position };
        }
        let to_u32 = |end| u32::try_from(end).expect("keys of a host are less than 4 GiB");
        let ends: Vec<u32> = ends.into_iter().map(to_u32).collect();
        Self { entries, ends: ends.into(), texts: texts.into() }
    }

    /// The key at a position, if it stands here.
    #[inline]
    fn text(&self, position: u32) -> Option<&str> {
        let position = position as usize;
        let end = *self.ends.get(position)?;
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        self.texts.get(start as usize..end as usize).filter(|it| !it.is_empty())
    }

    /// The position of `key`; `rows[position]` is the row of `host` that holds it.
    #[inline]
    pub fn find(&self, hasher: &Hasher, host: &Host, rows: &[u32], key: &str) -> Option<u32> {
        let mask = self.entries.len().checked_sub(1)?;
        let (start, tag) = split(hasher.hash(key));
        let mut at = start & mask;
        loop {
            let entry = self.entries[at];
            if entry.position == EMPTY {
                return None;
            }
            if entry.tag == tag {
                let is_found = match self.text(entry.position) {
                    Some(it) => it == key,
                    None => {
                        let row = *rows.get(entry.position as usize)?;
                        host.items.get(row as usize).is_some_and(|it| it.has_key(key))
                    }
                };
                if is_found {
                    return Some(entry.position);
                }
            }
            at = (at + 1) & mask;
        }
    }
}
