//! The oracle: all notifications that are due, by its own copy of the configuration and by all
//! events.

use std::collections::{BTreeMap, BTreeSet};

use alert::{Alert, AlertKind, AlertStatus};
use db::EventRow;
use model::{EventId, UserId};

use super::outside::{Outside, Received};
use super::scene::{DIGEST_S, PERIOD_S, Scene, quiet_end};

/// Pauses of workers after failures, and the delay of lost responses.
const SLACK_S: i64 = 300;
/// Until the first attempt at a message: others are under way, and receivers are slow.
const QUEUE_S: i64 = 600;

/// Faults that excuse a late or repeated message.
#[derive(Clone, Debug, Default)]
pub(super) struct Excuses {
    /// Times in which nothing could be done, or which the clock left out; seconds since 1970.
    pub(super) late: Vec<(i64, i64)>,
    /// By how much the clock was set back at most.
    pub(super) back_s: i64,
    /// Times that came once more, because the clock was set back.
    pub(super) repeated: Vec<(i64, i64)>,
    pub(super) n_crashes: usize,
    /// How often a message had arrived when a process ended that did not know of it.
    pub(super) again: BTreeMap<u64, u32>,
    /// Problems that shards closed because they were asked to.
    pub(super) closed_by_rule: BTreeSet<EventId>,
}

impl Excuses {
    /// The latest time for work that is due at a time.
    fn latest(&self, due: i64) -> i64 {
        latest(due, SLACK_S, || self.late.iter())
    }

    /// Until when a message has to be sent first. Pauses of receivers that fail end by a clock that may be set back.
    fn latest_attempt(&self, made: i64) -> i64 {
        latest(made, SLACK_S + QUEUE_S, || self.late.iter().chain(&self.repeated))
    }
}

/// The latest time for work that is due at a time, if it takes so many seconds by itself.
fn latest<'a, I: Iterator<Item = &'a (i64, i64)>>(
    due: i64,
    slack_s: i64,
    excuses: impl Fn() -> I,
) -> i64 {
    let mut at = due;
    loop {
        let excused = excuses().filter(|it| it.0 <= at + slack_s && at < it.1);
        match excused.map(|it| it.1).max() {
            Some(until) => at = until,
            None => return at + slack_s,
        }
    }
}

/// The result of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AlertingSummary {
    /// Of the clock of the run.
    pub seconds: u64,
    pub problems: usize,
    /// Problems that rules closed.
    pub correlated: usize,
    pub messages: usize,
    /// Of them those that digests say.
    pub digested: usize,
    /// Of them those that were made in quiet hours.
    pub quiet: usize,
    pub recoveries: usize,
    pub commands: usize,
    pub crashes: usize,
    /// Transactions that the database refused, and those with a lost response.
    pub refused: usize,
    pub unheard: usize,
}

/// The facts of one problem.
struct Life<'a> {
    row: &'a EventRow,
    end: Option<&'a EventRow>,
    /// When a rule began to want it closed: it need not be said any more.
    wanted_closed: Option<&'a EventRow>,
    steps: Vec<&'a Alert>,
    recoveries: Vec<&'a Alert>,
    commands: Vec<&'a Alert>,
}

/// Asserts all of it.
pub(super) fn check(
    (scene, journal, alerts): (&Scene, &[EventRow], &[Alert]),
    excuses: &Excuses,
    outside: &Outside,
) -> AlertingSummary {
    let mut summary = AlertingSummary { crashes: excuses.n_crashes, ..AlertingSummary::default() };
    let mut n_seen = 0;
    for row in journal.iter().filter(|it| it.value == 1) {
        let life = life(scene, journal, alerts, row);
        n_seen += life.steps.len() + life.recoveries.len() + life.commands.len();
        check_closing(&life, excuses);
        check_life(scene, &life, excuses);
        summary.problems += 1;
        summary.correlated += usize::from(excuses.closed_by_rule.contains(&row.eventid));
        summary.messages += life.steps.len() + life.recoveries.len();
        summary.recoveries += life.recoveries.len();
        summary.commands += life.commands.len();
        outside.with(|it| check_commands(&life, it));
    }
    let others: Vec<&Alert> = alerts.iter().filter(|it| !it.is_digest()).collect();
    assert_eq!(n_seen, others.len(), "alerts about what is no problem");
    assert!(others.iter().all(|it| it.action == scene.action), "alerts of no action");
    (summary.digested, summary.quiet) = check_digests(scene, alerts, excuses);
    for alert in alerts.iter().filter(|it| it.kind == AlertKind::Message) {
        outside.with(|it| check_arrival(alert, excuses, it));
    }
    summary
}

