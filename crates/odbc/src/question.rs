//! What is asked, and what is answered.

use serde::{Deserialize, Serialize};

/// Bytes of a result.
pub const RESULT_BYTES_MAX: usize = 16 << 20;

/// What is made of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The first column of the first row.
    First,
    /// All rows as JSON, by the names of columns.
    Rows,
    /// As [`Shape::Rows`], by macros of low-level discovery.
    Discovery,
}

/// A query, and where it is made.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub shape: Shape,
    /// Name of a data source of the machine's own settings.
    pub dsn: String,
    /// If it is not empty, it is used instead of the data source, with user and password in it.
    pub connection: String,
    /// Empty: that of the data source.
    pub user: String,
    pub password: String,
    pub query: String,
    /// What drivers are told; most obey.
    pub timeout_s: u32,
}

impl std::fmt::Debug for Question {
    /// The connection string may have a password too.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("dsn", &self.dsn).finish_non_exhaustive()
    }
}

/// What is said to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Value(String),
    /// In words for the user.
    Error(String),
}

pub(crate) fn too_long() -> String {
    format!("The result of the SQL query is larger than {} MiB.", RESULT_BYTES_MAX >> 20)
}
