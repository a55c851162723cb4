//! Rules of single steps and paths, a line a case.

use formats::jsonpath::JsonPath;
use model::content::{OnFail, PreprocStep, Step as Code};
use model::{Time, Value, ValueType};
use preprocess::{Context, Data, Outcome, Step, StepState, convert, run};

fn step(kind: Code, params: &str) -> Step {
    Step::compile(&PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    })
}

/// The value after one step; `None` if it fails.
fn take(kind: Code, params: &str, value: &str, value_type: ValueType) -> Option<String> {
    let context = Context { time: Time::ZERO, value_type };
    let mut states = [StepState::default()];
    match run(&[step(kind, params)], &mut states, Ok(Data::text(value)), context) {
        Outcome::Value(it) => Some(it.into_text().into_owned()),
        _ => None,
    }
}

fn text(kind: Code, params: &str, value: &str) -> Option<String> {
    take(kind, params, value, ValueType::Text)
}

#[test]
fn numbers_may_have_quotes_and_line_ends() {
    for (kind, value, expected) in [
        (Code::BoolToDecimal, " \"Yes\"\r\n", Some("1")),
        (Code::BoolToDecimal, "off\n", Some("0")),
        (Code::BoolToDecimal, "-0.5", Some("1")),
        (Code::BoolToDecimal, "\tyes", None),
        (Code::OctalToDecimal, "\"17\"\n", Some("15")),
        (Code::OctalToDecimal, "1 7", None),
        (Code::HexToDecimal, "0A 0b\n", Some("2571")),
        (Code::HexToDecimal, "f ff", None),
        (Code::HexToDecimal, "fff", Some("4095")),
        (Code::HexToDecimal, "0xff", None),
    ] {
        assert_eq!(text(kind, "", value).as_deref(), expected, "{kind:?} {value:?}");
    }
}

#[test]
fn whole_numbers_stay_whole_unless_the_item_stores_fractions() {
    use ValueType::{Float, Text, Unsigned};
    for (value, factor, value_type, expected) in [
        ("1.5", "3", Unsigned, Some("3")),
        ("3", "1.5", Unsigned, Some("4")),
        ("3", "1.5", Text, Some("4")),
        ("1.5", "3", Text, Some("4.5")),
        ("3", "1.5", Float, Some("4.5")),
        ("3", "0.1", Unsigned, Some("0")),
        ("-1", "2", Unsigned, Some("-2")),
    ] {
        let found = take(Code::Multiplier, factor, value, value_type);
        assert_eq!(found.as_deref(), expected, "{value} * {factor} for {value_type:?}");
    }
}

#[test]
fn heartbeats_count_whole_seconds_and_zero_lets_all_pass() {
    for (heartbeat, from, to, passes) in [
        ("1m", (1_000, 999_000_000), (1_060, 0), true),
        ("1m", (1_000, 0), (1_059, 999_000_000), false),
        ("0", (1_000, 0), (1_000, 0), true),
        ("0s", (1_000, 0), (1_001, 0), true),
        ("0s", (1_000, 0), (999, 0), false),
    ] {
        let time = |(clock, ns): (i64, u32)| Time::from_clock(clock, ns);
        let mut states = [StepState::new(Data::text("a"), time(from))];
        let context = Context { time: time(to), value_type: ValueType::Text };
        let steps = [step(Code::DiscardUnchangedHeartbeat, heartbeat)];
        let outcome = run(&steps, &mut states, Ok(Data::text("a")), context);
        assert_eq!(matches!(outcome, Outcome::Value(_)), passes, "{heartbeat} {from:?} {to:?}");
    }
}

#[test]
fn errors_in_xml_are_numbers_as_c_prints_them() {
    let xml = "<a><c>x</c><c>y</c></a>";
    let error = |path: &str| {
        let context = Context { time: Time::ZERO, value_type: ValueType::Text };
        let steps = [step(Code::CheckXmlError, path)];
        match run(&steps, &mut [StepState::default()], Ok(Data::text(xml)), context) {
            Outcome::Failed(it) => it.text,
            other => panic!("{other:?}"),
        }
    };
    for (path, expected) in
        [("count(/a/c)", "2.000000"), ("boolean(/a/z)", "0"), ("/a/c[1]", "<c>x</c>")]
    {
        assert!(error(path).ends_with(expected), "{path}: {}", error(path));
    }
}

