//! Item values.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::content::codes;

codes! {
    /// How an item's values are stored. The codes are Zabbix's.
    pub enum ValueType {
        Float = 0,
        Char = 1,
        Log = 2,
        Unsigned = 3,
        Text = 4,
        Binary = 5,
    }
}

impl ValueType {
    #[must_use]
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Float | Self::Unsigned)
    }
}

/// One processed value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Value {
    Float(f64),
    Unsigned(u64),
    /// Also for character and binary items.
    Text(Arc<str>),
    Log(Arc<LogEntry>),
}

impl Value {
    /// The number, if it is one; large unsigned values lose precision as any `f64` does.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "Zabbix computes in doubles as well")]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(it) => Some(*it),
            Self::Unsigned(it) => Some(*it as f64),
            Self::Text(_) | Self::Log(_) => None,
        }
    }

    /// The text of a text or log value.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(it) => Some(it),
            Self::Log(it) => Some(&it.value),
            Self::Float(_) | Self::Unsigned(_) => None,
        }
    }
}

/// One entry of a log item.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LogEntry {
    pub value: String,
    pub source: String,
    /// Seconds since 1970 as the log itself says; 0 = unknown.
    pub timestamp: i64,
    pub severity: i32,
    pub logeventid: i64,
}

/// A value with its time.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    pub time: crate::Time,
    pub value: Value,
}
