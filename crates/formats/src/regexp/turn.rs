//! Work for all searches that one value causes. Each search is bounded by itself
//! ([`super::search`]), but a function may search each value of an hour, a step each line of a
//! document, and a message is compared with each item of its host. While a [`MatchTurn`] lasts, the
//! searches of its thread share one budget. Patterns that are matched in one pass take nothing from
//! it.

use std::cell::Cell;
use std::marker::PhantomData;

/// The steps for all searches of a turn, a few tenths of a second: a value must not hang a shard.
/// Beyond it a search is an error.
pub(super) const TURN_STEPS: u64 = 30_000_000;

thread_local! {
    /// `None`: no turn; each search has its own budget only.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The matching for one value in this thread, until it is dropped. A turn within a turn is part of
/// it.
#[derive(Debug)]
#[must_use = "it ends when it is dropped"]
pub struct MatchTurn {
    is_outermost: bool,
    /// It belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl MatchTurn {
    /// Begins a turn with a whole budget, unless one lasts already.
    pub fn begin() -> Self {
        let is_outermost = LEFT.get().is_none();
        if is_outermost {
            LEFT.set(Some(TURN_STEPS));
        }
        Self { is_outermost, _thread: PhantomData }
    }
}

impl Drop for MatchTurn {
    fn drop(&mut self) {
        if self.is_outermost {
            LEFT.set(None);
        }
    }
}

/// Takes steps from the turn; `None`: they are used up, and stay so until it ends.
pub(super) fn take(steps: u64) -> Option<()> {
    let Some(left) = LEFT.get() else { return Some(()) };
    let after = left.checked_sub(steps);
    LEFT.set(Some(after.unwrap_or(0)));
    after.map(drop)
}

#[cfg(test)]
pub(super) fn left() -> Option<u64> {
    LEFT.get()
}
