//! Filters `?(…)`, evaluated on a stack.

use super::ast::{Equality, Filter, Op, Token, index_key};
use super::query;
use super::result::PathError;
use crate::json::{ByValue, Doc, NodeId};
use crate::number;
use crate::regexp::Regexp;

#[derive(Debug, Clone)]
enum Val {
    None,
    Number(f64),
    Text(String),
    Regexp(Result<Regexp, String>),
}

impl Filter {
    /// The elements of an array that may match, if an index has them.
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
    // A missing value equals nothing and makes every calculation void.
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
