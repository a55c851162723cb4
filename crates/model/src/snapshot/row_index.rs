//! Finds items of a large holder by key, by source, or by the discovered row that made them.
//!
//! A holder with few items is searched row by row. One with many gets an index when several searches
//! came since its last change: a loop over its objects stays linear, and an edit that looks for one item between two changes
//! does not pay for an index.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::{Discovered, Host, ItemRow, LldRow};
use crate::ItemId;

/// Items up to which a search looks at each.
const ITEMS_FEW: usize = 256;
/// Searches after a change that look at each item. The next one makes the index.
const SEARCHES_FEW: u32 = 4;

/// Positions of items, by what is searched for.
#[derive(Default)]
pub struct RowIndex {
    n_searches: AtomicU32,
    by_key: OnceLock<HashTable<u32>>,
    by_source: OnceLock<HashTable<u32>>,
    by_discovered_row: OnceLock<HashTable<u32>>,
}

/// A copy begins without an index: it is made to be changed.
impl Clone for RowIndex {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for RowIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowIndex")
    }
}

fn hash_of(it: impl Hash) -> u64 {
    FixedState::default().hash_one(it)
}

fn key_hash(row: &ItemRow) -> u64 {
    hash_of(&*row.key())
}

fn source_hash(row: &ItemRow) -> u64 {
    hash_of(row.source)
}

fn discovered_hash(row: &ItemRow) -> u64 {
    row.discovered().map_or(0, |it| hash_of((it.prototype, &*it.row)))
}

/// Positions of the rows that are `wanted`, by their hash.
fn index(
    rows: &[ItemRow],
    wanted: impl Fn(&ItemRow) -> bool,
    hash: impl Fn(&ItemRow) -> u64,
) -> HashTable<u32> {
    let mut table = HashTable::with_capacity(rows.len());
    let hash_at = |at: &u32| rows.get(*at as usize).map_or(0, &hash);
    for (at, row) in rows.iter().enumerate().filter(|(_, it)| wanted(it)) {
        let at = u32::try_from(at).expect("a holder has fewer than 2^32 items");
        table.insert_unique(hash(row), at, hash_at);
    }
    table.shrink_to_fit(hash_at);
    table
}

impl Host {
    /// Call it before items are added, removed, or get another key, source or discovered row.
    pub fn forget_row_index(&mut self) {
        self.row_index = RowIndex::default();
    }

    /// Whether a search shall use an index.
    fn is_indexed(&self) -> bool {
        ITEMS_FEW < self.items.len()
            && (SEARCHES_FEW <= self.row_index.n_searches.load(Ordering::Relaxed)
                || SEARCHES_FEW <= self.row_index.n_searches.fetch_add(1, Ordering::Relaxed))
    }

    /// The first row in a table that `is_it`.
    fn found(
        &self,
        table: &HashTable<u32>,
        hash: u64,
        is_it: impl Fn(&ItemRow) -> bool,
    ) -> Option<&ItemRow> {
        let all =
            table.iter_hash(hash).filter(|at| self.items.get(**at as usize).is_some_and(&is_it));
        all.min().and_then(|at| self.items.get(*at as usize))
    }

    /// The item, rule or prototype with this key.
    #[must_use]
    pub fn item_by_key(&self, key: &str) -> Option<&ItemRow> {
        if !self.is_indexed() {
            return self.items.iter().find(|it| it.has_key(key));
        }
        let table = self.row_index.by_key.get_or_init(|| index(&self.items, |_| true, key_hash));
        self.found(table, hash_of(key), |it| it.has_key(key))
    }

    /// The row that is inherited from this row of a directly linked template.
    #[must_use]
    pub(super) fn item_by_source(&self, source: ItemId) -> Option<&ItemRow> {
        if !self.is_indexed() {
            return self.items.iter().find(|it| it.source == source);
        }
        let has_source = |it: &ItemRow| it.source.is_some();
        let table =
            self.row_index.by_source.get_or_init(|| index(&self.items, has_source, source_hash));
        self.found(table, hash_of(source), |it| it.source == source)
    }

    /// The item that a prototype made of a discovered row.
    #[must_use]
    pub fn item_made_of(&self, prototype: ItemId, row: &LldRow) -> Option<&ItemRow> {
        let is_it = |it: &Discovered| {
            it.prototype == prototype.0 && (std::ptr::eq(&*it.row, row) || *it.row == *row)
        };
        let is_it = |it: &ItemRow| it.discovered().is_some_and(is_it);
        if !self.is_indexed() {
            return self.items.iter().find(|it| is_it(it));
        }
        let is_discovered = |it: &ItemRow| it.discovered().is_some();
        let table = self
            .row_index
            .by_discovered_row
            .get_or_init(|| index(&self.items, is_discovered, discovered_hash));
        self.found(table, hash_of((prototype.0, row)), is_it)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::HostId;
    use crate::content::{ItemContent, ItemFlags};
    use crate::snapshot::{HolderKind, ItemExtra};

    /// `n` items that two prototypes made, in turns, and each inherited from a row of its own.
    fn holder(n: u64) -> Host {
        let content = Arc::new(ItemContent { key_: "k[{#N}]".to_owned(), ..Default::default() });
        let mut host = Host::new(HostId(1), HolderKind::Host, "h".into(), "h".into());
        host.items = (0..n)
            .map(|at| {
                let row = LldRow::new([("{#N}", (at / 2).to_string())]);
                let discovered = Discovered::new(at % 2, ItemId(9), Arc::new(row));
                let extra = ItemExtra { overrides: None, discovered: Some(discovered) };
                ItemRow {
                    id: ItemId(100 + at),
                    source: ItemId(5_000 + at),
                    content: Arc::clone(&content),
                    extra: Some(Box::new(extra)),
                    flags: ItemFlags::Discovered,
                }
            })
            .collect();
        host
    }

    fn all_are_found(host: &Host) {
        for (at, row) in (0_u64..).zip(&host.items) {
            let by_source = host.item_by_source(ItemId(5_000 + at)).map(|it| it.id);
            assert_eq!(by_source, Some(row.id));
            let lld = LldRow::new([("{#N}", (at / 2).to_string())]);
            let made = host.item_made_of(ItemId(at % 2), &lld).map(|it| it.id);
            assert_eq!(made, Some(row.id));
            // Two items have each key: the first one counts.
            let by_key = host.item_by_key(&format!("k[{}]", at / 2)).map(|it| it.id);
            assert_eq!(by_key, Some(ItemId(100 + at / 2 * 2)));
        }
        assert!(host.item_by_key("k[-1]").is_none());
        assert!(host.item_by_source(ItemId::NONE).is_none());
        assert!(host.item_made_of(ItemId(2), &LldRow::new([("{#N}", "1")])).is_none());
    }

    #[test]
    fn few_and_many_items_are_found_alike() {
        all_are_found(&holder(6));
        all_are_found(&holder(2 * u64::try_from(ITEMS_FEW).unwrap()));
    }

    #[test]
    fn a_holder_that_changes_finds_what_is_new() {
        let mut host = holder(2 * u64::try_from(ITEMS_FEW).unwrap());
        all_are_found(&host);
        assert!(host.row_index.by_key.get().is_some());
        host.forget_row_index();
        host.items.pop();
        host.items.pop();
        all_are_found(&host);
        let copy = host.clone();
        assert!(copy.row_index.by_key.get().is_none());
    }
}
