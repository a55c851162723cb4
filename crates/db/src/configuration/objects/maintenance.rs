//! Maintenances: periods in which problems of some hosts are suppressed, or no values are taken of
//! them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use formats::number::parse_duration_s;
use lang::maintenance::{MaintenancePeriod, MaintenanceSchedule, Recurrence};
use lang::tags::{TagCondition, TagFilter, TagOperator};
use model::content::{RoleAction, RoleType, UiElement};
use model::describe::{
    Depends, FLAG, Field, FieldType, Form, Gives, NeededAction, Nouns, Object, Params, RoleRule,
    Rule, RulesSee, Select, Unknown, When, Writes,
};
use model::document::Body;
use model::field_path::FieldPath;
use model::limits;
use model::version::Version;
use serde_json::{Value as Json, json};

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

const INT_MAX: i64 = 2_147_483_647;
const MINUTE: i64 = 60;
const DAY: i64 = 86_400;
/// Of a period, in seconds.
const PERIOD_MIN: i64 = 300;

/// Fields of a period that only some kinds have, with the values that are returned for the others.
pub const PERIOD_DEFAULTS: &[(&str, &str)] = &[
    ("period", "3600"),
    ("timeperiod_type", "0"),
    ("start_date", "0"),
    ("start_time", "0"),
    ("every", "1"),
    ("dayofweek", "0"),
    ("day", "0"),
    ("month", "0"),
];

const WITH_DATA: &[When] = &[When::of("maintenance_type", &["0"])];
const ONCE: When = When::of("timeperiod_type", &["0"]);
const WEEKLY: When = When::of("timeperiod_type", &["3"]);
const MONTHLY: When = When::of("timeperiod_type", &["4"]);
const REPEATED: When = When::of("timeperiod_type", &["2", "3", "4"]);
const BY_WEEKDAYS: When = When::of("timeperiod_type", &["3", "4"]);

/// Seconds since midnight, to the minute.
const TIME_OF_DAY: Form =
    Form::new("time-of-day", "00:00 to 23:59 as seconds", |text| match text.parse() {
        Ok(0..=LAST_MINUTE) => Ok(()),
        _ => Err("value must be one of 00:00-23:59".into()),
    });
const LAST_MINUTE: i64 = DAY - MINUTE;
const LENGTH: Form =
    Form::new("length-of-period", "5 minutes or more, in seconds or with a unit", judge_length);

const TIME_PERIOD: &[Field] = &[
    Field::new(
        "period",
        FieldType::Text { max: 32 },
        Rule::Default("3600"),
        "How long it lasts, 5 minutes or more; cut to minutes",
    )
    .or_number()
    .shaped(&LENGTH),
    Field::new(
        "timeperiod_type",
        FieldType::Code(&[0, 2, 3, 4]),
        Rule::Default("0"),
        "0 once, 2 daily, 3 weekly, 4 monthly",
    ),
    Field::new(
        "start_date",
        FieldType::Timestamp,
        Rule::Optional,
        "Once: when it begins; without one at once",
    )
    .depends(&Depends::known(&[ONCE])),
    Field::new(
        "start_time",
        FieldType::Timestamp,
        Rule::Optional,
        "Daily, weekly and monthly: when it begins, in seconds since midnight",
    )
    .shaped(&TIME_OF_DAY)
    .depends(&Depends::known(&[REPEATED])),
    Field::new(
        "every",
        FieldType::Int { min: 1, max: INT_MAX },
        Rule::Optional,
        "Daily and weekly: each so many days or weeks; monthly: the first to fourth day of the week of \
         the month, 5 the last one",
    )
    .depends(&Depends { codes: &[(MONTHLY, &[1, 2, 3, 4, 5])], ..Depends::known(&[REPEATED]) }),
    Field::new(
        "day",
        FieldType::Int { min: 0, max: 31 },
        Rule::Optional,
        "Monthly: the day, in place of days of the week",
    )
    .depends(&Depends::known(&[MONTHLY])),
    Field::new(
        "dayofweek",
        FieldType::Int { min: 0, max: 127 },
        Rule::Optional,
        "Weekly and monthly: days, added up: 1 Monday, 2 Tuesday, 4 Wednesday, … 64 Sunday",
    )
    .depends(&Depends {
        needed: &[WEEKLY],
        ranges: &[(WEEKLY, [1, 127])],
        ..Depends::known(&[BY_WEEKDAYS])
    }),
    Field::new(
        "month",
        FieldType::Int { min: 1, max: 4_095 },
        Rule::Optional,
        "Monthly: months, added up: 1 January, 2 February, 4 March, … 2048 December",
    )
    .depends(&Depends::known_and_needed(&[MONTHLY])),
];

