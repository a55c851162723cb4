//! Many questions in few round trips.

use std::collections::{BTreeMap, BTreeSet};

use history::{RangeQuery, Result, Rows, Samples};
use model::{ItemId, ValueType};

/// No values of a type.
pub(crate) fn none(kind: ValueType) -> Rows {
    match kind {
        ValueType::Float => Rows::Float(Vec::new()),
        ValueType::Unsigned => Rows::Unsigned(Vec::new()),
        _ => Rows::Other(Vec::new()),
    }
}

/// Samples of which it is not known how far the journal is in them.
pub(crate) fn samples(rows: Rows) -> Samples {
    Samples { rows, lsn: None }
}

/// Asks queries that differ in their items only together: `ask` is given one of them and the items, and gives
/// the values of those that have any. Answers come in the order of the queries.
///
/// # Errors
/// Those of `ask`.
pub(crate) fn ask_alike(
    queries: &[RangeQuery],
    mut ask: impl FnMut(&RangeQuery, Vec<ItemId>) -> Result<BTreeMap<ItemId, Rows>>,
) -> Result<Vec<Samples>> {
    let mut all: Vec<Samples> = queries.iter().map(|it| samples(none(it.kind))).collect();
    for (shape, indexes) in alike(queries) {
        let asked = || indexes.iter().filter_map(|it| queries.get(*it));
        let items: BTreeSet<_> = asked().map(|it| it.item).collect();
        let found = ask(&shape, items.into_iter().collect())?;
        for (query, index) in asked().zip(&indexes) {
            if let (Some(rows), Some(samples)) = (found.get(&query.item), all.get_mut(*index)) {
                samples.rows = rows.clone();
            }
        }
    }
    Ok(all)
}

/// Queries by what they ask beside the item, as places in `queries`.
fn alike(queries: &[RangeQuery]) -> Vec<(RangeQuery, Vec<usize>)> {
    let mut groups: Vec<(RangeQuery, Vec<usize>)> = Vec::new();
    for (index, query) in queries.iter().enumerate() {
        let shape = RangeQuery { item: ItemId(0), ..*query };
        match groups.iter_mut().find(|it| it.0 == shape) {
            Some((_, indexes)) => indexes.push(index),
            None => groups.push((shape, vec![index])),
        }
    }
    groups
}
