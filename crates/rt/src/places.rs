//! Places of connections on a port: a connection without progress loses its place to the next one.
//!
//! When all places are taken, a connection ends for the next one, unless the server works for it:
//!
//! - for an address that has fewer places than another, the one of the address with most that moved least recently;
//! - else the one that moved least recently of all, if fewer than [`STEP_BYTES`] came from it or went to it for
//!   [`PlaceSettings::idle_min`].
//!
//! Where neither is found, the address that asks has most of the places itself, and all of them move: its connection
//! waits for one that ends by itself. All such waits together take a part of the time at most; further connections are
//! turned away, so that they never keep those of others waiting for long.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::clock::{Clock, nanos};
use crate::metrics::Counter;

/// While a connection waits for a place, idle ones are looked for this often.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// So many bytes are progress: more than a client that sends a byte now and then moves in a minute, less than a
/// request has.
const STEP_BYTES: u64 = 128;
/// Connections for which nobody makes place wait so long altogether,
const WAIT_MAX: Duration = Duration::from_secs(3);
/// within this: thousands of agents behind one address that come at once get their places one after the other.
const WAIT_WITHIN: Duration = Duration::from_secs(15);

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
    /// How many of them each address has.
    counts: BTreeMap<IpAddr, usize>,
    /// When none was found that may end.
    looked_ns: Option<u64>,
    /// How long connections waited for which nobody made place, and since when this counts.
    waited_ns: u64,
    waits_since_ns: u64,
}

#[derive(Debug)]
struct Entry {
    from: IpAddr,
    moved_ns: AtomicU64,
    /// Bytes since then.
    moved: AtomicU64,
    /// Tasks that the server does for the connection at this moment.
    n_works: AtomicU64,
    gone: Arc<Notify>,
}

impl Places {
    /// `ended` counts connections that lost their place or were turned away.
    #[must_use]
    pub fn new(settings: PlaceSettings, clock: Clock, ended: Counter) -> Self {
        let n = usize::try_from(settings.places_max.max(1)).unwrap_or(usize::MAX);
        let slots = Arc::new(Semaphore::new(n.min(Semaphore::MAX_PERMITS)));
        let (idle_min, taken) = (settings.idle_min, Mutex::default());
        Self(Arc::new(Shared { idle_min, clock, slots, taken, ended }))
    }

    /// A place for a connection that was accepted; waits until there is one, or `None`. Cancel-safe.
    pub async fn take(&self, from: IpAddr) -> Option<Place> {
        let from = owner(from);
        loop {
            if let Ok(permit) = Arc::clone(&self.0.slots).try_acquire_owned() {
                return Some(self.place(permit, from));
            }
            let is_made = self.end_one(from);
            if !is_made && !self.may_wait() {
                self.0.ended.inc();
                return None;
            }
            let start_ns = self.0.clock.mono_ns();
            let permit = timeout(LOOK_AGAIN, Arc::clone(&self.0.slots).acquire_owned()).await;
            if !is_made {
                self.waited(start_ns);
            }
            if let Ok(Ok(permit)) = permit {
                return Some(self.place(permit, from));
            }
        }
    }

    fn may_wait(&self) -> bool {
        let now_ns = self.0.clock.mono_ns();
        let mut taken = self.0.lock();
        if nanos(WAIT_WITHIN) <= now_ns.saturating_sub(taken.waits_since_ns) {
            (taken.waits_since_ns, taken.waited_ns) = (now_ns, 0);
        }
        taken.waited_ns < nanos(WAIT_MAX)
    }

    fn waited(&self, start_ns: u64) {
        let now_ns = self.0.clock.mono_ns();
        let mut taken = self.0.lock();
        // On a machine that is busy it takes longer than it was meant to.
        let waited_ns = now_ns.saturating_sub(start_ns).min(nanos(LOOK_AGAIN));
        taken.waited_ns = taken.waited_ns.saturating_add(waited_ns);
    }

    fn place(&self, permit: OwnedSemaphorePermit, from: IpAddr) -> Place {
        let entry = Arc::new(Entry {
            from,
            moved_ns: AtomicU64::new(self.0.clock.mono_ns()),
            moved: AtomicU64::new(0),
            n_works: AtomicU64::new(0),
            gone: Arc::default(),
        });
        let mut taken = self.0.lock();
        let id = taken.next_id;
        taken.next_id += 1;
        taken.entries.insert(id, Arc::clone(&entry));
        *taken.counts.entry(from).or_default() += 1;
        drop(taken);
        Place { shared: Arc::clone(&self.0), id, entry, _permit: permit }
    }

