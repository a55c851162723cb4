//! Escalations between turns: tables `escalations` and `alerts`, and up to where events and updates were
//! judged. A turn is saved in one transaction ([`EscalationStore::save`]): after a crash the next one begins with
//! what this one had, and makes the same of it.

use std::fmt;
use std::sync::Arc;

use alert::Alert;
use alert::escalation::{Escalation, Involved};
use model::{EventId, UserId};

use crate::configuration::store;
use crate::error::DbError;
use crate::runtime::alerts;
use crate::runtime::alerts::NewDigest;
use crate::runtime::events::{Acknowledge, EVENT_COLUMNS, EventRow, read_acknowledge, read_event};
use crate::sql::schema::{ESCALATIONS, IDS};
use crate::sql::{Cell, Conflict, Rows, Sql, Workers, as_int};

/// Cursors: one more than the last id, since 0 is for "none yet".
const EVENTS_CURSOR: &str = "alerting events";
const UPDATES_CURSOR: &str = "alerting acknowledges";
/// The row of `ids` that holds the next one.
const NEXT_ID: &str = "escalation";

/// Up to where events and updates were judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Judged {
    pub event: EventId,
    pub acknowledge: u64,
}

/// The state with which a start continues.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedEscalations {
    pub escalations: Vec<Escalation>,
    /// Greater than all ids ever given.
    pub next_id: u64,
    pub judged: Judged,
}

/// Events and updates since the last turn, by id.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ToJudge {
    pub events: Vec<EventRow>,
    pub updates: Vec<(EventId, Acknowledge)>,
}

/// The result of a turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EscalationTurn {
    /// New or changed ones.
    pub changed: Vec<Escalation>,
    pub ended: Vec<u64>,
    /// Ids are given here.
    pub alerts: Vec<Alert>,
    pub digests: Vec<NewDigest>,
    pub next_id: u64,
    pub judged: Judged,
}

/// Escalations in the store.
pub struct EscalationStore {
    workers: Arc<Workers>,
}

impl fmt::Debug for EscalationStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EscalationStore")
    }
}

impl EscalationStore {
    pub(crate) const fn new(workers: Arc<Workers>) -> Self {
        Self { workers }
    }

    /// Loads the saved state. At the very first start nothing that exists is judged: no messages
    /// are sent for old problems.
    ///
    /// # Errors
    /// If the database is away, or a row is damaged.
    pub fn load(&self) -> Result<SavedEscalations, DbError> {
        self.workers.write("load escalations", load)
    }

    /// Events and updates above those that were judged, at most so many of each.
    ///
    /// # Errors
    /// If the database is away.
    pub fn to_judge(&self, judged: Judged, limit: u32) -> Result<ToJudge, DbError> {
        self.workers.read("read events to judge", move |sql| to_judge(sql, judged, limit))
    }

    /// Saves a turn, whole or not at all.
    ///
    /// # Errors
    /// If the database refuses. It may be saved all the same, if the answer was lost:
    /// [`Self::load`] shows it.
    pub fn save(&self, turn: EscalationTurn) -> Result<(), DbError> {
        let mut turn = turn;
        self.workers.write("save escalations", move |sql| save(sql, &mut turn))
    }

    /// Recipients of messages about events: action, event, user with media type.
    ///
    /// # Errors
    /// If the database is away.
    pub fn involved(&self, events: &[EventId]) -> Result<Vec<(u64, EventId, Involved)>, DbError> {
        let events = events.to_vec();
        self.workers.read("read who got messages", move |sql| involved(sql, &events))
    }

    /// The last message of an action about an event that a user got: subject and text.
    ///
    /// # Errors
    /// If the database is away.
    pub fn last_message(
        &self,
        (action, event): (u64, EventId),
        to: Involved,
    ) -> Result<Option<(String, String)>, DbError> {
        let read = move |sql: &mut dyn Sql| last_message(sql, (action, event), to);
        self.workers.read("read the last message", read)
    }
}

