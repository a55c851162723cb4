//! Values of XPath and their conversions.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::number;
use crate::xml::tree::{Doc, NodeId, NodeKind};

/// A node: one of the tree, or a name space or attribute of an element. Its order is that of the
/// document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) node: NodeId,
    pub(super) sub: Sub,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sub {
    /// The node itself.
    This,
    /// A name space in scope: its place in [`in_scope`].
    Space(usize),
    /// An attribute.
    Attr(usize),
}

impl At {
    pub(super) fn this(node: NodeId) -> Self {
        Self { node, sub: Sub::This }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    /// In document order, each once.
    Nodes(Vec<At>),
    Number(f64),
    Text(String),
    Bool(bool),
}

impl Value {
    pub(super) fn to_bool(&self) -> bool {
        match self {
            Self::Nodes(it) => !it.is_empty(),
            Self::Number(it) => *it != 0.0 && !it.is_nan(),
            Self::Text(it) => !it.is_empty(),
            Self::Bool(it) => *it,
        }
    }

    pub(super) fn to_number(&self, doc: &Doc<'_>) -> f64 {
        match self {
            Self::Number(it) => *it,
            Self::Bool(it) => f64::from(u8::from(*it)),
            Self::Text(it) => text_to_number(it),
            Self::Nodes(it) => {
                it.first().map_or(f64::NAN, |it| text_to_number(&string_value(doc, *it)))
            }
        }
    }

    pub(super) fn into_text(self, doc: &Doc<'_>) -> String {
        match self {
            Self::Text(it) => it,
            Self::Number(it) => number_to_text(it),
            Self::Bool(it) => it.to_string(),
            Self::Nodes(it) => {
                it.first().map(|it| string_value(doc, *it).into_owned()).unwrap_or_default()
            }
        }
    }
}

/// Name spaces in scope of an element, innermost declarations first, each prefix once; the last is
/// that of `xml`.
pub(super) fn in_scope<'d>(doc: &'d Doc<'_>, element: NodeId) -> Vec<(&'d str, u32)> {
    let mut found: Vec<(&str, u32)> = Vec::new();
    let mut at = element;
    while at != 0 && doc.kind(at) == NodeKind::Element {
        for it in doc.declared(at) {
            if !found.iter().any(|known| known.0 == it.prefix) {
                found.push((it.prefix, it.space));
            }
        }
        at = doc.node(at).parent;
    }
    found.retain(|it| it.1 != 0);
    found.push(("xml", 1));
    found
}

/// Text of a node, as XPath has it.
pub(super) fn string_value<'d>(doc: &'d Doc<'_>, at: At) -> Cow<'d, str> {
    match at.sub {
        Sub::This => doc.text_of(at.node),
        Sub::Attr(idx) => {
            doc.attrs(at.node).get(idx).map_or(Cow::Borrowed(""), |it| Cow::Borrowed(&*it.value))
        }
        Sub::Space(idx) => {
            let space = in_scope(doc, at.node).get(idx).map_or(0, |it| it.1);
            Cow::Borrowed(doc.space(space))
        }
    }
}

/// Appends a node as XML.
pub(super) fn dump(doc: &Doc<'_>, at: At, out: &mut String) {
    match at.sub {
        Sub::This => doc.dump(at.node, out),
        Sub::Attr(idx) => doc.dump_attr(at.node, idx, out),
        Sub::Space(idx) => {
            if let Some((prefix, space)) = in_scope(doc, at.node).get(idx) {
                doc.dump_declared(prefix, *space, out);
            }
        }
    }
}

/// Optional white space, minus and digits; anything else is not a number.
pub(super) fn text_to_number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let len = number::decimal_len(digits.as_bytes());
    if len > 0 && len == digits.len() { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// Largest and smallest numbers that are written without an exponent, unless they are whole.
const PLAIN_MAX: f64 = 1e9;
const PLAIN_MIN: f64 = 1e-5;

/// A number as libxml2 writes it: at most 15 significant digits.
pub(super) fn number_to_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX) {
        // Minus zero is zero.
        return number::format_f64(value + 0.0);
    }
    let scientific = format!("{value:.14e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let is_plain = (PLAIN_MIN..=PLAIN_MAX).contains(&value.abs());
    if is_plain {
        let places = usize::try_from(14 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.places$}")).to_owned();
    }
    let mut out = trimmed(mantissa).to_owned();
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a string can't fail.
    write!(out, "e{sign}{:02}", exponent.unsigned_abs()).unwrap_or(());
    out
}

/// Without zeros after the point.
fn trimmed(digits: &str) -> &str {
    if !digits.contains('.') {
        return digits;
    }
    digits.trim_end_matches('0').trim_end_matches('.')
}
