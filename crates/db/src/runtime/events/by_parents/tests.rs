//! Ranks by parents: single stories, and any order of events against a plain model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::content::{FunctionRef, ItemContent, ItemFlags, Severity, TriggerContent};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::{EventId, HostId, ItemId, Time, TriggerId, UserId};
use proptest::prelude::*;

use super::GRACE_S;
use crate::runtime::events::live::{Live, Touched};
use crate::runtime::events::{
    Acknowledgement, EventRow, EventSettings, Problem, action, object, source,
};
use crate::runtime::parents::Topology;

/// Of triggers that do not show whether a host answers.
const OTHER: u64 = 1_000;

/// Hosts from 1 on, each with its parents. A host's trigger has its number and reads whether it answers.
fn snapshot(parents: &[&[u64]]) -> Arc<Snapshot> {
    let mut snapshot = Snapshot::default();
    for (number, parents) in (1..).zip(parents) {
        let id = HostId(number);
        let name: Arc<str> = format!("host {number}").into();
        let mut host = Host::new(id, HolderKind::Host, Arc::clone(&name), name);
        host.parents = parents.iter().map(|it| HostId(*it)).collect();
        for (trigger, item, key) in
            [(number, 100 + number, "icmpping"), (OTHER + number, 200 + number, "load")]
        {
            let content = ItemContent { key_: key.to_owned(), ..ItemContent::default() };
            host.items.push(ItemRow {
                id: ItemId(item),
                source: ItemId::NONE,
                content: Arc::new(content),
                extra: None,
                flags: ItemFlags::Plain,
            });
            let function = FunctionRef {
                item: ItemId(item),
                function: "last".to_owned(),
                parameter: "$".to_owned(),
            };
            let content = TriggerContent { functions: vec![function], ..TriggerContent::default() };
            host.triggers.push(TriggerRow {
                id: TriggerId(trigger),
                source: TriggerId::NONE,
                content: Arc::new(content),
                extra: None,
                flags: ItemFlags::Plain,
            });
            snapshot.item_runs.insert(ItemId(item), (ItemId(item), id));
            snapshot.trigger_runs.insert(TriggerId(trigger), (TriggerId(trigger), id));
        }
        snapshot.hosts.insert(id, Arc::new(host));
    }
    Arc::new(snapshot)
}

struct World {
    live: Live,
    snapshot: Arc<Snapshot>,
    next: u64,
    now: i64,
}

impl World {
    fn new(parents: &[&[u64]]) -> Self {
        let snapshot = snapshot(parents);
        let mut live = Live::new(EventSettings::default());
        live.set_topology(Arc::new(Topology::of(&snapshot)), Time::ZERO);
        Self { live, snapshot, next: 1, now: 1_000 }
    }

    fn event(&mut self, trigger: u64, recovers: Option<u64>) -> u64 {
        let id = self.next;
        self.next += 1;
        let event = EventRow {
            eventid: EventId(id),
            source: source::TRIGGER,
            object: object::TRIGGER,
            objectid: trigger,
            time: Time::from_clock(self.now, 0),
            value: u8::from(recovers.is_none()),
            severity: Severity::High,
            name: String::new(),
            opdata: String::new(),
            tags: Vec::new(),
            hosts: vec![HostId(trigger % OTHER)],
            recovers: recovers.map(EventId).into_iter().collect(),
            userid: UserId::NONE,
        };
        self.live.apply(event, &mut Touched::new());
        id
    }

    fn down(&mut self, trigger: u64) -> u64 {
        self.event(trigger, None)
    }

    fn up(&mut self, problem: u64) {
        let trigger = self.get(problem).event.objectid;
        self.event(trigger, Some(problem));
    }

    fn pass(&mut self, s: i64) {
        self.now += s;
        self.live.pass(Time::from_clock(self.now, 0));
    }

    fn get(&self, problem: u64) -> &Problem {
        self.live.get(EventId(problem)).expect("a problem")
    }

    fn cause(&self, problem: u64) -> u64 {
        self.get(problem).cause.0
    }

    fn rank(&mut self, problem: u64, cause: u64) {
        let request = Acknowledgement {
            eventids: vec![EventId(problem)],
            action: if cause == 0 { action::RANK_TO_CAUSE } else { action::RANK_TO_SYMPTOM },
            cause: EventId(cause),
            ..Acknowledgement::default()
        };
        self.live.acknowledge(&request, &[], self.next * 100, self.now);
        self.live.rank(&request);
    }

