//! Tables: made at the first contact, upgraded by number.
//!
//! Names are those that Zabbix uses. A partition holds one day of one period, so that what expires together
//! lies together and goes without being rewritten. The sorting key ends in the row's place in the journal:
//! a row that was sent twice is the same row, and a merge leaves one of them.

use history::Result;
use model::{ItemId, ValueType};

use super::client::Client;
use super::row_binary::Answer;
use super::settings::ClickHouseSettings;
use super::version::Version;
use crate::error::refused;

/// The newest schema that this program knows.
const SCHEMA: u64 = 2;

/// Columns that all tables of values begin with.
const PLACE: &str = "itemid, clock, ns, seq, days";

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

/// The table of items' names: of each item the newest row counts.
pub(super) const DIRECTORY: &str = "item_directory";

/// How far journals are stored: of each the row with the greatest number counts.
pub(super) const PLACES: &str = "saker_places";
/// The table of schema 1, which had a row of one journal.
const FORMER_PLACE: &str = "saker_cursor";

pub(super) const TREND_TABLES: [&str; 2] = ["trends", "trends_uint"];

/// The columns of a value, by table.
fn value_columns(table: &str, version: Version) -> String {
    let gauge = codec(version, "Gorilla, ZSTD(1)");
    let whole = codec(version, "Delta, ZSTD(1)");
    let text = codec(version, "ZSTD(1)");
    match table {
        "history" => format!("value Float64{gauge}"),
        "history_uint" => format!("value UInt64{whole}"),
        "history_log" => format!(
            "value String{text}, source String{text}, timestamp Int64{whole}, severity Int32, \
             logeventid Int64{text}"
        ),
        "trends" => format!(
            "num UInt32{text}, value_min Float64{gauge}, value_max Float64{gauge}, \
             value_sum Float64{gauge}"
        ),
        // A sum of whole numbers is exact: two halves of 128 bits.
        "trends_uint" => format!(
            "num UInt32{text}, value_min UInt64{whole}, value_max UInt64{whole}, \
             value_sum UInt64{whole}, value_sum_high UInt64{text}"
        ),
        _ => format!("value String{text}"),
    }
}

/// Names of the columns that an INSERT brings.
pub(super) fn inserted_columns(table: &str) -> String {
    let values = match table {
        "history_log" => "value, source, timestamp, severity, logeventid",
        "trends" => "num, value_min, value_max, value_sum",
        "trends_uint" => "num, value_min, value_max, value_sum, value_sum_high",
        _ => "value",
    };
    format!("{PLACE}, {values}")
}

fn codec(version: Version, codecs: &str) -> String {
    if version.has_codecs() { format!(" CODEC({codecs})") } else { String::new() }
}

/// All tables with values and trends.
pub(super) fn tables() -> impl Iterator<Item = &'static str> {
    ValueType::ALL.iter().map(|it| table(*it)).chain(TREND_TABLES)
}

/// A name between backticks.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// A text between quotes.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// How many rows of items there are, on all nodes.
pub(super) fn count_sql(settings: &ClickHouseSettings, table: &str, items: &[ItemId]) -> String {
    let items: Vec<String> = items.iter().map(|it| it.0.to_string()).collect();
    format!(
        "SELECT toUInt64(count()) FROM {}.{table} WHERE itemid IN ({}) FORMAT RowBinary",
        quoted(&settings.database),
        items.join(",")
    )
}

/// The clause by which a statement about tables applies to all nodes, if there are several.
pub(super) fn on_cluster(settings: &ClickHouseSettings) -> String {
    settings.cluster.as_ref().map_or_else(String::new, |it| format!(" ON CLUSTER {}", quoted(it)))
}

/// A table of `system`; on a cluster, that of each shard.
pub(super) fn system_table(settings: &ClickHouseSettings, name: &str) -> String {
    match &settings.cluster {
        None => format!("system.{name}"),
        Some(cluster) => format!("cluster({}, system, {name})", literal(cluster)),
    }
}

/// Deletes items; on a cluster from the tables of all its nodes.
pub(super) fn delete_sql(settings: &ClickHouseSettings, table: &str, items: &[ItemId]) -> String {
    let database = quoted(&settings.database);
    let items: Vec<String> = items.iter().map(|it| it.0.to_string()).collect();
    let items = items.join(",");
    match &settings.cluster {
        None => format!("ALTER TABLE {database}.{table} DELETE WHERE itemid IN ({items})"),
        Some(cluster) => format!(
            "ALTER TABLE {database}.{table}_local ON CLUSTER {} DELETE WHERE itemid IN ({items})",
            quoted(cluster)
        ),
    }
}

