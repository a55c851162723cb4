//! State of a partition as bytes.
//!
//! A checkpoint holds what records would have to be read again for: last values, states, memory of
//! preprocessing steps, triggers, since when missing values count, positions of logs,
//! what other partitions have sent. Windows are not in it: history has them.
//!
//! Format: magic `SPC6`, then numbers as LEB128, texts with their length in front; sections in the
//! order of [`Shard::checkpoint`]. Owners of files add checksums: `docs/format/checkpoint.md`.
//!
//! Since `SPC6` what comes last are sections with their number and length in front, as far as there is
//! anything to say in them, so that what is added later needs no other magic: a number that is not known
//! is an error.

mod read;

use std::sync::Arc;

use model::batch::{OwnedRaw, RawRef};
use model::{Time, TriggerId, Value};

use super::Shard;
use super::codec::Writer;
use super::open::unpack;
use super::recorded_values::remembered;
use super::state::{MIRROR, Slot, TriggerState};
use super::waiting::save;
use crate::effects::StepEventRef;
use crate::pending::Pending;
pub(super) use read::SavedItems;
use read::{MAGIC, MAINTENANCE, body, read};

/// The state of one partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    pub partition: u8,
    /// Everything of records up to this position of the journal is in it.
    pub lsn: u64,
    pub bytes: Vec<u8>,
}

/// The bytes are no checkpoint that this program can read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointFormatError {
    #[error("not a checkpoint of a format that this program knows")]
    Format,
    #[error("the checkpoint is damaged at byte {at}")]
    Damaged { at: usize },
}

/// Versions from which on there are values that wait, events that wait and deferred evaluations, tags of open
/// problems, trends and sections.
impl Shard {
    /// The state of one partition, as of `lsn`, the position of the last record written. Between
    /// steps only, after [`Shard::committed`].
    #[must_use]
    pub fn checkpoint(&self, partition: u8, lsn: u64) -> Checkpoint {
        let mut out = Writer::default();
        out.bytes(MAGIC);
        out.number(u64::from(partition));
        out.number(lsn);
        out.time(self.now.wall);
        out.number(self.outages.iter().len() as u64);
        for (from, until) in self.outages.iter() {
            out.time(from);
            out.time(until);
        }
        let mut hosts: Vec<_> = self.hosts.of_partition(partition).map(|it| it.1).collect();
        hosts.sort_unstable_by_key(|it| it.plan.host().id);
        let slots: Vec<u32> = hosts.iter().flat_map(|it| it.plan.slots.iter()).collect();
        out.number(slots.len() as u64);
        slots.iter().for_each(|it| self.put_item(*it, &mut out));
        let triggers: Vec<(TriggerId, &TriggerState)> = hosts
            .iter()
            .flat_map(|host| {
                (0..)
                    .zip(&host.triggers)
                    .filter_map(|(position, it)| Some((host.trigger_id(position)?, it)))
            })
            .filter(|(_, it)| it.is_problem || it.error.is_some() || !it.open.is_empty())
            .collect();
        out.number(triggers.len() as u64);
        for (id, it) in triggers {
            put_trigger(id, it, &mut out);
        }
        let mut marks: Vec<_> = self.forward_marks().filter(|it| it.0 == partition).collect();
        marks.sort_unstable();
        out.number(marks.len() as u64);
        for (_, from, lsn) in marks {
            out.number(u64::from(from));
            out.number(lsn);
        }
        let foreign = self.forwarding.problems_of(partition);
        out.number(foreign.len() as u64);
        foreign.iter().for_each(|it| out.number(it.0));
        let waiting =
            save(&self.hosts, (&self.events_awaiting_names, &self.deferred_evaluations), partition);
        out.counted(&waiting);
        let mut maintained = Writer::default();
        if self.maintenance.put(partition, &mut maintained) {
            out.number(MAINTENANCE);
            out.counted(&maintained.into_bytes());
        }
        Checkpoint { partition, lsn, bytes: out.into_bytes() }
    }

