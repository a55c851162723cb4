//! Messages that wait: the rule, quiet hours, and digests as their reader sees them. What ships is
//! [`alert::digest`]; around it stands what the server's thread and its queries do.

use std::collections::BTreeMap;

use alert::digest::{Digests, HeldAlert, Past, Recipient};
use alert::{Alert, AlertStatus};
use model::settings::DigestRule;
use model::{EventId, UserId};

use super::action_rows::{Digest, Saved};

/// Needs each message, whatever comes.
pub(crate) const PLAIN: UserId = UserId(1);
/// Has storms, and no quiet hours.
pub(crate) const MAILED: UserId = UserId(2);
/// Has both.
pub(crate) const QUIET: UserId = UserId(3);

pub(crate) const USERS: [UserId; 3] = [PLAIN, MAILED, QUIET];

/// So few and short that a run of some minutes has several storms.
const RULE: DigestRule = DigestRule { messages: 3, period_s: 60, interval_s: 45 };
/// Of each so many seconds the first ones are quiet.
const CYCLE_S: i64 = 90;
const QUIET_S: i64 = 40;

/// When quiet hours end in which a message to a user is made; 0: it is made outside of them.
pub(crate) fn quiet_until(user: UserId, now: i64) -> i64 {
    let of_cycle = now.rem_euclid(CYCLE_S);
    let is_quiet = user == QUIET && of_cycle < QUIET_S;
    if is_quiet { now - of_cycle + QUIET_S } else { 0 }
}

fn may_digest(user: UserId) -> bool {
    user != PLAIN
}

fn is_waiting(alert: &Alert) -> bool {
    alert.status == AlertStatus::Held && alert.digest == 0
}

/// What saved alerts say.
pub(crate) fn restore(saved: &Saved, now: i64) -> Digests {
    let since = now.saturating_sub(RULE.memory_s());
    let mut past: BTreeMap<Recipient, Past> = BTreeMap::new();
    for alert in &saved.alerts {
        let Some(recipient) = Recipient::of(alert) else { continue };
        let of = past.entry(recipient).or_default();
        if since < alert.clock && alert.is_digest() {
            of.digest_at = of.digest_at.max(alert.clock);
        } else if since < alert.clock {
            *of.messages.entry(alert.clock).or_default() += 1;
        }
        if is_waiting(alert) {
            of.due = Some(of.due.map_or(alert.next_at, |at| at.min(alert.next_at)));
        }
    }
    Digests::restore(RULE, past)
}

/// What is held until its time is over, and digests of what waits no longer.
pub(crate) fn make(digests: &mut Digests, saved: &[Alert], now: i64) -> Vec<Digest> {
    let mut made = Vec::new();
    for recipient in digests.due(now) {
        let waiting = saved
            .iter()
            .filter(|it| is_waiting(it) && Recipient::of(it).as_ref() == Some(&recipient));
        let held = waiting.map(held_alert).collect();
        let may_digest = may_digest(recipient.user);
        for due in digests.take_due(&recipient, held, (now, may_digest)) {
            made.push(digest(&recipient, &due, now));
        }
    }
    digests.forget(now);
    made
}

/// Holds those of new messages that have to wait.
pub(crate) fn judge(digests: &mut Digests, alerts: &mut [Alert]) {
    for alert in alerts {
        let may_digest = may_digest(alert.user);
        digests.judge(alert, may_digest);
    }
}

fn held_alert(alert: &Alert) -> HeldAlert {
    HeldAlert {
        id: alert.id,
        action: alert.action,
        event: alert.event,
        problem: alert.problem,
        clock: alert.clock,
        next_at: alert.next_at,
    }
}

/// Its text is what its reader learns: which messages there were.
fn digest(recipient: &Recipient, due: &[HeldAlert], now: i64) -> Digest {
    let members: Vec<u64> = due.iter().map(|it| it.id).collect();
    let names: Vec<String> = members.iter().map(u64::to_string).collect();
    let alert = Alert {
        user: recipient.user,
        media_type: recipient.media_type,
        sendto: recipient.sendto.clone(),
        event: due.first().map_or(EventId(0), |it| it.event),
        clock: now,
        message: names.join(" "),
        ..Alert::default()
    };
    Digest { alert, members }
}

/// When the first of what waits is to be told.
pub(crate) fn next_due(saved: &Saved) -> Option<i64> {
    saved.alerts.iter().filter(|it| is_waiting(it)).map(|it| it.next_at).min()
}

/// Asserts that readers of digests were told each message that was held once, and what else waits is not due by `now`.
/// Gives how many were told.
pub(crate) fn check(saved: &Saved, now: i64) -> usize {
    let mut told: BTreeMap<u64, u64> = BTreeMap::new();
    for digest in saved.alerts.iter().filter(|it| it.is_digest()) {
        assert_eq!((digest.status, digest.next_at), (AlertStatus::New, 0), "{digest:?}");
        for name in digest.message.split_whitespace() {
            let id = name.parse().expect("an id");
            let before = told.insert(id, digest.id);
            assert_eq!(before, None, "message {id} was told twice, last in {}", digest.id);
        }
    }
    let n_told = told.len();
    for alert in saved.alerts.iter().filter(|it| !it.is_digest()) {
        let by = told.remove(&alert.id);
        if alert.status != AlertStatus::Held {
            assert_eq!(
                (alert.digest, alert.next_at, by),
                (0, 0, None),
                "sent by itself: {alert:?}"
            );
            continue;
        }
        assert_ne!(alert.user, PLAIN, "who needs each message has none that waits: {alert:?}");
        assert_eq!(by.unwrap_or(0), alert.digest, "who told {alert:?}");
        assert!(by.is_some() || now < alert.next_at, "{alert:?} was never told");
    }
    assert!(told.is_empty(), "digests tell what is no message: {told:?}");
    n_told
}
