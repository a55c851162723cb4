//! The side that takes messages out.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::{BoundedQueue, QueueState, ReceiveError};
use crate::clock::{Clock, nanos};
use crate::worker::Wake;

/// A clone is one more reader: each message goes to one of them. Senders get an error after the
/// last is dropped; messages still in the queue then are lost and counted as dropped.
pub struct Receiver<T>(Arc<BoundedQueue<T>>);

impl<T> Receiver<T> {
    pub(super) fn new(shared: Arc<BoundedQueue<T>>) -> Self {
        Self(shared)
    }

    /// The next message; `None` when the queue is empty and all senders are gone. Cancel-safe.
    pub async fn receive(&self) -> Option<T> {
        loop {
            let mut waiting = pin!(self.0.not_empty.tasks.notified());
            // Listed before looking, so that no wake-up falls between looking and waiting.
            waiting.as_mut().enable();
            match self.try_receive() {
                Ok(message) => return Some(message),
                Err(ReceiveError::Closed) => return None,
                Err(ReceiveError::Empty) => waiting.await,
            }
        }
    }

    /// [`Receiver::receive`] for threads.
    #[must_use]
    pub fn receive_blocking(&self) -> Option<T> {
        loop {
            match self.receive_timeout(Duration::MAX) {
                Ok(message) => return Some(message),
                Err(ReceiveError::Closed) => return None,
                // The interruption was for a caller of `receive_timeout`.
                Err(ReceiveError::Empty) => {}
            }
        }
    }

    /// For threads: waits for a message for at most `time_max` of real time.
    ///
    /// # Errors
    /// [`ReceiveError::Empty`] after the time, or after [`super::Sender::interrupt`];
    /// [`ReceiveError::Closed`] when the queue is empty and has no senders left.
    pub fn receive_timeout(&self, time_max: Duration) -> Result<T, ReceiveError> {
        let mut state = self.0.lock();
        // Read only if there is a need to wait: the usual case finds work.
        let mut waiting_since: Option<Clock> = None;
        loop {
            // Before the messages: the interruption is older than messages that were sent after it.
            if std::mem::take(&mut state.is_interrupted) {
                return Err(ReceiveError::Empty);
            }
            match self.take(&mut state) {
                Err(ReceiveError::Empty) => {}
                done => return done,
            }
            let since = waiting_since.get_or_insert_with(Clock::real);
            let left_ns = nanos(time_max).saturating_sub(since.mono_ns());
            if left_ns == 0 {
                return Err(ReceiveError::Empty);
            }
            state.n_threads_reading += 1;
            let left = Duration::from_nanos(left_ns);
            let waited = self.0.not_empty.threads.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.n_threads_reading -= 1;
        }
    }

    /// The next message if there is one.
    ///
    /// # Errors
    /// [`ReceiveError`] says whether there may still come one.
    pub fn try_receive(&self) -> Result<T, ReceiveError> {
        self.take(&mut self.0.lock())
    }

    /// Moves up to `n_max` waiting messages to the end of `into`; returns how many.
    pub fn drain(&self, n_max: usize, into: &mut Vec<T>) -> usize {
        let mut state = self.0.lock();
        let n = state.ring.len().min(n_max);
        into.extend((0..n).filter_map(|_| self.0.pop(&mut state)));
        n
    }

    /// Has each message that comes from now on wake a worker, which takes it with [`Receiver::drain`].
    pub fn wakes(&self, worker: &Wake) {
        self.0.lock().wake = Some(worker.clone());
    }

    /// Messages waiting now.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.lock().ring.len()
    }

    fn take(&self, state: &mut QueueState<T>) -> Result<T, ReceiveError> {
        match self.0.pop(state) {
            Some(message) => Ok(message),
            None if state.n_senders == 0 => Err(ReceiveError::Closed),
            None => Err(ReceiveError::Empty),
        }
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.0.lock().n_receivers += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let left = {
            let mut state = self.0.lock();
            state.n_receivers -= 1;
            if 0 < state.n_receivers {
                return;
            }
            std::mem::take(&mut state.ring)
        };
        self.0.stats.dropped_total.add_n(left.len());
        self.0.stats.depth.set(0.0);
        self.0.not_full.wake_all();
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").field("stats", &self.0.stats).finish_non_exhaustive()
    }
}
