//! What is exported as it happens: targets of the settings, and the connectors that users make.
//!
//! Each target has a thread. That of a connector begins when it is first enabled and ends with the connector; while it
//! is disabled it keeps no place, and what comes meanwhile is not sent, as in Zabbix.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use collect::ports::Secrets;
use db::{Db, Snapshot};
use engine::housekeeping::JournalHold;
use export::targets::{
    Auth, Connector, ConnectorSettings, CurrentSettings, DataType, Elasticsearch,
    ElasticsearchSettings, Files, FilesSettings, RemoteWrite, RemoteWriteSettings,
};
use export::{
    ClientCertificate, Exports, Feed, FeedParts, Limits, Login, Place, PlaceError, PlaceStore,
    RowKind, Target, Turn, Wanted,
};
use jiff::tz::TimeZone;
use journal::Journal;
use lang::tags::{TagCondition, TagFilter, TagOperator};
use model::document::{Body, Document};
use outgoing::Exchanger;
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use tracing::error;

use super::{Base, ServerError};
use crate::settings::ExportTypes;

/// Without anything to do a target looks this often for more.
const IDLE: Duration = Duration::from_millis(500);
/// Whoever waits for a target that is away sees changes of its settings after this time.
const CHANGE_WAIT: Duration = Duration::from_millis(250);
/// The object's name in methods.
const CONNECTOR: &str = "connector";

/// All targets, before any is there.
pub(super) fn open(base: &Base, journal: &Journal) -> Exports {
    let wanted = &base.settings.export;
    let limits = Limits {
        bytes_max: wanted.lag_bytes_max,
        age_max: Duration::from_secs(wanted.lag_max_s),
        when_behind: wanted.when_target_lags,
    };
    Exports::new(journal.clone(), limits, (&base.registry, &base.health))
}

/// What the journal is kept for.
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
    (db, secrets): (&Db, &Arc<dyn Secrets>),
    exports: &Exports,
    readers: &Tasks,
) -> Result<(), ServerError> {
    let (zone, secrets) = (TimeZone::system(), Arc::clone(secrets));
    let runner = Runner {
        exports: exports.clone(),
        clock: base.clock.clone(),
        configuration: Arc::new(Configured { db: db.clone(), zone, secrets }),
        http: Arc::new(base.outgoing.exchanger()),
        db: db.clone(),
        readers: readers.clone(),
    };
    runner.start_files(base)?;
    runner.start_elasticsearch(base)?;
    runner.start_remote_write(base)?;
    let connectors = Arc::new(Connectors { runner, slots: Mutex::default() });
    connectors.follow(&db.snapshot());
    db.subscribe(Box::new(move |snapshot, delta| {
        if delta.documents_changed.iter().any(|(kind, _)| *kind == CONNECTOR) {
            connectors.follow(snapshot);
        }
    }));
    Ok(())
}

/// The configuration as targets see it.
struct Configured {
    db: Db,
    zone: TimeZone,
    secrets: Arc<dyn Secrets>,
}

impl export::Configuration for Configured {
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
    fn load(&mut self) -> Result<Option<Place>, PlaceError> {
        let journal = self.db.journal_of(&self.name)?;
        if journal == 0 {
            return Ok(None);
        }
        self.saved_journal = journal;
        Ok(Some(Place { journal, lsn: self.db.cursor(&self.name)? }))
    }

