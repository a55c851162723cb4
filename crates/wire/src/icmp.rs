//! Echo request and reply of ICMP and ICMPv6.
//!
//! ```text
//! type: 1 | code: 1 | checksum: 2 | identifier: 2 | sequence: 2 | payload
//! ```
//!
//! A raw IPv4 socket delivers the IP header before the message, everything else (raw IPv6,
//! datagram sockets) the message alone: [`Framing`]. On a datagram socket the kernel replaces the
//! identifier by one of its own, so that a prober recognises its packets by payload. The checksum
//! of ICMPv6 covers addresses that only the kernel knows; it fills it in.
//!
//! Not here: the content of the payload (a prober puts a cookie there), sending, timing.

/// Which of the two protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    V4,
    V6,
}

/// The header that a socket delivers before the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Nothing.
    Bare,
    /// An IPv4 header of 20..=60 bytes.
    WithIpHeader,
}

/// Length of the header of an echo message.
pub const HEADER_LEN: usize = 8;

/// Message types: request, reply, destination unreachable, time exceeded.
const TYPES_V4: [u8; 4] = [8, 0, 3, 11];
const TYPES_V6: [u8; 4] = [128, 129, 1, 3];
/// Protocol number of ICMP in an IPv4 header.
const PROTOCOL_V4: u8 = 1;

/// An echo message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Echo<'a> {
    pub id: u16,
    pub seq: u16,
    pub payload: &'a [u8],
}

/// A packet received by a prober's socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received<'a> {
    Reply(Echo<'a>),
    /// A request, such as our own on the loopback interface.
    Request(Echo<'a>),
    /// A router reports why a request did not arrive; `echo` is the part that it quotes.
    Undelivered {
        kind: Undelivered,
        code: u8,
        echo: Echo<'a>,
    },
}

/// Why a router gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undelivered {
    Unreachable,
    TimeExceeded,
}

/// Why a packet is of no use to a prober.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum IcmpError {
    #[error("packet of {0} bytes is too short")]
    TooShort(usize),
    #[error("IP header is damaged")]
    BadIpHeader,
    #[error("checksum is wrong")]
    WrongChecksum,
    /// For other programs: raw sockets get everything.
    #[error("message of type {0} is no echo")]
    OtherType(u8),
}

/// Appends an echo request to `out`.
pub fn encode_request(family: Family, echo: Echo<'_>, out: &mut Vec<u8>) {
    let [request, ..] = types(family);
    encode(family, request, echo, out);
}

/// Appends an echo reply to `out`: for simulated devices.
pub fn encode_reply(family: Family, echo: Echo<'_>, out: &mut Vec<u8>) {
    let [_, reply, ..] = types(family);
    encode(family, reply, echo, out);
}

fn encode(family: Family, kind: u8, echo: Echo<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[kind, 0, 0, 0]);
    out.extend_from_slice(&echo.id.to_be_bytes());
    out.extend_from_slice(&echo.seq.to_be_bytes());
    out.extend_from_slice(echo.payload);
    if family == Family::V4
        && let Some(packet) = out.get_mut(start..)
    {
        let sum = checksum(packet).to_be_bytes();
        if let Some(field) = packet.get_mut(2..4) {
            field.copy_from_slice(&sum);
        }
    }
}

/// Reads the bytes of a socket.
///
/// # Errors
/// When it is not for a prober; see [`IcmpError`].
pub fn parse(family: Family, framing: Framing, packet: &[u8]) -> Result<Received<'_>, IcmpError> {
    let message = match framing {
        Framing::Bare => packet,
        Framing::WithIpHeader => strip_ip_header(packet)?,
    };
    let Some((&[kind, code, ..], rest)) = message.split_first_chunk::<4>() else {
        return Err(IcmpError::TooShort(message.len()));
    };
    if family == Family::V4 && checksum(message) != 0 {
        return Err(IcmpError::WrongChecksum);
    }
    let [request, reply, unreachable, time_exceeded] = types(family);
    if kind == request {
        return Ok(Received::Request(read_echo(rest)?));
    }
    if kind == reply {
        return Ok(Received::Reply(read_echo(rest)?));
    }
    let kind = if kind == unreachable {
        Undelivered::Unreachable
    } else if kind == time_exceeded {
        Undelivered::TimeExceeded
    } else {
        return Err(IcmpError::OtherType(kind));
    };
    // Four unused bytes, then the quoted packet with its IP header.
    let quoted = rest.get(4..).ok_or(IcmpError::TooShort(message.len()))?;
    let quoted = match family {
        Family::V4 => strip_ip_header(quoted)?,
        Family::V6 => quoted.get(40..).ok_or(IcmpError::BadIpHeader)?,
    };
    let Some((&[quoted_kind, ..], rest)) = quoted.split_first_chunk::<4>() else {
        return Err(IcmpError::TooShort(quoted.len()));
    };
    if quoted_kind != request {
        return Err(IcmpError::OtherType(quoted_kind));
    }
    Ok(Received::Undelivered { kind, code, echo: read_echo(rest)? })
}

fn types(family: Family) -> [u8; 4] {
    match family {
        Family::V4 => TYPES_V4,
        Family::V6 => TYPES_V6,
    }
}

fn read_echo(fields: &[u8]) -> Result<Echo<'_>, IcmpError> {
    let Some((&[id_high, id_low, seq_high, seq_low], payload)) = fields.split_first_chunk::<4>()
    else {
        return Err(IcmpError::TooShort(fields.len() + 4));
    };
    let id = u16::from_be_bytes([id_high, id_low]);
    let seq = u16::from_be_bytes([seq_high, seq_low]);
    Ok(Echo { id, seq, payload })
}

fn strip_ip_header(packet: &[u8]) -> Result<&[u8], IcmpError> {
    let Some(&[first, ..]) = packet.first_chunk::<20>() else {
        return Err(IcmpError::TooShort(packet.len()));
    };
    let header_len = usize::from(first & 0x0f) * 4;
    let is_icmp = packet.get(9) == Some(&PROTOCOL_V4);
    if first >> 4 != 4 || header_len < 20 || !is_icmp {
        return Err(IcmpError::BadIpHeader);
    }
    packet.get(header_len..).ok_or(IcmpError::BadIpHeader)
}

/// The Internet checksum; 0 over a message that holds its own.
#[must_use]
pub fn checksum(message: &[u8]) -> u16 {
    let mut sum = 0_u64;
    let mut words = message.chunks_exact(2);
    for word in &mut words {
        sum += word.try_into().map_or(0, |it| u64::from(u16::from_be_bytes(it)));
    }
    if let [last] = words.remainder() {
        sum += u64::from(u16::from_be_bytes([*last, 0]));
    }
    while let high @ 1.. = sum >> 16 {
        sum = (sum & 0xffff) + high;
    }
    // Folded above, so the low half is all there is.
    let [low, high, ..] = sum.to_le_bytes();
    !u16::from_le_bytes([low, high])
}
