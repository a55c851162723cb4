//! Bytes that the requests of all peers may take together.
//!
//! A [`Hold`] is the memory of one request or packet. It grows as bytes arrive, not as they are
//! announced, and gives everything back when it is dropped. If there is no room, the budget evicts
//! holds whose peers make no progress: those of the owner with the most bytes, and of these the one
//! that moved least recently. An evicted hold gives its bytes back when its connection ends, so the
//! sum of bytes never exceeds the maximum.
//!
//! **Limits.** The budget measures nothing: callers report their bytes. It closes nothing: an
//! evicted hold notifies the task of its connection.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::clock::{Clock, nanos};
use crate::metrics::{Counter, Gauge};
use crate::worker::Wake;

/// A waiting hold checks for room again after this at the latest: a hold that moved a moment ago
/// may have stopped.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Whose bytes they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    Address(IpAddr),
    User(u64),
    /// A device or server whose answers are read.
    Source(u64),
}

/// How a budget is shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BudgetSettings {
    pub bytes_max: u64,
    /// A hold whose peer moved fewer than `step_bytes` within this may be evicted when others need room.
    pub stall: Duration,
    pub step_bytes: u64,
    /// An owner with less than this may evict holds of an owner with more, whether they move or
    /// not. 0: only holds that do not move are evicted.
    pub fair_bytes: u64,
    /// A hold that needs no more than this in total may evict holds of twice its size, of any
    /// owner, whether they move or not. 0: size does not count.
    pub small_bytes: u64,
}

/// Metrics of a budget.
#[derive(Clone, Debug)]
pub struct BudgetMetrics {
    pub taken: Gauge,
    pub evicted: Counter,
}

/// There is no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no room for this now")]
pub struct NoRoom;

/// A clone is the same budget.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: BudgetSettings,
    clock: Clock,
    state: Mutex<State>,
    freed: Notify,
    metrics: BudgetMetrics,
    /// Wakes the sweeper, which ends holds that do not move.
    sweeper: OnceLock<Wake>,
    /// It knows that some peer has to move, and looks by itself.
    is_watched: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    taken: u64,
    next_id: u64,
    n_waiting: usize,
    entries: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    owner: Owner,
    bytes: u64,
    is_evicted: bool,
    is_waiting: bool,
    progress: Arc<Progress>,
    gone: Arc<Notify>,
}

/// How a hold moves; kept outside of the lock, since each piece of an answer counts here.
#[derive(Debug, Default)]
struct Progress {
    /// Transfers that the peer has to make before the hold can continue; 0: the server works.
    n_with_peer: AtomicU64,
    last_ns: AtomicU64,
    /// Bytes since `last_ns`.
    moved: AtomicU64,
}

impl Budget {
    #[must_use]
    pub fn new(settings: BudgetSettings, clock: Clock, metrics: BudgetMetrics) -> Self {
        let (state, freed) = (Mutex::default(), Notify::new());
        let (sweeper, is_watched) = (OnceLock::new(), AtomicBool::new(false));
        Self(Arc::new(Shared { settings, clock, state, freed, metrics, sweeper, is_watched }))
    }

    #[must_use]
    pub fn bytes_max(&self) -> u64 {
        self.0.settings.bytes_max
    }

    /// A hold without bytes yet. `gone` is notified when it is evicted: its connection has to end then.
    #[must_use]
    pub fn hold(&self, owner: Owner, gone: Arc<Notify>) -> Hold {
        let progress = Arc::new(Progress::default());
        progress.last_ns.store(self.0.clock.mono_ns(), Relaxed);
        let mut state = self.0.lock();
        let id = state.next_id;
        state.next_id += 1;
        let entry = Entry {
            owner,
            bytes: 0,
            is_evicted: false,
            is_waiting: false,
            progress: Arc::clone(&progress),
            gone,
        };
        state.entries.insert(id, entry);
        drop(state);
        Hold { budget: self.clone(), id, progress }
    }

    /// Evicts holds whose peers have not moved for as long as this, whether there is room or not.
    pub fn end_stalled(&self, stall: Duration) {
        let now_ns = self.0.clock.mono_ns();
        let mut state = self.0.lock();
        for entry in state.entries.values_mut().filter(|it| it.has_stalled(now_ns, stall)) {
            entry.evict(&self.0.metrics);
        }
    }

    /// Wakes the worker that calls [`Self::end_stalled`] when a peer has to move and [`Self::first_stall`] had found
    /// none. Once.
    pub fn wakes(&self, sweeper: &Wake) {
        drop(self.0.sweeper.set(sweeper.clone()));
    }

    /// The time at which the first hold will have stalled for this long if its peer does not move,
    /// in monotonic nanoseconds; `None`: no peer has to move.
    #[must_use]
    pub fn first_stall(&self, stall: Duration) -> Option<u64> {
        // In this order: a peer whose turn comes now is found below, or wakes the worker.
        self.0.is_watched.store(false, SeqCst);
        let state = self.0.lock();
        let awaited = state.entries.values().filter(|it| it.is_with_peer());
        let first_ns = awaited.map(|it| it.progress.last_ns.load(Relaxed)).min()?;
        self.0.is_watched.store(true, SeqCst);
        Some(first_ns.saturating_add(nanos(stall)))
    }

