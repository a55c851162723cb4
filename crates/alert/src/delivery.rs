//! The order and the concurrency of messages to send.
//!
//! [`DeliveryQueues`] has a queue for each media type, in order of time and id. It starts attempts
//! ([`DeliveryQueues::next`]), receives their outcomes ([`DeliveryQueues::ended`]), and returns the states to
//! save. It knows neither senders nor a clock: times come in as milliseconds since 1970.
//!
//! **Rules.** Of one media type at most `sessions` attempts are under way, of all at most
//! [`DeliverySettings::sessions_max`], and media types take turns. An attempt that failed is made
//! again after `attempt_interval`, up to `attempts`; then the message has failed. After
//! [`FAILURES_MAX`] failures in a row a *receiver* is paused: one attempt at a time, at growing
//! intervals, until one succeeds; waiting messages lose none of their attempts, and messages to
//! other receivers continue. A receiver is the unit of failure: for e-mail the mail server, for
//! webhooks and scripts the address of the message. When so many receivers of a media type fail and
//! none succeeds, the media type is paused in the same way. A receiver that answers, and refuses
//! one message, has not failed. No media type sends more than [`DeliverySettings::rate_per_s`].
//!
//! **Invariants.** A message is in one place: waiting or under way. A message that was taken ends
//! by exactly one final [`DeliveryVerdict`]. Queues are bounded: messages without room stay in the database
//! ([`DeliveryQueues::room`]).

use std::collections::{BTreeMap, BTreeSet};

use crate::AlertStatus;

/// Attempts at a receiver that may fail in a row before it is paused; receivers of a media type before that is.
pub const FAILURES_MAX: u32 = 5;
/// The first pause, and the longest.
const PAUSE_MS: i64 = 1_000;
const PAUSE_MAX_MS: i64 = 60_000;

/// Limits that hold for all media types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeliverySettings {
    /// Attempts under way at once.
    pub sessions_max: usize,
    /// Messages in memory of one media type.
    pub waiting_max: usize,
    /// Attempts in a second of one media type; as many may be made at once. 0: no limit.
    pub rate_per_s: u32,
}

/// How messages of a media type are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MediaLimits {
    pub is_enabled: bool,
    /// Attempts at once; 0 as many as the server allows.
    pub sessions: usize,
    pub attempts: u32,
    pub attempt_interval_ms: i64,
}

/// A message to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    pub id: u64,
    pub media_type: u64,
    /// Its receiver: messages to others do not wait for its failures.
    pub receiver: u64,
    /// Attempts that failed already.
    pub retries: u32,
    /// Not before this time, in milliseconds since 1970.
    pub due_ms: i64,
}

/// The next step for the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeliveryStep {
    /// Make an attempt, and report its outcome.
    Start { id: u64, media_type: u64 },
    /// It is not sent: see the verdict.
    GiveUp(DeliveryVerdict),
}

/// How an attempt ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Sent,
    /// The receiver is unavailable: the failure counts against it.
    Failed(String),
    /// No further attempt can help.
    Hopeless(String),
    /// The receiver answers, and refuses this message for good.
    Refused(String),
    /// The receiver answers, and may take this message later.
    Deferred(String),
}

/// The state of a message to save.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryVerdict {
    pub id: u64,
    /// [`AlertStatus::NotSent`]: it is tried again.
    pub status: AlertStatus,
    pub retries: u32,
    pub error: String,
    /// When it is polled again; 0 if it is not.
    pub due_ms: i64,
}

/// Failures in a row, and the pause that follows from them.
#[derive(Debug, Default)]
struct Pauses {
    failures: u32,
    until_ms: i64,
}

impl Pauses {
    const fn is_paused(&self) -> bool {
        FAILURES_MAX <= self.failures
    }

    fn failed(&mut self, now_ms: i64) {
        self.failures = self.failures.saturating_add(1);
        if let Some(over) = self.failures.checked_sub(FAILURES_MAX) {
            let pause_ms = (PAUSE_MS << over.min(6)).min(PAUSE_MAX_MS);
            self.until_ms = now_ms.saturating_add(pause_ms);
        }
    }
}

