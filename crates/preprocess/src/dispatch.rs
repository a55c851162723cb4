//! *Dispatch to hosts*: rows of a JSON document go to the hosts that they name. Only the split into
//! rows is here; the router, which knows the hosts, delivers them.

use super::error::StepError;
use formats::json::{Doc, JsonKind, NodeId};
use formats::jsonpath::JsonPath;

/// Rows that one value may have.
const ROWS_MAX: usize = 100_000;

/// How rows name their host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostBy {
    /// By technical name.
    Name,
    /// By the address of an interface.
    Ip,
}

/// A step's parameters.
#[derive(Debug, Clone)]
pub struct Dispatch {
    by: HostBy,
    /// From the row.
    host: JsonPath,
    /// From the document: one array, or one row.
    rows: Option<JsonPath>,
    /// Key of the item that takes the row; `None`: that of the item with the step.
    key: Option<Box<str>>,
}

/// The result of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dispatched {
    /// Host (by [`Dispatch::by`]) and row, compact.
    pub rows: Vec<(String, String)>,
    /// Rows that name no host.
    pub n_nameless: usize,
}

impl Dispatch {
    /// Reads `name` or `ip`, the path of the host within a row, and perhaps the path of the array of
    /// rows (by default the document) and the key of the items that take them, a line each.
    pub(super) fn compile(params: &str) -> Result<Self, StepError> {
        let mut lines = params.split('\n');
        let by = match lines.next().unwrap_or("") {
            "name" => HostBy::Name,
            "ip" => HostBy::Ip,
            other => {
                return Err(StepError::Parameters(format!(
                    "invalid mode \"{other}\": name or ip is expected"
                )));
            }
        };
        let path = |text: &str| match JsonPath::parse(text) {
            Ok(it) if it.is_definite() => Ok(it),
            Ok(_) => {
                Err(StepError::Parameters(format!("path \"{text}\" may match more than one value")))
            }
            Err(error) => Err(StepError::Parameters(error.to_string())),
        };
        let host = path(lines.next().unwrap_or(""))?;
        let rows = lines.next().filter(|it| !matches!(*it, "" | "$")).map(path).transpose()?;
        let key = lines.next().map(str::trim).filter(|it| !it.is_empty()).map(Box::from);
        Ok(Self { by, host, rows, key })
    }

    /// How rows name their host.
    #[must_use]
    pub fn by(&self) -> HostBy {
        self.by
    }

    /// The key of the items that take the rows, if it is not that of the item with the step.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Splits a document into rows.
    ///
    /// # Errors
    /// If the text is no JSON, has no rows where they are expected, or too many.
    pub fn split(&self, text: &str) -> Result<Dispatched, StepError> {
        let failed = |why: &dyn std::fmt::Display| {
            StepError::Value(format!("cannot dispatch rows to hosts: {why}"))
        };
        let doc = Doc::parse(text).map_err(|it| failed(&it))?;
        let rows = self.rows.as_ref().map_or(Some(doc.root()), |it| it.find_one(&doc));
        let Some(rows) = rows else {
            return Err(failed(&"no data matches the path of the rows"));
        };
        let rows: Vec<NodeId> = match doc.kind(rows) {
            JsonKind::Array => doc.children(rows).collect(),
            JsonKind::Object => vec![rows],
            _ => return Err(failed(&"rows are expected to be an array of objects")),
        };
        if rows.len() > ROWS_MAX {
            return Err(failed(&"there are too many rows"));
        }
        let mut found = Dispatched::default();
        for row in rows {
            let host = self.host.find_from(&doc, row).map(|it| doc.text(it));
            match host.filter(|it| !it.is_empty()) {
                Some(host) => found.rows.push((host.into_owned(), doc.compact(row))),
                None => found.n_nameless += 1,
            }
        }
        Ok(found)
    }
}
