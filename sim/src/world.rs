//! One run: clients, shard threads that take turns, disks, crashes.
//!
//! A thread's turn does what a shard thread does, in the order that
//! `docs/decisions/0005-forwarding-between-partitions.md` gives: empty the outbox as far as others
//! have room, take what was forwarded, and only with an empty outbox take anything from outside.
//! Queues between shards hold one batch.

mod closing;
mod faults;
mod work;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use directory::{BuilderSettings, Directory, DirectoryBuilder, WholePlan, shard_of};
use disk::MemDisk;
use history::{LiveStore, RangeQuery, Store, Writer};
use jiff::tz::TimeZone;
use journal::{Journal, Lsn, Upto};
use model::batch::{Batch, RawRef, Run};
use model::record::{RecordBuilder, RecordView};
use model::snapshot::Delta;
use model::{EventId, ItemId, Now, Time, Value, ValueType, partition_of};
use pipeline::cross_item::{CrossItemAnswer, CrossItemQuery, CrossItemReader};
use pipeline::{
    Effects, Fetch, FetchFailed, Fetched, ForwardBatch, HeavyJob, Input, Live, Shard,
    ShardSettings, UnderWay,
};
use window::Samples;

use self::work::Answer;
use crate::config::Config;
use crate::oracle::{Archive, Made, Sent, Summary, check_events, check_made};
use crate::random::Random;

/// 2026-01-01 00:00:00.
const START: i64 = 1_767_225_600;
/// Batches that one shard may hold for another.
const QUEUE: usize = 1;
/// One step in so many panics.
const PANIC_EACH: usize = 80;
/// Turns without any progress after which the threads are taken for locked.
const STUCK: usize = 1_000;

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub seed: u64,
    pub n_hosts: u64,
    pub n_shards: u16,
    pub n_actions: usize,
    /// Once in so many actions the process is killed or the power fails; 0: never.
    pub crash_every: usize,
    /// Also scripts, documents for other hosts, functions over many items, names that wait, panics;
    /// checkpoints with a barrier.
    pub has_work: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 0, n_hosts: 5, n_shards: 3, n_actions: 400, crash_every: 60, has_work: false }
    }
}

/// One shard thread.
#[derive(Debug)]
struct Thread {
    shard: Shard,
    writer: Box<dyn Writer>,
    external: VecDeque<(Batch, Vec<Sent>)>,
    internal: VecDeque<ForwardBatch>,
    /// Answers of history.
    answers: Vec<Fetched>,
    /// Of workers.
    done: VecDeque<Answer>,
    cross_item_answers: Vec<CrossItemAnswer>,
    outbox: VecDeque<ForwardBatch>,
    effects: Effects,
    record: RecordBuilder,
    /// To build the shard anew.
    plan: WholePlan,
}

/// What lives and dies with the process.
#[derive(Debug)]
struct Process {
    journal: Journal,
    history: Arc<dyn LiveStore>,
    directory: Arc<Directory>,
    threads: Vec<Thread>,
    /// Questions that the history worker has not looked at yet.
    questions: Vec<(usize, Fetch)>,
    /// Jobs that no worker has begun.
    jobs: Vec<(usize, HeavyJob)>,
    cross_item_queries: VecDeque<(usize, CrossItemQuery)>,
    cross_item_reader: CrossItemReader,
    live: Live,
}

#[derive(Debug)]
pub struct World {
    settings: Settings,
    random: Random,
    config: Config,
    journal_disk: MemDisk,
    history_disk: MemDisk,
    process: Option<Process>,
    now_ms: i64,
    /// By partition: bytes and position; written with a sync of the journal before.
    checkpoints: BTreeMap<u8, (Vec<u8>, u64)>,
    /// The position at which the barrier of these was asked for.
    barrier: u64,
    archive: Archive,
    /// Everything that was acknowledged, and the position behind its record.
    acknowledged: BTreeMap<Sent, u64>,
    /// Problems that were closed by hand, and the position behind the record.
    closed: BTreeMap<u64, u64>,
    made: Made,
    next_number: u64,
    /// Nothing panics any more.
    is_calm: bool,
    /// All queues drain: history answers.
    is_resting: bool,
    summary: Summary,
}

/// Runs a seed to its end, and asserts what must be true.
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
    world.kill();
    world.rest();
    world.check();
    world.summary
}

