//! The cost of windows: 100,000 items with a value each minute, for two hours, without triggers and
//! with five triggers each (avg, max and count over 5 to 60 minutes); values come host by host, and
//! in another random order each minute.
//!
//! `cargo bench -p pipeline --bench windows` prints processor time a value and memory an
//! item. Processor time, because other programs run meanwhile. As part of the tests it runs with 1,000 items.

use std::sync::Arc;

use directory::{BuilderSettings, DirectoryBuilder};
use jiff::tz::TimeZone;
use model::batch::{Batch, RawRef, Run};
use model::content::{FunctionRef, ItemContent, ItemFlags, ItemType, TriggerContent};
use model::snapshot::{Delta, HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::{EventId, HostId, ItemId, Now, Time, TriggerId, ValueType};
use pipeline::{Effects, Input, LiveTable, Shard, ShardSettings};

const START: i64 = 1_767_225_600;
const ITEMS: u64 = 100;
const N_HOSTS: u64 = 1_000;
/// As part of the tests.
const N_HOSTS_TEST: u64 = 10;
/// A function, and comparisons that no value comes near and that values lie around of. Neither holds.
const FUNCTIONS: [(&str, &str, &str, &str); 5] = [
    ("avg", "$,5m", "{0}>100000", "{0}>990"),
    ("max", "$,15m", "{0}>100000", "{0}<200"),
    ("count", "$,30m,\"gt\",900", "{0}>100000", "{0}>28"),
    ("avg", "$,1h", "{0}>100000", "{0}>900"),
    ("max", "$,1h", "{0}>100000", "{0}<200"),
];

/// Each run is a process of its own, so that memory is its own.
#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [triggers, order, n_hosts] = arguments.as_slice() {
        let cost = run(triggers, order, n_hosts.parse().expect("a number"));
        println!("{} {}", cost.ns, cost.bytes);
        return;
    }
    // Cargo says so where it measures.
    let is_bench = arguments.iter().any(|it| it == "--bench");
    let n_hosts = if is_bench { N_HOSTS } else { N_HOSTS_TEST };
    for order in ["hosts", "random"] {
        let plain = measure("none", order, n_hosts);
        println!("{order}, without triggers: {:.0} ns a value", plain.ns);
        for triggers in ["far", "near"] {
            let with = measure(triggers, order, n_hosts);
            let (ns, bytes) = (with.ns - plain.ns, with.bytes - plain.bytes);
            println!("{order}, {triggers}: {ns:.0} ns a value and {bytes:.0} bytes an item more");
        }
    }
}

struct Cost {
    ns: f64,
    bytes: f64,
}

fn measure(triggers: &str, order: &str, n_hosts: u64) -> Cost {
    let program = std::env::current_exe().expect("this program");
    let output =
        std::process::Command::new(program).args([triggers, order, &n_hosts.to_string()]).output();
    let text = String::from_utf8(output.expect("a run").stdout).expect("numbers");
    Cost { ns: number(text.trim_end(), 0), bytes: number(text.trim_end(), 1) }
}

/// Bytes of this process in memory.
fn bytes() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("a file of /proc");
    number(&pages, 1) * 4_096.0
}

/// Processor time of this thread in nanoseconds.
fn cpu_ns() -> f64 {
    let it = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a file of /proc");
    number(&it, 0)
}

fn number(text: &str, at: usize) -> f64 {
    text.split(' ').nth(at).and_then(|it| it.parse().ok()).expect("a number")
}

/// Fisher and Yates, with Marsaglia's xorshift.
fn shuffle(slots: &mut [u32], random: &mut u64) {
    for at in (1..slots.len()).rev() {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        slots.swap(at, usize::try_from(*random % (at as u64 + 1)).expect("small"));
    }
}

fn run(triggers: &str, order: &str, n_hosts: u64) -> Cost {
    let snapshot = Arc::new(snapshot(triggers, n_hosts));
    let mut builder =
        DirectoryBuilder::new(BuilderSettings { n_shards: 1, hash_seed: 1, zone: TimeZone::UTC });
    let (directory, mut plans) = builder.apply(&snapshot, &Delta::default());
    let live = LiveTable::new(1);
    let mut shard = Shard::new(ShardSettings { shard: 0, n_shards: 1, zone: TimeZone::UTC }, &live);
    let mut effects = Effects::default();
    let now = |minute: i64| Now {
        wall: Time::from_clock(START + minute * 60, 0),
        mono_ns: u64::try_from(minute).expect("positive") * 60_000_000_000 + 1,
    };
    let mut slots: Vec<u32> =
        directory.hosts().flat_map(|it| it.items()).map(|it| it.target.slot).collect();
    let bytes_before = bytes();
    shard.configure(plans.remove(0), now(0), &mut effects);
    shard.start(now(0), &mut effects);
    // Windows fill in the first hour; the second one is measured.
    let mut ns = 0.0;
    let mut random = 88_172_645_463_325_252;
    let mut batch = Batch::of_epoch(directory.epoch());
    for minute in 1..=120 {
        let step = u32::try_from(minute).expect("small").wrapping_mul(3_266_489_917);
        if order == "random" {
            shuffle(&mut slots, &mut random);
        }
        for chunk in slots.chunks(1_000) {
            batch.clear();
            for slot in chunk {
                let place = slot.wrapping_mul(2_654_435_761);
                let value = place.wrapping_add(step).wrapping_mul(2_246_822_519) >> 22;
                batch.push(*slot, now(minute).wall, RawRef::Float(value.into())).expect("room");
            }
            batch.runs.push(Run { end: 1_000 });
            effects.clear();
            let before = cpu_ns();
            shard.step(now(minute), Input::Batch(&batch), &mut effects);
            shard.committed(1, EventId(1), &mut effects);
            if 60 < minute {
                ns += cpu_ns() - before;
            }
        }
    }
    let n_items = f64::from(u32::try_from(slots.len()).expect("some"));
    Cost { ns: ns / (n_items * 60.0), bytes: (bytes() - bytes_before) / n_items }
}

fn holder(id: u64, name: &str, kind: HolderKind) -> Host {
    Host::new(HostId(id), kind, name.into(), name.into())
}

/// One template linked to all hosts.
fn snapshot(triggers: &str, n_hosts: u64) -> Snapshot {
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
        let functions = if triggers == "none" { &[] } else { &FUNCTIONS[..] };
        for (at, (function, parameter, far, near)) in (0..).zip(functions) {
            let function = FunctionRef {
                item: id,
                function: (*function).to_owned(),
                parameter: (*parameter).to_owned(),
            };
            let content = TriggerContent {
                description: format!("Metric {i} is too high"),
                expression: if triggers == "near" { *near } else { *far }.to_owned(),
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
    for n in 0..n_hosts {
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
