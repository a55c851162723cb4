//! Shards compute incrementally the same as `lang` does over all values at once: on random streams
//! with late, duplicate and disordered values, over restarts and changes of configuration.
//!
//! `PIPELINE_CASES` sets the number of streams.

use std::collections::BTreeMap;

use crate::kit::{Config, World, item};
use jiff::tz::TimeZone;
use lang::expression::{Env, Operand, OperandRef, Operands, Program, Value as Computed, parse};
use lang::functions::{Call, FunctionContext, Sample, SampleValue};
use model::batch::{Batch, RawRef, Run};
use model::record::{Num, RecordView};
use model::{HostId, ItemId, Time, TriggerId, Value, ValueType};
use pipeline::{Fetch, Fetched, Input};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use window::Samples;

const KEYS: [(&str, ValueType); 3] =
    [("f", ValueType::Float), ("u", ValueType::Unsigned), ("t", ValueType::Text)];

/// Over one item, so that each value is judged by itself.
const EXPRESSIONS: [&str; 24] = [
    "last(/h/f)>5",
    "last(/h/u,#2)>=4",
    "change(/h/f)>0.5",
    "change(/h/u)<0",
    "avg(/h/f,30s)>4",
    "avg(/h/u,{$P})>4",
    "sum(/h/f,{$P})>12",
    "sum(/h/u,#4)=14",
    "sum(/h/f,20s:now-10s)>10",
    "min(/h/f,#3)>1",
    "max(/h/u,1m)=7",
    "max(/h/f,{$P}:now-20s)>6",
    "count(/h/f,1m,\"gt\",3)>2",
    "count(/h/u,{$P})>3",
    "count(/h/t,#4,\"like\",\"4\")=2",
    "changecount(/h/f,1m)>1",
    "find(/h/t,40s,\"like\",\"4\")=1",
    "percentile(/h/u,{$P},80)>5",
    "first(/h/f,45s)<3",
    "stddevpop(/h/f,1m)>2",
    "min(/h/u,#2)+max(/h/u,{$P})>9 or last(/h/u)=0",
    "avg(/h/f,#5)-avg(/h/f,#5:now-15s)>1",
    "10/(last(/h/u)-3)>2",
    "monoinc(/h/f,#3)=1 and count(/h/f,20s)<>2",
];

#[derive(Clone, Debug)]
enum Act {
    /// Item, half seconds before now, value; more than 9: unsupported.
    Send(Vec<(usize, i64, u8)>),
    Pass(i64),
    Answer(usize),
    /// From checkpoints at so many tenths of the journal.
    Restart(usize),
    Period(usize),
    /// A trigger is added or taken away.
    Trigger(usize),
}

fn act() -> impl Strategy<Value = Act> {
    // Mostly of the last seconds, sometimes minutes late; equal times and equal values are common.
    let back = prop_oneof![6 => 0_i64..6, 2 => 0_i64..60, 1 => 100_i64..400];
    let value = prop_oneof![20 => 0_u8..10, 1 => Just(10_u8)];
    let row = (0_usize..3, back, value);
    prop_oneof![
        10 => prop::collection::vec(row, 1..8).prop_map(Act::Send),
        3 => (1_i64..70).prop_map(Act::Pass),
        4 => (1_usize..4).prop_map(Act::Answer),
        1 => (0_usize..11).prop_map(Act::Restart),
        1 => (0_usize..4).prop_map(Act::Period),
        1 => (0_usize..EXPRESSIONS.len()).prop_map(Act::Trigger),
    ]
}

/// All values ever taken, as history has them.
#[derive(Default)]
struct Store {
    items: BTreeMap<ItemId, Vec<(Time, Value)>>,
    unsupported: BTreeMap<ItemId, bool>,
    read: usize,
}

impl Store {
    fn follow(&mut self, world: &World) {
        for it in &world.journal[self.read..] {
            let view = RecordView::parse(&it.payload).expect("a record");
            for row in view.numbers() {
                let row = row.expect("a row");
                let value = match row.value {
                    Num::Float(it) => Value::Float(it),
                    Num::Unsigned(it) => Value::Unsigned(it),
                };
                self.add(row.item, Time::from_millis(row.ms), value);
            }
            for row in view.texts() {
                let row = row.expect("a row");
                self.add(row.item, row.time, Value::Text(row.text.into()));
            }
        }
        self.read = world.journal.len();
        for state in &world.states {
            if let pipeline::StateOf::Item(item) = state.what {
                self.unsupported.insert(item, state.error.is_some());
            }
        }
    }

