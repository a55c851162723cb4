//! Rows of graphs and graph prototypes.

use std::borrow::Cow;
use std::sync::Arc;

use super::{GraphRow, Host, Patterns, Snapshot, comparisons};
use crate::content::ItemFlags;
use crate::{GraphId, HostId};

impl GraphRow {
    /// The name with LLD macros expanded.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        comparisons::count();
        let pattern = &self.content.name;
        self.discovered().map_or(Cow::Borrowed(pattern), |it| it.name(pattern))
    }

    /// The pattern of a discovered graph's name.
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
