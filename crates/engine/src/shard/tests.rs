//! A shard's thread when a step fails, after it has changed the shard's state.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

use directory::{BuilderSettings, Directory, DirectoryBuilder, FullPlan};
use disk::{Disk, MemDisk};
use ingress::{Ingress, Sessions};
use journal::Journal;
use model::batch::{Batch, RawRef, Run};
use model::content::{ItemContent, ItemFlags, ItemType, OnFail, PreprocStep, Step};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot};
use model::{HostId, ItemId, Time, ValueType};
use pipeline::{
    Effects, ForwardBatch, Forwarded, ForwardedValue, HeavyDone, HeavyJob, LiveTable, Shard,
    ShardQuery, ShardSettings,
};
use preprocess::Data;
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::Registry;
use rt::queue::{self, WhenFull};
use rt::task::Tasks;

use super::commit::BIRTH_BYTES_MAX;
use super::*;
use crate::checkpoint::Checkpoints;
use crate::fault_injection::InjectFaults;
use crate::health_issues::{HealthIssueMetrics, HealthIssues};
use crate::mailboxes::{MAILBOX_MAX, Mailboxes};
use crate::pause::Pause;
use crate::readers::ReaderWake;
use crate::replay;
use crate::workers::{self, JobQueue, JobWorkerMetrics};

mod records;
mod turns;

/// The value whose processing has a bug.
const POISON: f64 = 66.6;
const NOW: i64 = 1_790_000_000;

thread_local! {
    /// Inputs without values that are still to fail.
    static FAILING: Cell<u32> = const { Cell::new(0) };
}

/// Stands for a bug in a step: it panics at its end, but not over values that it has refused.
#[derive(Debug)]
struct Bug;

impl InjectFaults for Bug {
    fn after_step(&self, _shard: u16, input: &Input<'_>, effects: &Effects) {
        let is_poison = |row: &ForwardedValue| match &row.what {
            Forwarded::Row(_, _, text) => **text == *POISON.to_string(),
            _ => false,
        };
        let n_poisonous = match input {
            Input::Batch(batch) => {
                let rows = (0..batch.len()).filter(|it| batch.value(*it) == RawRef::Float(POISON));
                rows.count()
            }
            Input::Forwarded(batch) => batch.rows.iter().filter(|it| is_poison(it)).count(),
            Input::ForwardedRow(batch, at) => usize::from(is_poison(&batch.rows[*at])),
            _ => FAILING.with(|it| it.replace(it.get().saturating_sub(1))).min(1) as usize,
        };
        let n_refused: u32 = effects.runs.iter().map(|it| it.failed).sum();
        assert!(n_poisonous <= n_refused as usize, "a bug of a step");
    }
}

fn float(key: &str) -> ItemContent {
    ItemContent {
        key_: key.to_owned(),
        kind: ItemType::Trapper,
        value_type: ValueType::Float,
        ..ItemContent::default()
    }
}

fn with_step(key: &str, kind: Step, params: &str) -> ItemContent {
    let step = PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    };
    ItemContent { preprocessing: vec![step], ..float(key) }
}

/// A host with float items of ids 1 to 6: `a`, `b`, `c`, the change of what is sent, what a script
/// makes of it, and each 10 seconds `a` once more; and `text` of id 7.
fn snapshot() -> Arc<Snapshot> {
    let copy = ItemContent {
        kind: ItemType::Calculated,
        params: "last(//a)".to_owned(),
        delay: "10s".to_owned(),
        ..float("copy")
    };
    let contents = [
        float("a"),
        float("b"),
        float("c"),
        with_step("change", Step::SimpleChange, ""),
        with_step("script", Step::JavaScript, "return value"),
        copy,
        ItemContent { value_type: ValueType::Text, ..float("text") },
    ];
    let item = |(id, content): (u64, ItemContent)| ItemRow {
        id: ItemId(id),
        source: ItemId::NONE,
        content: Arc::new(content),
        extra: None,
        flags: ItemFlags::Plain,
    };
    let host = Host {
        items: (1..).zip(contents).map(item).collect(),
        ..Host::new(HostId(7), HolderKind::Host, "host".into(), "host".into())
    };
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    snapshot.item_runs.insert(ItemId(1), (ItemId(7), host.id));
    snapshot.host_by_name.insert("host".into(), host.id);
    snapshot.hosts.insert(host.id, Arc::new(host));
    Arc::new(snapshot)
}

