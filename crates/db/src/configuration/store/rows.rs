//! The common parts of items, triggers, graphs and host prototypes for the tables.

use std::borrow::Cow;
use std::hash::Hash;
use std::sync::Arc;

use model::content::{
    GraphContent, GraphOverrides, HostPrototypeContent, HostPrototypeOverrides, ItemContent,
    ItemFlags, ItemOverrides, TriggerContent, TriggerOverrides,
};
use model::snapshot::{
    Discovered, GraphRow, Host, HostPrototypeRow, ItemRow, Patterns, Row, RowExtra, TriggerRow,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{KIND_GRAPH, KIND_HOST_PROTOTYPE, KIND_ITEM, KIND_TRIGGER};
use crate::sql::Table;
use crate::sql::schema::{GRAPHS, HOST_PROTOTYPES, ITEMS, TRIGGERS};

/// Key and name; the name twice where there is no key.
pub(crate) type Texts<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The differences between kinds of rows.
pub(crate) trait RowKind: Sized {
    type Content: Serialize + DeserializeOwned;
    type Overrides: Serialize + DeserializeOwned + Clone + Eq + Hash + Default;
    /// In the tables that all kinds share.
    const KIND: i64;

    fn table() -> &'static Table;
    fn rows(holder: &Host) -> &[Self];
    fn rows_mut(holder: &mut Host) -> &mut Vec<Self>;
    /// The content as it counts where overrides hold.
    fn apply(overrides: &Self::Overrides, base: &Arc<Self::Content>) -> Arc<Self::Content>;
    /// Overrides that turn `base` into `wanted`, as far as such overrides may.
    fn between(base: &Self::Content, wanted: &Self::Content) -> Self::Overrides;
    /// A source's change of a field writes through: the override of that field goes.
    fn write_through(overrides: &mut Self::Overrides, old: &Self::Content, new: &Self::Content);
    fn texts(&self) -> Texts<'_>;
    /// The patterns of a discovered row's texts.
    fn texts_of_prototype(&self) -> Patterns<'_>;
}

macro_rules! kind {
    ($row:ident, $content:ident, $overrides:ident, $kind:ident, $table:ident, $rows:ident,
     $texts:ident) => {
        impl RowKind for $row {
            type Content = $content;
            type Overrides = $overrides;
            const KIND: i64 = $kind;

            fn table() -> &'static Table {
                &$table
            }
            fn rows(holder: &Host) -> &[Self] {
                &holder.$rows
            }
            fn rows_mut(holder: &mut Host) -> &mut Vec<Self> {
                &mut holder.$rows
            }
            fn apply(overrides: &$overrides, base: &Arc<$content>) -> Arc<$content> {
                overrides.apply(base)
            }
            fn between(base: &$content, wanted: &$content) -> $overrides {
                $overrides::between(base, wanted)
            }
            fn write_through(overrides: &mut $overrides, old: &$content, new: &$content) {
                overrides.write_through(old, new);
            }
            fn texts(&self) -> Texts<'_> {
                $texts(self)
            }
            fn texts_of_prototype(&self) -> Patterns<'_> {
                self.patterns()
            }
        }
    };
}

kind!(ItemRow, ItemContent, ItemOverrides, KIND_ITEM, ITEMS, items, item_texts);
kind!(
    TriggerRow,
    TriggerContent,
    TriggerOverrides,
    KIND_TRIGGER,
    TRIGGERS,
    triggers,
    trigger_texts
);
kind!(GraphRow, GraphContent, GraphOverrides, KIND_GRAPH, GRAPHS, graphs, graph_texts);
kind!(
    HostPrototypeRow,
    HostPrototypeContent,
    HostPrototypeOverrides,
    KIND_HOST_PROTOTYPE,
    HOST_PROTOTYPES,
    host_prototypes,
    host_prototype_texts
);

fn item_texts(row: &ItemRow) -> Texts<'_> {
    (row.key(), row.name())
}

fn trigger_texts(row: &TriggerRow) -> Texts<'_> {
    (row.name(), row.name())
}

