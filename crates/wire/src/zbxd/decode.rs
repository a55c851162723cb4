//! Reads frames from a stream that arrives in pieces.

use super::inflate::{check_ratio, inflate};
use super::{
    FLAG_COMPRESSED, FLAG_LARGE, FLAG_PROTOCOL, HEADER_LARGE_LEN, HEADER_LEN, MAGIC, ZbxdError,
};

/// Room offered to one read: large enough that a full socket buffer is drained in few calls, small
/// enough that ten thousand idle connections are not gigabytes.
const READ_MIN: usize = 16 * 1024;
const READ_MAX: usize = 256 * 1024;
/// Room for a read of a message that is most likely short. A quarter of the usual, which is the
/// least that [`Decoder::buffer`] leaves unchanged, and small enough that allocators keep pieces of
/// it ready.
const READ_SHORT: usize = READ_MIN / 4;
/// A connection that once carried a large message frees the memory with [`Decoder::reset`].
const KEEP_MAX: usize = 1024 * 1024;

/// Limits of a message. All sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameLimits {
    /// Most bytes of data in a frame, as sent. A larger frame is an error.
    pub packet_max: u64,
    /// Most bytes of data after inflating. More is an error.
    pub inflated_max: u64,
    /// Whether data without a header is a message too.
    pub plain: Plain,
}

impl Default for FrameLimits {
    /// 1 GiB each, as in Zabbix between server and proxy; plain text refused.
    fn default() -> Self {
        Self { packet_max: 1 << 30, inflated_max: 1 << 30, plain: Plain::Refuse }
    }
}

impl FrameLimits {
    /// The same limit for sent and inflated bytes.
    #[must_use]
    pub fn with_max(bytes_max: u64) -> Self {
        Self { packet_max: bytes_max, inflated_max: bytes_max, ..Self::default() }
    }
}

/// Data that does not start with "ZBXD".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// An error.
    Refuse,
    /// A line, up to the first newline or the peer's close: a person with telnet at an agent.
    UntilNewline,
    /// Everything up to the peer's close.
    UntilClose,
}

/// A whole message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The data, inflated if it was compressed. May be empty: an agent sends an empty message to a
    /// peer that is not allowed.
    pub payload: &'a [u8],
    /// Whether it was compressed, so that the answer may be, too.
    pub compressed: bool,
    /// Bytes received, header included.
    pub wire_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Header {
    len: usize,
    compressed: bool,
    data_len: u64,
    inflated_len: u64,
}

#[derive(Debug, Clone, Copy)]
enum DecoderState {
    /// Not even the header is complete.
    Header,
    /// The header is known and within the limits.
    Data(Header),
    /// A frame is complete; its data lies behind `start` in `buffer`, or is all of `inflated`.
    Complete { start: usize, end: usize, compressed: bool },
}

/// How much of a message has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Not even the header is complete. A peer without a header does not announce a size.
    Begun,
    /// The header says how much memory the message will take, see [`Decoder::progress`].
    Announced { bytes: u64 },
    /// Nothing is missing; [`Decoder::poll`] will inflate it if it is compressed.
    Whole { bytes: u64 },
}

/// Collects the bytes of one message at a time.
///
/// Append the received bytes to [`Decoder::buffer`] (or by [`Decoder::feed`]) and call
/// [`Decoder::poll`]; after the answer was sent, [`Decoder::reset`] prepares it for the next
/// message. When the peer closes, [`Decoder::close`] returns whether a message was left unfinished.
#[derive(Debug)]
pub struct Decoder {
    limits: FrameLimits,
    state: DecoderState,
    buffer: Vec<u8>,
    inflated: Vec<u8>,
}

impl Decoder {
    #[must_use]
    pub fn new(limits: FrameLimits) -> Self {
        Self { limits, state: DecoderState::Header, buffer: Vec::new(), inflated: Vec::new() }
    }

    /// As [`Decoder::new`], for a single message that is usually short: it takes less memory at
    /// first.
    #[must_use]
    pub fn for_short(limits: FrameLimits) -> Self {
        Self { buffer: Vec::with_capacity(READ_SHORT), ..Self::new(limits) }
    }

