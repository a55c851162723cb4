//! Common parts of system tests: the real binary on its own address, its API, its stores read after
//! it has ended, and waiting for conditions.
//!
//! Every server gets an address of its own in 127.0.0.0/8, so that fixed ports never collide.

#![allow(unreachable_pub, reason = "for all tests")]
#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "what a test says")]

pub mod kills;
pub mod on_call;
pub mod peer;
pub mod receiver;
pub mod small_disk;
pub mod stores;
pub mod web;

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::sys::signal::Signal;
pub use peers::{Process, program, wait_for, wait_until, wait_up_to};
use serde_json::{Value, json};
use small_disk::SmallDisk;

pub const PASSWORD: &str = "a password for tests";
/// Of a start, on a machine that is busy with other tests.
const START_MAX: Duration = Duration::from_secs(60);
const STOP_MAX: Duration = Duration::from_secs(40);
const HTTP_PORT: u16 = 21_080;
const TRAPPER_PORT: u16 = 21_051;

/// Value types of items, as the API numbers them.
pub const FLOAT: u8 = 0;
pub const TEXT: u8 = 4;
pub const UNSIGNED: u8 = 3;

/// An address that no other test uses.
pub fn address() -> Ipv4Addr {
    static N_GIVEN: AtomicU32 = AtomicU32::new(0);
    let [page, last] = {
        let n = N_GIVEN.fetch_add(1, Ordering::Relaxed);
        [n / 250, n % 250 + 2].map(|it| u8::try_from(it).unwrap())
    };
    let [.., high, low] = std::process::id().to_be_bytes();
    // Programs that run one after another have neighboring ids.
    Ipv4Addr::new(127, high.max(1), low.wrapping_add(page.wrapping_mul(101)), last)
}

/// Seconds since 1970.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}

/// How much each thread of a process gives way to others.
pub fn niceness(process: &Process) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{}/task", process.id())).unwrap();
    let stats = threads.filter_map(|it| fs::read_to_string(it.unwrap().path().join("stat")).ok());
    // The 19th field; the second, in brackets, may have blanks.
    let nice = |it: String| it.rsplit_once(')')?.1.split_whitespace().nth(16)?.parse().ok();
    stats.filter_map(nice).collect()
}

/// The server on a data directory of its own.
pub struct Server {
    process: Option<Process>,
    /// The data directory's file system, if it is not the machine's.
    disk: Option<SmallDisk>,
    /// Behind the process: it goes last.
    temp: tempfile::TempDir,
    pub address: Ipv4Addr,
    session: String,
    /// Variables that it is started with.
    env: Vec<(String, String)>,
    /// Whether its first start makes a host of its own machine.
    own_host: bool,
    /// Values sent by second, so that each has a time of its own.
    sent: Mutex<BTreeMap<i64, u32>>,
}

impl Server {
    /// Starts on a new data directory and logs in.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// As [`Server::start`], with variables.
    pub fn start_with(env: &[(&str, &str)]) -> Self {
        Self::start_as(env, false)
    }

    /// One that is not started yet.
    pub fn stopped(env: &[(&str, &str)]) -> Self {
        let mut server = Self::new(false);
        env.iter().for_each(|(name, value)| server.set_env(name, value));
        server
    }

    /// One whose data directory is a backup, which moves there; it is not started yet.
    pub fn of_backup(dir: &Path, env: &[(&str, &str)]) -> Self {
        let mut server = Self::new(false);
        env.iter().for_each(|(name, value)| server.set_env(name, value));
        fs::rename(dir, server.data()).unwrap();
        server
    }

    /// As [`Server::start`], with the host that stands for its own machine.
    pub fn start_with_own_host() -> Self {
        Self::start_as(&[], true)
    }

    /// As [`Server::start`], with a data directory that is full with so many megabytes. `None`, with a
    /// word, where this machine can't have one.
    pub fn start_on_small_disk(megabytes: u32) -> Option<Self> {
        let mut server = Self::new(false);
        server.disk = Some(SmallDisk::new(&server.data(), megabytes)?);
        server.start_again();
        server.log_in(PASSWORD);
        Some(server)
    }

    fn start_as(env: &[(&str, &str)], own_host: bool) -> Self {
        let mut server = Self::new(own_host);
        env.iter().for_each(|(name, value)| server.set_env(name, value));
        server.start_again();
        server.log_in(PASSWORD);
        server
    }

