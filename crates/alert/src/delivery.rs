//! Which message is sent when, by how many at once.
//!
//! [`Delivery`] has a queue for each media type, in order of time and id. It starts attempts
//! ([`Delivery::next`]), is told how they ended ([`Delivery::ended`]), and says what is to be saved. It
//! knows neither senders nor a clock: times come in as milliseconds since 1970.
//!
//! **Rules.** Of one media type at most `sessions` attempts are under way, of all at most
//! [`DeliverySettings::sessions_max`], and media types take turns. An attempt that failed is made again
//! after `attempt_interval`, up to `attempts`; then the message is given up. After
//! [`FAILURES_MAX`] failures in a row the media type is *paused*: one attempt at a time, at growing
//! intervals, until one succeeds; messages that only wait lose none of their attempts. No media type sends
//! more than [`DeliverySettings::rate_per_s`].
//!
//! **Invariants.** A message is in one place: waiting or under way. What was taken ends by exactly one
//! [`Verdict`] that is final. Queues are bounded: what finds no room stays in the database
//! ([`Delivery::room`]).

use std::collections::{BTreeMap, BTreeSet};

use crate::AlertStatus;

/// Attempts of a media type that may fail in a row before it is paused.
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
    /// Attempts that failed already.
    pub retries: u32,
    /// Not before this time, in milliseconds since 1970.
    pub due_ms: i64,
}

/// What is to be done now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Make an attempt, and tell how it ended.
    Start { id: u64, media_type: u64 },
    /// It is not sent: see the verdict.
    GiveUp(Verdict),
}

/// How an attempt ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Sent,
    Failed(String),
    /// No further attempt can help.
    Hopeless(String),
}

/// What is to be saved of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    pub id: u64,
    /// [`AlertStatus::NotSent`]: it is tried again.
    pub status: AlertStatus,
    pub retries: u32,
    pub error: String,
    /// When it is tried again; 0 if it is not.
    pub due_ms: i64,
}

/// The messages of one media type.
#[derive(Debug, Default)]
struct Queue {
    limits: Option<MediaLimits>,
    /// By time and id; with attempts that failed.
    waiting: BTreeMap<(i64, u64), u32>,
    /// By id, with attempts that failed.
    running: BTreeMap<u64, u32>,
    /// Of both.
    ids: BTreeSet<u64>,
    failures: u32,
    paused_until_ms: i64,
    /// Attempts that may be made now, in thousandths, as of `filled_ms`.
    tokens: i64,
    filled_ms: i64,
}

/// The messages of all media types.
#[derive(Debug)]
pub struct Delivery {
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
        if FAILURES_MAX <= self.failures { 1 } else { own }
    }

    fn fill(&mut self, rate: u32, now_ms: i64) {
        let most = i64::from(rate) * 1_000;
        // A clock that was set back gives nothing, and one that was set forward no more than a burst.
        let gone_ms = now_ms.saturating_sub(self.filled_ms).clamp(0, 1_000);
        self.tokens = self.tokens.saturating_add(gone_ms * i64::from(rate)).min(most);
        self.filled_ms = now_ms;
    }

    /// From when on the first one that waits may be sent, as far as time decides.
    fn ready_ms(&self) -> Option<i64> {
        let ((due_ms, _), _) = self.waiting.first_key_value()?;
        Some((*due_ms).max(self.paused_until_ms))
    }
}

impl Delivery {
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
            queue.waiting.insert((it.due_ms, it.id), it.retries);
        }
        is_new
    }

    /// What is to be done now; `None`: nothing before [`Self::wake_ms`] or the end of an attempt.
    pub fn next(&mut self, now_ms: i64) -> Option<Step> {
        let after = self.turn.saturating_add(1);
        let order: Vec<u64> = self
            .queues
            .range(after..)
            .chain(self.queues.range(..after))
            .filter(|(_, it)| !it.waiting.is_empty())
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

    fn next_of(&mut self, media_type: u64, now_ms: i64) -> Option<Step> {
        let (settings, n_running) = (self.settings, self.n_running);
        let queue = self.queues.get_mut(&media_type)?;
        let (key, retries) = queue.waiting.first_key_value().map(|(key, it)| (*key, *it))?;
        let limits = queue.limits.filter(|it| it.is_enabled);
        if limits.is_none() {
            let error = match queue.limits {
                Some(_) => "Media type disabled.",
                None => "Media type does not exist any more.",
            };
            queue.waiting.remove(&key);
            queue.ids.remove(&key.1);
            return Some(Step::GiveUp(Verdict::failed(key.1, retries, error.to_owned())));
        }
        let is_free =
            n_running < settings.sessions_max && queue.running.len() < queue.sessions(&settings);
        if !is_free || queue.ready_ms().is_none_or(|it| now_ms < it) {
            return None;
        }
        if settings.rate_per_s != 0 {
            queue.fill(settings.rate_per_s, now_ms);
            if queue.tokens < 1_000 {
                return None;
            }
            queue.tokens -= 1_000;
        }
        queue.waiting.remove(&key);
        queue.running.insert(key.1, retries);
        self.n_running += 1;
        Some(Step::Start { id: key.1, media_type })
    }

    /// An attempt that [`Self::next`] began is over. `None` if there is none of that id.
    pub fn ended(
        &mut self,
        (media_type, id): (u64, u64),
        ended: Ended,
        now_ms: i64,
    ) -> Option<Verdict> {
        let queue = self.queues.get_mut(&media_type)?;
        let retries = queue.running.remove(&id)?;
        self.n_running -= 1;
        let error = match ended {
            Ended::Sent => {
                (queue.failures, queue.paused_until_ms) = (0, 0);
                queue.ids.remove(&id);
                let status = AlertStatus::Sent;
                return Some(Verdict { id, status, retries, error: String::new(), due_ms: 0 });
            }
            Ended::Hopeless(error) => {
                queue.ids.remove(&id);
                return Some(Verdict::failed(id, retries, error));
            }
            Ended::Failed(error) => error,
        };
        queue.failures = queue.failures.saturating_add(1);
        if let Some(over) = queue.failures.checked_sub(FAILURES_MAX) {
            let pause_ms = (PAUSE_MS << over.min(6)).min(PAUSE_MAX_MS);
            queue.paused_until_ms = now_ms.saturating_add(pause_ms);
        }
        let retries = retries.saturating_add(1);
        let Some(limits) = queue.limits.filter(|it| retries < it.attempts) else {
            queue.ids.remove(&id);
            return Some(Verdict::failed(id, retries, error));
        };
        let due_ms = now_ms.saturating_add(limits.attempt_interval_ms.max(0));
        queue.waiting.insert((due_ms, id), retries);
        Some(Verdict { id, status: AlertStatus::NotSent, retries, error, due_ms })
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
            let ready_ms = it.ready_ms()?;
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
        self.queues.values().map(|it| it.waiting.len()).sum()
    }

    #[must_use]
    pub const fn n_running(&self) -> usize {
        self.n_running
    }

    /// Media types whose attempts fail one after the other.
    pub fn paused(&self) -> impl Iterator<Item = u64> {
        self.queues.iter().filter(|(_, it)| FAILURES_MAX <= it.failures).map(|(id, _)| *id)
    }
}

impl Verdict {
    fn failed(id: u64, retries: u32, error: String) -> Self {
        Self { id, status: AlertStatus::Failed, retries, error, due_ms: 0 }
    }
}