impl World {
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let mut world = Self {
            settings,
            random: Random::new(settings.seed),
            config: Config::all_to_all(settings.n_hosts, settings.has_work),
            journal_disk: MemDisk::new(settings.seed),
            history_disk: MemDisk::new(settings.seed),
            process: None,
            now_ms: START * 1_000,
            checkpoints: BTreeMap::new(),
            barrier: 0,
            archive: Archive::default(),
            acknowledged: BTreeMap::new(),
            closed: BTreeMap::new(),
            made: Made::default(),
            next_number: 0,
            is_calm: false,
            is_resting: false,
            summary: Summary::default(),
        };
        world.start();
        world
    }

    fn now(&self) -> Now {
        let mono_ms = (self.now_ms - START * 1_000).unsigned_abs();
        Now { wall: Time::from_millis(self.now_ms), mono_ns: mono_ms * 1_000_000 }
    }

    fn act(&mut self) {
        self.now_ms += 1 + i64::try_from(self.random.below(900)).expect("small");
        match self.random.below(if self.settings.has_work { 34 } else { 26 }) {
            0..=9 => self.send(),
            10..=17 => {
                for _ in 0..=self.random.below(4) {
                    let thread = self.random.below(usize::from(self.settings.n_shards));
                    self.turn(thread);
                }
            }
            18 => self.answer(),
            19 => self.timers(),
            20 => self.sync(),
            21 => self.flush(),
            22 if self.settings.has_work => self.save_all(),
            22 => self.checkpoint(),
            24..=25 => self.close(),
            26..=30 => self.work(),
            31..=32 => self.cross_item(),
            _ => self.archive(),
        }
        if self.settings.crash_every != 0 && self.random.once_in(self.settings.crash_every) {
            if self.random.once_in(2) { self.kill() } else { self.cut_power() }
        }
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("the process runs")
    }

    /// A client sends values of some items to one shard's queue, if it has room.
    fn send(&mut self) {
        let mut batches: BTreeMap<u16, (Batch, Vec<Sent>)> = BTreeMap::new();
        for _ in 0..=self.random.below(12) {
            if self.settings.has_work && self.random.once_in(3) {
                self.give_work(&mut batches);
                continue;
            }
            let at = self.random.below(self.config.items.len());
            let (host, key, item, kind) = self.config.items[at].clone();
            self.next_number += 1;
            let time = Time::from_millis(self.now_ms);
            // Each value of an item has a time of its own; numbers are small.
            self.now_ms += 1;
            let small = self.random.next() % 100;
            let text = self.next_number.to_string();
            let (raw, bits) = match kind {
                ValueType::Float => {
                    let number = f64::from(u32::try_from(small).expect("small"));
                    (RawRef::Float(number), number.to_bits())
                }
                ValueType::Unsigned => (RawRef::Unsigned(small), small),
                _ => (RawRef::Text(&text), self.next_number),
            };
            let process = self.process.as_mut().expect("the process runs");
            let target = process.directory.lookup(&host, &key).expect("configured");
            let (batch, sent) = batches.entry(target.shard).or_default();
            batch.epoch = process.directory.epoch();
            batch.push(target.slot, time, raw).expect("room");
            sent.push((item, time.millis(), bits));
        }
        for (shard, (mut batch, sent)) in batches {
            let external = &mut self.process().threads[usize::from(shard)].external;
            // Full: the client waits, here for ever.
            if external.len() < QUEUE {
                batch.runs.push(Run { end: u32::try_from(batch.len()).expect("small") });
                self.summary.sent += sent.len();
                self.process().threads[usize::from(shard)].external.push_back((batch, sent));
            }
        }
    }

    /// One turn of a thread. Says whether anything moved.
    fn turn(&mut self, at: usize) -> bool {
        let mut moved = self.empty_outbox(at);
        if let Some(batch) = self.process().threads[at].internal.pop_front() {
            self.summary.forwarded += batch.rows.len();
            self.step(at, Input::Forwarded(&batch), &[]);
            return true;
        }
        let thread = &mut self.process().threads[at];
        if !thread.outbox.is_empty() {
            return moved;
        }
        if !thread.answers.is_empty() {
            let answers = std::mem::take(&mut thread.answers);
            self.step(at, Input::Fetched(&answers), &[]);
            return true;
        }
        if self.take_answers(at) {
            return true;
        }
        let thread = &mut self.process().threads[at];
        if let Some((batch, sent)) = thread.external.pop_front() {
            self.step(at, Input::Batch(&batch), &sent);
            moved = true;
        }
        moved
    }

    fn empty_outbox(&mut self, at: usize) -> bool {
        let n_shards = self.settings.n_shards;
        let process = self.process();
        let mut moved = false;
        let mut kept = VecDeque::new();
        let mut full: BTreeSet<u16> = BTreeSet::new();
        while let Some(batch) = process.threads[at].outbox.pop_front() {
            let to = shard_of(batch.to, n_shards);
            let internal = &mut process.threads[usize::from(to)].internal;
            // What waits keeps its order.
            if full.contains(&to) || QUEUE <= internal.len() {
                full.insert(to);
                kept.push_back(batch);
            } else {
                internal.push_back(batch);
                moved = true;
            }
        }
        process.threads[at].outbox = kept;
        moved
    }

    /// A step with everything that the owner of a thread does after it.
    fn step(&mut self, at: usize, input: Input<'_>, sent: &[Sent]) {
        if self.settings.has_work && !self.is_calm && self.random.once_in(PANIC_EACH) {
            self.panic(at, &input, sent);
            return;
        }
        let now = self.now();
        let has_work = self.settings.has_work;
        let thread = &mut self.process().threads[at];
        thread.effects.clear();
        thread.shard.step(now, input, &mut thread.effects);
        let lsn = self.commit(at);
        let thread = &self.process().threads[at];
        if let Some(run) = thread.effects.runs.first() {
            assert_eq!((run.processed as usize, run.failed), (sent.len(), 0), "all are taken");
            assert!(has_work || thread.effects.values.len() == sent.len());
        }
        self.acknowledge(sent, lsn);
    }

    fn acknowledge(&mut self, sent: &[Sent], lsn: u64) {
        self.summary.acknowledged += sent.len();
        self.acknowledged.extend(sent.iter().map(|it| (*it, lsn)));
    }

    fn commit(&mut self, at: usize) -> u64 {
        let process = self.process();
        let thread = &mut process.threads[at];
        let mut lsn = 0;
        if thread.effects.is_durable() {
            thread.shard.encode(&thread.effects, &mut thread.record);
            let n_ids = u32::try_from(thread.effects.events.len()).expect("few events");
            let appended = thread.writer.commit(thread.record.finish(), n_ids).expect("room");
            lsn = appended.next_lsn.0;
            thread.shard.committed(lsn, EventId(appended.first_id), &mut thread.effects);
        }
        thread.outbox.extend(thread.effects.forwards.drain(..));
        let fetches = std::mem::take(&mut thread.effects.fetches);
        process.questions.extend(fetches.into_iter().map(|it| (at, it)));
        process.jobs.extend(thread.effects.heavy.drain(..).map(|it| (at, it)));
        process
            .cross_item_queries
            .extend(thread.effects.cross_item_queries.drain(..).map(|it| (at, it)));
        lsn
    }

    /// The history worker answers what it was asked; not all, and some without success.
    fn answer(&mut self) {
        let process = self.process.as_mut().expect("the process runs");
        for (at, fetch) in std::mem::take(&mut process.questions) {
            if !self.is_resting && self.random.once_in(3) {
                process.questions.push((at, fetch));
                continue;
            }
            self.summary.fetches += 1;
            let mut answer = read(&*process.history, &fetch);
            if !self.is_resting && self.random.once_in(8) {
                self.summary.failures += 1;
                answer.samples = Err(FetchFailed::because("the disk is busy"));
            }
            process.threads[at].answers.push(answer);
        }
    }

    fn timers(&mut self) {
        for at in 0..usize::from(self.settings.n_shards) {
            if self.process().threads[at].outbox.is_empty() {
                self.step(at, Input::Timer, &[]);
            }
        }
    }

    fn count_cut_off(&mut self) {
        let waiting = self.process().threads.iter().map(|it| it.shard.sizes().evaluations_deferred);
        let n = waiting.sum::<usize>();
        self.summary.cut_off += n;
    }

    fn sync(&mut self) {
        self.process().journal.sync_once().expect("the disk is well");
    }

    fn flush(&mut self) {
        let flushed = self.process().history.flush_once().expect("the disk is well");
        self.summary.flushes += usize::from(flushed.is_some());
        self.retain();
    }

    /// Saves some partitions, between steps.
    fn checkpoint(&mut self) {
        self.sync();
        let n_shards = self.settings.n_shards;
        let process = self.process.as_mut().expect("the process runs");
        let lsn = process.journal.synced().0;
        for host in self.config.snapshot.hosts.keys() {
            if self.random.once_in(2) {
                let partition = partition_of(*host);
                let thread = &process.threads[usize::from(shard_of(partition, n_shards))];
                let saved = thread.shard.checkpoint(partition, lsn);
                self.checkpoints.insert(partition, (saved.bytes, lsn));
                self.summary.checkpoints += 1;
            }
        }
        self.retain();
    }

    /// Lets the journal forget what nobody needs any more.
    fn retain(&mut self) {
        let needed = self.replay_from().min(self.archive.cursor);
        let process = self.process();
        let keep = Lsn(needed.min(process.history.cursor().0));
        process.journal.set_retention(keep).expect("the disk is well");
    }

    /// The position from which a start has to read: the lowest checkpoint, the lowest mark.
    fn replay_from(&self) -> u64 {
        let partitions: BTreeSet<u8> =
            self.config.snapshot.hosts.keys().map(|it| partition_of(*it)).collect();
        let mut lowest = u64::MAX;
        for partition in &partitions {
            lowest = lowest.min(self.checkpoints.get(partition).map_or(0, |it| it.1));
        }
        if self.settings.has_work {
            // Marks of later records are read back from the journal.
            return lowest.min(self.barrier);
        }
        // Marks are of checkpoints: what a receiver has taken since is in records behind them, which
        // are read anyway; so the lowest mark that counts is in the checkpoints too.
        let live = Live::new(1);
        let mut scratch = Shard::new(shard_settings(0, 1), &live);
        for (bytes, _) in self.checkpoints.values() {
            scratch.restore(bytes.as_slice()).expect("a checkpoint");
        }
        let marks: BTreeMap<(u8, u8), u64> =
            scratch.forward_marks().map(|(to, from, lsn)| ((to, from), lsn)).collect();
        for to in &partitions {
            for from in &partitions {
                lowest = lowest.min(marks.get(&(*to, *from)).copied().unwrap_or(0));
            }
        }
        lowest
    }

    /// The archive reads on, up to what is synced.
    fn archive(&mut self) {
        let process = self.process.as_mut().expect("the process runs");
        let from = Lsn(self.archive.cursor);
        if process.journal.synced() <= from {
            return;
        }
        let mut reader = process.journal.reader(from, Upto::Synced).expect("retained");
        while let Some(it) = reader.next().expect("a sound journal") {
            self.archive.take(it.payload, it.next_lsn.0, it.first_id);
        }
        self.archive.check();
    }

    fn kill(&mut self) {
        self.summary.kills += 1;
        self.count_cut_off();
        self.process = None;
        self.journal_disk.restart_after_kill();
        self.history_disk.restart_after_kill();
        let next = self.start();
        let lost = self.acknowledged.values().filter(|it| next < **it).count();
        assert_eq!(lost, 0, "a kill loses nothing that was acknowledged");
    }

    fn cut_power(&mut self) {
        self.summary.power_cuts += 1;
        self.count_cut_off();
        let synced = self.process().journal.synced().0;
        self.process = None;
        self.journal_disk.restart_after_power_cut();
        self.history_disk.restart_after_power_cut();
        let next = self.start();
        assert!(synced <= next, "a power cut takes nothing that was synced");
        let before = self.acknowledged.len();
        self.acknowledged.retain(|_, lsn| *lsn <= next);
        self.closed.retain(|_, lsn| *lsn <= next);
        self.summary.lost_in_power_cuts += before - self.acknowledged.len();
    }

    /// A start of the process: recovery, replay, forwarding again. Gives the end of the journal as it
    /// was found.
    fn start(&mut self) -> u64 {
        self.now_ms += 5_000;
        let settings = journal::Settings { file_bytes: 4_096, ..journal::Settings::default() };
        let disk = Arc::new(self.journal_disk.clone());
        let (journal, _) = Journal::open(disk, Path::new("/journal"), settings).expect("opens");
        let found = journal.next_lsn().0;
        let registry = rt::metrics::Registry::new();
        let n_shards = self.settings.n_shards;
        let disk = Arc::new(self.history_disk.clone());
        let place = (disk as Arc<dyn disk::Disk>, Path::new("/history"));
        let kind = history::Kind::default();
        let history = history::open(kind, place, journal.clone(), n_shards, &registry);
        let history = history.expect("opens").store;
        history.replay().expect("the journal has what is missing");
        let mut builder = DirectoryBuilder::new(BuilderSettings {
            n_shards,
            hash_seed: self.random.next(),
            zone: TimeZone::UTC,
        });
        let snapshot = Arc::new(self.config.snapshot.clone());
        let (directory, plans) = builder.apply(&snapshot, &Delta::default());
        let live = Live::new(n_shards);
        let now = self.now();
        let mut threads: Vec<Thread> = plans
            .into_iter()
            .map(|plan| {
                let mut shard = Shard::new(shard_settings(plan.shard, n_shards), &live);
                for (partition, (bytes, _)) in &self.checkpoints {
                    if shard_of(*partition, n_shards) == plan.shard {
                        shard.restore(bytes.as_slice()).expect("a checkpoint");
                    }
                }
                let writer = history.writer(plan.shard);
                let whole = WholePlan::of(&plan);
                shard.configure(plan, now, &mut Effects::default());
                Thread {
                    shard,
                    writer,
                    external: VecDeque::new(),
                    internal: VecDeque::new(),
                    answers: Vec::new(),
                    done: VecDeque::new(),
                    cross_item_answers: Vec::new(),
                    outbox: VecDeque::new(),
                    effects: Effects::default(),
                    record: RecordBuilder::new(),
                    plan: whole,
                }
            })
            .collect();
        self.read_back(&journal, &mut threads, found);
        self.process = Some(Process {
            journal,
            history,
            directory,
            threads,
            questions: Vec::new(),
            jobs: Vec::new(),
            cross_item_queries: VecDeque::new(),
            cross_item_reader: CrossItemReader::new(TimeZone::UTC),
            live,
        });
        for at in 0..usize::from(n_shards) {
            let thread = &mut self.process().threads[at];
            thread.effects.clear();
            thread.shard.start(now, &mut thread.effects);
            self.commit(at);
        }
        found
    }

    /// Applies the journal, and forwards again what may not have arrived.
    fn read_back(&self, journal: &Journal, threads: &mut [Thread], found: u64) {
        let from = self.replay_from().max(journal.first_lsn().0);
        let mut under_way = UnderWay::default();
        each_record(journal, from, |view, it| {
            for thread in threads.iter_mut() {
                thread.shard.apply(view, it.next_lsn.0, it.first_id).expect("readable");
            }
            under_way.note(view, it.lsn.0, it.next_lsn.0);
        });
        let is_barred = self.settings.has_work;
        let from = if is_barred { under_way.oldest().unwrap_or(found) } else { from };
        each_record(journal, from, |view, it| {
            for thread in threads.iter_mut() {
                let mut again = Vec::new();
                thread.shard.forward_again(view, it.next_lsn.0, &mut again).expect("readable");
                again.retain(|it| !is_barred || under_way.has(it));
                thread.outbox.extend(again);
            }
        });
    }

    /// Lets everything come to rest: nothing more is sent, all queues drain.
    ///
    /// # Panics
    /// If the threads wait for each other.
    fn rest(&mut self) {
        self.is_resting = true;
        self.drain();
        if self.settings.has_work {
            // Calculated items once more, of what is there now. Those whose answer came with a panic
            // would have to wait for the next time.
            self.is_calm = true;
            self.now_ms += 11_000;
            self.timers();
            self.drain();
        }
        self.sync();
        self.archive();
        self.is_resting = false;
    }

    fn drain(&mut self) {
        let n_shards = usize::from(self.settings.n_shards);
        let mut stuck = 0;
        loop {
            self.now_ms += 10;
            let at = self.random.below(n_shards);
            let moved = self.turn(at);
            stuck = if moved { 0 } else { stuck + 1 };
            self.answer();
            self.work();
            self.cross_item();
            let is_idle = |it: &Thread| {
                let sizes = it.shard.sizes();
                it.external.is_empty()
                    && it.internal.is_empty()
                    && it.outbox.is_empty()
                    && it.answers.is_empty()
                    && it.done.is_empty()
                    && it.cross_item_answers.is_empty()
                    && sizes.values_pending == 0
                    && sizes.events_awaiting_names == 0
                    && sizes.evaluations_deferred == 0
            };
            let process = self.process();
            let is_asked = !process.questions.is_empty()
                || !process.jobs.is_empty()
                || !process.cross_item_queries.is_empty();
            let is_idle = process.threads.iter().all(is_idle);
            if !is_asked && is_idle {
                return;
            }
            if !is_asked && stuck % 20 == 19 {
                // What history did not answer is asked again after a while.
                self.now_ms += 10_000;
                self.timers();
            }
            assert!(stuck < STUCK, "the threads wait for each other");
        }
    }

    /// Asserts at rest that nothing was lost or doubled.
    fn check(&mut self) {
        let archived: BTreeSet<&Sent> = self.archive.values.iter().collect();
        let is_raw = |it: &&Sent| !self.config.work.iter().any(|of| of.delta == it.0);
        for sent in self.acknowledged.keys().filter(is_raw) {
            assert!(archived.contains(sent), "{sent:?} was acknowledged and is lost");
        }
        check_events(&self.config, &self.archive, &self.closed);
        check_made(&self.config, &self.archive, &self.acknowledged, &self.made);
        self.summary.awaiting_names = self.archive.n_awaiting_names;
        self.summary.deferred_evaluations = self.archive.n_deferred_evaluations;
        self.summary.events = self.archive.events.len();
        let process = self.process.as_ref().expect("the process runs");
        let sent = self.config.items.iter().map(|it| (it.2, it.3));
        let made = self.config.work.iter().flat_map(crate::config::Work::made);
        for (item, kind) in sent.chain(made) {
            let stored: Vec<(i64, u64)> = stored(&*process.history, item, kind);
            let mut want: Vec<(i64, u64)> = self
                .archive
                .values
                .iter()
                .filter(|it| it.0 == item)
                .map(|it| (it.1, it.2))
                .collect();
            want.sort_by_key(|it| it.0);
            assert_eq!(stored, want, "history of {item}");
        }
    }
}

