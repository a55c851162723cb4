//! From text to tree: well-formed XML 1.0 with name spaces, in one pass without recursion.

use std::borrow::Cow;

use super::tree::{Attr, Declared, Doc, NONE, Name, Node, NodeId, NodeKind, at};
use super::{DEPTH_MAX, XmlError};

/// Characters of the text that an error shows.
const NEAR_CHARS: usize = 128;
/// The most attributes of one element. More are an error.
const ATTRS_MAX: usize = 1_000;
/// The most name spaces of a document, and prefixes declared at one place. More are an error.
const SPACES_MAX: usize = 1_000;

pub(super) const XML_SPACE: &str = "http://www.w3.org/XML/1998/namespace";

impl<'t> Doc<'t> {
    /// Parses a document.
    ///
    /// # Errors
    /// If it is not well-formed, nested too deeply, or declares entities.
    pub fn parse(text: &'t str) -> Result<Self, XmlError> {
        parse(text)
    }
}

fn parse(text: &str) -> Result<Doc<'_>, XmlError> {
    let document = Node {
        kind: NodeKind::Document,
        parent: NONE,
        first_child: NONE,
        last_child: NONE,
        prev: NONE,
        next: NONE,
        name: Name::NOTHING,
        value: Cow::Borrowed(""),
        attrs: (0, 0),
        declared: (0, 0),
    };
    let doc = Doc {
        nodes: vec![document],
        attrs: Vec::new(),
        declared: Vec::new(),
        spaces: vec![Cow::Borrowed(""), Cow::Borrowed(XML_SPACE)],
        encoding: None,
    };
    let mut parser = Parser { text, at: 0, doc, open: Vec::new(), scope: Vec::new() };
    parser.document()?;
    Ok(parser.doc)
}

/// An element that is not closed yet.
struct Open<'t> {
    node: NodeId,
    /// Its name as written.
    tag: &'t str,
    /// Name spaces in scope outside of it.
    n_scope: usize,
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    doc: Doc<'t>,
    open: Vec<Open<'t>>,
    /// Prefixes in scope with their name spaces, innermost last.
    scope: Vec<(&'t str, u32)>,
}

impl<'t> Parser<'t> {
    fn error<T>(&self, what: &'static str) -> Result<T, XmlError> {
        let start = self.at.min(self.text.len());
        let before = &self.text.as_bytes()[..start];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let near = self.text.get(start..).unwrap_or("").chars().take(NEAR_CHARS).collect();
        Err(XmlError { what, line, near })
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.at > start
    }

