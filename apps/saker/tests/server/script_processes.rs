//! Scripts that never return from a function of their engine: their processes are killed, and all
//! other work continues.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use engine::workers::{
    ProcessMetrics, ProcessRunner, ProcessSettings, ScriptFailure, ScriptProcesses,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rt::clock::Clock;
use rt::metrics::Registry;
use script::{Host, HostRequest, Limits, Script, TIMEOUT};
use serde_json::json;
use wire::http::Response;

use crate::support::peer::Counts;
use crate::support::{Server, TEXT, niceness, now, wait_until};

const WAIT_MAX: Duration = Duration::from_secs(120);
/// Much longer than any run of these tests.
const LONG: Duration = Duration::from_secs(100);
/// Functions of the engine that do not check the clock, for longer than any test waits.
const NATIVES: [&str; 8] = [
    "return Array.prototype.reverse.call({length: 9e15})",
    "return Array.prototype.indexOf.call({length: 9e15}, 1)",
    "return Array.prototype.lastIndexOf.call({length: 9e15}, 1)",
    "return Array.prototype.includes.call({length: 9e15, 0: 1}, 2)",
    "return 'a'.repeat(60000000).indexOf('a'.repeat(30000000) + 'b')",
    "return 'a'.repeat(60000000).split('a'.repeat(30000000) + 'b').length",
    "return 'a'.repeat(60000000).lastIndexOf('a'.repeat(30000000) + 'b')",
    "return Array.prototype.fill.call({length: 9e15, set 0(it) {}}, 1)",
];

/// Processes whose first argument is this program, those that ended and are not waited for included.
fn processes_of(is_it: impl Fn(&str, &str) -> bool) -> Vec<i32> {
    let folders = fs::read_dir("/proc").unwrap().flatten();
    let ids = folders.filter_map(|it| it.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| {
        let read = |name: &str| fs::read(format!("/proc/{id}/{name}")).unwrap_or_default();
        let (stat, line) = (read("stat"), read("cmdline"));
        let (stat, line) = (String::from_utf8_lossy(&stat), String::from_utf8_lossy(&line));
        is_it(&stat, &line)
    })
    .collect()
}

fn is_child_of(stat: &str, parent: u32) -> bool {
    // Behind the name in brackets: the state and the parent.
    let rest = stat.rsplit_once(')').map_or("", |it| it.1);
    rest.split_whitespace().nth(1) == Some(&parent.to_string())
}

/// Children of a server that run scripts.
fn script_workers(parent: u32) -> Vec<i32> {
    processes_of(|stat, line| is_child_of(stat, parent) && line.contains("script-worker"))
}

fn zombies(parent: u32) -> Vec<i32> {
    processes_of(|stat, _| is_child_of(stat, parent) && stat.contains(") Z "))
}

fn script_item(server: &Server, host: &str, key: &str, script: &str, timeout: &str) -> String {
    let item = json!({
        "hostid": host, "name": key, "key_": key, "type": 21, "value_type": TEXT, "delay": "1s",
        "params": script, "timeout": timeout,
    });
    server.create("item.create", &item).remove(0)
}

fn has_timed_out(server: &Server, item: &str) -> bool {
    let item = server.item(item);
    let error = item["error"].as_str().unwrap();
    item["state"] == "1"
        && error.starts_with("Cannot execute script: RangeError: execution timeout")
}

#[test]
fn script_items_in_native_calls_free_their_places() {
    let mut server = Server::start();
    let other = server.host("other");
    let good = script_item(&server, &other, "good", "return 'fine'", "3s");
    let hosts = ["a", "b"].map(|it| server.host(it));
    let stuck: Vec<_> = NATIVES
        .iter()
        .enumerate()
        .map(|(n, it)| script_item(&server, &hosts[n % 2], &format!("k{n}"), it, "1s"))
        .collect();
    wait_until("all of them are late", WAIT_MAX, || {
        stuck.iter().all(|it| has_timed_out(&server, it))
    });
    let n_before = server.history_values(&good).len();
    wait_until("the other one goes on", WAIT_MAX, || {
        n_before + 3 <= server.history_values(&good).len()
    });
    assert_eq!(server.item(&good)["state"], "0");
    assert_eq!(server.metric("saker_worker_stuck_trials"), 0, "no thread is lost");
    assert!(8 <= server.metric("saker_script_process_killed_total"));
    let id = server.process().id();
    wait_until("each one killed is waited for", WAIT_MAX, || zombies(id).is_empty());
    server.stop();
}

