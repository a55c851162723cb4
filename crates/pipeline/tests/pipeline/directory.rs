//! The contract of the directory: lookups, slots, changes of configuration.

use std::sync::Arc;

use crate::kit::{Config, World, item, step};
use directory::{BuilderSettings, DirectoryBuilder};
use model::batch::RawRef;
use model::content::{HostStatus, ItemFlags, ItemType, Step, TriggerContent};
use model::snapshot::{
    Delta, Discovered, HolderKind, Host, ItemExtra, ItemRow, LldRow, Lost, TriggerExtra, TriggerRow,
};
use model::{HostId, ItemId, TriggerId, Value, ValueType};

fn builder(n_shards: u16) -> DirectoryBuilder {
    DirectoryBuilder::new(BuilderSettings {
        n_shards,
        hash_seed: 42,
        zone: jiff::tz::TimeZone::UTC,
    })
}

fn many(n_hosts: u64, n_items: u64) -> Config {
    let mut config = Config::new();
    for host in 0..n_hosts {
        let host = config.host(&format!("host {host}"));
        for i in 0..n_items {
            config.item(host, item(&format!("key[{i}]"), ValueType::Float));
        }
    }
    config
}

#[test]
fn every_item_is_found_by_name_and_key_and_by_id() {
    let config = many(40, 25);
    let (directory, plans) =
        builder(3).apply(&Arc::new(config.snapshot.clone()), &Delta::default());
    assert_eq!(plans.len(), 3);
    let mut slots = std::collections::BTreeSet::new();
    let mut rows = Vec::new();
    for host in config.snapshot.hosts.values() {
        for row in &host.items {
            let target = directory.lookup(&host.host, &row.key()).expect("found");
            assert_eq!((target.item, target.host), (row.id, host.id));
            assert_eq!(directory.by_item(row.id), Some(target));
            assert_eq!(target.shard, directory.shard_of_host(host.id));
            assert!(slots.insert((target.shard, target.slot)), "a slot twice");
            rows.push((host.host.to_string(), row.key().into_owned(), target));
        }
    }
    let mut out = Vec::new();
    let names = rows.iter().map(|it| (it.0.as_str(), it.1.as_str()));
    directory.lookup_batch(names.chain([("host 1", "nothing"), ("nobody", "key[1]")]), &mut out);
    let want: Vec<_> = rows.iter().map(|it| Some(it.2)).chain([None, None]).collect();
    assert_eq!(out, want);
    assert_eq!(directory.by_item(ItemId(7)), None);
}

#[test]
fn items_that_stay_keep_their_slots_when_others_come_and_go() {
    let mut config = many(2, 10);
    let mut builder = builder(1);
    let (before, _) = builder.apply(&Arc::new(config.snapshot.clone()), &Delta::default());
    let host = config.snapshot.host_named("host 0").expect("a host").id;
    config.edit(host, |it| {
        it.items.remove(4);
    });
    for i in 10..14 {
        config.item(host, item(&format!("key[{i}]"), ValueType::Float));
    }
    let delta = Delta { epoch: 2, hosts_changed: vec![host], ..Delta::default() };
    let (after, plans) = builder.apply(&Arc::new(config.snapshot.clone()), &delta);
    assert!(!plans[0].is_empty());
    for i in (0..10).filter(|it| *it != 4) {
        let key = format!("key[{i}]");
        for host in ["host 0", "host 1"] {
            assert_eq!(after.lookup(host, &key), before.lookup(host, &key));
        }
    }
    assert_eq!(after.lookup("host 0", "key[4]"), None);
    let mut slots: Vec<u32> = after
        .hosts()
        .flat_map(|it| it.items().map(|it| it.target.slot).collect::<Vec<_>>())
        .collect();
    slots.sort_unstable();
    slots.dedup();
    assert_eq!(slots.len(), 23);
}

