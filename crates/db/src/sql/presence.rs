//! Whether the database is there, for all who would wait for it.
//!
//! The first call that finds out that it does not answer waits some seconds for that. All others fail at once
//! until the thread [`super::worker`] starts for it has been answered: one call a second, by the same
//! connection that the others use.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use model::Time;
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::{Counter, Gauge};
use rt::shutdown::Shutdown;
use tracing::{info, warn};

use super::faults::{TransactionFate, TransactionFaults};
use crate::error::Lack;
use crate::locks::lock;
use crate::metrics::DbMetrics;

/// Its name at `/health`.
const PART: &str = "database";

/// A database without room may take a small change between two large ones that it refuses: it has room again
/// when it has refused none for so long.
const ROOM_AFTER_NS: u64 = 5_000_000_000;

/// That the database does not work, and since when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Absence {
    pub since: Time,
    /// Whether it still answers what is read.
    pub answers_reads: bool,
    /// In words for the operator.
    pub reason: String,
}

/// The kind of work on a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    Writes,
    Reads,
}

pub(crate) struct Presence {
    clock: Clock,
    health: Health,
    /// Since when it is absent, in seconds since 1970; 0 while it works.
    since: Gauge,
    absences: Counter,
    /// Something lacks in one of the lanes.
    is_lacking: AtomicBool,
    state: Mutex<State>,
    /// The handle with which the thread that probes an absent database waits.
    prober: Mutex<Option<Shutdown>>,
    /// Of a simulation.
    faults: OnceLock<Arc<dyn TransactionFaults>>,
}

#[derive(Default)]
struct State {
    writes: Option<Lacking>,
    reads: Option<Lacking>,
}

struct Lacking {
    what: Lack,
    since: Time,
    reason: String,
    /// When it was noticed last (monotonic).
    seen_ns: u64,
}

impl State {
    fn of(&mut self, lane: Lane) -> &mut Option<Lacking> {
        match lane {
            Lane::Writes => &mut self.writes,
            Lane::Reads => &mut self.reads,
        }
    }

    fn absence(&self) -> Option<Absence> {
        let all = [&self.writes, &self.reads].into_iter().flatten();
        let first = all.min_by_key(|it| it.since)?;
        let answers_reads = self.reads.as_ref().is_none_or(|it| it.what == Lack::Room);
        Some(Absence { since: first.since, answers_reads, reason: first.reason.clone() })
    }
}

impl Presence {
    pub(crate) fn of(clock: &Clock, health: &Health, metrics: &DbMetrics) -> Arc<Self> {
        Arc::new(Self {
            clock: clock.clone(),
            health: health.clone(),
            since: metrics.absent_since_seconds.clone(),
            absences: metrics.absences_total.clone(),
            is_lacking: AtomicBool::default(),
            state: Mutex::default(),
            prober: Mutex::default(),
            faults: OnceLock::new(),
        })
    }

    /// From now on they decide on each transaction.
    pub(crate) fn inject(&self, faults: &Option<Arc<dyn TransactionFaults>>) {
        if let Some(it) = faults {
            self.faults.get_or_init(|| Arc::clone(it));
        }
    }

    pub(super) fn fate(&self, what: &'static str) -> TransactionFate {
        self.faults.get().map_or(TransactionFate::Done, |it| it.next(what))
    }

    /// The current lack, if there is one.
    pub(crate) fn absence(&self) -> Option<Absence> {
        if !self.is_lacking.load(Ordering::Acquire) {
            return None;
        }
        lock(&self.state).absence()
    }

    /// The reason not to wait for the database.
    pub(super) fn absent(&self, lane: Lane) -> Option<String> {
        if !self.is_lacking.load(Ordering::Acquire) {
            return None;
        }
        let mut state = lock(&self.state);
        let lacking = state.of(lane).as_ref().filter(|it| it.what == Lack::Answers);
        lacking.map(|it| it.reason.clone())
    }

    /// Whether it is to be tried whether the database works again.
    pub(super) fn is_lacking(&self, lane: Lane) -> bool {
        self.is_lacking.load(Ordering::Acquire) && lock(&self.state).of(lane).is_some()
    }

    pub(super) fn is_any_lacking(&self) -> bool {
        self.is_lacking.load(Ordering::Acquire)
    }

    /// From now on a lack wakes who waits with this.
    pub(super) fn reach(&self, prober: &Shutdown) {
        *lock(&self.prober) = Some(prober.clone());
    }

