//! Business services: a tree whose status follows from problems.
//!
//! A service keeps its parents; the children that requests and answers have follow from that
//! ([`model::services::Services`]). The editor checks relations between services.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::content::{RoleType, Service, UiElement};
use model::describe::{
    Depends, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, When, Writes,
};
use model::document::Body;
use model::limits;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

/// OK and all severities.
const STATUS: FieldType = FieldType::Code(&[-1, 0, 1, 2, 3, 4, 5]);

const TAG: &[Field] = &[
    Field::new("tag", FieldType::Text { max: 255 }, Rule::Required, "Name of the tag"),
    Field::new("value", FieldType::Text { max: 255 }, Rule::Default(""), "Value of the tag"),
];

const PROBLEM_TAG: &[Field] = &[
    Field::new("tag", FieldType::Text { max: 255 }, Rule::Required, "Name of the tag"),
    Field::new("operator", FieldType::Code(&[0, 2]), Rule::Default("0"), "0 equals, 2 contains"),
    Field::new(
        "value",
        FieldType::Text { max: 255 },
        Rule::Default(""),
        "Value of the tag, or a part of it",
    ),
];

const STATUS_RULE: &[Field] = &[
    Field::new(
        "type",
        FieldType::Code(&[0, 1, 2, 3, 4, 5, 6, 7]),
        Rule::Required,
        "0 at least so many children, 1 so many percent of them, 2 less than so many, 3 less than so many \
         percent; 4 to 7 the same of their weights",
    ),
    Field::new(
        "limit_value",
        FieldType::Int { min: 1, max: 1_000_000 },
        Rule::Required,
        "How many; percent: 1 to 100",
    )
    .depends(&Depends::ranges(&[(When::of("type", &["1", "3", "5", "7"]), [1, 100])])),
    Field::new(
        "limit_status",
        STATUS,
        Rule::Required,
        "Children with this status count; so do worse ones, with \"less than\" better ones",
    ),
    Field::new(
        "new_status",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Required,
        "The status that the rule sets",
    ),
];

const REFERENCE: &[Field] =
    &[Field::new("serviceid", FieldType::Id, Rule::Required, "The service")];

/// A problem that explains the status of a service.
pub const PROBLEM_EVENT: &[Field] = &[
    Field::new("eventid", FieldType::Id, Rule::ReadOnly, "The problem"),
    Field::new("severity", FieldType::Code(&[0, 1, 2, 3, 4, 5]), Rule::ReadOnly, "Its severity"),
    Field::new("name", FieldType::Text { max: 2_048 }, Rule::ReadOnly, "Its name"),
];

/// A change of status in a timeline.
pub const ALARM: &[Field] = &[
    Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When the status changed"),
    Field::new("value", STATUS, Rule::ReadOnly, "The status from then on"),
];

/// The status of a service in a period.
pub const TIMELINE: &[Field] = &[
    Field::new("start_value", STATUS, Rule::ReadOnly, "The status when the period begins"),
    Field::new("alarms", FieldType::List(ALARM), Rule::ReadOnly, "Changes in the period"),
];

