//! Whole lists of steps: as they run, and as the web interface tries them out.

use formats::regexp::Regexp;
use model::Time;
use preprocess::test_request::{Trial, cut};
use preprocess::{Context, Data, Step, StepState, run_traced};
use script::NoScripts;
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};
use crate::preprocessing::{compiled, time};
use crate::values::value_type;

/// The topics of this file.
pub(crate) const TOPICS: Topics =
    &[("preprocessing/pipeline", pipeline), ("preprocessing/test_request", test_request)];

fn pipeline(case: &Case<'_>) -> Answer {
    let steps: Vec<Step> = case.list("steps").iter().map(compiled).collect();
    let mut results = Vec::new();
    match case.get("value").as_str() {
        // Where there is no value, the first step has nothing to pass on.
        None => results.extend(steps.first().map(|_| json!({"type": "none"}))),
        Some(value) => {
            let mut states = vec![StepState::default(); steps.len()];
            let value_type = value_type(case.text("item_value_type"));
            let context = Context { time: time(case.get("time")), value_type };
            let input = Ok(Data::text(value));
            let (_, traces) = run_traced(&steps, &mut states, input, context, &mut NoScripts);
            results.extend(traces.iter().map(|it| result(it.result.as_ref())));
        }
    }
    Answer::Out(json!({ "results": results }))
}

fn result(data: Option<&Data<'_>>) -> Value {
    let Some(data) = data else { return json!({"type": "none"}) };
    let kind = match data {
        Data::Float(_) => "double",
        Data::Unsigned(_) => "uint",
        Data::Text(_) => "string",
    };
    json!({"type": kind, "value": data.as_text()})
}

fn test_request(case: &Case<'_>) -> Answer {
    let wanted = case.out();
    if let Some(length) = case.get("value_gen_length").as_u64() {
        let value = "x".repeat(usize::try_from(length).unwrap()) + case.text("value_append");
        let (shown, is_cut) = cut(&value);
        let found = json!({"expected_len": shown.len(), "expected_truncated": is_cut.to_string(),
            "ok": true});
        return Answer::Out(found);
    }
    // Any moment will do: times in requests are relative to it.
    let now = Time::from_clock(1_700_000_000, 0);
    let Ok(trial) = Trial::parse(case.get("request"), now) else {
        return Answer::Out(json!({"ok": false}));
    };
    let response = trial.run(&mut NoScripts).to_json();
    if wanted["ok"] != true {
        return Answer::Checked(Err(format!("taken, expected to be refused: {response}")));
    }
    if matches(&wanted["response"], &response) {
        Answer::Checked(Ok(()))
    } else {
        Answer::Checked(Err(format!("{response}, expected {}", wanted["response"])))
    }
}

/// Equal, where a text that begins with a slash is a regular expression.
fn matches(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::String(expected), Value::String(found)) => match expected.strip_prefix('/') {
            Some(pattern) => Regexp::new(pattern).unwrap().is_match(found).unwrap(),
            None => expected == found,
        },
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected.iter().zip(found).all(|(one, two)| matches(one, two))
        }
        (Value::Object(expected), Value::Object(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .all(|(name, it)| found.get(name).is_some_and(|found| matches(it, found)))
        }
        _ => expected == found,
    }
}
