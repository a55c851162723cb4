//! Quarantine: items whose values make steps fail, triggers whose evaluation does; and items of
//! disabled hosts.

use crate::kit::{Config, World, item};
use model::batch::RawRef;
use model::content::HostStatus;
use model::snapshot::Delta;
use model::{ItemId, TriggerId, ValueType};
use pipeline::{Interrupted, SharedProgram, StateOf};

/// An item `k`, read by a trigger of its host and by one of another host.
fn config() -> (Config, ItemId, [TriggerId; 2]) {
    let mut config = Config::new();
    let (host, other) = (config.host("h"), config.host("other"));
    let k = config.item(host, item("k", ValueType::Float));
    config.item(host, item("good", ValueType::Float));
    config.item(other, item("own", ValueType::Float));
    let own = config.trigger(host, "last(/h/k)>5", |_| {});
    let foreign = config.trigger(other, "last(/h/k)+last(/other/own)>5", |_| {});
    (config, k, [own, foreign])
}

/// Forwarded values arrive.
fn deliver(world: &mut World) {
    for batch in std::mem::take(&mut world.forwards) {
        world.input(pipeline::Input::Forwarded(&batch));
    }
}

#[test]
fn a_quarantined_item_takes_no_values_and_its_triggers_are_unknown() {
    let (mut config, k, triggers) = config();
    let mut world = World::new(&config);
    world.value("other", "own", 5, 1.0);
    world.value("h", "k", 10, 6.0);
    deliver(&mut world);
    assert!(triggers.iter().all(|it| world.trigger(*it).is_problem));
    world.value("h", "k", 11, 7.0);
    let under_way = std::mem::take(&mut world.forwards);

    world.states.clear();
    world.shard.quarantine_item(k, "values make steps fail".into());
    world.rebuild(Interrupted::Skipped);
    let published: Vec<_> = world.states.iter().filter(|it| it.what == StateOf::Item(k)).collect();
    assert_eq!(published.len(), 1);
    assert_eq!(published[0].error.as_deref(), Some("values make steps fail"));
    assert_eq!(world.last("h", "k").error.as_deref(), Some("values make steps fail"));
    for it in triggers {
        let now = world.trigger(it);
        assert!(now.is_problem, "it keeps its value");
        let error = now.error.expect("unknown");
        assert!(error.contains("not supported"), "{error}");
    }
    world.check_replay();
    world.set_time(20);
    assert_eq!(world.send("h", &[("k", 20, RawRef::Float(1.0))]), (0, 1));
    assert_eq!(world.send("h", &[("good", 20, RawRef::Float(1.0))]), (1, 0));
    // Values on their way to the other host are skipped.
    world.forwards = under_way;
    deliver(&mut world);
    assert_eq!(world.events.len(), 2);
    world.check_replay();
    // Once more, for another reason: nothing is said again.
    world.states.clear();
    world.rebuild(Interrupted::Again);
    assert!(world.states.is_empty(), "{:?}", world.states);
    assert_eq!(world.send("h", &[("k", 21, RawRef::Float(1.0))]), (0, 1));

    // Another configuration of any host that reads it.
    world.reconfigure(&mut config);
    world.value("h", "k", 30, 2.0);
    deliver(&mut world);
    assert_eq!(world.last("h", "k").error, None);
    for it in triggers {
        let now = world.trigger(it);
        assert_eq!((now.is_problem, now.error), (false, None));
    }
    world.check_replay();
}

/// The last evaluated content, as the owner of a shard learns it after a panic.
fn evaluated_last(world: &World) -> u64 {
    match world.shard.at_work().program {
        Some(SharedProgram::Trigger(content)) => content,
        other => panic!("not a trigger: {other:?}"),
    }
}

