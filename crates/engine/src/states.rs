//! Which triggers are not OK and which items are unsupported, for readers outside of the shards.
//!
//! Shards publish changes after their records are written; changes are rare compared to values, so
//! one short lock serves all. At start the shards are asked once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::map::{Map, Set};
use model::{ItemId, Time, TriggerId};
use pipeline::{Effects, ShardReply, StateOf};

/// A trigger as it is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TriggerState {
    pub is_problem: bool,
    pub error: Option<Arc<str>>,
    /// The time of its newest event; zero if it never had one.
    pub last_change: Time,
}

#[derive(Debug, Default)]
struct ReportedStates {
    /// Triggers that are not OK or had an event.
    triggers: Map<TriggerId, TriggerState>,
    unsupported: Set<ItemId>,
}

#[derive(Debug, Default)]
pub struct States(Mutex<ReportedStates>);

impl States {
    fn lock(&self) -> MutexGuard<'_, ReportedStates> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over when triggers had their last events, in order.
    pub fn restore_changes(&self, changes: impl IntoIterator<Item = (TriggerId, Time)>) {
        let mut states = self.lock();
        for (trigger, time) in changes {
            states.triggers.entry(trigger).or_default().last_change = time;
        }
    }

    /// Takes over what a shard answered at start.
    pub fn restore(&self, reply: ShardReply) {
        let mut states = self.lock();
        match reply {
            ShardReply::Triggers(triggers) => {
                for it in triggers {
                    let state = states.triggers.entry(it.trigger).or_default();
                    state.is_problem = it.is_problem;
                    state.error = it.error;
                }
            }
            ShardReply::Items(items) => {
                states.unsupported.extend(items.into_iter().map(|(id, _)| id));
            }
            ShardReply::Window(_) => {}
        }
    }

    /// Takes over what a step changed.
    pub fn apply(&self, effects: &Effects) {
        if effects.events.is_empty() && effects.states.is_empty() {
            return;
        }
        let mut states = self.lock();
        for event in &effects.events {
            let state = states.triggers.entry(event.trigger).or_default();
            state.last_change = event.time;
            state.is_problem = event.is_problem;
        }
        for change in &effects.states {
            match (change.what, &change.error) {
                (StateOf::Trigger(id), error) => {
                    states.triggers.entry(id).or_default().error.clone_from(error);
                }
                (StateOf::Item(id), Some(_)) => {
                    states.unsupported.insert(id);
                }
                (StateOf::Item(id), None) => {
                    states.unsupported.remove(&id);
                }
            }
        }
    }

    pub fn trigger(&self, id: TriggerId) -> TriggerState {
        self.lock().triggers.get(&id).cloned().unwrap_or_default()
    }

    pub fn n_unsupported(&self) -> u64 {
        self.lock().unsupported.len() as u64
    }

    /// All unsupported items.
    pub fn unsupported(&self) -> Vec<ItemId> {
        self.lock().unsupported.iter().copied().collect()
    }

    /// Unsupported items among some.
    pub fn n_unsupported_of(&self, items: impl Iterator<Item = ItemId>) -> u64 {
        let states = self.lock();
        items.filter(|it| states.unsupported.contains(it)).count() as u64
    }

    /// Forgets what does not exist any more.
    pub fn retain(
        &self,
        has_item: impl Fn(ItemId) -> bool,
        has_trigger: impl Fn(TriggerId) -> bool,
    ) {
        let mut states = self.lock();
        states.unsupported.retain(|it| has_item(*it));
        states.triggers.retain(|it, _| has_trigger(*it));
    }
}
