//! Frames from streams of pieces, valid and hostile.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic and print")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use wire::zbxd::{Decoder, FrameLimits, Plain, ZbxdError, encode, encode_compressed};

/// All pieces one after the other, then the close.
fn receive(limits: FrameLimits, pieces: &[Vec<u8>]) -> Result<Option<Vec<u8>>, ZbxdError> {
    let mut decoder = Decoder::new(limits);
    for piece in pieces {
        decoder.feed(piece);
        decoder.poll()?;
    }
    Ok(decoder.close()?.map(|it| it.payload.to_vec()))
}

fn receive_one(bytes: &[u8]) -> Result<Option<Vec<u8>>, ZbxdError> {
    receive(FrameLimits::with_max(1 << 20), &[bytes.to_vec()])
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|it| u8::from_str_radix(std::str::from_utf8(it).unwrap(), 16).unwrap()).collect()
}

fn check_conformance(file: &str, limits: FrameLimits) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/comms").join(file);
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: no conformance cases at {}", path.display());
        return;
    };
    let topic: Value = serde_json::from_str(&text).unwrap();
    let cases = topic["cases"].as_array().unwrap();
    assert!(cases.len() >= 5, "{file} has cases");
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let pieces: Vec<Vec<u8>> = case["in"]["fragments_hex"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| unhex(it.as_str().unwrap()))
            .collect();
        let got = receive(limits, &pieces);
        assert_eq!(got.is_ok(), case["out"]["ok"].as_bool().unwrap(), "{name}: {got:?}");
        if let Some(expected) = case["out"]["payload_hex"].as_str() {
            assert_eq!(got, Ok(Some(unhex(expected))), "{name}");
        }
        // The same bytes one by one must have the same result.
        let singles: Vec<Vec<u8>> = pieces.concat().into_iter().map(|it| vec![it]).collect();
        assert_eq!(receive(limits, &singles).ok(), got.ok(), "{name}, byte by byte");
    }
}

#[test]
fn frames_as_zabbix_receives_them() {
    check_conformance("receive.json", FrameLimits::with_max(128 << 20));
}

#[test]
fn plain_data_as_zabbix_receives_it() {
    let limits = FrameLimits { plain: Plain::UntilClose, ..FrameLimits::with_max(128 << 20) };
    let path = "receive_raw.json";
    // One of the cases is a frame that the raw reader does not open; ours does, which is harmless.
    check_conformance(path, limits);
}

#[test]
fn hostile_lengths_are_refused_before_memory_is_reserved() {
    let header = |flags: u8, rest: &[u8]| [b"ZBXD".as_slice(), &[flags], rest].concat();
    let max = 1 << 20;
    let cases: [(Vec<u8>, ZbxdError); 8] = [
        // 2^31 in the small form.
        (header(1, &[0, 0, 0, 0x80, 0, 0, 0, 0]), ZbxdError::PacketTooLarge { size: 1 << 31, max }),
        // 2^63 in the large form.
        (
            header(5, &[0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]),
            ZbxdError::PacketTooLarge { size: 1 << 63, max },
        ),
        (header(1, &[0xff; 8]), ZbxdError::PacketTooLarge { size: u64::from(u32::MAX), max }),
        (
            header(3, &[1, 0, 0, 0, 0, 0, 0, 0x80]),
            ZbxdError::InflatedTooLarge { size: 1 << 31, max },
        ),
        (
            header(3, &[1, 0, 0, 0, 0, 0, 1, 0, b'x']),
            ZbxdError::ImpossibleRatio { compressed: 1, declared: 65536 },
        ),
        (header(0, &[0; 8]), ZbxdError::UnsupportedFlags(0)),
        (header(9, &[0; 8]), ZbxdError::UnsupportedFlags(9)),
        (b"GET / HTTP/1.1\r\n".to_vec(), ZbxdError::WrongMagic),
    ];
    for (bytes, expected) in cases {
        assert_eq!(receive_one(&bytes), Err(expected), "{bytes:?}");
    }
}

