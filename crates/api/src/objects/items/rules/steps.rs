//! Preprocessing steps: the parameters of each kind, its error handlers, and the steps that are allowed once
//! only.

use formats::prometheus::PrometheusQuery;
use model::content::{ItemFlags, Step};
use model::field_path::FieldPath;
use serde_json::Value;

use super::single::{self, Macros, PERIOD_MAX_S};
use crate::error::ApiError;
use crate::json::{Fields, str_of, text};
use crate::validate;

/// Kinds of which a list of steps may have one.
const ONLY_ONE: [[Step; 2]; 3] = [
    [Step::SimpleChange, Step::ChangePerSecond],
    [Step::DiscardUnchanged, Step::DiscardUnchangedHeartbeat],
    [Step::PrometheusPattern, Step::PrometheusToJson],
];

/// Checks the steps of an item, and brings them to the form in which they are kept.
pub(super) fn check(
    steps: Option<&mut Value>,
    flags: ItemFlags,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let Some(Value::Array(list)) = steps else { return Ok(()) };
    let macros = if flags.is_prototype() { Macros::UserAndLld } else { Macros::User };
    let path = path.member("preprocessing");
    let mut kinds: Vec<Step> = Vec::with_capacity(list.len());
    for (at, it) in list.iter_mut().filter_map(Value::as_object_mut).enumerate() {
        let path = path.element(at);
        let kind = str_of(it, "type").parse().ok().and_then(Step::from_code);
        let Some(kind) = kind else { continue };
        check_params(it, kind, macros, &path)?;
        check_handler(it, kind, &path)?;
        kinds.push(kind);
    }
    check_only_one(&kinds, &path)?;
    check_any_error(list, &path)?;
    // Steps for errors come first, "any error" last of them.
    list.sort_by_key(|it| match it.as_object().map(|it| (str_of(it, "type"), is_any_error(it))) {
        Some(("26", any)) => u8::from(any),
        _ => 2,
    });
    Ok(())
}

fn check_only_one(kinds: &[Step], path: &FieldPath) -> Result<(), ApiError> {
    for group in ONLY_ONE {
        let second = kinds.iter().enumerate().filter(|(_, it)| group.contains(it)).nth(1);
        if let Some((at, _)) = second {
            let what = format!(
                "only one object can exist within the combinations of (type)=(({}, {}))",
                group[0].code(),
                group[1].code()
            );
            return Err(ApiError::field(path.element(at), &what));
        }
    }
    Ok(())
}

fn is_any_error(step: &Fields) -> bool {
    str_of(step, "type") == "26" && str_of(step, "params").split('\n').next() == Some("-1")
}

fn check_any_error(list: &[Value], path: &FieldPath) -> Result<(), ApiError> {
    let steps = list.iter().filter_map(Value::as_object).enumerate();
    match steps.filter(|(_, it)| is_any_error(it)).nth(1) {
        Some((at, _)) => {
            Err(ApiError::field(path.element(at), "value (type, params)=(26, -1) already exists"))
        }
        None => Ok(()),
    }
}

/// The rule of one parameter.
#[derive(Clone, Copy)]
enum Param {
    /// Any text but none.
    Text,
    /// One character or none.
    Character,
    Regexp,
    Number,
    /// A number, or nothing where the other limit is there.
    Limit,
    Heartbeat,
    Codes(&'static [i64]),
    Words(&'static [&'static str]),
    /// A pattern of Prometheus metrics.
    Metrics,
    /// The same, or nothing for all metrics.
    AllMetrics,
    Label,
    Nothing,
    /// May be left out; then empty.
    Optional,
}

const NOT_CHANGED_OR_FORMAT: &[i64] = &[0, 1, 2, 3];
const FORMAT: &[i64] = &[1, 2, 3];
const OUTPUTS: &[&str] = &["value", "label", "function"];
const FUNCTIONS: &[&str] = &["sum", "min", "max", "avg", "count"];

