//! A backtest says what the live shard did.

use crate::kit::{Config, World, at, item};
use lang::backtest::{BacktestReport, EndedBy, UnknownSpan};
use lang::expression::Value as Computed;
use model::batch::RawRef;
use model::content::{RecoveryMode, TriggerContent};
use model::record::RecordView;
use model::snapshot::Snapshot;
use model::{HostId, ItemId, Time, TriggerId, Value, ValueType};
use pipeline::Input;
use pipeline::backtest::{Backtest, BacktestError, BacktestInput, BacktestLimits, BacktestSpec};
use proptest::prelude::*;

/// The values of an item that history would hold.
fn stored(world: &World, item: ItemId, kind: ValueType) -> window::Samples {
    let (mut floats, mut whole, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for it in &world.journal {
        let view = RecordView::parse(&it.payload).expect("a record");
        for row in view.numbers().map(|it| it.expect("a row")).filter(|it| it.item == item) {
            let time = Time::from_millis(row.ms);
            match row.value {
                model::record::Num::Float(it) => floats.push((time, it)),
                model::record::Num::Unsigned(it) => whole.push((time, it)),
            }
        }
        for row in view.texts().map(|it| it.expect("a row")).filter(|it| it.item == item) {
            texts.push((row.time, Value::Text(row.text.into())));
        }
    }
    match kind {
        ValueType::Float => window::Samples::Float(floats),
        ValueType::Unsigned => window::Samples::Unsigned(whole),
        _ => window::Samples::Text(texts),
    }
}

fn spec(snapshot: &Snapshot, trigger: TriggerId, from: Time, until: Time) -> BacktestSpec<'_> {
    let (holder, row) = snapshot.trigger(trigger).expect("the trigger");
    BacktestSpec {
        snapshot,
        host: holder.id,
        trigger: row.clone(),
        zone: jiff::tz::TimeZone::UTC,
        from,
        until,
        not_before: at(0),
        limits: BacktestLimits::default(),
    }
}

fn run(world: &World, spec: &BacktestSpec<'_>) -> BacktestReport {
    let backtest = Backtest::new(spec).expect("something to try");
    let values: Vec<_> =
        backtest.needs().iter().map(|it| (it.item, stored(world, it.item, it.kind))).collect();
    backtest.run(&values)
}

fn transitions(report: &BacktestReport) -> Vec<(i64, bool)> {
    report
        .transitions
        .iter()
        .map(|it| (it.time.clock() - crate::kit::START, it.is_problem))
        .collect()
}

fn one_trigger(expression: &str, change: impl FnOnce(&mut TriggerContent)) -> (Config, TriggerId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, expression, change);
    (config, trigger)
}

#[test]
fn backtest_shows_when_and_why_a_trigger_would_have_fired() {
    // The values come without the trigger.
    let (mut config, trigger) = one_trigger("avg(/h/k,20s)>5", |it| {
        it.description = "{HOST.HOST} is at {ITEM.LASTVALUE}".to_owned();
    });
    let full = config.snapshot.clone();
    let host = config.snapshot.host_named("h").expect("the host").id;
    config.edit(host, |it| it.triggers.clear());
    let mut world = World::new(&config);
    for (seconds, value) in [(10, 1.0), (20, 2.0), (30, 12.0), (40, 1.0), (50, 1.0)] {
        world.value("h", "k", seconds, value);
    }
    let report = run(&world, &spec(&full, trigger, at(0), at(100)));
    assert_eq!(transitions(&report), [(30, true), (50, false)]);
    assert_eq!(report.n_values, 5);
    assert_eq!(report.n_evaluations, 5);
    let fired = &report.transitions[0];
    assert_eq!(fired.name, "h is at 12");
    assert_eq!(fired.functions.len(), 1);
    let function = &fired.functions[0];
    assert_eq!((&*function.host, &*function.key), ("h", "k"));
    assert_eq!((function.function, &*function.parameters), ("avg", "20s"));
    assert_eq!(function.value, Ok(Computed::Number(7.0)));
    assert_eq!(function.last, Some((at(30), Value::Float(12.0))));
    // Nothing of it is to be seen outside.
    assert_eq!(world.events, []);
}

#[test]
fn the_lead_gives_the_state_at_the_beginning() {
    let (config, trigger) = one_trigger("last(/h/k)>10", |it| {
        it.recovery_mode = RecoveryMode::RecoveryExpression;
        it.recovery_expression = "last(/h/k)<5".to_owned();
    });
    let mut world = World::new(&config);
    for (seconds, value) in [(10, 11.0), (20, 7.0), (30, 7.0), (40, 4.0)] {
        world.value("h", "k", seconds, value);
    }
    // At the beginning the value decides neither; the former state does.
    let report = run(&world, &spec(&config.snapshot, trigger, at(15), at(100)));
    assert!(report.starts_in_problem);
    assert_eq!(transitions(&report), [(40, false)]);
}

