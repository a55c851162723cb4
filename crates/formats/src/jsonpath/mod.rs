//! JSONPath, Zabbix's dialect: dot and bracket notation, lists, slices, `..`, filters with arithmetic,
//! comparison and regular expressions, `min max avg sum length first`, `~` for names.
//!
//! A path is *definite* if at most one value can match. Its result is that value as text; the result
//! of an indefinite path is a JSON array of what matched, as written.

mod ast;
mod filter;
mod parse;
mod parse_filter;
mod query;
mod result;

use std::sync::Arc;

use crate::json::{Doc, NodeId};

pub use ast::{Func, Matcher, Segment};
pub use result::{PathError, PathValue};

/// A parsed path; cheap to clone.
#[derive(Debug, Clone)]
pub struct JsonPath {
    segments: Arc<[Segment]>,
    definite: bool,
}

impl JsonPath {
    /// Parses a path.
    ///
    /// # Errors
    /// What is wrong with the path: [`PathError::Root`], [`PathError::Terminated`] or
    /// [`PathError::Syntax`].
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let segments = parse::parse_path(text)?;
        let definite = ast::is_definite(&segments);
        Ok(Self { segments: segments.into(), definite })
    }

    /// Can at most one value match?
    #[must_use]
    pub fn is_definite(&self) -> bool {
        self.definite
    }

    /// Its segments.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The result of the path in a document.
    ///
    /// # Errors
    /// If a function or filter can't be calculated.
    pub fn query(&self, doc: &Doc<'_>) -> Result<PathValue, PathError> {
        query::run(doc, &self.segments)
    }

    /// The value that a definite path without functions finds.
    #[must_use]
    pub fn find_one(&self, doc: &Doc<'_>) -> Option<NodeId> {
        query::find_one(doc, doc.root(), &self.segments)
    }

    /// As [`JsonPath::find_one`], from a value instead of the document.
    #[must_use]
    pub fn find_from(&self, doc: &Doc<'_>, from: NodeId) -> Option<NodeId> {
        query::find_one(doc, from, &self.segments)
    }

    /// The result of the path in a text, as text: `None` for nothing.
    ///
    /// # Errors
    /// If the text is no JSON, or a function or filter can't be calculated.
    pub fn query_text(&self, json: &str) -> Result<Option<String>, PathError> {
        let doc = Doc::parse(json)?;
        Ok(self.query(&doc)?.into_text())
    }
}
