//! Values that wait for a step which runs elsewhere.
//!
//! A value that reaches a heavy step is journaled as *pending* and leaves as a job; later values of
//! its item wait behind it, raw, so that order and the memory of steps stay what they would be
//! without waiting. One job an item is under way. A master's value for which its dependants wait is
//! shared by them: see `feeds.rs`.
//!
//! Replay knows what waits from records and checkpoints; [`Shard::start`] issues it again. What a
//! change of configuration does:
//! - The item is gone or disabled: its waiting values are dropped.
//! - Its steps are others: a value that has come past some of the former ones is dropped, others
//!   begin anew. An answer to a job from before is ignored.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use directory::HostPlan;
use directory::steps::{Entry, data_of, owned};
use model::batch::{OwnedRaw, RawRef};
use model::map::Map;
use model::record::PendingRow;
use model::value::LogEntry;
use model::{ItemId, Time, ValueType};
use preprocess::{Context, Data, Trail};

use super::Shard;
use super::feeds::Feeds;
use super::pace::{Paces, Ready, UnderWay, item_of};
use super::record::log_entry;
use super::state::{ENABLED, QUEUED, RULE, Slot};
use super::values::Came;
use crate::effects::{Change, Effects};
use crate::heavy::{HeavyDone, HeavyJob, HeavyTask};

/// Values of one item that may wait.
const VALUES_MAX: usize = 1_000;
/// Bytes of one item that may wait; a single value may be longer.
const BYTES_MAX: usize = 8 << 20;
/// Bytes of a shard that may wait.
const ALL_BYTES_MAX: usize = 256 << 20;
/// What a waiting value takes beside its text, about.
const ENTRY_BYTES: usize = 128;

/// A value that waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    /// Unique among the item's waiting values, ascending.
    pub id: u64,
    pub item: ItemId,
    /// The step that it stands before; of rows in records and checkpoints also
    /// [`model::record::FEED`].
    pub step: u16,
    /// Fingerprint of the item's steps, if it has come past some of them.
    pub steps: u64,
    pub time: Time,
    pub value: Arc<OwnedRaw>,
    pub log: Option<Arc<LogEntry>>,
    /// The master whose value it is, as it came from there; none: the value is here.
    pub from: ItemId,
    /// What the steps before made of it, for the text of an error; not journaled.
    pub trail: Option<Arc<Trail<'static>>>,
}

impl Pending {
    fn n_bytes(&self) -> usize {
        let trail = self.trail.as_ref().map_or(0, |it| it.n_bytes());
        ENTRY_BYTES + len_of(self.value.as_ref().as_ref()) + trail
    }
}

