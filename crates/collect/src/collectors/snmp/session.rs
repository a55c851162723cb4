//! One device: how it is spoken to, and its answers as messages.

use std::net::SocketAddr;
use std::time::Duration;

use model::content::SnmpDetails;
use wire::snmp::{ErrorStatus, Message, Oid, OidRef, Pdu, PduKind, Version};

use super::engine::{Engine, NoAnswer};

#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) engine: &'a Engine,
    pub(super) address: SocketAddr,
    pub(super) version: Version,
    pub(super) community: &'a str,
    /// Several objects in one request, and GETBULK.
    pub(super) bulk: bool,
    pub(super) max_repetitions: i32,
    /// For each request.
    pub(super) timeout: Duration,
}

/// Why a device gave no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// No answer.
    Network(String),
    /// An answer that says no.
    NotSupported(String),
    /// We could not ask.
    NotMade,
}

/// An answer, owning its datagram.
#[derive(Debug)]
pub(super) struct Answer(Vec<u8>);

impl Answer {
    pub(super) fn pdu(&self) -> Result<Pdu<'_>, Failure> {
        match Message::decode(&self.0) {
            Ok(message) if message.pdu.kind == PduKind::Response => Ok(message.pdu),
            Ok(_) => Err(Failure::NotSupported("The device answered with a request.".to_owned())),
            Err(error) => Err(Failure::NotSupported(format!("Invalid answer: {error}."))),
        }
    }
}

impl<'a> Session<'a> {
    /// # Errors
    /// If this version is not spoken yet.
    pub(super) fn new(
        engine: &'a Engine,
        address: SocketAddr,
        details: &'a SnmpDetails,
        timeout: Duration,
    ) -> Result<Self, String> {
        let version = match details.version {
            1 => Version::V1,
            2 => Version::V2c,
            3 => return Err("SNMPv3 is not supported yet.".to_owned()),
            other => return Err(format!("Unknown SNMP version {other}.")),
        };
        let max_repetitions = i32::try_from(details.max_repetitions).unwrap_or(0).clamp(1, 100);
        Ok(Self {
            engine,
            address,
            version,
            community: &details.community,
            bulk: details.bulk,
            max_repetitions,
            timeout,
        })
    }

    /// Asks for these names.
    pub(super) async fn get<'o>(
        &self,
        oids: impl DoubleEndedIterator<Item = OidRef<'o>>,
    ) -> Result<Answer, Failure> {
        self.ask(PduKind::Get, 0, oids).await
    }

    /// Asks for what follows a name: one object, or up to `repetitions` where the version can.
    pub(super) async fn next(&self, after: &Oid, repetitions: i32) -> Result<Answer, Failure> {
        let kind = if self.version == Version::V1 || !self.bulk {
            PduKind::GetNext
        } else {
            PduKind::GetBulk
        };
        let repetitions = if kind == PduKind::GetBulk { repetitions } else { 0 };
        self.ask(kind, repetitions, std::iter::once(after.as_ref())).await
    }

    async fn ask<'o>(
        &self,
        kind: PduKind,
        repetitions: i32,
        oids: impl DoubleEndedIterator<Item = OidRef<'o>>,
    ) -> Result<Answer, Failure> {
        let encode = |request_id: i32, out: &mut Vec<u8>| {
            let pdu = Pdu::new(kind, request_id, 0, repetitions);
            let head = Message { version: self.version, community: self.community.as_bytes(), pdu };
            Message::encode_request(&head, oids, out);
        };
        match self.engine.exchange(self.address, self.timeout, encode).await {
            Ok(bytes) => Ok(Answer(bytes)),
            Err(NoAnswer::TimedOut) => {
                Err(Failure::Network(format!("Timeout while connecting to \"{}\".", self.address)))
            }
            Err(NoAnswer::Io(error)) if super::super::network::is_shortage(&error) => {
                Err(Failure::NotMade)
            }
            Err(NoAnswer::Io(error)) => {
                Err(Failure::Network(format!("Cannot send to \"{}\": {error}", self.address)))
            }
        }
    }
}

/// In Zabbix's words.
pub(super) fn status_text(status: ErrorStatus) -> String {
    let meaning = match status {
        ErrorStatus::TOO_BIG => "Response message would have been too large.",
        ErrorStatus::NO_SUCH_NAME => "There is no such variable name in this MIB.",
        ErrorStatus::GEN_ERR => "A general failure occured",
        _ => "The device refused the request.",
    };
    format!("SNMP error: ({}) {meaning}", status.name())
}
