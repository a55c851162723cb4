//! A backup of a stopped server: a copy of its data directory.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use data_dir::{DataDir, MARKER};
use db::{Location, PinnedTables};
use disk::{Content, Disk as _, FileCopy, OsDisk};

use crate::error::BackupError;
use crate::progress::{Progress, ProgressLines};
use crate::report::BackupReport;
use crate::target::Target;

/// Files that nobody changes once they have their names.
const IMMUTABLE: &[&str] = &["segment", "checkpoint"];
/// Files that were not finished.
const UNFINISHED: &str = "tmp";

/// Copies a data directory that is locked, with its tables; progress goes to standard error.
///
/// # Errors
/// [`BackupError`]; nothing is left of it then.
pub fn copy_stopped(
    data_dir: &DataDir,
    tables: &Location,
    dir: &Path,
) -> Result<BackupReport, BackupError> {
    let data = data_dir.path();
    let mut target = Target::create(dir, data)?;
    let mut files = Vec::new();
    for folder in engine::backup::folders() {
        files_of(data, folder, &mut files)?;
    }
    // The copy becomes a journal of its own.
    let lineage = engine::backup::lineage_of_copy(&OsDisk, data)?;
    files.retain(|it| it.name != lineage.name);
    files.push(lineage);
    let lines = Lines { state: Mutex::new((ProgressLines::new(), 0, 0)) };
    for file in &files {
        let path = || data.join(&file.name);
        let len = file.len().map_err(|source| BackupError::Read { path: path(), source })?;
        lines.expect(len);
    }
    target.write(&files, &lines)?;
    if let Location::Sqlite(path) = tables {
        target.write_tables(PinnedTables::of(path)?, &lines)?;
    }
    target.finish(&marker(data)?)
}

/// The marker of a data directory, for its copy.
pub(crate) fn marker(data: &Path) -> Result<Vec<u8>, BackupError> {
    let path = data.join(MARKER);
    fs::read(&path).map_err(|source| BackupError::Read { path, source })
}

/// The files of a folder, those below it included.
fn files_of(data: &Path, folder: &Path, files: &mut Vec<FileCopy>) -> Result<(), BackupError> {
    let path = data.join(folder);
    let names = match OsDisk.list(&path) {
        // One that a first start did not come to.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(|source| BackupError::Read { path: path.clone(), source })?,
    };
    for name in names {
        let path = path.join(&name);
        let extension = path.extension().and_then(|it| it.to_str());
        if extension == Some(UNFINISHED) {
            continue;
        }
        let read = |source| BackupError::Read { path: path.clone(), source };
        let file = OsDisk.open(&path).map_err(read)?;
        let content = if extension.is_some_and(|it| IMMUTABLE.contains(&it)) {
            Content::Immutable { path: path.clone(), file }
        } else {
            let len = file.len().map_err(read)?;
            Content::Prefix { file, len }
        };
        files.push(FileCopy { name: folder.join(name), content });
    }
    Ok(())
}

/// Progress that is reported at intervals: bytes done and bytes in total.
struct Lines {
    state: Mutex<(ProgressLines, u64, u64)>,
}

impl Progress for Lines {
    fn expect(&self, bytes: u64) {
        self.state.lock().expect("nobody panics with the progress").2 += bytes;
    }

    fn moved(&self, bytes: u64) -> bool {
        let mut state = self.state.lock().expect("nobody panics with the progress");
        let (lines, done, all) = &mut *state;
        *done += bytes;
        lines.report(*done, *all);
        true
    }
}
