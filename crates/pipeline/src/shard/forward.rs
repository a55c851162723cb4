//! Between partitions: users and owners of items.
//!
//! A trigger or calculated item lives with the host that holds it. Items of other hosts that it
//! reads have a *mirror* there: a slot without preprocessing or history of its own. The owner of the
//! item forwards each processed value to the partitions that have mirrors of it, in batches marked
//! with the position of the record that they were processed in; the receiver journals what it took,
//! with the mark, and drops batches that are not younger.
//!
//! So after a crash the records after these marks are read again and forwarded again
//! (`InFlightForwards`): nothing is lost, nothing counts twice.

use std::sync::Arc;

use directory::{HostPlan, Routes};
use model::map::{Map, Set};
use model::{ItemId, Time, TriggerId, Value};

use super::hosts::Hosts;
use super::items::Items;
use super::state::{FORWARDED, Slot};
use crate::effects::Effects;
use crate::input::{ForwardBatch, Forwarded, ForwardedValue};

/// The users of this shard's items, and its items from other shards.
#[derive(Debug, Default)]
pub(super) struct Forwarding {
    /// Partitions that use an item of this shard.
    items: Map<ItemId, Box<[u8]>>,
    /// Partition and slot of these items.
    owners: Map<ItemId, (u8, u32)>,
    /// Partitions with triggers that depend on one of this shard.
    triggers: Map<TriggerId, Box<[u8]>>,
    /// Slots of mirrors, by using partition and item.
    mirrors: Map<(u8, ItemId), Vec<u32>>,
    /// Applied positions of the journal, by using partition and owning partition.
    marks: Map<(u8, u8), u64>,
    /// Triggers of other partitions that are in PROBLEM, by using partition.
    problems: Set<(u8, TriggerId)>,
}

/// Partitions that have begun to use something.
#[derive(Debug, Default)]
pub(super) struct NewUsers {
    /// By slot.
    items: Vec<(u32, u8)>,
    triggers: Vec<(TriggerId, u8)>,
}

impl Forwarding {
    /// A value goes to all who use its item.
    pub(super) fn value(&self, slot: &Slot, time: Time, value: &Value, effects: &mut Effects) {
        for to in self.items.get(&slot.item).into_iter().flatten() {
            let what = Forwarded::Value(slot.item, value.clone());
            add(effects, (slot.partition, *to), ForwardedValue { time, what });
        }
    }

    /// As [`Self::value`]: an item is unsupported, or supported again.
    pub(super) fn state(
        &self,
        slot: &Slot,
        time: Time,
        error: Option<&Arc<str>>,
        effects: &mut Effects,
    ) {
        for to in self.items.get(&slot.item).into_iter().flatten() {
            let what = Forwarded::State(slot.item, error.map(Arc::clone));
            add(effects, (slot.partition, *to), ForwardedValue { time, what });
        }
    }

    /// A trigger of partition `from` goes to PROBLEM or to OK.
    pub(super) fn trigger(
        &self,
        (from, trigger): (u8, TriggerId),
        time: Time,
        is_problem: bool,
        effects: &mut Effects,
    ) {
        for to in self.triggers.get(&trigger).into_iter().flatten() {
            let what = Forwarded::Trigger(trigger, is_problem);
            add(effects, (from, *to), ForwardedValue { time, what });
        }
    }

    /// Whether anything of this shard is used elsewhere.
    pub(super) fn has_users(&self) -> bool {
        !(self.items.is_empty() && self.triggers.is_empty())
    }

    /// The partition of an item and those that use it.
    pub(super) fn users_of_item(&self, item: ItemId) -> Option<(u8, &[u8])> {
        Some((self.owners.get(&item)?.0, self.items.get(&item)?))
    }

    pub(super) fn users_of_trigger(&self, trigger: TriggerId) -> Option<&[u8]> {
        self.triggers.get(&trigger).map(|it| &**it)
    }

