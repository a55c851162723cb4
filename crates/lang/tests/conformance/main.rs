//! Runs the behaviour cases of the topics that this crate answers.
//!
//! The cases lie beside the checkout (`../shared/conformance`); without them the test says so and
//! passes. A topic is a function from a case's input to an output; each field that a case expects must
//! be there and equal.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: a panic is a failed test"
)]

mod expressions;
mod functions;
mod json;
mod keys;
mod lld;
mod macros;
mod preprocessing;
mod times;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// What a topic answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The output, compared field by field.
    Out(Value),
    /// The topic compared by itself: `Err` says what is wrong.
    Checked(Result<(), String>),
    /// The case asks for what this crate does not have; the reason.
    Skip(&'static str),
}

type Topic = fn(&Case<'_>) -> Answer;

/// Topics with their functions.
const TOPICS: &[(&str, Topic)] = &[
    ("expression/compare_values", values::compare_values),
    ("expression/compose", expressions::compose),
    ("expression/constants", expressions::constants),
    ("expression/evaluate", expressions::evaluate),
    ("expression/evaluate_unknown", expressions::evaluate_unknown),
    ("expression/execute", expressions::execute),
    ("expression/execute_with_functions", expressions::execute_with_functions),
    ("expression/function_error_text", expressions::function_error_text),
    ("expression/item_refs", expressions::item_refs),
    ("expression/parse", expressions::parse),
    ("expression/parse_item_query", expressions::parse_item_query),
    ("expression/prepare_filter", expressions::prepare_filter),
    ("expression/uses_timer", expressions::uses_timer),
    ("functions/baseline_periods", functions::baseline_periods),
    ("functions/history", functions::history),
    ("functions/kind", functions::kind),
    ("functions/nth_parameter", functions::nth_parameter),
    ("functions/parameter_list", functions::parameter_list),
    ("functions/timer_next_check", functions::timer_next_check),
    ("functions/trend_period", functions::trend_period),
    ("functions/validate_parameters", functions::validate_parameters),
    ("functions/value_at", functions::values_in_window),
    ("functions/values_in_window", functions::values_in_window),
    ("intervals/agent_next_check", times::agent_next_check),
    ("intervals/is_scheduling", times::is_scheduling),
    ("intervals/next_check", times::next_check),
    ("intervals/next_check_unreachable", times::next_check_unreachable),
    ("intervals/parse", times::parse_interval),
    ("intervals/report_next", times::report_next),
    ("intervals/validate", times::validate_interval),
    ("json/decode_value", json::decode_value),
    ("json/open_path", json::open_path),
    ("jsonpath/parse", json::parse_path),
    ("jsonpath/query", json::query),
    ("keys/parse", keys::parse),
    ("keys/replace_params", keys::replace_params),
    ("keys/substitute_params", keys::substitute_params),
    ("keys/substitute_snmp_oid", keys::substitute_snmp_oid),
    ("keys/validate", keys::validate),
    ("lld/compare_rows", lld::compare_rows),
    ("lld/is_macro", lld::is_macro),
    ("lld/row_macros", lld::row_macros),
    ("lld/substitute", lld::substitute),
    ("lld/substitute_in_expression", lld::substitute_in_expression),
    ("macros/fmttime", macros::fmttime),
    ("macros/functions", macros::functions),
    ("macros/in_text", macros::in_text),
    ("macros/regrepl", macros::functions),
    ("macros/substitute", macros::substitute),
    ("macros/substitute_value", macros::substitute_value),
    ("macros/tokens", macros::tokens),
    ("macros/tr", macros::functions),
    ("macros/user_macro_in_function_params", macros::in_function_params),
    ("macros/user_macro_parse", macros::user_macro_parse),
    ("macros/user_macro_quote_context", macros::quote_context),
    ("macros/user_macro_resolve", macros::resolve),
    ("macros/user_macro_secrets", macros::secrets),
    ("numbers/double", values::double),
    ("numbers/double_with_suffix", values::double_with_suffix),
    ("numbers/trim_float", values::trim_float),
    ("numbers/trim_integer", values::trim_integer),
    ("preprocessing/bool_to_decimal", preprocessing::step),
    ("preprocessing/change_per_second", preprocessing::step),
    ("preprocessing/check_json_error", preprocessing::step),
    ("preprocessing/check_not_supported", preprocessing::step),
    ("preprocessing/check_regex_error", preprocessing::step),
    ("preprocessing/discard_unchanged", preprocessing::step),
    ("preprocessing/discard_unchanged_heartbeat", preprocessing::step),
    ("preprocessing/hex_to_decimal", preprocessing::step),
    ("preprocessing/in_range", preprocessing::step),
    ("preprocessing/jsonpath", preprocessing::step),
    ("preprocessing/ltrim", preprocessing::step),
    ("preprocessing/matches_regex", preprocessing::step),
    ("preprocessing/multiplier", preprocessing::step),
    ("preprocessing/not_matches_regex", preprocessing::step),
    ("preprocessing/octal_to_decimal", preprocessing::step),
    ("preprocessing/regex", preprocessing::step),
    ("preprocessing/rtrim", preprocessing::step),
    ("preprocessing/simple_change", preprocessing::step),
    ("preprocessing/str_replace", preprocessing::step),
    ("preprocessing/trim", preprocessing::step),
    ("regexp/wildcard", values::wildcard),
    ("time/add", times::add),
    ("time/iso8601", times::iso8601),
    ("time/period", times::period),
    ("time/round_down", times::round_down),
    ("time/round_up", times::round_up),
    ("time/subtract", times::subtract),
    ("time/week_number", times::week_number),
    ("values/convert_to_type", values::convert_to_type),
    ("values/format_units", values::format_units),
    ("values/value_map", values::value_map),
];

/// The cases' folder.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance")
}

