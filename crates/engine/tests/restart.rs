//! A whole engine turn by turn, without threads and without a runtime: values in, the process killed at any
//! point in time, started again.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use disk::MemDisk;
use engine::assembly::{Engine, EngineSettings, EngineSurroundings};
use engine::housekeeping::Housekeeper;
use engine::recovery::{self, KnownEvents, OpenSettings};
use engine::shard::STEP_BYTES_MAX;
use engine::turn::Turn;
use engine::workers::JobWorker;
use history::RangeQuery;
use ingress::{Ingress, Last, Outcome, Target};
use model::batch::RawRef;
use model::content::{ItemContent, ItemFlags, ItemType, OnFail, PreprocStep, Step};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot};
use model::{HostId, ItemId, Time, ValueType};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::shutdown::Shutdown;
use script::{Limits, Script, Scripts};

const START: i64 = 1_790_000_000;
const N_SHARDS: u16 = 2;
const N_HOSTS: u64 = 8;
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Hosts 1 to [`N_HOSTS`]; host n has item 10 n, `plain`, and item 10 n + 1, `script`, of floats.
fn snapshot() -> Arc<Snapshot> {
    let step = PreprocStep {
        kind: Step::JavaScript,
        params: "return value".to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    };
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    for number in 1..=N_HOSTS {
        let plain = ItemContent {
            key_: "plain".to_owned(),
            kind: ItemType::Trapper,
            value_type: ValueType::Float,
            ..ItemContent::default()
        };
        let script = ItemContent {
            key_: "script".to_owned(),
            preprocessing: vec![step.clone()],
            ..plain.clone()
        };
        let items =
            [(10 * number, plain), (10 * number + 1, script)].map(|(id, content)| ItemRow {
                id: ItemId(id),
                source: ItemId::NONE,
                content: Arc::new(content),
                extra: None,
                flags: ItemFlags::Plain,
            });
        let name: Arc<str> = format!("host {number}").into();
        let host = Host {
            items: items.into(),
            ..Host::new(HostId(number), HolderKind::Host, Arc::clone(&name), Arc::clone(&name))
        };
        snapshot.item_runs.insert(ItemId(10 * number), (ItemId(10 * number + 1), host.id));
        snapshot.host_by_name.insert(name, host.id);
        snapshot.hosts.insert(host.id, Arc::new(host));
    }
    Arc::new(snapshot)
}

struct Echo;

impl Scripts for Echo {
    fn run(&mut self, _script: &Script, value: &str) -> Result<Option<String>, String> {
        Ok(Some(value.to_owned()))
    }
}

/// A process.
struct Process {
    engine: Engine,
    ingress: Ingress,
    housekeeper: Housekeeper,
    worker: JobWorker,
}

fn start(disk: &MemDisk, clock: &Clock) -> Process {
    let (registry, health) = (Registry::new(), Health::default());
    let settings = OpenSettings {
        disk: Arc::new(disk.clone()),
        data: Path::new("/data"),
        n_shards: N_SHARDS,
        next_event_id_min: 1,
        journal: journal::JournalSettings {
            file_bytes: 4_096,
            ..journal::JournalSettings::default()
        },
        store: history::StoreKind::default(),
    };
    let opened = recovery::open(settings, &registry).expect("opens");
    let (ingress, deliveries) = Ingress::new(N_SHARDS, clock, &registry);
    let around = EngineSurroundings {
        ingress: ingress.clone(),
        deliveries,
        snapshot: snapshot(),
        known_events: KnownEvents { cursor: 0, last_changes: Vec::new() },
        new_scripts: Arc::new(|| Ok(Box::new(Echo))),
        jobs: Box::new(|_states| Arc::new(|_now| {})),
        stop: Arc::new(Shutdown::new()),
        shutdown: Shutdown::new(),
        faults: None,
        clock: clock.clone(),
        registry,
        health,
    };
    let settings = EngineSettings {
        n_shards: N_SHARDS,
        hash_seed: 7,
        zone: jiff::tz::TimeZone::UTC,
        sync_each: false,
        n_workers: 1,
        script_limits: Limits::default(),
        step_bytes_max: STEP_BYTES_MAX,
        mailbox_max: engine::mailboxes::MAILBOX_MAX,
        feeder: history::FeederSettings::default(),
        flush_interval: Duration::from_secs(3_600),
    };
    let mut engine =
        Engine::assemble(&settings, opened, around, recovery::one_by_one).expect("recovers");
    engine.shards.iter_mut().for_each(|it| it.begin());
    let housekeeper = Housekeeper::new(engine.housekeeping.clone());
    let base = engine.workers.base_workers().next().expect("one");
    let worker = JobWorker::new(engine.workers.clone(), base, None);
    Process { engine, ingress, housekeeper, worker }
}

