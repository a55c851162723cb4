//! Nodes of a document.

use thiserror::Error;

/// Deepest nesting of objects and arrays. Zabbix says 64 and takes two more.
pub const DEPTH_MAX: usize = 66;

/// Why a text is no JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot parse as a valid JSON object: {}", self.plain())]
pub struct JsonError {
    /// The expected token.
    pub what: &'static str,
    /// The text from the place on, shortened; `None`: the text ends too early.
    pub near: Option<String>,
}

impl JsonError {
    /// The error alone, as steps say it.
    #[must_use]
    pub fn plain(&self) -> String {
        match &self.near {
            Some(near) => format!("{} at: '{near}'", self.what),
            None => self.what.to_owned(),
        }
    }
}

/// Kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// Position of a node in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Bytes of the name with its quotes; empty for elements of arrays.
    pub(super) name_start: u32,
    pub(super) name_end: u32,
    /// Next sibling, or 0.
    pub(super) next: u32,
    pub(super) n_children: u32,
    pub(super) kind: JsonKind,
}
