//! Seeds of the simulation of alerting, and rows that nobody can work off.
#![expect(clippy::print_stdout, reason = "of a test that fails its last line is the seed")]

use std::time::Duration;

use alert::{AlertKind, AlertStatus};
use sim::{AlertingSettings, AlertingSummary, AlertingWorld, run_alerting};

use super::seeds::{Extent, seeds};

/// Runs seeds of a day each; returns their results.
fn days(seeds: std::ops::Range<u64>) -> Vec<AlertingSummary> {
    let run = |seed| {
        println!("seed {seed}");
        run_alerting(AlertingSettings { seed, ..AlertingSettings::default() })
    };
    seeds.map(run).collect()
}

#[test]
fn everybody_is_notified_once_whatever_fails() {
    let (seeds, extent) = seeds(0..6, 0..100);
    let days = days(seeds);
    if extent == Extent::Named {
        return;
    }
    let sum = |of: fn(&AlertingSummary) -> usize| days.iter().map(of).sum::<usize>();
    for (name, n) in [
        ("correlated", sum(|it| it.correlated)),
        ("digested", sum(|it| it.digested)),
        ("recoveries", sum(|it| it.recoveries)),
        ("commands", sum(|it| it.commands)),
        ("crashes", sum(|it| it.crashes)),
        ("refused", sum(|it| it.refused)),
        ("unheard", sum(|it| it.unheard)),
        ("quiet", sum(|it| it.quiet)),
    ] {
        assert_ne!(n, 0, "{name}: nothing of the kind has happened");
    }
}

#[test]
fn a_week_in_one_run() {
    // In `make test` two days.
    let n_days = if Extent::asked() == Extent::Many { 7 } else { 2 };
    let time = Duration::from_hours(n_days * 24);
    for seed in seeds(100..101, 100..103).0 {
        println!("seed {seed}");
        let run = run_alerting(AlertingSettings { seed, time, ..AlertingSettings::default() });
        println!("{run:#?}");
        assert!(time.as_secs() <= run.seconds, "{run:?}");
        assert!(100 < run.messages, "{run:?}");
    }
}

#[test]
fn a_run_follows_from_its_seed() {
    assert_eq!(days(20..21), days(20..21));
}

/// A world without faults except those of the test, and a connection that changes its database.
fn faultless() -> (AlertingWorld, rusqlite::Connection) {
    let settings =
        AlertingSettings { has_faults: false, has_crashes: false, ..AlertingSettings::default() };
    let world = AlertingWorld::new(settings);
    let database = rusqlite::Connection::open(world.path()).expect("the database");
    database.busy_timeout(Duration::from_secs(60)).expect("a time");
    (world, database)
}

fn refuse(database: &rusqlite::Connection, what: &str) {
    let trigger =
        format!("create trigger refused before {what} begin select raise(abort, 'refused'); end");
    database.execute_batch(&trigger).expect("a trigger");
}

fn put_aside(world: &AlertingWorld, worker: &str) -> (Option<f64>, String) {
    let n = world.metric("saker_worker_put_aside_total", Some(worker));
    (n, world.health_issue(&format!("{worker}-put-aside")).unwrap_or_default())
}

/// Kind and status of each alert about a problem.
fn of(world: &AlertingWorld, event: u64) -> Vec<(AlertKind, AlertStatus)> {
    let alerts = world.alerts().into_iter().filter(|it| it.about().0 == event);
    alerts.map(|it| (it.kind, it.status)).collect()
}

#[test]
fn an_event_that_no_turn_can_judge_is_set_aside_and_others_are_judged() {
    let (mut world, database) = faultless();
    refuse(&database, "insert on alerts when new.eventid = 1");
    world.begin(0, 0);
    world.run_for(Duration::from_secs(1));
    world.begin(1, 0);
    world.run_for(Duration::from_secs(120));
    assert_eq!(of(&world, 1), []);
    assert_eq!(of(&world, 2), [(AlertKind::Message, AlertStatus::Sent)]);
    assert_eq!(world.metric("saker_escalations_quarantined_total", None), Some(1.0));
    let shown = world.health_issue("escalations-quarantine").unwrap_or_default();
    assert!(shown.starts_with("event 1 is quarantined") && shown.contains("refused"), "{shown}");
    assert_eq!(world.health_issue("escalations"), None, "it works again");
}

#[test]
fn refused_outcome_of_a_message_is_quarantined() {
    let (mut world, database) = faultless();
    refuse(&database, "update on alerts when new.eventid = 1");
    world.begin(0, 0);
    world.begin(1, 0);
    world.run_for(Duration::from_secs(120));
    let (n, shown) = put_aside(&world, "alert-delivery");
    assert_eq!(n, Some(1.0));
    assert!(shown.contains("what became of message 1"), "{shown}");
    assert_eq!(of(&world, 2), [(AlertKind::Message, AlertStatus::Sent)]);
    assert_eq!(world.health_issue("alert-delivery"), None, "it works again");
}

#[test]
fn a_message_over_which_three_turns_panic_is_put_aside_and_later_ones_are_sent() {
    let (mut world, _database) = faultless();
    world.break_background(true);
    world.begin(0, 0);
    world.run_for(Duration::from_secs(120));
    let (n, shown) = put_aside(&world, "alert-delivery");
    assert_eq!(n, Some(1.0));
    assert!(shown.contains("message 1"), "{shown}");
    assert_eq!(of(&world, 1), [(AlertKind::Message, AlertStatus::Failed)]);
    world.break_background(false);
    world.begin(1, 0);
    world.run_for(Duration::from_secs(120));
    assert_eq!(of(&world, 2), [(AlertKind::Message, AlertStatus::Sent)]);
    assert_eq!(world.metric("saker_worker_panics_total", Some("alert-delivery")), Some(3.0));
}

#[test]
fn a_command_that_the_database_refuses_to_begin_is_put_aside_and_others_are_executed() {
    let (mut world, database) = faultless();
    refuse(&database, "update on alerts when new.eventid = 1 and new.alerttype = 1");
    world.begin(0, 0);
    world.begin(1, 0);
    world.run_for(Duration::from_secs(2 * 3_600));
    let (n, shown) = put_aside(&world, "alert-commands");
    assert_eq!(n, Some(1.0));
    assert!(shown.contains("command "), "{shown}");
    let commands = |event| {
        let all = of(&world, event).into_iter();
        all.filter(|it| it.0 == AlertKind::Command).map(|it| it.1).collect::<Vec<_>>()
    };
    assert_eq!((commands(1), commands(2)), (vec![AlertStatus::New], vec![AlertStatus::Sent]));
}

#[test]
fn a_problem_over_which_correlation_fails_is_put_aside_and_others_are_closed() {
    let (mut world, database) = faultless();
    refuse(&database, "insert on event_correlations when new.eventid = 1");
    world.begin(0, 0);
    world.begin(1, 0);
    world.run_for(Duration::from_secs(10));
    // The first is not to be closed, which the database refuses; the second is.
    world.begin(0, 1);
    world.begin(1, 1);
    world.run_for(Duration::from_secs(300));
    let (n, shown) = put_aside(&world, "correlation");
    assert_eq!(n, Some(1.0));
    assert!(shown.contains("problem 3"), "{shown}");
    assert!(!world.is_open(1) && world.is_open(0));
}
