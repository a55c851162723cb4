//! Expression macros of event names: their values, and events that wait for them.

use crate::kit::{Config, START, World, at, item};
use directory::ItemTarget;
use model::content::{ItemContent, MacroType, RecoveryMode, Tag, TriggerContent};
use model::record::{Num, RecordView};
use model::snapshot::Host;
use model::{HostId, ItemId, Time, TriggerId, ValueType};
use pipeline::cross_item::{CrossItemReader, ReadRange, Source};
use pipeline::{CloseProblem, Fetch, FetchFailed, Fetched, Input};
use window::Samples;

/// A host with items `k` and `other`, and a trigger on `k`.
fn config(expression: &str, name: &str) -> (Config, HostId, TriggerId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    config.item(host, item("other", ValueType::Float));
    let trigger = config.trigger(host, expression, |it| it.event_name = name.to_owned());
    (config, host, trigger)
}

fn names(world: &World) -> Vec<&str> {
    world.events.iter().map(|(_, it)| it.name.as_str()).collect()
}

/// The name of the first event when all windows are warm.
fn warm(name: &str) -> String {
    let (mut config, host, _) = config("last(/h/k)>10", name);
    config.user_macro(host, "{$UNIT}", "GB");
    config.user_macro(host, "{$FACTOR}", "4");
    let mut world = World::new(&config);
    world.value("h", "other", 10, 7.5);
    world.value("h", "k", 20, 2.0);
    world.value("h", "k", 30, 13.0);
    assert_eq!(world.events.len(), 1, "{name}");
    world.check_replay();
    world.events[0].1.name.clone()
}

#[test]
fn expressions_are_evaluated_at_the_moment_of_the_event() {
    assert_eq!(warm("{?last(/h/k)}"), "13");
    assert_eq!(warm("avg {?avg(/h/k,1h)} {$UNIT}"), "avg 7.5 GB");
    assert_eq!(warm("{?last(//other)*2} of {?max(//k,1m)}"), "15 of 13");
    assert_eq!(warm("{{?avg(/h/k,1h)/7}.fmtnum(2)}{$UNIT}"), "1.07GB");
    assert_eq!(warm("{?last(/{HOST.HOST}/{ITEM.KEY})}"), "13");
    assert_eq!(warm("{?last(/{HOST.HOST1}/{ITEM.KEY1},#2)}"), "2");
    assert_eq!(warm("{?last(//k)*{$FACTOR}}"), "52");
    assert_eq!(warm("{?last(//k)}{?last(//k)} {ITEM.VALUE}"), "1313 13");
    assert_eq!(warm("{{?last(//k)}.regsub(\"^1(.)\",\"<\\1>\")}"), "<3>");
    assert_eq!(warm("{?1+1}"), "2");
    assert_eq!(warm("{?last(//k)>12}"), "1");
}

#[test]
fn functions_without_values_are_unknown() {
    assert_eq!(warm("{?last(/h/missing)}!"), "*UNKNOWN*!");
    assert_eq!(warm("{?last(/nobody/k)}!"), "*UNKNOWN*!");
    assert_eq!(warm("{?last(//k)/0}!"), "*UNKNOWN*!");
    assert_eq!(warm("{?avg(last_foreach(/*/k))}!"), "*UNKNOWN*!");
    assert_eq!(warm("{{?last(/h/missing)}.fmtnum(2)}!"), "*UNKNOWN*!");
    assert_eq!(warm("{{?last(//k)}.fmtnum()}!"), "*UNKNOWN*!");
    assert_eq!(warm("{?last(//k,#9)}!"), "*UNKNOWN*!");
    // Text that is no macro stays as it is written, functions too.
    let written = "{ITEM.LOG.OTHER} {VALUE} {{VALUE}.btoa()}";
    assert_eq!(warm(&format!("{written} {{?last(//k)}}")), format!("{written} 13"));
    // Nothing but an expression.
    assert_eq!(warm("{? is no macro"), "{? is no macro");
}

