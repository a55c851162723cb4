//! Steps that are too heavy for a shard run elsewhere, and nobody sees a difference.

use crate::kit::{Config, World, at, item, step};
use model::batch::RawRef;
use model::content::{ItemStatus, ItemType, OnFail, Step};
use model::{HostId, ItemId, Time, Value, ValueType};
use pipeline::{Effects, HeavyDone, HeavyJob, Input, JobClass};

/// Takes 100 kB: heavy for every step that reads it.
fn big(number: i64) -> String {
    format!("{{\"n\":{number},\"rest\":\"{}\"}}", "x".repeat(100_000))
}

/// Does a job as a worker would.
fn work(job: &HeavyJob) -> HeavyDone {
    job.run(&mut script::NoScripts)
}

/// Does everything that is under way until nothing more comes.
fn work_all(world: &mut World, jobs: &mut Vec<HeavyJob>) {
    while !jobs.is_empty() {
        let answers: Vec<HeavyDone> = jobs.drain(..).map(|it| work(&it)).collect();
        world.input(Input::HeavyDone(&answers));
        jobs.append(&mut world.effects.heavy);
    }
}

fn send(world: &mut World, key: &str, seconds: i64, text: &str) -> Vec<HeavyJob> {
    world.text("h", key, seconds, text);
    std::mem::take(&mut world.effects.heavy)
}

/// An item that takes `n` out of a document and stores the change.
fn change_of_n() -> (Config, HostId, ItemId) {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("k", ValueType::Float);
    content.preprocessing = vec![step(Step::JsonPath, "$.n"), step(Step::SimpleChange, "")];
    let id = config.item(host, content);
    (config, host, id)
}

fn values_of(world: &World) -> Vec<(i64, Value)> {
    let mut all = Vec::new();
    for it in &world.journal {
        let view = model::record::RecordView::parse(&it.payload).expect("a record");
        for row in view.numbers() {
            let row = row.expect("a row");
            let value = match row.value {
                model::record::Num::Float(it) => Value::Float(it),
                model::record::Num::Unsigned(it) => Value::Unsigned(it),
            };
            all.push((Time::from_millis(row.ms).clock() - crate::kit::START, value));
        }
    }
    all
}

#[test]
fn a_heavy_step_leaves_and_its_value_goes_on_where_it_stopped() {
    let (mut config, host, id) = change_of_n();
    let trigger = config.trigger(host, "last(/h/k)>4", |_| {});
    let mut world = World::new(&config);
    assert!(send(&mut world, "k", 1, "{\"n\":1}").is_empty());
    let jobs = send(&mut world, "k", 2, &big(6));
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].item, id);
    assert_eq!(world.last("h", "k").last, None);
    assert_eq!(world.shard.sizes().values_pending, 1);
    world.check_replay();
    world.set_time(5);
    work_all(&mut world, &mut jobs.clone());
    // At its own time, not at that of the answer.
    assert_eq!(world.last("h", "k").last, Some((at(2), Value::Float(5.0))));
    assert_eq!(world.events_of(trigger), [(2, true)]);
    assert_eq!(world.shard.sizes().values_pending, 0);
    world.check_replay();
    // A second answer to the same job says nothing.
    world.input(Input::HeavyDone(&[work(&jobs[0])]));
    assert_eq!(world.shard.counters().heavy_ignored, 1);
    assert_eq!(world.events_of(trigger), [(2, true)]);
}

#[test]
fn later_values_wait_behind_the_one_that_is_away() {
    let (config, ..) = change_of_n();
    let mut world = World::new(&config);
    let mut jobs = send(&mut world, "k", 1, &big(1));
    for (seconds, text) in [(2, "{\"n\":3}".to_owned()), (3, big(7)), (4, "{\"n\":8}".to_owned())] {
        // One at a time: the others have none.
        assert!(send(&mut world, "k", seconds, &text).is_empty());
    }
    assert_eq!(world.effects.runs[0].processed, 1);
    assert_eq!(world.shard.sizes().values_pending, 4);
    world.check_replay();
    work_all(&mut world, &mut jobs);
    let changes = [(2, 2.0), (3, 4.0), (4, 1.0)].map(|(at, it)| (at, Value::Float(it)));
    assert_eq!(values_of(&world), changes);
    world.check_replay();
}

