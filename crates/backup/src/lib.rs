//! A copy of a data directory from which a server can start.
//!
//! Of a running server it is made of its own parts ([`RunningParts`]); the directory of a stopped
//! one is copied as it is ([`copy_stopped`]). Either way it is written under a temporary name and
//! renamed when it is complete ([`target`]).

mod error;
mod progress;
mod report;
mod running;
mod stopped;
mod target;

pub use error::BackupError;
pub use progress::ProgressLines;
pub use report::BackupReport;
pub use running::{RunningParts, SharedProgress};
pub use stopped::copy_stopped;
