//! The cost of each preprocessing step per value, and of a master's many dependents together.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: a panic is a failed test"
)]

use std::fmt::Write as _;

use divan::{Bencher, black_box};
use model::content::{OnFail, PreprocStep, Step as Code};
use model::{Time, ValueType};
use preprocess::{Context, Data, Outcome, ParsedForms, Step, StepState, run};
use script::NoScripts;

fn main() {
    divan::main();
}

fn step(kind: Code, params: &str) -> Step {
    let step = Step::compile(&PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    });
    assert_eq!(step.error(), None, "{params}");
    step
}

fn context(clock: i64) -> Context {
    Context { time: Time::from_clock(clock, 0), value_type: ValueType::Float }
}

const JSON: &str =
    r#"{"status":"ok","data":{"cpu":[{"id":0,"load":1.25},{"id":1,"load":0.5}],"name":"web-1"}}"#;
const XML: &str = r#"<disks><disk id="1"><name>sda</name><free>10</free></disk><disk id="2"><name>sdb</name><free>20</free></disk></disks>"#;
const CSV: &str = "name,free,used\nsda,10,20\nsdb,\"1,5\",30";
const PROMETHEUS: &str = "# HELP cpu Seconds\n# TYPE cpu counter\ncpu{core=\"0\",mode=\"idle\"} 10\ncpu{core=\"1\",mode=\"idle\"} 30.5\nup 1\n";
const WALK: &str = ".1.3.6.1.2.1.2.2.1.2.1 = STRING: \"eth0\"\n.1.3.6.1.2.1.2.2.1.2.2 = STRING: \"eth1\"\n.1.3.6.1.2.1.2.2.1.10.1 = Counter32: 1000\n.1.3.6.1.2.1.2.2.1.10.2 = Counter32: 2000\n";

/// Name, kind, parameters and value of each measured step.
const STEPS: &[(&str, Code, &str, &str)] = &[
    ("multiplier", Code::Multiplier, "8", "123.5"),
    ("trim", Code::Trim, " ", "  123  "),
    ("regex", Code::Regex, "load: ([0-9.]+)\n\\1", "cpu load: 1.25 of 4"),
    ("bool_to_decimal", Code::BoolToDecimal, "", "running"),
    ("hex_to_decimal", Code::HexToDecimal, "", "FF0A"),
    ("change", Code::SimpleChange, "", "123"),
    ("change_per_second", Code::ChangePerSecond, "", "123"),
    ("in_range", Code::InRange, "0\n1000", "123"),
    ("matches_regex", Code::MatchesRegex, "^[0-9]+$", "123"),
    ("discard_unchanged", Code::DiscardUnchanged, "", "123"),
    ("str_replace", Code::StrReplace, "a\nb", "banana"),
    ("jsonpath", Code::JsonPath, "$.data.cpu[1].load", JSON),
    ("jsonpath_filter", Code::JsonPath, "$.data.cpu[?(@.id==1)].load.first()", JSON),
    ("check_json_error", Code::CheckJsonError, "$.error", JSON),
    ("xpath", Code::XPath, "string(/disks/disk[2]/free)", XML),
    ("xml_to_json", Code::XmlToJson, "", XML),
    ("csv_to_json", Code::CsvToJson, ",\n\"\n1", CSV),
    ("prometheus_pattern", Code::PrometheusPattern, "cpu{core=\"1\"}\nvalue\n", PROMETHEUS),
    ("prometheus_to_json", Code::PrometheusToJson, "cpu", PROMETHEUS),
    ("snmp_walk_value", Code::SnmpWalkValue, ".1.3.6.1.2.1.2.2.1.10.2\n0", WALK),
    (
        "snmp_walk_to_json",
        Code::SnmpWalkToJson,
        "{#NAME}\n.1.3.6.1.2.1.2.2.1.2\n0\n{#IN}\n.1.3.6.1.2.1.2.2.1.10\n0",
        WALK,
    ),
    ("snmp_get_value", Code::SnmpGetValue, "2", "74 65 73 74 20 D1"),
    ("aggregate_over_time", Code::AggregateOverTime, "1m\navg", "123.5"),
    ("filter_json_fields", Code::FilterJsonFields, "keep\n$.data.cpu[*].load", JSON),
];

#[divan::bench(args = STEPS.iter().map(|it| it.0))]
fn one_value(bencher: Bencher<'_, '_>, name: &str) {
    let (_, code, params, value) = STEPS.iter().find(|it| it.0 == name).unwrap();
    let steps = [step(*code, params)];
    let mut states = [StepState::default()];
    let mut clock = 0;
    bencher.bench_local(|| {
        clock += 1;
        run(&steps, &mut states, Ok(Data::text(black_box(*value))), context(clock))
    });
}

/// Dependents of one master.
const N_DEPENDENTS: usize = 1_000;

/// 500 kB: 1,000 objects of some 500 bytes.
fn json_master() -> String {
    let mut out = String::from("{\"items\":[");
    for idx in 0..N_DEPENDENTS {
        let filler = "x".repeat(380);
        let comma = if idx == 0 { "" } else { "," };
        write!(
            out,
            "{comma}{{\"name\":\"disk{idx}\",\"free\":{},\"used\":{}.5,\"tags\":[1,2,3],\"text\":\"{filler}\"}}",
            idx * 7,
            idx * 3
        )
        .unwrap();
    }
    out.push_str("],\"by_name\":{");
    for idx in 0..N_DEPENDENTS {
        let comma = if idx == 0 { "" } else { "," };
        write!(out, "{comma}\"disk{idx}\":{{\"free\":{idx}}}").unwrap();
    }
    out.push_str("}}");
    out
}