struct Bench {
    thread: ShardLoop,
    builder: DirectoryBuilder,
    directory: Arc<Directory>,
    live: LiveTable,
    history: crate::values::SharedLiveStore,
    jobs: Arc<JobQueue>,
    whole: FullPlan,
    checkpoints: Arc<Checkpoints>,
    disk: MemDisk,
    health: Health,
}

/// All that is on a disk, empty.
fn stores(
    disk: &MemDisk,
    registry: &Registry,
) -> (Journal, crate::values::SharedLiveStore, Arc<Checkpoints>) {
    let (disk, dir): (Arc<dyn Disk>, _) = (Arc::new(disk.clone()), std::path::Path::new("/data"));
    let (journal, _) =
        Journal::open(Arc::clone(&disk), &dir.join("journal"), journal::JournalSettings::default())
            .expect("opens");
    let path = dir.join("history");
    let place = (Arc::clone(&disk), path.as_path());
    let kind = history::StoreKind::default();
    let history = history::open(kind, place, journal.clone(), 1, registry).expect("opens").store;
    history.replay(&|_| ()).expect("empty");
    let (checkpoints, _) = Checkpoints::open(disk, dir, 0).expect("a folder");
    (journal, history, Arc::new(checkpoints))
}

fn bench(tasks: &Tasks, registry: &Registry) -> Bench {
    bench_with(tasks, registry, STEP_BYTES_MAX)
}

fn bench_with(tasks: &Tasks, registry: &Registry, step_bytes_max: usize) -> Bench {
    let clock = Clock::manual(Time::from_clock(NOW, 0));
    let mem = MemDisk::new(1);
    let (journal, history, checkpoints) = stores(&mem, registry);
    let (ingress, mut deliveries) = Ingress::new(1, &clock, registry);
    let (queue, mailbox) =
        queue::bounded("internal", MAILBOX_MAX, WhenFull::Block, &clock, registry);
    let (fetches, _) = queue::bounded("fetches", 8, WhenFull::Refuse, &clock, registry);
    let workers = JobWorkerMetrics::register(registry);
    let jobs = workers::job_queue(
        1,
        script::Limits::default(),
        (&clock, &workers),
        (registry, tasks.shutdown()),
    );
    let (cross_item_queries, _) =
        queue::bounded("cross_item_queries", 8, WhenFull::Refuse, &clock, registry);
    let mut builder = DirectoryBuilder::new(BuilderSettings {
        n_shards: 1,
        hash_seed: 1,
        zone: jiff::tz::TimeZone::UTC,
    });
    let (directory, mut plans) = builder.apply(&snapshot(), &model::snapshot::Delta::default());
    let whole = FullPlan::of(&plans[0]);
    let live = LiveTable::new(1);
    let zone = jiff::tz::TimeZone::UTC;
    let mut shard = Shard::new(ShardSettings { shard: 0, n_shards: 1, zone }, &live);
    shard.configure(plans.remove(0), clock.now(), &mut Effects::default());
    let metrics = ShardMetrics::register(registry);
    let health = Health::default();
    let issues =
        HealthIssues::new(health.clone(), clock.clone(), HealthIssueMetrics::register(registry));
    let context = ShardContext {
        journal,
        sync_each: false,
        mailboxes: Mailboxes { queues: Arc::new([queue]), ingress },
        fetches,
        jobs: Arc::clone(&jobs),
        cross_item_queries,
        sessions: Arc::default(),
        events: ReaderWake::default(),
        discovery: ReaderWake::default(),
        clock,
        metrics,
        stop: Arc::new(rt::shutdown::Shutdown::new()),
        drained: Arc::default(),
        states: Arc::default(),
        issues: Arc::new(issues),
        step_bytes_max,
        faults: Some(Arc::new(Bug)),
    };
    let thread = ShardLoop::new(ShardParts {
        number: 0,
        n_shards: 1,
        shard,
        whole: whole.clone(),
        outbox: VecDeque::new(),
        deliveries: deliveries.remove(0),
        mailbox,
        head: history.writer(0),
        checkpoints: Arc::clone(&checkpoints),
        context,
    });
    let mut bench = Bench {
        thread,
        builder,
        directory,
        live,
        history,
        jobs,
        whole,
        checkpoints,
        disk: mem,
        health,
    };
    bench.thread.begin();
    bench
}

