//! How what a template says reaches the hosts and templates below it: rows that appear (created or
//! adopted), content that changes, and what discovery made from it.
//!
//! Inherited rows share the content of their source, so passing on a change costs one pointer a
//! row. An override of a field that the template changes goes: the template writes through.

use std::sync::Arc;

use model::content::{
    FunctionRef, ItemContent, ItemFlags, ItemOverrides, ItemStatus, ItemType, TriggerContent,
    TriggerOverrides, TriggerStatus,
};
use model::map::Map;
use model::snapshot::{
    HolderKind, Host, ItemExtra, ItemRow, Patterns, TriggerExtra, TriggerRow, TriggerText,
};
use model::{HostId, ItemId, TriggerId};

use super::Editor;
use super::item::may_have_nested;
use super::messages::{called, key_exists, noun};
use crate::configuration::lld::expand;
use crate::error::ConfigError;

/// Rows of one template on their way to its children: gathered once, for thousands of them.
pub(super) struct Incoming {
    template: HostId,
    rows: Vec<ItemRow>,
    by_key: Map<Arc<str>, usize>,
    /// Those that fill fields of the inventory.
    fillers: Vec<ItemId>,
    /// A rule of the type *Nested*, if there is one.
    nested: Option<ItemId>,
}

impl Incoming {
    /// `rows` of a template; discovered ones are never inherited.
    pub(super) fn new(template: HostId, rows: Vec<ItemRow>) -> Self {
        let by_key =
            rows.iter().enumerate().map(|(at, it)| (it.key().as_ref().into(), at)).collect();
        let fills = |it: &&ItemRow| it.content.inventory_link != 0;
        let fillers = rows.iter().filter(fills).map(|it| it.id).collect();
        let nested = rows.iter().find(|it| is_nested(it)).map(|it| it.id);
        Self { template, rows, by_key, fillers, nested }
    }
}

/// Whether it is a rule of the type *Nested* that no rule made.
fn is_nested(row: &ItemRow) -> bool {
    row.flags == ItemFlags::Rule && row.content.kind == ItemType::Nested
}

impl Editor {
    /// Passes new rows of a template on to its children, and on from there.
    pub(super) fn inherit_items(
        &mut self,
        template: HostId,
        ids: &[ItemId],
    ) -> Result<(), ConfigError> {
        let children = self.children(template);
        if children.is_empty() {
            return Ok(());
        }
        let holder = self.holder(template)?;
        let rows = ids.iter().filter_map(|it| holder.item(*it).cloned()).collect();
        let incoming = Incoming::new(template, rows);
        for child in children.iter() {
            self.inherit_into(*child, &incoming)?;
        }
        Ok(())
    }

    /// Gives a holder its rows of a template, adopting own ones with the same key.
    pub(super) fn inherit_into(
        &mut self,
        child: HostId,
        incoming: &Incoming,
    ) -> Result<(), ConfigError> {
        self.check_nested(child, incoming.nested)?;
        let adopted = self.find_adopted(child, incoming)?;
        let n_new = incoming.rows.len() - adopted.len();
        let mut next_id = self.ids.take_run(u64::try_from(n_new).unwrap_or(u64::MAX));
        let mut new_rows = Vec::with_capacity(n_new);
        for (at, source) in incoming.rows.iter().enumerate() {
            if !adopted.is_empty() && adopted.contains_key(&at) {
                continue;
            }
            new_rows.push(ItemRow {
                id: ItemId(next_id),
                source: source.id,
                content: Arc::clone(&source.content),
                extra: None,
                flags: source.flags,
            });
            next_id += 1;
        }
        let is_template = self.holder(child)?.kind == HolderKind::Template;
        let mut passed_on: Vec<ItemId> = Vec::new();
        if is_template {
            passed_on.extend(new_rows.iter().map(|it| it.id));
        }
        self.push_items(child, new_rows);
        for (at, id) in adopted {
            if let (Some(source), Some(id)) = (incoming.rows.get(at), id) {
                self.adopt_item(child, id, source)?;
            }
        }
        self.check_inherited_links(child, incoming)?;
        if is_template { self.inherit_items(child, &passed_on) } else { Ok(()) }
    }

