//! The state machine of one shard thread.
//!
//! Invariants:
//! - A step looks at nothing but its arguments and the shard's own state.
//! - Whatever a step changes durably is in its effects, so that applying records gives the same
//!   state as having lived through the steps.
//! - Every queue inside has a bound; rows refused by a bound are counted in [`Counters`].

mod admission;
mod answers;
mod apply;
mod at_work;
mod behind;
mod calculated;
mod checkpoint;
mod codec;
mod configure;
mod convert;
mod counters;
mod cross_item_queries;
mod decisions;
mod deferred_evaluations;
mod dispatch;
mod due;
mod events;
mod explain;
mod fetch;
mod forward;
mod forwarded;
mod functions;
mod grace;
mod group;
mod hosts;
mod items;
mod maintenance;
mod notes;
mod open;
mod outage;
mod outcome;
mod pending;
mod quarantine;
mod quick;
mod read;
mod rebuild;
mod record;
mod recorded_values;
mod repeats;
mod replay;
mod resume;
mod run_deferred;
mod saved;
mod state;
mod store;
mod timers;
mod trends;
mod triggers;
mod values;
mod waiting;
mod without_data;
mod work;

use std::sync::Arc;

use jiff::tz::TimeZone;
use model::record::Hour;
use model::{EventId, ItemId, Now, Time};

pub use at_work::{AtWork, SharedProgram};
pub use checkpoint::{Checkpoint, CheckpointFormatError};
pub use counters::{Counters, RowCounters, Sizes};
pub use maintenance::MaintainedHost;
pub use read::{ShardQuery, ShardReply, TriggerNow, WindowSample};
pub use rebuild::Interrupted;

use crate::effects::{Effects, StepEventRef};
use crate::input::Input;
use crate::live::{LiveShard, LiveTable};
use admission::Admission;
use behind::Behind;
use cross_item_queries::CrossItemQueries;
use deferred_evaluations::DeferredEvaluations;
use dispatch::Dispatcher;
use events::EventsAwaitingNames;
use fetch::Fetches;
use forward::Forwarding;
use group::Group;
use hosts::Hosts;
use items::Items;
use open::{OpenProblem, unpack};
use outage::Outages;
use outcome::{Fared, RowsOf};
use pending::PendingQueues;
use replay::Replay;
use timers::Timers;
use trends::Trends;
use work::Work;

/// Fixed for the life of the process.
#[derive(Clone, Debug)]
pub struct ShardSettings {
    pub shard: u16,
    pub n_shards: u16,
    /// For time shifts and functions of the calendar.
    pub zone: TimeZone,
}

/// Memory that is reused from step to step.
#[derive(Debug, Default)]
struct Scratch {
    order: Vec<usize>,
    rows: RowsOf,
    known: Vec<functions::Known>,
}

/// All hosts of one thread. The crate's header says how to drive it.
#[derive(Debug)]
pub struct Shard {
    settings: ShardSettings,
    admission: Admission,
    now: Now,
    /// Begin of the hour of `now`.
    hour_begin: Time,
    /// Number of the step; only for this process.
    step: u64,
    work: Work,
    items: Items,
    repeats: repeats::Repeats,
    hosts: Hosts,
    outages: Outages,
    /// Of the value at work.
    fared: Fared,
    group: Group,
    /// Depth of dependants that are being fed.
    level: usize,
    scratch: Scratch,
    /// Triggers judged in this step at points in time after their newest value.
    behind: Vec<Behind>,
    deferred_evaluations: DeferredEvaluations,
    fetches: Fetches,
    pending_queues: PendingQueues,
    cross_item_queries: CrossItemQueries,
    events_awaiting_names: EventsAwaitingNames,
    timers: Timers,
    trends: Trends,
    maintenance: maintenance::Maintenance,
    quarantine: quarantine::Quarantine,
    forwarding: Forwarding,
    dispatcher: Dispatcher,
    replay: Option<Replay>,
    counters: Counters,
}

impl Shard {
    /// # Panics
    /// If `live` has fewer shards than the settings say.
    #[must_use]
    pub fn new(settings: ShardSettings, live: &LiveTable) -> Self {
        let live = live.shard(settings.shard).map(Arc::clone).expect("live state of every shard");
        Self::of(settings, live)
    }

