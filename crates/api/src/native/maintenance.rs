//! When maintenances are in effect, for the calendar of the pages.

use db::objects::maintenance::schedule;
use serde_json::{Value, json};

use super::request::{Params, number};
use crate::error::{ApiError, param};
use crate::objects::hosts::maintenance::{KIND, may_read};
use crate::shared::Ctx;

const DAY_S: i64 = 86_400;
/// The longest range, a little more than a quarter of a year: more fits no page. A longer one is refused.
const RANGE_MAX_S: i64 = 100 * DAY_S;
/// The most periods of an answer: some megabytes as JSON. Further ones are left out, and the answer says so.
const PERIODS_MAX: usize = 50_000;

/// `?from=&until=`, seconds since 1970: the times in that range of each maintenance that the user may see,
/// those of several periods that touch as one. By the rules and the time zone of the server.
pub(super) fn calendar(ctx: &Ctx, params: &Params) -> Result<Value, ApiError> {
    let now = ctx.now.clock();
    let from = number(params, "from", now, i64::MAX)?;
    let until = number(params, "until", from.saturating_add(28 * DAY_S), i64::MAX)?;
    if until <= from || RANGE_MAX_S < until.saturating_sub(from) {
        let why = "a value of 1 second to 100 days after \"from\" is expected";
        return Err(ApiError::field(param("until"), why));
    }
    let (mut listed, mut n, mut is_whole) = (Vec::new(), 0, true);
    let all = ctx.snapshot.documents.of(KIND).filter(|it| may_read(ctx, it));
    for document in all {
        let mut periods = schedule(&document.body).between(from, until, ctx.db().zone());
        if PERIODS_MAX - n < periods.len() {
            periods.truncate(PERIODS_MAX - n);
            is_whole = false;
        }
        n += periods.len();
        if !periods.is_empty() {
            listed.push(json!({"maintenanceid": document.id.to_string(), "periods": periods}));
        }
    }
    Ok(json!({"from": from, "until": until, "complete": is_whole, "maintenances": listed}))
}