#[test]
fn a_renamed_host_is_found_by_its_new_name_only() {
    let mut config = many(3, 2);
    let mut builder = builder(1);
    let (before, _) = builder.apply(&Arc::new(config.snapshot.clone()), &Delta::default());
    let host = config.snapshot.host_named("host 1").expect("a host").id;
    config.edit(host, |it| it.host = "renamed".into());
    config.snapshot.host_by_name.remove("host 1");
    config.snapshot.host_by_name.insert("renamed".into(), host);
    let delta = Delta { epoch: 2, hosts_changed: vec![host], ..Delta::default() };
    let (after, _) = builder.apply(&Arc::new(config.snapshot.clone()), &delta);
    assert!(after.host("host 1").is_none());
    assert_eq!(after.lookup("renamed", "key[0]"), before.lookup("host 1", "key[0]"));
    config.snapshot.hosts.remove(&host);
    let delta = Delta { epoch: 3, hosts_removed: vec![host], ..Delta::default() };
    let (gone, _) = builder.apply(&Arc::new(config.snapshot.clone()), &delta);
    assert!(gone.host("renamed").is_none() && gone.by_host(host).is_none());
    // The snapshot published before stays as it was.
    assert!(after.host("renamed").is_some());
}

#[test]
fn active_and_polled_items_are_listed_with_macros_replaced() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut active = item("vfs.fs.size[{$DISK},free]", ValueType::Unsigned);
    active.kind = ItemType::ZabbixAgentActive;
    config.item(host, active.clone());
    let mut polled = item("agent.ping", ValueType::Unsigned);
    polled.kind = ItemType::ZabbixAgent;
    config.item(host, polled);
    active.key_ = "off".to_owned();
    active.status = model::content::ItemStatus::Disabled;
    config.item(host, active);
    config.user_macro(host, "{$DISK}", "/data");
    let (directory, _) = builder(1).apply(&Arc::new(config.snapshot.clone()), &Delta::default());
    let keys: Vec<String> = directory.active_items("h").map(|it| it.key()).collect();
    assert_eq!(keys, ["vfs.fs.size[/data,free]"]);
    // Senders name the key as configured.
    assert!(directory.lookup("h", "vfs.fs.size[{$DISK},free]").is_some());
    let keys: Vec<String> = directory.polled().map(|it| it.key()).collect();
    assert_eq!(keys, ["agent.ping"]);
}

/// A template with an item, a dependent item and a trigger, and hosts that link it.
fn linked(n_hosts: u64) -> (Config, Vec<HostId>) {
    let mut config = Config::new();
    let first = config.host("template");
    config.item(first, item("k", ValueType::Float));
    config.trigger(first, "last(/template/k)>{$MAX}", |_| {});
    let mut template = Host::clone(&config.snapshot.hosts[&first]);
    config.snapshot.hosts.remove(&first);
    config.snapshot.host_by_name.remove("template");
    template.kind = HolderKind::Template;
    let mut content = item("double", ValueType::Float);
    content.kind = ItemType::Dependent;
    content.master_itemid = template.items[0].id;
    content.preprocessing = vec![step(Step::Multiplier, "{$FACTOR}")];
    let id = ItemId(config.id());
    let row = ItemRow { id, content: Arc::new(content), ..template.items[0].clone() };
    template.items.push(row);
    config.snapshot.item_runs.insert(id, (id, first));
    let hosts: Vec<HostId> = (0..n_hosts)
        .map(|n| {
            let host = config.host(&format!("host {n}"));
            let items: Vec<ItemRow> = template
                .items
                .iter()
                .map(|it| ItemRow { id: ItemId(config.id()), source: it.id, ..it.clone() })
                .collect();
            let triggers: Vec<TriggerRow> = template
                .triggers
                .iter()
                .map(|it| TriggerRow { id: TriggerId(config.id()), source: it.id, ..it.clone() })
                .collect();
            for it in &items {
                config.snapshot.item_runs.insert(it.id, (it.id, host));
            }
            for it in &triggers {
                config.snapshot.trigger_runs.insert(it.id, (it.id, host));
            }
            config.edit(host, |it| {
                it.templates = vec![first];
                it.items = items;
                it.triggers = triggers;
            });
            host
        })
        .collect();
    config.snapshot.templates.insert(first, Arc::new(template));
    config.user_macro_of_template(first, "{$MAX}", "10");
    config.user_macro_of_template(first, "{$FACTOR}", "2");
    (config, hosts)
}

#[test]
fn hosts_of_one_template_differ_by_their_macros_only() {
    let (mut config, hosts) = linked(3);
    config.user_macro(hosts[1], "{$MAX}", "100");
    config.user_macro(hosts[2], "{$FACTOR}", "3");
    config.user_macro(hosts[2], "{$UNUSED}", "3");
    let mut world = World::new(&config);
    for (name, double) in [("host 0", 40.0), ("host 1", 40.0), ("host 2", 60.0)] {
        world.value(name, "k", 1, 20.0);
        assert_eq!(world.last_value(name, "double"), Some(Value::Float(double)), "{name}");
    }
    let with_events: Vec<HostId> = world.events.iter().map(|it| it.1.host).collect();
    assert_eq!(with_events, [hosts[0], hosts[2]]);
    world.check_replay();
}