impl Bench {
    /// Takes values in, with a run for each list.
    fn take(&mut self, runs: &[&[(&str, f64)]]) -> Vec<(u32, u32)> {
        let mut batch = Batch::of_epoch(self.directory.epoch());
        let mut n = 0;
        for run in runs {
            for (key, value) in *run {
                let target = self.directory.lookup("host", key).expect("configured");
                n += 1;
                let time = Time::from_clock(NOW - 100 + i64::from(n), 0);
                batch.push(target.slot, time, RawRef::Float(*value)).expect("room");
            }
            batch.runs.push(Run { end: n });
        }
        self.thread.delivery(Delivery { batch, ..Delivery::default() });
        self.thread.effects.runs.iter().map(|it| (it.processed, it.failed)).collect()
    }

    fn stored(&self, item: u64) -> usize {
        self.values(item).len()
    }

    /// The values of an item in history, oldest first.
    fn values(&self, item: u64) -> Vec<f64> {
        let query = history::RangeQuery {
            item: ItemId(item),
            kind: ValueType::Float,
            from: Time(i64::MIN),
            till: Time::MAX,
            limit: 100,
            newest_first: false,
        };
        let found = history::Store::range(&self.history, &query).expect("readable");
        found.into_samples().into_iter().filter_map(|it| it.value.as_f64()).collect()
    }

    /// The shard has the state that follows from the journal, and no other.
    fn assert_as_the_journal_says(&self) {
        let thread = &self.thread;
        let from = replay::Rebuild {
            checkpoints: &self.checkpoints,
            journal: &thread.shared.journal,
            n_shards: 1,
            clock: &thread.shared.clock,
            pause: &*thread.shared.stop,
        };
        let fresh = replay::rebuild(from, (&thread.shard, &self.whole)).expect("readable");
        for partition in 0..=u8::MAX {
            let (has, says) =
                (thread.shard.checkpoint(partition, 0), fresh.checkpoint(partition, 0));
            assert_eq!(has, says, "partition {partition}");
        }
    }

    fn pass(&mut self, seconds: u64) {
        self.thread.shared.clock.advance(Duration::from_secs(seconds));
        self.thread.timers();
    }

    /// The host's configuration is published again.
    fn configure(&mut self) {
        self.configure_with(|_| {});
    }

    /// The same configuration once more, with a change of the host.
    fn configure_with(&mut self, change: impl FnOnce(&mut Host)) {
        let mut snapshot = Snapshot::clone(&snapshot());
        snapshot.epoch = 2;
        if let Some(host) = snapshot.hosts.get_mut(&HostId(7)) {
            change(Arc::make_mut(host));
        }
        let hosts_changed = vec![HostId(7)];
        let delta = model::snapshot::Delta { epoch: 2, hosts_changed, ..Default::default() };
        let (directory, mut plans) = self.builder.apply(&Arc::new(snapshot), &delta);
        self.directory = directory;
        self.thread.message(ShardMessage::Configure(Box::new(plans.remove(0))));
    }

    fn error(&self, key: &str) -> Option<Arc<str>> {
        let target = self.directory.lookup("host", key).expect("configured");
        self.live.last(target.shard, target.slot).error
    }
}

