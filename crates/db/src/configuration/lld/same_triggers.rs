//! Triggers that say the same: of one name, with equal expressions over the same items. A host has one of
//! them; another prototype or row that would make it again is reported.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::lld::{RowIn, expand_stored};
use model::ItemId;
use model::content::{ItemFlags, TriggerContent};
use model::map::{Map, Set};
use model::snapshot::{Host, ItemRow, LldRow as Row, TriggerRow};

use super::LldRow;
use super::made::{Made, MadeItem};

/// The triggers of a host by name. Expressions are compared only where names are equal.
pub(super) struct SameTriggers<'a> {
    by_name: Map<Cow<'a, str>, OfName<'a>>,
    /// The item of the host that a function names.
    item_at: &'a dyn Fn(ItemId) -> Option<&'a ItemRow>,
    zone: &'a TimeZone,
}

/// The triggers of one name. The content of each is compiled once, when another of the name comes:
/// a name without macros is that of every row.
#[derive(Default)]
struct OfName<'a> {
    unread: Vec<Known<'a>>,
    asked: Set<Asked>,
}

/// A trigger of the host, or one that this run makes of a prototype and a row.
struct Known<'a> {
    trigger: &'a TriggerRow,
    row: Option<LldRow>,
    is_new: bool,
}

/// The content of a trigger: expressions and functions with the items that they read.
#[derive(PartialEq, Eq, Hash)]
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
        let mut by_name: Map<Cow<'a, str>, OfName<'a>> = Map::default();
        for trigger in host.triggers.iter().filter(|it| it.is_live()) {
            let row = trigger.discovered().map(|it| Arc::clone(&it.row));
            let known = Known { trigger, row, is_new: false };
            by_name.entry(trigger.name()).or_default().unread.push(known);
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
        let this = Known { trigger: prototype, row: Some(Arc::clone(row)), is_new: true };
        let Some(of_name) = self.by_name.get_mut(name) else {
            let of_name = OfName { unread: vec![this], ..OfName::default() };
            self.by_name.insert(Cow::Owned(name.to_owned()), of_name);
            return true;
        };
        let (item_at, zone) = (self.item_at, self.zone);
        for known in of_name.unread.drain(..) {
            let made = if known.is_new { made } else { made_before };
            of_name.asked.extend(asked(&known, made, item_at, zone));
        }
        asked(&this, made, item_at, zone).is_none_or(|it| of_name.asked.insert(it))
    }
}

/// `None` if it cannot be compared: its items are gone, or values do not fit.
fn asked<'a>(
    known: &Known<'_>,
    made: &Made,
    item_at: &dyn Fn(ItemId) -> Option<&'a ItemRow>,
    zone: &TimeZone,
) -> Option<Asked> {
    let content: &TriggerContent = &known.trigger.content;
    let texts = [&content.expression, &content.recovery_expression];
    let empty = Row::default();
    let row = known.row.as_deref().unwrap_or(&empty);
    let expanded = |text: &String| {
        if text.is_empty() {
            return Some((String::new(), Vec::new()));
        }
        expand_stored(text, &content.functions, RowIn::new(row, zone)).ok()
    };
    let (expression, functions) = expanded(texts[0])?;
    let (recovery, _) = expanded(texts[1])?;
    let item = |id: ItemId| {
        let item = item_at(id)?;
        match (item.flags, &known.row) {
            (ItemFlags::Prototype, Some(row)) => made.get(&(item.id.0, Arc::clone(row))).copied(),
            _ => Some(MadeItem::Existing(item.id)),
        }
    };
    let functions = functions
        .into_iter()
        .map(|it| Some((item(it.item)?, it.function, it.parameter)))
        .collect::<Option<_>>()?;
    Some(Asked { texts: [expression, recovery], functions })
}
