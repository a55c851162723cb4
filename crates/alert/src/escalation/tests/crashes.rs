//! Turns that are lost before they are saved are made again, with the same results.

use std::collections::BTreeMap;

use model::{EventId, UserId};
use proptest::prelude::*;
use serde_json::json;

use super::world::{Known, Play};
use super::{action, command, none, to};
use crate::Alert;
use crate::escalation::{Escalation, EscalationBatch, Escalations, UpdateEntry};

/// Outside events; ids are given in this order.
#[derive(Clone, Copy, Debug)]
enum Happens {
    Problem,
    /// Of one of the problems so far.
    Recovery(usize),
    Update(usize),
    Suppress(usize),
    Release(usize),
    Seconds(u16),
}

/// The contents of a database: rows, and the position up to which inputs were judged.
#[derive(Clone, Debug, Default)]
struct Stored {
    escalations: BTreeMap<u64, Escalation>,
    next_id: u64,
    judged: usize,
    alerts: Vec<Alert>,
}

impl Stored {
    fn save(&mut self, batch: EscalationBatch, next_id: u64, judged: usize) {
        for (id, it) in batch.changed {
            // By its saved form, which has to hold all of it.
            let ids = (it.id, it.action, it.event);
            let read = Escalation::read(ids, it.next_at, &it.body()).expect("as written");
            self.escalations.insert(id, read);
        }
        for id in batch.ended {
            self.escalations.remove(&id);
        }
        self.alerts.extend(batch.alerts);
        (self.next_id, self.judged) = (next_id, judged);
    }

    fn restore(&self) -> Escalations {
        Escalations::restore(self.escalations.values().cloned().collect(), self.next_id)
    }
}

/// Passes one input. `known`: the problems there were by then.
fn judge(
    input: Happens,
    (id, known): (u64, &[u64]),
    (running, world): (&mut Escalations, &mut Known),
) {
    let of = |at: usize| known.get(at % known.len().max(1)).map(|it| EventId(*it));
    let now = world.now;
    match input {
        Happens::Problem => running.problem(EventId(id), world, now),
        Happens::Recovery(at) => {
            of(at).into_iter().for_each(|it| running.recovery((it, EventId(id)), world));
        }
        Happens::Update(at) => {
            let (author, authors) = (UserId(2), Vec::new());
            let entry = of(at).map(|event| UpdateEntry { acknowledge: id, event, author, authors });
            entry.iter().for_each(|it| running.update(it, world));
        }
        _ => {}
    }
}

/// The state of the process after a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    /// It continues.
    Saved,
    /// It is restarted.
    SavedAndEnded,
    /// It ends before the turn is saved.
    Lost,
}

/// Plays all that happens; `end` says how each turn ends.
fn play(list: &[Happens], end: &mut dyn FnMut() -> Turn) -> Vec<Alert> {
    let actions = [
        action(
            &json!([to(1, 1, 3, &none()), to(2, 2, 0, &json!({"esc_period": "2m"}))]),
            &json!({"recovery_operations": [{"operationtype": "11", "opmessage": {}}],
                "update_operations": [{"operationtype": "12", "opmessage": {}}]}),
        ),
        action(
            &json!([to(3, 1, 1, &none()), command(1, 4)]),
            &json!({"pause_suppressed": "0", "recovery_operations": [
                {"operationtype": "0", "opmessage": {}, "opmessage_usr": [{"userid": "4"}]}, command(0, 0)]}),
        ),
    ];
    let mut world: Known = Play::new(&actions).world;
    let mut stored = Stored::default();
    let mut running = stored.restore();
    let (mut inputs, mut problems): (Vec<Happens>, Vec<u64>) = (Vec::new(), Vec::new());
    let mut ids = Vec::new();
    for (next_event, it) in (1_u64..).zip(list) {
        match it {
            Happens::Problem => problems.push(next_event),
            Happens::Suppress(at) | Happens::Release(at) if !problems.is_empty() => {
                let event = EventId(problems[at % problems.len()]);
                match it {
                    Happens::Suppress(_) => world.suppressed.insert(event),
                    _ => world.suppressed.remove(&event),
                };
            }
            Happens::Seconds(by) => world.now += i64::from(*by),
            _ => {}
        }
        inputs.push(*it);
        ids.push((next_event, problems.clone()));
        // As often as it is lost.
        let now = world.now;
        loop {
            for (input, (id, known)) in inputs.iter().zip(&ids).skip(stored.judged) {
                judge(*input, (*id, known), (&mut running, &mut world));
            }
            running.tick(&mut world, now);
            let batch = running.take_batch();
            let end = end();
            if end != Turn::Lost {
                stored.save(batch, running.next_id(), inputs.len());
                world.alerts = stored.alerts.clone();
            }
            if end != Turn::Saved {
                running = stored.restore();
            }
            if end != Turn::Lost {
                break;
            }
        }
    }
    let kept: Vec<&Escalation> = stored.escalations.values().collect();
    let in_memory = running.events().flat_map(|it| running.of_event(it)).count();
    assert_eq!(kept.len(), in_memory, "what is saved is what runs");
    stored.alerts
}

fn happenings() -> impl Strategy<Value = Vec<Happens>> {
    let one = prop_oneof![
        3 => Just(Happens::Problem),
        2 => (0_usize..8).prop_map(Happens::Recovery),
        1 => (0_usize..8).prop_map(Happens::Update),
        1 => (0_usize..8).prop_map(Happens::Suppress),
        1 => (0_usize..8).prop_map(Happens::Release),
        4 => (1_u16..900).prop_map(Happens::Seconds),
    ];
    prop::collection::vec(one, 1..40)
}

proptest! {
    #[test]
    fn no_step_is_made_twice_and_none_is_lost(
        list in happenings(),
        crashes in prop::collection::vec(any::<bool>(), 0..60),
    ) {
        // A paused escalation is checked more often by a process that is restarted often: as often
        // in both runs.
        let undisturbed = play(&list, &mut || Turn::SavedAndEnded);
        let mut left = crashes.iter();
        let lost = |it: &mut std::slice::Iter<'_, bool>| *it.next().unwrap_or(&false);
        let disturbed = play(&list, &mut || {
            if lost(&mut left) { Turn::Lost } else { Turn::SavedAndEnded }
        });
        prop_assert_eq!(&disturbed, &undisturbed);
        // By the numbers of steps alone, without the other run.
        let mut steps: BTreeMap<(u64, EventId, UserId, &str), u32> = BTreeMap::new();
        for it in disturbed.iter().filter(|it| it.problem.0 == 0 && it.acknowledge == 0) {
            let what = (it.action, it.event, it.user, it.parameters.as_str());
            let last = steps.insert(what, it.step);
            prop_assert!(last.is_none_or(|last| last + 1 == it.step), "{:?}", it);
        }
        // Without pauses a restart makes no difference.
        let plain: Vec<Happens> =
            list.iter().filter(|it| !matches!(it, Happens::Suppress(_))).copied().collect();
        let mut left = crashes.iter();
        let disturbed = play(&plain, &mut || {
            if lost(&mut left) { Turn::Lost } else { Turn::SavedAndEnded }
        });
        prop_assert_eq!(disturbed, play(&plain, &mut || Turn::Saved));
    }
}
