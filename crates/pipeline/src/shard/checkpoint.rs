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

use std::sync::Arc;

use directory::steps::owned;
use model::batch::{OwnedRaw, RawRef};
use model::{HostId, ItemId, Time, TriggerId, Value};
use preprocess::StepState;

use super::Shard;
use super::codec::{Reader, Writer};
use super::maintenance::{Maintained, Maintenance};
use super::saved::SavedItem;

use super::open::OpenProblem;
use super::open::unpack;
use super::recorded_values::{remembered, step_state};
use super::state::{MIRROR, Slot, TriggerState};
use super::trends::Accumulator;
use super::waiting::{Saved, read_saved, save};
use crate::effects::EventRef;
use crate::live::{LiveCell, Texts};
use crate::pending::Pending;

const MAGIC: &[u8; 4] = b"SPC6";
/// Without trends and sections behind the others.
const MAGIC_5: &[u8; 4] = b"SPC5";
/// Without tags of open problems, too.
const MAGIC_4: &[u8; 4] = b"SPC4";
/// Without deferred evaluations, too.
const MAGIC_3: &[u8; 4] = b"SPC3";
/// Without events that wait, too.
const MAGIC_2: &[u8; 4] = b"SPC2";
/// Without values that wait, too.
const MAGIC_1: &[u8; 4] = b"SPC1";

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
pub enum CheckpointError {
    #[error("not a checkpoint of a format that this program knows")]
    Format,
    #[error("the checkpoint is damaged at byte {at}")]
    Damaged { at: usize },
}

/// Versions from which on there are values that wait, events that wait and deferred evaluations, tags of open
/// problems, trends and sections.
const HAS_PENDING: usize = 2;
const HAS_WAITING: usize = 3;
const HAS_TAGS: usize = 5;
const HAS_TRENDS: usize = 6;

