//! The series of a head by handle, and the index that finds them.

use hashbrown::HashTable;

use crate::SeriesKey;
use crate::series::{RetentionClass, SeriesKind};

/// A series within one class of retention: of an item whose class changed there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    id: u64,
    kind: SeriesKind,
    pub(crate) class: RetentionClass,
}

impl Name {
    /// In the place of a forgotten series. No item has the id 0.
    pub(crate) const NOBODY: Self =
        Self { id: 0, kind: SeriesKind::FLOAT, class: RetentionClass::UNKNOWN };

    pub(crate) fn new(key: SeriesKey, class: RetentionClass) -> Self {
        Self { id: key.id, kind: key.kind, class }
    }

    pub(crate) fn key(self) -> SeriesKey {
        SeriesKey { id: self.id, kind: self.kind }
    }
}

/// Series by the number of their handle.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    names: Vec<Name>,
    index: HashTable<u32>,
}

pub(super) fn hash(key: SeriesKey) -> u64 {
    // Ids are small and consecutive; multiplying spreads them over the upper bits and folding
    // brings those down. Nobody outside chooses ids.
    let mixed = (key.id ^ u64::from(key.kind.0) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

impl Names {
    /// Places, those of nobody included.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    #[inline]
    pub(crate) fn get(&self, n: usize) -> Option<Name> {
        self.names.get(n).copied()
    }

    pub(crate) fn all(&self) -> &[Name] {
        &self.names
    }

    /// Series of all places but those of nobody; of several classes, several times.
    pub(crate) fn keys(&self) -> impl Iterator<Item = SeriesKey> {
        self.names.iter().filter(|it| **it != Name::NOBODY).map(|it| it.key())
    }

    pub(crate) fn find(&self, name: Name) -> Option<u32> {
        let is_it = |it: &u32| self.get(*it as usize) == Some(name);
        self.index.find(hash(name.key()), is_it).copied()
    }

    /// The places of a series, one for each of its classes.
    pub(crate) fn of(&self, key: SeriesKey) -> impl Iterator<Item = u32> {
        let found = self.index.iter_hash(hash(key)).copied();
        found.filter(move |it| self.get(*it as usize).is_some_and(|name| name.key() == key))
    }

    /// Puts a name that is not there into the place `n`, of nobody or the next new one.
    pub(crate) fn put(&mut self, n: u32, name: Name) {
        match self.names.get_mut(n as usize) {
            Some(place) => *place = name,
            None => self.names.push(name),
        }
        let names = &self.names;
        let key_hash = |it: &u32| names.get(*it as usize).map_or(0, |it| hash(it.key()));
        self.index.insert_unique(hash(name.key()), n, key_hash);
    }

    /// Leaves the place to nobody.
    pub(crate) fn remove(&mut self, n: u32) {
        let Some(place) = self.names.get_mut(n as usize) else { return };
        let key = std::mem::replace(place, Name::NOBODY).key();
        if let Ok(found) = self.index.find_entry(hash(key), |it| *it == n) {
            found.remove();
        }
    }

    pub(crate) fn with_capacity(n: usize) -> Self {
        Self { names: Vec::with_capacity(n), index: HashTable::with_capacity(n) }
    }

    /// Memory held, about.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.names.capacity() * size_of::<Name>() + self.index.capacity() * 8 / 7 * 5
    }
}
