//! Defects that the product had, put back: the usual seeds notice each of them.
#![expect(clippy::print_stdout, reason = "which seeds have noticed is what somebody wants to know")]

use std::panic::catch_unwind;

use sim::{AlertingDefect, AlertingSettings, Defect, Settings, run, run_alerting};

use super::seeds::Extent;

/// The first failure of a seed; with many seeds all are tried.
fn noticed(what: &dyn std::fmt::Debug, run_of: impl Fn(u64) + std::panic::RefUnwindSafe) -> usize {
    let mut n = 0;
    for seed in 0..40 {
        let Err(panic) = catch_unwind(|| run_of(seed)) else { continue };
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        println!("{what:?}: seed {seed}: {}", text.lines().next().unwrap_or_default());
        n += 1;
        if Extent::asked() != Extent::Many {
            break;
        }
    }
    n
}

fn of_engine(defect: Defect) -> usize {
    noticed(&defect, |seed| {
        let _summary = run(Settings { seed, defect: Some(defect), ..Settings::default() });
    })
}

fn of_alerting(defect: AlertingDefect) -> usize {
    noticed(&defect, |seed| {
        let settings =
            AlertingSettings { seed, defect: Some(defect), ..AlertingSettings::default() };
        let _summary = run_alerting(settings);
    })
}

#[test]
fn a_mark_of_a_session_that_moves_before_its_values_are_journaled_is_noticed() {
    assert_ne!(of_engine(Defect::EarlyMark), 0);
}

#[test]
fn a_journal_that_is_kept_for_less_than_the_database_has_confirmed_is_noticed() {
    assert_ne!(of_engine(Defect::UnsavedCounts), 0);
}

#[test]
fn a_checkpoint_that_is_ahead_of_the_journals_sync_is_noticed() {
    assert_ne!(of_engine(Defect::CheckpointAhead), 0);
}

#[test]
fn position_saved_before_its_messages_is_noticed() {
    assert_ne!(of_alerting(AlertingDefect::JudgedAhead), 0);
}

#[test]
fn digests_that_are_saved_before_what_they_say_is_are_noticed() {
    assert_ne!(of_alerting(AlertingDefect::DigestsAhead), 0);
}

#[test]
fn a_process_that_does_not_find_what_waits_for_a_digest_is_noticed() {
    assert_ne!(of_alerting(AlertingDefect::HeldForgotten), 0);
}
