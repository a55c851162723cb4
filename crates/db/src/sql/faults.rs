//! Transactions that fail because a simulation wants them to.

use std::fmt::Debug;

/// The fate of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransactionFate {
    /// The answer of the database is passed on.
    Done,
    /// The database is away: nothing is done.
    Away,
    /// It is done, and the answer is lost.
    DoneUnheard,
}

/// Decides on each transaction, before it begins.
pub trait TransactionFaults: Debug + Send + Sync {
    /// `what`: as in errors.
    fn next(&self, what: &'static str) -> TransactionFate;
}
