//! Positions in the stream.

use std::fmt;

/// A position in the stream: bytes of frames since the beginning of the journal's life.
///
/// Differences are amounts of journal, which is how consumers measure their lag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lsn(pub u64);

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// How far a reader goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upto {
    /// Everything appended: for replay at start, when all that is there has been synced.
    Written,
    /// Records that a power cut can't take back: for readers that store them elsewhere.
    Synced,
}
