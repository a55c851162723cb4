//! The running configuration with the collectors, and the directory as they see it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use collect::{Collectors, PreviousHost, ResolvedItem};
use db::{Delta, Snapshot};
use directory::{Directory, ItemTarget};
use engine::running::RunningConfiguration;
use internals::Watched;
use model::{HostId, ItemId};

/// The running configuration, as the engine and the collectors have it.
pub struct Running {
    engine: Arc<RunningConfiguration>,
    /// Started after the first plan.
    collectors: Arc<OnceLock<Collectors>>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}

impl Running {
    /// Of the engine alone.
    #[must_use]
    pub fn new(engine: Arc<RunningConfiguration>) -> Self {
        Self { engine, collectors: Arc::default() }
    }

    /// As figures are taken of it.
    #[must_use]
    pub fn watched(&self) -> Watched {
        let configuration = Arc::clone(&self.engine);
        Watched { configuration, collectors: Arc::clone(&self.collectors) }
    }

    /// From now on changes reach the collectors too.
    pub fn attach(&self, collectors: Collectors) {
        if self.collectors.set(collectors).is_err() {
            tracing::error!("collectors were attached twice");
        }
    }

    /// Takes over a change.
    pub fn apply(&self, snapshot: &Arc<Snapshot>, delta: &Delta) {
        if delta.is_of_inventories() {
            return;
        }
        self.engine.apply(snapshot, delta);
        if let Some(collectors) = self.collectors.get() {
            collectors.configure(snapshot, delta);
        }
    }

    /// The part of the engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<RunningConfiguration> {
        &self.engine
    }

    /// Which item is where.
    #[must_use]
    pub fn directory(&self) -> Arc<Directory> {
        self.engine.directory()
    }

    /// None before they have started.
    pub fn collectors(&self) -> Option<&Collectors> {
        self.collectors.get()
    }
}

/// The directory as the collectors see it.
struct Lookup(Arc<Directory>);

fn found(target: ItemTarget) -> ResolvedItem {
    ResolvedItem {
        target: ingress::Target { shard: target.shard, slot: target.slot },
        item: target.item,
        host: target.host,
        kind: target.kind,
        enabled: target.enabled,
        allow_traps: target.allow_traps,
        restricted: target.restricted || target.guarded,
    }
}

impl collect::Directory for Lookup {
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn find(&self, host: &str, key: &str, previous: &mut PreviousHost) -> Option<ResolvedItem> {
        if previous.name != host {
            host.clone_into(&mut previous.name);
            previous.position = self.0.position(host);
        }
        self.0.host_at(previous.position?)?.item(key).map(found)
    }

    fn item(&self, item: ItemId) -> Option<ResolvedItem> {
        self.0.by_item(item).map(found)
    }

    fn item_of(&self, host: HostId, item: ItemId) -> Option<ResolvedItem> {
        self.0.by_host(host)?.by_item(item).map(found)
    }
}

impl collect::Configuration for Running {
    fn directory(&self) -> Arc<dyn collect::Directory> {
        Arc::new(Lookup(Self::directory(self)))
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.engine.snapshot()
    }
}