const TAG: &[Field] = &[
    Field::new("tag", FieldType::Text { max: 255 }, Rule::Required, "Name of the tag"),
    Field::new("operator", FieldType::Code(&[0, 2]), Rule::Default("2"), "0 equals, 2 contains"),
    Field::new(
        "value",
        FieldType::Text { max: 255 },
        Rule::Default(""),
        "Value of the tag, or a part of it",
    ),
];

const GROUP: &[Field] = &[Field::new("groupid", FieldType::Id, Rule::Required, "Host group")];
const HOST: &[Field] = &[Field::new("hostid", FieldType::Id, Rule::Required, "Host")];

const OBJECT: Object = Object {
    name: "maintenance",
    type_name: "Maintenance",
    nouns: Nouns { one: "a maintenance", several: "maintenances" },
    resource: Some(27),
    role: RoleRule::one_of(&[UiElement::Maintenance])
        .needs(NeededAction::ForChanges(RoleAction::EditMaintenance)),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Given, unique: &[] }),
    id: "maintenanceid",
    ids: "maintenanceids",
    fields: &[
        Field::new("maintenanceid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 128 }, Rule::Required, "Name"),
        Field::new(
            "maintenance_type",
            FLAG,
            Rule::Default("0"),
            "0 with data collection; 1 without: values of the hosts are not taken meanwhile",
        ),
        Field::new(
            "description",
            FieldType::Text { max: limits::TEXT_FIELD_MAX },
            Rule::Default(""),
            "Description",
        ),
        Field::new(
            "active_since",
            FieldType::Timestamp,
            Rule::Required,
            "Its periods begin at this time or later; cut to minutes",
        ),
        Field::new(
            "active_till",
            FieldType::Timestamp,
            Rule::Required,
            "Its periods end by this time; cut to minutes",
        ),
        Field::new(
            "tags_evaltype",
            FieldType::Code(&[0, 2]),
            Rule::Default("0"),
            "0 And/Or: conditions on one tag are alternatives; 2 Or: one condition is enough",
        )
        .depends(&Depends::known(WITH_DATA)),
        Field::new(
            "tags",
            FieldType::List(TAG),
            Rule::Optional,
            "Conditions on the tags of problems, with data collection; without any all are suppressed",
        )
        .depends(&Depends::known(WITH_DATA))
        .unique(&[&["tag", "operator", "value"]]),
        Field::new(
            "groups",
            FieldType::List(GROUP),
            Rule::Optional,
            "Host groups; groups below them belong to them",
        ),
        Field::new("hosts", FieldType::List(HOST), Rule::Optional, "Hosts"),
        Field::new("timeperiods", FieldType::List(TIME_PERIOD), Rule::Required, "Periods"),
    ],
    selects: &[
        Select::new("selectGroups", "groups", Gives::Objects("hostgroup")).until(Version::V7_0),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
        Select::new("selectTimeperiods", "timeperiods", Gives::Parts(TIME_PERIOD)),
    ],
    params: Params::of(&["groupids", "hostids", "maintenanceids"]),
    sort: &["maintenanceid", "name", "maintenance_type", "active_till", "active_since"],
    doc: "When problems of hosts are suppressed, or no values are taken of them",
};

const SAMPLE: &str = r#"{"name": "Sunday nights", "maintenance_type": "0", "active_since": "1764547200",
    "active_till": "1796083200", "groups": [{"groupid": "2"}],
    "tags": [{"tag": "service", "operator": "0", "value": "backup"}],
    "timeperiods": [{"timeperiod_type": "3", "every": "1", "dayofweek": "64", "start_time": "82800",
    "period": "7200"}]}"#;

