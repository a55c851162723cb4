//! Finds items of a large holder by key, UUID, source, or discovered row; triggers by source or by content;
//! graphs and host prototypes by name or source; and all objects of a prototype.
//!
//! A holder with few rows is searched row by row. One with many gets an index when several searches
//! came: a loop over its objects stays linear, and an edit that looks for one item between two changes
//! does not pay for an index.
//!
//! The index follows rows that are added ([`Host::push_items`] and its like) and rows that change one by one
//! ([`Host::item_to_change`] and its like), so that many changes of a large holder stay linear, too. Each row
//! is in a table under its present hash, or it is the one that is being changed. Entries under former hashes
//! do no harm, since each row that is found is checked. Call [`Host::forget_row_index`] before any other
//! change of rows.

mod named;

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::{
    Discovered, GraphRow, Host, HostPrototypeRow, ItemRow, LldRow, TriggerRow, comparisons,
};
use crate::content::{FunctionRef, TriggerContent};
use crate::map::Map;
use crate::{ItemId, TriggerId};

/// Up to this number of rows a search reads each.
const ROWS_FEW: usize = 256;
/// Searches that look at each row. The next one makes the index.
const SEARCHES_FEW: u32 = 4;

/// Positions of rows, by key of the search.
#[derive(Default)]
pub struct RowIndex {
    items: Tables<N_ITEM_TABLES>,
    triggers: Tables<N_TRIGGER_TABLES>,
    graphs: Tables<N_GRAPH_TABLES>,
    host_prototypes: Tables<N_HOST_PROTOTYPE_TABLES>,
}

/// A copy begins without an index: it is made to be changed, and most copies are not searched.
impl Clone for RowIndex {
    fn clone(&self) -> Self {
        comparisons::count_copy();
        Self::default()
    }
}

impl fmt::Debug for RowIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowIndex")
    }
}

type Table = OnceLock<HashTable<u32>>;

/// A table for each key by which rows of a list are searched.
struct Tables<const N: usize> {
    n_searches: AtomicU32,
    /// Most holders have none.
    tables: OnceLock<Box<[Table; N]>>,
    /// Positions of the rows of prototypes, each list in order. Not a table: all of a prototype have the same
    /// hash.
    made: OnceLock<Map<u64, Vec<u32>>>,
    /// The row that is being changed: the tables may not have its present content.
    in_change: Option<u32>,
}

impl<const N: usize> Default for Tables<N> {
    fn default() -> Self {
        let n_searches = AtomicU32::new(0);
        Self { n_searches, tables: OnceLock::new(), made: OnceLock::new(), in_change: None }
    }
}

/// A row of a list, and the hashes by which its tables know it; `None`: it is not in that table.
trait Indexed {
    fn hash_in(&self, table: usize) -> Option<u64>;
    /// Its prototype.
    fn made_by(&self) -> Option<u64>;
}

const BY_KEY: usize = 0;
const BY_SOURCE: usize = 1;
const BY_DISCOVERED_ROW: usize = 2;
const BY_UUID: usize = 3;
const N_ITEM_TABLES: usize = 4;

impl Indexed for ItemRow {
    fn hash_in(&self, table: usize) -> Option<u64> {
        match table {
            BY_KEY => Some(hash_of(&*self.key())),
            BY_SOURCE => self.source.some().map(hash_of),
            BY_UUID => Some(&self.content.uuid).filter(|it| !it.is_empty()).map(hash_of),
            _ => self.discovered().map(|it| hash_of((it.prototype, &*it.row))),
        }
    }

    fn made_by(&self) -> Option<u64> {
        self.discovered().map(|it| it.prototype)
    }
}

/// The texts of a trigger; [`BY_SOURCE`] has the same place as for items.
const BY_TEXT: usize = 0;
const N_TRIGGER_TABLES: usize = 2;

impl Indexed for TriggerRow {
    fn hash_in(&self, table: usize) -> Option<u64> {
        match table {
            // All that one prototype made share its text.
            BY_TEXT if self.discovered().is_some() => None,
            BY_TEXT => Some(TriggerText::of(&self.content).hash()),
            _ => self.source.some().map(hash_of),
        }
    }

    fn made_by(&self) -> Option<u64> {
        self.discovered().map(|it| it.prototype)
    }
}

/// The names of graphs and host prototypes.
const BY_NAME: usize = 0;
const N_GRAPH_TABLES: usize = 2;

impl Indexed for GraphRow {
    fn hash_in(&self, table: usize) -> Option<u64> {
        match table {
            BY_NAME => Some(hash_of(&*self.name())),
            _ => self.source.some().map(hash_of),
        }
    }

