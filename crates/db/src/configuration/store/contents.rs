//! Content rows, addressed by what they say: equal own items of a thousand hosts share one.
//!
//! Counts how many own rows use each content. An unused content is deleted in the transaction that
//! dropped its last user. Changes are provisional until [`Contents::commit`].

use std::sync::Arc;

use model::ContentId;
use model::content::{GraphContent, HostPrototypeContent, ItemContent, TriggerContent};
use model::map::Map;
use model::snapshot::{GraphRow, HostPrototypeRow, ItemRow, TriggerRow};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::rows::Identity;
use super::{Applied, KIND_GRAPH, KIND_HOST_PROTOTYPE, KIND_ITEM, KIND_TRIGGER};
use crate::configuration::ids::Ids;
use crate::sql::schema::CONTENT;
use crate::sql::{Cell, Rows, as_int};

/// The version of the JSON that is written now.
pub(crate) const BODY_VERSION: i64 = 1;

/// Half a SHA-256: 2^64 contents would have to meet before two fall together.
type ContentHash = [u8; 16];

#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) items: Shelf<ItemContent>,
    pub(crate) triggers: Shelf<TriggerContent>,
    pub(crate) graphs: Shelf<GraphContent>,
    pub(crate) host_prototypes: Shelf<HostPrototypeContent>,
    pub(crate) applied: Applied,
}

/// A row whose content is shared.
pub(crate) trait Interned: Identity {
    fn shelf(contents: &mut Contents) -> &mut Shelf<Self::Content>;
}

impl Interned for ItemRow {
    fn shelf(contents: &mut Contents) -> &mut Shelf<ItemContent> {
        &mut contents.items
    }
}

impl Interned for TriggerRow {
    fn shelf(contents: &mut Contents) -> &mut Shelf<TriggerContent> {
        &mut contents.triggers
    }
}

impl Interned for GraphRow {
    fn shelf(contents: &mut Contents) -> &mut Shelf<GraphContent> {
        &mut contents.graphs
    }
}

impl Interned for HostPrototypeRow {
    fn shelf(contents: &mut Contents) -> &mut Shelf<HostPrototypeContent> {
        &mut contents.host_prototypes
    }
}

/// The contents of one kind.
pub(crate) struct Shelf<T> {
    by_hash: Map<ContentHash, InternedContent<T>>,
    by_id: Map<ContentId, Arc<T>>,
    /// By address of the shared value, which the entry keeps alive.
    by_address: Map<usize, ContentHash>,
    /// Number of users before the change under way, of the entries it touched.
    before: Map<ContentHash, u64>,
}

struct InternedContent<T> {
    id: ContentId,
    content: Arc<T>,
    n_users: u64,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self {
            by_hash: Map::default(),
            by_id: Map::default(),
            by_address: Map::default(),
            before: Map::default(),
        }
    }
}

fn address<T>(content: &Arc<T>) -> usize {
    Arc::as_ptr(content).addr()
}

fn body_of<T: Serialize>(content: &T) -> String {
    serde_json::to_string(content).expect("content is plain data")
}

fn hash_of(body: &str) -> ContentHash {
    let hash = Sha256::digest(body.as_bytes());
    let mut half = ContentHash::default();
    half.copy_from_slice(&hash[..16]);
    half
}

impl<T: Serialize> Shelf<T> {
    /// Takes over a row read at start, without users.
    pub(crate) fn load(&mut self, id: ContentId, content: Arc<T>) {
        let hash = hash_of(&body_of(&*content));
        self.by_address.insert(address(&content), hash);
        self.by_id.insert(id, Arc::clone(&content));
        self.by_hash.insert(hash, InternedContent { id, content, n_users: 0 });
    }

    /// While loading: content by its id.
    pub(crate) fn by_id(&self, id: ContentId) -> Option<Arc<T>> {
        self.by_id.get(&id).cloned()
    }

    /// Loading has ended: ids are no longer asked for.
    pub(crate) fn loaded(&mut self) {
        self.by_id = Map::default();
    }

    /// Counts a user that was read at start.
    pub(crate) fn count(&mut self, content: &Arc<T>) {
        if let Some(entry) =
            self.by_address.get(&address(content)).and_then(|it| self.by_hash.get_mut(it))
        {
            entry.n_users += 1;
        }
    }

    /// One more own row says this. Gives the id, and the shared value to use in its place.
    pub(crate) fn acquire(&mut self, content: &Arc<T>, ids: &mut Ids) -> (ContentId, Arc<T>) {
        let known = self.by_address.get(&address(content)).copied();
        let hash = known.unwrap_or_else(|| hash_of(&body_of(&**content)));
        let entry = self.by_hash.entry(hash).or_insert_with(|| {
            self.by_address.insert(address(content), hash);
            InternedContent { id: ContentId(ids.take()), content: Arc::clone(content), n_users: 0 }
        });
        self.before.entry(hash).or_insert(entry.n_users);
        entry.n_users += 1;
        (entry.id, Arc::clone(&entry.content))
    }

    /// One own row less says this.
    pub(crate) fn release(&mut self, content: &Arc<T>) {
        let Some(hash) = self.by_address.get(&address(content)) else { return };
        let Some(entry) = self.by_hash.get_mut(hash) else { return };
        self.before.entry(*hash).or_insert(entry.n_users);
        entry.n_users = entry.n_users.saturating_sub(1);
    }

    /// Rows to insert and to delete for the change under way.
    fn changes(&self, kind: i64, inserts: &mut Rows, deletes: &mut Vec<i64>) {
        for (hash, before) in &self.before {
            let Some(entry) = self.by_hash.get(hash) else { continue };
            match (*before, entry.n_users) {
                (0, 1..) => inserts.push([
                    Cell::id(entry.id.0),
                    Cell::Int(kind),
                    Cell::Int(BODY_VERSION),
                    Cell::Text(body_of(&*entry.content)),
                ]),
                (1.., 0) => deletes.push(as_int(entry.id.0)),
                _ => {}
            }
        }
    }

    fn end(&mut self, is_committed: bool) {
        for (hash, before) in std::mem::take(&mut self.before) {
            let Some(entry) = self.by_hash.get_mut(&hash) else { continue };
            if !is_committed {
                entry.n_users = before;
            }
            if entry.n_users == 0 {
                self.by_address.remove(&address(&entry.content));
                self.by_hash.remove(&hash);
            }
        }
    }
}

impl Contents {
    pub(crate) fn changes(&self, inserts: &mut Rows, deletes: &mut Vec<i64>) {
        debug_assert_eq!(inserts.table.name, CONTENT.name);
        self.items.changes(KIND_ITEM, inserts, deletes);
        self.triggers.changes(KIND_TRIGGER, inserts, deletes);
        self.graphs.changes(KIND_GRAPH, inserts, deletes);
        self.host_prototypes.changes(KIND_HOST_PROTOTYPE, inserts, deletes);
    }

    pub(crate) fn commit(&mut self) {
        self.items.end(true);
        self.triggers.end(true);
        self.graphs.end(true);
        self.host_prototypes.end(true);
    }

    pub(crate) fn roll_back(&mut self) {
        self.items.end(false);
        self.triggers.end(false);
        self.graphs.end(false);
        self.host_prototypes.end(false);
    }
}
