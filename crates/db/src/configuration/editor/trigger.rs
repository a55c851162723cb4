//! Triggers and trigger prototypes.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::content::{ItemFlags, TriggerContent};
use model::snapshot::{HolderKind, Host, Lost, TriggerRow, TriggerText};
use model::{HostId, ItemId, TriggerId};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::{first_difference, ids_field, int_field, merge, overrides_of, to_object};
use super::expression::{Bound, bind};
use crate::configuration::objects::ObjectKind;
use crate::error::{ConfigError, edited};

/// Fields that inherited triggers always have from their template.
const OF_TEMPLATE: [&str; 7] = [
    "description",
    "expression",
    "recovery_mode",
    "recovery_expression",
    "correlation_mode",
    "correlation_tag",
    "manual_close",
];

fn matches(kind: ObjectKind, flags: ItemFlags) -> bool {
    match kind {
        ObjectKind::TriggerPrototype => flags == ItemFlags::Prototype,
        _ => matches!(flags, ItemFlags::Plain | ItemFlags::Discovered),
    }
}

/// The API writes dependencies as objects and `discover` as 0 for yes.
fn merge_trigger(
    base: &TriggerContent,
    mut fields: JsonMap<String, Json>,
) -> Result<TriggerContent, ConfigError> {
    let dependencies = ids_field(&fields, "dependencies", "triggerid");
    let discover = int_field(&fields, "discover");
    for name in ["dependencies", "discover", "functions", "ruleid"] {
        fields.remove(name);
    }
    let mut content: TriggerContent = merge(base, &fields)?;
    // Names that older versions let pass hinder no other change.
    if content.event_name != base.event_name {
        lang::expression::check_event_name(&content.event_name)
            .map_err(|error| ConfigError::invalid(edited("event_name"), error))?;
    }
    if let Some(ids) = dependencies {
        content.dependencies = ids.into_iter().map(TriggerId).collect();
    }
    if let Some(discover) = discover {
        content.discover = discover == 0;
    }
    Ok(content)
}

fn take_bound(content: &mut TriggerContent, bound: &Bound) {
    content.expression.clone_from(&bound.expression);
    content.recovery_expression.clone_from(&bound.recovery_expression);
    content.functions.clone_from(&bound.functions);
    content.ruleid = bound.rule;
}

impl Editor {
    pub(super) fn create_trigger(
        &mut self,
        kind: ObjectKind,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        let is_prototype = kind == ObjectKind::TriggerPrototype;
        let mut content = merge_trigger(&TriggerContent::default(), fields)?;
        let bound = bind(&self.next, &content, is_prototype)?;
        take_bound(&mut content, &bound);
        if self.holder(bound.holder)?.kind == HolderKind::Host {
            content.uuid.clear();
        }
        let id = TriggerId(self.ids.take());
        self.check_trigger((id, is_prototype), &content, &bound)?;
        let row = TriggerRow {
            id,
            source: TriggerId::NONE,
            content: Arc::new(content),
            extra: None,
            flags: if is_prototype { ItemFlags::Prototype } else { ItemFlags::Plain },
        };
        self.push_triggers(bound.holder, vec![row]);
        self.note_crossing(id, &bound.holders);
        self.inherit_from_all(bound.holder, &bound.holders, id)?;
        Ok(id.0)
    }

    fn note_crossing(&mut self, id: TriggerId, holders: &BTreeSet<HostId>) {
        if holders.len() > 1 {
            self.cross.triggers.insert(id);
        } else {
            self.cross.triggers.remove(&id);
        }
    }

    /// A new trigger goes to all that link its template; one over several templates needs all of
    /// them linked.
    fn inherit_from_all(
        &mut self,
        holder: HostId,
        holders: &BTreeSet<HostId>,
        id: TriggerId,
    ) -> Result<(), ConfigError> {
        let mut children: BTreeSet<HostId> = BTreeSet::new();
        for template in holders {
            children.extend(self.children(*template).iter());
        }
        for child in children {
            self.inherit_triggers_into(child, holder, &[id])?;
        }
        Ok(())
    }

    /// The rules for own content: no second one of the name and expression, sound dependencies.
    fn check_trigger(
        &self,
        (id, is_prototype): (TriggerId, bool),
        content: &TriggerContent,
        bound: &Bound,
    ) -> Result<(), ConfigError> {
        for holder in &bound.holders {
            let holder = self.holder(*holder)?;
            let same = holder.trigger_by_text_where(TriggerText::of(content), |it| it.id != id);
            if same.is_some() {
                return Err(ConfigError::parameters(format_args!(
                    "{} \"{}\" already exists on \"{}\".",
                    if is_prototype { "Trigger prototype" } else { "Trigger" },
                    content.description,
                    holder.host
                )));
            }
        }
        self.check_dependencies((id, is_prototype), self.holder(bound.holder)?, content)
    }

