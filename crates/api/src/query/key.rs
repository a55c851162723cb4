//! Values to sort by.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::given::text;
use crate::describe::Object;
use crate::json::Scalar;

/// A value to sort by. A field has the same variant in all rows.
#[derive(Clone, Debug)]
pub enum SortKey<'k> {
    Number(i64),
    /// Without regard to case at first, then by bytes.
    Text(Cow<'k, str>),
}

impl<'k> SortKey<'k> {
    pub(crate) fn text(it: impl Into<Cow<'k, str>>) -> Self {
        Self::Text(it.into())
    }

    /// Of ids and codes.
    pub(crate) fn number(it: impl TryInto<i64>) -> Self {
        Self::Number(it.try_into().unwrap_or(i64::MAX))
    }

    /// From the field as it is answered.
    pub(crate) fn answered(object: &Object, field: &str, value: Value) -> Self {
        match value {
            value if is_number(object, field) => Self::Number(text(&value).parse().unwrap_or(0)),
            Value::String(it) => Self::Text(Cow::Owned(it)),
            other => Self::Text(Cow::Owned(text(&other))),
        }
    }

    /// From a field that may be lent.
    pub(super) fn scalar(object: &Object, field: &str, value: Scalar<'k>) -> Self {
        match value {
            Scalar::Number(it) if is_number(object, field) => Self::Number(it),
            Scalar::Id(it) if is_number(object, field) => Self::number(it),
            Scalar::Flag(it) if is_number(object, field) => Self::Number(i64::from(it)),
            Scalar::Text(it) if !is_number(object, field) => Self::Text(Cow::Borrowed(it)),
            Scalar::Made(it) if !is_number(object, field) => Self::Text(it),
            other => Self::answered(object, field, other.value()),
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.cmp(other),
            (Self::Text(one), Self::Text(other)) => compare_texts(one, other),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

/// Whether a field is sorted as a number.
fn is_number(object: &Object, field: &str) -> bool {
    use crate::describe::FieldType::{Code, Id, Int, Timestamp};
    let kind = object.field(field).map(|it| it.kind);
    matches!(kind, Some(Id | Int { .. } | Code(_) | Timestamp))
}

pub(super) fn compare_texts(one: &str, other: &str) -> Ordering {
    if one == other {
        return Ordering::Equal;
    }
    let folded = if one.is_ascii() && other.is_ascii() {
        let lower = |it: &u8| it.to_ascii_lowercase();
        one.as_bytes().iter().map(lower).cmp(other.as_bytes().iter().map(lower))
    } else {
        let lower = |it: char| it.to_lowercase();
        one.chars().flat_map(lower).cmp(other.chars().flat_map(lower))
    };
    folded.then_with(|| one.cmp(other))
}

/// The natural order of names: runs of digits count as numbers, so that `web2` comes before `web10`.
pub(crate) fn natural(one: &str, other: &str) -> Ordering {
    let (mut a, mut b) = (one.as_bytes(), other.as_bytes());
    loop {
        let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first()) else {
            // The shorter one first; numbers that differ only by zeros in front by bytes.
            return a.len().cmp(&b.len()).then_with(|| one.cmp(other));
        };
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (run_a, after_a) = leading_digits(a);
            let (run_b, after_b) = leading_digits(b);
            let order = run_a.len().cmp(&run_b.len()).then_with(|| run_a.cmp(run_b));
            if order.is_ne() {
                return order;
            }
            (a, b) = (after_a, after_b);
        } else if x == y {
            (a, b) = (rest_a, rest_b);
        } else {
            return x.cmp(y);
        }
    }
}

/// The digits at the begin of a text, without leading zeros, and the rest.
fn leading_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|it| !it.is_ascii_digit()).unwrap_or(text.len());
    let (run, rest) = text.split_at(end);
    let zeros = run.iter().position(|it| *it != b'0').unwrap_or(run.len());
    (&run[zeros..], rest)
}

/// The same without regard to case.
pub(super) fn compare_natural(one: &str, other: &str) -> Ordering {
    natural(&one.to_lowercase(), &other.to_lowercase()).then_with(|| one.cmp(other))
}
