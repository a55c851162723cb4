//! Requests and answers as text for the transcript of an item test. Communities and keys are left
//! out.

use std::fmt::Write;

use wire::snmp::{ErrorStatus, OidRef, Pdu, PduKind, Value, to_text, utf8_text};

/// The objects of a request, with a name a line; the address precedes it.
pub(super) fn question<'o>(
    kind: PduKind,
    repetitions: i32,
    oids: impl Iterator<Item = OidRef<'o>>,
) -> String {
    let mut text = name(kind).to_owned();
    if kind == PduKind::GetBulk {
        write!(text, ", max-repetitions {repetitions}").expect("to memory");
    }
    for oid in oids {
        write!(text, "\n{oid}").expect("to memory");
    }
    text
}

/// A received PDU, with a binding a line.
pub(super) fn answer(pdu: &Pdu<'_>) -> String {
    let mut text = name(pdu.kind).to_owned();
    let status = pdu.error_status();
    if status != ErrorStatus::NO_ERROR {
        write!(text, ", {}, error-index {}", status.name(), pdu.second).expect("to memory");
    }
    for varbind in pdu.varbinds {
        text.push('\n');
        match varbind {
            Ok(it) => write_line(it.oid, &it.value, &mut text),
            Err(error) => write!(text, "({error})").expect("to memory"),
        }
    }
    text
}

/// As `0x80001f88…`.
pub(super) fn engine(id: &[u8], boots: i32, time: i32) -> String {
    let id = wire::http::codes::hex(id);
    format!("engine 0x{id}, boots {boots}, time {time}")
}

fn name(kind: PduKind) -> &'static str {
    match kind {
        PduKind::Get => "GET",
        PduKind::GetNext => "GETNEXT",
        PduKind::Response => "RESPONSE",
        PduKind::Set => "SET",
        PduKind::GetBulk => "GETBULK",
        PduKind::Inform => "INFORM",
        PduKind::Trap => "TRAP",
        PduKind::Report => "REPORT",
    }
}

/// A binding as `snmpwalk -Oe -Ot -On` writes it, except that UTF-8 is a text, as in Zabbix.
pub(super) fn write_line(oid: OidRef<'_>, value: &Value<'_>, out: &mut String) {
    let kind = match value {
        Value::Integer(_) => "INTEGER: ",
        Value::Counter32(_) => "Counter32: ",
        Value::Gauge32(_) => "Gauge32: ",
        Value::Counter64(_) => "Counter64: ",
        Value::Oid(_) => "OID: ",
        Value::IpAddress(_) => "IpAddress: ",
        Value::Opaque(_) => "OPAQUE: ",
        Value::OpaqueFloat(_) => "Opaque: Float: ",
        Value::OpaqueDouble(_) => "Opaque: Double: ",
        _ => "",
    };
    let written = write!(out, "{oid} = {kind}");
    match value {
        Value::OctetString(bytes) => write_octets(bytes, out),
        Value::OpaqueFloat(number) => write!(out, "{number:.6}").expect("to memory"),
        Value::OpaqueDouble(number) => write!(out, "{number:.6}").expect("to memory"),
        value => match to_text(value) {
            Ok(text) => out.push_str(&text),
            Err(error) => out.push_str(&error.to_string()),
        },
    }
    written.expect("writing to memory does not fail");
}

fn write_octets(bytes: &[u8], out: &mut String) {
    if bytes.is_empty() {
        out.push_str("\"\"");
        return;
    }
    let is_ascii = bytes.iter().all(|it| matches!(it, b' '..=b'~' | 0x09..=0x0d));
    let text = if is_ascii { std::str::from_utf8(bytes).ok() } else { utf8_text(bytes) };
    match text {
        Some(text) => {
            out.push_str("STRING: \"");
            for c in text.chars() {
                if matches!(c, '"' | '\\') {
                    out.push('\\');
                }
                out.push(c);
            }
            out.push('"');
        }
        None => {
            out.push_str("Hex-STRING: ");
            for (at, byte) in bytes.iter().enumerate() {
                if at > 0 && at % 16 == 0 {
                    out.push('\n');
                }
                write!(out, "{byte:02X} ").expect("to memory");
            }
        }
    }
}
