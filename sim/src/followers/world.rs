//! One run: outside events, in an order that follows from the seed, and turns of the workers at the
//! times that are due.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use disk::MemDisk;
use model::content::Severity;
use model::record::{
    EventKind, EventRef, NewEvent, NewTransition, RecordBuilder, RecordHead, Subject,
};
use model::{EventId, Time, TriggerId, UserId};
use tempfile::TempDir;

use super::agents::Agents;
use super::check::{EVENTS_KEPT_S, FollowersSummary, Happened, Services, check_maintenance};
use super::devices::Devices;
use super::journal_events::Reading;
use super::network::Network;
use super::process::{self, Process};
use super::scene::{self, N_LINKS, SEVERITIES, START_S, Scene};
use crate::faults::{Faults, Transactions};
use crate::random::Random;

/// Passes at one moment after which the workers are taken for locked.
const STUCK: usize = 5_000;
/// After the run, until all delayed reports have come.
const REST: Duration = Duration::from_mins(11);
/// Within it everything has to be done if nothing fails: twice as long as the longest pause after failures.
const SETTLE_TIME: Duration = Duration::from_mins(1);

/// After so long the server forgets agents that have not asked.
const MONTHS_S: i64 = 32 * 86_400;
const FORGET_AGENTS: &str = "forget registered agents";

/// Transactions of followers. Others have no faults.
const TRANSACTIONS: Transactions = Transactions {
    writes: &[
        "save the status of services",
        "acknowledge",
        "forget discovered devices",
        FORGET_AGENTS,
        "expire events",
        "expire changes of services",
    ],
    reads: &[
        "load the status of services",
        "read events",
        "read discovered devices",
        "read ids of discovered devices",
        "read registered agents",
    ],
    saves: &["save events"],
};

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub struct FollowersSettings {
    pub seed: u64,
    /// Of the clock of the run.
    pub time: Duration,
    /// The database fails, and the clock is set.
    pub has_faults: bool,
    /// The process is killed.
    pub has_crashes: bool,
}

impl Default for FollowersSettings {
    fn default() -> Self {
        Self { seed: 0, time: Duration::from_hours(5), has_faults: true, has_crashes: true }
    }
}

/// A run that is under way.
#[derive(Debug)]
struct FollowersWorld {
    settings: FollowersSettings,
    random: Random,
    folder: TempDir,
    disk: MemDisk,
    faults: Faults,
    scene: Scene,
    process: Option<Process>,
    /// The history of links, in the order of ids.
    history: Vec<Happened>,
    /// Problems by link and severity.
    open: BTreeMap<(usize, usize), EventId>,
    /// The problem of the host in maintenance.
    maintained: EventId,
    network: Network,
    devices: Devices,
    agents: Agents,
    reading: Reading,
    services: Services,
    /// The latest that it ever was.
    latest: Time,
    /// Shards take nothing out of their mailboxes.
    are_shards_busy: bool,
    /// Time in nanoseconds that earlier processes have lived.
    lived_ns: u64,
    summary: FollowersSummary,
}

/// Makes a run, and asserts its results.
///
/// # Panics
/// If it is not.
#[must_use]
pub fn run_followers(settings: FollowersSettings) -> FollowersSummary {
    let mut world = FollowersWorld::new(settings);
    let end_ns = u64::try_from(settings.time.as_nanos()).expect("some days");
    while world.lived() < end_ns {
        world.act();
        world.act_outside();
        let time = [1, 5, 60, 300, 900][world.random.below(5)];
        let seconds = 1 + world.random.below(time) as u64;
        world.run_for(Duration::from_secs(seconds));
        world.check_maintenance();
    }
    world.finish()
}

impl FollowersWorld {
    fn new(settings: FollowersSettings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = Random::new(settings.seed);
        let (disk, faults) =
            (MemDisk::new(random.next()), Faults::new(random.next(), TRANSACTIONS));
        let wall = Time::from_clock(START_S, 0);
        let db = process::open(&path_in(&folder), &rt::clock::Clock::manual(wall), None);
        let scene = scene::configure(&db);
        let (network, mut devices) = (Network::new(scene.rules), Devices::default());
        network.show(&db, &mut devices);
        drop(db);
        let mut world = Self {
            settings,
            random,
            folder,
            disk,
            faults,
            scene,
            process: None,
            history: Vec::new(),
            open: BTreeMap::new(),
            maintained: EventId::NONE,
            network,
            devices,
            agents: Agents::default(),
            reading: Reading::default(),
            services: Services::default(),
            latest: wall,
            are_shards_busy: false,
            lived_ns: 0,
            summary: FollowersSummary::default(),
        };
        world.start(wall);
        let of = (world.scene.maintained, Severity::High, &[("host", "server")][..]);
        world.maintained = world.journal_event(of, EventKind::Problem, &[]);
        world.settle();
        // From now on some agent is known, whose state shows whether others are.
        world.ask_many(1, true);
        world.bring_to_rest();
        world
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("a process lives")
    }

