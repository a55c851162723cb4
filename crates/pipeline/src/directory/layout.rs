//! What hosts with equal items and triggers share.

use model::ValueType;
use model::content::ItemType;
use model::snapshot::Host;

use super::hash::Hasher;
use super::keys::KeyTable;

/// One item of a layout, by position.
#[derive(Clone, Debug)]
pub(crate) struct ItemPlan {
    /// Row in the host's items.
    pub(crate) row: u32,
    pub(crate) kind: ItemType,
    pub(crate) value_type: ValueType,
    pub(crate) is_enabled: bool,
    pub(crate) is_rule: bool,
    pub(crate) allow_traps: bool,
    pub(crate) restricted: bool,
}

/// Keys, programs and bindings of hosts that have the same content.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) keys: KeyTable,
    /// Own items in order of rows, then mirrors of other hosts' items.
    pub(crate) items: Box<[ItemPlan]>,
    pub(crate) n_own: u32,
    /// Row by position, apart from `items` so that a lookup touches little.
    pub(crate) rows: Box<[u32]>,
}

impl Layout {
    #[inline]
    pub(crate) fn find(&self, hasher: &Hasher, host: &Host, key: &str) -> Option<u32> {
        self.keys.find(hasher, host, &self.rows, key)
    }
}
