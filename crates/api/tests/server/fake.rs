//! A server for tests: its database is real, values and states are those of the test.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use api::ports::{
    BacktestOutcome, BacktestQuery, Bucket, BucketQuery, Command, Commands, Control, ControlError,
    ExchangeLine, FetchQuery, FetchReport, Figures, FunctionValues, HistoryError, HistoryReads,
    ItemLive, LiveState, MessageReport, MessageTrial, Messages, Nvps, Polling, Ports, Process,
    Push, PushVerdict, Pusher, Pushing, QueueFigures, RangeQuery, SeriesAnswer, SeriesProtocol,
    SeriesPush, SeriesPusher, ServerState, Shares, Storage, StorageFigures, Trend, TrendQuery,
    TrialError, TrialFunction, TrialQuery, Trials, TriggerLive,
};
use api::{ApiParts, ApiSettings, ServeSettings};
use db::{Db, DbSettings, Location};
use lang::backtest::{BacktestReport, FunctionNow, Transition};
use lang::expression::Value as Computed;
use model::push::{PushedItem, PushedValue};
use model::value::Sample;
use model::{ItemId, Time, TriggerId, UserId};
use rt::health::Health;
use rt::task::Tasks;
use rt::worker::{GroupContext, Roster, WorkerGroup, WorkerMetrics};
use rt::{Clock, Shutdown};
use script::{NoScripts, Scripts};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const PASSWORD: &str = "zabbix";
pub(crate) const ADMIN: UserId = UserId(1);

#[derive(Default)]
pub(crate) struct World {
    pub(crate) items: Mutex<BTreeMap<ItemId, ItemLive>>,
    pub(crate) triggers: Mutex<BTreeMap<TriggerId, TriggerLive>>,
    pub(crate) values: Mutex<BTreeMap<ItemId, Vec<Sample>>>,
    pub(crate) trends: Mutex<BTreeMap<ItemId, Vec<Trend>>>,
    pub(crate) executed: Mutex<Vec<ItemId>>,
    /// Items that nothing knows how to poll.
    pub(crate) unknown: Mutex<Vec<ItemId>>,
    pub(crate) cleared: Mutex<Vec<ItemId>>,
    pub(crate) closed: Mutex<Vec<u64>>,
    pub(crate) state: Mutex<Option<ServerState>>,
    pub(crate) health: Health,
    /// Points after the usual two.
    pub(crate) nvps: Mutex<Vec<(i64, f64)>>,
    /// Backtests that run until they are cancelled, so far.
    pub(crate) n_long: AtomicUsize,
    /// Backtests that ended because no client waited any more.
    pub(crate) n_left: AtomicUsize,
    /// Where reads of values wait.
    pub(crate) gate: Mutex<Option<Arc<Gate>>>,
    /// Holds up commands and pushes.
    pub(crate) outside_gate: Mutex<Option<Arc<Gate>>>,
    /// Reads of values that succeed, if not all do.
    pub(crate) reads_left: Mutex<Option<usize>>,
    pub(crate) storage: Mutex<StorageFigures>,
    pub(crate) workers: Mutex<Vec<api::ports::WorkerState>>,
    pub(crate) shares: Mutex<Shares>,
    pub(crate) queue: Mutex<QueueFigures>,
    /// How often the queue was read.
    pub(crate) n_queues: AtomicUsize,
    pub(crate) commands: Mutex<Vec<Command>>,
    /// The pushed values, as text.
    pub(crate) pushed: Mutex<Vec<String>>,
    /// How often shares were counted.
    pub(crate) n_counted: AtomicUsize,
}

/// Holds callers until it is opened, and counts them.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    inside: usize,
    most: usize,
    is_open: bool,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.inside += 1;
        state.most = state.most.max(state.inside);
        self.changed.notify_all();
        state = self.changed.wait_while(state, |it| !it.is_open).unwrap();
        state.inside -= 1;
        self.changed.notify_all();
    }

    /// Waits until `n` are held.
    pub(crate) fn wait_for(&self, n: usize) {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |it| it.inside != n).unwrap());
    }

    pub(crate) fn open(&self) {
        self.state.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }

    /// The most that were here at once.
    pub(crate) fn most(&self) -> usize {
        self.state.lock().unwrap().most
    }
}

