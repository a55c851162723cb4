//! Objects that are kept as they are written: an id and a body of the API's fields.
//!
//! The fields are defined by a description ([`crate::describe::Object`]), which this module does not know.

use std::sync::Arc;

use imbl::OrdMap;
use serde_json::{Map, Value};

use crate::snapshot::comparisons;

/// Fields by name, as the API writes them: codes and ids are texts. The id is not among them.
pub type Body = Map<String, Value>;

/// One stored object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    pub id: u64,
    /// Unique among the documents of a kind.
    pub key: Arc<str>,
    pub body: Body,
}

impl Document {
    /// A field that is a text; "" if it is none.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        comparisons::count();
        self.body.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// All documents, by the object's name in methods. Copies share their common parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Documents(OrdMap<&'static str, DocumentsOfKind>);

/// The documents of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct DocumentsOfKind {
    by_id: OrdMap<u64, Arc<Document>>,
    by_key: OrdMap<Arc<str>, u64>,
}

impl Documents {
    #[must_use]
    pub fn get(&self, kind: &str, id: u64) -> Option<&Arc<Document>> {
        self.0.get(kind)?.by_id.get(&id)
    }

    /// The one that has this key.
    #[must_use]
    pub fn by_key(&self, kind: &str, key: &str) -> Option<&Arc<Document>> {
        let kind = self.0.get(kind)?;
        kind.by_id.get(kind.by_key.get(key)?)
    }

    /// All of one kind, by id.
    pub fn of(&self, kind: &str) -> impl DoubleEndedIterator<Item = &Arc<Document>> {
        self.0.get(kind).into_iter().flat_map(|it| it.by_id.values())
    }

    /// Adds a document, or replaces the one with its id.
    pub fn put(&mut self, kind: &'static str, document: Document) {
        let of_kind = self.0.entry(kind).or_default();
        let (id, key) = (document.id, Arc::clone(&document.key));
        if let Some(old) = of_kind.by_id.insert(id, Arc::new(document))
            && of_kind.by_key.get(&old.key) == Some(&id)
        {
            of_kind.by_key.remove(&old.key);
        }
        of_kind.by_key.insert(key, id);
    }

    pub fn remove(&mut self, kind: &'static str, id: u64) {
        let Some(of_kind) = self.0.get_mut(kind) else { return };
        if let Some(old) = of_kind.by_id.remove(&id)
            && of_kind.by_key.get(&old.key) == Some(&id)
        {
            of_kind.by_key.remove(&old.key);
        }
        if of_kind.by_id.is_empty() {
            self.0.remove(kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: u64, key: &str) -> Document {
        Document { id, key: key.into(), body: Body::new() }
    }

    #[test]
    fn a_key_leads_to_the_document_that_has_it_now() {
        let mut documents = Documents::default();
        documents.put("script", document(1, "a"));
        documents.put("script", document(2, "b"));
        documents.put("script", document(1, "c"));
        let found = |it: &Documents, key: &str| it.by_key("script", key).map(|it| it.id);
        assert_eq!(["a", "b", "c"].map(|it| found(&documents, it)), [None, Some(2), Some(1)]);
        let before = documents.clone();
        documents.remove("script", 1);
        documents.remove("script", 1);
        assert_eq!((found(&documents, "c"), documents.of("script").count()), (None, 1));
        assert_eq!((found(&before, "c"), before.of("script").count()), (Some(1), 2));
        assert_eq!(documents.of("other").count(), 0);
        documents.remove("script", 2);
        assert_eq!(documents, Documents::default());
    }

    #[test]
    fn two_may_swap_their_keys_in_one_change() {
        let mut documents = Documents::default();
        documents.put("script", document(1, "a"));
        documents.put("script", document(2, "b"));
        documents.put("script", document(1, "b"));
        documents.put("script", document(2, "a"));
        let found = |key: &str| documents.by_key("script", key).map(|it| it.id);
        assert_eq!(["a", "b"].map(found), [Some(2), Some(1)]);
    }
}
