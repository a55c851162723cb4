//! Echo packets, as sockets deliver them.

use proptest::prelude::*;
use wire::icmp::{
    Echo, Family, Framing, IcmpError, Received, Undelivered, checksum, encode_reply,
    encode_request, parse,
};

const ECHO: Echo<'static> = Echo { id: 0x1234, seq: 7, payload: b"cookie!" };

fn request(family: Family) -> Vec<u8> {
    let mut out = Vec::new();
    encode_request(family, ECHO, &mut out);
    out
}

/// An IPv4 header with `n_words` words before the message.
fn in_ip(n_words: u8, message: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; usize::from(n_words) * 4];
    packet[0] = 0x40 | n_words;
    packet[9] = 1;
    packet.extend_from_slice(message);
    packet
}

#[test]
fn a_request_is_to_the_byte() {
    let out = request(Family::V4);
    assert_eq!(out, b"\x08\0\x88\x84\x12\x34\0\x07cookie!");
    assert_eq!(checksum(&out), 0);
    // The kernel fills in the checksum, which covers addresses.
    assert_eq!(request(Family::V6), b"\x80\0\0\0\x12\x34\0\x07cookie!");
}

#[test]
fn replies_are_read_from_raw_and_datagram_sockets() {
    for (family, framing) in [
        (Family::V4, Framing::Bare),
        (Family::V4, Framing::WithIpHeader),
        (Family::V6, Framing::Bare),
    ] {
        for n_words in [5, 6, 15] {
            let mut reply = Vec::new();
            encode_reply(family, ECHO, &mut reply);
            let mut own = request(family);
            if framing == Framing::WithIpHeader {
                reply = in_ip(n_words, &reply);
                own = in_ip(n_words, &own);
            }
            assert_eq!(parse(family, framing, &reply), Ok(Received::Reply(ECHO)));
            assert_eq!(parse(family, framing, &own), Ok(Received::Request(ECHO)));
        }
    }
}

#[test]
fn router_messages_have_a_reason() {
    let mut unreachable = vec![3, 1, 0, 0, 0, 0, 0, 0];
    unreachable.extend(in_ip(5, &request(Family::V4)));
    let sum = checksum(&unreachable).to_be_bytes();
    unreachable[2..4].copy_from_slice(&sum);
    let expected = Received::Undelivered { kind: Undelivered::Unreachable, code: 1, echo: ECHO };
    let packet = in_ip(5, &unreachable);
    assert_eq!(parse(Family::V4, Framing::WithIpHeader, &packet), Ok(expected));

    let mut expired = vec![3, 0, 0, 0, 0, 0, 0, 0];
    expired.extend([0; 40]);
    expired.extend(request(Family::V6));
    let expected = Received::Undelivered { kind: Undelivered::TimeExceeded, code: 0, echo: ECHO };
    assert_eq!(parse(Family::V6, Framing::Bare, &expired), Ok(expected));
}

#[test]
fn everything_else_is_refused_by_name() {
    let mut damaged = request(Family::V4);
    damaged[9] ^= 1;
    let mut other_type = vec![13, 0, 0xf2, 0xff];
    assert_eq!(checksum(&other_type), 0);
    let bare = |packet: &[u8]| parse(Family::V4, Framing::Bare, packet).unwrap_err();
    let raw = |packet: &[u8]| parse(Family::V4, Framing::WithIpHeader, packet).unwrap_err();
    assert_eq!(bare(&damaged), IcmpError::WrongChecksum);
    assert_eq!(bare(&other_type), IcmpError::OtherType(13));
    assert_eq!(bare(b"\x08\0\xf7"), IcmpError::TooShort(3));
    assert_eq!(bare(b"\x08\0\xf7\xff\0"), IcmpError::TooShort(5));
    assert_eq!(raw(&[0x45; 19]), IcmpError::TooShort(19));
    assert_eq!(raw(&in_ip(4, &[0; 8])), IcmpError::BadIpHeader);
    assert_eq!(raw(&[0x4f; 20]), IcmpError::BadIpHeader);
    let mut udp = in_ip(5, &request(Family::V4));
    udp[9] = 17;
    assert_eq!(raw(&udp), IcmpError::BadIpHeader);
    other_type = in_ip(5, b"");
    assert_eq!(raw(&other_type), IcmpError::TooShort(0));
}

proptest! {
    #[test]
    fn any_packet_is_read_or_refused(packet in proptest::collection::vec(any::<u8>(), 0..80)) {
        wire::fuzz::icmp(&packet);
    }

    #[test]
    fn any_echo_survives(id: u16, seq: u16, payload in proptest::collection::vec(any::<u8>(), 0..70)) {
        let echo = Echo { id, seq, payload: &payload };
        for family in [Family::V4, Family::V6] {
            let mut out = Vec::new();
            encode_reply(family, echo, &mut out);
            prop_assert_eq!(parse(family, Framing::Bare, &out), Ok(Received::Reply(echo)));
        }
    }
}