    /// Only hosts that discovery made have rows for rules of the type *Nested*.
    fn check_nested(&self, child: HostId, rule: Option<ItemId>) -> Result<(), ConfigError> {
        let Some(rule) = rule else { return Ok(()) };
        let holder = self.holder(child)?;
        if may_have_nested(holder) {
            return Ok(());
        }
        let (_, row) = self.item(rule)?;
        let root = self.next.item_chain(row).last().and_then(|it| self.next.item_holder(it));
        Err(ConfigError::parameters(format_args!(
            "The nested LLD rule with key \"{}\" of the template \"{}\" cannot be inherited to \
             non-discovered host \"{}\".",
            row.key(),
            root.map_or("", |it| &*it.host),
            holder.host
        )))
    }

    /// No inherited item may fill a field of the inventory that another one fills.
    fn check_inherited_links(&self, child: HostId, incoming: &Incoming) -> Result<(), ConfigError> {
        for source in &incoming.fillers {
            let holder = self.holder(child)?;
            let Some(row) = holder.item_by_source(*source) else { continue };
            self.check_inventory_link(
                child,
                (row.id, &*row.key()),
                &row.content,
                Some(incoming.template),
            )?;
        }
        Ok(())
    }

    /// Position in `incoming` → the child's own row that becomes the inherited one; `None` where
    /// the child has the inherited row already.
    fn find_adopted(
        &self,
        child: HostId,
        incoming: &Incoming,
    ) -> Result<Map<usize, Option<ItemId>>, ConfigError> {
        let holder = self.holder(child)?;
        let mut adopted = Map::default();
        let mut note = |existing: &ItemRow, at: usize, source: &ItemRow| {
            let id = if existing.source == source.id {
                None
            } else {
                self.check_adoptable(holder, existing, source, incoming.template)?;
                Some(existing.id)
            };
            adopted.insert(at, id);
            Ok::<(), ConfigError>(())
        };
        // The shorter list is gone through, the longer one is looked up in.
        if incoming.rows.len() < holder.items.len() / 4 {
            for (at, source) in incoming.rows.iter().enumerate() {
                if let Some(existing) = holder.item_by_key(&source.key()) {
                    note(existing, at, source)?;
                }
            }
            return Ok(adopted);
        }
        for existing in &holder.items {
            let Some(at) = incoming.by_key.get(&*existing.key()) else { continue };
            if let Some(source) = incoming.rows.get(*at) {
                note(existing, *at, source)?;
            }
        }
        Ok(adopted)
    }

    fn check_adoptable(
        &self,
        holder: &Arc<Host>,
        existing: &ItemRow,
        source: &ItemRow,
        template: HostId,
    ) -> Result<(), ConfigError> {
        let refused = |why: String| {
            let template = self.next.holder(template).map_or("", |it| &*it.host);
            Err(ConfigError::parameters(format_args!(
                "Cannot inherit {} with key \"{}\" of template \"{template}\" to {}, because {why}.",
                noun(source.flags),
                source.key(),
                called(holder),
            )))
        };
        if existing.source.is_some() {
            let of = self.next.item_holder(existing.source).map_or("", |it| &*it.host);
            return refused(format!(
                "an {} with the same key is already inherited from template \"{of}\"",
                noun(existing.flags)
            ));
        }
        if existing.flags != source.flags {
            return refused(format!(
                "an {} with the same key already exists",
                noun(existing.flags)
            ));
        }
        if existing.flags.is_prototype() {
            let rule = self.next.item_by_ref(holder, source.content.ruleid).map(|(_, it)| it.id);
            if rule != Some(existing.content.ruleid) {
                return refused(format!(
                    "an {} with the same key already belongs to another LLD rule",
                    noun(existing.flags)
                ));
            }
        }
        Ok(())
    }

    /// An own item becomes the inherited one: it keeps its id, and with it history, and its
    /// interface, which is always the host's own.
    fn adopt_item(
        &mut self,
        child: HostId,
        id: ItemId,
        source: &ItemRow,
    ) -> Result<(), ConfigError> {
        let old = Arc::clone(&self.item(id)?.1.content);
        let interfaceid = (old.interfaceid.is_some() && old.kind == source.content.kind)
            .then_some(old.interfaceid);
        let overrides = ItemOverrides { interfaceid, ..ItemOverrides::default() };
        let (overrides, content) = self.applied.of::<ItemRow>(overrides, &source.content);
        let row = self.item_mut(child, id);
        row.source = source.id;
        row.content = Arc::clone(&content);
        row.extra = ItemExtra::of(overrides);
        self.propagate_item(child, id, &old, &content)
    }