/// The parameters of a kind of step; some depend on the first ones. `None`: not in lines.
fn params_of(kind: Step, lines: &[&str]) -> Option<Vec<Param>> {
    use Param::{
        AllMetrics, Character, Codes, Heartbeat, Label, Limit, Metrics, Nothing, Number, Optional,
        Regexp, Text, Words,
    };
    Some(match kind {
        Step::Multiplier => vec![Number],
        Step::Rtrim
        | Step::Ltrim
        | Step::Trim
        | Step::XPath
        | Step::JsonPath
        | Step::CheckJsonError
        | Step::CheckXmlError => vec![Text],
        Step::Regex | Step::CheckRegexError => vec![Regexp, Text],
        Step::InRange => vec![Limit, Limit],
        Step::MatchesRegex | Step::NotMatchesRegex => vec![Regexp],
        Step::DiscardUnchangedHeartbeat => vec![Heartbeat],
        Step::PrometheusPattern => match lines.get(1) {
            Some(&"label") => vec![Metrics, Words(OUTPUTS), Label],
            Some(&"function") => vec![Metrics, Words(OUTPUTS), Words(FUNCTIONS)],
            _ => vec![Metrics, Words(OUTPUTS), Nothing],
        },
        Step::PrometheusToJson => vec![AllMetrics],
        Step::CsvToJson => vec![Character, Character, Codes(&[0, 1])],
        Step::StrReplace => vec![Text, Optional],
        Step::CheckNotSupported => match lines.first() {
            Some(&("0" | "1")) => vec![Codes(&[-1, 0, 1]), Regexp],
            _ => vec![Codes(&[-1, 0, 1])],
        },
        Step::SnmpWalkValue => vec![Text, Codes(NOT_CHANGED_OR_FORMAT)],
        Step::SnmpWalkToJson => {
            let rows = lines.len().div_ceil(3).max(1);
            [Text, Text, Codes(NOT_CHANGED_OR_FORMAT)].repeat(rows)
        }
        Step::SnmpGetValue => vec![Codes(FORMAT)],
        Step::BoolToDecimal
        | Step::OctalToDecimal
        | Step::HexToDecimal
        | Step::SimpleChange
        | Step::ChangePerSecond
        | Step::DiscardUnchanged
        | Step::XmlToJson
        | Step::JavaScript
        | Step::AggregateOverTime
        | Step::FilterJsonFields
        | Step::DispatchToHosts => return None,
    })
}

fn has_params(kind: Step) -> bool {
    !matches!(
        kind,
        Step::BoolToDecimal
            | Step::OctalToDecimal
            | Step::HexToDecimal
            | Step::SimpleChange
            | Step::ChangePerSecond
            | Step::DiscardUnchanged
            | Step::XmlToJson
    )
}

fn check_params(
    step: &mut Fields,
    kind: Step,
    macros: Macros,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let given = step.get("params").and_then(Value::as_str);
    if !has_params(kind) {
        if given.is_some_and(|it| !it.is_empty()) {
            return Err(ApiError::field(path.member("params"), "value must be empty"));
        }
        step.insert("params".to_owned(), text(""));
        return Ok(());
    }
    let given = given.ok_or_else(|| ApiError::missing(path, "params"))?.replace("\r\n", "\n");
    let path = path.member("params");
    let mut lines: Vec<&str> = given.split('\n').collect();
    let Some(params) = params_of(kind, &lines) else {
        if kind == Step::JavaScript && given.is_empty() {
            return Err(ApiError::field(path.element(0), "cannot be empty"));
        }
        step.insert("params".to_owned(), text(given));
        return Ok(());
    };
    // Which parameters a wrong first one has is not known.
    let is_known =
        kind != Step::CheckNotSupported || matches!(lines.first(), Some(&("-1" | "0" | "1")));
    if lines.len() > params.len() && is_known {
        let what = format!("unexpected parameter \"{}\"", params.len() + 1);
        return Err(ApiError::field(&path, &what));
    }
    for (param, at) in params.iter().zip(0_usize..) {
        match lines.get(at) {
            Some(it) => check_param(*param, it, macros, &path.element(at))?,
            None if matches!(param, Param::Nothing | Param::Optional) => lines.push(""),
            None => return Err(ApiError::missing(&path, &(at + 1).to_string())),
        }
    }
    if kind == Step::InRange {
        check_range(&lines, &path)?;
    }
    let kept = lines.join("\n");
    step.insert("params".to_owned(), text(kept));
    Ok(())
}

