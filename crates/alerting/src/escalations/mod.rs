//! The worker that judges events and walks through the steps of actions.
//!
//! A turn reads new events from the database, passes them to [`alert::escalation::Escalations`],
//! makes the steps that are due, and saves all results in one transaction. It is woken by events
//! that are saved, by changes of problems and of the configuration, and by the time of the next
//! step. A failure (of the database, or a bug) loses the turn and nothing else: the saved state is
//! read back, and the turn is made again. An event of which each turn fails is quarantined
//! ([`quarantine`]).

mod actions;
pub(crate) mod devices;
mod digests;
mod hosts;
mod message;
mod quarantine;
mod recipients;
mod targets;
mod world;

use std::time::Duration;

use crate::message_facts::FactSources;
use alert::Alert;
use alert::digest::Digests;
use alert::escalation::{EscalationBatch, Escalations, UpdateEntry};
use db::events::{EventRow, object, source};
use db::{ConfigError, Db, DbError, EscalationTurn, EventQuery, Judged, NewDigest, ToJudge};
use jiff::tz::TimeZone;
use model::snapshot::Snapshot;
use model::time::Now;
use model::{EventId, Time};
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use thiserror::Error;
use tracing::{error, warn};

use self::actions::Actions;
use self::digests::DigestMaker;
use self::quarantine::{Input, Quarantine};
use self::world::TurnWorld;

/// The worker as operators know it.
pub const ROW: WorkerRow = WorkerRow {
    name: "escalations",
    job: "judges events by the conditions of actions and makes the messages and commands of their steps",
    woken_by: "events and updates of problems that are saved, changes of the configuration, the time of the next step",
    waits: "actions wait, the last turn failed",
    on_panic: OnPanic::Reload,
};
/// The name of the quarantine in `/health`.
const QUARANTINE_PART: &str = "escalations-quarantine";
/// Events and updates of one turn at most: a storm is judged in turns of some ten milliseconds.
const JUDGED_MAX: u32 = 1_000;
/// The time of a step is wall time, and the wall clock may be set: it is read so often while steps
/// are to come.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// For how long problems wait for rules of global correlation, which may close them at once. They are judged some
/// milliseconds after they are saved, unless something is wrong.
const CORRELATION_MAX_NS: u64 = 2_000_000_000;

rt::metrics! {
    /// Actions under way.
    pub struct EscalationMetrics in "saker_escalations" {
        /// Escalations under way, also those that wait for the end of their problem.
        pub running: Gauge,
        /// Enabled actions that concern nothing because of a fault in their conditions.
        pub faulty_actions: Gauge,
        /// Events that were judged.
        pub events_total: Counter,
        /// Updates of problems that were judged.
        pub updates_total: Counter,
        /// Steps made.
        pub steps_total: Counter,
        /// Escalations that were canceled: their action, trigger, item or host was disabled or deleted.
        pub canceled_total: Counter,
        /// Messages to an on-call schedule by which nobody was on call.
        pub oncall_gaps_total: Counter,
        /// Operations on hosts that the configuration did not allow; alerts and the log say why.
        pub refused_host_operations_total: Counter,
        /// Alerts made.
        pub alerts_total: Counter,
        /// Messages of them that wait for a digest or for the end of quiet hours.
        pub held_total: Counter,
        /// Digests made.
        pub digests_total: Counter,
        /// Messages in digests.
        pub digested_total: Counter,
        /// Turns that failed; they are made again.
        pub failures_total: Counter,
        /// Events, updates and escalations that were set aside because each turn with them failed: nothing is sent of them.
        pub quarantined_total: Counter,
        /// Time of one turn with its transaction, in seconds.
        pub turn_seconds: TimeHistogram,
    }
}

