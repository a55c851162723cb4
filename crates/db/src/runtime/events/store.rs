//! Rows of events, problems and acknowledgements.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::content::{Severity, Tag};
use model::{EventId, Time, TriggerId, UserId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::live::AcknowledgeEntry;
use super::{Acknowledge, Correlation, EventRow, EventSettings, Problem};
use crate::configuration::store::{cursor, max_of, set_cursor};
use crate::error::DbError;
use crate::sql::schema::{ACKNOWLEDGES, EVENT_CORRELATIONS, EVENTS, PROBLEMS, TRIGGER_CHANGES};
use crate::sql::{Cell, Conflict, Row, Rows, Sql, as_int};

/// Name of the cursor that says up to where the journal's events are in SQL.
pub(super) const CURSOR: &str = "events";
/// Name of the cursor that says up to which event problems are in the status of services.
pub(crate) const SERVICES_CURSOR: &str = "services";

pub(crate) const EVENT_COLUMNS: &str = "eventid, source, object, objectid, clock, ns, value, \
     severity, name, opdata, tags, hosts, recovers, userid";

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lists of plain values are JSON")
}

fn from_json<T: DeserializeOwned>(table: &'static str, id: u64, text: &str) -> Result<T, DbError> {
    serde_json::from_str(text).map_err(|error| DbError::Damaged {
        table,
        id,
        what: error.to_string(),
    })
}

pub(super) fn event_row(event: &EventRow) -> [Cell; 14] {
    [
        Cell::id(event.eventid.0),
        Cell::Int(i64::from(event.source)),
        Cell::Int(i64::from(event.object)),
        Cell::id(event.objectid),
        Cell::Int(event.time.clock()),
        Cell::Int(i64::from(event.time.ns())),
        Cell::Int(i64::from(event.value)),
        Cell::Int(i64::from(event.severity.code())),
        Cell::text(event.name.as_str()),
        Cell::text(event.opdata.as_str()),
        Cell::Text(to_json(&event.tags)),
        Cell::Text(to_json(&event.hosts)),
        Cell::Text(to_json(&event.recovers)),
        Cell::id(event.userid.0),
    ]
}

/// Reads the columns of [`EVENT_COLUMNS`].
pub(crate) fn read_event(row: &dyn Row) -> Result<EventRow, DbError> {
    let id = row.id(0)?;
    let small =
        |column| -> Result<u8, DbError> { Ok(u8::try_from(row.int(column)?).unwrap_or_default()) };
    Ok(EventRow {
        eventid: EventId(id),
        source: small(1)?,
        object: small(2)?,
        objectid: row.id(3)?,
        time: Time::from_clock(row.int(4)?, u32::try_from(row.int(5)?).unwrap_or_default()),
        value: small(6)?,
        severity: Severity::from_code(row.int(7)?).unwrap_or(Severity::NotClassified),
        name: row.text(8)?.to_owned(),
        opdata: row.text(9)?.to_owned(),
        tags: from_json("events", id, row.text(10)?)?,
        hosts: from_json("events", id, row.text(11)?)?,
        recovers: from_json("events", id, row.text(12)?)?,
        userid: UserId(row.id(13)?),
    })
}

