//! Expiry in the database: events with their problems, the audit log, sessions, changes of
//! services, and data of deleted interfaces and users.
//!
//! A [`Round`] goes through all of it in steps. A step looks at a bounded number of rows and deletes,
//! in one transaction, those of them that are to go: the writer, which all edits and all events
//! share, is held for some milliseconds, and the caller of the round decides how long it rests in
//! between. Rows are found by an index and by where the step before ended, so that what has to stay
//! is looked at once a round.
//!
//! Never deleted: events of open problems, the events that ended problems which stay, and the newest
//! event (the ids of later ones are known by it).

use std::mem;

use model::Time;
use model::settings::EventPeriods;

use crate::configuration::objects::housekeeping::services_s;
use crate::error::DbError;
use crate::handle::Db;
use crate::runtime::events::source;
use crate::sql::schema::{
    ACKNOWLEDGES, ALERTS, EVENT_CORRELATIONS, EVENTS, PROBLEMS, TRIGGER_CHANGES,
};
use crate::sql::{Cell, Sql};

/// The subject of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HousekeepingPart {
    /// Events past their period.
    Events,
    /// Events of triggers that are gone.
    DeletedTriggers,
    Audit,
    Sessions,
    /// Changes of the status of services.
    Services,
    /// States of interfaces that are gone, views of users who are gone.
    Leftovers,
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HousekeepingStep {
    pub part: HousekeepingPart,
    /// Rows that went.
    pub n_deleted: u64,
}

/// The most triggers whose events are deleted in one round; the next one continues.
const TRIGGERS_MAX: i64 = 10_000;

/// Before all events.
const START: (i64, i64) = (i64::MIN, 0);

/// Where a round is.
#[derive(Clone, Debug)]
enum Stage {
    /// Events of one source after another, by time and id.
    Events {
        of: usize,
        after: (i64, i64),
    },
    ListTriggers,
    Triggers {
        left: Vec<i64>,
    },
    Audit,
    Sessions,
    Services,
    Leftovers,
    Over,
}

/// One round through everything that expires.
#[derive(Debug)]
pub struct HousekeepingRound {
    db: Db,
    now: Time,
    rows_max: u32,
    stage: Stage,
}

impl Db {
    /// Begins a round, by the settings as they are at each step; a step looks at `rows_max` rows.
    #[must_use]
    pub fn housekeeping(&self, now: Time, rows_max: u32) -> HousekeepingRound {
        let stage = Stage::Events { of: 0, after: START };
        HousekeepingRound { db: self.clone(), now, rows_max: rows_max.max(1), stage }
    }
}

impl HousekeepingRound {
    /// Makes the next step; `None`: the round has ended.
    ///
    /// # Errors
    /// If the database is away. The next call tries the same step again.
    pub fn step(&mut self) -> Result<Option<HousekeepingStep>, DbError> {
        while !matches!(self.stage, Stage::Over) {
            let settings = self.db.snapshot().globals.settings.housekeeping.clone();
            let (step, next) = match self.stage.clone() {
                Stage::Events { of, after } => self.events(settings.events, of, after)?,
                Stage::ListTriggers => {
                    (None, Some(Stage::Triggers { left: self.db.deleted_triggers()? }))
                }
                Stage::Triggers { left } => self.triggers(left)?,
                Stage::Audit => self.audit(settings.audit_s)?,
                Stage::Sessions => self.sessions(settings.sessions_s)?,
                Stage::Services => self.services(services_s(&self.db.snapshot()))?,
                Stage::Leftovers => self.leftovers()?,
                Stage::Over => (None, None),
            };
            if let Some(next) = next {
                self.stage = next;
            }
            if step.is_some() {
                return Ok(step);
            }
        }
        Ok(None)
    }

    /// The subject of the next step; `None`: the round has ended.
    #[must_use]
    pub fn part(&self) -> Option<HousekeepingPart> {
        Some(match self.stage {
            Stage::Events { .. } => HousekeepingPart::Events,
            Stage::ListTriggers | Stage::Triggers { .. } => HousekeepingPart::DeletedTriggers,
            Stage::Audit => HousekeepingPart::Audit,
            Stage::Sessions => HousekeepingPart::Sessions,
            Stage::Services => HousekeepingPart::Services,
            Stage::Leftovers => HousekeepingPart::Leftovers,
            Stage::Over => return None,
        })
    }