fn check_range(limits: &[&str], path: &FieldPath) -> Result<(), ApiError> {
    let [from, to] = limits else { return Ok(()) };
    if from.is_empty() && to.is_empty() {
        return Err(ApiError::field(path.element(0), "a floating point value is expected"));
    }
    let number = |it: &str| formats::number::parse_f64(it);
    if let (Some(low), Some(high)) = (number(from), number(to))
        && high <= low
    {
        let what = format!("cannot be less than or equal to the value of parameter \"{path}/1\"");
        return Err(ApiError::field(path.element(1), &what));
    }
    Ok(())
}

fn check_param(param: Param, it: &str, macros: Macros, path: &FieldPath) -> Result<(), ApiError> {
    let wrong = |what: &str| Err(ApiError::field(path, what));
    let is_number = formats::number::parse_f64(it).is_some() || macros.are(it);
    match param {
        Param::Text | Param::Regexp | Param::Label | Param::Metrics if it.is_empty() => {
            wrong("cannot be empty")
        }
        Param::Regexp if formats::regexp::Regexp::new(it).is_err() => {
            wrong("invalid regular expression")
        }
        Param::Label if !is_label(it) && !macros.are(it) => wrong("invalid Prometheus label"),
        Param::Character if it.chars().count() > 1 => wrong("value is too long"),
        Param::Number if !is_number => wrong("a floating point value is expected"),
        Param::Limit if !is_number && !it.is_empty() => wrong("a floating point value is expected"),
        Param::Heartbeat => single::period(it, false, (1, PERIOD_MAX_S), macros, path),
        Param::Codes(codes) => match it.parse::<i64>() {
            Ok(code) if codes.contains(&code) => Ok(()),
            Ok(_) => {
                let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
                wrong(&format!("value must be one of {}", codes.join(", ")))
            }
            Err(_) => wrong("an integer is expected"),
        },
        Param::Words(words) if !words.contains(&it) => {
            wrong(&format!("value must be one of \"{}\"", words.join("\", \"")))
        }
        Param::Metrics | Param::AllMetrics if !is_metrics(it) => {
            wrong("invalid Prometheus pattern")
        }
        Param::Nothing if !it.is_empty() => wrong("value must be empty"),
        _ => Ok(()),
    }
}

/// A pattern with macros is checked when values arrive.
fn is_metrics(pattern: &str) -> bool {
    let has_macros = ["{$", "{#", "{{"].iter().any(|it| pattern.contains(it));
    has_macros || PrometheusQuery::parse(pattern).is_ok()
}

fn is_label(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

/// Steps that never fail have nothing to do then.
fn may_fail(kind: Step) -> bool {
    !matches!(
        kind,
        Step::Rtrim
            | Step::Ltrim
            | Step::Trim
            | Step::DiscardUnchanged
            | Step::DiscardUnchangedHeartbeat
            | Step::JavaScript
            | Step::StrReplace
    )
}

fn check_handler(step: &mut Fields, kind: Step, path: &FieldPath) -> Result<(), ApiError> {
    let given = step.get("error_handler");
    if may_fail(kind) && given.is_none() {
        return Err(ApiError::missing(path, "error_handler"));
    }
    // The parameters are judged before.
    let number = given.map_or(Ok(0), validate::integer);
    let handler = number.map_err(|what| ApiError::field(path.member("error_handler"), what))?;
    let handler = handler.to_string();
    let (is_allowed, list) = match kind {
        Step::CheckNotSupported => (["1", "2", "3"].contains(&&*handler), "one of 1, 2, 3"),
        kind if may_fail(kind) => (["0", "1", "2", "3"].contains(&&*handler), "one of 0, 1, 2, 3"),
        _ => (handler == "0", "0"),
    };
    if !is_allowed {
        let path = path.member("error_handler");
        return Err(ApiError::field(&path, &format!("value must be {list}")));
    }
    let params = step.get("error_handler_params").and_then(Value::as_str);
    let wrong = |what: &str| Err(ApiError::field(path.member("error_handler_params"), what));
    match (&*handler, params) {
        ("2" | "3", None) => return Err(ApiError::missing(path, "error_handler_params")),
        ("3", Some("")) => return wrong("cannot be empty"),
        ("0" | "1", Some(it)) if !it.is_empty() => return wrong("value must be empty"),
        _ => {}
    }
    let params = params.unwrap_or_default().to_owned();
    step.insert("error_handler".to_owned(), text(handler));
    step.insert("error_handler_params".to_owned(), text(params));
    Ok(())
}
