//! The first page's figures: the hosts and problems that the user may see, and the server itself.
//!
//! Computed once for all users with the same permissions. Pages on the live stream get all of it first and
//! the differences then: fields of `system`, lists that changed, and the new points of the graph. Figures are
//! rounded to what a page shows, so that an idle server has nothing to send.

use std::sync::{Arc, OnceLock};

use db::Problem;
use db::{ProblemScope, ReadScope};
use model::ItemId;
use model::snapshot::{Host, ItemRow, Snapshot};
use serde_json::{Map, Value, json};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::feed::index::{Counts, ProblemIndex, VisibleAudiences};
use super::problems;
use crate::objects::common::holder;
use crate::objects::common::items;
use crate::objects::common::scope::is_monitored;
use crate::objects::common::triggers;
use crate::objects::problems::opdata::Opdata;
use crate::ports::{Figures, Nvps};
use crate::shared::{ApiState, ExpandContext};

/// The greatest age of an overview in an answer.
pub(super) const FRESH_NS: u64 = 2_000_000_000;

/// Counting unsupported items reads each of them: users who may see a part of the hosts get it this often.
const UNSUPPORTED_NS: u64 = 30_000_000_000;

const WORST: usize = 10;

/// State kept from one overview of a scope to the next.
#[derive(Debug, Default)]
pub(super) struct Overviews {
    objects: Option<Objects>,
    availability: Option<Availability>,
    unsupported: Option<Unsupported>,
    /// Worst problems at a version of the index.
    worst: Option<(u64, Vec<Arc<Problem>>)>,
    newest: Option<Arc<Overview>>,
    /// When the newest was found to be still right.
    checked_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Objects {
    epoch: u64,
    hosts: u64,
    /// Enabled items of monitored hosts.
    items: u64,
    triggers: u64,
}

/// Hosts that answer, and hosts of which an interface or the active agent does not.
#[derive(Clone, Copy, Debug)]
struct Availability {
    /// Of the configuration, and of the interfaces' states.
    as_of: (u64, u64),
    available: u64,
    unavailable: u64,
}

#[derive(Clone, Copy, Debug)]
struct Unsupported {
    counted_ns: u64,
    n: u64,
}

/// An overview as it was published.
#[derive(Debug)]
pub(super) struct Overview {
    /// Grows by one each time that something changed.
    n: u64,
    fields: Map<String, Value>,
    nvps: Nvps,
    whole: OnceLock<Utf8Bytes>,
    /// The differences from the previous one.
    change: Utf8Bytes,
}

/// The user of an overview.
pub(super) struct Viewer<'a> {
    pub(super) shared: &'a ApiState,
    pub(super) snapshot: &'a Snapshot,
    pub(super) scope: &'a ProblemScope,
    pub(super) index: &'a ProblemIndex,
    pub(super) visible: &'a VisibleAudiences,
}

impl Overviews {
    /// The overview, no older than that. The second: it is another than before.
    pub(super) fn get(&mut self, viewer: &Viewer<'_>, age_ns_max: u64) -> (Arc<Overview>, bool) {
        let now_ns = viewer.shared.clock.mono_ns();
        if let Some(newest) = &self.newest
            && now_ns < self.checked_ns.saturating_add(age_ns_max)
        {
            return (Arc::clone(newest), false);
        }
        self.checked_ns = now_ns;
        let (fields, nvps) = (self.fields(viewer, now_ns), viewer.shared.ports.process.nvps());
        let before = self.newest.as_ref();
        let change = before.and_then(|it| it.difference(&fields, &nvps));
        if let (Some(before), None) = (before, &change) {
            return (Arc::clone(before), false);
        }
        let overview = Arc::new(Overview {
            n: before.map_or(0, |it| it.n) + 1,
            fields,
            nvps,
            whole: OnceLock::new(),
            change: change.unwrap_or_default(),
        });
        self.newest = Some(Arc::clone(&overview));
        (overview, true)
    }

