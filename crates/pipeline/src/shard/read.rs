//! Queries that only the shard can answer: the read lane, looked at before each batch.
//!
//! Last values, states and texts need no query: they are in the live state.

use std::sync::Arc;

use model::{EventId, HostId, ItemId, Time, TriggerId, Value};
use window::ValueRef;

use super::Shard;
use super::maintenance::MaintainedHost;
use super::open::unpack;
use crate::effects::StepEventRef;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShardQuery {
    /// Values of an item's window as the shard holds them now: at most `max`, newest last.
    Window { slot: u32, max: usize },
    /// Value, state and open problems of triggers; unknown ones are left out.
    Triggers(Vec<TriggerId>),
    /// All triggers that are in PROBLEM or unknown.
    NotOk,
    /// All unsupported items.
    Unsupported,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ShardReply {
    Window(Vec<WindowSample>),
    Triggers(Vec<TriggerNow>),
    Items(Vec<(ItemId, Arc<str>)>),
}

/// One value of a window.
#[derive(Clone, PartialEq, Debug)]
pub struct WindowSample {
    pub time: Time,
    pub value: Value,
}

/// A trigger right now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TriggerNow {
    pub trigger: TriggerId,
    pub is_problem: bool,
    /// Why its value is unknown.
    pub error: Option<Arc<str>>,
    /// Open problems, oldest first.
    pub open: Vec<EventId>,
}

impl Shard {
    /// Answers a query. Between steps only.
    #[must_use]
    pub fn read(&self, query: &ShardQuery) -> ShardReply {
        match query {
            ShardQuery::Window { slot, max } => ShardReply::Window(self.window(*slot, *max)),
            ShardQuery::Triggers(ids) => ShardReply::Triggers(
                ids.iter()
                    .filter_map(|it| self.trigger_now(self.hosts.find_trigger(*it)?))
                    .collect(),
            ),
            ShardQuery::NotOk => {
                let mut all: Vec<TriggerNow> = self
                    .hosts
                    .triggers()
                    .filter_map(|it| self.trigger_now(it))
                    .filter(|it| it.is_problem || it.error.is_some())
                    .collect();
                all.sort_unstable_by_key(|it| it.trigger);
                ShardReply::Triggers(all)
            }
            ShardQuery::Unsupported => {
                let mut items: Vec<(ItemId, Arc<str>)> = self.items.errors().collect();
                items.sort_unstable();
                ShardReply::Items(items)
            }
        }
    }

    /// The maintenances of a host, in the order in which they began.
    #[must_use]
    pub fn maintenance_of(&self, host: HostId) -> &[MaintainedHost] {
        self.maintenance.of(host)
    }

    fn window(&self, at: u32, max: usize) -> Vec<WindowSample> {
        let ring = self.items.get(at).and_then(|it| self.items.ring(it));
        let Some(ring) = ring else { return Vec::new() };
        let first = ring.end().saturating_sub(max as u64).max(ring.first());
        (first..ring.end())
            .filter_map(|it| {
                let value = ring.value(it).map(ValueRef::to_value)?;
                Some(WindowSample { time: Time(ring.time(it)?), value })
            })
            .collect()
    }

    fn trigger_now(&self, (host, position): (u32, u32)) -> Option<TriggerNow> {
        let host = self.hosts.get(host)?;
        let state = host.triggers.get(position as usize)?;
        let open = state.open.iter().filter_map(|it| match unpack(it.event) {
            StepEventRef::Id(id) => Some(id),
            StepEventRef::Pending(_) => None,
        });
        Some(TriggerNow {
            trigger: host.trigger_id(position)?,
            is_problem: state.is_problem,
            error: state.error.clone(),
            open: open.collect(),
        })
    }
}
