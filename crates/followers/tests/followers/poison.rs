use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use collect::discovery::{CheckedAddress, CheckedService, DiscoveryResult};
use collect::ports::{Registration, Registrations as _};
use db::events::{EventRow, object, source};
use db::{Actor, Db, ObjectKind, RunningMaintenances};
use engine::event_writer::OutsideEvent;
use engine::mailboxes::Mailboxes;
use history::{DirectoryRow, NameTable};
use ingress::Ingress;
use model::content::{Severity, Tag};
use model::record::Subject;
use model::{EventId, ItemId, MaintenanceId, Time, UserId, Value};
use rt::queue::{WhenFull, bounded};
use serde_json::json;

use crate::registrations::registrations_open;
use crate::{FakeLog, Poison, Scene};
use followers::expiry::{self, ExpiryMetrics, ExpiryRate, ExpiryRounds};
use followers::inventory::{self, FillerParts, InventoryFiller, InventoryMetrics};
use followers::item_directory::{self, ItemDirectory};
use followers::maintenance::{self, MaintenanceMetrics, MaintenanceParts, MaintenanceTimer};
use followers::network_discovery::{self, NetworkDiscoveryParts};
use followers::ports::{LastValues, Maintaining};
use followers::services::{self, ServiceMetrics, ServiceParts, ServiceStatus};

pub(crate) fn detail<'a>(event: &'a OutsideEvent, name: &str) -> &'a str {
    let found = event.details.iter().find(|it| it.0 == name);
    found.map(|it| it.1.as_str()).unwrap_or_default()
}

pub(crate) fn said(host: &str) -> Registration {
    Registration {
        host: host.to_owned(),
        metadata: String::new(),
        ip: "192.0.2.1".to_owned(),
        dns: String::new(),
        port: 10_050,
        flags: 0,
        tls_accepted: 1,
    }
}

fn registrations_go_on(how: Poison) {
    let mut scene = Scene::new();
    let log = FakeLog::new(how, |it| detail(it, "host") == "bad");
    let port = registrations_open(&mut scene, &log);
    let from: IpAddr = "192.0.2.1".parse().unwrap();
    for host in ["first", "bad", "last"] {
        port.asked(said(host), from);
    }
    scene.run();
    let hosts = || -> Vec<String> {
        log.written().iter().map(|it| detail(it, "host").to_owned()).collect()
    };
    assert_eq!(hosts(), ["first", "last"]);
    let (n, shown) = scene.put_aside("registrations");
    assert_eq!(n, "1");
    assert!(shown.contains("the registration of agent \"bad\""), "{shown}");
    assert_eq!(scene.registry.value("saker_autoregistration_dropped_total", None), Some(1.0));
    port.asked(said("later"), from);
    scene.run();
    assert_eq!(hosts(), ["first", "last", "later"]);
}

#[test]
fn a_registration_that_nobody_can_write_is_put_aside_and_others_become_events() {
    registrations_go_on(Poison::Error);
}

#[test]
fn a_registration_over_which_turns_panic_is_put_aside_and_others_become_events() {
    registrations_go_on(Poison::Panic);
}

