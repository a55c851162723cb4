//! Values of masters for which dependants wait.
//!
//! A master's value that is heavy for some of its dependants is journaled once, as a *feed*, with a
//! short row of each dependant that gets it. In the dependants' lines it waits like a value of their
//! own, so none of them waits for another, nor the master for any: scripts are a job of their own
//! each, steps that share the value's parsed form go together in one. A dependant whose line is not
//! empty gets all values that way.
//!
//! A dependant's value is done by a row of its own; the last one ends the feed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use directory::steps::owned;
use model::batch::{OwnedRaw, RawRef};
use model::record::{DEPENDENTS, FEED};
use model::{ItemId, Time};

use super::Shard;
use super::pending::{Pending, len_of};
use super::state::{ENABLED, QUEUED, Slot};
use crate::effects::{Change, Effects};
use crate::heavy::HeavyTask;

/// Longer texts are not parsed again by each dependant that comes to them late: they go together.
const TOGETHER_BYTES: usize = 4 * 1024;
/// What a dependant's share takes, about.
const SHARE_BYTES: usize = 128;

/// Master and id.
type Key = (ItemId, u64);

#[derive(Debug, Default)]
struct Feed {
    time: Time,
    /// None until it is read.
    value: Option<Arc<OwnedRaw>>,
    /// Slots of the dependants that still wait for it.
    waiting: BTreeSet<u32>,
    /// Written before dependants had rows of their own: all for whom it is heavy get it.
    is_for_all: bool,
}

#[derive(Debug, Default)]
pub(super) struct Feeds {
    feeds: BTreeMap<Key, Feed>,
    n_bytes: usize,
    /// Dependants that are done in this step, with their feed.
    done: Vec<(Key, ItemId)>,
    /// Feeds that nobody waits for any more.
    over: Vec<Key>,
}

impl Feeds {
    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// What a waiting value shares with others.
    pub(super) fn value_of(&self, pending: &Pending) -> Option<Arc<OwnedRaw>> {
        self.feeds.get(&(pending.from, pending.id))?.value.clone()
    }

    /// Bytes that a waiting value shares with others.
    pub(super) fn len_of(&self, pending: &Pending) -> usize {
        let value = self.feeds.get(&(pending.from, pending.id)).and_then(|it| it.value.as_ref());
        value.map_or(0, |it| len_of(it.as_ref().as_ref()))
    }

    /// The dependant at a slot does not wait for a value of its master any more.
    pub(super) fn release(&mut self, at: u32, pending: &Pending, is_news: bool) {
        let key = (pending.from, pending.id);
        let Some(feed) = self.feeds.get_mut(&key) else { return };
        feed.waiting.remove(&at);
        if feed.waiting.is_empty() {
            self.over.push(key);
        }
        if is_news {
            self.done.push((key, pending.item));
        }
    }

    fn remove(&mut self, key: Key) -> Option<Feed> {
        let feed = self.feeds.remove(&key)?;
        self.n_bytes -= feed.value.as_ref().map_or(0, |it| len_of(it.as_ref().as_ref()));
        Some(feed)
    }

    /// Feeds of a master, as they are saved.
    pub(super) fn of(&self, master: ItemId) -> impl Iterator<Item = Pending> {
        let of_master = self.feeds.range((master, 0)..=(master, u64::MAX));
        of_master.filter_map(move |((item, id), it)| {
            let step = if it.is_for_all { DEPENDENTS } else { FEED };
            Some(row((*item, *id), *item, (step, 0), (it.time, it.value.clone()?)))
        })
    }
}

fn row(
    (_, id): Key,
    item: ItemId,
    (step, steps): (u16, u64),
    (time, value): (Time, Arc<OwnedRaw>),
) -> Pending {
    Pending { id, item, step, steps, time, value, log: None, from: ItemId::NONE, trail: None }
}

/// A dependant's share, as it is written.
fn share(item: ItemId, key: Key, time: Time) -> Pending {
    row(key, item, (FEED, key.0.0), (time, Arc::new(OwnedRaw::Nothing)))
}

