//! Crashes under load lose nothing that was acknowledged and repeat nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::peer::{self, Counts};
use crate::support::stores::{self, History};
use crate::support::{FLOAT, Server, UNSIGNED, now, wait_until};
use history::Trend;
use model::record::Hour;
use model::value::Sample;
use model::{Time, Value, ValueType};
use serde_json::json;

const N_HOSTS: u64 = 200;
const N_ITEMS: u64 = 20;
const N_SENDERS: u64 = 8;
const HOSTS_OF_SENDER: u64 = N_HOSTS / N_SENDERS;
/// Acknowledged requests of one round before it is cut; each has a value for each item of 25 hosts.
const REQUESTS_OF_ROUND: u64 = 200;
/// Rounds in which the kill may come too late.
const UNFINISHED_TRIES: usize = 6;
const ROUND_MAX: Duration = Duration::from_secs(300);
/// These items hold floats.
const FLOATS: Range<u64> = 10..14;
/// Values of these are kept for a day, which is over so many seconds after they came: then their
/// files are removed. Their trends are kept as long as those of the others.
const SHORT: Range<u64> = 18..20;
const DAY: i64 = 86_400;
const SHORT_FOR: i64 = 5;

/// 200 hosts with 20 items from one template; the first item flips its host's trigger.
pub(crate) fn configure(server: &Server) {
    let group = server.create("templategroup.create", &json!({"name": "Load"})).remove(0);
    let template = json!({"host": "Load", "groups": [{"groupid": group}]});
    let template = server.create("template.create", &template).remove(0);
    let items: Vec<_> = (0..N_ITEMS)
        .map(|it| {
            let key = format!("load[{it}]");
            let value_type = if FLOATS.contains(&it) { FLOAT } else { UNSIGNED };
            let history = if SHORT.contains(&it) { "1d" } else { "31d" };
            json!({
                "hostid": template, "name": key, "key_": key, "type": 2,
                "value_type": value_type, "history": history,
            })
        })
        .collect();
    server.create("item.create", &json!(items));
    server.trigger("flips", "last(/Load/load[0])=1");
    let group = server.group("Loaded");
    let hosts: Vec<_> = (0..N_HOSTS)
        .map(|it| {
            json!({
                "host": format!("host-{it}"), "groups": [{"groupid": group}],
                "templates": [{"templateid": template}],
            })
        })
        .collect();
    server.create("host.create", &json!(hosts));
}

/// State of the senders.
#[derive(Default)]
pub(crate) struct Ledger {
    /// By sender: numbers of requests that were acknowledged.
    acknowledged: Mutex<BTreeMap<u64, BTreeSet<i64>>>,
    n_acknowledged: AtomicU64,
    /// Number of each sender's next request.
    next: [AtomicU64; 8],
    /// By sender: the times of values that are kept for a day, by number, and whether they were acknowledged.
    short: Mutex<BTreeMap<u64, Short>>,
    times: Times,
}

/// The times of values: request 0, and the seconds from each to the next. Senders continue while a
/// kill waits for its moment, so the number of requests is unknown: those after `n_steps` are a
/// millisecond from each other, the resolution of stored numbers, so that times hardly pass the
/// present.
#[derive(Clone, Copy, Default)]
pub(crate) struct Times {
    pub(crate) base: i64,
    pub(crate) step: i64,
    pub(crate) n_steps: i64,
}

impl Times {
    /// Steps up to the present.
    pub(crate) fn until_now(n_steps: i64, step: i64) -> Self {
        Self { base: now() - n_steps * step, step, n_steps }
    }

    fn clock(self, number: i64) -> i64 {
        self.base + number.min(self.n_steps) * self.step + self.behind_ms(number) / 1_000
    }

    fn ns(self, number: i64) -> i64 {
        self.behind_ms(number) % 1_000 * 1_000_000
    }

    /// Behind the last step.
    fn behind_ms(self, number: i64) -> i64 {
        (number - self.n_steps).max(0)
    }

    fn number(self, time: Time) -> i64 {
        let (since, last) = (time.clock() - self.base, self.n_steps * self.step);
        let behind_ms = (since - last).max(0) * 1_000 + i64::from(time.ns()) / 1_000_000;
        since.min(last) / self.step + behind_ms
    }
}

type Short = BTreeMap<i64, (i64, bool)>;

