//! The problems in memory against a plain model, over random orders of what happens to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::content::Severity;
use model::{EventId, HostId, Time, UserId};
use proptest::prelude::*;

use super::{AcknowledgeEntry, Live, Touched};
use crate::runtime::events::{
    Acknowledgement, EventRow, EventSettings, Problem, action, object, source,
};

const KEEP_S: i64 = 10;
const RESOLVED_MAX: usize = 6;

/// The actions; numbers choose among existing objects.
#[derive(Clone, Debug)]
enum Step {
    Problem {
        trigger: u64,
    },
    /// Ends some of the problems there are.
    Recover {
        which: usize,
        n: usize,
    },
    Acknowledge {
        which: usize,
        n: usize,
        action: u32,
        severity: u8,
        until: i64,
    },
    /// The database answers one of the acknowledgements that wait.
    Answer {
        which: usize,
        is_saved: bool,
    },
    Renew {
        which: usize,
    },
    Expire {
        s: i64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Ranks of causes change nothing here; closing is the shards' work.
    let action = 1_u32..128;
    let which = 0_usize..32;
    prop::collection::vec(
        prop_oneof![
            3 => (0_u64..4).prop_map(|trigger| Step::Problem { trigger }),
            2 => (which.clone(), 1_usize..4).prop_map(|(which, n)| Step::Recover { which, n }),
            4 => (which.clone(), 1_usize..4, action, 0_u8..6, 0_i64..3).prop_map(
                |(which, n, action, severity, until)| {
                    Step::Acknowledge { which, n, action, severity, until }
                }
            ),
            4 => (which.clone(), any::<bool>())
                .prop_map(|(which, is_saved)| Step::Answer { which, is_saved }),
            1 => which.prop_map(|which| Step::Renew { which }),
            1 => (0_i64..8).prop_map(|s| Step::Expire { s }),
        ],
        1..120,
    )
}

/// The expected state of a problem, by all changes of it that were not refused.
#[derive(Clone, Debug)]
struct ExpectedProblem {
    trigger: u64,
    recovered: Option<(EventId, Time)>,
    entries: Vec<crate::runtime::events::Acknowledge>,
}

impl ExpectedProblem {
    /// The last that an entry with one of the bits says.
    fn last<T>(
        &self,
        bits: u32,
        say: impl Fn(&crate::runtime::events::Acknowledge) -> T,
    ) -> Option<T> {
        self.entries.iter().rev().find(|it| it.action & bits != 0).map(say)
    }

    fn check(&self, problem: &Problem) {
        assert_eq!(problem.event.objectid, self.trigger);
        let recovered = (!problem.is_open()).then_some((problem.r_eventid, problem.r_time));
        assert_eq!(recovered, self.recovered);
        assert_eq!(problem.acknowledges, self.entries);
        let acknowledged = self.last(action::ACKNOWLEDGE | action::UNACKNOWLEDGE, |it| {
            it.action & action::UNACKNOWLEDGE == 0
        });
        assert_eq!(problem.acknowledged, acknowledged.unwrap_or(false));
        let severity = self.last(action::SEVERITY, |it| it.new_severity);
        let severity = severity.and_then(|it| Severity::from_code(i64::from(it)));
        assert_eq!(problem.severity, severity.unwrap_or(Severity::High));
        let until = self.last(action::SUPPRESS | action::UNSUPPRESS, |it| {
            (it.action & action::UNSUPPRESS == 0).then_some(it.suppress_until)
        });
        assert_eq!(problem.suppressed_until, until.flatten());
    }
}

struct World {
    live: Live,
    expected: BTreeMap<EventId, ExpectedProblem>,
    /// Acknowledgements that the database has not answered.
    waiting: Vec<Vec<AcknowledgeEntry>>,
    next_event: u64,
    next_entry: u64,
    now: Time,
}

impl World {
    fn new() -> Self {
        let settings = EventSettings {
            keep_resolved_s: KEEP_S,
            resolved_max: RESOLVED_MAX,
            ..EventSettings::default()
        };
        let (expected, waiting, now) = (BTreeMap::new(), Vec::new(), Time::from_clock(1_000, 0));
        Self { live: Live::new(settings), expected, waiting, next_event: 1, next_entry: 1, now }
    }

