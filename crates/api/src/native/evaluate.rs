//! An expression evaluated now, saved or not: its value, and those of its functions and parts.

use std::ops::Range;
use std::sync::Arc;

use formats::number::parse_suffixed;
use lang::expression::{
    Ast, Env, HistoryCall, ItemQuery, NodeKind, Operand, OperandRef, Program, Value as Computed,
    parse,
};
use lang::functions::{self, Call, Foreach, Needs, Sample as Known, error_text};
use lang::lld::{RowIn, expand_expression};
use model::map::Map;
use model::snapshot::{HolderKind, Host, ItemRow};
use model::value::Sample;
use model::{ItemId, Time};
use serde_json::{Value, json};

use super::editable::editable;
use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, param};
use crate::json::{Fields, item_value, str_of};
use crate::objects::common::parts::LONG;
use crate::objects::common::resolve::HostMacros;
use crate::ports::{RangeQuery, TrialFunction, TrialQuery};
use crate::shared::Ctx;
use crate::validate::object_at_root;

/// The parameters of `POST /api/v1/test/expression`.
pub(crate) const REQUEST: &[Field] = &[
    Field::new("hostid", FieldType::Id, Rule::Required, "Host of the trigger or calculated item"),
    Field::new("expression", LONG, Rule::Required, "Expression or formula, as it is typed"),
    Field::new("recovery_expression", LONG, Rule::Default(""), "With recovery mode 1"),
];

/// The most values that one function reads: bounds time and memory. A function that needs more is an error.
const VALUES_MAX: usize = 100_000;
/// Newest values of a function that the answer shows.
const SHOWN_MAX: usize = 10;
/// Parts whose values are shown: bounds the answer. Of a longer expression only the whole is shown.
const PARTS_MAX: usize = 200;

pub(super) fn run(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(REQUEST, body)?;
    let holder = editable(ctx, &fields)?;
    let mut evaluator = Evaluator {
        ctx,
        holder,
        macros: HostMacros::lazy(ctx, holder),
        zone: ctx.db().zone(),
        calls: Map::default(),
        order: Vec::new(),
    };
    let expression = evaluator.whole(&fields, "expression")?;
    let recovery = match str_of(&fields, "recovery_expression") {
        "" => Value::Null,
        _ => evaluator.whole(&fields, "recovery_expression")?,
    };
    let functions = evaluator.functions();
    Ok(json!({
        "clock": ctx.now.clock(),
        "expression": expression,
        "recovery_expression": recovery,
        "functions": functions,
    }))
}

/// The present result of a calculated item's formula, and its functions as `POST /test/expression` shows
/// them. User macros are those of the second host: the first one with the given values.
///
/// # Errors
/// If it is no formula.
pub(super) fn formula(
    ctx: &Ctx,
    (holder, edited): (&Arc<Host>, &Host),
    item: &ItemRow,
) -> Result<(Result<String, String>, Vec<Value>), ApiError> {
    let wrong = |error: String| ApiError::field(param("item").member("params"), &error);
    let zone = ctx.db().zone();
    let written = item.content.params.as_str();
    let expanded =
        item.discovered().map(|it| expand_expression(written, RowIn::new(&it.row, zone)));
    let text = expanded.transpose().map_err(|error| wrong(error.to_string()))?;
    let ast = parse(text.as_deref().unwrap_or(written)).map_err(|it| wrong(it.to_string()))?;
    let mut evaluator = Evaluator {
        ctx,
        holder,
        macros: HostMacros::lazy(ctx, edited),
        zone,
        calls: Map::default(),
        order: Vec::new(),
    };
    let outcome = evaluator.outcome(&ast).map(|it| it.to_string());
    Ok((outcome, evaluator.functions()))
}

/// Functions that labels of maps may use: each is one look into history.
const IN_TEXTS: [&str; 4] = ["avg", "last", "max", "min"];