fn life<'a>(
    scene: &Scene,
    journal: &'a [EventRow],
    alerts: &'a [Alert],
    row: &'a EventRow,
) -> Life<'a> {
    let id = row.eventid;
    let mut ends = journal.iter().filter(|it| it.recovers.contains(&id));
    let end = ends.next();
    assert!(ends.next().is_none(), "{id} ends twice");
    let link = scene.triggers.iter().find(|it| it.contains(&row.objectid)).expect("a link");
    let wanted_closed = journal.iter().find(|it| {
        let is_later = id < it.eventid && end.is_none_or(|end| it.eventid < end.eventid);
        it.value == 1 && it.objectid == link[1] && is_later
    });
    let about = alerts.iter().filter(|it| it.about() == id && !it.is_digest());
    let (commands, messages): (Vec<&Alert>, Vec<&Alert>) =
        about.partition(|it| it.kind == AlertKind::Command);
    let (steps, recoveries) = messages.into_iter().partition(|it| it.problem == EventId::NONE);
    Life { row, end, wanted_closed, steps, recoveries, commands }
}

/// A rule closes its events, in time, and no others.
fn check_closing(life: &Life<'_>, excuses: &Excuses) {
    let id = life.row.eventid;
    if let Some(wanted) = life.wanted_closed {
        let latest = excuses.latest(wanted.time.clock());
        let end = life.end.map(|it| it.time.clock());
        let is_in_time = end.is_some_and(|it| it <= latest);
        assert!(
            is_in_time,
            "{id} ended at {end:?}, later than {latest}, and a rule wants it closed"
        );
    }
    if excuses.closed_by_rule.contains(&id) {
        assert!(life.wanted_closed.is_some(), "{id} was closed, and no rule wants that");
    }
}

fn check_life(scene: &Scene, life: &Life<'_>, excuses: &Excuses) {
    let id = life.row.eventid;
    let mut due = life.row.time.clock();
    let mut n_made = 0;
    let mut involved: BTreeSet<(UserId, u64)> = BTreeSet::new();
    for (step, user, media_types) in &scene.steps {
        let made: Vec<&&Alert> = life.steps.iter().filter(|it| it.step == *step).collect();
        let got: Vec<(UserId, u64)> = made.iter().map(|it| (it.user, it.media_type)).collect();
        let Some(first) = made.first() else {
            // A problem that ends before its message could be sent needs none.
            let over = [life.end, life.wanted_closed]
                .into_iter()
                .flatten()
                .map(|it| it.time.clock())
                .min();
            let may_miss = over.is_some_and(|it| it - excuses.back_s <= excuses.latest(due));
            assert!(may_miss, "step {step} of {id} was due at {due}, and nobody was notified");
            break;
        };
        assert_eq!(n_made + 1, *step, "steps of {id} are left out");
        n_made = *step;
        let wanted: Vec<(UserId, u64)> = media_types.iter().map(|it| (*user, *it)).collect();
        let sorted = |mut list: Vec<(UserId, u64)>| {
            list.sort_unstable();
            list
        };
        assert_eq!(sorted(got.clone()), sorted(wanted), "who was notified at step {step} of {id}");
        let early_s = if *step == 1 { excuses.back_s } else { 0 };
        assert!(
            due - early_s <= first.clock,
            "step {step} of {id} is early: {} of {due}",
            first.clock
        );
        let latest = excuses.latest(due);
        assert!(first.clock <= latest, "step {step} of {id} is late: {} of {due}", first.clock);
        involved.extend(got);
        due = first.clock + PERIOD_S;
    }
    let n_steps = life.steps.iter().filter(|it| it.step <= n_made).count();
    assert_eq!(n_steps, life.steps.len(), "steps of {id} that are not in the action");
    let n_commands = usize::from(scene.command_step <= n_made);
    assert_eq!(life.commands.len(), n_commands, "commands of {id}");
    check_end(life, &involved, excuses);
}

/// Recipients of a problem get its recovery, once, and nothing after it.
fn check_end(life: &Life<'_>, involved: &BTreeSet<(UserId, u64)>, excuses: &Excuses) {
    let id = life.row.eventid;
    let got: Vec<(UserId, u64)> =
        life.recoveries.iter().map(|it| (it.user, it.media_type)).collect();
    let Some(end) = life.end else {
        assert!(got.is_empty(), "{id} is open, and somebody was notified of its end");
        return;
    };
    assert_eq!(got.len(), involved.len(), "who was notified of the end of {id}: {got:?}");
    assert_eq!(&got.into_iter().collect::<BTreeSet<_>>(), involved, "the end of {id}");
    let latest = excuses.latest(end.time.clock());
    for alert in &life.recoveries {
        assert_eq!(alert.event, end.eventid, "the end of {id}");
        assert!(alert.clock <= latest, "the end of {id} is late: {}", alert.clock);
        assert!(life.steps.iter().all(|it| it.id < alert.id), "steps of {id} behind its end");
    }
}

