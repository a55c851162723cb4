//! Preprocessing steps, one at a time.

use model::Time;
use model::content::{OnFail, PreprocStep, Step as Code};
use preprocess::{Context, Data, Outcome, Step, StepState, run_traced};
use script::NoScripts;
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};
use crate::scripts;
use crate::values::value_type;

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("preprocessing/bool_to_decimal", step),
    ("preprocessing/change_per_second", step),
    ("preprocessing/check_json_error", step),
    ("preprocessing/check_not_supported", step),
    ("preprocessing/check_regex_error", step),
    ("preprocessing/check_xml_error", step),
    ("preprocessing/csv_to_json", step),
    ("preprocessing/csv_to_json_more", step),
    ("preprocessing/discard_unchanged", step),
    ("preprocessing/discard_unchanged_heartbeat", step),
    ("preprocessing/hex_to_decimal", step),
    ("preprocessing/in_range", step),
    ("preprocessing/javascript", step),
    ("preprocessing/jsonpath", step),
    ("preprocessing/ltrim", step),
    ("preprocessing/matches_regex", step),
    ("preprocessing/multiplier", step),
    ("preprocessing/not_matches_regex", step),
    ("preprocessing/octal_to_decimal", step),
    ("preprocessing/pipeline", pipeline),
    ("preprocessing/prometheus_pattern", step),
    ("preprocessing/prometheus_to_json", step),
    ("preprocessing/regex", step),
    ("preprocessing/rtrim", step),
    ("preprocessing/simple_change", step),
    ("preprocessing/snmp_get_value", step),
    ("preprocessing/snmp_walk_to_json", step),
    ("preprocessing/snmp_walk_value", step),
    ("preprocessing/str_replace", step),
    ("preprocessing/trim", step),
    ("preprocessing/xmlpath", step),
    ("preprocessing/xpath_more", step),
];

/// Cases in which the time says nothing have none.
pub(crate) fn time(value: &Value) -> Time {
    if value.is_null() {
        return Time::ZERO;
    }
    let ns = u32::try_from(value["ns"].as_u64().unwrap()).unwrap();
    Time::from_clock(value["sec"].as_i64().unwrap(), ns)
}

pub(crate) fn compiled(step: &Value) -> Step {
    Step::compile(&PreprocStep {
        kind: Code::from_code(step["type_code"].as_i64().unwrap()).unwrap(),
        params: step["params"].as_str().unwrap().to_owned(),
        error_handler: OnFail::from_code(step["on_fail_code"].as_i64().unwrap()).unwrap(),
        error_handler_params: step["on_fail_params"].as_str().unwrap().to_owned(),
    })
}

fn state(previous: &Value) -> StepState {
    let Some(text) = previous["value"].as_str() else { return StepState::default() };
    let data = match previous["type"].as_str().unwrap() {
        "double" => Data::Float(text.parse().unwrap()),
        "uint" => Data::Unsigned(text.parse().unwrap()),
        _ => Data::text(text.to_owned()),
    };
    StepState::new(data, time(&previous["time"]))
}

fn same_number(left: &str, right: &str) -> bool {
    match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) => (left - right).abs() <= 1e-6_f64.max(right.abs() * 1e-9),
        _ => false,
    }
}

/// A requirement of the case that does not exist here.
fn missing(case: &Case<'_>) -> Option<Answer> {
    let needs = |what: &str| case.list("needs").iter().any(|it| it == what);
    needs("mib_files")
        .then_some(Answer::Skip("object identifiers are numbers: no MIB files are read"))
}

pub(crate) fn step(case: &Case<'_>) -> Answer {
    if let Some(answer) = missing(case) {
        return answer;
    }
    let wanted = case.out();
    let text = case.text("value");
    let input = if case.get("value_is_error") == true {
        Err(text.to_owned())
    } else {
        Ok(Data::text(text))
    };
    let mut states = [state(case.get("previous"))];
    let context = Context {
        time: time(case.get("time")),
        value_type: value_type(case.text("item_value_type")),
    };
    let steps = [compiled(case.get("step"))];
    let (outcome, traces) =
        scripts::with_engine(|it| run_traced(&steps, &mut states, input, context, it));
    // The error of the step itself, or of its error handler; the item's error quotes it.
    let error_of = |it: &preprocess::Trace| it.failed.clone().or(it.error.clone());
    let said = traces.last().and_then(error_of).unwrap_or_default();
    let (result, value, error) = match &outcome {
        Outcome::Value(it) => ("value", it.as_text().into_owned(), String::new()),
        Outcome::Discarded => ("discarded", String::new(), String::new()),
        // One step alone that leaves an error as it is counts as passing it on.
        Outcome::Failed(it) if it.step.is_none() => ("value", it.text.clone(), String::new()),
        Outcome::Failed(_) => ("error", String::new(), said),
    };
    if wanted["result"] != result {
        return Answer::Checked(Err(format!("{result} {error}, expected {wanted}")));
    }
    if let Some(expected) = wanted["value"].as_str()
        && expected != value
        && !same_number(&value, expected)
    {
        return Answer::Checked(Err(format!("{value:?}, expected {expected:?}")));
    }
    if let Some(expected) = wanted["error"].as_str()
        && expected != error
    {
        return Answer::Checked(Err(format!("{error:?}, expected {expected:?}")));
    }
    Answer::Checked(remembered(wanted, &states[0]))
}

/// A list of steps over one value, each with its result.
fn pipeline(case: &Case<'_>) -> Answer {
    let steps: Vec<Step> = case.list("steps").iter().map(compiled).collect();
    let wanted = case.out()["results"].as_array().unwrap();
    let Some(text) = case.get("value").as_str() else {
        // Nothing came, so nothing goes through.
        let all_none = wanted.len() == steps.len() && wanted.iter().all(|it| it["type"] == "none");
        return Answer::Checked(if all_none { Ok(()) } else { Err("a value".to_owned()) });
    };
    let value_type = match case.text("item_value_type") {
        "none" => model::ValueType::Text,
        name => value_type(name),
    };
    let mut states = vec![StepState::default(); steps.len()];
    let context = Context { time: time(case.get("time")), value_type };
    let (_, traces) =
        run_traced(&steps, &mut states, Ok(Data::text(text)), context, &mut NoScripts);
    let found: Vec<Value> = traces
        .iter()
        .map(|it| match &it.result {
            None => json!({"type": "none"}),
            Some(it) => json!({"type": kind(it), "value": it.as_text()}),
        })
        .collect();
    let fits = found.len() == wanted.len()
        && found.iter().zip(wanted).all(|(found, wanted)| {
            let text = |it: &Value| it["value"].as_str().unwrap_or("").to_owned();
            found["type"] == wanted["type"]
                && (text(found) == text(wanted) || same_number(&text(found), &text(wanted)))
        });
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{}", json!(found))) })
}

fn kind(data: &Data<'_>) -> &'static str {
    match data {
        Data::Float(_) => "double",
        Data::Unsigned(_) => "uint",
        Data::Text(_) => "string",
    }
}

fn remembered(wanted: &Value, state: &StepState) -> Result<(), String> {
    let expected = &wanted["remember"];
    if wanted.get("remember").is_none() {
        return Ok(());
    }
    let found = state.last().map(|(data, at)| (data.as_text().into_owned(), *at));
    let fits = match &found {
        None => expected.is_null(),
        Some((value, at)) => {
            expected["value"].as_str() == Some(value) && time(&expected["time"]) == *at
        }
    };
    if fits { Ok(()) } else { Err(format!("remembers {found:?}, expected {}", json!(expected))) }
}
