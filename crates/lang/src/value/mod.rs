//! Values as people read them: with units and value maps; comparing values of different kinds.

mod compare;
mod event_values;
mod map;
mod pages;
mod units;

use jiff::tz::TimeZone;
use model::Value;
use model::content::ValueMapping;

use formats::number;

pub use compare::{Comparable, compare};
pub use event_values::{read_values, value_macros, write_values};
pub use map::mapped;
pub use pages::{age, on_pages};
pub use units::with_units;

/// The unit of points of time, in seconds since 1970.
const UNIX_TIME: &str = "unixtime";

/// The value as text: mapped (`Up (1)`), else with units (`14.31 MB`).
#[must_use]
pub fn format(value: &Value, units: &str, map: &[ValueMapping], zone: &TimeZone) -> String {
    if let Some(name) = mapped(value, map) {
        return format!("{name} ({})", plain(value));
    }
    match value {
        Value::Text(it) => it.to_string(),
        Value::Log(it) => it.value.clone(),
        // Times are whole numbers: a float with this unit is shown like with any other.
        Value::Unsigned(it) if units == UNIX_TIME => {
            units::date(*it, zone).unwrap_or_else(|| plain(value))
        }
        Value::Float(it) => with_units(*it, &plain(value), units),
        Value::Unsigned(it) => with_units(number::u64_to_f64(*it), &plain(value), units),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_points_of_time() {
        let show = |value| format(&value, UNIX_TIME, &[], &TimeZone::UTC);
        assert_eq!(show(Value::Unsigned(86_400)), "1970.01.02 00:00:00");
        assert_eq!(show(Value::Unsigned(u64::MAX)), u64::MAX.to_string());
        assert_eq!(show(Value::Float(86_400.0)), "86.4 Kunixtime");
    }
}
