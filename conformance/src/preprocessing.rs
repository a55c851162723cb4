//! Preprocessing steps, one at a time.

use lang::preprocess::{Context, Data, Outcome, Step, StepState, run_with_scripts};
use model::Time;
use model::content::{OnFail, PreprocStep, Step as Code};
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
    ("preprocessing/discard_unchanged", step),
    ("preprocessing/discard_unchanged_heartbeat", step),
    ("preprocessing/hex_to_decimal", step),
    ("preprocessing/in_range", step),
    ("preprocessing/jsonpath", step),
    ("preprocessing/ltrim", step),
    ("preprocessing/matches_regex", step),
    ("preprocessing/multiplier", step),
    ("preprocessing/not_matches_regex", step),
    ("preprocessing/octal_to_decimal", step),
    ("preprocessing/regex", step),
    ("preprocessing/rtrim", step),
    ("preprocessing/simple_change", step),
    ("preprocessing/str_replace", step),
    ("preprocessing/trim", step),
];

fn time(value: &Value) -> Time {
    let ns = u32::try_from(value["ns"].as_u64().unwrap()).unwrap();
    Time::from_clock(value["sec"].as_i64().unwrap(), ns)
}

fn compiled(step: &Value) -> Step {
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

pub(crate) fn step(case: &Case<'_>) -> Answer {
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
    let outcome =
        scripts::with_engine(|it| run_with_scripts(&steps, &mut states, input, context, it));
    let (result, value, error) = match &outcome {
        Outcome::Value(it) => ("value", it.as_text().into_owned(), String::new()),
        Outcome::Discarded => ("discarded", String::new(), String::new()),
        // One step alone that leaves an error as it is counts as passing it on.
        Outcome::Failed(it) if it.step.is_none() => ("value", it.text.clone(), String::new()),
        Outcome::Failed(it) => ("error", String::new(), it.text.clone()),
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
