//! When would a trigger have fired? The real shard over stored values, in a sandbox.
//!
//! [`Backtest::new`] makes a configuration of one trigger and the items that it reads, preprocessing
//! taken away (stored values are processed ones). [`Backtest::needs`] says what to read of history;
//! [`Backtest::run`] feeds it, in order of time, to a shard of its own, with timers in between.
//! Nothing here can touch live state.
//!
//! In order of time means: values that came late are where they belong, because history does not know when
//! they came. The events are those of the live shard for the same values in order of time; events
//! that exist there only because a value was late (its problem, ended by the present) are not
//! found. Triggers that this one depends on are not asked. Before the period asked for lies a lead,
//! in which windows fill and the trigger finds its state.

use std::collections::VecDeque;
use std::sync::Arc;

use directory::{
    BuilderSettings, Directory, DirectoryBuilder, ItemTarget, PlanDelta, event_name, expressions_of,
};
use jiff::tz::TimeZone;
use lang::backtest::{BacktestReport, EndedBy, Transition, UnknownSpan};
use model::batch::{Batch, Extra, RawRef, Run as BatchRun};
use model::content::{
    HostStatus, ItemContent, ItemFlags, ItemStatus, ItemType, TriggerContent, TriggerStatus,
};
use model::snapshot::{Delta, Host, ItemRow, Snapshot, TriggerRow};
use model::time::NANOS;
use model::value::LogEntry;
use model::{EventId, HostId, ItemId, Now, Time, TriggerId, Value, ValueType};
use window::Samples;

use crate::cross_item::{CrossItemQuery, CrossItemReader, FetchFailed, ReadRange, Source};
use crate::effects::{Effects, Fetch, StateOf, StepEventKind};
use crate::input::{Fetched, ForwardBatch, Input};
use crate::live::LiveTable;
use crate::shard::{Shard, ShardSettings};

/// The least time that is evaluated before the period, for the trigger to find its state.
const LEAD_MIN_S: i64 = 3_600;
/// The longest lead: windows of a year are not filled twice.
const LEAD_MAX_S: i64 = 7 * 86_400;

/// The trigger and the period to be tested.
#[derive(Clone, Debug)]
pub struct BacktestSpec<'a> {
    pub snapshot: &'a Snapshot,
    /// The host that holds the trigger, or would.
    pub host: HostId,
    /// The trigger as it is or is to be; id and source may be none.
    pub trigger: TriggerRow,
    pub zone: TimeZone,
    /// Transitions at `from < time <= until` are reported.
    pub from: Time,
    pub until: Time,
    /// Before this point in time nothing was there whose values could be missed: the host's creation, if it
    /// is known.
    pub not_before: Time,
    pub limits: BacktestLimits,
}

/// Where a run ends early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BacktestLimits {
    /// Values of all items with the lead.
    pub values_max: usize,
    pub transitions_max: usize,
    /// Steps of the shard: values of one time or a tick of the timer.
    pub steps_max: usize,
}

impl Default for BacktestLimits {
    fn default() -> Self {
        Self { values_max: 2_000_000, transitions_max: 1_000, steps_max: 2_000_000 }
    }
}

/// Why nothing can be tried.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BacktestError {
    #[error("no such host")]
    Host,
    #[error("the period ends before it begins")]
    Period,
    #[error("{0}")]
    Expression(Arc<str>),
    #[error("the expression uses no item")]
    NoItems,
}

/// Values of one item that a run needs: those with `from < time <= until`, and the newest `count` at
/// or before `from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BacktestItem {
    pub item: ItemId,
    pub kind: ValueType,
    pub from: Time,
    pub until: Time,
    pub count: u32,
}

/// The input of a run.
pub struct BacktestInput<'a> {
    /// Of each of [`Backtest::needs`], ascending by time.
    pub values: &'a [(ItemId, Samples)],
    /// The values are complete up to this point in time only.
    pub complete_until: Option<Time>,
    /// Called at intervals with the time that the run has reached; returns whether it is to end
    /// there.
    pub is_over: &'a mut dyn FnMut(Time) -> bool,
}