    fn made_by(&self) -> Option<u64> {
        self.discovered().map(|it| it.prototype)
    }
}

const BY_VISIBLE_NAME: usize = 2;
const BY_HOST_UUID: usize = 3;
const N_HOST_PROTOTYPE_TABLES: usize = 4;

impl Indexed for HostPrototypeRow {
    fn hash_in(&self, table: usize) -> Option<u64> {
        let content = &self.content;
        match table {
            // Each rule of a holder has names of its own.
            BY_NAME => Some(hash_of((content.ruleid, &*content.host))),
            BY_VISIBLE_NAME => Some(hash_of((content.ruleid, &*content.name))),
            BY_HOST_UUID => Some(&content.uuid).filter(|it| !it.is_empty()).map(hash_of),
            _ => self.source.some().map(hash_of),
        }
    }

    fn made_by(&self) -> Option<u64> {
        None
    }
}

/// The identity of a trigger: two of a holder differ in at least one of these.
#[derive(Clone, Copy, Debug)]
pub struct TriggerText<'a> {
    pub description: &'a str,
    pub expression: &'a str,
    pub recovery_expression: &'a str,
    pub functions: &'a [FunctionRef],
}

impl<'a> TriggerText<'a> {
    #[must_use]
    pub fn of(content: &'a TriggerContent) -> Self {
        let TriggerContent { description, expression, recovery_expression, functions, .. } =
            content;
        Self { description, expression, recovery_expression, functions }
    }

    fn hash(&self) -> u64 {
        let items: Vec<ItemId> = self.functions.iter().map(|it| it.item).collect();
        hash_of((self.description, self.expression, self.recovery_expression, items))
    }

    fn is_of(&self, content: &TriggerContent) -> bool {
        self.description == content.description
            && self.expression == content.expression
            && self.recovery_expression == content.recovery_expression
            && self.functions == content.functions
    }
}

fn hash_of(it: impl Hash) -> u64 {
    FixedState::default().hash_one(it)
}

fn position(at: usize) -> u32 {
    u32::try_from(at).expect("a holder has fewer than 2^32 rows")
}

impl<const N: usize> Tables<N> {
    /// The first row that `is_it`, which has this hash in a table.
    fn find<'r, R: Indexed>(
        &self,
        rows: &'r [R],
        (table, hash): (usize, impl FnOnce() -> u64),
        is_it: impl Fn(&R) -> bool,
    ) -> Option<&'r R> {
        let is_it = |it: &R| {
            comparisons::count();
            is_it(it)
        };
        if !self.is_used(rows) {
            return rows.iter().find(|it| is_it(it));
        }
        let tables = self.tables.get_or_init(|| Box::new(std::array::from_fn(|_| Table::new())));
        let found = tables.get(table)?.get_or_init(|| index(rows, table));
        let found = found.iter_hash(hash()).copied().chain(self.in_change);
        let found = found.filter(|at| rows.get(*at as usize).is_some_and(&is_it));
        found.min().and_then(|at| rows.get(at as usize))
    }

    /// Positions of the rows of a prototype, in order.
    fn made_by<R: Indexed>(&self, rows: &[R], prototype: u64) -> Vec<u32> {
        let is_made = |at: &u32| {
            comparisons::count();
            rows.get(*at as usize).is_some_and(|it| it.made_by() == Some(prototype))
        };
        if !self.is_used(rows) {
            return (0..position(rows.len())).filter(is_made).collect();
        }
        let made = self.made.get_or_init(|| {
            let mut made: Map<u64, Vec<u32>> = Map::default();
            for (at, row) in rows.iter().enumerate() {
                comparisons::count();
                if let Some(by) = row.made_by() {
                    made.entry(by).or_default().push(position(at));
                }
            }
            made
        });
        let known = made.get(&prototype).map(Vec::as_slice).unwrap_or_default();
        let mut found: Vec<u32> = known.iter().copied().filter(is_made).collect();
        if let Some(at) = self.in_change.filter(is_made)
            && let Err(place) = found.binary_search(&at)
        {
            found.insert(place, at);
        }
        found
    }

    /// Whether a search shall use an index.
    fn is_used<R>(&self, rows: &[R]) -> bool {
        ROWS_FEW < rows.len()
            && (SEARCHES_FEW <= self.n_searches.load(Ordering::Relaxed)
                || SEARCHES_FEW <= self.n_searches.fetch_add(1, Ordering::Relaxed))
    }

    /// The row that was in change has its final content.
    fn finish_change<R: Indexed>(&mut self, rows: &[R]) {
        if let Some(at) = self.in_change.take() {
            self.note(rows, at as usize);
        }
    }

    /// Puts a row into the tables that are there.
    fn note<R: Indexed>(&mut self, rows: &[R], at: usize) {
        let Some(row) = rows.get(at) else { return };
        let at = position(at);
        if let Some((made, by)) = self.made.get_mut().zip(row.made_by()) {
            let known = made.entry(by).or_default();
            if let Err(place) = known.binary_search(&at) {
                known.insert(place, at);
            }
        }
        let Some(tables) = self.tables.get_mut() else { return };
        for (number, table) in tables.iter_mut().enumerate() {
            let Some((table, hash)) = table.get_mut().zip(row.hash_in(number)) else { continue };
            if !table.iter_hash(hash).any(|it| *it == at) {
                table.insert_unique(hash, at, |it| hash_at(rows, *it, number));
            }
        }
    }
}

