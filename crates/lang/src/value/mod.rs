//! Values as people read them: with units and value maps; comparing values of different kinds.

mod compare;
mod map;
mod units;

use jiff::tz::TimeZone;
use model::Value;
use model::content::ValueMapping;

use crate::number;

pub use compare::{Comparable, compare};
pub use map::mapped;
pub use units::with_units;

/// The value as text: mapped (`Up (1)`), else with units (`14.31 MB`).
#[must_use]
pub fn format(value: &Value, units: &str, map: &[ValueMapping], zone: &TimeZone) -> String {
    if let Some(name) = mapped(value, map) {
        return format!("{name} ({})", plain(value));
    }
    match value {
        Value::Text(it) => it.to_string(),
        Value::Log(it) => it.value.clone(),
        Value::Float(it) => with_units(*it, &plain(value), units, zone),
        Value::Unsigned(it) => with_units(number::u64_to_f64(*it), &plain(value), units, zone),
    }
}

/// The value as text without map and units.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::Text(it) => it.to_string(),
        Value::Log(it) => it.value.clone(),
        Value::Float(it) => number::format_f64(*it),
        Value::Unsigned(it) => it.to_string(),
    }
}
