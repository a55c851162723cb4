//! Waiting messages, over any order of messages, time and restarts; contents of digests.

use model::EventId;
use model::content::Severity;
use proptest::prelude::*;

use super::*;

const RULE: DigestRule = DigestRule { messages: 3, period_s: 100, interval_s: 60 };

fn message(user: u64, clock: i64, not_before: i64) -> Alert {
    Alert {
        action: 1,
        event: EventId(1),
        user: UserId(user),
        clock,
        media_type: 1,
        sendto: "a@example.com".to_owned(),
        step: 1,
        next_at: not_before,
        ..Alert::default()
    }
}

/// The database and the caller.
struct World {
    digests: Digests,
    rule: DigestRule,
    saved: Vec<Alert>,
    /// When which recipient got a digest of how many.
    sent_digests: Vec<(i64, u64, usize)>,
}

impl World {
    fn new(rule: DigestRule) -> Self {
        let digests = Digests::restore(rule, BTreeMap::new());
        Self { digests, rule, saved: Vec::new(), sent_digests: Vec::new() }
    }

    fn make(&mut self, user: u64, clock: i64, not_before: i64) -> AlertStatus {
        let mut alert = message(user, clock, not_before);
        self.digests.judge(&mut alert, true);
        self.saved.push(alert);
        self.saved.last().expect("it was pushed").status
    }

    fn pass(&mut self, now: i64) {
        for recipient in self.digests.due(now) {
            let n_digests = self.sent_digests.len();
            let of = self.saved.iter_mut().filter(|it| {
                it.status == AlertStatus::Held && Recipient::of(it).as_ref() == Some(&recipient)
            });
            let (mut n, mut next) = (0, None::<i64>);
            for it in of {
                if it.next_at <= now {
                    (it.status, it.digest) = (AlertStatus::Sent, 1_000 + n_digests as u64);
                    n += 1;
                } else {
                    next = Some(next.map_or(it.next_at, |at| at.min(it.next_at)));
                }
            }
            assert_ne!(n, 0, "no digest is empty");
            self.sent_digests.push((now, recipient.user.0, n));
            self.digests.sent(&recipient, now, next);
        }
        assert!(self.digests.next_due().is_none_or(|it| now < it), "due messages are sent");
    }

    fn restart(&mut self, now: i64) {
        let mut past: BTreeMap<Recipient, Past> = BTreeMap::new();
        let since = now - self.rule.memory_s();
        for it in &self.saved {
            let of = past.entry(Recipient::of(it).expect("a message")).or_default();
            if since < it.clock {
                *of.messages.entry(it.clock).or_default() += 1;
            }
            if it.status == AlertStatus::Held {
                of.due = Some(of.due.map_or(it.next_at, |at| at.min(it.next_at)));
            }
        }
        for (at, user, _) in self.sent_digests.iter().filter(|(at, ..)| since < *at) {
            let recipient = Recipient::of(&message(*user, 0, 0)).expect("a message");
            past.entry(recipient).or_default().digest_at = *at;
        }
        self.digests = Digests::restore(self.rule, past);
    }
}

#[test]
fn storm_makes_digests_at_intervals_until_it_ends() {
    let mut world = World::new(RULE);
    let first: Vec<AlertStatus> = (0..5).map(|at| world.make(1, 1_000 + at, 0)).collect();
    let (new, held) = (AlertStatus::New, AlertStatus::Held);
    assert_eq!(first, [new, new, new, held, held]);
    assert_eq!(world.make(2, 1_004, 0), new, "another recipient has a count of its own");
    assert_eq!(world.digests.next_due(), Some(1_003 + GATHER_S));
    world.pass(1_003 + GATHER_S);
    assert_eq!(world.sent_digests, [(1_033, 1, 2)]);
    // The storm lasts: one message waits, since there were enough before it.
    assert_eq!(world.make(1, 1_040, 0), held);
    world.pass(1_092);
    assert_eq!(world.sent_digests.len(), 1);
    world.pass(1_093);
    assert_eq!(world.sent_digests.last(), Some(&(1_093, 1, 1)));
    // 1_003, 1_004 and 1_040 were within the 100 seconds before that one; now the storm is over.
    assert_eq!(world.make(1, 1_094, 0), held);
    world.pass(1_153);
    assert_eq!(world.sent_digests.last(), Some(&(1_153, 1, 1)));
    assert_eq!(world.make(1, 1_154, 0), new);
}

