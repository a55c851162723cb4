//! The configuration at one point in time: immutable, shared, cheap to copy and change.
//!
//! **Identity is a row, content is shared.** Each item, trigger, rule and prototype has one narrow
//! row per holder (host or template): its id, the row of the directly linked template that it was
//! inherited from (`source`), and the content that counts for it. Rows without changes of their own
//! point at the very same content as their source.
//!
//! Invariants:
//! - `content` is the *effective* content: overrides of this row and of the rows above are applied.
//! - References inside content (`master_itemid`, functions, dependencies) name rows of the holder
//!   where the content was written. A holder resolves them with [`Snapshot::item_by_ref`]: the row
//!   whose chain of sources holds the id.
//! - A discovered row shares the content of its prototype, LLD macros unexpanded; what differs from
//!   row to row, also key and name, comes from [`Discovered::row`]. References in that content to other prototypes mean
//!   what the same LLD row made of them: [`Snapshot::item_meant`].
//! - The rows of a holder are sorted by id.
//! - A snapshot is never changed after it is published; an editor clones it (all maps are
//!   persistent, so that costs nothing) and publishes the next, with a [`Delta`].

mod discovered;
mod graph;
mod hostprototype;
mod row;
mod row_index;

use std::borrow::Cow;
use std::sync::Arc;

use imbl::OrdMap;

use crate::content::{
    GlobalRegexp, Group, HostMacro, HostStatus, Interface, Inventory, InventoryMode, IpmiLogin,
    ItemFlags, ItemStatus, Role, Tag, Token, User, UserGroup, ValueMap, Vendor,
};
use crate::document::Documents;
use crate::encryption::{Encryption, SharedKey};
use crate::map::Map;
use crate::services::Services;
use crate::settings::GlobalSettings;
use crate::{
    GraphId, GroupId, HostId, InterfaceId, ItemId, RoleId, TemplateGroupId, TokenId, TriggerId,
    UserGroupId, UserId, ValueMapId,
};

pub use discovered::{Discovered, LldNames, LldRow, Lost, LostTogether, Patterns, comparisons};
pub use hostprototype::{DiscoveredHost, GivenToHost, GroupDiscovery};
pub use row::{
    GraphExtra, GraphRow, HostPrototypeExtra, HostPrototypeRow, ItemExtra, ItemRow, Row, RowExtra,
    TriggerExtra, TriggerRow,
};
pub use row_index::{RowIndex, TriggerText};

/// The whole configuration.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Grows by one with each published change of anything but inventories.
    pub epoch: u64,
    pub host_groups: OrdMap<GroupId, Arc<Group>>,
    /// Of the groups that discovery made.
    pub group_discoveries: OrdMap<GroupId, Arc<Vec<GroupDiscovery>>>,
    pub template_groups: OrdMap<TemplateGroupId, Arc<Group>>,
    pub hosts: OrdMap<HostId, Arc<Host>>,
    pub templates: OrdMap<HostId, Arc<Host>>,
    /// Technical names of hosts.
    pub host_by_name: OrdMap<Arc<str>, HostId>,
    /// Technical names of templates.
    pub template_by_name: OrdMap<Arc<str>, HostId>,
    /// Which hosts and templates link a template directly.
    pub linked_to: OrdMap<HostId, Arc<[HostId]>>,
    /// Which holder an item id belongs to: runs of ids, by first id.
    pub item_runs: OrdMap<ItemId, (ItemId, HostId)>,
    /// Which holder a trigger id belongs to. A trigger over several hosts is held by the host of
    /// its first function.
    pub trigger_runs: OrdMap<TriggerId, (TriggerId, HostId)>,
    /// Which holder a graph id belongs to. A graph over several hosts is held by the host of its
    /// first item.
    pub graph_runs: OrdMap<GraphId, (GraphId, HostId)>,
    /// Which holder a host prototype belongs to.
    pub host_prototype_runs: OrdMap<HostId, (HostId, HostId)>,
    pub interface_owner: OrdMap<InterfaceId, HostId>,
    pub valuemap_owner: OrdMap<ValueMapId, HostId>,
    /// Pre-shared keys of hosts, by identity.
    pub shared_keys: OrdMap<Arc<str>, SharedKey>,
    /// Of hosts that have a filled field. Not in the host: items fill fields again and again, and
    /// neither the host's rows nor its plan change by that.
    pub inventories: OrdMap<HostId, Arc<Inventory>>,
    pub globals: Arc<Globals>,
    pub access: Arc<Access>,
    /// Objects that are stored as they are written. Those that have a type as well (roles, global regular
    /// expressions) are read again at each change.
    pub documents: Documents,
    /// Made of the documents.
    pub services: Services,
}

