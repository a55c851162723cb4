//! Reads and writes of global correlation.
//!
//! A problem that a rule wants closed has a row in `event_correlations`, written together with the position up to
//! which events were judged: judged events are not judged again, and the problem is closed however
//! often the process ends. Rows show later by which rule a problem was closed.

use std::sync::atomic::Ordering;

use model::EventId;

use super::Events;
use crate::configuration::store::{cursor, set_cursor};
use crate::error::DbError;
use crate::locks::lock;
use crate::runtime::events::{Correlation, EVENT_COLUMNS, EventRow, read_event};
use crate::sql::schema::EVENT_CORRELATIONS;
use crate::sql::{Cell, Conflict, Rows};

/// Name of the position up to which events were judged; it is an event id.
const JUDGED: &str = "correlation";

/// By ids: SQLite would look at all events of the source, and sort them.
fn new_problems() -> String {
    format!(
        "select {EVENT_COLUMNS} from events where eventid > ?1 and +source = 0 \
         and object = 0 and value = 1 order by eventid limit ?2"
    )
}

impl Events {
    /// The last event that was judged; 0 at first.
    ///
    /// # Errors
    /// If the database is away.
    pub fn correlated_to(&self) -> Result<EventId, DbError> {
        let judged = self.workers.read("read correlated", |sql| cursor(sql, JUDGED))?;
        self.correlated.store(judged, Ordering::Release);
        Ok(EventId(judged))
    }

    /// Up to where problems are judged and show what rules want of them; 0 until correlation has begun.
    #[must_use]
    pub fn shown_correlated_to(&self) -> EventId {
        EventId(self.correlated.load(Ordering::Acquire))
    }

    /// The newest event that is in SQL.
    ///
    /// # Errors
    /// If the database is away.
    pub fn last_saved(&self) -> Result<EventId, DbError> {
        self.workers.read("read last event", |sql| {
            let mut last = 0;
            sql.query("select coalesce(max(eventid), 0) from events", &[], &mut |row| {
                last = row.id(0)?;
                Ok(false)
            })?;
            Ok(EventId(last))
        })
    }

    /// The next problems of triggers in SQL after an event, whatever has become of them.
    ///
    /// # Errors
    /// If the database is away.
    pub fn begun_after(&self, event: EventId, n_max: i64) -> Result<Vec<EventRow>, DbError> {
        self.workers.read("read new problems", move |sql| {
            let statement = new_problems();
            let mut found = Vec::new();
            sql.query(&statement, &[Cell::id(event.0), Cell::Int(n_max)], &mut |row| {
                found.push(read_event(row)?);
                Ok(true)
            })?;
            Ok(found)
        })
    }

    /// Remembers which problems are to be closed and up to where events were judged, and shows it.
    ///
    /// # Errors
    /// If the database refuses: ask [`Self::to_close`] then what holds.
    pub fn correlate(
        &self,
        wanted: &[(EventId, Correlation)],
        judged: EventId,
    ) -> Result<(), DbError> {
        let rows = wanted.to_vec();
        self.workers.write("correlate", move |sql| {
            let mut table = Rows::new(&EVENT_CORRELATIONS);
            for (problem, of) in rows {
                table.push([Cell::id(problem.0), Cell::id(of.correlationid), Cell::id(of.by.0)]);
            }
            sql.insert(&table, Conflict::Ignore)?;
            set_cursor(sql, JUDGED, judged.0)
        })?;
        self.show_correlated(wanted);
        self.correlated.store(judged.0, Ordering::Release);
        self.queue.publish_saved();
        Ok(())
    }

    /// Problems that rules want closed and that SQL does not know to be closed.
    ///
    /// # Errors
    /// If the database is away.
    pub fn to_close(&self) -> Result<Vec<EventId>, DbError> {
        let found = self.workers.read("read problems to close", |sql| {
            let statement = "select c.eventid, c.correlationid, c.c_eventid \
                             from problems p join event_correlations c on c.eventid = p.eventid \
                             where p.r_eventid = 0 order by c.eventid";
            let mut found = Vec::new();
            sql.query(statement, &[], &mut |row| {
                let of = Correlation { correlationid: row.id(1)?, by: EventId(row.id(2)?) };
                found.push((EventId(row.id(0)?), of));
                Ok(true)
            })?;
            Ok(found)
        })?;
        self.show_correlated(&found);
        Ok(found.into_iter().map(|it| it.0).collect())
    }

    fn show_correlated(&self, wanted: &[(EventId, Correlation)]) {
        if wanted.is_empty() {
            return;
        }
        let version = {
            let mut live = lock(&self.live);
            for (problem, of) in wanted {
                live.set_correlation(*problem, *of);
            }
            live.version()
        };
        self.notify_watchers(version);
    }
}

impl alert::correlation::Tagged for crate::Problem {
    fn tags(&self) -> &[model::content::Tag] {
        &self.event.tags
    }
}

/// For those who keep open problems by their tags.
pub type Correlator = alert::correlation::Correlator<crate::Problem>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::plan::assert_plan;

    #[test]
    fn new_problems_are_found_by_their_ids() {
        assert_plan(
            &new_problems(),
            &[Cell::Int(0), Cell::Int(1)],
            "USING INTEGER PRIMARY KEY (rowid>?)",
        );
    }
}