#[test]
fn a_trigger_without_event_name_has_its_own_name_with_expressions() {
    let (mut config, host, _) = config("last(/h/k)>10", "");
    config.edit(host, |it: &mut Host| {
        let content = TriggerContent {
            description: "{?last(//k)} {HOST.HOST}".to_owned(),
            tags: vec![Tag { tag: "t".to_owned(), value: "{?last(//k)}".to_owned() }],
            ..TriggerContent::clone(&it.triggers[0].content)
        };
        it.triggers[0].content = content.into();
    });
    let mut world = World::new(&config);
    world.value("h", "k", 20, 12.0);
    let event = &world.events[0].1;
    assert_eq!((event.name.as_str(), event.tags[0].value.as_str()), ("12 h", "{?last(//k)}"));
}

/// The macros that Zabbix 7.0 has in names of events; all others are text.
#[test]
fn names_have_the_macros_of_names_only() {
    // The first value is of second 20, the present of second 30.
    assert_eq!(warm("{TIME} {TIMESTAMP} {DATE}"), format!("00:00:30 {} {{DATE}}", START + 30));
    assert_eq!(warm("{HOST.HOST} {HOST.NAME} {HOSTNAME} {HOST.HOST1}"), "h Visible h h h");
    assert_eq!(warm("{HOST.IP} {HOST.HOST2}"), "*UNKNOWN* *UNKNOWN*");
    assert_eq!(warm("{ITEM.VALUE} {ITEM.LASTVALUE1} {ITEM.VALUE2}"), "13 13 *UNKNOWN*");
    let text = "{HOST.ID} {ITEM.NAME} {ITEM.KEY} {ITEM.ID} {TRIGGER.NAME} {TRIGGER.ID} {EVENT.ID}";
    assert_eq!(warm(text), text);
    assert_eq!(warm("{TRIGGER.EXPRESSION.EXPLAIN}"), "13>10");
    assert_eq!(warm("{FUNCTION.VALUE} {FUNCTION.VALUE1} {FUNCTION.VALUE2}"), "13 13 *UNKNOWN*");
    assert_eq!(warm("{FUNCTION.RECOVERY.VALUE}"), "*UNKNOWN*");
    assert_eq!(warm("{{ITEM.VALUE}.fmtnum(1)} {{ITEM.VALUE}.nofunc()}"), "13 *UNKNOWN*");
    assert_eq!(warm("{{ITEM.VALUE3}.regsub(\"(.)\",\"\\1\")}"), "*UNKNOWN*");
    assert_eq!(warm("$1 $2 $10"), "10 $2 100");
}

#[test]
fn references_are_to_constants_with_macros_expanded() {
    let of = |expression: &str, name: &str| {
        let (mut config, host, _) = config(expression, name);
        config.user_macro(host, "{$THR}", "10");
        config.user_macro(host, "{$SECRET}", "10");
        config.edit(host, |it| it.macros[1].kind = MacroType::Secret);
        let mut world = World::new(&config);
        world.value("h", "k", 20, 13.0);
        world.events[0].1.name.clone()
    };
    assert_eq!(of("last(/h/k)>{$THR}", "over $1"), "over 10");
    assert_eq!(of("last(/h/k)>{$SECRET}", "over $1"), "over ******");
    assert_eq!(of("5m<last(/h/k)+1000 and \"a b\"=\"a b\"", "$1 $2 $3 $4"), "5m 1000 a b a b");
    assert_eq!(of("last(/h/k)>{$THR}", "{TRIGGER.EXPRESSION.EXPLAIN}"), "13>10");
}

#[test]
fn functions_of_macros_get_values_without_units() {
    let (mut config, host, _) = config("last(/h/k)>10", "{ITEM.VALUE} {{ITEM.VALUE}.fmtnum(1)}");
    config.edit(host, |it| {
        for row in &mut it.items {
            let content = ItemContent::clone(&row.content);
            row.content = std::sync::Arc::new(ItemContent { units: "B".to_owned(), ..content });
        }
    });
    let mut world = World::new(&config);
    world.value("h", "k", 20, 2_048.25);
    assert_eq!(names(&world), ["2 KB 2048.2"]);
}

