//! Locks of this crate, with one policy for those that a panic has poisoned: go on.
//!
//! What a lock guards here is whole before and after each single call made under it, so a panic in
//! between leaves nothing half done that matters; and a server whose every later request fails
//! because one of them panicked is worse than the panic. The panic itself is caught, counted and
//! logged where the thread or task was started.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::Duration;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Waits while the condition holds, as long as `time_max`.
pub(crate) fn wait_while<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    time_max: Duration,
    condition: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    let waited = changed.wait_timeout_while(guard, time_max, condition);
    waited.unwrap_or_else(PoisonError::into_inner).0
}
