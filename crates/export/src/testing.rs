//! Common parts of the tests of this crate: a small configuration, and a journal in memory.

use std::path::Path;
use std::sync::{Arc, Mutex};

use disk::MemDisk;
use jiff::tz::TimeZone;
use journal::Journal;
use lang::tags::TagFilter;
use model::content::{
    FunctionRef, Group, HostMacro, ItemContent, ItemFlags, MacroType, Tag, TriggerContent,
};
use model::record::{RecordBuilder, RecordHead};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::{GroupId, HostId, HostMacroId, ItemId, Time, TriggerId, ValueType};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::task::Tasks;
use rt::worker::{GroupContext, Roster, WorkerMetrics};

use crate::feed::{ExportFeed, ExportTurn, FeedParts};
use crate::http::{ClientCertificate, DeliveryClient, DeliveryRequest, DeliveryResponse};
use crate::ports::{ExportConfiguration, ExportPlace, PlaceError, PlaceStore};
use crate::registry::{Exports, LagLimits, WhenBehind};
use crate::targets::{Auth, ConnectorDataType, ConnectorSettings, ExportTarget};

pub(crate) const ITEM: ItemId = ItemId(7);
pub(crate) const TEXT: ItemId = ItemId(8);
pub(crate) const LOG: ItemId = ItemId(9);
pub(crate) const TRIGGER: TriggerId = TriggerId(20);

/// A configuration that tests change.
pub(crate) struct Fixed {
    snapshot: Mutex<Arc<Snapshot>>,
    zone: TimeZone,
}

impl Fixed {
    pub(crate) fn new(snapshot: Snapshot) -> Arc<Self> {
        Arc::new(Self { snapshot: Mutex::new(Arc::new(snapshot)), zone: TimeZone::UTC })
    }

    pub(crate) fn set(&self, snapshot: Snapshot) {
        *self.snapshot.lock().expect("sound") = Arc::new(snapshot);
    }
}

impl ExportConfiguration for Fixed {
    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.lock().expect("sound"))
    }

    fn zone(&self) -> &TimeZone {
        &self.zone
    }

    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        if named == "a:b" { Ok("of the vault".into()) } else { Err(format!("no {named}")) }
    }
}

fn row(id: ItemId, key: &str, name: &str, value_type: ValueType) -> ItemRow {
    let tags = vec![Tag { tag: "component".to_owned(), value: "cpu".to_owned() }];
    let content = ItemContent {
        key_: key.to_owned(),
        name: name.to_owned(),
        value_type,
        tags,
        ..ItemContent::default()
    };
    ItemRow {
        id,
        source: ItemId::NONE,
        content: Arc::new(content),
        extra: None,
        flags: ItemFlags::Plain,
    }
}

fn add(snapshot: &mut Snapshot, host: Host) {
    for it in &host.items {
        snapshot.item_runs.insert(it.id, (it.id, host.id));
    }
    for it in &host.triggers {
        snapshot.trigger_runs.insert(it.id, (it.id, host.id));
    }
    snapshot.hosts.insert(host.id, Arc::new(host));
}

/// Two hosts in two groups, items of all kinds on the first, a trigger over both.
pub(crate) fn configuration() -> Snapshot {
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    for (id, name) in [(2, "Linux servers"), (3, "Web")] {
        let group = Group { name: name.to_owned(), uuid: String::new() };
        snapshot.host_groups.insert(GroupId(id), Arc::new(group));
    }
    let mut web = Host::new(HostId(1), HolderKind::Host, "web1".into(), "Web 1".into());
    web.groups = vec![GroupId(2), GroupId(3)];
    web.macros = vec![HostMacro {
        name: "{$WHERE}".to_owned(),
        value: "Web 1".to_owned(),
        kind: MacroType::Text,
        hostmacroid: HostMacroId(1),
        description: String::new(),
    }];
    web.items = vec![
        row(ITEM, "system.cpu.util[,idle]", "CPU of {$WHERE}", ValueType::Float),
        row(TEXT, "text", "Text", ValueType::Text),
        row(LOG, "log[a]", "Log", ValueType::Log),
    ];
    let mut db = Host::new(HostId(4), HolderKind::Host, "db1".into(), "DB".into());
    db.groups = vec![GroupId(2)];
    db.items = vec![row(ItemId(11), "load", "Load", ValueType::Float)];
    let function =
        |item| FunctionRef { item, function: "last".to_owned(), parameter: "$".to_owned() };
    let content = TriggerContent {
        functions: vec![function(ITEM), function(ItemId(11)), function(ITEM)],
        ..TriggerContent::default()
    };
    web.triggers = vec![TriggerRow {
        id: TRIGGER,
        source: TriggerId::NONE,
        content: Arc::new(content),
        extra: None,
        flags: ItemFlags::Plain,
    }];
    add(&mut snapshot, web);
    add(&mut snapshot, db);
    snapshot
}

pub(crate) fn journal_on(disk: &MemDisk) -> Journal {
    let settings =
        journal::JournalSettings { file_bytes: 4_000, ..journal::JournalSettings::default() };
    Journal::open(Arc::new(disk.clone()), Path::new("/journal"), settings).expect("opens").0
}

/// Appends a record with one number of [`ITEM`], synced.
pub(crate) fn append(journal: &Journal, now: Time, value: f64) {
    let mut record = RecordBuilder::new();
    record.start(RecordHead { now, ..RecordHead::default() });
    record.float(ITEM, now, value);
    journal.append(record.finish(), 0).expect("a sound disk");
    journal.sync_once().expect("a sound disk");
}

