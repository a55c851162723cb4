//! Locks of this crate, with one policy for those that a panic has poisoned: go on.
//!
//! What a lock guards here is whole before and after each single call made under it, so a panic in
//! between leaves nothing half done that matters; and a server whose every later request fails
//! because one of them panicked is worse than the panic. The panic itself is caught, counted and
//! logged where the thread or task was started.

use std::ops::{Deref, DerefMut};
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

/// A mutex that is not waited for without end: who holds it may wait for a database.
pub(crate) struct Turns<T> {
    is_taken: Mutex<bool>,
    freed: Condvar,
    /// Taken only by who has set `is_taken`, so it is free then.
    value: Mutex<T>,
}

impl<T> Turns<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { is_taken: Mutex::new(false), freed: Condvar::new(), value: Mutex::new(value) }
    }

    /// `None` if others have it all the time.
    pub(crate) fn take(&self, time_max: Duration) -> Option<Turn<'_, T>> {
        let waited = wait_while(&self.freed, lock(&self.is_taken), time_max, |it| *it);
        let mut is_taken = waited;
        if std::mem::replace(&mut *is_taken, true) {
            return None;
        }
        drop(is_taken);
        Some(Turn { value: Some(lock(&self.value)), turns: self })
    }
}

/// The value, until it is dropped, also by a panic.
pub(crate) struct Turn<'a, T> {
    /// Given back before the turn is.
    value: Option<MutexGuard<'a, T>>,
    turns: &'a Turns<T>,
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("a turn has its value until it is dropped")
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("a turn has its value until it is dropped")
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.value = None;
        *lock(&self.turns.is_taken) = false;
        self.turns.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_turn_ends_by_itself_also_by_a_panic() {
        let turns = Turns::new(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut turn = turns.take(Duration::ZERO).expect("it is free");
            *turn = 2;
            assert!(turns.take(Duration::ZERO).is_none(), "it is taken");
            panic!("in its turn");
        }));
        assert!(panicked.is_err());
        assert_eq!(turns.take(Duration::ZERO).map(|it| *it), Some(2));
    }

    #[test]
    fn who_waits_goes_on_when_it_is_free() {
        let turns = Turns::new(0);
        let held = turns.take(Duration::ZERO).expect("it is free");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    *turns.take(Duration::from_secs(3_600)).expect("for ever is enough") += 1;
                });
            }
            drop(held);
        });
        assert_eq!(turns.take(Duration::ZERO).map(|it| *it), Some(4));
    }
}
