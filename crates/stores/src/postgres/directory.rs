//! The table of items' names.

use history::{DirectoryRow, Result};
use model::ItemId;
use postgres::{Client, GenericClient};

use super::error::failure;
use super::read;

const TABLE: &str = "item_directory";

/// Makes the table if it is missing.
///
/// # Errors
/// The server does not answer, or refuses.
pub(super) fn prepare(client: &mut impl GenericClient, schema: &str) -> Result<()> {
    let sql = format!(
        "create table if not exists {schema}.{TABLE} (itemid bigint primary key, host text not null, \
         key text not null, name text not null, units text not null, value_type smallint not null)"
    );
    client.batch_execute(&sql).map_err(|it| failure(&it))
}

/// # Errors
/// The server does not answer, or refuses.
pub(super) fn items(client: &mut Client, schema: &str) -> Result<Vec<ItemId>, postgres::Error> {
    let rows = client.query(&format!("select itemid from {schema}.{TABLE}"), &[])?;
    let id = |it: &postgres::Row| it.try_get::<_, i64>(0).map(|it| ItemId(it.cast_unsigned()));
    rows.iter().map(id).collect()
}

/// # Errors
/// The server does not answer, or refuses.
pub(super) fn write(
    client: &mut Client,
    schema: &str,
    rows: &[DirectoryRow],
    gone: &[ItemId],
) -> Result<(), postgres::Error> {
    let mut transaction = client.transaction()?;
    // Larger ids have no values here either.
    let rows: Vec<&DirectoryRow> =
        rows.iter().filter(|it| i64::try_from(it.item.0).is_ok()).collect();
    let ids = read::ids(rows.iter().map(|it| it.item));
    let texts = |of: fn(&DirectoryRow) -> &str| -> Vec<String> {
        // PostgreSQL has no NUL.
        rows.iter().map(|it| of(it).replace('\0', "\u{fffd}")).collect()
    };
    let (hosts, keys) = (texts(|it| &it.host), texts(|it| &it.key));
    let (names, units) = (texts(|it| &it.name), texts(|it| &it.units));
    let types: Vec<i16> = rows.iter().map(|it| it.value_type.code().into()).collect();
    let sql = format!(
        "insert into {schema}.{TABLE} select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], \
         $5::text[], $6::smallint[]) on conflict (itemid) do update set host = excluded.host, \
         key = excluded.key, name = excluded.name, units = excluded.units, \
         value_type = excluded.value_type"
    );
    transaction.execute(&sql, &[&ids, &hosts, &keys, &names, &units, &types])?;
    let gone = read::ids(gone.iter().copied());
    let sql = format!("delete from {schema}.{TABLE} where itemid = any($1)");
    transaction.execute(&sql, &[&gone])?;
    transaction.commit()
}
