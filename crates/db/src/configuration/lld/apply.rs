//! One run of a rule: wanted objects of the rows against existing ones.
//!
//! First everything is compared on the unchanged snapshot; only what differs is then touched, so
//! that a run that brings nothing new makes no new epoch.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::lld::{OverrideChanges, OverrideTarget, Overrides, RowIn, RowOverrides, expand_key};
use model::content::{
    GraphOverrides, ItemFlags, ItemOverrides, ItemStatus, TriggerOverrides, TriggerStatus,
};
use model::map::{Map, Set};
use model::snapshot::{
    Discovered, GraphRow, Host, ItemRow, LldNames, Lost, LostTogether, Patterns, Snapshot,
    TriggerRow,
};
use model::{GraphId, HostId, ItemId, Time, TriggerId};

use super::dependencies::{ItemPrototypes, Named};
use super::fields;
use super::lifetime::Lifetimes;
use super::made::{Made, MadeItem};
use super::rows::{DiscoveredRows, HostMacros, rows_of, takes_texts};
use super::same_triggers::SameTriggers;
use super::wanted_host::HostPlan;
use super::{LldReport, LldRow, expand, overrides};
use crate::error::ConfigError;
use crate::handle::Db;

impl Db {
    /// Applies the text that a discovery rule got. See [`crate::configuration::lld`].
    ///
    /// # Errors
    /// If the rule does not exist or the database refuses. Faults of the text are in the report and
    /// in [`Self::rule_errors`].
    pub fn apply_lld(&self, rule: ItemId, text: &str, now: Time) -> Result<LldReport, ConfigError> {
        let snapshot = self.snapshot();
        let (host, row) = snapshot.item(rule).ok_or_else(ConfigError::no_permissions)?;
        let macros = HostMacros::of(host, row, &snapshot, self.zone());
        let keeps_texts = takes_texts(&snapshot, host, row);
        let report = match rows_of(&row.content, text, &macros, keeps_texts) {
            Ok(found) => self.apply_found(rule, &found, now)?,
            Err(error) => LldReport::unsupported(error),
        };
        self.rule_errors().set(rule, &report);
        Ok(report)
    }

    /// As [`Self::apply_lld`] with rows that are filtered already.
    ///
    /// # Errors
    /// As there.
    pub fn apply_lld_rows(
        &self,
        rule: ItemId,
        rows: Vec<LldRow>,
        now: Time,
    ) -> Result<LldReport, ConfigError> {
        self.apply_found(rule, &DiscoveredRows { rows, ..DiscoveredRows::default() }, now)
    }
}

/// Saker's own: a row's host by which this one is reached.
const PARENT: &str = "{#PARENT}";

/// An item, trigger or graph to be made.
pub(super) struct New<Id, Overrides> {
    pub(super) prototype: Id,
    pub(super) discovered: Discovered,
    pub(super) overrides: Overrides,
}

pub(super) type NewItem = New<ItemId, ItemOverrides>;
pub(super) type NewTrigger = New<TriggerId, TriggerOverrides>;
pub(super) type NewGraph = New<GraphId, GraphOverrides>;

/// The changes of a run.
pub(super) struct Plan {
    pub(super) host: HostId,
    pub(super) new_items: Vec<NewItem>,
    pub(super) new_triggers: Vec<NewTrigger>,
    pub(super) new_graphs: Vec<NewGraph>,
    pub(super) hosts: HostPlan,
    /// Rules of the type *Nested* that rows made, with the JSON of the row.
    pub(super) nested: Vec<(MadeItem, String)>,
    /// New state of what was discovered; found again if it was lost and no longer is.
    pub(super) items: Vec<(ItemId, Discovered)>,
    pub(super) triggers: Vec<(TriggerId, Discovered)>,
    pub(super) graphs: Vec<(GraphId, Discovered)>,
    /// The current overrides of the rule for existing ones.
    pub(super) item_overrides: Vec<(ItemId, ItemOverrides)>,
    pub(super) trigger_overrides: Vec<(TriggerId, TriggerOverrides)>,
    /// Rows whose values changed: their lost objects move along with the found ones.
    moved: BTreeMap<LldRow, LldRow>,
    lost_together: LostTogether,
    /// Names of the host's parents; empty if the rows name none.
    pub(super) parents: BTreeSet<String>,
    /// Of the new items that were made, in order.
    pub(super) new_ids: Vec<ItemId>,
    /// Whether something was marked lost.
    pub(super) has_lost: bool,
    /// Nested rules that this run is the first not to name; found out before the first change.
    pub(super) nested_to_lose: Option<Vec<ItemId>>,
    /// Objects that could not be made, are updated or newly lost. Made and deleted objects are
    /// counted when it happens.
    pub(super) report: LldReport,
}

