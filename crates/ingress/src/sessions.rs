//! Which values of a session are already taken.
//!
//! Agents number their values within a session (one run of the agent) and send again whatever was
//! not acknowledged. The mark of a session is written in the same journal record as its values and
//! moves here after that, never before: acknowledged values are in the journal, and so is
//! everything that a checkpoint holds.
//!
//! One request of a session is under way at a time. It holds the session's [`Claim`] until its last
//! rows are written or given up. Other requests of the session, which mostly repeat the same values
//! because their peer timed out, wait for that and then know which of their values are written.
//! Other sessions never wait, and no lock is held meanwhile.
//!
//! Bounds: [`PER_HOST_MAX`] sessions a host, [`SESSIONS_MAX`] in all; those unused for
//! [`UNUSED_S_MAX`] are forgotten.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::map::Map;
use model::{HostId, Time};
use tokio::sync::Notify;

/// Sessions kept per host: the running agent's, and those of a few restarts whose last answer may
/// have been lost. With more, the oldest is forgotten, and its values could be stored twice.
const PER_HOST_MAX: usize = 4;
/// Sessions kept in all. With more, an eighth is forgotten at once, the least recently used ones
/// first.
const SESSIONS_MAX: usize = if cfg!(test) { 4_096 } else { 1 << 20 };
/// A week: an agent that was cut off for longer sends its last packet twice at worst.
const UNUSED_S_MAX: i64 = 7 * 86_400;
/// Characters of a token; anything else is no session.
const TOKEN_LEN: usize = 32;

/// How far a session's values are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watermark {
    pub host: HostId,
    /// The peer's token of its run, 32 characters.
    pub session: Arc<str>,
    /// Ids up to this one are taken.
    pub last_id: u64,
}

/// The marks of all hosts.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<SessionMarks>);

#[derive(Debug, Default)]
struct SessionMarks {
    /// Sessions of each host, oldest first.
    hosts: Map<HostId, Vec<Session>>,
    n: usize,
}

#[derive(Debug)]
struct Session {
    token: Arc<str>,
    /// 0: none.
    last_id: u64,
    used_s: i64,
    is_claimed: bool,
    /// Wakes requests that wait for the claim, if there are any.
    freed: Option<Arc<Notify>>,
}

/// The right to take values of a session, for one request. Given back when it is dropped.
#[derive(Debug)]
pub struct Claim {
    sessions: Arc<Sessions>,
    host: HostId,
    token: Arc<str>,
    before: u64,
}

impl Claim {
    #[must_use]
    pub fn host(&self) -> HostId {
        self.host
    }

    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Ids up to this one were written when the claim was made.
    #[must_use]
    pub fn before(&self) -> u64 {
        self.before
    }

    /// Values up to `last_id` are in the journal, and the mark with them.
    pub fn written(&self, last_id: u64) {
        let mut marks = self.sessions.lock();
        if let Some(session) = marks.session(self.host, &self.token) {
            session.last_id = session.last_id.max(last_id);
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut marks = self.sessions.lock();
        let Some(session) = marks.session(self.host, &self.token) else { return };
        session.is_claimed = false;
        // Another request may claim it before the woken one does; that one then waits and is woken
        // again.
        match &session.freed {
            Some(freed) if 1 < Arc::strong_count(freed) => freed.notify_one(),
            _ => session.freed = None,
        }
    }
}

/// Another request has the claim. The waiter is woken when the claim is free, and then tries again.
pub type Taken = Arc<Notify>;

impl Sessions {
    /// Waits until no other request of the session is under way. `None` if the token is invalid.
    /// Cancel-safe.
    pub async fn claim(self: &Arc<Self>, host: HostId, token: &str, now: Time) -> Option<Claim> {
        if token.len() != TOKEN_LEN {
            return None;
        }
        loop {
            match self.try_claim(host, token, now) {
                Ok(claim) => return Some(claim),
                // `Notify` keeps one wake-up for a waiter that comes too late.
                Err(taken) => taken.notified().await,
            }
        }
    }

    /// The claim of a session, if no other request of it is under way. The token must be one, 32
    /// characters, as [`Self::claim`] sees to.
    ///
    /// # Errors
    /// Another request has it: the error is woken when the claim is given back.
    pub fn try_claim(
        self: &Arc<Self>,
        host: HostId,
        token: &str,
        now: Time,
    ) -> Result<Claim, Taken> {
        let mut marks = self.lock();
        let session = match marks.session(host, token) {
            Some(it) => it,
            None => marks.insert(host, token.into(), now),
        };
        if session.is_claimed {
            return Err(Arc::clone(session.freed.get_or_insert_default()));
        }
        session.is_claimed = true;
        session.used_s = now.clock();
        let (token, before) = (Arc::clone(&session.token), session.last_id);
        Ok(Claim { sessions: Arc::clone(self), host, token, before })
    }

    /// The state of a session in the journal or a checkpoint.
    pub fn restore(&self, mark: &Watermark, now: Time) {
        let mut marks = self.lock();
        let session = match marks.session(mark.host, &mark.session) {
            Some(it) => it,
            None => marks.insert(mark.host, Arc::clone(&mark.session), now),
        };
        session.last_id = session.last_id.max(mark.last_id);
    }

    /// Forgets sessions that are unused for long.
    pub fn expire(&self, now: Time) {
        self.lock().forget_before(now.clock().saturating_sub(UNUSED_S_MAX));
    }