/// Data that apply to all hosts.
#[derive(Clone, Debug, Default)]
pub struct Globals {
    /// Global user macros.
    pub macros: Vec<HostMacro>,
    /// Global regular expressions.
    pub regexps: Vec<GlobalRegexp>,
    pub settings: Arc<GlobalSettings>,
}

/// Users and their permissions.
#[derive(Clone, Debug, Default)]
pub struct Access {
    pub users: OrdMap<UserId, Arc<User>>,
    pub groups: OrdMap<UserGroupId, Arc<UserGroup>>,
    pub roles: OrdMap<RoleId, Arc<Role>>,
    pub tokens: OrdMap<TokenId, Arc<Token>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HolderKind {
    Host,
    Template,
}

/// A host or a template.
#[derive(Clone, Debug)]
pub struct Host {
    pub id: HostId,
    pub kind: HolderKind,
    /// Technical name (`host`).
    pub host: Arc<str>,
    /// Visible name.
    pub name: Arc<str>,
    pub status: HostStatus,
    pub description: String,
    pub uuid: String,
    /// Of a host; empty for templates.
    pub groups: Vec<GroupId>,
    /// Of a template; empty for hosts.
    pub template_groups: Vec<TemplateGroupId>,
    /// Directly linked templates, in order of linking.
    pub templates: Vec<HostId>,
    /// Hosts by which it is reached; circles are refused.
    pub parents: Vec<HostId>,
    pub interfaces: Vec<Interface>,
    pub macros: Vec<HostMacro>,
    pub tags: Vec<Tag>,
    pub valuemaps: Vec<ValueMap>,
    pub inventory_mode: InventoryMode,
    /// Of a template; `None`: it names no vendor.
    pub vendor: Option<Arc<Vendor>>,
    /// `None`: as by default.
    pub ipmi: Option<Arc<IpmiLogin>>,
    /// `None`: none, as by default.
    pub encryption: Option<Arc<Encryption>>,
    /// Items, discovery rules and item prototypes, by id.
    pub items: Vec<ItemRow>,
    /// Triggers and trigger prototypes, by id.
    pub triggers: Vec<TriggerRow>,
    /// Graphs and graph prototypes, by id.
    pub graphs: Vec<GraphRow>,
    /// By id.
    pub host_prototypes: Vec<HostPrototypeRow>,
    /// Of a host that discovery made.
    pub discovered: Option<Box<DiscoveredHost>>,
    /// For searches: see [`Self::forget_row_index`].
    pub row_index: RowIndex,
}

impl Host {
    /// Whether it is a host that is watched.
    #[must_use]
    pub fn is_monitored(&self) -> bool {
        self.kind == HolderKind::Host && self.status == HostStatus::Monitored
    }

    /// A monitored host with nothing on it yet.
    #[must_use]
    pub fn new(id: HostId, kind: HolderKind, host: Arc<str>, name: Arc<str>) -> Self {
        Self {
            id,
            kind,
            host,
            name,
            status: HostStatus::Monitored,
            description: String::new(),
            uuid: String::new(),
            groups: Vec::new(),
            template_groups: Vec::new(),
            templates: Vec::new(),
            parents: Vec::new(),
            interfaces: Vec::new(),
            macros: Vec::new(),
            tags: Vec::new(),
            valuemaps: Vec::new(),
            inventory_mode: InventoryMode::Disabled,
            vendor: None,
            ipmi: None,
            encryption: None,
            items: Vec::new(),
            triggers: Vec::new(),
            graphs: Vec::new(),
            host_prototypes: Vec::new(),
            discovered: None,
            row_index: RowIndex::default(),
        }
    }
}

impl ItemRow {
    /// The configured key: LLD macros expanded, user macros not.
    #[must_use]
    pub fn key(&self) -> Cow<'_, str> {
        let pattern = &self.content.key_;
        self.discovered().map_or(Cow::Borrowed(pattern), |it| it.key(pattern))
    }

