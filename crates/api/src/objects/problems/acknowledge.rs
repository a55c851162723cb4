//! `event.acknowledge`: updates of problems by users.

use std::sync::Arc;

use db::events::action;
use db::{Acknowledgement, Problem};
use model::EventId;
use model::content::RoleAction;
use model::field_path::FieldPath;
use model::map::Set;
use serde_json::{Map, Value};

use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, param};
use crate::json;
use crate::objects::common::crud;
use crate::objects::common::triggers;
use crate::objects::problems::visibility::{
    is_visible, readable_problem, readable_problems, visible_trigger,
};
use crate::shared::Ctx;
use crate::validate;

const TEXT: FieldType = FieldType::Text { max: 2_048 };
/// Its bits and codes are judged after the permissions.
const NUMBER: FieldType = FieldType::Int { min: i32::MIN as i64, max: i32::MAX as i64 };

const ACTIONS: u32 = action::CLOSE
    | action::ACKNOWLEDGE
    | action::MESSAGE
    | action::SEVERITY
    | action::UNACKNOWLEDGE
    | action::SUPPRESS
    | action::UNSUPPRESS
    | action::RANK_TO_CAUSE
    | action::RANK_TO_SYMPTOM;

pub(crate) const ACKNOWLEDGEMENT: &[Field] = &[
    Field::new("eventids", FieldType::Texts { max: 20 }, Rule::Required, "Problems")
        .or_number()
        .or_empty(),
    Field::new(
        "action",
        NUMBER,
        Rule::Required,
        "Bits; 0 changes nothing: 1 close, 2 acknowledge, 4 message, 8 severity, 16 unacknowledge, 32 suppress, \
         64 unsuppress, 128 make it a cause, 256 make it a symptom",
    ),
    Field::new("message", TEXT, Rule::Optional, "Of bit 4"),
    Field::new("severity", NUMBER, Rule::Optional, "Of bit 8: 0 to 5; 0 by default"),
    Field::new("suppress_until", FieldType::Timestamp, Rule::Optional, "Of bit 32; 0: no end"),
    CAUSE.judged_later(),
];

const CAUSE: Field =
    Field::new("cause_eventid", FieldType::Id, Rule::Optional, "Of bit 256: the cause");

/// `event.acknowledge`
pub(crate) fn acknowledge(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let given = given(params)?;
    let number = |name: &str| json::str_of(&given, name).parse::<i64>().unwrap_or_default();
    let bits = u32::try_from(number("action")).ok().filter(|it| it & !ACTIONS == 0);
    let bits = bits.ok_or_else(|| unexpected("action", number("action")))?;
    check_role(ctx, bits)?;
    check_opposites(bits)?;
    let ids = crate::query::ids(&given, "eventids", true)?.unwrap_or_default();
    // One that is named twice is one.
    let mut named: Set<u64> = Set::default();
    let ids: Vec<u64> = ids.into_iter().filter(|it| named.insert(*it)).collect();
    let acknowledgement = Acknowledgement {
        eventids: ids.iter().copied().map(EventId).collect(),
        userid: ctx.rights.userid,
        action: bits,
        message: match bits & action::MESSAGE {
            0 => String::new(),
            _ => json::str_of(&given, "message").to_owned(),
        },
        severity: u8::try_from(number("severity")).ok(),
        suppress_until: number("suppress_until"),
        cause: EventId(json::str_of(&given, CAUSE.name).parse().unwrap_or_default()),
    };
    let mut problems = readable_problems(ctx, &acknowledgement.eventids)?;
    if bits & action::RANK_TO_SYMPTOM != 0 {
        problems.push(readable_problem(ctx, acknowledgement.cause)?);
    }
    // Those of triggers alone are handled by users.
    if !problems.iter().all(|it| it.event.is_of_trigger() && is_visible(ctx, &it.event)) {
        return Err(ApiError::no_permissions());
    }
    if bits & action::CLOSE != 0 {
        check_close(ctx, &problems)?;
    }
    if bits & action::MESSAGE != 0 && acknowledgement.message.is_empty() {
        return Err(wrong("message", "cannot be empty"));
    }
    if bits & action::SEVERITY != 0 {
        check_writable(ctx, &problems)?;
        if !(0..=5).contains(&number("severity")) {
            return Err(unexpected("severity", number("severity")));
        }
    }
    let until = acknowledgement.suppress_until;
    if bits & action::SUPPRESS != 0 && until != 0 && until <= ctx.now.clock() {
        return Err(unexpected("suppress_until", until));
    }
    if bits == 0 {
        return Ok(crud::answer("eventids", &ids));
    }
    let done = ctx.db().events().acknowledge(&acknowledgement, ctx.now)?;
    for problem in &done.close {
        let closed = ctx.ports().control.close(problem, acknowledgement.userid);
        closed.map_err(|error| ApiError::application(format!("Cannot close problem: {error}.")))?;
    }
    Ok(crud::answer("eventids", &ids))
}

fn wrong(field: &str, what: &str) -> ApiError {
    ApiError::params(format!("Incorrect value for field \"{field}\": {what}."))
}

fn unexpected(field: &str, value: i64) -> ApiError {
    wrong(field, &format!("unexpected value \"{value}\""))
}

