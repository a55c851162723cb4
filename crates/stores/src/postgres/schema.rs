//! Tables and partitions.
//!
//! Names are those that Zabbix uses. A table is divided by how long its rows are kept, and that by
//! time: rows that expire together go with their table, without a row being touched. Rows of one
//! item and time stand in a b-tree; a BRIN index over the time is a thousandth of it and serves
//! reports over everything.

use std::collections::BTreeSet;

use history::Result;
use model::{Retention, Time, ValueType};
use postgres::GenericClient;

use super::error::{failure, refused};

/// The newest schema that this program knows.
const SCHEMA: i64 = 2;
const DAY_S: i64 = 86_400;

/// The table of a type's values.
pub(super) fn table(kind: ValueType) -> &'static str {
    match kind {
        ValueType::Float => "history",
        ValueType::Unsigned => "history_uint",
        ValueType::Char => "history_str",
        ValueType::Text => "history_text",
        ValueType::Log => "history_log",
        ValueType::Binary => "history_bin",
    }
}

pub(super) const TRENDS: &str = "trends";
pub(super) const TRENDS_UINT: &str = "trends_uint";

/// All tables with values and trends.
pub(super) fn tables() -> impl Iterator<Item = &'static str> {
    ValueType::ALL.iter().map(|it| table(*it)).chain([TRENDS, TRENDS_UINT])
}

/// The columns of a row other than its position.
fn value_columns(table: &str) -> &'static str {
    match table {
        "history" => "value double precision not null",
        "history_uint" => "value numeric(20) not null",
        "history_log" => {
            "value text not null, source text not null, timestamp bigint not null, \
             severity integer not null, logeventid bigint not null"
        }
        TRENDS => {
            "num bigint not null, value_min double precision not null, \
             value_max double precision not null, value_sum double precision not null"
        }
        TRENDS_UINT => {
            "num bigint not null, value_min numeric(20) not null, \
             value_max numeric(20) not null, value_sum numeric(39) not null"
        }
        _ => "value text not null",
    }
}

/// Names of the columns that COPY brings.
pub(super) fn copied_columns(table: &str) -> &'static str {
    match table {
        "history_log" => {
            "itemid, time, ns, seq, days, value, source, timestamp, severity, logeventid"
        }
        TRENDS | TRENDS_UINT => "itemid, time, ns, seq, days, num, value_min, value_max, value_sum",
        _ => "itemid, time, ns, seq, days, value",
    }
}

/// Days of a class in columns and names; 0: for ever.
pub(super) fn days(retention: Retention) -> u32 {
    retention.days().unwrap_or(0)
}

/// Seconds of a partition: a day, more where thousands of days are kept.
fn width_s(days: u32) -> i64 {
    match days {
        1..=90 => DAY_S,
        91..=365 => 7 * DAY_S,
        _ => 30 * DAY_S,
    }
}

/// A piece of a table: rows of one period and some time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Partition {
    pub(super) table: &'static str,
    days: u32,
    /// Seconds since 1970 where it begins.
    from_s: i64,
}

impl Partition {
    pub(super) fn of(table: &'static str, retention: Retention, time: Time) -> Self {
        let days = days(retention);
        let width = width_s(days);
        Self { table, days, from_s: time.clock().div_euclid(width) * width }
    }

    /// As tables are called; years before 1970 and after 9999 are numbers as well.
    fn name(self) -> String {
        let sign = if self.from_s < 0 { "m" } else { "p" };
        format!("{}_d{}_{sign}{}", self.table, self.days, self.from_s.unsigned_abs() / 86_400)
    }

    /// # Errors
    /// `None` if it is none of ours.
    fn parse(name: &str) -> Option<Self> {
        let (rest, from) = name.rsplit_once('_')?;
        let (table, days) = rest.rsplit_once("_d")?;
        let table = tables().find(|it| *it == table)?;
        let number = |digits: &str| digits.parse::<i64>().ok()?.checked_mul(DAY_S);
        let from_s = match from.strip_prefix('p') {
            Some(digits) => number(digits)?,
            None => -number(from.strip_prefix('m')?)?,
        };
        Some(Self { table, days: days.parse().ok()?, from_s })
    }

    /// Whether its youngest row is past its period.
    fn is_expired(self, now: Time) -> bool {
        let end_s = self.from_s.saturating_add(width_s(self.days));
        self.days > 0 && end_s.saturating_add(i64::from(self.days) * DAY_S) <= now.clock()
    }

    /// The one after it.
    pub(super) fn next(self) -> Self {
        Self { from_s: self.from_s.saturating_add(width_s(self.days)), ..self }
    }

    fn create(self, schema: &str) -> String {
        let (Self { table, days, from_s }, name) = (self, self.name());
        let end_s = from_s.saturating_add(width_s(days));
        format!(
            "create table if not exists {schema}.{name} partition of {schema}.{table}_d{days} \
             for values from (to_timestamp({from_s})) to (to_timestamp({end_s}))"
        )
    }
}

