//! Messages and commands that actions made: `alert.get`.

use db::alerts::{Alert, AlertStatus};
use db::events::{EventRow, object};
use db::{AlertQuery, AlertRow};
use model::content::Severity;
use model::map::Set;
use model::{EventId, Time, UserId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, Select};
use crate::error::ApiError;
use crate::json::Scalar;
use crate::method::{Method, ObjectEntry, Pool};
use crate::objects::common::scope::{Get, in_groups};
use crate::objects::problems::event;
use crate::objects::problems::event_alerts::{PAGE, mask};
use crate::objects::problems::visibility::{hidden_by_filters, sees_object};
use crate::query::{self, Column, Output, RowFamily, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;

const TEXT: FieldType = FieldType::Text { max: 65_535 };

pub(crate) struct AlertFamily;

impl RowFamily for AlertFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = &'a AlertRow;
    type Content = Alert;

    fn content<'a>(row: Self::Row<'a>) -> &'a Alert {
        &row.alert
    }
}

type AlertColumn = Column<AlertFamily>;

const fn id(
    name: &'static str,
    doc: &'static str,
    read: for<'c> fn(&'c Alert) -> Scalar<'c>,
) -> AlertColumn {
    AlertColumn::of_content(Field::new(name, FieldType::Id, Rule::ReadOnly, doc), read)
}

