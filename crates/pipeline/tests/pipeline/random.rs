//! Random configurations under random input: nothing panics, and replay gives the same state.

use std::collections::VecDeque;
use std::sync::LazyLock;

use crate::kit::{Config, World, item, step};
use model::batch::{Batch, RawRef, Run};
use model::content::{ItemFlags, ItemStatus, ItemType, RecoveryMode, Step};
use model::{EventId, ItemId, Time, UserId, ValueType};
use pipeline::{CloseProblem, FetchFailed, Fetched, Input};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use window::Samples;

const TYPES: [ValueType; 5] =
    [ValueType::Float, ValueType::Unsigned, ValueType::Char, ValueType::Text, ValueType::Log];

const STEPS: [(Step, &str); 10] = [
    (Step::Multiplier, "0.5"),
    (Step::Multiplier, "{$M}"),
    (Step::ChangePerSecond, ""),
    (Step::SimpleChange, ""),
    (Step::DiscardUnchanged, ""),
    (Step::DiscardUnchangedHeartbeat, "20s"),
    (Step::Trim, " "),
    (Step::JsonPath, "$.a"),
    (Step::Regex, "([0-9]+)\n\\1"),
    (Step::BoolToDecimal, ""),
];

const TRIGGERS: [&str; 14] = [
    "last(/A/X)>5",
    "last(/A/X)>{$M} and last(/A/Y)<3",
    "avg(/A/X,30s)>4",
    "min(/A/X,#3)>1 or max(/A/Y,1m)=7",
    "sum(/A/X,20s:now-10s)>10",
    "count(/A/X,1m,\"gt\",3)>2",
    "count(/A/X,#4)=4",
    "changecount(/A/X,1m)>1",
    "change(/A/X)>2",
    "nodata(/A/X,30s)=1",
    "find(/A/X,1m,\"like\",\"4\")=1",
    "last(/A/X,#2)>last(/A/Y)",
    "percentile(/A/X,1m,80)>3 and time()<235959",
    "last(/A/X)/last(/A/Y)>1",
];

const TEXTS: [&str; 12] = [
    "1",
    "7",
    "4.5",
    "-2",
    "0",
    "on",
    "x",
    "",
    "{\"a\": 6}",
    " 3 ",
    "1e400",
    "18446744073709551615",
];

/// Heavy for steps that read all of it.
static BIG: LazyLock<String> =
    LazyLock::new(|| format!("{{\"a\": 7, \"b\": \"{}\"}}", "5".repeat(70_000)));

#[derive(Clone, Debug)]
struct ItemSpec {
    kind: usize,
    steps: Vec<usize>,
    role: u8,
}

#[derive(Clone, Debug)]
struct TriggerSpec {
    expression: usize,
    items: (usize, usize),
    recovery: u8,
    multiple: bool,
    master: bool,
}

