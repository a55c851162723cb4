//! The working copy: access to holders, ids, reverse look-ups, and what comes out at the end.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use jiff::tz::TimeZone;
use model::content::Inventory;
use model::map::Map;
use model::snapshot::{Access, Delta, Globals, Host, ItemRow, Snapshot, TriggerRow};
use model::{GraphId, HostId, ItemId, Time, TriggerId};

use super::group_names::GroupNames;
use crate::actor::Actor;
use crate::auth::SecretChange;
use crate::configuration::audit::AuditEntry;
use crate::configuration::ids::Ids;
use crate::configuration::objects::{Concerns, Stored};
use crate::configuration::store::{Applied, Contents};
use crate::error::ConfigError;

/// A change in the making. See [`crate::Db::edit`].
pub struct Editor {
    pub(super) actor: Actor,
    pub(super) base: Arc<Snapshot>,
    pub(super) next: Snapshot,
    pub(super) ids: Ids,
    pub(super) cross: Crossing,
    pub(super) secrets: Vec<SecretChange>,
    pub(crate) applied: Applied,
    touched: BTreeSet<HostId>,
    globals_changed: bool,
    regexps_changed: bool,
    access_changed: bool,
    documents_changed: BTreeSet<(&'static str, u64)>,
    inventories_changed: BTreeSet<HostId>,
    pub(super) groups_changed: bool,
    /// Of pre-shared keys; which keys they have is checked at the end.
    pub(super) identities_given: BTreeSet<String>,
    /// Visible names, gathered when the first one is checked.
    names: Option<Map<Arc<str>, HostId>>,
    /// Gathered when the name of the first graph is checked.
    pub(super) crossing_graphs: Option<CrossingGraphs>,
    pub(super) host_group_names: OnceCell<GroupNames>,
    pub(super) template_group_names: OnceCell<GroupNames>,
    pub(super) audit: Vec<AuditEntry>,
    /// From where it comes; empty if from the server itself.
    ip: String,
    pub(super) now: Time,
    /// Of the server: for functions of macros that write times.
    pub(crate) zone: TimeZone,
}

/// Objects that use items of several holders: reverse look-ups of an item include them.
#[derive(Clone, Default)]
pub(crate) struct Crossing {
    pub(crate) triggers: OrdSet<TriggerId>,
    pub(crate) graphs: OrdSet<GraphId>,
}

/// Graphs over several holders by name; some may have another one by now.
pub(super) type CrossingGraphs = Arc<Map<Box<str>, BTreeSet<GraphId>>>;

/// The starting point of an edit in addition to the snapshot.
pub(crate) struct EditBase {
    pub(crate) ids: Ids,
    pub(crate) contents: Contents,
    pub(crate) cross: Crossing,
    /// Of the server.
    pub(crate) zone: TimeZone,
}

/// The result of a closure.
pub(crate) struct Outcome {
    pub(crate) snapshot: Snapshot,
    pub(crate) delta: Delta,
    pub(crate) ids: Ids,
    pub(crate) cross: Crossing,
    pub(crate) secrets: Vec<SecretChange>,
    pub(crate) audit: Vec<AuditEntry>,
    pub(crate) ip: String,
    pub(crate) now: Time,
    /// Hosts and templates to compare with what they were. The delta names more: also those that
    /// only inherit from something that changed.
    pub(crate) touched: BTreeSet<HostId>,
}

impl Outcome {
    pub(crate) fn is_empty(&self) -> bool {
        let Delta { globals_changed, regexps_changed, access_changed, groups_changed, .. } =
            self.delta;
        self.touched.is_empty()
            && self.secrets.is_empty()
            && self.delta.inventories_changed.is_empty()
            && self.delta.documents_changed.is_empty()
            && !(globals_changed || regexps_changed || access_changed || groups_changed)
    }
}

impl fmt::Debug for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor")
            .field("actor", &self.actor)
            .field("touched", &self.touched.len())
            .finish_non_exhaustive()
    }
}

