//! The envelope of version 3 (RFC 3412) with user-based security (RFC 3414).
//!
//! ```text
//! SEQUENCE { 3,
//!   SEQUENCE { message id, largest answer, flags, 3: user-based security },
//!   OCTET STRING of SEQUENCE { engine, boots, time, user, digest, salt },
//!   scoped PDU: SEQUENCE { engine, context, PDU }, or an OCTET STRING with its ciphertext }
//! ```
//!
//! The caller checks an engine's boots and time, and decides on the effect of a report.

use super::SnmpError;
use super::message::{Pdu, PduKind, Varbind};
use super::oid::{Oid, OidRef};
use super::usm::{UserKeys, is_equal};
use super::value::Value;
use crate::ber::{BerError, INTEGER, OCTET_STRING, Reader, SEQUENCE, Writer};

const VERSION: i64 = 3;
const USER_BASED: i64 = 3;
const FLAG_AUTH: u8 = 1;
const FLAG_PRIVACY: u8 = 2;
const FLAG_REPORTABLE: u8 = 4;
/// Largest message that this end accepts.
const MESSAGE_MAX: i64 = 65_507;

/// A message as received, not verified yet.
#[derive(Debug, Clone, Copy)]
pub struct V3Message<'a> {
    pub message_id: i32,
    flags: u8,
    /// Of the engine whose clock the conversation uses.
    pub engine_id: &'a [u8],
    /// How often the engine was started, and for how many seconds it has been running.
    pub boots: i32,
    pub time: i32,
    pub user: &'a [u8],
    digest: &'a [u8],
    salt: &'a [u8],
    /// The scoped PDU with its tag, or its ciphertext.
    data: &'a [u8],
    /// The whole message, without bytes after it.
    whole: &'a [u8],
}

/// A verified and decrypted message.
#[derive(Debug, Clone, Copy)]
pub struct ScopedPdu<'a> {
    pub context_engine_id: &'a [u8],
    pub context_name: &'a [u8],
    pub pdu: Pdu<'a>,
    /// The PDU with its tag.
    pub pdu_bytes: &'a [u8],
}

/// The envelope of a PDU.
#[derive(Debug, Clone, Copy)]
pub struct V3Head<'a> {
    pub message_id: i32,
    /// Whether the other side may report why it does not answer.
    pub is_reportable: bool,
    pub engine_id: &'a [u8],
    pub boots: i32,
    pub time: i32,
    pub user: &'a [u8],
    pub context_name: &'a [u8],
    /// For the start of the cipher: never the same twice with a key.
    pub salt: u64,
}

/// Why a message is refused, or unreadable.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum SecurityError {
    #[error("the answer is less secure than the question")]
    LessSecure,
    #[error("wrong digest")]
    WrongDigest,
    #[error("decryption failed")]
    CannotDecrypt,
    #[error(transparent)]
    Damaged(#[from] SnmpError),
}

impl From<BerError> for SecurityError {
    fn from(error: BerError) -> Self {
        Self::Damaged(error.into())
    }
}

/// Why an engine refused a request: the counter that its report names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportReason {
    UnsupportedSecurityLevel,
    NotInTimeWindow,
    UnknownUserName,
    UnknownEngineId,
    WrongDigest,
    DecryptionError,
    UnknownContext,
    Other,
}

impl ReportReason {
    /// Objects of the counters, without the last number, which is always 0.
    const COUNTERS: [(&'static [u32], Self); 8] = [
        (&[1, 3, 6, 1, 6, 3, 15, 1, 1, 1], Self::UnsupportedSecurityLevel),
        (&[1, 3, 6, 1, 6, 3, 15, 1, 1, 2], Self::NotInTimeWindow),
        (&[1, 3, 6, 1, 6, 3, 15, 1, 1, 3], Self::UnknownUserName),
        (&[1, 3, 6, 1, 6, 3, 15, 1, 1, 4], Self::UnknownEngineId),
        (&[1, 3, 6, 1, 6, 3, 15, 1, 1, 5], Self::WrongDigest),
        (&[1, 3, 6, 1, 6, 3, 15, 1, 1, 6], Self::DecryptionError),
        (&[1, 3, 6, 1, 6, 3, 12, 1, 4], Self::UnknownContext),
        (&[1, 3, 6, 1, 6, 3, 12, 1, 5], Self::UnknownContext),
    ];

    /// The object of its counter.
    fn counter(self) -> Option<Oid> {
        let (counter, _) = Self::COUNTERS.iter().find(|(_, reason)| *reason == self)?;
        Oid::from_arcs(&[*counter, &[0]].concat()).ok()
    }

    /// The reason in a report's PDU.
    #[must_use]
    pub fn of(pdu: &Pdu<'_>) -> Self {
        let Some(Ok(varbind)) = pdu.varbinds.into_iter().next() else { return Self::Other };
        let mut arcs: Vec<u32> = varbind.oid.arcs().collect();
        arcs.pop();
        let known = Self::COUNTERS.iter().find(|(counter, _)| *counter == arcs);
        known.map_or(Self::Other, |it| it.1)
    }
}

impl<'a> V3Message<'a> {
    /// Reads the envelope of a datagram; bytes after the message are ignored.
    ///
    /// # Errors
    /// When the envelope is damaged, or of another version or kind of security.
    pub fn decode(datagram: &'a [u8]) -> Result<Self, SnmpError> {
        let mut outer = Reader::new(datagram);
        let content = outer.expect(SEQUENCE)?;
        let end = datagram.len() - outer.rest().len();
        let whole = datagram.get(..end).unwrap_or_default();
        let mut fields = Reader::new(content);
        let version = fields.integer()?;
        if version != VERSION {
            return Err(SnmpError::UnsupportedVersion(version));
        }
        let mut head = Reader::new(fields.expect(SEQUENCE)?);
        let message_id = int32(&mut head)?;
        int32(&mut head)?;
        let flags = head.expect(OCTET_STRING)?.first().copied().unwrap_or(0);
        let model = head.integer()?;
        if model != USER_BASED {
            return Err(SnmpError::UnsupportedSecurity(model));
        }
        let mut security = Reader::new(fields.expect(OCTET_STRING)?);
        let mut security = Reader::new(security.expect(SEQUENCE)?);
        let engine_id = security.expect(OCTET_STRING)?;
        let (boots, time) = (int32(&mut security)?, int32(&mut security)?);
        let user = security.expect(OCTET_STRING)?;
        let digest = security.expect(OCTET_STRING)?;
        let salt = security.expect(OCTET_STRING)?;
        let data = fields.rest();
        Ok(Self { message_id, flags, engine_id, boots, time, user, digest, salt, data, whole })
    }

