//! The contract of items: preprocessing, types, states, dependants, rules, times, slots.

use std::sync::Arc;

use crate::kit::{Config, World, at, item, step};
use model::Retention;
use model::batch::{Batch, Extra, RawRef, Run};
use model::content::{ItemContent, ItemFlags, ItemStatus, ItemType, MacroType, OnFail, Step, Tag};
use model::record::{EventKind, Subject};
use model::value::LogEntry;
use model::{HostId, ItemId, Time, Value, ValueType};
use pipeline::{Input, StateEvent, StateOf};

fn with(value_type: ValueType, steps: &[(Step, &str)]) -> (Config, HostId) {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("k", value_type);
    content.preprocessing = steps.iter().map(|(kind, params)| step(*kind, params)).collect();
    config.item(host, content);
    (config, host)
}

/// Sends a text each second and returns the last value after each.
fn lasts(world: &mut World, texts: &[&str]) -> Vec<Option<Value>> {
    let mut seconds = world.now.wall.clock() - crate::kit::START;
    texts
        .iter()
        .map(|text| {
            seconds += 1;
            world.text("h", "k", seconds, text);
            world.last_value("h", "k")
        })
        .collect()
}

fn float(it: f64) -> Option<Value> {
    Some(Value::Float(it))
}

#[test]
fn a_secret_of_one_host_is_hidden_though_another_one_has_it_as_a_text() {
    let (mut config, open) = with(ValueType::Float, &[(Step::Regex, "({$WORD})\n\\1")]);
    let content = Arc::clone(&config.snapshot.hosts[&open].items[0].content);
    let closed = config.host("closed");
    config.item(closed, item("k", ValueType::Float));
    for host in [open, closed] {
        config.user_macro(host, "{$WORD}", "hush");
        // As of a template, so that they share what they compile to.
        config.edit(host, |it| {
            it.items[0].content = Arc::clone(&content);
            it.items[0].source = ItemId(1_000_000);
        });
    }
    config.edit(closed, |it| it.macros[0].kind = MacroType::Secret);
    let mut world = World::new(&config);
    world.text("h", "k", 1, "value");
    world.text("closed", "k", 2, "value");
    for (host, shown) in [("h", true), ("closed", false)] {
        let error = world.last(host, "k").error.as_deref().unwrap_or_default().to_owned();
        assert_eq!((error.is_empty(), error.contains("hush")), (false, shown), "{host}: {error}");
    }
}

#[test]
fn errors_of_steps_show_no_value_of_a_secret_macro() {
    // The same text is shown where nothing says that it is secret.
    for (pattern, shown) in [("({$SECRET})\n\\1", "******"), ("({$PLAIN})\n\\1", "hush")] {
        let (mut config, host) = with(ValueType::Float, &[(Step::Regex, pattern)]);
        config.user_macro(host, "{$SECRET}", "hush");
        config.user_macro(host, "{$PLAIN}", "hush");
        config.edit(host, |it| it.macros[0].kind = MacroType::Secret);
        let mut world = World::new(&config);
        world.text("h", "k", 1, "value");
        let error = world.last("h", "k").error.as_deref().unwrap_or_default().to_owned();
        assert!(error.contains(shown), "{error}");
        assert_eq!(error.contains("hush"), shown == "hush", "{error}");
    }
    let (mut config, host) = with(ValueType::Text, &[(Step::Regex, "no\n\\0")]);
    config.user_macro(host, "{$SECRET}", "hush");
    config.edit(host, |it| {
        it.macros[0].kind = MacroType::Secret;
        let mut content = ItemContent::clone(&it.items[0].content);
        content.preprocessing[0].error_handler = OnFail::SetError;
        content.preprocessing[0].error_handler_params = "not {{$SECRET}.uppercase()}".to_owned();
        it.items[0].content = content.into();
    });
    let mut world = World::new(&config);
    world.text("h", "k", 1, "value");
    assert_eq!(world.last("h", "k").error.as_deref(), Some("not ******"));
}