impl std::fmt::Debug for BacktestInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BacktestInput")
    }
}

/// A sandbox that is ready to run.
#[derive(Debug)]
pub struct Backtest {
    spec: Period,
    zone: TimeZone,
    directory: Arc<Directory>,
    /// The plan with the trigger switched off, and on.
    plans: [PlanDelta; 2],
    items: Vec<BacktestItem>,
    host: HostId,
    trigger: TriggerId,
    /// Windows fill from here on, and the trigger is judged from there on.
    start: Time,
    judged_from: Time,
}

#[derive(Clone, Copy, Debug)]
struct Period {
    from: Time,
    until: Time,
    limits: BacktestLimits,
}

/// The id of a trigger that has none yet.
const NEW_TRIGGER: TriggerId = TriggerId(u64::MAX - 1);

impl Backtest {
    /// Prepares a run.
    ///
    /// # Errors
    /// If there is nothing to be tried.
    pub fn new(spec: &BacktestSpec<'_>) -> Result<Self, BacktestError> {
        if spec.until <= spec.from {
            return Err(BacktestError::Period);
        }
        let trigger = spec.trigger.id.some().unwrap_or(NEW_TRIGGER);
        let off = sandbox(spec, trigger)?;
        let mut on = off.clone();
        on.epoch += 1;
        switch_on(&mut on, spec.host);
        let settings = BuilderSettings { n_shards: 1, hash_seed: 0, zone: spec.zone.clone() };
        let mut builder = DirectoryBuilder::new(settings);
        let (_, mut first) = builder.apply(&Arc::new(off), &Delta::default());
        let delta = Delta { epoch: on.epoch, hosts_changed: vec![spec.host], ..Delta::default() };
        let (directory, mut second) = builder.apply(&Arc::new(on), &delta);
        let plan = directory.by_host(spec.host).ok_or(BacktestError::Host)?;
        let reads = plan.reads_of(trigger).map_err(BacktestError::Expression)?;
        if reads.items.is_empty() {
            return Err(BacktestError::NoItems);
        }
        // Trends reach back whole periods from where they are asked for.
        let trends = reads.trends.iter().filter_map(|it| it.hours(spec.from, &spec.zone));
        let oldest = trends.flatten().map(|it| it.start).min();
        let trend_ns = oldest.map_or(0, |it| {
            spec.from.since_ns(Time::from_clock(it, 0)).saturating_add(LEAD_MIN_S * NANOS)
        });
        let reach_ns = reads.reach_ns.max(trend_ns);
        let before = |time: Time, ns: i64| Time(time.0.saturating_sub(ns).max(0));
        let lead_s = (reach_ns / NANOS).clamp(LEAD_MIN_S, LEAD_MAX_S);
        let judged_from = before(spec.from, lead_s * NANOS).max(spec.not_before);
        let start = before(judged_from, reach_ns.saturating_add(NANOS)).max(spec.not_before);
        let items = reads.items.iter().map(|(item, kind, count)| BacktestItem {
            item: *item,
            kind: *kind,
            from: start,
            until: spec.until,
            // Functions of the newest values look at two, however old they are.
            count: (*count).max(2),
        });
        Ok(Self {
            spec: Period { from: spec.from, until: spec.until, limits: spec.limits },
            zone: spec.zone.clone(),
            items: items.collect(),
            plans: [first.swap_remove(0), second.swap_remove(0)],
            directory,
            host: spec.host,
            trigger,
            start,
            judged_from,
        })
    }

    /// The items to read from history for [`Self::run`].
    #[must_use]
    pub fn needs(&self) -> &[BacktestItem] {
        &self.items
    }

    /// The point in time at which a run begins, before the period asked for.
    #[must_use]
    pub fn start(&self) -> Time {
        self.start
    }

