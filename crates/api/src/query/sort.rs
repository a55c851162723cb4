//! The order of an answer's rows, and the first of them.
//!
//! A page of a million rows is found in one pass: at most twice as many rows as the page holds are kept, and
//! most of the others are skipped after one comparison of their first key, which is borrowed wherever the
//! object can lend it ([`Rows::sort_key`]).

use std::cmp::Ordering;

use super::key::SortKey;
use super::rows::Rows;
use crate::describe::Object;

/// Rows are compared by their fields in turn, each with whether it falls; equal ones stay in the
/// order in which they came.
struct Order<'s, 'k, R> {
    object: &'s Object,
    rows: &'k R,
    fields: &'s [(String, bool)],
}

/// A row with its keys and its place among all that came.
struct Ranked<'k, T> {
    keys: Vec<SortKey<'k>>,
    place: usize,
    row: T,
}

impl<'k, R: Rows> Order<'_, 'k, R> {
    fn key(&self, row: &R::Row, field: &str) -> SortKey<'k> {
        self.rows.sort_key(self.object, row, field)
    }

    fn ranked(&self, place: usize, row: R::Row) -> Ranked<'k, R::Row> {
        let keys = self.fields.iter().map(|(field, _)| self.key(&row, field)).collect();
        Ranked { keys, place, row }
    }

    fn compare(&self, one: &Ranked<'k, R::Row>, other: &Ranked<'k, R::Row>) -> Ordering {
        for ((_, falls), (one, other)) in self.fields.iter().zip(one.keys.iter().zip(&other.keys)) {
            let order = directed(one.compare(other), *falls);
            if order.is_ne() {
                return order;
            }
        }
        one.place.cmp(&other.place)
    }

    /// Whether a row that comes later in natural order belongs before `last`.
    fn is_before(&self, row: &R::Row, last: &Ranked<'k, R::Row>) -> bool {
        for ((field, falls), key) in self.fields.iter().zip(&last.keys) {
            match directed(self.key(row, field).compare(key), *falls) {
                Ordering::Less => return true,
                Ordering::Equal => {}
                Ordering::Greater => return false,
            }
        }
        false
    }
}

fn directed(order: Ordering, falls: bool) -> Ordering {
    if falls { order.reverse() } else { order }
}

/// The first rows by `fields` (field, and whether it falls), in order.
pub(crate) fn first<R: Rows>(
    object: &Object,
    rows: &R,
    hits: impl Iterator<Item = R::Row>,
    fields: &[(String, bool)],
    limit: Option<usize>,
) -> Vec<R::Row> {
    let order = Order { object, rows, fields };
    let limit = limit.unwrap_or(usize::MAX);
    if limit == 0 {
        return Vec::new();
    }
    let mut kept: Vec<Ranked<'_, R::Row>> = Vec::new();
    // Set from the first cut on: `kept[limit - 1]` is the last of the page so far.
    let mut is_cut = false;
    for (place, row) in hits.enumerate() {
        if is_cut && kept.get(limit - 1).is_some_and(|last| !order.is_before(&row, last)) {
            continue;
        }
        kept.push(order.ranked(place, row));
        if kept.len() >= limit.saturating_mul(2) {
            kept.select_nth_unstable_by(limit - 1, |one, other| order.compare(one, other));
            kept.truncate(limit);
            is_cut = true;
        }
    }
    kept.sort_unstable_by(|one, other| order.compare(one, other));
    kept.truncate(limit);
    kept.into_iter().map(|it| it.row).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use serde_json::Value;

    use super::super::key::compare_texts;
    use super::*;
    use crate::describe::Select;
    use crate::error::ApiError;
    use crate::fixture::FIXTURE;
    use crate::query::Output;

    struct Devices;

    impl Rows for Devices {
        type Row = (i64, String);

        fn field(&self, row: &Self::Row, name: &str) -> Value {
            if name == "deviceid" { row.0.to_string().into() } else { row.1.clone().into() }
        }

        fn select(&self, _: &Self::Row, _: &Select, _: &Output) -> Result<Value, ApiError> {
            Ok(Value::Null)
        }
    }

    #[test]
    fn case_counts_only_among_equals() {
        for (one, other, order) in [
            ("web", "Web", Ordering::Greater),
            ("web 1", "Web 2", Ordering::Less),
            ("Ärger", "ärger", Ordering::Less),
            ("ärger 2", "Ärger 1", Ordering::Greater),
            ("a", "ä", Ordering::Less),
            ("a", "aa", Ordering::Less),
        ] {
            assert_eq!(compare_texts(one, other), order, "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn a_page_is_the_beginning_of_the_whole_order(
            devices in prop::collection::vec((0..20_i64, "[aAbBä]{0,2}"), 0..80),
            limit in prop::option::of(0..12_usize),
            (falls, by_name) in any::<(bool, bool)>(),
        ) {
            let mut fields = vec![("deviceid".to_owned(), falls), ("name".to_owned(), !falls)];
            if by_name {
                fields.reverse();
            }
            let page = first(&FIXTURE, &Devices, devices.iter().cloned(), &fields, limit);
            let mut all = devices;
            let by = |one: &(i64, String), other: &(i64, String), field: &(String, bool)| {
                let order = if field.0 == "name" {
                    (one.1.to_lowercase(), &one.1).cmp(&(other.1.to_lowercase(), &other.1))
                } else {
                    one.0.cmp(&other.0)
                };
                directed(order, field.1)
            };
            all.sort_by(|one, other| {
                by(one, other, &fields[0]).then_with(|| by(one, other, &fields[1]))
            });
            all.truncate(limit.unwrap_or(usize::MAX));
            prop_assert_eq!(page, all);
        }
    }
}