#[tokio::test]
async fn a_value_that_breaks_a_step_costs_nobody_else_anything() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let runs = bench.take(&[&[("a", 1.0), ("b", POISON)], &[("a", 2.0), ("c", 3.0)]]);
    assert_eq!(runs, [(1, 1), (2, 0)], "the answers to senders");
    assert_eq!((bench.stored(1), bench.stored(2), bench.stored(3)), (2, 0, 1));
    let reason = "internal error while processing the value";
    assert_eq!(bench.error("b").as_deref(), Some(reason));
    assert_eq!((bench.error("a"), bench.error("c")), (None, None));
    // Once in its batch, once by itself.
    assert_eq!(registry.value("saker_shard_panics_total", None), Some(2.0));
    let pipeline::ShardReply::Items(unsupported) =
        bench.thread.shard.read(&ShardQuery::Unsupported)
    else {
        panic!("items were asked for");
    };
    assert_eq!(unsupported.iter().map(|it| it.0).collect::<Vec<_>>(), [ItemId(2)]);

    bench.assert_as_the_journal_says();

    assert_eq!(bench.take(&[&[("b", 5.0)]]), [(1, 0)]);
    assert_eq!((bench.error("b"), bench.stored(2)), (None, 1));
    bench.assert_as_the_journal_says();
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn memory_of_steps_knows_nothing_of_a_step_that_failed() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.take(&[&[("change", 10.0)]]);
    let runs = bench.take(&[&[("change", 13.0), ("b", POISON), ("change", 18.0)]]);
    assert_eq!(runs, [(2, 1)]);
    // The failed try had taken 18 already: 13 - 18 would be the next change, 0 the one after it.
    assert_eq!(bench.values(4), [3.0, 5.0]);
    bench.assert_as_the_journal_says();
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn forwarded_rows_are_taken_once_but_for_the_one_that_fails() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let row = |(n, text): (i64, &str)| ForwardedValue {
        time: Time::from_clock(NOW - 10 + n, 0),
        what: Forwarded::Row(HostId(7), ItemId(1), text.into()),
    };
    let rows = [(1, "1"), (2, "66.6"), (3, "3")].map(row).into();
    let batch = ForwardBatch { from: 9, to: model::partition_of(HostId(7)), lsn: 5, rows };
    bench.thread.message(ShardMessage::Forward(batch.clone()));
    assert_eq!(bench.values(1), [1.0, 3.0]);
    assert_eq!(registry.value("saker_shard_skipped_total", None), Some(1.0));
    bench.assert_as_the_journal_says();
    bench.thread.message(ShardMessage::Forward(batch));
    assert_eq!(bench.values(1), [1.0, 3.0], "the mark is durable");
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn due_work_is_done_in_the_second_attempt_or_next_time() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.take(&[&[("a", 4.0)]]);
    bench.pass(10);
    assert_eq!(bench.values(6), [4.0]);
    FAILING.set(1);
    bench.pass(10);
    assert_eq!(bench.values(6), [4.0, 4.0]);
    FAILING.set(2);
    bench.pass(10);
    assert_eq!(bench.stored(6), 2, "left out");
    bench.assert_as_the_journal_says();
    bench.pass(10);
    assert_eq!(bench.stored(6), 3);
    tasks.shutdown().cancel();
}

fn answer(job: &HeavyJob) -> HeavyDone {
    let results = vec![Ok(Some(Data::Float(7.0)))];
    HeavyDone { ticket: job.ticket, results, rows: Vec::new(), spent_ns: 0 }
}

#[tokio::test]
async fn a_workers_answer_that_fails_ends_its_value_and_no_other() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.take(&[&[("script", 1.0), ("script", 2.0)]]);
    let first = workers::next(&bench.jobs).expect("a job");
    FAILING.set(1);
    bench.thread.message(ShardMessage::HeavyDone(answer(&first)));
    let reason = "internal error while processing the value";
    assert_eq!(bench.error("script").as_deref(), Some(reason));
    bench.assert_as_the_journal_says();
    let second = workers::next(&bench.jobs).expect("the value behind goes on");
    assert_ne!(first.ticket, second.ticket);
    bench.thread.message(ShardMessage::HeavyDone(answer(&first)));
    assert_eq!(bench.stored(5), 0, "nobody waits for this one any more");
    bench.thread.message(ShardMessage::HeavyDone(answer(&second)));
    assert_eq!((bench.values(5), bench.error("script")), (vec![7.0], None));
    bench.assert_as_the_journal_says();
    tasks.shutdown().cancel();
}

const ASIDE: &str = "Internal error while processing values, 3 times: values are refused until the \
                     configuration of the host changes or the server is restarted.";

