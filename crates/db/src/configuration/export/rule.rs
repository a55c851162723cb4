//! Which rules a holder has, and the lists that rules alone have: filters, overrides, paths of macros.

use std::sync::Arc;

use formats::document::Value;
use model::content::{ItemContent, LldFilter, LldOperation, LldOverride};
use model::snapshot::{Host, ItemRow};

use super::Exporter;
use super::entry::{Entry, OfItems, one, tags};
use crate::configuration::objects::names::{
    FILTER_KINDS, FILTER_OPERATORS, INVENTORY_MODES, OPERATION_OBJECTS, OPERATION_OPERATORS,
    SEVERITIES,
};

impl Exporter<'_> {
    /// The own discovery rules of a holder and, as Zabbix lists them, prototypes of rules among them, by key.
    pub(super) fn rules(&self, holder: &Arc<Host>, triggers: &mut OfItems) -> Vec<Value> {
        let own = holder.items.iter().filter(|it| it.source.is_none() && it.flags.has_prototypes());
        let mut own: Vec<&ItemRow> = own.collect();
        own.sort_by(|one, two| one.content.key_.cmp(&two.content.key_));
        own.into_iter().map(|it| self.item(holder, it, triggers)).collect()
    }

    /// The overrides of a rule, in order.
    pub(super) fn overrides_of(&self, rule: &ItemContent) -> Vec<Value> {
        let mut overrides: Vec<&LldOverride> = rule.overrides.iter().collect();
        overrides.sort_by_key(|it| it.step);
        overrides.into_iter().map(|it| self.overrides(it)).collect()
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

pub(super) fn macro_paths(rule: &ItemContent) -> Vec<Value> {
    let paths = rule.lld_macro_paths.iter().map(|it| {
        let mut entry = one("lld_macro", &it.lld_macro);
        entry.text("path", it.path.as_str());
        entry.into()
    });
    paths.collect()
}

pub(super) fn filter(it: &LldFilter) -> Entry {
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
