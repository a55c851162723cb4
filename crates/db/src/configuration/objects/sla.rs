//! Service level agreements: how available services have to be, and when.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use lang::sla::{Downtime, Sla, SlaPeriod, Span};
use model::content::{RoleAction, RoleType, UiElement};
use model::describe::{
    FLAG, Field, FieldType, Form, Gives, NeededAction, Nouns, Object, Params, RoleRule, Rule,
    RulesSee, Select, Unknown, Writes,
};
use model::document::Body;
use model::limits;
use serde_json::Value as Json;

pub use super::text_formats::time_zone;
use super::{Edited, Stored, service, text_formats};
use crate::error::{ConfigError, edited};

const WEEK: i64 = 7 * 86_400;

/// Seconds since 1970.
const CLOCK: FieldType = FieldType::Int { min: 0, max: 2_147_483_647 };

const SERVICE_TAG: &[Field] = &[
    Field::new("tag", FieldType::Text { max: 255 }, Rule::Required, "Name of the tag"),
    Field::new("operator", FieldType::Code(&[0, 2]), Rule::Default("0"), "0 equals, 2 contains"),
    Field::new(
        "value",
        FieldType::Text { max: 255 },
        Rule::Default(""),
        "Value of the tag, or a part of it",
    ),
];

const SCHEDULE: &[Field] = &[
    Field::new(
        "period_from",
        FieldType::Int { min: 0, max: WEEK },
        Rule::Required,
        "Seconds since the beginning of Sunday",
    ),
    Field::new(
        "period_to",
        FieldType::Int { min: 0, max: WEEK },
        Rule::Required,
        "Seconds since the beginning of Sunday, not included",
    ),
];

const EXCLUDED_DOWNTIME: &[Field] = &[
    Field::new("name", FieldType::Text { max: 255 }, Rule::Required, "Name"),
    Field::new("period_from", CLOCK, Rule::Required, "When it begins"),
    Field::new("period_to", CLOCK, Rule::Required, "When it ends, not included"),
];

const PERIOD: &[&[&str]] = &[&["period_from", "period_to"]];

fn percent(text: &str) -> Result<(), Cow<'static, str>> {
    let is_good = text.parse().is_ok_and(|it: f64| (0.0..=100.0).contains(&it));
    if is_good { Ok(()) } else { Err("value must be within the range of 0-100".into()) }
}

const OBJECT: Object = Object {
    name: "sla",
    type_name: "Sla",
    nouns: Nouns { one: "an SLA", several: "SLAs" },
    resource: Some(48),
    role: RoleRule::one_of(&[UiElement::Sla])
        .needs(NeededAction::ForChanges(RoleAction::ManageSla)),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["name"]],
    }),
    id: "slaid",
    ids: "slaids",
    fields: &[
        Field::new("slaid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 255 }, Rule::Required, "Name"),
        Field::new(
            "period",
            FieldType::Code(&[0, 1, 2, 3, 4]),
            Rule::Required,
            "Of reports: 0 daily, 1 weekly, 2 monthly, 3 quarterly, 4 annually",
        ),
        Field::new(
            "slo",
            FieldType::Float,
            Rule::Required,
            "Service level objective in percent, with at most four digits behind the point",
        )
        .shaped(&Form::new("percent", "a number from 0 to 100", percent)),
        Field::new("effective_date", CLOCK, Rule::Required, "From when on it counts"),
        Field::new(
            "timezone",
            FieldType::Text { max: 50 },
            Rule::Required,
            "Time zone of periods and schedule, or system",
        )
        .shaped(&text_formats::ZONE_OR_SYSTEM),
        Field::new("status", FLAG, Rule::Default("0"), "0 disabled, 1 enabled"),
        Field::new(
            "description",
            FieldType::Text { max: limits::TEXT_FIELD_MAX },
            Rule::Default(""),
            "Description",
        ),
        Field::new(
            "service_tags",
            FieldType::List(SERVICE_TAG),
            Rule::Required,
            "Services that fulfil one of these are in it",
        )
        .list_only()
        .unique(&[&["tag", "value"]]),
        Field::new(
            "schedule",
            FieldType::List(SCHEDULE),
            Rule::Optional,
            "When services have to be there; without any, always",
        )
        .list_only()
        .unique(PERIOD),
        Field::new(
            "excluded_downtimes",
            FieldType::List(EXCLUDED_DOWNTIME),
            Rule::Optional,
            "Times that do not count",
        )
        .list_only()
        .unique(PERIOD),
    ],
    selects: &[
        Select::new("selectSchedule", "schedule", Gives::Parts(SCHEDULE)).countable(),
        Select::new(
            "selectExcludedDowntimes",
            "excluded_downtimes",
            Gives::Parts(EXCLUDED_DOWNTIME),
        )
        .countable(),
        Select::new("selectServiceTags", "service_tags", Gives::Parts(SERVICE_TAG)).countable(),
    ],
    params: Params::of(&["slaids", "serviceids", "evaltype", "service_tags"])
        .strict()
        .without_id()
        .found_by(
            &["slaid", "name", "period", "slo", "effective_date", "timezone", "status"],
            &["name", "timezone", "description"],
        ),
    sort: &[
        "slaid",
        "name",
        "period",
        "slo",
        "effective_date",
        "timezone",
        "status",
        "description",
    ],
    doc: "How available services have to be",
};

