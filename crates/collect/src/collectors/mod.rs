//! The collectors: one file and one row of the table each.
//!
//! A collector prepares its checks from their items ([`Collector::prepare`]) and takes requests (one
//! conversation with one device each) from its queue. It makes as many at once as its limits allow,
//! and sends one [`Finished`] for each, with a reading for every check. It knows nothing of
//! schedules, shards or what values mean.
//!
//! Items that nobody asks for, because their values come by themselves, have [`LISTENERS`].
//! `docs/adding.md` says how one of each is added.

mod agent;
mod collector;
mod datagrams;
mod http;
mod icmp;
mod internal;
mod prepare;
mod request;
mod script;
mod snmp;
mod snmp_trap;
mod unsupported;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::ItemId;
use model::content::{ItemContent, ItemType};
use model::snapshot::{Host, ItemRow, Snapshot};
use rt::clock::Clock;
use rt::queue::Sender;
use rt::task::Tasks;

use self::collector::Grouping;
use crate::Configuration;
use crate::active::ActiveChecks;
use crate::ports::{
    AvailabilitySink, HttpClient, Internals, ItemStates, LocalAgent, ScriptHost, not_supported,
};
use crate::schedule::{Class, Ticket};

pub(crate) use self::agent::Agent;
pub(crate) use self::collector::{Collector, CollectorRow, JobQueue};
pub(crate) use self::prepare::{HostItem, Preparer};
pub(crate) use self::request::{Check, CheckResult, Endpoint, Finished, Reading, Request};
pub(crate) use self::snmp::Snmp;

// All collectors; an item is the first one's that takes it.
collector::table! {
    agent::Agent,
    snmp::Snmp,
    icmp::Icmp,
    http::Http,
    script::Script,
    internal::Internal,
    unsupported::Unsupported,
}

/// A kind of items whose values come by themselves. Where they are received is the listener's own
/// business (active agents: the trapper port); here is what all of them have to say.
pub(crate) struct Listener {
    takes: fn(&ItemContent) -> bool,
    /// Why an item gets no values as it is configured, in words for the user.
    refusal: fn(&ActiveChecks, &Snapshot, &Arc<Host>, &ItemRow) -> Option<String>,
}

const LISTENERS: &[Listener] = &[
    Listener { takes: |it| it.kind == ItemType::ZabbixAgentActive, refusal: ActiveChecks::refusal },
    snmp_trap::LISTENER,
];

/// Why an item that nobody asks for gets no values as it is configured.
pub(crate) fn refusal(
    active: &ActiveChecks,
    snapshot: &Snapshot,
    host: &Arc<Host>,
    row: &ItemRow,
) -> Option<String> {
    let listener = LISTENERS.iter().find(|it| (it.takes)(&row.content))?;
    (listener.refusal)(active, snapshot, host, row)
}

/// How an item is scheduled; `None`: it is not polled here. Calculated and dependent items are the
/// pipeline's.
pub(crate) fn classify(content: &ItemContent) -> Option<Class> {
    if !content.kind.is_polled() || content.kind == ItemType::Calculated {
        return None;
    }
    let each = TABLE.iter().enumerate();
    let (kind, row, grouping) =
        each.filter_map(|(kind, it)| Some((kind, it, (it.takes)(content)?))).next()?;
    Some(Class {
        kind,
        alone: grouping == Grouping::Alone,
        by_device: grouping == Grouping::Together,
        uses_interface: row.uses_interface,
    })
}

/// What an item shows whose check was ended by a bug.
const PANICKED: &str = "Internal error while making the check.";

/// What all collectors work with.
#[derive(Clone)]
pub(crate) struct CollectorContext {
    pub(crate) clock: Clock,
    pub(crate) tasks: Tasks,
    pub(crate) configuration: Arc<dyn Configuration>,
    pub(crate) internals: Arc<dyn Internals>,
    pub(crate) local_agent: Arc<dyn LocalAgent>,
    pub(crate) http: Arc<dyn HttpClient>,
    pub(crate) scripts: Arc<dyn ScriptHost>,
    pub(crate) item_states: Arc<dyn ItemStates>,
    pub(crate) availability: Arc<dyn AvailabilitySink>,
    pub(crate) active: Arc<ActiveChecks>,
    pub(crate) overview: Arc<dyn Overview>,
    pub(crate) finished: Sender<Finished>,
    /// Nobody outside knows it: what request ids and cookies are made from.
    pub(crate) secret: u64,
}

/// What collectors ask about polling as a whole.
pub(crate) trait Overview: Send + Sync {
    fn n_overdue(&self, from_s: u32, to_s: Option<u32>) -> u64;
    fn required_performance(&self) -> f64;
}

impl CollectorContext {
    /// Has the conversation about a request that `converse` has, and that hands its end over. Should
    /// it panic, the request ends all the same, and its items say so.
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
                result: CheckResult::Answer(not_supported(PANICKED)),
            };
            Finished { job, readings: checks.iter().map(failed).collect() }
        })
    }

    /// Hands a finished request over; waits while the shards are busy.
    pub(crate) async fn finish(&self, finished: Finished) {
        // At shutdown nobody reads any more.
        drop(self.finished.send(finished).await);
    }
}

/// The first address of a DNS name.
async fn lookup(name: &str, time: Duration) -> Result<IpAddr, String> {
    let failed = || format!("Cannot resolve \"{name}\".");
    let found = tokio::time::timeout(time, tokio::net::lookup_host((name, 0))).await;
    let mut addresses = found.ok().and_then(Result::ok).ok_or_else(failed)?;
    addresses.next().map(|it| it.ip()).ok_or_else(failed)
}

/// Whether the machine, not the device, lacks something: descriptors, memory, ports.
fn is_shortage(error: &std::io::Error) -> bool {
    let code = error.raw_os_error();
    [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::ENOBUFS, libc::EADDRNOTAVAIL]
        .into_iter()
        .any(|it| code == Some(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Imports tell by this which items will have no values.
    #[test]
    fn types_are_collected_where_a_collector_takes_them() {
        for (code, key) in
            (0..30).flat_map(|it| [(it, "icmpping[,3]"), (it, "net.tcp.service[ssh]")])
        {
            let Some(kind) = ItemType::from_code(code) else { continue };
            let content = ItemContent { kind, key_: key.into(), ..ItemContent::default() };
            let Some(class) = classify(&content) else { continue };
            let is_taken = table()[class.kind].name != "unsupported";
            assert_eq!(kind.is_collected(key), is_taken, "{kind:?} {key}");
        }
    }
}