    /// Whether [`Self::key`] is this one; quicker than to ask for it.
    #[inline]
    #[must_use]
    pub fn has_key(&self, key: &str) -> bool {
        comparisons::count();
        let pattern = &self.content.key_;
        self.discovered().map_or_else(|| pattern == key, |it| it.has_key(pattern, key))
    }

    /// The name with LLD macros expanded, user macros not.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        let pattern = &self.content.name;
        self.discovered().map_or(Cow::Borrowed(pattern), |it| it.name(pattern))
    }

    /// The patterns of a discovered item's key and name.
    #[must_use]
    pub fn patterns(&self) -> Patterns<'_> {
        Patterns { key: &self.content.key_, name: &self.content.name }
    }

    /// Whether values are collected for it: a plain or discovered item or a rule.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.flags.is_prototype()
    }

    /// An enabled item, as it is counted: neither a rule nor a prototype.
    #[must_use]
    pub fn is_enabled_item(&self) -> bool {
        matches!(self.flags, ItemFlags::Plain | ItemFlags::Discovered)
            && self.content.status == ItemStatus::Enabled
    }
}

impl TriggerRow {
    /// The name with LLD macros expanded.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        let pattern = &self.content.description;
        self.discovered().map_or(Cow::Borrowed(pattern), |it| it.name(pattern))
    }

    /// The pattern of a discovered trigger's name.
    #[must_use]
    pub fn patterns(&self) -> Patterns<'_> {
        Patterns { key: "", name: &self.content.description }
    }

    #[must_use]
    pub fn is_live(&self) -> bool {
        self.flags != ItemFlags::Prototype
    }
}

impl Host {
    #[must_use]
    pub fn item(&self, id: ItemId) -> Option<&ItemRow> {
        self.items.binary_search_by_key(&id, |it| it.id).ok().and_then(|at| self.items.get(at))
    }

    #[must_use]
    pub fn trigger(&self, id: TriggerId) -> Option<&TriggerRow> {
        let at = self.triggers.binary_search_by_key(&id, |it| it.id).ok()?;
        self.triggers.get(at)
    }

    /// The interface that an item uses: its own choice, else the main one of its type. Simple and
    /// other checks that take any interface prefer agent, SNMP, JMX, IPMI in this order.
    #[must_use]
    pub fn interface_of(&self, item: &ItemRow) -> Option<&Interface> {
        use crate::content::InterfaceType::{Agent, Ipmi, Jmx, Snmp};
        let chosen = item.content.interfaceid;
        if let Some(it) = self.interfaces.iter().find(|it| it.interfaceid == chosen) {
            return Some(it);
        }
        let main_of = |kind| self.interfaces.iter().find(|it| it.main && it.kind == kind);
        match item.content.kind.interface() {
            Some(kind) => main_of(kind),
            None => [Agent, Snmp, Jmx, Ipmi].into_iter().find_map(main_of),
        }
    }
}

impl Snapshot {
    /// A host or a template.
    #[must_use]
    pub fn holder(&self, id: HostId) -> Option<&Arc<Host>> {
        self.hosts.get(&id).or_else(|| self.templates.get(&id))
    }

    #[must_use]
    pub fn host_named(&self, host: &str) -> Option<&Arc<Host>> {
        self.hosts.get(self.host_by_name.get(host)?)
    }

    /// The pre-shared key of an identity, in hexadecimal digits: of hosts or of autoregistration.
    #[must_use]
    pub fn psk(&self, identity: &str) -> Option<&str> {
        let of_hosts = self.shared_keys.get(identity).and_then(SharedKey::key);
        let registration = &self.globals.settings.autoregistration;
        of_hosts.or_else(|| {
            (registration.uses_psk() && registration.psk_identity == identity)
                .then_some(registration.psk.as_str())
        })
    }

    /// Keeps [`Self::shared_keys`] as hosts are.
    pub fn count_shared_key(&mut self, before: Option<&Encryption>, now: Option<&Encryption>) {
        if let Some(before) = before.filter(|it| it.uses_psk()) {
            let identity: Arc<str> = before.psk_identity.as_str().into();
            if let Some(shared) = self.shared_keys.get_mut(&identity) {
                shared.remove(&before.psk);
                if shared.is_unused() {
                    self.shared_keys.remove(&identity);
                }
            }
        }
        if let Some(now) = now.filter(|it| it.uses_psk()) {
            let identity: Arc<str> = now.psk_identity.as_str().into();
            self.shared_keys.entry(identity).or_default().add(&now.psk);
        }
    }

