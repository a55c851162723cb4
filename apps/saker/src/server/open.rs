//! Opening the stores: database, journal, history.
//!
//! In order: the relational store; the journal, whose next event id is above all that the store has
//! seen; history, which reads back what its segments do not hold. The state of the shards is
//! [`engine::replay`]'s.

use std::sync::Arc;

use db::{Db, DbSettings};
use engine::values::Values;
use journal::Journal;
use rt::health::Health;
use rt::metrics::Registry;
use tracing::{error, info};

use super::{ServerError, bootstrap};
use crate::data_dir::DataDir;
use crate::settings::Settings;

/// Everything that state lives in.
pub(super) struct Stores {
    pub(super) db: Db,
    pub(super) journal: Journal,
    pub(super) history: Values,
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
    let (history, _recovered) = Values::open(
        Arc::new(disk::OsDisk),
        &data_dir.path().join("history"),
        journal.clone(),
        n_shards,
        (history::Settings::default(), registry),
    )?;
    let replayed = history.replay()?;
    info!(
        records = replayed.n_records,
        values = replayed.n_values,
        "history has read back the journal"
    );
    Ok(Stores { db, journal, history })
}
