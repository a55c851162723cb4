//! Results of a rule's overrides for its rows, in the form of rows of items and triggers.

use jiff::tz::TimeZone;
use lang::lld::{OverrideChanges, OverrideTarget, Overrides, RowOverrides};
use model::content::{
    ItemContent, ItemOverrides, ItemStatus, Tag, TriggerContent, TriggerOverrides, TriggerStatus,
};

use super::rows::HostMacros;
use super::{LldRow, expand};

/// Compiles the overrides of a rule.
pub(super) fn compile(rule: &ItemContent, macros: &HostMacros) -> Result<Overrides, String> {
    let mut expand = |written: &str| macros.pattern(written);
    Overrides::new(&rule.overrides, &mut expand, macros.regexps())
        .map_err(|error| error.to_string())
}

/// The overrides of each row.
pub(super) fn of_rows<'a>(
    overrides: &'a Overrides,
    rows: &[LldRow],
) -> Result<Vec<RowOverrides<'a>>, String> {
    if overrides.is_empty() {
        return Ok(vec![RowOverrides::default(); rows.len()]);
    }
    let _turn = formats::regexp::MatchTurn::begin();
    let rows = rows.iter().map(|it| overrides.of_row(it));
    rows.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// Their changes of the object that a prototype of this name makes of a row.
pub(super) fn changes(
    overrides: &RowOverrides<'_>,
    object: OverrideTarget,
    name: &str,
    row: &LldRow,
    zone: &TimeZone,
) -> OverrideChanges {
    if overrides.is_empty() {
        return OverrideChanges::default();
    }
    overrides.changes(object, &expand::text(name, row, zone))
}

/// For an item; without its status, which counts when it is made only.
pub(super) fn of_item(changes: OverrideChanges, prototype: &ItemContent) -> ItemOverrides {
    ItemOverrides {
        delay: changes.delay,
        history: changes.history,
        trends: changes.trends,
        tags: with_tags(&prototype.tags, changes.tags),
        ..ItemOverrides::default()
    }
}

/// For a trigger; without its status, which counts when it is made only.
pub(super) fn of_trigger(changes: OverrideChanges, prototype: &TriggerContent) -> TriggerOverrides {
    TriggerOverrides {
        priority: changes.severity,
        tags: with_tags(&prototype.tags, changes.tags),
        ..TriggerOverrides::default()
    }
}

fn with_tags(own: &[Tag], mut new: Vec<Tag>) -> Option<Vec<Tag>> {
    new.retain(|it| !own.contains(it));
    if new.is_empty() { None } else { Some([own, &new].concat()) }
}

/// The status with which an item is made, where it is not the prototype's.
pub(super) fn item_status(
    changes: &OverrideChanges,
    prototype: &ItemContent,
) -> Option<ItemStatus> {
    let status = if changes.enabled? { ItemStatus::Enabled } else { ItemStatus::Disabled };
    (status != prototype.status).then_some(status)
}

/// The status with which a trigger is made, where it is not the prototype's.
pub(super) fn trigger_status(
    changes: &OverrideChanges,
    prototype: &TriggerContent,
) -> Option<TriggerStatus> {
    let status = if changes.enabled? { TriggerStatus::Enabled } else { TriggerStatus::Disabled };
    (status != prototype.status).then_some(status)
}