#[test]
fn a_rate_needs_two_values_and_forgets_after_an_error() {
    let (config, _) = with(ValueType::Float, &[(Step::ChangePerSecond, "")]);
    let mut world = World::new(&config);
    let got = lasts(&mut world, &["10", "14", "oops", "20", "21", "15", "16"]);
    let want = [None, float(4.0), float(4.0), float(4.0), float(1.0), float(1.0), float(1.0)];
    assert_eq!(got, want);
    world.check_replay();
}

#[test]
fn a_first_value_of_a_change_that_gives_nothing_makes_the_item_normal_again() {
    for kind in [Step::SimpleChange, Step::ChangePerSecond] {
        let (config, _) = with(ValueType::Float, &[(kind, "")]);
        let mut world = World::new(&config);
        let mut errors = Vec::new();
        for (seconds, text) in [(1, "10"), (2, "oops"), (3, "20"), (4, "30")] {
            world.text("h", "k", seconds, text);
            errors.push((world.last("h", "k").error.is_some(), world.effects.values.len()));
        }
        assert_eq!(errors, [(false, 0), (true, 0), (false, 0), (false, 1)]);
        world.check_replay();
    }
}

#[test]
fn unchanged_numbers_are_discarded_however_they_are_written() {
    for (steps, value_type) in [
        ((Step::DiscardUnchanged, ""), ValueType::Float),
        ((Step::DiscardUnchangedHeartbeat, "1h"), ValueType::Text),
    ] {
        let (config, _) = with(value_type, &[steps]);
        let mut world = World::new(&config);
        let mut counts = Vec::new();
        for (seconds, text) in (1..).zip(["1", "1.0", "1.000", "1e0", "1.1", "11e-1", "1"]) {
            world.text("h", "k", seconds, text);
            counts.push(world.effects.values.len());
        }
        assert_eq!(counts, [1, 0, 0, 0, 1, 0, 1], "{value_type:?}");
        world.check_replay();
    }
}

#[test]
fn an_error_lets_the_next_throttled_value_pass() {
    let (config, _) =
        with(ValueType::Float, &[(Step::Multiplier, "2"), (Step::DiscardUnchanged, "")]);
    let mut world = World::new(&config);
    let mut counts = Vec::new();
    for (seconds, text) in [(1, "1"), (2, "1"), (3, "x"), (4, "1"), (5, "1")] {
        world.text("h", "k", seconds, text);
        counts.push(world.effects.values.len());
        world.check_replay();
    }
    assert_eq!(counts, [1, 0, 0, 1, 0]);
}

#[test]
fn a_heartbeat_lets_an_unchanged_value_pass() {
    let (config, _) = with(ValueType::Char, &[(Step::DiscardUnchangedHeartbeat, "10s")]);
    let mut world = World::new(&config);
    let mut counts = Vec::new();
    for seconds in [1, 5, 11, 12, 22] {
        world.text("h", "k", seconds, "same");
        counts.push(world.effects.values.len());
    }
    assert_eq!(counts, [1, 0, 1, 0, 1]);
    world.check_replay();
}

#[test]
fn a_discarded_value_returns_the_item_to_normal_without_judging_triggers() {
    let (mut config, host) = with(ValueType::Float, &[(Step::DiscardUnchanged, "")]);
    let trigger = config.trigger(host, "last(/h/k)>=0", |it| it.multiple = true);
    let mut world = World::new(&config);
    world.value("h", "k", 1, 1.0);
    // A conversion error comes after the steps: their memory stays.
    world.set_time(2);
    world.send("h", &[("k", 2, RawRef::Error("gone"))]);
    assert!(world.last("h", "k").error.is_some());
    world.value("h", "k", 3, 1.0);
    world.value("h", "k", 4, 1.0);
    assert_eq!(world.last("h", "k").error, None);
    assert_eq!(world.events_of(trigger), [(1, true), (3, true)]);
    world.check_replay();
}

