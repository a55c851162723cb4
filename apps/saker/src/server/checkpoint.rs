//! The checkpoint: the state of all partitions at known positions of the journal, in one file.
//!
//! Bytes (little-endian): magic `SAKERCKP`, version u32, then blobs: kind u8, key u8, lsn u64,
//! length u64, crc32c u32 over kind, key, lsn, length and the bytes, the bytes. Last a blob of kind
//! 0 whose key is 0 and whose bytes are empty: a file without it is torn. The file is written aside
//! and renamed, so the one before stays until the next is whole. See `docs/format/checkpoint.md`.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

const MAGIC: &[u8; 8] = b"SAKERCKP";
const VERSION: u32 = 1;
const NAME: &str = "checkpoint";
/// A partition's state is megabytes at most; a length beyond this is damage.
const BLOB_BYTES_MAX: u64 = 4 << 30;

/// What a blob holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// State of the partition that is the key.
    Partition = 1,
    /// Sessions of active agents.
    Sessions = 2,
}

/// State as of a position of the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Blob {
    pub(super) kind: Kind,
    pub(super) key: u8,
    /// Records before this position are in it, later ones are not.
    pub(super) lsn: u64,
    pub(super) bytes: Vec<u8>,
}

#[derive(Debug, Error)]
pub(crate) enum CheckpointError {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} is damaged at offset {offset}: {what}", path.display())]
    Damaged { path: PathBuf, offset: u64, what: &'static str },
}

fn checksum(head: &[u8; 18], bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(head), bytes)
}

fn head_of(kind: u8, key: u8, lsn: u64, len: u64) -> [u8; 18] {
    let mut head = [0; 18];
    head[0] = kind;
    head[1] = key;
    head[2..10].copy_from_slice(&lsn.to_le_bytes());
    head[10..18].copy_from_slice(&len.to_le_bytes());
    head
}

/// Replaces the checkpoint of a data directory.
///
/// # Errors
/// If the disk refuses; the checkpoint before is untouched then.
pub(super) fn write(dir: &Path, blobs: &[Blob]) -> Result<(), CheckpointError> {
    let path = dir.join(NAME);
    let aside = dir.join(format!("{NAME}.tmp"));
    let failed = |doing, path: &Path| {
        let path = path.to_owned();
        move |source| CheckpointError::Io { doing, path, source }
    };
    let file = File::create(&aside).map_err(failed("create", &aside))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let written = (|| {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        for blob in blobs {
            write_blob(&mut out, blob.kind as u8, blob)?;
        }
        let end = Blob { kind: Kind::Partition, key: 0, lsn: 0, bytes: Vec::new() };
        write_blob(&mut out, 0, &end)?;
        out.flush()?;
        out.get_ref().sync_all()
    })();
    written.map_err(failed("write", &aside))?;
    fs::rename(&aside, &path).map_err(failed("rename", &aside))?;
    File::open(dir).and_then(|it| it.sync_all()).map_err(failed("sync", dir))
}

fn write_blob(out: &mut impl Write, kind: u8, blob: &Blob) -> io::Result<()> {
    let head = head_of(kind, blob.key, blob.lsn, blob.bytes.len() as u64);
    out.write_all(&head)?;
    out.write_all(&checksum(&head, &blob.bytes).to_le_bytes())?;
    out.write_all(&blob.bytes)
}

/// The checkpoint of a data directory; empty if there is none yet.
///
/// # Errors
/// If the file can't be read or is damaged: the place says where. State that is not there can't be
/// made up, so nothing is skipped.
pub(super) fn read(dir: &Path) -> Result<Vec<Blob>, CheckpointError> {
    let path = dir.join(NAME);
    let file = match File::open(&path) {
        Ok(it) => it,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(CheckpointError::Io { doing: "open", path, source }),
    };
    let mut reader = Blobs { input: BufReader::with_capacity(1 << 20, file), path, offset: 0 };
    let magic: [u8; 8] = reader.take()?;
    let version: [u8; 4] = reader.take()?;
    if &magic != MAGIC {
        return Err(reader.damaged("not a checkpoint"));
    }
    if u32::from_le_bytes(version) != VERSION {
        return Err(reader.damaged("a version that this program does not know"));
    }
    let mut blobs = Vec::new();
    while let Some(blob) = reader.next()? {
        blobs.push(blob);
    }
    Ok(blobs)
}

struct Blobs {
    input: BufReader<File>,
    path: PathBuf,
    offset: u64,
}

impl Blobs {
    fn damaged(&self, what: &'static str) -> CheckpointError {
        CheckpointError::Damaged { path: self.path.clone(), offset: self.offset, what }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        self.input.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged("it ends too early"),
            _ => CheckpointError::Io { doing: "read", path: self.path.clone(), source: error },
        })?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], CheckpointError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn next(&mut self) -> Result<Option<Blob>, CheckpointError> {
        let start = self.offset;
        let kind = self.take::<1>()?[0];
        let key = self.take::<1>()?[0];
        let lsn = u64::from_le_bytes(self.take()?);
        let len = u64::from_le_bytes(self.take()?);
        let sum = u32::from_le_bytes(self.take()?);
        if BLOB_BYTES_MAX < len {
            self.offset = start;
            return Err(self.damaged("an impossible length"));
        }
        // Grown while reading, so that a damaged length is no allocation of its size.
        let mut bytes = Vec::new();
        let n = (&mut self.input).take(len).read_to_end(&mut bytes).map_err(|source| {
            CheckpointError::Io { doing: "read", path: self.path.clone(), source }
        })?;
        if n as u64 != len {
            return Err(self.damaged("it ends too early"));
        }
        let head = head_of(kind, key, lsn, len);
        if checksum(&head, &bytes) != sum {
            self.offset = start;
            return Err(self.damaged("the checksum does not match"));
        }
        self.offset += len;
        let kind = match kind {
            0 => return Ok(None),
            1 => Kind::Partition,
            2 => Kind::Sessions,
            _ => return Err(self.damaged("a kind that this program does not know")),
        };
        Ok(Some(Blob { kind, key, lsn, bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blobs() -> Vec<Blob> {
        vec![
            Blob { kind: Kind::Partition, key: 7, lsn: 99, bytes: b"state of seven".to_vec() },
            Blob { kind: Kind::Partition, key: 255, lsn: 100, bytes: Vec::new() },
            Blob { kind: Kind::Sessions, key: 0, lsn: 101, bytes: vec![0; 5_000] },
        ]
    }

    #[test]
    fn what_was_written_reads_back_and_the_next_replaces_it() {
        let dir = tempfile::tempdir().expect("a directory");
        assert_eq!(read(dir.path()).expect("none yet"), []);
        write(dir.path(), &blobs()).expect("written");
        assert_eq!(read(dir.path()).expect("whole"), blobs());
        write(dir.path(), &[]).expect("written");
        assert_eq!(read(dir.path()).expect("whole"), []);
    }

    #[test]
    fn damage_anywhere_is_found_and_named() {
        let dir = tempfile::tempdir().expect("a directory");
        write(dir.path(), &blobs()).expect("written");
        let path = dir.path().join(NAME);
        let good = fs::read(&path).expect("readable");
        for at in (0..good.len()).step_by(37) {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            fs::write(&path, &bad).expect("writable");
            let error = read(dir.path()).expect_err("damaged");
            assert!(error.to_string().contains("is damaged at offset"), "{at}: {error}");
        }
        for len in [0, 5, 12, 20, 40, good.len() - 1] {
            fs::write(&path, &good[..len]).expect("writable");
            assert!(read(dir.path()).is_err(), "{len}");
        }
    }
}
