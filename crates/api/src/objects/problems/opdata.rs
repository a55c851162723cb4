//! Operational data of events and problems, expanded on demand: `{ITEM.LASTVALUE}` is the present value,
//! `{ITEM.VALUE}` that of the event, which it kept.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use db::events::{EventRow, object};
use lang::expression::functions_in_text;
use lang::value::{read_values, value_macros};
use model::map::Map;
use model::snapshot::{Host, Snapshot, TriggerRow};
use model::{ItemId, TriggerId};

use crate::objects::common::refs::{Item, Refs};
use crate::objects::common::resolve::{self, TriggerText, Values};
use crate::shared::ExpandContext;

/// Expands texts of many events. Hosts of one template have its items at the same places, mostly: the place
/// of an item is tried first at the next host.
#[derive(Default)]
pub(crate) struct Opdata {
    places: RefCell<Map<ItemId, usize>>,
}

impl Opdata {
    /// The operational data of an event; "" if its trigger is deleted.
    pub(crate) fn of<'a>(&self, view: ExpandContext<'a>, event: &EventRow) -> Cow<'a, str> {
        let found = view.snapshot.trigger(TriggerId(event.objectid));
        let found = found.filter(|(_, row)| row.is_live() && event.object == object::TRIGGER);
        found.map_or(Cow::Borrowed(""), |it| self.of_trigger(view, it, event))
    }

    pub(crate) fn of_trigger<'a>(
        &self,
        view: ExpandContext<'a>,
        (holder, row): (&'a Arc<Host>, &'a TriggerRow),
        event: &EventRow,
    ) -> Cow<'a, str> {
        let text = &row.content.opdata;
        if !is_dynamic(text) {
            return Cow::Borrowed(text);
        }
        let kept = if value_macros(text).next().is_none() {
            Vec::new()
        } else {
            match read_values(&event.opdata) {
                Some(kept) => kept,
                // As it was expanded before values were kept.
                None => return Cow::Owned(event.opdata.clone()),
            }
        };
        let shown = resolve::discovered_text(view, text, row.discovered());
        let items = self.items(view.snapshot, holder, row);
        let text_of = TriggerText { view, items: &items, holder, values: Values::Event(&kept) };
        Cow::Owned(text_of.expand(shown.as_deref().unwrap_or(text)))
    }

    /// The items of a trigger's functions, in order.
    fn items<'a>(
        &self,
        snapshot: &'a Snapshot,
        holder: &'a Arc<Host>,
        row: &'a TriggerRow,
    ) -> Vec<Option<Item<'a>>> {
        if row.discovered().is_some() {
            return Refs::new(snapshot).in_text(holder, row);
        }
        let functions = &row.content.functions;
        let item = |at: usize| self.item(snapshot, holder, functions.get(at)?.item);
        let in_text = functions_in_text(&row.content.expression, functions.len());
        in_text.into_iter().map(item).collect()
    }

    fn item<'a>(
        &self,
        snapshot: &'a Snapshot,
        holder: &'a Arc<Host>,
        reference: ItemId,
    ) -> Option<Item<'a>> {
        if let Some(row) = holder.item(reference) {
            return Some((holder, row));
        }
        let mut places = self.places.borrow_mut();
        let known = places.get(&reference).and_then(|at| holder.items.get(*at));
        let is_meant = |row: &_| snapshot.item_chain(row).any(|it| it == reference);
        if let Some(row) = known.filter(|it| is_meant(it)) {
            return Some((holder, row));
        }
        if let Some(at) = holder.items.iter().position(is_meant) {
            places.insert(reference, at);
            return holder.items.get(at).map(|row| (holder, row));
        }
        snapshot.item(reference).filter(|(it, _)| it.kind == holder.kind)
    }
}

/// Whether a text has macros, which may change from one moment to the next.
pub(crate) fn is_dynamic(text: &str) -> bool {
    text.contains('{')
}
