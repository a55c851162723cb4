//! Numbers with their units.

use jiff::tz::TimeZone;

use crate::calendar;
use formats::number;

/// Units whose numbers get no prefix.
const WITHOUT_PREFIX: &[&str] = &["%", "ms", "rpm", "RPM"];
/// Units that count in powers of 1,024.
const BINARY: &[&str] = &["B", "Bps"];
const YEAR_S: f64 = 31_536_000.0;
const MONTH_S: f64 = 2_592_000.0;
/// Parts of a duration that are shown: the largest and the two below it.
const DURATION_PARTS: usize = 3;

/// `value` (whose plain text is `plain`) with `units`: prefixes K M G T, durations for `s` and
/// `uptime`; `!unit` shows the unit as it is.
#[must_use]
pub fn with_units(value: f64, plain: &str, units: &str) -> String {
    match units {
        "" => plain.to_owned(),
        "uptime" => uptime(value),
        "s" => duration(value),
        units => match units.strip_prefix('!') {
            Some(unit) => format!("{} {unit}", two_decimals(value)),
            None => prefixed(value, units),
        },
    }
}

fn prefixed(value: f64, units: &str) -> String {
    let base: f64 = if BINARY.contains(&units) { 1024.0 } else { 1000.0 };
    let size = value.abs();
    let prefixes: &[(&str, i32)] = &[("T", 4), ("G", 3), ("M", 2), ("K", 1)];
    let fits = |it: &&(&str, i32)| size >= base.powi(it.1);
    let found = if WITHOUT_PREFIX.contains(&units) { None } else { prefixes.iter().find(fits) };
    let (prefix, power) = found.copied().unwrap_or(("", 0));
    format!("{} {prefix}{units}", two_decimals(value / base.powi(power)))
}

/// At most two decimals, none of them a trailing zero.
fn two_decimals(value: f64) -> String {
    // Zero has no sign, a number that is rounded to zero has.
    let text = format!("{:.2}", value + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `4y 7M 26d`, `1s 156ms`.
fn duration(value: f64) -> String {
    let units: [(&str, f64); 7] = [
        ("y", YEAR_S),
        ("M", MONTH_S),
        ("d", 86_400.0),
        ("h", 3_600.0),
        ("m", 60.0),
        ("s", 1.0),
        ("ms", 0.001),
    ];
    // Whole milliseconds, so that 1.156 does not become 155.999.
    let mut rest = (value.abs() * 1000.0).round() / 1000.0;
    if value.abs() < 0.001 {
        return if value == 0.0 { "0s" } else { "< 1ms" }.to_owned();
    }
    let first = units.iter().position(|(_, size)| rest >= *size).unwrap_or(units.len() - 1);
    let mut parts = Vec::new();
    for (name, size) in units.iter().skip(first).take(DURATION_PARTS) {
        let n = (rest / size + 1e-6).floor();
        rest = (rest - n * size).max(0.0);
        if n > 0.0 {
            parts.push(format!("{n:.0}{name}"));
        }
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", parts.join(" "))
}

/// `2 days, 03:04:05`.
fn uptime(value: f64) -> String {
    let seconds = number::f64_to_u64(value.abs().round()).unwrap_or(0);
    let days = seconds / 86_400;
    let days = match days {
        0 => String::new(),
        1 => "1 day, ".to_owned(),
        days => format!("{days} days, "),
    };
    let sign = if value < 0.0 { "-" } else { "" };
    let (hours, minutes) = (seconds / 3_600 % 24, seconds / 60 % 60);
    format!("{sign}{days}{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

/// Seconds since 1970 as a local date and time; `None` outside of the calendar.
pub(super) fn date(clock: u64, zone: &TimeZone) -> Option<String> {
    let (wall, _) = calendar::local(i64::try_from(clock).ok()?, zone)?;
    Some(wall.strftime("%Y.%m.%d %H:%M:%S").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_scale_and_durations_split() {
        for (value, units, text) in [
            (0.0, "B", "0 B"),
            (1024.0, "B", "1 KB"),
            (1500.0, "bps", "1.5 Kbps"),
            (-2_000_000.0, "x", "-2 Mx"),
            (99.999, "%", "100 %"),
            (3661.0, "s", "1h 1m 1s"),
            (86_400.0, "s", "1d"),
            (-90.5, "s", "-1m 30s 500ms"),
            (90_061.0, "uptime", "1 day, 01:01:01"),
            (59.5, "uptime", "00:01:00"),
            (-86_400.0, "uptime", "-1 day, 00:00:00"),
            (0.0004, "s", "< 1ms"),
            (0.0, "s", "0s"),
            (0.001, "s", "1ms"),
            (25_000.156, "!Bps", "25000.16 Bps"),
            (15_000_000.0, "!B", "15000000 B"),
            (-0.001, "x", "-0 x"),
            (-0.0, "x", "0 x"),
        ] {
            assert_eq!(with_units(value, "", units), text);
        }
    }
}