    /// Leaves out what the next step is about in this round: the rest of a part, or of one trigger that is gone.
    pub fn skip(&mut self) {
        self.stage = match mem::replace(&mut self.stage, Stage::Over) {
            Stage::Events { .. } => Stage::ListTriggers,
            Stage::Triggers { mut left } => {
                left.pop();
                Stage::Triggers { left }
            }
            Stage::ListTriggers => Stage::Audit,
            Stage::Audit => Stage::Sessions,
            Stage::Sessions => Stage::Services,
            Stage::Services => Stage::Leftovers,
            Stage::Leftovers | Stage::Over => Stage::Over,
        };
    }

    fn events(
        &self,
        periods: Option<EventPeriods>,
        of: usize,
        after: (i64, i64),
    ) -> Result<Stepped, DbError> {
        let Some(periods) = periods else { return Ok((None, Some(Stage::Audit))) };
        let Some((source, kept_s)) = period_of(of, &periods) else {
            return Ok((None, Some(Stage::ListTriggers)));
        };
        let before = self.now.clock().saturating_sub(kept_s);
        let limit = i64::from(self.rows_max);
        let (n_deleted, next) =
            self.db.expire_events(OldEvents { source, before, after, limit })?;
        let next = match next {
            Some(after) => Stage::Events { of, after },
            None => Stage::Events { of: of + 1, after: START },
        };
        Ok(stepped(HousekeepingPart::Events, n_deleted, Some(next)))
    }

    fn triggers(&self, mut left: Vec<i64>) -> Result<Stepped, DbError> {
        let Some(trigger) = left.last().copied() else { return Ok((None, Some(Stage::Audit))) };
        let (n_deleted, is_over) = self.db.delete_events_of(trigger, i64::from(self.rows_max))?;
        if is_over {
            left.pop();
        }
        let next = Some(Stage::Triggers { left });
        Ok(stepped(HousekeepingPart::DeletedTriggers, n_deleted, next))
    }

    fn audit(&self, kept_s: Option<i64>) -> Result<Stepped, DbError> {
        let Some(kept_s) = kept_s else { return Ok((None, Some(Stage::Sessions))) };
        let before = self.now.clock().saturating_sub(kept_s);
        let n_deleted = self.db.audit().expire(before, self.rows_max)?;
        let next = (n_deleted < u64::from(self.rows_max)).then_some(Stage::Sessions);
        Ok(stepped(HousekeepingPart::Audit, n_deleted, next))
    }

    fn sessions(&self, kept_s: Option<i64>) -> Result<Stepped, DbError> {
        let Some(kept_s) = kept_s else { return Ok((None, Some(Stage::Services))) };
        let n_deleted = self.db.expire_sessions(kept_s, self.rows_max, self.now)?;
        let next = (n_deleted < u64::from(self.rows_max)).then_some(Stage::Services);
        Ok(stepped(HousekeepingPart::Sessions, n_deleted, next))
    }

    fn services(&self, kept_s: Option<i64>) -> Result<Stepped, DbError> {
        let Some(kept_s) = kept_s else { return Ok((None, Some(Stage::Leftovers))) };
        let before = self.now.clock().saturating_sub(kept_s);
        let n_deleted = self.db.expire_service_alarms(before, i64::from(self.rows_max))?;
        let next = (n_deleted < u64::from(self.rows_max)).then_some(Stage::Leftovers);
        Ok(stepped(HousekeepingPart::Services, n_deleted, next))
    }

    fn leftovers(&self) -> Result<Stepped, DbError> {
        // First in memory: a state that is saved between the two is deleted in the next round.
        self.db.availability().keep_only(&self.db.snapshot());
        let n_deleted = self.db.delete_leftovers(i64::from(self.rows_max))?;
        let next = (n_deleted < u64::from(self.rows_max)).then_some(Stage::Over);
        Ok(stepped(HousekeepingPart::Leftovers, n_deleted, next))
    }
}