    /// Takes everything up to `end` and `end` itself.
    fn until(&mut self, end: &str, what: &'static str) -> Result<&'t str, XmlError> {
        let rest = self.rest();
        let Some(len) = memchr::memmem::find(rest.as_bytes(), end.as_bytes()) else {
            return self.error(what);
        };
        self.at += len + end.len();
        let inner = rest.get(..len).unwrap_or("");
        self.check_chars(inner)?;
        Ok(inner)
    }

    /// Only characters that XML allows.
    fn check_chars(&self, text: &str) -> Result<(), XmlError> {
        let is_bad = |it: &u8| *it < b' ' && !matches!(it, b'\t' | b'\n' | b'\r');
        if text.as_bytes().iter().any(is_bad) || text.contains(['\u{fffe}', '\u{ffff}']) {
            return self.error("character is not allowed");
        }
        Ok(())
    }

    fn document(&mut self) -> Result<(), XmlError> {
        if self.rest().starts_with('\u{feff}') {
            self.at += '\u{feff}'.len_utf8();
        }
        if self.text.is_empty() {
            return self.error("Document is empty");
        }
        self.declaration()?;
        while self.at < self.text.len() {
            if self.open.is_empty() && !self.between()? {
                break;
            }
            self.step()?;
        }
        if !self.open.is_empty() {
            return self.error("Premature end of data, an element is not closed");
        }
        if self.doc.root_element().is_none() {
            return self.error("Start tag expected, '<' not found");
        }
        Ok(())
    }

    /// Goes on outside of the outermost element; false at the end of the text.
    fn between(&mut self) -> Result<bool, XmlError> {
        self.skip_space();
        match self.peek() {
            None => Ok(false),
            Some(b'<') => Ok(true),
            Some(_) if self.doc.root_element().is_some() => {
                self.error("Extra content at the end of the document")
            }
            Some(_) => self.error("Start tag expected, '<' not found"),
        }
    }

    /// `<?xml …?>` at the very start.
    fn declaration(&mut self) -> Result<(), XmlError> {
        let rest = self.rest();
        let is_here = rest.starts_with("<?xml")
            && rest.as_bytes().get(5).is_some_and(u8::is_ascii_whitespace);
        if !is_here {
            return Ok(());
        }
        self.at += 5;
        let start = self.at;
        let inner = self.until("?>", "XML declaration is not closed")?;
        let behind = std::mem::replace(&mut self.at, start);
        let mut has_version = false;
        loop {
            self.skip_space();
            if start + inner.len() <= self.at {
                break;
            }
            let name = self.name()?;
            let value = self.quoted_attribute()?;
            match name {
                "version" => has_version = true,
                "encoding" => self.doc.encoding = Some(value),
                "standalone" => {}
                _ => return self.error("XML declaration is malformed"),
            }
        }
        self.at = behind;
        if has_version { Ok(()) } else { self.error("XML declaration has no version") }
    }

    /// One piece of the document.
    fn step(&mut self) -> Result<(), XmlError> {
        let rest = self.rest();
        if !rest.starts_with('<') {
            return self.characters();
        }
        if rest.starts_with("</") {
            return self.close();
        }
        if rest.starts_with("<!--") {
            self.at += 4;
            let inner = self.until("-->", "Comment is not closed")?;
            if inner.contains("--") || inner.ends_with('-') {
                return self.error("Comment must not contain '--'");
            }
            self.add(NodeKind::Comment, lines(inner));
            return Ok(());
        }
        if rest.starts_with("<![CDATA[") {
            if self.open.is_empty() {
                return self.error("Start tag expected, CDATA found");
            }
            self.at += 9;
            let inner = self.until("]]>", "CDATA section is not closed")?;
            self.add(NodeKind::CData, lines(inner));
            return Ok(());
        }
        if rest.starts_with("<!DOCTYPE") {
            return self.doctype();
        }
        if rest.starts_with("<?") {
            return self.instruction();
        }
        self.element()
    }

    fn instruction(&mut self) -> Result<(), XmlError> {
        self.at += 2;
        let target = self.name()?;
        if target.eq_ignore_ascii_case("xml") {
            return self.error("XML declaration allowed only at the start of the document");
        }
        let spaced = self.skip_space();
        let inner = self.until("?>", "Processing instruction is not closed")?;
        if !spaced && !inner.is_empty() {
            return self.error("Processing instruction is malformed");
        }
        let id = self.add(NodeKind::Instruction, lines(inner));
        self.doc.nodes[at(id)].name = Name { prefix: "", local: target, space: 0 };
        Ok(())
    }

    /// A document type is skipped; one that declares entities is refused.
    fn doctype(&mut self) -> Result<(), XmlError> {
        if !self.open.is_empty() || self.doc.root_element().is_some() {
            return self.error("Document type allowed only before the first element");
        }
        let bytes = self.text.as_bytes();
        let mut quote = None;
        let mut depth = 0_usize;
        let mut pos = self.at;
        while let Some(byte) = bytes.get(pos) {
            match (quote, byte) {
                (Some(it), _) if it == *byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(*byte),
                (None, b'<') => {
                    let rest = &bytes[pos..];
                    if rest.starts_with(b"<!ENTITY") {
                        return self.error("Entity declarations are not allowed");
                    }
                    if rest.starts_with(b"<!--") {
                        let end = memchr::memmem::find(&rest[4..], b"-->");
                        pos += end.map_or(rest.len(), |it| it + 7);
                        continue;
                    }
                    depth += 1;
                }
                (None, b'%') => return self.error("Parameter entities are not allowed"),
                (None, b'>') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at = pos + 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
            pos += 1;
        }
        self.error("Document type is not closed")
    }

    /// A name as written, perhaps with a prefix.
    fn name(&mut self) -> Result<&'t str, XmlError> {
        let rest = self.rest();
        let len = name_len(rest);
        if len == 0 {
            return self.error("Name expected");
        }
        self.at += len;
        Ok(rest.get(..len).unwrap_or(""))
    }

    fn element(&mut self) -> Result<(), XmlError> {
        if self.open.is_empty() && self.doc.root_element().is_some() {
            return self.error("Extra content at the end of the document");
        }
        if self.open.len() >= DEPTH_MAX {
            return self.error("Document is nested too deeply");
        }
        self.at += 1;
        let tag = self.name()?;
        let id = self.add(NodeKind::Element, Cow::Borrowed(""));
        let n_scope = self.scope.len();
        let first_declared = position(self.doc.declared.len());
        let pending = self.attributes()?;
        let is_empty = match self.peek() {
            Some(b'/') if self.rest().starts_with("/>") => {
                self.at += 2;
                true
            }
            Some(b'>') => {
                self.at += 1;
                false
            }
            _ => return self.error("Attribute or end of the start tag expected"),
        };
        let name = self.resolve(tag, true);
        let first = position(self.doc.attrs.len());
        for (name, value) in pending {
            let name = self.resolve(name, false);
            let first = at(first);
            let known = &self.doc.attrs[first..];
            if known.iter().any(|it| it.name.local == name.local && it.name.space == name.space) {
                return self.error("Attribute redefined");
            }
            self.doc.attrs.push(Attr { name, value });
        }
        let n_attrs = position(self.doc.attrs.len());
        let n_declared = position(self.doc.declared.len());
        let node = &mut self.doc.nodes[at(id)];
        node.name = name;
        node.attrs = (first, n_attrs);
        node.declared = (first_declared, n_declared);
        if is_empty {
            self.scope.truncate(n_scope);
        } else {
            self.open.push(Open { node: id, tag, n_scope });
        }
        Ok(())
    }

    /// Reads attributes; declarations of name spaces are taken out.
    fn attributes(&mut self) -> Result<Vec<(&'t str, Cow<'t, str>)>, XmlError> {
        let mut found = Vec::new();
        loop {
            let spaced = self.skip_space();
            if matches!(self.peek(), Some(b'/' | b'>') | None) {
                return Ok(found);
            }
            if !spaced {
                return self.error("Space expected before the attribute");
            }
            if found.len() >= ATTRS_MAX {
                return self.error("Element has too many attributes");
            }
            let name = self.name()?;
            let raw = self.quoted_attribute()?;
            let value = self.unescaped(raw, true)?;
            let declared = match name.strip_prefix("xmlns:") {
                Some(prefix) => Some(prefix),
                None => (name == "xmlns").then_some(""),
            };
            let Some(prefix) = declared else {
                found.push((name, value));
                continue;
            };
            let space = self.space(value);
            if self.doc.spaces.len() > SPACES_MAX || self.scope.len() >= SPACES_MAX {
                return self.error("Document has too many name spaces");
            }
            self.scope.push((prefix, space));
            self.doc.declared.push(Declared { prefix, space });
        }
    }

    /// `= "…"`, as written.
    fn quoted_attribute(&mut self) -> Result<&'t str, XmlError> {
        self.skip_space();
        if self.peek() != Some(b'=') {
            return self.error("Attribute without a value");
        }
        self.at += 1;
        self.skip_space();
        let end = match self.peek() {
            Some(b'"') => "\"",
            Some(b'\'') => "'",
            _ => return self.error("Attribute value: quote expected"),
        };
        self.at += 1;
        let raw = self.until(end, "Attribute value is not closed")?;
        if raw.contains('<') {
            return self.error("Attribute value must not contain '<'");
        }
        Ok(raw)
    }

