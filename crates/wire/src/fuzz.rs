//! Functions that the fuzz targets call. They are here, and not with the targets, so that an
//! ordinary test runs every stored input through the same code.
use crate::active::{ChecksAnswer, ChecksRequest, Heartbeat, parse_command_results};
use crate::icmp::{Family, Framing, Received};
use crate::modbus::{DataType, Endianness, Function, ModbusRequest};
use crate::passive::Form;
use crate::sender::{Parser, RequestWriter, Row, SenderAnswer, SenderError};
use crate::series::{
    Labels, RemoteWriteVersion, Sample, Sink, decompress, read_otlp, read_otlp_json,
    read_remote_write,
};
use crate::services::{Dialog, Service, Verdict};
use crate::snmp::{
    AuthProtocol, MasterKey, Notification, Oid, PrivProtocol, ReportReason, SnmpMessage, UserKeys,
    V3Head, V3Message, Varbind,
};
use crate::syslog::{Frames, parse as parse_syslog};
use crate::zbxd::{Decoder, FrameLimits, Plain, encode, encode_compressed};

/// A fuzz target by the name of its corpus.
pub type Target = (&'static str, fn(&[u8]));

/// Every target, for the test that runs the corpora.
pub const TARGETS: &[Target] = &[
    ("frame", frame),
    ("values", values),
    ("active", active),
    ("passive", passive),
    ("snmp", snmp),
    ("oid", oid),
    ("icmp", icmp),
    ("charset", charset),
    ("modbus", modbus),
    ("services", services),
    ("usm", usm),
    ("notification", notification),
    ("remote_write", remote_write),
    ("otlp", otlp),
    ("syslog", syslog),
    ("ipmi", ipmi),
];

/// Sorts and writes all series that it receives.
struct Series(usize);

impl Sink for Series {
    fn series(&mut self, labels: &mut Labels<'_>, samples: &[Sample]) {
        labels.sort();
        assert!(labels.labels.is_sorted_by(|one, other| one.0 < other.0), "names differ");
        self.0 += labels.text("host").len() + samples.len();
    }
}

/// Either version, plain and from a block of snappy.
pub fn remote_write(data: &[u8]) {
    for version in [RemoteWriteVersion::V1, RemoteWriteVersion::V2] {
        let _read = read_remote_write(data, version, &mut Series(0));
        if let Ok(message) = decompress(data, 1 << 20) {
            let _read = read_remote_write(&message, version, &mut Series(0));
        }
    }
}

/// A message, and a stream of messages, whole or byte by byte.
pub fn syslog(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    assert!(parse_syslog(&text).severity < 8, "of eight");
    let frames = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let (mut frames, mut found) = (Frames::new(64), Vec::new());
        for piece in pieces {
            frames.feed(piece);
            loop {
                match frames.next_message() {
                    Ok(Some(it)) => found.push((it.bytes.to_vec(), it.is_cut)),
                    Ok(None) => break,
                    Err(error) => return (found, Some(error)),
                }
            }
        }
        found.extend(frames.last().map(|it| (it.bytes.to_vec(), it.is_cut)));
        (found, None)
    };
    let whole = frames(&mut std::iter::once(data));
    assert_eq!(frames(&mut data.chunks(1)), whole, "cutting changes nothing");
}

/// As protobuf and as JSON.
pub fn otlp(data: &[u8]) {
    let _read = read_otlp(data, &mut Series(0));
    let _read = read_otlp_json(data, &mut Series(0));
}

/// Whole or byte by byte, a stream gives the same result; a frame that was read survives writing.
pub fn frame(data: &[u8]) {
    for plain in [Plain::Refuse, Plain::UntilNewline, Plain::UntilClose] {
        let limits = FrameLimits { plain, ..FrameLimits::with_max(1 << 20) };
        let mut whole = Decoder::new(limits);
        whole.feed(data);
        let whole = whole.close().map(|it| it.map(|it| it.payload.to_vec()));
        let mut single = Decoder::new(limits);
        let fed = data.iter().try_for_each(|it| {
            single.feed(&[*it]);
            single.poll().map(drop)
        });
        let single = fed.and_then(|()| Ok(single.close()?.map(|it| it.payload.to_vec())));
        assert_eq!(whole.as_ref().ok(), single.as_ref().ok(), "cutting changes nothing");
        let Ok(Some(payload)) = whole else { continue };
        let mut frame = Vec::new();
        encode(&payload, &mut frame);
        check_frame(&frame, &payload);
        frame.clear();
        encode_compressed(&payload, &mut frame).expect("there is memory");
        check_frame(&frame, &payload);
    }
}