    fn put_item(&self, at: u32, out: &mut Writer) {
        let slot = self.items.slot(at).unwrap_or(Slot::FREE);
        let cell = self.items.cell(at);
        out.number(slot.item.0);
        out.number(u64::from(slot.has(MIRROR)));
        out.number(u64::from(slot.since));
        // The type is that of the values, so none without values.
        let kind = if cell.n_values == 0 { 0 } else { cell.kind };
        let flags =
            u64::from(cell.unsupported) | u64::from(cell.n_values) << 2 | u64::from(kind) << 4;
        out.number(flags);
        // The position of texts in memory is not saved: the texts follow.
        let bits = |bits| if cell.is_of_text() { 0 } else { bits };
        if 1 <= cell.n_values {
            out.time(cell.time);
            out.bits(bits(cell.bits));
        }
        if 2 <= cell.n_values {
            out.time(cell.prev_time);
            out.bits(bits(cell.prev_bits));
        }
        let (last, prev) = self.items.two(at, &cell);
        let remarks =
            self.items.remarks(at).filter(|it| it.error.is_some() || it.position.is_some());
        let has_more = last.is_some() || prev.is_some() || remarks.is_some();
        out.number(u64::from(has_more));
        if has_more {
            out.value(last.as_ref());
            out.value(prev.as_ref());
            out.option(remarks.and_then(|it| it.error.as_deref()));
            let position = remarks.and_then(|it| it.position).unwrap_or((u64::MAX, 0));
            out.number(position.0);
            out.number(position.1.cast_unsigned());
        }
        let state = self.items.state(&slot);
        let memory = state.map(|it| &*it.memory).unwrap_or_default();
        // Steps that remember nothing are as good as none.
        let has_memory = memory.iter().any(|it| it.last().is_some());
        let memory = if has_memory { memory } else { &[] };
        out.number(memory.len() as u64);
        for it in memory {
            let (time, raw) = remembered(it).unwrap_or((Time::ZERO, RawRef::Nothing));
            out.time(time);
            out.raw(raw);
        }
        let waiting = self.pending_queues.saved(at, &slot);
        out.number(waiting.len() as u64);
        waiting.iter().for_each(|it| put_pending(it, out));
        self.trends.get(at).put(out);
    }

    /// Takes a checkpoint over. After [`Shard::new`] and before the configuration, which takes the
    /// items out of the bytes one by one.
    ///
    /// # Errors
    /// If the bytes are no checkpoint; nothing is taken over then.
    pub fn restore(&mut self, bytes: impl Into<Vec<u8>>) -> Result<u64, CheckpointFormatError> {
        let bytes = bytes.into();
        let mut reader = body(&bytes).ok_or(CheckpointFormatError::Format)?;
        let Some(read) = read(&mut reader) else {
            return Err(CheckpointFormatError::Damaged { at: reader.at() + MAGIC.len() });
        };
        let replay = self.replay.get_or_insert_default();
        replay.positions[usize::from(read.partition)] = read.lsn;
        replay.last_now = replay.last_now.max(read.now);
        for (id, trigger) in read.triggers {
            replay.triggers.insert(id, trigger);
        }
        replay.waiting.extend(read.waiting);
        for (from, lsn) in read.marks {
            self.forwarding.mark((read.partition, from), lsn);
        }
        self.maintenance.restore(read.partition, read.maintenance);
        for trigger in read.foreign {
            self.forwarding.set_problem(read.partition, trigger, true);
        }
        // All partitions of one thread have lived through the same outages.
        if self.outages.iter().len() < read.outages.len() {
            self.outages = Default::default();
            for (from, until) in read.outages {
                self.outages.add(from, until);
            }
        }
        let items = SavedItems { places: read.items, bytes };
        self.replay.get_or_insert_default().items.insert(read.partition, items);
        Ok(read.lsn)
    }
}

fn put_pending(it: &Pending, out: &mut Writer) {
    out.number(it.id);
    out.number(u64::from(it.step));
    out.bits(it.steps);
    out.time(it.time);
    match it.value.as_ref() {
        OwnedRaw::Error(why) => {
            out.number(4);
            out.text(why);
        }
        other => out.raw(other.as_ref()),
    }
    out.value(it.log.as_ref().map(|it| Value::Log(Arc::clone(it))).as_ref());
}

fn put_trigger(id: TriggerId, it: &TriggerState, out: &mut Writer) {
    out.number(id.0);
    out.number(u64::from(it.is_problem));
    out.option(it.error.as_deref());
    let open = it.open.iter().filter_map(|it| match unpack(it.event) {
        StepEventRef::Id(id) => Some((id.0, it.tags.as_deref())),
        StepEventRef::Pending(_) => None,
    });
    let open: Vec<(u64, Option<&[u64]>)> = open.collect();
    out.number(open.len() as u64);
    for (id, tags) in open {
        out.number(id);
        // 0: nothing is known of them.
        out.number(tags.map_or(0, |it| it.len() as u64 + 1));
        for it in tags.unwrap_or_default() {
            out.bits(*it);
        }
    }
}
