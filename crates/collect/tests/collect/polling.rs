//! From configuration to values, independent of a protocol.

use std::sync::Arc;
use std::time::Duration;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{PATIENCE, Seen, Server, error};
use collect::{ExecuteError, HostMaintenance};
use model::batch::OwnedRaw;
use model::content::{HostStatus, InterfaceType, ItemFlags, ItemStatus, ItemType};
use model::snapshot::Host;
use model::{HostId, ItemId};

fn internal_host(keys: &[&str]) -> Host {
    let mut it = host(7, "own");
    it.interfaces.push(interface(1, InterfaceType::Agent, "127.0.0.1", 10050));
    let items = (100..).zip(keys);
    it.items = items.map(|(id, key)| item(id, ItemType::Internal, key, "10m")).collect();
    it
}

#[tokio::test(flavor = "multi_thread")]
async fn internal_items_are_answered_by_their_components() {
    let keys = [
        "zabbix[queue]",
        "zabbix[queue,10m,1h]",
        "zabbix[queue,x]",
        "zabbix[queue,10m,1m]",
        "zabbix[host,agent,available]",
        "zabbix[host,active_agent,available]",
        "zabbix[host,,items]",
        "zabbix[host,,items_unsupported]",
        "zabbix[requiredperformance]",
        "zabbix[host_id]",
        "zabbix[nonsense]",
        "other[x]",
        "zabbix[host,,maintenance]",
        "zabbix[host,agent]",
        "zabbix[host,agent,items]",
        "zabbix[host,,nonsense]",
        "zabbix[requiredperformance,x]",
        "zabbix[host,discovery,interfaces]",
    ];
    let mut own = internal_host(&keys);
    own.interfaces.insert(0, interface(2, InterfaceType::Snmp, "127.0.0.2", 161));
    let server = Server::start(snapshot(1, [own])).await;
    server.execute(100..118);
    let numbers = [(100, 0), (101, 0), (104, 2), (105, 0), (106, 18), (107, 3), (109, 7), (112, 0)];
    for (item, number) in numbers {
        assert_eq!(server.value_of(item).await, OwnedRaw::Unsigned(number), "{item}");
    }
    let OwnedRaw::Float(required) = server.value_of(108).await else { panic!("no number") };
    assert!((required - 18.0 / 600.0).abs() < 1e-9);
    let OwnedRaw::Text(interfaces) = server.value_of(117).await else { panic!("no text") };
    let interfaces: serde_json::Value = serde_json::from_str(&interfaces).expect("JSON");
    assert_eq!(
        interfaces[0],
        serde_json::json!({
            "{#IF.CONN}": "127.0.0.1", "{#IF.IP}": "127.0.0.1", "{#IF.DNS}": "",
            "{#IF.PORT}": "10050", "{#IF.TYPE}": "AGENT", "{#IF.DEFAULT}": 1,
        })
    );
    assert_eq!(interfaces[1]["{#IF.TYPE}"], "SNMP");
    for (item, text) in [
        (102, "Invalid second parameter."),
        (103, "Parameters represent an invalid interval."),
        (110, "Unsupported item key."),
        (111, "Unsupported item key."),
        (113, "Invalid number of parameters."),
        (114, "Invalid second parameter."),
        (115, "Invalid third parameter."),
        (116, "Invalid number of parameters."),
    ] {
        assert_eq!(error(&server.value_of(item).await), text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_data_collection_only_internal_items_go_on() {
    let mut own = internal_host(&["zabbix[host,,maintenance]"]);
    own.items.push(item(101, ItemType::Script, "s", "1m"));
    let server = Server::start(snapshot(1, [own])).await;
    let set = |it| server.owner.maintained.lock().expect("no panic").insert(HostId(7), it);
    set(HostMaintenance::WithData);
    server.execute(100..102);
    assert_eq!(server.value_of(100).await, OwnedRaw::Unsigned(1));
    server.value_of(101).await;
    let n_of =
        |it: u64| move |seen: &Vec<Seen>| seen.iter().filter(|of| of.item == ItemId(it)).count();
    set(HostMaintenance::WithoutData);
    server.execute(100..102);
    let seen = server.until("a second value", |it| n_of(100)(it) == 2).await;
    assert_eq!(
        seen.iter().rfind(|it| it.item == ItemId(100)).expect("one").value,
        OwnedRaw::Unsigned(2)
    );
    let left_out = || server.registry.value("saker_poll_in_maintenance_total", Some("script"));
    tokio::time::timeout(PATIENCE, async {
        while left_out() != Some(1.0) {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("left out and counted");
    set(HostMaintenance::No);
    server.execute(101..102);
    let seen = server.until("it is asked again", |it| n_of(101)(it) == 2).await;
    assert_eq!(n_of(101)(&seen), 2, "once before, once after");
}

#[tokio::test(flavor = "multi_thread")]
async fn panicking_check_ends_alone_with_an_error() {
    let own = internal_host(&["zabbix[bug]", "zabbix[host_id]"]);
    let server = Server::start(snapshot(1, [own])).await;
    server.execute(100..101);
    let text = "Internal error while making the check.";
    assert_eq!(error(&server.value_of(100).await), text);
    server.execute(101..102);
    assert_eq!(server.value_of(101).await, OwnedRaw::Unsigned(7), "its device has its turn again");
    let contained =
        server.registry.value("saker_runtime_contained_panics_total", Some("internal check"));
    assert_eq!(contained, Some(1.0));
    assert!(
        server.registry.value("saker_runtime_task_panics_total", None).is_none_or(|it| it < 0.5)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_polled_and_prototypes_are_not() {
    let mut it = internal_host(&["zabbix[host_id]", "zabbix[host_id]", "zabbix[host_id]"]);
    it.items[1].flags = ItemFlags::Rule;
    it.items[2].flags = ItemFlags::Prototype;
    let server = Server::start(snapshot(1, [it])).await;
    let ids: Vec<_> = (100..103).map(ItemId).collect();
    let results = server.collectors.execute_now(&ids);
    assert_eq!(results, [Ok(()), Ok(()), Err(ExecuteError::NoSuchItem)]);
    server.value_of(101).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn execute_now_finds_the_master_or_has_a_reason() {
    let mut it = internal_host(&["zabbix[host_id]", "a", "b", "c", "d", "zabbix[host_id]"]);
    let dependent = |row: &mut model::snapshot::ItemRow, master: u64| {
        let content = Arc::make_mut(&mut row.content);
        content.kind = ItemType::Dependent;
        content.master_itemid = ItemId(master);
    };
    dependent(&mut it.items[1], 100);
    dependent(&mut it.items[2], 101);
    Arc::make_mut(&mut it.items[3].content).kind = ItemType::Trapper;
    dependent(&mut it.items[4], 103);
    Arc::make_mut(&mut it.items[5].content).status = ItemStatus::Disabled;
    let mut off = host(8, "off");
    off.status = HostStatus::NotMonitored;
    off.items = vec![item(200, ItemType::Internal, "zabbix[host_id]", "1m")];
    let server = Server::start(snapshot(1, [it, off])).await;
    let ids: Vec<_> = [102, 103, 104, 105, 200, 999].map(ItemId).into();
    assert_eq!(
        server.collectors.execute_now(&ids),
        [
            Ok(()),
            Err(ExecuteError::WrongType),
            Err(ExecuteError::WrongMasterType),
            Err(ExecuteError::ItemDisabled),
            Err(ExecuteError::HostNotMonitored),
            Err(ExecuteError::NoSuchItem),
        ]
    );
    assert_eq!(server.value_of(100).await, OwnedRaw::Unsigned(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_counts_at_once() {
    let server = Server::start(snapshot(1, [])).await;
    let mut it = internal_host(&["zabbix[{$WHAT}]"]);
    it.items[0] = item(100, ItemType::Internal, "zabbix[{$WHAT}]", "1s");
    server.configure(snapshot(2, [it.clone()]));
    assert_eq!(error(&server.value_of(100).await), "Unsupported item key.");
    it.macros.push(model::content::HostMacro {
        hostmacroid: model::HostMacroId(1),
        name: "{$WHAT}".to_owned(),
        value: "host_id".to_owned(),
        description: String::new(),
        kind: model::content::MacroType::Text,
    });
    server.configure(snapshot(3, [it]));
    server
        .until("the macro's value", |seen| seen.iter().any(|it| it.value == OwnedRaw::Unsigned(7)))
        .await;
    server.configure(snapshot(4, []));
    let results = server.collectors.execute_now(&[ItemId(100)]);
    assert_eq!(results, [Err(ExecuteError::NoSuchItem)]);
    assert!(server.collectors.required_performance().abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_item_has_a_reason() {
    let mut it = internal_host(&["zabbix[queue]", "web", "zabbix[x", "zabbix[queue]"]);
    Arc::make_mut(&mut it.items[0].content).delay = "{$NOBODY}".to_owned();
    Arc::make_mut(&mut it.items[1].content).kind = ItemType::Ssh;
    Arc::make_mut(&mut it.items[2].content).key_ = "zabbix[x{$A}".to_owned();
    Arc::make_mut(&mut it.items[3].content).timeout = "0".to_owned();
    let server = Server::start(snapshot(1, [it])).await;
    server.execute(100..104);
    for (item, text) in [
        (100, "Invalid update interval \"{$NOBODY}\"."),
        (101, "Unsupported item key for this item type."),
        (102, "Invalid item key at position 12."),
        (103, "Unsupported timeout value \"0\"."),
    ] {
        assert_eq!(error(&server.value_of(item).await), text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn simple_checks_distinguish_missing_from_unknown_keys() {
    let keys = ["net.tcp.service[ssh,{$A},x]", "vmware.version[x]", "net.tcp.services[ssh]"];
    let mut it = internal_host(&keys);
    for item in &mut it.items {
        Arc::make_mut(&mut item.content).kind = ItemType::Simple;
    }
    let server = Server::start(snapshot(1, [it])).await;
    server.execute(100..103);
    for (item, text) in [
        (100, "Invalid third parameter."),
        (101, "VMware checks are not supported yet."),
        (102, "Unsupported item key."),
    ] {
        assert_eq!(error(&server.value_of(item).await), text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unpolled_items_without_values_have_a_reason() {
    let mut it = host(7, "a");
    it.items = vec![
        item(100, ItemType::SnmpTrap, "snmptrap.fallback", "0"),
        item(101, ItemType::ZabbixAgentActive, "agent.ping", "{$EACH}"),
        item(102, ItemType::ZabbixAgentActive, "agent.ping", "1m"),
        item(103, ItemType::SnmpTrap, "snmptrap[off]", "0"),
    ];
    Arc::make_mut(&mut it.items[3].content).status = ItemStatus::Disabled;
    let mut prototype = item(104, ItemType::SnmpTrap, "snmptrap[{#X}]", "0");
    prototype.flags = ItemFlags::Prototype;
    it.items.push(prototype);
    let mut off = host(8, "off");
    off.status = HostStatus::NotMonitored;
    off.items = vec![item(200, ItemType::SnmpTrap, "snmptrap[off]", "0")];
    let server = Server::start(snapshot(1, [it.clone(), off.clone()])).await;
    let reason =
        "SNMP traps are not received: neither snmp_traps.listen nor snmp_traps.file is set.";
    assert_eq!(error(&server.value_of(100).await), reason);
    let invalid = "Invalid update interval \"{$EACH}\".";
    assert_eq!(error(&server.value_of(101).await), invalid);
    // A change is reported again, for this host and no other.
    Arc::make_mut(&mut it.items[2].content).delay = "{$EACH}".to_owned();
    it.items.remove(1);
    server.configure_hosts(snapshot(2, [it, off]), &[7]);
    assert_eq!(error(&server.value_of(102).await), invalid);
    let mut checked: Vec<_> = server.seen().into_iter().map(|it| it.item.0).collect();
    checked.sort_unstable();
    assert_eq!(checked, [100, 100, 101, 102]);
}

#[tokio::test(flavor = "multi_thread")]
async fn late_items_show_in_the_queue() {
    let server = Server::start(snapshot(1, [internal_host(&["zabbix[queue]"])])).await;
    assert_eq!(server.collectors.n_overdue(Duration::ZERO, None), 0);
    let rows = server.collectors.overdue_by_collector();
    assert!(rows.iter().any(|(name, late)| *name == "snmp" && late.iter().sum::<u64>() == 0));
}
