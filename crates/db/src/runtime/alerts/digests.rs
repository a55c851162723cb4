//! Alerts that wait for digests, and digests with what is in them.

use std::collections::BTreeMap;

use alert::digest::{HeldAlert, ID_PLACEHOLDER, Past, Recipient};
use alert::{Alert, AlertKind, AlertStatus};
use model::{EventId, UserId};

use super::store::{number, write};
use crate::error::DbError;
use crate::sql::{Cell, Row, Sql};

/// The most ids in one statement; more take several.
const IDS_MAX: usize = 10_000;

/// A digest that is to be saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewDigest {
    /// Its id is given when it is saved, also where [`ID_PLACEHOLDER`] stands in its text.
    pub alert: Alert,
    /// Held alerts that it contains.
    pub members: Vec<u64>,
}

fn code_of(status: AlertStatus) -> Cell {
    Cell::Int(i64::from(status.code()))
}

fn message() -> Cell {
    Cell::Int(i64::from(AlertKind::Message.code()))
}

pub(super) fn past(sql: &mut dyn Sql, since: i64) -> Result<BTreeMap<Recipient, Past>, DbError> {
    let recipient = |row: &dyn Row| -> Result<Recipient, DbError> {
        let user = UserId(row.id(0)?);
        Ok(Recipient { user, media_type: row.id(1)?, sendto: row.text(2)?.to_owned() })
    };
    let mut found: BTreeMap<Recipient, Past> = BTreeMap::new();
    let statement = "select userid, mediatypeid, sendto, clock, count(*) from alerts \
                     where clock > ?1 and alerttype = ?2 and mediatypeid <> 0 and digestid <> alertid \
                     group by userid, mediatypeid, sendto, clock";
    sql.query(statement, &[Cell::Int(since), message()], &mut |row| {
        let n = u32::try_from(row.int(4)?).unwrap_or(u32::MAX);
        found.entry(recipient(row)?).or_default().messages.insert(row.int(3)?, n);
        Ok(true)
    })?;
    let statement = "select userid, mediatypeid, sendto, max(clock) from alerts \
                     where clock > ?1 and digestid = alertid group by userid, mediatypeid, sendto";
    sql.query(statement, &[Cell::Int(since)], &mut |row| {
        found.entry(recipient(row)?).or_default().digest_at = row.int(3)?;
        Ok(true)
    })?;
    let statement = "select userid, mediatypeid, sendto, min(next_at) from alerts \
                     where status = ?1 and alerttype = ?2 and digestid = 0 \
                     group by userid, mediatypeid, sendto";
    sql.query(statement, &[code_of(AlertStatus::Held), message()], &mut |row| {
        found.entry(recipient(row)?).or_default().due = Some(row.int(3)?);
        Ok(true)
    })?;
    Ok(found)
}

pub(super) fn held(sql: &mut dyn Sql, of: &Recipient) -> Result<Vec<HeldAlert>, DbError> {
    let params = [
        code_of(AlertStatus::Held),
        message(),
        Cell::id(of.media_type),
        Cell::id(of.user.0),
        Cell::text(of.sendto.as_str()),
    ];
    let statement = "select alertid, actionid, eventid, p_eventid, clock, next_at from alerts \
                     where status = ?1 and alerttype = ?2 and mediatypeid = ?3 and userid = ?4 \
                     and sendto = ?5 and digestid = 0 order by alertid";
    let mut found = Vec::new();
    sql.query(statement, &params, &mut |row| {
        found.push(HeldAlert {
            id: row.id(0)?,
            action: row.id(1)?,
            event: EventId(row.id(2)?),
            problem: EventId(row.id(3)?),
            clock: row.int(4)?,
            next_at: row.int(5)?,
        });
        Ok(true)
    })?;
    Ok(found)
}

/// Writes digests, and their ids in their members. The caller holds the transaction.
pub(crate) fn insert(sql: &mut dyn Sql, digests: &mut [NewDigest]) -> Result<(), DbError> {
    for NewDigest { alert, members } in digests {
        number(sql, std::slice::from_mut(alert))?;
        alert.digest = alert.id;
        alert.message = alert.message.replace(ID_PLACEHOLDER, &alert.id.to_string());
        write(sql, std::slice::from_ref(alert))?;
        for some in members.chunks(IDS_MAX) {
            let list: Vec<String> = some.iter().map(u64::to_string).collect();
            let statement = format!(
                "update alerts set digestid = ?1, next_at = 0 where alertid in ({}) and status = ?2",
                list.join(",")
            );
            sql.execute(&statement, &[Cell::id(alert.id), code_of(AlertStatus::Held)])?;
        }
    }
    Ok(())
}
