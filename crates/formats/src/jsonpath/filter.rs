//! Filters `?(…)`: parsed to postfix order, evaluated on a stack.

use super::PathError;
use super::parse::{Matcher, Parser, Segment, is_definite};
use super::query;
use crate::json::{ByValue, Doc, NodeId};
use crate::number;
use crate::regexp::Regexp;

/// Parentheses and operators that may be open at one point.
const NESTING_MAX: usize = 256;

/// A filter in postfix order.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    tokens: Vec<Token>,
    equality: Option<Equality>,
}

/// `@.name == "constant"`, without which the filter does not hold.
#[derive(Debug, Clone, PartialEq)]
struct Equality {
    path: Vec<Segment>,
    /// The path again, to know it by.
    path_text: String,
    value: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64, String),
    Text(String),
    /// A definite path from the document (`$`) or the element (`@`).
    Path {
        from_root: bool,
        segments: Vec<Segment>,
    },
    Regexp(Result<Regexp, String>),
    Op(Op),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Not,
    Mul,
    Div,
    Add,
    Sub,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Match,
    And,
    Or,
}

impl Op {
    fn priority(self) -> u8 {
        match self {
            Self::Not => 1,
            Self::Mul | Self::Div => 2,
            Self::Add | Self::Sub => 3,
            Self::Lt | Self::Le | Self::Gt | Self::Ge => 4,
            Self::Eq | Self::Ne | Self::Match => 5,
            Self::And => 6,
            Self::Or => 7,
        }
    }
}

enum Open {
    Op(Op),
    Group,
}

/// Parses from behind `?(` to behind the closing parenthesis.
pub(super) fn parse_filter(parser: &mut Parser<'_>) -> Result<Filter, PathError> {
    let mut tokens = Vec::new();
    let mut open: Vec<Open> = vec![Open::Group];
    let mut wants_value = true;
    loop {
        parser.skip_space();
        if open.len() > NESTING_MAX {
            return Err(parser.error());
        }
        let Some(byte) = parser.peek() else { return Err(parser.error()) };
        if wants_value {
            match byte {
                b'(' => {
                    open.push(Open::Group);
                    parser.at += 1;
                }
                b'!' => {
                    open.push(Open::Op(Op::Not));
                    parser.at += 1;
                }
                _ => {
                    let token = value(parser, byte)?;
                    tokens.push(token);
                    wants_value = false;
                }
            }
            continue;
        }
        if byte == b')' {
            parser.at += 1;
            loop {
                match open.pop() {
                    Some(Open::Op(op)) => tokens.push(Token::Op(op)),
                    Some(Open::Group) => break,
                    None => return Err(parser.error()),
                }
            }
            if open.is_empty() {
                return Ok(Filter { equality: equality(&tokens), tokens: with_regexps(tokens) });
            }
            continue;
        }
        let (op, len) = operator(parser.rest()).ok_or_else(|| parser.error())?;
        while let Some(Open::Op(waiting)) = open.last() {
            if waiting.priority() > op.priority() {
                break;
            }
            tokens.push(Token::Op(*waiting));
            open.pop();
        }
        open.push(Open::Op(op));
        parser.at += len;
        wants_value = true;
    }
}

fn operator(rest: &str) -> Option<(Op, usize)> {
    const OPS: &[(&str, Op)] = &[
        ("&&", Op::And),
        ("||", Op::Or),
        ("==", Op::Eq),
        ("!=", Op::Ne),
        ("=~", Op::Match),
        ("<=", Op::Le),
        (">=", Op::Ge),
        ("<", Op::Lt),
        (">", Op::Gt),
        ("+", Op::Add),
        ("-", Op::Sub),
        ("*", Op::Mul),
        ("/", Op::Div),
    ];
    OPS.iter().find(|(text, _)| rest.starts_with(text)).map(|(text, op)| (*op, text.len()))
}

fn value(parser: &mut Parser<'_>, byte: u8) -> Result<Token, PathError> {
    match byte {
        b'"' | b'\'' => Ok(Token::Text(parser.quoted()?)),
        b'$' | b'@' => {
            let start = parser.at;
            parser.at += 1;
            let segments = parser.segments(true)?;
            if !is_definite(&segments) {
                return Err(parser.error());
            }
            // A path leads somewhere, and to a value: neither a mere `@` nor `@.x.length()`.
            if segments.last().is_none_or(|it| matches!(it.matcher, Matcher::Func(_))) {
                parser.at = start;
                return Err(parser.error());
            }
            Ok(Token::Path { from_root: byte == b'$', segments })
        }
        _ => {
            let rest = parser.rest();
            let sign = usize::from(byte == b'-');
            let len = number::decimal_len(&rest.as_bytes()[sign..]);
            let text = rest.get(..sign + len).unwrap_or("");
            let number = number::parse_f64(text).ok_or_else(|| parser.error())?;
            parser.at += sign + len;
            Ok(Token::Number(number, text.to_owned()))
        }
    }
}

/// The equality that a filter begins with, if the whole filter is comparisons joined by `&&`.
fn equality(tokens: &[Token]) -> Option<Equality> {
    let (first, others) = tokens.split_at_checked(3)?;
    let ([Token::Path { from_root: false, segments: path }, constant, Token::Op(Op::Eq)]
    | [constant, Token::Path { from_root: false, segments: path }, Token::Op(Op::Eq)]) = first
    else {
        return None;
    };
    let mut depth = 1_usize;
    for token in others {
        match token {
            Token::Op(Op::And) => depth = depth.checked_sub(1)?,
            // Comparisons among themselves, not with the result of the first.
            Token::Op(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge) if depth > 2 => {
                depth -= 1;
            }
            Token::Number(..) | Token::Text(_) | Token::Path { .. } => depth += 1,
            _ => return None,
        }
    }
    let (Token::Text(constant) | Token::Number(_, constant)) = constant else { return None };
    let value = index_key(constant)?;
    Some(Equality { path: path.clone(), path_text: format!("{path:?}"), value })
}