/// The result, and the next stage if it changes.
type Stepped = (Option<HousekeepingStep>, Option<Stage>);

fn stepped(part: HousekeepingPart, n_deleted: u64, next: Option<Stage>) -> Stepped {
    (Some(HousekeepingStep { part, n_deleted }), next)
}

/// Sources of events in the order of a round, with their periods.
fn period_of(at: usize, periods: &EventPeriods) -> Option<(u8, i64)> {
    let all = [
        (source::TRIGGER, periods.trigger_s),
        (source::INTERNAL, periods.internal_s),
        (source::DISCOVERY, periods.discovery_s),
        (source::AUTOREGISTRATION, periods.autoregistration_s),
        (source::SERVICE, periods.service_s),
    ];
    all.get(at).copied()
}

/// Which events a step looks at.
#[derive(Clone, Copy, Debug)]
struct OldEvents {
    source: u8,
    /// Seconds since 1970.
    before: i64,
    /// Time and id of the last one that was looked at.
    after: (i64, i64),
    limit: i64,
}

/// An event that may have to go.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    id: i64,
    clock: i64,
    is_problem: bool,
    /// Of a problem: when it ended; `None` while it is open.
    ended: Option<i64>,
    has_state: bool,
}

impl Db {
    /// Deletes what of a run of old events is to go; gives how many, and where to go on.
    fn expire_events(&self, old: OldEvents) -> Result<(u64, Option<(i64, i64)>), DbError> {
        self.workers().write("expire events", move |sql| {
            let seen = old_events(sql, old)?;
            let is_over = |it: &Candidate| {
                it.is_problem && (!it.has_state || it.ended.is_some_and(|it| it < old.before))
            };
            let problems: Vec<i64> = seen.iter().filter(|it| is_over(it)).map(|it| it.id).collect();
            let last = seen.last().map(|it| (it.clock, it.id));
            let mut n_deleted = delete_events(sql, &problems)?;
            if let Some(last) = last {
                let unneeded = unneeded_recoveries(sql, old, last)?;
                n_deleted += delete_events(sql, &unneeded)?;
            }
            let is_last = seen.len() < usize::try_from(old.limit).unwrap_or(usize::MAX);
            let next = last.filter(|_| !is_last);
            Ok((n_deleted, next))
        })
    }

    fn expire_service_alarms(&self, before: i64, limit: i64) -> Result<u64, DbError> {
        self.workers().write("expire changes of services", move |sql| {
            expire_service_alarms(sql, before, limit)
        })
    }

    fn delete_leftovers(&self, limit: i64) -> Result<u64, DbError> {
        self.workers().write("delete leftovers", move |sql| delete_leftovers(sql, limit))
    }

    /// Triggers that had events and are gone.
    fn deleted_triggers(&self) -> Result<Vec<i64>, DbError> {
        self.workers().scan("read deleted triggers", |sql| {
            let mut found = Vec::new();
            let statement = "select c.triggerid from trigger_changes c \
                             left join triggers t on t.triggerid = c.triggerid \
                             where t.triggerid is null limit ?1";
            sql.query(statement, &[Cell::Int(TRIGGERS_MAX)], &mut |row| {
                found.push(row.int(0)?);
                Ok(true)
            })?;
            Ok(found)
        })
    }

    /// Deletes events of a trigger that is gone; gives how many, and whether that was all.
    fn delete_events_of(&self, trigger: i64, limit: i64) -> Result<(u64, bool), DbError> {
        self.workers().write("delete events of a trigger", move |sql| {
            let mut ids = Vec::new();
            let statement = "select eventid from events where objectid = ?1 and object = 0 \
                             and eventid < (select max(eventid) from events) \
                             order by eventid limit ?2";
            sql.query(statement, &[Cell::Int(trigger), Cell::Int(limit)], &mut |row| {
                ids.push(row.int(0)?);
                Ok(true)
            })?;
            let n_deleted = delete_events(sql, &ids)?;
            let is_over = n_deleted < u64::try_from(limit).unwrap_or(u64::MAX);
            if is_over {
                sql.delete(&TRIGGER_CHANGES, "triggerid", &[trigger])?;
            }
            Ok((n_deleted, is_over))
        })
    }
}

