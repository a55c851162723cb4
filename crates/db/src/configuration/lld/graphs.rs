//! Graphs that rows make: those whose items are all there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lang::lld::OverrideTarget;
use model::content::{GraphOverrides, ItemFlags};
use model::map::Set;
use model::snapshot::{Discovered, GraphExtra, GraphRow};
use model::{GraphId, HostId, ItemId};

use super::apply::{NameOf, New, NewGraph, Plan, Run, made_before};
use super::made::{Made, MadeItem};
use super::{LldRow, expand, fields, overrides};
use crate::configuration::editor::Editor;
use crate::configuration::objects::ObjectKind;

impl Plan {
    pub(super) fn plan_graphs(&mut self, run: &Run<'_>, made: &Made) {
        let existing = graphs_made(run);
        if run.graph_prototypes.is_empty() && existing.is_empty() {
            return;
        }
        let made_before = made_before(run.host);
        let mut taken: Set<Cow<'_, str>> =
            run.host.graphs.iter().filter(|it| it.is_live()).map(GraphRow::name).collect();
        let mut found: BTreeMap<GraphId, LldRow> = BTreeMap::new();
        for prototype in &run.graph_prototypes {
            let known: BTreeMap<Vec<MadeItem>, &GraphRow> = existing
                .iter()
                .filter(|(_, it)| it.prototype == prototype.id.0)
                .filter_map(|(graph, it)| Some((shown(run, graph, &it.row, &made_before)?, *graph)))
                .collect();
            let mut claimed: BTreeSet<Vec<MadeItem>> = BTreeSet::new();
            let content = &prototype.content;
            for (row, of_row) in run.distinct_rows() {
                let name = &content.name;
                let changes =
                    overrides::changes(of_row, OverrideTarget::Graph, name, row, run.zone);
                if !changes.discover.unwrap_or(content.discover) {
                    continue;
                }
                // An item that could not be made has its own error.
                let Some(shown) = shown(run, prototype, row, made) else { continue };
                let name = expand::name(name, row, run.zone);
                let known = known.get(&shown);
                let is_known_name = known.is_some_and(|it| it.name() == name);
                let is_taken = !is_known_name && taken.contains(name.as_str());
                if !claimed.insert(shown) || is_taken {
                    self.fail(format_args!(
                        "Cannot create graph: graph with the same name \"{name}\" already exists."
                    ));
                    continue;
                }
                if self.keeps_out("graph", known.is_some(), fields::wrong_graph(&name)) {
                    continue;
                }
                match known {
                    Some(known) => {
                        found.insert(known.id, Arc::clone(row));
                    }
                    None => self.new_graphs.push(new_graph(run, prototype, row, &name)),
                }
                taken.insert(Cow::Owned(name));
            }
        }
        for (graph, old) in existing {
            let name = |new: &LldRow| {
                let prototype = run.host.graph(GraphId(old.prototype))?;
                Some(expand::name(&prototype.content.name, new, run.zone))
            };
            let texts = (graph.patterns(), &name as &NameOf<'_>);
            // Graphs are not disabled.
            let new = self.next_state(run, old, found.get(&graph.id), false, texts);
            if let Some(new) = new {
                self.graphs.push((graph.id, new));
            }
        }
    }
}

/// The graphs that the rule has made.
fn graphs_made<'a>(run: &Run<'a>) -> Vec<(&'a GraphRow, &'a Discovered)> {
    let all = run.host.graphs.iter().filter_map(|it| Some((it, it.discovered()?)));
    all.filter(|(_, it)| it.rule == run.rule.id).collect()
}

/// The items that a graph shows with a row, those at the ends of its axis after them; `None` if one
/// is not there.
fn shown(run: &Run<'_>, graph: &GraphRow, row: &LldRow, made: &Made) -> Option<Vec<MadeItem>> {
    let items = graph.content.items();
    items
        .map(|it: ItemId| {
            let at = usize::try_from(*run.refs.get(&it)?).ok()?;
            let item = run.host.items.get(at)?;
            match item.flags {
                ItemFlags::Prototype => made.get(&(item.id.0, Arc::clone(row))).copied(),
                _ => Some(MadeItem::Existing(item.id)),
            }
        })
        .collect()
}

fn new_graph(run: &Run<'_>, prototype: &GraphRow, row: &LldRow, name: &str) -> NewGraph {
    let mut discovered = Discovered::new(prototype.id.0, run.rule.id, Arc::clone(row));
    discovered.set_texts(prototype.patterns(), "", name);
    New { prototype: prototype.id, discovered, overrides: GraphOverrides::default() }
}

impl Editor {
    pub(super) fn add_discovered_graphs(&mut self, host: HostId, new: Vec<NewGraph>) {
        let mut rows = Vec::with_capacity(new.len());
        for New { prototype, discovered, .. } in new {
            let Some((_, source)) = self.snapshot().graph(prototype) else { continue };
            let content = Arc::clone(&source.content);
            rows.push(GraphRow {
                id: GraphId(self.take_id()),
                source: GraphId::NONE,
                content,
                extra: Some(Box::new(GraphExtra { overrides: None, discovered: Some(discovered) })),
                flags: ItemFlags::Discovered,
            });
        }
        let made: Vec<u64> = rows.iter().map(|it| it.id.0).collect();
        self.push_rows(host, rows);
        made.into_iter().for_each(|id| self.note_found(ObjectKind::Graph, id));
    }

    /// Takes over what a run says of a graph.
    pub(super) fn set_discovered_graph(&mut self, host: HostId, id: GraphId, new: Discovered) {
        if let Some(extra) = &mut self.graph_mut(host, id).extra {
            extra.discovered = Some(new);
        }
    }
}
