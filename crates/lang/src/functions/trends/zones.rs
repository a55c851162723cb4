//! Trend functions over days, weeks and months of zones with daylight saving and with hours that begin at another
//! minute: held against the calendar, hour by hour.

use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan as _};
use model::ValueType;

use super::*;
use crate::expression::Value;

/// Zones, each with a day around which the clock jumps, if it does. None that jumps over midnight (Chile): a
/// day without midnight begins where `mktime` says, an hour before.
const ZONES: &[(&str, (i16, i8, i8))] = &[
    ("UTC", (2026, 3, 1)),
    ("Europe/Berlin", (2026, 3, 29)),
    ("Europe/Berlin", (2026, 10, 25)),
    ("America/New_York", (2026, 3, 8)),
    ("America/New_York", (2026, 11, 1)),
    ("Asia/Kolkata", (2026, 6, 15)),
    ("Asia/Kathmandu", (2026, 6, 15)),
    ("America/St_Johns", (2026, 3, 8)),
    // The clock jumps by half an hour.
    ("Australia/Lord_Howe", (2026, 4, 5)),
    ("Australia/Lord_Howe", (2026, 10, 4)),
];
const DAYS_BEFORE: i64 = 40;
const DAYS: i64 = 60;

/// Hours around a jump, the hour's number as each of its values.
struct Trends {
    zone: TimeZone,
    first_day: Date,
    rows: Vec<HourlyTrend>,
}

impl Trends {
    fn around(zone: &str, (year, month, day): (i16, i8, i8)) -> Self {
        let zone = TimeZone::get(zone).expect("a zone");
        let first_day = Date::constant(year, month, day).saturating_sub(DAYS_BEFORE.days());
        let start = midnight(first_day, &zone) - 40 * 86_400;
        let first = start.div_euclid(HOUR_S);
        let rows = (first..first + (DAYS + 80) * 24).map(|hour| {
            let value = number::i64_to_f64(hour);
            let num = hour.rem_euclid(7).unsigned_abs() + 1;
            HourlyTrend {
                clock: hour * HOUR_S,
                num,
                min: value - 0.5,
                avg: value,
                max: value + 0.25,
            }
        });
        Self { zone, first_day, rows: rows.collect() }
    }

    fn eval(&self, function: &str, period: &str, now: i64) -> Result<Value, FunctionError> {
        let params: Vec<String> = period.split(',').map(str::to_owned).collect();
        let call = TrendCall::parse(function, &params).expect("a call");
        let context = FunctionContext::new(Time::from_clock(now, 0), &self.zone, ValueType::Float);
        call.eval(&self.rows, &context)
    }

    /// By the calendar: the hours of UTC that lie between both.
    fn expected(&self, from: i64, to: i64) -> Vec<&HourlyTrend> {
        let lies_within = |it: &&HourlyTrend| from <= it.clock && it.clock + HOUR_S <= to;
        self.rows.iter().filter(lies_within).collect()
    }

    fn check(&self, period: &str, now: i64, (from, to): (i64, i64)) -> Vec<i64> {
        let rows = self.expected(from, to);
        assert!(!rows.is_empty());
        let num: u64 = rows.iter().map(|it| it.num).sum();
        let sum: f64 = rows.iter().map(|it| it.avg * number::u64_to_f64(it.num)).sum();
        let name = self.zone.iana_name().unwrap_or_default();
        let what = |function: &str| format!("{function}(,{period}) in {name} at {now}");
        let close = |function: &str, expected: f64| {
            let found = self.eval(function, period, now);
            let Ok(Value::Number(found)) = found else { panic!("{}: {found:?}", what(function)) };
            let tolerance = expected.abs() * 1e-12;
            assert!(
                (found - expected).abs() <= tolerance,
                "{}: {found} {expected}",
                what(function)
            );
        };
        assert_eq!(
            self.eval("trendcount", period, now),
            Ok(Value::UInt(num)),
            "{}",
            what("trendcount")
        );
        close("trendavg", sum / number::u64_to_f64(num));
        close("trendsum", sum);
        close("trendmin", rows.first().expect("some").min);
        close("trendmax", rows.last().expect("some").max);
        rows.iter().map(|it| it.clock).collect()
    }
}

fn midnight(date: Date, zone: &TimeZone) -> i64 {
    date.to_zoned(zone.clone())
        .expect("in range")
        .start_of_day()
        .expect("in range")
        .timestamp()
        .as_second()
}