fn check_frame(frame: &[u8], payload: &[u8]) {
    let mut decoder = Decoder::new(FrameLimits::default());
    decoder.feed(frame);
    let got = decoder.poll().expect("a frame of our own is valid").expect("and complete");
    assert_eq!(got.payload, payload, "a frame survives the way");
}

/// Accepted texts are JSON and the reverse, and well-formed rows survive writing.
pub fn values(data: &[u8]) {
    let mut parser = Parser::new(10_000);
    let text = crate::sender::to_valid_utf8(data);
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
    let request = match parser.parse(data) {
        Ok(request) => request,
        Err(SenderError::Syntax { .. }) => {
            // Half a surrogate pair in a name is accepted only by a reader that skips the name.
            let is_object = text.trim_start().starts_with('{');
            assert!(!is_json || !is_object || text.contains("\\u"), "JSON is accepted");
            return;
        }
        Err(_other) => return,
    };
    assert!(is_json, "what is accepted is JSON");
    if let Some(commands) = request.commands() {
        drop(parse_command_results(commands));
    }
    let rows: Vec<Row<'_>> = request.rows().filter(|it| !it.malformed).collect();
    let mut writer = RequestWriter::sender_data(Vec::new());
    rows.iter().for_each(|it| writer.push(it));
    let written = writer.finish(0, 0);
    let mut again = Parser::new(10_000);
    let again = again.parse(&written).expect("a request of our own is valid");
    assert!(again.rows().eq(rows), "rows survive the way");
}

/// Requests, answers and heartbeats of active agents.
pub fn active(data: &[u8]) {
    drop(crate::request_kind::RequestKind::of(data));
    drop(SenderAnswer::parse(data));
    if let Ok(request) = ChecksRequest::parse(data) {
        let again = ChecksRequest::parse(&request.encode()).expect("our own request is valid");
        assert_eq!(again, request, "a request survives the way");
    }
    if let Ok(heartbeat) = Heartbeat::parse(data) {
        drop(heartbeat.encode());
    }
    if let Ok(answer) = ChecksAnswer::parse(data) {
        for peer in [crate::Version::ASSUMED, crate::Version::OURS] {
            ChecksAnswer::parse(&answer.encode(peer)).expect("our own answer is valid");
        }
    }
}

/// Requests to and answers of passive agents.
pub fn passive(data: &[u8]) {
    for form in [Form::Plain, Form::Json] {
        drop(crate::passive::parse_answer(form, data));
    }
    let request = crate::passive::parse_request(data);
    for check in &request.checks {
        let mut out = Vec::new();
        crate::passive::encode_request(Form::Json, &check.key, 3, &mut out);
        let again = crate::passive::parse_request(&out);
        assert_eq!(again.checks.first().map(|it| &it.key), Some(&check.key));
    }
}

/// A message that is read without error survives writing.
pub fn snmp(data: &[u8]) {
    let Ok(message) = SnmpMessage::decode(data) else { return };
    for varbind in message.pdu.varbinds.flatten() {
        drop(crate::snmp::to_text(&varbind.value));
    }
    let Ok(varbinds) = message.pdu.varbinds.collect::<Result<Vec<Varbind<'_>>, _>>() else {
        return;
    };
    let mut out = Vec::new();
    SnmpMessage::encode(&message, &varbinds, &mut out);
    let again = SnmpMessage::decode(&out).expect("our own message is valid");
    assert_eq!(again.pdu.varbinds.count(), varbinds.len(), "bindings survive the way");
    for (again, varbind) in again.pdu.varbinds.flatten().zip(&varbinds) {
        assert_eq!(again.oid, varbind.oid, "names survive the way");
    }
}

/// Text of names.
pub fn oid(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(oid) = Oid::parse(text) else { return };
    assert_eq!(Oid::parse(&oid.to_string()).as_ref(), Ok(&oid), "a name survives the way");
}

/// Packets of sockets of all kinds.
pub fn icmp(data: &[u8]) {
    for (family, framing) in [
        (Family::V4, Framing::Bare),
        (Family::V4, Framing::WithIpHeader),
        (Family::V6, Framing::Bare),
    ] {
        if let Ok(received) = crate::icmp::parse(family, framing, data) {
            let payload = match received {
                Received::Reply(echo) | Received::Request(echo) => echo.payload,
                Received::Undelivered { echo, .. } => echo.payload,
            };
            assert!(payload.len() < data.len(), "a payload lies within its packet");
        }
    }
}