    /// Whether its flags say that it is signed.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.flags & FLAG_AUTH != 0
    }

    /// Whether its sender wants a report on why it is refused.
    #[must_use]
    pub fn is_reportable(&self) -> bool {
        self.flags & FLAG_REPORTABLE != 0
    }

    /// Whether it is signed with these keys; it need not be readable yet.
    #[must_use]
    pub fn is_authentic(&self, keys: &UserKeys) -> bool {
        self.is_signed() && self.check_digest(keys).is_ok()
    }

    /// Checks the digest, decrypts into `buffer` if needed, and reads the PDU. A report may be less
    /// secure than `keys`, since an engine that does not know them cannot use them; any other
    /// message may not.
    ///
    /// # Errors
    /// If it is not from its user, or damaged.
    pub fn open<'b>(
        &self,
        keys: &UserKeys,
        buffer: &'b mut Vec<u8>,
    ) -> Result<ScopedPdu<'b>, SecurityError>
    where
        'a: 'b,
    {
        let (is_signed, is_encrypted) = (self.is_signed(), self.flags & FLAG_PRIVACY != 0);
        if is_signed {
            self.check_digest(keys)?;
        }
        let scoped: &'b [u8] = if is_encrypted {
            if !is_signed {
                return Err(SecurityError::LessSecure);
            }
            buffer.clear();
            buffer.extend_from_slice(Reader::new(self.data).expect(OCTET_STRING)?);
            let opened = keys.decrypt((self.boots, self.time), self.salt, buffer);
            opened.ok_or(SecurityError::CannotDecrypt)?;
            buffer
        } else {
            self.data
        };
        // A wrong key gives random bytes.
        let read = ScopedPdu::decode(scoped);
        let scoped =
            if is_encrypted { read.map_err(|_noise| SecurityError::CannotDecrypt)? } else { read? };
        let is_less = keys.has_auth() && !is_signed || keys.has_privacy() && !is_encrypted;
        if is_less && scoped.pdu.kind != PduKind::Report {
            return Err(SecurityError::LessSecure);
        }
        Ok(scoped)
    }

    fn check_digest(&self, keys: &UserKeys) -> Result<(), SecurityError> {
        let len = keys.digest_len();
        if len == 0 || self.digest.len() != len {
            return Err(SecurityError::WrongDigest);
        }
        // The digest was computed with zeros in its place.
        let at = self.digest.as_ptr().addr().saturating_sub(self.whole.as_ptr().addr());
        let (before, rest) = self.whole.split_at_checked(at).unwrap_or_default();
        let after = rest.get(len..).unwrap_or_default();
        let zeros = vec![0; len];
        let made = keys.digest(&[before, &zeros, after]);
        if is_equal(&made, self.digest) { Ok(()) } else { Err(SecurityError::WrongDigest) }
    }
}

impl<'a> ScopedPdu<'a> {
    fn decode(bytes: &'a [u8]) -> Result<Self, SnmpError> {
        let mut fields = Reader::new(Reader::new(bytes).expect(SEQUENCE)?);
        let context_engine_id = fields.expect(OCTET_STRING)?;
        let context_name = fields.expect(OCTET_STRING)?;
        let pdu_bytes = fields.rest();
        Ok(Self { context_engine_id, context_name, pdu: Pdu::decode(pdu_bytes)?, pdu_bytes })
    }
}