#[derive(Clone, Debug)]
enum Act {
    Send(Vec<(usize, i64, usize)>),
    Pass(i64),
    Answer { fails: bool, knows: bool },
    Work(usize),
    Close(u64),
    Toggle(usize),
    Macro(u8),
    Retype(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let row = (0_usize..8, -30_i64..5, 0_usize..TEXTS.len() + 3);
    prop_oneof![
        8 => prop::collection::vec(row, 1..12).prop_map(Act::Send),
        3 => (0_i64..50).prop_map(Act::Pass),
        2 => (any::<bool>(), any::<bool>()).prop_map(|(fails, knows)| Act::Answer { fails, knows }),
        3 => (1_usize..3).prop_map(Act::Work),
        1 => (0_u64..10).prop_map(Act::Close),
        1 => (0_usize..8).prop_map(Act::Toggle),
        1 => (0_u8..9).prop_map(Act::Macro),
        1 => (0_usize..8).prop_map(Act::Retype),
    ]
}

fn build(items: &[ItemSpec], triggers: &[TriggerSpec]) -> Config {
    let mut config = Config::new();
    // Two hosts, usually of different partitions.
    let hosts = [config.host("a"), config.host("b")];
    let mut ids: Vec<ItemId> = Vec::new();
    for (at, spec) in items.iter().enumerate() {
        let mut content = item(&format!("k{at}"), TYPES[spec.kind]);
        content.preprocessing =
            spec.steps.iter().map(|it| step(STEPS[*it].0, STEPS[*it].1)).collect();
        let host = hosts[at % 2];
        let mut flags = ItemFlags::Plain;
        match spec.role {
            0 if 2 <= at => {
                content.kind = ItemType::Dependent;
                content.master_itemid = ids[at - 2];
            }
            1 if 2 <= at => {
                content.kind = ItemType::Calculated;
                content.delay = "10s".to_owned();
                content.params = format!("last(//k{})*2+sum(/a/k0,1m)", at - 2);
            }
            2 => flags = ItemFlags::Rule,
            _ => {}
        }
        ids.push(config.item_row(host, content, flags));
    }
    config.user_macro(hosts[0], "{$M}", "2");
    let mut last = None;
    for spec in triggers {
        let name = |at: usize| format!("/{}/k{at}", ["a", "b"][at % 2]);
        let (x, y) = (spec.items.0 % items.len(), spec.items.1 % items.len());
        let expression =
            TRIGGERS[spec.expression].replace("/A/X", &name(x)).replace("/A/Y", &name(y));
        let recovery = format!("last({})<2", name(x));
        let id = config.trigger(hosts[x % 2], &expression, |it| {
            it.multiple = spec.multiple;
            it.dependencies = last.filter(|_| spec.master).into_iter().collect();
            match spec.recovery {
                0 => it.recovery_mode = RecoveryMode::None,
                1 => {
                    it.recovery_mode = RecoveryMode::RecoveryExpression;
                    it.recovery_expression = recovery;
                }
                _ => {}
            }
        });
        last = Some(id);
    }
    config
}

fn send(world: &mut World, n_items: usize, rows: &[(usize, i64, usize)]) {
    let now = world.now.wall;
    let mut batch = Batch::default();
    batch.epoch = world.directory.epoch();
    for (at, late, text) in rows {
        let at = at % n_items;
        let host = ["a", "b"][at % 2];
        let Some(target) = world.directory.lookup(host, &format!("k{at}")) else { continue };
        let raw = match TEXTS.get(*text) {
            Some(text) => RawRef::Text(text),
            None if *text == TEXTS.len() => RawRef::Error("no answer"),
            None if *text == TEXTS.len() + 1 => RawRef::Text(&BIG),
            None => RawRef::Nothing,
        };
        let time = Time(now.0 + late.min(&2) * model::time::NANOS / 2);
        batch.push(target.slot, time, raw).expect("room");
    }
    let half = u32::try_from(batch.len() / 2).expect("small");
    let end = u32::try_from(batch.len()).expect("small");
    batch.runs.extend([Run { end: half }, Run { end }]);
    world.input(Input::Batch(&batch));
    let total: u32 = world.effects.runs.iter().map(|it| it.processed + it.failed).sum();
    assert_eq!(total, end);
}

fn answer(world: &mut World, fetches: &mut Vec<pipeline::Fetch>, fails: bool, knows: bool) {
    let answers: Vec<Fetched> = fetches
        .drain(..)
        .map(|it| {
            let time = Time(world.now.wall.0 - 5 * model::time::NANOS);
            let samples = match it.kind {
                ValueType::Float => Samples::Float(vec![(time, 3.0)]),
                ValueType::Unsigned => Samples::Unsigned(vec![(time, 3)]),
                _ => Samples::Text(vec![(time, model::Value::Text("4".into()))]),
            };
            let samples = if fails { Err(FetchFailed::because("busy")) } else { Ok(samples) };
            Fetched { id: it.id, samples, lsn: knows.then_some(world.lsn()) }
        })
        .collect();
    world.input(Input::Fetched(&answers));
}

fn play(items: &[ItemSpec], triggers: &[TriggerSpec], acts: &[Act]) -> TestCaseResult {
    let mut config = build(items, triggers);
    let mut world = World::new(&config);
    let mut seconds = 0;
    let mut fetches: Vec<pipeline::Fetch> = Vec::new();
    let mut jobs: VecDeque<pipeline::HeavyJob> = VecDeque::new();
    let mut delivered = 0;
    for act in acts {
        match act {
            Act::Send(rows) => {
                seconds += 1;
                world.set_time(seconds);
                send(&mut world, items.len(), rows);
            }
            Act::Pass(for_s) => {
                seconds += for_s;
                world.pass(seconds);
            }
            Act::Answer { fails, knows } => answer(&mut world, &mut fetches, *fails, *knows),
            Act::Work(n) => {
                let n = jobs.len().min(*n);
                let answers: Vec<_> =
                    jobs.drain(..n).map(|it| it.run(&mut script::NoScripts)).collect();
                world.input(Input::HeavyDone(&answers));
            }
            Act::Close(event) => {
                let trigger = world.events.iter().find(|it| it.0 == *event).map(|it| it.1.trigger);
                let Some(trigger) = trigger else { continue };
                let close = CloseProblem {
                    trigger,
                    event: EventId(*event),
                    user: UserId(1),
                    time: world.now.wall,
                };
                world.input(Input::Close(&close));
            }
            Act::Toggle(at) | Act::Retype(at) => {
                let at = at % items.len();
                let host = config.snapshot.host_named(["a", "b"][at % 2]).expect("a host").id;
                config.edit(host, |it| {
                    let row = it.items.get_mut(at / 2).expect("a row");
                    let mut content = model::content::ItemContent::clone(&row.content);
                    if matches!(act, Act::Toggle(_)) {
                        content.status = match content.status {
                            ItemStatus::Enabled => ItemStatus::Disabled,
                            ItemStatus::Disabled => ItemStatus::Enabled,
                        };
                    } else if content.value_type == ValueType::Float {
                        content.value_type = ValueType::Text;
                    }
                    row.content = content.into();
                });
                world.reconfigure(&mut config);
            }
            Act::Macro(value) => {
                let host = config.snapshot.host_named("a").expect("a host").id;
                config.user_macro(host, "{$M}", &value.to_string());
                world.reconfigure(&mut config);
            }
        }
        fetches.extend(world.effects.fetches.iter().copied());
        jobs.extend(world.effects.heavy.iter().cloned());
        // Forwarded batches of one partition come back as input of another, each batch twice.
        while delivered < world.forwards.len() {
            let batch = world.forwards[delivered].clone();
            delivered += 1;
            world.input(Input::Forwarded(&batch));
            fetches.extend(world.effects.fetches.iter().copied());
            jobs.extend(world.effects.heavy.iter().cloned());
            let events = world.events.len();
            world.input(Input::Forwarded(&batch));
            prop_assert_eq!(world.events.len(), events, "a repeat did something");
        }
    }
    // Types that changed on the way leave values of the former type in records: those are not
    // what replay with today's configuration can know.
    if !acts.iter().any(|it| matches!(it, Act::Retype(_))) {
        world.check_replay();
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]
    #[test]
    fn whatever_comes_nothing_panics_and_replay_gives_the_same_state(
        items in prop::collection::vec(
            (0_usize..5, prop::collection::vec(0_usize..STEPS.len(), 0..3), 0_u8..9)
                .prop_map(|(kind, steps, role)| ItemSpec { kind, steps, role }),
            2..8,
        ),
        triggers in prop::collection::vec(
            (0_usize..TRIGGERS.len(), (0_usize..8, 0_usize..8), 0_u8..5, any::<bool>(), any::<bool>())
                .prop_map(|(expression, items, recovery, multiple, master)| {
                    TriggerSpec { expression, items, recovery, multiple, master }
                }),
            0..8,
        ),
        acts in prop::collection::vec(act(), 1..40),
    ) {
        play(&items, &triggers, &acts)?;
    }
}