    pub(super) fn lacks(&self, lane: Lane, what: Lack, reason: &str) {
        let (since, seen_ns) = (self.clock.wall(), self.clock.mono_ns());
        let mut state = lock(&self.state);
        let was_well = state.absence().is_none();
        let place = state.of(lane);
        let since = place.as_ref().map_or(since, |it| it.since);
        *place = Some(Lacking { what, since, reason: reason.to_owned(), seen_ns });
        self.is_lacking.store(true, Ordering::Release);
        if was_well {
            self.absences.inc();
            warn!(reason, "the database does not work; state in memory continues without it");
        }
        self.report(&state);
        drop(state);
        if let Some(prober) = was_well.then(|| lock(&self.prober).clone()).flatten() {
            prober.nudge();
        }
    }

    /// Something was done in a lane.
    pub(super) fn works(&self, lane: Lane) {
        if !self.is_lacking.load(Ordering::Acquire) {
            return;
        }
        let now_ns = self.clock.mono_ns();
        let mut state = lock(&self.state);
        let is_over = |it: &mut Lacking| {
            it.what == Lack::Answers || it.seen_ns.saturating_add(ROOM_AFTER_NS) <= now_ns
        };
        if state.of(lane).take_if(is_over).is_none() {
            return;
        }
        if state.absence().is_none() {
            self.is_lacking.store(false, Ordering::Release);
            info!("the database works again");
        }
        self.report(&state);
    }

    #[expect(clippy::cast_precision_loss, reason = "a metric")]
    fn report(&self, state: &State) {
        let Some(absence) = state.absence() else {
            self.since.set(0.0);
            self.health.clear(PART);
            return;
        };
        self.since.set(absence.since.clock() as f64);
        let since = jiff::Timestamp::from_second(absence.since.clock()).unwrap_or_default();
        let reason = &absence.reason;
        let message = match absence.answers_reads {
            true => format!("no changes can be saved since {since}: {reason}"),
            false => format!(
                "it does not answer since {since}; values, problems and logins go on from memory: {reason}"
            ),
        };
        self.health.set(PART, Level::Degraded, message);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rt::metrics::Registry;

    use super::*;

    #[test]
    fn an_absence_lasts_from_its_first_sign_until_every_lane_works() {
        let clock = Clock::manual(Time::from_clock(1_000, 0));
        let (health, metrics) = (Health::default(), DbMetrics::register(&Registry::new()));
        let presence = Presence::of(&clock, &health, &metrics);
        assert_eq!(presence.absence(), None);
        presence.lacks(Lane::Writes, Lack::Answers, "locked");
        assert!(presence.absent(Lane::Writes).is_some());
        assert!(presence.absent(Lane::Reads).is_none(), "what is read has a lane of its own");
        assert!(presence.absence().is_some_and(|it| it.answers_reads));
        clock.advance(Duration::from_secs(7));
        presence.lacks(Lane::Writes, Lack::Answers, "still locked");
        presence.lacks(Lane::Reads, Lack::Answers, "gone");
        let absence = presence.absence().expect("it lasts");
        assert_eq!((absence.since, absence.answers_reads), (Time::from_clock(1_000, 0), false));
        assert_eq!(metrics.absent_since_seconds.get().to_string(), "1000");
        presence.works(Lane::Writes);
        assert_eq!(presence.absence().map(|it| it.since), Some(Time::from_clock(1_007, 0)));
        presence.works(Lane::Reads);
        assert_eq!((presence.absence(), health.issues()), (None, vec![]));
        assert_eq!(metrics.absences_total.get(), 1, "it was one");
    }

    #[test]
    fn a_lack_wakes_who_asks_for_the_database() {
        let (clock, metrics) = (Clock::real(), DbMetrics::register(&Registry::new()));
        let presence = Presence::of(&clock, &Health::default(), &metrics);
        let stop = Shutdown::new();
        presence.reach(&stop);
        let of_thread = Arc::clone(&presence);
        let asking = std::thread::spawn(move || {
            stop.wait_unless(None, || of_thread.is_any_lacking());
            of_thread.is_lacking(Lane::Reads)
        });
        presence.lacks(Lane::Reads, Lack::Answers, "gone");
        assert!(asking.join().expect("no panic"));
    }

    #[test]
    fn a_small_change_that_a_full_disk_takes_ends_no_absence() {
        let clock = Clock::manual(Time::ZERO);
        let metrics = DbMetrics::register(&Registry::new());
        let presence = Presence::of(&clock, &Health::default(), &metrics);
        presence.lacks(Lane::Writes, Lack::Room, "the disk is full");
        assert!(presence.absent(Lane::Writes).is_none(), "it is tried: to delete may go well");
        presence.works(Lane::Writes);
        assert!(presence.absence().is_some());
        clock.advance(Duration::from_nanos(ROOM_AFTER_NS));
        presence.works(Lane::Writes);
        assert_eq!(presence.absence(), None);
    }
}