#[test]
fn value_of_the_wrong_type_makes_the_item_unsupported() {
    let (config, _) = with(ValueType::Unsigned, &[]);
    let mut world = World::new(&config);
    world.text("h", "k", 1, "12");
    world.text("h", "k", 2, "abc");
    assert_eq!(
        world.last("h", "k").error.as_deref(),
        Some(
            "Value of type \"string\" is not suitable for value type \"Numeric (unsigned)\". \
             Value \"abc\""
        )
    );
    world.text("h", "k", 3, " 13");
    assert_eq!(world.last_value("h", "k"), Some(Value::Unsigned(13)));
    assert_eq!(world.last("h", "k").error, None);
    let states: Vec<bool> = world.states.iter().map(|it| it.error.is_some()).collect();
    assert_eq!(states, [true, false]);
    world.check_replay();
}

#[test]
fn whole_numbers_take_fractions_and_line_ends_on_every_way() {
    const TEXTS: [&str; 7] = ["5.5", ".5", "1e3", "42\r\n", " 7 ", "1.458255915e9", "\"15\"\n"];
    const WHOLE: [u64; 7] = [5, 0, 1_000, 42, 7, 1_458_255_915, 15];
    let ways: [&[(Step, &str)]; 4] = [
        &[],
        &[(Step::Trim, "x")],
        &[(Step::Regex, "(?s)^(.*)$\n\\1")],
        &[(Step::Multiplier, "1")],
    ];
    for steps in ways {
        let (config, _) = with(ValueType::Unsigned, steps);
        let mut world = World::new(&config);
        let stored = lasts(&mut world, &TEXTS);
        assert_eq!(stored, WHOLE.map(|it| Some(Value::Unsigned(it))), "{steps:?}");
        assert_eq!(world.last("h", "k").error, None);
        // Values that are numbers already: of SNMP, a calculated item or a store.
        world.send("h", &[("k", 20, RawRef::Float(5.9)), ("k", 21, RawRef::Float(0.5))]);
        assert_eq!(world.last_value("h", "k"), Some(Value::Unsigned(0)), "{steps:?}");
        world.send("h", &[("k", 22, RawRef::Float(-0.5))]);
        assert!(world.last("h", "k").error.is_some(), "{steps:?}");
        world.check_replay();
    }
}

#[test]
fn an_item_that_is_not_supported_makes_one_event_and_another_when_it_is_again() {
    let (mut config, host) = with(ValueType::Unsigned, &[]);
    let tag = |value: &str| Tag { tag: "component".to_owned(), value: value.to_owned() };
    let mut content = item("tagged", ValueType::Unsigned);
    content.tags = vec![tag("{HOST.HOST} {$WHERE}")];
    let id = config.item(host, content);
    config.user_macro(host, "{$WHERE}", "rack 7");
    let mut world = World::new(&config);
    for (seconds, text) in [(1, "12"), (2, "abc"), (3, "another"), (4, "13"), (5, "14")] {
        world.text("h", "tagged", seconds, text);
    }
    let events: Vec<_> = world.states.iter().map(|it| it.event.clone()).collect();
    let subject = Subject::ItemState(id);
    let event = StateEvent { subject, tags: vec![tag("h rack 7")] };
    assert_eq!(events, [Some(event.clone()), None, Some(event)]);
    let why = "Value of type \"string\" is not suitable for value type \"Numeric (unsigned)\". \
               Value \"abc\"";
    let expected =
        [(subject, EventKind::Problem, why.to_owned()), (subject, EventKind::Ok, String::new())];
    assert_eq!(world.journaled_events(), expected);
    world.check_replay();
    // A start publishes nothing again.
    world.restart(0);
    world.text("h", "tagged", 6, "15");
    assert_eq!(world.journaled_events(), expected);
}

#[test]
fn the_short_way_and_the_long_way_give_the_same() {
    // The same multiplier twice on the long way: once alone, once with a step that changes nothing.
    for (value_type, factor) in [
        (ValueType::Float, "0.001"),
        (ValueType::Float, "8"),
        (ValueType::Unsigned, "8"),
        (ValueType::Unsigned, "0.5"),
        (ValueType::Unsigned, "-1"),
    ] {
        let (short, _) = with(value_type, &[(Step::Multiplier, factor)]);
        let (long, _) = with(value_type, &[(Step::Trim, " "), (Step::Multiplier, factor)]);
        let (mut short, mut long) = (World::new(&short), World::new(&long));
        let texts = ["1", "0", "12.5", "-3", "1e3", "18446744073709551615", "1e308", "x", "", "7 "];
        for (seconds, text) in (1..).zip(texts) {
            short.text("h", "k", seconds, text);
            long.text("h", "k", seconds, text);
            let (a, b) = (short.last("h", "k"), long.last("h", "k"));
            assert_eq!(
                (a.last, a.error.is_some()),
                (b.last, b.error.is_some()),
                "{text} * {factor}"
            );
        }
    }
}

