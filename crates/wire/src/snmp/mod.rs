//! SNMP v1, v2c and v3: BER messages, and values as item text.
//!
//! A datagram is decoded in place: [`SnmpMessage::decode`] checks the envelope, [`Varbinds`] walks the
//! bindings, and names ([`OidRef`]) stay encoded, since comparing encoded names is all that a
//! poller needs. Nothing is allocated; lengths never reach beyond the datagram.
//!
//! Devices write bad BER. As much as possible is understood: lengths in longer form than needed,
//! integers with superfluous or missing leading zeros, bytes after the message. An unreadable value
//! is [`Value::Unreadable`] and does not cost its neighbours.
//!
//! Version 3 wraps the same PDUs in another envelope ([`V3Message`]) with user-based security.
//!
//! Not here: sockets, retries, matching requests with answers, walking, MIBs.

mod message;
mod notification;
mod oid;
mod template;
mod text;
mod usm;
mod v3;
mod value;

pub use crate::ber::BerError;
pub use message::{
    ErrorStatus, Pdu, PduKind, SnmpMessage, Varbind, Varbinds, Version, peek_version,
};
pub use notification::Notification;
pub use oid::{Arcs, Oid, OidRef};
pub use template::RequestTemplate;
pub use text::{NoValue, Octets, to_text, to_text_as, utf8_text, write_text};
pub(crate) use usm::is_equal;
pub use usm::{AuthProtocol, MasterKey, PASSPHRASE_MIN, PrivProtocol, UserKeys};
pub use v3::{ReportReason, ScopedPdu, SecurityError, V3Head, V3Message};
pub use value::Value;

/// Why bytes are not a message, or a text not a name.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum SnmpError {
    #[error(transparent)]
    Ber(#[from] BerError),
    #[error("unsupported SNMP version {0}")]
    UnsupportedVersion(i64),
    #[error("unsupported SNMP security model {0}")]
    UnsupportedSecurity(i64),
    #[error("unsupported PDU 0x{0:02x}")]
    UnsupportedPdu(u8),
    #[error("object name is damaged or longer than 128 numbers")]
    BadOid,
}
