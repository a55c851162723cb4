//! Texts of triggers, as elements and their labels have them.

use model::TriggerId;

use crate::objects::common::refs::Refs;
use crate::objects::common::resolve::{TriggerText, Values};
use crate::shared::Ctx;

/// The name of a trigger as people read it; "" if there is none.
pub(super) fn trigger_name(ctx: &Ctx, id: TriggerId) -> String {
    let Some((_, row)) = ctx.snapshot.trigger(id) else { return String::new() };
    let name = row.name();
    trigger_text(ctx, id, &name).unwrap_or_else(|| name.to_string())
}

/// A text with the macros that are about the hosts and items of a trigger.
pub(super) fn trigger_text(ctx: &Ctx, id: TriggerId, written: &str) -> Option<String> {
    let (holder, row) = ctx.snapshot.trigger(id)?;
    let refs = Refs::new(&ctx.snapshot);
    let items = refs.in_text(holder, row);
    let text = TriggerText { view: ctx.into(), items: &items, holder, values: Values::Newest };
    Some(text.expand(written))
}