impl Commands for World {
    fn execute(&self, command: &Command) -> Result<String, String> {
        let gate = self.outside_gate.lock().unwrap().clone();
        gate.inspect(|it| it.pass());
        self.commands.lock().unwrap().push(command.clone());
        Ok("done".to_owned())
    }
}

impl LiveState for World {
    fn item(&self, id: ItemId) -> ItemLive {
        self.items.lock().unwrap().get(&id).cloned().unwrap_or_default()
    }

    fn unsupported(&self) -> Vec<ItemId> {
        let items = self.items.lock().unwrap();
        items.iter().filter(|(_, it)| it.is_unsupported).map(|(id, _)| *id).collect()
    }

    fn trigger(&self, id: TriggerId) -> TriggerLive {
        self.triggers.lock().unwrap().get(&id).cloned().unwrap_or_default()
    }
}

impl HistoryReads for World {
    fn range(&self, query: &RangeQuery) -> Result<Vec<Sample>, HistoryError> {
        let gate = self.gate.lock().unwrap().clone();
        gate.inspect(|it| it.pass());
        let mut left = self.reads_left.lock().unwrap();
        *left = match *left {
            Some(left) => Some(left.checked_sub(1).ok_or(HistoryError::Starting)?),
            None => None,
        };
        drop(left);
        let values = self.values.lock().unwrap();
        let all = values.get(&query.item).map(Vec::as_slice).unwrap_or_default();
        let found = all.iter().filter(|it| query.from <= it.time && it.time <= query.till);
        Ok(if query.newest_first {
            found.rev().take(query.limit).cloned().collect()
        } else {
            found.take(query.limit).cloned().collect()
        })
    }

    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>, HistoryError> {
        let of_query = |query: &BucketQuery| {
            let BucketQuery { item, kind, from, till, .. } = *query;
            let range = RangeQuery { item, kind, from, till, limit: 1_000, newest_first: false };
            let values = self.range(&range)?;
            let each = values.into_iter().filter_map(|it| Some((it.time, it.value.as_f64()?)));
            Ok(each
                .map(|(time, v)| Bucket { time, min: v, avg: v - 1.0, max: v, last: v, n: 1 })
                .collect())
        };
        queries.iter().map(of_query).collect()
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>, HistoryError> {
        let trends = self.trends.lock().unwrap();
        let of_query = |query: &TrendQuery| {
            let of_item = trends.get(&query.item).into_iter().flatten();
            let of_time = of_item.filter(|it| (query.from..=query.till).contains(&it.hour));
            of_time.copied().collect()
        };
        Ok(queries.iter().map(of_query).collect())
    }
}

impl Control for World {
    fn execute_now(&self, items: &[ItemId]) -> Result<(), ControlError> {
        self.executed.lock().unwrap().extend(items);
        let unknown = self.unknown.lock().unwrap();
        let refused = items.iter().filter(|it| unknown.contains(it));
        let refused: Vec<_> = refused.map(|it| (*it, "no such item".to_owned())).collect();
        if refused.is_empty() { Ok(()) } else { Err(ControlError::Items(refused)) }
    }

    fn clear_history(&self, items: &[ItemId]) -> Result<(), HistoryError> {
        self.cleared.lock().unwrap().extend(items);
        Ok(())
    }

