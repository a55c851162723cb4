//! Values that wait for a step which runs elsewhere.
//!
//! A value that reaches a heavy step is journaled as *pending* and leaves as a job; later values of
//! its item wait behind it, raw, so that order and the memory of steps stay what they would be
//! without waiting. One job an item is under way. Of a master whose value is heavy for its
//! dependants one job runs the first steps of all of them.
//!
//! Replay knows what waits from records and checkpoints; [`Shard::start`] issues it again. What a
//! change of configuration does:
//! - The item is gone or disabled: its waiting values are dropped.
//! - Its steps are others: a value that has come past some of the former ones is dropped, others
//!   begin anew. An answer to a job from before is ignored.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lang::preprocess::{Context, Data};
use model::batch::{OwnedRaw, RawRef};
use model::map::Map;
use model::record::{DEPENDENTS, PendingRow};
use model::value::LogEntry;
use model::{ItemId, Time, ValueType};

use super::Shard;
use super::record::log_entry;
use super::state::{ENABLED, QUEUED, RULE, Slot};
use super::values::Came;
use crate::directory::HostPlan;
use crate::effects::{Change, Effects};
use crate::heavy::{HeavyDone, HeavyJob, HeavyTask};
use crate::steps::{Entry, data_of, owned};

/// Values of one item that may wait.
const VALUES_MAX: usize = 1_000;
/// Bytes of one item that may wait; a single value may be longer.
const BYTES_MAX: usize = 8 << 20;
/// Bytes of a shard that may wait.
const ALL_BYTES_MAX: usize = 256 << 20;
/// What a waiting value takes beside its text, about.
const ENTRY_BYTES: usize = 128;
/// Jobs of a shard that are under way.
const UNDER_WAY_MAX: usize = 1_024;

/// A value that waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    /// Unique among the item's waiting values, ascending.
    pub id: u64,
    pub item: ItemId,
    /// The step that it stands before, or [`DEPENDENTS`].
    pub step: u16,
    /// Fingerprint of the item's steps.
    pub steps: u64,
    pub time: Time,
    pub value: Arc<OwnedRaw>,
    pub log: Option<Arc<LogEntry>>,
}

impl Pending {
    fn n_bytes(&self) -> usize {
        ENTRY_BYTES + len_of(self.value.as_ref().as_ref())
    }
}

/// The waiting values of an item, oldest first. Not empty, but while the first is taken out.
#[derive(Debug, Default)]
struct Line {
    entries: VecDeque<Pending>,
    n_bytes: usize,
    /// The job of the first; 0: none.
    ticket: u64,
}

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// By slot.
    lines: BTreeMap<u32, Line>,
    n_values: usize,
    n_bytes: usize,
    next_id: u64,
    next_ticket: u64,
    /// Slots whose first value needs a job, in order.
    ready: VecDeque<u32>,
    /// Ticket to slot.
    under_way: Map<u64, u32>,
    /// What is being processed: after a panic it is not tried again.
    current: Option<(u32, u64)>,
    /// As this, of the answer that the step under way took last.
    answered: Option<(u32, u64)>,
    spoiled: Option<(u32, u64)>,
}

impl Lines {
    /// A step begins.
    pub(super) fn begin(&mut self) {
        (self.current, self.answered) = (None, None);
    }

    /// Jobs get numbers that the other has not given; what it was processing is spoiled.
    pub(super) fn number_from(&mut self, other: &Self) {
        self.next_ticket = other.next_ticket;
        self.next_id = self.next_id.max(other.next_id);
        self.spoiled = other.current.or(other.answered);
    }

