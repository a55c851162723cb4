//! From a job of the schedule to a request for a collector: macros, address, time-out.

use std::sync::Arc;
use std::time::Duration;

use lang::number::parse_duration_s;
use model::content::{Interface, ItemType, SnmpDetails};
use model::snapshot::{Host, Snapshot};

use super::Polling;
use crate::collectors::{Check, CheckResult, Endpoint, Reading, Request};
use crate::resolve::Context;
use crate::schedule::{Due, Job};

/// Longest time-out of a check, as in Zabbix.
const TIMEOUT_MAX_S: u64 = 600;

impl Polling {
    /// Items that exist no more are not made; what can't be resolved is told to the user.
    pub(super) fn prepare(&self, snapshot: &Snapshot, job: &Job) -> Request {
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
        if let (Some(host), Some(interface)) = (host, interface) {
            let context = self.resolver.context(snapshot, host, Some(interface));
            request.is_local = self.local_agent.serves(host.id, interface);
            match endpoint(&context, interface) {
                Ok(it) => request.endpoint = Some(it),
                Err(reason) => {
                    let refused = |due| self.reading(due, CheckResult::Refused(reason.clone()));
                    request.done.extend(job.checks.iter().map(refused));
                    return request;
                }
            }
        }
        for due in &job.checks {
            match self.check(snapshot, host, interface, due) {
                Ok(check) => request.checks.push(check),
                Err(result) => request.done.push(self.reading(due, result)),
            }
        }
        request
    }

    fn check(
        &self,
        snapshot: &Snapshot,
        host: Option<&Arc<Host>>,
        interface: Option<&Interface>,
        due: &Due,
    ) -> Result<Check, CheckResult> {
        let host = host.ok_or(CheckResult::NotMade)?;
        let row = host.item(due.item).ok_or(CheckResult::NotMade)?;
        let content = &row.content;
        let context = self.resolver.context(snapshot, host, interface);
        let refused = |reason: String| CheckResult::Refused(reason);
        if due.is_broken {
            let delay = context.text(&content.delay);
            return Err(refused(format!("Invalid update interval \"{delay}\".")));
        }
        let key = if content.kind == ItemType::Snmp {
            context.oid(&content.snmp_oid)
        } else {
            context.key(row.key())
        };
        let key = key.map_err(|error| refused(format!("{error}.")))?.into_owned();
        let timeout = self.timeout(&context, &content.timeout, snapshot).map_err(refused)?;
        Ok(Check { ticket: due.ticket, item: due.item, kind: content.kind, key, timeout })
    }

    /// The item's own, else the configured one, else the settings'.
    fn timeout(
        &self,
        context: &Context<'_>,
        written: &str,
        snapshot: &Snapshot,
    ) -> Result<Duration, String> {
        if written.is_empty() {
            let global_s = u64::from(snapshot.globals.timeout_secs);
            return Ok(if global_s == 0 { self.timeout } else { Duration::from_secs(global_s) });
        }
        let text = context.text(written);
        let seconds = parse_duration_s(&text).filter(|it| (1..=TIMEOUT_MAX_S).contains(it));
        seconds
            .map(Duration::from_secs)
            .ok_or_else(|| format!("Unsupported timeout value \"{text}\"."))
    }

    fn reading(&self, due: &Due, result: CheckResult) -> Reading {
        Reading { ticket: due.ticket, item: due.item, time: self.clock.wall(), result }
    }
}

fn endpoint(context: &Context<'_>, interface: &Interface) -> Result<Endpoint, String> {
    let (address, port) = context.address(interface);
    let Ok(port) = port.parse() else {
        return Err(format!("Invalid port number [{port}]"));
    };
    if address.is_empty() {
        return Err("The interface has no address.".to_owned());
    }
    let resolved = |details: &SnmpDetails| {
        let text = |it: &str| context.text(it).into_owned();
        SnmpDetails {
            community: text(&details.community),
            securityname: text(&details.securityname),
            authpassphrase: text(&details.authpassphrase),
            privpassphrase: text(&details.privpassphrase),
            contextname: text(&details.contextname),
            ..*details
        }
    };
    let snmp = interface.details.as_ref().map(resolved);
    Ok(Endpoint { interface: interface.interfaceid, address, port, snmp })
}
