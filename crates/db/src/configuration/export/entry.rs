//! Objects of a document, field by field: fields at their default are left out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use formats::document::Value;
use model::ItemId;
use model::content::{NamedValue, Tag};

/// Triggers that use one item alone, by that item.
pub(super) type OfItems = BTreeMap<ItemId, Vec<Value>>;

/// An object under way; its fields keep the order in which they are given.
#[derive(Debug, Default)]
pub(super) struct Entry(Vec<(Cow<'static, str>, Value)>);

impl From<Entry> for Value {
    fn from(entry: Entry) -> Self {
        Self::Object(entry.0)
    }
}

impl Entry {
    /// A field that always stands there.
    pub(super) fn text(&mut self, name: &'static str, text: impl Into<String>) {
        self.0.push((name.into(), Value::Text(text.into())));
    }

    /// A text that is left out when it is this one.
    pub(super) fn text_unless(&mut self, name: &'static str, text: &str, default: &str) {
        if text != default {
            self.text(name, text);
        }
    }

    /// A text that is left out when it is empty.
    pub(super) fn filled(&mut self, name: &'static str, text: &str) {
        self.text_unless(name, text, "");
    }

    /// A number that is left out when it is this one.
    pub(super) fn number<T: PartialEq + ToString>(
        &mut self,
        name: &'static str,
        number: &T,
        default: &T,
    ) {
        if number != default {
            self.text(name, number.to_string());
        }
    }

    /// A code by its name. One without name is written as it is.
    pub(super) fn code(&mut self, name: &'static str, code: i64, codes: &[(&'static str, i64)]) {
        let known = codes.iter().find(|it| it.1 == code).map(|it| it.0.to_owned());
        self.text(name, known.unwrap_or_else(|| code.to_string()));
    }

    /// A code that is left out when it is this one.
    pub(super) fn code_unless(
        &mut self,
        name: &'static str,
        code: i64,
        codes: &[(&'static str, i64)],
        default: i64,
    ) {
        if code != default {
            self.code(name, code, codes);
        }
    }

    /// A list that is left out when it is empty.
    pub(super) fn list(&mut self, name: &'static str, list: Vec<Value>) {
        if !list.is_empty() {
            self.0.push((name.into(), Value::List(list)));
        }
    }

    /// A list that stands there when it is empty, too.
    pub(super) fn whole_list(&mut self, name: &'static str, list: Vec<Value>) {
        self.0.push((name.into(), Value::List(list)));
    }

    /// An object that stands there when it has no fields, too.
    pub(super) fn whole_child(&mut self, name: &'static str, child: Self) {
        self.0.push((name.into(), child.into()));
    }

    /// An object that is left out when it has no fields.
    pub(super) fn child(&mut self, name: &'static str, child: Self) {
        if !child.0.is_empty() {
            self.0.push((name.into(), child.into()));
        }
    }

    /// Puts fields into this order; others stay after them as they are.
    pub(super) fn sort_by(&mut self, order: &[&str]) {
        let place = |name: &str| order.iter().position(|it| *it == name).unwrap_or(order.len());
        self.0.sort_by_key(|(name, _)| place(name));
    }
}

/// An object of one field.
pub(super) fn one(name: &'static str, text: &str) -> Entry {
    let mut entry = Entry::default();
    entry.text(name, text);
    entry
}

pub(super) fn tags(tags: &[Tag]) -> Vec<Value> {
    let entry = |it: &Tag| {
        let mut entry = one("tag", &it.tag);
        entry.filled("value", &it.value);
        entry.into()
    };
    let mut tags: Vec<&Tag> = tags.iter().collect();
    tags.sort();
    tags.into_iter().map(entry).collect()
}

/// Headers, query fields, parameters, variables.
pub(super) fn pairs(pairs: &[NamedValue]) -> Vec<Value> {
    let entry = |it: &NamedValue| {
        let mut entry = one("name", &it.name);
        entry.filled("value", &it.value);
        entry.into()
    };
    pairs.iter().map(entry).collect()
}
