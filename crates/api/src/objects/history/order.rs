//! The orders in which values can be read, so that none has to be kept to be sorted.

use std::cmp::{Ordering, Reverse};

use model::{ItemId, Time};

/// The order of values: of one item after the other, or of all merged by their times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Order {
    pub(super) merged: Option<MergedBy>,
    pub(super) newest_first: bool,
    pub(super) items_fall: bool,
}

/// The keys before the item in the order of merged values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MergedBy {
    /// The second.
    Clock,
    /// The second and its nanoseconds.
    Time,
}

/// A value's place among those of several items; the least comes first.
pub(super) type Place = (Directed<i64>, Directed<u64>);

/// Rises or falls. All that are compared do the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Directed<T: Ord> {
    Rising(T),
    Falling(Reverse<T>),
}

impl<T: Ord> Directed<T> {
    fn new(it: T, falls: bool) -> Self {
        if falls { Self::Falling(Reverse(it)) } else { Self::Rising(it) }
    }
}

impl Order {
    /// One item after the other, the oldest value first.
    pub(super) const NATURAL: Self = Self { merged: None, newest_first: false, items_fall: false };

    /// The order that fields (each with whether it falls) ask for. `None`: values do not come in it.
    pub(super) fn of(sort: &[(String, bool)], items: &[ItemId]) -> Option<Self> {
        let mut fields: Vec<(&str, bool)> = Vec::new();
        for (field, falls) in sort {
            let is_said = fields.iter().any(|(it, _)| it == field);
            // One item needs no order of items.
            let says_nothing = items.len() <= 1 && field == "itemid";
            if !is_said && !says_nothing {
                fields.push((field, *falls));
            }
        }
        let items_fall = fields.contains(&("itemid", true));
        let newest_first = fields.contains(&("clock", true));
        // Values of a second come in the order of seconds; the other way they would have to be sorted.
        let ns_falls = fields.iter().find(|it| it.0 == "ns").map(|it| it.1);
        if ns_falls.is_some_and(|it| it != newest_first) {
            return None;
        }
        let names: Vec<&str> = fields.iter().map(|it| it.0).collect();
        let merged = match names.as_slice() {
            [] | ["itemid"] | ["itemid", "clock"] | ["itemid", "clock", "ns"] => None,
            ["clock"] | ["clock", "itemid"] | ["clock", "itemid", "ns"] => Some(MergedBy::Clock),
            ["clock", "ns"] | ["clock", "ns", "itemid"] => Some(MergedBy::Time),
            _ => return None,
        };
        Some(Self { merged, newest_first, items_fall })
    }

    pub(super) fn compare_items(self, one: ItemId, other: ItemId) -> Ordering {
        Directed::new(one, self.items_fall).cmp(&Directed::new(other, self.items_fall))
    }

    /// Values of one item come in order; the place orders those of several items.
    pub(super) fn place(self, item: ItemId, time: Time) -> Place {
        let at = match self.merged {
            Some(MergedBy::Time) => time.0,
            Some(MergedBy::Clock) => time.clock(),
            // One item alone.
            None => 0,
        };
        (Directed::new(at, self.newest_first), Directed::new(item.0, self.items_fall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sort: &[(&str, bool)], n_items: u64) -> Option<(Option<MergedBy>, bool, bool)> {
        let sort: Vec<(String, bool)> = sort.iter().map(|it| (it.0.to_owned(), it.1)).collect();
        let items: Vec<ItemId> = (1..=n_items).map(ItemId).collect();
        Order::of(&sort, &items).map(|it| (it.merged, it.newest_first, it.items_fall))
    }

    #[test]
    fn common_orders_of_values_are_recognized() {
        let (rises, falls) = (false, true);
        assert_eq!(of(&[], 2), Some((None, false, false)));
        assert_eq!(of(&[("itemid", falls)], 2), Some((None, false, true)));
        assert_eq!(of(&[("itemid", rises), ("clock", falls)], 2), Some((None, true, false)));
        let by_clock = Some(MergedBy::Clock);
        assert_eq!(of(&[("clock", falls)], 2), Some((by_clock, true, false)));
        assert_eq!(of(&[("clock", falls), ("clock", rises)], 2), Some((by_clock, true, false)));
        assert_eq!(of(&[("clock", rises), ("itemid", falls)], 2), Some((by_clock, false, true)));
        let by_time = Some(MergedBy::Time);
        assert_eq!(of(&[("clock", falls), ("ns", falls)], 2), Some((by_time, true, false)));
        assert_eq!(
            of(&[("clock", falls), ("itemid", rises), ("ns", falls)], 1).unwrap().0,
            by_time
        );
        for unusual in [
            &[("ns", rises)][..],
            &[("clock", rises), ("ns", falls)],
            &[("itemid", rises), ("ns", rises), ("clock", rises)],
        ] {
            assert_eq!(of(unusual, 2), None, "{unusual:?}");
        }
    }
}
