//! Indexes over large objects and arrays, for documents that many queries ask: made when first needed.

use std::borrow::Cow;

use model::map::{LookupMap, Map};

use super::node::NodeId;

/// Objects and arrays with fewer members are searched without an index.
pub(super) const MEMBERS_MIN: u32 = 16;
/// The most keys by which elements of one array are indexed; lookups by further keys scan the
/// array.
const BY_VALUE_MAX: usize = 16;

/// Elements by the text that something about them has.
pub(crate) type ByValue = LookupMap<String, Vec<NodeId>>;

#[derive(Debug, Clone, Default)]
pub(super) struct Index<'t> {
    members: Map<NodeId, LookupMap<Cow<'t, str>, NodeId>>,
    elements: Map<NodeId, Vec<NodeId>>,
    by_value: Map<NodeId, Vec<(String, ByValue)>>,
}

/// The result of a lookup of an array's elements by one of their texts.
pub(super) enum Lookup {
    /// These have it.
    Found(Vec<NodeId>),
    /// These texts were not requested yet.
    Unknown,
    /// So many different texts have been asked for that no more are kept.
    Full,
}

impl<'t> Index<'t> {
    /// The last member of a name. `make` gives all, once.
    pub(super) fn member(
        &mut self,
        id: NodeId,
        name: &str,
        make: impl FnOnce() -> LookupMap<Cow<'t, str>, NodeId>,
    ) -> Option<NodeId> {
        self.members.entry(id).or_insert_with(make).get(name).copied()
    }

    /// Element `idx` of an array. `make` gives all, once.
    pub(super) fn element(
        &mut self,
        id: NodeId,
        idx: usize,
        make: impl FnOnce() -> Vec<NodeId>,
    ) -> Option<NodeId> {
        self.elements.entry(id).or_insert_with(make).get(idx).copied()
    }

    pub(super) fn by_value(&self, id: NodeId, what: &str, value: &str) -> Lookup {
        let known = self.by_value.get(&id).map_or(&[][..], Vec::as_slice);
        match known.iter().find(|(it, _)| it == what) {
            Some((_, elements)) => Lookup::Found(elements.get(value).cloned().unwrap_or_default()),
            None if known.len() >= BY_VALUE_MAX => Lookup::Full,
            None => Lookup::Unknown,
        }
    }

    pub(super) fn put_by_value(&mut self, id: NodeId, what: &str, elements: ByValue) {
        self.by_value.entry(id).or_default().push((what.to_owned(), elements));
    }
}
