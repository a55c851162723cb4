//! Between partitions: who uses whose items.
//!
//! A trigger or calculated item lives with the host that holds it. Items of other hosts that it
//! reads have a *mirror* there: a slot without preprocessing or history of its own. The owner of the
//! item forwards each processed value to the partitions that have mirrors of it, in batches marked
//! with the position of the record that they were processed in; the receiver journals what it took,
//! with the mark, and drops batches that are not younger.
//!
//! So after a crash the owner's records are read again from the lowest mark on and forwarded again:
//! nothing is lost, nothing counts twice.

use std::sync::Arc;

use model::map::Map;
use model::{ItemId, Time, TriggerId, Value};

use super::Shard;
use super::convert::Ready;
use super::state::Slot;
use crate::effects::{Change, Effects};
use crate::input::{ForwardBatch, ForwardRow, Forwarded};

#[derive(Debug, Default)]
pub(super) struct Forwards {
    /// Partitions that use an item of this shard.
    pub(super) items: Map<ItemId, Box<[u8]>>,
    /// Partition and slot of these items.
    pub(super) owners: Map<ItemId, (u8, u32)>,
    /// Partitions with triggers that depend on one of this shard.
    pub(super) triggers: Map<TriggerId, Box<[u8]>>,
    /// Slots of mirrors, by using partition and item.
    pub(super) mirrors: Map<(u8, ItemId), Vec<u32>>,
    /// What has been applied: using partition and owning partition to position of the journal.
    pub(super) marks: Map<(u8, u8), u64>,
}

/// States of other partitions' triggers, by using partition.
#[derive(Debug, Default)]
pub(super) struct ForeignTriggers {
    problems: Map<(u8, TriggerId), ()>,
}

impl ForeignTriggers {
    pub(super) fn is_problem(&self, partition: u8, trigger: TriggerId) -> bool {
        self.problems.contains_key(&(partition, trigger))
    }

    pub(super) fn set(&mut self, partition: u8, trigger: TriggerId, is_problem: bool) {
        if is_problem {
            self.problems.insert((partition, trigger), ());
        } else {
            self.problems.remove(&(partition, trigger));
        }
    }

    pub(super) fn of(&self, partition: u8) -> Vec<TriggerId> {
        let mut list: Vec<TriggerId> =
            self.problems.keys().filter(|it| it.0 == partition).map(|it| it.1).collect();
        list.sort_unstable();
        list
    }
}

pub(super) fn add(effects: &mut Effects, (from, to): (u8, u8), row: ForwardRow) {
    // A step touches few pairs of partitions.
    match effects.forwards.iter_mut().find(|it| it.from == from && it.to == to) {
        Some(batch) => batch.rows.push(row),
        None => effects.forwards.push(ForwardBatch { from, to, lsn: 0, rows: vec![row] }),
    }
}

impl Shard {
    pub(super) fn forward_value(
        &mut self,
        slot: &Slot,
        time: Time,
        value: &Ready,
        effects: &mut Effects,
    ) {
        let value = match value {
            Ready::Float(it) => Value::Float(*it),
            Ready::Unsigned(it) => Value::Unsigned(*it),
            Ready::Text(it) => it.clone(),
        };
        for to in self.forwards.items.get(&slot.item).into_iter().flatten() {
            let what = Forwarded::Value(slot.item, value.clone());
            add(effects, (slot.partition, *to), ForwardRow { time, what });
        }
    }

    pub(super) fn forward_state(
        &mut self,
        slot: &Slot,
        time: Time,
        error: Option<Arc<str>>,
        effects: &mut Effects,
    ) {
        for to in self.forwards.items.get(&slot.item).into_iter().flatten() {
            let what = Forwarded::State(slot.item, error.clone());
            add(effects, (slot.partition, *to), ForwardRow { time, what });
        }
    }

    pub(super) fn forward_trigger(
        &mut self,
        host: u32,
        position: u32,
        time: Time,
        is_problem: bool,
        effects: &mut Effects,
    ) {
        if self.forwards.triggers.is_empty() {
            return;
        }
        let Some(host) = self.hosts.get(host) else { return };
        let Some(trigger) = host.trigger_id(position) else { return };
        let from = host.plan.partition();
        for to in self.forwards.triggers.get(&trigger).into_iter().flatten() {
            let what = Forwarded::Trigger(trigger, is_problem);
            add(effects, (from, *to), ForwardRow { time, what });
        }
    }

    /// What is known now of an item that a partition has begun to use.
    pub(super) fn forward_known(&mut self, at: u32, to: u8, effects: &mut Effects) {
        let Some(slot) = self.items.slot(at) else { return };
        let last = self.items.last(at);
        for (time, value) in [last.prev, last.last].into_iter().flatten() {
            let what = Forwarded::Known(slot.item, value);
            add(effects, (slot.partition, to), ForwardRow { time, what });
        }
        if let Some(error) = last.error {
            let what = Forwarded::State(slot.item, Some(error));
            add(effects, (slot.partition, to), ForwardRow { time: self.now.wall, what });
        }
    }

