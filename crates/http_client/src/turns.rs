//! Exchanges of a server at once, and the requests that wait for a turn.
//!
//! A server takes new connections one after the other. When more arrive than its listen queue
//! holds, the kernel drops them, and they are tried again after one and three seconds: a thousand
//! requests at once to a small server end by their time-out, though it would have answered all of
//! them in turn. So each server begins with [`AT_ONCE_FIRST`] exchanges. Each quick answer admits
//! one more while others wait, unless some connections are still being made: those may be the
//! dropped ones. When a server does not keep up (time-outs, refused or cut connections), half as
//! many are admitted. After that, or if its answers are slow, their number grows as TCP's window
//! does: by one for as many answers as are admitted.
//!
//! A request's own time begins with its turn. It waits as long as it would wait for an answer, and
//! longer while its server answers others, up to [`WAIT_MAX`]. Waiting requests are in no list but
//! the semaphore's: a dropped future leaves it. Callers bound how many wait, because each request
//! is a job or a thread of theirs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::map::Map;
use rt::clock::{Clock, nanos};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::Error;
use super::key::Key;

/// The shortest listen queue of servers in use is that of Python's socketserver: 5, of which the
/// kernel makes 6. With 8 connections at once two are a second late, with 16 some three.
const AT_ONCE_FIRST: usize = 8;
/// Even for a struggling server: its slow pages must not delay all of its others.
const AT_ONCE_MIN: usize = 4;
/// While this many connections are being made, no more are begun than before.
const CONNECTING_MAX: usize = 2;
/// An answer is quick if it takes no more than this part of its request's time: 94 ms of 3 seconds.
/// A server that handles a thousand connections one after the other then has at most some fifty in
/// its queue.
const QUICK_PART: u32 = 32;
/// Longest wait for a turn with a server that answers: half of the usual shortest interval of items.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// Without requests for this time, the state of a server is forgotten.
const FORGET_AFTER: Duration = Duration::from_secs(600);

rt::metrics! {
    /// Requests that leave the server: of items, scripts, media, exports and the vault.
    pub struct HttpMetrics in "saker_http_client", formerly "http_client" {
        /// Connections begun.
        pub connects_total: Counter,
        /// Requests made on a kept connection.
        pub reuses_total: Counter,
        /// Requests waiting because their server already has as many as it keeps up with.
        pub waiting: Gauge,
        /// Waiting time of requests that had to wait.
        pub wait_seconds: TimeHistogram,
        /// Requests given up without a turn: their server did not answer, or was too slow with earlier requests.
        pub no_turn_total: Counter,
        /// How often a server got fewer requests at once because it did not keep up.
        pub slowed_total: Counter,
    }
}

/// All servers.
pub(crate) struct Turns {
    servers: Mutex<Map<Key, Arc<Server>>>,
    at_once_max: usize,
    pub(crate) metrics: HttpMetrics,
}

struct Server {
    /// Has as many permits as exchanges are admitted, less those of [`Pace::n_owed`].
    turns: Arc<Semaphore>,
    pace: Mutex<Pace>,
}

struct Pace {
    at_once: usize,
    /// Permits that are withdrawn as their exchanges end.
    n_owed: usize,
    /// The limit was once exceeded: the number grows slowly now.
    is_known: bool,
    /// Answers since the number grew last.
    n_answers: usize,
    /// Exchanges begun before this time add nothing about a server that did not keep up.
    slowed_ns: u64,
    /// The last answer.
    answered_ns: u64,
    asked_ns: u64,
    /// Connections that are being made.
    n_connecting: usize,
}

/// The evidence of an exchange about its server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    Answered {
        is_quick: bool,
    },
    /// It did not keep up.
    Strained,
    /// No evidence about its capacity.
    Neutral,
}

impl Sign {
    /// Of an exchange that took `took` of its time.
    pub(crate) fn of<T>(answer: &Result<T, Error>, (took, time): (Duration, Duration)) -> Self {
        match answer {
            Ok(_) => Self::Answered { is_quick: took <= time / QUICK_PART },
            Err(Error::Late | Error::Connect(_) | Error::Empty | Error::Io(_)) => Self::Strained,
            Err(_) => Self::Neutral,
        }
    }
}

/// The right to one exchange. Dropped without [`Turn::end`], it counts neither for nor against the
/// server.
pub(crate) struct Turn {
    server: Arc<Server>,
    permit: Option<OwnedSemaphorePermit>,
    since_ns: u64,
}

