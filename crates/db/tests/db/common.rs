//! One test, both databases; and after each, the proof that tables and memory say the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use db::{Actor, ConfigError, Db, DbSettings, Editor, Location, ObjectKind};
use model::snapshot::{Host, ItemRow, Snapshot, TriggerRow};
use model::{HostId, ItemId, Time, TriggerId};
use peers::Line;
use serde_json::{Map, Value as Json, json};

pub(crate) const LINUX_SERVERS: &str = "2";
pub(crate) const TEMPLATES: &str = "1";
pub(crate) const NOW: Time = Time(1_700_000_000_000_000_000);

/// A database of its own for one test.
pub(crate) struct Store {
    pub(crate) db: Db,
    pub(crate) settings: DbSettings,
    _home: Home,
}

/// Resources that are freed when the test ends.
enum Home {
    Folder(#[expect(dead_code, reason = "deleted when dropped")] tempfile::TempDir),
    Postgres { url: String, schema: String },
}

/// Runs a test on SQLite, and on PostgreSQL where `SAKER_TEST_POSTGRES` names a server.
pub(crate) fn on_both(test: impl Fn(&mut Store)) {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("saker.db"));
    run(location, Home::Folder(folder), &test);
    match std::env::var("SAKER_TEST_POSTGRES") {
        Ok(url) => {
            let schema = make_schema(&url);
            let mark = if url.contains('?') { '&' } else { '?' };
            let location =
                Location::Postgres(format!("{url}{mark}options=-csearch_path%3D{schema}"));
            run(location, Home::Postgres { url, schema }, &test);
        }
        Err(_) => peers::left_out("SAKER_TEST_POSTGRES is not set"),
    }
}

fn run(location: Location, home: Home, test: &impl Fn(&mut Store)) {
    println!("on {location}");
    let settings = DbSettings::new(location);
    let mut store = Store { db: Db::open(&settings).unwrap(), settings, _home: home };
    test(&mut store);
    store.reopen();
}

/// A PostgreSQL with a schema of its own, by way of a line that the test may cut; `None`, with a
/// word, where `SAKER_TEST_POSTGRES` names no server.
pub(crate) fn on_cut_postgres(test: impl FnOnce(&mut Store, &Line)) {
    let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
        peers::left_out("SAKER_TEST_POSTGRES is not set");
        return;
    };
    let schema = make_schema(&url);
    let config: postgres::Config = url.parse().unwrap();
    let [postgres::config::Host::Tcp(host)] = config.get_hosts() else { panic!("no host: {url}") };
    let address = format!("{host}:{}", config.get_ports()[0]);
    let line = Line::to(address.parse().unwrap());
    let through = url.replace(&address, &line.address.to_string());
    assert_ne!(through, url);
    let mark = if url.contains('?') { '&' } else { '?' };
    let location = format!("{through}{mark}options=-csearch_path%3D{schema}");
    let settings = DbSettings::new(Location::Postgres(location));
    let (db, home) = (Db::open(&settings).unwrap(), Home::Postgres { url, schema });
    let mut store = Store { db, settings, _home: home };
    test(&mut store, &line);
    store.reopen();
}

/// A schema of its own: much quicker to make than a database.
fn make_schema(url: &str) -> String {
    static N: AtomicU32 = AtomicU32::new(0);
    let n = N.fetch_add(1, Ordering::Relaxed);
    let name = format!("saker_test_{}_{n}", std::process::id());
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    client.batch_execute(&format!("create schema {name}")).unwrap();
    name
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Self::Postgres { url, schema } = self {
            let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
            let quiet = "set client_min_messages = warning";
            client.batch_execute(&format!("{quiet}; drop schema {schema} cascade")).unwrap();
        }
    }
}

impl Store {
    /// Closes the database and loads it again: it must say what memory said.
    pub(crate) fn reopen(&mut self) {
        self.wait_for_deferred_writes();
        let before = self.db.snapshot();
        let reopened = Db::open(&self.settings).unwrap();
        assert_same(&before, &reopened.snapshot());
        self.db = reopened;
    }

