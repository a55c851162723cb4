//! Faults that somebody who tests puts into steps: a server has none.

use std::fmt::Debug;

use pipeline::{Effects, Input};

/// Stands for bugs of steps.
pub trait InjectFaults: Send + Sync + Debug {
    /// Called after each step, before its record: a panic here is that of a step that had already
    /// changed the state of its shard.
    fn after_step(&self, shard: u16, input: &Input<'_>, effects: &Effects);
}
