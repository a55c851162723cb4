//! Starts alerting ([`::alerting`]), and implements its ports.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use ::alerting::commands::{self, CommandMetrics, CommandParts, CommandRunner};
use ::alerting::correlation::{self, CorrelationMetrics, CorrelationParts, CorrelationRunner};
use ::alerting::delivery::{self, Delivering, DeliveryMetrics, DeliveryParts};
use ::alerting::escalations::{self, EscalationMetrics, EscalationParts, EscalationRunner};
use ::alerting::message_facts::FactSources;
use ::alerting::ports::{
    Background, HttpExchange, ProblemClosing, ScriptFault, ScriptRun, ScriptRuns, ShardBusy,
    WrapHost,
};
use ::alerting::senders::{ScriptFolder, Senders, Webhooks};
use engine::mailboxes::{Mailboxes, ShardMessage};
use engine::workers::{IsolatedScripts, JobWorkerMetrics, ScriptFailure, ScriptIsolation};
use model::snapshot::Snapshot;
use model::{Time, TriggerId, UserId};
use outgoing::Exchanger;
use pipeline::CloseProblem;
use rt::task::Tasks;
use rt::worker::WorkerGroup;
use script::{HostRequest, Script};
use script_host::host::{self, Ends};
use wire::http::Response;

use super::{Base, ServerError};
use server_ports::running::Running;

/// Webhooks wait for others most of the time: as many requests as official ones make.
const WEBHOOK_REQUESTS: usize = 100;

/// Parts of the server that alerting gets.
pub(super) struct AlertingStart<'a> {
    pub(super) base: &'a Base,
    pub(super) senders: &'a Arc<Senders>,
    pub(super) sources: &'a FactSources,
    pub(super) closing: ShardClosing,
    pub(super) tasks: &'a Tasks,
}

impl AlertingStart<'_> {
    /// Starts the workers that judge events, walk through the steps of actions, execute their commands and send their messages. Those
    /// that wait for little share a thread; a shard may keep correlation waiting.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn start(self) -> Result<(), ServerError> {
        let Base { settings, clock, health, registry, .. } = self.base;
        let context = self.base.worker_context(self.tasks);
        let background: Arc<dyn Background> = Arc::new(Pool {
            tasks: self.tasks.clone(),
            runtime: tokio::runtime::Handle::current(),
        });
        let mut escalations = WorkerGroup::new("escalations", &context);
        let parts = EscalationParts {
            sources: self.sources.clone(),
            clock: clock.clone(),
            health: health.clone(),
            metrics: EscalationMetrics::register(registry),
        };
        escalations.add(escalations::ROW, |wake| EscalationRunner::new(parts, wake));
        escalations.start()?;
        let mut correlation = WorkerGroup::new("correlation", &context);
        let parts = CorrelationParts {
            db: self.sources.db.clone(),
            closing: Arc::new(self.closing),
            clock: clock.clone(),
            metrics: CorrelationMetrics::register(registry),
        };
        correlation.add(correlation::ROW, |wake| CorrelationRunner::new(parts, wake));
        correlation.start()?;
        let mut sending = WorkerGroup::new("alert-delivery", &context);
        let parts = DeliveryParts {
            mailer: Arc::clone(self.senders) as _,
            background: Arc::clone(&background),
            sources: self.sources.clone(),
            clock: clock.clone(),
            health: health.clone(),
            tasks: self.tasks.clone(),
            metrics: DeliveryMetrics::register(registry),
            sessions_max: settings.alerting.sessions_max.get(),
            rate_per_s: settings.alerting.rate_per_s,
        };
        sending.add(delivery::ROW, |wake| Delivering::new(parts, wake));
        let parts = CommandParts {
            sources: self.sources.clone(),
            clock: clock.clone(),
            tasks: self.tasks.clone(),
            background,
            metrics: CommandMetrics::register(registry),
            sessions_max: settings.commands.sessions_max.get(),
        };
        sending.add(commands::ROW, |wake| CommandRunner::new(parts, wake));
        Ok(sending.start()?)
    }
}

/// Threads of the runtime's pool.
struct Pool {
    tasks: Tasks,
    runtime: tokio::runtime::Handle,
}

