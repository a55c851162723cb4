//! History functions, their parameters and periods.

use formats::number;
use jiff::tz::TimeZone;
use lang::calendar::Unit;
use lang::expression::Value as Computed;
use lang::functions::params::Escapes;
use lang::functions::stl::{self, Deviation};
use lang::functions::{
    self, Call, FunctionContext, Hours, Range, Sample, SampleValue, TrendPeriod, Window, params,
    select,
};
use model::value::LogEntry;
use model::{Time, ValueType};
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};
use crate::times::{sec, zone};
use crate::values::{CASES_EPSILON, value_type};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("functions/baseline_periods", baseline_periods),
    ("functions/find_call", find_call),
    ("functions/history", history),
    ("functions/kind", kind),
    ("functions/nth_parameter", nth_parameter),
    ("functions/parameter_list", parameter_list),
    ("functions/stl_decomposition", stl_decomposition),
    ("functions/stl_deviation_share", stl_deviation_share),
    ("functions/timer_next_check", timer_next_check),
    ("functions/trend_period", trend_period),
    ("functions/validate_parameters", validate_parameters),
    ("functions/value_at", values_in_window),
    ("functions/values_in_window", values_in_window),
];

fn time(value: &Value) -> Time {
    Time::from_clock(sec(value), u32::try_from(value["ns"].as_u64().unwrap()).unwrap())
}

/// The owner of the texts of an item's history.
enum Owned {
    Float(f64),
    Unsigned(u64),
    Text(String),
    Log(LogEntry),
}

fn stored(item: &Value) -> Vec<(Time, Owned)> {
    let kind = value_type(item["value_type"].as_str().unwrap());
    let mut values: Vec<(Time, Owned)> = item["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let text = it["value"].as_str().unwrap();
            let int = |name: &str| it[name].as_str().and_then(|it| it.parse().ok()).unwrap_or(0);
            let value = match kind {
                ValueType::Float => Owned::Float(text.parse().unwrap()),
                ValueType::Unsigned => Owned::Unsigned(text.parse().unwrap()),
                ValueType::Log => Owned::Log(LogEntry {
                    value: text.to_owned(),
                    source: it["source"].as_str().unwrap_or("").to_owned(),
                    timestamp: int("timestamp"),
                    severity: i32::try_from(int("severity")).unwrap(),
                    logeventid: int("logeventid"),
                }),
                _ => Owned::Text(text.to_owned()),
            };
            (time(&it["time"]), value)
        })
        .collect();
    values.sort_by_key(|it| it.0);
    values
}

fn samples(values: &[(Time, Owned)]) -> Vec<Sample<'_>> {
    values
        .iter()
        .map(|(time, value)| Sample {
            time: *time,
            value: match value {
                Owned::Float(it) => SampleValue::Float(*it),
                Owned::Unsigned(it) => SampleValue::Unsigned(*it),
                Owned::Text(it) => SampleValue::Text(it),
                Owned::Log(it) => SampleValue::Log(it),
            },
        })
        .collect()
}

fn history(case: &Case<'_>) -> Answer {
    let wanted = case.out();
    let item = case.get("item");
    let values = stored(item);
    let now = time(case.get("now"));
    let utc = TimeZone::UTC;
    let context = FunctionContext {
        data_since: now.plus_secs(-600),
        epsilon: CASES_EPSILON,
        ..FunctionContext::new(now, &utc, value_type(item["value_type"].as_str().unwrap()))
    };
    let result = Call::parse(case.text("function"), case.text("params"))
        .map_err(|it| it.to_string())
        .and_then(|it| it.eval(&samples(&values), &context).map_err(|it| it.to_string()));
    Answer::Checked(match (wanted["ok"] == true, result) {
        (false, Err(_)) => Ok(()),
        (true, Ok(value)) => {
            let expected = wanted["value"].as_str().unwrap();
            let (found, number) = match &value {
                Computed::Number(it) => (number::format_f64(*it), Some(*it)),
                Computed::UInt(it) => (it.to_string(), Some(number::u64_to_f64(*it))),
                Computed::Text(it) => (it.clone(), None),
                Computed::Vector(_) => (String::new(), None),
            };
            let near = number.zip(expected.parse::<f64>().ok());
            let near = near.is_some_and(|(a, b)| (a - b).abs() <= 1e-6_f64.max(b.abs() * 1e-9));
            if near || found == expected {
                Ok(())
            } else {
                Err(format!("{found}, expected {expected}"))
            }
        }
        (_, other) => Err(format!("{other:?}, expected {wanted}")),
    })
}

