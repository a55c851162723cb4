//! The cost of the readers of the hot paths. Figures are per benchmark call; the number of items in
//! a call gives the cost of one. Budget of a value of the sender protocol: 130 ns with the socket.
#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use wire::sender::{Parser, RequestWriter, Row};
use wire::snmp::{Oid, Pdu, PduKind, SnmpMessage, Value, Varbind, Version};
use wire::zbxd::{Decoder, FrameLimits, encode, encode_compressed};

fn main() {
    divan::main();
}

const N_VALUES: usize = 1_000;

/// A request as zabbix_sender writes it, some 110 bytes a value.
fn sender_request() -> Vec<u8> {
    let mut writer = RequestWriter::sender_data(Vec::new());
    for n in 0..N_VALUES {
        let host = format!("host-{:05}.example", n % 1_000);
        let key = format!("net.if.in[eth{}]", n % 100);
        let value = format!("{}.{:04}", n * 37 % 10_000, n * 7919 % 10_000);
        writer.push(&Row {
            host: Some(&host),
            key: Some(&key),
            value: Some(&value),
            clock: Some(1_700_000_000),
            ns: Some(123_456_789),
            ..Row::default()
        });
    }
    let payload = writer.finish(1_700_000_000, 1);
    assert!((100..125).contains(&(payload.len() / N_VALUES)), "the size that budgets are for");
    payload
}

/// As agents send since 7.0: by item id.
fn agent_request() -> Vec<u8> {
    let version = wire::Version::OURS;
    let session = "0123456789abcdef0123456789abcdef";
    let mut writer = RequestWriter::agent_data(Vec::new(), session, "host-1", version);
    for n in 0..N_VALUES as u64 {
        let value = format!("{}.{:04}", n * 37 % 10_000, n * 7919 % 10_000);
        writer.push(&Row {
            itemid: Some(1_000_000 + n),
            value: Some(&value),
            id: Some(n),
            clock: Some(1_700_000_000),
            ns: Some(123_456_789),
            ..Row::default()
        });
    }
    writer.finish(1_700_000_000, 1)
}

/// The work of a receiver with every row, so that nothing is optimized away.
fn use_rows(parser: &mut Parser, payload: &[u8]) -> usize {
    let request = parser.parse(payload).unwrap();
    request.rows().map(|it| black_box(it).value.map_or(0, str::len)).sum()
}

#[divan::bench]
fn scan_sender_data(bencher: Bencher<'_, '_>) {
    let payload = sender_request();
    let mut parser = Parser::new(10_000);
    bencher
        .counter(ItemsCount::new(N_VALUES))
        .bench_local(|| use_rows(&mut parser, black_box(&payload)));
}

#[divan::bench]
fn scan_sender_data_spaced(bencher: Bencher<'_, '_>) {
    // As Python's json module writes it.
    let text = String::from_utf8(sender_request()).unwrap();
    let payload = text.replace("\":", "\": ").replace(",\"", ", \"").into_bytes();
    let mut parser = Parser::new(10_000);
    bencher
        .counter(ItemsCount::new(N_VALUES))
        .bench_local(|| use_rows(&mut parser, black_box(&payload)));
}

#[divan::bench]
fn scan_agent_data(bencher: Bencher<'_, '_>) {
    let payload = agent_request();
    let mut parser = Parser::new(10_000);
    bencher
        .counter(ItemsCount::new(N_VALUES))
        .bench_local(|| use_rows(&mut parser, black_box(&payload)));
}

/// The baseline: the same fields by serde_json, borrowed.
#[divan::bench]
fn serde_json_sender_data(bencher: Bencher<'_, '_>) {
    #[derive(serde::Deserialize)]
    struct Request<'a> {
        #[serde(borrow)]
        data: Vec<Value<'a>>,
    }
    #[derive(serde::Deserialize)]
    struct Value<'a> {
        host: &'a str,
        key: &'a str,
        value: &'a str,
        clock: i64,
        ns: u32,
    }
    let payload = sender_request();
    bencher.counter(ItemsCount::new(N_VALUES)).bench_local(|| {
        let request: Request<'_> = serde_json::from_slice(black_box(&payload)).unwrap();
        let sizes = request.data.iter().map(|it| {
            it.host.len() + it.key.len() + it.value.len() + usize::from(it.clock > i64::from(it.ns))
        });
        sizes.sum::<usize>()
    });
}

