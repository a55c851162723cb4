//! SNMP v1 and v2c: BER messages, and values as item text.
//!
//! A datagram is decoded in place: [`Message::decode`] checks the envelope, [`Varbinds`] walks the
//! bindings, and names ([`OidRef`]) stay the bytes that they were, since comparing encoded names
//! is all that a poller needs. Nothing is allocated; lengths never reach beyond the datagram.
//!
//! Devices write bad BER. What can be understood is: lengths in longer form than needed, integers
//! with superfluous or missing leading zeros, bytes behind the message. A value that can't be
//! understood is [`Value::Unreadable`] and does not cost its neighbours.
//!
//! Not here: sockets, retries, matching requests with answers, walking, MIBs. Version 3 (user-based
//! security) wraps the same PDUs in another envelope: it will be a file beside `message`, reading
//! what [`peek_version`] calls 3 and handing its inner bytes to [`Pdu::decode`].

mod ber;
mod message;
mod oid;
mod text;
mod value;

pub use message::{ErrorStatus, Message, Pdu, PduKind, Varbind, Varbinds, Version, peek_version};
pub use oid::{Arcs, Oid, OidRef};
pub use text::{NoValue, to_text, write_text};
pub use value::Value;

/// Why bytes are not a message, or a text not a name.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum SnmpError {
    #[error("datagram ends within a field")]
    Truncated,
    #[error("field length is indefinite or over 2^32")]
    BadLength,
    #[error("expected BER tag 0x{expected:02x}, found 0x{found:02x}")]
    UnexpectedTag { expected: u8, found: u8 },
    #[error("integer of {0} bytes")]
    BadInteger(usize),
    #[error("unsupported SNMP version {0}")]
    UnsupportedVersion(i64),
    #[error("unsupported PDU 0x{0:02x}")]
    UnsupportedPdu(u8),
    #[error("object name is damaged or longer than 128 numbers")]
    BadOid,
}