/// 500 kB: 5,000 lines of some 100 bytes.
fn prometheus_master() -> String {
    let mut out = String::from("# TYPE pod_status gauge\n");
    for idx in 0..5_000 {
        writeln!(
            out,
            "pod_status{{namespace=\"production\",pod=\"web-{idx:05}\",phase=\"Running\",node=\"node-{:02}\"}} {}",
            idx % 50,
            idx % 2
        )
        .unwrap();
    }
    out
}

fn dependents(path: impl Fn(usize) -> (Code, String)) -> Vec<Step> {
    (0..N_DEPENDENTS).map(path).map(|(code, params)| step(code, &params)).collect()
}

/// The job of a worker for one heavy master.
fn all(text: &str, steps: &[Step]) -> usize {
    let mut shared = ParsedForms::new(text);
    let apply = |it: &Step, shared: &mut ParsedForms<'_>| {
        let done = it.apply_heavy(Data::text(text), context(1), &mut NoScripts, Some(shared));
        done.unwrap().map_or(0, |it| it.len())
    };
    steps.iter().map(|it| apply(it, &mut shared)).sum()
}

/// The baseline: the same text into serde_json's tree.
#[divan::bench]
fn json_500kb_serde(bencher: Bencher<'_, '_>) {
    let text = json_master();
    bencher.bench_local(|| serde_json::from_str::<serde_json::Value>(black_box(&text)).unwrap());
}

#[divan::bench]
fn json_500kb_1000_dependents_by_position(bencher: Bencher<'_, '_>) {
    let text = json_master();
    let steps = dependents(|idx| (Code::JsonPath, format!("$.items[{idx}].free")));
    bencher.bench_local(|| all(black_box(&text), &steps));
}

#[divan::bench]
fn json_500kb_1000_dependents_by_name(bencher: Bencher<'_, '_>) {
    let text = json_master();
    let steps = dependents(|idx| (Code::JsonPath, format!("$.by_name.disk{idx}.free")));
    bencher.bench_local(|| all(black_box(&text), &steps));
}

#[divan::bench]
fn json_500kb_1000_dependents_by_filter(bencher: Bencher<'_, '_>) {
    let text = json_master();
    let path = |idx| format!("$.items[?(@.name == \"disk{idx}\")].used.first()");
    let steps = dependents(|idx| (Code::JsonPath, path(idx)));
    bencher.bench_local(|| all(black_box(&text), &steps));
}

#[divan::bench]
fn prometheus_500kb_1_query(bencher: Bencher<'_, '_>) {
    let text = prometheus_master();
    let query = "pod_status{pod=\"web-00001\"}\nvalue\n";
    let steps = vec![step(Code::PrometheusPattern, query)];
    bencher.bench_local(|| all(black_box(&text), &steps));
}

#[divan::bench]
fn prometheus_500kb_1000_dependents(bencher: Bencher<'_, '_>) {
    let text = prometheus_master();
    let query =
        |idx| format!("pod_status{{namespace=\"production\",pod=\"web-{idx:05}\"}}\nvalue\n");
    let steps = dependents(|idx| (Code::PrometheusPattern, query(idx)));
    bencher.bench_local(|| all(black_box(&text), &steps));
}

#[divan::bench]
fn snmp_walk_500kb_1000_dependents(bencher: Bencher<'_, '_>) {
    let mut text = String::new();
    for idx in 0..10_000 {
        writeln!(text, ".1.3.6.1.2.1.2.2.1.10.{idx} = Counter32: {}", idx * 1_000).unwrap();
    }
    let steps =
        dependents(|idx| (Code::SnmpWalkValue, format!(".1.3.6.1.2.1.2.2.1.10.{}\n0", idx * 10)));
    bencher.bench_local(|| all(black_box(&text), &steps));
}

#[divan::bench]
fn xml_100kb_100_dependents(bencher: Bencher<'_, '_>) {
    let mut text = String::from("<vms>");
    for idx in 0..1_000 {
        write!(
            text,
            "<vm id=\"{idx}\"><name>vm{idx}</name><cpu unit=\"MHz\">{idx}</cpu><on>yes</on></vm>"
        )
        .unwrap();
    }
    text.push_str("</vms>");
    let steps: Vec<Step> = (0..100)
        .map(|idx| step(Code::XPath, &format!("string(/vms/vm[@id='{}']/cpu)", idx * 10)))
        .collect();
    bencher.bench_local(|| all(black_box(&text), &steps));
}

#[divan::bench]
fn multiplier_text_to_number(bencher: Bencher<'_, '_>) {
    let steps = [step(Code::Multiplier, "8")];
    let mut states = [StepState::default()];
    bencher.bench_local(|| {
        match run(&steps, &mut states, Ok(Data::text(black_box("1234.5"))), context(1_700_000_000))
        {
            Outcome::Value(Data::Float(it)) => it,
            other => panic!("{other:?}"),
        }
    });
}
