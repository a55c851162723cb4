//! Tests of unsaved steps: Zabbix's request `preprocessing.test` and its answer.
//!
//! The steps run twice if the request has a previous value: over that one first, so that steps with
//! state have something to compare with.

use model::content::{OnFail as Handler, PreprocStep, Step as Code};
use model::{Time, ValueType};
use serde_json::{Map, Value as Json, json};

use super::compile::{OnFail, Step};
use super::data::{Data, convert};
use super::run::{Context, Outcome, Trace, run_traced};
use super::state::StepState;
use formats::number;
use script::Scripts;

/// Bytes of a result that an answer shows; the rest is cut.
const SHOWN_BYTES_MAX: usize = 512 * 1024;

/// A test of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Steps, macros already replaced.
    pub steps: Vec<PreprocStep>,
    /// The type that the item stores.
    pub value_type: ValueType,
    /// The value, or the error of the check.
    pub input: Result<String, String>,
    /// A previous value, and its time.
    pub previous: Option<(String, Time)>,
    /// Time of the value.
    pub time: Time,
    /// One step of a list: its result need not have the type that the item stores.
    pub single: bool,
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// A report for each step that ran.
    pub steps: Vec<StepReport>,
    /// The value to store, as text; `None` inside: the value is discarded.
    pub result: Result<Option<String>, String>,
    /// The previous value failed: the value itself was not tested.
    pub previous: bool,
}

/// The report of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// The result of the step and its error handler.
    pub trace: Trace,
    /// The error handler that was applied: 1 discard, 2 set value, 3 set error.
    pub action: Option<i64>,
}

impl Trial {
    /// Reads a request. `now` is the time of the value.
    ///
    /// # Errors
    /// Which field is missing or wrong.
    pub fn parse(request: &Json, now: Time) -> Result<Self, String> {
        let data = field(request, "data", "data")?;
        let item = field(data, "item", "data.item")?;
        let value_type = int(field(item, "value_type", "data.item.value_type")?)
            .and_then(ValueType::from_code)
            .ok_or("Invalid data.item.value_type field.")?;
        let options = data.get("options");
        let option = |name: &str| options.and_then(|it| it.get(name)).filter(|it| !it.is_null());
        let value = item.get("value").map(text);
        let is_error = option("state").and_then(int) == Some(1);
        let input = if is_error {
            Err(option("runtime_error").map(text).or(value).unwrap_or_default())
        } else {
            Ok(value.ok_or("Missing data.item.value field.")?)
        };
        let previous = match option("history") {
            None => None,
            Some(history) => {
                let value = text(field(history, "value", "data.options.history.value")?);
                let name = "data.options.history.timestamp";
                let time = text(field(history, "timestamp", name)?);
                let time =
                    relative(&time, now).ok_or_else(|| format!("Invalid {name} field: {time}."))?;
                Some((value, time))
            }
        };
        let steps = match item.get("steps") {
            None => Vec::new(),
            Some(Json::Array(steps)) => {
                steps.iter().enumerate().map(|(at, it)| step(it, at)).collect::<Result<_, _>>()?
            }
            Some(_) => return Err("Invalid data.item.steps field.".to_owned()),
        };
        let single = option("single").is_some_and(|it| *it == json!(true) || int(it) == Some(1));
        Ok(Self { steps, value_type, input, previous, time: now, single })
    }

    /// Runs the steps.
    pub fn run(&self, scripts: &mut dyn Scripts) -> Report {
        let steps: Vec<Step> = self.steps.iter().map(Step::compile).collect();
        let mut states = vec![StepState::default(); steps.len()];
        if let Some((value, time)) = &self.previous {
            let input = Ok(Data::text(value.as_str()));
            let report = self.pass(&steps, &mut states, (input, *time), scripts);
            if report.result.is_err() {
                return Report { previous: true, ..report };
            }
        }
        let input = self.input.as_deref().map(Data::text).map_err(ToOwned::to_owned);
        self.pass(&steps, &mut states, (input, self.time), scripts)
    }

    fn pass(
        &self,
        steps: &[Step],
        states: &mut [StepState],
        (input, time): (Result<Data<'_>, String>, Time),
        scripts: &mut dyn Scripts,
    ) -> Report {
        let context = Context { time, value_type: self.value_type };
        let (outcome, traces) = run_traced(steps, states, input, context, scripts);
        let result = match outcome {
            Outcome::Value(it) if self.single => Ok(Some(it.into_text().into_owned())),
            Outcome::Value(it) => stored(it, self.value_type).map(Some),
            Outcome::Discarded => Ok(None),
            Outcome::Failed(it) => Err(it.text),
        };
        let reports = traces.into_iter().zip(steps).map(|(trace, step)| {
            let action = match &step.on_fail {
                _ if !trace.handled => None,
                OnFail::Error => None,
                OnFail::Discard => Some(1),
                OnFail::SetValue(_) => Some(2),
                OnFail::SetError(_) => Some(3),
            };
            StepReport { trace, action }
        });
        Report { steps: reports.collect(), result, previous: false }
    }
}

/// The value that the item would store, as text.
fn stored(data: Data<'_>, value_type: ValueType) -> Result<String, String> {
    let value = convert(data, value_type).map_err(|it| it.to_string())?;
    Ok(match value {
        model::Value::Float(it) => number::format_f64(it),
        model::Value::Unsigned(it) => it.to_string(),
        model::Value::Text(it) => it.to_string(),
        model::Value::Log(it) => it.value.to_string(),
    })
}

impl Report {
    /// The answer in the form of the API and the server's protocol.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut answer = Map::new();
        if self.previous {
            answer.insert("previous".to_owned(), json!(true));
        }
        answer.insert("steps".to_owned(), self.steps.iter().map(StepReport::to_json).collect());
        match &self.result {
            Ok(Some(it)) => put_cut(&mut answer, "result", it),
            Ok(None) => {
                answer.insert("result".to_owned(), Json::Null);
            }
            Err(it) => {
                answer.insert("error".to_owned(), json!(it));
            }
        }
        Json::Object(answer)
    }
}