const SAMPLE: &str = r#"{"name": "Gold", "period": "2", "slo": "99.9", "effective_date": "1767225600",
    "timezone": "Europe/Riga", "status": "1", "service_tags": [{"tag": "sla", "value": "gold"}],
    "schedule": [{"period_from": "115200", "period_to": "151200"}],
    "excluded_downtimes": [{"name": "Move", "period_from": "1769904000", "period_to": "1769990400"}]}"#;

pub static SLA: Stored = Stored {
    read: RoleType::User,
    write: RoleType::Admin,
    check: |_, body| check(body),
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "SLA \"{}\" already exists.", SAMPLE)
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number_of(body: &Body, name: &str) -> i64 {
    text_of(body, name).parse().unwrap_or(0)
}

fn parts<'a>(body: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = body.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

fn span(body: &Body) -> Span {
    Span { from: number_of(body, "period_from"), to: number_of(body, "period_to") }
}

fn check(body: &mut Body) -> Result<(), ConfigError> {
    let name = text_of(body, "name").to_owned();
    let zone = text_formats::ZONE_OR_SYSTEM.judge;
    for (field, judge) in [("timezone", zone), ("slo", percent)] {
        judge(text_of(body, field)).map_err(|what| ConfigError::invalid(edited(field), what))?;
    }
    service::check_distinct(body, "service_tags", &["tag", "value"])?;
    service::check_distinct(body, "schedule", &["period_from", "period_to"])?;
    service::check_distinct(body, "excluded_downtimes", &["period_from", "period_to"])?;
    check_numbers(body, &name)?;
    let slo: f64 = text_of(body, "slo").parse().unwrap_or(100.0);
    body.insert("slo".to_owned(), Json::from((slo + 0.0).to_string()));
    Ok(())
}

/// The given fields of an agreement, which is named by its current name.
///
/// # Errors
/// If the objective has too many digits, or a time ends before it begins.
pub fn check_numbers(body: &Body, name: &str) -> Result<(), ConfigError> {
    let slo: f64 = text_of(body, "slo").parse().unwrap_or(100.0);
    // As written with so many digits it is the same number.
    let rounded: f64 = format!("{slo:.4}").parse().unwrap_or(f64::NAN);
    if rounded.to_bits() != (slo + 0.0).to_bits() {
        return Err(ConfigError::parameters(format_args!(
            "SLA \"{name}\" SLO must have no more than 4 fractional digits."
        )));
    }
    if parts(body, "schedule").any(|it| span(it).is_empty()) {
        return Err(ConfigError::parameters(format_args!(
            "Start time must be less than end time for SLA \"{name}\"."
        )));
    }
    if let Some(it) = parts(body, "excluded_downtimes").find(|it| span(it).is_empty()) {
        return Err(ConfigError::parameters(format_args!(
            "Start time must be less than end time for excluded downtime \"{}\" of SLA \"{name}\".",
            text_of(it, "name")
        )));
    }
    Ok(())
}

