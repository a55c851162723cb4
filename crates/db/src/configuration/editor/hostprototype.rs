//! Host prototypes.

use std::sync::Arc;

use model::content::{HostMacro, HostPrototypeContent, HostStatus, Interface, ItemFlags};
use model::snapshot::{
    DiscoveredHost, GroupDiscovery, HolderKind, Host, HostPrototypeRow, Snapshot,
};
use model::{GroupId, HostId, InterfaceId, ItemId};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::{
    id_field, ids_field, int_field, merge, objects_field, overrides_of, text_field,
};
use super::inherited_rows::InheritedRow;
use crate::error::{ConfigError, edited};

type Fields = JsonMap<String, Json>;

/// The API names groups in two lists, and writes `discover` as 0 for yes.
fn merge_prototype(
    id: HostId,
    base: &HostPrototypeContent,
    mut fields: Fields,
) -> Result<HostPrototypeContent, ConfigError> {
    let groups = linked_groups(id, base, &fields)?;
    let templates = ids_field(&fields, "templates", "templateid");
    let discover = int_field(&fields, "discover");
    let names = named_groups(id, base, &fields)?;
    for name in ["groups", "group_names", "group_keys", "templates", "discover", "ruleid"] {
        fields.remove(name);
    }
    let mut content: HostPrototypeContent = merge(base, &fields)?;
    if let Some(ids) = groups {
        content.groups = ids;
    }
    if let Some(names) = names {
        content.set_group_names(names);
    }
    if let Some(ids) = templates {
        content.templates = ids.into_iter().map(HostId).collect();
    }
    if let Some(discover) = discover {
        content.discover = discover == 0;
    }
    if content.name.is_empty() {
        content.name.clone_from(&content.host);
    }
    if !content.custom_interfaces {
        content.interfaces.clear();
    }
    Ok(content)
}

/// The error for an unknown group of a prototype, with the path of its id.
fn unknown_group(list: &str, at: usize) -> ConfigError {
    ConfigError::invalid(
        edited(list).element(at).member("group_prototypeid"),
        "object does not exist, or you have no permissions to it",
    )
}

/// Groups that are there. One that names its id only stays.
fn linked_groups(
    id: HostId,
    base: &HostPrototypeContent,
    fields: &Fields,
) -> Result<Option<Vec<GroupId>>, ConfigError> {
    let Some(list) = objects_field(fields, "groupLinks") else { return Ok(None) };
    let mut groups = Vec::new();
    for (at, it) in list.into_iter().enumerate() {
        let link = id_field(it, "group_prototypeid");
        let known = match link {
            Some(link) => {
                let mut known = base.groups.iter();
                let known = known.find(|it| HostPrototypeRow::group_link_id(id, **it) == link);
                Some(*known.ok_or_else(|| unknown_group("groupLinks", at))?)
            }
            None => None,
        };
        groups.extend(id_field(it, "groupid").map(GroupId).or(known));
    }
    Ok(Some(groups))
}

/// Names, each with the one before.
type GroupNames = Vec<(String, Option<String>)>;

/// Names of groups, each with the one that it had before if its id is given.
fn named_groups(
    id: HostId,
    base: &HostPrototypeContent,
    fields: &Fields,
) -> Result<Option<GroupNames>, ConfigError> {
    let Some(list) = objects_field(fields, "groupPrototypes") else { return Ok(None) };
    let mut names = GroupNames::new();
    for (at, it) in list.into_iter().enumerate() {
        let before = match id_field(it, "group_prototypeid") {
            Some(group) => {
                let mut known = base.group_names.iter();
                let known =
                    known.find(|it| HostPrototypeRow::named_group_id(id, base, it) == group);
                Some(known.ok_or_else(|| unknown_group("groupPrototypes", at))?.clone())
            }
            None => None,
        };
        if before.is_some() && names.iter().any(|it| it.1 == before) {
            return Err(unknown_group("groupPrototypes", at));
        }
        let name = text_field(it, "name").map(str::to_owned).or_else(|| before.clone());
        if let Some(name) = name.as_ref().filter(|name| names.iter().any(|it| it.0 == **name)) {
            let what = format!("value (name)=({name}) already exists");
            return Err(ConfigError::invalid(edited("groupPrototypes").element(at), what));
        }
        names.extend(name.map(|it| (it, before)));
    }
    Ok(Some(names))
}

