//! Entries for the fuzz targets in `fuzz/`; ordinary tests run them over the corpora.

use std::path::Path;

use crate::series::{Order, StoredSamples, Wanted};
use crate::{SeriesKey, SeriesKind};
use disk::{Disk, MemDisk, write_full};

/// Opens any bytes as a segment and reads some of its series from both ends.
pub fn segment(data: &[u8]) {
    let disk = MemDisk::new(1);
    let path = Path::new("/segment");
    let file = disk.create(path).expect("a new disk takes a file");
    if !data.is_empty() {
        write_full(&*file, data, 0).expect("there is room");
    }
    let Ok(segment) = crate::segment::Segment::open(&disk, path) else { return };
    let keys = segment.keys().unwrap_or_default();
    let unknown = SeriesKey { id: 7, kind: SeriesKind::UNSIGNED };
    for key in keys.into_iter().take(100).chain([unknown]) {
        for order in [Order::Ascending, Order::Descending] {
            let mut samples = StoredSamples::new(key.kind);
            let wanted = Wanted { limit: 1_000, order, ..Wanted::ALL };
            if segment.read(key, wanted, &mut samples).is_ok() {
                assert_eq!(samples.iter().count(), samples.len());
            }
        }
    }
}

/// Reads any bytes as a manifest.
pub fn manifest(data: &[u8]) {
    crate::manifest::decode_any(data);
}
