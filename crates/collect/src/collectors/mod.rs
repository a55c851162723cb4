//! The collectors: one file and one line in [`TABLE`] each.
//!
//! A collector takes requests (one conversation with one device each) from its queue, makes as many
//! at once as its line allows, and sends one [`Finished`] for each, with a reading for every check.
//! It knows nothing of schedules, shards or what values mean.

mod agent;
mod datagrams;
mod icmp;
mod internal;
mod snmp;
mod unsupported;

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::content::{ItemContent, ItemType, SnmpDetails};
use model::{HostId, InterfaceId, ItemId, Time};
use rt::clock::Clock;
use rt::queue::{Receiver, Sender};
use rt::task::Tasks;

use crate::Configuration;
use crate::active::ActiveChecks;
use crate::poll::{CollectSettings, Overview};
use crate::ports::{Answer, AvailabilitySink, Internals, ItemStates, LocalAgent, not_supported};
use crate::schedule::{Class, JobRef, Limits, Ticket};

/// A line of the table.
pub(crate) struct Collector {
    /// In metrics and names of tasks.
    pub(crate) name: &'static str,
    /// Whether an item is this collector's, and how it is scheduled.
    takes: fn(&ItemContent) -> Option<Grouping>,
    uses_interface: bool,
    /// Network errors count against the interface.
    has_availability: bool,
    jobs_max: fn(&CollectSettings) -> usize,
    device_jobs_max: u16,
    job_checks_max: usize,
    run: fn(Arc<Shared>, Receiver<Request>) -> Run,
}

type Run = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How the items of a collector are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grouping {
    /// Spread over time each by itself; may share a job by chance.
    Single,
    /// Never in a job with others.
    Alone,
    /// Due together with those of its device.
    Together,
}

/// All collectors; an item is the first one's that takes it. A small device, such as a switch,
/// answers one request after another, so it is asked so.
const TABLE: &[Collector] = &[
    Collector {
        name: "agent",
        takes: |it| (it.kind == ItemType::ZabbixAgent).then_some(Grouping::Single),
        uses_interface: true,
        has_availability: true,
        jobs_max: |it| it.agent_checks_max,
        device_jobs_max: 4,
        job_checks_max: 1,
        run: |shared, requests| Box::pin(agent::run(shared, requests)),
    },
    Collector {
        name: "snmp",
        takes: |it| match it.kind {
            ItemType::Snmp if snmp::is_walk(&it.snmp_oid) => Some(Grouping::Alone),
            ItemType::Snmp => Some(Grouping::Together),
            _ => None,
        },
        uses_interface: true,
        has_availability: true,
        jobs_max: |it| it.snmp_requests_max,
        device_jobs_max: 1,
        job_checks_max: snmp::OBJECTS_MAX,
        run: |shared, requests| Box::pin(snmp::run(shared, requests)),
    },
    Collector {
        name: "icmp",
        takes: |it| icmp::takes(it).then_some(Grouping::Together),
        uses_interface: true,
        has_availability: false,
        jobs_max: |it| it.pings_max,
        device_jobs_max: 4,
        job_checks_max: 64,
        run: |shared, requests| Box::pin(icmp::run(shared, requests)),
    },
    Collector {
        name: "internal",
        takes: |it| (it.kind == ItemType::Internal).then_some(Grouping::Together),
        uses_interface: false,
        has_availability: false,
        jobs_max: |_| 256,
        device_jobs_max: 1,
        job_checks_max: 256,
        run: |shared, requests| Box::pin(internal::run(shared, requests)),
    },
    Collector {
        name: "unsupported",
        takes: |_| Some(Grouping::Single),
        uses_interface: false,
        has_availability: false,
        jobs_max: |_| 256,
        device_jobs_max: 4,
        job_checks_max: 256,
        run: |shared, requests| Box::pin(unsupported::run(shared, requests)),
    },
];

/// The table; positions in it are the schedule's kinds.
pub(crate) fn table() -> &'static [Collector] {
    TABLE
}

/// How an item is scheduled; `None`: it is not polled here. Calculated and dependent items are the
/// pipeline's.
pub(crate) fn classify(content: &ItemContent) -> Option<Class> {
    if !content.kind.is_polled() || content.kind == ItemType::Calculated {
        return None;
    }
    let each = TABLE.iter().enumerate();
    let (kind, collector, grouping) =
        each.filter_map(|(kind, it)| Some((kind, it, (it.takes)(content)?))).next()?;
    Some(Class {
        kind,
        alone: grouping == Grouping::Alone,
        by_device: grouping == Grouping::Together,
        uses_interface: collector.uses_interface,
    })
}