    fn event(&mut self, trigger: u64, recovers: Option<Vec<EventId>>) -> EventRow {
        let eventid = EventId(self.next_event);
        self.next_event += 1;
        self.now = self.now.plus_secs(1);
        EventRow {
            eventid,
            source: source::TRIGGER,
            object: object::TRIGGER,
            objectid: trigger,
            time: self.now,
            value: recovers.is_none().into(),
            severity: Severity::High,
            name: String::new(),
            opdata: String::new(),
            tags: Vec::new(),
            hosts: vec![HostId(1)],
            recovers: recovers.unwrap_or_default(),
            userid: UserId::NONE,
        }
    }

    /// Some that are there, and now and then one that is not.
    fn some(&self, which: usize, n: usize) -> Vec<EventId> {
        let ids: Vec<EventId> = self.expected.keys().copied().chain([EventId(9_999)]).collect();
        let mut some: Vec<EventId> =
            ids.iter().cycle().skip(which % ids.len()).take(n.min(ids.len())).copied().collect();
        some.sort_unstable();
        some
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Problem { trigger } => {
                let event = self.event(trigger, None);
                let event = self.live.apply(event, &mut Touched::new());
                let expected = ExpectedProblem { trigger, recovered: None, entries: Vec::new() };
                self.expected.insert(event.eventid, expected);
            }
            Step::Recover { which, n } => {
                let ids = self.some(which, n);
                let event = self.event(0, Some(ids.clone()));
                let event = self.live.apply(event, &mut Touched::new());
                for id in ids {
                    if let Some(expected) = self.expected.get_mut(&id) {
                        expected.recovered.get_or_insert((event.eventid, event.time));
                    }
                }
            }
            Step::Acknowledge { which, n, action, severity, until } => {
                let eventids = self.some(which, n);
                let n = u64::try_from(eventids.len()).unwrap();
                let request = Acknowledgement {
                    eventids,
                    userid: UserId(1),
                    action,
                    severity: Some(severity),
                    suppress_until: until,
                    ..Acknowledgement::default()
                };
                let done = self.live.acknowledge(&request, &[], self.next_entry, self.now.clock());
                self.next_entry += n;
                let entry =
                    |(problem, entry): (Arc<Problem>, Option<_>)| Some((problem.eventid(), entry?));
                let entries: Vec<AcknowledgeEntry> = done.into_iter().filter_map(entry).collect();
                for (id, entry) in &entries {
                    self.expected.get_mut(id).unwrap().entries.push(entry.clone());
                }
                self.waiting.push(entries);
            }
            Step::Answer { which, is_saved } => {
                if self.waiting.is_empty() {
                    return;
                }
                let entries = self.waiting.remove(which % self.waiting.len());
                if is_saved {
                    return;
                }
                self.live.undo(&entries);
                for (id, entry) in entries {
                    // It may have left memory meanwhile.
                    if let Some(expected) = self.expected.get_mut(&id) {
                        expected.entries.retain(|it| it.acknowledgeid != entry.acknowledgeid);
                    }
                }
            }
            Step::Renew { which } => self.live.renew(&self.some(which, 1)),
            Step::Expire { s } => {
                self.now = self.now.plus_secs(s);
                self.live.expire(self.now);
                let before = self.now.plus_secs(-KEEP_S);
                let mut over: Vec<(Time, EventId)> = self
                    .expected
                    .iter()
                    .filter_map(|(id, it)| Some((it.recovered?.1, *id)))
                    .collect();
                over.sort_unstable();
                let n_surplus = over.len().saturating_sub(RESOLVED_MAX);
                for (place, (time, id)) in over.iter().enumerate() {
                    if place < n_surplus || *time < before {
                        self.expected.remove(id);
                    }
                }
            }
        }
    }

