//! Faults of the database in transactions of workers.

use std::sync::{Arc, Mutex};

use db::{TransactionFate, TransactionFaults};

use crate::outside::lock;
use crate::random::Random;

/// Transactions that have faults. Others of the same process run on threads whose order is nobody's, and have none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transactions {
    /// Those that change something.
    pub(crate) writes: &'static [&'static str],
    pub(crate) reads: &'static [&'static str],
    /// Transactions that are made unless the process ends, while [`Faults::count_saves`] counts
    /// them.
    pub(crate) saves: &'static [&'static str],
}

#[derive(Debug)]
struct State {
    transactions: Transactions,
    random: Random,
    is_away: bool,
    /// One answer in so many is lost; 0: none.
    lost_answers: usize,
    /// The next transactions of one name that are refused, and how many.
    refusals: Option<(&'static str, u32)>,
    /// Writes until the process is as good as dead.
    until_death: Option<u32>,
    is_dead: bool,
    counts_saves: bool,
    n_refused: usize,
    n_unheard: usize,
}

/// A clone is the same database.
#[derive(Clone, Debug)]
pub(crate) struct Faults(Arc<Mutex<State>>);

impl Faults {
    pub(crate) fn new(seed: u64, transactions: Transactions) -> Self {
        Self(Arc::new(Mutex::new(State {
            transactions,
            random: Random::new(seed),
            is_away: false,
            lost_answers: 0,
            refusals: None,
            until_death: None,
            is_dead: false,
            counts_saves: false,
            n_refused: 0,
            n_unheard: 0,
        })))
    }

    pub(crate) fn set_away(&self, is_away: bool) {
        lock(&self.0).is_away = is_away;
    }

    pub(crate) fn lose_answers(&self, one_in: usize) {
        lock(&self.0).lost_answers = one_in;
    }

    /// The next transactions of this name are refused, whatever else is well.
    pub(crate) fn refuse(&self, what: &'static str, n: u32) {
        lock(&self.0).refusals = Some((what, n));
    }

    /// After so many writes there are none any more, until [`Faults::revive`].
    pub(crate) fn die_after(&self, n_writes: u32) {
        lock(&self.0).until_death = Some(n_writes);
    }

    /// Whether transactions that save count as writes now: those of a thread of their own do while somebody waits for it.
    pub(crate) fn count_saves(&self, counts: bool) {
        lock(&self.0).counts_saves = counts;
    }

    pub(crate) fn is_dead(&self) -> bool {
        lock(&self.0).is_dead
    }

    pub(crate) fn revive(&self) {
        let mut state = lock(&self.0);
        (state.until_death, state.is_dead, state.is_away) = (None, false, false);
        state.refusals = None;
    }

    /// Refused transactions, and those with a lost response.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = lock(&self.0);
        (state.n_refused, state.n_unheard)
    }
}

impl State {
    /// `None`: the process lives on.
    fn near_death(&mut self) -> Option<TransactionFate> {
        let n = self.until_death.as_mut()?;
        if let Some(fewer) = n.checked_sub(1) {
            *n = fewer;
            return None;
        }
        (self.is_dead, self.until_death) = (true, None);
        // The last one may have been done.
        let is_done = self.random.once_in(2);
        Some(if is_done { TransactionFate::DoneUnheard } else { TransactionFate::Away })
    }

    fn of_save(&mut self) -> TransactionFate {
        if self.is_dead {
            return TransactionFate::Away;
        }
        let fate = if self.counts_saves { self.near_death() } else { None };
        fate.unwrap_or(TransactionFate::Done)
    }

    fn of_write(&mut self) -> TransactionFate {
        if let Some(fate) = self.near_death() {
            return fate;
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
        if state.transactions.saves.contains(&what) {
            return state.of_save();
        }
        let is_write = state.transactions.writes.contains(&what);
        if !is_write && !state.transactions.reads.contains(&what) {
            return TransactionFate::Done;
        }
        if state.is_away || state.is_dead {
            state.n_refused += 1;
            return TransactionFate::Away;
        }
        if let Some((refused, n @ 1..)) = &mut state.refusals
            && *refused == what
        {
            *n -= 1;
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
