//! Rules of macros in rows of discovery and of macro functions, a line a case.

#![allow(clippy::unwrap_used, reason = "helpers of tests: a panic is a failed test")]

use jiff::tz::TimeZone;
use lang::expression::{self, NodeKind, Value};
use lang::functions::{Call, FunctionContext, Sample, SampleValue, params};
use lang::interval::{Interval, IntervalFault, fault};
use lang::key::replace_params;
use lang::lld::{EscapeTarget, RowIn, expand_expression, expand_key, expand_stored, expand_text};
use lang::macros::{FuncEnv, Resolution, Search, UserMacro, apply, substitute};
use model::content::FunctionRef;
use model::snapshot::LldRow;
use model::{ItemId, Time, ValueType};

#[test]
fn values_of_rows_are_escaped_for_their_place() {
    let zone = TimeZone::UTC;
    let row = LldRow::new([("{#A}", "a\"b\\c'd")]);
    for (target, expected) in [
        (EscapeTarget::JsonPath, r#"a\"b\\c'd"#),
        (EscapeTarget::Prometheus, r#"a\"b\\c'd"#),
        (EscapeTarget::RegexpOutput, r#"a"b\\c'd"#),
        (EscapeTarget::XPath, r"a&quot;b\c'd"),
    ] {
        assert_eq!(
            expand_text("{#A}", RowIn::new(&row, &zone), target).unwrap(),
            expected,
            "{target:?}"
        );
    }
    assert_eq!(
        expand_text("{{#A}.fmtnum(1)}", RowIn::new(&row, &zone), EscapeTarget::Text).unwrap(),
        "*UNKNOWN*"
    );
    assert_eq!(
        expand_text("{{#B}.fmtnum(1)}", RowIn::new(&row, &zone), EscapeTarget::Text).unwrap(),
        "{{#B}.fmtnum(1)}"
    );
}

#[test]
fn times_of_rows_are_written_in_the_zone_of_the_server() {
    let row = LldRow::new([("{#T}", "1700000000")]);
    let text = "{{#T}.fmttime(%H:%M)} {$M:\"{{#T}.fmttime(%H)}\"}";
    for (zone, expected) in [("UTC", "22:13 {$M:\"22\"}"), ("Asia/Tokyo", "07:13 {$M:\"07\"}")] {
        let zone = TimeZone::get(zone).unwrap();
        assert_eq!(
            expand_text(text, RowIn::new(&row, &zone), EscapeTarget::Text).unwrap(),
            expected
        );
        let key = expand_key("k[{{#T}.fmttime(%H)}]", RowIn::new(&row, &zone)).unwrap();
        let hour: String = expected.chars().take(2).collect();
        assert_eq!(key, format!("k[{hour}]"));
    }
}

#[test]
fn macro_functions_at_their_edges() {
    let zone = TimeZone::get("Europe/Riga").unwrap();
    let now = Time::from_clock(1_700_000_000, 0);
    let env = FuncEnv { now, ..FuncEnv::new(&zone) };
    for (function, params, value, expected) in [
        // A time of day is one of today.
        ("fmttime", "%F %T", "02:03:04", Some("2023-11-15 02:03:04")),
        ("fmttime", "%B,-1M", "12:36:01", Some("October")),
        ("fmttime", "%T", "1700000000.75", Some("00:13:20")),
        ("fmttime", "%T", "1.5.2", Some("03:00:01")),
        // The number at the start counts, in 32 bits; none, and 0, is no time.
        ("fmttime", "%F %T", "-3600", Some("1970-01-01 02:00:00")),
        ("fmttime", "%F %T", "+86400", Some("1970-01-02 03:00:00")),
        ("fmttime", "%T", "1.7e9", Some("03:00:01")),
        ("fmttime", "%F %T", "10000000000", Some("2014-09-07 07:50:08")),
        ("fmttime", "%T", "99999999999999999999", Some("02:59:59")),
        ("fmttime", "%F", "2023-11-15 10:00:00", Some("1970-01-01")),
        ("fmttime", "%T", "12 s", Some("03:00:12")),
        ("fmttime", "%T", "0", None),
        ("fmttime", "%T", "0.5", None),
        ("fmttime", "%T", "", None),
        ("fmttime", "%T", "soon", None),
        ("fmttime", "%T", "-", None),
        // The text after a time does not count, and days run over into the next month.
        ("fmttime", "%F %T", "2:3:4 o'clock", Some("2023-11-15 02:03:04")),
        ("fmttime", "%F %T", "2023-6-31T01:02:60Z", Some("2023-07-01 01:03:00")),
        ("fmttime", "%F %T", "2023-11-15T10:00:00+05:00", Some("2023-11-15 10:00:00")),
        ("fmttime", "%T", "24:00:00", Some("03:00:24")),
        // A whole number stays as it is, for any number of decimals.
        ("fmtnum", "99", "12", Some("12")),
        ("fmtnum", "99", "12.5", None),
        // Lines matter where case does.
        ("regsub", "^b,x", "a\nb", Some("x")),
        ("iregsub", "^b,x", "a\nb", Some("")),
        ("iregsub", "(?m)^B,x", "a\nb", Some("x")),
        ("regsub", "b,\"\"", "abc", Some("abc")),
        ("regsub", "x,\"\"", "abc", Some("")),
        // Bytes are translated, not characters.
        ("tr", "\u{e9},e", "caf\u{e9}", Some("cafee")),
        ("tr", "a,\u{e9}", "a", Some("?")),
        ("tr", "\u{44b},\u{432}", "\u{44b}\u{44b}", Some("\u{432}\u{432}")),
        ("tr", "a-c-,x", "ab-d", Some("xxxd")),
        ("regrepl", "a,b,b,c", "aabb", Some("cccc")),
    ] {
        let found = apply(function, params, value, &env).ok();
        assert_eq!(found.as_deref(), expected, "{function}({params}) of {value}");
    }
}

#[test]
fn replacing_all_of_a_long_text_ends() {
    let zone = TimeZone::UTC;
    let env = FuncEnv::new(&zone);
    // 64 KiB with a match in each eighth byte are replaced.
    let text = "abcdefg ".repeat(8 << 10);
    let found = apply("regrepl", "[ ],_", &text, &env).unwrap();
    assert_eq!(found, "abcdefg_".repeat(8 << 10));
    // Each pair doubles the text by empty matches: the result is refused early.
    let pairs = vec!["z*,-"; 20].join(",");
    assert!(apply("regrepl", &pairs, "text", &env).is_err());
    let pairs = vec!["(z*),\\1"; 5_000].join(",");
    assert!(apply("regrepl", &pairs, &text, &env).is_err());
}

/// A name is a macro where the resolver answers for it. Elsewhere it stays as it is written, and so does a
/// function of it.
#[test]
fn names_outside_of_their_place_stay_as_they_are_written() {
    let zone = TimeZone::UTC;
    let env = FuncEnv::new(&zone);
    let filled = |text: &str| {
        substitute(text, Search::TEXT, &env, &mut |_, inner| match inner {
            "{VALUE}" => Resolution::Value("2.345".to_owned()),
            "{GONE}" => Resolution::Unknown,
            _ => Resolution::Keep,
        })
    };
    for (text, expected) in [
        ("{VALUE} {VALUE2} {value}", "2.345 {VALUE2} {value}"),
        ("{{VALUE}.fmtnum(1)} {{OTHER}.fmtnum(1)}", "2.3 {{OTHER}.fmtnum(1)}"),
        // Its parameters are its own.
        ("{{OTHER}.regsub(\"{VALUE}\", \\0)}", "{{OTHER}.regsub(\"{VALUE}\", \\0)}"),
        ("{{OTHER}.nothing()} {{VALUE}.nothing()}", "{{OTHER}.nothing()} *UNKNOWN*"),
        ("{GONE} {{GONE}.btoa()}", "*UNKNOWN* *UNKNOWN*"),
        // A text that is no function is text around a macro.
        ("{{VALUE}.fmtnum(1) }", "{2.345.fmtnum(1) }"),
        ("{{VALUE}.fmtnum (1)}", "{2.345.fmtnum (1)}"),
        ("{{VALUE}}", "{2.345}"),
        ("{ VALUE} {VALUE } {}", "{ VALUE} {VALUE } {}"),
    ] {
        assert_eq!(filled(text), expected, "{text}");
    }
}

#[test]
fn entities_that_are_numbers_are_decoded() {
    let zone = TimeZone::UTC;
    let env = FuncEnv::new(&zone);
    let decoded = apply("htmldecode", "", "&#039;&#x27;&lt;&amp;#39;", &env).unwrap();
    assert_eq!(decoded, "''<&#39;");
}

#[test]
fn expressions_without_a_result_are_errors() {
    let zone = TimeZone::UTC;
    let env = expression::Env::new(Time::ZERO, &zone);
    let evaluated = |text: &str| {
        let ast = expression::parse(text).ok()?;
        let program = expression::Program::compile(&ast).ok()?;
        let none: [expression::Operand<'_>; 0] = [];
        program.eval(&none, &env).ok()
    };
    for (text, is_good) in [
        ("atan2(0,0)", false),
        ("atan2(0,1)", true),
        ("1 +not 2", false),
        ("1 + not 2", true),
        ("length(repeat(\"ab\",8388608))", true),
        ("length(repeat(\"ab\",8388609))", false),
        ("length(repeat(\"ab\",18446744073709551615))", false),
    ] {
        assert_eq!(evaluated(text).is_some(), is_good, "{text}: {:?}", evaluated(text));
    }
}

#[test]
fn floats_that_rise_by_less_than_the_tolerance_are_equal() {
    let zone = TimeZone::UTC;
    let at = |clock| Time::from_clock(clock, 0);
    let context = FunctionContext::new(at(10), &zone, ValueType::Float);
    let holds = |function: &str, mode: &str, values: [f64; 2]| {
        let call = Call::parse(function, &format!("#2,{mode}")).unwrap();
        let samples = [(1, values[0]), (2, values[1])]
            .map(|(clock, it)| Sample { time: at(clock), value: SampleValue::Float(it) });
        call.eval(&samples, &context).unwrap() == Value::UInt(1)
    };
    // The last two differ by less than the tolerance of 2.22e-16.
    for (values, rises, does_not_fall, falls, does_not_rise) in [
        ([1.0, 2.0], true, true, false, false),
        ([2.0, 1.0], false, false, true, true),
        ([0.0, 1e-16], false, true, false, true),
        ([1e-16, 0.0], false, true, false, true),
    ] {
        assert_eq!(holds("monoinc", "strict", values), rises, "{values:?}");
        assert_eq!(holds("monoinc", "weak", values), does_not_fall, "{values:?}");
        assert_eq!(holds("monodec", "strict", values), falls, "{values:?}");
        assert_eq!(holds("monodec", "weak", values), does_not_rise, "{values:?}");
    }
}

#[test]
fn a_zero_interval_is_valid_only_with_custom_ones() {
    for (text, expected) in
        [("0", Some(IntervalFault::Zero)), ("0s", Some(IntervalFault::Zero)), ("1s", None)]
    {
        assert_eq!(fault(text), expected, "{text}");
        assert_eq!(Interval::parse_simple(text).is_ok(), expected.is_none(), "{text}");
        assert_eq!(Interval::parse(text).is_ok(), expected.is_none(), "{text}");
    }
    assert!(Interval::parse("0;h9").is_ok());
}

/// Texts of up to three characters that mean something somewhere.
fn odd_values() -> Vec<String> {
    let characters =
        ["a", "\"", "\\", "'", "[", "]", "(", ")", "{", "}", ",", " ", "/", ":", "#", "1"];
    let mut all = vec![String::new()];
    let mut longest = all.clone();
    for _ in 0..3 {
        longest =
            longest.iter().flat_map(|begin| characters.map(|it| format!("{begin}{it}"))).collect();
        all.extend(longest.clone());
    }
    all
}

fn parameters_of(key: &str) -> Vec<String> {
    let mut found = Vec::new();
    replace_params(key, &mut |it| {
        found.push(it.to_owned());
        None
    })
    .unwrap_or_else(|error| panic!("{key}: {error}"));
    found
}

/// The texts of an expression.
fn texts_of(expression: &str) -> Vec<String> {
    let ast = expression::parse(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let mut found = Vec::new();
    let _unchanged = expression::substitute(&ast, &mut |ast, node| {
        match node.kind {
            NodeKind::String => found.push(expression::unquote_string(ast.node_text(node))),
            NodeKind::Number => found.push(ast.node_text(node).to_owned()),
            _ => {}
        }
        None
    });
    found
}

/// A value of a row is read back unchanged where its macro is. A value that cannot be written there is
/// refused: a text in quotes of a key or a context does not end with a backslash.
#[test]
fn each_value_is_read_back_in_place_of_its_macro() {
    let zone = TimeZone::UTC;
    for value in odd_values() {
        let row = LldRow::new([("{#V}", value.clone())]);
        let row = RowIn::new(&row, &zone);
        for (key, expected) in [
            ("k[{#V}]", vec![value.clone()]),
            ("k[\"{#V}\"]", vec![value.clone()]),
            ("k[a,{#V},b]", vec!["a".to_owned(), value.clone(), "b".to_owned()]),
            ("k[a,\"x{#V}\"]", vec!["a".to_owned(), format!("x{value}")]),
            ("k[a,[{#V},c]]", vec!["a".to_owned(), value.clone(), "c".to_owned()]),
        ] {
            let expression = format!("last(/h/{key})=1");
            match expand_key(key, row) {
                Ok(expanded) => {
                    assert_eq!(parameters_of(&expanded), expected, "{value:?} in {key}");
                    let in_expression = expand_expression(&expression, row).unwrap();
                    let ast = expression::parse(&in_expression).unwrap();
                    let call = ast.history_calls().first().unwrap();
                    assert_eq!(ast.query(call).unwrap().key, expanded, "{value:?} in {expression}");
                }
                Err(_) => {
                    assert!(value.ends_with('\\'), "{value:?} in {key}");
                    assert!(expand_expression(&expression, row).is_err());
                }
            }
        }
        let text = format!("x{value}y");
        for (written, expected) in [
            ("\"x{#V}y\"=\"z\"", vec![text.clone(), "z".to_owned()]),
            ("{#V}=\"z\"", vec![value.clone(), "z".to_owned()]),
            ("length(\"x{#V}y\")=2", vec![text.clone(), "2".to_owned()]),
        ] {
            let expanded = expand_expression(written, row).unwrap();
            assert_eq!(texts_of(&expanded), expected, "{value:?} in {written}: {expanded}");
        }
        for written in ["$,,\"like\",\"x{#V}y\"", "$,,\"like\",{#V}"] {
            let functions = [FunctionRef {
                item: ItemId(1),
                function: "find".into(),
                parameter: written.into(),
            }];
            let (_, functions) = expand_stored("{0}=1", &functions, row).unwrap();
            let parameters = params::split(&functions[0].parameter);
            let expected = if written.contains('x') { &text } else { &value };
            assert_eq!(parameters.len(), 4, "{value:?} in {written}: {}", functions[0].parameter);
            assert_eq!(parameters[3].value(), *expected, "{value:?} in {written}");
        }
        {
            // Without quotes a context ends at the first brace.
            let written = "{$M:\"{#V}\"}";
            match expand_text(written, row, EscapeTarget::Text) {
                Ok(expanded) => {
                    let read = UserMacro::parse_use(&expanded);
                    let context = read.and_then(|it| it.context);
                    // An empty one is none.
                    let context = context.unwrap_or_default();
                    assert_eq!(context, value, "{value:?} in {written}: {expanded}");
                }
                Err(_) => assert!(value.ends_with('\\'), "{value:?} in {written}"),
            }
        }
        let json = expand_text("\"{#V}\"", row, EscapeTarget::Json).unwrap();
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), value);
    }
}