    fn close(&self, problem: &db::Problem, _: UserId) -> Result<(), ControlError> {
        self.closed.lock().unwrap().push(problem.eventid().0);
        Ok(())
    }
}

/// The runtime as the only lane.
fn lanes(runtime: &tokio::runtime::Runtime) -> rt::lanes::Lanes {
    let _inside = runtime.enter();
    rt::lanes::Lanes::here()
}

impl Push for World {
    fn push<'a>(
        &'a self,
        values: &'a [PushedValue<'a>],
        pusher: &'a Pusher<'a>,
    ) -> Pushing<'a, Result<Vec<PushVerdict>, String>> {
        Box::pin(async move {
            let gate = self.outside_gate.lock().unwrap().clone();
            if let Some(gate) = gate {
                tokio::task::spawn_blocking(move || gate.pass()).await.unwrap();
            }
            Ok(self.take(values, pusher))
        })
    }
}

impl World {
    fn take(&self, values: &[PushedValue<'_>], pusher: &Pusher<'_>) -> Vec<PushVerdict> {
        let mut pushed = self.pushed.lock().unwrap();
        let verdicts = values.iter().map(|it| {
            pushed.push(format!("{:?} {} {:?} {:?}", pusher.peer, it.value, it.clock, it.ns));
            match it.item {
                PushedItem::Id(id) => PushVerdict { item: Some(id), error: None },
                PushedItem::Key { host, key } => {
                    PushVerdict { item: None, error: Some(format!("no {key} on {host}")) }
                }
            }
        });
        verdicts.collect()
    }
}

impl SeriesPush for World {
    /// Values of keys that begin with `new` need a thread.
    fn push_here<'a>(
        &'a self,
        protocol: SeriesProtocol,
        body: &'a [u8],
        pusher: &'a SeriesPusher<'a>,
    ) -> Pushing<'a, Option<SeriesAnswer>> {
        let is_here = !body.starts_with(b"new");
        Box::pin(async move {
            is_here.then(|| {
                let mut answer = SeriesPush::push(self, protocol, body, pusher);
                answer.headers.push(("x-where", "here".to_owned()));
                answer
            })
        })
    }

    fn push(
        &self,
        protocol: SeriesProtocol,
        body: &[u8],
        pusher: &SeriesPusher<'_>,
    ) -> SeriesAnswer {
        let body: String = String::from_utf8_lossy(body).chars().take(20).collect();
        let said = format!("{protocol:?} {body} {}", pusher.may_create);
        SeriesAnswer { status: 202, headers: vec![("x-said", said)], body: b"taken".to_vec() }
    }
}

impl Storage for World {
    fn figures(&self) -> StorageFigures {
        self.storage.lock().unwrap().clone()
    }

    fn shares(&self, _: u64) -> Shares {
        self.n_counted.fetch_add(1, Ordering::Relaxed);
        self.shares.lock().unwrap().clone()
    }
}

impl Polling for World {
    fn queue(&self, n_max: usize) -> QueueFigures {
        self.n_queues.fetch_add(1, Ordering::Relaxed);
        let mut figures = self.queue.lock().unwrap().clone();
        figures.latest.truncate(n_max);
        figures
    }
}

impl Process for World {
    fn version(&self) -> &str {
        "0.1.0"
    }

    fn state(&self) -> ServerState {
        self.state.lock().unwrap().unwrap_or(ServerState::Running)
    }

    fn issues(&self) -> Vec<api::ports::HealthIssue> {
        self.health.issues()
    }

    fn figures(&self) -> Figures {
        Figures { values_per_second: 12.5, ..Figures::default() }
    }

    fn nvps(&self) -> Nvps {
        let more = self.nvps.lock().unwrap().clone();
        let (times, values) = [(1_000, 1.0), (1_001, 2.5)].into_iter().chain(more).unzip();
        Nvps { times, values }
    }

    fn workers(&self) -> Vec<api::ports::WorkerState> {
        self.workers.lock().unwrap().clone()
    }

    fn metrics(&self) -> String {
        "saker_api_calls_total 1\n".to_owned()
    }
}

impl Messages for World {
    fn try_message(&self, trial: &MessageTrial) -> MessageReport {
        let said = format!("{} {} {:?}", trial.sendto, trial.subject, trial.parameters);
        MessageReport { result: Ok(None), exchange: vec![("server", said)] }
    }
}