impl Editor {
    pub(crate) fn new(actor: Actor, base: Arc<Snapshot>, from: &EditBase) -> Self {
        Self {
            actor,
            next: Snapshot::clone(&base),
            base,
            ids: from.ids.clone(),
            cross: from.cross.clone(),
            secrets: Vec::new(),
            applied: from.contents.applied.clone(),
            touched: BTreeSet::new(),
            globals_changed: false,
            regexps_changed: false,
            access_changed: false,
            documents_changed: BTreeSet::new(),
            inventories_changed: BTreeSet::new(),
            groups_changed: false,
            identities_given: BTreeSet::new(),
            names: None,
            crossing_graphs: None,
            host_group_names: OnceCell::new(),
            template_group_names: OnceCell::new(),
            audit: Vec::new(),
            ip: String::new(),
            now: Time::ZERO,
            zone: from.zone.clone(),
        }
    }

    /// Says when the change is made; the audit log keeps it.
    pub fn set_time(&mut self, now: Time) {
        self.now = now;
    }

    /// Says from where the change comes; the audit log keeps it.
    pub fn set_address(&mut self, ip: &str) {
        ip.clone_into(&mut self.ip);
    }

    /// Makes a change whole or not at all: after an error everything is as it was before.
    pub(crate) fn attempt<T>(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        let (next, cross, touched) = (self.next.clone(), self.cross.clone(), self.touched.clone());
        let (documents, inventories) =
            (self.documents_changed.clone(), self.inventories_changed.clone());
        let flags =
            (self.globals_changed, self.regexps_changed, self.access_changed, self.groups_changed);
        let identities = self.identities_given.clone();
        let (n_secrets, n_notes) = (self.secrets.len(), self.audit.len());
        let done = change(self);
        if done.is_err() {
            (self.next, self.cross, self.touched) = (next, cross, touched);
            (self.documents_changed, self.inventories_changed) = (documents, inventories);
            (
                self.globals_changed,
                self.regexps_changed,
                self.access_changed,
                self.groups_changed,
            ) = flags;
            self.secrets.truncate(n_secrets);
            self.audit.truncate(n_notes);
            self.identities_given = identities;
            self.names = None;
            self.crossing_graphs = None;
            self.host_group_names = OnceCell::new();
            self.template_group_names = OnceCell::new();
        }
        done
    }