#[test]
fn quarantined_triggers_are_unknown_on_all_hosts_until_one_of_these_changes() {
    let mut config = Config::new();
    let hosts = ["a", "b", "c"].map(|it| config.host(it));
    for host in hosts {
        config.item(host, item("k", ValueType::Float));
    }
    let bad = [(hosts[0], "a"), (hosts[1], "b")]
        .map(|(host, name)| config.trigger(host, &format!("last(/{name}/k)>5"), |_| {}));
    let other = config.trigger(hosts[0], "last(/a/k)>50", |_| {});
    let mut world = World::new(&config);
    world.value("a", "k", 10, 6.0);
    world.value("b", "k", 10, 6.0);
    assert!(bad.iter().all(|it| world.trigger(*it).is_problem));

    let n_events = world.events.len();
    world.shard.quarantine_trigger(evaluated_last(&world), "its evaluation fails".into());
    world.rebuild(Interrupted::Skipped);
    world.states.clear();
    // On both hosts, and nowhere else: a value that would end the problems ends none.
    world.value("a", "k", 20, 1.0);
    world.value("b", "k", 20, 1.0);
    for it in bad {
        let now = world.trigger(it);
        assert!(now.is_problem, "it keeps its value");
        assert_eq!(now.error.as_deref(), Some("its evaluation fails"));
        let states = world.states.iter().filter(|state| state.what == StateOf::Trigger(it));
        assert_eq!(states.count(), 1);
    }
    assert_eq!(world.events.len(), n_events);
    world.value("a", "k", 21, 60.0);
    assert_eq!(world.events_of(other), [(21, true)]);
    assert_eq!(world.last("a", "k").error, None, "its item takes values");
    world.check_replay();

    // Neither the next panic, nor the configuration of a host without such a trigger ends it.
    world.rebuild(Interrupted::Again);
    config.edit(hosts[2], |it| it.name = "Another name".into());
    config.snapshot.epoch += 1;
    let epoch = config.snapshot.epoch;
    let delta = Delta { epoch, hosts_changed: vec![hosts[2]], ..Delta::default() };
    world.publish(&config, &delta);
    world.value("b", "k", 30, 1.0);
    assert_eq!(world.trigger(bad[1]).error.as_deref(), Some("its evaluation fails"));

    // That of one host with such a trigger gives those of all another try.
    config.edit(hosts[0], |it| it.name = "A third name".into());
    config.snapshot.epoch += 1;
    let epoch = config.snapshot.epoch;
    let delta = Delta { epoch, hosts_changed: vec![hosts[0]], ..Delta::default() };
    world.publish(&config, &delta);
    world.value("a", "k", 40, 1.0);
    world.value("b", "k", 40, 1.0);
    for it in bad {
        let now = world.trigger(it);
        assert_eq!((now.is_problem, now.error), (false, None));
        assert_eq!(world.events_of(it), [(10, true), (40, false)]);
    }
    world.check_replay();
}

#[test]
fn a_quarantined_trigger_has_no_deferred_evaluations() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "avg(/h/k,1h)>5", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 10, 6.0);
    let content = evaluated_last(&world);
    // After a rebuild the window is cold: without the quarantine the evaluation would wait for it.
    world.shard.quarantine_trigger(content, "its evaluation fails".into());
    world.rebuild(Interrupted::Skipped);
    world.value("h", "k", 20, 7.0);
    assert_eq!(world.shard.sizes().evaluations_deferred, 0);
    assert_eq!(world.trigger(trigger).error.as_deref(), Some("its evaluation fails"));
    world.check_replay();
}

#[test]
fn a_trigger_over_two_hosts_is_unknown_while_the_other_one_is_disabled() {
    let (mut config, k, [_, foreign]) = config();
    let other = config.snapshot.host_by_name["other"];
    // Also where the rest alone would say yes or no.
    let either = config.trigger(other, "last(/h/k)>5 or last(/other/own)>5", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 10, 6.0);
    deliver(&mut world);
    world.value("other", "own", 20, 1.0);
    assert!(world.trigger(foreign).is_problem);

    let host = config.snapshot.item_runs[&k].1;
    let mut set = |world: &mut World, status| {
        config.edit(host, |it| it.status = status);
        world.reconfigure(&mut config);
    };
    set(&mut world, HostStatus::NotMonitored);
    world.value("other", "own", 30, -6.0);
    let now = world.trigger(foreign);
    assert!(now.is_problem, "it keeps its value");
    let error = now.error.expect("unknown");
    assert!(error.ends_with("last(/h/k): item belongs to a disabled host."), "{error}");
    world.value("other", "own", 31, 6.0);
    assert!(world.trigger(either).error.is_some());
    assert_eq!(world.events_of(either), [(10, true)]);

    set(&mut world, HostStatus::Monitored);
    world.value("other", "own", 40, -5.0);
    let now = world.trigger(foreign);
    assert_eq!((now.is_problem, now.error), (false, None));
    world.check_replay();
}
