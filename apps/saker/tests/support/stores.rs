//! The stores of a server that has ended, read without it.

use std::path::Path;
use std::sync::Arc;

use db::{Db, DbSettings, EventQuery, Location};
use history::{Embedded, RangeQuery, Store as _};
use journal::Journal;
use model::value::Sample;
use model::{ItemId, Time, ValueType};
use rt::metrics::Registry;

/// Segments and the journal behind them: all that a start would find.
pub struct History(Embedded);

impl History {
    pub fn open(data: &Path) -> Self {
        let settings = journal::Settings::default();
        let disk = Arc::new(disk::OsDisk);
        let (journal, _) = Journal::open(disk, &data.join("journal"), settings).unwrap();
        let (history, recovered) = Embedded::open(
            Arc::new(disk::OsDisk),
            &data.join("history"),
            journal,
            4,
            (history::Settings::default(), &Registry::new()),
        )
        .unwrap();
        assert!(recovered.damaged.is_empty(), "{:?}", recovered.damaged);
        let replayed = history.replay().unwrap();
        assert!(replayed.lost.is_empty(), "{:?}", replayed.lost);
        Self(history)
    }

    /// All values, oldest first.
    pub fn values(&self, item: &str, kind: ValueType) -> Vec<Sample> {
        let query = RangeQuery {
            item: ItemId(item.parse().unwrap()),
            kind,
            from: Time(i64::MIN),
            till: Time(i64::MAX),
            limit: 1_000_000,
            newest_first: false,
        };
        self.0.range(&query).unwrap().into_samples()
    }
}

/// Events and problems as they were written.
pub fn database(data: &Path) -> Db {
    Db::open(&DbSettings::new(Location::Sqlite(data.join("saker.db")))).unwrap()
}

/// All events, oldest first.
pub fn events(db: &Db) -> Vec<db::EventRow> {
    db.events().query(&EventQuery::default()).unwrap()
}
