//! Reading a step's parameters.

use std::sync::Arc;

use model::content::{OnFail as Handler, PreprocStep, Step as Code};

use super::aggregate::Aggregate;
use super::data::Data;
use super::dispatch::Dispatch;
use super::documents::Format;
use super::error::StepError;
use super::fields::Fields;
use super::numbers::Range;
use formats::jsonpath::JsonPath;
use formats::number;
use formats::regexp::{Regexp, RegexpError};
use script::{Script, Secret};

/// A step ready to run.
#[derive(Debug, Clone)]
pub struct Step {
    pub(super) op: Op,
    pub(super) on_fail: OnFail,
}

/// The error handler of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnFail {
    /// The item becomes unsupported.
    Error,
    /// The value is discarded.
    Discard,
    /// The value becomes this.
    SetValue(String),
    /// The item becomes unsupported with this text.
    SetError(String),
}

#[derive(Debug, Clone)]
pub(super) enum Op {
    /// The factor, also as a whole number if it is one, and as text.
    Multiplier(f64, Option<u64>, String),
    Trim {
        chars: String,
        left: bool,
        right: bool,
    },
    Regex {
        regexp: Regexp,
        template: String,
    },
    Bool,
    Octal,
    Hex,
    Change,
    ChangePerSecond,
    JsonPath {
        path: JsonPath,
        text: String,
    },
    InRange(Range),
    Match {
        regexp: Regexp,
        expected: bool,
    },
    CheckJson {
        path: JsonPath,
    },
    CheckRegex {
        regexp: Regexp,
        template: String,
    },
    /// Heartbeat in seconds, if any.
    Unchanged(Option<u64>),
    Replace {
        search: String,
        replacement: String,
    },
    CheckNotSupported {
        regexp: Option<(Regexp, bool)>,
    },
    JavaScript(Arc<Script>),
    /// XML, CSV, Prometheus, SNMP walks.
    Format(Format),
    Aggregate(Aggregate),
    Fields(Fields),
    /// Leaves the value as it is: the router splits it into rows for hosts.
    Dispatch(Dispatch),
    /// Fails each value: the item shows wrong parameters, saving does not.
    Broken(StepError),
}

impl Step {
    /// Reads a step whose macros are replaced. Wrong parameters make a step that fails each value.
    #[must_use]
    pub fn compile(step: &PreprocStep) -> Self {
        let params: Vec<&str> = step.params.split('\n').collect();
        let op = compile_op(step.kind, &step.params, &params).unwrap_or_else(Op::Broken);
        let text = || step.error_handler_params.clone();
        let on_fail = match step.error_handler {
            Handler::Default => OnFail::Error,
            Handler::Discard => OnFail::Discard,
            Handler::SetValue => OnFail::SetValue(text()),
            Handler::SetError => OnFail::SetError(text()),
        };
        Self { op, on_fail }
    }

    /// A script with places for secrets.
    #[must_use]
    pub fn compile_script(step: &PreprocStep, secrets: Vec<Secret>) -> Self {
        let compiled = Self::compile(step);
        let Op::JavaScript(script) = &compiled.op else { return compiled };
        let script = Script::clone(script).with_secrets(secrets);
        Self { op: Op::JavaScript(Arc::new(script)), ..compiled }
    }

    /// A step that fails each value.
    #[must_use]
    pub fn refused(step: &PreprocStep, why: String) -> Self {
        Self { op: Op::Broken(invalid(why)), ..Self::compile(step) }
    }

    /// The error of the parameters, if they are wrong.
    #[must_use]
    pub fn error(&self) -> Option<&StepError> {
        match &self.op {
            Op::Broken(it) => Some(it),
            _ => None,
        }
    }

    /// Does the step remember the value before?
    #[must_use]
    pub fn has_state(&self) -> bool {
        matches!(self.op, Op::Change | Op::ChangePerSecond | Op::Unchanged(_) | Op::Aggregate(_))
    }

    /// How the value's rows go to other hosts, if the step dispatches them.
    #[must_use]
    pub fn dispatch(&self) -> Option<&Dispatch> {
        match &self.op {
            Op::Dispatch(it) => Some(it),
            _ => None,
        }
    }

    /// The script, if the step is one.
    #[must_use]
    pub fn script(&self) -> Option<&Arc<Script>> {
        match &self.op {
            Op::JavaScript(it) => Some(it),
            _ => None,
        }
    }

    /// The factor, if the step is a plain multiplication: callers may do it in place.
    #[must_use]
    pub fn multiplier(&self) -> Option<f64> {
        match self.op {
            Op::Multiplier(factor, ..) => Some(factor),
            _ => None,
        }
    }
}

