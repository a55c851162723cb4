//! The amount of work that runs at once, and the queue of callers for a turn.
//!
//! Each user has a share of the turns and of the queue: one user's slow work does not keep others waiting.
//!
//! A turn belongs to the work and not to its caller: work goes on when its client has gone, and clients that
//! come and go could otherwise start any amount of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::UserId;
use model::map::Map;
use rt::metrics::{Counter, Gauge};
use tokio::runtime::Handle;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, ErrorClass};
use crate::metrics::Metrics;

/// The size of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PoolSize {
    /// Work that runs at once.
    pub(crate) running: usize,
    /// … of one user.
    pub(crate) running_each: usize,
    /// Callers that wait for a turn.
    pub(crate) waiting: usize,
    /// How long each of them waits.
    pub(crate) wait: Duration,
}

/// Work of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Pool(Arc<PoolState>);

#[derive(Debug)]
struct PoolState {
    permits: Arc<Semaphore>,
    line: Semaphore,
    users: Mutex<Map<UserId, Arc<Share>>>,
    running_each: usize,
    waiting_each: usize,
    wait: Duration,
    running: Gauge,
    waiting: Gauge,
    refused: Counter,
}

/// The use of a pool by one user.
#[derive(Debug)]
struct Share {
    permits: Arc<Semaphore>,
    line: Semaphore,
}

/// One user has at most one place in this many of the queue: further calls are refused.
const LINE_SHARE: usize = 4;
/// Users whose shares are kept; beyond, unused ones are dropped.
const SHARES_KEPT: usize = 64;

impl Pool {
    pub(crate) fn new(name: &str, size: PoolSize, metrics: &Metrics) -> Self {
        Self(Arc::new(PoolState {
            permits: Arc::new(Semaphore::new(size.running.max(1))),
            line: Semaphore::new(size.waiting),
            users: Mutex::default(),
            running_each: size.running_each.clamp(1, size.running.max(1)),
            waiting_each: size.waiting.div_ceil(LINE_SHARE),
            wait: size.wait,
            running: metrics.work_running.of(name),
            waiting: metrics.work_waiting.of(name),
            refused: metrics.work_refused_total.of(name),
        }))
    }

    /// A turn for a caller, within the bounds of the line.
    ///
    /// # Errors
    /// If too many wait already, or none became free in time.
    pub(crate) async fn turn(&self) -> Result<Turn, ApiError> {
        // No way past the queue: permits are free only while no call waits.
        if let Ok(permit) = Arc::clone(&self.0.permits).try_acquire_owned() {
            return Ok(self.begin(permit));
        }
        let Ok(_place) = self.0.line.try_acquire() else { return Err(self.refuse()) };
        let _waits = Counted::one(&self.0.waiting);
        let permit = Arc::clone(&self.0.permits).acquire_owned();
        match tokio::time::timeout(self.0.wait, permit).await {
            Ok(Ok(permit)) => Ok(self.begin(permit)),
            Ok(Err(_closed)) => Err(stopping()),
            Err(_elapsed) => Err(self.refuse()),
        }
    }

    /// A turn for a user, within the bounds of its share and of the line.
    ///
    /// # Errors
    /// If too many wait already, or none became free in time.
    pub(crate) async fn turn_of(&self, user: UserId) -> Result<Turn, ApiError> {
        let share = self.share(user);
        if let Ok(own) = Arc::clone(&share.permits).try_acquire_owned()
            && let Ok(permit) = Arc::clone(&self.0.permits).try_acquire_owned()
        {
            return Ok(self.begin_of(permit, own));
        }
        let Ok(_own_place) = share.line.try_acquire() else { return Err(self.refuse()) };
        let Ok(_place) = self.0.line.try_acquire() else { return Err(self.refuse()) };
        let _waits = Counted::one(&self.0.waiting);
        let both = async {
            let own = Arc::clone(&share.permits).acquire_owned().await?;
            Ok((Arc::clone(&self.0.permits).acquire_owned().await?, own))
        };
        match tokio::time::timeout(self.0.wait, both).await {
            Ok(Ok((permit, own))) => Ok(self.begin_of(permit, own)),
            Ok(Err(AcquireError { .. })) => Err(stopping()),
            Err(_elapsed) => Err(self.refuse()),
        }
    }

    fn share(&self, user: UserId) -> Arc<Share> {
        let mut users = self.0.users.lock().unwrap_or_else(PoisonError::into_inner);
        if SHARES_KEPT <= users.len() {
            users.retain(|_, it| {
                1 < Arc::strong_count(it) || it.permits.available_permits() < self.0.running_each
            });
        }
        let share = users.entry(user).or_insert_with(|| {
            let permits = Arc::new(Semaphore::new(self.0.running_each));
            Arc::new(Share { permits, line: Semaphore::new(self.0.waiting_each) })
        });
        Arc::clone(share)
    }

    /// A turn of a user's share for work whose number is bounded otherwise and that has to go on.
    ///
    /// # Errors
    /// If the server stops.
    pub(crate) async fn unrefused_turn_of(&self, user: UserId) -> Result<Turn, ApiError> {
        let share = self.share(user);
        let own = Arc::clone(&share.permits).acquire_owned().await.map_err(|_closed| stopping())?;
        let permit = Arc::clone(&self.0.permits).acquire_owned().await;
        permit.map(|it| self.begin_of(it, own)).map_err(|_closed| stopping())
    }

    /// A turn for work whose number is bounded otherwise and that has to go on.
    ///
    /// # Errors
    /// If the server stops.
    pub(crate) async fn unrefused_turn(&self) -> Result<Turn, ApiError> {
        let permit = Arc::clone(&self.0.permits).acquire_owned().await;
        permit.map(|it| self.begin(it)).map_err(|_closed| stopping())
    }

