//! Events and problems as both get methods show them, and what users do to them.

use std::sync::Arc;

use db::events::{Acknowledge, EventRow, action, object};
use db::{Acknowledgement, Problem};
use model::content::{RoleAction, RoleType, Tag, User};
use model::map::Set;
use model::snapshot::{Host, TriggerRow};
use model::{EventId, GroupId, HostId, ItemId, TriggerId};
use serde_json::{Map, Value, json};

use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::{self, Scalar, text};
use crate::objects::common::crud;
use crate::objects::common::parts::SEVERITY;
use crate::objects::common::scope::{Get, in_groups};
use crate::objects::common::service_rights::ServiceRights;
use crate::objects::common::tag_filter::TagFilter;
use crate::objects::common::triggers;
use crate::objects::problems::opdata::Opdata;
use crate::query::table;
use crate::query::{Column, Output, RowFamily};
use crate::shared::Ctx;
use crate::validate;

const TEXT: FieldType = FieldType::Text { max: 2_048 };

/// Fields of events and problems alike.
/// Events, each with what became of it, if it is a problem.
pub(crate) struct EventFamily;

/// What events are read with.
pub(crate) struct EventReader<'a> {
    pub(crate) ctx: &'a Ctx,
    pub(crate) are_problems: bool,
    opdata: Opdata,
}

impl<'a> EventReader<'a> {
    pub(crate) fn new(ctx: &'a Ctx, are_problems: bool) -> Self {
        Self { ctx, are_problems, opdata: Opdata::default() }
    }
}

pub(crate) type EventColumn = Column<EventFamily>;

impl RowFamily for EventFamily {
    type Reader<'a> = EventReader<'a>;
    type Row<'a> = (&'a EventRow, Option<&'a Problem>);
    type Content = EventRow;

    fn content<'a>((event, _): Self::Row<'a>) -> &'a EventRow {
        event
    }
}

pub(crate) const COMMON: [EventColumn; 16] = [
    EventColumn::of_row(
        Field::new("eventid", FieldType::Id, Rule::ReadOnly, "Id; later events have greater ones"),
        |_, (it, _)| Scalar::Id(it.eventid.0),
    ),
    EventColumn::of_row(
        Field::new(
            "source",
            FieldType::Code(&[0, 1, 2, 3, 4]),
            Rule::ReadOnly,
            "0 trigger, 1 discovery, 2 registration, 3 internal, 4 service",
        ),
        |_, (it, _)| Scalar::code(it.source),
    ),
    EventColumn::of_row(
        Field::new(
            "object",
            FieldType::Code(&[0, 1, 2, 3, 4, 5, 6]),
            Rule::ReadOnly,
            "0 trigger, 1 discovered host, 2 discovered service, 3 agent, 4 item, 5 rule, 6 service",
        ),
        |_, (it, _)| Scalar::code(it.object),
    ),
    EventColumn::of_row(
        Field::new("objectid", FieldType::Id, Rule::ReadOnly, "Id of the object"),
        |_, (it, _)| Scalar::Id(it.objectid),
    ),
    EventColumn::of_row(
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When it happened"),
        |_, (it, _)| Scalar::Number(it.time.clock()),
    ),
    EventColumn::of_row(
        Field::new(
            "ns",
            FieldType::Int { min: 0, max: 999_999_999 },
            Rule::ReadOnly,
            "… nanoseconds",
        ),
        |_, (it, _)| Scalar::code(it.time.ns()),
    ),
    EventColumn::of_row(
        Field::new("name", TEXT, Rule::ReadOnly, "Name, with macros resolved"),
        |_, (it, _)| Scalar::Text(&it.name),
    ),
    EventColumn::of_row(
        Field::new("severity", SEVERITY, Rule::ReadOnly, "Severity as it is now"),
        |_, (it, problem)| Scalar::code(problem.map_or(it.severity, |it| it.severity).code()),
    ),
    EventColumn::of_row(
        Field::new("acknowledged", FLAG, Rule::ReadOnly, "1: someone has taken note"),
        |_, (_, problem)| Scalar::Flag(problem.is_some_and(|it| it.acknowledged)),
    ),
    EventColumn::of_row(
        Field::new("suppressed", FLAG, Rule::ReadOnly, "1: suppressed for now"),
        |of, (_, problem)| Scalar::Flag(problem.is_some_and(|it| it.is_suppressed(of.ctx.now))),
    ),
    EventColumn::of_row(
        Field::new("opdata", TEXT, Rule::ReadOnly, "Operational data"),
        |of, (it, _)| Scalar::Made(of.opdata.of(of.ctx.into(), it)),
    ),
    EventColumn::of_row(
        Field::new("r_eventid", FieldType::Id, Rule::ReadOnly, "The event that ended the problem"),
        |_, (_, problem)| Scalar::Id(problem.map_or(0, |it| it.r_eventid.0)),
    ),
    EventColumn::of_row(
        Field::new(
            "correlationid",
            FieldType::Id,
            Rule::ReadOnly,
            "The correlation rule that closed the problem",
        ),
        |_, (_, problem)| {
            let closed = problem.and_then(|it| it.correlated());
            Scalar::Id(closed.map_or(0, |it| it.correlationid))
        },
    ),
    EventColumn::of_row(
        Field::new("userid", FieldType::Id, Rule::ReadOnly, "Who closed it by hand"),
        |of, (it, problem)| {
            let closed = problem.filter(|_| of.are_problems);
            Scalar::Id(closed.map_or(it.userid, |it| it.userid).0)
        },
    ),
    EventColumn::of_row(
        Field::new(
            "flapping",
            FLAG,
            Rule::ReadOnly,
            "Saker's own; 1: its trigger changes so often that nothing is sent",
        ),
        |_, (_, problem)| Scalar::Flag(problem.is_some_and(|it| it.flapping)),
    ),
    EventColumn::of_row(
        Field::new(
            "cause_eventid",
            FieldType::Id,
            Rule::ReadOnly,
            "The problem that it is a symptom of; 0: it is a cause",
        ),
        |_, (_, problem)| Scalar::Id(problem.map_or(0, |it| it.cause.0)),
    ),
];
pub(crate) const VALUE: EventColumn = EventColumn::of_row(
    Field::new(
        "value",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::ReadOnly,
        "1 problem, 0 its end; of discovery 0 up, 1 down, 2 discovered, 3 lost",
    ),
    |_, (it, _)| Scalar::code(it.value),
);

