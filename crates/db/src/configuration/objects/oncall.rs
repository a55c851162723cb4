//! On-call schedules (ours, Zabbix has none): rotations of users, and overrides of them.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use lang::oncall::{OncallSchedule, Override, Rotation, ShiftLength};
use lang::time_period::TimePeriod;
use model::UserId;
use model::content::{RoleType, UiElement};
use model::describe::{
    ChangedFrom, Field, FieldType, Gives, Nouns, Object, Params, Refers, RoleRule, Rule, RulesSee,
    Select, Unknown, Writes,
};
use model::document::Body;
use model::field_path::FieldPath;
use model::limits;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::text_formats;
use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

/// For fields of others that hold the id of a schedule.
pub(super) const ONCALL_REFERENCE: Refers = Refers {
    to: "oncall",
    missing_message: "Incorrect action operation on-call schedule. On-call schedule does not exist.",
    used_messages: [
        "The on-call schedule is used by action {}.",
        "The on-call schedule is used by actions {}.",
    ],
};

const NAME: FieldType = FieldType::Text { max: 255 };
const ROTATIONS_MAX: usize = 20;
const USERS_MAX: usize = 200;
const OVERRIDES_MAX: usize = 1_000;

const USER: &[Field] = &[Field::new("userid", FieldType::Id, Rule::Required, "User")];

pub const ROTATION: &[Field] = &[
    Field::new("name", NAME, Rule::Required, "Name"),
    Field::new(
        "start",
        FieldType::Timestamp,
        Rule::Required,
        "From when on there are shifts: the one in which it lies is the first user's",
    ),
    Field::new(
        "length",
        FieldType::Int { min: 1, max: 1_000 },
        Rule::Default("1"),
        "How long a shift is, in units",
    ),
    Field::new(
        "unit",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("2"),
        "Of length: 0 hours, 1 days, 2 weeks",
    ),
    Field::new(
        "handover",
        FieldType::Text { max: 5 },
        Rule::Default("09:00"),
        "When one hands over to the next, by the clock on the wall; shifts of hours are counted from it",
    ),
    Field::new(
        "weekday",
        FieldType::Int { min: 1, max: 7 },
        Rule::Default("1"),
        "Of weeks: the day on which one hands over, 1 being Monday",
    ),
    Field::new(
        "period",
        FieldType::Text { max: 1_024 },
        Rule::Default(""),
        "Times of the week in which it has somebody, such as 1-5,08:00-18:00; without any always",
    ),
    Field::new("users", FieldType::List(USER), Rule::Required, "Users in order of their turns"),
];

pub const OVERRIDE: &[Field] = &[
    Field::new("userid", FieldType::Id, Rule::Required, "Who is on call instead"),
    Field::new("time_from", FieldType::Timestamp, Rule::Required, "From when"),
    Field::new("time_till", FieldType::Timestamp, Rule::Required, "Until when, not included"),
];

const OBJECT: Object = Object {
    name: "oncall",
    type_name: "OncallSchedule",
    nouns: Nouns { one: "an on-call schedule", several: "on-call schedules" },
    resource: Some(1_001),
    role: RoleRule::one_of(&[
        UiElement::TriggerActions,
        UiElement::ServiceActions,
        UiElement::DiscoveryActions,
        UiElement::AutoregistrationActions,
        UiElement::InternalActions,
    ])
    .except(&[("whois", ChangedFrom::AnyPage)]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "oncallid",
    ids: "oncallids",
    fields: &[
        Field::new("oncallid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", NAME, Rule::Required, "Name"),
        Field::new(
            "timezone",
            FieldType::Text { max: 50 },
            Rule::Default("system"),
            "Time zone of hand-overs and times of the week, or system",
        )
        .shaped(&text_formats::ZONE_OR_SYSTEM)
        .never_empty(),
        Field::new(
            "description",
            FieldType::Text { max: limits::TEXT_FIELD_MAX },
            Rule::Default(""),
            "Description",
        ),
        Field::new(
            "rotations",
            FieldType::List(ROTATION),
            Rule::Required,
            "The first in the list that has somebody at a moment decides",
        ),
        Field::new(
            "overrides",
            FieldType::List(OVERRIDE),
            Rule::Optional,
            "They come before all rotations; of several the last in the list decides",
        ),
    ],
    selects: &[
        Select::new("selectRotations", "rotations", Gives::Parts(ROTATION)).countable(),
        Select::new("selectOverrides", "overrides", Gives::Parts(OVERRIDE)).countable(),
    ],
    params: Params::of(&["oncallids", "userids"]).strict(),
    sort: &["oncallid", "name", "timezone"],
    doc: "Who is on call: rotations of users, and overrides (Zabbix has no such object)",
};

const SAMPLE: &str = r#"{"name": "Operations", "timezone": "Europe/Riga",
    "rotations": [
        {"name": "Nights", "start": "1767225600", "length": "1", "unit": "1", "handover": "18:00",
         "period": "1-7,00:00-08:00;1-7,18:00-24:00", "users": [{"userid": "1"}]},
        {"name": "Weeks", "start": "1767225600", "users": [{"userid": "1"}]}],
    "overrides": [{"userid": "1", "time_from": "1769904000", "time_till": "1769990400"}]}"#;

