//! The manifest: which segments there are, and how far into the journal they reach.
//!
//! One file, replaced as a whole: written under another name, synced, renamed, the folder synced.
//! It has two copies of its content, because without it all of the store would be lost: a flipped
//! bit in one copy costs nothing. Bytes: `docs/format/manifest.md`.
//!
//! A segment's `class` says how long its values are kept; its `level` is 0 as flushed, and higher
//! when merged.

use std::path::{Path, PathBuf};

use varint::Bytes;

use crate::series::RetentionClass;
use crate::{Error, Result};
use disk::{Content, Disk, FileCopy, read_full, write_full};

const MAGIC: &[u8; 8] = b"SAKERMAN";
const VERSION: u32 = 3;
/// One copy, whose length is that of the file.
const VERSION_2: u32 = 2;
/// Without the retention clock; its segments have no class.
const VERSION_1: u32 = 1;
/// The retention clock of a store that never had one.
const NO_CLOCK: i64 = i64::MIN;
const NAME: &str = "manifest";
const UNFINISHED: &str = "manifest.tmp";
const HEADER_BYTES: usize = 24;
/// Far more than a store has segments; a length beyond it is damage.
const SEGMENTS_MAX: u32 = 1 << 20;

/// A segment as the manifest names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentInfo {
    pub number: u64,
    pub file_bytes: u64,
    pub n_values: u64,
    pub n_series: u64,
    pub min_ms: i64,
    pub max_ms: i64,
    pub class: RetentionClass,
    pub level: u8,
}

/// All series of an id were deleted: their samples in segments with smaller numbers, and what the
/// journal has before a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deletion {
    pub(crate) id: u64,
    pub(crate) before_number: u64,
    pub(crate) before_cursor: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Position in the journal: everything before it is in segments, nothing after it is.
    pub(crate) cursor: u64,
    pub(crate) next_number: u64,
    /// How far the clock has come by which segments are dropped.
    pub(crate) retention_clock_ms: Option<i64>,
    pub(crate) segments: Vec<SegmentInfo>,
    /// By ascending id, one each.
    pub(crate) deletions: Vec<Deletion>,
}

impl Manifest {
    fn encode(&self) -> Vec<u8> {
        let copy = self.encode_copy();
        [copy.as_slice(), copy.as_slice()].concat()
    }

