//! Many queries in few round trips.

use std::collections::BTreeMap;

use history::{HistorySamples, RangeQuery, Result, SeriesRows};
use model::{ItemId, Time, ValueType};

/// The most items of one request: its text stays far below the limits of servers.
const ITEMS_MAX: usize = 1_000;
/// The newest so many values of an item are first looked for where they most likely are.
const FEW_MAX: usize = 1_000;
const DAY_S: i64 = 86_400;
/// Days back from now, by and by.
const DAYS: [i64; 2] = [2, 40];

/// No values of a type.
pub(crate) fn none(kind: ValueType) -> SeriesRows {
    match kind {
        ValueType::Float => SeriesRows::Float(Vec::new()),
        ValueType::Unsigned => SeriesRows::Unsigned(Vec::new()),
        _ => SeriesRows::Other(Vec::new()),
    }
}

/// The answer to the only query.
pub(crate) fn only(mut answers: Vec<HistorySamples>, query: &RangeQuery) -> Result<HistorySamples> {
    Ok(answers.pop().unwrap_or_else(|| HistorySamples { rows: none(query.kind), lsn: None }))
}

/// Answers by place.
type Found = BTreeMap<usize, SeriesRows>;

/// Asks the queries in groups of one type and order, with each item once and limits of one
/// magnitude: `ask` gives the values of those items of a group that have any. Answers come in the
/// order of the queries.
///
/// # Errors
/// Those of `ask`.
pub(crate) fn ask_in_groups(
    queries: &[RangeQuery],
    now: Time,
    mut ask: impl FnMut(&[RangeQuery]) -> Result<BTreeMap<ItemId, SeriesRows>>,
) -> Result<Vec<HistorySamples>> {
    let mut found = Found::new();
    for places in groups(queries) {
        for places in places.chunks(ITEMS_MAX) {
            let group = places.iter().filter_map(|it| Some((*it, *queries.get(*it)?)));
            ask_widening(group.collect(), now, &mut ask, &mut found)?;
        }
    }
    let answers = queries.iter().enumerate().map(|(place, query)| {
        let rows = found.remove(&place).unwrap_or_else(|| none(query.kind));
        // How far the journal is in them is not known.
        HistorySamples { rows, lsn: None }
    });
    Ok(answers.collect())
}

fn groups(queries: &[RangeQuery]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let mut n_of_item: BTreeMap<(ItemId, u8), usize> = BTreeMap::new();
    let mut groups: BTreeMap<(u8, bool, u32, usize), Vec<usize>> = BTreeMap::new();
    for (place, query) in queries.iter().enumerate() {
        let kind = query.kind as u8;
        let n = n_of_item.entry((query.item, kind)).or_default();
        let shape = (kind, query.newest_first, query.limit.leading_zeros(), *n);
        groups.entry(shape).or_default().push(place);
        *n += 1;
    }
    groups.into_values()
}

/// The newest values of an item lie at the end of what may be years: the servers' indexes know an item's time,
/// but each day is a table or a folder of its own.
fn ask_widening(
    mut left: Vec<(usize, RangeQuery)>,
    now: Time,
    ask: &mut impl FnMut(&[RangeQuery]) -> Result<BTreeMap<ItemId, SeriesRows>>,
    found: &mut Found,
) -> Result<()> {
    for span in DAYS.iter().map(|it| Some(it * DAY_S)).chain([None]) {
        if left.is_empty() {
            break;
        }
        let narrow = |query: &RangeQuery| {
            let is_few = query.newest_first && query.limit <= FEW_MAX;
            let begin = span.map(|it| query.till.min(now).plus_secs(-it));
            let from = begin.filter(|_| is_few).map_or(query.from, |it| it.max(query.from));
            RangeQuery { from, ..*query }
        };
        let asked: Vec<RangeQuery> = left.iter().map(|it| narrow(&it.1)).collect();
        let mut answers = ask(&asked)?;
        let mut unfinished = Vec::new();
        for ((place, query), asked) in left.into_iter().zip(asked) {
            let rows = answers.remove(&query.item).unwrap_or_else(|| none(query.kind));
            if asked.from == query.from || query.limit <= rows.len() {
                found.insert(place, rows);
            } else {
                unfinished.push((place, query));
            }
        }
        left = unfinished;
    }
    Ok(())
}

/// Positions of queries that differ only by the item, grouped; a group is no larger than a request
/// takes.
pub(crate) fn alike<Q, S: PartialEq + Copy>(
    queries: &[Q],
    shape: impl Fn(&Q) -> S,
) -> Vec<(S, Vec<usize>)> {
    let mut groups: Vec<(S, Vec<usize>)> = Vec::new();
    for (place, query) in queries.iter().enumerate() {
        let shape = shape(query);
        match groups.iter_mut().find(|it| it.0 == shape && it.1.len() < ITEMS_MAX) {
            Some((_, places)) => places.push(place),
            None => groups.push((shape, vec![place])),
        }
    }
    groups
}

/// Gives each query the answer of its item.
pub(crate) fn spread<A: Clone>(
    all: &mut [Vec<A>],
    places: &[usize],
    item_of: impl Fn(usize) -> Option<ItemId>,
    found: &BTreeMap<ItemId, Vec<A>>,
) {
    for place in places {
        let answer = item_of(*place).and_then(|it| found.get(&it));
        if let (Some(answer), Some(of_place)) = (answer, all.get_mut(*place)) {
            of_place.clone_from(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_newest_values_are_looked_for_where_they_most_likely_are() {
        let now = Time::from_clock(1_790_000_000, 0);
        let of = |item, limit| RangeQuery {
            item: ItemId(item),
            kind: ValueType::Unsigned,
            from: Time(i64::MIN),
            till: Time::MAX,
            limit,
            newest_first: true,
        };
        let queries = [of(1, 5), of(2, 5), of(3, 5), of(1, 5), of(1, 1_000_000)];
        let mut asked = Vec::new();
        // Item 1 has all it needs of today, item 2 of last month, item 3 has nothing.
        let answers = ask_in_groups(&queries, now, |queries| {
            asked.push(queries.iter().map(|it| it.item.0).collect::<Vec<_>>());
            let values = queries.iter().filter_map(|it| {
                let days = (now.clock() - it.from.clock()) / DAY_S;
                let has = it.item.0 == 1 || it.item.0 == 2 && 30 < days;
                has.then(|| (it.item, SeriesRows::Unsigned(vec![(now, it.item.0); 5])))
            });
            Ok(values.collect())
        });
        let n: Vec<usize> = answers.expect("answers").iter().map(|it| it.rows.len()).collect();
        assert_eq!(n, [5, 5, 0, 5, 5]);
        asked.sort();
        let want: [&[u64]; 5] = [&[1], &[1], &[1, 2, 3], &[2, 3], &[3]];
        assert_eq!(asked, want);
    }
}
