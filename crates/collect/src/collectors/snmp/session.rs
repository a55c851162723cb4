//! One device: requests in its version, and answers as messages.

use std::net::SocketAddr;
use std::time::Duration;

use model::content::SnmpDetails;
use wire::snmp::{
    ErrorStatus, Oid, OidRef, Pdu, PduKind, ReportReason, SecurityError, SnmpMessage, UserKeys,
    V3Head, V3Message, Version,
};

use super::engine::{Engine, NoAnswer};
use super::transcript;
use super::usm::{KnownEngine, User, Usm};
use crate::transcript::{LineKind, Transcript};

/// An engine may report that its clock differs, and that its id differs.
const V3_TRIES: usize = 3;

#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) engine: &'a Engine,
    pub(super) address: SocketAddr,
    speech: Speech<'a>,
    /// Several objects in one request, and GETBULK.
    pub(super) bulk: bool,
    pub(super) max_repetitions: i32,
    /// For each request.
    pub(super) timeout: Duration,
    transcript: Option<&'a Transcript>,
}

/// The form of messages.
#[derive(Debug)]
enum Speech<'a> {
    Community(Version, &'a str),
    UserBased(&'a Usm, User<'a>),
}

/// Why a device returned no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// No answer.
    Network(String),
    /// A refusal by the device.
    NotSupported(String),
    /// We could not ask.
    NotMade,
}

impl Failure {
    /// The failure of a request to this address.
    pub(super) fn of(no_answer: NoAnswer, address: SocketAddr) -> Self {
        match no_answer {
            NoAnswer::TimedOut => {
                Self::Network(format!("Timeout while connecting to \"{address}\"."))
            }
            NoAnswer::Io(error) if super::super::network::is_shortage(&error) => Self::NotMade,
            NoAnswer::Io(error) => Self::Network(format!("Cannot send to \"{address}\": {error}")),
        }
    }
}

/// An answer, owning its bytes.
#[derive(Debug)]
pub(super) enum Answer {
    /// A datagram.
    Message(Vec<u8>),
    /// The PDU of a decrypted message.
    Pdu(Vec<u8>),
}

impl Answer {
    pub(super) fn pdu(&self) -> Result<Pdu<'_>, Failure> {
        let pdu = match self {
            Self::Message(bytes) => SnmpMessage::decode(bytes).map(|it| it.pdu),
            Self::Pdu(bytes) => Pdu::decode(bytes),
        };
        match pdu {
            Ok(pdu) if pdu.kind == PduKind::Response => Ok(pdu),
            Ok(_) => Err(Failure::NotSupported("The device answered with a request.".to_owned())),
            Err(error) => Err(Failure::NotSupported(format!("Invalid answer: {error}."))),
        }
    }
}

/// A request of a session.
#[derive(Clone, Copy)]
struct Question {
    kind: PduKind,
    repetitions: i32,
}

impl<'a> Session<'a> {
    /// # Errors
    /// If the interface has no usable settings, for the user.
    pub(super) async fn new(
        (engine, usm): (&'a Engine, &'a Usm),
        address: SocketAddr,
        details: &'a SnmpDetails,
        timeout: Duration,
    ) -> Result<Self, String> {
        let speech = match details.version {
            1 => Speech::Community(Version::V1, &details.community),
            2 => Speech::Community(Version::V2c, &details.community),
            3 => Speech::UserBased(usm, usm.user(details).await?),
            other => return Err(format!("Unknown SNMP version {other}.")),
        };
        let max_repetitions = i32::try_from(details.max_repetitions).unwrap_or(0).clamp(1, 100);
        let (bulk, transcript) = (details.bulk, None);
        Ok(Self { engine, address, speech, bulk, max_repetitions, timeout, transcript })
    }

    /// Records the exchange in a transcript.
    pub(super) fn with_transcript(self, transcript: Option<&'a Transcript>) -> Self {
        Self { transcript, ..self }
    }