/// The numbers of a case's item, oldest first.
fn series(case: &Case<'_>) -> Vec<(Time, f64)> {
    let values = stored(case.get("item"));
    samples(&values).iter().map(|it| (it.time, it.value.number().unwrap())).collect()
}

fn stl_decomposition(case: &Case<'_>) -> Answer {
    let size = |name: &str| usize::try_from(case.int(name)).unwrap();
    let (now, seconds) = (time(case.get("now")), case.int("seconds"));
    let mut series = series(case);
    series.retain(|it| it.0 <= now && now.plus_secs(-seconds) < it.0);
    let numbers: Vec<f64> = series.iter().map(|it| it.1).collect();
    let wanted = case.out();
    let Some(parts) = stl::decompose(&numbers, size("season"), size("s_window")) else {
        let fails = wanted["ok"] == false;
        return Answer::Checked(if fails { Ok(()) } else { Err("no parts".to_owned()) });
    };
    for (name, found) in
        [("trend", parts.trend), ("seasonal", parts.seasonal), ("remainder", parts.remainder)]
    {
        let expected = wanted[name].as_array().unwrap();
        for (idx, (it, expected)) in found.iter().rev().zip(expected).enumerate() {
            let expected: f64 = expected["value"].as_str().unwrap().parse().unwrap();
            if (it - expected).abs() > 1e-4 || found.len() != series.len() {
                return Answer::Checked(Err(format!("{name} {idx}: {it}, expected {expected}")));
            }
        }
    }
    Answer::Checked(if wanted["ok"] == true { Ok(()) } else { Err("has parts".to_owned()) })
}

fn stl_deviation_share(case: &Case<'_>) -> Answer {
    let (period, detect) = case.text("params").split_once(',').unwrap();
    let detect_s = i64::try_from(number::parse_duration_s(detect).unwrap()).unwrap();
    let now = sec(case.get("now"));
    let hours = TrendPeriod::parse(period).unwrap().hours(now, &TimeZone::UTC).unwrap();
    let at = |clock: i64| Time::from_clock(clock, 0);
    let mut series = series(case);
    series.retain(|it| at(hours.start) <= it.0 && it.0 <= at(hours.end));
    let n_detect = series.iter().filter(|it| at(hours.end - detect_s) <= it.0).count();
    let remainder: Vec<f64> = series.iter().map(|it| it.1).collect();
    let deviations = case.get("deviations_count").as_f64().unwrap();
    let kind = Deviation::parse(case.text("dev_alg")).unwrap();
    let found = stl::deviation_share(&remainder, n_detect, deviations, kind);
    let wanted: f64 = case.out()["value"].as_str().unwrap().parse().unwrap();
    let fits = found.is_some_and(|it| (it - wanted).abs() <= 1e-6);
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{found:?}, expected {wanted}")) })
}

