//! The table against a plain map, over random orders of what is put and taken out.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::content::{Severity, Tag};
use model::{EventId, HostId, MaintenanceId, Time, UserId};
use proptest::prelude::*;

use super::{ProblemView, ROWS_MAX, Table};
use crate::runtime::events::{EventRow, Problem, object, source};

fn problem(id: u64, objectid: u64, is_open: bool) -> Problem {
    let tag = Tag { tag: "of".to_owned(), value: (objectid % 3).to_string() };
    let event = EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid,
        time: Time::from_clock(1_000 + id.cast_signed(), 0),
        value: 1,
        severity: Severity::High,
        name: String::new(),
        opdata: String::new(),
        tags: vec![tag],
        hosts: vec![HostId(objectid % 5)],
        recovers: Vec::new(),
        userid: UserId::NONE,
    };
    let suppression = crate::Suppression { maintenance: MaintenanceId(1), until: 60 };
    Problem {
        severity: event.severity,
        event: Arc::new(event),
        acknowledged: id.is_multiple_of(2),
        r_eventid: if is_open { EventId::NONE } else { EventId(id + 1) },
        r_time: Time::ZERO,
        userid: UserId::NONE,
        cause: EventId::NONE,
        ranked: None,
        flapping: false,
        correlation: None,
        acknowledges: Vec::new(),
        suppressed_until: (id.is_multiple_of(3)).then_some(0),
        maintenances: if id.is_multiple_of(4) { vec![suppression] } else { Vec::new() },
        version: 0,
    }
}

/// The view has these problems, and says of them what they say themselves.
fn check(view: &ProblemView, expected: &BTreeMap<EventId, Arc<Problem>>) {
    let all: Vec<&Arc<Problem>> = view.iter().collect();
    assert_eq!(all, expected.values().collect::<Vec<_>>());
    let mut numbers = BTreeMap::new();
    let mut at = 0;
    for piece in view.pieces() {
        assert!((1..=ROWS_MAX).contains(&piece.facts().len()));
        for (row, facts) in piece.facts().iter().enumerate() {
            let problem = piece.problem(row).expect("a problem for each row");
            let event = &problem.event;
            assert!(Arc::ptr_eq(problem, all[at]));
            assert_eq!(
                (facts.eventid, facts.source, facts.object, facts.objectid, facts.clock),
                (event.eventid, event.source, event.object, event.objectid, event.time.clock())
            );
            assert_eq!(
                (i64::from(facts.severity), facts.is_open, facts.acknowledged),
                (problem.severity.code().into(), problem.is_open(), problem.acknowledged)
            );
            assert_eq!(facts.has_suppression, problem.is_suppressed(Time::ZERO));
            // The same number: the same value, and the other way round.
            let hosts = format!("hosts {:?}", event.hosts);
            let tags = format!("tags {:?}", event.tags);
            let values = [
                (format!("object {}", event.objectid), facts.object_number),
                (hosts, facts.hosts_number),
                (tags, facts.tags_number),
            ];
            for (kind, (value, number)) in values.into_iter().enumerate() {
                let known = numbers.entry((kind, number)).or_insert_with(|| value.clone());
                assert_eq!(*known, value);
            }
            at += 1;
        }
    }
    let different = |kind: usize| numbers.keys().filter(|(it, _)| *it == kind).count();
    let objects: std::collections::BTreeSet<u64> =
        expected.values().map(|it| it.event.objectid).collect();
    assert_eq!(different(0), objects.len());
    for id in expected.keys() {
        assert_eq!(view.get(*id), expected.get(id));
        let next = EventId(id.0 + 1);
        assert_eq!(view.get(next), expected.get(&next));
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// New ones after all others.
    Append(usize),
    /// One that is there again, or that is new in between.
    Put(u64, u64, bool),
    /// All but each n-th of a stretch.
    Thin(u64, u64, u64),
    /// Keeps what it sees to the end.
    Look,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(
        prop_oneof![
            3 => (1_usize..400).prop_map(Step::Append),
            4 => (0_u64..2_000, 0_u64..40, any::<bool>()).prop_map(|(id, of, is)| Step::Put(id, of, is)),
            2 => (0_u64..2_000, 1_u64..900, 1_u64..200).prop_map(|(a, n, k)| Step::Thin(a, n, k)),
            1 => Just(Step::Look),
        ],
        1..24,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_view_shows_the_problems_of_its_moment(steps in steps()) {
        let (mut table, mut expected) = (Table::default(), BTreeMap::new());
        let mut seen = Vec::new();
        for step in steps {
            let mut put = |table: &mut Table, problem: Problem| {
                let problem = Arc::new(problem);
                let old = expected.insert(problem.eventid(), Arc::clone(&problem));
                assert_eq!(table.put(problem), old);
            };
            match step {
                Step::Append(n) => {
                    let last = table.view().iter().next_back().map_or(0, |it| it.eventid().0);
                    // Gaps, so that some come in between.
                    (1..=n as u64).for_each(|it| put(&mut table, problem(last + 2 * it, it, true)));
                }
                Step::Put(id, of, is_open) => put(&mut table, problem(id + 1, of, is_open)),
                Step::Thin(from, n, keep) => {
                    for id in (from..from + n).filter(|it| it % keep != 0).map(EventId) {
                        assert_eq!(table.remove(id), expected.remove(&id));
                    }
                }
                Step::Look => seen.push((table.view().clone(), expected.clone())),
            }
            prop_assert_eq!(table.len(), expected.len());
        }
        seen.push((table.view().clone(), expected));
        for (view, expected) in &seen {
            check(view, expected);
        }
    }
}

#[test]
fn few_remaining_of_many_take_few_pieces() {
    let mut table = Table::default();
    let n = 40 * ROWS_MAX as u64;
    (1..=n).for_each(|it| drop(table.put(Arc::new(problem(it, it, true)))));
    assert_eq!(table.view().pieces().len(), 40);
    (1..=n).filter(|it| it % 100 != 0).for_each(|it| drop(table.remove(EventId(it))));
    let n_left = usize::try_from(n / 100).expect("few");
    assert_eq!(table.len(), n_left);
    assert!(table.view().pieces().len() <= 2 + 4 * n_left / ROWS_MAX);
    (1..=n).for_each(|it| drop(table.remove(EventId(it))));
    assert!(table.view().pieces().is_empty());
    assert_eq!((table.objects.known.len(), table.hosts.known.len()), (0, 0));
    assert_eq!(table.tags.known.len(), 0);
}
