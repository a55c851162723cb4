//! The result of a collector.

use std::borrow::Cow;
use std::fmt;

use crate::memory::{NO_ROOM, NoRoom};

/// A value with the type that the collector measured; Zabbix's agents carry the same three kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Unsigned(u64),
    Float(f64),
    Text(String),
}

/// As an agent sends it: floating point numbers with six decimals.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:.6}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Unsigned(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Unsigned(u64::from(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// Why an item is not supported: a sentence for the user, in Zabbix's words where it has some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal(Cow<'static, str>);

impl From<NoRoom> for Refusal {
    fn from(_no_room: NoRoom) -> Self {
        Self::from(NO_ROOM)
    }
}

impl Refusal {
    pub(crate) fn into_text(self) -> String {
        self.0.into_owned()
    }
}

impl From<&'static str> for Refusal {
    fn from(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

pub(crate) type Outcome = Result<Value, Refusal>;

/// JSON with members in the order of the struct's fields, which is the order users know.
pub(crate) fn json(value: &impl serde::Serialize) -> Outcome {
    let text = serde_json::to_string(value);
    Ok(text.expect("our own rows have text for keys and finite numbers").into())
}