impl FunctionValues for World {
    fn evaluate(&self, query: &TrialQuery) -> Result<Result<Computed, String>, TrialError> {
        match &query.what {
            TrialFunction::Many(_, function) if function.name() == "last_foreach" => {
                Ok(Ok(Computed::Vector(vec![Computed::Number(4.0), Computed::Number(5.5)])))
            }
            TrialFunction::Many(_, function) => {
                Err(TrialError::Failed(format!("no {}", function.name())))
            }
            TrialFunction::Trend(..) => Ok(Ok(Computed::Number(12.0))),
        }
    }
}

impl Trials for World {
    fn scripts(&self) -> Box<dyn Scripts> {
        Box::new(NoScripts)
    }

    fn fetch(&self, query: &FetchQuery) -> FetchReport {
        let host = &query.snapshot.hosts[&query.host];
        let row = host.item(query.item).unwrap();
        let key = row.key();
        let asked = ExchangeLine { by: "server", text: key.clone().into_owned(), left_out: 0 };
        let answered = ExchangeLine { by: "peer", text: "42".to_owned(), left_out: 7 };
        let (value, exchange) = match &*key {
            "dead" => (Err(TrialError::Failed("no answer".to_owned())), vec![asked]),
            "odd" => (Ok(Err("Unsupported item key.".to_owned())), vec![asked, answered]),
            "parts" => (Ok(Ok(json!(*row.content).to_string())), Vec::new()),
            "macros" => {
                let macros = host.macros.iter().map(|it| (it.name.as_str(), it.value.as_str()));
                let macros = json!(macros.collect::<BTreeMap<_, _>>());
                (Ok(Ok(macros.to_string())), Vec::new())
            }
            "try" | "agent.hostname" => {
                let macros = host.macros.iter().map(|it| (it.name.as_str(), it.value.as_str()));
                let identity = host.encryption.as_ref().map(|it| it.psk_identity.as_str());
                let value = json!({"at": host.interface_of(row), "identity": identity,
                    "macros": macros.collect::<BTreeMap<_, _>>()});
                (Ok(Ok(value.to_string())), vec![asked, answered])
            }
            key => (Ok(Ok(format!("{} by {:?}", key, row.content.kind))), Vec::new()),
        };
        FetchReport { value, exchange }
    }

    fn address(&self, name: &str) -> Result<IpAddr, TrialError> {
        match name {
            "denied" => Err(TrialError::Refused("it is denied".to_owned())),
            "router" => Ok(IpAddr::from([192, 0, 2, 7])),
            _ => name.parse().map_err(|_error| TrialError::Failed(format!("no {name}"))),
        }
    }

