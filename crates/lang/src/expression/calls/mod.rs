//! Functions over values: one file a family, one line a function.
//!
//! A function gets its arguments by value, checks their number and kind, and answers a value or a
//! sentence. Unknown arguments never reach it: the result is unknown then.

mod aggregate;
mod bits;
mod histogram;
mod json;

mod math;
mod text;
mod time;

use std::borrow::Cow;

pub(crate) use histogram::bucket_quantile;

use super::eval::{Env, Val};
use crate::number;

/// Longest text that a function makes.
pub(super) const TEXT_BYTES_MAX: usize = 16 << 20;

pub(super) type Run = for<'v> fn(&'static str, Vec<Val<'v>>, &Env<'_>) -> Result<Val<'v>, String>;

/// A function of the table.
#[derive(Clone, Copy)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    pub(super) run: Run,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Functions whose value changes with time alone.
const TIME_FUNCTIONS: &[&str] = &["date", "dayofmonth", "dayofweek", "now", "time"];

/// All functions, sorted by name.
static BUILTINS: &[Builtin] = &[
    Builtin { name: "abs", run: math::unary },
    Builtin { name: "acos", run: math::unary },
    Builtin { name: "ascii", run: text::ascii },
    Builtin { name: "asin", run: math::unary },
    Builtin { name: "atan", run: math::unary },
    Builtin { name: "atan2", run: math::binary },
    Builtin { name: "avg", run: aggregate::run },
    Builtin { name: "between", run: aggregate::between },
    Builtin { name: "bitand", run: bits::binary },
    Builtin { name: "bitlength", run: text::bit_length },
    Builtin { name: "bitlshift", run: bits::binary },
    Builtin { name: "bitnot", run: bits::not },
    Builtin { name: "bitor", run: bits::binary },
    Builtin { name: "bitrshift", run: bits::binary },
    Builtin { name: "bitxor", run: bits::binary },
    Builtin { name: "bucket_percentile", run: histogram::percentile },
    Builtin { name: "bytelength", run: text::byte_length },
    Builtin { name: "cbrt", run: math::unary },
    Builtin { name: "ceil", run: math::unary },
    Builtin { name: "char", run: text::char },
    Builtin { name: "concat", run: text::concat },
    Builtin { name: "cos", run: math::unary },
    Builtin { name: "cosh", run: math::unary },
    Builtin { name: "cot", run: math::unary },
    Builtin { name: "count", run: aggregate::count },
    Builtin { name: "date", run: time::run },
    Builtin { name: "dayofmonth", run: time::run },
    Builtin { name: "dayofweek", run: time::run },
    Builtin { name: "degrees", run: math::unary },
    Builtin { name: "e", run: math::constant },
    Builtin { name: "exp", run: math::unary },
    Builtin { name: "expm1", run: math::unary },
    Builtin { name: "floor", run: math::unary },
    Builtin { name: "histogram_quantile", run: histogram::quantile },
    Builtin { name: "in", run: aggregate::is_in },
    Builtin { name: "insert", run: text::insert },
    Builtin { name: "jsonpath", run: json::jsonpath },
    Builtin { name: "kurtosis", run: aggregate::run },
    Builtin { name: "left", run: text::left },
    Builtin { name: "length", run: text::length },
    Builtin { name: "log", run: math::unary },
    Builtin { name: "log10", run: math::unary },
    Builtin { name: "ltrim", run: text::trim },
    Builtin { name: "mad", run: aggregate::run },
    Builtin { name: "max", run: aggregate::run },
    Builtin { name: "mid", run: text::mid },
    Builtin { name: "min", run: aggregate::run },
    Builtin { name: "mod", run: math::binary },
    Builtin { name: "now", run: time::run },
    Builtin { name: "pi", run: math::constant },
    Builtin { name: "power", run: math::binary },
    Builtin { name: "radians", run: math::unary },
    Builtin { name: "rand", run: math::constant },
    Builtin { name: "repeat", run: text::repeat },
    Builtin { name: "replace", run: text::replace },
    Builtin { name: "right", run: text::right },
    Builtin { name: "round", run: math::to_places },
    Builtin { name: "rtrim", run: text::trim },
    Builtin { name: "signum", run: math::unary },
    Builtin { name: "sin", run: math::unary },
    Builtin { name: "sinh", run: math::unary },
    Builtin { name: "skewness", run: aggregate::run },
    Builtin { name: "sqrt", run: math::unary },
    Builtin { name: "stddevpop", run: aggregate::run },
    Builtin { name: "stddevsamp", run: aggregate::run },
    Builtin { name: "sum", run: aggregate::run },
    Builtin { name: "sumofsquares", run: aggregate::run },
    Builtin { name: "tan", run: math::unary },
    Builtin { name: "time", run: time::run },
    Builtin { name: "trim", run: text::trim },
    Builtin { name: "truncate", run: math::to_places },
    Builtin { name: "varpop", run: aggregate::run },
    Builtin { name: "varsamp", run: aggregate::run },
    Builtin { name: "xmlxpath", run: json::xmlxpath },
];

pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.binary_search_by(|it| it.name.cmp(name)).ok().map(|idx| &BUILTINS[idx])
}

/// Does the function's value change with time alone (`now`, `date`, …)?
#[must_use]
pub fn is_time_function(name: &str) -> bool {
    TIME_FUNCTIONS.contains(&name)
}

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
        Val::Text(it) => uint_of_text(it),
        Val::Vector(_) | Val::Null | Val::Unknown(_) => None,
    };
    found.ok_or_else(|| "function argument is not a valid unsigned integer".to_owned())
}

/// `12`, `+12`, `"12"`, `12.00`.
fn uint_of_text(text: &str) -> Option<u64> {
    let text = number::trim_integer(text.trim_end_matches(['\n', '\r']));
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|it| it == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    number::parse_u64(whole)
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
    fn the_table_is_sorted() {
        assert!(BUILTINS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn texts_are_whole_numbers_without_suffix() {
        for (text, expected) in [
            ("12", Some(12)),
            ("+12 ", Some(12)),
            ("12.00", Some(12)),
            ("12.5", None),
            ("1m", None),
        ] {
            assert_eq!(uint_of(&Val::Text(text.into())).ok(), expected, "{text}");
        }
        assert_eq!(uint_of(&Val::Number(2.9)), Ok(2));
        assert!(uint_of(&Val::Number(-0.5)).is_err());
    }

    #[test]
    fn functions_refuse_arguments_in_the_words_of_zabbix() {
        let zone = jiff::tz::TimeZone::UTC;
        let env = Env::new(model::Time::ZERO, &zone);
        let number = Val::Number;
        let text = |it: &'static str| Val::Text(it.into());
        for (name, args, expected) in [
            ("log", vec![number(0.0)], "invalid argument for function"),
            ("sqrt", vec![number(-1.0)], "invalid argument for function"),
            ("mod", vec![number(5.0), number(0.0)], "invalid second argument for function"),
            ("round", vec![number(5.0), number(0.5)], "invalid second argument for function"),
            (
                "atan2",
                vec![number(0.0), number(0.0)],
                "undefined result for arguments (0,0) for function 'atan2'",
            ),
            ("ascii", vec![text("ä")], "invalid function argument"),
            ("char", vec![number(200.0)], "function argument \"200\" is out of allowed range"),
            ("mid", vec![text("ab"), number(3.0), number(1.0)], "invalid function second argument"),
            (
                "insert",
                vec![text("ab"), number(1.0), number(3.0), text("")],
                "invalid function third argument",
            ),
        ] {
            let builtin = BUILTINS.iter().find(|it| it.name == name).unwrap();
            let error = (builtin.run)(builtin.name, args, &env).unwrap_err();
            assert_eq!(error, expected, "{name}");
        }
    }
}
