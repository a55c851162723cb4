//! Rows of a holder with a name: graphs and host prototypes.

use super::{
    BY_HOST_UUID, BY_NAME, BY_SOURCE, BY_VISIBLE_NAME, GraphRow, Host, HostPrototypeRow, hash_of,
    position, push,
};
use crate::{GraphId, HostId, ItemId};

impl Host {
    /// Adds graphs with the newest ids, in order.
    pub fn push_graphs(&mut self, rows: Vec<GraphRow>) {
        push(&mut self.row_index.graphs, &mut self.graphs, rows);
    }

    /// Adds host prototypes with the newest ids, in order.
    pub fn push_host_prototypes(&mut self, rows: Vec<HostPrototypeRow>) {
        push(&mut self.row_index.host_prototypes, &mut self.host_prototypes, rows);
    }

    /// A graph, whatever is changed of it.
    pub fn graph_to_change(&mut self, id: GraphId) -> Option<&mut GraphRow> {
        let at = self.graphs.binary_search_by_key(&id, |it| it.id).ok()?;
        self.row_index.graphs.finish_change(&self.graphs);
        self.row_index.graphs.in_change = Some(position(at));
        self.graphs.get_mut(at)
    }

    /// A host prototype, whatever is changed of it.
    pub fn host_prototype_to_change(&mut self, id: HostId) -> Option<&mut HostPrototypeRow> {
        let at = self.host_prototypes.binary_search_by_key(&id, |it| it.id).ok()?;
        self.row_index.host_prototypes.finish_change(&self.host_prototypes);
        self.row_index.host_prototypes.in_change = Some(position(at));
        self.host_prototypes.get_mut(at)
    }

    /// The first graph or graph prototype with this name that may be meant.
    #[must_use]
    pub fn graph_by_name_where(
        &self,
        name: &str,
        may_be: impl Fn(&GraphRow) -> bool,
    ) -> Option<&GraphRow> {
        let by = (BY_NAME, || hash_of(name));
        self.row_index.graphs.find(&self.graphs, by, |it| it.name() == name && may_be(it))
    }

    /// The graph that is inherited from this one of a directly linked template.
    #[must_use]
    pub fn graph_by_source(&self, source: GraphId) -> Option<&GraphRow> {
        source.some()?;
        let by = (BY_SOURCE, || hash_of(source));
        self.row_index.graphs.find(&self.graphs, by, |it| it.source == source)
    }

    /// The graphs that a prototype made.
    #[must_use]
    pub fn graphs_made_by(&self, prototype: GraphId) -> Vec<GraphId> {
        let made = self.row_index.graphs.made_by(&self.graphs, prototype.0);
        made.into_iter().filter_map(|at| self.graphs.get(at as usize)).map(|it| it.id).collect()
    }

    /// The host prototype that is inherited from this one of a directly linked template.
    #[must_use]
    pub fn host_prototype_by_source(&self, source: HostId) -> Option<&HostPrototypeRow> {
        source.some()?;
        let by = (BY_SOURCE, || hash_of(source));
        self.row_index.host_prototypes.find(&self.host_prototypes, by, |it| it.source == source)
    }

    /// The first host prototype with this UUID that may be meant; none has an empty one.
    #[must_use]
    pub fn host_prototype_by_uuid_where(
        &self,
        uuid: &str,
        may_be: impl Fn(&HostPrototypeRow) -> bool,
    ) -> Option<&HostPrototypeRow> {
        if uuid.is_empty() {
            return None;
        }
        let is_it = |it: &HostPrototypeRow| it.content.uuid == uuid && may_be(it);
        let by = (BY_HOST_UUID, || hash_of(uuid));
        self.row_index.host_prototypes.find(&self.host_prototypes, by, is_it)
    }

    /// The first prototype by this technical name whose content names this rule.
    #[must_use]
    pub fn host_prototype_by_name_where(
        &self,
        rule: ItemId,
        name: &str,
        may_be: impl Fn(&HostPrototypeRow) -> bool,
    ) -> Option<&HostPrototypeRow> {
        let is_it = |it: &HostPrototypeRow| {
            it.content.ruleid == rule && it.content.host == name && may_be(it)
        };
        let by = (BY_NAME, || hash_of((rule, name)));
        self.row_index.host_prototypes.find(&self.host_prototypes, by, is_it)
    }

    /// As [`Self::host_prototype_by_name_where`], by the visible name.
    #[must_use]
    pub fn host_prototype_by_visible_name_where(
        &self,
        rule: ItemId,
        name: &str,
        may_be: impl Fn(&HostPrototypeRow) -> bool,
    ) -> Option<&HostPrototypeRow> {
        let is_it = |it: &HostPrototypeRow| {
            it.content.ruleid == rule && it.content.name == name && may_be(it)
        };
        let by = (BY_VISIBLE_NAME, || hash_of((rule, name)));
        self.row_index.host_prototypes.find(&self.host_prototypes, by, is_it)
    }
}
