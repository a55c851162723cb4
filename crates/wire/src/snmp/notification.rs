//! Traps and informs: messages that a device sends without a request.
//!
//! A trap of v1 has a shape of its own. It is converted to v2c (RFC 3584): its name and time become
//! bindings, and so do the address and the kind of device that only it has. A trap of v3 is one of
//! v2c in another envelope, which is opened before ([`Notification::of_scoped`]).

use std::fmt::Write;
use std::net::SocketAddr;

use super::SnmpError;
use super::message::{Pdu, PduKind, SnmpMessage, Varbind, Varbinds, Version};
use super::oid::{Oid, OidRef};
use super::text::{NoValue, to_text};
use super::v3::ScopedPdu;
use super::value::Value;
use crate::ber::{OCTET_STRING, OID, Reader, SEQUENCE};

const TRAP_V1: u8 = 0xa4;
const IP_ADDRESS: u8 = 0x40;
const TIME_TICKS: u8 = 0x43;
/// The generic trap whose name the manufacturer of the device gives.
const ENTERPRISE_SPECIFIC: i64 = 6;
const SYS_UPTIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
const SNMP_TRAP_OID: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
/// Generic trap 0 is number 1 below it.
const SNMP_TRAPS: [u32; 9] = [1, 3, 6, 1, 6, 3, 1, 1, 5];
const TRAP_ADDRESS: [u32; 10] = [1, 3, 6, 1, 6, 3, 18, 1, 3, 0];
const TRAP_ENTERPRISE: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 3, 0];

/// The name of an object; `None`: it has none.
type NameOf<'a> = dyn Fn(OidRef<'_>) -> Option<String> + 'a;

/// A trap or an inform.
#[derive(Debug, Clone, Copy)]
pub struct Notification<'a> {
    pub version: Version,
    pub community: &'a [u8],
    /// The sender waits for an answer: [`Notification::write_answer`].
    pub is_inform: bool,
    /// The id of a v2c message.
    pub request_id: i32,
    v1: Option<V1Trap<'a>>,
    v3: Option<V3Names<'a>>,
    varbinds: Varbinds<'a>,
}

/// Fields that only an envelope of v3 has.
#[derive(Debug, Clone, Copy)]
struct V3Names<'a> {
    user: &'a [u8],
    context: &'a [u8],
}

/// Fields that only a trap of v1 has.
#[derive(Debug, Clone, Copy)]
struct V1Trap<'a> {
    enterprise: OidRef<'a>,
    agent: [u8; 4],
    generic: i64,
    specific: i64,
    uptime: u32,
}

impl<'a> Notification<'a> {
    /// Reads a datagram; bytes after the message are ignored.
    ///
    /// # Errors
    /// When it is damaged, or no notification of these versions.
    pub fn decode(datagram: &'a [u8]) -> Result<Self, SnmpError> {
        let mut fields = Reader::new(Reader::new(datagram).expect(SEQUENCE)?);
        let version = fields.integer()?;
        let community = fields.expect(OCTET_STRING)?;
        let (tag, content) = fields.any()?;
        if version == 0 && tag == TRAP_V1 {
            return Self::decode_v1(community, content);
        }
        let SnmpMessage { version, community, pdu } = SnmpMessage::decode(datagram)?;
        match (version, pdu.kind) {
            (Version::V2c, PduKind::Trap | PduKind::Inform) => {}
            _ => return Err(SnmpError::UnsupportedPdu(tag)),
        }
        let is_inform = pdu.kind == PduKind::Inform;
        let (request_id, varbinds) = (pdu.request_id, pdu.varbinds);
        Ok(Self { version, community, is_inform, request_id, v1: None, v3: None, varbinds })
    }

