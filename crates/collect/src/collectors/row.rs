//! How one table holds collectors whose checks are of different types.
//!
//! A collector's own types stay inside its [`CollectorRow`]: the functions of a row are made for
//! the collector, so that a check's payload travels from `prepare` through the queue to `run` in
//! its own type, without a box or a cast.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use model::content::ItemContent;
use model::snapshot::Snapshot;
use rt::metrics::Registry;
use rt::queue::{self, Sender, WhenFull};

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::prepared_cache::PreparedCache;
use super::preparer::Preparer;
use super::request::{CheckResult, Finished, Reading, Request};
use crate::schedule::{Job, Limits};

pub(crate) type Run = Pin<Box<dyn Future<Output = ()> + Send>>;
type Started = (Box<dyn JobQueue>, Run);
type Trial = Pin<Box<dyn Future<Output = Vec<Reading>> + Send>>;

/// A collector in the table; `S` are the settings of all of them.
pub(crate) struct CollectorRow<S> {
    /// Name in metrics, settings and tasks.
    pub(crate) name: &'static str,
    pub(super) takes: fn(&ItemContent) -> Option<Grouping>,
    pub(super) uses_interface: bool,
    has_availability: bool,
    pub(crate) goes_on_in_maintenance: bool,
    limits: fn(&S) -> JobLimits,
    start: fn(Arc<CollectorContext>, (&str, usize), &Registry) -> Started,
    try_out: fn(&CollectorContext, &Preparer, &Snapshot, &Job) -> Trial,
}

impl<S> CollectorRow<S> {
    pub(super) const fn of<C: Collector>(name: &'static str, limits: fn(&S) -> JobLimits) -> Self {
        Self {
            name,
            takes: C::takes,
            uses_interface: C::USES_INTERFACE,
            has_availability: C::HAS_AVAILABILITY,
            goes_on_in_maintenance: C::RUNS_IN_MAINTENANCE,
            limits,
            start: start::<C>,
            try_out: try_out::<C>,
        }
    }

    pub(crate) fn limits(&self, settings: &S) -> Limits {
        let JobLimits { jobs_max, device_jobs_max, job_checks_max } = (self.limits)(settings);
        Limits {
            jobs_max: jobs_max.max(1),
            device_jobs_max,
            job_checks_max,
            has_availability: self.has_availability,
        }
    }

    /// The collector's queue for `jobs_max` requests, and its task, which ends when the queue is
    /// gone.
    pub(crate) fn start(
        &self,
        shared: Arc<CollectorContext>,
        jobs_max: usize,
        registry: &Registry,
    ) -> Started {
        (self.start)(shared, (&format!("collect-{}", self.name), jobs_max), registry)
    }

    /// Makes one job separately from all others, with a collector of its own.
    pub(crate) fn try_out(
        &self,
        shared: &CollectorContext,
        preparer: &Preparer,
        snapshot: &Snapshot,
        job: &Job,
    ) -> Trial {
        (self.try_out)(shared, preparer, snapshot, job)
    }
}

/// The way to one collector.
pub(crate) trait JobQueue: Send + Sync {
    /// Prepares a job and puts it into the collector's queue. A job that ends at once, because
    /// there is nothing to ask or no room, is returned.
    fn submit(&self, preparer: &Preparer, snapshot: &Snapshot, job: &Job) -> Option<Finished>;
    /// Jobs that are submitted next.
    fn prefetch(&self, jobs: &[Job]);
}

struct Queue<C: Collector> {
    requests: Sender<Request<C::Payload>>,
    /// Only the schedule submits: the lock is never contended.
    kept: Mutex<PreparedCache<C>>,
}

impl<C: Collector> JobQueue for Queue<C> {
    fn submit(&self, preparer: &Preparer, snapshot: &Snapshot, job: &Job) -> Option<Finished> {
        let request = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.request(preparer, snapshot, job)
        };
        let ended = if request.checks.is_empty() {
            request
        } else {
            self.requests.try_send(request).err()?.into_message()
        };
        Some(ended.finish_all(preparer.clock.wall(), &CheckResult::NotMade))
    }

    fn prefetch(&self, jobs: &[Job]) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).prefetch(jobs);
    }
}

fn start<C: Collector>(
    shared: Arc<CollectorContext>,
    (name, jobs_max): (&str, usize),
    registry: &Registry,
) -> Started {
    let (queue, requests) =
        queue::bounded(name, jobs_max, WhenFull::Refuse, &shared.clock, registry);
    let queue = Queue::<C> { requests: queue, kept: Mutex::default() };
    (Box::new(queue), Box::pin(C::run(shared, requests)))
}

fn try_out<C: Collector>(
    shared: &CollectorContext,
    preparer: &Preparer,
    snapshot: &Snapshot,
    job: &Job,
) -> Trial {
    // Queues of one request need no figures.
    let registry = Registry::new();
    let (finished, results) =
        queue::bounded("trial-finished", 1, WhenFull::Block, &shared.clock, &registry);
    let (queue, run) = start::<C>(
        Arc::new(CollectorContext { finished, ..shared.clone() }),
        ("trial", 1),
        &registry,
    );
    let ended = queue.submit(preparer, snapshot, job);
    // Without the sender the collector ends after this one.
    drop(queue);
    Box::pin(async move {
        if let Some(ended) = ended {
            return ended.readings;
        }
        run.await;
        let ended = results.try_receive().unwrap_or_default();
        ended.into_iter().flat_map(|it| it.readings).collect()
    })
}

/// The table of collectors, and the settings of all of them. A row is a file and the type in it.
macro_rules! table {
    ($($file:ident::$Collector:ident,)*) => {
        const TABLE: &[row::CollectorRow<CollectorSettings>] = &[$(
            row::CollectorRow::of::<$file::$Collector>(stringify!($file), |it| {
                <$file::$Collector as Collector>::limits(&it.$file)
            }),
        )*];

        /// The table; positions in it are the schedule's kinds.
        pub(crate) fn table() -> &'static [row::CollectorRow<CollectorSettings>] {
            TABLE
        }

        /// The operator's settings of each collector: `collectors.<file>.…`.
        #[derive(Clone, Debug, rt::settings::Deserialize)]
        #[serde(crate = "::rt::settings::serde", default, deny_unknown_fields)]
        pub struct CollectorSettings {
            $(pub $file: $file::Settings,)*
        }

        impl Default for CollectorSettings {
            fn default() -> Self {
                Self { $($file: rt::settings::defaults(),)* }
            }
        }

        impl rt::settings::Part for CollectorSettings {
            const KEYS: &'static [rt::settings::Key] = rt::concat_settings!(
                rt::settings::Key, $(<$file::Settings as rt::settings::Part>::KEYS),*
            );
            const SECTIONS: &'static [rt::settings::Section] = rt::concat_settings!(
                rt::settings::Section, $(<$file::Settings as rt::settings::Part>::SECTIONS),*
            );
        }
    };
}
pub(super) use table;
