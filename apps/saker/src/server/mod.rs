//! The server role: opens the parts in order, connects them, stops them in the reverse order.

use std::io;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use rt::net::listen_tcp;
use rt::signal::StopSignals;
use thiserror::Error;
use tracing::{info, warn};

use crate::data_dir::{DataDir, DataDirError};
use crate::settings::Settings;

#[derive(Debug, Error)]
pub(crate) enum ServerError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    Task(#[from] rt::task::TaskError),
    #[error(transparent)]
    Listen(#[from] rt::net::ListenError),
    #[error("cannot catch signals: {0}")]
    Signals(io::Error),
}

/// Runs until SIGTERM or SIGINT, drains and returns.
///
/// # Errors
/// When a part cannot start.
pub(crate) fn run(settings: Settings) -> Result<(), ServerError> {
    let data_dir = DataDir::open(&settings.data)?;
    if data_dir.is_open_to_others() {
        warn!(path = %data_dir.path().display(), "other users may look into the data directory");
    }
    let n_cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let runtime = rt::task::runtime(n_cores.get())?;
    runtime.block_on(serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), ServerError> {
    let mut signals = StopSignals::catch().map_err(ServerError::Signals)?;
    let http = listen_tcp(settings.http.listen, "pages and API", "http.listen").await?;
    let trapper = listen_tcp(settings.trapper.listen, "trapper", "trapper.listen").await?;
    info!(http = ?http.local_addr().ok(), trapper = ?trapper.local_addr().ok(), "started");
    let signal = signals.next().await;
    info!(signal, "stopping");
    Ok(())
}