#[test]
fn quiet_hours_hold_only_messages_with_a_later_time() {
    let mut world = World::new(DigestRule { messages: 0, ..RULE });
    assert_eq!(world.make(1, 1_000, 5_000), AlertStatus::Held);
    assert_eq!(world.make(1, 1_001, 0), AlertStatus::New);
    assert_eq!(world.make(1, 1_002, 5_000), AlertStatus::Held);
    assert_eq!(world.make(1, 1_003, 6_000), AlertStatus::Held);
    world.pass(4_999);
    assert_eq!(world.sent_digests, []);
    world.pass(5_000);
    world.pass(6_000);
    assert_eq!(world.sent_digests, [(5_000, 1, 2), (6_000, 1, 1)]);
    assert_eq!(world.make(1, 6_001, 6_001), AlertStatus::New, "its time has come");
}

#[test]
fn commands_and_messages_that_failed_already_pass() {
    let mut digests = Digests::restore(DigestRule { messages: 1, ..RULE }, BTreeMap::new());
    let command = Alert { kind: AlertKind::Command, media_type: 0, ..message(0, 1_000, 0) };
    let failed = Alert { status: AlertStatus::Failed, ..message(1, 1_000, 0) };
    for alert in [command, failed] {
        for _ in 0..5 {
            let mut it = alert.clone();
            digests.judge(&mut it, true);
            assert_eq!(it, alert);
        }
    }
    assert_eq!(digests.next_due(), None);
}

#[test]
fn recipient_without_digests_gets_each_message_of_a_storm() {
    let mut digests = Digests::restore(DigestRule { messages: 1, ..RULE }, BTreeMap::new());
    for at in 0..10 {
        let mut it = message(1, 1_000 + at, 0);
        digests.judge(&mut it, false);
        assert_eq!(it.status, AlertStatus::New);
    }
    let mut quiet = message(1, 1_020, 5_000);
    digests.judge(&mut quiet, false);
    assert_eq!((quiet.status, quiet.next_at), (AlertStatus::Held, 5_000));
}

#[test]
fn clock_set_back_holds_no_messages() {
    let mut world = World::new(RULE);
    for at in 0..5 {
        world.make(1, 100_000 + at, 0);
    }
    world.pass(100_040);
    assert_eq!(world.make(1, 1_000, 0), AlertStatus::New);
}

#[test]
fn recipient_without_messages_is_forgotten() {
    let mut world = World::new(RULE);
    for at in 0..5 {
        world.make(1, 1_000 + at, 0);
    }
    world.make(2, 1_000, 9_000);
    world.digests.forget(1_010);
    assert_eq!(world.digests.recipients.len(), 2);
    world.pass(1_040);
    world.digests.forget(2_000);
    assert_eq!(world.digests.recipients.len(), 1, "something waits for the other one");
    world.pass(9_000);
    world.digests.forget(9_000 + RULE.memory_s() + 1);
    assert_eq!(world.digests.recipients.len(), 0);
}

#[derive(Clone, Debug)]
enum Step {
    Make(u64, u32, i64),
    Pass(i64),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let quiet_s = prop_oneof![3 => Just(0_i64), 1 => 1_i64..300];
    let step = prop_oneof![
        4 => (1_u64..3, 1_u32..6, quiet_s).prop_map(|(user, n, s)| Step::Make(user, n, s)),
        4 => prop_oneof![1_i64..5, Just(GATHER_S), Just(60_i64), 1_i64..200].prop_map(Step::Pass),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..80)
}

