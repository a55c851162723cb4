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
use varint::{Bytes, put_text, put_varint, zigzag};

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

/// The kind of the trends of numbers.
pub(crate) fn trend_kind(value_type: ValueType) -> Option<tsdb::SeriesKind> {
    match value_type {
        ValueType::Float => Some(tsdb::SeriesKind::FLOAT_AGGREGATE),
        ValueType::Unsigned => Some(tsdb::SeriesKind::UNSIGNED_AGGREGATE),
        ValueType::Char | ValueType::Text | ValueType::Log | ValueType::Binary => None,
    }
}

/// All kinds that an item's series may have.
pub(crate) fn kinds() -> impl Iterator<Item = tsdb::SeriesKind> {
    let of_type = |it: &ValueType| [Some(kind(*it)), trend_kind(*it)].into_iter().flatten();
    ValueType::ALL.iter().flat_map(of_type)
}

/// The value type of an engine's kind, also of one of trends; `None` of a kind that is none.
pub(crate) fn value_type(kind: tsdb::SeriesKind) -> Option<ValueType> {
    let is_it = |it: &ValueType| self::kind(*it) == kind || trend_kind(*it) == Some(kind);
    ValueType::ALL.iter().copied().find(is_it)
}

/// Replaces what `out` holds by the bytes of a value.
pub(crate) fn encode(row: &TextRow<'_>, out: &mut Vec<u8>) {
    out.clear();
    put_varint(out, row.time.0.rem_euclid(NS_PER_MS).unsigned_abs());
    if row.value_type == ValueType::Log {
        put_text(out, row.log.source);
        put_varint(out, zigzag(row.log.timestamp));
        put_varint(out, zigzag(row.log.severity.into()));
        put_varint(out, zigzag(row.log.logeventid));
    }
    out.extend_from_slice(row.text.as_bytes());
}

/// The value of some bytes stored at a millisecond.
pub(crate) fn decode(value_type: ValueType, ms: i64, bytes: &[u8]) -> Option<Sample> {
    let mut bytes = Bytes::new(bytes);
    let ns = bytes.small().filter(|it| *it < NS_PER_MS)?;
    let time = Time(ms.saturating_mul(NS_PER_MS).saturating_add(ns));
    let value = if value_type == ValueType::Log {
        let mut entry = LogEntry {
            source: bytes.text()?.to_owned(),
            timestamp: bytes.signed()?,
            severity: i32::try_from(bytes.signed()?).ok()?,
            logeventid: bytes.signed()?,
            value: String::new(),
        };
        std::str::from_utf8(bytes.left).ok()?.clone_into(&mut entry.value);
        Value::Log(Arc::new(entry))
    } else {
        text(std::str::from_utf8(bytes.left).ok()?)
    };
    Some(Sample { time, value })
}
