//! Discovery rules with their prototypes, filters and overrides.

use std::sync::Arc;

use formats::document::Value;
use model::content::{ItemContent, ItemFlags, LldFilter, LldOperation, LldOverride};
use model::snapshot::{Host, ItemRow};

use super::Exporter;
use super::entry::{Entry, one, tags};
use super::item::{OfItems, steps};
use crate::configuration::objects::names::{
    DISCOVER, ENABLED, ENABLED_LIFETIMES, FILTER_KINDS, FILTER_OPERATORS, INVENTORY_MODES,
    LIFETIMES, OPERATION_OBJECTS, OPERATION_OPERATORS, SEVERITIES,
};

impl Exporter<'_> {
    /// The own discovery rules of a holder and, as Zabbix lists them, prototypes of rules among them, by key.
    pub(super) fn rules(&self, holder: &Arc<Host>, triggers: &mut OfItems) -> Vec<Value> {
        let own = holder.items.iter().filter(|it| it.source.is_none() && it.flags.has_prototypes());
        let mut own: Vec<&ItemRow> = own.collect();
        own.sort_by(|one, two| one.content.key_.cmp(&two.content.key_));
        own.into_iter().map(|it| self.rule(holder, it, triggers)).collect()
    }

    fn rule(&self, holder: &Arc<Host>, row: &ItemRow, triggers: &mut OfItems) -> Value {
        let it = &*row.content;
        let mut entry = Entry::default();
        self.start(holder, row, &mut entry);
        entry.code_unless("status", it.status.code().into(), ENABLED, 0);
        if row.flags == ItemFlags::RulePrototype {
            entry.code_unless("discover", (!it.discover).into(), DISCOVER, 0);
        }
        entry.filled("allowed_hosts", &it.trapper_hosts);
        self.of_type(holder, it, &mut entry);
        entry.child("filter", filter(&it.filter));
        lifetimes(it, &mut entry);
        entry.filled("description", &it.description);
        entry.list("item_prototypes", self.items(holder, row.id, triggers));
        entry.list("trigger_prototypes", self.prototypes_of_several(holder, row.id));
        entry.list("graph_prototypes", self.graphs_of(holder, row.id));
        entry.list("host_prototypes", self.host_prototypes(holder, row.id));
        if row.flags == ItemFlags::RulePrototype
            && let Some((_, parent)) = self.snapshot.item_by_ref(holder, it.ruleid)
        {
            entry.child("parent_discovery_rule", one("key", &parent.content.key_));
        }
        self.source(holder, it, &mut entry);
        let paths = it.lld_macro_paths.iter().map(|it| {
            let mut entry = one("lld_macro", &it.lld_macro);
            entry.text("path", it.path.as_str());
            entry.into()
        });
        entry.list("lld_macro_paths", paths.collect());
        entry.list("preprocessing", steps(&it.preprocessing));
        let mut overrides: Vec<&LldOverride> = it.overrides.iter().collect();
        overrides.sort_by_key(|it| it.step);
        entry.list("overrides", overrides.into_iter().map(|it| self.overrides(it)).collect());
        entry.into()
    }

    fn overrides(&self, it: &LldOverride) -> Value {
        let mut entry = one("name", &it.name);
        entry.text("step", it.step.to_string());
        if it.stop {
            entry.text("stop", "STOP");
        }
        entry.child("filter", filter(&it.filter));
        entry.list("operations", it.operations.iter().map(|it| self.operation(it)).collect());
        entry.into()
    }

    fn operation(&self, it: &LldOperation) -> Value {
        let mut entry = Entry::default();
        entry.code_unless("operationobject", it.object, OPERATION_OBJECTS, 0);
        entry.code_unless("operator", it.operator, OPERATION_OPERATORS, 0);
        entry.filled("value", &it.value);
        if let Some(is_enabled) = it.enabled {
            entry.text("status", if is_enabled { "ENABLED" } else { "DISABLED" });
        }
        if let Some(discover) = it.discover {
            entry.text("discover", if discover { "DISCOVER" } else { "NO_DISCOVER" });
        }
        for (name, value) in
            [("delay", &it.delay), ("history", &it.history), ("trends", &it.trends)]
        {
            if let Some(value) = value {
                entry.text(name, value.as_str());
            }
        }
        if let Some(severity) = it.severity {
            entry.code("severity", severity.code().into(), SEVERITIES);
        }
        entry.list("tags", tags(&it.tags));
        let templates = it.templates.iter().filter_map(|id| self.snapshot.templates.get(id));
        entry.list("templates", templates.map(|it| one("name", &it.host).into()).collect());
        if let Some(mode) = it.inventory_mode {
            entry.code("inventory_mode", mode, INVENTORY_MODES);
        }
        entry.into()
    }
}

fn lifetimes(it: &ItemContent, entry: &mut Entry) {
    entry.code_unless("lifetime_type", it.lifetime_type.code().into(), LIFETIMES, 0);
    entry.text_unless("lifetime", &it.lifetime, "7d");
    let enabled = it.enabled_lifetime_type.code().into();
    entry.code_unless("enabled_lifetime_type", enabled, ENABLED_LIFETIMES, 2);
    entry.text_unless("enabled_lifetime", &it.enabled_lifetime, "0");
}

fn filter(it: &LldFilter) -> Entry {
    let mut entry = Entry::default();
    if it.conditions.is_empty() {
        return entry;
    }
    entry.code_unless("evaltype", it.evaltype, FILTER_KINDS, 0);
    entry.filled("formula", &it.formula);
    let conditions = it.conditions.iter().map(|it| {
        let mut entry = one("macro", &it.name);
        entry.filled("value", &it.value);
        entry.code_unless("operator", it.operator, FILTER_OPERATORS, 8);
        entry.filled("formulaid", &it.formulaid);
        entry.into()
    });
    entry.list("conditions", conditions.collect());
    entry
}
