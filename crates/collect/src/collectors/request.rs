//! Requests to collectors, and their results.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::batch::OwnedRaw;
use model::content::SnmpDetails;
use model::encryption::Encryption;
use model::{HostId, InterfaceId, ItemId, Time};

use crate::ports::{CheckAnswer, not_supported};
use crate::schedule::{JobRef, Ticket};
use crate::secret_texts::SecretTexts;

/// One conversation with a device. `P` is the prepared part of each item.
#[derive(Debug)]
pub(crate) struct Request<P> {
    pub(crate) job: JobRef,
    pub(crate) host: HostId,
    /// The address; `None` if the items have no interface.
    pub(crate) endpoint: Option<Arc<Endpoint>>,
    /// Answered inside the process.
    pub(crate) is_local: bool,
    pub(crate) checks: Vec<Check<P>>,
    /// Readings of checks that needed no device.
    pub(crate) done: Vec<Reading>,
}

/// An interface with macros resolved.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) interface: InterfaceId,
    /// IP address or DNS name.
    pub(crate) address: String,
    /// The same, if it is an address.
    pub(crate) ip: Option<IpAddr>,
    pub(crate) port: u16,
    /// Details of SNMP interfaces; texts resolved.
    pub(crate) snmp: Option<SnmpDetails>,
    /// How to connect to the host's agent; `None`: unencrypted.
    pub(crate) encryption: Option<Arc<Encryption>>,
}

#[derive(Debug)]
pub(crate) struct Check<P> {
    pub(crate) ticket: Ticket,
    pub(crate) item: ItemId,
    pub(crate) timeout: Duration,
    pub(crate) payload: P,
    /// Secrets in its texts and in those of its interface: errors never show them. `None`: there
    /// are none.
    pub(crate) secrets: Option<Arc<SecretTexts>>,
}

/// A request's end.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) job: JobRef,
    pub(crate) readings: Vec<Reading>,
}

/// The result of a check.
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
    /// The device's answer, including that it does not support the item.
    Answer(CheckAnswer),
    /// The item cannot be checked, for this reason; no device was asked.
    Refused(String),
    /// The device did not answer.
    NetworkError(String),
    /// The server could not make the check; it is made again at its next time.
    NotMade,
    /// Not checked because the host is in maintenance; neither a value nor an error.
    InMaintenance,
}

impl CheckResult {
    /// The same with secrets masked in the reason. A value stays as it is.
    pub(crate) fn shown(self, secrets: Option<&SecretTexts>) -> Self {
        let Some(secrets) = secrets else { return self };
        match self {
            Self::Answer(OwnedRaw::Error(reason)) => {
                Self::Answer(not_supported(secrets.mask(reason)))
            }
            Self::Refused(reason) => Self::Refused(secrets.mask(reason)),
            Self::NetworkError(reason) => Self::NetworkError(secrets.mask(reason)),
            other => other,
        }
    }
}

impl<P> Check<P> {
    pub(crate) fn reading(&self, time: Time, result: CheckResult) -> Reading {
        let result = result.shown(self.secrets.as_deref());
        Reading { ticket: self.ticket, item: self.item, time, result }
    }

    /// A reason that is a value, with secrets masked.
    pub(crate) fn shown(&self, reason: String) -> String {
        match &self.secrets {
            Some(secrets) => secrets.mask(reason),
            None => reason,
        }
    }
}

impl<P> Request<P> {
    /// Ends the request with the same result for each check that has no reading.
    pub(crate) fn finish_all(self, time: Time, result: &CheckResult) -> Finished {
        let mut readings = self.done;
        readings.extend(self.checks.iter().map(|it| it.reading(time, result.clone())));
        Finished { job: self.job, readings }
    }
}
