//! Statistics of the embedded store's files, by class of retention.

use std::collections::BTreeMap;
use std::path::Path;

use disk::Disk;
use model::{Retention, Time};

use crate::Result;
use crate::class::{StoredKind, kept};

/// Files of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassStats {
    pub stored: StoredKind,
    /// How long they are kept; [`Retention::Forever`] also for files from before there were classes.
    pub retention: Retention,
    pub n_files: u64,
    pub n_bytes: u64,
    /// Values, or hours of trends.
    pub n_values: u64,
    /// Times of the oldest and the newest value.
    pub oldest: Time,
    pub newest: Time,
}

/// A file of the own store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStats {
    pub stored: StoredKind,
    /// As of [`ClassStats`].
    pub retention: Retention,
    pub n_bytes: u64,
    /// Values, or hours of trends.
    pub n_values: u64,
    pub oldest: Time,
    pub newest: Time,
}

impl FileStats {
    pub(crate) fn of(segment: &tsdb::SegmentInfo) -> Self {
        let (stored, retention) = kept(segment.class);
        Self {
            stored,
            retention,
            n_bytes: segment.file_bytes,
            n_values: segment.n_values,
            oldest: Time::from_millis(segment.min_ms),
            newest: Time::from_millis(segment.max_ms),
        }
    }
}

/// The content of a data directory: values, the shortest class first, then trends. Values that
/// stand in the journal only are not counted. The server may run.
///
/// # Errors
/// The manifest can't be read.
pub fn stats(disk: &dyn Disk, data: &Path) -> Result<Vec<ClassStats>> {
    let mut classes = BTreeMap::<(StoredKind, Retention), ClassStats>::new();
    for segment in tsdb::segments_in(disk, &data.join("history"))? {
        let (oldest, newest) =
            (Time::from_millis(segment.min_ms), Time::from_millis(segment.max_ms));
        let (stored, retention) = kept(segment.class);
        let (n_files, n_bytes, n_values) = (0, 0, 0);
        let empty = ClassStats { stored, retention, n_files, n_bytes, n_values, oldest, newest };
        let class = classes.entry((stored, retention)).or_insert(empty);
        class.n_files += 1;
        class.n_bytes += segment.file_bytes;
        class.n_values += segment.n_values;
        class.oldest = class.oldest.min(oldest);
        class.newest = class.newest.max(newest);
    }
    Ok(classes.into_values().collect())
}

/// Whether the store in a folder has no files.
///
/// # Errors
/// The manifest can't be read.
pub fn is_empty(disk: &dyn Disk, folder: &Path) -> Result<bool> {
    Ok(tsdb::segments_in(disk, folder)?.is_empty())
}