#[test]
fn a_pattern_that_looks_for_errors_needs_an_output() {
    assert_eq!(text(Code::CheckRegexError, "a", "b"), None);
    assert_eq!(text(Code::CheckRegexError, "a\n", "b").as_deref(), Some("b"));
}

#[test]
fn rates_of_whole_numbers_are_whole() {
    for (value_type, expected) in
        [(ValueType::Unsigned, "0"), (ValueType::Text, "0"), (ValueType::Float, "0.3")]
    {
        let mut states = [StepState::new(Data::Unsigned(1), Time::from_clock(100, 0))];
        let context = Context { time: Time::from_clock(110, 0), value_type };
        let steps = [step(Code::ChangePerSecond, "")];
        let Outcome::Value(found) = run(&steps, &mut states, Ok(Data::text("4")), context) else {
            panic!("no value");
        };
        assert_eq!(found.as_text(), expected, "{value_type:?}");
    }
}

#[test]
fn a_pattern_extracts_from_the_whole_text_and_checks_go_by_lines() {
    assert_eq!(text(Code::Regex, "^b\n\\0", "a\nb"), None);
    assert_eq!(text(Code::Regex, "(?m)^b\n\\0", "a\nb").as_deref(), Some("b"));
    assert_eq!(text(Code::MatchesRegex, "^b$", "a\nb\nc").as_deref(), Some("a\nb\nc"));
}

#[test]
fn a_check_that_finds_nothing_but_white_space_is_no_error() {
    for value in ["{\"error\":\" \"}", "{}", "no JSON"] {
        assert_eq!(text(Code::CheckJsonError, "$.error", value).as_deref(), Some(value));
    }
    assert_eq!(text(Code::CheckJsonError, "$.error.min()", "{\"error\":[]}"), None);
    assert_eq!(text(Code::CheckRegexError, "e(.*)\n\\1", "e \t").as_deref(), Some("e \t"));
    assert_eq!(text(Code::CheckRegexError, "e(.*)\n\\1", "e x "), None);
    assert_eq!(text(Code::InRange, "\n", "1"), None);
}

#[test]
fn names_after_a_dot_are_words() {
    for (path, is_good) in [
        ("$", false),
        ("a", false),
        ("$.a_1.$b", true),
        ("$.a-b", false),
        ("$.a b", false),
        ("$.{a}", false),
        ("$['a-b']", true),
        ("$.a[?(@.b-1>0)]", true),
        ("$.a[?(@ > 1)]", false),
        ("$.a[?(@)]", false),
        ("$.a[?($ == 1)]", false),
        ("$.a[?(@.b.length() > 1)]", false),
        ("$.a[?(@[0] > 1)]", true),
    ] {
        assert_eq!(JsonPath::parse(path).is_ok(), is_good, "{path}");
    }
    let error = |path: &str| JsonPath::parse(path).unwrap_err().to_string();
    assert_eq!(error("x"), "JSONPath query must start with the root object/element $.");
    assert_eq!(error("$.a["), "jsonpath was unexpectedly terminated");
    assert_eq!(error("$.a-b"), "unsupported construct in jsonpath starting with: \"-b\"");
}

#[test]
fn null_is_the_word_for_items_and_nothing_in_filters() {
    let json = r#"{"a":null,"l":[{"x":null,"n":1},{"x":2,"n":2}]}"#;
    for (path, expected) in [
        ("$.a", "null"),
        ("$.l[*].x.first()", "null"),
        ("$.l[*].x", "[null,2]"),
        ("$.l[?(@.x)].n", "[2]"),
    ] {
        assert_eq!(text(Code::JsonPath, path, json).as_deref(), Some(expected), "{path}");
    }
    assert_eq!(text(Code::CheckJsonError, "$.a", json), None);
}