impl V3Head<'_> {
    /// Appends a request for these names to `out`.
    pub fn encode_request<'o>(
        &self,
        pdu: &Pdu<'_>,
        oids: impl DoubleEndedIterator<Item = OidRef<'o>>,
        keys: &UserKeys,
        out: &mut Vec<u8>,
    ) {
        let null = |oid| Varbind { oid, value: Value::Null };
        let mut scoped = Vec::with_capacity(256);
        let mut writer = Writer::new(&mut scoped);
        pdu.encode_rev(oids.rev().map(null), &mut writer);
        self.wrap_scoped(writer, self.engine_id);
        self.encode_scoped(scoped, keys, out);
    }

    /// Appends a message with these bindings to `out`.
    pub fn encode(
        &self,
        pdu: &Pdu<'_>,
        varbinds: &[Varbind<'_>],
        keys: &UserKeys,
        out: &mut Vec<u8>,
    ) {
        let mut scoped = Vec::with_capacity(256);
        let mut writer = Writer::new(&mut scoped);
        pdu.encode_rev(varbinds.iter().rev().copied(), &mut writer);
        self.wrap_scoped(writer, self.engine_id);
        self.encode_scoped(scoped, keys, out);
    }

    /// Appends the answer to `asked` with its bindings to `out`; the context is the question's.
    pub fn encode_answer(&self, asked: &ScopedPdu<'_>, keys: &UserKeys, out: &mut Vec<u8>) {
        let varbinds: Vec<Varbind<'_>> = asked.pdu.varbinds.flatten().collect();
        let mut scoped = Vec::with_capacity(256);
        let mut writer = Writer::new(&mut scoped);
        let pdu = Pdu::new(PduKind::Response, asked.pdu.request_id, 0, 0);
        pdu.encode_rev(varbinds.iter().rev().copied(), &mut writer);
        self.wrap_scoped(writer, asked.context_engine_id);
        self.encode_scoped(scoped, keys, out);
    }

    /// Appends a report to `out`: why a message was refused, and how many were.
    pub fn encode_report(
        &self,
        (reason, count): (ReportReason, u32),
        request_id: i32,
        keys: &UserKeys,
        out: &mut Vec<u8>,
    ) {
        let counter = reason.counter();
        let varbind =
            counter.as_ref().map(|it| Varbind { oid: it.as_ref(), value: Value::Counter32(count) });
        let pdu = Pdu::new(PduKind::Report, request_id, 0, 0);
        self.encode(&pdu, varbind.as_slice(), keys, out);
    }

    fn wrap_scoped(&self, mut writer: Writer<'_>, context_engine_id: &[u8]) {
        writer.bytes(OCTET_STRING, self.context_name);
        writer.bytes(OCTET_STRING, context_engine_id);
        writer.wrap(SEQUENCE, writer.start());
        writer.finish();
    }

    fn encode_scoped(&self, mut scoped: Vec<u8>, keys: &UserKeys, out: &mut Vec<u8>) {
        let salt = keys.encrypt((self.boots, self.time), self.salt, &mut scoped);
        let start = out.len();
        let mut writer = Writer::new(out);
        let message = writer.mark();
        if keys.has_privacy() {
            writer.bytes(OCTET_STRING, &scoped);
        } else {
            writer.verbatim(&scoped);
        }
        let security = writer.mark();
        writer.bytes(OCTET_STRING, &salt);
        // Written last to first until everything is written.
        let behind_digest = writer.mark() - start;
        let zeros = vec![0; keys.digest_len()];
        writer.bytes(OCTET_STRING, &zeros);
        writer.bytes(OCTET_STRING, self.user);
        writer.signed(INTEGER, self.time.into());
        writer.signed(INTEGER, self.boots.into());
        writer.bytes(OCTET_STRING, self.engine_id);
        writer.wrap(SEQUENCE, security);
        writer.wrap(OCTET_STRING, security);
        let head = writer.mark();
        writer.signed(INTEGER, USER_BASED);
        writer.bytes(OCTET_STRING, &[self.flags(keys)]);
        writer.signed(INTEGER, MESSAGE_MAX);
        writer.signed(INTEGER, self.message_id.into());
        writer.wrap(SEQUENCE, head);
        writer.signed(INTEGER, VERSION);
        writer.wrap(SEQUENCE, message);
        writer.finish();
        let digest = keys.digest(&[out.get(start..).unwrap_or_default()]);
        let end = out.len() - behind_digest;
        if let Some(place) = out.get_mut(end - digest.len()..end) {
            place.copy_from_slice(&digest);
        }
    }

    fn flags(&self, keys: &UserKeys) -> u8 {
        let when = |is: bool, flag: u8| if is { flag } else { 0 };
        when(keys.has_auth(), FLAG_AUTH)
            | when(keys.has_privacy(), FLAG_PRIVACY)
            | when(self.is_reportable, FLAG_REPORTABLE)
    }
}

fn int32(fields: &mut Reader<'_>) -> Result<i32, SnmpError> {
    let value = fields.integer()?;
    Ok(i32::try_from(value).map_err(|_too_large| BerError::BadInteger(8))?)
}
