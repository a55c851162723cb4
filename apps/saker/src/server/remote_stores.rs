//! Stores of history on other machines: made by the settings, fed from the journal by threads of their own, and
//! read in the order that the settings say.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use db::Db;
use engine::readers::{ReaderWake, StoreFeed};
use engine::runner;
use followers::item_directory::{self, ItemDirectory};
use history::{
    FedStore, Feeder, Flush, LiveStore, ReadOrder, ReadOrderSettings, RemoteStore, Store,
};
use journal::Journal;
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::task::Tasks;
use rt::worker::WorkerGroup;
use stores::{clickhouse, postgres};

use super::ServerError;
use super::base::Base;
use crate::settings::{Settings, StoreName};

/// The stores that the settings name. None of them has been spoken to.
pub(super) struct RemoteStores {
    /// Those that are read come first, in their order.
    fed: Vec<FedStore>,
    keeps_embedded: bool,
}

impl RemoteStores {
    /// # Errors
    /// The settings cannot be used.
    pub(super) fn new(
        settings: &Settings,
        clock: &Clock,
        registry: &Registry,
    ) -> Result<Self, ServerError> {
        let order = &settings.history.stores.0;
        // A store after the server's own, or not in the list, is a copy.
        let read: Vec<StoreName> =
            order.iter().copied().take_while(|it| *it != StoreName::Embedded).collect();
        let of_copies = [StoreName::ClickHouse, StoreName::Postgres].into_iter();
        let copies = of_copies.filter(|it| !read.contains(it)).map(|it| (it, false));
        let mut fed = Vec::new();
        for (name, is_read) in read.iter().map(|it| (*it, true)).chain(copies) {
            if let Some((name, store)) = open(name, settings, clock, registry)? {
                fed.push(FedStore { name, store, is_read });
            }
        }
        Ok(Self { fed, keeps_embedded: order.contains(&StoreName::Embedded) })
    }

    /// The store that is history where the server's own keeps nothing.
    pub(super) fn instead_of_embedded(&self) -> Option<Arc<dyn Store>> {
        let first = self.fed.first().filter(|_| !self.keeps_embedded)?;
        Some(Arc::clone(&first.store) as Arc<dyn Store>)
    }

    pub(super) fn read_order(
        &self,
        live: Arc<dyn LiveStore>,
        clock: &Clock,
        registry: &Registry,
        health: &Health,
    ) -> ReadOrder {
        let settings = ReadOrderSettings::default();
        ReadOrder::new(live, self.fed.clone(), settings, clock.clone(), (registry, health))
    }

    /// Starts the feed of each store. One that is away is no error: it is met when it is there.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn start(
        &self,
        base: &Base,
        (db, journal): (&Db, &Journal),
        feeder: &Feeder,
        readers: &Tasks,
    ) -> Result<(), ServerError> {
        for FedStore { name, store, .. } in &self.fed {
            let feed = StoreFeed(feeder.add(name, Arc::clone(store) as Arc<dyn Flush>));
            let (wake, shutdown) = (ReaderWake::default(), readers.shutdown().clone());
            let of_syncs = wake.clone();
            let following = journal.follow_synced(move || of_syncs.wake());
            readers.thread(name, move || {
                runner::run_reader(feed, &wake, &shutdown);
                drop(following);
            })?;
            // A thread for each: a store may take its time.
            let row = item_directory::row(name);
            let mut group = WorkerGroup::new(row.name, &base.worker_context(readers));
            let (store, db, clock) = (Arc::clone(store), db.clone(), base.clock.clone());
            group.add(row, |wake| ItemDirectory::new(store, db, clock, wake));
            group.start()?;
        }
        Ok(())
    }
}

type Named = (&'static str, Arc<dyn RemoteStore>);

/// `None` if the settings say no URL.
fn open(
    name: StoreName,
    settings: &Settings,
    clock: &Clock,
    registry: &Registry,
) -> Result<Option<Named>, ServerError> {
    let wrong = |name| move |error: history::Error| refused(name, error.to_string());
    match name {
        StoreName::Embedded => Ok(None),
        StoreName::ClickHouse => {
            let Some(wanted) = clickhouse_settings(settings)? else { return Ok(None) };
            let store = clickhouse::ClickHouse::new(wanted, clock.clone(), registry);
            Ok(Some(("clickhouse", Arc::new(store.map_err(wrong("clickhouse"))?))))
        }
        StoreName::Postgres => {
            let Some(wanted) = postgres_settings(settings)? else { return Ok(None) };
            let store = postgres::Postgres::new(wanted, clock.clone(), registry);
            Ok(Some(("postgres", Arc::new(store.map_err(wrong("postgres"))?))))
        }
    }
}

fn refused(name: &'static str, reason: String) -> ServerError {
    ServerError::RemoteStore { name, reason }
}

/// A certificate authority of the settings.
fn pem(name: &'static str, file: Option<&PathBuf>) -> Result<Option<String>, ServerError> {
    let read = |path: &PathBuf| {
        let wrong = |error| refused(name, format!("{name}.ca_file, {}: {error}", path.display()));
        fs::read_to_string(path).map_err(wrong)
    };
    file.map(read).transpose()
}

pub(crate) fn postgres_settings(
    settings: &Settings,
) -> Result<Option<postgres::PostgresSettings>, ServerError> {
    let wanted = &settings.postgres;
    let Some(url) = &wanted.url else { return Ok(None) };
    Ok(Some(postgres::PostgresSettings {
        url: url.0.clone(),
        schema: wanted.schema.clone(),
        ca_pem: pem("postgres", wanted.ca_file.as_ref())?,
        timeout: Duration::from_millis(wanted.timeout_ms),
        read_timeout: Duration::from_millis(settings.history.read_timeout_ms),
        ..postgres::PostgresSettings::default()
    }))
}

pub(crate) fn clickhouse_settings(
    settings: &Settings,
) -> Result<Option<clickhouse::ClickHouseSettings>, ServerError> {
    let wanted = &settings.clickhouse;
    let Some(url) = &wanted.url else { return Ok(None) };
    Ok(Some(clickhouse::ClickHouseSettings {
        url: url.0.clone(),
        user: wanted.user.clone(),
        password: wanted.password.0.clone(),
        database: wanted.database.clone(),
        cluster: wanted.cluster.clone(),
        ca_pem: pem("clickhouse", wanted.ca_file.as_ref())?,
        timeout: Duration::from_millis(wanted.timeout_ms),
        read_timeout: Duration::from_millis(settings.history.read_timeout_ms),
        ..clickhouse::ClickHouseSettings::default()
    }))
}