/// Entries below a problem, each with its event.
pub(crate) struct AcknowledgeFamily;

type AcknowledgeColumn = Column<AcknowledgeFamily>;

impl RowFamily for AcknowledgeFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = (EventId, &'a Acknowledge);
    type Content = Acknowledge;

    fn content<'a>((_, it): Self::Row<'a>) -> &'a Acknowledge {
        it
    }
}

fn user<'a>(ctx: &'a Ctx, it: &Acknowledge) -> Option<&'a User> {
    ctx.snapshot.access.users.get(&it.userid).map(|it| &**it)
}

const ACKNOWLEDGE_COLUMNS: &[AcknowledgeColumn] = &[
    AcknowledgeColumn::of_row(
        Field::new("acknowledgeid", FieldType::Id, Rule::ReadOnly, "Id"),
        |_, (_, it)| Scalar::Id(it.acknowledgeid),
    ),
    AcknowledgeColumn::of_row(
        Field::new("userid", FieldType::Id, Rule::ReadOnly, "Who"),
        |_, (_, it)| Scalar::Id(it.userid.0),
    ),
    AcknowledgeColumn::of_row(
        Field::new("eventid", FieldType::Id, Rule::ReadOnly, "Event"),
        |_, (event, _)| Scalar::Id(event.0),
    ),
    AcknowledgeColumn::of_row(
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When"),
        |_, (_, it)| Scalar::Number(it.clock),
    ),
    AcknowledgeColumn::of_row(
        Field::new("message", TEXT, Rule::ReadOnly, "Message"),
        |_, (_, it)| Scalar::Text(&it.message),
    ),
    AcknowledgeColumn::of_row(
        Field::new(
            "action",
            FieldType::Int { min: 0, max: 511 },
            Rule::ReadOnly,
            "Bits of what was done",
        ),
        |_, (_, it)| Scalar::code(it.action),
    ),
    AcknowledgeColumn::of_row(
        Field::new("old_severity", SEVERITY, Rule::ReadOnly, "Before"),
        |_, (_, it)| Scalar::code(it.old_severity),
    ),
    AcknowledgeColumn::of_row(
        Field::new("new_severity", SEVERITY, Rule::ReadOnly, "After"),
        |_, (_, it)| Scalar::code(it.new_severity),
    ),
    AcknowledgeColumn::of_row(
        Field::new(
            "suppress_until",
            FieldType::Timestamp,
            Rule::ReadOnly,
            "End of the suppression",
        ),
        |_, (_, it)| Scalar::Number(it.suppress_until),
    ),
    AcknowledgeColumn::of_row(
        Field::new("taskid", FieldType::Id, Rule::ReadOnly, "Always 0"),
        |_, _| Scalar::Flag(false),
    ),
    AcknowledgeColumn::of_row(
        Field::new("username", TEXT, Rule::ReadOnly, "Who"),
        |ctx, (_, it)| Scalar::Text(user(ctx, it).map_or("", |it| &it.username)),
    ),
    AcknowledgeColumn::of_row(
        Field::new("name", TEXT, Rule::ReadOnly, "Who: first name"),
        |ctx, (_, it)| Scalar::Text(user(ctx, it).map_or("", |it| &it.name)),
    ),
    AcknowledgeColumn::of_row(
        Field::new("surname", TEXT, Rule::ReadOnly, "Who: last name"),
        |ctx, (_, it)| Scalar::Text(user(ctx, it).map_or("", |it| &it.surname)),
    ),
];
pub(crate) const ACKNOWLEDGE: &[Field] =
    &table::fields::<_, { ACKNOWLEDGE_COLUMNS.len() }>(ACKNOWLEDGE_COLUMNS);