impl Editor {
    pub(super) fn host_prototype(
        &self,
        id: HostId,
    ) -> Result<(&Arc<Host>, &HostPrototypeRow), ConfigError> {
        self.next.host_prototype(id).ok_or_else(ConfigError::no_permissions)
    }

    pub(super) fn create_host_prototype(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let rule = ItemId(id_field(&fields, "ruleid").unwrap_or_default());
        let (holder, row) = self.item(rule)?;
        if !row.flags.has_prototypes() {
            return Err(ConfigError::no_permissions());
        }
        let (holder_id, kind) = (holder.id, holder.kind);
        let base = HostPrototypeContent::default();
        let mut content = self.merged_prototype(HostId::NONE, &base, fields)?;
        content.ruleid = rule;
        if kind == HolderKind::Host {
            content.uuid.clear();
        }
        let id = HostId(self.take_id());
        self.check_host_prototype(holder_id, id, &content)?;
        let row = HostPrototypeRow {
            id,
            source: HostId::NONE,
            content: Arc::new(content),
            extra: None,
            flags: ItemFlags::Prototype,
        };
        self.push_rows(holder_id, vec![row]);
        self.inherit_rows::<HostPrototypeRow>(holder_id, &[id.0])?;
        Ok(id.0)
    }

    /// Merges the given fields of a prototype into its content. Macros that stay keep their ids.
    fn merged_prototype(
        &mut self,
        id: HostId,
        base: &HostPrototypeContent,
        mut fields: Fields,
    ) -> Result<HostPrototypeContent, ConfigError> {
        let macros =
            fields.remove("macros").map(|it| Fields::from_iter([("macros".to_owned(), it)]));
        let mut content = merge_prototype(id, base, fields)?;
        if let Some(list) = macros.as_ref().and_then(|it| objects_field(it, "macros")) {
            content.macros = self.merged_macros(&base.macros, &list, "hostmacroid")?;
        }
        for it in &mut content.interfaces {
            let with_id = |id| Interface { interfaceid: id, ..it.clone() };
            let known = base.interfaces.iter().find(|old| **old == with_id(old.interfaceid));
            it.interfaceid = match known {
                Some(known) => known.interfaceid,
                None => InterfaceId(self.take_id()),
            };
        }
        Ok(content)
    }

    fn check_host_prototype(
        &self,
        holder: HostId,
        id: HostId,
        content: &HostPrototypeContent,
    ) -> Result<(), ConfigError> {
        let of = self.holder(holder)?;
        if !lang::macros::has_lld_macro(&content.host) {
            let what = "must contain at least one low-level discovery macro";
            return Err(ConfigError::invalid(edited("host"), what));
        }
        if content.groups.is_empty() {
            return Err(ConfigError::invalid(edited("groupLinks"), "cannot be empty"));
        }
        if content.groups.iter().any(|it| !self.next.host_groups.contains_key(it))
            || content.templates.iter().any(|it| !self.next.templates.contains_key(it))
        {
            return Err(ConfigError::no_permissions());
        }
        // Rules of one holder may make hosts by the same name.
        let rules = self.names_of_rule_of(of, content);
        let is_other = |it: &HostPrototypeRow| it.id != id;
        let by_name = |it: &ItemId| of.host_prototype_by_name_where(*it, &content.host, is_other);
        let by_visible_name =
            |it: &ItemId| of.host_prototype_by_visible_name_where(*it, &content.name, is_other);
        let (what, name) = if rules.iter().any(|it| by_name(it).is_some()) {
            ("host name", &content.host)
        } else if rules.iter().any(|it| by_visible_name(it).is_some()) {
            ("visible name", &content.name)
        } else {
            return Ok(());
        };
        let rule = self.next.item_by_ref(of, content.ruleid);
        Err(ConfigError::parameters(format_args!(
            "Host prototype with {what} \"{name}\" already exists in discovery rule \"{}\".",
            rule.map(|(_, it)| it.name()).unwrap_or_default()
        )))
    }

