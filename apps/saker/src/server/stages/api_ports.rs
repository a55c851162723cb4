//! Requests of the API to the server, by port.

use std::sync::Arc;
use std::time::Duration;

use api::ports::Ports;
use collect::AgentCommands;
use collect::trapper::Trapper;
use history::Store;
use internals::figures::PublishedFigures;
use remote::commands::CommandPort;
use server_ports::api::{ControlPort, LivePort, PollingPort, StoragePort};
use server_ports::push::PushPort;
use server_ports::series::SeriesPort;
use server_ports::trials::TrialPort;
use tokio::runtime::Handle;

use super::inside::Inside;
use crate::server::base::Base;
use crate::server::error::ServerError;
use crate::server::links;
use crate::server::process_port::{ProcessPort, StateCell};

/// Shared parts that the ports are built from.
pub(super) struct ApiSources {
    pub(super) figures: Arc<PublishedFigures>,
    pub(super) state: Arc<StateCell>,
    /// Of active agents.
    pub(super) agents: Arc<AgentCommands>,
    pub(super) trapper: Arc<Trapper>,
    pub(super) series: SeriesPort,
}

impl Inside<'_> {
    /// Requests of the API to the server.
    ///
    /// # Errors
    /// The key of links can't be read or made.
    pub(super) fn api_ports(&self, sources: ApiSources) -> Result<Ports, ServerError> {
        let ApiSources { figures, state, agents, trapper, series } = sources;
        let Base { clock, registry, settings, .. } = self.base;
        let engine = self.engine;
        Ok(Ports {
            live: Arc::new(LivePort {
                running: Arc::clone(&engine.running),
                live: engine.live.clone(),
                states: Arc::clone(&engine.shared.states),
                clock: clock.clone(),
            }),
            history: Arc::clone(&self.stores.read) as Arc<dyn api::ports::HistoryReads>,
            control: Arc::new(ControlPort {
                running: Arc::clone(&engine.running),
                mailboxes: engine.shared.mailboxes.clone(),
                history: Arc::clone(&self.stores.read),
                clock: clock.clone(),
            }),
            process: Arc::new(ProcessPort {
                state,
                health: self.base.health.clone(),
                figures,
                registry: registry.clone(),
                roster: self.base.roster.clone(),
            }),
            storage: Arc::new(StoragePort {
                history: Arc::clone(&self.stores.read),
                journal: self.stores.journal.clone(),
                data: self.base.data_dir.path().to_owned(),
                tables: settings.database.url.tables(self.base.data_dir.path()),
                budget_bytes: settings.history.disk_budget_bytes,
            }),
            polling: Arc::new(PollingPort(Arc::clone(&engine.running))),
            messages: Arc::clone(&self.workers.senders) as _,
            trials: Arc::new(TrialPort {
                running: Arc::clone(&engine.running),
                mailboxes: engine.shared.mailboxes.clone(),
                history: Arc::clone(&self.stores.read) as Arc<dyn Store>,
                runtime: Handle::current(),
                clock: clock.clone(),
                shutdown: self.groups.input.shutdown().clone(),
                zone: jiff::tz::TimeZone::system(),
                live: engine.live.clone(),
                backtest_time: Duration::from_secs(settings.trial.backtest_s),
                isolation: self.script_isolation("script-trial", &self.groups.core),
                destinations: settings.outgoing.destinations(),
            }),
            commands: Arc::new(self.command_port(agents)),
            push: Arc::new(PushPort::new(trapper)),
            series: Arc::new(series),
            links: Arc::new(links::open(
                &self.base.data_dir,
                settings.alerting.acknowledge_link_hours,
            )?),
        })
    }

    /// Executes commands of users and actions.
    fn command_port(&self, agents: Arc<AgentCommands>) -> CommandPort {
        let settings = &self.base.settings.commands;
        CommandPort {
            secrets: Arc::clone(&self.engine.secrets),
            agents,
            isolation: self.script_isolation("script-command", &self.groups.core),
            tasks: self.groups.core.clone(),
            clock: self.base.clock.clone(),
            is_server_allowed: settings.on_server,
            is_host_allowed: settings.on_hosts,
            time: Duration::from_secs(settings.timeout_s),
            keys: settings.ssh_keys.clone(),
            runtime: Handle::current(),
            ipmi_time: Duration::from_millis(self.base.settings.collectors.ipmi.timeout_ms),
            tls: self.base.encryption.connector.clone(),
            readings: self.base.outgoing.readings.clone(),
        }
    }
}
