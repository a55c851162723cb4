//! Values of masters for which dependants wait.
//!
//! A master's value that is heavy for some of its dependants is journaled once, as a *fan-out*, with a
//! short row of each dependant that gets it. In the dependants' lines it waits like a value of their
//! own, so none of them waits for another, nor the master for any: scripts are a job of their own
//! each, steps that share the value's parsed form go together in one. A dependant whose line is not
//! empty gets all values that way.
//!
//! A dependant's value is done by a row of its own; the last one ends the fan-out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::batch::OwnedRaw;
use model::record::{DEPENDENTS, FAN_OUT};
use model::{ItemId, Time};

use crate::effects::{Change, Effects};
use crate::pending::{Pending, len_of};

/// Master and id.
pub(super) type Key = (ItemId, u64);

#[derive(Debug, Default)]
struct FanOut {
    time: Time,
    /// None until it is read.
    value: Option<Arc<OwnedRaw>>,
    /// Slots of the dependants that still wait for it.
    waiting: BTreeSet<u32>,
    /// Written before dependants had rows of their own: all for whom it is heavy get it.
    is_for_all: bool,
}

#[derive(Debug, Default)]
pub(super) struct FanOuts {
    fan_outs: BTreeMap<Key, FanOut>,
    n_bytes: usize,
    /// Dependants that are done in this step, with their fan-out.
    done: Vec<(Key, ItemId)>,
    /// Fan-outs for which no dependant waits any more.
    over: Vec<Key>,
}

impl FanOuts {
    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// The value that a waiting one shares with others.
    pub(super) fn value_of(&self, pending: &Pending) -> Option<Arc<OwnedRaw>> {
        self.fan_outs.get(&(pending.from, pending.id))?.value.clone()
    }

    /// Bytes that a waiting value shares with others.
    pub(super) fn len_of(&self, pending: &Pending) -> usize {
        let value = self.fan_outs.get(&(pending.from, pending.id)).and_then(|it| it.value.as_ref());
        value.map_or(0, |it| len_of(it.as_ref().as_ref()))
    }

    /// The dependant at a slot does not wait for a value of its master any more.
    pub(super) fn release(&mut self, at: u32, pending: &Pending, is_changed: bool) {
        let key = (pending.from, pending.id);
        let Some(fan_out) = self.fan_outs.get_mut(&key) else { return };
        fan_out.waiting.remove(&at);
        if fan_out.waiting.is_empty() {
            self.over.push(key);
        }
        if is_changed {
            self.done.push((key, pending.item));
        }
    }

    fn remove(&mut self, key: Key) -> Option<FanOut> {
        let fan_out = self.fan_outs.remove(&key)?;
        self.n_bytes -= fan_out.value.as_ref().map_or(0, |it| len_of(it.as_ref().as_ref()));
        Some(fan_out)
    }

    /// Fan-outs of a master, as they are saved.
    pub(super) fn of(&self, master: ItemId) -> impl Iterator<Item = Pending> {
        let of_master = self.fan_outs.range((master, 0)..=(master, u64::MAX));
        of_master.filter_map(move |((item, id), it)| {
            let step = if it.is_for_all { DEPENDENTS } else { FAN_OUT };
            Some(Pending::of_master(*item, *id, (step, 0), (it.time, it.value.clone()?)))
        })
    }

    /// A value that dependants wait for.
    pub(super) fn put(&mut self, key: Key, (time, value, is_for_all): (Time, Arc<OwnedRaw>, bool)) {
        let fan_out = self.fan_outs.entry(key).or_default();
        if fan_out.value.is_none() {
            (fan_out.time, fan_out.is_for_all) = (time, is_for_all);
            self.n_bytes += len_of(value.as_ref().as_ref());
            fan_out.value = Some(value);
        }
    }

    /// The dependant at a slot waits for a value; false if it did.
    pub(super) fn wait(&mut self, key: Key, at: u32) -> bool {
        self.fan_outs.entry(key).or_default().waiting.insert(at)
    }

    /// The dependants that wait for a value.
    pub(super) fn waiting(&self, key: Key) -> Option<BTreeSet<u32>> {
        self.fan_outs.get(&key).map(|it| it.waiting.clone())
    }

    /// Applies a record: no dependant waits for a value any more.
    pub(super) fn end(&mut self, key: Key) {
        self.remove(key);
    }

    pub(super) fn keys(&self) -> Vec<Key> {
        self.fan_outs.keys().copied().collect()
    }

    /// Its time, its value if that is known, and whether all get it for whom it is heavy.
    pub(super) fn get(&self, key: Key) -> Option<(Time, Option<Arc<OwnedRaw>>, bool)> {
        self.fan_outs.get(&key).map(|it| (it.time, it.value.clone(), it.is_for_all))
    }

    /// Ends a value for which no dependant waits, with the next step.
    pub(super) fn is_over(&mut self, key: Key) {
        self.over.push(key);
    }

    /// Says what is done in this step.
    pub(super) fn settle(&mut self, effects: &mut Effects) {
        for key in std::mem::take(&mut self.over) {
            if self.fan_outs.get(&key).is_some_and(|it| it.waiting.is_empty()) {
                self.remove(key);
                effects.changes.push(Change::PendingDone { id: key.1, item: key.0 });
            }
        }
        for (key, item) in std::mem::take(&mut self.done) {
            if self.fan_outs.contains_key(&key) {
                effects.changes.push(Change::PendingDone { id: key.1, item });
            }
        }
    }
}
