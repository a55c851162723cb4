//! Changes of hosts against a store.

use db::{Actor, DbSettings, Location};
use model::content::InventoryMode;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

fn store() -> (TempDir, Db) {
    let dir = tempfile::tempdir().expect("a directory");
    let db = Db::open(&DbSettings::new(Location::Sqlite(dir.path().join("saker.db"))));
    (dir, db.expect("opens"))
}

fn template(db: &Db, name: &str) -> HostId {
    let fields = json!({"host": name, "groups": [{"groupid": "1"}]});
    let made = db.edit(Actor::System, |e| {
        let id = e.create(ObjectKind::Template, fields.as_object().cloned().unwrap_or_default())?;
        let item = json!({"hostid": id.to_string(), "name": "k", "key_": "k", "type": "2", "value_type": "3"});
        e.create(ObjectKind::Item, item.as_object().cloned().unwrap_or_default())?;
        Ok(id)
    });
    HostId(made.expect("made"))
}

fn found(host: &str) -> FoundHost {
    FoundHost {
        host: host.to_owned(),
        ip: "192.0.2.1".to_owned(),
        port: 10_050,
        ..FoundHost::default()
    }
}

fn change(host: &str, operations: &[HostOperation]) -> HostChange {
    HostChange { action: 1, event: EventId(1), found: found(host), operations: operations.to_vec() }
}

fn do_all(db: &Db, changes: &[HostChange]) -> Vec<Refused> {
    apply(db, changes, Time::ZERO).expect("the store is there")
}

fn tag(tag: &str) -> Tag {
    Tag { tag: tag.to_owned(), value: String::new() }
}

/// Kind, action and details of the records of the audit log.
fn audited(db: &Db) -> Vec<(String, i64, Value)> {
    let records = db.audit().page(0..=i64::MAX, 0, 1_000).expect("is there");
    records
        .into_iter()
        .map(|it| {
            assert_eq!(it.userid, model::UserId::NONE);
            (it.kind, it.action, serde_json::from_str(&it.details).unwrap_or_default())
        })
        .collect()
}

#[test]
fn discovered_host_is_created_once() {
    let (_dir, db) = store();
    let linux = template(&db, "Linux");
    let all = [change(
        "web",
        &[
            HostOperation::Add,
            HostOperation::AddGroups(vec![GroupId(2)]),
            HostOperation::Link(vec![linux]),
            HostOperation::SetInventoryMode(InventoryMode::Automatic),
            HostOperation::AddTags(vec![tag("a"), tag("b")]),
            HostOperation::RemoveTags(vec![tag("b"), tag("c")]),
            HostOperation::Disable,
        ],
    )];
    assert_eq!(do_all(&db, &all), []);
    let snapshot = db.snapshot();
    let host = snapshot.host_named("web").expect("made");
    assert_eq!(host.groups, [GroupId(5), GroupId(2)]);
    assert_eq!(host.templates, [linux]);
    assert_eq!(
        (host.inventory_mode, host.status),
        (InventoryMode::Automatic, HostStatus::NotMonitored)
    );
    assert_eq!(host.tags, [tag("a")]);
    assert_eq!(host.items.len(), 1, "inherited");
    let addresses: Vec<_> =
        host.interfaces.iter().map(|it| (it.main, it.useip, &*it.ip, &*it.port)).collect();
    assert_eq!(addresses, [(true, true, "192.0.2.1", "10050")]);

    // `b` comes and goes again; all else is as it was.
    let n_audited = audited(&db).len();
    let without_tags: Vec<HostOperation> = all[0]
        .operations
        .iter()
        .filter(|it| !matches!(it, HostOperation::AddTags(_) | HostOperation::RemoveTags(_)))
        .cloned()
        .collect();
    assert_eq!(do_all(&db, &[change("web", &without_tags)]), []);
    assert_eq!(db.snapshot().epoch, snapshot.epoch);
    assert_eq!(audited(&db).len(), n_audited);

    let undone = [
        HostOperation::Enable,
        HostOperation::Unlink(vec![linux]),
        HostOperation::RemoveGroups(vec![GroupId(2), GroupId(7)]),
    ];
    assert_eq!(do_all(&db, &[change("web", &undone), change("nobody", &undone[1..])]), []);
    let snapshot = db.snapshot();
    let host = snapshot.host_named("web").expect("still there");
    assert_eq!(
        (&*host.groups, host.is_monitored(), host.items.len()),
        (&[GroupId(5)][..], true, 0)
    );
    assert!(snapshot.host_named("nobody").is_none());
    assert_eq!(do_all(&db, &[change("web", &[HostOperation::Remove])]), []);
    assert_eq!(do_all(&db, &[change("web", &[HostOperation::Remove])]), []);
    assert!(db.snapshot().host_named("web").is_none());
    let log = audited(&db);
    assert_eq!((&*log[0].0, log[0].1), ("host", 0));
    assert_eq!((&*log.last().expect("some").0, log.last().expect("some").1), ("host", 2));
}

