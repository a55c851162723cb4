//! Active checks: for each server and each host name, the agent asks for the list of checks, makes
//! them when they are due, and sends the values.
//!
//! One task holds the whole state of one server and host: list, schedule, buffer. Checks run
//! alongside it and return their results to it, so that a check that hangs delays no other.

use std::sync::Arc;
use std::time::Duration;

use agent::Room;
use rt::clock::Clock;
use rt::task::Tasks;
use tokio::sync::mpsc;
use tracing::{info, warn};
use wire::Version;
use wire::active::{CheckList, ChecksAnswer, ChecksRequest, Command, CommandResult, Heartbeat};
use wire::sender::SenderAnswer;

use crate::checks::Checks;
use crate::log::{LogBatch, LogBudget, LogItem};
use crate::security::Security;
use crate::settings::Settings;

mod buffer;
mod exchange;
mod items;
mod persistent_files;

use buffer::{Buffer, Value};
use exchange::Server;
use items::{Items, Subject};
use persistent_files::PersistentFiles;

/// Results that wait for their task.
const DONE_MAX: usize = 64;
/// Results of commands that wait to be sent. With more, the oldest is dropped.
const COMMAND_RESULTS_MAX: usize = 100;
/// An agent without a list asks again after this time, however long its interval.
const RETRY_MAX_S: u64 = 60;
/// Longest time that one check of a log item catches up for.
const CATCH_UP_MAX_S: u64 = 3_600;
/// Time for the last request when the agent stops.
const FAREWELL_MAX: Duration = Duration::from_secs(3);

/// The state shared by the active checks of all servers.
#[derive(Debug, Clone)]
pub(crate) struct Active {
    pub(crate) settings: Arc<Settings>,
    pub(crate) checks: Checks,
    pub(crate) security: Arc<Security>,
    pub(crate) clock: Clock,
}

/// Starts a task for each server and host name.
///
/// # Errors
/// If there is no randomness for tokens.
pub(crate) fn start(active: &Active, tasks: &Tasks) -> Result<(), getrandom::Error> {
    let hosts = active.settings.hostname.split(',').map(str::trim).filter(|it| !it.is_empty());
    for host in hosts {
        for nodes in &active.settings.active.servers.0 {
            let connect_max = Duration::from_secs(active.settings.timeout_s);
            let server = Server::new(
                nodes.clone(),
                active.settings.active.source,
                connect_max,
                Arc::clone(&active.security),
            );
            info!(%server, host, "makes active checks");
            let kept = PersistentFiles::new(&nodes[0], host);
            let link = Link::new(active.clone(), server, host, kept, token()?, tasks.clone());
            tasks.spawn("server", link.run());
        }
    }
    Ok(())
}

/// 32 hexadecimal digits that identify this run of the agent.
fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|it| format!("{it:02x}")).collect())
}

/// A check that has ended.
struct Done {
    itemid: u64,
    generation: u64,
    outcome: Outcome,
    /// Memory of the value, until it is in the buffer.
    room: Option<Room>,
}

enum Outcome {
    Value(Result<String, String>),
    Log { item: Box<LogItem>, batch: Result<LogBatch, String>, reserved: usize },
}

enum Event {
    Done(Box<Done>),
    Command(CommandResult, Room),
}

/// The connection of one host name to one server.
struct Link {
    active: Active,
    server: Server,
    host: String,
    session: String,
    tasks: Tasks,
    items: Items,
    revision: u64,
    buffer: Buffer,
    /// Values of log items that run now.
    n_reserved: usize,
    command_results: Vec<CommandResult>,
    /// Memory of their values.
    command_rooms: Vec<Room>,
    kept: PersistentFiles,
    events: mpsc::Receiver<Event>,
    results: mpsc::Sender<Event>,
    /// By the monotonic clock.
    next_refresh_ns: u64,
    next_heartbeat_ns: u64,
    next_send_ns: u64,
    holds_back: bool,
    /// Whether the server has values of log items that are not in their files yet.
    must_persist: bool,
    is_away: bool,
    is_refused: bool,
    n_dropped_logged: u64,
}

fn seconds(n: u64) -> u64 {
    n.saturating_mul(1_000_000_000)
}

impl Link {
    fn new(
        active: Active,
        server: Server,
        host: &str,
        kept: PersistentFiles,
        session: String,
        tasks: Tasks,
    ) -> Self {
        let (results, events) = mpsc::channel(DONE_MAX);
        let n_max = usize::try_from(active.settings.active.buffer_values).unwrap_or(usize::MAX);
        Self {
            active,
            server,
            host: host.to_owned(),
            session,
            tasks,
            items: Items::default(),
            revision: 0,
            buffer: Buffer::new(n_max),
            n_reserved: 0,
            command_results: Vec::new(),
            command_rooms: Vec::new(),
            kept,
            events,
            results,
            next_refresh_ns: 0,
            next_heartbeat_ns: 0,
            next_send_ns: 0,
            holds_back: false,
            must_persist: false,
            is_away: false,
            is_refused: false,
            n_dropped_logged: 0,
        }
    }

