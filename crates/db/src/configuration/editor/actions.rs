//! Objects that actions name: they stay as long as an action has a condition or an operation on them.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::document::Document;
use model::{HostId, TriggerId};
use serde_json::Value as Json;

use super::Editor;
use crate::configuration::objects::action::ACTION;
use crate::configuration::objects::drule::action_on;
use crate::error::ConfigError;

/// How actions name objects of a kind.
pub(super) struct NamedByActions {
    noun: &'static str,
    /// The type of conditions on them.
    condition: &'static str,
    /// Lists of operations with the field of the id.
    operations: &'static [(&'static str, &'static str)],
}

pub(super) const HOST_GROUP: NamedByActions = NamedByActions {
    noun: "host group",
    condition: "0",
    operations: &[("opgroup", "groupid"), ("opcommand_grp", "groupid")],
};
pub(super) const HOST: NamedByActions =
    NamedByActions { noun: "host", condition: "1", operations: &[("opcommand_hst", "hostid")] };
const TRIGGER: NamedByActions = NamedByActions { noun: "trigger", condition: "2", operations: &[] };
pub(super) const TEMPLATE: NamedByActions = NamedByActions {
    noun: "template",
    condition: "13",
    operations: &[("optemplate", "templateid")],
};

impl Editor {
    /// Refuses to delete an object that an action names.
    pub(super) fn check_no_action(
        &self,
        kind: &NamedByActions,
        id: u64,
        name: &str,
    ) -> Result<(), ConfigError> {
        let on_it = action_on(&self.next, kind.condition, &BTreeSet::from([id])).map(|it| it.0);
        let mut lists = kind.operations.iter();
        let named = || lists.find_map(|(list, field)| self.action_that_names(list, field, id));
        match on_it.or_else(named) {
            Some(action) => Err(ConfigError::parameters(format_args!(
                "Cannot delete {noun} \"{name}\": action \"{action}\" uses this {noun}.",
                noun = kind.noun
            ))),
            None => Ok(()),
        }
    }

    /// As [`Self::check_no_action`], of a trigger and all that is inherited from it.
    pub(super) fn check_no_action_on_trigger(
        &self,
        holder: HostId,
        id: TriggerId,
    ) -> Result<(), ConfigError> {
        let Ok((_, row)) = self.trigger(id) else { return Ok(()) };
        self.check_no_action(&TRIGGER, id.0, &row.name())?;
        for child in self.children(holder).iter() {
            if let Some(own) = self.holder(*child)?.trigger_by_source(id) {
                self.check_no_action_on_trigger(*child, own.id)?;
            }
        }
        Ok(())
    }

    /// The action one of whose operations names an id in a list.
    pub(super) fn action_that_names(&self, list: &str, id_name: &str, id: u64) -> Option<String> {
        let id = id.to_string();
        let names = |operation: &Json| {
            let named = operation.get(list).and_then(Json::as_array).into_iter().flatten();
            named.into_iter().any(|it| it.get(id_name).and_then(Json::as_str) == Some(&id))
        };
        let mut actions = self.next.documents.of(ACTION.object.name);
        let is_in = |it: &&Arc<Document>| {
            ["operations", "recovery_operations", "update_operations"].iter().any(|name| {
                it.body.get(*name).and_then(Json::as_array).into_iter().flatten().any(names)
            })
        };
        actions.find(is_in).map(|it| it.text("name").to_owned())
    }
}
