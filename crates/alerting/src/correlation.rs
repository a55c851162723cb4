//! Global correlation: the worker that judges new problems and has events closed by rules.
//!
//! A turn reads problems that are new in the database, asks [`alert::correlation`], and saves in
//! one transaction the problems to close and the position up to which it has judged. Then the
//! shards close them; a repeated request has no effect. A failure loses the turn: the saved state
//! is read back from the database. After a failure problems are judged one by one, and one at which
//! three turns in a row failed is skipped.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use alert::correlation::NewProblem;
use db::events::{object, source};
use db::objects::correlation;
use db::{Correlation, Correlator, Db, DbError, EventRow};
use model::EventId;
use model::snapshot::Snapshot;
use model::time::Now;
use rt::clock::Clock;
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use thiserror::Error;

use crate::ports::ProblemClosing;

/// The worker as operators know it.
pub const ROW: WorkerRow = WorkerRow {
    name: "correlation",
    job: "judges new problems by rules of global correlation, and has closed what they want closed",
    woken_by: "events that are saved, changes of problems and of the configuration",
    waits: "new problems wait to be correlated",
    on_panic: OnPanic::Reload,
};

/// Without rules only the position moves, so often.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);
/// Problems judged in one transaction.
const JUDGED_MAX: i64 = 1_000;
/// Turns of one problem each after a failure.
const SINGLE_TURNS: u32 = 20;
/// Until a shard is asked again whose queue was full.
const CLOSE_AGAIN: Duration = Duration::from_millis(100);
/// Problems that shards are asked to close at once.
const CLOSING_MAX: usize = 200;
/// For the answer of a shard; then it is asked again.
const CLOSE_MAX: Duration = Duration::from_secs(5);

rt::metrics! {
    /// Global correlation.
    pub struct CorrelationMetrics in "saker_correlation" {
        /// Enabled rules.
        pub rules: Gauge,
        /// New problems that were judged.
        pub judged_total: Counter,
        /// Problems that rules wanted closed.
        pub closed_total: Counter,
        /// Problems that wait for their shards to close them.
        pub closing: Gauge,
        /// Turns that failed; they are made again.
        pub failures_total: Counter,
        /// Time of one turn, in seconds.
        pub turn_seconds: TimeHistogram,
    }
}

/// Parts of the server that correlation needs.
pub struct CorrelationParts {
    pub db: Db,
    pub closing: Arc<dyn ProblemClosing>,
    pub clock: Clock,
    pub metrics: CorrelationMetrics,
}

opaque_debug!(CorrelationParts);

/// The worker's state.
pub struct CorrelationRunner {
    db: Db,
    closing: Arc<dyn ProblemClosing>,
    clock: Clock,
    metrics: CorrelationMetrics,
    /// `None`: to be read back.
    state: Option<CorrelationState>,
    /// Turns of one problem each that are still to be made.
    n_single: u32,
    /// The problem that a turn judges alone.
    current: Option<EventId>,
    /// Whether the last failure may pass with time.
    is_mended_by_time: bool,
}

opaque_debug!(CorrelationRunner);

/// Why a turn was given up.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct CorrelationError(#[from] DbError);

/// As of the last turn that was saved.
struct CorrelationState {
    correlator: Correlator,
    /// Of the configuration that the rules are of.
    epoch: u64,
    /// Of the problems that the correlator knows.
    version: u64,
    judged: EventId,
    /// Nothing new was in the database when problems had this version.
    seen: Option<u64>,
    closing: VecDeque<EventId>,
    /// When the position is moved without rules, in monotonic nanoseconds.
    idle_until: u64,
}

impl CorrelationRunner {
    /// Turns are caused by its wake-ups.
    #[must_use]
    pub fn new(parts: CorrelationParts, wake: &Wake) -> Self {
        let CorrelationParts { db, closing, clock, metrics } = parts;
        let of_saved = wake.clone();
        db.events().watch_saved(Box::new(move || of_saved.wake()));
        let of_problems = wake.clone();
        db.events().watch(Box::new(move |_| of_problems.wake()));
        let of_edits = wake.clone();
        db.subscribe(Box::new(move |_, _| of_edits.wake()));
        Self {
            db,
            closing,
            clock,
            metrics,
            state: None,
            n_single: 0,
            current: None,
            is_mended_by_time: false,
        }
    }

