//! How much work runs at once, and who waits for a turn.
//!
//! A turn belongs to the work and not to whoever asked for it: work goes on when its client has gone,
//! and clients that come and go could else start any amount of it.

use std::sync::Arc;
use std::time::Duration;

use rt::metrics::{Counter, Gauge};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, Class};
use crate::metrics::Metrics;

/// How large a pool is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PoolSize {
    /// Work that runs at once.
    pub(crate) running: usize,
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
    wait: Duration,
    running: Gauge,
    waiting: Gauge,
    refused: Counter,
}

impl Pool {
    pub(crate) fn new(name: &str, size: PoolSize, metrics: &Metrics) -> Self {
        Self(Arc::new(PoolState {
            permits: Arc::new(Semaphore::new(size.running.max(1))),
            line: Semaphore::new(size.waiting),
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
        // No way past the line: permits are free only while nobody waits.
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

    /// A turn for what is bounded in number otherwise and has to go on.
    ///
    /// # Errors
    /// If the server stops.
    pub(crate) async fn unrefused_turn(&self) -> Result<Turn, ApiError> {
        let permit = Arc::clone(&self.0.permits).acquire_owned().await;
        permit.map(|it| self.begin(it)).map_err(|_closed| stopping())
    }

    fn begin(&self, permit: OwnedSemaphorePermit) -> Turn {
        let running = Counted::one(&self.0.running);
        Turn { pool: self.clone(), held: Some((permit, running)) }
    }

    fn refuse(&self) -> ApiError {
        self.0.refused.inc();
        ApiError::new(Class::System, BUSY)
    }
}

/// What callers are told for whom there is no turn.
pub(crate) const BUSY: &str = "The server is too busy for this call, try again.";

fn stopping() -> ApiError {
    ApiError::new(Class::System, "The server is stopping.")
}

/// The right to work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    pool: Pool,
    /// Empty while it is lent.
    held: Option<(OwnedSemaphorePermit, Counted)>,
}

impl Turn {
    /// Waits for something without working: others have the turn meanwhile. For threads that may
    /// wait; how many do is for the caller to bound.
    pub(crate) fn lend<T>(&mut self, handle: &Handle, wait: impl Future<Output = T>) -> T {
        self.held = None;
        handle.block_on(async {
            let done = wait.await;
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
        (Pool::new("test", PoolSize { running, waiting, wait }, &metrics), metrics)
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
        assert_eq!((refused.class, &*refused.data), (Class::System, BUSY));
        assert_eq!(metrics.work_refused_total.of("test").get(), 1);
        drop(third);
        let mut fourth = pin!(pool.turn());
        assert!(fourth.as_mut().poll(&mut context).is_pending(), "there is a place again");
        drop(first);
        assert!(matches!(second.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
        assert_eq!(shown(&metrics.work_running), "0", "its turn is dropped again");
    }

    #[test]
    fn nobody_waits_for_ever() {
        let (pool, metrics) = pool(1, 1, Duration::ZERO);
        let runtime = runtime();
        let _held = runtime.block_on(pool.turn()).expect("a free turn");
        let refused = runtime.block_on(pool.turn()).expect_err("the time is over");
        assert_eq!(refused.data, BUSY);
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
