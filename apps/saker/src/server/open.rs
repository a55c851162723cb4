//! Opening the stores: the database, then the contents of the data directory
//! ([`engine::recovery`]).

use std::sync::Arc;

use db::{Db, DbSettings};
use engine::housekeeping::PeriodicJobs;
use engine::recovery::{self, OpenSettings, OpenedData};
use engine::states::States;
use history::{LiveStore, ReadOrder, Store};
use journal::Journal;
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use tracing::{info, warn};

use super::remote_stores::RemoteStores;
use super::{ServerError, bootstrap};
use crate::settings::Settings;
use data_dir::DataDir;

/// Everything that state lives in.
pub(super) struct Stores {
    pub(super) db: Db,
    pub(super) journal: Journal,
    /// Where values are read.
    pub(super) read: Arc<ReadOrder>,
    pub(super) remote: RemoteStores,
}

/// Opens the stores of a data directory; fills a new installation.
///
/// # Errors
/// The first that cannot be opened, in words for the operator.
pub(super) fn stores(
    settings: &Settings,
    data_dir: &DataDir,
    n_shards: u16,
    clock: &Clock,
    registry: &Registry,
    health: &Health,
) -> Result<(Stores, OpenedData), ServerError> {
    let location = settings.database.url.tables(data_dir.path());
    let zone = jiff::tz::TimeZone::system();
    let (registry_of_db, health_of_db) = (registry.clone(), health.clone());
    let settings_of_db = DbSettings {
        zone,
        health: health_of_db,
        registry: registry_of_db,
        discovery_rows_max: usize::try_from(settings.discovery.rows_max).unwrap_or(usize::MAX),
        ..DbSettings::new(location)
    };
    let db = Db::open(&settings_of_db)?;
    bootstrap::first_start(&db, data_dir, settings.own_host)?;
    let newest = db.events().query(&db::EventQuery {
        is_descending: true,
        limit: 1,
        ..db::EventQuery::default()
    })?;
    let remote = RemoteStores::new(settings, clock, registry)?;
    let mut opened = recovery::open(
        OpenSettings {
            disk: Arc::new(disk::OsDisk),
            data: data_dir.path(),
            n_shards,
            next_event_id_min: newest.first().map_or(1, |it| it.eventid.0 + 1),
            journal: journal::JournalSettings {
                // 0 would be none.
                identity: getrandom::u32().map_err(ServerError::Randomness)?.max(1),
                ..journal::JournalSettings::default()
            },
            store: history::StoreKind::Embedded(history::EmbeddedSettings {
                disk_budget_bytes: settings.history.disk_budget_bytes,
                buffer_of: remote.instead_of_embedded(),
                ..history::EmbeddedSettings::default()
            }),
        },
        registry,
    )?;
    let journal = opened.journal.clone();
    let read = remote.read_order(Arc::clone(&opened.history), clock, registry, health);
    let read = Arc::new(read);
    opened.read = Arc::clone(&read) as Arc<dyn Store>;
    Ok((Stores { db, journal, read, remote }, opened))
}

/// Values and trends go or stay as the general housekeeping settings say.
fn follow_switches(db: &Db, history: &dyn LiveStore) {
    let housekeeping = &db.snapshot().globals.settings.housekeeping;
    history.set_expiring(housekeeping.expires_history, housekeeping.expires_trends);
}

/// Periodic work of the database and the stores, in addition to the engine's own.
pub(super) fn jobs(db: Db, history: Arc<dyn LiveStore>, states: Arc<States>) -> PeriodicJobs {
    // Before anything is removed.
    follow_switches(&db, &*history);
    Arc::new(move |now| {
        follow_switches(&db, &*history);
        db.events().expire(now);
        if let Err(error) = db.lld_sweep(now) {
            warn!(%error, "lost discovered objects cannot be removed");
        }
        if let Err(error) = db.flush() {
            warn!(%error, "the database cannot be brought up to date");
        }
        let snapshot = db.snapshot();
        let n_dropped = db.events().drop_orphans(&snapshot);
        if n_dropped > 0 {
            info!(n_dropped, "problems of deleted triggers and items are gone");
        }
        states.retain(|item| snapshot.item(item).is_some(), |it| snapshot.trigger(it).is_some());
    })
}
