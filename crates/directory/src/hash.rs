//! The seeded hash of names and keys that come from outside.

use std::hash::{BuildHasher, Hasher as _};

use foldhash::SharedSeed;
use foldhash::fast::SeedableRandomState;

/// Hashes texts; the seed is chosen at start by the caller, so that nobody outside can aim at
/// collisions.
#[derive(Clone)]
pub struct Hasher {
    state: SeedableRandomState,
}

impl std::fmt::Debug for Hasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hasher")
    }
}

impl Hasher {
    pub fn new(seed: u64) -> Self {
        Self { state: SeedableRandomState::with_seed(seed, SharedSeed::global_fixed()) }
    }

    #[inline]
    pub fn hash(&self, text: &str) -> u64 {
        let mut hasher = self.state.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}
