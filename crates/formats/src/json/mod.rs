//! JSON texts as a flat tree over the text: values keep their text as written.
//!
//! Strict grammar (RFC 8259), depth at most [`DEPTH_MAX`], objects keep their last member of a name.
//! Parsing is one pass without recursion; a node costs 28 bytes.

mod index;
mod node;
mod order;
mod scan;
mod text;

use std::borrow::Cow;
use std::cell::RefCell;

pub(crate) use index::ByValue;
use index::{Index, Lookup, MEMBERS_MIN};
use node::Node;
pub use node::{DEPTH_MAX, JsonError, JsonKind, NodeId};
pub(crate) use order::table_order;
pub use text::{decode_string, quote};

pub use scan::{Scalar, decode_scalar};

/// A parsed document.
#[derive(Debug, Clone)]
pub struct Doc<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    index: Option<Box<RefCell<Index<'t>>>>,
}

impl<'t> Doc<'t> {
    /// Parses a document: an object or an array.
    ///
    /// # Errors
    /// If the text is neither, malformed, too deep, or longer than 4 GiB.
    pub fn parse(text: &'t str) -> Result<Self, JsonError> {
        scan::parse(text).map(|nodes| Self { text, nodes, index: None })
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[usize::try_from(id.0).unwrap_or(0)]
    }

    /// Kind of a value.
    #[must_use]
    pub fn kind(&self, id: NodeId) -> JsonKind {
        self.node(id).kind
    }

