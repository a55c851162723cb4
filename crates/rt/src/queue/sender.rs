//! The side that puts messages in.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, PoisonError};

use super::{BoundedQueue, QueueSendError, QueueState, WhenFull};

/// A clone is one more sender; the queue closes for readers when the last is dropped.
pub struct Sender<T>(Arc<BoundedQueue<T>>);

/// The outcome of one attempt to send a message.
enum Offer<T> {
    Taken,
    /// Full and the policy is to wait.
    Wait(T),
    Failed(QueueSendError<T>),
}

impl<T> Sender<T> {
    pub(super) fn new(shared: Arc<BoundedQueue<T>>) -> Self {
        Self(shared)
    }

    /// Puts a message in, as the queue's policy says. Not cancel-safe: the message is lost with
    /// the future; use [`Sender::try_send`] where that matters.
    ///
    /// # Errors
    /// [`QueueSendError::Closed`] without readers; [`QueueSendError::Full`] if the policy is to refuse.
    pub async fn send(&self, mut message: T) -> Result<(), QueueSendError<T>> {
        loop {
            let mut waiting = pin!(self.0.not_full.tasks.notified());
            // Listed before looking, so that no wake-up falls between looking and waiting.
            waiting.as_mut().enable();
            let offer = self.offer(&mut self.0.lock(), message);
            match offer {
                Offer::Taken => return Ok(()),
                Offer::Failed(error) => return Err(error),
                Offer::Wait(back) => message = back,
            }
            waiting.await;
        }
    }

    /// Waits for room and then sends the result of `take`, if there is one: messages that are not
    /// sent yet stay at their source. Cancel-safe. `take` runs under the queue's lock and must not
    /// use the queue. For queues that block when they are full.
    ///
    /// # Errors
    /// [`QueueSendError::Closed`] without readers; nothing is taken then.
    pub async fn send_from(
        &self,
        mut take: impl FnMut() -> Option<T>,
    ) -> Result<(), QueueSendError<()>> {
        loop {
            let mut waiting = pin!(self.0.not_full.tasks.notified());
            // Listed before looking, as in `send`.
            waiting.as_mut().enable();
            {
                let mut state = self.0.lock();
                if state.n_receivers == 0 {
                    return Err(QueueSendError::Closed(()));
                }
                if state.ring.len() < self.0.bound {
                    match take() {
                        Some(message) => self.0.push(&mut state, message),
                        // The place is somebody else's.
                        None => self.0.not_full.wake_one(state.n_threads_writing),
                    }
                    return Ok(());
                }
            }
            waiting.await;
        }
    }

    /// [`Sender::send`] for threads.
    ///
    /// # Errors
    /// As `send`.
    pub fn send_blocking(&self, mut message: T) -> Result<(), QueueSendError<T>> {
        let mut state = self.0.lock();
        loop {
            match self.offer(&mut state, message) {
                Offer::Taken => return Ok(()),
                Offer::Failed(error) => return Err(error),
                Offer::Wait(back) => message = back,
            }
            state.n_threads_writing += 1;
            let waited = self.0.not_full.threads.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
            state.n_threads_writing -= 1;
        }
    }

    /// Puts a message in if that needs no waiting, whatever the policy.
    ///
    /// # Errors
    /// As `send`, and [`QueueSendError::Full`] where `send` would wait (not counted as refused).
    pub fn try_send(&self, message: T) -> Result<(), QueueSendError<T>> {
        let offer = self.offer(&mut self.0.lock(), message);
        match offer {
            Offer::Taken => Ok(()),
            Offer::Failed(error) => Err(error),
            Offer::Wait(message) => Err(QueueSendError::Full(message)),
        }
    }

    /// Has a thread that waits in [`super::Receiver::receive_timeout`] return without a message; if
    /// none waits, the next call returns so. For signals from outside the queue, such as a request
    /// to end: the reader sees them before any message that is sent after this. Of several readers
    /// it reaches one.
    pub fn interrupt(&self) {
        let mut state = self.0.lock();
        state.is_interrupted = true;
        if 0 < state.n_threads_reading {
            self.0.not_empty.threads.notify_one();
        }
    }

    /// Messages waiting now.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.lock().ring.len()
    }

    fn offer(&self, state: &mut QueueState<T>, message: T) -> Offer<T> {
        let shared = &*self.0;
        if state.n_receivers == 0 {
            return Offer::Failed(QueueSendError::Closed(message));
        }
        if state.ring.len() == shared.bound {
            match shared.when_full {
                WhenFull::Block => return Offer::Wait(message),
                WhenFull::Refuse => {
                    shared.stats.refused_total.inc();
                    return Offer::Failed(QueueSendError::Full(message));
                }
                WhenFull::DropOldest => {
                    state.ring.pop_front();
                    shared.stats.dropped_total.inc();
                }
            }
        }
        shared.push(state, message);
        Offer::Taken
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.lock().n_senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let n_senders = {
            let mut state = self.0.lock();
            state.n_senders -= 1;
            state.n_senders
        };
        if n_senders == 0 {
            self.0.not_empty.wake_all();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("stats", &self.0.stats).finish_non_exhaustive()
    }
}
