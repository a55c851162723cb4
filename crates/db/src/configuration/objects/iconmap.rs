//! Icon maps: which icon stands for a host, by what its inventory says.

use formats::regexp::Regexp;
use model::content::UiElement;
use model::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, Refers, RoleRule, Rule, RulesSee, Select,
    Unknown, Writes,
};
use model::document::Body;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

const ICON: Refers = Refers {
    to: "image",
    missing_message: "Icon with ID \"{}\" is not available.",
    used_messages: ["The image is used in icon map {}.", "The image is used in icon maps {}."],
};

const MAPPING: &[Field] = &[
    Field::new("iconid", FieldType::Id, Rule::Required, "Icon").of(ICON),
    Field::new(
        "expression",
        FieldType::Text { max: 64 },
        Rule::Required,
        "What the field matches: a regular expression, or @ and the name of a global one",
    ),
    Field::new(
        "inventory_link",
        FieldType::Int { min: 1, max: 70 },
        Rule::Required,
        "Number of the field of the inventory",
    ),
];

const OBJECT: Object = Object {
    name: "iconmap",
    type_name: "IconMap",
    nouns: Nouns { one: "an icon map", several: "icon maps" },
    resource: Some(32),
    role: RoleRule::one_of(&[UiElement::General]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "iconmapid",
    ids: "iconmapids",
    fields: &[
        Field::new("iconmapid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 64 }, Rule::Required, "Name"),
        Field::new("default_iconid", FieldType::Id, Rule::Required, "Icon where nothing matches")
            .of(ICON),
        Field::new(
            "mappings",
            FieldType::List(MAPPING),
            Rule::Required,
            "The first that matches counts",
        )
        .list_only()
        .unique(&[&["inventory_link", "expression"]]),
    ],
    selects: &[Select::new("selectMappings", "mappings", Gives::Parts(MAPPING))],
    params: Params::of(&["iconmapids", "sysmapids"]),
    sort: &["iconmapid", "name"],
    doc: "Which icon stands for a host, by its inventory",
};

const SAMPLE: &str = r#"{"name": "By system", "default_iconid": "10001", "mappings": [
    {"iconid": "10002", "expression": "^Linux", "inventory_link": "5"}]}"#;

pub static ICONMAP: Stored = Stored {
    check,
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "Icon map \"{}\" already exists.", SAMPLE)
};

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    let Some(Json::Array(mappings)) = body.get("mappings") else { return Ok(()) };
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (at, it) in mappings.iter().enumerate() {
        let text = |name: &str| it.get(name).and_then(Json::as_str).unwrap_or_default();
        let (link, expression) = (text("inventory_link"), text("expression"));
        if !expression.starts_with('@') && Regexp::new(expression).is_err() {
            let path = edited("mappings").element(at).member("expression");
            return Err(ConfigError::invalid(path, "invalid regular expression"));
        }
        if seen.contains(&(link, expression)) {
            let what =
                format!("value (inventory_link, expression)=({link}, {expression}) already exists");
            return Err(ConfigError::invalid(edited("mappings").element(at), what));
        }
        seen.push((link, expression));
    }
    let named = seen.iter().filter_map(|(_, it)| it.strip_prefix('@'));
    for name in named {
        if snapshot.documents.by_key("regexp", name).is_none() {
            return Err(ConfigError::parameters(format_args!(
                "Global regular expression \"{name}\" does not exist."
            )));
        }
    }
    let mappings = mappings.iter().filter_map(|it| it.get("iconid"));
    for icon in body.get("default_iconid").into_iter().chain(mappings) {
        check_icon(snapshot, icon.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// Backgrounds are no icons.
fn check_icon(snapshot: &Snapshot, id: &str) -> Result<(), ConfigError> {
    let image = id.parse().ok().and_then(|id| snapshot.documents.get("image", id));
    if image.is_some_and(|it| it.text("imagetype") == "1") {
        return Ok(());
    }
    Err(ConfigError::parameters(ICON.missing_message.replacen("{}", id, 1)))
}
