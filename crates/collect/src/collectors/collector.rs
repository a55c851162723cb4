//! The interface of a collector.

use std::future::Future;
use std::sync::Arc;

use model::content::ItemContent;
use rt::queue::Receiver;
use rt::settings::Part;

use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Request};

/// A kind of checks: implemented by a type without values in the collector's file.
pub(crate) trait Collector: Sized + 'static {
    /// The operator's settings, declared in the collector's file.
    type Settings: Part;
    /// The part of a check that only this collector has ([`super::request::Check`] has the common
    /// part): texts with their macros replaced.
    type Payload: Send + 'static;

    /// Items belong to an interface of their host: requests have its address.
    const USES_INTERFACE: bool = false;
    /// Whether network errors count against the interface.
    const HAS_AVAILABILITY: bool = false;

    /// Whether items of the server's own host are answered inside the process.
    const HAS_LOCAL_AGENT: bool = false;

    /// Whether its items are also checked on hosts in maintenance without data collection.
    const RUNS_IN_MAINTENANCE: bool = false;

    /// Whether an item belongs to this collector, and how it is scheduled.
    fn takes(content: &ItemContent) -> Option<Grouping>;

    fn limits(settings: &Self::Settings) -> JobLimits;

    /// Reads the item's content.
    ///
    /// # Errors
    /// The result of a check that cannot be made as it is configured.
    fn prepare(item: &HostItem<'_>) -> Result<Self::Payload, CheckResult>;

    /// The part of a prepared check that can be used again while the configuration is the same: see
    /// [`super::prepared_cache`]. `None`: its request is prepared each time.
    fn keep(_payload: &Self::Payload) -> Option<Self::Payload> {
        None
    }

    /// Reads a little of each place of memory that repeating a kept check takes; the value returned
    /// only keeps the compiler from dropping the reads.
    fn touch(_payload: &Self::Payload) -> usize {
        0
    }

    /// Joins the common parts of the checks of a request, once they are prepared.
    fn join(_request: &mut Request<Self::Payload>) {}

    /// Answers requests until all senders are gone.
    fn run(
        shared: Arc<CollectorContext>,
        requests: Receiver<Request<Self::Payload>>,
    ) -> impl Future<Output = ()> + Send;
}

/// How the items of a collector are grouped into jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grouping {
    /// Spread over time individually; may share a job by chance.
    Single,
    /// Never in a job with others.
    Alone,
    /// Due together with the other items of its device.
    Together,
}

/// The limits of a collector's concurrent work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JobLimits {
    /// Over all devices.
    pub(crate) jobs_max: usize,
    /// On one device. A small one, such as a switch, answers one request after another.
    pub(crate) device_jobs_max: u16,
    pub(crate) job_checks_max: usize,
}
