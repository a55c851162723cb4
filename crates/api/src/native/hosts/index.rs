//! The index for searching and sorting the list of hosts: built once for a state of the configuration, and
//! from the former index, so that an edit costs a loop over the hosts and no more.
//!
//! Entries are in the order of visible names. The texts of all hosts are in one buffer, in lower case:
//! visible name, technical name, addresses, tags, and the fields of the inventory, a line each. Names of
//! groups and templates are not among them: hosts share few sets of groups and of templates, and a search
//! checks each set once. Nothing here depends on the caller.
//!
//! 100,000 hosts take some 20 MB, from the first call that asks for hosts.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use model::content::{HostStatus, INVENTORY_FIELDS, Inventory, InventoryMode};
use model::map::Map;
use model::snapshot::{Host, Snapshot};
use model::{GroupId, HostId};

use crate::objects::common::items;
use crate::objects::common::triggers;
use crate::query::natural;

/// The columns with numbers of a host's objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) items: u32,
    pub(super) triggers: u32,
    pub(super) discoveries: u32,
}

impl Counts {
    pub(super) fn of(host: &Host) -> Self {
        let n = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let is_rule = |it: &&model::snapshot::ItemRow| it.flags.is_rule();
        Self {
            items: n(host.items.iter().filter(|it| items::is_item(it.flags)).count()),
            triggers: n(triggers::live(host).count()),
            discoveries: n(host.items.iter().filter(is_rule).count()),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct IndexedHost {
    pub(super) id: HostId,
    /// The host of the entry: a changed one makes it out of date. Weak, so that deleted hosts do not stay in
    /// memory with all their items until the next request.
    host: Weak<Host>,
    inventory: Weak<Inventory>,
    /// Where its text begins in the buffer.
    start: usize,
    /// Lengths of parts of its text, each from the beginning: the visible name, both names, all of it.
    name_len: u32,
    names_len: u32,
    text_len: u32,
    /// Positions of its sets.
    pub(super) groups: u32,
    pub(super) templates: u32,
    pub(super) counts: Counts,
    pub(super) is_disabled: bool,
}

/// Sets of ids that hosts share.
#[derive(Debug)]
pub(super) struct Sets<Id> {
    list: Vec<Arc<[Id]>>,
    known: Map<Arc<[Id]>, u32>,
}

impl<Id> Default for Sets<Id> {
    fn default() -> Self {
        Self { list: Vec::new(), known: Map::default() }
    }
}

impl<Id: Copy + Eq + std::hash::Hash> Sets<Id> {
    fn position(&mut self, set: &[Id]) -> u32 {
        if let Some(at) = self.known.get(set) {
            return *at;
        }
        let at = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let set: Arc<[Id]> = set.into();
        self.list.push(Arc::clone(&set));
        self.known.insert(set, at);
        at
    }

    /// Something about each set, by its position.
    pub(super) fn each<T>(&self, about: impl Fn(&[Id]) -> T) -> Vec<T> {
        self.list.iter().map(|it| about(it)).collect()
    }
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// By visible name.
    pub(super) entries: Vec<IndexedHost>,
    /// Positions of the entries, by id of the host.
    by_id: Vec<u32>,
    text: String,
    pub(super) groups: Sets<GroupId>,
    pub(super) templates: Sets<HostId>,
    /// By position, and the version of its availability.
    availability: Mutex<Option<(u64, Arc<[u8]>)>>,
}

impl Index {
    /// 0 unknown, 1 available, 2 not available, by position: computed by `of` where something changed.
    pub(super) fn availability(&self, version: u64, of: impl Fn(&IndexedHost) -> u8) -> Arc<[u8]> {
        let mut kept = self.availability.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of_version, known)) if *of_version == version => Arc::clone(known),
            _ => {
                let all: Arc<[u8]> = self.entries.iter().map(of).collect();
                *kept = Some((version, Arc::clone(&all)));
                all
            }
        }
    }

    /// Visible name, technical name, addresses, tags, inventory.
    pub(super) fn text(&self, entry: &IndexedHost) -> &str {
        self.part(entry, 0, entry.text_len)
    }

    /// Visible and technical name.
    pub(super) fn names(&self, entry: &IndexedHost) -> &str {
        self.part(entry, 0, entry.names_len)
    }

