//! Values of expressions, and the inputs of their evaluation.

use std::borrow::Cow;
use std::fmt;

use formats::number;
use jiff::tz::TimeZone;
use model::Time;
use model::content::GlobalRegexp;

/// A value of an expression that owns its text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A floating point number.
    Number(f64),
    /// A whole number, exact up to 2^64 as long as nothing is calculated with it.
    UInt(u64),
    /// A text.
    Text(String),
    /// Values of many items, as foreach functions give them.
    Vector(Vec<Value>),
}

/// As it is shown: a number as briefly as it is exact, values of many items in brackets.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(it) => f.write_str(&number::format_f64(*it)),
            Self::UInt(it) => write!(f, "{it}"),
            Self::Text(it) => f.write_str(it),
            Self::Vector(list) => {
                f.write_str("[")?;
                for (at, it) in list.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{it}")?;
                }
                f.write_str("]")
            }
        }
    }
}

/// A value that the caller supplies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand<'a> {
    /// A floating point number.
    Number(f64),
    /// A whole number.
    UInt(u64),
    /// A text.
    Text(&'a str),
    /// Values of many items.
    Vector(&'a [Value]),
    /// No value now; the text says why and becomes the error if the result depends on it.
    Unknown(&'a str),
}

/// The inputs of an evaluation apart from its operands.
#[derive(Debug, Clone)]
pub struct Env<'a> {
    /// The time for `now()`, `date()` and the like.
    pub now: Time,
    /// Zone of `date()`, `time()`, `dayofweek()`, `dayofmonth()`.
    pub zone: &'a TimeZone,
    /// The result of `rand()`.
    pub random: u32,
    /// Numbers nearer than this are equal.
    pub epsilon: f64,
    /// Global regular expressions, which patterns of `count` may name.
    pub regexps: &'a [GlobalRegexp],
}

impl<'a> Env<'a> {
    /// An environment with the usual tolerance.
    #[must_use]
    pub fn new(now: Time, zone: &'a TimeZone) -> Self {
        Self { now, zone, random: 0, epsilon: number::EPSILON, regexps: &[] }
    }
}

/// A value on the stack.
#[derive(Debug, Clone)]
pub(super) enum Val<'a> {
    Number(f64),
    UInt(u64),
    Text(Cow<'a, str>),
    Vector(&'a [Value]),
    Null,
    /// Why; made into an error only if it is the result.
    Unknown(&'a str),
}

impl Val<'_> {
    /// The name of its type in Zabbix.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Number(_) => "double",
            Self::UInt(_) => "uint64",
            Self::Text(_) => "string",
            Self::Vector(_) => "vector",
            Self::Null => "none",
            Self::Unknown(_) => "error",
        }
    }
}

impl<'a> From<Operand<'a>> for Val<'a> {
    fn from(operand: Operand<'a>) -> Self {
        match operand {
            Operand::Number(it) => Self::Number(it),
            Operand::UInt(it) => Self::UInt(it),
            Operand::Text(it) => Self::Text(Cow::Borrowed(it)),
            Operand::Vector(it) => Self::Vector(it),
            Operand::Unknown(it) => Self::Unknown(it),
        }
    }
}

impl<'a> From<&'a Value> for Val<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Number(it) => Self::Number(*it),
            Value::UInt(it) => Self::UInt(*it),
            Value::Text(it) => Self::Text(Cow::Borrowed(it)),
            Value::Vector(it) => Self::Vector(it),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_text_and_many_in_brackets() {
        let list = vec![Value::Number(4.0), Value::UInt(u64::MAX), Value::Text("a".to_owned())];
        assert_eq!(Value::Number(0.1).to_string(), "0.1");
        assert_eq!(Value::Vector(list).to_string(), "[4, 18446744073709551615, a]");
        assert_eq!(Value::Vector(Vec::new()).to_string(), "[]");
    }
}
