//! Stores of history behind the journal.

use super::{Feed, Turn};

/// Gives a store its turns. What becomes of one that is away, and how much journal it may hold back, is in
/// [`history::Feeder`].
#[derive(Debug)]
pub struct StoreFeed(pub history::Feed);

impl Feed for StoreFeed {
    fn turn(&mut self, stopping: bool) -> Turn {
        match self.0.turn(stopping) {
            history::Turn::More => Turn::More,
            // It writes by the clock what it was given.
            history::Turn::Idle if self.0.is_gathering() => Turn::Gather,
            history::Turn::Idle => Turn::Idle,
            history::Turn::Retry(pause) => Turn::RetryAfter(pause),
            history::Turn::Halted => Turn::Halted,
        }
    }
}

#[cfg(test)]
mod tests;