    fn start(&mut self, wall: Time) {
        let path = path_in(&self.folder);
        self.process = Some(Process::start((&path, &self.disk), wall, &self.faults));
    }

    fn lived(&self) -> u64 {
        self.lived_ns + self.process.as_ref().map_or(0, |it| it.clock.mono_ns())
    }

    fn wall(&self) -> Time {
        self.process.as_ref().expect("a process lives").clock.wall()
    }

    /// The record that a shard writes when a trigger changes.
    fn journal_event(
        &mut self,
        (trigger, severity, tags): (TriggerId, Severity, &[(&str, &str)]),
        kind: EventKind,
        recovered: &[EventRef],
    ) -> EventId {
        let time = self.wall();
        let mut record = RecordBuilder::new();
        record.start(RecordHead { shard: 0, n_shards: 1, epoch: 1, now: time });
        record.transition(&NewTransition {
            subject: Subject::Trigger(trigger),
            time,
            problem: kind == EventKind::Problem,
            error: None,
            event: Some(NewEvent {
                kind,
                severity,
                name: "a link",
                opdata: "",
                tags,
                recovered,
                closed_by: UserId::NONE,
                details: &[],
            }),
        });
        let n_events = record.n_events();
        let journal = self.process().journal.clone();
        let appended = journal.append(record.finish(), n_events).expect("the journal takes it");
        journal.sync_to(appended.next_lsn).expect("the journal syncs");
        EventId(appended.first_id)
    }

    /// A link becomes slow (0) or goes down (1), or is so no longer.
    fn change(&mut self, link: usize, which: usize) {
        let trigger = self.scene.triggers[link][which];
        let (value, severity) = (link.to_string(), SEVERITIES[which]);
        let tags = [("link", &*value)];
        let of = (trigger, severity, &tags[..]);
        let (is_problem, id) = match self.open.remove(&(link, which)) {
            Some(problem) => {
                let ends = [EventRef::Id(problem)];
                (false, self.journal_event(of, EventKind::Ok, &ends))
            }
            None => {
                let id = self.journal_event(of, EventKind::Problem, &[]);
                self.open.insert((link, which), id);
                (true, id)
            }
        };
        assert!(self.history.last().is_none_or(|it| it.event < id), "ids of the journal grow");
        let time = self.wall();
        self.history.push(Happened { event: id, link, which, is_problem, time });
    }

    /// Gives turns until nothing is due at this moment. When something is next, in monotonic nanoseconds.
    fn settle(&mut self) -> Option<u64> {
        for _ in 0..STUCK {
            if !self.are_shards_busy && self.random.once_in(2) {
                self.process().empty_mailboxes();
            }
            let has_applied = !self.random.once_in(3) && self.process().carry();
            let due = self.pass();
            if self.faults.is_dead() {
                return due;
            }
            let now = self.process().clock.mono_ns();
            if !has_applied && due.is_none_or(|it| now < it) {
                return due;
            }
        }
        panic!("the workers do not come to rest: {:?}", self.process().health.issues());
    }

    fn pass(&mut self) -> Option<u64> {
        self.latest = self.latest.max(self.wall());
        let read = self.reading.at();
        self.process().keep_house(read);
        let due = self.process().pass();
        if self.process().knows_agents() {
            self.agents.are_read(self.wall().clock());
        }
        due
    }

    /// Time passes.
    fn run_for(&mut self, time: Duration) {
        let until = self.lived() + u64::try_from(time.as_nanos()).expect("some days");
        loop {
            let due = self.settle();
            if self.faults.is_dead() {
                self.kill();
                continue;
            }
            let Some(left_ns) = until.checked_sub(self.lived()).filter(|it| *it != 0) else {
                return;
            };
            let now = self.process().clock.mono_ns();
            let step_ns = due.map_or(left_ns, |it| it.saturating_sub(now)).clamp(1, left_ns);
            self.process().clock.advance(Duration::from_nanos(step_ns));
        }
    }