    async fn run(mut self) {
        loop {
            let stop = self.tasks.shutdown().clone();
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.step() => {}
            }
        }
        // Values from before the end are sent if the server answers; otherwise no log lines are
        // lost.
        let farewell = async {
            while let Ok(event) = self.events.try_recv() {
                self.take(event);
            }
            self.send().await;
            self.persist().await;
        };
        drop(tokio::time::timeout(FAREWELL_MAX, farewell).await);
    }

    /// Does everything that is due, then waits for a result or the next second.
    async fn step(&mut self) {
        let clock = self.active.clock.clone();
        if self.next_refresh_ns <= clock.mono_ns() {
            self.refresh().await;
        }
        let heartbeat_s = self.active.settings.active.heartbeat_s;
        if heartbeat_s != 0 && self.next_heartbeat_ns <= clock.mono_ns() {
            self.next_heartbeat_ns = clock.mono_ns() + seconds(heartbeat_s);
            let heartbeat = Heartbeat {
                host: self.host.clone(),
                heartbeat_freq_s: heartbeat_s,
                version: Version::OURS,
                variant: Some(1),
            };
            // A heartbeat has no answer; other requests notice that a server is down.
            drop(self.server.send(&heartbeat.encode()).await);
        }
        self.start_due();
        if self.must_send() {
            self.send().await;
            return;
        }
        let now = clock.now();
        let to_second = 1_000_000_000 - u64::from(now.wall.ns());
        tokio::select! {
            event = self.events.recv() => {
                if let Some(event) = event {
                    self.take(event);
                }
            }
            () = clock.sleep(Duration::from_nanos(to_second)) => {}
        }
        // Handles all events that are waiting.
        while let Ok(event) = self.events.try_recv() {
            self.take(event);
        }
        if self.must_persist {
            self.persist().await;
        }
    }

    async fn refresh(&mut self) {
        let refresh_s = self.active.settings.active.refresh_s;
        let request = self.checks_request().await.encode();
        let answer = self.server.ask(&request).await;
        let answer =
            answer.and_then(|it| ChecksAnswer::parse(&it).map_err(|error| error.to_string()));
        let mut after_s = refresh_s;
        match answer {
            Ok(ChecksAnswer::List(list)) => {
                self.is_back();
                if std::mem::take(&mut self.is_refused) {
                    info!(server = %self.server, host = %self.host, "the server knows the host now");
                }
                self.take_list(list).await;
            }
            Ok(ChecksAnswer::Failed { info }) => {
                self.is_back();
                after_s = refresh_s.min(RETRY_MAX_S);
                if !std::mem::replace(&mut self.is_refused, true) {
                    warn!(server = %self.server, host = %self.host, %info, "no active checks");
                }
            }
            Ok(ChecksAnswer::Redirect(redirect)) => {
                self.is_back();
                if self.server.follow(&redirect) {
                    info!(server = %self.server, host = %self.host, "another server is responsible");
                    // The other server's list has revisions of its own.
                    self.revision = 0;
                    after_s = 0;
                }
            }
            Err(reason) => {
                after_s = refresh_s.min(RETRY_MAX_S);
                self.is_gone(&reason);
            }
        }
        self.next_refresh_ns = self.active.clock.mono_ns() + seconds(after_s);
    }

    async fn checks_request(&self) -> ChecksRequest {
        let settings = &self.active.settings;
        let time = Duration::from_secs(settings.timeout_s);
        let mut interface = settings.host_interface.clone();
        if interface.is_empty() && !settings.host_interface_item.is_empty() {
            let item = &settings.host_interface_item;
            interface = self.active.checks.get(item, time).await.unwrap_or_default();
        }
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let listens = settings.listens();
        let own = listens.iter().find(|it| !it.ip().is_unspecified());
        ChecksRequest {
            host_metadata: filled(cut(
                &settings.host_metadata,
                wire::active::HOST_METADATA_BYTES_MAX,
            )),
            interface: filled(cut(&interface, 255)),
            ip: own.map(|it| it.ip().to_string()),
            port: listens.first().map(|it| it.port()),
            config_revision: Some(self.revision),
            session: Some(self.session.clone()),
            ..ChecksRequest::new(&self.host, Version::OURS)
        }
    }

    async fn take_list(&mut self, list: CheckList<'static>) {
        self.holds_back = list.upload_disabled;
        for command in list.commands {
            self.start_command(&command);
        }
        let Some(checks) = list.checks else { return };
        self.revision = list.config_revision.unwrap_or(0);
        let mut items = std::mem::take(&mut self.items);
        let (active, kept) = (self.active.clone(), self.kept.clone());
        let now = active.clock.wall().clock();
        let regexps = list.regexps;
        // Reads persistent files: they may lie on a slow disk.
        self.items = self
            .tasks
            .offload("list of items", move || {
                let read = |itemid, item: &LogItem| kept.read(itemid, item);
                items.update(&checks, &regexps, &active.checks, now, &read);
                items
            })
            .await;
    }

    fn start_command(&self, command: &Command<'_>) {
        let waits = command.wait == 1;
        let quoted = command.command.replace('"', "\\\"");
        let key = format!("system.run[\"{quoted}\",{}]", if waits { "wait" } else { "nowait" });
        let time = formats::number::parse_duration_s(&command.timeout).filter(|it| *it != 0);
        let time = Duration::from_secs(time.unwrap_or(self.active.settings.timeout_s).min(600));
        let (id, checks, results) = (command.id, self.active.checks.clone(), self.results.clone());
        self.tasks.spawn_contained("remote command", id, async move {
            let room = checks.room();
            let (value, error) = match checks.get_in(&key, time, &room).await {
                Ok(value) => (Some(value), None),
                Err(reason) => (None, Some(reason)),
            };
            if waits {
                // The receiver is gone if the agent stops.
                let result = CommandResult { id, value, error };
                drop(results.send(Event::Command(result, room)).await);
            }
        });
    }

    /// Starts the checks that are due and not under way.
    fn start_due(&mut self) {
        let now = self.active.clock.wall();
        let clock = now.clock();
        let mut broken = Vec::new();
        for (itemid, item) in &mut self.items.by_id {
            if item.is_running || clock < item.next {
                continue;
            }
            let (itemid, generation) = (*itemid, item.generation);
            let interval_s = item.last.map_or(1, |it| clock - it);
            let interval_s = u64::try_from(interval_s).unwrap_or(1).clamp(1, CATCH_UP_MAX_S);
            let results = self.results.clone();
            match &mut item.subject {
                Subject::Broken(reason) => broken.push((itemid, reason.clone())),
                Subject::Key(key) => {
                    let (key, checks) = (key.clone(), self.active.checks.clone());
                    let time = Duration::from_secs(self.active.settings.timeout_s);
                    let time = item.timeout.unwrap_or(time);
                    item.is_running = true;
                    self.tasks.spawn_contained("active check", itemid, async move {
                        let room = checks.room();
                        let outcome = Outcome::Value(checks.value(key, time, &room).await);
                        let done = Done { itemid, generation, outcome, room: Some(room) };
                        let done = Box::new(done);
                        drop(results.send(Event::Done(done)).await);
                    });
                }
                Subject::Log(log) => {
                    let lines_per_second = self.active.settings.active.lines_per_second;
                    let room = self.buffer.room_for_logs().saturating_sub(self.n_reserved);
                    // Other items need room as well.
                    let reserved = room.min(1_000);
                    if reserved == 0 {
                        continue;
                    }
                    let Some(log) = log.take() else { continue };
                    self.n_reserved += reserved;
                    item.is_running = true;
                    let budget = LogBudget { interval_s, n_values: reserved, lines_per_second };
                    let tasks = self.tasks.clone();
                    self.tasks.spawn_contained("log item", itemid, async move {
                        let (item, batch) = read_log(&tasks, log, budget).await;
                        let outcome = Outcome::Log { item, batch, reserved };
                        let done = Box::new(Done { itemid, generation, outcome, room: None });
                        drop(results.send(Event::Done(done)).await);
                    });
                }
            }
            item.schedule(itemid, clock);
        }
        for (itemid, reason) in broken {
            self.keep(itemid, Some(Err(reason)), None);
        }
    }

    fn keep(
        &mut self,
        itemid: u64,
        result: Option<Result<String, String>>,
        position: Option<crate::log::Position>,
    ) {
        let now = self.active.clock.wall();
        let (clock, ns) = (now.clock(), now.ns());
        self.buffer.push(Value { itemid, result, position, clock, ns });
        if self.n_dropped_logged == 0 && self.buffer.n_dropped > 0 {
            warn!(server = %self.server, host = %self.host, "the buffer is full: the oldest values are dropped");
        }
        self.n_dropped_logged = self.buffer.n_dropped;
    }

    fn take(&mut self, event: Event) {
        let done = match event {
            Event::Done(done) => *done,
            Event::Command(result, room) => {
                if COMMAND_RESULTS_MAX <= self.command_results.len() {
                    self.command_results.remove(0);
                    self.command_rooms.remove(0);
                }
                self.command_results.push(result);
                self.command_rooms.push(room);
                return;
            }
        };
        let Done { itemid, generation, outcome, room } = done;
        if let Outcome::Log { reserved, .. } = &outcome {
            self.n_reserved -= reserved;
        }
        // An item that is deleted or replaced takes no value.
        let item = self.items.by_id.get_mut(&itemid).filter(|it| it.generation == generation);
        let Some(item) = item else { return };
        item.is_running = false;
        match outcome {
            Outcome::Value(result) => {
                self.keep(itemid, Some(result), None);
                drop(room);
            }
            Outcome::Log { item: log, batch, .. } => {
                item.subject = Subject::Log(Some(log));
                match batch {
                    Ok(batch) => {
                        for value in batch.values {
                            self.keep(itemid, Some(Ok(value.text)), Some(value.position));
                        }
                        if let Some(position) = batch.moved {
                            self.keep(itemid, None, Some(position));
                        }
                    }
                    Err(reason) => self.keep(itemid, Some(Err(reason)), None),
                }
            }
        }
    }

    fn must_send(&self) -> bool {
        if self.active.clock.mono_ns() < self.next_send_ns || self.holds_back {
            return false;
        }
        if !self.command_results.is_empty() || self.buffer.is_half_full() {
            return true;
        }
        let send_s = i64::try_from(self.active.settings.active.send_s).unwrap_or(i64::MAX);
        let now = self.active.clock.wall().clock();
        self.buffer.oldest().is_some_and(|it| it.saturating_add(send_s) <= now)
    }

    /// Sends all values, in as many requests as needed.
    async fn send(&mut self) {
        while !self.buffer.is_empty() || !self.command_results.is_empty() {
            let now = self.active.clock.wall();
            let (request, n) = self.buffer.request(
                &self.session,
                &self.host,
                &self.command_results,
                (now.clock(), now.ns()),
            );
            let n_commands = self.command_results.len();
            let answer = self.server.ask(&request).await;
            let answer =
                answer.and_then(|it| SenderAnswer::parse(&it).map_err(|error| error.to_string()));
            let fault = match answer {
                Ok(answer) if answer.success => {
                    self.is_back();
                    self.holds_back = answer.upload_disabled;
                    self.buffer.sent(n);
                    self.command_results.drain(..n_commands);
                    self.command_rooms.drain(..n_commands);
                    None
                }
                Ok(answer) => {
                    self.holds_back = answer.upload_disabled;
                    if let Some(redirect) = answer.redirect
                        && self.server.follow(&redirect)
                    {
                        self.next_refresh_ns = 0;
                        self.revision = 0;
                    }
                    Some(answer.info.unwrap_or_else(|| "values were refused".to_owned()))
                }
                Err(reason) => Some(reason),
            };
            if let Some(reason) = fault {
                let wait_s = self.active.settings.active.send_s.min(RETRY_MAX_S);
                self.next_send_ns = self.active.clock.mono_ns() + seconds(wait_s);
                self.is_gone(&reason);
                return;
            }
            if self.holds_back {
                break;
            }
        }
        self.must_persist = true;
    }

    /// Writes the state of log items, of those whose values the server has.
    async fn persist(&mut self) {
        let mut files = Vec::new();
        self.must_persist = false;
        for (itemid, item) in &mut self.items.by_id {
            let Subject::Log(log) = &item.subject else { continue };
            let Some(log) = log.as_ref().filter(|_| !self.buffer.has_item(*itemid)) else {
                // A check has the item, or it has found more lines meanwhile: saved the next time.
                self.must_persist = true;
                continue;
            };
            let Some(path) = self.kept.path(*itemid, log) else { continue };
            let text = log.persistent();
            if item.kept.as_ref() != Some(&text) {
                item.kept = Some(text.clone());
                files.push((path, text));
            }
        }
        if files.is_empty() {
            return;
        }
        let written =
            self.tasks.offload("persistent files", move || persistent_files::write(&files)).await;
        if let Err(error) = written {
            warn!(%error, host = %self.host, "cannot write the state of a log item");
        }
    }

    fn is_back(&mut self) {
        if std::mem::take(&mut self.is_away) {
            info!(server = %self.server, host = %self.host, "the server answers again");
        }
    }

    fn is_gone(&mut self, reason: &str) {
        if !std::mem::replace(&mut self.is_away, true) {
            warn!(server = %self.server, host = %self.host, reason, "no contact with the server");
        }
    }
}

/// In the pool for blocking work: a log file may lie on a slow disk.
async fn read_log(
    tasks: &Tasks,
    mut log: Box<LogItem>,
    budget: LogBudget,
) -> (Box<LogItem>, Result<LogBatch, String>) {
    let read = move || {
        let batch = log.check(budget);
        (log, batch)
    };
    tasks.offload("log file", read).await
}

/// At most this many bytes, whole characters.
fn cut(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|it| text.is_char_boundary(*it));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}
