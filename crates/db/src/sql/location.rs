//! Where the store keeps its tables.

use std::fmt;
use std::path::PathBuf;

/// Where the tables are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// A file, made if it is missing.
    Sqlite(PathBuf),
    /// A connection text: `postgres://user@host:port/name` or `host=… user=…`.
    Postgres(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            // The text may hold a password.
            Self::Postgres(_) => f.write_str("PostgreSQL"),
        }
    }
}
