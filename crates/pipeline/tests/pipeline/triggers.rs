//! The contract of triggers, seen from outside a shard.

use crate::kit::{Config, World, at, item, step};
use model::batch::RawRef;
use model::content::{ItemType, MacroType, RecoveryMode, Severity, Step, Tag};
use model::record::Subject;
use model::snapshot::Delta;
use model::{EventId, UserId, Value, ValueType};
use pipeline::{CloseProblem, Input, StepEventKind, StepEventRef};

fn one_item(value_type: ValueType) -> (Config, model::HostId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", value_type));
    (config, host)
}

#[test]
fn a_threshold_opens_and_closes_one_problem() {
    let (mut config, host) = one_item(ValueType::Float);
    let trigger = config.trigger(host, "last(/h/k)>5", |_| {});
    let mut world = World::new(&config);
    for (seconds, value) in [(1, 1.0), (2, 6.0), (3, 7.0), (4, 5.0), (5, 4.0), (6, 9.0)] {
        world.value("h", "k", seconds, value);
    }
    assert_eq!(world.events_of(trigger), [(2, true), (4, false), (6, true)]);
    let [_, (_, recovery), _] = &world.events[..] else { panic!("three events") };
    let closes = vec![StepEventRef::Id(EventId(1))];
    assert_eq!(recovery.kind, StepEventKind::Recovery { closes, user: UserId::NONE });
    assert_eq!(world.trigger(trigger).open, [EventId(3)]);
    world.check_replay();
}

#[test]
fn only_problems_have_the_severity_of_their_trigger() {
    let (mut config, host) = one_item(ValueType::Float);
    config.trigger(host, "last(/h/k)>5", |it| {
        it.priority = Severity::High;
        it.tags = vec![Tag { tag: "of".to_owned(), value: "trigger".to_owned() }];
        it.manual_close = true;
    });
    config.edit(host, |it| it.tags = vec![Tag { tag: "of".to_owned(), value: "host".to_owned() }]);
    let mut world = World::new(&config);
    for (seconds, value) in [(1, 6.0), (2, 1.0), (3, 6.0)] {
        world.value("h", "k", seconds, value);
    }
    let trigger = world.events[0].1.trigger;
    let close = CloseProblem { trigger, event: EventId(3), user: UserId(4), time: at(4) };
    world.input(Input::Close(&close));
    let published: Vec<_> =
        world.events.iter().map(|it| (it.1.severity, it.1.tags.len())).collect();
    let (high, none) = (Severity::High, Severity::NotClassified);
    // The event of a problem that was closed by hand has no tags of the trigger.
    assert_eq!(published, [(high, 2), (none, 2), (high, 2), (none, 1)]);
}

#[test]
fn a_batch_is_judged_value_by_value_in_order_of_time() {
    let (mut config, host) = one_item(ValueType::Unsigned);
    let trigger = config.trigger(host, "last(/h/k)=1", |_| {});
    let mut world = World::new(&config);
    world.set_time(10);
    let value = RawRef::Unsigned;
    world.send(
        "h",
        &[("k", 9, value(0)), ("k", 7, value(1)), ("k", 8, value(1)), ("k", 6, value(0))],
    );
    assert_eq!(world.events_of(trigger), [(7, true), (9, false)]);
    assert_eq!(world.last_value("h", "k"), Some(Value::Unsigned(0)));
    world.check_replay();
}

#[test]
fn a_problem_and_its_recovery_may_come_in_one_step() {
    let (mut config, host) = one_item(ValueType::Unsigned);
    config.trigger(host, "last(/h/k)=1", |_| {});
    let mut world = World::new(&config);
    world.set_time(10);
    world.send("h", &[("k", 1, RawRef::Unsigned(1)), ("k", 2, RawRef::Unsigned(0))]);
    let (_, recovery) = &world.events[1];
    let closes = vec![StepEventRef::Pending(0)];
    assert_eq!(recovery.kind, StepEventKind::Recovery { closes, user: UserId::NONE });
    world.check_replay();
}