    fn space(&mut self, name: Cow<'t, str>) -> u32 {
        if let Some(known) = self.doc.spaces.iter().position(|it| *it == name) {
            return position(known);
        }
        self.doc.spaces.push(name);
        position(self.doc.spaces.len() - 1)
    }

    /// A name whose prefix is not declared keeps it as part of the name, as in libxml2.
    fn resolve(&self, name: &'t str, is_element: bool) -> Name<'t> {
        let known = |prefix: &str| {
            self.scope.iter().rev().find(|it| it.0 == prefix).map(|it| it.1).filter(|it| *it != 0)
        };
        match name.split_once(':') {
            Some(("xml", local)) => Name { prefix: "xml", local, space: 1 },
            Some((prefix, local)) => match known(prefix) {
                Some(space) if !local.is_empty() => Name { prefix, local, space },
                _ => Name { prefix: "", local: name, space: 0 },
            },
            None => {
                let space = if is_element { known("").unwrap_or(0) } else { 0 };
                Name { prefix: "", local: name, space }
            }
        }
    }

    fn close(&mut self) -> Result<(), XmlError> {
        let Some(open) = self.open.pop() else {
            return self.error("Closing tag without an element");
        };
        self.at += 2;
        let rest = self.rest();
        let len = name_len(rest);
        if rest.get(..len) != Some(open.tag) {
            return self.error("Opening and ending tag mismatch");
        }
        self.at += len;
        self.skip_space();
        if self.peek() != Some(b'>') {
            return self.error("expected '>'");
        }
        self.at += 1;
        self.scope.truncate(open.n_scope);
        Ok(())
    }

    fn characters(&mut self) -> Result<(), XmlError> {
        let rest = self.rest();
        let len = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        let raw = rest.get(..len).unwrap_or("");
        self.check_chars(raw)?;
        if raw.contains("]]>") {
            return self.error("Sequence ']]>' not allowed in content");
        }
        let value = self.unescaped(raw, false)?;
        self.at += len;
        self.add(NodeKind::Text, value);
        Ok(())
    }

    /// References replaced, line ends made one, white space of attributes made spaces.
    fn unescaped(&self, raw: &'t str, is_attribute: bool) -> Result<Cow<'t, str>, XmlError> {
        let is_special = |it: char| match it {
            '&' | '\r' => true,
            '\n' | '\t' => is_attribute,
            _ => false,
        };
        if !raw.contains(is_special) {
            return Ok(Cow::Borrowed(raw));
        }
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(pos) = rest.find(is_special) {
            let (before, special) = rest.split_at(pos);
            out.push_str(before);
            if special.starts_with('&') {
                let Some((char, len)) = reference(special) else {
                    return self.error("Entity is not defined");
                };
                out.push(char);
                rest = special.get(len..).unwrap_or("");
                continue;
            }
            let len = if special.starts_with("\r\n") { 2 } else { 1 };
            out.push(if is_attribute { ' ' } else { '\n' });
            rest = special.get(len..).unwrap_or("");
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
    }

    /// Adds a node below the innermost open element.
    fn add(&mut self, kind: NodeKind, value: Cow<'t, str>) -> NodeId {
        let id = position(self.doc.nodes.len());
        let parent = self.open.last().map_or(0, |it| it.node);
        let above = &mut self.doc.nodes[at(parent)];
        let prev = std::mem::replace(&mut above.last_child, id);
        if prev == NONE {
            above.first_child = id;
        } else {
            self.doc.nodes[at(prev)].next = id;
        }
        self.doc.nodes.push(Node {
            kind,
            parent,
            first_child: NONE,
            last_child: NONE,
            prev,
            next: NONE,
            name: Name::NOTHING,
            value,
            attrs: (0, 0),
            declared: (0, 0),
        });
        id
    }
}

/// Positions fit: a text that is longer than 4 GiB is never preprocessed.
fn position(it: usize) -> u32 {
    u32::try_from(it).unwrap_or(NONE)
}

/// Line ends made one.
fn lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The character of the reference at the start of `text`, and the length of the reference.
fn reference(text: &str) -> Option<(char, usize)> {
    // The longest is `&#x10FFFF;`; leading zeros are allowed, some.
    let end = text.bytes().take(32).position(|it| it == b';')?;
    let name = text.get(1..end)?;
    let char = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) if hex.bytes().all(|it| it.is_ascii_hexdigit()) => {
                    u32::from_str_radix(hex, 16).ok()?
                }
                None if digits.bytes().all(|it| it.is_ascii_digit()) => digits.parse().ok()?,
                _ => return None,
            };
            let char = char::from_u32(code)?;
            let is_bad = char < ' ' && !matches!(char, '\t' | '\n' | '\r');
            if is_bad || matches!(char, '\u{fffe}' | '\u{ffff}') {
                return None;
            }
            char
        }
    };
    Some((char, end + 1))
}

/// Length of the name at the start of `text`, perhaps with one colon inside.
fn name_len(text: &str) -> usize {
    let mut len = 0;
    for char in text.chars() {
        let fits = if len == 0 { is_name_start(char) } else { is_name_char(char) || char == ':' };
        if !fits {
            break;
        }
        len += char.len_utf8();
    }
    len
}

/// May a name begin with it? (Without the colon.)
pub(super) fn is_name_start(char: char) -> bool {
    matches!(char,
        'A'..='Z' | 'a'..='z' | '_'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// May a name go on with it? (Without the colon.)
pub(super) fn is_name_char(char: char) -> bool {
    is_name_start(char)
        || matches!(char,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}