const OBJECT: Object = Object {
    name: "service",
    type_name: "Service",
    nouns: Nouns { one: "a service", several: "services" },
    resource: Some(18),
    role: RoleRule::one_of(&[UiElement::Services]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Given,
        unique: &[&["uuid"]],
    }),
    id: "serviceid",
    ids: "serviceids",
    fields: &[
        Field::new("serviceid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Universal identity"),
        Field::new("name", FieldType::Text { max: 128 }, Rule::Required, "Name"),
        Field::new("status", STATUS, Rule::ReadOnly, "-1 OK, else a severity"),
        Field::new(
            "algorithm",
            FieldType::Code(&[0, 1, 2]),
            Rule::Required,
            "What follows from the children: 0 OK, 1 the worst if all have problems, 2 the worst",
        ),
        Field::new(
            "sortorder",
            FieldType::Int { min: 0, max: 999 },
            Rule::Required,
            "Place among services",
        ),
        Field::new(
            "weight",
            FieldType::Int { min: 0, max: 1_000_000 },
            Rule::Default("0"),
            "Weight in rules of parents",
        ),
        Field::new(
            "propagation_rule",
            FieldType::Code(&[0, 1, 2, 3, 4]),
            Rule::Default("0"),
            "What parents see: 0 the status, 1 a worse one, 2 a milder one, 3 nothing, 4 a fixed one",
        ),
        Field::new(
            "propagation_value",
            FieldType::Int { min: i32::MIN as i64, max: i32::MAX as i64 },
            Rule::Default("0"),
            "By how many severities (1, 2), or the status (4; -1 is OK)",
        ),
        Field::new(
            "description",
            FieldType::Text { max: limits::TEXT_FIELD_MAX },
            Rule::Default(""),
            "Description",
        ),
        Field::new("created_at", FieldType::Timestamp, Rule::ReadOnly, "When it was made"),
        Field::new("readonly", FieldType::Bool, Rule::ReadOnly, "The user may not change it"),
        Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags of the service")
            .list_only()
            .unique(&[&["tag", "value"]]),
        Field::new(
            "problem_tags",
            FieldType::List(PROBLEM_TAG),
            Rule::Optional,
            "Problems that fulfil all of these are the service's; not together with children",
        )
        .list_only()
        .unique(&[&["tag", "value"]]),
        Field::new("parents", FieldType::List(REFERENCE), Rule::Optional, "Parent services")
            .list_only(),
        Field::new("children", FieldType::List(REFERENCE), Rule::Optional, "Child services")
            .list_only(),
        Field::new(
            "status_rules",
            FieldType::List(STATUS_RULE),
            Rule::Optional,
            "Additional rules for the status",
        )
        .list_only()
        .unique(&[&["type", "limit_value", "limit_status"]]),
    ],
    selects: &[
        Select::new("selectChildren", "children", Gives::Objects("service")).countable(),
        Select::new("selectParents", "parents", Gives::Objects("service")).countable(),
        Select::new("selectTags", "tags", Gives::Parts(TAG)).countable(),
        Select::new("selectProblemTags", "problem_tags", Gives::Parts(PROBLEM_TAG)).countable(),
        Select::new("selectProblemEvents", "problem_events", Gives::Parts(PROBLEM_EVENT))
            .countable(),
        Select::new("selectStatusRules", "status_rules", Gives::Parts(STATUS_RULE)).countable(),
        // Its value is the list of periods.
        Select::new("selectStatusTimeline", "status_timeline", Gives::Parts(TIMELINE)),
    ],
    params: Params::of(&[
        "serviceids",
        "parentids",
        "deep_parentids",
        "childids",
        "evaltype",
        "tags",
        "problem_tags",
        "without_problem_tags",
        "slaids",
        "selectStatusTimeline",
    ])
    .strict()
    .found_by(&["serviceid", "uuid", "name", "status", "algorithm"], &["name"]),
    sort: &["serviceid", "name", "status", "sortorder", "created_at"],
    doc: "A business service: what problems mean for those who use it",
};

const SAMPLE: &str = r#"{"uuid": "8f1ff1bd5d1a4c0f9d1c6d4f1b0b2a3c", "name": "Mail", "algorithm": "1",
    "sortorder": "0", "tags": [{"tag": "team", "value": "mail"}],
    "problem_tags": [{"tag": "service", "operator": "0", "value": "mail"}]}"#;