    /// The configuration with the changes made so far.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.next
    }

    /// On whose behalf the change is made.
    #[must_use]
    pub fn actor(&self) -> Actor {
        self.actor
    }

    pub(crate) fn take_id(&mut self) -> u64 {
        self.ids.take()
    }

    /// Whether this edit made the host or template.
    pub(super) fn is_new(&self, id: HostId) -> bool {
        self.base.holder(id).is_none()
    }

    /// A host or template, to read.
    pub(super) fn holder(&self, id: HostId) -> Result<&Arc<Host>, ConfigError> {
        self.next.holder(id).ok_or_else(ConfigError::no_permissions)
    }

    /// A host or template, to change. It must exist.
    pub(super) fn holder_mut(&mut self, id: HostId) -> &mut Host {
        let holder = self.holder_with_index(id);
        holder.forget_row_index();
        holder
    }

    /// As [`Self::holder_mut`], to change nothing of items and triggers but what their index follows.
    pub(super) fn holder_with_index(&mut self, id: HostId) -> &mut Host {
        self.touched.insert(id);
        let holder = match self.next.hosts.get_mut(&id) {
            Some(it) => it,
            None => self.next.templates.get_mut(&id).expect("the holder was looked up before"),
        };
        Arc::make_mut(holder)
    }

    /// Visible names of hosts and templates.
    pub(super) fn names(&mut self) -> &mut Map<Arc<str>, HostId> {
        let next = &self.next;
        self.names.get_or_insert_with(|| {
            let holders = next.hosts.values().chain(next.templates.values());
            holders.map(|it| (Arc::clone(&it.name), it.id)).collect()
        })
    }

    pub(super) fn item(&self, id: ItemId) -> Result<(&Arc<Host>, &ItemRow), ConfigError> {
        self.next.item(id).ok_or_else(ConfigError::no_permissions)
    }

    pub(super) fn trigger(&self, id: TriggerId) -> Result<(&Arc<Host>, &TriggerRow), ConfigError> {
        self.next.trigger(id).ok_or_else(ConfigError::no_permissions)
    }

    /// An item row, to change. It must exist.
    pub(crate) fn item_mut(&mut self, holder: HostId, id: ItemId) -> &mut ItemRow {
        let row = self.holder_with_index(holder).item_to_change(id);
        row.expect("the item was looked up before")
    }

    /// A trigger row, to change. It must exist.
    pub(crate) fn trigger_mut(&mut self, holder: HostId, id: TriggerId) -> &mut TriggerRow {
        let row = self.holder_with_index(holder).trigger_to_change(id);
        row.expect("the trigger was looked up before")
    }

    /// Adds rows with the newest ids, in order.
    pub(crate) fn push_items(&mut self, holder: HostId, rows: Vec<ItemRow>) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        add_run(&mut self.next.item_runs, first.id, last.id, holder);
        self.holder_with_index(holder).push_items(rows);
    }

    /// Adds rows with the newest ids, in order.
    pub(crate) fn push_triggers(&mut self, holder: HostId, rows: Vec<TriggerRow>) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        add_run(&mut self.next.trigger_runs, first.id, last.id, holder);
        self.holder_with_index(holder).push_triggers(rows);
    }

    /// Says that a trigger now belongs to another holder, wherever its run ends.
    pub(super) fn give_trigger_run(&mut self, id: TriggerId, holder: HostId) {
        give_run(&mut self.next.trigger_runs, id.0, holder);
    }

    /// As [`Self::give_trigger_run`].
    pub(super) fn give_graph_run(&mut self, id: GraphId, holder: HostId) {
        give_run(&mut self.next.graph_runs, id.0, holder);
    }

    /// A holder is deleted: its ids belong to no holder.
    pub(super) fn forget_runs(&mut self, holder: &Host) {
        for row in &holder.items {
            let run = self.next.item_runs.range(..=row.id).next_back();
            if let Some((first, _)) = run.filter(|(_, (_, of))| *of == holder.id) {
                let first = *first;
                self.next.item_runs.remove(&first);
            }
        }
        for row in &holder.triggers {
            let run = self.next.trigger_runs.range(..=row.id).next_back();
            if let Some((first, _)) = run.filter(|(_, (_, of))| *of == holder.id) {
                let first = *first;
                self.next.trigger_runs.remove(&first);
            }
        }
        for row in &holder.graphs {
            let run = self.next.graph_runs.range(..=row.id).next_back();
            if let Some((first, _)) = run.filter(|(_, (_, of))| *of == holder.id) {
                let first = *first;
                self.next.graph_runs.remove(&first);
            }
        }
        for row in &holder.host_prototypes {
            let run = self.next.host_prototype_runs.range(..=row.id).next_back();
            if let Some((first, _)) = run.filter(|(_, (_, of))| *of == holder.id) {
                let first = *first;
                self.next.host_prototype_runs.remove(&first);
            }
        }
    }

    /// Notes that a holder was made, changed or removed.
    pub(super) fn touch(&mut self, id: HostId) {
        self.touched.insert(id);
    }

    /// Replaces the inventory of a host.
    pub(super) fn put_inventory(&mut self, id: HostId, inventory: Inventory) {
        let old = self.next.inventories.get(&id);
        let is_same = old.map_or(inventory.is_empty(), |it| **it == inventory);
        if is_same {
            return;
        }
        self.inventories_changed.insert(id);
        if inventory.is_empty() {
            self.next.inventories.remove(&id);
        } else {
            self.next.inventories.insert(id, Arc::new(inventory));
        }
    }

    pub(super) fn globals_mut(&mut self) -> &mut Globals {
        self.globals_changed = true;
        Arc::make_mut(&mut self.next.globals)
    }

    /// Notes that a document was made, changed or removed.
    pub(super) fn changed_document(&mut self, stored: &Stored, id: u64) {
        self.documents_changed.insert((stored.object.name, id));
        match stored.concerns {
            Concerns::Nobody => {}
            Concerns::Access => self.access_changed = true,
            Concerns::Regexps => self.regexps_changed = true,
            Concerns::Globals => self.globals_changed = true,
        }
    }

    pub(super) fn access_mut(&mut self) -> &mut Access {
        self.access_changed = true;
        Arc::make_mut(&mut self.next.access)
    }

    /// Which hosts and templates link a template directly.
    pub(super) fn children(&self, template: HostId) -> Arc<[HostId]> {
        self.next.linked_to.get(&template).cloned().unwrap_or_default()
    }

    /// All that inherit from a template, however indirectly; itself not.
    pub(super) fn descendants(&self, template: HostId, found: &mut BTreeSet<HostId>) {
        for child in self.children(template).iter() {
            if found.insert(*child) && self.next.templates.contains_key(child) {
                self.descendants(*child, found);
            }
        }
    }

    /// Changed holders keep neither spare capacity nor an index, which few need.
    fn tidy_rows(&mut self) {
        for id in &self.touched {
            let holder = match self.next.hosts.get_mut(id) {
                Some(it) => Some(it),
                None => self.next.templates.get_mut(id),
            };
            if let Some(holder) = holder.and_then(Arc::get_mut) {
                holder.forget_row_index();
                holder.items.shrink_to_fit();
                holder.triggers.shrink_to_fit();
                holder.graphs.shrink_to_fit();
            }
        }
    }

    pub(crate) fn finish(mut self) -> Outcome {
        self.tidy_rows();
        let mut changed = self.touched.clone();
        for id in &self.touched {
            if self.next.templates.contains_key(id) {
                self.descendants(*id, &mut changed);
            }
        }
        let mut delta = Delta {
            epoch: self.base.epoch + 1,
            globals_changed: self.globals_changed,
            regexps_changed: self.regexps_changed,
            access_changed: self.access_changed,
            groups_changed: self.groups_changed,
            documents_changed: self.documents_changed.into_iter().collect(),
            inventories_changed: self.inventories_changed.into_iter().collect(),
            ..Delta::default()
        };
        for id in changed {
            if self.next.hosts.contains_key(&id) {
                delta.hosts_changed.push(id);
            } else if self.next.templates.contains_key(&id) {
                delta.templates_changed.push(id);
            } else if self.base.hosts.contains_key(&id) {
                delta.hosts_removed.push(id);
            } else if self.base.templates.contains_key(&id) {
                delta.templates_removed.push(id);
            }
        }
        if delta.is_of_inventories() {
            delta.epoch = self.base.epoch;
        }
        self.next.epoch = delta.epoch;
        Outcome {
            snapshot: self.next,
            delta,
            ids: self.ids,
            cross: self.cross,
            secrets: self.secrets,
            audit: self.audit,
            ip: self.ip,
            now: self.now,
            touched: self.touched,
        }
    }
}

/// Adds ids that are newer than all: the last run grows if it is of the same holder.
pub(super) fn add_run<Id: Copy + Ord>(
    runs: &mut OrdMap<Id, (Id, HostId)>,
    first: Id,
    last: Id,
    holder: HostId,
) {
    let newest = runs.get_max().map(|(start, (_, of))| (*start, *of));
    let start = match newest {
        Some((start, of)) if of == holder => start,
        _ => first,
    };
    runs.insert(start, (last, holder));
}

/// Cuts an id out of the run that it is in, and makes it one of its own.
fn give_run<Id: Copy + Ord + From<u64>>(
    runs: &mut OrdMap<Id, (Id, HostId)>,
    number: u64,
    holder: HostId,
) {
    let id = Id::from(number);
    let run = runs.range(..=id).next_back().map(|(first, (last, of))| (*first, *last, *of));
    if let Some((first, last, of)) = run.filter(|(_, last, _)| id <= *last) {
        runs.remove(&first);
        if first < id {
            runs.insert(first, (Id::from(number - 1), of));
        }
        if id < last {
            runs.insert(Id::from(number + 1), (last, of));
        }
    }
    runs.insert(id, (id, holder));
}