#[test]
fn times_without_a_value_are_reported() {
    let (config, trigger) = one_trigger("10/last(/h/k)>2", |_| {});
    let mut world = World::new(&config);
    for (seconds, value) in [(10, 1.0), (20, 0.0), (35, 0.0), (40, 20.0)] {
        world.value("h", "k", seconds, value);
    }
    let report = run(&world, &spec(&config.snapshot, trigger, at(0), at(100)));
    assert_eq!(transitions(&report), [(10, true), (40, false)]);
    let [UnknownSpan { from, until, reason }] = &report.unknown[..] else {
        panic!("one span: {:?}", report.unknown)
    };
    assert_eq!((*from, *until), (at(20), at(40)));
    assert!(reason.contains("division by zero"), "{reason}");
}

#[test]
fn limits_end_a_run_early() {
    let (config, trigger) = one_trigger("last(/h/k)=1", |_| {});
    let mut world = World::new(&config);
    for seconds in 1..50 {
        world.value("h", "k", seconds, if seconds % 2 == 0 { 1.0 } else { 0.0 });
    }
    let mut spec = spec(&config.snapshot, trigger, at(0), at(100));
    spec.limits.transitions_max = 5;
    let report = run(&world, &spec);
    assert_eq!(report.transitions.len(), 5);
    assert_eq!(report.ended_early, Some((at(6), EndedBy::Transitions)));
    spec.limits = BacktestLimits { values_max: 10, ..BacktestLimits::default() };
    assert_eq!(run(&world, &spec).n_values, 10);
}

#[test]
fn a_run_ends_where_its_values_end_or_when_the_caller_says_so() {
    let (config, trigger) = one_trigger("last(/h/k)=1", |_| {});
    let mut world = World::new(&config);
    for seconds in 1..2_000 {
        world.value("h", "k", seconds, if seconds == 3 { 1.0 } else { 0.0 });
    }
    let spec = spec(&config.snapshot, trigger, at(0), at(5_000));
    let values = |test: &Backtest| -> Vec<_> {
        test.needs().iter().map(|it| (it.item, stored(&world, it.item, it.kind))).collect()
    };
    let test = Backtest::new(&spec).expect("something to try");
    let values = values(&test);
    let complete_until = Some(at(100));
    let is_over = &mut |_: Time| false;
    let report = test.run_while(BacktestInput { values: &values, complete_until, is_over });
    assert_eq!(report.ended_early, Some((at(100), EndedBy::Values)));
    assert_eq!((transitions(&report), report.n_values), (vec![(3, true), (4, false)], 100));
    let test = Backtest::new(&spec).expect("something to try");
    let (start, mut reached) = (test.start(), Vec::new());
    let is_over = &mut |time: Time| {
        reached.push(time);
        reached.len() == 2
    };
    let report = test.run_while(BacktestInput { values: &values, complete_until: None, is_over });
    let (end, by) = report.ended_early.expect("an early end");
    assert_eq!(by, EndedBy::Caller);
    assert!(at(100) < end && end < at(2_000), "{end:?}");
    assert!(start < reached[0] && reached[0] < reached[1] && reached[1] == end, "{reached:?}");
    assert_eq!(transitions(&report), [(3, true), (4, false)]);
}

#[test]
fn the_name_of_an_event_has_its_expressions() {
    let (mut config, trigger) = one_trigger("last(/h/k)>5", |it| {
        it.event_name = "{?last(//k)} after {?avg(/g/other,1h)} {?last(/g/none)}".to_owned();
    });
    let other = config.host("g");
    config.item(other, item("other", ValueType::Float));
    let mut world = World::new(&config);
    world.value("g", "other", 1, 3.0);
    world.value("g", "other", 2, 4.0);
    world.value("h", "k", 3, 7.0);
    let report = run(&world, &spec(&config.snapshot, trigger, at(0), at(9)));
    assert_eq!(report.transitions[0].name, "7 after 3.5 *UNKNOWN*");
}

#[test]
fn an_operand_without_a_value_leaves_the_rest_to_decide() {
    let (config, trigger) = one_trigger("last(/h/k)>5 or last(/h/k)>{$NONE}", |_| {});
    let mut world = World::new(&config);
    for (seconds, value) in [(10, 1.0), (20, 7.0), (30, 1.0)] {
        world.value("h", "k", seconds, value);
    }
    let report = run(&world, &spec(&config.snapshot, trigger, at(0), at(100)));
    assert_eq!(transitions(&report), [(20, true)]);
    let spans: Vec<_> = report.unknown.iter().map(|it| (it.from, it.until)).collect();
    assert_eq!(spans, [(at(10), at(20)), (at(30), at(100))]);
    assert!(report.unknown.iter().all(|it| it.reason.contains("{$NONE}")), "{report:?}");
    // A recovery that can't be known leaves the problem open.
    let (recovering, trigger) = one_trigger("last(/h/k)>5", |it| {
        it.recovery_mode = RecoveryMode::RecoveryExpression;
        it.recovery_expression = "avg(/h/k,{$NONE})<5".to_owned();
    });
    let report = run(&world, &spec(&recovering.snapshot, trigger, at(0), at(100)));
    assert_eq!(transitions(&report), [(20, true)]);
    // So does a function whose parameters hold one.
    let (config, trigger) = one_trigger("last(/h/k)>5 or avg(/h/k,{$NONE})>5", |_| {});
    let report = run(&world, &spec(&config.snapshot, trigger, at(0), at(100)));
    assert_eq!(transitions(&report), [(20, true)]);
}

