//! Rows of alerts.

use alert::{Alert, AlertKind, AlertStatus};
use model::{EventId, UserId};

use crate::error::DbError;
use crate::sql::schema::{ALERTS, IDS};
use crate::sql::{Cell, Conflict, Row, Rows, Sql};

/// A query of delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsent {
    pub kind: AlertKind,
    /// Of one media type only.
    pub media_type: Option<u64>,
    /// Those with greater ids.
    pub after: u64,
    pub limit: u32,
}

/// The outcome of an alert.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlertOutcome {
    pub id: u64,
    pub status: AlertStatus,
    pub retries: u32,
    pub error: String,
    /// When it is polled again, in seconds since 1970.
    pub next_at: i64,
    /// It is a digest: its outcome is that of its members.
    pub is_digest: bool,
}

/// The row of `ids` that holds the next one.
const NEXT_ID: &str = "alert";

pub(super) const COLUMNS: [&str; 19] = [
    "alertid",
    "actionid",
    "eventid",
    "p_eventid",
    "acknowledgeid",
    "userid",
    "clock",
    "mediatypeid",
    "sendto",
    "subject",
    "message",
    "parameters",
    "alerttype",
    "esc_step",
    "status",
    "retries",
    "error",
    "next_at",
    "digestid",
];

/// Writes new alerts and gives them their ids. The caller holds the transaction, and calls
/// [`super::Alerts::announce`] when it has ended.
pub(crate) fn insert(sql: &mut dyn Sql, alerts: &mut [Alert]) -> Result<(), DbError> {
    number(sql, alerts)?;
    write(sql, alerts)
}

/// Gives alerts the next ids.
pub(super) fn number(sql: &mut dyn Sql, alerts: &mut [Alert]) -> Result<(), DbError> {
    if alerts.is_empty() {
        return Ok(());
    }
    let mut next = 1;
    sql.query("select next from ids where name = ?1", &[Cell::text(NEXT_ID)], &mut |row| {
        next = row.id(0)?;
        Ok(false)
    })?;
    for alert in alerts {
        alert.id = next;
        next += 1;
    }
    let mut ids = Rows::new(&IDS);
    ids.push([Cell::text(NEXT_ID), Cell::id(next)]);
    sql.insert(&ids, Conflict::Update)?;
    Ok(())
}

pub(super) fn write(sql: &mut dyn Sql, alerts: &[Alert]) -> Result<(), DbError> {
    if alerts.is_empty() {
        return Ok(());
    }
    let mut rows = Rows::new(&ALERTS);
    alerts.iter().for_each(|it| rows.push(row_of(it)));
    sql.insert(&rows, Conflict::Fail)?;
    Ok(())
}

fn row_of(alert: &Alert) -> [Cell; COLUMNS.len()] {
    [
        Cell::id(alert.id),
        Cell::id(alert.action),
        Cell::id(alert.event.0),
        Cell::id(alert.problem.0),
        Cell::id(alert.acknowledge),
        Cell::id(alert.user.0),
        Cell::Int(alert.clock),
        Cell::id(alert.media_type),
        Cell::text(alert.sendto.as_str()),
        Cell::text(alert.subject.as_str()),
        Cell::text(alert.message.as_str()),
        Cell::text(alert.parameters.as_str()),
        Cell::Int(i64::from(alert.kind.code())),
        Cell::Int(i64::from(alert.step)),
        Cell::Int(i64::from(alert.status.code())),
        Cell::Int(i64::from(alert.retries)),
        Cell::text(alert.error.as_str()),
        Cell::Int(alert.next_at),
        Cell::id(alert.digest),
    ]
}

/// Reads [`COLUMNS`] from the first one on.
pub(super) fn read(row: &dyn Row) -> Result<Alert, DbError> {
    let id = row.id(0)?;
    let damaged = |what: &str| DbError::Damaged { table: "alerts", id, what: what.to_owned() };
    let code =
        |column| -> Result<u8, DbError> { Ok(u8::try_from(row.int(column)?).unwrap_or(u8::MAX)) };
    let count = |column| -> Result<u32, DbError> {
        Ok(u32::try_from(row.int(column)?).unwrap_or_default())
    };
    Ok(Alert {
        id,
        action: row.id(1)?,
        event: EventId(row.id(2)?),
        problem: EventId(row.id(3)?),
        acknowledge: row.id(4)?,
        user: UserId(row.id(5)?),
        clock: row.int(6)?,
        media_type: row.id(7)?,
        sendto: row.text(8)?.to_owned(),
        subject: row.text(9)?.to_owned(),
        message: row.text(10)?.to_owned(),
        parameters: row.text(11)?.to_owned(),
        kind: AlertKind::from_code(code(12)?).ok_or_else(|| damaged("unknown alerttype"))?,
        step: count(13)?,
        status: AlertStatus::from_code(code(14)?).ok_or_else(|| damaged("unknown status"))?,
        retries: count(15)?,
        error: row.text(16)?.to_owned(),
        next_at: row.int(17)?,
        digest: row.id(18)?,
    })
}

/// Alerts not sent and not given up, by id.
pub(super) fn unsent(sql: &mut dyn Sql, wanted: Unsent) -> Result<Vec<Alert>, DbError> {
    let mut params = vec![
        Cell::Int(i64::from(AlertStatus::NotSent.code())),
        Cell::Int(i64::from(AlertStatus::New.code())),
        Cell::Int(i64::from(wanted.kind.code())),
        Cell::id(wanted.after),
        Cell::Int(i64::from(wanted.limit)),
    ];
    let of_type = match wanted.media_type {
        Some(it) => {
            params.push(Cell::id(it));
            " and mediatypeid = ?6"
        }
        None => "",
    };
    let statement = format!(
        "select {} from alerts \
         where status in (?1, ?2) and alerttype = ?3 and alertid > ?4{of_type} \
         order by alertid limit ?5",
        COLUMNS.join(", ")
    );
    let mut found = Vec::new();
    sql.query(&statement, &params, &mut |row| {
        found.push(read(row)?);
        Ok(true)
    })?;
    Ok(found)
}

/// Gives how many were there.
pub(super) fn save(sql: &mut dyn Sql, outcomes: &[AlertOutcome]) -> Result<u64, DbError> {
    let mut n_saved = 0;
    for it in outcomes {
        n_saved += sql.execute(
            "update alerts set status = ?1, retries = ?2, error = ?3, next_at = ?4 \
             where alertid = ?5",
            &[
                Cell::Int(i64::from(it.status.code())),
                Cell::Int(i64::from(it.retries)),
                Cell::text(it.error.as_str()),
                Cell::Int(it.next_at),
                Cell::id(it.id),
            ],
        )?;
        if it.is_digest && it.status != AlertStatus::NotSent {
            digest_ended(sql, it)?;
        }
    }
    Ok(n_saved)
}

/// A digest was sent, or given up: so are those in it.
fn digest_ended(sql: &mut dyn Sql, digest: &AlertOutcome) -> Result<(), DbError> {
    sql.execute(
        "update alerts set status = ?1, error = ?2 where digestid = ?3 and status = ?4",
        &[
            Cell::Int(i64::from(digest.status.code())),
            Cell::text(digest.error.as_str()),
            Cell::id(digest.id),
            Cell::Int(i64::from(AlertStatus::Held.code())),
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_table() {
        let described: Vec<&str> = ALERTS.columns.iter().map(|it| it.name).collect();
        assert_eq!(described, COLUMNS);
    }
}