/// Why a turn was given up.
#[derive(Debug, Error)]
pub enum TurnError {
    #[error(transparent)]
    Db(#[from] DbError),
    #[error("hosts could not be changed: {0}")]
    Hosts(ConfigError),
}

impl TurnError {
    /// Whether the same turn may end well later, without anybody changing anything.
    fn retry(&self) -> bool {
        match self {
            Self::Db(it) => it.retry(),
            Self::Hosts(_) => true,
        }
    }
}

/// Parts of the server that escalations need.
pub struct EscalationParts {
    pub sources: FactSources,
    pub clock: Clock,
    pub health: Health,
    pub metrics: EscalationMetrics,
}

opaque_debug!(EscalationParts);

/// The worker's state.
pub struct EscalationRunner {
    db: Db,
    sources: FactSources,
    clock: Clock,
    zone: TimeZone,
    health: Health,
    metrics: EscalationMetrics,
    actions: Actions,
    state: Option<Running>,
    quarantine: Quarantine,
    /// The problem that waits to be correlated, and since when (monotonic).
    uncorrelated: Option<(EventId, u64)>,
    /// Why the last turn failed, and whether time mends it.
    failure: Option<(String, bool)>,
}

opaque_debug!(EscalationRunner);

/// As of the last turn that was saved.
struct Running {
    escalations: Escalations,
    digests: Digests,
    judged: Judged,
    /// The configuration for which escalations were last checked for cancellation.
    epoch: u64,
}

impl Running {
    /// When something is due next, in seconds since 1970.
    fn next_due(&self) -> Option<i64> {
        [self.escalations.next_due(), self.digests.next_due()].into_iter().flatten().min()
    }
}

impl EscalationRunner {
    /// Turns are caused by its wake-ups.
    #[must_use]
    pub fn new(parts: EscalationParts, wake: &Wake) -> Self {
        let EscalationParts { sources, clock, health, metrics } = parts;
        let db = sources.db.clone();
        let of_saved = wake.clone();
        db.events().watch_saved(Box::new(move || of_saved.wake()));
        let of_problems = wake.clone();
        db.events().watch(Box::new(move |_| of_problems.wake()));
        let of_edits = wake.clone();
        db.subscribe(Box::new(move |_, _| of_edits.wake()));
        let zone = db.zone().clone();
        Self {
            db,
            sources,
            clock,
            zone,
            health,
            metrics,
            actions: Actions::default(),
            state: None,
            quarantine: Quarantine::default(),
            uncorrelated: None,
            failure: None,
        }
    }

    /// Finds out which input failed, and quarantines it if it is always the same.
    fn after_failure(&mut self, after: WorkerFailure) {
        self.metrics.failures_total.add(1);
        self.state = None;
        let failure = self.failure.take().filter(|_| after == WorkerFailure::Error);
        let (reason, is_mended_by_time) =
            failure.unwrap_or_else(|| ("a bug, which the log describes".to_owned(), false));
        if is_mended_by_time {
            return;
        }
        if let Some(input) = self.quarantine.failed()
            && let Err(error) = self.set_aside(input, &reason)
        {
            warn!(%error, "a failing input could not be quarantined; it is tried again");
        }
    }

    /// Continues without an input of which each turn fails. A quarantined recovery ends its
    /// escalations without a message.
    fn set_aside(&mut self, input: Input, reason: &str) -> Result<(), DbError> {
        let saved = self.db.escalations().load()?;
        let (mut judged, mut ended) = (saved.judged, Vec::new());
        match input {
            Input::Event(event) => {
                judged.event = judged.event.max(event);
                let query = EventQuery { eventids: Some(vec![event]), ..EventQuery::default() };
                let found = self.db.events().query(&query)?;
                let over = |it: &EventId| found.iter().any(|row| row.recovers.contains(it));
                ended.extend(saved.escalations.iter().filter(|it| over(&it.event)).map(|it| it.id));
            }
            Input::Update { acknowledge, .. } => {
                judged.acknowledge = judged.acknowledge.max(acknowledge);
            }
            Input::Step { escalation, .. } => ended.push(escalation),
        }
        let next_id = saved.next_id;
        let turn = EscalationTurn { ended, next_id, judged, ..EscalationTurn::default() };
        self.db.escalations().save(turn)?;
        self.metrics.quarantined_total.add(1);
        self.quarantine.shown(self.clock.mono_ns());
        let (what, event) = (input.what(), input.event().0);
        error!(event, reason, "{what} {event} is quarantined: each turn with it fails");
        let shown = format!("{what} {event} is quarantined, its messages are not sent: {reason}");
        self.health.set(QUARANTINE_PART, Level::Degraded, shown);
        Ok(())
    }