    /// Takes over who uses what; gives who has begun to.
    pub(super) fn set_routes(&mut self, routes: Routes, items: &mut Items) -> NewUsers {
        let mut new = NewUsers::default();
        let old_items = std::mem::take(&mut self.items);
        let old_triggers = std::mem::take(&mut self.triggers);
        let is_new = |known: Option<&Box<[u8]>>, to: &u8| known.is_none_or(|it| !it.contains(to));
        for (item, (_, at)) in std::mem::take(&mut self.owners) {
            // Slots never move; if the item is gone, so is the flag.
            if let Some(slot) = items.get_mut(at).filter(|it| it.item == item) {
                slot.flags &= !FORWARDED;
            }
        }
        for (item, at, partitions) in routes.items {
            let Some(slot) = items.get_mut(at).filter(|it| it.item == item) else { continue };
            if partitions.is_empty() {
                continue;
            }
            slot.flags |= FORWARDED;
            let known = old_items.get(&item);
            let users = partitions.iter().filter(|to| is_new(known, to));
            new.items.extend(users.map(|to| (at, *to)));
            self.owners.insert(item, (slot.partition, at));
            self.items.insert(item, partitions);
        }
        for (trigger, partitions) in routes.triggers {
            let known = old_triggers.get(&trigger);
            let users = partitions.iter().filter(|to| is_new(known, to));
            new.triggers.extend(users.map(|to| (trigger, *to)));
            self.triggers.insert(trigger, partitions);
        }
        new
    }

    /// All who use something, as if they had begun to just now.
    pub(super) fn users(&self) -> NewUsers {
        let items = self.items.iter().filter_map(|(item, to)| Some((self.owners.get(item)?.1, to)));
        let items = items.flat_map(|(at, to)| to.iter().map(move |to| (at, *to)));
        let triggers = self.triggers.iter().flat_map(|(id, to)| to.iter().map(|to| (*id, *to)));
        NewUsers { items: items.collect(), triggers: triggers.collect() }
    }

    /// A host has mirrors from now on.
    pub(super) fn add_mirrors(&mut self, plan: &HostPlan) {
        for (key, slot) in mirrors(plan) {
            self.mirrors.entry(key).or_default().push(slot);
        }
    }

    pub(super) fn remove_mirrors(&mut self, plan: &HostPlan) {
        for (key, slot) in mirrors(plan) {
            if let Some(slots) = self.mirrors.get_mut(&key) {
                slots.retain(|it| *it != slot);
                if slots.is_empty() {
                    self.mirrors.remove(&key);
                }
            }
        }
    }

    pub(super) fn mirrors_of(&self, to: u8, item: ItemId) -> Vec<u32> {
        self.mirrors.get(&(to, item)).cloned().unwrap_or_default()
    }

    /// Whether a batch is a repeat.
    pub(super) fn has_taken(&self, batch: &ForwardBatch) -> bool {
        batch.lsn <= self.marks.get(&(batch.to, batch.from)).copied().unwrap_or(0)
    }

    /// How many rows for items of a batch are taken, in order. Their marks are positions within the record that
    /// they are from: each row takes some bytes there, so none of them is as far back as the record before it.
    pub(super) fn n_rows_taken(&self, batch: &ForwardBatch) -> u64 {
        let mark = self.marks.get(&(batch.to, batch.from)).copied().unwrap_or(0);
        let missing = batch.lsn.saturating_sub(mark);
        batch.n_rows().saturating_sub(missing.saturating_sub(1))
    }

    /// Rows that `from` sent to `to` are taken up to this position.
    pub(super) fn mark(&mut self, (to, from): (u8, u8), lsn: u64) {
        let mark = self.marks.entry((to, from)).or_default();
        *mark = (*mark).max(lsn);
    }

