//! Triggers are skipped for as long as no value can change them: none is skipped too long. On
//! random streams that keep their rate and their range for a while, and then do not.
//!
//! `PIPELINE_CASES` sets the number of streams.

use crate::kit::{Config, World, item};
use model::batch::{Batch, RawRef, Run};
use model::{HostId, Time, TriggerId, ValueType};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

#[derive(Clone, Debug)]
struct Rule {
    function: &'static str,
    /// Seconds, or a number of values.
    span: (i64, bool),
    op: &'static str,
    /// Eighths of the range that most values lie in.
    right: i64,
    /// Has no short way.
    is_long: bool,
}

fn rule() -> impl Strategy<Value = Rule> {
    let function = prop::sample::select(vec!["last", "avg", "sum", "min", "max", "count", "above"]);
    let span = prop_oneof![
        3 => (20_i64..400).prop_map(|it| (it, false)),
        1 => (1_i64..40).prop_map(|it| (it, true)),
    ];
    let op = prop::sample::select(vec![">", ">=", "<", "<=", "=", "<>"]);
    let is_long = prop::bool::weighted(0.1);
    (function, span, op, -2_i64..11, is_long).prop_map(|(function, span, op, right, is_long)| {
        Rule { function, span, op, right, is_long }
    })
}

/// How values come for a while.
#[derive(Clone, Debug)]
struct Spell {
    /// Milliseconds between them, more or less.
    pause: i64,
    /// Least and greatest, of 64.
    range: (u8, u8),
    values: Vec<(u8, u8)>,
    then: Then,
}

#[derive(Clone, Debug)]
enum Then {
    GoOn,
    /// Seconds without values.
    Pause(i64),
    /// A value from so many seconds ago.
    Late(i64, u8),
    /// Of equal time.
    Again(u8),
    /// This trigger is edited.
    Edit(usize, i64),
    Restart,
}

fn spell() -> impl Strategy<Value = Spell> {
    let then = prop_oneof![
        3 => Just(Then::GoOn),
        2 => (1_i64..600).prop_map(Then::Pause),
        2 => (0_i64..500, 0_u8..64).prop_map(|it| Then::Late(it.0, it.1)),
        1 => (0_u8..64).prop_map(Then::Again),
        1 => (0_usize..6, -2_i64..11).prop_map(|it| Then::Edit(it.0, it.1)),
        1 => Just(Then::Restart),
    ];
    let pause = prop::sample::select(vec![1_000_i64, 10_000, 10_001, 30_000, 60_000]);
    let range = prop_oneof![
        3 => Just((0_u8, 63_u8)),
        1 => (0_u8..64, 0_u8..64).prop_map(|(a, b)| (a.min(b), a.max(b))),
    ];
    let values = prop::collection::vec((any::<u8>(), any::<u8>()), 1..40);
    (pause, range, values, then).prop_map(|(pause, range, values, then)| Spell {
        pause,
        range,
        values,
        then,
    })
}

struct Test {
    config: Config,
    host: HostId,
    world: World,
    rules: Vec<(TriggerId, Rule)>,
    /// Milliseconds and value, ascending.
    stream: Vec<(i64, f64)>,
    now_ms: i64,
    /// Values are multiples of this.
    unit: f64,
    is_float: bool,
    n_read: usize,
}

impl Test {
    fn new(rules: Vec<Rule>, is_float: bool) -> Self {
        let mut config = Config::new();
        let host = config.host("h");
        let kind = if is_float { ValueType::Float } else { ValueType::Unsigned };
        config.item(host, item("i", kind));
        // No sum of these is exact in binary.
        let unit = if is_float { 0.1 } else { 3.0 };
        let rules = rules
            .into_iter()
            .map(|it| (config.trigger(host, &text(&it, unit), |_| {}), it))
            .collect();
        let world = World::new(&config);
        let (stream, now_ms) = (Vec::new(), 1_000);
        Self { config, host, world, rules, stream, now_ms, unit, is_float, n_read: 0 }
    }

    fn send(&mut self, ms: i64, steps: u8) {
        let mut batch = Batch::of_epoch(self.world.directory.epoch());
        let target = self.world.directory.lookup("h", "i").expect("the item");
        // Values of one millisecond differ in their nanoseconds: else the second would be a repeat.
        let ns = self.stream.iter().filter(|it| it.0 == ms).count();
        let time = Time(crate::kit::at(0).0 + ms * 1_000_000 + i64::try_from(ns).expect("few"));
        let value = f64::from(steps) * self.unit;
        let raw = if self.is_float {
            RawRef::Float(value)
        } else {
            RawRef::Unsigned(u64::from(steps) * 3)
        };
        batch.push(target.slot, time, raw).expect("room");
        batch.runs.push(Run { end: 1 });
        self.world.set_time(self.now_ms.div_euclid(1_000) + 1);
        self.world.input(pipeline::Input::Batch(&batch));
        let at = self.stream.partition_point(|it| it.0 <= ms);
        self.stream.insert(at, (ms, value));
    }

    /// Answers questions to history.
    fn answer(&mut self) {
        for _ in 0..3 {
            let asked: Vec<_> = self.world.fetches.drain(..).skip(self.n_read).collect();
            self.n_read = 0;
            let answers: Vec<_> = asked
                .iter()
                .map(|it| {
                    let all =
                        self.stream.iter().map(|it| (crate::kit::at(0).0 + it.0 * 1_000_000, it.1));
                    let samples = if self.is_float {
                        window::Samples::Float(all.map(|it| (Time(it.0), it.1)).collect())
                    } else {
                        let whole = |it: f64| formats::number::f64_to_u64(it).expect("whole");
                        window::Samples::Unsigned(all.map(|it| (Time(it.0), whole(it.1))).collect())
                    };
                    let lsn = Some(self.world.lsn());
                    pipeline::Fetched { id: it.id, samples: Ok(samples), lsn }
                })
                .collect();
            if !answers.is_empty() {
                self.world.input(pipeline::Input::Fetched(&answers));
            }
        }
    }