    pub(super) fn name(&self, entry: &IndexedHost) -> &str {
        self.part(entry, 0, entry.name_len)
    }

    /// The technical name.
    pub(super) fn host(&self, entry: &IndexedHost) -> &str {
        if entry.name_len == entry.names_len {
            return self.name(entry);
        }
        self.part(entry, entry.name_len.saturating_add(1), entry.names_len)
    }

    /// From its addresses on.
    pub(super) fn addresses(&self, entry: &IndexedHost) -> &str {
        self.part(entry, entry.names_len, entry.text_len).trim_start_matches('\n')
    }

    fn part(&self, entry: &IndexedHost, from: u32, to: u32) -> &str {
        let at = |len: u32| entry.start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
        self.text.get(at(from)..at(to)).unwrap_or_default()
    }

    /// The index of `snapshot`, made of `old` where nothing changed.
    fn build(snapshot: &Snapshot, old: &Self) -> Self {
        let mut new = Self::default();
        let (kept, changed) = old.compare(snapshot);
        let mut fresh = Fresh::default();
        for host in changed {
            fresh.add(&mut new, host, snapshot.inventories.get(&host.id));
        }
        let mut made = std::mem::take(&mut fresh.entries);
        made.sort_unstable_by(|one, other| {
            natural(fresh.name(one), fresh.name(other)).then(one.id.cmp(&other.id))
        });
        new.text.reserve(old.text.len() + fresh.text.len());
        new.entries.reserve(snapshot.hosts.len());
        let mut kept = kept.into_iter().peekable();
        let mut made = made.into_iter().peekable();
        let mut moved = Moved::default();
        loop {
            let takes_kept = match (kept.peek(), made.peek()) {
                (Some(one), Some(other)) => {
                    let order = natural(old.name(one), fresh.name(other));
                    order.then(one.id.cmp(&other.id)).is_lt()
                }
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            if takes_kept {
                if let Some(entry) = kept.next() {
                    let mut copy = entry.clone();
                    copy.groups = moved.groups(&old.groups, &mut new.groups, entry.groups);
                    copy.templates =
                        moved.templates(&old.templates, &mut new.templates, entry.templates);
                    new.push(copy, old.text(entry));
                }
            } else if let Some(entry) = made.next() {
                let text = fresh.text(&entry);
                new.push(entry, text);
            }
        }
        new.by_id = (0..).take(new.entries.len()).collect();
        let id_of = |at: &u32| usize::try_from(*at).ok().and_then(|at| new.entries.get(at));
        new.by_id.sort_unstable_by_key(|at| id_of(at).map(|it| it.id));
        new
    }

    fn push(&mut self, mut entry: IndexedHost, text: &str) {
        entry.start = self.text.len();
        self.text.push_str(text);
        self.entries.push(entry);
    }

    /// The entries that hold for `snapshot`, in their order, and the hosts that need new ones.
    fn compare<'s>(&self, snapshot: &'s Snapshot) -> (Vec<&IndexedHost>, Vec<&'s Arc<Host>>) {
        let mut holds = vec![false; self.entries.len()];
        let mut changed = Vec::new();
        // Both sides are in order of ids: one walk.
        let mut old = self.by_id.iter().filter_map(|at| {
            let at = usize::try_from(*at).ok()?;
            self.entries.get(at).map(|it| (at, it))
        });
        let mut known = old.next();
        let mut inventories = snapshot.inventories.iter().peekable();
        for (id, host) in &snapshot.hosts {
            while known.is_some_and(|(_, it)| it.id < *id) {
                known = old.next();
            }
            while inventories.next_if(|(of, _)| *of < id).is_some() {}
            let inventory = inventories.next_if(|(of, _)| *of == id).map(|(_, it)| it);
            match known.filter(|(_, it)| it.id == *id && it.is_of(host, inventory)) {
                Some((at, _)) => holds[at] = true,
                None => changed.push(host),
            }
        }
        let kept = self.entries.iter().zip(holds).filter(|(_, holds)| *holds);
        (kept.map(|(it, _)| it).collect(), changed)
    }
}

