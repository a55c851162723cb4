//! Contents with overrides applied, each made once: thousands of lost objects that discovery
//! disables have one content a prototype, not one each.

use std::fmt;
use std::sync::{Arc, Mutex, Weak};

use model::content::{
    GraphContent, GraphOverrides, HostPrototypeContent, HostPrototypeOverrides, ItemContent,
    ItemOverrides, TriggerContent, TriggerOverrides,
};
use model::map::Map;
use model::snapshot::{GraphRow, HostPrototypeRow, ItemRow, TriggerRow};

use super::rows::{Identity, RowKind};
use crate::locks::lock;

/// Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Applied {
    items: Arc<Mutex<Shelf<ItemRow>>>,
    triggers: Arc<Mutex<Shelf<TriggerRow>>>,
    graphs: Arc<Mutex<Shelf<GraphRow>>>,
}

impl fmt::Debug for Applied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applied").finish_non_exhaustive()
    }
}

/// The parts of a row: its overrides, if there are any, and the content that counts with them.
pub(crate) type Effective<R> =
    (Option<Arc<<R as RowKind>::Overrides>>, Arc<<R as RowKind>::Content>);

impl Applied {
    /// The part of these overrides that a row has.
    pub(crate) fn of<R: Overridden>(
        &self,
        overrides: R::Overrides,
        base: &Arc<R::Content>,
    ) -> Effective<R> {
        R::applied(self, overrides, base)
    }
}

/// A row that may have overrides.
pub(crate) trait Overridden: Identity {
    fn applied(
        applied: &Applied,
        overrides: Self::Overrides,
        base: &Arc<Self::Content>,
    ) -> Effective<Self>;
}

impl Overridden for ItemRow {
    fn applied(
        applied: &Applied,
        overrides: ItemOverrides,
        base: &Arc<ItemContent>,
    ) -> Effective<Self> {
        lock(&applied.items).of(overrides, base)
    }
}

impl Overridden for TriggerRow {
    fn applied(
        applied: &Applied,
        overrides: TriggerOverrides,
        base: &Arc<TriggerContent>,
    ) -> Effective<Self> {
        lock(&applied.triggers).of(overrides, base)
    }
}

impl Overridden for GraphRow {
    fn applied(
        applied: &Applied,
        overrides: GraphOverrides,
        base: &Arc<GraphContent>,
    ) -> Effective<Self> {
        lock(&applied.graphs).of(overrides, base)
    }
}

/// There are few of them: nothing is shared.
impl Overridden for HostPrototypeRow {
    fn applied(
        _: &Applied,
        overrides: HostPrototypeOverrides,
        base: &Arc<HostPrototypeContent>,
    ) -> Effective<Self> {
        let is_none = overrides == HostPrototypeOverrides::default();
        let content = overrides.apply(base);
        ((!is_none).then(|| Arc::new(overrides)), content)
    }
}

/// Address of a base, and what is changed on it.
type Key<R> = (usize, Arc<<R as RowKind>::Overrides>);

/// Those of one kind.
struct Shelf<R: Identity> {
    known: Map<Key<R>, Known<R>>,
    /// The number of entries from which on unused ones are removed.
    full: usize,
}

struct Known<R: Identity> {
    /// Keeps the address from being given out again.
    #[expect(dead_code, reason = "as said")]
    base: Weak<R::Content>,
    content: Weak<R::Content>,
}

const FULL_MIN: usize = 1_024;

impl<R: Identity> Default for Shelf<R> {
    fn default() -> Self {
        Self { known: Map::default(), full: FULL_MIN }
    }
}

impl<R: Identity> Shelf<R> {
    fn of(&mut self, overrides: R::Overrides, base: &Arc<R::Content>) -> Effective<R> {
        if overrides == R::Overrides::default() {
            return (None, Arc::clone(base));
        }
        let key = (Arc::as_ptr(base).addr(), Arc::new(overrides));
        if let Some((key, known)) = self.known.get_key_value(&key)
            && let Some(content) = known.content.upgrade()
        {
            return (Some(Arc::clone(&key.1)), content);
        }
        if self.full <= self.known.len() {
            self.known.retain(|_, it| it.content.strong_count() != 0);
            self.full = FULL_MIN.max(self.known.len() * 2);
        }
        let overrides = Arc::clone(&key.1);
        let content = R::apply(&overrides, base);
        let known = Known { base: Arc::downgrade(base), content: Arc::downgrade(&content) };
        // Out with a key whose content is gone: its overrides are no longer the shared ones.
        self.known.remove(&key);
        self.known.insert(key, known);
        (Some(overrides), content)
    }
}

#[cfg(test)]
mod tests {
    use model::content::ItemStatus;

    use super::*;

    #[test]
    fn equal_overrides_of_one_content_are_one_and_those_without_users_go() {
        let mut shelf = Shelf::<ItemRow>::default();
        let base = Arc::new(ItemContent::default());
        let disabled =
            || ItemOverrides { status: Some(ItemStatus::Disabled), ..ItemOverrides::default() };
        let (none, same) = shelf.of(ItemOverrides::default(), &base);
        assert!(none.is_none() && Arc::ptr_eq(&same, &base));
        let (one, content) = shelf.of(disabled(), &base);
        let (two, again) = shelf.of(disabled(), &base);
        assert!(Arc::ptr_eq(&content, &again) && content.status == ItemStatus::Disabled);
        assert!(Arc::ptr_eq(&one.unwrap(), &two.unwrap()));
        let other = Arc::new(ItemContent::default());
        assert!(!Arc::ptr_eq(&shelf.of(disabled(), &other).1, &content));
        for n in 0..5 * FULL_MIN {
            let history = Some(format!("{n}d"));
            drop(shelf.of(ItemOverrides { history, ..disabled() }, &base));
        }
        assert!(shelf.known.len() <= FULL_MIN, "{}", shelf.known.len());
        assert!(Arc::ptr_eq(&shelf.of(disabled(), &base).1, &content));
    }
}