#[test]
fn tags_are_trimmed_and_have_the_macros_of_tags() {
    let (mut config, host, trigger) = config("last(/h/k)>10", "");
    let tag = |tag: &str, value: &str| Tag { tag: tag.to_owned(), value: value.to_owned() };
    config.edit(host, |it: &mut Host| {
        let content = TriggerContent {
            tags: vec![
                tag(" a ", "  {HOST.HOST} {ITEM.VALUE} "),
                tag("id", "{HOST.ID} {TRIGGER.ID} {ITEM.NAME} {TIME} $1 {HOSTNAME}"),
            ],
            ..TriggerContent::clone(&it.triggers[0].content)
        };
        it.triggers[0].content = content.into();
        it.tags = vec![tag("host", "{HOST.NAME} {TRIGGER.ID} {ITEM.VALUE}")];
    });
    let mut world = World::new(&config);
    world.value("h", "k", 20, 12.0);
    let event = &world.events[0].1;
    let expanded: Vec<(&str, &str)> =
        event.tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())).collect();
    let ids = format!("{host} {trigger} {{ITEM.NAME}} {{TIME}} $1 {{HOSTNAME}}");
    let of_host = format!("Visible h {trigger} {{ITEM.VALUE}}");
    assert_eq!(expanded, [("a", "h 12"), ("id", &*ids), ("host", &*of_host)]);
}

#[test]
fn times_of_macro_functions_are_in_the_zone_of_the_server() {
    let settings = directory::BuilderSettings {
        n_shards: 1,
        hash_seed: 1,
        zone: jiff::tz::TimeZone::fixed(jiff::tz::offset(2)),
    };
    let mut config = Config::new();
    let host = config.host("h");
    config.user_macro(host, "{$T}", &START.to_string());
    let mut builder = directory::DirectoryBuilder::new(settings);
    let snapshot = std::sync::Arc::new(config.snapshot.clone());
    let (directory, _) = builder.apply(&snapshot, &model::snapshot::Delta::default());
    let plan = directory.by_host(host).expect("the host");
    assert_eq!(plan.resolve("{{$T}.fmttime(%H:%M)}", None), "02:00");
    assert_eq!(snapshot.hosts[&host].macros[0].kind, MacroType::Text);
}

#[test]
fn secret_macros_are_hidden_but_count() {
    let name = r#"{$MAX} {{$MAX}.regsub("(.)","<\1>")} {?last(//k)>{$MAX}} {$PLAIN}"#;
    let (mut config, host, _) = config("last(/h/k)>{$MAX}", name);
    config.edit(host, |it| {
        for row in &mut it.items {
            let content = ItemContent::clone(&row.content);
            row.content =
                std::sync::Arc::new(ItemContent { name: "k {$MAX}".to_owned(), ..content });
        }
    });
    config.user_macro(host, "{$MAX}", "10");
    config.edit(host, |it| it.macros[0].kind = MacroType::Secret);
    config.user_macro(host, "{$PLAIN}", "seen");
    let mut world = World::new(&config);
    world.value("h", "k", 20, 2.0);
    world.value("h", "k", 30, 13.0);
    assert_eq!(names(&world), ["****** <*> 1 seen"]);
}

/// A world whose items had values before the trigger came: its windows are cold.
fn cold(expression: &str, name: &str) -> (World, Config, TriggerId) {
    let (mut config, host, trigger) = config(expression, name);
    let rows = config.snapshot.hosts[&host].triggers.clone();
    config.edit(host, |it| it.triggers.clear());
    let mut world = World::new(&config);
    world.value("h", "k", 1, 1.0);
    world.value("h", "k", 2, 3.0);
    config.edit(host, |it| it.triggers = rows);
    world.reconfigure(&mut config);
    (world, config, trigger)
}

/// Answers with all that was stored of `k`.
fn answer(world: &World, fetch: &Fetch, stored: &[(i64, f64)]) -> Fetched {
    let samples = Samples::Float(stored.iter().map(|it| (at(it.0), it.1)).collect());
    Fetched { id: fetch.id, samples: Ok(samples), lsn: Some(world.lsn()) }
}

