//! Graphs whose items are deleted: they show the rest, and are deleted with their last one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::content::{GraphContent, ItemFlags};
use model::map::Set;
use model::snapshot::{GraphRow, Host, LldRow};
use model::{GraphId, HostId, ItemId};

use super::Editor;
use super::delete::{ByHolder, Doomed};
use crate::configuration::store::Identity;

/// A graph that loses items and stays.
pub(super) struct Trimmed {
    holder: HostId,
    id: GraphId,
    content: GraphContent,
}

impl Editor {
    /// Finds the graphs that show doomed items. Those that would show nothing are doomed, too.
    pub(super) fn trim_graphs(&self, doomed: &mut Doomed) -> Vec<Trimmed> {
        let mut own: BTreeMap<GraphId, (HostId, GraphContent)> = BTreeMap::new();
        let mut empty: ByHolder<GraphId> = BTreeMap::new();
        for (holder, ids) in &doomed.items {
            let Some(host) = self.next.holder(*holder) else { continue };
            let mut graphs: Vec<(HostId, &GraphRow)> =
                host.graphs.iter().filter(|it| it.is_own()).map(|it| (*holder, it)).collect();
            let crossing = self.cross.graphs.iter().filter_map(|it| self.next.graph(*it));
            graphs.extend(crossing.map(|(of, it)| (of.id, it)).filter(|(of, _)| of != holder));
            if !graphs.is_empty() {
                // Every id by which content may mean one of them.
                let mut names: Set<ItemId> = Set::default();
                for row in ids.iter().filter_map(|it| host.item(*it)) {
                    names.extend(self.next.item_chain(row));
                }
                for (of, graph) in graphs {
                    let content = own.get(&graph.id).map_or(&*graph.content, |(_, it)| it);
                    let left = without(content, &names);
                    own.extend(left.map(|it| (graph.id, (of, it))));
                }
            }
            empty.entry(*holder).or_default().extend(self.emptied(host, ids));
        }
        let mut trimmed = Vec::new();
        for (id, (holder, content)) in own {
            if self.shows_anything(holder, id, &content) {
                trimmed.push(Trimmed { holder, id, content });
            } else {
                empty.entry(holder).or_default().insert(id);
            }
        }
        for (holder, ids) in empty {
            self.doom_graphs(holder, ids, doomed);
        }
        let is_doomed =
            |it: &Trimmed| doomed.graphs.get(&it.holder).is_some_and(|of| of.contains(&it.id));
        trimmed.retain(|it| !is_doomed(it));
        trimmed
    }

    /// A prototype has to show an item prototype, any other graph has to show an item.
    fn shows_anything(&self, holder: HostId, id: GraphId, content: &GraphContent) -> bool {
        let Some((holder, row)) = self.next.holder(holder).zip(self.next.graph(id).map(|it| it.1))
        else {
            return false;
        };
        content.gitems.iter().any(|it| {
            row.flags != ItemFlags::Prototype
                || self
                    .next
                    .item_by_ref(holder, it.itemid)
                    .is_some_and(|(_, it)| it.flags == ItemFlags::Prototype)
        })
    }

    /// The discovered graphs that show nothing once these items are gone. They share the content of
    /// their prototype, so that it still names what is gone.
    fn emptied(&self, host: &Arc<Host>, ids: &BTreeSet<ItemId>) -> Vec<GraphId> {
        let gone = ids.iter().filter_map(|it| host.item(*it)?.discovered());
        let gone: BTreeSet<&LldRow> = gone.map(|it| &*it.row).collect();
        let concerned = |it: &&GraphRow| it.discovered().is_some_and(|it| gone.contains(&*it.row));
        if gone.is_empty() || !host.graphs.iter().any(|it| concerned(&it)) {
            return Vec::new();
        }
        let refs = self.next.item_refs(host);
        let left = host.items.iter().filter(|it| !ids.contains(&it.id));
        let left: BTreeSet<(u64, &LldRow)> =
            left.filter_map(|it| it.discovered()).map(|it| (it.prototype, &*it.row)).collect();
        let shows_nothing = |it: &&GraphRow| {
            let Some(by) = it.discovered() else { return false };
            !it.content.gitems.iter().any(|it| {
                let at = refs.get(&it.itemid).and_then(|it| usize::try_from(*it).ok());
                let Some(item) = at.and_then(|it| host.items.get(it)) else { return false };
                match item.flags {
                    ItemFlags::Prototype => left.contains(&(item.id.0, &*by.row)),
                    _ => !ids.contains(&item.id),
                }
            })
        };
        host.graphs.iter().filter(concerned).filter(shows_nothing).map(|it| it.id).collect()
    }

    /// Graphs of a holder with those that were discovered by them and inherited from them.
    pub(super) fn doom_graphs(&self, holder: HostId, ids: BTreeSet<GraphId>, doomed: &mut Doomed) {
        let known = doomed.graphs.entry(holder).or_default();
        let new: BTreeSet<GraphId> = ids.into_iter().filter(|it| known.insert(*it)).collect();
        let Some(host) = self.next.holder(holder).filter(|_| !new.is_empty()) else { return };
        for row in &host.graphs {
            if row.discovered().is_some_and(|it| new.contains(&GraphId(it.prototype))) {
                known.insert(row.id);
            }
        }
        for child in self.children(holder).iter() {
            let Some(host) = self.next.holder(*child) else { continue };
            let below = host.graphs.iter().filter(|it| new.contains(&it.source));
            self.doom_graphs(*child, below.map(|it| it.id).collect(), doomed);
        }
    }

    /// Deletes the graphs inherited from a graph or discovered by it, itself not.
    pub(super) fn remove_graphs_made_of(&mut self, holder: HostId, id: GraphId) {
        let mut doomed = Doomed::default();
        self.doom_graphs(holder, BTreeSet::from([id]), &mut doomed);
        if let Some(ids) = doomed.graphs.get_mut(&holder) {
            ids.remove(&id);
        }
        self.take_out(&doomed);
    }

    pub(super) fn set_trimmed_graph(&mut self, Trimmed { holder, id, content }: Trimmed) {
        // Cannot fail: names stay, and it has items that are there.
        drop(self.set_graph_content(holder, id, content));
    }

    /// Graphs of others leave the items of a host that is about to be deleted.
    pub(super) fn leave_graphs(&mut self, gone: &Host) {
        let names: Set<ItemId> = gone.items.iter().map(|it| it.id).collect();
        for id in self.cross.graphs.clone() {
            let Some((of, row)) = self.next.graph(id) else { continue };
            let Some(content) = without(&row.content, &names) else { continue };
            if content.gitems.is_empty() {
                self.remove_graphs(vec![id]);
            } else {
                self.set_trimmed_graph(Trimmed { holder: of.id, id, content });
            }
        }
    }
}

/// A graph without these items; `None` if it has none of them.
fn without(content: &GraphContent, gone: &Set<ItemId>) -> Option<GraphContent> {
    if !content.items().any(|it| gone.contains(&it)) {
        return None;
    }
    let mut left = content.clone();
    left.gitems.retain(|it| !gone.contains(&it.itemid));
    // The ends of the axis are calculated again.
    if gone.contains(&left.ymin_itemid) {
        (left.ymin_type, left.ymin_itemid) = (0, ItemId::NONE);
    }
    if gone.contains(&left.ymax_itemid) {
        (left.ymax_type, left.ymax_itemid) = (0, ItemId::NONE);
    }
    Some(left)
}
