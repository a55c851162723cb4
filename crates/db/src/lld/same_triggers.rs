//! Triggers that say the same: of one name, with equal expressions over the same items. A host has one of
//! them; another prototype or row that would make it again is reported.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::lld::{RowIn, expand_stored};
use model::ItemId;
use model::content::{ItemFlags, TriggerContent};
use model::map::Map;
use model::snapshot::{Host, ItemRow, LldRow as Row, TriggerRow};

use super::LldRow;
use super::made::{Made, MadeItem};

/// The triggers of a host by name. Expressions are compared only where names are equal.
pub(super) struct SameTriggers<'a> {
    by_name: Map<Cow<'a, str>, Vec<Known<'a>>>,
    /// The item of the host that a function names.
    item_at: &'a dyn Fn(ItemId) -> Option<&'a ItemRow>,
    zone: &'a TimeZone,
}

/// A trigger of the host, or one that this run makes of a prototype and a row.
struct Known<'a> {
    trigger: &'a TriggerRow,
    row: Option<LldRow>,
    is_new: bool,
}

/// What a trigger asks: expressions and functions with the items that they read.
#[derive(PartialEq, Eq)]
struct Asked {
    texts: [String; 2],
    functions: Vec<(MadeItem, String, String)>,
}

impl<'a> SameTriggers<'a> {
    pub(super) fn new(
        host: &'a Host,
        item_at: &'a dyn Fn(ItemId) -> Option<&'a ItemRow>,
        zone: &'a TimeZone,
    ) -> Self {
        let mut by_name: Map<Cow<'a, str>, Vec<Known<'a>>> = Map::default();
        for trigger in host.triggers.iter().filter(|it| it.is_live()) {
            let row = trigger.discovered().map(|it| Arc::clone(&it.row));
            by_name.entry(trigger.name()).or_default().push(Known { trigger, row, is_new: false });
        }
        Self { by_name, item_at, zone }
    }

    /// Takes the trigger that a prototype and a row make; false if there is the same one already.
    pub(super) fn take(
        &mut self,
        prototype: &'a TriggerRow,
        (row, name): (&LldRow, &str),
        (made, made_before): (&Made, &Made),
    ) -> bool {
        let of_this = Known { trigger: prototype, row: Some(Arc::clone(row)), is_new: true };
        if let Some(known) = self.by_name.get(name) {
            let asked = |it: &Known<'_>| {
                let made = if it.is_new { made } else { made_before };
                self.asked(it, made)
            };
            let this = asked(&of_this);
            if this.is_some() && known.iter().any(|it| asked(it) == this) {
                return false;
            }
        }
        self.by_name.entry(Cow::Owned(name.to_owned())).or_default().push(of_this);
        true
    }

    /// `None` for what cannot be told: of items that are gone, or with values that do not fit.
    fn asked(&self, known: &Known<'_>, made: &Made) -> Option<Asked> {
        let content: &TriggerContent = &known.trigger.content;
        let texts = [&content.expression, &content.recovery_expression];
        let empty = Row::default();
        let row = known.row.as_deref().unwrap_or(&empty);
        let expanded = |text: &String| {
            if text.is_empty() {
                return Some((String::new(), Vec::new()));
            }
            expand_stored(text, &content.functions, RowIn::new(row, self.zone)).ok()
        };
        let (expression, functions) = expanded(texts[0])?;
        let (recovery, _) = expanded(texts[1])?;
        let item = |id: ItemId| {
            let item = (self.item_at)(id)?;
            match (item.flags, &known.row) {
                (ItemFlags::Prototype, Some(row)) => {
                    made.get(&(item.id.0, Arc::clone(row))).copied()
                }
                _ => Some(MadeItem::Existing(item.id)),
            }
        };
        let functions = functions
            .into_iter()
            .map(|it| Some((item(it.item)?, it.function, it.parameter)))
            .collect::<Option<_>>()?;
        Some(Asked { texts: [expression, recovery], functions })
    }
}
