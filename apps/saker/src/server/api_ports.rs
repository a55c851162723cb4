//! What the API asks the server for, by port.

use std::sync::Arc;
use std::time::Duration;

use api::ports::Ports;
use collect::AgentCommands;
use collect::ports::Secrets;
use collect::trapper::Trapper;
use history::Store;
use pipeline::Live;
use remote::commands::CommandPort;

use super::config::Running;
use super::figures::PublishedFigures;
use super::series::SeriesPort;
use super::{Base, Outside, ServerError, links, ports, push, trials};

impl Outside<'_> {
    /// What the API asks the server for.
    pub(super) fn ports(
        &self,
        running: &Arc<Running>,
        (live, shown, state): (Live, Arc<PublishedFigures>, Arc<ports::StateCell>),
        of_commands: (Arc<AgentCommands>, Arc<dyn Secrets>),
        (trapper, series): (Arc<Trapper>, SeriesPort),
    ) -> Result<Ports, ServerError> {
        let Base { clock, registry, settings, .. } = self.base;
        let input = &self.groups.input;
        Ok(Ports {
            live: Arc::new(ports::LivePort {
                running: Arc::clone(running),
                live: live.clone(),
                states: Arc::clone(&self.shared.states),
                clock: clock.clone(),
            }),
            history: Arc::clone(&self.stores.read) as Arc<dyn api::ports::HistoryReads>,
            control: Arc::new(ports::ControlPort {
                running: Arc::clone(running),
                mailboxes: self.shared.mailboxes.clone(),
                history: Arc::clone(&self.stores.read),
                clock: clock.clone(),
            }),
            process: Arc::new(ports::ProcessPort {
                state: Arc::clone(&state),
                health: self.base.health.clone(),
                figures: shown,
                registry: registry.clone(),
            }),
            storage: Arc::new(ports::StoragePort {
                history: Arc::clone(&self.stores.read),
                journal: self.stores.journal.clone(),
                data: self.base.data_dir.path().to_owned(),
                tables: settings.database.url.tables(self.base.data_dir.path()),
                budget_bytes: settings.history.disk_budget_bytes,
            }),
            polling: Arc::new(ports::PollingPort(Arc::clone(running))),
            messages: Arc::clone(&self.senders) as _,
            trials: Arc::new(trials::TrialPort {
                running: Arc::clone(running),
                mailboxes: self.shared.mailboxes.clone(),
                history: Arc::clone(&self.stores.read) as Arc<dyn Store>,
                runtime: tokio::runtime::Handle::current(),
                clock: clock.clone(),
                shutdown: input.shutdown().clone(),
                zone: jiff::tz::TimeZone::system(),
                live,
                backtest_time: Duration::from_secs(settings.trial.backtest_s),
                isolation: self.script_isolation("script-trial", &self.groups.core),
                destinations: settings.outgoing.destinations(),
            }),
            commands: Arc::new(self.commands(of_commands)),
            push: Arc::new(push::PushPort::new(trapper)),
            series: Arc::new(series),
            links: Arc::new(links::open(
                &self.base.data_dir,
                settings.alerting.acknowledge_link_hours,
            )?),
        })
    }

    /// What executes commands of users and actions.
    fn commands(&self, (agents, secrets): (Arc<AgentCommands>, Arc<dyn Secrets>)) -> CommandPort {
        let settings = &self.base.settings.commands;
        CommandPort {
            secrets,
            agents,
            isolation: self.script_isolation("script-command", &self.groups.core),
            tasks: self.groups.core.clone(),
            clock: self.base.clock.clone(),
            is_server_allowed: settings.on_server,
            is_host_allowed: settings.on_hosts,
            time: Duration::from_secs(settings.timeout_s),
            keys: settings.ssh_keys.clone(),
            runtime: tokio::runtime::Handle::current(),
            ipmi_time: Duration::from_millis(self.base.settings.collectors.ipmi.timeout_ms),
            tls: self.base.encryption.connector.clone(),
            readings: self.base.outgoing.readings.clone(),
        }
    }
}