    /// An action of a user or of the surroundings.
    fn act(&mut self) {
        let (link, which) = (self.random.below(N_LINKS), self.random.below(2));
        let faults = self.settings.has_faults;
        match self.random.below(100) {
            0..45 => self.change(link, which),
            45..60 => {
                // Much at once.
                for _ in 0..1 + self.random.below(8) {
                    let (link, which) = (self.random.below(N_LINKS), self.random.below(2));
                    self.change(link, which);
                }
            }
            60..68 if faults => {
                self.faults.set_away(true);
                let seconds = 1 + self.random.below(600) as u64;
                self.change(link, which);
                self.run_for(Duration::from_secs(seconds));
                self.faults.set_away(false);
            }
            68..75 if faults => {
                let one_in = [0, 3, 10][self.random.below(3)];
                self.faults.lose_answers(one_in);
            }
            75..80 if faults => {
                let by = i64::try_from(self.random.below(7_200)).expect("hours") - 3_600;
                let wall = self.wall().plus_secs(by);
                self.process().clock.set_wall(wall);
                self.summary.clock_steps += 1;
                self.run_for(Duration::from_secs(2));
            }
            80..93 if self.settings.has_crashes => {
                let n_writes = u32::try_from(self.random.below(4)).expect("few");
                self.faults.die_after(n_writes);
                self.change(link, which);
            }
            93..97 if self.settings.has_crashes => {
                self.change(link, which);
                self.kill();
            }
            _ => {}
        }
    }

    /// Actions of devices and agents.
    fn act_outside(&mut self) {
        self.are_shards_busy = self.random.once_in(3);
        if self.are_shards_busy {
            self.process().fill_mailboxes();
        }
        if self.settings.has_faults && self.random.once_in(10) {
            let n = 1 + u32::try_from(self.random.below(4)).expect("few");
            self.process().refuse_events(n);
        }
        for _ in 0..self.random.below(3) {
            self.look();
            self.ask();
        }
        if self.random.once_in(12) {
            let n = 5 + self.random.below(40);
            self.ask_many(n, false);
        } else if self.random.once_in(200) {
            // More than one address may name at once.
            self.ask_many(510, false);
        }
        if self.random.once_in(10) {
            self.change_rule();
        }
        if self.settings.has_crashes && self.random.once_in(12) {
            // In the middle of it: records of the journal may not be in the database.
            for _ in 0..self.random.below(4) {
                self.pass();
            }
            self.kill();
        }
        if self.random.once_in(60) {
            self.let_months_pass();
        }
        match self.random.below(12) {
            0 => self.bring_to_rest(),
            1 => self.go_quiet(),
            _ => {}
        }
    }

    /// Something fails when there is work, and nothing that comes later has it done again.
    fn go_quiet(&mut self) {
        if self.settings.has_faults {
            match self.random.below(3) {
                0 => self.faults.set_away(true),
                1 => self.faults.lose_answers(2),
                _ => self.process().refuse_events(1),
            }
        }
        match self.random.below(3) {
            0 => self.look(),
            1 => self.ask(),
            _ => {
                let (link, which) = (self.random.below(N_LINKS), self.random.below(2));
                self.change(link, which);
            }
        }
        self.run_for(Duration::from_secs(5));
        self.bring_to_rest();
    }

    /// Months pass: agents that have not asked are forgotten, with their rows, although something fails then.
    fn let_months_pass(&mut self) {
        self.bring_to_rest();
        let wall = self.wall().plus_secs(MONTHS_S);
        self.process().clock.set_wall(wall);
        match self.random.below(3) {
            0 if self.settings.has_faults => self.faults.refuse(FORGET_AGENTS, 2),
            1 if self.settings.has_crashes => {
                let n_writes = u32::try_from(self.random.below(3)).expect("few");
                self.faults.die_after(n_writes);
            }
            _ => {}
        }
        // The first registration makes the server check for silent agents.
        self.ask_many(1, false);
        self.pass();
        self.agents.forget_silent();
        self.summary.months += 1;
        self.run_for(Duration::from_secs(5));
        self.bring_to_rest();
    }

    fn look(&mut self) {
        let now = self.wall();
        let results = self.network.look((&mut self.random, now), &mut self.devices);
        self.process().report(results);
    }

    fn look_at_all(&mut self) {
        let now = self.wall();
        let results = self.network.look_at_all((&mut self.random, now), &mut self.devices);
        self.process().report(results);
    }