impl IndexedHost {
    fn is_of(&self, host: &Arc<Host>, inventory: Option<&Arc<Inventory>>) -> bool {
        let is_same_inventory = match inventory {
            Some(it) => std::ptr::eq(self.inventory.as_ptr(), Arc::as_ptr(it)),
            None => self.inventory.ptr_eq(&Weak::new()),
        };
        std::ptr::eq(self.host.as_ptr(), Arc::as_ptr(host)) && is_same_inventory
    }
}

/// Positions of sets of the former index in the new one.
#[derive(Default)]
struct Moved {
    groups: Map<u32, u32>,
    templates: Map<u32, u32>,
}

impl Moved {
    fn groups(&mut self, old: &Sets<GroupId>, new: &mut Sets<GroupId>, at: u32) -> u32 {
        *self.groups.entry(at).or_insert_with(|| moved(old, new, at))
    }

    fn templates(&mut self, old: &Sets<HostId>, new: &mut Sets<HostId>, at: u32) -> u32 {
        *self.templates.entry(at).or_insert_with(|| moved(old, new, at))
    }
}

fn moved<Id: Copy + Eq + std::hash::Hash>(old: &Sets<Id>, new: &mut Sets<Id>, at: u32) -> u32 {
    let set = usize::try_from(at).ok().and_then(|at| old.list.get(at));
    new.position(set.map_or(&[], |it| it))
}

/// Rebuilt entries, with their texts in a buffer of their own.
#[derive(Default)]
struct Fresh {
    entries: Vec<IndexedHost>,
    text: String,
}

impl Fresh {
    fn add(&mut self, index: &mut Index, host: &Arc<Host>, inventory: Option<&Arc<Inventory>>) {
        let start = self.text.len();
        let len = |text: &str| u32::try_from(text.len() - start).unwrap_or(u32::MAX);
        self.text.push_str(&host.name.to_lowercase());
        let name_len = len(&self.text);
        if host.host != host.name {
            self.line(&host.host);
        }
        let names_len = len(&self.text);
        for it in &host.interfaces {
            let (used, other) = if it.useip { (&it.ip, &it.dns) } else { (&it.dns, &it.ip) };
            let address = if used.contains(':') {
                format!("[{used}]:{}", it.port)
            } else {
                format!("{used}:{}", it.port)
            };
            self.line(&address);
            if !other.is_empty() {
                self.line(other);
            }
        }
        for tag in &host.tags {
            self.line(&format!("{}:{}", tag.tag, tag.value));
        }
        if let Some(inventory) = inventory
            && host.inventory_mode != InventoryMode::Disabled
        {
            for number in (1..).take(INVENTORY_FIELDS.len()) {
                let text = inventory.get(number);
                if !text.is_empty() {
                    self.line(text);
                }
            }
        }
        self.entries.push(IndexedHost {
            id: host.id,
            host: Arc::downgrade(host),
            inventory: inventory.map_or_else(Weak::new, Arc::downgrade),
            start,
            name_len,
            names_len,
            text_len: len(&self.text),
            groups: index.groups.position(&host.groups),
            templates: index.templates.position(&host.templates),
            counts: Counts::of(host),
            is_disabled: host.status != HostStatus::Monitored,
        });
    }

    fn line(&mut self, text: &str) {
        self.text.push('\n');
        self.text.push_str(&text.to_lowercase());
    }

    fn name(&self, entry: &IndexedHost) -> &str {
        self.part(entry, entry.name_len)
    }

    fn text(&self, entry: &IndexedHost) -> &str {
        self.part(entry, entry.text_len)
    }

    fn part(&self, entry: &IndexedHost, len: u32) -> &str {
        let end = entry.start + usize::try_from(len).unwrap_or(usize::MAX);
        self.text.get(entry.start..end).unwrap_or_default()
    }
}

/// The index of the configuration asked last.
#[derive(Debug, Default)]
pub(crate) struct HostIndex(Mutex<CachedIndex>);

#[derive(Debug, Default)]
struct CachedIndex {
    /// Epoch and inventories of the index: inventories change without an epoch.
    of: Option<(u64, Inventories)>,
    index: Arc<Index>,
}

type Inventories = imbl::OrdMap<HostId, Arc<Inventory>>;

