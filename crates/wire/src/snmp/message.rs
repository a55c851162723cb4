//! The envelope with version and community, and the PDU in it.

use super::SnmpError;
use super::oid::OidRef;
use super::value::Value;
use crate::ber::{BerError, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE, Writer};

/// Versions with a community. Version 3 has an envelope of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    V1,
    V2c,
}

/// The kind of a PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PduKind {
    Get,
    GetNext,
    Response,
    Set,
    GetBulk,
    Inform,
    /// A trap of v2c; that of v1 has another shape ([`super::Notification`] reads both).
    Trap,
    Report,
}

impl PduKind {
    const TAGS: [(u8, Self); 8] = [
        (0xa0, Self::Get),
        (0xa1, Self::GetNext),
        (0xa2, Self::Response),
        (0xa3, Self::Set),
        (0xa5, Self::GetBulk),
        (0xa6, Self::Inform),
        (0xa7, Self::Trap),
        (0xa8, Self::Report),
    ];

    #[inline]
    fn of(tag: u8) -> Result<Self, SnmpError> {
        let entry = Self::TAGS.iter().find(|(known, _)| *known == tag);
        entry.map(|(_, kind)| *kind).ok_or(SnmpError::UnsupportedPdu(tag))
    }

    pub(super) fn tag(self) -> u8 {
        let entry = Self::TAGS.iter().find(|(_, kind)| *kind == self);
        entry.map(|(tag, _)| *tag).expect("every kind is in the table")
    }
}

/// A datagram.
#[derive(Debug, Clone, Copy)]
pub struct SnmpMessage<'a> {
    pub version: Version,
    pub community: &'a [u8],
    pub pdu: Pdu<'a>,
}

/// The part common to all versions.
#[derive(Debug, Clone, Copy)]
pub struct Pdu<'a> {
    pub kind: PduKind,
    pub request_id: i32,
    /// Error status of an answer, number of non-repeaters of a [`PduKind::GetBulk`].
    pub first: i32,
    /// Error index of an answer (1 is the first binding, 0 none), maximum of repetitions of a
    /// [`PduKind::GetBulk`].
    pub second: i32,
    pub varbinds: Varbinds<'a>,
}

/// Bindings in a datagram.
#[derive(Debug, Clone, Copy)]
pub struct Varbinds<'a> {
    fields: Reader<'a>,
}

/// A name and its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Varbind<'a> {
    pub oid: OidRef<'a>,
    pub value: Value<'a>,
}

/// The version of a datagram as SNMP counts: 0 is v1, 1 is v2c, 3 is v3.
///
/// # Errors
/// When it is no SNMP message.
pub fn peek_version(datagram: &[u8]) -> Result<i64, SnmpError> {
    Ok(Reader::new(Reader::new(datagram).expect(SEQUENCE)?).integer()?)
}

impl<'a> SnmpMessage<'a> {
    /// Reads a datagram; bytes after the message are ignored.
    ///
    /// # Errors
    /// When the envelope or the head of the PDU is damaged, or of a version or kind not read here.
    #[inline]
    pub fn decode(datagram: &'a [u8]) -> Result<Self, SnmpError> {
        let mut fields = Reader::new(Reader::new(datagram).expect(SEQUENCE)?);
        let version = match fields.integer()? {
            0 => Version::V1,
            1 => Version::V2c,
            other => return Err(SnmpError::UnsupportedVersion(other)),
        };
        let community = fields.expect(OCTET_STRING)?;
        let (tag, content) = fields.any()?;
        Ok(Self { version, community, pdu: Pdu::decode_content(tag, content)? })
    }

    /// Appends a datagram to `out`. `head.varbinds` is ignored, so that an answer can be made from
    /// the request's head.
    pub fn encode(head: &SnmpMessage<'_>, varbinds: &[Varbind<'_>], out: &mut Vec<u8>) {
        let mut writer = Writer::new(out);
        let start = writer.mark();
        head.pdu.encode_into(varbinds, &mut writer);
        writer.bytes(OCTET_STRING, head.community);
        writer.signed(INTEGER, if head.version == Version::V1 { 0 } else { 1 });
        writer.wrap(SEQUENCE, start);
        writer.finish();
    }

    /// Appends a request for these names to `out`.
    pub fn encode_request<'o>(
        head: &SnmpMessage<'_>,
        oids: impl DoubleEndedIterator<Item = OidRef<'o>>,
        out: &mut Vec<u8>,
    ) {
        let mut writer = Writer::new(out);
        let start = writer.mark();
        let null = |oid| Varbind { oid, value: Value::Null };
        head.pdu.encode_rev(oids.rev().map(null), &mut writer);
        writer.bytes(OCTET_STRING, head.community);
        writer.signed(INTEGER, if head.version == Version::V1 { 0 } else { 1 });
        writer.wrap(SEQUENCE, start);
        writer.finish();
    }
}