pub(crate) fn tags(tags: &[Tag], output: &Output) -> Value {
    crate::objects::common::parts::tags(tags, output)
}

pub(crate) fn acknowledges(ctx: &Ctx, problem: Option<&Problem>, output: &Output) -> Value {
    let Some(problem) = problem else {
        return if *output == Output::Count { text("0") } else { json!([]) };
    };
    // Newest first, as Zabbix has it.
    let list = problem.acknowledges.iter().rev();
    let rows = list.map(|it| (problem.eventid(), it));
    table::parts(ACKNOWLEDGE_COLUMNS, &ctx, rows, output)
}

/// What suppresses a problem.
pub(crate) struct SuppressionFamily;

type SuppressionColumn = Column<SuppressionFamily>;

/// A maintenance, or a user: 0 for what it is not.
#[derive(Clone, Copy)]
pub(crate) struct SuppressionRow {
    maintenance: u64,
    until: i64,
    user: u64,
}

impl RowFamily for SuppressionFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = &'a SuppressionRow;
    type Content = SuppressionRow;

    fn content(row: Self::Row<'_>) -> &SuppressionRow {
        row
    }
}

const SUPPRESSION_COLUMNS: &[SuppressionColumn] = &[
    SuppressionColumn::of_row(
        Field::new("maintenanceid", FieldType::Id, Rule::ReadOnly, "By it; 0: by a user"),
        |_, it| Scalar::Id(it.maintenance),
    ),
    SuppressionColumn::of_row(
        Field::new("suppress_until", FieldType::Timestamp, Rule::ReadOnly, "Its end; 0: none"),
        |_, it| Scalar::Number(it.until),
    ),
    SuppressionColumn::of_row(
        Field::new("userid", FieldType::Id, Rule::ReadOnly, "By this user; 0: by a maintenance"),
        |_, it| Scalar::Id(it.user),
    ),
];
pub(crate) const SUPPRESSION: &[Field] =
    &table::fields::<_, { SUPPRESSION_COLUMNS.len() }>(SUPPRESSION_COLUMNS);

/// What suppresses a problem, and until when.
pub(crate) fn suppression(ctx: &Ctx, problem: Option<&Problem>, output: &Output) -> Value {
    let Some(problem) = problem else { return json!([]) };
    let by_maintenance = problem.maintenances.iter();
    let mut rows: Vec<SuppressionRow> = by_maintenance
        .map(|it| SuppressionRow { maintenance: it.maintenance.0, until: it.until, user: 0 })
        .collect();
    if problem.is_suppressed_by_user(ctx.now) {
        let by = problem.acknowledges.iter().rev().find(|it| it.action & action::SUPPRESS != 0);
        let user = by.map_or(0, |it| it.userid.0);
        let until = problem.suppressed_until.unwrap_or(0);
        rows.push(SuppressionRow { maintenance: 0, until, user });
    }
    table::parts(SUPPRESSION_COLUMNS, &ctx, rows.iter(), output)
}

