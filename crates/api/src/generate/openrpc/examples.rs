//! Examples of the reference: calls and their answers, kept as data. A system test sends each to a server and
//! compares the answer (`tests/api/test_examples.py`).
//!
//! The files of `tests/api/examples` are played in the order below, on a new server. Texts that begin with
//! `$` are replaced by values of an earlier answer (mostly an id): `keep` says which name has it and from
//! where, and `shown` its text in the reference.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A call and its answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub method: String,
    /// The purpose, if that is not clear from the method.
    #[serde(default)]
    pub title: String,
    pub params: Value,
    /// The answer; of a call that fails [`Self::error`].
    #[serde(default)]
    pub result: Option<Value>,
    /// `data` of the error.
    #[serde(default)]
    pub error: Option<String>,
    /// Name to JSON pointer into the result.
    #[serde(default)]
    pub keep: BTreeMap<String, String>,
    /// The texts of names in the reference.
    #[serde(default)]
    pub shown: BTreeMap<String, Value>,
    /// The call is repeated until it gets this answer.
    #[serde(default)]
    pub until: bool,
    /// It makes ready for others, and is not shown.
    #[serde(default)]
    pub hidden: bool,
    /// The name of the session that makes the call; Admin's where there is none.
    #[serde(default, rename = "as")]
    pub caller: String,
}

/// A file of examples: its name and text.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../tests/api/examples/", $name, ".json")))),+]
    };
}

/// In the order in which they are played.
pub const FILES: &[(&str, &str)] = files![
    "session",
    "groups",
    "templates",
    "hosts",
    "items",
    "triggers",
    "alerting",
    "values",
    "services",
    "pictures",
    "users",
    "administration",
    "deletes",
];

/// Names that the test itself gives, with their texts: now, a day later, two hours before, and the port of
/// the pages.
fn given() -> BTreeMap<String, Value> {
    let given = [
        ("now", json!(1_764_140_400)),
        ("soon", json!(1_764_226_800)),
        ("before", json!(1_764_133_200)),
        ("http_port", json!("8080")),
    ];
    given.into_iter().map(|(name, it)| (name.to_owned(), it)).collect()
}

/// All examples of the reference, names replaced by their texts.
#[must_use]
pub fn examples() -> &'static [Example] {
    static EXAMPLES: OnceLock<Vec<Example>> = OnceLock::new();
    EXAMPLES.get_or_init(|| {
        let mut shown = given();
        let mut all = Vec::new();
        for mut example in played().into_iter().flat_map(|(_, it)| it) {
            shown.append(&mut example.shown.clone());
            if example.hidden {
                continue;
            }
            example.params = replaced(&example.params, &shown);
            example.result = example.result.map(|it| replaced(&it, &shown));
            all.push(example);
        }
        all
    })
}

/// All examples as they are kept, by file, in the order in which they are played.
///
/// # Panics
/// If a file is no example: a test ensures that each is.
#[must_use]
pub fn played() -> Vec<(&'static str, Vec<Example>)> {
    let read = |(name, text): &(&'static str, &str)| {
        let examples = serde_json::from_str(text);
        (*name, examples.unwrap_or_else(|error| panic!("examples/{name}.json: {error}")))
    };
    FILES.iter().map(read).collect()
}

/// A document with names (`$name`) replaced; those that are not known stay.
#[must_use]
pub fn replaced(value: &Value, by_name: &BTreeMap<String, Value>) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('$').and_then(|it| by_name.get(it)) {
            Some(it) => it.clone(),
            None => within(text, by_name),
        },
        Value::Array(list) => list.iter().map(|it| replaced(it, by_name)).collect(),
        Value::Object(fields) => {
            let each = fields.iter();
            let key = |it: &String| match replaced(&Value::String(it.clone()), by_name) {
                Value::String(it) => it,
                _ => it.clone(),
            };
            Value::Object(each.map(|(name, it)| (key(name), replaced(it, by_name))).collect())
        }
        other => other.clone(),
    }
}

/// `${name}` within a text.
fn within(text: &str, by_name: &BTreeMap<String, Value>) -> Value {
    let mut text = text.to_owned();
    if text.contains("${") {
        for (name, value) in by_name {
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text = text.replace(&format!("${{{name}}}"), &shown);
        }
    }
    Value::String(text)
}

impl Example {
    /// As an OpenRPC document has it.
    pub(super) fn pair(&self) -> Value {
        let name = if self.title.is_empty() { self.method.as_str() } else { &self.title };
        let param = |name: &str, value: &Value| json!({"name": name, "value": value});
        let params: Vec<Value> = match &self.params {
            Value::Object(fields) => fields.iter().map(|(name, it)| param(name, it)).collect(),
            Value::Array(list) => list.iter().map(|it| param("item", it)).collect(),
            _ => Vec::new(),
        };
        let mut pair = Map::new();
        pair.insert("name".to_owned(), json!(name));
        pair.insert("params".to_owned(), json!(params));
        pair.insert("x-params".to_owned(), self.params.clone());
        if let Some(result) = &self.result {
            pair.insert("result".to_owned(), json!({"name": "result", "value": result}));
        }
        if let Some(error) = &self.error {
            pair.insert("x-error".to_owned(), json!(error));
        }
        Value::Object(pair)
    }
}
