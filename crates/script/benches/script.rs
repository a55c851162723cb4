//! The cost of a script run.

#![allow(clippy::unwrap_used, reason = "a benchmark: a panic is a mistake in it")]

use std::time::Duration;

use divan::{Bencher, black_box};
use script::{Engine, Host, HostRequest, Limits, Script, Scripts};
use wire::http::Response;

fn main() {
    divan::main();
}

/// A host for scripts that use nothing but the clock.
struct Alone;

impl Host for Alone {
    fn now_ns(&self) -> u64 {
        0
    }

    fn sleep(&mut self, _time: Duration) {}

    fn log(&mut self, _level: i32, _text: &str) {}

    fn exchange(&mut self, _request: &HostRequest<'_>) -> Result<Response, String> {
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
