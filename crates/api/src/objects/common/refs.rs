//! References in content, resolved on a holder.
//!
//! Content names the items of the holder where it was written; rows of other holders share it. A reference to
//! a prototype means the item that the same discovered row created from it.

use std::cell::RefCell;
use std::sync::Arc;

use lang::expression::functions_in_text;
use model::ItemId;
use model::content::{FunctionRef, GraphItem};
use model::map::Map;
use model::snapshot::{Discovered, GraphRow, HolderKind, Host, ItemRow, Snapshot, TriggerRow};

/// A row with its holder.
pub(crate) type Item<'a> = (&'a Arc<Host>, &'a ItemRow);

/// Look-ups of one call. The index of the holder asked last is kept: rows come holder by holder.
pub(crate) struct Refs<'a> {
    snapshot: &'a Snapshot,
    last: RefCell<Option<Index<'a>>>,
}

/// A holder and the positions of its items by every id that content may name them by.
type Index<'a> = (&'a Arc<Host>, Map<ItemId, u32>);

impl<'a> Refs<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, last: RefCell::new(None) }
    }

    /// The row of `holder` that a reference means, or the row of another host that it names.
    pub(crate) fn item(
        &self,
        holder: &'a Arc<Host>,
        reference: ItemId,
        referrer: Option<&Discovered>,
    ) -> Option<Item<'a>> {
        let own = match holder.item(reference) {
            Some(row) => Some(row),
            None => self.inherited(holder, reference),
        };
        let Some(row) = own else {
            // A trigger over several templates is inherited together with all of them.
            return self.snapshot.item(reference).filter(|(it, _)| it.kind == holder.kind);
        };
        match referrer {
            Some(wanted) if !row.is_live() => made_of(holder, row, wanted).map(|it| (holder, it)),
            _ => Some((holder, row)),
        }
    }

    fn inherited(&self, holder: &'a Arc<Host>, reference: ItemId) -> Option<&'a ItemRow> {
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, holder)) {
            *last = Some((holder, self.snapshot.item_refs(holder)));
        }
        let (_, index) = last.as_ref()?;
        let position = usize::try_from(*index.get(&reference)?).ok()?;
        holder.items.get(position)
    }

    /// The items of a trigger's functions, in order; `None` for one that is missing.
    pub(crate) fn functions(
        &self,
        holder: &'a Arc<Host>,
        row: &'a TriggerRow,
    ) -> impl Iterator<Item = (&'a FunctionRef, Option<Item<'a>>)> {
        let functions = row.content.functions.iter();
        functions.map(move |it| (it, self.item(holder, it.item, row.discovered())))
    }

    /// The items of a trigger's functions in the order of the functions in its expression's text, where one
    /// may appear twice: as macros count them.
    pub(crate) fn in_text(
        &self,
        holder: &'a Arc<Host>,
        row: &'a TriggerRow,
    ) -> Vec<Option<Item<'a>>> {
        let functions = &row.content.functions;
        let item = |at: usize| self.item(holder, functions.get(at)?.item, row.discovered());
        let in_text = functions_in_text(&row.content.expression, functions.len());
        in_text.into_iter().map(item).collect()
    }

    /// The items of a trigger, each once.
    pub(crate) fn items(&self, holder: &'a Arc<Host>, row: &'a TriggerRow) -> Vec<Item<'a>> {
        let mut items: Vec<Item<'a>> = Vec::new();
        for (_, item) in self.functions(holder, row) {
            items.extend(item.filter(|(_, it)| items.iter().all(|(_, known)| known.id != it.id)));
        }
        items
    }

    /// The hosts (or templates) of a trigger, each once, the holder first.
    pub(crate) fn hosts(&self, holder: &'a Arc<Host>, row: &'a TriggerRow) -> Vec<&'a Arc<Host>> {
        self.hosts_of(holder, row.content.functions.iter().map(|it| it.item))
    }

    /// The items that a graph shows, with their positions; those that are missing are left out.
    pub(crate) fn graph_items(
        &self,
        (holder, row): (&'a Arc<Host>, &'a GraphRow),
    ) -> impl Iterator<Item = (usize, &'a GraphItem, Item<'a>)> {
        let items = row.content.gitems.iter().enumerate();
        items.filter_map(move |(at, it)| {
            Some((at, it, self.item(holder, it.itemid, row.discovered())?))
        })
    }

    /// The hosts (or templates) of a graph, each once, the holder first.
    pub(crate) fn graph_hosts(
        &self,
        (holder, row): (&'a Arc<Host>, &'a GraphRow),
    ) -> Vec<&'a Arc<Host>> {
        self.hosts_of(holder, row.content.gitems.iter().map(|it| it.itemid))
    }

    fn hosts_of(
        &self,
        holder: &'a Arc<Host>,
        items: impl Iterator<Item = ItemId>,
    ) -> Vec<&'a Arc<Host>> {
        let mut hosts = vec![holder];
        for item in items {
            // Only an item of another host can lead away from the holder: objects of templates are inherited.
            let of = self.snapshot.item_holder(item);
            let Some(of) = of.filter(|it| it.kind == holder.kind && it.id != holder.id) else {
                continue;
            };
            let is_inherited =
                holder.kind == HolderKind::Template && self.inherited(holder, item).is_some();
            if !is_inherited && hosts.iter().all(|it| it.id != of.id) {
                hosts.push(of);
            }
        }
        hosts
    }
}

/// The item that a discovered row created from a prototype.
fn made_of<'a>(holder: &'a Host, prototype: &ItemRow, wanted: &Discovered) -> Option<&'a ItemRow> {
    holder.items.iter().find(|it| {
        it.discovered().is_some_and(|it| {
            it.prototype == prototype.id.0
                && (Arc::ptr_eq(&it.row, &wanted.row) || it.row == wanted.row)
        })
    })
}
