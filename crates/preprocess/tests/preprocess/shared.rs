//! Forms shared by dependents have the same results as separate parsing.

use std::fmt::Write as _;

use model::content::{OnFail, PreprocStep, Step as Code};
use model::{Time, ValueType};
use preprocess::{Context, Data, Outcome, ParsedForms, Progress, Step, run, run_light};

fn step(kind: Code, params: &str) -> Step {
    Step::compile(&PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    })
}

const CONTEXT: Context = Context { time: Time::ZERO, value_type: ValueType::Text };

fn alone(step: &Step, text: &str) -> Outcome<'static> {
    owned(run(std::slice::from_ref(step), &mut [], Ok(Data::text(text)), CONTEXT))
}

fn owned(outcome: Outcome<'_>) -> Outcome<'static> {
    match outcome {
        Outcome::Value(it) => Outcome::Value(it.into_owned()),
        Outcome::Discarded => Outcome::Discarded,
        Outcome::Failed(it) => Outcome::Failed(it),
    }
}

/// All steps over one text, in turn and twice, sharing the parsed forms.
fn check(text: &str, steps: &[(Code, String)]) {
    let mut shared = ParsedForms::new(text);
    for (code, params) in steps.iter().chain(steps) {
        let step = step(*code, params);
        let input = (0, Ok(Data::text(text)));
        let Progress::Done(found) =
            run_light(std::slice::from_ref(&step), &mut [], input, CONTEXT, Some(&mut shared))
        else {
            panic!("{params} is heavy for {} bytes", text.len());
        };
        assert_eq!(owned(found), alone(&step, text), "{code:?} {params}");
    }
}

#[test]
fn json_paths() {
    let mut text = String::from("{\"rows\":[");
    for idx in 0..60 {
        let comma = if idx == 0 { "" } else { "," };
        let same = idx % 7;
        write!(text, "{comma}{{\"id\":{idx},\"name\":\"n{same}\",\"v\":[{idx},\"{idx}\"]}}")
            .unwrap();
    }
    text.push_str("],\"by\":{");
    for idx in 0..60 {
        let comma = if idx == 0 { "" } else { "," };
        write!(text, "{comma}\"k{idx}\":{idx},\"k\\u0031{idx}\":-{idx}").unwrap();
    }
    text.push_str("}}");
    let paths = [
        "$.rows[3].id",
        "$.rows[-1].id",
        "$.rows[60].id",
        "$.by.k7",
        "$.by.k17",
        "$.by.none",
        "$.rows[?(@.name == \"n3\")].id",
        "$.rows[?('n3' == @.name)].id.max()",
        "$.rows[?(@.name == \"n3\" && @.id > 20)].v[1]",
        "$.rows[?(@.id == 5)].name.first()",
        "$.rows[?(@.id == \"5\")].name",
        "$.rows[?(@.id == 0)].name",
        "$.rows[?(@.v[0] == 59)].id",
        "$.rows[?(@.name == \"n3\" || @.id == 1)].id",
        "$.rows[?(!(@.name == \"n3\"))].id.length()",
        "$.rows[?(@.none == \"n3\")].id",
        "$.rows[?(@.v[1] == 7)]",
        "$..[?(@.name == \"n3\")].id",
        "$.rows[",
        "$.rows.*.id.sum()",
        "$.rows[?(@.name == \"n3\")].name.sum()",
    ];
    let steps: Vec<(Code, String)> = paths.map(|it| (Code::JsonPath, it.to_owned())).into();
    check(&text, &steps);
    check("{\"a\":", &steps);
    check("[]", &steps);
}

#[test]
fn prometheus_queries() {
    let text = "# TYPE a counter\na{x=\"1\",y=\"2\"} 1\na{x=\"1\",y=\"3\"} 2\nb{x=\"2\"} 3\nc 4\nbad{x=\"9\"} z\n";
    let queries = [
        "a{x=\"1\",y=\"3\"}",
        "a{y=\"2\"}",
        "{x=\"2\"}",
        "{x=\"1\"}",
        "c",
        "d",
        "bad",
        "{x=\"9\"}",
        "{x=~\"1\"}",
        "a{x=\"1\"}==2",
        "{}",
        "bad{x=\"8\"}",
    ];
    let mut steps = Vec::new();
    for query in queries {
        steps.push((Code::PrometheusPattern, format!("{query}\nvalue\n")));
        steps.push((Code::PrometheusPattern, format!("{query}\nfunction\nsum")));
        steps.push((Code::PrometheusToJson, query.to_owned()));
    }
    check(text, &steps);
    check("", &steps);
}

#[test]
fn walks_and_xml() {
    let walk = ".1.2.1 = STRING: \"a\"\n.1.2.2 = Hex-STRING: 00 FF\n.1.2.1 = 7\nend";
    let steps: Vec<(Code, String)> = [".1.2.1\n0", ".1.2.2\n2", ".1.2.3\n0", "x\n0"]
        .map(|it| (Code::SnmpWalkValue, it.to_owned()))
        .into();
    check(walk, &steps);
    let steps: Vec<(Code, String)> = ["//b", "string(//b/@c)", "//[", "count(//*)"]
        .map(|it| (Code::XPath, it.to_owned()))
        .into_iter()
        .chain([(Code::XmlToJson, String::new()), (Code::CheckXmlError, "//b".to_owned())])
        .collect();
    check("<a><b c='1'>2</b></a>", &steps);
    check("<a>", &steps);
}

#[test]
fn own_steps() {
    let filter = |params: &str, text: &str| match alone(&step(Code::FilterJsonFields, params), text)
    {
        Outcome::Value(it) => it.into_text().into_owned(),
        other => format!("{other:?}"),
    };
    let text = r#"{"a": 1, "b": {"c": [{"d": 2, "e": 3}, {"d": 4}], "f": null}, "g": "x"}"#;
    assert_eq!(filter("keep\n$.a\n$.b.c[*].d", text), r#"{"a":1,"b":{"c":[{"d":2},{"d":4}]}}"#);
    assert_eq!(filter("remove\n$.a\n$.b.c[0]\n$.g", text), r#"{"b":{"c":[{"d":4}],"f":null}}"#);
    assert!(filter("keep\n$..a", text).contains("other parts than names"));

    let dispatch = step(Code::DispatchToHosts, "name\n$.host\n$.data");
    let dispatch = dispatch.dispatch().unwrap();
    let found = dispatch.split(r#"{"data":[{"host":"a","v": 1},{"v":2},{"host":"b"}]}"#).unwrap();
    let rows = [("a", r#"{"host":"a","v":1}"#), ("b", r#"{"host":"b"}"#)];
    assert_eq!(found.rows, rows.map(|it| (it.0.to_owned(), it.1.to_owned())));
    assert_eq!(found.n_nameless, 1);
    assert!(dispatch.split("{}").is_err());
    assert_eq!(dispatch.key(), None);
    let keyed = step(Code::DispatchToHosts, "ip\n$.ip\n\nrow[in]");
    assert_eq!(keyed.dispatch().unwrap().key(), Some("row[in]"));
    let text = r#"{"data":[]}"#;
    let found = alone(&step(Code::DispatchToHosts, "name\n$.host\n$.data"), text);
    assert_eq!(found, Outcome::Value(Data::text(text)), "the value itself passes");
    let failed = alone(&step(Code::DispatchToHosts, "name\n$.host\n$.data"), "[]");
    assert!(matches!(failed, Outcome::Failed(_)), "{failed:?}");
}

#[test]
fn aggregates_give_one_value_a_period() {
    let mut states = [preprocess::StepState::default()];
    let mut take = |function: &str, clock: i64, value: &str| {
        let steps = [step(Code::AggregateOverTime, &format!("1m\n{function}"))];
        let context = Context { time: Time::from_clock(clock, 0), value_type: ValueType::Float };
        match run(&steps, &mut states, Ok(Data::text(value)), context) {
            Outcome::Value(it) => it.into_text().into_owned(),
            Outcome::Discarded => "-".to_owned(),
            Outcome::Failed(it) => it.text,
        }
    };
    assert_eq!(take("avg", 60, "1"), "-");
    assert_eq!(take("avg", 119, "2"), "-");
    assert_eq!(take("avg", 90, "6"), "-");
    assert_eq!(take("avg", 300, "10"), "3");
    assert_eq!(take("avg", 200, "0.5"), "-");
    assert_eq!(take("min", 360, "1"), "0.5");
    assert_eq!(take("count", 420, "1"), "1");
    assert!(take("avg", 421, "x").contains("cannot aggregate"));
    assert_eq!(take("last", 480, "8"), "-");
    assert_eq!(take("last", 540, "9"), "8");
}