#[test]
fn multiple_generation_makes_an_event_for_each_value() {
    let (mut config, host) = one_item(ValueType::Log);
    let trigger = config.trigger(host, "find(/h/k,,\"like\",\"error\")=1", |it| {
        it.multiple = true;
        it.recovery_mode = RecoveryMode::None;
    });
    let mut world = World::new(&config);
    world.set_time(10);
    let text = RawRef::Text;
    world.send(
        "h",
        &[("k", 1, text("an error")), ("k", 1, text("fine")), ("k", 1, text("error 2"))],
    );
    world.send("h", &[("k", 2, text("error 3"))]);
    assert_eq!(world.events_of(trigger), [(1, true), (1, true), (2, true)]);
    assert_eq!(world.trigger(trigger).open.len(), 3);
    world.check_replay();
}

/// As of traps and log entries, which are closed by hand in the end.
#[test]
fn each_of_very_many_open_problems_is_closed_by_hand_or_by_a_recovery() {
    let (mut config, host) = one_item(ValueType::Float);
    let trigger = config.trigger(host, "last(/h/k)>5", |it| {
        it.multiple = true;
        it.manual_close = true;
    });
    let mut world = World::new(&config);
    world.set_time(20_000);
    let values: Vec<(&str, i64, RawRef<'_>)> =
        (1..=10_010).map(|second| ("k", second, RawRef::Float(9.0))).collect();
    for some in values.chunks(1_000) {
        world.send("h", some);
    }
    let open = world.trigger(trigger).open;
    assert_eq!(open.len(), 10_010);
    for event in [open[0], open[5]] {
        let close = CloseProblem { trigger, event, user: UserId(4), time: at(10_010) };
        world.input(Input::Close(&close));
        let closes = vec![StepEventRef::Id(event)];
        let last = &world.events.last().expect("its end").1;
        assert_eq!(last.kind, StepEventKind::Recovery { closes, user: UserId(4) });
    }
    assert_eq!(world.trigger(trigger).open.len(), 10_008);
    world.send("h", &[("k", 10_011, RawRef::Float(1.0))]);
    let StepEventKind::Recovery { closes, .. } = &world.events.last().expect("their end").1.kind
    else {
        panic!("no recovery");
    };
    assert_eq!(closes.len(), 10_008);
    assert!(world.trigger(trigger).open.is_empty() && !world.trigger(trigger).is_problem);
}

#[test]
fn a_recovery_expression_decides_when_the_problem_ends() {
    let (mut config, host) = one_item(ValueType::Float);
    let trigger = config.trigger(host, "last(/h/k)>10", |it| {
        it.recovery_mode = RecoveryMode::RecoveryExpression;
        it.recovery_expression = "last(/h/k)<5".to_owned();
    });
    let mut world = World::new(&config);
    for (seconds, value) in [(1, 11.0), (2, 7.0), (3, 4.0), (4, 7.0)] {
        world.value("h", "k", seconds, value);
    }
    assert_eq!(world.events_of(trigger), [(1, true), (3, false)]);
    world.check_replay();
}

#[test]
fn without_recovery_only_a_user_closes_a_problem() {
    let (mut config, host) = one_item(ValueType::Float);
    let trigger = config.trigger(host, "last(/h/k)>5", |it| {
        it.recovery_mode = RecoveryMode::None;
        it.manual_close = true;
    });
    let mut world = World::new(&config);
    world.value("h", "k", 1, 6.0);
    world.value("h", "k", 2, 1.0);
    assert!(world.trigger(trigger).is_problem);
    world.set_time(3);
    let close = CloseProblem { trigger, event: EventId(1), user: UserId(4), time: at(3) };
    world.input(Input::Close(&close));
    assert_eq!(world.events_of(trigger), [(1, true), (3, false)]);
    // A second time nothing is left to close.
    world.input(Input::Close(&close));
    world.value("h", "k", 4, 7.0);
    assert_eq!(world.events_of(trigger), [(1, true), (3, false), (4, true)]);
    world.check_replay();
}

#[test]
fn an_unknown_trigger_keeps_its_value_and_its_problem() {
    let (mut config, host) = one_item(ValueType::Float);
    let trigger = config.trigger(host, "last(/h/k)>5", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 1, 6.0);
    world.set_time(2);
    world.send("h", &[("k", 2, RawRef::Error("no such file"))]);
    let unknown = world.trigger(trigger);
    assert!(unknown.is_problem);
    assert_eq!(
        unknown.error.as_deref(),
        Some("Cannot evaluate function last(/h/k): item is not supported.")
    );
    assert_eq!(world.last("h", "k").error.as_deref(), Some("no such file"));
    // The last value stays.
    assert_eq!(world.last_value("h", "k"), Some(Value::Float(6.0)));
    assert_eq!(world.events_of(trigger), [(1, true)]);
    world.check_replay();
    world.value("h", "k", 3, 1.0);
    assert_eq!(world.events_of(trigger), [(1, true), (3, false)]);
    assert_eq!(world.trigger(trigger).error, None);
    let published = world.journaled_events();
    let published: Vec<_> =
        published.iter().filter(|it| it.0.trigger().is_none()).map(|it| it.0).collect();
    let item = config.snapshot.hosts[&host].items[0].id;
    let (of_item, of_trigger) = (Subject::ItemState(item), Subject::TriggerState(trigger));
    assert_eq!(published, [of_item, of_trigger, of_item, of_trigger]);
    world.check_replay();
}

#[test]
fn errors_of_triggers_and_formulas_show_no_value_of_a_secret_macro() {
    for (name, shown) in [("{$SECRET}", "******"), ("{$PLAIN}", "hush")] {
        let (mut config, host) = one_item(ValueType::Text);
        config.user_macro(host, "{$SECRET}", "hush");
        config.user_macro(host, "{$PLAIN}", "hush");
        config.edit(host, |it| it.macros[0].kind = MacroType::Secret);
        let refused =
            config.trigger(host, &format!("count(/h/k,#5,\"regexp\",\"({name}\")>0"), |_| {});
        let failed = config.trigger(host, &format!("count(/h/k,#5,,\"{name}\")>0"), |_| {});
        let mut content = item("c", ValueType::Float);
        content.kind = ItemType::Calculated;
        content.delay = "10s".to_owned();
        content.params = format!("count(//k,#5,\"regexp\",\"({name}\")");
        config.item(host, content);
        let mut world = World::new(&config);
        world.text("h", "k", 1, "a text");
        world.send("h", &[("k", 2, RawRef::Error("no such file"))]);
        world.pass(30);
        let errors =
            [world.trigger(refused).error, world.trigger(failed).error, world.last("h", "c").error];
        for error in errors.map(|it| it.as_deref().unwrap_or_default().to_owned()) {
            assert!(error.contains(shown), "{error}");
            assert_eq!(error.contains("hush"), shown == "hush", "{error}");
        }
        let explained = world.shard.explain(failed, at(30));
        assert_eq!(&*explained[0].parameters, format!("#5,,\"{shown}\""));
    }
}

#[test]
fn one_known_operand_decides_where_the_other_is_unknown() {
    let (mut config, host) = one_item(ValueType::Float);
    config.item(host, item("other", ValueType::Float));
    let trigger = config.trigger(host, "last(/h/k)>5 or last(/h/other)>5", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 1, 6.0);
    assert_eq!(world.events_of(trigger), [(1, true)]);
    world.value("h", "k", 2, 1.0);
    assert!(world.trigger(trigger).error.is_some());
    world.check_replay();
}

#[test]
fn a_dependent_trigger_does_not_move_while_its_master_is_in_problem() {
    let (mut config, host) = one_item(ValueType::Float);
    config.item(host, item("up", ValueType::Unsigned));
    let master = config.trigger(host, "last(/h/up)=0", |_| {});
    let dependent = config.trigger(host, "last(/h/k)>5", |it| it.dependencies = vec![master]);
    let mut world = World::new(&config);
    world.value("h", "k", 1, 6.0);
    assert_eq!(world.events_of(dependent), [(1, true)]);
    world.text("h", "up", 2, "0");
    world.value("h", "k", 3, 1.0);
    assert_eq!(world.events_of(dependent), [(1, true)]);
    world.text("h", "up", 4, "1");
    world.value("h", "k", 5, 1.0);
    assert_eq!(world.events_of(dependent), [(1, true), (5, false)]);
    // Of one time, the master is judged first, in whatever order the values come.
    world.set_time(6);
    world.send("h", &[("k", 6, RawRef::Float(9.0)), ("up", 6, RawRef::Text("0"))]);
    assert_eq!(world.events_of(dependent), [(1, true), (5, false)]);
    assert_eq!(world.events_of(master), [(2, true), (4, false), (6, true)]);
    world.check_replay();
}

#[test]
fn values_of_one_moment_are_judged_together() {
    let (mut config, host) = one_item(ValueType::Float);
    config.item(host, item("other", ValueType::Float));
    let trigger = config.trigger(host, "last(/h/k)+last(/h/other)=10", |_| {});
    let mut world = World::new(&config);
    for (seconds, value) in [(1, 10.0), (2, 3.0), (3, 8.0)] {
        world.set_time(seconds);
        let rows =
            [("k", seconds, RawRef::Float(value)), ("other", seconds, RawRef::Float(10.0 - value))];
        world.send("h", &rows);
    }
    assert_eq!(world.events_of(trigger), [(1, true)]);
}

#[test]
fn windows_by_time_count_and_shift() {
    let (mut config, host) = one_item(ValueType::Unsigned);
    let avg = config.trigger(host, "avg(/h/k,30s)>10", |_| {});
    let max = config.trigger(host, "max(/h/k,#3)<5", |_| {});
    let shifted = config.trigger(host, "sum(/h/k,10s:now-20s)=7", |_| {});
    let count = config.trigger(host, "count(/h/k,1m,\"gt\",5)>=2", |_| {});
    let changes = config.trigger(host, "changecount(/h/k,#3)=2", |_| {});
    let mut world = World::new(&config);
    for (seconds, value) in
        [(10, 7.0), (20, 20.0), (30, 1.0), (40, 2.0), (50, 2.0), (60, 3.0), (70, 50.0)]
    {
        world.value("h", "k", seconds, value);
    }
    // 7 | 13.5 | 9.3 | 7.7 | 1.7 | 2.3 | 18.3
    assert_eq!(world.events_of(avg), [(20, true), (30, false), (70, true)]);
    assert_eq!(world.events_of(max), [(50, true), (70, false)]);
    assert_eq!(world.events_of(shifted), [(30, true), (40, false)]);
    assert_eq!(world.events_of(count), [(20, true)]);
    assert_eq!(world.events_of(changes), [(30, true), (50, false), (70, true)]);
    world.check_replay();
}

#[test]
fn preprocessing_runs_before_everything_else() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("k", ValueType::Float);
    content.preprocessing = vec![step(Step::JsonPath, "$.a"), step(Step::Multiplier, "0.5")];
    config.item(host, content);
    let trigger = config.trigger(host, "last(/h/k)>=2", |_| {});
    let mut world = World::new(&config);
    world.text("h", "k", 1, "{\"a\": \"5\"}");
    assert_eq!(world.last_value("h", "k"), Some(Value::Float(2.5)));
    assert_eq!(world.events_of(trigger), [(1, true)]);
    world.text("h", "k", 2, "{\"b\": 5}");
    assert!(world.last("h", "k").error.is_some());
    world.check_replay();
}

