//! The query of a trigger to a window.

use lang::expression::{Comparison, Op};

/// A comparison, with what it gives now.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    pub op: Op,
    pub right: f64,
    pub is_true: bool,
}

impl Compared {
    /// Whether it gives with this number what it gives now.
    #[inline]
    pub fn gives(&self, left: f64) -> bool {
        Comparison::is_true(self.op, left, self.right) == Some(self.is_true)
    }
}