    /// The state of a trigger on which triggers of a partition have begun to depend.
    pub(super) fn forward_trigger_state(
        &mut self,
        trigger: TriggerId,
        to: u8,
        effects: &mut Effects,
    ) {
        let Some((host, position)) = self.hosts.find_trigger(trigger) else { return };
        let Some(host) = self.hosts.get(host) else { return };
        let is_problem = host.triggers.get(position as usize).is_some_and(|it| it.is_problem);
        let what = Forwarded::Trigger(trigger, is_problem);
        let row = ForwardRow { time: self.now.wall, what };
        add(effects, (host.plan.partition(), to), row);
    }

    /// Whether a batch is a repeat.
    #[must_use]
    pub fn has_taken(&self, batch: &ForwardBatch) -> bool {
        batch.lsn <= self.forwards.marks.get(&(batch.to, batch.from)).copied().unwrap_or(0)
    }

    /// Takes what other partitions have processed.
    pub(super) fn forwarded(&mut self, batch: &ForwardBatch, effects: &mut Effects) {
        if self.has_taken(batch) {
            self.counters.forwards_repeated += 1;
            return;
        }
        self.forwards.marks.insert((batch.to, batch.from), batch.lsn);
        for row in &batch.rows {
            self.forwarded_row(batch.to, row, effects);
        }
        effects.changes.push(Change::Mark { to: batch.to, from: batch.from, lsn: batch.lsn });
    }

    pub(super) fn forwarded_row(&mut self, to: u8, row: &ForwardRow, effects: &mut Effects) {
        if let Forwarded::Row(host, item, text) = &row.what {
            self.take_row((*host, *item), row.time, text, effects);
            return;
        }
        if let Forwarded::Value(item, _) | Forwarded::Known(item, _) | Forwarded::State(item, _) =
            &row.what
        {
            self.work_on(*item);
            if self.is_aside(*item) {
                self.counters.refused += 1;
                return;
            }
        }
        if row.time != self.group.time {
            self.end_group(effects);
            self.group.time = row.time;
        }
        match &row.what {
            Forwarded::Row(..) => {}
            Forwarded::Trigger(trigger, is_problem) => {
                self.foreign_triggers.set(to, *trigger, *is_problem);
                effects.changes.push(Change::MirroredTrigger {
                    to,
                    trigger: *trigger,
                    is_problem: *is_problem,
                });
            }
            Forwarded::Known(item, value) => {
                let is_newer = |at: &u32| {
                    let cell = self.items.cell(*at);
                    cell.n_values == 0 || cell.time < row.time
                };
                if self.mirrors_of(to, *item).iter().any(is_newer) {
                    let what = Forwarded::Value(*item, value.clone());
                    self.forwarded_row(to, &ForwardRow { time: row.time, what }, effects);
                }
            }
            Forwarded::Value(item, value) => {
                effects.changes.push(Change::Mirrored {
                    to,
                    item: *item,
                    time: row.time,
                    value: value.clone(),
                });
                for at in self.mirrors_of(to, *item) {
                    let Some(slot) = self.items.slot(at) else { continue };
                    // A change of the item's type is known here at another moment than there.
                    let slot = Slot { kind: kind_of(value, &slot), ..slot };
                    self.store(at, &slot, row.time, Ready::from_value(value.clone()), effects);
                }
            }
            Forwarded::State(item, error) => {
                effects.changes.push(Change::MirroredState {
                    to,
                    item: *item,
                    error: error.clone(),
                });
                for at in self.mirrors_of(to, *item) {
                    let Some(slot) = self.items.slot(at) else { continue };
                    match error {
                        Some(why) => {
                            self.unsupported(at, &slot, row.time, Arc::clone(why), effects);
                        }
                        None => self.checked(at, &slot, row.time, effects),
                    }
                }
            }
        }
    }

    /// The position up to which a partition's records have been applied as forwarded ones by
    /// another: (using partition, owning partition, position).
    pub fn forward_marks(&self) -> impl Iterator<Item = (u8, u8, u64)> + '_ {
        self.forwards.marks.iter().map(|((to, from), lsn)| (*to, *from, *lsn))
    }
}

/// Value type's code for a value: the item's own if the value fits it.
pub(super) fn kind_of(value: &Value, slot: &Slot) -> u8 {
    use model::ValueType::{Float, Log, Text, Unsigned};
    let kind = match value {
        Value::Float(_) => Float,
        Value::Unsigned(_) => Unsigned,
        Value::Text(_) if !slot.value_type().is_numeric() => return slot.kind,
        Value::Text(_) => Text,
        Value::Log(_) => Log,
    };
    kind.code().unsigned_abs()
}
