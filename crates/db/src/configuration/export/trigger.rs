//! Triggers and trigger prototypes: below their item where they use one, else at the rule or the top.

use std::collections::BTreeSet;
use std::sync::Arc;

use formats::document::Value;
use model::content::{ItemFlags, TriggerContent};
use model::snapshot::{HolderKind, Host, TriggerRow};
use model::{ItemId, TriggerId};

use super::document::add_content;
use super::entry::{Entry, OfItems, tags};
use super::{Exporter, uuid};
use crate::configuration::objects::trigger::{IN_FILES, TriggerField, TriggerPart};

/// Names sort triggers, then expressions.
type Sorted = Vec<([String; 2], Value)>;

fn by_name(mut list: Sorted) -> Vec<Value> {
    list.sort_by(|one, two| one.0.cmp(&two.0));
    list.into_iter().map(|it| it.1).collect()
}

impl Exporter<'_> {
    /// The own triggers and prototypes of a holder that use one item alone, by that item.
    pub(super) fn triggers_of_items(&self, holder: &Arc<Host>) -> OfItems {
        let mut found = std::collections::BTreeMap::<ItemId, Sorted>::new();
        for row in self.own_triggers(holder) {
            let items = self.items_of(holder, row);
            if let (1, Some(item)) = (items.len(), items.first()) {
                found.entry(*item).or_default().push(self.trigger(holder, row));
            }
        }
        found.into_iter().map(|(item, list)| (item, by_name(list))).collect()
    }

    /// The prototypes of a rule that use several items.
    pub(super) fn prototypes_of_several(&self, holder: &Arc<Host>, rule: ItemId) -> Vec<Value> {
        let of_rule = self.own_triggers(holder).filter(|it| {
            it.flags == ItemFlags::Prototype
                && it.content.ruleid == rule
                && self.items_of(holder, it).len() != 1
        });
        by_name(of_rule.map(|it| self.trigger(holder, it)).collect())
    }

    /// Triggers of all exported holders that use several items, all of them exported.
    pub(super) fn shared_triggers(&self) -> Vec<Value> {
        let holders = self.holders.iter().filter_map(|it| self.snapshot.holder(*it));
        let shared = holders.flat_map(|holder| {
            let own = self.own_triggers(holder).filter(|it| it.flags != ItemFlags::Prototype);
            let own = own.filter(|it| {
                let items = self.items_of(holder, it);
                items.len() != 1 && items.iter().all(|it| self.is_exported(*it))
            });
            own.map(|it| self.trigger(holder, it)).collect::<Vec<_>>()
        });
        by_name(shared.collect())
    }

    fn own_triggers<'h>(&self, holder: &'h Arc<Host>) -> impl Iterator<Item = &'h TriggerRow> {
        holder.triggers.iter().filter(|it| it.source.is_none() && it.flags != ItemFlags::Discovered)
    }

    /// Whether the holder of an item is exported.
    pub(super) fn is_exported(&self, item: ItemId) -> bool {
        self.snapshot.item_holder(item).is_some_and(|it| self.holders.contains(&it.id))
    }

    fn items_of(&self, holder: &Arc<Host>, row: &TriggerRow) -> BTreeSet<ItemId> {
        let found =
            row.content.functions.iter().map(|it| {
                self.snapshot.item_by_ref(holder, it.item).map_or(it.item, |(_, it)| it.id)
            });
        found.collect()
    }

    fn trigger(&self, holder: &Arc<Host>, row: &TriggerRow) -> ([String; 2], Value) {
        let it = &*row.content;
        let mut entry = Entry::default();
        let expression = self.rendered(holder, &it.expression, it);
        let mut part = |part: &TriggerPart, entry: &mut Entry| match part {
            TriggerPart::Uuid if holder.kind == HolderKind::Template => {
                let names = ["trigger", &holder.host, &it.description, &expression];
                entry.text("uuid", uuid::or_made(&it.uuid, &names));
            }
            TriggerPart::Uuid => {}
            TriggerPart::Expression => entry.text("expression", expression.as_str()),
            TriggerPart::RecoveryExpression => {
                let recovery = self.rendered(holder, &it.recovery_expression, it);
                entry.filled("recovery_expression", &recovery);
            }
            TriggerPart::Dependencies => {
                entry.list("dependencies", self.dependencies(&it.dependencies));
            }
            TriggerPart::Tags => entry.list("tags", tags(&it.tags)),
        };
        let shown = |described: &TriggerField| (described.field, (described.read)(it));
        let is_prototype = row.flags == ItemFlags::Prototype;
        add_content(&mut entry, IN_FILES, is_prototype, &shown, &mut part);
        ([it.description.clone(), expression], entry.into())
    }

    fn dependencies(&self, ids: &[TriggerId]) -> Vec<Value> {
        let rows = ids.iter().filter_map(|it| self.snapshot.trigger(*it));
        let found = rows.map(|(holder, row)| {
            let it = &*row.content;
            let expression = self.rendered(holder, &it.expression, it);
            let mut entry = Entry::default();
            entry.text("name", row.name());
            entry.text("expression", expression.as_str());
            entry
                .filled("recovery_expression", &self.rendered(holder, &it.recovery_expression, it));
            ([it.description.clone(), expression], entry.into())
        });
        by_name(found.collect())
    }

    /// As users write it, with the names of now: an inherited one names its holder's items.
    pub(super) fn rendered(&self, of_row: &Arc<Host>, stored: &str, of: &TriggerContent) -> String {
        if stored.is_empty() {
            return String::new();
        }
        let mut name = |id: ItemId| {
            let (holder, row) = self.snapshot.item_by_ref(of_row, id)?;
            Some((holder.host.to_string(), row.key().into_owned()))
        };
        lang::expression::render(stored, &of.functions, &mut name)
            .unwrap_or_else(|_missing| stored.to_owned())
    }
}
