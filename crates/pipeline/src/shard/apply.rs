//! Replay: records are applied, never evaluated again.
//!
//! From [`Shard::new`] to [`Shard::start`] a shard is in replay: it is given checkpoints, the whole
//! configuration, and the records after the checkpoints, in this order. Items and triggers that are
//! no longer configured are skipped.

use std::borrow::Cow;
use std::sync::Arc;

use directory::shard_of;
use model::batch::RawRef;
use model::record::{
    EventAwaitingNameRow, EventKind, MirroredRow, MirroredState, Num, PendingRow, RecordError,
    RecordView, Watermark,
};
use model::{EventId, ItemId, Now, Retention, Time, TriggerId, Value, partition_of};

use super::Shard;
use super::convert::{ConvertedValue, kind_of};
use super::deferred_evaluations::trigger_of;
use super::items::Items;
use super::open::OpenProblem;
use super::recorded_values::{log_entry, log_value, step_state};
use super::replay::Replay;
use super::saved::SavedItem;
use super::state::{MIRROR, Slot};
use crate::effects::{Change, Effects, StepEventRef};
use crate::input::{ForwardBatch, Forwarded, ForwardedValue};

/// Codes of the numeric types.
const FLOAT: u8 = 0;
const UNSIGNED: u8 = 3;

/// Where the items of a record stand whose partitions' checkpoints are older than it.
struct Places<'a> {
    replay: &'a Replay,
    /// Behind the record.
    lsn: u64,
    next: u32,
}

impl Places<'_> {
    /// Values come host by host, and so stand items: the place after the last one is looked at first.
    #[inline]
    fn find(&mut self, items: &Items, item: ItemId) -> Option<(u32, Slot)> {
        let is_it = |slot: &&Slot| slot.item == item && !slot.has(MIRROR);
        let (at, slot) = match items.get(self.next).filter(is_it) {
            Some(slot) => (self.next, slot),
            None => {
                let at = *self.replay.index.as_ref()?.get(&item)?;
                (at, items.get(at)?)
            }
        };
        self.next = at + 1;
        let position = self.replay.positions[usize::from(slot.partition)];
        (position < self.lsn).then_some((at, *slot))
    }
}

impl Shard {
    /// Applies a record of the journal: its rows of this shard's partitions after their
    /// checkpoints. `lsn` is the position after the record, `first_event` the id of its first
    /// event.
    ///
    /// # Errors
    /// If the record can't be read; rows before the place are applied.
    pub fn apply(
        &mut self,
        record: &RecordView<'_>,
        lsn: u64,
        first_event: u64,
    ) -> Result<(), RecordError> {
        let mut replay = self.replay.take().unwrap_or_default();
        let head = record.head();
        replay.last_now = replay.last_now.max(head.now);
        // With as many shards as now, what another one wrote is of its own partitions. Each row would
        // be looked for in vain.
        if head.n_shards == self.settings.n_shards && head.shard != self.settings.shard {
            self.replay = Some(replay);
            return Ok(());
        }
        if replay.index.is_none() {
            replay.index = Some(self.items.index());
        }
        let result = self.apply_all(&replay, record, lsn, first_event);
        self.group.reset();
        self.replay = Some(replay);
        result
    }

    fn apply_all(
        &mut self,
        replay: &Replay,
        record: &RecordView<'_>,
        lsn: u64,
        first_event: u64,
    ) -> Result<(), RecordError> {
        let mut places = Places { replay, lsn, next: 0 };
        for row in record.first_seen() {
            let row = row?;
            if let Some((at, _)) = places.find(&self.items, row.item) {
                self.items.slot_mut(at).since = u32::try_from(row.time.clock()).unwrap_or(0);
            }
        }
        self.apply_values(&mut places, record)?;
        for row in record.item_states() {
            let row = row?;
            if let Some((at, slot)) = places.find(&self.items, row.item) {
                self.apply_state(at, &slot, row.error.map(Arc::from));
            }
        }
        for row in record.step_states() {
            let row = row?;
            if let Some((at, _)) = places.find(&self.items, row.item) {
                self.apply_step(at, usize::from(row.step), step_state(row.time, row.value));
            }
        }
        for row in record.pending() {
            let row = row?;
            let item = match row {
                PendingRow::Issued(it) => it.item,
                PendingRow::Done { item, .. } => item,
            };
            if let Some((at, _)) = places.find(&self.items, item) {
                self.pending_queues.apply(&mut self.items, at, row);
            }
        }
        for row in record.watermarks() {
            if let Watermark::Log { item, lastlogsize, mtime } = row?
                && let Some((at, _)) = places.find(&self.items, item)
            {
                self.items.remarks_mut(at).position = Some((lastlogsize, mtime));
            }
        }
        self.apply_maintenances(replay, record, lsn)?;
        self.apply_forwards(replay, record, lsn)?;
        self.apply_transitions(replay, record, lsn, first_event)?;
        self.apply_waiting(replay, record, lsn)
    }

