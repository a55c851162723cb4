//! Crashes under load lose nothing that was acknowledged and repeat nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::peer::{self, Counts};
use crate::support::stores::{self, History};
use crate::support::{Server, UNSIGNED, now, wait_until};
use model::value::Sample;
use model::{Value, ValueType};
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
/// Kills at random points; `CRASH_ROUNDS` asks for others.
const RANDOM_ROUNDS: u64 = 4;
/// Most requests of such a round: some seconds, in which files are written and merged.
const RANDOM_REQUESTS_MAX: u64 = 600;

/// 200 hosts with 20 items from one template; the first item flips its host's trigger.
fn configure(server: &Server) {
    let group = server.create("templategroup.create", &json!({"name": "Load"})).remove(0);
    let template = json!({"host": "Load", "groups": [{"groupid": group}]});
    let template = server.create("template.create", &template).remove(0);
    let items: Vec<_> = (0..N_ITEMS)
        .map(|it| {
            let key = format!("load[{it}]");
            json!({"hostid": template, "name": key, "key_": key, "type": 2, "value_type": UNSIGNED})
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

/// What senders know.
#[derive(Default)]
struct Ledger {
    /// By sender: numbers of requests that were acknowledged.
    acknowledged: Mutex<BTreeMap<u64, BTreeSet<i64>>>,
    n_acknowledged: AtomicU64,
    /// Number of each sender's next request.
    next: [AtomicU64; 8],
    times: Times,
}

/// The times of values: request 0, and the seconds from each to the next.
#[derive(Clone, Copy, Default)]
struct Times {
    base: i64,
    step: i64,
}

impl Times {
    fn clock(self, number: i64) -> i64 {
        self.base + number * self.step
    }

    fn number(self, clock: i64) -> i64 {
        (clock - self.base) / self.step
    }
}

/// Also a round that fails ends its senders.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Ledger {
    /// Sends until told to end or until the server is gone.
    fn load(&self, server: SocketAddr, sender: u64, end: &AtomicBool) {
        let mut stream = peer::connect(server);
        let next = &self.next[usize::try_from(sender).unwrap()];
        while !end.load(Ordering::Relaxed) {
            // Whether a request without an answer was taken is not known: its number is used up.
            let number = i64::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap();
            let hosts = sender * HOSTS_OF_SENDER..(sender + 1) * HOSTS_OF_SENDER;
            let rows: Vec<_> = hosts
                .flat_map(|host| (0..N_ITEMS).map(move |item| (host, item)))
                .map(|(host, item)| {
                    let value = value(item, number).to_string();
                    let (host, key) = (format!("host-{host}"), format!("load[{item}]"));
                    peer::row(&host, &key, &value, self.times.clock(number))
                })
                .collect();
            let Ok(counts) = peer::send(&mut stream, &rows) else { return };
            let n = u64::try_from(rows.len()).unwrap();
            assert_eq!(counts, Counts(n, 0, n), "every value is processed");
            self.acknowledged.lock().unwrap().entry(sender).or_default().insert(number);
            self.n_acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn of(times: Times) -> Self {
        Self { times, ..Self::default() }
    }

    /// Load until enough is acknowledged, then `cut` while it goes on.
    fn round<T>(&self, server: &mut Server, n: u64, cut: fn(&mut Server) -> T) -> T {
        let (end, address) = (AtomicBool::new(false), server.trapper());
        let wanted = self.n_acknowledged.load(Ordering::Relaxed) + n;
        thread::scope(|scope| {
            let ending = EndOnDrop(&end);
            for sender in 0..N_SENDERS {
                let end = &end;
                scope.spawn(move || self.load(address, sender, end));
            }
            wait_until("the load is acknowledged", ROUND_MAX, || {
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

/// Every acknowledged number is there, none twice, with its value.
fn check_values(samples: &[Sample], item: u64, acknowledged: &BTreeSet<i64>, times: Times) {
    let mut seen = BTreeSet::new();
    for sample in samples {
        let number = times.number(sample.time.clock());
        assert_eq!(sample.value, Value::Unsigned(value(item, number)), "number {number}");
        assert!(seen.insert(number), "number {number} is there twice");
    }
    let lost: Vec<_> = acknowledged.difference(&seen).collect();
    assert!(lost.is_empty(), "lost although acknowledged: {lost:?}");
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
fn check_all(server: &mut Server, ledger: &Ledger) {
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
    let mut n_values = 0;
    for host in 0..N_HOSTS {
        let of_sender = &acknowledged[&(host / HOSTS_OF_SENDER)];
        let name = format!("host-{host}");
        for item in 0..N_ITEMS {
            let id = &items[&(name.clone(), format!("load[{item}]"))];
            let samples = history.values(id, ValueType::Unsigned);
            check_values(&samples, item, of_sender, ledger.times);
            n_values += samples.len();
            if item == 0 {
                let (trigger, is_problem) = triggers[&name];
                let (expected, seen) = (states(&samples), events.remove(&trigger));
                assert_eq!(seen.unwrap_or_default(), expected, "events of {name}");
                assert_eq!(is_problem, expected.last() == Some(&1), "{name}");
                let n_open = db.events().open_of(0, trigger).len();
                assert_eq!(n_open, usize::from(is_problem), "open problems of {name}");
            }
        }
    }
    let n_requests: usize = acknowledged.values().map(BTreeSet::len).sum();
    let n_acknowledged = n_requests * usize::try_from(HOSTS_OF_SENDER * N_ITEMS).unwrap();
    assert!(n_values >= n_acknowledged, "{n_values} of {n_acknowledged}");
}

#[test]
fn crashes_under_load_lose_no_acknowledged_value_and_double_no_event() {
    let mut server = Server::start();
    configure(&server);
    let ledger = Ledger::of(Times { base: now() - 100_000, step: 1 });
    for _ in 0..3 {
        ledger.round(&mut server, REQUESTS_OF_ROUND, Server::kill);
        server.start_again();
    }
    let mut n_unfinished = 0;
    for _ in 0..UNFINISHED_TRIES {
        let cut = Server::kill_in_last_checkpoint;
        n_unfinished += usize::from(ledger.round(&mut server, REQUESTS_OF_ROUND, cut));
        server.start_again();
        if n_unfinished == 2 {
            break;
        }
    }
    assert_ne!(n_unfinished, 0, "no kill came while a checkpoint was written");
    ledger.round(&mut server, REQUESTS_OF_ROUND, Server::stop);
    server.start_again();
    check_all(&mut server, &ledger);
}

/// Kills at any point of load, flushes, merges and checkpoints, with what a write that was cut off leaves
/// behind the journal's end. Times of values go on by a minute from request to request, so that
/// files of hours become finished and are merged.
#[test]
fn kills_at_random_points_lose_nothing_while_files_are_written_and_merged() {
    let rounds = std::env::var("CRASH_ROUNDS").ok();
    let rounds = rounds.map_or(RANDOM_ROUNDS, |it| it.parse().expect("a number of rounds"));
    let seed = u64::try_from(now()).unwrap();
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut server = Server::start_with(&[("SAKER_HISTORY_FLUSH_INTERVAL_S", "0")]);
    configure(&server);
    let ledger = Ledger::of(Times { base: now() - 30 * 86_400, step: 60 });
    for round in 0..rounds {
        let n_requests = random.u64(1..RANDOM_REQUESTS_MAX);
        ledger.round(&mut server, n_requests, Server::kill);
        if random.bool() {
            tear(&server.data(), &mut random);
        }
        server.start_again();
        println!("round {round}: killed after {n_requests} requests");
    }
    check_all(&mut server, &ledger);
}

/// Adds to the newest file of the journal what a record that was cut off may look like.
fn tear(data: &Path, random: &mut fastrand::Rng) {
    let files = fs::read_dir(data.join("journal")).unwrap();
    let files = files.map(|it| it.unwrap().path());
    let newest = files.filter(|it| it.extension().is_some_and(|it| it == "journal")).max().unwrap();
    let mut file = OpenOptions::new().append(true).open(newest).unwrap();
    let bytes: Vec<u8> = (0..random.usize(1..5_000)).map(|_| random.u8(..)).collect();
    file.write_all(&bytes).unwrap();
}