#[test]
fn texts_are_cut_by_characters() {
    let (config, _) = with(ValueType::Char, &[]);
    let mut world = World::new(&config);
    world.text("h", "k", 1, &"ž".repeat(300));
    assert_eq!(world.last_value("h", "k"), Some(Value::Text("ž".repeat(255).into())));
    let note = world.last("h", "k").note.expect("a note").text;
    assert_eq!(&*note, "The value of 2026-01-01 00:00:01 was cut from 300 characters to 255.");
    assert_eq!(world.effects.runs[0].cut, 1);
}

#[test]
fn a_text_over_the_limit_is_cut_and_said_at_the_item() {
    for value_type in [ValueType::Text, ValueType::Log] {
        let (config, _) = with(value_type, &[]);
        let mut world = World::new(&config);
        world.text("h", "k", 1, &"x".repeat(65_535));
        assert_eq!(world.last("h", "k").note, None);
        world.text("h", "k", 2, &"x".repeat(70_000));
        let note = world.last("h", "k").note.expect("a note").text;
        assert!(note.ends_with("was cut from 70000 characters to 65535."), "{note}");
        let kept = world.last_value("h", "k").expect("a value");
        assert_eq!(kept.as_text().map(str::len), Some(65_535));
    }
}

#[test]
fn a_run_says_what_was_taken_but_not_kept_as_sent() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("number", ValueType::Unsigned));
    config.item(host, item("text", ValueType::Char));
    let mut json = item("json", ValueType::Text);
    json.preprocessing = vec![step(Step::JsonPath, "$.a")];
    let json = config.item(host, json);
    dependent(&mut config, host, "b", json, "$.b");
    let mut world = World::new(&config);
    world.set_time(9);
    let long = "x".repeat(256);
    let rows = [
        ("number", 1, RawRef::Text("12")),
        ("number", 2, RawRef::Text("twelve")),
        ("number", 3, RawRef::Text("-1")),
        ("number", 400_000, RawRef::Text("4")),
        ("text", 4, RawRef::Text("short")),
        ("text", 5, RawRef::Text(&long)),
        // Results of dependants do not count.
        ("json", 6, RawRef::Text("{\"a\":\"1\"}")),
        ("json", 7, RawRef::Text("{}")),
    ];
    world.send("h", &rows);
    let run = &world.effects.runs[0];
    assert_eq!((run.processed, run.failed, run.unsupported, run.cut), (7, 1, 3, 1));
}

#[test]
fn log_entries_keep_their_fields_and_positions() {
    let (config, _) = with(ValueType::Log, &[]);
    let mut world = World::new(&config);
    let target = world.directory.lookup("h", "k").expect("an item");
    let mut batch = Batch::default();
    batch.epoch = 1;
    batch.push(target.slot, at(1), RawRef::Text("line")).expect("room");
    let log = LogEntry { source: "app".to_owned(), severity: 4, ..LogEntry::default() };
    batch.extras.push(Extra {
        row: 0,
        lastlogsize: Some(77),
        mtime: Some(5),
        log: Some(log.clone()),
    });
    // Nothing but the position moves.
    batch.push(target.slot, at(2), RawRef::Nothing).expect("room");
    batch.extras.push(Extra { row: 1, lastlogsize: Some(99), mtime: None, log: None });
    batch.runs.push(Run { end: 2 });
    world.set_time(3);
    world.input(Input::Batch(&batch));
    let entry = LogEntry { value: "line".to_owned(), ..log };
    assert_eq!(world.last_value("h", "k"), Some(Value::Log(entry.into())));
    let live = world.live.shard(0).expect("a shard");
    assert_eq!(live.log_position(target.slot), Some((99, 0)));
    world.check_replay();
}

