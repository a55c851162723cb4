//! Seeds. One that failed stays here.
#![expect(clippy::print_stdout, reason = "which seed failed, and what all of them were made of")]

use std::ops::Range;

use sim::{Settings, Summary, run};

const PLAIN: Range<u64> = 0..80;
const WITH_MERGES: Range<u64> = 2_000..2_040;
const WITH_WORK: Range<u64> = 1_000..1_024;

/// `SAKER_SIM_SEEDS=from..until` runs others.
fn seeds(usual: Range<u64>) -> (Range<u64>, bool) {
    let given = std::env::var("SAKER_SIM_SEEDS").ok();
    let given = given.as_deref().and_then(|it| it.split_once(".."));
    match given {
        Some((from, until)) => {
            let seeds: Range<u64> =
                from.parse().expect("a number")..until.parse().expect("a number");
            // A few that were asked for reach less than the usual ones.
            let is_fewer = seeds.end.saturating_sub(seeds.start) < usual.end - usual.start;
            (seeds, !is_fewer)
        }
        None => (usual, true),
    }
}

/// All seeds; the last line of what a failed test has written says which one it was.
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
    let (seeds, is_whole) = seeds(PLAIN);
    let total = run_all(seeds, Settings::default());
    if !is_whole {
        return;
    }
    // The runs must have been eventful, else they prove nothing.
    assert!(100 < total.kills && 50 < total.power_cuts && 50 < total.stops, "{total:?}");
    assert!(0 < total.lost_in_power_cuts && 100 < total.fetches, "{total:?}");
    assert!(100 < total.checkpoints && 50 < total.flushes, "{total:?}");
    assert!(50 < total.cleared, "{total:?}");
    assert!(100 < total.journal_files_gone, "{total:?}");
    assert!(1_000 < total.forwarded && 1_000 < total.events, "{total:?}");
    assert!(1_000 < total.deferred_evaluations && 200 < total.cut_off, "{total:?}");
    assert!(50 < total.failures && 50 < total.closed && 20 < total.closed_waiting, "{total:?}");
    assert!(200 < total.disk_faults && 200 < total.disk_waits, "{total:?}");
    assert!(100 < total.database_refusals && 50 < total.database_unheard, "{total:?}");
    assert!(50 < total.remote_refusals && 100 < total.discoveries, "{total:?}");
    assert!(1_000 < total.resends && 200 < total.cut_connections, "{total:?}");
    assert!(50 < total.lost_answers && 100 < total.parallel, "{total:?}");
    assert!(50 < total.edits && 50 < total.clock_steps, "{total:?}");
    assert!(1_000 < total.messages && 500 < total.digested, "{total:?}");
}

#[test]
fn values_survive_crashes_while_their_files_are_merged_and_deleted() {
    let (seeds, is_whole) = seeds(WITH_MERGES);
    let total = run_all(seeds, Settings { has_merges: true, ..Settings::default() });
    if !is_whole {
        return;
    }
    assert!(100 < total.flushes && 50 < total.merges && 20 < total.cleared, "{total:?}");
    assert!(100 < total.kills && 50 < total.power_cuts && 100 < total.disk_faults, "{total:?}");
    assert!(1_000 < total.trend_hours, "{total:?}");
}

#[test]
fn forwarding_of_all_to_all_with_mailboxes_of_one_message_does_not_lock() {
    for n_shards in [1, 2, 5, 8] {
        let it = run(Settings {
            seed: u64::from(n_shards) * 7_919,
            n_hosts: 12,
            n_shards,
            n_actions: 1_200,
            crash_every: 0,
            mailbox: 1,
            has_faults: false,
            ..Settings::default()
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

#[test]
fn scripts_documents_and_waiting_names_survive_crashes_lost_workers_and_panics() {
    let (seeds, is_whole) = seeds(WITH_WORK);
    let settings = Settings { has_work: true, n_actions: 600, ..Settings::default() };
    let total = run_all(seeds, settings);
    if !is_whole {
        return;
    }
    assert!(1_000 < total.jobs && 20 < total.lost_jobs, "{total:?}");
    assert!(200 < total.cross_item_queries && 100 < total.awaiting_names, "{total:?}");
    assert!(1_000 < total.rows && 50 < total.panics, "{total:?}");
    assert!(50 < total.kills && 20 < total.power_cuts && 20 < total.checkpoints, "{total:?}");
}