fn network_discovery_goes_on(how: Poison) {
    let mut scene = Scene::new();
    let log = FakeLog::new(how, |it| detail(it, "ip") == "192.0.2.2");
    let rule = scene.create(
        db::objects::drule::DRULE.kind(),
        &json!({"name": "Office", "iprange": "192.0.2.1-3", "delay": "1h",
            "dchecks": [{"type": "12"}]}),
    );
    let document = scene.db.snapshot().documents.get("drule", rule).cloned().unwrap();
    let check = db::objects::drule::checks(&document.body)
        .find_map(|it| it.get("dcheckid")?.as_str()?.parse().ok())
        .unwrap();
    let (sender, devices) = network_discovery::open(NetworkDiscoveryParts {
        db: scene.db.clone(),
        events: Arc::clone(&log) as _,
        clock: scene.clock.clone(),
        registry: scene.registry.clone(),
    });
    scene.group.add(network_discovery::ROW, |wake| devices.woken_by(wake));
    scene.run();
    for last in 1..=3_u8 {
        let found = CheckedAddress {
            rule,
            address: IpAddr::from([192, 0, 2, last]),
            dns: String::new(),
            time: scene.clock.wall(),
            services: vec![CheckedService { check, port: 0, value: Some(String::new()) }],
        };
        sender.try_send(DiscoveryResult::Address(found)).unwrap();
    }
    let error = "half of it".to_owned();
    sender.try_send(DiscoveryResult::RoundEnded { rule, error }).unwrap();
    scene.run();
    let mut addresses: Vec<String> =
        log.written().iter().map(|it| detail(it, "ip").to_owned()).collect();
    addresses.dedup();
    addresses.retain(|it| !it.is_empty());
    assert_eq!(addresses.first().map(String::as_str), Some("192.0.2.1"));
    assert_eq!(addresses.last().map(String::as_str), Some("192.0.2.3"));
    let (n, shown) = scene.put_aside("network-discovery");
    assert_eq!(n, "1");
    assert!(shown.contains(&format!("address 192.0.2.2 of discovery rule {rule}")), "{shown}");
    let errors = scene.db.discovery_errors();
    assert_eq!(errors.of(rule), "half of it", "what came after is done");
}

#[test]
fn an_address_whose_events_nobody_can_write_is_put_aside_and_others_are_devices() {
    network_discovery_goes_on(Poison::Error);
}

#[test]
fn an_address_over_which_turns_panic_is_put_aside_and_others_are_devices() {
    network_discovery_goes_on(Poison::Panic);
}

fn services_go_on(how: Poison) {
    let mut scene = Scene::new();
    let log = FakeLog::new(how, |it| it.name.contains("\"bad\"")).carrying(&scene.db);
    let service = |name: &str| {
        json!({"name": name, "algorithm": "0", "sortorder": "0",
            "problem_tags": [{"tag": "of", "value": name}]})
    };
    let kind = db::objects::service::SERVICE.kind();
    for name in ["first", "bad", "last"] {
        scene.create(kind, &service(name));
    }
    let parts = ServiceParts {
        db: scene.db.clone(),
        writer: Arc::clone(&log) as _,
        metrics: ServiceMetrics::register(&scene.registry),
    };
    scene.group.add(services::ROW, |wake| ServiceStatus::new(parts, wake));
    scene.group.pass();
    let problems = [(1, "first"), (2, "bad"), (3, "last")].map(|(id, of)| EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: id,
        time: Time::from_clock(1_790_000_001, 0),
        value: 1,
        severity: Severity::High,
        name: "Broken".to_owned(),
        opdata: String::new(),
        tags: vec![Tag { tag: "of".to_owned(), value: of.to_owned() }],
        hosts: Vec::new(),
        recovers: Vec::new(),
        userid: UserId::NONE,
    });
    scene.db.events().apply(problems.to_vec(), 1).unwrap();
    scene.db.events().flush().unwrap();
    scene.pass_until(|_| log.written().len() == 2);
    let names: Vec<String> = log.written().iter().map(|it| it.name.clone()).collect();
    assert!(names[0].contains("\"first\"") && names[1].contains("\"last\""), "{names:?}");
    let bad = log.written().iter().any(|it| !matches!(it.subject, Subject::Service(_)));
    assert!(!bad);
    let (n, shown) = scene.put_aside("services");
    assert_eq!(n, "1");
    assert!(shown.contains("an event of service "), "{shown}");
}

#[test]
fn an_event_of_a_service_that_nobody_can_write_is_put_aside_and_others_are_written() {
    services_go_on(Poison::Error);
}

#[test]
fn an_event_of_a_service_over_which_turns_panic_is_put_aside_and_others_are_written() {
    services_go_on(Poison::Panic);
}

