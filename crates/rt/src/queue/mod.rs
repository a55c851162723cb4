//! Bounded queues that count: between threads, between tasks, and from one to the other.
//!
//! One type serves both sides of the border, because the most important queues cross it: a task
//! that reads a socket must wait for a busy shard *thread* without blocking its runtime, and the
//! thread must wait for work with a time-out. A mutex around a ring is enough: what travels here
//! are batches of some 1,000 values, and a hop costs less than a microsecond of them.
//!
//! Every queue has a bound, a policy for when it is full ([`WhenFull`]), and metrics by its name:
//! in, out, dropped, refused, depth, age of the oldest. Nothing is lost without being counted.
//!
//! Invariants: `ring.len() <= bound`; a message whose sender got `Ok` is in the ring or taken out
//! (or dropped and counted, with [`WhenFull::DropOldest`]); messages leave in the order in which
//! they came.

mod receiver;
mod sender;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use thiserror::Error;
use tokio::sync::Notify;

pub use receiver::Receiver;
pub use sender::Sender;

use crate::clock::Clock;
use crate::metrics::{Counter, Family, Gauge, Registry};
use crate::worker::Wake;

crate::metrics! {
    /// All queues of the process, by the name of the queue.
    pub(crate) struct QueueMetrics in "saker_queue", formerly "rt_queue" {
        /// Messages put into a queue.
        pub(crate) in_total: Family<Counter> = "queue",
        /// Messages taken out of a queue.
        pub(crate) out_total: Family<Counter> = "queue",
        /// Messages dropped from a full queue whose policy is to drop the oldest.
        pub(crate) dropped_total: Family<Counter> = "queue",
        /// Messages refused by a full queue; the sender kept them and got an error.
        pub(crate) refused_total: Family<Counter> = "queue",
        /// Messages in a queue now.
        pub(crate) depth: Family<Gauge> = "queue",
        /// Most messages that a queue can hold.
        pub(crate) bound: Family<Gauge> = "queue",
        /// How long the oldest message of a queue has been waiting, in seconds.
        pub(crate) oldest_age_seconds: Family<Gauge> = "queue",
    }
}

/// The policy of a full queue for one more message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// The sender waits: back-pressure up to the socket.
    Block,
    /// The sender gets its message back.
    Refuse,
    /// The oldest message goes, and is counted.
    DropOldest,
}

/// Why a message was not taken; it comes back.
#[derive(Error)]
pub enum QueueSendError<T> {
    #[error("the queue is full")]
    Full(T),
    #[error("nobody reads the queue any more")]
    Closed(T),
}

impl<T> fmt::Debug for QueueSendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full",
            Self::Closed(_) => "Closed",
        })
    }
}

impl<T> QueueSendError<T> {
    /// The message that was not sent.
    pub fn into_message(self) -> T {
        match self {
            Self::Full(message) | Self::Closed(message) => message,
        }
    }
}

/// Why there is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ReceiveError {
    #[error("the queue is empty")]
    Empty,
    #[error("the queue is empty and nobody writes to it any more")]
    Closed,
}

/// Opens a queue of at most `bound` messages, named for the metrics in `registry`.
///
/// # Panics
/// When `bound` is 0: such a queue would never take anything.
#[must_use]
pub fn bounded<T: Send + 'static>(
    name: &str,
    bound: usize,
    when_full: WhenFull,
    clock: &Clock,
    registry: &Registry,
) -> (Sender<T>, Receiver<T>) {
    assert!(0 < bound, "queue {name}: a bound of zero takes nothing");
    let shared = Arc::new(BoundedQueue {
        bound,
        when_full,
        clock: clock.clone(),
        stats: Stats::new(name, bound, registry),
        state: Mutex::new(QueueState::new(bound)),
        not_empty: Waiters::default(),
        not_full: Waiters::default(),
    });
    watch_age(&shared, registry);
    (Sender::new(Arc::clone(&shared)), Receiver::new(shared))
}

