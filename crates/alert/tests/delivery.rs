//! Guarantees of delivery.

use std::collections::{BTreeMap, BTreeSet};

use alert::AlertStatus;
use alert::delivery::{
    DeliveryQueues, DeliverySettings, DeliveryStep, DeliveryVerdict, Ended, FAILURES_MAX,
    MediaLimits, Waiting,
};
use proptest::prelude::*;

const SETTINGS: DeliverySettings =
    DeliverySettings { sessions_max: 4, waiting_max: 100, rate_per_s: 0 };
const LIMITS: MediaLimits =
    MediaLimits { is_enabled: true, sessions: 1, attempts: 3, attempt_interval_ms: 10_000 };

fn delivery(settings: DeliverySettings, types: &[(u64, MediaLimits)]) -> DeliveryQueues {
    let mut delivery = DeliveryQueues::new(settings);
    delivery.set_media_types(&types.iter().copied().collect());
    delivery
}

fn waiting(id: u64, media_type: u64) -> Waiting {
    Waiting { id, media_type, receiver: 0, retries: 0, due_ms: 0 }
}

fn started(delivery: &mut DeliveryQueues, now_ms: i64) -> Vec<u64> {
    let steps = std::iter::from_fn(|| delivery.next(now_ms));
    let ids = steps.map(|it| match it {
        DeliveryStep::Start { id, .. } => id,
        DeliveryStep::GiveUp(it) => panic!("{it:?}"),
    });
    ids.collect()
}

fn failed() -> Ended {
    Ended::Failed("no".to_owned())
}

#[test]
fn a_media_type_sends_so_many_at_once_and_all_together_not_more_than_the_server_allows() {
    let unlimited = MediaLimits { sessions: 0, ..LIMITS };
    let mut it = delivery(SETTINGS, &[(1, LIMITS), (2, unlimited)]);
    for id in 1..=3 {
        assert!(it.take(waiting(id, 1)));
        assert!(it.take(waiting(id + 10, 2)));
    }
    // They take turns.
    assert_eq!(started(&mut it, 0), [1, 11, 12, 13]);
    assert_eq!(it.ended((1, 1), Ended::Sent, 5).map(|it| it.status), Some(AlertStatus::Sent));
    assert_eq!(started(&mut it, 5), [2]);
    assert_eq!((it.n_running(), it.n_waiting()), (4, 1));
    assert_eq!(it.ended((1, 1), Ended::Sent, 5), None, "once");
}

#[test]
fn an_attempt_that_fails_is_made_again_and_in_the_end_given_up() {
    let mut it = delivery(SETTINGS, &[(1, LIMITS)]);
    it.take(waiting(7, 1));
    let mut now_ms = 1_000;
    for retries in 1..=2 {
        assert_eq!(started(&mut it, now_ms), [7]);
        let due_ms = now_ms + 10_000;
        let expected = DeliveryVerdict {
            id: 7,
            status: AlertStatus::NotSent,
            retries,
            error: "no".to_owned(),
            due_ms,
        };
        assert_eq!(it.ended((1, 7), failed(), now_ms), Some(expected));
        assert_eq!((it.wake_ms(now_ms), started(&mut it, due_ms - 1)), (Some(due_ms), vec![]));
        now_ms = due_ms;
    }
    assert_eq!(started(&mut it, now_ms), [7]);
    let last = it.ended((1, 7), failed(), now_ms).expect("a verdict");
    assert_eq!((last.status, last.retries), (AlertStatus::Failed, 3));
    assert_eq!((it.n_waiting(), it.wake_ms(now_ms)), (0, None));
}

#[test]
fn attempts_go_on_where_they_were_before_a_restart() {
    let mut it = delivery(SETTINGS, &[(1, LIMITS)]);
    it.take(Waiting { retries: 2, due_ms: 500, ..waiting(7, 1) });
    assert!(started(&mut it, 499).is_empty());
    assert_eq!(started(&mut it, 500), [7]);
    let last = it.ended((1, 7), failed(), 600).expect("a verdict");
    assert_eq!((last.status, last.retries), (AlertStatus::Failed, 3));
}