    /// Using partition, owning partition, position.
    pub(super) fn marks(&self) -> impl Iterator<Item = (u8, u8, u64)> + '_ {
        self.marks.iter().map(|((to, from), lsn)| (*to, *from, *lsn))
    }

    /// Whether a trigger of another partition, on which one of this partition depends, is in PROBLEM.
    pub(super) fn is_problem(&self, partition: u8, trigger: TriggerId) -> bool {
        self.problems.contains(&(partition, trigger))
    }

    pub(super) fn set_problem(&mut self, partition: u8, trigger: TriggerId, is_problem: bool) {
        if is_problem {
            self.problems.insert((partition, trigger));
        } else {
            self.problems.remove(&(partition, trigger));
        }
    }

    /// Such triggers that are in PROBLEM.
    pub(super) fn problems_of(&self, partition: u8) -> Vec<TriggerId> {
        let of_partition = self.problems.iter().filter(|it| it.0 == partition);
        let mut list: Vec<TriggerId> = of_partition.map(|it| it.1).collect();
        list.sort_unstable();
        list
    }
}

impl NewUsers {
    /// Sends them what is known now.
    pub(super) fn notify(&self, items: &Items, hosts: &Hosts, now: Time, effects: &mut Effects) {
        for (at, to) in &self.items {
            notify_item(items, *at, *to, now, effects);
        }
        for (trigger, to) in &self.triggers {
            let host = hosts.find_trigger(*trigger).and_then(|it| hosts.get(it.0));
            let Some(from) = host.map(|it| it.plan.partition()) else { continue };
            let what = Forwarded::Trigger(*trigger, hosts.is_problem(*trigger));
            add(effects, (from, *to), ForwardedValue { time: now, what });
        }
    }
}

fn notify_item(items: &Items, at: u32, to: u8, now: Time, effects: &mut Effects) {
    let Some(slot) = items.slot(at) else { return };
    let last = items.last(at);
    for (time, value) in [last.prev, last.last].into_iter().flatten() {
        let what = Forwarded::Known(slot.item, value);
        add(effects, (slot.partition, to), ForwardedValue { time, what });
    }
    if let Some(error) = last.error {
        let what = Forwarded::State(slot.item, Some(error));
        add(effects, (slot.partition, to), ForwardedValue { time: now, what });
    }
}

/// Using partition and item, and slot, of the mirrors of a host.
fn mirrors(plan: &HostPlan) -> impl Iterator<Item = ((u8, ItemId), u32)> + '_ {
    let mirrors = (plan.layout.n_own..).zip(&plan.layout.mirrors);
    mirrors
        .filter_map(|(position, it)| Some(((plan.partition, it.item), plan.slots.get(position)?)))
}

/// Puts a row into the batch of its pair of partitions.
pub(super) fn add(effects: &mut Effects, (from, to): (u8, u8), row: ForwardedValue) {
    // A step touches few pairs of partitions.
    match effects.forwards.iter_mut().find(|it| it.from == from && it.to == to) {
        Some(batch) => batch.rows.push(row),
        None => effects.forwards.push(ForwardBatch { from, to, lsn: 0, rows: vec![row] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_is_not_younger_than_the_mark_is_a_repeat() {
        let mut forwarding = Forwarding::default();
        let batch = |lsn| ForwardBatch { from: 1, to: 2, lsn, ..ForwardBatch::default() };
        assert!(!forwarding.has_taken(&batch(7)));
        forwarding.mark((2, 1), 7);
        // Marks never go back: records are applied in any order of partitions.
        forwarding.mark((2, 1), 5);
        assert!(forwarding.has_taken(&batch(7)));
        assert!(!forwarding.has_taken(&batch(8)));
        assert!(!forwarding.has_taken(&ForwardBatch { from: 2, to: 1, ..batch(7) }));
    }

    #[test]
    fn foreign_problem_counts_for_the_informed_partition() {
        let mut forwarding = Forwarding::default();
        let trigger = TriggerId(9);
        forwarding.set_problem(3, trigger, true);
        assert!(forwarding.is_problem(3, trigger));
        assert!(!forwarding.is_problem(4, trigger));
        assert_eq!(forwarding.problems_of(3), [trigger]);
        forwarding.set_problem(3, trigger, false);
        assert_eq!(forwarding.problems_of(3), []);
    }
}
