//! The cost of the foundation: a hop through a queue, a reading of the clock, a count.
//!
//! `cargo bench -p rt`; `cargo test --benches -p rt` runs each once.
#![allow(missing_docs, reason = "no interface")]

use divan::{Bencher, black_box};
use rt::Clock;
use rt::metrics::{Counter, Declaration, Registry, TimeHistogram};
use rt::queue::{WhenFull, bounded};

fn main() {
    divan::main();
}

#[divan::bench]
fn queue_send_and_receive_without_waiting(bencher: Bencher<'_, '_>) {
    let (sender, receiver) =
        bounded("bench", 64, WhenFull::Block, &Clock::real(), &Registry::new());
    bencher.bench_local(|| {
        sender.try_send(black_box(7u64)).expect("there is room");
        receiver.try_receive().expect("there is a message")
    });
}

#[divan::bench]
fn clock_now(bencher: Bencher<'_, '_>) {
    let clock = Clock::real();
    bencher.bench_local(|| black_box(&clock).now());
}

#[divan::bench]
fn counter_add(bencher: Bencher<'_, '_>) {
    let declaration = Declaration { name: "bench_total", former_name: "", help: "", label: "" };
    let counter: Counter = Registry::new().declare(declaration);
    bencher.bench_local(|| counter.add(black_box(3)));
}

#[divan::bench]
fn histogram_observe(bencher: Bencher<'_, '_>) {
    let declaration = Declaration { name: "bench_seconds", former_name: "", help: "", label: "" };
    let histogram: TimeHistogram = Registry::new().declare(declaration);
    bencher.bench_local(|| histogram.observe_ns(black_box(12_345)));
}
