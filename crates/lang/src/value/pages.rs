//! Values as Zabbix's pages and API show them: in operational data, in descriptions of triggers.
//!
//! They differ from the values in names of events ([`super::format`]): prefixes go up to `Y`, small
//! numbers keep their first digits, points of time have dashes, long texts are cut.

use jiff::tz::TimeZone;
use model::content::ValueMapping;
use model::{Value, ValueType};

use super::map::mapped_at_last;
use crate::calendar;
use formats::number;

/// Characters of a text.
const TEXT_MAX: usize = 20;
/// Units whose numbers get no prefix.
const WITHOUT_PREFIX: [&str; 4] = ["%", "ms", "rpm", "RPM"];
const PREFIXES: [&str; 9] = ["", "K", "M", "G", "T", "P", "E", "Z", "Y"];
/// Decimals of numbers without prefix, and with one.
const DECIMALS: i32 = 4;
const DECIMALS_PREFIXED: i32 = 2;
/// The significant digits that a float keeps.
const DIGITS: i32 = 15;

/// The value with its units, after the name that the item's value map has for it.
#[must_use]
pub fn on_pages(
    value: &Value,
    kind: ValueType,
    units: &str,
    map: &[ValueMapping],
    zone: &TimeZone,
) -> String {
    let has_map = kind.is_numeric() || kind == ValueType::Char;
    let name = if has_map { mapped_at_last(value, map) } else { None };
    let shown = match value {
        Value::Text(_) | Value::Log(_) => cut(&super::plain(value)),
        Value::Float(it) => with_units(*it, units, zone),
        Value::Unsigned(it) => with_units(number::u64_to_f64(*it), units, zone),
    };
    match name {
        Some(name) => format!("{name} ({shown})"),
        None => shown,
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}

fn with_units(value: f64, units: &str, zone: &TimeZone) -> String {
    match units {
        "unixtime" => return date(value, zone),
        "uptime" => return uptime(value),
        "s" => return duration(value),
        _ => {}
    }
    let (units, is_kept) = match units.strip_prefix('!') {
        Some(units) => (units, true),
        None => (units, units.is_empty() || WITHOUT_PREFIX.contains(&units)),
    };
    let joined = |number: String, prefix: &str| match (prefix, units) {
        ("", "") => number,
        (prefix, units) => format!("{number} {prefix}{units}"),
    };
    if is_kept || value.abs() < 1.0 {
        return joined(decimal(value, DECIMALS), "");
    }
    let base: f64 = if units == "B" || units == "Bps" { 1_024.0 } else { 1_000.0 };
    let (mut scaled, mut decimals) = (value, DECIMALS);
    let mut last = ("0".to_owned(), "");
    for prefix in PREFIXES {
        let number = decimal(scaled, decimals);
        let is_small = number::parse_f64(&number).is_some_and(|it| it.abs() < base);
        last = (number, prefix);
        if is_small {
            break;
        }
        scaled /= base;
        decimals = DECIMALS_PREFIXED;
    }
    let (number, prefix) = last;
    joined(number, prefix)
}

fn date(value: f64, zone: &TimeZone) -> String {
    if value == 0.0 {
        return "Never".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "what has no such time saturates")]
    let clock = value as i64;
    let wall = calendar::local(clock, zone).map(|it| it.0);
    wall.map_or_else(|| decimal(value, 0), |it| it.strftime("%Y-%m-%d %I:%M:%S %p").to_string())
}

/// `2 days, 03:04:05`.
fn uptime(value: f64) -> String {
    let value = value.round();
    let size = value.abs();
    let days = (size / 86_400.0).floor();
    let sign = if value < 0.0 { "-" } else { "" };
    let days_text = match days {
        0.0 => String::new(),
        1.0 => "1 day".to_owned(),
        _ => format!("{} days", decimal(days, 0)),
    };
    // Numbers of more digits are not precise enough for less than days.
    if 1e15 <= size {
        return format!("{sign}{days_text}");
    }
    let rest = number::f64_to_u64(size - days * 86_400.0).unwrap_or(0);
    let comma = if days_text.is_empty() { "" } else { ", " };
    let (hours, minutes) = (rest / 3_600, rest / 60 % 60);
    format!("{sign}{days_text}{comma}{hours:02}:{minutes:02}:{:02}", rest % 60)
}

/// How long ago something was: `1d 2h 3m`.
#[must_use]
pub fn age(seconds: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "seconds of some years")]
    duration(seconds as f64)
}

const YEAR_S: f64 = 31_536_000.0;
const MONTH_S: f64 = 2_592_000.0;