/// Adds tags to an event, but for those that it has; gives all. `None`: there is no such event.
pub(super) fn add_tags(
    sql: &mut dyn Sql,
    id: EventId,
    given: Vec<Tag>,
) -> Result<Option<Vec<Tag>>, DbError> {
    let mut tags: Option<Vec<Tag>> = None;
    sql.query("select tags from events where eventid = ?1", &[Cell::id(id.0)], &mut |row| {
        tags = Some(from_json("events", id.0, row.text(0)?)?);
        Ok(false)
    })?;
    let Some(mut tags) = tags else { return Ok(None) };
    for tag in given {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let statement = "update events set tags = ?1 where eventid = ?2";
    sql.execute(statement, &[Cell::Text(to_json(&tags)), Cell::id(id.0)])?;
    Ok(Some(tags))
}

/// Not suppressed: 0 already means "indefinitely".
const NOT_SUPPRESSED: i64 = -1;

fn problem_row(problem: &Problem) -> [Cell; 9] {
    [
        Cell::id(problem.eventid().0),
        Cell::Int(i64::from(problem.severity.code())),
        Cell::Int(i64::from(problem.acknowledged)),
        Cell::id(problem.r_eventid.0),
        Cell::Int(problem.r_time.clock()),
        Cell::Int(i64::from(problem.r_time.ns())),
        Cell::id(problem.userid.0),
        Cell::Int(problem.suppressed_until.unwrap_or(NOT_SUPPRESSED)),
        Cell::id(saved_cause(problem).0),
    ]
}

/// Causes that follow from the parents of hosts are computed again after a start, until the problem
/// is resolved: then they stay.
fn saved_cause(problem: &Problem) -> EventId {
    if problem.is_open() { problem.ranked.unwrap_or_default() } else { problem.cause }
}

/// Saves events and what became of problems, with the position after them.
pub(super) fn save(
    sql: &mut dyn Sql,
    events: &[Arc<EventRow>],
    problems: Vec<Arc<Problem>>,
    lsn: u64,
) -> Result<(), DbError> {
    let mut rows = Rows::new(&EVENTS);
    for event in events {
        rows.push(event_row(event));
    }
    sql.insert(&rows, Conflict::Ignore)?;
    save_problems(sql, &problems)?;
    save_changes(sql, events)?;
    set_cursor(sql, CURSOR, lsn)
}

/// When each trigger last had an event.
fn save_changes(sql: &mut dyn Sql, events: &[Arc<EventRow>]) -> Result<(), DbError> {
    let of_triggers = events.iter().filter(|it| it.is_of_trigger());
    let newest: BTreeMap<u64, &Arc<EventRow>> = of_triggers.map(|it| (it.objectid, it)).collect();
    let mut rows = Rows::new(&TRIGGER_CHANGES);
    for (trigger, event) in newest {
        rows.push([
            Cell::id(trigger),
            Cell::id(event.eventid.0),
            Cell::Int(event.time.clock()),
            Cell::Int(i64::from(event.time.ns())),
        ]);
    }
    sql.insert(&rows, Conflict::Update)?;
    Ok(())
}

/// When each trigger last had an event, of those that are still there.
pub(super) fn last_changes(sql: &mut dyn Sql) -> Result<Vec<(TriggerId, Time)>, DbError> {
    let mut found = Vec::new();
    let statement = "select c.triggerid, c.clock, c.ns from trigger_changes c \
                     join triggers t on t.triggerid = c.triggerid";
    sql.query(statement, &[], &mut |row| {
        let ns = u32::try_from(row.int(2)?).unwrap_or_default();
        found.push((TriggerId(row.id(0)?), Time::from_clock(row.int(1)?, ns)));
        Ok(true)
    })?;
    Ok(found)
}

fn save_problems(sql: &mut dyn Sql, problems: &[Arc<Problem>]) -> Result<(), DbError> {
    // One row a problem: PostgreSQL refuses to update a row twice in one statement.
    let newest: BTreeMap<EventId, &Arc<Problem>> =
        problems.iter().map(|it| (it.eventid(), it)).collect();
    let mut rows = Rows::new(&PROBLEMS);
    for problem in newest.values() {
        rows.push(problem_row(problem));
    }
    sql.insert(&rows, Conflict::Update)?;
    Ok(())
}

pub(super) fn save_acknowledges(
    sql: &mut dyn Sql,
    entries: &[AcknowledgeEntry],
    problems: &[Arc<Problem>],
    conflict: Conflict,
) -> Result<(), DbError> {
    let mut rows = Rows::new(&ACKNOWLEDGES);
    for (eventid, entry) in entries {
        rows.push([
            Cell::id(entry.acknowledgeid),
            Cell::id(eventid.0),
            Cell::id(entry.userid.0),
            Cell::Int(entry.clock),
            Cell::text(entry.message.as_str()),
            Cell::Int(i64::from(entry.action)),
            Cell::Int(i64::from(entry.old_severity)),
            Cell::Int(i64::from(entry.new_severity)),
            Cell::Int(entry.suppress_until),
        ]);
    }
    sql.insert(&rows, conflict)?;
    save_problems(sql, problems)
}

pub(super) fn delete_acknowledges(
    sql: &mut dyn Sql,
    entries: &[AcknowledgeEntry],
) -> Result<(), DbError> {
    let ids: Vec<i64> = entries.iter().map(|(_, it)| as_int(it.acknowledgeid)).collect();
    sql.delete(&ACKNOWLEDGES, "acknowledgeid", &ids)?;
    Ok(())
}

/// Deletes problems with what users said of them; their events stay.
pub(super) fn delete_problems(sql: &mut dyn Sql, ids: &[EventId]) -> Result<(), DbError> {
    let ids: Vec<i64> = ids.iter().map(|it| as_int(it.0)).collect();
    sql.delete(&ACKNOWLEDGES, "eventid", &ids)?;
    sql.delete(&EVENT_CORRELATIONS, "eventid", &ids)?;
    sql.delete(&PROBLEMS, "eventid", &ids)?;
    Ok(())
}

/// The initial state of memory.
pub(super) struct Restored {
    pub(super) problems: Vec<Problem>,
    pub(super) last_eventid: EventId,
    pub(super) next_acknowledgeid: u64,
    pub(super) lsn: u64,
}

/// The most resolved problems that a start loads, the newest ones: an hour of the planned storm.
const RESOLVED_MAX: i64 = 100_000;

pub(super) fn load(sql: &mut dyn Sql, settings: &EventSettings) -> Result<Restored, DbError> {
    let mut problems = BTreeMap::new();
    load_where(sql, "p.r_eventid = 0", &[], &mut problems)?;
    let resolved = "p.r_eventid >= ?1 and (p.r_clock >= ?2 or p.r_eventid > ?3)";
    if let Some(recent) = recent(sql, settings)? {
        load_where(sql, resolved, &recent, &mut problems)?;
    }
    let next_acknowledgeid =
        max_of(sql, "select coalesce(max(acknowledgeid), 0) from acknowledges")? + 1;
    let last_eventid = max_of(sql, "select coalesce(max(eventid), 0) from events")?;
    Ok(Restored {
        problems: problems.into_values().collect(),
        last_eventid: EventId(last_eventid),
        next_acknowledgeid,
        lsn: cursor(sql, CURSOR)?,
    })
}

/// Which resolved problems a start needs, so that it does not read all that there ever were: those that ended not long
/// before the last one did, and those that services have not heard of. Whether they are still recent is decided later,
/// when the time is known.
fn recent(sql: &mut dyn Sql, settings: &EventSettings) -> Result<Option<[Cell; 3]>, DbError> {
    let mut last = None;
    let statement =
        "select r_clock from problems where r_eventid > 0 order by r_eventid desc limit 1";
    sql.query(statement, &[], &mut |row| {
        last = Some(row.int(0)?);
        Ok(false)
    })?;
    let Some(last) = last else { return Ok(None) };
    let since = Cell::Int(last.saturating_sub(settings.keep_resolved_s));
    let heard = Cell::Int(match cursor(sql, SERVICES_CURSOR)? {
        0 => i64::MAX,
        it => as_int(it),
    });
    let limit = i64::try_from(settings.resolved_max).unwrap_or(i64::MAX).min(RESOLVED_MAX);
    // The index has all of it.
    let statement = "select coalesce(min(r_eventid), 0) from \
                     (select r_eventid, r_clock from problems where r_eventid > 0 \
                     order by r_eventid desc limit ?1) newest \
                     where r_clock >= ?2 or r_eventid > ?3";
    let mut from = Cell::Int(0);
    sql.query(statement, &[Cell::Int(limit), since.clone(), heard.clone()], &mut |row| {
        from = Cell::Int(row.int(0)?);
        Ok(false)
    })?;
    Ok(Some([from, since, heard]))
}

/// Problems by a list of ids, with their acknowledgements.
pub(super) fn load_problems(sql: &mut dyn Sql, ids: &str) -> Result<Vec<Problem>, DbError> {
    let mut problems = BTreeMap::new();
    load_where(sql, &format!("p.eventid in ({ids})"), &[], &mut problems)?;
    Ok(problems.into_values().collect())
}

/// Problems `p` of a condition, with their acknowledgements.
fn load_where(
    sql: &mut dyn Sql,
    condition: &str,
    params: &[Cell],
    found: &mut BTreeMap<EventId, Problem>,
) -> Result<(), DbError> {
    sql.query(&problem_statement(condition), params, &mut |row| {
        let problem = read_problem(row)?;
        found.insert(problem.eventid(), problem);
        Ok(true)
    })?;
    load_acknowledges(sql, (condition, params), found)
}

fn problem_statement(condition: &str) -> String {
    let columns: Vec<String> = EVENT_COLUMNS.split(", ").map(|it| format!("e.{it}")).collect();
    format!(
        "select {}, p.severity, p.acknowledged, p.r_eventid, p.r_clock, p.r_ns, p.userid, \
         p.suppressed_until, p.cause_eventid, coalesce(c.correlationid, 0), \
         coalesce(c.c_eventid, 0) \
         from problems p join events e on e.eventid = p.eventid \
         left join event_correlations c on c.eventid = p.eventid \
         where {condition}",
        columns.join(", ")
    )
}

fn read_problem(row: &dyn Row) -> Result<Problem, DbError> {
    let event = read_event(row)?;
    let until = row.int(20)?;
    let cause = EventId(row.id(21)?);
    let (correlationid, by) = (row.id(22)?, EventId(row.id(23)?));
    Ok(Problem {
        severity: Severity::from_code(row.int(14)?).unwrap_or(event.severity),
        event: Arc::new(event),
        acknowledged: row.int(15)? != 0,
        r_eventid: EventId(row.id(16)?),
        r_time: Time::from_clock(row.int(17)?, u32::try_from(row.int(18)?).unwrap_or_default()),
        userid: UserId(row.id(19)?),
        cause,
        ranked: cause.is_some().then_some(cause),
        flapping: false,
        correlation: (correlationid != 0).then_some(Correlation { correlationid, by }),
        acknowledges: Vec::new(),
        suppressed_until: (until != NOT_SUPPRESSED).then_some(until),
        maintenances: Vec::new(),
        version: 0,
    })
}

fn load_acknowledges(
    sql: &mut dyn Sql,
    (condition, params): (&str, &[Cell]),
    problems: &mut BTreeMap<EventId, Problem>,
) -> Result<(), DbError> {
    let statement = format!(
        "select acknowledgeid, eventid, userid, clock, message, action, old_severity, \
         new_severity, suppress_until from acknowledges \
         where eventid in (select p.eventid from problems p where {condition}) \
         order by acknowledgeid"
    );
    sql.query(&statement, params, &mut |row| {
        let entry = read_acknowledge(row)?;
        if let Some(problem) = problems.get_mut(&EventId(row.id(1)?)) {
            problem.acknowledges.push(entry);
        }
        Ok(true)
    })
}

/// Reads the columns `acknowledgeid, eventid, userid, …`.
pub(crate) fn read_acknowledge(row: &dyn Row) -> Result<Acknowledge, DbError> {
    let small =
        |column| -> Result<u8, DbError> { Ok(u8::try_from(row.int(column)?).unwrap_or_default()) };
    Ok(Acknowledge {
        acknowledgeid: row.id(0)?,
        userid: UserId(row.id(2)?),
        clock: row.int(3)?,
        message: row.text(4)?.to_owned(),
        action: u32::try_from(row.int(5)?).unwrap_or_default(),
        old_severity: small(6)?,
        new_severity: small(7)?,
        suppress_until: row.int(8)?,
    })
}