proptest! {
    #[test]
    fn messages_are_sent_once_and_in_time_in_few_digests(
        steps in steps(),
        messages in 0_u32..5,
    ) {
        let rule = DigestRule { messages, ..RULE };
        let mut world = World::new(rule);
        let mut now = 1_000;
        let mut n_restarts = 0;
        for step in steps {
            match step {
                Step::Make(user, n, quiet_s) => {
                    for _ in 0..n {
                        let status = world.make(user, now, if quiet_s == 0 { 0 } else { now + quiet_s });
                        prop_assert!(quiet_s == 0 || status == AlertStatus::Held, "too early");
                    }
                }
                Step::Pass(s) => {
                    // By the second, as a server does.
                    for _ in 0..s {
                        now += 1;
                        world.pass(now);
                    }
                }
                Step::Restart => {
                    n_restarts += 1;
                    let before = world.digests.next_due();
                    world.restart(now);
                    prop_assert_eq!(world.digests.next_due(), before);
                }
            }
        }
        for _ in 0..1_000 {
            now += 1;
            world.pass(now);
        }
        // All held messages are sent, exactly once: each digest has as many as point to it.
        for it in &world.saved {
            prop_assert!(it.status != AlertStatus::Held, "one is lost");
            prop_assert_eq!(it.status == AlertStatus::Sent, it.digest != 0);
        }
        for (at, (_, user, n)) in world.sent_digests.iter().enumerate() {
            let members = world.saved.iter().filter(|it| it.digest == 1_000 + at as u64);
            let members: Vec<_> = members.collect();
            prop_assert_eq!(members.len(), *n);
            prop_assert!(members.iter().all(|it| it.user.0 == *user));
        }
        // A recipient with a rule gets no more messages than it allows in any period.
        if rule.messages != 0 && n_restarts == 0 {
            for user in 1..3 {
                let own = world.saved.iter().filter(|it| it.user.0 == user && it.digest == 0);
                let times: Vec<i64> = own.map(|it| it.clock).collect();
                for (at, time) in times.iter().enumerate() {
                    let n = times[..=at].iter().filter(|it| time - rule.period_s < **it).count();
                    prop_assert!(n <= rule.messages as usize, "{n} messages within a period");
                }
            }
        }
    }
}

fn problem(event: u64, severity: Severity, name: &str) -> DigestProblem {
    DigestProblem {
        event: EventId(event),
        name: name.to_owned(),
        severity,
        hosts: vec![format!("host-{}", event % 3)],
        groups: vec!["Linux servers".to_owned()],
        tags: vec![
            ("scope".to_owned(), "availability".to_owned()),
            ("n".to_owned(), event.to_string()),
        ],
        clock: 1_795_000_000 + i64::try_from(event).expect("small"),
        is_open: true,
        cause: EventId::NONE,
    }
}

fn facts(problems: Vec<DigestProblem>) -> DigestFacts<'static> {
    static ZONE: jiff::tz::TimeZone = jiff::tz::TimeZone::UTC;
    DigestFacts {
        n_messages: problems.len(),
        first: 1_795_000_001,
        last: 1_795_000_030,
        problems,
        n_others: 0,
        severity_names: ["None", "Info", "Warning", "Average", "High", "Disaster"],
        zone: &ZONE,
        url: "https://saker.example.com/",
    }
}

#[test]
fn causes_come_first_with_counts_of_symptoms() {
    let switch = problem(9, Severity::Disaster, "Switch is down");
    let mut resolved = problem(8, Severity::Disaster, "Disk is full");
    resolved.is_open = false;
    let mut behind: Vec<_> = (1..=3).map(|it| problem(it, Severity::High, "No answer")).collect();
    behind.iter_mut().for_each(|it| it.cause = EventId(9));
    let mut elsewhere = problem(4, Severity::Warning, "Slow\nanswer");
    elsewhere.cause = EventId(77);
    behind.extend([resolved, switch, elsewhere]);
    let (subject, text) = texts(&facts(behind));
    assert_eq!(subject, "6 messages: 6 problems on 3 hosts, worst: Disaster");
    let expected = "\
6 messages from 2026-11-18 11:06:41 to 2026-11-18 11:07:10 in one.
6 problems: 5 open, 1 resolved.

Causes:
  [Disaster] Switch is down - host-0 - 2026-11-18 11:06:49 - 3 symptoms
  [Warning] Slow answer - host-1 - 2026-11-18 11:06:44
  [Disaster] Disk is full - host-2 - 2026-11-18 11:06:48 - resolved

By severity:
  2  Disaster
  3  High
  1  Warning

By host group:
  6  Linux servers

Common tags:
  6  scope: availability

Each message: https://saker.example.com/alerts?digest={DIGEST.ID}
";
    assert_eq!(text, expected);
}

#[test]
fn however_many_there_are_a_digest_stays_short() {
    let name = "x".repeat(10_000);
    let many = (1..=5_000).map(|it| problem(it, Severity::High, &name)).collect();
    let (subject, text) = texts(&facts(many));
    assert!(subject.len() < 100, "{subject}");
    assert!(text.len() < 10_000, "{}", text.len());
    assert!(text.contains("  and 4980 more\n"));
}

#[test]
fn events_that_are_no_problems_are_counted() {
    let none = DigestFacts { n_messages: 4, n_others: 2, ..facts(Vec::new()) };
    let (subject, text) = texts(&none);
    assert_eq!(subject, "4 messages: 2 events");
    assert!(text.contains("2 events besides.\n"), "{text}");
    assert_eq!(html("a < b & c"), "<pre>a &lt; b &amp; c</pre>");
}