#[test]
fn permanent_failure_is_not_tried_again() {
    let mut it = delivery(SETTINGS, &[(1, LIMITS)]);
    it.take(waiting(7, 1));
    started(&mut it, 0);
    let verdict = it.ended((1, 7), Ended::Hopeless("no modem".to_owned()), 0).expect("a verdict");
    assert_eq!((verdict.status, verdict.retries), (AlertStatus::Failed, 0));
}

#[test]
fn messages_of_media_types_that_are_off_or_gone_are_given_up() {
    let mut it = delivery(SETTINGS, &[(1, LIMITS), (2, LIMITS)]);
    it.take(waiting(1, 1));
    it.take(waiting(2, 2));
    it.take(waiting(3, 3));
    let off = MediaLimits { is_enabled: false, ..LIMITS };
    it.set_media_types(&BTreeMap::from([(1, off)]));
    let steps: Vec<(u64, String)> = std::iter::from_fn(|| it.next(0))
        .map(|it| match it {
            DeliveryStep::GiveUp(it) => (it.id, it.error),
            DeliveryStep::Start { .. } => panic!("{it:?}"),
        })
        .collect();
    let gone = "Media type does not exist any more.".to_owned();
    let expected = [(1, "Media type disabled.".to_owned()), (2, gone.clone()), (3, gone)];
    assert_eq!(steps, expected);
}

#[test]
fn a_media_type_that_only_fails_is_asked_less_and_less_until_it_answers() {
    let limits = MediaLimits { sessions: 4, attempts: 1, ..LIMITS };
    let mut it = delivery(SETTINGS, &[(1, limits)]);
    (1..=50).for_each(|id| assert!(it.take(waiting(id, 1))));
    let mut now_ms = 0;
    let mut n_failed = 0;
    while n_failed < FAILURES_MAX {
        for id in started(&mut it, now_ms) {
            it.ended((1, id), failed(), now_ms);
            n_failed += 1;
        }
    }
    assert_eq!(it.paused().collect::<Vec<_>>(), [(1, 1)]);
    let mut pauses = Vec::new();
    for _ in 0..9 {
        assert!(started(&mut it, now_ms).is_empty());
        let wake_ms = it.wake_ms(now_ms).expect("a time");
        pauses.push(wake_ms - now_ms);
        now_ms = wake_ms;
        let ids = started(&mut it, now_ms);
        assert_eq!(ids.len(), 1, "one at a time");
        it.ended((1, ids[0]), failed(), now_ms);
    }
    assert!(pauses.is_sorted() && pauses[0] < pauses[1], "{pauses:?}");
    assert_eq!(pauses.last(), Some(&60_000));
    now_ms = it.wake_ms(now_ms).expect("a time");
    let ids = started(&mut it, now_ms);
    it.ended((1, ids[0]), Ended::Sent, now_ms);
    assert_eq!(it.paused().count(), 0);
    assert_eq!(started(&mut it, now_ms).len(), 4);
}

/// As one mail server does that refuses one of its recipients, with 149 messages for that one among others.
#[test]
fn a_message_that_its_receiver_refuses_neither_counts_nor_waits() {
    let mut it = delivery(DeliverySettings { waiting_max: 1_000, ..SETTINGS }, &[(1, LIMITS)]);
    (1..=300).for_each(|id| assert!(it.take(waiting(id, 1))));
    let mut n_attempts = 0;
    while let Some(&id) = started(&mut it, 0).first() {
        n_attempts += 1;
        let ended = match id % 2 {
            0 => Ended::Refused("550 no such user".to_owned()),
            _ => Ended::Sent,
        };
        let verdict = it.ended((1, id), ended, 0).expect("a verdict");
        let expected = if id % 2 == 0 { AlertStatus::Failed } else { AlertStatus::Sent };
        assert_eq!((verdict.status, verdict.due_ms), (expected, 0), "{id}");
    }
    assert_eq!((n_attempts, it.n_waiting(), it.paused().count()), (300, 0, 0));
}

