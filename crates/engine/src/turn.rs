//! The result of a part's turn, by which its driver decides what to do next.

use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// There is more to do at once.
    More,
    /// Nothing is to do before something comes, or this has passed.
    Idle(Duration),
    /// Its output finds no room: again in a moment.
    Full,
    /// It has come to its end.
    Ended,
}