fn load(sql: &mut dyn Sql) -> Result<SavedEscalations, DbError> {
    let last_event = store::max_of(sql, "select coalesce(max(eventid), 0) from events")?;
    let last_update =
        store::max_of(sql, "select coalesce(max(acknowledgeid), 0) from acknowledges")?;
    let known = |saved: u64, last: u64| match saved.checked_sub(1) {
        // Ids of updates begin after the last one that is left: after deletions they come again.
        Some(id) => id.min(last),
        None => last,
    };
    let judged = Judged {
        event: EventId(known(store::cursor(sql, EVENTS_CURSOR)?, last_event)),
        acknowledge: known(store::cursor(sql, UPDATES_CURSOR)?, last_update),
    };
    set_judged(sql, judged)?;
    let mut escalations = Vec::new();
    let statement = "select escalationid, actionid, eventid, next_at, body from escalations \
                     order by escalationid";
    sql.query(statement, &[], &mut |row| {
        let ids = (row.id(0)?, row.id(1)?, EventId(row.id(2)?));
        let read = Escalation::read(ids, row.int(3)?, row.text(4)?);
        let read = read.map_err(|error| DbError::Damaged {
            table: "escalations",
            id: ids.0,
            what: error.to_string(),
        });
        escalations.push(read?);
        Ok(true)
    })?;
    let mut next_id = 1;
    sql.query("select next from ids where name = ?1", &[Cell::text(NEXT_ID)], &mut |row| {
        next_id = row.id(0)?;
        Ok(false)
    })?;
    Ok(SavedEscalations { escalations, next_id, judged })
}

fn set_judged(sql: &mut dyn Sql, judged: Judged) -> Result<(), DbError> {
    store::set_cursor(sql, EVENTS_CURSOR, judged.event.0 + 1)?;
    store::set_cursor(sql, UPDATES_CURSOR, judged.acknowledge + 1)
}

fn to_judge(sql: &mut dyn Sql, judged: Judged, limit: u32) -> Result<ToJudge, DbError> {
    let limit = Cell::Int(i64::from(limit));
    let mut found = ToJudge::default();
    let statement =
        format!("select {EVENT_COLUMNS} from events where eventid > ?1 order by eventid limit ?2");
    sql.query(&statement, &[Cell::id(judged.event.0), limit.clone()], &mut |row| {
        found.events.push(read_event(row)?);
        Ok(true)
    })?;
    let statement = "select acknowledgeid, eventid, userid, clock, message, action, old_severity, \
                     new_severity, suppress_until \
                     from acknowledges where acknowledgeid > ?1 order by acknowledgeid limit ?2";
    sql.query(statement, &[Cell::id(judged.acknowledge), limit], &mut |row| {
        found.updates.push((EventId(row.id(1)?), read_acknowledge(row)?));
        Ok(true)
    })?;
    Ok(found)
}

fn save(sql: &mut dyn Sql, turn: &mut EscalationTurn) -> Result<(), DbError> {
    let mut rows = Rows::new(&ESCALATIONS);
    for it in &turn.changed {
        rows.push([
            Cell::id(it.id),
            Cell::id(it.action),
            Cell::id(it.event.0),
            Cell::id(0),
            Cell::Int(it.next_at),
            Cell::Text(it.body()),
        ]);
    }
    sql.insert(&rows, Conflict::Update)?;
    let ended: Vec<i64> = turn.ended.iter().map(|it| as_int(*it)).collect();
    sql.delete(&ESCALATIONS, "escalationid", &ended)?;
    alerts::insert(sql, &mut turn.alerts)?;
    alerts::insert_digests(sql, &mut turn.digests)?;
    if !turn.changed.is_empty() {
        let mut ids = Rows::new(&IDS);
        ids.push([Cell::text(NEXT_ID), Cell::id(turn.next_id)]);
        sql.insert(&ids, Conflict::Update)?;
    }
    set_judged(sql, turn.judged)
}

fn involved(
    sql: &mut dyn Sql,
    events: &[EventId],
) -> Result<Vec<(u64, EventId, Involved)>, DbError> {
    let mut found = Vec::new();
    for some in events.chunks(10_000) {
        let list: Vec<String> = some.iter().map(|it| it.0.to_string()).collect();
        let statement = format!(
            "select distinct actionid, eventid, userid, mediatypeid from alerts \
             where eventid in ({}) and alerttype = 0",
            list.join(",")
        );
        sql.query(&statement, &[], &mut |row| {
            let by = Involved { user: UserId(row.id(2)?), media_type: row.id(3)? };
            found.push((row.id(0)?, EventId(row.id(1)?), by));
            Ok(true)
        })?;
    }
    Ok(found)
}

fn last_message(
    sql: &mut dyn Sql,
    (action, event): (u64, EventId),
    to: Involved,
) -> Result<Option<(String, String)>, DbError> {
    let params =
        [Cell::id(event.0), Cell::id(action), Cell::id(to.user.0), Cell::id(to.media_type)];
    let statement = "select subject, message from alerts \
                     where eventid = ?1 and actionid = ?2 and userid = ?3 and mediatypeid = ?4 \
                     and alerttype = 0 and digestid <> alertid order by alertid desc limit 1";
    let mut found = None;
    sql.query(statement, &params, &mut |row| {
        found = Some((row.text(0)?.to_owned(), row.text(1)?.to_owned()));
        Ok(false)
    })?;
    Ok(found)
}
