//! Opening stores.

use std::path::Path;
use std::sync::Arc;

use disk::Disk;
use journal::Journal;
use rt::metrics::Registry;

use crate::embedded::{Embedded, EmbeddedSettings};
use crate::{LiveStore, Result};

/// Which store, and where. The embedded one is the only kind so far.
#[derive(Debug, Clone)]
pub enum StoreKind {
    Embedded(EmbeddedSettings),
}

impl Default for StoreKind {
    fn default() -> Self {
        Self::Embedded(EmbeddedSettings::default())
    }
}

/// A store just opened.
#[derive(Debug)]
pub struct OpenedStore {
    pub store: Arc<dyn LiveStore>,
    /// Files that cannot be opened: values of their time cannot be read.
    pub n_damaged: usize,
}

/// Opens the store that shards write to as they go, in `dir`, for so many of them. Call
/// [`LiveStore::replay`] before anything is written or read.
///
/// # Errors
/// The folder or what lies in it can't be read.
pub fn open(
    kind: StoreKind,
    (disk, dir): (Arc<dyn Disk>, &Path),
    journal: Journal,
    n_writers: u16,
    registry: &Registry,
) -> Result<OpenedStore> {
    let StoreKind::Embedded(settings) = kind;
    let (store, recovered) = Embedded::open(disk, dir, journal, n_writers, (settings, registry))?;
    Ok(OpenedStore { store: Arc::new(store), n_damaged: recovered.damaged.len() })
}
