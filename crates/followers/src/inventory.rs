//! Fields of inventories that items fill.
//!
//! Every two seconds, less often where there is much to look at, the last values of the items that
//! fill a field of an automatic inventory are compared with the inventory; differences are written
//! in one edit, which touches nothing but inventories. So the path of values knows nothing of it,
//! values that come in between or say the same cost no write, and there is no queue that could
//! overflow: differences that were not written (a full edit, a database that is away, the end of
//! the process) are found again. It also means that a field is filled as soon as its inventory
//! turns automatic, not with the next value.
//!
//! As in Zabbix, values are written as people read them, by value map and with units, and cut to
//! the length of the field; logs and binary values fill nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use db::{Actor, ConfigError, Db, Delta, Snapshot};
use jiff::tz::TimeZone;
use model::content::{InventoryMode, ItemContent, inventory_field, may_fill_inventory};
use model::map::Set;
use model::snapshot::ItemRow;
use model::{HostId, ItemId, Now, Value};
use rt::clock::Clock;
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::worker::{Next, OnPanic, Worker, WorkerFailure, WorkerRow};

use crate::ports::LastValues;
use crate::quarantine::Quarantine;

/// The interval between two scans of the values. Zabbix writes about once a second.
const SCAN_INTERVAL: Duration = Duration::from_secs(2);
/// A pause lasts at least so many times as long as the scan before it, so that hundreds of thousands
/// of items that fill fields take 2 % of a core.
const PAUSE_FACTOR: u32 = 50;
/// Fields written by one edit: a transaction of some ten milliseconds, so that users need not wait
/// for theirs.
const FILLS_MAX: usize = 2_000;

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "inventories",
    job: "fills fields of automatic inventories with last values",
    woken_by: "the clock, every two seconds or less often",
    waits: "inventories are not filled",
    on_panic: OnPanic::Reload,
};

rt::metrics! {
    /// Fields of inventories that items fill.
    pub struct InventoryMetrics in "saker_inventory" {
        /// Items that fill a field of an automatic inventory.
        pub items: Gauge,
        /// Fields written because a value differed.
        pub fills_total: Counter,
        /// Time of one scan of all values, in seconds.
        pub scan_seconds: TimeHistogram,
    }
}

/// Hosts whose items have to be scanned again.
#[derive(Debug, Default)]
struct Changed(Mutex<BTreeSet<HostId>>);

impl Changed {
    /// Takes note of a change of the configuration.
    fn apply(&self, delta: &Delta) {
        if delta.is_of_inventories() {
            return;
        }
        let mut changed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        changed.extend(delta.hosts_changed.iter().chain(&delta.hosts_removed));
    }

    fn take(&self) -> BTreeSet<HostId> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An item that fills a field.
#[derive(Debug)]
struct Link {
    item: ItemId,
    field: u8,
    /// The value that the field was found to show: while it stays, there is nothing to do.
    shown: Option<Value>,
}

/// A text for a field.
#[derive(PartialEq, Eq, Debug)]
struct Fill {
    host: HostId,
    field: u8,
    text: String,
}

/// The worker.
pub struct InventoryFiller {
    db: Db,
    values: Arc<dyn LastValues>,
    changed: Arc<Changed>,
    clock: Clock,
    metrics: InventoryMetrics,
    zone: TimeZone,
    links: BTreeMap<HostId, Vec<Link>>,
    /// Where the next scan begins: full edits come to all hosts in turn.
    next: HostId,
    quarantine: Quarantine<HostId>,
    /// Hosts that are left out until their configuration changes.
    aside: Set<HostId>,
}

opaque_debug!(InventoryFiller);

/// The parts of [`InventoryFiller`].
pub struct FillerParts {
    pub db: Db,
    pub values: Arc<dyn LastValues>,
    pub clock: Clock,
    pub metrics: InventoryMetrics,
}

opaque_debug!(FillerParts);

impl InventoryFiller {
    /// Hears of changes from now on.
    #[must_use]
    pub fn new(parts: FillerParts) -> Self {
        let FillerParts { db, values, clock, metrics } = parts;
        let changed: Arc<Changed> = Arc::default();
        let of_db = Arc::clone(&changed);
        db.subscribe(Box::new(move |_snapshot, delta| of_db.apply(delta)));
        let (mut links, snapshot) = (BTreeMap::new(), db.snapshot());
        relink(&mut links, &snapshot, snapshot.hosts.keys().copied());
        Self {
            db,
            values,
            changed,
            clock,
            metrics,
            zone: TimeZone::system(),
            links,
            next: HostId::NONE,
            quarantine: Quarantine::default(),
            aside: Set::default(),
        }
    }

    /// Writes what differs.
    fn scan(&mut self) -> Result<(), ConfigError> {
        // The snapshot is at least as new as the changes that were reported.
        let changed = self.changed.take();
        let snapshot = self.db.snapshot();
        self.aside.retain(|it| !changed.contains(it));
        relink(&mut self.links, &snapshot, changed.into_iter());
        self.metrics.items.set_n(self.links.values().map(Vec::len).sum());
        let last = self.values.view();
        let scan = Scan { snapshot: &snapshot, last: &*last, zone: &self.zone };
        let fills_max = if self.quarantine.is_single() { 1 } else { FILLS_MAX };
        let part = ScanPart { from: self.next, fills_max, aside: &self.aside };
        let (fills, next) = scan.differences(&mut self.links, &part, &mut self.quarantine);
        match fills.as_slice() {
            [first, others @ ..] if others.iter().all(|it| it.host == first.host) => {
                self.quarantine.begin(first.host);
            }
            _ => self.quarantine.excuse(),
        }
        if fills.is_empty() {
            self.next = next;
            return Ok(());
        }
        self.db.edit(Actor::System, |e| {
            for it in &fills {
                e.fill_inventory(it.host, it.field, &it.text);
            }
            Ok(())
        })?;
        self.metrics.fills_total.add_n(fills.len());
        self.next = next;
        Ok(())
    }
}

impl Worker for InventoryFiller {
    type Error = String;

