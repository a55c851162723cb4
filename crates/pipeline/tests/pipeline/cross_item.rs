//! Functions over many items of several partitions, and over trends.

use crate::kit::{Config, World, at, item};
use directory::ItemTarget;
use lang::expression::Value as Computed;
use model::batch::RawRef;
use model::content::{
    GlobalRegexp, Group, HostStatus, ItemContent, ItemType, RegexpExpression, RegexpKind, Tag,
};
use model::record::{Num, RecordView};
use model::{GroupId, HostId, ItemId, Time, TriggerId, Value, ValueType};
use pipeline::cross_item::{CrossItemAnswer, CrossItemQuery, CrossItemReader, ReadRange, Source};
use pipeline::{FetchFailed, Input, LiveTable};
use window::Samples;

/// The content of history: the journal's values.
struct Stored<'a> {
    rows: Vec<(ItemId, Time, f64)>,
    live: &'a LiveTable,
    fails: bool,
}

impl<'a> Stored<'a> {
    fn of(world: &'a World) -> Self {
        let mut rows = Vec::new();
        for it in &world.journal {
            let view = RecordView::parse(&it.payload).expect("a record");
            for row in view.numbers().map(|it| it.expect("a row")) {
                let Num::Float(value) = row.value else { continue };
                rows.push((row.item, Time::from_millis(row.ms), value));
            }
        }
        rows.sort_by_key(|it| it.1);
        Self { rows, live: &world.live, fails: false }
    }
}

impl Source for Stored<'_> {
    fn read(
        &mut self,
        (item, _): (ItemId, ValueType),
        range: ReadRange,
    ) -> Result<Samples, FetchFailed> {
        if self.fails {
            return Err(FetchFailed::because("the disk is gone"));
        }
        let of_item = self.rows.iter().filter(|it| it.0 == item);
        let in_range = of_item.filter(|it| range.from < it.1 && it.1 <= range.until);
        let all: Vec<(Time, f64)> = in_range.map(|it| (it.1, it.2)).collect();
        Ok(Samples::Float(all[all.len().saturating_sub(range.max)..].to_vec()))
    }

    fn newest(&mut self, item: &ItemTarget) -> Option<Samples> {
        let known = self.live.last(item.shard, item.slot);
        let rows = [known.prev, known.last].into_iter().flatten();
        Some(Samples::Float(rows.filter_map(|it| Some((it.0, it.1.as_f64()?))).collect()))
    }

    fn is_unsupported(&mut self, item: &ItemTarget) -> bool {
        self.live.shard(item.shard).expect("the shard").cell(item.slot).unsupported
    }
}

/// Answers all queries of the last step.
fn answer(world: &mut World, fails: bool) -> usize {
    let cross_item_queries = std::mem::take(&mut world.cross_item_queries);
    let mut cross_item_reader = CrossItemReader::new(world.zone.clone());
    let directory = std::sync::Arc::clone(&world.directory);
    let answers: Vec<_> = {
        let mut stored = Stored::of(world);
        stored.fails = fails;
        cross_item_queries
            .iter()
            .map(|it| cross_item_reader.answer(it, &directory, &mut stored))
            .collect()
    };
    world.input(Input::CrossItemAnswers(&answers));
    cross_item_queries.len()
}

/// Lets time pass up to the next question.
fn until_asked(world: &mut World, from: i64, until: i64) {
    for seconds in from..=until {
        world.pass(seconds);
        if !world.cross_item_queries.is_empty() {
            return;
        }
    }
    panic!("nothing is asked: {:?}", world.last("a", "sum"));
}

fn calculated(formula: &str) -> ItemContent {
    ItemContent {
        kind: ItemType::Calculated,
        delay: "10s".to_owned(),
        params: formula.to_owned(),
        ..item("sum", ValueType::Float)
    }
}

/// Four hosts with an item `k` each, of different partitions: a, b in group Web/Front, c in Web, d not
/// monitored; those of a and c have a tag.
fn many(formula: &str) -> (Config, HostId) {
    let mut config = Config::new();
    let names = ["a", "b", "c", "d"];
    let hosts: Vec<HostId> = names.iter().map(|it| config.host(it)).collect();
    for (group, name) in [(1, "Web"), (2, "Web/Front"), (3, "Webber")] {
        let group_row = Group { name: name.to_owned(), uuid: String::new() };
        config.snapshot.host_groups.insert(GroupId(group), group_row.into());
    }
    for (host, group) in hosts.iter().zip([2, 2, 1, 3]) {
        config.edit(*host, |it| it.groups = vec![GroupId(group)]);
        let mut content = item("k[x]", ValueType::Float);
        if *host == hosts[0] || *host == hosts[2] {
            content.tags = vec![Tag { tag: "role".to_owned(), value: "db".to_owned() }];
        }
        config.item(*host, content);
    }
    config.edit(hosts[3], |it| it.status = HostStatus::NotMonitored);
    config.item(hosts[0], calculated(formula));
    (config, hosts[0])
}

