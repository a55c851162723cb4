//! `history.push`: values for trapper items, and for HTTP agent items that take pushed ones.
//!
//! A value that is not taken is no error of the call: its part of the answer says why, as in Zabbix.

use std::io::Write;
use std::time::Duration;

use db::audit;
use model::field_path::FieldPath;
use model::push::{PushedItem, PushedValue};
use model::snapshot::Host;
use model::{HostId, ItemId, Time};
use serde_json::Value;

use crate::answer::Text;
use crate::error::ApiError;
use crate::json::Fields;
use crate::method::Pushed;
use crate::ports::{PushVerdict, Pusher};
use crate::shared::Ctx;
use crate::validate;

/// The most values of a call: they take some 100 MB on their way then. A call with more is refused.
const VALUES_MAX: usize = 200_000;
/// The last second that Zabbix knows.
pub(super) const CLOCK_MAX: i64 = i32::MAX as i64;

/// A value as it was given.
pub(crate) struct Given<'a> {
    pub(super) item: PushedItem<'a>,
    /// Numbers as text.
    pub(super) value: std::borrow::Cow<'a, str>,
    pub(super) clock: Option<i64>,
    pub(super) ns: Option<u32>,
}

/// Up to this number of values, and of their bytes, a call is handled on the thread that read it: some
/// microseconds a value. Passing it to another thread and waiting there costs four changes of threads.
pub(super) const HERE_VALUES_MAX: usize = 250;
pub(super) const HERE_BYTES_MAX: usize = 64 << 10;

pub(super) const PUSHED: Pushed =
    Pushed { is_small, run: |ctx, params| Box::pin(push(ctx, params)) };

fn is_small(params: &Value) -> bool {
    let Value::Array(list) = params else { return true };
    let bytes = |it: &Value| it.get("value").and_then(Value::as_str).map_or(0, str::len);
    list.len() <= HERE_VALUES_MAX && list.iter().map(bytes).sum::<usize>() <= HERE_BYTES_MAX
}

async fn push(ctx: &Ctx, params: &Value) -> Result<Text, ApiError> {
    take(ctx, &all_given(params)?).await
}

/// The values of parameters.
pub(super) fn all_given(params: &Value) -> Result<Vec<Given<'_>>, ApiError> {
    let list = validate::elements(params, false)
        .ok_or_else(|| ApiError::field(FieldPath::root(), "an array is expected"))?;
    if list.is_empty() {
        return Err(ApiError::field(FieldPath::root(), "cannot be empty"));
    }
    if VALUES_MAX < list.len() {
        let what = format!("the maximum number of values is {VALUES_MAX}");
        return Err(ApiError::field(FieldPath::root(), &what));
    }
    list.into_iter().enumerate().map(|(at, it)| given(it, &FieldPath::object(at))).collect()
}

