//! The worker that executes the commands of actions: global scripts, each on one host.
//!
//! **Once, or not at all.** A command changes something, so it is never executed twice: its start
//! is saved before it is executed. A command that was started and has no outcome when the server
//! starts was cut off; it is reported as failed, since its effect is unknown. Commands that were
//! not started are executed after the start.
//!
//! If the database refuses three times alone to save the start of a command, the command is left
//! until the next start of the server.
//!
//! **Memory** holds the running commands; the rest stays in the table of alerts until there is
//! room.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use crate::message_facts::{AlertFacts, FactSources};
use crate::script_commands::{command, is_on_host};
use alert::macros::{MessageContext, SecretMode};
use alert::{AlertStatus, CommandTarget, EventSource};
use db::DbError;
use db::alerts::{Alert, AlertKind, AlertOutcome, Unsent};
use model::HostId;
use model::snapshot::{Host, Snapshot};
use model::time::Now;
use rt::clock::{Clock, nanos};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::task::Tasks;
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use tracing::{info, warn};

use crate::about::context;
use crate::escalations::devices;
use crate::ports::Background;

/// The worker as operators know it.
pub const ROW: WorkerRow = WorkerRow {
    name: "alert-commands",
    job: "executes commands of actions",
    woken_by: "new commands, commands that end",
    waits: "commands of actions wait for the database",
    on_panic: OnPanic::Reload,
};

/// Started commands of an earlier process that are read at once after a start.
const PAGE: u32 = 500;
/// For commands that are under way at the end.
const STOP_MAX: Duration = Duration::from_secs(2);
/// Longest error that is kept, in characters; Zabbix's column.
const ERROR_CHARS: usize = 2_048;
const CUT_OFF: &str = "The server ended while the command was executed. It is not executed again: whether it did its work is \
                       not known.";
const BROKEN_OFF: &str =
    "An internal error kept the command from being executed. It is not executed again.";

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

/// Parts of the server that the execution of commands needs.
pub struct CommandParts {
    pub sources: FactSources,
    pub clock: Clock,
    pub tasks: Tasks,
    pub background: Arc<dyn Background>,
    pub metrics: CommandMetrics,
    /// Commands at once.
    pub sessions_max: usize,
}

opaque_debug!(CommandParts);

/// The worker's state.
pub struct CommandRunner {
    sources: Arc<FactSources>,
    clock: Clock,
    tasks: Tasks,
    metrics: CommandMetrics,
    sessions_max: usize,
    background: Arc<dyn Background>,
    /// Ids of alerts.
    running: BTreeSet<u64>,
    /// All up to here was begun.
    begun_until: u64,
    /// Why commands that were started and do not run are reported as failed, until they are;
    /// `None`: they were.
    to_settle: Option<&'static str>,
    has_more: Arc<AtomicBool>,
    unsaved: Vec<AlertOutcome>,
    /// Those that the database refuses to note as begun.
    refused: BTreeSet<u64>,
    /// Whether the last failure may pass with time.
    is_mended_by_time: bool,
    wake: Wake,
    outcomes_in: SyncSender<AlertOutcome>,
    outcomes: Receiver<AlertOutcome>,
}

opaque_debug!(CommandRunner);

impl CommandRunner {
    /// Turns are caused by its wake-ups.
    #[must_use]
    pub fn new(parts: CommandParts, wake: &Wake) -> Self {
        let CommandParts { sources, clock, tasks, background, metrics, sessions_max } = parts;
        // An outcome for each command.
        let (outcomes_in, outcomes) = sync_channel(sessions_max);
        let has_more = Arc::new(AtomicBool::new(true));
        let (flag, woken) = (Arc::clone(&has_more), wake.clone());
        sources.db.alerts().watch(Box::new(move || {
            flag.store(true, Ordering::Release);
            woken.wake();
        }));
        Self {
            sources: Arc::new(sources),
            clock,
            tasks,
            metrics,
            sessions_max,
            background,
            running: BTreeSet::new(),
            begun_until: 0,
            to_settle: Some(CUT_OFF),
            has_more,
            unsaved: Vec::new(),
            refused: BTreeSet::new(),
            is_mended_by_time: false,
            wake: wake.clone(),
            outcomes_in,
            outcomes,
        }
    }

    fn turn_by_state(&mut self) -> Result<(), DbError> {
        self.listen();
        self.save()?;
        if let Some(reason) = self.to_settle {
            self.settle(reason)?;
            self.to_settle = None;
        }
        let n_free = self.sessions_max - self.running.len();
        if n_free == 0 || !self.has_more.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        self.begin(n_free).inspect_err(|_| self.has_more.store(true, Ordering::Release))
    }