    /// Runs. `values`: of each of [`Self::needs`], ascending by time.
    #[must_use]
    pub fn run(self, values: &[(ItemId, Samples)]) -> BacktestReport {
        self.run_while(BacktestInput { values, complete_until: None, is_over: &mut |_| false })
    }

    /// Runs until the caller ends it.
    #[must_use]
    pub fn run_while(self, input: BacktestInput<'_>) -> BacktestReport {
        let cut = input.complete_until.filter(|it| *it < self.spec.until);
        let end = |time: Time| cut.map_or(time, |it| time.min(it));
        let (judged_from, until) = (end(self.judged_from), end(self.spec.until));
        let mut run = Run::new(&self, input.values, input.is_over);
        let [off, on] = self.plans;
        run.shard.configure(off, run.now, &mut run.effects);
        run.settle();
        run.shard.start(run.now, &mut run.effects);
        run.settle();
        run.feed_until(judged_from);
        run.shard.configure(on, run.now, &mut run.effects);
        run.settle();
        run.feed_until(until);
        if let Some(cut) = cut {
            let cut = cut.max(self.spec.from);
            run.report.ended_early.get_or_insert((cut, EndedBy::Values));
        }
        run.finish()
    }
}

/// The configuration of a trigger and the hosts that it reads, the trigger switched off.
fn sandbox(spec: &BacktestSpec<'_>, id: TriggerId) -> Result<Snapshot, BacktestError> {
    let holder = spec.snapshot.hosts.get(&spec.host).ok_or(BacktestError::Host)?;
    let content = TriggerContent {
        status: TriggerStatus::Disabled,
        dependencies: Vec::new(),
        ..TriggerContent::clone(&spec.trigger.content)
    };
    let mut hosts = vec![Arc::clone(holder)];
    for function in &content.functions {
        if let Some((other, _)) = spec.snapshot.item_by_ref(holder, function.item)
            && hosts.iter().all(|it| it.id != other.id)
        {
            hosts.push(Arc::clone(other));
        }
    }
    for other in
        hosts_in_name(&event_name(&spec.trigger)).filter_map(|it| spec.snapshot.host_named(&it))
    {
        if hosts.iter().all(|it| it.id != other.id) {
            hosts.push(Arc::clone(other));
        }
    }
    let trigger = TriggerRow {
        id,
        content: Arc::new(content),
        flags: ItemFlags::Plain,
        ..spec.trigger.clone()
    };
    let hosts = hosts.into_iter().map(|it| {
        let triggers = if it.id == spec.host { vec![trigger.clone()] } else { Vec::new() };
        let host = Host {
            status: HostStatus::Monitored,
            items: it.items.iter().map(stored_values_of).collect(),
            triggers,
            ..Host::clone(&it)
        };
        (host.id, Arc::new(host))
    });
    Ok(Snapshot { epoch: 1, hosts: hosts.collect(), ..spec.snapshot.clone() })
}

/// The hosts that expression macros of an event name read.
fn hosts_in_name(name: &str) -> impl Iterator<Item = String> {
    let parsed = expressions_of(name).filter_map(|it| lang::expression::parse(it).ok());
    parsed.flat_map(|ast| {
        let queries = ast.history_calls().iter().filter_map(|it| ast.query(it));
        queries.map(|it| it.host.to_owned()).collect::<Vec<_>>()
    })
}

/// The item as one that takes processed values of whatever age.
fn stored_values_of(row: &ItemRow) -> ItemRow {
    let content = ItemContent {
        kind: ItemType::Trapper,
        status: ItemStatus::Enabled,
        preprocessing: Vec::new(),
        history: "0".to_owned(),
        ..ItemContent::clone(&row.content)
    };
    ItemRow { content: Arc::new(content), ..row.clone() }
}

