//! Whether a row's values can stand in the fields of an object.

use jiff::tz::TimeZone;
use lang::lld::OverrideChanges;
use model::content::{ItemContent, ItemType};

use super::{LldRow, expand};

/// The longest name of an item or trigger, and the longest units.
const NAME_CHARS_MAX: usize = 255;
const KEY_CHARS_MAX: usize = 2_048;
/// Characters of a value that is too long that an error shows.
const SHOWN_CHARS_MAX: usize = 125;
/// The longest history and trends: 25 years.
const PERIOD_MAX_S: u64 = 788_400_000;

/// The reason why an item of this name and key cannot be made, as Zabbix's text after its key;
/// `None`: it can.
pub(super) fn wrong_item(
    prototype: &ItemContent,
    changes: &OverrideChanges,
    name: &str,
    key: &str,
    row: &LldRow,
    zone: &TimeZone,
) -> Option<String> {
    if name.is_empty() {
        return Some("name is empty.".to_owned());
    }
    let expanded = |text: &str| text.contains("{#").then(|| expand::text(text, row, zone));
    let units = expanded(&prototype.units);
    for (text, max) in [
        (name, NAME_CHARS_MAX),
        (key, KEY_CHARS_MAX),
        (units.as_deref().unwrap_or_default(), NAME_CHARS_MAX),
    ] {
        if is_longer(text, max) {
            return Some(format!("value \"{}\" is too long.", shortened(text)));
        }
    }
    // A text without macros was checked when it was written.
    let delay = changes.delay.as_deref().unwrap_or(&prototype.delay);
    if let Some(delay) = expanded(delay).filter(|it| has_interval(prototype) && !is_delay(it)) {
        return Some(format!("Invalid update interval \"{delay}\"."));
    }
    let history = changes.history.as_deref().unwrap_or(&prototype.history);
    let trends = changes.trends.as_deref().unwrap_or(&prototype.trends);
    for (what, text, min_s) in [("history", history, 3_600), ("trends", trends, 86_400)] {
        if let Some(period) = expanded(text).filter(|it| !is_period(it, min_s)) {
            // Two spaces, as in Zabbix: clients match the text.
            return Some(format!("invalid {what} storage period  \"{period}\"."));
        }
    }
    None
}

/// As [`wrong_item`], of a trigger, with its name in front.
pub(super) fn wrong_trigger(name: &str) -> Option<String> {
    wrong_name(name, NAME_CHARS_MAX)
}

/// As [`wrong_trigger`], of a graph.
pub(super) fn wrong_graph(name: &str) -> Option<String> {
    const GRAPH_NAME_CHARS_MAX: usize = 128;
    wrong_name(name, GRAPH_NAME_CHARS_MAX)
}

fn wrong_name(name: &str, chars_max: usize) -> Option<String> {
    if name.is_empty() {
        return Some(": name is empty.".to_owned());
    }
    is_longer(name, chars_max).then(|| format!(" \"{}\": name is too long.", shortened(name)))
}

/// A long value as an error shows it.
fn shortened(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    format!("{shown}...")
}

fn is_longer(text: &str, chars_max: usize) -> bool {
    chars_max < text.len() && chars_max < text.chars().count()
}

fn has_interval(item: &ItemContent) -> bool {
    let is_active = item.kind == ItemType::ZabbixAgentActive;
    let follows_events = is_active && item.key_.starts_with("mqtt.get[");
    (item.kind.is_polled() || is_active) && !follows_events
}

/// User macros in it are resolved when the item is checked.
fn is_delay(text: &str) -> bool {
    text != "0" && text != "0s" && lang::interval::validate(text).is_ok()
}

fn is_period(text: &str, min_s: u64) -> bool {
    let is_macro = text.starts_with("{$") && text.ends_with('}');
    is_macro
        || formats::number::parse_duration_s(text)
            .is_some_and(|it| it == 0 || (min_s..=PERIOD_MAX_S).contains(&it))
}
