//! Correlation by tag: which problems a recovery closes.

use crate::kit::{Config, World, at, item};
use model::content::{CorrelationMode, RecoveryMode, Tag, TriggerContent};
use model::{EventId, TriggerId, UserId, ValueType};
use pipeline::{CloseProblem, Fetched, Input, StepEventKind, StepEventRef};
use window::Samples;

/// A trigger that fires for each "… down"; its tag `svc` is the first word.
fn world(change: impl FnOnce(&mut TriggerContent)) -> (World, Config, TriggerId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Text));
    let trigger = config.trigger(host, "find(/h/k,,\"like\",\"down\")=1", |it| {
        it.correlation_mode = CorrelationMode::Tag;
        it.correlation_tag = "svc".to_owned();
        let value = r#"{{ITEM.VALUE}.regsub("^(\w+)","\1")}"#.to_owned();
        it.tags = vec![
            Tag { tag: "all".to_owned(), value: "same".to_owned() },
            Tag { tag: "svc".to_owned(), value },
        ];
        it.multiple = true;
        it.manual_close = true;
        change(it);
    });
    (World::new(&config), config, trigger)
}

fn send(world: &mut World, from: i64, texts: &[&str]) {
    for (text, second) in texts.iter().zip(from..) {
        world.text("h", "k", second, text);
    }
}

/// Second and kind of events, and the problems that they close, by number from 1.
fn events(world: &World) -> Vec<(i64, Vec<u64>)> {
    let closed = |kind: &StepEventKind| match kind {
        StepEventKind::Problem => Vec::new(),
        StepEventKind::Recovery { closes, .. } => closes
            .iter()
            .map(|it| match it {
                StepEventRef::Id(id) => id.0,
                StepEventRef::Pending(_) => 0,
            })
            .collect(),
    };
    let all = world.events.iter();
    all.map(|(_, it)| (it.time.clock() - crate::kit::START, closed(&it.kind))).collect()
}

fn open(world: &World, trigger: TriggerId) -> Vec<u64> {
    world.trigger(trigger).open.iter().map(|it| it.0).collect()
}

#[test]
fn a_recovery_closes_the_problems_of_its_tag_value() {
    let (mut world, _, trigger) = world(|_| {});
    send(&mut world, 1, &["a down", "b down", "a down again", "x up", "a up", "a up"]);
    // A recovery that closes nothing makes no event.
    assert_eq!(events(&world), [(1, vec![]), (2, vec![]), (3, vec![]), (5, vec![1, 3])]);
    let now = world.trigger(trigger);
    assert!(now.is_problem, "b is down");
    assert!(world.events[3].1.is_problem);
    assert_eq!(open(&world, trigger), [2]);
    send(&mut world, 7, &["b up", "b up"]);
    assert_eq!(events(&world)[4..], [(7, vec![2])]);
    assert!(!world.trigger(trigger).is_problem && !world.events[4].1.is_problem);
    world.check_replay();
}

#[test]
fn single_generation_stays_in_problem_until_the_tag_recovers() {
    let (mut world, _, trigger) = world(|it| it.multiple = false);
    send(&mut world, 1, &["a down", "b down", "b up", "a up", "b down"]);
    assert_eq!(world.events_of(trigger), [(1, true), (4, false), (5, true)]);
    world.check_replay();
}

#[test]
fn a_recovery_expression_closes_by_tag_too() {
    let (mut world, _, trigger) = world(|it| {
        it.recovery_mode = RecoveryMode::RecoveryExpression;
        it.recovery_expression = "find(/h/k,,\"like\",\"up\")=1".to_owned();
    });
    send(&mut world, 1, &["a down", "b down", "a", "x up", "a up", "b up"]);
    assert_eq!(events(&world), [(1, vec![]), (2, vec![]), (5, vec![1]), (6, vec![2])]);
    assert!(!world.trigger(trigger).is_problem);
    world.check_replay();
}

#[test]
fn numbers_are_judged_each_though_the_trigger_stays_in_problem() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "last(/h/k)>=0", |it| {
        it.correlation_mode = CorrelationMode::Tag;
        it.correlation_tag = "last".to_owned();
        let value = r#"{{ITEM.VALUE}.regsub("(.)$","\1")}"#.to_owned();
        it.tags = vec![Tag { tag: "last".to_owned(), value }];
    });
    let mut world = World::new(&config);
    for (second, value) in (1..).zip([17.0, -15.0, -16.0, -2.0, -7.0, -7.0]) {
        world.value("h", "k", second, value);
    }
    assert_eq!(world.events_of(trigger), [(1, true), (5, false)]);
    world.check_replay();
}