/// Bodies of web pages: an encoding is found, and nearly always a known one.
pub fn charset(data: &[u8]) {
    let (head, body) = data.split_at(data.iter().position(|it| *it == b'\n').unwrap_or(0));
    let head = String::from_utf8_lossy(head);
    let name = crate::charset::http_charset(&head, body);
    if let Ok(text) = crate::charset::to_utf8(&name, body) {
        assert!(text.len() <= body.len() * 3 + 3, "a byte becomes at most three");
    }
    if let Some(ascii) = crate::dns::to_ascii(&head) {
        assert!(ascii.is_ascii(), "names travel in ASCII");
    }
    let _name = crate::dns::reverse_name(&head);
}

/// Answers of devices, over TCP and on a line.
pub fn modbus(data: &[u8]) {
    let [code, count, data @ ..] = data else { return };
    let function = Function::from_code(code % 4 + 1).expect("1 to 4");
    let request = ModbusRequest { unit: 1, function, address: 0, count: u16::from(*count) };
    for answer in [request.decode_tcp(1, data), request.decode_rtu(data)].into_iter().flatten() {
        let registers = answer.unwrap_or_default();
        assert!(registers.len() <= usize::from(*count) * 2 + 1, "no more than asked for");
        for order in
            [Endianness::Big, Endianness::Little, Endianness::MidBig, Endianness::MidLittle]
        {
            for kind in [DataType::Int8, DataType::Uint16, DataType::Float, DataType::Double] {
                let n = crate::modbus::values(registers, kind, order).len();
                assert!(n * kind.len() <= registers.len(), "values lie within the registers");
            }
        }
    }
}

/// Greetings of services: whole or byte by byte, the verdict is the same.
pub fn services(data: &[u8]) {
    const NAMES: [&str; 8] = ["ssh", "ldap", "smtp", "ftp", "pop", "nntp", "imap", "telnet"];
    let Some((name, data)) = data.split_first() else { return };
    let name = NAMES.get(usize::from(*name) % NAMES.len()).copied().unwrap_or_default();
    let service = Service::named(name).expect("it is one of the names");
    let (mut whole, mut said) = (Dialog::new(service), Vec::new());
    let verdict = whole.take(data, &mut said);
    let (mut single, mut said_single) = (Dialog::new(service), Vec::new());
    let mut verdicts = data.iter().map(|it| single.take(&[*it], &mut said_single));
    let verdict_single = verdicts.find(|it| *it != Verdict::Open).unwrap_or(Verdict::Open);
    // More bytes may follow a prompt of Telnet.
    if service != Service::Telnet {
        assert_eq!((verdict, said), (verdict_single, said_single), "cutting changes nothing");
    }
    whole.close();
    let own = crate::services::ntp::request(7);
    assert!(!crate::services::ntp::is_answer(&own, 7), "a question is no answer");
    let is_answer = crate::services::ntp::is_answer(data, 7);
    assert!(!is_answer || 48 <= data.len(), "a packet is whole");
}

/// Messages of SNMPv3: one that is accepted without a key survives writing, and a signed one is
/// never accepted.
pub fn usm(data: &[u8]) {
    let Ok(message) = V3Message::decode(data) else { return };
    let master = MasterKey::of_passphrase(AuthProtocol::Md5, b"maplesyrup").expect("long enough");
    let own = UserKeys::new(Some(&master), Some((PrivProtocol::Des, &master)), message.engine_id);
    let mut buffer = Vec::new();
    if message.is_signed() {
        assert!(message.open(&own, &mut buffer).is_err(), "nobody outside has the key");
    }
    let Ok(scoped) = message.open(&UserKeys::default(), &mut buffer) else { return };
    let is_known = ReportReason::of(&scoped.pdu) != ReportReason::Other;
    assert!(!is_known || scoped.pdu.varbinds.count() > 0, "a reason stands in a binding");
    let varbinds = scoped.pdu.varbinds.collect::<Result<Vec<Varbind<'_>>, _>>();
    let Ok(varbinds) = varbinds else { return };
    for keys in [UserKeys::default(), own] {
        let head = V3Head {
            message_id: message.message_id,
            is_reportable: true,
            engine_id: message.engine_id,
            boots: message.boots,
            time: message.time,
            user: message.user,
            context_name: scoped.context_name,
            salt: 7,
        };
        let mut out = Vec::new();
        head.encode(&scoped.pdu, &varbinds, &keys, &mut out);
        let again = V3Message::decode(&out).expect("our own message is valid");
        let mut buffer = Vec::new();
        let again = again.open(&keys, &mut buffer).expect("our own message is believed");
        assert_eq!(again.pdu.varbinds.count(), varbinds.len(), "bindings survive the way");
    }
}