    /// Reports commands as failed that the end of an earlier process cut off.
    fn settle(&mut self, reason: &str) -> Result<(), DbError> {
        let mut after = 0;
        loop {
            let page = self.unsent(after, PAGE)?;
            let Some(last) = page.last().map(|it| it.id) else { return Ok(()) };
            after = last;
            let cut_off: Vec<AlertOutcome> = page
                .iter()
                .filter(|it| it.retries != 0 && !self.running.contains(&it.id))
                .map(|it| outcome(it.id, Err(reason.to_owned())))
                .collect();
            let n = cut_off.len() as u64;
            if n != 0 {
                self.sources.db.alerts().save(cut_off)?;
                self.metrics.cut_off_total.add(n);
                warn!(n, reason, "commands of actions were started and have no outcome");
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
        let mut page = self.unsent(self.begun_until, limit)?;
        if page.len() == n_free {
            self.has_more.store(true, Ordering::Release);
        }
        page.retain(|it| !self.refused.contains(&it.id) && !self.running.contains(&it.id));
        self.sources.db.alerts().save(page.iter().map(begun).collect())?;
        for alert in page {
            self.begun_until = alert.id;
            self.start(alert);
        }
        Ok(())
    }

    fn start(&mut self, alert: Alert) {
        let (sources, clock) = (Arc::clone(&self.sources), self.clock.clone());
        let (outcomes, wake) = (self.outcomes_in.clone(), self.wake.clone());
        let (tasks, metrics) = (self.tasks.clone(), self.metrics.clone());
        self.running.insert(alert.id);
        let work = move || {
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
            outcomes.send(outcome(alert.id, ended)).ok();
            wake.wake();
        };
        self.background.begin("command", Box::new(work));
    }

    /// Takes the outcomes of commands that ended.
    fn listen(&mut self) {
        while let Ok(it) = self.outcomes.try_recv() {
            self.ended(it);
        }
        self.metrics.running.set_n(self.running.len());
    }

    fn ended(&mut self, outcome: AlertOutcome) {
        self.running.remove(&outcome.id);
        self.unsaved.push(outcome);
    }

    fn save(&mut self) -> Result<(), DbError> {
        if !self.unsaved.is_empty() {
            self.sources.db.alerts().save(self.unsaved.clone())?;
            self.unsaved.clear();
        }
        Ok(())
    }
}

impl Worker for CommandRunner {
    type Error = DbError;

    fn turn(&mut self, _: Now) -> Result<Next, DbError> {
        let turn = self.turn_by_state();
        if let Err(error) = &turn {
            self.is_mended_by_time = error.retry();
            warn!(%error, n_unsaved = self.unsaved.len(), "commands wait for the database");
        }
        let has_room = self.running.len() < self.sessions_max;
        let is_more = has_room && self.has_more.load(Ordering::Acquire);
        turn.map(|()| if is_more { Next::More } else { Next::WhenWoken })
    }

    /// After a panic, commands that were started and do not run are reported as failed: their
    /// effect is unknown.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), DbError> {
        self.is_mended_by_time = false;
        if after == WorkerFailure::Panic {
            self.to_settle = Some(BROKEN_OFF);
            self.has_more.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// A command whose row the database refuses to change.
    fn put_aside(&mut self) -> Option<String> {
        if self.is_mended_by_time {
            return None;
        }
        let alerts = self.sources.db.alerts();
        let mut refused = None;
        for outcome in std::mem::take(&mut self.unsaved) {
            let id = outcome.id;
            match alerts.save(vec![outcome.clone()]) {
                Err(error) if refused.is_none() && !error.retry() => refused = Some(id),
                Err(_) => self.unsaved.push(outcome),
                Ok(()) => {}
            }
        }
        if let Some(id) = refused {
            return Some(format!("what became of command {id}"));
        }
        let page = self.unsent(self.begun_until, PAGE).ok()?;
        for alert in page.into_iter().filter(|it| !self.refused.contains(&it.id)) {
            // Before a command is executed, its start is saved.
            match self.sources.db.alerts().save(vec![unbegun(&alert)]) {
                Err(error) if !error.retry() => {
                    self.refused.insert(alert.id);
                    return Some(format!("command {}", alert.id));
                }
                Err(_) => return None,
                Ok(()) => {}
            }
        }
        None
    }

    /// Running commands get a moment; those that have not ended by then are cut off.
    fn stop(&mut self) -> Result<(), DbError> {
        let end_ns = self.clock.mono_ns().saturating_add(nanos(STOP_MAX));
        while !self.running.is_empty() {
            let left = Duration::from_nanos(end_ns.saturating_sub(self.clock.mono_ns()));
            let Ok(it) = self.outcomes.recv_timeout(left) else { break };
            self.ended(it);
        }
        info!(n_cut_off = self.running.len(), "execution of commands has ended");
        self.save().inspect_err(|error| {
            warn!(%error, "some executed commands are reported as cut off after the next start");
        })
    }
}

/// That it is begun.
fn begun(alert: &Alert) -> AlertOutcome {
    AlertOutcome { retries: 1, ..unbegun(alert) }
}

/// As it is.
fn unbegun(alert: &Alert) -> AlertOutcome {
    AlertOutcome {
        id: alert.id,
        status: AlertStatus::NotSent,
        retries: alert.retries,
        error: String::new(),
        next_at: 0,
        is_digest: false,
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
    context.secrets = SecretMode::Shown;
    let facts = AlertFacts::new(sources, context, clock.wall());
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