const COLUMNS: &[AlertColumn] = &[
    id("alertid", "Id; later alerts have greater ones", |it| Scalar::Id(it.id)),
    id("actionid", "Action that created it", |it| Scalar::Id(it.action)),
    id("eventid", "Event that it is about", |it| Scalar::Id(it.event.0)),
    id("userid", "Recipient; 0 of commands", |it| Scalar::Id(it.user.0)),
    AlertColumn::of_content(
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When it was made"),
        |it| Scalar::Number(it.clock),
    ),
    id("mediatypeid", "Media type; 0 of commands", |it| Scalar::Id(it.media_type)),
    AlertColumn::of_content(
        Field::new("sendto", TEXT, Rule::ReadOnly, "Address; several are separated by commas"),
        |it| Scalar::Text(&it.sendto),
    ),
    AlertColumn::of_content(
        Field::new("subject", TEXT, Rule::ReadOnly, "Subject, with macros resolved"),
        |it| Scalar::Text(&it.subject),
    ),
    AlertColumn::of_content(
        Field::new("message", TEXT, Rule::ReadOnly, "Text with macros resolved, or the command"),
        |it| Scalar::Text(&it.message),
    ),
    AlertColumn::of_content(
        Field::new(
            "status",
            FieldType::Code(&[0, 1, 2, 3]),
            Rule::ReadOnly,
            "0 not sent, 1 sent (of commands: executed), 2 given up, 3 new",
        ),
        |it| Scalar::code(it.status.shown_code()),
    ),
    AlertColumn::of_content(
        Field::new(
            "retries",
            FieldType::Int { min: 0, max: 100 },
            Rule::ReadOnly,
            "Attempts that failed",
        ),
        |it| Scalar::code(it.retries),
    ),
    AlertColumn::of_content(
        Field::new("error", TEXT, Rule::ReadOnly, "What the last attempt ended with"),
        |it| Scalar::Text(&it.error),
    ),
    AlertColumn::of_content(
        Field::new(
            "esc_step",
            FieldType::Int { min: 0, max: 2_147_483_647 },
            Rule::ReadOnly,
            "Step of the escalation; 1 of recoveries and updates",
        ),
        |it| Scalar::code(it.step),
    ),
    AlertColumn::of_content(
        Field::new("alerttype", FieldType::Code(&[0, 1]), Rule::ReadOnly, "0 message, 1 command"),
        |it| Scalar::code(it.kind.code()),
    ),
    id("p_eventid", "Of recoveries and updates: the problem", |it| Scalar::Id(it.problem.0)),
    id("acknowledgeid", "Of updates: the entry", |it| Scalar::Id(it.acknowledge)),
    id(
        "digestid",
        "Saker's own: the digest that this alert is sent with; its own id: it is the digest; 0: it is sent by itself",
        |it| Scalar::Id(it.digest),
    ),
    AlertColumn::of_content(
        Field::new(
            "held_until",
            FieldType::Timestamp,
            Rule::ReadOnly,
            "Saker's own: when a message that waits for a digest or for the end of quiet hours is sent; 0: it does not wait",
        ),
        |it| Scalar::Number(if it.status == AlertStatus::Held { it.next_at } else { 0 }),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = query::table::fields(COLUMNS);

const MEDIA_TYPES: Select =
    Select::new("selectMediatypes", "mediatypes", Gives::Objects("mediatype"));

pub(crate) const OBJECT: Object = Object {
    name: "alert",
    type_name: "Alert",
    nouns: Nouns { one: "an alert", several: "messages and commands that actions made" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "alertid",
    ids: "alertids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        MEDIA_TYPES,
        Select::new("selectUsers", "users", Gives::Objects("user")),
    ],
    params: Params::of(&[
        "alertids",
        "actionids",
        "digestids",
        "eventids",
        "groupids",
        "hostids",
        "mediatypeids",
        "objectids",
        "userids",
        "eventobject",
        "eventsource",
        "time_from",
        "time_till",
        "groupCount",
    ])
    .strict()
    .found_by(
        &["alertid", "actionid", "eventid", "userid", "mediatypeid", "status", "acknowledgeid"],
        &["sendto", "subject", "message", "error"],
    ),
    sort: &["alertid", "clock", "eventid", "status", "sendto", "mediatypeid"],
    doc: "A message or a command of an action",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[Method::get("alert.get", get).slow(Pool::Stored)],
)
.related(|ctx, rows, output| {
    let Related::Alerts(rows) = rows else { return json!([]) };
    let written = query::related(&OBJECT, &TableRows::<Alerts>::new(ctx), rows.iter(), output);
    let Value::Array(mut list) = written else { return written };
    // As in Zabbix each has its media type, without being asked.
    for (row, shown) in rows.iter().zip(&mut list) {
        let kind = ctx.snapshot.documents.get("mediatype", row.alert.media_type);
        let kinds = Related::Documents(kind.into_iter().collect());
        shown["mediatypes"] = ctx.related(&MEDIA_TYPES, kinds, &Output::Extend);
    }
    Value::Array(list)
});

struct Alerts;

impl Table for Alerts {
    type Family = AlertFamily;

    fn columns() -> &'static [AlertColumn] {
        const { COLUMNS }
    }

    fn select<'a>(
        ctx: &&'a Ctx,
        row: &'a AlertRow,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        Ok(match select.param {
            "selectHosts" => {
                let hosts = event::hosts(ctx, &event_of(row)).into_iter();
                let visible = hosts.filter(|it| ctx.may_read(it));
                ctx.related(select, Related::Holders(visible.collect()), output)
            }
            "selectMediatypes" => {
                let kind = ctx.snapshot.documents.get("mediatype", row.alert.media_type);
                ctx.related(select, Related::Documents(kind.into_iter().collect()), output)
            }
            "selectUsers" => {
                let user = ctx.snapshot.access.users.get(&row.alert.user);
                ctx.related(select, Related::Users(user.into_iter().collect()), output)
            }
            _ => json!([]),
        })
    }
}

/// The fields by which permissions and hosts are found.
fn event_of(row: &AlertRow) -> EventRow {
    EventRow {
        eventid: row.alert.event,
        source: row.source,
        object: row.object,
        objectid: row.objectid,
        time: Time::ZERO,
        value: 0,
        severity: Severity::NotClassified,
        name: String::new(),
        opdata: String::new(),
        tags: Vec::new(),
        hosts: Vec::new(),
        recovers: Vec::new(),
        userid: UserId::NONE,
    }
}

/// Conditions that SQL cannot check.
struct AlertScope<'a> {
    ctx: &'a Ctx,
    hosts: Option<Set<u64>>,
    groups: Option<Set<u64>>,
}

