//! One run: an outside event happens, or a part of the server takes a turn, in an order that
//! follows from the seed.
//!
//! The server is a [`Process`] of the product's parts; it ends in a kill, a power failure or a
//! stop, and another one begins on the same disk. State that outlives it is here: disk, database,
//! the store on another machine, agents, and the oracle.

mod clients;
mod crashes;
mod judging;
mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::snapshot::Snapshot;
use model::{EventId, ItemId, Time};

use crate::config::Config;
use crate::oracle::{Archive, Made, Sent, Sessions, Summary};
use crate::outside::bugs::Bugs;
use crate::outside::database::Database;
use crate::outside::fault_disk::FaultDisk;
use crate::outside::lock;
use crate::outside::machine::Machine;
use crate::outside::remote::Remote;
use crate::outside::senders::{Agent, Packet, Request};
use crate::process::{Flaws, Process};
use crate::random::Random;

/// 2026-01-01 00:00:00.
const START_MS: i64 = 1_767_225_600_000;
/// Rounds of turns without rest after which the parts are taken for locked.
const STUCK: usize = 4_000;
/// Connections at a time.
const REQUESTS_MAX: usize = 20;

/// A defect of earlier versions, put back to see that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The mark of a session moves before its values are journaled.
    EarlyMark,
    /// The journal is removed by the position of records given to the database, not of those that
    /// it has confirmed.
    UnsavedCounts,
    /// A checkpoint is written ahead of the journal's sync.
    CheckpointAhead,
}

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub seed: u64,
    pub n_hosts: u64,
    pub n_shards: u16,
    pub n_actions: usize,
    /// Once in so many actions the process ends in one way or another; 0: never.
    pub crash_every: usize,
    /// Also hours that pass, and files of history that become one.
    pub has_merges: bool,
    /// Also scripts, documents for other hosts, functions over many items, names that wait, panics.
    pub has_work: bool,
    /// Disk, database, store elsewhere and clock fail.
    pub has_faults: bool,
    /// Messages that wait for one shard at most.
    pub mailbox: usize,
    pub defect: Option<Defect>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            n_hosts: 5,
            n_shards: 3,
            n_actions: 400,
            crash_every: 60,
            has_merges: false,
            has_work: false,
            has_faults: true,
            mailbox: 2,
            defect: None,
        }
    }
}

impl Settings {
    /// Whether each record is synced before it counts as written.
    fn syncs_each(&self) -> bool {
        self.seed % 5 == 4
    }
}

/// A connection.
struct Open {
    request: Request,
    what: What,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open").field("what", &self.what).finish_non_exhaustive()
    }
}

/// The contents of a connection.
#[derive(Debug)]
enum What {
    Values(Vec<Sent>),
    /// Of an item that may not exist any more.
    Extra,
    /// Of the agent of this number.
    Session(usize, Packet),
}

#[derive(Debug)]
pub struct World {
    settings: Settings,
    random: Random,
    config: Config,
    snapshot: Arc<Snapshot>,
    machine: Machine,
    fault_disk: FaultDisk,
    database: Database,
    remote: Remote,
    archive: Arc<Mutex<Archive>>,
    bugs: Arc<Mutex<Bugs>>,
    flaws: Arc<Mutex<Flaws>>,
    process: Option<Process>,
    /// Time outside, in milliseconds; the server's clock is ahead of it by `skew_ms`.
    now_ms: i64,
    skew_ms: i64,
    /// The clock was behind that of senders: values were ahead of it.
    was_behind: bool,
    /// The time of the newest value.
    value_ms: i64,
    connections: Vec<Open>,
    agents: Vec<Agent>,
    sessions: Sessions,
    next_number: u64,
    next_session: u64,
    /// Closing under way, and its answer.
    closings: Vec<(EventId, Receiver<()>)>,
    /// Everything that was acknowledged, and a position not before the end of its record.
    acknowledged: BTreeMap<Sent, u64>,
    /// All sent values, with or without a response.
    sent: BTreeSet<Sent>,
    /// Problems that were closed by hand, likewise.
    closed: BTreeMap<u64, u64>,
    /// Deletions of items' values: up to which record, and whether they are known to be done.
    cleared: BTreeMap<ItemId, Vec<(u64, bool)>>,
    made: Made,
    is_resting: bool,
    summary: Summary,
}

