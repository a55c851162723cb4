//! Global correlation rules: which problems a new one closes.

use model::content::UiElement;
use std::collections::BTreeSet;

use alert::correlation::{CorrelationCondition, CorrelationRule, TagComparison};
use alert::judging::{EvalType, Formula};
use model::describe::{
    Depends, FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee,
    Select, Unknown, When, Writes,
};
use model::document::{Body, Document};
use model::field_path::FieldPath;
use model::limits;
use model::snapshot::Snapshot;
use serde_json::{Value as Json, json};

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};
use crate::runtime::maintenance::with_subgroups;

const TEXT: FieldType = FieldType::Text { max: 255 };

const OLD_TAG: &str = "0";
const NEW_TAG: &str = "1";
const NEW_GROUP: &str = "2";
const TAG_PAIR: &str = "3";
const OLD_VALUE: &str = "4";
const NEW_VALUE: &str = "5";
const CUSTOM: &str = "3";
const CLOSE_OLD: &str = "0";

const WITH_TAG: &[When] = &[When::of("type", &["0", "1", "4", "5"])];
const WITH_GROUP: &[When] = &[When::of("type", &["2"])];
const WITH_PAIR: &[When] = &[When::of("type", &["3"])];
const WITH_VALUE: &[When] = &[When::of("type", &["4", "5"])];
const OF_FORMULA: &[When] = &[When::of("evaltype", &["3"])];

pub const CONDITION: &[Field] = &[
    Field::new(
        "formulaid",
        TEXT,
        Rule::Optional,
        "Letters that stand for the condition in a custom formula: A, B, …",
    )
    .depends(&Depends::needed(OF_FORMULA)),
    Field::new(
        "type",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Required,
        "0 tag of the old event, 1 tag of the new event, 2 host group of the new event, 3 pair of tags, \
         4 value of a tag of the old event, 5 value of a tag of the new event",
    ),
    Field::new(
        "operator",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::Optional,
        "0 equals, 1 does not equal; of values also 2 contains, 3 does not contain",
    )
    .depends(&Depends::codes(&[
        (When::of("type", &["2"]), &[0, 1]),
        (When::of("type", &["0", "1", "3"]), &[0]),
    ])),
    Field::new("tag", TEXT, Rule::Optional, "Name of the tag").depends(&Depends::needed(WITH_TAG)),
    Field::new("groupid", FieldType::Id, Rule::Optional, "Host group")
        .depends(&Depends::needed(WITH_GROUP)),
    Field::new("oldtag", TEXT, Rule::Optional, "Name of the tag of the old event")
        .depends(&Depends::needed(WITH_PAIR)),
    Field::new("newtag", TEXT, Rule::Optional, "Name of the tag of the new event")
        .depends(&Depends::needed(WITH_PAIR)),
    Field::new("value", TEXT, Rule::Optional, "Value of the tag, or a part of it")
        .depends(&Depends::needed(WITH_VALUE)),
];

pub const FILTER: &[Field] = &[
    Field::new(
        "evaltype",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::Required,
        "0 and/or: conditions of one type are alternatives; 1 and, 2 or, 3 as the formula says",
    ),
    Field::new(
        "formula",
        TEXT,
        Rule::Optional,
        "Letters of conditions joined by and, or, not and parentheses",
    )
    .depends(&Depends::needed(OF_FORMULA)),
    Field::new(
        "eval_formula",
        TEXT,
        Rule::ReadOnly,
        "The formula that the conditions are joined by, whatever evaltype is",
    ),
    Field::new("conditions", FieldType::List(CONDITION), Rule::Required, "Conditions"),
];

pub const OPERATION: &[Field] = &[Field::new(
    "type",
    FieldType::Code(&[0, 1]),
    Rule::Required,
    "0 close old events, 1 close the new event",
)];

const OBJECT: Object = Object {
    name: "correlation",
    type_name: "Correlation",
    nouns: Nouns { one: "a correlation rule", several: "correlation rules" },
    resource: Some(34),
    role: RoleRule::one_of(&[UiElement::EventCorrelation]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "correlationid",
    ids: "correlationids",
    fields: &[
        Field::new("correlationid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", TEXT, Rule::Required, "Name"),
        Field::new(
            "description",
            FieldType::Text { max: limits::TEXT_FIELD_MAX },
            Rule::Default(""),
            "Description",
        ),
        Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled"),
        Field::new("filter", FieldType::Object(FILTER), Rule::Required, "Which events it is for"),
        Field::new("operations", FieldType::List(OPERATION), Rule::Required, "What is closed")
            .unique(&[&["type"]]),
    ],
    selects: &[
        Select::new("selectFilter", "filter", Gives::Part(FILTER)),
        Select::new("selectOperations", "operations", Gives::Parts(OPERATION)),
    ],
    params: Params::of(&["correlationids"]),
    sort: &["correlationid", "name", "status"],
    doc: "Which open problems are closed when a new one begins, by their tags",
};

const SAMPLE: &str = r#"{"name": "A link that is up again", "filter": {"evaltype": "1", "conditions": [
        {"type": "3", "oldtag": "link", "newtag": "link"},
        {"type": "5", "tag": "state", "operator": "0", "value": "up"}]},
    "operations": [{"type": "0"}, {"type": "1"}]}"#;