    fn begin(&self, permit: OwnedSemaphorePermit) -> Turn {
        let running = Counted::one(&self.0.running);
        Turn { pool: self.clone(), held: Some((permit, running)), own: None }
    }

    fn begin_of(&self, permit: OwnedSemaphorePermit, own: OwnedSemaphorePermit) -> Turn {
        let share = Arc::clone(own.semaphore());
        Turn { own: Some((share, Some(own))), ..self.begin(permit) }
    }

    fn refuse(&self) -> ApiError {
        self.0.refused.inc();
        ApiError::new(ErrorClass::System, BUSY)
    }
}

/// The error of calls without a turn.
pub(crate) const BUSY: &str = "The server is too busy for this call, try again.";

fn stopping() -> ApiError {
    ApiError::new(ErrorClass::System, "The server is stopping.")
}

/// The right to work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    pool: Pool,
    /// Empty while it is lent.
    held: Option<(OwnedSemaphorePermit, Counted)>,
    /// The same of the user's share.
    own: Option<(Arc<Semaphore>, Option<OwnedSemaphorePermit>)>,
}

impl Turn {
    /// Waits for something without working: others have the turn in that time. For threads that may wait; the
    /// caller bounds their number.
    pub(crate) fn lend<T>(&mut self, handle: &Handle, wait: impl Future<Output = T>) -> T {
        self.held = None;
        if let Some((_, own)) = &mut self.own {
            *own = None;
        }
        handle.block_on(async {
            let done = wait.await;
            if let Some((share, own)) = &mut self.own {
                *own = Arc::clone(share).acquire_owned().await.ok();
            }
            if let Ok(permit) = Arc::clone(&self.pool.0.permits).acquire_owned().await {
                self.held = Some((permit, Counted::one(&self.pool.0.running)));
            }
            done
        })
    }
}

/// One in a gauge as long as it lives.
#[derive(Debug)]
struct Counted(Gauge);

impl Counted {
    fn one(gauge: &Gauge) -> Self {
        gauge.add(1.0);
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.add(-1.0);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn pool(running: usize, waiting: usize, wait: Duration) -> (Pool, Metrics) {
        let metrics = Metrics::register(&rt::metrics::Registry::new());
        (
            Pool::new("test", PoolSize { running, running_each: running, waiting, wait }, &metrics),
            metrics,
        )
    }

    fn shown(gauges: &rt::metrics::Family<Gauge>) -> String {
        gauges.of("test").get().to_string()
    }

    fn runtime() -> tokio::runtime::Runtime {
        rt::task::runtime(1).expect("a runtime starts")
    }

    #[test]
    fn too_many_in_line_are_refused_and_those_who_leave_make_room() {
        let (pool, metrics) = pool(1, 2, Duration::from_secs(3_600));
        let runtime = runtime();
        let _entered = runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        let first = runtime.block_on(pool.turn()).expect("a free turn");
        let mut second = Box::pin(pool.turn());
        let mut third = Box::pin(pool.turn());
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert_eq!(shown(&metrics.work_waiting), "2");
        let refused = runtime.block_on(pool.turn()).expect_err("the line is full");
        assert_eq!((refused.class, &*refused.data()), (ErrorClass::System, BUSY));
        assert_eq!(metrics.work_refused_total.of("test").get(), 1);
        drop(third);
        let mut fourth = pin!(pool.turn());
        assert!(fourth.as_mut().poll(&mut context).is_pending(), "there is a place again");
        drop(first);
        assert!(matches!(second.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
        assert_eq!(shown(&metrics.work_running), "0", "its turn is dropped again");
    }

    #[test]
    fn a_user_who_has_all_of_a_share_keeps_no_other_waiting() {
        let metrics = Metrics::register(&rt::metrics::Registry::new());
        let wait = Duration::from_secs(3_600);
        let size = PoolSize { running: 4, running_each: 2, waiting: 4, wait };
        let pool = Pool::new("test", size, &metrics);
        let runtime = runtime();
        let _entered = runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        let (one, other) = (UserId(1), UserId(2));
        let first = runtime.block_on(pool.turn_of(one)).expect("a free turn");
        let _second = runtime.block_on(pool.turn_of(one)).expect("a free turn");
        let mut third = Box::pin(pool.turn_of(one));
        assert!(third.as_mut().poll(&mut context).is_pending(), "its share is taken");
        // One place in four of the line.
        runtime.block_on(pool.turn_of(one)).expect_err("and so is its place in the line");
        let _of_other = runtime.block_on(pool.turn_of(other)).expect("another user has turns");
        let _of_other = runtime.block_on(pool.turn_of(other)).expect("both of them");
        drop(first);
        assert!(matches!(third.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
    }

    #[test]
    fn waiting_ends_after_the_timeout() {
        let (pool, metrics) = pool(1, 1, Duration::ZERO);
        let runtime = runtime();
        let _held = runtime.block_on(pool.turn()).expect("a free turn");
        let refused = runtime.block_on(pool.turn()).expect_err("the time is over");
        assert_eq!(refused.data(), BUSY);
        assert_eq!(shown(&metrics.work_waiting), "0");
    }

    #[test]
    fn a_lent_turn_is_for_others_until_it_comes_back() {
        let (pool, metrics) = pool(1, 0, Duration::ZERO);
        let runtime = runtime();
        let mut turn = runtime.block_on(pool.turn()).expect("a free turn");
        turn.lend(runtime.handle(), async {
            let other = pool.turn().await.expect("it is free meanwhile");
            drop(other);
        });
        assert_eq!(shown(&metrics.work_running), "1");
        runtime.block_on(pool.turn()).expect_err("it is held again");
    }
}