fn switch_on(snapshot: &mut Snapshot, host: HostId) {
    let Some(holder) = snapshot.hosts.get(&host) else { return };
    let mut holder = Host::clone(holder);
    for row in &mut holder.triggers {
        let content = TriggerContent::clone(&row.content);
        row.content = Arc::new(TriggerContent { status: TriggerStatus::Enabled, ..content });
    }
    snapshot.hosts.insert(host, Arc::new(holder));
}

/// One item's values on their way in.
struct ItemReplay<'a> {
    slot: u32,
    item: ItemId,
    /// Of the host that holds the trigger.
    is_own: bool,
    samples: &'a Samples,
    /// How many are fed.
    n_replayed: usize,
}

impl ItemReplay<'_> {
    fn time(&self, at: usize) -> Option<Time> {
        match self.samples {
            Samples::Float(it) => it.get(at).map(|it| it.0),
            Samples::Unsigned(it) => it.get(at).map(|it| it.0),
            Samples::Text(it) => it.get(at).map(|it| it.0),
        }
    }

    fn push(&self, at: usize, batch: &mut Batch) -> Option<()> {
        let (time, raw) = match self.samples {
            Samples::Float(it) => it.get(at).map(|it| (it.0, RawRef::Float(it.1)))?,
            Samples::Unsigned(it) => it.get(at).map(|it| (it.0, RawRef::Unsigned(it.1)))?,
            Samples::Text(it) => {
                let (time, value) = it.get(at)?;
                if let Value::Log(entry) = value {
                    let row = u32::try_from(batch.len()).ok()?;
                    let log = Some(LogEntry::clone(entry));
                    batch.extras.push(Extra { row, log, ..Extra::default() });
                }
                (*time, RawRef::Text(value.as_text().unwrap_or_default()))
            }
        };
        batch.push(self.slot, time, raw).ok()
    }

    /// The answer of history: only fed values have been stored.
    fn answer(&self, fetch: &Fetch) -> Samples {
        let until = (0..self.n_replayed)
            .rev()
            .find(|it| self.time(*it).is_some_and(|it| it <= fetch.until));
        let end = until.map_or(0, |it| it + 1);
        let first = (0..end).find(|it| self.time(*it).is_some_and(|it| fetch.from < it));
        let counted =
            (0..end).rev().find(|it| self.time(*it).is_some_and(|it| it <= fetch.count_until));
        let counted = counted.map_or(0, |it| it + 1);
        let first = first.unwrap_or(end).min(counted.saturating_sub(fetch.count as usize));
        match self.samples {
            Samples::Float(it) => Samples::Float(it.get(first..end).unwrap_or_default().to_vec()),
            Samples::Unsigned(it) => {
                Samples::Unsigned(it.get(first..end).unwrap_or_default().to_vec())
            }
            Samples::Text(it) => Samples::Text(it.get(first..end).unwrap_or_default().to_vec()),
        }
    }
}

/// The values that history would have stored so far.
struct ReplaySource<'r, 'a>(&'r [ItemReplay<'a>]);

impl Source for ReplaySource<'_, '_> {
    fn read(
        &mut self,
        (item, kind): (ItemId, ValueType),
        range: ReadRange,
    ) -> Result<Samples, FetchFailed> {
        let replay = self.0.iter().find(|it| it.item == item);
        let fetch = Fetch {
            id: 0,
            item,
            kind,
            from: range.from,
            until: range.until,
            count: 0,
            count_until: range.until,
        };
        Ok(replay.map_or(Samples::Text(Vec::new()), |it| it.answer(&fetch)))
    }

    fn is_unsupported(&mut self, _item: &ItemTarget) -> bool {
        false
    }
}

/// The monotonic clock of a sandbox at its start.
const MONO_START: u64 = 1_000_000 * NANOS.unsigned_abs();
enum Todo {
    Forward(ForwardBatch),
    Fetch(Fetch),
    CrossItemQuery(CrossItemQuery),
}

