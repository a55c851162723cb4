//! Common parts of all runs: results that are kept, and errors.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct Common {
    /// Append the result as one JSON line to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) append: Option<PathBuf>,
    /// Where temporary data goes.
    #[arg(long, value_name = "DIR", default_value = "target/bench")]
    pub(crate) scratch: PathBuf,
    /// A word about the machine or the change, kept with the result.
    #[arg(long, default_value = "")]
    pub(crate) note: String,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("cannot start the server under test")]
    Start(#[source] io::Error),
    #[error("the server under test was not ready within {0:?}")]
    NotReady(Duration),
    #[error("the API answered {method} with: {answer}")]
    Api { method: String, answer: String },
    #[error("a request to the API failed")]
    Http(#[from] ureq::Error),
    #[error("{doing}")]
    Io { doing: &'static str, source: io::Error },
    #[error("the server answered a sender request with: {0}")]
    Answer(String),
    #[error("waited for {what} for {limit:?}")]
    Waited { what: &'static str, limit: Duration },
    #[error("{n} faults: {first}")]
    Faults { n: usize, first: String },
    #[error("sent {sent} values, but the server processed {processed}")]
    Lost { sent: u64, processed: u64 },
}

pub(crate) fn io_error(doing: &'static str) -> impl FnOnce(io::Error) -> BenchError {
    move |source| BenchError::Io { doing, source }
}
