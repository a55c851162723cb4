//! Value maps. They belong to a host or template, and items name them: a change is one of the holder and
//! of all that inherit from it. So they are kept in holders, and no document.

use formats::regexp::Regexp;
use model::content::{RoleType, UiElement};
use model::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes,
};
use model::document::Body;
use model::field_path::FieldPath;
use serde_json::Value as Json;

use super::{Edited, StoragePlace, Stored};
use crate::configuration::objects::ObjectKind;
use crate::error::{ConfigError, edited};

/// Names of the types of comparison in files.
pub(crate) const MAPPING_TYPES: &[(&str, i64)] = &[
    ("EQUAL", 0),
    ("GREATER_OR_EQUAL", 1),
    ("LESS_OR_EQUAL", 2),
    ("IN_RANGE", 3),
    ("REGEXP", 4),
    ("DEFAULT", 5),
];

pub const MAPPING: &[Field] = &[
    Field::new(
        "type",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 equals, 1 at least, 2 at most, 3 in range, 4 regular expression, 5 default",
    )
    .named(MAPPING_TYPES),
    Field::new("value", FieldType::Text { max: 64 }, Rule::Optional, "What is compared")
        .implied(""),
    Field::new("newvalue", FieldType::Text { max: 64 }, Rule::Required, "Name of the value"),
];

const OBJECT: Object = Object {
    name: "valuemap",
    type_name: "ValueMap",
    nouns: Nouns { one: "a value map", several: "value maps" },
    resource: Some(17),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "valuemapid",
    ids: "valuemapids",
    fields: &[
        Field::new("valuemapid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("hostid", FieldType::Id, Rule::Required, "Host or template").fixed(),
        Field::new("name", FieldType::Text { max: 64 }, Rule::Required, "Name"),
        Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports"),
        Field::new(
            "mappings",
            FieldType::List(MAPPING),
            Rule::Required,
            "The first that fits counts",
        )
        .list_only(),
    ],
    selects: &[Select::new("selectMappings", "mappings", Gives::Parts(MAPPING)).countable()],
    params: Params::of(&["valuemapids", "hostids"])
        .strict()
        .without_id()
        .listed_in_order(&["valuemapid", "uuid", "name", "hostid"])
        .found_by(&["valuemapid", "hostid", "name"], &["name"]),
    sort: &["valuemapid", "name"],
    doc: "Names for values",
};

const SAMPLE: &str = r#"{"hostid": "10001", "name": "Link state", "mappings": [
    {"value": "1", "newvalue": "up"}, {"type": "5", "newvalue": "down"}]}"#;

pub static VALUEMAP: Stored = Stored {
    place: StoragePlace::Holders(ObjectKind::ValueMap),
    write: RoleType::Admin,
    check: |_, body| check(body),
    ..Stored::new(
        OBJECT,
        Edited::Plainly,
        &["hostid", "name"],
        "Value map \"{}\" already exists.",
        SAMPLE,
    )
};

/// The type of a mapping for all other values.
const DEFAULT: &str = "5";

fn check(body: &mut Body) -> Result<(), ConfigError> {
    let Some(Json::Array(mappings)) = body.get_mut("mappings") else { return Ok(()) };
    let mut seen: Vec<(String, String)> = Vec::new();
    for (at, mapping) in mappings.iter_mut().enumerate() {
        let Json::Object(mapping) = mapping else { continue };
        let path = edited("mappings").element(at);
        let text = |name: &str| mapping.get(name).and_then(Json::as_str).map(str::to_owned);
        let kind = text("type").unwrap_or_default();
        let Some(value) = text("value").or_else(|| (kind == DEFAULT).then(String::new)) else {
            return Err(ConfigError::missing(path, "value"));
        };
        check_value((&kind, &value), &path)?;
        mapping.insert("value".to_owned(), Json::from(value.as_str()));
        // Numbers are the same however they are written.
        let number = value.parse::<f64>().ok().filter(|_| matches!(&*kind, "1" | "2"));
        let pair = (kind, number.map_or(value, |it| it.to_string()));
        if seen.contains(&pair) {
            let what = match pair.0.as_str() {
                DEFAULT => "value (type)=(5) already exists".to_owned(),
                _ => format!("value (value)=({}) already exists", pair.1),
            };
            return Err(ConfigError::invalid(path, what));
        }
        seen.push(pair);
    }
    Ok(())
}

fn check_value((kind, value): (&str, &str), path: &FieldPath) -> Result<(), ConfigError> {
    let what = match kind {
        "1" | "2" if value.parse::<f64>().is_err() => "a floating point value is expected",
        "3" if value.is_empty() => "cannot be empty",
        "3" if !is_range(value) => "invalid range expression",
        "4" if value.is_empty() => "cannot be empty",
        "4" if Regexp::new(value).is_err() => "invalid regular expression",
        DEFAULT if !value.is_empty() => "should be empty",
        _ => return Ok(()),
    };
    Err(ConfigError::invalid(path.member("value"), what))
}

/// `1-5,7,-3--1`: numbers and ranges of them.
fn is_range(text: &str) -> bool {
    let number = |it: &str| it.trim().parse::<f64>().ok().filter(|it| it.is_finite());
    text.split(',').all(|part| {
        let part = part.trim();
        // The dash after the first character, which may be a sign, divides.
        let dash = part.char_indices().skip(1).find(|(_, it)| *it == '-').map(|(at, _)| at);
        match dash {
            None => number(part).is_some(),
            Some(at) => {
                let from = part.get(..at).and_then(number);
                let to = part.get(at + 1..).and_then(number);
                from.zip(to).is_some_and(|(from, to)| from <= to)
            }
        }
    })
}
