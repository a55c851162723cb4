//! Sessions, tokens and the counting of failed logins.
//!
//! Secrets are kept as SHA-256 only: a session id is 32 random bytes, so a fast hash suffices.
//! Everything that a request needs is in memory; SQL is queried at start only, and changes are
//! written afterwards ([`Behind`]): a database that is away or full does not prevent logins.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use formats::number::parse_duration_s;
use model::content::RoleType;
use model::map::Map;
use model::snapshot::Snapshot;
use model::{Time, TokenId, UserId};
use sha2::{Digest, Sha256};
use tracing::{info, warn};

use super::lockout::{self, Lockout, LockoutLimits};
use super::{DECOY, FailedLogins, LoginError, Session, UserIdentity, verify_password};
use crate::error::DbError;
use crate::locks;
use crate::runtime::behind::{Behind, Entry};
use crate::sql::schema::{FAILED_LOGINS, SESSIONS, USERS_SEEN};
use crate::sql::{Cell, Conflict, Rows, Workers};

/// SHA-256 of a secret.
pub(crate) type SecretHash = [u8; 32];

/// The most sessions of one user. Beyond it the least recently used ones end.
const SESSIONS_MAX: usize = 200;

/// The user of clients that give no password.
const GUEST: &str = "guest";

/// A change of what only `db` knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SecretChange {
    SetPassword {
        user: UserId,
        hash: String,
    },
    DropUser(UserId),
    SetToken {
        token: TokenId,
        hash: SecretHash,
    },
    DropToken(TokenId),
    /// All sessions of a user end.
    EndSessions(UserId),
}

/// Data that is loaded at start.
#[derive(Default, Debug)]
pub(crate) struct Secrets {
    pub(crate) passwords: BTreeMap<UserId, String>,
    pub(crate) tokens: Map<SecretHash, TokenId>,
    pub(crate) sessions: Map<SecretHash, SessionState>,
    pub(crate) failed: BTreeMap<UserId, FailedLogins>,
    pub(crate) seen: BTreeMap<UserId, Seen>,
}

/// When a user was last there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Seen {
    pub(crate) clock: i64,
    /// `clock` as SQL has it.
    pub(crate) saved_at: i64,
}

/// When a user was last active, and whether a session is still open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastUse {
    /// Seconds since 1970.
    pub clock: i64,
    /// The user has a session.
    pub has_session: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SessionState {
    pub(crate) user: UserId,
    pub(crate) created_at: i64,
    pub(crate) used_at: i64,
    /// `used_at` as SQL has it.
    pub(crate) saved_at: i64,
}

#[derive(Debug)]
struct LoginState {
    secrets: Secrets,
    lockout: Lockout,
}

pub(crate) struct AuthState {
    state: Mutex<LoginState>,
    idle_s: i64,
    workers: Arc<Workers>,
    behind: Behind,
}

/// Uses of a session are saved when the saved one is older than this.
const SAVE_USE_S: i64 = 300;

pub(crate) fn hash_secret(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        write!(hex, "{byte:02x}").expect("memory takes text");
    }
    hex
}

pub(crate) fn from_hex(hex: &str) -> Option<SecretHash> {
    let mut bytes = SecretHash::default();
    if hex.len() != 64 {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// 64 hexadecimal characters of randomness.
pub(crate) fn random_secret() -> Result<String, DbError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| DbError::Randomness(error.to_string()))?;
    Ok(to_hex(&bytes))
}

impl AuthState {
    pub(crate) fn open(
        secrets: Secrets,
        idle_s: i64,
        (workers, behind): (Arc<Workers>, Behind),
    ) -> Self {
        let state = Mutex::new(LoginState { secrets, lockout: Lockout::default() });
        Self { state, idle_s, workers, behind }
    }

