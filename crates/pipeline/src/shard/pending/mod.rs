//! Values that wait for a step which runs elsewhere.
//!
//! A value that reaches a heavy step is journaled as *pending* and leaves as a job; later values of
//! its item wait after it, raw, so that order and the memory of steps stay what they would be
//! without waiting. One job an item is under way. A master's value for which its dependants wait is
//! shared by them: see `fan_out.rs`.
//!
//! Replay knows what waits from records and checkpoints; [`Shard::start`] issues it again. On a
//! change of configuration:
//! - The item is gone or disabled: its waiting values are dropped.
//! - Its steps are others: a value that has come past some of the former ones is dropped, others
//!   start over. An answer to a job from before is ignored.

mod fan_out;
mod job_class;
mod value_meta;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use directory::HostPlan;
use directory::steps::owned;
use model::batch::{OwnedRaw, RawRef};
use model::map::Map;
use model::record::{DEPENDENTS, FAN_OUT, IssuedRow, PendingRow};
use model::{ItemId, Time};
use preprocess::{Context, Trail};

use super::hosts::Hosts;
use super::items::Items;
use super::recorded_values::log_entry;
use super::state::{ENABLED, MIRROR, QUEUED, Slot};
use crate::effects::{Change, Effects};
use crate::heavy::{HeavyJob, HeavyTask, JobClass};
use crate::pending::{ENTRY_BYTES, Pending, len_of};
use fan_out::{FanOuts, Key};
use job_class::{JobClasses, JobQueues, RunningJob, item_of};
pub(super) use value_meta::ValueMeta;

/// The most waiting values of one item. When it is reached, further ones are refused.
const VALUES_MAX: usize = 1_000;
/// The most waiting bytes of one item; a single value may be longer. Beyond it values are refused.
const BYTES_MAX: usize = 8 << 20;
/// The most waiting bytes of a shard: bounds its memory. Beyond it values are refused.
const ALL_BYTES_MAX: usize = 256 << 20;
/// Longer texts are not parsed again by each dependant that comes to them late: they go together.
const TOGETHER_BYTES: usize = 4 * 1024;
/// Bytes of a dependant's share, about.
const SHARE_BYTES: usize = 128;

/// The waiting values of an item, oldest first. Not empty, but while the first is taken out.
#[derive(Debug, Default)]
struct PendingQueue {
    entries: VecDeque<Pending>,
    /// Without what is shared.
    n_bytes: usize,
    /// Of values that are shared.
    n_shared: usize,
    /// The job of the first; 0: none.
    ticket: u64,
}

#[derive(Debug, Default)]
pub(super) struct PendingQueues {
    /// By slot.
    queues: BTreeMap<u32, PendingQueue>,
    fan_outs: FanOuts,
    n_values: usize,
    /// Without what is shared.
    n_bytes: usize,
    next_id: u64,
    next_ticket: u64,
    /// Slots whose first value needs a job.
    job_queues: JobQueues,
    classes: JobClasses,
    /// By ticket.
    under_way: Map<u64, RunningJob>,
    /// The value being processed: after a panic it is not tried again.
    current: Option<(u32, u64)>,
    /// As this, of the answer that the step under way took last.
    answered: Option<(u32, u64)>,
    spoiled: Option<(u32, u64)>,
}

impl PendingQueues {
    /// A step begins.
    pub(super) fn begin(&mut self) {
        (self.current, self.answered) = (None, None);
    }

    /// Jobs get numbers that the other has not given, and items the classes they had; the value
    /// that it was processing is spoiled.
    pub(super) fn number_from(&mut self, other: &mut Self) {
        self.classes = std::mem::take(&mut other.classes);
        self.next_ticket = other.next_ticket;
        self.next_id = self.next_id.max(other.next_id);
        self.spoiled = other.current.or(other.answered);
    }

    pub(super) fn n_items(&self) -> usize {
        self.queues.len()
    }