    /// A row's effective content has changed: those that inherit from it, or were discovered by
    /// it, follow.
    pub(super) fn propagate_item(
        &mut self,
        holder: HostId,
        id: ItemId,
        old: &Arc<ItemContent>,
        new: &Arc<ItemContent>,
    ) -> Result<(), ConfigError> {
        for child in self.children(holder).iter() {
            self.follow_item(*child, id, old, new)?;
        }
        let (_, row) = self.item(id)?;
        if row.flags.is_prototype() {
            self.follow_item_prototype(holder, id, old, new);
        }
        Ok(())
    }

    fn follow_item(
        &mut self,
        child: HostId,
        source: ItemId,
        old: &Arc<ItemContent>,
        new: &Arc<ItemContent>,
    ) -> Result<(), ConfigError> {
        let holder = self.holder(child)?;
        let Some(row) = holder.item_by_source(source) else { return Ok(()) };
        let id = row.id;
        if row.flags == ItemFlags::Rule && new.kind == ItemType::Nested && old.kind != new.kind {
            self.check_nested(child, Some(source))?;
        }
        if old.key_ != new.key_
            && let Some(it) = holder.item_by_key_where(&new.key_, |it| it.id != id)
        {
            return Err(key_exists(holder, it));
        }
        let before = Arc::clone(&row.content);
        let applied = self.applied.clone();
        let template = self.next.item_holder(source).map(|it| it.id);
        let row = self.item_mut(child, id);
        let mut content = Arc::clone(new);
        if let Some(mut overrides) = row.overrides().cloned() {
            overrides.write_through(old, new);
            let (overrides, effective) = applied.of::<ItemRow>(overrides, new);
            row.extra = ItemExtra::of(overrides);
            content = effective;
        }
        row.content = Arc::clone(&content);
        let item = (id, &*content.key_);
        self.check_new_inventory_link(child, item, (&before, &content), template)?;
        self.propagate_item(child, id, &before, &content)
    }

    /// Objects made by a prototype share its content. The status counted at creation only, so it
    /// stays; a new key or name is expanded with the row at once, so that ids and history are kept.
    fn follow_item_prototype(
        &mut self,
        holder: HostId,
        prototype: ItemId,
        old: &Arc<ItemContent>,
        new: &Arc<ItemContent>,
    ) {
        let Ok(host) = self.holder(holder) else { return };
        if host.kind == HolderKind::Template {
            return;
        }
        let made = host.items_made_by(prototype);
        let zone = self.zone.clone();
        let applied = self.applied.clone();
        for id in made {
            let Ok((host, row)) = self.item(id) else { continue };
            let renamed = row.discovered().filter(|_| old.key_ != new.key_);
            let renamed = renamed.map(|it| expand::key(&new.key_, &it.row, &zone));
            let renamed = renamed.filter(|it| host.item_by_key(it).is_none());
            let row = self.item_mut(holder, id);
            let (mut key, mut name) = (row.key().into_owned(), row.name().into_owned());
            let Some(extra) = &mut row.extra else { continue };
            let Some(discovered) = &mut extra.discovered else { continue };
            let mut overrides = extra.overrides.as_deref().cloned().unwrap_or_default();
            if old.status != new.status && overrides.status.is_none() {
                overrides.status = Some(old.status);
            }
            if let Some(renamed) = renamed {
                key = renamed;
            }
            if old.name != new.name {
                name = expand::text(&new.name, &discovered.row, &zone);
            }
            discovered.set_texts(Patterns { key: &new.key_, name: &new.name }, &key, &name);
            (extra.overrides, row.content) = applied.of::<ItemRow>(overrides, new);
        }
    }

    pub(crate) fn set_discovered_item_status(
        &mut self,
        holder: HostId,
        id: ItemId,
        status: ItemStatus,
    ) {
        self.change_discovered_item(holder, id, |overrides, base| {
            overrides.status = (base.status != status).then_some(status);
        });
    }

    /// Sets the changes by overrides of its rule on a discovered item.
    pub(crate) fn set_discovered_item_overrides(
        &mut self,
        holder: HostId,
        id: ItemId,
        overrides: ItemOverrides,
    ) {
        self.change_discovered_item(holder, id, |it, _| *it = overrides);
    }

    fn change_discovered_item(
        &mut self,
        holder: HostId,
        id: ItemId,
        change: impl FnOnce(&mut ItemOverrides, &ItemContent),
    ) {
        let Ok((_, row)) = self.item(id) else { return };
        let Some(discovered) = row.discovered() else { return };
        let Ok((_, prototype)) = self.item(ItemId(discovered.prototype)) else { return };
        let base = Arc::clone(&prototype.content);
        let applied = self.applied.clone();
        let row = self.item_mut(holder, id);
        let Some(extra) = &mut row.extra else { return };
        let mut overrides = extra.overrides.as_deref().cloned().unwrap_or_default();
        change(&mut overrides, &base);
        (extra.overrides, row.content) = applied.of::<ItemRow>(overrides, &base);
    }

