//! Formulas over conditions: `A and (B or not C)`.

use std::fmt;

use thiserror::Error;

/// Parentheses and negations within each other.
const NESTING_MAX: usize = 31;

/// A parsed formula. `T` identifies a condition: its letters, or its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula<T> {
    Condition(T),
    Not(Box<Self>),
    /// One at least.
    And(Vec<Self>),
    /// One at least.
    Or(Vec<Self>),
}

/// A text is no formula.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("check expression starting from \"{rest}\"")]
pub struct FormulaError {
    /// From where on it is none.
    pub rest: String,
}

impl<T> Formula<T> {
    /// The value, where `value` gives that of each condition.
    pub fn eval(&self, value: &impl Fn(&T) -> bool) -> bool {
        match self {
            Self::Condition(it) => value(it),
            Self::Not(it) => !it.eval(value),
            Self::And(all) => all.iter().all(|it| it.eval(value)),
            Self::Or(any) => any.iter().any(|it| it.eval(value)),
        }
    }

    /// The same formula of other names.
    ///
    /// # Errors
    /// The first one of `name`.
    pub fn map<U, E>(&self, name: &impl Fn(&T) -> Result<U, E>) -> Result<Formula<U>, E> {
        let each = |list: &[Self]| list.iter().map(|it| it.map(name)).collect::<Result<_, E>>();
        Ok(match self {
            Self::Condition(it) => Formula::Condition(name(it)?),
            Self::Not(it) => Formula::Not(Box::new(it.map(name)?)),
            Self::And(all) => Formula::And(each(all)?),
            Self::Or(any) => Formula::Or(each(any)?),
        })
    }

    /// Calls for each condition, in the order in which they are written.
    pub fn each<'f>(&'f self, found: &mut impl FnMut(&'f T)) {
        match self {
            Self::Condition(it) => found(it),
            Self::Not(it) => it.each(found),
            Self::And(list) | Self::Or(list) => list.iter().for_each(|it| it.each(found)),
        }
    }
}

impl Formula<String> {
    /// Reads letters joined by `and`, `or` and `not`.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let formula = parser.or()?;
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.error());
        }
        Ok(formula)
    }
}

impl<T: fmt::Display> fmt::Display for Formula<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |list: &[Self], word: &str, f: &mut fmt::Formatter<'_>| {
            for (at, it) in list.iter().enumerate() {
                if at > 0 {
                    write!(f, " {word} ")?;
                }
                match it {
                    Self::And(inner) | Self::Or(inner) if inner.len() > 1 => write!(f, "({it})")?,
                    _ => write!(f, "{it}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Condition(it) => write!(f, "{it}"),
            Self::Not(it) if matches!(**it, Self::Condition(_)) => write!(f, "not {it}"),
            Self::Not(it) => write!(f, "not ({it})"),
            Self::And(all) => join(all, "and", f),
            Self::Or(any) => join(any, "or", f),
        }
    }
}