impl Pending {
    /// As it is saved.
    pub(super) fn saved(&self) -> Self {
        if self.from.is_some() {
            share(self.item, (self.from, self.id), self.time)
        } else {
            self.clone()
        }
    }
}

impl Shard {
    /// A master's value waits for these of its dependants.
    pub(super) fn feed(
        &mut self,
        master: ItemId,
        time: Time,
        raw: RawRef<'_>,
        dependents: &[u32],
        effects: &mut Effects,
    ) {
        let n_bytes = len_of(raw);
        let n_before = dependents.len();
        let lines = &self.lines;
        let dependents: Vec<u32> = dependents
            .iter()
            .copied()
            .filter(|it| lines.has_room(*it, SHARE_BYTES, n_bytes))
            .collect();
        self.counters.pending_refused += (n_before - dependents.len()) as u64;
        if dependents.is_empty() {
            return;
        }
        let key = (master, self.lines.new_id());
        let value = Arc::new(owned(raw));
        let whole = row(key, master, (FEED, 0), (time, Arc::clone(&value)));
        effects.changes.push(Change::Pending(whole));
        self.put_value(key, (time, value, false));
        for at in dependents {
            let Some(slot) = self.items.slot(at) else { continue };
            let share = share(slot.item, key, time);
            effects.changes.push(Change::Pending(share));
            let is_first = self.lines.of(at).next().is_none();
            self.put_share(at, &slot, key, time);
            if is_first {
                self.lines.ready.push_back(at);
            }
        }
    }

    fn put_value(&mut self, key: Key, (time, value, is_for_all): (Time, Arc<OwnedRaw>, bool)) {
        let feed = self.lines.feeds.feeds.entry(key).or_default();
        if feed.value.is_none() {
            (feed.time, feed.is_for_all) = (time, is_for_all);
            self.lines.feeds.n_bytes += len_of(value.as_ref().as_ref());
            feed.value = Some(value);
        }
    }

    fn put_share(&mut self, at: u32, slot: &Slot, key: Key, time: Time) {
        let pending = Pending { step: 0, steps: 0, from: key.0, ..share(slot.item, key, time) };
        self.lines.feeds.feeds.entry(key).or_default().waiting.insert(at);
        self.lines.push(at, pending, false);
        self.items.slot_mut(at).flags |= QUEUED;
    }

    /// Takes a row of a feed as a record or a checkpoint has it; gives back what is none.
    pub(super) fn put_feed(&mut self, at: u32, pending: Pending) -> Option<Pending> {
        if pending.step != FEED && pending.step != DEPENDENTS {
            return Some(pending);
        }
        if *pending.value != OwnedRaw::Nothing {
            let is_for_all = pending.step == DEPENDENTS;
            let value = (pending.time, pending.value, is_for_all);
            self.put_value((pending.item, pending.id), value);
            return None;
        }
        let slot = self.items.slot(at)?;
        let key = (ItemId(pending.steps), pending.id);
        let feed = self.lines.feeds.feeds.entry(key).or_default();
        if !feed.waiting.contains(&at) {
            self.put_share(at, &slot, key, pending.time);
        }
        None
    }

    /// A value has come past its first steps, or waits as one of the item's own: if it was shared, it
    /// no longer is.
    pub(super) fn has_moved_on(&mut self, at: u32, pending: &Pending) {
        self.lines.feeds.release(at, pending, false);
    }

    /// Whether a shared value needs a job at a slot.
    pub(super) fn is_job_for(&self, at: u32, raw: RawRef<'_>) -> bool {
        if matches!(raw, RawRef::Error(_) | RawRef::Nothing) {
            return false;
        }
        let n_bytes = len_of(raw);
        self.items
            .get(at)
            .and_then(|it| self.hosts.get(it.host)?.plan.layout.item(it.position)?.program.as_ref())
            .is_some_and(|it| {
                it.begins_heavy(n_bytes) || TOGETHER_BYTES < n_bytes && it.begins_sharing()
            })
    }