impl Collector {
    pub(crate) fn limits(&self, settings: &CollectSettings) -> Limits {
        Limits {
            jobs_max: (self.jobs_max)(settings).max(1),
            device_jobs_max: self.device_jobs_max,
            job_checks_max: self.job_checks_max,
            has_availability: self.has_availability,
        }
    }

    /// The collector's task; it ends when nobody sends requests any more.
    pub(crate) fn run(&self, shared: Arc<Shared>, requests: Receiver<Request>) -> Run {
        (self.run)(shared, requests)
    }
}

/// What an item shows whose check was ended by a bug.
const PANICKED: &str = "Internal error while making the check.";

/// What all collectors work with.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) tasks: Tasks,
    pub(crate) configuration: Arc<dyn Configuration>,
    pub(crate) internals: Arc<dyn Internals>,
    pub(crate) local_agent: Arc<dyn LocalAgent>,
    pub(crate) item_states: Arc<dyn ItemStates>,
    pub(crate) availability: Arc<dyn AvailabilitySink>,
    pub(crate) active: Arc<ActiveChecks>,
    pub(crate) overview: Arc<dyn Overview>,
    pub(crate) finished: Sender<Finished>,
    /// Nobody outside knows it: what request ids and cookies are made from.
    pub(crate) secret: u64,
}

impl Shared {
    /// Has the conversation about a request that `converse` has, and that hands its end over. Should
    /// it panic, the request ends all the same, and its items say so.
    pub(crate) async fn contained<F: Future<Output = ()>>(
        &self,
        kind: &'static str,
        request: Request,
        converse: impl FnOnce(Request) -> F,
    ) {
        if let Err(failed) = self.containing(kind, request, converse).await {
            self.finish(failed).await;
        }
    }

    /// As [`Shared::contained`], for a part of the conversation.
    ///
    /// # Errors
    /// The end of the request, if it panicked.
    pub(crate) async fn containing<T, F: Future<Output = T>>(
        &self,
        kind: &'static str,
        request: Request,
        converse: impl FnOnce(Request) -> F,
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

/// One conversation to have with a device.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) job: JobRef,
    pub(crate) host: HostId,
    /// Where it is asked; `None` if the items have no interface.
    pub(crate) endpoint: Option<Endpoint>,
    /// Answered inside the process.
    pub(crate) is_local: bool,
    pub(crate) checks: Vec<Check>,
    /// Readings of checks that needed no device.
    pub(crate) done: Vec<Reading>,
}

/// An interface with macros resolved.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) interface: InterfaceId,
    /// IP address or DNS name.
    pub(crate) address: String,
    pub(crate) port: u16,
    /// Of SNMP interfaces; texts resolved.
    pub(crate) snmp: Option<SnmpDetails>,
}

#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) ticket: Ticket,
    pub(crate) item: ItemId,
    pub(crate) kind: ItemType,
    /// Macros resolved; of SNMP items the OID field.
    pub(crate) key: String,
    pub(crate) timeout: Duration,
}

/// A request's end.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) job: JobRef,
    pub(crate) readings: Vec<Reading>,
}

/// What a check gave.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) ticket: Ticket,
    pub(crate) item: ItemId,
    /// When the answer arrived.
    pub(crate) time: Time,
    pub(crate) result: CheckResult,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum CheckResult {
    /// The device's answer, also that it does not support the item.
    Answer(Answer),
    /// No device was asked: the item cannot be checked, for this reason.
    Refused(String),
    /// The device did not answer.
    NetworkError(String),
    /// Not asked for reasons of our own; it is tried again at its next time.
    NotMade,
}

impl Check {
    pub(crate) fn reading(&self, time: Time, result: CheckResult) -> Reading {
        Reading { ticket: self.ticket, item: self.item, time, result }
    }
}

impl Request {
    /// Ends the request with the same result for each check that has no reading.
    pub(crate) fn finish_all(self, time: Time, result: &CheckResult) -> Finished {
        let mut readings = self.done;
        readings.extend(self.checks.iter().map(|it| it.reading(time, result.clone())));
        Finished { job: self.job, readings }
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
