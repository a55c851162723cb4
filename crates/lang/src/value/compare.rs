//! Order of values of different kinds.

use std::cmp::Ordering;

use formats::number;

/// A value to compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparable<'a> {
    /// Nothing: less than everything else.
    None,
    /// A floating point number.
    Float(f64),
    /// A whole number.
    Unsigned(u64),
    /// Bytes: greater than everything else.
    Binary(&'a [u8]),
    /// A text; compared as a number with numbers where it is one.
    Text(&'a str),
}

impl Comparable<'_> {
    fn number(self) -> Option<f64> {
        match self {
            Self::Float(it) => Some(it),
            Self::Unsigned(it) => Some(number::u64_to_f64(it)),
            Self::Text(it) => number::parse_f64(number::trim_float(it)),
            Self::None | Self::Binary(_) => None,
        }
    }

    /// A whole number in full, where a float would be rounded.
    fn whole(self) -> Option<u64> {
        match self {
            Self::Unsigned(it) => Some(it),
            Self::Text(it) => number::parse_u64(number::trim_integer(it)),
            Self::None | Self::Float(_) | Self::Binary(_) => None,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Float(it) => number::format_f64(it),
            Self::Unsigned(it) => it.to_string(),
            Self::Text(it) => it.to_owned(),
            Self::None | Self::Binary(_) => String::new(),
        }
    }
}

/// The order of two values; floats nearer than `epsilon` are equal.
#[must_use]
pub fn compare(left: Comparable<'_>, right: Comparable<'_>, epsilon: f64) -> Ordering {
    match (left, right) {
        (Comparable::Binary(left), Comparable::Binary(right)) => left.cmp(right),
        (Comparable::Binary(_), _) => Ordering::Greater,
        (_, Comparable::Binary(_)) => Ordering::Less,
        (Comparable::None, Comparable::None) => Ordering::Equal,
        (Comparable::None, _) => Ordering::Less,
        (_, Comparable::None) => Ordering::Greater,
        (Comparable::Text(left), Comparable::Text(right)) => left.cmp(right),
        _ => {
            if let (Some(left), Some(right)) = (left.whole(), right.whole()) {
                return left.cmp(&right);
            }
            by_number(left, right, epsilon)
        }
    }
}

fn by_number(left: Comparable<'_>, right: Comparable<'_>, epsilon: f64) -> Ordering {
    match (left.number(), right.number()) {
        (Some(left), Some(right)) if (left - right).abs() <= epsilon => Ordering::Equal,
        (Some(left), Some(right)) => left.total_cmp(&right),
        _ => left.text().cmp(&right.text()),
    }
}