#[test]
fn problems_and_recoveries_of_one_step_find_each_other() {
    use model::batch::RawRef::Text;
    let (mut world, _, trigger) = world(|_| {});
    world.set_time(9);
    let rows = [("k", 1, Text("a down")), ("k", 2, Text("b down")), ("k", 3, Text("a up"))];
    world.send("h", &rows);
    assert_eq!(world.events_of(trigger), [(1, true), (2, true), (3, false)]);
    assert_eq!(open(&world, trigger), [2]);
    world.check_replay();
}

#[test]
fn tags_of_open_problems_survive_every_restart() {
    for checkpoint_at in 0..4 {
        let (mut world, _, trigger) = world(|_| {});
        send(&mut world, 1, &["a down", "b down"]);
        world.restart(checkpoint_at.min(world.journal.len()));
        send(&mut world, 3, &["x up", "b up"]);
        world.restart(world.journal.len());
        assert_eq!(events(&world)[2..], [(4, vec![2])], "checkpoint of {checkpoint_at} records");
        assert_eq!(open(&world, trigger), [1]);
        world.check_replay();
    }
}

#[test]
fn another_tag_counts_from_the_next_recovery_on() {
    let (mut world, mut config, trigger) = world(|_| {});
    send(&mut world, 1, &["a down", "b down"]);
    let host = *config.snapshot.hosts.keys().next().expect("the host");
    let mut edit = |world: &mut World, change: fn(&mut TriggerContent)| {
        config.edit(host, |it| {
            let mut content = TriggerContent::clone(&it.triggers[0].content);
            change(&mut content);
            it.triggers[0].content = content.into();
        });
        world.reconfigure(&mut config);
    };
    edit(&mut world, |it| it.correlation_tag = "none".to_owned());
    send(&mut world, 3, &["a up"]);
    assert_eq!(open(&world, trigger), [1, 2], "no event has such a tag");
    edit(&mut world, |it| it.correlation_tag = "all".to_owned());
    send(&mut world, 4, &["z up"]);
    assert_eq!(events(&world)[2..], [(4, vec![1, 2])]);
    // Problems from before the trigger correlated.
    edit(&mut world, |it| it.correlation_mode = CorrelationMode::All);
    send(&mut world, 5, &["c down", "d down"]);
    edit(&mut world, |it| {
        it.correlation_mode = CorrelationMode::Tag;
        it.correlation_tag = "svc".to_owned();
    });
    send(&mut world, 7, &["d up"]);
    assert_eq!(events(&world)[5..], [(7, vec![5])]);
    world.check_replay();
}

#[test]
fn closing_by_hand_leaves_the_others() {
    let (mut world, _, trigger) = world(|_| {});
    send(&mut world, 1, &["a down", "b down"]);
    world.set_time(3);
    let close = CloseProblem { trigger, event: EventId(1), user: UserId(4), time: at(3) };
    world.input(Input::Close(&close));
    send(&mut world, 4, &["a up"]);
    assert_eq!(open(&world, trigger), [2]);
    assert!(world.trigger(trigger).is_problem);
    send(&mut world, 5, &["b up"]);
    assert_eq!(events(&world)[2..], [(3, vec![1]), (5, vec![2])]);
    world.check_replay();
}

