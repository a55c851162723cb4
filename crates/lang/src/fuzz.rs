//! Entry points of the fuzz targets (`fuzz/`), which also run over their corpora as ordinary tests.
//!
//! Each takes any bytes and asserts what must hold for any text.

mod lld;
mod net;

pub use lld::lld;
pub use net::net;

use formats::fuzz::{Target, utf8};
use formats::number;
use jiff::tz::TimeZone;
use model::snapshot::LldRow;
use model::value::LogEntry;
use model::{ItemId, Time, ValueType};

use crate::expression::{self, Env, Operand, Operands, Program};
use crate::functions::{
    self, Call, Collected, Foreach, FunctionContext, HourlyTrend, Member, Sample, SampleValue,
    params,
};
use crate::interval::{self, Interval};
use crate::key::{self, ItemKey};
use crate::lld::{EscapeTarget as Place, RowIn, expand_expression, expand_key, expand_text};
use crate::macros::{self, FuncEnv, Resolution, Search};
use crate::time_period::TimePeriod;

/// Names of the targets with their functions.
pub const TARGETS: &[(&str, Target)] = &[
    ("key", key),
    ("expression", expression),
    ("macros", macros),
    ("interval", interval),
    ("net", net),
    ("functions", functions),
    ("numbers", numbers),
    ("lld", lld),
];

fn row() -> LldRow {
    LldRow::new([("{#A}", "a,\"b]\\"), ("{#B}", "1"), ("{#C}", "")])
}

/// Item keys: a key that parses can be replaced and parsed again with the same parameters.
pub fn key(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let Ok(parsed) = ItemKey::parse(text) else {
        let _replaced = key::replace_params(text, &mut |_| None);
        let _oid = key::replace_oid(text, &mut |it| Some(it.to_owned()));
        return;
    };
    let same = key::replace_params(text, &mut |it| Some(it.to_owned()));
    assert_eq!(same.as_deref(), Ok(text), "nothing replaced, nothing changed");
    if let Ok(replaced) = key::replace_params(text, &mut |_| Some("x,y".to_owned())) {
        let again = ItemKey::parse(&replaced).expect("quoted parameters parse");
        assert_eq!(again.params.len(), parsed.params.len());
    }
    let _expanded = expand_key(text, RowIn::new(&row(), &TimeZone::UTC));
}

struct Everything;

impl Operands for Everything {
    fn operand(&self, idx: usize) -> Operand<'_> {
        match idx % 4 {
            0 => Operand::Number(1.5),
            1 => Operand::Unknown("unknown"),
            2 => Operand::UInt(7),
            _ => Operand::Text("3K"),
        }
    }
}

/// Expressions: one that parses compiles or has an error, evaluates, can be stored and rendered back.
pub fn expression(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let zone = TimeZone::UTC;
    let env = Env::new(Time::from_clock(1_700_000_000, 0), &zone);
    let _formula = expression::formula::evaluate(text, 1e-6);
    if let Ok(filter) = expression::Filter::parse(text) {
        let _matches = filter.matches(&mut |it| it.len() % 2 == 0, &mut |it| it.len() % 3 == 0);
        let groups = filter.groups();
        assert!(!groups.formula.is_empty() || groups.groups.is_empty());
    }
    let _call = functions::find_call(text);
    let Ok(ast) = expression::parse(text) else { return };
    assert_eq!(expression::substitute(&ast, &mut |_, _| None), text);
    if let Ok(program) = Program::compile(&ast) {
        let _value = program.eval(&Everything, &env);
        let _truth = program.eval_truth(&Everything, &env);
    }
    let _formula = expression::check(&ast, expression::Usage::Formula);
    let _expanded = expand_expression(text, RowIn::new(&row(), &TimeZone::UTC));
    let mut functions = Vec::new();
    if let Ok(stored) = expression::bind(&ast, &mut functions, &mut |_| Some(ItemId(1))) {
        let mut name = |_| Some(("host".to_owned(), "key".to_owned()));
        let rendered = expression::render(&stored, &functions, &mut name).expect("stored by us");
        expression::parse(&rendered).expect("rendered text parses");
    }
    for call in ast.history_calls() {
        let list: Vec<&str> = ast.call_args(call).collect();
        evaluate_call(ast.call_name(call), ast.query(call), &list.join(","));
    }
}

/// Functions: the first line is the name, the second the query, the third the parameters.
pub fn functions(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or("");
    let (name, query, params) = (line(), line(), line());
    evaluate_call(name, expression::parse_query(query), params);
}

