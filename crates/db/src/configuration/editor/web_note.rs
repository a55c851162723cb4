//! Web scenarios in the audit log: each is one thing there, by the names of its fields, and the items that it brings
//! are not.

use model::content::{ItemFlags, ItemType, WebScenario};
use model::snapshot::ItemRow;
use serde_json::{Map as JsonMap, Value as Json};

use super::changes::keep_changes;
use crate::configuration::audit::BEFORE;
use crate::configuration::objects::httptest::IN_ITEM;

/// What the audit log keeps of a change of an item.
pub(super) enum WebNote {
    /// It is no item of a scenario.
    Item(JsonMap<String, Json>),
    /// It is a scenario: its name, and the details by the scenario's names.
    Scenario { name: String, details: JsonMap<String, Json> },
    /// Nothing: the item comes and goes with its scenario.
    Brought,
}

/// Fields of the item that follow from the scenario.
const MADE: &[&str] =
    &["name", "key_", "type", "value_type", "units", "history", "trends", "params"];

/// Whether a row is a scenario.
pub(super) fn is_scenario(row: &ItemRow) -> bool {
    row.flags == ItemFlags::Plain
        && row.content.kind == ItemType::WebItem
        && WebScenario::is_of(&row.content.key_)
}

/// How the audit log keeps a change of an item.
pub(super) fn note(row: &ItemRow, mut details: JsonMap<String, Json>) -> WebNote {
    if row.content.kind != ItemType::WebItem {
        return WebNote::Item(details);
    }
    if !is_scenario(row) {
        return WebNote::Brought;
    }
    let Ok(scenario) = WebScenario::parse(&row.content.params) else { return WebNote::Brought };
    let before = match details.remove(BEFORE) {
        Some(Json::Object(before)) => Some(before),
        _ => None,
    };
    let mut details = by_name(details);
    if let Some(mut before) = before.map(by_name) {
        // Steps, headers and the rest were compared as one text.
        keep_changes(&mut details, &mut before);
        if !before.is_empty() {
            details.insert(BEFORE.to_owned(), Json::Object(before));
        }
    }
    WebNote::Scenario { name: scenario.name, details }
}

/// Fields of a scenario's item by the scenario's names; `params` are the scenario.
fn by_name(mut fields: JsonMap<String, Json>) -> JsonMap<String, Json> {
    let params = fields.get("params").and_then(Json::as_str).map(WebScenario::parse);
    fields.retain(|name, _| !MADE.contains(&name.as_str()));
    for (described, member) in IN_ITEM {
        if let Some(value) = fields.remove(member) {
            fields.insert(described.field.name.to_owned(), value);
        }
    }
    if let Some(Ok(Ok(Json::Object(own)))) = params.map(|it| it.map(serde_json::to_value)) {
        fields.extend(own);
    }
    fields
}