/// The inputs of a run.
pub(super) struct Run<'a> {
    pub(super) host: &'a Arc<Host>,
    pub(super) rule: &'a ItemRow,
    pub(super) rows: Vec<LldRow>,
    /// Of each row.
    pub(super) overrides: Vec<RowOverrides<'a>>,
    /// The JSON of rows, if a nested rule has rows from it.
    pub(super) texts: &'a BTreeMap<LldRow, String>,
    /// Prototypes of this rule; those of rules stand among those of items.
    pub(super) item_prototypes: Vec<&'a ItemRow>,
    pub(super) trigger_prototypes: Vec<&'a TriggerRow>,
    pub(super) graph_prototypes: Vec<&'a GraphRow>,
    pub(super) lifetimes: Lifetimes,
    /// Positions of the host's items by the ids that content names them by.
    pub(super) refs: &'a Map<ItemId, u32>,
    pub(super) now: Time,
    pub(super) zone: &'a TimeZone,
}

/// The name that a row gives an object, if its prototype is still there.
pub(super) type NameOf<'a> = dyn Fn(&LldRow) -> Option<String> + 'a;

impl<'a> Run<'a> {
    /// With what overrides say of them: the same row twice has its error from the items.
    pub(super) fn distinct_rows(&self) -> Vec<(&LldRow, &RowOverrides<'a>)> {
        let mut seen: BTreeSet<&LldRow> = BTreeSet::new();
        let rows = self.rows.iter().zip(&self.overrides);
        rows.filter(|(row, _)| seen.insert(row)).collect()
    }

    /// The triggers that the rule has made.
    fn triggers_made(&self) -> Vec<(&'a TriggerRow, &'a Discovered)> {
        let all = self.host.triggers.iter().filter_map(|it| Some((it, it.discovered()?)));
        all.filter(|(_, it)| it.rule == self.rule.id).collect()
    }
}

impl Plan {
    pub(super) fn make(
        (snapshot, zone): (&Snapshot, &TimeZone),
        rule: ItemId,
        found: &DiscoveredRows,
        now: Time,
    ) -> Result<Self, ConfigError> {
        let (host, rule) = snapshot.item(rule).ok_or_else(ConfigError::no_permissions)?;
        if !rule.flags.is_rule() || !snapshot.hosts.contains_key(&host.id) {
            return Err(ConfigError::no_permissions());
        }
        let names: Set<ItemId> = snapshot.names_of_rule(host, rule).into_iter().collect();
        let item_prototypes = host
            .items
            .iter()
            .filter(|it| it.flags.is_prototype() && names.contains(&it.content.ruleid));
        let trigger_prototypes = host
            .triggers
            .iter()
            .filter(|it| it.flags == ItemFlags::Prototype && names.contains(&it.content.ruleid));
        let graph_prototypes = host
            .graphs
            .iter()
            .filter(|it| it.flags == ItemFlags::Prototype && names.contains(&it.content.ruleid));
        let macros = HostMacros::of(host, rule, snapshot, zone);
        let rows = share_rows(host, rule.id, &found.rows);
        let compiled = match overrides::compile(&rule.content, &macros) {
            Ok(it) => it,
            Err(error) => return Ok(Self::nothing(host.id, LldReport::unsupported(error))),
        };
        let of_rows = match overrides::of_rows(&compiled, &rows) {
            Ok(it) => it,
            Err(error) => return Ok(Self::nothing(host.id, LldReport::unsupported(error))),
        };
        let refs = snapshot.item_refs(host);
        let order = ItemPrototypes { host, refs: &refs };
        let run = Run {
            host,
            rule,
            rows,
            texts: &found.texts,
            overrides: of_rows,
            item_prototypes: order.masters_first(item_prototypes.collect()),
            trigger_prototypes: trigger_prototypes.collect(),
            graph_prototypes: graph_prototypes.collect(),
            lifetimes: Lifetimes::of(&rule.content, &macros),
            refs: &refs,
            now,
            zone,
        };
        let mut plan = Self::nothing(host.id, LldReport::default());
        let made = plan.plan_items(&run);
        plan.plan_triggers(&run, snapshot, &made);
        plan.plan_graphs(&run, &made);
        plan.plan_hosts(&run, snapshot);
        plan.report_warnings(&found.warnings, &compiled, &run);
        let named = run.rows.iter().filter_map(|it| it.get(PARENT));
        plan.parents = named.map(str::to_owned).collect();
        Ok(plan)
    }