    fn turn_by_state(&mut self) -> Result<Next, DbError> {
        self.current = None;
        // Taken out: a turn that fails leaves nothing of its own.
        let mut state = match self.state.take() {
            Some(it) => it,
            None => self.load()?,
        };
        let next = if self.has_work(&state) {
            let started_ns = self.clock.mono_ns();
            let next = self.turn_of(&mut state)?;
            let took_ns = self.clock.mono_ns().saturating_sub(started_ns);
            self.metrics.turn_seconds.observe_ns(took_ns);
            next
        } else if state.correlator.has_rules() {
            Next::WhenWoken
        } else {
            // Something was saved: the position follows when its time has come.
            Next::At(state.idle_until)
        };
        self.state = Some(state);
        Ok(next)
    }

    fn has_work(&self, state: &CorrelationState) -> bool {
        if state.epoch != self.db.snapshot().epoch || !state.closing.is_empty() {
            return true;
        }
        if !state.correlator.has_rules() {
            return state.idle_until <= self.clock.mono_ns();
        }
        state.seen != Some(self.db.events().version())
    }

    fn load(&self) -> Result<CorrelationState, DbError> {
        let events = self.db.events();
        let judged = events.correlated_to()?;
        let closing: VecDeque<EventId> = events.to_close()?.into();
        let snapshot = self.db.snapshot();
        let mut state = CorrelationState {
            correlator: self.correlator(&snapshot),
            epoch: snapshot.epoch,
            version: 0,
            judged,
            seen: None,
            closing,
            idle_until: 0,
        };
        if !state.correlator.has_rules() {
            self.pass_over(&mut state)?;
        }
        Ok(state)
    }

    fn correlator(&self, snapshot: &Snapshot) -> Correlator {
        let documents = snapshot.documents.of("correlation");
        let rules: Vec<_> = documents.filter_map(|it| correlation::rule(snapshot, it)).collect();
        self.metrics.rules.set_n(rules.len());
        Correlator::new(rules)
    }

    fn turn_of(&mut self, state: &mut CorrelationState) -> Result<Next, DbError> {
        let snapshot = self.db.snapshot();
        if state.epoch != snapshot.epoch {
            if !state.correlator.has_rules() {
                // Problems from before the first rule are not judged by it as new ones: all of them have to be in
                // the database for the position to lie behind them.
                if self.db.events().n_waiting() > 0 {
                    // Their saving wakes it.
                    return Ok(Next::WhenWoken);
                }
                self.pass_over(state)?;
            }
            state.correlator = self.correlator(&snapshot);
            (state.epoch, state.version, state.seen) = (snapshot.epoch, 0, None);
        }
        if !state.correlator.has_rules() {
            if state.idle_until <= self.clock.mono_ns() {
                self.pass_over(state)?;
            }
            return Ok(self.close(state, &snapshot));
        }
        let is_single = 0 < self.n_single;
        let events = self.db.events();
        let before = events.version();
        let is_saving = events.n_waiting() > 0;
        let limit = if is_single { 1 } else { JUDGED_MAX };
        let new = events.begun_after(state.judged, limit)?;
        self.follow(state);
        if let [only] = &*new {
            self.current = Some(only.eventid);
        }
        let mut wanted = Vec::new();
        for event in &new {
            let groups = groups_of(&snapshot, event);
            let new = NewProblem { id: event.eventid, tags: &event.tags, groups: &groups };
            for close in state.correlator.judge(&new) {
                let of = Correlation { correlationid: close.rule, by: close.by };
                wanted.push((close.problem, of));
            }
        }
        if let Some(last) = new.last() {
            events.correlate(&wanted, last.eventid)?;
            state.judged = last.eventid;
            self.metrics.judged_total.add_n(new.len());
            self.metrics.closed_total.add_n(wanted.len());
            state.closing.extend(wanted.iter().map(|it| it.0));
            self.current = None;
        } else if !is_saving {
            state.seen = Some(before);
        }
        let next = self.close(state, &snapshot);
        Ok(if new.is_empty() { next } else { Next::More })
    }