#[test]
fn empty_messages_are_messages_and_silence_is_none() {
    assert_eq!(receive_one(b"ZBXD\x01\0\0\0\0\0\0\0\0"), Ok(Some(vec![])));
    assert_eq!(receive_one(b"ZBXD\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), Ok(Some(vec![])));
    assert_eq!(receive_one(b""), Ok(None));
    // Nothing inflates to nothing, except a whole zlib stream that says so.
    let wrong_size = ZbxdError::WrongInflatedSize { declared: 0 };
    assert_eq!(receive_one(b"ZBXD\x03\0\0\0\0\0\0\0\0"), Err(wrong_size));
}

#[test]
fn reserved_field_is_ignored_without_compression() {
    // As agent 2 of 6.0.14 answers `agent.ping`: both fields have the length.
    assert_eq!(receive_one(b"ZBXD\x01\x01\0\0\0\x01\0\0\x001"), Ok(Some(b"1".to_vec())));
    assert_eq!(receive_one(b"ZBXD\x01\x01\0\0\0\xff\xff\xff\xff1"), Ok(Some(b"1".to_vec())));
    let large = b"ZBXD\x05\x01\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff1";
    assert_eq!(receive_one(large), Ok(Some(b"1".to_vec())));
}

#[test]
fn truncated_and_trailing_bytes_are_distinguished() {
    let mut frame = Vec::new();
    encode(b"agent.ping", &mut frame);
    for len in 1..frame.len() {
        let got = receive_one(&frame[..len]);
        assert!(
            matches!(got, Err(ZbxdError::Truncated { received, .. }) if received == len as u64)
        );
    }
    frame.extend_from_slice(b"xy");
    assert_eq!(receive_one(&frame), Err(ZbxdError::TrailingBytes { extra: 2 }));
}

#[test]
fn a_bomb_stops_at_the_declared_size() {
    let zeros = vec![0; 8 << 20];
    let mut frame = Vec::new();
    encode_compressed(&zeros, &mut frame).unwrap();
    // The declared size is correct, and over the limit.
    let too_large = ZbxdError::InflatedTooLarge { size: 8 << 20, max: 1 << 20 };
    assert_eq!(receive_one(&frame), Err(too_large));
    // Declares 1,000 bytes and continues.
    frame[9..13].copy_from_slice(&1000_u32.to_le_bytes());
    assert_eq!(receive_one(&frame), Err(ZbxdError::WrongInflatedSize { declared: 1000 }));
}

#[test]
fn bytes_after_the_compressed_stream_are_damage() {
    let mut frame = Vec::new();
    encode_compressed(b"agent.ping", &mut frame).unwrap();
    frame.push(0);
    let data_len = u32::try_from(frame.len() - 13).unwrap();
    frame[5..9].copy_from_slice(&data_len.to_le_bytes());
    assert_eq!(receive_one(&frame), Err(ZbxdError::DamagedStream));
}

#[test]
fn a_decoder_serves_one_message_after_the_other() {
    let mut decoder = Decoder::new(FrameLimits::default());
    for payload in [b"one".as_slice(), b"", b"three"] {
        for compressed in [false, true] {
            let mut frame = Vec::new();
            if compressed {
                encode_compressed(payload, &mut frame).unwrap();
            } else {
                encode(payload, &mut frame);
            }
            assert!(!decoder.is_partial());
            decoder.buffer().extend_from_slice(&frame[..4]);
            assert_eq!(decoder.poll(), Ok(None));
            assert!(decoder.is_partial());
            decoder.buffer().extend_from_slice(&frame[4..]);
            let got = decoder.poll().unwrap().unwrap();
            assert_eq!((got.payload, got.compressed), (payload, compressed));
            assert_eq!(got.wire_bytes, frame.len() as u64);
            assert_eq!(decoder.poll().unwrap().unwrap().payload, payload, "asking again");
            decoder.reset();
        }
    }
    assert_eq!(decoder.close(), Ok(None));
}

#[test]
fn a_message_that_was_thought_to_be_short_may_be_long() {
    for len in [5, 4_083, 4_084, 100_000] {
        let payload = vec![b'x'; len];
        let mut frame = Vec::new();
        encode(&payload, &mut frame);
        let mut decoder = Decoder::for_short(FrameLimits::with_max(1 << 20));
        let mut rest = frame.as_slice();
        // As much as there is room for, as a read does.
        while !rest.is_empty() {
            let buffer = decoder.buffer();
            let room = buffer.capacity() - buffer.len();
            assert!(0 < room);
            let (piece, tail) = rest.split_at(room.min(rest.len()));
            buffer.extend_from_slice(piece);
            rest = tail;
            decoder.poll().unwrap();
        }
        assert_eq!(decoder.poll().unwrap().unwrap().payload, payload, "{len}");
    }
}

#[test]
fn a_line_of_plain_text_is_a_message_where_allowed() {
    let limits = FrameLimits { plain: Plain::UntilNewline, ..FrameLimits::with_max(16) };
    let get = |bytes: &[u8]| receive(limits, &[bytes.to_vec()]);
    assert_eq!(get(b"agent.ping\n"), Ok(Some(b"agent.ping\n".to_vec())));
    assert_eq!(get(b"agent.ping"), Ok(Some(b"agent.ping".to_vec())));
    assert_eq!(get(b"ZBX"), Ok(Some(b"ZBX".to_vec())));
    assert_eq!(get(b"ZBXD\x01"), Err(ZbxdError::Truncated { received: 5, expected: 13 }));
    assert_eq!(get(&[b'x'; 17]), Err(ZbxdError::PacketTooLarge { size: 17, max: 16 }));
}

proptest! {
    #[test]
    fn any_payload_survives_any_cutting(
        payload in proptest::collection::vec(any::<u8>(), 0..3000),
        compressed: bool,
        cuts in proptest::collection::vec(1_usize..600, 0..20),
    ) {
        let mut frame = Vec::new();
        if compressed {
            encode_compressed(&payload, &mut frame).unwrap();
        } else {
            encode(&payload, &mut frame);
        }
        let mut pieces = Vec::new();
        let mut rest = frame.as_slice();
        for cut in cuts {
            let (piece, tail) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece.to_vec());
            rest = tail;
        }
        pieces.push(rest.to_vec());
        prop_assert_eq!(receive(FrameLimits::with_max(1 << 20), &pieces), Ok(Some(payload)));
    }

    #[test]
    fn any_bytes_end_in_a_message_or_an_error(
        flags in 0_u8..16,
        tail in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let bytes = [b"ZBXD".as_slice(), &[flags], &tail].concat();
        let whole = receive_one(&bytes);
        let singles: Vec<Vec<u8>> = bytes.iter().map(|it| vec![*it]).collect();
        let single = receive(FrameLimits::with_max(1 << 20), &singles);
        prop_assert_eq!(whole.is_ok(), single.is_ok());
    }
}
