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
use crate::objects::common::parts::SEVERITY;
use crate::objects::common::triggers;
use crate::objects::problems::visibility::{
    is_visible, readable_problem, readable_problems, visible_trigger,
};
use crate::shared::Ctx;
use crate::validate;

const TEXT: FieldType = FieldType::Text { max: 2_048 };

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
        FieldType::Int { min: 0, max: 511 },
        Rule::Required,
        "Bits; 0 changes nothing: 1 close, 2 acknowledge, 4 message, 8 severity, 16 unacknowledge, 32 suppress, \
         64 unsuppress, 128 make it a cause, 256 make it a symptom",
    ),
    Field::new("message", TEXT, Rule::Optional, "Of bit 4"),
    Field::new("severity", SEVERITY, Rule::Optional, "Of bit 8"),
    Field::new("suppress_until", FieldType::Timestamp, Rule::Optional, "Of bit 32; 0: no end"),
    Field::new("cause_eventid", FieldType::Id, Rule::Optional, "Of bit 256: the cause"),
];

/// `event.acknowledge`
pub(crate) fn acknowledge(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let Value::Object(_) = params else {
        return Err(ApiError::field(FieldPath::root(), "an array is expected"));
    };
    let given = validate::object_at_root(ACKNOWLEDGEMENT, params)?;
    check_role(ctx, json::str_of(&given, "action").parse().unwrap_or_default())?;
    let acknowledgement = acknowledgement(ctx, &given)?;
    let problems = readable_problems(ctx, &acknowledgement.eventids)?;
    for problem in &problems {
        check_acknowledgement(ctx, &acknowledgement, problem)?;
    }
    check_rank(ctx, &acknowledgement, &problems)?;
    let ids: Vec<u64> = acknowledgement.eventids.iter().map(|it| it.0).collect();
    if acknowledgement.action == 0 {
        return Ok(crud::answer("eventids", &ids));
    }
    let done = ctx.db().events().acknowledge(&acknowledgement, ctx.now)?;
    for problem in &done.close {
        let closed = ctx.ports().control.close(problem, acknowledgement.userid);
        closed.map_err(|error| ApiError::application(format!("Cannot close problem: {error}.")))?;
    }
    Ok(crud::answer("eventids", &ids))
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

fn acknowledgement(ctx: &Ctx, given: &Map<String, Value>) -> Result<Acknowledgement, ApiError> {
    let missing = |name: &str| Err(ApiError::missing(FieldPath::root(), name));
    let ids = crate::query::ids(given, "eventids", true)?.unwrap_or_default();
    // One that is named twice is one.
    let mut named: Set<u64> = Set::default();
    let bits: u32 = json::str_of(given, "action").parse().unwrap_or_default();
    if bits & !ACTIONS != 0 {
        return Err(ApiError::field(param("action"), "value must be one of 0-511"));
    }
    let message = json::str_of(given, "message");
    if bits & action::MESSAGE != 0 && message.is_empty() {
        return if given.contains_key("message") {
            Err(ApiError::field(param("message"), "cannot be empty"))
        } else {
            missing("message")
        };
    }
    let both = action::ACKNOWLEDGE | action::UNACKNOWLEDGE;
    let suppress = action::SUPPRESS | action::UNSUPPRESS;
    let ranks = action::RANK_TO_CAUSE | action::RANK_TO_SYMPTOM;
    if [both, suppress, ranks].iter().any(|it| bits & it == *it) {
        return Err(ApiError::field(param("action"), "value must not set opposite bits"));
    }
    if bits & action::SEVERITY != 0 && !given.contains_key("severity") {
        return missing("severity");
    }
    if bits & action::SUPPRESS != 0 && !given.contains_key("suppress_until") {
        return missing("suppress_until");
    }
    let cause = json::str_of(given, "cause_eventid");
    match (bits & action::RANK_TO_SYMPTOM != 0, given.contains_key("cause_eventid")) {
        (true, false) => return missing("cause_eventid"),
        (false, true) => {
            return Err(ApiError::unexpected(FieldPath::root(), "cause_eventid"));
        }
        (true, true) | (false, false) => {}
    }
    Ok(Acknowledgement {
        eventids: ids.into_iter().filter(|it| named.insert(*it)).map(EventId).collect(),
        userid: ctx.rights.userid,
        action: bits,
        message: if bits & action::MESSAGE == 0 { String::new() } else { message.to_owned() },
        severity: json::str_of(given, "severity").parse().ok(),
        suppress_until: json::str_of(given, "suppress_until").parse().unwrap_or_default(),
        cause: EventId(cause.parse().unwrap_or_default()),
    })
}

/// Problems of triggers alone have causes and symptoms.
fn check_rank(
    ctx: &Ctx,
    acknowledgement: &Acknowledgement,
    problems: &[Arc<Problem>],
) -> Result<(), ApiError> {
    let ranks = action::RANK_TO_CAUSE | action::RANK_TO_SYMPTOM;
    if acknowledgement.action & ranks == 0 {
        return Ok(());
    }
    let is_fit = |it: &Problem| it.event.is_of_trigger() && is_visible(ctx, &it.event);
    let cause = if acknowledgement.action & action::RANK_TO_SYMPTOM == 0 {
        None
    } else {
        Some(readable_problem(ctx, acknowledgement.cause)?)
    };
    if problems.iter().chain(&cause).all(|it| is_fit(it)) {
        Ok(())
    } else {
        Err(ApiError::no_permissions())
    }
}

fn check_acknowledgement(
    ctx: &Ctx,
    acknowledgement: &Acknowledgement,
    problem: &Problem,
) -> Result<(), ApiError> {
    let closes = acknowledgement.action & action::CLOSE != 0;
    if !closes && acknowledgement.action & action::SEVERITY == 0 {
        return Ok(());
    }
    let (holder, row) =
        visible_trigger(ctx, &problem.event).ok_or_else(ApiError::no_permissions)?;
    if !triggers::hosts(ctx, holder, row).iter().all(|it| ctx.may_write(it)) {
        return Err(ApiError::no_permissions());
    }
    // A resolved problem has nothing left to close, which is no error.
    if closes && !row.content.manual_close {
        let reason = "Cannot close problem: trigger does not allow manual closing.";
        return Err(ApiError::application(reason.to_owned()));
    }
    Ok(())
}
