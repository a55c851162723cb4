//! The parts of an agent, started together.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rt::clock::Clock;
use rt::log::Limit;
use rt::net::ListenError;
use rt::shutdown::Shutdown;
use rt::signal::ReloadSignal;
use rt::task::Tasks;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tracing::{info, warn};

use crate::active::{self, Active};
use crate::checks::Checks;
use crate::passive::{self, Passive};
use crate::security::{Security, SecurityError};
use crate::settings::Settings;

/// Why an agent does not start.
#[derive(Debug, Error)]
pub enum AgentError {
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("the settings contradict each other: {0}")]
    Settings(String),
    #[error("hostname is empty, and hostname_item \"{key}\" gives no name: {reason}")]
    Hostname { key: String, reason: String },
    #[error("there is nothing to do: passive checks are off, and active.servers is empty")]
    Idle,
    #[error(transparent)]
    Security(#[from] SecurityError),
    #[error("cannot make a session's token: {0}")]
    Token(getrandom::Error),
    #[error("cannot catch SIGHUP: {0}")]
    Signal(io::Error),
}

/// A running agent; it ends when its tasks are asked to stop.
#[derive(Debug)]
pub struct Role {
    /// The addresses that it listens on.
    pub addresses: Vec<SocketAddr>,
}

impl Role {
    /// Starts an agent on the runtime of the caller.
    ///
    /// # Errors
    /// [`AgentError`], whose text can be shown to the operator as it is.
    pub async fn start(
        mut settings: Settings,
        tasks: &Tasks,
        clock: &Clock,
    ) -> Result<Self, AgentError> {
        let security = Arc::new(Security::new(&settings.encryption, &settings.tls)?);
        if security.has_files() {
            let signal = ReloadSignal::catch().map_err(AgentError::Signal)?;
            tasks.spawn("reload", reload(Arc::clone(&security), signal, tasks.shutdown().clone()));
        }
        let mut listeners = Vec::new();
        for address in settings.listens() {
            let listener = rt::net::listen_tcp(address, "passive checks", "passive.listen").await?;
            listeners.push(listener);
        }
        if listeners.is_empty() && settings.active.servers.0.is_empty() {
            return Err(AgentError::Idle);
        }
        let time = Duration::from_secs(settings.timeout_s);
        let alone = Checks::new(&settings, tasks, clock).map_err(AgentError::Settings)?;
        if settings.hostname.is_empty() {
            let key = settings.hostname_item.clone();
            let name = alone.get(&key, time).await;
            let name = name.and_then(|it| match lang::host_name::is_valid(&it) {
                true => Ok(it),
                false => Err(format!("\"{it}\" is no name of a host")),
            });
            settings.hostname = name.map_err(|reason| AgentError::Hostname { key, reason })?;
        }
        if settings.host_metadata.is_empty() && !settings.host_metadata_item.is_empty() {
            settings.host_metadata =
                alone.get(&settings.host_metadata_item, time).await.unwrap_or_default();
        }
        let checks = Checks::new(&settings, tasks, clock).map_err(AgentError::Settings)?;
        tasks.spawn("averages", checks.clone().run(tasks.clone()));

        let passive = Arc::new(Passive {
            checks: checks.clone(),
            allowed: settings.allowed(),
            security: Arc::clone(&security),
            time,
            tasks: tasks.group("passive"),
            clock: clock.clone(),
            places: Arc::new(Semaphore::new(settings.passive.connections_max as usize)),
            refused: Limit::default(),
        });
        let mut addresses = Vec::new();
        for listener in listeners {
            addresses.extend(address_of(&listener));
            tasks.spawn("listener", passive::listen(Arc::clone(&passive), listener));
        }
        for address in &addresses {
            info!(%address, "answers passive checks");
        }
        let settings = Arc::new(settings);
        let active = Active { settings, checks, security, clock: clock.clone() };
        active::start(&active, &tasks.group("active")).map_err(AgentError::Token)?;
        Ok(Self { addresses })
    }
}

/// On SIGHUP the agent reads its certificates and its key again.
async fn reload(security: Arc<Security>, mut signal: ReloadSignal, stop: Shutdown) {
    loop {
        tokio::select! {
            () = signal.next() => match security.reload() {
                Ok(()) => info!("certificates and the key were reloaded"),
                Err(error) => warn!(%error, "cannot reload certificates or the key; the old ones stay in use"),
            },
            () = stop.cancelled() => return,
        }
    }
}

fn address_of(listener: &TcpListener) -> Option<SocketAddr> {
    listener.local_addr().ok()
}