    /// Ends a connection for one from this address, unless none may be ended.
    fn end_one(&self, from: IpAddr) -> bool {
        let now_ns = self.0.clock.mono_ns();
        let mut taken = self.0.lock();
        let is_idle = |it: &Entry| {
            let moved_ns = it.moved_ns.load(Relaxed);
            nanos(self.0.idle_min) <= now_ns.saturating_sub(moved_ns)
        };
        let crowd = taken.crowd(from).and_then(|crowd| taken.oldest(|it| it.from == crowd));
        // Frequent calls cause no search of all places.
        let is_late =
            taken.looked_ns.is_none_or(|it| nanos(LOOK_AGAIN) <= now_ns.saturating_sub(it));
        let oldest = || if is_late { taken.oldest(is_idle) } else { None };
        let Some(id) = crowd.or_else(oldest) else {
            if is_late {
                taken.looked_ns = Some(now_ns);
            }
            return false;
        };
        // It is not chosen again.
        if let Some(entry) = taken.remove(id) {
            entry.gone.notify_one();
            self.0.ended.inc();
        }
        true
    }
}

impl Taken {
    /// The address with most places, if it has more than this one will have.
    fn crowd(&self, from: IpAddr) -> Option<IpAddr> {
        let own = self.counts.get(&from).copied().unwrap_or(0);
        let most = self.counts.iter().max_by_key(|(_, n)| **n);
        most.filter(|(_, n)| own + 1 < **n).map(|(address, _)| *address)
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Entry>> {
        let entry = self.entries.remove(&id)?;
        match self.counts.get_mut(&entry.from) {
            Some(n) if 1 < *n => *n -= 1,
            _ => drop(self.counts.remove(&entry.from)),
        }
        Some(entry)
    }

    /// Of those for which the server does not work, the one that moved least recently.
    fn oldest(&self, wanted: impl Fn(&Entry) -> bool) -> Option<u64> {
        let idle = self.entries.iter().filter(|(_, it)| it.n_works.load(Relaxed) == 0);
        let idle = idle.filter(|(_, it)| wanted(it));
        idle.min_by_key(|(_, it)| it.moved_ns.load(Relaxed)).map(|(id, _)| *id)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The unit of shares: an address, or in IPv6 the network of a site, since each machine there has
/// any number of addresses.
#[must_use]
pub fn owner(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(it) => IpAddr::V6((u128::from(it) >> 64 << 64).into()),
        it @ IpAddr::V4(_) => it,
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
        self.shared.lock().remove(self.id);
    }
}

/// Reports the state of a connection. A clone reports on the same connection.
#[derive(Clone, Debug)]
pub struct PlaceMark {
    entry: Arc<Entry>,
    clock: Clock,
}

impl PlaceMark {
    /// Of a connection that has no place to lose.
    #[must_use]
    pub fn unplaced(clock: Clock) -> Self {
        let entry = Entry {
            from: IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED),
            moved_ns: AtomicU64::new(0),
            moved: AtomicU64::new(0),
            n_works: AtomicU64::new(0),
            gone: Arc::default(),
        };
        Self { entry: Arc::new(entry), clock }
    }

    /// Notified when the connection has to end.
    #[must_use]
    pub fn gone(&self) -> Arc<Notify> {
        Arc::clone(&self.entry.gone)
    }

    /// Bytes came or went.
    pub fn moved(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        if STEP_BYTES <= self.entry.moved.fetch_add(bytes, Relaxed).saturating_add(bytes) {
            self.progressed();
        }
    }

    fn progressed(&self) {
        self.entry.moved.store(0, Relaxed);
        self.entry.moved_ns.store(self.clock.mono_ns(), Relaxed);
    }

    /// The server works for the connection as long as the returned guard lives.
    #[must_use]
    pub fn works(&self) -> Works {
        self.entry.n_works.fetch_add(1, Relaxed);
        self.progressed();
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
        self.0.progressed();
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
    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn the_connection_that_moved_least_recently_makes_place_and_none_that_is_worked_for() {
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        let settings = PlaceSettings { places_max: 3, idle_min: SECOND };
        let ended = Counter::default();
        let places = Places::new(settings, clock.clone(), ended.clone());
        let take = async || places.take(ADDRESS).await.expect("a place");
        let (works, idle, moves) = (take().await, take().await, take().await);
        let working = works.mark().works();
        let mut next = pin!(take());
        assert!(poll(next.as_mut()).is_pending());
        assert_eq!(ended.get(), 0, "all moved a moment ago");
        clock.advance(SECOND);
        moves.mark().moved(1_000);
        assert!(places.end_one(ADDRESS));
        assert!(!places.end_one(ADDRESS), "the other one moves");
        assert_eq!(ended.get(), 1);
        idle.mark().gone().notified().await;
        drop(idle);
        let next = next.await;
        // A connection that waits for the rest of a request is idle.
        clock.advance(SECOND);
        moves.mark().moved(1_000);
        next.mark().moved(1_000);
        let mark = works.mark();
        let mut reads = pin!(Works::pause(&mark, std::future::pending::<()>()));
        assert!(poll(reads.as_mut()).is_pending());
        assert!(places.end_one(ADDRESS));
        assert_eq!(ended.get(), 2);
        works.mark().gone().notified().await;
        drop(working);
    }

    #[tokio::test]
    async fn an_address_with_all_places_makes_place_for_others_even_if_all_of_its_connections_move()
    {
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        let settings = PlaceSettings { places_max: 4, idle_min: SECOND };
        let ended = Counter::default();
        let places = Places::new(settings, clock.clone(), ended.clone());
        let mut many = Vec::new();
        for _ in 0..4 {
            many.push(places.take(ADDRESS).await.expect("a place"));
        }
        // One more of them finds nobody idle: it gets the place of one that ends meanwhile.
        let ends = async {
            tokio::task::yield_now().await;
            drop(many.remove(0));
        };
        let (next, ()) = tokio::join!(places.take(ADDRESS), ends);
        many.push(next.expect("a place"));
        assert_eq!(ended.get(), 0);
        // Where none ends it waits in vain, and after such waits the next ones are turned away at once.
        let mut waits = pin!(places.take(ADDRESS));
        assert!(poll(waits.as_mut()).is_pending());
        places.0.lock().waited_ns = nanos(WAIT_MAX);
        many.iter().for_each(|it| it.mark().moved(1_000));
        assert!(waits.await.is_none());
        let mut refused = pin!(places.take(ADDRESS));
        assert!(matches!(poll(refused.as_mut()), Poll::Ready(None)));
        assert_eq!(ended.get(), 2);
        // Others get a place.
        let mut others = Vec::new();
        for _ in 0..2 {
            let first = many.remove(0);
            let leaves = async {
                first.mark().gone().notified().await;
                drop(first);
            };
            let (other, ()) = tokio::join!(places.take(OTHER), leaves);
            others.push(other.expect("up to half of them"));
        }
        // Nobody has more now: only idle ones end.
        clock.advance(SECOND);
        many[0].mark().moved(1_000);
        others[0].mark().moved(1_000);
        for _ in 0..10 {
            many[1].mark().moved(1);
        }
        assert!(places.end_one(OTHER));
        assert!(places.end_one(OTHER));
        assert!(!places.end_one(OTHER), "those with some bytes have made no progress");
        assert_eq!(ended.get(), 6);
    }

    #[test]
    fn a_site_of_ipv6_counts_as_one() {
        let of = |it: &str| owner(it.parse().expect("an address"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1:2:3"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), ADDRESS);
        assert_ne!(of("192.0.2.2"), ADDRESS);
    }

    #[tokio::test]
    async fn refused_connection_searches_no_places() {
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        let settings = PlaceSettings { places_max: 1, idle_min: SECOND };
        let places = Places::new(settings, clock.clone(), Counter::default());
        let _one = places.take(ADDRESS).await.expect("a place");
        assert!(!places.end_one(ADDRESS));
        let first = places.0.lock().looked_ns;
        clock.advance(LOOK_AGAIN / 2);
        assert!(!places.end_one(ADDRESS));
        assert_eq!(places.0.lock().looked_ns, first);
        clock.advance(SECOND);
        assert!(places.end_one(ADDRESS));
    }
}
