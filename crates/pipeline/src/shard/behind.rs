//! Triggers that were judged in the past.

use model::Time;

use super::state::Says;

/// A trigger that was judged at a point in time after the newest value of its items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind {
    pub(super) level: u16,
    pub(super) host: u32,
    pub(super) position: u32,
    pub(super) time: Time,
    /// Its former result; none if it is to be evaluated in the present with any result.
    pub(super) before: Option<Says>,
}
