//! Filters `?(…)`, parsed to postfix order.

use super::ast::{Equality, Filter, Matcher, Op, Token, index_key, is_definite};
use super::parse::Parser;
use super::result::PathError;
use crate::number;
use crate::regexp::Regexp;

/// The most parentheses and operators that may be open at one point. More are an error.
const NESTING_MAX: usize = 256;

enum Open {
    Op(Op),
    Group,
}

/// Parses from after `?(` to after the closing parenthesis.
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
        b'"' | b'\'' => Ok(Token::Text(parser.quoted(|_, _| true)?)),
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
