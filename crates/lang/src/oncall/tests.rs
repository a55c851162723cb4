use jiff::civil;

use super::*;

/// Zones whose clocks jump north and south of the equator, by half an hour, not at all, and once by a day.
const ZONES: [&str; 8] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Asia/Kolkata",
    "Pacific/Apia",
    "Africa/Casablanca",
];

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a zone")
}

fn moment(zone: &TimeZone, year: i16, month: i8, day: i8, hour: i8) -> i64 {
    moment_of(civil::date(year, month, day).at(hour, 0, 0, 0), zone).expect("a time of our age")
}

fn wall(clock: i64, zone: &TimeZone) -> DateTime {
    calendar::local(clock, zone).expect("a time of our age").0
}

fn rotation(users: &[u64], start: i64, length: ShiftLength, handover_h: u32) -> Rotation {
    Rotation { users: users.to_vec(), start, length, handover_s: handover_h * 3_600, times: None }
}

fn schedule(zone: &TimeZone, rotations: Vec<Rotation>) -> OncallSchedule {
    OncallSchedule { zone: zone.clone(), rotations, overrides: Vec::new() }
}

fn lengths() -> Vec<ShiftLength> {
    let weeks = |n, weekday| ShiftLength::Weeks { n, weekday };
    let hours = [1, 5, 8, 12, 24].map(ShiftLength::Hours);
    let days = [1, 2, 10].map(ShiftLength::Days);
    hours.into_iter().chain(days).chain([weeks(1, 1), weeks(1, 7), weeks(2, 3)]).collect()
}

#[test]
fn every_time_of_whole_years_has_one_user_and_shifts_in_order() {
    for name in ZONES {
        let zone = zone(name);
        let (from, to) = (moment(&zone, 2011, 1, 1, 0), moment(&zone, 2012, 7, 1, 0));
        for length in lengths() {
            let it = schedule(&zone, vec![rotation(&[1, 2, 3], from + 1_234, length, 2)]);
            assert_eq!(it.at(from + 1_233), None, "{name} {length:?}");
            let shifts = it.shifts(from + 1_234, to, usize::MAX);
            assert_eq!(shifts.first().map(|it| it.from), Some(from + 1_234));
            assert_eq!(shifts.last().map(|it| it.to), Some(to));
            for pair in shifts.windows(2) {
                assert_eq!(pair[0].to, pair[1].from, "{name} {length:?}");
                let [before, after] = [pair[0], pair[1]].map(|it| it.who.expect("somebody").user);
                // A shift of an hour that the jump skips is empty.
                let hours = length.hours();
                let is_next = after == before % 3 + 1;
                assert!(is_next || hours <= 24 && name != "UTC", "{name} {length:?} {pair:?}");
            }
            let times = shifts
                .iter()
                .flat_map(|it| [it.from, (it.from + it.to) / 2, it.to - 1].map(|at| (at, it.who)));
            times.for_each(|(at, who)| assert_eq!(it.at(at), who, "{name} {length:?} {at}"));
        }
    }
}

#[test]
fn handover_is_at_local_time_unless_the_clock_skips_it() {
    for name in ZONES {
        let zone = zone(name);
        let (from, to) = (moment(&zone, 2011, 1, 1, 0), moment(&zone, 2012, 7, 1, 0));
        for (length, handover_h) in [
            (ShiftLength::Days(1), 9),
            (ShiftLength::Days(1), 2),
            (ShiftLength::Weeks { n: 1, weekday: 7 }, 2),
            (ShiftLength::Weeks { n: 1, weekday: 5 }, 17),
        ] {
            let it = schedule(&zone, vec![rotation(&[1, 2], from, length, handover_h)]);
            let jumps: Vec<i64> = zone
                .following(Timestamp::from_second(from).expect("a time"))
                .map(|it| it.timestamp().as_second())
                .take_while(|it| *it < to)
                .collect();
            for shift in it.shifts(from, to, usize::MAX).iter().skip(1) {
                let wall = wall(shift.from, &zone);
                let is_at = wall.hour() == i8::try_from(handover_h).unwrap() && wall.minute() == 0;
                assert!(is_at || jumps.contains(&shift.from), "{name} {length:?} {wall}");
                if let ShiftLength::Weeks { weekday, .. } = length
                    && !jumps.contains(&shift.from)
                {
                    assert_eq!(
                        wall.weekday().to_monday_one_offset(),
                        i8::try_from(weekday).unwrap()
                    );
                }
            }
        }
    }
}

