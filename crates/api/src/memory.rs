//! Memory of requests: bodies, what is inflated and parsed of them, and answers that are not taken yet.
//!
//! Each request has a [`Held`], which the outermost handler makes and the answer keeps until its last byte
//! is written. Requests without a valid session or token share an eighth of the memory, whatever they are;
//! those of users share the rest, by user. See [`rt::budget`] for what happens when there is no room.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rt::Clock;
use rt::budget::{Budget, BudgetMetrics, BudgetSettings, Hold, NoRoom, Owner};
use rt::places::{PlaceMark, Works};
use tokio::runtime::Handle;

use crate::metrics::Metrics;

/// Of the memory, those without a login have one in so many parts.
const BEFORE_LOGIN_SHARE: u64 = 8;
/// A user with less than one in so many parts gets room from one who has more.
const FAIR_SHARE: u64 = 8;
/// When others need its room, a request may be ended whose client moved less than [`STEP_BYTES`] in this time.
const STALL_MIN: Duration = Duration::from_secs(1);
/// A client moves so many bytes, or all there are, within `ApiSettings::stall_max`; else its request is ended.
const STEP_BYTES: u64 = 16 << 10;
/// Requests that need so little, such as logins, never wait for large ones.
const LITTLE_BYTES: u64 = 8 << 10;
/// How often requests are looked for that do not move.
const SWEEP_PERIOD: Duration = Duration::from_secs(2);
/// How long a request waits for room.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(2);
/// What an answer takes while it flows: what is held of it at first, and the pieces on their way.
pub(crate) const FLOW_BYTES: u64 = 3 << 19;

/// The memory of all requests.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    before_login: Budget,
    users: Budget,
}

impl Memory {
    pub(crate) fn new(bytes_max: u64, clock: &Clock, metrics: &Metrics) -> Self {
        let before_login = bytes_max / BEFORE_LOGIN_SHARE;
        let budget = |bytes_max: u64, name: &str| {
            let (stall, step_bytes) = (STALL_MIN, STEP_BYTES);
            let fair_bytes = bytes_max / FAIR_SHARE;
            let settings = BudgetSettings {
                bytes_max,
                stall,
                step_bytes,
                fair_bytes,
                small_bytes: LITTLE_BYTES,
            };
            let taken = metrics.memory_bytes.of(name);
            let evicted = metrics.memory_evicted_total.of(name);
            Budget::new(settings, clock.clone(), BudgetMetrics { taken, evicted })
        };
        let users = budget(bytes_max - before_login, "users");
        Self { before_login: budget(before_login, "before_login"), users }
    }

    /// Ends requests whose clients do not move, for as long as the server runs.
    pub(crate) async fn sweep(self, stall_max: Duration, clock: Clock) {
        loop {
            clock.sleep(SWEEP_PERIOD.min(stall_max)).await;
            self.before_login.end_stalled(stall_max);
            self.users.end_stalled(stall_max);
        }
    }
}

/// What one request holds. A clone is of the same request.
#[derive(Clone, Debug)]
pub(crate) struct Held(Arc<HeldState>);

#[derive(Debug)]
struct HeldState {
    memory: Memory,
    mark: PlaceMark,
    hold: Mutex<Arc<Hold>>,
    is_user: AtomicBool,
}

impl Held {
    pub(crate) fn new(memory: &Memory, owner: Owner, mark: PlaceMark) -> Self {
        let budget = match owner {
            Owner::User(_) => &memory.users,
            Owner::Address(_) | Owner::Source(_) => &memory.before_login,
        };
        let hold = Mutex::new(Arc::new(budget.hold(owner, mark.gone())));
        let is_user = AtomicBool::new(matches!(owner, Owner::User(_)));
        Self(Arc::new(HeldState { memory: memory.clone(), mark, hold, is_user }))
    }

    /// Whether the request came with a valid session or token.
    pub(crate) fn is_user(&self) -> bool {
        self.0.is_user.load(Relaxed)
    }

    pub(crate) fn hold(&self) -> Arc<Hold> {
        Arc::clone(&self.0.hold.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes more bytes; waits a little for them if need be.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) async fn grow(&self, bytes: usize) -> Result<(), NoRoom> {
        self.hold().grow(wide(bytes), WAIT_MAX).await
    }

    /// As [`Self::grow`] on a thread that may wait.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn grow_here(&self, bytes: u64) -> Result<(), NoRoom> {
        let hold = self.hold();
        if hold.try_grow(bytes).is_ok() {
            return Ok(());
        }
        Handle::current().block_on(hold.grow(bytes, WAIT_MAX))
    }

    /// As [`Self::grow`] where nobody may wait.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn try_grow(&self, bytes: u64) -> Result<(), NoRoom> {
        self.hold().try_grow(bytes)
    }

    pub(crate) fn give(&self, bytes: usize) {
        self.hold().give(wide(bytes));
    }

    /// Its client has to send something.
    pub(crate) async fn awaiting<T>(&self, waits: impl Future<Output = T>) -> T {
        let _awaits = Awaits::begin(self.hold());
        Works::pause(&self.0.mark, waits).await
    }

    pub(crate) fn moved(&self, bytes: usize) {
        self.hold().moved(wide(bytes));
    }

    /// It turned out who asks: what is held counts there from now on.
    ///
    /// # Errors
    /// If there is no room there.
    pub(crate) fn becomes(&self, user: u64) -> Result<(), NoRoom> {
        if self.is_user() {
            return Ok(());
        }
        let next = self.0.memory.users.hold(Owner::User(user), self.0.mark.gone());
        next.try_grow(self.hold().bytes())?;
        *self.0.hold.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        self.0.is_user.store(true, Relaxed);
        Ok(())
    }
}

/// The peer's turn, until it is dropped.
struct Awaits(Arc<Hold>);

impl Awaits {
    fn begin(hold: Arc<Hold>) -> Self {
        hold.awaits();
        Self(hold)
    }
}

impl Drop for Awaits {
    fn drop(&mut self) {
        self.0.got();
    }
}

pub(crate) fn wide(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
