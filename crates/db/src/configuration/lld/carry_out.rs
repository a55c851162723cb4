//! Carrying out what a run changes, in portions: one edit makes or changes a bounded number of objects, and
//! other edits have their turn between two portions.
//!
//! The plan is made outside of the edit. Each portion checks that what the plan was made from is still there;
//! if it was changed meanwhile, the rest is planned again. A server that stops between two portions
//! makes the rest with the next value of the rule.

use std::sync::Arc;

use imbl::OrdMap;
use model::content::{ItemFlags, ItemStatus, TriggerStatus};
use model::snapshot::{
    Discovered, Globals, Host, ItemExtra, ItemRow, Snapshot, TriggerExtra, TriggerRow,
};
use model::{HostId, ItemId, Time, TriggerId};

use super::LldReport;
use super::apply::{New, NewItem, NewTrigger, Plan};
use super::lifetime::sweep_host;
use super::made::MadeItem;
use super::rows::DiscoveredRows;
use crate::actor::Actor;
use crate::configuration::editor::Editor;
use crate::configuration::objects::ObjectKind;
use crate::error::ConfigError;
use crate::handle::Db;

/// Objects of a portion. Larger hosts have larger portions, since each edit also compiles the whole host: the
/// cost of all portions together stays linear in the objects.
const PORTION_MIN: usize = 4_096;
/// Edits of others wait for a portion: 32,768 objects of a host with 450,000 took two seconds, and 20,480 hardly less,
/// since most of it is the whole host's; a run was a quarter slower by them.
const PORTION_MAX: usize = 32_768;
/// A portion of a host with n objects is n/4.
const PORTION_SHARE: usize = 4;
/// A discovered host counts as so many objects: it gets the items of its templates.
pub(super) const HOST_WEIGHT: usize = 64;
/// How often the host may change before the plan is applied; after that the plan is made in the
/// edit, where no change can overtake it.
const OVERTAKEN_MAX: u32 = 3;

/// The inputs of a plan.
struct Basis {
    holder: HostId,
    host: Option<Arc<Host>>,
    globals: Arc<Globals>,
    templates: OrdMap<HostId, Arc<Host>>,
    /// Where the rule makes hosts: their names and groups.
    all: Option<Box<Snapshot>>,
}

impl Basis {
    fn of(snapshot: &Snapshot, plan: &Plan) -> Self {
        Self {
            holder: plan.host,
            host: snapshot.hosts.get(&plan.host).cloned(),
            globals: Arc::clone(&snapshot.globals),
            templates: snapshot.templates.clone(),
            all: plan.hosts.of.is_some().then(|| Box::new(snapshot.clone())),
        }
    }

    fn holds(&self, now: &Snapshot) -> bool {
        let is_same_host = match (&self.host, now.hosts.get(&self.holder)) {
            (Some(before), Some(it)) => Arc::ptr_eq(before, it),
            _ => false,
        };
        is_same_host
            && Arc::ptr_eq(&self.globals, &now.globals)
            && self.templates.ptr_eq(&now.templates)
            && self.all.as_ref().is_none_or(|it| {
                it.hosts.ptr_eq(&now.hosts) && it.host_groups.ptr_eq(&now.host_groups)
            })
    }
}

/// The result of an edit of a run.
enum Portion {
    /// The inputs of the plan have changed.
    Overtaken,
    /// More is to be done, from here.
    More(Basis),
    Done,
}

impl Db {
    pub(super) fn apply_found(
        &self,
        rule: ItemId,
        found: &DiscoveredRows,
        now: Time,
    ) -> Result<LldReport, ConfigError> {
        let (n_rows, n_max) = (found.rows.len(), self.discovery_rows_max());
        if n_max < n_rows {
            return Ok(LldReport::unsupported(format!(
                "The value has {n_rows} rows; a discovery rule may have {n_max} (setting \
                 discovery.rows_max). Nothing was changed."
            )));
        }
        let mut run = Carrying { found, now, n_overtaken: 0, done: LldReport::default() };
        let mut planned: Option<(Plan, Basis)> = None;
        loop {
            let (mut plan, basis) = match planned.take() {
                Some(it) => it,
                None => {
                    let snapshot = self.snapshot();
                    let plan = Plan::make((&snapshot, self.zone()), rule, found, now)?;
                    let basis = Basis::of(&snapshot, &plan);
                    (plan, basis)
                }
            };
            match self.edit(Actor::Discovery, |e| run.portion(e, rule, &mut plan, &basis))? {
                Portion::Overtaken => {}
                Portion::More(basis) => planned = Some((plan, basis)),
                Portion::Done => return Ok(plan.report.with(run.done)),
            }
        }
    }
}

/// A run on its way.
struct Carrying<'a> {
    found: &'a DiscoveredRows,
    now: Time,
    n_overtaken: u32,
    done: LldReport,
}

