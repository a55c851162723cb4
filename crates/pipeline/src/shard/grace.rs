//! The first minutes of calculated items: that what they read has no values yet is no error then.
//!
//! An item is checked first within a minute of its creation, one of a dependent item's master or of an
//! older active agent somewhat later, and rates need a second check. A calculated item that is linked
//! or discovered together with what it reads would be unsupported for that time, and say so to
//! everybody, for nothing.

use directory::{Bound, BoundFormula, HostPlan};
use lang::expression::Value as Computed;
use lang::interval::Interval;
use model::Time;
use model::time::NANOS;

use super::items::Items;
use super::outage::Outages;
use super::state::{ENABLED, Slot};

/// Time besides the item's own interval: a minute over which first checks are spread, and another
/// for active agents, of which those of Zabbix 6 look for their items every two minutes.
const GRACE_S: i64 = 120;

/// Whether a calculated item that could not be computed at `time` may be so for no other reason
/// than that it, or an item that it reads, is new: created or enabled less than the grace ago.
///
/// An item with two values is no longer new: functions of a change have their value then.
/// Functions over many items give values of those that have some, so there only none at all
/// counts as too early. Causes that time does not resolve get no grace: an item that is missing,
/// disabled or unsupported.
pub(super) fn is_in_grace(
    (items, outages): (&Items, &Outages),
    slot: &Slot,
    plan: &HostPlan,
    (formula, delay): (&BoundFormula, &Interval),
    many: &[Result<Computed, String>],
    time: Time,
) -> bool {
    let grace_ns = delay.simple_s().saturating_add(GRACE_S).saturating_mul(NANOS);
    let is_new = |since: u32| {
        let since = Time::from_clock(i64::from(since), 0);
        outages.observed_ns(since, time) < grace_ns
    };
    if many.iter().any(Result::is_err) {
        return false;
    }
    let is_none = |it: &Computed| matches!(it, Computed::Vector(values) if values.is_empty());
    let mut is_early = many.iter().flatten().any(is_none) && is_new(slot.since);
    for bound in &formula.operands {
        let position = match bound {
            Bound::Function(at) => plan.layout.functions.get(*at as usize).map(|it| it.position),
            Bound::Unknown(_) | Bound::Refused(_) => return false,
            Bound::Many(_) | Bound::Number(_) | Bound::Text(_) => continue,
        };
        let at = position.and_then(|it| plan.slots.get(it));
        let input = at.and_then(|it| Some((it, items.get(it)?)));
        let Some((at, input)) = input.filter(|(_, it)| it.has(ENABLED)) else { return false };
        let cell = items.cell(at);
        if cell.unsupported {
            return false;
        }
        is_early |= cell.n_values < 2 && is_new(slot.since.max(input.since));
    }
    is_early
}