    #[must_use]
    pub fn template_named(&self, host: &str) -> Option<&Arc<Host>> {
        self.templates.get(self.template_by_name.get(host)?)
    }

    /// Whether a host is in a group or in one below it, by their names.
    #[must_use]
    pub fn is_in_group(&self, host: &Host, group: GroupId) -> bool {
        if host.groups.contains(&group) {
            return true;
        }
        let Some(above) = self.host_groups.get(&group) else { return false };
        let is_below = |it: &GroupId| {
            let name = self.host_groups.get(it).map_or("", |it| it.name.as_str());
            name.strip_prefix(above.name.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        host.groups.iter().any(is_below)
    }

    /// The holder of an item, rule or prototype.
    #[must_use]
    pub fn item_holder(&self, id: ItemId) -> Option<&Arc<Host>> {
        let (_, (last, holder)) = self.item_runs.range(..=id).next_back()?;
        if *last < id { None } else { self.holder(*holder) }
    }

    #[must_use]
    pub fn item(&self, id: ItemId) -> Option<(&Arc<Host>, &ItemRow)> {
        let holder = self.item_holder(id)?;
        Some((holder, holder.item(id)?))
    }

    #[must_use]
    pub fn trigger(&self, id: TriggerId) -> Option<(&Arc<Host>, &TriggerRow)> {
        let (_, (last, holder)) = self.trigger_runs.range(..=id).next_back()?;
        if *last < id {
            return None;
        }
        let holder = self.holder(*holder)?;
        Some((holder, holder.trigger(id)?))
    }

    /// The chain of sources of an item row, itself first: its id, the row of the directly linked
    /// template, and so on up to the row that owns the content.
    pub fn item_chain(&self, row: &ItemRow) -> impl Iterator<Item = ItemId> {
        let mut next = Some((row.id, row.source));
        std::iter::from_fn(move || {
            let (id, source) = next?;
            next = source.some().and_then(|it| self.item(it)).map(|(_, it)| (it.id, it.source));
            Some(id)
        })
    }

    /// The ids by which prototypes name their rule on a holder. A discovered rule has those of its prototype.
    #[must_use]
    pub fn names_of_rule(&self, holder: &Host, rule: &ItemRow) -> Vec<ItemId> {
        let made_from = rule.discovered().filter(|_| rule.flags == ItemFlags::DiscoveredRule);
        let prototype = made_from.and_then(|it| holder.item(ItemId(it.prototype)));
        self.item_chain(prototype.unwrap_or(rule)).collect()
    }

    /// The chain of sources of a trigger row, itself first.
    pub fn trigger_chain(&self, row: &TriggerRow) -> impl Iterator<Item = TriggerId> {
        let mut next = Some((row.id, row.source));
        std::iter::from_fn(move || {
            let (id, source) = next?;
            next = source.some().and_then(|it| self.trigger(it)).map(|(_, it)| (it.id, it.source));
            Some(id)
        })
    }

    /// For a holder: every id by which content may name one of its items → position in `items`.
    /// Build it once per holder where several references are to be resolved.
    #[must_use]
    pub fn item_refs(&self, holder: &Host) -> Map<ItemId, u32> {
        let mut refs = Map::default();
        refs.reserve(holder.items.len() * 2);
        for (position, row) in holder.items.iter().enumerate() {
            let position = u32::try_from(position).expect("a holder has fewer than 2^32 items");
            for id in self.item_chain(row) {
                refs.insert(id, position);
            }
        }
        refs
    }

    /// The row of `holder` that a reference in content means. A reference to an item of another
    /// holder of its kind (triggers over several hosts or templates) is found by its id.
    #[must_use]
    pub fn item_by_ref<'a>(
        &'a self,
        holder: &'a Arc<Host>,
        reference: ItemId,
    ) -> Option<(&'a Arc<Host>, &'a ItemRow)> {
        if let Some(row) = holder.item(reference) {
            return Some((holder, row));
        }
        let owner = self.item_holder(reference)?;
        match self.inherited_item(holder, reference, owner) {
            Some(row) => Some((holder, row)),
            None => Some((owner, owner.item(reference)?)).filter(|(it, _)| it.kind == holder.kind),
        }
    }

    /// The trigger of `holder` that is inherited from another, however indirectly.
    #[must_use]
    pub fn inherited_trigger<'a>(
        &self,
        holder: &'a Host,
        reference: TriggerId,
    ) -> Option<&'a TriggerRow> {
        let (owner, _) = self.trigger(reference)?;
        if owner.kind == HolderKind::Host {
            return None;
        }
        self.trigger_inherited_from(holder, reference, owner.id)
    }

    fn trigger_inherited_from<'a>(
        &self,
        holder: &'a Host,
        reference: TriggerId,
        owner: HostId,
    ) -> Option<&'a TriggerRow> {
        holder.templates.iter().find_map(|id| {
            let source = if *id == owner {
                reference
            } else {
                self.trigger_inherited_from(self.templates.get(id)?, reference, owner)?.id
            };
            holder.trigger_by_source(source)
        })
    }

    /// The row of `holder` that is inherited from a row of `owner`, however indirectly.
    fn inherited_item<'a>(
        &self,
        holder: &'a Host,
        reference: ItemId,
        owner: &Host,
    ) -> Option<&'a ItemRow> {
        if owner.kind == HolderKind::Host {
            return None;
        }
        holder.templates.iter().find_map(|id| {
            let source = if *id == owner.id {
                reference
            } else {
                self.inherited_item(self.templates.get(id)?, reference, owner)?.id
            };
            holder.item_by_source(source)
        })
    }
}

