//! The tasks: one passes due jobs to collectors, one passes their results to the shards, one for
//! each collector.
//!
//! Back-pressure: results wait for room in the shards' queues, collectors for room in the results'
//! queue, and due items for room in collectors: they become late, which figures show, and nothing
//! is lost.

use std::convert::Infallible;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use model::Now;
use model::batch::{OwnedRaw, RawRef};
use model::figures::QUEUE_CLASSES_S;
use rt::lanes::Lanes;
use rt::metrics::{Counter, Gauge, Registry};
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::task::Tasks;
use rt::worker::{GroupHandle, Next, OnPanic, Worker, WorkerFailure, WorkerRow};
use tokio::task::yield_now;

use super::polling::{CollectParts, Polling};
use super::refusals::Refusals;
use super::targets::KnownTargets;
use crate::active::{self, ActiveChecks, SilenceWatch};
use crate::collectors::{
    self, CheckResult, CollectorContext, Finished, JobQueue, OdbcWorkers, Reading,
};
use crate::mibs::Mibs;
use crate::schedule::{Outcome, is_timeout};
use ingress::Ingress;

/// Jobs prepared without letting other tasks run: some 2 µs each.
const JOBS_A_TURN: usize = 128;
/// Finished conversations that wait to be handed over, in parts of one or several that ended
/// together. Collectors wait when it is full.
const FINISHED_MAX: usize = 4_096;
/// Parts that are handled together.
const FINISHED_A_TURN: usize = 64;
/// How often figures are updated.
const FIGURES_EACH: Duration = Duration::from_secs(5);

/// Starts everything.
pub(super) fn start(
    parts: &CollectParts,
    polling: &Arc<Polling>,
    (active, refusals, mibs): (&Arc<ActiveChecks>, &Arc<Refusals>, &Arc<Mibs>),
    (registry, tasks, lanes): (&Registry, &Tasks, &Lanes),
) -> Arc<CollectorContext> {
    let clock = &parts.clock;
    let (finished, results) =
        queue::bounded("collect-finished", FINISHED_MAX, WhenFull::Block, clock, registry);
    let shared = Arc::new(CollectorContext {
        clock: clock.clone(),
        tasks: tasks.clone(),
        configuration: Arc::clone(&parts.configuration),
        internals: Arc::clone(&parts.internals),
        local_agent: Arc::clone(&parts.local_agent),
        http: Arc::clone(&parts.http),
        readings: parts.readings.clone(),
        scripts: Arc::clone(&parts.scripts),
        browsers: parts.browsers.clone(),
        shells: Arc::clone(&parts.shells),
        item_states: Arc::clone(&parts.item_states),
        maintenances: Arc::clone(&parts.maintenances),
        availability: Arc::clone(&parts.availability),
        active: Arc::clone(active),
        overview: Arc::clone(polling) as _,
        dns: parts.dns.clone(),
        mibs: Arc::clone(mibs),
        tls: parts.tls.clone(),
        external_scripts: {
            let external = &parts.settings.collectors.external;
            (external.scripts.clone(), external.kept_scripts.clone())
        },
        java_gateway: {
            let jmx = &parts.settings.collectors.jmx;
            (jmx.gateway.clone(), Duration::from_millis(jmx.timeout_ms))
        },
        ipmi_timeout: Duration::from_millis(parts.settings.collectors.ipmi.timeout_ms),
        odbc: OdbcWorkers {
            program: parts.own_program.clone(),
            takes_connection_strings: parts.settings.collectors.odbc.connection_strings,
        },
        finished: finished.clone(),
        secret: secret(clock),
        transcript: None,
    });
    let mut queues = Vec::new();
    for (number, collector) in collectors::table().iter().enumerate() {
        let _in_lane = lanes.by_number(number).enter();
        let jobs_max = collector.limits(&parts.settings.collectors).jobs_max;
        let (queue, run) = collector.start(Arc::clone(&shared), jobs_max, registry);
        queues.push(queue);
        let shutdown = tasks.shutdown().clone();
        tasks.spawn(collector.name, async move {
            tokio::select! {
                () = run => {}
                () = shutdown.cancelled() => {}
            }
        });
    }
    let _in_lane = lanes.first().enter();
    let stop = |name: &str, task: Box<dyn Future<Output = ()> + Send>| {
        let (task, shutdown) = (Box::into_pin(task), tasks.shutdown().clone());
        tasks.spawn(name, async move {
            tokio::select! {
                () = task => {}
                () = shutdown.cancelled() => {}
            }
        });
    };
    stop("schedule", Box::new(dispatch_jobs(Arc::clone(polling), queues, finished)));
    stop("results", Box::new(collect_results(Arc::clone(polling), parts.ingress.clone(), results)));
    stop("refusals", Box::new(Arc::clone(refusals).run(parts.ingress.clone())));
    shared
}