    fn apply_values(
        &mut self,
        places: &mut Places<'_>,
        record: &RecordView<'_>,
    ) -> Result<(), RecordError> {
        let mut effects = Effects::default();
        for row in record.numbers() {
            let row = row?;
            if let Some((at, slot)) = places.find(&self.items, row.item) {
                let (value, bits) = match row.value {
                    Num::Float(it) => (ConvertedValue::Float(it), it.to_bits()),
                    Num::Unsigned(it) => (ConvertedValue::Unsigned(it), it),
                };
                let time = Time::from_millis(row.ms);
                if row.classes.trends != Retention::Nothing {
                    let is_unsigned = matches!(row.value, Num::Unsigned(_));
                    self.trends.apply(at, is_unsigned, (time, bits));
                }
                self.apply_value(at, &slot, time, value, &mut effects);
            }
        }
        for row in record.trends() {
            let row = row?;
            if let Some((at, _)) = places.find(&self.items, row.item) {
                self.trends.ended(at, &row);
            }
        }
        for row in record.texts() {
            let row = row?;
            let Some((at, slot)) = places.find(&self.items, row.item) else { continue };
            let value = if row.value_type == model::ValueType::Log {
                ConvertedValue::Log(Arc::new(log_entry(row.text, &row.log)))
            } else {
                ConvertedValue::Text(Cow::Borrowed(row.text))
            };
            self.apply_value(at, &slot, row.time, value, &mut effects);
            // It holds only so much text.
            effects.clear();
        }
        Ok(())
    }

    fn apply_maintenances(
        &mut self,
        replay: &Replay,
        record: &RecordView<'_>,
        lsn: u64,
    ) -> Result<(), RecordError> {
        for row in record.maintenances() {
            let row = row?;
            if replay.positions[usize::from(partition_of(row.host))] < lsn {
                self.apply_maintenance(&row);
            }
        }
        Ok(())
    }

    fn apply_waiting(
        &mut self,
        replay: &Replay,
        record: &RecordView<'_>,
        lsn: u64,
    ) -> Result<(), RecordError> {
        let place = |shard: &Self, trigger: TriggerId| {
            let (at, position) = shard.hosts.find_trigger(trigger)?;
            let partition = shard.hosts.get(at)?.plan.partition();
            (replay.positions[usize::from(partition)] < lsn).then_some((at, position))
        };
        for row in record.events_awaiting_names() {
            let row = row?;
            let trigger = match &row {
                EventAwaitingNameRow::Waits(it) => it.trigger,
                EventAwaitingNameRow::Left { trigger, .. } => *trigger,
            };
            if let Some((at, position)) = place(self, trigger) {
                let id = self.hosts.get(at).map(|it| it.plan.host().id).unwrap_or_default();
                self.events_awaiting_names.apply((at, position, id), &row);
            }
        }
        for row in record.deferred_evaluations() {
            let row = row?;
            if let Some((at, position)) = place(self, trigger_of(&row)) {
                self.deferred_evaluations.apply(at, position, row);
            }
        }
        Ok(())
    }

    /// Consequences of a value are in the records: `effects` are discarded.
    fn apply_value(
        &mut self,
        at: u32,
        slot: &Slot,
        time: Time,
        value: ConvertedValue<'_>,
        effects: &mut Effects,
    ) {
        let kind = value.kind(slot.value_type());
        if kind != slot.value_type() {
            // From before a change of the item's type.
            return;
        }
        // Without flags nothing runs that follows from values.
        let quiet = Slot { flags: MIRROR, ..*slot };
        self.store(at, &quiet, time, value, effects);
    }

    fn apply_state(&mut self, at: u32, slot: &Slot, error: Option<Arc<str>>) {
        let mut effects = Effects::default();
        let quiet = Slot { flags: MIRROR, ..*slot };
        match error {
            Some(why) => self.unsupported(at, &quiet, Time::ZERO, why, &mut effects),
            None => self.checked(at, &quiet, Time::ZERO, &mut effects),
        }
    }

    fn apply_step(&mut self, at: u32, step: usize, state: preprocess::StepState) {
        let n_steps = self.n_steps(at);
        if n_steps <= step {
            return;
        }
        let memory = &mut self.items.make_state(at).memory;
        if memory.len() != n_steps {
            *memory = (0..n_steps).map(|_| Default::default()).collect();
        }
        memory[step] = state;
    }

    fn n_steps(&self, at: u32) -> usize {
        let slot = self.items.get(at);
        let item = slot.and_then(|it| {
            self.hosts.get(it.host)?.plan.layout.item(it.position)?.program.as_ref()
        });
        item.map_or(0, |it| it.n_steps())
    }

