//! Arguments, converted to the types that functions need.

use std::borrow::Cow;

use formats::number;

use crate::expression::value::Val;

/// The longest text that a function makes: bounds the memory of an expression; a longer one is an error.
pub(super) const TEXT_BYTES_MAX: usize = 16 << 20;

/// The arguments, if there are exactly `N`.
pub(super) fn exactly<'v, const N: usize>(args: Vec<Val<'v>>) -> Result<[Val<'v>; N], String> {
    <[Val<'v>; N]>::try_from(args).map_err(|_other| wrong_number())
}

pub(super) fn wrong_number() -> String {
    "invalid number of arguments for function".to_owned()
}

/// An argument as a number; a text may have a suffix.
pub(super) fn number_of(value: &Val<'_>) -> Result<f64, String> {
    match value {
        Val::Number(it) => Ok(*it),
        Val::UInt(it) => Ok(number::u64_to_f64(*it)),
        Val::Text(it) => number::parse_suffixed(it)
            .ok_or_else(|| format!("function argument \"{it}\" is not a numeric value")),
        Val::Vector(_) | Val::Null | Val::Unknown(_) => {
            Err("function argument is not a numeric value".to_owned())
        }
    }
}

/// An argument as a whole number; fractions of a number are cut off, a text has none and no suffix.
pub(super) fn uint_of(value: &Val<'_>) -> Result<u64, String> {
    let found = match value {
        Val::UInt(it) => Some(*it),
        Val::Number(it) => number::f64_to_u64(*it),
        Val::Text(it) => number::read_u64(it),
        Val::Vector(_) | Val::Null | Val::Unknown(_) => None,
    };
    found.ok_or_else(|| "function argument is not a valid unsigned integer".to_owned())
}

/// An argument as text, numbers as they print.
pub(super) fn text_of<'v>(value: Val<'v>) -> Result<Cow<'v, str>, String> {
    match value {
        Val::Text(it) => Ok(it),
        Val::Number(it) => Ok(Cow::Owned(number::format_f64(it))),
        Val::UInt(it) => Ok(Cow::Owned(it.to_string())),
        Val::Vector(_) | Val::Null | Val::Unknown(_) => {
            Err("function argument is not a string".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_whole_numbers_without_suffix() {
        for (text, expected) in [
            ("12", Some(12)),
            ("+12 ", Some(12)),
            ("12.00", Some(12)),
            ("12.5", Some(12)),
            ("1e3", Some(1_000)),
            ("-0.5", None),
            ("1m", None),
        ] {
            assert_eq!(uint_of(&Val::Text(text.into())).ok(), expected, "{text}");
        }
        assert_eq!(uint_of(&Val::Number(2.9)), Ok(2));
        assert!(uint_of(&Val::Number(-0.5)).is_err());
    }
}
