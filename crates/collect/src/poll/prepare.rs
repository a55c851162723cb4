//! From a job of the schedule to a request for a collector: macros, address, time-out.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::lld::{ExpandError, RowIn, expand_oid};
use model::content::{Interface, ItemType, SnmpDetails};
use model::snapshot::{Host, ItemRow, Snapshot};

use super::Polling;
use crate::collectors::{Check, CheckResult, Endpoint, Reading, Request};
use crate::resolve::{Context, lld_row};
use crate::schedule::{Due, Job};

impl Polling {
    /// Items that exist no more are not made; what can't be resolved is told to the user.
    pub(crate) fn prepare(&self, snapshot: &Snapshot, job: &Job) -> Request {
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
            let delay = context.item_text(row, &content.delay);
            return Err(refused(format!("Invalid update interval \"{delay}\".")));
        }
        let key = if content.kind == ItemType::Snmp {
            let oid = oid(row, context.zone()).map_err(|error| refused(format!("{error}.")))?;
            context.oid(&oid).map(Cow::into_owned)
        } else {
            context.key(&row.key()).map(Cow::into_owned)
        };
        let key = key.map_err(|error| refused(format!("{error}.")))?;
        let timeout = context.timeout(row).map_err(refused)?.unwrap_or(self.timeout);
        Ok(Check { ticket: due.ticket, item: due.item, kind: content.kind, key, timeout })
    }

    fn reading(&self, due: &Due, result: CheckResult) -> Reading {
        Reading { ticket: due.ticket, item: due.item, time: self.clock.wall(), result }
    }
}

/// The configured OID. A discovered item shares that of its prototype: there the values of the row
/// that made it stand in.
fn oid<'a>(row: &'a ItemRow, zone: &TimeZone) -> Result<Cow<'a, str>, ExpandError> {
    let oid = row.content.snmp_oid.as_str();
    let Some(row) = lld_row(row, oid) else { return Ok(Cow::Borrowed(oid)) };
    expand_oid(oid, RowIn::new(row, zone)).map(Cow::Owned)
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

#[cfg(test)]
mod tests {
    use model::content::ItemType;

    use super::*;
    use crate::fixtures::{discovered, item};

    #[test]
    fn oid_of_a_discovered_item_holds_its_row() {
        for (configured, expected) in [
            ("1.3.6.{#SNMPINDEX}", "1.3.6.4.7"),
            ("get[1.3.6.{#SNMPINDEX}]", "get[1.3.6.4.7]"),
            ("walk[1.3.{#SNMPINDEX},1.4.{#SNMPINDEX}]", "walk[1.3.4.7,1.4.4.7]"),
            (
                "1.3.{#SNMPINDEX}[\"index\",\"1.4\",\"{#NAME}\"]",
                "1.3.4.7[\"index\",\"1.4\",\"a \\\"b\\\", c\"]",
            ),
            ("1.3[index,1.4,{#NAME}]", "1.3[index,1.4,\"a \\\"b\\\", c\"]"),
            ("1.3.6.{#OTHER}", "1.3.6.{#OTHER}"),
            ("1.3.6.1", "1.3.6.1"),
        ] {
            let prototype = item(3, ItemType::Snmp, configured, "1m");
            let row = discovered(
                prototype,
                "if[4.7]",
                &[("{#NAME}", "a \"b\", c"), ("{#SNMPINDEX}", "4.7")],
            );
            assert_eq!(oid(&row, &TimeZone::UTC).expect("expands"), expected);
        }
        let plain = item(3, ItemType::Snmp, "1.3.{#A}", "1m");
        assert_eq!(oid(&plain, &TimeZone::UTC).expect("as it is"), "1.3.{#A}");
    }
}