type Answer = Pin<Box<dyn Future<Output = Result<Outcome, ingress::Closed>>>>;

impl Process {
    /// All parts once; whether something moved.
    fn turn(&mut self) -> bool {
        let mut moved = self.worker.turn(Duration::ZERO) == Turn::More;
        for shard in &mut self.engine.shards {
            moved |= shard.turn(Duration::ZERO) == Turn::More;
        }
        moved |= self.housekeeper.turn(Duration::ZERO) == Turn::More;
        moved
    }

    fn target(&self, host: u64, key: &str) -> Target {
        let directory = self.engine.configuration.directory();
        let found = directory.lookup(&format!("host {host}"), key).expect("configured");
        Target { shard: found.shard, slot: found.slot }
    }

    /// Values `ids` of an agent's session, which are values of both items of its host.
    fn send(&self, host: u64, ids: std::ops::RangeInclusive<u64>, clock: &Clock) -> Answer {
        let sessions = &self.engine.context.sessions;
        let claim = sessions.try_claim(HostId(host), TOKEN, clock.wall()).expect("free");
        let claim = Arc::new(claim);
        let mut request = self.ingress.request(self.engine.configuration.directory().epoch());
        for id in ids.filter(|it| claim.before() < *it) {
            for key in ["plain", "script"] {
                let (to, time) = (self.target(host, key), Time::from_clock(START, 0));
                let time = time.plus_secs(i64::try_from(id).expect("small"));
                request.push(to, time, RawRef::Text(&id.to_string())).expect("room");
                request.mark(to, &claim, id);
            }
        }
        let mut submission = self.ingress.submission();
        Box::pin(async move {
            // As if more came: nothing of it waits to be gathered with others.
            submission.add(request, Last::No).await?;
            submission.wait().await
        })
    }

    fn values(&self, item: u64) -> Vec<f64> {
        let (item, kind) = (ItemId(item), ValueType::Float);
        let (from, till, limit) = (Time(i64::MIN), Time::MAX, 1_000);
        let query = RangeQuery { item, kind, from, till, limit, newest_first: false };
        let found = self.engine.housekeeping.history.range(&query).expect("readable");
        found.into_samples().iter().filter_map(|it| it.value.as_f64()).collect()
    }
}

fn poll(answer: &mut Answer) -> Poll<Result<Outcome, ingress::Closed>> {
    answer.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// A history of a data directory with a kill after each `n_turns` turns.
fn run_with_kills(n_turns: usize) {
    let (disk, clock) = (MemDisk::new(1), Clock::manual(Time::from_clock(START, 0)));
    let mut acknowledged = vec![0_u64; 1 + usize::try_from(N_HOSTS).expect("few")];
    for round in 1..=6_u64 {
        let mut process = start(&disk, &clock);
        let mut answers: Vec<(u64, Answer)> =
            (1..=N_HOSTS).map(|host| (host, process.send(host, 1..=10 * round, &clock))).collect();
        process.housekeeper.begin_checkpoint();
        for _ in 0..n_turns {
            process.turn();
            clock.advance(Duration::from_millis(1));
            answers.retain_mut(|(host, answer)| match poll(answer) {
                Poll::Pending => true,
                Poll::Ready(outcome) => {
                    assert_eq!(outcome.expect("the process runs").failed, 0);
                    acknowledged[usize::try_from(*host).expect("small")] = 10 * round;
                    false
                }
            });
        }
        drop((answers, process));
        disk.restart_after_kill();
    }
    let mut process = start(&disk, &clock);
    // Agents that go away before they have sent anything leave their session free.
    for host in 1..=N_HOSTS {
        drop(process.send(host, 1..=60, &clock));
    }
    let mut answers: Vec<Answer> =
        (1..=N_HOSTS).map(|host| process.send(host, 1..=60, &clock)).collect();
    let mut n_idle = 0;
    while n_idle < 3 {
        answers.retain_mut(|it| poll(it).is_pending());
        n_idle = if process.turn() { 0 } else { n_idle + 1 };
    }
    assert!(answers.is_empty(), "all are answered");
    let all: Vec<f64> = (1..=60).map(f64::from).collect();
    for host in 1..=N_HOSTS {
        assert_eq!(process.values(10 * host), all, "of host {host}");
        assert_eq!(process.values(10 * host + 1), all, "through scripts, of host {host}");
    }
    if 100 < n_turns {
        assert!(acknowledged[1..].iter().all(|it| *it == 60), "{acknowledged:?}");
        assert_ne!(process.engine.housekeeping.checkpoints.newest(), 0, "one was written");
    }
}

#[test]
fn nothing_is_lost_or_doubled_by_kills_at_any_turn() {
    for n_turns in [0, 1, 2, 3, 5, 8, 13, 30, 80, 400] {
        run_with_kills(n_turns);
    }
}
