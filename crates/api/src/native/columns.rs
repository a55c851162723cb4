//! Tables as columns, written straight as JSON: plain lists, and dictionaries for texts that
//! repeat. A hundred thousand rows cost no object each.

use std::fmt::{Display, Write};

use model::map::Map;

/// A list under construction.
#[derive(Default)]
pub(super) struct Column(String);

impl Column {
    fn separate(&mut self) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
    }

    /// A number or `true`/`false`, as it is.
    pub(super) fn plain(&mut self, it: impl Display) {
        self.separate();
        // Writing to a String cannot fail.
        write!(self.0, "{it}").expect("memory takes text");
    }

    /// A finite number; others are `null`, which JSON has no number for.
    pub(super) fn float(&mut self, it: f64) {
        self.raw(&float(it));
    }

    pub(super) fn text(&mut self, it: &str) {
        self.separate();
        self.0.push_str(&quoted(it));
    }

    /// An id: a text, since numbers of browsers end at 2^53.
    pub(super) fn id(&mut self, it: impl Display) {
        self.separate();
        write!(self.0, "\"{it}\"").expect("memory takes text");
    }

    /// A piece of JSON.
    fn raw(&mut self, json: &str) {
        self.separate();
        self.0.push_str(json);
    }

    pub(super) fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('[');
        }
        self.0.push(']');
        self.0
    }
}

/// A column with repeated values: each is written once.
#[derive(Default)]
pub(super) struct Dict {
    known: Map<String, usize>,
    entries: Column,
    idx: Column,
}

impl Dict {
    pub(super) fn text(&mut self, it: &str) {
        // Looked up first: most rows have a value that is known.
        match self.known.get(it) {
            Some(at) => self.idx.plain(at),
            None => {
                self.entries.text(it);
                self.remember(it);
            }
        }
    }

    /// An id and a name: `[id, name]`.
    pub(super) fn pair(&mut self, id: u64, name: &str) {
        let json = format!("[\"{id}\",{}]", quoted(name));
        self.json(&json);
    }

    /// Tags: `[[tag, value], …]`.
    pub(super) fn tags(&mut self, tags: &[model::content::Tag]) {
        self.json(&tags_json(tags));
    }

    fn json(&mut self, json: &str) {
        match self.known.get(json) {
            Some(at) => self.idx.plain(at),
            None => {
                self.entries.raw(json);
                self.remember(json);
            }
        }
    }

    fn remember(&mut self, key: &str) {
        let at = self.known.len();
        self.known.insert(key.to_owned(), at);
        self.idx.plain(at);
    }

    /// The values since the last call; positions go on.
    pub(super) fn take(&mut self) -> String {
        let (entries, idx) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.idx));
        format!("{{\"new\":{},\"idx\":{}}}", entries.finish(), idx.finish())
    }

    pub(super) fn finish(self) -> String {
        format!("{{\"dict\":{},\"idx\":{}}}", self.entries.finish(), self.idx.finish())
    }
}

/// A finite number; others are `null`, which JSON has no number for.
pub(super) fn float(it: f64) -> String {
    if it.is_finite() { it.to_string() } else { "null".to_owned() }
}

pub(super) fn tags_json(tags: &[model::content::Tag]) -> String {
    let mut list = Column::default();
    for tag in tags {
        list.raw(&format!("[{},{}]", quoted(&tag.tag), quoted(&tag.value)));
    }
    list.finish()
}

/// `{"name":column,…}`
pub(super) fn object(columns: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(columns.iter().map(|(_, it)| it.len() + 20).sum());
    for (name, column) in columns {
        out.push(if out.is_empty() { '{' } else { ',' });
        out.push_str(&quoted(name));
        out.push(':');
        out.push_str(column);
    }
    out.push('}');
    out
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn columns_are_json_and_repeated_texts_are_written_once() {
        let mut name = Dict::default();
        let mut value = Column::default();
        for (text, number) in [("a\"b", 1.5), ("c", f64::NAN), ("a\"b", 2.0)] {
            name.text(text);
            value.float(number);
        }
        let written = object(&[
            ("name", name.finish()),
            ("value", value.finish()),
            ("none", Column::default().finish()),
            ("tags", Dict::default().finish()),
        ]);
        let read: Value = serde_json::from_str(&written).expect("JSON");
        let expected = json!({
            "name": {"dict": ["a\"b", "c"], "idx": [0, 1, 0]},
            "value": [1.5, null, 2.0],
            "none": [],
            "tags": {"dict": [], "idx": []},
        });
        // 2.0 is written as 2.
        assert_eq!(read.to_string().replace("2.0", "2"), expected.to_string().replace("2.0", "2"));
    }
}