    pub(super) fn n_values(&self) -> usize {
        self.n_values
    }

    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes + self.fan_outs.n_bytes()
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn n_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// The values that wait at a slot.
    fn of(&self, at: u32) -> impl Iterator<Item = &Pending> {
        self.queues.get(&at).into_iter().flat_map(|it| &it.entries)
    }

    /// Whether an item may have one more value waiting, `n_bytes` long without what is shared.
    fn has_room(&self, at: u32, n_bytes: usize, n_shared: usize) -> bool {
        if ALL_BYTES_MAX < self.n_bytes() + n_bytes {
            return false;
        }
        self.queues.get(&at).is_none_or(|it| {
            let known = it.n_bytes + it.n_shared;
            it.entries.len() < VALUES_MAX && (known + n_bytes + n_shared <= BYTES_MAX || known == 0)
        })
    }

    fn push(&mut self, at: u32, pending: Pending, in_front: bool) {
        let n_shared = self.fan_outs.len_of(&pending);
        let queue = self.queues.entry(at).or_default();
        let n_bytes = pending.n_bytes();
        queue.n_bytes += n_bytes;
        queue.n_shared += n_shared;
        self.n_bytes += n_bytes;
        self.n_values += 1;
        if in_front {
            queue.entries.push_front(pending);
        } else {
            queue.entries.push_back(pending);
        }
    }

    fn pop(&mut self, at: u32) -> Option<Pending> {
        self.take_out(at, 0)
    }

    /// Takes a value out of a line; the line stays, even if it is empty.
    fn take_out(&mut self, at: u32, position: usize) -> Option<Pending> {
        let queue = self.queues.get_mut(&at)?;
        let pending = queue.entries.remove(position)?;
        queue.n_bytes -= pending.n_bytes();
        queue.n_shared = queue.n_shared.saturating_sub(self.fan_outs.len_of(&pending));
        self.n_bytes -= pending.n_bytes();
        self.n_values -= 1;
        Some(pending)
    }

    fn set_ticket(&mut self, at: u32, ticket: u64) {
        if let Some(queue) = self.queues.get_mut(&at) {
            queue.ticket = ticket;
        }
    }

    /// Sums up again what queues share.
    fn sum_shared(&mut self) {
        for queue in self.queues.values_mut() {
            queue.n_shared = queue.entries.iter().map(|it| self.fan_outs.len_of(it)).sum();
        }
    }

    /// The answer to the job of a line's first value will be ignored.
    pub(super) fn take_back(&mut self, at: u32) {
        if let Some(queue) = self.queues.get_mut(&at) {
            queue.ticket = 0;
        }
    }

    /// Whether the line's first value waits for this answer; if so, it no longer does.
    pub(super) fn was_asked(&mut self, at: u32, ticket: u64) -> bool {
        let queue = self.queues.get_mut(&at).filter(|it| it.ticket == ticket);
        queue.map(|it| it.ticket = 0).is_some()
    }

    fn remove(&mut self, at: u32) -> Vec<Pending> {
        let Some(queue) = self.queues.remove(&at) else { return Vec::new() };
        self.n_bytes -= queue.n_bytes;
        self.n_values -= queue.entries.len();
        queue.entries.into()
    }

    /// Whether a value that may have to wait would find room.
    pub(super) fn has_room_for(&self, at: u32, raw: RawRef<'_>) -> bool {
        self.has_room(at, ENTRY_BYTES + len_of(raw), 0)
    }