fn evaluate_call(name: &str, query: Option<expression::ItemQuery<'_>>, params: &str) {
    let zone = TimeZone::UTC;
    let now = Time::from_clock(1_700_000_000, 0);
    let log = LogEntry {
        value: "7".to_owned(),
        source: "a".to_owned(),
        timestamp: 1,
        severity: 2,
        logeventid: 3,
    };
    let series = |value: &dyn Fn(u8) -> SampleValue<'static>| -> Vec<Sample<'static>> {
        let time = |it: u8| now.plus_secs((i64::from(it) - 9) * 1_000);
        (0..10).map(|it| Sample { time: time(it), value: value(it) }).collect()
    };
    let floats = series(&|it| SampleValue::Float(f64::from(it % 4) - 1.5));
    let whole = series(&|it| SampleValue::Unsigned(u64::MAX - u64::from(it)));
    let texts = series(&|it| SampleValue::Text(if it % 2 == 0 { "a" } else { "1K" }));
    let logs = [Sample { time: now, value: SampleValue::Log(&log) }];
    if let Ok(call) = Call::parse(name, params) {
        // A period in quotes may not be saved, though it can be read.
        let is_quoted = params::split(params).first().is_some_and(|it| it.quoted);
        let checked = functions::check_parameters(name, params);
        assert!(is_quoted || checked.is_ok(), "what parses is good: {checked:?}");
        let rows = HourlyTrend::from_samples(&floats);
        for (kind, samples) in [
            (ValueType::Float, floats.as_slice()),
            (ValueType::Unsigned, whole.as_slice()),
            (ValueType::Text, texts.as_slice()),
            (ValueType::Log, logs.as_slice()),
            (ValueType::Float, &[]),
        ] {
            let context = FunctionContext::new(now, &zone, kind);
            if let Ok(expression::Value::Number(it)) = call.eval(samples, &context) {
                assert!(!it.is_nan(), "{name}({params})");
            }
            let _trend = call.trend().map(|it| it.eval(&rows, &context));
        }
    }
    let Some(Ok(many)) = query.map(|it| Foreach::parse(name, &it, params)) else { return };
    let mut collected = Collected::default();
    for key in ["k[1]", "k[+Inf]", "k", ""] {
        let member =
            Member { host: "h", is_own_host: false, key, has_tag: &|_| true, in_group: &|_| false };
        let _chosen = many.matches(&member);
        many.add(
            &mut collected,
            key,
            Some(&floats),
            &FunctionContext::new(now, &zone, ValueType::Float),
        );
    }
    let _value = many.finish(collected);
}

/// Numbers, periods, dates and units: a text that is read as a number prints as one.
pub fn numbers(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    if let Some(it) = number::parse_f64(text) {
        assert_eq!(number::parse_f64(&number::format_f64(it)), Some(it));
    }
    if let Some(it) = number::parse_suffixed(text) {
        assert!(it.is_finite());
    }
    let _duration = number::parse_signed_duration_s(text);
    let zone = TimeZone::UTC;
    let now = Time::from_clock(1_700_000_000, 0);
    if let Some(period) = functions::Period::parse(text) {
        let _window = period.window(now, &zone);
    }
    if let Some(period) = functions::TrendPeriod::parse(text) {
        let _hours = period.hours(now.clock(), &zone);
        let _next = period.next_check(now.clock(), &zone);
    }
    let _date = crate::calendar::parse_iso8601(text, &zone);
    for value in [model::Value::Float(-1.5e300), model::Value::Unsigned(u64::MAX)] {
        let _formatted = crate::value::format(&value, text, &[], &zone);
    }
}

/// Macros: tokens lie in the text from left to right; nothing resolved, nothing changed.
pub fn macros(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let everything =
        Search { references: true, expressions: true, object_ids: true, variables: false };
    for search in [everything, Search { variables: true, ..everything }] {
        let mut end = 0;
        for token in macros::tokens(text, search) {
            assert!(token.span.start >= end && token.span.end <= text.len(), "{token:?}");
            assert!(text.get(token.span.clone()).is_some(), "tokens end between characters");
            end = token.span.end;
        }
    }
    let env = FuncEnv::utc();
    let kept = macros::substitute(text, everything, &env, &mut |_, _| Resolution::Keep);
    assert_eq!(kept, text);
    let _values =
        macros::substitute(text, everything, &env, &mut |_, it| Resolution::Value(it.to_owned()));
    let _user = macros::UserMacro::parse_definition(text);
    let _list = params::substitute(text, &mut |it| Some(it.to_owned()));
    for target in [Place::Text, Place::Json, Place::Regexp] {
        let _expanded = expand_text(text, RowIn::new(&row(), &TimeZone::UTC), target);
    }
    if let Some((name, rest)) = text.split_once('\n') {
        let (params, value) = rest.split_once('\n').unwrap_or((rest, ""));
        let _applied = macros::apply(name, params, value, &env);
    }
}

/// Update intervals and periods: the next check lies in the future.
pub fn interval(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let zone = TimeZone::UTC;
    let now = 1_700_000_000;
    let _period = TimePeriod::parse(text).map(|it| it.contains(now, &zone));
    let is_valid = interval::validate(text).is_ok();
    if let Ok(parsed) = Interval::parse(text) {
        assert!(is_valid, "what parses is valid");
        assert!(parsed.next_check(now, 12_345, &zone) > now);
        assert!(parsed.next_check_unreachable(now, &zone) >= now);
    }
}