    fn apply_forwards(
        &mut self,
        replay: &Replay,
        record: &RecordView<'_>,
        lsn: u64,
    ) -> Result<(), RecordError> {
        for row in record.forwards() {
            let row = row?;
            if row.received && replay.positions[usize::from(row.to)] < lsn {
                self.forwarding.mark((row.to, row.from), row.sequence);
            }
        }
        for row in record.mirrored() {
            let row = row?;
            if replay.positions[usize::from(row.to)] < lsn {
                self.apply_mirrored(&row);
            }
        }
        Ok(())
    }

    fn apply_mirrored(&mut self, row: &MirroredRow<'_>) {
        let (item, value) = match row.what {
            MirroredState::Trigger(trigger, is_problem) => {
                self.forwarding.set_problem(row.to, trigger, is_problem);
                return;
            }
            MirroredState::FirstSeen(item) => {
                let since = u32::try_from(row.time.clock()).unwrap_or(0);
                for at in self.forwarding.mirrors_of(row.to, item) {
                    self.items.slot_mut(at).since = since;
                }
                return;
            }
            MirroredState::Value(item, RawRef::Error(why)) => (item, Err(Some(Arc::from(why)))),
            MirroredState::Value(item, RawRef::Nothing) => (item, Err(None)),
            MirroredState::Value(item, RawRef::Float(it)) => (item, Ok(Value::Float(it))),
            MirroredState::Value(item, RawRef::Unsigned(it)) => (item, Ok(Value::Unsigned(it))),
            MirroredState::Value(item, RawRef::Text(it)) => (item, Ok(Value::Text(it.into()))),
            MirroredState::Log(item, text, log) => (item, Ok(log_value(text, &log))),
        };
        for at in self.forwarding.mirrors_of(row.to, item) {
            let Some(slot) = self.items.slot(at) else { continue };
            match &value {
                Ok(value) => {
                    let slot = Slot { kind: kind_of(value, &slot), ..slot };
                    let value = ConvertedValue::from_value(value);
                    self.apply_value(at, &slot, row.time, value, &mut Effects::default());
                }
                Err(error) => self.apply_state(at, &slot, error.clone()),
            }
        }
    }

    fn apply_transitions(
        &mut self,
        replay: &Replay,
        record: &RecordView<'_>,
        lsn: u64,
        first_event: u64,
    ) -> Result<(), RecordError> {
        for row in record.transitions() {
            let row = row?;
            let trigger = row.subject.trigger();
            let Some((host, position)) = trigger.and_then(|it| self.hosts.find_trigger(it)) else {
                continue;
            };
            let Some(host) = self.hosts.get_mut(host) else { continue };
            if lsn <= replay.positions[usize::from(host.plan.partition())] {
                continue;
            }
            let Some(trigger) = host.triggers.get_mut(position as usize) else { continue };
            // Events have value and open problems, other rows the state: neither has the other.
            let Some(event) = row.event else {
                trigger.error = row.error.map(Arc::from);
                continue;
            };
            match event.kind {
                EventKind::Problem => {
                    trigger.is_problem = true;
                    let id = EventId(first_event + u64::from(event.number));
                    trigger.open.push(OpenProblem::new(StepEventRef::Id(id), event.tags));
                }
                EventKind::Ok => {
                    for it in event.recovered {
                        let closed = it.id(first_event);
                        trigger.open.retain(|it| !it.is(closed));
                    }
                    trigger.is_problem = !trigger.open.is_empty();
                }
                // Not of triggers.
                EventKind::Discovered | EventKind::Lost => {}
            }
        }
        Ok(())
    }

    /// Replay has ended: from here on the shard evaluates. The time since the last record counts as
    /// an outage of the server, in which no values are missed. State that has to be durable is in
    /// the effects, as after [`Shard::step`].
    pub fn start(&mut self, now: Now, effects: &mut Effects) {
        self.begin(now);
        let replay = self.replay.take().unwrap_or_default();
        if replay.last_now != Time::ZERO {
            self.outages.add(replay.last_now, now.wall);
        }
        self.run_up(effects);
    }

    /// After the last record: new work begins, waiting work goes on.
    pub(super) fn run_up(&mut self, effects: &mut Effects) {
        let now = self.now;
        let clock = u32::try_from(now.wall.clock()).unwrap_or(0);
        self.items.begin(clock, |slot| effects.changes.push(since(slot, now.wall)));
        self.go_on_naming();
        self.fetches.load_cold(&mut self.items, &self.hosts);
        self.deferred_evaluations.begin();
        self.name_events(effects);
        self.review_all_lines(effects);
        self.forwarding.users().notify(&self.items, &self.hosts, now.wall, effects);
        self.end(effects);
    }