/// What `selectLastEvent` of triggers shows.
pub(crate) fn brief(
    ctx: &Ctx,
    event: &EventRow,
    problem: Option<&Problem>,
    output: &Output,
) -> Value {
    let reader = EventReader::new(ctx, false);
    let is_wanted = |it: &&EventColumn| it.field.name == "eventid" || output.wants(it.field.name);
    let wanted = COMMON.iter().chain([&VALUE]).filter(is_wanted);
    let written = wanted.map(|it| {
        let value =
            table::scalar(std::slice::from_ref(it), &reader, (event, problem), it.field.name);
        (it.field.name.to_owned(), value.value())
    });
    Value::Object(written.collect())
}

/// The trigger of an event, if it is still there and the user may see both.
pub(crate) fn visible_trigger<'a>(
    ctx: &'a Ctx,
    event: &EventRow,
) -> Option<(&'a Arc<Host>, &'a TriggerRow)> {
    let found = ctx.snapshot.trigger(TriggerId(event.objectid));
    let found =
        found.filter(|(holder, row)| row.is_live() && triggers::is_readable(ctx, holder, row));
    found.filter(|_| passes_filters(ctx, event))
}

/// Whether tag filters of the user's groups let an event of a trigger be seen. The end of a problem has
/// the tags of what it ends.
fn passes_filters(ctx: &Ctx, event: &EventRow) -> bool {
    let scope = ctx.rights.tag_scope();
    if scope.is_all() {
        return true;
    }
    let hosts = triggers::hosts_of(ctx, TriggerId(event.objectid));
    let is_in = |group: GroupId| hosts.iter().any(|it| it.groups.contains(&group));
    // What was resolved long ago is not in memory any more: ends have the tags that problems had then.
    let mut ended = event.recovers.iter().filter_map(|it| ctx.db().events().problem(*it));
    match ended.next() {
        Some(first) => {
            scope.admits(is_in, &first.event.tags)
                || ended.any(|it| scope.admits(is_in, &it.event.tags))
        }
        None => scope.admits(is_in, &event.tags),
    }
}

/// Whether the object of an event is still there.
pub(crate) fn has_object(ctx: &Ctx, event: &EventRow) -> bool {
    match event.object {
        object::TRIGGER => ctx.snapshot.trigger(TriggerId(event.objectid)).is_some(),
        object::ITEM | object::RULE => ctx.snapshot.item(ItemId(event.objectid)).is_some(),
        object::SERVICE => ctx.snapshot.services.get(event.objectid).is_some(),
        _ => true,
    }
}

/// Whether the user may see an event. Without its object nobody but super admins may.
pub(crate) fn is_visible(ctx: &Ctx, event: &EventRow) -> bool {
    ctx.is_super_admin()
        || match event.object {
            object::TRIGGER => visible_trigger(ctx, event).is_some(),
            object::ITEM | object::RULE => {
                let item = ctx.snapshot.item(ItemId(event.objectid));
                item.is_some_and(|(holder, _)| ctx.may_read(holder))
            }
            object::SERVICE => ServiceRights::of(ctx).may_read(event.objectid),
            object::DISCOVERED_HOST | object::DISCOVERED_SERVICE => {
                RoleType::Admin <= ctx.caller.identity.role
            }
            _ => false,
        }
}

