//! What a run has made of prototypes and rows, so that what is made of the same row finds it.

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
