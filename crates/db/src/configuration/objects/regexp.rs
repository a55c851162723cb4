//! Global regular expressions.

use lang::global_regexp::Test;
use model::RegexpId;
use model::content::{GlobalRegexp, RegexpExpression, RegexpKind, RoleType, UiElement};
use model::describe::{
    Depends, FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee,
    Select, Unknown, When, Writes,
};
use model::document::Body;
use model::field_path::FieldPath;
use model::limits;
use model::snapshot::Snapshot;
use serde_json::Value as Json;
use std::sync::Arc;

use super::{Concerns, Edited, Stored};
use crate::error::{ConfigError, edited};

const EXPRESSION: &[Field] = &[
    Field::new(
        "expression_type",
        FieldType::Code(&[0, 1, 2, 3, 4]),
        Rule::Required,
        "0 character string included, 1 any character string included, 2 character string not \
         included, 3 result is TRUE, 4 result is FALSE",
    ),
    Field::new(
        "expression",
        FieldType::Text { max: 255 },
        Rule::Required,
        "Text, texts or regular expression",
    )
    .or_empty()
    .depends(&Depends::filled(&[], &[When::of("expression_type", &["0", "1", "2"])])),
    Field::new(
        "exp_delimiter",
        FieldType::Text { max: 255 },
        Rule::Default(""),
        "Between the texts of type 1, a comma if it is left out; kept as a comma for the others",
    )
    .words(&DELIMITERS)
    .depends(&Depends::only(&[When::of("expression_type", &["1"])])),
    Field::new("case_sensitive", FLAG, Rule::Default("0"), "1: case matters"),
];

const OBJECT: Object = Object {
    name: "regexp",
    type_name: "Regexp",
    nouns: Nouns { one: "a global regular expression", several: "global regular expressions" },
    resource: Some(28),
    role: RoleRule::one_of(&[UiElement::General]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "regexpid",
    ids: "regexpids",
    fields: &[
        Field::new("regexpid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 128 }, Rule::Required, "Name; used as @name"),
        Field::new(
            "test_string",
            FieldType::Text { max: limits::TEXT_FIELD_MAX },
            Rule::Default(""),
            "Text to try it on",
        ),
        Field::new("expressions", FieldType::List(EXPRESSION), Rule::Required, "All have to hold")
            .list_only()
            .unique(&[&["expression_type", "expression"]]),
    ],
    selects: &[Select::new("selectExpressions", "expressions", Gives::Parts(EXPRESSION))],
    params: Params::of(&["regexpids"])
        .strict()
        .without(&["editable"])
        .found_by(&["regexpid", "name"], &["name", "test_string"]),
    sort: &["regexpid", "name"],
    doc: "A global regular expression: conditions on a text under one name",
};

const SAMPLE: &str = r#"{"name": "Disks", "test_string": "sda", "expressions": [
    {"expression": "^[sv]d[a-z]$", "expression_type": "3", "case_sensitive": "1"}]}"#;

pub static REGEXP: Stored = Stored {
    read: RoleType::SuperAdmin,
    // They had their id in the body, when they had a table of their own.
    upgrades: &[|body| {
        body.remove("regexpid");
    }],
    check: |_, body| check(body),
    project,
    concerns: Concerns::Regexps,
    ..Stored::new(
        OBJECT,
        Edited::Plainly,
        &["name"],
        "Regular expression \"{}\" already exists.",
        SAMPLE,
    )
};

/// The delimiters between the texts of "any character string included".
const DELIMITERS: [&str; 3] = [",", ".", "/"];

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn check(body: &mut Body) -> Result<(), ConfigError> {
    let Some(Json::Array(list)) = body.get_mut("expressions") else { return Ok(()) };
    let mut seen: Vec<(String, String)> = Vec::new();
    for (at, it) in list.iter_mut().enumerate() {
        let Json::Object(it) = it else { continue };
        let path = edited("expressions").element(at);
        let (kind, expression) = (text_of(it, "expression_type"), text_of(it, "expression"));
        let pair = (kind.to_owned(), expression.to_owned());
        if seen.contains(&pair) {
            return Err(ConfigError::invalid(
                path,
                format_args!(
                    "value (expression_type, expression)=({}, {}) already exists",
                    pair.0, pair.1
                ),
            ));
        }
        seen.push(pair);
        check_delimiter(it, &path)?;
        check_pattern(it, &path)?;
    }
    Ok(())
}

/// Only one type has a delimiter; the others keep the usual one.
fn check_delimiter(expression: &mut Body, path: &FieldPath) -> Result<(), ConfigError> {
    let delimiter = text_of(expression, "exp_delimiter");
    let has_one = text_of(expression, "expression_type") == "1";
    if DELIMITERS.contains(&delimiter) || delimiter.is_empty() {
        if !has_one || delimiter.is_empty() {
            expression.insert("exp_delimiter".to_owned(), Json::from(","));
        }
        return Ok(());
    }
    let path = path.member("exp_delimiter");
    Err(ConfigError::invalid(path, "value must be one of \",\", \".\", \"/\""))
}

fn check_pattern(expression: &Body, path: &FieldPath) -> Result<(), ConfigError> {
    let expression: RegexpExpression = serde_json::from_value(Json::Object(expression.clone()))
        .map_err(|error| ConfigError::invalid(path, error))?;
    let is_pattern = matches!(expression.kind, RegexpKind::True | RegexpKind::False);
    if is_pattern && Test::new(&expression).is_err() {
        let path = path.member("expression");
        return Err(ConfigError::invalid(path, "invalid regular expression"));
    }
    Ok(())
}

/// Triggers, discovery and agents use them by name, in order of id.
fn project(snapshot: &mut Snapshot, id: u64, body: Option<&Body>) -> Result<(), serde_json::Error> {
    let id = RegexpId(id);
    let made = body.map(|it| serde_json::from_value(Json::Object(it.clone()))).transpose()?;
    let known = &mut Arc::make_mut(&mut snapshot.globals).regexps;
    known.retain(|it| it.regexpid != id);
    if let Some(made) = made {
        let at = known.partition_point(|it| it.regexpid < id);
        known.insert(at, GlobalRegexp { regexpid: id, ..made });
    }
    Ok(())
}
