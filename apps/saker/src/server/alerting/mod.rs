//! From events to messages: which are made ([`escalations`]), and how they leave this server.
//!
//! What is to be sent stands in the table of alerts ([`db::alerts`]); [`alert::delivery`] says when,
//! [`delivery`] has the thread that drives it, [`senders`] have the sockets. [`commands`] executes what actions command.

mod about;
pub(super) mod commands;
mod delivery;
pub(super) mod escalations;
mod parameters;
mod senders;
mod trial;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use api::message_facts::FactSources;
use engine::workers::{ScriptIsolation, WorkerMetrics};
use rt::task::Tasks;

use self::delivery::{DeliveryMetrics, Driver};
pub(super) use self::senders::Senders;
use self::senders::{ScriptFolder, Webhooks};
use super::script_host::{self, Ends};
use super::{Base, ServerError};

/// Webhooks wait for others most of the time: as many requests as official ones make.
const WEBHOOK_REQUESTS: usize = 100;

/// Starts the thread that sends what actions make.
///
/// # Errors
/// The system refuses the thread.
pub(super) fn start(
    base: &Base,
    senders: &Arc<Senders>,
    sources: &FactSources,
    tasks: &Tasks,
) -> Result<(), ServerError> {
    let metrics = DeliveryMetrics::register(&base.registry);
    let driver = Driver::new(base, (Arc::clone(senders), sources.clone()), metrics, tasks);
    let runtime = tokio::runtime::Handle::current();
    Ok(tasks.thread("alert-delivery", move || driver.run(&runtime))?)
}

/// What sends messages, by the server's settings.
pub(super) fn senders(base: &Base, db: &db::Db, tasks: &Tasks) -> Senders {
    let Base { settings, clock, registry, .. } = base;
    let wanted = &settings.alerting;
    let limits = script::Limits { requests: WEBHOOK_REQUESTS, ..settings.script.limits() };
    let isolation = ScriptIsolation {
        name: "webhook",
        limits,
        new_host: script_host::new_host((&base.outgoing, clock), tasks, Ends::AtStop),
        metrics: WorkerMetrics::register(registry),
        tasks: tasks.clone(),
        n_stuck: Arc::<AtomicUsize>::default(),
        processes: Some(base.script_processes.clone()),
    };
    Senders {
        db: db.clone(),
        clock: clock.clone(),
        stop: tasks.shutdown().clone(),
        destinations: settings.outgoing.destinations(),
        webhooks: Webhooks::new(isolation, wanted.sessions_max.get()),
        scripts: ScriptFolder {
            folder: wanted.scripts.clone(),
            time: Duration::from_millis(wanted.script_timeout_ms),
            clock: clock.clone(),
        },
        http: base.outgoing.exchanger(),
        smtp_time: Duration::from_millis(wanted.smtp_timeout_ms),
    }
}
