//! Memory of requests: bodies, their inflated and parsed forms, and answers that have not been taken.
//!
//! Each request has a [`Held`], which the outermost handler makes and the answer keeps until its last byte is
//! written. Requests without a valid session or token share an eighth of the memory, and the state that live
//! streams keep for their pages takes another eighth; requests of users, and messages of streams on their
//! way, share the rest, by user. See [`rt::budget`] for the behavior when there is no room.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::time::Now;
use rt::Clock;
use rt::budget::{Budget, BudgetMetrics, BudgetSettings, Hold, NoRoom, Owner};
use rt::clock::nanos;
use rt::places::{PlaceMark, Works};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::metrics::Metrics;
use crate::pool::BUSY;

/// Clients without a login share one in this many parts of the memory.
const BEFORE_LOGIN_SHARE: u64 = 8;
/// Live streams share as much for the state that they keep.
const STREAMS_SHARE: u64 = 8;
/// A user with less than one in this many parts gets room from one who has more.
const FAIR_SHARE: u64 = 8;
/// When others need its room, a request may be ended whose client moved less than [`STEP_BYTES`] in this time.
const STALL_MIN: Duration = Duration::from_secs(1);
/// A client moves this many bytes, or the whole rest, within `ApiSettings::stall_max`; else its request is
/// ended.
const STEP_BYTES: u64 = 16 << 10;
/// Requests that need no more than this, such as logins, never wait for large ones.
const LITTLE_BYTES: u64 = 8 << 10;
/// Messages of streams below this size are not counted: all streams together have some MB of them.
const SMALL_MESSAGE_BYTES: usize = 4 << 10;
/// The least time between two searches for stalled requests.
const SWEEP_PERIOD: Duration = Duration::from_secs(2);
/// How long a request waits for room; then it is refused as busy.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(2);
/// The memory of an answer while it flows: the part held at first, and the pieces on their way.
pub(crate) const FLOW_BYTES: u64 = 3 << 19;

/// The memory of all requests.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    before_login: Budget,
    users: Budget,
    streams: Budget,
}

impl Memory {
    pub(crate) fn new(bytes_max: u64, clock: &Clock, metrics: &Metrics) -> Self {
        let before_login = bytes_max / BEFORE_LOGIN_SHARE;
        let streams = bytes_max / STREAMS_SHARE;
        let budget = |bytes_max: u64, stall: Duration, name: &str| {
            let step_bytes = STEP_BYTES;
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
        Self {
            before_login: budget(before_login, STALL_MIN, "before_login"),
            users: budget(bytes_max - before_login - streams, STALL_MIN, "users"),
            // Kept state does not move: only users with more than their share, and large streams, give way.
            streams: budget(streams, Duration::MAX, "streams"),
        }
    }
}

/// Its row in the list of workers.
pub(crate) const ROW: WorkerRow = WorkerRow {
    name: "request-memory",
    job: "ends requests whose clients do not move, so that they do not keep memory of the API",
    woken_by: "the first request whose client has to move, the time at which one has stood still for too long",
    waits: "requests whose clients do not move keep their memory",
    on_panic: OnPanic::Reload,
};

/// Ends requests whose clients are stalled.
#[derive(Debug)]
pub(crate) struct MemorySweeper {
    budgets: [Budget; 2],
    stall_max: Duration,
}

impl MemorySweeper {
    pub(crate) fn new(memory: &Memory, stall_max: Duration, wake: &Wake) -> Self {
        let budgets = [memory.before_login.clone(), memory.users.clone()];
        budgets.iter().for_each(|it| it.wakes(wake));
        Self { budgets, stall_max }
    }
}

impl Worker for MemorySweeper {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        self.budgets.iter().for_each(|it| it.end_stalled(self.stall_max));
        let stalls = self.budgets.iter().filter_map(|it| it.first_stall(self.stall_max));
        // Requests that stall shortly after each other are ended together.
        let rested_ns = now.mono_ns.saturating_add(nanos(SWEEP_PERIOD.min(self.stall_max)));
        Ok(stalls.min().map_or(Next::WhenWoken, |at| Next::At(at.max(rested_ns))))
    }