#[test]
fn functions_of_paths_give_numbers() {
    let json = r#"{"a":[2.50,"1.0",1],"none":[],"w":["x"],"o":[{"x":1}]}"#;
    for (path, expected) in [
        ("$.a.min()", "1"),
        ("$.a.max()", "2.5"),
        ("$.a.avg()", "1.5"),
        ("$.o[?(@.y)].length()", "0"),
    ] {
        let found = JsonPath::parse(path).unwrap().query_text(json).unwrap();
        assert_eq!(found.as_deref(), Some(expected), "{path}");
    }
    let empty = "cannot apply aggregation function to empty array";
    let no_array = "cannot apply function to non-array JSON element";
    for (path, expected) in [
        ("$.none.min()", empty),
        ("$.none.avg()", empty),
        ("$.none.sum()", empty),
        ("$.o[?(@.y)].x.sum()", empty),
        ("$.x.sum()", no_array),
        ("$.x.first()", no_array),
        ("$.o[0].length()", no_array),
        ("$.o[?(@.y)]~", "cannot extract name from empty result"),
        ("$.o.max()", "array value type is not a number or string"),
        ("$.w.max()", "array value is not a number or out of range: x"),
    ] {
        let error = JsonPath::parse(path).unwrap().query_text(json).unwrap_err();
        assert_eq!(error.to_string(), expected, "{path}");
    }
}