fn result(formula: &str) -> (Option<Value>, Option<String>) {
    let (config, _) = many(formula);
    result_with(&config)
}

fn result_with(config: &Config) -> (Option<Value>, Option<String>) {
    let mut world = World::new(config);
    for (host, value) in [("a", 1.0), ("b", 20.0), ("c", 300.0)] {
        world.value(host, "k[x]", 1, value);
        world.value(host, "k[x]", 2, value + 1.0);
    }
    until_asked(&mut world, 3, 20);
    let asked = world.now;
    assert_eq!(answer(&mut world, false), 1);
    world.check_replay();
    let last = world.last("a", "sum");
    // At the time when it was due.
    assert!(last.last.as_ref().is_none_or(|it| it.0 <= asked.wall));
    (last.last.map(|it| it.1), last.error.map(|it| it.to_string()))
}

#[test]
fn values_of_many_items_are_counted_by_global_regular_expressions() {
    let formula = "count(last_foreach(/*/k[x]),\"regexp\",\"@ends in one\")";
    let missing = "global regular expression \"ends in one\" does not exist";
    let (mut config, _) = many(formula);
    let (value, error) = result_with(&config);
    assert!(value.is_none() && error.is_some_and(|it| it.contains(missing)));
    let expression = RegexpExpression {
        expression: "1\\.0000$".to_owned(),
        kind: RegexpKind::True,
        exp_delimiter: ",".to_owned(),
        case_sensitive: true,
    };
    let regexp = GlobalRegexp {
        name: "ends in one".to_owned(),
        expressions: vec![expression],
        ..GlobalRegexp::default()
    };
    std::sync::Arc::make_mut(&mut config.snapshot.globals).regexps = vec![regexp];
    assert_eq!(result_with(&config), (Some(Value::Float(2.0)), None));
}

#[test]
fn one_formula_reads_items_of_many_hosts() {
    let float = |it| (Some(Value::Float(it)), None);
    assert_eq!(result("sum(last_foreach(/*/k[x]))"), float(324.0));
    assert_eq!(result("sum(last_foreach(/*/k[*]))"), float(324.0));
    assert_eq!(result("max(avg_foreach(/*/k[x],1m))"), float(300.5));
    assert_eq!(result("sum(sum_foreach(/b/k[x],1m))"), float(41.0));
    assert_eq!(result("sum(last_foreach(//k[x]))"), float(2.0));
    assert_eq!(result("sum(count_foreach(/*/k[x],1m))+item_count(/*/k[x])"), float(9.0));
    assert_eq!(result("sum(last_foreach(/*/k[x]?[group=\"Web/Front\"]))"), float(23.0));
    assert_eq!(result("sum(last_foreach(/*/k[x]?[group=\"Web\"]))"), float(324.0));
    assert_eq!(result("sum(last_foreach(/*/k[x]?[tag=\"role:db\"]))"), float(303.0));
    let both = "sum(last_foreach(/*/k[x]?[tag=\"role\" and not (group=\"Web/Front\")]))";
    assert_eq!(result(both), float(301.0));
    // Together with ordinary functions.
    assert_eq!(result("sum(last_foreach(/*/k[x]))/last(//k[x])"), float(162.0));
    let (value, error) = result("sum(last_foreach(/*/k[x]))/0");
    assert_eq!(value, None);
    assert!(error.is_some());
}

#[test]
fn many_items_without_a_value_are_no_error_while_the_item_is_new() {
    let formula = "avg(last_foreach(/*/none))";
    assert_eq!(result(formula), (None, None));
    let (config, _) = many(formula);
    let mut world = World::new(&config);
    for seconds in [60, 200] {
        world.pass(seconds);
        until_asked(&mut world, seconds + 1, seconds + 20);
        answer(&mut world, false);
        assert_eq!(world.last("a", "sum").error.is_some(), 120 < seconds, "{seconds}");
    }
}

