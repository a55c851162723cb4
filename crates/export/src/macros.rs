//! Macros in exported data: names and tags of items, and texts of connectors.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use lang::lld::{EscapeTarget, RowIn, expand_text};
use lang::macros::{FuncEnv, Layer, Layers, SECRET, breadth_first, substitute_user};
use model::content::{MacroType, Tag};
use model::snapshot::{Host, ItemRow, Snapshot};

use crate::ports::ExportConfiguration;

/// A text of a host's item with user macros replaced; secret ones are asterisks.
#[must_use]
pub fn shown(snapshot: &Snapshot, host: &Host, text: &str, zone: &TimeZone) -> String {
    if !text.contains("{$") && !text.contains("{{") {
        return text.to_owned();
    }
    let order = breadth_first(&[host.id], &mut |it| {
        snapshot.holder(it).map(|it| it.templates.clone()).unwrap_or_default()
    });
    let holders = order.iter().filter_map(|it| snapshot.holder(*it));
    let chain: Vec<Layer> = holders.map(|it| Layer::new(&it.macros)).collect();
    let global = Layer::new(&snapshot.globals.macros);
    let chain: Vec<&Layer> = chain.iter().collect();
    let layers = Layers { host: &chain, global: &global };
    substitute_user(text, &FuncEnv::new(zone), &mut |it| {
        let found = layers.resolve(it)?;
        let is_shown = found.kind == MacroType::Text;
        Some(if is_shown { found.value.to_string() } else { SECRET.to_owned() })
    })
}

/// A text with global macros replaced by their values, secrets as well.
///
/// # Errors
/// A secret of the vault is unavailable.
pub(crate) fn global(
    configuration: &dyn ExportConfiguration,
    snapshot: &Snapshot,
    text: &str,
) -> Result<String, String> {
    if !text.contains("{$") && !text.contains("{{") {
        return Ok(text.to_owned());
    }
    let global = Layer::new(&snapshot.globals.macros);
    let layers = Layers { host: &[], global: &global };
    let mut missing = None;
    let made = substitute_user(text, &FuncEnv::new(configuration.zone()), &mut |it| {
        let found = layers.resolve(it)?;
        if found.kind != MacroType::Vault {
            return Some(found.value.to_string());
        }
        match configuration.secret(&found.value) {
            Ok(it) => Some(it.to_string()),
            Err(why) => {
                missing = Some(why);
                None
            }
        }
    });
    missing.map_or(Ok(made), Err)
}

/// The tags of an item with the values of the discovered row that it was made of.
pub(crate) fn tags_of<'a>(item: &'a ItemRow, zone: &TimeZone) -> Cow<'a, [Tag]> {
    let tags = &item.content.tags;
    let has_macros = |it: &Tag| it.tag.contains("{#") || it.value.contains("{#");
    let Some(found) = item.discovered().filter(|_| tags.iter().any(has_macros)) else {
        return Cow::Borrowed(tags);
    };
    let text = |it: &str| {
        expand_text(it, RowIn::new(&found.row, zone), EscapeTarget::Text)
            .unwrap_or_else(|_| it.to_owned())
    };
    tags.iter().map(|it| Tag { tag: text(&it.tag), value: text(&it.value) }).collect()
}
