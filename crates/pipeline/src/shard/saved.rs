//! The state of an item in a checkpoint.

use directory::steps::StepMemory;

use super::trends::Accumulator;
use crate::live::{LiveCell, Remarks, Two};
use crate::pending::Pending;

/// The saved state of one item.
#[derive(Debug, Default)]
pub(super) struct SavedItem {
    pub(super) since: u32,
    pub(super) cell: LiveCell,
    /// Of an item of text: its values.
    pub(super) two: Two,
    pub(super) remarks: Option<Remarks>,
    pub(super) memory: StepMemory,
    pub(super) pending: Vec<Pending>,
    pub(super) trend: Accumulator,
}
