//! Patterns that may name a global regular expression: `^eth` or `@Network interfaces`.
//!
//! A global expression is allowed in each pattern that only has to match or not. Its own expressions decide
//! about case, not the place where it is used.

use std::sync::Arc;

use model::content::{GlobalRegexp, RegexpExpression, RegexpKind};
use thiserror::Error;

use formats::regexp::{Regexp, RegexpError};

/// Why a pattern can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatternError {
    /// There is no global expression of this name.
    #[error("global regular expression \"{0}\" does not exist")]
    Missing(String),
    /// A pattern, or one of a global expression, does not compile.
    #[error("invalid regular expression \"{pattern}\": {error}")]
    Invalid {
        /// The pattern.
        pattern: String,
        /// The error.
        error: RegexpError,
    },
}

/// A compiled pattern or global expression; cheap to share.
#[derive(Debug, Clone)]
pub enum TextPattern {
    /// A pattern as written.
    One(Regexp),
    /// The expressions of a global one: all have to hold.
    Global(Arc<[Test]>),
}

/// One compiled expression of a global one.
#[derive(Debug, Clone)]
pub struct Test {
    regexp: Regexp,
    is_negated: bool,
}

/// The name of the global expression that a pattern refers to.
#[must_use]
pub fn name_of(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('@')
}

impl TextPattern {
    /// Compiles a pattern, or `@name` of one of `known`.
    ///
    /// # Errors
    /// If it does not compile, or there is no such global expression.
    pub fn new(written: &str, known: &[GlobalRegexp]) -> Result<Self, PatternError> {
        Self::build(written, known, Regexp::new)
    }