#[test]
fn a_message_that_is_deferred_waits_alone() {
    let mut it = delivery(SETTINGS, &[(1, LIMITS)]);
    (1..=20).for_each(|id| assert!(it.take(waiting(id, 1))));
    let mut n_sent = 0;
    while let Some(&id) = started(&mut it, 0).first() {
        let is_deferred = id <= 10;
        n_sent += u32::from(!is_deferred);
        let ended = if is_deferred { Ended::Deferred("450 later".to_owned()) } else { Ended::Sent };
        it.ended((1, id), ended, 0).expect("a verdict");
    }
    assert_eq!((n_sent, it.n_waiting(), it.paused().count()), (10, 10, 0));
    assert_eq!(it.wake_ms(0), Some(LIMITS.attempt_interval_ms));
}

#[test]
fn a_receiver_that_fails_does_not_hold_up_others_until_all_fail() {
    let limits = MediaLimits { attempts: 100, attempt_interval_ms: 0, ..LIMITS };
    let mut it = delivery(DeliverySettings { waiting_max: 1_000, ..SETTINGS }, &[(1, limits)]);
    let to = |id: u64, receiver: u64| Waiting { receiver, ..waiting(id, 1) };
    (1..=100).for_each(|id| assert!(it.take(to(id, 7))));
    (101..=200).for_each(|id| assert!(it.take(to(id, 100 + id % 4))));
    let (mut n_failed, mut n_sent) = (0, 0);
    while let Some(&id) = started(&mut it, 0).first() {
        let is_bad = id <= 100;
        n_failed += u32::from(is_bad);
        n_sent += u32::from(!is_bad);
        it.ended((1, id), if is_bad { failed() } else { Ended::Sent }, 0);
    }
    assert_eq!((n_failed, n_sent), (FAILURES_MAX, 100), "the others are through at once");
    assert_eq!(it.paused().collect::<Vec<_>>(), [(1, 1)]);
    // A service that is down for all is asked less and less, by whomever.
    (201..=260).for_each(|id| assert!(it.take(to(id, id))));
    let (mut n, mut now_ms) = (0, 0);
    while now_ms < 600_000 {
        for id in started(&mut it, now_ms) {
            n += 1;
            it.ended((1, id), failed(), now_ms);
        }
        now_ms = it.wake_ms(now_ms).expect("a time");
    }
    assert!((10..40).contains(&n), "{n} attempts in ten minutes");
}

#[test]
fn no_more_than_the_rate_leaves_in_a_second() {
    let settings = DeliverySettings { rate_per_s: 5, ..SETTINGS };
    let limits = MediaLimits { sessions: 4, ..LIMITS };
    let mut it = delivery(settings, &[(1, limits)]);
    (1..=50).for_each(|id| assert!(it.take(waiting(id, 1))));
    let (mut times, mut now_ms) = (Vec::new(), 1_000_000_i64);
    while times.len() < 30 {
        let ids = started(&mut it, now_ms);
        for id in ids {
            times.push(now_ms);
            it.ended((1, id), Ended::Sent, now_ms);
        }
        now_ms = it.wake_ms(now_ms).expect("more wait").max(now_ms + 1);
    }
    // A burst of five, then five a second.
    for window in times.windows(11) {
        assert!(1_000 <= window[10] - window[0], "{times:?}");
    }
    assert!(times[29] - times[0] <= 5_500, "it is used: {times:?}");
}

#[derive(Clone, Debug)]
enum Move {
    Take { id: u64, media_type: u64 },
    Next,
    End { at: usize, ended: u8 },
    Pass { ms: i64 },
    Types { mask: u8 },
}

fn moves() -> impl Strategy<Value = Move> {
    prop_oneof![
        3 => (0..40_u64, 0..4_u64).prop_map(|(id, media_type)| Move::Take { id, media_type }),
        4 => Just(Move::Next),
        3 => (any::<usize>(), 0..8_u8).prop_map(|(at, ended)| Move::End { at, ended }),
        2 => (0..70_000_i64).prop_map(|ms| Move::Pass { ms }),
        1 => any::<u8>().prop_map(|mask| Move::Types { mask }),
    ]
}

