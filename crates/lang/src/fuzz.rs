//! Entry points of the fuzz targets (`fuzz/`), which also run over their corpora as ordinary tests.
//!
//! Each takes any bytes and asserts what must hold for any text.

use jiff::tz::TimeZone;
use model::{ItemId, Time};

use crate::expression::{self, Env, Operand, Operands, Program};
use crate::functions::{Call, Context, Sample, SampleValue, params};
use crate::interval::{self, Interval};
use crate::json::Doc;
use crate::jsonpath::JsonPath;
use crate::key::{self, ItemKey};
use crate::lld::{self, Row, expand_expression, expand_key, expand_text};
use crate::macros::{self, Answer, FuncEnv, Search};
use crate::time_period::TimePeriod;

/// A target: takes any bytes.
pub type Target = fn(&[u8]);

/// Names of the targets with their functions.
pub const TARGETS: &[(&str, Target)] = &[
    ("key", key),
    ("expression", expression),
    ("macros", macros),
    ("jsonpath", jsonpath),
    ("interval", interval),
];

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn row() -> Row {
    Row::new([("{#A}", "a,\"b]\\"), ("{#B}", "1"), ("{#C}", "")])
}

/// Item keys: what parses can be replaced and parsed again with the same parameters.
pub fn key(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
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
    let _expanded = expand_key(text, &row());
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

/// Expressions: what parses compiles or says why, evaluates, can be stored and rendered back.
pub fn expression(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let zone = TimeZone::UTC;
    let env = Env::new(Time::from_clock(1_700_000_000, 0), &zone);
    let _formula = expression::formula::evaluate(text, 1e-6);
    let _filter = expression::Filter::parse(text);
    let Ok(ast) = expression::parse(text) else { return };
    assert_eq!(expression::substitute(&ast, &mut |_, _| None), text);
    if let Ok(program) = Program::compile(&ast) {
        let _value = program.eval(&Everything, &env);
        let _truth = program.eval_truth(&Everything, &env);
    }
    let _expanded = expand_expression(text, &row());
    let mut functions = Vec::new();
    if let Ok(stored) = expression::bind(&ast, &mut functions, &mut |_| Some(ItemId(1))) {
        let mut name = |_| Some(("host".to_owned(), "key".to_owned()));
        let rendered = expression::render(&stored, &functions, &mut name).expect("stored by us");
        expression::parse(&rendered).expect("rendered text parses");
    }
    for call in ast.history_calls() {
        evaluate_call(&ast, call);
    }
}

fn evaluate_call(ast: &expression::Ast, call: &expression::HistoryCall) {
    let list: Vec<&str> = ast.call_args(call).collect();
    let Ok(parsed) = Call::parse(ast.call_name(call), &list.join(",")) else { return };
    let zone = TimeZone::UTC;
    let now = Time::from_clock(1_700_000_000, 0);
    let samples: Vec<Sample<'_>> = (0..5_u8)
        .map(|it| Sample {
            time: now.plus_secs(i64::from(it) - 4),
            value: SampleValue::Float(f64::from(it)),
        })
        .collect();
    let context = Context::new(now, &zone, model::ValueType::Float);
    let _value = parsed.eval(&samples, &context);
    let _none = parsed.eval(&[], &context);
}

/// Macros: tokens lie in the text from left to right; nothing resolved, nothing changed.
pub fn macros(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
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
    let kept = macros::substitute(text, everything, &env, &mut |_, _| Answer::Keep);
    assert_eq!(kept, text);
    let _values =
        macros::substitute(text, everything, &env, &mut |_, it| Answer::Value(it.to_owned()));
    let _user = macros::UserMacro::parse_definition(text);
    let _list = params::substitute(text, &mut |it| Some(it.to_owned()));
    for target in [lld::Target::Text, lld::Target::Json, lld::Target::Regexp] {
        let _expanded = expand_text(text, &row(), target);
    }
    if let Some((name, rest)) = text.split_once('\n') {
        let (params, value) = rest.split_once('\n').unwrap_or((rest, ""));
        let _applied = macros::apply(name, params, value, &env);
    }
}

/// JSONPath: the first line is the path, the rest the document. Definite paths give one value.
pub fn jsonpath(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (path, json) = text.split_once('\n').unwrap_or((text, "{}"));
    let doc = Doc::parse(json);
    assert_eq!(
        doc.is_ok(),
        serde_json::from_str::<&serde_json::value::RawValue>(json).is_ok() && doc.is_ok(),
        "what we parse is JSON"
    );
    let (Ok(path), Ok(doc)) = (JsonPath::parse(path), doc) else { return };
    let _compact = doc.compact(doc.root());
    let _found = path.query(&doc);
}

/// Update intervals and periods: the next check lies in the future.
pub fn interval(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
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