#[test]
fn a_step_that_fails_elsewhere_is_handled_here() {
    for (handler, want) in [
        (OnFail::SetValue, Ok(Some(Value::Float(-1.0)))),
        (OnFail::Discard, Ok(None)),
        (OnFail::SetError, Err("-1")),
        (OnFail::Default, Err("no data matches the specified path")),
    ] {
        let mut config = Config::new();
        let host = config.host("h");
        let mut content = item("k", ValueType::Float);
        content.preprocessing = vec![step(Step::JsonPath, "$.missing")];
        content.preprocessing[0].error_handler = handler;
        content.preprocessing[0].error_handler_params = "-1".to_owned();
        config.item(host, content);
        let mut world = World::new(&config);
        let mut jobs = send(&mut world, "k", 1, &big(1));
        work_all(&mut world, &mut jobs);
        let last = world.last("h", "k");
        match want {
            Ok(value) => assert_eq!((last.last.map(|it| it.1), last.error), (value, None)),
            Err(text) => {
                let error = last.error.expect("unsupported");
                assert!(error.contains(text), "{error}");
            }
        }
        world.check_replay();
    }
}

#[test]
fn error_after_a_wait_has_the_path_of_the_value() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("k", ValueType::Text);
    content.preprocessing = vec![
        step(Step::Trim, " "),
        step(Step::JavaScript, "return 1"),
        step(Step::Regex, "^x\n\\0"),
    ];
    config.item(host, content);
    let mut world = World::new(&config);
    let mut jobs = send(&mut world, "k", 1, " a");
    work_all(&mut world, &mut jobs);
    assert_eq!(
        world.last("h", "k").error.as_deref(),
        Some("Preprocessing failed for:  a\n1. Result: a\n2. Failed: scripts are not run here")
    );
    // After a restart what the first step got is not known any more.
    let jobs = send(&mut world, "k", 2, "  b");
    assert_eq!(jobs.len(), 1);
    let (mut shard, jobs) = restarted(&world);
    let mut effects = Effects::default();
    shard.step(world.now, Input::HeavyDone(&[work(&jobs[0])]), &mut effects);
    let error = effects.states[0].error.as_deref();
    assert_eq!(
        error,
        Some("Preprocessing failed for: b\n...\n2. Failed: scripts are not run here")
    );
}

/// The first jobs of a process that restarts from the journal.
fn restarted(world: &World) -> (pipeline::Shard, Vec<HeavyJob>) {
    let mut shard = world.replayed(world.journal.len() / 2);
    let mut effects = Effects::default();
    shard.start(world.now, &mut effects);
    (shard, effects.heavy)
}

#[test]
fn pending_jobs_are_issued_again_after_restart() {
    let (config, ..) = change_of_n();
    let mut world = World::new(&config);
    let mut first = send(&mut world, "k", 1, &big(1));
    send(&mut world, "k", 2, &big(4));
    let (_, jobs) = restarted(&world);
    assert_eq!(jobs.len(), 1);
    assert_eq!(work(&jobs[0]).results, work(&first[0]).results);
    // With the first value in, the second one has moved up.
    world.input(Input::HeavyDone(&[work(&first.remove(0))]));
    let away = std::mem::take(&mut world.effects.heavy);
    let (mut shard, jobs) = restarted(&world);
    assert_eq!(work(&jobs[0]).results, work(&away[0]).results);
    let mut effects = Effects::default();
    shard.step(world.now, Input::HeavyDone(&[work(&jobs[0])]), &mut effects);
    assert_eq!(effects.values.rows.len(), 1);
    assert_eq!(effects.values.rows[0].value, pipeline::OutBits::Float(3.0));
}

#[test]
fn a_changed_list_of_steps_takes_raw_values_and_drops_half_done_ones() {
    let (mut config, host, id) = change_of_n();
    let mut world = World::new(&config);
    let old = send(&mut world, "k", 1, &big(5));
    send(&mut world, "k", 2, &big(6));
    let edit = |config: &mut Config, steps: Vec<model::content::PreprocStep>| {
        config.edit(host, |it| {
            let row = it.items.iter_mut().find(|it| it.id == id).expect("the item");
            let mut content = model::content::ItemContent::clone(&row.content);
            content.preprocessing = steps;
            row.content = content.into();
        });
    };
    // Both stand before the first step: they take the new ones from there.
    let trimmed = vec![step(Step::Trim, " "), step(Step::JsonPath, "$.n")];
    edit(&mut config, trimmed);
    world.reconfigure(&mut config);
    let jobs = std::mem::take(&mut world.effects.heavy);
    assert_eq!(jobs.len(), 1);
    world.check_replay();
    world.input(Input::HeavyDone(&[work(&old[0])]));
    assert_eq!(world.shard.counters().heavy_ignored, 1);
    assert_eq!(values_of(&world), []);
    // The first one has now come past the trimming; the second one has not.
    edit(&mut config, vec![step(Step::JsonPath, "$.n"), step(Step::Multiplier, "10")]);
    world.reconfigure(&mut config);
    assert_eq!(world.shard.counters().pending_dropped, 1);
    let mut jobs = std::mem::take(&mut world.effects.heavy);
    work_all(&mut world, &mut jobs);
    assert_eq!(values_of(&world), [(2, Value::Float(60.0))]);
    world.check_replay();
}