#[test]
fn a_part_of_expiry_that_the_database_refuses_is_put_aside_and_the_round_ends() {
    let mut scene = Scene::new();
    let path = scene.folder.path().join("saker.db");
    let other = rusqlite::Connection::open(path).unwrap();
    let old = "insert into service_alarms values (1, 9, 1, 0, 4, -1, 0), (2, 9, 1, 0, -1, 4, 0); \
               create trigger refuse before delete on service_alarms \
               begin select raise(abort, 'it is bad'); end";
    other.execute_batch(old).unwrap();
    let interval = Some(std::time::Duration::from_secs(3_600));
    let rate = ExpiryRate { interval, rows_max: 100, busy_percent: 20 };
    let metrics = ExpiryMetrics::register(&scene.registry);
    let (db, clock) = (scene.db.clone(), scene.clock.clone());
    scene.group.add(expiry::ROW, |_| ExpiryRounds::new(db, clock, rate, metrics));
    scene.pass_until(|it| it.registry.value("saker_housekeeping_rounds_total", None) == Some(1.0));
    let (n, shown) = scene.put_aside("expiry");
    assert_eq!(n, "1");
    assert!(shown.contains("old changes of services"), "{shown}");
}

/// A bug strikes when one maintenance is looked at.
struct Buggy {
    db: Db,
    bad: Arc<Mutex<Option<u64>>>,
}

impl Maintaining for Buggy {
    fn maintain_by(
        &self,
        now: Time,
        takes: &mut dyn FnMut(MaintenanceId) -> bool,
    ) -> Arc<RunningMaintenances> {
        let bad = *self.bad.lock().unwrap();
        self.db.maintain_by(now, &mut |id| {
            let is_taken = takes(id);
            assert!(!is_taken || bad != Some(id.0), "nobody can judge this maintenance");
            is_taken
        })
    }
}

#[test]
fn a_maintenance_over_which_turns_panic_is_put_aside_until_it_changes_and_others_are_in_effect() {
    let mut scene = Scene::new();
    let group = scene.create(ObjectKind::HostGroup, &json!({"name": "Servers"})).to_string();
    let hosts = ["first", "second"].map(|name| {
        let fields = json!({"host": name, "groups": [{"groupid": group}]});
        scene.create(ObjectKind::Host, &fields)
    });
    let (ingress, _deliveries) = Ingress::new(1, &scene.clock, &scene.registry);
    let mailbox = bounded("shard", 8, WhenFull::Refuse, &scene.clock, &scene.registry);
    let bad: Arc<Mutex<Option<u64>>> = Arc::default();
    let parts = MaintenanceParts {
        db: scene.db.clone(),
        maintaining: Arc::new(Buggy { db: scene.db.clone(), bad: Arc::clone(&bad) }),
        clock: scene.clock.clone(),
        mailboxes: Mailboxes { queues: Arc::new([mailbox.0]), ingress },
        metrics: MaintenanceMetrics::register(&scene.registry),
    };
    scene.group.add(maintenance::ROW, |wake| MaintenanceTimer::new(parts, wake));
    let fields = |name: &str, host: u64| {
        json!({"name": name, "active_since": "1789990000", "active_till": "1790090000",
            "hosts": [{"hostid": host.to_string()}],
            "timeperiods": [{"timeperiod_type": "0", "start_date": "1789990000",
                "period": "86400"}]})
    };
    let kind = db::objects::maintenance::MAINTENANCE.kind();
    let (of_first, of_second) = (fields("Bad", hosts[0]), fields("Good", hosts[1]));
    *bad.lock().unwrap() = Some(scene.create(kind, &of_first));
    scene.create(kind, &of_second);
    let in_maintenance = |scene: &Scene| -> Vec<u64> {
        let mut hosts: Vec<u64> = scene.db.maintained().hosts().map(|it| it.0).collect();
        hosts.sort_unstable();
        hosts
    };
    scene.pass_until(|it| !in_maintenance(it).is_empty());
    assert_eq!(in_maintenance(&scene), [hosts[1]]);
    let (n, shown) = scene.put_aside("maintenances");
    let id = bad.lock().unwrap().take().unwrap();
    assert_eq!(n, "1");
    assert!(shown.contains(&format!("maintenance {id}")), "{shown}");
    let renamed = json!({"name": "Mended"}).as_object().cloned().unwrap();
    scene.db.edit(Actor::System, |e| e.update(kind, id, renamed)).unwrap();
    scene.pass_until(|it| in_maintenance(it).len() == 2);
}

/// Each item has its number as a text.
struct FakeValues;

impl LastValues for FakeValues {
    fn view(&self) -> Box<dyn Fn(ItemId) -> Option<Value> + '_> {
        Box::new(|item| Some(Value::Text(item.to_string().into())))
    }
}