/// A place in memory that outlives its feed.
#[derive(Clone, Default)]
pub(crate) struct MemPlace(pub(crate) Arc<Mutex<Option<ExportPlace>>>);

impl PlaceStore for MemPlace {
    fn load(&mut self) -> Result<Option<ExportPlace>, PlaceError> {
        Ok(*self.0.lock().expect("sound"))
    }

    fn save(&mut self, place: ExportPlace) -> Result<(), PlaceError> {
        *self.0.lock().expect("sound") = Some(place);
        Ok(())
    }

    fn forget(&mut self) -> Result<(), PlaceError> {
        *self.0.lock().expect("sound") = None;
        Ok(())
    }
}

/// A receiver in memory: its requests, and its responses.
pub(crate) struct Receiver {
    pub(crate) got: Mutex<Vec<(String, Vec<u8>)>>,
    answer: Box<Answer>,
}

type Answer = dyn Fn(&DeliveryRequest<'_>) -> Result<DeliveryResponse, String> + Send + Sync;

impl Receiver {
    pub(crate) fn new(
        answer: impl Fn(&DeliveryRequest<'_>) -> Result<DeliveryResponse, String>
        + Send
        + Sync
        + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { got: Mutex::default(), answer: Box::new(answer) })
    }

    pub(crate) fn bodies(&self) -> Vec<Vec<u8>> {
        self.got.lock().expect("sound").iter().map(|it| it.1.clone()).collect()
    }
}

impl DeliveryClient for Receiver {
    fn exchange(&self, request: &DeliveryRequest<'_>) -> Result<DeliveryResponse, String> {
        let answer = (self.answer)(request)?;
        if (200..300).contains(&answer.status) {
            self.got.lock().expect("sound").push((request.url.to_owned(), request.body.to_vec()));
        }
        Ok(answer)
    }
}

pub(crate) fn answer(status: u16, body: &str) -> Result<DeliveryResponse, String> {
    Ok(DeliveryResponse { status, body: body.as_bytes().to_vec() })
}

/// A journal, targets behind it, and a clock.
pub(crate) struct Bench {
    pub(crate) journal: Journal,
    pub(crate) clock: Clock,
    pub(crate) registry: Registry,
    pub(crate) health: Health,
    pub(crate) exports: Exports,
    pub(crate) configuration: Arc<Fixed>,
}

pub(crate) const NOW: Time = Time(1_519_304_285_000_000_000);

impl Bench {
    pub(crate) fn new(limits: LagLimits) -> Self {
        let disk = MemDisk::new(7);
        let (journal, registry, health) = (journal_on(&disk), Registry::new(), Health::default());
        let exports = Exports::new(journal.clone(), limits, (&registry, &health));
        let configuration = Fixed::new(configuration());
        Self { journal, clock: Clock::manual(NOW), registry, health, exports, configuration }
    }

    pub(crate) fn feed(&self, target: Box<dyn ExportTarget>) -> ExportFeed {
        let parts = FeedParts {
            exports: self.exports.clone(),
            clock: self.clock.clone(),
            kind: "files",
            name: "files".to_owned(),
        };
        ExportFeed::new(parts, target)
    }

    pub(crate) fn append(&self, values: std::ops::Range<u32>) {
        for value in values {
            append(&self.journal, self.clock.wall(), f64::from(value));
        }
    }

    /// A counter, as it is shown.
    pub(crate) fn metric(&self, name: &str) -> String {
        self.registry.value(name, Some("files")).unwrap_or(0.0).to_string()
    }
}

/// The surroundings of workers of targets.
pub(crate) fn workers(bench: &Bench) -> GroupContext {
    GroupContext {
        tasks: Tasks::new("test", &bench.registry),
        clock: bench.clock.clone(),
        health: bench.health.clone(),
        metrics: WorkerMetrics::register(&bench.registry),
        roster: Roster::default(),
    }
}

/// Takes values of all types, one sender, one attempt.
pub(crate) fn connector() -> ConnectorSettings {
    ConnectorSettings {
        data_type: ConnectorDataType::Values,
        url: "http://192.0.2.1/".to_owned(),
        value_types: 31,
        auth: Auth::None,
        max_records: 0,
        max_senders: 1,
        max_attempts: 1,
        attempt_interval: "0s".to_owned(),
        timeout: "5s".to_owned(),
        http_proxy: String::new(),
        tls_verify: true.into(),
        certificate: ClientCertificate::default(),
        tags: TagFilter::default(),
    }
}

impl Default for LagLimits {
    fn default() -> Self {
        let age_max = std::time::Duration::from_secs(3_600);
        Self { bytes_max: u64::MAX, age_max, when_behind: WhenBehind::LeaveBehind }
    }
}

/// Turns until there is nothing more to do, or something is away.
pub(crate) fn run(feed: &mut ExportFeed) -> ExportTurn {
    loop {
        let turn = feed.turn(false);
        if turn != ExportTurn::More {
            return turn;
        }
    }
}

/// The values of lines, in order.
pub(crate) fn values(lines: &[u8]) -> Vec<u64> {
    let text = std::str::from_utf8(lines).expect("text");
    let value = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        line.get("value").and_then(serde_json::Value::as_u64).expect("a whole number")
    };
    text.lines().map(value).collect()
}