#[test]
fn recoveries_that_wait_for_their_names_close_by_tag() {
    for is_restarted in [false, true] {
        let (mut config, host) = (Config::new(), "h");
        let host = config.host(host);
        let text = config.item(host, item("k", ValueType::Text));
        config.item(host, item("n", ValueType::Float));
        let trigger = config.trigger(host, "find(/h/k,,\"like\",\"down\")=1", |it| {
            it.correlation_mode = CorrelationMode::Tag;
            it.correlation_tag = "svc".to_owned();
            let value = r#"{{ITEM.VALUE}.regsub("^(\w+)","\1")}"#.to_owned();
            it.tags = vec![Tag { tag: "svc".to_owned(), value }];
            it.multiple = true;
            it.event_name = "{?sum(//n,1h)}".to_owned();
        });
        assert!(text.is_some());
        let rows = config.snapshot.hosts[&host].triggers.clone();
        config.edit(host, |it| it.triggers.clear());
        let mut world = World::new(&config);
        world.value("h", "n", 1, 3.0);
        config.edit(host, |it| it.triggers = rows);
        world.reconfigure(&mut config);
        send(&mut world, 10, &["a down", "b down", "x up", "a up", "a up"]);
        assert_eq!(world.events_of(trigger), []);
        assert_eq!(world.shard.sizes().events_awaiting_names, 3, "two problems, one recovery");
        if is_restarted {
            world.restart(world.journal.len() - 1);
        }
        let fetch = *world.fetches.last().expect("asked for");
        let samples = Samples::Float(vec![(at(1), 3.0)]);
        let lsn = Some(world.lsn());
        world.input(Input::Fetched(&[Fetched { id: fetch.id, samples: Ok(samples), lsn }]));
        assert_eq!(world.events_of(trigger), [(10, true), (11, true), (13, false)]);
        assert!(world.trigger(trigger).is_problem);
        assert_eq!(world.trigger(trigger).open.len(), 1);
        send(&mut world, 20, &["b up"]);
        assert!(!world.trigger(trigger).is_problem);
        world.check_replay();
    }
}

#[test]
fn problems_of_older_checkpoints_are_closed_by_any_recovery() {
    let (mut world, _, trigger) = world(|it| it.multiple = false);
    send(&mut world, 1, &["a down"]);
    // Problem 1 with two tags, as a checkpoint has it now, and as those before did.
    let hashes = |bytes: &[u8]| bytes.windows(3).rposition(|it| it == [1, 1, 3]);
    let older = |mut bytes: Vec<u8>| {
        let at = hashes(&bytes).map(|at| at + 2);
        if let Some(at) = at.filter(|_| bytes.len() > 40) {
            bytes.drain(at..at + 17);
            // Before the number of triggers, its id, value and state: the trend of the only item.
            assert_eq!(bytes.remove(at - 7), 0, "a text has none");
        }
        bytes[..4].copy_from_slice(b"SPC4");
        bytes
    };
    let is_changed = world.state().into_iter().any(|it| older(it.clone()).len() < it.len());
    assert!(is_changed, "the checkpoint has tags");
    world.restart_with(world.journal.len(), older);
    assert_eq!(open(&world, trigger), [1]);
    send(&mut world, 3, &["z up"]);
    assert_eq!(events(&world)[1..], [(3, vec![1])]);
}

/// A backtest knows which problems a recovery closes.
#[test]
fn a_backtest_closes_by_tag() {
    use pipeline::backtest::{Backtest, BacktestLimits, BacktestSpec};
    let (_, config, trigger) = world(|_| {});
    let (holder, row) = config.snapshot.trigger(trigger).expect("the trigger");
    let spec = |from: i64| BacktestSpec {
        snapshot: &config.snapshot,
        host: holder.id,
        trigger: row.clone(),
        zone: jiff::tz::TimeZone::UTC,
        from: at(from),
        until: at(20),
        not_before: at(0),
        limits: BacktestLimits::default(),
    };
    let texts = ["a down", "b down", "x up", "a up", "b up"];
    let rows: Vec<_> = (1..).map(at).zip(texts.map(|it| model::Value::Text(it.into()))).collect();
    let run = |from: i64| {
        let backtest = Backtest::new(&spec(from)).expect("something to try");
        let item = backtest.needs()[0].item;
        backtest.run(&[(item, Samples::Text(rows.clone()))])
    };
    let report = run(0);
    let transitions = report.transitions.iter().map(|it| {
        let closes: Vec<u64> = it.closes.iter().map(|it| it.0).collect();
        (it.time.clock() - crate::kit::START, it.is_problem, closes, it.stays_in_problem)
    });
    let transitions: Vec<_> = transitions.collect();
    let problem = |second| (second, true, vec![], true);
    let first = (4, false, vec![1], true);
    assert_eq!(transitions, [problem(1), problem(2), first, (5, false, vec![2], false)]);
    assert!(run(4).starts_in_problem, "b is down");
}
