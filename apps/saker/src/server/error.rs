//! Why a server does not start, or ends.

use std::io;

use thiserror::Error;

use super::bootstrap::BootstrapError;
use super::encryption::EncryptionError;
use data_dir::DataDirError;

#[derive(Debug, Error)]
pub(crate) enum ServerError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    Task(#[from] rt::task::TaskError),
    #[error("cannot catch signals: {0}")]
    Signals(io::Error),
    #[error(transparent)]
    Listen(#[from] rt::net::ListenError),
    #[error(transparent)]
    Tls(#[from] EncryptionError),
    #[error(transparent)]
    Database(#[from] db::DbError),
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    #[error(transparent)]
    Engine(#[from] engine::EngineError),
    #[error("the store of history {name}: {reason}")]
    RemoteStore { name: &'static str, reason: String },
    #[error("no randomness from the system: {0}")]
    Randomness(getrandom::Error),
    #[error("{task} ended by a bug, and the server cannot go on without it: {message}")]
    Failed { task: String, message: String },
}
