//! The cost of a value in a shard, and of building a configuration.
//!
//! `cargo bench -p pipeline` prints times per batch of 1,000 values; divide by 1,000. As part of the
//! tests every benchmark runs once, on little, so that it can't rot.

use std::sync::Arc;

use directory::{BuilderSettings, Directory, DirectoryBuilder};
use divan::Bencher;
use divan::counter::ItemsCount;
use jiff::tz::TimeZone;
use model::batch::{Batch, RawRef, Run};
use model::content::{
    FunctionRef, ItemContent, ItemFlags, ItemType, PreprocStep, Step, TriggerContent,
};
use model::record::RecordBuilder;
use model::snapshot::{Delta, HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::{EventId, HostId, ItemId, Now, Time, TriggerId, ValueType};
use pipeline::{Effects, Input, LiveTable, Shard, ShardSettings};

const START: i64 = 1_767_225_600;
const ITEMS: u64 = 100;
const BATCH: usize = 1_000;
/// Hosts of a configuration that is built.
const HOSTS: [u64; 2] = [100, 10_000];

/// Cargo says so where it measures.
fn is_bench() -> bool {
    std::env::args().any(|it| it == "--bench")
}

/// The large one is for measurements alone: a debug build takes seconds for it.
fn hosts() -> &'static [u64] {
    if is_bench() { &HOSTS } else { &HOSTS[..1] }
}

fn main() {
    divan::main();
}

#[derive(Clone, Copy, PartialEq)]
enum Setup {
    Plain,
    Multiplier,
    /// A multiplier, and 20 of 100 items have a threshold trigger.
    Triggers,
    /// As `Triggers`, with an average over five minutes instead of the last value.
    Windows,
}

fn holder(id: u64, name: &str, kind: HolderKind) -> Host {
    Host::new(HostId(id), kind, name.into(), name.into())
}

/// One template of 100 items linked to so many hosts.
fn snapshot(n_hosts: u64, kind: Setup) -> Snapshot {
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    let mut template = holder(1, "template", HolderKind::Template);
    for i in 0..ITEMS {
        let steps = if kind == Setup::Plain { "" } else { "0.001" };
        let content = ItemContent {
            key_: format!("metric.number[{i}]"),
            name: format!("Metric {i}"),
            kind: ItemType::Trapper,
            value_type: ValueType::Float,
            preprocessing: (!steps.is_empty())
                .then(|| PreprocStep {
                    kind: Step::Multiplier,
                    params: steps.to_owned(),
                    error_handler: model::content::OnFail::Default,
                    error_handler_params: String::new(),
                })
                .into_iter()
                .collect(),
            ..ItemContent::default()
        };
        template.items.push(ItemRow {
            id: ItemId(1_000 + i),
            source: ItemId::NONE,
            content: Arc::new(content),
            extra: None,
            flags: ItemFlags::Plain,
        });
        let (function, parameter) =
            if kind == Setup::Windows { ("avg", "$,5m") } else { ("last", "$") };
        if i % 5 == 0 && matches!(kind, Setup::Triggers | Setup::Windows) {
            template.triggers.push(TriggerRow {
                id: TriggerId(1_000 + i),
                source: TriggerId::NONE,
                content: Arc::new(TriggerContent {
                    description: format!("Metric {i} is too high"),
                    expression: "{0}>1000000".to_owned(),
                    functions: vec![FunctionRef {
                        item: ItemId(1_000 + i),
                        function: function.to_owned(),
                        parameter: parameter.to_owned(),
                    }],
                    ..TriggerContent::default()
                }),
                extra: None,
                flags: ItemFlags::Plain,
            });
        }
    }
    snapshot.item_runs.insert(ItemId(1_000), (ItemId(1_999), template.id));
    snapshot.trigger_runs.insert(TriggerId(1_000), (TriggerId(1_999), template.id));
    let template = Arc::new(template);
    for n in 0..n_hosts {
        let first = 1_000_000 + n * 1_000;
        let mut host = holder(first, &format!("host-{n:06}"), HolderKind::Host);
        host.templates.push(template.id);
        host.items = (0..)
            .zip(&template.items)
            .map(|(i, it)| ItemRow { id: ItemId(first + i), source: it.id, ..it.clone() })
            .collect();
        host.triggers = (0..)
            .zip(&template.triggers)
            .map(|(i, it)| TriggerRow { id: TriggerId(first + i), source: it.id, ..it.clone() })
            .collect();
        snapshot.item_runs.insert(ItemId(first), (ItemId(first + 999), host.id));
        snapshot.trigger_runs.insert(TriggerId(first), (TriggerId(first + 999), host.id));
        snapshot.host_by_name.insert(Arc::clone(&host.host), host.id);
        snapshot.hosts.insert(host.id, Arc::new(host));
    }
    snapshot.templates.insert(template.id, template);
    snapshot
}