#[test]
fn unsupported_items_are_left_out_and_changes_count_at_once() {
    let (mut config, _) = many("sum(last_foreach(/*/k[x]))");
    let mut world = World::new(&config);
    for (host, value) in [("a", 1.0), ("b", 20.0), ("c", 300.0)] {
        world.value(host, "k[x]", 1, value);
    }
    world.send("b", &[("k[x]", 1, RawRef::Error("gone"))]);
    until_asked(&mut world, 2, 20);
    answer(&mut world, false);
    assert_eq!(world.last_value("a", "sum"), Some(Value::Float(301.0)));
    let c = config.snapshot.host_named("c").expect("the host").id;
    config.edit(c, |it| it.status = HostStatus::NotMonitored);
    world.reconfigure(&mut config);
    until_asked(&mut world, 21, 40);
    answer(&mut world, false);
    assert_eq!(world.last_value("a", "sum"), Some(Value::Float(1.0)));
}

#[test]
fn a_question_without_an_answer_is_not_piled_up() {
    let (config, _) = many("sum(last_foreach(/*/k[x]))");
    let mut world = World::new(&config);
    for seconds in 1..=55 {
        world.pass(seconds);
    }
    assert_eq!(world.cross_item_queries.len(), 1);
    assert_eq!(world.shard.sizes().cross_item_queries_under_way, 1);
    assert!(3 <= world.shard.counters().cross_item_queries_skipped);
    // The error of a store that can't answer is shown at the item.
    let (config, _) = many("sum(last_foreach(/*/k[x]))");
    let mut world = World::new(&config);
    until_asked(&mut world, 1, 20);
    answer(&mut world, true);
    let error = world.last("a", "sum").error.expect("unsupported");
    assert!(error.contains("the disk is gone"), "{error}");
}

fn trend_trigger(expression: &str) -> (World, TriggerId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, expression, |_| {});
    (World::new(&config), trigger)
}

#[test]
fn trends_are_read_once_a_period() {
    // 2026-01-01 00:00 on: the hour before is over at 3600.
    let (mut world, trigger) = trend_trigger("trendavg(/h/k,1h:now/h)>5");
    let mut asked = 0;
    for seconds in (60..7_400).step_by(60) {
        world.value("h", "k", seconds, if seconds < 3_600 { 9.0 } else { 1.0 });
        asked += answer(&mut world, false);
    }
    // Those of the hour before all, of the first and of the second hour.
    assert_eq!(asked, 3);
    assert_eq!(world.events_of(trigger), [(3_600, true), (7_200, false)]);
    world.check_replay();
}

#[test]
fn a_trend_changes_with_its_period_though_no_value_comes() {
    let (mut world, trigger) = trend_trigger("trendmax(/h/k,1h:now/h)=9");
    world.value("h", "k", 1_800, 9.0);
    answer(&mut world, false);
    for seconds in (1_810..3_700).step_by(5) {
        world.pass(seconds);
        answer(&mut world, false);
    }
    let events = world.events_of(trigger);
    assert_eq!(events.len(), 1);
    assert!((3_600..=3_635).contains(&events[0].0), "{events:?}");
    assert!(world.trigger(trigger).is_problem);
    assert_eq!(at(0).clock(), crate::kit::START);
}

#[test]
fn late_value_makes_a_trend_be_read_again() {
    let (mut world, trigger) = trend_trigger("trendmax(/h/k,1h:now/h)>5");
    let settle = |world: &mut World| while answer(world, false) != 0 {};
    let late = |world: &mut World, second, value| {
        world.send("h", &[("k", second, RawRef::Float(value))]);
    };
    world.value("h", "k", 3_599, 1.0);
    world.value("h", "k", 3_601, 1.0);
    settle(&mut world);
    world.value("h", "k", 3_602, 1.0);
    // Of the hour under way.
    late(&mut world, 3_600, 9.0);
    assert_eq!(answer(&mut world, false), 0, "it is known");
    assert!(!world.trigger(trigger).is_problem);
    // Of the hour that was read: it is judged at its own time and at the present one.
    late(&mut world, 3_598, 7.0);
    settle(&mut world);
    world.value("h", "k", 3_603, 1.0);
    settle(&mut world);
    assert!(world.trigger(trigger).is_problem);
    world.check_replay();
}