/// Deletes the oldest changes of services' status before a time; gives how many. Those stay by which the status at that
/// time is known, unless the service is gone, and the newest of all, by which later ones are found.
fn expire_service_alarms(sql: &mut dyn Sql, before: i64, limit: i64) -> Result<u64, DbError> {
    let statement = "delete from service_alarms where servicealarmid in \
                     (select a.servicealarmid from service_alarms a \
                     where a.clock < ?1 \
                     and a.servicealarmid < (select max(servicealarmid) from service_alarms) \
                     and (exists (select 1 from service_alarms b \
                     where b.serviceid = a.serviceid \
                     and b.servicealarmid > a.servicealarmid and b.clock < ?1) \
                     or not exists (select 1 from documents d \
                     where d.kind = 'service' and d.documentid = a.serviceid)) \
                     order by a.clock limit ?2)";
    Ok(sql.execute(statement, &[Cell::Int(before), Cell::Int(limit)])?)
}

/// Deletes rows whose interface or user is gone; gives how many.
fn delete_leftovers(sql: &mut dyn Sql, limit: i64) -> Result<u64, DbError> {
    let states = "delete from interface_states where interfaceid in \
                  (select s.interfaceid from interface_states s \
                  where not exists (select 1 from interfaces i \
                  where i.interfaceid = s.interfaceid) limit ?1)";
    let n_states = sql.execute(states, &[Cell::Int(limit)])?;
    let users = i64::try_from(n_states).map_or(0, |it| limit.saturating_sub(it));
    // All views of one user go together; their number is bounded (see `views`).
    let views = "delete from user_views where userid in \
                 (select v.userid from user_views v \
                 where not exists (select 1 from users u where u.userid = v.userid) limit ?1)";
    Ok(n_states + sql.execute(views, &[Cell::Int(users)])?)
}

/// The next old events by time.
fn old_events(sql: &mut dyn Sql, old: OldEvents) -> Result<Vec<Candidate>, DbError> {
    let statement = "select e.eventid, e.clock, e.value, coalesce(p.r_eventid, -1), \
                     coalesce(p.r_clock, 0) \
                     from events e left join problems p on p.eventid = e.eventid \
                     where e.source = ?1 and e.clock < ?2 \
                     and e.clock >= ?3 and (e.clock > ?3 or e.eventid > ?4) \
                     and e.eventid < (select max(eventid) from events) \
                     order by e.clock, e.eventid limit ?5";
    let params = [
        Cell::Int(i64::from(old.source)),
        Cell::Int(old.before),
        Cell::Int(old.after.0),
        Cell::Int(old.after.1),
        Cell::Int(old.limit),
    ];
    let mut seen = Vec::new();
    sql.query(statement, &params, &mut |row| {
        let r_eventid = row.int(3)?;
        seen.push(Candidate {
            id: row.int(0)?,
            clock: row.int(1)?,
            is_problem: row.int(2)? == 1,
            has_state: r_eventid != -1,
            ended: (r_eventid > 0).then_some(row.int(4)?),
        });
        Ok(true)
    })?;
    Ok(seen)
}

/// Deletes events with what became of them.
fn delete_events(sql: &mut dyn Sql, ids: &[i64]) -> Result<u64, DbError> {
    if ids.is_empty() {
        return Ok(0);
    }
    sql.delete(&ALERTS, "eventid", ids)?;
    sql.delete(&ACKNOWLEDGES, "eventid", ids)?;
    sql.delete(&EVENT_CORRELATIONS, "eventid", ids)?;
    sql.delete(&PROBLEMS, "eventid", ids)?;
    sql.delete(&EVENTS, "eventid", ids)?;
    Ok(ids.len() as u64)
}

