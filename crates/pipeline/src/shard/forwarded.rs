//! Values processed by other partitions, for the mirrors of their items: see [`super::forward`].

use std::sync::Arc;

use model::batch::RawRef;
use model::{HostId, ItemId, Time};

use super::Shard;
use super::convert::{ConvertedValue, kind_of};
use super::state::{MAY_WAIT, NO_DATA, Slot};
use crate::effects::{Change, Effects};
use crate::input::{ForwardBatch, Forwarded, ForwardedValue};

impl Shard {
    /// Whether a batch is a repeat.
    #[must_use]
    pub fn has_taken(&self, batch: &ForwardBatch) -> bool {
        self.forwarding.has_taken(batch)
    }

    /// Takes what other partitions have processed.
    pub(super) fn forwarded(&mut self, batch: &ForwardBatch, effects: &mut Effects) {
        if self.has_taken(batch) {
            self.counters.forwards_repeated += 1;
            return;
        }
        let mut n_taken = self.forwarding.n_rows_taken(batch);
        self.forwarding.mark((batch.to, batch.from), batch.lsn);
        for row in &batch.rows {
            if row.is_row() && n_taken != 0 {
                n_taken -= 1;
                continue;
            }
            self.forwarded_row(batch.to, row, effects);
        }
        effects.changes.push(Change::Mark { to: batch.to, from: batch.from, lsn: batch.lsn });
    }

    /// Takes one row of a batch, unless it is taken. Its own mark is in its record: a crash before
    /// the batch's end does not bring it twice.
    pub(super) fn forwarded_alone(
        &mut self,
        batch: &ForwardBatch,
        at: usize,
        effects: &mut Effects,
    ) {
        let Some(row) = batch.rows.get(at) else { return };
        if row.is_row() {
            let before = batch.rows.iter().take(at).filter(|it| it.is_row()).count() as u64;
            if before < self.forwarding.n_rows_taken(batch) {
                return;
            }
            let lsn = batch.lsn.saturating_sub(batch.n_rows() - before);
            self.forwarding.mark((batch.to, batch.from), lsn);
            effects.changes.push(Change::Mark { to: batch.to, from: batch.from, lsn });
        }
        self.forwarded_row(batch.to, row, effects);
    }

    fn forwarded_row(&mut self, to: u8, row: &ForwardedValue, effects: &mut Effects) {
        if let Forwarded::Row(host, item, text) = &row.what {
            self.take_row((*host, *item), row.time, text, effects);
            return;
        }
        if let Forwarded::Value(item, _) | Forwarded::Known(item, _) | Forwarded::State(item, _) =
            &row.what
        {
            self.work.on(*item);
            if self.quarantine.has(*item) {
                self.counters.refused += 1;
                return;
            }
        }
        if row.time != self.group.time() {
            self.end_group(effects);
            self.group.begin(row.time);
        }
        match &row.what {
            Forwarded::Row(..) => {}
            Forwarded::Trigger(trigger, is_problem) => {
                self.forwarding.set_problem(to, *trigger, *is_problem);
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
                if self.forwarding.mirrors_of(to, *item).iter().any(is_newer) {
                    let what = Forwarded::Value(*item, value.clone());
                    self.forwarded_row(to, &ForwardedValue { time: row.time, what }, effects);
                }
            }
            Forwarded::Value(item, value) => {
                effects.changes.push(Change::Mirrored {
                    to,
                    item: *item,
                    time: row.time,
                    value: value.clone(),
                });
                for at in self.forwarding.mirrors_of(to, *item) {
                    let Some(slot) = self.items.slot(at) else { continue };
                    // A change of the item's type is known here at another time than there.
                    let slot = Slot { kind: kind_of(value, &slot), ..slot };
                    self.store(at, &slot, row.time, ConvertedValue::from_value(value), effects);
                }
            }
            Forwarded::State(item, error) => {
                effects.changes.push(Change::MirroredState {
                    to,
                    item: *item,
                    error: error.clone(),
                });
                for at in self.forwarding.mirrors_of(to, *item) {
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

    /// A row for an item of this shard arrived.
    fn take_row(
        &mut self,
        (host, item): (HostId, ItemId),
        time: Time,
        text: &str,
        effects: &mut Effects,
    ) {
        let at = self.hosts.by_id(host);
        let at = at.and_then(|it| it.plan.by_item(item)).map(|it| it.slot);
        let slot = at.and_then(|it| self.items.slot(it));
        let raw = RawRef::Text(text);
        let taken = at.zip(slot).filter(|(at, slot)| {
            // It was looked up by id just now, so it is of no older epoch.
            self.accepts(self.now, slot, (*at, time), u64::MAX)
                && (!slot.has(MAY_WAIT) || self.has_room(*at, raw))
        });
        let Some((at, slot)) = taken else {
            self.counters.rows.refused += 1;
            return;
        };
        self.counters.rows.taken += 1;
        if slot.has(NO_DATA) && self.is_dropped(&slot, time) {
            return;
        }
        self.enter(&slot, at, time, effects);
        self.repeats.take_all(true);
        self.process(at, time, raw, None, effects);
        self.repeats.take_all(false);
    }

    /// The position up to which a partition's records have been applied as forwarded ones by
    /// another: (using partition, owning partition, position).
    pub fn forward_marks(&self) -> impl Iterator<Item = (u8, u8, u64)> + '_ {
        self.forwarding.marks()
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use model::TriggerId;

    use super::super::ShardSettings;
    use super::*;

    #[test]
    fn rows_that_came_one_by_one_before_a_crash_are_not_taken_again() {
        let row = |n: i64| ForwardedValue {
            time: Time::from_clock(n, 0),
            what: Forwarded::Row(HostId(7), ItemId(1), n.to_string().into()),
        };
        let mut rows: Vec<_> = (1..=3).map(row).collect();
        rows.insert(
            1,
            ForwardedValue { time: Time::ZERO, what: Forwarded::Trigger(TriggerId(1), true) },
        );
        let batch = ForwardBatch { from: 1, to: 2, lsn: 1_000, rows };
        let settings = ShardSettings { shard: 0, n_shards: 1, zone: TimeZone::UTC };
        let mut shard = Shard::of(settings, Arc::default());
        // The record before this one is long before.
        shard.forwarding.mark((2, 1), 900);
        assert_eq!(shard.forwarding.n_rows_taken(&batch), 0);
        for (at, n_taken) in [(0, 1), (1, 1), (2, 2), (3, 3)] {
            shard.forwarded_alone(&batch, at, &mut Effects::default());
            assert_eq!(shard.forwarding.n_rows_taken(&batch), n_taken, "{at}");
            assert!(!shard.has_taken(&batch), "the batch has an end of its own");
        }
        let before = shard.counters.rows;
        let mut effects = Effects::default();
        shard.forwarded(&batch, &mut effects);
        assert_eq!(shard.counters.rows, before, "no row comes again");
        assert!(shard.has_taken(&batch));
        assert!(matches!(
            effects.changes[..],
            [Change::MirroredTrigger { .. }, Change::Mark { lsn: 1_000, .. }]
        ));
    }
}
