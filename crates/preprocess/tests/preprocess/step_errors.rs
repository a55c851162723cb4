//! Errors of steps, and how later steps handle them.

use std::slice::from_ref;

use model::content::{OnFail, PreprocStep, Step as Code};
use model::{Time, ValueType};
use preprocess::{Context, Data, Outcome, Step, StepState, run};

fn step(kind: Code, params: &str) -> Step {
    Step::compile(&PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    })
}

/// Step, parameters, value, the step's error for an item of whole numbers.
const CASES: &[(Code, &str, &str, &str)] = &[
    (
        Code::Multiplier,
        "2.50",
        "x",
        "cannot apply multiplier \"2.50\" to value of type \"string\": cannot convert value to numeric type",
    ),
    (Code::Multiplier, "x", "1", "a numerical value is expected or the value is out of range"),
    (
        Code::SimpleChange,
        "",
        "x",
        "cannot calculate delta (simple change) for value of type \"string\": cannot convert value to numeric type",
    ),
    (
        Code::ChangePerSecond,
        "",
        "minus 5",
        "cannot calculate delta (speed per second) for value of type \"string\": cannot convert value to numeric type",
    ),
    (Code::InRange, "1.0\n1e1", "-2", "value is less than 1 or greater than 10"),
    (Code::InRange, "1\n10", "2e19", "value is less than 1 or greater than 10"),
    (
        Code::BoolToDecimal,
        "",
        " maybe",
        "cannot convert value  \"maybe\" from boolean to decimal format: invalid value format",
    ),
    (
        Code::OctalToDecimal,
        "",
        "8",
        "cannot convert value  \"8\" from octal to decimal format: invalid value format",
    ),
    (
        Code::HexToDecimal,
        "",
        "g",
        "cannot convert value  \"g\" from hexadecimal to decimal format: invalid value format",
    ),
    (Code::InRange, "1\n10", "11", "value is less than 1 or greater than 10"),
    (Code::InRange, "1.0\n", "0", "value is less than 1"),
    (Code::InRange, "\n1e1", "11", "value is greater than 10"),
    (Code::InRange, "1\n10", "x", "cannot convert value to numeric type"),
    (Code::InRange, "a\n10", "1", "validation range minimum value is invalid: a"),
    (
        Code::MatchesRegex,
        "^a",
        "b",
        "cannot perform regular expression \"^a\" validation for value of type \"string\": value does not match regular expression",
    ),
    (
        Code::NotMatchesRegex,
        "^b",
        "b",
        "cannot perform regular expression \"^b\" validation for value of type \"string\": value matches regular expression",
    ),
    (
        Code::Regex,
        "a\n\\0",
        "b",
        "cannot perform regular expression \"a\" match for value of type \"string\": pattern does not match",
    ),
    (
        Code::Regex,
        "a",
        "b",
        "cannot perform regular expression \"a\" match for value of type \"string\": cannot find second parameter",
    ),
    (
        Code::JsonPath,
        "$.a",
        "x",
        "cannot extract value from json by path \"$.a\": invalid object format, expected opening character '{' or '[' at: 'x'",
    ),
    (
        Code::JsonPath,
        "$.a",
        "[1",
        "cannot extract value from json by path \"$.a\": invalid array format, expected closing character ']' at: ''",
    ),
    (
        Code::JsonPath,
        "$.a",
        "{\"a\":",
        "cannot extract value from json by path \"$.a\": unexpected end of object value",
    ),
    (
        Code::JsonPath,
        "$.a",
        "{\"a\":tru}",
        "cannot extract value from json by path \"$.a\": invalid literal value at: 'tru}'",
    ),
    (
        Code::JsonPath,
        "$.b",
        "{\"a\":1}",
        "cannot extract value from json by path \"$.b\": no data matches the specified path",
    ),
    (Code::CheckJsonError, "$.e", "{\"e\":\" bad \"}", "bad"),
    (Code::CheckJsonError, "$.e", "{\"e\":null}", "null"),
    (Code::CheckXmlError, "/e/text()", "<e>bad</e>", "bad"),
    (Code::CheckRegexError, "e(.)\n\\1", "e1", "1"),
    (Code::CheckRegexError, "(\n\\1", "e1", "invalid regular expression \"(\""),
    (Code::DiscardUnchangedHeartbeat, "1x", "1", "invalid time period: 1x"),
    (
        Code::PrometheusPattern,
        "down\nvalue\n",
        "up 1",
        "cannot apply Prometheus pattern: data extraction error: no matching metrics found",
    ),
    (
        Code::PrometheusPattern,
        "up\nlabel\nx",
        "up 1",
        "cannot apply Prometheus pattern: data extraction error: no label matches the specified output",
    ),
    (
        Code::PrometheusPattern,
        "up{\nvalue\n",
        "up 1",
        "cannot apply Prometheus pattern: pattern error: cannot parse label condition at \"\"",
    ),
    (
        Code::PrometheusPattern,
        "up{a=\"b\"\nvalue\n",
        "up 1",
        "cannot apply Prometheus pattern: pattern error: missing label condition list terminating character \"}\"",
    ),
    (Code::PrometheusPattern, "up", "up 1", "cannot find second parameter"),
    (
        Code::PrometheusToJson,
        "",
        "a 1\nup{x=1} 1",
        "cannot convert Prometheus data to JSON: data parsing error at row 2 \"up{x=1} 1\": cannot parse label",
    ),
    (Code::CsvToJson, "\n\"\n1", "a,a", "cannot convert CSV to JSON: duplicated column name \"a\""),
    (Code::CsvToJson, ",", "a", "cannot find second parameter"),
    (Code::CsvToJson, ",,\n\n1", "a", "invalid first parameter"),
    (Code::SnmpWalkValue, "1.2\n0", "", "unable to extract value for given OID: no data was found"),
];

