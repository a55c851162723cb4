//! A shard's thread when a step fails.

use model::content::{HostStatus, ItemContent, ItemFlags, ItemType};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot};
use model::{HostId, Time, ValueType};
use pipeline::{BuilderSettings, Directory, DirectoryBuilder, Live, Query, ShardSettings};
use rt::metrics::Registry;
use rt::queue::{self, WhenFull};
use rt::task::Tasks;

use super::*;

/// The value whose processing has a bug.
const POISON: f64 = 66.6;
const NOW: i64 = 1_790_000_000;

/// Stands for a bug in a step.
pub(super) fn fail_on_poison(input: &Input<'_>) {
    if let Input::Batch(batch) = input {
        let is_poison = |row| batch.value(row) == RawRef::Float(POISON);
        assert!(!(0..batch.len()).any(is_poison), "a bug of a step");
    }
}

/// A host with float items `a`, `b`, `c` of ids 1, 2, 3.
fn snapshot() -> Arc<Snapshot> {
    let item = |(id, key): (u64, &str)| ItemRow {
        id: ItemId(id),
        source: ItemId::NONE,
        content: Arc::new(ItemContent {
            key_: key.to_owned(),
            kind: ItemType::Trapper,
            value_type: ValueType::Float,
            ..ItemContent::default()
        }),
        extra: None,
        flags: ItemFlags::Plain,
    };
    let host = Host {
        id: HostId(7),
        kind: HolderKind::Host,
        host: "host".into(),
        name: "host".into(),
        status: HostStatus::Monitored,
        description: String::new(),
        uuid: String::new(),
        groups: Vec::new(),
        template_groups: Vec::new(),
        templates: Vec::new(),
        interfaces: Vec::new(),
        macros: Vec::new(),
        tags: Vec::new(),
        valuemaps: Vec::new(),
        inventory_mode: -1,
        items: [(1, "a"), (2, "b"), (3, "c")].map(item).into(),
        triggers: Vec::new(),
    };
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    snapshot.item_runs.insert(ItemId(1), (ItemId(3), host.id));
    snapshot.host_by_name.insert("host".into(), host.id);
    snapshot.hosts.insert(host.id, Arc::new(host));
    Arc::new(snapshot)
}

struct Bench {
    thread: ShardThread,
    directory: Arc<Directory>,
    live: Live,
    history: history::Embedded,
    _dir: tempfile::TempDir,
}

fn bench(tasks: &Tasks, registry: &Registry) -> Bench {
    let clock = Clock::manual(Time::from_clock(NOW, 0));
    let dir = tempfile::tempdir().expect("a folder");
    let disk = Arc::new(disk::OsDisk);
    let (journal, _) = Journal::open(
        Arc::clone(&disk) as _,
        &dir.path().join("journal"),
        journal::Settings::default(),
    )
    .expect("opens");
    let settings = (history::Settings::default(), registry);
    let (history, _) =
        history::Embedded::open(disk, &dir.path().join("history"), journal.clone(), 1, settings)
            .expect("opens");
    history.replay().expect("empty");
    let (ingress, mut deliveries) = Ingress::open(1, &clock, registry, tasks);
    let (queue, internal) =
        queue::bounded("internal", INTERNAL_MAX, WhenFull::Block, &clock, registry);
    let (fetches, _) = queue::bounded("fetches", 8, WhenFull::Refuse, &clock, registry);
    let (jobs, _) = queue::bounded("jobs", 8, WhenFull::Refuse, &clock, registry);
    let (gathers, _) = queue::bounded("gathers", 8, WhenFull::Refuse, &clock, registry);
    let mut builder = DirectoryBuilder::new(BuilderSettings {
        n_shards: 1,
        hash_seed: 1,
        zone: jiff::tz::TimeZone::UTC,
    });
    let (directory, mut plans) = builder.apply(&snapshot(), &model::snapshot::Delta::default());
    let live = Live::new(1);
    let zone = jiff::tz::TimeZone::UTC;
    let mut shard = Shard::new(ShardSettings { shard: 0, n_shards: 1, zone }, &live);
    shard.configure(plans.remove(0), clock.now(), &mut Effects::default());
    let metrics = ShardMetrics::register(registry);
    let thread = ShardThread {
        number: 0,
        shard,
        n_shards: 1,
        deliveries: deliveries.remove(0),
        internal,
        head: history.writer(0),
        effects: Effects::default(),
        record: RecordBuilder::new(),
        outbox: VecDeque::new(),
        barriers: Vec::new(),
        questions: VecDeque::new(),
        wide_questions: VecDeque::new(),
        heavy: VecDeque::new(),
        pending: PendingFigures::new(&metrics, "0"),
        values: metrics.values_total.of("0"),
        busy_ns: metrics.busy_ns_total.of("0"),
        kinds: Kinds::new(&metrics),
        shared: Shared {
            journal,
            sync_each: false,
            lanes: Lanes { queues: Arc::new([queue]), ingress },
            fetches,
            jobs,
            gathers,
            sessions: Arc::default(),
            events: Wake::default(),
            discovery: Wake::default(),
            clock,
            metrics,
            stop: Shutdown::new(),
            drained: Arc::default(),
            states: Arc::default(),
        },
    };
    Bench { thread, directory, live, history, _dir: dir }
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
        self.thread.delivery(&Delivery { batch, ..Delivery::default() });
        self.thread.effects.runs.iter().map(|it| (it.processed, it.failed)).collect()
    }

    fn stored(&self, item: u64) -> usize {
        let query = history::RangeQuery {
            item: ItemId(item),
            kind: ValueType::Float,
            from: Time(i64::MIN),
            till: Time::MAX,
            limit: 100,
            newest_first: false,
        };
        history::Store::range(&self.history, &query).expect("readable").into_samples().len()
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
    let thread = &mut bench.thread;
    thread.effects.clear();
    thread.shard.start(thread.shared.clock.now(), &mut thread.effects);
    thread.commit(&[]);

    let runs = bench.take(&[&[("a", 1.0), ("b", POISON)], &[("a", 2.0), ("c", 3.0)]]);
    assert_eq!(runs, [(1, 1), (2, 0)], "what senders are told");
    assert_eq!((bench.stored(1), bench.stored(2), bench.stored(3)), (2, 0, 1));
    let reason = "internal error while processing the value";
    assert_eq!(bench.error("b").as_deref(), Some(reason));
    assert_eq!((bench.error("a"), bench.error("c")), (None, None));
    assert_eq!(registry.value("saker_shard_panics_total", None), Some(1.0));
    let pipeline::Reply::Items(unsupported) = bench.thread.shard.read(&Query::Unsupported) else {
        panic!("items were asked for");
    };
    assert_eq!(unsupported.iter().map(|it| it.0).collect::<Vec<_>>(), [ItemId(2)]);

    assert_eq!(bench.take(&[&[("b", 5.0)]]), [(1, 0)]);
    assert_eq!((bench.error("b"), bench.stored(2)), (None, 1));
    tasks.shutdown().cancel();
}