struct World {
    directory: Arc<Directory>,
    shard: Shard,
    effects: Effects,
    second: i64,
    event: u64,
}

fn now(second: i64) -> Now {
    Now {
        wall: Time::from_clock(START + second, 0),
        mono_ns: u64::try_from(second).expect("positive") * 1_000_000_000,
    }
}

fn world(n_hosts: u64, kind: Setup) -> World {
    let mut builder =
        DirectoryBuilder::new(BuilderSettings { n_shards: 1, hash_seed: 5, zone: TimeZone::UTC });
    let snapshot = Arc::new(snapshot(n_hosts, kind));
    let (directory, mut plans) = builder.apply(&snapshot, &Delta::default());
    let live = LiveTable::new(1);
    let settings = ShardSettings { shard: 0, n_shards: 1, zone: TimeZone::UTC };
    let mut shard = Shard::new(settings, &live);
    let mut effects = Effects::default();
    shard.configure(plans.remove(0), now(0), &mut effects);
    effects.clear();
    shard.start(now(0), &mut effects);
    World { directory, shard, effects, second: 0, event: 1 }
}

/// All items once, cut into batches: host by host, or in random order.
fn batches(world: &World, grouped: bool) -> Vec<Batch> {
    let mut slots: Vec<u32> = world
        .directory
        .hosts()
        .flat_map(|it| it.items().map(|it| it.target.slot).collect::<Vec<_>>())
        .collect();
    if !grouped {
        let mut random = 88_172_645_463_325_252_u64;
        for at in (1..slots.len()).rev() {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let other = usize::try_from(random % (at as u64 + 1)).expect("small");
            slots.swap(at, other);
        }
    }
    slots
        .chunks(BATCH)
        .map(|chunk| {
            let mut batch = Batch::default();
            batch.epoch = 1;
            for (at, slot) in (0_u32..).zip(chunk) {
                let text = format!("{}.{}", 1_000 + slot % 977, at % 10);
                batch.push(*slot, Time::ZERO, RawRef::Text(&text)).expect("room");
            }
            batch.runs.push(Run { end: u32::try_from(chunk.len()).expect("small") });
            batch
        })
        .collect()
}

fn run(bencher: Bencher<'_, '_>, kind: Setup, grouped: bool, with_record: bool) {
    let mut world = world(if is_bench() { 1_000 } else { 100 }, kind);
    let mut batches = batches(&world, grouped);
    let mut record = RecordBuilder::new();
    let mut at = 0;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        if at == batches.len() {
            at = 0;
            world.second += 30;
        }
        let batch = &mut batches[at];
        at += 1;
        let time = Time::from_clock(START + world.second, 0);
        batch.times.iter_mut().for_each(|it| *it = time);
        world.effects.clear();
        world.shard.step(now(world.second), Input::Batch(batch), &mut world.effects);
        if with_record {
            world.shard.encode(&world.effects, &mut record);
            divan::black_box(record.finish());
        }
        world.shard.committed(1, EventId(world.event), &mut world.effects);
        world.event += world.effects.events.len() as u64;
        assert_eq!(world.effects.values.len(), BATCH);
    });
}

#[divan::bench(args = [true, false])]
fn step_plain(bencher: Bencher<'_, '_>, grouped: bool) {
    run(bencher, Setup::Plain, grouped, false);
}

#[divan::bench(args = [true, false])]
fn step_multiplier(bencher: Bencher<'_, '_>, grouped: bool) {
    run(bencher, Setup::Multiplier, grouped, false);
}

#[divan::bench(args = [true, false])]
fn step_multiplier_triggers(bencher: Bencher<'_, '_>, grouped: bool) {
    run(bencher, Setup::Triggers, grouped, false);
}

#[divan::bench(args = [true, false])]
fn step_multiplier_windows(bencher: Bencher<'_, '_>, grouped: bool) {
    run(bencher, Setup::Windows, grouped, false);
}

#[divan::bench(args = [true, false])]
fn step_multiplier_triggers_record(bencher: Bencher<'_, '_>, grouped: bool) {
    run(bencher, Setup::Triggers, grouped, true);
}

