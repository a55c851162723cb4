//! Maintenances and conditions on tags.

use lang::maintenance::{MaintenancePeriod, MaintenanceSchedule, Recurrence};
use lang::tags::{self, TagCondition, TagFilter, TagOperator};
use model::content::Tag;
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};
use crate::times::{sec, zone};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("maintenance/period", period),
    ("maintenance/tags", problem_tags),
    ("tags/filter", filter),
    ("tags/order", order),
];

fn recurrence(period: &Value) -> Recurrence {
    let number = |name: &str| period[name].as_u64().unwrap_or(0);
    let every = u32::try_from(number("every")).unwrap();
    let weekdays = u8::try_from(number("dayofweek")).unwrap();
    let months = u16::try_from(number("month")).unwrap();
    let day = i8::try_from(number("day")).unwrap();
    match period["type"].as_str().unwrap() {
        "onetime" => Recurrence::Once(sec(&period["start_date"])),
        "daily" => Recurrence::Daily { every },
        "weekly" => Recurrence::Weekly { every, weekdays },
        _ if day > 0 => Recurrence::MonthlyByDay { months, day },
        _ => Recurrence::MonthlyByWeekday { months, weekdays, nth: i8::try_from(every).unwrap() },
    }
}

fn period(case: &Case<'_>) -> Answer {
    let written = case.get("period");
    let period = MaintenancePeriod {
        recurrence: recurrence(written),
        start_s: i32::try_from(written["start_time"].as_i64().unwrap()).unwrap(),
        len_s: written["period"].as_i64().unwrap(),
    };
    let maintenance = case.get("maintenance");
    let schedule = MaintenanceSchedule {
        active_since: sec(&maintenance["active_since"]),
        active_until: sec(&maintenance["active_until"]),
        periods: vec![period],
    };
    let zone = zone(case.text("timezone"));
    let running = |it: &Value| schedule.running(sec(it), &zone).is_some();
    let active: Vec<bool> = case.list("times").iter().map(running).collect();
    Answer::Out(json!({"active": active}))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("").to_owned()
}

fn tag(value: &Value) -> Tag {
    Tag { tag: text(&value["tag"]), value: text(&value["value"]) }
}

fn condition(value: &Value) -> TagCondition {
    let operator = match value["operator"].as_str().unwrap() {
        "equal" => TagOperator::Equal,
        "not equal" => TagOperator::NotEqual,
        "like" => TagOperator::Like,
        "not like" => TagOperator::NotLike,
        "exist" => TagOperator::Exists,
        _ => TagOperator::NotExists,
    };
    TagCondition { tag: text(&value["tag"]), value: text(&value["value"]), operator }
}

fn matches(case: &Case<'_>, evaltype: &Value, conditions: &[Value]) -> Answer {
    let conditions = conditions.iter().map(condition).collect();
    let filter = TagFilter { is_or: evaltype == "or", conditions };
    let tags: Vec<Tag> = case.list("tags").iter().map(tag).collect();
    Answer::Out(json!({"ok": filter.matches(&tags)}))
}

fn problem_tags(case: &Case<'_>) -> Answer {
    let maintenance = case.get("maintenance");
    matches(case, &maintenance["tags_evaltype"], maintenance["tags"].as_array().unwrap())
}

fn filter(case: &Case<'_>) -> Answer {
    matches(case, case.get("eval_type"), case.list("match_tags"))
}

fn order(case: &Case<'_>) -> Answer {
    let tag = |name, value| Tag { tag: text(case.get(name)), value: text(case.get(value)) };
    let order = tags::order(&tag("tag1", "value1"), &tag("tag2", "value2"));
    Answer::Out(json!({"result": order as i8}))
}
