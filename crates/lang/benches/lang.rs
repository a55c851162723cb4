//! What the pipeline asks of this crate for each value.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: a panic is a failed test"
)]

use std::time::Duration;

use divan::{Bencher, black_box};
use jiff::tz::TimeZone;
use lang::expression::{Env, Operand, Program, parse};
use lang::json::Doc;
use lang::jsonpath::JsonPath;
use lang::preprocess::Scripts;
use lang::preprocess::{Context, Data, Outcome, Step, StepState, run};
use lang::script::{Engine, Host, Limits, Request, Response, Script};
use lang::{macros, number};
use model::content::{OnFail, PreprocStep, Step as Code};
use model::{Time, ValueType};

fn main() {
    divan::main();
}

fn program(text: &str) -> Program {
    Program::compile(&parse(text).unwrap()).unwrap()
}

#[divan::bench]
fn eval_threshold(bencher: Bencher<'_, '_>) {
    let program = program("last(/h/k)>5");
    let zone = TimeZone::UTC;
    let env = Env::new(Time::from_clock(1_700_000_000, 0), &zone);
    let operands = [Operand::Number(4.5)];
    bencher.bench_local(|| program.eval_truth(black_box(&operands), &env).unwrap());
}

#[divan::bench]
fn eval_threshold_with_macro(bencher: Bencher<'_, '_>) {
    let program = program("avg(/h/k,5m)>{$X}");
    let zone = TimeZone::UTC;
    let env = Env::new(Time::from_clock(1_700_000_000, 0), &zone);
    let operands = [Operand::Number(4.5), Operand::Number(80.0)];
    bencher.bench_local(|| program.eval_truth(black_box(&operands), &env).unwrap());
}

#[divan::bench]
fn eval_two_conditions(bencher: Bencher<'_, '_>) {
    let program = program("(last(/h/a)>{$X} or min(/h/b,5m)*2<10) and nodata(/h/a,5m)=0");
    let zone = TimeZone::UTC;
    let env = Env::new(Time::from_clock(1_700_000_000, 0), &zone);
    let operands =
        [Operand::Number(4.5), Operand::Number(80.0), Operand::Number(4.0), Operand::Number(0.0)];
    bencher.bench_local(|| program.eval_truth(black_box(&operands), &env).unwrap());
}

#[divan::bench]
fn parse_expression() -> bool {
    parse(black_box("avg(/Linux server/system.cpu.load[all,avg1],5m)>{$LOAD}*2 and last(/a/b)=0"))
        .is_ok()
}

const DOC: &str =
    r#"{"status":"ok","data":{"cpu":[{"id":0,"load":1.25},{"id":1,"load":0.5}],"name":"web-1"}}"#;

#[divan::bench]
fn jsonpath_small_document(bencher: Bencher<'_, '_>) {
    let path = JsonPath::parse("$.data.cpu[1].load").unwrap();
    bencher.bench_local(|| path.query_text(black_box(DOC)).unwrap());
}

#[divan::bench]
fn json_parse_small_document() -> usize {
    let doc = Doc::parse(black_box(DOC)).unwrap();
    doc.len(doc.root())
}

fn multiplier() -> [Step; 1] {
    [Step::compile(&PreprocStep {
        kind: Code::Multiplier,
        params: "8".to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    })]
}

const CONTEXT: Context =
    Context { time: Time(1_700_000_000_000_000_000), value_type: ValueType::Float };

#[divan::bench]
fn multiplier_text_to_number(bencher: Bencher<'_, '_>) {
    let steps = multiplier();
    let mut states = [StepState::default()];
    bencher.bench_local(|| {
        match run(&steps, &mut states, Ok(Data::text(black_box("1234.5"))), CONTEXT) {
            Outcome::Value(Data::Float(it)) => it,
            other => panic!("{other:?}"),
        }
    });
}

#[divan::bench]
fn number_to_text(bencher: Bencher<'_, '_>) {
    let mut out = String::with_capacity(32);
    bencher.bench_local(|| {
        out.clear();
        number::write_f64(&mut out, black_box(1234.5678));
        out.len()
    });
}

#[divan::bench]
fn regex_capture(bencher: Bencher<'_, '_>) {
    let regexp = lang::regexp::Regexp::new("load: ([0-9.]+)").unwrap();
    bencher.bench_local(|| regexp.extract(black_box("cpu load: 12.5 %"), r"\1").unwrap());
}

#[divan::bench]
fn tokens_of_an_event_name() -> usize {
    let text = "High load on {HOST.NAME}: {ITEM.LASTVALUE1} (over {$LOAD:\"cpu\"} for 5m)";
    macros::tokens(black_box(text), macros::Search::TEXT).count()
}

/// A script asks for nothing but the clock.
struct Alone;

impl Host for Alone {
    fn now_ns(&self) -> u64 {
        0
    }

    fn sleep(&mut self, _time: Duration) {}

    fn log(&mut self, _level: i32, _text: &str) {}

    fn exchange(&mut self, _request: &Request<'_>) -> Result<Response, String> {
        Err(String::new())
    }

    fn sign(&mut self, _key: &[u8], _data: &[u8]) -> Result<Vec<u8>, String> {
        Err(String::new())
    }
}

fn bench_script(bencher: Bencher<'_, '_>, source: &str, value: &str) {
    let mut engine = Engine::new(Limits::default(), Box::new(Alone)).unwrap();
    let script = Script::new(source);
    bencher.bench_local(|| engine.run(black_box(&script), value).unwrap());
}

#[divan::bench]
fn script_arithmetic(bencher: Bencher<'_, '_>) {
    bench_script(bencher, "return (value - 32) * 5 / 9", "86");
}

#[divan::bench]
fn script_json(bencher: Bencher<'_, '_>) {
    let source = "var d = JSON.parse(value); return JSON.stringify(d.map(function (it) { \
                  return {'{#N}': it.n}; }))";
    bench_script(bencher, source, r#"[{"n":"a","v":1},{"n":"b","v":2},{"n":"c","v":3}]"#);
}

#[divan::bench]
fn script_in_a_context_of_its_own(bencher: Bencher<'_, '_>) {
    bench_script(bencher, "String.prototype.x = 1; return value", "86");
}
