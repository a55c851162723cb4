//! Whether interfaces answer: kept in memory, saved now and then.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use model::map::{Map, Set};
use model::snapshot::Snapshot;
use model::{HostId, InterfaceId};

use crate::error::DbError;
use crate::locks;
use crate::sql::schema::INTERFACE_STATES;
use crate::sql::{Cell, Conflict, Rows, Workers};

/// As the API shows it with an interface.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InterfaceAvailability {
    /// 0 unknown, 1 available, 2 not available.
    pub available: u8,
    pub error: String,
    /// Seconds since 1970 of the first failure in a row; 0 = none.
    pub errors_from: i64,
    /// When it is polled again; 0 = not waiting.
    pub disable_until: i64,
}

/// The states of all interfaces that were ever asked.
pub struct Availability {
    states: RwLock<States>,
    /// Grows when an interface or an active agent becomes available or not.
    version: AtomicU64,
    workers: Arc<Workers>,
}

#[derive(Default)]
struct States {
    by_id: Map<InterfaceId, InterfaceAvailability>,
    unsaved: Set<InterfaceId>,
    /// Active agents by host; they report again within a minute, so it is not saved.
    active_agents: Map<HostId, u8>,
}

impl fmt::Debug for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Availability")
    }
}

impl Availability {
    pub(crate) fn open(workers: Arc<Workers>) -> Result<Self, DbError> {
        let by_id = workers.read("load interface states", |sql| {
            let mut by_id = Map::default();
            let statement = "select interfaceid, available, error, errors_from, disable_until \
                             from interface_states";
            sql.query(statement, &[], &mut |row| {
                let state = InterfaceAvailability {
                    available: u8::try_from(row.int(1)?).unwrap_or(0),
                    error: row.text(2)?.to_owned(),
                    errors_from: row.int(3)?,
                    disable_until: row.int(4)?,
                };
                by_id.insert(InterfaceId(row.id(0)?), state);
                Ok(true)
            })?;
            Ok(by_id)
        })?;
        let states = RwLock::new(States { by_id, ..States::default() });
        Ok(Self { states, version: AtomicU64::new(0), workers })
    }

    /// The default (unknown) for interfaces that were never asked.
    #[must_use]
    pub fn get(&self, id: InterfaceId) -> InterfaceAvailability {
        let states = locks::read(&self.states);
        states.by_id.get(&id).cloned().unwrap_or_default()
    }

    /// Whether an interface answers, without the rest of its state.
    #[must_use]
    pub fn available(&self, id: InterfaceId) -> u8 {
        let states = locks::read(&self.states);
        states.by_id.get(&id).map_or(0, |it| it.available)
    }

    /// Grows when what [`Self::available`] or [`Self::active_agent`] answers changes: ask for it before.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    pub fn set(&self, id: InterfaceId, state: InterfaceAvailability) {
        let mut states = locks::write(&self.states);
        let before = states.by_id.get(&id);
        if before != Some(&state) {
            if before.map_or(0, |it| it.available) != state.available {
                self.version.fetch_add(1, Ordering::Relaxed);
            }
            states.by_id.insert(id, state);
            states.unsaved.insert(id);
        }
    }

    /// Whether a host's active agent is there: 0 unknown, 1 available, 2 not available.
    #[must_use]
    pub fn active_agent(&self, host: HostId) -> u8 {
        let states = locks::read(&self.states);
        states.active_agents.get(&host).copied().unwrap_or(0)
    }

    pub fn set_active_agent(&self, host: HostId, available: u8) {
        let mut states = locks::write(&self.states);
        if states.active_agents.insert(host, available).unwrap_or(0) != available {
            self.version.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Forgets interfaces and hosts that are gone.
    pub(crate) fn keep_only(&self, snapshot: &Snapshot) {
        let interfaces = snapshot.hosts.values().flat_map(|it| it.interfaces.iter());
        let there: Set<InterfaceId> = interfaces.map(|it| it.interfaceid).collect();
        let mut states = locks::write(&self.states);
        states.by_id.retain(|it, _| there.contains(it));
        states.unsaved.retain(|it| there.contains(it));
        states.active_agents.retain(|it, _| snapshot.hosts.contains_key(it));
    }

    /// Saves what changed since the last call. Call it each minute or so, and at the end: states
    /// are found again within minutes, so losing them costs little.
    ///
    /// # Errors
    /// If the database refuses; the changes stay for the next call.
    pub fn flush(&self) -> Result<(), DbError> {
        let (ids, rows) = self.take_unsaved();
        if ids.is_empty() {
            return Ok(());
        }
        let saved = self.workers.write("save interface states", move |sql| {
            sql.insert(&rows, Conflict::Update)?;
            Ok(())
        });
        if saved.is_err() {
            let mut states = locks::write(&self.states);
            states.unsaved.extend(ids);
        }
        saved
    }

    fn take_unsaved(&self) -> (Vec<InterfaceId>, Rows) {
        let mut states = locks::write(&self.states);
        let ids: Vec<InterfaceId> = std::mem::take(&mut states.unsaved).into_iter().collect();
        let mut rows = Rows::new(&INTERFACE_STATES);
        for id in &ids {
            let state = states.by_id.get(id).cloned().unwrap_or_default();
            rows.push([
                Cell::id(id.0),
                Cell::Int(i64::from(state.available)),
                Cell::Text(state.error),
                Cell::Int(state.errors_from),
                Cell::Int(state.disable_until),
            ]);
        }
        (ids, rows)
    }
}