pub static MAINTENANCE: Stored = Stored {
    write: RoleType::Admin,
    check: |_, body| check(body),
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "Maintenance \"{}\" already exists.", SAMPLE)
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

fn put_number(body: &mut Body, name: &str, number: i64) {
    body.insert(name.to_owned(), Json::from(number.to_string()));
}

fn to_minutes(body: &mut Body, name: &str) {
    let number = number_of(body, name);
    put_number(body, name, number - number.rem_euclid(MINUTE));
}

fn check(body: &mut Body) -> Result<(), ConfigError> {
    if number_of(body, "active_till") <= number_of(body, "active_since") {
        return Err(ConfigError::invalid(
            edited("active_till"),
            "cannot be less than or equal to the value of parameter \"/1/active_since\"",
        ));
    }
    if text_of(body, "maintenance_type") == "1" {
        // There are no conditions on problems: all are suppressed.
        if text_of(body, "tags_evaltype") != "0" {
            return Err(ConfigError::invalid(edited("tags_evaltype"), "value must be 0"));
        }
        if parts(body, "tags").next().is_some() {
            return Err(ConfigError::invalid(edited("tags"), "should be empty"));
        }
    }
    check_tags(body)?;
    for (list, id) in [("groups", "groupid"), ("hosts", "hostid")] {
        check_once(body, list, id)?;
    }
    to_minutes(body, "active_since");
    to_minutes(body, "active_till");
    let is_of_any = ["groups", "hosts"].iter().any(|it| parts(body, it).next().is_some());
    if !is_of_any {
        return Err(ConfigError::parameters("At least one host group or host must be selected."));
    }
    check_periods(body)
}

fn check_once(body: &Body, list: &str, id: &str) -> Result<(), ConfigError> {
    let mut seen = BTreeSet::new();
    for (at, it) in parts(body, list).enumerate() {
        let value = text_of(it, id);
        if !seen.insert(value) {
            let what = format!("value ({id})=({value}) already exists");
            return Err(ConfigError::invalid(edited(list).element(at), what));
        }
    }
    Ok(())
}

fn check_tags(body: &Body) -> Result<(), ConfigError> {
    let mut seen = BTreeSet::new();
    for (at, it) in parts(body, "tags").enumerate() {
        let (tag, operator, value) =
            (text_of(it, "tag"), text_of(it, "operator"), text_of(it, "value"));
        if !seen.insert((tag, operator, value)) {
            let what =
                format!("value (tag, operator, value)=({tag}, {operator}, {value}) already exists");
            return Err(ConfigError::invalid(edited("tags").element(at), what));
        }
    }
    Ok(())
}

fn check_periods(body: &mut Body) -> Result<(), ConfigError> {
    let since = number_of(body, "active_since");
    let Some(Json::Array(list)) = body.get_mut("timeperiods") else { return Ok(()) };
    if list.is_empty() {
        return Err(ConfigError::invalid(edited("timeperiods"), "cannot be empty"));
    }
    for (at, it) in list.iter_mut().filter_map(Json::as_object_mut).enumerate() {
        check_period(it, &edited("timeperiods").element(at), since)?;
    }
    Ok(())
}

/// The error of a length.
fn judge_length(text: &str) -> Result<(), Cow<'static, str>> {
    match parse_duration_s(text).and_then(|it| i64::try_from(it).ok()) {
        None => Err("a time unit is expected".into()),
        Some(it) if INT_MAX < it => Err("a number is too large".into()),
        Some(it) if it < PERIOD_MIN => {
            Err(format!("value must be one of {PERIOD_MIN}-{INT_MAX}").into())
        }
        Some(_) => Ok(()),
    }
}

fn check_period(body: &mut Body, path: &FieldPath, since: i64) -> Result<(), ConfigError> {
    let length = text_of(body, "period");
    if let Err(what) = judge_length(length) {
        return Err(ConfigError::invalid(path.member("period"), what));
    }
    let seconds = parse_duration_s(length).and_then(|it| i64::try_from(it).ok());
    let seconds = seconds.unwrap_or(PERIOD_MIN);
    put_number(body, "period", seconds - seconds % MINUTE);
    match text_of(body, "timeperiod_type") {
        "0" => {
            if !body.contains_key("start_date") {
                put_number(body, "start_date", since);
            }
            to_minutes(body, "start_date");
            return Ok(());
        }
        "4" => check_month(body)?,
        _ => {}
    }
    to_minutes(body, "start_time");
    Ok(())
}

