//! All problems in a period, during values of other items, and how far the followers lag.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::super::client::Client;
use super::super::load::{Connection, frame};
use super::super::process::{Server, pause};
use super::common::{AlertingArgs, TRIGGERS, count, until};
use crate::common::BenchError;

/// Values of a request.
const PER_REQUEST: usize = 1_000;
/// Parts of a second that problems come in.
const SLICES_PER_S: usize = 20;
/// How many events actions were asked about.
const JUDGED: &str = "saker_escalations_events_total";

/// Triggers, [`TRIGGERS`] a host: those from the first on, or each so many.
#[derive(Clone, Copy)]
pub(super) struct Problems {
    pub(super) first: usize,
    pub(super) n: usize,
    pub(super) step: usize,
    pub(super) is_problem: bool,
}

/// Sends the values that begin or end them.
pub(super) fn send_problems(server: &Server, problems: Problems) -> Result<(), BenchError> {
    let value = if problems.is_problem { "2000000" } else { "1" };
    let mut packet = Vec::new();
    let all: Vec<usize> = (0..problems.n).map(|it| problems.first + it * problems.step).collect();
    for part in all.chunks(PER_REQUEST) {
        fill(part.iter().copied(), 0, value, &mut packet);
        Connection::open(server.trapper)?.send(&packet)?;
    }
    Ok(())
}

/// A request with a value for each of the items, [`TRIGGERS`] a host from the item `base` on.
fn fill(items: impl Iterator<Item = usize>, base: usize, value: &str, packet: &mut Vec<u8>) {
    let mut body = r#"{"request":"sender data","data":["#.to_owned();
    for (at, item) in items.enumerate() {
        let (host, item) = (item / TRIGGERS, base + item % TRIGGERS);
        let comma = if at == 0 { "" } else { "," };
        write!(body, r#"{comma}{{"host":"bench-{host}","key":"load[{item}]","value":"{value}"}}"#)
            .expect("writing to a String succeeds");
    }
    body.push_str("]}");
    frame(&body, packet);
}

#[derive(Clone, Copy)]
pub(super) struct Storm<'a> {
    pub(super) args: &'a AlertingArgs,
    pub(super) n_problems: usize,
    pub(super) is_problem: bool,
}

/// State that the threads of one storm share.
#[derive(Default)]
struct Progress {
    is_over: AtomicBool,
    /// When how many problems had been sent.
    sent: Mutex<Vec<(u64, u64)>>,
    n_values: AtomicU64,
    /// The longest time until values of the load were acknowledged, and thereby judged.
    answer_ns_max: AtomicU64,
}

impl Progress {
    /// When the problem behind the first `n` was sent, if it was.
    fn first_beyond(&self, n: u64) -> Option<u64> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let at = sent.partition_point(|(_, total)| *total <= n);
        sent.get(at).map(|(at_ns, _)| *at_ns)
    }
}