/// Also a round that fails ends its senders.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Ledger {
    /// Sends until `end` is set or the server is gone.
    fn load(&self, server: SocketAddr, sender: u64, end: &AtomicBool) {
        let mut stream = peer::connect(server);
        let next = &self.next[usize::try_from(sender).unwrap()];
        while !end.load(Ordering::Relaxed) {
            // Whether a request without an answer was taken is not known: its number is used up.
            let number = i64::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap();
            let short_clock = now() - DAY + SHORT_FOR;
            self.set_short(sender, number, (short_clock, false));
            let hosts = sender * HOSTS_OF_SENDER..(sender + 1) * HOSTS_OF_SENDER;
            let rows: Vec<_> = hosts
                .flat_map(|host| (0..N_ITEMS).map(move |item| (host, item)))
                .map(|(host, item)| {
                    let value = value(item, number).to_string();
                    let (host, key) = (format!("host-{host}"), format!("load[{item}]"));
                    let is_short = SHORT.contains(&item);
                    let clock = if is_short { short_clock } else { self.times.clock(number) };
                    let mut row = peer::row(&host, &key, &value, clock);
                    // Of one nanosecond there is one value.
                    row["ns"] = json!(if is_short {
                        number % 1_000_000_000
                    } else {
                        self.times.ns(number)
                    });
                    row
                })
                .collect();
            let Ok(counts) = peer::send(&mut stream, &rows) else {
                // A slow sender may be disconnected by a server that works.
                let Ok(next) = peer::try_connect(server) else { return };
                stream = next;
                continue;
            };
            let n = u64::try_from(rows.len()).unwrap();
            if counts == Counts(n, 0, n) {
                self.set_short(sender, number, (short_clock, true));
            } else {
                // They came after their day: all others are taken.
                let n_short = n / N_ITEMS * (SHORT.end - SHORT.start);
                let is_late = counts.1 <= n_short && counts.0 + counts.1 == n && counts.2 == n;
                assert!(is_late, "every value is processed: {counts:?}");
            }
            self.acknowledged.lock().unwrap().entry(sender).or_default().insert(number);
            self.n_acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn set_short(&self, sender: u64, number: i64, value: (i64, bool)) {
        self.short.lock().unwrap().entry(sender).or_default().insert(number, value);
    }

    pub(crate) fn of(times: Times) -> Self {
        Self { times, ..Self::default() }
    }

    /// Load until enough is acknowledged, with a `look` now and then, and then `cut` during the
    /// load.
    pub(crate) fn round<T>(
        &self,
        server: &mut Server,
        n: u64,
        look: impl Fn(),
        cut: impl FnOnce(&mut Server) -> T,
    ) -> T {
        let (end, address) = (AtomicBool::new(false), server.trapper());
        let wanted = self.n_acknowledged.load(Ordering::Relaxed) + n;
        thread::scope(|scope| {
            let ending = EndOnDrop(&end);
            let load = |sender| {
                let end = &end;
                scope.spawn(move || self.load(address, sender, end))
            };
            let senders: Vec<_> = (0..N_SENDERS).map(load).collect();
            wait_until("the load is acknowledged", ROUND_MAX, || {
                let has_ended = senders.iter().any(thread::ScopedJoinHandle::is_finished);
                assert!(!has_ended, "a sender ended");
                look();
                self.n_acknowledged.load(Ordering::Relaxed) >= wanted
            });
            let cut = cut(server);
            drop(ending);
            cut
        })
    }
}

/// The first item flips, the others hold the number of their request.
fn value(item: u64, number: i64) -> u64 {
    let number = u64::try_from(number).unwrap();
    if item == 0 { number % 2 } else { number }
}

/// Item ids by host and key.
fn item_ids(server: &Server) -> BTreeMap<(String, String), String> {
    let params = json!({"output": ["itemid", "key_"], "selectHosts": ["host"]});
    let rows = server.call("item.get", &params);
    let text = |it: &serde_json::Value| it.as_str().unwrap().to_owned();
    rows.as_array()
        .unwrap()
        .iter()
        .map(|it| ((text(&it["hosts"][0]["host"]), text(&it["key_"])), text(&it["itemid"])))
        .collect()
}

/// Trigger ids by host.
fn trigger_values(server: &Server) -> BTreeMap<String, (u64, bool)> {
    let params = json!({"output": ["triggerid", "value"], "selectHosts": ["host"]});
    let rows = server.call("trigger.get", &params);
    rows.as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let host = it["hosts"][0]["host"].as_str().unwrap().to_owned();
            (host, (it["triggerid"].as_str().unwrap().parse().unwrap(), it["value"] == "1"))
        })
        .collect()
}

