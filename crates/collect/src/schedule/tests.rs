//! The schedule and its guarantees, with time as an argument.

use std::sync::Arc;
use std::time::Duration;

use model::content::{HostStatus, InterfaceType, ItemStatus, ItemType};
use model::map::Set;
use model::snapshot::{Host, Snapshot};
use proptest::prelude::*;

use super::*;
use crate::fixtures::{discovered, host, interface, item, snapshot};
use crate::resolve::Resolver;

/// The start of a minute on every grid up to a day.
const START_S: i64 = 1_731_628_800;
const AGENT: usize = 0;

const TIMES: UnreachableTimes = UnreachableTimes {
    unreachable_delay: Duration::from_secs(15),
    unreachable_period: Duration::from_secs(45),
    unavailable_delay: Duration::from_secs(60),
};

struct Bench {
    schedule: Schedule,
    resolver: Resolver,
    now: Now,
    changes: Vec<(InterfaceId, InterfaceState)>,
}

fn classify(content: &model::content::ItemContent) -> Option<Class> {
    let class = |kind, alone, by_device| Class { kind, alone, by_device, uses_interface: true };
    match content.kind {
        ItemType::ZabbixAgent => Some(class(AGENT, false, false)),
        ItemType::Snmp => Some(class(1, content.snmp_oid.starts_with("walk["), true)),
        ItemType::Internal => Some(class(2, false, false)),
        _ => None,
    }
}

fn limits(jobs_max: usize, device_jobs_max: u16, job_checks_max: usize) -> Limits {
    Limits { jobs_max, device_jobs_max, job_checks_max, has_availability: true }
}

fn bench() -> Bench {
    let collectors = [limits(1_000, 4, 1), limits(1_000, 1, 8), limits(1_000, 1, 100)];
    let now = Now { wall: Time::from_clock(START_S, 0), mono_ns: 0 };
    let schedule = Schedule::new(&collectors, TIMES, TimeZone::UTC, now.wall);
    Bench { schedule, resolver: Resolver::new(TimeZone::UTC), now, changes: Vec::new() }
}

fn agent_host(id: u64, n_items: u64, delay: &str) -> Host {
    let mut it = host(id, &format!("host {id}"));
    it.interfaces.push(interface(id, InterfaceType::Agent, "127.0.0.1", 10050));
    it.items = (0..n_items)
        .map(|n| item(id * 1_000 + n, ItemType::ZabbixAgent, &format!("key[{n}]"), delay))
        .collect();
    it
}

impl Bench {
    fn set(&mut self, snapshot: &Snapshot) {
        let saved = |_| InterfaceState::default();
        let view = View { snapshot, resolver: &self.resolver, classify, saved: &saved };
        for host in snapshot.hosts.values() {
            self.schedule.set_host(&view, host, self.now);
        }
    }

    fn sleep(&mut self, time: Duration) -> Vec<Job> {
        let ns = u64::try_from(time.as_nanos()).expect("short");
        self.now.wall = Time(self.now.wall.0 + i64::try_from(ns).expect("short"));
        self.now.mono_ns += ns;
        self.schedule.advance(self.now);
        self.schedule.take_jobs(usize::MAX, self.now)
    }

    fn finish(&mut self, job: &Job, outcome: Outcome<'_>) {
        let outcomes = job.checks.iter().map(|it| (it.ticket, outcome));
        self.schedule.finish(job.reference(), outcomes, self.now);
        self.changes.extend(self.schedule.take_changes());
    }

    /// Runs for a time in ticks, answering all jobs; returns the checks with their second.
    fn run(
        &mut self,
        time: Duration,
        answer: &dyn Fn(&Job) -> Outcome<'static>,
    ) -> Vec<(ItemId, i64)> {
        let end = self.now.wall.0 + i64::try_from(time.as_nanos()).expect("short");
        let mut checked = Vec::new();
        while self.now.wall.0 < end {
            let mut jobs = self.sleep(Duration::from_millis(125));
            while let Some(job) = jobs.pop() {
                let second = self.now.wall.clock() - START_S;
                checked.extend(job.checks.iter().map(|it| (it.item, second)));
                self.finish(&job, answer(&job));
                jobs.extend(self.schedule.take_jobs(usize::MAX, self.now));
            }
        }
        checked
    }
}

fn answered(_: &Job) -> Outcome<'static> {
    Outcome::Answered
}

