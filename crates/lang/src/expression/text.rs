//! Writing expressions: strings quoted and escaped, constants, macros replaced.

use super::ast::{Ast, Node, NodeKind};
use formats::number;

/// `value` as a string of an expression: in quotes, quotes and backslashes escaped.
#[must_use]
pub fn quote_string(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for char in value.chars() {
        if matches!(char, '"' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
    out.push('"');
    out
}

/// The value of a string as written, with its quotes.
#[must_use]
pub fn unquote_string(written: &str) -> String {
    let inner = written.strip_prefix('"').unwrap_or(written);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        out.push(if char == '\\' { chars.next().unwrap_or('\\') } else { char });
    }
    out
}

/// The text of `ast` with nodes replaced: a value from `replace` is written bare if it is a number (with or
/// without suffix) or a macro or the result of a function, else as a quoted string.
#[must_use]
pub fn substitute(ast: &Ast, replace: &mut dyn FnMut(&Ast, &Node) -> Option<String>) -> String {
    let mut values: Vec<(usize, usize, String)> = Vec::new();
    for node in ast.nodes() {
        if let Some(value) = replace(ast, node) {
            let range = node.range();
            values.push((range.start, range.end, written(node, value)));
        }
    }
    values.sort_unstable_by_key(|it| it.0);
    let mut out = String::with_capacity(ast.text().len());
    let mut done = 0;
    for (start, end, value) in values {
        out.push_str(ast.slice(done..start));
        out.push_str(&value);
        done = end;
    }
    out.push_str(ast.slice(done..ast.text().len()));
    out
}

fn written(node: &Node, value: String) -> String {
    let is_operand =
        matches!(node.kind, NodeKind::UserMacro | NodeKind::LldMacro | NodeKind::Macro);
    match node.kind {
        NodeKind::String => quote_string(&value),
        _ if is_operand && number::parse_suffixed(&value).is_none() && !is_macro(&value) => {
            quote_string(&value)
        }
        _ => value,
    }
}

/// Operands are ordered from left to right, and so are their constants.
fn joined<'a>(mut left: Vec<&'a Node>, right: Vec<&'a Node>) -> Vec<&'a Node> {
    left.extend(right);
    left
}

fn is_macro(value: &str) -> bool {
    crate::macros::token_at(value, crate::macros::Search::BASIC)
        .is_some_and(|it| it.span.end == value.len())
}

/// The constants of a stored expression from left to right: `$1`..`$9` of trigger names, without arguments of
/// functions. A number after a unary minus has its sign; strings are unquoted.
#[must_use]
pub fn constants(ast: &Ast) -> Vec<String> {
    // Constants of each value on the stack: a function takes those of its arguments away.
    let mut stack: Vec<Vec<&Node>> = Vec::new();
    for node in ast.nodes() {
        let n_taken = match node.kind {
            NodeKind::Op(op) => 1 + usize::from(!op.is_unary()),
            NodeKind::Call | NodeKind::HistoryCall => {
                usize::try_from(node.n_args).unwrap_or(usize::MAX)
            }
            _ => 0,
        };
        let taken = stack.split_off(stack.len().saturating_sub(n_taken));
        stack.push(match node.kind {
            NodeKind::Op(_) => taken.into_iter().reduce(joined).unwrap_or_default(),
            NodeKind::Number | NodeKind::String | NodeKind::UserMacro => vec![node],
            _ => Vec::new(),
        });
    }
    stack
        .into_iter()
        .flatten()
        .map(|it| match it.kind {
            NodeKind::String => unquote_string(ast.node_text(it)),
            _ => ast.node_text(it).to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::parse_stored;

    #[test]
    fn constants_of_functions_do_not_count() {
        let found = |text: &str| constants(&parse_stored(text).unwrap().ast);
        assert_eq!(found("1 + min(2, (3 - 4)) - 5"), ["1", "5"]);
        assert_eq!(found("min({1},2)>3 and length(\"a\")=\"b\""), ["3", "b"]);
        assert_eq!(found("{1}>(2+3)*4"), ["2", "3", "4"]);
    }
}
