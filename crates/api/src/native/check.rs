//! Checks while a user types: by the same code as when it is saved.

use lang::expression::{BindError, bind};
use lang::global_regexp::Test;
use model::ItemId;
use model::content::RegexpExpression;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::shared::Ctx;

/// The most expressions of one request: each may take some milliseconds. Further ones are ignored.
const EXPRESSIONS_MAX: usize = 100;

fn good() -> Value {
    json!({"ok": true})
}

/// `position` is a byte; browsers count UTF-16 units.
fn bad(text: &str, message: &str, position: usize) -> Value {
    let before = text.char_indices().take_while(|(at, _)| *at < position).map(|(_, it)| it);
    let position: usize = before.map(char::len_utf16).sum();
    json!({"ok": false, "error": {"message": message, "position": position}})
}

fn text<'a>(body: &'a Value, name: &str) -> &'a str {
    body.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A trigger's expression: syntax, functions, and that its items exist.
pub(super) fn expression(ctx: &Ctx, body: &Value) -> Value {
    let expression = text(body, "expression");
    let ast = match lang::expression::parse(expression) {
        Ok(it) => it,
        Err(error) => {
            return bad(expression, &error.to_string(), error.position().unwrap_or(0));
        }
    };
    let snapshot = &ctx.snapshot;
    let found = bind(&ast, &mut Vec::new(), &mut |query| -> Option<ItemId> {
        let holder =
            snapshot.host_named(query.host).or_else(|| snapshot.template_named(query.host))?;
        let holder = Some(holder).filter(|it| ctx.may_read(it))?;
        holder.item_by_key(query.key).map(|it| it.id)
    });
    match found {
        Ok(_) => good(),
        Err(error) => bad(expression, &error.to_string(), position_of(expression, &error)),
    }
}

/// The place of the error.
fn position_of(expression: &str, error: &BindError) -> usize {
    let wanted = match error {
        BindError::Parse(error) => return error.position().unwrap_or(0),
        BindError::UnknownItem { host, key } => format!("/{host}/{key}"),
        BindError::UnknownFunction(name) | BindError::Usage(name) => format!("{name}("),
        BindError::Parameters { function, .. } => format!("{function}("),
        BindError::NoItem | BindError::TooManyFunctions | BindError::NoFunction(_) => return 0,
    };
    expression.find(&wanted).unwrap_or(0)
}

pub(super) fn key(_: &Ctx, body: &Value) -> Value {
    let key = text(body, "key");
    match model::key::ItemKey::parse(key) {
        Ok(_) => good(),
        Err(error) => bad(key, error.what, error.position),
    }
}

pub(super) fn interval(_: &Ctx, body: &Value) -> Value {
    let interval = text(body, "interval");
    match lang::interval::validate(interval) {
        Ok(()) => good(),
        Err(error) => {
            let at = match &error {
                lang::interval::IntervalError::Part(part) => interval.find(part.as_str()),
                lang::interval::IntervalError::Never => None,
            };
            bad(interval, &error.to_string(), at.unwrap_or(0))
        }
    }
}

/// Expressions of a global regular expression on a text: the result of each, and of all together. Each answer
/// is `{"holds": …}` or `{"error": …}`; `holds` of all is null where one has an error.
pub(super) fn regexp(_: &Ctx, body: &Value) -> Value {
    let list = body.get("expressions").and_then(Value::as_array).map(Vec::as_slice);
    let tested = text(body, "text");
    let results = list.unwrap_or_default().iter().take(EXPRESSIONS_MAX).map(|it| holds(it, tested));
    let results: Vec<Result<bool, String>> = results.collect();
    let all = results.iter().try_fold(true, |all, it| Some(all && *it.as_ref().ok()?));
    let each: Vec<Value> = results
        .into_iter()
        .map(|it| match it {
            Ok(holds) => json!({"holds": holds}),
            Err(error) => json!({"error": error}),
        })
        .collect();
    json!({"holds": all, "expressions": each})
}

fn holds(expression: &Value, tested: &str) -> Result<bool, String> {
    let expression = RegexpExpression::deserialize(expression).map_err(|it| it.to_string())?;
    let test = Test::new(&expression).map_err(|it| it.to_string())?;
    test.holds(tested).map_err(|it| it.to_string())
}