const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn each_item_is_checked_once_an_interval_at_its_own_place() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 100, "30s")]));
    let checked = bench.run(secs(120), &answered);
    for n in 0..100 {
        let times: Vec<_> =
            checked.iter().filter(|(it, _)| *it == ItemId(1_000 + n)).map(|it| it.1).collect();
        let first = i64::try_from((1_000 + n) % 30).expect("small");
        let expected: Vec<_> =
            (0..=4).map(|it| first + it * 30).filter(|it| (1..120).contains(it)).collect();
        let times: Vec<_> = times.into_iter().filter(|it| *it < 120).collect();
        assert_eq!(times, expected, "item {n}");
    }
}

#[test]
fn discovered_items_have_the_interval_of_their_row() {
    let mut bench = bench();
    let mut it = agent_host(1, 0, "");
    it.items = [(1, "10s"), (2, "30s"), (3, "soon")]
        .map(|(id, value)| {
            let prototype = item(id, ItemType::ZabbixAgent, "key[{#A}]", "{#DELAY}");
            discovered(prototype, &format!("key[{id}]"), &[("{#DELAY}", value)])
        })
        .into();
    bench.set(&snapshot(1, [it]));
    bench.run(secs(60), &answered);
    let checked = bench.run(secs(60), &answered);
    let n_of = |id| checked.iter().filter(|it| it.0 == ItemId(id)).count();
    assert_eq!((n_of(1), n_of(2)), (6, 2));
    // An interval that cannot be read is reported each minute.
    assert_eq!(n_of(3), 1);
}

#[test]
fn load_is_flat() {
    let mut bench = bench();
    bench.set(&snapshot(1, (1..=60).map(|id| agent_host(id, 10, "1m"))));
    bench.run(secs(60), &answered);
    let checked = bench.run(secs(60), &answered);
    assert_eq!(checked.len(), 600);
    let mut by_second = [0_u32; 121];
    for (_, second) in checked {
        by_second[usize::try_from(second).expect("small")] += 1;
    }
    assert!(by_second.iter().all(|it| *it <= 60), "{by_second:?}");
}

#[test]
fn new_items_with_long_intervals_are_checked_within_a_minute() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 20, "1h")]));
    let checked = bench.run(secs(61), &answered);
    let items: Set<ItemId> = checked.iter().map(|it| it.0).collect();
    assert_eq!(items.len(), 20);
    assert_eq!(bench.run(secs(600), &answered).len() / 10, 0, "then each hour");
}

#[test]
fn scheduling_intervals_are_kept_to_the_second() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 3, "0;m/5s20")]));
    let checked = bench.run(secs(600), &answered);
    let seconds: Vec<_> = checked.iter().map(|it| it.1).collect();
    assert_eq!(seconds, [20, 20, 20, 320, 320, 320]);
}

#[test]
fn intervals_beyond_the_wheel_are_due_in_time() {
    let mut bench = bench();
    // In some 45 hours, further than the wheel reaches; START_S is a Friday.
    bench.set(&snapshot(1, [agent_host(1, 1, "0;wd6h21")]));
    let mut at = Vec::new();
    for _ in 0..60 {
        for job in bench.sleep(secs(3_600)) {
            at.push(i64::from(job.checks[0].due) - START_S);
            bench.finish(&job, Outcome::Answered);
        }
    }
    assert_eq!(at, [45 * 3_600]);
}

#[test]
fn devices_take_turns_within_their_bound_of_jobs() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 50, "1m"), agent_host(2, 3, "1m")]));
    let mut jobs = bench.sleep(secs(61));
    // No device has answered yet: one each.
    assert_eq!(jobs.len(), 2);
    let first = jobs.swap_remove(0);
    bench.finish(&first, Outcome::Answered);
    let more = bench.schedule.take_jobs(usize::MAX, bench.now);
    let hosts: Vec<_> = more.iter().map(|it| it.host).collect();
    assert_eq!(hosts, [first.host; 4]);
    assert!(bench.schedule.n_overdue(5, None, bench.now.wall)[AGENT] > 40);
    assert!(bench.schedule.n_overdue(5, Some(6), bench.now.wall)[AGENT] <= 2);
}

