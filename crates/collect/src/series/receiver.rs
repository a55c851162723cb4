//! From a request to values on their way to the shards.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ingress::{Ingress, Last, Target};
use model::Time;
use model::batch::RawRef;
use model::content::ItemType;
use rt::clock::{Clock, nanos};
use rt::metrics::Registry;
use tokio::time::timeout;

use super::learning::{Learning, Learnt};
use super::register::Register;
use super::report::{
    Message, Point, PushSeriesError, Refusal, SeriesJudge, SeriesMetrics, SeriesReport,
    SeriesSettings, SeriesStore,
};
use crate::{Configuration, Directory};

/// How long a request waits for the items of its new series: senders of OpenTelemetry give up after ten
/// seconds.
const ITEMS_MAX: Duration = Duration::from_secs(7);
/// How long it waits for the journal.
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
    /// Tells the discovery of new series, and requests of their items.
    pub(super) changed: Condvar,
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
        }
    }

    /// What is half changed here is made anew by the next discovery.
    pub(super) fn lock(&self) -> MutexGuard<'_, Register> {
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request's values; returns when they are written. Blocks, also for the items of new series.
    /// To be called within the runtime that `handle` is of.
    ///
    /// # Errors
    /// If it can't be read, or has to come again.
    pub fn push(
        &self,
        message: &Message<'_>,
        judge: &dyn SeriesJudge,
        handle: &tokio::runtime::Handle,
    ) -> Result<SeriesReport, PushSeriesError> {
        self.metrics.requests_total.of(message.name()).inc();
        let taken = self.take(message, judge, handle);
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

    fn take(
        &self,
        message: &Message<'_>,
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
        let Learnt { points, mut report, refused, n_not_numbers, n_skipped, .. } = learnt;
        for (reason, n) in refused {
            self.metrics.refused_total.of(reason.name()).add(n);
        }
        self.metrics.not_numbers_total.add(n_not_numbers);
        self.metrics.skipped_total.add(n_skipped);
        self.write(&points, &mut report, handle)?;
        Ok(report)
    }

    fn learn(
        &self,
        message: &Message<'_>,
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
        if learnt.is_waiting {
            self.changed.notify_all();
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

    /// Waits until it is known which items each series has.
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

    /// Where the values go.
    fn rows(
        &self,
        points: &[Point],
        report: &mut SeriesReport,
        directory: &dyn Directory,
    ) -> Vec<(Target, Time, f64)> {
        let mut rows = Vec::with_capacity(points.len());
        let (mut n_restricted, mut gone) = (0, Vec::new());
        let mut register = self.lock();
        for point in points {
            let n_before = rows.len();
            for item in register.items(point.series) {
                match directory.item(*item) {
                    None => gone.push(point.series),
                    Some(it) if it.restricted => n_restricted += 1,
                    Some(it) if it.enabled && it.kind == ItemType::Trapper => {
                        rows.push((it.target, point.time, point.value));
                    }
                    Some(_) => {}
                }
            }
            let is_taken = n_before < rows.len();
            report.n_taken += u64::from(is_taken);
            report.n_filtered += u64::from(!is_taken);
        }
        gone.into_iter().for_each(|it| register.look_again(it));
        drop(register);
        if n_restricted != 0 {
            self.metrics.refused_total.of(Refusal::Restricted.name()).add(n_restricted);
        }
        rows
    }

    fn write(
        &self,
        points: &[Point],
        report: &mut SeriesReport,
        handle: &tokio::runtime::Handle,
    ) -> Result<(), PushSeriesError> {
        let directory = self.configuration.directory();
        let rows = self.rows(points, report, &*directory);
        let submitted = async {
            let closed = |_closed| PushSeriesError::Closed;
            let mut submission = self.ingress.submission();
            let mut request = self.ingress.request(directory.epoch());
            request.expect_rows(rows.len());
            for (target, time, value) in rows {
                if request.push(target, time, RawRef::Float(value)).is_err() {
                    request.refuse();
                }
                if request.is_full() {
                    let next = self.ingress.request(directory.epoch());
                    let full = std::mem::replace(&mut request, next);
                    submission.add(full, Last::No).await.map_err(closed)?;
                }
            }
            submission.add(request, Last::Yes).await.map_err(closed)?;
            submission.wait().await.map_err(closed)
        };
        let written = handle.block_on(async { timeout(WRITTEN_MAX, submitted).await });
        written.unwrap_or(Err(PushSeriesError::Late))?;
        self.metrics.values_total.add(report.n_taken);
        self.metrics.filtered_total.add(report.n_filtered);
        Ok(())
    }
}
