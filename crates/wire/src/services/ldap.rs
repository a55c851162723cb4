//! LDAP, as far as needed to ask a directory for the entry without a name, which describes the
//! directory itself.

use crate::ber::{BerError, INTEGER, OCTET_STRING, Reader, SEQUENCE, Writer};

const BOOLEAN: u8 = 0x01;
const ENUMERATED: u8 = 0x0a;
const UNBIND_REQUEST: u8 = 0x42;
const SEARCH_REQUEST: u8 = 0x63;
const SEARCH_ENTRY: u8 = 0x64;
/// The filter for the presence of an attribute.
const PRESENT: u8 = 0x87;
const SEARCH_MESSAGE: i64 = 1;

/// A search for the entry without a name and all its attributes.
pub(super) fn search() -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out);
    // Last to first.
    let message = writer.mark();
    writer.bytes(SEQUENCE, &[]);
    writer.bytes(PRESENT, b"objectClass");
    writer.bytes(BOOLEAN, &[0]);
    let no_limit = 0;
    writer.signed(INTEGER, no_limit);
    writer.signed(INTEGER, no_limit);
    writer.bytes(ENUMERATED, &[0]);
    writer.bytes(ENUMERATED, &[0]);
    writer.bytes(OCTET_STRING, b"");
    writer.wrap(SEARCH_REQUEST, message);
    writer.signed(INTEGER, SEARCH_MESSAGE);
    writer.wrap(SEQUENCE, message);
    writer.finish();
    out
}

pub(super) fn unbind() -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out);
    let message = writer.mark();
    writer.bytes(UNBIND_REQUEST, &[]);
    writer.signed(INTEGER, SEARCH_MESSAGE + 1);
    writer.wrap(SEQUENCE, message);
    writer.finish();
    out
}

/// Whether the answer begins with an entry that has an attribute; `None`: it is not complete yet.
pub(super) fn has_entry(received: &[u8]) -> Option<bool> {
    if received.first().is_some_and(|it| *it != SEQUENCE) {
        return Some(false);
    }
    match first_entry(received) {
        Ok(has_attribute) => Some(has_attribute),
        Err(BerError::Truncated) => None,
        Err(_) => Some(false),
    }
}

fn first_entry(received: &[u8]) -> Result<bool, BerError> {
    // The content of the message is complete: if it ends within a field, it is damaged.
    let content = Reader::new(received).expect(SEQUENCE)?;
    Ok(attribute(content).unwrap_or(false))
}

fn attribute(message: &[u8]) -> Result<bool, BerError> {
    let mut fields = Reader::new(message);
    if fields.integer()? != SEARCH_MESSAGE {
        return Ok(false);
    }
    let (tag, entry) = fields.any()?;
    if tag != SEARCH_ENTRY {
        return Ok(false);
    }
    let mut entry = Reader::new(entry);
    entry.expect(OCTET_STRING)?;
    let mut attributes = Reader::new(entry.expect(SEQUENCE)?);
    let name = Reader::new(attributes.expect(SEQUENCE)?).expect(OCTET_STRING)?;
    Ok(!name.is_empty())
}
