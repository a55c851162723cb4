//! One run: outside events, in an order that follows from the seed, and turns of the workers at the
//! times that are due.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use db::EventRow;
use db::alerts::Alert;
use model::{EventId, Time};
use tempfile::TempDir;

use super::check::{AlertingSummary, Excuses, check, is_final};
use super::defects::AlertingDefect;
use super::outside::Outside;
use super::process::{self, Process};
use super::scene::{self, N_LINKS, PERIOD_S, Scene};
use crate::faults::{Faults, Transactions};
use crate::random::Random;

/// 2026-01-01 00:00:00.
const START_S: i64 = 1_767_225_600;
/// Passes at one moment after which the workers are taken for locked.
const STUCK: usize = 5_000;
const SECOND_NS: u64 = 1_000_000_000;
/// After the run, for all steps to be made and all messages to be sent.
const REST: Duration = Duration::from_hours(48);

/// Of delivery and of commands.
const READ_MESSAGES: &str = "read alerts to send";

/// Transactions of alerting.
const TRANSACTIONS: Transactions = Transactions {
    writes: &["save escalations", "load escalations", "save what became of alerts", "correlate"],
    reads: &[
        "read events to judge",
        "read who got messages",
        READ_MESSAGES,
        "read new problems",
        "read correlated",
        "read problems to close",
        "read last event",
        "read held alerts",
        "read what waits for digests",
    ],
    saves: &[],
};

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub struct AlertingSettings {
    pub seed: u64,
    /// Of the clock of the run.
    pub time: Duration,
    /// The database fails, the clock is set, receivers refuse and lie.
    pub has_faults: bool,
    /// The process is killed.
    pub has_crashes: bool,
    pub defect: Option<AlertingDefect>,
}

impl Default for AlertingSettings {
    fn default() -> Self {
        Self {
            seed: 0,
            time: Duration::from_hours(24),
            has_faults: true,
            has_crashes: true,
            defect: None,
        }
    }
}

/// A run that is under way.
#[derive(Debug)]
pub struct AlertingWorld {
    settings: AlertingSettings,
    random: Random,
    folder: TempDir,
    faults: Faults,
    outside: Outside,
    scene: Scene,
    process: Option<Process>,
    /// All events, in the order of their ids; the position of each is its place, counted from 1.
    journal: Vec<EventRow>,
    n_fed: usize,
    /// By link and kind.
    open: BTreeMap<(usize, usize), EventId>,
    excuses: Excuses,
    /// Time in nanoseconds that earlier processes have lived.
    lived_ns: u64,
}

/// Makes a run, and asserts that everybody was notified as is right.
///
/// # Panics
/// If somebody was not.
#[must_use]
pub fn run_alerting(settings: AlertingSettings) -> AlertingSummary {
    let mut world = AlertingWorld::new(settings);
    let end_ns = u64::try_from(settings.time.as_nanos()).expect("some weeks");
    while world.lived() < end_ns {
        world.act();
        let time = [1, 20, 60, 600, 3_600, 3 * 3_600][world.random.below(6)];
        let seconds = 1 + world.random.below(time) as u64;
        world.run_for(Duration::from_secs(seconds));
    }
    world.finish()
}

impl AlertingWorld {
    /// With a configuration, and no problems.
    #[must_use]
    pub fn new(settings: AlertingSettings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = Random::new(settings.seed);
        let faults = Faults::new(random.next(), TRANSACTIONS);
        let outside = Outside::new(random.next());
        outside.with(|it| it.is_flawed = settings.has_faults);
        let wall = Time::from_clock(START_S, 0);
        let clock = rt::clock::Clock::manual(wall);
        let db = process::open(&path_in(&folder), &clock, None);
        let scene = scene::configure(&db);
        drop(db);
        let mut world = Self {
            settings,
            random,
            folder,
            faults,
            outside,
            scene,
            process: None,
            journal: Vec::new(),
            n_fed: 0,
            open: BTreeMap::new(),
            excuses: Excuses::default(),
            lived_ns: 0,
        };
        world.start(wall);
        world.settle();
        world
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("a process lives")
    }

    fn start(&mut self, wall: Time) {
        let path = path_in(&self.folder);
        let seed = self.random.next();
        let process = Process::start(&path, wall, seed, (&self.faults, &self.outside));
        self.n_fed = usize::try_from(process.db.events().cursor()).expect("few");
        self.process = Some(process);
    }

    fn lived(&self) -> u64 {
        self.lived_ns + self.process.as_ref().map_or(0, |it| it.clock.mono_ns())
    }

    fn wall(&self) -> Time {
        self.process.as_ref().expect("a process lives").clock.wall()
    }

    fn n_next(&self) -> u64 {
        self.journal.len() as u64 + 1
    }