#[test]
fn numeric_log_items_keep_their_position_too() {
    for value_type in [ValueType::Unsigned, ValueType::Float] {
        let (config, _) = with(value_type, &[]);
        let mut world = World::new(&config);
        let target = world.directory.lookup("h", "k").expect("an item");
        let mut batch = Batch::default();
        batch.epoch = 1;
        for (seconds, count, size) in [(1, "3", 77), (2, "0", 99)] {
            let row = u32::try_from(batch.len()).expect("small numbers");
            batch.push(target.slot, at(seconds), RawRef::Text(count)).expect("room");
            batch.extras.push(Extra { row, lastlogsize: Some(size), mtime: Some(5), log: None });
        }
        batch.runs.push(Run { end: 2 });
        world.set_time(3);
        world.input(Input::Batch(&batch));
        let position = |world: &World| {
            let slot = world.directory.lookup("h", "k").expect("an item").slot;
            world.live.shard(0).expect("a shard").log_position(slot)
        };
        assert_eq!(position(&world), Some((99, 5)), "{value_type:?}");
        world.check_replay();
        world.restart(world.journal.len());
        assert_eq!(position(&world), Some((99, 5)), "{value_type:?}, after a restart");
    }
}

fn dependent(config: &mut Config, host: HostId, key: &str, master: ItemId, path: &str) -> ItemId {
    let mut content = item(key, ValueType::Float);
    content.kind = ItemType::Dependent;
    content.master_itemid = master;
    content.preprocessing = vec![step(Step::JsonPath, path)];
    config.item(host, content)
}

#[test]
fn dependants_get_the_processed_value_of_their_master() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("master", ValueType::Text);
    content.history = "0".to_owned();
    content.preprocessing = vec![step(Step::Trim, "()")];
    let master = config.item(host, content);
    let a = dependent(&mut config, host, "a", master, "$.a");
    dependent(&mut config, host, "b", master, "$.b");
    let mut content = item("a2", ValueType::Float);
    content.kind = ItemType::Dependent;
    content.master_itemid = a;
    content.preprocessing = vec![step(Step::Multiplier, "10")];
    config.item(host, content);
    let mut world = World::new(&config);
    world.text("h", "master", 1, "({\"a\":1.5,\"b\":2})");
    assert_eq!(world.last_value("h", "a"), Some(Value::Float(1.5)));
    assert_eq!(world.last_value("h", "b"), Some(Value::Float(2.0)));
    assert_eq!(world.last_value("h", "a2"), Some(Value::Float(15.0)));
    let master_row = world.effects.values.rows.iter().find(|it| it.item == master);
    assert_eq!(master_row.map(|it| it.retention), Some(Retention::Nothing));
    // A master without value takes its dependants along.
    world.set_time(2);
    world.send("h", &[("master", 2, RawRef::Error("no connection"))]);
    for key in ["master", "a", "b", "a2"] {
        assert_eq!(world.last("h", key).error.as_deref(), Some("no connection"), "{key}");
    }
    world.check_replay();
}

#[test]
fn a_circle_of_dependants_ends() {
    let mut config = Config::new();
    let host = config.host("h");
    let first = config.item(host, item("first", ValueType::Float));
    let mut content = item("a", ValueType::Float);
    content.kind = ItemType::Dependent;
    content.master_itemid = first;
    let a = config.item(host, content);
    config.edit(host, |it| {
        let mut first = item("first", ValueType::Float);
        first.kind = ItemType::Dependent;
        first.master_itemid = a;
        it.items[0].content = first.into();
    });
    let mut world = World::new(&config);
    world.value("h", "first", 1, 1.0);
    assert_eq!(world.shard.counters().too_deep, 1);
}