    fn add(&mut self, item: ItemId, time: Time, value: Value) {
        let list = self.items.entry(item).or_default();
        let at = list.partition_point(|it| it.0 <= time);
        list.insert(at, (time, value));
    }

    fn newest(&self, item: ItemId) -> Option<Time> {
        self.items.get(&item)?.last().map(|it| it.0)
    }

    fn answer(&self, world: &World, fetch: &Fetch) -> Fetched {
        let empty = Vec::new();
        let all = self.items.get(&fetch.item).unwrap_or(&empty);
        let first = all.partition_point(|it| it.0 <= fetch.from);
        let counted = all.partition_point(|it| it.0 <= fetch.count_until);
        let first = first.min(counted.saturating_sub(fetch.count as usize));
        let rows = &all[first..];
        let samples = match fetch.kind {
            ValueType::Float => Samples::Float(
                rows.iter()
                    .filter_map(|(time, it)| match it {
                        Value::Float(it) => Some((*time, *it)),
                        _ => None,
                    })
                    .collect(),
            ),
            ValueType::Unsigned => Samples::Unsigned(
                rows.iter()
                    .filter_map(|(time, it)| match it {
                        Value::Unsigned(it) => Some((*time, *it)),
                        _ => None,
                    })
                    .collect(),
            ),
            _ => Samples::Text(rows.to_vec()),
        };
        Fetched { id: fetch.id, samples: Ok(samples), lsn: Some(world.lsn()) }
    }
}

/// Values of operands, evaluated over everything.
struct Naive(Vec<Result<Computed, String>>);

impl Operands for Naive {
    fn operand(&self, idx: usize) -> Operand<'_> {
        match &self.0[idx] {
            Ok(Computed::Number(it)) => Operand::Number(*it),
            Ok(Computed::UInt(it)) => Operand::UInt(*it),
            Ok(Computed::Text(it)) => Operand::Text(it),
            Ok(Computed::Vector(it)) => Operand::Vector(it),
            Err(why) => Operand::Unknown(why),
        }
    }
}

fn function(
    store: &Store,
    (item, kind): (ItemId, ValueType),
    (name, parameters): (&str, &str),
    time: Time,
) -> Result<Computed, String> {
    if store.unsupported.get(&item) == Some(&true) {
        return Err("not supported".to_owned());
    }
    let empty = Vec::new();
    let all = store.items.get(&item).unwrap_or(&empty);
    let samples: Vec<Sample<'_>> = all
        .iter()
        .filter(|it| it.0 <= time)
        .map(|(time, value)| {
            let value = match value {
                Value::Float(it) => SampleValue::Float(*it),
                Value::Unsigned(it) => SampleValue::Unsigned(*it),
                other => SampleValue::Text(other.as_text().unwrap_or_default()),
            };
            Sample { time: *time, value }
        })
        .collect();
    let call = Call::parse(name, parameters).map_err(|it| it.to_string())?;
    call.eval(&samples, &FunctionContext::new(time, &TimeZone::UTC, kind))
        .map_err(|it| it.to_string())
}

fn same(left: &Result<Computed, String>, right: &Result<Computed, String>) -> bool {
    let number = |it: &Computed| match it {
        Computed::Number(it) => Some(*it),
        Computed::UInt(it) => Some(formats::number::u64_to_f64(*it)),
        _ => None,
    };
    match (left, right) {
        (Ok(left), Ok(right)) => match (number(left), number(right)) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0),
            _ => left == right,
        },
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

struct Test {
    config: Config,
    host: HostId,
    world: World,
    store: Store,
    items: Vec<ItemId>,
    /// The expression of each trigger.
    triggers: BTreeMap<TriggerId, usize>,
    period: &'static str,
    fetches: Vec<Fetch>,
    /// Questions up to here have been taken over.
    seen: usize,
    now_ms: i64,
    n_sent: i64,
}

const PERIODS: [&str; 4] = ["10s", "45s", "#3", "5m"];

