//! Dependants that wait for a value of their master: none of them waits for another.

use crate::kit::{Config, World, at, item, step};
use model::batch::RawRef;
use model::content::{ItemContent, ItemStatus, ItemType, OnFail, Step};
use model::{HostId, ItemId, Value, ValueType};
use pipeline::{Effects, HeavyDone, HeavyJob, Input};
use preprocess::Data;

/// A master of texts with dependants that each have one script.
struct Scripted {
    config: Config,
    host: HostId,
    items: Vec<ItemId>,
}

fn scripted(keys: &[&str]) -> Scripted {
    let mut config = Config::new();
    let host = config.host("h");
    let master = config.item(host, item("master", ValueType::Text));
    let dependent = |key: &&str| {
        let mut content = item(key, ValueType::Text);
        content.kind = ItemType::Dependent;
        content.master_itemid = master;
        content.preprocessing = vec![step(Step::JavaScript, &format!("return '{key}'"))];
        config.item(host, content)
    };
    let items = keys.iter().map(dependent).collect();
    Scripted { config, host, items }
}

impl Scripted {
    fn edit(&mut self, item: ItemId, change: impl FnOnce(&mut ItemContent)) {
        self.config.edit(self.host, |it| {
            let row = it.items.iter_mut().find(|it| it.id == item).expect("the item");
            let mut content = ItemContent::clone(&row.content);
            change(&mut content);
            row.content = content.into();
        });
    }
}

/// As if a script had made this of the value.
fn answer(job: &HeavyJob) -> HeavyDone {
    let model::batch::OwnedRaw::Text(text) = job.value.as_ref() else { panic!("a text") };
    let made = |_| Ok(Some(Data::text(format!("made of {text}"))));
    HeavyDone {
        ticket: job.ticket,
        results: job.tasks.iter().map(made).collect(),
        rows: vec![],
        spent_ns: 0,
    }
}

fn send(world: &mut World, seconds: i64, text: &str) -> Vec<HeavyJob> {
    world.text("h", "master", seconds, text);
    std::mem::take(&mut world.effects.heavy)
}

fn give(world: &mut World, job: &HeavyJob) -> Vec<HeavyJob> {
    world.input(Input::HeavyDone(&[answer(job)]));
    std::mem::take(&mut world.effects.heavy)
}

fn items_of(jobs: &[HeavyJob]) -> Vec<ItemId> {
    jobs.iter().map(|it| it.item).collect()
}

/// All stored texts of an item in order of the journal.
fn texts_of(world: &World, item: ItemId) -> Vec<String> {
    let mut all = Vec::new();
    for it in &world.journal {
        let view = model::record::RecordView::parse(&it.payload).expect("a record");
        let rows = view.texts().map(|it| it.expect("a row"));
        all.extend(rows.filter(|it| it.item == item).map(|it| it.text.to_owned()));
    }
    all
}

#[test]
fn a_slow_script_does_not_delay_those_of_other_dependants() {
    let Scripted { config, items, .. } = scripted(&["a", "slow", "c"]);
    let mut world = World::new(&config);
    let jobs = send(&mut world, 1, "1");
    assert_eq!(items_of(&jobs), items);
    let slow = &jobs[1];
    assert!(give(&mut world, &jobs[0]).is_empty());
    assert!(give(&mut world, &jobs[2]).is_empty());
    world.check_replay();
    // The master goes on, and so do the two others; the slow one has its values in order.
    for second in 2..=4 {
        let jobs = send(&mut world, second, &second.to_string());
        assert_eq!(items_of(&jobs), [items[0], items[2]]);
        jobs.iter().for_each(|it| assert!(give(&mut world, it).is_empty()));
        world.check_replay();
    }
    let want = ["1", "2", "3", "4"].map(|it| format!("made of {it}"));
    assert_eq!(texts_of(&world, items[0]), want);
    assert_eq!(texts_of(&world, items[2]), want);
    assert_eq!(texts_of(&world, items[1]), [""; 0]);
    assert_eq!(world.last("h", "master").last, Some((at(4), Value::Text("4".into()))));
    let mut jobs = give(&mut world, slow);
    while let Some(job) = jobs.pop() {
        world.check_replay();
        jobs.extend(give(&mut world, &job));
    }
    assert_eq!(texts_of(&world, items[1]), want);
    let sizes = world.shard.sizes();
    assert_eq!((sizes.values_pending, sizes.bytes_pending, sizes.heavy_under_way), (0, 0, 0));
    world.check_replay();
}

#[test]
fn after_a_crash_only_those_who_had_no_answer_are_asked_again() {
    for checkpoint_at in [0, 1, 2, 3] {
        let Scripted { config, items, .. } = scripted(&["a", "b", "c"]);
        let mut world = World::new(&config);
        let jobs = send(&mut world, 1, "1");
        give(&mut world, &jobs[0]);
        let second = send(&mut world, 2, "2");
        assert_eq!(items_of(&second), [items[0]]);
        world.restart(checkpoint_at);
        let mut jobs = std::mem::take(&mut world.effects.heavy);
        assert_eq!(items_of(&jobs), items);
        let values = |job: &HeavyJob| answer(job).results[0].clone();
        assert_eq!(values(&jobs[0]), values(&second[0]));
        while !jobs.is_empty() {
            let all: Vec<HeavyJob> = std::mem::take(&mut jobs);
            all.iter().for_each(|it| jobs.extend(give(&mut world, it)));
        }
        for item in items {
            assert_eq!(texts_of(&world, item), ["made of 1", "made of 2"]);
        }
        assert_eq!(world.shard.sizes().values_pending, 0);
        world.check_replay();
    }
}

