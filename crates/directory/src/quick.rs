//! Triggers that compare one number, whose state can be shown to stay as it is: see [`Quick`].

use lang::expression::Right;

use super::layout::{Bound, FunctionPlan, ItemPlan, Quick, TriggerPlan, Way};

/// The short ways of the triggers in `item_triggers`, which items have cut up among them.
pub(super) fn quick_ways(
    items: &[ItemPlan],
    item_triggers: &[u32],
    triggers: &[TriggerPlan],
    functions: &[FunctionPlan],
) -> Vec<Option<Quick>> {
    let mut ways = vec![None; item_triggers.len()];
    for (position, item) in (0..).zip(items) {
        let range = item.triggers.start as usize..item.triggers.end as usize;
        for (way, at) in ways[range.clone()].iter_mut().zip(&item_triggers[range]) {
            *way = quick_way(&triggers[*at as usize], (position, item), functions);
        }
    }
    ways
}

fn quick_way(
    trigger: &TriggerPlan,
    (position, item): (u32, &ItemPlan),
    functions: &[FunctionPlan],
) -> Option<Quick> {
    if !trigger.is_simple
        || trigger.multiple
        || trigger.correlates()
        || !item.value_type.is_numeric()
    {
        return None;
    }
    let problem = trigger.problem.as_ref().ok()?;
    let comparison = problem.program.comparison()?;
    let Bound::Function(function) = problem.operands.get(comparison.left)? else { return None };
    let function = functions.get(*function as usize).filter(|it| it.position == position)?;
    let right = match comparison.right {
        Right::Number(it) => it,
        Right::Operand(at) => match problem.operands.get(at)? {
            Bound::Number(it) => *it,
            _ => return None,
        },
    };
    let window = match function.way {
        Way::Nth(1) => None,
        Way::Aggregate(it) if function.call.period().shift.steps().is_empty() => Some(it),
        _ => return None,
    };
    Some(Quick { window, op: comparison.op, right })
}