/// The messages to one receiver.
#[derive(Debug, Default)]
struct Lane {
    /// By time and id; with attempts that failed.
    waiting: BTreeMap<(i64, u64), u32>,
    n_running: usize,
    pauses: Pauses,
}

impl Lane {
    /// From when on the first one that waits may be sent, with its place; `None`: not before something ends.
    fn head(&self) -> Option<(i64, (i64, u64))> {
        if self.pauses.is_paused() && 0 < self.n_running {
            return None;
        }
        let key = *self.waiting.first_key_value()?.0;
        Some((key.0.max(self.pauses.until_ms), key))
    }
}

/// The messages of one media type.
#[derive(Debug, Default)]
struct Queue {
    limits: Option<MediaLimits>,
    /// By receiver. One that failed stays until there are too many.
    lanes: BTreeMap<u64, Lane>,
    /// By id, with attempts that failed and the receiver.
    running: BTreeMap<u64, (u32, u64)>,
    /// Of both.
    ids: BTreeSet<u64>,
    /// Receivers that failed since one last answered.
    failing: BTreeSet<u64>,
    pauses: Pauses,
    /// Attempts that may be made now, in thousandths, as of `filled_ms`.
    tokens: i64,
    filled_ms: i64,
}

/// The messages of all media types.
#[derive(Debug)]
pub struct DeliveryQueues {
    settings: DeliverySettings,
    queues: BTreeMap<u64, Queue>,
    n_running: usize,
    /// Where the next turn begins.
    turn: u64,
}

impl Queue {
    fn n(&self) -> usize {
        self.ids.len()
    }

    fn sessions(&self, settings: &DeliverySettings) -> usize {
        let own = self.limits.map_or(0, |it| it.sessions);
        let own = if own == 0 { settings.sessions_max } else { own };
        if self.pauses.is_paused() { 1 } else { own }
    }

    fn fill(&mut self, rate: u32, now_ms: i64) {
        let most = i64::from(rate) * 1_000;
        // A clock that was set back gives nothing, and one that was set forward no more than a burst.
        let gone_ms = now_ms.saturating_sub(self.filled_ms).clamp(0, 1_000);
        self.tokens = self.tokens.saturating_add(gone_ms * i64::from(rate)).min(most);
        self.filled_ms = now_ms;
    }

    /// The first one that may be sent: from when on, as far as time decides, its place and its receiver.
    fn head(&self) -> Option<(i64, (i64, u64), u64)> {
        let heads = self.lanes.iter().filter_map(|(receiver, it)| {
            let (ready_ms, key) = it.head()?;
            Some((ready_ms, key, *receiver))
        });
        let (ready_ms, key, receiver) = heads.min()?;
        Some((ready_ms.max(self.pauses.until_ms), key, receiver))
    }

    fn n_waiting(&self) -> usize {
        self.ids.len() - self.running.len()
    }

    fn put(&mut self, receiver: u64, key: (i64, u64), retries: u32) {
        self.lanes.entry(receiver).or_default().waiting.insert(key, retries);
    }

    /// Takes one that waits out of its lane; gives the attempts that failed.
    fn pull(&mut self, receiver: u64, key: (i64, u64)) -> Option<u32> {
        self.lanes.get_mut(&receiver)?.waiting.remove(&key)
    }

    /// Counts the outcome of an attempt for its receiver and for the media type.
    fn judge(&mut self, receiver: u64, ended: &Ended, now_ms: i64) {
        let Some(lane) = self.lanes.get_mut(&receiver) else { return };
        lane.n_running = lane.n_running.saturating_sub(1);
        match ended {
            Ended::Hopeless(_) => {}
            Ended::Failed(_) => {
                lane.pauses.failed(now_ms);
                self.failing.insert(receiver);
                let n = u32::try_from(self.failing.len()).unwrap_or(u32::MAX);
                if FAILURES_MAX <= n {
                    self.pauses.failures = self.pauses.failures.max(FAILURES_MAX - 1);
                    self.pauses.failed(now_ms);
                }
            }
            Ended::Sent | Ended::Refused(_) | Ended::Deferred(_) => {
                lane.pauses = Pauses::default();
                self.pauses = Pauses::default();
                self.failing.clear();
            }
        }
    }

