//! Scalars as the API writes them: nearly everything is a text.

use std::borrow::Cow;
use std::fmt::Display;

use model::Value as ItemValue;
use model::content::NamedValue;
use model::content_field::FieldValue;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::describe::Field;
use crate::query::output::Output;

/// An object of the API, canonical after validation.
pub(crate) type Fields = Map<String, Value>;

pub(crate) fn text(it: impl Into<String>) -> Value {
    Value::String(it.into())
}

/// Ids, codes and other numbers.
pub(crate) fn number(it: impl Display) -> Value {
    Value::String(it.to_string())
}

pub(crate) fn flag(it: bool) -> Value {
    Value::String(if it { "1" } else { "0" }.to_owned())
}

/// Writes a value as JSON.
pub(crate) fn put(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("memory takes everything, and keys are texts");
}

/// A field of an object of which answers hold very many: borrowed, so that writing it makes
/// nothing.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Scalar<'a> {
    Text(&'a str),
    Made(Cow<'a, str>),
    /// Ids, codes, times.
    Number(i64),
    Id(u64),
    /// A value of an item.
    Float(f64),
    Flag(bool),
    /// A list that is always empty.
    Nothing,
    /// Lists and objects.
    Tree(Value),
    /// No such field.
    Unknown,
}

impl Scalar<'_> {
    /// A code.
    pub(crate) fn code(it: impl Into<i64>) -> Self {
        Self::Number(it.into())
    }

    pub(crate) fn value(self) -> Value {
        match self {
            Self::Text(it) => text(it),
            Self::Made(it) => text(it.into_owned()),
            Self::Float(it) => text(formats::number::format_stored(it)),
            Self::Number(it) => number(it),
            Self::Id(it) => number(it),
            Self::Flag(it) => flag(it),
            Self::Nothing => Value::Array(Vec::new()),
            Self::Tree(it) => it,
            Self::Unknown => Value::Null,
        }
    }

    /// The same as JSON.
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        match self {
            Self::Text(it) => put(out, it),
            Self::Made(it) => put(out, &it),
            Self::Tree(it) => put(out, &it),
            Self::Number(it) => quote(out, itoa::Buffer::new().format(it)),
            Self::Id(it) => quote(out, itoa::Buffer::new().format(it)),
            Self::Float(it) => formats::number::with_stored(it, |it| quote(out, it)),
            Self::Flag(it) => quote(out, if it { "1" } else { "0" }),
            Self::Nothing => out.extend_from_slice(b"[]"),
            Self::Unknown => out.extend_from_slice(b"null"),
        }
    }
}

impl<'a> From<FieldValue<'a>> for Scalar<'a> {
    fn from(value: FieldValue<'a>) -> Self {
        match value {
            FieldValue::Text(it) => Self::Text(it),
            FieldValue::Number(it) => Self::Number(it),
            FieldValue::Float(it) => Self::Made(it.to_string().into()),
            FieldValue::Id(it) => Self::Id(it),
            FieldValue::Flag(it) => Self::Flag(it),
            FieldValue::Pairs(list) => Self::Tree(pairs(list)),
        }
    }
}

/// Headers, query fields, parameters.
pub(crate) fn pairs(list: &[NamedValue]) -> Value {
    list.iter().map(|it| json!({"name": it.name, "value": it.value})).collect()
}

/// Writes a text that holds nothing to escape.
fn quote(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// A value of an item as `history.get` and `lastvalue` write it.
pub(crate) fn item_value(value: &ItemValue) -> String {
    match value {
        ItemValue::Float(it) => formats::number::format_stored(*it),
        ItemValue::Unsigned(it) => it.to_string(),
        ItemValue::Text(it) => it.to_string(),
        ItemValue::Log(it) => it.value.clone(),
    }
}

/// The text of a canonical field; "" if it is not there.
pub(crate) fn str_of<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The id in a canonical field; `None` also for 0.
pub(crate) fn id_of(fields: &Fields, name: &str) -> Option<u64> {
    str_of(fields, name).parse().ok().filter(|it| *it != 0)
}

/// The objects of a canonical list field; empty if it is not there.
pub(crate) fn list_of<'a>(fields: &'a Fields, name: &str) -> impl Iterator<Item = &'a Fields> {
    let list = fields.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_object)
}

/// The wanted fields of one part.
pub(crate) fn part(fields: &[Field], output: &Output, value: impl Fn(&str) -> Value) -> Value {
    let wanted = fields.iter().filter(|field| field.is_output() && output.wants(field.name));
    Value::Object(wanted.map(|field| (field.name.to_owned(), value(field.name))).collect())
}

/// Parts of an object (tags, steps) as a `select…` answers them: the wanted fields of each, or how
/// many there are.
pub(crate) fn parts<T>(
    fields: &[Field],
    list: impl Iterator<Item = T>,
    output: &Output,
    value: impl Fn(&T, &str) -> Value,
) -> Value {
    if *output == Output::Count {
        return number(list.count());
    }
    let each = list.map(|it| part(fields, output, |field| value(&it, field)));
    // PHP writes an empty object as an empty array.
    let written = each.map(|it| if it == json!({}) { json!([]) } else { it });
    written.collect()
}