fn values_in_window(case: &Case<'_>) -> Answer {
    let request = case.get("request");
    let id = &request["itemid"];
    let item = case.list("items").iter().find(|it| it["itemid"] == *id).unwrap();
    let values = stored(item);
    let all = samples(&values);
    let end = time(if request["end"].is_null() { &request["time"] } else { &request["end"] });
    let number = |name: &str| request[name].as_i64().unwrap_or(0);
    let (seconds, count) = (number("seconds"), number("count"));
    let mut found = all.as_slice();
    if seconds > 0 {
        found = select(found, &Window { range: Range::Seconds(seconds), end });
    }
    // Without either the newest value is meant.
    let count = if seconds == 0 && count == 0 { 1 } else { count };
    if count > 0 {
        let range = Range::Count(usize::try_from(count).unwrap());
        found = select(found, &Window { range, end });
    }
    let found: Vec<(Time, String)> = found
        .iter()
        .rev()
        .map(|it| {
            (
                it.time,
                it.value
                    .text()
                    .map_or_else(|| number::format_f64(it.value.number().unwrap()), str::to_owned),
            )
        })
        .collect();
    let wanted: Vec<(Time, String)> = case.out()["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (time(&it["time"]), it["value"].as_str().unwrap().to_owned()))
        .collect();
    Answer::Checked(if found == wanted {
        Ok(())
    } else {
        Err(format!("{found:?}, expected {wanted:?}"))
    })
}

fn kind(case: &Case<'_>) -> Answer {
    let name = case.text("func");
    // Functions whose name begins like a trend function are evaluated as one.
    let is_trend = name.starts_with("trend") || name.starts_with("baseline");
    let kind = match functions::find(name).map(|it| it.kind) {
        _ if is_trend => "trends",
        _ if functions::is_timer(name) => "timer",
        Some(functions::FunctionKind::Trend) => "trends",
        _ => "history",
    };
    Answer::Out(json!({"func": kind}))
}

fn find_call(case: &Case<'_>) -> Answer {
    Answer::Out(match functions::find_call(case.text("param")) {
        Ok(it) => json!({
            "ok": true,
            "func_pos": it.name.start,
            "par_l": it.params.start,
            "par_r": it.params.end - 1,
        }),
        // The text of the error is for people.
        Err(_) => json!({"ok": false, "error": case.out()["error"]}),
    })
}

fn nth_parameter(case: &Case<'_>) -> Answer {
    let idx = usize::try_from(case.int("num") - 1).unwrap();
    let found = params::split(case.text("params"));
    Answer::Out(json!({"param": found.get(idx).map(params::Param::value)}))
}

fn parameter_list(case: &Case<'_>) -> Answer {
    let macros = !case.list("macros").is_empty();
    let escapes = if case.int("escape_bs") == 0 { Escapes::Quotes } else { Escapes::All };
    let (found, _) = params::split_until_parenthesis(case.text("params"), macros, escapes);
    let found: Vec<&str> = found.iter().map(|it| it.written).collect();
    Answer::Out(json!({"params": found}))
}

fn validate_parameters(case: &Case<'_>) -> Answer {
    let text = case.text("expr");
    let (list, end) = params::split_until_parenthesis(text, true, Escapes::All);
    let is_open = list.iter().any(|it| it.written.starts_with('"') && !it.quoted);
    Answer::Out(if is_open { json!({"ok": false}) } else { json!({"ok": true, "length": end}) })
}

fn timer_next_check(case: &Case<'_>) -> Answer {
    let now = sec(case.get("time"));
    let next = match case.text("type") {
        "function_time" => Some(functions::timer_next_check(now)),
        _ => TrendPeriod::parse(case.text("params"))
            .and_then(|it| it.next_check(now, &zone(case.text("timezone")))),
    };
    let wanted = sec(&case.out()["nextcheck"]);
    Answer::Checked(if next == Some(wanted) {
        Ok(())
    } else {
        Err(format!("{next:?}, expected {wanted}"))
    })
}

fn same_hours(wanted: &Value, found: Hours) -> bool {
    sec(&wanted["start"]) == found.start && sec(&wanted["end"]) == found.end
}

fn trend_period(case: &Case<'_>) -> Answer {
    let found = TrendPeriod::parse(case.text("param"))
        .and_then(|it| it.hours(sec(case.get("time")), &zone(case.text("timezone"))));
    let wanted = case.out();
    let fits = match found {
        None => wanted["ok"] == false,
        Some(it) => wanted["ok"] == true && same_hours(wanted, it),
    };
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{found:?}, expected {wanted}")) })
}

fn baseline_periods(case: &Case<'_>) -> Answer {
    let unit = Unit::from_letter(case.text("season").as_bytes()[0]).unwrap();
    let zone = zone(case.text("timezone"));
    let found = TrendPeriod::parse(case.text("period")).and_then(|it| {
        it.seasons(sec(case.get("time")), &zone, unit, (case.int("skip"), case.int("season_num")))
    });
    let wanted = case.out()["data"].as_array().unwrap();
    let fits = found.as_ref().is_some_and(|it| {
        it.len() == wanted.len() && it.iter().zip(wanted).all(|(a, b)| same_hours(b, *a))
    });
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{found:?}")) })
}