    /// Forwards again the rows of a record for other partitions: after a restart, for each record
    /// from the lowest mark of all partitions on (see [`Shard::forward_marks`]), before
    /// [`Shard::start`]. Receivers drop what they have taken before.
    ///
    /// # Errors
    /// If the record can't be read.
    pub fn forward_again(
        &self,
        record: &RecordView<'_>,
        lsn: u64,
        out: &mut Vec<ForwardBatch>,
    ) -> Result<(), RecordError> {
        let has_rows = record.dispatched().next().is_some();
        if !self.forwarding.has_users() && !has_rows {
            return Ok(());
        }
        let first = out.len();
        let mut add = |from: u8, to: &[u8], row: &ForwardedValue| {
            for to in to {
                let known = out[first..].iter_mut().find(|it| it.from == from && it.to == *to);
                match known {
                    Some(batch) => batch.rows.push(row.clone()),
                    None => {
                        out.push(ForwardBatch { from, to: *to, lsn, rows: vec![row.clone()] });
                    }
                }
            }
        };
        let mut item = |id: ItemId, time: Time, what: Forwarded| {
            if let Some((from, to)) = self.forwarding.users_of_item(id) {
                add(from, to, &ForwardedValue { time, what });
            }
        };
        for row in record.numbers() {
            let row = row?;
            let value = match row.value {
                Num::Float(it) => Value::Float(it),
                Num::Unsigned(it) => Value::Unsigned(it),
            };
            item(row.item, Time::from_millis(row.ms), Forwarded::Value(row.item, value));
        }
        for row in record.texts() {
            let row = row?;
            let value = if row.value_type == model::ValueType::Log {
                log_value(row.text, &row.log)
            } else {
                Value::Text(row.text.into())
            };
            item(row.item, row.time, Forwarded::Value(row.item, value));
        }
        for row in record.item_states() {
            let row = row?;
            let error = row.error.map(Arc::from);
            item(row.item, row.time, Forwarded::State(row.item, error));
        }
        for row in record.transitions() {
            let row = row?;
            let Some(trigger) = row.subject.trigger() else { continue };
            let Some(to) = self.forwarding.users_of_trigger(trigger) else { continue };
            let host = self.hosts.find_trigger(trigger).and_then(|it| self.hosts.get(it.0));
            if let Some(host) = host.filter(|_| row.event.is_some()) {
                let what = Forwarded::Trigger(trigger, row.problem);
                add(host.plan.partition(), to, &ForwardedValue { time: row.time, what });
            }
        }
        for row in record.dispatched() {
            let row = row?;
            if shard_of(row.from, self.settings.n_shards) == self.settings.shard {
                let what = Forwarded::Row(row.host, row.item, row.text.into());
                let to = partition_of(row.host);
                add(row.from, &[to], &ForwardedValue { time: row.time, what });
            }
        }
        Ok(())
    }

    /// Puts the saved state of an item into its slot.
    pub(super) fn put_saved(&mut self, at: u32, saved: SavedItem) {
        let slot = self.items.slot_mut(at);
        slot.since = saved.since;
        self.trends.set(at, saved.trend);
        let kind = slot.kind;
        let is_text = |code: u8| code != FLOAT && code != UNSIGNED;
        let is_same_kind = saved.cell.n_values == 0
            || saved.cell.kind == kind
            || slot.has(MIRROR) && is_text(kind) == is_text(saved.cell.kind);
        if is_same_kind {
            self.items.publish_two(at, &saved.cell, &saved.two);
            if let Some(remarks) = saved.remarks {
                *self.items.remarks_mut(at) = remarks;
            }
        }
        if !saved.memory.is_empty() && saved.memory.len() == self.n_steps(at) {
            self.items.make_state(at).memory = saved.memory;
        }
        for it in saved.pending {
            self.pending_queues.put(&mut self.items, at, it);
        }
    }
}

/// The change that makes an item's beginning durable.
pub(super) fn since(slot: &Slot, time: Time) -> Change {
    if slot.has(MIRROR) {
        Change::MirroredSince { to: slot.partition, item: slot.item, time }
    } else {
        Change::Since { item: slot.item, time }
    }
}

impl ConvertedValue<'_> {
    /// The kind of item that this is a value of; texts fit all items of text.
    fn kind(&self, like: model::ValueType) -> model::ValueType {
        use model::ValueType;
        match self {
            Self::Float(_) => ValueType::Float,
            Self::Unsigned(_) => ValueType::Unsigned,
            Self::Text(_) | Self::Log(_) if like.is_numeric() => ValueType::Text,
            Self::Text(_) | Self::Log(_) => like,
        }
    }
}