    // Triggers.

    /// Passes new triggers of a template on to all that link it.
    pub(super) fn inherit_triggers(
        &mut self,
        template: HostId,
        ids: &[TriggerId],
    ) -> Result<(), ConfigError> {
        for child in self.children(template).iter() {
            self.inherit_triggers_into(*child, template, ids)?;
        }
        Ok(())
    }

    /// Gives a holder the triggers of a template, adopting own ones with the same name and
    /// expression. Items are there already.
    pub(super) fn inherit_triggers_into(
        &mut self,
        child: HostId,
        template: HostId,
        ids: &[TriggerId],
    ) -> Result<(), ConfigError> {
        let from = Arc::clone(self.holder(template)?);
        let mut new_rows = Vec::with_capacity(ids.len());
        let mut passed_on = Vec::new();
        let holder = self.holder(child)?;
        let (kind, has_any) = (holder.kind, !holder.triggers.is_empty());
        for source in ids.iter().filter_map(|it| from.trigger(*it)) {
            if self.cross.triggers.contains(&source.id) {
                self.check_all_linked(self.holder(child)?, &from, source)?;
            }
            if has_any {
                // Looked up each time: a held reference would make the change a copy.
                let holder = self.holder(child)?;
                if holder.trigger_by_source(source.id).is_some() {
                    continue;
                }
                if let Some(own) = self.find_same_trigger(holder, source) {
                    self.adopt_trigger(child, own, source)?;
                    passed_on.push(own);
                    continue;
                }
            }
            new_rows.push(TriggerRow {
                id: TriggerId(self.ids.take()),
                source: source.id,
                content: Arc::clone(&source.content),
                extra: None,
                flags: source.flags,
            });
        }
        passed_on.extend(new_rows.iter().map(|it| it.id));
        // A trigger over several templates becomes one within this holder; nothing crosses here.
        self.push_triggers(child, new_rows);
        if kind == HolderKind::Template {
            self.inherit_triggers(child, &passed_on)?;
        }
        Ok(())
    }

    /// All items of a trigger over several templates must be there.
    fn check_all_linked(
        &self,
        holder: &Arc<Host>,
        template: &Host,
        source: &TriggerRow,
    ) -> Result<(), ConfigError> {
        for function in &source.content.functions {
            let is_here = self
                .next
                .item_by_ref(holder, function.item)
                .is_some_and(|(it, _)| it.id == holder.id);
            if !is_here {
                let other = self.next.item_holder(function.item).map_or("", |it| &*it.host);
                return Err(ConfigError::parameters(format_args!(
                    "Cannot link template \"{}\" without template \"{other}\" to {} due to \
                     expression of trigger \"{}\".",
                    template.host,
                    called(holder),
                    source.content.description
                )));
            }
        }
        Ok(())
    }

    /// An own trigger of the holder with the name and expression of a template's.
    fn find_same_trigger(&self, holder: &Arc<Host>, source: &TriggerRow) -> Option<TriggerId> {
        let wanted = &source.content;
        let with_own_item = |it: &FunctionRef| {
            let (_, own) = self.next.item_by_ref(holder, it.item)?;
            Some(FunctionRef { item: own.id, ..it.clone() })
        };
        let functions: Option<Vec<_>> = wanted.functions.iter().map(with_own_item).collect();
        let text = TriggerText { functions: &functions?, ..TriggerText::of(wanted) };
        let own = holder.trigger_by_text_where(text, |it| {
            it.source.is_none() && it.discovered().is_none() && it.flags == source.flags
        });
        own.map(|it| it.id)
    }

    fn adopt_trigger(
        &mut self,
        child: HostId,
        id: TriggerId,
        source: &TriggerRow,
    ) -> Result<(), ConfigError> {
        let old = Arc::clone(&self.trigger(id)?.1.content);
        let row = self.trigger_mut(child, id);
        row.source = source.id;
        row.content = Arc::clone(&source.content);
        row.extra = None;
        self.cross.triggers.remove(&id);
        self.propagate_trigger(child, id, &old, &source.content)
    }

