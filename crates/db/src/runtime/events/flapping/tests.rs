//! When a trigger is flapping, what its problems show of it, and what a start finds.

use std::sync::Arc;

use model::content::Severity;
use model::settings::FlappingRule;
use model::{EventId, HostId, Time, UserId};
use proptest::prelude::*;

use crate::runtime::events::live::{Live, Touched};
use crate::runtime::events::{EventRow, EventSettings, Problem, object, source};

const RULE: FlappingRule = FlappingRule { changes: 4, period_s: 100 };

fn at(second: i64) -> Time {
    Time::from_clock(second, 0)
}

struct World {
    live: Live,
    next: u64,
    now: i64,
    /// By trigger.
    open: [Vec<u64>; 3],
}

impl World {
    fn new(rule: FlappingRule) -> Self {
        let mut live = Live::new(EventSettings::default());
        live.set_flapping(rule, at(1_000));
        Self { live, next: 1, now: 1_000, open: Default::default() }
    }

    fn event(&mut self, trigger: usize, recovers: &[u64]) -> u64 {
        let id = self.next;
        self.next += 1;
        let event = EventRow {
            eventid: EventId(id),
            source: source::TRIGGER,
            object: object::TRIGGER,
            objectid: trigger as u64,
            time: at(self.now),
            value: u8::from(recovers.is_empty()),
            severity: Severity::High,
            name: String::new(),
            opdata: String::new(),
            tags: Vec::new(),
            hosts: vec![HostId(1)],
            recovers: recovers.iter().map(|it| EventId(*it)).collect(),
            userid: UserId::NONE,
        };
        self.live.apply(event, &mut Touched::new());
        id
    }

    fn down(&mut self, trigger: usize) -> u64 {
        let id = self.event(trigger, &[]);
        self.open[trigger].push(id);
        id
    }

    fn up(&mut self, trigger: usize) {
        let open = std::mem::take(&mut self.open[trigger]);
        if !open.is_empty() {
            self.event(trigger, &open);
        }
    }

    fn pass(&mut self, s: i64) {
        self.now += s;
        self.live.pass(at(self.now));
    }

    fn is_flapping(&self, problem: u64) -> bool {
        self.live.get(EventId(problem)).expect("a problem").flapping
    }

    fn restarted(&self) -> Live {
        let saved = |it: &Arc<Problem>| Problem { flapping: false, ..Problem::clone(it) };
        let mut live = Live::new(EventSettings::default());
        live.restore(self.live.view().iter().map(saved).collect(), EventId(self.next - 1));
        live.set_flapping(RULE, at(self.now));
        live
    }
}

#[test]
fn one_change_too_many_begins_flapping_and_a_stable_period_ends_it() {
    let mut world = World::new(RULE);
    let first = world.down(0);
    world.pass(30);
    world.up(0);
    world.pass(30);
    let second = world.down(0);
    assert!(!world.is_flapping(second), "the third change");
    world.pass(30);
    world.up(0);
    world.pass(5);
    let third = world.down(0);
    assert!(world.is_flapping(third));
    assert!(!world.is_flapping(first) && !world.is_flapping(second), "they were published");
    // Another trigger is stable.
    let other = world.down(1);
    assert!(!world.is_flapping(other));
    world.pass(99);
    assert!(world.is_flapping(third));
    let version = world.live.version();
    world.pass(1);
    assert!(!world.is_flapping(third));
    assert!(version < world.live.version(), "readers hear of it");
}

#[test]
fn slow_changes_are_none_too_many() {
    let mut world = World::new(RULE);
    for _ in 0..20 {
        let problem = world.down(0);
        assert!(!world.is_flapping(problem));
        world.pass(34);
        world.up(0);
        world.pass(34);
    }
}

#[test]
fn several_problems_at_once_are_one_change() {
    let mut world = World::new(RULE);
    for _ in 0..20 {
        let problem = world.down(0);
        assert!(!world.is_flapping(problem));
        world.pass(1);
    }
}

#[test]
fn without_a_rule_nothing_is_flapping_and_a_new_rule_counts_at_once() {
    let mut world = World::new(FlappingRule { changes: 0, ..RULE });
    let mut problem = 0;
    for _ in 0..5 {
        world.up(0);
        problem = world.down(0);
        world.pass(1);
    }
    assert!(!world.is_flapping(problem));
    world.live.set_flapping(RULE, at(world.now));
    assert!(world.is_flapping(problem));
    world.live.set_flapping(FlappingRule { changes: 0, ..RULE }, at(world.now));
    assert!(!world.is_flapping(problem));
}

proptest! {
    #[test]
    fn a_start_finds_what_was(steps in prop::collection::vec((0_usize..3, any::<bool>(), 0_i64..60), 1..120)) {
        let mut world = World::new(RULE);
        for (trigger, is_down, s) in steps {
            if is_down {
                world.down(trigger);
            } else {
                world.up(trigger);
            }
            world.pass(s);
            let restarted = world.restarted();
            for it in world.live.view().iter().filter(|it| it.is_open()) {
                let after = restarted.get(it.eventid()).expect("a problem");
                prop_assert_eq!(after.flapping, it.flapping, "{}", it.eventid());
            }
        }
    }
}