/// One case.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    input: &'a Value,
    out: &'a Value,
}

impl<'a> Case<'a> {
    /// Expected output.
    pub(crate) fn out(&self) -> &'a Value {
        self.out
    }

    /// A member of the input.
    pub(crate) fn get(&self, name: &str) -> &'a Value {
        &self.input[name]
    }

    /// A text of the input; empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.get(name).as_str().unwrap_or("")
    }

    /// A number of the input; 0 if it is not there.
    pub(crate) fn int(&self, name: &str) -> i64 {
        let value = self.get(name);
        value.as_i64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
    }

    /// A list of the input; empty if it is not there.
    pub(crate) fn list(&self, name: &str) -> &'a [Value] {
        self.get(name).as_array().map_or(&[], Vec::as_slice)
    }
}

/// Texts written as `{"repeat": …}` in full.
fn unfold(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            if let Some(repeat) = members.get("repeat") {
                let text = |name: &str| repeat[name].as_str().unwrap_or("").to_owned();
                let count = usize::try_from(repeat["count"].as_u64().unwrap_or(0)).unwrap();
                return json!(text("prefix") + &text("unit").repeat(count) + &text("suffix"));
            }
            Value::Object(members.into_iter().map(|(name, it)| (name, unfold(it))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(unfold).collect()),
        other => other,
    }
}

/// Each expected field is there and equal.
fn compare(expected: &Value, actual: &Value) -> Result<(), String> {
    let empty = Map::new();
    for (name, wanted) in expected.as_object().unwrap_or(&empty) {
        let found = &actual[name];
        if found != wanted {
            return Err(format!("{name}: {found}, expected {wanted}"));
        }
    }
    Ok(())
}

#[test]
fn supported_topics_pass_all_cases() {
    let folder = folder();
    if !folder.is_dir() {
        println!("no cases at {}: nothing to run", folder.display());
        return;
    }
    let only = std::env::var("TOPIC").unwrap_or_default();
    let mut failures = 0;
    for (topic, run) in TOPICS.iter().filter(|it| it.0.contains(&only)) {
        let text = std::fs::read_to_string(folder.join(format!("{topic}.json"))).unwrap();
        let file: Value = unfold(serde_json::from_str(&text).unwrap());
        let (mut passed, mut failed) = (0, 0);
        let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
        for case in file["cases"].as_array().unwrap() {
            let run_case = Case { input: &case["in"], out: &case["out"] };
            let result = match run(&run_case) {
                Answer::Skip(why) => {
                    *skipped.entry(why).or_default() += 1;
                    continue;
                }
                Answer::Checked(result) => result,
                Answer::Out(actual) => compare(run_case.out, &actual),
            };
            match result {
                Ok(()) => passed += 1,
                Err(why) => {
                    failed += 1;
                    let input: String = case["in"].to_string().chars().take(700).collect();
                    println!("  {topic} {}: {why}\n    {input}", case["id"]);
                }
            }
        }
        println!("{topic}: {passed} passed, {failed} failed, skipped {skipped:?}");
        failures += failed;
    }
    assert_eq!(failures, 0, "cases failed");
}
