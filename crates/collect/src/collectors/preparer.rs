//! From a job of the schedule to a request for a collector: macros, address, time-out. The
//! properties that only one collector needs are read by that collector ([`Collector::prepare`]).

use std::sync::Arc;
use std::time::Duration;

use model::content::Interface;
use model::snapshot::{Host, Snapshot};
use rt::clock::Clock;

use super::collector::Collector;
use super::host_item::HostItem;
use super::request::{Check, CheckResult, Endpoint, Reading, Request};
use crate::ports::LocalAgent;
use crate::resolve::{Context, Holds, Resolver};
use crate::schedule::{Due, Job};
use crate::secret_texts::SecretTexts;

/// Makes requests from jobs.
pub(crate) struct Preparer {
    pub(crate) resolver: Arc<Resolver>,
    pub(crate) local_agent: Arc<dyn LocalAgent>,
    /// Time-out of checks whose item has none.
    pub(crate) timeout: Duration,
    pub(crate) clock: Clock,
}

fn refused(reason: String) -> CheckResult {
    CheckResult::Refused(reason)
}

impl Preparer {
    /// Items that no longer exist are left out; unresolved texts become the error of the item. The
    /// result also says for how long the same request may be used again without preparing it.
    pub(crate) fn request<C: Collector>(
        &self,
        snapshot: &Snapshot,
        job: &Job,
    ) -> (Request<C::Payload>, Holds) {
        let mut holds = Holds::WithHost;
        let mut request = self.of_checks::<C>(snapshot, job, &mut holds);
        if !request.done.is_empty() || request.is_local {
            holds = Holds::Once;
        }
        C::join(&mut request);
        (request, holds)
    }

    fn of_checks<C: Collector>(
        &self,
        snapshot: &Snapshot,
        job: &Job,
        holds: &mut Holds,
    ) -> Request<C::Payload> {
        let mut request = Request {
            job: job.reference(),
            host: job.host,
            endpoint: None,
            is_local: false,
            checks: Vec::with_capacity(job.checks.len()),
            done: Vec::new(),
        };
        let host = snapshot.hosts.get(&job.host);
        let interface =
            host.and_then(|host| host.interfaces.iter().find(|it| it.interfaceid == job.interface));
        let mut secrets = None;
        if let (Some(host), Some(interface)) = (host, interface) {
            let context = self.resolver.context(snapshot, host, Some(interface));
            request.is_local = C::HAS_LOCAL_AGENT && self.local_agent.serves(host.id, interface);
            let endpoint = endpoint(&context, host, interface);
            *holds = (*holds).min(context.holds());
            secrets = context.secrets(None);
            match context.failure().map_or(endpoint, |reason| Err(reason.to_owned())) {
                Ok(it) => request.endpoint = Some(Arc::new(it)),
                Err(reason) => {
                    let reason = context.shown(reason);
                    let refused = |due| self.reading(due, CheckResult::Refused(reason.clone()));
                    request.done.extend(job.checks.iter().map(refused));
                    return request;
                }
            }
        }
        for due in &job.checks {
            match self.check::<C>(snapshot, (host, interface), (due, secrets.as_ref()), holds) {
                Ok(check) => request.checks.push(check),
                Err(result) => request.done.push(self.reading(due, result)),
            }
        }
        request
    }

    /// `secrets`: those of the interface.
    fn check<C: Collector>(
        &self,
        snapshot: &Snapshot,
        (host, interface): (Option<&Arc<Host>>, Option<&Interface>),
        (due, secrets): (&Due, Option<&Arc<SecretTexts>>),
        holds: &mut Holds,
    ) -> Result<Check<C::Payload>, CheckResult> {
        let host = host.ok_or(CheckResult::NotMade)?;
        let row = host.item(due.item).ok_or(CheckResult::NotMade)?;
        // An item that is not checked at an interface may still name one in its texts.
        let interface = interface.or_else(|| host.interface_of(row));
        let context = self.resolver.context(snapshot, host, interface);
        let prepared = self.prepare::<C>(&HostItem { row, context: &context }, due.is_broken);
        let secrets = context.secrets(secrets);
        let (payload, timeout) = prepared.map_err(|it| it.shown(secrets.as_deref()))?;
        *holds = (*holds).min(context.holds());
        Ok(Check { ticket: due.ticket, item: due.item, timeout, payload, secrets })
    }

    fn prepare<C: Collector>(
        &self,
        item: &HostItem<'_>,
        is_broken: bool,
    ) -> Result<(C::Payload, Duration), CheckResult> {
        let HostItem { row, context } = item;
        if is_broken {
            let delay = context.item_text(row, &row.content.delay);
            return Err(refused(format!("Invalid update interval \"{delay}\".")));
        }
        let payload = C::prepare(item);
        if let Some(reason) = context.failure() {
            return Err(refused(reason.to_owned()));
        }
        let payload = payload?;
        let timeout = context.timeout(row).map_err(refused)?.unwrap_or(self.timeout);
        Ok((payload, timeout))
    }

    fn reading(&self, due: &Due, result: CheckResult) -> Reading {
        Reading { ticket: due.ticket, item: due.item, time: self.clock.wall(), result }
    }
}

fn endpoint(context: &Context<'_>, host: &Host, interface: &Interface) -> Result<Endpoint, String> {
    let (address, port) = context.address(interface);
    let Ok(port) = port.parse() else {
        return Err(format!("Invalid port number [{port}]"));
    };
    if address.is_empty() {
        return Err("The interface has no address.".to_owned());
    }
    let snmp = interface.details.as_ref().map(|it| context.snmp_details(it));
    let encryption = host.encryption.clone();
    let address = address.into_owned();
    let ip = address.parse().ok();
    Ok(Endpoint { interface: interface.interfaceid, address, ip, port, snmp, encryption })
}
