//! From a request to values on their way to the shards.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use ingress::{Ingress, Last, Target};
use model::batch::{RawRef, Refused};
use model::content::ItemType;
use rt::clock::{Clock, nanos};
use rt::metrics::Registry;
use rt::worker::Wake;
use tokio::time::timeout;

use super::learning::{Learning, Learnt};
use super::register::Register;
use super::report::{
    Point, PushSeriesError, PushedMessage, SeriesJudge, SeriesMetrics, SeriesRefusal, SeriesReport,
    SeriesSettings, SeriesStore,
};
use crate::{Configuration, Directory};

/// How long a request waits for the items of its new series: senders of OpenTelemetry give up after
/// ten seconds. After that it has to be sent again.
const ITEMS_MAX: Duration = Duration::from_secs(7);
/// How long it waits for the journal. After that it has to be sent again.
const WRITTEN_MAX: Duration = Duration::from_secs(20);

/// Takes pushed series; one for the process.
pub struct SeriesReceiver {
    pub(super) settings: SeriesSettings,
    ingress: Ingress,
    pub(super) configuration: Arc<dyn Configuration>,
    pub(super) store: Arc<dyn SeriesStore>,
    pub(super) clock: Clock,
    pub(super) metrics: SeriesMetrics,
    register: Mutex<Register>,
    /// Wakes requests that wait for the items of their series.
    pub(super) changed: Condvar,
    /// The wake-up of the discovery, once there is one.
    discovery: OnceLock<Wake>,
}

