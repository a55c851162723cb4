//! Entry points of the fuzz targets (`fuzz/`), which also run over their corpora as ordinary tests;
//! and what the tests of other crates put hostile texts together from.
//!
//! Each takes any bytes and asserts what must hold for any text.

mod hostile;

pub use hostile::{PIECES, TOWERS};

use crate::json::Doc;
use crate::jsonpath::JsonPath;
use crate::prometheus;
use crate::regexp::{Regexp, expand};
use crate::snmp_walk::{self, Column, OctetFormat, Walk, WalkOid};
use crate::wildcard;
use crate::xml::XPath;

/// A target: takes any bytes.
pub type Target = fn(&[u8]);

/// Names of the targets with their functions.
pub const TARGETS: &[(&str, Target)] = &[
    ("jsonpath", jsonpath),
    ("xml", xml),
    ("csv", csv),
    ("prometheus", prometheus),
    ("snmp_walk", snmp_walk),
    ("regexp", regexp),
];

/// The input of targets that take texts.
#[must_use]
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// JSONPath: the first line is the path, the rest the document. Definite paths give one value.
pub fn jsonpath(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let (path, json) = text.split_once('\n').unwrap_or((text, "{}"));
    let doc = Doc::parse(json);
    assert_eq!(
        doc.is_ok(),
        serde_json::from_str::<&serde_json::value::RawValue>(json).is_ok() && doc.is_ok(),
        "what we parse is JSON"
    );
    let (Ok(path), Ok(doc)) = (JsonPath::parse(path), doc) else { return };
    let _compact = doc.compact(doc.root());
    let found = path.query(&doc);
    let indexed = doc.indexed();
    assert_eq!(path.query(&indexed), found, "indexes change nothing");
    assert_eq!(path.query(&indexed), found, "made or known");
}

/// XML: the first line is a path, the rest the document. Written text parses again to the same.
pub fn xml(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let (path, rest) = text.split_once('\n').unwrap_or(("/", text));
    let _xml = crate::xml::from_json(rest);
    let path = XPath::parse(path);
    let Ok(doc) = crate::xml::Doc::parse(rest) else { return };
    if let Ok(path) = path {
        let _found = path.query_text(&doc);
    }
    let written = crate::xml::xpath(rest, "/").expect("what parses is written");
    let again = crate::xml::xpath(&written, "/").expect("what is written parses");
    assert_eq!(written, again);
    if let Err(error) = Doc::parse(&doc.to_json()) {
        assert_eq!(error.what, "JSON depth exceeds 64");
    }
}

/// CSV: the first three lines are the step's parameters. The result is JSON.
pub fn csv(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let at = text.match_indices('\n').nth(2).map_or(text.len(), |it| it.0);
    let (params, rest) = text.split_at(at);
    let Ok(format) = crate::csv::parse_format(params) else { return };
    if let Ok(json) = crate::csv::to_json(rest.strip_prefix('\n').unwrap_or(""), &format) {
        Doc::parse(&json).expect("JSON");
    }
}

/// Prometheus text: the first line is a query. Asked twice it answers the same.
pub fn prometheus(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let (query, rest) = text.split_once('\n').unwrap_or(("", text));
    let _line = prometheus::parse_line(rest);
    let Ok(query) = prometheus::PrometheusQuery::parse(query) else { return };
    let mut metrics = prometheus::Metrics::parse(rest);
    let output = prometheus::PrometheusOutput::Aggregate(prometheus::Aggregate::Sum);
    let found = metrics.query(&query, &output);
    assert_eq!(metrics.query(&query, &output), found);
    let _value = metrics.query(&query, &prometheus::PrometheusOutput::Value);
    if let Ok(json) = metrics.to_json(&query) {
        Doc::parse(&json).expect("JSON");
    }
}

/// SNMP walks: the first line is an object identifier. Read at once or line by line it is the same.
pub fn snmp_walk(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let (oid, rest) = text.split_once('\n').unwrap_or((".1", text));
    let Ok(oid) = WalkOid::parse(oid) else { return };
    let walk = Walk::parse(rest);
    for form in [OctetFormat::Unchanged, OctetFormat::Utf8, OctetFormat::Mac, OctetFormat::Bits] {
        assert_eq!(walk.value(&oid, form), snmp_walk::value(rest, &oid, form));
        let column = Column { name: "{#A}".to_owned(), oid: oid.clone(), form };
        if let Ok(json) = walk.to_json(&[column]) {
            Doc::parse(&json).expect("JSON");
        }
    }
}

/// Regular expressions: the first line is the pattern, the second a template, the rest the text.
pub fn regexp(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or("");
    let (pattern, template, text) = (line(), line(), line());
    let _matches = wildcard::matches(pattern, text);
    for regexp in [Regexp::new(pattern), Regexp::new_caseless(pattern)].into_iter().flatten() {
        assert_eq!(regexp.pattern(), pattern);
        let (Ok(is_match), Ok(groups)) = (regexp.is_match(text), regexp.groups(text)) else {
            continue;
        };
        assert_eq!(is_match, groups.is_some(), "a match has groups");
        let Some(groups) = groups else { continue };
        let (start, end) = groups.span();
        // `\K` in a look-ahead lets a match begin after its end.
        if start <= end {
            assert!(text.get(start..end).is_some(), "a match ends between characters");
        }
        let _expanded = expand(template, &groups);
        let _extracted = regexp.extract(text, template);
    }
}
