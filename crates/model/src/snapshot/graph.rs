//! Rows of graphs and graph prototypes.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Discovered, Host, Patterns, Snapshot, comparisons};
use crate::content::{GraphContent, GraphOverrides, ItemFlags};
use crate::{GraphId, HostId};

/// Identity of a graph or a graph prototype.
#[derive(Clone, Debug)]
pub struct GraphRow {
    pub id: GraphId,
    /// The row of the directly linked template; 0 for own and discovered rows.
    pub source: GraphId,
    pub content: Arc<GraphContent>,
    pub extra: Option<Box<GraphExtra>>,
    pub flags: ItemFlags,
}

const _: () = assert!(size_of::<GraphRow>() == 40);

#[derive(Clone, Debug, Default)]
pub struct GraphExtra {
    pub overrides: Option<Arc<GraphOverrides>>,
    pub discovered: Option<Discovered>,
}

impl GraphExtra {
    /// Of a row that is not discovered: `None` if it has nothing extra.
    #[must_use]
    pub fn of(overrides: Option<Arc<GraphOverrides>>) -> Option<Box<Self>> {
        overrides.map(|it| Box::new(Self { overrides: Some(it), discovered: None }))
    }
}

impl GraphRow {
    #[must_use]
    pub fn discovered(&self) -> Option<&Discovered> {
        self.extra.as_ref().and_then(|it| it.discovered.as_ref())
    }

    /// The name with LLD macros expanded.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        comparisons::count();
        let pattern = &self.content.name;
        self.discovered().map_or(Cow::Borrowed(pattern), |it| it.name(pattern))
    }

    /// What the name of a discovered graph is made of.
    #[must_use]
    pub fn patterns(&self) -> Patterns<'_> {
        Patterns { key: "", name: &self.content.name }
    }

    /// Whether it can be shown: no prototype.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.flags != ItemFlags::Prototype
    }
}

impl Host {
    #[must_use]
    pub fn graph(&self, id: GraphId) -> Option<&GraphRow> {
        self.graphs.binary_search_by_key(&id, |it| it.id).ok().and_then(|at| self.graphs.get(at))
    }
}

impl Snapshot {
    #[must_use]
    pub fn graph(&self, id: GraphId) -> Option<(&Arc<Host>, &GraphRow)> {
        let (_, (last, holder)) = self.graph_runs.range(..=id).next_back()?;
        let holder: HostId = if *last < id { return None } else { *holder };
        let holder = self.holder(holder)?;
        Some((holder, holder.graph(id)?))
    }
}