#[test]
fn steps_media_types_and_trials_that_hold_natives_hold_nobody() {
    let mut server =
        Server::start_with(&[("SAKER_SCRIPT_WORKERS", "2"), ("SAKER_SCRIPT_TIMEOUT_MS", "300")]);
    let host = server.host("h");
    for (n, source) in NATIVES.iter().enumerate() {
        server.scripted(&host, &format!("k{n}"), source);
        assert_eq!(server.send("h", &format!("k{n}"), "1", now()), Counts(1, 0, 1));
    }
    let new = server.scripted(&host, "new", "return 77");
    assert_eq!(server.send("h", "new", "1", now()), Counts(1, 0, 1));
    wait_until("a new script is run", WAIT_MAX, || server.last(&new).as_deref() == Some("77"));
    for source in NATIVES {
        let step =
            json!({"type": 21, "params": source, "error_handler": 0, "error_handler_params": ""});
        let body = json!({"hostid": host, "value": "1", "steps": [step]});
        let answer = server.native("test/item", &body).to_string();
        assert!(answer.contains("execution timeout"), "{answer}");
    }
    let hook = |name: &str, script: &str| {
        let hook = json!({"name": name, "type": 4, "maxattempts": 1, "timeout": "1s",
            "script": script, "parameters": [{"name": "a", "value": "b"}]});
        server.create("mediatype.create", &hook).remove(0)
    };
    let (stuck, good) = (hook("stuck", NATIVES[0]), hook("good", "return 'sent'"));
    for _ in 0..5 {
        let (_, answer) = tried(&server, &stuck);
        assert!(answer.contains("execution timeout"), "{answer}");
    }
    let (status, answer) = tried(&server, &good);
    assert!(status == 200 && answer.contains("sent"), "{answer}");
    assert_eq!(server.metric("saker_worker_stuck"), 0);
    assert_eq!(server.metric("saker_worker_stuck_trials"), 0);
    server.stop();
}

fn tried(server: &Server, media_type: &str) -> (u16, String) {
    let body = json!({"mediatypeid": media_type, "sendto": "x", "subject": "s", "message": "m"});
    let (status, answer) = server.try_native("test/mediatype", &body);
    (status, answer.to_string())
}

#[test]
fn a_step_that_was_quick_and_then_holds_its_thread_gets_no_other() {
    let env = [("SAKER_SCRIPT_WORKERS", "1"), ("SAKER_SCRIPT_TIMEOUT_MS", "500")];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    let source =
        "if (value === 'stuck') Array.prototype.reverse.call({length: 9e15}); return value";
    let item = server.scripted(&host, "k", source);
    let other = server.scripted(&host, "other", "return 'after ' + value");
    let n_in_processes = |server: &Server| server.metric("saker_script_process_steps_total");
    let sends = |server: &Server, value: &str| {
        assert_eq!(server.send("h", "k", value, now()), Counts(1, 0, 1));
    };
    // A busy machine may take longer than a quick answer.
    let mut n = 0;
    wait_until("the script has a thread", WAIT_MAX, || {
        let before = n_in_processes(&server);
        n += 1;
        sends(&server, &format!("v{n}"));
        wait_until("the value is there", WAIT_MAX, || server.last(&item) == Some(format!("v{n}")));
        n_in_processes(&server) == before
    });
    sends(&server, "stuck");
    wait_until("its thread is given up", WAIT_MAX, || {
        let item = server.item(&item);
        item["state"] == "1" && item["error"].as_str().unwrap().contains("execution timeout")
    });
    assert_eq!(server.metric("saker_worker_stuck"), 1);
    let n_lowest = niceness(server.process()).into_iter().filter(|it| *it == 19).count();
    assert_eq!(n_lowest, 1, "it gets what others leave");
    // From now on it runs where it can be killed, and nobody is refused.
    for _ in 0..3 {
        let before = server.metric("saker_script_process_killed_total");
        sends(&server, "stuck");
        wait_until("its process is killed", WAIT_MAX, || {
            before < server.metric("saker_script_process_killed_total")
        });
    }
    sends(&server, "fine again");
    wait_until("the same script goes on", WAIT_MAX, || {
        server.last(&item).as_deref() == Some("fine again")
    });
    server.set_script(&item, "return 'mended ' + value");
    sends(&server, "stuck");
    wait_until("the mended script is run", WAIT_MAX, || {
        server.last(&item).as_deref() == Some("mended stuck")
    });
    assert_eq!(server.send("h", "other", "1", now()), Counts(1, 0, 1));
    wait_until("another one is run", WAIT_MAX, || {
        server.last(&other).as_deref() == Some("after 1")
    });
    assert_eq!(server.metric("saker_worker_given_up_total"), 1, "one thread was enough");
    server.stop();
}