/// The handles of one queue.
#[derive(Debug)]
struct Stats {
    in_total: Counter,
    out_total: Counter,
    dropped_total: Counter,
    refused_total: Counter,
    depth: Gauge,
    oldest_age_seconds: Gauge,
}

impl Stats {
    fn new(name: &str, bound: usize, registry: &Registry) -> Self {
        let metrics = QueueMetrics::register(registry);
        metrics.bound.of(name).set_n(bound);
        Self {
            in_total: metrics.in_total.of(name),
            out_total: metrics.out_total.of(name),
            dropped_total: metrics.dropped_total.of(name),
            refused_total: metrics.refused_total.of(name),
            depth: metrics.depth.of(name),
            oldest_age_seconds: metrics.oldest_age_seconds.of(name),
        }
    }
}

struct BoundedQueue<T> {
    bound: usize,
    when_full: WhenFull,
    clock: Clock,
    stats: Stats,
    state: Mutex<QueueState<T>>,
    not_empty: Waiters,
    not_full: Waiters,
}

struct QueueState<T> {
    /// Oldest first, each with its time of arrival (monotonic, ns).
    ring: VecDeque<(u64, T)>,
    n_senders: usize,
    n_receivers: usize,
    /// Threads asleep on the condition variables; without any, waking costs no system call.
    n_threads_reading: usize,
    n_threads_writing: usize,
    /// A thread that waits for a message, or is about to, has to return first.
    is_interrupted: bool,
    /// Of a worker that reads.
    wake: Option<Wake>,
}

impl<T> QueueState<T> {
    fn new(bound: usize) -> Self {
        Self {
            // Large bounds are ceilings, not expectations.
            ring: VecDeque::with_capacity(bound.min(64)),
            n_senders: 1,
            n_receivers: 1,
            n_threads_reading: 0,
            n_threads_writing: 0,
            is_interrupted: false,
            wake: None,
        }
    }
}

/// Waiters on one side: threads and tasks. A change wakes one of each; a waiter that comes too late
/// finds nothing and waits again.
#[derive(Default)]
struct Waiters {
    threads: Condvar,
    tasks: Notify,
}

impl Waiters {
    fn wake_one(&self, n_threads: usize) {
        if 0 < n_threads {
            self.threads.notify_one();
        }
        self.tasks.notify_one();
    }

    fn wake_all(&self) {
        self.threads.notify_all();
        self.tasks.notify_waiters();
    }
}

impl<T> BoundedQueue<T> {
    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        // Nothing in here panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, state: &mut QueueState<T>, message: T) {
        state.ring.push_back((self.clock.mono_ns(), message));
        self.stats.in_total.inc();
        self.stats.depth.set_n(state.ring.len());
        self.not_empty.wake_one(state.n_threads_reading);
        if let Some(wake) = &state.wake {
            wake.wake();
        }
    }

    fn pop(&self, state: &mut QueueState<T>) -> Option<T> {
        let (_, message) = state.ring.pop_front()?;
        self.stats.out_total.inc();
        self.stats.depth.set_n(state.ring.len());
        self.not_full.wake_one(state.n_threads_writing);
        Some(message)
    }
}

/// Sets the age of the oldest message whenever metrics are read, as long as the queue lives.
fn watch_age<T: Send + 'static>(shared: &Arc<BoundedQueue<T>>, registry: &Registry) {
    let queue: Weak<BoundedQueue<T>> = Arc::downgrade(shared);
    registry.add_probe(move || {
        let Some(queue) = queue.upgrade() else { return false };
        let oldest_ns = queue.lock().ring.front().map(|(arrived_ns, _)| *arrived_ns);
        let age_ns = oldest_ns.map_or(0, |it| queue.clock.mono_ns().saturating_sub(it));
        queue.stats.oldest_age_seconds.set(age_ns as f64 * 1e-9);
        true
    });
}

#[cfg(test)]
mod tests;