    /// A value as written.
    #[must_use]
    pub fn raw(&self, id: NodeId) -> &'t str {
        let node = self.node(id);
        self.slice(node.start, node.end)
    }

    /// A value as text: strings decoded, `null` empty, everything else as written.
    #[must_use]
    pub fn text(&self, id: NodeId) -> Cow<'t, str> {
        match self.kind(id) {
            JsonKind::String => decode_string(self.raw(id)),
            JsonKind::Null => Cow::Borrowed(""),
            _ => Cow::Borrowed(self.raw(id)),
        }
    }

    /// Name of a member; empty for elements of arrays.
    #[must_use]
    pub fn name(&self, id: NodeId) -> Cow<'t, str> {
        decode_string(self.raw_name(id))
    }

    /// Name of a member as written, with quotes.
    #[must_use]
    pub fn raw_name(&self, id: NodeId) -> &'t str {
        let node = self.node(id);
        self.slice(node.name_start, node.name_end)
    }

    /// Number of members or elements as written.
    #[must_use]
    pub fn len(&self, id: NodeId) -> usize {
        usize::try_from(self.node(id).n_children).unwrap_or(usize::MAX)
    }

    /// Has the value no members or elements?
    #[must_use]
    pub fn is_empty(&self, id: NodeId) -> bool {
        self.node(id).n_children == 0
    }

    /// Members or elements in the order of the text.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let node = self.node(id);
        let first = (node.n_children > 0).then_some(NodeId(id.0 + 1));
        std::iter::successors(first, |it| {
            let next = self.node(*it).next;
            (next != 0).then_some(NodeId(next))
        })
    }

    /// Members of an object in the order in which Zabbix walks them: results of queries over many
    /// members, and the first of them, depend on it.
    #[must_use]
    pub fn members_in_walk_order(&self, id: NodeId) -> Vec<NodeId> {
        order::walk_order(self.children(id).map(|it| (self.name(it), it)))
    }

    /// The member of this name; of several the last.
    #[must_use]
    pub fn member(&self, id: NodeId, name: &str) -> Option<NodeId> {
        if self.kind(id) != JsonKind::Object {
            return None;
        }
        if let Some(index) = self.index_of(id) {
            let make = || self.children(id).map(|it| (self.name(it), it)).collect();
            return index.borrow_mut().member(id, name, make);
        }
        let plain = !name.bytes().any(|it| matches!(it, b'"' | b'\\') || it < b' ');
        self.children(id).filter(|it| self.is_named(*it, name, plain)).last()
    }

    fn is_named(&self, id: NodeId, name: &str, plain: bool) -> bool {
        let raw = self.raw_name(id);
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
        if plain && inner == name {
            return true;
        }
        inner.contains('\\') && decode_string(raw) == name
    }

    /// Element `idx` of an array; negative positions count from the end.
    #[must_use]
    pub fn element(&self, id: NodeId, idx: i64) -> Option<NodeId> {
        if self.kind(id) != JsonKind::Array {
            return None;
        }
        let len = i64::from(self.node(id).n_children);
        let idx = if idx < 0 { idx + len } else { idx };
        let idx = usize::try_from(idx).ok()?;
        match self.index_of(id) {
            Some(index) => index.borrow_mut().element(id, idx, || self.children(id).collect()),
            None => self.children(id).nth(idx),
        }
    }

    /// As [`Doc::compact`], with numbers as JSONPath gives them: see [`text::number`].
    #[must_use]
    pub fn compact_numbers(&self, id: NodeId) -> String {
        text::compact(self.raw(id), text::number)
    }

    /// A number as JSONPath gives it; other values as [`Doc::text`].
    #[must_use]
    pub fn scalar_text(&self, id: NodeId) -> Cow<'t, str> {
        match self.kind(id) {
            JsonKind::Number => text::number(self.raw(id)),
            _ => self.text(id),
        }
    }

    /// A value without white space between its parts; strings that have escapes are rewritten.
    #[must_use]
    pub fn compact(&self, id: NodeId) -> String {
        text::compact(self.raw(id), text::as_written)
    }

    /// The same document, with indexes: worth it if many queries come.
    #[must_use]
    pub fn indexed(mut self) -> Self {
        self.index = Some(Box::new(RefCell::new(Index::default())));
        self
    }

    fn index_of(&self, id: NodeId) -> Option<&RefCell<Index<'t>>> {
        self.index.as_deref().filter(|_| self.node(id).n_children >= MEMBERS_MIN)
    }

    /// Elements of an array for which `what` has the text `value`, in their order. `make` gives the
    /// texts of all. `None`: there is no index.
    pub(crate) fn elements_by_value<E>(
        &self,
        id: NodeId,
        what: &str,
        value: &str,
        make: impl FnOnce() -> Result<ByValue, E>,
    ) -> Result<Option<Vec<NodeId>>, E> {
        if self.kind(id) != JsonKind::Array {
            return Ok(None);
        }
        let Some(index) = self.index_of(id) else { return Ok(None) };
        match index.borrow().by_value(id, what, value) {
            Lookup::Found(found) => return Ok(Some(found)),
            Lookup::Full => return Ok(None),
            Lookup::Unknown => {}
        }
        // Making it asks the document, which may make other indexes.
        let made = make()?;
        let found = made.get(value).cloned().unwrap_or_default();
        index.borrow_mut().put_by_value(id, what, made);
        Ok(Some(found))
    }

    fn slice(&self, start: u32, end: u32) -> &'t str {
        let at = |it| usize::try_from(it).unwrap_or(usize::MAX);
        self.text.get(at(start)..at(end)).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_text() {
        let doc = Doc::parse(r#"{"a": [1, {"b": "x\u0041"}], "a": 1.50}"#).unwrap();
        let a = doc.member(doc.root(), "a").unwrap();
        assert_eq!(doc.raw(a), "1.50");
        let first = doc.children(doc.root()).next().unwrap();
        let object = doc.element(first, -1).unwrap();
        assert_eq!(doc.raw(object), r#"{"b": "x\u0041"}"#);
        assert_eq!(doc.text(doc.member(object, "b").unwrap()), "xA");
    }

    #[test]
    fn malformed_texts_are_refused() {
        for text in [
            "",
            "1",
            "[",
            "[1,]",
            "[,1]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "[01]",
            "[\"\n\"]",
            "[1]x",
            "[tru]",
            "[\"\\x\"]",
            "{\"a\":1,}",
            "[\"\\u12\"]",
        ] {
            assert!(Doc::parse(text).is_err(), "{text}");
        }
        assert!(Doc::parse(&"[".repeat(100_000)).is_err());
        assert!(Doc::parse(&format!("{}{}", "[".repeat(66), "]".repeat(66))).is_ok());
        assert!(Doc::parse(&format!("{}{}", "[".repeat(67), "]".repeat(67))).is_err());
    }
}
