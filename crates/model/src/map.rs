//! Hash maps with a fixed hasher: the same input gives the same order, so that replay repeats.
//!
//! The hash is not secret. Maps whose keys an outsider chooses freely and in bulk (host names and
//! keys of incoming values) use a hasher seeded at start instead: see `directory`.

pub use hashbrown::hash_map::Entry;

/// A hash map with a fixed seed.
pub type Map<K, V> = hashbrown::HashMap<K, V, foldhash::fast::FixedState>;
/// A hash set with a fixed seed.
pub type Set<K> = hashbrown::HashSet<K, foldhash::fast::FixedState>;