    /// Bytes that are taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.0.lock().taken
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the bytes, and evicts other holds if necessary.
    fn take(&self, id: u64, bytes: u64) -> Result<(), NoRoom> {
        let max = self.settings.bytes_max;
        let now_ns = self.clock.mono_ns();
        let mut state = self.lock();
        let Some(entry) = state.entries.get(&id).filter(|it| !it.is_evicted) else {
            return Err(NoRoom);
        };
        let owner = entry.owner;
        // A request for more than the maximum gets all of it. Zero means zero.
        let bytes = bytes.min(max - entry.bytes);
        if max == 0 || max - state.taken < bytes {
            let missing = bytes.saturating_sub(max - state.taken);
            state.make_room((id, owner), (bytes, missing), self, now_ns);
            return Err(NoRoom);
        }
        state.taken += bytes;
        if let Some(entry) = state.entries.get_mut(&id) {
            entry.bytes += bytes;
        }
        self.metrics.taken.set(state.taken as f64);
        Ok(())
    }

    fn give(&self, id: u64, bytes: u64) {
        let mut state = self.lock();
        let Some(entry) = state.entries.get_mut(&id) else { return };
        let bytes = bytes.min(entry.bytes);
        entry.bytes -= bytes;
        self.freed(state, bytes);
    }

    fn freed(&self, mut state: MutexGuard<'_, State>, bytes: u64) {
        state.taken -= bytes;
        self.metrics.taken.set(state.taken as f64);
        let is_awaited = 0 < state.n_waiting && 0 < bytes;
        drop(state);
        if is_awaited {
            self.freed.notify_waiters();
        }
    }
}

impl State {
    fn bytes_by_owner(&self) -> BTreeMap<Owner, u64> {
        let mut bytes: BTreeMap<Owner, u64> = BTreeMap::new();
        for entry in self.entries.values() {
            *bytes.entry(entry.owner).or_default() += entry.bytes;
        }
        bytes
    }

    /// The hold that moved least recently, of the owner with the most bytes, if that is more than
    /// this one has.
    fn held_longest_by_richer_than(&mut self, owner: Owner) -> Option<&mut Entry> {
        let by_owner = self.bytes_by_owner();
        let has = by_owner.get(&owner).copied().unwrap_or(0);
        let (richest, _) =
            by_owner.iter().max_by_key(|(_, bytes)| **bytes).filter(|it| has < *it.1)?;
        let held = self.entries.values_mut().filter(|it| it.owner == *richest && 0 < it.bytes);
        held.min_by_key(|it| it.progress.last_ns.load(Relaxed))
    }

    /// Evicts holds until those that are on their way out have as many bytes as are missing.
    fn make_room(
        &mut self,
        (asker, owner): (u64, Owner),
        (bytes, mut missing): (u64, u64),
        shared: &Shared,
        now_ns: u64,
    ) {
        let by_owner = self.bytes_by_owner();
        let evicted = self.entries.values().filter(|it| it.is_evicted);
        missing = missing.saturating_sub(evicted.map(|it| it.bytes).sum());
        let BudgetSettings { stall, fair_bytes, small_bytes, .. } = shared.settings;
        let has = self.entries.get(&asker).map_or(0, |it| it.bytes);
        let is_small = has.saturating_add(bytes) <= small_bytes;
        let of = |owner: Owner| by_owner.get(&owner).copied().unwrap_or(0);
        let is_poor = of(owner).saturating_add(bytes) <= fair_bytes;
        let mut victims: Vec<(u64, u64, u64)> = Vec::new();
        for (id, entry) in &self.entries {
            let is_rich = is_poor && fair_bytes < of(entry.owner) && entry.is_with_peer();
            let is_large = is_small
                && has.saturating_add(bytes).saturating_mul(2) <= entry.bytes
                && (entry.is_with_peer() || entry.is_waiting && !entry.is_evicted);
            let gives_way = is_rich || is_large || entry.has_stalled(now_ns, stall);
            if *id != asker && 0 < entry.bytes && gives_way {
                let moved_ns = entry.progress.last_ns.load(Relaxed);
                victims.push((u64::MAX - of(entry.owner), moved_ns, *id));
            }
        }
        victims.sort_unstable();
        for (_, _, id) in victims {
            if missing == 0 {
                return;
            }
            if let Some(entry) = self.entries.get_mut(&id) {
                entry.evict(&shared.metrics);
                missing = missing.saturating_sub(entry.bytes);
            }
        }
    }
}

impl Entry {
    fn is_with_peer(&self) -> bool {
        !self.is_evicted && self.progress.n_with_peer.load(SeqCst) != 0
    }

