//! Forms of texts that fields have: periods, colors, times. Errors are Zabbix's.

use std::borrow::Cow;

use formats::number::parse_duration_s;
use jiff::tz::TimeZone;
use lang::macros::UserMacro;
use lang::time_period::TimePeriod;
use model::describe::Form;
use model::document::Body;
use serde_json::Value as Json;

const DAY: u64 = 86_400;
const YEAR: u64 = 365 * DAY;

type Judged = Result<(), Cow<'static, str>>;

const PERIOD: &str = "seconds, or a number with one of the units s, m, h, d and w";

/// Seconds, or a number with a unit.
pub(super) const fn period<const MIN: u64, const MAX: u64>() -> Form {
    Form::new("period", PERIOD, |text| within(parse_duration_s(text), (MIN, MAX), ""))
        .within(MIN, MAX)
}

/// As [`period`], or 0.
pub(super) const fn period_or_zero<const MIN: u64, const MAX: u64>() -> Form {
    let doc = "0, or seconds, or a number with one of the units s, m, h, d and w";
    let judge = |text: &str| match parse_duration_s(text) {
        Some(0) => Ok(()),
        seconds => within(seconds, (MIN, MAX), "0, "),
    };
    Form::new("period-or-0", doc, judge).within(MIN, MAX)
}

/// As [`period`], or a user macro.
pub(super) const fn period_or_macro<const MIN: u64, const MAX: u64>() -> Form {
    let doc = "seconds, or a number with one of the units s, m, h, d and w, or a user macro";
    let judge = |text: &str| match UserMacro::parse_definition(text) {
        Some(_) => Ok(()),
        None => within(parse_duration_s(text), (MIN, MAX), ""),
    };
    Form::new("period-or-macro", doc, judge).within(MIN, MAX)
}

/// As [`period`], with months and years among the units.
pub(super) const fn long_period<const MIN: u64, const MAX: u64>() -> Form {
    let doc =
        "seconds, or a number with one of the units s, m, h, d, w, M (30 days) and y (365 days)";
    Form::new("long-period", doc, |text| within(long_period_s(text), (MIN, MAX), ""))
        .within(MIN, MAX)
}

/// A color.
pub(super) const COLOR: Form = Form::new("color", "six hexadecimal digits", |text| {
    let is_color = text.len() == 6 && text.bytes().all(|it| it.is_ascii_hexdigit());
    if is_color { Ok(()) } else { Err("a hexadecimal color code (6 symbols) is expected".into()) }
});

/// Times of the week, or a user macro.
pub(super) const TIMES_OF_WEEK: Form = Form::new(
    "times-of-week",
    "days and times such as `1-5,09:00-18:00`, several with `;` between, or a user macro",
    |text| {
        let is_good =
            UserMacro::parse_definition(text).is_some() || TimePeriod::parse(text).is_some();
        if is_good { Ok(()) } else { Err("a time period is expected".into()) }
    },
);

/// `system`, or the name of a time zone.
pub(super) const ZONE_OR_SYSTEM: Form =
    Form::new("time-zone", "a time zone such as `Europe/Riga`, or `system`", |text| {
        if text == "system" { Ok(()) } else { time_zone(text) }
    });

/// A name as the database of time zones writes it.
///
/// # Errors
/// If it is no such name.
pub fn time_zone(name: &str) -> Result<(), Cow<'static, str>> {
    let is_known = |it: TimeZone| it.iana_name() == Some(name);
    if TimeZone::get(name).is_ok_and(is_known) {
        Ok(())
    } else {
        Err("a time zone is expected".into())
    }
}

fn within(seconds: Option<u64>, (min, max): (u64, u64), others: &str) -> Judged {
    match seconds {
        None => Err("a time unit is expected".into()),
        Some(it) if (min..=max).contains(&it) => Ok(()),
        Some(_) => Err(format!("value must be one of {others}{min}-{max}").into()),
    }
}

/// A period that may be of months (30 days) or years.
pub(super) fn long_period_s(text: &str) -> Option<u64> {
    let unit = [('M', 30 * DAY), ('y', YEAR)];
    let long = unit.iter().find_map(|(unit, factor)| Some((text.strip_suffix(*unit)?, factor)));
    match long {
        Some((number, factor)) if number.bytes().all(|it| it.is_ascii_digit()) => {
            number.parse::<u64>().ok()?.checked_mul(*factor)
        }
        Some(_) => None,
        None => parse_duration_s(text),
    }
}

/// Seconds of a field that was checked; `None` if it holds none.
pub(super) fn seconds(body: &Body, name: &str) -> Option<i64> {
    let text = body.get(name).and_then(Json::as_str)?;
    i64::try_from(parse_duration_s(text)?).ok()
}

/// A switch.
pub(super) fn is_on(body: &Body, name: &str) -> bool {
    body.get(name).and_then(Json::as_str) == Some("1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_takes_what_zabbix_takes() {
        let good = [
            (period::<60, DAY>(), &["60", "1m", "1d", "24h"][..]),
            (period_or_zero::<DAY, YEAR>(), &["0", "0s", "1w"]),
            (period_or_macro::<1, 600>(), &["600s", "{$T}", "{$T:\"a\"}"]),
            (long_period::<60, { 10 * YEAR }>(), &["1h", "2M", "10y"]),
            (COLOR, &["00aaFF"]),
            (TIMES_OF_WEEK, &["1-5,09:00-18:00", "1,0:00-1:00;7,1:00-24:00", "{$WORK}"]),
            (ZONE_OR_SYSTEM, &["system", "Europe/Riga"]),
        ];
        for (form, texts) in good {
            for text in texts {
                assert_eq!((form.judge)(text), Ok(()), "{}: {text}", form.name);
            }
        }
        let bad = [
            (period::<60, DAY>(), "59", "value must be one of 60-86400"),
            (period::<60, DAY>(), "1M", "a time unit is expected"),
            (period::<60, DAY>(), "{$T}", "a time unit is expected"),
            (period_or_zero::<DAY, YEAR>(), "1h", "value must be one of 0, 86400-31536000"),
            (period_or_macro::<1, 600>(), "601s", "value must be one of 1-600"),
            (long_period::<60, YEAR>(), "y", "a time unit is expected"),
            (long_period::<60, YEAR>(), "99999999999999999999y", "a time unit is expected"),
            (COLOR, "00AAF", "a hexadecimal color code (6 symbols) is expected"),
            (COLOR, "äää", "a hexadecimal color code (6 symbols) is expected"),
            (TIMES_OF_WEEK, "1-5", "a time period is expected"),
            (ZONE_OR_SYSTEM, "Riga", "a time zone is expected"),
        ];
        for (form, text, fault) in bad {
            assert_eq!((form.judge)(text), Err(fault.into()), "{}: {text}", form.name);
        }
    }
}
