//! Places of connections on a port: a connection without progress loses its place to the next one.
//!
//! When all places are taken, the connection that moved least recently ends, once nothing came from it
//! or went to it for [`PlaceSettings::idle_min`], and unless the server works for it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::clock::{Clock, nanos};
use crate::metrics::Counter;

/// While a connection waits for a place, idle ones are looked for this often.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How many places there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlaceSettings {
    /// At least one.
    pub places_max: u32,
    pub idle_min: Duration,
}

/// A clone has the same places.
#[derive(Clone, Debug)]
pub struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    idle_min: Duration,
    clock: Clock,
    slots: Arc<Semaphore>,
    taken: Mutex<Taken>,
    ended: Counter,
}

#[derive(Debug, Default)]
struct Taken {
    next_id: u64,
    entries: BTreeMap<u64, Arc<Entry>>,
}

#[derive(Debug)]
struct Entry {
    moved_ns: AtomicU64,
    /// Things that the server does for the connection.
    n_works: AtomicU64,
    gone: Arc<Notify>,
}

impl Places {
    /// `ended` counts connections that lost their place.
    #[must_use]
    pub fn new(settings: PlaceSettings, clock: Clock, ended: Counter) -> Self {
        let n = usize::try_from(settings.places_max.max(1)).unwrap_or(usize::MAX);
        let slots = Arc::new(Semaphore::new(n.min(Semaphore::MAX_PERMITS)));
        let (idle_min, taken) = (settings.idle_min, Mutex::default());
        Self(Arc::new(Shared { idle_min, clock, slots, taken, ended }))
    }

    /// A place for a connection that was accepted; waits until there is one. Cancel-safe.
    pub async fn take(&self) -> Place {
        let mut is_ending = false;
        loop {
            let permit = Arc::clone(&self.0.slots).acquire_owned();
            if let Ok(Ok(permit)) =
                timeout(if is_ending { LOOK_AGAIN } else { Duration::ZERO }, permit).await
            {
                return self.place(permit);
            }
            self.end_one();
            is_ending = true;
        }
    }

    fn place(&self, permit: OwnedSemaphorePermit) -> Place {
        let entry = Arc::new(Entry {
            moved_ns: AtomicU64::new(self.0.clock.mono_ns()),
            n_works: AtomicU64::new(0),
            gone: Arc::default(),
        });
        let mut taken = self.0.lock();
        let id = taken.next_id;
        taken.next_id += 1;
        taken.entries.insert(id, Arc::clone(&entry));
        drop(taken);
        Place { shared: Arc::clone(&self.0), id, entry, _permit: permit }
    }

    /// Ends the connection that is idle for longest, if any is for long enough.
    fn end_one(&self) {
        let now_ns = self.0.clock.mono_ns();
        let mut taken = self.0.lock();
        let idle = taken.entries.iter().filter(|(_, it)| it.n_works.load(Relaxed) == 0);
        let oldest = idle.min_by_key(|(_, it)| it.moved_ns.load(Relaxed));
        let found = oldest.map(|(id, it)| (*id, it.moved_ns.load(Relaxed)));
        let Some((id, moved_ns)) = found else { return };
        if now_ns.saturating_sub(moved_ns) < nanos(self.0.idle_min) {
            return;
        }
        // It is not chosen again.
        if let Some(entry) = taken.entries.remove(&id) {
            entry.gone.notify_one();
            self.0.ended.inc();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection, until it is dropped.
#[derive(Debug)]
pub struct Place {
    shared: Arc<Shared>,
    id: u64,
    entry: Arc<Entry>,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    /// For the parts of the connection.
    #[must_use]
    pub fn mark(&self) -> PlaceMark {
        PlaceMark { entry: Arc::clone(&self.entry), clock: self.shared.clock.clone() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.lock().entries.remove(&self.id);
    }
}

/// Says what a connection does. A clone is of the same one.
#[derive(Clone, Debug)]
pub struct PlaceMark {
    entry: Arc<Entry>,
    clock: Clock,
}

impl PlaceMark {
    /// Of a connection that has no place to lose.
    #[must_use]
    pub fn unplaced(clock: Clock) -> Self {
        let (moved_ns, n_works) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { entry: Arc::new(Entry { moved_ns, n_works, gone: Arc::default() }), clock }
    }

    /// Notified when the connection has to end.
    #[must_use]
    pub fn gone(&self) -> Arc<Notify> {
        Arc::clone(&self.entry.gone)
    }

    /// Bytes came or went.
    pub fn moved(&self) {
        self.entry.moved_ns.store(self.clock.mono_ns(), Relaxed);
    }

    /// The server works for the connection as long as what is returned lives.
    #[must_use]
    pub fn works(&self) -> Works {
        self.entry.n_works.fetch_add(1, Relaxed);
        Works(self.clone())
    }
}

/// See [`PlaceMark::works`].
#[derive(Debug)]
pub struct Works(PlaceMark);

impl Works {
    /// Runs a future for which the peer has to do something: the server does not work meanwhile.
    pub async fn pause<T>(mark: &PlaceMark, waits: impl Future<Output = T>) -> T {
        let paused = Paused::begin(mark.clone());
        let done = waits.await;
        drop(paused);
        done
    }
}

impl Drop for Works {
    fn drop(&mut self) {
        self.0.moved();
        self.0.entry.n_works.fetch_sub(1, Relaxed);
    }
}

/// The reverse of [`Works`], also where its future is dropped.
struct Paused(PlaceMark);

impl Paused {
    fn begin(mark: PlaceMark) -> Self {
        // A handler runs, so there is one at least; without a place nobody counts.
        let less = |it: u64| it.checked_sub(1);
        match mark.entry.n_works.fetch_update(Relaxed, Relaxed, less) {
            Ok(_) => Self(mark),
            Err(_none) => {
                let unplaced = PlaceMark::unplaced(mark.clock);
                unplaced.entry.n_works.store(0, Relaxed);
                Self(unplaced)
            }
        }
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        self.0.entry.n_works.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use model::Time;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn the_connection_that_moved_least_recently_makes_place_and_none_that_is_worked_for() {
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        let settings = PlaceSettings { places_max: 3, idle_min: SECOND };
        let ended = Counter::default();
        let places = Places::new(settings, clock.clone(), ended.clone());
        let (works, idle, moves) = (places.take().await, places.take().await, places.take().await);
        let working = works.mark().works();
        let mut next = pin!(places.take());
        assert!(poll(next.as_mut()).is_pending());
        assert_eq!(ended.get(), 0, "all moved a moment ago");
        clock.advance(SECOND);
        moves.mark().moved();
        places.end_one();
        places.end_one();
        assert_eq!(ended.get(), 1);
        idle.mark().gone().notified().await;
        drop(idle);
        let next = next.await;
        // Whoever reads a request that does not come does not work for it.
        clock.advance(SECOND);
        moves.mark().moved();
        next.mark().moved();
        let mark = works.mark();
        let mut reads = pin!(Works::pause(&mark, std::future::pending::<()>()));
        assert!(poll(reads.as_mut()).is_pending());
        places.end_one();
        assert_eq!(ended.get(), 2);
        works.mark().gone().notified().await;
        drop(working);
    }
}