impl Snapshot {
    /// The value map of an item: its holder's or, where it is inherited, the template's.
    #[must_use]
    pub fn value_map<'a>(&'a self, holder: &'a Host, row: &ItemRow) -> Option<&'a ValueMap> {
        let id = row.content.valuemapid.some()?;
        let of = |it: &'a Host| it.valuemaps.iter().find(|it| it.valuemapid == id);
        of(holder).or_else(|| of(self.holder(*self.valuemap_owner.get(&id)?)?))
    }

    /// As [`Self::item_by_ref`], for a reference in the content of an object that `discovered` made:
    /// a prototype means the item that the same LLD row made of it. Give `None` for all other
    /// objects: a prototype then means itself.
    #[must_use]
    pub fn item_meant<'a>(
        &'a self,
        holder: &'a Arc<Host>,
        reference: ItemId,
        discovered: Option<&Discovered>,
    ) -> Option<(&'a Arc<Host>, &'a ItemRow)> {
        let (of, row) = self.item_by_ref(holder, reference)?;
        let Some(discovered) = discovered.filter(|_| row.flags == ItemFlags::Prototype) else {
            return Some((of, row));
        };
        Some((holder, holder.item_made_of(row.id, &discovered.row)?))
    }
}

/// The changes from one published snapshot to the next. A host is named when anything of it changed,
/// including inherited objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// The epoch of the new snapshot.
    pub epoch: u64,
    pub hosts_changed: Vec<HostId>,
    pub hosts_removed: Vec<HostId>,
    pub templates_changed: Vec<HostId>,
    pub templates_removed: Vec<HostId>,
    /// Global macros or settings changed: every host is affected.
    pub globals_changed: bool,
    /// Global regular expressions changed: objects that name one are affected.
    pub regexps_changed: bool,
    /// Users, groups of users, roles or tokens changed.
    pub access_changed: bool,
    /// Host groups or template groups changed.
    pub groups_changed: bool,
    /// Documents that were made, changed or removed: kind and id.
    pub documents_changed: Vec<(&'static str, u64)>,
    /// Hosts whose inventory changed. If nothing else did, the epoch is the same.
    pub inventories_changed: Vec<HostId>,
}

impl Delta {
    /// Whether nothing but inventories changed: monitoring goes on as it is.
    #[must_use]
    pub fn is_of_inventories(&self) -> bool {
        let Self {
            epoch: _,
            hosts_changed,
            hosts_removed,
            templates_changed,
            templates_removed,
            globals_changed,
            regexps_changed,
            access_changed,
            groups_changed,
            documents_changed,
            inventories_changed,
        } = self;
        let holders = [hosts_changed, hosts_removed, templates_changed, templates_removed];
        let flags = [globals_changed, regexps_changed, access_changed, groups_changed];
        !inventories_changed.is_empty()
            && documents_changed.is_empty()
            && holders.into_iter().all(Vec::is_empty)
            && !flags.into_iter().any(|it| *it)
    }
}
