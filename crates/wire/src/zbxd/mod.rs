//! The frame around every Zabbix message.
//!
//! ```text
//! "ZBXD" | flags: 1 byte | data length | reserved | data
//! ```
//!
//! Both lengths are little-endian, 4 bytes each, or 8 bytes each with flag 0x04. With flag 0x02 the
//! data is a zlib stream, `data length` its size and `reserved` the size that it inflates to.
//! Without the flag `reserved` has no meaning and is ignored: most peers write 0, agent 2 of 6.0
//! repeats the data length. (Peers from before 4.0 wrote one 8-byte data length instead of the two
//! fields; below 4 GiB, which none of them ever sent, that is the same bytes.)
//!
//! A connection carries one message at a time: bytes after a complete frame are an error, as no
//! peer pipelines. A header alone reserves no memory: buffers grow with the received bytes, and an
//! inflated size that the compressed bytes cannot reach is refused before inflating.

mod decode;
mod encode;
mod inflate;

pub use decode::{Decoder, Frame, FrameLimits, Plain, Progress};
pub use encode::{encode, encode_compressed, encode_header};

const MAGIC: &[u8; 4] = b"ZBXD";
const FLAG_PROTOCOL: u8 = 0x01;
const FLAG_COMPRESSED: u8 = 0x02;
const FLAG_LARGE: u8 = 0x04;
const HEADER_LEN: usize = 13;
const HEADER_LARGE_LEN: usize = 21;

/// Why a stream of bytes is not a message. The connection is of no further use after any of them.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
pub enum ZbxdError {
    #[error("message does not start with \"ZBXD\"")]
    WrongMagic,
    #[error("unsupported protocol flags 0x{0:02x}")]
    UnsupportedFlags(u8),
    /// A length of 2^31 or 2^63 is refused here, before any allocation.
    #[error("message of {size} bytes is over the limit of {max}")]
    PacketTooLarge { size: u64, max: u64 },
    #[error("message would inflate to {size} bytes, the limit is {max}")]
    InflatedTooLarge { size: u64, max: u64 },
    #[error("{compressed} compressed bytes cannot inflate to {declared}")]
    ImpossibleRatio { compressed: u64, declared: u64 },
    #[error("compressed data is damaged")]
    DamagedStream,
    /// The stream is shorter or longer than the size that the header declared.
    #[error("compressed data does not inflate to the declared {declared} bytes")]
    WrongInflatedSize { declared: u64 },
    #[error("connection closed after {received} of {expected} bytes of a message")]
    Truncated { received: u64, expected: u64 },
    #[error("{extra} bytes follow the message")]
    TrailingBytes { extra: u64 },
    #[error("cannot compress the message")]
    Compress,
}
