//! Connections that read.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use history::Result;
use postgres::Client;

use super::error::{away, failure};

/// The most queries at once: more would only share the server's cores. Further ones wait.
const CONNECTIONS_MAX: usize = 4;

/// A few connections, made when they are needed.
pub(super) struct Readers {
    state: Mutex<ConnectionPool>,
    is_free: Condvar,
    /// A caller that waits this long for a connection gets the error that the store is busy.
    wait_max: Duration,
}

#[derive(Default)]
struct ConnectionPool {
    idle: Vec<Client>,
    n_used: usize,
}

impl Readers {
    pub(super) fn new(wait_max: Duration) -> Self {
        Self { state: Mutex::default(), is_free: Condvar::new(), wait_max }
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionPool> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks on a connection of its own; where an old one turns out to have ended, on a new one.
    ///
    /// # Errors
    /// No connection is free or can be made, or the server does not answer.
    pub(super) fn ask<T>(
        &self,
        connect: impl Fn() -> Result<Client>,
        query: impl Fn(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T> {
        let idle = self.take()?;
        let _used = InUse(self);
        if let Some(mut client) = idle {
            let answer = query(&mut client);
            if !client.is_closed() {
                self.lock().idle.push(client);
                return answer.map_err(|it| failure(&it));
            }
        }
        let mut client = connect()?;
        let answer = query(&mut client);
        if !client.is_closed() {
            self.lock().idle.push(client);
        }
        answer.map_err(|it| failure(&it))
    }

    fn take(&self) -> Result<Option<Client>> {
        let is_busy = |it: &mut ConnectionPool| CONNECTIONS_MAX <= it.n_used;
        let waited = self.is_free.wait_timeout_while(self.lock(), self.wait_max, is_busy);
        let (mut state, wait) = waited.unwrap_or_else(PoisonError::into_inner);
        if wait.timed_out() {
            return Err(away("all of its connections are busy"));
        }
        state.n_used += 1;
        Ok(state.idle.pop())
    }

    /// Those that nobody uses.
    pub(super) fn take_all(&self) -> Vec<Client> {
        std::mem::take(&mut self.lock().idle)
    }
}

/// Given back when it ends, however that is.
struct InUse<'a>(&'a Readers);

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.0.lock().n_used -= 1;
        self.0.is_free.notify_one();
    }
}
