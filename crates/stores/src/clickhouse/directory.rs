//! The table of items' names: of each item the newest row counts.

use history::{DirectoryRow, Result};
use model::ItemId;

use super::client::Client;
use super::row_binary::{Answer, Rows};
use super::schema::{self, DIRECTORY};
use super::settings::ClickHouseSettings;

/// # Errors
/// The server does not answer, or refuses.
pub(super) fn items(client: &Client, settings: &ClickHouseSettings) -> Result<Vec<ItemId>> {
    let database = schema::quoted(&settings.database);
    let sql = format!("SELECT DISTINCT itemid FROM {database}.{DIRECTORY} FORMAT RowBinary");
    let answer = client.query(&sql, &[])?;
    let mut answer = Answer::new(&answer);
    let mut items = Vec::new();
    while !answer.is_at_end() {
        items.push(ItemId(answer.u64()?));
    }
    Ok(items)
}

/// `version` is above that of all rows before.
///
/// # Errors
/// The server does not answer, or refuses.
pub(super) fn write(
    client: &Client,
    settings: &ClickHouseSettings,
    (rows, version): (&[DirectoryRow], u64),
    parameters: &[(&str, &str)],
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut out = Rows::default();
    for row in rows {
        out.u64(row.item.0);
        for text in [&row.host, &row.key, &row.name, &row.units] {
            out.text(text);
        }
        out.bytes.push(row.value_type.code().cast_unsigned());
        out.u64(version);
    }
    let database = schema::quoted(&settings.database);
    let sql = format!(
        "INSERT INTO {database}.{DIRECTORY} (itemid, host, key, name, units, value_type, version) \
         FORMAT RowBinary"
    );
    client.insert(&sql, parameters, &out.bytes)
}