impl Background for Pool {
    fn begin(&self, name: &'static str, work: Box<dyn FnOnce() + Send>) {
        let _entered = self.runtime.enter();
        self.tasks.spawn_blocking(name, work);
    }
}

/// The senders of messages, by the server's settings.
pub(super) fn senders(base: &Base, db: &db::Db, tasks: &Tasks) -> Senders {
    let Base { settings, clock, registry, .. } = base;
    let wanted = &settings.alerting;
    let limits = script::Limits { requests: WEBHOOK_REQUESTS, ..settings.script.limits() };
    let isolation = ScriptIsolation {
        name: "webhook",
        limits,
        new_host: host::new_host(&base.outgoing, clock, tasks, Ends::AtStop),
        metrics: JobWorkerMetrics::register(registry),
        tasks: tasks.clone(),
        n_stuck: Arc::<AtomicUsize>::default(),
        processes: Some(base.script_processes.clone()),
    };
    Senders {
        db: db.clone(),
        clock: clock.clone(),
        stop: tasks.shutdown().clone(),
        destinations: settings.outgoing.destinations(),
        webhooks: Webhooks::new(Arc::new(IsolatedRuns(isolation)), wanted.sessions_max.get()),
        scripts: ScriptFolder {
            folder: wanted.scripts.clone(),
            time: Duration::from_millis(wanted.script_timeout_ms),
            clock: clock.clone(),
        },
        http: Arc::new(AlertingHttp(base.outgoing.exchanger())),
        smtp_time: Duration::from_millis(wanted.smtp_timeout_ms),
    }
}

/// Requests of senders.
struct AlertingHttp(Exchanger);

impl HttpExchange for AlertingHttp {
    fn exchange(&self, request: &HostRequest<'_>) -> Result<Response, String> {
        self.0.exchange(request)
    }
}

/// Scripts of webhooks, in threads or processes of their own.
struct IsolatedRuns(ScriptIsolation);

impl ScriptRuns for IsolatedRuns {
    fn begin(&self, wrap: WrapHost) -> Box<dyn ScriptRun> {
        let mut isolation = self.0.clone();
        let inner = Arc::clone(&isolation.new_host);
        isolation.new_host = Arc::new(move |dropped| wrap(inner(dropped)));
        Box::new(IsolatedRun(isolation.scripts()))
    }

    fn is_ending(&self) -> bool {
        self.0.tasks.shutdown().is_cancelled()
    }
}

struct IsolatedRun(IsolatedScripts);

impl ScriptRun for IsolatedRun {
    fn run(
        &mut self,
        script: &Script,
        value: &str,
        time: Duration,
    ) -> Result<Option<String>, ScriptFault> {
        let fault = |it| match it {
            ScriptFailure::Environment(text) | ScriptFailure::Compile(text) => {
                ScriptFault { text, is_late: false }
            }
            ScriptFailure::Execute(text) => ScriptFault { is_late: text == script::TIMEOUT, text },
        };
        self.0.run_within(script, value, time).map_err(fault)
    }
}

/// Has the shards close problems.
pub(super) struct ShardClosing {
    pub(super) running: Arc<Running>,
    pub(super) mailboxes: Mailboxes,
}

impl ProblemClosing for ShardClosing {
    /// A trigger that is gone has no shard, and its problem goes as well.
    fn close(
        &self,
        problem: &db::Problem,
        snapshot: &Snapshot,
        now: Time,
    ) -> Result<Option<Receiver<()>>, ShardBusy> {
        let trigger = TriggerId(problem.event.objectid);
        let Some((holder, _)) = snapshot.trigger(trigger) else { return Ok(None) };
        let shard = self.running.directory().shard_of_host(holder.id);
        let (event, user) = (problem.eventid(), UserId::NONE);
        let close = CloseProblem { trigger, event, user, time: now };
        let (answer, done) = mpsc::sync_channel(1);
        let sent = self.mailboxes.try_send(shard, ShardMessage::Close(close, answer));
        sent.map(|()| Some(done)).map_err(|_full| ShardBusy)
    }
}