    pub(super) fn n_items(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn n_values(&self) -> usize {
        self.n_values
    }

    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    pub(super) fn n_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// What waits at a slot.
    pub(super) fn of(&self, at: u32) -> impl Iterator<Item = &Pending> {
        self.lines.get(&at).into_iter().flat_map(|it| &it.entries)
    }

    fn has_room(&self, at: u32, n_bytes: usize) -> bool {
        if ALL_BYTES_MAX < self.n_bytes + n_bytes {
            return false;
        }
        self.lines.get(&at).is_none_or(|it| {
            it.entries.len() < VALUES_MAX && (it.n_bytes + n_bytes <= BYTES_MAX || it.n_bytes == 0)
        })
    }

    fn push(&mut self, at: u32, pending: Pending, in_front: bool) {
        let line = self.lines.entry(at).or_default();
        let n_bytes = pending.n_bytes();
        line.n_bytes += n_bytes;
        self.n_bytes += n_bytes;
        self.n_values += 1;
        if in_front {
            line.entries.push_front(pending);
        } else {
            line.entries.push_back(pending);
        }
    }

    fn pop(&mut self, at: u32) -> Option<Pending> {
        let line = self.lines.get_mut(&at)?;
        let pending = line.entries.pop_front()?;
        line.n_bytes -= pending.n_bytes();
        self.n_bytes -= pending.n_bytes();
        self.n_values -= 1;
        Some(pending)
    }

    /// Forgets the job of a line's first value: its answer is ignored.
    fn take_back(&mut self, at: u32) {
        if let Some(line) = self.lines.get_mut(&at) {
            self.under_way.remove(&std::mem::take(&mut line.ticket));
        }
    }

    fn remove(&mut self, at: u32) -> Vec<Pending> {
        self.take_back(at);
        let Some(line) = self.lines.remove(&at) else { return Vec::new() };
        self.n_bytes -= line.n_bytes;
        self.n_values -= line.entries.len();
        line.entries.into()
    }
}

fn len_of(raw: RawRef<'_>) -> usize {
    match raw {
        RawRef::Text(it) | RawRef::Error(it) => it.len(),
        RawRef::Unsigned(_) | RawRef::Float(_) | RawRef::Nothing => 0,
    }
}

impl Shard {
    /// Whether a value that may have to wait would find room.
    pub(super) fn has_room(&mut self, at: u32, raw: RawRef<'_>) -> bool {
        let has_room = self.lines.has_room(at, ENTRY_BYTES + len_of(raw));
        self.counters.pending_refused += u64::from(!has_room);
        has_room
    }

    /// A raw value waits behind others of its item.
    pub(super) fn queue_up(
        &mut self,
        at: u32,
        slot: &Slot,
        came: Came<'_>,
        raw: RawRef<'_>,
        effects: &mut Effects,
    ) {
        // Values from outside have been asked for before; dependants' are refused here.
        if self.has_room(at, raw) {
            self.wait(at, slot, came, (0, Arc::new(owned(raw))), effects);
        }
    }

    /// A value waits before a step: for its job, or behind others.
    pub(super) fn wait(
        &mut self,
        at: u32,
        slot: &Slot,
        came: Came<'_>,
        (step, value): (u16, Arc<OwnedRaw>),
        effects: &mut Effects,
    ) {
        let is_known = came.id != 0;
        if !is_known {
            self.lines.next_id += 1;
        }
        let pending = Pending {
            id: if is_known { came.id } else { self.lines.next_id },
            item: slot.item,
            step,
            steps: self.fingerprint(slot),
            time: came.time,
            value,
            log: came.log.map(|it| Arc::new(it.clone())),
        };
        // A raw value that begins anew is in the journal already.
        if !is_known || step != 0 {
            effects.changes.push(Change::Pending(pending.clone()));
        }
        let is_first = self.lines.of(at).next().is_none();
        self.lines.push(at, pending, is_known);
        self.slots[at as usize].flags |= QUEUED;
        if is_first || is_known {
            self.lines.ready.push_back(at);
        }
    }

    fn fingerprint(&self, slot: &Slot) -> u64 {
        let item = self.host(slot.host).and_then(|it| it.plan.layout.item(slot.position));
        item.and_then(|it| it.program.as_ref()).map_or(0, |it| it.fingerprint())
    }

    /// Puts jobs into the effects, as many as may be under way.
    pub(super) fn issue(&mut self, effects: &mut Effects) {
        while self.lines.under_way.len() < UNDER_WAY_MAX {
            let Some(at) = self.lines.ready.pop_front() else { return };
            let Some(line) = self.lines.lines.get(&at).filter(|it| it.ticket == 0) else {
                continue;
            };
            let Some(first) = line.entries.front().cloned() else { continue };
            let tasks = self.tasks(at, &first);
            if tasks.is_empty() {
                // The dependants that waited are gone.
                self.drop_first(at, effects);
                self.go_on(at, effects);
                continue;
            }
            self.lines.next_ticket += 1;
            let ticket = self.lines.next_ticket;
            self.lines.under_way.insert(ticket, at);
            if let Some(line) = self.lines.lines.get_mut(&at) {
                line.ticket = ticket;
            }
            self.counters.heavy_jobs += 1;
            effects.heavy.push(HeavyJob { ticket, item: first.item, value: first.value, tasks });
        }
    }

    fn tasks(&self, at: u32, first: &Pending) -> Vec<HeavyTask> {
        let task = |at: u32, step: u16| {
            let slot = self.slots.get(at as usize)?;
            let item = self.host(slot.host)?.plan.layout.item(slot.position)?;
            Some(HeavyTask {
                steps: Arc::clone(item.program.as_ref()?.steps()),
                step: usize::from(step),
                context: Context { time: first.time, value_type: kind_of(slot) },
            })
        };
        if first.step != DEPENDENTS {
            return task(at, first.step).into_iter().collect();
        }
        let dependents = self.heavy_dependents(at, len_of(first.value.as_ref().as_ref()));
        dependents.into_iter().filter_map(|it| task(it, 0)).collect()
    }

