//! Functions over values: one file a family, one line a function.
//!
//! A function gets its arguments by value, checks their number and kind, and answers a value or a
//! sentence. Unknown arguments never reach it: the result is unknown then.

mod aggregate;
mod args;
mod bits;
mod histogram;
mod json;
mod math;
mod text;
mod time;

pub(super) use aggregate::is_about_values;
pub(crate) use histogram::bucket_quantile;
pub use time::is_time_function;

use super::value::{Env, Val};

pub(super) type Run = for<'v> fn(&'static str, Vec<Val<'v>>, &Env<'_>) -> Result<Val<'v>, String>;

/// A function of the table.
#[derive(Clone, Copy)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    /// Fewest and most arguments.
    args: (u32, u32),
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

/// As many arguments as one likes.
const MANY: u32 = u32::MAX;

impl Builtin {
    /// Whether the function takes this number of arguments. Functions over values check theirs again when
    /// they run: foreach functions give many at once.
    pub(super) fn takes(&self, n_args: u32) -> bool {
        // The second form of this one has pairs after its first three.
        let is_odd_form = self.name == "histogram_quantile"
            && n_args != 2
            && (n_args < 5 || n_args.is_multiple_of(2));
        (self.args.0..=self.args.1).contains(&n_args) && !is_odd_form
    }
}

/// All functions, sorted by name.
static BUILTINS: &[Builtin] = &[
    Builtin { name: "abs", args: (1, 1), run: math::unary },
    Builtin { name: "acos", args: (1, 1), run: math::unary },
    Builtin { name: "ascii", args: (1, 1), run: text::ascii },
    Builtin { name: "asin", args: (1, 1), run: math::unary },
    Builtin { name: "atan", args: (1, 1), run: math::unary },
    Builtin { name: "atan2", args: (2, 2), run: math::binary },
    Builtin { name: "avg", args: (1, MANY), run: aggregate::over_arguments },
    Builtin { name: "between", args: (3, 3), run: aggregate::between },
    Builtin { name: "bitand", args: (2, 2), run: bits::binary },
    Builtin { name: "bitlength", args: (1, 1), run: text::bit_length },
    Builtin { name: "bitlshift", args: (2, 2), run: bits::binary },
    Builtin { name: "bitnot", args: (1, 1), run: bits::not },
    Builtin { name: "bitor", args: (2, 2), run: bits::binary },
    Builtin { name: "bitrshift", args: (2, 2), run: bits::binary },
    Builtin { name: "bitxor", args: (2, 2), run: bits::binary },
    Builtin { name: "bucket_percentile", args: (0, MANY), run: histogram::percentile },
    Builtin { name: "bytelength", args: (1, 1), run: text::byte_length },
    Builtin { name: "cbrt", args: (1, 1), run: math::unary },
    Builtin { name: "ceil", args: (1, 1), run: math::unary },
    Builtin { name: "char", args: (1, 1), run: text::char },
    Builtin { name: "concat", args: (2, MANY), run: text::concat },
    Builtin { name: "cos", args: (1, 1), run: math::unary },
    Builtin { name: "cosh", args: (1, 1), run: math::unary },
    Builtin { name: "cot", args: (1, 1), run: math::unary },
    Builtin { name: "count", args: (1, 3), run: aggregate::count },
    Builtin { name: "date", args: (0, 0), run: time::run },
    Builtin { name: "dayofmonth", args: (0, 0), run: time::run },
    Builtin { name: "dayofweek", args: (0, 0), run: time::run },
    Builtin { name: "degrees", args: (1, 1), run: math::unary },
    Builtin { name: "e", args: (0, 0), run: math::constant },
    Builtin { name: "exp", args: (1, 1), run: math::unary },
    Builtin { name: "expm1", args: (1, 1), run: math::unary },
    Builtin { name: "floor", args: (1, 1), run: math::unary },
    Builtin { name: "histogram_quantile", args: (2, MANY), run: histogram::quantile },
    Builtin { name: "in", args: (2, MANY), run: aggregate::is_in },
    Builtin { name: "insert", args: (4, 4), run: text::insert },
    Builtin { name: "jsonpath", args: (2, 3), run: json::jsonpath },
    Builtin { name: "kurtosis", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "left", args: (2, 2), run: text::left },
    Builtin { name: "length", args: (1, 1), run: text::length },
    Builtin { name: "log", args: (1, 1), run: math::unary },
    Builtin { name: "log10", args: (1, 1), run: math::unary },
    Builtin { name: "ltrim", args: (1, 2), run: text::trim },
    Builtin { name: "mad", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "max", args: (1, MANY), run: aggregate::over_arguments },
    Builtin { name: "mid", args: (3, 3), run: text::mid },
    Builtin { name: "min", args: (1, MANY), run: aggregate::over_arguments },
    Builtin { name: "mod", args: (2, 2), run: math::binary },
    Builtin { name: "now", args: (0, 0), run: time::run },
    Builtin { name: "pi", args: (0, 0), run: math::constant },
    Builtin { name: "power", args: (2, 2), run: math::binary },
    Builtin { name: "radians", args: (1, 1), run: math::unary },
    Builtin { name: "rand", args: (0, 0), run: math::constant },
    Builtin { name: "repeat", args: (2, 2), run: text::repeat },
    Builtin { name: "replace", args: (3, 3), run: text::replace },
    Builtin { name: "right", args: (2, 2), run: text::right },
    Builtin { name: "round", args: (2, 2), run: math::to_places },
    Builtin { name: "rtrim", args: (1, 2), run: text::trim },
    Builtin { name: "signum", args: (1, 1), run: math::unary },
    Builtin { name: "sin", args: (1, 1), run: math::unary },
    Builtin { name: "sinh", args: (1, 1), run: math::unary },
    Builtin { name: "skewness", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "sqrt", args: (1, 1), run: math::unary },
    Builtin { name: "stddevpop", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "stddevsamp", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "sum", args: (1, MANY), run: aggregate::over_arguments },
    Builtin { name: "sumofsquares", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "tan", args: (1, 1), run: math::unary },
    Builtin { name: "time", args: (0, 0), run: time::run },
    Builtin { name: "trim", args: (1, 2), run: text::trim },
    Builtin { name: "truncate", args: (2, 2), run: math::to_places },
    Builtin { name: "varpop", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "varsamp", args: (1, MANY), run: aggregate::over_vector },
    Builtin { name: "xmlxpath", args: (2, 3), run: json::xmlxpath },
];

pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.binary_search_by(|it| it.name.cmp(name)).ok().map(|idx| &BUILTINS[idx])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::value::Value;

    #[test]
    fn the_table_is_sorted() {
        assert!(BUILTINS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn functions_refuse_arguments_in_the_words_of_zabbix() {
        let zone = jiff::tz::TimeZone::UTC;
        let env = Env::new(model::Time::ZERO, &zone);
        let number = Val::Number;
        let text = |it: &'static str| Val::Text(it.into());
        let [words, sizes] = ["up", "1K"].map(|it| [Value::Text(it.to_owned())]);
        let same = [Value::Number(2.0), Value::Number(2.0)];
        // Sums take the suffixes of texts, statistics do not.
        let sum = aggregate::over_arguments("sum", vec![Val::Vector(&sizes)], &env);
        assert!(matches!(sum, Ok(Val::Number(it)) if it.to_bits() == 1_024_f64.to_bits()));
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
            ("sum", vec![Val::Vector(&[])], "no input data for function"),
            ("avg", vec![Val::Vector(&[])], "no input data for function"),
            ("min", vec![Val::Vector(&[])], "no input data for function"),
            ("max", vec![Val::Vector(&[])], "no input data for function"),
            ("max", vec![Val::Vector(&[]), number(1.0)], "too many arguments for function"),
            ("sum", vec![Val::Vector(&words)], "input data is not numeric"),
            ("sum", vec![text("x")], "function argument \"x\" is not a numeric value"),
            ("kurtosis", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("mad", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("skewness", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("stddevpop", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("stddevsamp", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("sumofsquares", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("varpop", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("varsamp", vec![Val::Vector(&[])], "empty vector argument for function"),
            ("varpop", vec![Val::Vector(&words)], "input data is not numeric"),
            ("varpop", vec![Val::Vector(&sizes)], "input data is not numeric"),
            ("varsamp", vec![Val::Vector(&[Value::Number(1.0)])], "not enough data"),
            ("kurtosis", vec![Val::Vector(&same)], "cannot calculate kurtosis() value"),
            ("skewness", vec![Val::Vector(&same)], "cannot calculate skewness() value"),
            ("mad", vec![number(1.0)], "invalid argument type \"double\" for function"),
            ("mad", vec![Val::UInt(1)], "invalid argument type \"uint64\" for function"),
            ("mad", vec![text("x")], "invalid argument type \"string\" for function"),
            ("mad", vec![number(1.0), number(2.0)], "invalid number of arguments for function"),
            ("count", vec![number(1.0)], "invalid type of argument for function"),
        ] {
            let builtin = BUILTINS.iter().find(|it| it.name == name).unwrap();
            let error = (builtin.run)(builtin.name, args, &env).unwrap_err();
            assert_eq!(error, expected, "{name}");
        }
    }
}
