//! Values as the text of an item, in Zabbix' form.
//!
//! An octet string is text if all its bytes are printable ASCII or white space; otherwise it is
//! hexadecimal, upper case, in one line, as in Zabbix, which removes the line ends of net-snmp's
//! output. Without MIBs there are no display hints, so that UTF-8 text shows as hexadecimal too,
//! except with [`Octets::Utf8`]; the step "SNMP get value" converts it back.

use std::fmt::Write;

use super::value::Value;

/// Why a binding has no value. The `Display` is the error of the item.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum NoValue {
    #[error("No Such Object available on this agent at this OID")]
    NoSuchObject,
    #[error("No Such Instance currently exists at this OID")]
    NoSuchInstance,
    #[error("No more variables left in this MIB View (It is past the end of the MIB tree)")]
    EndOfMibView,
    #[error("NULL")]
    Null,
    #[error("value has unknown type 0x{0:02x}")]
    Unreadable(u8),
}

/// Which octet strings are text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Octets {
    /// Printable ASCII and white space.
    #[default]
    Ascii,
    /// Also those that [`utf8_text`] accepts.
    Utf8,
}

/// Bytes of a MAC address, which may be valid UTF-8 by accident.
const MAC_BYTES: usize = 6;

/// The text of an octet string in UTF-8, unless it has control characters or the length of a MAC address.
#[must_use]
pub fn utf8_text(bytes: &[u8]) -> Option<&str> {
    let is_printable = |it: &u8| matches!(it, b' '..=b'~' | 0x09..=0x0d | 0x80..);
    let is_text = bytes.len() != MAC_BYTES && bytes.iter().all(is_printable);
    if is_text { std::str::from_utf8(bytes).ok() } else { None }
}

/// See the module.
///
/// # Errors
/// When there is no value.
pub fn to_text(value: &Value<'_>) -> Result<String, NoValue> {
    let mut out = String::new();
    write_text(value, &mut out)?;
    Ok(out)
}

/// As [`to_text`], with octet strings in the given form.
///
/// # Errors
/// When there is no value.
pub fn to_text_as(value: &Value<'_>, octets: Octets) -> Result<String, NoValue> {
    match (*value, octets) {
        (Value::OctetString(bytes), Octets::Utf8) => match utf8_text(bytes) {
            Some(text) => Ok(text.to_owned()),
            None => to_text(value),
        },
        _ => to_text(value),
    }
}

/// As [`to_text`], appended to `out`; reuse it.
///
/// # Errors
/// When there is no value.
pub fn write_text(value: &Value<'_>, out: &mut String) -> Result<(), NoValue> {
    let written = match *value {
        Value::Integer(number) => write!(out, "{number}"),
        Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
            write!(out, "{number}")
        }
        Value::Counter64(number) => write!(out, "{number}"),
        Value::OpaqueFloat(number) => write!(out, "{number}"),
        Value::OpaqueDouble(number) => write!(out, "{number}"),
        Value::Oid(oid) => write!(out, "{oid}"),
        Value::IpAddress([a, b, c, d]) => write!(out, "{a}.{b}.{c}.{d}"),
        Value::OctetString(bytes) => {
            write_octets(bytes, out);
            Ok(())
        }
        Value::Opaque(bytes) => {
            write_hex(bytes, out);
            Ok(())
        }
        Value::Null => return Err(NoValue::Null),
        Value::NoSuchObject => return Err(NoValue::NoSuchObject),
        Value::NoSuchInstance => return Err(NoValue::NoSuchInstance),
        Value::EndOfMibView => return Err(NoValue::EndOfMibView),
        Value::Unreadable { tag, .. } => return Err(NoValue::Unreadable(tag)),
    };
    written.expect("writing to memory does not fail");
    Ok(())
}

fn write_octets(bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(|it| matches!(it, b' '..=b'~' | 0x09..=0x0d)) => {
            out.push_str(text);
        }
        _ => write_hex(bytes, out),
    }
}

fn write_hex(bytes: &[u8], out: &mut String) {
    for (at, byte) in bytes.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        write!(out, "{byte:02X}").expect("writing to memory does not fail");
    }
}