    /// All marks that are written, for a checkpoint.
    #[must_use]
    pub fn all(&self) -> Vec<Watermark> {
        let marks = self.lock();
        let each = marks.hosts.iter().flat_map(|(host, of_host)| {
            of_host.iter().filter(|it| it.last_id != 0).map(|it| Watermark {
                host: *host,
                session: Arc::clone(&it.token),
                last_id: it.last_id,
            })
        });
        each.collect()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().n
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, SessionMarks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionMarks {
    fn session(&mut self, host: HostId, token: &str) -> Option<&mut Session> {
        self.hosts.get_mut(&host)?.iter_mut().find(|it| *it.token == *token)
    }

    /// Makes room as well: the oldest session of the host is dropped, unless a request of it is
    /// under way.
    fn insert(&mut self, host: HostId, token: Arc<str>, now: Time) -> &mut Session {
        if SESSIONS_MAX <= self.n {
            self.forget_oldest();
        }
        let of_host = self.hosts.entry(host).or_default();
        if PER_HOST_MAX <= of_host.len()
            && let Some(oldest) = of_host.iter().position(|it| !it.is_claimed)
        {
            of_host.remove(oldest);
            self.n -= 1;
        }
        self.n += 1;
        of_host.push(Session {
            token,
            last_id: 0,
            used_s: now.clock(),
            is_claimed: false,
            freed: None,
        });
        of_host.last_mut().expect("just pushed")
    }

    fn forget_oldest(&mut self) {
        let mut used: Vec<i64> = self.hosts.values().flatten().map(|it| it.used_s).collect();
        let at = used.len() / 8;
        if at < used.len() {
            let (_, limit, _) = used.select_nth_unstable(at);
            let limit = *limit;
            self.forget_before(limit.saturating_add(1));
        }
    }

    fn forget_before(&mut self, used_s: i64) {
        self.hosts.retain(|_, of_host| {
            of_host.retain(|it| it.is_claimed || used_s <= it.used_s);
            !of_host.is_empty()
        });
        self.n = self.hosts.values().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_790_000_000 * model::time::NANOS);

    fn token(number: u32) -> String {
        format!("{number:032}")
    }

    fn take(sessions: &Arc<Sessions>, host: u64, number: u32, now: Time) -> u64 {
        let claim = sessions.try_claim(HostId(host), &token(number), now).expect("free");
        claim.before()
    }

    #[tokio::test]
    async fn a_mark_moves_when_its_values_are_written_and_never_back() {
        let sessions = Arc::new(Sessions::default());
        let claim = sessions.claim(HostId(1), &token(1), NOW).await.expect("a token");
        assert_eq!((claim.before(), sessions.all().len()), (0, 0), "nothing is written");
        claim.written(7);
        claim.written(5);
        assert_eq!(sessions.all()[0].last_id, 7);
        drop(claim);
        assert_eq!(take(&sessions, 1, 1, NOW), 7);
        // Given up: nothing was written.
        drop(sessions.claim(HostId(1), &token(1), NOW).await.expect("a token"));
        assert_eq!(take(&sessions, 1, 1, NOW), 7);
        assert!(sessions.claim(HostId(1), "short", NOW).await.is_none());
    }

    #[tokio::test]
    async fn requests_of_one_session_follow_one_another() {
        let sessions = Arc::new(Sessions::default());
        let first = sessions.claim(HostId(1), &token(1), NOW).await.expect("a token");
        let waiting: Vec<_> = (0..5)
            .map(|_| {
                let sessions = Arc::clone(&sessions);
                tokio::spawn(async move {
                    let claim = sessions.claim(HostId(1), &token(1), NOW).await.expect("a token");
                    let before = claim.before();
                    claim.written(before + 1);
                    before
                })
            })
            .collect();
        // Another session of the host and one of another host do not wait.
        take(&sessions, 1, 2, NOW);
        take(&sessions, 2, 1, NOW);
        tokio::task::yield_now().await;
        assert!(waiting.iter().all(|it| !it.is_finished()));
        // A waiter that gave up takes no turn.
        waiting[0].abort();
        first.written(10);
        drop(first);
        let mut before = Vec::new();
        for it in waiting.into_iter().skip(1) {
            before.push(it.await.expect("no panic"));
        }
        before.sort_unstable();
        assert_eq!(before, [10, 11, 12, 13]);
    }

    #[test]
    fn old_sessions_make_room() {
        let sessions = Arc::new(Sessions::default());
        let held = sessions.try_claim(HostId(1), &token(0), NOW).expect("free");
        held.written(9);
        for number in 1..=50 {
            take(&sessions, 1, number, NOW);
        }
        assert_eq!(sessions.len(), PER_HOST_MAX, "those of a host");
        drop(held);
        assert_eq!(take(&sessions, 1, 0, NOW), 9, "none whose request is under way");
        let mark = Watermark { host: HostId(2), session: token(7).into(), last_id: 3 };
        sessions.restore(&mark, NOW);
        let later = NOW.plus_secs(UNUSED_S_MAX);
        take(&sessions, 3, 1, later);
        sessions.expire(later.plus_secs(1));
        assert_eq!(sessions.len(), 1, "a week after the others were used last");
    }

    #[test]
    fn sessions_are_bounded_in_all() {
        let sessions = Arc::new(Sessions::default());
        for host in 0..=SESSIONS_MAX as u64 {
            let now = NOW.plus_secs(i64::try_from(host / 10).expect("small"));
            let mark = Watermark { host: HostId(host), session: token(1).into(), last_id: host };
            sessions.restore(&mark, now);
            assert!(sessions.len() <= SESSIONS_MAX);
        }
        assert!(SESSIONS_MAX * 3 / 4 < sessions.len());
        let n = SESSIONS_MAX as u64;
        assert_eq!(take(&sessions, n, 1, NOW), n, "the newest are kept");
        assert_eq!(take(&sessions, 1, 1, NOW), 0, "the oldest are not");
    }
}
