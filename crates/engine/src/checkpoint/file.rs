//! The file of one checkpoint.
//!
//! Bytes (little-endian): magic `SAKERCKP`, version u32, crc32c u32 over both, then blobs: kind u8,
//! key u8, lsn u64, length u64, crc32c u32 over kind, key, lsn, length and the bytes, the bytes. Last
//! a blob of kind 0 whose key is 0 and whose bytes are empty: a file without it is torn. Version 1
//! had no checksum after the version. See `docs/format/checkpoint.md`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{Disk, DiskFile, read_full, write_full};

use super::error::{CheckpointError, io_error};

const MAGIC: &[u8; 8] = b"SAKERCKP";
pub(super) const VERSION: u32 = 2;
/// Kind, key, position, length.
const HEAD_BYTES: usize = 18;
/// Written at once.
const BUFFER_BYTES: usize = 1 << 20;

/// The content of a blob.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlobKind {
    /// State of the partition that is the key.
    Partition = 1,
    /// Sessions of active agents.
    Sessions = 2,
    /// Those of proxies.
    ProxySessions = 3,
}

/// State as of a position of the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blob {
    pub kind: BlobKind,
    pub key: u8,
    /// Records before this position are in it, later ones are not.
    pub lsn: u64,
    pub bytes: Vec<u8>,
}

fn checksum(head: &[u8; HEAD_BYTES], bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(head), bytes)
}

fn head_of(kind: u8, key: u8, lsn: u64, len: u64) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[0] = kind;
    head[1] = key;
    head[2..10].copy_from_slice(&lsn.to_le_bytes());
    head[10..18].copy_from_slice(&len.to_le_bytes());
    head
}

/// A file that is being written.
pub(super) struct Writer {
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    pending: Vec<u8>,
    offset: u64,
}

impl Writer {
    pub(super) fn create(disk: &dyn Disk, path: &Path) -> Result<Self, CheckpointError> {
        let file = disk.create(path).map_err(io_error("create", path))?;
        let mut pending = Vec::with_capacity(BUFFER_BYTES);
        pending.extend_from_slice(MAGIC);
        pending.extend_from_slice(&VERSION.to_le_bytes());
        pending.extend_from_slice(&crc32c::crc32c(&pending).to_le_bytes());
        Ok(Self { path: path.to_owned(), file, pending, offset: 0 })
    }

    pub(super) fn put(&mut self, blob: &Blob) -> Result<(), CheckpointError> {
        self.blob(blob.kind as u8, blob.key, blob.lsn, &blob.bytes)
    }

    /// The last blob; everything is on disk then.
    pub(super) fn finish(&mut self) -> Result<(), CheckpointError> {
        self.blob(0, 0, 0, &[])?;
        self.flush()?;
        self.file.sync_data().map_err(io_error("sync", &self.path))
    }

    fn blob(&mut self, kind: u8, key: u8, lsn: u64, bytes: &[u8]) -> Result<(), CheckpointError> {
        let head = head_of(kind, key, lsn, bytes.len() as u64);
        self.pending.extend_from_slice(&head);
        self.pending.extend_from_slice(&checksum(&head, bytes).to_le_bytes());
        if bytes.len() < BUFFER_BYTES {
            self.pending.extend_from_slice(bytes);
        } else {
            self.flush()?;
            self.write(bytes)?;
        }
        if BUFFER_BYTES <= self.pending.len() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), CheckpointError> {
        let mut pending = std::mem::take(&mut self.pending);
        self.write(&pending)?;
        pending.clear();
        self.pending = pending;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        write_full(&*self.file, bytes, self.offset).map_err(io_error("write", &self.path))?;
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

/// All blobs of a file.
///
/// # Errors
/// It can't be read, or is damaged: the place says where. Nothing is skipped.
pub(super) fn read(disk: &dyn Disk, path: &Path) -> Result<Vec<Blob>, CheckpointError> {
    let file = disk.open(path).map_err(io_error("open", path))?;
    let len = file.len().map_err(io_error("read", path))?;
    let mut reader = Reader { path, file, len, offset: 0 };
    let magic: [u8; 8] = reader.take()?;
    if &magic != MAGIC {
        return Err(reader.damaged(0, "not a checkpoint"));
    }
    let version = u32::from_le_bytes(reader.take()?);
    if version != 1 {
        let sum = u32::from_le_bytes(reader.take()?);
        if crc32c::crc32c_append(crc32c::crc32c(MAGIC), &version.to_le_bytes()) != sum {
            return Err(reader.damaged(8, "the checksum does not match"));
        }
        if version != VERSION {
            return Err(CheckpointError::Version {
                path: path.to_owned(),
                version,
                known: VERSION,
            });
        }
    }
    let mut blobs = Vec::new();
    while let Some(blob) = reader.next()? {
        blobs.push(blob);
    }
    Ok(blobs)
}

struct Reader<'a> {
    path: &'a Path,
    file: Arc<dyn DiskFile>,
    len: u64,
    offset: u64,
}

impl Reader<'_> {
    fn damaged(&self, offset: u64, what: &'static str) -> CheckpointError {
        CheckpointError::Damaged { path: self.path.to_owned(), offset, what }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        let read = read_full(&*self.file, bytes, self.offset);
        if read.map_err(io_error("read", self.path))? != bytes.len() {
            return Err(self.damaged(self.offset, "it ends too early"));
        }
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
        let head: [u8; HEAD_BYTES] = self.take()?;
        let [kind, key, rest @ ..] = head;
        let (lsn, len) = rest.split_at(8);
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let (lsn, len) = (number(lsn), number(len));
        let sum = u32::from_le_bytes(self.take()?);
        // Before it is allocated: a damaged length is no memory of its size.
        let left = self.len.saturating_sub(self.offset);
        let Some(n_bytes) = usize::try_from(len).ok().filter(|_| len <= left) else {
            return Err(self.damaged(start, "it ends too early"));
        };
        let mut bytes = vec![0; n_bytes];
        self.fill(&mut bytes)?;
        if checksum(&head, &bytes) != sum {
            return Err(self.damaged(start, "the checksum does not match"));
        }
        let kind = match kind {
            0 => return Ok(None),
            1 => BlobKind::Partition,
            2 => BlobKind::Sessions,
            3 => BlobKind::ProxySessions,
            _ => return Err(self.damaged(start, "a kind that this program does not know")),
        };
        Ok(Some(Blob { kind, key, lsn, bytes }))
    }
}
