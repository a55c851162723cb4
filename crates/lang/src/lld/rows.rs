//! Rows: `[{"{#NAME}": "value"}, …]`, also below `data`, with macros by JSONPath.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use model::content::LldMacroPath;
use model::snapshot::{LldNames, LldRow};
use thiserror::Error;

use crate::macros::is_lld_macro;
use formats::json::{Doc, JsonError, JsonKind, NodeId};
use formats::jsonpath::{JsonPath, PathError};

/// Rows that one value may have.
const ROWS_MAX: usize = 1_000_000;

/// Why a value gives no rows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RowsError {
    /// No JSON.
    #[error("Invalid discovery rule value: {0}")]
    Json(#[from] JsonError),
    /// Neither an array nor an object with one, or with an object, as `data`.
    #[error("Cannot find the \"data\" array in the received JSON object.")]
    NoArray,
    /// More rows than any network has.
    #[error("Discovery value has more than {ROWS_MAX} rows.")]
    TooMany,
    /// A macro's path is malformed.
    #[error("Cannot process LLD macro \"{name}\": {error}.")]
    Path {
        /// The macro.
        name: String,
        /// The error.
        error: PathError,
    },
}

/// A row and the time zone that functions of its macros write times in.
#[derive(Debug, Clone, Copy)]
pub struct RowIn<'a> {
    row: &'a LldRow,
    pub(super) zone: &'a TimeZone,
}

impl<'a> RowIn<'a> {
    /// The row for texts that are expanded in a zone.
    #[must_use]
    pub fn new(row: &'a LldRow, zone: &'a TimeZone) -> Self {
        Self { row, zone }
    }

    /// The value of `{#NAME}`.
    #[must_use]
    pub fn get(self, name: &str) -> Option<&'a str> {
        self.row.get(name)
    }
}

/// Macros of a rule that are taken from rows by path.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    paths: Vec<(Arc<str>, JsonPath)>,
}

