use super::*;

const TEXT: &str = "# HELP cpu Seconds\n# TYPE cpu counter\ncpu{core=\"0\",mode=\"idle\"} 10\n\
    cpu{core=\"1\",mode=\"idle\"} 30.5 1395066363000\ncpu{core=\"1\",mode=\"user\"} 2\nup 1\n";

fn ask(text: &str, query: &str, request: &str, argument: &str) -> Result<String, PrometheusError> {
    let output = PrometheusOutput::parse(request, argument).unwrap();
    Metrics::parse(text).query(&PrometheusQuery::parse(query)?, &output)
}

#[test]
fn queries_pick_one_or_calculate() {
    for (query, request, argument, expected) in [
        ("up", "value", "", "1"),
        ("cpu{core=\"1\",mode=\"idle\"}", "value", "", "30.5"),
        ("cpu{core=\"0\"}", "label", "mode", "idle"),
        ("cpu{mode=\"idle\"}", "function", "sum", "40.5"),
        ("cpu{mode=\"idle\"}", "function", "avg", "20.25"),
        ("cpu", "function", "min", "2"),
        ("cpu{mode!=\"user\"}", "function", "max", "30.5"),
        ("{core=~\".\"}", "function", "count", "3"),
        ("{__name__=~\"^c\"}==2.0", "label", "mode", "user"),
    ] {
        assert_eq!(ask(TEXT, query, request, argument).unwrap(), expected, "{query}");
    }
    assert_eq!(ask(TEXT, "down", "value", ""), Err(PrometheusError::NoMatch));
    assert_eq!(ask(TEXT, "up", "label", "x"), Err(PrometheusError::NoLabel));
    let several = ask(TEXT, "cpu", "value", "").unwrap_err().to_string();
    assert!(several.contains("multiple matching metrics found"), "{several}");
}

#[test]
fn any_of_several_labels_may_be_the_rare_one() {
    let mut text = String::new();
    for idx in 0..200 {
        text.push_str(&format!("up{{job=\"web\",pod=\"p{idx}\",zone=\"z{}\"}} {idx}\n", idx % 3));
    }
    for query in [
        "up{job=\"web\",pod=\"p7\"}",
        "up{pod=\"p7\",job=\"web\"}",
        "{zone=\"z1\",job=\"web\",pod=\"p7\"}",
    ] {
        assert_eq!(ask(&text, query, "value", "").unwrap(), "7", "{query}");
    }
    for query in [
        "up{job=\"web\",pod=\"none\"}",
        "up{job=\"none\",pod=\"p7\"}",
        "up{none=\"web\",pod=\"p7\"}",
    ] {
        assert_eq!(ask(&text, query, "value", ""), Err(PrometheusError::NoMatch), "{query}");
    }
    assert_eq!(ask(&text, "up{job=\"web\",zone=\"z2\"}", "function", "count").unwrap(), "66");
}

#[test]
fn a_condition_wants_its_label() {
    for query in ["up{core!=\"1\"}", "up{core!~\"1\"}", "up{core=\"\"}", "up{core=~\"\"}"] {
        assert_eq!(ask(TEXT, query, "value", ""), Err(PrometheusError::NoMatch), "{query}");
    }
    assert_eq!(ask(TEXT, "{core=~\"\"}", "function", "count").unwrap(), "3");
}

#[test]
fn non_numbers_are_not_aggregated() {
    let text = "x{a=\"1\"} NaN\nx{a=\"2\"} 3\n";
    for (function, expected) in [("count", "1"), ("sum", "3"), ("avg", "3")] {
        assert_eq!(ask(text, "x", "function", function).unwrap(), expected, "{function}");
    }
    assert_eq!(ask(text, "y", "function", "count").unwrap(), "0");
    for function in ["sum", "avg", "min", "max"] {
        let nothing = ask(text, "x{a=\"1\"}", "function", function);
        assert_eq!(nothing, Err(PrometheusError::NoMatch), "{function}");
    }
}

#[test]
fn bad_lines_fail_those_who_look() {
    let text = "good 1\nbad{x=} 2\nlast{a=\"b\"} x\n";
    assert_eq!(ask(text, "good", "value", "").unwrap(), "1");
    assert!(ask(text, "bad", "value", "").is_err());
    assert!(ask(text, "{a=\"b\"}", "value", "").is_err());
    let error = ask(text, "last", "value", "").unwrap_err().to_string();
    assert_eq!(error, "data parsing error at row 3 \"last{a=\"b\"} x\": cannot parse metric value");
    assert!(ask("good 1\n!", "good", "value", "").is_err());
}

#[test]
fn json_has_hints() {
    let mut metrics = Metrics::parse(TEXT);
    let found = metrics.to_json(&PrometheusQuery::parse("cpu{core=\"0\"}").unwrap()).unwrap();
    assert_eq!(
        found,
        r#"[{"name":"cpu","value":"10","line_raw":"cpu{core=\"0\",mode=\"idle\"} 10","labels":{"core":"0","mode":"idle"},"type":"counter","help":"Seconds"}]"#
    );
    assert_eq!(metrics.to_json(&PrometheusQuery::parse("none").unwrap()).unwrap(), "[]");
}

#[test]
fn a_comment_never_costs_values() {
    let json = |comments: &str| {
        let text = format!("{comments}\nm{{a=\"1\"}} 5\n");
        Metrics::parse(&text).to_json(&PrometheusQuery::parse("m").unwrap()).unwrap()
    };
    let of = |kind: &str, help: &str| {
        format!(
            r#"[{{"name":"m","value":"5","line_raw":"m{{a=\"1\"}} 5","labels":{{"a":"1"}},"type":"{kind}"{help}}}]"#
        )
    };
    for (comments, kind, help) in [
        ("# HELP m it\\'s \\x \\\\ \\\" \\n.", "untyped", r#","help":"it\\'s \\x \\ \" \n.""#),
        (
            "# HELP m one\n# HELP m two\n# TYPE m gauge\n# TYPE m counter",
            "gauge",
            r#","help":"one""#,
        ),
        ("# HELP", "untyped", ""),
        ("# TYPE", "untyped", ""),
        ("# TYPE m", "untyped", ""),
        ("# TYPE m\n# TYPE m gauge", "gauge", ""),
        ("# HELP m ends with \\", "untyped", r#","help":"ends with \\""#),
        ("# HELP 5m text", "untyped", ""),
        ("# TYPE m-n gauge", "untyped", ""),
        ("#HELP m x", "untyped", r#","help":"x""#),
        ("# HELPm x", "untyped", ""),
        ("#", "untyped", ""),
        ("# EOF", "untyped", ""),
        ("# UNIT m seconds", "untyped", ""),
        ("# \u{fffd} \0 {}", "untyped", ""),
    ] {
        assert_eq!(json(comments), of(kind, help), "{comments}");
    }
}