/// The letters of the condition at a position: A to Z, AA, AB and so on.
#[must_use]
pub fn letter(position: usize) -> String {
    let mut letters = Vec::new();
    let mut left = position;
    loop {
        let digit = u8::try_from(left % 26).unwrap_or_default();
        letters.push(char::from(b'A' + digit));
        match (left / 26).checked_sub(1) {
            Some(it) => left = it,
            None => break,
        }
    }
    letters.iter().rev().collect()
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn or(&mut self) -> Result<Formula<String>, FormulaError> {
        let mut list = vec![self.and()?];
        while self.word("or") {
            list.push(self.and()?);
        }
        Ok(one_or(list, Formula::Or))
    }

    fn and(&mut self) -> Result<Formula<String>, FormulaError> {
        let mut list = vec![self.operand()?];
        while self.word("and") {
            list.push(self.operand()?);
        }
        Ok(one_or(list, Formula::And))
    }

    fn operand(&mut self) -> Result<Formula<String>, FormulaError> {
        self.depth += 1;
        if NESTING_MAX < self.depth {
            return Err(self.error());
        }
        let formula = if self.word("not") {
            Formula::Not(Box::new(self.operand()?))
        } else if self.sign(b'(') {
            let inner = self.or()?;
            if !self.sign(b')') {
                return Err(self.error());
            }
            inner
        } else {
            Formula::Condition(self.letters()?)
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn letters(&mut self) -> Result<String, FormulaError> {
        self.skip_space();
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_uppercase).count();
        let is_delimited = rest.as_bytes().get(len).is_none_or(|it| is_delimiter(*it));
        match rest.get(..len) {
            Some(letters) if len > 0 && is_delimited => {
                let letters = letters.to_owned();
                self.at += len;
                Ok(letters)
            }
            _ => Err(self.error()),
        }
    }

    /// Whether a word stands here; it is passed then.
    fn word(&mut self, word: &str) -> bool {
        self.skip_space();
        let is_here = self
            .rest()
            .strip_prefix(word)
            .is_some_and(|after| after.as_bytes().first().is_none_or(|it| is_delimiter(*it)));
        if is_here {
            self.at += word.len();
        }
        is_here
    }

    fn sign(&mut self, sign: u8) -> bool {
        self.skip_space();
        let is_here = self.rest().as_bytes().first() == Some(&sign);
        self.at += usize::from(is_here);
        is_here
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let blank = self.rest().bytes().take_while(|it| is_space(*it)).count();
        self.at += blank;
    }

    fn error(&self) -> FormulaError {
        FormulaError { rest: self.rest().to_owned() }
    }
}

/// A list of one is that one.
fn one_or(
    mut list: Vec<Formula<String>>,
    join: fn(Vec<Formula<String>>) -> Formula<String>,
) -> Formula<String> {
    match list.len() {
        1 => list.swap_remove(0),
        _ => join(list),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_delimiter(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'(' | b')')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formulas_are_read_as_they_are_joined() {
        for (text, written) in [
            ("A", "A"),
            (" A and\tB ", "A and B"),
            ("A or B and C", "A or (B and C)"),
            ("(A or B)and(C)", "(A or B) and C"),
            ("not A and not (B or C)", "not A and not (B or C)"),
            ("not not A", "not (not A)"),
            ("AA or AB", "AA or AB"),
        ] {
            let read = Formula::parse(text).expect("a formula");
            assert_eq!(read.to_string(), written, "{text}");
        }
    }

    #[test]
    fn error_has_the_position_in_the_formula() {
        let deep = "(".repeat(40) + "A" + &")".repeat(40);
        for (text, rest) in [
            ("", ""),
            ("A and", ""),
            ("A B", "B"),
            ("A and b", "b"),
            ("(A or B", ""),
            ("A) or B", ") or B"),
            ("A andB", "andB"),
            ("A1 and B", "A1 and B"),
            ("and A", "and A"),
            ("A AND B", "AND B"),
        ] {
            let error = Formula::parse(text).expect_err("no formula");
            assert_eq!(error.rest, rest, "{text}");
        }
        assert!(Formula::parse(&deep).is_err());
    }

    #[test]
    fn positions_have_letters() {
        let names = [0, 1, 25, 26, 27, 51, 52, 701, 702].map(letter);
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]);
    }

    fn formulas() -> impl Strategy<Value = Formula<String>> {
        let leaf = (0_usize..6).prop_map(|it| Formula::Condition(letter(it)));
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|it| Formula::Not(Box::new(it))),
                prop::collection::vec(inner.clone(), 2..4).prop_map(Formula::And),
                prop::collection::vec(inner, 2..4).prop_map(Formula::Or),
            ]
        })
    }

    /// By another way than `eval`: De Morgan's, with nothing but `or` and `not`.
    fn value(formula: &Formula<String>, bits: u8) -> bool {
        match formula {
            Formula::Condition(it) => {
                let at = (0..6).find(|at| letter(*at) == *it).expect("one of six");
                bits & (1 << at) != 0
            }
            Formula::Not(it) => !value(it, bits),
            Formula::And(all) => !all.iter().any(|it| !value(it, bits)),
            Formula::Or(any) => any.iter().fold(false, |found, it| found | value(it, bits)),
        }
    }

    proptest! {
        #[test]
        fn written_formula_is_read_back(formula in formulas()) {
            let read = Formula::parse(&formula.to_string()).expect("a formula");
            for bits in 0..64_u8 {
                let by_letter = |it: &String| {
                    let at = (0..6).find(|at| letter(*at) == *it).expect("one of six");
                    bits & (1 << at) != 0
                };
                prop_assert_eq!(read.eval(&by_letter), value(&formula, bits));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[ABand orot()\u{e4}]{0,40}") {
            match Formula::parse(&text) {
                Ok(it) => {
                    let again = Formula::parse(&it.to_string());
                    prop_assert!(again.is_ok());
                }
                Err(error) => prop_assert!(text.ends_with(&error.rest)),
            }
        }
    }
}