/// Those of the events just looked at that ended no problem which is still there.
fn unneeded_recoveries(
    sql: &mut dyn Sql,
    old: OldEvents,
    last: (i64, i64),
) -> Result<Vec<i64>, DbError> {
    let statement = "select e.eventid from events e \
                     where e.source = ?1 and e.clock < ?2 \
                     and e.clock >= ?3 and (e.clock > ?3 or e.eventid > ?4) \
                     and e.clock <= ?5 and (e.clock < ?5 or e.eventid <= ?6) \
                     and e.value <> 1 \
                     and e.eventid < (select max(eventid) from events) \
                     and not exists (select 1 from problems p where p.r_eventid = e.eventid)";
    let params = [
        Cell::Int(i64::from(old.source)),
        Cell::Int(old.before),
        Cell::Int(old.after.0),
        Cell::Int(old.after.1),
        Cell::Int(last.0),
        Cell::Int(last.1),
    ];
    let mut found = Vec::new();
    sql.query(statement, &params, &mut |row| {
        found.push(row.int(0)?);
        Ok(true)
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::location::Location;
    use crate::sql::{Role, connect};

    #[test]
    fn changes_of_services_expire_and_the_status_at_the_end_of_the_period_stays_known() {
        let folder = tempfile::tempdir().unwrap();
        let at = Location::Sqlite(folder.path().join("saker.db"));
        let mut sql = connect(&at, Role::Writer).unwrap();
        crate::sql::schema::migrate(sql.as_mut()).unwrap();
        sql.batch(
            "insert into documents (kind, documentid, version, body) values ('service', 1, 1, '{}');
             insert into documents (kind, documentid, version, body) values ('service', 2, 1, '{}');",
        )
        .unwrap();
        // Service 3 is gone.
        let rows =
            [(1, 1, 10), (2, 2, 20), (3, 1, 30), (4, 3, 40), (5, 1, 50), (6, 1, 150), (7, 3, 160)];
        for (id, service, clock) in rows {
            let row = [Cell::Int(id), Cell::Int(service), Cell::Int(clock)];
            sql.execute(
                "insert into service_alarms (servicealarmid, serviceid, clock, ns, value, old_value, eventid) \
                 values (?1, ?2, ?3, 0, 0, -1, 0)",
                &row,
            )
            .unwrap();
        }
        assert_eq!(expire_service_alarms(sql.as_mut(), 100, 2).unwrap(), 2, "a few at a time");
        assert_eq!(expire_service_alarms(sql.as_mut(), 100, 2).unwrap(), 1);
        assert_eq!(expire_service_alarms(sql.as_mut(), 100, 2).unwrap(), 0);
        let mut left = Vec::new();
        let statement = "select servicealarmid from service_alarms order by servicealarmid";
        sql.query(statement, &[], &mut |row| {
            left.push(row.int(0)?);
            Ok(true)
        })
        .unwrap();
        assert_eq!(left, [2, 5, 6, 7]);
    }

    #[test]
    fn data_of_deleted_interfaces_and_users_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let at = Location::Sqlite(folder.path().join("saker.db"));
        let mut sql = connect(&at, Role::Writer).unwrap();
        crate::sql::schema::migrate(sql.as_mut()).unwrap();
        sql.batch(
            "insert into interfaces (interfaceid, hostid, position, body) values (2, 1, 0, '{}');
             insert into interface_states (interfaceid, available, error, errors_from, disable_until) \
             values (1, 2, 'gone', 5, 6), (2, 1, '', 0, 0), (3, 2, 'gone', 5, 6), (4, 1, '', 0, 0);
             insert into users (userid, username, body) values (7, 'here', '{}');
             insert into user_views (userid, name, search) values (7, 'a', ''), (8, 'a', ''), (8, 'b', '');",
        )
        .unwrap();
        assert_eq!(delete_leftovers(sql.as_mut(), 2).unwrap(), 2, "a few at a time");
        assert_eq!(delete_leftovers(sql.as_mut(), 2).unwrap(), 3, "views of one user together");
        assert_eq!(delete_leftovers(sql.as_mut(), 2).unwrap(), 0);
        let mut left = Vec::new();
        for statement in
            ["select interfaceid from interface_states", "select userid from user_views"]
        {
            sql.query(statement, &[], &mut |row| {
                left.push(row.int(0)?);
                Ok(true)
            })
            .unwrap();
        }
        assert_eq!(left, [2, 7]);
    }
}