#[test]
fn snmp_items_of_one_device_share_requests_and_walks_go_alone() {
    let mut bench = bench();
    let mut switch = host(1, "switch");
    switch.interfaces.push(interface(1, InterfaceType::Snmp, "127.0.0.1", 161));
    switch.items = (0..10).map(|n| item(n + 1, ItemType::Snmp, ".1.3", "1m")).collect();
    switch.items.push(item(11, ItemType::Snmp, "walk[.1.3]", "1m"));
    bench.set(&snapshot(1, [switch]));
    let mut sizes = Vec::new();
    let mut jobs = bench.sleep(secs(61));
    while let Some(job) = jobs.pop() {
        sizes.push(job.checks.len());
        bench.finish(&job, Outcome::Answered);
        jobs.extend(bench.schedule.take_jobs(usize::MAX, bench.now));
    }
    assert_eq!(sizes.iter().sum::<usize>(), 11);
    assert!(sizes.contains(&8) && sizes.contains(&1), "{sizes:?}");
}

#[test]
fn a_dead_device_costs_one_probe_at_a_time_and_turns_unavailable() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 100, "10s")]));
    let probes = bench.run(secs(300), &|_| Outcome::Failed("no answer"));
    let seconds: Vec<_> = probes.iter().map(|it| it.1).collect();
    assert_eq!(seconds, [1, 16, 31, 46, 61, 121, 181, 241], "each 15 s, then each minute");
    let states: Vec<_> = bench.changes.iter().map(|(_, it)| it.available).collect();
    assert_eq!(states[..4], [Available::Unknown; 4]);
    assert!(states[4..].iter().all(|it| *it == Available::No));
    let (_, last) = bench.changes.last().expect("some");
    assert_eq!(last.error, "no answer");
    assert_eq!(last.errors_from.clock(), START_S + 1);
    assert_eq!(bench.schedule.n_overdue(5, None, bench.now.wall)[AGENT], 0, "not queued");
}

#[test]
fn returning_device_is_asked_for_all_items_at_once() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 50, "10s")]));
    bench.run(secs(100), &|_| Outcome::Failed("no answer"));
    bench.changes.clear();
    let checked = bench.run(secs(22), &answered);
    let items: Set<ItemId> = checked.iter().map(|it| it.0).collect();
    assert_eq!(items.len(), 50);
    let states: Vec<_> = bench.changes.iter().map(|(_, it)| it.clone()).collect();
    assert_eq!(states, [InterfaceState { available: Available::Yes, ..Default::default() }]);
}

#[test]
fn dead_devices_do_not_delay_the_living() {
    let mut bench = bench();
    bench.set(&snapshot(1, (1..=200).map(|id| agent_host(id, 10, "10s"))));
    let dead = |job: &Job| job.host.0.is_multiple_of(2);
    let answer = |job: &Job| {
        if dead(job) { Outcome::Failed("no answer") } else { Outcome::Answered }
    };
    bench.run(secs(60), &answer);
    let checked = bench.run(secs(60), &answer);
    let of_dead = checked.iter().filter(|(it, _)| it.0 / 1_000 % 2 == 0).count();
    assert!((100..=400).contains(&of_dead), "probes only: {of_dead}");
    assert_eq!(checked.len() - of_dead, 100 * 10 * 6);
}

#[test]
fn execute_now_checks_at_once_and_probes_a_dead_device() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 2, "10m")]));
    bench.run(secs(61), &answered);
    assert!(bench.schedule.execute_now(HostId(1), ItemId(1_001), bench.now));
    assert!(!bench.schedule.execute_now(HostId(1), ItemId(1_002), bench.now));
    let jobs = bench.schedule.take_jobs(usize::MAX, bench.now);
    assert_eq!(jobs.iter().map(|it| it.checks[0].item).collect::<Vec<_>>(), [ItemId(1_001)]);
    bench.finish(&jobs[0], Outcome::Failed("gone"));
    for item in [1_000, 1_001] {
        assert!(bench.schedule.execute_now(HostId(1), ItemId(item), bench.now));
        let jobs = bench.schedule.take_jobs(usize::MAX, bench.now);
        assert_eq!(jobs.len(), 1, "although it is to be left alone");
        bench.finish(&jobs[0], Outcome::Failed("gone"));
    }
    let probes = bench.run(secs(20), &answered);
    assert_eq!(probes.len(), 2, "the probe, then what was parked: {probes:?}");
}