    fn lock(&self) -> MutexGuard<'_, LoginState> {
        locks::lock(&self.state)
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.lock().secrets.passwords.is_empty()
    }

    pub(crate) fn authenticate(
        &self,
        credential: &str,
        snapshot: &Snapshot,
        now: Time,
    ) -> Option<UserIdentity> {
        let hash = hash_secret(credential);
        let (user, token) = {
            let mut state = self.lock();
            if let Some(session) = state.secrets.sessions.get_mut(&hash) {
                if session.used_at + self.idle_s_of(session.user, snapshot) < now.clock() {
                    return None;
                }
                session.used_at = session.used_at.max(now.clock());
                let user = session.user;
                let seen = state.secrets.seen.entry(user).or_default();
                seen.clock = seen.clock.max(now.clock());
                (user, None)
            } else {
                let id = *state.secrets.tokens.get(&hash)?;
                let token = snapshot.access.tokens.get(&id)?;
                let is_expired = token.expires_at != 0 && token.expires_at <= now.clock();
                if token.status != 0 || is_expired {
                    return None;
                }
                (token.userid, Some(id))
            }
        };
        identity(user, token, snapshot)
    }

    /// A user's `autologout` shortens the life of an unused session.
    fn idle_s_of(&self, user: UserId, snapshot: &Snapshot) -> i64 {
        let own = snapshot.access.users.get(&user).and_then(|it| parse_duration_s(&it.autologout));
        let own = own.and_then(|it| i64::try_from(it).ok());
        own.filter(|it| *it > 0).map_or(self.idle_s, |it| it.min(self.idle_s))
    }

    pub(crate) fn login(
        &self,
        (username, ip): (&str, Option<IpAddr>),
        password: &str,
        snapshot: &Snapshot,
        now: Time,
    ) -> Result<Session, LoginError> {
        let user = snapshot.access.users.values().find(|it| it.username == username);
        let hash = {
            let state = self.lock();
            let settings = &snapshot.globals.settings;
            let limits = LockoutLimits {
                attempts: settings.login_attempts,
                blocked_s: settings.login_block_s,
            };
            let until = state.lockout.blocked_until((username, ip), limits, now.clock());
            if let Some(until) = until {
                return Err(LoginError::Blocked { until });
            }
            user.and_then(|it| state.secrets.passwords.get(&it.userid).cloned())
        };
        // Outside the lock: this is the slow part.
        let is_right = verify_password(password, hash.as_deref().unwrap_or(DECOY));
        let known = user.map(|it| it.userid);
        // Without a password only the guest can log in; it is disabled by default.
        let is_guest = hash.is_none() && password.is_empty() && username == GUEST;
        let Some(user) = user.filter(|_| is_guest || is_right && hash.is_some()) else {
            let failures = self.lock().lockout.failed(username, ip, now.clock());
            if let Some(user) = known {
                self.count_failure(user, ip, now);
            }
            let (username, ip) = (lockout::cut(username), ip.map(tracing::field::display));
            warn!(username, ip, failures, "login refused");
            return Err(LoginError::Refused);
        };
        self.lock().lockout.succeeded(username, ip);
        if identity(user.userid, None, snapshot).is_none() {
            return Err(LoginError::Disabled);
        }
        let failed = self.failed(user.userid);
        self.forget_failures(user.userid);
        let sessionid = self.open_session(user.userid, now).map_err(LoginError::Store)?;
        Ok(Session { sessionid, userid: user.userid, failed })
    }

    /// Forgets a user's failed logins: the wait after them ends.
    pub(crate) fn unblock(&self, username: &str, snapshot: &Snapshot) {
        self.lock().lockout.forget(username);
        let mut users = snapshot.access.users.values();
        if let Some(user) = users.find(|it| it.username == username) {
            self.forget_failures(user.userid);
        }
    }

    /// When users were last there.
    pub(crate) fn last_uses(&self) -> BTreeMap<UserId, LastUse> {
        let state = self.lock();
        let seen = state.secrets.seen.iter();
        let mut uses: BTreeMap<UserId, LastUse> = seen
            .map(|(user, it)| (*user, LastUse { clock: it.clock, has_session: false }))
            .collect();
        for session in state.secrets.sessions.values() {
            let last = uses
                .entry(session.user)
                .or_insert(LastUse { clock: session.used_at, has_session: true });
            last.clock = session.used_at.max(last.clock);
            last.has_session = true;
        }
        uses
    }

    /// Notes that a user was there, and gives the row that says when the last time was.
    fn seen_at(&self, user: UserId, clock: i64) -> Rows {
        let mut state = self.lock();
        let seen = state.secrets.seen.entry(user).or_default();
        seen.clock = seen.clock.max(clock);
        let mut rows = Rows::new(&USERS_SEEN);
        rows.push(seen_row(user, *seen));
        rows
    }

    /// The failed logins of a user.
    pub(crate) fn failed(&self, user: UserId) -> FailedLogins {
        self.lock().secrets.failed.get(&user).cloned().unwrap_or_default()
    }

    fn count_failure(&self, user: UserId, ip: Option<IpAddr>, now: Time) {
        let failed = {
            let mut state = self.lock();
            let failed = state.secrets.failed.entry(user).or_default();
            failed.n = failed.n.saturating_add(1);
            failed.ip = ip.map(|it| it.to_canonical().to_string()).unwrap_or_default();
            failed.clock = now.clock();
            failed.clone()
        };
        self.save_failures(user, failed);
    }

    /// None have failed any more; when and from where the last one came stays known.
    fn forget_failures(&self, user: UserId) {
        let failed = {
            let mut state = self.lock();
            let Some(failed) = state.secrets.failed.get_mut(&user).filter(|it| it.n > 0) else {
                return;
            };
            failed.n = 0;
            failed.clone()
        };
        self.save_failures(user, failed);
    }

    fn save_failures(&self, user: UserId, failed: FailedLogins) {
        let mut rows = Rows::new(&FAILED_LOGINS);
        let FailedLogins { n, ip, clock } = failed;
        rows.push([Cell::id(user.0), Cell::Int(n.into()), Cell::Text(ip), Cell::Int(clock)]);
        self.save_deferred(Entry { rows: vec![(rows, Conflict::Update)], ..Entry::default() });
    }

    /// Entries that find no room are known until the server ends.
    fn save_deferred(&self, entry: Entry) {
        if !self.behind.put(entry) {
            warn!("too many sessions wait for the database; further changes are not saved");
        }
    }

    fn open_session(&self, user: UserId, now: Time) -> Result<String, DbError> {
        let sessionid = random_secret()?;
        let hash = hash_secret(&sessionid);
        let clock = now.clock();
        let state = SessionState { user, created_at: clock, used_at: clock, saved_at: clock };
        let mut rows = Rows::new(&SESSIONS);
        rows.push(session_row(&hash, &state));
        let ended = self.end_surplus(user, now);
        let seen = self.seen_at(user, clock);
        let rows = vec![(rows, Conflict::Update), (seen, Conflict::Update)];
        {
            // Put under the lock: entries are in the order in which memory changed.
            let mut memory = self.lock();
            memory.secrets.sessions.insert(hash, state);
            self.save_deferred(Entry { rows, ended: keys_of(&ended) });
        }
        self.behind.flush();
        info!(userid = user.0, "session opened");
        Ok(sessionid)
    }

    /// Takes out of memory a user's dead sessions, and the least used beyond the number that a
    /// user may have.
    fn end_surplus(&self, user: UserId, now: Time) -> Vec<SecretHash> {
        let mut state = self.lock();
        let sessions = &mut state.secrets.sessions;
        let mut own: Vec<(i64, SecretHash)> = sessions
            .iter()
            .filter(|(_, it)| it.user == user)
            .map(|(hash, it)| (it.used_at, *hash))
            .collect();
        own.sort_unstable();
        let n_surplus = (own.len() + 1).saturating_sub(SESSIONS_MAX);
        let n_dead = own.partition_point(|(used_at, _)| used_at + self.idle_s < now.clock());
        let ended = own.iter().take(n_surplus.max(n_dead)).map(|(_, hash)| *hash);
        let ended: Vec<SecretHash> = ended.collect();
        for hash in &ended {
            sessions.remove(hash);
        }
        ended
    }

    /// False if there was no such session.
    pub(crate) fn logout(&self, sessionid: &str) -> bool {
        let hash = hash_secret(sessionid);
        let ended = self.lock().secrets.sessions.remove(&hash);
        let Some(ended) = ended else { return false };
        let seen = self.seen_at(ended.user, ended.used_at);
        self.save_deferred(Entry { rows: vec![(seen, Conflict::Update)], ended: keys_of(&[hash]) });
        self.behind.flush();
        true
    }

    pub(crate) fn verify(&self, user: UserId, password: &str) -> bool {
        let hash = self.lock().secrets.passwords.get(&user).cloned();
        hash.is_some_and(|it| verify_password(password, &it))
    }

    /// Takes over what a committed edit changed.
    pub(crate) fn apply(&self, changes: Vec<SecretChange>) {
        let mut state = self.lock();
        let secrets = &mut state.secrets;
        let mut ended = Vec::new();
        for change in changes {
            match change {
                SecretChange::SetPassword { user, hash } => {
                    secrets.passwords.insert(user, hash);
                }
                SecretChange::DropUser(user) => {
                    secrets.passwords.remove(&user);
                    secrets.failed.remove(&user);
                    secrets.seen.remove(&user);
                    ended.extend(take_sessions(secrets, user));
                }
                SecretChange::SetToken { token, hash } => {
                    secrets.tokens.retain(|_, it| *it != token);
                    secrets.tokens.insert(hash, token);
                }
                SecretChange::DropToken(token) => secrets.tokens.retain(|_, it| *it != token),
                SecretChange::EndSessions(user) => ended.extend(take_sessions(secrets, user)),
            }
        }
        // The edit has deleted them, and one that was opened just now may be written after it.
        if !ended.is_empty() {
            self.save_deferred(Entry { ended: keys_of(&ended), ..Entry::default() });
        }
    }

    /// Brings to the database what it is to be asked for afterwards, if it answers.
    pub(crate) fn flush_deferred(&self) {
        self.behind.flush();
    }

    /// Another server has written secrets, too.
    pub(crate) fn reload(&self, secrets: Secrets) {
        self.lock().secrets = secrets;
    }

    /// Ends sessions that were not used for `kept_s` seconds, or for so long that they are dead; at
    /// most so many. Gives how many.
    pub(crate) fn expire(
        &self,
        kept_s: i64,
        n_max: u32,
        (snapshot, now): (&Snapshot, Time),
    ) -> Result<u64, DbError> {
        let ended: Vec<SecretHash> = {
            let state = self.lock();
            let is_over = |it: &SessionState| {
                it.used_at + self.idle_s_of(it.user, snapshot).min(kept_s) < now.clock()
            };
            let over = state.secrets.sessions.iter().filter(|(_, it)| is_over(it));
            let n_max = usize::try_from(n_max).unwrap_or(usize::MAX);
            over.map(|(hash, _)| *hash).take(n_max).collect()
        };
        if ended.is_empty() {
            return Ok(0);
        }
        let n_ended = ended.len() as u64;
        let of_job = ended.clone();
        self.workers.write("expire sessions", move |sql| {
            of_job.iter().try_for_each(|it| delete_session(sql, it))
        })?;
        let mut state = self.lock();
        ended.iter().for_each(|it| {
            state.secrets.sessions.remove(it);
        });
        Ok(n_ended)
    }

    /// Saves when sessions were used, for those where it matters.
    pub(crate) fn flush(&self) {
        let mut rows = Rows::new(&SESSIONS);
        let mut seen_rows = Rows::new(&USERS_SEEN);
        let mut state = self.lock();
        for (hash, session) in &mut state.secrets.sessions {
            if session.saved_at + SAVE_USE_S <= session.used_at {
                session.saved_at = session.used_at;
                rows.push(session_row(hash, session));
            }
        }
        for (user, seen) in &mut state.secrets.seen {
            if seen.saved_at + SAVE_USE_S <= seen.clock {
                seen.saved_at = seen.clock;
                seen_rows.push(seen_row(*user, *seen));
            }
        }
        if !rows.is_empty() || !seen_rows.is_empty() {
            let rows = vec![(rows, Conflict::Update), (seen_rows, Conflict::Update)];
            self.save_deferred(Entry { rows, ..Entry::default() });
        }
        drop(state);
        self.behind.flush();
    }
}

