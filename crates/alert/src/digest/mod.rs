//! Messages that are held, to be sent together.
//!
//! [`Digests`] judges each message before it is saved ([`Digests::judge`]): it is sent by itself or
//! *held* until a time, for one of two reasons:
//!
//! - **A storm.** A recipient (user, media type and address) got as many messages within a period as
//!   [`DigestRule`] sets. Further messages wait for [`GATHER_S`], then one *digest* contains them all. For
//!   an interval from then on messages wait for the next digest, and so on, until a digest finds fewer
//!   messages before it than begin a storm.
//! - **Quiet hours.** The message came with a time before which it must not be sent
//!   ([`Alert::next_at`](crate::Alert::next_at)).
//!
//! The caller saves held messages in the same transaction as the escalations that made them, and
//! makes digests for the results of [`Digests::due`] and [`Digests::take_due`]. Nothing else has to
//! be saved: the state in memory follows from the alerts of the last hours ([`Digests::restore`]),
//! so that a restart neither repeats nor loses a message. Only a storm whose first digest is not
//! made yet may get two after a restart.
//!
//! It costs memory for a second with messages and recipient, not for a message.

mod text;

use std::collections::{BTreeMap, BTreeSet};

use model::settings::DigestRule;
use model::{EventId, UserId};

pub use self::text::{DigestFacts, DigestProblem, ID_PLACEHOLDER, html, texts};
use crate::{Alert, AlertKind, AlertStatus};

/// The first messages of a storm are gathered for so many seconds, or for the interval of digests
/// if that is shorter.
pub const GATHER_S: i64 = 30;

/// A recipient: user, media type and address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Recipient {
    pub user: UserId,
    pub media_type: u64,
    pub sendto: String,
}

impl Recipient {
    /// Of a message; commands, and messages to nobody, have none.
    #[must_use]
    pub fn of(alert: &Alert) -> Option<Self> {
        let is_message = alert.kind == AlertKind::Message && alert.media_type != 0;
        is_message.then(|| Self {
            user: alert.user,
            media_type: alert.media_type,
            sendto: alert.sendto.clone(),
        })
    }
}

/// Facts of a held alert that a digest needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldAlert {
    pub id: u64,
    pub action: u64,
    pub event: EventId,
    /// Of a message about a recovery: the problem that it ends. Otherwise 0.
    pub problem: EventId,
    /// When it was made, and when it is to be sent, in seconds since 1970.
    pub clock: i64,
    pub next_at: i64,
}

impl HeldAlert {
    /// The problem that it is about, also of a message about its recovery.
    #[must_use]
    pub const fn about(&self) -> EventId {
        if self.problem.0 == 0 { self.event } else { self.problem }
    }
}

/// State of a recipient, from saved alerts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Past {
    /// Messages by the second in which they were made, digests not counted; of the last
    /// [`DigestRule::memory_s`].
    pub messages: BTreeMap<i64, u32>,
    /// When the last digest was made; 0: none.
    pub digest_at: i64,
    /// When the first held message is due.
    pub due: Option<i64>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Known {
    messages: BTreeMap<i64, u32>,
    /// Until then messages wait.
    storm_until: i64,
    due: Option<i64>,
}

impl Known {
    /// Messages after a time, up to another one.
    fn n_between(&self, after: i64, to: i64) -> u32 {
        if to <= after {
            return 0;
        }
        self.messages.range(after + 1..=to).map(|(_, n)| *n).fold(0, u32::saturating_add)
    }

    /// A digest was made: whether more is to be waited for.
    fn digested(&mut self, at: i64, rule: &DigestRule) {
        let n_behind = self.n_between(at.saturating_sub(rule.recheck_s()), at);
        let goes_on = rule.messages != 0 && rule.messages <= n_behind;
        self.storm_until = if goes_on { at.saturating_add(rule.interval_s) } else { at };
    }
}

/// Which messages wait, of all recipients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Digests {
    rule: DigestRule,
    recipients: BTreeMap<Recipient, Known>,
    due: BTreeSet<(i64, Recipient)>,
}