#[test]
fn discovered_objects_mean_what_their_row_made() {
    let mut config = Config::new();
    let host = config.host("h");
    let rule = config.item_row(host, item("rule", ValueType::Text), ItemFlags::Rule);
    let master = config.item_row(host, item("raw[{#N}]", ValueType::Text), ItemFlags::Prototype);
    let mut content = item("size[{#N}]", ValueType::Float);
    content.kind = ItemType::Dependent;
    content.master_itemid = master;
    content.preprocessing = vec![step(Step::JsonPath, "$.{#N}")];
    let size = config.item_row(host, content, ItemFlags::Prototype);
    let prototype = TriggerContent {
        description: "{#N} is over {$MAX:\"{#N}\"}".to_owned(),
        expression: "{0}>{$MAX:\"{#N}\"}".to_owned(),
        functions: vec![model::content::FunctionRef {
            item: size,
            function: "last".to_owned(),
            parameter: "$".to_owned(),
        }],
        ..TriggerContent::default()
    };
    let prototype = Arc::new(prototype);
    config.user_macro(host, "{$MAX}", "10");
    config.user_macro(host, "{$MAX:b}", "100");
    let prototype_id = TriggerId(config.id());
    let mut triggers = Vec::new();
    for name in ["a", "b"] {
        let row = Arc::new(LldRow::new([("{#N}", name)]));
        let discovered = |prototype| Discovered::new(prototype, rule, Arc::clone(&row));
        for from in [master, size] {
            let content =
                Arc::clone(&config.snapshot.hosts[&host].item(from).expect("a prototype").content);
            let id = ItemId(config.id());
            let extra = ItemExtra { discovered: Some(discovered(from.0)), ..ItemExtra::default() };
            let row = ItemRow {
                id,
                source: ItemId::NONE,
                content,
                extra: Some(Box::new(extra)),
                flags: ItemFlags::Discovered,
            };
            config.edit(host, |it| it.items.push(row));
            config.snapshot.item_runs.insert(id, (id, host));
        }
        let id = TriggerId(config.id());
        let extra = TriggerExtra {
            discovered: Some(discovered(prototype_id.0)),
            ..TriggerExtra::default()
        };
        triggers.push(TriggerRow {
            id,
            source: TriggerId::NONE,
            content: Arc::clone(&prototype),
            extra: Some(Box::new(extra)),
            flags: ItemFlags::Discovered,
        });
        config.snapshot.trigger_runs.insert(id, (id, host));
    }
    config.edit(host, |it| it.triggers = triggers);
    let mut world = World::new(&config);
    world.text("h", "raw[a]", 1, "{\"a\":50,\"b\":60}");
    world.text("h", "raw[b]", 2, "{\"a\":70,\"b\":80}");
    assert_eq!(world.last_value("h", "size[a]"), Some(Value::Float(50.0)));
    assert_eq!(world.last_value("h", "size[b]"), Some(Value::Float(80.0)));
    let names: Vec<&str> = world.events.iter().map(|it| it.1.name.as_str()).collect();
    assert_eq!(names, ["a is over 10"]);
    world.text("h", "raw[b]", 3, "{\"b\":101}");
    assert_eq!(world.events[1].1.name, "b is over 100");
    assert!(world.directory.lookup("h", "raw[{#N}]").is_none());
}

