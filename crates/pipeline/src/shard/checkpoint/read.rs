//! Bytes of a checkpoint, read.

use std::sync::Arc;

use directory::steps::owned;
use model::{HostId, ItemId, Time, TriggerId, Value};
use preprocess::StepState;

use crate::live::{LiveCell, Remarks};
use crate::pending::Pending;
use crate::shard::codec::Reader;
use crate::shard::maintenance::{MaintainedHost, Maintenance};
use crate::shard::open::OpenProblem;
use crate::shard::recorded_values::step_state;
use crate::shard::saved::SavedItem;
use crate::shard::state::TriggerState;
use crate::shard::trends::Accumulator;
use crate::shard::waiting::{Saved, read_saved};

pub(super) const MAGIC: &[u8; 4] = b"SPC6";
/// Without trends and sections after the others.
const MAGIC_5: &[u8; 4] = b"SPC5";
/// Without tags of open problems, too.
const MAGIC_4: &[u8; 4] = b"SPC4";
/// Without deferred evaluations, too.
const MAGIC_3: &[u8; 4] = b"SPC3";
/// Without events that wait, too.
const MAGIC_2: &[u8; 4] = b"SPC2";
/// Without values that wait, too.
const MAGIC_1: &[u8; 4] = b"SPC1";

const HAS_PENDING: usize = 2;
const HAS_WAITING: usize = 3;
const HAS_TAGS: usize = 5;
const HAS_TRENDS: usize = 6;

/// Section of hosts in maintenance.
pub(super) const MAINTENANCE: u64 = 1;

pub(super) struct Read {
    pub(super) partition: u8,
    pub(super) lsn: u64,
    pub(super) now: Time,
    pub(super) outages: Vec<(Time, Time)>,
    /// Where they are.
    pub(super) items: Vec<(ItemId, Place)>,
    pub(super) triggers: Vec<(TriggerId, TriggerState)>,
    pub(super) marks: Vec<(u8, u64)>,
    pub(super) foreign: Vec<TriggerId>,
    pub(super) waiting: Saved,
    pub(super) maintenance: Vec<(HostId, MaintainedHost)>,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Option<Read> {
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
    let (two, remarks) = match reader.number()? {
        0 => ((None, None), None),
        1 => {
            let two = (reader.value()?, reader.value()?);
            let error = reader.option()?.map(Arc::from);
            let position = (reader.number()?, reader.number()?.cast_signed());
            let position = Some(position).filter(|it| it.0 != u64::MAX);
            let has_remarks = error.is_some() || position.is_some();
            (two, has_remarks.then_some(Remarks { error, note: None, position }))
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
    let saved = SavedItem { since, cell, two, remarks, memory, pending, trend };
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

pub(super) fn body(bytes: &[u8]) -> Option<Reader<'_>> {
    let (magic, body) = bytes.split_first_chunk()?;
    let all = [MAGIC_1, MAGIC_2, MAGIC_3, MAGIC_4, MAGIC_5, MAGIC];
    let version = all.into_iter().position(|it| it == magic)? + 1;
    Some(Reader::new(body, version))
}

/// Items of a partition as they were saved. They stay bytes until they are asked for: decoded, a
/// million of them would be several times the memory of the running items.
#[derive(Debug)]
pub(in super::super) struct SavedItems {
    /// Item, whether it is a mirror, and where it is in the body; sorted.
    pub(super) places: Vec<(ItemId, Place)>,
    pub(super) bytes: Vec<u8>,
}

/// Twice the position, and one more of a mirror; [`TAKEN`]: it is not asked for again.
pub(super) type Place = u64;
const TAKEN: Place = Place::MAX;

impl SavedItems {
    /// Takes an item out, once.
    pub(in super::super) fn take(&mut self, item: ItemId, is_mirror: bool) -> Option<SavedItem> {
        let first = self.places.partition_point(|it| it.0 < item);
        let same = self.places.get_mut(first..)?.iter_mut().take_while(|it| it.0 == item);
        let mut found = same.filter(|it| it.1 != TAKEN && (it.1 & 1 != 0) == is_mirror);
        let place = std::mem::replace(&mut found.next()?.1, TAKEN);
        let mut reader = body(&self.bytes)?;
        reader.go_to(usize::try_from(place >> 1).ok()?);
        read_item(&mut reader).map(|(_, _, saved)| saved)
    }
}