#[test]
fn names_opdata_and_tags_are_expanded() {
    let (mut config, host) = one_item(ValueType::Float);
    config.user_macro(host, "{$MAX}", "5");
    config.edit(host, |it| {
        it.tags = vec![Tag { tag: "site".to_owned(), value: "riga".to_owned() }];
    });
    let trigger = config.trigger(host, "last(/h/k)>{$MAX}", |it| {
        it.description = "{HOST.NAME} is over {$MAX}: {ITEM.VALUE}".to_owned();
        it.opdata = "now {ITEM.LASTVALUE1}, then {ITEM.VALUE}".to_owned();
        it.tags = vec![Tag { tag: "host".to_owned(), value: "{HOST.HOST}".to_owned() }];
    });
    let mut world = World::new(&config);
    world.value("h", "k", 1, 6.5);
    let (_, event) = &world.events[0];
    assert_eq!(event.trigger, trigger);
    assert_eq!(event.name, "Visible h is over 5: 6.5");
    // It is expanded when it is asked for: the event keeps the value.
    assert_eq!(event.opdata, "[[1,\"6.5\"]]");
    let tags: Vec<(&str, &str)> =
        event.tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())).collect();
    assert_eq!(tags, [("host", "h"), ("site", "riga")]);
}

#[test]
fn a_changed_macro_counts_from_the_next_value_on() {
    let (mut config, host) = one_item(ValueType::Float);
    config.user_macro(host, "{$MAX}", "5");
    let trigger = config.trigger(host, "last(/h/k)>{$MAX}", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 1, 6.0);
    config.user_macro(host, "{$MAX}", "7");
    world.reconfigure(&mut config);
    assert_eq!(world.trigger(trigger).open, [EventId(1)]);
    world.value("h", "k", 2, 6.0);
    assert_eq!(world.events_of(trigger), [(1, true), (2, false)]);
    world.check_replay();
}