#[test]
fn an_event_waits_for_the_window_of_its_name_and_later_ones_wait_behind_it() {
    let name = "{?last(//k)} of {?sum(//k,1h)} {ITEM.VALUE}";
    let (mut world, _, trigger) = cold("last(/h/k)>10", name);
    world.value("h", "k", 10, 20.0);
    let fetch = world.effects.fetches[0];
    assert_eq!(world.events_of(trigger), []);
    assert_eq!(world.shard.sizes().events_awaiting_names, 1);
    // The window is asked for once; values that come have their own events.
    world.value("h", "k", 11, 5.0);
    world.value("h", "k", 12, 30.0);
    world.value("h", "k", 13, 40.0);
    world.value("h", "k", 14, 50.0);
    assert!(world.effects.fetches.is_empty());
    assert_eq!(world.shard.sizes().events_awaiting_names, 3);
    assert!(!world.trigger(trigger).is_problem, "what is journaled, no more");
    let stored = [(1, 1.0), (2, 3.0), (10, 20.0), (11, 5.0), (12, 30.0), (13, 40.0), (14, 50.0)];
    let fetched = answer(&world, &fetch, &stored);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(10, true), (11, false), (12, true)]);
    assert_eq!(names(&world), ["20 of 24 20", "5 of 29 5", "30 of 59 30"]);
    assert!(world.trigger(trigger).is_problem);
    assert_eq!(world.shard.sizes().events_awaiting_names, 0);
    assert_eq!(world.shard.counters().event_name_macros_unknown, 0);
    world.value("h", "k", 15, 1.0);
    assert_eq!(names(&world)[3], "1 of 150 1");
    world.check_replay();
}

#[test]
fn an_event_does_not_wait_for_ever() {
    let (mut world, _, trigger) = cold("last(/h/k)>10", "sum {?sum(//k,1h)}");
    world.value("h", "k", 10, 20.0);
    world.pass(19);
    assert_eq!(world.events_of(trigger), []);
    world.pass(21);
    assert_eq!(world.events_of(trigger), [(10, true)]);
    assert_eq!(names(&world), ["sum *UNKNOWN*"]);
    assert_eq!(world.shard.counters().event_name_macros_unknown, 1);
    // The answer comes after all: nothing is made twice, and the next name is known.
    let fetch = world.fetches[0];
    let fetched = answer(&world, &fetch, &[(1, 1.0), (2, 3.0), (10, 20.0)]);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(10, true)]);
    world.value("h", "k", 30, 6.0);
    assert_eq!(names(&world), ["sum *UNKNOWN*", "sum 30"]);
    world.check_replay();
}

#[test]
fn an_event_is_made_without_its_name_if_history_fails() {
    let (mut world, _, trigger) = cold("last(/h/k)>10", "sum {?sum(//k,1h)}");
    world.value("h", "k", 10, 20.0);
    let fetch = world.effects.fetches[0];
    let samples = Err(FetchFailed::because("the disk is gone"));
    world.input(Input::Fetched(&[Fetched { id: fetch.id, samples, lsn: None }]));
    assert_eq!(world.events_of(trigger), [(10, true)]);
    assert_eq!(names(&world), ["sum *UNKNOWN*"]);
    assert_eq!(world.trigger(trigger).error, None, "the trigger itself has its value");
}

#[test]
fn more_events_than_may_wait_push_the_oldest_out() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let mut world = World::new(&config);
    world.value("h", "k", 1, 1.0);
    let trigger = config.trigger(host, "last(/h/k)>10", |it| {
        it.event_name = "sum {?sum(//k,1h)}".to_owned();
        it.multiple = true;
    });
    world.reconfigure(&mut config);
    world.set_time(2);
    for n in 0..70 {
        let seconds = Time(at(2).0 + n * 1_000_000);
        let mut batch = model::batch::Batch::default();
        batch.epoch = world.directory.epoch();
        let target = world.directory.lookup("h", "k").expect("the item");
        batch.push(target.slot, seconds, model::batch::RawRef::Float(20.0)).expect("room");
        batch.runs.push(model::batch::Run { end: 1 });
        world.input(Input::Batch(&batch));
    }
    assert_eq!(world.events_of(trigger).len(), 70 - 64);
    assert_eq!(world.shard.sizes().events_awaiting_names, 64);
    assert_eq!(world.shard.counters().event_name_macros_unknown, 70 - 64);
    world.pass(20);
    assert_eq!(world.events_of(trigger).len(), 70);
    world.check_replay();
}