#[test]
fn a_discovered_trigger_does_not_depend_on_what_discovery_lost_before() {
    for (master_lost, dependent_lost, is_silenced) in
        [(0, 0, true), (100, 0, false), (100, 100, true), (100, 200, false)]
    {
        let mut config = Config::new();
        let host = config.host("h");
        config.item(host, item("k", ValueType::Float));
        let prototypes = [
            config.trigger(host, "last(/h/k)>5", |_| {}),
            config.trigger(host, "last(/h/k)>5", |_| {}),
        ];
        let row = Arc::new(LldRow::new([("{#N}", "a")]));
        let ids = [TriggerId(config.id()), TriggerId(config.id())];
        config.edit(host, |it| {
            let mut content = (*it.triggers[1].content).clone();
            content.dependencies = vec![prototypes[0]];
            it.triggers[1].content = Arc::new(content);
            for (at, lost_since) in [master_lost, dependent_lost].into_iter().enumerate() {
                it.triggers[at].flags = ItemFlags::Prototype;
                let mut discovered = Discovered::new(prototypes[at].0, ItemId(1), Arc::clone(&row));
                discovered.set_lost(Lost { since: lost_since, ..Lost::default() });
                let extra =
                    TriggerExtra { discovered: Some(discovered), ..TriggerExtra::default() };
                it.triggers.push(TriggerRow {
                    id: ids[at],
                    source: TriggerId::NONE,
                    content: Arc::clone(&it.triggers[at].content),
                    extra: Some(Box::new(extra)),
                    flags: ItemFlags::Discovered,
                });
            }
        });
        for id in ids {
            config.snapshot.trigger_runs.insert(id, (id, host));
        }
        let mut world = World::new(&config);
        world.value("h", "k", 10, 6.0);
        assert_eq!(world.events_of(ids[0]), [(10, true)]);
        let expected: &[(i64, bool)] = if is_silenced { &[] } else { &[(10, true)] };
        assert_eq!(world.events_of(ids[1]), expected, "{master_lost} {dependent_lost}");
    }
}

#[test]
fn windows_and_problems_move_with_their_item_and_trigger() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "sum(/h/k,1m)>5", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 10, 3.0);
    world.value("h", "k", 20, 3.0);
    assert_eq!(world.events_of(trigger), [(20, true)]);
    // A host in front of it and more items: other slots, another layout, the same state.
    config.edit(host, |it| it.status = HostStatus::Monitored);
    for i in 0..5 {
        config.item(host, item(&format!("more {i}"), ValueType::Float));
    }
    config.trigger(host, "last(/h/k)>100", |_| {});
    world.reconfigure(&mut config);
    world.value("h", "k", 30, 0.5);
    assert!(world.effects.fetches.is_empty(), "the window was there");
    world.value("h", "k", 75, 0.5);
    assert_eq!(world.events_of(trigger), [(20, true), (75, false)]);
    world.check_replay();
    let values = [("more 1", 76, RawRef::Float(1.0))];
    assert_eq!(world.send("h", &values), (1, 0));
}

#[test]
fn steps_of_discovered_items_take_values_of_rows_literally() {
    for (kind, params, name, value, expected) in [
        (Step::Regex, "^{#A}=(.*)$\n\\1", r"C:\temp (x)", r"C:\temp (x)=7", "7"),
        (Step::Regex, "^(.*)$\n{#A} \\1", r"\1", "x", r"\1 x"),
        (
            Step::JsonPath,
            r#"$.d[?(@.n == "{#A}")].v.first()"#,
            r#"back\slash "q""#,
            r#"{"d":[{"n":"back\\slash \"q\"","v":"8"}]}"#,
            "8",
        ),
        (Step::MatchesRegex, "^{#A}$", "a.b", "a.b", "a.b"),
        (Step::StrReplace, "{#A}\n-", r"a\nb", r"1a\nb2", "1-2"),
        (
            Step::PrometheusPattern,
            "m{l=\"{#A}\"}\nvalue\n",
            r#"C:\"x""#,
            "m{l=\"C:\\\\\\\"x\\\"\"} 9\n",
            "9",
        ),
    ] {
        let mut config = Config::new();
        let host = config.host("h");
        let rule = config.item(host, item("rule", ValueType::Text));
        let mut content = item("k", ValueType::Text);
        content.preprocessing = vec![step(kind, params)];
        let prototype = config.item(host, content);
        config.edit(host, |it| {
            let row = Arc::new(LldRow::new([("{#A}", name)]));
            let discovered = Discovered::new(prototype.0, rule, row);
            it.items[1].extra =
                Some(Box::new(ItemExtra { discovered: Some(discovered), ..ItemExtra::default() }));
            it.items[1].flags = ItemFlags::Discovered;
        });
        let mut world = World::new(&config);
        world.text("h", "k", 1, value);
        let error = world.last("h", "k").error.as_deref().map(str::to_owned);
        let found = world.last_value("h", "k");
        assert_eq!(found, Some(Value::Text(expected.into())), "{kind:?} {params} {error:?}");
    }
}
