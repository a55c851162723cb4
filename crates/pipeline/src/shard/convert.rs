//! From what arrived or what preprocessing gave to a value of the item's type.

use std::borrow::Cow;
use std::sync::Arc;

use formats::number;
use model::batch::RawRef;
use model::value::LogEntry;
use model::{Time, Value, ValueType, limits};
use preprocess::{self, Data};

use super::state::{Slot, WHOLE};

/// A value on its way to be stored. Texts are where they came from, so that a copy is made only where one is kept.
#[derive(Clone, Debug)]
pub(super) enum ConvertedValue<'a> {
    Float(f64),
    Unsigned(u64),
    Text(Cow<'a, str>),
    Log(Arc<LogEntry>),
}

impl<'a> ConvertedValue<'a> {
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Float(it) => Value::Float(*it),
            Self::Unsigned(it) => Value::Unsigned(*it),
            Self::Text(it) => Value::Text(it.as_ref().into()),
            Self::Log(it) => Value::Log(Arc::clone(it)),
        }
    }

    pub(super) fn from_value(value: &'a Value) -> Self {
        match value {
            Value::Float(it) => Self::Float(*it),
            Value::Unsigned(it) => Self::Unsigned(*it),
            Value::Text(it) => Self::Text(Cow::Borrowed(it)),
            Value::Log(it) => Self::Log(Arc::clone(it)),
        }
    }

    fn from_owned(value: Value) -> Self {
        match value {
            Value::Float(it) => Self::Float(it),
            Value::Unsigned(it) => Self::Unsigned(it),
            Value::Text(it) => Self::Text(Cow::Owned(it.as_ref().to_owned())),
            Value::Log(it) => Self::Log(it),
        }
    }
}

/// The short way from a raw value to what is stored; `None` sends it the long way, which also words
/// the error, or the note that a text is cut.
#[inline]
pub(super) fn plain<'a>(slot: &Slot, raw: RawRef<'a>) -> Option<ConvertedValue<'a>> {
    if slot.kind == FLOAT {
        let number = match raw {
            RawRef::Float(it) => it,
            RawRef::Unsigned(it) => number::u64_to_f64(it),
            RawRef::Text(it) => number::parse_f64(it)?,
            RawRef::Error(_) | RawRef::Nothing => return None,
        };
        let value = number * slot.multiplier;
        // Nothing has no sign where it is stored.
        return (value.abs() <= preprocess::FLOAT_MAX)
            .then_some(ConvertedValue::Float(value + 0.0));
    }
    if slot.kind != UNSIGNED {
        // No more bytes than characters are kept of any type: nothing is cut.
        let short = |it: &&str| it.len() <= limits::CHAR_VALUE_MAX;
        let text = if let RawRef::Text(it) = raw { Some(it) } else { None };
        return text.filter(short).map(|it| ConvertedValue::Text(Cow::Borrowed(it)));
    }
    let whole = match raw {
        RawRef::Unsigned(it) => it,
        RawRef::Text(it) => number::parse_u64(it)?,
        RawRef::Float(_) | RawRef::Error(_) | RawRef::Nothing => return None,
    };
    if slot.multiplier.to_bits() == 1.0_f64.to_bits() {
        return Some(ConvertedValue::Unsigned(whole));
    }
    if !slot.has(WHOLE) {
        return None;
    }
    let factor = number::f64_to_u64(slot.multiplier)?;
    whole.checked_mul(factor).map(ConvertedValue::Unsigned)
}

const FLOAT: u8 = 0;
const UNSIGNED: u8 = 3;

/// A text that is longer than what is kept of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    pub(super) from_chars: usize,
    pub(super) to_chars: usize,
}

/// The result of preprocessing as a value of the item's type, cut to the stored size.
pub(super) fn convert_to_type<'a>(
    data: Data<'a>,
    kind: ValueType,
    log: Option<&LogEntry>,
) -> Result<(ConvertedValue<'a>, Option<Cut>), String> {
    match kind {
        ValueType::Float | ValueType::Unsigned => match preprocess::convert(data, kind) {
            Ok(value) => Ok((ConvertedValue::from_owned(value), None)),
            Err(error) => Err(error.to_string()),
        },
        ValueType::Char => Ok(text(data, limits::CHAR_VALUE_MAX)),
        ValueType::Text | ValueType::Binary => Ok(text(data, limits::TEXT_VALUE_MAX)),
        ValueType::Log => {
            let mut entry = log.cloned().unwrap_or_default();
            let whole = data.into_text();
            let kept = head(&whole, limits::TEXT_VALUE_MAX);
            kept.clone_into(&mut entry.value);
            entry.source = head(&entry.source, limits::LOG_SOURCE_MAX).to_owned();
            let cut = cut_of(&whole, kept, limits::TEXT_VALUE_MAX);
            Ok((ConvertedValue::Log(Arc::new(entry)), cut))
        }
    }
}

fn text(data: Data<'_>, max: usize) -> (ConvertedValue<'_>, Option<Cut>) {
    let mut whole = data.into_text();
    let kept = head(&whole, max);
    let cut = cut_of(&whole, kept, max);
    if cut.is_some() {
        whole = Cow::Owned(kept.to_owned());
    }
    (ConvertedValue::Text(whole), cut)
}

fn cut_of(whole: &str, kept: &str, max: usize) -> Option<Cut> {
    let is_cut = kept.len() < whole.len();
    is_cut.then(|| Cut { from_chars: whole.chars().count(), to_chars: max })
}

/// The first so many characters.
fn head(text: &str, n_chars: usize) -> &str {
    if text.len() <= n_chars {
        return text;
    }
    text.char_indices().nth(n_chars).and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// Value type's code for a value: the item's own if the value fits it.
pub(super) fn kind_of(value: &Value, slot: &Slot) -> u8 {
    use model::ValueType::{Float, Log, Text, Unsigned};
    let kind = match value {
        Value::Float(_) => Float,
        Value::Unsigned(_) => Unsigned,
        Value::Text(_) if !slot.value_type().is_numeric() => return slot.kind,
        Value::Text(_) => Text,
        Value::Log(_) => Log,
    };
    kind.code().unsigned_abs()
}

/// Numbers are kept in milliseconds, by all: windows, live state, history, journal.
pub(super) fn to_millis(time: Time) -> Time {
    Time(time.0 - time.0.rem_euclid(1_000_000))
}
