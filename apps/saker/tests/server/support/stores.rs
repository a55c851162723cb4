//! The stores of a server that has ended, read without it.

use std::path::Path;
use std::sync::Arc;

use db::{Db, DbSettings, EventQuery, Location};
use history::{LiveStore, RangeQuery, Trend, TrendQuery};
use journal::Journal;
use model::record::Hour;
use model::value::Sample;
use model::{ItemId, Time, ValueType};
use rt::metrics::Registry;

/// Segments and the journal behind them: all that a start would find.
pub struct History(Arc<dyn LiveStore>);

impl History {
    pub fn open(data: &Path) -> Self {
        let settings = journal::JournalSettings::default();
        let disk = Arc::new(disk::OsDisk);
        let (journal, _) = Journal::open(disk, &data.join("journal"), settings).unwrap();
        let path = data.join("history");
        let place = (Arc::new(disk::OsDisk) as Arc<dyn disk::Disk>, path.as_path());
        let kind = history::StoreKind::default();
        let opened = history::open(kind, place, journal, 4, &Registry::new()).unwrap();
        assert_eq!(opened.n_damaged, 0);
        let history = opened.store;
        let replayed = history.replay(&|_| ()).unwrap();
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

    /// All trends that are written, oldest first.
    pub fn trends(&self, item: &str, kind: ValueType) -> Vec<Trend> {
        let item = ItemId(item.parse().unwrap());
        // Times in milliseconds.
        let [from, till] = [-1, 1].map(|it| Hour(it * 1_000_000_000));
        let query = TrendQuery { item, kind, from, till };
        self.0.trends(&[query]).unwrap().remove(0)
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
