//! Going through everything: for copies. On a connection of its own, without a limit of time.

use history::Result;
use model::{ItemId, ValueType};
use postgres::Client;

use super::error::{failure, refused};
use super::{Postgres, schema};
use crate::contents::{Contents, DayCount, Table};

fn name(table: Table) -> &'static str {
    match table {
        Table::Values(kind) => schema::table(kind),
        Table::Trends(ValueType::Unsigned) => schema::TRENDS_UINT,
        Table::Trends(_) => schema::TRENDS,
    }
}

impl Postgres {
    /// Rows by type, period and day.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub fn counts(&self) -> Result<Vec<DayCount>> {
        let mut client = self.connect_for_long()?;
        let mut counts = Vec::new();
        for table in Table::all() {
            let sql = format!(
                "select days::bigint, floor(extract(epoch from time) / 86400)::bigint, count(*) \
                 from {}.{} group by 1, 2",
                self.backend.schema,
                name(table)
            );
            for row in client.query(&sql, &[]).map_err(|it| failure(&it))? {
                let number = |column| row.try_get::<_, i64>(column).map_err(|it| failure(&it));
                let wrong = |_wrong| refused("a count is out of range");
                let days = u32::try_from(number(0)?).map_err(wrong)?;
                let n_rows = u64::try_from(number(2)?).map_err(wrong)?;
                counts.push(DayCount { table, days, day: number(1)?, n_rows });
            }
        }
        Ok(counts)
    }

    /// All that has rows.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub fn contents(&self) -> Result<Contents> {
        let mut client = self.connect_for_long()?;
        let mut contents = Contents::default();
        for table in Table::all() {
            let sql =
                format!("select distinct itemid from {}.{}", self.backend.schema, name(table));
            for row in client.query(&sql, &[]).map_err(|it| failure(&it))? {
                let item: i64 = row.try_get(0).map_err(|it| failure(&it))?;
                contents.add(table, ItemId(item.unsigned_abs()));
            }
        }
        Ok(contents)
    }

    fn connect_for_long(&self) -> Result<Client> {
        let mut client = self.backend.connect(self.backend.settings.timeout)?;
        client.batch_execute("set statement_timeout = 0").map_err(|it| failure(&it))?;
        Ok(client)
    }
}
