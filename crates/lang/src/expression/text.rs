//! Writing expressions: strings quoted and escaped, constants, macros replaced.

use super::ast::{Ast, Node, NodeKind};
use crate::number;

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

/// The text of `ast` with nodes replaced: a value from `replace` is written bare if it is a number
/// (with or without suffix) or a macro, else as a quoted string.
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
    let is_operand = matches!(
        node.kind,
        NodeKind::UserMacro | NodeKind::LldMacro | NodeKind::Macro | NodeKind::FunctionId
    );
    match node.kind {
        NodeKind::String => quote_string(&value),
        _ if is_operand && number::parse_suffixed(&value).is_none() && !is_macro(&value) => {
            quote_string(&value)
        }
        _ => value,
    }
}

fn is_macro(value: &str) -> bool {
    crate::macros::token_at(value, crate::macros::Search::BASIC)
        .is_some_and(|it| it.span.end == value.len())
}

/// The constants of a stored expression from left to right: `$1`..`$9` of trigger names.
/// A number behind a unary minus has its sign; strings are unquoted.
#[must_use]
pub fn constants(ast: &Ast) -> Vec<String> {
    let mut nodes: Vec<&Node> = ast
        .nodes()
        .iter()
        .filter(|it| matches!(it.kind, NodeKind::Number | NodeKind::String | NodeKind::UserMacro))
        .collect();
    nodes.sort_unstable_by_key(|it| it.start);
    nodes
        .into_iter()
        .map(|it| match it.kind {
            NodeKind::String => unquote_string(ast.node_text(it)),
            _ => ast.node_text(it).to_owned(),
        })
        .collect()
}
