//! Addresses of DNS names, for collectors.
//!
//! The system's resolver blocks its threads, so a name is looked up once for all callers, few names
//! at a time, and its addresses are kept for a minute. After that callers get the old addresses
//! while the name is looked up again. If the resolver fails, the addresses are kept for an hour. A
//! name without addresses is looked up again after some seconds, so that thousands of items with a
//! dead name cost one look-up.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::map::LookupMap;
use rt::clock::{Clock, nanos};
use rt::task::Tasks;
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// How long an answer is fresh.
const FRESH_MAX: Duration = Duration::from_secs(60);
/// How long an answer is valid while the resolver gives no other.
const STALE_MAX: Duration = Duration::from_secs(3_600);
/// How long the resolver is not asked again for a name without an answer.
const FAILED_MAX: Duration = Duration::from_secs(5);
/// A name unused for this long is forgotten.
const UNUSED_MAX: Duration = Duration::from_secs(3_600);
/// Pause between searches for forgotten names.
const SWEEP_EACH: Duration = Duration::from_secs(600);
/// Names known at once; more are refused.
const NAMES_MAX: usize = 100_000;
/// Look-ups under way at once: each takes a thread while a resolver is silent. More have to wait.
const LOOKUPS_MAX: usize = 32;

/// See the module. A clone is the same.
#[derive(Clone, Debug)]
pub struct DnsCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    tasks: Tasks,
    lookups: Semaphore,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    names: LookupMap<Box<str>, Name>,
    swept_ns: u64,
}

#[derive(Debug)]
struct Name {
    /// Empty: none are known.
    addresses: Arc<[IpAddr]>,
    /// Time of the answer with these addresses.
    answered_ns: u64,
    /// End of the last look-up; `None`: none has ended.
    ended_ns: Option<u64>,
    used_ns: u64,
    /// A look-up under way.
    pending: Option<watch::Receiver<()>>,
}

/// The result for a name without waiting.
enum Found {
    Addresses(Arc<[IpAddr]>),
    None,
    /// The look-up under way decides.
    Soon(watch::Receiver<()>),
}

impl DnsCache {
    #[must_use]
    pub fn new(clock: Clock, tasks: Tasks) -> Self {
        let lookups = Semaphore::new(LOOKUPS_MAX);
        Self(Arc::new(Inner { clock, tasks, lookups, known: Mutex::default() }))
    }

    /// The addresses of a name, or the address in the text; at least one.
    ///
    /// # Errors
    /// In words for the user, if there are none within the time.
    pub async fn addresses(&self, name: &str, time: Duration) -> Result<Arc<[IpAddr]>, String> {
        if let Ok(address) = name.parse::<IpAddr>() {
            return Ok(Arc::from([address]));
        }
        let failed = || cannot_resolve(name);
        let mut pending = match self.find(name) {
            Found::Addresses(it) => return Ok(it),
            Found::None => return Err(failed()),
            Found::Soon(it) => it,
        };
        // The sender goes when the look-up has ended.
        drop(timeout(time, pending.changed()).await);
        let known = self.0.lock();
        let found = known.names.get(name).map(|it| Arc::clone(&it.addresses));
        found.filter(|it| !it.is_empty()).ok_or_else(failed)
    }

    /// The first address of a name.
    ///
    /// # Errors
    /// As [`DnsCache::addresses`].
    pub(crate) async fn address(&self, name: &str, time: Duration) -> Result<IpAddr, String> {
        if let Some(found) = self.address_at_once(name) {
            return found;
        }
        let found = self.addresses(name, time).await?;
        found.first().copied().ok_or_else(|| cannot_resolve(name))
    }

    /// As [`DnsCache::address`]; `None` if the name has to be looked up first, which is begun.
    pub(crate) fn address_at_once(&self, name: &str) -> Option<Result<IpAddr, String>> {
        if let Ok(address) = name.parse() {
            return Some(Ok(address));
        }
        match self.find(name) {
            Found::Addresses(it) => it.first().copied().map(Ok),
            Found::None => Some(Err(cannot_resolve(name))),
            Found::Soon(_) => None,
        }
    }

