//! The content of a backup.

use serde::{Deserialize, Serialize};

/// A backup that is complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BackupReport {
    /// Of all files, those that are shared with the original included.
    pub bytes: u64,
    /// Bytes of files that are links to those of the original.
    pub linked_bytes: u64,
    /// Whether the configuration is in it; it is not if it is kept in PostgreSQL.
    pub has_configuration: bool,
}