    /// Other dependants whose next value is the same and that read its parsed form join a job.
    pub(super) fn join(
        &mut self,
        first: &Pending,
        ticket: u64,
        slots: &mut Vec<u32>,
        tasks: &mut Vec<HeavyTask>,
    ) {
        if first.from.is_none() || !tasks.iter().all(HeavyTask::shares_form) {
            return;
        }
        let key = (first.from, first.id);
        let Some(feed) = self.lines.feeds.feeds.get(&key) else { return };
        for at in feed.waiting.clone() {
            let next = self.needs_job(at).filter(|it| (it.from, it.id) == key);
            let Some(task) = next.and_then(|it| self.task(at, &it)).filter(HeavyTask::shares_form)
            else {
                continue;
            };
            self.lines.set_ticket(at, ticket);
            slots.push(at);
            tasks.push(task);
        }
    }

    /// Says what is done of feeds in this step.
    pub(super) fn settle_feeds(&mut self, effects: &mut Effects) {
        let feeds = &mut self.lines.feeds;
        for key in std::mem::take(&mut feeds.over) {
            if feeds.feeds.get(&key).is_some_and(|it| it.waiting.is_empty()) {
                feeds.remove(key);
                effects.changes.push(Change::PendingDone { id: key.1, item: key.0 });
            }
        }
        for (key, item) in std::mem::take(&mut feeds.done) {
            if feeds.feeds.contains_key(&key) {
                effects.changes.push(Change::PendingDone { id: key.1, item });
            }
        }
    }

    /// A record says that nobody waits for a master's value any more; false if it is none.
    pub(super) fn end_feed(&mut self, master: ItemId, id: u64) -> bool {
        let Some(feed) = self.lines.feeds.feeds.get(&(master, id)) else { return false };
        for at in feed.waiting.clone() {
            self.take_pending(at, id);
        }
        self.lines.feeds.remove((master, id));
        true
    }

    /// Replay is over: feeds that nobody waits for end, and dependants whose master is gone do not
    /// wait for it.
    pub(super) fn review_feeds(&mut self) {
        let all: Vec<Key> = self.lines.feeds.feeds.keys().copied().collect();
        for key in all {
            self.review_feed(key);
        }
        self.lines.sum_shared();
    }

    fn review_feed(&mut self, key: Key) {
        let Some(feed) = self.lines.feeds.feeds.get(&key) else { return };
        let (time, n_waiting, is_for_all) = (feed.time, feed.waiting.len(), feed.is_for_all);
        let Some(value) = feed.value.clone() else {
            self.counters.pending_dropped += n_waiting as u64;
            self.end_feed(key.0, key.1);
            return;
        };
        let dependents = if is_for_all {
            self.heavy_dependents(key.0, value.as_ref().as_ref())
        } else {
            Vec::new()
        };
        for at in &dependents {
            if let Some(slot) = self.items.slot(*at) {
                self.put_share(*at, &slot, key, time);
            }
        }
        if n_waiting + dependents.len() == 0 {
            self.lines.feeds.over.push(key);
        }
    }

    /// Slots of the enabled dependants for which a value is heavy.
    fn heavy_dependents(&self, master: ItemId, raw: RawRef<'_>) -> Vec<u32> {
        let Some(slot) = self.items.find(master) else { return Vec::new() };
        let Some(host) = self.hosts.get(slot.host) else { return Vec::new() };
        let layout = &host.plan.layout;
        let positions = layout.item(slot.position).map(|it| layout.dependents_of(it));
        let slots = positions.into_iter().flatten().filter_map(|it| host.plan.slots.get(*it));
        let is_enabled = |at: &u32| self.items.get(*at).is_some_and(|it| it.has(ENABLED));
        slots.filter(is_enabled).filter(|at| self.is_job_for(*at, raw)).collect()
    }
}