/// The agreement that a body describes; `system` is the server's time zone.
#[must_use]
pub fn agreement(body: &Body, system: &TimeZone) -> Sla {
    let zone = match text_of(body, "timezone") {
        "system" => system.clone(),
        name => TimeZone::get(name).unwrap_or_else(|_| system.clone()),
    };
    Sla {
        period: SlaPeriod::from_code(number_of(body, "period")).unwrap_or(SlaPeriod::Day),
        slo: text_of(body, "slo").parse().unwrap_or(100.0),
        effective_from: number_of(body, "effective_date"),
        zone,
        schedule: lang::sla::week(parts(body, "schedule").map(span)),
        excluded: parts(body, "excluded_downtimes")
            .map(|it| Downtime { name: text_of(it, "name").to_owned(), span: span(it) })
            .collect(),
    }
}

/// Whether a service with these tags is in the agreement: one of its conditions is enough.
#[must_use]
pub fn has_service(body: &Body, tags: &[model::content::Tag]) -> bool {
    parts(body, "service_tags").any(|condition| {
        let (tag, value) = (text_of(condition, "tag"), text_of(condition, "value"));
        let is_like = text_of(condition, "operator") == "2";
        tags.iter().filter(|it| it.tag == tag).any(|it| {
            if is_like {
                it.value.to_lowercase().contains(&value.to_lowercase())
            } else {
                it.value == value
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(change: &Json) -> Result<Body, String> {
        let mut given: Json = serde_json::from_str(SAMPLE).expect("an example is JSON");
        for (name, value) in change.as_object().expect("fields") {
            given[name] = value.clone();
        }
        let mut body = SLA.made_of(given.as_object().expect("an object")).expect("it is whole");
        check(&mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    #[test]
    fn a_schedule_is_kept_as_it_is_given_and_counts_as_a_whole() {
        let row = |from: i64, to: i64| json!({"period_from": from.to_string(), "period_to": to.to_string()});
        let given = json!([row(50, 90), row(0, 60)]);
        let body = checked(&json!({"schedule": given})).expect("it is good");
        assert_eq!(body["schedule"], given);
        assert_eq!(agreement(&body, &TimeZone::UTC).schedule, [Span { from: 0, to: 90 }]);
        let body = checked(&json!({"schedule": [row(60, WEEK), row(0, 60)]})).expect("it is good");
        assert_eq!(agreement(&body, &TimeZone::UTC).schedule, []);
    }

    #[test]
    fn invalid_agreements_are_refused() {
        let gold = "Start time must be less than end time for";
        for (change, expected) in [
            (
                json!({"slo": "99.99999"}),
                "SLA \"Gold\" SLO must have no more than 4 fractional digits.",
            ),
            (
                json!({"slo": "100.1"}),
                "Invalid parameter \"/1/slo\": value must be within the range of 0-100.",
            ),
            (
                json!({"timezone": "Mars"}),
                "Invalid parameter \"/1/timezone\": a time zone is expected.",
            ),
            (
                json!({"schedule": [{"period_from": "5", "period_to": "5"}]}),
                &format!("{gold} SLA \"Gold\"."),
            ),
            (
                json!({"excluded_downtimes": [{"name": "x", "period_from": "5", "period_to": "4"}]}),
                &format!("{gold} excluded downtime \"x\" of SLA \"Gold\"."),
            ),
            (
                json!({"service_tags": [{"tag": "a"}, {"tag": "a", "operator": "2"}]}),
                "Invalid parameter \"/1/service_tags/2\": value (tag, value)=(a, ) already exists.",
            ),
        ] {
            assert_eq!(checked(&change).expect_err("it is refused"), expected);
        }
    }

    #[test]
    fn one_condition_is_enough_for_a_service() {
        let tags = json!([{"tag": "a", "value": "x"}, {"tag": "b", "operator": "2", "value": "Y"}]);
        let body = checked(&json!({"service_tags": tags})).expect("it is good");
        let tag =
            |tag: &str, value: &str| model::content::Tag { tag: tag.into(), value: value.into() };
        assert!(has_service(&body, &[tag("a", "x")]));
        assert!(has_service(&body, &[tag("b", "my")]));
        assert!(!has_service(&body, &[tag("a", "X"), tag("b", "z"), tag("c", "y")]));
    }
}