#[test]
fn change_keeps_the_times_of_unchanged_items() {
    let mut bench = bench();
    let before = agent_host(1, 4, "1h");
    bench.set(&snapshot(1, [before.clone()]));
    bench.run(secs(61), &answered);
    let mut after = before;
    after.items.remove(1);
    after.items[1] = item(1_002, ItemType::ZabbixAgent, "key[2]", "10s");
    Arc::make_mut(&mut after.items[2].content).status = ItemStatus::Disabled;
    after.items.push(item(1_009, ItemType::ZabbixAgent, "key[9]", "1h"));
    bench.set(&snapshot(2, [after.clone()]));
    assert_eq!(bench.schedule.n_items(), 3);
    let checked = bench.run(secs(61), &answered);
    let n = |id| checked.iter().filter(|(it, _)| *it == ItemId(id)).count();
    assert_eq!((n(1_000), n(1_001), n(1_002), n(1_003), n(1_009)), (0, 0, 6, 0, 1));
    after.status = HostStatus::NotMonitored;
    bench.set(&snapshot(3, [after]));
    assert_eq!(bench.schedule.n_items(), 0);
    assert_eq!(bench.run(secs(120), &answered), []);
}

#[test]
fn an_answer_for_an_item_that_is_gone_changes_nothing() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 2, "10s")]));
    let jobs = bench.sleep(secs(11));
    bench.schedule.remove_host(HostId(1));
    bench.set(&snapshot(2, [agent_host(2, 2, "10s")]));
    bench.finish(&jobs[0], Outcome::Failed("late"));
    assert_eq!(bench.changes, []);
    assert_eq!(bench.run(secs(20), &answered).len(), 3);
}

#[test]
fn another_address_is_another_device() {
    let mut bench = bench();
    let mut it = agent_host(1, 10, "10s");
    bench.set(&snapshot(1, [it.clone()]));
    bench.run(secs(70), &|_| Outcome::Failed("no answer"));
    it.interfaces[0].ip = "127.0.0.2".to_owned();
    bench.set(&snapshot(2, [it]));
    bench.changes.extend(bench.schedule.take_changes());
    assert_eq!(bench.changes.last().expect("one").1, InterfaceState::default());
    assert!(bench.run(secs(11), &answered).len() >= 10);
}

#[test]
fn failed_items_are_checked_when_the_device_returns_or_changes() {
    for is_changed in [false, true] {
        let mut bench = bench();
        let mut it = agent_host(1, 0, "");
        it.interfaces.push(interface(7, InterfaceType::Snmp, "127.0.0.1", 161));
        it.items =
            (0..6).map(|n| item(1_000 + n, ItemType::Snmp, &format!("oid[{n}]"), "1h")).collect();
        bench.set(&snapshot(1, [it.clone()]));
        // One request for all of them, then its probes.
        let failed = bench.run(secs(61), &|_| Outcome::Failed("no answer"));
        assert!(5 < failed.len(), "{failed:?}");
        if is_changed {
            it.interfaces.last_mut().expect("one").ip = "127.0.0.2".to_owned();
            bench.set(&snapshot(2, [it]));
        }
        let checked = bench.run(secs(61), &answered);
        let items: Set<ItemId> = checked.iter().map(|it| it.0).collect();
        assert_eq!(items.len(), 6, "an hour later otherwise: {checked:?}");
        assert_eq!(bench.run(secs(60), &answered), [], "then each hour");
    }
}

#[test]
fn results_under_old_settings_do_not_count_for_the_device() {
    for outcome in [Outcome::Failed("no answer"), Outcome::Answered] {
        let mut bench = bench();
        let mut it = agent_host(1, 3, "1h");
        bench.set(&snapshot(1, [it.clone()]));
        let mut asked = Vec::new();
        while asked.is_empty() {
            asked = bench.sleep(secs(1));
        }
        it.interfaces[0].ip = "127.0.0.2".to_owned();
        bench.set(&snapshot(2, [it]));
        bench.finish(&asked[0], outcome);
        assert_eq!(bench.changes, [], "{outcome:?}");
        let mut checked = bench.schedule.take_jobs(usize::MAX, bench.now);
        let items: Vec<_> = checked.iter().map(|it| it.checks[0].item).collect();
        assert_eq!(items, [asked[0].checks[0].item], "it is checked again: {outcome:?}");
        bench.finish(&checked.remove(0), Outcome::Answered);
        assert_eq!(bench.changes.last().expect("one").1.available, Available::Yes);
    }
}

#[test]
fn a_clock_that_is_set_back_does_not_stop_polling() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 10, "10s")]));
    bench.run(secs(30), &answered);
    bench.now.wall = Time(bench.now.wall.0 - 86_400 * 1_000_000_000);
    assert!(bench.run(secs(21), &answered).len() >= 20);
    bench.now.wall = Time(bench.now.wall.0 + 30 * 86_400 * 1_000_000_000);
    assert!(bench.run(secs(20), &answered).len() >= 20);
}