    fn turn_by_state(&mut self) -> Result<Next, TurnError> {
        // Taken out: a turn that fails leaves nothing of its own.
        let mut state = match self.state.take() {
            Some(it) => it,
            None => self.load()?,
        };
        let is_single = self.quarantine.begin();
        let limit = if is_single { 1 } else { JUDGED_MAX };
        let mut to_judge = self.db.escalations().to_judge(state.judged, limit)?;
        let (snapshot, now) = (self.db.snapshot(), self.clock.wall());
        let is_full = limit as usize <= to_judge.events.len().max(to_judge.updates.len());
        let is_uncorrelated = self.leave_uncorrelated(&snapshot, &mut to_judge);
        self.actions.renew(&snapshot);
        self.metrics.faulty_actions.set_n(self.actions.n_faulty());
        let is_full = is_full && !is_uncorrelated;
        if is_single {
            self.choose(&state, &mut to_judge, now);
        }
        let is_swept = is_single || state.epoch == snapshot.epoch;
        let is_due = state.next_due().is_some_and(|it| it <= now.clock());
        if let ([only], true, false, false, true) =
            (&*to_judge.events, to_judge.updates.is_empty(), is_single, is_due, is_swept)
        {
            self.quarantine.is_about(Input::Event(only.eventid));
        }
        if to_judge == ToJudge::default() && is_swept && !is_due {
            let next = if is_single { Next::More } else { self.next(&state, is_uncorrelated) };
            self.state = Some(state);
            return Ok(next);
        }
        let (n_events, n_updates) = (to_judge.events.len() as u64, to_judge.updates.len() as u64);
        let mut world = TurnWorld::new(&self.sources, (&snapshot, &self.zone), &self.actions, now);
        let asked: Vec<EventId> = to_judge.updates.iter().map(|(event, _)| *event).collect();
        let looked_at: Vec<EventId> = if is_swept {
            state.escalations.due(now.clock()).collect()
        } else {
            state.escalations.events().collect()
        };
        world.fetch(&asked, looked_at, &to_judge)?;
        judge(&mut state, &to_judge, &mut world, now);
        if !is_swept {
            state.escalations.sweep(&mut world);
            state.epoch = snapshot.epoch;
        }
        if !is_single {
            state.escalations.tick(&mut world, now.clock());
        } else if to_judge == ToJudge::default() {
            state.escalations.tick_one(&mut world, now.clock());
        }
        if let Some(error) = world.take_failure() {
            return Err(error.into());
        }
        let n_oncall_gaps = world.n_oncall_gaps();
        let mut batch = state.escalations.take_batch();
        batch.alerts.extend(self.change_hosts(&mut world, now)?);
        let (made, n_held) = self.digests(&mut state, &mut batch, now)?;
        let counts = (batch.n_steps, batch.n_canceled, batch.alerts.len() as u64);
        let n_digested = made.iter().map(|it| it.members.len() as u64).sum();
        let n_digests = made.len() as u64;
        self.save(&state, batch, made)?;
        self.metrics.held_total.add(n_held);
        self.metrics.digests_total.add(n_digests);
        self.metrics.digested_total.add(n_digested);
        self.metrics.events_total.add(n_events);
        self.metrics.updates_total.add(n_updates);
        self.metrics.steps_total.add(counts.0);
        self.metrics.canceled_total.add(counts.1);
        self.metrics.alerts_total.add(counts.2);
        self.metrics.oncall_gaps_total.add(n_oncall_gaps);
        self.metrics.running.set_n(state.escalations.len());
        let next =
            if is_full || is_single { Next::More } else { self.next(&state, is_uncorrelated) };
        self.state = Some(state);
        Ok(next)
    }