    fn check_dependencies(
        &self,
        (id, is_prototype): (TriggerId, bool),
        holder: &Arc<Host>,
        content: &TriggerContent,
    ) -> Result<(), ConfigError> {
        for dependency in &content.dependencies {
            let (of, row) = self.trigger(*dependency)?;
            let refused = |why: &str| {
                Err(ConfigError::parameters(format_args!(
                    "{} \"{}\" cannot depend on the {} \"{}\", because {why}.",
                    if is_prototype { "Trigger prototype" } else { "Trigger" },
                    content.description,
                    if row.flags == ItemFlags::Prototype { "trigger prototype" } else { "trigger" },
                    row.name()
                )))
            };
            if let Some(mut way) = self.way(of, row, id, &mut BTreeSet::new()) {
                way.push(row.name().into_owned());
                let way: Vec<String> = way.iter().map(|it| format!("\"{it}\"")).collect();
                let way = way.join(" -> ");
                return refused(&format!("a circular linkage ({way}) would occur"));
            }
            if of.kind == HolderKind::Template && holder.kind == HolderKind::Host {
                return refused(
                    "dependencies of host triggers on template triggers are not allowed",
                );
            }
            let before = self.next.trigger(id).map(|it| &it.1.content.dependencies);
            let is_new = before.is_none_or(|it| !it.contains(dependency));
            if is_prototype && is_new && row.flags == ItemFlags::Prototype {
                let rule = |of: &Arc<Host>, rule: ItemId| {
                    self.next.item_by_ref(of, rule).map_or(rule, |(_, it)| it.id)
                };
                if rule(of, row.content.ruleid) != rule(holder, content.ruleid) {
                    return refused(
                        "dependencies on trigger prototypes from another LLD rule are not allowed",
                    );
                }
            }
            if is_new && holder.kind == HolderKind::Template && of.id != holder.id {
                self.check_linked((&content.description, is_prototype), holder, (of, row))?;
            }
        }
        Ok(())
    }

    /// A trigger of a template depends on no trigger of a template above or of a holder below; where it is
    /// inherited, the other is, too.
    fn check_linked(
        &self,
        (name, is_prototype): (&str, bool),
        holder: &Arc<Host>,
        (of, row): (&Arc<Host>, &TriggerRow),
    ) -> Result<(), ConfigError> {
        let capital = if is_prototype { "Trigger prototype" } else { "Trigger" };
        let kind = |it: &Host| if it.kind == HolderKind::Template { "template" } else { "host" };
        let mut below = BTreeSet::new();
        self.descendants(of.id, &mut below);
        let mut beneath = BTreeSet::new();
        self.descendants(holder.id, &mut beneath);
        let from = if below.contains(&holder.id) {
            "the parent template"
        } else if beneath.contains(&of.id) {
            "a child template or host"
        } else {
            ""
        };
        if !from.is_empty() {
            return Err(ConfigError::parameters(format_args!(
                "{capital} \"{name}\" cannot depend on the trigger \"{}\" from the {} \"{}\", because \
                 dependencies on triggers from {from} are not allowed.",
                row.name(),
                kind(of),
                of.host
            )));
        }
        if of.kind == HolderKind::Host {
            return Ok(());
        }
        let linked = self.children(of.id);
        let lacks = self.children(holder.id).iter().copied().find(|it| !linked.contains(it));
        let Some(lacks) = lacks.and_then(|it| self.holder(it).ok()) else { return Ok(()) };
        Err(ConfigError::parameters(format_args!(
            "{capital} \"{name}\" cannot depend on the trigger \"{}\", because the template \"{}\" is not linked \
             to the {} \"{}\".",
            row.name(),
            of.host,
            kind(lacks),
            lacks.host
        )))
    }

    /// The names on the way on which the dependencies of a trigger lead to another.
    fn way(
        &self,
        holder: &Arc<Host>,
        row: &TriggerRow,
        wanted: TriggerId,
        seen: &mut BTreeSet<TriggerId>,
    ) -> Option<Vec<String>> {
        let name = row.name().into_owned();
        if row.id == wanted {
            return Some(vec![name]);
        }
        if !seen.insert(row.id) {
            return None;
        }
        let rest = row.content.dependencies.iter().find_map(|it| {
            let (of, next) = self.trigger_by_ref(holder, *it)?;
            self.way(of, next, wanted, seen)
        })?;
        Some([vec![name], rest].concat())
    }

