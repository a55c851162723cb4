use jiff::civil::date;
use jiff::{Timestamp, ToSpan};

use super::*;

const HOUR: i64 = 3_600;

/// Summer time of an hour in both halves of the earth, of half an hour, half-hour zones, one that skipped
/// a day, one without.
const ZONES: &[&str] = &[
    "Europe/Riga",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Asia/Tehran",
    "Pacific/Apia",
    "America/St_Johns",
    "UTC",
];

struct Random(u64);

impl Random {
    fn below(&mut self, n: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn span(&mut self, from: i64, len: i64, longest: i64) -> Span {
        let from = from + self.below(len);
        Span { from, to: from + 1 + self.below(longest) }
    }
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("it is known")
}

fn sla(zone_name: &str, period: SlaPeriod) -> Sla {
    Sla {
        period,
        slo: 99.0,
        effective_from: 0,
        zone: zone(zone_name),
        schedule: Vec::new(),
        excluded: Vec::new(),
    }
}

fn at(zone_name: &str, year: i16, month: i8, day: i8, hour: i8, minute: i8) -> i64 {
    let wall = date(year, month, day).at(hour, minute, 0, 0);
    let at = zone(zone_name).to_ambiguous_timestamp(wall).compatible();
    at.expect("a time of our age").as_second()
}

fn wall(second: i64, zone: &TimeZone) -> jiff::civil::DateTime {
    zone.to_datetime(Timestamp::from_second(second).expect("a time of our age"))
}

/// All periods of 2010 to 2020; the zones had all that zones have in these years.
fn years(sla: &Sla) -> Vec<Span> {
    let end = 1_609_459_200;
    let mut all: Vec<Span> = Vec::new();
    let mut to = end;
    loop {
        let request = PeriodRequest { from: Some(1_262_304_000), to: Some(to), n: Some(100) };
        let mut some = sla.periods(&request, end);
        if let Some(first) = all.first() {
            some.retain(|it| it.from < first.from);
        }
        let Some(first) = some.first().copied() else { return all };
        some.extend(all);
        all = some;
        to = first.from - 1;
    }
}

#[test]
fn periods_are_contiguous_and_begin_by_the_calendar() {
    for name in ZONES {
        let zone = zone(name);
        for period in
            [SlaPeriod::Day, SlaPeriod::Week, SlaPeriod::Month, SlaPeriod::Quarter, SlaPeriod::Year]
        {
            let sla = sla(name, period);
            let all = years(&sla);
            assert!(10 <= all.len(), "{name} {period:?}: {}", all.len());
            for pair in all.windows(2) {
                assert_eq!(pair[0].to, pair[1].from, "{name} {period:?}");
            }
            for span in &all {
                assert!(!span.is_empty() || *name == "Pacific/Apia", "{name} {span:?}");
                let first = wall(span.from, &zone);
                let day = first.date();
                let is_first = match period {
                    SlaPeriod::Day => true,
                    SlaPeriod::Week => day.weekday() == jiff::civil::Weekday::Sunday,
                    SlaPeriod::Month => day.day() == 1,
                    SlaPeriod::Quarter => day.day() == 1 && day.month() % 3 == 1,
                    SlaPeriod::Year => day.day_of_year() == 1,
                };
                assert!(is_first, "{name} {period:?} {first}");
                // Midnight, or where the clock jumped over it.
                let before = wall(span.from - 1, &zone).date();
                assert!(before < day || wall(span.from - 1, &zone) < first, "{name} {first}");
            }
        }
    }
}

#[test]
fn a_day_is_as_long_as_the_clock_makes_it() {
    let days = [
        ("Europe/Riga", (2019, 3, 31), 23 * 2),
        ("Europe/Riga", (2019, 10, 27), 25 * 2),
        ("Australia/Lord_Howe", (2019, 10, 6), 47),
        ("Australia/Lord_Howe", (2019, 4, 7), 49),
        ("America/Sao_Paulo", (2018, 11, 4), 23 * 2),
        ("Asia/Kolkata", (2019, 3, 31), 24 * 2),
    ];
    for (name, (year, month, day), half_hours) in days {
        let noon = at(name, year, month, day, 12, 0);
        let request = PeriodRequest { from: Some(noon), to: Some(noon), n: None };
        let found = sla(name, SlaPeriod::Day).periods(&request, noon + 10 * DAY);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].seconds(), half_hours * 1_800, "{name}");
    }
}