    /// The state of memory after a restart.
    fn restarted(&self) -> Live {
        let saved = |it: &Arc<Problem>| {
            let cause = if it.is_open() { it.ranked.unwrap_or_default() } else { it.cause };
            let ranked = cause.is_some().then_some(cause);
            Problem { cause, ranked, ..Problem::clone(it) }
        };
        let mut live = Live::new(EventSettings::default());
        live.restore(self.live.view().iter().map(saved).collect(), EventId(self.next - 1));
        let topology = Arc::new(Topology::of(&self.snapshot));
        live.set_topology(topology, Time::from_clock(self.now, 0));
        live
    }
}

#[test]
fn problems_below_a_parent_are_symptoms_even_if_seen_first() {
    let mut world = World::new(&[&[], &[1], &[1]]);
    let first = world.down(2);
    assert_eq!(world.cause(first), 0);
    let version = world.live.version();
    let parent = world.down(1);
    let second = world.down(3);
    assert_eq!([first, parent, second].map(|it| world.cause(it)), [parent, 0, parent]);
    assert!(version < world.get(first).version, "readers hear of it");
    // A problem that says nothing of reachability stays what it is.
    let load = world.down(OTHER + 2);
    assert_eq!(world.cause(load), 0);
    // A resolved one stays a symptom; one that outlives the parent's by too long is a cause.
    world.up(parent);
    world.pass(GRACE_S - 1);
    world.up(second);
    assert_eq!([first, second].map(|it| world.cause(it)), [parent, parent]);
    world.pass(1);
    assert_eq!([first, second].map(|it| world.cause(it)), [0, parent]);
}

#[test]
fn all_parents_have_to_be_down_and_the_oldest_root_is_the_cause() {
    // 4 is a child of 2 and 3, 2 is a child of 1.
    let mut world = World::new(&[&[], &[1], &[], &[2, 3]]);
    let child = world.down(4);
    let second = world.down(2);
    assert_eq!(world.cause(child), 0, "the other way is open");
    let third = world.down(3);
    assert_eq!(world.cause(child), second);
    let root = world.down(1);
    assert_eq!([child, second, third].map(|it| world.cause(it)), [third, root, 0]);
    world.up(third);
    world.pass(GRACE_S);
    assert_eq!([child, second].map(|it| world.cause(it)), [0, root]);
}

#[test]
fn another_problem_of_the_parent_takes_over_at_once() {
    let mut world = World::new(&[&[], &[1]]);
    let parent = world.down(1);
    let child = world.down(2);
    world.up(parent);
    let again = world.down(1);
    assert_eq!(world.cause(child), again);
}

#[test]
fn manual_ranks_come_before_parents() {
    let mut world = World::new(&[&[], &[1], &[1]]);
    let other = world.down(OTHER + 3);
    let parent = world.down(1);
    let [child, sibling] = [2, 3].map(|it| world.down(it));
    // It was never a symptom of its parent's: the user says so.
    world.rank(child, 0);
    assert_eq!([child, sibling].map(|it| world.cause(it)), [0, parent]);
    assert_eq!(world.restarted().get(EventId(child)).expect("a problem").cause, EventId::NONE);
    // The parent's is a symptom of something else: so are those of its children.
    world.rank(parent, other);
    assert_eq!([parent, sibling].map(|it| world.cause(it)), [other, other]);
    world.rank(parent, 0);
    assert_eq!([parent, sibling].map(|it| world.cause(it)), [0, parent]);
    // A problem that users made a symptom follows its cause.
    world.rank(other, sibling);
    assert_eq!(world.cause(other), parent);
}

#[test]
fn symptoms_by_hand_follow_their_cause_below_its_parent_and_back() {
    let mut world = World::new(&[&[], &[1]]);
    let child = world.down(2);
    let load = world.down(OTHER + 2);
    world.rank(load, child);
    assert_eq!(world.cause(load), child);
    let parent = world.down(1);
    assert_eq!([child, load].map(|it| world.cause(it)), [parent, parent]);
    world.up(parent);
    world.pass(GRACE_S);
    assert_eq!([child, load].map(|it| world.cause(it)), [0, child]);
}