impl HostIndex {
    pub(super) fn get(&self, snapshot: &Snapshot) -> Arc<Index> {
        // Held while building: callers that arrive meanwhile need the same index.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of = |(epoch, inventories): &(u64, Inventories)| {
            *epoch == snapshot.epoch && inventories.ptr_eq(&snapshot.inventories)
        };
        if !kept.of.as_ref().is_some_and(is_of) {
            kept.index = Arc::new(Index::build(snapshot, &kept.index));
            kept.of = Some((snapshot.epoch, snapshot.inventories.clone()));
        }
        Arc::clone(&kept.index)
    }
}

#[cfg(test)]
mod tests {
    use model::content::{Interface, InterfaceType, Tag};
    use model::snapshot::HolderKind;
    use proptest::prelude::*;

    use super::*;

    fn host(id: u64, name: &str, groups: &[u64]) -> Host {
        let mut host = Host::new(HostId(id), HolderKind::Host, name.into(), name.into());
        host.groups = groups.iter().map(|it| GroupId(*it)).collect();
        host
    }

    fn snapshot(hosts: Vec<Host>) -> Snapshot {
        let hosts = hosts.into_iter().map(|it| (it.id, Arc::new(it))).collect();
        Snapshot { hosts, ..Snapshot::default() }
    }

    /// The whole content of an index, however it was built.
    fn contents(index: &Index) -> Vec<(u64, String, Vec<GroupId>, bool)> {
        let groups = index.groups.each(<[GroupId]>::to_vec);
        let each = index.entries.iter().map(|it| {
            let groups = groups[usize::try_from(it.groups).unwrap()].clone();
            (it.id.0, index.text(it).to_owned(), groups, it.is_disabled)
        });
        each.collect()
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["web10", "web", "web2", "web02", "db", "web2a", "w", "web010"];
        names.sort_unstable_by(|one, other| natural(one, other));
        assert_eq!(names, ["db", "w", "web", "web02", "web2", "web2a", "web010", "web10"]);
    }

    #[test]
    fn a_host_is_found_by_all_that_it_shows() {
        let mut web = host(1, "Web-1", &[2]);
        web.name = "Shop".into();
        web.tags = vec![Tag { tag: "Site".to_owned(), value: "FRA".to_owned() }];
        web.interfaces = vec![Interface {
            interfaceid: 5.into(),
            kind: InterfaceType::Agent,
            main: true,
            useip: true,
            ip: "fe80::1".to_owned(),
            dns: "shop.example".to_owned(),
            port: "10050".to_owned(),
            details: None,
        }];
        web.inventory_mode = InventoryMode::Manual;
        let mut snapshot = snapshot(vec![web]);
        let mut inventory = Inventory::default();
        inventory.set(4, "SN 4711");
        snapshot.inventories.insert(HostId(1), Arc::new(inventory));
        let index = Index::build(&snapshot, &Index::default());
        let entry = &index.entries[0];
        assert_eq!(
            index.text(entry),
            "shop\nweb-1\n[fe80::1]:10050\nshop.example\nsite:fra\nsn 4711"
        );
        assert_eq!((index.name(entry), index.names(entry)), ("shop", "shop\nweb-1"));
        assert!(index.addresses(entry).starts_with("[fe80::1]:10050"));

        // Inventories change without the host.
        let mut inventory = Inventory::default();
        inventory.set(4, "SN 4712");
        snapshot.inventories.insert(HostId(1), Arc::new(inventory));
        let index = Index::build(&snapshot, &index);
        assert!(index.text(&index.entries[0]).ends_with("sn 4712"));
        snapshot.inventories.remove(&HostId(1));
        let index = Index::build(&snapshot, &index);
        assert!(index.text(&index.entries[0]).ends_with("site:fra"));
    }

    proptest! {
        /// Edits one after another give the same as a new build.
        #[test]
        fn an_edited_index_equals_a_rebuilt_one(
            steps in prop::collection::vec((0..9_u64, "[aB]{1,2}[0-9]{0,2}", 0..3_u64, any::<bool>()), 0..24),
        ) {
            let mut now = snapshot(Vec::new());
            let mut index = Index::default();
            for (id, name, group, stays) in steps {
                if stays {
                    now.hosts.insert(HostId(id), Arc::new(host(id, &name, &[group])));
                } else {
                    now.hosts.remove(&HostId(id));
                }
                index = Index::build(&now, &index);
                prop_assert_eq!(contents(&index), contents(&Index::build(&now, &Index::default())));
            }
        }
    }
}