    /// The ids by which prototypes of a holder name the rule which this content names.
    fn names_of_rule_of(&self, holder: &Arc<Host>, content: &HostPrototypeContent) -> Vec<ItemId> {
        let rule = self.next.item_by_ref(holder, content.ruleid);
        rule.map_or_else(|| vec![content.ruleid], |(_, rule)| self.next.item_chain(rule).collect())
    }

    pub(super) fn update_host_prototype(
        &mut self,
        id: u64,
        fields: Fields,
    ) -> Result<(), ConfigError> {
        let id = HostId(id);
        let (holder, row) = self.host_prototype(id)?;
        let (holder_id, row) = (holder.id, row.clone());
        let mut content = self.merged_prototype(id, &row.content, fields)?;
        content.ruleid = row.content.ruleid;
        if row.source.is_some() {
            let base = Arc::clone(&self.host_prototype(row.source)?.1.content);
            let overrides = overrides_of::<HostPrototypeRow>(&base, &content)?;
            return self.set_row_overrides::<HostPrototypeRow>(holder_id, id.0, &base, overrides);
        }
        if self.holder(holder_id)?.kind == HolderKind::Host {
            content.uuid.clone_from(&row.content.uuid);
        }
        self.check_host_prototype(holder_id, id, &content)?;
        self.set_row_content::<HostPrototypeRow>(holder_id, id.0, content)
    }

    /// Says where a discovered host comes from.
    pub(crate) fn set_discovery_of_host(&mut self, id: HostId, it: DiscoveredHost) {
        self.holder_mut(id).discovered = Some(Box::new(it));
    }

    pub(crate) fn set_discovered_host_status(&mut self, id: HostId, status: HostStatus) {
        self.holder_mut(id).status = status;
    }

    /// Replaces what is known of why a group is there.
    pub(crate) fn set_group_discoveries(&mut self, id: GroupId, list: Vec<GroupDiscovery>) {
        self.next.group_discoveries.insert(id, Arc::new(list));
        self.groups_changed = true;
    }

    /// Forgets reasons of discovered groups to be there. One without any is deleted, unless
    /// something can't be without it.
    pub(crate) fn drop_group_discoveries(&mut self, is_gone: impl Fn(&GroupDiscovery) -> bool) {
        let with_gone =
            self.next.group_discoveries.iter().filter(|(_, it)| it.iter().any(&is_gone));
        let with_gone: Vec<(GroupId, Vec<GroupDiscovery>)> = with_gone
            .map(|(id, it)| (*id, it.iter().filter(|it| !is_gone(it)).cloned().collect()))
            .collect();
        for (id, left) in with_gone {
            if left.is_empty() {
                drop(self.attempt(|e| e.delete_host_groups(&[id.0])));
            } else {
                self.set_group_discoveries(id, left);
            }
        }
    }

    /// A template that is going is linked by no prototype any more.
    pub(super) fn leave_host_prototypes(&mut self, template: HostId) -> Result<(), ConfigError> {
        let linking: Vec<(HostId, HostId, HostPrototypeContent)> = self
            .next
            .host_prototypes()
            .filter(|(_, it)| it.source.is_none() && it.content.templates.contains(&template))
            .map(|(of, it)| (of.id, it.id, HostPrototypeContent::clone(&it.content)))
            .collect();
        for (holder, id, mut content) in linking {
            content.templates.retain(|it| *it != template);
            self.set_row_content::<HostPrototypeRow>(holder, id.0, content)?;
        }
        Ok(())
    }