    /// Forgets a receiver that nothing is there for.
    fn tidy(&mut self, receiver: u64, lanes_max: usize) {
        let n = self.lanes.len();
        let is_idle = |it: &Lane| it.waiting.is_empty() && it.n_running == 0;
        let is_over = |it: &Lane| is_idle(it) && (it.pauses.failures == 0 || lanes_max < n);
        if self.lanes.get(&receiver).is_some_and(is_over) {
            self.lanes.remove(&receiver);
            self.failing.remove(&receiver);
        }
    }
}

impl DeliveryQueues {
    #[must_use]
    pub const fn new(settings: DeliverySettings) -> Self {
        Self { settings, queues: BTreeMap::new(), n_running: 0, turn: 0 }
    }

    /// Which media types there are now. Messages of others are given up.
    pub fn set_media_types(&mut self, limits: &BTreeMap<u64, MediaLimits>) {
        for (id, queue) in &mut self.queues {
            queue.limits = limits.get(id).copied();
        }
        for (id, limits) in limits {
            self.queues.entry(*id).or_default().limits = Some(*limits);
        }
        self.queues.retain(|_, it| it.limits.is_some() || 0 < it.n());
    }

    /// Messages of a media type that still have room.
    #[must_use]
    pub fn room(&self, media_type: u64) -> usize {
        let taken = self.queues.get(&media_type).map_or(0, Queue::n);
        self.settings.waiting_max.saturating_sub(taken)
    }

    /// Takes a message. False if there is no room, or it is here already.
    pub fn take(&mut self, it: Waiting) -> bool {
        if self.room(it.media_type) == 0 {
            return false;
        }
        let queue = self.queues.entry(it.media_type).or_default();
        let is_new = queue.ids.insert(it.id);
        if is_new {
            queue.put(it.receiver, (it.due_ms, it.id), it.retries);
        }
        is_new
    }

    /// The next step; `None`: none before [`Self::wake_ms`] or the end of an attempt.
    pub fn next(&mut self, now_ms: i64) -> Option<DeliveryStep> {
        let after = self.turn.saturating_add(1);
        let order: Vec<u64> = self
            .queues
            .range(after..)
            .chain(self.queues.range(..after))
            .filter(|(_, it)| 0 < it.n_waiting())
            .map(|(id, _)| *id)
            .collect();
        for media_type in order {
            if let Some(step) = self.next_of(media_type, now_ms) {
                self.turn = media_type;
                return Some(step);
            }
        }
        None
    }

    fn next_of(&mut self, media_type: u64, now_ms: i64) -> Option<DeliveryStep> {
        let (settings, n_running) = (self.settings, self.n_running);
        let queue = self.queues.get_mut(&media_type)?;
        let limits = queue.limits.filter(|it| it.is_enabled);
        if limits.is_none() {
            let mut first = queue.lanes.iter().filter_map(|(receiver, it)| {
                let (key, retries) = it.waiting.first_key_value()?;
                Some((*key, *retries, *receiver))
            });
            let (key, retries, receiver) = first.by_ref().min()?;
            let error = match queue.limits {
                Some(_) => "Media type disabled.",
                None => "Media type does not exist any more.",
            };
            queue.pull(receiver, key);
            queue.ids.remove(&key.1);
            queue.tidy(receiver, settings.waiting_max);
            return Some(DeliveryStep::GiveUp(DeliveryVerdict::failed(
                key.1,
                retries,
                error.to_owned(),
            )));
        }
        let is_free =
            n_running < settings.sessions_max && queue.running.len() < queue.sessions(&settings);
        let (ready_ms, key, receiver) = queue.head().filter(|_| is_free)?;
        if now_ms < ready_ms {
            return None;
        }
        if settings.rate_per_s != 0 {
            queue.fill(settings.rate_per_s, now_ms);
            if queue.tokens < 1_000 {
                return None;
            }
            queue.tokens -= 1_000;
        }
        let retries = queue.pull(receiver, key)?;
        queue.running.insert(key.1, (retries, receiver));
        queue.lanes.entry(receiver).or_default().n_running += 1;
        self.n_running += 1;
        Some(DeliveryStep::Start { id: key.1, media_type })
    }