fn shard_settings(shard: u16, n_shards: u16) -> ShardSettings {
    ShardSettings { shard, n_shards, zone: TimeZone::UTC }
}

fn range(item: ItemId, kind: ValueType) -> RangeQuery {
    RangeQuery {
        item,
        kind,
        from: Time(i64::MIN),
        till: Time::MAX,
        limit: usize::MAX,
        newest_first: false,
    }
}

fn stored(history: &dyn Store, item: ItemId, kind: ValueType) -> Vec<(i64, u64)> {
    let samples = history.range(&range(item, kind)).expect("readable").into_samples();
    samples
        .into_iter()
        .map(|it| {
            let bits = match &it.value {
                Value::Float(it) => it.to_bits(),
                Value::Unsigned(it) => *it,
                text => text.as_text().and_then(|it| it.parse().ok()).expect("a number"),
            };
            (it.time.millis(), bits)
        })
        .collect()
}

/// What a history worker does for a shard; all values, which is never too few.
fn read(history: &dyn Store, fetch: &Fetch) -> Fetched {
    let found = history.range(&range(fetch.item, fetch.kind)).expect("readable");
    let lsn = found.lsn.map(|it| it.0);
    let samples = samples_of(fetch.kind, found.into_samples());
    Fetched { id: fetch.id, samples: Ok(samples), lsn }
}

fn samples_of(kind: ValueType, rows: Vec<model::value::Sample>) -> Samples {
    let rows = rows.into_iter();
    match kind {
        ValueType::Float => {
            Samples::Float(rows.filter_map(|it| Some((it.time, it.value.as_f64()?))).collect())
        }
        ValueType::Unsigned => Samples::Unsigned(
            rows.filter_map(|it| match it.value {
                Value::Unsigned(value) => Some((it.time, value)),
                _ => None,
            })
            .collect(),
        ),
        _ => Samples::Text(rows.map(|it| (it.time, it.value)).collect()),
    }
}

/// Goes through the journal from a position on.
fn each_record(
    journal: &Journal,
    from: u64,
    mut take: impl FnMut(&RecordView<'_>, &journal::Record<'_>),
) {
    let mut reader = journal.reader(Lsn(from), Upto::Written).expect("retained");
    while let Some(it) = reader.next().expect("a sound journal") {
        take(&RecordView::parse(it.payload).expect("a record"), &it);
    }
}
