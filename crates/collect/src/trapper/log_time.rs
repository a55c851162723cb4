//! The time in a line of a log, by the format of its item.
//!
//! A format stands above the line, byte by byte: where it has `y`, `M`, `d`, `h`, `m` or `s`, the
//! line has a digit of year, month, day, hour, minute or second; everything else is skipped, and so
//! are characters that are no digits. Names of months cannot be read.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Leap seconds are the second before.
const SECOND_MAX: i16 = 59;

/// Seconds since 1970; `None`: year, month, day, hour or minute is missing, or they are no time.
/// Seconds may be left out.
pub(super) fn time_of(line: &str, format: &str, zone: &TimeZone) -> Option<i64> {
    let (mut year, mut month, mut day) = (None, None, None);
    let (mut hour, mut minute, mut second) = (None, None, None);
    for (what, digit) in format.bytes().zip(line.bytes()) {
        let part = match what {
            b'y' => &mut year,
            b'M' => &mut month,
            b'd' => &mut day,
            b'h' => &mut hour,
            b'm' => &mut minute,
            b's' => &mut second,
            _ => continue,
        };
        if digit.is_ascii_digit() {
            let before: i16 = part.unwrap_or(0);
            *part = Some(before.saturating_mul(10).saturating_add(i16::from(digit - b'0')));
        }
    }
    let small = |it: Option<i16>| i8::try_from(it?).ok();
    let second = small(Some(second.unwrap_or(0).min(SECOND_MAX)))?;
    let date =
        DateTime::new(year?, small(month)?, small(day)?, small(hour)?, small(minute)?, second, 0);
    let time = date.ok()?.to_zoned(zone.clone()).ok()?.timestamp().as_second();
    // 0 stands for an unknown time.
    (0 < time).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_below_the_letters_of_the_format_are_the_time() {
        let utc = TimeZone::UTC;
        for (line, format, expected) in [
            // The example of Zabbix's manual: the agent's own log.
            (
                " 23480:20100328:154718.045 Zabbix agent started",
                "pppppp:yyyyMMdd:hhmmss",
                Some(1_269_791_238),
            ),
            ("2026-11-26 08:05 up", "yyyy-MM-dd hh:mm", Some(1_795_680_300)),
            ("26/11/2026 08:05:60 x", "dd/MM/yyyy hh:mm:ss", Some(1_795_680_359)),
            // No minute, no such day, a name of a month, an empty line.
            ("2026-11-26 08", "yyyy-MM-dd hh:mm", None),
            ("2026-02-30 08:05", "yyyy-MM-dd hh:mm", None),
            ("Nov 26 08:05:00 2026", "MMM dd hh:mm:ss yyyy", None),
            ("no time", "yyyy-MM-dd hh:mm:ss", None),
            ("", "yyyy", None),
            ("99999999999999999999", "yyyyyyyyyyyyyyyyyyyy", None),
        ] {
            assert_eq!(time_of(line, format, &utc), expected, "{line}");
        }
        let east = TimeZone::fixed(jiff::tz::offset(2));
        let time = time_of("2026-11-26 08:05", "yyyy-MM-dd hh:mm", &east);
        assert_eq!(time, Some(1_795_680_300 - 7_200));
    }
}