#[test]
fn each_hour_is_in_one_day_of_every_zone_or_between_two() {
    for (zone, jump) in ZONES {
        let trends = Trends::around(zone, *jump);
        let mut seen = Vec::new();
        for day in 0..DAYS {
            let at = |day: i64| midnight(trends.first_day.saturating_add(day.days()), &trends.zone);
            let (start, end) = (at(day), at(day + 1));
            // At any time of the next day.
            for late in [0, 1, 1_800, 5_400, 12 * HOUR_S, 22 * HOUR_S] {
                let hours = trends.check("1d:now/d", end + late, (start, end));
                if late == 0 {
                    seen.extend(hours);
                }
            }
        }
        // As in Zabbix, an hour of UTC that two days share is in neither.
        let is_shared = |clock: i64| {
            let date = |clock| {
                Timestamp::from_second(clock)
                    .expect("in range")
                    .to_zoned(trends.zone.clone())
                    .date()
            };
            date(clock) != date(clock + HOUR_S - 1)
        };
        for hours in seen.windows(2) {
            let left_out = (hours[0] + HOUR_S..hours[1]).step_by(3_600);
            assert!(hours[0] < hours[1], "{zone}: none comes twice");
            assert!(left_out.clone().all(is_shared), "{zone}: {hours:?}");
            assert!(left_out.count() < 2, "{zone}: {hours:?}");
        }
    }
}

#[test]
fn days_of_a_jump_have_23_and_25_hours() {
    let n = |zone: &str, (year, month, day): (i16, i8, i8)| {
        let trends = Trends::around(zone, (year, month, day));
        let date = Date::constant(year, month, day);
        let next = midnight(date.saturating_add(1.days()), &trends.zone);
        trends.check("1d:now/d", next + 600, (midnight(date, &trends.zone), next)).len()
    };
    assert_eq!(n("Europe/Berlin", (2026, 3, 29)), 23);
    assert_eq!(n("Europe/Berlin", (2026, 3, 30)), 24);
    assert_eq!(n("Europe/Berlin", (2026, 10, 25)), 25);
    assert_eq!(n("Asia/Kolkata", (2026, 3, 29)), 23);
    // 24 hours and a half, 23 hours and a half; before the first of them and from the second on days begin at half past.
    assert_eq!(n("Australia/Lord_Howe", (2026, 4, 5)), 24);
    assert_eq!(n("Australia/Lord_Howe", (2026, 4, 6)), 23);
    assert_eq!(n("Australia/Lord_Howe", (2026, 10, 4)), 23);
}

#[test]
fn weeks_and_months_follow_the_calendar_of_the_zone() {
    for (zone, jump) in ZONES {
        let trends = Trends::around(zone, *jump);
        let (year, month, day) = *jump;
        let date = Date::constant(year, month, day).saturating_add(8.days());
        let now = midnight(date, &trends.zone) + 10 * HOUR_S + 123;
        let back = i64::from(date.weekday().since(Weekday::Monday));
        let monday = date.saturating_sub(back.days());
        let week = (
            midnight(monday.saturating_sub(7.days()), &trends.zone),
            midnight(monday, &trends.zone),
        );
        trends.check("1w:now/w", now, week);
        let first = date.first_of_month();
        let month = (
            midnight(first.saturating_sub(1.months()), &trends.zone),
            midnight(first, &trends.zone),
        );
        trends.check("1M:now/M", now, month);
        // The same day a week before.
        let day_before = (
            midnight(date.saturating_sub(8.days()), &trends.zone),
            midnight(date.saturating_sub(7.days()), &trends.zone),
        );
        trends.check("1d:now/d-1w", now, day_before);
    }
}

#[test]
fn the_hour_that_is_read_has_ended() {
    for (zone, (year, month, day)) in ZONES {
        let trends = Trends::around(zone, (*year, *month, *day));
        let noon = midnight(Date::constant(*year, *month, *day), &trends.zone) + 12 * HOUR_S;
        for minute in 0..120 {
            let now = noon + minute * 60;
            let call = TrendCall::parse("trendavg", &["1h:now/h".to_owned()]).expect("a call");
            let hours = call.hours(Time::from_clock(now, 0), &trends.zone).expect("in range");
            let [Hours { start, end }] = hours[..] else { panic!("one range") };
            assert_eq!(start, end, "{zone}: one hour");
            assert!(end + HOUR_S <= now, "{zone}: it is over");
            // As new as can be where hours are changed by the zone's clock.
            assert!(now < end + 3 * HOUR_S, "{zone}");
        }
    }
}
