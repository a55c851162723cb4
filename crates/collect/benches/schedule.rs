//! The cost of the schedule: `cargo bench -p collect --bench schedule`.
//!
//! Times are of a run, rates per item (per check in `a_second`); the memory of the schedule is
//! under `max alloc` of `build`. As part of the tests every benchmark runs once, with 100 hosts.

use std::time::Duration;

use collect::bench::{Plan, Requests, snapshot};
use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

/// Hosts of 100 items each.
const HOSTS: [u64; 2] = [100, 10_000];
const ITEMS: u64 = 100;

/// The large number is for measurements only: a debug build takes seconds for it.
fn hosts() -> &'static [u64] {
    // Cargo passes this flag for measurements.
    if std::env::args().any(|it| it == "--bench") { &HOSTS } else { &HOSTS[..1] }
}

fn main() {
    divan::main();
}

/// From a snapshot to a schedule: the cost of a start with this many items.
#[divan::bench(args = hosts(), sample_count = 3)]
fn build(bencher: Bencher<'_, '_>, n_hosts: u64) {
    let snapshot = snapshot(n_hosts, ITEMS, "1m");
    bencher.counter(ItemsCount::new(n_hosts * ITEMS)).bench_local(|| Plan::build(&snapshot));
}

/// A second of polling each item once a minute: due, given out, answered, due again.
#[divan::bench(args = hosts(), sample_count = 60, sample_size = 1)]
fn a_second(bencher: Bencher<'_, '_>, n_hosts: u64) {
    let mut plan = Plan::build(&snapshot(n_hosts, ITEMS, "1m"));
    // First checks are spread over another time than the later ones.
    plan.run(Duration::from_secs(600));
    let n_checks = n_hosts * ITEMS / 60;
    let bencher = bencher.counter(ItemsCount::new(n_checks));
    bencher.bench_local(|| plan.run(Duration::from_secs(1)));
}

/// From a job of one agent item to the request for its collector.
#[divan::bench]
fn request_of_agent(bencher: Bencher<'_, '_>) {
    let requests = Requests::agent();
    bencher.counter(ItemsCount::new(1_u64)).bench_local(|| requests.make_agent());
}

/// The same of 60 SNMP items.
#[divan::bench]
fn request_of_snmp(bencher: Bencher<'_, '_>) {
    let requests = Requests::snmp(60);
    bencher.counter(ItemsCount::new(60_u64)).bench_local(|| requests.make_snmp());
}
