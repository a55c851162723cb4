//! Rows of a document reach items of the hosts that they name.

use crate::kit::{Config, World, at, item, step};
use model::batch::RawRef;
use model::content::{
    HostStatus, Interface, InterfaceType, ItemContent, ItemStatus, ItemType, OnFail, Step,
};
use model::record::RecordView;
use model::{HostId, InterfaceId, Value, ValueType};
use pipeline::{Input, RowCounters};

fn master(key: &str, params: &str) -> ItemContent {
    ItemContent {
        preprocessing: vec![step(Step::DispatchToHosts, params)],
        ..item(key, ValueType::Text)
    }
}

/// A trapper item that takes `v` out of a row.
fn taker(key: &str) -> ItemContent {
    ItemContent { preprocessing: vec![step(Step::JsonPath, "$.v")], ..item(key, ValueType::Float) }
}

/// A host with a master item `rows`, hosts `a` and `b` with an item each of this key.
fn three_hosts(params: &str) -> (Config, [HostId; 3]) {
    let mut config = Config::new();
    let hosts = ["source", "a", "b"].map(|it| config.host(it));
    config.item(hosts[0], master("rows", params));
    config.item(hosts[1], taker("rows"));
    config.item(hosts[2], taker("rows"));
    (config, hosts)
}

fn address(config: &mut Config, host: HostId, ip: &str, useip: bool) {
    let interface = Interface {
        interfaceid: InterfaceId(config.id()),
        kind: InterfaceType::Agent,
        main: true,
        useip,
        ip: ip.to_owned(),
        dns: "name".to_owned(),
        port: "10050".to_owned(),
        details: None,
    };
    config.edit(host, |it| it.interfaces.push(interface));
}

/// Everything under way between partitions arrives.
fn deliver(world: &mut World) {
    while !world.forwards.is_empty() {
        for batch in std::mem::take(&mut world.forwards) {
            world.input(Input::Forwarded(&batch));
        }
    }
}

fn send(world: &mut World, seconds: i64, text: &str) {
    world.text("source", "rows", seconds, text);
    deliver(world);
}

fn number(world: &World, host: &str, key: &str) -> Option<f64> {
    world.last_value(host, key).and_then(|it| it.as_f64())
}

#[test]
fn each_row_goes_to_the_host_that_it_names() {
    let (mut config, hosts) = three_hosts("name\n$.host\n$.data");
    let trigger = config.trigger(hosts[2], "last(/b/rows)>1", |_| {});
    let mut world = World::new(&config);
    let text = r#"{"data":[{"host":"a","v":1},{"host":"b","v": 2}]}"#;
    send(&mut world, 5, text);
    assert_eq!(world.last("a", "rows").last, Some((at(5), Value::Float(1.0))));
    assert_eq!(world.last("b", "rows").last, Some((at(5), Value::Float(2.0))));
    assert_eq!(world.events_of(trigger), [(5, true)]);
    assert_eq!(world.last_value("source", "rows"), Some(Value::Text(text.into())));
    assert_eq!(world.last("source", "rows").note, None);
    let rows = RowCounters { sent: 2, taken: 2, ..RowCounters::default() };
    assert_eq!(world.shard.counters().rows, rows);
    world.check_replay();
}