fn value_type(item: u64) -> ValueType {
    if FLOATS.contains(&item) { ValueType::Float } else { ValueType::Unsigned }
}

/// The value that the item had by a request.
fn stored_value(item: u64, number: i64) -> Value {
    let value = value(item, number);
    match value_type(item) {
        ValueType::Float => Value::Float(f64::from(u32::try_from(value).unwrap())),
        _ => Value::Unsigned(value),
    }
}

/// The trends that values make, each with its number and clock.
fn trends_of(item: u64, values: impl Iterator<Item = (i64, i64)>) -> BTreeMap<Hour, Trend> {
    let mut trends: BTreeMap<Hour, Trend> = BTreeMap::new();
    for (number, clock) in values {
        let time = Time::from_clock(clock, 0);
        let part = match stored_value(item, number) {
            Value::Float(it) => Trend::of_float(time, it),
            _ => Trend::of_unsigned(time, value(item, number)),
        };
        trends.entry(part.hour).and_modify(|it| assert!(it.add(&part))).or_insert(part);
    }
    trends
}

/// Every acknowledged number is there, none twice, with its value. Gives the numbers.
fn check_values(
    samples: &[Sample],
    item: u64,
    acknowledged: &BTreeSet<i64>,
    times: Times,
) -> BTreeSet<i64> {
    let mut seen = BTreeSet::new();
    for sample in samples {
        let number = times.number(sample.time);
        assert_eq!(sample.value, stored_value(item, number), "number {number}");
        assert!(seen.insert(number), "number {number} is there twice");
    }
    let lost: Vec<_> = acknowledged.difference(&seen).collect();
    assert!(lost.is_empty(), "lost although acknowledged: {lost:?}");
    seen
}

/// Each past hour has the trend of its values, once. Returns how many hours it saw.
fn check_trends(trends: &[Trend], item: u64, stored: &BTreeSet<i64>, times: Times) -> usize {
    let want = trends_of(item, stored.iter().map(|it| (*it, times.clock(*it))));
    let found = by_hour(trends);
    // The hour in which the last value lies may be under way.
    let last = want.last_key_value().map(|it| *it.0);
    for (hour, want) in want.iter().filter(|it| Some(*it.0) != last) {
        assert_eq!(found.get(hour), Some(want), "item {item}");
    }
    for (hour, found) in &found {
        let most = want.get(hour).map(|it| it.count);
        assert!(most.is_some_and(|it| found.count <= it), "item {item}: {found:?} of {most:?}");
    }
    found.len()
}

fn by_hour(trends: &[Trend]) -> BTreeMap<Hour, Trend> {
    assert!(trends.is_sorted_by(|a, b| a.hour < b.hour), "one trend for each hour, in order");
    trends.iter().map(|it| (it.hour, *it)).collect()
}

/// Of an item whose values are kept for a day: no value is there twice, and acknowledged ones are
/// there, unless their day is over. Trends have all of them, once. Returns how many values have
/// expired.
fn check_short((samples, trends): (&[Sample], &[Trend]), item: u64, sent: &Short) -> usize {
    let kept_from = now() - DAY;
    let mut seen = BTreeSet::new();
    for sample in samples {
        let Value::Unsigned(number) = sample.value else { panic!("{sample:?}") };
        let number = i64::try_from(number).unwrap();
        let (clock, _) = sent.get(&number).expect("a value that was sent");
        assert_eq!(sample.time.clock(), *clock, "number {number}");
        assert!(seen.insert(number), "number {number} is there twice");
    }
    let acknowledged = sent.iter().filter(|it| it.1.1);
    let gone: Vec<_> = acknowledged.clone().filter(|it| !seen.contains(it.0)).collect();
    let lost: Vec<_> = gone.iter().filter(|it| kept_from <= it.1.0).collect();
    assert!(lost.is_empty(), "lost although acknowledged: {lost:?}");
    let least = trends_of(item, acknowledged.map(|it| (*it.0, it.1.0)));
    let most = trends_of(item, sent.iter().map(|it| (*it.0, it.1.0)));
    let found = by_hour(trends);
    let last = most.last_key_value().map(|it| *it.0);
    for (hour, least) in least.iter().filter(|it| Some(*it.0) != last) {
        let found =
            found.get(hour).unwrap_or_else(|| panic!("item {item} has no trend: {least:?}"));
        let is_in = found.min.to_f64() <= least.min.to_f64()
            && least.max.to_f64() <= found.max.to_f64()
            && least.count <= found.count;
        assert!(is_in, "item {item}: {found:?}, at least {least:?}");
    }
    for (hour, found) in &found {
        let most = most.get(hour).unwrap_or_else(|| panic!("item {item}: {found:?} of nothing"));
        let is_in = found.count <= most.count
            && most.min.to_f64() <= found.min.to_f64()
            && found.max.to_f64() <= most.max.to_f64();
        assert!(is_in, "item {item}: {found:?}, at most {most:?}");
    }
    gone.len()
}

