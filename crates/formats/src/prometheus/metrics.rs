//! A whole text: its lines with indexes over them, and what queries make of it.

use std::borrow::Cow;

use model::map::LookupMap;

use super::PrometheusError;
use super::line::{Cursor, number_of, unescape_help};
use super::query::{Aggregate, Operator, PrometheusOutput, PrometheusQuery};
use crate::{json, number};

/// The longest result. A longer one is an error.
const JSON_BYTES_MAX: usize = 64 << 20;
/// The most matching lines that an error shows.
const SHOWN_MAX: usize = 10;
/// Characters of a malformed line that an error shows.
const ROW_CHARS_MAX: usize = 50;
/// The most labels that are indexed; rows are searched by further ones without an index.
const INDEXES_MAX: usize = 32;

/// A line whose name could be read.
#[derive(Debug)]
struct Row<'t> {
    name: &'t str,
    labels: Vec<(&'t str, Cow<'t, str>)>,
    value: &'t str,
    raw: &'t str,
    /// Its fault, and the position.
    wrong: Option<Wrong>,
}

#[derive(Debug, Clone, Copy)]
struct Wrong {
    what: &'static str,
    at: usize,
    /// Labels could be read: the line counts only for queries that they fit.
    has_labels: bool,
}

/// The comments of a metric.
#[derive(Debug, Default)]
struct Hint<'t> {
    kind: Option<&'t str>,
    help: Option<Cow<'t, str>>,
}

type ByValue = LookupMap<String, Vec<u32>>;

/// A text's metrics.
#[derive(Debug)]
pub struct Metrics<'t> {
    text: &'t str,
    rows: Vec<Row<'t>>,
    by_name: LookupMap<&'t str, Vec<u32>>,
    /// Rows that are wrong; mostly none.
    wrong: Vec<u32>,
    /// By label and its value; made when a query asks for the label.
    by_label: LookupMap<String, ByValue>,
    hints: LookupMap<&'t str, Hint<'t>>,
    /// A line without a name: fails every query.
    unreadable: Option<(&'static str, usize)>,
}

impl<'t> Metrics<'t> {
    /// Reads a text. Faults are reported to the queries that they concern.
    #[must_use]
    pub fn parse(text: &'t str) -> Self {
        let mut metrics = Self {
            text,
            rows: Vec::new(),
            by_name: LookupMap::default(),
            wrong: Vec::new(),
            by_label: LookupMap::default(),
            hints: LookupMap::default(),
            unreadable: None,
        };
        metrics.read();
        metrics
    }

