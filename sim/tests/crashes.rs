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
        total.deferred_evaluations += it.deferred_evaluations;
        total.cut_off += it.cut_off;
        total.closed += it.closed;
        total.closed_waiting += it.closed_waiting;
        total.failures += it.failures;
    }
    // The runs must have been eventful, else they prove nothing.
    assert!(100 < total.kills && 50 < total.power_cuts, "{total:?}");
    assert!(0 < total.lost_in_power_cuts && 100 < total.fetches, "{total:?}");
    assert!(100 < total.checkpoints && 50 < total.flushes, "{total:?}");
    assert!(1_000 < total.forwarded && 1_000 < total.events, "{total:?}");
    assert!(
        1_000 < total.deferred_evaluations && 200 < total.cut_off && 50 < total.failures,
        "{total:?}"
    );
    assert!(200 < total.closed && 50 < total.closed_waiting, "{total:?}");
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
            has_work: false,
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

const DEFAULT_SEEDS: std::ops::Range<u64> = 1_000..1_024;

/// `SAKER_SIM_SEEDS=from..until` runs others.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("SAKER_SIM_SEEDS").ok();
    let given = given.as_deref().and_then(|it| it.split_once(".."));
    given.map_or(DEFAULT_SEEDS, |(from, until)| {
        from.parse().expect("a number")..until.parse().expect("a number")
    })
}

#[test]
fn scripts_documents_and_waiting_names_survive_crashes_lost_workers_and_panics() {
    let mut total = Summary::default();
    for seed in seeds() {
        let it = run(Settings { seed, has_work: true, n_actions: 600, ..Settings::default() });
        total.jobs += it.jobs;
        total.lost_jobs += it.lost_jobs;
        total.cross_item_queries += it.cross_item_queries;
        total.rows += it.rows;
        total.panics += it.panics;
        total.awaiting_names += it.awaiting_names;
        total.kills += it.kills;
        total.power_cuts += it.power_cuts;
        total.checkpoints += it.checkpoints;
    }
    // A few seeds that were asked for reach less than the usual ones.
    if seeds().count() < DEFAULT_SEEDS.count() {
        return;
    }
    assert!(
        1_000 < total.jobs && 20 < total.lost_jobs && 200 < total.cross_item_queries,
        "{total:?}"
    );
    assert!(1_000 < total.rows && 50 < total.panics && 100 < total.awaiting_names, "{total:?}");
    assert!(100 < total.kills && 50 < total.power_cuts && 100 < total.checkpoints, "{total:?}");
}
