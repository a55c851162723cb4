//! What is exported as it happens: targets of the settings, and the connectors that users make.
//!
//! Each target has a thread. That of a connector begins when it is first enabled and ends with the connector; while it
//! is disabled it keeps no place, and what comes meanwhile is not sent, as in Zabbix.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::snapshot::Snapshot;
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use rt::task::{TaskError, Tasks};
use tracing::error;

use crate::connector_document::settings_of;
use crate::feed::{Feed, FeedParts, Turn};
use crate::http::HttpClient;
use crate::ports::{Configuration, PlaceStore, Places};
use crate::registry::Exports;
use crate::targets::{
    Connector, CurrentSettings, Elasticsearch, ElasticsearchSettings, Files, FilesSettings,
    RemoteWrite, RemoteWriteSettings, Target,
};

/// Without anything to do a target looks this often for more.
const IDLE: Duration = Duration::from_millis(500);
/// A thread that waits for a target that is away sees changes of its settings after this time.
const CHANGE_WAIT: Duration = Duration::from_millis(250);
/// The object's name in methods, and of its documents.
pub const CONNECTOR: &str = "connector";

/// What all targets are made with.
#[derive(Clone)]
pub struct RunnerParts {
    pub exports: Exports,
    pub clock: Clock,
    pub configuration: Arc<dyn Configuration>,
    pub http: Arc<dyn HttpClient>,
    pub places: Arc<dyn Places>,
    /// Readers of the journal: they stop when they have read it to its end.
    pub readers: Tasks,
}

impl fmt::Debug for RunnerParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunnerParts").field("exports", &self.exports).finish_non_exhaustive()
    }
}

/// The targets that the operator's settings name.
#[derive(Debug, Default)]
pub struct SetTargets {
    pub files: Option<FilesSettings>,
    pub elasticsearch: Option<ElasticsearchSettings>,
    pub remote_write: Option<RemoteWriteSettings>,
}

/// Starts the targets that the settings name, and those that users have made by now. What is returned has to hear of
/// changes of connectors.
///
/// # Errors
/// The system refuses a thread.
pub fn start(parts: RunnerParts, set: SetTargets) -> Result<Arc<Connectors>, TaskError> {
    let runner = Runner { parts };
    runner.start_files(set.files)?;
    runner.start_elasticsearch(set.elasticsearch)?;
    runner.start_remote_write(set.remote_write)?;
    let connectors = Arc::new(Connectors { runner, slots: Mutex::default() });
    connectors.follow(&connectors.runner.parts.configuration.snapshot());
    Ok(connectors)
}

#[derive(Clone)]
struct Runner {
    parts: RunnerParts,
}

impl Runner {
    fn place(&self, name: &str) -> Box<dyn PlaceStore> {
        self.parts.places.place(&format!("export {name}"))
    }

    fn feed(&self, kind: &'static str, name: &str, target: Box<dyn Target>) -> Feed {
        let (exports, clock) = (self.parts.exports.clone(), self.parts.clock.clone());
        Feed::new(FeedParts { exports, clock, kind, name: name.to_owned() }, target)
    }

    fn run(&self, name: &'static str, target: Box<dyn Target>) -> Result<(), TaskError> {
        let mut feed = self.feed(name, name, target);
        let shutdown = self.parts.readers.shutdown().clone();
        self.parts.readers.thread(&format!("export-{name}"), move || {
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

    fn start_files(&self, settings: Option<FilesSettings>) -> Result<(), TaskError> {
        let Some(settings) = settings else { return Ok(()) };
        let configuration = Arc::clone(&self.parts.configuration);
        self.run("files", Box::new(Files::new(settings, configuration)))
    }

    fn start_elasticsearch(
        &self,
        settings: Option<ElasticsearchSettings>,
    ) -> Result<(), TaskError> {
        const NAME: &str = "elasticsearch";
        let Some(settings) = settings else {
            self.forget(NAME);
            return Ok(());
        };
        let identity = self.parts.exports.journal().identity();
        let configuration = Arc::clone(&self.parts.configuration);
        let (http, place) = (Arc::clone(&self.parts.http), self.place(NAME));
        self.run(NAME, Box::new(Elasticsearch::new(settings, identity, configuration, http, place)))
    }

    fn start_remote_write(&self, settings: Option<RemoteWriteSettings>) -> Result<(), TaskError> {
        const NAME: &str = "remote_write";
        let Some(settings) = settings else {
            self.forget(NAME);
            return Ok(());
        };
        let configuration = Arc::clone(&self.parts.configuration);
        let (http, place) = (Arc::clone(&self.parts.http), self.place(NAME));
        self.run(NAME, Box::new(RemoteWrite::new(settings, configuration, http, place)))
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
pub struct Connectors {
    runner: Runner,
    slots: Mutex<BTreeMap<u64, Arc<Slot>>>,
}

/// What the thread of a connector reads.
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

impl fmt::Debug for Connectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connectors")
    }
}

impl Connectors {
    /// Takes over what users have made, changed and removed.
    pub fn follow(&self, snapshot: &Snapshot) {
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

    fn start(&self, id: u64, slot: Arc<Slot>) -> Result<(), TaskError> {
        let runner = self.runner.clone();
        let name = format!("connector {id}");
        // Before this returns the journal is kept for it.
        let feed = runner.connector(&name, &slot);
        self.runner.parts.readers.thread(&format!("export-connector-{id}"), move || {
            run_connector(&runner, &name, &slot, Some(feed));
        })?;
        Ok(())
    }
}

impl Runner {
    fn connector(&self, name: &str, slot: &Slot) -> Feed {
        let target = Connector::new(
            slot.settings.clone(),
            Arc::clone(&self.parts.configuration),
            Arc::clone(&self.parts.http),
            self.place(name),
            self.parts.readers.shutdown().clone(),
        );
        self.feed("connectors", name, Box::new(target))
    }
}

fn run_connector(runner: &Runner, name: &str, slot: &Slot, mut feed: Option<Feed>) {
    let shutdown = runner.parts.readers.shutdown();
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