impl Test {
    fn new(expressions: &[usize]) -> Self {
        let mut config = Config::new();
        let host = config.host("h");
        let items = KEYS.iter().map(|it| config.item(host, item(it.0, it.1))).collect();
        config.user_macro(host, "{$P}", PERIODS[0]);
        let mut triggers = BTreeMap::new();
        for at in expressions {
            triggers.insert(config.trigger(host, EXPRESSIONS[*at], |_| {}), *at);
        }
        let world = World::new(&config);
        Self {
            config,
            host,
            world,
            store: Store::default(),
            items,
            triggers,
            period: PERIODS[0],
            fetches: Vec::new(),
            seen: 0,
            now_ms: 0,
            n_sent: 0,
        }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Send(rows) => self.send(rows),
            Act::Pass(seconds) => {
                self.now_ms += seconds * 1_000;
                self.world.pass(self.now_ms / 1_000);
            }
            Act::Answer(n) => self.answer(*n),
            Act::Restart(tenths) => {
                self.world.restart(self.world.journal.len() * tenths / 10);
                self.fetches.clear();
                self.seen = self.world.fetches.len() - self.world.effects.fetches.len();
            }
            Act::Period(at) => {
                self.period = PERIODS[*at];
                self.config.user_macro(self.host, "{$P}", self.period);
                self.world.reconfigure(&mut self.config);
            }
            Act::Trigger(at) => {
                match self.triggers.iter().find(|it| it.1 == at).map(|it| *it.0) {
                    Some(id) => {
                        self.triggers.remove(&id);
                        self.config.edit(self.host, |it| it.triggers.retain(|it| it.id != id));
                    }
                    None => {
                        let id = self.config.trigger(self.host, EXPRESSIONS[*at], |_| {});
                        self.triggers.insert(id, *at);
                    }
                }
                self.world.reconfigure(&mut self.config);
            }
        }
        self.fetches.extend(self.world.fetches.drain(..).skip(self.seen));
        self.seen = 0;
        self.store.follow(&self.world);
    }

    fn send(&mut self, rows: &[(usize, i64, u8)]) {
        self.now_ms += 1_000;
        self.world.set_time(self.now_ms / 1_000);
        let mut batch = Batch::of_epoch(self.world.directory.epoch());
        for (at, back, value) in rows {
            let target = self.world.directory.lookup("h", KEYS[*at].0).expect("the item");
            // No value repeats another: each has a nanosecond of its own.
            self.n_sent += 1;
            let time = Time(self.world.now.wall.0 - back * 500_000_000 + self.n_sent);
            let text = value.to_string();
            let raw = if *value < 10 { RawRef::Text(&text) } else { RawRef::Error("gone") };
            batch.push(target.slot, time, raw).expect("room");
        }
        batch.runs.push(Run { end: u32::try_from(rows.len()).expect("few") });
        self.world.input(Input::Batch(&batch));
    }

    fn answer(&mut self, n: usize) {
        let n = n.min(self.fetches.len());
        let asked: Vec<Fetch> = self.fetches.drain(..n).collect();
        let answers: Vec<Fetched> =
            asked.iter().map(|it| self.store.answer(&self.world, it)).collect();
        self.world.input(Input::Fetched(&answers));
    }

    /// Has all questions answered, and whatever questions follow.
    fn settle(&mut self) {
        // After a start the first timer looks what waits.
        self.act(&Act::Pass(0));
        for _ in 0..10 {
            if self.fetches.is_empty() {
                assert_eq!(self.world.shard.sizes().evaluations_deferred, 0);
                return;
            }
            self.act(&Act::Answer(usize::MAX));
        }
        panic!("questions to history never end");
    }

    fn check_functions(&self) -> TestCaseResult {
        for (trigger, at) in &self.triggers {
            let newest = self.items.iter().filter_map(|it| self.store.newest(*it)).max();
            for time in [Some(self.world.now.wall), newest].into_iter().flatten() {
                let functions = self.world.shard.explain(*trigger, time);
                for it in functions.into_iter().filter(is_reported) {
                    let kind = KEYS.iter().find(|key| key.0 == &*it.key).expect("a key").1;
                    let call = (it.function, &*it.parameters);
                    let naive = function(&self.store, (it.item, kind), call, time);
                    prop_assert!(
                        same(&it.value, &naive),
                        "{} at {time}: {:?}, all at once {naive:?}: {:?}",
                        EXPRESSIONS[*at],
                        it.value,
                        self.store.items.get(&it.item)
                    );
                }
            }
        }
        Ok(())
    }

    /// The trigger is in the state of the present.
    fn check_states(&self, judged: &BTreeMap<TriggerId, bool>) -> TestCaseResult {
        for (trigger, at) in &self.triggers {
            if !judged.get(trigger).copied().unwrap_or(false) {
                continue;
            }
            let text = EXPRESSIONS[*at].replace("{$P}", self.period);
            let ast = parse(&text).expect("a good expression");
            let program = Program::compile_strict(&ast).expect("a good expression");
            let mut time = None;
            let calls: Vec<_> = program
                .operands()
                .iter()
                .map(|it| {
                    let OperandRef::HistoryCall(at) = it else { panic!("{it:?}") };
                    let call = &ast.history_calls()[*at];
                    let key = ast.query(call).expect("an item").key;
                    let at = KEYS.iter().position(|it| it.0 == key).expect("a key");
                    time = time.max(self.store.newest(self.items[at]));
                    (at, ast.call_name(call), ast.call_args(call).collect::<Vec<_>>().join(","))
                })
                .collect();
            let Some(time) = time else { continue };
            let values = calls.iter().map(|(at, name, parameters)| {
                let item = (self.items[*at], KEYS[*at].1);
                function(&self.store, item, (*name, parameters.as_str()), time)
            });
            let naive = Naive(values.collect());
            let verdict = program.eval_truth(&naive, &Env::new(time, &TimeZone::UTC));
            let state = self.world.trigger(*trigger);
            match verdict {
                Ok(is_problem) => {
                    prop_assert_eq!(state.error, None, "{}", &text);
                    prop_assert_eq!(
                        state.is_problem,
                        is_problem,
                        "{} at {}: {:?}",
                        &text,
                        time,
                        naive.0
                    );
                }
                Err(why) => prop_assert!(state.error.is_some(), "{text} at {time}: {why}"),
            }
        }
        Ok(())
    }
}