impl StepReport {
    /// The step in the form of the answer.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut step = Map::new();
        if let Some(error) = &self.trace.error {
            let mut fields = Map::new();
            put_cut(&mut fields, "value", error);
            step.insert("error".to_owned(), Json::Object(fields));
        }
        if let Some(action) = self.action {
            step.insert("action".to_owned(), json!(action));
        }
        if let Some(failed) = &self.trace.failed {
            step.insert("failed".to_owned(), json!(failed));
        }
        match &self.trace.result {
            Some(it) => put_cut(&mut step, "result", &it.as_text()),
            None if self.is_discarded() => {
                step.insert("result".to_owned(), Json::Null);
            }
            None => {}
        }
        Json::Object(step)
    }

    fn is_discarded(&self) -> bool {
        self.trace.failed.is_none() && (self.trace.error.is_none() || self.action == Some(1))
    }
}

fn put_cut(fields: &mut Map<String, Json>, name: &str, text: &str) {
    let (shown, is_cut) = cut(text);
    fields.insert(name.to_owned(), json!(shown));
    if is_cut {
        fields.insert("truncated".to_owned(), json!(true));
        fields.insert("original_size".to_owned(), json!(text.len()));
    }
}

/// The part of a text that an answer shows, and whether it is cut.
#[must_use]
pub fn cut(text: &str) -> (&str, bool) {
    if text.len() <= SHOWN_BYTES_MAX {
        return (text, false);
    }
    let end = (0..=SHOWN_BYTES_MAX).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    (text.get(..end).unwrap_or_default(), true)
}

fn field<'a>(of: &'a Json, name: &str, path: &str) -> Result<&'a Json, String> {
    of.get(name).filter(|it| !it.is_null()).ok_or_else(|| format!("Missing {path} field."))
}

fn step(given: &Json, at: usize) -> Result<PreprocStep, String> {
    let get = |name: &str| field(given, name, &format!("data.item.steps[{at}].{name}"));
    let wrong = |name: &str| format!("Invalid data.item.steps[{at}].{name} field.");
    let kind = int(get("type")?).and_then(Code::from_code).ok_or_else(|| wrong("type"))?;
    let handler = int(get("error_handler")?).and_then(Handler::from_code);
    Ok(PreprocStep {
        kind,
        params: text(get("params")?),
        error_handler: handler.ok_or_else(|| wrong("error_handler"))?,
        error_handler_params: text(get("error_handler_params")?),
    })
}

fn int(value: &Json) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn text(value: &Json) -> String {
    match value {
        Json::String(it) => it.clone(),
        other => other.to_string(),
    }
}

/// `now`, `now-1m`, or seconds since 1970.
fn relative(text: &str, now: Time) -> Option<Time> {
    let Some(shift) = text.trim().strip_prefix("now") else {
        return text.trim().parse().ok().map(|it| Time::from_clock(it, 0));
    };
    let seconds = |it: &str| i64::try_from(number::parse_duration_s(it)?).ok();
    match (shift.strip_prefix('-'), shift.strip_prefix('+')) {
        (Some(it), _) => Some(now.plus_secs(-seconds(it)?)),
        (None, Some(it)) => Some(now.plus_secs(seconds(it)?)),
        (None, None) => shift.is_empty().then_some(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_results_are_cut_between_characters() {
        let whole = "x".repeat(SHOWN_BYTES_MAX - 1);
        assert_eq!(cut(&format!("{whole}ẞ")), (whole.as_str(), true));
        assert!(!cut(&whole).1);
    }

    #[test]
    fn times_are_relative_to_now() {
        let now = Time::from_clock(1_000, 5);
        assert_eq!(relative("now", now), Some(now));
        assert_eq!(relative("now-1m", now), Some(Time::from_clock(940, 5)));
        assert_eq!(relative("now+2", now), Some(Time::from_clock(1_002, 5)));
        assert_eq!(relative("900", now), Some(Time::from_clock(900, 0)));
        assert_eq!(relative("now-", now), None);
        assert_eq!(relative("yesterday", now), None);
    }
}