/// The error of an item with these steps.
fn error(steps: &[(Code, &str)], value: &str, value_type: ValueType) -> String {
    let steps: Vec<Step> = steps.iter().map(|(kind, params)| step(*kind, params)).collect();
    let context = Context { time: Time::ZERO, value_type };
    let mut states = vec![StepState::default(); steps.len()];
    match run(&steps, &mut states, Ok(Data::text(value)), context) {
        Outcome::Failed(it) => it.text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn step_errors_have_the_words_of_zabbix() {
    for (kind, params, value, expected) in CASES {
        let expected = format!("Preprocessing failed for: {value}\n1. Failed: {expected}");
        let shown = expected.replacen(value, &value.replace('\n', "."), 1);
        assert_eq!(error(&[(*kind, params)], value, ValueType::Unsigned), shown, "{kind:?}");
    }
}

#[test]
fn errors_show_the_result_of_each_step() {
    assert_eq!(
        error(
            &[(Code::Trim, " "), (Code::JsonPath, "$.a"), (Code::Regex, "^x\n\\0")],
            " {\"a\":\"y5\"} ",
            ValueType::Text
        ),
        "Preprocessing failed for:  {\"a\":\"y5\"} \n1. Result: {\"a\":\"y5\"}\n2. Result: y5\n\
         3. Failed: cannot perform regular expression \"^x\" match for value of type \"string\": \
         pattern does not match"
    );
}

#[test]
fn an_error_goes_only_to_checks_that_follow_at_once() {
    let set = |kind, params: &str, error_handler, text: &str| {
        Step::compile(&PreprocStep {
            kind,
            params: params.to_owned(),
            error_handler,
            error_handler_params: text.to_owned(),
        })
    };
    let context = Context { time: Time::from_clock(1, 0), value_type: ValueType::Text };
    let take = |steps: &[Step], input: Result<Data<'static>, String>| {
        let mut states = vec![StepState::default(); steps.len()];
        match run(steps, &mut states, input, context) {
            Outcome::Value(it) => it.into_text().into_owned(),
            Outcome::Discarded => "discarded".to_owned(),
            Outcome::Failed(it) => it.text,
        }
    };
    let any = |handler, text| set(Code::CheckNotSupported, "-1", handler, text);
    let timeout = set(Code::CheckNotSupported, "0\ntime(d)?", OnFail::SetValue, "late \\0");
    let path = step(Code::JsonPath, "$.a");

    let error = |text: &str| Err(text.to_owned());
    assert_eq!(take(from_ref(&timeout), error("a time")), "late time");
    assert_eq!(take(from_ref(&timeout), error("no")), "no");
    // The second check comes after a step that ignores errors.
    let late = [timeout.clone(), step(Code::Trim, " "), any(OnFail::SetValue, "0")];
    assert_eq!(take(&late, error("no")), "no");
    // The error of a step is handled, or passed on as it is, without the trail.
    let value = || Ok(Data::text("{}"));
    assert_eq!(take(&[path.clone(), any(OnFail::SetValue, "0")], value()), "0");
    let failed =
        "cannot extract value from json by path \"$.a\": no data matches the specified path";
    assert_eq!(take(&[path.clone(), timeout], value()), failed);
    assert_eq!(
        take(&[path, any(OnFail::SetValue, "y"), step(Code::Regex, "^x\n\\0")], value()),
        format!(
            "Preprocessing failed for: {{}}\n1. Failed: {failed}\n2. Result (set value): y\n\
             3. Failed: cannot perform regular expression \"^x\" match for value of type \"string\": \
             pattern does not match"
        )
    );
}
