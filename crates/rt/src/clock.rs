//! The only place that asks the system what time it is.
//!
//! [`Clock::real`] reads the system's clocks; [`Clock::manual`] stands still until a test moves it.
//! Everything else gets `now` as an argument or a `Clock` handed in.
//!
//! The wall time given here never goes back, so that values of one item stay in order, except when
//! the operator (or NTP at boot) steps the clock by more than [`STEP_BACK_MAX`]: holding on to a
//! time that is plainly wrong would be worse. Small steps back show as a standing clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use model::time::{Now, Time};
use tokio::sync::watch;

/// Steps back up to this are hidden. NTP slews or steps by seconds; a minute is somebody's wish.
pub const STEP_BACK_MAX: Duration = Duration::from_secs(60);

/// A clone is the same clock.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
enum Source {
    Real { start: Instant, last_wall: Forward },
    Manual { wall: AtomicI64, mono_ns: AtomicU64, moved: watch::Sender<u64> },
}

impl Default for Clock {
    fn default() -> Self {
        Self::real()
    }
}

impl Clock {
    /// The system's clocks; monotonic time counts from here.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the clock is the one place that may")]
    pub fn real() -> Self {
        Self(Arc::new(Source::Real { start: Instant::now(), last_wall: Forward::default() }))
    }

    /// A clock for tests: stands at `wall` until it is moved.
    #[must_use]
    pub fn manual(wall: Time) -> Self {
        let (wall, mono_ns) = (AtomicI64::new(wall.0), AtomicU64::new(0));
        Self(Arc::new(Source::Manual { wall, mono_ns, moved: watch::Sender::new(0) }))
    }

    #[must_use]
    pub fn now(&self) -> Now {
        Now { wall: self.wall(), mono_ns: self.mono_ns() }
    }

    /// Time of day; the module describes its guarantees.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the clock is the one place that may")]
    pub fn wall(&self) -> Time {
        match &*self.0 {
            Source::Real { last_wall, .. } => last_wall.admit(wall_of(SystemTime::now())),
            Source::Manual { wall, .. } => Time(wall.load(Relaxed)),
        }
    }

    /// Nanoseconds since the clock was made, never going back.
    #[must_use]
    pub fn mono_ns(&self) -> u64 {
        match &*self.0 {
            Source::Real { start, .. } => nanos(start.elapsed()),
            Source::Manual { mono_ns, .. } => mono_ns.load(Relaxed),
        }
    }

    /// Ends when `time` has passed on this clock; a manual clock has to be moved. Cancel-safe.
    pub async fn sleep(&self, time: Duration) {
        self.sleep_until(self.mono_ns().saturating_add(nanos(time))).await;
    }

    /// Ends when [`Clock::mono_ns`] has reached `deadline_ns`. Cancel-safe.
    pub async fn sleep_until(&self, deadline_ns: u64) {
        match &*self.0 {
            Source::Real { .. } => {
                let left_ns = deadline_ns.saturating_sub(self.mono_ns());
                tokio::time::sleep(Duration::from_nanos(left_ns)).await;
            }
            Source::Manual { moved, .. } => {
                let arrived = moved.subscribe().wait_for(|it| deadline_ns <= *it).await.is_ok();
                assert!(arrived, "the clock itself holds the sender");
            }
        }
    }

    /// Advances a manual clock, wall and monotonic time alike, and wakes sleepers whose time has
    /// come.
    ///
    /// # Panics
    /// For a real clock.
    pub fn advance(&self, time: Duration) {
        let Source::Manual { wall, mono_ns, moved } = &*self.0 else {
            panic!("a real clock is not moved");
        };
        let step_ns = nanos(time);
        wall.fetch_add(i64::try_from(step_ns).expect("tests stay below 292 years"), Relaxed);
        moved.send_replace(mono_ns.fetch_add(step_ns, Relaxed) + step_ns);
    }

    /// Sets the wall time of a manual clock, also backwards, as `date -s` would.
    ///
    /// # Panics
    /// For a real clock.
    pub fn set_wall(&self, to: Time) {
        let Source::Manual { wall, .. } = &*self.0 else { panic!("a real clock is not set") };
        wall.store(to.0, Relaxed);
    }
}

/// Nanoseconds of a duration; clamped after 584 years.
#[must_use]
pub fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Wall time of the system; clamped to the range of `Time`.
fn wall_of(system: SystemTime) -> Time {
    let ns = match system.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |it| -it),
    };
    Time(ns)
}

/// Lets time pass only forward, up to [`STEP_BACK_MAX`].
#[derive(Debug)]
struct Forward(AtomicI64);

impl Default for Forward {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl Forward {
    fn admit(&self, read: Time) -> Time {
        let last = self.0.fetch_max(read.0, Relaxed);
        let back_max = i64::try_from(STEP_BACK_MAX.as_nanos()).expect("a minute fits");
        if read.0 < last.saturating_sub(back_max) {
            self.0.store(read.0, Relaxed);
            return read;
        }
        Time(last.max(read.0))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::Poll;
    use std::time::Duration;

    use model::time::Time;

    use super::{Clock, Forward};

    #[test]
    fn wall_hides_small_steps_back_and_follows_large_ones() {
        let forward = Forward::default();
        let admit = |seconds: i64| forward.admit(Time::from_clock(seconds, 0)).clock();
        assert_eq!(admit(1000), 1000);
        assert_eq!(admit(1010), 1010);
        assert_eq!(admit(1005), 1010, "a small step back shows as a standing clock");
        assert_eq!(admit(950), 1010, "a minute is still hidden");
        assert_eq!(admit(949), 949, "more than a minute is the operator's wish");
        assert_eq!(admit(948), 949);
        assert_eq!(admit(951), 951);
        assert_eq!(admit(-5), -5, "before 1970 is a time like others");
    }

    /// Whether a future, polled once, still waits.
    async fn is_pending(future: &mut (impl Future<Output = ()> + Unpin)) -> bool {
        std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut *future).poll(cx).is_pending())).await
    }

    #[test]
    fn real_clock_runs_forward() {
        let clock = Clock::real();
        let first = clock.now();
        let second = clock.now();
        assert!(first.wall <= second.wall && first.mono_ns <= second.mono_ns);
        assert!(1_700_000_000 < first.wall.clock());
    }

    #[tokio::test]
    async fn manual_clock_wakes_sleepers_when_moved() {
        let clock = Clock::manual(Time::from_clock(100, 0));
        let mut sleep = std::pin::pin!(clock.sleep(Duration::from_secs(5)));
        assert!(is_pending(&mut sleep).await);
        clock.advance(Duration::from_millis(4_999));
        assert!(is_pending(&mut sleep).await);
        clock.advance(Duration::from_millis(1));
        sleep.await;
        assert_eq!(clock.wall().clock(), 105);
        clock.set_wall(Time::from_clock(7, 0));
        assert_eq!(clock.now().wall.clock(), 7);
        assert_eq!(clock.now().mono_ns, 5_000_000_000);
    }
}