#[test]
fn a_server_that_ends_takes_its_script_processes_along() {
    let mut server = Server::start();
    let host = server.host("h");
    let _item = script_item(&server, &host, "stuck", NATIVES[0], "60s");
    let runs = |server: &Server| server.metric("saker_script_process_runs_total");
    let id = server.process().id();
    wait_until("it runs", WAIT_MAX, || 1 <= runs(&server));
    let of_first = script_workers(id);
    assert!(!of_first.is_empty());
    let are_gone = |ids: &[i32]| {
        let left = processes_of(|_, line| line.contains("script-worker"));
        ids.iter().all(|it| !left.contains(it))
    };
    // By itself, and in the middle of it.
    server.stop();
    assert!(are_gone(&of_first));
    server.start_again();
    let id = server.process().id();
    wait_until("it runs", WAIT_MAX, || 1 <= runs(&server));
    let of_second = script_workers(id);
    assert!(!of_second.is_empty());
    server.kill();
    wait_until("nobody is left to compute for nobody", WAIT_MAX, || are_gone(&of_second));
}

/// `Zabbix.sleep` names the test, and waits until it may continue.
struct World {
    asleep: Sender<()>,
    wake: Receiver<()>,
}

impl Host for World {
    fn now_ns(&self) -> u64 {
        0
    }

    fn sleep(&mut self, _time: Duration) {
        self.asleep.send(()).unwrap();
        self.wake.recv().unwrap();
    }

    fn log(&mut self, _level: i32, _text: &str) {}

    fn exchange(&mut self, _request: &HostRequest<'_>) -> Result<Response, String> {
        Err("nobody is there".to_owned())
    }

    fn sign(&mut self, _key: &[u8], _data: &[u8]) -> Result<Vec<u8>, String> {
        Err("no key".to_owned())
    }
}

/// Processes of this test alone: they have a name of their own.
struct Bench {
    folder: tempfile::TempDir,
    processes: ScriptProcesses,
    registry: Registry,
}

fn bench(places: usize) -> Bench {
    let (folder, registry) = (tempfile::tempdir().unwrap(), Registry::new());
    let program = folder.path().join("saker");
    symlink(env!("CARGO_BIN_EXE_saker"), &program).unwrap();
    let settings = ProcessSettings { places, idle_max: 2 };
    let metrics = ProcessMetrics::register(&registry);
    let processes = ScriptProcesses::new(program, settings, Clock::real(), metrics);
    Bench { folder, processes, registry }
}

impl Bench {
    fn runner(&self) -> ProcessRunner {
        let (world, ..) = world();
        self.processes.runner(&limits(), Box::new(world))
    }

    /// Runs scripts one after the other in a thread, and says when one sleeps.
    fn start(&self, sources: &'static [&'static str]) -> Running {
        let (world, sleeps, wakes) = world();
        let processes = self.processes.clone();
        let thread = thread::spawn(move || {
            let mut runner = processes.runner(&limits(), Box::new(world));
            sources.iter().map(|it| run(&mut runner, it, LONG)).collect()
        });
        Running { thread, sleeps, wakes }
    }

    fn ids(&self) -> Vec<i32> {
        let folder = self.folder.path().to_str().unwrap();
        processes_of(|_, line| line.contains(folder))
    }

    fn count(&self, name: &str) -> String {
        self.registry.value(&format!("saker_script_process_{name}"), None).unwrap().to_string()
    }
}

struct Running {
    thread: thread::JoinHandle<Vec<Outcome>>,
    sleeps: Receiver<()>,
    wakes: Sender<()>,
}

type Outcome = Result<Option<String>, ScriptFailure>;

fn world() -> (World, Receiver<()>, Sender<()>) {
    let ((asleep, sleeps), (wakes, wake)) = (channel(), channel());
    (World { asleep, wake }, sleeps, wakes)
}

fn limits() -> Limits {
    Limits { memory_bytes: 256 << 20, ..Limits::default() }
}

/// The texts of runs that went well.
fn texts(outcomes: Vec<Outcome>) -> Vec<String> {
    outcomes.into_iter().map(|it| it.unwrap().unwrap()).collect()
}

fn run(runner: &mut ProcessRunner, source: &str, time: Duration) -> Outcome {
    runner.run(&Script::new(source), "1", time)
}