    /// Reads the content of an envelope of v3.
    ///
    /// # Errors
    /// When that is no notification.
    pub fn of_scoped(user: &'a [u8], scoped: &ScopedPdu<'a>) -> Result<Self, SnmpError> {
        let pdu = &scoped.pdu;
        if !matches!(pdu.kind, PduKind::Trap | PduKind::Inform) {
            return Err(SnmpError::UnsupportedPdu(pdu.kind.tag()));
        }
        Ok(Self {
            version: Version::V2c,
            community: &[],
            is_inform: pdu.kind == PduKind::Inform,
            request_id: pdu.request_id,
            v1: None,
            v3: Some(V3Names { user, context: scoped.context_name }),
            varbinds: pdu.varbinds,
        })
    }

    fn decode_v1(community: &'a [u8], content: &'a [u8]) -> Result<Self, SnmpError> {
        let mut fields = Reader::new(content);
        let enterprise = OidRef::from_ber(fields.expect(OID)?)?;
        let address = fields.expect(IP_ADDRESS)?;
        // Some devices send no address, which is no reason to lose the trap.
        let agent = address.try_into().unwrap_or_default();
        let (generic, specific) = (fields.integer()?, fields.integer()?);
        let uptime = crate::ber::unsigned(fields.expect(TIME_TICKS)?);
        let uptime = u32::try_from(uptime.unwrap_or(0)).unwrap_or(u32::MAX);
        let varbinds = Varbinds::new(fields.expect(SEQUENCE)?);
        Ok(Self {
            version: Version::V1,
            community,
            is_inform: false,
            request_id: 0,
            v1: Some(V1Trap { enterprise, agent, generic, specific, uptime }),
            v3: None,
            varbinds,
        })
    }

    /// Appends its content to `out`, as net-snmp's receiver for Zabbix writes it. Objects for which
    /// `name_of` has no name are numbers. The community is left out: readers of the value need not
    /// know it.
    pub fn write_text(
        &self,
        from: SocketAddr,
        to: SocketAddr,
        name_of: &NameOf<'_>,
        out: &mut String,
    ) {
        let kind = if self.is_inform { "INFORM" } else { "TRAP" };
        let version = match (&self.v3, self.version) {
            (Some(_), _) => 3,
            (None, Version::V1) => 0,
            (None, Version::V2c) => 1,
        };
        out.push_str("PDU INFO:\n");
        let from = format!("UDP: [{}]:{}->[{}]:{}", from.ip(), from.port(), to.ip(), to.port());
        let head: [(&str, &dyn std::fmt::Display); 4] = [
            ("notificationtype", &kind),
            ("version", &version),
            ("receivedfrom", &from),
            ("requestid", &self.request_id),
        ];
        for (name, value) in head {
            writeln!(out, "  {name:<30} {value}").expect("to memory");
        }
        if let Some(V3Names { user, context }) = self.v3 {
            for (name, value) in [("securityName", user), ("contextName", context)] {
                // The sender chose these names: control characters are removed, as in any other text.
                let value = String::from_utf8_lossy(value).replace(char::is_control, " ");
                writeln!(out, "  {name:<30} {value}").expect("to memory");
            }
        }
        out.push_str("VARBINDS:\n");
        if let Some(trap) = &self.v1 {
            let name = |arcs: &[u32]| Oid::from_arcs(arcs).ok();
            write_varbind(name(&SYS_UPTIME), &Value::TimeTicks(trap.uptime), name_of, out);
            if let Some(of) = trap.name() {
                write_varbind(name(&SNMP_TRAP_OID), &Value::Oid(of.as_ref()), name_of, out);
            }
            self.write_varbinds(name_of, out);
            write_varbind(name(&TRAP_ADDRESS), &Value::IpAddress(trap.agent), name_of, out);
            write_varbind(name(&TRAP_ENTERPRISE), &Value::Oid(trap.enterprise), name_of, out);
        } else {
            self.write_varbinds(name_of, out);
        }
    }

    fn write_varbinds(&self, name_of: &NameOf<'_>, out: &mut String) {
        for varbind in self.varbinds {
            match varbind {
                Ok(it) => write_varbind(Some(it.oid.to_owned()), &it.value, name_of, out),
                // The reader ends after an error.
                Err(error) => writeln!(out, "  ({error})").expect("to memory"),
            }
        }
    }