    /// The row of `holder` that a reference in its content means, else the row of that id.
    pub(super) fn trigger_by_ref<'a>(
        &'a self,
        holder: &'a Arc<Host>,
        reference: TriggerId,
    ) -> Option<(&'a Arc<Host>, &'a TriggerRow)> {
        if let Some(row) = holder.trigger(reference) {
            return Some((holder, row));
        }
        match self.next.inherited_trigger(holder, reference) {
            Some(row) => Some((holder, row)),
            None => self.next.trigger(reference),
        }
    }

    pub(super) fn update_trigger(
        &mut self,
        kind: ObjectKind,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        let id = TriggerId(id);
        let (holder, row) = self.trigger(id)?;
        if !matches(kind, row.flags) {
            return Err(ConfigError::no_permissions());
        }
        let holder_id = holder.id;
        let old = Arc::clone(&row.content);
        if row.source.is_some() || row.discovered().is_some() {
            return self.update_derived_trigger(holder_id, id, &old, fields);
        }
        let names_expression =
            fields.contains_key("expression") || fields.contains_key("recovery_expression");
        let is_recovery_new =
            fields.contains_key("recovery_mode") && !fields.contains_key("recovery_expression");
        let mut content = merge_trigger(&old, fields.clone())?;
        if self.holder(holder_id)?.kind == HolderKind::Host {
            content.uuid.clone_from(&old.uuid);
        }
        let is_prototype = kind == ObjectKind::TriggerPrototype;
        let bound = if names_expression || is_recovery_new {
            let mut text = content.clone();
            if !fields.contains_key("expression") {
                text.expression = self.render(&old.expression, &old)?;
            }
            if !fields.contains_key("recovery_expression") {
                text.recovery_expression = self.render(&old.recovery_expression, &old)?;
            }
            bind(&self.next, &text, is_prototype)?
        } else {
            let holders = old.functions.iter().filter_map(|it| self.next.item_holder(it.item));
            Bound {
                expression: old.expression.clone(),
                recovery_expression: old.recovery_expression.clone(),
                functions: old.functions.clone(),
                holder: holder_id,
                holders: holders.map(|it| it.id).collect(),
                rule: old.ruleid,
            }
        };
        take_bound(&mut content, &bound);
        self.check_trigger((id, is_prototype), &content, &bound)?;
        let content = Arc::new(content);
        if bound.holder != holder_id {
            return self.move_trigger(holder_id, id, content, &bound);
        }
        self.note_crossing(id, &bound.holders);
        self.set_trigger_content(holder_id, id, content)
    }

    /// Stored form to users' form, with the names of now.
    pub(crate) fn render(&self, stored: &str, of: &TriggerContent) -> Result<String, ConfigError> {
        if stored.is_empty() {
            return Ok(String::new());
        }
        let mut name = |id: ItemId| {
            let (holder, row) = self.next.item(id)?;
            Some((holder.host.to_string(), row.key().into_owned()))
        };
        lang::expression::render(stored, &of.functions, &mut name)
            .map_err(|error| ConfigError::invalid(edited("expression"), error))
    }

    /// As [`Editor::render`], of a row of a holder: inherited rows name the holder's own items.
    pub(crate) fn render_of(
        &self,
        holder: &Arc<Host>,
        stored: &str,
        of: &TriggerContent,
    ) -> Result<String, ConfigError> {
        if stored.is_empty() {
            return Ok(String::new());
        }
        let mut name = |id: ItemId| {
            let (holder, row) = self.next.item_by_ref(holder, id)?;
            Some((holder.host.to_string(), row.key().into_owned()))
        };
        lang::expression::render(stored, &of.functions, &mut name)
            .map_err(|error| ConfigError::invalid(edited("expression"), error))
    }

    pub(super) fn set_trigger_content(
        &mut self,
        holder: HostId,
        id: TriggerId,
        content: Arc<TriggerContent>,
    ) -> Result<(), ConfigError> {
        let old = Arc::clone(&self.trigger(id)?.1.content);
        if *old == *content {
            return Ok(());
        }
        self.trigger_mut(holder, id).content = Arc::clone(&content);
        self.propagate_trigger(holder, id, &old, &content)
    }

    /// The expression now begins with an item of another holder, which is to hold the trigger.
    /// Inherited triggers are made again below the new one.
    fn move_trigger(
        &mut self,
        from: HostId,
        id: TriggerId,
        content: Arc<TriggerContent>,
        bound: &Bound,
    ) -> Result<(), ConfigError> {
        self.remove_inherited_triggers(from, id);
        let rows = &mut self.holder_mut(from).triggers;
        let at = rows
            .binary_search_by_key(&id, |it| it.id)
            .map_err(|_not_there| ConfigError::no_permissions())?;
        let mut row = rows.remove(at);
        row.content = content;
        let rows = &mut self.holder_mut(bound.holder).triggers;
        let at = rows.partition_point(|it| it.id < id);
        rows.insert(at, row);
        self.give_trigger_run(id, bound.holder);
        self.note_crossing(id, &bound.holders);
        self.inherit_from_all(bound.holder, &bound.holders, id)
    }

    fn update_derived_trigger(
        &mut self,
        holder: HostId,
        id: TriggerId,
        old: &Arc<TriggerContent>,
        mut fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        let (of, row) = self.trigger(id)?;
        let (of, row) = (Arc::clone(of), row.clone());
        // Clients send expressions back as they read them: the same one is no change.
        for (name, stored) in
            [("expression", &old.expression), ("recovery_expression", &old.recovery_expression)]
        {
            let is_same = fields
                .get(name)
                .and_then(Json::as_str)
                .is_some_and(|it| it == stored || self.is_same_expression(&of, it, stored, old));
            if is_same {
                fields.remove(name);
            }
        }
        if row.discovered().is_some() {
            fields.remove("description");
        }
        let mut wanted = merge_trigger(old, fields)?;
        // Clients name the holder's own triggers where the template names its.
        let own = |ids: &[TriggerId]| -> Vec<TriggerId> {
            let mut ids: Vec<TriggerId> = ids
                .iter()
                .map(|id| self.trigger_by_ref(&of, *id).map_or(*id, |(_, it)| it.id))
                .collect();
            ids.sort_unstable();
            ids
        };
        let dependencies = own(&wanted.dependencies);
        wanted.dependencies = if dependencies == own(&old.dependencies) {
            old.dependencies.clone()
        } else {
            dependencies
        };
        if row.discovered().is_some() {
            let allowed = TriggerContent { status: wanted.status, ..TriggerContent::clone(old) };
            if let Some(field) = first_difference(&wanted, &allowed) {
                return Err(ConfigError::parameters(format_args!(
                    "Cannot update \"{field}\" for a discovered trigger \"{}\".",
                    row.name()
                )));
            }
            if wanted.status != old.status {
                self.set_discovered_trigger_status(holder, id, wanted.status);
                // The user has decided: finding it again does not undo that.
                if let Some(extra) = &mut self.trigger_mut(holder, id).extra
                    && let Some(discovered) = &mut extra.discovered
                {
                    discovered.set_lost(Lost { disable_at: 0, ..discovered.lost() });
                }
            }
            return Ok(());
        }
        let (before, after) = (to_object(&**old), to_object(&wanted));
        if let Some(name) = OF_TEMPLATE.iter().find(|it| before.get(**it) != after.get(**it)) {
            let is_prototype = row.flags == ItemFlags::Prototype;
            return Err(ConfigError::parameters(format_args!(
                "Cannot update \"{name}\" for templated trigger{} \"{}\".",
                if is_prototype { " prototype" } else { "" },
                wanted.description
            )));
        }
        if wanted.dependencies != old.dependencies {
            let is_prototype = row.flags == ItemFlags::Prototype;
            self.check_dependencies((id, is_prototype), &of, &wanted)?;
        }
        let base = Arc::clone(&self.trigger(row.source)?.1.content);
        let overrides = overrides_of::<TriggerRow>(&base, &wanted)?;
        let (overrides, content) = self.applied.of::<TriggerRow>(overrides, &base);
        self.set_trigger_overrides(holder, id, overrides, content)
    }

    /// Whether users' text means what is stored, the holder's own name in place of the template's.
    fn is_same_expression(
        &self,
        holder: &Arc<Host>,
        text: &str,
        stored: &str,
        old: &TriggerContent,
    ) -> bool {
        if stored.is_empty() {
            return text.is_empty();
        }
        let mut name = |id: ItemId| {
            let (of, row) = self.next.item_by_ref(holder, id)?;
            Some((of.host.to_string(), row.key().into_owned()))
        };
        lang::expression::render(stored, &old.functions, &mut name).is_ok_and(|it| it == text)
    }

    pub(super) fn delete_triggers(
        &mut self,
        kind: ObjectKind,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        for id in ids {
            let (holder, row) = self.trigger(TriggerId(*id))?;
            if !matches(kind, row.flags) {
                return Err(ConfigError::no_permissions());
            }
            if row.source.is_some() {
                return Err(ConfigError::parameters(format_args!(
                    "Cannot delete templated trigger \"{}:{}\".",
                    row.name(),
                    holder.host
                )));
            }
        }
        for id in ids {
            let holder = self.trigger(TriggerId(*id))?.0.id;
            self.check_no_action_on_trigger(holder, TriggerId(*id))?;
        }
        self.remove_triggers(ids.iter().map(|it| TriggerId(*it)).collect());
        Ok(())
    }
}
