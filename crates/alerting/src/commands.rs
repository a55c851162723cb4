//! The thread that executes what actions command: global scripts, each on one host.
//!
//! **Once, or not at all.** A command changes something, so it is never executed twice: that it is begun is saved before it
//! is, and whatever was begun and has no outcome when the server starts was cut off. It is told as failed, since nobody
//! knows how far it came. What was not begun is executed after the start.
//!
//! **Memory** holds what is being executed; the rest stays in the table of alerts until there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use crate::message_facts::{FactSources, Facts};
use crate::script_commands::{command, is_on_host};
use alert::macros::{MessageContext, Secrets};
use alert::{AlertStatus, CommandTarget, EventSource};
use db::DbError;
use db::alerts::{Alert, AlertKind, AlertOutcome, Unsent};
use model::HostId;
use model::snapshot::{Host, Snapshot};
use rt::clock::Clock;
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::task::Tasks;
use tokio::runtime::Handle;
use tracing::{info, warn};

use crate::about::context;
use crate::escalations::devices;

/// Read at once after a start, of what was begun before.
const PAGE: u32 = 500;
/// The longest wait: what nobody tells of is looked at so often.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// After the database refused.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// For commands that are under way at the end.
const STOP_MAX: Duration = Duration::from_secs(2);
/// Longest error that is kept, in characters; Zabbix's column.
const ERROR_CHARS: usize = 2_048;
const CUT_OFF: &str = "The server ended while the command was executed. It is not executed again: whether it did its work is \
                       not known.";

rt::metrics! {
    /// Commands of actions.
    pub struct CommandMetrics in "saker_commands" {
        /// Commands that were executed.
        pub executed_total: Counter,
        /// Commands that failed.
        pub failures_total: Counter,
        /// Commands that the end of the server cut off; they are not executed again.
        pub cut_off_total: Counter,
        /// Commands under way.
        pub running: Gauge,
        /// Time of one command, in seconds.
        pub command_seconds: TimeHistogram,
    }
}

enum Heard {
    Wake,
    Ended(AlertOutcome),
}

/// What executing commands needs of the server.
pub struct CommandParts {
    pub sources: FactSources,
    pub clock: Clock,
    pub tasks: Tasks,
    pub metrics: CommandMetrics,
    /// Commands at once.
    pub sessions_max: usize,
}

opaque_debug!(CommandParts);

/// The thread's state.
pub struct CommandRunner {
    sources: Arc<FactSources>,
    clock: Clock,
    tasks: Tasks,
    metrics: CommandMetrics,
    sessions_max: usize,
    n_running: usize,
    /// All up to here was begun.
    begun_until: u64,
    /// What the server's end cut off was looked for.
    is_settled: bool,
    has_more: Arc<AtomicBool>,
    unsaved: Vec<AlertOutcome>,
    tell: SyncSender<Heard>,
    heard: Receiver<Heard>,
}

opaque_debug!(CommandRunner);

impl CommandRunner {
    #[must_use]
    pub fn new(parts: CommandParts) -> Self {
        let CommandParts { sources, clock, tasks, metrics, sessions_max } = parts;
        // An outcome for each command, and a word that there is news.
        let (tell, heard) = sync_channel(sessions_max + 1);
        let has_more = Arc::new(AtomicBool::new(true));
        let (flag, wake) = (Arc::clone(&has_more), tell.clone());
        sources.db.alerts().watch(Box::new(move || {
            flag.store(true, Ordering::Release);
            match wake.try_send(Heard::Wake) {
                // Who does not find room need not tell: something is there to be heard.
                Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
            }
        }));
        Self {
            sources: Arc::new(sources),
            clock,
            tasks,
            metrics,
            sessions_max,
            n_running: 0,
            begun_until: 0,
            is_settled: false,
            has_more,
            unsaved: Vec::new(),
            tell,
            heard,
        }
    }

