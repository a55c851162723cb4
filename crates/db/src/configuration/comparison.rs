//! Changes that an import would make, object by object.
//!
//! The configuration is exported as it is and as it would be, and the two documents are compared:
//! the result is exactly what an import with the same rules does, with the names used in files.
//! Objects are the same by uuid, else by what is unique of them.

use std::collections::{BTreeMap, BTreeSet};

use formats::document::Value;
use model::HostId;
use model::snapshot::Snapshot;
use serde_json::{Map as JsonMap, Value as Json};

use crate::configuration::editor::Editor;
use crate::configuration::export::{ExportOptions, export};
use crate::configuration::import::{Done, ImportFile, ImportReport, ImportRules};
use crate::error::ConfigError;

/// The result that an import would have.
#[derive(Debug)]
pub struct ImportComparison {
    /// By list: `added`, `updated` and `removed`, each a list of objects with `before` and `after` as
    /// far as there are such, and with the lists below them in the same form.
    pub changes: JsonMap<String, Json>,
    pub report: ImportReport,
}

impl ImportFile {
    /// Returns what [`ImportFile::apply`] would change. It makes these changes: the edit has to be
    /// discarded in any case.
    ///
    /// # Errors
    /// Those of [`ImportFile::apply`].
    pub fn compare(
        self,
        e: &mut Editor,
        rules: &ImportRules,
    ) -> Result<ImportComparison, ConfigError> {
        let done = self.done(e, rules)?;
        Ok(ImportComparison { changes: between(&done, e.snapshot()), report: done.report })
    }
}

/// A list of objects, their unique fields other than the uuid, and the lists below each.
struct Level {
    list: &'static str,
    unique: &'static [&'static str],
    below: &'static [Self],
}

const fn level(
    list: &'static str,
    unique: &'static [&'static str],
    below: &'static [Level],
) -> Level {
    Level { list, unique, below }
}

const EXPRESSIONS: &[&str] = &["name", "expression", "recovery_expression"];

const OF_TEMPLATE: &[Level] = &[
    level("items", &["key"], &[level("triggers", EXPRESSIONS, &[])]),
    level(
        "discovery_rules",
        &["key"],
        &[
            level("item_prototypes", &["key"], &[level("trigger_prototypes", EXPRESSIONS, &[])]),
            level("trigger_prototypes", EXPRESSIONS, &[]),
            level("graph_prototypes", &["name"], &[]),
            level("host_prototypes", &["host"], &[]),
        ],
    ),
    level("dashboards", &["name"], &[]),
    level("httptests", &["name"], &[]),
    level("valuemaps", &["name"], &[]),
];

const WHOLE: &[Level] = &[
    level("template_groups", &["name"], &[]),
    level("host_groups", &["name"], &[]),
    level("templates", &["template"], OF_TEMPLATE),
    level("hosts", &["host"], OF_TEMPLATE),
    level("triggers", EXPRESSIONS, &[]),
    level("graphs", &["name"], &[]),
    level("media_types", &["name"], &[]),
    level("images", &["name"], &[]),
    level("maps", &["name"], &[]),
];

/// The differences between what was before an import and what is now, of what it has touched.
fn between(done: &Done, after: &Snapshot) -> JsonMap<String, Json> {
    let is_template = |it: &&HostId| after.templates.contains_key(*it);
    let documents = |list: &str| done.documents.get(list).cloned().unwrap_or_default();
    let templates: BTreeSet<u64> = done.holders.iter().filter(is_template).map(|it| it.0).collect();
    let hosts = done.holders.iter().filter(|it| !is_template(it)).map(|it| it.0).collect();
    let groups: (BTreeSet<u64>, BTreeSet<u64>) = (
        after.host_groups.keys().map(|it| it.0).collect(),
        after.template_groups.keys().map(|it| it.0).collect(),
    );
    let options = ExportOptions {
        // All that there are: those that differ are the import's.
        host_groups: groups.0,
        template_groups: groups.1,
        templates,
        hosts,
        media_types: documents("media_types"),
        images: documents("images"),
        maps: documents("maps"),
        without_credentials: BTreeSet::new(),
    };
    let (old, new) = (export(&done.before, &options), export(after, &options));
    let none = Value::Object(Vec::new());
    let inside = |it: &Value| it.get("zabbix_export").cloned().unwrap_or_else(|| none.clone());
    lists(WHOLE, Some(&inside(&old)), Some(&inside(&new)))
}

/// The changes of the lists below an object.
fn lists(levels: &[Level], old: Option<&Value>, new: Option<&Value>) -> JsonMap<String, Json> {
    let mut found = JsonMap::new();
    for level in levels {
        let entries =
            |it: Option<&Value>| it.map_or_else(Vec::new, |it| it.list(level.list).to_vec());
        let changes = changes(level, &entries(old), &entries(new));
        if !changes.is_empty() {
            found.insert(level.list.to_owned(), Json::Object(changes));
        }
    }
    found
}

fn changes(level: &Level, old: &[Value], new: &[Value]) -> JsonMap<String, Json> {
    let key = |it: &Value| -> Vec<String> {
        level.unique.iter().map(|name| it.text(name).to_owned()).collect()
    };
    let mut by_uuid = BTreeMap::new();
    let mut by_key = BTreeMap::new();
    for (at, it) in old.iter().enumerate() {
        let uuid = it.text("uuid");
        if !uuid.is_empty() {
            by_uuid.insert(uuid, at);
        }
        by_key.insert(key(it), at);
    }
    let mut seen = BTreeSet::new();
    let mut found = JsonMap::new();
    let mut push = |what: &str, object: JsonMap<String, Json>| {
        let list = found.entry(what).or_insert_with(|| Json::Array(Vec::new()));
        if let Json::Array(list) = list {
            list.push(Json::Object(object));
        }
    };
    for it in new {
        let known = by_uuid.get(it.text("uuid")).or_else(|| by_key.get(&key(it)));
        let Some(at) = known.copied().filter(|at| seen.insert(*at)) else {
            push("added", object(level, None, Some(it)));
            continue;
        };
        if old.get(at) != Some(it) {
            push("updated", object(level, old.get(at), Some(it)));
        }
    }
    let gone = old.iter().enumerate().filter(|(at, _)| !seen.contains(at));
    for (_, it) in gone {
        push("removed", object(level, Some(it), None));
    }
    found
}

/// One object without what is below it, which follows in lists of its own.
fn object(level: &Level, old: Option<&Value>, new: Option<&Value>) -> JsonMap<String, Json> {
    let mut found = JsonMap::new();
    for (name, it) in [("before", old), ("after", new)] {
        if let Some(it) = it {
            found.insert(name.to_owned(), plain(level, it));
        }
    }
    found.extend(lists(level.below, old, new));
    found
}

fn plain(level: &Level, value: &Value) -> Json {
    let Json::Object(mut fields) = json(value) else { return Json::Null };
    for below in level.below {
        fields.remove(below.list);
    }
    Json::Object(fields)
}

fn json(value: &Value) -> Json {
    match value {
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(list) => list.iter().map(json).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, it)| (name.to_string(), json(it))).collect()
        }
    }
}