/// The value of an expression macro in a text, as people read it; `None`: it has none, or none that the
/// caller may see. `holder` is the host that an empty one refers to.
pub(super) fn in_text(ctx: &Ctx, holder: Option<&Arc<Host>>, written: &str) -> Option<String> {
    let ast = parse(written).ok()?;
    let calls = ast.history_calls();
    if !calls.iter().all(|it| IN_TEXTS.contains(&ast.call_name(it))) {
        return None;
    }
    let first = calls.first().and_then(|it| ast.query(it));
    let named = || first.as_ref().and_then(|it| ctx.snapshot.host_named(it.host));
    let holder = holder.or_else(named).filter(|it| ctx.may_read(it))?;
    let mut evaluator = Evaluator {
        ctx,
        holder,
        macros: HostMacros::lazy(ctx, holder),
        zone: ctx.db().zone(),
        calls: Map::default(),
        order: Vec::new(),
    };
    let value = evaluator.outcome(&ast).ok()?;
    // With one function the value is one of its item and has its units.
    let item = match (calls, ast.nodes().last().map(|it| it.kind)) {
        ([call], Some(NodeKind::HistoryCall)) => evaluator.item(&ast, call).ok(),
        _ => None,
    };
    let Some((host, row)) = item else { return Some(value.to_string()) };
    let of_item = match value {
        Computed::Number(it) => model::Value::Float(it),
        Computed::UInt(it) => model::Value::Unsigned(it),
        Computed::Text(it) => model::Value::Text(it.into()),
        Computed::Vector(_) => return None,
    };
    let map = ctx.snapshot.value_map(host, row);
    let map = map.map(|it| it.mappings.as_slice()).unwrap_or_default();
    let content = &row.content;
    let zone = ctx.db().zone();
    Some(lang::value::on_pages(&of_item, content.value_type, &content.units, map, zone))
}

type Outcome = Result<Computed, String>;

/// A function over an item's history, as it is now.
struct Evaluated {
    outcome: Outcome,
    answer: Value,
}

struct Evaluator<'a> {
    ctx: &'a Ctx,
    holder: &'a Arc<Host>,
    macros: HostMacros<'a>,
    zone: &'a jiff::tz::TimeZone,
    /// By their text: a function written twice is computed once.
    calls: Map<String, Evaluated>,
    order: Vec<String>,
}

impl<'a> Evaluator<'a> {
    /// An expression with its parts.
    fn whole(&mut self, fields: &Fields, name: &str) -> Result<Value, ApiError> {
        let text = str_of(fields, name);
        let ast = parse(text).map_err(|error| ApiError::field(param(name), &error.to_string()))?;
        let outcome = self.outcome(&ast);
        let number = outcome.as_ref().ok().and_then(number_of);
        let mut parts = Vec::new();
        for span in spans(&ast) {
            let part = text.get(span.clone()).unwrap_or_default();
            let Ok(sub) = parse(part) else { continue };
            let (value, error) = value_and_error(&self.outcome(&sub));
            let units = |at: usize| {
                text.get(..at).map_or(0, |it| it.chars().map(char::len_utf16).sum::<usize>())
            };
            let (from, to) = (units(span.start), units(span.end));
            parts.push(json!({
                "text": part, "from": from, "to": to, "value": value, "error": error,
            }));
        }
        let (value, error) = value_and_error(&outcome);
        Ok(json!({
            "text": text, "value": value, "error": error,
            "is_true": number.map(|it| it.abs() > formats::number::EPSILON), "parts": parts,
        }))
    }

    /// Those that were computed, in their order.
    fn functions(&self) -> Vec<Value> {
        self.order.iter().filter_map(|it| Some(self.calls.get(it)?.answer.clone())).collect()
    }

    fn outcome(&mut self, ast: &Ast) -> Outcome {
        let program = Program::compile(ast).map_err(|error| error.to_string())?;
        let values: Vec<Outcome> =
            program.operands().iter().map(|it| self.operand(ast, it)).collect();
        let operands: Vec<Operand<'_>> = values.iter().map(operand).collect();
        let regexps = &self.ctx.snapshot.globals.regexps;
        let env = Env { regexps, ..Env::new(self.ctx.now, self.zone) };
        program.eval(&operands, &env).map_err(|error| error.to_string())
    }