    /// A connection to the first address of a name that accepts it, within the time in all: each
    /// has an equal share of the remaining time.
    ///
    /// # Errors
    /// Of the last address, or that the name has none.
    pub(crate) async fn connect(
        &self,
        (name, port): (&str, u16),
        time: Duration,
    ) -> std::io::Result<TcpStream> {
        let late = || std::io::Error::from(std::io::ErrorKind::TimedOut);
        let deadline_ns = self.0.clock.mono_ns().saturating_add(nanos(time));
        let found = self.addresses(name, time).await;
        let found = found.map_err(|why| std::io::Error::new(std::io::ErrorKind::NotFound, why))?;
        let mut failed = late();
        for (address, n_left) in
            found.iter().zip((1..=u64::try_from(found.len()).unwrap_or(1)).rev())
        {
            let left_ns = deadline_ns.saturating_sub(self.0.clock.mono_ns());
            let share = Duration::from_nanos(left_ns / n_left);
            match timeout(share, TcpStream::connect(SocketAddr::new(*address, port))).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failed = error,
                Err(_elapsed) => failed = late(),
            }
        }
        Err(failed)
    }

    fn find(&self, name: &str) -> Found {
        let now_ns = self.0.clock.mono_ns();
        let mut known = self.0.lock();
        let known = &mut *known;
        if !known.names.contains_key(name) {
            known.sweep(now_ns);
            if NAMES_MAX <= known.names.len() {
                return Found::None;
            }
        }
        let entry = known.names.entry(name.into()).or_insert_with(|| Name {
            addresses: Arc::from([]),
            answered_ns: now_ns,
            ended_ns: None,
            used_ns: now_ns,
            pending: None,
        });
        entry.used_ns = now_ns;
        let since = |at_ns: u64| now_ns.saturating_sub(at_ns);
        let is_fresh = entry.ended_ns.is_some_and(|at_ns| {
            let kept = if entry.addresses.is_empty() { FAILED_MAX } else { FRESH_MAX };
            since(at_ns) < nanos(kept)
        });
        if !is_fresh && entry.pending.is_none() {
            entry.pending = Some(self.look_up(name));
        }
        match &entry.pending {
            _ if !entry.addresses.is_empty() && since(entry.answered_ns) < nanos(STALE_MAX) => {
                Found::Addresses(Arc::clone(&entry.addresses))
            }
            Some(pending) => Found::Soon(pending.clone()),
            None => Found::None,
        }
    }

    /// Starts a look-up that continues without its callers. Its end closes the returned channel.
    fn look_up(&self, name: &str) -> watch::Receiver<()> {
        let (over, pending) = watch::channel(());
        let (shared, name) = (Arc::clone(&self.0), name.to_owned());
        let shutdown = self.0.tasks.shutdown().clone();
        self.0.tasks.spawn_contained("name look-up", name.clone(), async move {
            let ended = Ended { shared: &shared, name: &name };
            let answer = async {
                let place = shared.lookups.acquire().await;
                let found = lookup_host((name.as_str(), 0)).await;
                drop(place);
                found.map(|it| it.map(|it| it.ip()).collect::<Vec<_>>())
            };
            tokio::select! {
                found = answer => {
                    shared.lock().take(&name, found.unwrap_or_default(), shared.clock.mono_ns());
                }
                () = shutdown.cancelled() => {}
            }
            drop(ended);
            drop(over);
        });
        pending
    }
}

fn cannot_resolve(name: &str) -> String {
    format!("Cannot resolve \"{name}\".")
}

