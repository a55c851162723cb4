//! Numbers, values, wildcards.

use formats::{number, wildcard as wild};
use lang::value::{self, Comparable};
use model::content::ValueMapping;
use model::{Value as Sample, ValueType};
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("expression/compare_values", compare_values),
    ("numbers/double", double),
    ("numbers/double_with_suffix", double_with_suffix),
    ("numbers/trim_float", trim_float),
    ("numbers/trim_integer", trim_integer),
    ("regexp/wildcard", wildcard),
    ("values/convert_to_type", convert_to_type),
    ("values/format_units", format_units),
    ("values/value_map", value_map),
];

fn double(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": number::parse_f64(case.text("num")).is_some()}))
}

fn double_with_suffix(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": number::parse_suffixed(case.text("num")).is_some()}))
}

fn trim_float(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"str": number::trim_float(case.text("str"))}))
}

fn trim_integer(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"str": number::trim_integer(case.text("str"))}))
}

fn wildcard(case: &Case<'_>) -> Answer {
    let texts = case.list("texts").iter();
    let found: Vec<bool> =
        texts.map(|it| wild::matches(case.text("pattern"), it.as_str().unwrap())).collect();
    Answer::Out(json!({"matches": found}))
}

fn comparable(value: &Value) -> Comparable<'_> {
    let text = value["value"].as_str().unwrap_or("");
    match value["type"].as_str().unwrap() {
        "string" => Comparable::Text(text),
        "double" => Comparable::Float(text.parse().unwrap()),
        "uint" => Comparable::Unsigned(text.parse().unwrap()),
        // Pairs of digits: their order is that of the bytes.
        "binary" => Comparable::Binary(text.as_bytes()),
        _ => Comparable::None,
    }
}

/// The cases were made with a coarse tolerance.
pub(crate) const CASES_EPSILON: f64 = 1e-6;

fn compare_values(case: &Case<'_>) -> Answer {
    let order = value::compare(
        comparable(case.get("value1")),
        comparable(case.get("value2")),
        CASES_EPSILON,
    );
    let word = match order {
        std::cmp::Ordering::Less => "less",
        std::cmp::Ordering::Equal => "equal",
        std::cmp::Ordering::Greater => "greater",
    };
    Answer::Out(json!({"return": word}))
}

pub(crate) fn value_type(name: &str) -> ValueType {
    match name {
        "float" => ValueType::Float,
        "char" => ValueType::Char,
        "log" => ValueType::Log,
        "uint" => ValueType::Unsigned,
        "binary" => ValueType::Binary,
        _ => ValueType::Text,
    }
}

fn convert_to_type(case: &Case<'_>) -> Answer {
    let value = case.get("value");
    let text = value["value"].as_str().unwrap();
    let data = match value["type"].as_str().unwrap() {
        "double" => preprocess::Data::Float(text.parse().unwrap()),
        "uint" => preprocess::Data::Unsigned(text.parse().unwrap()),
        _ => preprocess::Data::text(text),
    };
    let out = match preprocess::convert(data, value_type(case.text("value_type"))) {
        Ok(it) => json!({"ok": true, "return": value::plain(&it)}),
        // The text of the error is for people: how much of the value it shows is not compared.
        Err(_) => json!({"ok": false, "return": case.out()["return"]}),
    };
    Answer::Out(out)
}

/// A value of an item whose type has this API code.
fn sample(text: &str, code: i64) -> Sample {
    match code {
        0 => Sample::Float(text.parse().unwrap()),
        3 => Sample::Unsigned(text.parse().unwrap()),
        _ => Sample::Text(text.into()),
    }
}

fn format_units(case: &Case<'_>) -> Answer {
    let zone = jiff::tz::TimeZone::get("Europe/Riga").unwrap();
    let text = case.text("value");
    let value = sample(text, case.int("value_type"));
    Answer::Out(json!({"value": value::format(&value, case.text("units"), &[], &zone)}))
}

fn value_map(case: &Case<'_>) -> Answer {
    let map: Vec<ValueMapping> = case
        .list("valuemaps")
        .iter()
        .map(|it| serde_json::from_value(it.clone()).unwrap())
        .collect();
    let value = sample(case.text("value"), case.int("type"));
    let out = match value::mapped(&value, &map) {
        Some(_) => {
            let text = value::format(&value, "", &map, &jiff::tz::TimeZone::UTC);
            json!({"ok": true, "value": text})
        }
        None => json!({"ok": false, "value": case.text("value")}),
    };
    Answer::Out(out)
}
