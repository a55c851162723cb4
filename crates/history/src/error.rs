//! Errors of history.

use std::sync::Arc;

use journal::Lsn;
use model::ItemId;
use model::record::RecordError;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Journal(#[from] journal::Error),

    #[error("history store: {0}")]
    Store(#[from] tsdb::Error),

    #[error("the journal's record at position {lsn}: {source}")]
    Record { lsn: Lsn, source: RecordError },

    /// Stored bytes of a text or log value are not what was written.
    #[error("a stored value of item {item} can't be read")]
    Payload { item: ItemId },

    /// The journal does not reach back to where the store stops.
    #[error(
        "values are missing: history reaches position {cursor} of the journal, \
         which holds {first} to {next} only"
    )]
    Gap { cursor: Lsn, first: Lsn, next: Lsn },

    /// A store elsewhere does not answer, or not in time.
    #[error("the store cannot be reached: {reason}")]
    Away { reason: Arc<str> },

    /// A store elsewhere refuses, and will again.
    #[error("the store refuses: {reason}")]
    Refused { reason: Arc<str> },

    /// The requested values are neither in memory nor in the store that is read: they are on their
    /// way.
    #[error("the store that is read is {bytes} bytes of journal behind the requested values")]
    NotStored { bytes: u64 },

    /// Values are written faster than they can be flushed, or flushing fails.
    #[error("history lags by {bytes} bytes of journal, more than {max}")]
    Behind { bytes: u64, max: u64 },
}

impl Error {
    /// Whether the same call may succeed later without anybody changing the program or its data.
    #[must_use]
    pub fn retry(&self) -> bool {
        match self {
            Self::Journal(error) => error.retry(),
            Self::Store(error) => error.retry(),
            Self::Behind { .. } | Self::Away { .. } | Self::NotStored { .. } => true,
            Self::Refused { .. }
            | Self::Record { .. }
            | Self::Payload { .. }
            | Self::Gap { .. } => false,
        }
    }
}