#[test]
fn broken_intervals_are_reported_each_minute() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 1, "{$NOBODY}")]));
    let mut broken = 0;
    for _ in 0..120 {
        for job in bench.sleep(secs(1)) {
            broken += usize::from(job.checks[0].is_broken);
            bench.finish(&job, Outcome::NotMade);
        }
    }
    assert_eq!(broken, 2);
}

#[derive(Clone, Debug)]
enum Act {
    Sleep(u64),
    Finish { which: usize, outcome: u8 },
    Set { host: u64, items: u8, delay: usize, ip: u8 },
    Remove(u64),
    Execute { host: u64, item: u64 },
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1_u64..20_000).prop_map(Act::Sleep),
        4 => (any::<usize>(), 0_u8..3).prop_map(|(which, outcome)| Act::Finish { which, outcome }),
        2 => (1_u64..4, any::<u8>(), 0_usize..4, 0_u8..2)
            .prop_map(|(host, items, delay, ip)| Act::Set { host, items, delay, ip }),
        1 => (1_u64..4).prop_map(Act::Remove),
        1 => (1_u64..4, 0_u64..8).prop_map(|(host, item)| Act::Execute { host, item }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// After any sequence of events, once devices answer, every configured item is checked and
    /// nothing else.
    #[test]
    fn no_item_is_ever_lost(acts in prop::collection::vec(acts(), 1..80)) {
        let mut bench = bench();
        let mut jobs: Vec<Job> = Vec::new();
        let mut hosts: std::collections::BTreeMap<u64, Host> = Default::default();
        for act in acts {
            match act {
                Act::Sleep(ms) => jobs.extend(bench.sleep(Duration::from_millis(ms))),
                Act::Finish { which, outcome } => {
                    if !jobs.is_empty() {
                        let job = jobs.swap_remove(which % jobs.len());
                        let outcome =
                            [Outcome::Answered, Outcome::Failed("x"), Outcome::NotMade][usize::from(outcome)];
                        bench.finish(&job, outcome);
                    }
                }
                Act::Set { host, items, delay, ip } => {
                    let delay = ["5s", "30s", "10s;20s/1-7,00:00-24:00", "{$X}"][delay];
                    let mut it = agent_host(host, 8, delay);
                    it.interfaces[0].ip = format!("127.0.0.{ip}");
                    it.items.retain(|row| items >> (row.id.0 % 8) & 1 == 1);
                    bench.set(&snapshot(1, [it.clone()]));
                    hosts.insert(host, it);
                }
                Act::Remove(host) => {
                    bench.schedule.remove_host(HostId(host));
                    hosts.remove(&host);
                }
                Act::Execute { host, item } => {
                    bench.schedule.execute_now(HostId(host), ItemId(host * 1_000 + item), bench.now);
                }
            }
            jobs.extend(bench.schedule.take_jobs(usize::MAX, bench.now));
        }
        for job in jobs {
            bench.finish(&job, Outcome::Answered);
        }
        bench.run(secs(70), &answered);
        let checked: Set<ItemId> = bench.run(secs(70), &answered).iter().map(|it| it.0).collect();
        let wanted: Set<ItemId> =
            hosts.values().flat_map(|it| it.items.iter().map(|row| row.id)).collect();
        prop_assert_eq!(bench.schedule.n_items(), wanted.len());
        prop_assert_eq!(checked, wanted);
        prop_assert_eq!(bench.schedule.n_jobs().sum::<usize>(), 0);
    }
}

/// All late entries, read in parts of `n`.
fn late(bench: &Bench, n: usize) -> Vec<LateCheck> {
    let mut late = Vec::new();
    let mut from = 0;
    while bench.schedule.late_among((from, n), 5, bench.now.wall, &mut late) {
        from += n;
    }
    late.sort_unstable_by_key(|it| it.item);
    late
}

#[test]
fn late_checks_are_found_in_parts_of_any_size() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 100, "30s"), agent_host(2, 7, "1h")]));
    // No device answers: four a device may be under way, one as long as the device has never
    // answered.
    bench.sleep(secs(90));
    let whole = late(&bench, usize::MAX);
    let n_overdue: u64 = bench.schedule.n_overdue(5, None, bench.now.wall).iter().sum();
    assert_eq!(whole.len(), usize::try_from(n_overdue).expect("few"));
    assert!(90 < whole.len(), "{whole:?}");
    for n in [1, 7, 107, 108] {
        assert_eq!(late(&bench, n), whole, "{n}");
    }
}

