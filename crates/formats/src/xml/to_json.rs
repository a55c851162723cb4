//! XML as JSON: attributes become `@name`, text alongside attributes or children becomes `#text`
//! after them, repeated elements an array, empty elements null. Comments and instructions are left
//! out.

use super::XmlError;
use super::tree::{Doc, NONE, NodeId, NodeKind};
use crate::json;

/// A document as a JSON object of its outermost element.
///
/// # Errors
/// If the text is no XML.
pub fn to_json(text: &str) -> Result<String, XmlError> {
    Ok(Doc::parse(text)?.to_json())
}

impl Doc<'_> {
    /// The document as a JSON object of its outermost element.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        if let Some(root) = self.root_element() {
            out.push_str(&json::quote(self.node(root).name.local));
            out.push(':');
            self.element_to_json(root, &mut out);
        }
        out.push('}');
        out
    }

    /// Nesting is bounded by the parser.
    fn element_to_json(&self, id: NodeId, out: &mut String) {
        let members = self.members(id);
        let attrs = self.attrs(id);
        match members.as_slice() {
            [] if attrs.is_empty() => {
                out.push_str("null");
                return;
            }
            [Member::Text(text)] if attrs.is_empty() => {
                out.push_str(&json::quote(text));
                return;
            }
            _ => {}
        }
        out.push('{');
        for (idx, attr) in attrs.iter().enumerate() {
            comma(idx, out);
            out.push_str(&json::quote(&format!("@{}", attr.name.local)));
            out.push(':');
            out.push_str(&json::quote(&attr.value));
        }
        for (idx, member) in members.iter().enumerate() {
            comma(idx + attrs.len(), out);
            match member {
                Member::Text(text) => {
                    out.push_str("\"#text\":");
                    out.push_str(&json::quote(text));
                }
                Member::Elements(name, same) => {
                    out.push_str(&json::quote(name));
                    out.push(':');
                    self.elements_to_json(same, out);
                }
            }
        }
        out.push('}');
    }

    fn elements_to_json(&self, same: &[NodeId], out: &mut String) {
        if let [only] = same {
            self.element_to_json(*only, out);
            return;
        }
        out.push('[');
        for (idx, id) in same.iter().enumerate() {
            comma(idx, out);
            self.element_to_json(*id, out);
        }
        out.push(']');
    }

    /// The content of an element: elements of one name together at the place of the first, then its
    /// text.
    fn members(&self, id: NodeId) -> Vec<Member<'_>> {
        let mut members: Vec<Member<'_>> = Vec::new();
        let mut places = model::map::Map::default();
        let mut text: Option<String> = None;
        for child in self.children(id) {
            let node = self.node(child);
            match node.kind {
                NodeKind::Text if self.is_layout(child) => {}
                NodeKind::Text | NodeKind::CData => {
                    text.get_or_insert_default().push_str(&node.value);
                }
                NodeKind::Element => {
                    let place = *places.entry(node.name.local).or_insert(members.len());
                    match members.get_mut(place) {
                        Some(Member::Elements(_, same)) => same.push(child),
                        _ => members.push(Member::Elements(node.name.local, vec![child])),
                    }
                }
                _ => {}
            }
        }
        members.extend(text.map(Member::Text));
        members
    }

    /// White space between elements, which has no meaning: not the only content of its element, and
    /// not next to text.
    fn is_layout(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let is_text = |it: NodeId| it != NONE && self.kind(it) == NodeKind::Text;
        let is_blank = node.value.bytes().all(|it| matches!(it, b' ' | b'\t' | b'\n' | b'\r'));
        let is_alone = node.prev == NONE && node.next == NONE;
        let first = self.node(node.parent).first_child;
        let is_mixed =
            is_text(node.prev) || (first != id && is_text(first) && !self.is_layout(first));
        is_blank && !is_alone && !is_mixed
    }
}

enum Member<'d> {
    Text(String),
    Elements(&'d str, Vec<NodeId>),
}

fn comma(idx: usize, out: &mut String) {
    if idx > 0 {
        out.push(',');
    }
}

#[cfg(test)]
mod tests {
    use super::to_json;

    #[test]
    fn text_comes_behind_attributes_and_children() {
        for (xml, json) in [
            (r#"<a x="1">t<b/>u</a>"#, r##"{"a":{"@x":"1","b":null,"#text":"tu"}}"##),
            ("<a>t<b>1</b><c/><b>2</b></a>", r##"{"a":{"b":["1","2"],"c":null,"#text":"t"}}"##),
            ("<a></a>", r#"{"a":null}"#),
            (r#"<a x=""></a>"#, r#"{"a":{"@x":""}}"#),
            ("<a> <b/> </a>", r#"{"a":{"b":null}}"#),
        ] {
            assert_eq!(to_json(xml).as_deref(), Ok(json), "{xml}");
        }
    }
}
