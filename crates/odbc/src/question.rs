//! Queries and their results, as messages between processes.

use serde::{Deserialize, Serialize};

/// Bytes of a result.
pub const RESULT_BYTES_MAX: usize = 16 << 20;

/// The form of a result.
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

/// A query, and its data source.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub shape: Shape,
    /// Name of a data source in the machine's own settings.
    pub dsn: String,
    /// If it is not empty, it is used instead of the data source, with user and password in it.
    pub connection: String,
    /// Empty: that of the data source.
    pub user: String,
    pub password: String,
    pub query: String,
    /// The time-out given to drivers; most obey it.
    pub timeout_s: u32,
    /// The caller wants to see the rows of the query: see [`Seen`].
    #[serde(default)]
    pub with_rows: bool,
}

impl std::fmt::Debug for Question {
    /// The connection string may have a password too.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("dsn", &self.dsn).finish_non_exhaustive()
    }
}

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryAnswer {
    Value(String),
    /// The error, for the user.
    Error(String),
}

/// An answer, with the rows that the caller wanted to see.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryReply {
    #[serde(flatten)]
    pub answer: QueryAnswer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// Rows of one result that are shown.
const ROWS_SHOWN_MAX: u32 = 5;
/// Rows up to which rows are counted that the value does not use.
const ROWS_COUNTED_MAX: u32 = 100;
const COLUMNS_SHOWN_MAX: u16 = 20;
/// Characters of a value.
const VALUE_SHOWN_MAX: usize = 200;

/// The part of a result that is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Seen {
    pub n_columns: u16,
    /// Names of the first.
    pub columns: Vec<String>,
    pub n_rows: u32,
    /// There are more, or there may be.
    pub has_more: bool,
    /// Values of the first, cut; `None`: NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Seen {
    pub(crate) fn n_columns_shown(&self) -> u16 {
        self.n_columns.min(COLUMNS_SHOWN_MAX)
    }

    pub(crate) fn begin_row(&mut self) {
        self.n_rows = self.n_rows.saturating_add(1);
        if self.is_shown() {
            self.rows.push(Vec::new());
        }
    }

    /// Whether values of the last begun row are shown.
    pub(crate) fn is_shown(&self) -> bool {
        self.n_rows <= ROWS_SHOWN_MAX
    }

    pub(crate) fn is_counted(&self) -> bool {
        self.n_rows < ROWS_COUNTED_MAX
    }

    /// Columns of a row follow each other.
    pub(crate) fn value(&mut self, value: Option<&str>) {
        let n_max = usize::from(self.n_columns_shown());
        if self.is_shown()
            && let Some(row) = self.rows.last_mut().filter(|it| it.len() < n_max)
        {
            row.push(value.map(|it| it.chars().take(VALUE_SHOWN_MAX).collect()));
        }
    }
}

pub(crate) fn too_long() -> String {
    format!("The result of the SQL query is larger than {} MiB.", RESULT_BYTES_MAX >> 20)
}