#[test]
fn devices_have_the_time_of_their_conversations() {
    let mut bench = bench();
    bench.set(&snapshot(1, [agent_host(1, 1, "30s"), agent_host(2, 1, "30s")]));
    let mut n_finished = 0;
    while n_finished < 6 {
        for job in bench.sleep(secs(1)) {
            n_finished += 1;
            // The first host takes 10 ms, the second two seconds and a time-out.
            let is_slow = job.host == HostId(2);
            let (ns, outcome) = if is_slow {
                (2_000_000_000, Outcome::TimedOut)
            } else {
                (10_000_000, Outcome::Answered)
            };
            let now = Now { wall: bench.now.wall, mono_ns: bench.now.mono_ns + ns };
            let outcomes = job.checks.iter().map(|it| (it.ticket, outcome));
            bench.schedule.finish(job.reference(), outcomes, now);
        }
    }
    let mut costs = Vec::new();
    assert!(bench.schedule.costs_among((0, 1), bench.now.mono_ns, &mut costs));
    assert!(!bench.schedule.costs_among((1, 9), bench.now.mono_ns, &mut costs));
    costs.sort_unstable_by_key(|it| it.host);
    let of = |at: usize| (costs[at].host, costs[at].sums.mean_us(), costs[at].sums.n_timeouts);
    assert_eq!((of(0), of(1)), ((HostId(1), 10_000, 0), (HostId(2), 2_000_000, 3)));
    assert_eq!(costs[1].sums.slowest, ItemId(2_000));
    assert_eq!((costs[1].is_failing, costs[1].sums.n_failed), (false, 0));
    let costliest = bench.schedule.costliest_items(1);
    assert_eq!(costliest[0].item, ItemId(2_000));
    assert!(0.98 < costliest[0].share, "{costliest:?}");
    // A job whose checks were not made costs nothing.
    let before = costs[0].sums;
    let job = loop {
        let jobs = bench.sleep(secs(1));
        if let Some(job) = jobs.into_iter().find(|it| it.host == HostId(1)) {
            break job;
        }
    };
    bench.finish(&job, Outcome::NotMade);
    costs.clear();
    bench.schedule.costs_among((0, 9), bench.now.mono_ns, &mut costs);
    costs.sort_unstable_by_key(|it| it.host);
    assert_eq!(costs[0].sums, before);
}

/// Checks within some minutes, each with its time, by a schedule that is advanced at the times that
/// `next` returns.
fn checks_at(next: impl Fn(&Schedule, Time) -> Time) -> (Vec<(ItemId, Time)>, usize) {
    let mut bench = bench();
    bench.set(&snapshot(1, (1..=7).map(|id| agent_host(id, 3, "20s"))));
    bench.now.wall = Time(bench.now.wall.0 + 300_000_000);
    let end = bench.now.wall.clock() + 180;
    let (mut checks, mut n_turns) = (Vec::new(), 0);
    while bench.now.wall.clock() < end {
        let time = next(&bench.schedule, bench.now.wall).since_ns(bench.now.wall);
        let mut jobs = bench.sleep(Duration::from_nanos(time.try_into().expect("it goes on")));
        n_turns += 1;
        while let Some(job) = jobs.pop() {
            checks.extend(job.checks.iter().map(|it| (it.item, bench.now.wall)));
            bench.finish(&job, Outcome::Answered);
            jobs.extend(bench.schedule.take_jobs(usize::MAX, bench.now));
        }
    }
    checks.sort_unstable();
    (checks, n_turns)
}

#[test]
fn advancing_by_due_time_is_as_punctual_as_by_tick() {
    const STEP_NS: i64 = 1_000_000_000 / PARTS as i64;
    let (each, n_ticks) = checks_at(|_, now| Time((now.0.div_euclid(STEP_NS) + 1) * STEP_NS));
    let (due, n_turns) = checks_at(Schedule::next_tick);
    assert_eq!(due, each);
    assert!(170 < each.len(), "{} checks", each.len());
    // One for each second, and one for each part of it that has an item.
    assert!(n_turns < n_ticks / 5, "{n_turns} turns of {n_ticks}");
}
