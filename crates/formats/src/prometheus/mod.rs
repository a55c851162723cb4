//! Prometheus' text exposition format: lines to metrics, queries over them, results as text or JSON.
//!
//! A text is read once, and its metrics are indexed by name and by the labels that queries ask for,
//! so that many queries over one text cost little more than one. A fault of a line counts only for
//! queries that read it.

mod line;
mod metrics;
mod query;

use thiserror::Error;

pub use line::{Line, parse_line};
pub use metrics::Metrics;
pub use query::{Aggregate, Condition, Operator, PrometheusOutput, PrometheusQuery};

/// Why a query gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PrometheusError {
    /// The query is malformed from here on.
    #[error("pattern error: {what}{}", at(.near.as_deref()))]
    Query {
        /// The fault.
        what: &'static str,
        /// The rest of the query, shortened, if the place matters.
        near: Option<String>,
    },
    /// The text is malformed here.
    #[error("data parsing error at row {line} \"{near}\": {what}")]
    Data {
        /// The fault.
        what: &'static str,
        /// Line of the text, from 1.
        line: usize,
        /// That line, shortened.
        near: String,
    },
    /// Nothing matches.
    #[error("data extraction error: no matching metrics found")]
    NoMatch,
    /// More than one metric matches where one is wanted.
    #[error("data extraction error: multiple matching metrics found:\n\n{0}")]
    Several(String),
    /// The metric has no such label.
    #[error("data extraction error: no label matches the specified output")]
    NoLabel,
    /// A regular expression hit a limit.
    #[error("{0}")]
    Regexp(String),
    /// The result is longer than any that the product accepts.
    #[error("the result is too large")]
    TooLarge,
}

fn at(near: Option<&str>) -> String {
    near.map_or_else(String::new, |it| format!(" at \"{it}\""))
}

#[cfg(test)]
mod tests;
