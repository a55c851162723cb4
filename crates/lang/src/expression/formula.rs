//! The small evaluator for texts in which everything is substituted already: formulas of filters and
//! conditions, `{A} and ({B} or {C})`.
//!
//! Stricter than [`super::parse`]: one sign and one `not` before an operand, nesting at most 31.

use super::ast::Op;
use super::operators::known;
use formats::number;

const NESTING_MAX: usize = 32;
/// The text of an unknown operand, followed by a number.
const UNKNOWN_START: &str = "ZBX_UNKNOWN";
/// An operand whose value is not known.
pub(crate) const UNKNOWN: &str = "ZBX_UNKNOWN0";

/// The value of a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FormulaOutcome {
    /// A number.
    Number(f64),
    /// It depends on an unknown operand.
    Unknown,
}

impl FormulaOutcome {
    /// Is it a number other than 0?
    #[must_use]
    pub fn is_true(self) -> bool {
        matches!(self, Self::Number(it) if it != 0.0)
    }
}

/// Evaluates `text`. Numbers nearer than `epsilon` are equal.
///
/// # Errors
/// A sentence with the place.
pub fn evaluate(text: &str, epsilon: f64) -> Result<FormulaOutcome, String> {
    let mut parser = Parser { text, at: 0, depth: 0, epsilon };
    let value = parser.level(0)?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.error("unexpected token"));
    }
    match numeric(value)? {
        Some(it) => Ok(FormulaOutcome::Number(it)),
        None => Ok(FormulaOutcome::Unknown),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Val {
    Number(f64),
    Text(String),
    Unknown,
}

/// Binary operators by level, loosest first.
const LEVELS: [&[(&str, Op)]; 6] = [
    &[("or", Op::Or)],
    &[("and", Op::And)],
    &[("=", Op::Eq), ("<>", Op::Ne)],
    &[("<=", Op::Le), (">=", Op::Ge), ("<", Op::Lt), (">", Op::Gt)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("/", Op::Div)],
];

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    epsilon: f64,
}