pub static CORRELATION: Stored = Stored {
    check,
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "Correlation \"{}\" already exists.", SAMPLE)
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn parts<'a>(body: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = body.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    match body.get_mut("filter") {
        Some(Json::Object(filter)) => check_filter(snapshot, filter),
        _ => Ok(()),
    }
}

fn check_filter(snapshot: &Snapshot, filter: &mut Body) -> Result<(), ConfigError> {
    let is_custom = text_of(filter, "evaltype") == CUSTOM;
    let formula = text_of(filter, "formula").to_owned();
    let mut letters = BTreeSet::new();
    if is_custom {
        let path = || edited("filter").member("formula");
        let read = Formula::parse(&formula)
            .map_err(|error| ConfigError::invalid(path(), error.to_string()))?;
        read.each(&mut |it| {
            letters.insert(it.clone());
        });
    }
    filter.insert("formula".to_owned(), Json::from(formula));
    let Some(Json::Array(conditions)) = filter.get_mut("conditions") else { return Ok(()) };
    let path = edited("filter").member("conditions");
    for (at, it) in conditions.iter_mut().filter_map(Json::as_object_mut).enumerate() {
        check_condition(it, is_custom, &path.element(at))?;
    }
    if is_custom {
        check_letters(filter, &letters)?;
    }
    for it in parts(filter, "conditions").filter(|it| text_of(it, "type") == NEW_GROUP) {
        let id = text_of(it, "groupid").parse().map(model::GroupId);
        if !id.is_ok_and(|it| snapshot.host_groups.contains_key(&it)) {
            return Err(ConfigError::no_permissions());
        }
    }
    Ok(())
}

fn check_letters(filter: &Body, letters: &BTreeSet<String>) -> Result<(), ConfigError> {
    let path = edited("filter").member("conditions");
    let mut seen = BTreeSet::new();
    for (at, it) in parts(filter, "conditions").enumerate() {
        let own = text_of(it, "formulaid");
        if !seen.insert(own) {
            let what = format!("value (formulaid)=({own}) already exists");
            return Err(ConfigError::invalid(path.element(at), what));
        }
    }
    if seen.len() != letters.len() {
        return Err(ConfigError::invalid(path, "incorrect number of conditions"));
    }
    for (at, it) in parts(filter, "conditions").enumerate() {
        if !letters.contains(text_of(it, "formulaid")) {
            let what = "an identifier is not defined in the formula";
            return Err(ConfigError::invalid(path.element(at).member("formulaid"), what));
        }
    }
    Ok(())
}

/// Fields that a kind of condition has.
fn fields_of(kind: &str) -> &'static [&'static str] {
    match kind {
        OLD_TAG | NEW_TAG => &["tag"],
        NEW_GROUP => &["operator", "groupid"],
        TAG_PAIR => &["oldtag", "newtag"],
        _ => &["operator", "tag", "value"],
    }
}

fn check_condition(
    condition: &mut Body,
    is_custom: bool,
    path: &FieldPath,
) -> Result<(), ConfigError> {
    let kind = text_of(condition, "type").to_owned();
    condition.entry("operator").or_insert_with(|| json!("0"));
    let own = fields_of(&kind);
    condition.retain(|name, _| matches!(&**name, "type" | "formulaid") || own.contains(&&**name));
    let letters = text_of(condition, "formulaid");
    if is_custom && !letters.bytes().all(|it| it.is_ascii_uppercase()) {
        let what = "an uppercase identifier is expected";
        return Err(ConfigError::invalid(path.member("formulaid"), what));
    }
    Ok(())
}

/// The formula over the positions of the conditions; `None` of one that can't be read.
pub fn formula(filter: &Body) -> Option<Formula<usize>> {
    let conditions: Vec<&Body> = parts(filter, "conditions").collect();
    if text_of(filter, "evaltype") != CUSTOM {
        let kinds: Vec<&str> = conditions.iter().map(|it| text_of(it, "type")).collect();
        let evaltype = EvalType::from_code(text_of(filter, "evaltype").parse().ok()?)?;
        return evaltype.formula(&kinds);
    }
    let position = |letters: &String| {
        let at = conditions.iter().position(|it| text_of(it, "formulaid") == letters);
        at.ok_or(())
    };
    Formula::parse(text_of(filter, "formula")).ok()?.map(&position).ok()
}