#[test]
fn waiting_values_of_disabled_and_deleted_items_are_dropped() {
    let (mut config, host, id) = change_of_n();
    let mut world = World::new(&config);
    let jobs = send(&mut world, "k", 1, &big(5));
    send(&mut world, "k", 2, "{\"n\":3}");
    config.edit(host, |it| {
        let row = it.items.iter_mut().find(|it| it.id == id).expect("the item");
        let mut content = model::content::ItemContent::clone(&row.content);
        content.status = ItemStatus::Disabled;
        row.content = content.into();
    });
    world.reconfigure(&mut config);
    assert_eq!(world.shard.counters().pending_dropped, 2);
    assert_eq!(world.shard.sizes().bytes_pending, 0);
    world.check_replay();
    world.input(Input::HeavyDone(&[work(&jobs[0])]));
    assert_eq!(values_of(&world), []);

    let (mut config, host, _) = change_of_n();
    let mut world = World::new(&config);
    let jobs = send(&mut world, "k", 1, &big(5));
    config.edit(host, |it| it.items.clear());
    world.reconfigure(&mut config);
    assert_eq!(world.shard.sizes().values_pending, 0);
    world.input(Input::HeavyDone(&[work(&jobs[0])]));
    assert_eq!(values_of(&world), []);
    world.check_replay();
}

#[test]
fn more_than_may_wait_is_refused_and_counted() {
    let (config, ..) = change_of_n();
    let mut world = World::new(&config);
    let mut jobs = send(&mut world, "k", 1, &big(1));
    for n in 2..=1_000 {
        send(&mut world, "k", n, &format!("{{\"n\":{n}}}"));
    }
    world.set_time(1_001);
    assert_eq!(world.send("h", &[("k", 1_001, RawRef::Text("{\"n\":0}"))]), (0, 1));
    assert_eq!(world.shard.counters().pending_refused, 1);
    work_all(&mut world, &mut jobs);
    assert_eq!(values_of(&world).len(), 999);
    // And by bytes: eight of a megabyte, and no more.
    jobs = send(&mut world, "k", 1_002, &big(1));
    let long = format!("{{\"n\":1,\"x\":\"{}\"}}", "y".repeat(1 << 20));
    let taken = (0..10)
        .filter(|it| world.send("h", &[("k", 1_003 - it % 2, RawRef::Text(&long))]).0 == 1)
        .count();
    assert_eq!(taken, 7);
    work_all(&mut world, &mut jobs);
    assert_eq!(world.shard.sizes().bytes_pending, 0);
}

#[test]
fn one_job_takes_all_dependants_of_a_large_master() {
    let mut config = Config::new();
    let host = config.host("h");
    let master = config.item(host, item("master", ValueType::Text));
    for (key, path) in [("a", "$.n"), ("b", "$.missing"), ("c", "$.n")] {
        let mut content = item(key, ValueType::Unsigned);
        content.kind = ItemType::Dependent;
        content.master_itemid = master;
        content.preprocessing = vec![step(Step::JsonPath, path)];
        if key == "c" {
            content.preprocessing.push(step(Step::Multiplier, "3"));
        }
        config.item(host, content);
    }
    let mut light = item("length", ValueType::Text);
    light.kind = ItemType::Dependent;
    light.master_itemid = master;
    light.preprocessing = vec![step(Step::Trim, "{}")];
    config.item(host, light);
    let mut world = World::new(&config);
    let mut jobs = send(&mut world, "master", 1, &big(7));
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].tasks.len(), 3);
    // The master itself and light dependants do not wait.
    assert!(world.last("h", "master").last.is_some());
    assert!(world.last("h", "length").last.is_some());
    assert_eq!(world.last("h", "a").last, None);
    // The next value of the master waits, so that dependants get theirs in order.
    assert!(send(&mut world, "master", 2, "{\"n\":8}").is_empty());
    assert_eq!(world.last("h", "a").last, None);
    world.check_replay();
    let (_, again) = restarted(&world);
    assert_eq!(again.len(), 1);
    assert_eq!(work(&again[0]).results, work(&jobs[0]).results);
    work_all(&mut world, &mut jobs);
    let a = world.last("h", "a");
    assert_eq!(a.last, Some((at(2), Value::Unsigned(8))));
    assert_eq!(a.prev, Some((at(1), Value::Unsigned(7))));
    assert_eq!(world.last("h", "c").prev, Some((at(1), Value::Unsigned(21))));
    assert!(world.last("h", "b").error.is_some());
    world.check_replay();
}