    /// A run that changes nothing.
    fn nothing(host: HostId, report: LldReport) -> Self {
        Self {
            host,
            new_items: Vec::new(),
            new_triggers: Vec::new(),
            new_graphs: Vec::new(),
            hosts: HostPlan::default(),
            nested: Vec::new(),
            items: Vec::new(),
            triggers: Vec::new(),
            graphs: Vec::new(),
            item_overrides: Vec::new(),
            trigger_overrides: Vec::new(),
            moved: BTreeMap::new(),
            lost_together: LostTogether::default(),
            parents: BTreeSet::new(),
            new_ids: Vec::new(),
            has_lost: false,
            nested_to_lose: None,
            report,
        }
    }

    /// Rows for which filters could not be evaluated, after objects that could not be made.
    fn report_warnings(&mut self, of_filter: &[(usize, String)], all: &Overrides, run: &Run<'_>) {
        let mut of_filter = of_filter.iter().peekable();
        for (at, overrides) in run.overrides.iter().enumerate() {
            while let Some((_, warning)) = of_filter.next_if(|(before, _)| *before <= at) {
                self.report.add_text(warning);
            }
            for warning in overrides.warnings() {
                self.report.add_text(warning);
            }
        }
        of_filter.for_each(|(_, warning)| self.report.add_text(warning));
        all.warnings().iter().for_each(|it| self.report.add_text(it));
    }