    /// A link goes down (0), or comes up (1). Gives the problem; `None`: there is one already.
    pub fn begin(&mut self, link: usize, which: usize) -> Option<EventId> {
        if self.open.contains_key(&(link, which)) {
            return None;
        }
        let row = scene::problem(&self.scene, self.n_next(), (link, which), self.wall());
        let id = row.eventid;
        self.open.insert((link, which), id);
        self.journal.push(row);
        Some(id)
    }

    /// A problem ends by itself.
    pub fn end(&mut self, id: EventId) {
        self.open.retain(|_, of| *of != id);
        let at = usize::try_from(id.0).expect("few") - 1;
        let row = scene::recovery(self.n_next(), &self.journal[at], self.wall());
        self.journal.push(row);
    }

    /// The shards close the requested events, if they are still open.
    fn close(&mut self) -> bool {
        let asked = self.process().shards.take();
        let is_open = |it: &EventId| self.open.values().any(|of| of == it);
        let asked: BTreeSet<EventId> = asked.into_iter().filter(is_open).collect();
        for id in &asked {
            self.excuses.closed_by_rule.insert(*id);
            self.end(*id);
        }
        !asked.is_empty()
    }

    fn feed(&mut self) {
        let rows = self.journal[self.n_fed..].to_vec();
        if rows.is_empty() {
            return;
        }
        let lsn = self.journal.len() as u64;
        let events = self.process().db.events();
        events.apply(rows, lsn).expect("there is room");
        events.flush().expect("saving events has no faults here");
        self.n_fed = self.journal.len();
    }

    /// Gives turns until nothing is due at this moment. When something is next, in monotonic nanoseconds.
    fn settle(&mut self) -> Option<u64> {
        for _ in 0..STUCK {
            self.feed();
            let due = self.process().pass();
            let now = self.process().clock.mono_ns();
            if self.close() || self.n_fed < self.journal.len() || due.is_some_and(|it| it <= now) {
                if self.faults.is_dead() {
                    return due;
                }
                continue;
            }
            return due;
        }
        panic!("the workers do not come to rest: {:?}", self.process().health.issues());
    }

    /// Time passes.
    pub fn run_for(&mut self, time: Duration) {
        let mut left_ns = u64::try_from(time.as_nanos()).expect("some weeks");
        while 0 < left_ns {
            let due = self.settle();
            if self.faults.is_dead() {
                self.kill();
                continue;
            }
            let waiting = self.process().waiting.clone();
            let now_s = self.wall().clock();
            self.outside.with(|it| it.now_s = now_s);
            let is_ended = self.random.once_in(3) && waiting.end_one(&mut self.random);
            if is_ended {
                continue;
            }
            let now = self.process().clock.mono_ns();
            let mut step_ns = due.map_or(left_ns, |it| it.saturating_sub(now)).max(1);
            if !waiting.is_empty() {
                // Somebody answers sooner or later.
                step_ns = step_ns.min(SECOND_NS / 10 * (1 + self.random.below(100) as u64));
            }
            let step_ns = step_ns.min(left_ns);
            self.process().clock.advance(Duration::from_nanos(step_ns));
            left_ns -= step_ns;
        }
        self.settle();
        if self.faults.is_dead() {
            self.kill();
        }
    }

    /// An action of a user or of the surroundings.
    fn act(&mut self) {
        let (link, faults) = (self.random.below(N_LINKS), self.settings.has_faults);
        match self.random.below(100) {
            0..25 => drop(self.begin(link, 0)),
            25..40 => drop(self.begin(link, 1)),
            40..67 => {
                let open: Vec<EventId> = self.open.values().copied().collect();
                if !open.is_empty() {
                    let id = open[self.random.below(open.len())];
                    self.end(id);
                }
            }
            67..70 => {
                // A storm.
                for link in 0..N_LINKS {
                    self.begin(link, 0);
                }
            }
            70..74 if faults => {
                let seconds = 1 + self.random.below(1_800) as u64;
                self.away_for(Duration::from_secs(seconds));
            }
            74..78 if faults => {
                let one_in = [0, 4, 30][self.random.below(3)];
                self.faults.lose_answers(one_in);
            }
            78..80 if faults => self.set_clock(),
            80..84 if self.settings.has_crashes => {
                let n_writes = u32::try_from(self.random.below(6)).expect("few");
                self.faults.die_after(n_writes);
            }
            84..89 if self.settings.has_crashes => {
                // While a rule closes something.
                self.begin(link, 0);
                self.run_for(Duration::from_secs(5));
                self.begin(link, 1);
                let n_writes = u32::try_from(self.random.below(4)).expect("few");
                self.faults.die_after(n_writes);
            }
            89..90 if self.settings.has_crashes => self.kill(),
            90..95 if faults => self.go_quiet(link),
            95..100 if self.settings.has_crashes => {
                // While the step is made that also executes a command.
                if let Some(id) = self.open.get(&(link, 0)).copied() {
                    self.end(id);
                }
                self.begin(link, 0);
                self.run_for(Duration::from_secs(PERIOD_S.unsigned_abs() - 10));
                let n_writes = u32::from(self.random.once_in(2));
                self.faults.die_after(n_writes);
            }
            _ => {}
        }
    }