    /// Slots of the enabled dependants for which a value of so many bytes is heavy.
    fn heavy_dependents(&self, at: u32, n_bytes: usize) -> Vec<u32> {
        let Some(slot) = self.slots.get(at as usize) else { return Vec::new() };
        let Some(host) = self.host(slot.host) else { return Vec::new() };
        let layout = &host.plan.layout;
        let positions = layout.item(slot.position).map(|it| layout.dependents_of(it));
        let is_heavy = |position: &u32| {
            let program = layout.item(*position).and_then(|it| it.program.as_ref());
            program.is_some_and(|it| it.begins_heavy(n_bytes))
        };
        let heavy = positions.into_iter().flatten().copied().filter(is_heavy);
        let slots = heavy.filter_map(|it| host.plan.slots.get(it));
        let is_enabled = |at: &u32| self.slots.get(*at as usize).is_some_and(|it| it.has(ENABLED));
        slots.filter(is_enabled).collect()
    }

    /// Takes answers of workers, each once.
    pub(super) fn heavy_done(&mut self, answers: &[HeavyDone], effects: &mut Effects) {
        for answer in answers {
            let Some(at) = self.lines.under_way.remove(&answer.ticket) else {
                self.counters.heavy_ignored += 1;
                continue;
            };
            self.answered_heavy(at, answer, effects);
        }
    }

    fn answered_heavy(&mut self, at: u32, answer: &HeavyDone, effects: &mut Effects) {
        let Some(slot) = self.slots.get(at as usize).copied() else { return };
        let n_bytes = self.lines.of(at).next().map(|it| len_of(it.value.as_ref().as_ref()));
        let Some(pending) = self.lines.pop(at) else { return };
        if let Some(line) = self.lines.lines.get_mut(&at) {
            line.ticket = 0;
        }
        self.lines.current = Some((at, pending.id));
        self.lines.answered = self.lines.current;
        self.enter(&slot, at, pending.time, effects);
        let waits = if pending.step == DEPENDENTS {
            self.feed_results(at, n_bytes.unwrap_or(0), &pending, answer, effects);
            false
        } else {
            let step = usize::from(pending.step);
            let value = data_of(pending.value.as_ref().as_ref()).unwrap_or(Data::text(""));
            self.hand_on_rows(at, &slot, (step, pending.time), answer.rows(0), effects);
            let entry = Entry::Resumed { step, value: &value, result: answer.result(0) };
            let progress = self.preprocess(at, &slot, entry, pending.time, effects);
            self.progressed(at, &slot, Came::of(&pending), progress, effects)
        };
        self.lines.current = None;
        if !waits {
            self.finished(&pending, effects);
            self.go_on(at, effects);
        }
    }

    /// Gives dependants what their first steps made of a master's value.
    fn feed_results(
        &mut self,
        at: u32,
        n_bytes: usize,
        pending: &Pending,
        answer: &HeavyDone,
        effects: &mut Effects,
    ) {
        let raw = pending.value.as_ref().as_ref();
        let value = data_of(raw).unwrap_or(Data::text(""));
        let came = Came { id: 0, time: pending.time, log: None };
        self.level += 1;
        for (task, at) in self.heavy_dependents(at, n_bytes).into_iter().enumerate() {
            let Some(slot) = self.slots.get(at as usize).copied() else { continue };
            if slot.has(QUEUED) {
                self.queue_up(at, &slot, came, raw, effects);
                continue;
            }
            self.hand_on_rows(at, &slot, (0, pending.time), answer.rows(task), effects);
            let entry = Entry::Resumed { step: 0, value: &value, result: answer.result(task) };
            let progress = self.preprocess(at, &slot, entry, pending.time, effects);
            self.progressed(at, &slot, came, progress, effects);
        }
        self.level -= 1;
    }

    fn finished(&mut self, pending: &Pending, effects: &mut Effects) {
        effects.changes.push(Change::PendingDone { id: pending.id, item: pending.item });
    }

    fn drop_first(&mut self, at: u32, effects: &mut Effects) {
        if let Some(first) = self.lines.pop(at) {
            self.counters.pending_dropped += 1;
            self.finished(&first, effects);
        }
    }