/// The three largest parts next to each other: `4y 7M 26d`, `20s 4.56ms`.
fn duration(value: f64) -> String {
    let size = value.abs();
    let mut rest = size.floor();
    let mut take = |of: f64| {
        let n = (rest / of).floor();
        rest -= n * of;
        n
    };
    let years = take(YEAR_S);
    let mut parts: Vec<(f64, &str)> = vec![(years, "y")];
    let mut first = (years > 0.0).then_some(0);
    let months = take(MONTH_S);
    // The last five days of a year are no thirteenth month.
    if 12.0 <= months {
        return joined(&[(years + 1.0, "y")], value);
    }
    // Above this number of years the months are not known.
    if 1e15 < years {
        return joined(&parts, value);
    }
    parts.push((months, "M"));
    if first.is_none() && months > 0.0 {
        first = Some(1);
    }
    for (level, (unit, of)) in (2..).zip([("d", 86_400.0), ("h", 3_600.0), ("m", 60.0), ("s", 1.0)])
    {
        if first.is_some_and(|it| it + 2 < level) {
            break;
        }
        let n = take(of);
        parts.push((n, unit));
        // Seconds without anything larger have milliseconds.
        if first.is_none() && n > 0.0 {
            first = Some(level);
        }
    }
    if first.is_none_or(|it| 4 <= it) {
        parts.push((size.fract() * 1_000.0, "ms"));
    }
    joined(&parts, value)
}

fn joined(parts: &[(f64, &str)], value: f64) -> String {
    let shown = parts.iter().map(|(n, unit)| (decimal(*n, DECIMALS_PREFIXED), unit));
    let shown: Vec<String> =
        shown.filter(|(n, _)| n != "0").map(|(n, unit)| format!("{n}{unit}")).collect();
    let sign = if value < 0.0 { "-" } else { "" };
    if shown.is_empty() { "0".to_owned() } else { format!("{sign}{}", shown.join(" ")) }
}

/// A number of at most 15 digits as sign, digits (the first one not 0, no 0 at the end) and the
/// exponent of the first one; no digits: 0.
struct Digits {
    is_negative: bool,
    digits: Vec<u8>,
    exponent: i32,
}

