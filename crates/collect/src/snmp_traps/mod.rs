//! SNMP traps: received on a port of the server or read from the file of another receiver, and
//! passed to the items `snmptrap[…]` and `snmptrap.fallback` of the interface that they come from.
//!
//! Received datagrams wait in a queue with a bound; without room they are lost and counted, and a
//! lost inform gets no answer, so that its sender repeats it. Informs are answered when their
//! values are written.

mod file;
mod hosts;
mod items;
mod local_engine;
mod matching;
mod parts;
mod port;
mod reading;
mod settings;
mod users;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use model::map::Map;
use rt::metrics::Registry;
use rt::queue::{self, Receiver, WhenFull};
use rt::task::{TaskError, Tasks};
use rt::worker::{GroupContext, WorkerGroup};
use tokio::runtime::Handle;
use tracing::{error, info, warn};

use self::file::TrapFile;
use self::local_engine::LocalEngine;
use self::parts::{TRAPS_A_TURN, Trap};
use self::port::TrapPort;
use self::reading::{Outcome, TrapReader};
use self::users::TrapUser;
use ingress::Closed;

pub(crate) use self::items::SnmpTraps;
pub(crate) use self::parts::TrapParts;
pub use self::settings::{SnmpTrapSettings, TrapSources};

/// How often names of interfaces are resolved.
const NAMES_EACH: Duration = Duration::from_secs(60);
const NAME_TIME: Duration = Duration::from_secs(5);
/// The file with the position of reading.
const POSITION: &str = "snmp_trap_file";

/// Starts the receivers that the settings name.
///
/// # Errors
/// The system refuses a thread.
pub(crate) fn start(
    traps: &Arc<SnmpTraps>,
    sources: TrapSources,
    parts: TrapParts,
    (registry, context): (&Registry, &GroupContext),
) -> Result<(), TaskError> {
    if !traps.is_on {
        return Ok(());
    }
    let tasks = &context.tasks;
    let parts = Arc::new(parts);
    let until_stop = |name: &str, task: Box<dyn Future<Output = ()> + Send>| {
        let (task, shutdown) = (Box::into_pin(task), tasks.shutdown().clone());
        tasks.spawn(name, async move {
            tokio::select! {
                () = task => {}
                () = shutdown.cancelled() => {}
            }
        });
    };
    until_stop("SNMP trap names", Box::new(look_up(Arc::clone(traps), Arc::clone(&parts))));
    if let Some(path) = sources.settings.file.clone() {
        let reader = file::FileReader::new(path, sources.folder.join(POSITION));
        let (traps, parts) = (Arc::clone(traps), Arc::clone(&parts));
        // A thread of its own: it reads a file, and waits for busy shards.
        let mut group = WorkerGroup::new(file::ROW.name, context);
        group.add(file::ROW, |_| TrapFile { reader, traps, parts, runtime: Handle::current() });
        group.start()?;
    }
    let Some(socket) = sources.socket else { return Ok(()) };
    let port = match TrapPort::new(socket, &sources.settings.communities) {
        Ok(port) => Arc::new(port),
        Err(error) => {
            error!(%error, "the socket of SNMP traps cannot be used; none is received");
            return Ok(());
        }
    };
    let users = sources.settings.users.as_deref().map_or(Vec::new(), read_users);
    let engine = LocalEngine::load(&sources.folder, &parts.clock);
    match &engine {
        Ok(engine) => {
            info!(listen = %port.own, engine = engine.shown_id(), "SNMP traps are received");
        }
        Err(error) => {
            error!(%error, "the SNMPv3 engine cannot be set up; only traps of v1 and v2c are received");
        }
    }
    let reader = TrapReader::new((port.own, users), engine.ok(), &parts, tasks);
    let n_max = sources.settings.queue_max.get();
    let (queue, waiting) =
        queue::bounded("snmp-traps", n_max, WhenFull::Refuse, &parts.clock, registry);
    let (receiving, of) = (Arc::clone(&port), Arc::clone(traps));
    let (clock, contained) = (parts.clock.clone(), tasks.clone());
    until_stop(
        "SNMP traps",
        Box::new(async move { receiving.receive(queue, &of.metrics, &clock, &contained).await }),
    );
    let giving = Giving { traps: Arc::clone(traps), port, reader, parts, tasks: tasks.clone() };
    until_stop("SNMP trap items", Box::new(giving.run(waiting)));
    Ok(())
}

/// The users of a file. A missing file and unreadable lines are logged and left out.
fn read_users(path: &Path) -> Vec<TrapUser> {
    let shown = path.display();
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let (users, unreadable) = users::parse(&text);
            if !unreadable.is_empty() {
                let lines = format!("{unreadable:?}");
                warn!(path = %shown, lines, "users of SNMP traps that cannot be read are left out");
            }
            users
        }
        Err(error) => {
            error!(path = %shown, %error, "users of SNMP traps cannot be read; there are none");
            Vec::new()
        }
    }
}

/// Resolves the names of interfaces periodically.
async fn look_up(traps: Arc<SnmpTraps>, parts: Arc<TrapParts>) {
    loop {
        let mut of_address: Map<String, Vec<String>> = Map::default();
        for name in traps.hosts.names() {
            // A name that is not found now may be found the next time.
            let found = parts.dns.addresses(&name, NAME_TIME).await;
            for address in found.iter().flat_map(|it| it.iter()) {
                let address = hosts::canonical(&address.to_string());
                of_address.entry(address).or_default().push(name.clone());
            }
        }
        traps.hosts.set_names(of_address);
        tokio::select! {
            () = parts.clock.sleep(NAMES_EACH) => {}
            () = traps.changed.notified() => {}
        }
    }
}

/// Passes traps to items, and answers informs.
struct Giving {
    traps: Arc<SnmpTraps>,
    port: Arc<TrapPort>,
    reader: TrapReader,
    parts: Arc<TrapParts>,
    tasks: Tasks,
}

impl Giving {
    /// Runs until the receiver is gone.
    async fn run(self, waiting: Receiver<Trap>) {
        let mut batch = Vec::new();
        while let Some(first) = waiting.receive().await {
            batch.push(first);
            waiting.drain(TRAPS_A_TURN - 1, &mut batch);
            // The receiver of values is gone: the process is stopping.
            if self.give(&batch).await.is_err() {
                return;
            }
            batch.clear();
        }
    }

    async fn give(&self, batch: &[Trap]) -> Result<(), Closed> {
        let snapshot = self.parts.configuration.snapshot();
        let (mut said, mut answers) = (Vec::new(), Vec::new());
        for trap in batch {
            self.port.has_left(trap);
            let read = self.reader.read(trap, &self.traps.hosts, &snapshot);
            match self.tasks.contain("SNMP trap", trap.from, read).await {
                Ok(Outcome::Text(text, answer)) => {
                    said.push(text);
                    answers.extend(answer.map(|it| (trap.from, it)));
                }
                Ok(Outcome::Report(report)) => self.port.answer(trap.from, &report).await,
                Ok(Outcome::Refused(reason)) => self.refuse(trap.from, reason),
                Err(_panicked) => self.traps.metrics.refused_total.inc(),
            }
        }
        self.traps.post(&said, &self.parts).await?;
        for (to, answer) in answers {
            self.port.answer(to, &answer).await;
        }
        Ok(())
    }

    fn refuse(&self, from: SocketAddr, reason: &str) {
        self.traps.metrics.refused_total.inc();
        if let Some(n_left_out) = self.traps.refused.admit(self.parts.clock.mono_ns()) {
            warn!(%from, reason, n_left_out, "an SNMP trap was refused");
        }
    }
}