#[test]
fn existing_host_gets_an_additional_address() {
    let (_dir, db) = store();
    assert_eq!(do_all(&db, &[change("web", &[HostOperation::Add])]), []);
    let mut moved = change("web", &[HostOperation::Add]);
    moved.found.ip = "192.0.2.9".to_owned();
    let mut named = change("web", &[HostOperation::Add]);
    (named.found.dns, named.found.is_by_dns) = ("web.example".to_owned(), true);
    for _ in 0..2 {
        assert_eq!(do_all(&db, &[moved.clone(), named.clone()]), []);
    }
    let snapshot = db.snapshot();
    let host = snapshot.host_named("web").expect("there");
    let addresses: Vec<_> =
        host.interfaces.iter().map(|it| (it.main, it.useip, &*it.ip, &*it.dns)).collect();
    assert_eq!(
        addresses,
        [
            (true, true, "192.0.2.1", ""),
            (false, true, "192.0.2.9", ""),
            (false, false, "192.0.2.1", "web.example")
        ]
    );
}

#[test]
fn refused_operation_stops_no_others() {
    let (_dir, db) = store();
    let linux = template(&db, "Linux");
    let refused = do_all(
        &db,
        &[
            change("web", &[HostOperation::Link(vec![linux])]),
            // A template has that name; the group is gone.
            change("Linux", &[HostOperation::Add]),
            change("db", &[HostOperation::AddGroups(vec![GroupId(999)]), HostOperation::Disable]),
        ],
    );
    let shown: Vec<(&str, &str, &str)> =
        refused.iter().map(|it| (&*it.host, it.operation, &*it.why)).collect();
    assert_eq!(
        shown,
        [
            ("Linux", "add host", "Template with the same name \"Linux\" already exists."),
            ("db", "add to host group", "No permissions to referred object or it does not exist!"),
        ]
    );
    let snapshot = db.snapshot();
    assert_eq!(snapshot.host_named("web").expect("made").templates, [linux]);
    assert!(!snapshot.host_named("db").expect("made").is_monitored());
}

#[test]
fn a_found_device_is_known_by_its_addresses_and_gets_an_interface_for_each_way_to_ask_it() {
    let (_dir, db) = store();
    let interface = |kind, ip: &str, port| FoundInterface {
        kind,
        ip: ip.to_owned(),
        dns: "switch.example.com".to_owned(),
        port,
        snmp: (kind == InterfaceType::Snmp).then(|| SnmpDetails {
            version: 3,
            securityname: "reader".to_owned(),
            securitylevel: 2,
            authprotocol: 1,
            authpassphrase: "authentication".to_owned(),
            privprotocol: 1,
            privpassphrase: "privacy-privacy".to_owned(),
            ..SnmpDetails::default()
        }),
    };
    let device = |host: &str, address: &str| FoundHost {
        host: host.to_owned(),
        device: Some(FoundDevice {
            name: "Switch".to_owned(),
            addresses: vec![address.parse().expect("an address")],
            interfaces: vec![
                interface(InterfaceType::Agent, address, 10_050),
                interface(InterfaceType::Agent, address, 10_050),
                interface(InterfaceType::Snmp, address, 161),
            ],
        }),
        ..FoundHost::default()
    };
    let change = |found: FoundHost| HostChange {
        action: 1,
        event: EventId(1),
        found,
        operations: vec![HostOperation::Add],
    };
    let first = device("switch", "192.0.2.7");
    assert_eq!(do_all(&db, &[change(first.clone()), change(first.clone())]), []);
    let snapshot = db.snapshot();
    let made = first.in_snapshot(&snapshot).expect("made");
    assert_eq!((&*made.host, &*made.name), ("switch", "Switch"));
    let interfaces: Vec<_> =
        made.interfaces.iter().map(|it| (it.kind, it.main, &*it.ip, &*it.port)).collect();
    assert_eq!(
        interfaces,
        [
            (InterfaceType::Agent, true, "192.0.2.7", "10050"),
            (InterfaceType::Snmp, true, "192.0.2.7", "161")
        ]
    );
    // Another device of that name is another host; one more address of the first is not.
    assert_eq!(do_all(&db, &[change(device("switch", "192.0.2.8"))]), []);
    let other = device("switch", "192.0.2.8");
    let snapshot = db.snapshot();
    let host = other.in_snapshot(&snapshot).expect("made");
    assert_eq!((&*host.host, &*host.name), ("switch_2", "Switch_2"));
    let mut both = first;
    if let Some(it) = &mut both.device {
        it.addresses.push("192.0.2.9".parse().expect("an address"));
        it.interfaces.push(interface(InterfaceType::Agent, "192.0.2.9", 10_050));
    }
    assert_eq!(do_all(&db, &[change(both.clone()), change(both.clone())]), []);
    let snapshot = db.snapshot();
    let made = both.in_snapshot(&snapshot).expect("it is there");
    let agents: Vec<_> = made
        .interfaces
        .iter()
        .filter(|it| it.kind == InterfaceType::Agent)
        .map(|it| (it.main, &*it.ip))
        .collect();
    assert_eq!(agents, [(true, "192.0.2.7"), (false, "192.0.2.9")]);
    assert_eq!(snapshot.hosts.values().filter(|it| it.host.starts_with("switch")).count(), 2);
}
