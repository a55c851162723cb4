//! Values between steps, and their conversion for items.

use std::borrow::Cow;
use std::sync::Arc;

use model::{Value, ValueType};
use serde::{Deserialize, Serialize};

use super::error::{ConvertError, head};
use formats::number;

/// A value between steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Data<'a> {
    /// A floating point number.
    Float(f64),
    /// An unsigned number.
    Unsigned(u64),
    /// A text.
    Text(Cow<'a, str>),
}

impl<'a> Data<'a> {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Bytes of text; none for numbers.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Float(_) | Self::Unsigned(_) => 0,
            Self::Text(it) => it.len(),
        }
    }

    /// Whether there are no bytes of text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value as text; numbers in their usual form.
    #[must_use]
    pub fn as_text(&self) -> Cow<'_, str> {
        match self {
            Self::Float(it) => Cow::Owned(number::format_f64(*it)),
            Self::Unsigned(it) => Cow::Owned(it.to_string()),
            Self::Text(it) => Cow::Borrowed(it),
        }
    }

    /// As [`Data::as_text`], without copying a text.
    #[must_use]
    pub fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Text(it) => it,
            Self::Float(it) => Cow::Owned(number::format_f64(it)),
            Self::Unsigned(it) => Cow::Owned(it.to_string()),
        }
    }

    /// A copy that borrows nothing.
    #[must_use]
    pub fn into_owned(self) -> Data<'static> {
        match self {
            Self::Float(it) => Data::Float(it),
            Self::Unsigned(it) => Data::Unsigned(it),
            Self::Text(it) => Data::Text(Cow::Owned(it.into_owned())),
        }
    }

    /// Name of the kind for messages.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Float(_) => "double",
            Self::Unsigned(_) => "uint64",
            Self::Text(_) => "string",
        }
    }

    /// The number, if it is one or reads as one: unsigned where that is exact.
    #[must_use]
    pub fn to_number(&self) -> Option<Data<'static>> {
        match self {
            Self::Float(it) => Some(Data::Float(*it)),
            Self::Unsigned(it) => Some(Data::Unsigned(*it)),
            Self::Text(it) => {
                let digits = number::without_zero_fraction(number::trim_integer(it));
                if let Some(whole) = number::parse_u64(digits) {
                    return Some(Data::Unsigned(whole));
                }
                number::parse_f64(number::trim_float(it)).map(Data::Float)
            }
        }
    }

    /// The number as a float.
    #[must_use]
    pub fn to_f64(&self) -> Option<f64> {
        match self.to_number()? {
            Data::Float(it) => Some(it),
            Data::Unsigned(it) => Some(number::u64_to_f64(it)),
            Data::Text(_) => None,
        }
    }
}

/// Type names for messages.
fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Float => "Numeric (float)",
        ValueType::Char => "Character",
        ValueType::Log => "Log",
        ValueType::Unsigned => "Numeric (unsigned)",
        ValueType::Text => "Text",
        ValueType::Binary => "Binary",
    }
}

/// The largest number that a float item stores, as in Zabbix: below the largest double.
pub const FLOAT_MAX: f64 = 1e308;

/// The value as an item of this type stores it. Texts are not cut here. Log items get a text: the
/// caller adds the other properties of the entry.
///
/// # Errors
/// If it is no number where one is stored.
pub fn convert(data: Data<'_>, value_type: ValueType) -> Result<Value, ConvertError> {
    match value_type {
        ValueType::Float => match data.to_f64() {
            Some(it) if it.abs() <= FLOAT_MAX => Ok(Value::Float(without_sign_of_zero(it))),
            Some(it) => Err(ConvertError::OutOfRange(number::format_f64(it))),
            None => Err(unsuitable(&data, value_type)),
        },
        ValueType::Unsigned => match to_unsigned(&data) {
            Some(it) => Ok(Value::Unsigned(it)),
            None => Err(unsuitable(&data, value_type)),
        },
        ValueType::Char | ValueType::Log | ValueType::Text | ValueType::Binary => {
            Ok(Value::Text(Arc::from(&*data.into_text())))
        }
    }
}

/// Zero is stored without a sign.
fn without_sign_of_zero(value: f64) -> f64 {
    value + 0.0
}

fn to_unsigned(data: &Data<'_>) -> Option<u64> {
    match data {
        Data::Unsigned(it) => Some(*it),
        Data::Float(it) => number::f64_to_u64(*it),
        Data::Text(it) => number::read_u64(it),
    }
}

fn unsuitable(data: &Data<'_>, value_type: ValueType) -> ConvertError {
    ConvertError::Unsuitable {
        kind: data.kind_name(),
        wanted: type_name(value_type),
        value: shown(&data.as_text()),
    }
}

/// Characters of a value that the error shows, also of a longer one.
const SHOWN_CHARS_MAX: usize = 251;
const CUT: &str = "...(truncated)";

/// The value in one line: line ends and tabs as escapes.
fn shown(text: &str) -> String {
    let kept = match head(text, SHOWN_CHARS_MAX) {
        whole if whole.len() == text.len() => whole,
        _ => head(text, SHOWN_CHARS_MAX - CUT.len()),
    };
    let mut line = kept.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    if kept.len() < text.len() {
        line.push_str(CUT);
    }
    line
}