fn hash_at<R: Indexed>(rows: &[R], at: u32, table: usize) -> u64 {
    rows.get(at as usize).and_then(|it| it.hash_in(table)).unwrap_or(0)
}

/// Positions of rows by their hash.
fn index<R: Indexed>(rows: &[R], number: usize) -> HashTable<u32> {
    let mut table = HashTable::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        comparisons::count();
        if let Some(hash) = row.hash_in(number) {
            table.insert_unique(hash, position(at), |it| hash_at(rows, *it, number));
        }
    }
    table.shrink_to_fit(|it| hash_at(rows, *it, number));
    table
}

/// Adds rows; lists of many rows that come at once are not longer than they need to be.
fn push<R: Indexed, const N: usize>(tables: &mut Tables<N>, rows: &mut Vec<R>, new: Vec<R>) {
    tables.finish_change(rows);
    let n_before = rows.len();
    if 1 < new.len() {
        rows.reserve_exact(new.len());
    }
    rows.extend(new);
    if tables.tables.get().is_some() || tables.made.get().is_some() {
        for at in n_before..rows.len() {
            tables.note(rows, at);
        }
    }
}

impl Host {
    /// Call it before rows are removed or get other places, and before several of them are changed.
    pub fn forget_row_index(&mut self) {
        self.row_index = RowIndex::default();
    }

    /// Adds items with the newest ids, in order.
    pub fn push_items(&mut self, rows: Vec<ItemRow>) {
        push(&mut self.row_index.items, &mut self.items, rows);
    }

    /// Adds triggers with the newest ids, in order.
    pub fn push_triggers(&mut self, rows: Vec<TriggerRow>) {
        push(&mut self.row_index.triggers, &mut self.triggers, rows);
    }

    /// An item, whatever is changed of it.
    pub fn item_to_change(&mut self, id: ItemId) -> Option<&mut ItemRow> {
        let at = self.items.binary_search_by_key(&id, |it| it.id).ok()?;
        self.row_index.items.finish_change(&self.items);
        self.row_index.items.in_change = Some(position(at));
        self.items.get_mut(at)
    }

    /// A trigger, whatever is changed of it.
    pub fn trigger_to_change(&mut self, id: TriggerId) -> Option<&mut TriggerRow> {
        let at = self.triggers.binary_search_by_key(&id, |it| it.id).ok()?;
        self.row_index.triggers.finish_change(&self.triggers);
        self.row_index.triggers.in_change = Some(position(at));
        self.triggers.get_mut(at)
    }

    /// The item, rule or prototype with this key.
    #[must_use]
    pub fn item_by_key(&self, key: &str) -> Option<&ItemRow> {
        self.item_by_key_where(key, |_| true)
    }

    /// The first item, rule or prototype with this key that may be meant.
    #[must_use]
    pub fn item_by_key_where(
        &self,
        key: &str,
        may_be: impl Fn(&ItemRow) -> bool,
    ) -> Option<&ItemRow> {
        let by = (BY_KEY, || hash_of(key));
        self.row_index.items.find(&self.items, by, |it| it.has_key(key) && may_be(it))
    }

    /// The first item, rule or prototype with this UUID that may be meant; none has an empty one.
    #[must_use]
    pub fn item_by_uuid_where(
        &self,
        uuid: &str,
        may_be: impl Fn(&ItemRow) -> bool,
    ) -> Option<&ItemRow> {
        if uuid.is_empty() {
            return None;
        }
        let by = (BY_UUID, || hash_of(uuid));
        self.row_index.items.find(&self.items, by, |it| it.content.uuid == uuid && may_be(it))
    }