impl Digits {
    fn of(value: f64) -> Self {
        let text = format!("{:.14e}", value.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or(("0", "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|it| it - b'0').collect();
        let exponent = exponent.parse().unwrap_or(0);
        Self { is_negative: value < 0.0, digits, exponent }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let n = self.digits.iter().rposition(|it| *it != 0).map_or(0, |it| it + 1);
        self.digits.truncate(n);
        self
    }

    /// Rounds half away from zero, to this number of decimals (negative: to tens, hundreds, …).
    fn rounded(mut self, decimals: i32) -> Self {
        let Ok(n) = usize::try_from(self.exponent + 1 + decimals) else {
            self.digits.clear();
            return self;
        };
        if self.digits.len() <= n {
            return self;
        }
        let is_up = self.digits.get(n).is_some_and(|it| 5 <= *it);
        self.digits.truncate(n);
        if is_up {
            match self.digits.iter().rposition(|it| *it != 9) {
                Some(at) => {
                    self.digits.truncate(at + 1);
                    self.digits[at] += 1;
                }
                None => {
                    self.digits = vec![1];
                    self.exponent += 1;
                }
            }
        }
        self.trimmed()
    }

    fn len(&self) -> i32 {
        i32::try_from(self.digits.len()).unwrap_or(i32::MAX)
    }

    fn text(&self) -> String {
        self.digits.iter().map(|it| char::from(b'0' + it)).collect()
    }

    /// `1.5E-20`, with this number of decimals.
    fn scientific(self, decimals: i32) -> String {
        let exponent = self.exponent;
        let it = self.rounded(decimals - exponent);
        let digits = it.text();
        let wanted = usize::try_from(decimals.max(0)).unwrap_or(0);
        let (first, rest) = digits.split_at(1);
        let sign = if it.is_negative { "-" } else { "" };
        let power = format!("E{}{}", if it.exponent < 0 { '-' } else { '+' }, it.exponent.abs());
        if wanted == 0 {
            format!("{sign}{first}{power}")
        } else {
            format!("{sign}{first}.{rest:0<wanted$}{power}")
        }
    }

    fn fixed(self, decimals: i32) -> String {
        let it = self.rounded(decimals);
        if it.digits.is_empty() {
            return "0".to_owned();
        }
        let digits = it.text();
        let sign = if it.is_negative { "-" } else { "" };
        let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
        if it.exponent < 0 {
            return format!("{sign}0.{}{digits}", zeros(-it.exponent - 1));
        }
        let point = usize::try_from(it.exponent + 1).unwrap_or(0);
        match digits.split_at_checked(point) {
            Some((whole, "")) => format!("{sign}{whole}"),
            Some((whole, rest)) => format!("{sign}{whole}.{rest}"),
            None => format!("{sign}{digits}{}", zeros(it.exponent + 1 - it.len())),
        }
    }
}

/// A number with at most this number of decimals; of one below 1 its first digits count instead, up to 15
/// after the point.
fn decimal(value: f64, decimals: i32) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let it = Digits::of(value);
    if it.digits.is_empty() {
        return "0".to_owned();
    }
    let exponent = it.exponent;
    if exponent < 0 {
        let mut it = it.rounded(decimals - exponent - 1);
        if DIGITS < it.len() - exponent {
            it = Digits::of(value).rounded(decimals - exponent);
        }
        let behind = it.len() - it.exponent - 1;
        return if it.digits.is_empty() {
            "0".to_owned()
        } else if it.exponent >= 0 {
            it.fixed(decimals)
        } else if behind < DIGITS {
            it.fixed(behind)
        } else {
            let n = (it.len() - 1).min(decimals);
            it.scientific(n)
        };
    }
    if DIGITS <= exponent {
        let it = it.rounded(decimals - exponent);
        let n = (it.len() - 1).min(decimals);
        return it.scientific(n);
    }
    let it = it.rounded(decimals.min(DIGITS - exponent - 1));
    if DIGITS <= it.exponent {
        let n = (it.len() - 1).min(decimals);
        return it.scientific(n);
    }
    it.fixed(decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_units() {
        // The results of `convertUnits` of Zabbix's pages; times as since 7.0.
        for (value, units, text) in CASES {
            assert_eq!(with_units(*value, units, &TimeZone::UTC), *text, "{value} {units}");
        }
    }

    #[test]
    fn texts_are_cut_and_maps_name_values() {
        let mapping = |kind, value: &str, newvalue: &str| ValueMapping {
            kind,
            value: value.to_owned(),
            newvalue: newvalue.to_owned(),
        };
        let map = [mapping(5, "", "other"), mapping(0, "20", "twenty"), mapping(4, "^ab", "ab")];
        let show = |value: &Value, kind| on_pages(value, kind, "B", &map, &TimeZone::UTC);
        let text = |it: &str| Value::Text(it.into());
        assert_eq!(show(&Value::Float(20.0), ValueType::Float), "twenty (20 B)");
        assert_eq!(show(&Value::Unsigned(2_048), ValueType::Unsigned), "other (2 KB)");
        assert_eq!(show(&text("abc"), ValueType::Char), "ab (abc)");
        assert_eq!(show(&text("abc"), ValueType::Text), "abc");
        let long = "12345678901234567890";
        assert_eq!(show(&text(long), ValueType::Text), long);
        assert_eq!(show(&text("1234567890123456789ü1"), ValueType::Log), "1234567890123456789ü...");
    }

    const CASES: &[(f64, &str, &str)] = &[
        (0.0, "", "0"),
        (0.5, "", "0.5"),
        (0.333_333_333_333_333_3, "", "0.3333"),
        (1_000.0, "", "1000"),
        (1_000_000_000_000_000.0, "", "1E+15"),
        (1.5e16, "", "1.5E+16"),
        (1e18, "", "1E+18"),
        (1e21, "", "1E+21"),
        (8.470329472543003e23, "", "8.4703E+23"),
        (1e24, "", "1E+24"),
        (1e27, "", "1E+27"),
        (1e30, "", "1E+30"),
        (1.234567e-5, "", "0.00001235"),
        (1e-9, "", "0.000000001"),
        (1.23456789e-12, "", "1.2346E-12"),
        (1.5e-14, "", "1.5E-14"),
        (1.5e-15, "", "1.5E-15"),
        (1.5e-16, "", "1.5E-16"),
        (1e-20, "", "1E-20"),
        (1.2345678901234568e17, "", "1.2346E+17"),
        (0.004_56, "", "0.00456"),
        (0.000_5, "", "0.0005"),
        (59.999_9, "", "59.9999"),
        (31_103_999.0, "", "31103999"),
        (2.675, "", "2.675"),
        (0.999_99, "", "1"),
        (0.999_999, "", "1"),
        (999_999.999_99, "", "1000000"),
        (-4e-5, "", "-0.00004"),
        (12_345.678_949, "", "12345.6789"),
        (1.8446744073709552e19, "", "1.8447E+19"),
        (0.0, "B", "0 B"),
        (20.0, "B", "20 B"),
        (0.5, "B", "0.5 B"),
        (33.333_333_333, "B", "33.3333 B"),
        (999.999_99, "B", "1000 B"),
        (1_023.999, "B", "1023.999 B"),
        (1_025.0, "B", "1 KB"),
        (1_000_000.0, "B", "976.56 KB"),
        (-1_234_567.891, "B", "-1.18 MB"),
        (1.5e16, "B", "13.32 PB"),
        (1e21, "B", "867.36 EB"),
        (1e24, "B", "847.03 ZB"),
        (1e30, "B", "827180.61 YB"),
        (1e-9, "B", "0.000000001 B"),
        (1.5e-14, "B", "1.5E-14 B"),
        (1.5e-16, "B", "1.5E-16 B"),
        (1.2345678901234568e17, "B", "109.65 PB"),
        (0.004_56, "B", "0.00456 B"),
        (59.999_9, "B", "59.9999 B"),
        (61.0, "B", "61 B"),
        (3_661.0, "B", "3.58 KB"),
        (86_400.0, "B", "84.38 KB"),
        (2_592_000.0, "B", "2.47 MB"),
        (31_104_000.0, "B", "29.66 MB"),
        (31_536_000.0, "B", "30.08 MB"),
        (10_000_000_000.0, "B", "9.31 GB"),
        (1_700_000_000.7, "B", "1.58 GB"),
        (2.675, "B", "2.675 B"),
        (0.999_999, "B", "1 B"),
        (999_999.999_99, "B", "976.56 KB"),
        (-59.5, "B", "-59.5 B"),
        (12_345.678_949, "B", "12.06 KB"),
        (1.0, "%", "1 %"),
        (0.5, "%", "0.5 %"),
        (99.999_99, "%", "100 %"),
        (1_023.999, "%", "1023.999 %"),
        (1_536.0, "%", "1536 %"),
        (-1_234_567.891, "%", "-1234567.891 %"),
        (1.234567e-5, "%", "0.00001235 %"),
        (1.5e-14, "%", "1.5E-14 %"),
        (1e-20, "%", "1E-20 %"),
        (0.004_56, "%", "0.00456 %"),
        (60.0, "%", "60 %"),
        (90_061.0, "%", "90061 %"),
        (1_700_000_000.7, "%", "1700000000.7 %"),
        (0.999_99, "%", "1 %"),
        (100_000.0, "%", "100000 %"),
        (0.0, "s", "0"),
        (20.0, "s", "20s"),
        (0.5, "s", "500ms"),
        (33.333_333_333, "s", "33s 333.33ms"),
        (999.999_99, "s", "16m 39s 999.99ms"),
        (1_023.999, "s", "17m 3s 999ms"),
        (1_025.0, "s", "17m 5s"),
        (1_000_000.0, "s", "11d 13h 46m"),
        (-1_234_567.891, "s", "-14d 6h 56m"),
        (1.5e16, "s", "475646879y 9M 6d"),
        (1e21, "s", "31709791983764y 7M 3d"),
        (1e24, "s", "3.17E+16y"),
        (1e30, "s", "3.17E+22y"),
        (1e-9, "s", "0.000001ms"),
        (1.5e-14, "s", "0.000000000015ms"),
        (1.5e-16, "s", "0.00000000000015ms"),
        (1.2345678901234568e17, "s", "3914789098y 6M 26d"),
        (20.004_56, "s", "20s 4.56ms"),
        (0.004_56, "s", "4.56ms"),
        (59.999_9, "s", "59s 999.9ms"),
        (61.0, "s", "1m 1s"),
        (3_661.0, "s", "1h 1m 1s"),
        (86_400.0, "s", "1d"),
        (2_592_000.0, "s", "1M"),
        (31_104_000.0, "s", "1y"),
        (31_536_000.0, "s", "1y"),
        (10_000_000_000.0, "s", "317y 1M 5d"),
        (1_700_000_000.7, "s", "53y 11M"),
        (2.675, "s", "2s 675ms"),
        (0.999_999, "s", "1000ms"),
        (999_999.999_99, "s", "11d 13h 46m"),
        (-59.5, "s", "-59s 500ms"),
        (12_345.678_949, "s", "3h 25m 45s"),
        (20.0, "uptime", "00:00:20"),
        (0.333_333_333_333_333_3, "uptime", "00:00:00"),
        (999.999_99, "uptime", "00:16:40"),
        (1_024.0, "uptime", "00:17:04"),
        (1_000_000.0, "uptime", "11 days, 13:46:40"),
        (1e-9, "uptime", "00:00:00"),
        (1.5e-15, "uptime", "00:00:00"),
        (0.000_5, "uptime", "00:00:00"),
        (61.0, "uptime", "00:01:01"),
        (86_399.0, "uptime", "23:59:59"),
        (2_592_000.0, "uptime", "30 days, 00:00:00"),
        (31_535_999.0, "uptime", "364 days, 23:59:59"),
        (10_000_000_000.0, "uptime", "115740 days, 17:46:40"),
        (1.005, "uptime", "00:00:01"),
        (0.999_999, "uptime", "00:00:01"),
        (-4e-5, "uptime", "00:00:00"),
        (12_345.678_949, "uptime", "03:25:46"),
        (0.333_333_333_333_333_3, "unixtime", "1970-01-01 12:00:00 AM"),
        (1_024.0, "unixtime", "1970-01-01 12:17:04 AM"),
        (1e-9, "unixtime", "1970-01-01 12:00:00 AM"),
        (20.004_56, "unixtime", "1970-01-01 12:00:20 AM"),
        (3_600.0, "unixtime", "1970-01-01 01:00:00 AM"),
        (31_103_999.0, "unixtime", "1970-12-26 11:59:59 PM"),
        (1_700_000_000.7, "unixtime", "2023-11-14 10:13:20 PM"),
        (999_999.999_99, "unixtime", "1970-01-12 01:46:39 PM"),
        (0.0, "Bps", "0 Bps"),
        (1_000.0, "Bps", "1000 Bps"),
        (1.5e16, "Bps", "13.32 PBps"),
        (1.23456789e-12, "Bps", "1.2346E-12 Bps"),
        (59.999_9, "Bps", "59.9999 Bps"),
        (31_103_999.0, "Bps", "29.66 MBps"),
        (2.675, "Bps", "2.675 Bps"),
        (1.8446744073709552e19, "Bps", "16 EBps"),
        (999.999_99, "bps", "1 Kbps"),
        (1_000_000_000_000_000.0, "bps", "1 Pbps"),
        (1e-9, "bps", "0.000000001 bps"),
        (0.000_5, "bps", "0.0005 bps"),
        (2_592_000.0, "bps", "2.59 Mbps"),
        (1.005, "bps", "1.005 bps"),
        (12_345.678_949, "bps", "12.35 Kbps"),
        (99.999_99, "!B", "100 B"),
        (-1_234_567.891, "!B", "-1234567.891 B"),
        (1.234567e-5, "!B", "0.00001235 B"),
        (0.004_56, "!B", "0.00456 B"),
        (90_061.0, "!B", "90061 B"),
        (1_700_000_000.7, "!B", "1700000000.7 B"),
        (100_000.0, "!B", "100000 B"),
        (33.333_333_333, "ms", "33.3333 ms"),
        (2_500_000.0, "ms", "2500000 ms"),
        (1e30, "ms", "1E+30 ms"),
        (20.004_56, "ms", "20.0046 ms"),
        (86_400.0, "ms", "86400 ms"),
        (1_700_000_000.0, "ms", "1700000000 ms"),
        (-59.5, "ms", "-59.5 ms"),
        (0.333_333_333_333_333_3, "rpm", "0.3333 rpm"),
        (1_000_000.0, "rpm", "1000000 rpm"),
        (1e27, "rpm", "1E+27 rpm"),
        (1.2345678901234568e17, "rpm", "1.2346E+17 rpm"),
        (86_399.0, "rpm", "86399 rpm"),
        (10_000_000_000.0, "rpm", "10000000000 rpm"),
        (-4e-5, "rpm", "-0.00004 rpm"),
        (0.5, "x", "0.5 x"),
        (1_536.0, "x", "1.54 Kx"),
        (1e24, "x", "1 Yx"),
        (1e-20, "x", "1E-20 x"),
        (3_661.0, "x", "3.66 Kx"),
        (63_072_000.0, "x", "63.07 Mx"),
        (999_999.999_99, "x", "1 Mx"),
        (-1.0, "!", "-1"),
        (1_025.0, "!", "1025"),
        (8.470329472543003e23, "!", "8.4703E+23"),
        (1.5e-16, "!", "1.5E-16"),
        (3_600.0, "!", "3600"),
        (31_536_000.0, "!", "31536000"),
        (999_999.0, "!", "999999"),
    ];
}
