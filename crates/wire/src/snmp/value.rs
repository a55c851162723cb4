//! Values of bindings.

use super::oid::OidRef;
use crate::ber::{INTEGER, NULL, OCTET_STRING, OID, Reader, Writer, signed, unsigned};

const IP_ADDRESS: u8 = 0x40;
const COUNTER32: u8 = 0x41;
const GAUGE32: u8 = 0x42;
const TIME_TICKS: u8 = 0x43;
const OPAQUE: u8 = 0x44;
const COUNTER64: u8 = 0x46;
/// Unsigned numbers of an early SNMPv2 draft; old devices send them.
const UINTEGER32: u8 = 0x47;
const NO_SUCH_OBJECT: u8 = 0x80;
const NO_SUCH_INSTANCE: u8 = 0x81;
const END_OF_MIB_VIEW: u8 = 0x82;
/// Inside an Opaque, net-snmp wraps types that SNMP lacks after this byte.
const OPAQUE_ESCAPE: u8 = 0x9f;
const OPAQUE_COUNTER64: u8 = 0x76;
const OPAQUE_FLOAT: u8 = 0x78;
const OPAQUE_DOUBLE: u8 = 0x79;
const OPAQUE_SIGNED64: u8 = 0x7a;
const OPAQUE_UNSIGNED64: u8 = 0x7b;

/// The value of an object, borrowed from the datagram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// 32 bits by the standard; up to 64 are accepted from devices.
    Integer(i64),
    OctetString(&'a [u8]),
    /// Only in requests; no answer to an item.
    Null,
    Oid(OidRef<'a>),
    IpAddress([u8; 4]),
    Counter32(u32),
    Gauge32(u32),
    /// Hundredths of a second.
    TimeTicks(u32),
    Opaque(&'a [u8]),
    OpaqueFloat(f32),
    OpaqueDouble(f64),
    Counter64(u64),
    NoSuchObject,
    NoSuchInstance,
    EndOfMibView,
    /// An unknown type, or content that is not of its type.
    Unreadable {
        tag: u8,
        content: &'a [u8],
    },
}

impl<'a> Value<'a> {
    /// Never fails: an unreadable value becomes [`Value::Unreadable`].
    #[inline]
    pub(super) fn decode(tag: u8, content: &'a [u8]) -> Self {
        Self::read(tag, content).unwrap_or(Self::Unreadable { tag, content })
    }

    #[inline]
    fn read(tag: u8, content: &'a [u8]) -> Option<Self> {
        let unsigned32 = || u32::try_from(unsigned(content)?).ok();
        Some(match tag {
            INTEGER => Self::Integer(signed(content)?),
            OCTET_STRING => Self::OctetString(content),
            COUNTER32 => Self::Counter32(unsigned32()?),
            GAUGE32 | UINTEGER32 => Self::Gauge32(unsigned32()?),
            TIME_TICKS => Self::TimeTicks(unsigned32()?),
            COUNTER64 => Self::Counter64(unsigned(content)?),
            OID => Self::Oid(OidRef::from_ber(content).ok()?),
            IP_ADDRESS => Self::IpAddress(content.try_into().ok()?),
            OPAQUE => Self::read_opaque(content),
            NULL => Self::Null,
            NO_SUCH_OBJECT => Self::NoSuchObject,
            NO_SUCH_INSTANCE => Self::NoSuchInstance,
            END_OF_MIB_VIEW => Self::EndOfMibView,
            _ => return None,
        })
    }

    fn read_opaque(content: &'a [u8]) -> Self {
        Self::read_wrapped(content).unwrap_or(Self::Opaque(content))
    }

    fn read_wrapped(content: &'a [u8]) -> Option<Self> {
        let (&escape, field) = content.split_first()?;
        if escape != OPAQUE_ESCAPE {
            return None;
        }
        let mut fields = Reader::new(field);
        let (tag, content) = fields.any().ok()?;
        Some(match tag {
            OPAQUE_FLOAT => Self::OpaqueFloat(f32::from_be_bytes(content.try_into().ok()?)),
            OPAQUE_DOUBLE => Self::OpaqueDouble(f64::from_be_bytes(content.try_into().ok()?)),
            OPAQUE_COUNTER64 | OPAQUE_UNSIGNED64 => Self::Counter64(unsigned(content)?),
            OPAQUE_SIGNED64 => Self::Integer(signed(content)?),
            _ => return None,
        })
    }

    pub(super) fn encode(self, writer: &mut Writer<'_>) {
        match self {
            Self::Integer(value) => writer.signed(INTEGER, value),
            Self::OctetString(bytes) => writer.bytes(OCTET_STRING, bytes),
            Self::Null => writer.bytes(NULL, &[]),
            Self::Oid(oid) => writer.bytes(OID, oid.as_ber()),
            Self::IpAddress(address) => writer.bytes(IP_ADDRESS, &address),
            Self::Counter32(value) => writer.unsigned(COUNTER32, value.into()),
            Self::Gauge32(value) => writer.unsigned(GAUGE32, value.into()),
            Self::TimeTicks(value) => writer.unsigned(TIME_TICKS, value.into()),
            Self::Opaque(bytes) => writer.bytes(OPAQUE, bytes),
            Self::OpaqueFloat(value) => encode_wrapped(OPAQUE_FLOAT, &value.to_be_bytes(), writer),
            Self::OpaqueDouble(value) => {
                encode_wrapped(OPAQUE_DOUBLE, &value.to_be_bytes(), writer);
            }
            Self::Counter64(value) => writer.unsigned(COUNTER64, value),
            Self::NoSuchObject => writer.bytes(NO_SUCH_OBJECT, &[]),
            Self::NoSuchInstance => writer.bytes(NO_SUCH_INSTANCE, &[]),
            Self::EndOfMibView => writer.bytes(END_OF_MIB_VIEW, &[]),
            Self::Unreadable { tag, content } => writer.bytes(tag, content),
        }
    }
}

fn encode_wrapped(tag: u8, content: &[u8], writer: &mut Writer<'_>) {
    let mark = writer.mark();
    writer.bytes(tag, content);
    writer.raw(OPAQUE_ESCAPE);
    writer.wrap(OPAQUE, mark);
}
