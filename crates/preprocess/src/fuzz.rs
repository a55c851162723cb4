//! The entry point of the fuzz target (`fuzz/`), which also runs over its corpus as an ordinary test.

use formats::fuzz::{Target, utf8};
use model::content::{OnFail, PreprocStep, Step as Code};
use model::{Time, ValueType};
use script::NoScripts;

use crate::{
    Context, Data, Outcome, ParsedForms, Progress, Step, StepState, Trail, resume, run_light,
    run_with_scripts,
};

/// Names of the targets with their functions.
pub const TARGETS: &[(&str, Target)] = &[("step", step)];

/// Steps: the first line is the type's code, the second the number of lines of parameters that
/// follow, the rest the value. In one run, and stopping at heavy steps with a shared value, the
/// result is the same.
pub fn step(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or("");
    let (code, n_lines, rest) = (line(), line(), line());
    let code = code.parse().ok().and_then(Code::from_code);
    // Scripts have a target of their own.
    let Some(kind) = code.filter(|it| *it != Code::JavaScript) else { return };
    let n_lines = n_lines.parse().unwrap_or(1_usize);
    let end = match n_lines {
        0 => 0,
        n => rest.match_indices('\n').nth(n - 1).map_or(rest.len(), |it| it.0),
    };
    let (params, value) = rest.split_at(end);
    let value = if n_lines == 0 { value } else { value.strip_prefix('\n').unwrap_or("") };
    let step = PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    };
    let steps = [Step::compile(&step)];
    let _dispatched = steps[0].dispatch().map(|it| it.split(value));
    for value_type in [ValueType::Text, ValueType::Float, ValueType::Unsigned] {
        both_ways(&steps, value, value_type);
    }
}

fn both_ways(steps: &[Step; 1], value: &str, value_type: ValueType) {
    let mut whole = [StepState::default()];
    let mut light = [StepState::default()];
    let mut shared = ParsedForms::new(value);
    // The second value, as a number if it is one, meets the state of the first.
    let second = Data::text(value).to_number().unwrap_or_else(|| Data::text(value));
    for (at, data) in [Data::text(value), second].into_iter().enumerate() {
        let secs = i32::try_from(at).unwrap_or(0) * 7;
        let context =
            Context { time: Time::from_clock(1_700_000_000 + i64::from(secs), 0), value_type };
        let expected =
            run_with_scripts(steps, &mut whole, Ok(data.clone()), context, &mut NoScripts);
        let progress = run_light(steps, &mut light, (0, Ok(data)), context, Some(&mut shared));
        let got = match progress {
            Progress::Done(it) => it,
            Progress::Rows { value, .. } => Outcome::Value(value),
            Progress::Heavy { step, value, trail } => {
                let result = steps[step].apply_heavy(value.clone(), context, &mut NoScripts, None);
                let trail = trail.map_or_else(|| Trail::of(step, &value), |it| *it);
                match resume(steps, &mut light, (step, trail), result, context) {
                    Progress::Done(it) => it,
                    // There is one step.
                    Progress::Heavy { .. } | Progress::Rows { .. } => return,
                }
            }
        };
        assert_eq!(got, expected, "light and heavy are the same");
        if let Outcome::Value(Data::Float(it)) = got {
            assert!(!it.is_nan(), "a result is a number");
        }
    }
}
