//! Operators and patterns of `count` and `find`: `"gt",5`, `"like","error"`, `"bitand","6/7"`.

use std::borrow::Cow;
use std::cmp::Ordering;

use model::content::GlobalRegexp;

use crate::global_regexp::TextPattern;
use formats::number;

/// The comparison of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Contains.
    Like,
    /// Bits.
    BitAnd,
    /// Matches.
    Regexp,
    /// Matches in either case.
    IRegexp,
}

impl Operator {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "gt" => Self::Gt,
            "ge" => Self::Ge,
            "lt" => Self::Lt,
            "le" => Self::Le,
            "like" => Self::Like,
            "bitand" => Self::BitAnd,
            "regexp" => Self::Regexp,
            "iregexp" => Self::IRegexp,
            _ => return None,
        })
    }
}

/// Is it an operator, or empty for the usual one?
pub(super) fn is_operator(text: &str) -> bool {
    text.is_empty() || Operator::parse(text).is_some()
}

/// The kind of values that a pattern is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Floating point numbers, or numbers of either kind.
    Numbers,
    /// Whole numbers: patterns that are compared as numbers have to be whole as well.
    Whole,
    /// Texts.
    Texts,
}

#[derive(Debug, Clone)]
enum Pattern {
    Any,
    Text(String),
    Number(f64),
    Bits { expected: u64, mask: u64 },
    Regexp(TextPattern),
}

/// A compiled operator with its pattern.
#[derive(Debug, Clone)]
pub struct Matcher {
    operator: Operator,
    pattern: Pattern,
    /// The pattern as a whole number, if it is one: these are compared in full.
    whole: Option<u64>,
    epsilon: f64,
}

impl Matcher {
    /// Compiles. An empty `operator` means `eq` for numbers and `like` for texts. Without a pattern (`None`
    /// or empty) and operator everything matches, as with an operator that searches the pattern in the value.
    /// A pattern may name one of `regexps`.
    ///
    /// # Errors
    /// A sentence about what does not fit.
    pub fn new(
        operator: &str,
        pattern: Option<&str>,
        values: Values,
        regexps: &[GlobalRegexp],
    ) -> Result<Self, String> {
        let parsed = match operator {
            "" if values == Values::Texts => Operator::Like,
            "" => Operator::Eq,
            operator => Operator::parse(operator).ok_or_else(|| {
                format!("operator \"{operator}\" is not supported for function COUNT")
            })?,
        };
        let text = pattern.unwrap_or("");
        if operator.is_empty() && text.is_empty() {
            return Ok(Self {
                operator: parsed,
                pattern: Pattern::Any,
                whole: None,
                epsilon: number::EPSILON,
            });
        }
        let pattern = compile(parsed, text, values, regexps).map_err(|it| match it {
            Refused::Operator => {
                let what = if values == Values::Texts { "textual" } else { "numeric" };
                format!("operator \"{operator}\" is not supported for counting {what} values")
            }
            Refused::Pattern(why) => why,
        })?;
        let whole = number::parse_u64_suffixed(text);
        Ok(Self { operator: parsed, pattern, whole, epsilon: number::EPSILON })
    }

    /// With another tolerance for equal numbers.
    #[must_use]
    pub fn with_epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// With this tolerance, which is nearly always the usual one.
    pub(super) fn at_epsilon(&self, epsilon: f64) -> Cow<'_, Self> {
        if self.epsilon.to_bits() == epsilon.to_bits() {
            Cow::Borrowed(self)
        } else {
            Cow::Owned(self.clone().with_epsilon(epsilon))
        }
    }

    /// Does every value match?
    #[must_use]
    pub fn is_any(&self) -> bool {
        matches!(self.pattern, Pattern::Any)
    }

    /// Is it a regular expression, which sees every value as text?
    pub(super) fn is_regexp(&self) -> bool {
        matches!(self.pattern, Pattern::Regexp(_))
    }

    /// Are bits of whole numbers compared?
    #[must_use]
    pub fn counts_bits(&self) -> bool {
        matches!(self.pattern, Pattern::Bits { .. })
    }

    /// Are values compared as numbers?
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        matches!(self.pattern, Pattern::Number(_) | Pattern::Bits { .. })
    }

    /// Does a number match?
    ///
    /// # Errors
    /// If a regular expression was too expensive.
    pub fn number(&self, value: f64) -> Result<bool, String> {
        match &self.pattern {
            Pattern::Any => Ok(true),
            Pattern::Number(expected) => Ok(self.compare(value, *expected)),
            Pattern::Bits { expected, mask } => {
                Ok(number::f64_to_u64(value).is_some_and(|it| it & mask == *expected))
            }
            // As Zabbix shows floating point numbers to patterns.
            Pattern::Text(_) | Pattern::Regexp(_) => self.text(&format!("{value:.4}")),
        }
    }

    /// Does a whole number match?
    ///
    /// # Errors
    /// If a regular expression was too expensive.
    pub fn uint(&self, value: u64) -> Result<bool, String> {
        match &self.pattern {
            Pattern::Bits { expected, mask } => Ok(value & mask == *expected),
            Pattern::Text(_) | Pattern::Regexp(_) => self.text(&value.to_string()),
            Pattern::Any | Pattern::Number(_) => match self.whole {
                Some(expected) => Ok(self.is_any() || self.holds(value.cmp(&expected))),
                None => self.number(number::u64_to_f64(value)),
            },
        }
    }

    /// Does a text match?
    ///
    /// # Errors
    /// If a regular expression was too expensive.
    pub fn text(&self, value: &str) -> Result<bool, String> {
        match &self.pattern {
            Pattern::Any => Ok(true),
            Pattern::Text(expected) => Ok(match self.operator {
                Operator::Eq => value == expected,
                Operator::Ne => value != expected,
                _ => value.contains(expected.as_str()),
            }),
            Pattern::Regexp(regexp) => regexp.is_match(value).map_err(|it| it.to_string()),
            Pattern::Number(_) | Pattern::Bits { .. } => match number::parse_f64(value) {
                Some(it) => self.number(it),
                None => Ok(false),
            },
        }
    }

    fn holds(&self, order: Ordering) -> bool {
        match self.operator {
            Operator::Ne => order.is_ne(),
            Operator::Gt => order.is_gt(),
            Operator::Ge => order.is_ge(),
            Operator::Lt => order.is_lt(),
            Operator::Le => order.is_le(),
            _ => order.is_eq(),
        }
    }

    fn compare(&self, value: f64, expected: f64) -> bool {
        let epsilon = self.epsilon;
        match self.operator {
            Operator::Ne => (value - expected).abs() > epsilon,
            Operator::Gt => value - expected > epsilon,
            Operator::Ge => value - expected >= -epsilon,
            Operator::Lt => expected - value > epsilon,
            Operator::Le => expected - value >= -epsilon,
            _ => (value - expected).abs() <= epsilon,
        }
    }
}