    fn backtest(&self, query: &BacktestQuery) -> Result<BacktestOutcome, TrialError> {
        if query.trigger.content.expression.contains('7') {
            return Err(TrialError::Refused("not this one".to_owned()));
        }
        if query.trigger.content.expression.contains('8') {
            let middle = query.from.plus_secs(query.until.since_ns(query.from) / 2_000_000_000);
            query.watch.reach(middle, (query.from, query.until));
            self.n_long.fetch_add(1, Ordering::Relaxed);
            while !query.watch.is_cancelled() {
                std::thread::yield_now();
            }
            self.n_left.fetch_add(1, Ordering::Relaxed);
        }
        let item = query.trigger.content.functions[0].item;
        let function = |value: &str| FunctionNow {
            item,
            host: "web".into(),
            key: "load".into(),
            function: "last",
            parameters: "".into(),
            value: Ok(Computed::Text(value.to_owned())),
            last: None,
        };
        let change = |after_s: i64, is_problem, value: &str| Transition {
            time: query.from.plus_secs(after_s),
            is_problem,
            event: model::EventId(after_s.unsigned_abs()),
            closes: Vec::new(),
            stays_in_problem: is_problem,
            name: query.trigger.content.description.clone(),
            functions: vec![function(value)],
        };
        let report = BacktestReport {
            starts_in_problem: true,
            transitions: vec![change(10, false, "1"), change(20, true, "9")],
            n_values: 5,
            n_evaluations: 7,
            ..BacktestReport::default()
        };
        Ok(BacktestOutcome { report, ..BacktestOutcome::default() })
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) db: Db,
    pub(crate) world: Arc<World>,
    pub(crate) clock: Clock,
    pub(crate) shutdown: Shutdown,
    pub(crate) registry: rt::metrics::Registry,
    pub(crate) agent: ureq::Agent,
    runtime: Option<tokio::runtime::Runtime>,
    _data: TempDir,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default()
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(ServeSettings { connections_max: 100, ..ServeSettings::default() })
    }

    pub(crate) fn start_with(serving: ServeSettings) -> Self {
        Self::start_set(serving, |_| {})
    }

    pub(crate) fn start_set(serving: ServeSettings, set: impl FnOnce(&mut ApiSettings)) -> Self {
        Self::start_at(Clock::real(), serving, set)
    }

    /// With a stopped clock: for ages and times that a test compares to the second.
    pub(crate) fn start_with_clock_stopped() -> Self {
        let clock = Clock::manual(Clock::real().wall());
        let serving = ServeSettings { connections_max: 100, ..ServeSettings::default() };
        Self::start_at(clock, serving, |_| {})
    }

    fn start_at(clock: Clock, serving: ServeSettings, set: impl FnOnce(&mut ApiSettings)) -> Self {
        let data = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(data.path().join("saker.db"));
        let db = Db::open(&DbSettings::new(location)).unwrap();
        db.set_password(ADMIN, PASSWORD).unwrap();
        let world = Arc::new(World::default());
        let registry = rt::metrics::Registry::new();
        let tasks = Tasks::new("test", &registry);
        let shutdown = tasks.shutdown().clone();
        let ports = Ports {
            live: Arc::clone(&world) as _,
            history: Arc::clone(&world) as _,
            control: Arc::clone(&world) as _,
            process: Arc::clone(&world) as _,
            trials: Arc::clone(&world) as _,
            messages: Arc::clone(&world) as _,
            links: Arc::new(alerting::acknowledge_links::AcknowledgeLinks::new([7; 32], 3_600)),
            storage: Arc::clone(&world) as _,
            polling: Arc::clone(&world) as _,
            commands: Arc::clone(&world) as _,
            push: Arc::clone(&world) as _,
            series: Arc::clone(&world) as _,
        };
        let timers = WorkerGroup::new(
            "timers",
            &GroupContext {
                tasks: tasks.clone(),
                clock: clock.clone(),
                health: Health::default(),
                metrics: WorkerMetrics::register(&registry),
                roster: Roster::default(),
            },
        );
        let mut settings = ApiSettings {
            body_bytes_max: 1 << 20,
            changes_period: Duration::from_millis(2),
            ..ApiSettings::default()
        };
        set(&mut settings);
        let parts = ApiParts {
            db: db.clone(),
            clock: clock.clone(),
            ports,
            registry: registry.clone(),
            tasks: tasks.clone(),
            timers: timers.handle(),
            settings,
        };
        let runtime = rt::task::runtime(2).unwrap();
        let listen = rt::net::listen_tcp("127.0.0.1:0".parse().unwrap(), "test", "test");
        let listener = runtime.block_on(listen).unwrap();
        let address = listener.local_addr().unwrap();
        let router = api::router(parts);
        timers.start().unwrap();
        let around = (tasks, lanes(&runtime), clock.clone());
        runtime.spawn(api::serve(listener, router, serving, around));
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(300)))
            .build()
            .into();
        let runtime = Some(runtime);
        Self { address, db, world, clock, shutdown, registry, agent, runtime, _data: data }
    }

    /// Serves other routes on a port of their own.
    pub(crate) fn serve(&self, router: axum::Router) -> SocketAddr {
        let runtime = self.runtime.as_ref().unwrap();
        let listen = rt::net::listen_tcp("127.0.0.1:0".parse().unwrap(), "test", "test");
        let listener = runtime.block_on(listen).unwrap();
        let address = listener.local_addr().unwrap();
        let tasks = Tasks::new("more", &rt::metrics::Registry::new());
        let serving = ServeSettings::default();
        let around = (tasks, lanes(runtime), self.clock.clone());
        runtime.spawn(api::serve(listener, router, serving, around));
        address
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.agent.get(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(request.call().unwrap())
    }

    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut request = self.agent.post(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(request.send(body).unwrap())
    }

    /// A body in chunks, without its length.
    pub(crate) fn post_stream(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        mut body: &[u8],
    ) -> Answer {
        let mut request = self.agent.post(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(request.send(ureq::SendBody::from_reader(&mut body)).unwrap())
    }

    /// One call by token or session; `None`: without a login.
    pub(crate) fn call_as(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1});
        let authorization = session.map(|it| format!("Bearer {it}"));
        let mut headers = vec![("Content-Type", "application/json-rpc")];
        headers.extend(authorization.as_deref().map(|it| ("Authorization", it)));
        self.post("/api_jsonrpc.php", &headers, body.to_string().as_bytes()).json()
    }

    pub(crate) fn login(&self) -> Session<'_> {
        self.login_as("Admin", PASSWORD)
    }

    pub(crate) fn login_as(&self, username: &str, password: &str) -> Session<'_> {
        let params = json!({"username": username, "password": password});
        let answer = self.call_as(None, "user.login", params);
        let id = answer["result"].as_str().unwrap_or_else(|| panic!("no session: {answer}"));
        Session { server: self, id: id.to_owned() }
    }

    /// The value of a counter.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = self.registry.render();
        let line = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no metric {name}")).parse().unwrap()
    }

    pub(crate) fn now(&self) -> Time {
        self.clock.wall()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.cancel();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

fn answer(mut response: ureq::http::Response<ureq::Body>) -> Answer {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let body = response.body_mut().with_config().limit(1 << 28).read_to_vec().unwrap();
    Answer { status, headers, body }
}

pub(crate) struct Session<'a> {
    pub(crate) server: &'a Server,
    pub(crate) id: String,
}