impl Paths {
    /// Compiles the paths of a rule.
    ///
    /// # Errors
    /// Which path is malformed.
    pub fn new(paths: &[LldMacroPath]) -> Result<Self, RowsError> {
        let compile = |it: &LldMacroPath| match JsonPath::parse(&it.path) {
            Ok(path) => Ok((Arc::from(it.lld_macro.as_str()), path)),
            Err(error) => Err(RowsError::Path { name: it.lld_macro.clone(), error }),
        };
        Ok(Self { paths: paths.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// The rows of a value.
    ///
    /// # Errors
    /// If the value has none; nothing is lost then, while an empty array loses everything.
    pub fn rows(&self, value: &str) -> Result<Vec<LldRow>, RowsError> {
        let mut rows = Vec::new();
        self.each(value, |row, _text| rows.push(row))?;
        Ok(rows)
    }

    /// As [`Self::rows`], with the JSON of each.
    ///
    /// # Errors
    /// As there.
    pub fn rows_with_texts(&self, value: &str) -> Result<Vec<(LldRow, String)>, RowsError> {
        let mut rows = Vec::new();
        self.each(value, |row, text| rows.push((row, text.to_owned())))?;
        Ok(rows)
    }

    fn each(&self, value: &str, mut found: impl FnMut(LldRow, &str)) -> Result<(), RowsError> {
        let doc = Doc::parse(value)?;
        let array = match doc.kind(doc.root()) {
            JsonKind::Array => doc.root(),
            _ => doc.member(doc.root(), "data").ok_or(RowsError::NoArray)?,
        };
        match doc.kind(array) {
            JsonKind::Array => {}
            // Zabbix takes it for a list without a row.
            JsonKind::Object => return Ok(()),
            _ => return Err(RowsError::NoArray),
        }
        if doc.len(array) > ROWS_MAX {
            return Err(RowsError::TooMany);
        }
        // A list is a row without macros; numbers, texts and the like are no rows.
        let is_row = |it: &NodeId| matches!(doc.kind(*it), JsonKind::Object | JsonKind::Array);
        let mut names = LldNames::default();
        for it in doc.children(array).filter(is_row) {
            let mut row = self.row(&doc, it);
            names.share(&mut row);
            found(row, doc.raw(it));
        }
        Ok(())
    }

    /// The macros of one row: its members that are named like macros and have a plain value, of
    /// equal names the first, and those by path. A macro with a path has no other value.
    fn row(&self, doc: &Doc<'_>, object: NodeId) -> LldRow {
        let mut macros: BTreeMap<Cow<'_, str>, Cow<'_, str>> = BTreeMap::new();
        for member in doc.children(object) {
            let name = doc.name(member);
            let is_plain =
                !matches!(doc.kind(member), JsonKind::Null | JsonKind::Object | JsonKind::Array);
            if is_lld_macro(&name) && is_plain {
                macros.entry(name).or_insert_with(|| doc.text(member));
            }
        }
        for (name, path) in &self.paths {
            macros.remove(&**name);
            // Paths begin at the row: queried as a document of its own.
            if let Ok(Some(found)) = path.query_text(doc.raw(object)) {
                macros.insert(Cow::Borrowed(&**name), Cow::Owned(found));
            }
        }
        LldRow::new(macros)
    }
}

/// Are two discovery values (arrays of objects) equal, whatever the order of rows and members?
///
/// # Errors
/// If one of them is no JSON.
pub fn same_rows(left: &str, right: &str) -> Result<bool, JsonError> {
    Ok(normalized(left)? == normalized(right)?)
}

fn normalized(text: &str) -> Result<Vec<BTreeMap<String, String>>, JsonError> {
    let doc = Doc::parse(text)?;
    let members =
        |row| doc.children(row).map(|it| (doc.name(it).into_owned(), doc.compact(it))).collect();
    let mut rows: Vec<BTreeMap<String, String>> = doc.children(doc.root()).map(members).collect();
    rows.sort_unstable();
    rows.dedup();
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_bare_or_below_data() {
        let paths =
            Paths::new(&[LldMacroPath { lld_macro: "{#ID}".to_owned(), path: "$.id".to_owned() }])
                .unwrap();
        let rows = paths.rows(r#"{"data":[{"{#A}":"x","id":7,"{#N}":null}]}"#).unwrap();
        assert_eq!(rows, [LldRow::new([("{#A}", "x"), ("{#ID}", "7")])]);
        assert_eq!(paths.rows("[]").unwrap(), []);
        for (value, expected) in [
            (r#"{"data":{}}"#, Ok(vec![])),
            (r#"{"data":{"{#A}":"x"}}"#, Ok(vec![])),
            (
                "[1,null,\"x\",[2],{\"{#A}\":1.50}]",
                Ok(vec![LldRow::default(), row("{#A}", "1.50")]),
            ),
            ("{}", Err(RowsError::NoArray)),
            (r#"{"data":5}"#, Err(RowsError::NoArray)),
        ] {
            assert_eq!(Paths::default().rows(value), expected, "{value}");
        }
        assert!(matches!(paths.rows("x"), Err(RowsError::Json(_))));
    }

    fn row(name: &'static str, value: &'static str) -> LldRow {
        LldRow::new([(name, value)])
    }

    #[test]
    fn macros_take_the_first_of_a_name_or_the_value_of_their_path() {
        let rows = |value: &str| {
            let path = LldMacroPath { lld_macro: "{#P}".to_owned(), path: "$.p".to_owned() };
            Paths::new(&[path]).unwrap().rows(value).unwrap()
        };
        assert_eq!(rows(r#"[{"{#A}":{"a":1},"{#B}":[1],"{#C}":true}]"#), [row("{#C}", "true")]);
        assert_eq!(rows(r#"[{"{#A}":"x","{#A}":"y"}]"#), [row("{#A}", "x")]);
        assert_eq!(
            rows(r#"[{"{#P}":"x"},{"{#P}":"x","p":5}]"#),
            [LldRow::default(), row("{#P}", "5")]
        );
    }
}