    /// As [`Self::propagate_item`].
    pub(super) fn propagate_trigger(
        &mut self,
        holder: HostId,
        id: TriggerId,
        old: &Arc<TriggerContent>,
        new: &Arc<TriggerContent>,
    ) -> Result<(), ConfigError> {
        for child in self.children(holder).iter() {
            self.follow_trigger(*child, id, old, new)?;
        }
        // A trigger over several templates is inherited also by those that link the others; they
        // link all of them, hence this one too.
        if self.trigger(id)?.1.flags == ItemFlags::Prototype {
            self.follow_trigger_prototype(holder, id, old, new);
        }
        Ok(())
    }

    fn follow_trigger(
        &mut self,
        child: HostId,
        source: TriggerId,
        old: &Arc<TriggerContent>,
        new: &Arc<TriggerContent>,
    ) -> Result<(), ConfigError> {
        let holder = self.holder(child)?;
        let Some(row) = holder.trigger_by_source(source) else { return Ok(()) };
        let id = row.id;
        let before = Arc::clone(&row.content);
        let applied = self.applied.clone();
        let row = self.trigger_mut(child, id);
        let mut content = Arc::clone(new);
        if let Some(mut overrides) = row.overrides().cloned() {
            overrides.write_through(old, new);
            let (overrides, effective) = applied.of::<TriggerRow>(overrides, new);
            row.extra = TriggerExtra::of(overrides);
            content = effective;
        }
        row.content = Arc::clone(&content);
        self.propagate_trigger(child, id, &before, &content)
    }

    fn follow_trigger_prototype(
        &mut self,
        holder: HostId,
        prototype: TriggerId,
        old: &Arc<TriggerContent>,
        new: &Arc<TriggerContent>,
    ) {
        let Ok(host) = self.holder(holder) else { return };
        if host.kind == HolderKind::Template {
            return;
        }
        let made = host.triggers_made_by(prototype);
        let zone = self.zone.clone();
        let applied = self.applied.clone();
        for id in made {
            let row = self.trigger_mut(holder, id);
            let mut name = row.name().into_owned();
            let Some(extra) = &mut row.extra else { continue };
            let Some(discovered) = &mut extra.discovered else { continue };
            let mut overrides = extra.overrides.as_deref().cloned().unwrap_or_default();
            if old.status != new.status && overrides.status.is_none() {
                overrides.status = Some(old.status);
            }
            if old.description != new.description {
                name = expand::text(&new.description, &discovered.row, &zone);
            }
            discovered.set_texts(Patterns { key: "", name: &new.description }, "", &name);
            (extra.overrides, row.content) = applied.of::<TriggerRow>(overrides, new);
        }
    }

    pub(crate) fn set_discovered_trigger_status(
        &mut self,
        holder: HostId,
        id: TriggerId,
        status: TriggerStatus,
    ) {
        self.change_discovered_trigger(holder, id, |overrides, base| {
            overrides.status = (base.status != status).then_some(status);
        });
    }

    /// Sets the changes by overrides of its rule on a discovered trigger.
    pub(crate) fn set_discovered_trigger_overrides(
        &mut self,
        holder: HostId,
        id: TriggerId,
        overrides: TriggerOverrides,
    ) {
        self.change_discovered_trigger(holder, id, |it, _| *it = overrides);
    }

    fn change_discovered_trigger(
        &mut self,
        holder: HostId,
        id: TriggerId,
        change: impl FnOnce(&mut TriggerOverrides, &TriggerContent),
    ) {
        let Ok((_, row)) = self.trigger(id) else { return };
        let Some(discovered) = row.discovered() else { return };
        let Ok((_, prototype)) = self.trigger(TriggerId(discovered.prototype)) else { return };
        let base = Arc::clone(&prototype.content);
        let applied = self.applied.clone();
        let row = self.trigger_mut(holder, id);
        let Some(extra) = &mut row.extra else { return };
        let mut overrides = extra.overrides.as_deref().cloned().unwrap_or_default();
        change(&mut overrides, &base);
        (extra.overrides, row.content) = applied.of::<TriggerRow>(overrides, &base);
    }

    /// Sets an inherited trigger's overrides.
    pub(super) fn set_trigger_overrides(
        &mut self,
        holder: HostId,
        id: TriggerId,
        overrides: Option<Arc<TriggerOverrides>>,
        content: Arc<TriggerContent>,
    ) -> Result<(), ConfigError> {
        let old = Arc::clone(&self.trigger(id)?.1.content);
        if *old == *content {
            return Ok(());
        }
        let row = self.trigger_mut(holder, id);
        row.extra = TriggerExtra::of(overrides);
        row.content = Arc::clone(&content);
        self.propagate_trigger(holder, id, &old, &content)
    }
}