impl Turns {
    /// `at_once_max`: the limit even for a fast server.
    pub(crate) fn new(at_once_max: usize, metrics: HttpMetrics) -> Self {
        Self { servers: Mutex::default(), at_once_max: at_once_max.max(1), metrics }
    }

    /// Waits for a turn with the server. `time`: the request's time for its answer after that.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) async fn take(
        &self,
        key: &Key,
        time: Duration,
        clock: &Clock,
    ) -> Result<Turn, Error> {
        let start_ns = clock.mono_ns();
        let server = self.server(key, start_ns);
        if let Ok(permit) = Arc::clone(&server.turns).try_acquire_owned() {
            return Ok(Turn { server, permit: Some(permit), since_ns: start_ns });
        }
        let waiting = Waiting::new(&self.metrics.waiting);
        let taken = Arc::clone(&server.turns).acquire_owned();
        tokio::pin!(taken);
        loop {
            let waited = clock.mono_ns().saturating_sub(start_ns);
            let left = nanos(WAIT_MAX.max(time)).saturating_sub(waited);
            match timeout(time.min(Duration::from_nanos(left)), taken.as_mut()).await {
                Ok(permit) => {
                    drop(waiting);
                    let now_ns = clock.mono_ns();
                    self.metrics.wait_seconds.observe_ns(now_ns.saturating_sub(start_ns));
                    let permit = permit.expect("the semaphore is never closed");
                    return Ok(Turn { server, permit: Some(permit), since_ns: now_ns });
                }
                Err(_elapsed) => {
                    let now_ns = clock.mono_ns();
                    let pace = server.pace();
                    let is_alive = now_ns.saturating_sub(pace.answered_ns) < nanos(time);
                    let is_over = nanos(WAIT_MAX) <= now_ns.saturating_sub(start_ns);
                    if is_over || !is_alive {
                        self.metrics.no_turn_total.inc();
                        return Err(Error::NoTurn(pace.at_once));
                    }
                }
            }
        }
    }

    /// Forgets unused servers.
    pub(crate) fn sweep(&self, now_ns: u64) {
        self.lock().retain(|_, it| {
            let is_old = nanos(FORGET_AFTER) <= now_ns.saturating_sub(it.pace().asked_ns);
            // Requests hold it as well; under the lock none begins to.
            !is_old || 1 < Arc::strong_count(it)
        });
    }

    /// Takes the evidence of `turn`'s exchange, which has ended.
    pub(crate) fn end(&self, turn: Turn, sign: Sign, now_ns: u64) {
        let slowed = turn.server.take(sign, (turn.since_ns, now_ns), self.at_once_max);
        if slowed {
            self.metrics.slowed_total.inc();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Map<Key, Arc<Server>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn server(&self, key: &Key, now_ns: u64) -> Arc<Server> {
        let mut servers = self.lock();
        let found = servers.get(key).map(Arc::clone);
        let server = found.unwrap_or_else(|| {
            let made = Arc::new(Server::new(AT_ONCE_FIRST.min(self.at_once_max), now_ns));
            servers.insert(key.clone(), Arc::clone(&made));
            made
        });
        drop(servers);
        server.pace().asked_ns = now_ns;
        server
    }
}

impl Server {
    fn new(at_once: usize, now_ns: u64) -> Self {
        let pace = Pace {
            at_once,
            n_owed: 0,
            is_known: false,
            n_answers: 0,
            slowed_ns: 0,
            answered_ns: 0,
            asked_ns: now_ns,
            n_connecting: 0,
        };
        Self { turns: Arc::new(Semaphore::new(at_once)), pace: Mutex::new(pace) }
    }

    /// Never across an await; the map's lock may be held, no other is taken.
    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the evidence of an exchange from `since_ns` to `now_ns`. Returns whether fewer are
    /// admitted now.
    fn take(&self, sign: Sign, (since_ns, now_ns): (u64, u64), at_once_max: usize) -> bool {
        let mut pace = self.pace();
        match sign {
            Sign::Answered { is_quick } => {
                pace.answered_ns = now_ns;
                pace.n_answers += 1;
                let is_short =
                    self.turns.available_permits() == 0 && pace.n_connecting <= CONNECTING_MAX;
                let is_time = is_quick && !pace.is_known || pace.at_once <= pace.n_answers;
                if is_short && is_time && pace.at_once < at_once_max {
                    pace.n_answers = 0;
                    pace.at_once += 1;
                    if pace.n_owed == 0 {
                        self.turns.add_permits(1);
                    } else {
                        pace.n_owed -= 1;
                    }
                }
                false
            }
            Sign::Strained if pace.slowed_ns <= since_ns => {
                let at_once = (pace.at_once / 2).max(AT_ONCE_MIN.min(pace.at_once));
                let n_fewer = pace.at_once - at_once;
                (pace.slowed_ns, pace.is_known, pace.n_answers) = (now_ns, true, 0);
                pace.at_once = at_once;
                pace.n_owed += n_fewer - self.turns.forget_permits(n_fewer);
                0 < n_fewer
            }
            Sign::Strained | Sign::Neutral => false,
        }
    }
}

impl Turn {
    /// A connection is being made for it, until the returned value is dropped.
    pub(crate) fn connecting(&self) -> Connecting<'_> {
        self.server.pace().n_connecting += 1;
        Connecting(&self.server)
    }
}

