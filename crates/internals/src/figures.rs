//! Figures of the whole process, taken once a second: rates, busy shares, memory.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use collect::Collectors;
use engine::mailboxes::Mailboxes;
use engine::readers::Cursors;
use engine::shard::ShardMetrics;
use engine::states::States;
use journal::Journal;
use model::Now;
use model::figures::{Figures, Nvps, ShardFigures};
use rt::clock::Clock;
use rt::metrics::Counter;
use rt::process_stat::ProcessStat;
use rt::worker::{Next, OnPanic, Worker, WorkerFailure, WorkerRow};

use crate::Watched;

/// Between two points of the graph of values per second: five seconds, minus the time that a turn
/// may be early.
const POINT_EACH_NS: u64 = 4_500_000_000;
/// Points kept: one hour.
const NVPS_POINTS: usize = 720;
/// Checks later than this are in the queue.
const OVERDUE: Duration = Duration::from_secs(10);
/// Rates are of this many seconds.
const WINDOW_S: usize = 10;

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "figures",
    job: "takes figures of the server: values a second, busy shares, memory",
    woken_by: "the clock, each second",
    waits: "figures of the server stay as they are",
    on_panic: OnPanic::Reload,
};

/// The counters, and the target of the figures.
#[derive(Debug)]
pub struct FigureParts {
    pub clock: Clock,
    pub journal: Journal,
    pub mailboxes: Mailboxes,
    pub metrics: ShardMetrics,
    pub states: Arc<States>,
    pub cursors: Arc<Cursors>,
    pub running: Watched,
    pub shared: Arc<PublishedFigures>,
}

/// The figures that readers get.
#[derive(Debug, Default)]
pub struct PublishedFigures {
    figures: ArcSwap<Figures>,
    nvps: Mutex<VecDeque<(i64, f64)>>,
}

impl PublishedFigures {
    /// The newest.
    #[must_use]
    pub fn figures(&self) -> Arc<Figures> {
        self.figures.load_full()
    }

    /// Values per second over the last hour.
    pub fn nvps(&self) -> Nvps {
        let points = self.nvps.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, values) = points.iter().copied().unzip();
        Nvps { times, values }
    }
}

/// Counters at one time.
#[derive(Clone, Default, Debug)]
struct Counts {
    mono_ns: u64,
    processed: u64,
    busy_ns: Vec<u64>,
    cpu_ns: u64,
}

/// The worker.
#[derive(Debug)]
pub struct FigureTaker {
    parts: FigureParts,
    busy: Vec<Counter>,
    /// The counters of the last seconds.
    window: VecDeque<Counts>,
    /// When the last point was added, in monotonic nanoseconds, and how many values there were.
    point: (u64, u64),
}

impl Worker for FigureTaker {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        let counts = Counts {
            mono_ns: now.mono_ns,
            processed: self.parts.metrics.processed_total.get(),
            busy_ns: self.busy.iter().map(Counter::get).collect(),
            cpu_ns: cpu_ns(),
        };
        if POINT_EACH_NS <= counts.mono_ns.saturating_sub(self.point.0) || self.point.0 == 0 {
            self.add_point(&counts);
        }
        let before = self.window.front().cloned().unwrap_or_default();
        self.parts.shared.figures.store(Arc::new(self.figures(&before, &counts)));
        self.window.push_back(counts);
        if WINDOW_S < self.window.len() {
            self.window.pop_front();
        }
        Ok(Next::at_next_second(now))
    }

    /// Rates begin again.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        self.window.clear();
        Ok(())
    }
}

impl FigureTaker {
    #[must_use]
    pub fn new(parts: FigureParts) -> Self {
        let shards = 0..parts.mailboxes.n_shards();
        let busy = shards.map(|it| parts.metrics.busy_ns_total.of(&it.to_string())).collect();
        Self { parts, busy, window: VecDeque::new(), point: (0, 0) }
    }

    fn add_point(&mut self, counts: &Counts) {
        let (then_ns, then_processed) = self.point;
        self.point = (counts.mono_ns, counts.processed);
        if then_ns == 0 {
            return;
        }
        let rate = per_second(counts.processed - then_processed, counts.mono_ns - then_ns);
        let mut points = self.parts.shared.nvps.lock().unwrap_or_else(PoisonError::into_inner);
        points.push_back((self.parts.clock.wall().clock(), rate));
        if NVPS_POINTS < points.len() {
            points.pop_front();
        }
    }

    fn figures(&self, before: &Counts, now: &Counts) -> Figures {
        let elapsed_ns = now.mono_ns.saturating_sub(before.mono_ns);
        let share = |spent_ns: u64| {
            if elapsed_ns == 0 { 0.0 } else { 100.0 * spent_ns as f64 / elapsed_ns as f64 }
        };
        let shards = now.busy_ns.iter().enumerate().map(|(id, busy)| {
            let was = before.busy_ns.get(id).copied().unwrap_or(0);
            ShardFigures {
                id: u32::try_from(id).unwrap_or(u32::MAX),
                busy_percent: share(busy.saturating_sub(was)),
                queue: self.parts.mailboxes.depth(u16::try_from(id).unwrap_or(u16::MAX)) as u64,
            }
        });
        let collectors = self.parts.running.collectors();
        let lag = self.parts.cursors.lag_bytes(self.parts.journal.next_lsn().0);
        let rate = per_second(now.processed.saturating_sub(before.processed), elapsed_ns);
        Figures {
            uptime_s: now.mono_ns / 1_000_000_000,
            values_total: now.processed,
            values_per_second: rate,
            required_values_per_second: collectors.map_or(0.0, Collectors::required_performance),
            items_unsupported: self.parts.states.n_unsupported(),
            journal_bytes: self.parts.journal.next_lsn().0 - self.parts.journal.first_lsn().0,
            journal_lag_ms: lag_ms(lag, rate),
            shards: shards.collect(),
            queue_overdue: collectors.map_or(0, |it| it.n_overdue(OVERDUE, None)),
            memory_bytes: resident_bytes(),
            // Ticks are 10 ms.
            cpu_percent: share(now.cpu_ns.saturating_sub(before.cpu_ns)),
        }
    }
}

/// How long the journal took to grow by `bytes`, at some 10 bytes a value.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float above the largest integer becomes it, and none here is negative"
)]
fn lag_ms(bytes: u64, values_per_second: f64) -> u64 {
    (bytes as f64 / (values_per_second * 10.0).max(1.0) * 1e3) as u64
}

fn per_second(n: u64, elapsed_ns: u64) -> f64 {
    if elapsed_ns == 0 { 0.0 } else { n as f64 * 1e9 / elapsed_ns as f64 }
}

/// User and system time of this process, in nanoseconds.
fn cpu_ns() -> u64 {
    ProcessStat::own().map_or(0, |it| it.cpu_ns())
}

fn resident_bytes() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|it| it.parse::<u64>().ok());
    // Pages of 4 KiB, as on all machines that Debian runs servers on by default.
    pages.unwrap_or(0) * 4_096
}