#[test]
fn a_host_whose_inventory_the_database_refuses_is_put_aside_and_others_are_filled() {
    let mut scene = Scene::new();
    let group = scene.create(ObjectKind::HostGroup, &json!({"name": "Servers"})).to_string();
    let hosts = ["first", "bad", "last"].map(|name| {
        let fields = json!({"host": name, "groups": [{"groupid": group}], "inventory_mode": "1"});
        let host = scene.create(ObjectKind::Host, &fields);
        let item = json!({"hostid": host.to_string(), "name": "k", "key_": "k", "type": "2",
            "value_type": "4", "inventory_link": "3"});
        scene.create(ObjectKind::Item, &item);
        host
    });
    let path = scene.folder.path().join("saker.db");
    let refused = hosts[1];
    let refusal = format!(
        "create trigger refuse before insert on host_inventory when new.hostid = {refused} \
         begin select raise(abort, 'it is bad'); end"
    );
    rusqlite::Connection::open(path).unwrap().execute_batch(&refusal).unwrap();
    let parts = FillerParts {
        db: scene.db.clone(),
        values: Arc::new(FakeValues),
        clock: scene.clock.clone(),
        metrics: InventoryMetrics::register(&scene.registry),
    };
    scene.group.add(inventory::ROW, |_| InventoryFiller::new(parts));
    let filled = |scene: &Scene| -> Vec<u64> {
        scene.db.snapshot().inventories.keys().map(|it| it.0).collect()
    };
    scene.pass_until(|it| filled(it).len() == 2);
    assert_eq!(filled(&scene), [hosts[0], hosts[2]]);
    let (n, shown) = scene.put_aside("inventories");
    assert_eq!(n, "1");
    assert!(shown.contains(&format!("the inventory of host {refused}")), "{shown}");
}

/// A table elsewhere that refuses the row of one key.
#[derive(Default)]
struct FakeStore {
    rows: Mutex<Vec<(ItemId, String)>>,
}

impl NameTable for FakeStore {
    fn directory(&self) -> Result<Vec<ItemId>, history::Error> {
        Ok(self.rows.lock().unwrap().iter().map(|it| it.0).collect())
    }

    fn write_directory(
        &self,
        rows: &[DirectoryRow],
        gone: &[ItemId],
    ) -> Result<(), history::Error> {
        if rows.iter().any(|it| it.key == "bad") {
            return Err(history::Error::Refused { reason: "the key is bad".into() });
        }
        let mut written = self.rows.lock().unwrap();
        written.retain(|it| !gone.contains(&it.0) && rows.iter().all(|row| row.item != it.0));
        written.extend(rows.iter().map(|it| (it.item, it.key.clone())));
        Ok(())
    }
}

#[test]
fn an_item_whose_name_a_store_refuses_is_put_aside_and_others_are_written() {
    let mut scene = Scene::new();
    let group = scene.create(ObjectKind::HostGroup, &json!({"name": "Servers"})).to_string();
    let fields = json!({"host": "web", "groups": [{"groupid": group}]});
    let host = scene.create(ObjectKind::Host, &fields);
    let item = |key: &str| {
        json!({"hostid": host.to_string(), "name": key, "key_": key, "type": "2",
            "value_type": "3"})
    };
    for key in ["first", "bad", "last"] {
        scene.create(ObjectKind::Item, &item(key));
    }
    let store: Arc<FakeStore> = Arc::default();
    let (db, clock, of_worker) = (scene.db.clone(), scene.clock.clone(), Arc::clone(&store));
    let row = item_directory::row("clickhouse");
    scene.group.add(row, |wake| ItemDirectory::new(of_worker, db, clock, wake));
    scene.run();
    let keys =
        || -> Vec<String> { store.rows.lock().unwrap().iter().map(|it| it.1.clone()).collect() };
    assert_eq!(keys(), ["first", "last"]);
    let (n, shown) = scene.put_aside("directory-clickhouse");
    assert_eq!(n, "1");
    assert!(shown.contains("the name of item "), "{shown}");
    scene.create(ObjectKind::Item, &item("later"));
    scene.run();
    assert_eq!(keys(), ["first", "last", "later"]);
}
