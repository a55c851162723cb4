//! Exports in real time ([`export`]): targets by the settings, and the database as targets need it.

use std::sync::Arc;
use std::time::Duration;

use collect::ports::Secrets;
use db::{Db, Snapshot};
use engine::housekeeping::JournalHold;
use export::runner::{self, CONNECTOR, RunnerParts, SetTargets};
use export::targets::{ElasticsearchSettings, FilesSettings, RemoteWriteSettings};
use export::{
    ExportPlace, ExportPlaces, Exports, LagLimits, PlaceError, PlaceStore, RowKind, Wanted,
};
use jiff::tz::TimeZone;
use journal::Journal;
use rt::task::Tasks;

use super::{Base, ServerError};
use crate::settings::{ExportTypes, Settings};

/// All targets, before any is there.
pub(super) fn open(base: &Base, journal: &Journal) -> Exports {
    let wanted = &base.settings.export;
    let limits = LagLimits {
        bytes_max: wanted.lag_bytes_max,
        age_max: Duration::from_secs(wanted.lag_max_s),
        when_behind: wanted.when_target_lags,
    };
    Exports::new(journal.clone(), limits, (&base.registry, &base.health))
}

/// The records that the journal keeps for exports.
pub(super) fn hold(exports: &Exports) -> JournalHold {
    let exports = exports.clone();
    Arc::new(move |now| exports.needed(now))
}

/// Starts the targets that the settings name, and those that users make, now and later.
///
/// # Errors
/// The system refuses a thread.
pub(super) fn start(
    base: &Base,
    db: &Db,
    secrets: &Arc<dyn Secrets>,
    exports: &Exports,
    readers: &Tasks,
) -> Result<(), ServerError> {
    let (zone, secrets) = (TimeZone::system(), Arc::clone(secrets));
    let parts = RunnerParts {
        exports: exports.clone(),
        configuration: Arc::new(Configured { db: db.clone(), zone, secrets }),
        http: Arc::new(base.outgoing.exchanger()),
        places: Arc::new(DbPlaces(db.clone())),
        workers: base.worker_context(readers),
    };
    let connectors = runner::start(parts, set_targets(&base.settings))?;
    db.subscribe(Box::new(move |snapshot, delta| {
        if delta.documents_changed.iter().any(|(kind, _)| *kind == CONNECTOR) {
            connectors.follow(snapshot);
        }
    }));
    Ok(())
}

fn set_targets(settings: &Settings) -> SetTargets {
    let files = &settings.export;
    let elasticsearch = &settings.elasticsearch;
    let remote_write = &settings.remote_write;
    SetTargets {
        files: files.dir.as_ref().map(|dir| FilesSettings {
            dir: dir.clone(),
            file_bytes_max: files.file_bytes_max,
            kinds: files.types.0.clone(),
        }),
        elasticsearch: elasticsearch.url.as_ref().map(|url| ElasticsearchSettings {
            url: url.0.clone(),
            user: elasticsearch.user.clone(),
            password: elasticsearch.password.0.clone(),
            index: elasticsearch.index.clone(),
            wanted: wanted_rows(&elasticsearch.types),
            time: Duration::from_millis(elasticsearch.timeout_ms),
            tls_verify: elasticsearch.tls_verify,
        }),
        remote_write: remote_write.url.as_ref().map(|url| RemoteWriteSettings {
            url: url.0.clone(),
            user: remote_write.user.clone(),
            password: remote_write.password.0.clone(),
            prefix: remote_write.prefix.clone(),
            time: Duration::from_millis(remote_write.timeout_ms),
            tls_verify: remote_write.tls_verify,
        }),
    }
}

fn wanted_rows(types: &ExportTypes) -> Wanted {
    let wants = |kind| types.0.contains(&kind);
    Wanted {
        values: wants(RowKind::History),
        trends: wants(RowKind::Trends),
        events: wants(RowKind::Events),
        states: false,
    }
}

/// The configuration as targets see it.
struct Configured {
    db: Db,
    zone: TimeZone,
    secrets: Arc<dyn Secrets>,
}

impl export::ExportConfiguration for Configured {
    fn snapshot(&self) -> Arc<Snapshot> {
        self.db.snapshot()
    }

    fn zone(&self) -> &TimeZone {
        &self.zone
    }

    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        self.secrets.secret(named)
    }
}

/// The place of a target as a row of the database.
struct DbPlace {
    db: Db,
    name: String,
    saved_journal: u32,
}

impl PlaceStore for DbPlace {
    fn load(&mut self) -> Result<Option<ExportPlace>, PlaceError> {
        let journal = self.db.journal_of(&self.name)?;
        if journal == 0 {
            return Ok(None);
        }
        self.saved_journal = journal;
        Ok(Some(ExportPlace { journal, lsn: self.db.cursor(&self.name)? }))
    }

    fn save(&mut self, place: ExportPlace) -> Result<(), PlaceError> {
        self.db.set_cursor(&self.name, place.lsn)?;
        // In this order: without a journal there is no place.
        if self.saved_journal != place.journal {
            self.db.set_journal_of(&self.name, place.journal)?;
            self.saved_journal = place.journal;
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<(), PlaceError> {
        self.saved_journal = 0;
        Ok(self.db.forget_cursor(&self.name)?)
    }
}

/// Places of targets.
struct DbPlaces(Db);

impl ExportPlaces for DbPlaces {
    fn place(&self, name: &str) -> Box<dyn PlaceStore> {
        Box::new(DbPlace { db: self.0.clone(), name: name.to_owned(), saved_journal: 0 })
    }
}