    /// Nobody waits for failed logins and records of the audit log.
    #[expect(clippy::disallowed_methods, reason = "the thread that saves keeps real time")]
    fn wait_for_deferred_writes(&self) {
        let waiting = || self.settings.registry.value("saker_db_behind_waiting", None).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while 0.0 < waiting() {
            assert!(Instant::now() < deadline, "{} wait for the database", waiting());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn edit<T>(&self, change: impl FnOnce(&mut Editor) -> Result<T, ConfigError>) -> T {
        self.db.edit(Actor::System, change).unwrap()
    }

    /// The text of the error that a change must end with.
    pub(crate) fn refused<T>(
        &self,
        change: impl FnOnce(&mut Editor) -> Result<T, ConfigError>,
    ) -> String {
        let before = self.db.snapshot();
        let error = self.db.edit(Actor::System, change).err().expect("the change is refused");
        assert!(Arc::ptr_eq(&before, &self.db.snapshot()), "a refused change changes nothing");
        error.text()
    }

    pub(crate) fn create(&self, kind: ObjectKind, request: Json) -> u64 {
        self.edit(|e| e.create(kind, fields(request)))
    }

    pub(crate) fn update(&self, kind: ObjectKind, id: u64, request: Json) {
        self.edit(|e| e.update(kind, id, fields(request)));
    }

    pub(crate) fn delete(&self, kind: ObjectKind, id: u64) {
        self.edit(|e| e.delete(kind, &[id]));
    }

    /// A host with an agent interface.
    pub(crate) fn host(&self, name: &str, templates: &[HostId]) -> HostId {
        HostId(self.create(ObjectKind::Host, host_fields(name, templates)))
    }

    pub(crate) fn template(&self, name: &str, templates: &[HostId]) -> HostId {
        HostId(self.create(ObjectKind::Template, template_fields(name, templates)))
    }

    pub(crate) fn item(&self, holder: HostId, key: &str) -> ItemId {
        ItemId(self.create(ObjectKind::Item, item_fields(holder, key)))
    }

    pub(crate) fn dependent(&self, holder: HostId, key: &str, master: ItemId) -> ItemId {
        ItemId(self.create(ObjectKind::Item, dependent_fields(holder, key, master)))
    }

    pub(crate) fn trigger(&self, name: &str, expression: &str) -> TriggerId {
        let request = json!({"description": name, "expression": expression, "priority": "3"});
        TriggerId(self.create(ObjectKind::Trigger, request))
    }

    pub(crate) fn holder(&self, id: HostId) -> Arc<Host> {
        Arc::clone(self.db.snapshot().holder(id).expect("the holder is there"))
    }

    pub(crate) fn by_key(&self, holder: HostId, key: &str) -> ItemRow {
        let holder = self.holder(holder);
        holder
            .item_by_key(key)
            .unwrap_or_else(|| panic!("{key} is there: {}", keys(&holder)))
            .clone()
    }

    pub(crate) fn has_key(&self, holder: HostId, key: &str) -> bool {
        self.holder(holder).item_by_key(key).is_some()
    }

    pub(crate) fn by_name(&self, holder: HostId, name: &str) -> TriggerRow {
        let holder = self.holder(holder);
        let row = holder.triggers.iter().find(|it| it.name() == name);
        row.unwrap_or_else(|| panic!("trigger {name} is there")).clone()
    }

    pub(crate) fn has_trigger(&self, holder: HostId, name: &str) -> bool {
        self.holder(holder).triggers.iter().any(|it| it.name() == name)
    }

    pub(crate) fn link(&self, holder: HostId, templates: &[HostId]) {
        self.edit(|e| e.link(&[holder], templates));
    }

    pub(crate) fn unlink(&self, holder: HostId, templates: &[HostId], clear: bool) {
        self.edit(|e| e.unlink(&[holder], templates, clear));
    }
}

pub(crate) fn keys(holder: &Host) -> String {
    let keys: Vec<_> = holder.items.iter().map(ItemRow::key).collect();
    keys.join(", ")
}

pub(crate) fn fields(request: Json) -> Map<String, Json> {
    match request {
        Json::Object(it) => it,
        other => panic!("not an object: {other}"),
    }
}

fn template_list(templates: &[HostId]) -> Json {
    templates.iter().map(|it| json!({"templateid": it.to_string()})).collect()
}

pub(crate) fn host_fields(name: &str, templates: &[HostId]) -> Json {
    json!({
        "host": name,
        "groups": [{"groupid": LINUX_SERVERS}],
        "interfaces": [{
            "type": "1", "main": "1", "useip": "1", "ip": "127.0.0.1", "dns": "", "port": "10050"
        }],
        "templates": template_list(templates),
    })
}

pub(crate) fn template_fields(name: &str, templates: &[HostId]) -> Json {
    json!({
        "host": name,
        "groups": [{"groupid": TEMPLATES}],
        "templates": template_list(templates),
    })
}

pub(crate) fn item_fields(holder: HostId, key: &str) -> Json {
    json!({
        "hostid": holder.to_string(), "name": format!("Name of {key}"), "key_": key, "type": "0",
        "value_type": "3", "delay": "1m",
    })
}

pub(crate) fn dependent_fields(holder: HostId, key: &str, master: ItemId) -> Json {
    json!({
        "hostid": holder.to_string(), "name": key, "key_": key, "type": "18", "value_type": "3",
        "master_itemid": master.to_string(),
    })
}

/// Equal in everything but addresses and the bounds of runs.
pub(crate) fn assert_same(one: &Snapshot, two: &Snapshot) {
    assert_eq!(one.epoch, two.epoch);
    let parts = |it: &Snapshot| {
        vec![
            format!("{:#?}", it.host_groups),
            format!("{:#?}", it.template_groups),
            format!("{:#?}", it.hosts),
            format!("{:#?}", it.templates),
            format!("{:#?}", it.host_by_name),
            format!("{:#?}", it.template_by_name),
            format!("{:#?}", it.linked_to),
            format!("{:#?}", it.interface_owner),
            format!("{:#?}", it.valuemap_owner),
            format!("{:#?}", it.inventories),
            format!("{:#?}", it.globals),
            format!("{:#?}", it.access),
            format!("{:#?}", it.documents),
            format!("{:#?}", it.shared_keys),
        ]
    };
    for (one, two) in parts(one).iter().zip(parts(two)) {
        if *one != two {
            let differing =
                one.lines().zip(two.lines()).enumerate().find(|(_, (one, two))| one != two);
            panic!("memory and tables differ: {differing:?}");
        }
    }
    for snapshot in [one, two] {
        check_lookups(snapshot);
    }
}

/// Every id leads to its holder, rows are sorted, references resolve.
fn check_lookups(snapshot: &Snapshot) {
    for holder in snapshot.hosts.values().chain(snapshot.templates.values()) {
        check_items(snapshot, holder);
        check_triggers(snapshot, holder);
        check_graphs(snapshot, holder);
    }
    for (template, holders) in &snapshot.linked_to {
        for holder in holders.iter() {
            assert!(snapshot.holder(*holder).unwrap().templates.contains(template));
        }
    }
}

fn check_items(snapshot: &Snapshot, holder: &Arc<Host>) {
    assert!(holder.items.windows(2).all(|it| it[0].id < it[1].id), "items are sorted");
    for row in &holder.items {
        assert_eq!(snapshot.item_holder(row.id).map(|it| it.id), Some(holder.id));
        let references = [row.content.master_itemid, row.content.ruleid];
        for reference in references.into_iter().filter(|it| it.is_some()) {
            let of = snapshot.item_by_ref(holder, reference).map(|(it, _)| it.id);
            assert_eq!(of, Some(holder.id), "{reference} in {} of {}", row.key(), holder.host);
        }
    }
}

fn check_triggers(snapshot: &Snapshot, holder: &Arc<Host>) {
    assert!(holder.triggers.windows(2).all(|it| it[0].id < it[1].id), "triggers are sorted");
    for row in &holder.triggers {
        assert_eq!(snapshot.trigger(row.id).map(|(it, _)| it.id), Some(holder.id));
        for function in &row.content.functions {
            assert!(snapshot.item_by_ref(holder, function.item).is_some(), "{}", row.name());
        }
    }
}

fn check_graphs(snapshot: &Snapshot, holder: &Arc<Host>) {
    assert!(holder.graphs.windows(2).all(|it| it[0].id < it[1].id), "graphs are sorted");
    for row in &holder.graphs {
        assert_eq!(snapshot.graph(row.id).map(|(it, _)| it.id), Some(holder.id));
        assert!(!row.content.gitems.is_empty(), "{} shows something", row.name());
        for item in row.content.items() {
            assert!(snapshot.item_by_ref(holder, item).is_some(), "{}", row.name());
        }
    }
}