    fn record(&self, kind: LineKind, text: impl FnOnce() -> String) {
        if let Some(it) = self.transcript {
            it.push(kind, &text(), b"");
        }
    }

    /// Asks for these names.
    pub(super) async fn get<'o>(
        &self,
        oids: impl DoubleEndedIterator<Item = OidRef<'o>> + Clone + Send + Sync,
    ) -> Result<Answer, Failure> {
        self.ask(Question { kind: PduKind::Get, repetitions: 0 }, oids).await
    }

    /// Asks for the objects after a name: one, or up to `repetitions` if the version can.
    pub(super) async fn next(&self, after: &Oid, repetitions: i32) -> Result<Answer, Failure> {
        let is_v1 = matches!(self.speech, Speech::Community(Version::V1, _));
        let kind = if is_v1 || !self.bulk { PduKind::GetNext } else { PduKind::GetBulk };
        let repetitions = if kind == PduKind::GetBulk { repetitions } else { 0 };
        self.ask(Question { kind, repetitions }, std::iter::once(after.as_ref())).await
    }

    async fn ask<'o>(
        &self,
        question: Question,
        oids: impl DoubleEndedIterator<Item = OidRef<'o>> + Clone + Send + Sync,
    ) -> Result<Answer, Failure> {
        let Question { kind, repetitions } = question;
        match &self.speech {
            Speech::Community(version, community) => {
                self.record(LineKind::Sent, || {
                    let version = if *version == Version::V1 { "v1" } else { "v2c" };
                    let asked = transcript::question(kind, repetitions, oids.clone());
                    format!("SNMP{version} to {}: {asked}", self.address)
                });
                let encode = |request_id: i32, out: &mut Vec<u8>| {
                    let pdu = Pdu::new(kind, request_id, 0, repetitions);
                    let community = community.as_bytes();
                    SnmpMessage::encode_request(
                        &SnmpMessage { version: *version, community, pdu },
                        oids,
                        out,
                    );
                };
                let answer = self.exchange(encode).await.map(Answer::Message)?;
                self.record(LineKind::Received, || match &answer {
                    Answer::Message(bytes) => match SnmpMessage::decode(bytes) {
                        Ok(message) => transcript::answer(&message.pdu),
                        Err(error) => format!("({error})"),
                    },
                    Answer::Pdu(_) => String::new(),
                });
                Ok(answer)
            }
            // On the heap: larger than the other versions.
            Speech::UserBased(usm, user) => {
                Box::pin(self.ask_engine(usm, user, question, oids)).await
            }
        }
    }

    async fn exchange(&self, encode: impl FnOnce(i32, &mut Vec<u8>)) -> Result<Vec<u8>, Failure> {
        let answered = self.engine.exchange(self.address, self.timeout, encode).await;
        answered.map_err(|it| {
            self.record(LineKind::Note, || match &it {
                NoAnswer::TimedOut => format!("no answer within {:?}", self.timeout),
                NoAnswer::Io(error) => format!("it could not be sent: {error}"),
            });
            Failure::of(it, self.address)
        })
    }

    /// Asks an engine of SNMPv3 as a user.
    async fn ask_engine<'o>(
        &self,
        usm: &Usm,
        user: &User<'_>,
        question: Question,
        oids: impl DoubleEndedIterator<Item = OidRef<'o>> + Clone + Send + Sync,
    ) -> Result<Answer, Failure> {
        let mut known = match usm.engine(self.address) {
            Some(known) => known,
            None => self.discover(usm).await?,
        };
        let mut opened = Vec::new();
        for _try in 0..V3_TRIES {
            let keys = user.keys(&known.id);
            let (boots, time) = known.clock(usm.now_ns());
            self.record(LineKind::Sent, || {
                let asked = transcript::question(question.kind, question.repetitions, oids.clone());
                let engine = transcript::engine(&known.id, boots, time);
                let level = user.level();
                format!(
                    "SNMPv3 to {}, user \"{}\", {level}, {engine}: {asked}",
                    self.address, user.name
                )
            });
            let encode = |id: i32, out: &mut Vec<u8>| {
                let head = V3Head {
                    message_id: id,
                    is_reportable: true,
                    engine_id: &known.id,
                    boots,
                    time,
                    user: user.name.as_bytes(),
                    context_name: user.context.as_bytes(),
                    salt: usm.next_salt(),
                };
                let pdu = Pdu::new(question.kind, id, 0, question.repetitions);
                head.encode_request(&pdu, oids.clone(), &keys, out);
            };
            let datagram = self.exchange(encode).await?;
            let message = V3Message::decode(&datagram);
            let message = message.map_err(|it| self.insecure(SecurityError::Damaged(it)))?;
            let scoped = message.open(&keys, &mut opened).map_err(|it| {
                self.record(LineKind::Received, || format!("({it})"));
                self.insecure(it)
            })?;
            self.record(LineKind::Received, || {
                let engine = transcript::engine(message.engine_id, message.boots, message.time);
                format!("{engine}: {}", transcript::answer(&scoped.pdu))
            });
            if message.is_signed() {
                usm.learn(self.address, &message);
            }
            if scoped.pdu.kind != PduKind::Report {
                return Ok(Answer::Pdu(scoped.pdu_bytes.to_vec()));
            }
            let reason = ReportReason::of(&scoped.pdu);
            known = match reason {
                // An unsigned report may be forged.
                ReportReason::NotInTimeWindow if message.is_signed() => usm.engine(self.address),
                ReportReason::UnknownEngineId => usm.learn(self.address, &message),
                _ => None,
            }
            .ok_or_else(|| self.reported(reason))?;
        }
        Err(self.reported(ReportReason::NotInTimeWindow))
    }

    /// Asks for an engine's id and clock.
    async fn discover(&self, usm: &Usm) -> Result<KnownEngine, Failure> {
        self.record(LineKind::Sent, || {
            format!("SNMPv3 to {}: request for the engine id", self.address)
        });
        let encode = |id: i32, out: &mut Vec<u8>| {
            let head = V3Head {
                message_id: id,
                is_reportable: true,
                engine_id: b"",
                boots: 0,
                time: 0,
                user: b"",
                context_name: b"",
                salt: 0,
            };
            let pdu = Pdu::new(PduKind::Get, id, 0, 0);
            head.encode_request(&pdu, std::iter::empty(), &UserKeys::default(), out);
        };
        let datagram = self.exchange(encode).await?;
        let message = V3Message::decode(&datagram);
        let message = message.map_err(|it| self.insecure(SecurityError::Damaged(it)))?;
        self.record(LineKind::Received, || {
            transcript::engine(message.engine_id, message.boots, message.time)
        });
        usm.learn(self.address, &message)
            .ok_or_else(|| self.cannot("the device does not return its engine id"))
    }

    fn cannot(&self, why: &str) -> Failure {
        Failure::NotSupported(format!("Cannot connect to \"{}\": {why}.", self.address))
    }

    fn insecure(&self, error: SecurityError) -> Failure {
        match error {
            SecurityError::WrongDigest => self.reported(ReportReason::WrongDigest),
            SecurityError::CannotDecrypt => self.reported(ReportReason::DecryptionError),
            SecurityError::LessSecure | SecurityError::Damaged(_) => {
                self.cannot(&format!("invalid answer: {error}"))
            }
        }
    }

    /// In the words of net-snmp.
    fn reported(&self, reason: ReportReason) -> Failure {
        self.cannot(match reason {
            ReportReason::UnsupportedSecurityLevel => "Unsupported security level",
            ReportReason::NotInTimeWindow => "Not in time window",
            ReportReason::UnknownUserName => "Unknown user name",
            ReportReason::UnknownEngineId => "Unknown engine ID",
            ReportReason::WrongDigest => {
                "Authentication failure (incorrect password, community or key)"
            }
            ReportReason::DecryptionError => "Decryption error",
            ReportReason::UnknownContext => "Unknown context",
            ReportReason::Other => "The device refused the request",
        })
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
