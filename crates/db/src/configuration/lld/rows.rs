//! From the text that a rule got to the rows that pass its filter.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::lld::{EscapeTarget, Paths, RowFilter, RowIn, RowVerdict, expand_text};
use lang::macros::{FuncEnv, Layer, Layers, breadth_first, substitute_user};
use model::ItemId;
use model::content::{GlobalRegexp, ItemContent, ItemFlags, ItemType, LldMacroPath};
use model::map::Set;
use model::snapshot::{Globals, Host, ItemRow, LldRow as Row, Snapshot};

use super::LldRow;

/// The row that made a discovered rule, or the host of a rule of the type *Nested*.
pub(super) fn outer_row<'a>(host: &'a Host, rule: &'a ItemRow) -> Option<&'a LldRow> {
    match rule.flags {
        ItemFlags::DiscoveredRule => rule.discovered().map(|it| &it.row),
        _ if rule.content.kind == ItemType::Nested => host.discovered.as_ref().map(|it| &it.by.row),
        _ => None,
    }
}

/// The macros of a row, and those of the outer row that it does not have itself.
fn within(outer: Option<&LldRow>, row: Row) -> Row {
    let Some(outer) = outer else { return row };
    let all: Vec<(&str, &str)> = outer.iter().chain(row.iter()).collect();
    Row::new(all)
}

/// User macros as they count on one host, LLD macros of the row that made the rule, and what else patterns
/// may name.
pub(super) struct HostMacros {
    layers: Vec<Layer>,
    global: Layer,
    globals: Arc<Globals>,
    zone: TimeZone,
    outer: Option<LldRow>,
}

impl HostMacros {
    pub(super) fn of(host: &Host, rule: &ItemRow, snapshot: &Snapshot, zone: &TimeZone) -> Self {
        let mut templates_of =
            |id| snapshot.holder(id).map(|it| it.templates.clone()).unwrap_or_default();
        let order = breadth_first(&[host.id], &mut templates_of);
        let holders = order.iter().filter_map(|it| snapshot.holder(*it));
        Self {
            layers: holders.map(|it| Layer::new(&it.macros)).collect(),
            global: Layer::new(&snapshot.globals.macros),
            globals: Arc::clone(&snapshot.globals),
            zone: zone.clone(),
            outer: outer_row(host, rule).cloned(),
        }
    }

    /// Global regular expressions, which patterns may name.
    pub(super) fn regexps(&self) -> &[GlobalRegexp] {
        &self.globals.regexps
    }

    /// A pattern with user macros and those of the row that made the rule replaced; unknown ones stay.
    pub(super) fn pattern(&self, text: &str) -> String {
        self.expand(&self.within_outer(text, EscapeTarget::Regexp))
    }

    fn within_outer(&self, text: &str, target: EscapeTarget) -> String {
        let Some(outer) = &self.outer else { return text.to_owned() };
        let expanded = expand_text(text, RowIn::new(outer, &self.zone), target);
        expanded.unwrap_or_else(|_unquotable| text.to_owned())
    }

    /// Paths of a rule, with macros of the row that made it replaced.
    fn paths(&self, paths: &[LldMacroPath]) -> Vec<LldMacroPath> {
        let paths = paths.iter().cloned();
        paths
            .map(|it| LldMacroPath {
                path: self.within_outer(&it.path, EscapeTarget::JsonPath),
                ..it
            })
            .collect()
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

/// Whether rows of this rule may make rules that have their rows from the JSON of it.
pub(super) fn takes_texts(snapshot: &Snapshot, host: &Host, rule: &ItemRow) -> bool {
    let names: Set<ItemId> = snapshot.names_of_rule(host, rule).into_iter().collect();
    let is_nested = |it: &ItemRow| {
        it.flags == ItemFlags::RulePrototype
            && it.content.kind == ItemType::Nested
            && names.contains(&it.content.ruleid)
    };
    host.items.iter().any(is_nested)
        || host.host_prototypes.iter().any(|it| names.contains(&it.content.ruleid))
}

/// The rows of a value for a rule.
#[derive(Default)]
pub(super) struct DiscoveredRows {
    /// That the filter keeps.
    pub(super) rows: Vec<LldRow>,
    /// Why the filter can't be evaluated for other rows, with the number of rows kept before; for
    /// the rule's error.
    pub(super) warnings: Vec<(usize, String)>,
    /// The JSON of rows, if a nested rule has rows from it.
    pub(super) texts: BTreeMap<LldRow, String>,
}

/// The rows to discover, or what is wrong with rule or text, as the rule's error shows it.
pub(super) fn rows_of(
    content: &ItemContent,
    text: &str,
    macros: &HostMacros,
    keeps_texts: bool,
) -> Result<DiscoveredRows, String> {
    let _turn = formats::regexp::MatchTurn::begin();
    let paths =
        Paths::new(&macros.paths(&content.lld_macro_paths)).map_err(|error| error.to_string())?;
    let rows: Vec<(Row, Option<String>)> = if keeps_texts {
        let rows = paths.rows_with_texts(text).map_err(|error| error.to_string())?;
        rows.into_iter().map(|(row, text)| (row, Some(text))).collect()
    } else {
        let rows = paths.rows(text).map_err(|error| error.to_string())?;
        rows.into_iter().map(|row| (row, None)).collect()
    };
    let mut expand = |written: &str| macros.pattern(written);
    let filter = RowFilter::new(&content.filter, &mut expand, macros.regexps())
        .map_err(|error| error.to_string())?;
    let mut found = DiscoveredRows { rows: Vec::with_capacity(rows.len()), ..Default::default() };
    for (row, text) in rows {
        let row = within(macros.outer.as_ref(), row);
        match filter.verdict(&row).map_err(|error| error.to_string())? {
            RowVerdict::Kept => {
                let row = Arc::new(row);
                if let Some(text) = text {
                    found.texts.entry(Arc::clone(&row)).or_insert(text);
                }
                found.rows.push(row);
            }
            RowVerdict::Dropped => {}
            RowVerdict::Unknown(why) => {
                found.warnings.push((found.rows.len(), why));
            }
        }
    }
    Ok(found)
}