fn check_month(body: &Body) -> Result<(), ConfigError> {
    match (number_of(body, "day") != 0, number_of(body, "dayofweek") != 0) {
        (false, false) => Err(ConfigError::parameters(
            "At least one day of the week or day of the month must be specified.",
        )),
        (true, true) => Err(ConfigError::parameters(
            "Day of the week and day of the month cannot be specified simultaneously.",
        )),
        _ => Ok(()),
    }
}

/// Ids of its host groups, or of its hosts.
pub fn ids_of(body: &Body, list: &str) -> Vec<u64> {
    let id = if list == "groups" { "groupid" } else { "hostid" };
    parts(body, list).filter_map(|it| text_of(it, id).parse().ok()).collect()
}

/// When it is in effect. A body that was checked is read whole.
pub fn schedule(body: &Body) -> MaintenanceSchedule {
    MaintenanceSchedule {
        active_since: number_of(body, "active_since"),
        active_until: number_of(body, "active_till"),
        periods: parts(body, "timeperiods").map(period).collect(),
    }
}

fn period(body: &Body) -> MaintenancePeriod {
    let number = |name: &str| number_of(body, name);
    let every = u32::try_from(number("every")).unwrap_or(1).max(1);
    let weekdays = u8::try_from(number("dayofweek")).unwrap_or(0);
    let months = u16::try_from(number("month")).unwrap_or(0);
    let recurrence = match text_of(body, "timeperiod_type") {
        "2" => Recurrence::Daily { every },
        "3" => Recurrence::Weekly { every, weekdays },
        "4" if number("day") != 0 => {
            let day = i8::try_from(number("day")).unwrap_or(1);
            Recurrence::MonthlyByDay { months, day }
        }
        "4" => {
            let nth = i8::try_from(every).unwrap_or(1);
            Recurrence::MonthlyByWeekday { months, weekdays, nth }
        }
        _ => Recurrence::Once(number("start_date")),
    };
    let start_s = i32::try_from(number("start_time")).unwrap_or(0);
    MaintenancePeriod { recurrence, start_s, len_s: number("period") }
}

/// Which problems it suppresses.
pub(crate) fn filter(body: &Body) -> TagFilter {
    let condition = |it: &Body| TagCondition {
        tag: text_of(it, "tag").to_owned(),
        value: text_of(it, "value").to_owned(),
        operator: if text_of(it, "operator") == "0" {
            TagOperator::Equal
        } else {
            TagOperator::Like
        },
    };
    TagFilter {
        is_or: text_of(body, "tags_evaltype") == "2",
        conditions: parts(body, "tags").map(condition).collect(),
    }
}

/// Takes hosts and groups that are to be deleted out of a body; `None` if none of them is in it.
pub(crate) fn without(body: &Body, list: &str, gone: &[u64]) -> Option<Body> {
    let ids = ids_of(body, list);
    if !ids.iter().any(|it| gone.contains(it)) {
        return None;
    }
    let name = if list == "groups" { "groupid" } else { "hostid" };
    let left = ids.iter().filter(|it| !gone.contains(it));
    let left: Vec<Json> = left.map(|it| json!({ name: it.to_string() })).collect();
    let mut body = body.clone();
    body.insert(list.to_owned(), Json::Array(left));
    Some(body)
}