/// Traps and informs of v3: their text is bounded by their size, and answers and reports are
/// messages.
fn notification_v3(data: &[u8]) {
    let (Ok(message), mut buffer) = (V3Message::decode(data), Vec::new()) else { return };
    let keys = UserKeys::default();
    let head = V3Head {
        message_id: message.message_id,
        is_reportable: false,
        engine_id: b"engine",
        boots: 1,
        time: 2,
        user: message.user,
        context_name: &[],
        salt: 7,
    };
    let mut out = Vec::new();
    head.encode_report((ReportReason::UnknownEngineId, 3), 4, &keys, &mut out);
    let report = V3Message::decode(&out).expect("our own report is valid");
    let mut opened = Vec::new();
    let report = report.open(&keys, &mut opened).expect("our own report is believed");
    assert_eq!(ReportReason::of(&report.pdu), ReportReason::UnknownEngineId, "it says why");
    let Ok(scoped) = message.open(&keys, &mut buffer) else { return };
    let Ok(notification) = Notification::of_scoped(message.user, &scoped) else { return };
    let from = ([192, 0, 2, 7], 40_000).into();
    let mut text = String::new();
    notification.write_text(from, from, &|_| None, &mut text);
    assert!(text.len() <= 2_000 + data.len() * 100, "no more text than there are bytes for");
    let mut answer = Vec::new();
    head.encode_answer(&scoped, &keys, &mut answer);
    let answer = V3Message::decode(&answer).expect("our own answer is valid");
    let mut opened = Vec::new();
    let answer = answer.open(&keys, &mut opened).expect("our own answer is believed");
    assert_eq!(answer.pdu.request_id, notification.request_id, "it finds its question");
}

/// Traps and informs: their text is bounded by their size, and answers are messages.
pub fn notification(data: &[u8]) {
    notification_v3(data);
    let Ok(notification) = Notification::decode(data) else { return };
    let from = ([192, 0, 2, 7], 40_000).into();
    let mut text = String::new();
    notification.write_text(from, from, &|_| None, &mut text);
    // A name of 128 numbers of one byte each takes some 300; a binding is at least six bytes.
    assert!(text.len() <= 2_000 + data.len() * 100, "no more text than there are bytes for");
    if notification.is_inform {
        let mut answer = Vec::new();
        notification.write_answer(&mut answer);
        let answer = SnmpMessage::decode(&answer).expect("our own answer is valid");
        assert_eq!(answer.pdu.request_id, notification.request_id, "it finds its question");
    }
}

/// Hands over one packet after the other, each with the length in its first byte.
fn opened(opening: &mut crate::ipmi::Opening, data: &[u8]) -> Option<crate::ipmi::Session> {
    let mut rest = data;
    while let Some((len, behind)) = rest.split_first() {
        let (packet, behind) = behind.split_at_checked(usize::from(*len)).unwrap_or((behind, &[]));
        if let Ok(Some(crate::ipmi::Step::Opened(session))) = opening.take(packet) {
            return Some(session);
        }
        rest = behind;
    }
    None
}

/// Packets of both kinds of sessions and sensor records: none ends the reader, and none is accepted
/// without the password.
pub fn ipmi(data: &[u8]) {
    use crate::ipmi::{
        Authentication, CipherSuite, IpmiExchange, IpmiUser, NetFn, Opening, Sensor, SessionKind,
    };
    let login = || IpmiUser { username: b"u".to_vec(), password: b"p".to_vec(), privilege: 2 };
    for way in [
        SessionKind::RmcpPlus(CipherSuite::Sha256),
        SessionKind::RmcpPlus(CipherSuite::Sha1),
        SessionKind::Ipmi15(Authentication::Md5),
        SessionKind::Ipmi15(Authentication::Straight),
    ] {
        let (mut opening, _first) = Opening::start(way, login(), &[7; 20]);
        if let Some(mut session) = opened(&mut opening, data) {
            // In IPMI 1.5 the device does not prove that it has the password until it signs the
            // following messages.
            assert!(matches!(way, SessionKind::Ipmi15(_)), "nobody outside has the password");
            let message = session.open(data).map_or(0, |it| it.len());
            assert!(message <= data.len(), "no more than there is");
        }
        assert!(opening.take(data).is_ok_and(|it| it.is_none()) || 10 < data.len(), "it says more");
    }
    let exchange = IpmiExchange { net_fn: NetFn::Storage, command: 0x23, lun: 0, number: 1 };
    let answer = exchange.answer(data).map_or(0, |it| it.1.len());
    assert!(answer <= data.len(), "no more than there is");
    for sensor in Sensor::of_record(data) {
        let reading = sensor.reading(data);
        assert!(reading.is_none() || 2 <= data.len(), "a reading has its flags");
        assert_eq!(sensor.thresholds(&[]), [None; 6], "nothing is made up");
        // 31 bytes of two digits each, followed by the number of one of several sensors.
        assert!(sensor.id.chars().count() <= 62 + 3, "an id is short");
    }
}