impl std::fmt::Debug for SeriesReceiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeriesReceiver").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl SeriesReceiver {
    #[must_use]
    pub fn new(
        settings: SeriesSettings,
        (ingress, configuration): (Ingress, Arc<dyn Configuration>),
        store: Arc<dyn SeriesStore>,
        (clock, registry): (&Clock, &Registry),
    ) -> Self {
        Self {
            settings,
            ingress,
            configuration,
            store,
            clock: clock.clone(),
            metrics: SeriesMetrics::register(registry),
            register: Mutex::default(),
            changed: Condvar::new(),
            discovery: OnceLock::new(),
        }
    }

    /// New series, and those whose items are gone, wake this worker from now on.
    pub(super) fn wakes(&self, discovery: &Wake) {
        self.discovery.get_or_init(|| discovery.clone());
    }

    fn wake_discovery(&self) {
        if let Some(it) = self.discovery.get() {
            it.wake();
        }
    }

    /// A state that a panic left incomplete is rebuilt by the next discovery.
    pub(super) fn lock(&self) -> MutexGuard<'_, Register> {
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request's values; returns when they are written. Blocks, also for the items of new
    /// series. To be called within the runtime of `handle`.
    ///
    /// # Errors
    /// If it is unreadable, or has to be sent again.
    pub fn push(
        &self,
        message: &PushedMessage<'_>,
        judge: &dyn SeriesJudge,
        handle: &tokio::runtime::Handle,
    ) -> Result<SeriesReport, PushSeriesError> {
        let taken = self.take(message, judge, handle);
        self.counted(message, taken)
    }

    /// As [`Self::push`] for callers that may wait for the journal only: `None` if series are new
    /// or without their items yet, or the register is in use. Then nothing has been done.
    /// Drop-safe: rows that the shards have by then are written. To be called within a runtime.
    pub async fn push_here(
        self: &Arc<Self>,
        message: &PushedMessage<'_>,
        judge: &dyn SeriesJudge,
    ) -> Option<Result<SeriesReport, PushSeriesError>> {
        let ready = match self.ready_here(message, judge)? {
            Ok(it) => it,
            Err(error) => return Some(self.counted(message, Err(error))),
        };
        let written = match self.submit(&ready).await {
            Ok(by_shards) if by_shards.is_empty() && ready.rows.refused.is_empty() => {
                Ok(self.conclude(ready, &[]))
            }
            // The register knows the reasons.
            Ok(by_shards) => {
                let of_work = Arc::clone(self);
                let concluded =
                    tokio::task::spawn_blocking(move || of_work.conclude(ready, &by_shards));
                concluded.await.map_err(|_stopped| PushSeriesError::Closed)
            }
            Err(error) => Err(error),
        };
        Some(self.counted(message, written))
    }

    fn counted(
        &self,
        message: &PushedMessage<'_>,
        taken: Result<SeriesReport, PushSeriesError>,
    ) -> Result<SeriesReport, PushSeriesError> {
        self.metrics.requests_total.of(message.name()).inc();
        if let Err(error) = &taken {
            let reason = match error {
                PushSeriesError::Message(_) => "message",
                PushSeriesError::Waiting => "waiting",
                PushSeriesError::Late => "late",
                PushSeriesError::Closed => "closed",
            };
            self.metrics.requests_failed_total.of(reason).inc();
        }
        taken
    }

    /// The rows of a request whose series are all known, with one look-up in the register.
    fn ready_here(
        &self,
        message: &PushedMessage<'_>,
        judge: &dyn SeriesJudge,
    ) -> Option<Result<Ready, PushSeriesError>> {
        let snapshot = self.configuration.snapshot();
        let mut register = match self.register.try_lock() {
            Ok(it) => it,
            Err(TryLockError::Poisoned(it)) => it.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let mut learning = Learning::new(
            (&self.settings, &self.metrics),
            (&mut register, &snapshot),
            judge,
            self.clock.wall(),
        )
        .only_known();
        let read = message.read(&mut learning);
        let learnt = learning.end();
        if 0 < learnt.n_unknown || learnt.is_waiting {
            return None;
        }
        if let Err(error) = read {
            return Some(Err(error.into()));
        }
        Some(Ok(self.ready(learnt, register)))
    }

    /// The points of a request as rows for the shards.
    fn ready(&self, learnt: Learnt, mut register: MutexGuard<'_, Register>) -> Ready {
        let Learnt { points, mut report, refused, n_not_numbers, n_skipped, .. } = learnt;
        for (reason, n) in refused {
            self.metrics.refused_total.of(reason.name()).add(n);
        }
        self.metrics.not_numbers_total.add(n_not_numbers);
        self.metrics.skipped_total.add(n_skipped);
        // Read after the register, it has all items that are known there.
        let directory = self.configuration.directory();
        let rows = rows(&mut register, (&points, &mut report), &*directory);
        drop(register);
        if rows.is_any_gone {
            self.wake_discovery();
        }
        Ready { points, report, rows, epoch: directory.epoch() }
    }

    fn take(
        &self,
        message: &PushedMessage<'_>,
        judge: &dyn SeriesJudge,
        handle: &tokio::runtime::Handle,
    ) -> Result<SeriesReport, PushSeriesError> {
        let mut learnt = self.learn(message, judge)?;
        if !learnt.new_hosts.is_empty() {
            self.create_hosts(&learnt.new_hosts);
            learnt = self.learn(message, judge)?;
        }
        if learnt.is_waiting {
            self.wait_for_items(&learnt.points)?;
        }
        let ready = self.ready(learnt, self.lock());
        let by_shards = handle.block_on(self.submit(&ready))?;
        Ok(self.conclude(ready, &by_shards))
    }

    fn learn(
        &self,
        message: &PushedMessage<'_>,
        judge: &dyn SeriesJudge,
    ) -> Result<Learnt, PushSeriesError> {
        let snapshot = self.configuration.snapshot();
        let mut register = self.lock();
        let mut learning = Learning::new(
            (&self.settings, &self.metrics),
            (&mut register, &snapshot),
            judge,
            self.clock.wall(),
        );
        message.read(&mut learning)?;
        let learnt = learning.end();
        drop(register);
        if learnt.is_waiting {
            self.wake_discovery();
        }
        Ok(learnt)
    }

    fn create_hosts(&self, names: &[String]) {
        for name in names {
            match self.store.create_host(name) {
                Ok(()) => self.metrics.new_hosts_total.inc(),
                Err(why) => {
                    tracing::warn!(host = name, why, "cannot make a host for pushed series");
                }
            }
        }
    }

    /// Waits until the items of each series are known.
    fn wait_for_items(&self, points: &[Point]) -> Result<(), PushSeriesError> {
        let deadline = self.clock.mono_ns().saturating_add(nanos(ITEMS_MAX));
        let mut register = self.lock();
        while points.iter().any(|it| register.is_waiting(it.series)) {
            let left = deadline.saturating_sub(self.clock.mono_ns());
            if left == 0 {
                return Err(PushSeriesError::Waiting);
            }
            let waited = self.changed.wait_timeout(register, Duration::from_nanos(left));
            register = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    /// Hands the rows over and waits until they are written; returns those that shards refused.
    async fn submit(&self, ready: &Ready) -> Result<Vec<(u32, Refused)>, PushSeriesError> {
        let Ready { points, rows: Rows { taken, .. }, epoch, .. } = ready;
        let submitted = async {
            let closed = |_closed| PushSeriesError::Closed;
            let mut submission = self.ingress.submission();
            let mut request = self.ingress.request(*epoch);
            request.expect_rows(taken.len());
            for (number, target) in taken {
                let Some(point) = point_of(points, *number) else { continue };
                let (to, value) = ((*number, *target), RawRef::Float(point.value));
                if request.push_numbered(to, point.time, value).is_err() {
                    request.refuse();
                }
                if request.is_full() {
                    let next = self.ingress.request(*epoch);
                    let full = std::mem::replace(&mut request, next);
                    submission.add(full, Last::No).await.map_err(closed)?;
                }
            }
            submission.add(request, Last::Yes).await.map_err(closed)?;
            submission.wait_refused().await.map_err(closed)
        };
        timeout(WRITTEN_MAX, submitted).await.unwrap_or(Err(PushSeriesError::Late))
    }

    /// The result of a request whose rows are written.
    fn conclude(&self, ready: Ready, by_shards: &[(u32, Refused)]) -> SeriesReport {
        let Ready { points, mut report, rows: Rows { taken, mut refused, .. }, .. } = ready;
        let by_shards = refused_points(&taken, by_shards);
        report.n_taken = report.n_taken.saturating_sub(by_shards.len() as u64);
        refused.extend(by_shards);
        self.report_refused(&points, &refused, &mut report);
        self.metrics.values_total.add(report.n_taken);
        self.metrics.filtered_total.add(report.n_filtered);
        report
    }

    /// Counts refused points, and reports the reason of the first one.
    fn report_refused(
        &self,
        points: &[Point],
        refused: &[(u32, SeriesRefusal)],
        report: &mut SeriesReport,
    ) {
        report.n_refused += refused.len() as u64;
        for (_, why) in refused {
            self.metrics.refused_total.of(why.name()).inc();
        }
        let Some((number, why)) = refused.iter().min_by_key(|it| it.0) else { return };
        if report.refusal.is_none() {
            let register = self.lock();
            let series = point_of(points, *number).and_then(|it| register.text(it.series));
            report.refusal = Some(format!("{}: {why}", series.unwrap_or("a series")));
        }
    }
}

/// A request on its way to the shards.
struct Ready {
    points: Vec<Point>,
    report: SeriesReport,
    rows: Rows,
    /// Epoch of the directory that knew the items.
    epoch: u64,
}

/// The outcome of the points of a request, by their numbers.
struct Rows {
    /// A point goes to each item of its series.
    taken: Vec<(u32, Target)>,
    refused: Vec<(u32, SeriesRefusal)>,
    /// An item of a series is gone: the series is looked up again.
    is_any_gone: bool,
}

/// The targets of the values, each with the number of its point; and the reasons of points without
/// a target.
fn rows(
    register: &mut Register,
    (points, report): (&[Point], &mut SeriesReport),
    directory: &dyn Directory,
) -> Rows {
    let taken = Vec::with_capacity(points.len());
    let mut rows = Rows { taken, refused: Vec::new(), is_any_gone: false };
    let mut gone = Vec::new();
    for (number, point) in (0_u32..).zip(points) {
        let n_before = rows.taken.len();
        let mut refusal = None;
        // Its host has been deleted since the request was read.
        if !register.is_known(point.series) {
            refusal = Some(SeriesRefusal::UnknownHost);
        }
        for item in register.items(point.series) {
            match directory.item(*item) {
                None => {
                    gone.push(point.series);
                    refusal = Some(SeriesRefusal::Gone);
                }
                Some(it) if it.restricted => refusal = Some(SeriesRefusal::Restricted),
                Some(it) if it.enabled && it.kind == ItemType::Trapper => {
                    rows.taken.push((number, it.target));
                }
                Some(_) => {}
            }
        }
        match refusal {
            _ if n_before < rows.taken.len() => report.n_taken += 1,
            Some(why) => rows.refused.push((number, why)),
            None => report.n_filtered += 1,
        }
    }
    rows.is_any_gone = !gone.is_empty();
    gone.into_iter().for_each(|it| register.look_up_again(it));
    rows
}

fn point_of(points: &[Point], number: u32) -> Option<&Point> {
    points.get(usize::try_from(number).ok()?)
}

/// Points refused by all of their items. Both lists are in order of numbers.
fn refused_points(
    taken: &[(u32, Target)],
    refused: &[(u32, Refused)],
) -> Vec<(u32, SeriesRefusal)> {
    let mut points = Vec::new();
    for of_point in refused.chunk_by(|one, other| one.0 == other.0) {
        let Some((number, why)) = of_point.first() else { continue };
        let start = taken.partition_point(|it| it.0 < *number);
        let end = taken.partition_point(|it| it.0 <= *number);
        if end - start <= of_point.len() {
            points.push((*number, SeriesRefusal::Shard(*why)));
        }
    }
    points
}
