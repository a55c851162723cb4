//! XML documents: a strict parser, XPath 1.0 over them, and their conversion to and from JSON.
//!
//! Why not a library: `docs/decisions/0012-xml-and-xpath.md`. Rules of Zabbix, which uses libxml2:
//! white space is kept, CDATA sections stay what they are, what a query finds is written out again.
//! Entities other than the five of XML are refused, so nothing is expanded and nothing is fetched.

mod dump;
mod from_json;
mod parse;
mod to_json;
mod tree;
pub mod xpath;

use thiserror::Error;

pub use from_json::from_json;
pub use to_json::to_json;
pub use tree::Doc;
pub use xpath::{XPath, XPathError};

/// Deepest nesting of elements; as libxml2.
pub const DEPTH_MAX: usize = 256;

/// Why a text is no XML document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot parse xml value: {what} at line {line}: '{near}'")]
pub struct XmlError {
    /// The fault.
    pub what: &'static str,
    /// Line of the text, from 1.
    pub line: usize,
    /// The text from the place on, shortened.
    pub near: String,
}

/// The result of an XPath in a text: nodes as XML, numbers and texts as they are, booleans as 0 or
/// 1, and an empty text for no node.
///
/// # Errors
/// If the text is no XML, the path is malformed or gives no number.
pub fn xpath(text: &str, path: &str) -> Result<String, XPathError> {
    let doc = Doc::parse(text)?;
    XPath::parse(path)?.query_text(&doc)
}