impl AlertScope<'_> {
    fn admits(&self, row: &AlertRow) -> bool {
        let event = event_of(row);
        let of_hosts = || {
            let hosts = event::hosts(self.ctx, &event);
            let is_of = |set: &Set<u64>| hosts.iter().any(|it| set.contains(&it.id.0));
            self.hosts.as_ref().is_none_or(is_of)
                && self.groups.as_ref().is_none_or(|set| hosts.iter().any(|it| in_groups(it, set)))
        };
        sees_object(self.ctx, &event)
            && (self.hosts.is_none() && self.groups.is_none() || of_hosts())
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let mut asked = AlertQuery {
        alertids: get.ids("alertids")?,
        actionids: get.ids("actionids")?,
        digestids: get.ids("digestids")?,
        eventids: get.ids("eventids")?,
        mediatypeids: get.ids("mediatypeids")?,
        userids: get.ids("userids")?,
        about: Some((
            get.code("eventsource", &[0, 1, 2, 3, 4])?,
            get.code("eventobject", &[0, 1, 2, 3, 4, 5, 6])?,
        )),
        objectids: get.ids("objectids")?,
        after_clock: get.timestamp("time_from")?,
        before_clock: get.timestamp("time_till")?,
        is_descending: get.options.sort.first().is_some_and(|(_, falls)| *falls),
        limit: PAGE,
        ..AlertQuery::default()
    };
    let scope = AlertScope { ctx, hosts: get.id_set("hostids")?, groups: get.id_set("groupids")? };
    if scope.hosts.is_some()
        && !matches!(asked.about, Some((_, object::TRIGGER | object::ITEM | object::RULE)))
    {
        // Others have no hosts.
        asked.alertids = Some(Vec::new());
    }
    if let Some(values) = get.take_filter("status") {
        let mut statuses: Vec<u64> = values.iter().filter_map(|it| it.parse().ok()).collect();
        let is_shown = |it: &u64| *it < u64::from(AlertStatus::Held.code());
        statuses.retain(is_shown);
        if statuses.contains(&u64::from(AlertStatus::NotSent.code())) {
            statuses.push(u64::from(AlertStatus::Held.code()));
        }
        asked.statuses = Some(statuses);
    }
    let options = &mut get.options;
    let first = options.sort.first().map(|(field, _)| field.clone());
    if first.as_deref() == Some("alertid") {
        options.sort.clear();
    }
    if first.as_deref() == Some("clock") {
        asked.is_by_clock = true;
        // Alerts of one second are ordered by id, for any limit.
        options.sort.push(("alertid".to_owned(), asked.is_descending));
    }
    let is_filtered = !options.filter.is_empty() || !options.search.is_empty();
    let is_enough = matches!(first.as_deref(), None | Some("alertid" | "clock"))
        && !is_filtered
        && !options.count;
    let enough = options.limit.filter(|_| is_enough).unwrap_or(usize::MAX);
    let mut rows = read(&scope, asked, enough)?;
    mask(ctx, &mut rows);
    query::answer(&OBJECT, &TableRows::<Alerts>::new(ctx), rows.iter(), options)
}

/// Page by page, until there are no more or enough.
fn read(
    scope: &AlertScope<'_>,
    mut asked: AlertQuery,
    enough: usize,
) -> Result<Vec<AlertRow>, ApiError> {
    let mut found: Vec<AlertRow> = Vec::new();
    loop {
        let page = scope.ctx.db().alerts().query(&asked)?;
        let is_last = page.len() < PAGE;
        if let Some(last) = page.last().map(|it| &it.alert) {
            if asked.is_by_clock {
                asked.after = Some((last.clock, last.id));
            } else if asked.is_descending {
                asked.alertid_till = Some(last.id.saturating_sub(1));
            } else {
                asked.alertid_from = Some(last.id + 1);
            }
        }
        let page: Vec<AlertRow> = page.into_iter().filter(|it| scope.admits(it)).collect();
        let events: Vec<EventId> = page.iter().map(|it| it.alert.event).collect();
        let hidden = hidden_by_filters(scope.ctx, &events)?;
        found.extend(page.into_iter().filter(|it| !hidden.contains(&it.alert.event)));
        if is_last || is_enough(&found, enough, asked.is_by_clock) {
            return Ok(found);
        }
    }
}

/// Whether enough are found. By clock, all of a second are needed where the order among them is not by id.
fn is_enough(found: &[AlertRow], enough: usize, is_by_clock: bool) -> bool {
    let Some(at) = enough.checked_sub(1).filter(|_| is_by_clock) else {
        return enough <= found.len();
    };
    let clock_of = |it: &AlertRow| it.alert.clock;
    let (one, last) = (found.get(at).map(clock_of), found.last().map(clock_of));
    one.is_some() && one != last
}
