//! Seeds. One that failed stays here.

use sim::{Settings, Summary, run};

#[test]
fn crashes_neither_lose_nor_double_values_or_events() {
    let mut total = Summary::default();
    for seed in 0..120 {
        let it = run(Settings { seed, ..Settings::default() });
        total.power_cuts += it.power_cuts;
        total.kills += it.kills;
        total.lost_in_power_cuts += it.lost_in_power_cuts;
        total.acknowledged += it.acknowledged;
        total.events += it.events;
        total.forwarded += it.forwarded;
        total.fetches += it.fetches;
        total.checkpoints += it.checkpoints;
        total.flushes += it.flushes;
    }
    // The runs must have been eventful, else they prove nothing.
    assert!(100 < total.kills && 50 < total.power_cuts, "{total:?}");
    assert!(0 < total.lost_in_power_cuts && 100 < total.fetches, "{total:?}");
    assert!(100 < total.checkpoints && 50 < total.flushes, "{total:?}");
    assert!(1_000 < total.forwarded && 1_000 < total.events, "{total:?}");
}

#[test]
fn forwarding_of_all_to_all_with_queues_of_one_batch_does_not_lock() {
    for n_shards in [1, 2, 5, 8] {
        let it = run(Settings {
            seed: u64::from(n_shards) * 7_919,
            n_hosts: 12,
            n_shards,
            n_actions: 6_000,
            crash_every: 0,
        });
        assert!(1_000 < it.forwarded, "{it:?}");
    }
}

#[test]
fn the_number_of_threads_may_be_anything() {
    for n_shards in [1, 4, 7] {
        let it = run(Settings { seed: 77, n_shards, ..Settings::default() });
        assert!(0 < it.kills, "{it:?}");
    }
}
