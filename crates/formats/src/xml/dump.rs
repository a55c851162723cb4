//! Nodes written as XML again, the way libxml2 writes them.

use std::fmt::Write as _;

use super::tree::{Doc, Name, NodeId, NodeKind};

impl Doc<'_> {
    /// Appends a node with everything below it. Nesting is bounded by the parser.
    pub(super) fn dump(&self, id: NodeId, out: &mut String) {
        let node = self.node(id);
        match node.kind {
            NodeKind::Document => self.dump_document(out),
            NodeKind::Text => escape_text(&node.value, out),
            NodeKind::CData => put(out, &["<![CDATA[", &node.value, "]]>"]),
            NodeKind::Comment => put(out, &["<!--", &node.value, "-->"]),
            NodeKind::Instruction if node.value.is_empty() => {
                put(out, &["<?", node.name.local, "?>"]);
            }
            NodeKind::Instruction => put(out, &["<?", node.name.local, " ", &node.value, "?>"]),
            NodeKind::Element => self.dump_element(id, out),
        }
    }

    fn dump_document(&self, out: &mut String) {
        out.push_str("<?xml version=\"1.0\"");
        if let Some(encoding) = self.encoding {
            put(out, &[" encoding=\"", encoding, "\""]);
        }
        out.push_str("?>\n");
        for child in self.children(0) {
            self.dump(child, out);
            out.push('\n');
        }
    }

    fn dump_element(&self, id: NodeId, out: &mut String) {
        let node = self.node(id);
        out.push('<');
        put_name(node.name, out);
        for it in self.declared(id) {
            self.dump_declared(it.prefix, it.space, out);
        }
        for idx in 0..self.attrs(id).len() {
            self.dump_attr(id, idx, out);
        }
        if self.children(id).next().is_none() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        for child in self.children(id) {
            self.dump(child, out);
        }
        out.push_str("</");
        put_name(node.name, out);
        out.push('>');
    }

    /// Appends attribute `idx` of an element with a space before it.
    pub(super) fn dump_attr(&self, id: NodeId, idx: usize, out: &mut String) {
        let Some(attr) = self.attrs(id).get(idx) else { return };
        out.push(' ');
        put_name(attr.name, out);
        out.push_str("=\"");
        self.escape_attr(&attr.value, out);
        out.push('"');
    }

    /// Appends a declaration of a name space with a space before it. Quotes as libxml2 has them.
    pub(super) fn dump_declared(&self, prefix: &str, space: u32, out: &mut String) {
        out.push_str(" xmlns");
        if !prefix.is_empty() {
            put(out, &[":", prefix]);
        }
        let address = self.space(space);
        let is_quoted = address.contains('"');
        let quote = if is_quoted && !address.contains('\'') { '\'' } else { '"' };
        out.push('=');
        out.push(quote);
        for char in address.chars() {
            match char {
                '<' => out.push_str("&lt;"),
                '&' => out.push_str("&amp;"),
                '"' if quote == '"' => out.push_str("&quot;"),
                _ => out.push(char),
            }
        }
        out.push(quote);
    }

    /// A document without a declared encoding has other characters than ASCII written as references.
    fn escape_attr(&self, value: &str, out: &mut String) {
        for char in value.chars() {
            match char {
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                '"' => out.push_str("&quot;"),
                '\n' => out.push_str("&#10;"),
                '\r' => out.push_str("&#13;"),
                '\t' => out.push_str("&#9;"),
                _ if char.is_ascii() || self.encoding.is_some() => out.push(char),
                // Writing to a string can't fail.
                _ => write!(out, "&#x{:X};", u32::from(char)).unwrap_or(()),
            }
        }
    }
}

fn put(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.push_str(part);
    }
}

fn put_name(name: Name<'_>, out: &mut String) {
    if !name.prefix.is_empty() {
        put(out, &[name.prefix, ":"]);
    }
    out.push_str(name.local);
}

/// Text of an element.
pub(super) fn escape_text(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\r' => out.push_str("&#13;"),
            _ => out.push(char),
        }
    }
}
