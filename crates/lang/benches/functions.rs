//! The cost of functions over an item's history: each over windows of 10, 100 and 1,000 values.

#![allow(clippy::unwrap_used, reason = "a benchmark: a panic is a mistake in it")]

use std::fmt;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use jiff::tz::TimeZone;
use lang::functions::{
    Call, Collected, Foreach, FunctionContext, HourlyTrend, Sample, SampleValue,
};
use model::{Time, ValueType, value::LogEntry};

/// Windows, in values.
const SIZES: [usize; 3] = [10, 100, 1_000];
const NOW: Time = Time(1_704_844_800_000_000_000);

fn main() {
    divan::main();
}

/// A function with its parameters; `#N` is replaced by the size of the window.
struct Case(&'static str, &'static str, ValueType);

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.0, self.1)
    }
}

const FLOAT: ValueType = ValueType::Float;
const CASES: &[Case] = &[
    Case("avg", "#N", FLOAT),
    Case("avg", "#N", ValueType::Unsigned),
    Case("bitand", "#N,255", ValueType::Unsigned),
    Case("change", "", FLOAT),
    Case("changecount", "#N", FLOAT),
    Case("count", "#N", FLOAT),
    Case("count", "#N,\"gt\",50", FLOAT),
    Case("count", "#N,\"like\",\"7\"", ValueType::Text),
    Case("count", "#N,\"regexp\",\"va.*7\"", ValueType::Text),
    Case("countunique", "#N", FLOAT),
    Case("find", "#N,\"like\",\"none\"", ValueType::Text),
    Case("find", "#N,\"regexp\",\"no.*ne\"", ValueType::Text),
    Case("first", "1h", FLOAT),
    Case("forecast", "#N,1h", FLOAT),
    Case("forecast", "#N,1h,\"polynomial3\",\"max\"", FLOAT),
    Case("forecast", "#N,1h,\"exponential\",\"avg\"", FLOAT),
    Case("fuzzytime", "60s", ValueType::Unsigned),
    Case("kurtosis", "#N", FLOAT),
    Case("last", "#N", FLOAT),
    Case("logseverity", "", ValueType::Log),
    Case("mad", "#N", FLOAT),
    Case("max", "#N", FLOAT),
    Case("min", "#N", FLOAT),
    Case("monoinc", "#N", FLOAT),
    Case("nodata", "5m", FLOAT),
    Case("percentile", "#N,95", FLOAT),
    Case("rate", "1h", FLOAT),
    Case("skewness", "#N", FLOAT),
    Case("stddevpop", "#N", FLOAT),
    Case("stddevsamp", "#N", FLOAT),
    Case("sum", "#N", FLOAT),
    Case("sumofsquares", "#N", FLOAT),
    Case("timeleft", "#N,1000", FLOAT),
    Case("timeleft", "#N,1000,\"polynomial3\"", FLOAT),
    Case("varpop", "#N", FLOAT),
    Case("varsamp", "#N", FLOAT),
];

/// Values that go up and down, some equal.
fn number(idx: usize) -> u32 {
    u32::try_from(idx * 7 % 101).unwrap()
}

struct Owned {
    texts: Vec<String>,
    logs: Vec<LogEntry>,
}

impl Owned {
    fn new(n: usize) -> Self {
        let texts: Vec<String> = (0..n).map(|it| format!("value {}", number(it))).collect();
        let log = |it: &String| LogEntry {
            value: it.clone(),
            source: "source".to_owned(),
            timestamp: 0,
            severity: 4,
            logeventid: 7,
        };
        Self { logs: texts.iter().map(log).collect(), texts }
    }

    fn samples(&self, kind: ValueType) -> Vec<Sample<'_>> {
        let n = i64::try_from(self.texts.len()).unwrap();
        let value = |idx: usize| match kind {
            ValueType::Float => SampleValue::Float(f64::from(number(idx)) + 0.5),
            ValueType::Unsigned => SampleValue::Unsigned(u64::from(number(idx))),
            ValueType::Log => SampleValue::Log(&self.logs[idx]),
            _ => SampleValue::Text(&self.texts[idx]),
        };
        let time = |idx: usize| NOW.plus_secs(i64::try_from(idx).unwrap() + 1 - n);
        (0..self.texts.len()).map(|idx| Sample { time: time(idx), value: value(idx) }).collect()
    }
}

#[divan::bench(args = CASES, consts = SIZES)]
fn history<const N: usize>(bencher: Bencher<'_, '_>, case: &Case) {
    let call = Call::parse(case.0, &case.1.replace("#N", &format!("#{N}"))).unwrap();
    let owned = Owned::new(N);
    let samples = owned.samples(case.2);
    let zone = TimeZone::UTC;
    let context = FunctionContext::new(NOW, &zone, case.2);
    call.eval(&samples, &context).unwrap();
    bencher
        .counter(ItemsCount::new(N))
        .bench_local(|| call.eval(black_box(&samples), black_box(&context)));
}

const TRENDS: &[Case] = &[
    Case("trendavg", "1000h:now/h", FLOAT),
    Case("trendmax", "1000h:now/h", FLOAT),
    Case("baselinedev", "1h:now/h,\"d\",40", FLOAT),
    Case("baselinewma", "1h:now/h,\"d\",40", FLOAT),
    Case("trendstl", "1000h:now/h,100h,24h", FLOAT),
];

/// Over 1,000 hours.
#[divan::bench(args = TRENDS)]
fn trends(bencher: Bencher<'_, '_>, case: &Case) {
    let call = Call::parse(case.0, case.1).unwrap();
    let row = |idx: usize| HourlyTrend {
        clock: NOW.clock() - i64::try_from(1_000 - idx).unwrap() * 3_600,
        min: 0.0,
        avg: f64::from(number(idx)),
        max: 200.0,
        num: 60,
    };
    let rows: Vec<HourlyTrend> = (0..1_000).map(row).collect();
    let zone = TimeZone::UTC;
    let context = FunctionContext::new(NOW, &zone, FLOAT);
    let trend = call.trend().unwrap();
    trend.eval(&rows, &context).unwrap();
    bencher
        .counter(ItemsCount::new(rows.len()))
        .bench_local(|| trend.eval(black_box(&rows), black_box(&context)));
}

/// One item's part of a function over many, and putting 1,000 of them together.
#[divan::bench]
fn foreach_of_1000_items(bencher: Bencher<'_, '_>) {
    let query = lang::expression::parse_query("/*/k[*]").unwrap();
    let function = Foreach::parse("last_foreach", &query, "5m").unwrap();
    let owned = Owned::new(10);
    let samples = owned.samples(FLOAT);
    let zone = TimeZone::UTC;
    let context = FunctionContext::new(NOW, &zone, FLOAT);
    bencher.counter(ItemsCount::new(1_000_usize)).bench_local(|| {
        let mut collected = Collected::default();
        for _ in 0..1_000 {
            function.add(&mut collected, "k[1]", Some(black_box(&samples)), &context);
        }
        function.finish(collected)
    });
}
