//! The newest aggregates, in memory.
//!
//! A series gets one an hour, not one a second: a tail for each series would take too much memory.
//! They lie one after the other, each knows the one before it of the same series, and all of it
//! goes when the head is frozen.

use hashbrown::HashTable;

use super::names::{Name, hash};
use crate::series::{AggregatePart, StoredSamples, Wanted};
use crate::{Error, Result, SeriesKey};

/// An aggregate of a series and class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AggregateRow {
    pub(crate) name: Name,
    /// The row before of the same series, +1.
    before: u32,
    pub(crate) ms: i64,
    pub(crate) aggregate: AggregatePart,
}

/// The aggregates of a head since it was last frozen.
#[derive(Debug, Default)]
pub(crate) struct Aggregates {
    rows: Vec<AggregateRow>,
    /// The newest row of each series.
    newest: HashTable<u32>,
}

impl Aggregates {
    /// Adds a part: to the newest of its series, if that is of the same time and class.
    pub(crate) fn add(&mut self, name: Name, (ms, aggregate): (i64, AggregatePart)) -> Result<()> {
        let key = name.key();
        let Self { rows, newest } = self;
        let n = u32::try_from(rows.len()).ok().filter(|it| *it < u32::MAX);
        let known = newest.find_mut(hash(key), |it| key_at(rows, *it) == Some(key));
        let before = known.as_deref().map_or(0, |it| it + 1);
        if let Some(known) = &known
            && let Some(row) = rows.get_mut(**known as usize)
            && (row.name, row.ms) == (name, ms)
        {
            row.aggregate.add(key.kind, &aggregate);
            return Ok(());
        }
        let n = n.ok_or(Error::HeadFull)?;
        match known {
            Some(known) => *known = n,
            None => {
                let hash_of = |it: &u32| key_at(rows, *it).map_or(0, hash);
                newest.insert_unique(hash(key), n, hash_of);
            }
        }
        rows.push(AggregateRow { name, before, ms, aggregate });
        Ok(())
    }

    /// Appends those of a series with times that are wanted, in order of time.
    pub(crate) fn read(&self, key: SeriesKey, wanted: Wanted, out: &mut StoredSamples) {
        let start = out.points.len();
        let mut link = self.find(key).map_or(0, |it| it + 1);
        while let Some(row) = link.checked_sub(1).and_then(|it| self.rows.get(it as usize)) {
            link = row.before;
            if wanted.overlaps(row.ms, row.ms) {
                out.push_aggregate(row.ms, row.aggregate);
            }
        }
        let found = out.points.get_mut(start..).unwrap_or_default();
        found.reverse();
        found.sort_by_key(|it| it.ms);
    }

    /// Lets go of those of a series. Their room stays taken until the head is frozen.
    pub(crate) fn clear(&mut self, key: SeriesKey) {
        let Self { rows, newest } = self;
        let found = newest.find_entry(hash(key), |it| key_at(rows, *it) == Some(key));
        let Ok(found) = found else { return };
        let mut link = found.remove().0 + 1;
        while let Some(row) = link.checked_sub(1).and_then(|it| rows.get_mut(it as usize)) {
            link = row.before;
            row.name = Name::NOBODY;
        }
    }

    /// All there are, in order of arrival.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &AggregateRow> {
        self.rows.iter().filter(|it| it.name != Name::NOBODY)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Memory held, about.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let index = self.newest.capacity() * 8 / 7 * 5;
        (self.rows.capacity() * size_of::<AggregateRow>() + index) as u64
    }

    fn find(&self, key: SeriesKey) -> Option<u32> {
        self.newest.find(hash(key), |it| key_at(&self.rows, *it) == Some(key)).copied()
    }
}

fn key_at(rows: &[AggregateRow], n: u32) -> Option<SeriesKey> {
    rows.get(n as usize).map(|it| it.name.key())
}
