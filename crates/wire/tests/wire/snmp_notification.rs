//! Traps and informs: datagrams of net-snmp, and damaged ones.

use wire::snmp::{
    Notification, Oid, OidRef, Pdu, PduKind, SnmpError, SnmpMessage, Value, Varbind, Version,
};

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|it| !it.is_ascii_whitespace()).collect();
    let byte = |it: &[u8]| u8::from_str_radix(str::from_utf8(it).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn text(notification: &Notification<'_>) -> String {
    text_named(notification, &|_| None)
}

fn text_named(
    notification: &Notification<'_>,
    name_of: &dyn Fn(OidRef<'_>) -> Option<String>,
) -> String {
    let mut out = String::new();
    notification.write_text(
        "192.0.2.7:40000".parse().unwrap(),
        "192.0.2.1:162".parse().unwrap(),
        name_of,
        &mut out,
    );
    out
}

fn v2(kind: PduKind) -> Vec<u8> {
    let names =
        ["1.3.6.1.2.1.1.3.0", "1.3.6.1.6.3.1.1.4.1.0", "1.3.6.1.4.1.9.1", "1.3.6.1.4.1.9.2"]
            .map(|it| Oid::parse(it).unwrap());
    let link_down = Oid::parse("1.3.6.1.6.3.1.1.5.3").unwrap();
    let values = [
        Value::TimeTicks(123_456_789),
        Value::Oid(link_down.as_ref()),
        Value::OctetString(b"eth0"),
        Value::OctetString(&[0, 0xff]),
    ];
    let varbinds: Vec<_> =
        names.iter().zip(values).map(|(oid, value)| Varbind { oid: oid.as_ref(), value }).collect();
    let head = SnmpMessage {
        version: Version::V2c,
        community: b"public",
        pdu: Pdu::new(kind, 4711, 0, 0),
    };
    let mut out = Vec::new();
    SnmpMessage::encode(&head, &varbinds, &mut out);
    out
}

#[test]
fn a_trap_of_v2c_is_written_as_zabbix_users_know_it() {
    let datagram = v2(PduKind::Trap);
    let trap = Notification::decode(&datagram).unwrap();
    assert!(!trap.is_inform);
    assert_eq!(trap.community, b"public");
    let expected = "\
PDU INFO:
  notificationtype               TRAP
  version                        1
  receivedfrom                   UDP: [192.0.2.7]:40000->[192.0.2.1]:162
  requestid                      4711
VARBINDS:
  .1.3.6.1.2.1.1.3.0             type=67 value=Timeticks: (123456789) 14 days, 6:56:07.89
  .1.3.6.1.6.3.1.1.4.1.0         type=6  value=OID: .1.3.6.1.6.3.1.1.5.3
  .1.3.6.1.4.1.9.1               type=4  value=STRING: \"eth0\"
  .1.3.6.1.4.1.9.2               type=4  value=Hex-STRING: 00 FF \n";
    assert_eq!(text(&trap), expected);
}

#[test]
fn objects_and_object_values_have_the_given_names() {
    let datagram = v2(PduKind::Trap);
    let trap = Notification::decode(&datagram).unwrap();
    let name_of = |oid: OidRef<'_>| match oid.to_string().as_str() {
        ".1.3.6.1.6.3.1.1.4.1.0" => Some("SNMPv2-MIB::snmpTrapOID.0".to_owned()),
        ".1.3.6.1.6.3.1.1.5.3" => Some("IF-MIB::linkDown".to_owned()),
        ".1.3.6.1.4.1.9.1" => Some("A-MIB::anObjectWithALongNameOfItsOwn".to_owned()),
        _ => None,
    };
    let lines = text_named(&trap, &name_of);
    let varbinds: Vec<&str> = lines.lines().skip(6).collect();
    assert_eq!(
        varbinds,
        [
            "  .1.3.6.1.2.1.1.3.0             type=67 value=Timeticks: (123456789) 14 days, 6:56:07.89",
            "  SNMPv2-MIB::snmpTrapOID.0      type=6  value=OID: IF-MIB::linkDown",
            "  A-MIB::anObjectWithALongNameOfItsOwn type=4  value=STRING: \"eth0\"",
            "  .1.3.6.1.4.1.9.2               type=4  value=Hex-STRING: 00 FF ",
        ]
    );
}

#[test]
fn an_inform_is_answered_with_its_bindings() {
    let datagram = v2(PduKind::Inform);
    let inform = Notification::decode(&datagram).unwrap();
    assert!(inform.is_inform);
    let mut answer = Vec::new();
    inform.write_answer(&mut answer);
    let answer = SnmpMessage::decode(&answer).unwrap();
    assert_eq!((answer.community, answer.pdu.kind), (b"public".as_slice(), PduKind::Response));
    assert_eq!((answer.pdu.request_id, answer.pdu.first, answer.pdu.second), (4711, 0, 0));
    let asked = SnmpMessage::decode(&datagram).unwrap().pdu.varbinds;
    assert!(answer.pdu.varbinds.flatten().eq(asked.flatten()));
}

/// `snmptrap -v 1 -c public 127.0.0.1 1.3.6.1.4.1.8072 192.0.2.9 6 17 55 1.3.6.1.4.1.8072.1 i 3`,
/// and the same with a generic trap.
#[test]
fn a_trap_of_v1_is_read_as_one_of_v2c() {
    let v1 = |generic: u8| {
        let mut datagram = unhex(
            "30 3e 02 01 00 04 06 7075626c6963 a4 31 06 07 2b060104 01bf08 40 04 c0000209 \
             02 01 06 02 01 11 43 01 37 30 17 30 15 06 08 2b06010401bf0801 02 09 000000000000000003",
        );
        let at = datagram.windows(4).position(|it| it == [0xc0, 0, 2, 9]).unwrap() + 6;
        datagram[at] = generic;
        datagram
    };
    let specific = v1(6);
    let trap = Notification::decode(&specific).unwrap();
    assert_eq!((trap.version, trap.is_inform), (Version::V1, false));
    let lines = text(&trap);
    let varbinds: Vec<&str> = lines.lines().skip(6).collect();
    assert_eq!(
        varbinds[..2],
        [
            "  .1.3.6.1.2.1.1.3.0             type=67 value=Timeticks: (55) 0:00:00.55",
            "  .1.3.6.1.6.3.1.1.4.1.0         type=6  value=OID: .1.3.6.1.4.1.8072.0.17",
        ]
    );
    assert_eq!(
        varbinds[3..],
        [
            "  .1.3.6.1.6.3.18.1.3.0          type=64 value=IpAddress: 192.0.2.9",
            "  .1.3.6.1.6.3.1.1.4.3.0         type=6  value=OID: .1.3.6.1.4.1.8072",
        ]
    );
    let generic = v1(3);
    let lines = text(&Notification::decode(&generic).unwrap());
    assert!(lines.contains("value=OID: .1.3.6.1.6.3.1.1.5.4\n"), "link up: {lines}");
    for end in 0..specific.len() {
        let cut = &specific[..end];
        assert!(Notification::decode(cut).is_err(), "{end} bytes");
    }
}

#[test]
fn other_messages_than_notifications_are_refused() {
    let refused = |datagram: &[u8]| Notification::decode(datagram).unwrap_err();
    assert_eq!(refused(&v2(PduKind::Response)), SnmpError::UnsupportedPdu(0xa2));
    assert_eq!(refused(&v2(PduKind::Get)), SnmpError::UnsupportedPdu(0xa0));
    let mut v1 = v2(PduKind::Trap);
    // A version without such PDUs.
    let at = v1.windows(3).position(|it| it == [2, 1, 1]).unwrap() + 2;
    v1[at] = 0;
    assert_eq!(refused(&v1), SnmpError::UnsupportedPdu(0xa7));
    v1[at] = 3;
    assert_eq!(refused(&v1), SnmpError::UnsupportedVersion(3));
}