    fn operand(&mut self, ast: &Ast, operand: &OperandRef) -> Outcome {
        match operand {
            OperandRef::HistoryCall(at) => match ast.history_calls().get(*at) {
                Some(call) => self.history(ast, call),
                None => Err("Cannot evaluate expression: unexpected function".to_owned()),
            },
            OperandRef::UserMacro(it) | OperandRef::Macro(it) | OperandRef::Compound(it) => {
                let value = self.macros.text(it);
                if value == *it {
                    return Err(format!("Cannot evaluate expression: unknown user macro \"{it}\""));
                }
                Ok(parse_suffixed(&value).map_or(Computed::Text(value), Computed::Number))
            }
            OperandRef::Call { name, .. } => Err(format!("Cannot evaluate function {name}()")),
            OperandRef::Function(_) => {
                Err("Cannot evaluate expression: unexpected function".to_owned())
            }
        }
    }

    fn history(&mut self, ast: &Ast, call: &HistoryCall) -> Outcome {
        let text = ast.text().get(call.span.clone()).unwrap_or_default().to_owned();
        if let Some(known) = self.calls.get(&text) {
            return known.outcome.clone();
        }
        let evaluated = self.evaluated(ast, call, &text);
        let outcome = evaluated.outcome.clone();
        self.order.push(text.clone());
        self.calls.insert(text, evaluated);
        outcome
    }

    /// A function over many items.
    fn over_many(&self, ast: &Ast, call: &HistoryCall, text: &str, parameters: &str) -> Evaluated {
        let name = ast.call_name(call);
        let outcome = self
            .cross_item(ast, call, parameters)
            .map_err(|error| format!("Cannot evaluate function {name}(): {error}."));
        let n_values = match &outcome {
            Ok(Computed::Vector(it)) => it.len(),
            outcome => usize::from(outcome.is_ok()),
        };
        let (value, error) = value_and_error(&outcome);
        let answer = json!({
            "text": text, "function": name, "parameters": parameters,
            "itemid": null, "host": null, "key_": null, "name": null,
            "value": value, "error": error, "n_values": n_values, "values": [],
        });
        Evaluated { outcome, answer }
    }

    fn cross_item(&self, ast: &Ast, call: &HistoryCall, parameters: &str) -> Outcome {
        let query = ast.query(call).ok_or("incorrect item reference")?;
        let is_own = query.host == "{HOST.HOST}" || query.host == &*self.holder.host;
        let host = if is_own { "" } else { query.host };
        if host.is_empty() && self.holder.kind == HolderKind::Template {
            return Err("a template has no values".to_owned());
        }
        let (key, filter) = (self.macros.text(query.key), self.macros.text(query.filter));
        let query = ItemQuery { host, key: &key, filter: &filter };
        let regexps = &self.ctx.snapshot.globals.regexps;
        let function = Foreach::parse_with(ast.call_name(call), &query, parameters, regexps);
        let function = Arc::new(function.map_err(|error| error.to_string())?);
        self.evaluate_query(TrialFunction::Many(self.holder.id, function))
    }

    fn evaluate_query(&self, what: TrialFunction) -> Outcome {
        let query = TrialQuery { time: self.ctx.now, what };
        self.ctx.ports().trials.evaluate(&query).map_err(|error| error.to_string()).flatten()
    }

    fn evaluated(&self, ast: &Ast, call: &HistoryCall, text: &str) -> Evaluated {
        let name = ast.call_name(call);
        let written: Vec<&str> = ast.call_args(call).collect();
        let parameters = self.macros.text(&written.join(","));
        if functions::find(name).is_some_and(|it| it.kind == functions::FunctionKind::Foreach) {
            return self.over_many(ast, call, text, &parameters);
        }
        let mut seen = Vec::new();
        let found = self.item(ast, call);
        let outcome = match &found {
            Ok((host, row)) => self
                .computed((name, &parameters), row, &mut seen)
                .map_err(|error| error_text(name, &host.host, &row.key(), &parameters, &error)),
            Err(error) => Err(error.clone()),
        };
        let (value, error) = value_and_error(&outcome);
        let of = found.as_ref().ok();
        let newest = seen.iter().rev().take(SHOWN_MAX);
        let values: Vec<Value> = newest
            .map(|it| {
                let (clock, ns) = (it.time.clock(), it.time.ns());
                json!({"clock": clock, "ns": ns, "value": item_value(&it.value)})
            })
            .collect();
        let answer = json!({
            "text": text, "function": name, "parameters": parameters,
            "itemid": of.map(|(_, row)| row.id.to_string()),
            "host": of.map(|(host, _)| host.host.to_string()),
            "key_": of.map(|(_, row)| row.key()),
            "name": of.map(|(host, row)| crate::objects::common::resolve::name(self.ctx, host, row)),
            "value": value, "error": error, "n_values": seen.len(), "values": values,
        });
        Evaluated { outcome, answer }
    }

