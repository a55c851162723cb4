//! Nouns for items and their holders in messages.

use model::content::ItemFlags;
use model::snapshot::{HolderKind, Host, ItemRow};

use crate::error::ConfigError;

/// The noun for an item row in messages.
pub(super) fn noun(flags: ItemFlags) -> &'static str {
    match flags {
        ItemFlags::Plain | ItemFlags::Discovered => "item",
        ItemFlags::Rule | ItemFlags::DiscoveredRule => "LLD rule",
        ItemFlags::RulePrototype => "LLD rule prototype",
        ItemFlags::Prototype => "item prototype",
    }
}

/// `host "name"` or `template "name"`.
pub(super) fn called(holder: &Host) -> String {
    let noun = match holder.kind {
        HolderKind::Host => "host",
        HolderKind::Template => "template",
    };
    format!("{noun} \"{}\"", holder.host)
}

/// The key is taken on this holder.
pub(super) fn key_exists(holder: &Host, existing: &ItemRow) -> ConfigError {
    ConfigError::parameters(format_args!(
        "An {} with key \"{}\" already exists on the {}.",
        noun(existing.flags),
        existing.key().into_owned(),
        called(holder)
    ))
}
