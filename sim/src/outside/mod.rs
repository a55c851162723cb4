//! The surroundings of the engine: a database, a store of history on another machine, agents and
//! senders, a disk and a clock with their faults, and bugs.

pub(crate) mod archive;
pub(crate) mod bugs;
pub(crate) mod database;
pub(crate) mod fault_disk;
pub(crate) mod machine;
pub(crate) mod remote;
pub(crate) mod senders;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic that somebody injected leaves nothing half done in here.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
