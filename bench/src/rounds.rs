//! Senders that give every item a value, round after round.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::load::{Connection, Request, Values};
use super::process::{Receiving, cpu_ns};
use crate::common::BenchError;

/// The sender, and its purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Senders {
    pub(super) hosts: usize,
    /// Items a host.
    pub(super) items: usize,
    /// Connections at once.
    pub(super) connections: usize,
    /// By how much the clock of each round is later than that of the one before.
    pub(super) seconds: i64,
    pub(super) values: Values,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    pub(super) per_request: usize,
    /// Several requests on one connection.
    pub(super) keep: bool,
    pub(super) values: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Loaded {
    pub(super) values: u64,
    /// Of the process that takes them.
    pub(super) cpu_ns: u64,
    pub(super) wall_ms: u64,
    pub(super) next_clock: i64,
}

impl Loaded {
    /// With later results.
    pub(super) fn add(&mut self, later: &Self) {
        self.values += later.values;
        self.cpu_ns += later.cpu_ns;
        self.wall_ms += later.wall_ms;
        self.next_clock = later.next_clock;
    }
}

impl Senders {
    /// Four connections that send numbers.
    pub(super) fn new(hosts: usize, items: usize, seconds: i64) -> Self {
        Self { hosts, items, connections: 4, seconds, values: Values::default() }
    }

    /// Sends rounds over all items, host by host, the first with this clock.
    ///
    /// # Errors
    /// If the server can't be reached or has not processed all of them.
    pub(super) fn load(
        &self,
        server: Receiving,
        phase: &Phase,
        clock: i64,
    ) -> Result<Loaded, BenchError> {
        let n_total = self.hosts * self.items;
        let per_round = n_total.div_ceil(phase.per_request);
        let n_requests = phase.values.div_ceil(phase.per_request);
        let clock_of = |round: usize| clock + self.seconds * i64::try_from(round).unwrap_or(0);
        let next = AtomicUsize::new(0);
        let (processed, sent) = (AtomicU64::new(0), AtomicU64::new(0));
        let real = rt::clock::Clock::real();
        let (cpu, wall) = (cpu_ns(server.pid), real.now().mono_ns);

        let worker = || -> Result<(), BenchError> {
            let mut request = Request::default().with_values(self.values);
            let mut kept = None;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if n_requests <= number {
                    return Ok(());
                }
                let (round, part) = (number / per_round, number % per_round);
                let first = part * phase.per_request;
                let n = phase.per_request.min(n_total - first);
                let packet = request.fill(first, n, self.items, clock_of(round));
                let kept_one = kept.take().filter(Connection::is_fresh);
                let is_kept = kept_one.is_some();
                let mut connection = match kept_one {
                    Some(it) => it,
                    None => Connection::open(server.trapper)?,
                };
                let (good, _failed) = match connection.send(packet) {
                    // This thread waited for a processor, and the server closed the idle connection: it took nothing.
                    Err(BenchError::Io { .. }) if is_kept => {
                        connection = Connection::open(server.trapper)?;
                        connection.send(packet)?
                    }
                    sent => sent?,
                };
                sent.fetch_add(n as u64, Ordering::Relaxed);
                processed.fetch_add(good, Ordering::Relaxed);
                kept = phase.keep.then_some(connection);
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.connections).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().try_for_each(|it| it.join().expect("a generator does not panic"))
        })?;

        let (processed, sent) = (processed.into_inner(), sent.into_inner());
        if processed != sent {
            return Err(BenchError::Lost { sent, processed });
        }
        Ok(Loaded {
            values: processed,
            cpu_ns: cpu_ns(server.pid) - cpu,
            wall_ms: (real.now().mono_ns - wall) / 1_000_000,
            next_clock: clock_of(n_requests.div_ceil(per_round)),
        })
    }
}