#[test]
fn an_event_that_waits_survives_a_change_of_configuration() {
    let (mut world, mut config, trigger) = cold("last(/h/k)>10", "sum {?sum(//k,1h)}");
    world.value("h", "k", 10, 20.0);
    let host = config.snapshot.host_named("h").expect("the host").id;
    // Other positions of items and triggers.
    config.item(host, item("another", ValueType::Float));
    config.trigger(host, "sum(/h/other,1h)>1", |_| {});
    config.edit(host, |it| it.triggers.rotate_left(1));
    world.reconfigure(&mut config);
    assert_eq!(world.events_of(trigger), []);
    let fetch = world.fetches[0];
    let fetched = answer(&world, &fetch, &[(1, 1.0), (2, 3.0), (10, 20.0)]);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(10, true)]);
    assert_eq!(names(&world), ["sum 24"]);
}

#[test]
fn an_event_whose_name_another_configuration_no_longer_has_is_made_all_the_same() {
    let (mut world, mut config, trigger) = cold("last(/h/k)>10", "sum {?sum(//k,1h)}");
    world.value("h", "k", 10, 20.0);
    let host = config.snapshot.host_named("h").expect("the host").id;
    config.edit(host, |it| {
        let content = TriggerContent {
            event_name: "plain".to_owned(),
            ..TriggerContent::clone(&it.triggers[0].content)
        };
        it.triggers[0].content = content.into();
    });
    world.reconfigure(&mut config);
    assert_eq!(world.events_of(trigger), [(10, true)]);
    assert_eq!(names(&world), ["sum *UNKNOWN*"]);
}

#[test]
fn an_event_that_waited_when_the_process_ended_is_made_once_after_the_start() {
    let (mut world, _, trigger) = cold("last(/h/k)>10", "sum {?sum(//k,1h)}");
    world.value("h", "k", 10, 20.0);
    assert_eq!(world.events_of(trigger), []);
    let n = world.journal.len();
    world.restart(n / 2);
    let fetch = *world.effects.fetches.first().expect("asked again");
    let fetched = answer(&world, &fetch, &[(1, 1.0), (2, 3.0), (10, 20.0)]);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(10, true)]);
    assert_eq!(names(&world), ["sum 24"]);
    world.restart(world.journal.len());
    assert_eq!(world.events_of(trigger), [(10, true)]);
    world.check_replay();
}

#[test]
fn dependants_see_the_problem_whose_event_still_waits() {
    let (mut config, host, master) = config("last(/h/k)>10", "sum {?sum(//k,1h)}");
    let dependant = config.trigger(host, "last(/h/k)>15", |it| it.dependencies = vec![master]);
    let rows = config.snapshot.hosts[&host].triggers.clone();
    config.edit(host, |it| it.triggers.clear());
    let mut world = World::new(&config);
    world.value("h", "k", 1, 1.0);
    config.edit(host, |it| it.triggers = rows);
    world.reconfigure(&mut config);
    world.value("h", "k", 10, 20.0);
    let fetch = world.effects.fetches[0];
    let fetched = answer(&world, &fetch, &[(1, 1.0), (10, 20.0)]);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(master), [(10, true)]);
    assert_eq!(world.events_of(dependant), []);
}