/// Takes a user's sessions out of memory.
fn take_sessions(secrets: &mut Secrets, user: UserId) -> Vec<SecretHash> {
    let of_user = secrets.sessions.iter().filter(|(_, it)| it.user == user);
    let ended: Vec<SecretHash> = of_user.map(|(hash, _)| *hash).collect();
    for hash in &ended {
        secrets.sessions.remove(hash);
    }
    ended
}

/// As the table of sessions has them.
fn keys_of(hashes: &[SecretHash]) -> Vec<String> {
    hashes.iter().map(|it| to_hex(it)).collect()
}

fn session_row(hash: &SecretHash, session: &SessionState) -> [Cell; 4] {
    [
        Cell::Text(to_hex(hash)),
        Cell::id(session.user.0),
        Cell::Int(session.created_at),
        Cell::Int(session.used_at),
    ]
}

fn seen_row(user: UserId, seen: Seen) -> [Cell; 2] {
    [Cell::id(user.0), Cell::Int(seen.clock)]
}

fn delete_session(sql: &mut dyn crate::sql::Sql, hash: &SecretHash) -> Result<(), DbError> {
    sql.execute("delete from sessions where hash = ?1", &[Cell::Text(to_hex(hash))])?;
    Ok(())
}

/// Whether a user with the right password gets a session.
pub(crate) fn may_log_in(user: UserId, snapshot: &Snapshot) -> bool {
    identity(user, None, snapshot).is_some()
}

/// The identity of a user who was authenticated by other means.
pub(crate) fn identity_of(user: UserId, snapshot: &Snapshot) -> Option<UserIdentity> {
    identity(user, None, snapshot)
}

/// `None` for users who may not use the system: no role, or a group that is disabled.
fn identity(user: UserId, token: Option<TokenId>, snapshot: &Snapshot) -> Option<UserIdentity> {
    let access = &snapshot.access;
    let user = access.users.get(&user)?;
    let role = access.roles.get(&user.roleid)?;
    let mut groups = user.groups.iter().filter_map(|it| access.groups.get(it));
    if groups.any(|it| it.users_status != 0) {
        return None;
    }
    let role_type: RoleType = role.kind;
    Some(UserIdentity {
        userid: user.userid,
        roleid: user.roleid,
        role: role_type,
        groups: user.groups.clone(),
        token,
    })
}
