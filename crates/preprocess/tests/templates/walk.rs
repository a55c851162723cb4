//! Finds the texts of users in template exports: each expression, key, interval, macro and step,
//! with its place. The name of a field and the kind of its object determine what the text is.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The kind of a template's text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind<'a> {
    /// Expression of a trigger or trigger prototype, also for recovery.
    Trigger,
    /// Formula of a calculated item.
    Formula,
    /// Key of an item, rule or prototype.
    Key,
    /// SNMP OID.
    Oid,
    /// Update interval.
    Interval,
    /// Period for which values are kept, or a heartbeat.
    Period,
    /// Definition of a user macro.
    UserMacro,
    /// Name of an LLD macro.
    LldMacro,
    /// JSONPath of an LLD macro.
    JsonPath,
    /// Formula of an LLD filter.
    FilterFormula,
    /// A text with macros.
    Text,
    /// A preprocessing step of an item with this value type.
    Step(&'a Value),
}

/// One text with its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'a> {
    pub(crate) file: &'a Path,
    /// `zabbix_export.templates[0].items[3].key`
    pub(crate) place: &'a str,
    pub(crate) kind: Kind<'a>,
    pub(crate) text: &'a str,
}

/// Template exports next to the checkout; empty if there are none.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/templates");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "yaml") {
            files.push(path);
        }
    }
}

/// Calls `visit` for each text of a file.
pub(crate) fn walk(file: &Path, visit: &mut dyn FnMut(Found<'_>)) {
    let text = std::fs::read_to_string(file).unwrap();
    let root: Value = serde_saphyr::from_str(&text)
        .unwrap_or_else(|error| panic!("{} is no YAML: {error}", file.display()));
    let export = &root["zabbix_export"];
    let mut walker = Walker { file, visit };
    for part in ["templates", "triggers", "graphs"] {
        walker.value(&export[part], &format!("zabbix_export.{part}"), part);
    }
}

struct Walker<'w> {
    file: &'w Path,
    visit: &'w mut dyn FnMut(Found<'_>),
}

impl Walker<'_> {
    fn found(&mut self, place: &str, kind: Kind<'_>, text: &str) {
        (self.visit)(Found { file: self.file, place, kind, text });
    }

    /// `list`: name of the list in which the object stands.
    fn value(&mut self, value: &Value, place: &str, list: &str) {
        match value {
            Value::Array(elements) => {
                for (idx, it) in elements.iter().enumerate() {
                    self.value(it, &format!("{place}[{idx}]"), list);
                }
            }
            Value::Object(members) => {
                for (name, it) in members {
                    let place = format!("{place}.{name}");
                    match it {
                        Value::String(text) => self.text(value, (list, name), text, &place),
                        Value::Array(steps) if name == "preprocessing" => {
                            steps.iter().for_each(|it| self.found(&place, Kind::Step(it), ""));
                        }
                        other => self.value(other, &place, name),
                    }
                }
            }
            Value::String(text) => self.found(place, Kind::Text, text),
            _ => {}
        }
    }

    fn text(&mut self, object: &Value, (list, name): (&str, &str), text: &str, place: &str) {
        let is_item = matches!(list, "items" | "item_prototypes" | "discovery_rules");
        let is = |field: &str, wanted: &str| object[field] == wanted;
        let kind = match (list, name) {
            ("triggers" | "trigger_prototypes" | "dependencies", "expression")
            | (_, "recovery_expression") => Kind::Trigger,
            (_, "key") => Kind::Key,
            (_, "snmp_oid") => Kind::Oid,
            (_, "delay") => Kind::Interval,
            (_, "history" | "trends" | "lifetime" | "timeout") => Kind::Period,
            (_, "params") if is_item && is("type", "CALCULATED") => Kind::Formula,
            // Programs in other languages have braces of their own.
            (_, "params" | "browser_script") if is_item => return,
            ("macros", "macro") => Kind::UserMacro,
            ("conditions", "macro") | (_, "lld_macro") => Kind::LldMacro,
            ("lld_macro_paths", "path") => Kind::JsonPath,
            ("filter", "formula") => Kind::FilterFormula,
            // For readers, and keys of objects.
            (_, "description" | "uuid") => return,
            _ => Kind::Text,
        };
        self.found(place, kind, text);
    }
}
