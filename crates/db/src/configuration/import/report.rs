//! The result of an import, for its caller, the audit log and the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::HostId;
use model::content::ItemType;
use model::snapshot::{Host, ItemRow, Snapshot};
use serde_json::{Value as Json, json};

use super::changes::{self, ImportChanges};
use crate::configuration::editor::Editor;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportReport {
    /// Technical names of the templates made or updated.
    pub templates: Vec<String>,
    /// Technical names of the hosts made or updated.
    pub hosts: Vec<String>,
    /// How many objects were made, changed and deleted, by what files call their lists.
    pub changes: BTreeMap<&'static str, ImportChanges>,
    /// Parts of the file that are not used yet, by tag.
    pub kept_for_later: BTreeMap<String, usize>,
    /// Items of these templates that will have no values, by type; the most first.
    pub uncollected: Vec<Uncollected>,
}

/// Items, rules and prototypes of one type that nothing collects yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uncollected {
    pub kind: ItemType,
    /// With those that depend on them.
    pub n_items: usize,
    /// Technical names.
    pub templates: Vec<String>,
}

impl ImportReport {
    pub(super) fn new(
        before: &Snapshot,
        snapshot: &Snapshot,
        imported: &[HostId],
        kept_for_later: BTreeMap<String, usize>,
    ) -> Self {
        let templates: Vec<&Arc<Host>> =
            imported.iter().filter_map(|it| snapshot.templates.get(it)).collect();
        let mut by_type: BTreeMap<i64, Uncollected> = BTreeMap::new();
        for template in &templates {
            let own = template.items.iter().filter(|it| it.source.is_none());
            for kind in own.filter_map(|it| uncollected(snapshot, template, it)) {
                let known = by_type.entry(i64::from(kind.code()));
                let entry = known.or_insert_with(|| Uncollected {
                    kind,
                    n_items: 0,
                    templates: Vec::new(),
                });
                entry.n_items += 1;
                if entry.templates.last().is_none_or(|it| **it != *template.host) {
                    entry.templates.push(template.host.to_string());
                }
            }
        }
        let mut uncollected: Vec<Uncollected> = by_type.into_values().collect();
        uncollected.sort_by_key(|it| std::cmp::Reverse(it.n_items));
        let templates = templates.iter().map(|it| it.host.to_string()).collect();
        let hosts = imported.iter().filter_map(|it| snapshot.hosts.get(it));
        let hosts = hosts.map(|it| it.host.to_string()).collect();
        let changes = changes::between(before, snapshot, imported);
        Self { templates, hosts, changes, kept_for_later, uncollected }
    }

    /// Whether the configuration has all that the file has, and gets its values.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.kept_for_later.is_empty() && self.uncollected.is_empty()
    }

    /// One record for the whole file, by its first template: objects that were made have their own.
    pub(super) fn note(&self, e: &mut Editor, first: HostId) {
        if self.is_whole() {
            return;
        }
        let uncollected = self.uncollected.iter().map(|it| {
            let what = json!({"items": it.n_items, "templates": it.templates.join(", ")});
            (it.kind.code().to_string(), what)
        });
        let uncollected: Json = uncollected.collect::<serde_json::Map<_, _>>().into();
        let said = json!({
            "templates": self.templates.join(", "),
            "left_out": self.kept_for_later,
            "not_collected": {"type": uncollected},
        });
        e.note_import(first, &said);
    }

    /// Logs it for the operator; call it once the import is committed.
    pub fn log(&self) {
        if self.is_whole() {
            return;
        }
        let left_out = self.kept_for_later.iter().map(|(tag, n)| format!("{n} {tag}"));
        let uncollected = self.uncollected.iter();
        let uncollected = uncollected.map(|it| format!("{} {:?}", it.n_items, it.kind));
        tracing::warn!(
            templates = %self.templates.join(", "),
            left_out = %left_out.collect::<Vec<_>>().join(", "),
            not_collected = %uncollected.collect::<Vec<_>>().join(", "),
            "an import was applied in part: parts left out or not collected are not supported yet"
        );
    }
}

/// The type that keeps an item from having values: its own, or that of the item that it depends on
/// in the end.
fn uncollected(snapshot: &Snapshot, template: &Arc<Host>, row: &ItemRow) -> Option<ItemType> {
    let mut row = row;
    // Dependent items are three levels deep at most.
    for _ in 0..4 {
        let Some(master) = row.content.master_itemid.some() else { break };
        row = snapshot.item_meant(template, master, None)?.1;
    }
    Some(row.content.kind).filter(|it| !it.is_collected(&row.key()))
}
