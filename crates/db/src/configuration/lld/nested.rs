//! Rules of the type *Nested*: they have their rows from the JSON of the row that made them, or their host.
//!
//! A run returns what each of them gets ([`super::LldReport::nested`]); the server hands it over as
//! a value of the rule, so that preprocessing, errors and the journal are those of all values. A
//! rule whose row is gone has no rows: its objects are lost, too, as its own lifetimes say.

use model::content::{ItemFlags, ItemType};
use model::snapshot::{ItemRow, Snapshot};
use model::{HostId, ItemId, Time};

use super::apply::{Plan, Run};
use super::made::MadeItem;
use super::rows::DiscoveredRows;
use super::{LldReport, LldRow};
use crate::configuration::editor::Editor;
use crate::error::ConfigError;

impl Plan {
    /// Notes what a rule of the type *Nested* has its rows from.
    pub(super) fn note_nested(
        &mut self,
        run: &Run<'_>,
        prototype: &ItemRow,
        row: &LldRow,
        made: MadeItem,
    ) {
        if prototype.flags != ItemFlags::RulePrototype || prototype.content.kind != ItemType::Nested
        {
            return;
        }
        if let Some(text) = run.texts.get(row) {
            self.nested.push((made, text.clone()));
        }
    }

    /// Rules of the type *Nested* that this run is the first not to name.
    pub(super) fn lost_nested(&self, snapshot: &Snapshot) -> Vec<ItemId> {
        let is_newly_lost = |id: ItemId| {
            snapshot.item(id).is_some_and(|(_, row)| {
                row.flags == ItemFlags::DiscoveredRule
                    && row.content.kind == ItemType::Nested
                    && row.discovered().is_some_and(|it| !it.is_lost())
            })
        };
        let lost = self.items.iter().filter(|(_, it)| it.is_lost()).map(|(id, _)| *id);
        lost.filter(|it| is_newly_lost(*it)).collect()
    }
}

impl Editor {
    /// Objects of rules whose rows are gone are lost.
    pub(super) fn lose_rows_of(
        &mut self,
        rules: Vec<ItemId>,
        now: Time,
        report: &mut LldReport,
    ) -> Result<(), ConfigError> {
        let mut waiting = rules;
        while let Some(rule) = waiting.pop() {
            // Those of a short lifetime are deleted already, with all that they made.
            if self.snapshot().item(rule).is_none() {
                continue;
            }
            let zone = self.zone.clone();
            let nothing = DiscoveredRows::default();
            let plan = Plan::make((self.snapshot(), &zone), rule, &nothing, now)?;
            waiting.extend(plan.lost_nested(self.snapshot()));
            let of_rule = plan.carry_out(self, now)?;
            report.n_lost += of_rule.n_lost;
            report.n_deleted += of_rule.n_deleted;
            report.n_disabled += of_rule.n_disabled;
        }
        Ok(())
    }

    /// Rules of the type *Nested* of a host have their rows from the JSON of the row that made it.
    pub(super) fn note_nested_of_host(
        &self,
        host: HostId,
        text: Option<String>,
        report: &mut LldReport,
    ) {
        let Some((host, text)) = self.snapshot().hosts.get(&host).zip(text) else { return };
        let nested = host
            .items
            .iter()
            .filter(|it| it.flags == ItemFlags::Rule && it.content.kind == ItemType::Nested);
        report.nested.extend(nested.map(|it| (it.id, text.clone())));
    }
}