/// A connection that is being made.
pub(crate) struct Connecting<'a>(&'a Server);

impl Drop for Connecting<'_> {
    fn drop(&mut self) {
        self.0.pace().n_connecting -= 1;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut pace = self.server.pace();
        let Some(permit) = self.permit.take() else { return };
        if pace.n_owed == 0 {
            drop(pace);
            drop(permit);
        } else {
            pace.n_owed -= 1;
            permit.forget();
        }
    }
}

/// Counts a waiting request while it lives.
struct Waiting<'a>(&'a Gauge);

impl<'a> Waiting<'a> {
    fn new(gauge: &'a Gauge) -> Self {
        gauge.add(1.0);
        Self(gauge)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.add(-1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 40;
    const QUICK: Sign = Sign::Answered { is_quick: true };

    fn at_once(server: &Server) -> (usize, usize) {
        (server.pace().at_once, server.turns.available_permits())
    }

    fn turn(server: &Arc<Server>, since_ns: u64) -> Option<Turn> {
        let permit = Arc::clone(&server.turns).try_acquire_owned().ok()?;
        Some(Turn { server: Arc::clone(server), permit: Some(permit), since_ns })
    }

    #[test]
    fn turns_grow_with_answers_and_halve_when_the_server_lags() {
        let server = Arc::new(Server::new(AT_ONCE_FIRST, 0));
        let mut turns: Vec<_> = std::iter::from_fn(|| turn(&server, 1)).collect();
        assert_eq!(turns.len(), 8);
        for _ in 0..18 {
            assert!(!server.take(QUICK, (1, 2), MAX));
            turns.extend(turn(&server, 3));
        }
        assert_eq!((turns.len(), at_once(&server)), (26, (26, 0)), "each answer admits one");
        let connecting: Vec<_> = turns[..3].iter().map(Turn::connecting).collect();
        server.take(QUICK, (1, 2), MAX);
        assert_eq!(at_once(&server), (26, 0), "connections that nobody may have seen");
        drop(connecting);
        for _ in 0..24 {
            server.take(Sign::Answered { is_quick: false }, (1, 2), MAX);
            assert_eq!(at_once(&server), (26, 0), "an answer that took a while");
        }
        // All exchanges under way fail together: that is one sign.
        assert!(server.take(Sign::Strained, (1, 5), MAX));
        assert!(!server.take(Sign::Strained, (3, 6), MAX));
        assert!(!server.take(Sign::Neutral, (6, 7), MAX));
        assert_eq!(at_once(&server), (13, 0));
        turns.truncate(14);
        assert_eq!(at_once(&server), (13, 0), "one more than are admitted is still under way");
        turns.truncate(12);
        assert_eq!(at_once(&server), (13, 1));
        turns.extend(turn(&server, 7));
        // From now on it takes as many answers as are admitted.
        for _ in 0..13 {
            assert_eq!(at_once(&server), (13, 0));
            assert!(!server.take(QUICK, (7, 8), MAX));
        }
        assert_eq!(at_once(&server), (14, 1));
        // Unused turns do not raise the limit, and there are bounds.
        for _ in 0..100 {
            server.take(QUICK, (7, 8), MAX);
        }
        assert_eq!(at_once(&server), (14, 1));
        for now_ns in 10..20 {
            server.take(Sign::Strained, (now_ns, now_ns), MAX);
        }
        assert_eq!(at_once(&server).0, 4);
        turns.clear();
        assert_eq!(at_once(&server), (4, 4));
        let full: Vec<_> = std::iter::from_fn(|| turn(&server, 30)).collect();
        let mut more = Vec::new();
        for _ in 0..10_000 {
            server.take(QUICK, (30, 31), MAX);
            more.extend(turn(&server, 31));
        }
        assert_eq!(full.len() + more.len(), MAX);
    }
}