#[test]
fn shifts_agree_with_each_minute_around_jumps_of_the_clock() {
    for name in ZONES {
        let zone = zone(name);
        let from = moment(&zone, 2011, 1, 1, 0);
        let mut night = rotation(&[1, 2], from, ShiftLength::Hours(5), 1);
        night.times = TimePeriod::parse("1-5,00:00-08:00;7,01:30-02:30;1-7,22:00-24:00");
        let mut it = schedule(
            &zone,
            vec![night, rotation(&[3, 4, 5], from, ShiftLength::Weeks { n: 1, weekday: 1 }, 8)],
        );
        let jumps = zone.following(Timestamp::from_second(from).expect("a time"));
        let jumps: Vec<i64> = jumps
            .map(|it| it.timestamp().as_second())
            .take_while(|it| *it < from + 366 * 86_400)
            .collect();
        for jump in jumps.into_iter().chain([from + 7 * 86_400]) {
            it.overrides = vec![
                Override { user: 8, from: jump - 7_260, to: jump + 60 },
                Override { user: 9, from: jump, to: jump + 600 },
            ];
            let (begin, end) = (jump - 3 * 86_400, jump + 3 * 86_400);
            let shifts = it.shifts(begin, end, usize::MAX);
            let mut at = shifts.iter().peekable();
            for minute in (begin..end).step_by(60) {
                while at.peek().is_some_and(|shift| shift.to <= minute) {
                    at.next();
                }
                assert_eq!(at.peek().expect("no holes").who, it.at(minute), "{name} {minute}");
            }
        }
    }
}

#[test]
fn the_start_is_in_the_first_users_shift() {
    let zone = zone("Europe/Berlin");
    // A Wednesday.
    let start = moment(&zone, 2026, 11, 25, 12);
    for length in lengths() {
        let it = schedule(&zone, vec![rotation(&[7, 8], start, length, 9)]);
        let first = it.at(start).expect("somebody");
        assert_eq!((first.user, first.rotation), (7, Some(0)), "{length:?}");
    }
    let weeks = ShiftLength::Weeks { n: 1, weekday: 1 };
    let it = schedule(&zone, vec![rotation(&[7, 8], start, weeks, 9)]);
    let monday = moment(&zone, 2026, 11, 30, 9);
    assert_eq!(it.at(monday - 1).map(|it| it.user), Some(7));
    assert_eq!(it.at(monday).map(|it| it.user), Some(8));
}

#[test]
fn a_gap_is_where_no_rotation_is_meant_to_have_anybody() {
    let zone = zone("Europe/Berlin");
    let start = moment(&zone, 2026, 1, 1, 0);
    let mut day = rotation(&[1], start, ShiftLength::Days(1), 0);
    day.times = TimePeriod::parse("1-5,08:00-18:00");
    let it = schedule(&zone, vec![day]);
    let year = it.shifts(start, moment(&zone, 2027, 1, 1, 0), usize::MAX);
    assert!(year.iter().all(|shift| {
        let is_work = shift.to - shift.from == 10 * 3_600 && shift.who.is_some();
        is_work || shift.who.is_none()
    }));
    // 261 working days.
    assert_eq!(year.iter().filter(|it| it.who.is_some()).count(), 261);
    assert_eq!(it.shifts(start, start, 9), []);
    assert_eq!(it.shifts(start, i64::MAX / 4, 3).len(), 3);
    assert_eq!(
        schedule(&zone, vec![rotation(&[], start, ShiftLength::Days(1), 0)]).at(start),
        None
    );
}
