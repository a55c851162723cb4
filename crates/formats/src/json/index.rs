//! Indexes over large objects and arrays, for documents that many queries ask: made when first needed.

use std::borrow::Cow;
use std::cell::RefCell;

use model::map::Map;

use super::{Doc, JsonKind, NodeId};

/// Objects and arrays with fewer members are searched.
const MEMBERS_MIN: u32 = 16;
/// Different things that elements of one array are looked up by.
const BY_VALUE_MAX: usize = 16;

/// Elements by the text that something about them has.
pub(crate) type ByValue = Map<String, Vec<NodeId>>;

#[derive(Debug, Clone, Default)]
pub(super) struct Index<'t> {
    members: Map<NodeId, Map<Cow<'t, str>, NodeId>>,
    elements: Map<NodeId, Vec<NodeId>>,
    by_value: Map<NodeId, Vec<(String, ByValue)>>,
}

impl<'t> Doc<'t> {
    /// The same document, with indexes: worth it if many queries come.
    #[must_use]
    pub fn indexed(mut self) -> Self {
        self.index = Some(Box::new(RefCell::new(Index::default())));
        self
    }

    fn index_of(&self, id: NodeId) -> Option<&RefCell<Index<'t>>> {
        self.index.as_deref().filter(|_| self.node(id).n_children >= MEMBERS_MIN)
    }

    /// The last member of a name; outer `None`: there is no index.
    pub(super) fn indexed_member(&self, id: NodeId, name: &str) -> Option<Option<NodeId>> {
        let mut index = self.index_of(id)?.borrow_mut();
        let members = index
            .members
            .entry(id)
            .or_insert_with(|| self.children(id).map(|it| (self.name(it), it)).collect());
        Some(members.get(name).copied())
    }

    /// Element `idx` of an array; outer `None`: there is no index.
    pub(super) fn indexed_element(&self, id: NodeId, idx: usize) -> Option<Option<NodeId>> {
        let mut index = self.index_of(id)?.borrow_mut();
        let elements = index.elements.entry(id).or_insert_with(|| self.children(id).collect());
        Some(elements.get(idx).copied())
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
        let find = |it: &(String, ByValue)| {
            (it.0 == what).then(|| it.1.get(value).cloned().unwrap_or_default())
        };
        {
            let index = index.borrow();
            let known = index.by_value.get(&id).map_or(&[][..], Vec::as_slice);
            if let Some(found) = known.iter().find_map(find) {
                return Ok(Some(found));
            }
            if known.len() >= BY_VALUE_MAX {
                return Ok(None);
            }
        }
        // Making it asks the document, which may make other indexes.
        let made = (what.to_owned(), make()?);
        let found = find(&made);
        index.borrow_mut().by_value.entry(id).or_default().push(made);
        Ok(found)
    }
}
