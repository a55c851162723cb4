//! The content of a whole store: for copies.

use std::collections::BTreeSet;

use history::Series;
use model::{ItemId, ValueType};

/// Rows of one type that are kept equally long and are of one day. A row that was sent twice counts once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DayCount {
    pub table: Table,
    /// How long they are kept; 0: for ever.
    pub days: u32,
    /// Days since 1970, in UTC.
    pub day: i64,
    pub n_rows: u64,
}

/// The kind of rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Table {
    Values(ValueType),
    /// Trends of floats or unsigned numbers.
    Trends(ValueType),
}

impl Table {
    /// All there are.
    pub fn all() -> impl Iterator<Item = Self> {
        let trends = [ValueType::Float, ValueType::Unsigned].map(Self::Trends);
        ValueType::ALL.iter().map(|it| Self::Values(*it)).chain(trends)
    }
}

/// All that has rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents {
    pub values: BTreeSet<Series>,
    /// Items with trends.
    pub trends: BTreeSet<ItemId>,
}

impl Contents {
    pub(crate) fn add(&mut self, table: Table, item: ItemId) {
        match table {
            Table::Values(kind) => _ = self.values.insert(Series { item, kind }),
            Table::Trends(_) => _ = self.trends.insert(item),
        }
    }
}