pub static ONCALL: Stored = Stored {
    write: RoleType::Admin,
    // Ours; Zabbix's codes end far below.
    check,
    ..Stored::new(
        OBJECT,
        Edited::Plainly,
        &["name"],
        "On-call schedule \"{}\" already exists.",
        SAMPLE,
    )
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number_of<T: std::str::FromStr + Default>(body: &Body, name: &str) -> T {
    text_of(body, name).parse().unwrap_or_default()
}

fn parts<'a>(body: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = body.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

/// Seconds since midnight of `HH:MM`.
fn handover_s(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':')?;
    let number = |it: &str, below: u32| {
        let is_two_digits = it.len() == 2 && it.bytes().all(|it| it.is_ascii_digit());
        it.parse::<u32>().ok().filter(|it| is_two_digits && *it < below)
    };
    Some(number(hour, 24)? * 3_600 + number(minute, 60)? * 60)
}

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    let too_many = |path: FieldPath, max: usize| {
        Err(ConfigError::invalid(path, format_args!("no more than {max} are possible")))
    };
    if parts(body, "rotations").count() > ROTATIONS_MAX {
        return too_many(edited("rotations"), ROTATIONS_MAX);
    }
    if parts(body, "overrides").count() > OVERRIDES_MAX {
        return too_many(edited("overrides"), OVERRIDES_MAX);
    }
    let check_user = |it: &Body, path: FieldPath| {
        let is_there = snapshot.access.users.contains_key(&UserId(number_of(it, "userid")));
        if is_there { Ok(()) } else { Err(ConfigError::invalid(path, "object does not exist")) }
    };
    for (at, it) in parts(body, "rotations").enumerate() {
        let path = edited("rotations").element(at);
        if handover_s(text_of(it, "handover")).is_none() {
            let path = path.member("handover");
            return Err(ConfigError::invalid(path, "a time from 00:00 to 23:59 is expected"));
        }
        let period = text_of(it, "period");
        if !period.is_empty() && TimePeriod::parse(period).is_none() {
            return Err(ConfigError::invalid(path.member("period"), "a time period is expected"));
        }
        if parts(it, "users").count() > USERS_MAX {
            return too_many(path.member("users"), USERS_MAX);
        }
        for (of, it) in parts(it, "users").enumerate() {
            check_user(it, path.member("users").element(of).member("userid"))?;
        }
    }
    for (at, it) in parts(body, "overrides").enumerate() {
        let path = edited("overrides").element(at);
        check_user(it, path.member("userid"))?;
        if number_of::<i64>(it, "time_till") <= number_of(it, "time_from") {
            let path = path.member("time_till");
            return Err(ConfigError::invalid(path, "a time behind \"time_from\" is expected"));
        }
    }
    Ok(())
}

/// The schedule that a body describes; `system` is the server's time zone.
#[must_use]
pub fn schedule(body: &Body, system: &TimeZone) -> OncallSchedule {
    let zone = match text_of(body, "timezone") {
        "system" => system.clone(),
        name => TimeZone::get(name).unwrap_or_else(|_| system.clone()),
    };
    let overrides = parts(body, "overrides").map(|it| Override {
        user: number_of(it, "userid"),
        from: number_of(it, "time_from"),
        to: number_of(it, "time_till"),
    });
    let rotations = parts(body, "rotations").map(|it| {
        let n = number_of(it, "length");
        Rotation {
            users: parts(it, "users").map(|it| number_of(it, "userid")).collect(),
            start: number_of(it, "start"),
            length: match text_of(it, "unit") {
                "0" => ShiftLength::Hours(n),
                "1" => ShiftLength::Days(n),
                _ => ShiftLength::Weeks { n, weekday: number_of(it, "weekday") },
            },
            handover_s: handover_s(text_of(it, "handover")).unwrap_or_default(),
            times: Some(text_of(it, "period"))
                .filter(|it| !it.is_empty())
                .and_then(TimePeriod::parse),
        }
    });
    OncallSchedule { zone, rotations: rotations.collect(), overrides: overrides.collect() }
}

/// The users whom a body, or the part of it that is given, names.
#[must_use]
pub fn users_of(body: &Body) -> BTreeSet<UserId> {
    let of_rotations = parts(body, "rotations").flat_map(|it| parts(it, "users"));
    let all = of_rotations.chain(parts(body, "overrides"));
    all.map(|it| UserId(number_of(it, "userid"))).collect()
}

/// The name of a schedule that one of the users is in.
pub(crate) fn naming(snapshot: &Snapshot, user: UserId) -> Option<&str> {
    let mut all = snapshot.documents.of(OBJECT.name);
    all.find(|it| users_of(&it.body).contains(&user)).map(|it| it.text("name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_hand_over_have_two_digits_each() {
        assert_eq!(handover_s("00:00"), Some(0));
        assert_eq!(handover_s("23:59"), Some(86_340));
        for wrong in ["", "9:00", "24:00", "12:60", "12", "+1:00", "12:00:00", "1x:00"] {
            assert_eq!(handover_s(wrong), None, "{wrong}");
        }
    }
}