    /// Takes up the values of a line until one has to wait for a job.
    pub(super) fn go_on(&mut self, at: u32, effects: &mut Effects) {
        let Some(slot) = self.slots.get(at as usize).copied() else { return };
        let steps = self.fingerprint(&slot);
        loop {
            let first = self.lines.of(at).next().map(|it| (it.step, it.steps == steps));
            match first {
                None => break,
                Some((DEPENDENTS, _)) | Some((1.., true)) => {
                    self.lines.ready.push_back(at);
                    return;
                }
                Some((1.., false)) => {
                    self.drop_first(at, effects);
                    continue;
                }
                Some((0, _)) => {}
            }
            let Some(pending) = self.lines.pop(at) else { return };
            self.lines.current = Some((at, pending.id));
            self.enter(&slot, at, pending.time, effects);
            let raw = pending.value.as_ref().as_ref();
            let entry = Entry::Raw(raw, None);
            let progress = self.preprocess(at, &slot, entry, pending.time, effects);
            let waits = self.progressed(at, &slot, Came::of(&pending), progress, effects);
            self.lines.current = None;
            if waits {
                return;
            }
            self.finished(&pending, effects);
        }
        self.lines.remove(at);
        self.slots[at as usize].flags &= !QUEUED;
    }

    /// After a change of these hosts.
    pub(super) fn review_lines(&mut self, plans: &[Arc<HostPlan>], effects: &mut Effects) {
        if self.lines.lines.is_empty() {
            return;
        }
        let slots = plans.iter().flat_map(|it| it.slots.iter());
        let due: Vec<u32> = slots.filter(|it| self.lines.lines.contains_key(it)).collect();
        due.into_iter().for_each(|it| self.review_line(it, effects));
    }

    /// After a change of configuration: what waits at a slot goes on, or is dropped.
    pub(super) fn review_line(&mut self, at: u32, effects: &mut Effects) {
        self.lines.take_back(at);
        if self.slots.get(at as usize).is_some_and(|it| it.has(ENABLED)) {
            self.go_on(at, effects);
            return;
        }
        self.forget_line(at, Some(effects));
    }

    /// Drops what waits at a slot. Without effects the item is gone, and its records say enough.
    pub(super) fn forget_line(&mut self, at: u32, effects: Option<&mut Effects>) {
        let dropped = self.lines.remove(at);
        self.counters.pending_dropped += dropped.len() as u64;
        if let Some(slot) = self.slots.get_mut(at as usize) {
            slot.flags &= !QUEUED;
        }
        if let Some(effects) = effects {
            dropped.iter().for_each(|it| self.finished(it, effects));
        }
    }

    /// Slots at which values wait.
    pub(super) fn lines_at(&self) -> Vec<u32> {
        self.lines.lines.keys().copied().collect()
    }

    /// Takes a waiting value as a record or a checkpoint has it.
    pub(super) fn put_pending(&mut self, at: u32, pending: Pending) {
        self.lines.next_id = self.lines.next_id.max(pending.id);
        let line = self.lines.lines.entry(at).or_default();
        let known = line.entries.iter_mut().find(|it| it.id == pending.id);
        let Some(known) = known else {
            self.lines.push(at, pending, false);
            self.slots[at as usize].flags |= QUEUED;
            return;
        };
        let (old, new) = (known.n_bytes(), pending.n_bytes());
        *known = pending;
        line.n_bytes = line.n_bytes + new - old;
        self.lines.n_bytes = self.lines.n_bytes + new - old;
    }

    /// Forgets a waiting value, as a record says.
    fn take_pending(&mut self, at: u32, id: u64) {
        let Some(line) = self.lines.lines.get_mut(&at) else { return };
        let Some(position) = line.entries.iter().position(|it| it.id == id) else { return };
        let Some(gone) = line.entries.remove(position) else { return };
        line.n_bytes -= gone.n_bytes();
        self.lines.n_bytes -= gone.n_bytes();
        self.lines.n_values -= 1;
        if line.entries.is_empty() {
            self.lines.remove(at);
            self.slots[at as usize].flags &= !QUEUED;
        }
    }

    pub(super) fn apply_pending(&mut self, at: u32, row: PendingRow<'_>) {
        match row {
            PendingRow::Issued(row) => self.put_pending(
                at,
                Pending {
                    id: row.id,
                    item: row.item,
                    step: row.step,
                    steps: row.steps,
                    time: row.time,
                    value: Arc::new(owned(row.value)),
                    log: row.log.map(|it| Arc::new(log_entry("", &it))),
                },
            ),
            PendingRow::Done { id, .. } => self.take_pending(at, id),
        }
    }

    /// What a panic came over makes its item unsupported and does not wait any longer.
    pub(super) fn spoil_lines(&mut self, effects: &mut Effects) {
        let Some((at, id)) = self.lines.spoiled.take() else { return };
        let Some(slot) = self.slots.get(at as usize).copied() else { return };
        self.take_pending(at, id);
        effects.changes.push(Change::PendingDone { id, item: slot.item });
        let why = "internal error while processing the value".into();
        self.unsupported(at, &slot, self.now.wall, why, effects);
    }
}

/// A rule's data are text, whatever its content says.
pub(super) fn kind_of(slot: &Slot) -> ValueType {
    if slot.has(RULE) { ValueType::Text } else { slot.value_type() }
}
