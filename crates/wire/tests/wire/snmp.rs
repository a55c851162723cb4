//! SNMP: names, values, messages, and their variants on devices.

use proptest::prelude::*;
use wire::snmp::{
    BerError, ErrorStatus, NoValue, Oid, OidRef, Pdu, PduKind, RequestTemplate, SnmpError,
    SnmpMessage, Value, Varbind, Version, peek_version, to_text,
};

fn oid(text: &str) -> Oid {
    Oid::parse(text).unwrap()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits.chunks(2);
    pairs.map(|it| u8::from_str_radix(std::str::from_utf8(it).unwrap(), 16).unwrap()).collect()
}

fn head(version: Version, kind: PduKind) -> SnmpMessage<'static> {
    SnmpMessage { version, community: b"public", pdu: Pdu::new(kind, 0x1234_5678, 0, 0) }
}

#[test]
fn names_are_read_and_shown() {
    for (text, shown) in [
        (".1.3.6.1.2.1.1.3.0", ".1.3.6.1.2.1.1.3.0"),
        ("1.3.6.1.4.1.4294967295.128.127.16384", ".1.3.6.1.4.1.4294967295.128.127.16384"),
        ("0.0", ".0.0"),
        ("1.39", ".1.39"),
        ("2.999.3", ".2.999.3"),
        ("2.4294967215", ".2.4294967215"),
        (" .1.3 ", ".1.3"),
        ("ifInOctets.7", ".1.3.6.1.2.1.2.2.1.10.7"),
        ("ifDescr", ".1.3.6.1.2.1.2.2.1.2"),
    ] {
        assert_eq!(oid(text).to_string(), shown, "{text}");
    }
    assert_eq!(oid("1.3.6.1.4.1.8072").as_ref().as_ber(), unhex("2b 06 01 04 01 bf 08"));
    for bad in [
        "",
        ".",
        "1",
        "1.",
        ".1.",
        "1..3",
        "1.40",
        "0.40",
        "3.1",
        "1.3.x",
        "1.3.-1",
        "1.3.+1",
        "1.3.4294967296",
        "2.4294967216",
        "..1.3",
        "ifDescr.",
        "ifDescr.x",
        "sysName.0",
        "1 .3",
        "SNMPv2-MIB::sysName.0",
    ] {
        assert_eq!(Oid::parse(bad), Err(SnmpError::BadOid), "{bad}");
    }
    let arcs = |n| vec![1; n];
    assert!(Oid::from_arcs(&arcs(128)).is_ok());
    assert_eq!(Oid::from_arcs(&arcs(129)), Err(SnmpError::BadOid));
    assert_eq!(Oid::from_arcs(&arcs(127)).unwrap().child([5, 6]), Err(SnmpError::BadOid));
}

#[test]
fn names_are_ordered_by_number_and_know_their_subtree() {
    let ordered = ["0.1", "1.3.6.1.127.9", "1.3.6.1.128", "1.3.6.1.128.0", "1.3.6.1.16384", "2.0"];
    for pair in ordered.windows(2) {
        assert!(oid(pair[0]) < oid(pair[1]), "{pair:?}");
        assert!(oid(pair[1]) > oid(pair[0]), "{pair:?}");
    }
    let column = oid("1.3.6.1.2.1.2.2.1.2");
    let row = column.child([300, 7]).unwrap();
    assert!(row.as_ref().starts_with(column.as_ref()));
    assert!(column.as_ref().starts_with(column.as_ref()));
    assert!(!column.as_ref().starts_with(row.as_ref()));
    assert!(!oid("1.3.6.1.2.1.2.2.1.20").as_ref().starts_with(column.as_ref()));
    assert_eq!(row.as_ref().suffix(column.as_ref()).unwrap().collect::<Vec<_>>(), [300, 7]);
    assert!(oid("1.3.6").as_ref().suffix(column.as_ref()).is_none());
}

/// Recorded between snmpget, snmpgetnext, snmpbulkget and snmpd.
const GET_V2C: &str =
    "303702010104067075626c6963a02a02043005e908020100020100301c300c06082b0601020101030005
    00300c06082b060102010105000500";
const GET_NEXT_V1: &str =
    "302802010004067075626c6963a11b020460e6d841020100020100300d300b06072b0601020101020500";