#[tokio::test]
async fn an_item_that_breaks_steps_again_and_again_is_quarantined() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let value = |name: &str| registry.value(name, None).unwrap_or(0.0);
    for n in 1..=3 {
        assert_eq!(bench.take(&[&[("a", 1.0), ("b", POISON)]]), [(1, 1)]);
        let reason = if n < 3 { "internal error while processing the value" } else { ASIDE };
        assert_eq!(bench.error("b").as_deref(), Some(reason));
    }
    assert_eq!(
        (value("saker_shard_panics_total"), value("saker_shard_quarantined_total")),
        (6.0, 1.0)
    );
    bench.assert_as_the_journal_says();
    // Its good values are refused as well, those of other items are not.
    assert_eq!(bench.take(&[&[("b", 5.0), ("a", 2.0)]]), [(1, 1)]);
    assert_eq!((bench.stored(1), bench.stored(2)), (4, 0));
    // Another item's panic does not bring it back.
    assert_eq!(bench.take(&[&[("c", POISON)]]), [(0, 1)]);
    assert_eq!(bench.take(&[&[("b", 5.0), ("c", 2.0)]]), [(1, 1)]);
    assert_eq!(bench.error("b").as_deref(), Some(ASIDE));
    assert_eq!(registry.value("saker_shard_quarantined_total", None), Some(1.0));
    bench.assert_as_the_journal_says();
    // With another configuration it gets all its tries again.
    bench.configure();
    assert_eq!(bench.take(&[&[("b", 5.0)]]), [(1, 0)]);
    assert_eq!((bench.error("b"), bench.stored(2)), (None, 1));
    assert_eq!(bench.take(&[&[("b", POISON)]]), [(0, 1)]);
    assert_eq!(bench.take(&[&[("b", 6.0)]]), [(1, 0)]);
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn an_item_that_breaks_a_step_now_and_then_is_not_quarantined() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    for _ in 0..4 {
        assert_eq!(bench.take(&[&[("b", POISON)]]), [(0, 1)]);
        assert_eq!(bench.take(&[&[("b", 1.0)]]), [(1, 0)]);
        bench.pass(1_801);
    }
    assert!(registry.value("saker_shard_quarantined_total", None).is_none_or(|it| it < 0.5));
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn a_calculated_item_that_breaks_steps_is_not_calculated_any_more() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.take(&[&[("a", 4.0)]]);
    bench.pass(10);
    for _ in 0..3 {
        FAILING.set(2);
        bench.pass(10);
    }
    assert_eq!((bench.stored(6), bench.error("copy").as_deref()), (1, Some(ASIDE)));
    for _ in 0..5 {
        bench.pass(10);
    }
    assert_eq!(bench.stored(6), 1);
    assert_eq!(bench.take(&[&[("a", 5.0)]]), [(1, 0)]);
    bench.assert_as_the_journal_says();
    bench.configure();
    bench.pass(10);
    assert_eq!((bench.stored(6), bench.error("copy")), (2, None));
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn a_deleted_item_gives_back_the_room_of_its_newest_values() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    assert_eq!(bench.take(&[&[("a", 1.0), ("b", 2.0), ("c", 3.0)]]), [(3, 0)]);
    let n_series = |bench: &Bench| bench.history.n_series_in_memory();
    assert_eq!((n_series(&bench), bench.stored(2), bench.stored(3)), (3, 1, 1));
    bench.configure_with(|host| host.items.retain(|it| it.id != ItemId(2)));
    assert_eq!((n_series(&bench), bench.stored(2), bench.stored(3)), (2, 0, 1));
    assert_eq!(bench.take(&[&[("c", 4.0)]]), [(1, 0)]);
    assert_eq!((n_series(&bench), bench.stored(3)), (2, 2));
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn values_that_wait_for_a_worker_end_with_their_item() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let values = [1.0, 2.0, 3.0, 4.0, 5.0].map(|it| ("script", it));
    assert_eq!(bench.take(&[&values]), [(5, 0)]);
    for _ in 0..3 {
        let job = workers::next(&bench.jobs).expect("a job");
        FAILING.set(1);
        bench.thread.message(ShardMessage::HeavyDone(answer(&job)));
    }
    assert_eq!(bench.error("script").as_deref(), Some(ASIDE));
    assert_eq!(bench.thread.shard.sizes().values_pending, 0);
    assert!(workers::next(&bench.jobs).is_none(), "nothing of it runs any more");
    assert_eq!(bench.take(&[&[("script", 6.0)]]), [(0, 1)]);
    bench.assert_as_the_journal_says();
    tasks.shutdown().cancel();
}

