//! The tree of a document: nodes in the order of the text, so that a node's number is its place.

use std::borrow::Cow;

/// Number of a node; 0 is the document.
pub(super) type NodeId = u32;

/// No node.
pub(super) const NONE: NodeId = u32::MAX;

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Document,
    Element,
    Text,
    CData,
    Comment,
    Instruction,
}

/// A name with its prefix, which may be empty, and the name space that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name<'t> {
    pub(super) prefix: &'t str,
    pub(super) local: &'t str,
    /// Position in [`Doc::spaces`]; 0 is none.
    pub(super) space: u32,
}

impl Name<'_> {
    pub(super) const NOTHING: Self = Name { prefix: "", local: "", space: 0 };
}

#[derive(Debug, Clone)]
pub(super) struct Node<'t> {
    pub(super) kind: NodeKind,
    pub(super) parent: NodeId,
    pub(super) first_child: NodeId,
    pub(super) last_child: NodeId,
    pub(super) prev: NodeId,
    pub(super) next: NodeId,
    /// Of elements; of instructions the target is the local name.
    pub(super) name: Name<'t>,
    /// Text of everything but elements.
    pub(super) value: Cow<'t, str>,
    /// Attributes: first and after the last.
    pub(super) attrs: (u32, u32),
    /// Name spaces declared here: first and after the last.
    pub(super) declared: (u32, u32),
}

#[derive(Debug, Clone)]
pub(super) struct Attr<'t> {
    pub(super) name: Name<'t>,
    pub(super) value: Cow<'t, str>,
}

/// A declared name space.
#[derive(Debug, Clone)]
pub(super) struct Declared<'t> {
    pub(super) prefix: &'t str,
    pub(super) space: u32,
}

/// A parsed document.
#[derive(Debug, Clone)]
pub struct Doc<'t> {
    pub(super) nodes: Vec<Node<'t>>,
    pub(super) attrs: Vec<Attr<'t>>,
    pub(super) declared: Vec<Declared<'t>>,
    /// Names of name spaces; the first is none, the second that of the prefix `xml`.
    pub(super) spaces: Vec<Cow<'t, str>>,
    /// Encoding that the document says it has.
    pub(super) encoding: Option<&'t str>,
}

pub(super) fn at(id: u32) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

impl<'t> Doc<'t> {
    pub(super) fn node(&self, id: NodeId) -> &Node<'t> {
        &self.nodes[at(id)]
    }

    pub(super) fn kind(&self, id: NodeId) -> NodeKind {
        self.node(id).kind
    }

    pub(super) fn attrs(&self, id: NodeId) -> &[Attr<'t>] {
        let (start, end) = self.node(id).attrs;
        self.attrs.get(at(start)..at(end)).unwrap_or(&[])
    }

    pub(super) fn declared(&self, id: NodeId) -> &[Declared<'t>] {
        let (start, end) = self.node(id).declared;
        self.declared.get(at(start)..at(end)).unwrap_or(&[])
    }

    pub(super) fn space(&self, space: u32) -> &str {
        self.spaces.get(at(space)).map_or("", |it| it)
    }

    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.node(id).first_child;
        std::iter::successors((first != NONE).then_some(first), |it| {
            let next = self.node(*it).next;
            (next != NONE).then_some(next)
        })
    }

    /// The nodes from this on that do not lie below it.
    pub(super) fn end_of(&self, id: NodeId) -> NodeId {
        let mut at = id;
        loop {
            let node = self.node(at);
            if node.next != NONE {
                return node.next;
            }
            if node.parent == NONE {
                return u32::try_from(self.nodes.len()).unwrap_or(NONE);
            }
            at = node.parent;
        }
    }

    /// Text of a node and all below, as XPath has it.
    pub(super) fn text_of(&self, id: NodeId) -> Cow<'_, str> {
        let node = self.node(id);
        if !matches!(node.kind, NodeKind::Document | NodeKind::Element) {
            return Cow::Borrowed(&node.value);
        }
        let is_text = |it: &NodeId| matches!(self.kind(*it), NodeKind::Text | NodeKind::CData);
        let mut texts = (id + 1..self.end_of(id)).filter(is_text);
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        let first = &*self.node(first).value;
        let Some(second) = texts.next() else { return Cow::Borrowed(first) };
        let mut out = String::from(first);
        out.push_str(&self.node(second).value);
        for it in texts {
            out.push_str(&self.node(it).value);
        }
        Cow::Owned(out)
    }

    /// The outermost element.
    pub(super) fn root_element(&self) -> Option<NodeId> {
        self.children(0).find(|it| self.kind(*it) == NodeKind::Element)
    }
}