const GET_BULK: &str =
    "303702010104067075626c6963a52a020465106bf6020101020105301c300b06072b0601020101030500
    300d06092b060102011f0101010500";
const NO_SUCH_NAME: &str =
    "302602010004067075626c6963a21902042644a32d020102020101300b300906052b060109090500";
const ANSWER: &str =
    "3081d402010104067075626c6963a281c602041857ac3d0201000201003081b73016060b2b060104018f
    650a01060144079f7804407a5800300806042b06010980003015060d2b06010201041401017f00000140
    047f0000013031060a2b06010401868d1f05000423000102030405060708090a0b0c0d0e0f1011121314
    15161718191a1b1c1d1e1f202122301606082b06010201010200060a2b06010401bf0803020a300f060a
    2b06010401868d1f0b000201fb3013060a2b06010401868d1f0c00410500ffffffff300b06072b060102
    0101098000";

#[test]
fn requests_look_as_net_snmp_writes_them() {
    let check = |expected: &str, version, pdu, names: &[&str]| {
        let names: Vec<Oid> = names.iter().map(|it| oid(it)).collect();
        let head = SnmpMessage { version, community: b"public", pdu };
        let mut out = b"kept".to_vec();
        SnmpMessage::encode_request(&head, names.iter().map(Oid::as_ref), &mut out);
        assert_eq!(out.strip_prefix(b"kept".as_slice()).unwrap(), unhex(expected));
    };
    let get = Pdu::new(PduKind::Get, 0x3005_e908, 0, 0);
    check(GET_V2C, Version::V2c, get, &["1.3.6.1.2.1.1.3.0", "1.3.6.1.2.1.1.5.0"]);
    let get_next = Pdu::new(PduKind::GetNext, 0x60e6_d841, 0, 0);
    check(GET_NEXT_V1, Version::V1, get_next, &["1.3.6.1.2.1.1.2"]);
    let get_bulk = Pdu::new(PduKind::GetBulk, 0x6510_6bf6, 1, 5);
    check(GET_BULK, Version::V2c, get_bulk, &["1.3.6.1.2.1.1.3", "1.3.6.1.2.1.31.1.1.1"]);
}

#[test]
fn request_from_a_template_equals_an_encoded_one() {
    // Lengths in one byte and in two.
    for n_oids in [1, 2, 60] {
        let oids: Vec<Oid> = (0..n_oids).map(|it| oid(&format!("1.3.6.1.{it}.70000"))).collect();
        for version in [Version::V1, Version::V2c] {
            let template = RequestTemplate::get((version, b"public"), oids.iter().map(Oid::as_ref));
            let mut out = b"what was there before".to_vec();
            for id in [RequestTemplate::ID_MIN, 0x0102_0304, 0x7fff_ffff, 0x7f80_8080] {
                let pdu = Pdu::new(PduKind::Get, id, 0, 0);
                let mut encoded = Vec::new();
                let head = SnmpMessage { version, community: b"public", pdu };
                SnmpMessage::encode_request(&head, oids.iter().map(Oid::as_ref), &mut encoded);
                template.write(id, &mut out);
                assert_eq!(out, encoded, "{n_oids} objects, id {id}");
            }
            let asked: Vec<Oid> =
                template.varbinds().map(|it| it.unwrap().oid.to_owned()).collect();
            assert_eq!(asked, oids);
        }
    }
}

#[test]
fn answers_of_net_snmp_are_read() {
    let answer = unhex(ANSWER);
    let message = SnmpMessage::decode(&answer).unwrap();
    assert_eq!((message.version, message.community), (Version::V2c, b"public".as_slice()));
    assert_eq!((message.pdu.kind, message.pdu.request_id), (PduKind::Response, 0x1857_ac3d));
    assert_eq!(message.pdu.error_status(), ErrorStatus::NO_ERROR);
    assert_eq!(message.pdu.error_position(), None);
    let shown: Vec<String> = message
        .pdu
        .varbinds
        .map(|it| it.unwrap())
        .map(|it| {
            format!("{} = {}", it.oid, to_text(&it.value).unwrap_or_else(|it| it.to_string()))
        })
        .collect();
    let expected = [
        ".1.3.6.1.4.1.2021.10.1.6.1 = 3.911621",
        ".1.3.6.1.9 = No Such Object available on this agent at this OID",
        ".1.3.6.1.2.1.4.20.1.1.127.0.0.1 = 127.0.0.1",
        ".1.3.6.1.4.1.99999.5.0 = 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 20 21 22",
        ".1.3.6.1.2.1.1.2.0 = .1.3.6.1.4.1.8072.3.2.10",
        ".1.3.6.1.4.1.99999.11.0 = -5",
        ".1.3.6.1.4.1.99999.12.0 = 4294967295",
        ".1.3.6.1.2.1.1.9 = No Such Object available on this agent at this OID",
    ];
    assert_eq!(shown, expected);

    let refused = unhex(NO_SUCH_NAME);
    let message = SnmpMessage::decode(&refused).unwrap();
    assert_eq!(message.version, Version::V1);
    assert_eq!(message.pdu.error_status(), ErrorStatus::NO_SUCH_NAME);
    assert_eq!(message.pdu.error_position(), Some(0));
}

