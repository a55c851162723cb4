//! On-call schedules: the permissions to name users, and `oncall.whois`.
//!
//! Every user may read who is on call, names included: that is the purpose of a schedule.

use std::sync::Arc;

use db::objects::Stored;
use db::objects::oncall::{schedule, users_of};
use lang::oncall::OncallShift;
use model::UserId;
use model::document::Document;
use model::field_path::FieldPath;
use serde_json::{Value, json};

use super::action::sees_user;
use crate::error::{ApiError, param};
use crate::json::{Fields, id_of, number};
use crate::method::Method;
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::query;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

const KIND: &str = "oncall";
const DAY: i64 = 86_400;
/// The longest range, two years: calendars show weeks. A longer one is refused.
const RANGE_MAX: i64 = 732 * DAY;
/// The most shifts of one schedule: shifts of an hour over more than the longest range.
const SHIFTS_MAX: usize = 20_000;
const TIME_MAX: i64 = 2_147_483_647;

pub(crate) const SPECIAL: Special = Special { check, candidates, ..Special::NOTHING };

pub(crate) const METHODS: &[Method] = &[Method::read("oncall.whois", whois)];

/// Admins name members of their groups, as in actions. Users who were named before may stay.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    let old = match mode {
        Mode::Create => None,
        Mode::Update => {
            let id = id_of(fields, "oncallid").unwrap_or_default();
            ctx.snapshot.documents.get(KIND, id)
        }
    };
    let before = old.map(|it| users_of(&it.body)).unwrap_or_default();
    let new = users_of(fields);
    let mut named = new.difference(&before);
    match named.find(|it| !sees_user(ctx, **it)) {
        Some(it) => {
            let what = format!("User with ID \"{}\" is not available", it.0);
            Err(ApiError::field(path, &what))
        }
        None => Ok(()),
    }
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let users = get.id_set("userids")?;
    let is_wanted = |it: &Document| {
        let names = |ids: &model::map::Set<u64>| {
            users_of(&it.body).iter().any(|user| ids.contains(&user.0))
        };
        users.as_ref().is_none_or(names)
    };
    let all = ctx.snapshot.documents.of(KIND);
    Ok(all.filter(|it| is_wanted(it)).cloned().collect())
}

fn time(params: &Fields, name: &str, default: i64) -> Result<i64, ApiError> {
    let Some(it) = params.get(name).filter(|it| !it.is_null()) else { return Ok(default) };
    let path = param(name);
    let it =
        validate::number(it).ok_or_else(|| ApiError::field(&path, "an integer is expected"))?;
    if (0..=TIME_MAX).contains(&it) {
        Ok(it)
    } else {
        Err(ApiError::field(&path, &format!("value must be one of 0-{TIME_MAX}")))
    }
}

/// Returns a row a schedule: the user on call now, and the shifts of the requested time.
fn whois(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let none = Fields::new();
    let params = match params {
        Value::Object(it) => it,
        Value::Array(it) if it.is_empty() => &none,
        _ => return Err(ApiError::field(FieldPath::root(), "an array is expected")),
    };
    let known = ["oncallids", "time_from", "time_till"];
    if let Some(name) = params.keys().find(|it| !known.contains(&it.as_str())) {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    let now = ctx.now.clock();
    let from = time(params, "time_from", now)?;
    let till = time(params, "time_till", from + 1)?;
    if till <= from || till - from > RANGE_MAX {
        let what = format!("a time 1-{RANGE_MAX} seconds after \"time_from\" is expected");
        return Err(ApiError::field(param("time_till"), &what));
    }
    let ids = query::ids(params, "oncallids", true)?;
    let mut documents: Vec<&Arc<Document>> = ctx.snapshot.documents.of(KIND).collect();
    documents.retain(|it| ids.as_ref().is_none_or(|ids| ids.contains(&it.id)));
    documents.sort_by_key(|it| it.id);
    documents.into_iter().map(|it| row(ctx, it, (from, till))).collect()
}

fn row(ctx: &Ctx, document: &Document, (from, till): (i64, i64)) -> Result<Value, ApiError> {
    let schedule = schedule(&document.body, ctx.db().zone());
    let shifts = schedule.shifts(from, till, SHIFTS_MAX);
    if shifts.last().is_some_and(|it| it.to < till) {
        let what = format!("a shorter time is expected: it has more than {SHIFTS_MAX} shifts");
        return Err(ApiError::field(param("time_till"), &what));
    }
    let now = schedule.at(ctx.now.clock());
    let shift = |it: &OncallShift| {
        let mut shift = who(ctx, it.who.map(|it| UserId(it.user)));
        let rotation = it.who.and_then(|it| it.rotation).map(|it| number(it + 1));
        shift.insert("rotation".to_owned(), rotation.unwrap_or_else(|| json!("0")));
        let is_override = it.who.is_some_and(|it| it.rotation.is_none());
        shift.insert("override".to_owned(), number(u8::from(is_override)));
        shift.insert("time_from".to_owned(), number(it.from));
        shift.insert("time_till".to_owned(), number(it.to));
        Value::Object(shift)
    };
    Ok(json!({
        "oncallid": number(document.id),
        "name": document.text("name"),
        "timezone": schedule.zone.iana_name().unwrap_or_default(),
        "now": who(ctx, now.map(|it| UserId(it.user))),
        "shifts": shifts.iter().map(shift).collect::<Value>(),
    }))
}

/// A user as the calendar shows one; `userid` 0: no user.
fn who(ctx: &Ctx, user: Option<UserId>) -> Fields {
    let found = user.and_then(|it| ctx.snapshot.access.users.get(&it));
    let text = |it: Option<&str>| Value::from(it.unwrap_or_default());
    let mut fields = Fields::new();
    fields.insert("userid".to_owned(), number(user.map_or(0, |it| it.0)));
    fields.insert("username".to_owned(), text(found.map(|it| it.username.as_str())));
    fields.insert("name".to_owned(), text(found.map(|it| it.name.as_str())));
    fields.insert("surname".to_owned(), text(found.map(|it| it.surname.as_str())));
    fields
}
