//! Reading events from SQL.

use model::{EventId, Time};

use super::store::{EVENT_COLUMNS, read_event};
use super::{EventRow, Problem};
use crate::error::DbError;
use crate::sql::{Cell, Sql, as_int};

/// Which events to read. `None` means any, and so do empty lists of values and severities.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventQuery {
    pub eventids: Option<Vec<EventId>>,
    pub objectids: Option<Vec<u64>>,
    pub source: Option<u8>,
    pub object: Option<u8>,
    pub values: Vec<u8>,
    pub severities: Vec<u8>,
    pub eventid_from: Option<EventId>,
    pub eventid_till: Option<EventId>,
    pub time_from: Option<Time>,
    pub time_till: Option<Time>,
    /// By clock, those of one second by id; else by id. Ids are no times: late events have high
    /// ids.
    pub is_by_clock: bool,
    /// Greatest first.
    pub is_descending: bool,
    /// Only those after an event of this clock and id, in the order by clock.
    pub after: Option<(i64, EventId)>,
    /// 0 = all.
    pub limit: usize,
}

fn statement_of(query: &EventQuery) -> (String, Vec<Cell>) {
    let (condition, params) = condition_of(query);
    let order = if query.is_descending { "desc" } else { "asc" };
    let limit = if query.limit == 0 { String::new() } else { format!(" limit {}", query.limit) };
    let by_clock = if query.is_by_clock { format!("clock {order}, ") } else { String::new() };
    let statement = format!(
        "select {EVENT_COLUMNS} from events{condition} order by {by_clock}eventid {order}{limit}"
    );
    (statement, params)
}

/// Runs a query on a connection.
pub(super) fn run(sql: &mut dyn Sql, query: &EventQuery) -> Result<Vec<EventRow>, DbError> {
    let (statement, params) = statement_of(query);
    let mut events = Vec::new();
    sql.query(&statement, &params, &mut |row| {
        events.push(read_event(row)?);
        Ok(true)
    })?;
    Ok(events)
}

/// Lists are written as numbers into the statement: they are ids, and as parameters they would be
/// limited in number.
fn condition_of(query: &EventQuery) -> (String, Vec<Cell>) {
    let mut parts = Vec::new();
    let mut params = Vec::new();
    let mut list = |column: &str, ids: Option<Vec<u64>>| {
        let ids: Option<Vec<String>> = ids.map(|it| it.iter().map(u64::to_string).collect());
        match ids {
            None => {}
            Some(ids) if ids.is_empty() => parts.push("1=0".to_owned()),
            Some(ids) => parts.push(format!("{column} in ({})", ids.join(","))),
        }
    };
    list("eventid", query.eventids.as_ref().map(|it| it.iter().map(|id| id.0).collect()));
    list("objectid", query.objectids.clone());
    let any_if_empty =
        |codes: &[u8]| (!codes.is_empty()).then(|| codes.iter().copied().map(u64::from).collect());
    list("value", any_if_empty(&query.values));
    list("severity", any_if_empty(&query.severities));
    let mut compare = |column: &str, sign: &str, value: Option<i64>| {
        if let Some(value) = value {
            params.push(Cell::Int(value));
            parts.push(format!("{column} {sign} ?{}", params.len()));
        }
    };
    // A query from an id on wants new events: by ids, where SQLite would look at all events of the
    // source.
    let source = if query.eventid_from.is_some() { "+source" } else { "source" };
    compare(source, "=", query.source.map(i64::from));
    compare("object", "=", query.object.map(i64::from));
    compare("eventid", ">=", query.eventid_from.map(|it| as_int(it.0)));
    compare("eventid", "<=", query.eventid_till.map(|it| as_int(it.0)));
    compare("clock", ">=", query.time_from.map(Time::clock));
    compare("clock", "<=", query.time_till.map(Time::clock));
    let (sign, after) = if query.is_descending { ("<", "<=") } else { (">", ">=") };
    compare("clock", after, query.after.map(|(clock, _)| clock));
    if let Some((clock, id)) = query.after {
        params.extend([Cell::Int(clock), Cell::Int(as_int(id.0))]);
        let n = params.len();
        parts.push(format!("(clock {sign} ?{} or eventid {sign} ?{n})", n - 1));
    }
    let condition =
        if parts.is_empty() { String::new() } else { format!(" where {}", parts.join(" and ")) };
    (condition, params)
}

/// Which problem events of objects have to be unacknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unacknowledged {
    Any,
    /// The newest one of the object.
    Last,
}

/// The most ids in one statement; more take several.
const IDS_MAX: usize = 10_000;

/// The objects among `objectids` with such problem events, whether these are resolved or not.
pub(super) fn unacknowledged(
    sql: &mut dyn Sql,
    (source, object): (u8, u8),
    objectids: &[u64],
    which: Unacknowledged,
) -> Result<Vec<u64>, DbError> {
    let mut found = Vec::new();
    let params = [Cell::Int(i64::from(source)), Cell::Int(i64::from(object))];
    for some in objectids.chunks(IDS_MAX) {
        let list: Vec<String> = some.iter().map(u64::to_string).collect();
        let list = list.join(",");
        let of_objects =
            format!("source = ?1 and object = ?2 and value = 1 and objectid in ({list})");
        let events = match which {
            Unacknowledged::Any => {
                format!("select objectid, eventid from events where {of_objects}")
            }
            Unacknowledged::Last => format!(
                "select objectid, max(eventid) as eventid from events where {of_objects} \
                 group by objectid"
            ),
        };
        let statement = format!(
            "select distinct e.objectid from ({events}) e \
             join problems p on p.eventid = e.eventid where p.acknowledged = 0"
        );
        sql.query(&statement, &params, &mut |row| {
            found.push(row.id(0)?);
            Ok(true)
        })?;
    }
    Ok(found)
}

/// Problems by event id with their acknowledgements.
pub(super) fn problems(sql: &mut dyn Sql, ids: &[EventId]) -> Result<Vec<Problem>, DbError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for some in ids.chunks(IDS_MAX) {
        let list: Vec<String> = some.iter().map(|it| it.0.to_string()).collect();
        found.extend(super::store::load_problems(sql, &list.join(","))?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::plan::assert_plan;

    #[test]
    fn new_events_of_a_source_are_found_by_their_ids_and_old_ones_by_the_source() {
        let of_source = EventQuery { source: Some(4), ..EventQuery::default() };
        let new = EventQuery { eventid_from: Some(EventId(7)), ..of_source.clone() };
        let assert_plan = |query: &EventQuery, wanted: &str| {
            let (statement, params) = statement_of(query);
            assert_plan(&statement, &params, wanted);
        };
        assert_plan(&new, "USING INTEGER PRIMARY KEY (rowid>?)");
        assert_plan(&of_source, "USING INDEX events_source_clock (source=?)");
    }
}
