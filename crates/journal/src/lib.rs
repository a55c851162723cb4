//! The one durable sequence of the process: append, group sync, positions, replay, retention.
//!
//! A [`Journal`] is a folder of append-only files that together hold one stream of frames.
//! The position of a frame in that stream, in bytes, is its [`Lsn`]. The appender gets back the
//! frame's position and, if asked for, a range of ids: ids are taken under the same lock as the
//! position, so that the order of ids is the order of the journal.
//!
//! Guarantees:
//! - `append` returned: the frame survives the end of the process (it is in the kernel's hands).
//! - [`Journal::synced`] is past it: the frame survives a power cut.
//! - What is read back is a prefix of what was appended, never a frame with a hole before it.
//! - Nothing is skipped silently: damage in what had been synced is reported with path and offset.
//!
//! Out of scope: it knows nothing of the payload, spawns no thread and reads no clock (the owner
//! calls [`Journal::sync_once`] as often as wanted), keeps no cursors (each consumer stores its own
//! together with what it applied and passes the minimum to [`Journal::set_retention`]), and does
//! not lock the folder against a second process (the application does).
//!
//! Bytes: `docs/format/journal.md`. Why: `docs/decisions/0002-cursors-and-exactly-once.md`.

mod error;
mod fault;
mod followers;
mod frame;
#[doc(hidden)]
pub mod fuzz;
mod journal;
mod lineage;
mod lsn;
mod reader;
mod recover;
mod scan;
mod settings;
mod writer;

pub use error::{Error, Result};
pub use fault::ErrorAction;
pub use followers::Following;
pub use frame::RECORD_BYTES_MAX;
pub use journal::{HeldFiles, Journal};
pub use lineage::Ancestor;
pub use lsn::{Lsn, Upto};
pub use reader::{JournalReader, ReadOutcome, Record};
pub use recover::{Cut, RecoveredJournal, lineage_of_copy};
pub use scan::LostRange;
pub use settings::{JournalSettings, OnCorruption};
pub use writer::{Appended, Counters};

#[cfg(test)]
mod tests;