/// Section of hosts in maintenance.
const MAINTENANCE: u64 = 1;

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
        if 1 <= cell.n_values {
            out.time(cell.time);
            out.bits(cell.bits);
        }
        if 2 <= cell.n_values {
            out.time(cell.prev_time);
            out.bits(cell.prev_bits);
        }
        let texts = self.items.texts(at).filter(|it| {
            it.last.is_some() || it.prev.is_some() || it.error.is_some() || it.position.is_some()
        });
        out.number(u64::from(texts.is_some()));
        if let Some(texts) = texts {
            out.value(texts.last.as_ref());
            out.value(texts.prev.as_ref());
            out.option(texts.error.as_deref());
            let position = texts.position.unwrap_or((u64::MAX, 0));
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
    pub fn restore(&mut self, bytes: impl Into<Vec<u8>>) -> Result<u64, CheckpointError> {
        let bytes = bytes.into();
        let mut reader = body(&bytes).ok_or(CheckpointError::Format)?;
        let Some(read) = read(&mut reader) else {
            return Err(CheckpointError::Damaged { at: reader.at() + MAGIC.len() });
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

fn body(bytes: &[u8]) -> Option<Reader<'_>> {
    let (magic, body) = bytes.split_first_chunk()?;
    let all = [MAGIC_1, MAGIC_2, MAGIC_3, MAGIC_4, MAGIC_5, MAGIC];
    let version = all.into_iter().position(|it| it == magic)? + 1;
    Some(Reader::new(body, version))
}

/// Items of a partition as they were saved. They stay bytes until they are asked for: decoded, a
/// million of them would be several times the memory of the running items.
#[derive(Debug)]
pub(super) struct SavedItems {
    /// Item, whether it is a mirror, and where it is in the body; sorted.
    places: Vec<(ItemId, Place)>,
    bytes: Vec<u8>,
}

/// Twice the position, and one more of a mirror; [`TAKEN`]: it is not asked for again.
type Place = u64;
const TAKEN: Place = Place::MAX;

impl SavedItems {
    /// Takes an item out, once.
    pub(super) fn take(&mut self, item: ItemId, is_mirror: bool) -> Option<SavedItem> {
        let first = self.places.partition_point(|it| it.0 < item);
        let same = self.places.get_mut(first..)?.iter_mut().take_while(|it| it.0 == item);
        let mut found = same.filter(|it| it.1 != TAKEN && (it.1 & 1 != 0) == is_mirror);
        let place = std::mem::replace(&mut found.next()?.1, TAKEN);
        let mut reader = body(&self.bytes)?;
        reader.go_to(usize::try_from(place >> 1).ok()?);
        read_item(&mut reader).map(|(_, _, saved)| saved)
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
        EventRef::Id(id) => Some((id.0, it.tags.as_deref())),
        EventRef::Pending(_) => None,
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

struct Read {
    partition: u8,
    lsn: u64,
    now: Time,
    outages: Vec<(Time, Time)>,
    /// Where they are.
    items: Vec<(ItemId, Place)>,
    triggers: Vec<(TriggerId, TriggerState)>,
    marks: Vec<(u8, u64)>,
    foreign: Vec<TriggerId>,
    waiting: Saved,
    maintenance: Vec<(HostId, Maintained)>,
}

fn read(reader: &mut Reader<'_>) -> Option<Read> {
    let partition = u8::try_from(reader.number()?).ok()?;
    let lsn = reader.number()?;
    let now = reader.time()?;
    let mut outages = Vec::new();
    for _ in 0..reader.len()? {
        outages.push((reader.time()?, reader.time()?));
    }
    let n_items = reader.len()?;
    let mut items = Vec::new();
    for _ in 0..n_items {
        let at = reader.at() as u64;
        let (item, is_mirror, _) = read_item(reader)?;
        items.push((item, at << 1 | u64::from(is_mirror)));
    }
    items.sort_unstable();
    let mut triggers = Vec::new();
    for _ in 0..reader.len()? {
        let id = TriggerId(reader.number()?);
        let is_problem = reader.number()? == 1;
        let error = reader.option()?.map(Arc::from);
        let mut open = Vec::new();
        for _ in 0..reader.len()? {
            let event = reader.number()?;
            let n_tags = if HAS_TAGS <= reader.version() { reader.len()? } else { 0 };
            let tags = match n_tags.checked_sub(1) {
                None => None,
                Some(n) => Some((0..n).map(|_| reader.bits()).collect::<Option<_>>()?),
            };
            open.push(OpenProblem { event, tags });
        }
        triggers.push((id, TriggerState { is_problem, ahead: None, open, error, stamp: 0 }));
    }
    let mut marks = Vec::new();
    for _ in 0..reader.len()? {
        marks.push((u8::try_from(reader.number()?).ok()?, reader.number()?));
    }
    let mut foreign = Vec::new();
    for _ in 0..reader.len()? {
        foreign.push(TriggerId(reader.number()?));
    }
    let n_waiting = if HAS_WAITING <= reader.version() { reader.len()? } else { 0 };
    let waiting = read_saved(reader.take(n_waiting)?)?;
    let mut maintenance = Vec::new();
    let mut before = 0;
    while HAS_TRENDS <= reader.version() && !reader.is_at_end() {
        let (section, n_bytes) = (reader.number()?, reader.len()?);
        let end = reader.at() + n_bytes;
        if section <= before || section != MAINTENANCE {
            return None;
        }
        before = section;
        maintenance = Maintenance::read(reader)?;
        if reader.at() != end {
            return None;
        }
    }
    reader.is_at_end().then_some(Read {
        partition,
        lsn,
        now,
        outages,
        items,
        triggers,
        marks,
        foreign,
        waiting,
        maintenance,
    })
}

fn read_item(reader: &mut Reader<'_>) -> Option<(ItemId, bool, SavedItem)> {
    let item = ItemId(reader.number()?);
    let is_mirror = reader.number()? == 1;
    let since = u32::try_from(reader.number()?).ok()?;
    let flags = reader.number()?;
    let mut cell = LiveCell {
        unsupported: flags & 1 != 0,
        checked: flags != 0,
        n_values: u8::try_from(flags >> 2 & 3).ok()?,
        kind: u8::try_from(flags >> 4).ok()?,
        ..LiveCell::default()
    };
    if 1 <= cell.n_values {
        cell.time = reader.time()?;
        cell.bits = reader.bits()?;
    }
    if 2 <= cell.n_values {
        cell.prev_time = reader.time()?;
        cell.prev_bits = reader.bits()?;
    }
    let texts = match reader.number()? {
        0 => None,
        1 => {
            let (last, prev) = (reader.value()?, reader.value()?);
            let error = reader.option()?.map(Arc::from);
            let position = (reader.number()?, reader.number()?.cast_signed());
            let position = Some(position).filter(|it| it.0 != u64::MAX);
            Some(Texts { last, prev, error, note: None, position })
        }
        _ => return None,
    };
    let mut memory: Vec<StepState> = Vec::new();
    for _ in 0..reader.len()? {
        memory.push(step_state(reader.time()?, reader.raw()?));
    }
    let n_pending = if HAS_PENDING <= reader.version() { reader.len()? } else { 0 };
    let pending: Option<Vec<Pending>> =
        (0..n_pending).map(|_| read_pending(reader, item)).collect();
    let trend = if HAS_TRENDS <= reader.version() {
        Accumulator::read(reader)?
    } else {
        Default::default()
    };
    let (memory, pending) = (memory.into(), pending?);
    let saved = SavedItem { since, cell, texts, memory, pending, trend };
    Some((item, is_mirror, saved))
}

fn read_pending(reader: &mut Reader<'_>, item: ItemId) -> Option<Pending> {
    Some(Pending {
        id: reader.number()?,
        item,
        step: u16::try_from(reader.number()?).ok()?,
        steps: reader.bits()?,
        time: reader.time()?,
        value: Arc::new(owned(reader.raw()?)),
        log: match reader.value()? {
            Some(Value::Log(it)) => Some(it),
            Some(_) => return None,
            None => None,
        },
        from: ItemId::NONE,
        trail: None,
    })
}
