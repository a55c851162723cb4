//! Events and problems as both get methods show them.

use std::sync::Arc;

use db::Problem;
use db::events::{Acknowledge, EventRow, action, object};
use model::content::{Tag, User};
use model::map::Set;
use model::snapshot::Host;
use model::{EventId, HostId, ItemId, TriggerId};
use serde_json::{Value, json};

use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::error::{ApiError, param};
use crate::json::{Scalar, text};
use crate::objects::common::parts::SEVERITY;
use crate::objects::common::scope::{Get, in_groups};
use crate::objects::common::tag_filter::TagFilter;
use crate::objects::common::triggers;
use crate::objects::problems::opdata::Opdata;
use crate::objects::problems::visibility::is_visible;
use crate::query::table;
use crate::query::{Column, Output, RowFamily};
use crate::shared::Ctx;

const TEXT: FieldType = FieldType::Text { max: 2_048 };

/// Fields of events and problems alike.
/// Events, each with what became of it, if it is a problem.
pub(crate) struct EventFamily;

/// The context of reading events.
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
        Field::new("acknowledged", FLAG, Rule::ReadOnly, "1: a user has acknowledged it"),
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
            "Saker's own; 1: its trigger is flapping, so that no messages are sent",
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
        "1 problem, 0 resolved; of discovery 0 up, 1 down, 2 discovered, 3 lost",
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
            "Bits of the action",
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

/// The suppressions of a problem.
pub(crate) struct SuppressionFamily;

type SuppressionColumn = Column<SuppressionFamily>;

/// A maintenance, or a user: 0 for the other one.
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

/// The suppressions of a problem, with their ends.
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

/// The content of `selectLastEvent` of triggers.
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

/// The parameters that `problem.get` and `event.get` have in common.
pub(crate) struct EventFilter {
    pub(crate) source: i64,
    pub(crate) object: i64,
    pub(crate) objects: Option<Set<u64>>,
    hosts: Option<Set<u64>>,
    groups: Option<Set<u64>>,
    pub(super) severities: Option<Vec<i64>>,
    /// Of the trigger, as it is now.
    trigger_severities: Option<Vec<i64>>,
    pub(super) acknowledged: Option<bool>,
    pub(super) suppressed: Option<bool>,
    pub(super) symptom: Option<bool>,
    /// Bits of one entry, and its user.
    pub(super) action: Option<u32>,
    pub(super) action_users: Option<Set<u64>>,
    pub(super) tags: TagFilter,
    pub(crate) from: Option<i64>,
    pub(crate) till: Option<i64>,
    pub(crate) id_from: Option<u64>,
    pub(crate) id_till: Option<u64>,
}

const SEVERITIES: &[i64] = &[0, 1, 2, 3, 4, 5];

/// Severities by which events are looked for.
fn severities(get: &Get<'_>, name: &str) -> Result<Option<Vec<i64>>, ApiError> {
    let given = get.numbers(name)?;
    match given.iter().flatten().position(|it| !SEVERITIES.contains(it)) {
        Some(at) => {
            let path = param(name).element(at);
            Err(ApiError::field(&path, "value must be one of 0, 1, 2, 3, 4, 5"))
        }
        None => Ok(given),
    }
}

/// Bits of the updates of a problem.
fn action(get: &Get<'_>) -> Result<Option<u32>, ApiError> {
    let given = get.number("action")?;
    let in_range = given.and_then(|it| u32::try_from(it).ok()).filter(|it| (1..=511).contains(it));
    if given.is_some() && in_range.is_none() {
        return Err(ApiError::field(param("action"), "value must be one of 1-511"));
    }
    Ok(in_range)
}

impl EventFilter {
    /// `sources` and `objects`: those that the method knows.
    pub(crate) fn parse(get: &Get<'_>, sources: &[u8], objects: &[u8]) -> Result<Self, ApiError> {
        let of_triggers = |name: &str| match get.object().params.taken.contains(&name) {
            true => severities(get, name),
            false => Ok(None),
        };
        let source = get.code("source", sources)?.into();
        let object = get.code("object", objects)?.into();
        Ok(Self {
            source,
            object,
            objects: get.id_set("objectids")?,
            hosts: get.id_set("hostids")?,
            groups: get.id_set("groupids")?,
            severities: severities(get, "severities")?,
            trigger_severities: of_triggers("trigger_severities")?,
            acknowledged: get.boolean("acknowledged")?,
            suppressed: get.boolean("suppressed")?,
            symptom: get.boolean("symptom")?,
            action: action(get)?,
            action_users: get.id_set("action_userids")?,
            tags: get.conditions_or_one("tags")?,
            from: get.timestamp("time_from")?,
            till: get.timestamp("time_till")?,
            id_from: get.id("eventid_from")?,
            id_till: get.id("eventid_till")?,
        })
    }

    /// The conditions that need the event alone, cheapest first.
    pub(crate) fn admits_event(&self, ctx: &Ctx, event: &EventRow) -> bool {
        i64::from(event.source) == self.source
            && i64::from(event.object) == self.object
            && self.id_from.is_none_or(|it| it <= event.eventid.0)
            && self.id_till.is_none_or(|it| event.eventid.0 <= it)
            && self.from.is_none_or(|it| it <= event.time.clock())
            && self.till.is_none_or(|it| event.time.clock() <= it)
            && self.objects.as_ref().is_none_or(|it| it.contains(&event.objectid))
            && self.admits_trigger(ctx, event)
            && self.admits_hosts(ctx, event)
            && self.tags.matches(&event.tags)
            && is_visible(ctx, event)
    }

    /// Conditions on the trigger of the event; other events match none.
    fn admits_trigger(&self, ctx: &Ctx, event: &EventRow) -> bool {
        let Some(wanted) = &self.trigger_severities else { return true };
        let found = ctx.snapshot.trigger(TriggerId(event.objectid));
        event.object != object::TRIGGER
            || found.is_some_and(|(_, row)| wanted.contains(&row.content.priority.code().into()))
    }

    /// Whether there are conditions on users' updates.
    pub(super) fn has_actions(&self) -> bool {
        self.action.is_some() || self.action_users.is_some()
    }

    /// Whether hosts matter at all.
    pub(super) fn has_hosts(&self) -> bool {
        self.hosts.is_some() || self.groups.is_some()
    }

    /// Conditions on the hosts of the event alone.
    pub(super) fn admits_hosts(&self, ctx: &Ctx, event: &EventRow) -> bool {
        self.hosts.as_ref().is_none_or(|it| event.hosts.iter().any(|id| it.contains(&id.0)))
            && self.groups.as_ref().is_none_or(|it| Self::in_groups(ctx, event, it))
    }

    fn in_groups(ctx: &Ctx, event: &EventRow, groups: &Set<u64>) -> bool {
        let mut hosts = event.hosts.iter().filter_map(|it: &HostId| ctx.snapshot.hosts.get(it));
        hosts.any(|it| in_groups(it, groups))
    }

    /// Whether one entry is by one of the requested users, and has all bits.
    fn admits_entry(&self, entry: &Acknowledge) -> bool {
        self.action.is_none_or(|it| entry.action & it == it)
            && self.action_users.as_ref().is_none_or(|it| it.contains(&entry.userid.0))
    }

    /// Conditions on users' updates.
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
            && (!self.has_actions()
                || problem.is_some_and(|it| it.acknowledges.iter().any(|it| self.admits_entry(it))))
    }
}
