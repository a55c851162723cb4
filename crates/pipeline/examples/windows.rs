//! What windows cost: 100,000 items with a value each minute, for an hour, without triggers and with
//! five triggers each (avg, max and count over 5 to 60 minutes).
//!
//! `cargo run --release -p pipeline --example windows` prints processor time a value and memory an
//! item. Processor time, because other programs run meanwhile.

use std::sync::Arc;

use jiff::tz::TimeZone;
use model::batch::{Batch, RawRef, Run};
use model::content::{FunctionRef, HostStatus, ItemContent, ItemFlags, ItemType, TriggerContent};
use model::snapshot::{Delta, HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::{EventId, HostId, ItemId, Now, Time, TriggerId, ValueType};
use pipeline::{BuilderSettings, DirectoryBuilder, Effects, Input, Live, Shard, ShardSettings};

const START: i64 = 1_767_225_600;
const ITEMS: u64 = 100;
const N_HOSTS: u64 = 1_000;
const FUNCTIONS: [(&str, &str); 5] = [
    ("avg", "$,5m"),
    ("max", "$,15m"),
    ("count", "$,30m,\"gt\",900"),
    ("avg", "$,1h"),
    ("max", "$,1h"),
];

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn main() {
    let plain = run(false);
    let windows = run(true);
    println!("without triggers: {:.0} ns a value, {:.0} bytes an item", plain.ns, plain.bytes);
    println!("with five windows: {:.0} ns a value, {:.0} bytes an item", windows.ns, windows.bytes);
    println!("more: {:.0} ns a value", windows.ns - plain.ns);
}

struct Cost {
    ns: f64,
    bytes: f64,
}

/// Bytes of this process in memory, and its processor time in hundredths of a second.
fn process() -> (f64, f64) {
    let read = |path| std::fs::read_to_string(path).expect("a file of /proc");
    let number = |text: &str, at: usize| -> f64 {
        text.split(' ').nth(at).and_then(|it| it.parse().ok()).expect("a number")
    };
    let stat = read("/proc/self/stat");
    let behind_name = stat.rsplit(") ").next().expect("a name");
    let pages = number(&read("/proc/self/statm"), 1);
    (pages * 4_096.0, number(behind_name, 11) + number(behind_name, 12))
}

fn run(has_triggers: bool) -> Cost {
    let snapshot = Arc::new(snapshot(has_triggers));
    let mut builder =
        DirectoryBuilder::new(BuilderSettings { n_shards: 1, hash_seed: 1, zone: TimeZone::UTC });
    let (directory, mut plans) = builder.apply(&snapshot, &Delta::default());
    let live = Live::new(1);
    let mut shard = Shard::new(ShardSettings { shard: 0, n_shards: 1, zone: TimeZone::UTC }, &live);
    let mut effects = Effects::default();
    let now = |minute: i64| Now {
        wall: Time::from_clock(START + minute * 60, 0),
        mono_ns: u64::try_from(minute).expect("positive") * 60_000_000_000 + 1,
    };
    shard.configure(plans.remove(0), now(0), &mut effects);
    shard.start(now(0), &mut effects);
    let slots: Vec<u32> =
        directory.hosts().flat_map(|it| it.items()).map(|it| it.target.slot).collect();
    let (bytes_before, _) = process();
    // Windows fill in the first hour; the second one is measured.
    let mut ticks = 0.0;
    let mut batch = Batch::of_epoch(directory.epoch());
    for minute in 1..=120 {
        let (_, before) = process();
        for chunk in slots.chunks(1_000) {
            batch.clear();
            for slot in chunk {
                let value = f64::from(slot.wrapping_mul(2_654_435_761) >> 22);
                let value = value + f64::from(i32::try_from(minute % 7).expect("small"));
                batch.push(*slot, now(minute).wall, RawRef::Float(value)).expect("room");
            }
            batch.runs.push(Run { end: 1_000 });
            effects.clear();
            shard.step(now(minute), Input::Batch(&batch), &mut effects);
            shard.committed(1, EventId(1), &mut effects);
        }
        if 60 < minute {
            ticks += process().1 - before;
        }
    }
    let n_items = f64::from(u32::try_from(slots.len()).expect("some"));
    let (bytes_after, _) = process();
    Cost { ns: ticks * 1e7 / (n_items * 60.0), bytes: (bytes_after - bytes_before) / n_items }
}

fn holder(id: u64, name: &str, kind: HolderKind) -> Host {
    Host {
        id: HostId(id),
        kind,
        host: name.into(),
        name: name.into(),
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
        items: Vec::new(),
        triggers: Vec::new(),
    }
}

/// One template linked to all hosts.
fn snapshot(has_triggers: bool) -> Snapshot {
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    let mut template = holder(1, "template", HolderKind::Template);
    for i in 0..ITEMS {
        let content = ItemContent {
            key_: format!("metric[{i}]"),
            name: format!("Metric {i}"),
            kind: ItemType::Trapper,
            value_type: ValueType::Float,
            ..ItemContent::default()
        };
        let id = ItemId(1_000 + i);
        let (source, flags) = (ItemId::NONE, ItemFlags::Plain);
        template.items.push(ItemRow { id, source, content: Arc::new(content), extra: None, flags });
        for (at, (function, parameter)) in (0..).zip(FUNCTIONS).filter(|_| has_triggers) {
            let function = FunctionRef {
                item: id,
                function: function.to_owned(),
                parameter: parameter.to_owned(),
            };
            let content = TriggerContent {
                description: format!("Metric {i} is too high"),
                expression: "{0}>100000".to_owned(),
                functions: vec![function],
                ..TriggerContent::default()
            };
            let (id, source) = (TriggerId(2_000 + i * 5 + at), TriggerId::NONE);
            let content = Arc::new(content);
            template.triggers.push(TriggerRow { id, source, content, extra: None, flags });
        }
    }
    snapshot.item_runs.insert(ItemId(1_000), (ItemId(1_999), template.id));
    snapshot.trigger_runs.insert(TriggerId(2_000), (TriggerId(2_999), template.id));
    let template = Arc::new(template);
    for n in 0..N_HOSTS {
        let first = 1_000_000 + n * 1_000;
        let mut host = holder(first, &format!("host-{n:06}"), HolderKind::Host);
        host.templates.push(template.id);
        host.items = (0..)
            .zip(&template.items)
            .map(|(at, it)| ItemRow { id: ItemId(first + at), source: it.id, ..it.clone() })
            .collect();
        host.triggers = (0..)
            .zip(&template.triggers)
            .map(|(at, it)| TriggerRow { id: TriggerId(first + at), source: it.id, ..it.clone() })
            .collect();
        snapshot.item_runs.insert(ItemId(first), (ItemId(first + 999), host.id));
        snapshot.trigger_runs.insert(TriggerId(first), (TriggerId(first + 999), host.id));
        snapshot.host_by_name.insert(Arc::clone(&host.host), host.id);
        snapshot.hosts.insert(host.id, Arc::new(host));
    }
    snapshot.templates.insert(template.id, template);
    snapshot
}
