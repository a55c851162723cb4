//! Defects of earlier versions, reproduced by the state that they left in the database at the end
//! of a process.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

/// A defect that is put back to see that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertingDefect {
    /// The position of the judge is saved in a transaction of its own, before its results.
    JudgedAhead,
    /// Digests are saved in a transaction of their own, before the marks on their messages.
    DigestsAhead,
    /// Which messages wait is known in memory alone.
    HeldForgotten,
}

impl AlertingDefect {
    /// The state of the database after the end of a process. `status` 4 is that of messages that
    /// are held.
    const fn statement(self) -> &'static str {
        match self {
            Self::JudgedAhead => {
                "update cursors set lsn = (select coalesce(max(eventid), 0) + 1 from events)
                 where name = 'alerting events'"
            }
            Self::DigestsAhead => {
                "update alerts set digestid = 0, status = 4, next_at = clock
                 where digestid <> alertid
                 and digestid = (select max(alertid) from alerts where digestid = alertid)"
            }
            // Their time never comes.
            Self::HeldForgotten => {
                "update alerts set next_at = 4102444800 where status = 4 and digestid = 0"
            }
        }
    }

    pub(super) fn leave(self, path: &Path) {
        let database = Connection::open(path).expect("the database");
        database.busy_timeout(Duration::from_secs(60)).expect("a time");
        database.execute(self.statement(), []).expect("the tables are as they were");
    }
}
