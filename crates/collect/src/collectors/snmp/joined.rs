//! Plain objects of one device in one request: the bulk of SNMP polling.
//!
//! Such a request is kept as its datagram, but for the id, and its answer is read directly against
//! that datagram, without a conversation. Only an answer that does not have a value for each
//! object, or no answer at all, begins a conversation, which continues from there (see
//! [`super::get`]).

use std::net::SocketAddr;
use std::sync::Arc;

use model::Time;
use wire::snmp::{ErrorStatus, Pdu, PduKind, RequestTemplate, Version};

use super::super::request::Reading;
use super::get::{OBJECTS_MAX, result_of, value};
use super::key::{Check, Joined, Object, Query, Request};

/// Joins the checks of a request, if all are plain objects, if the device takes several in one
/// request, and if neither a name nor a user has to be looked up first.
pub(super) fn join(request: &mut Request) {
    if let Some(joined) = joined(request) {
        for check in &mut request.checks {
            check.payload = Query::InJoined;
        }
        if let Some(first) = request.checks.first_mut() {
            first.payload = Query::Joined(Arc::new(joined));
        }
    }
}

fn joined(request: &Request) -> Option<Joined> {
    let endpoint = request.endpoint.as_ref()?;
    let details = endpoint.snmp.as_ref()?;
    let version = match details.version {
        1 => Version::V1,
        2 => Version::V2c,
        _ => return None,
    };
    let n = request.checks.len();
    if n == 0 || OBJECTS_MAX < n || (1 < n && !details.bulk) {
        return None;
    }
    let address = endpoint.ip?;
    let object = |check: &Check| match &check.payload {
        Query::Get(object) => Some(object.clone()),
        _ => None,
    };
    let objects: Vec<Object> = request.checks.iter().map(object).collect::<Option<_>>()?;
    let community = details.community.as_bytes();
    Some(Joined {
        to: SocketAddr::new(address, endpoint.port),
        timeout: request.checks.iter().map(|it| it.timeout).max()?,
        template: {
            let oids = objects.iter().map(|it| it.oid.as_ref());
            RequestTemplate::get((version, community), oids)
        },
        octets: objects.iter().map(|it| it.octets).collect(),
    })
}

/// A reading for each check, if the answer has a result for each object.
pub(super) fn read(
    joined: &Joined,
    pdu: &Pdu<'_>,
    checks: &[Check],
    now: Time,
) -> Option<Vec<Reading>> {
    if pdu.kind != PduKind::Response || pdu.error_status() != ErrorStatus::NO_ERROR {
        return None;
    }
    let mut bound = pdu.varbinds;
    let mut readings = Vec::with_capacity(checks.len());
    for (check, (asked, octets)) in checks.iter().zip(joined.objects()) {
        let varbind = bound.next()?.ok()?;
        if varbind.oid != asked {
            return None;
        }
        readings.push(check.reading(now, result_of(value(&varbind, octets))));
    }
    bound.next().is_none().then_some(readings)
}
