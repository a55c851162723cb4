//! A disk that puts a defect back: during a turn of the housekeeping, syncs of the journal report
//! success and sync nothing, so that a checkpoint is on the disk ahead of the journal. The next
//! real sync of the journal makes it good.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use disk::{Disk, DiskFile, MemDisk};

/// Where the journal is.
const JOURNAL: &str = "/data/journal";

/// Whether, and how far, the disk lies.
#[derive(Debug)]
pub(crate) struct FaultDisk {
    is_wanted: bool,
    is_on: Arc<AtomicBool>,
    has_lied: Arc<AtomicBool>,
    /// The last position that is synced in truth, while it has lied.
    truth: Option<u64>,
}

impl FaultDisk {
    pub(crate) fn new(is_wanted: bool) -> Self {
        Self { is_wanted, is_on: Arc::default(), has_lied: Arc::default(), truth: None }
    }

    pub(crate) fn disk(&self, disk: &MemDisk) -> Arc<dyn Disk> {
        self.has_lied.store(false, Ordering::Relaxed);
        if !self.is_wanted {
            return Arc::new(disk.clone());
        }
        let (is_on, has_lied) = (Arc::clone(&self.is_on), Arc::clone(&self.has_lied));
        Arc::new(FalseSyncDisk { disk: disk.clone(), is_on, has_lied })
    }

    /// The housekeeping begins its turn.
    pub(crate) fn begin(&mut self, synced: u64) {
        self.is_on.store(self.is_wanted, Ordering::Relaxed);
        if !self.has_lied.load(Ordering::Relaxed) {
            self.truth = Some(synced);
        }
    }

    pub(crate) fn end(&self) {
        self.is_on.store(false, Ordering::Relaxed);
    }

    /// The journal is synced.
    pub(crate) fn make_good(&self, disk: &MemDisk) {
        if !self.has_lied.load(Ordering::Relaxed) {
            return;
        }
        let dir = Path::new(JOURNAL);
        let names = disk.list(dir).unwrap_or_default();
        let synced = names.iter().try_for_each(|it| disk.open(&dir.join(it))?.sync_data());
        if synced.and_then(|()| disk.sync_dir(dir)).is_ok() {
            self.has_lied.store(false, Ordering::Relaxed);
        }
    }

    /// Up to where a journal survives a power cut that says it does.
    pub(crate) fn durable(&self, synced: u64) -> u64 {
        match self.truth {
            Some(truth) if self.has_lied.load(Ordering::Relaxed) => truth,
            _ => synced,
        }
    }
}

#[derive(Debug)]
struct FalseSyncDisk {
    disk: MemDisk,
    is_on: Arc<AtomicBool>,
    has_lied: Arc<AtomicBool>,
}

impl FalseSyncDisk {
    fn file(&self, path: &Path, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        if !path.starts_with(JOURNAL) {
            return file;
        }
        let (is_on, has_lied) = (Arc::clone(&self.is_on), Arc::clone(&self.has_lied));
        Arc::new(FalseSyncFile { file, is_on, has_lied })
    }
}

impl Disk for FalseSyncDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        self.disk.create_dir_all(dir)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.disk.list(dir)
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.disk.create(path).map(|it| self.file(path, it))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.disk.open(path).map(|it| self.file(path, it))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        if self.is_on.load(Ordering::Relaxed) && dir == Path::new(JOURNAL) {
            self.has_lied.store(true, Ordering::Relaxed);
            return Ok(());
        }
        self.disk.sync_dir(dir)
    }
}

#[derive(Debug)]
struct FalseSyncFile {
    file: Arc<dyn DiskFile>,
    is_on: Arc<AtomicBool>,
    has_lied: Arc<AtomicBool>,
}

impl DiskFile for FalseSyncFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buf, offset)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> io::Result<usize> {
        self.file.write_at(buf, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.is_on.load(Ordering::Relaxed) {
            self.has_lied.store(true, Ordering::Relaxed);
            return Ok(());
        }
        self.file.sync_data()
    }
}
