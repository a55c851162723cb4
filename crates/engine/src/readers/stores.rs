//! Stores of history that are fed from the journal.

use super::{ReaderTurn, ReaderWork};

/// Gives a store its turns. [`history::Feeder`] decides about one that is away, and how much
/// journal it may hold back.
#[derive(Debug)]
pub struct StoreFeed(pub history::Feed);

impl ReaderWork for StoreFeed {
    fn turn(&mut self, stopping: bool) -> ReaderTurn {
        match self.0.turn(stopping) {
            history::FeedTurn::More => ReaderTurn::More,
            // It writes by the clock what it was given.
            history::FeedTurn::Idle if self.0.is_gathering() => ReaderTurn::Gather,
            history::FeedTurn::Idle => ReaderTurn::Idle,
            history::FeedTurn::Retry(pause) => ReaderTurn::RetryAfter(pause),
            history::FeedTurn::Halted => ReaderTurn::Halted,
        }
    }
}

#[cfg(test)]
mod tests;