/// A command is executed once or not at all, and its alert has that state.
fn check_commands(life: &Life<'_>, received: &mut Received) {
    let text = format!("run {}", life.row.eventid.0);
    let n = received.commands.get(&text).copied().unwrap_or(0);
    assert!(n <= 1, "{text} was executed {n} times");
    for alert in &life.commands {
        assert!(is_final(alert.status), "{text} has no end: {alert:?}");
        if alert.status == AlertStatus::Sent {
            assert_eq!(n, 1, "{text} was not executed: {alert:?}");
        }
    }
}

pub(super) const fn is_final(status: AlertStatus) -> bool {
    matches!(status, AlertStatus::Sent | AlertStatus::Failed)
}

/// Whether a digest says it.
fn is_member(alert: &Alert) -> bool {
    alert.digest != 0 && !alert.is_digest()
}

/// When the quiet hours of its recipient end in which a message was made.
fn held_until(scene: &Scene, alert: &Alert) -> Option<i64> {
    quiet_end(alert.clock).filter(|_| alert.user == scene.sleeper)
}

/// Each message that was held is said by one digest for the same recipient, not before its time and not much later.
/// Gives how many were held, and how many of them in quiet hours.
fn check_digests(scene: &Scene, alerts: &[Alert], excuses: &Excuses) -> (usize, usize) {
    let mut n_quiet = 0;
    let held: Vec<&Alert> = alerts.iter().filter(|it| is_member(it)).collect();
    for alert in &held {
        assert!(is_final(alert.status), "it is held for ever: {alert:?}");
        let digest = alerts.iter().find(|it| it.id == alert.digest && it.is_digest());
        let digest = digest.unwrap_or_else(|| panic!("no digest says {alert:?}"));
        let of = |it: &Alert| (it.user, it.media_type, it.sendto.clone());
        assert_eq!(of(alert), of(digest), "a digest for another one: {digest:?}");
        assert_ne!(alert.media_type, scene.ticket, "its receiver needs each message: {alert:?}");
        let quiet_until = held_until(scene, alert);
        n_quiet += usize::from(quiet_until.is_some());
        let from = quiet_until.unwrap_or(alert.clock);
        assert!(from <= digest.clock, "said too early, at {}: {alert:?}", digest.clock);
        let latest = excuses.latest(from.max(alert.clock) + DIGEST_S);
        assert!(digest.clock <= latest, "said too late, at {}: {alert:?}", digest.clock);
    }
    for alert in alerts.iter().filter(|it| it.kind == AlertKind::Message && !it.is_digest()) {
        let is_left = held_until(scene, alert).is_some() && !is_member(alert);
        assert!(!is_left, "it was not held in quiet hours: {alert:?}");
    }
    for digest in alerts.iter().filter(|it| it.is_digest()) {
        let n = held.iter().filter(|it| it.digest == digest.id).count();
        assert_ne!(n, 0, "a digest says nothing: {digest:?}");
        let says_all = n == 1 || digest.subject.starts_with(&format!("{n} messages: "));
        assert!(says_all, "a digest of {n} messages says otherwise: {digest:?}");
    }
    (held.len(), n_quiet)
}

/// A message arrives once, but for receivers that deny it and processes that end before they know.
fn check_arrival(alert: &Alert, excuses: &Excuses, received: &mut Received) {
    let of = |map: &BTreeMap<u64, u32>| map.get(&alert.id).copied().unwrap_or(0);
    let (n, denied) = (of(&received.messages), of(&received.denied));
    if is_member(alert) {
        assert_eq!(of(&received.attempts), 0, "it was held, and was sent: {alert:?}");
        return;
    }
    assert!(is_final(alert.status), "nobody sends it: {alert:?}");
    let latest = excuses.latest_attempt(alert.clock);
    let first = received.first_attempts.get(&alert.id);
    let is_in_time = first.is_some_and(|it| *it <= latest);
    assert!(is_in_time, "it was first sent at {first:?}, later than {latest}: {alert:?}");
    assert!(n <= 1 + denied + of(&excuses.again), "it arrived {n} times: {alert:?}");
    if alert.status == AlertStatus::Sent {
        let is_taken = 0 < n || received.thrown_away.contains(&alert.id);
        assert!(is_taken, "it says that it was sent: {alert:?}");
    } else {
        assert_ne!(alert.error, "", "nothing says why it was not sent: {alert:?}");
    }
}