    fn encode_copy(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend_from_slice(&self.cursor.to_le_bytes());
        body.extend_from_slice(&self.next_number.to_le_bytes());
        let clock_ms = self.retention_clock_ms.unwrap_or(NO_CLOCK);
        body.extend_from_slice(&clock_ms.to_le_bytes());
        let n = u32::try_from(self.segments.len()).expect("bounded by retention");
        body.extend_from_slice(&n.to_le_bytes());
        for segment in &self.segments {
            body.extend_from_slice(&segment.number.to_le_bytes());
            body.extend_from_slice(&segment.file_bytes.to_le_bytes());
            body.extend_from_slice(&segment.n_values.to_le_bytes());
            body.extend_from_slice(&segment.n_series.to_le_bytes());
            body.extend_from_slice(&segment.min_ms.to_le_bytes());
            body.extend_from_slice(&segment.max_ms.to_le_bytes());
            body.extend_from_slice(&[segment.class.0, segment.level]);
        }
        if !self.deletions.is_empty() {
            let n = u32::try_from(self.deletions.len()).expect("bounded by items");
            body.extend_from_slice(&n.to_le_bytes());
        }
        for deletion in &self.deletions {
            body.extend_from_slice(&deletion.id.to_le_bytes());
            body.extend_from_slice(&deletion.before_number.to_le_bytes());
            body.extend_from_slice(&deletion.before_cursor.to_le_bytes());
        }
        let mut sealed = (body.len() as u64).to_le_bytes().to_vec();
        sealed.extend_from_slice(&body);
        let mut out = Vec::with_capacity(HEADER_BYTES + body.len());
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&crc32c::crc32c(&sealed).to_le_bytes());
        out.extend_from_slice(&sealed);
        out
    }

    /// The content of a file, and the fault of one of its copies.
    fn decode(bytes: &[u8], path: &Path) -> Result<(Self, Option<Error>)> {
        let corrupt = |offset, reason| Error::Corrupt { path: path.to_owned(), offset, reason };
        let mut left = Bytes::new(bytes);
        let is_ours = left.take(MAGIC.len()) == Some(MAGIC);
        let version = left.u32().unwrap_or(0);
        if is_ours
            && matches!(version, VERSION_1 | VERSION_2)
            && let Ok(it) = Self::decode_single(left, version)
        {
            return Ok((it, None));
        }
        match Self::decode_copy(bytes) {
            Ok((manifest, n_bytes)) => {
                let (first, second) = bytes.split_at(n_bytes);
                let at = (n_bytes + first_difference(first, second)) as u64;
                let is_same = first == second;
                Ok((manifest, (!is_same).then(|| corrupt(at, "the second copy is damaged"))))
            }
            Err(reason) => {
                let (first, second) = bytes.split_at(bytes.len() / 2);
                match Self::decode_copy(second) {
                    Ok((manifest, n_bytes)) if n_bytes == second.len() => {
                        let at = first_difference(first, second) as u64;
                        Ok((manifest, Some(corrupt(at, "the first copy is damaged"))))
                    }
                    _ if is_ours && VERSION < version => {
                        Err(Error::Version { path: path.to_owned(), version, known: VERSION })
                    }
                    _ => Err(corrupt(0, reason)),
                }
            }
        }
    }

    /// Of version 1 or 2, after the version.
    fn decode_single(mut left: Bytes<'_>, version: u32) -> std::result::Result<Self, &'static str> {
        let crc = left.u32();
        if crc != Some(crc32c::crc32c(left.left)) {
            return Err("wrong checksum");
        }
        Self::decode_body(&mut left, version).ok_or("the file ends too early")
    }

    /// A copy at the beginning of these bytes, and how long it is.
    fn decode_copy(bytes: &[u8]) -> std::result::Result<(Self, usize), &'static str> {
        const EARLY: &str = "the file ends too early";
        let mut left = Bytes::new(bytes);
        if left.take(MAGIC.len()) != Some(MAGIC) {
            return Err("no manifest");
        }
        if left.u32().ok_or(EARLY)? != VERSION {
            return Err("wrong version");
        }
        let crc = left.u32().ok_or(EARLY)?;
        let sealed = left.left;
        let n_bytes = left.u64().and_then(|it| usize::try_from(it).ok()).ok_or(EARLY)?;
        let body = left.take(n_bytes).ok_or(EARLY)?;
        let sealed = sealed.get(..8 + n_bytes).ok_or(EARLY)?;
        if crc != crc32c::crc32c(sealed) {
            return Err("wrong checksum");
        }
        let manifest = Self::decode_body(&mut Bytes::new(body), VERSION).ok_or(EARLY)?;
        Ok((manifest, HEADER_BYTES + n_bytes))
    }

    fn decode_body(left: &mut Bytes<'_>, version: u32) -> Option<Self> {
        let mut manifest =
            Self { cursor: left.u64()?, next_number: left.u64()?, ..Self::default() };
        if version != VERSION_1 {
            let clock_ms = left.u64()?.cast_signed();
            manifest.retention_clock_ms = Some(clock_ms).filter(|it| *it != NO_CLOCK);
        }
        let n = left.u32().filter(|it| *it <= SEGMENTS_MAX)?;
        for _ in 0..n {
            manifest.segments.push(SegmentInfo {
                number: left.u64()?,
                file_bytes: left.u64()?,
                n_values: left.u64()?,
                n_series: left.u64()?,
                min_ms: left.u64()?.cast_signed(),
                max_ms: left.u64()?.cast_signed(),
                class: RetentionClass(left.u8()?),
                level: left.u8()?,
            });
        }
        let n = if left.left.is_empty() { 0 } else { left.u32().filter(|it| *it > 0)? };
        for _ in 0..n {
            manifest.deletions.push(Deletion {
                id: left.u64()?,
                before_number: left.u64()?,
                before_cursor: left.u64()?,
            });
        }
        let ascends = manifest.deletions.is_sorted_by(|a, b| a.id < b.id);
        (left.left.is_empty() && ascends).then_some(manifest)
    }

    /// The manifest of a folder, and what is wrong with one of its copies; a new one where there is none.
    pub(crate) fn load(disk: &dyn Disk, dir: &Path) -> Result<(Self, Option<Error>)> {
        let path = dir.join(NAME);
        let file = match disk.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok((Self { next_number: 1, ..Self::default() }, None));
            }
            Err(error) => return Err(Error::io("open", path, error)),
        };
        let read = || {
            let len = file.len()?;
            let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
            let n = read_full(&*file, &mut bytes, 0)?;
            bytes.truncate(n);
            Ok(bytes)
        };
        let bytes = read().map_err(|error| Error::io("read", &path, error))?;
        Self::decode(&bytes, &path)
    }

    /// This manifest as a file of a copy.
    pub(crate) fn copy(&self) -> FileCopy {
        FileCopy { name: NAME.into(), content: Content::Bytes(self.encode()) }
    }

    /// Replaces the manifest of a folder. After an error either is there.
    pub(crate) fn store(&self, disk: &dyn Disk, dir: &Path) -> Result<()> {
        let unfinished = dir.join(UNFINISHED);
        let path = dir.join(NAME);
        // Left over from a crash or an earlier failure.
        drop(disk.remove(&unfinished));
        let write = || {
            let file = disk.create(&unfinished)?;
            write_full(&*file, &self.encode(), 0)?;
            file.sync_data()?;
            disk.rename(&unfinished, &path)?;
            disk.sync_dir(dir)
        };
        write().map_err(|error| Error::io("replace", path.clone(), error))
    }
}

/// Where the second part is another one, counted from its beginning.
fn first_difference(one: &[u8], other: &[u8]) -> usize {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b);
    same.count()
}

pub(crate) fn segment_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:010}.segment"))
}

/// The number of a segment file's name.
pub(crate) fn segment_number(name: &str) -> Option<u64> {
    name.strip_suffix(".segment")?.parse().ok()
}

/// For the fuzz target: any bytes as a manifest.
pub(crate) fn decode_any(bytes: &[u8]) {
    if let Ok((manifest, _)) = Manifest::decode(bytes, Path::new("manifest")) {
        let again = Manifest::decode(&manifest.encode(), Path::new("manifest"));
        assert!(again.is_ok_and(|(it, damage)| it == manifest && damage.is_none()));
    }
}
