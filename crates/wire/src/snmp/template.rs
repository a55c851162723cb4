//! Requests that are sent repeatedly, each time with another id.

use super::message::{SnmpMessage, Varbinds};
use super::oid::OidRef;
use super::{Pdu, PduKind, Version};
use crate::ber::{INTEGER, OCTET_STRING, Reader, SEQUENCE};

/// Bytes of an id in the form that [`RequestTemplate`] has room for.
const ID_BYTES: usize = 4;

/// A GET, complete except for its id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestTemplate {
    bytes: Box<[u8]>,
    /// The place of the four bytes of the id.
    id_at: usize,
}

impl RequestTemplate {
    /// The least id that takes four bytes: BER requires the shortest form, so a smaller one would
    /// change the length.
    pub const ID_MIN: i32 = 0x0080_0000;

    #[must_use]
    pub fn get<'o>(
        (version, community): (Version, &[u8]),
        oids: impl DoubleEndedIterator<Item = OidRef<'o>>,
    ) -> Self {
        let pdu = Pdu::new(PduKind::Get, Self::ID_MIN, 0, 0);
        let mut bytes = Vec::new();
        SnmpMessage::encode_request(&SnmpMessage { version, community, pdu }, oids, &mut bytes);
        let id_at = id_at(&bytes).expect("it was just written");
        Self { bytes: bytes.into(), id_at }
    }

    /// Writes the request, replacing the content of `out`. The id is [`Self::ID_MIN`] or above.
    pub fn write(&self, id: i32, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.bytes);
        if let Some(place) = out.get_mut(self.id_at..self.id_at + ID_BYTES) {
            place.copy_from_slice(&id.to_be_bytes());
        }
    }

    /// The requested objects.
    #[must_use]
    pub fn varbinds(&self) -> Varbinds<'_> {
        let message = SnmpMessage::decode(&self.bytes).expect("it was written here");
        message.pdu.varbinds
    }
}

fn id_at(bytes: &[u8]) -> Option<usize> {
    let mut fields = Reader::new(Reader::new(bytes).expect(SEQUENCE).ok()?);
    fields.expect(INTEGER).ok()?;
    fields.expect(OCTET_STRING).ok()?;
    let (_, pdu) = fields.any().ok()?;
    let mut fields = Reader::new(pdu);
    let id = fields.expect(INTEGER).ok().filter(|it| it.len() == ID_BYTES)?;
    bytes.len().checked_sub(fields.rest().len() + id.len())
}