pub static SERVICE: Stored = Stored {
    read: RoleType::User,
    write: RoleType::User,
    made_with: &[("readonly", "0"), ("status", "-1")],
    check: |_, body| check(body),
    project,
    ..Stored::new(
        OBJECT,
        Edited::AsService,
        &["uuid"],
        "Entry with UUID \"{}\" already exists.",
        SAMPLE,
    )
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn parts<'a>(body: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = body.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

/// Ids of the services in `parents` or `children`; `None` if there is no such list.
pub fn ids_of(body: &Body, list: &str) -> Option<Vec<u64>> {
    body.contains_key(list)
        .then(|| parts(body, list).filter_map(|it| text_of(it, "serviceid").parse().ok()).collect())
}

fn check(body: &mut Body) -> Result<(), ConfigError> {
    if text_of(body, "uuid").is_empty() {
        body.insert("uuid".to_owned(), crate::configuration::ids::random_uuid()?.into());
    }
    check_distinct(body, "tags", &["tag", "value"])?;
    check_distinct(body, "problem_tags", &["tag", "value"])?;
    check_distinct(body, "status_rules", &["type", "limit_value", "limit_status"])?;
    for (at, rule) in parts(body, "status_rules").enumerate() {
        let is_percent = matches!(text_of(rule, "type"), "1" | "3" | "5" | "7");
        let value: i64 = text_of(rule, "limit_value").parse().unwrap_or(0);
        if is_percent && 100 < value {
            return Err(ConfigError::invalid(
                edited("status_rules").element(at).member("limit_value"),
                "value must be one of 1-100",
            ));
        }
    }
    Ok(())
}

/// No two parts of a list have all of these fields in common.
pub(super) fn check_distinct(body: &Body, list: &str, names: &[&str]) -> Result<(), ConfigError> {
    let mut seen = BTreeSet::new();
    for (at, it) in parts(body, list).enumerate() {
        let values: Vec<&str> = names.iter().map(|name| text_of(it, name)).collect();
        let joined = values.join(", ");
        if !seen.insert(values) {
            let what = format!("value ({})=({joined}) already exists", names.join(", "));
            return Err(ConfigError::invalid(edited(list).element(at), what));
        }
    }
    Ok(())
}

fn project(snapshot: &mut Snapshot, id: u64, body: Option<&Body>) -> Result<(), serde_json::Error> {
    match body {
        Some(body) => {
            let service: Service = serde_json::from_value(Json::Object(body.clone()))?;
            snapshot.services.put(id, Arc::new(service));
        }
        None => snapshot.services.remove(id),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(change: &Json) -> Result<Body, String> {
        let mut given = json!({"name": "a", "algorithm": "0", "sortorder": "0"});
        for (name, value) in change.as_object().expect("fields") {
            given[name] = value.clone();
        }
        let given = given.as_object().expect("an object");
        let mut body = SERVICE.made_of(given).map_err(|it| it.to_string())?;
        check(&mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    #[test]
    fn a_body_becomes_a_service() {
        let rule = json!({"type": "5", "limit_value": 50, "limit_status": "-1", "new_status": "4"});
        let body = checked(&json!({"status_rules": [rule], "parents": [{"serviceid": "7"}]}));
        let mut snapshot = Snapshot::default();
        let body = body.expect("it is good");
        assert_eq!(text_of(&body, "uuid").len(), 32);
        project(&mut snapshot, 9, Some(&body)).expect("it is whole");
        let service = snapshot.services.get(9).expect("it is there");
        assert_eq!(service.status_rules[0].limit_status, -1);
        assert_eq!(snapshot.services.children(7).collect::<Vec<_>>(), [9]);
    }

    #[test]
    fn duplicates_are_refused() {
        let tags = json!([{"tag": "a", "value": "x"}, {"tag": "a", "operator": "2", "value": "x"}]);
        let reported = checked(&json!({"problem_tags": tags})).expect_err("twice");
        assert_eq!(
            reported,
            "Invalid parameter \"/1/problem_tags/2\": value (tag, value)=(a, x) already exists."
        );
        let rule =
            json!({"type": "3", "limit_value": "101", "limit_status": "0", "new_status": "1"});
        let reported = checked(&json!({"status_rules": [rule]})).expect_err("too much");
        assert_eq!(
            reported,
            "Invalid parameter \"/1/status_rules/1/limit_value\": value must be one of 1-100."
        );
    }
}