/// Texts that are equal to each other have the same key. `None`: small numbers, which are equal to
/// their neighbours.
fn index_key(text: &str) -> Option<String> {
    match number::parse_f64(text) {
        Some(it) if it.abs() < 2.0 => None,
        Some(it) => Some(format!("\0{:x}", it.to_bits())),
        None => Some(text.to_owned()),
    }
}

/// Constant patterns are compiled once.
fn with_regexps(mut tokens: Vec<Token>) -> Vec<Token> {
    for idx in 1..tokens.len() {
        if tokens[idx] == Token::Op(Op::Match)
            && let Token::Text(pattern) = &tokens[idx - 1]
        {
            tokens[idx - 1] = Token::Regexp(Regexp::new(pattern).map_err(|it| it.to_string()));
        }
    }
    tokens
}

#[derive(Debug, Clone)]
enum Val {
    None,
    Number(f64),
    Text(String),
    Regexp(Result<Regexp, String>),
}

impl Filter {
    /// The elements of an array among which are all that match, if an index tells.
    pub(super) fn candidates(
        &self,
        doc: &Doc<'_>,
        array: NodeId,
    ) -> Result<Option<Vec<NodeId>>, PathError> {
        let Some(Equality { path, path_text, value }) = &self.equality else { return Ok(None) };
        doc.elements_by_value(array, path_text, value, || {
            let mut by_value = ByValue::default();
            for element in doc.children(array) {
                let text = query::definite(doc, element, path)?;
                if let Some(key) = text.as_deref().and_then(index_key) {
                    by_value.entry(key).or_default().push(element);
                }
            }
            Ok(by_value)
        })
    }

    /// Does the element match?
    pub(super) fn matches(&self, doc: &Doc<'_>, element: NodeId) -> Result<bool, PathError> {
        let mut stack: Vec<Val> = Vec::with_capacity(4);
        for token in &self.tokens {
            let value = match token {
                Token::Number(it, _) => Val::Number(*it),
                Token::Text(it) => Val::Text(it.clone()),
                Token::Regexp(it) => Val::Regexp(it.clone()),
                Token::Path { from_root, segments } => {
                    let from = if *from_root { doc.root() } else { element };
                    query::definite(doc, from, segments)?.map_or(Val::None, Val::Text)
                }
                Token::Op(Op::Not) => {
                    let value = stack.pop().unwrap_or(Val::None);
                    Val::Number(f64::from(u8::from(!truth(&value))))
                }
                Token::Op(op) => {
                    let right = stack.pop().unwrap_or(Val::None);
                    let left = stack.pop().unwrap_or(Val::None);
                    binary(*op, &left, right)?
                }
            };
            stack.push(value);
        }
        Ok(stack.pop().as_ref().is_some_and(truth))
    }
}

fn truth(value: &Val) -> bool {
    match value {
        Val::None | Val::Regexp(_) => false,
        Val::Number(it) => it.abs() > number::EPSILON,
        Val::Text(it) => !it.is_empty(),
    }
}

fn number_of(value: &Val) -> Option<f64> {
    match value {
        Val::Number(it) => Some(*it),
        Val::Text(it) => number::parse_f64(it),
        Val::None | Val::Regexp(_) => None,
    }
}

fn text_of(value: &Val) -> String {
    match value {
        Val::Number(it) => number::format_f64(*it),
        Val::Text(it) => it.clone(),
        Val::None | Val::Regexp(_) => String::new(),
    }
}

fn binary(op: Op, left: &Val, right: Val) -> Result<Val, PathError> {
    let bool_value = |it| Ok(Val::Number(f64::from(u8::from(it))));
    match op {
        Op::And => return bool_value(truth(left) && truth(&right)),
        Op::Or => return bool_value(truth(left) || truth(&right)),
        _ => {}
    }
    // What is not there equals nothing and makes every calculation void.
    if matches!(left, Val::None) || matches!(right, Val::None) {
        return Ok(Val::None);
    }
    if op == Op::Match {
        return matches(left, right);
    }
    let numbers = number_of(left).zip(number_of(&right));
    if matches!(op, Op::Mul | Op::Div | Op::Add | Op::Sub) {
        let Some((left, right)) = numbers else {
            return Err(PathError::Filter("operand is not a numeric value".to_owned()));
        };
        return match op {
            Op::Mul => Ok(Val::Number(left * right)),
            Op::Add => Ok(Val::Number(left + right)),
            Op::Sub => Ok(Val::Number(left - right)),
            _ if right.abs() <= number::EPSILON => {
                Err(PathError::Filter("division by zero".to_owned()))
            }
            _ => Ok(Val::Number(left / right)),
        };
    }
    let order = match numbers {
        Some((left, right)) if number::same(left, right) => std::cmp::Ordering::Equal,
        Some((left, right)) => left.total_cmp(&right),
        None => text_of(left).cmp(&text_of(&right)),
    };
    bool_value(match op {
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        Op::Ge => order.is_ge(),
        Op::Ne => order.is_ne(),
        _ => order.is_eq(),
    })
}

fn matches(left: &Val, right: Val) -> Result<Val, PathError> {
    let regexp = match right {
        Val::Regexp(it) => it.map_err(PathError::Filter)?,
        other => Regexp::new(&text_of(&other)).map_err(|it| PathError::Filter(it.to_string()))?,
    };
    let found = regexp.is_match(&text_of(left)).map_err(|it| PathError::Filter(it.to_string()))?;
    Ok(Val::Number(f64::from(u8::from(found))))
}