/// The rule that a document describes; `None`: it is disabled.
#[must_use]
pub fn rule(snapshot: &Snapshot, document: &Document) -> Option<CorrelationRule> {
    let body = &document.body;
    if text_of(body, "status") != "0" {
        return None;
    }
    let filter = body.get("filter")?.as_object()?;
    let conditions = parts(filter, "conditions").map(|it| condition(snapshot, it));
    let kinds: Vec<&str> = parts(body, "operations").map(|it| text_of(it, "type")).collect();
    Some(CorrelationRule {
        id: document.id,
        conditions: conditions.collect::<Option<_>>()?,
        formula: formula(filter)?,
        closes_old: kinds.contains(&CLOSE_OLD),
        closes_new: kinds.iter().any(|it| *it != CLOSE_OLD),
    })
}

fn condition(snapshot: &Snapshot, body: &Body) -> Option<CorrelationCondition> {
    let text = |name: &str| text_of(body, name).to_owned();
    let compare = || TagComparison::from_code(text_of(body, "operator").parse().ok()?);
    Some(match text_of(body, "type") {
        OLD_TAG => CorrelationCondition::OldTag(text("tag")),
        NEW_TAG => CorrelationCondition::NewTag(text("tag")),
        NEW_GROUP => {
            // One that is gone has no hosts.
            let id = text_of(body, "groupid").parse().ok()?;
            let groups = with_subgroups(snapshot, &[id]).into_iter().map(|it| it.0).collect();
            CorrelationCondition::NewGroup { groups, is_negation: text_of(body, "operator") == "1" }
        }
        TAG_PAIR => CorrelationCondition::Pair { old: text("oldtag"), new: text("newtag") },
        OLD_VALUE => CorrelationCondition::OldValue {
            tag: text("tag"),
            value: text("value"),
            compare: compare()?,
        },
        NEW_VALUE => CorrelationCondition::NewValue {
            tag: text("tag"),
            value: text("value"),
            compare: compare()?,
        },
        _ => return None,
    })
}

/// Whether a rule names a host group in a condition.
pub(crate) fn is_named(snapshot: &Snapshot, group: u64) -> bool {
    let names = |it: &Document| {
        let filter = it.body.get("filter").and_then(Json::as_object);
        let mut conditions = filter.into_iter().flat_map(|it| parts(it, "conditions"));
        conditions.any(|it| text_of(it, "groupid").parse() == Ok(group))
    };
    snapshot.documents.of("correlation").any(|it| names(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(change: &Json) -> Result<Body, String> {
        let mut given = json!({"name": "a", "operations": [{"type": "0"}],
            "filter": {"evaltype": "0", "conditions": [{"type": "0", "tag": "t"}]}});
        for (name, value) in change.as_object().expect("fields") {
            given[name] = value.clone();
        }
        let given = given.as_object().expect("an object");
        let mut body = CORRELATION.made_of(given).map_err(|it| it.to_string())?;
        check(&Snapshot::default(), &mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    fn with(condition: Json) -> Json {
        json!({"filter": {"evaltype": "1", "conditions": [condition]}})
    }

    fn custom(formula: &str, letters: &str) -> Json {
        let condition = json!({"type": "1", "tag": "t", "formulaid": letters});
        json!({"filter": {"evaltype": "3", "formula": formula, "conditions": [condition]}})
    }

    #[test]
    fn faults_are_reported_with_their_position() {
        let cases = [
            (with(json!({"type": "2", "groupid": "4"})), "No permissions to referred object"),
            (custom("A and", "A"), "check expression starting from \"\""),
            (custom("A and B", "A"), "conditions\": incorrect number of conditions"),
            (custom("B", "A"), "an identifier is not defined in the formula"),
            (custom("A", "a"), "formulaid\": an uppercase identifier is expected"),
        ];
        for (change, expected) in cases {
            let error = checked(&change).expect_err("refused");
            assert!(error.contains(expected), "{change}: {error}");
        }
    }

    #[test]
    fn a_checked_body_is_a_rule() {
        let given = json!({"type": "4", "tag": "t", "value": ""});
        let body = checked(&with(given)).expect("good");
        let document = Document { id: 3, key: CORRELATION.key_of(&body), body };
        let rule = rule(&Snapshot::default(), &document).expect("enabled");
        let (tag, value) = ("t".to_owned(), String::new());
        let condition =
            CorrelationCondition::OldValue { tag, value, compare: TagComparison::Equal };
        assert_eq!((rule.id, rule.conditions), (3, vec![condition]));
        assert_eq!((rule.closes_old, rule.closes_new), (true, false));
    }
}