#[test]
fn a_circle_ends() {
    let mut world = World::new(&[&[2], &[1]]);
    let problems = [1, 2].map(|it| world.down(it));
    // Nobody can make one; its result does not matter, but it must end.
    assert!(problems.iter().all(|it| world.cause(*it) != *it));
}

#[test]
fn without_parents_any_more_nothing_is_a_symptom() {
    let mut world = World::new(&[&[], &[1]]);
    let parent = world.down(1);
    let child = world.down(2);
    assert_eq!(world.cause(child), parent);
    let now = Time::from_clock(world.now, 0);
    world.live.set_topology(Arc::new(Topology::of(&snapshot(&[&[], &[]]))), now);
    assert_eq!(world.cause(child), 0);
    world.live.set_topology(Arc::new(Topology::of(&snapshot(&[&[], &[1]]))), now);
    assert_eq!(world.cause(child), parent);
}

#[derive(Clone, Debug)]
enum Step {
    Down(u64),
    Up(usize),
    Pass(i64),
}

fn steps(n_hosts: u64) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..=n_hosts).prop_map(Step::Down),
        3 => (0_usize..16).prop_map(Step::Up),
        2 => prop_oneof![Just(10_i64), Just(GRACE_S - 1), Just(GRACE_S)].prop_map(Step::Pass),
    ];
    prop::collection::vec(step, 1..60)
}

/// Parents have smaller numbers: there are no circles.
fn parents(n_hosts: u64) -> impl Strategy<Value = Vec<Vec<u64>>> {
    (1..=n_hosts)
        .map(|it| {
            prop::collection::btree_set(1..it.max(2), 0..3)
                .prop_map(move |all| all.into_iter().filter(|of| *of < it).collect())
        })
        .collect::<Vec<_>>()
}

/// Plainly: host to its open problems, and to resolved ones with the second.
#[derive(Default)]
struct Plain {
    open: BTreeMap<u64, BTreeSet<u64>>,
    over: BTreeMap<u64, BTreeMap<u64, i64>>,
}

impl Plain {
    fn stands_for(&self, host: u64, now: i64) -> Option<u64> {
        let open = self.open.get(&host).and_then(|it| it.first().copied());
        let over = self.over.get(&host).into_iter().flatten();
        open.or_else(|| over.filter(|it| now < it.1 + GRACE_S).map(|it| *it.0).max())
    }

    fn above(&self, host: u64, parents: &[Vec<u64>], now: i64) -> Option<u64> {
        let own = &parents[usize::try_from(host - 1).expect("small")];
        let roots: Option<Vec<u64>> = own
            .iter()
            .map(|it| {
                let down = self.stands_for(*it, now)?;
                Some(self.above(*it, parents, now).unwrap_or(down))
            })
            .collect();
        roots?.into_iter().min()
    }
}

proptest! {
    #[test]
    fn ranks_depend_on_what_is_down_and_on_nothing_else(
        parents in parents(7),
        steps in steps(7),
    ) {
        let slices: Vec<&[u64]> = parents.iter().map(Vec::as_slice).collect();
        let mut world = World::new(&slices);
        let mut plain = Plain::default();
        for step in steps {
            match step {
                Step::Down(host) => {
                    let id = world.down(host);
                    plain.open.entry(host).or_default().insert(id);
                }
                Step::Up(which) => {
                    let open: Vec<(u64, u64)> = plain
                        .open
                        .iter()
                        .flat_map(|(host, all)| all.iter().map(|it| (*host, *it)))
                        .collect();
                    if open.is_empty() {
                        continue;
                    }
                    let (host, id) = open[which % open.len()];
                    world.up(id);
                    plain.open.entry(host).or_default().remove(&id);
                    plain.over.entry(host).or_default().insert(id, world.now);
                }
                Step::Pass(s) => world.pass(s),
            }
            let restarted = world.restarted();
            for (host, open) in &plain.open {
                let expected = plain.above(*host, &parents, world.now).unwrap_or(0);
                for id in open {
                    prop_assert_eq!(world.cause(*id), expected, "problem {} of host {}", id, host);
                    let after = restarted.get(EventId(*id)).expect("a problem").cause.0;
                    prop_assert_eq!(after, expected, "after a start");
                }
            }
            for it in world.live.view().iter().filter(|it| it.is_open() && it.is_symptom()) {
                let cause = world.get(it.cause.0);
                prop_assert!(!cause.is_open() || cause.cause.is_none(), "a cause is no symptom");
            }
        }
    }
}
