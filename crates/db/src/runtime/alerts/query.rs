//! Reading alerts together with what their events are about.

use alert::Alert;

use super::store::{COLUMNS, read};
use crate::error::DbError;
use crate::sql::{Cell, Sql, as_int};

/// Which alerts to read. `None` means any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AlertQuery {
    pub alertids: Option<Vec<u64>>,
    pub actionids: Option<Vec<u64>>,
    pub eventids: Option<Vec<u64>>,
    pub mediatypeids: Option<Vec<u64>>,
    pub userids: Option<Vec<u64>>,
    /// Source and kind of object of their events.
    pub about: Option<(u8, u8)>,
    /// Objects of their events.
    pub objectids: Option<Vec<u64>>,
    pub statuses: Option<Vec<u64>>,
    /// The members of these digests, and the digests themselves.
    pub digestids: Option<Vec<u64>>,
    /// Seconds since 1970, neither included, as in Zabbix.
    pub after_clock: Option<i64>,
    pub before_clock: Option<i64>,
    /// Both included.
    pub alertid_from: Option<u64>,
    pub alertid_till: Option<u64>,
    /// By clock, those of one second by id; else by id.
    pub is_by_clock: bool,
    /// Greatest first.
    pub is_descending: bool,
    /// Only those after an alert of this clock and id, in the order by clock.
    pub after: Option<(i64, u64)>,
    /// 0 = all.
    pub limit: usize,
}

/// An alert with what its event is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlertRow {
    pub alert: Alert,
    pub source: u8,
    pub object: u8,
    pub objectid: u64,
}

/// Runs a query on a connection.
pub(super) fn run(sql: &mut dyn Sql, query: &AlertQuery) -> Result<Vec<AlertRow>, DbError> {
    let (condition, params) = condition_of(query);
    let order = if query.is_descending { "desc" } else { "asc" };
    let limit = if query.limit == 0 { String::new() } else { format!(" limit {}", query.limit) };
    let by_clock = if query.is_by_clock { format!("a.clock {order}, ") } else { String::new() };
    let columns = COLUMNS.map(|it| format!("a.{it}")).join(", ");
    let statement = format!(
        "select {columns}, e.source, e.object, e.objectid \
         from alerts a join events e on e.eventid = a.eventid{condition} \
         order by {by_clock}a.alertid {order}{limit}"
    );
    let mut found = Vec::new();
    sql.query(&statement, &params, &mut |row| {
        let small = |column| -> Result<u8, DbError> {
            Ok(u8::try_from(row.int(column)?).unwrap_or_default())
        };
        let first = COLUMNS.len();
        found.push(AlertRow {
            alert: read(row)?,
            source: small(first)?,
            object: small(first + 1)?,
            objectid: row.id(first + 2)?,
        });
        Ok(true)
    })?;
    Ok(found)
}

/// Lists are written as numbers into the statement: they are ids, and as parameters they would be
/// limited in number.
fn condition_of(query: &AlertQuery) -> (String, Vec<Cell>) {
    let mut parts = Vec::new();
    let mut params = Vec::new();
    let mut list = |column: &str, ids: &Option<Vec<u64>>| {
        let ids = ids.as_ref().map(|it| it.iter().map(u64::to_string).collect::<Vec<_>>());
        match ids {
            None => {}
            Some(ids) if ids.is_empty() => parts.push("1=0".to_owned()),
            Some(ids) => parts.push(format!("{column} in ({})", ids.join(","))),
        }
    };
    list("a.alertid", &query.alertids);
    list("a.actionid", &query.actionids);
    list("a.eventid", &query.eventids);
    list("a.mediatypeid", &query.mediatypeids);
    list("a.userid", &query.userids);
    list("a.status", &query.statuses);
    list("a.digestid", &query.digestids);
    list("e.objectid", &query.objectids);
    let mut compare = |column: &str, sign: &str, value: Option<i64>| {
        if let Some(value) = value {
            params.push(Cell::Int(value));
            parts.push(format!("{column} {sign} ?{}", params.len()));
        }
    };
    compare("e.source", "=", query.about.map(|(source, _)| i64::from(source)));
    compare("e.object", "=", query.about.map(|(_, object)| i64::from(object)));
    compare("a.clock", ">", query.after_clock);
    compare("a.clock", "<", query.before_clock);
    compare("a.alertid", ">=", query.alertid_from.map(as_int));
    compare("a.alertid", "<=", query.alertid_till.map(as_int));
    let (sign, after) = if query.is_descending { ("<", "<=") } else { (">", ">=") };
    compare("a.clock", after, query.after.map(|(clock, _)| clock));
    if let Some((clock, id)) = query.after {
        params.extend([Cell::Int(clock), Cell::Int(as_int(id))]);
        let n = params.len();
        parts.push(format!("(a.clock {sign} ?{} or a.alertid {sign} ?{n})", n - 1));
    }
    let condition =
        if parts.is_empty() { String::new() } else { format!(" where {}", parts.join(" and ")) };
    (condition, params)
}