fn figure(registry: &Registry, name: &str) -> Option<f64> {
    registry.value(name, None)
}

#[tokio::test]
async fn a_broken_program_of_many_items_costs_few_rebuilds() {
    const N_ITEMS: u64 = 500;
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let key = |n: u64| format!("m[{n}]");
    bench.configure_with(|host| {
        for n in 0..N_ITEMS {
            host.items.push(ItemRow {
                id: ItemId(1_000 + n),
                source: ItemId::NONE,
                content: Arc::new(with_step(&key(n), Step::Multiplier, "1")),
                extra: None,
                flags: ItemFlags::Plain,
            });
        }
    });
    let keys: Vec<String> = (0..N_ITEMS).map(key).collect();
    for _round in 0..3 {
        let mut rows: Vec<(&str, f64)> = keys.iter().map(|it| (it.as_str(), POISON)).collect();
        rows.push(("a", 1.0));
        assert_eq!(bench.take(&[&rows]), [(1, u32::try_from(N_ITEMS).expect("small"))]);
    }
    // The batch, and the values of three items.
    assert_eq!(figure(&registry, "saker_shard_rebuilds_total"), Some(4.0));
    assert_eq!(figure(&registry, "saker_shard_quarantined_total"), Some(500.0));
    let why = "Internal error while processing values of 3 items with the same preprocessing: values \
               are refused until the configuration of the host changes or the server is restarted.";
    assert_eq!(bench.error(&key(0)).as_deref(), Some(why));
    assert_eq!(bench.error(&key(N_ITEMS - 1)).as_deref(), Some(why));
    assert_eq!((bench.error("a"), bench.error("change"), bench.stored(1)), (None, None, 1));
    // Another program goes on.
    assert_eq!(bench.take(&[&[("change", 1.0), ("b", 2.0)]]), [(2, 0)]);
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn items_without_a_common_program_are_quarantined_at_once_when_there_are_too_many_rebuilds() {
    const N_ITEMS: u64 = 60;
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.configure_with(|host| {
        for n in 0..N_ITEMS {
            host.items.push(ItemRow {
                id: ItemId(1_000 + n),
                source: ItemId::NONE,
                content: Arc::new(float(&format!("m[{n}]"))),
                extra: None,
                flags: ItemFlags::Plain,
            });
        }
    });
    let keys: Vec<String> = (0..N_ITEMS).map(|n| format!("m[{n}]")).collect();
    let rows: Vec<(&str, f64)> = keys.iter().map(|it| (it.as_str(), POISON)).collect();
    for _round in 0..5 {
        bench.take(&[&rows]);
    }
    // Each round costs one more for its batch, as long as items fail; three times each would be 180.
    let n = figure(&registry, "saker_shard_rebuilds_total");
    assert!(n.is_some_and(|it| it <= 60.0 + 20.0 + 3.0), "{n:?}");
    assert_eq!(figure(&registry, "saker_shard_quarantined_total"), Some(60.0));
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn values_that_make_too_large_a_record_come_in_smaller_parts() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let text = |key: &str| ItemContent { value_type: ValueType::Text, ..float(key) };
    bench.configure_with(|host| {
        for n in 0..31 {
            let mut content = text(&format!("t[{n}]"));
            if n != 0 {
                content.kind = ItemType::Dependent;
                content.master_itemid = ItemId(1_000);
            }
            host.items.push(ItemRow {
                id: ItemId(1_000 + n),
                source: ItemId::NONE,
                content: Arc::new(content),
                extra: None,
                flags: ItemFlags::Plain,
            });
        }
    });
    let target = bench.directory.lookup("host", "t[0]").expect("configured");
    let long = "x".repeat(60_000);
    for round in 0..3 {
        // 2.4 MB, stored 31 times: 75 MB.
        let mut batch = Batch::of_epoch(bench.directory.epoch());
        for n in 0..40 {
            let time = Time::from_clock(NOW - 1_000 + round * 100 + n, 0);
            batch.push(target.slot, time, RawRef::Text(&long)).expect("room");
        }
        batch.runs.extend([10, 40].map(|end| Run { end }));
        bench.thread.delivery(Delivery { batch, ..Delivery::default() });
        let runs = bench.thread.effects.runs.iter().map(|it| (it.processed, it.failed));
        assert_eq!(runs.collect::<Vec<_>>(), [(10, 0), (30, 0)]);
    }
    let figure = |name| figure(&registry, name);
    assert_eq!(figure("saker_shard_too_large_total"), Some(1.0), "it is known from then on");
    assert_eq!(figure("saker_shard_rebuilds_total"), Some(1.0));
    for name in ["saker_shard_panics_total", "saker_shard_skipped_total"] {
        assert!(figure(name).is_none_or(|it| it < 0.5), "{name}");
    }
    let query = history::RangeQuery {
        item: ItemId(1_030),
        kind: ValueType::Text,
        from: Time(i64::MIN),
        till: Time::MAX,
        limit: 1_000,
        newest_first: false,
    };
    let found = history::Store::range(&bench.history, &query).expect("readable");
    assert_eq!(found.into_samples().len(), 120);
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn a_sessions_mark_is_in_the_record_of_its_values_also_when_a_step_fails() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let sessions: Arc<Sessions> = Arc::default();
    let token = "0123456789abcdef0123456789abcdef";
    let now = bench.thread.shared.clock.wall();
    let claim = Arc::new(sessions.claim(HostId(7), token, now).await.expect("a token"));
    let ingress = bench.thread.shared.mailboxes.ingress.clone();
    let mut request = ingress.request(bench.directory.epoch());
    for (id, value) in [(1_u32, 1.0), (2, 2.0), (3, POISON), (4, 4.0)] {
        let found = bench.directory.lookup("host", "a").expect("configured");
        let to = ingress::Target { shard: found.shard, slot: found.slot };
        let time = Time::from_clock(NOW - 10 + i64::from(id), 0);
        request.push(to, time, RawRef::Float(value)).expect("room");
        request.mark(to, &claim, id.into());
    }
    drop(claim);
    let submitted = tokio::spawn(async move {
        let mut submission = ingress.submission();
        submission.add(request, ingress::Last::No).await?;
        submission.wait().await
    });
    let delivery = bench.thread.deliveries.receive().await.expect("a delivery");
    assert!(sessions.all().is_empty(), "nothing is written");
    let from = bench.thread.shared.journal.next_lsn();
    bench.thread.delivery(delivery);
    let outcome = submitted.await.expect("no panic").expect("written");
    assert_eq!((outcome.processed, outcome.failed), (3, 1));
    assert_eq!(sessions.all().iter().map(|it| it.last_id).collect::<Vec<_>>(), [4]);
    let (mut seen, journal) = (Vec::new(), &bench.thread.shared.journal);
    let pause = rt::shutdown::Shutdown::new();
    replay::each_record(journal, (from, journal.next_lsn()), &pause, |view, _| {
        let n_values = view.n_values();
        for mark in view.watermarks().flatten() {
            if let model::record::Watermark::Session { last_id, .. } = mark {
                seen.push((last_id, n_values));
            }
        }
        Ok(())
    })
    .expect("readable");
    // Each with its value; the one that failed left its item unsupported.
    assert_eq!(seen, [(1, 1), (2, 1), (3, 0), (4, 1)]);
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn temporarily_unreadable_record_is_in_the_rebuilt_shard() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.take(&[&[("change", 10.0)]]);
    bench.disk.fail_reads(3);
    assert_eq!(bench.take(&[&[("a", 1.0), ("change", 13.0), ("b", POISON)]]), [(2, 1)]);
    // Its memory of 10 came from a record that could not be read at first.
    assert_eq!(bench.values(4), [3.0]);
    bench.assert_as_the_journal_says();
    tasks.shutdown().cancel();
}