proptest! {
    /// In any order of events: limits hold, no message is under way twice, and each taken message
    /// ends once.
    #[test]
    fn limits_hold_and_messages_are_sent_once(
        moves in proptest::collection::vec(moves(), 1..200),
        rate_per_s in 0..4_u32,
    ) {
        let settings = DeliverySettings { sessions_max: 3, waiting_max: 8, rate_per_s };
        let limits = |kind: u64| MediaLimits {
            is_enabled: true,
            sessions: usize::try_from(kind).expect("small"),
            attempts: 2,
            attempt_interval_ms: 1_000,
        };
        let types = |mask: u8| -> BTreeMap<u64, MediaLimits> {
            (0..4).filter(|it| mask >> it & 1 == 1).map(|it| (it, limits(it))).collect()
        };
        let mut delivery = DeliveryQueues::new(settings);
        delivery.set_media_types(&types(15));
        let mut now_ms = 1_000;
        let mut taken: BTreeSet<(u64, u64)> = BTreeSet::new();
        let mut running: Vec<(u64, u64)> = Vec::new();
        for it in moves {
            match it {
                Move::Take { id, media_type } => {
                    let had_room = 0 < delivery.room(media_type);
                    let key = (media_type, id);
                    let is_new = !taken.contains(&key);
                    let is_taken = delivery.take(Waiting { receiver: id % 3, ..waiting(id, media_type) });
                    prop_assert_eq!(is_taken, had_room && is_new);
                    if is_taken {
                        taken.insert(key);
                    }
                }
                Move::Next => match delivery.next(now_ms) {
                    Some(DeliveryStep::Start { id, media_type }) => {
                        prop_assert!(taken.contains(&(media_type, id)));
                        prop_assert!(!running.contains(&(media_type, id)));
                        running.push((media_type, id));
                        let of_type = running.iter().filter(|it| it.0 == media_type).count();
                        prop_assert!(media_type == 0 || of_type as u64 <= media_type);
                    }
                    Some(DeliveryStep::GiveUp(it)) => {
                        let key = taken.iter().find(|key| key.1 == it.id && !running.contains(key));
                        let key = *key.expect("it was taken");
                        prop_assert_eq!(it.status, AlertStatus::Failed);
                        // The same id may be taken of another type: any of them.
                        let gone = taken.iter().find(|key| {
                            key.1 == it.id && !delivery.has(key.0, key.1)
                        });
                        let gone = *gone.unwrap_or(&key);
                        taken.remove(&gone);
                    }
                    None => {}
                },
                Move::End { at, ended } => {
                    if running.is_empty() {
                        continue;
                    }
                    let key = running.swap_remove(at % running.len());
                    let ended = match ended {
                        0..=2 => Ended::Sent,
                        3 => Ended::Hopeless(String::new()),
                        6 => Ended::Refused(String::new()),
                        7 => Ended::Deferred(String::new()),
                        _ => Ended::Failed(String::new()),
                    };
                    let verdict = delivery.ended(key, ended, now_ms).expect("it was under way");
                    if verdict.status == AlertStatus::NotSent {
                        prop_assert!(now_ms < verdict.due_ms);
                    } else {
                        taken.remove(&key);
                    }
                }
                Move::Pass { ms } => now_ms += ms,
                Move::Types { mask } => delivery.set_media_types(&types(mask)),
            }
            prop_assert_eq!(delivery.n_running(), running.len());
            prop_assert!(running.len() <= 3);
            prop_assert_eq!(delivery.n_waiting() + running.len(), taken.len());
        }
        // All that is left ends when senders answer again.
        for _ in 0..10_000 {
            while let Some(step) = delivery.next(now_ms) {
                if let DeliveryStep::Start { id, media_type } = step {
                    running.push((media_type, id));
                }
            }
            for key in std::mem::take(&mut running) {
                delivery.ended(key, Ended::Sent, now_ms);
            }
            if delivery.n_waiting() == 0 {
                break;
            }
            now_ms = delivery.wake_ms(now_ms).expect("something waits").max(now_ms + 1);
        }
        prop_assert_eq!(delivery.n_waiting(), 0);
    }
}