#[test]
fn trends_of_days_follow_the_zone_whatever_ends_the_process_and_comes_late() {
    const STEP_S: i64 = 600;
    // The year begins at their summer and winter time; nothing jumps in these days.
    for zone in ["Asia/Kolkata", "Australia/Lord_Howe", "America/New_York"] {
        let mut config = Config::new();
        let host = config.host("h");
        config.item(host, item("k", ValueType::Float));
        let trigger = config.trigger(host, "trendavg(/h/k,1d:now/d)>5", |_| {});
        let tz = jiff::tz::TimeZone::get(zone).expect("a zone");
        let mut world = World::in_zone(&config, tz.clone());
        let settle = |world: &mut World| while answer(world, false) != 0 {};
        let local = |second: i64| {
            let time = jiff::Timestamp::from_second(at(second).clock()).expect("in range");
            time.to_zoned(tz.clone())
        };
        let is_high = |second: i64| local(second).day() % 2 == 0;
        let mut n_restarts = 0;
        let mut was_problem = None;
        for step in 1..6 * 86_400 / STEP_S {
            let second = step * STEP_S;
            let value = if is_high(second) { 9.0 } else { 1.0 };
            world.value("h", "k", second, value);
            settle(&mut world);
            // In the middle of hours: earlier and later numbers are one trend.
            if step % 46 == 0 {
                let n = world.journal.len();
                world.restart(n - n / 3);
                settle(&mut world);
                n_restarts += 1;
            }
            // Of an hour before, while its day lasts: each part counts.
            if local(second).hour() == 12 && second % 3_600 == 1_200 {
                world.send("h", &[("k", second - 2 * 3_600 + 7, RawRef::Float(value))]);
                settle(&mut world);
            }
            // Days before the second one have no values, or few.
            let hours_of_day = local(second).hour();
            if 2 * 86_400 < second && hours_of_day != 0 {
                let is_problem = !is_high(second);
                assert_eq!(world.trigger(trigger).is_problem, is_problem, "{zone} {second}");
                was_problem = Some(is_problem);
            }
        }
        assert!(was_problem.is_some() && 10 < n_restarts);
        world.check_replay();
        // One for each midnight, soon after it.
        let events = world.events_of(trigger);
        assert!((4..=6).contains(&events.len()), "{zone}: {events:?}");
        for (second, _) in &events[1..] {
            let behind = local(*second).hour();
            assert_eq!(behind, 0, "{zone}: {events:?}");
        }
        // A late value of the day that was read changes what is known of it.
        let now = 6 * 86_400;
        let before = world.trigger(trigger).is_problem;
        let late = if before { -1e6 } else { 1e6 };
        world.send("h", &[("k", now - 86_400 + 7, RawRef::Float(late))]);
        settle(&mut world);
        world.value("h", "k", now + 1, 1.0);
        settle(&mut world);
        assert_ne!(world.trigger(trigger).is_problem, before, "{zone}");
        world.check_replay();
    }
}

#[test]
fn a_late_value_counts_that_comes_while_a_trend_is_read() {
    let (mut world, trigger) = trend_trigger("trendmax(/h/k,1h:now/h)>5");
    world.value("h", "k", 3_601, 1.0);
    // An answer without the value.
    let asked = std::mem::take(&mut world.cross_item_queries);
    let answer_of = |it: &CrossItemQuery| CrossItemAnswer {
        ticket: it.ticket,
        values: Ok(vec![Ok(Computed::Number(2.0))]),
    };
    let answers: Vec<_> = asked.iter().map(answer_of).collect();
    assert_eq!(answers.len(), 1);
    world.send("h", &[("k", 3_000, RawRef::Float(6.0))]);
    world.input(Input::CrossItemAnswers(&answers));
    assert!(!world.trigger(trigger).is_problem, "who waited has what was there");
    while answer(&mut world, false) != 0 {}
    world.value("h", "k", 3_602, 1.0);
    while answer(&mut world, false) != 0 {}
    assert!(world.trigger(trigger).is_problem);
    world.check_replay();
}

#[test]
fn items_that_keep_no_history_count_with_their_newest_values() {
    for (formula, expected) in [
        ("sum(last_foreach(/*/k[x]))", 9.0),
        ("sum(last_foreach(/*/k[x],1m))", 9.0),
        ("sum(avg_foreach(/*/k[x],1m))", 7.0),
    ] {
        let (config, _) = many(formula);
        let mut world = World::new(&config);
        for (host, seconds, value) in
            [("a", 1, 4.0), ("b", 1, 9.0), ("c", 1, 1.0), ("b", 2, 0.0), ("a", 3, 5.0)]
        {
            world.value(host, "k[x]", seconds, value);
        }
        world.value("b", "k[x]", 3, 3.0);
        until_asked(&mut world, 4, 20);
        let cross_item_queries = std::mem::take(&mut world.cross_item_queries);
        let directory = std::sync::Arc::clone(&world.directory);
        let mut nothing = Stored { rows: Vec::new(), live: &world.live, fails: false };
        let mut cross_item_reader = CrossItemReader::new(jiff::tz::TimeZone::UTC);
        let answer = cross_item_reader.answer(&cross_item_queries[0], &directory, &mut nothing);
        world.input(Input::CrossItemAnswers(&[answer]));
        assert_eq!(world.last_value("a", "sum"), Some(Value::Float(expected)), "{formula}");
    }
}
