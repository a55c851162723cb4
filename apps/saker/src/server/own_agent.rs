//! The built-in agent for this machine: it answers the agent items of the server's own host, so
//! that a new installation shows something alive without anything else installed.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use agent::{Agent, AgentSettings, KeyAnswer};
use collect::ports::LocalAgent;
use db::Db;
use model::batch::OwnedRaw;
use model::content::{Interface, InterfaceType};
use model::key::ItemKey;
use model::networks::Destinations;
use model::{HostId, Now};
use rt::clock::Clock;
use rt::worker::{Next, OnPanic, Worker, WorkerFailure, WorkerRow};

use super::bootstrap::OWN_HOST;

pub(super) struct OwnAgent {
    agent: Agent,
    db: Db,
    clock: Clock,
}

impl OwnAgent {
    pub(super) fn new(db: Db, clock: Clock, destinations: Destinations) -> Self {
        Self { agent: Agent::new(AgentSettings::inside_server(destinations)), db, clock }
    }
}

/// In the list of workers.
pub(super) const ROW: WorkerRow = WorkerRow {
    name: "own-agent",
    job: "samples what averages of this machine's own host need",
    woken_by: "the clock, each second",
    waits: "averages of this machine have gaps",
    on_panic: OnPanic::Reload,
};

/// The worker.
pub(super) struct Sampler(pub(super) Arc<OwnAgent>);

impl Worker for Sampler {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        self.0.agent.sample(now);
        Ok(Next::at_next_second(now))
    }

    /// Averages miss some seconds.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }
}

impl LocalAgent for OwnAgent {
    /// The agent interface of the own host, as long as it points at this machine: a user who enters
    /// another address wants another agent.
    fn serves(&self, host: HostId, interface: &Interface) -> bool {
        let is_loopback = interface.ip.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
        interface.kind == InterfaceType::Agent
            && interface.useip
            && is_loopback
            && self.db.snapshot().host_by_name.get(OWN_HOST) == Some(&host)
    }

    fn get(&self, key: &str) -> OwnedRaw {
        let key = match ItemKey::parse(key) {
            Ok(it) => it,
            Err(_error) => return OwnedRaw::Error("Invalid item key format.".to_owned()),
        };
        match self.agent.get(&key, self.clock.now()) {
            KeyAnswer::Value(agent::Value::Unsigned(it)) => OwnedRaw::Unsigned(it),
            KeyAnswer::Value(agent::Value::Float(it)) => OwnedRaw::Float(it),
            KeyAnswer::Value(agent::Value::Text(it)) => OwnedRaw::Text(it),
            KeyAnswer::NotSupported(reason) => OwnedRaw::Error(reason),
        }
    }
}
