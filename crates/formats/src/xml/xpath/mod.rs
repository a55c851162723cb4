//! XPath 1.0 over [`Doc`]: all axes, functions and types of the recommendation.
//!
//! There are no variables and no declared prefixes, as in Zabbix: names in a name space are found with
//! `local-name()` and `namespace-uri()`. The work of one query is bounded.

mod error;
mod eval;
mod func;
mod functions;
mod parse;
mod value;

use std::sync::Arc;

use super::tree::Doc;
pub use error::XPathError;
use value::Value;

/// A parsed path; cheap to clone.
#[derive(Debug, Clone)]
pub struct XPath {
    expr: Arc<parse::Expr>,
}

impl XPath {
    /// Parses a path.
    ///
    /// # Errors
    /// [`XPathError::Syntax`].
    pub fn parse(text: &str) -> Result<Self, XPathError> {
        parse::parse(text).map(|it| Self { expr: Arc::new(it) })
    }

    /// The result of the path: nodes as XML one after the other, numbers and texts as they are,
    /// booleans as 1 or 0.
    ///
    /// # Errors
    /// If the query can't be evaluated, or gives no finite number.
    pub fn query_text(&self, doc: &Doc<'_>) -> Result<String, XPathError> {
        self.find_text(doc).map(Option::unwrap_or_default)
    }

    /// As [`XPath::query_text`]; `None` if there is no such node.
    ///
    /// # Errors
    /// If the query can't be evaluated, or gives no finite number.
    pub fn find_text(&self, doc: &Doc<'_>) -> Result<Option<String>, XPathError> {
        self.find(doc, six_decimals)
    }

    /// As [`XPath::query_text`]; numbers have six decimals, as checks for errors show them.
    ///
    /// # Errors
    /// As [`XPath::query_text`].
    pub fn error_text(&self, doc: &Doc<'_>) -> Result<String, XPathError> {
        self.find(doc, |it| format!("{it:.6}")).map(Option::unwrap_or_default)
    }

    fn find(
        &self,
        doc: &Doc<'_>,
        number: impl FnOnce(f64) -> String,
    ) -> Result<Option<String>, XPathError> {
        Ok(Some(match eval::run(doc, &self.expr)? {
            Value::Nodes(nodes) if nodes.is_empty() => return Ok(None),
            Value::Nodes(nodes) => {
                let mut out = String::new();
                for node in nodes {
                    value::dump(doc, node, &mut out);
                    if out.len() > eval::TEXT_BYTES_MAX {
                        return Err(XPathError::TooExpensive);
                    }
                }
                out
            }
            Value::Text(it) => it,
            Value::Bool(it) => if it { "1" } else { "0" }.to_owned(),
            Value::Number(it) if it.is_finite() => number(it),
            Value::Number(_) => return Err(XPathError::Number),
        }))
    }
}

/// At most six decimals, as C writes a double, without zeros at the end.
fn six_decimals(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