    fn fields(&mut self, viewer: &Viewer<'_>, now_ns: u64) -> Map<String, Value> {
        let process = &viewer.shared.ports.process;
        let figures = process.figures();
        let objects = self.objects(viewer);
        let Availability { available, unavailable, .. } = self.availability(viewer);
        let unsupported = self.unsupported(viewer, &figures, now_ns).min(objects.items);
        let shards = figures.shards.iter().map(
            |it| json!({"id": it.id, "busy_percent": tenths(it.busy_percent), "queue": it.queue}),
        );
        let system = json!({
            "version": process.version(),
            "state": process.said(),
            "uptime_s": figures.uptime_s,
            "hosts_total": objects.hosts,
            "hosts_available": available,
            "hosts_unavailable": unavailable,
            "items_total": objects.items,
            "items_supported": objects.items - unsupported,
            "items_unsupported": unsupported,
            "triggers_total": objects.triggers,
            "values_total": figures.values_total,
            "values_per_second": tenths(figures.values_per_second),
            "required_values_per_second": tenths(figures.required_values_per_second),
            "journal": {"bytes": figures.journal_bytes, "lag_ms": figures.journal_lag_ms},
            "shards": shards.collect::<Vec<Value>>(),
            "queue_overdue": figures.queue_overdue,
            "memory_bytes": figures.memory_bytes >> 20 << 20,
            "cpu_percent": tenths(figures.cpu_percent),
        });
        let mut fields = Map::new();
        fields.insert("system".to_owned(), system);
        let counts = by_severity(&viewer.index.counts(viewer.visible));
        fields.insert("problems_by_severity".to_owned(), counts);
        fields.insert("worst_problems".to_owned(), self.worst(viewer));
        fields
    }

    fn objects(&mut self, viewer: &Viewer<'_>) -> Objects {
        let epoch = viewer.snapshot.epoch;
        if let Some(known) = self.objects.filter(|it| it.epoch == epoch) {
            return known;
        }
        let mut objects = Objects { epoch, hosts: 0, items: 0, triggers: 0 };
        for host in viewer.hosts() {
            objects.hosts += 1;
            if is_monitored(host) {
                objects.items += count(enabled_items(host));
                objects.triggers +=
                    count(triggers::live(host).filter(|it| triggers::is_enabled(it)));
            }
        }
        self.objects = Some(objects);
        objects
    }

    fn availability(&mut self, viewer: &Viewer<'_>) -> Availability {
        let states = viewer.shared.db.availability();
        let as_of = (viewer.snapshot.epoch, states.version());
        if let Some(known) = self.availability.filter(|it| it.as_of == as_of) {
            return known;
        }
        let mut found = Availability { as_of, available: 0, unavailable: 0 };
        for host in viewer.hosts().filter(|it| is_monitored(it)) {
            match holder::availability(states, host) {
                1 => found.available += 1,
                2 => found.unavailable += 1,
                _ => {}
            }
        }
        self.availability = Some(found);
        found
    }

    fn unsupported(&mut self, viewer: &Viewer<'_>, figures: &Figures, now_ns: u64) -> u64 {
        if viewer.scope.hosts == ReadScope::All {
            return figures.items_unsupported;
        }
        let is_fresh = |it: &Unsupported| now_ns < it.counted_ns.saturating_add(UNSUPPORTED_NS);
        if let Some(known) = self.unsupported.filter(is_fresh) {
            return known.n;
        }
        let items = viewer.shared.ports.live.unsupported();
        let n = count(items.into_iter().filter(|it| viewer.counts(*it)));
        self.unsupported = Some(Unsupported { counted_ns: now_ns, n });
        n
    }

    fn worst(&mut self, viewer: &Viewer<'_>) -> Value {
        let version = viewer.index.version();
        if self.worst.as_ref().is_none_or(|(as_of, _)| *as_of != version) {
            let ids = viewer.index.worst(viewer.visible, WORST);
            let found = ids.into_iter().filter_map(|it| viewer.shared.db.events().problem(it));
            self.worst = Some((version, found.collect()));
        }
        let now = viewer.shared.clock.wall();
        let view = ExpandContext { shared: viewer.shared, snapshot: viewer.snapshot, now };
        // Operational data changes without the problems.
        let opdata = Opdata::default();
        let worst = self.worst.iter().flat_map(|it| &it.1);
        worst.filter_map(|it| problems::row(view, &opdata, it)).collect()
    }
}

