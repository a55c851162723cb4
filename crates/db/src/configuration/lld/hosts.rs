//! Hosts that rows make.
//!
//! A host is known by its rule, prototype and technical name. Groups and interfaces are what the
//! prototype says; templates, macros and tags of users stay in addition to those that discovery
//! gave. Each host is made or changed completely or not at all: faults are in the rule's error.

use std::collections::BTreeSet;
use std::sync::Arc;

use lang::host_name;
use lang::lld::{OverrideTarget, RowOverrides};
use model::content::{HostPrototypeContent, HostStatus, Tag};
use model::map::{Map, Set};
use model::snapshot::{DiscoveredHost, Host, HostPrototypeRow, Snapshot};
use model::{HostId, ItemId, Time};

use super::apply::{Plan, Run};
use super::carry_out::{HOST_WEIGHT, next};
use super::lifetime::sweep_host;
use super::wanted_host::{HostPlan, WantedGroup, WantedHost};
use super::{LldReport, LldRow, expand, overrides};
use crate::configuration::editor::{Editor, expand_host_parts};
use crate::configuration::objects::ObjectKind;
use crate::error::ConfigError;

impl Plan {
    pub(super) fn plan_hosts(&mut self, run: &Run<'_>, snapshot: &Snapshot) {
        let names: Set<ItemId> = snapshot.names_of_rule(run.host, run.rule).into_iter().collect();
        let prototypes = run.host.host_prototypes.iter();
        let prototypes: Vec<&HostPrototypeRow> =
            prototypes.filter(|it| names.contains(&it.content.ruleid)).collect();
        if prototypes.is_empty() || run.host.is_discovered() {
            return;
        }
        self.hosts.of = Some((run.rule.id, run.lifetimes));
        let existing = snapshot.hosts.values().filter_map(|it| Some((it, it.discovered.as_ref()?)));
        let existing: Vec<(&Arc<Host>, &DiscoveredHost)> = existing
            .filter(|(_, it)| it.by.rule == run.rule.id)
            .map(|(of, it)| (of, &**it))
            .collect();
        let by_name: Map<(u64, &str), &Arc<Host>> =
            existing.iter().map(|(of, it)| ((it.by.prototype, &*of.host), *of)).collect();
        let mut found: BTreeSet<HostId> = BTreeSet::new();
        let mut claimed: BTreeSet<String> = BTreeSet::new();
        for prototype in prototypes {
            for (row, of_row) in run.distinct_rows() {
                let wanted = wanted(run, snapshot, prototype, (row, of_row));
                let Some(wanted) = wanted else { continue };
                let host = &wanted.content.host;
                self.hosts.groups.extend(wanted.groups.iter().cloned());
                let known = by_name.get(&(prototype.id.0, host.as_str()));
                let verb = if known.is_some() { "update" } else { "create" };
                if let Some(wrong) = host_name::fault(host) {
                    self.fail(format_args!("Cannot {verb} host \"{host}\": {wrong}."));
                    continue;
                }
                let is_taken = known.is_none()
                    && (snapshot.host_named(host).is_some()
                        || snapshot.template_named(host).is_some());
                if !claimed.insert(host.clone()) || is_taken {
                    self.fail(format_args!(
                        "Cannot {verb} host: host with the same name \"{host}\" (\"{}\") already exists.",
                        visible_name(&wanted.content)
                    ));
                    continue;
                }
                match known {
                    Some(known) => {
                        found.insert(known.id);
                        self.hosts.found.push((known.id, wanted));
                    }
                    None => self.hosts.new.push(wanted),
                }
            }
        }
        for (host, it) in existing.iter().filter(|(it, _)| !found.contains(&it.id)) {
            let is_enabled = host.status == HostStatus::Monitored;
            let old = it.by.lost();
            let lost = run.lifetimes.mark(old, is_enabled, run.now);
            if lost != old {
                self.report_lost(old);
                self.hosts.lost.push((host.id, lost));
            }
        }
    }
}