impl Session<'_> {
    /// The lines of a snapshot of problems.
    pub(crate) fn problem_lines(&self, params: &str) -> Vec<Value> {
        let bearer = format!("Bearer {}", self.id);
        let path = format!("/api/v1/problems{params}");
        let answer = self.server.get(&path, &[("Authorization", &bearer)]);
        assert_eq!(answer.status, 200);
        let text = String::from_utf8(answer.body).unwrap();
        text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    pub(crate) fn call(&self, method: &str, params: Value) -> Value {
        let answer = self.server.call_as(Some(&self.id), method, params);
        match answer.get("result") {
            Some(result) => result.clone(),
            None => panic!("{method}: {answer}"),
        }
    }

    /// The data of the error of a call.
    pub(crate) fn error(&self, method: &str, params: Value) -> String {
        let answer = self.server.call_as(Some(&self.id), method, params);
        answer["error"]["data"].as_str().unwrap_or_else(|| panic!("{method}: {answer}")).to_owned()
    }

    /// The id of one created object.
    pub(crate) fn create(&self, method: &str, params: Value) -> String {
        let answer = self.call(method, params);
        let (_, ids) = answer.as_object().unwrap().iter().next().unwrap();
        ids[0].as_str().unwrap().to_owned()
    }

    pub(crate) fn host(&self, name: &str) -> String {
        self.create(
            "host.create",
            json!({
                "host": name,
                "groups": [{"groupid": "2"}],
                "interfaces": [{"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "",
                    "port": "10050"}],
            }),
        )
    }

    pub(crate) fn template(&self, name: &str) -> String {
        self.create("template.create", json!({"host": name, "groups": {"groupid": "1"}}))
    }

    pub(crate) fn trapper(&self, hostid: &str, key: &str) -> String {
        let params =
            json!({"hostid": hostid, "name": key, "key_": key, "type": 2, "value_type": 3});
        self.create("item.create", params)
    }
}