#[test]
fn the_step_may_name_another_key_and_the_document_be_one_row() {
    let (mut config, hosts) = three_hosts("name\n$.host\n\nrow[\"x\"]");
    config.item(hosts[1], taker("row[\"x\"]"));
    let mut world = World::new(&config);
    send(&mut world, 1, r#"{"host":"a","v":3}"#);
    assert_eq!(number(&world, "a", "row[\"x\"]"), Some(3.0));
    assert_eq!(number(&world, "a", "rows"), None);
}

#[test]
fn rows_without_a_place_are_counted_and_reported() {
    let (mut config, hosts) = three_hosts("name\n$.host");
    for (name, change) in [
        ("bare", &(|_| None) as &dyn Fn(ItemContent) -> Option<ItemContent>),
        ("off", &|it| Some(ItemContent { status: ItemStatus::Disabled, ..it })),
        ("polled", &|it| Some(ItemContent { kind: ItemType::ZabbixAgent, ..it })),
        ("guarded", &|it| Some(ItemContent { trapper_hosts: "10.0.0.1".to_owned(), ..it })),
    ] {
        let host = config.host(name);
        if let Some(content) = change(taker("rows")) {
            config.item(host, content);
        }
    }
    config.edit(hosts[2], |it| it.status = HostStatus::NotMonitored);
    let mut world = World::new(&config);
    let names = ["nobody", "bare", "off", "polled", "guarded", "b", "source", "a"];
    let rows: Vec<String> = names.map(|it| format!(r#"{{"host":"{it}","v":4}}"#)).into();
    send(&mut world, 1, &format!("[{{\"v\":1}},{}]", rows.join(",")));
    assert_eq!(number(&world, "a", "rows"), Some(4.0));
    let want = RowCounters {
        sent: 1,
        taken: 1,
        nameless: 1,
        unknown_host: 1,
        unknown_item: 1,
        not_taking: 5,
        ..RowCounters::default()
    };
    assert_eq!(world.shard.counters().rows, want);
    let note = world.last("source", "rows").note.expect("a note");
    assert_eq!(&*note.text, "8 of 9 rows were not handed on: host \"nobody\" is unknown.");
    assert_eq!(world.last("source", "rows").error, None);
    send(&mut world, 2, r#"[{"host":"a","v":5}]"#);
    assert_eq!(world.last("source", "rows").note, None, "all rows of this one found their items");
}

#[test]
fn addresses_are_compared_as_addresses() {
    let (mut config, hosts) = three_hosts("ip\n$.ip");
    config.user_macro(hosts[1], "{$ADDRESS}", "2001:db8::1");
    address(&mut config, hosts[1], "{$ADDRESS}", true);
    address(&mut config, hosts[2], "10.0.0.2", true);
    address(&mut config, hosts[2], "10.0.0.3", false);
    let mut world = World::new(&config);
    let rows = r#"[{"ip":"2001:0db8:0:0::1","v":1},{"ip":"::ffff:10.0.0.2","v":2},
        {"ip":"10.0.0.3","v":3},{"ip":"name","v":3}]"#;
    send(&mut world, 1, rows);
    assert_eq!((number(&world, "a", "rows"), number(&world, "b", "rows")), (Some(1.0), Some(2.0)));
    assert_eq!(world.shard.counters().rows.unknown_host, 2);

    // An address of several hosts means the one with such an item; of two, none.
    let other = config.host("c");
    address(&mut config, other, "10.0.0.2", true);
    world.reconfigure(&mut config);
    send(&mut world, 2, r#"{"ip":"10.0.0.2","v":5}"#);
    assert_eq!(number(&world, "b", "rows"), Some(5.0));
    config.item(other, taker("rows"));
    world.reconfigure(&mut config);
    send(&mut world, 3, r#"{"ip":"10.0.0.2","v":6}"#);
    assert_eq!(world.shard.counters().rows.ambiguous, 1);
    assert_eq!(number(&world, "b", "rows"), Some(5.0));

    // A changed address and a removed host are known at once.
    config.edit(hosts[2], |it| it.interfaces[0].ip = "10.0.0.9".to_owned());
    world.reconfigure(&mut config);
    send(&mut world, 4, r#"[{"ip":"10.0.0.2","v":7},{"ip":"10.0.0.9","v":8}]"#);
    assert_eq!((number(&world, "c", "rows"), number(&world, "b", "rows")), (Some(7.0), Some(8.0)));
    config.snapshot.hosts.remove(&other);
    world.reconfigure(&mut config);
    send(&mut world, 5, r#"{"ip":"10.0.0.2","v":9}"#);
    assert_eq!(world.shard.counters().rows.unknown_host, 3);
}

#[test]
fn no_row_goes_round_in_a_circle() {
    let (mut config, hosts) = three_hosts("name\n$.host\n\nin");
    // `a` would hand on what it gets, `b` a dependant of what it gets.
    config.item(hosts[1], master("in", "name\n$.host"));
    let inner = config.item(hosts[2], item("in", ValueType::Text));
    let dependent = ItemContent {
        kind: ItemType::Dependent,
        master_itemid: inner,
        ..master("out", "name\n$.host\n\nin")
    };
    config.item(hosts[2], dependent);
    let mut world = World::new(&config);
    send(&mut world, 1, r#"[{"host":"a"},{"host":"b"}]"#);
    assert_eq!(world.shard.counters().rows.not_taking, 2);
    assert_eq!(world.shard.counters().rows.sent, 0);
}

#[test]
fn unsplittable_document_goes_to_the_error_handler() {
    let (mut config, hosts) = three_hosts("name\n$.host\n$.data");
    let mut content = master("handled", "name\n$.host\n$.data");
    content.preprocessing[0].error_handler = OnFail::SetValue;
    content.preprocessing[0].error_handler_params = "nothing".to_owned();
    config.item(hosts[0], content);
    let mut world = World::new(&config);
    send(&mut world, 1, "[]");
    let error = world.last("source", "rows").error.expect("unsupported");
    assert!(error.contains("cannot dispatch rows to hosts"), "{error}");
    world.text("source", "handled", 1, "no json");
    assert_eq!(world.last_value("source", "handled"), Some(Value::Text("nothing".into())));
    assert_eq!(world.shard.counters().rows, RowCounters::default());
}

#[test]
fn long_document_is_split_by_a_worker() {
    let (mut config, hosts) = three_hosts("name\n$.host");
    let inner = config.item(hosts[0], item("in", ValueType::Text));
    let dependent = ItemContent {
        kind: ItemType::Dependent,
        master_itemid: inner,
        ..master("out", "name\n$.host\n\nrows")
    };
    config.item(hosts[0], dependent);
    let mut world = World::new(&config);
    let rows: Vec<String> = (0..3_000)
        .map(|it| {
            format!(r#"{{"host":"{}","v":{it},"rest":"{}"}}"#, ["a", "b"][it % 2], "x".repeat(40))
        })
        .collect();
    let text = format!("[{}]", rows.join(","));
    for (seconds, key) in [(1, "rows"), (2, "in")] {
        world.set_time(seconds);
        world.send("source", &[(key, seconds, RawRef::Text(&text))]);
        let jobs = std::mem::take(&mut world.effects.heavy);
        assert_eq!(jobs.len(), 1, "{key}");
        deliver(&mut world);
        let before = world.shard.counters().rows.taken;
        let answers = [jobs[0].run(&mut script::NoScripts)];
        world.input(Input::HeavyDone(&answers));
        deliver(&mut world);
        assert_eq!(world.shard.counters().rows.taken, before + 3_000, "{key}");
        assert_eq!(world.last("a", "rows").last, Some((at(seconds), Value::Float(2_998.0))));
        assert_eq!(world.last("b", "rows").last, Some((at(seconds), Value::Float(2_999.0))));
    }
    world.check_replay();
}

#[test]
fn rows_in_flight_at_process_end_arrive_once() {
    let (config, _) = three_hosts("name\n$.host");
    let mut world = World::new(&config);
    world.text("source", "rows", 1, r#"[{"host":"a","v":1},{"host":"b","v":2}]"#);
    let sent = std::mem::take(&mut world.forwards);
    assert_eq!(sent.len(), 2);
    // One of the two arrived.
    world.input(Input::Forwarded(&sent[0]));
    world.restart(0);
    world.forwards.clear();
    let mut again = Vec::new();
    for it in &world.journal {
        let view = RecordView::parse(&it.payload).expect("a record");
        world.shard.forward_again(&view, it.lsn, &mut again).expect("readable");
    }
    assert_eq!(again, sent);
    again.iter().for_each(|it| world.input(Input::Forwarded(it)));
    assert_eq!((number(&world, "a", "rows"), number(&world, "b", "rows")), (Some(1.0), Some(2.0)));
    assert_eq!(world.shard.counters().forwards_repeated, 1);
    world.check_replay();
}

#[test]
fn an_item_that_went_away_meanwhile_takes_nothing() {
    let (mut config, hosts) = three_hosts("name\n$.host");
    let mut world = World::new(&config);
    world.text("source", "rows", 1, r#"[{"host":"a","v":1},{"host":"b","v":2}]"#);
    config.edit(hosts[1], |it| it.items.clear());
    config.edit(hosts[2], |it| it.status = HostStatus::NotMonitored);
    world.reconfigure(&mut config);
    deliver(&mut world);
    assert_eq!(world.shard.counters().rows.refused, 2);
    assert_eq!(number(&world, "b", "rows"), None);
}
