//! The server role: makes the parts in [stages], waits for the end, and stops them in the reverse order.

mod alerting;
mod base;
mod bootstrap;
mod encryption;
mod error;
mod exports;
mod http_port;
mod links;
mod open;
mod own_agent;
mod process_port;
pub(crate) mod remote_stores;
mod sinks;
mod stages;
mod syslog;
mod workers;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;
use std::time::Duration;

use api::ports::ServerState;
use engine::housekeeping::{HousekeeperParts, LastHousekeeping};
use engine::runner;
use engine::shard::ShardContext;
use rt::lanes::Lanes;
use rt::shutdown::Shutdown;
use rt::signal::StopSignals;
use tracing::{error, info, warn};

use crate::descriptors;
use crate::settings::Settings;
use base::{Base, Groups, ServerLanes};
use error::ServerError;
use process_port::StateCell;
use stages::engine::EngineStage;
use stages::inside::Inside;
use stages::listeners::Listeners;
use stages::opened::{self, Opened};
use stages::ports::PortStage;
use stages::sockets::Sockets;
use stages::workers::WorkerStage;

/// For requests that are being answered, and checks under way, to end.
const INPUT_DEADLINE: Duration = Duration::from_secs(3);
/// Wait for the rest of the runtime's blocking pool at the end.
const RUNTIME_DEADLINE: Duration = Duration::from_millis(100);
/// Wait for the shards to process their queues.
const DRAIN_DEADLINE: Duration = Duration::from_secs(3);

/// Runs until SIGTERM or SIGINT, drains and returns.
///
/// # Errors
/// When a part cannot start, or fails in a way that ends the process.
pub(crate) fn run(settings: Settings) -> Result<(), ServerError> {
    let settings = descriptors::fit(&settings);
    let data_dir = opened::data_dir(&settings)?;
    let n_cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let runtime = rt::task::runtime(n_cores.get())?;
    // The shards have the other half of the cores.
    let (senders, of_senders) = Lanes::open("saker-senders", n_cores.get() / 2)?;
    let (polls, of_polls) = Lanes::open("saker-polls", n_cores.get() / 2)?;
    let (http, of_http) = Lanes::open("saker-http", n_cores.get())?;
    let lanes = ServerLanes { senders, http, polls };
    let opened = Opened::open(settings, n_cores, data_dir, (&runtime, lanes))?;
    let requests = opened.requests.clone();
    let ended = runtime.block_on(serve(opened));
    requests.shutdown().cancel();
    // Everything that counts has ended. A request that still waits for its answer does not hold up a stop.
    of_senders.shut_down(RUNTIME_DEADLINE);
    of_http.shut_down(RUNTIME_DEADLINE);
    of_polls.shut_down(RUNTIME_DEADLINE);
    runtime.shutdown_timeout(RUNTIME_DEADLINE);
    ended
}

/// The running parts that stopping needs.
struct Started {
    groups: Groups,
    housekeeping: HousekeeperParts,
    shards: ShardContext,
    /// Values that are not written by then are given up.
    stop: Shutdown,
    state: Arc<StateCell>,
}

async fn serve(opened: Opened) -> Result<(), ServerError> {
    let mut signals = StopSignals::catch().map_err(ServerError::Signals)?;
    let (base, started) = start(opened)?;
    started.state.set(ServerState::Running);
    info!(
        http = %base.settings.http.listen,
        trapper = %base.settings.trapper.listen,
        shards = base.n_shards,
        "started: values are accepted"
    );
    let failure = tokio::select! {
        signal = signals.next() => {
            info!(signal, "stopping");
            None
        }
        failure = started.groups.root.next_failure() => {
            error!(task = failure.task, message = failure.message, "a required part of the server ended by a bug; the server stops");
            Some(failure)
        }
    };
    stop(started).await;
    info!("stopped");
    match failure {
        Some(it) => Err(ServerError::Failed { task: it.task, message: it.message }),
        None => Ok(()),
    }
}

/// From the second stage to the last. Parts that are not returned are dropped: threads end when
/// their last handle does.
fn start(opened: Opened) -> Result<(Base, Started), ServerError> {
    let Opened { base, stores, recovered, sockets, control, .. } = opened;
    let root = base.root.clone();
    let groups = Groups {
        input: root.group("input"),
        core: root.group("core"),
        readers: root.group("readers"),
        root,
    };
    let engine = EngineStage::start(&base, &stores, recovered, &groups)?;
    let workers = WorkerStage::start(&base, &stores, &groups, &engine)?;
    let inside = Inside {
        base: &base,
        stores: &stores,
        groups: &groups,
        engine: &engine,
        workers: &workers,
    };
    let Sockets { http, trapper, traps, syslog, metrics } = sockets;
    let ports = PortStage::start(&inside, traps)?;
    let state = Arc::clone(&ports.state);
    let listeners = Listeners { http, trapper, syslog, metrics, control };
    listeners.serve(&inside, ports)?;
    let EngineStage { housekeeping, shared, stop, .. } = engine;
    Ok((base, Started { groups, housekeeping, stop, state, shards: shared }))
}

/// Input first, then the queues, then state that a start would otherwise have to rebuild.
async fn stop(started: Started) {
    let Started { groups, housekeeping, shards, stop, state } = started;
    state.set(ServerState::Stopping);
    let Groups { root, input, core, readers } = &groups;
    input.shutdown().cancel();
    if let Err(error) = input.join(INPUT_DEADLINE).await {
        warn!(%error, "input did not end in time");
    }
    // The shards still run: they are asked for their state.
    let progress = Arc::clone(&housekeeping.progress);
    let last = LastHousekeeping::new(housekeeping.clone());
    let given_up = stop.clone();
    let finish = move || runner::run_last_housekeeping(last, &given_up);
    let mut finished = tokio::task::spawn_blocking(finish);
    let mut seen = progress.load(Ordering::Relaxed);
    // As long as it makes progress.
    while tokio::time::timeout(DRAIN_DEADLINE, &mut finished).await.is_err() {
        let now = progress.load(Ordering::Relaxed);
        if now == seen {
            warn!("the last checkpoint makes no progress; the next start replays the journal");
            break;
        }
        seen = now;
    }
    shards.drain();
    core.shutdown().cancel();
    if let Err(error) = core.join(DRAIN_DEADLINE).await {
        warn!(%error, "shards did not end in time");
        stop.cancel();
    }
    readers.shutdown().cancel();
    if let Err(error) = readers.join(DRAIN_DEADLINE).await {
        warn!(%error, "readers of the journal did not end in time");
    }
    root.shutdown().cancel();
}