    /// As [`Self::new`]; case does not matter to a pattern that is written out.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn new_caseless(written: &str, known: &[GlobalRegexp]) -> Result<Self, PatternError> {
        Self::build(written, known, Regexp::new_caseless)
    }

    fn build(
        written: &str,
        known: &[GlobalRegexp],
        compile: fn(&str) -> Result<Regexp, RegexpError>,
    ) -> Result<Self, PatternError> {
        let Some(name) = name_of(written) else {
            return compile(written).map(Self::One).map_err(|error| invalid(written, error));
        };
        let found = known.iter().find(|it| it.name == name);
        let found = found.ok_or_else(|| PatternError::Missing(name.to_owned()))?;
        let tests = found.expressions.iter().map(Test::new);
        Ok(Self::Global(tests.collect::<Result<_, _>>()?))
    }

    /// Does the text match?
    ///
    /// # Errors
    /// [`RegexpError::Match`] if a limit was hit.
    pub fn is_match(&self, text: &str) -> Result<bool, RegexpError> {
        match self {
            Self::One(regexp) => regexp.is_match(text),
            Self::Global(tests) => {
                for test in tests.iter() {
                    if !test.holds(text)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

impl Test {
    /// Compiles one expression.
    ///
    /// # Errors
    /// If it does not compile.
    pub fn new(of: &RegexpExpression) -> Result<Self, PatternError> {
        let pattern = match of.kind {
            RegexpKind::Included | RegexpKind::NotIncluded => escaped(&of.expression),
            RegexpKind::AnyIncluded => {
                let delimiter = if of.exp_delimiter.is_empty() { "," } else { &of.exp_delimiter };
                let texts: Vec<String> = of.expression.split(delimiter).map(escaped).collect();
                texts.join("|")
            }
            RegexpKind::True | RegexpKind::False => of.expression.clone(),
        };
        let compile = if of.case_sensitive { Regexp::new } else { Regexp::new_caseless };
        let regexp = compile(&pattern).map_err(|error| invalid(&of.expression, error))?;
        let is_negated = matches!(of.kind, RegexpKind::NotIncluded | RegexpKind::False);
        Ok(Self { regexp, is_negated })
    }

    /// Does the text fulfil it?
    ///
    /// # Errors
    /// [`RegexpError::Match`] if a limit was hit.
    pub fn holds(&self, text: &str) -> Result<bool, RegexpError> {
        Ok(self.regexp.is_match(text)? != self.is_negated)
    }
}

fn invalid(pattern: &str, error: RegexpError) -> PatternError {
    PatternError::Invalid { pattern: pattern.to_owned(), error }
}

/// The text with a backslash before all that could mean something else in a pattern.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if char.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(kind: RegexpKind, expression: &str, case_sensitive: bool) -> RegexpExpression {
        let expression = expression.to_owned();
        RegexpExpression { expression, kind, exp_delimiter: ",".to_owned(), case_sensitive }
    }

    #[test]
    fn each_kind_of_expression() {
        use RegexpKind::{AnyIncluded, False, Included, NotIncluded, True};
        for (kind, written, case_sensitive, text, expected) in [
            (Included, "a.b", false, "xA.Bx", true),
            (Included, "a.b", true, "xA.Bx", false),
            (Included, "a.b", false, "axb", false),
            (Included, "a b\tc\nd", true, "-a b\tc\nd-", true),
            (Included, "\u{fc}ber#1", false, "\u{dc}BER#1", true),
            (AnyIncluded, "ext4,x(fs", false, "line\nX(FS", true),
            (AnyIncluded, "ext4,xfs", false, "zfs", false),
            (NotIncluded, "tmp", false, "TMPFS", false),
            (NotIncluded, "tmp", true, "TMPFS", true),
            (True, "^/(dev|run)$", true, "/run", true),
            (True, "^/(dev|run)$", true, "/runs", false),
            (True, "a|b", true, "xb", true),
            (False, "^lo\\d*$", true, "lo0", false),
            (False, "^lo\\d*$", true, "eth0", true),
        ] {
            let test = Test::new(&expression(kind, written, case_sensitive)).unwrap();
            assert_eq!(test.holds(text), Ok(expected), "{kind:?} {written} {text}");
        }
        let dots = RegexpExpression {
            exp_delimiter: ".".to_owned(),
            ..expression(AnyIncluded, "a,b.c", true)
        };
        let test = Test::new(&dots).unwrap();
        assert_eq!((test.holds("a,b"), test.holds("a")), (Ok(true), Ok(false)));
    }

    fn known() -> [GlobalRegexp; 2] {
        let disks = vec![
            expression(RegexpKind::True, "^sd[a-z]+$", true),
            expression(RegexpKind::NotIncluded, "SDZ", false),
        ];
        let broken = vec![expression(RegexpKind::True, "(", true)];
        let named = |name: &str, expressions| GlobalRegexp {
            name: name.to_owned(),
            expressions,
            ..GlobalRegexp::default()
        };
        [named("disks", disks), named("broken", broken)]
    }

    #[test]
    fn all_expressions_must_match_by_their_own_case_rule() {
        for pattern in [
            TextPattern::new("@disks", &known()).unwrap(),
            TextPattern::new_caseless("@disks", &known()).unwrap(),
        ] {
            let matches = |text| pattern.is_match(text).unwrap();
            assert!(matches("sda") && !matches("SDA") && !matches("sdz") && !matches("nvme0"));
        }
    }

    #[test]
    fn patterns_that_are_written_out_are_their_own() {
        assert!(TextPattern::new("^a", &[]).unwrap().is_match("ab").unwrap());
        assert!(!TextPattern::new("^a", &[]).unwrap().is_match("AB").unwrap());
        assert!(TextPattern::new_caseless("^a", &[]).unwrap().is_match("AB").unwrap());
    }

    #[test]
    fn missing_and_wrong_expressions_are_named() {
        let missing = TextPattern::new("@Disks", &known()).unwrap_err();
        assert_eq!(missing.to_string(), "global regular expression \"Disks\" does not exist");
        let broken = TextPattern::new("@broken", &known()).unwrap_err();
        assert!(broken.to_string().starts_with("invalid regular expression \"(\": "), "{broken}");
    }
}