    /// Goes on until shutdown. Blocking.
    pub fn run(mut self, runtime: &Handle) {
        let _entered = runtime.enter();
        let shutdown = self.tasks.shutdown().clone();
        while !shutdown.is_cancelled() {
            if let Err(error) = self.turn() {
                warn!(%error, n_unsaved = self.unsaved.len(), "commands wait for the database");
                let _is_over = shutdown.wait(RETRY_PAUSE);
                continue;
            }
            self.listen();
        }
        self.finish();
    }

    fn turn(&mut self) -> Result<(), DbError> {
        self.save()?;
        if !self.is_settled {
            self.settle()?;
            self.is_settled = true;
        }
        let n_free = self.sessions_max - self.n_running;
        if n_free == 0 || !self.has_more.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        self.begin(n_free).inspect_err(|_| self.has_more.store(true, Ordering::Release))
    }

    /// Gives up what the end of the process before cut off.
    fn settle(&mut self) -> Result<(), DbError> {
        let mut after = 0;
        loop {
            let page = self.unsent(after, PAGE)?;
            let Some(last) = page.last().map(|it| it.id) else { return Ok(()) };
            after = last;
            let cut_off: Vec<AlertOutcome> = page
                .iter()
                .filter(|it| it.retries != 0)
                .map(|it| outcome(it.id, Err(CUT_OFF.to_owned())))
                .collect();
            let n = cut_off.len() as u64;
            if n != 0 {
                self.sources.db.alerts().save(cut_off)?;
                self.metrics.cut_off_total.add(n);
                warn!(n, "the end of the server cut commands of actions off");
            }
        }
    }

    fn unsent(&self, after: u64, limit: u32) -> Result<Vec<Alert>, DbError> {
        let kind = AlertKind::Command;
        self.sources.db.alerts().unsent(Unsent { kind, media_type: None, after, limit })
    }

    /// Begins as many as there is room for.
    fn begin(&mut self, n_free: usize) -> Result<(), DbError> {
        let limit = u32::try_from(n_free).unwrap_or(PAGE);
        let page = self.unsent(self.begun_until, limit)?;
        if page.len() == n_free {
            self.has_more.store(true, Ordering::Release);
        }
        let begun = page.iter().map(|it| AlertOutcome {
            id: it.id,
            status: AlertStatus::NotSent,
            retries: 1,
            error: String::new(),
            next_at: 0,
            is_digest: false,
        });
        self.sources.db.alerts().save(begun.collect())?;
        for alert in page {
            self.begun_until = alert.id;
            self.start(alert);
        }
        Ok(())
    }

    fn start(&mut self, alert: Alert) {
        let (sources, tell, clock) =
            (Arc::clone(&self.sources), self.tell.clone(), self.clock.clone());
        let (tasks, metrics) = (self.tasks.clone(), self.metrics.clone());
        self.n_running += 1;
        self.tasks.spawn_blocking("command", move || {
            let started_ns = clock.mono_ns();
            let run = || execute(&sources, &alert, &clock);
            let ended = tasks.contain_sync("command", alert.id, run);
            let ended = ended.unwrap_or_else(|_panicked| Err("internal error".to_owned()));
            metrics.command_seconds.observe_ns(clock.mono_ns().saturating_sub(started_ns));
            match &ended {
                Ok(()) => metrics.executed_total.inc(),
                Err(_) => metrics.failures_total.inc(),
            }
            // There is room for each; nobody listens any more after the end.
            tell.send(Heard::Ended(outcome(alert.id, ended))).ok();
        });
    }

