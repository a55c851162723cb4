//! Data that accompanies a value through its steps.

use model::Time;
use model::value::LogEntry;

use crate::pending::Pending;

/// Data that accompanies a value through preprocessing.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ValueMeta<'a> {
    /// Of a value that has waited; 0 of others.
    pub(in super::super) id: u64,
    pub(in super::super) time: Time,
    pub(in super::super) log: Option<&'a LogEntry>,
}

impl<'a> ValueMeta<'a> {
    pub(in super::super) fn of(pending: &'a Pending) -> Self {
        Self { id: pending.id, time: pending.time, log: pending.log.as_deref() }
    }
}