impl Carrying<'_> {
    /// The next portion, if the plan still holds.
    fn portion(
        &mut self,
        e: &mut Editor,
        rule: ItemId,
        plan: &mut Plan,
        basis: &Basis,
    ) -> Result<Portion, ConfigError> {
        if !basis.holds(e.snapshot()) {
            // The next plan says it again.
            self.done.nested.clear();
            self.done.error.clear();
            self.n_overtaken += 1;
            if self.n_overtaken <= OVERTAKEN_MAX {
                return Ok(Portion::Overtaken);
            }
            let zone = e.zone.clone();
            *plan = Plan::make((e.snapshot(), &zone), rule, self.found, self.now)?;
        }
        let n_max = portion_of(e.snapshot(), plan.host);
        if plan.carry_out_some(e, self.now, n_max, &mut self.done)? {
            return Ok(Portion::Done);
        }
        Ok(Portion::More(Basis::of(e.snapshot(), plan)))
    }
}

/// Objects that an edit makes or changes on a host.
fn portion_of(snapshot: &Snapshot, host: HostId) -> usize {
    let n_objects = |it: &Arc<Host>| it.items.len() + it.triggers.len() + it.graphs.len();
    share_of(snapshot.hosts.get(&host).map_or(0, n_objects))
}

fn share_of(n: usize) -> usize {
    (n / PORTION_SHARE).clamp(PORTION_MIN, PORTION_MAX)
}

/// The next ones of a list, as many as are left of the portion.
pub(super) fn next<T>(list: &mut Vec<T>, left: &mut usize, weight: usize) -> Vec<T> {
    let n = (*left / weight).min(list.len());
    *left -= n * weight;
    // Mostly all of them.
    let rest = list.split_off(n);
    std::mem::replace(list, rest)
}

impl Plan {
    /// Carries out all of it in this edit.
    pub(super) fn carry_out(mut self, e: &mut Editor, now: Time) -> Result<LldReport, ConfigError> {
        let mut done = LldReport::default();
        while !self.carry_out_some(e, now, usize::MAX, &mut done)? {}
        Ok(self.report.with(done))
    }

    /// Carries out as much as `n_max` objects; whether that was the rest. Objects are made after those that
    /// they name.
    fn carry_out_some(
        &mut self,
        e: &mut Editor,
        now: Time,
        n_max: usize,
        done: &mut LldReport,
    ) -> Result<bool, ConfigError> {
        let mut left = n_max;
        if self.nested_to_lose.is_none() {
            self.nested_to_lose = Some(self.lost_nested(e.snapshot()));
        }
        self.change_some(e, &mut left);
        e.set_found_parents(self.host, &self.parents);
        self.make_some(e, &mut left, done);
        e.carry_out_hosts(&mut self.hosts, &mut left, now, done);
        if !self.is_carried_out() {
            return Ok(false);
        }
        done.nested.extend(by_id(std::mem::take(&mut self.nested), &self.new_ids));
        e.finish_hosts(&mut self.hosts, now);
        if self.has_lost {
            sweep_host(e, self.host, now, done);
        }
        let nested = self.nested_to_lose.take().unwrap_or_default();
        e.lose_rows_of(nested, now, done)?;
        Ok(true)
    }

    fn is_carried_out(&self) -> bool {
        self.items.is_empty()
            && self.triggers.is_empty()
            && self.graphs.is_empty()
            && self.item_overrides.is_empty()
            && self.trigger_overrides.is_empty()
            && self.new_items.is_empty()
            && self.new_triggers.is_empty()
            && self.new_graphs.is_empty()
            && self.hosts.is_carried_out()
    }

    fn change_some(&mut self, e: &mut Editor, left: &mut usize) {
        let host = self.host;
        for (id, new) in next(&mut self.items, left, 1) {
            self.has_lost |= new.is_lost();
            e.set_discovered_item(host, id, new);
        }
        for (id, new) in next(&mut self.triggers, left, 1) {
            self.has_lost |= new.is_lost();
            e.set_discovered_trigger(host, id, new);
        }
        for (id, new) in next(&mut self.graphs, left, 1) {
            self.has_lost |= new.is_lost();
            e.set_discovered_graph(host, id, new);
        }
        for (id, overrides) in next(&mut self.item_overrides, left, 1) {
            e.set_discovered_item_overrides(host, id, overrides);
        }
        for (id, overrides) in next(&mut self.trigger_overrides, left, 1) {
            e.set_discovered_trigger_overrides(host, id, overrides);
        }
    }

    fn make_some(&mut self, e: &mut Editor, left: &mut usize, done: &mut LldReport) {
        let host = self.host;
        let items = next(&mut self.new_items, left, 1);
        done.n_created += items.len();
        self.new_ids.extend(e.add_discovered_items(host, items));
        let triggers = next(&mut self.new_triggers, left, 1);
        done.n_created += triggers.len();
        e.add_discovered_triggers(host, triggers);
        let graphs = next(&mut self.new_graphs, left, 1);
        done.n_created += graphs.len();
        e.add_discovered_graphs(host, graphs);
    }
}

