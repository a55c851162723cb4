//! Seeds of the engine. One that failed stays among the many.
#![expect(clippy::print_stdout, reason = "which seed failed, and what all of them were made of")]

use std::ops::Range;

use sim::{Settings, Summary, run};

use super::seeds::{Extent, seeds};

/// All seeds; the last line of a failed test's output names its seed.
fn run_all(seeds: Range<u64>, settings: Settings) -> Summary {
    let mut total = Summary::default();
    for seed in seeds {
        println!("seed {seed}");
        total.add(&run(Settings { seed, ..settings }));
    }
    println!("{total:#?}");
    total
}

#[test]
fn crashes_neither_lose_nor_double_values_or_events() {
    let (seeds, extent) = seeds(0..20, 0..80);
    let total = run_all(seeds, Settings::default());
    if extent == Extent::Named {
        return;
    }
    // The runs must have been eventful, else they prove nothing.
    let more = |n| extent.more_than(n);
    assert!(more(100) < total.kills && more(50) < total.power_cuts, "{total:?}");
    assert!(more(50) < total.stops && more(100) < total.fetches, "{total:?}");
    assert!(more(0) < total.lost_in_power_cuts, "{total:?}");
    assert!(more(100) < total.checkpoints && more(50) < total.flushes, "{total:?}");
    assert!(more(50) < total.cleared, "{total:?}");
    assert!(more(100) < total.journal_files_gone, "{total:?}");
    assert!(more(1_000) < total.forwarded && more(1_000) < total.events, "{total:?}");
    assert!(more(1_000) < total.deferred_evaluations && more(200) < total.cut_off, "{total:?}");
    assert!(more(50) < total.failures && more(50) < total.closed, "{total:?}");
    assert!(more(20) < total.closed_waiting, "{total:?}");
    assert!(more(200) < total.disk_faults && more(200) < total.disk_waits, "{total:?}");
    assert!(more(100) < total.database_refusals && more(50) < total.database_unheard, "{total:?}");
    assert!(more(50) < total.remote_refusals && more(100) < total.discoveries, "{total:?}");
    assert!(more(1_000) < total.resends && more(200) < total.cut_connections, "{total:?}");
    assert!(more(50) < total.lost_answers && more(100) < total.parallel, "{total:?}");
    assert!(more(50) < total.edits && more(50) < total.clock_steps, "{total:?}");
}

#[test]
fn values_survive_crashes_during_merges_and_deletes() {
    let (seeds, extent) = seeds(2_000..2_010, 2_000..2_040);
    let total = run_all(seeds, Settings { has_merges: true, ..Settings::default() });
    if extent == Extent::Named {
        return;
    }
    let more = |n| extent.more_than(n);
    assert!(more(100) < total.flushes && more(50) < total.merges, "{total:?}");
    assert!(more(20) < total.cleared, "{total:?}");
    assert!(more(100) < total.kills && more(50) < total.power_cuts, "{total:?}");
    assert!(more(100) < total.disk_faults && more(1_000) < total.trend_hours, "{total:?}");
}

#[test]
fn forwarding_of_all_to_all_with_mailboxes_of_one_message_does_not_lock() {
    for n_shards in [1, 2, 5, 8] {
        let it = run(Settings {
            seed: u64::from(n_shards) * 7_919,
            n_hosts: 12,
            n_shards,
            n_actions: if Extent::asked() == Extent::Many { 1_200 } else { 300 },
            crash_every: 0,
            mailbox: 1,
            has_faults: false,
            ..Settings::default()
        });
        assert!(Extent::asked().more_than(1_000) < it.forwarded, "{it:?}");
    }
}

#[test]
fn any_number_of_threads_works() {
    for n_shards in [1, 4, 7] {
        let it = run(Settings { seed: 77, n_shards, ..Settings::default() });
        assert!(0 < it.kills, "{it:?}");
    }
}

#[test]
fn scripts_documents_and_waiting_names_survive_crashes_lost_workers_and_panics() {
    let (seeds, extent) = seeds(1_000..1_006, 1_000..1_024);
    let settings = Settings { has_work: true, n_actions: 600, ..Settings::default() };
    let total = run_all(seeds, settings);
    if extent == Extent::Named {
        return;
    }
    let more = |n| extent.more_than(n);
    assert!(more(1_000) < total.jobs && more(20) < total.lost_jobs, "{total:?}");
    assert!(more(200) < total.cross_item_queries && more(100) < total.awaiting_names, "{total:?}");
    assert!(more(1_000) < total.rows && more(50) < total.panics, "{total:?}");
    assert!(more(50) < total.kills && more(20) < total.power_cuts, "{total:?}");
    assert!(more(20) < total.checkpoints, "{total:?}");
}