/// The parameters, in Zabbix's order: a cause is known to the bit that needs one alone.
fn given(params: &Value) -> Result<Map<String, Value>, ApiError> {
    let none = Map::new();
    let params = match params {
        Value::Object(it) => it,
        Value::Array(it) if it.is_empty() => &none,
        _ => return Err(ApiError::field(FieldPath::root(), "an array is expected")),
    };
    let is_known = |it: &&String| ACKNOWLEDGEMENT.iter().any(|field| field.name == **it);
    if let Some(name) = params.keys().find(|it| !is_known(it)) {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    match params.get("eventids") {
        None => return Err(ApiError::missing(FieldPath::root(), "eventids")),
        Some(Value::Null) => {
            return Err(ApiError::field(param("eventids"), "an array is expected"));
        }
        Some(_) => drop(crate::query::ids(params, "eventids", true)?),
    }
    let may_be_null = ["message", "severity", "suppress_until"];
    let is_given = |(name, value): &(&String, &Value)| {
        !value.is_null() || !may_be_null.contains(&name.as_str())
    };
    let members = params.iter().filter(is_given);
    let members: Map<String, Value> =
        members.map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut given = validate::object_at_root(ACKNOWLEDGEMENT, &Value::Object(members))?;
    let bits: i64 = json::str_of(&given, "action").parse().unwrap_or_default();
    let is_symptom = bits & i64::from(action::RANK_TO_SYMPTOM) != 0;
    match given.get(CAUSE.name) {
        Some(_) if !is_symptom => Err(ApiError::unexpected(FieldPath::root(), CAUSE.name)),
        Some(it) => {
            let cause = validate::value(&CAUSE, it, &param(CAUSE.name))?;
            given.insert(CAUSE.name.to_owned(), cause);
            Ok(given)
        }
        None if is_symptom => Err(ApiError::missing(FieldPath::root(), CAUSE.name)),
        None => Ok(given),
    }
}

/// The permission of the user's role for bits of an action, with the error without it, in Zabbix's order.
const BY_ROLE: &[(u32, RoleAction, &str)] = &[
    (action::CLOSE, RoleAction::CloseProblems, "close problems"),
    (action::MESSAGE, RoleAction::AddProblemComments, "add problem comments"),
    (action::SEVERITY, RoleAction::ChangeSeverity, "change problem severity"),
    (action::ACKNOWLEDGE, RoleAction::AcknowledgeProblems, "acknowledge problems"),
    (action::UNACKNOWLEDGE, RoleAction::AcknowledgeProblems, "unacknowledge problems"),
    (action::SUPPRESS, RoleAction::SuppressProblems, "suppress problems"),
    (action::UNSUPPRESS, RoleAction::SuppressProblems, "unsuppress problems"),
    (
        action::RANK_TO_CAUSE,
        RoleAction::ChangeProblemRanking,
        "convert symptom problems to cause problems",
    ),
    (
        action::RANK_TO_SYMPTOM,
        RoleAction::ChangeProblemRanking,
        "convert cause problems to symptom problems",
    ),
];

fn check_role(ctx: &Ctx, bits: u32) -> Result<(), ApiError> {
    let is_denied =
        |(bit, needed, _): &&(u32, RoleAction, &str)| bits & bit != 0 && !ctx.may_act(*needed);
    match BY_ROLE.iter().find(is_denied) {
        Some((_, _, what)) => {
            let what = format!("Incorrect value for field \"action\": no permissions to {what}.");
            Err(ApiError::params(what))
        }
        None => Ok(()),
    }
}

/// Bits of which one update has one at most, in Zabbix's order.
const OPPOSITES: &[[u32; 2]] = &[
    [action::ACKNOWLEDGE, action::UNACKNOWLEDGE],
    [action::SUPPRESS, action::UNSUPPRESS],
    [action::CLOSE, action::SUPPRESS],
    [action::CLOSE, action::UNSUPPRESS],
    [action::RANK_TO_CAUSE, action::RANK_TO_SYMPTOM],
];

fn check_opposites(bits: u32) -> Result<(), ApiError> {
    match OPPOSITES.iter().find(|both| both.iter().all(|it| bits & it != 0)) {
        Some([one, other]) => Err(wrong("action", &format!("value must be one of {one}, {other}"))),
        None => Ok(()),
    }
}

/// Whether the user may write the triggers of problems.
fn check_writable(ctx: &Ctx, problems: &[Arc<Problem>]) -> Result<(), ApiError> {
    let is_writable = |problem: &Arc<Problem>| {
        visible_trigger(ctx, &problem.event).is_some_and(|(holder, row)| {
            triggers::hosts(ctx, holder, row).iter().all(|it| ctx.may_write(it))
        })
    };
    if problems.iter().all(is_writable) { Ok(()) } else { Err(ApiError::no_permissions()) }
}

/// A resolved problem has nothing left to close, which is no error.
fn check_close(ctx: &Ctx, problems: &[Arc<Problem>]) -> Result<(), ApiError> {
    check_writable(ctx, problems)?;
    let may_close = |problem: &Arc<Problem>| {
        visible_trigger(ctx, &problem.event).is_some_and(|(_, row)| row.content.manual_close)
    };
    if problems.iter().all(may_close) {
        return Ok(());
    }
    Err(ApiError::application("Cannot close problem: trigger does not allow manual closing."))
}