    pub(super) fn delete_host_prototypes(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        for id in ids {
            if self.host_prototype(HostId(*id))?.1.source.is_some() {
                return Err(ConfigError::parameters("Cannot delete templated host prototype."));
            }
        }
        self.remove_host_prototypes(ids.iter().map(|it| HostId(*it)).collect());
        Ok(())
    }
}

/// In the words of a holder, which knows the rule by another id.
pub(super) fn with_rule(content: &HostPrototypeContent, rule: ItemId) -> HostPrototypeContent {
    HostPrototypeContent { ruleid: rule, ..content.clone() }
}

/// Expands by the row the parts that hosts have from prototypes: texts of macros and interfaces.
pub(crate) fn expand_host_parts(
    macros: &mut [HostMacro],
    interfaces: &mut [Interface],
    expand: &dyn Fn(&str) -> String,
) {
    for it in macros {
        it.name = expand(&it.name);
        it.value = expand(&it.value);
        it.description = expand(&it.description);
    }
    for it in interfaces {
        it.ip = expand(&it.ip);
        it.dns = expand(&it.dns);
        it.port = expand(&it.port);
        if let Some(details) = &mut it.details {
            for text in [
                &mut details.community,
                &mut details.securityname,
                &mut details.authpassphrase,
                &mut details.privpassphrase,
                &mut details.contextname,
            ] {
                *text = expand(text);
            }
        }
    }
}

impl InheritedRow for HostPrototypeRow {
    fn runs(snapshot: &mut Snapshot) -> &mut imbl::OrdMap<HostId, (HostId, HostId)> {
        &mut snapshot.host_prototype_runs
    }

    fn written_name(content: &HostPrototypeContent) -> &str {
        &content.host
    }

    fn check_adoptable(
        e: &Editor,
        child: &Arc<Host>,
        own: &Self,
        source: &Self,
    ) -> Result<(), ConfigError> {
        let rule = |it: &Self| e.snapshot().item_by_ref(child, it.content.ruleid).map(|it| it.1.id);
        if own.source.is_none() && rule(own) == rule(source) {
            return Ok(());
        }
        Err(Self::name_taken(child, own))
    }

    fn name_taken(child: &Host, taken: &Self) -> ConfigError {
        ConfigError::parameters(format_args!(
            "Host prototype with host name \"{}\" already exists on \"{}\".",
            taken.content.host, child.name
        ))
    }

    fn by_source(child: &Host, source: u64) -> Option<&Self> {
        child.host_prototype_by_source(HostId(source))
    }

    fn by_name_of<'h>(
        e: &Editor,
        child: &'h Arc<Host>,
        content: &HostPrototypeContent,
        may_be: impl Fn(&Self) -> bool,
    ) -> Option<&'h Self> {
        let rules = e.names_of_rule_of(child, content);
        let found = |it: ItemId| child.host_prototype_by_name_where(it, &content.host, &may_be);
        rules.into_iter().find_map(found)
    }

    fn to_change(holder: &mut Host, id: u64) -> Option<&mut Self> {
        holder.host_prototype_to_change(HostId(id))
    }

    fn push(holder: &mut Host, rows: Vec<Self>) {
        holder.push_host_prototypes(rows);
    }

    fn adopted(_: &mut Editor, _: u64) {}

    // Hosts that discovery made make none.
    fn may_inherit(child: &Host) -> bool {
        !child.is_discovered()
    }

    // The next run of the rule brings hosts to what their prototype says.
    fn follow_prototype(
        _: &mut Editor,
        _: HostId,
        _: u64,
        _: &Arc<HostPrototypeContent>,
        _: &Arc<HostPrototypeContent>,
    ) {
    }
}
