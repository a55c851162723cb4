//! Checking the embedded store of a server that does not run.

use std::path::Path;

use disk::Disk;

use crate::Result;

pub use tsdb::{Verified, VerifyEvent as VerifyProgress};

/// Checks all bytes of the history in a data directory that nobody uses, and reports each damage.
/// Nothing is changed.
///
/// # Errors
/// The folder can't be read.
pub fn verify(
    disk: &dyn Disk,
    data: &Path,
    report: impl FnMut(VerifyProgress),
) -> Result<Verified> {
    Ok(tsdb::verify(disk, &data.join("history"), report)?)
}