impl Viewer<'_> {
    fn hosts(&self) -> impl Iterator<Item = &Host> {
        let hosts = self.snapshot.hosts.values().map(|it| &**it);
        hosts.filter(|it| self.scope.hosts.admits(&it.groups))
    }

    /// Whether an item is among those that are counted.
    fn counts(&self, item: ItemId) -> bool {
        let found = self.snapshot.item(item);
        found.is_some_and(|(host, item)| {
            is_counted(item) && is_monitored(host) && self.scope.hosts.admits(&host.groups)
        })
    }
}

fn is_counted(item: &ItemRow) -> bool {
    items::is_item(item.flags) && items::is_enabled(item)
}

fn enabled_items(host: &Host) -> impl Iterator<Item = &ItemRow> {
    host.items.iter().filter(|it| is_counted(it))
}

fn count(of: impl Iterator) -> u64 {
    u64::try_from(of.count()).unwrap_or(u64::MAX)
}

/// A share or a rate as pages show it.
fn tenths(it: f64) -> f64 {
    (it * 10.0).round() / 10.0
}

impl Overview {
    /// All of it.
    pub(super) fn whole(&self) -> Utf8Bytes {
        let text = || {
            let mut fields = self.fields.clone();
            fields.insert("type".to_owned(), json!("overview"));
            fields.insert("nvps".to_owned(), json!({"t": self.nvps.times, "v": self.nvps.values}));
            Utf8Bytes::from(Value::Object(fields).to_string())
        };
        self.whole.get_or_init(text).clone()
    }

    /// The message for a client that has `before`.
    pub(super) fn since(&self, before: &Self) -> Option<Utf8Bytes> {
        if before.n + 1 == self.n {
            return Some(self.change.clone());
        }
        before.difference(&self.fields, &self.nvps)
    }

    /// `{"type":"overview","changed":{…}}`; `None`: nothing is different.
    fn difference(&self, fields: &Map<String, Value>, nvps: &Nvps) -> Option<Utf8Bytes> {
        let mut changed = Map::new();
        for (name, value) in fields {
            let before = self.fields.get(name);
            if before == Some(value) {
                continue;
            }
            let value = match (before, value) {
                (Some(Value::Object(before)), Value::Object(now)) => different(before, now),
                _ => Some(value.clone()),
            };
            if let Some(value) = value {
                changed.insert(name.clone(), value);
            }
        }
        if let Some(points) = new_points(&self.nvps, nvps) {
            changed.insert("nvps".to_owned(), points);
        }
        if changed.is_empty() {
            return None;
        }
        // No reason for a message by itself, but sent with each other change.
        let uptime = |of: &Map<String, Value>| of.get("system")?.get("uptime_s").cloned();
        if let Some(uptime) = uptime(fields).filter(|it| uptime(&self.fields).as_ref() != Some(it))
        {
            changed.entry("system").or_insert_with(|| json!({}))["uptime_s"] = uptime;
        }
        Some(Utf8Bytes::from(json!({"type": "overview", "changed": changed}).to_string()))
    }
}

/// Fields that are different. The uptime alone is none: pages have a clock.
fn different(before: &Map<String, Value>, now: &Map<String, Value>) -> Option<Value> {
    let differs = |(name, value): &(&String, &Value)| before.get(*name) != Some(value);
    let changed: Map<String, Value> =
        now.iter().filter(differs).map(|(name, it)| (name.clone(), it.clone())).collect();
    let has_changed = changed.keys().any(|it| it != "uptime_s");
    has_changed.then_some(Value::Object(changed))
}

/// The points after the known ones, and the time of the first point that is still shown.
fn new_points(before: &Nvps, now: &Nvps) -> Option<Value> {
    if before == now {
        return None;
    }
    let last = before.times.last().copied().unwrap_or(i64::MIN);
    let known = now.times.partition_point(|it| *it <= last);
    let from = now.times.first().copied().unwrap_or(0);
    Some(json!({
        "from": from,
        "t": now.times.get(known..).unwrap_or_default(),
        "v": now.values.get(known..).unwrap_or_default(),
    }))
}

pub(super) fn by_severity(counts: &Counts) -> Value {
    let counts = counts.iter().enumerate().map(|(severity, it)| {
        json!({"severity": severity, "total": it.total, "acknowledged": it.acknowledged})
    });
    counts.collect()
}