    fn plan_items(&mut self, run: &Run<'_>) -> Made {
        let prototypes = ItemPrototypes { host: run.host, refs: run.refs };
        let existing: Vec<(&ItemRow, &Discovered)> = run
            .host
            .items
            .iter()
            .filter_map(|it| Some((it, it.discovered()?)))
            .filter(|(_, it)| it.rule == run.rule.id)
            .collect();
        let by_key: Map<(u64, Cow<'_, str>), &ItemRow> =
            existing.iter().map(|(row, it)| ((it.prototype, row.key()), *row)).collect();
        let mut taken = taken_keys(run.host);
        let mut claimed: BTreeSet<String> = BTreeSet::new();
        let mut found: BTreeMap<ItemId, LldRow> = BTreeMap::new();
        let mut made = Made::new();
        for prototype in &run.item_prototypes {
            let content = &prototype.content;
            let master = prototypes.named(content.master_itemid);
            let (object, noun) = match prototype.flags {
                ItemFlags::RulePrototype => (OverrideTarget::Rule, "LLD rule"),
                _ => (OverrideTarget::Item, "item"),
            };
            for (row, overrides) in run.rows.iter().zip(&run.overrides) {
                let changes = overrides::changes(overrides, object, &content.name, row, run.zone);
                if !changes.discover.unwrap_or(content.discover) {
                    continue;
                }
                // Without its master there is no dependent item; the master has its own error.
                if master.is_some_and(|it| !made.contains_key(&(it.id.0, Arc::clone(row)))) {
                    continue;
                }
                let key = match expand_key(&prototype.content.key_, RowIn::new(row, run.zone)) {
                    Ok(it) => it,
                    Err(error) => {
                        let key = &prototype.content.key_;
                        self.fail(format_args!("Cannot create {noun} \"{key}\": {error}."));
                        continue;
                    }
                };
                let known = by_key.get(&(prototype.id.0, Cow::Borrowed(key.as_str())));
                let taken_by = taken.get(&key).copied().filter(|_| known.is_none());
                if taken_by.is_some() || !claimed.insert(key.clone()) {
                    let what = taken_by.unwrap_or("item");
                    self.fail(format_args!(
                        "Cannot create {noun} \"{key}\": {what} with the same key already exists."
                    ));
                    continue;
                }
                let name = expand::name(&content.name, row, run.zone);
                let wrong = fields::wrong_item(content, &changes, &name, &key, row, run.zone);
                let wrong = wrong.map(|it| format!(" \"{key}\": {it}"));
                if self.keeps_out(noun, known.is_some(), wrong) {
                    continue;
                }
                let made_item = match known {
                    Some(it) => {
                        found.insert(it.id, Arc::clone(row));
                        self.follow_item(it, overrides::of_item(changes, content));
                        MadeItem::Existing(it.id)
                    }
                    None => {
                        taken.insert(key.clone(), "item");
                        let texts = (&*key, &*name);
                        self.new_items.push(new_item(run, prototype, row, texts, changes));
                        MadeItem::New(self.new_items.len() - 1)
                    }
                };
                self.note_nested(run, prototype, row, made_item);
                made.insert((prototype.id.0, Arc::clone(row)), made_item);
            }
        }
        self.follow_items(run, existing, &found);
        made
    }

    /// Updates or loses the items and rules that existed before.
    fn follow_items(
        &mut self,
        run: &Run<'_>,
        existing: Vec<(&ItemRow, &Discovered)>,
        found: &BTreeMap<ItemId, LldRow>,
    ) {
        for (row, old) in &existing {
            if let Some(new) = found.get(&row.id).filter(|it| **it != old.row) {
                self.moved.entry(Arc::clone(&old.row)).or_insert_with(|| Arc::clone(new));
            }
        }
        for (row, old) in existing {
            let is_enabled = row.content.status == ItemStatus::Enabled;
            let name = |new: &LldRow| prototype_name(run, old.prototype, new);
            let texts = (row.patterns(), &name as &NameOf<'_>);
            let new = self.next_state(run, old, found.get(&row.id), is_enabled, texts);
            if let Some(new) = new {
                self.items.push((row.id, new));
            }
        }
    }

    /// Applies the overrides of an existing item, if they changed.
    fn follow_item(&mut self, row: &ItemRow, wanted: ItemOverrides) {
        let known = row.overrides().cloned().unwrap_or_default();
        // The status belongs to the user once the item is made.
        let wanted = ItemOverrides { status: known.status, ..wanted };
        if known != wanted {
            self.report.n_updated += 1;
            self.item_overrides.push((row.id, wanted));
        }
    }

    /// As [`Self::follow_item`].
    fn follow_trigger(&mut self, row: &TriggerRow, wanted: TriggerOverrides) {
        let known = row.overrides().cloned().unwrap_or_default();
        let wanted = TriggerOverrides { status: known.status, ..wanted };
        if known != wanted {
            self.report.n_updated += 1;
            self.trigger_overrides.push((row.id, wanted));
        }
    }

    /// The new state of a discovered object, if it differs.
    pub(super) fn next_state(
        &mut self,
        run: &Run<'_>,
        old: &Discovered,
        found: Option<&LldRow>,
        is_enabled: bool,
        (patterns, name): (Patterns<'_>, &NameOf<'_>),
    ) -> Option<Discovered> {
        let new = match found {
            Some(row) => {
                let mut new = old.moved_to(Arc::clone(row), patterns);
                if let Some(name) = name(row) {
                    new.set_texts(patterns, &old.key(patterns.key), &name);
                }
                new.set_lost(Lost::default());
                new
            }
            None => {
                let mut lost = match self.moved.get(&old.row) {
                    Some(row) => old.moved_to(Arc::clone(row), patterns),
                    None => old.clone(),
                };
                lost.set_lost(run.lifetimes.mark(old.lost(), is_enabled, run.now));
                self.lost_together.share(&mut lost);
                lost
            }
        };
        if new.is_same(old) {
            return None;
        }
        match (found, old.lost().since) {
            (Some(_), _) => self.report.n_updated += 1,
            (None, 0) => self.report.n_lost += 1,
            (None, _) => {}
        }
        Some(new)
    }

    fn plan_triggers(&mut self, run: &Run<'_>, snapshot: &Snapshot, made: &Made) {
        let item_at = |reference: ItemId| -> Option<&ItemRow> {
            match run.refs.get(&reference) {
                Some(at) => run.host.items.get(usize::try_from(*at).ok()?),
                None => snapshot.item(reference).map(|(_, it)| it),
            }
        };
        let existing = run.triggers_made();
        let made_before = made_before(run.host);
        let uses = |prototype: &TriggerRow, row: &LldRow, made: &Made| -> Option<Vec<MadeItem>> {
            let functions = prototype.content.functions.iter();
            functions
                .map(|it| {
                    let item = item_at(it.item)?;
                    if item.flags == ItemFlags::Prototype {
                        made.get(&(item.id.0, Arc::clone(row))).copied()
                    } else {
                        Some(MadeItem::Existing(item.id))
                    }
                })
                .collect()
        };
        let mut found: BTreeMap<TriggerId, LldRow> = BTreeMap::new();
        let mut named = Named::default();
        let mut same = SameTriggers::new(run.host, &item_at, run.zone);
        let rows = run.distinct_rows();
        for prototype in &run.trigger_prototypes {
            let known: BTreeMap<Vec<MadeItem>, &TriggerRow> = existing
                .iter()
                .filter(|(_, it)| it.prototype == prototype.id.0)
                .filter_map(|(row, it)| Some((uses(prototype, &it.row, &made_before)?, *row)))
                .collect();
            let mut claimed: BTreeSet<Vec<MadeItem>> = BTreeSet::new();
            let content = &prototype.content;
            for &(row, overrides) in &rows {
                let name = &content.description;
                let changes =
                    overrides::changes(overrides, OverrideTarget::Trigger, name, row, run.zone);
                if !changes.discover.unwrap_or(content.discover) {
                    continue;
                }
                // An item that could not be made has its own error.
                let Some(uses) = uses(prototype, row, made) else { continue };
                let name = expand::name(&prototype.content.description, row, run.zone);
                if !claimed.insert(uses.clone()) {
                    self.fail(format_args!(
                        "Cannot create trigger: trigger \"{name}\" already exists."
                    ));
                    continue;
                }
                let known = known.get(&uses);
                if self.keeps_out("trigger", known.is_some(), fields::wrong_trigger(&name)) {
                    continue;
                }
                if known.is_none() && !same.take(prototype, (row, &name), (made, &made_before)) {
                    self.fail(format_args!(
                        "Cannot create trigger: trigger \"{name}\" already exists."
                    ));
                    continue;
                }
                named.insert(prototype.id, row);
                match known {
                    Some(known) => {
                        found.insert(known.id, Arc::clone(row));
                        self.follow_trigger(known, overrides::of_trigger(changes, content));
                    }
                    None => {
                        self.new_triggers.push(new_trigger(run, prototype, row, &name, changes));
                    }
                }
            }
        }
        self.report_missing_masters(run, snapshot, &named, &rows);
        self.follow_triggers(run, existing, &found);
    }

    /// Updates or loses the triggers that existed before.
    fn follow_triggers(
        &mut self,
        run: &Run<'_>,
        existing: Vec<(&TriggerRow, &Discovered)>,
        found: &BTreeMap<TriggerId, LldRow>,
    ) {
        for (row, old) in existing {
            let is_enabled = row.content.status == TriggerStatus::Enabled;
            let name = |new: &LldRow| {
                let prototype = run.host.trigger(TriggerId(old.prototype))?;
                Some(expand::name(&prototype.content.description, new, run.zone))
            };
            let texts = (row.patterns(), &name as &NameOf<'_>);
            let new = self.next_state(run, old, found.get(&row.id), is_enabled, texts);
            if let Some(new) = new {
                self.triggers.push((row.id, new));
            }
        }
    }

    pub(super) fn report_lost(&mut self, old: Lost) {
        self.report.n_lost += usize::from(old.since == 0);
    }

    /// Reports the triggers whose masters the run did not name.
    fn report_missing_masters(
        &mut self,
        run: &Run<'_>,
        snapshot: &Snapshot,
        named: &Named,
        rows: &[(&LldRow, &RowOverrides<'_>)],
    ) {
        let rows: Vec<&LldRow> = rows.iter().map(|(row, _)| *row).collect();
        let lacking = named.without_master(snapshot, &run.trigger_prototypes, &rows);
        for (prototype, row) in lacking {
            let name = expand::name(&prototype.content.description, row, run.zone);
            self.fail(format_args!("Cannot create dependency on trigger \"{name}\"."));
        }
    }

    /// Reports an object that a row's values make invalid (after its kind: its name and the
    /// reason). Returns whether that keeps the object from being made: an existing one stays.
    pub(super) fn keeps_out(
        &mut self,
        object: &str,
        is_known: bool,
        wrong: Option<String>,
    ) -> bool {
        let Some(wrong) = wrong else { return false };
        let verb = if is_known { "update" } else { "create" };
        self.fail(format_args!("Cannot {verb} {object}{wrong}"));
        !is_known
    }

    pub(super) fn fail(&mut self, what: std::fmt::Arguments<'_>) {
        self.report.add_text(&format!("{what}\n"));
    }
}

/// Keys of a host, with what has them.
fn taken_keys(host: &Host) -> BTreeMap<String, &'static str> {
    let what = |it: &ItemRow| match it.flags {
        ItemFlags::Prototype | ItemFlags::RulePrototype => "item prototype",
        _ => "item",
    };
    host.items.iter().map(|it| (it.key().into_owned(), what(it))).collect()
}

/// The prototypes and rows of existing items, for the identity of existing triggers.
pub(super) fn made_before(host: &Host) -> Made {
    let discovered = host.items.iter().filter_map(|it| Some((it.id, it.discovered()?)));
    let made = |(id, it): (ItemId, &Discovered)| {
        ((it.prototype, Arc::clone(&it.row)), MadeItem::Existing(id))
    };
    discovered.map(made).collect()
}

/// Rows with the values that objects of this rule have already are the very same rows: objects of
/// one row share it.
fn share_rows(host: &Host, rule: ItemId, rows: &[LldRow]) -> Vec<LldRow> {
    let of_items = host.items.iter().filter_map(ItemRow::discovered);
    let of_triggers = host.triggers.iter().filter_map(TriggerRow::discovered);
    let known: BTreeSet<LldRow> = of_items
        .chain(of_triggers)
        .filter(|it| it.rule == rule)
        .map(|it| Arc::clone(&it.row))
        .collect();
    let mut names = LldNames::default();
    known.iter().for_each(|it| names.note(it));
    let shared = rows.iter().map(|it| {
        known.get(it).map(Arc::clone).unwrap_or_else(|| {
            let mut row = model::snapshot::LldRow::clone(it);
            names.share(&mut row);
            Arc::new(row)
        })
    });
    shared.collect()
}

fn prototype_name(run: &Run<'_>, prototype: u64, row: &LldRow) -> Option<String> {
    let prototype = run.host.item(ItemId(prototype))?;
    Some(expand::name(&prototype.content.name, row, run.zone))
}

fn new_item(
    run: &Run<'_>,
    prototype: &ItemRow,
    row: &LldRow,
    (key, name): (&str, &str),
    changes: OverrideChanges,
) -> NewItem {
    let content = &prototype.content;
    let status = overrides::item_status(&changes, content);
    let mut discovered = Discovered::new(prototype.id.0, run.rule.id, Arc::clone(row));
    discovered.set_texts(prototype.patterns(), key, name);
    New {
        prototype: prototype.id,
        overrides: ItemOverrides { status, ..overrides::of_item(changes, content) },
        discovered,
    }
}

fn new_trigger(
    run: &Run<'_>,
    prototype: &TriggerRow,
    row: &LldRow,
    name: &str,
    changes: OverrideChanges,
) -> NewTrigger {
    let content = &prototype.content;
    let status = overrides::trigger_status(&changes, content);
    let mut discovered = Discovered::new(prototype.id.0, run.rule.id, Arc::clone(row));
    discovered.set_texts(prototype.patterns(), "", name);
    New {
        prototype: prototype.id,
        overrides: TriggerOverrides { status, ..overrides::of_trigger(changes, content) },
        discovered,
    }
}