    fn of(settings: ShardSettings, live: Arc<LiveShard>) -> Self {
        Self {
            settings,
            admission: Admission::default(),
            now: Now::default(),
            hour_begin: Time::default(),
            step: 0,
            work: Work::default(),
            items: Items::new(live),
            repeats: repeats::Repeats::default(),
            hosts: Hosts::default(),
            fared: Fared::default(),
            outages: Outages::default(),
            group: Group::new(),
            level: 0,
            scratch: Scratch::default(),
            behind: Vec::new(),
            deferred_evaluations: DeferredEvaluations::default(),
            fetches: Fetches::default(),
            pending_queues: PendingQueues::default(),
            cross_item_queries: CrossItemQueries::default(),
            events_awaiting_names: EventsAwaitingNames::default(),
            timers: Timers::default(),
            trends: Trends::default(),
            maintenance: maintenance::Maintenance::default(),
            quarantine: quarantine::Quarantine::default(),
            forwarding: Forwarding::default(),
            dispatcher: Dispatcher::default(),
            replay: Some(Replay::default()),
            counters: Counters::default(),
        }
    }

    /// Takes one input and adds what follows from it to `effects`, which the caller has cleared.
    pub fn step(&mut self, now: Now, input: Input<'_>, effects: &mut Effects) {
        let is_set_back = now.wall.clock() < self.now.wall.clock();
        self.begin(now);
        if is_set_back {
            self.plan_all_calculated(now);
        }
        match input {
            Input::Batch(batch) => self.batch(now, batch, effects),
            Input::Timer => self.timer(now, effects),
            Input::Fetched(answers) => self.fetched(now, answers, effects),
            Input::Forwarded(batch) => self.forwarded(batch, effects),
            Input::ForwardedRow(batch, at) => self.forwarded_alone(batch, at, effects),
            Input::CrossItemAnswers(answers) => self.answers(now, answers, effects),
            Input::HeavyDone(answers) => self.heavy_done(answers, effects),
            Input::EndHours(items) => self.end_hours_of(now, items, effects),
            Input::Close(close) => self.close(now, close, effects),
            Input::WithoutData(hosts) => self.set_without_data(now, hosts, effects),
        }
        self.end(effects);
    }

    /// The step's record is in the journal; `lsn` is the position after it, its events have ids from
    /// `first_event` on. Call it after each step whose effects are durable, before the next one.
    pub fn committed(&mut self, lsn: u64, first_event: EventId, effects: &mut Effects) {
        for batch in &mut effects.forwards {
            batch.lsn = lsn;
        }
        self.fetches.committed(self.step, lsn);
        if effects.events.is_empty() {
            return;
        }
        for event in &effects.events {
            let Some((host, position)) = self.hosts.find_trigger(event.trigger) else { continue };
            let Some(host) = self.hosts.get_mut(host) else { continue };
            let Some(trigger) = host.triggers.get_mut(position as usize) else { continue };
            // New ones are the last; those before them, which may be very many, have their ids.
            let is_new =
                |it: &&mut OpenProblem| matches!(unpack(it.event), StepEventRef::Pending(_));
            for open in trigger.open.iter_mut().rev().take_while(is_new) {
                open.event = unpack(open.event).id(first_event).0;
            }
        }
    }

    /// The counters.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    #[must_use]
    pub fn sizes(&self) -> Sizes {
        Sizes {
            hosts: self.hosts.len(),
            slots: self.items.n_slots(),
            items_with_state: self.items.n_with_state(),
            triggers_deferred: self.deferred_evaluations.n_triggers(),
            evaluations_deferred: self.deferred_evaluations.len(),
            fetches_waiting: self.fetches.n_waiting(),
            fetches_under_way: self.fetches.n_under_way(),
            items_pending: self.pending_queues.n_items(),
            values_pending: self.pending_queues.n_values(),
            bytes_pending: self.pending_queues.n_bytes(),
            heavy_under_way: self.pending_queues.n_under_way(),
            cross_item_queries_under_way: self.cross_item_queries.n_under_way(),
            events_awaiting_names: self.events_awaiting_names.len(),
        }
    }

    fn begin(&mut self, now: Now) {
        self.step += 1;
        self.now = now;
        self.hour_begin = Hour::of(now.wall).start();
        self.work.on(ItemId::NONE);
        self.behind.clear();
        self.timers.begin();
        self.pending_queues.begin();
        self.admission.begin(now);
    }

    fn end(&mut self, effects: &mut Effects) {
        self.issue(effects);
        self.end_group(effects);
        self.judge_presents(effects);
        self.ask(effects);
        self.items.publish_remarks();
    }
}
