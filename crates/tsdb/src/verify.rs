//! Going through all bytes of a store that nobody has open, without changing any.
//!
//! Reads check what they need; this checks everything: each byte of a manifest and of its segments
//! is under a checksum or has one value that it may have, and each chunk is decoded.

use std::path::Path;

use crate::manifest::{Manifest, SegmentInfo, segment_number, segment_path};
use crate::segment::{Segment, Totals};
use crate::{Error, Result};
use disk::Disk;

/// Progress reports of [`verify`].
#[derive(Debug, Clone)]
pub enum VerifyEvent {
    /// Something is damaged, missing or can't be read.
    Damaged(Error),
    /// So many segment files of all are done.
    Segments { n_done: usize, n_all: usize },
}

/// The totals of [`verify`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verified {
    pub n_segments: usize,
    /// Values that can be read.
    pub n_values: u64,
    /// Bytes of segment files.
    pub n_bytes: u64,
    pub n_damaged: u64,
}

/// Checks the store in `dir`, segment by segment, oldest first. Nothing is written or removed. Where the
/// manifest is damaged, the segment files that lie there are checked.
///
/// # Errors
/// The folder can't be read. Faults of a file are reported and counted instead.
pub fn verify(
    disk: &dyn Disk,
    dir: &Path,
    mut report: impl FnMut(VerifyEvent),
) -> Result<Verified> {
    let mut verified = Verified::default();
    let names = disk.list(dir).map_err(|error| Error::io("list", dir, error))?;
    let segments: Vec<(u64, Option<SegmentInfo>)> = match Manifest::load(disk, dir) {
        Ok((manifest, damage)) => {
            if let Some(error) = damage {
                verified.n_damaged += 1;
                report(VerifyEvent::Damaged(error));
            }
            manifest.segments.iter().map(|it| (it.number, Some(*it))).collect()
        }
        Err(error) => {
            verified.n_damaged += 1;
            report(VerifyEvent::Damaged(error));
            let mut found: Vec<_> = names.iter().filter_map(|it| segment_number(it)).collect();
            found.sort_unstable();
            found.into_iter().map(|it| (it, None)).collect()
        }
    };
    verified.n_segments = segments.len();
    for (done, (number, info)) in segments.iter().enumerate() {
        let path = segment_path(dir, *number);
        let mut damaged = |error| {
            verified.n_damaged += 1;
            report(VerifyEvent::Damaged(error));
        };
        match Segment::open(disk, &path) {
            Ok(segment) => {
                let (totals, n_bytes) = segment.verify(&mut damaged);
                let says = |it: &SegmentInfo| Totals {
                    n_values: it.n_values,
                    n_series: it.n_series,
                    min_ms: it.min_ms,
                    max_ms: it.max_ms,
                };
                if info.is_some_and(|it| says(&it) != segment.totals() || it.file_bytes != n_bytes)
                {
                    let reason = "the manifest says something else of it";
                    damaged(Error::Corrupt { path, offset: 0, reason });
                }
                verified.n_values += totals.n_values;
                verified.n_bytes += n_bytes;
            }
            Err(error) => damaged(error),
        }
        report(VerifyEvent::Segments { n_done: done + 1, n_all: segments.len() });
    }
    Ok(verified)
}