/// The values that a trigger went through, by the values of its item.
fn states(samples: &[Sample]) -> Vec<u8> {
    let mut states = vec![0];
    for sample in samples {
        let state = u8::from(sample.value == Value::Unsigned(1));
        if states.last() != Some(&state) {
            states.push(state);
        }
    }
    states.remove(0);
    states
}

/// Everything that was acknowledged is stored, once, with the events that follow from it. The server is
/// stopped.
pub(crate) fn check_all(server: &mut Server, ledger: &Ledger) -> Checked {
    let (items, triggers) = (item_ids(server), trigger_values(server));
    server.stop();
    let history = History::open(&server.data());
    let db = stores::database(&server.data());
    let mut ids = BTreeSet::new();
    let mut events: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for event in stores::events(&db).iter().filter(|it| (it.source, it.object) == (0, 0)) {
        assert!(ids.insert(event.eventid), "event {} is there twice", event.eventid.0);
        events.entry(event.objectid).or_default().push(event.value);
    }
    let acknowledged = ledger.acknowledged.lock().unwrap();
    let short = ledger.short.lock().unwrap();
    let mut checked = Checked::default();
    for host in 0..N_HOSTS {
        let of_sender = &acknowledged[&(host / HOSTS_OF_SENDER)];
        let name = format!("host-{host}");
        for item in 0..N_ITEMS {
            let id = &items[&(name.clone(), format!("load[{item}]"))];
            let samples = history.values(id, value_type(item));
            let trends = history.trends(id, value_type(item));
            checked.n_values += samples.len();
            if SHORT.contains(&item) {
                let sent = &short[&(host / HOSTS_OF_SENDER)];
                checked.n_expired += check_short((&samples, &trends), item, sent);
                continue;
            }
            let stored = check_values(&samples, item, of_sender, ledger.times);
            checked.n_hours += check_trends(&trends, item, &stored, ledger.times);
            if item == 0 {
                let (trigger, is_problem) = triggers[&name];
                let (expected, seen) = (states(&samples), events.remove(&trigger));
                assert_eq!(seen.unwrap_or_default(), expected, "events of {name}");
                assert_eq!(is_problem, expected.last() == Some(&1), "{name}");
                let n_open = db.events().open_of((0, 0), trigger).len();
                assert_eq!(n_open, usize::from(is_problem), "open problems of {name}");
                checked.n_events += expected.len();
            }
        }
    }
    let n_requests: usize = acknowledged.values().map(BTreeSet::len).sum();
    checked.n_acknowledged = n_requests * usize::try_from(HOSTS_OF_SENDER * N_ITEMS).unwrap();
    checked
}

/// Counts of checked objects.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked {
    pub(crate) n_acknowledged: usize,
    pub(crate) n_values: usize,
    /// Values that went with their files, past their period.
    pub(crate) n_expired: usize,
    pub(crate) n_events: usize,
    /// Hours of trends.
    pub(crate) n_hours: usize,
}

#[test]
fn crashes_under_load_lose_no_acknowledged_value_and_double_no_event() {
    let mut server = Server::start();
    configure(&server);
    let ledger = Ledger::of(Times::until_now(100_000, 1));
    for _ in 0..3 {
        ledger.round(&mut server, REQUESTS_OF_ROUND, || (), Server::kill);
        server.start_again();
    }
    let mut n_unfinished = 0;
    for _ in 0..UNFINISHED_TRIES {
        let cut = Server::kill_in_last_checkpoint;
        n_unfinished += usize::from(ledger.round(&mut server, REQUESTS_OF_ROUND, || (), cut));
        server.start_again();
        if n_unfinished == 2 {
            break;
        }
    }
    assert_ne!(n_unfinished, 0, "no kill came while a checkpoint was written");
    ledger.round(&mut server, REQUESTS_OF_ROUND, || (), Server::stop);
    server.start_again();
    check_all(&mut server, &ledger);
}