    fn turn(&mut self, now: Now) -> Result<Next, String> {
        let scanned = self.scan();
        let took_ns = self.clock.mono_ns().saturating_sub(now.mono_ns);
        self.metrics.scan_seconds.observe_ns(took_ns);
        match scanned {
            Ok(()) => self.quarantine.passed(),
            Err(error) => {
                if error.retry() {
                    self.quarantine.excuse();
                }
                return Err(error.text());
            }
        }
        Ok(Next::after(now, SCAN_INTERVAL.max(Duration::from_nanos(took_ns) * PAUSE_FACTOR)))
    }

    fn reload(&mut self, after: WorkerFailure) -> Result<(), String> {
        self.quarantine.failed();
        if after == WorkerFailure::Panic {
            self.links.clear();
            let snapshot = self.db.snapshot();
            relink(&mut self.links, &snapshot, snapshot.hosts.keys().copied());
        }
        Ok(())
    }

    /// A host whose inventory cannot be filled is left out until its configuration changes.
    fn put_aside(&mut self) -> Option<String> {
        let host = self.quarantine.culprit()?;
        self.aside.insert(host);
        Some(format!("the inventory of host {host}"))
    }
}

/// Which hosts one scan looks at.
struct ScanPart<'a> {
    /// It begins here.
    from: HostId,
    fills_max: usize,
    aside: &'a Set<HostId>,
}

/// The inputs of one scan.
struct Scan<'a> {
    snapshot: &'a Snapshot,
    last: &'a dyn Fn(ItemId) -> Option<Value>,
    zone: &'a TimeZone,
}

impl Scan<'_> {
    /// Last values that differ from inventories, from a host on; and where the next scan begins.
    fn differences(
        &self,
        links: &mut BTreeMap<HostId, Vec<Link>>,
        part: &ScanPart<'_>,
        quarantine: &mut Quarantine<HostId>,
    ) -> (Vec<Fill>, HostId) {
        let mut fills = Vec::new();
        for is_second in [false, true] {
            let links = links.iter_mut().filter(|it| (*it.0 < part.from) == is_second);
            for (host, links) in links.filter(|it| !part.aside.contains(it.0)) {
                if part.fills_max <= fills.len() {
                    return (fills, *host);
                }
                quarantine.begin(*host);
                let inventory = self.snapshot.inventories.get(host);
                for link in links {
                    let stands = inventory.map_or("", |it| it.get(link.field));
                    let text = self.difference(link, stands);
                    fills.extend(text.map(|text| Fill { host: *host, field: link.field, text }));
                }
            }
        }
        (fills, HostId::NONE)
    }

    /// The text of a field if it is not the one that stands there.
    fn difference(&self, link: &mut Link, stands: &str) -> Option<String> {
        let value = (self.last)(link.item)?;
        if link.shown.as_ref() == Some(&value) {
            return None;
        }
        let text = self.text(link, &value)?;
        if text == stands {
            link.shown = Some(value);
            return None;
        }
        Some(text)
    }

    /// The text of a value as a field holds it.
    fn text(&self, link: &Link, value: &Value) -> Option<String> {
        // Kept from before the item's type changed.
        if matches!(value, Value::Log(_)) {
            return None;
        }
        let (_, row) = self.snapshot.item(link.item)?;
        let id = row.content.valuemapid;
        let holder = self.snapshot.valuemap_owner.get(&id);
        let holder = holder.and_then(|it| self.snapshot.holder(*it));
        let map = holder.and_then(|it| it.valuemaps.iter().find(|it| it.valuemapid == id));
        let mappings = map.map(|it| it.mappings.as_slice()).unwrap_or_default();
        let text = lang::value::format(value, &row.content.units, mappings, self.zone);
        let (_, field) = inventory_field(i64::from(link.field))?;
        Some(field.cut(&text).to_owned())
    }
}

/// Scans the items of hosts again.
fn relink(
    links: &mut BTreeMap<HostId, Vec<Link>>,
    snapshot: &Snapshot,
    hosts: impl Iterator<Item = HostId>,
) {
    for id in hosts {
        let host = snapshot.hosts.get(&id);
        let automatic = host.filter(|it| it.inventory_mode == InventoryMode::Automatic);
        let items = automatic.map(|it| it.items.as_slice()).unwrap_or_default();
        let new: Vec<Link> = items.iter().filter_map(link_of).collect();
        if new.is_empty() {
            links.remove(&id);
        } else {
            links.insert(id, new);
        }
    }
}

fn link_of(row: &ItemRow) -> Option<Link> {
    let ItemContent { inventory_link, value_type, .. } = *row.content;
    let (field, _) = inventory_field(inventory_link)?;
    let fills = row.is_live() && may_fill_inventory(value_type);
    fills.then_some(Link { item: row.id, field, shown: None })
}
