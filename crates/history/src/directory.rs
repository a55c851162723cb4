//! Names of items, stored with their values: readers of a store without the API join them.

use model::{ItemId, ValueType};

/// A row of the table `item_directory`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DirectoryRow {
    pub item: ItemId,
    /// The technical name of its host.
    pub host: String,
    /// As it is configured.
    pub key: String,
    /// As it is shown.
    pub name: String,
    pub units: String,
    pub value_type: ValueType,
}

/// A table of names in a store.
pub trait NameTable {
    /// The items that it has rows of, in any order.
    ///
    /// # Errors
    /// The store does not answer, or refuses.
    fn directory(&self) -> Result<Vec<ItemId>, crate::Error>;

    /// Adds rows, or puts them in place of those of the same items, and removes others. Removed
    /// rows may be seen for some seconds more.
    ///
    /// # Errors
    /// It can't do it now. Some of it may be done; to do it again changes nothing.
    fn write_directory(&self, rows: &[DirectoryRow], gone: &[ItemId]) -> Result<(), crate::Error>;
}