#[test]
fn expressions_without_possible_value_are_refused() {
    let (config, trigger) = one_trigger("avg(/h/k,{$NONE})>1", |_| {});
    let error = Backtest::new(&spec(&config.snapshot, trigger, at(0), at(9))).err();
    assert!(matches!(error, Some(BacktestError::Expression(_))), "{error:?}");
    let (config, trigger) = one_trigger("last(/h/k)>1", |_| {});
    let mut spec = spec(&config.snapshot, trigger, at(9), at(9));
    assert_eq!(Backtest::new(&spec).err(), Some(BacktestError::Period));
    spec.until = at(10);
    spec.host = HostId(1);
    assert_eq!(Backtest::new(&spec).err(), Some(BacktestError::Host));
}

const TRIGGERS: [&str; 16] = [
    "last(/a/x)>5",
    "last(/a/x)>5 and last(/a/y)<3",
    "avg(/a/x,30s)>4",
    "min(/a/x,#3)>1 or max(/a/y,1m)=7",
    "sum(/a/x,20s:now-10s)>10",
    "count(/a/x,1m,\"gt\",3)>2",
    "count(/a/t,#4,\"like\",\"4\")=2",
    "changecount(/a/x,1m)>1",
    "change(/a/x)>2",
    "nodata(/a/x,30s)=1",
    "nodata(/a/t,1m)=1 and last(/a/x)>1",
    "find(/a/t,40s,\"like\",\"4\")=1",
    "last(/a/x,#2)>last(/a/y)",
    "percentile(/a/x,1m,80)>3 and time()<235959",
    "last(/a/x)/last(/a/y)>1",
    "last(/a/x)>last(/b/x)",
];

#[derive(Clone, Debug)]
struct Case {
    trigger: usize,
    multiple: bool,
    recovery: u8,
    /// Seconds to wait, and values of x, y, text and the other host's x; none are left out.
    acts: Vec<(i64, [u8; 4])>,
}

fn case() -> impl Strategy<Value = Case> {
    let values = prop::array::uniform4(0_u8..14);
    let acts = prop::collection::vec((0_i64..50, values), 1..40);
    (0..TRIGGERS.len(), any::<bool>(), 0_u8..4, acts)
        .prop_map(|(trigger, multiple, recovery, acts)| Case { trigger, multiple, recovery, acts })
}

/// Values from one partition arrive at the other.
fn deliver(world: &mut World, delivered: &mut usize) {
    while *delivered < world.forwards.len() {
        let batch = world.forwards[*delivered].clone();
        *delivered += 1;
        world.input(Input::Forwarded(&batch));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]
    #[test]
    fn a_backtest_gives_the_transitions_that_the_live_shard_made(case in case()) {
        let mut config = Config::new();
        let (a, b) = (config.host("a"), config.host("b"));
        config.item(a, item("x", ValueType::Float));
        config.item(a, item("y", ValueType::Unsigned));
        config.item(a, item("t", ValueType::Text));
        config.item(b, item("x", ValueType::Float));
        let trigger = config.trigger(a, TRIGGERS[case.trigger], |it| {
            it.multiple = case.multiple;
            match case.recovery {
                0 => it.recovery_mode = RecoveryMode::None,
                1 => {
                    it.recovery_mode = RecoveryMode::RecoveryExpression;
                    it.recovery_expression = "last(/a/x)<2".to_owned();
                }
                _ => {}
            }
        });
        let mut world = World::new(&config);
        let (mut seconds, mut delivered) = (0, 0);
        for (wait, values) in &case.acts {
            // Windows of the other host's items are cold at first: the sandbox has them.
            seconds += 1 + wait / 4;
            world.pass(seconds);
            let texts: Vec<String> = values.iter().map(u8::to_string).collect();
            let keys = [("a", "x"), ("a", "y"), ("a", "t"), ("b", "x")];
            for (host, key, text) in keys.iter().zip(&texts).map(|(it, text)| (it.0, it.1, text)) {
                // Of each time all of one host together.
                if host == "b" && text.len() == 1 {
                    world.send("b", &[(key, seconds, RawRef::Text(text))]);
                    deliver(&mut world, &mut delivered);
                }
            }
            let rows: Vec<(&str, i64, RawRef<'_>)> = keys
                .iter()
                .zip(&texts)
                .filter(|(it, text)| it.0 == "a" && text.len() == 1)
                .map(|(it, text)| (it.1, seconds, RawRef::Text(text)))
                .collect();
            world.send("a", &rows);
        }
        seconds += 70;
        world.pass(seconds);
        let before = Time(at(0).0 - 1);
        let mut spec = spec(&config.snapshot, trigger, before, at(seconds));
        spec.limits.transitions_max = usize::MAX;
        let report = run(&world, &spec);
        prop_assert_eq!(transitions(&report), world.events_of(trigger));
    }
}