    /// The item of a function; an empty host is the edited one.
    fn item(&self, ast: &Ast, call: &HistoryCall) -> Result<(&'a Arc<Host>, &'a ItemRow), String> {
        let snapshot = &self.ctx.snapshot;
        let wrong = || format!("Cannot evaluate function {}()", ast.call_name(call));
        let query = ast.query(call).ok_or_else(wrong)?;
        let holder = match query.host {
            "" | "{HOST.HOST}" => Some(self.holder),
            name => snapshot.host_named(name).or_else(|| snapshot.template_named(name)),
        };
        let holder = holder.filter(|it| self.ctx.may_read(it));
        let found = holder.and_then(|it| Some((it, it.item_by_key(query.key)?)));
        found.ok_or_else(|| {
            let host = if query.host.is_empty() { &self.holder.host } else { query.host };
            let (name, key) = (ast.call_name(call), query.key);
            format!("Cannot evaluate function {name}(): item \"/{host}/{key}\" does not exist.")
        })
    }

    fn computed(
        &self,
        (name, parameters): (&str, &str),
        row: &ItemRow,
        seen: &mut Vec<Sample>,
    ) -> Result<Computed, String> {
        let call = Call::parse_with(name, parameters, &self.ctx.snapshot.globals.regexps)
            .map_err(|error| error.to_string())?;
        let now = self.ctx.now;
        if call.trend().is_some() {
            if self.ctx.ports().live.is_unsupported(row.id) {
                return Err("item is not supported".to_owned());
            }
            return self.evaluate_query(TrialFunction::Trend(row.id, row.content.value_type, call));
        }
        let window = call.period().window(now, self.zone);
        let end = window.ok_or("invalid second parameter")?.end;
        let (from, limit) = match call.needs() {
            Needs::Values(n) => (Time(i64::MIN), n),
            Needs::Seconds(seconds) => {
                (Time(end.plus_secs(-seconds).0.saturating_add(1)), VALUES_MAX + 1)
            }
        };
        if limit > VALUES_MAX && matches!(call.needs(), Needs::Values(_)) {
            return Err(format!("more than {VALUES_MAX} values cannot be tested"));
        }
        *seen = self.read(row, (from, end), limit)?;
        if seen.len() > VALUES_MAX {
            return Err(format!("more than {VALUES_MAX} values cannot be tested"));
        }
        if name != "nodata" && self.ctx.ports().live.is_unsupported(row.id) {
            return Err("item is not supported".to_owned());
        }
        let known: Vec<Known<'_>> =
            seen.iter().map(|it| Known { time: it.time, value: (&it.value).into() }).collect();
        let context = functions::FunctionContext::new(now, self.zone, row.content.value_type);
        call.eval(&known, &context).map_err(|error| error.to_string())
    }

    /// Oldest first.
    fn read(
        &self,
        row: &ItemRow,
        (from, till): (Time, Time),
        limit: usize,
    ) -> Result<Vec<Sample>, String> {
        let query = RangeQuery {
            item: ItemId(row.id.0),
            kind: row.content.value_type,
            from,
            till,
            limit,
            newest_first: true,
        };
        let mut found =
            self.ctx.ports().history.range(&query).map_err(|error| error.to_string())?;
        found.reverse();
        Ok(found)
    }
}

fn operand(value: &Outcome) -> Operand<'_> {
    match value {
        Ok(Computed::Number(it)) => Operand::Number(*it),
        Ok(Computed::UInt(it)) => Operand::UInt(*it),
        Ok(Computed::Text(it)) => Operand::Text(it),
        Ok(Computed::Vector(it)) => Operand::Vector(it),
        Err(why) => Operand::Unknown(why),
    }
}