    fn check(&self) {
        let ids: Vec<EventId> = self.live.view().iter().map(|it| it.eventid()).collect();
        assert_eq!(ids, self.expected.keys().copied().collect::<Vec<_>>());
        for (id, expected) in &self.expected {
            expected.check(self.live.get(*id).unwrap());
        }
        let is_open = |it: &&Arc<Problem>| it.is_open();
        assert_eq!(self.live.n_open(), self.live.view().iter().filter(is_open).count());
        for trigger in 0..4 {
            let mut open: Vec<EventId> = self
                .live
                .open_of((source::TRIGGER, object::TRIGGER), trigger)
                .iter()
                .map(|it| it.eventid())
                .collect();
            open.sort_unstable();
            let expected = self
                .expected
                .iter()
                .filter(|(_, it)| it.trigger == trigger && it.recovered.is_none());
            assert_eq!(open, expected.map(|(id, _)| *id).collect::<Vec<_>>());
        }
        // Each problem once, under its newest version.
        let mut changed: Vec<EventId> =
            self.live.changes_since(0).changed.iter().map(|it| it.eventid()).collect();
        changed.sort_unstable();
        assert_eq!(changed, ids);
    }
}

proptest! {
    #[test]
    fn problems_are_what_their_events_and_entries_say(steps in steps()) {
        let mut world = World::new();
        for step in steps {
            world.step(step);
            world.check();
        }
    }
}

/// A request about ranks; numbers choose among the problems, 0 for the cause: make them causes.
fn ranks() -> impl Strategy<Value = Vec<(Vec<u64>, u64, bool)>> {
    let some = prop::collection::vec(1_u64..9, 1..4);
    prop::collection::vec((some, 0_u64..9, any::<bool>()), 1..40)
}

proptest! {
    #[test]
    fn a_cause_is_never_a_symptom_and_a_refused_rank_leaves_no_trace(requests in ranks()) {
        let mut world = World::new();
        (0..8).for_each(|trigger| world.step(Step::Problem { trigger }));
        let causes = |live: &Live| -> Vec<EventId> {
            (1..9).map(|it| live.get(EventId(it)).unwrap().cause).collect()
        };
        for (ids, cause, is_saved) in requests {
            let request = Acknowledgement {
                eventids: ids.iter().map(|it| EventId(*it)).collect(),
                action: if cause == 0 { action::RANK_TO_CAUSE } else { action::RANK_TO_SYMPTOM },
                cause: EventId(cause),
                ..Acknowledgement::default()
            };
            let before = causes(&world.live);
            let ranked = world.live.rank(&request);
            let after = causes(&world.live);
            for id in &request.eventids {
                let own = world.live.get(*id).unwrap().cause;
                // One that is its own cause stays one, also where a symptom of its stands for it.
                prop_assert!(own.is_none() == (cause == 0) || own.is_none() && id.0 == cause
                    || before[usize::try_from(cause).unwrap() - 1] == *id);
            }
            for own in after.iter().filter(|it| it.is_some()) {
                prop_assert!(world.live.get(*own).unwrap().cause.is_none(), "{own} has symptoms");
            }
            if !is_saved {
                world.live.undo_rank(&ranked);
                prop_assert_eq!(causes(&world.live), before);
            }
            world.check();
        }
    }
}

#[test]
fn a_refused_acknowledgement_opens_no_problem_that_ended_meanwhile() {
    let mut world = World::new();
    world.step(Step::Problem { trigger: 1 });
    let (action, until) = (action::ACKNOWLEDGE, 0);
    world.step(Step::Acknowledge { which: 0, n: 1, action, severity: 0, until });
    world.step(Step::Recover { which: 0, n: 1 });
    world.step(Step::Answer { which: 0, is_saved: false });
    world.check();
    let problem = world.live.get(EventId(1)).unwrap();
    assert!(!problem.is_open() && !problem.acknowledged);
    assert_eq!((world.live.n_open(), problem.acknowledges.len()), (0, 0));
}