/// Passes due jobs to collectors, for ever.
async fn dispatch_jobs(
    polling: Arc<Polling>,
    queues: Vec<Box<dyn JobQueue>>,
    finished: Sender<Vec<Finished>>,
) {
    let mut ended = Vec::new();
    loop {
        let now = polling.clock.now();
        let (jobs, next) = {
            let mut schedule = polling.lock();
            schedule.advance(now);
            (schedule.take_jobs(JOBS_A_TURN, now), schedule.next_tick(now.wall))
        };
        if jobs.is_empty() {
            let left = next.since_ns(now.wall);
            let left = Duration::from_nanos(u64::try_from(left).unwrap_or(0));
            tokio::select! {
                () = polling.clock.sleep(left) => {}
                () = polling.wake.notified() => {}
            }
            continue;
        }
        let snapshot = polling.configuration.snapshot();
        // They are sorted by collector.
        for jobs in jobs.chunk_by(|one, next| one.kind == next.kind) {
            let queue = &queues[jobs[0].kind];
            queue.prefetch(jobs);
            for job in jobs {
                for due in &job.checks {
                    let late_s = now.wall.clock().saturating_sub(i64::from(due.due));
                    let late = Duration::from_secs(u64::try_from(late_s).unwrap_or(0));
                    polling.metrics.lag_seconds.observe(late);
                }
                let submit = || queue.submit(&polling.preparer, &snapshot, job);
                ended.extend(polling.without_data(job).or_else(submit));
            }
        }
        if !ended.is_empty() {
            drop(finished.send(mem::take(&mut ended)).await);
        }
        yield_now().await;
    }
}

/// Passes results to the shards and to the schedule.
async fn collect_results(
    polling: Arc<Polling>,
    ingress: Ingress,
    results: Receiver<Vec<Finished>>,
) {
    let counts: Vec<_> =
        collectors::table().iter().map(|it| Counts::of(&polling, it.name)).collect();
    let mut parts = Vec::new();
    let mut targets = KnownTargets::default();
    while let Some(first) = results.receive().await {
        parts.push(first);
        results.drain(FINISHED_A_TURN - 1, &mut parts);
        let batch: Vec<Finished> = parts.drain(..).flatten().collect();
        // The receiver of values is gone: the process is stopping.
        if post(&polling, (&ingress, &mut targets), &batch).await.is_err() {
            return;
        }
        let now = polling.clock.now();
        let may_start = {
            let mut schedule = polling.lock();
            for finished in &batch {
                counts[finished.job.kind].count(&finished.readings);
                let outcomes = finished.readings.iter().map(|it| (it.ticket, it.outcome()));
                schedule.finish(finished.job, outcomes, now);
            }
            schedule.may_start()
        };
        polling.report();
        if may_start {
            polling.wake.notify_one();
        }
    }
}

async fn post(
    polling: &Polling,
    (ingress, targets): (&Ingress, &mut KnownTargets),
    batch: &[Finished],
) -> Result<(), ingress::Closed> {
    let directory = polling.configuration.directory();
    let mut request = ingress.request(directory.epoch());
    for finished in batch {
        for reading in &finished.readings {
            let value = match &reading.result {
                CheckResult::Answer(answer) => answer.as_ref(),
                CheckResult::Refused(reason) => RawRef::Error(reason),
                CheckResult::NetworkError(_)
                | CheckResult::NotMade
                | CheckResult::InMaintenance => continue,
            };
            let item = (finished.job.host, reading.item);
            let target = targets.of(&*directory, item, reading.ticket);
            let pushed = target.map(|it| request.push(it, reading.time, value));
            if !matches!(pushed, Some(Ok(()))) {
                request.refuse();
            }
        }
        if request.is_full() {
            let full = mem::replace(&mut request, ingress.request(directory.epoch()));
            ingress.post(full).await?;
        }
    }
    ingress.post(request).await
}

