//! Values of an item as functions see them.

use model::{Time, Value, value::LogEntry};

use super::period::{Range, Window};
use formats::number;

/// A value without its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleValue<'a> {
    /// Of a float item.
    Float(f64),
    /// Of an unsigned item.
    Unsigned(u64),
    /// Of a character or text item.
    Text(&'a str),
    /// Of a log item.
    Log(&'a LogEntry),
}

impl<'a> SampleValue<'a> {
    /// The number, if it is one.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Float(it) => Some(it),
            Self::Unsigned(it) => Some(number::u64_to_f64(it)),
            Self::Text(_) | Self::Log(_) => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(it) => Some(it),
            Self::Log(it) => Some(&it.value),
            Self::Float(_) | Self::Unsigned(_) => None,
        }
    }
}

impl<'a> From<&'a Value> for SampleValue<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Float(it) => Self::Float(*it),
            Value::Unsigned(it) => Self::Unsigned(*it),
            Value::Text(it) => Self::Text(it),
            Value::Log(it) => Self::Log(it),
        }
    }
}

/// A value with its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample<'a> {
    /// When it was true.
    pub time: Time,
    /// The value.
    pub value: SampleValue<'a>,
}

/// The part of `samples` (oldest first) that lies in `window`: by time `(end - seconds, end]`, by
/// count the newest that are not after its end.
#[must_use]
pub fn select<'s, 'a>(samples: &'s [Sample<'a>], window: &Window) -> &'s [Sample<'a>] {
    let end = samples.partition_point(|it| it.time <= window.end);
    let samples = &samples[..end];
    match window.range {
        Range::None => samples,
        Range::Count(count) => &samples[end.saturating_sub(count)..],
        Range::Seconds(seconds) => {
            let after = window.end.plus_secs(-seconds);
            &samples[samples.partition_point(|it| it.time <= after)..]
        }
    }
}