#[test]
fn every_native_is_ended_with_its_process_and_the_next_script_runs() {
    let bench = bench(1);
    let mut runner = bench.runner();
    for source in NATIVES {
        let outcome = run(&mut runner, source, Duration::from_millis(200));
        assert!(
            matches!(&outcome, Err(ScriptFailure::Execute(it)) if it.starts_with(TIMEOUT)),
            "{source}: {outcome:?}"
        );
        let next = run(&mut runner, "return value + 1", LONG).unwrap();
        assert_eq!(next.as_deref(), Some("11"), "{source}");
    }
    assert_eq!(bench.count("live"), "1");
    let test = std::process::id();
    let folder = bench.folder.path().to_str().unwrap().to_owned();
    let left = processes_of(|stat, line| is_child_of(stat, test) && line.contains(&folder));
    assert!(left.len() <= 1, "{left:?}");
    drop((runner, bench));
    assert!(left.iter().all(|it| !Path::new(&format!("/proc/{it}")).try_exists().unwrap()));
}

#[test]
fn a_process_that_is_killed_from_outside_costs_its_own_run_only() {
    let bench = bench(2);
    let running = bench.start(&["Zabbix.sleep(1); return 'slept'", "return 'next'"]);
    running.sleeps.recv().unwrap();
    for id in bench.ids() {
        kill(Pid::from_raw(id), Signal::SIGKILL).unwrap();
    }
    running.wakes.send(()).unwrap();
    let mut outcomes = running.thread.join().unwrap();
    let outcome = outcomes.remove(0);
    let expected = "the process that ran the script has ended (signal 9)";
    assert!(matches!(&outcome, Err(ScriptFailure::Execute(it)) if it == expected), "{outcome:?}");
    assert_eq!(texts(outcomes), ["next"]);
    assert_eq!([bench.count("lost_total"), bench.count("started_total")], ["1", "2"]);
}

#[test]
fn a_process_has_little_of_the_server_and_ends_alone() {
    let bench = bench(2);
    let running = bench.start(&["Zabbix.sleep(1); return 'a'"]);
    running.sleeps.recv().unwrap();
    let [id] = bench.ids()[..] else { panic!("one process") };
    let folder = format!("/proc/{id}");
    let limits = fs::read_to_string(format!("{folder}/limits")).unwrap();
    let limit = |name: &str| {
        let line = limits.lines().find_map(|it| it.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    assert_ne!(limit("Max address space"), "unlimited");
    assert_eq!((limit("Max core file size"), limit("Max file size")), ("0".into(), "0".into()));
    assert_eq!(fs::read(format!("{folder}/environ")).unwrap(), b"");
    let mut open: Vec<_> = fs::read_dir(format!("{folder}/fd"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    open.sort();
    assert_eq!(open, ["0", "1", "2"]);
    running.wakes.send(()).unwrap();
    assert_eq!(texts(running.thread.join().unwrap()), ["a"]);
    let mut runner = bench.runner();
    for bomb in [
        "var a = []; for (;;) a.push(new Uint8Array(1000000))",
        "var a = 'x'; for (;;) a += a",
        "return JSON.stringify({a: 'x'.repeat(30000000).split('')})",
    ] {
        assert!(run(&mut runner, bomb, LONG).is_err(), "{bomb}");
        assert_eq!(run(&mut runner, "return value", LONG).unwrap().as_deref(), Some("1"), "{bomb}");
    }
}

#[test]
fn a_script_waits_for_a_place_and_gets_it_or_is_refused() {
    let bench = bench(1);
    let running = bench.start(&["Zabbix.sleep(1); return 'a'"]);
    running.sleeps.recv().unwrap();
    let refused = run(&mut bench.runner(), "return 'b'", Duration::from_millis(50));
    assert!(
        matches!(&refused, Err(ScriptFailure::Environment(it)) if it.contains("no process became free")),
        "{refused:?}"
    );
    assert_eq!(bench.count("refused_total"), "1");
    let waiting = bench.start(&["return 'b'"]);
    wait_until("it waits", WAIT_MAX, || bench.count("waiting") == "1");
    running.wakes.send(()).unwrap();
    assert_eq!(texts(running.thread.join().unwrap()), ["a"]);
    assert_eq!(texts(waiting.thread.join().unwrap()), ["b"]);
    assert_eq!(bench.count("started_total"), "1", "the same process does both");
}

#[test]
fn a_program_that_is_no_worker_is_reported() {
    let registry = Registry::new();
    for program in ["/nonexistent/saker", "/bin/true", "/bin/cat"] {
        let settings = ProcessSettings { places: 1, idle_max: 1 };
        let metrics = ProcessMetrics::register(&registry);
        let processes = ScriptProcesses::new(program.into(), settings, Clock::real(), metrics);
        let mut runner = processes.runner(&limits(), Box::new(world().0));
        let outcome = run(&mut runner, "return 1", LONG);
        assert!(
            matches!(&outcome, Err(ScriptFailure::Environment(it)) if it.starts_with("no process for scripts")),
            "{program}: {outcome:?}"
        );
    }
}
