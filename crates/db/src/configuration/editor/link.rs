//! Linking templates.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::snapshot::{GraphRow, HolderKind, HostPrototypeRow};
use model::{HostId, TriggerId};

use super::Editor;
use super::inherit::Incoming;
use super::inherited_rows::InheritedRow;
use super::messages::called;
use crate::configuration::store::Identity;
use crate::error::ConfigError;

impl Editor {
    pub(super) fn link_templates(
        &mut self,
        holders: &[HostId],
        templates: &[HostId],
    ) -> Result<(), ConfigError> {
        for template in templates {
            if !self.next.templates.contains_key(template) {
                return Err(ConfigError::no_permissions());
            }
        }
        let mut links: Vec<(HostId, Vec<HostId>)> = Vec::with_capacity(holders.len());
        for holder in holders {
            let linked = &self.holder(*holder)?.templates;
            let new: Vec<HostId> =
                templates.iter().filter(|it| !linked.contains(it)).copied().collect();
            if !new.is_empty() {
                links.push((*holder, new));
            }
        }
        self.note_links(&links)?;
        self.check_links(&links)?;
        self.check_masters_linked(&links)?;
        self.inherit_linked(&links)
    }

    /// Triggers of new templates depend on triggers of templates that the holder links as well.
    fn check_masters_linked(&self, links: &[(HostId, Vec<HostId>)]) -> Result<(), ConfigError> {
        let mut known: BTreeMap<HostId, Vec<(HostId, String)>> = BTreeMap::new();
        for (holder, templates) in links {
            let linked = self.holder(*holder)?;
            for template in templates {
                let masters = match known.entry(*template) {
                    Entry::Occupied(it) => it.into_mut(),
                    Entry::Vacant(it) => it.insert(self.masters_elsewhere(*template)?),
                };
                let Some((of, name)) = masters.iter().find(|it| !linked.templates.contains(&it.0))
                else {
                    continue;
                };
                let without = match self.holder(*of)? {
                    it if it.id == *holder => String::new(),
                    it => format!(" without template \"{}\"", it.host),
                };
                return Err(ConfigError::parameters(format_args!(
                    "Cannot link template \"{}\"{without} to {} due to dependency of trigger \"{name}\".",
                    self.holder(*template)?.host,
                    called(linked)
                )));
            }
        }
        Ok(())
    }

    /// Other templates that triggers of this one depend on, with the names of these triggers. Templates above are
    /// inherited with it.
    fn masters_elsewhere(&self, template: HostId) -> Result<Vec<(HostId, String)>, ConfigError> {
        let own = self.holder(template)?;
        let mut found: Vec<(HostId, String)> = Vec::new();
        for row in &own.triggers {
            for master in &row.content.dependencies {
                let Some((of, _)) = self.trigger_by_ref(own, *master) else { continue };
                let is_elsewhere = of.kind == HolderKind::Template && of.id != template;
                let is_known = || found.iter().any(|it| it.0 == of.id);
                if is_elsewhere
                    && !is_known()
                    && !self.finds_circle(template, of.id, &mut Vec::new())
                {
                    found.push((of.id, row.name().into_owned()));
                }
            }
        }
        Ok(found)
    }

    /// Writes down who links what.
    fn note_links(&mut self, links: &[(HostId, Vec<HostId>)]) -> Result<(), ConfigError> {
        let mut of_template: BTreeMap<HostId, Vec<HostId>> = BTreeMap::new();
        for (holder, templates) in links {
            for template in templates {
                if template == holder {
                    let name = &self.holder(*holder)?.host;
                    return Err(ConfigError::parameters(format_args!(
                        "Cannot link template \"{name}\" to template \"{name}\", because a circular \
                         linkage (\"{name}\" -> \"{name}\") would occur."
                    )));
                }
                of_template.entry(*template).or_default().push(*holder);
            }
            self.holder_mut(*holder).templates.extend(templates);
        }
        for (template, new) in of_template {
            let mut all: Vec<HostId> = self.children(template).to_vec();
            all.extend(new);
            all.sort_unstable();
            self.next.linked_to.insert(template, all.into());
        }
        Ok(())
    }

    /// No circles, and no template twice on the way up from any holder that the new links reach.
    fn check_links(&self, links: &[(HostId, Vec<HostId>)]) -> Result<(), ConfigError> {
        for (holder, new) in links {
            for template in new {
                let mut path = vec![*template];
                if self.finds_circle(*template, *holder, &mut path) {
                    return Err(self.circular(*template, *holder, &path));
                }
            }
        }
        // Thousands of hosts with the same templates need one look.
        let mut good: BTreeSet<&Vec<HostId>> = BTreeSet::new();
        for (holder, new) in links {
            if good.insert(&self.holder(*holder)?.templates)
                && let Some(twice) = self.linked_twice(*holder)
            {
                return Err(self.double(*holder, new, twice));
            }
            self.check_below(*holder, new)?;
        }
        Ok(())
    }

    /// Objects linked to a template that got new links must still be free of duplicates.
    fn check_below(&self, template: HostId, new: &[HostId]) -> Result<(), ConfigError> {
        for child in self.children(template).iter() {
            if let Some(twice) = self.linked_twice(*child) {
                return Err(self.double(template, new, twice));
            }
            self.check_below(*child, new)?;
        }
        Ok(())
    }