#[test]
fn a_rule_hands_its_json_on_and_stores_nothing() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("rule", ValueType::Text);
    content.preprocessing = vec![step(Step::JsonPath, "$.data")];
    let rule = config.item_row(host, content, ItemFlags::Rule);
    let mut world = World::new(&config);
    world.text("h", "rule", 1, "{\"data\":[{\"{#A}\":\"1\"}]}");
    let found = &world.effects.discoveries[0];
    assert_eq!((found.rule, found.host, found.json.as_str()), (rule, host, "[{\"{#A}\":\"1\"}]"));
    assert!(world.effects.values.is_empty());
    world.text("h", "rule", 2, "{}");
    assert!(world.effects.discoveries.is_empty());
    assert!(matches!(world.states[0].what, StateOf::Item(it) if it == rule));
    let published = world.journaled_events();
    assert!(
        matches!(published[..], [(Subject::RuleState(it), EventKind::Problem, _)] if it == rule)
    );
    world.check_replay();
}

#[test]
fn impossible_times_are_refused_and_said_at_the_item() {
    let (config, _) = with(ValueType::Float, &[]);
    let mut world = World::new(&config);
    world.set_time(1_000);
    let value = RawRef::Float(1.0);
    let day = 86_400;
    let rows = [
        ("k", 1_000, value),
        ("k", 1_000 + day + 1, value),
        ("k", 1_000 - 31 * day - 1, value),
        ("k", 1_000 + day, value),
        ("k", 1_000 - 31 * day, value),
    ];
    assert_eq!(world.send("h", &rows), (3, 2));
    assert_eq!(world.shard.counters().refused_times, 2);
    let note = world.last("h", "k").note.expect("a note");
    let is_local = |it: &str| it.starts_with("A value of 20") && it.contains(":");
    assert!(is_local(&note.text) && note.text.contains("more than a day ahead"), "{note:?}");
    assert_eq!(note.until.clock(), crate::kit::START + 1_000 + day, "shown for a day");
    assert!(world.last("h", "k").error.is_none());
}

#[test]
fn a_value_is_taken_for_as_long_as_the_item_keeps_history() {
    const HOUR: i64 = 3_600;
    const DAY: i64 = 24 * HOUR;
    // The period as configured, and a second; not the class of periods that are stored together.
    for (history, kept) in [
        ("1h", HOUR),
        ("90m", 90 * 60),
        ("{$KEPT}", 2 * HOUR),
        ("1d", DAY),
        ("3d", 3 * DAY),
        ("400d", 400 * DAY),
    ] {
        let mut config = Config::new();
        let host = config.host("h");
        config.user_macro(host, "{$KEPT}", "2h");
        let mut content = item("k", ValueType::Float);
        content.history = history.to_owned();
        config.item(host, content);
        let mut world = World::new(&config);
        world.set_time(1_000);
        let value = RawRef::Float(1.0);
        let oldest = 1_000 - kept;
        let rows = [("k", oldest - 1, value), ("k", oldest, value), ("k", oldest + 1, value)];
        assert_eq!(world.send("h", &rows), (2, 1), "{history}");
    }
    // Values that are not stored may be of any age.
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, ItemContent { history: "0".to_owned(), ..item("k", ValueType::Float) });
    let mut world = World::new(&config);
    assert_eq!(world.send("h", &[("k", -500 * DAY, RawRef::Float(1.0))]), (1, 0));
}

#[test]
fn disabled_items_and_hosts_take_no_values() {
    let (mut config, host) = with(ValueType::Float, &[]);
    let mut world = World::new(&config);
    config.edit(host, |it| {
        let mut content = item("k", ValueType::Float);
        content.status = ItemStatus::Disabled;
        it.items[0].content = content.into();
    });
    world.reconfigure(&mut config);
    assert_eq!(world.send("h", &[("k", 1, RawRef::Float(1.0))]), (0, 1));
    config.edit(host, |it| it.items[0].content = item("k", ValueType::Float).into());
    world.reconfigure(&mut config);
    assert_eq!(world.send("h", &[("k", 1, RawRef::Float(1.0))]), (1, 0));
    config.edit(host, |it| it.status = model::content::HostStatus::NotMonitored);
    world.reconfigure(&mut config);
    assert_eq!(world.send("h", &[("k", 1, RawRef::Float(1.0))]), (0, 1));
}