#[test]
fn values_read_as_items_show_them() {
    let name = oid("1.3.6.1.2");
    let hex_long: Vec<u8> = (0..0x23).collect();
    for (value, text) in [
        (Value::Integer(-5), Ok("-5")),
        (Value::Counter32(u32::MAX), Ok("4294967295")),
        (Value::Gauge32(0), Ok("0")),
        (Value::TimeTicks(147), Ok("147")),
        (Value::Counter64(u64::MAX), Ok("18446744073709551615")),
        (Value::OpaqueFloat(2.324_707), Ok("2.324707")),
        (Value::OpaqueDouble(-0.5), Ok("-0.5")),
        (Value::Oid(name.as_ref()), Ok(".1.3.6.1.2")),
        (Value::IpAddress([127, 0, 0, 1]), Ok("127.0.0.1")),
        (Value::OctetString(b"plain text"), Ok("plain text")),
        (Value::OctetString(b"a\t\n\r\x0b\x0cb"), Ok("a\t\n\r\x0b\x0cb")),
        (Value::OctetString(b""), Ok("")),
        (Value::OctetString(b"ab\0"), Ok("61 62 00")),
        (Value::OctetString("\u{e9}".as_bytes()), Ok("C3 A9")),
        (Value::OctetString(b"\x7f"), Ok("7F")),
        (
            Value::OctetString(&hex_long),
            Ok("00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F \
                10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 20 21 22"),
        ),
        (Value::Opaque(b"ab"), Ok("61 62")),
        (Value::Null, Err(NoValue::Null)),
        (Value::NoSuchObject, Err(NoValue::NoSuchObject)),
        (Value::NoSuchInstance, Err(NoValue::NoSuchInstance)),
        (Value::EndOfMibView, Err(NoValue::EndOfMibView)),
        (Value::Unreadable { tag: 0x45, content: b"" }, Err(NoValue::Unreadable(0x45))),
    ] {
        assert_eq!(to_text(&value).as_deref().map_err(|it| *it), text, "{value:?}");
        check_round_trip(&[Varbind { oid: name.as_ref(), value }]);
    }
}