    fn read(&mut self) {
        let mut cursor = Cursor { text: self.text, at: 0 };
        while cursor.at < self.text.len() {
            cursor.skip_space();
            match cursor.peek() {
                Some(b'#') => self.comment(&cursor),
                Some(b'\n' | b'\r') => {}
                _ => match cursor.metric_name() {
                    Ok(name) => self.row(name, &mut cursor),
                    Err(wrong) => {
                        self.unreadable = Some(wrong);
                        return;
                    }
                },
            }
            let rest = cursor.rest().as_bytes();
            cursor.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |it| it + 1);
        }
    }

    /// Takes the line whose name was just read; the cursor ends on its last line.
    fn row(&mut self, name: &'t str, cursor: &mut Cursor<'t>) {
        let start = cursor.at - name.len();
        cursor.skip_space();
        let mut labels = Vec::new();
        let mut value = "";
        let mut wrong = None;
        if cursor.peek() == Some(b'{') {
            let behind_name = cursor.at;
            match cursor.labels() {
                Ok(it) => labels = it,
                Err((what, at)) => {
                    wrong = Some(Wrong { what, at, has_labels: false });
                    cursor.at = behind_name;
                }
            }
        }
        if wrong.is_none() {
            match cursor.value() {
                Ok(it) => value = it,
                Err((what, at)) => wrong = Some(Wrong { what, at, has_labels: true }),
            }
        }
        let rest = cursor.rest();
        let end = cursor.at + memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let raw = self.text.get(start..end).unwrap_or("").trim_end_matches('\r');
        let idx = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        if wrong.is_some() {
            self.wrong.push(idx);
        }
        self.by_name.entry(name).or_default().push(idx);
        self.rows.push(Row { name, labels, value, raw, wrong });
    }

    /// `# HELP name text` and `# TYPE name kind`; other comments say nothing.
    fn comment(&mut self, cursor: &Cursor<'t>) {
        let mut cursor = cursor.clone();
        cursor.at += 1;
        cursor.skip_space();
        let rest = cursor.rest();
        let Some(word) = rest.get(..4).filter(|it| matches!(*it, "HELP" | "TYPE")) else { return };
        if rest.as_bytes().get(4).is_some_and(|it| !it.is_ascii_whitespace()) {
            return;
        }
        cursor.at += 4;
        self.hint(word, &mut cursor);
    }

    /// The text of a hint after its word. A comment never costs values: the first of several
    /// counts, and one that cannot be read says nothing.
    fn hint(&mut self, word: &str, cursor: &mut Cursor<'t>) {
        cursor.skip_space();
        let Ok(name) = cursor.metric_name() else { return };
        let rest = cursor.rest();
        let len = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let text = rest.get(..len).unwrap_or("");
        if !text.is_empty() && !text.starts_with([' ', '\t', '\r']) {
            return;
        }
        let text = text.trim();
        let hint = self.hints.entry(name).or_default();
        if word == "TYPE" {
            hint.kind = hint.kind.or(Some(text).filter(|it| !it.is_empty()));
        } else if hint.help.is_none() {
            let is_escaped = text.contains('\\');
            hint.help = Some(if is_escaped { unescape_help(text).into() } else { text.into() });
        }
    }

    fn error(&self, what: &'static str, at: usize) -> PrometheusError {
        let before = self.text.as_bytes().get(..at).unwrap_or(&[]);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let start = memchr::memrchr(b'\n', before).map_or(0, |it| it + 1);
        let row = self.text.get(start..).unwrap_or("").lines().next().unwrap_or("");
        let row = row.trim_start_matches([' ', '\t']);
        let end = row.char_indices().nth(ROW_CHARS_MAX);
        let near = match end {
            Some((end, _)) => format!("{}...", row.get(..end).unwrap_or("")),
            None => row.to_owned(),
        };
        PrometheusError::Data { what, line, near }
    }

    /// The rows that a query matches, in the order of the text.
    fn find(&mut self, query: &PrometheusQuery) -> Result<Vec<u32>, PrometheusError> {
        let indexed = || query.labels.iter().filter(|it| it.1.operator == Operator::Equal);
        for (label, _) in indexed() {
            self.index(label);
        }
        for idx in &self.wrong {
            self.check(&self.rows[position(*idx)], query)?;
        }
        if let Some((what, at)) = self.unreadable {
            return Err(self.error(what, at));
        }
        let none = Vec::new();
        let by_name = match &query.name {
            Some(it) if it.operator == Operator::Equal => {
                Some(self.by_name.get(it.pattern.as_str()).unwrap_or(&none))
            }
            _ => None,
        };
        // The label that says most: of `{namespace="production",pod="web-1"}` it is the second one.
        let by_label = indexed().filter_map(|(label, condition)| {
            let index = self.by_label.get(label.as_str())?;
            Some(index.get(condition.pattern.as_str()).unwrap_or(&none))
        });
        let by_label = by_label.min_by_key(|it| it.len());
        let shorter = match (by_name, by_label) {
            (Some(a), Some(b)) => Some(if a.len() <= b.len() { a } else { b }),
            (a, b) => a.or(b),
        };
        let mut found = Vec::new();
        let mut take = |idx: u32| -> Result<(), PrometheusError> {
            if self.fits(&self.rows[position(idx)], query)? {
                found.push(idx);
            }
            Ok(())
        };
        match shorter {
            Some(rows) => rows.iter().try_for_each(|it| take(*it))?,
            None => (0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)).try_for_each(take)?,
        }
        Ok(found)
    }

    /// Indexes the rows by a label.
    fn index(&mut self, label: &str) {
        if self.by_label.len() >= INDEXES_MAX || self.by_label.contains_key(label) {
            return;
        }
        let mut index = ByValue::default();
        for (idx, row) in self.rows.iter().enumerate() {
            if let Some((_, value)) = row.labels.iter().find(|it| it.0 == label) {
                let idx = u32::try_from(idx).unwrap_or(u32::MAX);
                index.entry_ref(&**value).or_default().push(idx);
            }
        }
        self.by_label.insert(label.to_owned(), index);
    }

    /// Fails if a query has to look at a row that is wrong.
    fn check(&self, row: &Row<'_>, query: &PrometheusQuery) -> Result<(), PrometheusError> {
        let Some(wrong) = row.wrong else { return Ok(()) };
        let is_seen = match &query.name {
            Some(it) => it.holds(row.name)?,
            None => true,
        };
        if is_seen && (!wrong.has_labels || fits_labels(row, query)?) {
            return Err(self.error(wrong.what, wrong.at));
        }
        Ok(())
    }

    fn fits(&self, row: &Row<'_>, query: &PrometheusQuery) -> Result<bool, PrometheusError> {
        if let Some(name) = &query.name
            && !name.holds(row.name)?
        {
            return Ok(false);
        }
        if !fits_labels(row, query)? {
            return Ok(false);
        }
        Ok(query
            .value
            .as_ref()
            .is_none_or(|(_, wanted)| number_of(row.value).is_some_and(|it| is_same(it, *wanted))))
    }

    /// The result of a query, as text.
    ///
    /// # Errors
    /// If nothing matches, more than one metric does where one is wanted, or a line that the query
    /// looks at is malformed.
    pub fn query(
        &mut self,
        query: &PrometheusQuery,
        output: &PrometheusOutput,
    ) -> Result<String, PrometheusError> {
        let found = self.find(query)?;
        if let PrometheusOutput::Aggregate(function) = output {
            return self.aggregate(*function, &found);
        }
        let Some(first) = found.first() else { return Err(PrometheusError::NoMatch) };
        let row = &self.rows[position(*first)];
        if found.len() > 1 {
            return Err(PrometheusError::Several(self.shown(&found)));
        }
        match output {
            PrometheusOutput::Label(label) => match row.labels.iter().find(|it| it.0 == label) {
                Some((_, value)) => Ok(value.clone().into_owned()),
                None => Err(PrometheusError::NoLabel),
            },
            _ => Ok(row.value.to_owned()),
        }
    }

    /// Non-numbers are ignored. Nothing can be counted, but not calculated with.
    fn aggregate(&self, function: Aggregate, found: &[u32]) -> Result<String, PrometheusError> {
        let values = || {
            let all = found.iter().filter_map(|it| number_of(self.rows[position(*it)].value));
            all.filter(|it| !it.is_nan())
        };
        let count = number::u64_to_f64(values().count() as u64);
        let value = match function {
            Aggregate::Count => Some(count),
            Aggregate::Sum => values().reduce(|sum, it| sum + it),
            Aggregate::Avg => values().reduce(|sum, it| sum + it).map(|it| it / count),
            Aggregate::Min => values().reduce(f64::min),
            Aggregate::Max => values().reduce(f64::max),
        };
        value.map(number::format_f64).ok_or(PrometheusError::NoMatch)
    }

    fn shown(&self, found: &[u32]) -> String {
        let lines = found.iter().take(SHOWN_MAX).map(|it| self.rows[position(*it)].raw);
        let mut out = lines.collect::<Vec<_>>().join("\n");
        if found.len() > SHOWN_MAX {
            out.push_str("\n...");
        }
        out
    }

    /// All metrics that a query matches, as a JSON array.
    ///
    /// # Errors
    /// If a line that the query looks at is malformed.
    pub fn to_json(&mut self, query: &PrometheusQuery) -> Result<String, PrometheusError> {
        let found = self.find(query)?;
        let mut out = String::from("[");
        for (idx, row) in found.iter().map(|it| &self.rows[position(*it)]).enumerate() {
            if idx > 0 {
                out.push(',');
            }
            self.row_to_json(row, &mut out);
            if out.len() > JSON_BYTES_MAX {
                return Err(PrometheusError::TooLarge);
            }
        }
        out.push(']');
        Ok(out)
    }

    fn row_to_json(&self, row: &Row<'_>, out: &mut String) {
        let member = |out: &mut String, name: &str, value: &str| {
            out.push_str(name);
            out.push_str(&json::quote(value));
        };
        member(out, "{\"name\":", row.name);
        member(out, ",\"value\":", row.value);
        member(out, ",\"line_raw\":", row.raw);
        for (idx, (name, value)) in row.labels.iter().enumerate() {
            out.push_str(if idx == 0 { ",\"labels\":{" } else { "," });
            member(out, "", name);
            member(out, ":", value);
        }
        if !row.labels.is_empty() {
            out.push('}');
        }
        let hint = self.hints.get(row.name);
        member(out, ",\"type\":", hint.and_then(|it| it.kind).unwrap_or("untyped"));
        if let Some(help) = hint.and_then(|it| it.help.as_deref()) {
            member(out, ",\"help\":", help);
        }
        out.push('}');
    }
}

/// A label that is not there fits no condition.
fn fits_labels(row: &Row<'_>, query: &PrometheusQuery) -> Result<bool, PrometheusError> {
    for (label, condition) in &query.labels {
        let Some((_, value)) = row.labels.iter().find(|it| it.0 == label) else {
            return Ok(false);
        };
        if !condition.holds(value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_same(left: f64, right: f64) -> bool {
    if left.is_finite() && right.is_finite() {
        return number::same(left, right);
    }
    left.is_nan() && right.is_nan() || left.total_cmp(&right).is_eq()
}

fn position(idx: u32) -> usize {
    usize::try_from(idx).unwrap_or(usize::MAX)
}
