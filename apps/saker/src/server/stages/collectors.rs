//! The collectors, with all that they ask of the rest of the process.

use std::net::UdpSocket;
use std::path::PathBuf;
use std::sync::Arc;

use collect::{CollectParts, CollectSettings, Collectors};
use engine::workers::ScriptIsolation;
use internals::items::ServerInternals;
use remote::items::ShellItems;
use rt::task::TaskError;
use script_host::items::ScriptItems;
use script_host::{host, web_driver};
use server_ports::collecting::{AvailabilityPort, ItemPort, MaintenancePort};

use super::inside::Inside;
use crate::descriptors;
use crate::server::base::Base;

impl Inside<'_> {
    /// Starts the collectors.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn start_collectors(
        &self,
        internals: Arc<ServerInternals>,
        traps: Option<UdpSocket>,
    ) -> Result<Collectors, TaskError> {
        let Base { settings, clock, registry, outgoing, .. } = self.base;
        let (db, input, engine) = (&self.stores.db, &self.groups.input, self.engine);
        let parts = CollectParts {
            settings: self.collect_settings(),
            ingress: engine.ingress.clone(),
            configuration: Arc::clone(&engine.running) as Arc<dyn collect::Configuration>,
            internals,
            local_agent: Arc::clone(&self.workers.own_agent) as _,
            http: Arc::new(outgoing.items()),
            readings: outgoing.readings.clone(),
            scripts: Arc::new(ScriptItems::new(
                self.script_isolation("script-item", input),
                settings.collectors.script.scripts_max,
                clock.clone(),
            )),
            browsers: self.browsers(),
            // Not awaited at a stop: a command may take its time.
            shells: Arc::new(ShellItems {
                tasks: self.groups.root.group("shell items"),
                clock: clock.clone(),
                keys: settings.commands.ssh_keys.clone(),
                readings: outgoing.readings.clone(),
            }),
            secrets: Arc::clone(&engine.secrets),
            item_states: Arc::new(ItemPort {
                running: Arc::clone(&engine.running),
                live: engine.live.clone(),
                states: Arc::clone(&engine.shared.states),
                db: db.clone(),
            }),
            maintenances: Arc::new(MaintenancePort(db.clone())),
            availability: Arc::new(AvailabilityPort(db.clone())),
            registrations: Arc::clone(&self.workers.found.registrations) as _,
            // Itself, also when its file was replaced since.
            own_program: Some(PathBuf::from("/proc/self/exe")),
            traps: collect::TrapSources {
                settings: settings.snmp_traps.clone(),
                socket: traps,
                folder: self.base.data_dir.path().to_owned(),
            },
            tls: self.base.encryption.connector.clone(),
            dns: outgoing.names.clone(),
            zone: jiff::tz::TimeZone::system(),
            clock: clock.clone(),
        };
        let workers = (&self.base.worker_context(input), &self.workers.timers);
        let collectors = Collectors::start(parts, registry, workers, &self.base.lanes.polls)?;
        let connections_max = settings.collect.discovery_connections_max.get();
        let discovered = self.workers.found.discovered.clone();
        collectors.discover(connections_max, discovered, (registry, input));
        Ok(collectors)
    }

    /// Runs the scripts of browser items, if there is a WebDriver.
    fn browsers(&self) -> Option<Arc<dyn collect::ports::ScriptHost>> {
        let Base { settings, clock, outgoing, .. } = self.base;
        let (wanted, input) = (&settings.collectors.browser, &self.groups.input);
        let driver = web_driver::Driver::new(
            wanted.webdriver_url.as_deref()?,
            outgoing.operated(),
            clock.clone(),
            // Commands are not awaited at a stop: a page may take minutes. Sessions are closed.
            self.groups.root.group("browser items"),
            input.clone(),
        );
        let isolation = ScriptIsolation {
            new_host: host::new_host_with_browsers(outgoing, clock, input, driver),
            ..self.script_isolation("browser-item", input)
        };
        let host = ScriptItems::new(isolation, wanted.browsers_max, clock.clone());
        Some(Arc::new(host.closing_in(web_driver::CLOSING)))
    }

    fn collect_settings(&self) -> CollectSettings {
        let descriptors_max = descriptors::raise();
        let wanted = &self.base.settings;
        let settings = wanted.for_collectors(descriptors_max);
        let (has, set) = (&settings.collectors, &wanted.collectors);
        descriptors::report(
            descriptors_max,
            "checks at once",
            &[
                ("collectors.agent.checks_max", set.agent.checks_max, has.agent.checks_max),
                ("collectors.http.requests_max", set.http.requests_max, has.http.requests_max),
                ("collectors.service.checks_max", set.service.checks_max, has.service.checks_max),
                ("collectors.web.scenarios_max", set.web.scenarios_max, has.web.scenarios_max),
                ("collectors.ipmi.devices_max", set.ipmi.devices_max, has.ipmi.devices_max),
            ]
            .map(|(name, wanted, has)| (name, wanted.get() as u64, has.get() as u64)),
        );
        settings
    }
}