    /// Takes in what came meanwhile, waiting for the first of it.
    fn listen(&mut self) {
        match self.heard.recv_timeout(LOOK_INTERVAL) {
            Ok(Heard::Ended(it)) => self.ended(it),
            Ok(Heard::Wake) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        while let Ok(it) = self.heard.try_recv() {
            if let Heard::Ended(it) = it {
                self.ended(it);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "metrics")]
        self.metrics.running.set(self.n_running as f64);
    }

    fn ended(&mut self, outcome: AlertOutcome) {
        self.n_running -= 1;
        self.unsaved.push(outcome);
    }

    fn save(&mut self) -> Result<(), DbError> {
        if !self.unsaved.is_empty() {
            self.sources.db.alerts().save(self.unsaved.clone())?;
            self.unsaved.clear();
        }
        Ok(())
    }

    /// What is under way gets a moment; what is not over by then is cut off.
    fn finish(mut self) {
        let time_ns = u64::try_from(STOP_MAX.as_nanos()).unwrap_or(u64::MAX);
        let end_ns = self.clock.mono_ns().saturating_add(time_ns);
        while 0 < self.n_running && self.clock.mono_ns() < end_ns {
            self.listen();
        }
        if let Err(error) = self.save() {
            warn!(%error, "some commands that were executed are told as cut off after the next start");
        }
        info!(n_cut_off = self.n_running, "commands of actions have ended");
    }
}

fn outcome(id: u64, ended: Result<(), String>) -> AlertOutcome {
    let (status, error) = match ended {
        Ok(()) => (AlertStatus::Sent, String::new()),
        Err(why) => (AlertStatus::Failed, why.chars().take(ERROR_CHARS).collect()),
    };
    AlertOutcome {
        id,
        status,
        retries: u32::from(status == AlertStatus::Failed),
        error,
        next_at: 0,
        is_digest: false,
    }
}

/// Expands and executes a command, and waits for it.
fn execute(sources: &FactSources, alert: &Alert, clock: &Clock) -> Result<(), String> {
    let target = CommandTarget::read(&alert.parameters);
    let target = target.ok_or_else(|| "The command cannot be read.".to_owned())?;
    let snapshot = sources.db.snapshot();
    let script = snapshot.documents.get("script", target.script);
    let script = script.ok_or_else(|| "The script does not exist any more.".to_owned())?;
    let mut context = context(sources, &snapshot, alert)?
        .ok_or_else(|| "The event does not exist any more.".to_owned())?;
    let host = host(sources, &snapshot, target.host, &context)?;
    if let Some(host) = &host
        && !is_on_host(&snapshot, script, host)
    {
        // As Zabbix says it.
        return Err("Insufficient permissions. Host is not in an allowed host group.".to_owned());
    }
    context.target = host.as_ref().map(|it| it.id);
    context.secrets = Secrets::Shown;
    let facts = Facts::new(sources, context, clock.wall());
    let command = command(script, host.as_deref(), &facts)?;
    sources.ports.commands.execute(&command).map(drop)
}

/// The host to execute it on; `None`: on none (of services).
fn host(
    sources: &FactSources,
    snapshot: &Snapshot,
    id: HostId,
    context: &MessageContext,
) -> Result<Option<Arc<Host>>, String> {
    let gone = || "The host does not exist any more.".to_owned();
    if !id.is_none() {
        return Ok(Some(Arc::clone(snapshot.hosts.get(&id).ok_or_else(gone)?)));
    }
    match context.event.as_ref().map(|it| (it.source, it.object_id)) {
        Some((EventSource::Autoregistration, agent)) => {
            let found = sources.db.events().autoregistered_of(&[agent]);
            let found = found.map_err(|error| error.to_string())?;
            let name = found.first().map(|it| it.host.as_str()).unwrap_or_default();
            let host = snapshot.host_named(name);
            let none = || "There is no host of this event.".to_owned();
            Ok(Some(Arc::clone(host.ok_or_else(none)?)))
        }
        Some((EventSource::Discovery, id)) => {
            let object = context.event.as_ref().map_or(0, |it| it.object.code());
            let found = sources.db.events().discovered_device(object, id);
            let device = found.map_err(|error| error.to_string())?;
            let id = device.and_then(|it| devices::find(&it, snapshot));
            let host = id.and_then(|it| snapshot.hosts.get(&it));
            Ok(Some(Arc::clone(host.ok_or_else(|| "There is no host of this event.".to_owned())?)))
        }
        _ => Ok(None),
    }
}