#[test]
fn numbers_of_paths_are_short_and_whole_ones_exact() {
    let json = r#"{"a":1.50,"e":1e3,"big":18446744073709551615,"long":9007199254740993,
        "tiny":-0.00001e0,"zero":-0,"over":1e999,"l":[1.50, {"x":2.0e2,"-1.0":"1.50"}]}"#;
    for (path, expected) in [
        ("$.a", "1.5"),
        ("$.e", "1000"),
        ("$.big", "18446744073709551615"),
        ("$.long", "9007199254740993"),
        ("$.tiny", "-1E-05"),
        ("$.zero", "-0"),
        ("$.over", "1e999"),
        ("$.l", r#"[1.5,{"x":200,"-1.0":"1.50"}]"#),
        ("$.l[*].x", "[200]"),
    ] {
        assert_eq!(text(Code::JsonPath, path, json).as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn stored_numbers_are_in_range_and_zero_has_no_sign() {
    let convert = |data, value_type| convert(data, value_type).map_err(|it| it.to_string());
    let text = |it: &str| Data::text(it.to_owned());
    assert_eq!(
        convert(text("a\nb"), ValueType::Unsigned).unwrap_err(),
        "Value of type \"string\" is not suitable for value type \"Numeric (unsigned)\". Value \"a\\nb\""
    );
    assert_eq!(
        convert(Data::Float(f64::INFINITY), ValueType::Float).unwrap_err(),
        "Value INF is too small or too large."
    );
    assert!(convert(text("-1e308"), ValueType::Float).is_ok());
    assert_eq!(
        convert(text("1.5e308"), ValueType::Float).unwrap_err(),
        "Value 1.5E+308 is too small or too large."
    );
    let Ok(Value::Float(zero)) = convert(text("-0"), ValueType::Float) else { panic!() };
    assert!(zero.is_sign_positive());
}

#[test]
fn an_empty_output_keeps_the_whole_text() {
    assert_eq!(text(Code::Regex, "b\n", "abc").as_deref(), Some("abc"));
    assert_eq!(text(Code::Regex, "x\n", "abc"), None);
}

#[test]
fn a_replacement_is_a_line_of_its_own() {
    assert_eq!(text(Code::StrReplace, "a\nb", "aXa").as_deref(), Some("bXb"));
    assert_eq!(text(Code::StrReplace, "a\n", "aXa").as_deref(), Some("X"));
    assert_eq!(text(Code::StrReplace, "a", "aXa"), None);
    assert_eq!(text(Code::StrReplace, "\nb", "aXa"), None);
}

#[test]
fn every_kind_of_step_is_compiled() {
    for kind in Code::ALL {
        let params = step(*kind, "").error().map(ToString::to_string).unwrap_or_default();
        assert!(!params.contains("is not supported"), "{kind:?}: {params}");
    }
}

/// Texts and the value that an item of whole numbers stores; `None`: it is not supported.
const WHOLE_NUMBERS: &[(&str, Option<u64>)] = &[
    ("5.5", Some(5)),
    ("2.7", Some(2)),
    ("0.5", Some(0)),
    (".5", Some(0)),
    ("5.", Some(5)),
    ("1e3", Some(1_000)),
    ("1.458255915e9", Some(1_458_255_915)),
    ("25E-1", Some(2)),
    ("+1.9", Some(1)),
    ("42\r\n", Some(42)),
    ("42\n\n", Some(42)),
    (" 42 \n", Some(42)),
    ("\n42", Some(42)),
    ("  7.9  ", Some(7)),
    ("\"15\"", Some(15)),
    (" \"1.5\"\n", Some(1)),
    ("-0", Some(0)),
    // Digits of whole numbers are kept, where a float has 53 bits.
    ("9007199254740993", Some(9_007_199_254_740_993)),
    ("9007199254740993.000", Some(9_007_199_254_740_993)),
    ("18446744073709551615", Some(u64::MAX)),
    ("18446744073709551615.00", Some(u64::MAX)),
    ("1e19", Some(10_000_000_000_000_000_000)),
    ("18446744073709551616", None),
    ("1.9e19", None),
    ("-1", None),
    ("-0.5", None),
    ("1e", None),
    ("e3", None),
    (".", None),
    ("", None),
    ("\n", None),
    ("0x1f", None),
    ("1,5", None),
    ("1 2", None),
    ("\t42", None),
    ("12abc", None),
    ("inf", None),
    ("nan", None),
    ("1K", None),
];

#[test]
fn whole_numbers_end_at_the_point_and_may_have_blanks_around() {
    for (value, expected) in WHOLE_NUMBERS {
        let stored = convert(Data::text(*value), ValueType::Unsigned).ok();
        assert_eq!(stored, expected.map(Value::Unsigned), "{value:?}");
        // After steps that return texts it is the same.
        for (kind, params) in [
            (Code::Trim, "x"),
            (Code::StrReplace, "x\n"),
            (Code::Regex, "(?s)^(.*)$\n\\1"),
            (Code::DiscardUnchanged, ""),
        ] {
            let context = Context { time: Time::ZERO, value_type: ValueType::Unsigned };
            let mut states = [StepState::default()];
            let outcome = run(&[step(kind, params)], &mut states, Ok(Data::text(*value)), context);
            let Outcome::Value(data) = outcome else { panic!("{kind:?} {value:?}") };
            let stored = convert(data, ValueType::Unsigned).ok();
            assert_eq!(stored, expected.map(Value::Unsigned), "{kind:?} {value:?}");
        }
    }
    for (value, expected) in [(5.5, Some(5)), (-0.0, Some(0)), (-0.5, None), (2e19, None)] {
        let stored = convert(Data::Float(value), ValueType::Unsigned).ok();
        assert_eq!(stored, expected.map(Value::Unsigned), "{value}");
    }
}

#[test]
fn floats_have_blanks_and_line_ends_around_them() {
    for value in ["7", "7\n", "7\r\n", " 7 \n", "\"7\"\n", "+7", "7.0", "\n7"] {
        let stored = convert(Data::text(value), ValueType::Float).ok();
        assert_eq!(stored, Some(Value::Float(7.0)), "{value:?}");
    }
    for value in ["7\n8", "\t7", "7\0", "", "\n"] {
        assert!(convert(Data::text(value), ValueType::Float).is_err(), "{value:?}");
    }
}

/// The value after the steps, as an item of whole numbers stores it, or the error.
fn stored_by(steps: &[(Code, &str)], value: &str) -> Result<u64, String> {
    let context = Context { time: Time::ZERO, value_type: ValueType::Unsigned };
    let steps: Vec<Step> = steps.iter().map(|(kind, params)| step(*kind, params)).collect();
    let mut states = vec![StepState::default(); steps.len()];
    match run(&steps, &mut states, Ok(Data::text(value)), context) {
        Outcome::Value(data) => match convert(data, ValueType::Unsigned) {
            Ok(Value::Unsigned(it)) => Ok(it),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        },
        Outcome::Discarded => Err("discarded".to_owned()),
        Outcome::Failed(it) => Err(it.text),
    }
}

#[test]
fn steps_calculate_with_numbers_that_the_item_does_not_store() {
    const TWICE: (Code, &str) = (Code::Multiplier, "2");
    const NEGATED: (Code, &str) = (Code::Multiplier, "-1");
    let unsuitable = |value: &str| {
        Err(format!(
            "Value of type \"double\" is not suitable for value type \"Numeric (unsigned)\". Value \"{value}\""
        ))
    };
    assert_eq!(stored_by(&[NEGATED], "-1"), Ok(1));
    assert_eq!(stored_by(&[NEGATED, NEGATED], "7"), Ok(7));
    assert_eq!(stored_by(&[NEGATED, TWICE, NEGATED], "2.9"), Ok(4));
    assert_eq!(stored_by(&[(Code::Multiplier, "0.1")], "2e19"), Ok(2_000_000_000_000_000_000));
    assert_eq!(stored_by(&[(Code::Multiplier, "-0.5")], "-5"), Ok(2));
    assert_eq!(stored_by(&[TWICE], "-1"), unsuitable("-2"));
    assert_eq!(stored_by(&[NEGATED], "3"), unsuitable("-3"));
    // The usual template of an interface's speed: unknown is -1.
    assert_eq!(stored_by(&[(Code::Multiplier, "1000000")], "-1"), unsuitable("-1000000"));
    let in_range = (Code::InRange, "-5\n5");
    assert_eq!(stored_by(&[in_range, NEGATED], "-5"), Ok(5));
    assert_eq!(
        stored_by(&[(Code::InRange, "1\n10")], "-2"),
        Err("Preprocessing failed for: -2\n1. Failed: value is less than 1 or greater than 10"
            .to_owned())
    );
    // A fraction is cut off before the calculation.
    assert_eq!(stored_by(&[TWICE], "2.9"), Ok(4));
    assert_eq!(stored_by(&[TWICE], "3.00"), Ok(6));
    assert_eq!(stored_by(&[TWICE], "42\r\n"), Ok(84));
}

#[test]
fn failed_step_forgets_its_state_despite_its_handler() {
    for (kind, values) in [
        (
            Code::SimpleChange,
            [(1, "5", None), (2, "9", Some("4")), (4, "12", None), (5, "15", Some("3"))],
        ),
        (
            Code::ChangePerSecond,
            [(1, "5", None), (2, "9", Some("4")), (4, "12", None), (5, "15", Some("3"))],
        ),
    ] {
        for (handler, handled) in [(OnFail::SetValue, Some("-1")), (OnFail::Discard, None)] {
            let mut steps = [step(kind, "")];
            steps[0] = Step::compile(&PreprocStep {
                kind,
                params: String::new(),
                error_handler: handler,
                error_handler_params: "-1".to_owned(),
            });
            let mut states = [StepState::default()];
            let mut take = |clock: i64, value: &str| {
                let context =
                    Context { time: Time::from_clock(clock, 0), value_type: ValueType::Float };
                match run(&steps, &mut states, Ok(Data::text(value.to_owned())), context) {
                    Outcome::Value(it) => Some(it.into_text().into_owned()),
                    Outcome::Discarded => None,
                    Outcome::Failed(it) => panic!("{}", it.text),
                }
            };
            for (at, (clock, value, expected)) in values.into_iter().enumerate() {
                if at == 2 {
                    assert_eq!(take(3, "x").as_deref(), handled, "{kind:?}");
                }
                assert_eq!(take(clock, value).as_deref(), expected, "{kind:?} {clock}");
            }
        }
    }
}