    /// A value waits before a step: for its job, or after others. `steps`: fingerprint of the item's
    /// steps.
    pub(super) fn wait(
        &mut self,
        items: &mut Items,
        (at, slot, steps): (u32, &Slot, u64),
        meta: ValueMeta<'_>,
        (step, value, trail): (u16, Arc<OwnedRaw>, Option<Arc<Trail<'static>>>),
        effects: &mut Effects,
    ) {
        let is_known = meta.id != 0;
        let pending = Pending {
            id: if is_known { meta.id } else { self.new_id() },
            item: slot.item,
            step,
            steps: if step == 0 { 0 } else { steps },
            time: meta.time,
            value,
            log: meta.log.map(|it| Arc::new(it.clone())),
            from: ItemId::NONE,
            trail,
        };
        // A raw value that starts over is in the journal already.
        if !is_known || step != 0 {
            effects.changes.push(Change::Pending(pending.clone()));
        }
        let is_first = self.of(at).next().is_none();
        self.push(at, pending, is_known);
        items.slot_mut(at).flags |= QUEUED;
        if is_first || is_known {
            self.job_queues.push_back(at);
        }
    }

    /// A master's value waits for these of its dependants; gives how many of them have no room.
    pub(super) fn fan_out(
        &mut self,
        items: &mut Items,
        master: ItemId,
        (time, raw): (Time, RawRef<'_>),
        mut dependents: Vec<u32>,
        effects: &mut Effects,
    ) -> usize {
        let n_bytes = len_of(raw);
        let n_before = dependents.len();
        dependents.retain(|it| self.has_room(*it, SHARE_BYTES, n_bytes));
        let n_refused = n_before - dependents.len();
        if dependents.is_empty() {
            return n_refused;
        }
        let key = (master, self.new_id());
        let value = Arc::new(owned(raw));
        let whole = Pending::of_master(master, key.1, (FAN_OUT, 0), (time, Arc::clone(&value)));
        effects.changes.push(Change::Pending(whole));
        self.fan_outs.put(key, (time, value, false));
        for at in dependents {
            let Some(slot) = items.slot(at) else { continue };
            effects.changes.push(Change::Pending(Pending::share(slot.item, key, time)));
            let is_first = self.of(at).next().is_none();
            self.put_share(items, at, key, time);
            if is_first {
                self.job_queues.push_back(at);
            }
        }
        n_refused
    }

    fn put_share(&mut self, items: &mut Items, at: u32, key: Key, time: Time) {
        let Some(slot) = items.get_mut(at) else { return };
        slot.flags |= QUEUED;
        let share = Pending::share(slot.item, key, time);
        self.fan_outs.wait(key, at);
        self.push(at, Pending { step: 0, steps: 0, from: key.0, ..share }, false);
    }

    /// Puts jobs into the effects, as many as may be under way; gives a slot whose first value needs
    /// none any more, if there is one: then there may be more.
    pub(super) fn issue(
        &mut self,
        items: &Items,
        hosts: &Hosts,
        effects: &mut Effects,
    ) -> Option<u32> {
        while let Some((at, class)) = self.next_waiting(items, hosts) {
            let Some(first) = self.needs_job(at) else { continue };
            let Some(task) = task(items, hosts, at, &first) else { return Some(at) };
            self.next_ticket += 1;
            let ticket = self.next_ticket;
            self.set_ticket(at, ticket);
            let timed = item_of(&first, &task);
            let value = self.raw_of(&first);
            let (mut slots, mut tasks) = (vec![at], vec![task]);
            self.join((items, hosts), &first, ticket, (&mut slots, &mut tasks));
            let item = if tasks.len() == 1 { first.item } else { first.from };
            self.job_queues.begin(class);
            self.under_way.insert(ticket, RunningJob { class, item: timed, slots });
            effects.heavy.push(HeavyJob { ticket, item, class, value, tasks });
        }
        None
    }

    /// The next slot whose turn it is to have a job.
    fn next_waiting(&mut self, items: &Items, hosts: &Hosts) -> Option<(u32, JobClass)> {
        while let Some(at) = self.job_queues.next_unsorted() {
            let Some(first) = self.needs_job(at) else { continue };
            let task = task(items, hosts, at, &first);
            let item = task.map_or(first.item, |it| item_of(&first, &it));
            self.job_queues.sort(at, self.classes.of(item));
        }
        self.job_queues.next()
    }

    /// The first value of a line, if it has no job.
    fn needs_job(&self, at: u32) -> Option<Pending> {
        self.queues.get(&at).filter(|it| it.ticket == 0)?.entries.front().cloned()
    }

    /// Other dependants whose next value is the same and that read its parsed form join a job.
    fn join(
        &mut self,
        (items, hosts): (&Items, &Hosts),
        first: &Pending,
        ticket: u64,
        (slots, tasks): (&mut Vec<u32>, &mut Vec<HeavyTask>),
    ) {
        if first.from.is_none() || !tasks.iter().all(HeavyTask::shares_form) {
            return;
        }
        let key = (first.from, first.id);
        for at in self.fan_outs.waiting(key).unwrap_or_default() {
            let next = self.needs_job(at).filter(|it| (it.from, it.id) == key);
            let task = next.and_then(|it| task(items, hosts, at, &it));
            let Some(task) = task.filter(HeavyTask::shares_form) else { continue };
            self.set_ticket(at, ticket);
            slots.push(at);
            tasks.push(task);
        }
    }

    /// Says what is done of masters' values in this step.
    pub(super) fn settle(&mut self, effects: &mut Effects) {
        self.fan_outs.settle(effects);
    }

    /// A job has come back: the slots that waited for it, in order of its tasks.
    pub(super) fn take_job(&mut self, ticket: u64) -> Option<Job> {
        self.under_way.remove(&ticket).map(Job)
    }

    /// A job that came back is dealt with. `spent_ns`: none if nobody waited for it, as its item may
    /// have gone.
    pub(super) fn has_taken(&mut self, Job(job): &Job, spent_ns: Option<u64>) {
        self.job_queues.end(job.class);
        if let Some(spent_ns) = spent_ns {
            self.classes.note(job.item, spent_ns);
        }
    }

    /// Takes out the value whose job has come back; until [`Self::ends`] it is at work.
    pub(super) fn begin_answered(&mut self, at: u32) -> Option<Pending> {
        let pending = self.pop(at)?;
        self.current = Some((at, pending.id));
        self.answered = self.current;
        Some(pending)
    }

    /// Decides about the first value of a line.
    pub(super) fn take_up(&mut self, items: &Items, hosts: &Hosts, at: u32) -> Next {
        let Some(slot) = items.get(at) else { return Next::Nothing };
        let Some(first) = self.of(at).next() else { return Next::Nothing };
        let is_stale = first.step != 0 && first.steps != hosts.fingerprint(slot);
        if is_stale {
            return Next::Stale;
        }
        let shared = self.fan_outs.value_of(first);
        let is_job =
            || shared.as_deref().is_some_and(|it| is_job_for(items, hosts, at, it.as_ref()));
        if first.step != 0 || is_job() {
            self.job_queues.push_back(at);
            return Next::Job;
        }
        let Some(pending) = self.pop(at) else { return Next::Nothing };
        self.current = Some((at, pending.id));
        Next::Value(pending)
    }

    /// The value at work went on, or waits again.
    pub(super) fn ends(&mut self) {
        self.current = None;
    }

    /// A waiting value, be it its own or its master's.
    pub(super) fn raw_of(&self, pending: &Pending) -> Arc<OwnedRaw> {
        self.fan_outs.value_of(pending).unwrap_or_else(|| Arc::clone(&pending.value))
    }

    /// A value that was taken out of the line at a slot does not come back.
    pub(super) fn finished(&mut self, at: u32, pending: &Pending, effects: &mut Effects) {
        if pending.from.is_some() {
            self.fan_outs.release(at, pending, true);
        } else {
            effects.changes.push(Change::PendingDone { id: pending.id, item: pending.item });
        }
    }

    /// A value has come past its first steps, and waits as one of the item's own: if it was shared, it
    /// no longer is.
    pub(super) fn has_moved_on(&mut self, at: u32, pending: &Pending) {
        self.fan_outs.release(at, pending, false);
    }

    /// Drops the first value of a line; false if there is none.
    pub(super) fn drop_first(&mut self, at: u32, effects: &mut Effects) -> bool {
        let Some(first) = self.pop(at) else { return false };
        self.finished(at, &first, effects);
        true
    }

    /// Nothing waits at a slot any more.
    pub(super) fn end_queue(&mut self, items: &mut Items, at: u32) {
        self.remove(at);
        if let Some(slot) = items.get_mut(at) {
            slot.flags &= !QUEUED;
        }
    }

    /// Drops what waits at a slot; gives how much it was. Without effects the item is gone, and its
    /// records say enough.
    pub(super) fn forget(
        &mut self,
        items: &mut Items,
        at: u32,
        mut effects: Option<&mut Effects>,
    ) -> usize {
        let dropped = self.remove(at);
        if let Some(slot) = items.get_mut(at) {
            slot.flags &= !QUEUED;
        }
        for it in &dropped {
            match effects.as_deref_mut() {
                Some(effects) => self.finished(at, it, effects),
                None => self.fan_outs.release(at, it, false),
            }
        }
        dropped.len()
    }

    /// The item is gone.
    pub(super) fn forget_class(&mut self, item: ItemId) {
        self.classes.forget(item);
    }

    /// Slots at which values wait.
    pub(super) fn slots(&self) -> Vec<u32> {
        self.queues.keys().copied().collect()
    }

    /// Slots of these hosts at which values wait.
    pub(super) fn slots_of(&self, plans: &[Arc<HostPlan>]) -> Vec<u32> {
        if self.queues.is_empty() {
            return Vec::new();
        }
        let slots = plans.iter().flat_map(|it| it.slots.iter());
        slots.filter(|it| self.queues.contains_key(it)).collect()
    }

    /// The values that wait at a slot, as a checkpoint has them.
    pub(super) fn saved(&self, at: u32, slot: &Slot) -> Vec<Pending> {
        let of_master = self.fan_outs.of(slot.item).filter(|_| !slot.has(MIRROR));
        of_master.chain(self.of(at).map(Pending::saved)).collect()
    }

    /// Takes a waiting value as a record or a checkpoint has it.
    pub(super) fn put(&mut self, items: &mut Items, at: u32, pending: Pending) {
        self.next_id = self.next_id.max(pending.id);
        let Some(pending) = self.put_feed(items, at, pending) else { return };
        let queue = self.queues.get(&at);
        let known = queue.and_then(|it| it.entries.iter().position(|it| it.id == pending.id));
        let before = known.and_then(|it| self.take_out(at, it));
        if let Some(before) = before {
            self.fan_outs.release(at, &before, false);
        }
        self.push(at, pending, known.is_some());
        items.slot_mut(at).flags |= QUEUED;
    }

    /// Takes a row of a master's value; gives back what is none.
    fn put_feed(&mut self, items: &mut Items, at: u32, pending: Pending) -> Option<Pending> {
        if pending.step != FAN_OUT && pending.step != DEPENDENTS {
            return Some(pending);
        }
        if *pending.value != OwnedRaw::Nothing {
            let is_for_all = pending.step == DEPENDENTS;
            let value = (pending.time, pending.value, is_for_all);
            self.fan_outs.put((pending.item, pending.id), value);
            return None;
        }
        let key = (ItemId(pending.steps), pending.id);
        if items.get(at).is_some() && self.fan_outs.wait(key, at) {
            self.put_share(items, at, key, pending.time);
        }
        None
    }

    /// Applies a record's row about a waiting value.
    pub(super) fn apply(&mut self, items: &mut Items, at: u32, row: PendingRow<'_>) {
        match row {
            PendingRow::Issued(row) => self.put(items, at, read(row)),
            PendingRow::Done { id, item } => {
                if self.end_feed(items, (item, id)) {
                    return;
                }
                if let Some(gone) = self.take(items, at, id) {
                    self.fan_outs.release(at, &gone, false);
                }
            }
        }
    }

    /// Forgets a waiting value.
    fn take(&mut self, items: &mut Items, at: u32, id: u64) -> Option<Pending> {
        let queue = self.queues.get(&at)?;
        let position = queue.entries.iter().position(|it| it.id == id)?;
        let gone = self.take_out(at, position)?;
        if self.of(at).next().is_none() {
            self.end_queue(items, at);
        }
        Some(gone)
    }

    /// A record says that nobody waits for a master's value any more; false if it is none.
    fn end_feed(&mut self, items: &mut Items, key: Key) -> bool {
        let Some(waiting) = self.fan_outs.waiting(key) else { return false };
        for at in waiting {
            self.take(items, at, key.1);
        }
        self.fan_outs.end(key);
        true
    }

    /// A value during which a panic happened waits no longer; returns its slot.
    pub(super) fn take_spoiled(&mut self, items: &mut Items, effects: &mut Effects) -> Option<u32> {
        let (at, id) = self.spoiled.take()?;
        items.get(at)?;
        if let Some(gone) = self.take(items, at, id) {
            self.finished(at, &gone, effects);
        }
        Some(at)
    }

    /// Replay is over: masters' values that nobody waits for end, and dependants whose master is gone do
    /// not wait for it. Gives how many these were.
    pub(super) fn review_fan_outs(&mut self, items: &mut Items, hosts: &Hosts) -> usize {
        let keys = self.fan_outs.keys();
        let n_dropped = keys.into_iter().map(|it| self.review_feed(items, hosts, it)).sum();
        self.sum_shared();
        n_dropped
    }

    fn review_feed(&mut self, items: &mut Items, hosts: &Hosts, key: Key) -> usize {
        let Some((time, value, is_for_all)) = self.fan_outs.get(key) else { return 0 };
        let n_waiting = self.fan_outs.waiting(key).map_or(0, |it| it.len());
        let Some(value) = value else {
            self.end_feed(items, key);
            return n_waiting;
        };
        let dependents = if is_for_all {
            heavy_dependents(items, hosts, key.0, value.as_ref().as_ref())
        } else {
            Vec::new()
        };
        for at in &dependents {
            self.put_share(items, *at, key, time);
        }
        if n_waiting + dependents.len() == 0 {
            self.fan_outs.is_over(key);
        }
        0
    }
}

/// As a record has it.
fn read(row: IssuedRow<'_>) -> Pending {
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
    }
}

/// A job that came back.
#[derive(Debug)]
pub(super) struct Job(RunningJob);

impl Job {
    /// The slots that waited for it, in the order of its tasks.
    pub(super) fn slots(&self) -> &[u32] {
        &self.0.slots
    }
}

/// The decision about the first value of a line.
#[derive(Debug)]
pub(super) enum Next {
    /// There is none.
    Nothing,
    /// It waits for a job.
    Job,
    /// It has come past steps that are others by now.
    Stale,
    /// It was taken out, and goes through its steps from the first one on.
    Value(Pending),
}

fn task(items: &Items, hosts: &Hosts, at: u32, first: &Pending) -> Option<HeavyTask> {
    let slot = items.get(at)?;
    let item = hosts.item_plan(slot)?;
    Some(HeavyTask {
        steps: Arc::clone(item.program.as_ref()?.steps()),
        step: usize::from(first.step),
        context: Context { time: first.time, value_type: slot.steps_type() },
    })
}

/// Whether a shared value needs a job at a slot.
fn is_job_for(items: &Items, hosts: &Hosts, at: u32, raw: RawRef<'_>) -> bool {
    if matches!(raw, RawRef::Error(_) | RawRef::Nothing) {
        return false;
    }
    let n_bytes = len_of(raw);
    let program = items.get(at).and_then(|it| hosts.item_plan(it)?.program.as_ref());
    program.is_some_and(|it| {
        it.begins_heavy(n_bytes) || TOGETHER_BYTES < n_bytes && it.begins_sharing()
    })
}

/// Slots of the enabled dependants for which a value is heavy.
fn heavy_dependents(items: &Items, hosts: &Hosts, master: ItemId, raw: RawRef<'_>) -> Vec<u32> {
    let Some(slot) = items.find(master) else { return Vec::new() };
    let Some(host) = hosts.get(slot.host) else { return Vec::new() };
    let layout = &host.plan.layout;
    let positions = layout.item(slot.position).map(|it| layout.dependents_of(it));
    let slots = positions.into_iter().flatten().filter_map(|it| host.plan.slots.get(*it));
    let is_enabled = |at: &u32| items.get(*at).is_some_and(|it| it.has(ENABLED));
    slots.filter(is_enabled).filter(|at| is_job_for(items, hosts, *at, raw)).collect()
}