impl Parser<'_> {
    fn level(&mut self, level: usize) -> Result<Val, String> {
        let Some(ops) = LEVELS.get(level) else { return self.not() };
        let mut left = self.level(level + 1)?;
        while let Some((op, len)) = self.operator(ops) {
            self.at += len;
            let right = self.level(level + 1)?;
            left = self.apply(op, left, right)?;
        }
        Ok(left)
    }

    /// The operator of this level at the present position.
    fn operator(&mut self, ops: &[(&str, Op)]) -> Option<(Op, usize)> {
        self.skip_space();
        let rest = self.rest();
        ops.iter().find_map(|(name, op)| {
            if !rest.starts_with(name) || (*op == Op::Lt && rest.starts_with("<>")) {
                return None;
            }
            if matches!(op, Op::And | Op::Or) {
                let before = self.at.checked_sub(1).and_then(|it| self.text.as_bytes().get(it));
                let after = rest.as_bytes().get(name.len());
                let is_separate = |it: Option<&u8>| it.is_none_or(|it| is_delimiter(*it));
                if !is_separate(before) || !is_separate(after) {
                    return None;
                }
            }
            Some((*op, name.len()))
        })
    }

    fn not(&mut self) -> Result<Val, String> {
        self.skip_space();
        let rest = self.rest().as_bytes();
        if rest.starts_with(b"not") && rest.get(3).is_some_and(|it| is_delimiter(*it)) {
            self.at += 3;
            let value = self.minus()?;
            return Ok(match numeric(value)? {
                Some(it) => Val::Number(f64::from(u8::from(it.abs() <= self.epsilon))),
                None => Val::Unknown,
            });
        }
        self.minus()
    }

    fn minus(&mut self) -> Result<Val, String> {
        self.skip_space();
        if self.rest().starts_with('-') {
            self.at += 1;
            let value = self.operand()?;
            return Ok(match numeric(value)? {
                Some(it) => Val::Number(-it),
                None => Val::Unknown,
            });
        }
        self.operand()
    }

    fn operand(&mut self) -> Result<Val, String> {
        self.skip_space();
        let rest = self.rest();
        match rest.as_bytes().first() {
            Some(b'(') => self.group(),
            Some(b'"') => self.string().map(Val::Text),
            Some(_) => match rest.strip_prefix(UNKNOWN_START) {
                Some(tail) => {
                    let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
                    let after = tail.as_bytes().get(digits);
                    if digits == 0 || !after.is_none_or(ends_number) {
                        return Err(self.error("expected numeric token"));
                    }
                    self.at += UNKNOWN_START.len() + digits;
                    Ok(Val::Unknown)
                }
                None => self.number(),
            },
            None => Err("Cannot evaluate expression: unexpected end of expression".to_owned()),
        }
    }

    fn group(&mut self) -> Result<Val, String> {
        self.depth += 1;
        if self.depth >= NESTING_MAX {
            return Err("Cannot evaluate expression: nesting level is too deep".to_owned());
        }
        self.at += 1;
        let value = self.level(0)?;
        self.skip_space();
        if !self.rest().starts_with(')') {
            return Err(self.error("expected closing parenthesis"));
        }
        self.at += 1;
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self) -> Result<Val, String> {
        let rest = self.rest();
        let mut len = number::decimal_len(rest.as_bytes());
        if len > 0
            && rest.as_bytes().get(len).is_some_and(|it| number::suffix_factor(*it).is_some())
        {
            len += 1;
        }
        let after = rest.as_bytes().get(len);
        let value = if after.is_none_or(ends_number) {
            rest.get(..len).and_then(number::parse_suffixed)
        } else {
            None
        };
        let value = value.ok_or_else(|| self.error("expected numeric token"))?;
        self.at += len;
        Ok(Val::Number(value))
    }

    /// A string; carriage returns do not count, as texts come with both kinds of line ends.
    fn string(&mut self) -> Result<String, String> {
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((pos, char)) = chars.next() {
            match char {
                '"' => {
                    self.at += pos + 1;
                    return Ok(out);
                }
                '\r' => {}
                '\\' => match chars.next() {
                    Some((_, it @ ('"' | '\\'))) => out.push(it),
                    _ => {
                        self.at += pos;
                        return Err(self.error("invalid escape sequence"));
                    }
                },
                _ => out.push(char),
            }
        }
        Err("Cannot evaluate expression: unterminated string".to_owned())
    }

    fn apply(&self, op: Op, left: Val, right: Val) -> Result<Val, String> {
        let is_equality = matches!(op, Op::Eq | Op::Ne);
        if is_equality && !matches!((&left, &right), (Val::Unknown, _) | (_, Val::Unknown)) {
            let numbers =
                numeric(left.clone()).ok().flatten().zip(numeric(right.clone()).ok().flatten());
            if numbers.is_none() {
                return Ok(Val::Number(f64::from(u8::from((left == right) == (op == Op::Eq)))));
            }
        }
        let (left, right) = (numeric(left)?, numeric(right)?);
        // A division by zero is an error, even with unknown operands.
        if op == Op::Div && right.is_some_and(|it| it.abs() <= self.epsilon) {
            return Err("Cannot evaluate expression: division by zero".to_owned());
        }
        match (left, right) {
            (Some(left), Some(right)) => known(op, left, right, self.epsilon)
                .map(Val::Number)
                .ok_or_else(|| "Cannot evaluate expression: result is out of range".to_owned()),
            (Some(it), None) | (None, Some(it)) => {
                let is_true = it.abs() > self.epsilon;
                Ok(match op {
                    Op::And if !is_true => Val::Number(0.0),
                    Op::Or if is_true => Val::Number(1.0),
                    _ => Val::Unknown,
                })
            }
            (None, None) => Ok(Val::Unknown),
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_space(&mut self) {
        while self.text.as_bytes().get(self.at).is_some_and(|it| is_space(*it)) {
            self.at += 1;
        }
    }

    fn error(&self, what: &str) -> String {
        format!("Cannot evaluate expression: {what} at \"{}\"", self.rest())
    }
}

/// May it follow a number?
fn ends_number(byte: &u8) -> bool {
    !byte.is_ascii_alphanumeric() && *byte != b'.'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_delimiter(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'(' | b')')
}

/// The number of a value; `None`: unknown.
fn numeric(value: Val) -> Result<Option<f64>, String> {
    match value {
        Val::Number(it) => Ok(Some(it)),
        Val::Unknown => Ok(None),
        Val::Text(it) => number::parse_suffixed(&it).map(Some).ok_or_else(|| {
            format!("Cannot evaluate expression: value \"{it}\" is not a numeric operand")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_operand_excuses_no_division_by_zero() {
        let eval = |text| evaluate(text, number::EPSILON);
        assert_eq!(eval("0 * ZBX_UNKNOWN0"), Ok(FormulaOutcome::Unknown));
        assert_eq!(eval("0 / ZBX_UNKNOWN0"), Ok(FormulaOutcome::Unknown));
        assert_eq!(eval("(ZBX_UNKNOWN0 <> 1) or 1"), Ok(FormulaOutcome::Number(1.0)));
        for text in
            ["ZBX_UNKNOWN0 / 0", "ZBX_UNKNOWN", "ZBX_UNKNOWN0x", "ZBX_UNKNOWN0 ZBX_UNKNOWN1"]
        {
            assert!(eval(text).is_err(), "{text}");
        }
    }
}