    /// Leaves one input in a turn: a new event or update, or none, and then a step is made.
    fn choose(&mut self, state: &Running, to_judge: &mut ToJudge, now: Time) {
        let due = state.escalations.first_due(now.clock());
        if to_judge.events.is_empty() || due.is_some() && self.quarantine.begins_with_steps() {
            to_judge.events.clear();
        } else {
            to_judge.updates.clear();
        }
        if due.is_some() && self.quarantine.begins_with_steps() {
            to_judge.updates.clear();
        }
        let event = to_judge.events.first().map(|it| Input::Event(it.eventid));
        let update = to_judge
            .updates
            .first()
            .map(|(event, it)| Input::Update { acknowledge: it.acknowledgeid, event: *event });
        let step = due.map(|(escalation, event)| Input::Step { escalation, event });
        if let Some(input) = event.or(update).or(step) {
            self.quarantine.is_about(input);
        }
    }

    /// Leaves problems for later that rules of global correlation have not judged yet, with all that came behind them.
    /// Gives whether there are any.
    fn leave_uncorrelated(&mut self, snapshot: &Snapshot, to_judge: &mut ToJudge) -> bool {
        let mut rules = snapshot.documents.of("correlation");
        if !rules.any(|it| it.text("status") == "0") {
            return false;
        }
        let judged = self.db.events().shown_correlated_to();
        let is_new = |it: &EventRow| {
            (it.source, it.object, it.value) == (source::TRIGGER, object::TRIGGER, 1)
                && judged < it.eventid
        };
        let Some(at) = to_judge.events.iter().position(is_new) else { return false };
        let first = to_judge.events.get(at).map_or(EventId::NONE, |it| it.eventid);
        let now_ns = self.clock.mono_ns();
        let (_, since_ns) = *match &mut self.uncorrelated {
            Some(it) if it.0 == first => it,
            other => other.insert((first, now_ns)),
        };
        if CORRELATION_MAX_NS <= now_ns.saturating_sub(since_ns) {
            return false;
        }
        to_judge.events.truncate(at);
        // Updates of problems that wait come after them.
        if let Some(at) = to_judge.updates.iter().position(|(event, _)| first <= *event) {
            to_judge.updates.truncate(at);
        }
        true
    }

    /// Makes the digests that are due, and holds messages that have to wait; returns their numbers.
    fn digests(
        &self,
        state: &mut Running,
        batch: &mut EscalationBatch,
        now: Time,
    ) -> Result<(Vec<NewDigest>, u64), DbError> {
        let snapshot = self.db.snapshot();
        let rule = digests::rule(&snapshot);
        if state.digests.rule() != rule {
            state.digests = digests::load(&self.db, rule, now)?;
        }
        let (db, zone) = (&self.db, &self.zone);
        let maker = DigestMaker { db, snapshot: &snapshot, zone, now };
        // First the waiting messages: later ones wait for the next digest.
        let made = maker.make(&mut state.digests)?;
        let n_held = digests::judge(&mut state.digests, &mut batch.alerts, &snapshot);
        Ok((made, n_held))
    }

    /// Executes the operations of actions on hosts; returns alerts about those that failed.
    fn change_hosts(&self, world: &mut TurnWorld<'_>, now: Time) -> Result<Vec<Alert>, TurnError> {
        let changes = world.take_host_changes();
        let refused = hosts::apply(&self.db, &changes, now).map_err(TurnError::Hosts)?;
        self.metrics.refused_host_operations_total.add(refused.len() as u64);
        for it in &refused {
            let (host, operation, reason) = (&it.host, it.operation, &it.why);
            warn!(%host, operation, %reason, "an action could not change a host");
        }
        Ok(refused.iter().filter_map(|it| world.refused_alert(it)).collect())
    }

