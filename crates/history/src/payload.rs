//! Texts and log entries as the bytes that the engine stores.
//!
//! ```text
//! nanoseconds within the millisecond, varint
//! log entries only: source (length varint, UTF-8) · timestamp, severity, logeventid (zigzag varints)
//! the text, UTF-8, to the end
//! ```
//!
//! Bytes: `docs/format/history.md`. Reading never panics.

use std::sync::Arc;

use model::record::TextRow;
use model::value::{LogEntry, Sample};
use model::{Time, Value, ValueType};

use crate::query::text;

const NS_PER_MS: i64 = 1_000_000;

/// The engine's kind of a value type. The numbers are part of the format.
pub(crate) fn kind(value_type: ValueType) -> tsdb::SeriesKind {
    match value_type {
        ValueType::Float => tsdb::SeriesKind::FLOAT,
        ValueType::Unsigned => tsdb::SeriesKind::UNSIGNED,
        ValueType::Char => tsdb::SeriesKind(2),
        ValueType::Text => tsdb::SeriesKind(3),
        ValueType::Log => tsdb::SeriesKind(4),
        ValueType::Binary => tsdb::SeriesKind(5),
    }
}

/// Replaces what `out` holds by the bytes of a value.
pub(crate) fn encode(row: &TextRow<'_>, out: &mut Vec<u8>) {
    out.clear();
    put_varint(out, row.time.0.rem_euclid(NS_PER_MS).unsigned_abs());
    if row.value_type == ValueType::Log {
        put_varint(out, row.log.source.len() as u64);
        out.extend_from_slice(row.log.source.as_bytes());
        put_varint(out, zigzag(row.log.timestamp));
        put_varint(out, zigzag(row.log.severity.into()));
        put_varint(out, zigzag(row.log.logeventid));
    }
    out.extend_from_slice(row.text.as_bytes());
}

/// The value of some bytes stored at a millisecond.
pub(crate) fn decode(value_type: ValueType, ms: i64, bytes: &[u8]) -> Option<Sample> {
    let mut left = bytes;
    let ns = i64::try_from(varint(&mut left)?).ok().filter(|it| *it < NS_PER_MS)?;
    let time = Time(ms.saturating_mul(NS_PER_MS).saturating_add(ns));
    let value = if value_type == ValueType::Log {
        let n = usize::try_from(varint(&mut left)?).ok()?;
        let (source, rest) = left.split_at_checked(n)?;
        left = rest;
        let mut entry = LogEntry {
            source: std::str::from_utf8(source).ok()?.to_owned(),
            timestamp: unzigzag(varint(&mut left)?),
            severity: i32::try_from(unzigzag(varint(&mut left)?)).ok()?,
            logeventid: unzigzag(varint(&mut left)?),
            value: String::new(),
        };
        std::str::from_utf8(left).ok()?.clone_into(&mut entry.value);
        Value::Log(Arc::new(entry))
    } else {
        text(std::str::from_utf8(left).ok()?)
    };
    Some(Sample { time, value })
}

fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

fn varint(left: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = left.split_first()?;
        *left = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
