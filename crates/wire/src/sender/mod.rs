//! `sender data` and `agent data`: requests that carry many values. The hot path of the server.
//!
//! [`Parser`] reads a request in one pass over its text into a reused table of 64-byte rows (spans
//! into the text, numbers already converted), so that nothing is allocated per value once the
//! table has grown, members at the end of the request (`clock`, `host`) are known before the first
//! row is looked at, and a request that turns out to be damaged half-way is refused as a whole.
//!
//! Accepted beyond the protocol page:
//! - Members in any order, unknown ones anywhere; the first of repeated members counts.
//! - Numbers in the place of strings and the reverse (`"clock":"1700000000"`, `"value":1.5`), as
//!   Zabbix does; the text of a number is kept as it was written. `true`/`false` read as text.
//!   `null` counts as absent.
//! - Bytes that are not UTF-8: each becomes `?`, as in Zabbix, and so does the escape of half a
//!   surrogate pair. One bad value must not cost the other 249.
//! - A row that is no object, or has an array as value or a clock that is not a whole number, is
//!   [`Row::malformed`]: it counts as failed, and the other rows are taken.
//!
//! Not here: permissions of senders, and the meaning of a missing clock.

mod answer;
mod cursor;
mod request;
mod scan;
mod table;
mod text;
mod write;

pub use answer::{Info, Redirect, SenderAnswer, encode_failed, encode_redirect, encode_success};
pub use request::{Log, Row, Rows, SenderRequest};
pub use scan::Parser;
pub use write::RequestWriter;

pub(crate) use text::{to_valid_utf8, write_json_string};

/// Why a request is refused as a whole.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
pub enum SenderError {
    #[error("invalid JSON at byte {at}")]
    Syntax { at: usize },
    #[error("\"{member}\" is not an array")]
    NotAnArray { member: &'static str },
    #[error("request of {bytes} bytes is over the limit of {max}")]
    TooLong { bytes: usize, max: usize },
    #[error("request has more than {max} values")]
    TooManyRows { max: usize },
}