    fn check(&mut self) -> TestCaseResult {
        self.answer();
        let Some((newest, last)) = self.stream.last().copied() else { return Ok(()) };
        for (trigger, rule) in &self.rules {
            let (n, is_count) = rule.span;
            let window: Vec<f64> = if is_count {
                let n = usize::try_from(n).expect("positive");
                self.stream.iter().rev().take(n).map(|it| it.1).collect()
            } else {
                let from = newest - n * 1_000;
                self.stream.iter().filter(|it| from < it.0).map(|it| it.1).collect()
            };
            let len = f64::from(u32::try_from(window.len()).expect("few"));
            let sum = window.iter().map(|it| (it / self.unit).round()).sum::<f64>() * self.unit;
            let limit = 32.0 * self.unit + 1e-9;
            let value = match rule.function {
                "last" => last,
                "avg" => sum / len,
                "sum" => sum,
                "min" => window.iter().copied().fold(f64::INFINITY, f64::min),
                "max" => window.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                "count" => len,
                _ => window.iter().map(|it| f64::from(u8::from(limit < *it))).sum(),
            };
            let right = right(rule, self.unit);
            // Whether numbers so near are equal is a matter of rounding.
            if (value - right).abs() < 1e-9 && self.is_float && rule.function != "count" {
                continue;
            }
            let wanted = match rule.op {
                ">" => right < value,
                ">=" => right <= value,
                "<" => value < right,
                "<=" => value <= right,
                "=" => (value - right).abs() < 1e-12,
                _ => 1e-12 < (value - right).abs(),
            };
            let state = self.world.trigger(*trigger);
            prop_assert_eq!(&state.error, &None, "{:?}", rule);
            prop_assert_eq!(
                state.is_problem,
                wanted,
                "{:?} at {}: {}, of {:?}",
                rule,
                newest,
                value,
                &window
            );
        }
        Ok(())
    }

    fn run(&mut self, spell: &Spell) -> TestCaseResult {
        for (value, jitter) in &spell.values {
            // Mostly on time.
            let jitter =
                if *jitter < 200 { 0 } else { (i64::from(*jitter) - 228) * spell.pause / 40 };
            self.now_ms += (spell.pause + jitter).max(0);
            let (low, high) = spell.range;
            let value = low + value % (high - low + 1);
            self.send(self.now_ms, value);
            self.check()?;
        }
        match spell.then {
            Then::GoOn => {}
            Then::Pause(seconds) => self.now_ms += seconds * 1_000,
            Then::Late(back, value) => {
                // Its effect on the newest value's window shows with the next value.
                self.send((self.now_ms - back * 1_000).max(0), value);
                self.answer();
            }
            Then::Again(value) => {
                self.send(self.now_ms, value);
                self.check()?;
            }
            Then::Edit(at, right) => self.edit(at, right),
            Then::Restart => {
                self.world.restart(self.world.journal.len() / 2);
                self.n_read = self.world.fetches.len() - self.world.effects.fetches.len();
            }
        }
        Ok(())
    }

    fn edit(&mut self, at: usize, right: i64) {
        let at = at % self.rules.len();
        let (id, rule) = &mut self.rules[at];
        let old = *id;
        rule.right = right;
        let rule = rule.clone();
        self.config.edit(self.host, |it| it.triggers.retain(|it| it.id != old));
        self.rules[at].0 = self.config.trigger(self.host, &text(&rule, self.unit), |_| {});
        self.world.reconfigure(&mut self.config);
        // A new trigger is judged with the next value.
        self.now_ms += 1;
        self.send(self.now_ms, 32);
    }
}

/// The center of most numbers of the function.
fn right(rule: &Rule, unit: f64) -> f64 {
    let eighths = f64::from(i32::try_from(rule.right).expect("small"));
    match rule.function {
        "count" | "above" => eighths * 3.0,
        "sum" => eighths * unit * 40.0,
        _ => eighths * unit * 8.0,
    }
}

fn text(rule: &Rule, unit: f64) -> String {
    let (n, is_count) = rule.span;
    let span = if is_count { format!("#{n}") } else { format!("{n}s") };
    let call = match rule.function {
        "last" => "last(/h/i)".to_owned(),
        // Whole numbers are compared with whole ones only.
        "above" => {
            let limit = 32.0 * unit + if unit.fract() == 0.0 { 0.0 } else { 1e-9 };
            format!("count(/h/i,{span},\"gt\",\"{limit}\")")
        }
        it => format!("{it}(/h/i,{span})"),
    };
    let zero = if rule.is_long { "+0*last(/h/i)" } else { "" };
    let right = right(rule, unit);
    format!("{call}{zero}{}{}{}", rule.op, if right < 0.0 { "-" } else { "" }, right.abs())
}

fn cases() -> u32 {
    std::env::var("PIPELINE_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(128)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]
    #[test]
    fn no_trigger_is_skipped_too_long(
        rules in prop::collection::vec(rule(), 1..6),
        is_float in any::<bool>(),
        spells in prop::collection::vec(spell(), 1..8),
    ) {
        let mut test = Test::new(rules, is_float);
        for spell in &spells {
            test.run(spell)?;
        }
    }
}
