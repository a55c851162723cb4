//! Objects that a run has made of prototypes and rows, for other objects of the same row.

use std::collections::BTreeMap;

use model::ItemId;

use super::LldRow;

/// Which item each prototype made of each row.
pub(super) type Made = BTreeMap<(u64, LldRow), MadeItem>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum MadeItem {
    Existing(ItemId),
    /// Position in `new_items`.
    New(usize),
}
