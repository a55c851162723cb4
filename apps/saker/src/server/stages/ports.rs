//! The fourth stage: collectors, and the ports of the API and alerting.

use std::sync::Arc;
use std::time::Duration;

use alerting::message_facts::FactSources;
use api::ports::Ports;
use collect::Collectors;
use collect::series::SeriesSettings;
use collect::trapper::{Parts, Trapper, TrapperSettings};
use internals::figures::PublishedFigures;
use internals::items::{InternalsParts, ServerInternals};
use server_ports::requests::RequestPort;
use server_ports::series::{self, SeriesParts, SeriesPortSettings};

use super::api_ports::ApiSources;
use super::inside::Inside;
use crate::server::alerting::{AlertingStart, ShardClosing};
use crate::server::base::Base;
use crate::server::error::ServerError;
use crate::server::process_port::StateCell;
use crate::settings::Settings;

/// Parts that serve connections.
pub(crate) struct PortStage {
    pub(crate) ports: Ports,
    pub(crate) trapper: Arc<Trapper>,
    pub(crate) state: Arc<StateCell>,
    /// Read MIBs again when they are asked to, if the settings name folders of them.
    pub(crate) with_mibs: Option<Collectors>,
}

impl PortStage {
    /// Starts the collectors and alerting.
    ///
    /// # Errors
    /// The system refuses a thread, or files of encryption can't be read.
    pub(crate) fn start(
        inside: &Inside<'_>,
        traps: Option<std::net::UdpSocket>,
    ) -> Result<Self, ServerError> {
        let Base { clock, registry, settings, .. } = inside.base;
        let (input, engine) = (&inside.groups.input, inside.engine);
        let figures = Arc::clone(&inside.workers.figures);
        let internals = inside.internals(&figures);
        let collectors = inside.start_collectors(Arc::clone(&internals), traps)?;
        let parts = SeriesParts {
            settings: series_settings(settings),
            db: inside.stores.db.clone(),
            ingress: engine.ingress.clone(),
            configuration: Arc::clone(&engine.running),
            clock: clock.clone(),
        };
        let series = series::open(parts, registry, &inside.base.worker_context(input))?;
        let trapper = inside.trapper(&collectors, internals)?;
        trapper.add_workers(&inside.workers.timers);
        let agents = Arc::clone(collectors.active_agents().commands());
        let has_mibs = !settings.collectors.snmp.mib_directories.is_empty();
        let with_mibs = has_mibs.then(|| collectors.clone());
        engine.running.attach(collectors);
        let state: Arc<StateCell> = Arc::default();
        let ports = inside.api_ports(ApiSources {
            figures,
            state: Arc::clone(&state),
            agents,
            trapper: Arc::clone(&trapper),
            series,
        })?;
        inside.start_alerting(&ports)?;
        Ok(Self { ports, trapper, state, with_mibs })
    }
}

impl Inside<'_> {
    fn internals(&self, figures: &Arc<PublishedFigures>) -> Arc<ServerInternals> {
        let Base { clock, registry, settings, health, .. } = self.base;
        Arc::new(ServerInternals::new(InternalsParts {
            running: self.engine.running.watched(),
            states: Arc::clone(&self.engine.shared.states),
            clock: clock.clone(),
            figures: Arc::clone(figures),
            metrics: self.engine.shared.metrics.clone(),
            registry: registry.clone(),
            health: health.clone(),
            connections_max: settings.trapper.connections_max,
            n_workers: settings.script.workers(),
        }))
    }

    /// The port of senders and active agents.
    fn trapper(
        &self,
        collectors: &Collectors,
        internals: Arc<ServerInternals>,
    ) -> Result<Arc<Trapper>, ServerError> {
        let Base { clock, registry, settings, encryption, .. } = self.base;
        let (db, running) = (&self.stores.db, &self.engine.running);
        let requests = RequestPort {
            db: db.clone(),
            running: Arc::clone(running),
            internals,
            stats_allowed: settings.trapper.stats_allowed.0.clone(),
            clock: clock.clone(),
            tasks: self.groups.input.clone(),
        };
        let parts = Parts {
            ingress: self.engine.ingress.clone(),
            configuration: Arc::clone(running) as Arc<dyn collect::Configuration>,
            agents: collectors.active_agents(),
            requests: Arc::new(requests),
            sessions: Arc::clone(&self.engine.shared.sessions),
            tls: encryption.acceptor(db)?,
            zone: jiff::tz::TimeZone::system(),
            clock: clock.clone(),
        };
        let settings = TrapperSettings {
            connections_max: settings.trapper.connections_max,
            packet_bytes_max: settings.trapper.packet_bytes_max,
            memory_bytes_max: settings.trapper.memory_bytes_max,
            timeout: Duration::from_millis(settings.trapper.timeout_ms),
        };
        Ok(Arc::new(Trapper::new(settings, parts, registry)))
    }

    /// Judges events, walks through the steps of actions, executes their commands and sends their messages.
    fn start_alerting(&self, ports: &Ports) -> Result<(), ServerError> {
        let sources = FactSources { db: self.stores.db.clone(), ports: ports.of_alerting() };
        let parts = AlertingStart {
            base: self.base,
            senders: &self.workers.senders,
            sources: &sources,
            closing: ShardClosing {
                running: Arc::clone(&self.engine.running),
                mailboxes: self.engine.shared.mailboxes.clone(),
            },
            tasks: &self.groups.input,
        };
        parts.start()
    }
}

/// Series that others push, as the settings describe them.
fn series_settings(settings: &Settings) -> SeriesPortSettings {
    let push = &settings.push;
    let labels = push.host_labels.split(',').map(str::trim).filter(|it| !it.is_empty());
    let size = |it: u64| usize::try_from(it).unwrap_or(usize::MAX);
    SeriesPortSettings {
        receiver: SeriesSettings {
            host_labels: labels.map(str::to_owned).collect(),
            new_hosts: push.new_hosts,
            host_series_max: size(push.host_series_max),
            series_max: size(push.series_max),
            new_series_per_minute: push.new_series_per_minute,
            labels_max: size(push.labels_max),
            label_bytes_max: size(push.label_bytes_max),
            lost_after: Duration::from_secs(push.lost_after_s),
        },
        group: push.group.clone(),
        template: push.template.clone(),
        bytes_max: size(settings.http.body_bytes_max),
    }
}