/// Pushes values; the written answer ends when they are in the journal.
pub(crate) async fn take(ctx: &Ctx, given: &[Given<'_>]) -> Result<Text, ApiError> {
    let values: Vec<PushedValue<'_>> = given
        .iter()
        .map(|it| PushedValue { item: it.item, value: &it.value, clock: it.clock, ns: it.ns })
        .collect();
    let maintained = ctx.db().maintained();
    let may_read = |host: &Host| ctx.may_read(host);
    let is_without_data = |host: HostId, time: Time| {
        maintained.of(host).is_some_and(|it| !it.with_data && it.since <= time.clock())
    };
    let pusher = Pusher {
        peer: ctx.caller.ip.parse().ok(),
        may_read: &may_read,
        is_without_data: &is_without_data,
    };
    let verdicts = ctx.ports().push.push(&values, &pusher).await.map_err(|why| {
        ApiError::new(crate::error::ErrorClass::System, format!("Cannot push values: {why}."))
    })?;
    note(ctx, &verdicts);
    Ok(answer(verdicts))
}

fn note(ctx: &Ctx, verdicts: &[PushVerdict]) {
    if !ctx.snapshot.globals.settings.is_audited {
        return;
    }
    let took_ns = ctx.shared.clock.wall().since_ns(ctx.now);
    let took = Duration::from_nanos(u64::try_from(took_ns).unwrap_or_default());
    let n_failed = verdicts.iter().filter(|it| it.error.is_some()).count();
    let pushed = audit::Pushed { n_processed: verdicts.len() - n_failed, n_failed, took };
    ctx.with_origin(|from| ctx.db().audit().pushed(from, pushed, ctx.now));
}

/// For each value the item, if the user may know of it, and why it was not taken.
fn answer(verdicts: Vec<PushVerdict>) -> Text {
    let mut text = Vec::with_capacity(ANSWER_BYTES + verdicts.len() * VERDICT_BYTES);
    text.extend_from_slice(br#"{"data":["#);
    for (at, verdict) in verdicts.into_iter().enumerate() {
        text.extend_from_slice(if at == 0 { b"{" } else { b",{" });
        if let Some(error) = &verdict.error {
            text.extend_from_slice(br#""error":"#);
            serde_json::to_writer(&mut text, error).expect("memory takes text");
        }
        if let Some(item) = verdict.item {
            let comma = if verdict.error.is_some() { "," } else { "" };
            write!(text, r#"{comma}"itemid":"{}""#, item.0).expect("memory takes text");
        }
        text.push(b'}');
    }
    text.extend_from_slice(br#"],"response":"success"}"#);
    Text::from(text)
}

/// The bytes of an answer, and of each value in it.
const ANSWER_BYTES: usize = 64;
const VERDICT_BYTES: usize = 32;

const KNOWN: &[&str] = &["itemid", "host", "key", "value", "clock", "ns"];

fn given<'a>(value: &'a Value, path: &FieldPath) -> Result<Given<'a>, ApiError> {
    let Value::Object(fields) = value else {
        return Err(ApiError::field(path, "an array is expected"));
    };
    if let Some(name) = fields.keys().find(|it| !KNOWN.contains(&it.as_str())) {
        return Err(ApiError::unexpected(path, name));
    }
    let id = fields.get("itemid").map(|id| {
        let is_scalar = id.is_string() || id.is_number();
        let id = validate::number(id).filter(|_| is_scalar).and_then(|it| u64::try_from(it).ok());
        id.ok_or_else(|| ApiError::field(path.member("itemid"), "a number is expected"))
    });
    let id = id.transpose()?;
    // as far as they are given: whether they have to be is judged last
    let named = [name(fields, "host", path)?, name(fields, "key", path)?];
    let value = of_item(fields, path)?;
    let clock = match fields.get("clock") {
        Some(it) => {
            let clock = validate::timestamp(it);
            Some(clock.map_err(|what| ApiError::field(path.member("clock"), what))?)
        }
        None => None,
    };
    let ns = match fields.get("ns") {
        Some(it) => Some(nanoseconds(it, &path.member("ns"))?),
        None => None,
    };
    let item = match (id, named) {
        (Some(_), [Some(_), _]) => return Err(ApiError::unexpected(path, "host")),
        (Some(_), [_, Some(_)]) => return Err(ApiError::unexpected(path, "key")),
        (Some(id), _) => PushedItem::Id(ItemId(id)),
        (None, [Some(host), Some(key)]) => PushedItem::Key { host, key },
        (None, [None, _]) => return Err(ApiError::missing(path, "host")),
        (None, [_, None]) => return Err(ApiError::missing(path, "key")),
    };
    if ns.is_some() && clock.is_none() {
        return Err(ApiError::unexpected(path, "ns"));
    }
    Ok(Given { item, value, clock, ns: ns.and_then(|it| it.try_into().ok()) })
}

/// A text that is not empty, if it is given.
fn name<'a>(fields: &'a Fields, name: &str, path: &FieldPath) -> Result<Option<&'a str>, ApiError> {
    let wrong = |what: &str| Err(ApiError::field(path.member(name), what));
    match fields.get(name) {
        None => Ok(None),
        Some(Value::String(it)) if it.is_empty() => wrong("cannot be empty"),
        Some(Value::String(it)) => Ok(Some(it)),
        Some(_) => wrong("a character string is expected"),
    }
}

/// The value itself: a text or a number.
fn of_item<'a>(
    fields: &'a Fields,
    path: &FieldPath,
) -> Result<std::borrow::Cow<'a, str>, ApiError> {
    match fields.get("value") {
        None => Err(ApiError::missing(path, "value")),
        Some(Value::String(it)) => Ok(it.as_str().into()),
        Some(Value::Number(it)) => Ok(it.to_string().into()),
        Some(_) => {
            let what = "a character string, integer or floating point value is expected";
            Err(ApiError::field(path.member("value"), what))
        }
    }
}

fn nanoseconds(given: &Value, path: &FieldPath) -> Result<i64, ApiError> {
    let given = validate::integer(given).map_err(|what| ApiError::field(path, what))?;
    if !(0..=999_999_999).contains(&given) {
        return Err(ApiError::field(path, "value must be one of 0-999999999"));
    }
    Ok(given)
}