#[test]
fn a_changed_global_regular_expression_counts_from_the_next_value_on() {
    use model::content::{GlobalRegexp, RegexpExpression, RegexpKind};
    let (mut config, host) = one_item(ValueType::Text);
    let other = config.host("other");
    config.item(other, item("k", ValueType::Text));
    let named = config.trigger(host, "find(/h/k,,\"iregexp\",\"@bad lines\")=1", |_| {});
    config.trigger(other, "find(/other/k,,\"regexp\",\"x\")=1", |_| {});
    let mut world = World::new(&config);
    world.text("h", "k", 1, "an error");
    assert_eq!(
        world.trigger(named).error.as_deref(),
        Some(
            "Cannot evaluate function find(/h/k,,\"iregexp\",\"@bad lines\"): \
             global regular expression \"bad lines\" does not exist."
        )
    );
    let mut set = |world: &mut World, texts: &str, case_sensitive: bool| {
        let expression = RegexpExpression {
            expression: texts.to_owned(),
            kind: RegexpKind::AnyIncluded,
            exp_delimiter: ",".to_owned(),
            case_sensitive,
        };
        let regexp = GlobalRegexp {
            name: "bad lines".to_owned(),
            expressions: vec![expression],
            ..GlobalRegexp::default()
        };
        std::sync::Arc::make_mut(&mut config.snapshot.globals).regexps = vec![regexp];
        config.snapshot.epoch += 1;
        let epoch = config.snapshot.epoch;
        let delta = Delta { epoch, regexps_changed: true, ..Delta::default() };
        world.publish(&config, &delta);
    };
    set(&mut world, "error,fault", true);
    world.text("h", "k", 2, "an ERROR");
    world.text("h", "k", 3, "a fault");
    set(&mut world, "warning", false);
    world.text("h", "k", 4, "a fault");
    world.text("h", "k", 5, "a WARNING");
    assert_eq!(world.events_of(named), [(3, true), (4, false), (5, true)]);
    assert_eq!(world.trigger(named).error, None);
    world.check_replay();
}
