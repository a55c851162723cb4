//! Seeds of the simulation of followers.
#![expect(clippy::print_stdout, reason = "of a test that fails its last line is the seed")]

use std::time::Duration;

use sim::{FollowersSettings, FollowersSummary, run_followers};

use super::seeds::{Extent, seeds};

fn runs(seeds: std::ops::Range<u64>) -> Vec<FollowersSummary> {
    let run = |seed| {
        println!("seed {seed}");
        run_followers(FollowersSettings { seed, ..FollowersSettings::default() })
    };
    seeds.map(run).collect()
}

#[test]
fn services_maintenances_devices_and_agents_follow_what_happens_whatever_fails() {
    let (seeds, extent) = seeds(0..4, 0..60);
    let runs = runs(seeds);
    println!("{runs:#?}");
    if extent == Extent::Named {
        return;
    }
    let sum = |of: fn(&FollowersSummary) -> usize| runs.iter().map(of).sum::<usize>();
    for (name, n) in [
        ("changes", sum(|it| it.changes)),
        ("service events", sum(|it| it.service_events)),
        ("discovered", sum(|it| it.discovered)),
        ("registered", sum(|it| it.registered)),
        ("settled", sum(|it| it.settled)),
        ("months", sum(|it| it.months)),
        ("expired", sum(|it| it.expired)),
        ("maintained", sum(|it| it.maintained)),
        ("crashes", sum(|it| it.crashes)),
        ("clock steps", sum(|it| it.clock_steps)),
        ("refused", sum(|it| it.refused)),
        ("unheard", sum(|it| it.unheard)),
    ] {
        assert_ne!(n, 0, "{name}: nothing of the kind has happened");
    }
}

#[test]
fn a_week_of_followers_in_one_run() {
    // In `make test` some hours.
    let n_hours = if Extent::asked() == Extent::Many { 7 * 24 } else { 8 };
    let time = Duration::from_hours(n_hours);
    for seed in seeds(100..101, 100..103).0 {
        println!("seed {seed}");
        let run = run_followers(FollowersSettings { seed, time, ..FollowersSettings::default() });
        println!("{run:#?}");
        assert!(100 < run.changes && 100 < run.discovered && 100 < run.registered, "{run:?}");
    }
}

#[test]
fn a_run_of_followers_follows_from_its_seed() {
    assert_eq!(runs(20..21), runs(20..21));
}