    fn new(own_host: bool) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let (process, disk, session, env) = (None, None, String::new(), Vec::new());
        let sent = Mutex::default();
        Self { process, disk, temp, address: address(), session, env, own_host, sent }
    }

    /// The disk of a server that has a small one.
    pub fn disk(&self) -> &SmallDisk {
        self.disk.as_ref().unwrap()
    }

    /// Continues as `Admin` in a new session.
    pub fn log_in(&mut self, password: &str) {
        let params = json!({"username": "Admin", "password": password});
        let session = self.call("user.login", &params);
        self.session = session.as_str().unwrap().to_owned();
    }

    /// A variable for the next start.
    pub fn set_env(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// Starts on the same data directory, and waits until values are accepted.
    pub fn start_again(&mut self) {
        self.start_until(|status, _| status == 200);
    }

    /// As [`Server::start_again`], and waits for a state of `/health`.
    pub fn start_until(&mut self, is_it: impl Fn(u16, &Value) -> bool) {
        let process = Process::start(&mut self.command(), self.temp.path().join("saker.log"));
        wait_until("the server accepts values", START_MAX, || {
            assert!(!process.has_ended(), "the server ended:\n{}", process.log());
            self.health().is_some_and(|(status, answer)| is_it(status, &answer))
        });
        self.process = Some(process);
    }

    /// As [`Server::start_again`], where `is_up` says that it is.
    pub fn start_unless_ended(&mut self, is_up: impl Fn() -> bool) {
        let process = Process::start(&mut self.command(), self.temp.path().join("saker.log"));
        wait_until("the server is up", START_MAX, || {
            assert!(!process.has_ended(), "the server ended:\n{}", process.log());
            is_up()
        });
        self.process = Some(process);
    }

    /// As [`Server::start_again`], with pages by HTTPS whose certificate stands in the data directory.
    pub fn start_encrypted(&mut self, certificate: &str) {
        let certificate = self.data().join(certificate);
        let url = format!("https://{}/health", self.http());
        self.start_unless_ended(|| {
            let mut curl = Command::new("curl");
            curl.args(["-sSf", "--max-time", "30", "--cacert"]).arg(&certificate).arg(&url);
            curl.output().is_ok_and(|it| it.status.success())
        });
    }

    /// The messages of a start that has to fail, on standard error.
    pub fn refused_start(&self) -> String {
        let log = self.temp.path().join("refused.log");
        drop(fs::remove_file(&log));
        let mut process = Process::start(&mut self.command(), log);
        let status = process.end(START_MAX);
        assert_eq!(status.code(), Some(1), "{}", process.log());
        process.log()
    }

    fn command(&self) -> Command {
        let program = env!("CARGO_BIN_EXE_saker");
        let plain = || Command::new(program);
        let mut command = self.disk.as_ref().map_or_else(plain, |it| it.command(program));
        let http = self.http();
        command
            .args(["server", "--own-host", &self.own_host.to_string(), "--data"])
            .arg(self.data())
            .args(["--http", &http, "--trapper", &self.trapper().to_string()])
            .env_remove("SAKER_SETTINGS")
            .env_remove("SAKER_DATA")
            .env("SAKER_ADMIN_PASSWORD", PASSWORD)
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Status and answer of `/health`, once there is one.
    pub fn health(&self) -> Option<(u16, Value)> {
        let call = ureq::get(format!("http://{}/health", self.http()));
        let mut answer = call.config().http_status_as_error(false).build().call().ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        Some((answer.status().as_u16(), serde_json::from_str(&text).ok()?))
    }

    /// The entry of a part in `/health`.
    pub fn health_issue(&self, part: &str) -> Option<Value> {
        let (_, mut answer) = self.health()?;
        let issues = answer["issues"].as_array_mut()?;
        issues.iter_mut().find(|it| it["part"] == part).map(Value::take)
    }

    pub fn data(&self) -> PathBuf {
        self.temp.path().join("data")
    }

    /// A directory for files of the test.
    pub fn dir(&self) -> &Path {
        self.temp.path()
    }

    pub fn http(&self) -> String {
        format!("{}:{HTTP_PORT}", self.address)
    }

    pub fn trapper(&self) -> SocketAddr {
        (self.address, TRAPPER_PORT).into()
    }

    pub fn process(&mut self) -> &mut Process {
        self.process.as_mut().unwrap()
    }

    /// Its log since the first start.
    pub fn log(&self) -> String {
        fs::read_to_string(self.temp.path().join("saker.log")).unwrap()
    }

    /// As in a power failure, but for the disk.
    pub fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.signal(Signal::SIGKILL);
        let status = process.end(START_MAX);
        assert_eq!(status.signal(), Some(9), "it ran until it was killed:\n{}", process.log());
    }

    /// Stops as an operator does, with exit code 0. The server gives itself 10 seconds; the rest is for a busy machine.
    pub fn stop(&mut self) {
        let process = self.process();
        process.signal(Signal::SIGTERM);
        let status = process.end(STOP_MAX);
        assert_eq!(status.code(), Some(0), "{}", process.log());
        self.process = None;
    }

    /// Asks it to stop, and kills it while it writes the checkpoint of its end. Whether that came
    /// in time: a checkpoint that is not finished lies there.
    pub fn kill_in_last_checkpoint(&mut self) -> bool {
        let path = self.data().join("checkpoints/checkpoint.tmp");
        // One of an earlier kill may lie there still.
        let written = || fs::metadata(&path).and_then(|it| it.modified()).ok();
        let former = written();
        let mut process = self.process.take().unwrap();
        process.signal(Signal::SIGTERM);
        let asked = Instant::now();
        while !process.has_ended() && written().is_none_or(|it| Some(it) == former) {
            assert!(asked.elapsed() < START_MAX, "it neither ends nor writes:\n{}", process.log());
        }
        if !process.has_ended() {
            process.signal(Signal::SIGKILL);
        }
        process.end(START_MAX);
        written().is_some_and(|it| Some(it) != former)
    }

    /// It lives and takes values.
    pub fn assert_lives(&mut self) {
        let process = self.process();
        assert!(!process.has_ended(), "the server ended:\n{}", process.log());
    }

    /// The answer of the API, with the HTTP status.
    pub fn post(&self, body: &[u8]) -> (u16, String) {
        self.post_as(&self.session, body)
    }

    /// The same by a session; nobody's if it is empty.
    fn post_as(&self, session: &str, body: &[u8]) -> (u16, String) {
        let url = format!("http://{}/api_jsonrpc.php", self.http());
        let mut call = ureq::post(url)
            .config()
            .http_status_as_error(false)
            .build()
            .header("Content-Type", "application/json-rpc");
        if !session.is_empty() {
            call = call.header("Authorization", format!("Bearer {session}"));
        }
        let mut answer = call.send(body).unwrap();
        let text = answer.body_mut().with_config().limit(1 << 30).read_to_string().unwrap();
        (answer.status().as_u16(), text)
    }

    /// Result or error of a method.
    pub fn try_call(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let request = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1});
        // They are refused to callers with a session.
        let is_open = matches!(method, "user.login" | "user.checkAuthentication");
        let session = if is_open { "" } else { self.session.as_str() };
        let (status, text) = self.post_as(session, request.to_string().as_bytes());
        let parsed = serde_json::from_str(&text);
        let mut answer: Value = parsed.unwrap_or_else(|_| panic!("{method}: {status} {text}"));
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(answer["error"].take()),
        }
    }

    /// The result of a method that has to succeed.
    pub fn call(&self, method: &str, params: &Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The answer of a call of the pages, `/api/v1/…`, that has to succeed.
    pub fn native(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.try_native(path, body);
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// As [`Server::native`], of a call that may fail: with the status.
    pub fn try_native(&self, path: &str, body: &Value) -> (u16, Value) {
        let mut answer = ureq::post(format!("http://{}/api/v1/{path}", self.http()))
            .config()
            .http_status_as_error(false)
            .build()
            .header("Content-Type", "application/json")
            .header("Authorization", format!("Bearer {}", self.session))
            .send(body.to_string())
            .unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap())
    }

    /// A request of a page.
    pub fn native_get(&self, path: &str) -> Value {
        let request = ureq::get(format!("http://{}/api/v1/{path}", self.http()));
        let request = request.header("Authorization", format!("Bearer {}", self.session));
        let text = request.call().unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// All metrics.
    pub fn metrics(&self) -> String {
        let request = ureq::get(format!("http://{}/metrics", self.http()));
        let request = request.header("Authorization", format!("Bearer {}", self.session));
        request.call().unwrap().body_mut().read_to_string().unwrap()
    }

    /// A line of the metrics that counts something.
    pub fn metric(&self, name: &str) -> u64 {
        let text = self.metrics();
        let line = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in\n{text}")).parse().unwrap()
    }

    /// Ids that a method made: `{"hostids": [...]}`.
    pub fn create(&self, method: &str, params: &Value) -> Vec<String> {
        let result = self.call(method, params);
        let ids = result.as_object().unwrap().values().next().unwrap().as_array().unwrap();
        ids.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    }

    /// A host group.
    pub fn group(&self, name: &str) -> String {
        self.create("hostgroup.create", &json!({"name": name})).remove(0)
    }

    /// A host in a group of its own.
    pub fn host(&self, name: &str) -> String {
        let group = self.group(&format!("Group of {name}"));
        self.create("host.create", &json!({"host": name, "groups": [{"groupid": group}]})).remove(0)
    }

    /// A trapper item.
    pub fn trapper_item(&self, host: &str, key: &str, value_type: u8) -> String {
        let item = json!({
            "hostid": host, "name": key, "key_": key, "type": 2, "value_type": value_type
        });
        self.create("item.create", &item).remove(0)
    }

    /// A trapper item of texts with a script as its step.
    pub fn scripted(&self, host: &str, key: &str, source: &str) -> String {
        let step =
            json!({"type": 21, "params": source, "error_handler": 0, "error_handler_params": ""});
        let item = json!({
            "hostid": host, "name": key, "key_": key, "type": 2, "value_type": TEXT,
            "preprocessing": [step],
        });
        self.create("item.create", &item).remove(0)
    }

    /// Gives an item another script as its only step.
    pub fn set_script(&self, item: &str, source: &str) {
        let step =
            json!({"type": 21, "params": source, "error_handler": 0, "error_handler_params": ""});
        self.call("item.update", &json!({"itemid": item, "preprocessing": [step]}));
    }

    /// A dependent item whose only step is a script.
    pub fn dependent_script(&self, host: &str, master: &str, key: &str, source: &str) -> String {
        let step =
            json!({"type": 21, "params": source, "error_handler": 0, "error_handler_params": ""});
        let item = json!({
            "hostid": host, "name": key, "key_": key, "type": 18, "value_type": TEXT,
            "master_itemid": master, "preprocessing": [step],
        });
        self.create("item.create", &item).remove(0)
    }

    /// All texts of an item that are stored, oldest first.
    pub fn history_values(&self, item: &str) -> Vec<String> {
        let params = json!({
            "itemids": [item], "history": 4, "output": "extend",
            "sortfield": "clock", "sortorder": "ASC",
        });
        let rows = self.call("history.get", &params);
        let rows = rows.as_array().unwrap().iter();
        rows.map(|it| it["value"].as_str().unwrap().to_owned()).collect()
    }

    pub fn trigger(&self, name: &str, expression: &str) -> String {
        let trigger = json!({"description": name, "expression": expression, "priority": 3});
        self.create("trigger.create", &trigger).remove(0)
    }

    pub fn item(&self, id: &str) -> Value {
        let params = json!({"itemids": [id], "output": "extend"});
        self.call("item.get", &params)[0].clone()
    }

    /// The newest value as text, once the item has one.
    pub fn last(&self, id: &str) -> Option<String> {
        let item = self.item(id);
        (item["lastclock"] != "0").then(|| item["lastvalue"].as_str().unwrap().to_owned())
    }

    /// Whether a trigger stands at PROBLEM.
    pub fn is_problem(&self, trigger: &str) -> bool {
        let params = json!({"triggerids": [trigger], "output": ["value"]});
        self.call("trigger.get", &params)[0]["value"] == "1"
    }

    /// Rows of a method that the API may not know yet.
    pub fn get_if_known(&self, method: &str, params: &Value) -> Option<Vec<Value>> {
        match self.try_call(method, params) {
            Ok(rows) => Some(rows.as_array().unwrap().clone()),
            Err(error) if error["code"] == -32_601 => {
                eprintln!("not checked: the API has no {method}");
                None
            }
            Err(error) => panic!("{method}: {error}"),
        }
    }

    pub fn connect(&self) -> TcpStream {
        peer::connect(self.trapper())
    }
}