#[test]
fn a_problem_that_is_closed_by_hand_while_its_recovery_waits_recovers_once() {
    let (mut config, host, trigger) = config("last(/h/k)>10", "sum {?sum(//other,1h)}");
    config.edit(host, |it| {
        let content = TriggerContent {
            recovery_mode: RecoveryMode::Expression,
            manual_close: true,
            ..TriggerContent::clone(&it.triggers[0].content)
        };
        it.triggers[0].content = content.into();
    });
    let mut world = World::new(&config);
    world.value("h", "other", 1, 1.0);
    world.value("h", "k", 10, 20.0);
    let first = world.events[0].0;
    // A late value: the window that is held does not reach there.
    for seconds in 0..400 {
        world.value("h", "other", 4_000 + 60 * seconds, 1.0);
    }
    world.send("h", &[("k", 3_000, model::batch::RawRef::Float(1.0))]);
    assert_eq!(world.shard.sizes().events_awaiting_names, 1);
    world.input(Input::Close(&CloseProblem {
        trigger,
        event: model::EventId(first),
        user: model::UserId(1),
        time: Time::ZERO,
    }));
    // The recovery comes first, and with it nothing is left to be closed.
    assert_eq!(world.events_of(trigger).len(), 1);
    let n = world.journal.len();
    world.restart(n);
    world.pass(40_000);
    assert_eq!(world.events_of(trigger), [(10, true), (3_000, false)]);
    assert_eq!(world.shard.sizes().events_awaiting_names, 0);
}

/// A world with a problem since second 10 and a cold window in the name.
fn closable(multiple: bool) -> (World, Config, TriggerId) {
    let (mut config, host, trigger) = config("last(/h/k)>10", "");
    config.edit(host, |it| {
        let content = TriggerContent {
            multiple,
            manual_close: true,
            ..TriggerContent::clone(&it.triggers[0].content)
        };
        it.triggers[0].content = content.into();
    });
    let mut world = World::new(&config);
    world.value("h", "k", 10, 20.0);
    config.edit(host, |it| {
        let content = TriggerContent {
            event_name: "sum {?sum(//k,1h)}".to_owned(),
            ..TriggerContent::clone(&it.triggers[0].content)
        };
        it.triggers[0].content = content.into();
    });
    world.reconfigure(&mut config);
    (world, config, trigger)
}

fn close_by_hand(world: &mut World, trigger: TriggerId, event: u64) {
    let (event, user, time) = (model::EventId(event), model::UserId(1), Time::ZERO);
    world.input(Input::Close(&CloseProblem { trigger, event, user, time }));
}

#[test]
fn the_event_of_a_problem_closed_by_hand_waits_for_its_name() {
    for is_restarted in [false, true] {
        let (mut world, _, trigger) = closable(false);
        world.set_time(12);
        let event = world.events[0].0;
        close_by_hand(&mut world, trigger, event);
        assert_eq!(world.events_of(trigger), [(10, true)]);
        assert_eq!(world.shard.sizes().events_awaiting_names, 1);
        world.check_replay();
        if is_restarted {
            world.restart(world.journal.len() - 1);
            world.restart(world.journal.len());
        }
        // Once is enough.
        close_by_hand(&mut world, trigger, event);
        assert_eq!(world.shard.sizes().events_awaiting_names, 1);
        // Still over the limit: a new problem, after the closing.
        world.value("h", "k", 13, 30.0);
        let fetch = *world.fetches.last().expect("asked for");
        let fetched = answer(&world, &fetch, &[(10, 20.0), (13, 30.0)]);
        world.input(Input::Fetched(&[fetched]));
        assert_eq!(world.events_of(trigger), [(10, true), (12, false), (13, true)]);
        assert_eq!(names(&world)[1..], ["sum 20", "sum 50"]);
        assert!(world.trigger(trigger).is_problem);
        let closing = &world.events[1].1.kind;
        let pipeline::StepEventKind::Recovery { closes, user } = closing else {
            panic!("{closing:?}")
        };
        assert_eq!((closes.len(), user.0), (1, 1));
        world.check_replay();
    }
}

