//! Locks of this crate, with one policy for those that a panic has poisoned: go on.
//!
//! State guarded by a lock here is consistent before and after each single call made under it, so a
//! panic in between leaves nothing half done that matters; and a server whose every later request
//! fails because one of them panicked is worse than the panic. The panic itself is caught, counted
//! and logged where the thread or task was started.

use std::collections::VecDeque;
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

/// A mutex with a bounded wait: its holder may wait for a database. Turns come in the order in
/// which they were asked for, so that who takes many in a row does not keep others waiting.
pub(crate) struct Turns<T> {
    queue: Mutex<Queue>,
    freed: Condvar,
    /// Taken only by who has set `is_taken`, so it is free then.
    value: Mutex<T>,
}

#[derive(Default)]
struct Queue {
    is_taken: bool,
    next_number: u64,
    /// The numbers of those who wait, the longest first.
    waiting: VecDeque<u64>,
}

impl<T> Turns<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { queue: Mutex::default(), freed: Condvar::new(), value: Mutex::new(value) }
    }

    /// `None` if others have it all the time.
    pub(crate) fn take(&self, time_max: Duration) -> Option<Turn<'_, T>> {
        let mut queue = lock(&self.queue);
        let number = queue.next_number;
        queue.next_number += 1;
        queue.waiting.push_back(number);
        let has_to_wait = |it: &mut Queue| it.is_taken || it.waiting.front() != Some(&number);
        let mut queue = wait_while(&self.freed, queue, time_max, has_to_wait);
        let is_refused = has_to_wait(&mut queue);
        queue.waiting.retain(|it| *it != number);
        queue.is_taken |= !is_refused;
        drop(queue);
        if is_refused {
            // The next one may have waited for this one only.
            self.freed.notify_all();
            return None;
        }
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
        lock(&self.turns.queue).is_taken = false;
        self.turns.freed.notify_all();
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
    fn waiting_caller_continues_when_the_lock_is_free() {
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

    #[test]
    fn frequent_caller_yields_to_waiting_callers() {
        const LONG: Duration = Duration::from_secs(3_600);
        let turns = Turns::new(Vec::new());
        let mut held = turns.take(LONG).expect("it is free");
        std::thread::scope(|scope| {
            scope.spawn(|| turns.take(LONG).expect("for ever is enough").push("who waited"));
            while lock(&turns.queue).waiting.is_empty() {
                std::thread::yield_now();
            }
            held.push("first");
            drop(held);
            turns.take(LONG).expect("for ever is enough").push("again");
        });
        let order = turns.take(LONG).map(|it| it.clone());
        assert_eq!(order, Some(vec!["first", "who waited", "again"]));
    }

    #[test]
    fn caller_that_gives_up_leaves_the_queue() {
        let turns = Turns::new(0);
        let held = turns.take(Duration::ZERO).expect("it is free");
        assert!(turns.take(Duration::ZERO).is_none());
        drop(held);
        assert!(turns.take(Duration::ZERO).is_some());
    }
}