#[test]
fn periods_are_returned_as_requested_and_none_in_the_future() {
    let now = at("UTC", 2020, 6, 15, 10, 0);
    let mut sla = sla("UTC", SlaPeriod::Month);
    let listed = |sla: &Sla, from: Option<i64>, to: Option<i64>, n: Option<usize>| {
        let spans = sla.periods(&PeriodRequest { from, to, n }, now);
        let month = |it: i64| wall(it, &TimeZone::UTC).date().strftime("%Y-%m").to_string();
        (spans.len(), spans.first().map(|it| month(it.from)), spans.last().map(|it| month(it.from)))
    };
    let some = |n, first: &str, last: &str| (n, Some(first.to_owned()), Some(last.to_owned()));
    let (year_ago, long_ago) = (at("UTC", 2019, 6, 20, 0, 0), at("UTC", 2000, 1, 1, 0, 0));
    assert_eq!(listed(&sla, None, None, None), some(20, "2018-11", "2020-06"));
    assert_eq!(listed(&sla, None, None, Some(3)), some(3, "2020-04", "2020-06"));
    assert_eq!(listed(&sla, None, Some(year_ago), Some(2)), some(2, "2019-05", "2019-06"));
    assert_eq!(listed(&sla, Some(year_ago), None, Some(2)), some(2, "2019-06", "2019-07"));
    assert_eq!(listed(&sla, Some(year_ago), None, None), some(13, "2019-06", "2020-06"));
    assert_eq!(
        listed(&sla, Some(long_ago), Some(now + 90 * DAY), None),
        some(100, "2012-03", "2020-06")
    );
    assert_eq!(listed(&sla, Some(year_ago), Some(now), Some(2)), some(2, "2020-05", "2020-06"));
    assert_eq!(listed(&sla, Some(now + 90 * DAY), None, None), (0, None, None));
    sla.effective_from = year_ago;
    assert_eq!(listed(&sla, None, None, None), some(13, "2019-06", "2020-06"));
    assert_eq!(listed(&sla, Some(long_ago), None, Some(1)), some(1, "2019-06", "2019-06"));
}

#[test]
fn office_hours_are_those_of_the_wall_all_the_year() {
    for name in ZONES {
        // Monday to Friday, 9 to 17.
        let rows = (1..6).map(|day| Span { from: day * DAY + 9 * HOUR, to: day * DAY + 17 * HOUR });
        let sla = Sla { schedule: week(rows), ..sla(name, SlaPeriod::Year) };
        for year in years(&sla) {
            let spans = sla.scheduled(year);
            for span in &spans {
                let (from, to) = (wall(span.from, &sla.zone), wall(span.to, &sla.zone));
                assert_eq!(
                    (from.hour(), to.hour(), span.seconds()),
                    (9, 17, 8 * HOUR),
                    "{name} {from}"
                );
            }
            assert!((259..=262).contains(&spans.len()), "{name}: {}", spans.len());
        }
    }
}

#[test]
fn rows_that_make_up_the_week_make_up_the_year() {
    for (seed, name) in (0..).zip(ZONES) {
        let mut random = Random(seed);
        for period in [SlaPeriod::Day, SlaPeriod::Week, SlaPeriod::Quarter] {
            // Neighbors of any length share their ends, and every second one is left out.
            let mut ends: Vec<i64> = (0..12).map(|_| random.below(7 * 48) * 1_800).collect();
            ends.extend([0, 7 * DAY]);
            ends.sort_unstable();
            ends.dedup();
            let rows: Vec<Span> =
                ends.windows(2).map(|it| Span { from: it[0], to: it[1] }).collect();
            let half = |odd: usize| {
                let rows = rows.iter().enumerate().filter(move |(at, _)| at % 2 == odd);
                Sla { schedule: rows.map(|(_, it)| *it).collect(), ..sla(name, period) }
            };
            let (one, other) = (half(0), half(1));
            for span in years(&one) {
                let (mine, others) = (one.scheduled(span), other.scheduled(span));
                let sum: i64 = mine.iter().chain(&others).map(|it| it.seconds()).sum();
                assert_eq!(sum, span.seconds(), "{name} {period:?} {span:?} {ends:?}");
                let mut all: Vec<Span> = mine.into_iter().chain(others).collect();
                all.sort_unstable();
                assert!(all.windows(2).all(|it| it[0].to <= it[1].from), "{name} {span:?}");
            }
        }
    }
}