/// A name between double quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Makes what is missing.
///
/// # Errors
/// The server does not answer, refuses, or has tables of a newer program.
pub(super) fn prepare(client: &mut impl GenericClient, schema: &str) -> Result<()> {
    let mut run = |sql: &str| client.batch_execute(sql).map_err(|it| failure(&it));
    run(&format!(
        "create schema if not exists {schema};
         create table if not exists {schema}.saker_schema (version bigint primary key);
         create table if not exists {schema}.saker_cursor
           (identity bigint primary key, journal numeric(20) not null)"
    ))?;
    let found = client
        .query_one(&format!("select coalesce(max(version), 0) from {schema}.saker_schema"), &[])
        .and_then(|it| it.try_get::<_, i64>(0))
        .map_err(|it| failure(&it))?;
    if SCHEMA < found {
        return Err(refused(format!(
            "its tables are of a newer program: schema {found}, and this one knows {SCHEMA}"
        )));
    }
    if found == SCHEMA {
        return Ok(());
    }
    let mut sql = String::from("begin;\n");
    if found == 1 {
        // There was a row of one journal.
        sql += &format!(
            "alter table {schema}.saker_cursor drop column if exists id;
             alter table {schema}.saker_cursor add primary key (identity);\n"
        );
    }
    for table in tables() {
        let columns = value_columns(table);
        sql += &format!(
            "create table if not exists {schema}.{table} (itemid bigint not null,
               time timestamptz not null, ns smallint not null, seq bigint not null,
               days integer not null, {columns}) partition by list (days);
             create index if not exists {table}_item on {schema}.{table} (itemid, time);
             create index if not exists {table}_time on {schema}.{table} using brin (time);\n"
        );
        for retention in Retention::ALL.into_iter().filter(|it| *it != Retention::Nothing) {
            let days = days(retention);
            sql += &format!(
                "create table if not exists {schema}.{table}_d{days} partition of \
                 {schema}.{table} for values in ({days}) partition by range (time);\n"
            );
        }
    }
    sql += &format!("insert into {schema}.saker_schema values ({SCHEMA}); commit");
    client.batch_execute(&sql).map_err(|it| failure(&it))
}

/// Makes partitions.
///
/// # Errors
/// The server does not answer, or refuses.
pub(super) fn make(
    client: &mut impl GenericClient,
    schema: &str,
    partitions: &BTreeSet<Partition>,
) -> Result<()> {
    let all: Vec<String> = partitions.iter().map(|it| it.create(schema)).collect();
    client.batch_execute(&all.join(";\n")).map_err(|it| failure(&it))
}

/// Drops partitions whose rows have all expired; gives their names.
///
/// # Errors
/// The server does not answer, or refuses.
pub(super) fn drop_expired(
    client: &mut impl GenericClient,
    (schema, quoted): (&str, &str),
    now: Time,
) -> Result<Vec<String>> {
    let rows = client
        .query("select tablename::text from pg_tables where schemaname = $1", &[&schema])
        .map_err(|it| failure(&it))?;
    let names = rows.iter().filter_map(|it| it.try_get::<_, String>(0).ok());
    let is_expired = |name: &String| Partition::parse(name).is_some_and(|it| it.is_expired(now));
    let expired: Vec<String> = names.filter(is_expired).collect();
    for name in &expired {
        client.batch_execute(&format!("drop table {quoted}.{name}")).map_err(|it| failure(&it))?;
    }
    Ok(expired)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_partitions_say_what_they_hold() {
        for (retention, clock, name) in [
            (Retention::Month, 1_790_000_000, "history_uint_d31_p20717"),
            (Retention::Year, 1_790_000_000, "history_uint_d365_p20713"),
            (Retention::Forever, 0, "history_uint_d0_p0"),
            (Retention::Day, -1, "history_uint_d1_m1"),
        ] {
            let partition = Partition::of("history_uint", retention, Time::from_clock(clock, 0));
            assert_eq!(partition.name(), name);
            assert_eq!(Partition::parse(name), Some(partition));
            assert!(partition.from_s <= clock && clock < partition.next().from_s);
        }
        for name in ["history_uint_d31", "history_d1_q5", "users_d1_p5", "history_d1_p5x", ""] {
            assert_eq!(Partition::parse(name), None, "{name}");
        }
        let of_a_day = Partition::of("trends", Retention::Day, Time::from_clock(0, 0));
        assert!(!of_a_day.is_expired(Time::from_clock(2 * DAY_S - 1, 0)));
        assert!(of_a_day.is_expired(Time::from_clock(2 * DAY_S, 0)));
        let for_ever = Partition::of("trends", Retention::Forever, Time::from_clock(0, 0));
        assert!(!for_ever.is_expired(Time::MAX));
    }
}