#[divan::bench]
fn write_sender_data(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(N_VALUES))
        .with_inputs(|| Vec::with_capacity(1 << 18))
        .bench_values(|buffer| {
            let mut writer = RequestWriter::sender_data(buffer);
            for n in 0..1_000_u32 {
                writer.push(&Row {
                    host: Some("host-00001.example"),
                    key: Some("net.if.in[eth12]"),
                    value: Some("1234.5678"),
                    clock: Some(1_700_000_000),
                    ns: Some(n),
                    ..Row::default()
                });
            }
            writer.finish(1_700_000_000, 1)
        });
}

fn receive(decoder: &mut Decoder, frame: &[u8]) -> usize {
    // 64 KiB is the most that a read of a socket returns.
    for piece in frame.chunks(64 * 1024) {
        decoder.buffer().extend_from_slice(piece);
    }
    let len = decoder.poll().unwrap().unwrap().payload.len();
    decoder.reset();
    len
}

#[divan::bench]
fn frame_plain(bencher: Bencher<'_, '_>) {
    let payload = sender_request();
    let mut frame = Vec::new();
    encode(&payload, &mut frame);
    let mut decoder = Decoder::new(FrameLimits::default());
    bencher
        .counter(ItemsCount::new(N_VALUES))
        .counter(BytesCount::new(payload.len()))
        .bench_local(|| receive(&mut decoder, black_box(&frame)));
}

#[divan::bench]
fn frame_compressed(bencher: Bencher<'_, '_>) {
    let payload = sender_request();
    let mut frame = Vec::new();
    encode_compressed(&payload, &mut frame).unwrap();
    let mut decoder = Decoder::new(FrameLimits::default());
    bencher
        .counter(ItemsCount::new(N_VALUES))
        .counter(BytesCount::new(payload.len()))
        .bench_local(|| receive(&mut decoder, black_box(&frame)));
}

#[divan::bench]
fn frame_compress(bencher: Bencher<'_, '_>) {
    let payload = sender_request();
    bencher.counter(ItemsCount::new(N_VALUES)).counter(BytesCount::new(payload.len())).bench_local(
        || {
            let mut frame = Vec::new();
            encode_compressed(black_box(&payload), &mut frame).unwrap();
            frame.len()
        },
    );
}

const N_VARBINDS: usize = 10;

fn snmp_answer() -> (Vec<Oid>, Vec<u8>) {
    let column = Oid::parse("1.3.6.1.2.1.31.1.1.1.6").unwrap();
    let names: Vec<Oid> =
        (1..).take(N_VARBINDS).map(|it| column.child([it * 100]).unwrap()).collect();
    let varbinds: Vec<Varbind<'_>> = names
        .iter()
        .map(|it| Varbind { oid: it.as_ref(), value: Value::Counter64(1_234_567_890_123) })
        .collect();
    let pdu = Pdu::new(PduKind::Response, 0x1234_5678, 0, 0);
    let mut datagram = Vec::new();
    let head = SnmpMessage { version: Version::V2c, community: b"public", pdu };
    SnmpMessage::encode(&head, &varbinds, &mut datagram);
    (names, datagram)
}

/// Decodes and compares each name with the requested one.
#[divan::bench]
fn snmp_decode(bencher: Bencher<'_, '_>) {
    let (names, datagram) = snmp_answer();
    bencher.counter(ItemsCount::new(N_VARBINDS)).bench_local(|| {
        let message = SnmpMessage::decode(black_box(&datagram)).unwrap();
        let pairs = message.pdu.varbinds.flatten().zip(&names);
        pairs
            .filter(|(got, asked)| got.oid == asked.as_ref() && black_box(got.value) != Value::Null)
            .count()
    });
}

#[divan::bench]
fn snmp_encode_request(bencher: Bencher<'_, '_>) {
    let (names, _) = snmp_answer();
    let pdu = Pdu::new(PduKind::Get, 0x1234_5678, 0, 0);
    let head = SnmpMessage { version: Version::V2c, community: b"public", pdu };
    let mut out = Vec::new();
    bencher.counter(ItemsCount::new(N_VARBINDS)).bench_local(|| {
        out.clear();
        SnmpMessage::encode_request(&head, black_box(&names).iter().map(Oid::as_ref), &mut out);
        out.len()
    });
}

#[divan::bench]
fn icmp_reply(bencher: Bencher<'_, '_>) {
    use wire::icmp::{Echo, Family, Framing, encode_reply, parse};
    let mut packet = Vec::new();
    encode_reply(Family::V4, Echo { id: 1, seq: 2, payload: &[0x55; 56] }, &mut packet);
    bencher.bench_local(|| parse(Family::V4, Framing::Bare, black_box(&packet)).is_ok());
}
