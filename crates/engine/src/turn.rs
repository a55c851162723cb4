//! What a part's turn came to, and so what whoever drives it does next.

use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// There is more to do at once.
    More,
    /// Nothing is to do before something comes, or this has passed.
    Idle(Duration),
    /// What it has to hand on finds no room: again in a moment.
    Full,
    /// It has come to its end.
    Ended,
}
