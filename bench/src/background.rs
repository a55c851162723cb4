//! Values that come at a steady rate while something else is measured.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::load::{Connection, Request};
use crate::common::BenchError;

/// Values of a request.
const PER_REQUEST: usize = 1_000;
const CONNECTIONS: usize = 2;
/// Times begin so long ago, and advance by a second with each round over all items.
const FIRST_CLOCK_S: i64 = 80_000;

/// The kind of values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) hosts: usize,
    /// Items a host.
    pub(super) items: usize,
    /// The first of them.
    pub(super) first_item: usize,
    pub(super) values_per_s: u64,
    /// Items of odd numbers take texts.
    pub(super) has_texts: bool,
}

/// Senders that continue until they are ended. Each waits for its response before it sends again,
/// and catches up when it lags.
pub(super) struct Background {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Result<(), BenchError>>>,
}

#[derive(Default)]
struct Shared {
    is_over: AtomicBool,
    n_values: AtomicU64,
    /// Of requests, until their answers, in nanoseconds.
    times_ns: Mutex<Vec<u64>>,
}

impl Background {
    pub(super) fn start(to: SocketAddr, rate: Rate) -> Self {
        let shared = Arc::new(Shared::default());
        let threads = (0..CONNECTIONS).map(|number| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.send(to, rate, number))
        });
        Self { threads: threads.collect(), shared }
    }

    /// Values that were acknowledged so far.
    pub(super) fn n_values(&self) -> u64 {
        self.shared.n_values.load(Ordering::Relaxed)
    }

    /// How long each request took since the last call, in nanoseconds.
    pub(super) fn take_times_ns(&self) -> Vec<u64> {
        std::mem::take(&mut *self.shared.times_ns.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends the load.
    ///
    /// # Errors
    /// If a request has failed.
    pub(super) fn end(mut self) -> Result<(), BenchError> {
        self.shared.is_over.store(true, Ordering::Relaxed);
        let panicked = |_| Err(BenchError::Answer("a panic".to_owned()));
        self.threads.drain(..).try_for_each(|it| it.join().unwrap_or_else(panicked))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    /// One connection, which has an own part of the items.
    fn send(&self, to: SocketAddr, rate: Rate, number: usize) -> Result<(), BenchError> {
        let clock = rt::clock::Clock::real();
        let n_total = rate.hosts * rate.items;
        let share = |number: usize| n_total * number / CONNECTIONS;
        let (first, end) = (share(number), share(number + 1));
        let per_s = (rate.values_per_s / CONNECTIONS as u64).max(1);
        let (mut next, mut of_values) = (first, clock.wall().clock() - FIRST_CLOCK_S);
        let (mut n_sent, started_ns) = (0_u64, clock.mono_ns());
        let mut request = Request::from_item(rate.first_item).with_texts(rate.has_texts);
        let mut connection = Connection::open(to)?;
        while !self.is_over.load(Ordering::Relaxed) {
            let due_ns = started_ns + n_sent * 1_000_000_000 / per_s;
            wait_until(&clock, due_ns);
            let n = PER_REQUEST.min(end - next);
            let packet = request.fill(next, n, rate.items, of_values);
            let is_kept = 0 < n_sent && connection.is_fresh();
            if !is_kept {
                connection = Connection::open(to)?;
            }
            let asked_ns = clock.mono_ns();
            let (processed, _failed) = match connection.send(packet) {
                // This thread waited for a processor, perhaps before it read the last answer, and the server closed the
                // idle connection: it took nothing.
                Err(BenchError::Io { .. }) if is_kept => {
                    connection = Connection::open(to)?;
                    connection.send(packet)?
                }
                done => done?,
            };
            let took_ns = clock.mono_ns() - asked_ns;
            if processed != n as u64 {
                return Err(BenchError::Lost { sent: n as u64, processed });
            }
            self.n_values.fetch_add(processed, Ordering::Relaxed);
            self.times_ns.lock().unwrap_or_else(PoisonError::into_inner).push(took_ns);
            n_sent += processed;
            next += n;
            if next == end {
                (next, of_values) = (first, of_values + 1);
            }
        }
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "keeps a rate from outside of the server")]
pub(super) fn wait_until(clock: &rt::clock::Clock, due_ns: u64) {
    std::thread::sleep(Duration::from_nanos(due_ns.saturating_sub(clock.mono_ns())));
}

/// The time that so many percent do not pass, in milliseconds; sorts.
pub(super) fn percentile_ms(times_ns: &mut [u64], percent: usize) -> f64 {
    times_ns.sort_unstable();
    let at = times_ns.len().saturating_sub(1) * percent / 100;
    let ns = times_ns.get(at).copied().unwrap_or(0);
    (ns / 1_000) as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::float_cmp, reason = "they are exact")]
    #[test]
    fn percentiles_are_those_of_all() {
        let mut times: Vec<u64> = (1..=200).rev().map(|it| it * 1_000_000).collect();
        assert_eq!(percentile_ms(&mut times, 50), 100.0);
        assert_eq!(percentile_ms(&mut times, 99), 198.0);
        assert_eq!(percentile_ms(&mut times, 100), 200.0);
        assert_eq!(percentile_ms(&mut [], 99), 0.0);
    }
}