#[test]
fn a_trigger_stays_in_problem_while_one_of_its_problems_is_open() {
    let (mut world, _, trigger) = closable(true);
    world.value("h", "k", 11, 21.0);
    assert_eq!(world.shard.sizes().events_awaiting_names, 1);
    let first = world.events[0].0;
    world.set_time(12);
    close_by_hand(&mut world, trigger, first);
    world.restart(world.journal.len() / 2);
    let fetch = *world.fetches.last().expect("asked for");
    let fetched = answer(&world, &fetch, &[(10, 20.0), (11, 21.0)]);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(10, true), (11, true), (12, false)]);
    assert!(world.trigger(trigger).is_problem, "of second 11");
    let second = world.events[1].0;
    close_by_hand(&mut world, trigger, second);
    assert!(!world.trigger(trigger).is_problem);
    world.check_replay();
}

#[test]
fn every_event_of_multiple_generation_that_waits_is_made_once_after_a_crash() {
    for checkpoint_at in 0..6 {
        let (mut world, _, trigger) = closable(true);
        for second in 11..=14 {
            world.value("h", "k", second, 10.0 + f64::from(i32::try_from(second).expect("small")));
        }
        assert_eq!(world.events_of(trigger).len(), 1);
        assert_eq!(world.shard.sizes().events_awaiting_names, 4);
        world.check_replay();
        world.restart(checkpoint_at);
        assert_eq!(world.shard.sizes().events_awaiting_names, 4);
        let fetch = *world.fetches.last().expect("asked for");
        let stored = [(10, 20.0), (11, 21.0), (12, 22.0), (13, 23.0), (14, 24.0)];
        let fetched = answer(&world, &fetch, &stored);
        world.input(Input::Fetched(&[fetched]));
        let times: Vec<i64> = world.events_of(trigger).iter().map(|it| it.0).collect();
        assert_eq!(times, [10, 11, 12, 13, 14]);
        assert_eq!(names(&world)[1..], ["sum 41", "sum 63", "sum 86", "sum 110"]);
        world.restart(world.journal.len());
        assert_eq!(world.events_of(trigger).len(), 5);
        world.check_replay();
    }
}

/// Answers all questions from the journal's values.
struct Stored(Vec<(ItemId, Time, f64)>);

impl Stored {
    fn of(world: &World) -> Self {
        let mut rows = Vec::new();
        for it in &world.journal {
            let view = RecordView::parse(&it.payload).expect("a record");
            for row in view.numbers().map(|it| it.expect("a row")) {
                if let Num::Float(value) = row.value {
                    rows.push((row.item, Time::from_millis(row.ms), value));
                }
            }
        }
        Self(rows)
    }
}

impl Source for Stored {
    fn read(
        &mut self,
        (item, _): (ItemId, ValueType),
        range: ReadRange,
    ) -> Result<Samples, FetchFailed> {
        let rows = self.0.iter().filter(|it| it.0 == item);
        let rows = rows.filter(|it| range.from < it.1 && it.1 <= range.until);
        Ok(Samples::Float(rows.map(|it| (it.1, it.2)).collect()))
    }

    fn is_unsupported(&mut self, _item: &ItemTarget) -> bool {
        false
    }
}

#[test]
fn a_trend_of_a_name_is_asked_for_and_the_event_waits_for_it() {
    let name = "hour {{?trendavg(//k,1h:now/h)}.fmtnum(1)}, now {?last(//k)}";
    let (config, _, trigger) = config("last(/h/k)>10", name);
    let mut world = World::new(&config);
    world.value("h", "k", 100, 1.0);
    world.value("h", "k", 200, 2.0);
    world.value("h", "k", 3_700, 20.0);
    assert_eq!(world.events_of(trigger), []);
    world.value("h", "k", 3_701, 21.0);
    world.value("h", "k", 3_702, 22.0);
    assert_eq!(world.cross_item_queries.len(), 1, "asked for once");
    let cross_item_queries = std::mem::take(&mut world.cross_item_queries);
    let mut cross_item_reader = CrossItemReader::new(jiff::tz::TimeZone::UTC);
    let directory = std::sync::Arc::clone(&world.directory);
    let answer =
        cross_item_reader.answer(&cross_item_queries[0], &directory, &mut Stored::of(&world));
    world.input(Input::CrossItemAnswers(&[answer]));
    assert_eq!(world.events_of(trigger), [(3_700, true)]);
    assert_eq!(names(&world), ["hour 1.5, now 20"]);
    world.check_replay();
}