    /// There are new messages, the database loses the response at first, and for long nothing else
    /// happens: no later message hides that these wait.
    fn go_quiet(&mut self, link: usize) {
        self.faults.lose_answers(0);
        let n = 1 + u32::try_from(self.random.below(3)).expect("few");
        self.faults.refuse(READ_MESSAGES, n);
        match self.open.get(&(link, 0)).copied() {
            Some(id) => self.end(id),
            None => drop(self.begin(link, 0)),
        }
        let minutes = 30 + self.random.below(30) as u64;
        self.run_for(Duration::from_mins(minutes));
    }

    /// The database is away for so long.
    fn away_for(&mut self, time: Duration) {
        let from = self.wall().clock();
        self.faults.set_away(true);
        self.run_for(time);
        self.faults.set_away(false);
        self.excuses.late.push((from, self.wall().clock()));
    }

    /// By two hours at most, forward or back.
    fn set_clock(&mut self) {
        let from = self.wall();
        let by = i64::try_from(self.random.below(14_400)).expect("hours") - 7_200;
        self.process().clock.set_wall(from.plus_secs(by));
        if 0 < by {
            self.excuses.late.push((from.clock(), from.clock() + by));
        } else {
            self.excuses.back_s = self.excuses.back_s.max(-by);
            self.excuses.repeated.push((from.clock() + by, from.clock()));
        }
    }

    /// The process ends without a word, and another one begins some time later.
    pub fn kill(&mut self) {
        self.settle_dead();
        let from = self.wall();
        self.outside.with(|it| it.now_s = from.clock());
        // Running attempts continue to the last moment.
        let waiting = self.process().waiting.clone();
        while !self.random.once_in(4) && waiting.end_one(&mut self.random) {}
        let process = self.process.take().expect("a process lives");
        self.lived_ns += process.clock.mono_ns();
        self.excuses.n_crashes += 1;
        drop(process);
        if let Some(defect) = self.settings.defect {
            defect.leave(&self.path());
        }
        self.faults.revive();
        let seconds = 1 + i64::try_from(self.random.below(900)).expect("minutes");
        self.excuses.late.push((from.clock(), from.clock() + seconds));
        self.start(from.plus_secs(seconds));
        // Messages whose arrival is unknown may come once more.
        let alerts = self.alerts();
        let unfinished = alerts.iter().filter(|it| !is_final(it.status)).map(|it| it.id);
        for id in unfinished {
            let n = self.outside.with(|it| {
                let n = it.messages.get(&id).copied().unwrap_or(0);
                n - it.denied.get(&id).copied().unwrap_or(0)
            });
            self.excuses.again.insert(id, n);
        }
    }

    /// Journaled closings were made before the end.
    fn settle_dead(&mut self) {
        self.feed();
    }

    /// Everything works again, and all that is due comes.
    ///
    /// # Panics
    /// If somebody was not notified as is right.
    #[must_use]
    pub fn finish(mut self) -> AlertingSummary {
        self.faults.revive();
        self.faults.lose_answers(0);
        self.outside.with(|it| it.is_flawed = false);
        self.run_for(REST);
        let alerts = self.alerts();
        let mut summary =
            check((&self.scene, &self.journal, &alerts), &self.excuses, &self.outside);
        summary.seconds = self.lived() / SECOND_NS;
        (summary.refused, summary.unheard) = self.faults.counts();
        summary
    }

    /// All that is in the table of alerts, by id.
    #[must_use]
    pub fn alerts(&self) -> Vec<Alert> {
        let db = &self.process.as_ref().expect("a process lives").db;
        let rows = db.alerts().query(&db::AlertQuery::default()).expect("the database answers");
        rows.into_iter().map(|it| it.alert).collect()
    }

    /// Whether a link is down.
    #[must_use]
    pub fn is_open(&self, link: usize) -> bool {
        self.open.contains_key(&(link, 0))
    }

    /// The file of the database.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        path_in(&self.folder)
    }

    /// The entry of a part in `/health`.
    #[must_use]
    pub fn health_issue(&self, part: &str) -> Option<String> {
        let issues = self.process.as_ref()?.health.issues();
        issues.into_iter().find(|it| it.part == part).map(|it| it.message)
    }

    /// A metric of this process.
    #[must_use]
    pub fn metric(&self, name: &str, label: Option<&str>) -> Option<f64> {
        self.process.as_ref()?.registry.value(name, label)
    }

    /// From now on beginning an attempt or a command panics, or does not any more.
    pub fn break_background(&mut self, is_broken: bool) {
        self.process().waiting.set_broken(is_broken);
    }
}

fn path_in(folder: &TempDir) -> PathBuf {
    folder.path().join("saker.db")
}