/// The waiting values of an item, oldest first. Not empty, but while the first is taken out.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) entries: VecDeque<Pending>,
    /// Without what is shared.
    n_bytes: usize,
    /// Of values that are shared.
    n_shared: usize,
    /// The job of the first; 0: none.
    ticket: u64,
}

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// By slot.
    pub(super) lines: BTreeMap<u32, Line>,
    pub(super) feeds: Feeds,
    n_values: usize,
    /// Without what is shared.
    n_bytes: usize,
    next_id: u64,
    next_ticket: u64,
    /// Slots whose first value needs a job.
    pub(super) ready: Ready,
    pub(super) paces: Paces,
    /// By ticket.
    under_way: Map<u64, UnderWay>,
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

    /// Jobs get numbers that the other has not given, and its items their paces; what it was processing is spoiled.
    pub(super) fn number_from(&mut self, other: &mut Self) {
        self.paces = std::mem::take(&mut other.paces);
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
        self.n_bytes + self.feeds.n_bytes()
    }

    pub(super) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn n_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// What waits at a slot.
    pub(super) fn of(&self, at: u32) -> impl Iterator<Item = &Pending> {
        self.lines.get(&at).into_iter().flat_map(|it| &it.entries)
    }

    /// Whether an item may have one more value waiting, `n_bytes` long without what is shared.
    pub(super) fn has_room(&self, at: u32, n_bytes: usize, n_shared: usize) -> bool {
        if ALL_BYTES_MAX < self.n_bytes() + n_bytes {
            return false;
        }
        self.lines.get(&at).is_none_or(|it| {
            let known = it.n_bytes + it.n_shared;
            it.entries.len() < VALUES_MAX && (known + n_bytes + n_shared <= BYTES_MAX || known == 0)
        })
    }

    pub(super) fn push(&mut self, at: u32, pending: Pending, in_front: bool) {
        let n_shared = self.feeds.len_of(&pending);
        let line = self.lines.entry(at).or_default();
        let n_bytes = pending.n_bytes();
        line.n_bytes += n_bytes;
        line.n_shared += n_shared;
        self.n_bytes += n_bytes;
        self.n_values += 1;
        if in_front {
            line.entries.push_front(pending);
        } else {
            line.entries.push_back(pending);
        }
    }

    pub(super) fn pop(&mut self, at: u32) -> Option<Pending> {
        self.take_out(at, 0)
    }

    /// Takes a value out of a line; the line stays, even if it is empty.
    pub(super) fn take_out(&mut self, at: u32, position: usize) -> Option<Pending> {
        let line = self.lines.get_mut(&at)?;
        let pending = line.entries.remove(position)?;
        line.n_bytes -= pending.n_bytes();
        line.n_shared = line.n_shared.saturating_sub(self.feeds.len_of(&pending));
        self.n_bytes -= pending.n_bytes();
        self.n_values -= 1;
        Some(pending)
    }

    pub(super) fn set_ticket(&mut self, at: u32, ticket: u64) {
        if let Some(line) = self.lines.get_mut(&at) {
            line.ticket = ticket;
        }
    }

    /// Sums up anew what lines share.
    pub(super) fn sum_shared(&mut self) {
        for line in self.lines.values_mut() {
            line.n_shared = line.entries.iter().map(|it| self.feeds.len_of(it)).sum();
        }
    }

    /// The answer to the job of a line's first value will be ignored.
    fn take_back(&mut self, at: u32) {
        if let Some(line) = self.lines.get_mut(&at) {
            line.ticket = 0;
        }
    }

    /// Whether the line's first value waits for this answer; if so, it no longer does.
    fn was_asked(&mut self, at: u32, ticket: u64) -> bool {
        let line = self.lines.get_mut(&at).filter(|it| it.ticket == ticket);
        line.map(|it| it.ticket = 0).is_some()
    }

    pub(super) fn remove(&mut self, at: u32) -> Vec<Pending> {
        let Some(line) = self.lines.remove(&at) else { return Vec::new() };
        self.n_bytes -= line.n_bytes;
        self.n_values -= line.entries.len();
        line.entries.into()
    }
}

pub(super) fn len_of(raw: RawRef<'_>) -> usize {
    match raw {
        RawRef::Text(it) | RawRef::Error(it) => it.len(),
        RawRef::Unsigned(_) | RawRef::Float(_) | RawRef::Nothing => 0,
    }
}

impl Shard {
    /// Whether a value that may have to wait would find room.
    pub(super) fn has_room(&mut self, at: u32, raw: RawRef<'_>) -> bool {
        let has_room = self.lines.has_room(at, ENTRY_BYTES + len_of(raw), 0);
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
        // Values from outside have been asked for before.
        if self.has_room(at, raw) {
            self.wait(at, slot, came, (0, Arc::new(owned(raw)), None), effects);
        }
    }

