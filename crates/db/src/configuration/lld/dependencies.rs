//! Dependencies of prototypes: master items and master triggers.

use std::sync::Arc;

use model::content::ItemFlags;
use model::map::{Map, Set};
use model::snapshot::{Host, ItemRow, Snapshot, TriggerRow};
use model::{ItemId, TriggerId};

use super::LldRow;

/// The item prototypes of a holder by the ids that content names them by.
pub(super) struct ItemPrototypes<'a> {
    pub(super) host: &'a Host,
    pub(super) refs: &'a Map<ItemId, u32>,
}

impl<'a> ItemPrototypes<'a> {
    /// The prototype that a reference names.
    pub(super) fn named(&self, reference: ItemId) -> Option<&'a ItemRow> {
        let at = self.refs.get(&reference)?;
        let found = self.host.items.get(usize::try_from(*at).ok()?)?;
        (found.flags == ItemFlags::Prototype).then_some(found)
    }

    /// In the order in which their items are made: dependent ones after their masters.
    pub(super) fn masters_first(&self, mut list: Vec<&'a ItemRow>) -> Vec<&'a ItemRow> {
        const LEVELS_MAX: u8 = 16;
        let level = |row: &&ItemRow| {
            let mut level = 0;
            let mut next = self.named(row.content.master_itemid);
            while let Some(master) = next.filter(|_| level < LEVELS_MAX) {
                level += 1;
                next = self.named(master.content.master_itemid);
            }
            level
        };
        list.sort_by_cached_key(level);
        list
    }
}

/// Which triggers a run names: prototype and row.
#[derive(Default)]
pub(super) struct Named(Set<(TriggerId, LldRow)>);

impl Named {
    pub(super) fn insert(&mut self, prototype: TriggerId, row: &LldRow) {
        self.0.insert((prototype, Arc::clone(row)));
    }

    /// For each named trigger that lacks one of its masters: the prototype and the row, as often
    /// as it lacks one.
    pub(super) fn without_master<'a>(
        &'a self,
        snapshot: &Snapshot,
        prototypes: &[&'a TriggerRow],
        rows: &[&'a LldRow],
    ) -> Vec<(&'a TriggerRow, &'a LldRow)> {
        let mut by_ref: Map<TriggerId, TriggerId> = Map::default();
        for prototype in prototypes {
            by_ref.extend(snapshot.trigger_chain(prototype).map(|it| (it, prototype.id)));
        }
        let mut lacking = Vec::new();
        for prototype in prototypes {
            let masters = prototype.content.dependencies.iter();
            let masters: Vec<TriggerId> =
                masters.filter_map(|it| by_ref.get(it).copied()).collect();
            for row in rows.iter().copied().filter(|_| !masters.is_empty()) {
                let is_named = |it: TriggerId| self.0.contains(&(it, Arc::clone(row)));
                if is_named(prototype.id) {
                    let n = masters.iter().filter(|it| !is_named(**it)).count();
                    lacking.extend(std::iter::repeat_n((*prototype, row), n));
                }
            }
        }
        lacking
    }
}
