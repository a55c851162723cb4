//! The request to stop, handed from the process to everything that it started.
//!
//! One token type for tasks and threads: tasks await [`Shutdown::cancelled`], threads wait with
//! [`Shutdown::wait`] or check [`Shutdown::is_cancelled`]. A child is cancelled with its parent,
//! never the other way round. Cancelling is final.

use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;

/// A clone is the same token.
#[derive(Clone, Debug)]
pub struct Shutdown(Arc<ShutdownState>);

#[derive(Debug)]
struct ShutdownState {
    /// For tasks. The truth; the mutex below only serves the condition variable.
    cancelled: watch::Sender<bool>,
    /// For threads.
    lock: Mutex<()>,
    changed: Condvar,
    /// Locked from parent to child when cancelling.
    children: Mutex<Vec<Weak<ShutdownState>>>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}

impl Shutdown {
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(ShutdownState {
            cancelled: watch::Sender::new(false),
            lock: Mutex::new(()),
            changed: Condvar::new(),
            children: Mutex::default(),
        }))
    }

    /// A token that is cancelled with this one, or alone.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Self::new();
        {
            let mut children = self.0.children.lock().unwrap_or_else(PoisonError::into_inner);
            children.retain(|it| 0 < it.strong_count());
            children.push(Arc::downgrade(&child.0));
        }
        // After it is listed: a cancellation in between is seen here or reaches it by the list.
        if self.is_cancelled() {
            child.cancel();
        }
        child
    }

    /// Asks everything below to stop. Doing it again does nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.cancelled.borrow()
    }

    /// Ends when the token is cancelled. Cancel-safe.
    pub async fn cancelled(&self) {
        let mut receiver = self.0.cancelled.subscribe();
        let is_cancelled = receiver.wait_for(|it| *it).await.is_ok();
        assert!(is_cancelled, "the token itself holds the sender");
    }

    /// For threads: waits until the token is cancelled (`true`) or the time has passed (`false`).
    #[must_use]
    pub fn wait(&self, time_max: Duration) -> bool {
        let guard = self.0.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.changed.wait_timeout_while(guard, time_max, |()| !self.is_cancelled());
        drop(waited);
        self.is_cancelled()
    }

    /// For a thread that also waits for another event: returns when the token is cancelled, when
    /// `is_called` holds (checked after [`Shutdown::nudge`]), or after the time; `None`: never.
    pub fn wait_unless(&self, time_max: Option<Duration>, is_called: impl Fn() -> bool) {
        let guard = self.0.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |(): &mut ()| !self.is_cancelled() && !is_called();
        match time_max {
            Some(time) => drop(self.0.changed.wait_timeout_while(guard, time, waits)),
            None => drop(self.0.changed.wait_while(guard, waits)),
        }
    }

    /// Has the threads in [`Shutdown::wait_unless`] look whether they are called.
    pub fn nudge(&self) {
        // A thread that is about to wait holds this lock: it sees the state that the caller has
        // set.
        drop(self.0.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.changed.notify_all();
    }
}

impl ShutdownState {
    fn cancel(&self) {
        {
            let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            self.cancelled.send_replace(true);
        }
        self.changed.notify_all();
        let children: Vec<_> = {
            let children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
            children.iter().filter_map(Weak::upgrade).collect()
        };
        for child in children {
            child.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::Shutdown;

    #[test]
    fn parent_stops_children_and_not_the_other_way_round() {
        let root = Shutdown::new();
        let (a, b) = (root.child(), root.child());
        let a_child = a.child();
        a.cancel();
        assert!(a_child.is_cancelled());
        assert!(!root.is_cancelled() && !b.is_cancelled());
        root.cancel();
        assert!(b.is_cancelled());
        assert!(root.child().is_cancelled(), "a child born late is cancelled at birth");
    }

    #[test]
    fn waiting_thread_is_woken() {
        let token = Shutdown::new();
        let child = token.child();
        let waiting = thread::spawn(move || child.wait(Duration::from_secs(60)));
        token.cancel();
        assert!(waiting.join().unwrap());
        assert!(!Shutdown::new().wait(Duration::ZERO));
    }

    #[tokio::test]
    async fn waiting_task_is_woken() {
        let token = Shutdown::new();
        let child = token.child();
        let waiting = tokio::spawn(async move { child.cancelled().await });
        token.cancel();
        waiting.await.unwrap();
        token.cancelled().await;
    }
}