    /// Appends the answer to an inform of v2c to `out`: its bindings without an error. An inform of
    /// v3 is answered by its envelope: [`super::V3Head::encode_answer`].
    pub fn write_answer(&self, out: &mut Vec<u8>) {
        let varbinds: Vec<Varbind<'_>> = self.varbinds.flatten().collect();
        let pdu = Pdu::new(PduKind::Response, self.request_id, 0, 0);
        let head = SnmpMessage { version: self.version, community: self.community, pdu };
        SnmpMessage::encode(&head, &varbinds, out);
    }
}

impl V1Trap<'_> {
    /// The name that the trap has in v2c.
    fn name(&self) -> Option<Oid> {
        if self.generic == ENTERPRISE_SPECIFIC {
            let specific = u32::try_from(self.specific).ok()?;
            return self.enterprise.to_owned().child([0, specific]).ok();
        }
        let number = u32::try_from(self.generic).ok()?.checked_add(1)?;
        Oid::from_arcs(&SNMP_TRAPS).ok()?.child([number]).ok()
    }
}

fn write_varbind(name: Option<Oid>, value: &Value<'_>, name_of: &NameOf<'_>, out: &mut String) {
    let Some(name) = name else { return };
    let (tag, kind) = match value {
        Value::Integer(_) => (2, "INTEGER: "),
        Value::OctetString(_) => (4, ""),
        Value::Null => (5, ""),
        Value::Oid(_) => (6, "OID: "),
        Value::IpAddress(_) => (64, "IpAddress: "),
        Value::Counter32(_) => (65, "Counter32: "),
        Value::Gauge32(_) => (66, "Gauge32: "),
        Value::TimeTicks(_) => (67, "Timeticks: "),
        Value::Opaque(_) | Value::OpaqueFloat(_) | Value::OpaqueDouble(_) => (68, "OPAQUE: "),
        Value::Counter64(_) => (70, "Counter64: "),
        Value::NoSuchObject => (128, ""),
        Value::NoSuchInstance => (129, ""),
        Value::EndOfMibView => (130, ""),
        Value::Unreadable { tag, .. } => (*tag, ""),
    };
    let shown = |oid: OidRef<'_>| name_of(oid).unwrap_or_else(|| oid.to_string());
    let name = shown(name.as_ref());
    write!(out, "  {name:<30} type={tag:<2} value={kind}").expect("to memory");
    match value {
        Value::Oid(oid) => out.push_str(&shown(*oid)),
        Value::TimeTicks(ticks) => write_ticks(*ticks, out),
        Value::OctetString(bytes) => write_octets(bytes, out),
        value => match to_text(value) {
            Ok(text) => out.push_str(&text),
            Err(NoValue::Null) => out.push_str("NULL"),
            Err(error) => out.push_str(&error.to_string()),
        },
    }
    out.push('\n');
}

/// `(123456789) 14 days, 6:56:07.89`
fn write_ticks(ticks: u32, out: &mut String) {
    let (seconds, hundredths) = (ticks / 100, ticks % 100);
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let days = match days {
        0 => String::new(),
        1 => "1 day, ".to_owned(),
        it => format!("{it} days, "),
    };
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    write!(out, "({ticks}) {days}{hours}:{minutes:02}:{seconds:02}.{hundredths:02}")
        .expect("to memory");
}

fn write_octets(bytes: &[u8], out: &mut String) {
    let is_text = bytes.iter().all(|it| matches!(it, b' '..=b'~' | 0x09..=0x0d));
    match str::from_utf8(bytes) {
        Ok(text) if is_text => {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"");
            write!(out, "STRING: \"{text}\"").expect("to memory");
        }
        _ => {
            out.push_str("Hex-STRING: ");
            bytes.iter().for_each(|it| write!(out, "{it:02X} ").expect("to memory"));
        }
    }
}
