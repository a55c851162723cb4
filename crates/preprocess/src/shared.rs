//! Parsed forms of a value, shared by its dependents; each is made at its first use.

use super::data::Data;
use formats::json::{self, JsonError};
use formats::prometheus::Metrics;
use formats::snmp_walk::Walk;
use formats::xml::{self, XmlError};

/// The parsed forms of one text. Made once for a master's value and passed to the run of each of
/// its dependents; steps that get exactly this text use it.
#[derive(Debug)]
pub struct ParsedForms<'t> {
    text: &'t str,
    json: Option<Result<json::Doc<'t>, JsonError>>,
    xml: Option<Result<xml::Doc<'t>, XmlError>>,
    metrics: Option<Metrics<'t>>,
    walk: Option<Walk<'t>>,
}

impl<'t> ParsedForms<'t> {
    /// Of a text; nothing is parsed yet.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self { text, json: None, xml: None, metrics: None, walk: None }
    }

    /// Whether this value is the text itself, not only an equal one.
    pub(super) fn is_of(&self, data: &Data<'_>) -> bool {
        matches!(data, Data::Text(it) if std::ptr::eq::<str>(&**it, self.text))
    }

    pub(super) fn json(&mut self) -> Result<&json::Doc<'t>, &JsonError> {
        let parse = || json::Doc::parse(self.text).map(json::Doc::indexed);
        self.json.get_or_insert_with(parse).as_ref()
    }

    pub(super) fn xml(&mut self) -> Result<&xml::Doc<'t>, &XmlError> {
        self.xml.get_or_insert_with(|| xml::Doc::parse(self.text)).as_ref()
    }

    pub(super) fn metrics(&mut self) -> &mut Metrics<'t> {
        self.metrics.get_or_insert_with(|| Metrics::parse(self.text))
    }

    pub(super) fn walk(&mut self) -> &Walk<'t> {
        self.walk.get_or_insert_with(|| Walk::parse(self.text))
    }
}
