//! Keeps the table `item_directory` of a store elsewhere as the configuration is, so that who reads
//! values there finds their names.
//!
//! It is no part of the feed: names follow the configuration of now, values the journal. Written
//! rows are remembered as a number for each item (16 bytes); after a start, and after the store was
//! away, all rows are written once more. A turn is one request.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use db::{Db, Snapshot};
use history::{DirectoryRow, NameTable, Result};
use jiff::tz::TimeZone;
use model::content::ItemFlags;
use model::map::Set;
use model::snapshot::ItemRow;
use model::{ItemId, Now};
use rt::clock::{Clock, nanos};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};

use crate::quarantine::Quarantine;

/// Between two looks at the configuration; more where a look takes long.
const LOOK: Duration = Duration::from_secs(2);
/// A look takes a twentieth of the time at most.
const REST: u32 = 20;
/// The most rows of a request; more take several.
const ROWS_MAX: usize = 10_000;
/// The most items that one turn compares: some ten milliseconds.
const ITEMS_MAX: usize = 50_000;
/// The most items that are put aside. When it is reached, all are tried again.
const ASIDE_MAX: usize = 1_000;

/// In the list of what runs, by the name of the store.
#[must_use]
pub fn row(store: &'static str) -> WorkerRow {
    WorkerRow {
        name: if store == "postgres" { "directory-postgres" } else { "directory-clickhouse" },
        job: "keeps names of items in a store of values elsewhere as the configuration is",
        woken_by: "changes of the configuration",
        waits: "names of items in a store elsewhere are old",
        on_panic: OnPanic::Reload,
    }
}

/// The worker: writes the rows of one store.
pub struct ItemDirectory<S: ?Sized> {
    store: Arc<S>,
    db: Db,
    clock: Clock,
    zone: TimeZone,
    /// Rows of the table, as a number for each item; `None`: not known.
    written: Option<BTreeMap<ItemId, u64>>,
    has_changes: Arc<AtomicBool>,
    look: Option<Look>,
    look_took_ns: u64,
    /// No look begins before, on the monotonic clock.
    rested_ns: u64,
    quarantine: Quarantine<ItemId>,
    /// Items whose rows the store refuses.
    aside: Set<ItemId>,
    /// The store was away: its rows are not known any more.
    is_store_away: bool,
}

impl<S: ?Sized> Debug for ItemDirectory<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemDirectory").finish_non_exhaustive()
    }
}

/// Compares what is written with the configuration.
struct Look {
    snapshot: Arc<Snapshot>,
    /// To be compared, the last one first.
    left: Vec<ItemId>,
    /// In the table, but no items any more.
    gone: Vec<ItemId>,
}

impl<S: NameTable + Send + Sync + ?Sized> ItemDirectory<S> {
    /// Hears of changes from now on.
    #[must_use]
    pub fn new(store: Arc<S>, db: Db, clock: Clock, wake: &Wake) -> Self {
        let has_changes = Arc::new(AtomicBool::new(true));
        let (of_db, wake) = (Arc::clone(&has_changes), wake.clone());
        db.subscribe(Box::new(move |_snapshot, delta| {
            if !delta.is_of_inventories() {
                of_db.store(true, Ordering::Release);
                wake.wake();
            }
        }));
        Self {
            store,
            db,
            clock,
            zone: TimeZone::system(),
            written: None,
            has_changes,
            look: None,
            look_took_ns: 0,
            rested_ns: 0,
            quarantine: Quarantine::default(),
            aside: Set::default(),
            is_store_away: false,
        }
    }

    fn begin(&self, written: &BTreeMap<ItemId, u64>) -> Look {
        let snapshot = self.db.snapshot();
        let items = snapshot.hosts.values().rev().flat_map(|it| it.items.iter().rev());
        let left = items.filter(|it| is_item(it)).map(|it| it.id).collect();
        let gone = written.keys().filter(|it| !is_listed(&snapshot, **it)).copied().collect();
        Look { snapshot, left, gone }
    }