#[test]
fn log_entries_keep_what_they_know_while_they_wait() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("log", ValueType::Log);
    content.preprocessing = vec![step(Step::Regex, "\"n\":([0-9]+)\nline \\1")];
    config.item(host, content);
    let mut world = World::new(&config);
    let target = world.directory.lookup("h", "log").expect("the item");
    let mut batch = model::batch::Batch::of_epoch(world.directory.epoch());
    batch.push(target.slot, at(1), RawRef::Text(&big(4))).expect("room");
    batch.extras.push(model::batch::Extra {
        row: 0,
        lastlogsize: Some(77),
        mtime: None,
        log: Some(model::value::LogEntry {
            source: "app".to_owned(),
            severity: 4,
            logeventid: 12,
            timestamp: 99,
            ..model::value::LogEntry::default()
        }),
    });
    batch.runs.push(model::batch::Run { end: 1 });
    world.set_time(1);
    world.input(Input::Batch(&batch));
    world.check_replay();
    let (mut shard, jobs) = restarted(&world);
    let mut effects = Effects::default();
    shard.step(world.now, Input::HeavyDone(&[work(&jobs[0])]), &mut effects);
    let log = &effects.values.logs[0];
    assert_eq!((log.value.as_str(), log.source.as_str()), ("line 4", "app"));
    assert_eq!((log.severity, log.logeventid, log.timestamp), (4, 12, 99));
}

#[test]
fn slow_items_leave_room_for_quick_ones() {
    let mut config = Config::new();
    let host = config.host("h");
    for n in 0..600 {
        let mut content = item(&format!("k{n}"), ValueType::Float);
        content.preprocessing = vec![step(Step::JavaScript, "return value")];
        config.item(host, content);
    }
    let mut world = World::new(&config);
    let answered = |world: &mut World, jobs: &[HeavyJob], spent_ns: u64| {
        let answers: Vec<HeavyDone> =
            jobs.iter().map(|it| HeavyDone { spent_ns, ..work(it) }).collect();
        world.input(Input::HeavyDone(&answers));
        std::mem::take(&mut world.effects.heavy)
    };
    let send_all = |world: &mut World, items: std::ops::Range<usize>, second: i64| {
        items.flat_map(|it| send(world, &format!("k{it}"), second, "1")).collect::<Vec<_>>()
    };
    // Of new ones as many; the others come as these are answered.
    let mut jobs = send_all(&mut world, 0..600, 1);
    assert_eq!((jobs.len(), jobs[0].class), (256, JobClass::New));
    while !jobs.is_empty() {
        jobs = answered(&mut world, &jobs, 2_000_000_000);
    }
    // One of them is quick again, after a few runs.
    for second in 2..5 {
        let jobs = send(&mut world, "k599", second, "1");
        assert_eq!(jobs[0].class, JobClass::Slow);
        assert!(answered(&mut world, &jobs, 1_000_000).is_empty());
    }
    let jobs = send_all(&mut world, 0..599, 10);
    assert_eq!((jobs.len(), jobs[0].class), (256, JobClass::Slow));
    let quick = send(&mut world, "k599", 10, "1");
    assert_eq!((quick.len(), quick[0].class), (1, JobClass::Quick));
    let mut n = jobs.len();
    let mut jobs = jobs;
    while !jobs.is_empty() {
        jobs = answered(&mut world, &jobs, 2_000_000_000);
        n += jobs.len();
    }
    assert_eq!(n, 599, "each has its turn");
}
