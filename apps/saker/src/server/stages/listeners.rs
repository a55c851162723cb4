//! The last stage: connections are accepted.

use std::path::Path;
use std::sync::Arc;

use api::ApiParts;
use backup::RunningParts;
use collect::syslog::SyslogSockets;
use engine::backup::BackupParts;
use rt::lanes::Lanes;
use tokio::net::TcpListener;

use super::inside::Inside;
use super::ports::PortStage;
use crate::control::serve::{Control, Parts};
use crate::server::base::Base;
use crate::server::error::ServerError;
use crate::server::{http_port, syslog};

/// Where connections come in.
pub(crate) struct Listeners {
    pub(crate) http: TcpListener,
    pub(crate) trapper: TcpListener,
    pub(crate) syslog: SyslogSockets,
    /// None unless it is asked for.
    pub(crate) metrics: Option<TcpListener>,
    /// None where the file system has no sockets.
    pub(crate) control: Option<Control>,
}

impl Listeners {
    /// Serves until shutdown.
    ///
    /// # Errors
    /// The system refuses a thread or to report a signal.
    pub(crate) fn serve(self, inside: &Inside<'_>, stage: PortStage) -> Result<(), ServerError> {
        let Base { clock, registry, settings, encryption, .. } = inside.base;
        let (input, engine) = (&inside.groups.input, inside.engine);
        let PortStage { ports, trapper, with_mibs, .. } = stage;
        let running = Arc::clone(&engine.running) as Arc<dyn collect::Configuration>;
        let lanes = &inside.base.lanes;
        let around = (clock.clone(), lanes.senders.clone());
        let parts = syslog::parts(&settings.syslog, engine.ingress.clone(), running, around);
        let context = inside.base.worker_context(input);
        collect::syslog::start(parts, self.syslog, (registry, &context))?;
        {
            let lanes = lanes.senders.clone();
            let accepting = lanes.first().clone();
            let _inside = accepting.enter();
            input.spawn("trapper", trapper.serve(self.trapper, (input.clone(), lanes)));
        }
        if let Some(listener) = self.metrics {
            let router = api::metrics_router(Arc::clone(&ports.process));
            let around = (input.clone(), Lanes::here(), clock.clone());
            let serving = api::serve(listener, router, http_port::for_metrics(), around);
            input.spawn("metrics", serving);
        }
        let (serving, of_api) = http_port::settings(settings, encryption, registry);
        let router = api::router(ApiParts {
            db: inside.stores.db.clone(),
            clock: clock.clone(),
            ports,
            registry: registry.clone(),
            tasks: input.clone(),
            timers: inside.workers.timers.clone(),
            settings: of_api,
        });
        {
            let lanes = lanes.http.clone();
            let accepting = lanes.first().clone();
            let _inside = accepting.enter();
            let around = (input.clone(), lanes, clock.clone());
            input.spawn("http", api::serve(self.http, router, serving, around));
        }
        encryption.reload_on_hangup(with_mibs, input).map_err(ServerError::Signals)?;
        if let Some(control) = self.control {
            input.spawn("control", control.serve(inside.control_parts(), input.clone()));
        }
        Ok(())
    }
}

impl Inside<'_> {
    /// Parts for requests of the command line.
    fn control_parts(&self) -> Parts {
        let (db, housekeeping) = (&self.stores.db, &self.engine.housekeeping);
        Parts {
            db: db.clone(),
            cursors: Arc::clone(&housekeeping.cursors),
            stores: housekeeping.stores.clone(),
            backup: RunningParts {
                engine: BackupParts {
                    journal: housekeeping.journal.clone(),
                    history: Arc::clone(&housekeeping.history),
                    checkpoints: Arc::clone(&housekeeping.checkpoints),
                },
                db: db.clone(),
                data: Arc::<Path>::from(self.base.data_dir.path()),
                one: Arc::default(),
            },
            clock: self.base.clock.clone(),
        }
    }
}