/// Patterns and operators that do not apply to the values.
enum Refused {
    Operator,
    Pattern(String),
}

fn compile(
    operator: Operator,
    pattern: &str,
    values: Values,
    regexps: &[GlobalRegexp],
) -> Result<Pattern, Refused> {
    let unsigned =
        || Refused::Pattern(format!("\"{pattern}\" is not a valid numeric unsigned value"));
    let is_text = values == Values::Texts;
    match operator {
        Operator::Like if !is_text => Err(Refused::Operator),
        Operator::Regexp | Operator::IRegexp | Operator::Like if pattern.is_empty() => {
            Ok(Pattern::Any)
        }
        Operator::Regexp => TextPattern::new(pattern, regexps)
            .map(Pattern::Regexp)
            .map_err(|it| Refused::Pattern(it.to_string())),
        Operator::IRegexp => TextPattern::new_caseless(pattern, regexps)
            .map(Pattern::Regexp)
            .map_err(|it| Refused::Pattern(it.to_string())),
        Operator::Like => Ok(Pattern::Text(pattern.to_owned())),
        Operator::Eq | Operator::Ne if is_text => Ok(Pattern::Text(pattern.to_owned())),
        _ if is_text => Err(Refused::Operator),
        _ if pattern.is_empty() => Err(Refused::Pattern(
            "pattern must be provided along with operator for numeric values".to_owned(),
        )),
        Operator::BitAnd => bits(pattern).ok_or_else(unsigned),
        _ if values == Values::Whole && number::parse_u64_suffixed(pattern).is_none() => {
            Err(unsigned())
        }
        _ => number::parse_suffixed(pattern).map(Pattern::Number).ok_or_else(|| {
            Refused::Pattern(format!("\"{pattern}\" is not a valid numeric float value"))
        }),
    }
}

fn bits(pattern: &str) -> Option<Pattern> {
    let (expected, mask) = match pattern.split_once('/') {
        Some((expected, mask)) => (number::parse_u64(expected)?, number::parse_u64(mask)?),
        None => (number::parse_u64(pattern)?, number::parse_u64(pattern)?),
    };
    Some(Pattern::Bits { expected, mask })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_compared_in_full() {
        let matches = |operator, pattern, value| {
            Matcher::new(operator, Some(pattern), Values::Numbers, &[])
                .unwrap()
                .uint(value)
                .unwrap()
        };
        assert!(matches("eq", "18446744073709551615", u64::MAX));
        assert!(!matches("eq", "18446744073709551614", u64::MAX));
        assert!(matches("gt", "9007199254740992", 9_007_199_254_740_993));
        assert!(matches("le", "2K", 2_048) && !matches("lt", "2K", 2_048));
        assert!(matches("ge", "2.5", 3) && matches("ne", "-1", 1));
    }
    #[test]
    fn patterns_fit_the_kind_of_the_values() {
        use Values::{Numbers, Texts, Whole};
        let error = |operator, pattern, values| {
            Matcher::new(operator, Some(pattern), values, &[]).err().unwrap_or_default()
        };
        let unsigned = "is not a valid numeric unsigned value";
        for (operator, pattern, values, expected) in [
            ("gt", "2K", Whole, ""),
            ("gt", "2.5", Whole, unsigned),
            ("", "-1", Whole, unsigned),
            ("bitand", "6/x", Whole, unsigned),
            ("like", "2", Whole, "operator \"like\" is not supported for counting numeric values"),
            ("regexp", "2.5", Whole, ""),
            ("gt", "2.5", Numbers, ""),
            ("gt", "x", Numbers, "\"x\" is not a valid numeric float value"),
            ("gt", "", Numbers, "pattern must be provided along with operator"),
            ("", "", Numbers, ""),
            ("gt", "2", Texts, "operator \"gt\" is not supported for counting textual values"),
            ("bitand", "2", Texts, "\"bitand\" is not supported for counting textual values"),
            ("ne", "", Texts, ""),
        ] {
            let found = error(operator, pattern, values);
            assert!(found.contains(expected), "{operator} {pattern}: {found}");
            assert_eq!(found.is_empty(), expected.is_empty(), "{operator} {pattern}: {found}");
        }
    }
}
