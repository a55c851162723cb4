//! Takes a value through a list of steps.

use model::{Time, ValueType};

use super::change;
use super::compile::{OnFail, Op, Step};
use super::data::Data;
use super::error::StepError;
use super::heavy::{self, HeavyResult};
use super::shared::ParsedForms;
use super::state::StepState;
use super::trail::{By, Trail};
use super::{extract, numbers, texts};
use script::{NoScripts, Scripts};

/// The input of a run besides value and state.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Time of the value.
    pub time: Time,
    /// The type that the item stores: it decides the arithmetic of some steps.
    pub value_type: ValueType,
}

/// Why a value failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Position of the step that failed, from 0; `None`: the value arrived as an error.
    pub step: Option<usize>,
    /// The error of the item.
    pub text: String,
}

/// The outcome for a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<'a> {
    /// It passes.
    Value(Data<'a>),
    /// Nothing is stored; the item is fine.
    Discarded,
    /// The item is not supported.
    Failed(Failure),
}

/// The work of one step, for testing steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The value after the step; `None`: discarded or failed.
    pub result: Option<Data<'static>>,
    /// The error of the step itself.
    pub error: Option<String>,
    /// Whether the error handler was applied.
    pub handled: bool,
    /// Text of an error that the handler set.
    pub failed: Option<String>,
}

/// A value or the text of an error.
type Input<'a> = Result<Data<'a>, String>;

/// The progress of a value in a thread that must not take long.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress<'a> {
    /// The value is through all steps.
    Done(Outcome<'a>),
    /// To a step that is heavy for it ([`Step::is_heavy`]): the caller runs that step elsewhere,
    /// and continues with [`resume`] and the result.
    Heavy {
        /// Position of the step, from 0.
        step: usize,
        /// The value before it.
        value: Data<'a>,
        /// The results of earlier steps; for [`resume`]. Without it the text of an error has less
        /// detail.
        trail: Option<Box<Trail<'static>>>,
    },
    /// For a step that hands rows on ([`Step::dispatch`]): the caller, which knows the hosts,
    /// splits the value into rows, and [`resume`] continues with the same value.
    Rows {
        /// Position of the step, from 0.
        step: usize,
        /// The value before it.
        value: Data<'a>,
        /// As with [`Progress::Heavy`].
        trail: Option<Box<Trail<'static>>>,
    },
}

/// Takes `input` (a value, or the text of the collector's error) through `steps`. `states` has one
/// entry a step. Scripts fail: there is nothing here to run them.
///
/// # Panics
/// Never: missing states count as empty and are not kept.
pub fn run<'a>(
    steps: &[Step],
    states: &mut [StepState],
    input: Input<'a>,
    context: Context,
) -> Outcome<'a> {
    run_with_scripts(steps, states, input, context, &mut NoScripts)
}

/// As [`run`], with scripts run on the spot.
pub fn run_with_scripts<'a>(
    steps: &[Step],
    states: &mut [StepState],
    input: Input<'a>,
    context: Context,
    scripts: &mut dyn Scripts,
) -> Outcome<'a> {
    let mut trace = |_: &dyn Fn() -> Trace| {};
    let heavy = Heavy::Run(scripts);
    Chain { steps, states, context, shared: None, heavy, trace: &mut trace }.finish(0, input)
}

/// As [`run_with_scripts`], reporting the result of each step.
pub fn run_traced<'a>(
    steps: &[Step],
    states: &mut [StepState],
    input: Input<'a>,
    context: Context,
    scripts: &mut dyn Scripts,
) -> (Outcome<'a>, Vec<Trace>) {
    let mut traces = Vec::with_capacity(steps.len());
    let mut trace = |it: &dyn Fn() -> Trace| traces.push(it());
    let heavy = Heavy::Run(scripts);
    let outcome =
        Chain { steps, states, context, shared: None, heavy, trace: &mut trace }.finish(0, input);
    (outcome, traces)
}

/// As [`run`], from step `from` on, as far as no step is heavy. `shared` has the parsed forms of the
/// value, if others get the same one.
pub fn run_light<'a>(
    steps: &[Step],
    states: &mut [StepState],
    (from, input): (usize, Input<'a>),
    context: Context,
    shared: Option<&mut ParsedForms<'_>>,
) -> Progress<'a> {
    let mut trace = |_: &dyn Fn() -> Trace| {};
    let heavy = Heavy::Stop;
    let trail = Trail::before(from, input.as_ref().map_err(String::as_str));
    Chain { steps, states, context, shared, heavy, trace: &mut trace }.go(from, input, trail)
}