/// Functions whose values were not queried from history yet are not.
fn is_reported(function: &lang::backtest::FunctionNow) -> bool {
    function.value.as_ref().err().is_none_or(|it| !it.contains("being read from history"))
}

fn cases() -> u32 {
    std::env::var("PIPELINE_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(128)
}

/// Whether the last act judged the trigger under the configuration that counts now, at the newest
/// value: a late value is published for its own time only, whatever it changes in the newest one's
/// window.
fn note_judged(test: &Test, act: &Act, judged: &mut BTreeMap<TriggerId, bool>) {
    match act {
        Act::Send(rows) => {
            for (trigger, at) in &test.triggers {
                let reads = |key: &str| EXPRESSIONS[*at].contains(&format!("/h/{key}"));
                let own = || rows.iter().filter(|it| reads(KEYS[it.0].0));
                let newest = own().filter_map(|it| test.store.newest(test.items[it.0])).max();
                let time = |back: i64| Time(test.world.now.wall.0 - back * 500_000_000);
                if own().next().is_some() {
                    judged.insert(*trigger, own().any(|it| newest <= Some(time(it.1))));
                }
            }
        }
        Act::Period(_) => judged.clear(),
        Act::Trigger(_) => judged.retain(|it, _| test.triggers.contains_key(it)),
        Act::Pass(_) | Act::Answer(_) | Act::Restart(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]
    #[test]
    fn windows_give_what_all_values_at_once_give(
        expressions in prop::collection::btree_set(0_usize..EXPRESSIONS.len(), 1..5),
        acts in prop::collection::vec(act(), 1..60),
    ) {
        let expressions: Vec<usize> = expressions.into_iter().collect();
        let mut test = Test::new(&expressions);
        let mut judged = BTreeMap::new();
        for act in &acts {
            test.act(act);
            note_judged(&test, act, &mut judged);
            if test.fetches.is_empty() {
                test.check_functions()?;
            }
            if test.world.shard.sizes().evaluations_deferred == 0 {
                test.check_states(&judged)?;
            }
        }
        test.settle();
        test.check_functions()?;
        test.check_states(&judged)?;
        test.world.check_replay();
    }
}