    /// Where received bytes are appended, with room reserved for a read of sensible size. Nothing
    /// but appending is allowed.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        let missing = match self.state {
            DecoderState::Data(header) => {
                let whole = usize::try_from(header.data_len).unwrap_or(usize::MAX);
                // One byte more than needed, so that the same read shows trailing bytes.
                whole.saturating_add(header.len + 1).saturating_sub(self.buffer.len())
            }
            DecoderState::Header | DecoderState::Complete { .. } => 0,
        };
        let room = missing.clamp(READ_MIN, READ_MAX);
        let free = self.buffer.capacity() - self.buffer.len();
        let wanted = if missing == 0 { room / 4 } else { missing.min(room / 4) };
        if free < wanted {
            // Doubled until half has arrived, then limited to the announced size.
            if missing <= self.buffer.len() {
                self.buffer.reserve_exact(missing.max(READ_MIN));
            } else {
                self.buffer.reserve(room);
            }
        }
        &mut self.buffer
    }

    /// Appends received bytes: for callers that have them already.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether a message has begun but is not complete: a peer that stops here should time out.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        !self.buffer.is_empty() && !matches!(self.state, DecoderState::Complete { .. })
    }

    /// How much has arrived, without inflating anything: for callers that bound the memory of
    /// messages, and the time for which they compute. The bytes are those of the data as sent and,
    /// where the data is compressed, those after inflation.
    ///
    /// # Errors
    /// When the bytes cannot become a message within the limits.
    pub fn progress(&mut self) -> Result<Progress, ZbxdError> {
        if matches!(self.state, DecoderState::Header) {
            self.read_header()?;
        }
        Ok(match self.state {
            DecoderState::Header => Progress::Begun,
            DecoderState::Data(header) => {
                let bytes = header.data_len.saturating_add(header.inflated_len);
                let received = (self.buffer.len() - header.len) as u64;
                if received < header.data_len {
                    Progress::Announced { bytes }
                } else {
                    Progress::Whole { bytes }
                }
            }
            DecoderState::Complete { .. } => {
                Progress::Whole { bytes: (self.buffer.len() + self.inflated.len()) as u64 }
            }
        })
    }

    /// Returns a whole message, or `None` while more bytes are needed. Another call returns the
    /// same message until [`Decoder::reset`].
    ///
    /// # Errors
    /// When the bytes cannot become a message within the limits.
    pub fn poll(&mut self) -> Result<Option<Frame<'_>>, ZbxdError> {
        if matches!(self.state, DecoderState::Header) {
            self.read_header()?;
        }
        if let DecoderState::Data(header) = self.state {
            self.read_data(header)?;
        }
        self.check_trailing()?;
        Ok(self.frame())
    }

    /// The peer has closed. `None` if it had sent nothing since the last message; the message if
    /// the close completes it (plain text).
    ///
    /// # Errors
    /// [`ZbxdError::Truncated`] when it stopped within a message, and those of [`Decoder::poll`].
    pub fn close(&mut self) -> Result<Option<Frame<'_>>, ZbxdError> {
        if self.poll()?.is_none() && !self.buffer.is_empty() {
            let received = self.buffer.len();
            if self.is_plain() {
                self.state = DecoderState::Complete { start: 0, end: received, compressed: false };
            } else {
                let expected = match self.state {
                    DecoderState::Data(header) => header.data_len.saturating_add(header.len as u64),
                    DecoderState::Header | DecoderState::Complete { .. } => HEADER_LEN as u64,
                };
                return Err(ZbxdError::Truncated { received: received as u64, expected });
            }
        }
        Ok(self.frame())
    }

    /// Bytes that its buffers have room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.buffer.capacity().saturating_add(self.inflated.capacity())
    }

    /// Forgets the message, ready for the next of the same connection. Memory is kept for it unless
    /// it is more than 1 MiB.
    pub fn reset(&mut self) {
        self.state = DecoderState::Header;
        for buffer in [&mut self.buffer, &mut self.inflated] {
            buffer.clear();
            if buffer.capacity() > KEEP_MAX {
                *buffer = Vec::new();
            }
        }
    }

    fn frame(&self) -> Option<Frame<'_>> {
        let DecoderState::Complete { start, end, compressed } = self.state else { return None };
        let payload =
            if compressed { Some(self.inflated.as_slice()) } else { self.buffer.get(start..end) };
        Some(Frame {
            payload: payload.expect("a complete frame lies within the buffer"),
            compressed,
            wire_bytes: end as u64,
        })
    }

    fn is_plain(&self) -> bool {
        let begun = self.buffer.iter().zip(MAGIC).all(|(a, b)| a == b);
        self.limits.plain != Plain::Refuse && !(begun && self.buffer.len() >= MAGIC.len())
    }

    fn read_header(&mut self) -> Result<(), ZbxdError> {
        let begun = self.buffer.len().min(MAGIC.len());
        if self.buffer.get(..begun) != MAGIC.get(..begun) {
            return self.read_plain();
        }
        let Some(&flags) = self.buffer.get(MAGIC.len()) else { return Ok(()) };
        if flags & FLAG_PROTOCOL == 0
            || flags & !(FLAG_PROTOCOL | FLAG_COMPRESSED | FLAG_LARGE) != 0
        {
            return Err(ZbxdError::UnsupportedFlags(flags));
        }
        let Some((len, first, second)) = self.lengths(flags & FLAG_LARGE != 0) else {
            return Ok(());
        };
        let compressed = flags & FLAG_COMPRESSED != 0;
        // Without compression the second field has no meaning: agent 2 of 6.0 repeats the length
        // there.
        let (data_len, inflated_len) = (first, if compressed { second } else { 0 });
        if data_len > self.limits.packet_max {
            return Err(ZbxdError::PacketTooLarge { size: data_len, max: self.limits.packet_max });
        }
        if inflated_len > self.limits.inflated_max {
            return Err(ZbxdError::InflatedTooLarge {
                size: inflated_len,
                max: self.limits.inflated_max,
            });
        }
        if compressed {
            check_ratio(data_len, inflated_len)?;
        }
        self.state = DecoderState::Data(Header { len, compressed, data_len, inflated_len });
        Ok(())
    }

    /// Length of the header and its two numbers, once they have arrived.
    fn lengths(&self, large: bool) -> Option<(usize, u64, u64)> {
        let fields = self.buffer.get(MAGIC.len() + 1..)?;
        if large {
            let (first, rest) = fields.split_first_chunk::<8>()?;
            let second = rest.first_chunk::<8>()?;
            Some((HEADER_LARGE_LEN, u64::from_le_bytes(*first), u64::from_le_bytes(*second)))
        } else {
            let (first, rest) = fields.split_first_chunk::<4>()?;
            let second = rest.first_chunk::<4>()?;
            let wide = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
            Some((HEADER_LEN, wide(first), wide(second)))
        }
    }

    fn read_plain(&mut self) -> Result<(), ZbxdError> {
        let size = self.buffer.len() as u64;
        if self.limits.plain == Plain::Refuse {
            return Err(ZbxdError::WrongMagic);
        }
        if size > self.limits.packet_max {
            return Err(ZbxdError::PacketTooLarge { size, max: self.limits.packet_max });
        }
        if self.limits.plain == Plain::UntilNewline
            && let Some(end) = memchr::memchr(b'\n', &self.buffer)
        {
            self.state = DecoderState::Complete { start: 0, end: end + 1, compressed: false };
        }
        Ok(())
    }

    fn read_data(&mut self, header: Header) -> Result<(), ZbxdError> {
        let received = (self.buffer.len() - header.len) as u64;
        if received < header.data_len {
            return Ok(());
        }
        let data_len = usize::try_from(header.data_len)
            .expect("received bytes are counted in usize and cover the data");
        let end = header.len + data_len;
        if header.compressed {
            let data = self.buffer.get(header.len..end).unwrap_or_default();
            inflate(data, header.inflated_len, &mut self.inflated)?;
        }
        self.state =
            DecoderState::Complete { start: header.len, end, compressed: header.compressed };
        Ok(())
    }

    fn check_trailing(&self) -> Result<(), ZbxdError> {
        match self.state {
            DecoderState::Complete { end, .. } if self.buffer.len() > end => {
                let extra = self.buffer.len() - end;
                Err(ZbxdError::TrailingBytes { extra: extra as u64 })
            }
            _ => Ok(()),
        }
    }
}
