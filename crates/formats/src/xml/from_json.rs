//! JSON as XML, the other way round of [`to_json`](super::to_json()).
//!
//! XML has one outermost element, so of several members the first is taken; a document whose first
//! member is an array has none.

use model::map::Set;

use super::dump::escape_text;
use super::parse::{is_name_char, is_name_start};
use crate::json::{Doc, JsonError, JsonKind, NodeId};

/// A JSON object as an XML document without its declaration; empty if it has no outermost element.
///
/// # Errors
/// If the text is no JSON.
pub fn from_json(text: &str) -> Result<String, JsonError> {
    let doc = Doc::parse(text)?;
    let mut out = String::new();
    if doc.kind(doc.root()) != JsonKind::Object {
        return Ok(out);
    }
    if let Some(first) = doc.children(doc.root()).next()
        && doc.kind(first) != JsonKind::Array
    {
        element(&doc, &doc.name(first), first, &mut out);
    }
    Ok(out)
}

/// Nesting is bounded by the parser.
fn element(doc: &Doc<'_>, name: &str, value: NodeId, out: &mut String) {
    if !is_name(name) {
        return;
    }
    out.push('<');
    out.push_str(name);
    match doc.kind(value) {
        JsonKind::Object => {
            let mut seen = Set::default();
            for it in doc.children(value) {
                let name = doc.name(it);
                if let Some(attr) = name.strip_prefix('@')
                    && !seen.contains(&*name)
                {
                    attribute(doc, attr, it, out);
                    seen.insert(name.into_owned());
                }
            }
            out.push('>');
            let start = out.len();
            for it in doc.children(value) {
                let name = doc.name(it);
                if name == "#text" {
                    content(doc, it, out);
                } else if !name.starts_with('@') {
                    elements(doc, &name, it, out);
                }
            }
            if out.len() == start {
                close_empty(out);
                return;
            }
        }
        JsonKind::Null => {
            out.push_str("/>");
            return;
        }
        _ => {
            out.push('>');
            content(doc, value, out);
        }
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

/// Turns the `>` just written into `/>`.
fn close_empty(out: &mut String) {
    out.pop();
    out.push_str("/>");
}

/// A member: of an array each element is one.
fn elements(doc: &Doc<'_>, name: &str, value: NodeId, out: &mut String) {
    if doc.kind(value) != JsonKind::Array {
        element(doc, name, value, out);
        return;
    }
    for it in doc.children(value) {
        elements(doc, name, it, out);
    }
}

fn attribute(doc: &Doc<'_>, name: &str, value: NodeId, out: &mut String) {
    if !is_name(name) {
        return;
    }
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    if !matches!(doc.kind(value), JsonKind::Object | JsonKind::Array) {
        for char in valid(&doc.text(value)) {
            match char {
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                '"' => out.push_str("&quot;"),
                '\n' => out.push_str("&#10;"),
                '\r' => out.push_str("&#13;"),
                '\t' => out.push_str("&#9;"),
                _ => out.push(char),
            }
        }
    }
    out.push('"');
}

fn content(doc: &Doc<'_>, value: NodeId, out: &mut String) {
    if !matches!(doc.kind(value), JsonKind::Object | JsonKind::Array) {
        let text: String = valid(&doc.text(value)).collect();
        escape_text(&text, out);
    }
}

/// Characters that XML can have.
fn valid(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|it| {
        (*it >= ' ' && !matches!(it, '\u{fffe}' | '\u{ffff}')) || matches!(it, '\t' | '\n' | '\r')
    })
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(is_name_start) && chars.all(|it| is_name_char(it) || it == ':')
}