    fn finds_circle(&self, from: HostId, wanted: HostId, path: &mut Vec<HostId>) -> bool {
        let Some(holder) = self.next.templates.get(&from) else { return false };
        for template in &holder.templates {
            path.push(*template);
            if *template == wanted || self.finds_circle(*template, wanted, path) {
                return true;
            }
            path.pop();
        }
        false
    }

    fn circular(&self, template: HostId, holder: HostId, path: &[HostId]) -> ConfigError {
        let name = |id: HostId| self.next.holder(id).map_or("", |it| &*it.host);
        let mut circle: Vec<String> = path.iter().map(|it| format!("\"{}\"", name(*it))).collect();
        circle.push(format!("\"{}\"", name(template)));
        ConfigError::parameters(format_args!(
            "Cannot link template \"{}\" to template \"{}\", because a circular linkage ({}) would \
             occur.",
            name(template),
            name(holder),
            circle.join(" -> ")
        ))
    }

    /// A template that a holder would get by two ways.
    fn linked_twice(&self, holder: HostId) -> Option<HostId> {
        let mut seen = BTreeSet::new();
        let mut pending = self.next.holder(holder)?.templates.clone();
        while let Some(template) = pending.pop() {
            if !seen.insert(template) {
                return Some(template);
            }
            if let Some(it) = self.next.templates.get(&template) {
                pending.extend(it.templates.iter());
            }
        }
        None
    }

    fn double(&self, holder: HostId, new: &[HostId], twice: HostId) -> ConfigError {
        let name = |id: HostId| self.next.holder(id).map_or("", |it| &*it.host);
        let leads_there =
            |it: &&HostId| **it == twice || self.finds_circle(**it, twice, &mut Vec::new());
        let culprit = new.iter().find(leads_there).or(new.first()).copied().unwrap_or(twice);
        let target = self.next.holder(holder).map_or_else(String::new, |it| called(it));
        ConfigError::parameters(format_args!(
            "Cannot link template \"{}\" to {target}, because its parent template \"{}\" would be \
             linked twice.",
            name(culprit),
            name(twice)
        ))
    }

    /// Items of all new templates first, then triggers, which may use items of several, and graphs.
    fn inherit_linked(&mut self, links: &[(HostId, Vec<HostId>)]) -> Result<(), ConfigError> {
        let mut incoming: BTreeMap<HostId, Arc<Incoming>> = BTreeMap::new();
        for (holder, templates) in links {
            for template in templates {
                let rows = match incoming.get(template) {
                    Some(it) => Arc::clone(it),
                    None => {
                        let rows = self.holder(*template)?.items.clone();
                        let rows = Arc::new(Incoming::new(*template, rows));
                        incoming.insert(*template, Arc::clone(&rows));
                        rows
                    }
                };
                self.inherit_into(*holder, &rows)?;
            }
        }
        let mut triggers: BTreeMap<HostId, Arc<[TriggerId]>> = BTreeMap::new();
        for (holder, templates) in links {
            for template in templates {
                let ids = match triggers.get(template) {
                    Some(it) => Arc::clone(it),
                    None => {
                        let rows = &self.holder(*template)?.triggers;
                        let ids: Arc<[TriggerId]> = rows.iter().map(|it| it.id).collect();
                        triggers.insert(*template, Arc::clone(&ids));
                        ids
                    }
                };
                self.inherit_triggers_into(*holder, *template, &ids)?;
            }
        }
        self.inherit_linked_rows::<GraphRow>(links)?;
        self.inherit_linked_rows::<HostPrototypeRow>(links)?;
        self.inherit_crossing(links)
    }

    fn inherit_linked_rows<R: InheritedRow>(
        &mut self,
        links: &[(HostId, Vec<HostId>)],
    ) -> Result<(), ConfigError> {
        let mut known: BTreeMap<HostId, Arc<[u64]>> = BTreeMap::new();
        for (holder, templates) in links {
            for template in templates {
                let ids = match known.get(template) {
                    Some(it) => Arc::clone(it),
                    None => {
                        let rows = R::rows(self.holder(*template)?);
                        let ids: Arc<[u64]> = rows.iter().map(Identity::id).collect();
                        known.insert(*template, Arc::clone(&ids));
                        ids
                    }
                };
                self.inherit_rows_into::<R>(*holder, *template, &ids)?;
            }
        }
        Ok(())
    }

    /// Triggers over several templates that another template holds: they need that one as well,
    /// and wait for the last.
    fn inherit_crossing(&mut self, links: &[(HostId, Vec<HostId>)]) -> Result<(), ConfigError> {
        for id in self.cross.triggers.clone() {
            let Ok((of, row)) = self.trigger(id) else { continue };
            if of.kind != HolderKind::Template {
                continue;
            }
            let (of, name) = (of.id, row.content.description.clone());
            let users: BTreeSet<HostId> = row
                .content
                .functions
                .iter()
                .filter_map(|it| self.next.item_holder(it.item))
                .map(|it| it.id)
                .collect();
            for (holder, templates) in links {
                let Some(used) = templates.iter().find(|it| users.contains(it)) else { continue };
                let linked = self.holder(*holder)?;
                if let Some(missing) = users.iter().find(|it| !linked.templates.contains(it)) {
                    return Err(ConfigError::parameters(format_args!(
                        "Cannot link template \"{}\" without template \"{}\" to {} due to \
                         expression of trigger \"{name}\".",
                        self.holder(*used)?.host,
                        self.holder(*missing)?.host,
                        called(linked)
                    )));
                }
                self.inherit_triggers_into(*holder, of, &[id])?;
            }
        }
        Ok(())
    }
}