    /// It keeps nothing.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The memory that a live stream keeps for its page, and that of its messages on the way. When others need
/// the room the stream ends.
#[derive(Debug)]
pub(crate) struct StreamHold {
    kept: Hold,
    sending: Hold,
    gone: Arc<Notify>,
}

impl StreamHold {
    pub(crate) fn new(memory: &Memory, user: u64) -> Self {
        let gone: Arc<Notify> = Arc::default();
        let kept = memory.streams.hold(Owner::User(user), Arc::clone(&gone));
        // It is kept for as long as the page wants it.
        kept.awaits();
        let sending = memory.users.hold(Owner::User(user), Arc::clone(&gone));
        Self { kept, sending, gone }
    }

    /// Keeps this many bytes from now on.
    ///
    /// # Errors
    /// If there is no room, or the stream is to end.
    pub(crate) async fn keep(&self, bytes: u64) -> Result<(), NoRoom> {
        let has = self.kept.bytes();
        if bytes <= has {
            self.kept.give(has - bytes);
            return Ok(());
        }
        self.kept.grow(bytes - has, WAIT_MAX).await
    }

    /// Counts a message until the client has taken it.
    ///
    /// # Errors
    /// If there is no room in time, or the stream is to end.
    pub(crate) async fn sending<T>(
        &self,
        bytes: usize,
        wait: Duration,
        sends: impl Future<Output = T>,
    ) -> Result<T, NoRoom> {
        if bytes < SMALL_MESSAGE_BYTES {
            return Ok(sends.await);
        }
        self.sending.grow(wide(bytes), wait).await?;
        let room = Sending::begin(&self.sending, bytes);
        tokio::select! {
            sent = sends => {
                drop(room);
                Ok(sent)
            }
            () = self.ended() => Err(NoRoom),
        }
    }

    /// Ends when others need the room.
    pub(crate) async fn ended(&self) {
        self.gone.notified().await;
    }
}

/// A message on its way, until it is dropped.
struct Sending<'a> {
    hold: &'a Hold,
    bytes: u64,
}

impl<'a> Sending<'a> {
    fn begin(hold: &'a Hold, bytes: usize) -> Self {
        hold.awaits();
        Self { hold, bytes: wide(bytes) }
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        self.hold.got();
        self.hold.give(self.bytes);
    }
}

/// Memory that a call needs in addition to its request and its answer, until it is dropped.
///
/// A request for more than half of all memory is counted as half, so that at least one such call always runs;
/// [`Self::take`] refuses more than [`WORK_FACTOR`] times all.
#[derive(Debug)]
pub(crate) struct WorkRoom {
    held: Held,
    taken: u64,
    bytes_max: u64,
}

/// The memory that a call may build, as a multiple of that of all requests: a larger one is an error.
const WORK_FACTOR: u64 = 2;

impl WorkRoom {
    /// `bytes_max`: the memory of all requests.
    pub(crate) fn new(memory: &Memory, bytes_max: u64, clock: Clock, user: u64) -> Self {
        let held = Held::new(memory, Owner::User(user), PlaceMark::unplaced(clock));
        Self { held, taken: 0, bytes_max }
    }

    /// Takes more, and waits a little for it if need be; on a thread that may wait.
    ///
    /// # Errors
    /// If there is no room now, or would never be.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), RoomError> {
        let wanted = self.taken.saturating_add(bytes);
        let max = self.bytes_max.saturating_mul(WORK_FACTOR);
        if max < wanted {
            return Err(RoomError::TooLarge { max });
        }
        let counted = |it: u64| it.min(self.bytes_max / 2);
        let more = counted(wanted) - counted(self.taken);
        self.held.grow_here(more).map_err(|NoRoom| RoomError::Busy)?;
        self.taken = wanted;
        Ok(())
    }
}

/// Why a call gets no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum RoomError {
    #[error("more than {} MB of memory would be needed: divide it", max >> 20)]
    TooLarge { max: u64 },
    #[error("{BUSY}")]
    Busy,
}

/// The memory of one request. A clone is of the same request.
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

    /// As [`Self::grow`] where waiting is not possible.
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

    /// The user of the request is known: its memory counts there from now on.
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
