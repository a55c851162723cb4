//! A backup of this running server.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use db::Db;
use engine::backup::{Backup, BackupParts};
use tracing::info;

use crate::error::BackupError;
use crate::progress::Progress;
use crate::report::BackupReport;
use crate::stopped::marker;
use crate::target::Target;

/// The sources of a backup.
#[derive(Clone, Debug)]
pub struct RunningParts {
    pub engine: BackupParts,
    pub db: Db,
    pub data: Arc<Path>,
    /// One at a time.
    pub one: Arc<Mutex<()>>,
}

/// How far a backup is, for those who look.
#[derive(Debug, Default)]
pub struct SharedProgress {
    bytes: AtomicU64,
    bytes_all: AtomicU64,
    is_given_up: AtomicBool,
}

impl SharedProgress {
    /// Bytes that are done, and all.
    pub fn get(&self) -> (u64, u64) {
        (self.bytes.load(Ordering::Relaxed), self.bytes_all.load(Ordering::Relaxed))
    }

    /// Ends the backup at the next piece.
    pub fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }
}

impl Progress for SharedProgress {
    fn expect(&self, bytes: u64) {
        self.bytes_all.fetch_add(bytes, Ordering::Relaxed);
    }

    fn moved(&self, bytes: u64) -> bool {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        !self.is_given_up.load(Ordering::Relaxed)
    }
}

impl RunningParts {
    /// Copies; blocks as long as the disks take.
    ///
    /// # Errors
    /// [`BackupError`]; nothing is left of it then.
    pub fn copy(&self, dir: &Path, progress: &SharedProgress) -> Result<BackupReport, BackupError> {
        let Ok(_one) = self.one.try_lock() else { return Err(BackupError::UnderWay) };
        let mut target = Target::create(dir, &self.data)?;
        let opened = self.engine.open(|pinned| {
            let tables = self.db.pin(pinned)?;
            Ok::<_, BackupError>(tables)
        });
        let (Backup { files, end }, tables) = opened?;
        for file in &files {
            let path = || file.name.clone();
            let len = file.len().map_err(|source| BackupError::Read { path: path(), source })?;
            progress.expect(len);
        }
        // First: while it is pinned, its log of changes grows.
        if let Some(tables) = tables {
            target.write_tables(tables, progress)?;
        }
        target.write(&files, progress)?;
        let report = target.finish(&marker(&self.data)?)?;
        info!(dir = %dir.display(), bytes = report.bytes, journal = %end, "made a backup");
        Ok(report)
    }
}