    /// Somebody changes a rule of network discovery, half of the time between two rounds whose events are on their way.
    fn change_rule(&mut self) {
        let is_between = self.random.once_in(2);
        if is_between {
            self.look_at_all();
            self.pass();
        }
        let db = self.process().db.clone();
        self.network.change(&mut self.random, &db, &mut self.devices);
        if is_between {
            self.look_at_all();
            for _ in 0..4 {
                self.pass();
            }
        }
    }

    fn ask(&mut self) {
        let now_s = self.wall().clock();
        let Some((said, from)) = self.agents.next(&mut self.random, now_s) else { return };
        let is_ready = self.process().knows_agents();
        self.agents.ask(&said, now_s, is_ready);
        self.process().ask(said, from);
    }

    /// Many new agents behind one address.
    fn ask_many(&mut self, n: usize, is_first: bool) {
        let now_s = self.wall().clock();
        let is_ready = is_first || self.process().knows_agents();
        let asked = self.agents.many(n);
        self.agents.ask_many(&asked, now_s, is_ready);
        for (said, from) in asked {
            self.process().ask(said, from);
        }
    }

    /// Takes in the events of devices and agents.
    fn read_on(&mut self, is_over: bool) {
        let journal = self.process().journal.clone();
        self.reading.read_on(&journal);
        self.devices.take(&mut self.reading.devices, is_over);
        self.agents.take(&mut self.reading.agents);
    }

    /// Nothing fails for a while and nothing happens: everything is done then, and nothing that comes later hides that
    /// something is not.
    fn bring_to_rest(&mut self) {
        self.faults.revive();
        self.faults.lose_answers(0);
        self.process().refuse_events(0);
        self.are_shards_busy = false;
        self.run_for(SETTLE_TIME);
        // Each device is checked once more.
        self.look_at_all();
        self.run_for(SETTLE_TIME);
        while self.process().carry() {}
        self.run_for(Duration::from_secs(1));
        self.read_on(false);
        let path = path_in(&self.folder);
        let process = self.process.as_ref().expect("a process lives");
        self.devices.check_settled(&process.db);
        self.agents.check_settled(&process.db);
        let happened = (&self.scene, &*self.history);
        self.services.check_on(happened, &process.db, &path, &mut self.summary);
        self.summary.settled += 1;
    }

    /// The process ends without a word, and another one begins some time later.
    fn kill(&mut self) {
        let wall = self.wall();
        self.read_on(true);
        self.network.lose();
        let process = self.process.take().expect("a process lives");
        self.lived_ns += process.clock.mono_ns();
        drop(process);
        self.agents.lose(&path_in(&self.folder));
        self.disk.restart_after_kill();
        self.faults.revive();
        self.summary.crashes += 1;
        let seconds = 1 + i64::try_from(self.random.below(900)).expect("minutes");
        self.start(wall.plus_secs(seconds));
    }

    /// Hosts that are in maintenance now have that state.
    fn check_maintenance(&mut self) {
        self.are_shards_busy = false;
        // A full mailbox is tried again after a moment, and the clock is checked each second.
        let mut is_known = false;
        for _ in 0..4 {
            self.process().empty_mailboxes();
            while self.process().carry() {}
            self.run_for(Duration::from_secs(1));
            is_known = !self.faults.is_dead();
        }
        self.process().empty_mailboxes();
        if is_known {
            let now = self.wall().clock();
            let problem = self.maintained;
            self.summary.maintained += usize::from(check_maintenance(self.process(), problem, now));
        }
    }

    /// Everything works again, and waiting work is done.
    fn finish(mut self) -> FollowersSummary {
        self.bring_to_rest();
        self.run_for(REST);
        let path = path_in(&self.folder);
        let process = self.process.as_ref().expect("a process lives");
        let issues = process.health.issues();
        assert!(issues.is_empty(), "all is well in the end: {issues:?}");
        let happened = (&self.scene, &*self.history);
        self.services.check_on(happened, &process.db, &path, &mut self.summary);
        let kept_from = self.latest.plus_secs(-EVENTS_KEPT_S);
        self.summary.expired = self.reading.check_saved(&process.db, kept_from)
            + self.services.check_kept(&process.db, &path, self.latest);
        (self.summary.discovered, self.summary.registered) =
            (self.devices.n_events, self.agents.n_events);
        (self.summary.refused, self.summary.unheard) = self.faults.counts();
        self.summary
    }
}

fn path_in(folder: &TempDir) -> PathBuf {
    folder.path().join("saker.db")
}