/// Whether it is of no host and no group.
pub(crate) fn is_of_none(body: &Body) -> bool {
    ["groups", "hosts"].iter().all(|it| parts(body, it).next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(change: &Json) -> Result<Body, String> {
        let mut given = json!({
            "name": "a", "active_since": "120", "active_till": "86500",
            "hosts": [{"hostid": "10"}], "timeperiods": [{"start_date": "200"}],
        });
        for (name, value) in change.as_object().expect("fields") {
            given[name] = value.clone();
        }
        let given = given.as_object().expect("an object");
        let mut body = MAINTENANCE.made_of(given).map_err(|it| it.to_string())?;
        check(&mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    fn with_period(period: Json) -> Result<Body, String> {
        checked(&json!({ "timeperiods": [period] }))
    }

    #[test]
    fn conflicting_fields_are_refused_with_zabbix_texts() {
        let cases = [
            (
                json!({"active_till": "120"}),
                "\"/1/active_till\": cannot be less than or equal to the value of parameter \"/1/active_since\"",
            ),
            (
                json!({"maintenance_type": "1", "tags": [{"tag": "a"}]}),
                "\"/1/tags\": should be empty",
            ),
            (
                json!({"maintenance_type": "1", "tags_evaltype": "2"}),
                "\"/1/tags_evaltype\": value must be 0",
            ),
            (json!({"hosts": []}), "At least one host group or host must be selected."),
            (json!({"timeperiods": []}), "\"/1/timeperiods\": cannot be empty"),
            (
                json!({"hosts": [{"hostid": "1"}, {"hostid": "1"}]}),
                "\"/1/hosts/2\": value (hostid)=(1) already exists",
            ),
            (
                json!({"tags": [{"tag": "a"}, {"tag": "a"}]}),
                "\"/1/tags/2\": value (tag, operator, value)=(a, 2, ) already exists",
            ),
        ];
        for (change, expected) in cases {
            let error = checked(&change).expect_err("refused");
            assert!(error.contains(expected), "{change}: {error}");
        }
        let periods = [
            (json!({"period": "299"}), "value must be one of 300-2147483647"),
            (json!({"period": "x"}), "\"/1/timeperiods/1/period\": a time unit is expected"),
            (
                json!({"timeperiod_type": "4", "month": "1"}),
                "At least one day of the week or day of the month must be specified.",
            ),
            (
                json!({"timeperiod_type": "4", "month": "1", "day": "1", "dayofweek": "1"}),
                "Day of the week and day of the month cannot be specified simultaneously.",
            ),
        ];
        for (period, expected) in periods {
            let error = with_period(period.clone()).expect_err("refused");
            assert!(error.contains(expected), "{period}: {error}");
        }
    }

    #[test]
    fn times_are_cut_to_minutes() {
        let body = checked(&json!({
            "active_since": "179",
            "timeperiods": [{"start_date": "203", "period": "6m"}],
        }));
        let body = body.expect("good");
        assert_eq!(text_of(&body, "active_since"), "120");
        let period = &body["timeperiods"][0];
        assert_eq!((&period["period"], &period["start_date"]), (&json!("360"), &json!("180")));
    }

    #[test]
    fn each_kind_of_period_is_read() {
        let read = |it: Json| schedule(&with_period(it).expect("good")).periods[0];
        let daily = read(json!({"timeperiod_type": "2", "every": "3", "start_time": "90"}));
        assert_eq!((daily.recurrence, daily.start_s), (Recurrence::Daily { every: 3 }, 60));
        let weekly = read(json!({"timeperiod_type": "3", "every": "2", "dayofweek": "5"}));
        assert_eq!(weekly.recurrence, Recurrence::Weekly { every: 2, weekdays: 5 });
        let by_day = read(json!({"timeperiod_type": "4", "month": "3", "day": "31"}));
        assert_eq!(by_day.recurrence, Recurrence::MonthlyByDay { months: 3, day: 31 });
        let last = json!({"timeperiod_type": "4", "month": "1", "dayofweek": "64", "every": "5"});
        assert_eq!(
            read(last).recurrence,
            Recurrence::MonthlyByWeekday { months: 1, weekdays: 64, nth: 5 }
        );
        assert_eq!(read(json!({})).recurrence, Recurrence::Once(120));
    }

    #[test]
    fn deleted_groups_and_hosts_leave_a_maintenance() {
        let body = checked(&json!({"groups": [{"groupid": "2"}, {"groupid": "4"}]})).expect("good");
        assert_eq!(without(&body, "groups", &[3]), None);
        let left = without(&body, "groups", &[2]).expect("changed");
        assert_eq!((ids_of(&left, "groups"), is_of_none(&left)), (vec![4], false));
        let left = without(&left, "groups", &[4]).expect("changed");
        let left = without(&left, "hosts", &[10]).expect("changed");
        assert!(is_of_none(&left));
    }
}
