//! The part of each line that describes its item, made once for many values.

use std::borrow::Cow;
use std::sync::Arc;

use model::content::Tag;
use model::map::Map;
use model::snapshot::{Host, ItemRow, Snapshot};
use model::{HostId, ItemId, TriggerId};

use crate::macros;
use crate::ports::ExportConfiguration;

/// Bytes of labels that are kept for one target; some 100,000 items.
const BYTES_MAX: usize = 64 << 20;
/// A label's place in the map, about.
const ENTRY_BYTES: usize = 64;

/// The label of an item; `None`: the target's filter excludes the item.
type Label = Option<Box<[u8]>>;

/// Labels of items as the configuration is now.
pub struct LabelCache {
    configuration: Arc<dyn ExportConfiguration>,
    snapshot: Arc<Snapshot>,
    made: Map<ItemId, Label>,
    bytes: usize,
    bytes_max: usize,
}

impl std::fmt::Debug for LabelCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Labels").field("n", &self.made.len()).finish_non_exhaustive()
    }
}

/// The description of an item.
#[derive(Debug)]
pub struct Described<'a> {
    pub snapshot: &'a Snapshot,
    pub host: &'a Host,
    pub item: &'a ItemRow,
    /// With macros replaced, as people read it.
    pub name: String,
    pub tags: Cow<'a, [Tag]>,
}

/// The outcome of a search for a label.
#[derive(Debug)]
pub enum LabelLookup<'a> {
    Label(&'a [u8]),
    NotWanted,
    Deleted,
}

impl LabelCache {
    #[must_use]
    pub fn new(configuration: Arc<dyn ExportConfiguration>) -> Self {
        let snapshot = configuration.snapshot();
        Self { configuration, snapshot, made: Map::default(), bytes: 0, bytes_max: BYTES_MAX }
    }

    /// Takes the configuration as it is now: to be called before each batch.
    pub fn refresh(&mut self) {
        let snapshot = self.configuration.snapshot();
        if snapshot.epoch != self.snapshot.epoch {
            self.forget();
        }
        self.snapshot = snapshot;
    }

    /// The filter has changed.
    pub fn forget(&mut self) {
        self.made.clear();
        self.bytes = 0;
    }

    #[must_use]
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The item's label, made by `make` if it is not known yet.
    pub fn of(
        &mut self,
        item: ItemId,
        make: impl FnOnce(&Described<'_>) -> Option<Vec<u8>>,
    ) -> LabelLookup<'_> {
        if !self.made.contains_key(&item) {
            let Some((host, row)) = self.snapshot.item(item) else { return LabelLookup::Deleted };
            let zone = self.configuration.zone();
            let name = macros::shown(&self.snapshot, host, &row.name(), zone);
            let tags = macros::tags_of(row, zone);
            let described = Described { snapshot: &self.snapshot, host, item: row, name, tags };
            let label: Label = make(&described).map(Vec::into_boxed_slice);
            self.bytes += ENTRY_BYTES + label.as_ref().map_or(0, |it| it.len());
            if self.bytes_max < self.bytes {
                self.made.clear();
                self.bytes = ENTRY_BYTES + label.as_ref().map_or(0, |it| it.len());
            }
            self.made.insert(item, label);
        }
        match self.made.get(&item) {
            Some(Some(label)) => LabelLookup::Label(label),
            Some(None) => LabelLookup::NotWanted,
            None => LabelLookup::Deleted,
        }
    }
}

/// Names of a host's groups.
pub(crate) fn groups<'a>(snapshot: &'a Snapshot, host: &'a Host) -> impl Iterator<Item = &'a str> {
    host.groups.iter().filter_map(|it| Some(snapshot.host_groups.get(it)?.name.as_str()))
}

/// The hosts whose items a trigger uses, its holder first; `None`: it has been deleted.
pub(crate) fn hosts_of(snapshot: &Snapshot, trigger: TriggerId) -> Option<Vec<&Arc<Host>>> {
    let (holder, row) = snapshot.trigger(trigger)?;
    let mut hosts: Vec<&Arc<Host>> = Vec::with_capacity(1);
    let has = |hosts: &[&Arc<Host>], id: HostId| hosts.iter().any(|it| it.id == id);
    for function in &row.content.functions {
        let Some((host, _)) = snapshot.item_by_ref(holder, function.item) else { continue };
        if !has(&hosts, host.id) {
            hosts.push(host);
        }
    }
    if hosts.is_empty() {
        hosts.push(holder);
    }
    Some(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixed, ITEM, configuration};

    #[test]
    fn a_label_is_made_once_until_the_configuration_changes() {
        let fixed = Fixed::new(configuration());
        let mut labels = LabelCache::new(Arc::clone(&fixed) as Arc<dyn ExportConfiguration>);
        let mut n = 0;
        for _ in 0..3 {
            let found = labels.of(ITEM, |it| {
                n += 1;
                Some(it.name.clone().into_bytes())
            });
            assert!(matches!(found, LabelLookup::Label(b"CPU of Web 1")), "{found:?}");
        }
        assert_eq!(n, 1);
        let mut changed = configuration();
        changed.epoch += 1;
        fixed.set(changed);
        labels.refresh();
        assert!(matches!(labels.of(ITEM, |_| None), LabelLookup::NotWanted));
        assert!(matches!(labels.of(ItemId(404), |_| Some(Vec::new())), LabelLookup::Deleted));
    }

    #[test]
    fn labels_take_no_more_memory_than_they_may() {
        let mut labels = LabelCache::new(Fixed::new(configuration()));
        labels.bytes_max = 200;
        for id in [ITEM, crate::testing::TEXT, ITEM, crate::testing::LOG] {
            let found = labels.of(id, |_| Some(vec![b'x'; 100]));
            assert!(matches!(found, LabelLookup::Label(_)));
        }
        assert!(labels.made.len() == 1 && labels.bytes <= 200);
    }
}