/// Second by second, or as many of them as a step has.
fn by_steps(
    sla: &Sla,
    period: Span,
    history: StatusHistory<'_>,
    now: i64,
    step: i64,
) -> (i64, i64) {
    let scheduled = sla.scheduled(period);
    let (mut uptime, mut downtime) = (0, 0);
    let mut second = period.from;
    while second < period.to.min(now) {
        let is_in = |it: &Span| it.from <= second && second < it.to;
        let counts = history.created_at <= second
            && scheduled.iter().any(is_in)
            && !sla.excluded.iter().any(|it| is_in(&it.span));
        let last = history.changes.iter().rev().find(|(at, _)| *at <= second);
        let is_ok = last.map_or(history.was_ok, |(_, ok)| *ok);
        if counts {
            *(if is_ok { &mut uptime } else { &mut downtime }) += step;
        }
        second += step;
    }
    (uptime, downtime)
}

#[test]
fn counted_time_equals_that_of_a_clock() {
    const STEP: i64 = 300;
    for seed in 0..30 {
        let mut random = Random(seed);
        let name = ZONES[usize::try_from(seed).expect("small") % ZONES.len()];
        let rows: Vec<Span> = (0..random.below(6))
            .map(|_| {
                let span = random.span(0, 7 * 48, 20);
                Span { from: span.from * 1_800, to: (span.to * 1_800).min(7 * DAY) }
            })
            .collect();
        let start = 1_538_352_000 + random.below(400) * DAY;
        let round = |it: Span| Span { from: it.from * STEP, to: it.to * STEP };
        let excluded = (0..random.below(5)).map(|at| Downtime {
            name: at.to_string(),
            span: round(random.span(start / STEP, 40 * DAY / STEP, 3 * DAY / STEP)),
        });
        let sla = Sla {
            excluded: excluded.collect(),
            schedule: week(rows.into_iter()),
            ..sla(name, SlaPeriod::Month)
        };
        let mut changes: Vec<(i64, bool)> = (0..random.below(40))
            .map(|_| ((start / STEP + random.below(40 * DAY / STEP)) * STEP, random.below(2) == 0))
            .collect();
        changes.sort_unstable();
        let history = StatusHistory {
            created_at: (start / STEP + random.below(10 * DAY / STEP)) * STEP,
            was_ok: random.below(2) == 0,
            changes: &changes,
        };
        let now = (start / STEP + random.below(60 * DAY / STEP)) * STEP;
        let request = PeriodRequest { from: Some(start), to: Some(start), n: None };
        let Some(period) = sla.periods(&request, start + 400 * DAY).first().copied() else {
            continue;
        };
        let part = |all: &[(i64, bool)]| -> Vec<(i64, bool)> {
            all.iter().filter(|(at, _)| period.from <= *at && *at < period.to).copied().collect()
        };
        let before = changes.iter().rev().find(|(at, _)| *at < period.from);
        let within = part(&changes);
        let history = StatusHistory {
            was_ok: before.map_or(history.was_ok, |(_, ok)| *ok),
            changes: &within,
            ..history
        };
        let found = sla.indicator(&sla.schedule_of(period), history, now);
        let expected = by_steps(&sla, period, history, now, STEP);
        assert_eq!((found.uptime, found.downtime), expected, "seed {seed}");
        match found.sli {
            None => assert_eq!((expected, found.error_budget), ((0, 0), 0)),
            Some(sli) => {
                let all = found.uptime + found.downtime;
                assert!((0.0..=100.0).contains(&sli), "seed {seed}");
                // A service that uses up the budget and no more reaches the objective.
                let left = i64::max(0, found.error_budget);
                assert!(found.error_budget + all <= period.seconds(), "seed {seed}");
                if 0 < left && found.downtime == 0 {
                    assert!(left <= period.seconds() - all, "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn the_budget_is_what_may_still_be_lost() {
    let month = Span { from: 0, to: 30 * DAY };
    let sla = Sla { slo: 99.0, ..sla("UTC", SlaPeriod::Month) };
    let scheduled = sla.schedule_of(month);
    let changes = [(5 * DAY, false), (5 * DAY + HOUR, true)];
    let history = StatusHistory { created_at: 0, was_ok: true, changes: &changes };
    let found = sla.indicator(&scheduled, history, 10 * DAY);
    assert_eq!((found.uptime, found.downtime), (10 * DAY - HOUR, HOUR));
    // Of the time so far: 99 % of it and an hour less.
    assert_eq!(found.error_budget, (10 * DAY - HOUR) * 100 / 99 - 10 * DAY);
    // Nothing is left of a month that has ended.
    let over = sla.indicator(&scheduled, history, 31 * DAY);
    assert_eq!(over.error_budget, 0);
    let never_ok = StatusHistory { was_ok: false, changes: &[], ..history };
    let lost = sla.indicator(&scheduled, never_ok, 31 * DAY);
    assert_eq!((lost.sli, lost.error_budget), (Some(0.0), -30 * DAY));
    let later = StatusHistory { created_at: 40 * DAY, ..history };
    assert_eq!(sla.indicator(&scheduled, later, 50 * DAY).sli, None);
}

#[test]
fn excluded_downtimes_are_returned_where_they_had_an_effect() {
    let rows = [Span { from: DAY + 9 * HOUR, to: DAY + 17 * HOUR }];
    let mut sla = Sla { schedule: rows.to_vec(), ..sla("UTC", SlaPeriod::Week) };
    // 1970-01-04 was a Sunday.
    let sunday = 3 * DAY;
    let monday = sunday + DAY;
    let downtime =
        |name: &str, from, to| Downtime { name: name.to_owned(), span: Span { from, to } };
    sla.excluded = vec![
        downtime("late", monday + 16 * HOUR, monday + 20 * HOUR),
        downtime("night", monday, monday + HOUR),
        downtime("lunch", monday + 12 * HOUR, monday + 13 * HOUR),
    ];
    let period = Span { from: sunday, to: sunday + WEEK };
    let history = StatusHistory { created_at: 0, was_ok: true, changes: &[] };
    let found = sla.indicator(&sla.schedule_of(period), history, period.to);
    assert_eq!(found.uptime, 6 * HOUR);
    assert_eq!(
        found.excluded,
        [
            downtime("lunch", monday + 12 * HOUR, monday + 13 * HOUR),
            downtime("late", monday + 16 * HOUR, monday + 17 * HOUR),
        ]
    );
}

#[test]
fn a_row_that_begins_in_a_clock_jump_begins_at_the_jump() {
    // On this Sunday 03:00 becomes 04:00.
    let row = |from: i64, to: i64| Span { from: from * 1_800, to: to * 1_800 };
    let sla = Sla { schedule: vec![row(4, 7), row(7, 9)], ..sla("Europe/Riga", SlaPeriod::Day) };
    let noon = at("Europe/Riga", 2019, 3, 31, 12, 0);
    let request = PeriodRequest { from: Some(noon), to: Some(noon), n: None };
    let day = sla.periods(&request, noon)[0];
    let jump = at("Europe/Riga", 2019, 3, 31, 4, 0);
    let one = Sla { schedule: vec![row(4, 7)], ..sla.clone() };
    assert_eq!(one.scheduled(day), [Span { from: jump - HOUR, to: jump }]);
    assert_eq!(sla.scheduled(day), [Span { from: jump - HOUR, to: jump + 1_800 }]);
    let next = Timestamp::from_second(day.from).expect("it is one").to_zoned(sla.zone);
    assert_eq!(next.saturating_add(1.day()).timestamp().as_second(), day.to);
}
