//! Keeps the table `item_directory` of a store elsewhere as the configuration is, so that who reads values there finds
//! their names.
//!
//! It is no part of the feed: names follow the configuration of now, values the journal. What is written is remembered
//! as a number for each item (16 bytes); after a start all rows are written once more.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use db::{Db, Snapshot};
use history::{DirectoryRow, RemoteStore, Result};
use jiff::tz::TimeZone;
use model::ItemId;
use model::content::ItemFlags;
use model::snapshot::ItemRow;
use rt::shutdown::Shutdown;
use tracing::{info, warn};

/// Between two looks at the configuration; more where a look takes long.
const LOOK: Duration = Duration::from_secs(2);
/// A look takes a twentieth of the time at most.
const REST: u32 = 20;
/// Whoever is away is tried again after this time.
const RETRY: Duration = Duration::from_secs(30);
/// Rows of a request.
const ROWS_MAX: usize = 10_000;

/// Writes the rows of one store.
pub struct ItemDirectory {
    name: &'static str,
    store: Arc<dyn RemoteStore>,
    db: Db,
    zone: TimeZone,
    /// What the table has, of each item a number that stands for its row; `None`: not known.
    written: Option<BTreeMap<ItemId, u64>>,
    /// Of the configuration that was written as a whole.
    epoch: Option<u64>,
}

opaque_debug!(ItemDirectory);

impl ItemDirectory {
    #[must_use]
    pub fn new(name: &'static str, store: Arc<dyn RemoteStore>, db: Db) -> Self {
        Self { name, store, db, zone: TimeZone::system(), written: None, epoch: None }
    }

    /// Goes on until shutdown. Blocking.
    #[expect(clippy::disallowed_methods, reason = "how long to rest; nothing depends on it")]
    pub fn run(mut self, shutdown: &Shutdown) {
        let mut is_reported = false;
        loop {
            let started = Instant::now();
            let pause = match self.look(shutdown) {
                Ok(()) => {
                    if is_reported {
                        info!(store = self.name, "names of items are written again");
                    }
                    is_reported = false;
                    LOOK.max(started.elapsed() * REST)
                }
                Err(error) => {
                    if !is_reported {
                        warn!(store = self.name, %error, "names of items cannot be written; tried again");
                    }
                    is_reported = true;
                    // Whether the last rows were taken is not known.
                    self.written = None;
                    RETRY
                }
            };
            if shutdown.wait(pause) {
                return;
            }
        }
    }

    /// Writes what has changed.
    fn look(&mut self, shutdown: &Shutdown) -> Result<()> {
        let snapshot = self.db.snapshot();
        if self.written.is_some() && self.epoch == Some(snapshot.epoch) {
            return Ok(());
        }
        let mut written = match self.written.take() {
            Some(it) => it,
            None => self.store.directory()?.into_iter().map(|it| (it, 0)).collect(),
        };
        let mut gone: Vec<ItemId> = written.keys().copied().collect();
        gone.retain(|it| !is_listed(&snapshot, *it));
        let mut rows = Vec::new();
        let hosts = snapshot.hosts.values();
        let items = hosts
            .flat_map(|host| host.items.iter().filter(|it| is_item(it)).map(move |it| (host, it)));
        for (host, item) in items {
            let row = DirectoryRow {
                item: item.id,
                host: host.host.to_string(),
                key: item.key().into_owned(),
                name: export::shown_name(&snapshot, host, &item.name(), &self.zone),
                units: item.content.units.clone(),
                value_type: item.content.value_type,
            };
            let mark = mark_of(&row);
            if written.insert(row.item, mark) != Some(mark) {
                rows.push(row);
            }
            if rows.len() < ROWS_MAX {
                continue;
            }
            self.store.write_directory(&rows, &[])?;
            rows.clear();
            if shutdown.is_cancelled() {
                return Ok(());
            }
        }
        if !rows.is_empty() || !gone.is_empty() {
            self.store.write_directory(&rows, &gone)?;
        }
        for item in &gone {
            written.remove(item);
        }
        self.written = Some(written);
        self.epoch = Some(snapshot.epoch);
        Ok(())
    }
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