    /// Makes one request of a comparison; returns whether it is finished. Rows that the store has
    /// not taken are compared again.
    fn step(&mut self) -> Result<bool> {
        let Self { store, zone, quarantine, aside, .. } = self;
        let (Some(look), Some(written)) = (&mut self.look, &mut self.written) else {
            return Ok(true);
        };
        let rows_max = if quarantine.is_single() { 1 } else { ROWS_MAX };
        let (mut rows, mut marks, mut n_seen) = (Vec::new(), Vec::new(), 0);
        for item in look.left.iter().rev().take(ITEMS_MAX) {
            if rows.len() == rows_max {
                break;
            }
            n_seen += 1;
            if aside.contains(item) {
                continue;
            }
            quarantine.begin(*item);
            let Some(row) = row_of(&look.snapshot, *item, zone) else { continue };
            let mark = mark_of(&row);
            if written.get(item) != Some(&mark) {
                rows.push(row);
                marks.push(mark);
            }
        }
        match rows.as_slice() {
            [row] => quarantine.begin(row.item),
            _ => quarantine.excuse(),
        }
        let is_last = n_seen == look.left.len();
        let gone = if is_last { look.gone.as_slice() } else { &[] };
        if !rows.is_empty() || !gone.is_empty() {
            store.write_directory(&rows, gone)?;
        }
        written.extend(rows.iter().map(|it| it.item).zip(marks));
        for item in gone {
            written.remove(item);
        }
        look.left.truncate(look.left.len().saturating_sub(n_seen));
        quarantine.passed();
        Ok(is_last)
    }
}

impl<S: NameTable + Send + Sync + ?Sized + 'static> Worker for ItemDirectory<S> {
    type Error = history::Error;

    fn turn(&mut self, now: Now) -> Result<Next> {
        if self.look.is_none() {
            if !self.has_changes.load(Ordering::Acquire) {
                return Ok(Next::WhenWoken);
            }
            if now.mono_ns < self.rested_ns {
                return Ok(Next::At(self.rested_ns));
            }
        }
        let written = match self.written.take() {
            Some(it) => it,
            None => {
                let read = self.store.directory().inspect_err(|_| self.quarantine.excuse());
                self.look = None;
                read?.into_iter().map(|it| (it, 0)).collect()
            }
        };
        if self.look.is_none() {
            // Changes from here on are seen in the next turn.
            self.has_changes.store(false, Ordering::Release);
            self.look = Some(self.begin(&written));
        }
        self.written = Some(written);
        let stepped = self.step();
        if stepped.as_ref().is_err_and(history::Error::retry) {
            self.quarantine.excuse();
            self.is_store_away = true;
        }
        let is_over = stepped?;
        let ended_ns = self.clock.mono_ns();
        self.look_took_ns = self.look_took_ns.saturating_add(ended_ns.saturating_sub(now.mono_ns));
        if !is_over {
            return Ok(Next::More);
        }
        self.look = None;
        let took = Duration::from_nanos(std::mem::take(&mut self.look_took_ns));
        self.rested_ns = ended_ns.saturating_add(nanos(LOOK.max(took * REST)));
        Ok(Next::At(self.rested_ns))
    }

    /// Whether a store that was away still has its rows is not known.
    fn reload(&mut self, _: WorkerFailure) -> Result<()> {
        if std::mem::take(&mut self.is_store_away) {
            (self.written, self.look) = (None, None);
        } else {
            self.quarantine.failed();
        }
        if self.look.is_none() {
            self.has_changes.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// An item whose row the store refuses.
    fn put_aside(&mut self) -> Option<String> {
        let item = self.quarantine.culprit()?;
        if ASIDE_MAX <= self.aside.len() {
            self.aside.clear();
        }
        self.aside.insert(item);
        Some(format!("the name of item {item}"))
    }
}

fn row_of(snapshot: &Snapshot, item: ItemId, zone: &TimeZone) -> Option<DirectoryRow> {
    let (host, row) = snapshot.item(item)?;
    Some(DirectoryRow {
        item,
        host: host.host.to_string(),
        key: row.key().into_owned(),
        name: export::shown_name(snapshot, host, &row.name(), zone),
        units: row.content.units.clone(),
        value_type: row.content.value_type,
    })
}

fn is_item(row: &ItemRow) -> bool {
    matches!(row.flags, ItemFlags::Plain | ItemFlags::Discovered)
}

/// Whether it is an item of a host: neither a rule nor a prototype, nor on a template.
fn is_listed(snapshot: &Snapshot, item: ItemId) -> bool {
    snapshot
        .item(item)
        .is_some_and(|(host, row)| snapshot.hosts.contains_key(&host.id) && is_item(row))
}

/// Never 0, which stands for a row that is not known.
fn mark_of(row: &DirectoryRow) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish().max(1)
}