/// Continues after a heavy step: `result` is the result of [`Step::apply_heavy`]. The error handler
/// of the step is applied here. `trail` is the one handed out with the value, or [`Trail::of`] it.
pub fn resume<'a>(
    steps: &[Step],
    states: &mut [StepState],
    (at, mut trail): (usize, Trail<'a>),
    result: Result<Option<Data<'a>>, StepError>,
    context: Context,
) -> Progress<'a> {
    let mut trace = |_: &dyn Fn() -> Trace| {};
    let heavy = Heavy::Stop;
    let mut chain = Chain { steps, states, context, shared: None, heavy, trace: &mut trace };
    let done = result.map(|it| it.map(Ok)).map_err(Failed::new);
    match chain.settle(at, done, &mut trail) {
        Ok(input) => chain.go(at.saturating_add(1), input, trail),
        Err(outcome) => Progress::Done(outcome),
    }
}

/// How a run treats heavy steps.
enum Heavy<'c> {
    Stop,
    Run(&'c mut dyn Scripts),
}

/// A walk through steps.
struct Chain<'c, 't> {
    steps: &'c [Step],
    states: &'c mut [StepState],
    context: Context,
    shared: Option<&'c mut ParsedForms<'t>>,
    heavy: Heavy<'c>,
    trace: &'c mut dyn FnMut(&dyn Fn() -> Trace),
}

impl Chain<'_, '_> {
    /// For chains that never stop.
    fn finish<'a>(&mut self, from: usize, input: Input<'a>) -> Outcome<'a> {
        let trail = Trail::before(from, input.as_ref().map_err(String::as_str));
        match self.go(from, input, trail) {
            Progress::Done(outcome) => outcome,
            Progress::Heavy { step, .. } | Progress::Rows { step, .. } => {
                let text = "cannot run a step in this place".to_owned();
                Outcome::Failed(Failure { step: Some(step), text })
            }
        }
    }

    fn go<'a>(&mut self, from: usize, mut input: Input<'a>, mut trail: Trail<'a>) -> Progress<'a> {
        let steps = self.steps;
        for (idx, step) in steps.iter().enumerate().skip(from) {
            let done = match input {
                Ok(data) => {
                    if matches!(self.heavy, Heavy::Stop) && step.is_heavy(data.len()) {
                        return Progress::Heavy { step: idx, value: data, trail: kept(trail) };
                    }
                    if matches!((&self.heavy, &step.op), (Heavy::Stop, Op::Dispatch(_))) {
                        return Progress::Rows { step: idx, value: data, trail: kept(trail) };
                    }
                    self.apply(idx, step, data).map(|it| it.map(Ok))
                }
                Err(error) if matches!(step.op, Op::CheckNotSupported { .. }) => {
                    step.check_error(&error).map(|()| Some(Err(error)))
                }
                // No other step handles an error.
                Err(error) => {
                    input = Err(error);
                    break;
                }
            };
            match self.settle(idx, done, &mut trail) {
                Ok(next) => input = next,
                Err(outcome) => return Progress::Done(outcome),
            }
        }
        Progress::Done(match input {
            Ok(data) => Outcome::Value(data),
            Err(text) => {
                self.states.iter_mut().for_each(StepState::clear);
                Outcome::Failed(Failure { step: None, text })
            }
        })
    }

    fn apply<'a>(
        &mut self,
        idx: usize,
        step: &Step,
        data: Data<'a>,
    ) -> Result<Option<Data<'a>>, Failed> {
        let mut none = StepState::default();
        let state = self.states.get_mut(idx).unwrap_or(&mut none);
        let shared = self.shared.as_deref_mut();
        match &mut self.heavy {
            Heavy::Run(scripts) => step.apply(data, state, self.context, *scripts, shared),
            Heavy::Stop => step.apply(data, state, self.context, &mut NoScripts, shared),
        }
    }

    /// The value with which the chain continues after a step; `Err`: the chain ends here.
    fn settle<'a>(
        &mut self,
        idx: usize,
        done: Result<Option<Input<'a>>, Failed>,
        trail: &mut Trail<'a>,
    ) -> Result<Input<'a>, Outcome<'a>> {
        let Some(step) = self.steps.get(idx) else { return Err(Outcome::Discarded) };
        let (next, error, by) = match done {
            Ok(next) => (next, None, By::Step),
            Err(failed) => match step.handle(&failed) {
                Handled::Value(next) => {
                    // A failed step forgets its state, whatever its handler sets.
                    if let Some(state) = self.states.get_mut(idx) {
                        state.clear();
                    }
                    (next.map(Ok), Some(failed), By::SetValue)
                }
                Handled::Error(set) => {
                    (self.trace)(&|| failed_trace(&failed, set.as_deref()));
                    return self.failed(idx, (&failed, set), trail);
                }
            },
        };
        (self.trace)(&|| Trace {
            result: next.clone().and_then(Result::ok).map(Data::into_owned),
            error: error.as_ref().map(|it| it.error.to_string()),
            handled: error.is_some(),
            failed: None,
        });
        let Some(next) = next else {
            self.states.iter_mut().skip(idx + 1).for_each(StepState::clear);
            return Err(Outcome::Discarded);
        };
        if idx + 1 < self.steps.len() {
            trail.push(next.as_ref().map_err(String::as_str), by);
        }
        Ok(next)
    }

    /// A step failed; its error handler may set the text.
    fn failed<'a>(
        &mut self,
        idx: usize,
        (failed, set): (&Failed, Option<String>),
        trail: &mut Trail<'a>,
    ) -> Result<Input<'a>, Outcome<'a>> {
        // The error passes on as long as steps handle errors.
        let next = self.steps.get(idx + 1).map(|it| &it.op);
        if matches!(next, Some(Op::CheckNotSupported { .. })) {
            if let Some(state) = self.states.get_mut(idx) {
                state.clear();
            }
            let by = if set.is_some() { By::SetError } else { By::Step };
            let text = set.unwrap_or_else(|| failed.error.to_string());
            trail.push(Err(&text), by);
            return Ok(Err(text));
        }
        self.states.iter_mut().for_each(StepState::clear);
        let text = set.unwrap_or_else(|| trail.report(idx, &failed.error.to_string()));
        Err(Outcome::Failed(Failure { step: Some(idx), text }))
    }
}