#[test]
fn a_batch_older_than_a_slot_is_refused_for_it_only() {
    let (mut config, host) = with(ValueType::Float, &[]);
    config.item(host, item("other", ValueType::Float));
    let mut world = World::new(&config);
    let old = world.directory.lookup("h", "k").expect("an item");
    let other = world.directory.lookup("h", "other").expect("an item");
    config.edit(host, |it| {
        it.items.remove(0);
    });
    world.reconfigure(&mut config);
    config.item(host, item("new", ValueType::Float));
    world.reconfigure(&mut config);
    let new = world.directory.lookup("h", "new").expect("an item");
    assert_eq!((new.slot, world.directory.lookup("h", "other")), (old.slot, Some(other)));
    let mut batch = Batch::default();
    batch.epoch = 1;
    batch.push(old.slot, at(1), RawRef::Float(1.0)).expect("room");
    batch.push(other.slot, at(1), RawRef::Float(2.0)).expect("room");
    batch.push(9_999, at(1), RawRef::Float(2.0)).expect("room");
    batch.runs.extend([Run { end: 1 }, Run { end: 3 }]);
    world.set_time(1);
    world.input(Input::Batch(&batch));
    let runs: Vec<(u32, u32)> =
        world.effects.runs.iter().map(|it| (it.processed, it.failed)).collect();
    assert_eq!(runs, [(0, 1), (1, 1)]);
    assert_eq!(world.last_value("h", "new"), None);
    assert_eq!(world.last_value("h", "other"), Some(Value::Float(2.0)));
}

#[test]
fn numbers_are_kept_in_milliseconds_by_all() {
    let (config, _) = with(ValueType::Float, &[]);
    let mut world = World::new(&config);
    let target = world.directory.lookup("h", "k").expect("an item");
    let mut batch = Batch::default();
    batch.epoch = 1;
    let time = Time(at(1).0 + 1_999_999);
    batch.push(target.slot, time, RawRef::Float(1.0)).expect("room");
    world.set_time(2);
    world.input(Input::Batch(&batch));
    let kept = Time(at(1).0 + 1_000_000);
    assert_eq!(world.effects.values.rows[0].time, kept);
    assert_eq!(world.last("h", "k").last.map(|it| it.0), Some(kept));
    world.check_replay();
}

#[test]
fn a_set_value_goes_on_as_value() {
    let (mut config, host) = with(ValueType::Float, &[]);
    config.edit(host, |it| {
        let mut content = item("k", ValueType::Float);
        let mut jsonpath = step(Step::JsonPath, "$.a");
        jsonpath.error_handler = OnFail::SetValue;
        jsonpath.error_handler_params = "-1".to_owned();
        content.preprocessing = vec![jsonpath, step(Step::Multiplier, "2")];
        it.items[0].content = content.into();
    });
    let mut world = World::new(&config);
    world.text("h", "k", 1, "{}");
    assert_eq!(world.last_value("h", "k"), Some(Value::Float(-2.0)));
}

#[test]
fn macros_count_in_parameters_of_steps() {
    let (mut config, host) = with(ValueType::Float, &[(Step::Multiplier, "{$FACTOR}")]);
    config.user_macro(host, "{$FACTOR}", "3");
    let mut world = World::new(&config);
    world.text("h", "k", 1, "2");
    assert_eq!(world.last_value("h", "k"), Some(Value::Float(6.0)));
    config.user_macro(host, "{$FACTOR}", "x");
    world.reconfigure(&mut config);
    world.text("h", "k", 2, "2");
    assert!(world.last("h", "k").error.is_some());
}

#[test]
fn a_change_of_type_forgets_values_of_the_old_one() {
    let (mut config, host) = with(ValueType::Float, &[]);
    let trigger = config.trigger(host, "avg(/h/k,#2)>1", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 1, 5.0);
    config.edit(host, |it| it.items[0].content = item("k", ValueType::Unsigned).into());
    world.reconfigure(&mut config);
    assert_eq!(world.last_value("h", "k"), None);
    world.text("h", "k", 2, "7");
    assert_eq!(world.last_value("h", "k"), Some(Value::Unsigned(7)));
    assert_eq!(world.trigger(trigger).open.len(), 1);
}