struct Run<'a> {
    test: Period,
    trigger: TriggerId,
    start: Time,
    epoch: u64,
    shard: Shard,
    replays: Vec<ItemReplay<'a>>,
    now: Now,
    effects: Effects,
    batch: Batch,
    todo: VecDeque<Todo>,
    cross_item_reader: CrossItemReader,
    directory: Arc<Directory>,
    next_event: u64,
    lsn: u64,
    n_steps: usize,
    unknown: Option<(Time, Arc<str>)>,
    report: BacktestReport,
    is_over: &'a mut dyn FnMut(Time) -> bool,
}

impl<'a> Run<'a> {
    fn new(
        test: &Backtest,
        values: &'a [(ItemId, Samples)],
        is_over: &'a mut dyn FnMut(Time) -> bool,
    ) -> Self {
        let live = LiveTable::new(1);
        let settings = ShardSettings { shard: 0, n_shards: 1, zone: test.zone.clone() };
        let replays = values.iter().filter_map(|(item, samples)| {
            let target = test.directory.by_item(*item)?;
            let is_own = target.host == test.host;
            Some(ItemReplay { slot: target.slot, item: *item, is_own, samples, n_replayed: 0 })
        });
        Self {
            test: test.spec,
            trigger: test.trigger,
            start: test.start,
            epoch: test.directory.epoch(),
            shard: Shard::new(settings, &live),
            replays: replays.collect(),
            now: Now { wall: test.start, mono_ns: MONO_START },
            effects: Effects::default(),
            batch: Batch::default(),
            todo: VecDeque::new(),
            cross_item_reader: CrossItemReader::new(test.zone.clone()),
            directory: Arc::clone(&test.directory),
            next_event: 1,
            lsn: 0,
            n_steps: 0,
            unknown: None,
            report: BacktestReport::default(),
            is_over,
        }
    }

    /// The present becomes this time; it never goes back.
    fn set_time(&mut self, time: Time) {
        let time = time.max(self.now.wall);
        let passed = time.since_ns(self.start).max(0).unsigned_abs();
        self.now = Now { wall: time, mono_ns: MONO_START + passed };
    }

    fn feed_until(&mut self, until: Time) {
        while self.report.ended_early.is_none() {
            let next = self.replays.iter().filter_map(|it| it.time(it.n_replayed)).min();
            let Some(time) = next.filter(|it| *it <= until) else { break };
            self.pass(time);
            self.set_time(time);
            // Of one time, values of other hosts come first: with the last own one all are there.
            self.take(time, false);
            self.take(time, true);
            self.check_limits();
        }
        self.pass(until);
        if self.report.ended_early.is_none() {
            self.set_time(until);
        }
    }

    /// Feeds the values of a time.
    fn take(&mut self, time: Time, is_own: bool) {
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        batch.epoch = self.epoch;
        for replay in self.replays.iter_mut().filter(|it| it.is_own == is_own) {
            while replay.time(replay.n_replayed) == Some(time) {
                // A value that does not fit is skipped.
                let _taken = replay.push(replay.n_replayed, &mut batch);
                replay.n_replayed += 1;
                self.report.n_values += 1;
            }
        }
        if !batch.is_empty() {
            batch.runs.push(BatchRun { end: u32::try_from(batch.len()).unwrap_or(u32::MAX) });
            self.step(Input::Batch(&batch));
        }
        self.batch = batch;
    }

    /// Lets time pass, with all timers.
    fn pass(&mut self, until: Time) {
        while self.report.ended_early.is_none()
            && let Some(due) = self.shard.next_timer()
        {
            let after = i64::try_from(due.saturating_sub(MONO_START)).unwrap_or(i64::MAX);
            let at = Time(self.start.0.saturating_add(after));
            if until < at {
                break;
            }
            self.set_time(at);
            self.step(Input::Timer);
            self.check_limits();
        }
    }

    fn step(&mut self, input: Input<'_>) {
        self.n_steps += 1;
        self.effects.clear();
        self.shard.step(self.now, input, &mut self.effects);
        self.settle();
    }