impl<'a> Pdu<'a> {
    /// Head of a request; see the fields for `first` and `second`.
    #[must_use]
    pub fn new(kind: PduKind, request_id: i32, first: i32, second: i32) -> Self {
        Self { kind, request_id, first, second, varbinds: Varbinds { fields: Reader::new(&[]) } }
    }

    /// Reads a PDU with its tag: the content of the envelope of version 3.
    ///
    /// # Errors
    /// When its head is damaged or of another kind.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, SnmpError> {
        let (tag, content) = Reader::new(bytes).any()?;
        Self::decode_content(tag, content)
    }

    #[inline]
    fn decode_content(tag: u8, content: &'a [u8]) -> Result<Self, SnmpError> {
        let kind = PduKind::of(tag)?;
        let mut fields = Reader::new(content);
        let mut int32 = || {
            let value = fields.integer()?;
            i32::try_from(value).map_err(|_too_large| BerError::BadInteger(8))
        };
        let (request_id, first, second) = (int32()?, int32()?, int32()?);
        let varbinds = Varbinds { fields: Reader::new(fields.expect(SEQUENCE)?) };
        Ok(Self { kind, request_id, first, second, varbinds })
    }

    /// Status of an answer.
    #[must_use]
    pub fn error_status(&self) -> ErrorStatus {
        ErrorStatus(self.first)
    }

    /// Position of the binding with the error, from 0; `None`: none of them.
    #[must_use]
    pub fn error_position(&self) -> Option<usize> {
        usize::try_from(self.second).ok()?.checked_sub(1)
    }

    fn encode_into(&self, varbinds: &[Varbind<'_>], writer: &mut Writer<'_>) {
        self.encode_rev(varbinds.iter().rev().copied(), writer);
    }

    /// Writes the bindings last to first, as the writer does.
    pub(super) fn encode_rev<'v>(
        &self,
        varbinds: impl Iterator<Item = Varbind<'v>>,
        writer: &mut Writer<'_>,
    ) {
        let start = writer.mark();
        for varbind in varbinds {
            let mark = writer.mark();
            varbind.value.encode(writer);
            writer.bytes(OID, varbind.oid.as_ber());
            writer.wrap(SEQUENCE, mark);
        }
        writer.wrap(SEQUENCE, start);
        writer.signed(INTEGER, self.second.into());
        writer.signed(INTEGER, self.first.into());
        writer.signed(INTEGER, self.request_id.into());
        writer.wrap(self.kind.tag(), start);
    }
}

impl<'a> Iterator for Varbinds<'a> {
    type Item = Result<Varbind<'a>, SnmpError>;

    /// Ends after an error: the boundaries of further fields are unknown.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.fields.is_empty() {
            return None;
        }
        let varbind = self.read();
        if varbind.is_err() {
            self.fields = Reader::new(&[]);
        }
        Some(varbind)
    }
}

impl<'a> Varbinds<'a> {
    /// A reader of the content of a list.
    pub(super) fn new(content: &'a [u8]) -> Self {
        Self { fields: Reader::new(content) }
    }

    #[inline]
    fn read(&mut self) -> Result<Varbind<'a>, SnmpError> {
        let mut fields = Reader::new(self.fields.expect(SEQUENCE)?);
        let oid = OidRef::from_ber(fields.expect(OID)?)?;
        let (tag, content) = fields.any()?;
        Ok(Varbind { oid, value: Value::decode(tag, content) })
    }
}

/// Error status of an answer; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorStatus(pub i32);

impl ErrorStatus {
    pub const NO_ERROR: Self = Self(0);
    /// The answer did not fit: ask for fewer objects at a time.
    pub const TOO_BIG: Self = Self(1);
    /// v1: one of the names does not exist, and the others are not answered.
    pub const NO_SUCH_NAME: Self = Self(2);
    pub const GEN_ERR: Self = Self(5);

    /// As RFC 3416 names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 19] = [
            "noError",
            "tooBig",
            "noSuchName",
            "badValue",
            "readOnly",
            "genErr",
            "noAccess",
            "wrongType",
            "wrongLength",
            "wrongEncoding",
            "wrongValue",
            "noCreation",
            "inconsistentValue",
            "resourceUnavailable",
            "commitFailed",
            "undoFailed",
            "authorizationError",
            "notWritable",
            "inconsistentName",
        ];
        let position = usize::try_from(self.0).ok();
        position.and_then(|it| NAMES.get(it)).copied().unwrap_or("unknown error")
    }
}