    fn has_stalled(&self, now_ns: u64, stall: Duration) -> bool {
        let idle_ns = now_ns.saturating_sub(self.progress.last_ns.load(Relaxed));
        self.is_with_peer() && nanos(stall) <= idle_ns
    }

    fn evict(&mut self, metrics: &BudgetMetrics) {
        self.is_evicted = true;
        metrics.evicted.inc();
        self.gone.notify_one();
    }
}

/// The memory of one request, until it is dropped.
#[derive(Debug)]
pub struct Hold {
    budget: Budget,
    id: u64,
    progress: Arc<Progress>,
}

impl Hold {
    /// Takes more bytes if there is room.
    ///
    /// # Errors
    /// If there is none, or the hold was evicted.
    pub fn try_grow(&self, bytes: u64) -> Result<(), NoRoom> {
        self.budget.0.take(self.id, bytes)
    }

    /// Takes more bytes, and waits for them if need be. Cancel-safe.
    ///
    /// # Errors
    /// If there is no room within `wait`. At once if all other holds with bytes wait as well, since
    /// none of them would ever continue, and no other owner has more: otherwise the owner with more
    /// loses a hold.
    pub async fn grow(&self, bytes: u64, wait: Duration) -> Result<(), NoRoom> {
        if self.try_grow(bytes).is_ok() {
            return Ok(());
        }
        let shared = &*self.budget.0;
        let deadline_ns = shared.clock.mono_ns().saturating_add(nanos(wait));
        let _waiting = Waiting::begin(shared, self.id)?;
        loop {
            let freed = shared.freed.notified();
            if self.try_grow(bytes).is_ok() {
                return Ok(());
            }
            let left = Duration::from_nanos(deadline_ns.saturating_sub(shared.clock.mono_ns()));
            if left.is_zero() || self.is_evicted() {
                return Err(NoRoom);
            }
            // A timeout and a wake-up are treated alike: the check for room decides.
            drop(timeout(left.min(LOOK_AGAIN), freed).await);
        }
    }

    /// Gives some of the bytes back.
    pub fn give(&self, bytes: u64) {
        self.budget.0.give(self.id, bytes);
    }

    /// Bytes that it has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.budget.0.lock().entries.get(&self.id).map_or(0, |it| it.bytes)
    }

    #[must_use]
    pub fn is_evicted(&self) -> bool {
        self.budget.0.lock().entries.get(&self.id).is_none_or(|it| it.is_evicted)
    }

    /// The peer sent or took so many bytes.
    pub fn moved(&self, bytes: u64) {
        let moved = self.progress.moved.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if self.budget.0.settings.step_bytes <= moved {
            self.restart();
        }
    }

    fn restart(&self) {
        self.progress.moved.store(0, Relaxed);
        self.progress.last_ns.store(self.budget.0.clock.mono_ns(), Relaxed);
    }

    /// From now on it is the peer's turn; [`Self::got`] ends that, once for each call.
    pub fn awaits(&self) {
        if self.progress.n_with_peer.fetch_add(1, SeqCst) == 0 {
            self.restart();
            let shared = &*self.budget.0;
            if !shared.is_watched.load(SeqCst) {
                shared.sweeper.get().inspect(|it| it.wake());
            }
        }
    }

    /// See [`Self::awaits`].
    pub fn got(&self) {
        self.progress.n_with_peer.fetch_sub(1, Relaxed);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let shared = &*self.budget.0;
        let mut state = shared.lock();
        let bytes = state.entries.remove(&self.id).map_or(0, |it| it.bytes);
        shared.freed(state, bytes);
    }
}

/// Counts one waiting hold.
struct Waiting<'a>(&'a Shared, u64);

impl<'a> Waiting<'a> {
    /// If it would be the last of the holds with bytes, none of them would continue: then the owner
    /// with the most bytes loses a hold.
    fn begin(shared: &'a Shared, id: u64) -> Result<Self, NoRoom> {
        let mut state = shared.lock();
        let Some(entry) = state.entries.get(&id) else { return Err(NoRoom) };
        let (owner, bytes) = (entry.owner, entry.bytes);
        let mut others = state.entries.iter().filter(|(it, other)| **it != id && 0 < other.bytes);
        let are_stuck = others.all(|(_, it)| it.is_waiting && !it.is_evicted);
        let holders = state.entries.values().filter(|it| 0 < it.bytes).count();
        if 0 < bytes && 1 < holders && are_stuck {
            let Some(richer) = state.held_longest_by_richer_than(owner) else { return Err(NoRoom) };
            richer.evict(&shared.metrics);
            shared.freed.notify_waiters();
        }
        let Some(entry) = state.entries.get_mut(&id) else { return Err(NoRoom) };
        entry.is_waiting = true;
        state.n_waiting += 1;
        Ok(Self(shared, id))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.n_waiting -= 1;
        if let Some(entry) = state.entries.get_mut(&self.1) {
            entry.is_waiting = false;
        }
    }
}

#[cfg(test)]
mod tests;
