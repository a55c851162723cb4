//! Defects that the product had, put back: the usual seeds notice each of them.
#![expect(clippy::print_stdout, reason = "which seeds have noticed is what somebody wants to know")]

use std::panic::catch_unwind;

use sim::{Defect, Settings, run};

/// The seeds that notice a defect, and what the first one says.
fn noticed(defect: Defect) -> usize {
    let mut noticed = Vec::new();
    for seed in 0..40 {
        let settings = Settings { seed, defect: Some(defect), ..Settings::default() };
        if let Err(panic) = catch_unwind(|| run(settings)) {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            noticed.push((seed, text));
        }
    }
    for (seed, text) in &noticed {
        println!("{defect:?}: seed {seed}: {}", text.lines().next().unwrap_or_default());
    }
    noticed.len()
}

#[test]
fn a_mark_of_a_session_that_moves_before_its_values_are_journaled_is_noticed() {
    assert_ne!(noticed(Defect::EarlyMark), 0);
}

#[test]
fn a_journal_that_is_kept_for_less_than_the_database_has_confirmed_is_noticed() {
    assert_ne!(noticed(Defect::UnsavedCounts), 0);
}

#[test]
fn events_that_count_as_judged_before_their_messages_are_saved_are_noticed() {
    assert_ne!(noticed(Defect::JudgedAhead), 0);
}

#[test]
fn digests_that_are_saved_before_what_they_told_is_are_noticed() {
    assert_ne!(noticed(Defect::DigestsAhead), 0);
}

#[test]
fn a_process_that_does_not_find_what_waits_for_a_digest_is_noticed() {
    assert_ne!(noticed(Defect::HeldForgotten), 0);
}

#[test]
fn a_checkpoint_that_is_ahead_of_the_journals_sync_is_noticed() {
    assert_ne!(noticed(Defect::CheckpointAhead), 0);
}