    /// A value waits before a step: for its job, or behind others.
    pub(super) fn wait(
        &mut self,
        at: u32,
        slot: &Slot,
        came: Came<'_>,
        (step, value, trail): (u16, Arc<OwnedRaw>, Option<Arc<Trail<'static>>>),
        effects: &mut Effects,
    ) {
        let is_known = came.id != 0;
        let pending = Pending {
            id: if is_known { came.id } else { self.lines.new_id() },
            item: slot.item,
            step,
            steps: if step == 0 { 0 } else { self.hosts.fingerprint(slot) },
            time: came.time,
            value,
            log: came.log.map(|it| Arc::new(it.clone())),
            from: ItemId::NONE,
            trail,
        };
        // A raw value that begins anew is in the journal already.
        if !is_known || step != 0 {
            effects.changes.push(Change::Pending(pending.clone()));
        }
        let is_first = self.lines.of(at).next().is_none();
        self.lines.push(at, pending, is_known);
        self.items.slot_mut(at).flags |= QUEUED;
        if is_first || is_known {
            self.lines.ready.push_back(at);
        }
    }

    /// Puts jobs into the effects, as many as may be under way.
    pub(super) fn issue(&mut self, effects: &mut Effects) {
        while let Some((at, pace)) = self.next_ready() {
            let Some(first) = self.needs_job(at) else { continue };
            let Some(task) = self.task(at, &first) else {
                self.drop_first(at, effects);
                self.go_on(at, effects);
                continue;
            };
            self.lines.next_ticket += 1;
            let ticket = self.lines.next_ticket;
            self.lines.set_ticket(at, ticket);
            let timed = item_of(&first, &task);
            let shared = self.lines.feeds.value_of(&first);
            let value = shared.unwrap_or(Arc::clone(&first.value));
            let (mut slots, mut tasks) = (vec![at], vec![task]);
            self.join(&first, ticket, &mut slots, &mut tasks);
            let item = if tasks.len() == 1 { first.item } else { first.from };
            self.lines.ready.begin(pace);
            self.lines.under_way.insert(ticket, UnderWay { pace, item: timed, slots });
            self.counters.heavy_jobs += 1;
            effects.heavy.push(HeavyJob { ticket, item, pace, value, tasks });
        }
        self.settle_feeds(effects);
    }

    /// The first value of a line, if it has no job.
    pub(super) fn needs_job(&self, at: u32) -> Option<Pending> {
        self.lines.lines.get(&at).filter(|it| it.ticket == 0)?.entries.front().cloned()
    }

    pub(super) fn task(&self, at: u32, first: &Pending) -> Option<HeavyTask> {
        let slot = self.items.get(at)?;
        let item = self.hosts.item_plan(slot)?;
        Some(HeavyTask {
            steps: Arc::clone(item.program.as_ref()?.steps()),
            step: usize::from(first.step),
            context: Context { time: first.time, value_type: kind_of(slot) },
        })
    }

    /// Takes answers of workers, each once.
    pub(super) fn heavy_done(&mut self, answers: &[HeavyDone], effects: &mut Effects) {
        for answer in answers {
            let mut is_of_use = false;
            let job = self.lines.under_way.remove(&answer.ticket);
            for (task, at) in job.iter().flat_map(|it| it.slots.clone()).enumerate() {
                if self.lines.was_asked(at, answer.ticket) {
                    is_of_use = true;
                    self.answered_heavy(at, (answer, task), effects);
                }
            }
            if let Some(job) = job {
                self.lines.has_taken(&job, is_of_use.then_some(answer.spent_ns));
            }
            self.counters.heavy_ignored += u64::from(!is_of_use);
        }
    }

    fn answered_heavy(
        &mut self,
        at: u32,
        (answer, task): (&HeavyDone, usize),
        effects: &mut Effects,
    ) {
        let Some(slot) = self.items.slot(at) else { return };
        let Some(pending) = self.lines.pop(at) else { return };
        self.lines.current = Some((at, pending.id));
        self.lines.answered = self.lines.current;
        self.enter(&slot, at, pending.time, effects);
        let step = usize::from(pending.step);
        let raw = self.lines.feeds.value_of(&pending).unwrap_or(Arc::clone(&pending.value));
        let value = data_of(raw.as_ref().as_ref()).unwrap_or(Data::text(""));
        self.hand_on_rows(at, &slot, (step, pending.time), answer.rows(task), effects);
        let trail = match pending.trail.as_deref() {
            Some(it) => it.clone(),
            None => Trail::of(step, &value),
        };
        let entry = Entry::Resumed { step, trail, result: answer.result(task) };
        let progress = self.preprocess(at, &slot, entry, pending.time, effects);
        let waits = self.progressed(at, &slot, Came::of(&pending), progress, effects);
        self.lines.current = None;
        if waits {
            self.has_moved_on(at, &pending);
        } else {
            self.finished(at, &pending, effects);
            self.go_on(at, effects);
        }
    }

    /// A value that was taken out of the line at a slot does not come back.
    pub(super) fn finished(&mut self, at: u32, pending: &Pending, effects: &mut Effects) {
        if pending.from.is_some() {
            self.lines.feeds.release(at, pending, true);
        } else {
            effects.changes.push(Change::PendingDone { id: pending.id, item: pending.item });
        }
    }

    fn drop_first(&mut self, at: u32, effects: &mut Effects) {
        if let Some(first) = self.lines.pop(at) {
            self.counters.pending_dropped += 1;
            self.finished(at, &first, effects);
        }
    }

    /// Takes up the values of a line until one has to wait for a job.
    pub(super) fn go_on(&mut self, at: u32, effects: &mut Effects) {
        let Some(slot) = self.items.slot(at) else { return };
        let steps = self.hosts.fingerprint(&slot);
        loop {
            let Some(first) = self.lines.of(at).next() else { break };
            let is_of_these = first.steps == steps;
            let shared = self.lines.feeds.value_of(first);
            match first.step {
                1.. if is_of_these => {
                    self.lines.ready.push_back(at);
                    return;
                }
                1.. => {
                    self.drop_first(at, effects);
                    continue;
                }
                0 => {}
            }
            if shared.as_deref().is_some_and(|it| self.is_job_for(at, it.as_ref())) {
                self.lines.ready.push_back(at);
                return;
            }
            let Some(pending) = self.lines.pop(at) else { return };
            self.lines.current = Some((at, pending.id));
            self.enter(&slot, at, pending.time, effects);
            let raw = shared.as_ref().unwrap_or(&pending.value).as_ref().as_ref();
            let entry = Entry::Raw(raw, None);
            let progress = self.preprocess(at, &slot, entry, pending.time, effects);
            let waits = self.progressed(at, &slot, Came::of(&pending), progress, effects);
            self.lines.current = None;
            if waits {
                self.has_moved_on(at, &pending);
                return;
            }
            self.finished(at, &pending, effects);
        }
        self.lines.remove(at);
        self.items.slot_mut(at).flags &= !QUEUED;
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
        if self.items.get(at).is_some_and(|it| it.has(ENABLED)) {
            self.go_on(at, effects);
            return;
        }
        self.forget_line(at, Some(effects));
    }

    /// Drops what waits at a slot. Without effects the item is gone, and its records say enough.
    pub(super) fn forget_line(&mut self, at: u32, mut effects: Option<&mut Effects>) {
        let dropped = self.lines.remove(at);
        self.counters.pending_dropped += dropped.len() as u64;
        if let Some(slot) = self.items.get_mut(at) {
            slot.flags &= !QUEUED;
        }
        for it in &dropped {
            match effects.as_deref_mut() {
                Some(effects) => self.finished(at, it, effects),
                None => self.lines.feeds.release(at, it, false),
            }
        }
    }

    /// Slots at which values wait.
    pub(super) fn lines_at(&self) -> Vec<u32> {
        self.lines.lines.keys().copied().collect()
    }

    /// Takes a waiting value as a record or a checkpoint has it.
    pub(super) fn put_pending(&mut self, at: u32, pending: Pending) {
        self.lines.next_id = self.lines.next_id.max(pending.id);
        let Some(pending) = self.put_feed(at, pending) else { return };
        let line = self.lines.lines.get(&at);
        let known = line.and_then(|it| it.entries.iter().position(|it| it.id == pending.id));
        let before = known.and_then(|it| self.lines.take_out(at, it));
        if let Some(before) = before {
            self.lines.feeds.release(at, &before, false);
        }
        self.lines.push(at, pending, known.is_some());
        self.items.slot_mut(at).flags |= QUEUED;
    }

    /// Forgets a waiting value, as a record says.
    pub(super) fn take_pending(&mut self, at: u32, id: u64) -> Option<Pending> {
        let line = self.lines.lines.get(&at)?;
        let position = line.entries.iter().position(|it| it.id == id)?;
        let gone = self.lines.take_out(at, position)?;
        if self.lines.of(at).next().is_none() {
            self.lines.remove(at);
            self.items.slot_mut(at).flags &= !QUEUED;
        }
        Some(gone)
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
                    from: ItemId::NONE,
                    trail: None,
                },
            ),
            PendingRow::Done { id, item } => {
                if self.end_feed(item, id) {
                    return;
                }
                if let Some(gone) = self.take_pending(at, id) {
                    self.lines.feeds.release(at, &gone, false);
                }
            }
        }
    }

    /// What a panic came over makes its item unsupported and does not wait any longer.
    pub(super) fn spoil_lines(&mut self, effects: &mut Effects) {
        let Some((at, id)) = self.lines.spoiled.take() else { return };
        let Some(slot) = self.items.slot(at) else { return };
        if let Some(gone) = self.take_pending(at, id) {
            self.finished(at, &gone, effects);
        }
        let why = "internal error while processing the value".into();
        self.unsupported(at, &slot, self.now.wall, why, effects);
    }
}

/// A rule's data are text, whatever its content says.
pub(super) fn kind_of(slot: &Slot) -> ValueType {
    if slot.has(RULE) { ValueType::Text } else { slot.value_type() }
}
