//! Global correlation: the thread that judges new problems and has closed what rules want closed.
//!
//! A turn reads problems that are new in the database, asks [`alert::correlation`], and saves in one transaction
//! what is to be closed and up to where it has judged. Then the shards close, which they do once however often they are
//! asked. Whatever fails loses the turn: what holds is read back from the database.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use alert::correlation::NewEvent;
use db::events::{object, source};
use db::objects::correlation;
use db::{Correlation, Correlator, Db, DbError, EventRow};
use model::EventId;
use model::snapshot::Snapshot;
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::shutdown::Shutdown;
use tracing::warn;

use crate::ports::ProblemClosing;

/// As `/health` calls it.
const PART: &str = "correlation";
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// Without rules only the position moves, so often.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);
/// Problems judged in one transaction.
const JUDGED_MAX: i64 = 1_000;
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

/// The thread's state.
#[derive(Clone)]
pub struct CorrelationRunner {
    pub db: Db,
    pub closing: Arc<dyn ProblemClosing>,
    pub clock: Clock,
    pub health: Health,
    pub metrics: CorrelationMetrics,
}

opaque_debug!(CorrelationRunner);

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
    /// Goes on until shutdown. Blocking.
    pub fn run(&self, shutdown: &Shutdown) {
        let mut state = None;
        while !shutdown.wait(LOOK_INTERVAL) {
            match self.turns(&mut state, shutdown) {
                Ok(()) => self.health.clear(PART),
                Err(error) => {
                    state = None;
                    self.metrics.failures_total.inc();
                    warn!(%error, "a turn of correlation failed; it is made again");
                    let what = format!("new problems wait to be correlated: {error}");
                    self.health.set(PART, Level::Degraded, what);
                    if shutdown.wait(AFTER_FAILURE) {
                        return;
                    }
                }
            }
        }
    }

    /// Turns until nothing is left.
    fn turns(
        &self,
        state: &mut Option<CorrelationState>,
        shutdown: &Shutdown,
    ) -> Result<(), DbError> {
        let state = match state {
            Some(it) => it,
            None => state.insert(self.load()?),
        };
        while self.has_work(state) && !shutdown.is_cancelled() {
            let started_ns = self.clock.mono_ns();
            let is_more = self.turn(state)?;
            let took_ns = self.clock.mono_ns().saturating_sub(started_ns);
            self.metrics.turn_seconds.observe_ns(took_ns);
            if !is_more {
                break;
            }
        }
        Ok(())
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

    /// A turn; gives whether there is more to do at once.
    fn turn(&self, state: &mut CorrelationState) -> Result<bool, DbError> {
        let snapshot = self.db.snapshot();
        if state.epoch != snapshot.epoch {
            if !state.correlator.has_rules() {
                // Problems from before the first rule are not judged by it as new ones: all of them have to be in
                // the database for the position to lie behind them.
                if self.db.events().n_waiting() > 0 {
                    return Ok(false);
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
        let events = self.db.events();
        let before = events.version();
        let is_saving = events.n_waiting() > 0;
        let new = events.begun_after(state.judged, JUDGED_MAX)?;
        self.follow(state);
        let mut wanted = Vec::new();
        for event in &new {
            let groups = groups_of(&snapshot, event);
            let new = NewEvent { id: event.eventid, tags: &event.tags, groups: &groups };
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
        } else if !is_saving {
            state.seen = Some(before);
        }
        let is_closing = self.close(state, &snapshot);
        Ok(is_closing || !new.is_empty())
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

    /// Has some problems closed; gives whether others wait and can be closed at once.
    fn close(&self, state: &mut CorrelationState, snapshot: &Snapshot) -> bool {
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
        !is_full && !state.closing.is_empty()
    }
}

/// Host groups of an event's hosts.
fn groups_of(snapshot: &Snapshot, event: &EventRow) -> BTreeSet<u64> {
    let hosts = event.hosts.iter().filter_map(|it| snapshot.hosts.get(it));
    hosts.flat_map(|it| it.groups.iter().map(|it| it.0)).collect()
}