fn wanted(
    run: &Run<'_>,
    snapshot: &Snapshot,
    prototype: &HostPrototypeRow,
    (row, of_row): (&LldRow, &RowOverrides<'_>),
) -> Option<WantedHost> {
    let written = &*prototype.content;
    let changes = overrides::changes(of_row, OverrideTarget::Host, &written.host, row, run.zone);
    if !changes.discover.unwrap_or(written.discover) {
        return None;
    }
    let text = |it: &str| expand::text(it, row, run.zone);
    let mut content = HostPrototypeContent {
        host: expand::name(&written.host, row, run.zone),
        name: expand::name(&written.name, row, run.zone),
        inventory_mode: changes.inventory_mode.unwrap_or(written.inventory_mode),
        ..written.clone()
    };
    if !content.custom_interfaces {
        content.interfaces.clone_from(&run.host.interfaces);
    }
    expand_host_parts(&mut content.macros, &mut content.interfaces, &text);
    for tag in changes.tags {
        if !content.tags.contains(&tag) {
            content.tags.push(tag);
        }
    }
    content.tags =
        content.tags.iter().map(|it| Tag { tag: text(&it.tag), value: text(&it.value) }).collect();
    for it in changes.templates {
        if !content.templates.contains(&it) {
            content.templates.push(it);
        }
    }
    // One that overrides name may be gone.
    content.templates.retain(|it| snapshot.templates.contains_key(it));
    if let Some(enabled) = changes.enabled {
        content.status = if enabled { HostStatus::Monitored } else { HostStatus::NotMonitored };
    }
    let group =
        |it: &String| WantedGroup { prototype: prototype.id, pattern: it.clone(), name: text(it) };
    let groups = written.group_names.iter().map(group).collect();
    let row = Arc::clone(row);
    let text = run.texts.get(&row).cloned();
    Some(WantedHost { prototype: prototype.id, rule: run.rule.id, row, text, content, groups })
}

fn visible_name(content: &HostPrototypeContent) -> &str {
    if content.name.is_empty() { &content.host } else { &content.name }
}

/// The rule's error for a refused edit of a host.
fn cannot(verb: &str, host: &str, error: &ConfigError) -> String {
    format!("Cannot {verb} host \"{host}\": {}\n", error.clause())
}

impl Editor {
    /// Makes, changes and marks hosts, as many as are left of a portion.
    pub(super) fn carry_out_hosts(
        &mut self,
        plan: &mut HostPlan,
        left: &mut usize,
        now: Time,
        report: &mut LldReport,
    ) {
        for wanted in next(&mut plan.new, left, HOST_WEIGHT) {
            match self.attempt(|e| e.make_wanted_host(&wanted)) {
                Ok(id) => {
                    report.n_created += 1;
                    self.note_nested_of_host(id, wanted.text, report);
                }
                Err(error) => report.add_text(&cannot("create", &wanted.content.host, &error)),
            }
        }
        for (id, wanted) in next(&mut plan.found, left, HOST_WEIGHT) {
            match self.attempt(|e| e.bring_host_to(id, &wanted)) {
                Ok(true) => report.n_updated += 1,
                Ok(false) => {}
                Err(error) => report.add_text(&cannot("update", &wanted.content.host, &error)),
            }
            self.note_nested_of_host(id, wanted.text, report);
        }
        let lost = next(&mut plan.lost, left, HOST_WEIGHT);
        for &(id, lost) in &lost {
            let known = self.snapshot().hosts.get(&id).and_then(|it| it.discovered.as_deref());
            if let Some(mut it) = known.cloned() {
                it.by.set_lost(lost);
                self.set_discovery_of_host(id, it);
            }
        }
        for (id, _) in lost {
            sweep_host(self, id, now, report);
        }
    }

    fn make_wanted_host(&mut self, wanted: &WantedHost) -> Result<HostId, ConfigError> {
        let groups = self.groups_of_wanted(wanted)?;
        let mut fields = wanted.fields(&groups);
        // Linked when the host is known as a discovered one, which inherits no prototypes of hosts.
        let templates = fields.remove("templates");
        let id = HostId(self.create(ObjectKind::Host, fields)?);
        self.set_discovery_of_host(id, wanted.discovered(None));
        let templates = templates.map(|it| ("templates".to_owned(), it));
        self.update(ObjectKind::Host, id.0, templates.into_iter().collect())?;
        Ok(id)
    }

    /// Marks the groups of a rule whose hosts are all made.
    pub(super) fn finish_hosts(&mut self, plan: &mut HostPlan, now: Time) {
        let Some((rule, lifetimes)) = plan.of.take() else { return };
        self.mark_groups(rule, &plan.groups, lifetimes, now);
        self.sweep_groups(now);
    }

    fn bring_host_to(&mut self, id: HostId, wanted: &WantedHost) -> Result<bool, ConfigError> {
        let groups = self.groups_of_wanted(wanted)?;
        let host = self.snapshot().hosts.get(&id).cloned();
        let host = host.ok_or_else(ConfigError::no_permissions)?;
        let mut fields = wanted.differences(&host, &groups);
        let new = wanted.discovered(Some(&host));
        let old = host.discovered.as_deref();
        let was_disabled = old.is_some_and(|it| it.by.lost().disable_at != 0);
        if was_disabled && host.status == HostStatus::NotMonitored {
            fields.insert("status".to_owned(), "0".into());
        }
        let is_same = old.is_some_and(|it| it.by.is_same(&new.by) && it.given == new.given);
        let has_changes = !fields.is_empty();
        if has_changes {
            self.update(ObjectKind::Host, id.0, fields)?;
        }
        if !is_same {
            self.set_discovery_of_host(id, new);
        }
        Ok(has_changes || !is_same)
    }
}
