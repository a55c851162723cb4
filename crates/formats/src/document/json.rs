//! JSON of a document.

use super::layout::indent;
use super::value::Value;
use crate::json::quote;

/// `level`: how deep it is indented; `None`: everything on one line.
pub(super) fn write(value: &Value, level: Option<usize>, out: &mut String) {
    let inner = level.map(|it| it + 1);
    match value {
        Value::Text(text) => out.push_str(&quote(text)),
        Value::List(list) => {
            out.push('[');
            for (at, it) in list.iter().enumerate() {
                separate(at, inner, out);
                write(it, inner, out);
            }
            close(list.is_empty(), level, ']', out);
        }
        Value::Object(fields) => {
            out.push('{');
            for (at, (name, it)) in fields.iter().enumerate() {
                separate(at, inner, out);
                out.push_str(&quote(name));
                out.push_str(if level.is_some() { ": " } else { ":" });
                write(it, inner, out);
            }
            close(fields.is_empty(), level, '}', out);
        }
    }
}

fn separate(at: usize, level: Option<usize>, out: &mut String) {
    if at != 0 {
        out.push(',');
    }
    if let Some(level) = level {
        indent(level, out);
    }
}

fn close(is_empty: bool, level: Option<usize>, bracket: char, out: &mut String) {
    if let Some(level) = level.filter(|_| !is_empty) {
        indent(level, out);
    }
    out.push(bracket);
}
