//! Where a backup goes: `DIR.partial` until it is complete, then `DIR`.
//!
//! The rest of an interrupted one is recognized by its names and by its lock that nobody holds, and
//! removed by the next.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use data_dir::{LOCK, MARKER, TABLES};
use db::PinnedTables;
use disk::{Copied, Disk as _, FileCopy, OsDisk};
use nix::fcntl::{Flock, FlockArg};

use crate::error::BackupError;
use crate::progress::Progress;
use crate::report::BackupReport;

/// A backup that is being written. Dropped, it is removed.
pub(crate) struct Target {
    partial: PathBuf,
    path: PathBuf,
    report: BackupReport,
    is_finished: bool,
    _lock: Flock<File>,
}

impl Target {
    /// Makes the directory under its provisional name.
    ///
    /// # Errors
    /// There is something already, or the place can't be written.
    pub(crate) fn create(path: &Path, data: &Path) -> Result<Self, BackupError> {
        refuse_filled(path)?;
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        let partial = PathBuf::from(name);
        refuse_inside(path, data)?;
        remove_unfinished(&partial)?;
        let write = |source| BackupError::Write { path: partial.clone(), source };
        DirBuilder::new().mode(0o700).create(&partial).map_err(write)?;
        let lock = lock(&partial)?;
        let report = BackupReport { bytes: 0, linked_bytes: 0, has_configuration: false };
        let target = Self {
            partial: partial.clone(),
            path: path.to_owned(),
            report,
            is_finished: false,
            _lock: lock,
        };
        for folder in engine::backup::folders() {
            DirBuilder::new().mode(0o700).create(partial.join(folder)).map_err(write)?;
        }
        Ok(target)
    }

    /// Copies files into it.
    ///
    /// # Errors
    /// One can't be read or written, or it is given up.
    pub(crate) fn write(
        &mut self,
        files: &[FileCopy],
        progress: &dyn Progress,
    ) -> Result<(), BackupError> {
        for file in files {
            let path = self.partial.join(&file.name);
            let write = |source| BackupError::Write { path, source };
            let len = file
                .len()
                .map_err(|source| BackupError::Read { path: file.name.clone(), source })?;
            let copied = file.write(&OsDisk, &self.partial, &mut |n| progress.moved(n));
            match copied.map_err(write)? {
                Copied::Written => {}
                Copied::Linked => self.report.linked_bytes += len,
                Copied::GivenUp => return Err(BackupError::GivenUp),
            }
            self.report.bytes += len;
        }
        Ok(())
    }

    /// Copies the configuration into it.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(crate) fn write_tables(
        &mut self,
        tables: PinnedTables,
        progress: &dyn Progress,
    ) -> Result<(), BackupError> {
        let path = self.partial.join(TABLES);
        let mut reported = (0, 0);
        let is_complete = tables.copy_to(&path, &mut |done, all| {
            progress.expect(all.saturating_sub(reported.1));
            let moved = done.saturating_sub(reported.0);
            reported = (reported.0.max(done), reported.1.max(all));
            progress.moved(moved)
        })?;
        if !is_complete {
            return Err(BackupError::GivenUp);
        }
        self.report.bytes += reported.0;
        self.report.has_configuration = true;
        Ok(())
    }

    /// Makes it durable and gives it its name.
    ///
    /// # Errors
    /// The place can't be written.
    pub(crate) fn finish(mut self, marker: &[u8]) -> Result<BackupReport, BackupError> {
        let write = |path: &Path| {
            let path = path.to_owned();
            move |source| BackupError::Write { path, source }
        };
        let path = self.partial.join(MARKER);
        let file = OsDisk.create(&path).map_err(write(&path))?;
        disk::write_full(&*file, marker, 0)
            .and_then(|()| file.sync_data())
            .map_err(write(&path))?;
        for folder in engine::backup::folders() {
            let folder = self.partial.join(folder);
            OsDisk.sync_dir(&folder).map_err(write(&folder))?;
        }
        OsDisk.sync_dir(&self.partial).map_err(write(&self.partial))?;
        // Over an empty directory, if there is one.
        fs::rename(&self.partial, &self.path).map_err(write(&self.path))?;
        self.is_finished = true;
        if let Some(parent) = self.path.parent() {
            OsDisk.sync_dir(parent).map_err(write(parent))?;
        }
        Ok(self.report.clone())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.is_finished {
            // A directory that stays has a name that shows that it is incomplete.
            drop(fs::remove_dir_all(&self.partial));
        }
    }
}

fn refuse_filled(path: &Path) -> Result<(), BackupError> {
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(BackupError::NotEmpty { path: path.to_owned() }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(BackupError::Write { path: path.to_owned(), source }),
    }
}

/// A copy within the original would be taken for foreign files by the next start.
fn refuse_inside(path: &Path, data: &Path) -> Result<(), BackupError> {
    let parent = path.parent().unwrap_or(path);
    let resolve = |path: &Path| {
        fs::canonicalize(path)
            .map_err(|source| BackupError::Write { path: path.to_owned(), source })
    };
    if resolve(parent)?.starts_with(resolve(data)?) {
        return Err(BackupError::Inside { path: path.to_owned() });
    }
    Ok(())
}

/// Removes what an earlier backup to the same place has left, if it is that.
fn remove_unfinished(partial: &Path) -> Result<(), BackupError> {
    let write = |source| BackupError::Write { path: partial.to_owned(), source };
    let entries = match fs::read_dir(partial) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(write)?,
    };
    let names: Vec<_> =
        entries.map(|it| it.map(|it| it.file_name())).collect::<Result<_, _>>().map_err(write)?;
    let folders = engine::backup::folders();
    let is_ours = names.iter().all(|name| {
        let is_file =
            name.to_str().is_some_and(|it| it == MARKER || it == LOCK || it.starts_with(TABLES));
        is_file || folders.iter().any(|it| it.as_os_str() == name)
    });
    if !is_ours {
        return Err(BackupError::ForeignPartial { path: partial.to_owned() });
    }
    let lock = lock(partial)?;
    fs::remove_dir_all(partial).map_err(write)?;
    drop(lock);
    Ok(())
}

fn lock(partial: &Path) -> Result<Flock<File>, BackupError> {
    let path = partial.join(LOCK);
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(|source| BackupError::Write { path, source })?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock)
        .map_err(|_held| BackupError::PartialInUse { path: partial.to_owned() })
}
