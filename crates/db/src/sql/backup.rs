//! A copy of the SQLite database, as of one moment, while others go on writing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::error::{DbError, SqlError};

/// Pages copied at a time: 4 MB.
const PAGES: i32 = 1_000;
/// How long to wait for a lock that another connection holds briefly.
const BUSY_MAX: Duration = Duration::from_secs(10);

/// The tables as of a moment. While this lives, the database's log of changes grows.
#[derive(Debug)]
pub struct PinnedTables {
    /// In a read transaction: its view does not change.
    connection: Connection,
    path: PathBuf,
}

impl PinnedTables {
    /// Pins the tables of a database file.
    ///
    /// # Errors
    /// It can't be opened or read.
    pub fn of(path: &Path) -> Result<Self, DbError> {
        let pin = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(BUSY_MAX)?;
            // The first read is what pins.
            connection.execute_batch("begin; select count(*) from sqlite_schema;")?;
            Ok(connection)
        };
        let connection = pin().map_err(|error| open_error(path, error))?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Writes them to a new file. `copied` hears how much of all is done, in bytes, and says whether to go
    /// on; `false` if it was given up.
    ///
    /// # Errors
    /// The file can't be written; a part of it may be there.
    pub fn copy_to(
        self,
        path: &Path,
        copied: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<bool, DbError> {
        let mut copy = Connection::open(path).map_err(|error| open_error(path, error))?;
        let step = |error| DbError::Sql { what: "backup", cause: SqlError::Sqlite(error) };
        let page_bytes: u64 = self
            .connection
            .query_row("pragma page_size", [], |row| row.get::<_, u32>(0))
            .map_err(|error| open_error(&self.path, error))?
            .into();
        {
            let backup = Backup::new(&self.connection, &mut copy).map_err(step)?;
            loop {
                let result = backup.step(PAGES).map_err(step)?;
                let progress = backup.progress();
                let bytes = |pages: i32| u64::try_from(pages).unwrap_or(0) * page_bytes;
                let all = bytes(progress.pagecount);
                if !copied(all.saturating_sub(bytes(progress.remaining)), all) {
                    return Ok(false);
                }
                match result {
                    StepResult::Done => break,
                    StepResult::More => {}
                    // Nobody else has the copy, and reading waits for nobody.
                    _ => return Err(step(busy())),
                }
            }
        }
        copy.close().map_err(|(_, error)| step(error))?;
        Ok(true)
    }
}

fn busy() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    rusqlite::Error::SqliteFailure(code, None)
}

fn open_error(path: &Path, error: rusqlite::Error) -> DbError {
    DbError::Open { location: path.display().to_string(), cause: SqlError::Sqlite(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_files_are_copied_while_others_write() {
        let temp = tempfile::tempdir().unwrap();
        let (from, to) = (temp.path().join("from.db"), temp.path().join("to.db"));
        let writer = Connection::open(&from).unwrap();
        writer
            .execute_batch(
                "pragma journal_mode = wal; create table t (x); insert into t values (1)",
            )
            .unwrap();
        let pinned = PinnedTables::of(&from).unwrap();
        writer.execute_batch("insert into t values (2)").unwrap();
        let mut reported = Vec::new();
        let copied = pinned.copy_to(&to, &mut |done, all| {
            reported.push((done, all));
            writer.execute_batch("insert into t values (3)").unwrap();
            true
        });
        assert!(copied.unwrap());
        assert!(reported.last().is_some_and(|it| it.0 == it.1 && it.0 > 0), "{reported:?}");
        let count = |path: &Path| -> i64 {
            let connection = Connection::open(path).unwrap();
            connection.query_row("select count(*) from t", [], |row| row.get(0)).unwrap()
        };
        assert_eq!(count(&to), 1);
        assert!(count(&from) > 1);
        assert!(PinnedTables::of(&temp.path().join("none.db")).is_err());
        let pinned = PinnedTables::of(&from).unwrap();
        let given_up = pinned.copy_to(&temp.path().join("again.db"), &mut |_, _| false);
        assert!(!given_up.unwrap());
    }
}
