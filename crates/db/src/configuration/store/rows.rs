//! What items, triggers and graphs have in common for the tables.

use std::borrow::Cow;
use std::hash::Hash;
use std::sync::Arc;

use model::content::{
    GraphContent, GraphOverrides, HostPrototypeContent, HostPrototypeOverrides, ItemContent,
    ItemFlags, ItemOverrides, TriggerContent, TriggerOverrides,
};
use model::snapshot::{Discovered, GraphRow, Host, HostPrototypeRow, ItemRow, TriggerRow};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{KIND_GRAPH, KIND_HOST_PROTOTYPE, KIND_ITEM, KIND_TRIGGER};
use crate::sql::Table;
use crate::sql::schema::{GRAPHS, HOST_PROTOTYPES, ITEMS, TRIGGERS};

/// An identity row with content: an item, a trigger or a graph.
pub(crate) trait Identity: Clone {
    type Content: Serialize + DeserializeOwned;
    type Overrides: Serialize + DeserializeOwned + Clone + Eq + Hash + Default;
    const KIND: i64;

    fn table() -> &'static Table;
    fn rows(holder: &Host) -> &[Self];
    fn rows_mut(holder: &mut Host) -> &mut Vec<Self>;
    fn id(&self) -> u64;
    fn source(&self) -> u64;
    fn flags(&self) -> ItemFlags;
    fn content(&self) -> &Arc<Self::Content>;
    fn set_content(&mut self, content: Arc<Self::Content>);
    fn overrides(&self) -> Option<&Self::Overrides>;
    /// The content as it counts where overrides hold.
    fn apply(overrides: &Self::Overrides, base: &Arc<Self::Content>) -> Arc<Self::Content>;
    fn discovered(&self) -> Option<&Discovered>;
    /// Key and name; the name twice where there is no key.
    fn texts(&self) -> Texts<'_>;
    /// Whether the extra parts are the same, by address if possible.
    fn has_same_extra(&self, other: &Self) -> bool;

    /// Whether the row has content of its own: neither inherited nor discovered.
    fn is_own(&self) -> bool {
        self.source() == 0 && self.discovered().is_none()
    }
}

macro_rules! identity {
    ($row:ident, $content:ident, $overrides:ident, $kind:ident, $table:ident, $rows:ident,
     $texts:ident) => {
        impl Identity for $row {
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
            fn id(&self) -> u64 {
                self.id.0
            }
            fn source(&self) -> u64 {
                self.source.0
            }
            fn flags(&self) -> ItemFlags {
                self.flags
            }
            fn content(&self) -> &Arc<$content> {
                &self.content
            }
            fn set_content(&mut self, content: Arc<$content>) {
                self.content = content;
            }
            fn overrides(&self) -> Option<&$overrides> {
                self.extra.as_ref().and_then(|it| it.overrides.as_deref())
            }
            fn apply(overrides: &$overrides, base: &Arc<$content>) -> Arc<$content> {
                overrides.apply(base)
            }
            fn discovered(&self) -> Option<&Discovered> {
                self.extra.as_ref().and_then(|it| it.discovered.as_ref())
            }
            fn texts(&self) -> Texts<'_> {
                $texts(self)
            }
            fn has_same_extra(&self, other: &Self) -> bool {
                match (&self.extra, &other.extra) {
                    (None, None) => true,
                    (Some(one), Some(two)) => {
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
                    _ => false,
                }
            }
        }
    };
}

identity!(ItemRow, ItemContent, ItemOverrides, KIND_ITEM, ITEMS, items, item_texts);
identity!(
    TriggerRow,
    TriggerContent,
    TriggerOverrides,
    KIND_TRIGGER,
    TRIGGERS,
    triggers,
    trigger_texts
);

identity!(GraphRow, GraphContent, GraphOverrides, KIND_GRAPH, GRAPHS, graphs, graph_texts);

identity!(
    HostPrototypeRow,
    HostPrototypeContent,
    HostPrototypeOverrides,
    KIND_HOST_PROTOTYPE,
    HOST_PROTOTYPES,
    host_prototypes,
    host_prototype_texts
);

type Texts<'a> = (Cow<'a, str>, Cow<'a, str>);

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