#[test]
fn dependants_that_change_or_go_leave_the_others_alone() {
    let mut it = scripted(&["a", "b", "c", "d"]);
    let mut world = World::new(&it.config);
    let old = send(&mut world, 1, "1");
    give(&mut world, &old[0]);
    let gone = it.items[1];
    it.config.edit(it.host, |host| host.items.retain(|it| it.id != gone));
    it.edit(it.items[2], |it| it.preprocessing = vec![step(Step::Trim, " ")]);
    it.edit(it.items[3], |it| it.status = ItemStatus::Disabled);
    world.reconfigure(&mut it.config);
    assert!(world.effects.heavy.is_empty());
    assert_eq!(world.last_value("h", "c"), Some(Value::Text("1".into())));
    assert_eq!(world.shard.sizes().values_pending, 0);
    assert_eq!(world.shard.sizes().bytes_pending, 0);
    assert_eq!(world.shard.counters().pending_dropped, 2);
    world.check_replay();
    // Their answers come too late.
    old[1..].iter().for_each(|it| assert!(give(&mut world, it).is_empty()));
    assert_eq!(world.shard.counters().heavy_ignored, 3);
    // An item that returns gets the values that come from then on, not earlier ones.
    it.edit(it.items[3], |it| it.status = ItemStatus::Enabled);
    world.reconfigure(&mut it.config);
    let checkpoint_at = world.journal.len() / 2;
    world.restart(checkpoint_at);
    assert!(world.effects.heavy.is_empty());
    assert_eq!(texts_of(&world, it.items[3]), [""; 0]);
}

#[test]
fn a_dependant_that_is_full_loses_its_own_values_only() {
    let Scripted { config, items, .. } = scripted(&["slow", "quick"]);
    let mut world = World::new(&config);
    let long = "x".repeat(1 << 20);
    for second in 1..=10 {
        let jobs = send(&mut world, second, &long);
        jobs.iter().filter(|it| it.item == items[1]).for_each(|it| {
            give(&mut world, it);
        });
    }
    assert_eq!(texts_of(&world, items[1]).len(), 10);
    // 8 MB: seven of a megabyte and the overhead of each.
    assert_eq!(world.shard.counters().pending_refused, 3);
    assert_eq!(world.shard.sizes().values_pending, 7);
    // Shared, and not copied.
    assert!(world.shard.sizes().bytes_pending < 7 * ((1 << 20) + 200));
}

#[test]
fn the_error_of_a_master_reaches_dependants_with_scripts() {
    let Scripted { mut config, host, items } = scripted(&["a", "b"]);
    config.edit(host, |it| {
        let row = it.items.iter_mut().find(|it| it.id == items[1]).expect("the item");
        let mut content = ItemContent::clone(&row.content);
        let mut check = step(Step::CheckNotSupported, "-1");
        check.error_handler = OnFail::SetValue;
        check.error_handler_params = "nothing".to_owned();
        content.preprocessing.insert(0, check);
        row.content = content.into();
    });
    let mut world = World::new(&config);
    world.set_time(1);
    world.send("h", &[("master", 1, RawRef::Error("no answer"))]);
    assert_eq!(world.last("h", "a").error.as_deref(), Some("no answer"));
    let jobs = std::mem::take(&mut world.effects.heavy);
    assert_eq!(items_of(&jobs), [items[1]]);
    give(&mut world, &jobs[0]);
    assert_eq!(texts_of(&world, items[1]), ["made of nothing"]);
    // Behind a value that waits it comes in its turn.
    let jobs = send(&mut world, 2, "2");
    world.set_time(3);
    world.send("h", &[("master", 3, RawRef::Error("again"))]);
    assert_eq!(world.last("h", "a").error.as_deref(), Some("no answer"));
    world.check_replay();
    jobs.iter().for_each(|it| drop(give(&mut world, it)));
    assert_eq!(texts_of(&world, items[0]), ["made of 2"]);
    assert_eq!(world.last("h", "a").error.as_deref(), Some("again"));
}

#[test]
fn steps_that_share_the_parsed_form_go_together_and_scripts_alone() {
    let Scripted { mut config, host, items } = scripted(&["a", "b"]);
    let master = config.snapshot.hosts[&host].items[0].id;
    let mut add = |key: &str, kind: Step, params: &str| {
        let mut content = item(key, ValueType::Text);
        content.kind = ItemType::Dependent;
        content.master_itemid = master;
        content.preprocessing = vec![step(kind, params)];
        config.item(host, content)
    };
    add("p", Step::JsonPath, "$.n");
    let regex = add("r", Step::Regex, "\"n\":([0-9]+)\n\\1");
    add("q", Step::JsonPath, "$.n");
    let mut world = World::new(&config);
    let text = format!("{{\"n\":7,\"rest\":\"{}\"}}", "x".repeat(100_000));
    let jobs = send(&mut world, 1, &text);
    let mut sizes: Vec<(ItemId, usize)> = jobs.iter().map(|it| (it.item, it.tasks.len())).collect();
    sizes.sort_unstable();
    let want = [(master, 2), (items[0], 1), (items[1], 1), (regex, 1)];
    assert_eq!(sizes, want);
    let mut scripts = script::NoScripts;
    let done: Vec<HeavyDone> = jobs.iter().map(|it| it.run(&mut scripts)).collect();
    world.input(Input::HeavyDone(&done));
    for key in ["p", "q", "r"] {
        assert_eq!(world.last_value("h", key), Some(Value::Text("7".into())), "{key}");
    }
    assert!(world.last("h", "a").error.is_some());
    assert_eq!(world.shard.sizes().values_pending, 0);
    world.check_replay();
    let mut shard = world.replayed(1);
    let mut effects = Effects::default();
    shard.start(world.now, &mut effects);
    assert!(effects.heavy.is_empty() && effects.changes.is_empty());
}
