//! Objects that discovery no longer names, and those that it names again.
//!
//! `disable_at` shows who disabled a lost object: discovery sets it, a user's change of the status
//! clears it, so an object is enabled again when it is found again only if discovery disabled it.

use formats::number::parse_duration_s;
use model::content::{HostStatus, ItemContent, ItemStatus, LifetimeType, TriggerStatus};
use model::snapshot::{Discovered, Host, Lost};
use model::{GraphId, HostId, ItemId, Time, TriggerId};

use super::LldReport;
use super::rows::HostMacros;
use crate::actor::Actor;
use crate::configuration::editor::{Editor, Removal};
use crate::configuration::objects::ObjectKind;
use crate::error::ConfigError;
use crate::handle::Db;

/// The lifetimes of a rule in seconds; `None` = for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lifetimes {
    delete_after: Option<i64>,
    disable_after: Option<i64>,
}

impl Lifetimes {
    pub(super) fn of(rule: &ItemContent, macros: &HostMacros) -> Self {
        // A period that does not parse loses nothing.
        let period = |kind: LifetimeType, text: &str| match kind {
            LifetimeType::AtOnce => Some(0),
            LifetimeType::Never => None,
            LifetimeType::After => {
                parse_duration_s(&macros.expand(text)).and_then(|it| i64::try_from(it).ok())
            }
        };
        let delete_after = period(rule.lifetime_type, &rule.lifetime);
        let disable_after = period(rule.enabled_lifetime_type, &rule.enabled_lifetime);
        Self { delete_after, disable_after }
    }

    /// When what is lost since then goes; 0: never.
    pub(super) fn delete_at(self, since: i64) -> i64 {
        self.delete_after.map_or(0, |it| since.saturating_add(it))
    }

    /// The marks of an object that is lost at `now`, or was before.
    pub(super) fn mark(self, old: Lost, is_enabled: bool, now: Time) -> Lost {
        let since = if old.since == 0 { now.clock() } else { old.since };
        let disabled_by_discovery = old.disable_at != 0 && !is_enabled;
        let disable_at = match self.disable_after {
            _ if disabled_by_discovery => old.disable_at,
            Some(after) if is_enabled => since.saturating_add(after),
            _ => 0,
        };
        Lost { since, delete_at: self.delete_at(since), disable_at }
    }
}

/// Lost objects that are due.
#[derive(Default)]
struct Due {
    delete_items: Vec<ItemId>,
    delete_triggers: Vec<TriggerId>,
    delete_graphs: Vec<GraphId>,
    delete_hosts: Vec<HostId>,
    disable_hosts: Vec<HostId>,
    disable_items: Vec<(HostId, ItemId)>,
    disable_triggers: Vec<(HostId, TriggerId)>,
}

impl Due {
    fn is_empty(&self) -> bool {
        self.delete_items.is_empty()
            && self.delete_triggers.is_empty()
            && self.delete_graphs.is_empty()
            && self.delete_hosts.is_empty()
            && self.disable_hosts.is_empty()
            && self.disable_items.is_empty()
            && self.disable_triggers.is_empty()
    }

    fn collect(&mut self, host: &Host, now: Time) {
        let is_due = |at: i64| at != 0 && at <= now.clock();
        let is_lost = |it: &Lost| it.since != 0;
        let of_host = host.discovered.as_ref().map(|it| it.by.lost()).filter(is_lost);
        if let Some(it) = of_host {
            if is_due(it.delete_at) {
                self.delete_hosts.push(host.id);
            } else if is_due(it.disable_at) && host.status == HostStatus::Monitored {
                self.disable_hosts.push(host.id);
            }
        }
        for row in &host.items {
            let Some(it) = row.discovered().map(Discovered::lost).filter(is_lost) else { continue };
            if is_due(it.delete_at) {
                self.delete_items.push(row.id);
            } else if is_due(it.disable_at) && row.content.status == ItemStatus::Enabled {
                self.disable_items.push((host.id, row.id));
            }
        }
        for row in &host.triggers {
            let Some(it) = row.discovered().map(Discovered::lost).filter(is_lost) else { continue };
            if is_due(it.delete_at) {
                self.delete_triggers.push(row.id);
            } else if is_due(it.disable_at) && row.content.status == TriggerStatus::Enabled {
                self.disable_triggers.push((host.id, row.id));
            }
        }
        for row in &host.graphs {
            let lost = row.discovered().map(Discovered::lost).filter(is_lost);
            if lost.is_some_and(|it| is_due(it.delete_at)) {
                self.delete_graphs.push(row.id);
            }
        }
    }
}

/// Deletes and disables what is due on one host.
pub(super) fn sweep_host(e: &mut Editor, host: HostId, now: Time, report: &mut LldReport) {
    let mut due = Due::default();
    if let Some(host) = e.snapshot().holder(host) {
        due.collect(host, now);
    }
    carry_out(e, due, report);
}

fn carry_out(e: &mut Editor, due: Due, report: &mut LldReport) {
    report.n_disabled += due.disable_hosts.len();
    report.n_deleted += due.delete_hosts.len();
    for host in due.disable_hosts {
        e.noted((ObjectKind::Host, host.0), |e| {
            e.set_discovered_host_status(host, HostStatus::NotMonitored);
        });
    }
    report.n_disabled += due.disable_items.len() + due.disable_triggers.len();
    let (items, triggers, graphs) = (due.delete_items, due.delete_triggers, due.delete_graphs);
    report.n_deleted += items.len() + triggers.len() + graphs.len();
    for (host, id) in due.disable_items {
        e.noted((ObjectKind::Item, id.0), |e| {
            e.set_discovered_item_status(host, id, ItemStatus::Disabled);
        });
    }
    for (host, id) in due.disable_triggers {
        e.noted((ObjectKind::Trigger, id.0), |e| {
            e.set_discovered_trigger_status(host, id, TriggerStatus::Disabled);
        });
    }
    e.note_lost(ObjectKind::Item, items.iter().map(|it| it.0));
    e.note_lost(ObjectKind::Trigger, triggers.iter().map(|it| it.0));
    e.note_lost(ObjectKind::Graph, graphs.iter().map(|it| it.0));
    if !items.is_empty() || !triggers.is_empty() || !graphs.is_empty() {
        e.remove(Removal { items, triggers, graphs, ..Removal::default() });
    }
    e.note_lost(ObjectKind::Host, due.delete_hosts.iter().map(|it| it.0));
    e.remove_discovered_hosts(&due.delete_hosts);
}

impl Db {
    /// Deletes and disables what discovery lost and whose time has come. Call it each minute.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn lld_sweep(&self, now: Time) -> Result<LldReport, ConfigError> {
        let snapshot = self.snapshot();
        let mut due = Due::default();
        for host in snapshot.hosts.values() {
            due.collect(host, now);
        }
        let mut report = LldReport::default();
        let has_lost_group = snapshot
            .group_discoveries
            .values()
            .any(|it| it.iter().any(|it| it.delete_at != 0 && it.delete_at <= now.clock()));
        if due.is_empty() && !has_lost_group {
            return Ok(report);
        }
        self.edit(Actor::Discovery, |e| {
            // Collected again: an edit may have come between.
            let mut due = Due::default();
            for host in e.snapshot().hosts.values() {
                due.collect(host, now);
            }
            carry_out(e, due, &mut report);
            e.sweep_groups(now);
            Ok(())
        })?;
        Ok(report)
    }
}