/// Removes a look-up, however it ends.
struct Ended<'a> {
    shared: &'a Inner,
    name: &'a str,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if let Some(it) = self.shared.lock().names.get_mut(self.name) {
            it.pending = None;
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn take(&mut self, name: &str, mut found: Vec<IpAddr>, now_ns: u64) {
        let Some(it) = self.names.get_mut(name) else { return };
        it.ended_ns = Some(now_ns);
        found.dedup();
        if !found.is_empty() {
            it.addresses = found.into();
            it.answered_ns = now_ns;
        } else if nanos(STALE_MAX) <= now_ns.saturating_sub(it.answered_ns) {
            it.addresses = Arc::from([]);
        }
    }

    fn sweep(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.swept_ns) < nanos(SWEEP_EACH) {
            return;
        }
        self.swept_ns = now_ns;
        let is_used = |it: &Name| now_ns.saturating_sub(it.used_ns) < nanos(UNUSED_MAX);
        self.names.retain(|_, it| it.pending.is_some() || is_used(it));
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures_util::FutureExt;
    use futures_util::future::join_all;
    use model::Time;
    use rt::metrics::Registry;
    use tokio::net::TcpListener;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);
    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const NOBODY: &str = "no-such-name.invalid";

    fn cache() -> (DnsCache, Clock) {
        let clock = Clock::manual(Time::from_clock(1_700_000_000, 0));
        (DnsCache::new(clock.clone(), Tasks::new("test", &Registry::new())), clock)
    }

    fn n_pending(cache: &DnsCache) -> usize {
        cache.0.lock().names.values().filter(|it| it.pending.is_some()).count()
    }

    #[tokio::test]
    async fn name_is_looked_up_once_for_all_callers() {
        let (cache, _) = cache();
        let asked = (0..100).map(|_| cache.addresses("localhost", PATIENCE));
        let mut answers = join_all(asked);
        // All of them have asked, one look-up is under way.
        assert!((&mut answers).now_or_never().is_none());
        assert_eq!(n_pending(&cache), 1);
        for answer in answers.await {
            assert!(answer.expect("this machine").iter().any(|it| it.is_loopback()));
        }
        assert_eq!(n_pending(&cache), 0);
        assert_eq!(
            *cache.addresses("192.0.2.1", PATIENCE).await.expect("it is one"),
            [IpAddr::from([192, 0, 2, 1])]
        );
        assert_eq!(cache.0.lock().names.len(), 1, "addresses are no names");
    }

    #[tokio::test]
    async fn a_name_without_addresses_is_left_alone_for_some_seconds() {
        let (cache, clock) = cache();
        let error = "Cannot resolve \"no-such-name.invalid\".";
        assert_eq!(cache.addresses(NOBODY, PATIENCE).await, Err(error.to_owned()));
        assert!(matches!(cache.find(NOBODY), Found::None));
        clock.advance(FAILED_MAX);
        assert!(matches!(cache.find(NOBODY), Found::Soon(_)));
    }

    #[tokio::test]
    async fn old_addresses_serve_during_look_ups_and_resolver_failures() {
        let (cache, clock) = cache();
        cache.addresses("localhost", PATIENCE).await.expect("this machine");
        clock.advance(FRESH_MAX);
        assert!(matches!(cache.find("localhost"), Found::Addresses(_)));
        let pending = cache.0.lock().names["localhost"].pending.clone();
        assert!(timeout(PATIENCE, pending.expect("it is asked for").changed()).await.is_ok());
        let now_ns = clock.mono_ns();
        let addresses = |at_ns: u64| {
            let mut known = cache.0.lock();
            known.take("localhost", Vec::new(), at_ns);
            known.names["localhost"].addresses.len()
        };
        assert_ne!(addresses(now_ns + nanos(STALE_MAX) - 1), 0);
        assert_eq!(addresses(now_ns + nanos(STALE_MAX)), 0);
    }

    #[tokio::test]
    async fn the_next_address_is_tried_where_one_refuses() {
        let (cache, clock) = cache();
        let listener = TcpListener::bind((HOME, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        cache.addresses("localhost", PATIENCE).await.expect("this machine");
        let two = vec![IpAddr::from([127, 77, 0, 1]), HOME];
        cache.0.lock().take("localhost", two, clock.mono_ns());
        let stream =
            cache.connect(("localhost", port), PATIENCE).await.expect("the second takes it");
        assert_eq!(stream.peer_addr().expect("connected").ip(), HOME);
        drop(listener);
        let refused =
            cache.connect(("localhost", port), PATIENCE).await.expect_err("nobody listens");
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    }

    #[tokio::test]
    async fn unused_names_are_forgotten() {
        let (cache, clock) = cache();
        assert!(cache.addresses(NOBODY, PATIENCE).await.is_err());
        clock.advance(UNUSED_MAX);
        cache.addresses("localhost", PATIENCE).await.expect("this machine");
        let known = cache.0.lock();
        assert_eq!(known.names.keys().map(|it| &**it).collect::<Vec<_>>(), ["localhost"]);
    }
}
