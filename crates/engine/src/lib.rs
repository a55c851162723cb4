//! The server without its outside: it turns deliveries of raw values into records and effects,
//! stores them, restores them at a start and hands them on.
//!
//! Each part does its work in turns and waits for nothing by itself; threads around them are in
//! [`runner`], which a simulation leaves out. The outside is behind small traits: the disk
//! ([`disk::Disk`]), the clock ([`rt::clock::Clock`]), history ([`values`]), where events and
//! results of discovery go ([`readers::events::EventSink`], [`readers::discovery::DiscoverySink`]),
//! requests of scripts to the outside ([`workers::NewHost`]). Sockets, SQL, the API and HTTP are
//! not known here.

/// `Debug` that gives the name: the content is large, or belongs to another crate.
macro_rules! opaque_debug {
    ($([$($generic:tt)+])? $name:ident $(<$($argument:tt),+>)?) => {
        impl$(<$($generic)+>)? std::fmt::Debug for $name$(<$($argument),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

pub mod assembly;
pub mod backup;
pub mod checkpoint;
pub mod cross_item;
pub mod event_writer;
pub mod fault_injection;
pub mod health_issues;
pub mod history_fetch;
pub mod housekeeping;
mod in_flight;
pub mod mailboxes;
pub mod pause;
pub mod readers;
pub mod recovery;
pub mod replay;
pub mod runner;
pub mod running;
pub mod shard;
pub mod states;
pub mod turn;
pub mod values;
pub mod workers;

use thiserror::Error;

/// Why state cannot be restored, or read back.
#[derive(Debug, Error)]
pub enum EngineError {
    #[error("journal: {0}")]
    Journal(#[from] journal::Error),
    #[error("history: {0}")]
    History(#[from] history::Error),
    #[error(transparent)]
    CheckpointFile(#[from] checkpoint::CheckpointError),
    #[error("checkpoint of partition {partition}: {source}")]
    Checkpoint { partition: u8, source: pipeline::CheckpointFormatError },
}

impl EngineError {
    /// Whether the same may succeed later without anybody changing the program or its data.
    #[must_use]
    pub fn retry(&self) -> bool {
        match self {
            Self::Journal(error) => error.retry(),
            Self::History(error) => error.retry(),
            Self::CheckpointFile(error) => {
                matches!(error, checkpoint::CheckpointError::Io { .. })
            }
            Self::Checkpoint { .. } => false,
        }
    }
}
