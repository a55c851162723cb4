//! Forms of texts that settings have: periods, colors, words. Errors are Zabbix's.

use std::borrow::Cow;

use formats::number::parse_duration_s;
use lang::macros::UserMacro;
use lang::time_period::TimePeriod;
use model::document::Body;
use model::field_path::FieldPath;
use serde_json::Value as Json;

use crate::error::ConfigError;

const DAY: u64 = 86_400;
const YEAR: u64 = 365 * DAY;

/// What a text has to look like.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Seconds, or a number with a unit, from and to.
    Period(u64, u64),
    /// As [`Form::Period`], or 0.
    PeriodOrZero(u64, u64),
    /// As [`Form::Period`], or a user macro.
    PeriodOrMacro(u64, u64),
    /// As [`Form::Period`], with months and years among the units.
    LongPeriod(u64, u64),
    /// Six hexadecimal digits.
    Color,
    /// One of these.
    Word(&'static [&'static str]),
    /// Times of the week, or a user macro.
    TimesOfWeek,
    /// `system`, or the name of a time zone.
    Zone,
    NotEmpty,
}

/// Checks the fields of a body that is at the root of its request.
pub(super) fn check(forms: &[(&str, Form)], body: &Body) -> Result<(), ConfigError> {
    for (name, form) in forms {
        let Some(text) = body.get(*name).and_then(Json::as_str) else { continue };
        if let Some(what) = form.fault(text) {
            return Err(ConfigError::invalid(FieldPath::root().member(name), what));
        }
    }
    Ok(())
}

impl Form {
    /// What is wrong with a text.
    fn fault(self, text: &str) -> Option<String> {
        let may_be_empty = matches!(self, Self::Word(it) if it.contains(&""));
        if text.is_empty() && !may_be_empty {
            return Some("cannot be empty".to_owned());
        }
        let is_macro = || UserMacro::parse_definition(text).is_some();
        match self {
            Self::Period(min, max) => period(parse_duration_s(text), (min, max), ""),
            Self::PeriodOrZero(min, max) => match parse_duration_s(text) {
                Some(0) => None,
                seconds => period(seconds, (min, max), "0, "),
            },
            Self::PeriodOrMacro(_, _) if is_macro() => None,
            Self::PeriodOrMacro(min, max) => period(parse_duration_s(text), (min, max), ""),
            Self::LongPeriod(min, max) => period(long_period_s(text), (min, max), ""),
            Self::Color => {
                let is_color = text.len() == 6 && text.bytes().all(|it| it.is_ascii_hexdigit());
                (!is_color).then(|| "a hexadecimal color code (6 symbols) is expected".to_owned())
            }
            Self::Word(words) if words.contains(&text) => None,
            Self::Word(words) => Some(format!("value must be one of \"{}\"", words.join("\", \""))),
            Self::TimesOfWeek => (!is_macro() && TimePeriod::parse(text).is_none())
                .then(|| "a time period is expected".to_owned()),
            Self::Zone => super::sla::zone_or_system(text).err().map(Cow::into_owned),
            Self::NotEmpty => None,
        }
    }
}

fn period(seconds: Option<u64>, (min, max): (u64, u64), beside: &str) -> Option<String> {
    match seconds {
        None => Some("a time unit is expected".to_owned()),
        Some(it) if (min..=max).contains(&it) => None,
        Some(_) => Some(format!("value must be one of {beside}{min}-{max}")),
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
            (Form::Period(60, DAY), &["60", "1m", "1d", "24h"][..]),
            (Form::PeriodOrZero(DAY, YEAR), &["0", "0s", "1w"]),
            (Form::PeriodOrMacro(1, 600), &["600s", "{$T}", "{$T:\"a\"}"]),
            (Form::LongPeriod(60, 10 * YEAR), &["1h", "2M", "10y"]),
            (Form::Color, &["00aaFF"]),
            (Form::Word(&["", "a"]), &["", "a"]),
            (Form::TimesOfWeek, &["1-5,09:00-18:00", "1,0:00-1:00;7,1:00-24:00", "{$WORK}"]),
            (Form::Zone, &["system", "Europe/Riga"]),
            (Form::NotEmpty, &["x"]),
        ];
        for (form, texts) in good {
            texts.iter().for_each(|it| assert_eq!(form.fault(it), None, "{form:?} {it}"));
        }
        let bad = [
            (Form::Period(60, DAY), "59", "value must be one of 60-86400"),
            (Form::Period(60, DAY), "", "cannot be empty"),
            (Form::Period(60, DAY), "1M", "a time unit is expected"),
            (Form::Period(60, DAY), "{$T}", "a time unit is expected"),
            (Form::PeriodOrZero(DAY, YEAR), "1h", "value must be one of 0, 86400-31536000"),
            (Form::PeriodOrMacro(1, 600), "601s", "value must be one of 1-600"),
            (Form::LongPeriod(60, YEAR), "y", "a time unit is expected"),
            (Form::LongPeriod(60, YEAR), "99999999999999999999y", "a time unit is expected"),
            (Form::Color, "00AAF", "a hexadecimal color code (6 symbols) is expected"),
            (Form::Color, "äää", "a hexadecimal color code (6 symbols) is expected"),
            (Form::Word(&["a", "b"]), "c", "value must be one of \"a\", \"b\""),
            (Form::TimesOfWeek, "1-5", "a time period is expected"),
            (Form::NotEmpty, "", "cannot be empty"),
        ];
        for (form, text, fault) in bad {
            assert_eq!(form.fault(text).as_deref(), Some(fault), "{form:?} {text}");
        }
    }
}
