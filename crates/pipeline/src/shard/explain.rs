//! Why a trigger has its value: each function of its expressions with what it gives at a point in time.

use std::sync::Arc;

use directory::{Bound, BoundFormula, HostPlan};
use lang::backtest::FunctionNow;
use lang::expression::Value as Computed;
use model::{Time, TriggerId};

use super::Shard;
use super::functions::{Known, Sources, sources};
use super::state::Cells;

impl Shard {
    /// The functions of a trigger's problem and recovery expression at `time`, each once, in order.
    /// For points in time before the newest values, only values that are still in memory can be
    /// shown.
    #[must_use]
    pub fn explain(&self, trigger: TriggerId, time: Time) -> Vec<FunctionNow> {
        let Some((host, position)) = self.hosts.find_trigger(trigger) else { return Vec::new() };
        let Some(host) = self.hosts.get(host) else { return Vec::new() };
        let Some(trigger) = host.plan.layout.triggers.get(position as usize) else {
            return Vec::new();
        };
        let recovery = trigger.recovery.as_ref();
        let formulas = [Some(&trigger.problem), recovery].into_iter().flatten();
        let mut seen: Vec<u32> = Vec::new();
        for formula in formulas.filter_map(|it| it.as_ref().ok()) {
            for at in functions_of(formula) {
                if !seen.contains(&at) {
                    seen.push(at);
                }
            }
        }
        // Asking moves cells along; the shard's own stay where they are.
        let mut cells = host.cells.clone();
        seen.into_iter()
            .filter_map(|it| self.function_now(&host.plan, &mut cells, it, time))
            .map(|it| FunctionNow {
                value: it.value.map_err(|why| trigger.hidden.shown(why)),
                ..it
            })
            .collect()
    }

    fn function_now(
        &self,
        plan: &HostPlan,
        cells: &mut Cells,
        at: u32,
        time: Time,
    ) -> Option<FunctionNow> {
        let function = plan.layout.functions.get(at as usize)?;
        let slot = plan.slots.get(function.position)?;
        let (host, key) = plan.names(function.position);
        let value = match sources!(self).value_of(function, plan, cells, time) {
            Ok(Known::Number(it)) => Ok(Computed::Number(it)),
            Ok(Known::Unsigned(it)) => Ok(Computed::UInt(it)),
            Ok(Known::Text(it)) => Ok(Computed::Text(it.as_text().unwrap_or_default().to_owned())),
            Ok(Known::Other(it)) => Ok(it),
            Ok(Known::Unknown(why)) | Err(why) => Err(why),
            Ok(Known::Constant) => return None,
        };
        Some(FunctionNow {
            item: plan.layout.item_id(plan.host(), function.position)?,
            host,
            key: key.into(),
            function: function.call.name(),
            parameters: Arc::clone(&function.parameters),
            value,
            last: self.items.last_value(slot),
        })
    }
}

fn functions_of(formula: &BoundFormula) -> impl Iterator<Item = u32> {
    formula.operands.iter().filter_map(|it| match it {
        Bound::Function(at) => Some(*at),
        _ => None,
    })
}
