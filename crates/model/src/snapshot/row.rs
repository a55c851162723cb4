//! Rows of objects of hosts and templates: items, triggers, graphs, host prototypes.

use std::sync::Arc;

use super::Discovered;
use crate::content::{
    GraphContent, GraphOverrides, HostPrototypeContent, HostPrototypeOverrides, ItemContent,
    ItemFlags, ItemOverrides, TriggerContent, TriggerOverrides,
};
use crate::{GraphId, HostId, ItemId, TriggerId};

/// Identity of an object of a host or template, and the content that counts for it.
#[derive(Clone, Debug)]
pub struct Row<Id, Content, Overrides> {
    pub id: Id,
    /// The row of the directly linked template; 0 for own and discovered rows.
    pub source: Id,
    pub content: Arc<Content>,
    /// Fields that most rows do not have.
    pub extra: Option<Box<RowExtra<Overrides>>>,
    pub flags: ItemFlags,
}

/// Fields that few rows have.
#[derive(Clone, Debug)]
pub struct RowExtra<Overrides> {
    /// Changes of this row on its source; never empty ones.
    pub overrides: Option<Arc<Overrides>>,
    /// Never there on host prototypes, which nothing discovers.
    pub discovered: Option<Discovered>,
}

/// An item, a rule or a prototype of them.
pub type ItemRow = Row<ItemId, ItemContent, ItemOverrides>;
pub type ItemExtra = RowExtra<ItemOverrides>;
/// A trigger or a trigger prototype.
pub type TriggerRow = Row<TriggerId, TriggerContent, TriggerOverrides>;
pub type TriggerExtra = RowExtra<TriggerOverrides>;
/// A graph or a graph prototype.
pub type GraphRow = Row<GraphId, GraphContent, GraphOverrides>;
pub type GraphExtra = RowExtra<GraphOverrides>;
/// A host prototype; its id is of the number space of hosts.
pub type HostPrototypeRow = Row<HostId, HostPrototypeContent, HostPrototypeOverrides>;
pub type HostPrototypeExtra = RowExtra<HostPrototypeOverrides>;

// One for each of millions of items: rare fields go into `extra`.
const _: () = assert!(size_of::<ItemRow>() == 40);
const _: () = assert!(size_of::<TriggerRow>() == 40);
const _: () = assert!(size_of::<GraphRow>() == 40);

impl<Id, Content, Overrides> Row<Id, Content, Overrides> {
    /// The changes of its source, if there are any.
    #[must_use]
    pub fn overrides(&self) -> Option<&Overrides> {
        self.extra.as_ref().and_then(|it| it.overrides.as_deref())
    }

    #[must_use]
    pub fn discovered(&self) -> Option<&Discovered> {
        self.extra.as_ref().and_then(|it| it.discovered.as_ref())
    }
}

impl<Overrides> RowExtra<Overrides> {
    /// Of a row that is not discovered: `None` if it has nothing extra.
    #[must_use]
    pub fn of(overrides: Option<Arc<Overrides>>) -> Option<Box<Self>> {
        overrides.map(|it| Box::new(Self { overrides: Some(it), discovered: None }))
    }
}

impl<Overrides> Default for RowExtra<Overrides> {
    fn default() -> Self {
        Self { overrides: None, discovered: None }
    }
}