fn graph_texts(row: &GraphRow) -> Texts<'_> {
    (row.name(), row.name())
}

fn host_prototype_texts(row: &HostPrototypeRow) -> Texts<'_> {
    (Cow::Borrowed(&row.content.name), Cow::Borrowed(&row.content.host))
}

/// An identity row with content: the part common to all kinds.
pub(crate) trait Identity: RowKind + Clone {
    type Id: Copy + Ord + From<u64> + Into<u64>;

    /// A row of its own, or one that is inherited.
    fn made(id: u64, source: u64, content: Arc<Self::Content>, flags: ItemFlags) -> Self;
    fn id(&self) -> u64;
    fn source(&self) -> u64;
    fn flags(&self) -> ItemFlags;
    fn content(&self) -> &Arc<Self::Content>;
    fn set_content(&mut self, content: Arc<Self::Content>);
    fn overrides(&self) -> Option<&Self::Overrides>;
    /// Of a row that is not discovered: its overrides, and the content that counts with them.
    fn set_overrides(
        &mut self,
        overrides: Option<Arc<Self::Overrides>>,
        content: Arc<Self::Content>,
    );
    /// Makes an own row the inherited one, or an inherited one the holder's own.
    fn inherit_from(&mut self, source: u64, content: Arc<Self::Content>);
    fn discovered(&self) -> Option<&Discovered>;
    /// Adds what discovery knows of the row, and its key and name.
    fn set_discovered(&mut self, discovered: Discovered, texts: (&str, &str)) -> &mut Discovered;
    /// Whether the extra parts are the same, by address if possible.
    fn has_same_extra(&self, other: &Self) -> bool;

    /// Whether the row has content of its own: neither inherited nor discovered.
    fn is_own(&self) -> bool {
        self.source() == 0 && self.discovered().is_none()
    }
}

impl<Id, C, O> Identity for Row<Id, C, O>
where
    Self: RowKind<Content = C, Overrides = O> + Clone,
    Id: Copy + Ord + From<u64> + Into<u64>,
    O: PartialEq,
{
    type Id = Id;

    fn made(id: u64, source: u64, content: Arc<C>, flags: ItemFlags) -> Self {
        Self { id: Id::from(id), source: Id::from(source), content, extra: None, flags }
    }

    fn id(&self) -> u64 {
        self.id.into()
    }

    fn source(&self) -> u64 {
        self.source.into()
    }

    fn flags(&self) -> ItemFlags {
        self.flags
    }

    fn content(&self) -> &Arc<C> {
        &self.content
    }

    fn set_content(&mut self, content: Arc<C>) {
        self.content = content;
    }

    fn overrides(&self) -> Option<&O> {
        self.extra.as_ref().and_then(|it| it.overrides.as_deref())
    }

    fn set_overrides(&mut self, overrides: Option<Arc<O>>, content: Arc<C>) {
        self.extra = RowExtra::of(overrides);
        self.content = content;
    }

    fn inherit_from(&mut self, source: u64, content: Arc<C>) {
        self.source = Id::from(source);
        self.content = content;
        self.extra = None;
    }

    fn discovered(&self) -> Option<&Discovered> {
        self.extra.as_ref().and_then(|it| it.discovered.as_ref())
    }

    fn set_discovered(
        &mut self,
        mut discovered: Discovered,
        (key, name): (&str, &str),
    ) -> &mut Discovered {
        discovered.set_texts(self.texts_of_prototype(), key, name);
        self.extra.get_or_insert_default().discovered.insert(discovered)
    }

    fn has_same_extra(&self, other: &Self) -> bool {
        let (one, two) = match (&self.extra, &other.extra) {
            (None, None) => return true,
            (Some(one), Some(two)) => (one, two),
            _ => return false,
        };
        one.overrides == two.overrides
            && match (&one.discovered, &two.discovered) {
                (None, None) => true,
                (Some(one), Some(two)) => {
                    one.is_same(two)
                        && (Arc::ptr_eq(&self.content, &other.content)
                            || self.texts() == other.texts())
                }
                _ => false,
            }
    }
}