    /// An attempt that [`Self::next`] began has ended. `None` if there is none of that id.
    pub fn ended(
        &mut self,
        (media_type, id): (u64, u64),
        ended: Ended,
        now_ms: i64,
    ) -> Option<DeliveryVerdict> {
        let lanes_max = self.settings.waiting_max;
        let queue = self.queues.get_mut(&media_type)?;
        let (retries, receiver) = queue.running.remove(&id)?;
        self.n_running -= 1;
        queue.judge(receiver, &ended, now_ms);
        let error = match ended {
            Ended::Sent => {
                queue.ids.remove(&id);
                queue.tidy(receiver, lanes_max);
                let status = AlertStatus::Sent;
                return Some(DeliveryVerdict {
                    id,
                    status,
                    retries,
                    error: String::new(),
                    due_ms: 0,
                });
            }
            Ended::Hopeless(error) | Ended::Refused(error) => {
                queue.ids.remove(&id);
                queue.tidy(receiver, lanes_max);
                return Some(DeliveryVerdict::failed(id, retries, error));
            }
            Ended::Failed(error) | Ended::Deferred(error) => error,
        };
        let retries = retries.saturating_add(1);
        let Some(limits) = queue.limits.filter(|it| retries < it.attempts) else {
            queue.ids.remove(&id);
            queue.tidy(receiver, lanes_max);
            return Some(DeliveryVerdict::failed(id, retries, error));
        };
        let due_ms = now_ms.saturating_add(limits.attempt_interval_ms.max(0));
        queue.put(receiver, (due_ms, id), retries);
        Some(DeliveryVerdict { id, status: AlertStatus::NotSent, retries, error, due_ms })
    }

    /// When there may be something to do although nothing else happens; `None`: never.
    #[must_use]
    pub fn wake_ms(&self, now_ms: i64) -> Option<i64> {
        if self.settings.sessions_max <= self.n_running {
            return None;
        }
        let times = self.queues.values().filter_map(|it| {
            if it.sessions(&self.settings) <= it.running.len() {
                return None;
            }
            let (ready_ms, ..) = it.head()?;
            let is_short = self.settings.rate_per_s != 0 && it.tokens < 1_000;
            // A token comes within a second.
            let token_ms = if is_short {
                let rate = i64::from(self.settings.rate_per_s);
                it.filled_ms.saturating_add((1_000 - it.tokens).div_euclid(rate) + 1)
            } else {
                now_ms
            };
            Some(ready_ms.max(token_ms))
        });
        times.min()
    }

    /// Whether a message waits or is under way.
    #[must_use]
    pub fn has(&self, media_type: u64, id: u64) -> bool {
        self.queues.get(&media_type).is_some_and(|it| it.ids.contains(&id))
    }

    #[must_use]
    pub fn n_waiting(&self) -> usize {
        self.queues.values().map(Queue::n_waiting).sum()
    }

    #[must_use]
    pub const fn n_running(&self) -> usize {
        self.n_running
    }

    /// Media types with receivers at which attempts fail one after the other, and how many receivers these are.
    pub fn paused(&self) -> impl Iterator<Item = (u64, usize)> {
        let n_paused = |it: &Queue| it.lanes.values().filter(|it| it.pauses.is_paused()).count();
        let all =
            self.queues.iter().map(move |(id, it)| (*id, n_paused(it), it.pauses.is_paused()));
        all.filter(|(_, n, is_whole)| 0 < *n || *is_whole).map(|(id, n, _)| (id, n))
    }
}

impl DeliveryVerdict {
    fn failed(id: u64, retries: u32, error: String) -> Self {
        Self { id, status: AlertStatus::Failed, retries, error, due_ms: 0 }
    }
}
