//! What the database does to transactions of alerting.

use std::sync::{Arc, Mutex};

use db::{TransactionFate, TransactionFaults};

use crate::outside::lock;
use crate::random::Random;

/// Transactions that change something. Others of the same process run on threads whose order is nobody's, and have no faults.
const WRITES: &[&str] =
    &["save escalations", "load escalations", "save what became of alerts", "correlate"];
const READS: &[&str] = &[
    "read events to judge",
    "read who got messages",
    "read alerts to send",
    "read new problems",
    "read correlated",
    "read problems to close",
    "read last event",
    "read held alerts",
    "read what waits for digests",
];

#[derive(Debug)]
struct State {
    random: Random,
    is_away: bool,
    /// One answer in so many is lost; 0: none.
    lost_answers: usize,
    /// Writes until the process is as good as dead.
    until_death: Option<u32>,
    is_dead: bool,
    n_refused: usize,
    n_unheard: usize,
}

/// A clone is the same database.
#[derive(Clone, Debug)]
pub(super) struct Faults(Arc<Mutex<State>>);

impl Faults {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            random: Random::new(seed),
            is_away: false,
            lost_answers: 0,
            until_death: None,
            is_dead: false,
            n_refused: 0,
            n_unheard: 0,
        })))
    }

    pub(super) fn set_away(&self, is_away: bool) {
        lock(&self.0).is_away = is_away;
    }

    pub(super) fn lose_answers(&self, one_in: usize) {
        lock(&self.0).lost_answers = one_in;
    }

    /// After so many writes there are none any more, until [`Faults::revive`].
    pub(super) fn die_after(&self, n_writes: u32) {
        lock(&self.0).until_death = Some(n_writes);
    }

    pub(super) fn is_dead(&self) -> bool {
        lock(&self.0).is_dead
    }

    pub(super) fn revive(&self) {
        let mut state = lock(&self.0);
        (state.until_death, state.is_dead, state.is_away) = (None, false, false);
    }

    /// Refused transactions, and those of which nobody heard.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = lock(&self.0);
        (state.n_refused, state.n_unheard)
    }
}

impl State {
    fn of_write(&mut self) -> TransactionFate {
        match &mut self.until_death {
            Some(0) => {
                self.is_dead = true;
                // The last one may have been done.
                self.until_death = None;
                if self.random.once_in(2) {
                    return TransactionFate::DoneUnheard;
                }
                return TransactionFate::Away;
            }
            Some(n) => *n -= 1,
            None => {}
        }
        if 0 < self.lost_answers && self.random.once_in(self.lost_answers) {
            self.n_unheard += 1;
            return TransactionFate::DoneUnheard;
        }
        TransactionFate::Done
    }
}

impl TransactionFaults for Faults {
    fn next(&self, what: &'static str) -> TransactionFate {
        let mut state = lock(&self.0);
        let is_write = WRITES.contains(&what);
        if !is_write && !READS.contains(&what) {
            return TransactionFate::Done;
        }
        if state.is_away || state.is_dead {
            state.n_refused += 1;
            return TransactionFate::Away;
        }
        if is_write {
            return state.of_write();
        }
        // A read alone may fail as well.
        if 0 < state.lost_answers && state.random.once_in(20) {
            state.n_refused += 1;
            return TransactionFate::Away;
        }
        TransactionFate::Done
    }
}