    fn save(&mut self, place: Place) -> Result<(), PlaceError> {
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

/// What each target is made with.
#[derive(Clone)]
struct Runner {
    exports: Exports,
    clock: Clock,
    configuration: Arc<Configured>,
    http: Arc<Exchanger>,
    db: Db,
    readers: Tasks,
}

impl Runner {
    fn place(&self, name: &str) -> Box<DbPlace> {
        Box::new(DbPlace { db: self.db.clone(), name: format!("export {name}"), saved_journal: 0 })
    }

    fn feed(&self, kind: &'static str, name: &str, target: Box<dyn Target>) -> Feed {
        let (exports, clock) = (self.exports.clone(), self.clock.clone());
        Feed::new(FeedParts { exports, clock, kind, name: name.to_owned() }, target)
    }

    fn run(&self, name: &'static str, target: Box<dyn Target>) -> Result<(), ServerError> {
        let mut feed = self.feed(name, name, target);
        let shutdown = self.readers.shutdown().clone();
        self.readers.thread(&format!("export-{name}"), move || {
            while let Some(pause) = turn(&mut feed, &shutdown) {
                // The next turn sees the request to stop.
                _ = shutdown.wait(pause);
            }
        })?;
        Ok(())
    }

    /// A target that is not wanted any more: when it is again it begins with what comes then.
    fn forget(&self, name: &str) {
        let mut place = self.place(name);
        let forgotten = match place.load() {
            Ok(None) => Ok(()),
            Ok(Some(_)) => place.forget(),
            Err(error) => Err(error),
        };
        if let Err(error) = forgotten {
            error!(%error, export = name, "the place of an export that was switched off stays");
        }
    }

    fn start_files(&self, base: &Base) -> Result<(), ServerError> {
        let wanted = &base.settings.export;
        let Some(dir) = &wanted.dir else { return Ok(()) };
        let settings = FilesSettings {
            dir: dir.clone(),
            file_bytes_max: wanted.file_bytes_max,
            kinds: wanted.types.0.clone(),
        };
        let configuration = Arc::clone(&self.configuration) as Arc<dyn export::Configuration>;
        self.run("files", Box::new(Files::new(settings, configuration)))
    }

    fn start_elasticsearch(&self, base: &Base) -> Result<(), ServerError> {
        const NAME: &str = "elasticsearch";
        let wanted = &base.settings.elasticsearch;
        let Some(url) = &wanted.url else {
            self.forget(NAME);
            return Ok(());
        };
        let settings = ElasticsearchSettings {
            url: url.0.clone(),
            user: wanted.user.clone(),
            password: wanted.password.0.clone(),
            index: wanted.index.clone(),
            wanted: wanted_rows(&wanted.types),
            time: Duration::from_millis(wanted.timeout_ms),
            tls_verify: wanted.tls_verify,
        };
        let identity = self.exports.journal().identity();
        let configuration = Arc::clone(&self.configuration) as Arc<dyn export::Configuration>;
        let (http, place) = (Arc::<Exchanger>::clone(&self.http), self.place(NAME));
        self.run(NAME, Box::new(Elasticsearch::new(settings, identity, configuration, http, place)))
    }

    fn start_remote_write(&self, base: &Base) -> Result<(), ServerError> {
        const NAME: &str = "remote_write";
        let wanted = &base.settings.remote_write;
        let Some(url) = &wanted.url else {
            self.forget(NAME);
            return Ok(());
        };
        let settings = RemoteWriteSettings {
            url: url.0.clone(),
            user: wanted.user.clone(),
            password: wanted.password.0.clone(),
            prefix: wanted.prefix.clone(),
            time: Duration::from_millis(wanted.timeout_ms),
            tls_verify: wanted.tls_verify,
        };
        let configuration = Arc::clone(&self.configuration) as Arc<dyn export::Configuration>;
        let (http, place) = (Arc::<Exchanger>::clone(&self.http), self.place(NAME));
        self.run(NAME, Box::new(RemoteWrite::new(settings, configuration, http, place)))
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

/// A turn, and how long to wait for the next; `None`: the server stops, and this was the last one.
fn turn(feed: &mut Feed, shutdown: &Shutdown) -> Option<Duration> {
    let stopping = shutdown.is_cancelled();
    match feed.turn(stopping) {
        Turn::More => Some(Duration::ZERO),
        // What is not delivered is read again by the next start: the journal keeps it.
        Turn::Idle | Turn::Retry(_) if stopping => None,
        Turn::Idle => Some(IDLE),
        Turn::Retry(pause) => Some(pause),
    }
}

/// The connectors that there are.
struct Connectors {
    runner: Runner,
    slots: Mutex<BTreeMap<u64, Arc<Slot>>>,
}

/// What the thread of a connector is told.
struct Slot {
    settings: CurrentSettings,
    state: Mutex<SlotState>,
    /// Grows with each change.
    version: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotState {
    Enabled,
    Disabled,
    Removed,
}

impl Slot {
    fn set(&self, state: SlotState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.version.fetch_add(1, Ordering::Relaxed);
    }

    fn state(&self) -> SlotState {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connectors {
    /// Takes over what users have made, changed and removed.
    fn follow(&self, snapshot: &Snapshot) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|id, slot| {
            let is_there = snapshot.documents.get(CONNECTOR, *id).is_some();
            if !is_there {
                slot.set(SlotState::Removed);
            }
            is_there
        });
        for document in snapshot.documents.of(CONNECTOR) {
            let is_enabled = document.text("status") == "1";
            let state = if is_enabled { SlotState::Enabled } else { SlotState::Disabled };
            if let Some(slot) = slots.get(&document.id) {
                slot.settings.set(settings_of(document));
                slot.set(state);
                continue;
            }
            if !is_enabled {
                continue;
            }
            let slot = Arc::new(Slot {
                settings: CurrentSettings::new(settings_of(document)),
                state: Mutex::new(state),
                version: AtomicU64::new(0),
            });
            match self.start(document.id, Arc::clone(&slot)) {
                Ok(()) => _ = slots.insert(document.id, slot),
                Err(error) => error!(%error, connector = document.id, "a connector cannot start"),
            }
        }
    }

    fn start(&self, id: u64, slot: Arc<Slot>) -> Result<(), ServerError> {
        let runner = self.runner.clone();
        let name = format!("connector {id}");
        // Before this returns the journal is kept for it.
        let feed = runner.connector(&name, &slot);
        self.runner.readers.thread(&format!("export-connector-{id}"), move || {
            run_connector(&runner, &name, &slot, Some(feed));
        })?;
        Ok(())
    }
}

impl Runner {
    fn connector(&self, name: &str, slot: &Slot) -> Feed {
        let target = Connector::new(
            slot.settings.clone(),
            Arc::clone(&self.configuration) as Arc<dyn export::Configuration>,
            Arc::<Exchanger>::clone(&self.http),
            self.place(name),
            self.readers.shutdown().clone(),
        );
        self.feed("connectors", name, Box::new(target))
    }
}

fn run_connector(runner: &Runner, name: &str, slot: &Slot, mut feed: Option<Feed>) {
    let shutdown = runner.readers.shutdown();
    loop {
        let version = slot.version.load(Ordering::Relaxed);
        let pause = match (slot.state(), &mut feed) {
            (SlotState::Enabled, Some(feed)) => match turn(feed, shutdown) {
                Some(pause) => pause,
                None => return,
            },
            (SlotState::Enabled, None) => {
                feed = Some(runner.connector(name, slot));
                continue;
            }
            (state, _) => {
                if let Some(feed) = feed.take() {
                    feed.end();
                }
                if state == SlotState::Removed || shutdown.is_cancelled() {
                    return;
                }
                IDLE
            }
        };
        let mut left = pause;
        while !left.is_zero() && slot.version.load(Ordering::Relaxed) == version {
            let part = left.min(CHANGE_WAIT);
            if shutdown.wait(part) {
                break;
            }
            left = left.saturating_sub(part);
        }
    }
}

/// A connector of its document, whose fields have been checked.
fn settings_of(document: &Document) -> ConnectorSettings {
    let text = |name: &str| document.text(name).to_owned();
    let number = |name: &str| document.text(name).parse::<u32>().unwrap_or(0);
    let size = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
    let tags = document.body.get("tags").and_then(|it| it.as_array());
    ConnectorSettings {
        data_type: if document.text("data_type") == "1" {
            DataType::Events
        } else {
            DataType::Values
        },
        url: text("url"),
        value_types: u8::try_from(number("item_value_type")).unwrap_or(u8::MAX),
        auth: auth_of(document),
        max_records: size("max_records"),
        max_senders: size("max_senders"),
        max_attempts: number("max_attempts"),
        attempt_interval: text("attempt_interval"),
        timeout: text("timeout"),
        http_proxy: text("http_proxy"),
        tls_verify: export::TlsVerify {
            peer: document.text("verify_peer") != "0",
            host: document.text("verify_host") != "0",
        },
        certificate: ClientCertificate {
            cert_file: text("ssl_cert_file"),
            key_file: text("ssl_key_file"),
            key_password: text("ssl_key_password"),
        },
        tags: TagFilter {
            is_or: document.text("tags_evaltype") == "2",
            conditions: tags
                .into_iter()
                .flatten()
                .filter_map(|it| Some(condition(it.as_object()?)))
                .collect(),
        },
    }
}

fn auth_of(document: &Document) -> Auth {
    let text = |name: &str| document.text(name).to_owned();
    let (user, password) = (text("username"), text("password"));
    match document.text("authtype") {
        "1" => Auth::Basic { user, password },
        "2" => Auth::Login(Login::Ntlm { user, password }),
        "3" => Auth::Login(Login::Kerberos),
        "4" => Auth::Login(Login::Digest { user, password }),
        "5" => Auth::Bearer(text("token")),
        _ => Auth::None,
    }
}

fn condition(of: &Body) -> TagCondition {
    let text = |name: &str| of.get(name).and_then(|it| it.as_str()).unwrap_or_default();
    TagCondition {
        tag: text("tag").to_owned(),
        operator: match text("operator") {
            "1" => TagOperator::NotEqual,
            "2" => TagOperator::Like,
            "3" => TagOperator::NotLike,
            "12" => TagOperator::Exists,
            "13" => TagOperator::NotExists,
            _ => TagOperator::Equal,
        },
        value: text("value").to_owned(),
    }
}