#[divan::bench(args = [true, false])]
fn lookup(bencher: Bencher<'_, '_>, grouped: bool) {
    let n_hosts = if is_bench() { 1_000 } else { 100 };
    let world = world(n_hosts, Setup::Plain);
    let mut names: Vec<(String, String)> = (0..n_hosts)
        .flat_map(|host| {
            (0..ITEMS).map(move |i| (format!("host-{host:06}"), format!("metric.number[{i}]")))
        })
        .collect();
    if !grouped {
        let n = names.len();
        for at in 0..n {
            names.swap(at, (at * 7_919) % n);
        }
    }
    let mut out = Vec::new();
    let mut at = 0;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        out.clear();
        let rows = names[at..at + BATCH].iter().map(|it| (it.0.as_str(), it.1.as_str()));
        world.directory.lookup_batch(rows, &mut out);
        assert!(out.iter().all(Option::is_some));
        at = (at + BATCH) % names.len();
    });
}

fn builder() -> DirectoryBuilder {
    DirectoryBuilder::new(BuilderSettings { n_shards: 2, hash_seed: 5, zone: TimeZone::UTC })
}

#[divan::bench(args = hosts(), sample_count = 3, sample_size = 1)]
fn build(bencher: Bencher<'_, '_>, n_hosts: u64) {
    let snapshot = Arc::new(snapshot(n_hosts, Setup::Triggers));
    bencher.with_inputs(builder).bench_local_values(|mut builder| {
        let built = builder.apply(&snapshot, &Delta::default());
        (builder, built)
    });
}

#[divan::bench(args = hosts(), sample_count = 3, sample_size = 1)]
fn configure_shard(bencher: Bencher<'_, '_>, n_hosts: u64) {
    let snapshot = Arc::new(snapshot(n_hosts, Setup::Triggers));
    bencher
        .with_inputs(|| {
            let live = LiveTable::new(1);
            let settings = ShardSettings { shard: 0, n_shards: 1, zone: TimeZone::UTC };
            let mut builder = DirectoryBuilder::new(BuilderSettings {
                n_shards: 1,
                hash_seed: 5,
                zone: TimeZone::UTC,
            });
            let (_, mut plans) = builder.apply(&snapshot, &Delta::default());
            (Shard::new(settings, &live), plans.remove(0))
        })
        .bench_local_values(|(mut shard, plan)| {
            shard.configure(plan, now(0), &mut Effects::default());
            shard
        });
}

#[divan::bench(args = hosts())]
fn one_host_changes(bencher: Bencher<'_, '_>, n_hosts: u64) {
    let mut snapshot = snapshot(n_hosts, Setup::Triggers);
    let mut builder = builder();
    let (_directory, _plans) = builder.apply(&Arc::new(snapshot.clone()), &Delta::default());
    let id = HostId(1_000_000);
    bencher.bench_local(|| {
        snapshot.epoch += 1;
        let mut host = Host::clone(&snapshot.hosts[&id]);
        let content = ItemContent::clone(&host.items[3].content);
        host.items[3].content = Arc::new(content);
        snapshot.hosts.insert(id, Arc::new(host));
        let delta = Delta { epoch: snapshot.epoch, hosts_changed: vec![id], ..Delta::default() };
        builder.apply(&Arc::new(snapshot.clone()), &delta)
    });
}

#[divan::bench(args = hosts(), sample_count = 3, sample_size = 1)]
fn a_template_changes(bencher: Bencher<'_, '_>, n_hosts: u64) {
    let mut snapshot = snapshot(n_hosts, Setup::Triggers);
    let mut builder = builder();
    let (_directory, _plans) = builder.apply(&Arc::new(snapshot.clone()), &Delta::default());
    // All hosts get one new content: the cost of the snapshot itself is not counted.
    let content = Arc::new(ItemContent { units: "B".to_owned(), ..ItemContent::default() });
    let ids: Vec<HostId> = snapshot.hosts.keys().copied().collect();
    for id in &ids {
        let mut host = Host::clone(&snapshot.hosts[id]);
        host.items[3].content = Arc::clone(&content);
        snapshot.hosts.insert(*id, Arc::new(host));
    }
    let snapshot = Arc::new(snapshot);
    let delta = Delta {
        epoch: 2,
        hosts_changed: ids,
        templates_changed: vec![HostId(1)],
        ..Delta::default()
    };
    bencher.bench_local(|| builder.apply(&snapshot, &delta));
}