impl Reading {
    fn outcome(&self) -> Outcome<'_> {
        match &self.result {
            CheckResult::Answer(OwnedRaw::Error(reason)) if is_timeout(reason) => Outcome::TimedOut,
            CheckResult::Answer(_) => Outcome::Answered,
            CheckResult::NetworkError(reason) => Outcome::Failed(reason),
            CheckResult::Refused(_) | CheckResult::NotMade | CheckResult::InMaintenance => {
                Outcome::NotMade
            }
        }
    }
}

/// Counters of one collector.
struct Counts {
    checks: Counter,
    not_supported: Counter,
    network_errors: Counter,
    not_made: Counter,
    in_maintenance: Counter,
}

impl Counts {
    fn of(polling: &Polling, collector: &str) -> Self {
        let metrics = &polling.metrics;
        Self {
            checks: metrics.checks_total.of(collector),
            not_supported: metrics.not_supported_total.of(collector),
            network_errors: metrics.network_errors_total.of(collector),
            not_made: metrics.not_made_total.of(collector),
            in_maintenance: metrics.in_maintenance_total.of(collector),
        }
    }

    fn count(&self, readings: &[Reading]) {
        let is_finished = |it: &&Reading| it.result != CheckResult::InMaintenance;
        self.checks.add_n(readings.iter().filter(is_finished).count());
        for reading in readings {
            match &reading.result {
                CheckResult::Answer(OwnedRaw::Error(_)) | CheckResult::Refused(_) => {
                    self.not_supported.inc();
                }
                CheckResult::Answer(_) => {}
                CheckResult::NetworkError(_) => self.network_errors.inc(),
                CheckResult::NotMade => self.not_made.inc(),
                CheckResult::InMaintenance => self.in_maintenance.inc(),
            }
        }
    }
}

/// Adds the workers that follow the clock.
pub(super) fn add_workers(
    polling: &Arc<Polling>,
    active: &Arc<ActiveChecks>,
    timers: &GroupHandle,
) {
    timers.add(FIGURES, |_| PollFigures::new(Arc::clone(polling)));
    timers.add(active::ROW, |_| SilenceWatch(Arc::clone(active)));
}

/// For the list of workers.
const FIGURES: WorkerRow = WorkerRow {
    name: "poll-figures",
    job: "counts late items and checks under way, for metrics",
    woken_by: "the clock, each five seconds",
    waits: "metrics of collectors are old",
    on_panic: OnPanic::Reload,
};

/// Keeps gauges up to date.
struct PollFigures {
    polling: Arc<Polling>,
    /// Items that are late and jobs, by collector.
    gauges: Vec<(Gauge, Gauge)>,
}

impl PollFigures {
    fn new(polling: Arc<Polling>) -> Self {
        let metrics = &polling.metrics;
        let of = |name| (metrics.overdue.of(name), metrics.jobs_running.of(name));
        let gauges = collectors::table().iter().map(|it| of(it.name)).collect();
        Self { polling, gauges }
    }
}

impl Worker for PollFigures {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        let Self { polling, gauges } = self;
        let schedule = polling.lock();
        polling.metrics.items.set_n(schedule.n_items());
        let overdue = schedule.n_overdue(QUEUE_CLASSES_S[0], None, now.wall);
        for (((late, running), n_late), n_jobs) in gauges.iter().zip(overdue).zip(schedule.n_jobs())
        {
            late.set(n_late as f64);
            running.set_n(n_jobs);
        }
        drop(schedule);
        Ok(Next::after(now, FIGURES_EACH))
    }

    /// It keeps nothing.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Without a source of randomness the clock has to do: it keeps out accidents, if not attackers.
fn secret(clock: &rt::clock::Clock) -> u64 {
    getrandom::u64().unwrap_or_else(|_no_source| clock.wall().0.cast_unsigned().rotate_left(32))
}
