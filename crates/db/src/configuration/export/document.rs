//! Objects by their descriptions: the counterpart of [`crate::configuration::import`]'s reading of them.

use std::collections::BTreeSet;

use formats::document::Value;
use model::content_field::{ContentField, FieldValue};
use model::describe::{Field, FieldType, Rule};
use model::document::{Body, Document};
use serde_json::Value as Json;

use super::Exporter;
use super::entry::{Entry, pairs};
use crate::configuration::objects;
use crate::configuration::objects::in_file::{FileOrder, InFile};

/// Fields of media types in Zabbix's order, by their names in files.
const MEDIA_TYPE: &[&str] = &[
    "name",
    "type",
    "provider",
    "smtp_server",
    "smtp_port",
    "smtp_helo",
    "smtp_email",
    "smtp_security",
    "smtp_verify_host",
    "smtp_verify_peer",
    "smtp_authentication",
    "username",
    "message_format",
    "script_name",
    "gsm_modem",
    "parameters",
    "status",
    "max_sessions",
    "attempts",
    "attempt_interval",
    "script",
    "timeout",
    "process_tags",
    "show_event_menu",
    "event_menu_url",
    "event_menu_name",
    "description",
    "message_templates",
];

const IMAGE: &[&str] = &["name", "imagetype", "encodedImage"];

impl Exporter<'_> {
    /// The objects of a list of the file, by name. None if there are no such objects yet.
    pub(super) fn documents(&self, tag: &str, ids: &BTreeSet<u64>) -> Vec<Value> {
        let Some(stored) = objects::ALL.iter().find(|it| it.tag == Some(tag)) else {
            return Vec::new();
        };
        let all = self.snapshot.documents.of(stored.object.name);
        let mut chosen: Vec<&Document> =
            all.filter(|it| ids.contains(&it.id)).map(|it| &**it).collect();
        chosen.sort_by(|one, two| one.text("name").cmp(two.text("name")));
        let order = match tag {
            "media_types" => MEDIA_TYPE,
            "images" => IMAGE,
            _ => &[],
        };
        let written = chosen.into_iter().map(|it| {
            let mut entry = fields_of(stored.object.fields, &it.body);
            entry.sort_by(order);
            entry.into()
        });
        written.collect()
    }
}

/// Adds a field of a content, unless it is at its default.
fn add_field(entry: &mut Entry, field: &Field, value: FieldValue<'_>) {
    let tag = field.tag.unwrap_or(field.name);
    if let FieldValue::Pairs(list) = value {
        return entry.list(tag, pairs(list));
    }
    let Some(text) = value.text() else { return };
    match (field.rule, value) {
        (Rule::Default(default), _) if default == text => {}
        (_, FieldValue::Number(code)) if !field.constants.is_empty() => {
            entry.code(tag, code, field.constants);
        }
        (_, FieldValue::Flag(is_set)) if !field.constants.is_empty() => {
            entry.code(tag, is_set.into(), field.constants);
        }
        _ => entry.text(tag, text),
    }
}

/// Adds what files have of a content, in their order. `shown` gives a field as this object has it in files, with its
/// value; `part` writes what files have in a form of its own.
pub(super) fn add_content<'c, C, P>(
    entry: &mut Entry,
    order: FileOrder<C, P>,
    is_prototype: bool,
    shown: &dyn Fn(&ContentField<C>) -> (Field, FieldValue<'c>),
    part: &mut dyn FnMut(&P, &mut Entry),
) {
    for place in order.iter().copied().flatten() {
        match place {
            InFile::OfPrototypes(_) if !is_prototype => {}
            InFile::Field(it) | InFile::OfPrototypes(it) => {
                let (field, value) = shown(it);
                add_field(entry, &field, value);
            }
            InFile::Part(it) => part(it, entry),
        }
    }
}

/// The fields of an object, or of a part of one, that a file has: no ids, no secrets, nothing at its
/// default.
fn fields_of(fields: &[Field], body: &Body) -> Entry {
    let mut entry = Entry::default();
    for field in fields {
        let is_left_out = field.rule == Rule::ReadOnly || field.is_secret;
        let Some(value) = body.get(field.name).filter(|_| !is_left_out) else { continue };
        let tag = field.tag.unwrap_or(field.name);
        match (field.kind, value) {
            (FieldType::Id, _) => {}
            (FieldType::List(inner), Json::Array(list)) => {
                let parts = list.iter().filter_map(Json::as_object);
                entry.list(tag, parts.map(|it| fields_of(inner, it).into()).collect());
            }
            (FieldType::Texts { .. }, Json::Array(list)) => {
                entry.list(tag, list.iter().filter_map(Json::as_str).map(Value::from).collect());
            }
            (FieldType::Object(inner), Json::Object(part)) => {
                entry.child(tag, fields_of(inner, part));
            }
            (_, value) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let default = match field.rule {
                    Rule::Default(default) => Some(default),
                    Rule::Optional => Some(""),
                    _ => None,
                };
                if default == Some(text.as_str()) {
                    continue;
                }
                match text.parse() {
                    Ok(code) if !field.constants.is_empty() => {
                        entry.code(tag, code, field.constants);
                    }
                    _ => entry.text(tag, text),
                }
            }
        }
    }
    entry
}