    /// Moves the position behind all events that are saved.
    fn pass_over(&self, state: &mut CorrelationState) -> Result<(), DbError> {
        let last = self.db.events().last_saved()?;
        if last != state.judged {
            self.db.events().correlate(&[], last)?;
            state.judged = last;
        }
        let pause_ns = u64::try_from(IDLE_INTERVAL.as_nanos()).unwrap_or(u64::MAX);
        state.idle_until = self.clock.mono_ns().saturating_add(pause_ns);
        Ok(())
    }

    /// Takes over which problems are open. Whatever is in the database is known here.
    fn follow(&self, state: &mut CorrelationState) {
        let changes = self.db.events().changes_since(state.version);
        state.version = changes.version;
        for problem in changes.changed {
            let id = problem.eventid();
            let is_of_trigger =
                (problem.event.source, problem.event.object) == (source::TRIGGER, object::TRIGGER);
            if is_of_trigger && problem.is_open() && problem.correlation.is_none() {
                state.correlator.put(id, problem);
            } else {
                state.correlator.remove(id);
            }
        }
        for id in changes.removed {
            state.correlator.remove(id);
        }
    }

    /// Has some problems closed; gives when others that wait can be.
    fn close(&self, state: &mut CorrelationState, snapshot: &Snapshot) -> Next {
        let mut answers = Vec::new();
        let mut is_full = false;
        while let Some(id) = state.closing.pop_front() {
            let problem = self.db.events().problem(id).filter(|it| it.is_open());
            let Some(problem) = problem else { continue };
            match self.closing.close(&problem, snapshot, self.clock.wall()) {
                Ok(Some(answer)) => answers.push((id, answer)),
                Ok(None) => {}
                Err(_full) => {
                    is_full = true;
                    state.closing.push_front(id);
                }
            }
            if is_full || CLOSING_MAX <= answers.len() {
                break;
            }
        }
        for (id, answer) in answers {
            if answer.recv_timeout(CLOSE_MAX).is_err() {
                is_full = true;
                state.closing.push_back(id);
            }
        }
        self.metrics.closing.set_n(state.closing.len());
        match (state.closing.is_empty(), is_full) {
            (true, _) => Next::WhenWoken,
            (false, false) => Next::More,
            (false, true) => Next::after(self.clock.now(), CLOSE_AGAIN),
        }
    }
}

impl Worker for CorrelationRunner {
    type Error = CorrelationError;

    fn turn(&mut self, _: Now) -> Result<Next, CorrelationError> {
        let turn = self.turn_by_state();
        match &turn {
            Ok(_) => self.n_single = self.n_single.saturating_sub(1),
            Err(error) => self.is_mended_by_time = error.retry(),
        }
        Ok(turn?)
    }

    /// The saved state is read back.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), CorrelationError> {
        self.metrics.failures_total.inc();
        self.state = None;
        if after == WorkerFailure::Panic || !self.is_mended_by_time {
            self.n_single = SINGLE_TURNS;
        }
        self.is_mended_by_time = false;
        Ok(())
    }

    /// The problem that is judged alone: no rule closes it, nor others for its sake.
    fn put_aside(&mut self) -> Option<String> {
        if self.is_mended_by_time {
            return None;
        }
        let event = self.current.take()?;
        self.db.events().correlate(&[], event).ok()?;
        Some(format!("problem {event}"))
    }
}

/// Host groups of an event's hosts.
fn groups_of(snapshot: &Snapshot, event: &EventRow) -> BTreeSet<u64> {
    let hosts = event.hosts.iter().filter_map(|it| snapshot.hosts.get(it));
    hosts.flat_map(|it| it.groups.iter().map(|it| it.0)).collect()
}