    /// The row that is inherited from this row of a directly linked template.
    #[must_use]
    pub fn item_by_source(&self, source: ItemId) -> Option<&ItemRow> {
        source.some()?;
        let by = (BY_SOURCE, || hash_of(source));
        self.row_index.items.find(&self.items, by, |it| it.source == source)
    }

    /// The item that a prototype made of a discovered row.
    #[must_use]
    pub fn item_made_of(&self, prototype: ItemId, row: &LldRow) -> Option<&ItemRow> {
        let is_it = |it: &Discovered| {
            it.prototype == prototype.0 && (std::ptr::eq(&*it.row, row) || *it.row == *row)
        };
        let is_it = |it: &ItemRow| it.discovered().is_some_and(is_it);
        let by = (BY_DISCOVERED_ROW, || hash_of((prototype.0, row)));
        self.row_index.items.find(&self.items, by, is_it)
    }

    /// The trigger that is inherited from this one of a directly linked template.
    #[must_use]
    pub fn trigger_by_source(&self, source: TriggerId) -> Option<&TriggerRow> {
        source.some()?;
        let by = (BY_SOURCE, || hash_of(source));
        self.row_index.triggers.find(&self.triggers, by, |it| it.source == source)
    }

    /// The items that a prototype made.
    #[must_use]
    pub fn items_made_by(&self, prototype: ItemId) -> Vec<ItemId> {
        let made = self.row_index.items.made_by(&self.items, prototype.0);
        made.into_iter().filter_map(|at| self.items.get(at as usize)).map(|it| it.id).collect()
    }

    /// The triggers that a prototype made.
    #[must_use]
    pub fn triggers_made_by(&self, prototype: TriggerId) -> Vec<TriggerId> {
        let made = self.row_index.triggers.made_by(&self.triggers, prototype.0);
        made.into_iter().filter_map(|at| self.triggers.get(at as usize)).map(|it| it.id).collect()
    }

    /// The first trigger that says this and may be meant; none that discovery made.
    #[must_use]
    pub fn trigger_by_text_where(
        &self,
        text: TriggerText<'_>,
        may_be: impl Fn(&TriggerRow) -> bool,
    ) -> Option<&TriggerRow> {
        let by = (BY_TEXT, || text.hash());
        let is_it =
            |it: &TriggerRow| it.discovered().is_none() && text.is_of(&it.content) && may_be(it);
        self.row_index.triggers.find(&self.triggers, by, is_it)
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
        all_are_found(&holder(2 * u64::try_from(ROWS_FEW).unwrap()));
    }

    #[test]
    fn a_holder_that_changes_finds_what_is_new() {
        let mut host = holder(2 * u64::try_from(ROWS_FEW).unwrap());
        all_are_found(&host);
        let has_index = |it: &Host| {
            it.row_index.items.tables.get().is_some_and(|it| it[BY_KEY].get().is_some())
        };
        assert!(has_index(&host));
        host.forget_row_index();
        host.items.pop();
        host.items.pop();
        all_are_found(&host);
        let copy = host.clone();
        assert!(!has_index(&copy));
    }

    #[test]
    fn added_and_changed_rows_are_found_by_the_same_index() {
        let mut host = holder(2 * u64::try_from(ROWS_FEW).unwrap());
        all_are_found(&host);
        let (_, n) = comparisons::of(|| {
            for at in 0..1_000 {
                let content = ItemContent { key_: format!("own[{at}]"), ..Default::default() };
                let row = ItemRow {
                    id: ItemId(10_000 + at),
                    source: ItemId::NONE,
                    content: Arc::new(content),
                    extra: None,
                    flags: ItemFlags::Plain,
                };
                assert!(host.item_by_key(&format!("own[{at}]")).is_none());
                host.push_items(vec![row]);
                assert!(host.item_by_key(&format!("own[{at}]")).is_some());
                let content = ItemContent { key_: format!("new[{at}]"), ..Default::default() };
                let row = host.item_to_change(ItemId(10_000 + at)).unwrap();
                row.content = Arc::new(content);
                row.source = ItemId(20_000 + at);
                assert!(host.item_by_key(&format!("own[{at}]")).is_none());
                let found = host.item_by_key(&format!("new[{at}]")).map(|it| it.id);
                assert_eq!(found, Some(ItemId(10_000 + at)));
            }
        });
        assert!(n < 50_000, "{n} comparisons for 1,000 rows");
        for at in 0..1_000 {
            let id = Some(ItemId(10_000 + at));
            assert_eq!(host.item_by_key(&format!("new[{at}]")).map(|it| it.id), id);
            assert_eq!(host.item_by_source(ItemId(20_000 + at)).map(|it| it.id), id);
        }
    }
}