/// Makes what is missing.
///
/// # Errors
/// The server does not answer, refuses, or has tables of a newer program.
pub(super) fn prepare(
    client: &Client,
    settings: &ClickHouseSettings,
    version: Version,
) -> Result<()> {
    let database = quoted(&settings.database);
    let on_cluster = on_cluster(settings);
    client.query(&format!("CREATE DATABASE IF NOT EXISTS {database}{on_cluster}"), &[])?;
    let made = |table: &Table<'_>| make(client, settings, table);
    made(&Table {
        name: "saker_schema",
        columns: "version UInt64, program String",
        replaced_by: None,
        tail: "ORDER BY version",
    })?;
    let found = client.query(
        &format!("SELECT max(version) FROM {database}.saker_schema FORMAT RowBinary"),
        &[],
    )?;
    let found = Answer::new(&found).u64()?;
    if found > SCHEMA {
        return Err(refused(format!(
            "its tables are of a newer program: schema {found}, and this one knows {SCHEMA}"
        )));
    }
    for name in tables() {
        let columns = format!("{}, {}", place_columns(version), value_columns(name, version));
        made(&Table { name, columns: &columns, replaced_by: None, tail: &tail(version) })?;
    }
    made(&Table {
        name: DIRECTORY,
        columns: "itemid UInt64, host String, key String, name String, units String, value_type UInt8, version UInt64",
        replaced_by: Some("version"),
        tail: "ORDER BY itemid",
    })?;
    made(&Table {
        name: PLACES,
        columns: "number UInt64, journal UInt64, identity UInt32",
        replaced_by: Some("number"),
        tail: "ORDER BY identity",
    })?;
    if found == 1 {
        // Cut off after it, it comes again and is the same row.
        let parameters: &[_] =
            if settings.cluster.is_some() { &[("insert_distributed_sync", "1")] } else { &[] };
        let copy = format!(
            "INSERT INTO {database}.{PLACES} SELECT number, journal, identity FROM \
             {database}.{FORMER_PLACE} ORDER BY number DESC LIMIT 1"
        );
        client.query(&copy, parameters)?;
    }
    if found < SCHEMA {
        let program = literal(env!("CARGO_PKG_VERSION"));
        let insert = format!("INSERT INTO {database}.saker_schema VALUES ({SCHEMA}, {program})");
        client.query(&insert, &[])?;
    }
    Ok(())
}

fn place_columns(version: Version) -> String {
    let id = codec(version, "Delta, ZSTD(1)");
    let clock = codec(version, "DoubleDelta, ZSTD(1)");
    let ns = codec(version, "ZSTD(1)");
    format!(
        "itemid UInt64{id}, clock DateTime('UTC'){clock}, ns UInt32{ns}, seq UInt64{id}, \
         days UInt16{ns}"
    )
}

/// The clauses after the columns: order, partitions, periods.
fn tail(version: Version) -> String {
    let mut tail =
        String::from("PARTITION BY (toDate(clock, 'UTC'), days) ORDER BY (itemid, clock, ns, seq)");
    if version.drops_by_ttl() {
        // With the end of a day, as a whole partition. Days that are none: for ever.
        tail.push_str(
            " TTL if(days = 0, toDate('2149-06-01'), toDate(clock, 'UTC') + days + 1) \
             SETTINGS ttl_only_drop_parts = 1",
        );
    }
    tail
}

struct Table<'a> {
    name: &'a str,
    columns: &'a str,
    /// The column by which the newest of rows with the same key is known.
    replaced_by: Option<&'a str>,
    tail: &'a str,
}

/// Makes a table; on a cluster, a replicated one on each node and one over all of them.
fn make(client: &Client, settings: &ClickHouseSettings, table: &Table<'_>) -> Result<()> {
    let database = quoted(&settings.database);
    let Table { name, columns, replaced_by, tail } = *table;
    let by = replaced_by.unwrap_or_default();
    let Some(cluster) = &settings.cluster else {
        let create = format!(
            "CREATE TABLE IF NOT EXISTS {database}.{name} ({columns}) \
             ENGINE = ReplacingMergeTree({by}) {tail}"
        );
        return client.query(&create, &[]).map(drop);
    };
    let on = format!("ON CLUSTER {}", quoted(cluster));
    let path = literal(&format!("/clickhouse/tables/{{shard}}/{}/{name}", settings.database));
    let by = replaced_by.map(|it| format!(", {it}")).unwrap_or_default();
    let replicated = format!(
        "CREATE TABLE IF NOT EXISTS {database}.{name}_local {on} ({columns}) \
         ENGINE = ReplicatedReplacingMergeTree({path}, '{{replica}}'{by}) {tail}"
    );
    client.query(&replicated, &[])?;
    let shard = if columns.starts_with("itemid") { "itemid" } else { "0" };
    let distributed = format!(
        "CREATE TABLE IF NOT EXISTS {database}.{name} {on} ({columns}) \
         ENGINE = Distributed({}, {}, {}, {shard})",
        literal(cluster),
        literal(&settings.database),
        literal(&format!("{name}_local"))
    );
    client.query(&distributed, &[]).map(drop)
}