impl Digests {
    /// Continues with the state of saved alerts.
    #[must_use]
    pub fn restore(rule: DigestRule, past: BTreeMap<Recipient, Past>) -> Self {
        let mut all = Self { rule, recipients: BTreeMap::new(), due: BTreeSet::new() };
        for (recipient, it) in past {
            let mut known = Known { messages: it.messages, storm_until: 0, due: it.due };
            if it.digest_at != 0 {
                known.digested(it.digest_at, &rule);
            }
            all.due.extend(it.due.map(|at| (at, recipient.clone())));
            all.recipients.insert(recipient, known);
        }
        all
    }

    #[must_use]
    pub const fn rule(&self) -> DigestRule {
        self.rule
    }

    /// Judges a message that was just made, and holds it if it has to wait. Messages come in the
    /// order of their times. `may_digest`: without it a storm changes nothing, since its receiver
    /// needs each message.
    pub fn judge(&mut self, alert: &mut Alert, may_digest: bool) {
        let Some(recipient) = Recipient::of(alert).filter(|_| alert.status == AlertStatus::New)
        else {
            return;
        };
        let (rule, now) = (self.rule, alert.clock);
        let known = self.recipients.entry(recipient.clone()).or_default();
        known.messages = known.messages.split_off(&now.saturating_sub(rule.memory_s()));
        let n_before = known.n_between(now.saturating_sub(rule.period_s), now);
        *known.messages.entry(now).or_default() += 1;
        let mut until = alert.next_at;
        if rule.messages != 0 && may_digest {
            let gather_s = GATHER_S.min(rule.interval_s);
            // A clock that was set back holds nothing for longer than a storm does.
            let is_waiting = now < known.storm_until
                && known.storm_until <= now.saturating_add(rule.interval_s.max(gather_s));
            if is_waiting {
                until = until.max(known.storm_until);
            } else if rule.messages <= n_before {
                known.storm_until = now.saturating_add(gather_s);
                until = until.max(known.storm_until);
            }
        }
        alert.next_at = 0;
        if until <= now {
            return;
        }
        (alert.status, alert.next_at) = (AlertStatus::Held, until);
        if known.due.is_none_or(|it| until < it) {
            let before = known.due.replace(until);
            self.move_due(recipient, before, Some(until));
        }
    }

    fn move_due(&mut self, recipient: Recipient, before: Option<i64>, after: Option<i64>) {
        let before = before.map(|at| (at, recipient.clone()));
        if let Some(before) = before {
            self.due.remove(&before);
        }
        self.due.extend(after.map(|at| (at, recipient)));
    }

    /// When the first held message is due.
    #[must_use]
    pub fn next_due(&self) -> Option<i64> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Recipients with a held message that is due by a time.
    #[must_use]
    pub fn due(&self, now: i64) -> Vec<Recipient> {
        self.due.iter().take_while(|(at, _)| *at <= now).map(|(_, it)| it.clone()).collect()
    }

    /// The held messages of a recipient that are due now, for the caller to send: each list in one
    /// digest, of `may_digest` as for [`Self::judge`]. `held`: all messages that wait for the
    /// recipient.
    #[must_use]
    pub fn take_due(
        &mut self,
        recipient: &Recipient,
        held: Vec<HeldAlert>,
        (now, may_digest): (i64, bool),
    ) -> Vec<Vec<HeldAlert>> {
        let (due, later): (Vec<HeldAlert>, Vec<HeldAlert>) =
            held.into_iter().partition(|it| it.next_at <= now);
        self.sent(recipient, now, later.iter().map(|it| it.next_at).min());
        if may_digest && !due.is_empty() {
            return vec![due];
        }
        due.into_iter().map(|it| vec![it]).collect()
    }

    /// The due messages of a recipient have been sent. `next`: when the first of the rest is due.
    fn sent(&mut self, recipient: &Recipient, now: i64, next: Option<i64>) {
        let rule = self.rule;
        let Some(known) = self.recipients.get_mut(recipient) else { return };
        known.digested(now, &rule);
        let before = std::mem::replace(&mut known.due, next);
        self.move_due(recipient.clone(), before, next);
    }

    /// Forgets recipients without recent messages. To be called now and then.
    pub fn forget(&mut self, now: i64) {
        let oldest = now.saturating_sub(self.rule.memory_s());
        self.recipients.retain(|_, it| {
            it.due.is_some()
                || now < it.storm_until
                || it.messages.last_key_value().is_some_and(|(at, _)| oldest <= *at)
        });
    }
}

#[cfg(test)]
mod tests;