    fn load(&self) -> Result<Running, DbError> {
        let saved = self.db.escalations().load()?;
        let escalations = Escalations::restore(saved.escalations, saved.next_id);
        // Whatever was disabled meanwhile is canceled.
        let epoch = u64::MAX;
        let rule = digests::rule(&self.db.snapshot());
        let digests = digests::load(&self.db, rule, self.clock.wall())?;
        // The messages of a turn whose commit was unconfirmed have not been announced yet.
        self.db.alerts().announce();
        Ok(Running { escalations, digests, judged: saved.judged, epoch })
    }

    fn save(
        &self,
        state: &Running,
        batch: EscalationBatch,
        digests: Vec<NewDigest>,
    ) -> Result<(), DbError> {
        let has_alerts = !batch.alerts.is_empty() || !digests.is_empty();
        self.db.escalations().save(EscalationTurn {
            changed: batch.changed.into_values().collect(),
            ended: batch.ended.into_iter().collect(),
            alerts: batch.alerts,
            digests,
            next_id: state.escalations.next_id(),
            judged: state.judged,
        })?;
        if has_alerts {
            self.db.alerts().announce();
        }
        Ok(())
    }

    /// When a turn is due without anything new.
    fn next(&self, state: &Running, is_uncorrelated: bool) -> Next {
        let now = self.clock.now();
        let correlation = match self.uncorrelated {
            Some((_, since_ns)) if is_uncorrelated => {
                Next::At(since_ns.saturating_add(CORRELATION_MAX_NS))
            }
            _ => Next::WhenWoken,
        };
        let Some(due) = state.next_due() else { return correlation };
        let left = u64::try_from(due.saturating_mul(1_000_000_000).saturating_sub(now.wall.0));
        let left = Duration::from_nanos(left.unwrap_or(0)).min(LOOK_INTERVAL);
        correlation.or(Next::after(now, left))
    }
}

impl Worker for EscalationRunner {
    type Error = TurnError;

    fn turn(&mut self, now: Now) -> Result<Next, TurnError> {
        if self.quarantine.is_over(now.mono_ns) {
            self.health.clear(QUARANTINE_PART);
        }
        let turn = self.turn_by_state();
        let took_ns = self.clock.mono_ns().saturating_sub(now.mono_ns);
        self.metrics.turn_seconds.observe_ns(took_ns);
        match &turn {
            Ok(_) => self.quarantine.passed(),
            Err(reason) => self.failure = Some((reason.to_string(), reason.retry())),
        }
        turn
    }

    /// The saved state is read back.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), TurnError> {
        self.after_failure(after);
        Ok(())
    }
}

/// Passes events and updates in the order of their ids.
fn judge(state: &mut Running, to_judge: &ToJudge, world: &mut TurnWorld<'_>, now: Time) {
    for event in &to_judge.events {
        state.judged.event = event.eventid;
        let source = alert::EventSource::from_code(event.source);
        let is_end = event.value == 0 && source.is_some_and(alert::EventSource::has_problems);
        if is_end {
            for problem in &event.recovers {
                let ids = (*problem, event.eventid);
                state.escalations.recovery(ids, world);
            }
        } else {
            state.escalations.problem(event.eventid, world, now.clock());
        }
    }
    for (event, entry) in &to_judge.updates {
        state.judged.acknowledge = entry.acknowledgeid;
        let authors = world.authors_before(*event, entry.acknowledgeid);
        let entry = UpdateEntry {
            acknowledge: entry.acknowledgeid,
            event: *event,
            author: entry.userid,
            authors,
        };
        state.escalations.update(&entry, world);
    }
}