/// A trail for a later [`resume`]; fresh parts are made again from the value.
fn kept(trail: Trail<'_>) -> Option<Box<Trail<'static>>> {
    (!trail.is_fresh()).then(|| Box::new(trail.into_owned()))
}

fn failed_trace(failed: &Failed, set: Option<&str>) -> Trace {
    Trace {
        result: None,
        error: Some(failed.error.to_string()),
        handled: set.is_some(),
        failed: set.map(ToOwned::to_owned),
    }
}

/// A failed step, with the data for its handler.
struct Failed {
    error: StepError,
    /// The match that `\0`..`\9` of the handler's text refer to.
    source: Option<(formats::regexp::Regexp, String)>,
}

impl Failed {
    fn new(error: StepError) -> Self {
        Self { error, source: None }
    }
}

/// The result of an error handler.
enum Handled<'a> {
    /// A value, or nothing.
    Value(Option<Data<'a>>),
    /// An error, with a text of its own.
    Error(Option<String>),
}

/// Size of an input from which a step that reads all of it is heavy: parsing it takes longer than a
/// shard may be delayed.
const HEAVY_BYTES: usize = 64 * 1024;
/// XML costs more: the tree is larger than the text, and paths may walk it often.
const HEAVY_XML_BYTES: usize = 4 * 1024;
/// Patterns that are not matched in one pass may go through the text once for each of its
/// characters.
const HEAVY_PATTERN_BYTES: usize = 8 * 1024;

impl Step {
    /// Applies one step to a value; `None`: discarded.
    fn apply<'a>(
        &self,
        data: Data<'a>,
        state: &mut StepState,
        context: Context,
        scripts: &mut dyn Scripts,
        shared: Option<&mut ParsedForms<'_>>,
    ) -> Result<Option<Data<'a>>, Failed> {
        let shared = shared.filter(|it| it.is_of(&data));
        let Context { time, value_type } = context;
        let _turn = formats::regexp::MatchTurn::begin();
        let made = match &self.op {
            Op::Multiplier(factor, whole, written) => {
                numbers::multiply(&data, (*factor, *whole, written), value_type).map(Some)
            }
            Op::Regex { regexp, template } => texts::regex(&data, regexp, template).map(Some),
            Op::Bool => numbers::to_bool(&data).map(Some),
            Op::Octal => numbers::from_radix(&data, 8).map(Some),
            Op::Hex => numbers::from_radix(&data, 16).map(Some),
            Op::Change => change::change(&data, state, time, value_type),
            Op::ChangePerSecond => change::per_second(&data, state, time, value_type),
            Op::JsonPath { path, text } => extract::jsonpath(&data, path, text, shared).map(Some),
            Op::Aggregate(it) => it.apply(&data, state, time),
            Op::Fields(it) => it.apply(&data.as_text()).map(|it| Some(Data::text(it))),
            Op::Format(it) => match it.apply(&data, shared) {
                Ok(None) => return Ok(Some(data)),
                made => made,
            },
            Op::JavaScript(script) => heavy::javascript(&data, script, scripts),
            Op::Broken(error) => Err(error.clone()),
            Op::Trim { chars, left, right } => {
                return Ok(Some(texts::trim(data, chars, *left, *right)));
            }
            Op::Unchanged(heartbeat_s) => {
                return Ok(change::unchanged(data, state, time, *heartbeat_s));
            }
            Op::Replace { search, replacement } => {
                return texts::replace(data, search, replacement).map(Some).map_err(Failed::new);
            }
            _ => {
                let done = self.check(&data, value_type, shared);
                return done.map_err(Failed::new).map(|()| Some(data));
            }
        };
        made.map_err(Failed::new)
    }

    /// Whether the step takes too long on an input of so many bytes for a thread that must not be
    /// delayed: scripts always, others if they go through a long text. Heavy steps have no state.
    #[must_use]
    pub fn is_heavy(&self, input_len: usize) -> bool {
        match &self.op {
            Op::JavaScript(_) => true,
            Op::Regex { regexp, .. } | Op::Match { regexp, .. } | Op::CheckRegex { regexp, .. }
                if !regexp.is_linear() =>
            {
                HEAVY_PATTERN_BYTES < input_len
            }
            Op::Regex { .. }
            | Op::JsonPath { .. }
            | Op::Match { .. }
            | Op::CheckJson { .. }
            | Op::CheckRegex { .. }
            | Op::Replace { .. }
            | Op::Fields(_)
            | Op::Dispatch(_) => HEAVY_BYTES < input_len,
            Op::Format(it) if it.is_xml() => HEAVY_XML_BYTES < input_len,
            Op::Format(_) => HEAVY_BYTES < input_len,
            _ => false,
        }
    }

    /// Whether the step reads a parsed form of its input, which it may share with others: its own
    /// cost is then small.
    #[must_use]
    pub fn shares_form(&self) -> bool {
        match &self.op {
            Op::JsonPath { .. } | Op::CheckJson { .. } => true,
            Op::Format(it) => it.shares_form(),
            _ => false,
        }
    }

    /// Runs just this step, without its error handler; `None`: discarded. For heavy steps, in a
    /// thread that may take its time; [`resume`] takes the result. `shared` has the parsed forms of
    /// the value, if other steps get the same one.
    ///
    /// # Errors
    /// Why the step has no result.
    pub fn apply_heavy(
        &self,
        data: Data<'_>,
        context: Context,
        scripts: &mut dyn Scripts,
        shared: Option<&mut ParsedForms<'_>>,
    ) -> HeavyResult {
        let done = self.apply(data, &mut StepState::default(), context, scripts, shared);
        done.map(|it| it.map(Data::into_owned)).map_err(|it| it.error)
    }

    /// Steps that let a value pass as it is, or fail.
    fn check(
        &self,
        data: &Data<'_>,
        value_type: ValueType,
        shared: Option<&mut ParsedForms<'_>>,
    ) -> Result<(), StepError> {
        match &self.op {
            Op::InRange(range) => range.check(data, value_type),
            Op::Match { regexp, expected } => texts::check_match(data, regexp, *expected),
            Op::CheckJson { path } => extract::check_json(data, path, shared),
            Op::CheckRegex { regexp, template } => extract::check_regex(data, regexp, template),
            // If rows are handed on the run stops before the step: see `Progress::Rows`.
            Op::Dispatch(it) => it.split(&data.as_text()).map(drop),
            _ => Ok(()),
        }
    }

    /// Applies a step to an error: only the check for unsupported values handles it. Fails if it
    /// catches the error.
    fn check_error(&self, text: &str) -> Result<(), Failed> {
        let Op::CheckNotSupported { regexp } = &self.op else { return Ok(()) };
        let failed = |source| Failed { error: StepError::Reported(text.to_owned()), source };
        match regexp {
            None => Err(failed(None)),
            Some((regexp, expected)) => match regexp.is_match(text) {
                Ok(found) if found == *expected => {
                    Err(failed(found.then(|| (regexp.clone(), text.to_owned()))))
                }
                Ok(_) => Ok(()),
                Err(error) => Err(Failed::new(StepError::Value(format!(
                    "regular expression execution failed: {error}"
                )))),
            },
        }
    }

    fn handle<'a>(&self, failed: &Failed) -> Handled<'a> {
        let expanded = |text: &String| match &failed.source {
            Some((regexp, source)) => match regexp.groups(source) {
                Ok(Some(groups)) => formats::regexp::expand(text, &groups),
                _ => text.clone(),
            },
            None => text.clone(),
        };
        match &self.on_fail {
            OnFail::Discard => Handled::Value(None),
            OnFail::SetValue(value) => Handled::Value(Some(Data::text(expanded(value)))),
            OnFail::SetError(text) => Handled::Error(Some(expanded(text))),
            OnFail::Error => Handled::Error(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::content::{OnFail as Handler, PreprocStep, Step as Code};

    use super::*;

    fn step(kind: Code, params: &str, error_handler: Handler) -> Step {
        Step::compile(&PreprocStep {
            kind,
            params: params.to_owned(),
            error_handler,
            error_handler_params: "handled".to_owned(),
        })
    }

    fn take(steps: &[Step], states: &mut [StepState], value: &str, clock: i64) -> String {
        let context = Context { time: Time::from_clock(clock, 0), value_type: ValueType::Unsigned };
        match run(steps, states, Ok(Data::text(value)), context) {
            Outcome::Value(it) => it.into_text().into_owned(),
            Outcome::Discarded => "discarded".to_owned(),
            Outcome::Failed(it) => it.text,
        }
    }

    #[test]
    fn error_clears_the_state_of_all_steps() {
        let steps = [
            step(Code::Regex, "n=([0-9]+)\n\\1", Handler::Default),
            step(Code::SimpleChange, "", Handler::Default),
        ];
        let mut states = [StepState::default(), StepState::default()];
        assert_eq!(take(&steps, &mut states, "n=5", 1), "discarded");
        assert_eq!(take(&steps, &mut states, "n=8", 2), "3");
        let error = take(&steps, &mut states, "x", 3);
        assert!(error.starts_with("Preprocessing failed for: x\n1. Failed: cannot"), "{error}");
        assert_eq!(take(&steps, &mut states, "n=9", 4), "discarded");
    }

    #[test]
    fn a_discarded_value_clears_the_later_steps() {
        let steps = [
            step(Code::DiscardUnchangedHeartbeat, "1m", Handler::Default),
            step(Code::SimpleChange, "", Handler::Default),
        ];
        let mut states = [StepState::default(), StepState::default()];
        assert_eq!(take(&steps, &mut states, "5", 1), "discarded");
        assert_eq!(take(&steps, &mut states, "7", 2), "2");
        assert_eq!(take(&steps, &mut states, "7", 3), "discarded");
        assert_eq!(take(&steps, &mut states, "9", 4), "discarded");
        assert_eq!(take(&steps, &mut states, "9", 70), "0");
    }

    #[test]
    fn handlers_replace_errors() {
        let mut states = [StepState::default()];
        let broken = [step(Code::Multiplier, "x", Handler::Default)];
        assert!(broken[0].error().is_some());
        assert!(take(&broken, &mut states, "1", 1).contains("numerical value is expected"));
        let set = [step(Code::Multiplier, "2", Handler::SetValue)];
        assert_eq!(take(&set, &mut states, "x", 1), "handled");
        let discard = [step(Code::Multiplier, "2", Handler::Discard)];
        assert_eq!(take(&discard, &mut states, "x", 1), "discarded");
    }
}