fn compile_op(code: Code, text: &str, params: &[&str]) -> Result<Op, StepError> {
    if let Some(format) = Format::compile(code, text) {
        return format.map(Op::Format);
    }
    let first = params.first().copied().unwrap_or("");
    let second = params.get(1).copied();
    Ok(match code {
        Code::Multiplier => {
            let factor = number::parse_f64(first.trim()).ok_or_else(|| {
                invalid("a numerical value is expected or the value is out of range".to_owned())
            })?;
            Op::Multiplier(factor, number::parse_u64(first.trim()), text.to_owned())
        }
        Code::Rtrim => Op::Trim { chars: unescape(text), left: false, right: true },
        Code::Ltrim => Op::Trim { chars: unescape(text), left: true, right: false },
        Code::Trim => Op::Trim { chars: unescape(text), left: true, right: true },
        Code::Regex => {
            let broken = |why: String| {
                // Such a step reports it for every value: almost all input is text.
                invalid(format!(
                    "cannot perform regular expression \"{first}\" match for value of type \
                     \"string\": {why}"
                ))
            };
            let template =
                second.ok_or_else(|| broken("cannot find second parameter".to_owned()))?;
            let regexp = Regexp::new_whole(first)
                .map_err(|it| broken(format!("invalid regular expression: {it}")))?;
            Op::Regex { regexp, template: template.to_owned() }
        }
        Code::BoolToDecimal => Op::Bool,
        Code::OctalToDecimal => Op::Octal,
        Code::HexToDecimal => Op::Hex,
        Code::SimpleChange => Op::Change,
        Code::ChangePerSecond => Op::ChangePerSecond,
        Code::JsonPath => Op::JsonPath { path: jsonpath(text)?, text: text.to_owned() },
        Code::InRange => in_range(first, second)?,
        Code::MatchesRegex => Op::Match { regexp: validation(text)?, expected: true },
        Code::NotMatchesRegex => Op::Match { regexp: validation(text)?, expected: false },
        Code::CheckJsonError => {
            Op::CheckJson { path: JsonPath::parse(text).map_err(|it| invalid(it.to_string()))? }
        }
        Code::CheckRegexError => {
            let Some(template) = second.map(ToOwned::to_owned) else {
                return Err(invalid("cannot find second parameter".to_owned()));
            };
            let regexp = Regexp::new(first)
                .map_err(|_error| invalid(format!("invalid regular expression \"{first}\"")))?;
            Op::CheckRegex { regexp, template }
        }
        Code::DiscardUnchanged => Op::Unchanged(None),
        Code::DiscardUnchangedHeartbeat => {
            // The API refuses 0, but a macro may have it: then every value passes.
            let seconds = number::parse_duration_s(first)
                .ok_or_else(|| invalid(format!("invalid time period: {first}")))?;
            Op::Unchanged(Some(seconds))
        }
        Code::StrReplace => {
            let Some(replacement) = second else {
                return Err(invalid("cannot find second parameter".to_owned()));
            };
            let search = unescape(first);
            if search.is_empty() {
                return Err(invalid("first parameter is expected".to_owned()));
            }
            Op::Replace { search, replacement: unescape(replacement) }
        }
        Code::JavaScript => Op::JavaScript(Arc::new(Script::new(text))),
        Code::CheckNotSupported => check_not_supported(first, second.unwrap_or(""))?,
        Code::AggregateOverTime => Op::Aggregate(Aggregate::compile(text)?),
        Code::FilterJsonFields => Op::Fields(Fields::compile(text)?),
        Code::DispatchToHosts => Op::Dispatch(Dispatch::compile(text)?),
        _ => return Err(StepError::Unsupported(code.code())),
    })
}

fn check_not_supported(scope: &str, pattern: &str) -> Result<Op, StepError> {
    let regexp = match scope {
        "" | "-1" => None,
        "0" => Some((regexp(pattern)?, true)),
        "1" => Some((regexp(pattern)?, false)),
        _ => return Err(invalid(format!("invalid parameter \"{scope}\""))),
    };
    Ok(Op::CheckNotSupported { regexp })
}

fn in_range(min: &str, max: Option<&str>) -> Result<Op, StepError> {
    let Some(max) = max.filter(|it| !min.is_empty() || !it.is_empty()) else {
        return Err(invalid("validation range is not specified".to_owned()));
    };
    let limit = |text: &str, name: &str| {
        if text.is_empty() {
            return Ok(None);
        }
        // The limit is shown as a number: `1.0` as 1.
        let number = Data::text(text).to_number();
        number
            .and_then(|it| Some(Some((it.to_f64()?, it.as_text().into_owned()))))
            .ok_or_else(|| invalid(format!("validation range {name} value is invalid: {text}")))
    };
    Ok(Op::InRange(Range { min: limit(min, "minimum")?, max: limit(max, "maximum")? }))
}

fn validation(pattern: &str) -> Result<Regexp, StepError> {
    Regexp::new(pattern).map_err(|it| {
        invalid(format!(
            "cannot perform regular expression \"{pattern}\" validation for value of type \
             \"string\": invalid regular expression pattern: {it}"
        ))
    })
}

fn invalid(text: String) -> StepError {
    StepError::Parameters(text)
}

fn regexp(pattern: &str) -> Result<Regexp, StepError> {
    Regexp::new(pattern).map_err(|it| bad_regexp(&it))
}

fn bad_regexp(error: &RegexpError) -> StepError {
    invalid(format!("invalid regular expression: {error}"))
}

fn jsonpath(path: &str) -> Result<JsonPath, StepError> {
    JsonPath::parse(path)
        .map_err(|it| invalid(format!("cannot extract value from json by path \"{path}\": {it}")))
}

/// `\n \r \t \s` and `\\` in trim and replace parameters.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let replaced = match (char, chars.peek()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('r')) => '\r',
            ('\\', Some('t')) => '\t',
            ('\\', Some('s')) => ' ',
            ('\\', Some('\\')) => '\\',
            _ => {
                out.push(char);
                continue;
            }
        };
        chars.next();
        out.push(replaced);
    }
    out
}
