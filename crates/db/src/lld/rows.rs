//! From the text that a rule got to the rows that pass its filter.

use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::lld::{Filter, Paths, Verdict};
use lang::macros::{FuncEnv, Layer, Layers, breadth_first, substitute_user};
use model::content::{GlobalRegexp, ItemContent};
use model::snapshot::{Globals, Host, Snapshot};

use super::LldRow;

/// User macros as they count on one host, and what else patterns may name.
pub(super) struct HostMacros {
    layers: Vec<Layer>,
    global: Layer,
    globals: Arc<Globals>,
    zone: TimeZone,
}

impl HostMacros {
    pub(super) fn of(host: &Host, snapshot: &Snapshot, zone: &TimeZone) -> Self {
        let mut templates_of =
            |id| snapshot.holder(id).map(|it| it.templates.clone()).unwrap_or_default();
        let order = breadth_first(&[host.id], &mut templates_of);
        let holders = order.iter().filter_map(|it| snapshot.holder(*it));
        Self {
            layers: holders.map(|it| Layer::new(&it.macros)).collect(),
            global: Layer::new(&snapshot.globals.macros),
            globals: Arc::clone(&snapshot.globals),
            zone: zone.clone(),
        }
    }

    /// Global regular expressions, which patterns may name.
    pub(super) fn regexps(&self) -> &[GlobalRegexp] {
        &self.globals.regexps
    }

    /// The text with user macros replaced; unknown ones stay.
    pub(super) fn expand(&self, text: &str) -> String {
        if !text.contains("{$") {
            return text.to_owned();
        }
        let host: Vec<&Layer> = self.layers.iter().collect();
        let layers = Layers { host: &host, global: &self.global };
        let mut resolve = |written: &str| layers.resolve(written).map(|it| it.value.to_string());
        substitute_user(text, &FuncEnv::new(&self.zone), &mut resolve)
    }
}

/// What a value has for a rule.
pub(super) struct DiscoveredRows {
    /// That the filter keeps.
    pub(super) rows: Vec<LldRow>,
    /// Why the filter can't tell of others, with the number of rows kept before; for the rule's
    /// error.
    pub(super) warnings: Vec<(usize, String)>,
}

/// The rows to discover, or what is wrong with rule or text, as the rule's error shows it.
pub(super) fn rows_of(
    content: &ItemContent,
    text: &str,
    macros: &HostMacros,
) -> Result<DiscoveredRows, String> {
    let paths = Paths::new(&content.lld_macro_paths).map_err(|error| error.to_string())?;
    let rows = paths.rows(text).map_err(|error| error.to_string())?;
    let mut expand = |written: &str| macros.expand(written);
    let filter = Filter::new(&content.filter, &mut expand, macros.regexps())
        .map_err(|error| error.to_string())?;
    let mut found = DiscoveredRows { rows: Vec::with_capacity(rows.len()), warnings: Vec::new() };
    for row in rows {
        match filter.verdict(&row).map_err(|error| error.to_string())? {
            Verdict::Kept => found.rows.push(Arc::new(row)),
            Verdict::Dropped => {}
            Verdict::Unknown(why) => {
                found.warnings.push((found.rows.len(), why));
            }
        }
    }
    Ok(found)
}