impl Storm<'_> {
    /// All problems begin, or end, in the time of the benchmark. Waits for the followers.
    pub(super) fn run(
        self,
        server: &Server,
        client: &Client,
        name: &str,
        figures: &mut Value,
    ) -> Result<(), BenchError> {
        let (clock, progress, n) = (clock(), Progress::default(), self.n_problems as u64);
        let judged_before = client.metric(JUDGED)?;
        let (cpu, started_ns) = (server.cpu_ns(), clock.mono_ns());
        let [sent_ns, live_ns, saved_ns, judged_ns, lag_ns] = std::thread::scope(|scope| {
            let _ending = EndOnDrop(&progress.is_over);
            let load = scope.spawn(|| self.load(server, &progress));
            let watch = scope.spawn(|| self.watch(client, &progress));
            self.problems(server, &progress)?;
            let sent_ns = clock.mono_ns();
            until("the live list", || Ok(self.n_taken(client)? == n))?;
            let live_ns = clock.mono_ns();
            until("the database", || Ok(client.metric("saker_db_events_waiting")? == 0))?;
            let saved_ns = clock.mono_ns();
            until("actions", || Ok(client.metric(JUDGED)? >= judged_before + n))?;
            let judged_ns = clock.mono_ns();
            progress.is_over.store(true, Ordering::Relaxed);
            load.join().unwrap_or_else(|_panicked| Err(panicked()))?;
            let lag_ns = watch.join().unwrap_or_else(|_panicked| Err(panicked()))?;
            Ok::<_, BenchError>([sent_ns, live_ns, saved_ns, judged_ns, lag_ns])
        })?;
        let after_last = |at_ns: u64| (at_ns - sent_ns) / 1_000_000;
        for (what, value) in [
            ("sent_ms", (sent_ns - started_ns) / 1_000_000),
            ("live_after_last_ms", after_last(live_ns)),
            ("live_lag_ms_max", lag_ns / 1_000_000),
            ("saved_after_last_ms", after_last(saved_ns)),
            ("judged_after_last_ms", after_last(judged_ns)),
            ("cpu_ms", (server.cpu_ns() - cpu) / 1_000_000),
            ("values", progress.n_values.load(Ordering::Relaxed)),
            (
                "values_acknowledged_ms_max",
                progress.answer_ns_max.load(Ordering::Relaxed) / 1_000_000,
            ),
            ("rss_mb", server.memory().rss >> 20),
        ] {
            figures[format!("{name}_{what}")] = json!(value);
        }
        Ok(())
    }

    /// Of the problems, those whose change is in the live list.
    fn n_taken(&self, client: &Client) -> Result<u64, BenchError> {
        let open = count(client)?;
        Ok(if self.is_problem { open } else { (self.n_problems as u64).saturating_sub(open) })
    }

    /// Sends the problems, a slice at its time.
    fn problems(&self, server: &Server, progress: &Progress) -> Result<(), BenchError> {
        let (clock, n_slices) = (clock(), (self.args.seconds * SLICES_PER_S).max(1));
        let started_ns = clock.mono_ns();
        for slice in 0..n_slices {
            let share = |slice: usize| self.n_problems * slice / n_slices;
            let (first, end) = (share(slice), share(slice + 1));
            let now_ns = clock.mono_ns();
            let mut sent = progress.sent.lock().unwrap_or_else(PoisonError::into_inner);
            sent.push((now_ns, end as u64));
            drop(sent);
            let is_problem = self.is_problem;
            send_problems(server, Problems { first, n: end - first, step: 1, is_problem })?;
            let due_ns = started_ns + (slice as u64 + 1) * 1_000_000_000 / SLICES_PER_S as u64;
            while clock.mono_ns() < due_ns {
                pause();
            }
        }
        Ok(())
    }

    /// Values of items without triggers, as many a second as asked for.
    fn load(&self, server: &Server, progress: &Progress) -> Result<(), BenchError> {
        let clock = clock();
        let n_items = self.n_problems;
        let (mut first, mut packet, started_ns) = (0, Vec::new(), clock.mono_ns());
        let mut connection = Connection::open(server.trapper)?;
        while !progress.is_over.load(Ordering::Relaxed) {
            let n_due = self.args.values_per_s * (clock.mono_ns() - started_ns) / 1_000_000_000;
            if n_due <= progress.n_values.load(Ordering::Relaxed) {
                pause();
                continue;
            }
            let n = PER_REQUEST.min(n_items - first);
            fill(first..first + n, TRIGGERS, "17", &mut packet);
            if !connection.is_fresh() {
                connection = Connection::open(server.trapper)?;
            }
            let asked_ns = clock.mono_ns();
            connection.send(&packet)?;
            progress.answer_ns_max.fetch_max(clock.mono_ns() - asked_ns, Ordering::Relaxed);
            progress.n_values.fetch_add(n as u64, Ordering::Relaxed);
            first = (first + n) % n_items;
        }
        Ok(())
    }

    /// The longest time for which a problem that had been sent was not in the live list.
    fn watch(&self, client: &Client, progress: &Progress) -> Result<u64, BenchError> {
        let (clock, mut lag_ns) = (clock(), 0);
        while !progress.is_over.load(Ordering::Relaxed) {
            let taken = self.n_taken(client)?;
            let now_ns = clock.mono_ns();
            if let Some(sent_ns) = progress.first_beyond(taken) {
                lag_ns = lag_ns.max(now_ns.saturating_sub(sent_ns));
            }
            pause();
        }
        Ok(lag_ns)
    }
}

fn clock() -> rt::clock::Clock {
    rt::clock::Clock::real()
}

fn panicked() -> BenchError {
    BenchError::Answer("a panic".to_owned())
}

/// Ends the threads of a storm, also when one of them fails.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
