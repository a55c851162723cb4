//! Holders of the tags of events besides the trigger: items, their hosts, and the templates along
//! the chain that an item is inherited by.

use std::sync::Arc;

use lang::macros::breadth_first;
use model::content::Tag;
use model::map::Set;
use model::snapshot::{Host, ItemRow, Snapshot};
use model::{HostId, ItemId};

use super::layout::Layout;
use super::macros::{HostMacros, MacroCache};

/// All templates above a host; none if no one of them has tags.
#[derive(Clone, Debug, Default)]
pub struct TemplatesAbove(Box<[Arc<Host>]>);

impl TemplatesAbove {
    pub(super) fn new(snapshot: &Snapshot, host: &Host) -> Self {
        if host.templates.is_empty() {
            return Self::default();
        }
        let linked = |id| snapshot.templates.get(&id).map(|it| it.templates.clone());
        let order = breadth_first(&host.templates, &mut |it| linked(it).unwrap_or_default());
        let templates = order.iter().filter_map(|it| snapshot.templates.get(it));
        if templates.clone().all(|it| it.tags.is_empty()) {
            return Self::default();
        }
        Self(templates.cloned().collect())
    }

    /// Tags of the templates that an item of the host comes from, nearest first. A discovered item comes from
    /// where its prototype does.
    pub fn tags_of<'a>(&'a self, host: &Host, row: &ItemRow) -> impl Iterator<Item = &'a Tag> {
        let prototype = row.discovered().and_then(|it| host.item(ItemId(it.prototype)));
        let mut source = prototype.unwrap_or(row).source;
        let chain = std::iter::from_fn(move || {
            let wanted = source.some()?;
            let (template, row) = self.0.iter().find_map(|it| Some((it, it.item(wanted)?)))?;
            source = row.source;
            Some(template)
        });
        chain.flat_map(|it| &it.tags)
    }
}

/// Another host whose items triggers of a host use.
#[derive(Debug)]
pub struct OtherHost {
    pub host: Arc<Host>,
    pub macros: Arc<HostMacros>,
    pub templates: TemplatesAbove,
}

/// Other hosts whose items triggers of a layout use, each once, by id.
pub(super) fn others(
    snapshot: &Snapshot,
    layout: &Layout,
    macros: &mut MacroCache,
) -> Box<[OtherHost]> {
    if layout.mirrors.is_empty() {
        return Box::default();
    }
    let mut others: Vec<OtherHost> = Vec::new();
    let mut seen: Set<HostId> = Set::default();
    let behind = layout.triggers.iter().flat_map(|it| &it.items);
    for mirror in behind.filter_map(|it| layout.mirror(*it)) {
        if seen.insert(mirror.host)
            && let Some(host) = snapshot.hosts.get(&mirror.host)
        {
            let templates = TemplatesAbove::new(snapshot, host);
            let macros = macros.of(snapshot, host);
            others.push(OtherHost { host: Arc::clone(host), macros, templates });
        }
    }
    others.sort_unstable_by_key(|it| it.host.id);
    others.into()
}
