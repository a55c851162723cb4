//! Rows of `service_alarms`.

use lang::service::Status;
use model::content::Severity;
use model::map::Map;
use model::{EventId, Time};

use super::timeline::StatusTimeline;
use crate::configuration::store::{cursor, set_cursor};
use crate::error::DbError;
use crate::runtime::events::SERVICES_CURSOR;
use crate::sql::schema::SERVICE_ALARMS;
use crate::sql::{Cell, Conflict, Row, Rows, Sql, as_int};

/// The most ids in one statement; more take several.
const IDS_MAX: usize = 10_000;

/// Of an alarm that only changes the severity of a problem.
const NO_EVENT: i64 = -1;
/// Of an alarm whose event is not in the journal, as far as is known.
const EVENT_PENDING: i64 = 0;

/// A change of status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Alarm {
    pub(super) id: u64,
    pub(super) service: u64,
    pub(super) time: Time,
    pub(super) from: Status,
    pub(super) to: Status,
}

impl Alarm {
    /// Between OK and a problem there is an event; from one severity to another there is none.
    pub(super) fn has_event(&self) -> bool {
        self.from.is_some() != self.to.is_some()
    }
}

fn code(status: Status) -> i64 {
    status.map_or(-1, |it| it.code().into())
}

/// The state that a start finds.
#[derive(Debug, Default)]
pub(super) struct Restored {
    pub(super) next_alarmid: u64,
    pub(super) cursor: EventId,
    /// By service: the time of its last alarm, and the status since.
    pub(super) last: Map<u64, (Time, Status)>,
    /// Alarms without an event that they should have, by id.
    pub(super) pending: Vec<Alarm>,
    /// The last event that is known.
    pub(super) last_event: EventId,
}

pub(super) fn load(sql: &mut dyn Sql) -> Result<Restored, DbError> {
    let mut restored = Restored {
        cursor: EventId(cursor(sql, SERVICES_CURSOR)?),
        next_alarmid: 1,
        ..Restored::default()
    };
    let newest = "select a.serviceid, a.clock, a.ns, a.value, a.servicealarmid from service_alarms a \
                  join (select max(servicealarmid) as id from service_alarms group by serviceid) m \
                  on m.id = a.servicealarmid";
    sql.query(newest, &[], &mut |row| {
        restored.last.insert(row.id(0)?, (time(row, 1)?, Severity::from_code(row.int(3)?)));
        restored.next_alarmid = restored.next_alarmid.max(row.id(4)? + 1);
        Ok(true)
    })?;
    let events = "select coalesce(max(eventid), 0) from service_alarms";
    sql.query(events, &[], &mut |row| {
        restored.last_event = EventId(u64::try_from(row.int(0)?).unwrap_or(0));
        Ok(false)
    })?;
    let pending = "select servicealarmid, serviceid, clock, ns, value, old_value \
                   from service_alarms where eventid = ?1 order by servicealarmid";
    sql.query(pending, &[Cell::Int(EVENT_PENDING)], &mut |row| {
        restored.pending.push(Alarm {
            id: row.id(0)?,
            service: row.id(1)?,
            time: time(row, 2)?,
            to: Severity::from_code(row.int(4)?),
            from: Severity::from_code(row.int(5)?),
        });
        Ok(true)
    })?;
    Ok(restored)
}

fn time(row: &dyn Row, clock: usize) -> Result<Time, DbError> {
    let ns = u32::try_from(row.int(clock + 1)?).unwrap_or_default();
    Ok(Time::from_clock(row.int(clock)?, ns))
}

/// The rows of one transaction of the manager.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    pub(super) alarms: Vec<Alarm>,
    /// Events of alarms that were written before.
    pub(super) events: Vec<(Alarm, EventId)>,
    /// Services that are gone.
    pub(super) gone: Vec<u64>,
    pub(super) cursor: EventId,
}

pub(super) fn save(sql: &mut dyn Sql, batch: &Batch) -> Result<(), DbError> {
    let row = |alarm: &Alarm, event: i64| {
        [
            Cell::id(alarm.id),
            Cell::id(alarm.service),
            Cell::Int(alarm.time.clock()),
            Cell::Int(i64::from(alarm.time.ns())),
            Cell::Int(code(alarm.to)),
            Cell::Int(code(alarm.from)),
            Cell::Int(event),
        ]
    };
    let mut rows = Rows::new(&SERVICE_ALARMS);
    for alarm in &batch.alarms {
        rows.push(row(alarm, if alarm.has_event() { EVENT_PENDING } else { NO_EVENT }));
    }
    // Rows are written again if it is not known whether they were.
    sql.insert(&rows, Conflict::Ignore)?;
    let mut rows = Rows::new(&SERVICE_ALARMS);
    for (alarm, event) in &batch.events {
        rows.push(row(alarm, as_int(event.0)));
    }
    sql.insert(&rows, Conflict::Update)?;
    let gone: Vec<i64> = batch.gone.iter().map(|it| as_int(*it)).collect();
    sql.delete(&SERVICE_ALARMS, "serviceid", &gone)?;
    set_cursor(sql, SERVICES_CURSOR, batch.cursor.0)
}

pub(super) fn timelines(
    sql: &mut dyn Sql,
    services: &[u64],
    from: i64,
    to: i64,
) -> Result<Map<u64, StatusTimeline>, DbError> {
    let mut found: Map<u64, StatusTimeline> = Map::default();
    for some in services.chunks(IDS_MAX) {
        let list: Vec<String> = some.iter().map(u64::to_string).collect();
        let list = list.join(",");
        let starts = format!(
            "select a.serviceid, a.value from service_alarms a \
             join (select max(servicealarmid) as id from service_alarms \
             where serviceid in ({list}) and clock < ?1 group by serviceid) m \
             on m.id = a.servicealarmid"
        );
        sql.query(&starts, &[Cell::Int(from)], &mut |row| {
            found.entry(row.id(0)?).or_default().start = Severity::from_code(row.int(1)?);
            Ok(true)
        })?;
        let changes = format!(
            "select serviceid, clock, value from service_alarms \
             where serviceid in ({list}) and clock >= ?1 and clock < ?2 order by servicealarmid"
        );
        sql.query(&changes, &[Cell::Int(from), Cell::Int(to)], &mut |row| {
            let change = (row.int(1)?, Severity::from_code(row.int(2)?));
            found.entry(row.id(0)?).or_default().changes.push(change);
            Ok(true)
        })?;
    }
    Ok(found)
}
