//! The agent's role with servers of the tests, and queried by zabbix_get.

#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]

mod active;
mod passive;
mod server;
mod tls;

use std::net::SocketAddr;
use std::time::Duration;

use agentd::{Role, Settings};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::settings::{Flag, Sources};
use rt::task::Tasks;
use tokio::runtime::Runtime;

/// Long enough for a machine that is busy with other tests.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn settings(set: &[(&str, &str)]) -> Settings {
    let flag = |it: &(&str, &str)| Flag {
        path: it.0.to_owned(),
        name: it.0.to_owned(),
        value: it.1.to_owned(),
    };
    let flags = set.iter().map(flag).collect();
    let loaded = Settings::load(&Sources { flags, ..Sources::default() });
    loaded.unwrap_or_else(|error| panic!("{error}")).settings
}

/// An agent that runs.
pub(crate) struct Running {
    pub(crate) addresses: Vec<SocketAddr>,
    tasks: Tasks,
    runtime: Option<Runtime>,
}

impl Running {
    pub(crate) fn start(set: &[(&str, &str)]) -> Self {
        let runtime = rt::task::runtime(2).expect("threads");
        let tasks = Tasks::new("agent", &Registry::new());
        let clock = Clock::real();
        let started = Role::start(settings(set), &tasks, &clock);
        let role = runtime.block_on(started).expect("it starts");
        Self { addresses: role.addresses, tasks, runtime: Some(runtime) }
    }

    /// Stops it as an operator does.
    pub(crate) fn stop(mut self) {
        self.tasks.shutdown().cancel();
        let runtime = self.runtime.take().expect("it runs");
        let joined = runtime.block_on(self.tasks.join(LIMIT));
        joined.expect("all of it ends");
        runtime.shutdown_timeout(Duration::ZERO);
    }
}

impl Drop for Running {
    /// As a kill ends it.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::ZERO);
        }
    }
}
