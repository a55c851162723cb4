//! The parts that all collectors work with, and the way to hand over results.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use model::ItemId;
use rt::clock::Clock;
use rt::queue::Sender;
use rt::reading::Readings;
use rt::task::Tasks;
use rt::tls::TlsConnector;

use super::request::{CheckResult, Finished, Reading, Request};
use crate::Configuration;
use crate::active::ActiveChecks;
use crate::dns_cache::DnsCache;
use crate::mibs::Mibs;
use crate::ports::{
    AvailabilitySink, HttpClient, Internals, ItemStates, LocalAgent, Maintenances, RemoteShells,
    ScriptHost, not_supported,
};
use crate::schedule::Ticket;
use crate::transcript::Transcript;

/// The error of an item whose check was ended by a bug.
const PANICKED: &str = "Internal error while making the check.";

/// The result of the checks of a request that panicked while it was made.
pub(super) fn panicked() -> CheckResult {
    CheckResult::Answer(not_supported(PANICKED))
}

/// The parts that all collectors work with.
#[derive(Clone)]
pub(crate) struct CollectorContext {
    pub(crate) clock: Clock,
    pub(crate) tasks: Tasks,
    pub(crate) configuration: Arc<dyn Configuration>,
    pub(crate) internals: Arc<dyn Internals>,
    pub(crate) local_agent: Arc<dyn LocalAgent>,
    pub(crate) http: Arc<dyn HttpClient>,
    /// Memory of received answers.
    pub(crate) readings: Readings,
    pub(crate) scripts: Arc<dyn ScriptHost>,
    /// Runs the scripts of browser items; `None`: there is no WebDriver.
    pub(crate) browsers: Option<Arc<dyn ScriptHost>>,
    pub(crate) shells: Arc<dyn RemoteShells>,
    pub(crate) item_states: Arc<dyn ItemStates>,
    pub(crate) maintenances: Arc<dyn Maintenances>,
    pub(crate) availability: Arc<dyn AvailabilitySink>,
    pub(crate) active: Arc<ActiveChecks>,
    pub(crate) overview: Arc<dyn Overview>,
    pub(crate) dns: DnsCache,
    /// Names of SNMP objects.
    pub(crate) mibs: Arc<Mibs>,
    /// Opens encrypted connections.
    pub(crate) tls: TlsConnector,
    /// Folders of scripts of external checks: those started for each check, and those that keep
    /// running.
    pub(crate) external_scripts: (Option<PathBuf>, Option<PathBuf>),
    /// Address of the Java gateway and the time for a request to it.
    pub(crate) java_gateway: (Option<String>, Duration),
    pub(crate) odbc: OdbcWorkers,
    /// Time for a device's answer to one packet.
    pub(crate) ipmi_timeout: Duration,
    pub(crate) finished: Sender<Vec<Finished>>,
    /// Secret: request ids and cookies are made from it.
    pub(crate) secret: u64,
    /// Of a trial; `None`: no transcript is made.
    pub(crate) transcript: Option<Transcript>,
}

/// State of polling as a whole, for collectors.
pub(crate) trait Overview: Send + Sync {
    fn n_overdue(&self, from_s: u32, to_s: Option<u32>) -> u64;
    fn required_performance(&self) -> f64;
}

impl CollectorContext {
    /// Runs the conversation about a request, which hands over the result. If it panics, the
    /// request ends all the same, and its items report that.
    pub(crate) async fn contained<P, F: Future<Output = ()>>(
        &self,
        kind: &'static str,
        request: Request<P>,
        converse: impl FnOnce(Request<P>) -> F,
    ) {
        if let Err(failed) = self.containing(kind, request, converse).await {
            self.finish(failed).await;
        }
    }

    /// As [`CollectorContext::contained`], for a part of the conversation.
    ///
    /// # Errors
    /// The end of the request, if it panicked.
    pub(crate) async fn containing<P, T, F: Future<Output = T>>(
        &self,
        kind: &'static str,
        request: Request<P>,
        converse: impl FnOnce(Request<P>) -> F,
    ) -> Result<T, Finished> {
        let (job, host) = (request.job, request.host);
        let of_done = request.done.iter().map(|it| (it.ticket, it.item));
        let checks: Vec<_> =
            request.checks.iter().map(|it| (it.ticket, it.item)).chain(of_done).collect();
        let whose = std::fmt::from_fn(|f| {
            let first = checks.first().map(|(_, item)| *item).unwrap_or_default();
            write!(f, "host {host}, item {first} and {} more", checks.len().saturating_sub(1))
        });
        let contained = self.tasks.contain(kind, whose, converse(request)).await;
        contained.map_err(|_panicked| {
            let time = self.clock.wall();
            let failed = |(ticket, item): &(Ticket, ItemId)| Reading {
                ticket: *ticket,
                item: *item,
                time,
                result: panicked(),
            };
            Finished { job, readings: checks.iter().map(failed).collect() }
        })
    }

    /// Hands a finished request over; waits while the shards are busy.
    pub(crate) async fn finish(&self, finished: Finished) {
        // At shutdown the receiver is gone.
        drop(self.finished.send(vec![finished]).await);
    }

    /// As [`CollectorContext::finish`], for checks that ended together: the receiver of the results
    /// is woken once.
    pub(crate) async fn finish_all(&self, finished: &mut Vec<Finished>) {
        if !finished.is_empty() {
            drop(self.finished.send(std::mem::take(finished)).await);
        }
    }
}

/// How databases are queried.
#[derive(Clone, Debug, Default)]
pub(crate) struct OdbcWorkers {
    /// This program; `None`: no queries are made.
    pub(crate) program: Option<PathBuf>,
    pub(crate) takes_connection_strings: bool,
}
