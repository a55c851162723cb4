//! Results of the values of a batch.

use model::batch::Refused;

use super::state::NONE;

/// Rows of a batch, by what became of them.
#[derive(Debug, Default)]
pub(super) struct RowsOf {
    pub(super) failed: Vec<(usize, Refused)>,
    pub(super) unsupported: Vec<usize>,
    pub(super) cut: Vec<usize>,
}

impl RowsOf {
    pub(super) fn clear(&mut self) {
        self.failed.clear();
        self.unsupported.clear();
        self.cut.clear();
    }

    pub(super) fn sort(&mut self) {
        self.failed.sort_unstable();
        self.unsupported.sort_unstable();
        self.cut.sort_unstable();
    }
}

/// The result of the current value, besides being processed.
#[derive(Debug)]
pub(super) struct Fared {
    /// The slot that it came to; results of its dependants do not count.
    pub(super) at: u32,
    pub(super) unsupported: bool,
    pub(super) cut: bool,
}

impl Fared {
    pub(super) fn of(at: u32) -> Self {
        Self { at, unsupported: false, cut: false }
    }
}

impl Default for Fared {
    fn default() -> Self {
        Self::of(NONE)
    }
}
