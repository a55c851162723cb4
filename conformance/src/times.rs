//! Calendar, time periods, update intervals.

use jiff::tz::TimeZone;
use lang::calendar::{self, Unit};
use lang::interval::report::{self, Cycle};
use lang::interval::{self, Interval};
use lang::time_period::TimePeriod;
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("intervals/agent_next_check", agent_next_check),
    ("intervals/is_scheduling", is_scheduling),
    ("intervals/next_check", next_check),
    ("intervals/next_check_unreachable", next_check_unreachable),
    ("intervals/parse", parse_interval),
    ("intervals/report_next", report_next),
    ("intervals/validate", validate_interval),
    ("time/add", add),
    ("time/iso8601", iso8601),
    ("time/period", period),
    ("time/round_down", round_down),
    ("time/round_up", round_up),
    ("time/subtract", subtract),
    ("time/week_number", week_number),
];

/// An IANA name or a POSIX zone.
pub(crate) fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).or_else(|_| TimeZone::posix(name)).unwrap_or(TimeZone::UTC)
}

pub(crate) fn sec(time: &Value) -> i64 {
    time["sec"].as_i64().unwrap()
}

/// Compares the seconds of a point of time.
fn same_time(case: &Case<'_>, name: &str, found: Option<i64>) -> Answer {
    let wanted = sec(&case.out()[name]);
    Answer::Checked(match found {
        Some(it) if it == wanted => Ok(()),
        other => Err(format!("{other:?}, expected {wanted}")),
    })
}

fn split_param(param: &str) -> (i64, Unit) {
    let (n, unit) = param.split_at(param.len() - 1);
    (n.parse().unwrap(), Unit::from_letter(unit.as_bytes()[0]).unwrap())
}

fn add(case: &Case<'_>) -> Answer {
    let (n, unit) = split_param(case.text("param"));
    let found = calendar::add(sec(case.get("time")), n, unit, &zone(case.text("timezone")));
    same_time(case, "time", found)
}

fn subtract(case: &Case<'_>) -> Answer {
    let (n, unit) = split_param(case.text("param"));
    let found = calendar::add(sec(case.get("time")), -n, unit, &zone(case.text("timezone")));
    same_time(case, "time", found)
}

fn base(case: &Case<'_>) -> Unit {
    Unit::from_letter(case.text("base").as_bytes()[0]).unwrap()
}

fn round_down(case: &Case<'_>) -> Answer {
    let zone = zone(case.text("timezone"));
    same_time(case, "time", calendar::round_down(sec(case.get("time")), base(case), &zone))
}

fn round_up(case: &Case<'_>) -> Answer {
    let zone = zone(case.text("timezone"));
    same_time(case, "time", calendar::round_up(sec(case.get("time")), base(case), &zone))
}

fn week_number(case: &Case<'_>) -> Answer {
    let week = calendar::week_number(sec(case.get("time")), &zone(case.text("timezone")));
    Answer::Out(json!({"week": week}))
}

fn iso8601(case: &Case<'_>) -> Answer {
    let found = calendar::parse_iso8601(case.text("param"), &TimeZone::UTC);
    if case.out()["ok"] == false {
        return Answer::Checked(if found.is_none() { Ok(()) } else { Err("parsed".to_owned()) });
    }
    // The expected time is written in the same notation.
    let wanted = calendar::parse_iso8601(case.out()["datetime"].as_str().unwrap(), &TimeZone::UTC);
    Answer::Checked(if found.is_some() && found == wanted {
        Ok(())
    } else {
        Err(format!("{found:?}, expected {wanted:?}"))
    })
}

fn period(case: &Case<'_>) -> Answer {
    let zone = zone(case.text("timezone"));
    Answer::Out(match TimePeriod::parse(case.text("period")) {
        Some(it) => {
            json!({"valid": true, "inside": it.contains(sec(case.get("time_utc")), &zone)})
        }
        None => json!({"valid": false}),
    })
}

/// Successive checks, each computed from the one before.
fn checks(case: &Case<'_>, from: i64, next: &mut dyn FnMut(i64) -> i64) -> Answer {
    let mut now = from;
    for wanted in case.out()["checks"].as_array().unwrap() {
        let found = next(now);
        if found != sec(wanted) {
            return Answer::Checked(Err(format!("{found}, expected {wanted}")));
        }
        now = found;
    }
    Answer::Checked(Ok(()))
}

fn next_check(case: &Case<'_>) -> Answer {
    let interval = match Interval::parse(case.text("delay")) {
        Ok(it) => it,
        Err(error) => return Answer::Checked(Err(error.to_string())),
    };
    let zone = zone(case.text("timezone"));
    checks(case, sec(case.get("at")), &mut |now| match case.text("item_type") {
        "ZABBIX_ACTIVE" => interval.next_check_active(now),
        _ => interval.next_check(now, 0, &zone),
    })
}

fn next_check_unreachable(case: &Case<'_>) -> Answer {
    let interval = Interval::parse(case.text("delay")).unwrap();
    let zone = zone(case.text("timezone"));
    checks(case, sec(case.get("disabled_until")), &mut |now| {
        interval.next_check_unreachable(now, &zone)
    })
}

fn agent_next_check(case: &Case<'_>) -> Answer {
    let seed = u64::try_from(case.int("itemid")).unwrap();
    Answer::Out(match Interval::parse(case.text("delay")) {
        Ok(it) => {
            let next = it.next_check(sec(case.get("now")), seed, &TimeZone::UTC);
            json!({"ok": true, "nextcheck": next})
        }
        Err(_) => json!({"ok": false, "nextcheck": interval::NEVER}),
    })
}

fn is_scheduling(case: &Case<'_>) -> Answer {
    let found = Interval::parse(case.text("params")).is_ok_and(|it| it.is_scheduling());
    Answer::Out(json!({"ok": found}))
}

fn parse_interval(case: &Case<'_>) -> Answer {
    let text = case.text("str");
    let ok = if case.get("no_custom").is_null() {
        Interval::parse(text).is_ok()
    } else {
        Interval::parse_simple(text).is_ok()
    };
    Answer::Out(json!({"ok": ok}))
}

fn validate_interval(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": interval::validate(case.text("str")).is_ok()}))
}

fn report_next(case: &Case<'_>) -> Answer {
    let days = case.list("weekdays").iter().fold(0, |set, it| set | 1 << it.as_u64().unwrap());
    let cycle = match case.text("cycle") {
        "daily" => Cycle::Daily,
        "weekly" => Cycle::Weekly(days),
        "monthly" => Cycle::Monthly,
        _ => Cycle::Yearly,
    };
    let parts: Vec<i64> =
        case.text("start_time").split(':').map(|it| it.parse().unwrap()).collect();
    let start_s = parts[0] * 3600 + parts[1] * 60 + parts[2];
    let zone = zone(case.text("timezone"));
    let mut now = sec(case.get("now"));
    for wanted in case.out()["reports"].as_array().unwrap() {
        let found = report::next(cycle, start_s, now, &zone);
        if found != Some(sec(wanted)) {
            return Answer::Checked(Err(format!("{found:?}, expected {wanted}")));
        }
        now = sec(wanted);
    }
    Answer::Checked(Ok(()))
}