/// The hosts of an event as they are now.
pub(crate) fn hosts<'a>(ctx: &'a Ctx, event: &EventRow) -> Vec<&'a Arc<Host>> {
    match event.object {
        object::TRIGGER => triggers::hosts_of(ctx, TriggerId(event.objectid)),
        object::ITEM | object::RULE => {
            ctx.snapshot.item_holder(ItemId(event.objectid)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Kinds of objects that events are about, by source.
const OBJECTS_OF: [&[i64]; 5] = [&[0], &[1, 2], &[3], &[0, 4, 5], &[6]];

/// The parameters that `problem.get` and `event.get` have in common.
pub(crate) struct EventFilter {
    pub(crate) source: i64,
    pub(crate) object: i64,
    pub(crate) objects: Option<Set<u64>>,
    hosts: Option<Set<u64>>,
    groups: Option<Set<u64>>,
    pub(super) severities: Option<Vec<i64>>,
    pub(super) acknowledged: Option<bool>,
    pub(super) suppressed: Option<bool>,
    pub(super) symptom: Option<bool>,
    pub(super) actions: Option<Set<i64>>,
    pub(super) tags: TagFilter,
    pub(crate) from: Option<i64>,
    pub(crate) till: Option<i64>,
    pub(crate) id_from: Option<u64>,
    pub(crate) id_till: Option<u64>,
}

impl EventFilter {
    /// `sources`: those that the method knows.
    pub(crate) fn parse(get: &Get<'_>, sources: &[i64]) -> Result<Self, ApiError> {
        let one_of = |field: &str, known: &[i64], given: i64| {
            if known.contains(&given) {
                return Ok(given);
            }
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            let what = format!("value must be one of {}", known.join(", "));
            Err(ApiError::field(&format!("/{field}"), &what))
        };
        let source = one_of("source", sources, get.number("source")?.unwrap_or(0))?;
        let objects = usize::try_from(source).ok().and_then(|it| OBJECTS_OF.get(it));
        let objects = objects.copied().unwrap_or_default();
        let object = one_of("object", objects, get.number("object")?.unwrap_or(0))?;
        let id = |name: &str| -> Result<Option<u64>, ApiError> {
            Ok(get.ids(name)?.and_then(|it| it.first().copied()))
        };
        Ok(Self {
            source,
            object,
            objects: get.id_set("objectids")?,
            hosts: get.id_set("hostids")?,
            groups: get.id_set("groupids")?,
            severities: get.numbers("severities")?,
            acknowledged: get.side("acknowledged"),
            suppressed: get.side("suppressed"),
            symptom: get.side("symptom"),
            actions: get.numbers("action")?.map(|it| it.into_iter().collect()),
            tags: get.tags()?,
            from: get.number("time_from")?,
            till: get.number("time_till")?,
            id_from: id("eventid_from")?,
            id_till: id("eventid_till")?,
        })
    }

    /// What can be told from the event alone, cheapest first.
    pub(crate) fn admits_event(&self, ctx: &Ctx, event: &EventRow) -> bool {
        i64::from(event.source) == self.source
            && i64::from(event.object) == self.object
            && self.id_from.is_none_or(|it| it <= event.eventid.0)
            && self.id_till.is_none_or(|it| event.eventid.0 <= it)
            && self.from.is_none_or(|it| it <= event.time.clock())
            && self.till.is_none_or(|it| event.time.clock() <= it)
            && self.objects.as_ref().is_none_or(|it| it.contains(&event.objectid))
            && self.admits_hosts(ctx, event)
            && self.tags.matches(&event.tags)
            && is_visible(ctx, event)
    }

    /// Whether hosts matter at all.
    pub(super) fn has_hosts(&self) -> bool {
        self.hosts.is_some() || self.groups.is_some()
    }

    /// What depends on the hosts of the event alone.
    pub(super) fn admits_hosts(&self, ctx: &Ctx, event: &EventRow) -> bool {
        self.hosts.as_ref().is_none_or(|it| event.hosts.iter().any(|id| it.contains(&id.0)))
            && self.groups.as_ref().is_none_or(|it| Self::in_groups(ctx, event, it))
    }

    fn in_groups(ctx: &Ctx, event: &EventRow, groups: &Set<u64>) -> bool {
        let mut hosts = event.hosts.iter().filter_map(|it: &HostId| ctx.snapshot.hosts.get(it));
        hosts.any(|it| in_groups(it, groups))
    }

    /// What depends on what users did.
    pub(crate) fn admits_state(
        &self,
        ctx: &Ctx,
        event: &EventRow,
        problem: Option<&Problem>,
    ) -> bool {
        let severity = i64::from(problem.map_or(event.severity, |it| it.severity).code());
        let acknowledged = problem.is_some_and(|it| it.acknowledged);
        let suppressed = problem.is_some_and(|it| it.is_suppressed(ctx.now));
        self.severities.as_ref().is_none_or(|it| it.contains(&severity))
            && self.acknowledged.is_none_or(|it| it == acknowledged)
            && self.suppressed.is_none_or(|it| it == suppressed)
            && self.symptom.is_none_or(|it| it == problem.is_some_and(Problem::is_symptom))
            && self.actions.as_ref().is_none_or(|wanted| {
                let done = problem.map(|it| it.acknowledges.as_slice()).unwrap_or_default();
                let bits = done.iter().fold(0, |bits, it| bits | i64::from(it.action));
                wanted.iter().any(|it| it & bits != 0)
            })
    }
}

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
    Field::new("eventids", FieldType::Texts { max: 20 }, Rule::Required, "Problems"),
    Field::new(
        "action",
        FieldType::Int { min: 1, max: 511 },
        Rule::Required,
        "Bits: 1 close, 2 acknowledge, 4 message, 8 severity, 16 unacknowledge, 32 suppress, \
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
        return Err(ApiError::field("/", "an array is expected"));
    };
    let given = validate::object_at_root(ACKNOWLEDGEMENT, params)?;
    check_role(ctx, json::str_of(&given, "action").parse().unwrap_or_default())?;
    let acknowledgement = acknowledgement(ctx, &given)?;
    let mut problems = Vec::with_capacity(acknowledgement.eventids.len());
    for id in &acknowledgement.eventids {
        let problem = ctx.db().events().problem(*id).ok_or_else(ApiError::no_permissions)?;
        check_acknowledgement(ctx, &acknowledgement, &problem)?;
        problems.push(problem);
    }
    check_rank(ctx, &acknowledgement, &problems)?;
    let done = ctx.db().events().acknowledge(&acknowledgement, ctx.now)?;
    for problem in &done.close {
        let closed = ctx.ports().control.close(problem, acknowledgement.userid);
        closed.map_err(|error| ApiError::application(format!("Cannot close problem: {error}.")))?;
    }
    let ids: Vec<u64> = acknowledgement.eventids.iter().map(|it| it.0).collect();
    Ok(crud::answer("eventids", &ids))
}

/// What the role of the user must have for bits of an action, with what is told otherwise. In the
/// order in which Zabbix looks.
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
    let missing =
        |name: &str| Err(ApiError::field("/", &format!("the parameter \"{name}\" is missing")));
    let ids = crate::query::ids(given, "eventids", true)?.unwrap_or_default();
    let bits: u32 = json::str_of(given, "action").parse().unwrap_or_default();
    if bits & !ACTIONS != 0 {
        return Err(ApiError::field("/action", "value must be one of 1-511"));
    }
    let message = json::str_of(given, "message");
    if bits & action::MESSAGE != 0 && message.is_empty() {
        return if given.contains_key("message") {
            Err(ApiError::field("/message", "cannot be empty"))
        } else {
            missing("message")
        };
    }
    let both = action::ACKNOWLEDGE | action::UNACKNOWLEDGE;
    let suppress = action::SUPPRESS | action::UNSUPPRESS;
    let ranks = action::RANK_TO_CAUSE | action::RANK_TO_SYMPTOM;
    if [both, suppress, ranks].iter().any(|it| bits & it == *it) {
        return Err(ApiError::field("/action", "value must not set opposite bits"));
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
            return Err(ApiError::field("/", "unexpected parameter \"cause_eventid\""));
        }
        (true, true) | (false, false) => {}
    }
    Ok(Acknowledgement {
        eventids: ids.into_iter().map(EventId).collect(),
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
        let found = ctx.db().events().problem(acknowledgement.cause);
        Some(found.ok_or_else(ApiError::no_permissions)?)
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
    if !is_visible(ctx, &problem.event) {
        return Err(ApiError::no_permissions());
    }
    let closes = acknowledgement.action & action::CLOSE != 0;
    if !closes && acknowledgement.action & action::SEVERITY == 0 {
        return Ok(());
    }
    let (holder, row) =
        visible_trigger(ctx, &problem.event).ok_or_else(ApiError::no_permissions)?;
    if !triggers::hosts(ctx, holder, row).iter().all(|it| ctx.may_write(it)) {
        return Err(ApiError::no_permissions());
    }
    if !closes {
        return Ok(());
    }
    let reason = if !problem.is_open() {
        "event is not in PROBLEM state"
    } else if !row.content.manual_close {
        "trigger does not allow manual closing"
    } else {
        return Ok(());
    };
    Err(ApiError::application(format!("Cannot close problem: {reason}.")))
}