    /// Acts as the owner of a shard does after a step, until nothing is left to do.
    fn settle(&mut self) {
        self.commit();
        while let Some(todo) = self.todo.pop_front() {
            self.effects.clear();
            match todo {
                Todo::Forward(batch) => {
                    self.shard.step(self.now, Input::Forwarded(&batch), &mut self.effects);
                }
                Todo::CrossItemQuery(query) => {
                    let mut source = ReplaySource(&self.replays);
                    let answer =
                        self.cross_item_reader.answer(&query, &self.directory, &mut source);
                    self.shard.step(
                        self.now,
                        Input::CrossItemAnswers(&[answer]),
                        &mut self.effects,
                    );
                }
                Todo::Fetch(fetch) => {
                    let replay = self.replays.iter().find(|it| it.item == fetch.item);
                    let samples = replay.map_or(Samples::Text(Vec::new()), |it| it.answer(&fetch));
                    let answer =
                        Fetched { id: fetch.id, samples: Ok(samples), lsn: Some(self.lsn) };
                    self.shard.step(self.now, Input::Fetched(&[answer]), &mut self.effects);
                }
            }
            self.commit();
        }
    }

    fn commit(&mut self) {
        self.lsn += 1;
        self.shard.committed(self.lsn, EventId(self.next_event), &mut self.effects);
        self.note();
        self.todo.extend(self.effects.forwards.drain(..).map(Todo::Forward));
        self.todo.extend(self.effects.fetches.drain(..).map(Todo::Fetch));
        self.todo.extend(self.effects.cross_item_queries.drain(..).map(Todo::CrossItemQuery));
    }

    /// Takes down what the step said of the trigger.
    fn note(&mut self) {
        let first = EventId(self.next_event);
        for (number, event) in (first.0..).zip(std::mem::take(&mut self.effects.events)) {
            self.next_event += 1;
            let stays_in_problem = event.is_problem;
            if event.time <= self.test.from {
                self.report.starts_in_problem = stays_in_problem;
                continue;
            }
            let (is_problem, closes) = match event.kind {
                StepEventKind::Problem => (true, Vec::new()),
                StepEventKind::Recovery { closes, .. } => {
                    (false, closes.into_iter().map(|it| it.id(first)).collect())
                }
            };
            let functions = self.shard.explain(self.trigger, event.time);
            let (time, name) = (event.time, event.name);
            self.report.transitions.push(Transition {
                time,
                is_problem,
                event: EventId(number),
                closes,
                stays_in_problem,
                name,
                functions,
            });
        }
        for change in std::mem::take(&mut self.effects.states) {
            if change.what == StateOf::Trigger(self.trigger) {
                self.end_unknown(change.time);
                self.unknown = change.error.map(|why| (change.time, why));
            }
        }
    }

    fn end_unknown(&mut self, until: Time) {
        let Some((from, reason)) = self.unknown.take() else { return };
        let from = from.max(self.test.from);
        if from < until && self.report.unknown.len() < self.test.limits.transitions_max {
            self.report.unknown.push(UnknownSpan { from, until, reason });
        }
    }

    fn check_limits(&mut self) {
        const ASKED_EACH: usize = 256;
        let limits = &self.test.limits;
        let by = if limits.values_max <= self.report.n_values {
            EndedBy::Values
        } else if limits.transitions_max <= self.report.transitions.len() {
            EndedBy::Transitions
        } else if limits.steps_max <= self.n_steps {
            EndedBy::Steps
        } else if self.n_steps.is_multiple_of(ASKED_EACH) && (self.is_over)(self.now.wall) {
            EndedBy::Caller
        } else {
            return;
        };
        self.report.ended_early = Some((self.now.wall, by));
    }

    fn finish(mut self) -> BacktestReport {
        self.end_unknown(self.now.wall);
        self.report.n_evaluations = self.shard.counters().evaluations;
        self.report
    }
}