/// The sources of rows of nested rules, with the ids of new ones.
fn by_id(nested: Vec<(MadeItem, String)>, new: &[ItemId]) -> Vec<(ItemId, String)> {
    let id = |it: MadeItem| match it {
        MadeItem::Existing(id) => Some(id),
        MadeItem::New(at) => new.get(at).copied(),
    };
    nested.into_iter().filter_map(|(made, text)| Some((id(made)?, text))).collect()
}

fn kind_of(row: &ItemRow) -> ObjectKind {
    if row.flags.is_rule() { ObjectKind::DiscoveryRule } else { ObjectKind::Item }
}

impl Editor {
    /// The ids of the new ones, in order.
    fn add_discovered_items(&mut self, host: HostId, new: Vec<NewItem>) -> Vec<ItemId> {
        let mut ids = Vec::with_capacity(new.len());
        let mut rows = Vec::with_capacity(new.len());
        for New { prototype, discovered, overrides } in new {
            let id = ItemId(self.take_id());
            ids.push(id);
            let Some((_, source)) = self.snapshot().item(prototype) else { continue };
            let (overrides, content) = self.applied.of::<ItemRow>(overrides, &source.content);
            let flags = match source.flags {
                ItemFlags::RulePrototype => ItemFlags::DiscoveredRule,
                _ => ItemFlags::Discovered,
            };
            rows.push(ItemRow {
                id,
                source: ItemId::NONE,
                content,
                extra: Some(Box::new(ItemExtra { overrides, discovered: Some(discovered) })),
                flags,
            });
        }
        let made: Vec<(ObjectKind, u64)> = rows.iter().map(|it| (kind_of(it), it.id.0)).collect();
        self.push_items(host, rows);
        made.into_iter().for_each(|(kind, id)| self.note_found(kind, id));
        ids
    }

    fn add_discovered_triggers(&mut self, host: HostId, new: Vec<NewTrigger>) {
        let mut rows = Vec::with_capacity(new.len());
        for New { prototype, discovered, overrides } in new {
            let Some((_, source)) = self.snapshot().trigger(prototype) else { continue };
            let (overrides, content) = self.applied.of::<TriggerRow>(overrides, &source.content);
            rows.push(TriggerRow {
                id: TriggerId(self.take_id()),
                source: TriggerId::NONE,
                content,
                extra: Some(Box::new(TriggerExtra { overrides, discovered: Some(discovered) })),
                flags: ItemFlags::Discovered,
            });
        }
        let made: Vec<u64> = rows.iter().map(|it| it.id.0).collect();
        self.push_triggers(host, rows);
        made.into_iter().for_each(|id| self.note_found(ObjectKind::Trigger, id));
    }

    /// Takes over what a run says of an item. One that discovery disabled and now finds again is
    /// enabled.
    fn set_discovered_item(&mut self, host: HostId, id: ItemId, new: Discovered) {
        let Some((_, row)) = self.snapshot().item(id) else { return };
        let was_disabled = row.discovered().is_some_and(|it| it.lost().disable_at != 0)
            && row.content.status == ItemStatus::Disabled;
        let is_back = !new.is_lost();
        if let Some(extra) = &mut self.item_mut(host, id).extra {
            extra.discovered = Some(new);
        }
        if was_disabled && is_back {
            self.set_discovered_item_status(host, id, ItemStatus::Enabled);
        }
    }

    fn set_discovered_trigger(&mut self, host: HostId, id: TriggerId, new: Discovered) {
        let Some((_, row)) = self.snapshot().trigger(id) else { return };
        let was_disabled = row.discovered().is_some_and(|it| it.lost().disable_at != 0)
            && row.content.status == TriggerStatus::Disabled;
        let is_back = !new.is_lost();
        if let Some(extra) = &mut self.trigger_mut(host, id).extra {
            extra.discovered = Some(new);
        }
        if was_disabled && is_back {
            self.set_discovered_trigger_status(host, id, TriggerStatus::Enabled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::share_of;

    /// The edits that make so many objects on a host, and the most that one of them makes.
    fn edits(n: usize) -> (usize, usize) {
        let (mut n_made, mut n_edits, mut most) = (0, 0, 0);
        while n_made < n {
            let portion = share_of(n_made).min(n - n_made);
            (n_made, n_edits, most) = (n_made + portion, n_edits + 1, most.max(portion));
        }
        (n_edits, most)
    }

    #[test]
    fn no_edit_of_a_run_makes_more_than_others_can_wait_for() {
        // The objects that 50,000 rows make of three item and three trigger prototypes, and of a
        // graph prototype and more.
        for (n, n_edits_max) in [(300_000, 24), (450_000, 32), (1_000_000, 60)] {
            let (n_edits, most) = edits(n);
            assert!(most <= 32_768, "{n} objects: {most} in an edit");
            // Each compiles the whole host.
            assert!(n_edits <= n_edits_max, "{n} objects: {n_edits} edits");
        }
    }
}
