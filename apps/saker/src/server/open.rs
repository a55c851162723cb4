//! Opening the stores: database, journal, history.
//!
//! In order: the relational store; the journal, whose next event id is above all that the store has
//! seen; history. What a start reads back from the journal, [`read_back`] does: history what its segments
//! do not hold, the shards ([`engine::replay`]) what their checkpoints do not, side by side.

use std::sync::Arc;

use db::{Db, DbSettings};
use engine::checkpoint::Loaded;
use engine::housekeeping::Chores;
use engine::replay::{self, Restored};
use engine::states::States;
use engine::values::Values;
use history::{Feeder, FeederSettings};
use journal::Journal;
use pipeline::{Live, PlanDelta};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use tracing::{error, info, warn};

use super::{ServerError, bootstrap};
use crate::data_dir::DataDir;
use crate::settings::Settings;

/// Everything that state lives in.
pub(super) struct Stores {
    pub(super) db: Db,
    pub(super) journal: Journal,
    pub(super) history: Values,
}

impl Stores {
    /// The stores of values: so far the one that shards write to.
    pub(super) fn feeder(&self, registry: &Registry, health: &Health) -> Feeder {
        let feeder =
            Feeder::new(self.journal.clone(), FeederSettings::default(), (registry, health));
        feeder.watch("embedded", Arc::clone(&self.history) as Arc<dyn history::Store>);
        feeder
    }
}

/// Opens the stores of a data directory; fills a new installation.
///
/// # Errors
/// The first that cannot be opened, in words for the operator.
pub(super) fn stores(
    settings: &Settings,
    data_dir: &DataDir,
    n_shards: u16,
    (registry, health): (&Registry, &Health),
) -> Result<Stores, ServerError> {
    let location = data_dir.tables(&settings.database.url);
    let zone = jiff::tz::TimeZone::system();
    let (registry_of_db, health) = (registry.clone(), health.clone());
    let settings_of_db =
        DbSettings { zone, health, registry: registry_of_db, ..DbSettings::new(location) };
    let db = Db::open(&settings_of_db)?;
    bootstrap::first_start(&db, data_dir, settings.own_host)?;
    let newest = db.events().query(&db::EventQuery {
        is_descending: true,
        limit: 1,
        ..db::EventQuery::default()
    })?;
    let journal_settings = journal::Settings {
        next_id_min: newest.first().map_or(1, |it| it.eventid.0 + 1),
        // As all readers do: damage costs what is damaged, and is told.
        on_corruption: journal::OnCorruption::Isolate,
        ..journal::Settings::default()
    };
    let path = data_dir.path().join("journal");
    let (journal, recovered) = Journal::open(Arc::new(disk::OsDisk), &path, journal_settings)?;
    if let Some(cut) = &recovered.cut {
        info!(path = %cut.path.display(), bytes = cut.bytes, "the journal's torn end was cut off");
    }
    for lost in &recovered.lost {
        error!(from = %lost.from, to = %lost.to, "a part of the journal is damaged: it is lost");
    }
    let path = data_dir.path().join("history");
    let place = (Arc::new(disk::OsDisk) as Arc<dyn disk::Disk>, path.as_path());
    let kind = history::Kind::default();
    let history = history::open(kind, place, journal.clone(), n_shards, registry)?.store;
    Ok(Stores { db, journal, history })
}

/// Brings history and the shards to the end of the journal, side by side: neither reads the other.
///
/// # Errors
/// If the journal cannot be read, or what is restored is no state.
pub(super) fn read_back(
    stores: &Stores,
    (loaded, live, plans): (Loaded, &Live, Vec<PlanDelta>),
    clock: &Clock,
) -> Result<Restored, ServerError> {
    std::thread::scope(|scope| {
        let values = scope.spawn(|| {
            let started_ns = clock.mono_ns();
            let replayed = stores.history.replay()?;
            info!(
                records = replayed.n_records,
                values = replayed.n_values,
                spent_ms = clock.mono_ns().saturating_sub(started_ns) / 1_000_000,
                "history has read back the journal"
            );
            Ok::<(), history::Error>(())
        });
        let restored = replay::shards(loaded, &stores.journal, live, plans, clock);
        values.join().expect("reading back does not panic")?;
        Ok(restored?)
    })
}

/// What is saved now and then beside the engine's own.
pub(super) fn chores(db: Db, states: Arc<States>) -> Chores {
    Arc::new(move |now| {
        db.events().expire(now);
        if let Err(error) = db.lld_sweep(now) {
            warn!(%error, "lost discovered objects cannot be removed");
        }
        if let Err(error) = db.audit().expire(now) {
            warn!(%error, "old records of the audit log cannot be removed");
        }
        if let Err(error) = db.flush() {
            warn!(%error, "the database cannot be brought up to date");
        }
        let snapshot = db.snapshot();
        states.retain(|item| snapshot.item(item).is_some(), |it| snapshot.trigger(it).is_some());
    })
}
