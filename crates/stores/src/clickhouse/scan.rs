//! Going through everything: for copies.

use history::Result;
use model::{ItemId, ValueType};

use super::row_binary::Answer;
use super::{ClickHouse, schema};
use crate::contents::{Contents, DayCount, Table};

fn name(table: Table) -> &'static str {
    match table {
        Table::Values(kind) => schema::table(kind),
        Table::Trends(ValueType::Unsigned) => "trends_uint",
        Table::Trends(_) => "trends",
    }
}

impl ClickHouse {
    /// Rows by type, period and day.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub fn counts(&self) -> Result<Vec<DayCount>> {
        let mut counts = Vec::new();
        for table in Table::all() {
            let sql = format!(
                "SELECT toUInt32(days) AS kept, toInt64(intDiv(toUInt32(clock), 86400)) AS day, \
                 toUInt64(count()) FROM {}.{} FINAL GROUP BY kept, day FORMAT RowBinary",
                schema::quoted(&self.backend.settings.database),
                name(table)
            );
            let answer = self.backend.client.query(&sql, &[])?;
            let mut answer = Answer::new(&answer);
            while !answer.is_at_end() {
                let (days, day, n_rows) = (answer.u32()?, answer.i64()?, answer.u64()?);
                counts.push(DayCount { table, days, day, n_rows });
            }
        }
        Ok(counts)
    }

    /// All that has rows.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub fn contents(&self) -> Result<Contents> {
        let mut contents = Contents::default();
        for table in Table::all() {
            let database = schema::quoted(&self.backend.settings.database);
            let sql =
                format!("SELECT DISTINCT itemid FROM {database}.{} FORMAT RowBinary", name(table));
            let answer = self.backend.client.query(&sql, &[])?;
            let mut answer = Answer::new(&answer);
            while !answer.is_at_end() {
                contents.add(table, ItemId(answer.u64()?));
            }
        }
        Ok(contents)
    }
}