fn number_of(value: &Computed) -> Option<f64> {
    match value {
        Computed::Number(it) => Some(*it),
        Computed::UInt(it) => Some(formats::number::u64_to_f64(*it)),
        Computed::Text(it) => parse_suffixed(it),
        Computed::Vector(_) => None,
    }
}

/// Value or error.
fn value_and_error(outcome: &Outcome) -> (Option<String>, Option<String>) {
    match outcome {
        Ok(it) => (Some(it.to_string()), None),
        Err(it) => (None, Some(it.clone())),
    }
}

/// The spans of an expression's parts that have a value of their own, innermost first: functions, macros and
/// operators. Numbers and texts are left out: they show their value themselves.
fn spans(ast: &Ast) -> Vec<Range<usize>> {
    let mut stack: Vec<Range<usize>> = Vec::new();
    let mut spans = Vec::new();
    let mut calls = ast.history_calls().iter();
    for node in ast.nodes() {
        let own = node.range();
        let n_args = match node.kind {
            NodeKind::Op(lang::expression::Op::Neg | lang::expression::Op::Not) => 1,
            NodeKind::Op(_) => 2,
            NodeKind::Call | NodeKind::HistoryCall => usize::try_from(node.n_args).unwrap_or(0),
            _ => 0,
        };
        let args = stack.split_off(stack.len().saturating_sub(n_args));
        let mut span =
            args.iter().fold(own, |all, it| all.start.min(it.start)..all.end.max(it.end));
        match node.kind {
            NodeKind::HistoryCall => span = calls.next().map_or(span, |it| it.span.clone()),
            NodeKind::Call | NodeKind::Op(_) => span = balanced(ast, span),
            _ => {}
        }
        let is_literal = matches!(
            node.kind,
            NodeKind::Number
                | NodeKind::String
                | NodeKind::Query
                | NodeKind::Period
                | NodeKind::Null
        );
        if !is_literal {
            spans.push(span.clone());
        }
        stack.push(span);
    }
    // The last one is the whole.
    spans.pop();
    if spans.len() > PARTS_MAX { Vec::new() } else { spans }
}

/// The span with the parentheses that its own ones lack.
fn balanced(ast: &Ast, span: Range<usize>) -> Range<usize> {
    let text = ast.text().as_bytes();
    // Inside of operands parentheses are text.
    let operands: Vec<Range<usize>> = ast
        .nodes()
        .iter()
        .filter(|it| !matches!(it.kind, NodeKind::Op(_) | NodeKind::Call | NodeKind::HistoryCall))
        .map(lang::expression::Node::range)
        .collect();
    let is_text = |at: usize| operands.iter().any(|it| it.contains(&at));
    let paren = |at: usize| text.get(at).copied().filter(|_| !is_text(at));
    let (mut start, mut end) = (span.start, span.end);
    let (mut open, mut missing) = (0_usize, 0_usize);
    for at in start..end {
        match paren(at) {
            Some(b'(') => open += 1,
            Some(b')') if open == 0 => missing += 1,
            Some(b')') => open -= 1,
            _ => {}
        }
    }
    while missing > 0 && start > 0 {
        start -= 1;
        missing -= usize::from(paren(start) == Some(b'('));
    }
    while open > 0 && end < text.len() {
        open -= usize::from(paren(end) == Some(b')'));
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_spans_with_a_value() {
        for (text, expected) in [
            ("last(/h/k)>1", &["last(/h/k)"][..]),
            ("(last(/h/k[(])+1)*2>0", &["last(/h/k[(])", "last(/h/k[(])+1", "(last(/h/k[(])+1)*2"]),
            (
                "abs(last(/h/k)-1)>{$X} and not (max(/h/k,5m)=\")\")",
                &[
                    "last(/h/k)",
                    "last(/h/k)-1",
                    "abs(last(/h/k)-1)",
                    "{$X}",
                    "abs(last(/h/k)-1)>{$X}",
                    "max(/h/k,5m)",
                    "max(/h/k,5m)=\")\"",
                    "not (max(/h/k,5m)=\")\")",
                ],
            ),
        ] {
            let ast = parse(text).expect("an expression");
            let parts: Vec<&str> = spans(&ast).into_iter().filter_map(|it| text.get(it)).collect();
            assert_eq!(parts, expected, "{text}");
        }
    }
}