/// Runs a seed to its end, and asserts the invariants.
///
/// # Panics
/// If something is not.
#[must_use]
pub fn run(settings: Settings) -> Summary {
    let mut world = World::new(settings);
    for _ in 0..settings.n_actions {
        world.act();
    }
    world.rest();
    world.check();
    let before = world.states();
    world.kill();
    world.rest();
    world.check();
    assert_eq!(world.states(), before, "how triggers stand, before and after a restart");
    world.summarize()
}

impl World {
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let config = Config::all_to_all(settings.n_hosts, settings.has_work);
        let mut random = Random::new(settings.seed);
        let snapshot = Arc::new(config.snapshot.clone());
        let agents: Vec<Agent> = (config.agents.iter())
            .map(|(name, host, item)| {
                Agent::new((name.clone(), *host), *item, START_MS / 1_000 - 100_000)
            })
            .collect();
        let sessions =
            Sessions { items: agents.iter().map(|it| it.item).collect(), ..Sessions::default() };
        let mut seed = || random.next();
        let flaws = Flaws { random: Random::new(seed()), is_on: true, n_asked: 0, n_failed: 0 };
        let mut world = Self {
            machine: Machine::new(seed()),
            fault_disk: FaultDisk::new(settings.defect == Some(Defect::CheckpointAhead)),
            database: Database::new(seed(), Arc::clone(&snapshot)),
            bugs: Arc::new(Mutex::new(Bugs::new(seed()))),
            flaws: Arc::new(Mutex::new(flaws)),
            remote: Remote::default(),
            archive: Arc::default(),
            process: None,
            now_ms: START_MS,
            skew_ms: 0,
            was_behind: false,
            value_ms: START_MS,
            connections: Vec::new(),
            agents,
            sessions,
            next_number: 0,
            next_session: 0,
            closings: Vec::new(),
            acknowledged: BTreeMap::new(),
            sent: BTreeSet::new(),
            closed: BTreeMap::new(),
            cleared: BTreeMap::new(),
            made: Made::default(),
            is_resting: false,
            summary: Summary::default(),
            settings,
            random,
            config,
            snapshot,
        };
        lock(&world.bugs).is_on = settings.has_work;
        for at in 0..world.agents.len() {
            world.restart_agent(at);
        }
        world.start();
        world
    }

    fn act(&mut self) {
        let ms = 1 + self.random.below(900) as u64;
        self.pass(ms);
        match self.random.below(100) {
            0..=15 => self.send(),
            16..=21 => self.send_of_agent(),
            22..=24 => self.cut_connection(),
            25..=34 => self.poll(),
            35..=62 => {
                for _ in 0..=self.random.below(5) {
                    self.turn_of_shard();
                }
            }
            63..=66 => drop(self.turn_of_history_reader()),
            67..=71 => drop(self.turn_of_cross_item_queries()),
            72..=79 => self.turn_of_workers(),
            80..=83 => drop(self.turn_of_events()),
            84..=85 => drop(self.save_events()),
            86..=87 => drop(self.turn_of_discovery()),
            88 => drop(self.turn_of_remote()),
            89 => drop(self.turn_of_archive()),
            90..=91 => self.keep_house(),
            92..=93 => self.close(),
            94 => self.edit(),
            95 => self.restart_some_agent(),
            96..=98 if self.settings.has_faults => self.fail(),
            _ => self.recover(),
        }
        if self.settings.has_merges && self.random.once_in(12) {
            self.merge();
        }
        if self.machine.is_ending() {
            // Somebody gave up waiting for the disk: the process is at its end.
            self.crash();
        }
        if self.settings.crash_every != 0 && self.random.once_in(self.settings.crash_every) {
            self.crash();
        }
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("the process runs")
    }

    /// Time passes.
    fn pass(&mut self, ms: u64) {
        self.process().clock.advance(Duration::from_millis(ms));
        let wall_ms = self.process().clock.wall().millis();
        self.now_ms = wall_ms - self.skew_ms;
    }

    /// A time of a value, later than that of all before it.
    fn time_of_value(&mut self) -> Time {
        self.value_ms = self.now_ms.max(self.value_ms + 1);
        Time::from_millis(self.value_ms)
    }

    /// Something outside begins to fail.
    fn fail(&mut self) {
        match self.random.below(8) {
            0..=2 => self.machine.fail(),
            3..=4 => self.database.with(|it| it.is_away = true),
            5 => self.database.with(|it| it.lost_answers = 3),
            6 => {
                let (is_away, loses_answers) = (self.random.once_in(2), self.random.once_in(2));
                self.remote.set_faults(is_away, loses_answers);
                self.remote.disconnect();
            }
            _ => {
                // Somebody sets the clock.
                self.summary.clock_steps += 1;
                let behind = if self.random.once_in(6) { 1_800 } else { 0 };
                let second = i64::try_from(self.random.below(3_600)).expect("small") - behind;
                self.skew_ms = second * 1_000;
                self.was_behind |= second < 0;
                let wall = Time::from_millis(self.now_ms + self.skew_ms);
                self.process().clock.set_wall(wall);
            }
        }
    }

    /// Everything that fails works again.
    fn recover(&mut self) {
        match self.random.below(3) {
            0 => self.machine.heal(),
            1 => self.database.with(|it| (it.is_away, it.lost_answers) = (false, 0)),
            _ => self.remote.set_faults(false, false),
        }
    }

    fn recover_all(&mut self) {
        self.machine.heal();
        self.database.with(|it| (it.is_away, it.lost_answers) = (false, 0));
        self.remote.set_faults(false, false);
    }

    /// Brings everything to rest: nothing fails any more, agents send their values, all queues
    /// drain.
    ///
    /// # Panics
    /// If the parts wait for each other.
    fn rest(&mut self) {
        if self.machine.is_power_off() || self.machine.is_ending() {
            self.crash();
        }
        self.recover_all();
        if self.process().journal.refuses().is_some() {
            // Where shards wait for the journal, another thread syncs it.
            self.sync();
        }
        self.set_resting(true);
        self.drain();
        if self.settings.has_work {
            // Calculated items once more, from the present values. Where the clock was set back,
            // values have times ahead of it, and functions see those only when it gets there.
            self.pass(if self.summary.clock_steps == 0 { 11_000 } else { 2 * 3_600_000 });
            self.drain();
        }
        self.set_resting(false);
    }

    fn set_resting(&mut self, is_resting: bool) {
        self.is_resting = is_resting;
        self.machine.set_resting(is_resting);
        lock(&self.flaws).is_on = !is_resting;
        lock(&self.bugs).is_on = !is_resting && self.settings.has_work;
    }

    fn drain(&mut self) {
        let mut rounds = 0;
        loop {
            rounds += 1;
            // Queries that history did not answer are repeated after a while.
            self.pass(if rounds % 20 == 0 { 10_000 } else { 10 });
            self.send_what_waits();
            let is_idle = self.round();
            if is_idle && self.is_drained() {
                return;
            }
            assert!(rounds < STUCK, "the parts wait for each other: {}", self.why_not());
        }
    }

    fn is_drained(&self) -> bool {
        self.why_not().is_empty()
    }

    /// The parts that still wait.
    fn why_not(&self) -> String {
        let process = self.process.as_ref().expect("the process runs");
        let mut waiting = Vec::new();
        if !self.connections.is_empty() {
            waiting.push(format!("{} connections", self.connections.len()));
        }
        if self.agents.iter().any(Agent::is_waiting) {
            waiting.push("agents".to_owned());
        }
        if !self.closings.is_empty() {
            waiting.push("closings".to_owned());
        }
        if !process.has_room() {
            waiting.push("mailboxes".to_owned());
        }
        for (at, shard) in process.shards.iter().enumerate() {
            let sizes = shard.sizes();
            let n = sizes.values_pending
                + sizes.events_awaiting_names
                + sizes.evaluations_deferred
                + sizes.heavy_under_way
                + sizes.cross_item_queries_under_way;
            if n != 0 {
                waiting.push(format!("shard {at}: {sizes:?}"));
            }
        }
        let end = process.journal.next_lsn().0;
        if process.cursors.done() < end || process.journal.synced().0 < end {
            waiting.push("readers".to_owned());
        }
        waiting.join(", ")
    }

    fn summarize(mut self) -> Summary {
        let archive = lock(&self.archive);
        self.summary.awaiting_names = archive.n_awaiting_names;
        self.summary.deferred_evaluations = archive.n_deferred_evaluations;
        self.summary.forwarded = archive.n_forwarded;
        self.summary.events = archive.events.len();
        drop(archive);
        let flaws = lock(&self.flaws);
        (self.summary.fetches, self.summary.failures) = (flaws.n_asked, flaws.n_failed);
        drop(flaws);
        self.summary.panics = lock(&self.bugs).n_panics;
        self.summary.disk_faults = self.machine.n_faults();
        self.summary.disk_waits = self.machine.n_waits();
        self.summary.remote_refusals = self.remote.n_refused();
        self.database.with(|it| {
            self.summary.database_refusals = it.n_refused;
            self.summary.database_unheard = it.n_unheard;
            self.summary.discoveries = it.results.len();
        });
        self.summary
    }
}
