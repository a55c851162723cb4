//! The shards and slots of polled items, remembered between checks.
//!
//! The directory finds the shard and the slot of an item by host and id, in some ten places of
//! memory, which 10,000 devices in turn load into the cache again. The result is kept by the item's
//! place in the schedule and is valid as long as the configuration is the same: an item is looked
//! up once for each epoch. 24 bytes for each place.

use ingress::Target;
use model::{HostId, ItemId};

use crate::Directory;
use crate::schedule::Ticket;

/// See the module.
#[derive(Default)]
pub(super) struct KnownTargets(Vec<Known>);

#[derive(Clone, Copy)]
struct Known {
    item: ItemId,
    /// The epoch of the directory.
    epoch: u64,
    target: Target,
}

impl Known {
    const NONE: Self =
        Self { item: ItemId(0), epoch: u64::MAX, target: Target { shard: 0, slot: 0 } };
}

impl KnownTargets {
    /// The shard and slot of an enabled item.
    pub(super) fn of(
        &mut self,
        directory: &dyn Directory,
        (host, item): (HostId, ItemId),
        ticket: Ticket,
    ) -> Option<Target> {
        let epoch = directory.epoch();
        let place = ticket.place();
        let known = place.and_then(|it| self.0.get(it));
        if let Some(known) = known.filter(|it| it.item == item && it.epoch == epoch) {
            return Some(known.target);
        }
        let target = directory.item_of(host, item).filter(|it| it.enabled)?.target;
        if let Some(place) = place {
            if self.0.len() <= place {
                self.0.resize(place + 1, Known::NONE);
            }
            self.0[place] = Known { item, epoch, target };
        }
        Some(target)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use model::content::ItemType;

    use super::*;
    use crate::{PreviousHost, ResolvedItem};

    const HOST: HostId = HostId(7);

    /// Has the items 1 to 9, of which those above 4 are disabled; each epoch moves them.
    #[derive(Default)]
    struct Counting {
        epoch: u64,
        n_lookups: AtomicUsize,
    }

    impl Directory for Counting {
        fn epoch(&self) -> u64 {
            self.epoch
        }

        fn find(&self, _: &str, _: &str, _: &mut PreviousHost) -> Option<ResolvedItem> {
            None
        }

        fn item(&self, item: ItemId) -> Option<ResolvedItem> {
            self.n_lookups.fetch_add(1, Ordering::Relaxed);
            let slot = u32::try_from(item.0 * 10 + self.epoch).ok()?;
            (1..10).contains(&item.0).then_some(ResolvedItem {
                target: Target { shard: 1, slot },
                item,
                host: HOST,
                kind: ItemType::Snmp,
                enabled: item.0 <= 4,
                allow_traps: false,
                restricted: false,
            })
        }
    }

    #[test]
    fn an_item_is_looked_up_once_an_epoch() {
        let mut known = KnownTargets::default();
        let mut directory = Counting::default();
        for epoch in [0, 3, 4] {
            directory.epoch = epoch;
            for round in 0..3 {
                for item in [1, 2, 4] {
                    let place = u32::try_from(item).expect("small");
                    let target = known.of(&directory, (HOST, ItemId(item)), Ticket::at(place));
                    let slot = u32::try_from(item * 10 + epoch).expect("small");
                    assert_eq!(target, Some(Target { shard: 1, slot }));
                }
                assert_eq!(directory.n_lookups.get_mut(), &mut 3, "round {round}");
            }
            directory.n_lookups = AtomicUsize::new(0);
        }
    }

    #[test]
    fn another_item_at_a_place_and_one_without_a_place_are_looked_up() {
        let mut known = KnownTargets::default();
        let directory = Counting::default();
        let mut slot_of =
            |item, ticket| known.of(&directory, (HOST, ItemId(item)), ticket).map(|it| it.slot);
        for _ in 0..2 {
            assert_eq!(slot_of(1, Ticket::at(5)), Some(10));
            assert_eq!(slot_of(2, Ticket::at(5)), Some(20));
            assert_eq!(slot_of(3, Ticket::NONE), Some(30));
            assert_eq!(slot_of(5, Ticket::at(6)), None, "it is disabled");
            assert_eq!(slot_of(12, Ticket::at(7)), None, "there is no such item");
        }
        assert_eq!(directory.n_lookups.into_inner(), 10);
        assert!(known.0.len() <= 6);
    }
}
