//! The calls of the pipeline to this crate for each value.

#![allow(clippy::unwrap_used, reason = "a benchmark: a panic is a mistake in it")]

use divan::{Bencher, black_box};
use jiff::tz::TimeZone;
use lang::expression::{Env, Operand, Program, parse};
use lang::macros;
use model::Time;

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

#[divan::bench]
fn tokens_of_an_event_name() -> usize {
    let text = "High load on {HOST.NAME}: {ITEM.LASTVALUE1} (over {$LOAD:\"cpu\"} for 5m)";
    macros::tokens(black_box(text), macros::Search::TEXT).count()
}