#[track_caller]
fn check_round_trip(bindings: &[Varbind<'_>]) {
    for version in [Version::V1, Version::V2c] {
        let mut head = head(version, PduKind::Response);
        (head.pdu.first, head.pdu.second) = (5, 1);
        let mut out = Vec::new();
        SnmpMessage::encode(&head, bindings, &mut out);
        let message = SnmpMessage::decode(&out).unwrap();
        assert_eq!((message.version, message.community), (version, b"public".as_slice()));
        assert_eq!((message.pdu.kind, message.pdu.request_id), (PduKind::Response, 0x1234_5678));
        assert_eq!(message.pdu.error_status(), ErrorStatus::GEN_ERR);
        assert_eq!(message.pdu.error_position(), Some(0));
        let read: Result<Vec<_>, _> = message.pdu.varbinds.collect();
        assert_eq!(read.unwrap(), bindings);
    }
}

/// A response with these bytes as the list of bindings.
fn response(bindings: &[u8]) -> Vec<u8> {
    let mut out = unhex("02 01 01 04 06 7075626c6963");
    let mut pdu = unhex("02 01 07 02 01 00 02 01 00 30");
    pdu.push(u8::try_from(bindings.len()).unwrap());
    pdu.extend_from_slice(bindings);
    out.extend_from_slice(&[0xa2, u8::try_from(pdu.len()).unwrap()]);
    out.extend_from_slice(&pdu);
    let mut whole = vec![0x30, u8::try_from(out.len()).unwrap()];
    whole.extend_from_slice(&out);
    whole
}

/// A binding of .1.3 to this field.
fn binding(field: &str) -> Vec<u8> {
    let field = unhex(field);
    let mut out = vec![0x30, u8::try_from(field.len() + 3).unwrap(), 0x06, 0x01, 0x2b];
    out.extend_from_slice(&field);
    out
}

#[test]
fn mistakes_of_devices_are_accepted_or_cost_one_value() {
    let cases: [(&str, Value<'_>); 19] = [
        // Unsigned numbers without, and with superfluous, leading zeros.
        ("41 04 ffffffff", Value::Counter32(u32::MAX)),
        ("41 05 00ffffffff", Value::Counter32(u32::MAX)),
        ("41 06 0000ffffffff", Value::Counter32(u32::MAX)),
        ("46 08 ffffffffffffffff", Value::Counter64(u64::MAX)),
        ("46 09 00ffffffffffffffff", Value::Counter64(u64::MAX)),
        ("02 05 00ffffffff", Value::Integer(0xffff_ffff)),
        ("02 02 ff80", Value::Integer(-128)),
        // Lengths in longer form than needed.
        ("02 81 01 05", Value::Integer(5)),
        ("02 84 00000001 05", Value::Integer(5)),
        ("02 85 0000000001 05", Value::Integer(5)),
        // Content that is not of its type.
        ("02 00", Value::Unreadable { tag: 2, content: b"" }),
        ("41 00", Value::Unreadable { tag: 0x41, content: b"" }),
        ("41 05 01ffffffff", Value::Unreadable { tag: 0x41, content: b"\x01\xff\xff\xff\xff" }),
        ("40 03 7f0000", Value::Unreadable { tag: 0x40, content: b"\x7f\0\0" }),
        ("06 00", Value::Unreadable { tag: 6, content: b"" }),
        ("06 02 2b80", Value::Unreadable { tag: 6, content: b"\x2b\x80" }),
        (
            "46 09 01ffffffffffffffff",
            Value::Unreadable { tag: 0x46, content: b"\x01\xff\xff\xff\xff\xff\xff\xff\xff" },
        ),
        // Opaque with unknown content is just bytes.
        ("44 05 9f78020000", Value::Opaque(b"\x9f\x78\x02\0\0")),
        ("44 07 9f780440133333", Value::OpaqueFloat(2.3)),
    ];
    for (field, value) in cases {
        let mut bindings = binding(field);
        bindings.extend(binding("02 01 2a"));
        let datagram = response(&bindings);
        let message = SnmpMessage::decode(&datagram).unwrap();
        let read: Vec<_> = message.pdu.varbinds.map(|it| it.unwrap().value).collect();
        assert_eq!(read, [value, Value::Integer(42)], "{field}");
    }
}

#[test]
fn damaged_lists_end_with_the_error() {
    for (bindings, error) in [
        (unhex("30 05 06 01 2b 02"), SnmpError::Ber(BerError::Truncated)),
        (unhex("30 07 06 01 2b 02 05 01"), SnmpError::Ber(BerError::Truncated)),
        (unhex("30 80 00"), SnmpError::Ber(BerError::BadLength)),
        (unhex("30 85 0100000000"), SnmpError::Ber(BerError::BadLength)),
        (unhex("02 01 05"), SnmpError::Ber(BerError::UnexpectedTag { expected: 0x30, found: 2 })),
        (
            unhex("30 03 02 01 05"),
            SnmpError::Ber(BerError::UnexpectedTag { expected: 6, found: 2 }),
        ),
        (unhex("30 04 06 00 05 00"), SnmpError::BadOid),
        (unhex("30 07 06 03 2b 80 01 05 00"), SnmpError::BadOid),
        (unhex("30 09 06 05 90 80 80 80 00 05 00"), SnmpError::BadOid),
    ] {
        let datagram = response(&bindings);
        let read: Vec<_> = SnmpMessage::decode(&datagram).unwrap().pdu.varbinds.collect();
        assert_eq!(read, [Err(error)], "{bindings:?}");
    }
}

#[test]
fn other_envelopes_are_refused_by_name() {
    let v3 = unhex("30 03 02 01 03");
    assert_eq!(peek_version(&v3), Ok(3));
    assert_eq!(SnmpMessage::decode(&v3).unwrap_err(), SnmpError::UnsupportedVersion(3));
    let trap_v1 = unhex("30 0b 02 01 00 04 01 78 a4 03 02 01 00");
    assert_eq!(SnmpMessage::decode(&trap_v1).unwrap_err(), SnmpError::UnsupportedPdu(0xa4));
    assert_eq!(SnmpMessage::decode(b"").unwrap_err(), SnmpError::Ber(BerError::Truncated));
    let wrong_tag = SnmpError::Ber(BerError::UnexpectedTag { expected: 0x30, found: 0x47 });
    assert_eq!(SnmpMessage::decode(b"G\x01x").unwrap_err(), wrong_tag);
    assert_eq!(
        SnmpMessage::decode(b"GET / HTTP/1.1").unwrap_err(),
        SnmpError::Ber(BerError::Truncated)
    );
    assert_eq!(ErrorStatus(2).name(), "noSuchName");
    assert_eq!(
        (ErrorStatus(19).name(), ErrorStatus(-1).name()),
        ("unknown error", "unknown error")
    );
}

#[test]
fn bytes_after_the_message_are_ignored() {
    let mut datagram = response(&binding("02 01 2a"));
    datagram.extend_from_slice(b"\0\0junk");
    assert_eq!(SnmpMessage::decode(&datagram).unwrap().pdu.varbinds.count(), 1);
}

fn any_oid() -> impl Strategy<Value = Oid> {
    (0_u32..3, 0_u32..40, proptest::collection::vec(any::<u32>(), 0..12)).prop_map(
        |(first, second, rest)| {
            let arcs: Vec<u32> = [first, second].into_iter().chain(rest).collect();
            Oid::from_arcs(&arcs).unwrap()
        },
    )
}

proptest! {
    #[test]
    fn names_survive_text_and_keep_their_order(a in any_oid(), b in any_oid()) {
        prop_assert_eq!(&Oid::parse(&a.to_string()).unwrap(), &a);
        let (arcs_a, arcs_b): (Vec<_>, Vec<_>) = (a.as_ref().arcs().collect(), b.as_ref().arcs().collect());
        prop_assert_eq!(a.cmp(&b), arcs_a.cmp(&arcs_b));
        prop_assert_eq!(a.as_ref().starts_with(b.as_ref()), arcs_a.starts_with(&arcs_b));
    }

    #[test]
    fn messages_survive_the_way(
        names in proptest::collection::vec(any_oid(), 0..20),
        number: i32,
        big: u64,
        text in proptest::collection::vec(any::<u8>(), 0..400),
        real: f64,
    ) {
        let values = [
            Value::Integer(number.into()),
            Value::Counter64(big),
            Value::OctetString(&text),
            Value::TimeTicks(number.cast_unsigned()),
            Value::OpaqueDouble(if real.is_nan() { 0.0 } else { real }),
            Value::Null,
        ];
        let bindings: Vec<Varbind<'_>> = names
            .iter()
            .zip(values.into_iter().cycle())
            .map(|(name, value)| Varbind { oid: name.as_ref(), value })
            .collect();
        check_round_trip(&bindings);
        let mut out = Vec::new();
        SnmpMessage::encode_request(&head(Version::V1, PduKind::GetNext), names.iter().map(Oid::as_ref), &mut out);
        let message = SnmpMessage::decode(&out).unwrap();
        let read: Vec<OidRef<'_>> = message.pdu.varbinds.map(|it| it.unwrap().oid).collect();
        prop_assert_eq!(read, names.iter().map(Oid::as_ref).collect::<Vec<_>>());
    }

    #[test]
    fn damaged_messages_are_read_or_refused(
        text in proptest::collection::vec(any::<u8>(), 0..40),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let name = oid("1.3.6.1.2.1.2.2.1.2.4711");
        let bindings = [Varbind { oid: name.as_ref(), value: Value::OctetString(&text) }; 3];
        let mut out = Vec::new();
        SnmpMessage::encode(&head(Version::V2c, PduKind::Response), &bindings, &mut out);
        for (at, byte) in damage {
            let at = at.index(out.len());
            out[at] = byte;
        }
        wire::fuzz::snmp(&out);
    }
}
